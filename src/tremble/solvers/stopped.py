"""The best result so far of a run that a time limit, Ctrl-C or an error of the method has stopped.

For each player separately, the module records the strategy with the best proven guarantee. The two strategies may come
from different proofs.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pkgutil import resolve_name
from typing import Any

from tremble.capabilities import registered
from tremble.check import JudgedProfile
from tremble.errors import LimitReached, SolverError
from tremble.game.adapter import Kind, Listener
from tremble.game.requirements import parent_sequence
from tremble.game.tree import GameTree
from tremble.run.alarm import TIME_IS_UP, interrupts_held_back
from tremble.run.clock import Clock
from tremble.run.deadline import grace, limited
from tremble.run.signals import INTERRUPTIONS
from tremble.solution import certificates
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solution.judgements import join_profiles, judge_profile, judge_values
from tremble.solution.solution import Solution
from tremble.solvers.method import Request
from tremble.status import Status
from tremble.value import shorten
from tremble.words import for_reader

__all__ = ["BOUNDS", "FOR_BOUNDS", "LEAST", "VERIFICATION", "Examined", "Stopped", "remembered", "width"]

Examined = tuple[Claim, JudgedProfile]

_GRACE_SECONDS = 60.0  # time after Ctrl-C to find exact bounds if none are known, and the payoffs of the strategies
FOR_BOUNDS = 0.8  # fraction of this time for the bounds
# After a time limit, the verification of a claim ends after the first fraction of the grace period, and the search for
# bounds ends after the second fraction. The rest of the period is for writing.
VERIFICATION, BOUNDS = 0.25, 0.55
_AT_LAST = 0.7  # replaces BOUNDS if no bounds are known
LEAST = 0.3  # minimum number of seconds allowed for bounds, and for payoffs


class Stopped(ABC):
    """The base class of :class:`tremble.solvers.recorder.Recorder` with the methods that finish a stopped run."""

    clock: Clock
    _request: Request
    _kind: Kind[Any, Any]
    _make: Callable[[], Claim]
    _kept: tuple[Examined, Examined] | None  # a proof with the best strategy, for each player
    _floor: Examined | None  # a result with payoffs only, if the first proof must load compiled kernels

    @abstractmethod
    def _listen(self, step: str) -> None:
        """Report the name of the current step."""

    @abstractmethod
    def _solution(self, claim: Claim, judged: JudgedProfile, stats: dict[str, Any]) -> Solution:
        """Return the solution that combines a claim and the checker's verdict on it."""

    @property
    def _of_player(self) -> bool:
        row = CONCEPTS.get(str(self._request.concept))  # the concept may not be validated yet
        return row is not None and row.of_player

    def _first(self) -> Claim:
        """Return the claim that stands in for the method's claim until the method records one."""
        request, profile = self._request, self._kind.first_profile()
        game = request.game
        if not (self._of_player and isinstance(game, GameTree)):
            return Claim(profile, {})
        if remembered(game):
            sure = certificates.guarantee(int(request.player or 0))
            return Claim(profile, {}, None if game.constant_sum is not None else sure)
        for part in registered():
            if request.concept in part.first_claims:
                claim: Claim = resolve_name(part.first_claims[request.concept])(game, int(request.player or 0), profile)
                return claim
        return Claim(profile, {})

    def _look(self, listen: Listener) -> Examined:
        """Return the current claim and the kernel's verdict. Without a certificate, the kernel checks only ``nash``."""
        claim, request = self._make(), self._request
        return claim, judge_profile(
            request.game, claim.strategies, concept=request.concept, certificate=claim.certificate, progress=listen
        )

    def _judge_values(self, claim: Claim) -> JudgedProfile:
        request = self._request
        return judge_values(request.game, claim.strategies, concept=str(request.concept), progress=self._listen)

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
        """Return the best profile so far, with exact bounds if possible, or None if computing payoffs takes too long.

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
        """Prove exact bounds from the best claim of a method that has ended. Spend at most ``seconds``."""
        limited(seconds, lambda: self._take(*self._look(self._listen)))

    @abstractmethod
    def _collect(self, seconds: float) -> None:
        """Collect the results of proofs that finished while the method was running."""

    def best(self, end: float) -> Examined:
        """Return the strategies with the best proven bounds. If no bounds are proven, evaluate the last strategies."""

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


def remembered(tree: GameTree) -> bool:
    """Return True if both players have perfect recall."""
    return all(parent_sequence(tree, player) is not None for player in (0, 1))


def width(examined: Examined) -> Fraction:
    """Return the gap between the proven bounds, or 0 if no bounds are proven."""
    bounds = examined[1].verification.bounds
    return Fraction(0) if bounds is None else bounds[1] - bounds[0]


def what_is_missing(best: Solution | None) -> str:
    """Return the end of an error message: a text that says what is not proven for the best solution."""
    if best is None:
        return "; there is no result yet"
    if best.status == Status.CERTIFIED:
        return f"; the result is proven to be a Nash equilibrium, but not to be {best.requested}"
    if best.bounds is None and (gain := best.verification.nash_conv) is not None:
        return (
            f"; for the best strategies so far, it is proven that both players together can gain {shorten(gain)} by "
            "deviating"
        )
    if best.bounds is None:
        respond = for_reader("tremble.nash_conv", "tremble respond")
        return f"; nothing is proven for the best strategies so far, but `{respond}` computes the gains by deviating"
    return ""
