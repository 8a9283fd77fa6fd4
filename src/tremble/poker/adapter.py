"""The adapter for ordered games whose tree is not built.

The adapter gives these games the methods that every kind of game has. A strategy is a list of arrays, indexed by
classes of hands. Computations process arrays of all deals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tremble.game.adapter import KindName, Listener, Responses
from tremble.game.hands import HandsKind, IntArray, Place, Spot
from tremble.integers import FloatArray
from tremble.poker.check import deal_all, ordered_faults
from tremble.poker.class_rows import class_rows
from tremble.poker.deals import Deals, RoundDeals
from tremble.poker.game import OrderedGame
from tremble.poker.in_play import InPlay
from tremble.poker.panels import hand_order, place_of, spot_of
from tremble.poker.responses import responses
from tremble.poker.stage import StageTree
from tremble.poker.strategy import OrderedStrategy
from tremble.text.cards import cards_text

__all__ = ["OrderedKind"]

_SECONDS_PER_SEQUENCE = 4e-8  # the seconds that the checker needs for each sequence (measured)
_MOST_SIGNALS = 60  # `facts` lists the names of at most this many signals
_NOT_LISTED = "for an ordered game that is not built, only the value of a best response is computed, not its actions"


class OrderedKind(HandsKind[OrderedStrategy]):
    """The adapter for ordered games; its base classes describe the methods."""

    name: ClassVar[KindName] = "ordered"
    strategy = OrderedStrategy
    one_processor = False

    @property
    def rules(self) -> OrderedGame:
        """The rules of the ordered game."""
        assert isinstance(self.game.rules, OrderedGame)
        return self.game.rules

    def first_profile(self) -> tuple[OrderedStrategy, OrderedStrategy]:
        """Return the uniform strategies of both players."""
        return OrderedStrategy.uniform(self.rules, 0), OrderedStrategy.uniform(self.rules, 1)

    def respond(self, profile: tuple[OrderedStrategy, OrderedStrategy], progress: Listener | None = None) -> Responses:
        """Compute the values of both players' best responses to a profile, but not the actions of the responses.

        Raises
        ------
        CertificateError
            The strategies do not belong to this game, or their numbers are too long.
        """
        return responses(self.game, profile, _NOT_LISTED, progress)

    def payoff_range(self, player: int = 0) -> Fraction:
        """Return a player's greatest payoff minus the player's least payoff, over all deals and moves.

        The result is equal for both players because the payoffs have a constant sum.
        """
        return Deals.of(self.rules).payoff_range

    def facts(self) -> list[tuple[str, str]]:
        """Return two pairs (label, text), which describe the signals and the number of signals dealt in each round."""
        signals = self.rules.signals
        names = cards_text(self.rules)(" ".join(signals[:_MOST_SIGNALS])) + " …" * (len(signals) > _MOST_SIGNALS)
        deals = (f"{each.public} to both, {each.private} to each" for each in self.rules.rounds)
        return [("dealt", f"{len(signals):,}: {names}"), ("rounds", "; ".join(deals))]

    def rows(self, strategy: OrderedStrategy) -> Iterator[dict[str, Any]]:
        """Return a table row for each combination of a class of hands, a history of moves and an action."""
        return class_rows(self.rules, strategy)

    def checking_seconds(self) -> float:
        """Use the number of sequences to estimate how many seconds the checker needs."""
        lines, sequences = 1, 0
        for round_, deals in zip(self.rules.rounds, Deals.of(self.rules).rounds, strict=True):
            sequences += deals.num_nodes * lines * sum(round_.stage.side(player).num_sequences for player in (0, 1))
            lines *= len(round_.stage.going_on)
        return _SECONDS_PER_SEQUENCE * sequences

    # -- hands: tremble.game.hands -------------------------------------------------------------------

    @property
    def num_rounds(self) -> int:
        """The number of rounds."""
        return len(self.rules.rounds)

    def stage(self, number: int) -> StageTree:
        """Return the stage tree of a round."""
        return self.rules.rounds[number].stage

    def classes(self, strategy: OrderedStrategy, number: int) -> IntArray:
        """Return the class of each own node of a round."""
        return strategy.class_of[number]

    def range_weights(self, number: int) -> tuple[FloatArray, FloatArray] | None:
        """Return the weights of both players' hands, or None without ranges."""
        if self.rules.ranges is None:
            return None
        size = self.rules.rounds[0].private
        first = [[tuple(hand[:size]) for hand in state] for state in self.deals[number].hands.tolist()]
        one, two = (
            np.array([[float(range_.get(hand, 0)) for hand in state] for state in first])
            for range_ in self.rules.ranges
        )
        return one, two

    @property
    def deals(self) -> Sequence[RoundDeals]:
        """The deals of each round as arrays."""
        return Deals.of(self.rules).rounds

    def faults(self, profile: tuple[OrderedStrategy, OrderedStrategy]) -> Iterator[str]:
        """Yield the reasons why the strategies of a profile are not strategies of this game."""
        deal = deal_all(self.rules)
        for strategy in profile:
            yield from ordered_faults(deal, strategy)

    def place(self, board: str | None, line: str | None) -> Place:
        """Convert a text of public signals and a text of moves to a round, a public state and a history of moves."""
        return place_of(self.rules, board, line)

    def spot(self, profile: tuple[OrderedStrategy, OrderedStrategy], place: Place) -> Spot:
        """Return the decisions of the round from ``place`` on, with the action probabilities of both players' hands."""
        return spot_of(self.rules, profile, place)

    def hand_order(self, number: int, state: int) -> IntArray:
        """Return the hands at a public state of round ``number``, sorted by their chance to win a showdown."""
        return hand_order(self.rules, number, state)

    def in_play(self, profile: tuple[OrderedStrategy, OrderedStrategy]) -> InPlay:
        """Return an object that plays the strategies of a profile and evaluates single moves."""
        return InPlay(self.rules, profile)
