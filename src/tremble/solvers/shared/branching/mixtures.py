"""Plans of a player that remembers, as mixtures of pure strategies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tremble.model.own_sequences import OwnSequences

__all__ = ["REACHED", "blocks", "greatest", "pure_parts"]

REACHED = 1e-8
"""A sequence with less weight in a float plan counts as not played."""


def pure_parts(own: OwnSequences, plan: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
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
        for sets in blocks(own):
            heaviest[sets] = greatest(left[own.start[sets.start] : own.start[sets.stop]], own, sets)
            played[own.start[sets] + heaviest[sets]] = played[own.parent[sets]]
        weight = float(left[played].min())
        if weight <= 0.0:  # rounding: what is left is no plan
            break
        left[played] -= weight
        choices.append(heaviest.copy())
        weights.append(weight)
    return np.array(choices), np.array(weights) / sum(weights)


def greatest(values: NDArray[np.float64], own: OwnSequences, sets: slice) -> NDArray[np.int64]:
    """By refined set of a block: the first of its actions whose value is the greatest."""
    first, width = own.start[sets] - own.start[sets.start], np.diff(own.start[sets.start : sets.stop + 1])
    most = np.repeat(np.maximum.reduceat(values, first), width)
    place = np.where(values == most, np.arange(len(values)), len(values))
    return np.asarray(np.minimum.reduceat(place, first) - first)


def blocks(own: OwnSequences) -> Iterator[slice]:
    """The refined sets behind equally many own moves, from the root on."""
    moves = own.length[own.parent]
    ends = np.flatnonzero(np.diff(moves)) + 1
    edges = [0, *ends.tolist(), len(moves)] if len(moves) else []
    return (slice(first, end) for first, end in pairwise(edges))
