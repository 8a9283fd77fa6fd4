"""Send claims about solutions and strategies to the kernel, and return the verdicts.

The kernel (:mod:`tremble.check`) takes plain values. The functions here convert documents and strategies to claims.
Capabilities compute the outcomes of games that are not trees, and of players without perfect recall.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from pkgutil import resolve_name
from typing import Any

from tremble import check
from tremble.capabilities import registered
from tremble.check.claim import Wrong
from tremble.errors import ImperfectRecallError, LimitReached
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.run.alarm import TIME_IS_UP
from tremble.run.text_file import read_text
from tremble.solution.claim import Beliefs, Profile
from tremble.solution.equilibria import EQUILIBRIA, Equilibria
from tremble.solution.parts import require_pair
from tremble.solution.schema import Reader
from tremble.solution.stated import SOLUTION, StatedSolution, nested_solution, read_member

__all__ = ["limits_of", "prove", "read_stated", "verdict"]

Game = GameTree | UnbuiltGame
Progress = Callable[[str], None]

_SECONDS = 0.2  # between two reports of progress


def verdict(
    game: Game, solution: StatedSolution, *, time_limit: float | None = None, progress: Progress | None = None
) -> check.Verification:
    """Let the kernel prove all statements of a solution."""
    return check.check(game, stated_claim(solution), limits_of(game, time_limit, progress), suppliers())


def prove(
    game: Game,
    strategies: Profile,
    *,
    concept: str = "nash",
    certificate: Mapping[str, Any] | None = None,
    beliefs: Beliefs | None = None,
    refutation: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> check.Verification:
    """Let the kernel prove as much as possible about exact strategies: the concept, else ``nash``, else bounds.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = tuple(tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1))
    >>> verification = prove(kuhn, uniform)
    >>> verification.proven, verification.values, verification.bounds
    ('bounds', (Fraction(1, 8), Fraction(-1, 8)), (Fraction(-5, 12), Fraction(1, 2)))
    """
    claim = claim_of(strategies, concept, certificate, beliefs, refutation)
    return check.judge(game, claim, limits_of(game, None, progress), raising_suppliers()).verification


def limits_of(
    game: Game, time_limit: float | None = None, progress: Progress | None = None, step: str = "verification"
) -> check.Limits:
    """Return the limits for a check of a game, with a clock that raises ``LimitReached`` and reports progress."""
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


def stated_claim(solution: StatedSolution) -> check.Claim:
    """Return the claim of a solution."""
    return claim_of(
        solution.rows, solution.concept, solution.certificate, solution.beliefs, solution.refutation,
        status=solution.status,
        values=solution.values,
        bounds=solution.bounds,
        digest=solution.game.digest,
        requested=solution.requested,
        game=solution.game.spec or solution.game.title,
        stated=frozenset(name for name, value in SOLUTION.parts_of(solution).items() if value),
    )  # fmt: skip


def claim_of(
    strategies: Any,
    concept: str,
    certificate: Mapping[str, Any] | None = None,
    beliefs: Beliefs | None = None,
    refutation: Mapping[str, Any] | None = None,
    *,
    status: str = check.Status.CERTIFIED,
    values: Any = None,
    **others: Any,
) -> check.Claim:
    """Return a claim about strategies, or about their rows."""
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
    """Return the rows of one player, a table or an exact strategy of a tree, in the form that the kernel takes."""
    infosets = side.infosets if isinstance(side, StrategyTable) else tuple(range(side.num_infosets))
    return check.Strategy(
        infosets, side.actions, side.numerator.tolist(), side.denominator.tolist(), side.off_path.tolist(), side.player
    )


def suppliers() -> dict[str, Any]:
    """Return the functions of capabilities that compute outcomes; each is imported when the kernel calls it."""
    places = {kind: place for capability in registered() for kind, place in capability.checks.items()}
    return {kind: _called(place) for kind, place in places.items()}


def raising_suppliers() -> dict[str, Any]:
    """Return the same functions, changed to raise ``ImperfectRecallError`` if a player of rules lacks perfect recall.

    For a file, a lack of perfect recall is reported like any other problem. For strategies that a program passes, it
    raises an exception, because no verdict is possible.
    """
    return {kind: partial(_raise_lack_of_recall, supplier) for kind, supplier in suppliers().items()}


def _raise_lack_of_recall(supplier: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return supplier(*arguments)
    except Wrong as wrong:
        if isinstance(wrong.__cause__, ImperfectRecallError):
            raise wrong.__cause__ from None
        raise


def _called(place: str) -> Callable[..., Any]:
    return lambda *arguments: resolve_name(place)(*arguments)


_SEVERAL = "tremble/equilibria@"
_MAY_STATE_SEVERAL = re.compile(rf'"schema"\s*:\s*"{_SEVERAL}')


def read_stated(path: str | os.PathLike[str]) -> StatedSolution | Equilibria:
    """Read a file with one solution or a list of equilibria; ``FILE#K`` names one member of the list."""
    member = read_member(path)
    if member is not None:
        return nested_solution(Reader(member.name), member.document)
    source = read_text(path)
    if _MAY_STATE_SEVERAL.search(source.text):  # free-form data of a single solution may match too
        reader = Reader(source.name)
        document = reader.parsed(source.text)
        if isinstance(document, dict) and str(document.get("schema")).startswith(_SEVERAL):
            return EQUILIBRIA.read(reader, document)
    return StatedSolution.from_text(source.text, file=source.name, path=None if path == "-" else path)
