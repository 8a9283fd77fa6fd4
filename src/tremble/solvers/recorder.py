"""Record a method's best strategies so far, and build the solution when the method ends or is stopped.

A :class:`Recorder` calls the checker when the method has ended or is stopped. This is enough for methods that find
their answer in one step. :class:`tremble.solvers.anytime.Incumbent` also calls the checker while the method runs, on
the best strategies so far.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from math import inf, isfinite
from typing import Any

from tremble.check import JudgedProfile, Verification
from tremble.errors import SolverError
from tremble.game.kinds import kind_of
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.run.clock import Clock
from tremble.run.deadline import grace
from tremble.solution import certificates
from tremble.solution.claim import Claim, MethodReference, Profile, marked
from tremble.solution.claims import GameReference
from tremble.solution.judgements import prove
from tremble.solution.plain import plain
from tremble.solution.solution import Solution
from tremble.solvers.method import Request
from tremble.solvers.stopped import VERIFICATION, Stopped

__all__ = ["Recorder", "proven_solution", "stated_solution"]


class Recorder(Stopped):
    """A recorder of the best strategies of a run. It builds a solution from them, or from the final claim.

    Attributes
    ----------
    clock : Clock
        The clock of the run.
    method : MethodReference
        The method that solutions report.
    offered : bool
        True if the method has recorded a profile.
    """

    def __init__(self, request: Request, clock: Clock | None = None) -> None:
        self._request, self._kind = request, kind_of(request.game)
        self.clock = Clock(request.time_limit) if clock is None else clock
        self.method = MethodReference("auto", {})
        self.offered = False
        self._make = self._first
        self._kept = self._floor = None
        self._claimed = -inf, inf

    def begin(self) -> None:
        """Do nothing. A subclass may prepare for an early stop here."""

    def close(self) -> None:
        """Release the resources of the recorder."""

    def _collect(self, seconds: float) -> None:
        """Do nothing, because this recorder starts no proofs while the method runs."""

    def _listen(self, step: str) -> None:
        self._request.progress(step, None)

    # -- while the method works --------------------------------------------------------------------

    def offer(self, make: Callable[[], Profile]) -> None:
        """Record a function that returns the best profile so far. Each solver calls ``offer`` during its run."""
        self.offer_claim(lambda: Claim(make(), {}))

    def offer_claim(self, make: Callable[[], Claim]) -> None:
        """Record a function that returns the best claim so far."""
        self._make, self.offered = make, True

    def hear(self, row: Mapping[str, Any]) -> None:
        """Update the best float bounds from the log entry ``row``, and pass ``row`` to the caller's ``report``."""
        low, high = row.get("lower_float"), row.get("upper_float")
        if low is not None and high is not None:
            self._claimed = max(self._claimed[0], low), min(self._claimed[1], high)
        self._request.report(row)

    # -- after the method --------------------------------------------------------------------------

    @property
    def verification_left(self) -> float | None:
        """Seconds left for the proof of the final claim, or None without a limit."""
        limit = self._request.time_limit
        return None if limit is None else limit + VERIFICATION * grace(limit) - self.clock.elapsed

    def proven(self, claim: Claim) -> Solution:
        """Return the solution of a claim, verified by the checker."""
        began, stats = self.clock.elapsed, dict(claim.diagnostics)
        claim = dataclasses.replace(claim, diagnostics=stats)
        solution = proven_solution(self._kind.game, claim, self._request.concept, self.method, progress=self._listen)
        elapsed = self.clock.elapsed
        stats |= {"verify_seconds_float": elapsed - began, "total_seconds_float": elapsed}
        return solution

    def _solution(self, claim: Claim, judged: JudgedProfile, stats: dict[str, Any]) -> Solution:
        if all(map(isfinite, self._claimed)):  # float bounds on the value that are not proven
            stats["claimed_float"] = list(self._claimed)
        claim = dataclasses.replace(claim, diagnostics={**claim.diagnostics, **stats})
        return stated_solution(self._kind.game, claim, self._request.concept, self.method, judged.verification)


def proven_solution(
    game: GameTree | UnbuiltGame,
    claim: Claim,
    concept: str,
    method: MethodReference,
    progress: Callable[[str], None] | None = None,
) -> Solution:
    """Prove a claim with the checker, and return the solution with the verdict."""
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
    """Return the solution that combines a claim and the checker's verdict on it.

    The solution contains the claim's certificate for a proven concept, and the claim's refutation for a disproven one.

    Raises
    ------
    SolverError
        The strategies do not fit the game.
    """
    values, best, certificate = verification.values, verification.best_response_values, claim.certificate or {}
    if values is None:
        raise SolverError(f"the strategies do not fit the game: {'; '.join(verification.problems)}")
    # Bounds without best responses come from the certificate, which has proven them for the concept.
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
