"""The adapter for turns and locked rivers of Texas Hold'em."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tremble.game.adapter import KindName, Listener, Responses, UnbuiltKind
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.plans import rounded_strategy, safe_bits
from tremble.poker.holdem.tables import turn_rows
from tremble.poker.responses import responses
from tremble.poker.strategy import OrderedStrategy

__all__ = ["HoldemKind"]

_SECONDS_PER_WEIGHT = 1e-7  # the seconds that the checker needs for each weight of a strategy (measured)
_NOT_LISTED = "for a Hold'em game, only the value of a best response is computed, not its actions"


class HoldemKind(UnbuiltKind[OrderedStrategy]):
    """The adapter for turns and locked rivers; its base classes describe the methods."""

    name: ClassVar[KindName] = "ordered"
    strategy = OrderedStrategy

    @property
    def rules(self) -> HoldemGame:
        """The rules of the game."""
        assert isinstance(self.game.rules, HoldemGame)
        return self.game.rules

    def first_profile(self) -> tuple[OrderedStrategy, OrderedStrategy]:
        """Return the uniform strategies of both players."""
        tree, deal = self.rules.tree, self.rules.deal
        found = []
        for player in (0, 1):
            rows = tree.rows[player].by_street
            hands = len(deal.cards[player])
            sums: list[Any] = [np.ones((count, hands)) for count in rows]
            if self.rules.streets == 2:
                sums[1] = np.ones((len(deal.leading), rows[1], hands))
            found.append(rounded_strategy(self.rules, player, sums, safe_bits(self.rules)))
        return found[0], found[1]

    def respond(self, profile: tuple[OrderedStrategy, OrderedStrategy], progress: Listener | None = None) -> Responses:
        """Compute the values of both players' best responses to a profile, but not the actions of the responses."""
        return responses(self.game, profile, _NOT_LISTED, progress)

    def payoff_range(self, player: int = 0) -> Fraction:
        """Return the largest payoff of a player minus the smallest."""
        gains = [
            self.rules.gains(leaf, better)[player]
            for leaf, node in enumerate(self.rules.tree.nodes)
            if not node.child
            for better in (-1, 0, 1)
        ]
        return max(gains) - min(gains)

    def facts(self) -> list[tuple[str, str]]:
        """Return the numbers of hands and of river cards, and the memory that a solution needs."""
        rules = self.rules
        hands = [len(cards) for cards in rules.deal.cards]
        leading, rivers = len(rules.deal.leading), len(rules.deal.rivers)
        alike = f", {leading} of them with tables of their own" if leading < rivers else ""
        return [
            ("hands", f"{hands[0]:,} of player 1, {hands[1]:,} of player 2"),
            ("river cards", f"{rivers}{alike}"),
            ("memory", f"{rules.table_bytes() / 1e6:,.0f} MB for the tables of a solution"),
        ]

    def rows(self, strategy: OrderedStrategy) -> Iterator[dict[str, Any]]:
        """Return a table row for each hand, line of moves and action."""
        return turn_rows(self.rules, strategy)

    def checking_seconds(self) -> float:
        """Use the number of weights to estimate how many seconds the checker needs."""
        return _SECONDS_PER_WEIGHT * self.rules.table_bytes() / 8
