r"""Hands of an ordered game, which is never built: what is dealt is known as arrays, and what moves cost as sums.

With m the weights of pairs of hands (chance) and y the weights of the other's sequences (its strategy), a leaf of a
stage is worth :math:`\sum_j m_{ij}\, y_j\, u_{ij}` to hand i, summed over the hands j of the other. A best response
picks the greatest sum of what follows, at each board, hand and line of moves below the one that is asked about.
All numbers are whole and exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.exact_integers import INT64_SAFE, exact_dot
from tremble.game.protocol import CHANCE, Game
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import FloatArray
from tremble.poker.adapter import OrderedKind
from tremble.poker.choices import line_number, own_node, probabilities, weights_at
from tremble.poker.deals import Deals
from tremble.poker.game import History, Signals
from tremble.poker.strategy import OrderedStrategy
from tremble.show.playing.protocol import Event, Line

__all__ = ["BAR", "PlayableOrdered"]

IntArray = NDArray[np.int64]
Whole = NDArray[np.int64] | NDArray[np.object_]

_Keep = Callable[[int, IntArray, IntArray, dict[int, Whole], Any], None]

BAR = " | "  # in labels, between the own signals and the public ones

_AT_ONCE = 2**22  # weights that are looked up together


@dataclass(frozen=True)
class _Place:
    """Where a player is to choose, by numbers."""

    player: int
    round: int
    node: int  # own one
    stage_node: int
    line: int  # of the rounds before


class PlayableOrdered:
    """An ordered game of two players with a profile."""

    def __init__(self, game: UnbuiltGame, profile: tuple[OrderedStrategy, OrderedStrategy]) -> None:
        self._game = OrderedKind(game).rules
        self.rules: Game = self._game
        self.title = game.title
        self.players = game.players
        self._profile = profile
        self._deals = Deals.of(self._game).rounds
        self._denominator = lcm(*(deals.payoffs.denominator for deals in self._deals))

    def label(self, line: Line) -> str:
        """The mover's own signals, and the public ones behind a bar."""
        h: History = line.here
        hands = (h.private[self._game.player(h)], h.public)
        return BAR.join(" ".join(self._game.signals[s] for s in signals) for signals in hands if signals)

    def seen(self, line: Line) -> tuple[Event, ...]:
        """All moves and deals; of what the other was dealt, only that it was."""
        me = self._game.player(line.here)
        events = []
        for h, action in zip(line.histories, line.actions, strict=False):
            mover = self._game.player(h)
            hidden = mover == CHANCE and h.dealt == 2 - me
            events.append(Event(mover, None if hidden else self._game.actions(h)[action]))
        return tuple(events)

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """What the strategy states of the class of the mover's hand."""
        h: History = line.here
        player = self._game.player(h)
        return probabilities(self._game, self._profile[player], h.public, h.private[player], h.nodes)

    def possible(self, line: Line) -> Sequence[tuple[Line, Fraction]] | None:
        """The same line with every hand that the other may have."""
        at = self._place(line.here)
        weights = self._range(at)
        hands = self._deals[at.round].hands[at.node // self._deals[at.round].num_hands]
        return [
            (self._with_hand(line, 1 - at.player, tuple(hands[j].tolist())), Fraction(int(weights[j])))
            for j in np.flatnonzero(weights).tolist()
        ]

    def overall(self, line: Line, number: int) -> tuple[Fraction, ...]:
        """Weights of the deals of the round, as far as the mover at the end knew them then, times those of the plan."""
        h: History = line.histories[number]
        other = self._game.player(h)
        own = own_node(self._game, h.round, h.public, h.private[1 - other])
        at = _Place(1 - other, h.round, own, h.nodes[-1], line_number(self._game.rounds, h.nodes[:-1]))
        comes, *shares = (
            int(self._range(at, node).sum()) for node in (h.nodes[-1], *self._stage(at).child[h.nodes[-1]])
        )
        return tuple(Fraction(share, comes) for share in shares)

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        """From the sums over all deals and lines that can follow; None where the other's strategy never comes."""
        at = self._place(line.here)
        reach = int(self._range(at).sum()) * self._deals[at.round].unit
        if not reach:
            return None
        values = self._values(at.player, at.round, np.array([at.node]), np.array([at.line]), at.stage_node)
        worth = [int(values[child][0, 0]) for child in self._stage(at).child[at.stage_node]]
        return tuple(Fraction(max(worth) - value, reach * self._denominator) for value in worth)

    def every_loss(self, player: int) -> list[tuple[IntArray, FloatArray]]:
        """What every action costs a player everywhere, as floats: round by round, what own nodes have in common.

        Own nodes -> row; and rows by sequences of the stage, without the empty one, by lines of the rounds before. NaN
        where the other's strategy never comes, 0 where the player is never dealt the hand.
        """
        found: dict[int, tuple[IntArray, FloatArray]] = {}

        def keep(number: int, nodes: IntArray, lines: IntArray, values: dict[int, Whole], of: Any) -> None:
            side, other = (self._game.rounds[number].stage.side(who) for who in (player, 1 - player))
            losses = np.zeros((len(nodes), side.num_sequences - 1, len(lines)))
            comes = self._comes(player, number, nodes, lines)
            scale = self._deals[number].unit * self._denominator
            if number + 1 == len(self._deals):  # where values are in units of their own
                scale = self._deals[number].payoffs.denominator
            for k, node in enumerate(side.nodes):
                children = self._game.rounds[number].stage.child[node]
                best = np.maximum.reduce([values[child] for child in children])
                for s, child in enumerate(children, side.start[k] - 1):
                    with np.errstate(divide="ignore", invalid="ignore"):
                        losses[:, s] = (best - values[child]).astype(np.float64) / (comes[:, other.last[node]] * scale)
            order = np.argsort(lines)
            losses, row = np.unique(losses[:, :, order], axis=0, return_inverse=True)
            found[number] = row.ravel()[of], losses

        self._values(player, 0, np.arange(self._deals[0].num_nodes), np.zeros(1, dtype=np.int64), 0, keep)
        return [found[number] for number in range(len(self._deals))]

    def _comes(self, player: int, number: int, nodes: IntArray, lines: IntArray) -> FloatArray:
        """How likely chance and the other's sequences let own nodes come, [n, S, L]."""
        parts = []
        sequences = self._game.rounds[number].stage.side(1 - player).num_sequences
        count = max(1, _AT_ONCE // (self._deals[number].num_hands * sequences * len(lines)))
        for first in range(0, len(nodes), count):
            others, mass, _ = self._pairs(player, number, nodes[first : first + count])
            weights = weights_at(self._game, self._profile[1 - player], number, others.ravel(), lines)
            by_pair = weights.reshape(*others.shape, *weights.shape[1:]).astype(np.float64)
            parts.append(np.einsum("nj,njsl->nsl", mass.astype(np.float64), by_pair))
        return np.concatenate(parts)

    def _stage(self, at: _Place) -> Any:
        return self._game.rounds[at.round].stage

    def _place(self, h: History) -> _Place:
        player = self._game.player(h)
        node = own_node(self._game, h.round, h.public, h.private[player])
        return _Place(player, h.round, node, h.nodes[-1], line_number(self._game.rounds, h.nodes[:-1]))

    # -- the other's hands ----------------------------------------------------------------------------

    def _pairs(self, player: int, number: int, nodes: IntArray) -> tuple[IntArray, IntArray, NDArray[np.int16]]:
        """For own nodes: the other's nodes of the same public states [n, N], weights and outcomes of both hands."""
        deals = self._deals[number]
        state, hand = np.divmod(nodes, deals.num_hands)
        others = state[:, None] * deals.num_hands + np.arange(deals.num_hands)
        if deals.mass is None:
            mass = ((deals.mask[state, hand][:, None] & deals.mask[state]) == 0).astype(np.int64)
        else:
            mass = deals.mass[state, hand] if player == 0 else deals.mass[state, :, hand]
        if deals.strength is None:
            return others, mass, np.zeros(others.shape, dtype=np.int16)
        strengths = deals.strength[state, hand][:, None], deals.strength[state]
        return others, mass, deals.payoffs.outcome_of(*(strengths if player == 0 else strengths[::-1]))

    def _range(self, at: _Place, stage_node: int | None = None) -> Whole:
        """How likely chance and its strategy make each hand of the other where a player moves, [N] of any scale."""
        (others,), (mass,), _ = self._pairs(at.player, at.round, np.array([at.node]))
        weights = weights_at(self._game, self._profile[1 - at.player], at.round, others, np.array([at.line]))
        last = self._stage(at).side(1 - at.player).last[at.stage_node if stage_node is None else stage_node]
        likely: Whole = mass.astype(object) * weights[:, last, 0].astype(object)
        return likely

    def _with_hand(self, line: Line, other: int, hand: Signals) -> Line:
        """The line with other signals for one player, whose positions among those left change what is dealt later."""
        histories = [
            h._replace(private=tuple(hand[: len(s)] if p == other else s for p, s in enumerate(h.private)))
            for h in line.histories
        ]
        actions = list(line.actions)
        for number, (h, then) in enumerate(pairwise(histories)):
            if self._game.player(h) == CHANCE:
                actions[number] = self._position(h, then)
        return Line(tuple(histories), tuple(actions))

    def _position(self, h: History, then: History) -> int:
        """Which deal leads from one history to the next."""
        before, after = (h.public, then.public) if h.dealt == 0 else (h.private[h.dealt - 1], then.private[h.dealt - 1])
        drawn = after[len(before) :]
        if h.round == 0 and self._game.ranges is not None:
            text = self._game.signal_text(drawn)
            named = (i for i, action in enumerate(self._game.actions(h)) if action == text)
            return next(i for i in named if self._game.child(h, i) == then)
        gone = set(h.public).union(*h.private)
        return sum(comb(signal - sum(g < signal for g in gone), k) for k, signal in enumerate(drawn, 1))

    # -- what is earned by best responses ------------------------------------------------------------------

    def _values(
        self, me: int, number: int, nodes: IntArray, lines: IntArray, top: int, keep: _Keep | None = None
    ) -> dict[int, Whole]:
        """What every node of the stage from ``top`` on is worth to own nodes after lines of the rounds before, [n, L].

        In units of 1/(sum of all weights times the denominators of the other's strategy and of the payoffs). All that
        is found on the way is handed to ``keep``: the round, different own nodes, lines, values by node of the stage,
        and which of the different nodes each own node is like.
        """
        stage, deals = self._game.rounds[number].stage, self._deals[number]
        below = [top]
        for node in below:  # which grows while it is read
            below.extend(stage.child[node])
        last_round = number + 1 == len(self._deals)
        inverse: Any = slice(None)
        if last_round:
            nodes, inverse = self._different(me, number, nodes)
        values: dict[int, Any] = self._leaves(me, number, nodes, lines, [n for n in below if n in deals.payoffs.leaves])
        factor = deals.unit * (self._denominator // deals.payoffs.denominator)
        if not last_round:
            values = {node: value.astype(object) * factor for node, value in values.items()}
            values.update(self._following(me, number, nodes, lines, [n for n in below if n in stage.going_on], keep))
        for node in sorted(set(below) - set(values), reverse=True):
            earned = [values[child] for child in stage.child[node]]
            values[node] = np.maximum.reduce(earned) if stage.mover[node] == me else sum(earned)
        if keep is not None:
            keep(number, nodes, lines, values, inverse)
        if not last_round:
            return values
        wanted = {top, *stage.child[top]}
        return {node: values[node].astype(object)[inverse] * factor for node in wanted}

    def _following(
        self, me: int, number: int, nodes: IntArray, lines: IntArray, leaves: list[int], keep: _Keep | None
    ) -> dict[int, Whole]:
        """What the rounds to come are worth after leaves of a stage that lead on, summed over the deals."""
        if not leaves:
            return {}
        going_on = self._game.rounds[number].stage.going_on
        earlier = self._deals[number + 1].earlier
        order = np.argsort(nodes)
        then = np.flatnonzero(np.isin(earlier, nodes))
        came_from = order[np.searchsorted(nodes, earlier[then], sorter=order)]
        positions = np.array([going_on.index(leaf) for leaf in leaves])
        ahead = (lines[:, None] * len(going_on) + positions).ravel()
        worth = self._values(me, number + 1, then, ahead, 0, keep)[0]
        total = np.zeros((len(nodes), len(ahead)), dtype=object)
        np.add.at(total, came_from, worth)
        by_leaf = total.reshape(len(nodes), len(lines), len(leaves))
        return {leaf: by_leaf[:, :, g] for g, leaf in enumerate(leaves)}

    def _different(self, me: int, number: int, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Own nodes against which the other's classes, weights and outcomes differ, and which each node is like."""
        others, mass, outcome = self._pairs(me, number, nodes)
        classes = self._profile[1 - me].class_of[number][others]
        key = (classes + 1) * self._deals[number].payoffs.num_outcomes + outcome
        if self._deals[number].mass is None:
            key[mass == 0] = -1
        else:
            key = np.where(mass == 0, -1, key * len(nodes) + np.arange(len(nodes))[:, None])
        _, index, inverse = np.unique(np.sort(key, axis=1), axis=0, return_index=True, return_inverse=True)
        return nodes[index], inverse.ravel()

    def _leaves(self, me: int, number: int, nodes: IntArray, lines: IntArray, leaves: list[int]) -> dict[int, Whole]:
        """What the leaves where the game ends are worth, in units of the payoffs of the round."""
        deals, side = self._deals[number], self._game.rounds[number].stage.side(1 - me)
        payoffs = deals.payoffs
        if not leaves:
            return {}
        if not len(payoffs.basis):  # nothing is paid here
            return {leaf: np.zeros((len(nodes), len(lines)), dtype=np.int64) for leaf in leaves}
        others, mass, outcome = self._pairs(me, number, nodes)
        sums = []
        count = max(1, _AT_ONCE // (deals.num_hands * side.num_sequences * len(lines)))
        for first in range(0, len(nodes), count):
            some = slice(first, first + count)
            weights = weights_at(self._game, self._profile[1 - me], number, others[some].ravel(), lines)
            shape = (len(others[some]), deals.num_hands, -1)
            of_pair = payoffs.basis.T[outcome[some]] * mass[some][:, :, None]
            sums.append(exact_dot(of_pair.transpose(0, 2, 1), weights.reshape(shape)))
        kinds = len(payoffs.basis)
        total = np.concatenate(sums).reshape(len(nodes), kinds, side.num_sequences, len(lines))
        most = int(np.abs(payoffs.coefficient[me]).sum(axis=-1).max()) * int(np.abs(total).max()) * len(leaves)
        if most >= INT64_SAFE:
            total = total.astype(object)
        worth: dict[int, Whole] = {}
        for leaf in leaves:
            coefficient = payoffs.coefficient[me][lines, payoffs.leaves.index(leaf)]  # [L, K]
            last = total[:, :, side.last[leaf]]
            worth[leaf] = sum(last[:, k] * coefficient[:, k] for k in range(kinds))
        return worth
