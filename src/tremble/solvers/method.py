"""What a method is: a frozen dataclass whose fields are its options.

A new method is a file with such a class, and a row in :mod:`tremble.solvers.table`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Protocol, cast

from tremble.capabilities import at, method_extension, registered
from tremble.errors import GameError, TooLargeError
from tremble.game.adapter import KindName
from tremble.game.kinds import kind_of
from tremble.game.origin import require_constant_sum
from tremble.game.recall import require_no_absentmindedness, require_perfect_recall
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import format_fraction
from tremble.solution.claim import Claim
from tremble.solution.trembles import Trembles
from tremble.solvers.run import Run
from tremble.words import for_reader, unknown

__all__ = [
    "NOT_ASKED_FOR",
    "REFINED",
    "AnyGame",
    "Method",
    "Reasons",
    "Requirement",
    "Takes",
    "any_rules",
    "constant_sum",
    "forgetful",
    "options_of",
    "perfect_recall",
    "recorded",
    "require_choice",
    "run_method",
    "tree_of",
]

AnyGame = GameTree | UnbuiltGame

Requirement = Callable[[Any, str], None]
"""Given a game and a concept, raises ``GameError`` that says what the game lacks."""

Takes = Mapping[KindName, Mapping[str, Requirement]]
Reasons = Mapping[KindName, str]

REFINED = ("quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect", "normal-form-perfect")
"""The refinements that the general methods compute."""

NOT_ASKED_FOR = "none"
"""The value of an option that asks for nothing: it is not recorded."""


class Method(Protocol):
    """A way to compute equilibria.

    Its class attributes say what it is, its fields how it is to run.

    Attributes
    ----------
    name : str
        What the command line calls it.
    aliases : tuple of str
        What people call it, besides its name.
    summary : str
        What it is, in a few words.
    takes : mapping
        Kind of game -> concept that it can be asked for -> what it requires of the game.
    reasons : mapping
        Kind of game -> why this is the method to choose where none is asked for, if it always is.
    approximate : bool
        Whether it only ever comes near, so that it needs a gap to stop at.
    resumable : bool
        Whether it goes on from a checkpoint.
    decisive : sequence of str
        Options that ask for the method where none is named: what they want no other finds.
    published : bool
        Whether it is an algorithm as published, to compare with.
    iterations : int or None
        How many it is to make, where that is what it is asked for: their bounds are the answer, whatever they are.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str]
    takes: ClassVar[Takes]
    reasons: ClassVar[Reasons] = {}
    approximate: ClassVar[bool] = False
    resumable: ClassVar[bool] = False
    unrecorded: ClassVar[Sequence[str]] = ()
    decisive: ClassVar[Sequence[str]] = ()
    published: ClassVar[bool] = False
    iterations: int | None = None

    @classmethod
    @cache
    def concepts(cls) -> tuple[str, ...]:
        """What it can be asked for."""
        further = (row.concept for part in registered() for row in part.method_extensions if row.method == cls.name)
        return tuple(dict.fromkeys((*(concept for taken in cls.takes.values() for concept in taken), *further)))

    @classmethod
    def requirement(cls, game: AnyGame, concept: str) -> Requirement | None:
        """What is required of the game; None if the method does not take games of its kind for the concept."""
        kind = kind_of(game).name
        found = cls.takes.get(kind, {}).get(concept)
        row = method_extension(cls.name, kind, concept) if found is None else None
        return found if row is None else cast(Requirement, at(row.requirement))

    def recommended(self, game: Any, concept: str) -> str | None:
        """Why this is the method to choose where none is asked for, of a game of a kind that it takes; else None."""
        kind = kind_of(game).name
        row = method_extension(self.name, kind, concept)
        if kind not in self.reasons and row is not None and row.recommended:
            return cast("str | None", at(row.recommended)(self, game))
        return self.reasons.get(kind)

    def accepts(self, game: AnyGame, concept: str) -> None:
        """Raise ``GameError`` that says why, if the method cannot find such equilibria of the game."""
        require = self.requirement(game, concept)
        if require is None:
            raise self.refusal(game)
        require(game, concept)

    def refusal(self, game: AnyGame) -> GameError:
        """What is said of a game of a kind that it does not take."""
        return _not_built(game)

    def run(self, game: Any, concept: str, run: Run) -> Claim:
        """Find an equilibrium of a game that is accepted, listening to ``run.clock`` all the time."""
        ...


def run_method(method: Method, game: AnyGame, concept: str, run: Run) -> Claim:
    """Run a method on a game that it accepts, by way of the capability that extends it to such games, if one does."""
    kind = kind_of(game).name
    row = method_extension(method.name, kind, concept) if concept not in method.takes.get(kind, {}) else None
    claim: Claim = method.run(game, concept, run) if row is None else at(row.run)(method, game, concept, run)
    return claim


@cache
def options_of(method: type[Method]) -> tuple[dataclasses.Field[Any], ...]:
    """The fields of a method that are options of the command line: those with a ``help``."""
    if not dataclasses.is_dataclass(method):
        return ()
    return tuple(field for field in dataclasses.fields(method) if "help" in field.metadata)


def recorded(method: Method) -> dict[str, Any]:
    """The options as a solution file has them: exact numbers are text."""
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
    """An option as plain data."""
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
    """The tree of a game; ``TooLargeError`` if it is not built."""
    if isinstance(game, GameTree):
        return game
    raise _not_built(game)


def constant_sum(tree: GameTree, _concept: str) -> None:
    """Payoffs with a constant sum, and perfect recall of both players."""
    require_perfect_recall(tree)  # first, as lemke needs it too
    require_constant_sum(tree, "this method needs one; the method lemke solves games of any sum")


def perfect_recall(tree: GameTree, _concept: str) -> None:
    """Perfect recall of both players; payoffs of any sum."""
    require_perfect_recall(tree)


def forgetful(tree: GameTree, _concept: str) -> None:
    """Players may forget, but never pass a set twice; payoffs of any sum."""
    for player in (0, 1):
        require_no_absentmindedness(tree, player)


def any_rules(_game: UnbuiltGame, _concept: str) -> None:
    """Nothing: what rules lack is met on the way."""
