"""Plans of a player that remembers, as mixtures of pure strategies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequences import Level, Sequences

__all__ = ["REACHED", "greatest", "pure_parts"]

REACHED = 1e-8
"""A sequence with less weight in a float plan counts as not played."""


def pure_parts(own: Sequences, plan: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """A plan, float64[S], as a mixture: the action at each refined set, int64[M, R], and the weights, float64[M].

    Each part takes the heaviest action of what is left wherever it comes, with the least weight on its way, so that a
    sequence is used up.
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
        if weight <= 0.0:  # rounding: what is left is no plan
            break
        left[played] -= weight
        choices.append(heaviest.copy())
        weights.append(weight)
    return np.array(choices), np.array(weights) / sum(weights)


def greatest(values: NDArray[np.float64], level: Level) -> NDArray[np.int64]:
    """By set of a level, whose sequences have these values: the first of its actions whose value is the greatest."""
    most = np.repeat(np.maximum.reduceat(values, level.offset), level.width)
    place = np.where(values == most, np.arange(len(values)), len(values))
    return np.asarray(np.minimum.reduceat(place, level.offset) - level.offset)
