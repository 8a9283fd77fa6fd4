"""An auction by rising bids, as an ordered game that is not poker: what is dealt is what the good is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from tremble.errors import SpecError
from tremble.games.parameters import Bounds, Rules
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.stage import OVER, Leaf, Line, Move, StageTree

__all__ = ["Auction"]

_PASS = "pass"


@dataclass(frozen=True)
class Auction(OrderedGame, Rules):
    """Two bidders who know only their own valuations raise each other's bids until one passes.

    Each bidder draws a valuation, from 1 to ``values``; ``copies`` of each are in the urn, so that with one copy nobody
    has the other's valuation. Player 1 bids from 1 to ``top`` or passes, then player 2 bids more or passes, and so on.
    Who passes after a bid lets the other have the good for that bid; nobody has it if both pass. Its buyer gains the
    valuation less the bid, which may be a loss, the other nothing. With ``sum=zero`` both want to gain more than the
    other: payoffs are the differences of gains.

    Parameters
    ----------
    values : int
    copies : int
        With more than one, slips of one valuation are told apart by a letter, which does not matter.
    top : int
        The highest bid.
    sum : str
        ``zero`` or ``general``: whether payoffs are differences of gains, or the gains themselves.

    Examples
    --------
    The letters are what a lossless abstraction leaves out:

    >>> from tremble.poker.abstraction.lossless import lossless_filter
    >>> game = Auction(values=5, copies=3)
    >>> len(game.signals), lossless_filter(game).num_classes(0)
    (15, (5,))
    """

    values: Annotated[int, Bounds(1, 30)] = 4
    copies: Annotated[int, Bounds(1, 26)] = 2
    top: Annotated[int, Bounds(1, 10)] = 3
    sum_: Literal["zero", "general"] = "zero"

    compares = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.values * self.copies <= 64:
            raise SpecError(
                f"values={self.values} and copies={self.copies} is not allowed; expected from 2 to 64 slips in all"
            )

    @property
    def title(self) -> str:
        """What the game is called."""
        gains = "" if self.sum_ == "zero" else ", gains of any sum"
        return f"Auction with {self.values} valuations, {self.copies} of each, bids up to {self.top}{gains}"

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """The slips, by valuation."""
        letters = "abcdefghijklmnopqrstuvwxyz"[: self.copies] if self.copies > 1 else [""]
        return tuple(f"{value}{letter}" for value in range(1, self.values + 1) for letter in letters)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """A valuation each, then the bids."""
        return (Round(StageTree.grow(self._after), private=1),)

    def _after(self, line: Line) -> Move | Leaf:
        bid = _standing(line)
        if bid == self.top or (line and line[-1] == _PASS and (bid or len(line) == 2)):
            return OVER
        return Move(len(line) % 2, (_PASS, *(str(more) for more in range(bid + 1, self.top + 1))))

    def strength(self, public: Signals, private: Signals) -> int:
        """The valuation."""
        return 1 + private[0] // self.copies

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        """What the buyer gains, to it alone or at the other's expense."""
        (line,) = lines
        bid = _standing(line)
        if not bid:
            return (0, 0)
        buyer = line.index(str(bid)) % 2
        gain = ranks[buyer] - bid
        other = -gain if self.sum_ == "zero" else 0
        return (gain, other) if buyer == 0 else (other, gain)

    def utility_bounds(self) -> tuple[int, int]:
        """Nobody gains or loses more than all but the lowest bid, or bids more than the top for the least."""
        most = max(self.values, self.top) - 1
        return -most, most


def _standing(line: Line) -> int:
    """The highest bid so far; 0 if there is none."""
    return max((int(label) for label in line if label != _PASS), default=0)
