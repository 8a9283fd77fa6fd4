r"""Expected payoffs, best responses and NashConv: exact when the strategies are exact, float otherwise.

Fix the opponent. Every pair of sequences weighs chance times payoff times the opponent's reach; a best response adds
these up by own sequence and is one loop over the information sets, from the last to the first:

.. math::  V(k) = \max_a \Bigl( w_{(k,a)} + \sum_{k' : parent(k') = (k,a)} V(k') \Bigr) .

``NashConv`` is the sum of what both players could gain by deviating; ``exploitability`` is half of it. Where a player
forgets there is no sequence form, and leaves are weighed one by one.
The checker in :mod:`tremble.verifier` does the same with code of its own.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact_integers import exact_product
from tremble.exact_numbers import over_one_denominator
from tremble.model.recall import last_sequence, parent_sequence, required_parent_sequence
from tremble.model.sequence_form import SequenceForm, best_values, chance_reach
from tremble.model.strategy import BehaviorStrategy, GivenProfile, Number, RealizationPlan, profile_of
from tremble.model.tree import GameTree, as_floats, integer_array, require_player

__all__ = ["best_response", "expected_values", "exploitability", "nash_conv", "values_against"]


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
        share = np.array([p for row in strategy for p in row], dtype=object)
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
    numerator, denominator = over_one_denominator(at_leaf.tolist())
    return integer_array(numerator), denominator


def _leaf_payoff(tree: GameTree, player: int, exact: bool) -> tuple[NDArray[Any], int | None]:
    """Chance times a player's payoff at each leaf: integers over one denominator, or floats and None.

    Floats are rounded once, after the exact product: a payoff beyond their range may meet a chance below it.
    """
    reach = chance_reach(tree)
    weight = exact_product(reach.numerator, tree.payoff[:, player])
    denominator = reach.denominator * tree.payoff_denominator
    return (weight, denominator) if exact else (as_floats(weight, denominator), None)


def _weigh(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    return a * b if a.dtype == np.float64 else exact_product(a, b)


def _scale(value: Any, *denominators: int | None) -> Number:
    """An integer over the product of the denominators; a float where some are None."""
    known = [d for d in denominators if d is not None]
    return Fraction(int(value), prod(known)) if len(known) == len(denominators) else float(value)


def _remembered(tree: GameTree) -> bool:
    return all(parent_sequence(tree, player) is not None for player in (0, 1))


def _plans(tree: GameTree, strategies: GivenProfile) -> list[RealizationPlan]:
    """The plans of a profile: floats if either strategy is a float one."""
    profile = profile_of(tree, strategies)
    exact = all(s.exact for s in profile)
    return [(s if exact else s.as_float()).to_realization_plan(tree) for s in profile]


def _earned(own: RealizationPlan, gain: list[Any]) -> Any:
    """What a plan earns, given what each of its sequences gains."""
    return sum(x * w for x, w in zip(own.weight.tolist(), gain, strict=True) if x)


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
    if _remembered(tree):
        form, (x, y) = SequenceForm.of(tree), _plans(tree, profile)
        one, two = (
            _earned(own, form.side(own.player).gains(opponent.weight).tolist()) for own, opponent in ((x, y), (y, x))
        )
        denominators = x.denominator, y.denominator, form.denominator
        return _scale(one, *denominators), _scale(two, *denominators)
    exact = all(s.exact for s in profile)
    reaches, bottoms = zip(*(_leaf_reach(tree, s if exact else s.as_float()) for s in profile), strict=True)
    both = _weigh(*reaches)
    payoffs = (_leaf_payoff(tree, player, exact) for player in (0, 1))
    one, two = (_scale(sum(_weigh(both, payoff).tolist()), *bottoms, bottom) for payoff, bottom in payoffs)
    return one, two


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
    value, unit = values_against(tree, profile[1 - player])
    options = [value[a:b] for a, b in pairwise((tree.slot_start[player] + 1).tolist())]
    response = BehaviorStrategy.pure(tree, player, [worth.index(max(worth)) for worth in options])
    return value[0] * unit, response


def values_against(tree: GameTree, opponent: BehaviorStrategy) -> tuple[list[Any], Number]:
    """What each sequence of the other player earns from there on, if a best response follows: numbers, and their unit.

    Each is weighed with the probability that chance and the opponent let the sequence happen. ``ImperfectRecallError``
    if the other player forgets.
    """
    player = 1 - opponent.player
    parent, start = required_parent_sequence(tree, player), tree.slot_start[player] + 1
    if _remembered(tree):
        plan, side = opponent.to_realization_plan(tree), SequenceForm.of(tree).side(player)
        gain = side.gains(plan.weight).tolist()
        denominators: tuple[int | None, int | None] = plan.denominator, side.denominator
    else:
        reach, denominator = _leaf_reach(tree, opponent)
        payoff, payoff_denominator = _leaf_payoff(tree, player, opponent.exact)
        denominators = denominator, payoff_denominator
        gain = [0] * (tree.num_slots[player] + 1)
        at_leaf = last_sequence(tree, player)[tree.leaves].tolist()
        for sequence, w in zip(at_leaf, _weigh(reach, payoff).tolist(), strict=True):
            gain[sequence] += w
    return best_values(parent, start, gain), _scale(1, *denominators)


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
    x, y = _plans(tree, strategies)
    form = SequenceForm.of(tree)
    total = 0
    for own, opponent in ((x, y), (y, x)):
        side = form.side(own.player)
        gain = side.gains(opponent.weight).tolist()
        total += side.best_values(gain)[0] * (own.denominator or 1) - _earned(own, gain)
    return _scale(total, x.denominator, y.denominator, form.denominator)


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
