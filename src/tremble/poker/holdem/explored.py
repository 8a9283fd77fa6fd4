"""The rounds of a turn as arrays, and the values of all hands at all decisions, for an explorer page.

The river of a turn is a *forest*: a stage whose trees begin after the different moves of the turn. A tree that consists
of a showdown alone follows moves after which all chips are bet. A round's hands are those of both ranges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.integers import FloatArray
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.decisions import Against, Profile
from tremble.poker.holdem.game import HoldemGame, HoldemTurn
from tremble.poker.strategy import OrderedStrategy

__all__ = ["TurnRound", "every_loss", "hand_values"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Side:
    """A player's sequences in a stage: see :class:`tremble.poker.stage.Side`."""

    nodes: list[int]
    start: list[int]
    parent: list[int]
    last: list[int]


class Stage:
    """The moves of a street, with the attributes of :class:`tremble.poker.stage.StageTree` that a page needs.

    ``roots`` contains the first node of each tree of a forest, one for each leaf in ``going_on`` of the round before.
    """

    def __init__(self, rules: HoldemTurn, street: int) -> None:
        nodes = rules.tree.nodes
        runs = [n for n, node in enumerate(nodes) if node.kind == End.RUN_OUT]
        self.ids = [n for n, node in enumerate(nodes) if node.street == street] + (runs if street else [])
        place = {n: k for k, n in enumerate(self.ids)}
        here = [nodes[n] for n in self.ids]
        self.mover = [node.kind if node.kind < End.FOLD else -1 for node in here]
        self.actions = [node.actions for node in here]
        self.child = [[place[child] for child in node.child] if node.actions else [] for node in here]
        going = [n for n, node in enumerate(nodes) if node.kind in (End.DEAL, End.RUN_OUT)]
        self.going_on = [] if street else [place[n] for n in going]
        self.roots = [place[nodes[n].child[0] if nodes[n].kind == End.DEAL else n] for n in going] if street else None
        late = [() if nodes[n].street < street else rules.tree.lines[n][-1] for n in self.ids]
        self.line = late
        self.letters = [", ".join(line) for line in late]
        self._nodes = here

    def side(self, player: int) -> Side:
        """Return the sequences of a player. Row r of the player's table is the sequence r + 1."""
        nodes, start, parent = [], [1], []
        last = [0] * len(self.ids)
        for k, mover in enumerate(self.mover):
            if mover == player:
                nodes.append(k)
                parent.append(last[k])
                start.append(start[-1] + len(self.child[k]))
            for a, child in enumerate(self.child[k]):
                last[child] = start[-2] + a if mover == player else last[k]
        return Side(nodes, start, parent, last)


@dataclass(frozen=True)
class Payoffs:
    """The payoffs of a street: see :class:`tremble.poker.payoffs.RoundPayoffs`."""

    leaves: list[int]
    utility: NDArray[Any]  # [players, 1, leaves, outcomes]
    denominator: int
    outcome: IntArray
    values: None = None

    @property
    def num_outcomes(self) -> int:
        """The number of outcomes."""
        return int(self.utility.shape[3])


@dataclass(frozen=True, eq=False)
class TurnRound:
    """A street: its stage, and its deals with the attributes of :class:`tremble.poker.deals.RoundDeals`.

    A public state is a river card. The hands of a state are those of both ranges; a hand with the river card has the
    weight 0.
    """

    rules: HoldemTurn
    street: int

    @cached_property
    def stage(self) -> Stage:
        """The moves of the street."""
        return Stage(self.rules, self.street)

    @cached_property
    def held(self) -> IntArray:
        """The cards of the hands of both ranges, [hands, 2], sorted by the higher card, then by the lower card."""
        both: IntArray = np.unique(np.concatenate(self.rules.deal.cards)[:, ::-1], axis=0)[:, ::-1]
        return both

    @property
    def num_states(self) -> int:
        """The number of river cards, or 1 on the turn."""
        return len(self.rules.deal.rivers) if self.street else 1

    @property
    def num_hands(self) -> int:
        """The number of hands at each public state."""
        return len(self.held)

    @property
    def hands(self) -> IntArray:
        """The cards of each hand, [states, hands, 2]."""
        return np.broadcast_to(self.held, (self.num_states, *self.held.shape))

    @property
    def public(self) -> IntArray:
        """The cards that are dealt in public, [states, 0 or 1]."""
        return self.rules.deal.rivers[:, None] if self.street else np.zeros((1, 0), dtype=np.int64)

    @property
    def earlier(self) -> IntArray:
        """The own node of the turn that each own node comes from."""
        return np.tile(np.arange(self.num_hands), self.num_states)

    @cached_property
    def strength(self) -> IntArray | None:
        """The strength of each hand at each public state, or None on the turn."""
        if not self.street:
            return None
        found = np.zeros((self.num_states, self.num_hands), dtype=np.int64)
        for player in (0, 1):
            number = self.own_hands(player)
            found[:, number >= 0] = self.rules.deal.strengths[player][:, number[number >= 0]]
        return found

    def own_hands(self, player: int) -> IntArray:
        """Return the number of each hand in a player's range, or -1."""
        return self.rules.deal.index_of(player, self.held)

    @property
    def own_weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The weight of each own node in both players' ranges, [states, hands]."""
        one, two = (self._weights(player) for player in (0, 1))
        return one, two

    def _weights(self, player: int) -> NDArray[np.float64]:
        deal, number = self.rules.deal, self.own_hands(player)
        weights = np.where(number >= 0, deal.weights[player][number] / deal.unit[player], 0.0)
        free = (self.held[None] != self.public[:, :, None]).all(axis=2) if self.street else True
        return np.broadcast_to(weights * free, (self.num_states, self.num_hands))

    def classes(self, strategy: OrderedStrategy) -> IntArray:
        """Return the class of each own node in a strategy; -1 for a hand that is not in the range."""
        number = self.own_hands(strategy.player)
        own = self.rules.deal.numbers[strategy.player][number]
        step = self.rules.deal.num_hands
        nodes = np.arange(self.num_states)[:, None] * (step if self.street else 0) + own
        found: IntArray = np.where(number >= 0, strategy.class_of[self.street][nodes], -1).ravel()
        return found

    def rows(self, player: int) -> IntArray:
        """Return the row of each own node in the tables of :func:`every_loss`; 0 if the player cannot hold it."""
        number = self.own_hands(player)
        states = np.arange(self.num_states)[:, None] * len(self.rules.deal.cards[player])
        found: IntArray = np.where(number >= 0, states + number, 0).ravel()
        return found

    def order(self, state: int) -> IntArray:
        """Return the hands in ascending order of strength at a public state, on the turn on average over rivers."""
        if self.street:
            assert self.strength is not None
            return np.argsort(self.strength[state], kind="stable")
        later = TurnRound(self.rules, 1)
        strength = later.strength
        assert strength is not None
        ranks = np.argsort(np.argsort(strength, axis=1), axis=1).astype(np.float64)
        free = (self.held[None] != later.public[:, :, None]).all(axis=2)
        found: IntArray = np.argsort((ranks * free).sum(axis=0) / free.sum(axis=0), kind="stable")
        return found

    @cached_property
    def payoffs(self) -> Payoffs:
        """The payoffs at the ends of the street."""
        rules, nodes = self.rules, self.rules.tree.nodes
        ends = (End.FOLD, End.SHOWDOWN, End.RUN_OUT) if self.street else (End.FOLD,)
        leaves = [k for k, n in enumerate(self.stage.ids) if nodes[n].kind in ends]
        signs = (-1, 0, 1) if self.street else (0,)
        gains = [[rules.gains(self.stage.ids[k], sign) for sign in signs] for k in leaves]
        unit = int(np.lcm.reduce([u.denominator for leaf in gains for pair in leaf for u in pair], initial=1))
        utility = [[[[int(pair[i] * unit) for pair in leaf] for leaf in gains]] for i in (0, 1)]
        return Payoffs(leaves, np.array(utility, dtype=object), unit, np.arange(3) if self.street else np.zeros(3, int))


def every_loss(rules: HoldemGame, profile: Profile, player: int) -> list[FloatArray]:
    """Return the loss of each action of a player, for each street: [river cards, hands, rows of the player's table].

    A loss is NaN if the opponent's strategy never leads to the decision.
    """
    against = Against(rules, profile, player)
    found = _Tables(rules, player)
    for each in against.decisions():
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = each.best.astype(np.float64) / (each.reach.astype(np.float64)[:, None] * against.unit)
        found.put(each.node, each.state, worth.max(axis=1, keepdims=True) - worth)
    return found.tables


def hand_values(rules: HoldemGame, profile: Profile, player: int) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return the EV of each action of a player, as in :func:`every_loss`, and the equity at each decision.

    The equities of a street have the shape [river cards, hands, decisions of the player]. :mod:`.values` defines both.
    """
    against, nodes = Against(rules, profile, player), rules.tree.nodes
    evs = _Tables(rules, player)
    for node, state, worth in against.continued(profile[player]):
        evs.put(node, state, worth + float(rules.betting.pot / 2 + nodes[node].paid[player]))
    decisions = [
        [n for n, node in enumerate(nodes) if node.kind == player and node.street == street]
        for street in range(rules.streets)
    ]
    equities = [
        np.full((*table.shape[:2], len(mine)), np.nan, dtype=np.float32)
        for table, mine in zip(evs.tables, decisions, strict=True)
    ]
    for node, state, equity in against.equities():
        street = nodes[node].street
        equities[street][rules.deal.place(state)][:, decisions[street].index(node)] = equity
    return evs.tables, equities


class _Tables:
    """A table for each street: [sequences of dealt cards; hands; rows of the player's strategy]."""

    def __init__(self, rules: HoldemGame, player: int) -> None:
        self._nodes, self._first = rules.tree.nodes, rules.tree.rows[player].first
        self._deal = rules.deal
        hands, rivers = len(rules.deal.cards[player]), len(rules.deal.rivers)
        self.tables: list[NDArray[Any]] = [
            np.full((rivers**street, hands, count), np.nan, dtype=np.float32)
            for street, count in enumerate(rules.tree.rows[player].by_street)
        ]

    def put(self, node: int, state: int, numbers: FloatArray) -> None:
        """Store the numbers of the actions at a node, [hands, actions]."""
        street, first = self._nodes[node].street, self._first[node]
        self.tables[street][self._deal.place(state)][:, first : first + numbers.shape[1]] = numbers
