r"""Exact values of a player's moves in an ordered game against the opponent's strategy, without building the tree.

Let :math:`m_{ij}` be the weight with which chance deals hand i to the player and hand j to the opponent. At a leaf, let
:math:`y_j` be the weight of the opponent's last sequence with hand j, and let :math:`u_{ij}` be the payoff. For a
player with hand i the leaf has the value :math:`\sum_j m_{ij}\, y_j\, u_{ij}`, summed over the opponent's hands j. For
each board, hand and history of moves, a best response chooses the action with the greatest sum of later values. All
numbers are exact integers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.integers import INT64_SAFE, FloatArray, exact_dot
from tremble.poker.choices import line_number, own_node, weights_at
from tremble.poker.deals import Deals
from tremble.poker.game import History, OrderedGame
from tremble.poker.stage import StageTree
from tremble.poker.strategy import OrderedStrategy

__all__ = ["OrderedValues", "Spot"]

IntArray = NDArray[np.int64]
Whole = NDArray[np.int64] | NDArray[np.object_]

_Record = Callable[[int, IntArray, IntArray, dict[int, Whole], Any], None]

_BATCH = 2**22  # the number of weights that are read in one batch


@dataclass(frozen=True)
class Spot:
    """A player's information set in an ordered game, identified by an own node, earlier moves, and a stage node."""

    player: int
    round: int
    node: int  # the number of the own node, which is a public state together with a hand
    line: int  # the number of the history of moves in the earlier rounds
    stage_node: int  # the node in the stage tree of this round


class OrderedValues:
    """Expected payoffs of each player's moves in an ordered game against the opponent's strategy in a profile.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> game = RhodeIsland(ranks=2, suits=2)
    >>> values = OrderedValues(game, (OrderedStrategy.uniform(game, 0), OrderedStrategy.uniform(game, 1)))
    >>> values.losses(Spot(0, 0, node=3, line=0, stage_node=0))
    (Fraction(0, 1), Fraction(490, 81))
    """

    def __init__(self, game: OrderedGame, profile: tuple[OrderedStrategy, OrderedStrategy]) -> None:
        self._game = game
        self._profile = profile
        self._deals = Deals.of(game).rounds
        self._denominator = lcm(*(deals.payoffs.denominator for deals in self._deals))

    def spot(self, h: History, player: int) -> Spot:
        """Return a player's information set at a history."""
        node = own_node(self._game, h.round, h.public, h.private[player])
        return Spot(player, h.round, node, line_number(self._game.rounds, h.nodes[:-1]), h.nodes[-1])

    def range_at(self, spot: Spot, stage_node: int | None = None) -> Whole:
        """Return one number for each hand of the opponent, proportional to the hand's probability at ``spot``.

        If ``stage_node`` is given, the probabilities are those at this stage node, not at the stage node of ``spot``.
        """
        (others,), (mass,), _ = self._pairs(spot.player, spot.round, np.array([spot.node]))
        weights = weights_at(self._game, self._profile[1 - spot.player], spot.round, others, np.array([spot.line]))
        last = self._stage(spot.round).side(1 - spot.player).last
        node = spot.stage_node if stage_node is None else stage_node
        likely: Whole = mass.astype(object) * weights[:, last[node], 0].astype(object)
        return likely

    def losses(self, spot: Spot) -> tuple[Fraction, ...] | None:
        """Return the cost of each action, or None if the opponent's strategy never reaches the information set.

        The cost of an action is the value of the best action minus the value of the action.
        """
        reach = int(self.range_at(spot).sum()) * self._deals[spot.round].unit
        if not reach:
            return None
        node, line = np.array([spot.node]), np.array([spot.line])
        values = self._values(spot.player, spot.round, node, line, spot.stage_node)
        each = [int(values[child][0, 0]) for child in self._stage(spot.round).child[spot.stage_node]]
        return tuple(Fraction(max(each) - value, reach * self._denominator) for value in each)

    def every_loss(self, player: int) -> list[tuple[IntArray, FloatArray]]:
        """Return the cost of every action of a player, as floats.

        For each round, the result contains a pair of arrays. The first array contains, for every own node, the row of
        the node in the second array. The second array contains the costs, in the shape [rows, sequences except the
        empty sequence, histories of the earlier rounds]. A cost is NaN if the opponent's strategy never reaches the
        information set, and 0 for a hand that is never dealt.
        """
        found: dict[int, tuple[IntArray, FloatArray]] = {}

        def record(number: int, nodes: IntArray, lines: IntArray, values: dict[int, Whole], inverse: Any) -> None:
            stage = self._stage(number)
            side, other = stage.side(player), stage.side(1 - player)
            losses = np.zeros((len(nodes), side.num_sequences - 1, len(lines)))
            reach = self._reach(player, number, nodes, lines)
            scale = self._deals[number].unit * self._denominator
            if number + 1 == len(self._deals):  # in the last round, `_values` uses the units of the round's payoffs
                scale = self._deals[number].payoffs.denominator
            for k, node in enumerate(side.nodes):
                best = np.maximum.reduce([values[child] for child in stage.child[node]])
                for s, child in enumerate(stage.child[node], side.start[k] - 1):
                    with np.errstate(divide="ignore", invalid="ignore"):
                        losses[:, s] = (best - values[child]).astype(np.float64) / (reach[:, other.last[node]] * scale)
            losses, row = np.unique(losses[:, :, np.argsort(lines)], axis=0, return_inverse=True)
            found[number] = row.ravel()[inverse], losses

        self._values(player, 0, np.arange(self._deals[0].num_nodes), np.zeros(1, dtype=np.int64), 0, record)
        return [found[number] for number in range(len(self._deals))]

    def _stage(self, number: int) -> StageTree:
        return self._game.rounds[number].stage

    def _reach(self, player: int, number: int, nodes: IntArray, lines: IntArray) -> FloatArray:
        """Sum deal weight times sequence weight over the opponent's hands; return an array of shape [n, S, L]."""
        parts = []
        sequences = self._stage(number).side(1 - player).num_sequences
        count = max(1, _BATCH // (self._deals[number].num_hands * sequences * len(lines)))
        for first in range(0, len(nodes), count):
            others, mass, _ = self._pairs(player, number, nodes[first : first + count])
            weights = weights_at(self._game, self._profile[1 - player], number, others.ravel(), lines)
            by_pair = weights.reshape(*others.shape, *weights.shape[1:]).astype(np.float64)
            parts.append(np.einsum("nj,njsl->nsl", mass.astype(np.float64), by_pair))
        return np.concatenate(parts)

    def _pairs(self, player: int, number: int, nodes: IntArray) -> tuple[IntArray, IntArray, NDArray[np.int16]]:
        """Return three arrays of shape [n, N], with an entry for each node in ``nodes`` and each hand of the opponent.

        The first array contains the opponent's node that has this hand at the same public state. The second contains
        the weight of both hands together, and the third contains the number of the outcome of the two hands.
        """
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

    def _values(
        self, me: int, number: int, nodes: IntArray, lines: IntArray, top: int, record: _Record | None = None
    ) -> dict[int, Whole]:
        """Return the values of the stage node ``top`` and of its children, each as an array [own nodes, histories].

        Values are numerators. The denominator is the sum of all weights, times the denominator of the opponent's
        strategy, times the denominator of the payoffs. In every round, the method calls ``record`` with five arguments:
        the number of the round, the representatives of own nodes (:meth:`_distinct`), the histories, the values by
        stage node, and the position of each own node's representative.
        """
        stage, deals = self._stage(number), self._deals[number]
        below = [top]
        for node in below:  # the list grows during the loop
            below.extend(stage.child[node])
        last_round = number + 1 == len(self._deals)
        inverse: Any = slice(None)
        if last_round:
            nodes, inverse = self._distinct(me, number, nodes)
        values: dict[int, Any] = self._leaves(me, number, nodes, lines, [n for n in below if n in deals.payoffs.leaves])
        factor = deals.unit * (self._denominator // deals.payoffs.denominator)
        if not last_round:
            values = {node: value.astype(object) * factor for node, value in values.items()}
            values.update(self._later(me, number, nodes, lines, [n for n in below if n in stage.going_on], record))
        for node in sorted(set(below) - set(values), reverse=True):
            after = [values[child] for child in stage.child[node]]
            values[node] = np.maximum.reduce(after) if stage.mover[node] == me else sum(after)
        if record is not None:
            record(number, nodes, lines, values, inverse)
        if not last_round:
            return values
        return {node: values[node].astype(object)[inverse] * factor for node in (top, *stage.child[top])}

    def _later(
        self, me: int, number: int, nodes: IntArray, lines: IntArray, leaves: list[int], record: _Record | None
    ) -> dict[int, Whole]:
        """Return the values at ``leaves`` that lead to the next round, as sums over the deals of the next round."""
        if not leaves:
            return {}
        going_on = self._stage(number).going_on
        earlier = self._deals[number + 1].earlier
        order = np.argsort(nodes)
        then = np.flatnonzero(np.isin(earlier, nodes))
        came_from = order[np.searchsorted(nodes, earlier[then], sorter=order)]
        positions = np.array([going_on.index(leaf) for leaf in leaves])
        ahead = (lines[:, None] * len(going_on) + positions).ravel()
        total = np.zeros((len(nodes), len(ahead)), dtype=object)
        np.add.at(total, came_from, self._values(me, number + 1, then, ahead, 0, record)[0])
        by_leaf = total.reshape(len(nodes), len(lines), len(leaves))
        return {leaf: by_leaf[:, :, g] for g, leaf in enumerate(leaves)}

    def _distinct(self, me: int, number: int, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Return representatives of ``nodes`` and, for each node, the position of its representative.

        Nodes share a representative only if the opponent has equally many hands of each class and outcome at each node.
        """
        others, mass, outcome = self._pairs(me, number, nodes)
        classes = self._profile[1 - me].class_of[number][others]
        key = (classes + 1) * self._deals[number].payoffs.num_outcomes + outcome
        if self._deals[number].mass is None:
            key[mass == 0] = -1
        else:  # if pairs of hands have weights, treat all nodes as distinct
            key = np.where(mass == 0, -1, key * len(nodes) + np.arange(len(nodes))[:, None])
        _, index, inverse = np.unique(np.sort(key, axis=1), axis=0, return_index=True, return_inverse=True)
        return nodes[index], inverse.ravel()

    def _leaves(self, me: int, number: int, nodes: IntArray, lines: IntArray, leaves: list[int]) -> dict[int, Whole]:
        """Return the values at ``leaves`` that end the game, multiplied by the denominator of the round's payoffs."""
        deals, side = self._deals[number], self._stage(number).side(1 - me)
        payoffs = deals.payoffs
        if not leaves:
            return {}
        if not len(payoffs.basis):  # every payoff of this round is 0
            return {leaf: np.zeros((len(nodes), len(lines)), dtype=np.int64) for leaf in leaves}
        others, mass, outcome = self._pairs(me, number, nodes)
        sums = []
        count = max(1, _BATCH // (deals.num_hands * side.num_sequences * len(lines)))
        for first in range(0, len(nodes), count):
            some = slice(first, first + count)
            weights = weights_at(self._game, self._profile[1 - me], number, others[some].ravel(), lines)
            of_pair = payoffs.basis.T[outcome[some]] * mass[some][:, :, None]
            sums.append(exact_dot(of_pair.transpose(0, 2, 1), weights.reshape(len(of_pair), deals.num_hands, -1)))
        kinds = len(payoffs.basis)
        total = np.concatenate(sums).reshape(len(nodes), kinds, side.num_sequences, len(lines))
        most = int(np.abs(payoffs.coefficient[me]).sum(axis=-1).max()) * int(np.abs(total).max()) * len(leaves)
        if most >= INT64_SAFE:
            total = total.astype(object)
        values: dict[int, Whole] = {}
        for leaf in leaves:
            coefficient = payoffs.coefficient[me][lines, payoffs.leaves.index(leaf)]  # [L, K]
            last = total[:, :, side.last[leaf]]
            values[leaf] = sum(last[:, k] * coefficient[:, k] for k in range(kinds))
        return values
