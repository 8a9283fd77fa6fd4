"""The poker game with two jacks and two kings that lossless abstraction was first explained with."""

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
    """Two jacks, two kings, one card each, one bet.

    Ante 1, bet 1: player 1 checks or bets, and a bet is folded to or called. The two jacks differ in nothing that
    matters, and neither do the two kings, so that the 113 nodes shrink to 39.

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
        """One card each."""
        return (Round(limit_betting(1), private=1),)

    def strength(self, public: Signals, private: Signals) -> int:
        """Kings beat jacks."""
        return private[0] // 2

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        """Win or lose the ante, and the bet if it was called."""
        return limit_payoff(lines, ranks, 1, (1,))
