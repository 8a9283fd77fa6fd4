"""Ask the kernel about profiles that methods and judges pass: payoffs, joined profiles and subgames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tremble import check
from tremble.game.tree import GameTree
from tremble.solution.claim import Profile
from tremble.solution.claims import Game, Progress, claim_of, limits_of, raising_suppliers

__all__ = ["join_profiles", "judge_profile", "judge_values", "subgames_with_gains"]


def judge_profile(
    game: Game,
    strategies: Profile,
    *,
    concept: str = "nash",
    certificate: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> check.JudgedProfile:
    """Let the kernel prove as much as possible about a profile; return the verdict together with the profile."""
    return check.judge(
        game, claim_of(strategies, concept, certificate), limits_of(game, None, progress), raising_suppliers()
    )


def judge_values(
    game: Game, strategies: Profile, *, concept: str = "nash", progress: Progress | None = None
) -> check.JudgedProfile:
    """Compute only the expected payoffs of a profile, because best responses may take much longer."""
    limits = limits_of(game, None, progress, "expected payoffs")
    return check.judge_values(game, claim_of(strategies, concept), limits, raising_suppliers())


def join_profiles(
    game: Game, judged1: check.JudgedProfile, judged2: check.JudgedProfile, *, progress: Progress | None = None
) -> check.JudgedProfile:
    """Judge player 1's strategy of one judged profile together with player 2's strategy of another."""
    return check.join(game, judged1, judged2, limits_of(game, None, progress), raising_suppliers())


def subgames_with_gains(
    tree: GameTree, profile: Profile, progress: Progress | None = None
) -> list[tuple[int, int, Any]]:
    """Return the root, the player and the gain of each subgame in which a player gains outside smaller subgames."""
    return check.subgames_with_gains(tree, claim_of(profile, "nash"), limits_of(tree, None, progress))
