"""Checkpoints of the branch and bound: files with the cells, their mixtures, the replies, and the best strategy.

The file is replaced atomically. A wrong file cannot cause a wrong result, because claims are computed again from the
cells and then verified.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.cells import GRID_BITS, Cell, Piece
from tremble.recall.maxmin.search import Search
from tremble.run.checkpoint_file import CheckpointFile
from tremble.run.clock import Clock

__all__ = ["Checkpoint"]


class Checkpoint(CheckpointFile[Search]):
    """A checkpoint file of a search. It contains the game's digest and the player, to identify the search."""

    schema = "tremble/maxmin-checkpoint@1"
    encode = json.JSONEncoder(sort_keys=True).encode

    def __init__(self, path: str | os.PathLike[str], form: BilinearForm, digest: str, clock: Clock) -> None:
        super().__init__(path, {"digest": digest, "player": form.player + 1}, clock)
        self._form = form

    def fields(self, search: Search) -> dict[str, Any]:
        """Return the state of a search: the cells in preorder, the replies, and the best strategy."""
        assert search.root is not None
        cells = []
        for cell in search.root.preorder():
            split = None if cell.split is None else [*cell.split[:3], cell.split[3].hex()]
            mixture = [[n, w.hex()] for n, w in zip(cell.replies.tolist(), cell.mixture.tolist(), strict=True)]
            cells.append({"bound": cell.bound.hex(), "split": split, "divided": cell.parts is not None, "mix": mixture})
        return {
            "strategy": [p.hex() for p in search.mixed.tolist()],
            "answers": [answer.tolist() for answer in search.replies.answers],
            "cells": cells,
            "examined": search.examined,
        }

    def restore(self, search: Search, check: Callable[[], None]) -> None:
        """Load the state in the checkpoint file into ``search``, which must be new."""
        with self.stated() as document:
            mixed = np.array([float.fromhex(p) for p in document["strategy"]])
            answers = self._answers(document["answers"])
            if mixed.shape != (int(self._form.own.slot_start[-1]),) or not self._is_strategy(mixed):
                raise ValueError("its strategy does not belong to this game")
            root, examined = self._cells(document["cells"], len(answers)), int(document["examined"])
        search.resume(root, answers, mixed, examined, check)

    def _answers(self, given: Any) -> list[Any]:
        other = self._form.other
        width = np.diff(other.start)
        answers = [np.array([int(a) for a in answer], dtype=np.int16) for answer in given]
        if len({answer.tobytes() for answer in answers}) < len(answers):
            raise ValueError("it contains a reply twice")
        for answer in answers:
            if answer.shape != width.shape or not ((answer >= 0) & (answer < width)).all():
                raise ValueError("a reply does not belong to this game")
        return answers

    def _is_strategy(self, mixed: Any) -> bool:
        bounds = pairwise(self._form.own.slot_start.tolist())
        return bool((mixed >= 0).all()) and all(abs(mixed[first:end].sum() - 1) < 1e-6 for first, end in bounds)

    def _cells(self, given: Any, answers: int) -> Cell:
        """Build the tree of cells from ``given``, which lists the cells in preorder; return the root."""
        widths = np.diff(self._form.own.slot_start)
        root: Cell | None = None
        waiting: list[tuple[Cell | None, Piece | None]] = [(None, None)]
        parts: dict[int, list[Cell]] = {}
        for entry in given:
            parent, piece = waiting.pop()
            replies = np.array([int(n) for n, _ in entry["mix"]], dtype=np.int64)
            mixture = np.array([float.fromhex(w) for _, w in entry["mix"]])
            if len(set(replies.tolist())) < len(replies):
                raise ValueError("a mixture contains a reply twice")
            if len(replies) and not (replies.min() >= 0 and replies.max() < answers):
                raise ValueError("a mixture contains an unknown reply")
            if not 0.0 < mixture.sum() < 2.0 or not mixture.max() > 1e-12 or mixture.min() < 0.0:
                raise ValueError("a mixture has invalid weights")
            cell = Cell(parent, piece, float.fromhex(entry["bound"]), replies, mixture)
            root = root or cell
            if parent is not None:
                parts[id(parent)].append(cell)
                if len(parts[id(parent)]) == 2:
                    parent.parts = parts[id(parent)][0], parts[id(parent)][1]
            if entry["split"] is not None:
                i, one, two = map(int, entry["split"][:3])
                kept = float.fromhex(entry["split"][3])
                if not (0 <= i < len(widths) and min(one, two) >= 0 and max(one, two) < widths[i]):
                    raise ValueError("a cell is split at an edge that does not exist")
                if one == two or not 0.0 < kept < 1.0 or (kept * 2**GRID_BITS) % 1:
                    raise ValueError(
                        f"it splits a cell at weight {kept:g} on vertex {one + 1}, the rest on vertex {two + 1}, but a "
                        f"split must be between two vertices, at a multiple of 1/{2**GRID_BITS}"
                    )
                cell.split = Piece(i, one, two, kept)
                if entry["divided"]:
                    parts[id(cell)] = []
                    waiting += [(cell, piece) for piece in cell.pieces()[::-1]]
        if root is None or waiting:
            raise ValueError("its tree of cells is incomplete")
        return root
