"""Make a solution from a claim and the kernel's verdict on it."""

from __future__ import annotations

from collections.abc import Callable

from tremble.check import Verification
from tremble.errors import SolverError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.solution import certificates
from tremble.solution.claim import Claim, marked
from tremble.solution.claims import prove
from tremble.solution.parts import GameReference, MethodReference, plain
from tremble.solution.solution import Solution

__all__ = ["proven_solution", "stated_solution"]


def proven_solution(
    game: GameTree | UnbuiltGame,
    claim: Claim,
    concept: str,
    method: MethodReference,
    progress: Callable[[str], None] | None = None,
) -> Solution:
    """Have the checker prove a claim, and return the solution with the verdict."""
    verification = prove(
        game,
        claim.strategies,
        concept=concept,
        certificate=claim.certificate,
        beliefs=claim.beliefs,
        refutation=claim.refutation,
        progress=progress,
    )
    return stated_solution(game, claim, concept, method, verification)


def stated_solution(
    game: GameTree | UnbuiltGame, claim: Claim, concept: str, method: MethodReference, verification: Verification
) -> Solution:
    """Return the solution that combines a claim and its verdict.

    The solution keeps the claim's certificate if the concept is proven, and its refutation if that holds.

    Raises
    ------
    SolverError
        The strategies do not fit the game.
    """
    values, best, certificate = verification.values, verification.best_response_values, claim.certificate or {}
    if values is None:
        raise SolverError(f"the strategies do not fit the game: {'; '.join(verification.problems)}")
    # If there are bounds without best responses, the certificate has proven these bounds for the concept.
    reached = verification.ok and verification.proven == concept and bool(certificate)
    refined = reached or (verification.proven == "bounds" and best is None)
    strategies = claim.strategies
    if not refined:
        certificate = {} if best is None else certificates.best_response(values, best)
        strategies = strategies if best is None else marked(strategies)
    exact = verification.nash_conv == 0 and verification.bounds is not None
    return Solution(
        game=GameReference.of(game),
        concept=concept if refined else "nash",
        requested=concept,
        method=method,
        status=verification.status,
        values=values,
        bounds=(values[0], values[0]) if exact else verification.bounds,
        strategies=strategies,
        beliefs=claim.beliefs if refined else None,
        certificate=plain(certificate, "certificate"),
        refutation=plain(claim.refutation, "refutation") if verification.disproven else None,
        stats=claim.diagnostics,
        verification=verification,
        played=game,
    )
