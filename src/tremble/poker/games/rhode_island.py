"""Rhode Island Hold'em, with one private card for each player, two public cards, and three rounds of limit betting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.games.kuhn import rank_names
from tremble.games.parameters import Bounds, Rules
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.games.betting import limit_betting, limit_payoff
from tremble.poker.stage import Line

__all__ = ["RhodeIsland"]

_SUITS = "cdhsabefgijklmno"
_ANTE, _BETS = 5, (10, 20, 20)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


@dataclass(frozen=True)
class RhodeIsland(OrderedGame, Rules):
    """Rhode Island Hold'em: one private card each, two public cards, and limit betting in three rounds.

    The ante is 5. There are three rounds of betting:

    1. After the private cards, bets are 10.
    2. After the first public card, which is called the flop, bets are 20.
    3. After the second public card, which is called the turn, bets are 20.

    Player 1 moves first in every round. The player with the better hand of three cards wins. The categories of hands,
    from best to worst, are straight flush, three of a kind, straight, flush, pair and high card. In the straight A-2-3,
    the ace is the lowest card.

    Parameters
    ----------
    ranks : int
        The number of ranks.
    suits : int
        The number of suits.
    raises : int
        The largest total number of bets and raises in a round.

    Examples
    --------
    >>> RhodeIsland().signals[:5], RhodeIsland().strength((0, 4), (48,)) < RhodeIsland().strength((0, 4), (8,))
    (('2c', '2d', '2h', '2s', '3c'), True)

    References
    ----------
    J. Shi and M. Littman, "Abstraction methods for game theoretic poker", Computers and Games, 2001.
    """

    ranks: Annotated[int, Bounds(1, 16)] = 13
    suits: Annotated[int, Bounds(1, 16)] = 4
    raises: Annotated[int, Bounds(0, 10)] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 4 <= self.ranks * self.suits <= 64:
            raise SpecError(f"ranks={self.ranks} and suits={self.suits} is not allowed; expected from 4 to 64 cards")

    @property
    def title(self) -> str:
        """The title of the game."""
        title = "Rhode Island Hold'em"
        if (self.ranks, self.suits) != (13, 4):
            title += f", {_counted(self.ranks, 'rank')} and {_counted(self.suits, 'suit')}"
        return title if self.raises == 3 else f"{title}, at most {_counted(self.raises, 'bet')} a round"

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """The cards, sorted by rank and then by suit."""
        return tuple(rank + suit for rank in rank_names(self.ranks) for suit in _SUITS[: self.suits])

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The three rounds, which deal the private cards, the flop and the turn."""
        stage = limit_betting(self.raises)
        return Round(stage, private=1), Round(stage, public=1), Round(stage, public=1)

    def strength(self, public: Signals, private: Signals) -> int:
        """Return the strength of the hand of three cards."""
        return int(self.strengths(np.array([public]), np.array([[private]]))[0, 0])

    def strengths(self, public: NDArray[Any], private: NDArray[Any]) -> NDArray[np.int64]:
        """Return the strengths of many hands. A higher category wins, and ranks decide within a category.

        Before the last public card, all strengths are 0.
        """
        count, hands = private.shape[:2]
        if public.shape[1] < 2:
            return np.zeros((count, hands), dtype=np.int64)
        cards = np.concatenate([np.broadcast_to(public[:, None, :], (count, hands, 2)), private], axis=2)
        rank, suit = np.divmod(cards.astype(np.int64), self.suits)
        rank.sort(axis=2)
        low, middle, high = rank[..., 0], rank[..., 1], rank[..., 2]
        flush = (suit[..., 0] == suit[..., 1]) & (suit[..., 1] == suit[..., 2])
        wheel = (low == 0) & (middle == 1) & (high == self.ranks - 1)
        straight = ((low + 1 == middle) & (middle + 1 == high)) | wheel
        three = (low == middle) & (middle == high)
        pair = ((low == middle) | (middle == high)) & ~three
        kind = np.select([straight & flush, three, straight, flush, pair], [5, 4, 3, 2, 1], 0)
        in_order = (high * 16 + middle) * 16 + low
        paired = (middle * 16 + np.where(low == middle, high, low)) * 16
        top = np.where(wheel & (self.ranks > 3), 1, high)
        detail = np.where(kind == 1, paired, np.where((kind == 3) | (kind == 5), top, in_order))
        strength: NDArray[np.int64] = kind * 16**3 + detail
        return strength

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        """Return the payoffs. The winner gains the loser's ante and matched bets."""
        return limit_payoff(lines, ranks, _ANTE, _BETS)
