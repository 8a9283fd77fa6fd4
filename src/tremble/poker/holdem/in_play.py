"""Play of a turn of Hold'em: action probabilities, possible hands of the opponent, and costs of moves at a history."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.integers import FloatArray
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.holdem.decisions import Against, Profile
from tremble.poker.holdem.explored import TurnRound, every_loss
from tremble.poker.holdem.game import History, HoldemTurn
from tremble.poker.holdem.tables import shares_of, weights_of

__all__ = ["TurnInPlay"]


class TurnInPlay:
    """An object that plays a profile in a turn, with the methods of :class:`tremble.game.hands.HandsInPlay`.

    A hand is its number in the deal.

    Examples
    --------
    >>> import tremble
    >>> from tremble.game.kinds import kind_of
    >>> rules = HoldemTurn("Kh9d7s4c", pot=20, stack=20, bets="100", raises=0, range1="AA", range2="QQ,JJ")
    >>> game = tremble.UnbuiltGame.of(rules)
    >>> play = TurnInPlay(rules, kind_of(game).first_profile())
    >>> h = rules.child(rules.child(rules.root(), 0), 0)
    >>> play.probabilities(h), len(play.other_hands(h))
    ((Fraction(1, 2), Fraction(1, 2)), 12)
    """

    def __init__(self, rules: HoldemTurn, profile: Profile, deals: Sequence[TurnRound] = ()) -> None:
        self._rules, self._profile, self._deals = rules, profile, deals

    def probabilities(self, h: History) -> tuple[Fraction, ...]:
        """Return the probabilities of the mover's actions at a history."""
        player = self._rules.player(h)
        weights = weights_of(self._rules, self._profile[player], h.node, h.state)
        return tuple(shares_of(weights[h[player]].tolist()))

    def known(self, h: History) -> tuple[list[str], list[str]]:
        """Return the mover's cards, and the cards that are dealt in public."""
        player, deal = self._rules.player(h), self._rules.deal
        return [DECK[card] for card in deal.cards[player][h[player]]], [DECK[card] for card in deal.cards_of(h.state)]

    def deals_to(self, h: History) -> int | None:
        """Return the player who gets the hand that chance deals at a history; None for the river card."""
        return 0 if h.hand1 < 0 else 1 if h.hand2 < 0 else None

    def with_hand(self, h: History, player: int, hand: int) -> History:
        """Return the history in which a player holds ``hand``, if a hand is dealt."""
        return h if h[player] < 0 else h._replace(**{f"hand{player + 1}": hand})

    def deal_between(self, h: History, then: History) -> int:
        """Return the position of the move of chance that leads from a history to the next history."""
        return self._rules.deal_between(h, then)

    def overall(self, h: History) -> list[Fraction]:
        """Return the probability of each action, averaged over the hands that the mover may hold."""
        mover = self._rules.player(h)
        seen = self._against(h, 1 - mover)
        nodes = [h.node, *self._rules.tree.nodes[h.node].child]  # before the move, and after each action
        weights = seen.spread(seen.sums.weights(nodes, h.state), h.state)
        before, *after = (int(weight) for weight in weights[:, 0])
        return [Fraction(weight, before) for weight in after]

    def _against(self, h: History, player: int) -> Against:
        return Against(self._rules, self._profile, player, [h[player]])

    def other_hands(self, h: History) -> list[tuple[int, Fraction]]:
        """Return the possible hands of the mover's opponent, with weights proportional to the hands' probabilities."""
        player = self._rules.player(h)
        y = self._against(h, player).sums.weights([h.node], h.state)[0]
        apart = (self._rules.deal.apart if player == 0 else self._rules.deal.apart.T)[h[player]]
        return [(j, Fraction(int(y[j]))) for j in np.flatnonzero(apart * (y != 0)).tolist()]

    def losses(self, h: History) -> tuple[Fraction, ...] | None:
        """Return the cost of each action of the mover, or None if the opponent's strategy never leads to the history.

        The cost of an action is the exact value of the best action minus the exact value of this action.
        """
        against = self._against(h, self._rules.player(h))
        payoffs = against.payoffs(against.at(h.node, h.state))
        return None if payoffs is None else tuple(max(payoffs) - payoff for payoff in payoffs)

    def every_loss(self, player: int) -> list[tuple[NDArray[np.int64], FloatArray]]:
        """Return the cost of every action of a player: see :class:`tremble.game.hands.HandsInPlay`."""
        losses = every_loss(self._rules, self._profile, player)
        return [
            (each.rows(player), table.reshape(-1, table.shape[2], 1))
            for each, table in zip(self._deals, losses, strict=True)
        ]
