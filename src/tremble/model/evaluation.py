r"""Expected payoffs, best responses and NashConv: exact when the strategies are exact, float otherwise.

Fix the opponent. Every leaf weighs chance times opponent's reach times payoff; with perfect recall the
weights of all leaves that share an own sequence can be added up, and a best response is one loop over the
information sets, from the last to the first:

.. math::  V(k) = \max_a \Bigl( w_{(k,a)} + \sum_{k' : parent(k') = (k,a)} V(k') \Bigr) .

``NashConv`` is the sum of what both players could gain by deviating; ``exploitability`` is half of it.
The checker in :mod:`tremble.verifier` does the same with code of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.model.recall import last_sequence, parent_sequence, require_perfect_recall
from tremble.model.sequence_form import chance_reach, exact_product
from tremble.model.strategy import BehaviorStrategy, GivenProfile, profile_of
from tremble.model.tree import GameTree, IntArray, as_floats, integer_array, require_player

__all__ = ["best_response", "expected_values", "exploitability", "nash_conv"]

Number = Fraction | float


def _leaf_reach(tree: GameTree, strategy: BehaviorStrategy) -> tuple[NDArray[Any], int | None]:
    """Probability that one player plays towards each leaf: integers over one denominator, or floats and None."""
    player = strategy.player
    if parent_sequence(tree, player) is not None:
        plan = strategy.to_realization_plan(tree)
        return plan.weight[last_sequence(tree, player)[tree.leaves]], plan.denominator
    # A forgetful player has no plan: multiply along the paths instead.
    own = tree.player == player
    start = tree.slot_start[player]
    if strategy.denominator is None:
        share: NDArray[Any] = strategy.to_floats()
        reach: NDArray[Any] = np.ones(tree.num_nodes)
    else:
        share = np.empty(tree.num_slots[player], dtype=object)
        share[:] = [p for row in strategy for p in row]
        reach = np.full(tree.num_nodes, Fraction(1), dtype=object)
    for first, end in zip(tree.level[1:-1].tolist(), tree.level[2:].tolist(), strict=True):
        above = tree.parent[first:end]
        flow = reach[above]
        moved = np.flatnonzero(own[above])
        flow[moved] = flow[moved] * share[start[tree.infoset[above[moved]]] + tree.action[first + moved]]
        reach[first:end] = flow
    at_leaf = reach[tree.leaves]
    if strategy.denominator is None:
        return at_leaf, None
    denominator = lcm(*{p.denominator for p in at_leaf.tolist()})
    return integer_array([p.numerator * (denominator // p.denominator) for p in at_leaf.tolist()]), denominator


def _weigh(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    return a * b if a.dtype == np.float64 else exact_product(a, b)


def _total(values: NDArray[Any]) -> Any:
    return values.sum() if values.dtype == np.float64 else sum(values.tolist())


def _scale(value: Any, *denominators: int | None) -> Number:
    if any(d is None for d in denominators):
        return float(value)
    product = 1
    for d in denominators:
        assert d is not None
        product *= d
    return Fraction(int(value), product)


def _weights(tree: GameTree, player: int, exact: bool) -> tuple[NDArray[Any], int | None]:
    """Chance times a player's payoff at each leaf: integers over one denominator, or floats and None.

    Floats are rounded once, after the exact product: a payoff beyond their range may meet a chance below it.
    """
    reach = chance_reach(tree)
    weight = exact_product(reach.numerator, tree.payoff[:, player])
    denominator = reach.denominator * tree.payoff_denominator
    return (weight, denominator) if exact else (as_floats(weight, denominator), None)


def expected_values(tree: GameTree, strategies: GivenProfile) -> tuple[Number, Number]:
    """Expected payoffs of both players under a profile.

    Parameters
    ----------
    tree : GameTree
    strategies : pair of BehaviorStrategy, or Solution

    Returns
    -------
    pair of Fraction
        Floats if either strategy is a float one.

    Raises
    ------
    GameError
        A strategy belongs to another game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.expected_values(kuhn, uniform)
    (Fraction(1, 8), Fraction(-1, 8))
    """
    profile = profile_of(tree, strategies)
    exact = all(s.exact for s in profile)
    (x, dx), (y, dy) = (_leaf_reach(tree, s if exact else s.as_float()) for s in profile)
    both = _weigh(x, y)
    values = []
    for player in (0, 1):
        weight, d = _weights(tree, player, exact)
        values.append(_scale(_total(_weigh(both, weight)), dx, dy, d))
    return values[0], values[1]


def best_response(tree: GameTree, strategies: GivenProfile, player: int) -> tuple[Number, BehaviorStrategy]:
    """What ``player`` can earn at most against the other's strategy, and a pure strategy that earns it.

    Parameters
    ----------
    tree : GameTree
    strategies : pair of BehaviorStrategy, or Solution
        The responder's own entry is not used.
    player : int
        Who responds: 0 or 1. It must have perfect recall; the other need not.

    Returns
    -------
    value : Fraction or float
        Expected payoff of the responder; exact when the opponent's strategy is.
    strategy : BehaviorStrategy
        The first best action at every information set.

    Raises
    ------
    ImperfectRecallError

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.best_response(kuhn, uniform, player=0)[0]
    Fraction(1, 2)
    """
    profile = profile_of(tree, strategies)
    require_player(player)
    require_perfect_recall(tree, [player])
    opponent = profile[1 - player]
    reach, denominator = _leaf_reach(tree, opponent)
    weight, payoff_denominator = _weights(tree, player, opponent.exact)
    value, choice = _backward(tree, player, _weigh(reach, weight))
    return _scale(value, denominator, payoff_denominator), _pure(tree, player, choice)


def _backward(tree: GameTree, player: int, leaf_weight: IntArray | NDArray[np.float64]) -> tuple[Any, list[int]]:
    """Value at the empty sequence and best action (position) at every set, given the weight of each leaf."""
    last = last_sequence(tree, player)
    parent = parent_sequence(tree, player, last)
    assert parent is not None
    gain: list[Any] = [0] * (tree.num_slots[player] + 1)
    for sequence, w in zip(last[tree.leaves].tolist(), leaf_weight.tolist(), strict=True):
        gain[sequence] += w
    start = (tree.slot_start[player] + 1).tolist()
    choice = [0] * len(parent)
    for k in range(len(parent) - 1, -1, -1):
        options = gain[start[k] : start[k + 1]]
        best = max(options)
        choice[k] = options.index(best)
        gain[int(parent[k])] += best
    return gain[0], choice


def _pure(tree: GameTree, player: int, choice: Sequence[int]) -> BehaviorStrategy:
    rows = [[int(j == c) for j in range(len(labels))] for labels, c in zip(tree.actions[player], choice, strict=True)]
    return BehaviorStrategy.from_rows(tree, player, rows)


def nash_conv(tree: GameTree, strategies: GivenProfile) -> Number:
    """What both players together could gain by deviating: 0 exactly at a Nash equilibrium.

    Raises
    ------
    ImperfectRecallError
        A player forgets, so that its best response is out of reach here.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.nash_conv(kuhn, uniform)
    Fraction(11, 12)
    """
    profile = profile_of(tree, strategies)
    values = expected_values(tree, profile)
    gains = [best_response(tree, profile, player)[0] - values[player] for player in (0, 1)]
    return gains[0] + gains[1]


def exploitability(tree: GameTree, strategies: GivenProfile) -> Number:
    """Half of NashConv: what an average player could gain by deviating.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.exploitability(kuhn, uniform)
    Fraction(11, 24)
    """
    return nash_conv(tree, strategies) / 2
