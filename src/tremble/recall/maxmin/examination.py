"""What is found of a cell, and what becomes of it: functions of the cell and of two bounds alone.

So it does not matter who examines a cell, or when: the search, or somebody who works ahead of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.recall.branching.cells import GRID_BITS, Answers, Cell, Floats, Ints, Piece, vertices_of
from tremble.recall.maxmin.kernels import examine
from tremble.run.clock import interrupts_held_back

__all__ = ["Finding", "Known", "absorb", "divide", "examined", "opened"]

_PATIENCE, _SHARP, _MOST = 15, 0.3, 60


class Known(NamedTuple):
    """What is known when a cell is examined."""

    goal: float  # cells with no more than this need not be split
    lower: float  # what the player is known to guarantee


class Finding(NamedTuple):
    """What is found of a cell."""

    bound: float
    best: Floats  # mixture that proves it, of the cell's replies and then the new ones
    mixture: Floats  # of the same, in the last round
    new: Ints  # numbers of the new ones
    choices: NDArray[np.int16] | None  # the player's mixture in the last round; None of a cell that is done with
    share: Floats
    mixed: Floats  # the behavior strategy next to it
    value: float  # what that guarantees
    split: tuple[int, int, int, float]  # a set, two vertices, and the part of the first; a set of -1: none
    holds: float  # all this would be found as well if anything below this were known to be guaranteed


def examined(answers: Answers, cell: Cell, known: Known) -> Finding:
    """Bound a cell, or find out how to split it; new replies are numbered."""
    choices = cell.choices
    if choices is None:
        choices = np.zeros((0, len(answers.game[0][0])), dtype=np.int16)
    vertices, effort = vertices_of(answers.widths, cell), (_MOST, 0.0) if cell.whole else (_PATIENCE, _SHARP)
    gains = answers.gains[cell.replies]
    with interrupts_held_back():  # arrays that a kernel returns are made in Python, which Ctrl-C must not cut short
        bound, best, mixture, (replies, left), options, share, mixed, value, split, holds = examine(
            answers.game, vertices, choices.astype(np.int64), gains, cell.mixture, *known, *effort, _MOST
        )
    new = np.array([answers.number(*reply) for reply in zip(replies, left, strict=True)], dtype=np.int64)
    return Finding(bound, best, mixture, new, options.astype(np.int16), share, mixed, value, split, holds)


def absorb(cell: Cell, found: Finding, goal: float) -> None:
    """Have a cell know what was found of it."""
    numbers = np.concatenate((cell.replies, found.new))
    if found.bound < cell.bound:
        cell.bound, weight = found.bound, found.best
    else:
        weight = np.concatenate((cell.mixture, np.zeros(len(found.new))))
    more = not set(found.new.tolist()) <= set(cell.replies.tolist())
    cell.whole = more and found.split[0] < 0 and cell.bound > goal
    kept = (weight > 0.0) | (found.mixture > 1e-9) | cell.whole
    cell.replies, cell.mixture = _each_once(numbers[kept], weight[kept])


def opened(cell: Cell, found: Finding, goal: float) -> bool:
    """Whether a cell is to be split, or looked at again; if not, it keeps what proves its bound."""
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
    """What is to be examined next of a cell: its two parts, or the cell itself if it is not to be split."""
    if cell.split is None:
        return (cell,)
    one, two = (Cell(cell, piece, cell.bound, cell.replies, cell.mixture, cell.choices) for piece in cell.pieces())
    cell.parts, cell.choices = (one, two), None
    return one, two


def _each_once(replies: Ints, mixture: Floats) -> tuple[Ints, Floats]:
    """A mixture with no reply twice, in the order in which they come first."""
    if len(set(replies.tolist())) == len(replies):
        return replies, mixture
    _, first, where = np.unique(replies, return_index=True, return_inverse=True)
    order, whole = np.argsort(first), np.zeros(len(first))
    np.add.at(whole, where, mixture)
    return replies[first[order]], whole[order]
