"""Liar's dice for two players, with the rules of OpenSpiel."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Annotated, Any

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.counting import zero_sum_counts
from tremble.games.parameters import Bounds, Rules

__all__ = ["LiarsDice"]

History = tuple[tuple[int, ...], tuple[int, ...]]
"""A history: dice rolled so far, player 1's dice first, and bids so far. Bids have numbers from 0. "Liar" is last."""


@dataclass(frozen=True)
class LiarsDice(Rules):
    """Players with hidden dice make higher and higher bids, until one player calls the other a liar.

    Each die is rolled at its own chance node. A bid "q-f" claims that at least q of all dice show face f. The highest
    face counts as every face. A player sees which faces its own dice show, but not in which order they fell. Bids are
    ordered by the quantity q and then by the face f. The player who is called a liar wins 1 if the bid is true, and
    otherwise loses 1. Labels and order of actions are as in OpenSpiel's ``liars_dice``.

    Parameters
    ----------
    dice : int
        Number of dice of each player.
    faces : int
        Number of faces of a die.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(LiarsDice(faces=2)).num_infosets
    (16, 16)

    References
    ----------
    M. Lanctot et al., "OpenSpiel: a framework for reinforcement learning in games", 2019.
    """

    dice: Annotated[int, Bounds(1, 10)] = 1
    faces: Annotated[int, Bounds(1, 20)] = 6

    @property
    def title(self) -> str:
        """Title of the game."""
        return f"Liar's dice, {self.dice} {'die' if self.dice == 1 else 'dice'} each with {self.faces} faces"

    @property
    def _liar(self) -> int:
        return 2 * self.dice * self.faces

    def _bid(self, bid: int) -> str:
        quantity, face = divmod(bid, self.faces)
        return "Liar" if bid == self._liar else f"{quantity + 1}-{face + 1}"

    def root(self) -> History:
        """Return the history before the first roll."""
        return (), ()

    def player(self, h: History) -> int:
        """Return the player to move: chance rolls the dice, and then players take turns until one says "Liar"."""
        rolls, bids = h
        if len(rolls) < 2 * self.dice:
            return CHANCE
        return TERMINAL if bids and bids[-1] == self._liar else len(bids) % 2

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the faces at a chance node. At other nodes, return the higher bids and, after a bid, "Liar"."""
        rolls, bids = h
        if len(rolls) < 2 * self.dice:
            return tuple(f"Roll {face}" for face in range(1, self.faces + 1))
        lowest = bids[-1] + 1 if bids else 0
        return tuple(map(self._bid, range(lowest, self._liar + bool(bids))))

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Return the probabilities of a fair die."""
        return (Fraction(1, self.faces),) * self.faces

    def child(self, h: History, i: int) -> History:
        """Return the history after action i, which adds a die or a bid."""
        rolls, bids = h
        if len(rolls) < 2 * self.dice:
            return (*rolls, i + 1), ()
        return rolls, (*bids, i + (bids[-1] + 1 if bids else 0))

    def infoset(self, h: History) -> str:
        """Return the dice of the mover, sorted, and the bids, such as ``"3 1-2 2-5"``."""
        rolls, bids = h
        mine = rolls[: self.dice] if len(bids) % 2 == 0 else rolls[self.dice :]
        dice = ("" if self.faces < 10 else ",").join(map(str, sorted(mine)))
        return " ".join((dice, *map(self._bid, bids)))

    def payoff(self, h: History) -> tuple[int, int]:
        """Return 1 for the winner and -1 for the loser."""
        rolls, bids = h
        quantity, face = divmod(bids[-2], self.faces)
        matches = sum(die in (face + 1, self.faces) for die in rolls)
        bidder = len(bids) % 2  # 0 if player 1 made the bid before "Liar", bids[-2]
        return (1, -1) if (matches > quantity) == (bidder == 0) else (-1, 1)

    def utility_bounds(self) -> tuple[int, int]:
        """Return the bounds -1 and 1 for player 1's payoff."""
        return -1, 1

    def counts(self) -> dict[str, Any]:
        """Compute the sizes of the game for ``tremble info``, without building the tree."""
        hands = comb(self.dice + self.faces - 1, self.dice)
        half = 2 ** (self._liar - 1)  # number of ascending lists of bids with even length, and with odd length
        rolls = self.faces ** (2 * self.dice)
        return zero_sum_counts(
            chance=sum(self.faces**k for k in range(2 * self.dice)),
            player=[rolls * half] * 2,
            terminal=rolls * (2 * half - 1),
            information_sets=[hands * half] * 2,
            sequences=[1 + hands * (2 * half - 1)] * 2,
            max_depth=2 * self.dice + self._liar + 1,
        )
