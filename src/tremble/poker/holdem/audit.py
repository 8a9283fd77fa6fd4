"""Audit a profile of Texas Hold'em: the actions of hands that lose against the other player's strategy.

A strategy that was computed up to a gap makes small mistakes with most hands, so there may be millions of blunders. The
audit counts all of them, and lists those with the largest amounts. It does not search for actions that lose against
every strategy of the opponent.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.game.adapter import Listener, Responses
from tremble.game.rules import UnbuiltGame
from tremble.poker.holdem.check import exact
from tremble.poker.holdem.decisions import Against, Decision, Profile
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.lines import At, label_of
from tremble.poker.holdem.tables import probabilities_of, shares_of, weights_of
from tremble.solution.audit import Audit, Blunder

__all__ = ["audit"]

_MOST_LISTED = 10_000


class _Losing(NamedTuple):
    """A played action of a hand that loses. Entries sort by minus the amount, a float."""

    amount: float
    player: int
    place: At
    action: int
    better: int
    loss: Fraction
    own_reach: Fraction
    other_reach: Fraction


def audit(
    game: UnbuiltGame, profile: Profile, responses: Responses, num_infosets: int, progress: Listener | None = None
) -> Audit:
    """Return the blunders of a profile. ``responses`` are the best responses to it."""
    rules = game.rules
    assert isinstance(rules, HoldemGame)
    found: list[_Losing] = []
    off_path, count, least = [Fraction(0), Fraction(0)], 0, 0.0
    for player in (0, 1):
        against = Against(rules, profile, player)
        scale = Fraction(1, against.whole * against.other.strategy.denominator)
        for each in against.decisions():
            if progress is not None:
                progress("losses of all hands")
            weights = weights_of(rules, profile[player], each.node, each.state)
            loss = each.best.max(axis=1, keepdims=True) - each.best
            free = against.free(each.state) & ~against.locked(each.node, each.state)
            unplayed = weights.sum(axis=1) == 0
            losing = ((weights > 0) | unplayed[:, None]) & (loss > 0) & free[:, None]
            count += int(losing.sum())
            off = unplayed & free
            lost = Fraction((loss[off].astype(object).sum(axis=1) * against.own.weights[off].astype(object)).sum())
            off_path[player] += scale * lost / (weights.shape[1] * against.unit)
            found += _worst(against, each, weights, loss, losing, scale, least)
            if len(found) > 2 * _MOST_LISTED:
                found = sorted(found)[:_MOST_LISTED]
                least = -found[-1].amount
    blunders = tuple(_blunder(rules, profile, each) for each in sorted(found)[:_MOST_LISTED])
    (gain1, gain2), (value1, value2) = responses.gains, responses.values
    return Audit(
        blunders=blunders, wrong_beliefs=(), values=(Fraction(value1), Fraction(value2)),
        gains=(Fraction(gain1 or 0), Fraction(gain2 or 0)), off_path=(off_path[0], off_path[1]),
        num_infosets=num_infosets, never_dealt=0, unexamined=num_infosets, undecided=0, stopped=None,
        strategies=profile, beliefs=None, unlisted=count - len(blunders), played=game,
    )  # fmt: skip


def _worst(
    against: Against, decision: Decision, weights: NDArray[np.int64], loss: NDArray[np.int64],
    losing: NDArray[np.bool_], scale: Fraction, least: float,
) -> Iterator[_Losing]:  # fmt: skip
    """Yield the losing actions at a decision that have the largest amounts, at least ``least``."""
    p = probabilities_of(weights)
    reach = np.maximum(decision.reach.astype(np.float64), 1)[:, None]
    amount = np.where(losing, p * loss.astype(np.float64) / reach / against.unit, -1)
    order = np.argsort(-amount, axis=None, kind="stable")[: min(_MOST_LISTED, int((amount >= least).sum()))]
    for hand, action in zip(*np.unravel_index(order, amount.shape), strict=True):
        arrived = int(decision.reach[hand])
        yield _Losing(
            -float(amount[hand, action]), against.player,
            At(decision.node, decision.state, int(hand)), int(action), int(decision.best[hand].argmax()),
            exact(loss[hand, action]) / Fraction(arrived * against.unit),
            Fraction(int(decision.plan[hand]), against.own.strategy.denominator),
            scale * int(against.own.weights[hand]) * arrived,
        )  # fmt: skip


def _blunder(rules: HoldemGame, profile: Profile, each: _Losing) -> Blunder:
    node, state, hand = each.place
    shares = shares_of(weights_of(rules, profile[each.player], node, state)[hand].tolist())
    actions = rules.tree.nodes[node].actions
    return Blunder(
        player=each.player, infoset=None, label=label_of(rules, each.player, each.place), kind="regret",
        action=actions[each.action], probability=shares[each.action], better=actions[each.better], loss=each.loss,
        own_reach=each.own_reach, other_reach=each.other_reach,
    )  # fmt: skip
