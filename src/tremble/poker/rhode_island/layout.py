r"""The hands and the public states of Rhode Island Hold'em, up to a change of suits.

Let the deck have R ranks and S suits, n = R S cards. Renaming the suits changes no payoff, so a player need not
distinguish cards that differ only by suits that are alike so far. This leaves

* in round 1, R *hands*: the ranks. Each hand stands for S cards.
* after the flop, R *states*: the rank of the flop, whose suit is called the first suit. There are 2 R hands: a rank,
  and the fact if the card has the first suit. The hand number 2 r + b has the rank r, and the first suit if b = 1.
* after the turn, R - 1 states for each flop if the turn has the first suit, and R more states if S > 1 and the turn has
  another suit. The hands are the same: after a turn of another suit, no flush is possible, so the suit of the own card
  does not matter.

**Counts.** After the flop of rank f, the number of cards of each hand is

.. math::  m_f(r, 1) = 1 - [r = f], \qquad m_f(r, 0) = S - 1 ,

and a turn takes one card from its own hand. Flops and turns are counted in the same way. For a card of rank r,
:math:`m_f(r, b)` cards of rank f are flops that make it a card of the hand (r, b). Given the flop, too, a turn of rank
t is one of :math:`1 - [r = t, b = 1]` cards of the first suit, or one of :math:`S - 1 - [r = t, b = 0]` others. If the
cards of both players are known, the n - 2 flops are equally likely, and then the n - 3 turns. Hence the share of a
state is its count divided by n - 2 or n - 3.

A hand that is not possible in a state has the count 0, so neither player's values depend on it.

**Value.** The reach of a card is the product of the probabilities of the opponent's moves. Let :math:`v_r` be the value
of one card of rank r at the root. There are n (n - 1) pairs of cards, so the value of the game is :math:`\sum_r S v_r /
(n (n - 1))`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.poker.deals import Deals
from tremble.poker.filter import Filter
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.kernels import Street
from tremble.poker.rhode_island.kernels import Round
from tremble.poker.stage import StageTree

__all__ = ["Layout"]

IntArray = NDArray[np.int64]


class Layout:
    """The states and hands of each round, and the classes of cards that strategies are stored by.

    Attributes
    ----------
    rules : RhodeIsland
    stage : StageTree
        The betting of each round.
    states, hands : tuple of int
        The numbers of states and hands of each round.
    count, share : list of int arrays
        For each round, [states, hands]: the number of cards of each hand, and the number of public cards that lead to
        the state, given a card of the hand and the state before.
    above : list of int arrays
        For each round, the hand of the previous round that contains each hand.

    Examples
    --------
    >>> layout = Layout(RhodeIsland())
    >>> layout.states, layout.hands, [len(earlier) for earlier in layout.filter.earlier[0]]
    ((1, 13, 325), (13, 26, 26), [13, 325, 7969])
    """

    def __init__(self, rules: RhodeIsland) -> None:
        self.rules, self.stage = rules, rules.rounds[0].stage
        ranks, suits = rules.ranks, rules.suits
        rank, first_suit = np.divmod(np.arange(2 * ranks), 2)
        every = np.arange(ranks)
        # The states after the turn: the rank of the flop, the rank of the turn, and 1 if the turn has the first suit.
        self.turns = np.array(
            [(f, t, same) for f in every for same in (1, 0)[: min(suits, 2)] for t in every if not same or t != f]
        ).reshape(-1, 3)
        flop, turn, same = self.turns.T
        others = np.where(first_suit == 1, 1, suits - 1)  # cards of a rank that have, or do not have, the first suit
        after_flop = others - ((rank == every[:, None]) & (first_suit == 1))
        taken = (rank == turn[:, None]) & (first_suit == same[:, None])
        self.count = [np.full((1, ranks), suits), after_flop, after_flop[flop] - taken]
        self.share = [np.ones((1, ranks), dtype=np.int64), after_flop, np.where(same, 1, suits - 1)[:, None] - taken]
        self.above = [every, rank, np.arange(2 * ranks)]
        self.states, self.hands = (1, ranks, len(self.turns)), (ranks, 2 * ranks, 2 * ranks)

    def histories(self, number: int) -> int:
        """Return the number of histories of the rounds before a round."""
        return int(len(self.stage.going_on) ** number)

    @cached_property
    def filter(self) -> Filter:
        """The classes of cards: a class for each state and hand. The class numbers are in the order of both."""
        deals, suits = Deals.of(self.rules), self.rules.suits
        number = np.full((self.rules.ranks, self.rules.ranks, 2), -1)
        number[tuple(self.turns.T)] = np.arange(len(self.turns))
        classes = []
        for round_, states, hands in zip(deals.rounds, self.states, self.hands, strict=True):
            public, suit = np.divmod(round_.public.astype(np.int64), suits)
            rank, own = np.divmod(round_.hands[:, :, 0].astype(np.int64), suits)
            state, hand = np.zeros(len(public), dtype=np.int64), rank
            if public.shape[1]:
                state, hand = public[:, 0], 2 * rank + (own == suit[:, :1])
            if public.shape[1] > 1:
                state = number[public[:, 0], public[:, 1], (suit[:, 0] == suit[:, 1]).astype(np.int64)]
            place = state[:, None] * hands + hand
            used = np.zeros(states * hands, dtype=np.int64)
            used[place] = 1
            classes.append((np.cumsum(used) - 1)[place].ravel())
        both = tuple(classes)
        return Filter.of_classes(self.rules, (both, both))

    def places(self, number: int) -> tuple[IntArray, IntArray]:
        """Return the state and the hand of each class of a round."""
        state, hand = np.nonzero(self.count[number])
        return state, hand

    def round(self, number: int, me: int, dtype: Any) -> Round:
        """Return the arrays of the kernels for one round and the player who learns."""
        left = self.rules.ranks * self.rules.suits - 1 - number  # the cards that the round's public card is one of
        last, states, hands = number == len(self.states) - 1, self.states[number], self.hands[number]
        levels, num_levels = np.zeros((states, hands, 2), dtype=np.uint64), np.zeros(states, dtype=np.int64)
        if last:
            for state, strength in enumerate(self._strengths()):  # also of hands that are not possible
                order = np.argsort(strength, kind="stable")
                starts = np.flatnonzero(np.diff(strength[order], prepend=-1))
                ends = np.append(starts[1:], hands) - 1
                assert (order[ends] - order[starts] <= 1).all()  # hands of equal strength have the same rank
                levels[state, : len(starts)] = np.stack([order[starts], order[ends]], axis=1)
                num_levels[state] = len(starts)
        return Round(
            street=_street(self.stage, me, last=last),
            histories=self.histories(number),
            chips=self._chips(number, me).astype(dtype),
            held=self.count[number].astype(dtype),
            above=self.above[number].astype(np.uint64),
            share=(self.share[number] / (left if number else 1)).astype(dtype),
            levels=levels,
            num_levels=num_levels,
        )

    def _strengths(self) -> IntArray:
        """Return the strength of each hand in each state after the turn. The first suit has the number 0."""
        flop, turn, same = self.turns.T
        suits = self.rules.suits
        rank, first_suit = np.divmod(np.arange(self.hands[2]), 2)
        other = min(1, suits - 1)  # any other suit
        public = np.stack([flop * suits, turn * suits + np.where(same, 0, other)], axis=1)
        own = rank * suits + np.where(first_suit, 0, other)
        return self.rules.strengths(public, np.broadcast_to(own[None, :, None], (len(public), len(own), 1)))

    def _chips(self, number: int, me: int) -> NDArray[np.float64]:
        """Return what a player wins at each leaf of a round, if the player has the better hand: [nodes, histories]."""
        stage, better = self.stage, (1 - me, me)
        lines: list[tuple[tuple[str, ...], ...]] = [()]
        for _ in range(number):
            lines = [(*before, stage.line[leaf]) for before in lines for leaf in stage.going_on]
        found = np.zeros((len(stage.mover), len(lines)))
        for n in (*stage.ending, *stage.going_on):
            found[n] = [float(self.rules.utility((*before, stage.line[n]), better)[me]) for before in lines]
        return found


def _street(stage: StageTree, me: int, *, last: bool) -> Street:
    """Return the betting of a round as arrays of the kernels."""
    nodes = len(stage.mover)
    kind, parent = np.array(stage.mover), np.zeros(nodes, dtype=np.int64)
    kind[list(stage.ending)] = End.FOLD
    kind[list(stage.going_on)] = End.SHOWDOWN if last else End.DEAL
    count = np.array([len(actions) for actions in stage.actions])
    child = np.zeros((nodes, int(count.max())), dtype=np.int64)
    row, slot, slots = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64), 1
    for player in (0, 1):
        side = stage.side(player)
        row[list(side.nodes)] = np.array(side.start[:-1], dtype=np.int64) - 1
    for n, children in enumerate(stage.child):
        child[n, : len(children)] = children
        parent[list(children)] = n
    for n in range(1, nodes):
        if kind[parent[n]] == me:
            slot[n] = slot[parent[n]]
        else:
            slot[n], slots = slots, slots + 1
    deals = np.array(() if last else stage.going_on, dtype=np.int64)
    nothing = np.zeros(0, dtype=np.int64)
    unlocked = np.full(len(kind), -1, dtype=np.int64)
    return Street(kind, count, child, row, slot, deals, nothing, np.zeros(0), unlocked, np.zeros((1, 0, 0)))
