"""An auction with rising bids, an ordered game in which the signals are valuations of a good."""

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
    """An auction in which two bidders with private valuations outbid each other until one of them passes.

    Each bidder draws a slip with a valuation from 1 to ``values``. The urn has ``copies`` slips of each valuation. If
    ``copies`` is 1, the two valuations differ. Player 1 bids from 1 to ``top`` or passes. Then player 2 makes a higher
    bid or passes, and so on. If a player passes after a bid, the other player buys the good at the price of the bid. If
    both players pass, neither player gets the good. The buyer gains its valuation minus the bid, which may be negative.
    The other player gains 0. The parameter ``sum`` decides how payoffs follow from gains.

    Parameters
    ----------
    values : int
        The number of valuations.
    copies : int
        The number of slips of each valuation. If there are multiple slips, a letter distinguishes them.
    top : int
        The highest allowed bid.
    sum : str
        ``zero``: a player's payoff is its own gain minus the other player's gain. ``general``: the payoff is the gain.

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
                f"values={self.values} and copies={self.copies} is not allowed; expected from 2 to 64 slips in total"
            )

    @property
    def title(self) -> str:
        """The title of the game."""
        gains = "" if self.sum_ == "zero" else ", gains of any sum"
        return f"Auction with {self.values} valuations, {self.copies} of each, bids up to {self.top}{gains}"

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """The slips that chance can deal, sorted by the valuation on the slip."""
        letters = "abcdefghijklmnopqrstuvwxyz"[: self.copies] if self.copies > 1 else [""]
        return tuple(f"{value}{letter}" for value in range(1, self.values + 1) for letter in letters)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The only round, which deals a valuation to each player and contains the bids."""
        return (Round(StageTree.grow(self._after), private=1),)

    def _after(self, line: Line) -> Move | Leaf:
        bid = _highest_bid(line)
        if bid == self.top or (line and line[-1] == _PASS and (bid or len(line) == 2)):
            return OVER
        return Move(len(line) % 2, (_PASS, *(str(more) for more in range(bid + 1, self.top + 1))))

    def strength(self, public: Signals, private: Signals) -> int:
        """Return the valuation on the player's slip."""
        return 1 + private[0] // self.copies

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        """Return the payoffs of both players.

        The buyer gets the valuation minus the bid. The other player gets the negative of this payoff if the game is
        zero-sum, and 0 otherwise.
        """
        (line,) = lines
        bid = _highest_bid(line)
        if not bid:
            return (0, 0)
        buyer = line.index(str(bid)) % 2
        gain = ranks[buyer] - bid
        other = -gain if self.sum_ == "zero" else 0
        return (gain, other) if buyer == 0 else (other, gain)

    def utility_bounds(self) -> tuple[int, int]:
        """Return bounds on the payoffs. A buyer gains at most ``values - 1`` and loses at most ``top - 1``."""
        most = max(self.values, self.top) - 1
        return -most, most


def _highest_bid(line: Line) -> int:
    """Return the highest bid so far, or 0 before the first bid."""
    return max((int(label) for label in line if label != _PASS), default=0)
