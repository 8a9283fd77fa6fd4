"""Goofspiel, also called the game of pure strategy, in which players bid cards for prizes."""

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
"""A history: first prize, bid of player 1, bid of player 2, second prize, ..."""


@dataclass(frozen=True)
class Goofspiel(Rules):
    """Both players bid a card for each prize; the higher bid wins the prize, and a tie discards it.

    The cards in each hand, and the prizes, are the numbers 1, ..., ``cards``. Player 2 bids without seeing player 1's
    bid. Then both bids are shown. A score is the sum of the prizes won, and the payoff is the difference of the scores.
    The last bids are forced, but they are decisions in the tree.

    Parameters
    ----------
    cards : int
        Number of cards in each hand. The number of prizes is the same.
    order : {"random", "increasing"}
        Order of the prizes. If it is random, a chance node draws each prize until only one prize is left.

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
        """Title of the game."""
        return f"Goofspiel with {self.cards} cards" + (", prizes increasing" if self.order == "increasing" else "")

    def _left(self, used: History) -> list[int]:
        return [card for card in range(1, self.cards + 1) if card not in used]

    def _next_prize(self, h: History) -> History:
        """Append the next prize to a history, unless no prize is left or a chance node must draw the prize."""
        prizes = self._left(h[::3])
        return (*h, prizes[0]) if len(prizes) == 1 or (prizes and self.order == "increasing") else h

    def root(self) -> History:
        """Return the history before all bids. It contains the first prize, or is empty if chance draws this prize."""
        return self._next_prize(())

    def player(self, h: History) -> int:
        """Return the player to move: chance, player 1 and player 2 take turns."""
        if len(h) == 3 * self.cards:
            return TERMINAL
        return (CHANCE, 0, 1)[len(h) % 3]

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the cards that the mover has left. If chance moves, return the prizes that are left."""
        return tuple(map(str, self._left(h[len(h) % 3 :: 3])))

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Return equal probabilities for all prizes that are left."""
        count = self.cards - len(h) // 3
        return (Fraction(1, count),) * count

    def child(self, h: History, i: int) -> History:
        """Return the history after action i, which adds a prize or a bid."""
        h = (*h, self._left(h[len(h) % 3 :: 3])[i])
        return self._next_prize(h) if len(h) % 3 == 0 else h

    def infoset(self, h: History) -> str:
        """Return the past rounds and the current prize. In ``"2:1-3 3:"``, the bids for prize 2 were 1 and 3."""
        past = [f"{h[k]}:{h[k + 1]}-{h[k + 2]} " for k in range(0, len(h) - 2, 3)]
        return f"{''.join(past)}{h[len(h) // 3 * 3]}:"

    def payoff(self, h: History) -> tuple[int, int]:
        """Return the difference of the scores for player 1, and its negative for player 2."""
        margin = sum(h[k] * ((h[k + 1] > h[k + 2]) - (h[k + 1] < h[k + 2])) for k in range(0, len(h), 3))
        return margin, -margin

    def utility_bounds(self) -> tuple[int, int]:
        """Return bounds for player 1's payoff: plus and minus the sum of all prizes."""
        most = self.cards * (self.cards + 1) // 2
        return -most, most

    def counts(self) -> dict[str, Any]:
        """Compute the sizes, in the form of ``tremble info``, without building the tree."""
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
