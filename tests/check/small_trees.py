"""Small trees that several files of this folder use."""

from __future__ import annotations

from typing import Any

import tremble

__all__ = ["ALONE", "OUTSIDE"]


def _outside() -> Any:
    """Return a game with constant sum 0 in which player 1 takes 2, or at most 1 after an answer of player 2."""
    builder = tremble.TreeBuilder(title="outside")
    builder.decision(0, "start", ("out", "in"))
    builder.leaf(2, -2)
    builder.decision(1, "answer", ("l", "r"))
    builder.decision(0, "after l", ("a", "b"))
    builder.leaf(1, -1)
    builder.leaf(0, 0)
    builder.decision(0, "after r", ("a", "b"))
    builder.leaf(0, 0)
    builder.leaf(1, -1)
    return builder.finish()


def _alone() -> Any:
    """Return a game in which only player 2 moves."""
    builder = tremble.TreeBuilder(title="alone")
    builder.decision(1, "answer", ("l", "r"))
    builder.leaf(0, 1)
    builder.leaf(0, 0)
    return builder.finish()


OUTSIDE, ALONE = _outside(), _alone()
