"""Games in which hands are dealt: the plain data that pictures, tables and play read, and the adapter that makes it.

A *spot* is a public state with the line of the rounds before. It has a *panel* for each decision of the round. The rows
of a panel are hands that a strategy plays alike, from the weakest to the strongest: by their chance to win a showdown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.game.adapter import UnbuiltKind
from tremble.integers import FloatArray

__all__ = ["HandRow", "HandsInPlay", "HandsKind", "Panel", "Place", "Spot"]

IntArray = NDArray[np.int64]
Signals = tuple[int, ...]
S = TypeVar("S")


@dataclass(frozen=True)
class HandRow:
    """Hands that are played alike."""

    name: str  # a hand, or its rank if it stands for others
    hands: tuple[Signals, ...]
    number: int  # of the class
    probabilities: tuple[float, ...]  # of each action
    share: float  # of all hands with which play reaches the decision
    comes: float  # how often the player's own strategy reaches the decision with them
    dealt: float  # how likely they are to be dealt, beside the other rows


@dataclass(frozen=True)
class Panel:
    """A decision, at a public state and after a line."""

    player: int
    line: tuple[str, ...]  # labels of the moves of the round
    actions: tuple[str, ...]
    likely: float  # that both players reach it, given the public state and the line before
    make_rows: Callable[[], tuple[HandRow, ...]] = field(repr=False)

    @cached_property
    def rows(self) -> tuple[HandRow, ...]:
        """The hands, the weakest first. They are made on first use, because few of a thousand panels are shown."""
        return self.make_rows()

    @cached_property
    def overall(self) -> tuple[float, ...]:
        """The mean probability of each action over the hands that reach the decision.

        If no hand reaches it, the hands are weighted as they are dealt.
        """
        weights = np.array([row.share for row in self.rows])
        if not weights.sum():
            weights = np.array([row.dealt for row in self.rows])
        shares: FloatArray = weights @ np.array([row.probabilities for row in self.rows]) / weights.sum()
        return tuple(shares.tolist())


@dataclass(frozen=True)
class Place:
    """A public state, and the moves so far."""

    round: int
    state: int
    line: int | None  # number of the line of the rounds before; None for the likeliest
    node: int = 0  # of the stage, at which the decisions begin


@dataclass(frozen=True)
class Spot:
    """A public state with the line before, and all decisions of the round from some node on."""

    round: int
    public: Signals
    lines: tuple[tuple[str, ...], ...]
    panels: tuple[Panel, ...]
    line: int = 0  # number of the line of the rounds before


class HandsInPlay(Protocol):
    """A profile for a game in which hands are dealt. It is asked at histories of the rules where a player moves."""

    def probabilities(self, h: Any) -> Sequence[Fraction]:
        """Return what the mover's strategy plays."""

    def overall(self, h: Any) -> Sequence[Fraction]:
        """Return the mover's play, averaged over all hands that it may have as far as the other player knows."""

    def other_hands(self, h: Any) -> list[tuple[Signals, Fraction]]:
        """Return the hands that the other player may have as far as the mover knows, with likelihoods in any scale."""

    def losses(self, h: Any) -> tuple[Fraction, ...] | None:
        """Return the exact cost of each action; None if the other player's strategy never comes here."""

    def every_loss(self, player: int) -> list[tuple[IntArray, FloatArray]]:
        """Return the cost of every action of a player, as floats.

        Each round has a pair: the row of every own node, and the costs, [rows, sequences but the empty one, lines of
        the rounds before]. A cost is NaN where the other player's strategy never arrives, and 0 for a hand that is
        never dealt.
        """


class HandsKind(UnbuiltKind[S]):
    """A kind of game in which hands are dealt."""

    @property
    def deals(self) -> Sequence[Any]:
        """The deals of each round as arrays: see :class:`tremble.poker.deals.RoundDeals`."""
        raise NotImplementedError

    def faults(self, profile: tuple[S, S]) -> Iterator[str]:
        """Yield the reasons why strategies do not fit the deals."""
        raise NotImplementedError

    def place(self, board: str | None, line: str | None) -> Place:
        """Find a place by the names of the public signals and by the moves so far.

        Raises
        ------
        SpecError
            No place has these signals and moves.
        """
        raise NotImplementedError

    def spot(self, profile: tuple[S, S], place: Place) -> Spot:
        """Return what both players do at a place."""
        raise NotImplementedError

    def hand_order(self, number: int, state: int) -> IntArray:
        """Order the hands at a public state of a round: first those that win a showdown least often."""
        raise NotImplementedError

    def in_play(self, profile: tuple[S, S]) -> HandsInPlay:
        """Return the play of a profile, history by history."""
        raise NotImplementedError
