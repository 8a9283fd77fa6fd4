"""Cells: parts of the behavior strategies of a player that forgets; and the game as the kernels take it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.model.bilinear_form import BilinearForm
from tremble.model.own_sequences import OwnSequences
from tremble.solvers.shared.branching.kernels import guarantee

__all__ = [
    "GRID_BITS",
    "Cell",
    "Floats",
    "Ints",
    "Piece",
    "compiled_game",
    "guaranteed",
    "leaves_with_vertices",
    "pure_cell",
    "vertices_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GRID_BITS = 4
"""Edges are split at multiples of 2^-GRID_BITS of their length."""


class Piece(NamedTuple):
    """How a cell came from its parent: vertex ``one`` of a set went towards vertex ``two``."""

    infoset: int
    one: int
    two: int
    kept: float  # part of the vertex that stays


@dataclass(eq=False)
class Cell:
    """A part of the behavior strategies, with what is known of it."""

    parent: Cell | None
    piece: Piece | None
    bound: float
    replies: Ints  # the opponent's, by number
    mixture: Floats  # of them, that proves the bound
    choices: NDArray[np.int16] | None = None  # of the player, to begin with in its parts
    split: Piece | None = None  # where it is, or is to be, split: the first of its parts
    parts: tuple[Cell, Cell] | None = None
    whole: bool = False  # nothing in it can be split: what is left is to look for more replies

    def pieces(self) -> tuple[Piece, Piece]:
        """What its parts are."""
        assert self.split is not None
        i, one, two, kept = self.split
        return self.split, Piece(i, two, one, 1.0 - kept)

    def leaves(self) -> Iterator[Cell]:
        """The cells that are not split, in preorder."""
        stack = [self]
        while stack:
            cell = stack.pop()
            if cell.parts is None:
                yield cell
            else:
                stack += cell.parts[::-1]

    def coarser(self, most: int) -> Cell:
        """The same with so many leaves at most: cells with the greatest bounds are split first, as in a search."""
        root = Cell(self.parent, self.piece, self.bound, self.replies, self.mixture)
        waiting = [(-self.bound, 0, self, root)]
        leaves = count = 1
        while waiting and leaves < most:
            _, _, cell, copy = heappop(waiting)
            if cell.parts is None:
                continue
            one, two = (Cell(p.parent, p.piece, p.bound, p.replies, p.mixture) for p in cell.parts)
            copy.split, copy.parts = cell.split, (one, two)
            leaves += 1
            for part, twin in zip(cell.parts, (one, two), strict=True):
                count += 1
                heappush(waiting, (-part.bound, count, part, twin))
        return root

    def path(self) -> Iterator[Piece]:
        """From the whole to this cell."""
        pieces = []
        cell: Cell | None = self
        while cell is not None and cell.piece is not None:
            pieces.append(cell.piece)
            cell = cell.parent
        return reversed(pieces)


def _side(own: OwnSequences, widths: Ints, forgetful: NDArray[np.bool_]) -> tuple[Any, ...]:
    offset = np.concatenate(([0], np.cumsum(widths**2)))
    arrays = (own.parent, own.start, own.infoset)
    return (*(np.array(values, dtype=np.int64) for values in arrays), forgetful.copy(), offset.astype(np.int64))


def pure_cell(widths: Ints) -> Floats:
    """The cell whose vertices are the actions."""
    return np.concatenate([np.eye(n).ravel() for n in widths.tolist()] or [np.zeros(0)])


def compiled_game(form: BilinearForm) -> tuple[Any, ...]:
    """A game as the kernels take it."""
    own, other = form.own, form.other
    widths = [np.diff(form.tree.slot_start[player]) for player in (form.player, 1 - form.player)]
    earned, lost = form.matrix, (-form.matrix).T.tocsr()
    sparse = [
        (m.indptr.astype(np.int64), m.indices.astype(np.int64), m.data.astype(np.float64)) for m in (earned, lost)
    ]
    payoff = form.tree.payoff_float[:, form.player]
    return (
        _side(own, widths[0], form.forgetful),
        _side(other, widths[1], form.opponent_forgetful),
        pure_cell(widths[1]),
        *sparse,
        np.array([payoff.min(), payoff.max()]),
        _spans(form),
    )


def guaranteed(form: BilinearForm, game: tuple[Any, ...], mixed: Floats) -> tuple[float, Ints, Floats]:
    """What a strategy guarantees, the best reply to it as choices, and what that leaves each own sequence."""
    reply, left = np.empty(len(form.other.infoset), dtype=np.int64), np.empty(form.own.num_sequences)
    earned = guarantee(game, mixed, reply, left)
    return float(earned), reply, left


def _spans(form: BilinearForm) -> Floats:
    """What the payoffs, chance included, under each refined set of the player range over."""
    own = form.own
    low, high = np.full(own.num_sequences, np.inf), np.full(own.num_sequences, -np.inf)
    values = form.matrix.tocoo()
    np.minimum.at(low, values.row, values.data)
    np.maximum.at(high, values.row, values.data)
    span = np.zeros(len(own.infoset))
    for k in range(len(span) - 1, -1, -1):
        here = slice(int(own.start[k]), int(own.start[k + 1]))
        least, most = low[here].min(), high[here].max()
        span[k] = max(most - least, 0.0)
        above = own.parent[k]
        low[above], high[above] = min(low[above], least), max(high[above], most)
    return span


def vertices_of(form: BilinearForm, cell: Cell) -> Floats:
    """The vertices of a cell of the player's strategies, laid out as the kernels take them."""
    widths = np.diff(form.tree.slot_start[form.player])
    vertices, offset = pure_cell(widths), np.concatenate(([0], np.cumsum(widths**2)))
    for piece in cell.path():
        _move(vertices, offset, widths, piece)
    return vertices


def leaves_with_vertices(form: BilinearForm, root: Cell) -> Iterator[tuple[Cell, Floats]]:
    """The cells that are not split, in preorder, each with its vertices."""
    widths = np.diff(form.tree.slot_start[form.player])
    offset = np.concatenate(([0], np.cumsum(widths**2)))
    stack = [(root, vertices_of(form, root))]
    while stack:
        cell, vertices = stack.pop()
        if cell.parts is None:
            yield cell, vertices
            continue
        for part, place in zip(cell.parts[::-1], (vertices.copy(), vertices), strict=True):
            assert part.piece is not None
            _move(place, offset, widths, part.piece)
            stack.append((part, place))


def _move(vertices: Floats, offset: Ints, widths: Ints, piece: Piece) -> None:
    """Go from a cell to this part of it."""
    i, one, two, kept = piece
    n, at = int(widths[i]), int(offset[i])
    u, v = vertices[at + one * n : at + one * n + n], vertices[at + two * n : at + two * n + n]
    u[:] = kept * u + (1.0 - kept) * v
