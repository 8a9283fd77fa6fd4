"""Define methods: frozen dataclasses whose fields are their options.

A new method is a file with such a class, and a row in :mod:`tremble.solvers.table`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Protocol, cast

from tremble.arguments import unknown
from tremble.capabilities import method_extension, registered
from tremble.errors import GameError, TooLargeError
from tremble.game.adapter import KindName
from tremble.game.kinds import kind_of
from tremble.game.requirements import require_constant_sum, require_no_absentmindedness, require_perfect_recall
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree, integer_array
from tremble.integers import as_floats
from tremble.lazy import at
from tremble.numbers import format_fraction
from tremble.run.clock import Clock
from tremble.run.progress import Progress
from tremble.solution.claim import Claim, Profile
from tremble.solution.trembles import Trembles
from tremble.words import for_reader

__all__ = [
    "NOT_ASKED_FOR",
    "REFINED",
    "AnyGame",
    "Log",
    "Method",
    "Offer",
    "Reasons",
    "Request",
    "Requirement",
    "Run",
    "Takes",
    "any_rules",
    "as_float",
    "constant_sum",
    "forgetful",
    "logged_seconds",
    "nobody_listens",
    "options_of",
    "perfect_recall",
    "recorded",
    "require_choice",
    "run_method",
    "tree_of",
]

AnyGame = GameTree | UnbuiltGame

Requirement = Callable[[Any, str], None]
"""Check of a game for a concept. It raises a ``GameError`` with what the game lacks."""

Takes = Mapping[KindName, Mapping[str, Requirement]]
Reasons = Mapping[KindName, str]

REFINED = ("quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect", "normal-form-perfect")
"""Refinements that the general methods compute."""

NOT_ASKED_FOR = "none"
"""Value of an option that is not set. It is not recorded."""


class Method(Protocol):
    """A way to compute equilibria.

    Class attributes describe the method. Fields are its options.

    Attributes
    ----------
    name : str
        Name on the command line.
    aliases : tuple of str
        Other names.
    summary : str
        Description in a few words.
    takes : mapping
        Kind of game -> concept -> requirement of the game.
    reasons : mapping
        Kind of game -> reason to choose this method by default, for kinds where it is always the default.
    approximate : bool
        The method only approaches a solution, so it needs a gap to stop at.
    anytime : bool
        The method improves its result while it works. Otherwise it finds its result in one step.
    resumable : bool
        The method can continue from a checkpoint.
    unrecorded : sequence of str
        Options that a solution file leaves out.
    decisive : sequence of str
        Options that choose this method if no method is named: no other method has what they ask for.
    published : bool
        The method is an algorithm as published, for comparison.
    iterations : int or None
        Requested number of iterations, if this decides when to stop. Then any bounds are an answer.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str]
    takes: ClassVar[Takes]
    reasons: ClassVar[Reasons] = {}
    approximate: ClassVar[bool] = False
    anytime: ClassVar[bool] = True
    resumable: ClassVar[bool] = False
    unrecorded: ClassVar[Sequence[str]] = ()
    decisive: ClassVar[Sequence[str]] = ()
    published: ClassVar[bool] = False
    iterations: int | None = None

    @classmethod
    @cache
    def concepts(cls) -> tuple[str, ...]:
        """Return the concepts that the method computes."""
        further = (row.concept for part in registered() for row in part.method_extensions if row.method == cls.name)
        return tuple(dict.fromkeys((*(concept for taken in cls.takes.values() for concept in taken), *further)))

    @classmethod
    def requirement(cls, game: AnyGame, concept: str) -> Requirement | None:
        """Return the requirement of the game; None if the method does not take this kind of game for the concept."""
        kind = kind_of(game).name
        found = cls.takes.get(kind, {}).get(concept)
        row = method_extension(cls.name, kind, concept) if found is None else None
        return found if row is None else cast(Requirement, at(row.requirement))

    def recommended(self, game: Any, concept: str) -> str | None:
        """Return the reason to choose this method by default; None if it is not the default for the game."""
        kind = kind_of(game).name
        row = method_extension(self.name, kind, concept)
        if kind not in self.reasons and row is not None and row.recommended:
            return cast("str | None", at(row.recommended)(self, game))
        return self.reasons.get(kind)

    def accepts(self, game: AnyGame, concept: str) -> None:
        """Raise a ``GameError`` with the reason if the method cannot find such equilibria of the game."""
        require = self.requirement(game, concept)
        if require is None:
            raise self.refusal(game)
        require(game, concept)

    def refusal(self, game: AnyGame) -> GameError:
        """Return the error for a kind of game that the method does not take."""
        if "tree" in self.takes and not isinstance(game, GameTree):
            return _not_built(game)
        takes = " or ".join(map(repr, self.takes)) or "nothing"
        return GameError(f"{game.title} is a game of the kind {kind_of(game).name!r}, and the method takes {takes}")

    def run(self, game: Any, concept: str, run: Run) -> Claim:
        """Find an equilibrium of an accepted game. Call ``run.clock.check()`` in every long loop."""
        ...


def run_method(method: Method, game: AnyGame, concept: str, run: Run) -> Claim:
    """Run a method on a game that it accepts, or the capability that extends it to such games."""
    kind = kind_of(game).name
    row = method_extension(method.name, kind, concept) if concept not in method.takes.get(kind, {}) else None
    claim: Claim = method.run(game, concept, run) if row is None else at(row.run)(method, game, concept, run)
    return claim


@cache
def options_of(method: type[Method]) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields that are options of the command line: those with a ``help``."""
    if not dataclasses.is_dataclass(method):
        return ()
    return tuple(field for field in dataclasses.fields(method) if "help" in field.metadata)


def recorded(method: Method) -> dict[str, Any]:
    """Return the options as a solution file has them, with exact numbers as text."""
    fields = [field for field in options_of(type(method)) if field.name not in method.unrecorded]
    values = {field: getattr(method, field.name) for field in fields}
    nothing = [None, NOT_ASKED_FOR, "auto"]
    asked_for = {
        field: value
        for field, value in values.items()
        if value not in nothing and (not isinstance(value, bool) or value != field.default)
    }
    return {field.name: _plain(value, type(field.default)) for field, value in asked_for.items()}


def _plain(value: Any, kind: type) -> Any:
    """Return an option as plain data."""
    if isinstance(value, Trembles):
        return value.rows() or "uniform"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return format_fraction(Fraction(repr(float(value)))) if kind is float else value


def require_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ``SpecError`` unless a value is one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise unknown(name, value, choices)


# -- what many methods require -----------------------------------------------------------------------


def _not_built(game: AnyGame) -> TooLargeError:
    build = for_reader("build it by tremble.build(rules)", "raise --max-nodes to build it")
    return TooLargeError(
        f"{game.title} is not built, and this method needs the tree: use the method double-oracle, or {build}"
    )


def tree_of(game: AnyGame) -> GameTree:
    """Return the tree of a game; raise ``TooLargeError`` if it is not built."""
    if isinstance(game, GameTree):
        return game
    raise _not_built(game)


def constant_sum(tree: GameTree, _concept: str) -> None:
    """Require payoffs with a constant sum, and perfect recall of both players."""
    require_perfect_recall(tree)  # first, because lemke needs it too
    require_constant_sum(tree, "this method needs one; the method lemke solves games of any sum")


def perfect_recall(tree: GameTree, _concept: str) -> None:
    """Require perfect recall of both players. Payoffs may have any sum."""
    require_perfect_recall(tree)


def forgetful(tree: GameTree, _concept: str) -> None:
    """Require that no path passes an information set twice. Players may forget; payoffs may have any sum."""
    for player in (0, 1):
        require_no_absentmindedness(tree, player)


def any_rules(_game: UnbuiltGame, _concept: str) -> None:
    """Require nothing: the method reports what rules lack while it plays them."""


Offer = Callable[[Callable[[], Profile]], None]
"""Called with a function that makes the best profile so far, in case a limit is reached."""

Log = Callable[[Mapping[str, Any]], None]
"""Called by iterative methods with plain data: at least the iteration, both bounds and the seconds so far.

``solve_seconds_float`` counts from the call of :func:`tremble.solve`. ``seconds_float`` counts from the first iteration
and leaves out compilation by Numba, so that a first run and a second run report alike.
"""


def nobody_listens(*_told: Any) -> None:
    """Ignore a report."""


@dataclass(frozen=True, eq=False)
class Request:
    """Arguments of :func:`tremble.solve`, checked one by one.

    Attributes
    ----------
    gap : Fraction or float, or None
        In payoff units, in whichever units it was given.
    epsilon : Fraction or float, or None
        As a part of the range of the payoffs.
    """

    game: GameTree | UnbuiltGame
    concept: str = "nash"
    time_limit: float | None = None
    gap: Fraction | float | None = None
    epsilon: Fraction | float | None = None
    progress: Progress = nobody_listens
    report: Log = nobody_listens
    seed: int | None = None
    trembles: Trembles | None = None
    checkpoint: str | os.PathLike[str] | None = None
    player: int | None = None


@dataclass(frozen=True)
class Run:
    """Limits, options and callbacks for a method.

    Attributes
    ----------
    clock : Clock
        ``clock.check()`` raises at a limit; methods call it at every step.
    progress : callable
        Called with (name of the step, fraction done or None).
    offer : callable
        Called with a function that makes the best profile so far.
    log : callable
        Called with a row of data per iteration.
    gap : Fraction or None
        Stop at bounds with this gap.
    trembles : Trembles or None
        Weights of mistakes, for refinements; all equal if None.
    checkpoint : str or path, or None
        File to continue from if it exists, and to keep up to date.
    player : int
        0 or 1, for concepts about one player's strategy.
    offer_claim : callable
        Called with a function that makes a whole claim, for profiles that need their certificate.
    """

    clock: Clock
    progress: Progress = nobody_listens
    offer: Offer = nobody_listens
    log: Log = nobody_listens
    gap: Fraction | None = None
    trembles: Trembles | None = None
    checkpoint: str | os.PathLike[str] | None = None
    player: int = 0
    offer_claim: Callable[..., None] = nobody_listens

    def log_bounds(
        self, iteration: int, lower: Fraction | float, upper: Fraction | float, **facts: Any
    ) -> tuple[float, float]:
        """Log a row with bounds on player 1's value and further facts; return the bounds as floats."""
        low, high = (bound if isinstance(bound, float) else as_float(bound) for bound in (lower, upper))
        bounds = {"lower_float": low, "upper_float": high}
        self.log({"iteration": iteration, **logged_seconds(self.clock), **bounds, **facts})
        return low, high

    def weights(self, tree: GameTree) -> Trembles:
        """Return the weights of trembles: all equal unless they are given."""
        return Trembles.uniform(tree) if self.trembles is None else self.trembles


def logged_seconds(clock: Clock) -> dict[str, float]:
    """Return the seconds so far, as fields of a row of the log."""
    return {"solve_seconds_float": clock.elapsed, "seconds_float": clock.iterating}


def as_float(value: Fraction) -> float:
    """Return the nearest float, infinite beyond the range of floats."""
    return float(as_floats(integer_array([value.numerator]), value.denominator)[0])
