"""The questions that every kind of game answers, and best responses to strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, Literal, TypeVar

from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.tree import GameTree
from tremble.pairs import pair

__all__ = ["Kind", "KindName", "Listener", "Responses"]

KindName = Literal["tree", "rules", "ordered"]

Listener = Callable[[str], None]
"""Called with a text now and then; may raise to stop."""

G = TypeVar("G", bound=GameTree | UnbuiltGame)
S = TypeVar("S")


@dataclass(frozen=True)
class Responses:
    """The result of ``tremble respond`` for a pair of strategies; pairs by player.

    The best responses are pure; in a game that is not built, they have rows at the information sets that they meet.
    """

    values: tuple[Number, Number]
    best_values: tuple[Number | None, Number | None]  # against the other's strategy; None of a player who forgets
    best: tuple[BehaviorStrategy | UnbuiltStrategy | None, BehaviorStrategy | UnbuiltStrategy | None]
    reasons: tuple[str | None, str | None] = (None, None)  # why there is none
    not_stated: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # indices of sets that the file leaves out

    @property
    def gains(self) -> tuple[Number | None, Number | None]:
        """Gain of each player from its best deviation."""
        return pair(None if b is None else b - v for b, v in zip(self.best_values, self.values, strict=True))

    @property
    def nash_conv(self) -> Number | None:
        """Sum of both gains."""
        gain1, gain2 = self.gains
        return None if gain1 is None or gain2 is None else gain1 + gain2

    @property
    def exploitability(self) -> Number | None:
        """Half of NashConv."""
        return None if self.nash_conv is None else Fraction(self.nash_conv) / 2


class Kind(Generic[G, S]):
    """A kind of game, with a game in it.

    Attributes
    ----------
    name : str
    strategy : type
        What a strategy for it is.
    one_processor : bool
        Whether methods keep one processor busy, and not more.
    game : GameTree or UnbuiltGame
    """

    name: ClassVar[KindName]
    strategy: type[S]
    one_processor: ClassVar[bool] = False

    def __init__(self, game: G) -> None:
        self.game = game

    def first_profile(self) -> tuple[S, S]:
        """A simple profile: what there is before any method has begun."""
        raise NotImplementedError

    def respond(self, profile: tuple[S, S], progress: Listener | None = None) -> Responses:
        """Exact best responses to both strategies."""
        raise NotImplementedError

    def payoff_range(self, player: int = 0) -> Fraction:
        """The largest payoff of a player less the smallest."""
        raise NotImplementedError

    def checking_seconds(self) -> float | None:
        """Estimate the seconds that the checker needs for a profile; None if unknown."""
        return None

    def writing_seconds(self) -> float:
        """Estimate the seconds for evaluating a profile once and writing it; 0 if they are few."""
        return 0.0

    def facts(self) -> list[tuple[str, str]]:
        """Describe rules that are not built: names of facts, and what they are."""
        return []

    def rows(self, strategy: S) -> Iterable[dict[str, Any]]:
        """Return the rows of a strategy that has no information sets to list."""
        raise NotImplementedError

    def info(self) -> dict[str, Any]:
        """Sizes and class of the game: see :func:`tremble.info`."""
        raise NotImplementedError
