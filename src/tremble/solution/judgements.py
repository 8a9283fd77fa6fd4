"""Use the kernel (:mod:`tremble.check`) to prove that a profile satisfies a concept, and to compute its payoffs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tremble import check
from tremble.check.claim import Wrong
from tremble.errors import ImperfectRecallError
from tremble.game.tree import GameTree
from tremble.solution.claim import Beliefs, Profile
from tremble.solution.claims import Game, Progress, claim_of, limits_of, suppliers

__all__ = ["join_profiles", "judge_profile", "judge_values", "prove", "subgames_with_gains"]


def judge_profile(
    game: Game,
    strategies: Profile,
    *,
    concept: str = "nash",
    certificate: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> check.JudgedProfile:
    """Let the kernel prove ``concept`` or, if this fails, ``nash`` or bounds. Return the verdict and the profile."""
    return check.judge(
        game, claim_of(strategies, concept, certificate), limits_of(game, None, progress), raising_suppliers()
    )


def judge_values(
    game: Game, strategies: Profile, *, concept: str = "nash", progress: Progress | None = None
) -> check.JudgedProfile:
    """Compute a profile's expected payoffs with ``tremble.check``. Skip best responses, which may take much longer."""
    limits = limits_of(game, None, progress, "expected payoffs")
    return check.judge_values(game, claim_of(strategies, concept), limits, raising_suppliers())


def join_profiles(
    game: Game, judged1: check.JudgedProfile, judged2: check.JudgedProfile, *, progress: Progress | None = None
) -> check.JudgedProfile:
    """Let the kernel judge the profile with player 1's strategy from ``judged1`` and player 2's from ``judged2``."""
    return check.join(game, judged1, judged2, limits_of(game, None, progress), raising_suppliers())


def subgames_with_gains(
    tree: GameTree, profile: Profile, progress: Progress | None = None
) -> list[tuple[int, int, Any]]:
    """Return (root, player, gain) for each subgame where a player gains without deviating in smaller subgames."""
    return check.subgames_with_gains(tree, claim_of(profile, "nash"), limits_of(tree, None, progress))


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
    """Let the kernel check exact strategies: it proves the concept if possible, else ``nash``, else only bounds.

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


def raising_suppliers() -> dict[str, Any]:
    """Return a dict like :func:`suppliers`, with each function wrapped to raise ``ImperfectRecallError``.

    A wrapped function raises this exception if a player lacks perfect recall. A check of a file lists this problem in
    the verdict. A program that passes strategies instead of a file gets no verdict, so the program needs the exception.
    """
    return {kind: partial(_raise_lack_of_recall, supplier) for kind, supplier in suppliers().items()}


def _raise_lack_of_recall(supplier: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return supplier(*arguments)
    except Wrong as wrong:
        if isinstance(wrong.__cause__, ImperfectRecallError):
            raise wrong.__cause__ from None
        raise
