"""Decompose realization plans of a player with perfect recall into mixtures of pure strategies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequence_form import Level, Sequences

__all__ = ["REACHED", "greatest", "pure_parts"]

REACHED = 1e-8
"""The least weight of a sequence in a float plan. A sequence with a smaller weight counts as not played."""


def pure_parts(own: Sequences, plan: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Decompose the realization plan ``plan`` (float64[S]) into a mixture of M pure strategies.

    At each set, a pure strategy plays the action with the largest weight in the remaining plan. The weight of the pure
    strategy is the smallest weight of the sequences that it plays. The function subtracts this weight from the weights
    of these sequences, so at least one of them becomes 0.

    Returns
    -------
    choices : int64[M, R]
        For each pure strategy, the action at each refined set.
    weights : float64[M]
        The weights of the pure strategies. Their sum is 1.
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
        if weight <= 0.0:  # because of rounding errors, the rest is not a plan
            break
        left[played] -= weight
        choices.append(heaviest.copy())
        weights.append(weight)
    return np.array(choices), np.array(weights) / sum(weights)


def greatest(values: NDArray[np.float64], level: Level) -> NDArray[np.int64]:
    """Return, for each information set of ``level``, the index of the action with the greatest value.

    ``values`` contains a value for each action of these sets. Among equal values, the first action is chosen.
    """
    most = np.repeat(np.maximum.reduceat(values, level.offset), level.width)
    place = np.where(values == most, np.arange(len(values)), len(values))
    return np.asarray(np.minimum.reduceat(place, level.offset) - level.offset)
