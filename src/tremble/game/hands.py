"""Plain data about games in which hands are dealt, and the adapter that makes the data.

Pictures, tables and interactive play read the data. A *public state* lists the signals (cards) that both players see.
A *line* is a list of moves. A *spot* is a public state and the line of the earlier rounds. It has a *panel* for each
decision of the current round. A row of a panel is a class of hands that a strategy plays alike; weak hands come first.
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
from tremble.game.kinds import adapter_of
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.integers import FloatArray

__all__ = ["HandRow", "HandValues", "HandsInPlay", "HandsKind", "Panel", "Place", "Spot", "hands_kind", "has_hands"]

IntArray = NDArray[np.int64]
Signals = tuple[int, ...]
S = TypeVar("S")


@dataclass(frozen=True)
class HandRow:
    """A class of hands. A strategy plays each action with the same probability for all hands of a class."""

    name: str  # for example a hand, or the rank that all hands of the class share
    hands: tuple[Signals, ...]
    number: int  # number of the class
    probabilities: tuple[float, ...]  # probability of each action
    share: float  # probability that the player has one of these hands, if play reaches the decision
    comes: float  # probability that the player's own strategy plays towards the decision with these hands
    dealt: float  # proportional to the probability that these hands are dealt
    locked: bool = False  # True if the rules of the game state the probabilities


@dataclass(frozen=True)
class Panel:
    """A decision of a player at a public state, after a line of moves, with a row for each class of hands."""

    player: int
    line: tuple[str, ...]  # labels of the moves before the decision, in the round
    actions: tuple[str, ...]
    likely: float  # probability that play reaches the decision, given the state and the line of the earlier rounds
    make_rows: Callable[[], tuple[HandRow, ...]] = field(repr=False)

    @cached_property
    def rows(self) -> tuple[HandRow, ...]:
        """The rows, weakest hands first. They are made on first use, because few panels of a game are ever shown."""
        return self.make_rows()

    @cached_property
    def overall(self) -> tuple[float, ...]:
        """The mean probability of each action over the rows. Each row has its ``share`` as weight.

        If play never reaches the decision, all shares are 0. Each row then has its ``dealt`` as weight.
        """
        weights = np.array([row.share for row in self.rows])
        if not weights.sum():
            weights = np.array([row.dealt for row in self.rows])
        shares: FloatArray = weights @ np.array([row.probabilities for row in self.rows]) / weights.sum()
        return tuple(shares.tolist())


@dataclass(frozen=True)
class Place:
    """A public state, the moves of the earlier rounds, and a node of the round's betting tree."""

    round: int  # from 0
    state: int  # number of the public state in the round
    line: int | None  # number of the line of the earlier rounds; None for the most likely line
    node: int = 0  # node of the round's betting tree at which the decisions begin


@dataclass(frozen=True)
class Spot:
    """A public state, the moves of the earlier rounds, and all decisions of the round from a given node on."""

    round: int
    public: Signals
    lines: tuple[tuple[str, ...], ...]  # labels of the moves of each earlier round
    panels: tuple[Panel, ...]
    line: int = 0  # number of the line of the earlier rounds


@dataclass(frozen=True)
class HandValues:
    """The expected values (EV) of a player's actions and the equities of the player's hands, in one round.

    The EV of an action is the number of chips that the player expects from the pot, minus the chips that the player
    still adds. The equity is the chance to win a showdown; a tie counts as half. Both are NaN if the opponent's
    strategy never leads to the decision.
    """

    rows: IntArray  # for each hand at each public state, its row in the arrays
    evs: FloatArray  # [rows, nonempty sequences]
    equities: FloatArray  # [rows, decisions]


class HandsInPlay(Protocol):
    """A profile for a game in which hands are dealt. Its methods take a history at which a player moves."""

    def probabilities(self, h: Any) -> Sequence[Fraction]:
        """Return the probability of each action in the mover's strategy."""

    def known(self, h: Any) -> tuple[list[str], list[str]]:
        """Return the names of the mover's signals and of the public signals."""

    def deals_to(self, h: Any) -> int | None:
        """Return the player who gets the signals that chance deals at ``h``; None if both players see them."""

    def with_hand(self, h: Any, player: int, hand: Any) -> Any:
        """Return the history in which a player holds a hand from :meth:`other_hands`, as far as it is dealt."""

    def deal_between(self, h: Any, then: Any) -> int:
        """Return the position of the move of chance that leads from ``h`` to the next history, ``then``."""

    def overall(self, h: Any) -> Sequence[Fraction]:
        """Return the mover's action probabilities: means over the mover's hands, weighted by the opponent's beliefs."""

    def other_hands(self, h: Any) -> list[tuple[Any, Fraction]]:
        """Return the hands that the opponent may hold, with numbers proportional to the mover's beliefs."""

    def losses(self, h: Any) -> tuple[Fraction, ...] | None:
        """Return each action's loss compared with the best action; None if the opponent's strategy excludes ``h``."""

    def every_loss(self, player: int) -> list[tuple[IntArray, FloatArray]]:
        """Return the loss of every action of a player, compared with a best action, as floats.

        The list has two arrays for each round. The first contains, for each hand at each public state, the hand's row
        in the second. The second contains the losses: [rows, nonempty sequences, histories of the earlier rounds].
        A loss is NaN if the other player's strategy never reaches the decision, and 0 if the hand is never dealt.
        """


class HandsKind(UnbuiltKind[S]):
    """The adapter for a game in which hands are dealt."""

    @property
    def num_rounds(self) -> int:
        """The number of rounds of moves."""
        raise NotImplementedError

    def stage(self, number: int) -> Any:
        """Return the moves of a round, with the attributes of :class:`tremble.poker.stage.StageTree`.

        If the moves depend on those of earlier rounds, the attribute ``roots`` lists the first node after each leaf of
        the round before at which play goes on.
        """
        raise NotImplementedError

    def classes(self, strategy: S, number: int) -> IntArray:
        """Return the class of each hand at each public state of a round in a strategy; -1 if it is never dealt."""
        raise NotImplementedError

    def range_weights(self, number: int) -> tuple[FloatArray, FloatArray] | None:
        """Return the weights of both players' hands at the public states of a round, [states, hands], or None.

        The probability of two hands without a common signal is proportional to the product of their weights.
        """
        raise NotImplementedError

    def hand_values(self, profile: tuple[S, S], player: int) -> list[HandValues] | None:
        """Return the values of a player's hands in each round, or None if this kind of game has none."""
        return None

    @property
    def deals(self) -> Sequence[Any]:
        """The deals of each round as arrays: see :class:`tremble.poker.deals.RoundDeals`."""
        raise NotImplementedError

    def faults(self, profile: tuple[S, S]) -> Iterator[str]:
        """Yield the reasons why the strategies of a profile do not fit the deals of this game."""
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
        """Return both players' action probabilities for all hands, at each decision of the round from ``place`` on."""
        raise NotImplementedError

    def hand_order(self, number: int, state: int) -> IntArray:
        """Return the hands at a public state of a round, in ascending order of their chance to win a showdown."""
        raise NotImplementedError

    def in_play(self, profile: tuple[S, S]) -> HandsInPlay:
        """Return an object that gives a profile's action probabilities, beliefs and losses at any history."""
        raise NotImplementedError


def has_hands(game: GameTree | UnbuiltGame) -> bool:
    """Return True if a game is not a tree and deals hands. Call :func:`hands_kind` only for such games."""
    return isinstance(game, UnbuiltGame) and isinstance(adapter_of(game), HandsKind)


def hands_kind(game: UnbuiltGame) -> HandsKind[Any]:
    """Return the :class:`HandsKind` of a game that deals hands; call :func:`has_hands` first.

    Examples
    --------
    >>> import tremble
    >>> hands_kind(tremble.load_rules("rhode_island")).place("7d", "cc").round
    1
    """
    kind = adapter_of(game)
    assert isinstance(kind, HandsKind)
    return kind
