"""The fields of a solution, and the claim that the kernel proves about them.

The kernel (:mod:`tremble.check`) takes plain values. The functions of this module convert solutions and strategies to
claims, and return verdicts. If a game has no tree, or a player lacks perfect recall, optional modules
(:mod:`tremble.capabilities`) compute payoffs and best responses. *Plain data* are JSON values, as in certificates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

from tremble import __version__
from tremble.capabilities import registered
from tremble.errors import CertificateError, LimitReached
from tremble.game.rules import StrategyInArrays, UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import require_exact
from tremble.run.alarm import TIME_IS_UP
from tremble.solution.claim import Beliefs, MethodReference, Profile
from tremble.status import Status
from tremble.value import Tabular, Value

if TYPE_CHECKING:
    from tremble import check  # the functions import the kernel when they need it; `tremble info` does not

__all__ = [
    "GameReference",
    "HoldsStrategies",
    "OfRules",
    "Rows",
    "SolutionFields",
    "limits_of",
    "of_rules",
    "pair_of",
    "require_pair",
    "rows_of",
    "verdict",
]


_KINDS = (BehaviorStrategy, UnbuiltStrategy, StrategyTable, StrategyInArrays)

Kind = TypeVar("Kind")

OfRules = tuple[UnbuiltStrategy, UnbuiltStrategy] | tuple[StrategyInArrays, StrategyInArrays]
Rows = tuple[StrategyTable, StrategyTable] | OfRules
"""Unchecked rows of both players: one per information set of a tree, else per state of knowledge or class of hands."""


def pair_of(kind: type[Kind], strategies: Sequence[object]) -> tuple[Kind, Kind] | None:
    """Return the strategies as a pair if they are exactly two instances of ``kind``, else None."""
    if len(strategies) != 2:
        return None
    first, second = strategies
    return (first, second) if isinstance(first, kind) and isinstance(second, kind) else None


def require_pair(strategies: Any) -> None:
    """Raise ``CertificateError`` unless ``strategies`` are two exact strategies of the same class."""
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
    """Return both strategies' unchecked rows. Raise ``CertificateError`` unless both are exact and of one class."""
    require_pair(strategies)
    rows1, rows2 = (StrategyTable.of(item) if isinstance(item, BehaviorStrategy) else item for item in strategies)
    return rows1, rows2


class HoldsStrategies:
    """Base class of objects that contain two strategies of any kind, one for each player."""

    strategies: Any

    @property
    def ordered(self) -> tuple[Any, Any] | None:
        """The unchecked strategies if they belong to an ordered game (such as poker) that is not built, else None."""
        return pair_of(StrategyInArrays, self.strategies)

    @property
    def unbuilt(self) -> tuple[UnbuiltStrategy, UnbuiltStrategy] | None:
        """The unchecked strategies if both are ``UnbuiltStrategy`` objects, else None."""
        return pair_of(UnbuiltStrategy, self.strategies)


def of_rules(profile: object) -> OfRules | None:
    """Return the pair of strategies in ``profile`` if they are for a game that is not built, and None otherwise."""
    strategies = profile.strategies if isinstance(profile, HoldsStrategies) else profile
    if not isinstance(strategies, Sequence):
        return None
    return pair_of(StrategyInArrays, strategies) or pair_of(UnbuiltStrategy, strategies)


@dataclass(frozen=True, repr=False)
class GameReference(Value):
    """Data that identify the game of a solution: spec, title and digest.

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
        """Return the reference to ``game``, which is a tree, or rules without a tree."""
        return cls(game.spec, game.title, game.digest)


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
        strategies: tuple[Any, ...] = tuple(self.strategies)
        if isinstance(strategies[0], StrategyInArrays):  # it can then look up a hand by the name of its cards
            game = self.game.spec if self.played is None else self.played
            strategies = tuple(replace(side, game=game) for side in strategies)
        object.__setattr__(self, "strategies", strategies)

    @cached_property
    def rows(self) -> Rows:
        """The unchecked rows of both strategies: ``StrategyTable`` objects if the game is a tree."""
        return rows_of(self.strategies)


Game = GameTree | UnbuiltGame
Progress = Callable[[str], None]

_SECONDS = 0.2  # between two reports of progress


def verdict(
    game: Game, solution: SolutionFields, *, time_limit: float | None = None, progress: Progress | None = None
) -> check.Verification:
    """Return the verdict of the kernel on all statements of a solution."""
    from tremble import check

    return check.check(game, stated_claim(solution), limits_of(game, time_limit, progress), suppliers())


def limits_of(
    game: Game, time_limit: float | None = None, progress: Progress | None = None, step: str = "verification"
) -> check.Limits:
    """Return limits on the kernel's work. The limits report progress, and raise ``LimitReached`` when time is up."""
    from tremble import check

    begun = time.monotonic()
    deadline, following = inf if time_limit is None else begun + time_limit, [begun + _SECONDS]

    def tick() -> None:
        now = time.monotonic()
        if now >= deadline:
            raise LimitReached(TIME_IS_UP)
        if progress is not None and now >= following[0]:
            following[0] = now + _SECONDS
            progress(step)

    return check.Limits.for_game(game.num_nodes if isinstance(game, GameTree) else 0, tick)


def stated_claim(solution: SolutionFields) -> check.Claim:
    """Return all statements of a solution as a claim for the kernel."""
    names = (field.name for field in fields(SolutionFields) if field.name not in ("played", "version"))
    return claim_of(
        solution.rows, solution.concept, solution.certificate, solution.beliefs, solution.refutation,
        status=solution.status,
        values=solution.values,
        bounds=solution.bounds,
        digest=solution.game.digest,
        requested=solution.requested,
        game=solution.game.spec or solution.game.title,
        stated=frozenset(name for name in names if getattr(solution, name)),
    )  # fmt: skip


def claim_of(
    strategies: Any,
    concept: str,
    certificate: Mapping[str, Any] | None = None,
    beliefs: Beliefs | None = None,
    refutation: Mapping[str, Any] | None = None,
    *,
    status: str = Status.CERTIFIED,
    values: Any = None,
    **others: Any,
) -> check.Claim:
    """Return the claim, for `tremble.check`, that ``strategies`` (whose rows may be unchecked) satisfy ``concept``."""
    from tremble import check

    require_pair(strategies)
    rows: Any = tuple(strategies)
    kind = check.TREE
    if all(isinstance(side, BehaviorStrategy | StrategyTable) for side in rows):
        rows = tuple(map(_strategy, rows))
    else:
        kind = "rules" if isinstance(rows[0], UnbuiltStrategy) else "ordered"
    stated = None if beliefs is None else [[(row.infoset, row.nodes) for row in side] for side in beliefs]
    return check.Claim(
        concept, status, rows, values, certificate or {}, beliefs=stated, refutation=refutation, kind=kind, **others
    )


def _strategy(side: Any) -> check.Strategy:
    """Convert ``side`` to a strategy of the checking kernel. ``side`` is a table or an exact strategy of a tree."""
    from tremble import check

    infosets = side.infosets if isinstance(side, StrategyTable) else tuple(range(side.num_infosets))
    return check.Strategy(
        infosets, side.actions, side.numerator.tolist(), side.denominator.tolist(), side.off_path.tolist(), side.player
    )


def suppliers() -> dict[str, Any]:
    """Return functions that compute payoffs for ``tremble.check``. Keys: the kinds of strategies, and ``"maxmin"``."""
    places = {kind: place for capability in registered() for kind, place in capability.checks.items()}
    return {kind: _called(place) for kind, place in places.items()}


def _called(place: str) -> Callable[..., Any]:
    return lambda *arguments: resolve_name(place)(*arguments)
