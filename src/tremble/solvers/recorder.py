"""Record the best strategies so far of a method that may be stopped, and build its solution.

A :class:`Recorder` proves the recorded strategies when the method has ended or is stopped. This is enough for methods
that find their answer in one step. :class:`tremble.solvers.anytime.Incumbent` also proves strategies while the method
works.

Each player's strategy is recorded separately. The recorder stores the strategy with the best proven guarantee for each
player, even if the two strategies come from different proofs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from math import inf, isfinite
from typing import Any

from tremble.capabilities import registered
from tremble.check import JudgedProfile, Verification
from tremble.errors import LimitReached, SolverError
from tremble.game.adapter import Listener
from tremble.game.kinds import kind_of
from tremble.game.requirements import parent_sequence
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.lazy import at
from tremble.run.alarm import TIME_IS_UP, interrupts_held_back
from tremble.run.clock import INTERRUPTIONS, Clock, grace, limited
from tremble.solution import certificates
from tremble.solution.claim import Claim, Profile, marked
from tremble.solution.claims import join_profiles, judge_profile, judge_values, prove
from tremble.solution.concepts import CONCEPTS
from tremble.solution.parts import GameReference, MethodReference, plain
from tremble.solution.solution import Solution
from tremble.solvers.method import Request

__all__ = [
    "BOUNDS",
    "FOR_BOUNDS",
    "LEAST",
    "Examined",
    "Recorder",
    "proven_solution",
    "remembered",
    "stated_solution",
    "width",
]

Examined = tuple[Claim, JudgedProfile]

_GRACE_SECONDS = 60.0  # time after Ctrl-C to find exact bounds if none are known, and the payoffs of the strategies
FOR_BOUNDS = 0.8  # fraction of this time for the bounds
# After a time limit, the verification of a claim ends after the first fraction of the grace period, and the search for
# bounds ends after the second fraction. The rest of the period is for writing.
_VERIFICATION, BOUNDS = 0.25, 0.55
_AT_LAST = 0.7  # replaces BOUNDS if no bounds are known
LEAST = 0.3  # minimum number of seconds allowed for bounds, and for payoffs


class Recorder:
    """Record the best strategies of a run, and build a solution from these strategies or from the final claim.

    Attributes
    ----------
    clock : Clock
        The clock of the run.
    method : MethodReference
        The method that solutions report.
    offered : bool
        True if the method has offered a profile.
    """

    def __init__(self, request: Request) -> None:
        self._request, self._kind = request, kind_of(request.game)
        self.clock = Clock(request.time_limit)
        self.method = MethodReference("auto", {})
        self.offered = False
        self._make: Callable[[], Claim] = self._first
        self._kept: tuple[Examined, Examined] | None = None  # a proof with the best strategy, for each player
        self._floor: Examined | None = None  # a result with payoffs only, if the first proof must load compiled kernels
        self._claimed = -inf, inf

    def begin(self) -> None:
        """Prepare for being stopped early."""

    def close(self) -> None:
        """Release the resources of the recorder."""

    @property
    def _of_player(self) -> bool:
        row = CONCEPTS.get(str(self._request.concept))  # the concept may not be validated yet
        return row is not None and row.of_player

    def _first(self) -> Claim:
        """Return the claim to use before the first offer, with a certificate if a player lacks perfect recall."""
        request, profile = self._request, self._kind.first_profile()
        game = request.game
        if not (self._of_player and isinstance(game, GameTree)):
            return Claim(profile, {})
        if remembered(game):
            sure = certificates.guarantee(int(request.player or 0))
            return Claim(profile, {}, None if game.constant_sum is not None else sure)
        for part in registered():
            if request.concept in part.first_claims:
                claim: Claim = at(part.first_claims[request.concept])(game, int(request.player or 0), profile)
                return claim
        return Claim(profile, {})

    def _look(self, listen: Listener) -> Examined:
        """Check the certificate of the current claim. Without a certificate, check that the claim is an equilibrium."""
        claim, request = self._make(), self._request
        return claim, judge_profile(
            request.game, claim.strategies, concept=request.concept, certificate=claim.certificate, progress=listen
        )

    def _judge_values(self, claim: Claim) -> JudgedProfile:
        request = self._request
        return judge_values(request.game, claim.strategies, concept=str(request.concept), progress=self._listen)

    def _listen(self, step: str) -> None:
        self._request.progress(step, None)

    # -- while the method works --------------------------------------------------------------------

    def offer(self, make: Callable[[], Profile]) -> None:
        """Record a function that returns the best profile so far. Methods call this while they work."""
        self.offer_claim(lambda: Claim(make(), {}))

    def offer_claim(self, make: Callable[[], Claim]) -> None:
        """Record a function that returns the best claim so far."""
        self._make, self.offered = make, True

    def hear(self, row: Mapping[str, Any]) -> None:
        """Record the best float bounds of a method, and pass the log entry to the report."""
        low, high = row.get("lower_float"), row.get("upper_float")
        if low is not None and high is not None:
            self._claimed = max(self._claimed[0], low), min(self._claimed[1], high)
        self._request.report(row)

    def _take(self, claim: Claim, judged: JudgedProfile) -> None:
        """Record a proven profile if it is better than the recorded profiles."""
        seen = judged.verification
        if seen.values is None or (seen.best_response_values is None and seen.bounds is None):
            return
        new = claim, judged
        if self._kept is None or seen.bounds is None:
            self._kept = new, new
            return
        kept1, kept2 = self._kept
        bounds1, bounds2 = kept1[1].verification.bounds, kept2[1].verification.bounds
        assert bounds1 is not None
        assert bounds2 is not None
        # Bounds from a certificate are valid only for both strategies together.
        if any(kept.certificate is not None for kept, _ in (kept1, kept2, new)):
            if width(new) <= width(kept1):
                self._kept = new, new
            return
        self._kept = new if seen.bounds[0] >= bounds1[0] else kept1, new if seen.bounds[1] <= bounds2[1] else kept2

    # -- after the method --------------------------------------------------------------------------

    @property
    def verification_left(self) -> float | None:
        """Return the seconds left for the proof of a claim, or None without a limit."""
        limit = self._request.time_limit
        return None if limit is None else limit + _VERIFICATION * grace(limit) - self.clock.elapsed

    def proven(self, claim: Claim) -> Solution:
        """Return the solution of a claim, verified by the checker."""
        began, stats = self.clock.elapsed, dict(claim.diagnostics)
        claim = dataclasses.replace(claim, diagnostics=stats)
        solution = proven_solution(self._kind.game, claim, self._request.concept, self.method, progress=self._listen)
        elapsed = self.clock.elapsed
        stats |= {"verify_seconds_float": elapsed - began, "total_seconds_float": elapsed}
        return solution

    def recorded(self) -> Solution | None:
        """Return the best result so far, or None if no result is known yet.

        Another thread may call this method during a step of the run that nothing can interrupt.
        """
        self._collect(0.0)
        best = self._floor if self._kept is None else self._closest()
        if best is None:
            return None
        return self._solution(*best, {"total_seconds_float": self.clock.elapsed, "stopped": TIME_IS_UP})

    def best_so_far(self, stopped: str) -> Solution | None:
        """Return the best profile so far, with exact bounds if possible, or None if there is no time.

        A second Ctrl-C ends the search for bounds.
        """
        clock, limit = self.clock, self._request.time_limit
        stats: dict[str, Any] = {"total_seconds_float": clock.elapsed, "stopped": stopped}
        end = clock.elapsed + _GRACE_SECONDS
        self._collect(0.0)
        if limit is not None:
            end = min(end, limit + (BOUNDS if self._kept is not None else _AT_LAST) * grace(limit))
        try:
            self._listen("exact bounds of the best strategies so far (press Ctrl-C to skip)")
            with suppress(LimitReached, KeyboardInterrupt):
                self.bounds(max(FOR_BOUNDS * (end - clock.elapsed), LEAST), at_once=stopped in INTERRUPTIONS)
            self._collect(0.0)
            if self._kept is not None and clock.elapsed > end:  # an interrupt here would lose the result
                with interrupts_held_back():
                    return self._solution(*self._closest(), stats)
            return self._solution(*self.best(end), stats)
        except (SolverError, KeyboardInterrupt):
            return None

    def bounds(self, seconds: float, *, at_once: bool) -> None:
        """Look for exact bounds after the end of the run, for at most ``seconds``."""
        limited(seconds, lambda: self._take(*self._look(self._listen)))

    def _collect(self, seconds: float) -> None:
        """Collect the proofs that finished while the method worked."""

    def best(self, end: float) -> Examined:
        """Return the best strategies with known bounds. Without bounds, return the last strategies with payoffs."""

        def in_time(work: Callable[[], JudgedProfile]) -> JudgedProfile:
            return limited(max(end - self.clock.elapsed, LEAST), work)

        game = self._request.game
        if self._kept is None:
            claim = self._make()
            return claim, in_time(lambda: self._judge_values(claim))
        (claim1, judged1), (claim2, judged2) = self._kept
        if claim1 is not claim2:
            with suppress(LimitReached):
                joined = in_time(lambda: join_profiles(game, judged1, judged2, progress=self._listen))
                both = claim1.strategies[0], claim2.strategies[1]
                return dataclasses.replace(claim2, strategies=both), joined
        return self._closest()

    def _closest(self) -> Examined:
        """Return the recorded proof with the smallest gap."""
        assert self._kept is not None
        return min(self._kept, key=width)

    def _solution(self, claim: Claim, judged: JudgedProfile, stats: dict[str, Any]) -> Solution:
        if all(map(isfinite, self._claimed)):  # float bounds on the value that are not proven
            stats["claimed_float"] = list(self._claimed)
        claim = dataclasses.replace(claim, diagnostics={**claim.diagnostics, **stats})
        return stated_solution(self._kind.game, claim, self._request.concept, self.method, judged.verification)


def remembered(tree: GameTree) -> bool:
    """Check that both players have perfect recall."""
    return all(parent_sequence(tree, player) is not None for player in (0, 1))


def width(examined: Examined) -> Fraction:
    """Return the gap between the proven bounds, or 0 without bounds."""
    bounds = examined[1].verification.bounds
    return Fraction(0) if bounds is None else bounds[1] - bounds[0]


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
    """Return the solution that combines a claim and its verdict.

    The solution contains the certificate of the claim if the concept is proven, and the refutation if it is valid.

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
