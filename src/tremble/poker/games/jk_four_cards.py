"""The poker game with two jacks and two kings in Figure 1 of Gilpin and Sandholm (EC 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tremble.games.parameters import Rules
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.games.betting import limit_betting, limit_payoff
from tremble.poker.stage import Line

__all__ = ["JkFourCards"]


@dataclass(frozen=True)
class JkFourCards(OrderedGame, Rules):
    """A poker game with two jacks and two kings, one card for each player, and one bet.

    The ante is 1, and the bet is 1. Player 1 checks or bets. If player 1 checks, player 2 checks or bets. After a bet,
    the other player folds or calls. The two jacks are equivalent, and the two kings are equivalent. So a lossless
    abstraction reduces the 113 nodes of the game tree to 39.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(JkFourCards()).num_nodes
    113

    References
    ----------
    A. Gilpin and T. Sandholm, "Finding equilibria in large sequential games of imperfect information", EC 2006,
    Figure 1.
    """

    title = "Four-card poker with jacks and kings"
    signals = ("J1", "J2", "K1", "K2")

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The only round, which deals a card to each player and contains the betting."""
        return (Round(limit_betting(1), private=1),)

    def strength(self, public: Signals, private: Signals) -> int:
        """Return the strength of a card. Kings beat jacks."""
        return private[0] // 2

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        """Return the payoffs. The winner gains the loser's ante, and also the loser's bet if a bet was called."""
        return limit_payoff(lines, ranks, 1, (1,))
