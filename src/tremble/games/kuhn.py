"""Kuhn poker, and the base class of poker games with one card for each player and one round of betting.

References
----------
H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games I, 1950.
P. B. Miltersen and T. B. Sørensen, "Computing sequential equilibria for two-player games", SODA 2006.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Annotated, ClassVar

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.parameters import Bounds, Rules

__all__ = ["Kuhn", "deal_label", "rank_names"]

History = tuple[int, int, str]
"""A history: cards of players 1 and 2 (-1 before the deal), and the betting so far with one letter for each action."""

SHOWDOWN = None


class OneCardPoker(Rules):
    """Base class of games in which both players ante 1, get one card, and bet in one round.

    All cards are different. A subclass defines the round of betting. A line of betting consists of the first letters of
    its actions: "cb" is check, bet.
    """

    MOVES: ClassVar[dict[str, tuple[int, tuple[str, ...]]]]
    """A dict from each line of betting that is not final to (player to move, actions)."""

    ENDS: ClassVar[dict[str, tuple[int, int | None]]]
    """A dict from each final line of betting to (chips that the loser has paid, winner or SHOWDOWN)."""

    @property
    @abstractmethod
    def card_names(self) -> tuple[str, ...]:
        """Names of the cards from low to high."""

    @cached_property
    def _deals(self) -> tuple[tuple[int, int], ...]:
        n = len(self.card_names)
        return tuple((a, b) for a in range(n) for b in range(n) if a != b)

    @cached_property
    def _deal_labels(self) -> tuple[str, ...]:
        return tuple(deal_label(self.card_names[a], self.card_names[b]) for a, b in self._deals)

    @cached_property
    def _deal_probabilities(self) -> tuple[Fraction, ...]:
        return (Fraction(1, len(self._deals)),) * len(self._deals)

    def root(self) -> History:
        """Return the history before the deal."""
        return (-1, -1, "")

    def player(self, h: History) -> int:
        """Return the player to move: chance before the deal, and then the player given by the line of betting."""
        if h[0] < 0:
            return CHANCE
        move = self.MOVES.get(h[2])
        return TERMINAL if move is None else move[0]

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the labels of all deals at the root, and the legal actions at any other history."""
        return self._deal_labels if h[0] < 0 else self.MOVES[h[2]][1]

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Return equal probabilities for all deals."""
        return self._deal_probabilities

    def child(self, h: History, i: int) -> History:
        """Return the history after action i, which deals the cards or adds a letter to the line of betting."""
        if h[0] < 0:
            a, b = self._deals[i]
            return (a, b, "")
        return (h[0], h[1], h[2] + self.MOVES[h[2]][1][i][0])

    def infoset(self, h: History) -> str:
        """Return the card of the mover and the line of betting, such as ``"K:cb"``."""
        return f"{self.card_names[h[:2][self.MOVES[h[2]][0]]]}:{h[2]}"

    def payoff(self, h: History) -> tuple[int, int]:
        """Return the payoffs: the winner gets the chips that the loser has paid."""
        stake, winner = self.ENDS[h[2]]
        first_wins = h[0] > h[1] if winner is SHOWDOWN else winner == 0
        return (stake, -stake) if first_wins else (-stake, stake)


@dataclass(frozen=True)
class Kuhn(OneCardPoker):
    """Kuhn poker: both players ante 1, and a player can bet 1.

    Parameters
    ----------
    cards : int
        Size of the deck. The higher card wins. A deck of three cards is J, Q, K.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(Kuhn()).nodes_by_kind
    {'chance': 1, 'player 1': 12, 'player 2': 12, 'terminal': 30}

    References
    ----------
    H. W. Kuhn 1950. The value with three cards is -1/18.
    """

    MOVES = {  # noqa: RUF012 (declared as a class variable above)
        "": (0, ("check", "bet")),
        "c": (1, ("check", "bet")),
        "cb": (0, ("fold", "call")),
        "b": (1, ("fold", "call")),
    }
    ENDS = {"cc": (1, SHOWDOWN), "cbf": (1, 1), "cbc": (2, SHOWDOWN), "bf": (1, 0), "bc": (2, SHOWDOWN)}  # noqa: RUF012

    cards: Annotated[int, Bounds(2, 1000)] = 3

    @property
    def title(self) -> str:
        """Title of the game."""
        return "Kuhn poker" if self.cards == 3 else f"Kuhn poker with {self.cards} cards"

    @property
    def card_names(self) -> tuple[str, ...]:
        """Names of the cards from low to high."""
        return rank_names(self.cards)


_THIRTEEN = tuple("23456789TJQKA")
_THREE = tuple("JQK")


@cache
def rank_names(count: int) -> tuple[str, ...]:
    """Return the names of ranks from low to high.

    With one to three ranks, the highest is the king, as in the literature on Kuhn and Leduc poker. With four to
    thirteen ranks, the highest is the ace. More than thirteen ranks have the names 1, 2, and so on.

    Examples
    --------
    >>> rank_names(3), rank_names(5), rank_names(14)[-1]
    (('J', 'Q', 'K'), ('T', 'J', 'Q', 'K', 'A'), '14')
    """
    if count <= len(_THREE):
        return _THREE[-count:]
    if count <= len(_THIRTEEN):
        return _THIRTEEN[-count:]
    return tuple(str(rank) for rank in range(1, count + 1))


def deal_label(first: str, second: str) -> str:
    """Return the label of a deal of one card to each player: ``"QK"``, or ``"9-14"`` if a name has two characters."""
    return first + second if len(first) == len(second) == 1 else f"{first}-{second}"
