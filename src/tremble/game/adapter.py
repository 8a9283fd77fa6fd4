"""The interface for all kinds of games (trees, rules, ordered games such as poker), and the values of a profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, Literal, TypeVar

from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair

__all__ = ["Kind", "KindName", "Listener", "Responses", "UnbuiltKind"]

KindName = Literal["tree", "rules", "ordered"]

Listener = Callable[[str], None]
"""A progress function. A long call passes texts to this function, which may raise an exception to stop the call."""

G = TypeVar("G", bound=GameTree | UnbuiltGame)
S = TypeVar("S")


@dataclass(frozen=True)
class Responses:
    """The expected payoffs of two strategies, and each player's best response to the other player's strategy.

    Each field is a pair: player 1, then player 2. The best responses are pure. If the game is not a tree, a best
    response lists only the information sets that it reaches.
    """

    values: tuple[Number, Number]
    best_values: tuple[Number | None, Number | None]  # payoffs of ``best``; None without perfect recall
    best: tuple[BehaviorStrategy | UnbuiltStrategy | None, BehaviorStrategy | UnbuiltStrategy | None]
    reasons: tuple[str | None, str | None] = (None, None)  # why a player has no best response in ``best``
    not_stated: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # indices of sets for which the profile has no row

    @property
    def gains(self) -> tuple[Number | None, Number | None]:
        """Gain of each player from deviating to a best response; None if the best response is unknown."""
        return pair(None if b is None else b - v for b, v in zip(self.best_values, self.values, strict=True))

    @property
    def nash_conv(self) -> Number | None:
        """Sum of the gains of both players; None if one of the gains is unknown."""
        gain1, gain2 = self.gains
        return None if gain1 is None or gain2 is None else gain1 + gain2

    @property
    def exploitability(self) -> Number | None:
        """Half of NashConv, or None if NashConv is unknown."""
        return None if self.nash_conv is None else Fraction(self.nash_conv) / 2


@dataclass(eq=False)
class Kind(Generic[G, S]):
    """An adapter for one game, with the same methods for every kind of game.

    Attributes
    ----------
    name : str
    strategy : type
        The class of strategies for this kind of game.
    one_processor : bool
        True if methods for this kind of game use only one processor.
    game : GameTree or UnbuiltGame
    """

    name: ClassVar[KindName]
    strategy: ClassVar[type[Any]]
    one_processor: ClassVar[bool] = False
    game: G

    def first_profile(self) -> tuple[S, S]:
        """Return a simple profile, which is the result of a run that stops before any method has a result."""
        raise NotImplementedError

    def respond(self, profile: tuple[S, S], progress: Listener | None = None) -> Responses:
        """Return the values of a profile and the exact best responses to it."""
        raise NotImplementedError

    def payoff_range(self, player: int = 0) -> Fraction:
        """Return the largest payoff of a player minus the smallest."""
        raise NotImplementedError

    def pot(self) -> Fraction | None:
        """Return the chips that are in the pot before the first move, or None if the game has no pot."""
        return None

    def checking_seconds(self) -> float | None:
        """Estimate the seconds that the checker needs for a profile; return None if no estimate is known."""
        return None

    def writing_seconds(self) -> float:
        """Estimate the seconds for evaluating a profile once and writing its file; 0 if they are negligible."""
        return 0.0

    def sides(self, profile: tuple[S, S]) -> tuple[Any, Any]:
        """Return, for each strategy of a profile, an object that looks up the probabilities at an information set.

        Raises
        ------
        CertificateError
            A strategy is malformed.
        """
        raise NotImplementedError

    def shares_of_hand(self, strategy: S, place: Any) -> Mapping[str, Number] | None:
        """Return the probabilities of a hand's actions after some moves, or None if this kind of game has none."""
        return None

    def best_response(self, profile: tuple[S, S], player: int) -> tuple[Number, S] | None:
        """Return the payoff of a player's best response and the response, or None if this kind of game has none."""
        return None

    def assessment(self, profile: tuple[S, S]) -> Any:
        """Return an object that explains choices, as :class:`tremble.solution.assessment.Assessment`, or None."""
        return None

    def audit(self, profile: tuple[S, S], progress: Listener | None = None) -> Any:
        """Return an audit of a profile (:class:`tremble.results.Audit`), or None if this kind of game has none."""
        return None

    def compare(self, first: tuple[S, S], second: tuple[S, S], names: tuple[str, str]) -> Any:
        """Return a comparison of two profiles (:class:`tremble.results.Comparison`), or None."""
        return None

    def facts(self) -> list[tuple[str, str]]:
        """Return pairs (name, text) with facts to show to the user. For trees, return an empty list."""
        return []

    def rows(self, strategy: S) -> Iterable[dict[str, Any]]:
        """Return a strategy as table rows. Implement this method only for strategies not stored by information set."""
        raise NotImplementedError

    def info(self) -> dict[str, Any]:
        """Return the sizes, the sum of the payoffs and the recall of the game: see :func:`tremble.info`."""
        raise NotImplementedError


class UnbuiltKind(Kind[UnbuiltGame, S]):
    """The adapter for games that are not built as trees. The rules may declare sizes of the game."""

    def info(self) -> dict[str, Any]:
        """Return the dict of :func:`tremble.info`, with None for each entry that the rules do not declare.

        If the kind of game has further facts, the entry ``facts`` contains them.
        """
        counts = getattr(self.game.rules, "counts", dict)
        known: dict[str, Any] = counts() or {}
        declared = getattr(self.game.rules, "declared_sum", None)
        if declared is not None:
            known = {"zero_sum": declared == 0, "constant_sum": True, **known}
        if known.get("recall") == ["perfect", "perfect"]:
            known = {**known, "recall_witness": [None, None]}
        sizes = ("nodes", "information_sets", "sequences", "recall", "recall_witness", "max_depth")
        named = {"title": self.game.title, "players": list(self.game.players)}
        sums = ("zero_sum", "constant_sum")
        facts = dict(self.facts())
        found = named | {key: known.get(key) for key in (*sums, *sizes)} | {"digest": self.game.digest}
        return found | ({"facts": facts} if facts else {})
