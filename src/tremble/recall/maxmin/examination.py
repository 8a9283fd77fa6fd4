"""Examine a cell: compute an upper bound, and decide how to split the cell if the bound is too large.

The result depends only on the cell and on two bounds of the search (:class:`Known`). So a worker can examine a cell
before the search asks for the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.recall.branching.cells import GRID_BITS, Answers, Cell, Floats, Ints, Piece, vertices_of
from tremble.recall.maxmin.kernels import examine
from tremble.run.compiling import held_back_in

__all__ = ["Finding", "Known", "absorb", "divide", "examined", "opened"]

_PATIENCE, _SHARP, _MOST = 15, 0.3, 60  # see :func:`.kernels.examine`


class Known(NamedTuple):
    """The bounds of the search at the time when a cell is examined."""

    goal: float  # cells whose bound is at most this number need not be split
    lower: float  # the best guarantee so far


class Finding(NamedTuple):
    """Result for a cell (a set of strategies). :func:`.kernels.examine` solves a matrix game in rounds to get it."""

    bound: float
    best: Floats  # the mixture that proves the bound: weights of the cell's replies, then weights of the new replies
    mixture: Floats  # the mixture of the last round, with weights for the same replies as ``best``
    new: Ints  # numbers of the new replies
    choices: NDArray[np.int16] | None  # the player's choices in the last round; None if the cell is finished
    share: Floats  # weights of these choices in the player's mixture
    mixed: Floats  # the behavior strategy closest to the player's mixture
    value: float  # the guarantee of this behavior strategy
    split: tuple[int, int, int, float]  # a set, two vertices, the weight of the first; the set is -1 without a split
    holds: float  # the finding stays the same if Known.lower increases to a value less than this number


def examined(answers: Answers, cell: Cell, known: Known) -> Finding:
    """Compute an upper bound for a cell, and decide how to split the cell. Add new replies to ``answers``."""
    choices = cell.choices
    if choices is None:
        choices = np.zeros((0, len(answers.game[0][0])), dtype=np.int16)
    vertices, effort = vertices_of(answers.widths, cell), (_MOST, 0.0) if cell.whole else (_PATIENCE, _SHARP)
    gains = answers.gains[cell.replies]
    with held_back_in(examine):  # Ctrl-C must not interrupt Numba while it creates the result arrays
        bound, best, mixture, (replies, left), options, share, mixed, value, split, holds = examine(
            answers.game, vertices, choices.astype(np.int64), gains, cell.mixture, *known, *effort, _MOST
        )
    new = np.array([answers.number(*reply) for reply in zip(replies, left, strict=True)], dtype=np.int64)
    return Finding(bound, best, mixture, new, options.astype(np.int16), share, mixed, value, split, holds)


def absorb(cell: Cell, found: Finding, goal: float) -> None:
    """Update ``cell``: keep the smaller of the bounds of ``cell`` and ``found``, and the useful replies of both."""
    numbers = np.concatenate((cell.replies, found.new))
    if found.bound < cell.bound:
        cell.bound, weight = found.bound, found.best
    else:
        weight = np.concatenate((cell.mixture, np.zeros(len(found.new))))
    more = not set(found.new.tolist()) <= set(cell.replies.tolist())
    cell.whole = more and found.split[0] < 0 and cell.bound > goal
    kept = (weight > 0.0) | (found.mixture > 1e-9) | cell.whole
    cell.replies, cell.mixture = _without_repeats(numbers[kept], weight[kept])


def opened(cell: Cell, found: Finding, goal: float) -> bool:
    """Return True if a cell must be split or examined again.

    In this case, the function prepares the cell for :func:`divide`. Otherwise it removes all data of the cell except
    the proof of its bound.
    """
    if cell.bound <= goal or (found.split[0] < 0 and not cell.whole):
        cell.choices = None
        proves = cell.mixture > 0.0
        cell.replies, cell.mixture = cell.replies[proves], cell.mixture[proves]
        return False
    assert found.choices is not None
    cell.choices = found.choices[(found.share > 1e-9) | cell.whole]
    if not cell.whole:
        i, one, two, part = found.split
        kept = round((0.7 * part + 0.15) * 2**GRID_BITS) / 2**GRID_BITS
        cell.split = Piece(int(i), int(one), int(two), kept)
    return True


def divide(cell: Cell) -> tuple[Cell, ...]:
    """Return the cells to examine next: the two parts of a cell, or the cell itself if it has no split."""
    if cell.split is None:
        return (cell,)
    one, two = (Cell(cell, piece, cell.bound, cell.replies, cell.mixture, cell.choices) for piece in cell.pieces())
    cell.parts, cell.choices = (one, two), None
    return one, two


def _without_repeats(replies: Ints, mixture: Floats) -> tuple[Ints, Floats]:
    """Merge repeated replies in a mixture. Replies stay in the order of their first occurrences."""
    if len(set(replies.tolist())) == len(replies):
        return replies, mixture
    _, first, where = np.unique(replies, return_index=True, return_inverse=True)
    order, whole = np.argsort(first), np.zeros(len(first))
    np.add.at(whole, where, mixture)
    return replies[first[order]], whole[order]
