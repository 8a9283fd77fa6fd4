"""The parts of a solution: references to the game and the method, the rows of the strategies, and plain data.

*Plain data* are JSON values. Certificates and statistics are plain data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from tremble import __version__
from tremble.errors import CertificateError
from tremble.game.rules import StrategyInArrays, UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree, require_exact
from tremble.numbers import format_fraction
from tremble.solution.claim import Beliefs, Profile
from tremble.status import Status
from tremble.tabular import Tabular
from tremble.value import Value
from tremble.words import for_reader

__all__ = [
    "INTEGER_DIGITS",
    "MAX_DEPTH",
    "GameReference",
    "HoldsStrategies",
    "InfosetRow",
    "MethodReference",
    "OfRules",
    "Rows",
    "SolutionFields",
    "explained",
    "of_rules",
    "pair_of",
    "plain",
    "require_pair",
    "rows_of",
    "strategy_rows",
]


@dataclass(frozen=True, slots=True)
class InfosetRow:
    """A row of a strategy: the play at one information set."""

    player: int  # from 1
    number: int | None  # from 1; None in a game that is not built
    label: str  # in a game that is not built, a description of what the player knows
    moves: tuple[tuple[str, Number | None], ...]  # actions and their probabilities; None without a strategy
    off_path: bool = False  # True if the player's own strategy never reaches the set

    @property
    def chosen(self) -> str:
        """The action of a pure strategy."""
        return next(action for action, p in self.moves if p)


def strategy_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[InfosetRow]:
    """Yield the rows of a strategy in the order of the strategy."""
    if isinstance(strategy, UnbuiltStrategy):
        for key, actions in strategy.rows.items():
            yield InfosetRow(strategy.player + 1, None, key, tuple(actions))
        return
    for k, row in enumerate(strategy):
        moves = tuple(zip(strategy.actions[k], row, strict=True))
        yield InfosetRow(strategy.player + 1, k + 1, strategy.infoset_labels[k], moves, bool(strategy.off_path[k]))


_KINDS = (BehaviorStrategy, UnbuiltStrategy, StrategyTable, StrategyInArrays)

Kind = TypeVar("Kind")

OfRules = tuple[UnbuiltStrategy, UnbuiltStrategy] | tuple[StrategyInArrays, StrategyInArrays]
Rows = tuple[StrategyTable, StrategyTable] | OfRules
"""Unchecked rows of players 1 and 2: by information set, by the knowledge of the player, or by class of hands."""


def pair_of(kind: type[Kind], strategies: Sequence[object]) -> tuple[Kind, Kind] | None:
    """Return the strategies as a pair if they are exactly two of this kind, else None."""
    if len(strategies) != 2:
        return None
    first, second = strategies
    return (first, second) if isinstance(first, kind) and isinstance(second, kind) else None


def require_pair(strategies: Any) -> None:
    """Raise ``CertificateError`` unless these are two strategies of one kind, both exact."""
    if not isinstance(strategies, tuple | list) or len(strategies) != 2:
        raise CertificateError("strategies: expected two, one for each player")
    kinds = {next((kind for kind in _KINDS if isinstance(item, kind)), None) for item in strategies}
    if None in kinds or len(kinds) > 1:
        given = " and ".join(f"a {type(item).__name__}" for item in strategies)
        raise CertificateError(f"strategies: expected two of the same kind (BehaviorStrategy, ...), found {given}")
    if kinds == {BehaviorStrategy}:
        for item in strategies:
            require_exact(item)


def rows_of(strategies: Any) -> Rows:
    """Return the unchecked rows of two strategies; raise ``CertificateError`` unless both are exact and of one kind."""
    require_pair(strategies)
    rows1, rows2 = (StrategyTable.of(item) if isinstance(item, BehaviorStrategy) else item for item in strategies)
    return rows1, rows2


class HoldsStrategies:
    """Base class of objects that contain the strategies of both players, of any kind."""

    strategies: Any

    @property
    def ordered(self) -> tuple[Any, Any] | None:
        """The unchecked strategies if they belong to an ordered game that is not built, else None."""
        return pair_of(StrategyInArrays, self.strategies)

    @property
    def unbuilt(self) -> tuple[UnbuiltStrategy, UnbuiltStrategy] | None:
        """The unchecked strategies if their rows are keyed by the knowledge of a player, else None."""
        return pair_of(UnbuiltStrategy, self.strategies)


def of_rules(profile: object) -> OfRules | None:
    """Return the strategies of a profile, or of an object that contains it, if their game is not built; else None."""
    strategies = profile.strategies if isinstance(profile, HoldsStrategies) else profile
    if not isinstance(strategies, Sequence):
        return None
    return pair_of(StrategyInArrays, strategies) or pair_of(UnbuiltStrategy, strategies)


def explained(status: Status) -> str:
    """Return the meaning of a status as a sentence."""
    if status is Status.CERTIFIED:
        verify = for_reader("tremble.verify", "tremble verify")
        return f"Proven exactly, in rational arithmetic; `{verify}` proves it again from the game alone."
    return "Exact bounds enclose the value." if status is Status.BOUNDED else "Nothing is proven yet."


@dataclass(frozen=True, repr=False)
class GameReference(Value):
    """Reference to the game of a solution.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.solve(tremble.load("kuhn")).game
    >>> game.spec, game.title, game.digest[:12]
    ('kuhn', 'Kuhn poker', 'sha256:c41a5')
    """

    spec: str | None  # argument of tremble.load
    title: str
    digest: str | None  # None for rules without a digest

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
        require_pair(self.strategies)
        object.__setattr__(self, "strategies", tuple(self.strategies))

    @cached_property
    def rows(self) -> Rows:
        """The unchecked rows of the strategies; tables if the game is a tree."""
        return rows_of(self.strategies)


INTEGER_DIGITS = 18
MAX_DEPTH = 64


def plain(value: Any, path: str, *, decimal: bool = False, depth: int = 0) -> Any:
    """Return free-form data as JSON values.

    A value without a JSON form raises ``CertificateError``. The method that made the value then has a bug.
    """
    if value is None or isinstance(value, bool | np.bool_):
        return value if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Fraction):
        return format_fraction(value)
    if isinstance(value, int | np.integer):
        if abs(int(value)) >= 10**INTEGER_DIGITS:
            raise CertificateError(f"{path} is an integer of more than {INTEGER_DIGITS} digits; write it as text")
        return int(value)
    if isinstance(value, float | np.floating):
        if not decimal:
            raise CertificateError(f"{path} is a float; only fields whose name ends in '_float' can contain floats")
        return float(value) if isfinite(value) else None
    if depth == MAX_DEPTH:
        raise CertificateError(f"{path} is nested more than {MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise CertificateError(f"{path} has a key that is not text: {key!r}")
        return {
            str(key): plain(item, f"{path}.{key}", decimal=key.endswith("_float"), depth=depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        kinds = set(map(type, value))  # long certificates are lists of one kind
        if kinds == {str} or (kinds == {int} and max(map(abs, value)) < 10**INTEGER_DIGITS):
            return list(value)
        if kinds == {Fraction}:
            texts = {id(number): format_fraction(number) for number in {id(n): n for n in value}.values()}
            return [texts[id(number)] for number in value]
        return [plain(item, f"{path}[{i}]", decimal=decimal, depth=depth + 1) for i, item in enumerate(value)]
    raise CertificateError(f"{path} is a {type(value).__name__}, which a solution file cannot contain")
