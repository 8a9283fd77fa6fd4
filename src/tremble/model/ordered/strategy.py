"""Strategies of ordered games: what a player does at each class of its own hands, as exact realization weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["OrderedStrategy"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OrderedStrategy:
    """A plan for an ordered game of two players: C classes, S sequences of the stage, H lines of the rounds before.

    The weight of a sequence is its denominator times the probability that the player's own choices lead along it. The
    weights of the actions at an information set sum to that of the sequence that leads there; where that is 0, the
    player chooses uniformly. Sequences of a stage are numbered by :meth:`StageTree.side`; the empty one, which is left
    out here, is the last sequence of the stage before.

    Attributes
    ----------
    player : int
        0 or 1.
    class_of : tuple of int arrays
        Round -> class of each own node (see :mod:`tremble.model.ordered.deals`), from 0; -1 where the player is never
        dealt it.
    weight : tuple of int arrays
        Round -> weights [C, S - 1, H], int64 or Python integers; lines of the rounds before in the order of
        :func:`tremble.model.ordered.payoffs.histories`.
    denominator : int
    """

    player: int
    class_of: tuple[IntArray, ...]
    weight: tuple[NDArray[np.int64] | NDArray[np.object_], ...]
    denominator: int
