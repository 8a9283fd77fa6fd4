"""Goofspiel, the game of pure strategy: bid cards for prizes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Annotated, Any, Literal

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.counting import zero_sum_counts
from tremble.games.parameters import Bounds, Rules

__all__ = ["Goofspiel"]

History = tuple[int, ...]
"""Prize, bid of player 1, bid of player 2, next prize, ..."""


@dataclass(frozen=True)
class Goofspiel(Rules):
    """Both players bid a card for each prize; the higher bid takes it, a tie discards it.

    Hands and prizes are 1, ..., cards. Player 2 bids without seeing player 1's bid; then both are shown.
    The payoff is the difference of the scores. The forced last bids are decisions like any other.

    Parameters
    ----------
    cards : int
        Cards in each hand, and prizes.
    order : {"random", "increasing"}
        Whether prizes are drawn (a chance node where two or more are left) or come in increasing order.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(Goofspiel()).num_infosets
    (273, 273)

    References
    ----------
    S. M. Ross, "Goofspiel: the game of pure strategy", Journal of Applied Probability 8, 1971.
    """

    cards: Annotated[int, Bounds(1, 50)] = 3
    order: Literal["random", "increasing"] = "random"

    @property
    def title(self) -> str:
        """What the game is called."""
        return f"Goofspiel with {self.cards} cards" + (", prizes increasing" if self.order == "increasing" else "")

    def _left(self, used: History) -> list[int]:
        return [card for card in range(1, self.cards + 1) if card not in used]

    def _next_prize(self, h: History) -> History:
        """Add the next prize where nothing is random about it."""
        prizes = self._left(h[::3])
        return (*h, prizes[0]) if len(prizes) == 1 or (prizes and self.order == "increasing") else h

    def root(self) -> History:
        """No bids; the first prize if it is certain."""
        return self._next_prize(())

    def player(self, h: History) -> int:
        """Chance, player 1, player 2, in turns."""
        if len(h) == 3 * self.cards:
            return TERMINAL
        return (CHANCE, 0, 1)[len(h) % 3]

    def actions(self, h: History) -> tuple[str, ...]:
        """Cards or prizes that are left."""
        return tuple(map(str, self._left(h[len(h) % 3 :: 3])))

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """All prizes that are left are equally likely."""
        count = self.cards - len(h) // 3
        return (Fraction(1, count),) * count

    def child(self, h: History, i: int) -> History:
        """One more prize or bid."""
        h = (*h, self._left(h[len(h) % 3 :: 3])[i])
        return self._next_prize(h) if len(h) % 3 == 0 else h

    def infoset(self, h: History) -> str:
        """Past rounds and the current prize, such as ``"2:1-3 3:"`` (prize 2, bids 1 and 3; prize 3)."""
        past = [f"{h[k]}:{h[k + 1]}-{h[k + 2]} " for k in range(0, len(h) - 2, 3)]
        return f"{''.join(past)}{h[len(h) // 3 * 3]}:"

    def payoff(self, h: History) -> tuple[int, int]:
        """Difference of the scores."""
        margin = sum(h[k] * ((h[k + 1] > h[k + 2]) - (h[k + 1] < h[k + 2])) for k in range(0, len(h), 3))
        return margin, -margin

    def utility_bounds(self) -> tuple[int, int]:
        """At most all prizes."""
        most = self.cards * (self.cards + 1) // 2
        return -most, most

    def counts(self) -> dict[str, Any]:
        """Sizes, in the form of ``tremble info``, without building the tree."""
        left = range(self.cards, 0, -1)
        drawn = [k if self.order == "random" else 1 for k in left]
        before = [prod(drawn[:k]) * prod(left[:k]) ** 2 for k in range(self.cards + 1)]  # histories before round k
        bids = [before[k] * drawn[k] for k in range(self.cards)]
        replies = sum(bid * k for bid, k in zip(bids, left, strict=True))
        return zero_sum_counts(
            chance=sum(h for h, k in zip(before, drawn, strict=False) if k > 1),
            player=[sum(bids), replies],
            terminal=before[-1],
            information_sets=[sum(bids)] * 2,
            sequences=[1 + replies] * 2,
            max_depth=2 * self.cards + sum(k > 1 for k in drawn),
        )
