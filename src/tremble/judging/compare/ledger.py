"""A game by pairs of own sequences, ready to weigh one strategy against many; and strategies that err."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.model.recall import last_sequence, parent_sequence
from tremble.model.sequence_form import chance_reach, exact_product
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree, IntArray, as_floats, integer_array

__all__ = ["Ledger", "trembling"]


def trembling(strategy: BehaviorStrategy, d: Fraction | float) -> BehaviorStrategy:
    """The strategy that errs with probability ``d`` at every information set, and then plays uniformly there.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> pure = tremble.BehaviorStrategy.from_rows(kuhn, 0, [[1, 0]] * 6)
    >>> trembling(pure, Fraction(1, 10)).row(0)
    [Fraction(19, 20), Fraction(1, 20)]
    """
    width = np.diff(strategy.start)
    if strategy.denominator is None:
        mixed = (1 - float(d)) * strategy.numerator + np.repeat(float(d) / width, width)
        return replace(strategy, numerator=mixed)
    u, v = Fraction(d).as_integer_ratio()
    numerator: list[int] = []
    denominator: list[int] = []
    share, start = strategy.numerator.tolist(), strategy.start.tolist()
    for k, (n, whole) in enumerate(zip(width.tolist(), strategy.denominator.tolist(), strict=True)):
        row = [(v - u) * n * p + u * whole for p in share[start[k] : start[k + 1]]]
        common = gcd(v * n * whole, *row)
        numerator += [p // common for p in row]
        denominator.append(v * n * whole // common)
    return replace(strategy, numerator=integer_array(numerator), denominator=integer_array(denominator))


@dataclass(frozen=True, eq=False)
class Ledger:
    """The leaves of a game of perfect recall, by the own sequences that lead there.

    Attributes
    ----------
    parent, start : pair of int64[J_i], pair of int64[J_i + 1]
        As in :class:`tremble.SequenceForm`.
    sequence : pair of int64[L]
    weight : pair of integers [L]
        Chance times the player's payoff, over ``denominator``.
    order : pair of int64[L]
        The leaves by sequence.
    """

    parent: tuple[NDArray[np.int64], NDArray[np.int64]]
    start: tuple[NDArray[np.int64], NDArray[np.int64]]
    sequence: tuple[NDArray[np.int64], NDArray[np.int64]]
    weight: tuple[IntArray, IntArray]
    denominator: int
    order: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, tree: GameTree) -> Ledger | None:
        """None if a player forgets."""
        last = last_sequence(tree, 0), last_sequence(tree, 1)
        one, two = parent_sequence(tree, 0, last[0]), parent_sequence(tree, 1, last[1])
        if one is None or two is None:
            return None
        reach = chance_reach(tree)
        at_leaf = last[0][tree.leaves], last[1][tree.leaves]
        return cls(
            parent=(one, two),
            start=(tree.slot_start[0] + 1, tree.slot_start[1] + 1),
            sequence=at_leaf,
            weight=(
                exact_product(reach.numerator, tree.payoff[:, 0]),
                exact_product(reach.numerator, tree.payoff[:, 1]),
            ),
            denominator=reach.denominator * tree.payoff_denominator,
            order=(np.argsort(at_leaf[0], kind="stable"), np.argsort(at_leaf[1], kind="stable")),
        )

    def weights(self, player: int, exact: bool) -> NDArray[Any]:
        """A player's leaf weights [L, 1]: Python integers over ``denominator``, or floats."""
        weight = self.weight[player]
        return (weight.astype(object) if exact else as_floats(weight, self.denominator))[:, None]

    def plans(self, strategy: BehaviorStrategy, trembles: Sequence[Any]) -> tuple[NDArray[Any], list[int]]:
        """Realization plans [S, n] of a strategy as it errs more and more: integers over n numbers, or floats."""
        strategy = replace(strategy, parent=self.parent[strategy.player])
        if strategy.denominator is not None:
            made = [(trembling(strategy, d) if d else strategy).to_realization_plan() for d in trembles]
            return np.stack([plan.weight.astype(object) for plan in made], axis=1), [p.denominator or 1 for p in made]
        share = np.stack([trembling(strategy, d).numerator for d in trembles], axis=1)
        flow = np.ones((len(share) + 1, len(trembles)))
        start = self.start[strategy.player].tolist()
        for k, before in enumerate(self.parent[strategy.player].tolist()):
            flow[start[k] : start[k + 1]] = flow[before] * share[start[k] - 1 : start[k + 1] - 1]
        return flow, [1] * len(trembles)

    def gathered(self, player: int, values: NDArray[Any]) -> NDArray[Any]:
        """Sums [S, n] of what the leaves hold [L, n] over the sequences of a player."""
        total = np.zeros((int(self.start[player][-1]), values.shape[1]), dtype=values.dtype)
        order = self.order[player]
        sequence = self.sequence[player][order]
        if len(order):
            begin = np.flatnonzero(np.concatenate(([True], sequence[1:] != sequence[:-1])))
            total[sequence[begin]] = np.add.reduceat(values[order], begin, axis=0)
        return total

    def best(self, player: int, gain: NDArray[Any]) -> NDArray[Any]:
        """What a best response earns [n], given what each sequence gains [S, n]; ``gain`` is used up."""
        start = self.start[player].tolist()
        parent = self.parent[player].tolist()
        for k in range(len(parent) - 1, -1, -1):
            gain[parent[k]] += gain[start[k] : start[k + 1]].max(axis=0)
        value: NDArray[Any] = gain[0]
        return value
