"""An auction with rising bids: an ordered game that is not poker, in which valuations of a good are dealt."""

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
    """Two bidders, each with a private valuation, raise each other's bids until one passes.

    Each bidder draws a slip with a valuation from 1 to ``values``. The urn has ``copies`` slips of each valuation, so
    with one copy the two valuations differ. Player 1 bids from 1 to ``top`` or passes, then player 2 bids more or
    passes, and so on. A player who passes after a bid leaves the good to the bidder for that bid. If both pass, neither
    gets it. The buyer gains its valuation less the bid, which may be a loss; the other player gains 0. With
    ``sum=zero``, payoffs are the differences of the gains.

    Parameters
    ----------
    values : int
        The number of valuations.
    copies : int
        The number of slips of each valuation. If there is more than one, a letter distinguishes them.
    top : int
        The highest bid.
    sum : str
        ``zero`` if payoffs are the differences of gains, ``general`` if they are the gains.

    Examples
    --------
    A lossless abstraction removes the letters:

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
        """The title of the game."""
        gains = "" if self.sum_ == "zero" else ", gains of any sum"
        return f"Auction with {self.values} valuations, {self.copies} of each, bids up to {self.top}{gains}"

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """The slips, sorted by valuation."""
        letters = "abcdefghijklmnopqrstuvwxyz"[: self.copies] if self.copies > 1 else [""]
        return tuple(f"{value}{letter}" for value in range(1, self.values + 1) for letter in letters)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """One round: a valuation for each player, then the bids."""
        return (Round(StageTree.grow(self._after), private=1),)

    def _after(self, line: Line) -> Move | Leaf:
        bid = _highest_bid(line)
        if bid == self.top or (line and line[-1] == _PASS and (bid or len(line) == 2)):
            return OVER
        return Move(len(line) % 2, (_PASS, *(str(more) for more in range(bid + 1, self.top + 1))))

    def strength(self, public: Signals, private: Signals) -> int:
        """Return the valuation."""
        return 1 + private[0] // self.copies

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        """Return the gain of the buyer; the other player gains 0, or loses as much if the sum is zero."""
        (line,) = lines
        bid = _highest_bid(line)
        if not bid:
            return (0, 0)
        buyer = line.index(str(bid)) % 2
        gain = ranks[buyer] - bid
        other = -gain if self.sum_ == "zero" else 0
        return (gain, other) if buyer == 0 else (other, gain)

    def utility_bounds(self) -> tuple[int, int]:
        """Return bounds of the payoffs: a buyer gains at most ``values - 1`` and loses at most ``top - 1``."""
        most = max(self.values, self.top) - 1
        return -most, most


def _highest_bid(line: Line) -> int:
    """Return the highest bid so far, or 0 before the first bid."""
    return max((int(label) for label in line if label != _PASS), default=0)
