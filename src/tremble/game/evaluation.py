r"""Compute expected payoffs, best responses and NashConv, exactly for exact strategies, else as floats.

Suppose that the strategy of the opponent is given. The weight of a leaf is the probability of chance, times the
player's payoff, times the probability that the opponent plays its moves on the path to the leaf. Let :math:`w_s` be the
sum of the weights of all leaves at which the player's sequence is s. The values V of the information sets determine a
best response. One loop from the last set to the first computes these values:

.. math::  V(k) = \max_a \Bigl( w_{(k,a)} + \sum_{k' : parent(k') = (k,a)} V(k') \Bigr) .

NashConv is the sum of what both players can gain by deviating. For a player without perfect recall, the functions
use refined sets (:mod:`tremble.game.sequence_form`). The functions of this module take strategies of a tree, and
:mod:`tremble.judge.evaluation` also takes other descriptions of a profile. The checker has its own implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.protocol import CHANCE
from tremble.game.requirements import parent_sequence, require_perfect_recall
from tremble.game.sequence_form import SequenceForm, Sequences
from tremble.game.strategy import BehaviorStrategy, Number, Profile, RealizationPlan
from tremble.game.tree import GameTree, require_player
from tremble.game.tree_arrays import integer_array
from tremble.numbers import over_one_denominator

__all__ = [
    "best_response",
    "expected_values",
    "move_probabilities",
    "nash_conv",
    "node_values",
    "refined_plan",
    "summed_below",
    "values_against",
]


def _scale(value: Any, *denominators: int | None) -> Number:
    """Divide ``value`` by all ``denominators``. If they contain None (a float strategy), return ``float(value)``."""
    known = [d for d in denominators if d is not None]
    return Fraction(int(value), prod(known)) if len(known) == len(denominators) else float(value)


def _form_and_plans(tree: GameTree, *strategies: BehaviorStrategy) -> tuple[SequenceForm, list[RealizationPlan]]:
    """Return the tree's sequence form and each strategy's plan. Without perfect recall, split sets by earlier moves."""
    if all(parent_sequence(tree, player) is not None for player in (0, 1)):
        return SequenceForm.of(tree), [strategy.to_realization_plan(tree) for strategy in strategies]
    form = SequenceForm.refined(tree)
    return form, [refined_plan(form.sequences[strategy.player], strategy) for strategy in strategies]


def refined_plan(own: Sequences, strategy: BehaviorStrategy) -> RealizationPlan:
    """Return a strategy's realization plan over ``own``. These sequences may split a set by the player's past moves."""
    if not strategy.exact:
        return RealizationPlan(own.player, own.plan(strategy.to_floats()), None)
    behavior = np.array([p for row in strategy for p in row], dtype=object)
    numerator, denominator = over_one_denominator(own.plan(behavior).tolist())
    return RealizationPlan(own.player, integer_array(numerator), denominator)


def _of_one_kind(profile: Profile) -> Sequence[BehaviorStrategy]:
    """Return the strategies of a profile; if one of them has floats, convert both to floats."""
    return profile if all(s.exact for s in profile) else [s.as_float() for s in profile]


def _earned(own: RealizationPlan, gain: list[Any]) -> Any:
    """Return the expected payoff of a plan. ``gain`` is the payoff of each sequence (see :meth:`Side.gains`)."""
    return sum(x * w for x, w in zip(own.weight.tolist(), gain, strict=True) if x)


def expected_values(tree: GameTree, profile: Profile) -> tuple[Number, Number]:
    """Return the expected payoffs of both players: see :func:`tremble.expected_values`."""
    form, (x, y) = _form_and_plans(tree, *_of_one_kind(profile))
    value1, value2 = (
        _earned(own, form.side(own.player).gains(opponent.weight).tolist()) for own, opponent in ((x, y), (y, x))
    )
    denominators = x.denominator, y.denominator, form.denominator
    return _scale(value1, *denominators), _scale(value2, *denominators)


def move_probabilities(tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy]) -> list[Fraction]:
    """Return the probability of the move that leads to each node (1 for the root); floats become exact fractions."""
    rows = tuple([[Fraction(p) for p in row] for row in strategy] for strategy in profile)
    share = [Fraction(1)] * tree.num_nodes
    above = tree.parent[1:]
    movers, sets, actions = tree.player[above].tolist(), tree.infoset[above].tolist(), tree.action[1:].tolist()
    for node, (mover, k, a) in enumerate(zip(movers, sets, actions, strict=True), start=1):
        share[node] = tree.chance_tables[k].probabilities[a] if mover == CHANCE else rows[mover][k][a]
    return share


def node_values(
    tree: GameTree, player: int, share: Sequence[Any], check: Callable[[], None] = lambda: None
) -> list[Any]:
    """Return, for each node, the expected payoff of a player if play starts at this node.

    ``share`` contains the probability of the move that leads to each node. The function calls ``check`` every 1,000
    nodes, and ``check`` may raise an exception.
    """
    value: list[Any] = [Fraction(0)] * tree.num_nodes
    for row, leaf in enumerate(tree.leaves.tolist()):
        value[leaf] = tree.payoff_at(row)[player]
    parent = tree.parent.tolist()
    for node in range(tree.num_nodes - 1, 0, -1):
        if not node % 1000:
            check()
        if share[node]:
            value[parent[node]] += share[node] * value[node]
    return value


def summed_below(tree: GameTree, value: NDArray[Any], share: NDArray[np.float64] | None = None) -> NDArray[Any]:
    """Update ``value`` from the leaves up: add the row of each node, times its ``share``, to the row of the parent."""
    for first, end in zip(tree.level[-2:0:-1].tolist(), tree.level[:1:-1].tolist(), strict=True):
        below = value[first:end] if share is None else share[first:end, None] * value[first:end]
        begin = np.flatnonzero(tree.action[first:end] == 0)  # first child of each parent
        value[tree.parent[first:end][begin]] += np.add.reduceat(below, begin)
    return value


def best_response(tree: GameTree, profile: Profile, player: int) -> tuple[Number, BehaviorStrategy]:
    """Return the best-response value of a player and a pure best response: see :func:`tremble.best_response`."""
    require_player(player)
    value, unit = values_against(tree, profile[1 - player])
    options = [value[a:b] for a, b in pairwise((tree.slot_start[player] + 1).tolist())]
    response = BehaviorStrategy.pure(tree, player, [values.index(max(values)) for values in options])
    return value[0] * unit, response


def values_against(tree: GameTree, opponent: BehaviorStrategy) -> tuple[list[Any], Number]:
    """Return (values, unit): each sequence's best-response value against ``opponent``, as a multiple of the unit.

    Each value is multiplied by the probability that chance and the opponent play towards the sequence. The function
    raises ``ImperfectRecallError`` if the responding player lacks perfect recall.
    """
    player = 1 - opponent.player
    require_perfect_recall(tree, [player])
    form, (plan,) = _form_and_plans(tree, opponent)
    side = form.side(player)
    value = side.best_values(side.gains(plan.weight).tolist())
    in_order = [value[sequence] for sequence in np.argsort(side.slot).tolist()]
    return in_order, _scale(1, plan.denominator, side.denominator)


def nash_conv(tree: GameTree, profile: Profile) -> Number:
    """Return the sum of what both players can gain by deviating: see :func:`tremble.nash_conv`."""
    require_perfect_recall(tree)
    form, (x, y) = _form_and_plans(tree, *_of_one_kind(profile))
    total = 0
    for own, opponent in ((x, y), (y, x)):
        side = form.side(own.player)
        gain = side.gains(opponent.weight).tolist()
        total += side.best_values(gain)[0] * (own.denominator or 1) - _earned(own, gain)
    return _scale(total, x.denominator, y.denominator, form.denominator)
