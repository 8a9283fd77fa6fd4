"""The fields of a solution: references to its game and its method, its status, and everything that it states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from tremble import __version__
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.solution.claim import Beliefs, Profile
from tremble.solution.strategy_rows import HoldsStrategies, Rows, rows_of
from tremble.status import Status
from tremble.tabular import Tabular
from tremble.value import Value
from tremble.words import for_reader

__all__ = ["GameReference", "MethodReference", "SolutionFields", "Status", "explained"]


def explained(status: Status) -> str:
    """Return the meaning of a status, in a sentence."""
    if status is Status.CERTIFIED:
        verify = for_reader("tremble.verify", "tremble verify")
        return f"Proven exactly, in rational arithmetic; `{verify}` proves it again from the game alone."
    return "Exact bounds enclose the value." if status is Status.BOUNDED else "Nothing is proven yet."


@dataclass(frozen=True, repr=False)
class GameReference(Value):
    """Reference to the game that a solution belongs to.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.solve(tremble.load("kuhn")).game
    >>> game.spec, game.title, game.digest[:12]
    ('kuhn', 'Kuhn poker', 'sha256:c41a5')
    """

    spec: str | None  # argument of tremble.load
    title: str
    digest: str | None  # None for rules that define no digest

    @classmethod
    def of(cls, game: GameTree | UnbuiltGame) -> GameReference:
        """Return the reference to a tree, or to rules that are not built."""
        return cls(game.spec, game.title, game.digest)


@dataclass(frozen=True, eq=False, repr=False)
class MethodReference(Value):
    """Reference to the method that made a solution, with its options (plain data).

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), method="lp").method.name
    'lp'
    """

    name: str
    options: Mapping[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SolutionFields(HoldsStrategies, Value, Tabular):
    """The fields of a solution; :class:`tremble.results.StatedSolution` describes them."""

    game: GameReference
    concept: str
    requested: str
    method: MethodReference
    status: Status
    values: tuple[Fraction, Fraction]
    bounds: tuple[Fraction, Fraction] | None
    strategies: Profile | Rows
    beliefs: Beliefs | None = None
    certificate: Mapping[str, Any]
    refutation: Mapping[str, Any] | None = None
    stats: Mapping[str, Any] = field(compare=False)
    version: str = field(default=__version__, compare=False)
    played: GameTree | UnbuiltGame | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        assert self.rows  # raises an error unless `strategies` is a pair of strategies
        object.__setattr__(self, "strategies", tuple(self.strategies))

    @cached_property
    def rows(self) -> Rows:
        """The unchecked rows of the strategies; tables if the game is a tree."""
        return rows_of(self.strategies)
