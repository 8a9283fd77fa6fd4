"""Kuhn poker and its variants as ordered games."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tremble.games.kuhn import SHOWDOWN, OneCardPoker
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.stage import GO_ON, OVER, Leaf, Line, Move, StageTree

__all__ = ["OneCardOrdered"]


@dataclass(frozen=True)
class OneCardOrdered(OrderedGame):
    """Poker with one card for each player as an ordered game, in which the signals are the cards.

    Examples
    --------
    >>> import tremble
    >>> from tremble.games.kuhn import Kuhn
    >>> tremble.solve(tremble.build(OneCardOrdered(Kuhn()))).value
    Fraction(-1, 18)
    """

    rules: OneCardPoker

    @property
    def title(self) -> str:
        """The title of the game."""
        return f"{self.rules.title}, as an ordered game"

    @property
    def signals(self) -> tuple[str, ...]:
        """The cards."""
        return self.rules.card_names

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The only round, which deals a card to each player and contains the betting."""

        def after(line: Line) -> Move | Leaf:
            letters = _letters(line)
            if letters in self.rules.MOVES:
                return Move(*self.rules.MOVES[letters])
            return GO_ON if self.rules.ENDS[letters][1] is SHOWDOWN else OVER

        return (Round(StageTree.grow(after), private=1),)

    def strength(self, public: Signals, private: Signals) -> int:
        """Return the strength of a card, which is its position among the cards."""
        return private[0]

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        """Return the payoffs. The winner gains the loser's stake."""
        stake, winner = self.rules.ENDS[_letters(lines[0])]
        won = stake * (ranks[0] - ranks[1]) if winner is SHOWDOWN else stake if winner == 0 else -stake
        return won, -won


def _letters(line: Line) -> str:
    return "".join(label[0] for label in line)
