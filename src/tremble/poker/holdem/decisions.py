r"""Exact payoffs of the actions of hands at the decisions of Hold'em, against a strategy.

A *decision* is a node of the betting tree, together with the cards that are dealt. The numbers come from the exact
pass of :mod:`tremble.poker.holdem.check`. For a player's hand i at a decision, let Q(i, a) be the sum of the payoffs
after the action a, over the opponent's hands and over the deals of the missing cards, if the player
continues with a best response. Each payoff has as weight the weight of the opponent's hand times the opponent's plan.
Let R(i) be the sum of these weights. The expected payoff of the action, given that play reaches the decision with the
hand, is Q(i, a) / R(i).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.check.limits import Limits
from tremble.integers import FloatArray
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.check import Above, Pass, Plan, Street, Whole, exact, stakes_of
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.locked import locked_hands
from tremble.poker.holdem.tables import mixed_weights, probabilities_of
from tremble.poker.strategy import OrderedStrategy

__all__ = ["Against", "Decision", "Profile"]

Profile = tuple[OrderedStrategy, OrderedStrategy]

_MOST_BITS = 62


class Decision(NamedTuple):
    """The numbers R and Q (see the module) of a player's hands at a decision, as whole numbers."""

    node: int
    state: int  # of the board: see `tremble.poker.holdem.deal`
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
        most = int(stakes.lost.max()) * rules.deal.run_outs() * int(self.other.weights.sum(dtype=object))
        if (most * self.other.strategy.denominator).bit_length() > _MOST_BITS:
            self.other.weights = self.other.weights.astype(object)
        self.sums = Pass(rules, self.own, self.other, stakes, Limits(inf, inf))

    def reaches(self, some: Sequence[int], state: int) -> Whole:
        """Return R at nodes of one street: [nodes, hands]."""
        return self.spread(self.sums.weights(list(some), state), state)

    def spread(self, y: Whole, state: int) -> Whole:
        """Sum weights of the opponent's hands at nodes, [n, hands], over the hands that each own hand can meet.

        Each hand counts once for each deal of the missing cards.
        """
        deal = self.rules.deal
        found: Whole = self.sums.apart(y) * self.free(state) * deal.run_outs(len(deal.cards_of(state)))
        return found

    def free(self, state: int) -> NDArray[np.bool_]:
        """Return True for the own hands that can be held: those without a card of the state."""
        return self.rules.deal.free(self.player, state)[self.own.hands]

    def locked(self, node: int, state: int) -> NDArray[np.bool_]:
        """Return True for the own hands that act with given frequencies at a decision."""
        found: NDArray[np.bool_] = locked_hands(self.rules, node, state)[self.own.hands]
        return found

    @cached_property
    def whole(self) -> int:
        """The denominator of probabilities: the weight of all pairs of hands, times the deals of the missing cards."""
        return self.rules.deal.mass * self.rules.deal.run_outs()

    def decisions(self, top: int = 0, state: int = -1) -> Iterator[Decision]:
        """Yield the player's decisions from a node on, after the cards of a state if the node follows them."""
        nodes = self.rules.tree.nodes
        for some, here, _, best in self._passes(top, state):
            own = [n for n in some if nodes[n].kind == self.player]
            if own:
                found, plans = self.reaches(own, here), self.own.plan(own, here)
                for n, reach, plan in zip(own, found, plans, strict=True):
                    yield Decision(n, here, reach, np.stack([best[child] for child in nodes[n].child], axis=1), plan)

    def _passes(self, top: int, state: int, above: Above | None = None) -> Iterator[Street]:
        """Yield nodes of one street, the state of the board, and the values of leaves and of all these nodes.

        ``above`` computes the values of the nodes from those of the leaves. By default, the player plays best.
        """
        nodes, below = self.rules.tree.nodes, {top}
        for n in range(top + 1, len(nodes)):
            if nodes[n].parent in below:
                below.add(n)
        yield from self.sums.streets(nodes[top].street, state, sorted(below), above or self.sums.best)

    def continued(self, own: OrderedStrategy, top: int = 0, state: int = -1) -> Iterator[tuple[int, int, FloatArray]]:
        """Yield a node, the state of the board, and the payoffs of actions [hands, actions] as floats.

        The player continues with the strategy ``own``. A payoff is NaN if the opponent never leads to the node.
        """
        nodes = self.rules.tree.nodes

        def above(some: list[int], found: dict[int, Any], here: int) -> dict[int, Any]:
            worth = {n: np.asarray(value, dtype=np.float64) for n, value in found.items()}
            for n in reversed(some):
                if nodes[n].kind < End.FOLD:
                    after = np.stack([worth[child] for child in nodes[n].child], axis=1)
                    if nodes[n].kind == self.player:
                        after = after * probabilities_of(mixed_weights(self.rules, own, n, here))
                    worth[n] = after.sum(axis=1)
            return worth

        for some, here, _, worth in self._passes(top, state, above):
            mine = [n for n in some if nodes[n].kind == self.player]
            for n, reach in zip(mine, self.reaches(mine, here) if mine else (), strict=True):
                after = np.stack([worth[child] for child in nodes[n].child], axis=1)
                with np.errstate(divide="ignore", invalid="ignore"):
                    yield n, here, np.where(reach > 0, 1, np.nan)[:, None] * after / (self.unit * reach[:, None])

    def equities(self) -> Iterator[tuple[int, int, FloatArray]]:
        """Yield a node of the player, the state of the board, and the equity of each hand."""
        nodes = self.rules.tree.nodes
        for street in range(self.rules.streets):
            mine = [n for n, node in enumerate(nodes) if node.kind == self.player and node.street == street]
            for state in self.rules.deal.states(street) if mine else ():
                for n, equity in zip(mine, self.equity(mine, state), strict=True):
                    yield n, state, equity

    def equity(self, some: list[int], state: int) -> FloatArray:
        """Return the equity of each hand at nodes of one street: [nodes, hands].

        The equity is the chance to win a showdown against the hands with which the opponent gets there. It is NaN if
        the opponent never gets there.
        """
        won = self.rules.deal.advantage(state).astype(np.float64)
        gap = self.sums.weights(some, state).astype(np.float64) @ (won.T if self.player == 0 else -won)
        met = self.reaches(some, state).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = np.where(met > 0, (1 + gap[:, self.own.hands] / met) / 2, np.nan)
        return found

    def earned(self, own: Sequence[OrderedStrategy]) -> list[float]:
        """Return the payoffs of some of the player's strategies, and of a best response, as floats."""
        total = [0.0] * (len(own) + 1)
        nodes, plans = self.rules.tree.nodes, [Plan(self.rules, self.player, strategy) for strategy in own]
        weights, scale = self.own.weights, float(self.whole * self.unit) * self.other.strategy.denominator
        for some, state, found, best in self._passes(0, -1):
            leaves = [n for n in some if not nodes[n].child]
            worth = np.array([found[n] for n in leaves], dtype=np.float64).reshape(len(leaves), len(weights)) * weights
            for k, plan in enumerate(plans):
                total[k] += float((plan.plan(leaves, state) * worth).sum()) / plan.strategy.denominator
            if 0 in some:
                total[-1] = float((best[0] * weights.astype(object)).sum())
        return [each / scale for each in total]

    def at(self, node: int, state: int) -> Decision:
        """Return the numbers at one decision."""
        return next(each for each in self.decisions(node, state) if each.node == node)

    def payoffs(self, decision: Decision, hand: int = 0) -> tuple[Fraction, ...] | None:
        """Return the payoffs of the actions of a hand, which is a position among the own hands.

        Return None if the opponent's strategy never leads to the decision.
        """
        reach = int(decision.reach[hand])
        if not reach:
            return None
        return tuple(exact(value) / Fraction(reach * self.unit) for value in decision.best[hand])
