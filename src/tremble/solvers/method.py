"""Define the base class of all methods. A method is a frozen dataclass whose fields are the method's options.

To add a method, write a file with such a class, and list the class in :mod:`tremble.solvers.table`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pkgutil import resolve_name
from typing import Any, ClassVar, Protocol, cast

from tremble.arguments import unknown
from tremble.capabilities import method_extension, registered
from tremble.errors import GameError, TooLargeError
from tremble.game.adapter import KindName
from tremble.game.kinds import kind_of
from tremble.game.requirements import require_constant_sum, require_no_absentmindedness, require_perfect_recall
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
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
    "constant_sum",
    "forgetful",
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
"""A function that checks a game for a concept. It raises a ``GameError`` that says what the game lacks."""

Takes = Mapping[KindName, Mapping[str, Requirement]]
Reasons = Mapping[KindName, str]

REFINED = ("quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect", "normal-form-perfect")
"""Refinements that both ``lp`` and ``lemke`` compute."""

NOT_ASKED_FOR = "none"
"""Value of an option that is not set. Solution files do not record such an option."""


class Method(Protocol):
    """A way to compute equilibria.

    Class attributes describe the method. Dataclass fields are the options of the method.

    Attributes
    ----------
    name : str
        Name on the command line.
    aliases : tuple of str
        Other names.
    summary : str
        Description in a few words.
    takes : mapping
        Kind of game -> concept -> function that checks a game.
    reasons : mapping
        Kind of game -> reason why this method is the default for all games of this kind.
    approximate : bool
        True if the method only approaches a solution, so that it needs a target gap.
    anytime : bool
        True if the method improves its result while it runs. Other methods find their result in one step.
    resumable : bool
        True if the method can continue from a checkpoint.
    unrecorded : sequence of str
        Options that solution files omit.
    decisive : sequence of str
        Options that select this method if no method is given. No other method offers their feature.
    published : bool
        True if the method is a published algorithm, for comparison.
    iterations : int or None
        Number of iterations after which the run stops, whatever the bounds are. None if no number decides when to stop.
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
        """Return a function that checks ``game``, or None if ``concept`` is unsupported for all games of this kind."""
        kind = kind_of(game).name
        found = cls.takes.get(kind, {}).get(concept)
        row = method_extension(cls.name, kind, concept) if found is None else None
        return found if row is None else cast(Requirement, resolve_name(row.requirement))

    def recommended(self, game: Any, concept: str) -> str | None:
        """Return the reason to choose this method by default, or None if another method is the default."""
        kind = kind_of(game).name
        row = method_extension(self.name, kind, concept)
        if kind not in self.reasons and row is not None and row.recommended:
            return cast("str | None", resolve_name(row.recommended)(self, game))
        return self.reasons.get(kind)

    def accepts(self, game: AnyGame, concept: str) -> None:
        """Raise a ``GameError`` with the reason if the method cannot compute the concept for the game."""
        require = self.requirement(game, concept)
        if require is None:
            raise self.refusal(game)
        require(game, concept)

    def refusal(self, game: AnyGame) -> GameError:
        """Return the error for a kind of game that the method does not support."""
        if "tree" in self.takes and not isinstance(game, GameTree):
            return _not_built(game)
        takes = " or ".join(map(repr, self.takes)) or "nothing"
        return GameError(f"{game.title} is a game of kind {kind_of(game).name!r}, but the method supports {takes}")

    def run(self, game: Any, concept: str, run: Run) -> Claim:
        """Compute an equilibrium of an accepted game. Every long loop must call ``run.clock.check()``."""
        ...


def run_method(method: Method, game: AnyGame, concept: str, run: Run) -> Claim:
    """Run a method on an accepted game. If an extension adds this kind of game to the method, run the extension."""
    kind = kind_of(game).name
    row = method_extension(method.name, kind, concept) if concept not in method.takes.get(kind, {}) else None
    claim: Claim = method.run(game, concept, run) if row is None else resolve_name(row.run)(method, game, concept, run)
    return claim


@cache
def options_of(method: type[Method]) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields of a method that are command-line options: the fields with ``help`` in their metadata."""
    if not dataclasses.is_dataclass(method):
        return ()
    return tuple(field for field in dataclasses.fields(method) if "help" in field.metadata)


def recorded(method: Method) -> dict[str, Any]:
    """Return the method's options, except unset options, as data for a solution file. Exact numbers become text."""
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
    """Return the value of an option as plain data."""
    if isinstance(value, Trembles):
        return value.rows() or "uniform"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return format_fraction(Fraction(repr(float(value)))) if kind is float else value


def require_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ``SpecError`` unless a value is one of the ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise unknown(name, value, choices)


# -- requirements of many methods --------------------------------------------------------------------


def _not_built(game: AnyGame) -> TooLargeError:
    build = for_reader("build it by tremble.build(rules)", "raise --max-nodes to build it")
    return TooLargeError(
        f"{game.title} is not built, and this method needs the tree: use the method double-oracle, or {build}"
    )


def tree_of(game: AnyGame) -> GameTree:
    """Return the tree of a game. Raise ``TooLargeError`` if the game is not built."""
    if isinstance(game, GameTree):
        return game
    raise _not_built(game)


def constant_sum(tree: GameTree, _concept: str) -> None:
    """Raise an error unless the payoffs have a constant sum and both players have perfect recall."""
    require_perfect_recall(tree)  # checked first, because lemke needs perfect recall too
    require_constant_sum(tree, "this method needs a constant sum; the method lemke solves games of any sum")


def perfect_recall(tree: GameTree, _concept: str) -> None:
    """Require perfect recall of both players. Payoffs may have any sum."""
    require_perfect_recall(tree)


def forgetful(tree: GameTree, _concept: str) -> None:
    """Require that no path visits an information set twice. Perfect recall and a constant sum are not required."""
    for player in (0, 1):
        require_no_absentmindedness(tree, player)


def any_rules(_game: UnbuiltGame, _concept: str) -> None:
    """Accept all rules. If the rules lack something, the method reports this during its run."""


Offer = Callable[[Callable[[], Profile]], None]
"""A callback for methods. It receives a function that returns the best profile so far, in case a limit is reached."""

Log = Callable[[Mapping[str, Any]], None]
"""A callback for iterative methods. It receives at least the iteration, both bounds and the seconds as plain data.

``solve_seconds_float`` counts from the call of :func:`tremble.solve`. ``seconds_float`` counts from the first iteration
and excludes compilation by Numba, so that the first run and later runs are comparable.
"""


def nobody_listens(*_told: Any) -> None:
    """Ignore all arguments."""


@dataclass(frozen=True, eq=False)
class Request:
    """Arguments of :func:`tremble.solve`, checked one by one.

    Attributes
    ----------
    gap : Fraction or float, or None
        Target gap in payoff units, from the argument ``gap`` or ``epsilon_abs``.
    epsilon : Fraction or float, or None
        Target gap as a fraction of the range of the payoffs.
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
        Methods call ``clock.check()`` at every step. This call raises an error at a limit.
    progress : callable
        Methods call it with the name of the current step, and with the fraction done or None.
    offer : callable
        Methods call it with a function that returns the best profile so far.
    log : callable
        Iterative methods call it with the data of each iteration.
    gap : Fraction or None
        Target gap between the bounds on player 1's value.
    trembles : Trembles or None
        Weights of mistakes for refinements. None means equal weights.
    checkpoint : str or path, or None
        Checkpoint file. The method continues from the file if it exists, and updates it.
    player : int
        0 or 1, for concepts about one player's strategy.
    offer_claim : callable
        If the best profile so far needs a certificate, methods call it with a function that returns a claim.
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

    def weights(self, tree: GameTree) -> Trembles:
        """Return the given trembles, or trembles with equal weights if none are given."""
        return Trembles.uniform(tree) if self.trembles is None else self.trembles
