"""Leduc poker as an ordered game."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tremble.games.kuhn import rank_names
from tremble.games.leduc import BETS, Leduc
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.games.betting import limit_betting, limit_payoff
from tremble.poker.stage import Line

__all__ = ["LeducCards"]


@dataclass(frozen=True)
class LeducCards(OrderedGame):
    """Leduc poker as an ordered game, in which the signals are the cards with their suits.

    Examples
    --------
    >>> game = LeducCards(Leduc())
    >>> game.signals, game.strength((4,), (5,)) > game.strength((3,), (5,))
    (('Jh', 'Js', 'Qh', 'Qs', 'Kh', 'Ks'), True)
    """

    rules: Leduc

    @property
    def title(self) -> str:
        """The title of the game."""
        return f"{self.rules.title}, with suits"

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """The cards. There are two cards of each rank."""
        return tuple(rank + suit for rank in rank_names(self.rules.ranks) for suit in "hs")

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The two rounds. The first round deals a card to each player, and the second round deals a public card."""
        stage = limit_betting(self.rules.raises)
        return Round(stage, private=1), Round(stage, public=1)

    def strength(self, public: Signals, private: Signals) -> int:
        """Return the strength of a hand. A private card that pairs the public card beats every other hand."""
        rank = private[0] // 2
        return rank + self.rules.ranks * any(card // 2 == rank for card in public)

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        """Return the payoffs. The winner gains the loser's ante and matched bets."""
        return limit_payoff(lines, ranks, 1, BETS)
