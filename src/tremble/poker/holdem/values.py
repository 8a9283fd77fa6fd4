r"""Weight, equity and expected value (EV) of each hand at each decision of a Hold'em game.

At a decision, let y_j be the weight of the opponent's hand j: its weight in the range times the probability of the
opponent's moves so far. For a player's hand i, let m_i be the sum of y_j over the hands without a card of hand i.

* The *weight* of i is its weight in the range times the probability of the player's own moves so far.
* The *equity* of i is the probability to win a showdown against a hand j that is drawn with the probabilities
  :math:`y_j / m_i`, on a random final board. A tie counts as half.
* The *EV* of an action is the expected number of chips that the player takes from the pot, minus the chips
  that the player adds from the action on, if both players follow their strategies afterwards. So folding has the EV 0.
  The EV of a hand is the mean of the EVs of its actions, weighted by their probabilities.

A payoff of the game also counts the half of the first pot and the player's earlier bets as paid. So the EV is the
expected payoff, plus half of the first pot, plus the chips that the player has bet before the decision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.integers import FloatArray
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.lines import decision
from tremble.poker.holdem.locked import locked_hands
from tremble.poker.holdem.tables import mixed_weights, probabilities_of
from tremble.poker.strategy import OrderedStrategy

__all__ = ["HandValues", "hand_rows", "values_at"]

IntArray = NDArray[np.int64]
Profile = tuple[OrderedStrategy, OrderedStrategy]


class HandValues(NamedTuple):
    """Arrays with an entry for each hand of the player at a decision; NaN where the opponent never gets there."""

    weight: FloatArray
    met: FloatArray  # the sum of the opponent's weights over the hands that each hand can meet
    equity: FloatArray
    ev: FloatArray
    frequencies: FloatArray  # [hands, actions]
    evs: FloatArray  # of each action, [hands, actions]


def values_at(rules: HoldemGame, profile: Profile, node: int, river: int = 0) -> HandValues:
    """Return weight, equity and EV of each hand at a decision.

    Parameters
    ----------
    node : int
        A node at which a player moves.
    river : int
        The number of the river card, if the decision is on the river.
    """
    return _Values(rules, profile).at(node, river)


def hand_rows(rules: HoldemGame, profile: Profile, line: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the player who moves after a line, and the rows of :meth:`tremble.Solution.hands`."""
    node, river = decision(rules, line)
    player, actions = rules.tree.nodes[node].kind, rules.tree.nodes[node].actions
    found = values_at(rules, profile, node, river)
    late = rules.tree.nodes[node].street == rules.streets - 1
    locked = locked_hands(rules, node, river)
    rows = []
    for hand in range(len(found.weight)):
        if late and not rules.deal.free(player, river)[hand]:
            continue
        row: dict[str, Any] = {"hand": rules.name_of(player, hand), "weight": float(found.weight[hand])}
        row |= {"equity": _number(found.equity[hand]), "ev": _number(found.ev[hand])}
        for k, action in enumerate(actions):
            row |= {action: float(found.frequencies[hand, k]), f"ev {action}": _number(found.evs[hand, k])}
        if rules.lock:
            row["locked"] = bool(locked[hand])
        rows.append(row)
    return player, rows


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


class _Values:
    """The expected values of both players' hands, from sums over all pairs of hands."""

    def __init__(self, rules: HoldemGame, profile: Profile) -> None:
        self._rules, self._profile, self._deal = rules, profile, rules.deal
        self._held = [w / unit for w, unit in zip(rules.deal.weights, rules.deal.unit, strict=True)]
        self._nodes = rules.tree.nodes

    def at(self, node: int, river: int) -> HandValues:
        """Return the values of the hands of the player who moves at a node."""
        nodes, deal = self._nodes, self._deal
        player, other = nodes[node].kind, 1 - nodes[node].kind
        late = nodes[node].street == self._rules.streets - 1
        actions = nodes[node].child
        total = np.zeros((len(self._held[player]), len(actions)))
        won, met = np.zeros(len(total)), np.zeros(len(total))
        before = self._plan(other, node, river) * self._held[other]
        for card in [river] if late else range(len(deal.rivers)):
            free, facing = deal.free(player, card), deal.free(other, card)
            wins, loses, apart = self._pairs(player, card)
            reach = before * facing
            met += free * (apart @ reach)
            won += free * ((apart + wins - loses) @ reach) / 2
            leaves: dict[int, FloatArray] = {}
            self._reaches(player, node, card, reach, leaves)
            numbers, reaches = list(leaves), np.stack(list(leaves.values()), axis=1)
            gains = np.array(
                [[float(self._rules.gains(n, better)[player]) for n in numbers] for better in self._better(player)]
            )
            worth = gains[0] * (wins @ reaches) + gains[1] * (loses @ reaches)
            worth += gains[2] * ((apart - wins - loses) @ reaches)
            found = dict(zip(numbers, worth.T, strict=True))
            for column, child in enumerate(actions):
                total[:, column] += free * self._value(player, child, card, found)
        with np.errstate(divide="ignore", invalid="ignore"):
            evs = total / met[:, None] + float(self._rules.betting.pot / 2 + nodes[node].paid[player])
            shares = self._shares(player, node, river)
            own = self._plan(player, node, river) * self._held[player]
            return HandValues(own, met, won / met, (evs * shares).sum(axis=1), shares, evs)

    @staticmethod
    def _better(player: int) -> tuple[int, int, int]:
        """Return the sign of player 1's advantage if the player wins, loses and ties."""
        return (1, -1, 0) if player == 0 else (-1, 1, 0)

    def _pairs(self, player: int, river: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return 1 for the pairs of hands with which the player wins, loses, and that share no card."""
        apart = self._deal.apart if player == 0 else self._deal.apart.T
        own, other = (self._deal.strengths[p][river] for p in (player, 1 - player))
        better = own[:, None] > other
        worse = own[:, None] < other
        wins, loses, both = ((apart & each).astype(np.float64) for each in (better, worse, np.True_))
        return wins, loses, both

    def _reaches(
        self, player: int, node: int, river: int, reach: FloatArray, leaves: dict[int, FloatArray]
    ) -> None:  # fmt: skip
        """Add to ``leaves`` the opponent's reach at each leaf after a node."""
        here = self._nodes[node]
        if not here.child:
            leaves[node] = reach
            return
        shares = self._shares(here.kind, node, river) if here.kind == 1 - player else None
        for k, child in enumerate(here.child):
            self._reaches(player, child, river, reach if shares is None else reach * shares[:, k], leaves)

    def _value(self, player: int, node: int, river: int, found: dict[int, FloatArray]) -> FloatArray:
        """Return the payoffs of the player's hands after a node, from those of the leaves."""
        here = self._nodes[node]
        if not here.child:
            return found[node]
        after: FloatArray = np.stack([self._value(player, child, river, found) for child in here.child], axis=1)
        if here.kind == player:
            after = after * self._shares(player, node, river)
        total: FloatArray = after.sum(axis=1)
        return total

    def _shares(self, player: int, node: int, river: int) -> FloatArray:
        """Return the action probabilities of the player who moves, [hands, actions]."""
        return probabilities_of(mixed_weights(self._rules, self._profile[player], node, river))

    def _plan(self, player: int, node: int, river: int) -> FloatArray:
        """Return the probability of a player's moves before a node, for each hand."""
        found: FloatArray = np.ones(len(self._held[player]))
        while node > 0:
            above = self._nodes[node].parent
            if self._nodes[above].kind == player:
                found = found * self._shares(player, above, river)[:, self._nodes[above].child.index(node)]
            node = above
        return found
