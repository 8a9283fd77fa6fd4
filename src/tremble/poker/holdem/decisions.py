r"""Exact payoffs of the actions of hands at the decisions of a river or a turn of Hold'em, against a strategy.

A *decision* is a node of the betting tree, together with the river card if it is dealt. The numbers come from the exact
pass of :mod:`tremble.poker.holdem.check`. For a player's hand i at a decision, let Q(i, a) be the sum of the payoffs
after the action a, over the opponent's hands and over the river cards that are still to be dealt, if the player
continues with a best response. Each payoff has as weight the weight of the opponent's hand times the opponent's plan.
Let R(i) be the sum of these weights. The expected payoff of the action, given that play reaches the decision with the
hand, is Q(i, a) / R(i).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.check.limits import Limits
from tremble.integers import FloatArray
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.check import Pass, Plan, exact, stakes_of
from tremble.poker.holdem.deal import RUN_OUTS
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.locked import locked_hands
from tremble.poker.holdem.tables import mixed_weights, probabilities_of
from tremble.poker.strategy import OrderedStrategy

__all__ = ["Against", "Decision", "Profile"]

Profile = tuple[OrderedStrategy, OrderedStrategy]
Whole = NDArray[Any]  # int64, or Python integers if they may not fit

_MOST_BITS = 62


class Decision(NamedTuple):
    """The numbers R and Q (see the module) of a player's hands at a decision, as whole numbers."""

    node: int
    river: int  # the number of the river card; 0 if it is not dealt, or if the board is complete
    reach: Whole  # R: [hands]
    best: Whole  # Q times ``Against.unit``: [hands, actions]
    plan: Whole  # the weight of the player's own moves before the decision: [hands]


class Against:
    """The exact payoffs of one player's hands against the opponent's strategy in a profile.

    Parameters
    ----------
    hands : list of int, optional
        The numbers of the player's hands. The default is all hands.
    """

    def __init__(self, rules: HoldemGame, profile: Profile, player: int, hands: list[int] | None = None) -> None:
        self.rules, self.player = rules, player
        some = slice(None) if hands is None else hands
        self.own = Plan(rules, player, profile[player], some)
        self.other = Plan(rules, 1 - player, profile[1 - player])
        stakes = stakes_of(rules)
        self.unit = stakes.unit
        most = int(stakes.lost.max()) * self.run_outs * int(self.other.weights.sum(dtype=object))
        if (most * self.other.strategy.denominator).bit_length() > _MOST_BITS:
            self.other.weights = self.other.weights.astype(object)
        self.sums = Pass(rules, self.own, self.other, stakes, Limits(inf, inf))

    @property
    def run_outs(self) -> int:
        """The number of river cards that each pair of hands leaves; 1 if the board is complete."""
        return RUN_OUTS if self.rules.streets > 1 else 1

    def reaches(self, some: Sequence[int], river: int) -> Whole:
        """Return R at nodes of one street: [nodes, hands]."""
        dealt = self._dealt(some[0], river)
        return self.spread(self.sums.weights(list(some), dealt), some[0], river)

    def spread(self, y: Whole, node: int, river: int) -> Whole:
        """Sum weights of the opponent's hands at a node, [n, hands], over the hands that each own hand can meet."""
        early = self.rules.streets > 1 and not self.rules.tree.nodes[node].street
        found: Whole = self.sums.apart(y) * (RUN_OUTS if early else self.free(node, river))
        return found

    def free(self, node: int, river: int) -> NDArray[np.bool_]:
        """Return True for the own hands that can be held at a node: those without the river card."""
        card = self.rules.deal.rivers[river] if self._dealt(node, river) >= 0 else -1
        found: NDArray[np.bool_] = (self.own.cards != card).all(axis=1)
        return found

    def locked(self, node: int, river: int) -> NDArray[np.bool_]:
        """Return True for the own hands that act with given frequencies at a decision."""
        found: NDArray[np.bool_] = locked_hands(self.rules, node, river)[self.own.hands]
        return found

    def _dealt(self, node: int, river: int) -> int:
        """Return the number of the river card, or -1 if it is not dealt before ``node``."""
        return river if self.rules.tree.nodes[node].street == self.rules.streets - 1 else -1

    @cached_property
    def whole(self) -> int:
        """The denominator of probabilities: the weight of all pairs of hands, times the river cards that are left."""
        return self.rules.deal.mass * self.run_outs

    def decisions(self, top: int = 0, river: int = 0) -> Iterator[Decision]:
        """Yield the player's decisions from a node on, and after the river card ``river`` if the node follows it."""
        nodes = self.rules.tree.nodes
        for some, card, _, best in self._passes(top, river):
            own = [n for n in some if nodes[n].kind == self.player]
            if own:
                found, plans = self.reaches(own, card), self.own.plan(own, card)
                for n, reach, plan in zip(own, found, plans, strict=True):
                    yield Decision(n, card, reach, np.stack([best[child] for child in nodes[n].child], axis=1), plan)

    def _passes(
        self, top: int, river: int, above: Callable[[list[int], dict[int, Any], int], dict[int, Any]] | None = None
    ) -> Iterator[tuple[list[int], int, dict[int, Any], dict[int, Any]]]:
        """Yield nodes of one street, the number of the river card, and the values of leaves and of all these nodes.

        ``above`` computes the values of the nodes from those of the leaves. By default, the player plays best.
        """
        best_of = self.sums.best
        above = above or (lambda some, found, card: best_of(some, found, self._dealt(some[0], card)) if some else found)
        nodes, last = self.rules.tree.nodes, self.rules.streets - 1
        below = {top}
        for n in range(top + 1, len(nodes)):
            if nodes[n].parent in below:
                below.add(n)
        late = sorted(n for n in below if nodes[n].street == last)
        early = sorted(n for n in below if nodes[n].street < last)
        runs = [n for n in early if nodes[n].kind == End.RUN_OUT]
        later: dict[int, Any] = {n: 0 for n in early if nodes[n].kind in (End.DEAL, End.RUN_OUT)}
        for card in range(len(self.rules.deal.rivers)) if early else [river]:
            found = self.sums.leaves([*runs, *late], card)
            best = above(late, found, card)
            yield late, card, found, best
            for n in later:
                later[n] = later[n] + best[n if nodes[n].kind == End.RUN_OUT else nodes[n].child[0]]
        if early:
            found = self.sums.leaves(early, -1)
            yield early, 0, found, above(early, found | later, 0)

    def continued(self, own: OrderedStrategy) -> Iterator[tuple[int, int, FloatArray]]:
        """Yield a node, the number of the river card, and the payoffs of actions [hands, actions] as floats.

        The player continues with the strategy ``own``. A payoff is NaN if the opponent never leads to the node.
        """
        nodes = self.rules.tree.nodes

        def above(some: list[int], found: dict[int, Any], card: int) -> dict[int, Any]:
            worth = {n: np.asarray(value, dtype=np.float64) for n, value in found.items()}
            for n in reversed(some):
                if nodes[n].kind < End.FOLD:
                    after = np.stack([worth[child] for child in nodes[n].child], axis=1)
                    if nodes[n].kind == self.player:
                        after = after * probabilities_of(mixed_weights(self.rules, own, n, card))
                    worth[n] = after.sum(axis=1)
            return worth

        for some, card, _, worth in self._passes(0, 0, above):
            mine = [n for n in some if nodes[n].kind == self.player]
            for n, reach in zip(mine, self.reaches(mine, card) if mine else (), strict=True):
                after = np.stack([worth[child] for child in nodes[n].child], axis=1)
                with np.errstate(divide="ignore", invalid="ignore"):
                    yield n, card, np.where(reach > 0, 1, np.nan)[:, None] * after / (self.unit * reach[:, None])

    def equities(self) -> Iterator[tuple[int, int, FloatArray]]:
        """Yield a node, the number of the river card, and the equity of each hand.

        The equity is the chance to win a showdown against the hands with which the opponent gets there. It is NaN if
        the opponent never gets there.
        """
        deal, streets = self.rules.deal, self.rules.streets
        me, sign = self.player, 1 if self.player == 0 else -1
        for street in range(streets):
            mine = [n for n, node in enumerate(self.rules.tree.nodes) if node.kind == me and node.street == street]
            for card in range(len(deal.rivers)) if mine and street == streets - 1 else [0] * bool(mine):
                if street == streets - 1:
                    strengths = deal.strengths[0][card][:, None], deal.strengths[1][card]
                    won = np.sign(strengths[0] - strengths[1]) * deal.apart
                else:
                    won = deal.won
                y = self.sums.weights(mine, self._dealt(mine[0], card)).astype(np.float64)
                gap = y @ (sign * (won.T if me == 0 else won)).astype(np.float64)
                met = self.reaches(mine, card).astype(np.float64)
                with np.errstate(divide="ignore", invalid="ignore"):
                    yield from zip(
                        mine, [card] * len(mine), np.where(met > 0, (1 + gap / met) / 2, np.nan), strict=True
                    )

    def earned(self, own: Sequence[OrderedStrategy]) -> list[float]:
        """Return the payoffs of some of the player's strategies, and of a best response, as floats."""
        total = [0.0] * (len(own) + 1)
        plans = [Plan(self.rules, self.player, strategy) for strategy in own]
        weights, scale = self.own.weights, float(self.whole * self.unit) * self.other.strategy.denominator
        for some, card, found, best in self._passes(0, 0):
            worth = np.array(list(found.values()), dtype=np.float64).reshape(len(found), len(weights)) * weights
            for k, plan in enumerate(plans):
                total[k] += float((plan.plan(list(found), card) * worth).sum()) / plan.strategy.denominator
            if 0 in some:
                total[-1] = float((best[0] * weights.astype(object)).sum())
        return [each / scale for each in total]

    def at(self, node: int, river: int) -> Decision:
        """Return the numbers at one decision."""
        return next(each for each in self.decisions(node, river) if each.node == node)

    def payoffs(self, decision: Decision, hand: int = 0) -> tuple[Fraction, ...] | None:
        """Return the payoffs of the actions of a hand, which is a position among the own hands.

        Return None if the opponent's strategy never leads to the decision.
        """
        reach = int(decision.reach[hand])
        if not reach:
            return None
        return tuple(exact(value) / Fraction(reach * self.unit) for value in decision.best[hand])
