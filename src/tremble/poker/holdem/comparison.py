r"""Compare two profiles of a river or a turn of Hold'em, hand by hand, and against an opponent who makes mistakes.

The opponent makes a mistake with the probability d at every decision, as in :mod:`tremble.judge.compare`. The weights
of its plan are rounded to whole numbers with the denominator of :func:`tremble.poker.holdem.plans.safe_bits`, and the
payoffs are given as floats. Single mistakes of the opponent are not examined.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.game.rules import UnbuiltGame
from tremble.integers import FloatArray
from tremble.poker.holdem.decisions import Against, Profile
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.lines import At, label_of
from tremble.poker.holdem.plans import safe_bits, strategy_by_hand
from tremble.poker.holdem.tables import mixed_weights, probabilities_of, shares_of, weights_of
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.comparison import TREMBLES, Comparison, Curve, Difference, Earning, Whose

__all__ = ["compare"]

IntArray = NDArray[np.int64]

_MOST_LISTED = 10_000
_NEAR = 1e-9  # probabilities with a smaller distance are compared exactly


class _Unlike(NamedTuple):
    """A hand that is played differently at a decision. Entries sort by reach (yes or no), then by distance."""

    never: bool
    distance: float  # minus the distance
    player: int
    place: At
    own: tuple[bool, bool]
    others: tuple[bool, bool]
    reach: tuple[float, float]


def compare(game: UnbuiltGame, first: Profile, second: Profile, names: tuple[str, str]) -> Comparison:
    """Return the differences of two profiles, and what their strategies earn against an opponent who errs."""
    rules = game.rules
    assert isinstance(rules, HoldemGame)
    found: list[_Unlike] = []
    equal, unlike = [0, 0], [0, 0]
    for player in (0, 1):
        for differs, worst in _decisions(rules, (first, second), player):
            unlike[player] += int(differs.sum())
            equal[player] += int((~differs).sum())
            found += worst
            if len(found) > 4 * _MOST_LISTED:
                found = sorted(found)[:_MOST_LISTED]
    listed = sorted(found)[:_MOST_LISTED]
    shown = [sum(each.player == player for each in listed) for player in (0, 1)]
    earnings, curves = [], []
    for player in (0, 1):
        own = first[player], second[player]
        opponents: list[tuple[Whose, OrderedStrategy]] = [("first", first[1 - player]), ("second", second[1 - player])]
        if not unlike[1 - player]:
            opponents = [("both", first[1 - player])]
        for whose, opponent in opponents:
            made = _earned(rules, own, opponent)
            earnings += [_earning(player, whose, made, k) for k in range(len(TREMBLES))]
            curves.append(Curve(player, whose, np.array(TREMBLES, dtype=np.float64), *made.T))
    return Comparison(
        names=names, exact=False, equal=(equal[0], equal[1]),
        differences=tuple(_difference(rules, (first, second), each) for each in listed),
        earnings=tuple(earnings), mistakes=(), curves=tuple(curves),
        unlisted=(unlike[0] - shown[0], unlike[1] - shown[1]), played=game,
    )  # fmt: skip


def _decisions(
    rules: HoldemGame, profiles: tuple[Profile, Profile], player: int
) -> Iterator[tuple[NDArray[np.bool_], list[_Unlike]]]:
    """Yield, for each decision of a player: whether each hand is played differently, and the greatest differences."""
    sides = [Against(rules, profile, player) for profile in profiles]
    apart = rules.deal.apart if player == 0 else rules.deal.apart.T
    for street in range(rules.streets):
        nodes = [n for n, node in enumerate(rules.tree.nodes) if node.kind == player and node.street == street]
        for state in rules.deal.states(street) if nodes else ():
            dealt = apart[:, rules.deal.free(1 - player, state)].any(axis=1) & sides[0].free(state)
            reached = [_reached(side, nodes, state) for side in sides]
            for k, n in enumerate(nodes):
                here = [[each[k] for each in one] for one in reached]
                yield _at(rules, profiles, player, At(n, state, 0), dealt, here)


def _at(
    rules: HoldemGame, profiles: tuple[Profile, Profile], player: int, place: At, dealt: NDArray[np.bool_],
    reached: list[list[NDArray[Any]]],
) -> tuple[NDArray[np.bool_], list[_Unlike]]:  # fmt: skip
    """Return whether each hand that can be dealt is played differently at a decision, and the greatest differences."""
    weights = [mixed_weights(rules, profile[player], place.node, place.state) for profile in profiles]
    distance = np.abs(probabilities_of(weights[0]) - probabilities_of(weights[1])).sum(axis=1) / 2
    differs = dealt & (distance >= _NEAR)
    for hand in np.flatnonzero(dealt & (distance < _NEAR) & (weights[0] != weights[1]).any(axis=1)).tolist():
        differs[hand] = shares_of(weights[0][hand].tolist()) != shares_of(weights[1][hand].tolist())
    never = ~np.any([own & other for own, other, _ in reached], axis=0)
    order = np.lexsort((-distance, never, ~differs))[: min(_MOST_LISTED, int(differs.sum()))]
    return differs[dealt], [
        _Unlike(
            bool(never[k]), -float(distance[k]), player, place._replace(hand=k),
            *(_pair(each[i][k] for each in reached) for i in range(3)),
        )
        for k in order.tolist()
    ]  # fmt: skip


def _pair(values: Iterator[Any]) -> Any:
    one, two = (value.item() for value in values)
    return one, two


def _reached(side: Against, nodes: list[int], state: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], FloatArray]:
    """Return whether the player, and whether the opponent, plays to nodes with each hand; and the probability."""
    plan, others = side.own.plan(nodes, state), side.reaches(nodes, state)
    scale = float(side.whole) * side.own.strategy.denominator * side.other.strategy.denominator
    share = plan.astype(np.float64) * side.own.weights * others.astype(np.float64) / scale
    return plan != 0, others != 0, share


def _difference(rules: HoldemGame, profiles: tuple[Profile, Profile], each: _Unlike) -> Difference:
    node, state, hand = each.place
    first, second = (
        shares_of(mixed_weights(rules, profile[each.player], node, state)[hand].tolist()) for profile in profiles
    )
    return Difference(
        player=each.player, infoset=None, label=label_of(rules, each.player, each.place),
        actions=rules.tree.nodes[node].actions, first=tuple(first), second=tuple(second),
        distance=sum((abs(p - q) for p, q in zip(first, second, strict=True)), Fraction(0)) / 2,
        own=each.own, others=each.others, on_path=(each.own[0] and each.others[0], each.own[1] and each.others[1]),
        reach=each.reach,
    )  # fmt: skip


# -- payoffs against an opponent who errs --------------------------------------------------------------


def _trembling(rules: HoldemGame, strategy: OrderedStrategy, d: Fraction) -> OrderedStrategy:
    """Return a strategy with mistakes: at each decision, it plays uniformly with the probability ``d``."""

    def split(node: int, state: int, before: IntArray) -> IntArray:
        share = probabilities_of(weights_of(rules, strategy, node, state))
        running = np.cumsum((1 - float(d)) * share + float(d) / share.shape[1], axis=1)
        cuts = np.minimum(np.rint(running * before[:, None]).astype(np.int64), before[:, None])
        cuts[:, -1] = before
        return np.diff(cuts, axis=1, prepend=0)

    return strategy_by_hand(rules, strategy.player, 2 ** safe_bits(rules), split)


def _earned(rules: HoldemGame, own: tuple[OrderedStrategy, OrderedStrategy], opponent: OrderedStrategy) -> FloatArray:
    """Return the payoffs of two strategies and of a best response, for each probability of mistakes: [n, 3]."""
    rows = []
    for d in TREMBLES:
        other = _trembling(rules, opponent, d) if d else opponent
        profile = (own[0], other) if own[0].player == 0 else (other, own[0])
        rows.append(Against(rules, profile, own[0].player).earned(own))
    return np.array(rows)


def _earning(player: int, whose: Whose, made: FloatArray, k: int) -> Earning:
    first, second, best = made[k].tolist()
    gift = best - float(made[0, 2])
    shares: tuple[float | None, float | None] = (None, None)
    if gift > 0:
        shares = (first - float(made[0, 0])) / gift, (second - float(made[0, 1])) / gift
    return Earning(player, whose, TREMBLES[k], first, second, best, gift, shares)
