"""Play of an ordered game: action probabilities, possible hands of the opponent, and costs of moves at a history."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.integers import FloatArray
from tremble.poker.choices import probabilities
from tremble.poker.deals import Deals
from tremble.poker.game import History, OrderedGame, Signals
from tremble.poker.ordered_values import OrderedValues
from tremble.poker.strategy import OrderedStrategy

__all__ = ["InPlay"]


class InPlay:
    """An object that plays a profile in an ordered game, with the methods of :class:`tremble.game.hands.HandsInPlay`.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> game = RhodeIsland(ranks=2, suits=2)
    >>> play = InPlay(game, (OrderedStrategy.uniform(game, 0), OrderedStrategy.uniform(game, 1)))
    >>> h = game.child(game.child(game.root(), 3), 0)
    >>> play.probabilities(h), len(play.other_hands(h))
    ((Fraction(1, 2), Fraction(1, 2)), 3)
    """

    def __init__(self, game: OrderedGame, profile: tuple[OrderedStrategy, OrderedStrategy]) -> None:
        self._game, self._profile = game, profile
        self._values = OrderedValues(game, profile)

    def probabilities(self, h: History) -> tuple[Fraction, ...]:
        """Return the probabilities of the mover's actions at a history."""
        player = self._game.player(h)
        return probabilities(self._game, self._profile[player], h.public, h.private[player], h.nodes)

    def known(self, h: History) -> tuple[list[str], list[str]]:
        """Return the mover's signals and the public signals at a history."""
        private, public = h.private[self._game.player(h)], h.public
        return [self._game.signals[s] for s in private], [self._game.signals[s] for s in public]

    def deals_to(self, h: History) -> int | None:
        """Return the player who gets the signals that chance deals at a history; None if all players see them."""
        return h.dealt - 1 if h.dealt else None

    def with_hand(self, h: History, player: int, hand: Signals) -> History:
        """Return the history in which a player holds ``hand``, as far as it is dealt."""
        return h._replace(private=tuple(hand[: len(s)] if p == player else s for p, s in enumerate(h.private)))

    def deal_between(self, h: History, then: History) -> int:
        """Return the position of the move of chance that leads from a history to the next history."""
        seen, now = (g.public if h.dealt == 0 else g.private[h.dealt - 1] for g in (h, then))
        text = self._game.signal_text(now[len(seen) :])
        named = (i for i, action in enumerate(self._game.actions(h)) if action == text)
        return next(i for i in named if self._game.child(h, i) == then)

    def overall(self, h: History) -> list[Fraction]:
        """Return the probability of each action, averaged over the hands that the mover may hold."""
        spot = self._values.spot(h, 1 - self._game.player(h))
        nodes = (spot.stage_node, *self._game.rounds[h.round].stage.child[spot.stage_node])
        before, *after = (int(self._values.range_at(spot, node).sum()) for node in nodes)
        return [Fraction(weight, before) for weight in after]

    def other_hands(self, h: History) -> list[tuple[Signals, Fraction]]:
        """Return the possible hands of the mover's opponent, with weights proportional to the hands' probabilities."""
        spot = self._values.spot(h, self._game.player(h))
        deals, weights = Deals.of(self._game).rounds[spot.round], self._values.range_at(spot)
        hands = deals.hands[spot.node // deals.num_hands]
        return [(tuple(hands[j].tolist()), Fraction(int(weights[j]))) for j in np.flatnonzero(weights).tolist()]

    def losses(self, h: History) -> tuple[Fraction, ...] | None:
        """Return the cost of each action of the mover, or None if the opponent's strategy never leads to the history.

        The cost of an action is the exact value of the best action minus the exact value of this action.
        """
        return self._values.losses(self._values.spot(h, self._game.player(h)))

    def every_loss(self, player: int) -> list[tuple[NDArray[np.int64], FloatArray]]:
        """Return the result of :meth:`OrderedValues.every_loss`: the costs of all actions of a player in all rounds."""
        return self._values.every_loss(player)
