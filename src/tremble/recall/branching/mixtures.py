"""Plans of a player with perfect recall as mixtures of pure strategies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequence_form import Level, Sequences

__all__ = ["REACHED", "greatest", "pure_parts"]

REACHED = 1e-8
"""Sequences with a smaller weight in a float plan count as not played."""


def pure_parts(own: Sequences, plan: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Decompose a plan, float64[S], into a mixture of M pure strategies.

    Each pure strategy plays the heaviest action of the remaining plan at each set. Its weight is the smallest one that
    it plays. So each step uses up a sequence.

    Returns
    -------
    choices : int64[M, R]
        The action at each refined set.
    weights : float64[M]
    """
    left, heaviest = np.maximum(plan, 0.0), np.zeros(len(own.infoset), dtype=np.int64)
    choices: list[NDArray[np.int64]] = []
    weights: list[float] = []
    while left[0] > REACHED:
        played = np.zeros(own.num_sequences, dtype=np.bool_)
        played[0] = True
        for level in own.levels:
            heaviest[level.sets] = greatest(left[level.sequences], level)
            played[own.start[level.sets] + heaviest[level.sets]] = played[own.parent[level.sets]]
        weight = float(left[played].min())
        if weight <= 0.0:  # rounding errors: the rest is not a plan
            break
        left[played] -= weight
        choices.append(heaviest.copy())
        weights.append(weight)
    return np.array(choices), np.array(weights) / sum(weights)


def greatest(values: NDArray[np.float64], level: Level) -> NDArray[np.int64]:
    """Return, for each set of a level, its first action with the largest of these values of sequences."""
    most = np.repeat(np.maximum.reduceat(values, level.offset), level.width)
    place = np.where(values == most, np.arange(len(values)), len(values))
    return np.asarray(np.minimum.reduceat(place, level.offset) - level.offset)
