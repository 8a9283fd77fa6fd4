"""What a method is: a frozen dataclass whose fields are its options.

A new method is a file with such a class, and a row in :mod:`tremble.solvers.table`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, TypeGuard

from tremble.errors import NotZeroSumError, SpecError, TooLargeError
from tremble.exact_numbers import format_fraction
from tremble.model.ordered.deals import Deals
from tremble.model.ordered.game import OrderedGame
from tremble.model.recall import require_no_absentmindedness, require_perfect_recall
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree, require_constant_sum
from tremble.reductions.abstraction import Abstraction
from tremble.reductions.shrink import shrink
from tremble.solution.claim import Claim
from tremble.solution.trembles import Trembles
from tremble.solvers.run import Run

__all__ = [
    "NOT_ASKED_FOR",
    "OF_ANY_SUM",
    "AnyGame",
    "Method",
    "Option",
    "TreeMethod",
    "accept_constant_sum",
    "accept_forgetful",
    "accept_ordered",
    "accept_tree",
    "is_ordered",
    "lossless",
    "option",
    "options_of",
    "ordered_rules",
    "recorded",
    "require_choice",
]

AnyGame = GameTree | UnbuiltGame

NOT_ASKED_FOR = "none"
"""The value of an option that asks for nothing: it is not recorded."""


class Method(Protocol):
    """A way to compute equilibria.

    Its class attributes say what it is, its fields how it is to run.

    Attributes
    ----------
    name : str
        What the command line calls it.
    summary : str
        What it is, in a few words.
    concepts : tuple of str
        What it can be asked for.
    approximate : bool
        Whether it only ever comes near, so that it needs a gap to stop at.
    resumable : bool
        Whether it goes on from a checkpoint.
    from_rules : tuple of str
        What it can be asked for where the game is not built.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    concepts: ClassVar[tuple[str, ...]]
    approximate: ClassVar[bool] = False
    resumable: ClassVar[bool] = False
    from_rules: ClassVar[tuple[str, ...]] = ()

    def recommended(self, game: AnyGame, concept: str) -> str | None:
        """Why this is the method to choose where none is asked for; None if it is not."""
        return None

    def accepts(self, game: AnyGame, concept: str) -> None:
        """Raise ``GameError`` that says why, if the method cannot find such equilibria of the game."""
        ...

    def run(self, game: AnyGame, concept: str, run: Run) -> Claim:
        """Find an equilibrium of a game that is accepted, listening to ``run.clock`` all the time."""
        ...


class TreeMethod(Method, Protocol):
    """A method for trees with a constant sum and perfect recall."""

    def accepts(self, game: AnyGame, concept: str) -> None:
        """Such trees."""
        accept_constant_sum(accept_tree(game))


@dataclass(frozen=True)
class Option:
    """An option of a method, as the command line needs it.

    Attributes
    ----------
    name : str
        Of the field.
    help : str
    kind : type
        ``str``, ``int`` or ``float``.
    metavar : str
    """

    name: str
    help: str
    kind: type
    metavar: str = ""


def option(text: str, *, metavar: str = "") -> dict[str, Option]:
    """The metadata of a field that is an option of the command line.

    Parameters
    ----------
    text : str
        Its help.
    metavar : str
        What its value is called in the help.
    """
    return {"option": Option("", text, str, metavar)}


def options_of(method: type[Method]) -> tuple[Option, ...]:
    """The options of a method, in the order of its fields."""
    if not dataclasses.is_dataclass(method):
        return ()
    return tuple(
        dataclasses.replace(field.metadata["option"], name=field.name, kind=type(field.default))
        for field in dataclasses.fields(method)
        if "option" in field.metadata
    )


def recorded(method: Method) -> dict[str, Any]:
    """The options as a solution file has them: exact numbers are text."""
    values = {option: getattr(method, option.name) for option in options_of(type(method))}
    return {option.name: _plain(value, option.kind) for option, value in values.items() if value != NOT_ASKED_FOR}


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
        raise SpecError(f"unknown {name} {value!r:.80}; choose from: {', '.join(choices)}")


# -- what many methods accept ------------------------------------------------------------------------


def accept_tree(game: AnyGame) -> GameTree:
    """The tree of a game; ``TooLargeError`` if it is not built."""
    if isinstance(game, GameTree):
        return game
    raise TooLargeError(
        f"{game.title} is not built, and this method needs the tree: use the method double-oracle, or raise "
        "--max-nodes to build it (tremble.build(rules) in Python)"
    )


OF_ANY_SUM = {
    "maxmin": "maxmin needs one. What a player can guarantee itself does not depend on the other's payoffs: let the "
    "other lose what the player earns (tremble.matrix_game(A) of a matrix; of a tree, payoffs u and -u), and solve that"
}
"""Concept -> what to do where the payoffs have no constant sum, if not to ask for the method lemke."""


def accept_constant_sum(tree: GameTree, concept: str = "nash") -> None:
    """Raise unless the payoffs have a constant sum and both players have perfect recall."""
    advice = "this method needs one; the method lemke solves games of any sum"
    require_constant_sum(tree, OF_ANY_SUM.get(concept, advice))
    require_perfect_recall(tree)


def accept_forgetful(game: AnyGame) -> GameTree:
    """A tree with a constant sum whose players may forget, but never pass a set twice."""
    tree = accept_tree(game)
    require_constant_sum(tree, OF_ANY_SUM["maxmin"])
    for player in (0, 1):
        require_no_absentmindedness(tree, player)
    return tree


def is_ordered(game: AnyGame) -> TypeGuard[UnbuiltGame]:
    """Whether a game is an ordered one that is not built."""
    return isinstance(game, UnbuiltGame) and isinstance(game.rules, OrderedGame)


def ordered_rules(game: UnbuiltGame) -> OrderedGame:
    """The rules of an ordered game that is not built."""
    assert isinstance(game.rules, OrderedGame)
    return game.rules


def lossless(game: UnbuiltGame) -> Abstraction:
    """An ordered game, shrunk without loss."""
    return shrink(ordered_rules(game))


def accept_ordered(game: UnbuiltGame) -> None:
    """Ordered games of two players with a constant sum; ``GameError`` that says why not."""
    if Deals.of(ordered_rules(game)).constant_sum is None:
        raise NotZeroSumError("the payoffs have no constant sum; the method lemke solves games of any sum, as trees")
