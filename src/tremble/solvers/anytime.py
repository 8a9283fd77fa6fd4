"""Record the best strategies so far of a method that may be stopped, with their proven bounds.

Exact bounds take time, and a stopped method has none left. So bounds are proven while the method works. If a first
proof takes a small share of the time, the checker proves a simple profile before the method begins. Later it proves
profiles that the method offers, in a separate process, with about a tenth of the time or on an idle processor. The
seconds of each proof are measured, and the method is stopped early enough for a last one. A proof that does not finish
costs nothing else.

The strategies of the two players are recorded separately: for each player the strategy with the best proven guarantee,
even if they come from different proofs.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from math import inf, isfinite
from multiprocessing import connection
from pathlib import Path
from typing import Any

from tremble.capabilities import registered
from tremble.check import JudgedProfile
from tremble.errors import LimitReached, SolverError, TrembleError
from tremble.game.adapter import Listener
from tremble.game.kinds import kind_of
from tremble.game.requirements import parent_sequence
from tremble.game.tree import GameTree
from tremble.lazy import at
from tremble.run.alarm import TIME_IS_UP, interrupts_held_back
from tremble.run.clock import INTERRUPTIONS, Clock, grace, limited
from tremble.run.executors import processors
from tremble.run.signals import end_with_parent
from tremble.solution import certificates
from tremble.solution.claim import Claim, Profile
from tremble.solution.claims import join_profiles, judge_profile, judge_values
from tremble.solution.concepts import CONCEPTS
from tremble.solution.parts import GameReference, MethodReference
from tremble.solution.proof import proven_solution, stated_solution
from tremble.solution.solution import Solution
from tremble.solvers.method import Request, nobody_listens

__all__ = ["Incumbent"]

_Examined = tuple[Claim, JudgedProfile]
_Look = Callable[[Listener], _Examined]

_SHARE = 0.1  # of the time of a method is for the checker
_AT_FIRST_SECONDS = 0.5  # always allowed for a proof before the method begins
_FIRST_SECONDS = 1.0  # before the first proof of an offered profile, and at least between two proofs
_SAFELY = 1.5  # times the seconds of the last proof are needed for the next one
_GUESSED = 20  # the factor for an estimate without a measurement, because exact numbers may be long
_GROWTH = 2.0  # greatest factor from one proof to the next
_WRITTEN = 0.7  # sending and writing a certificate takes 0.7 times as long as proving it (measured)
_PROMPT_SECONDS = 5.0  # for a last proof after Ctrl-C
_AGAIN_SECONDS = 0.2  # between two checks for Ctrl-C while waiting for bounds
_NICENESS = 10  # gives a process about a tenth of a processor beside a process with 0

_GRACE_SECONDS = 60.0  # after Ctrl-C, for exact bounds if none are known, and for the payoffs of the strategies
_FOR_BOUNDS = 0.8  # share of this time for the bounds
# Shares of the grace period after a time limit, at which the verification of a claim and the search for bounds end. The
# rest is for writing.
_VERIFICATION, _BOUNDS = 0.25, 0.55
_AT_LAST = 0.7  # the share for bounds if none are known
_LEAST = 0.3  # seconds that are always allowed for bounds, and for payoffs


class Incumbent:
    """Record the best strategies of a run, and build its solution: from the final claim, or from these strategies.

    Attributes
    ----------
    clock : Clock
        The clock of the run.
    method : MethodReference
        The method that the solutions name.
    offered : bool
        True if the method has offered a profile.
    """

    def __init__(self, request: Request) -> None:
        self._request, self._kind = request, kind_of(request.game)
        limit = request.time_limit
        # Reserve the seconds before the limit that a large game needs for values and writing, beside the grace period.
        reserved = 0.0
        if limit is not None:
            reserved = min(max(self._kind.writing_seconds() - grace(limit) / 2, 0.0), limit / 2)
        self.clock = Clock(None if limit is None else limit - reserved)
        self.method = MethodReference("auto", {})
        # The time at which the last proof must be finished.
        self._end = None if limit is None else limit + _FOR_BOUNDS * _BOUNDS * grace(limit)
        self._make: Callable[[], Claim] = self._first
        self._kept: tuple[_Examined, _Examined] | None = None  # with the best strategy of each player
        self._proofs: list[_Proof] = []
        self._thread = threading.get_ident()
        self._claimed = -inf, inf
        self._new = True  # no proof of the last offer has begun
        self.offered = False
        guess = None if self._of_player else self._kind.checking_seconds()
        self._cost, self._growth = inf if guess is None else guess, _GROWTH
        self._writing = 0.0  # seconds to write a proven certificate
        self._measures = 0  # finished proofs
        self._share = 1.0 if self._kind.one_processor and processors() > 1 else _SHARE
        self.clock.watch(self._go_on)  # methods make offers only after long steps
        self._next = max(_FIRST_SECONDS, 0.0 if guess is None else guess / _SHARE)
        self._lock = threading.Lock()  # held while results of proofs are collected
        self._floor: _Examined | None = None  # payoffs only, if a first proof has to load compiled kernels

    def begin(self) -> None:
        """Begin the first proof, so that a method that is stopped early still has a proven result.

        A short proof runs at once. So does a proof that needs more than the whole time, because the method could do
        nothing useful in that time. Otherwise a separate process begins the proof.
        """
        limit, left = self._request.time_limit, self.clock.left
        if limit is None or left is None or self._end is None:
            return
        spare = self._end - self.clock.elapsed - left
        # The first profile is simple, even if later ones are not; None if there is no estimate.
        cost = self._kind.checking_seconds()
        if cost is not None and not max(_SHARE * limit, _AT_FIRST_SECONDS) < cost < limit:
            began, self._new = self.clock.elapsed, False
            with suppress(TrembleError):  # the method raises this error again
                limited(max(self._end - began, _LEAST), self._look_first)
                if _GUESSED * self._cost > spare:
                    self._measured(self.clock.elapsed - began)
                    self._plan()
            self._new = self._kept is None
        elif _Proof.possible() and _GUESSED * self._cost > spare:  # a better profile may take long
            self._begin()
        if _GUESSED * self._cost <= spare:
            self._next = inf  # every proof fits into the grace period

    def _look_first(self) -> None:
        game = self._request.game
        if self._of_player and isinstance(game, GameTree) and not _remembered(game):
            claim = Claim(self._kind.first_profile(), {})
            self._floor = (
                claim,
                self._judge_values(claim),
            )
        self._take(*self._look(self._listen))
        GameReference.of(game)  # caches the digest, which every solution states, before time is short

    @property
    def _of_player(self) -> bool:
        row = CONCEPTS.get(str(self._request.concept))  # not validated yet
        return row is not None and row.of_player

    def _first(self) -> Claim:
        """Return the claim before the first offer, with a certificate for a player without perfect recall."""
        request, profile = self._request, self._kind.first_profile()
        game = request.game
        if not (self._of_player and isinstance(game, GameTree)):
            return Claim(profile, {})
        if _remembered(game):
            sure = certificates.guarantee(int(request.player or 0))
            return Claim(profile, {}, None if game.constant_sum is not None else sure)
        for part in registered():
            if request.concept in part.first_claims:
                claim: Claim = at(part.first_claims[request.concept])(game, int(request.player or 0), profile)
                return claim
        return Claim(profile, {})

    def _look(self, listen: Listener) -> _Examined:
        """Check the current claim: its certificate, or without one that it is an equilibrium."""
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
        """Record a function that returns the best profile so far; methods call this as they work."""
        self.offer_claim(lambda: Claim(make(), {}))

    def offer_claim(self, make: Callable[[], Claim]) -> None:
        """Record a function that returns the best claim so far."""
        self._make, self._new, self.offered = make, True, True
        self._go_on()

    def hear(self, row: Mapping[str, Any]) -> None:
        """Record the best float bounds of a method, and pass the row to the report."""
        low, high = row.get("lower_float"), row.get("upper_float")
        if low is not None and high is not None:
            self._claimed = max(self._claimed[0], low), min(self._claimed[1], high)
        self._request.report(row)

    def _go_on(self) -> None:
        """Collect finished proofs, and begin the next proof if it is due."""
        if threading.get_ident() != self._thread:
            return
        self._collect(0.0)
        if self._new and not self._proofs and self.clock.elapsed >= self._next and _Proof.possible():
            self._begin()

    def _begin(self) -> None:
        proof = _Proof(self._look)
        self._proofs.append(proof)  # before it starts, so that an interruption in between ends it too
        self._new = False
        proof.start()

    def _collect(self, seconds: float) -> None:
        """Collect the proofs that are finished, or that finish within ``seconds``."""
        with self._lock:
            ready = connection.wait([proof.reader for proof in self._proofs], max(seconds, 0.0)) if self._proofs else []
            for proof in [proof for proof in self._proofs if proof.reader in ready]:
                try:
                    result = proof.result()
                finally:
                    self._end_proof(proof)
                if result is not None:
                    claim, judged, cost = result
                    self._take(claim, judged)
                    self._measured(cost)
                    self._writing = _WRITTEN * cost if claim.certificate is not None else 0.0
                self._plan()

    def _end_proof(self, proof: _Proof) -> None:
        with interrupts_held_back():
            proof.end()
            self._proofs.remove(proof)

    def _measured(self, cost: float) -> None:
        self._growth = min(max(cost / self._cost, 1.0), _GROWTH) if self._measures and self._cost else 1.0
        self._cost, self._measures = cost, self._measures + 1

    @property
    def _needed(self) -> float:
        """Return the seconds that a proof needs."""
        return (_SAFELY if self._measures else _GUESSED) * self._growth * self._cost

    def _plan(self) -> None:
        """Set the time of the next proof, and reserve time for the last one before the limit of the method.

        No time is reserved if the last proof would need more than half of the time left.
        """
        now = self.clock.elapsed
        wait = self._cost * (1 / self._share - 1) if self._measures > 1 else 0.0  # the first profile is simple
        self._next = now + max(_FIRST_SECONDS, wait)
        if self._end is None or not isfinite(self._needed):
            return
        end = self._end - self._writing
        last = end - self._needed
        if self._next + self._needed > last:  # with less time left, a proof may still finish
            self._next = last if last >= now else now if now + self._cost < end else inf
        self.clock.reserve(0.0)
        left = self.clock.left
        assert left is not None
        early = now + left - last
        self.clock.reserve(early if 0 < early <= left / 2 else 0.0)

    def _take(self, claim: Claim, judged: JudgedProfile) -> None:
        """Record a proven profile if it is better than the recorded ones."""
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
        # The bounds of a certificate hold for both strategies together.
        if any(kept.certificate is not None for kept, _ in (kept1, kept2, new)):
            if _width(new) <= _width(kept1):
                self._kept = new, new
            return
        self._kept = new if seen.bounds[0] >= bounds1[0] else kept1, new if seen.bounds[1] <= bounds2[1] else kept2

    # -- after the method --------------------------------------------------------------------------

    @property
    def verification_left(self) -> float | None:
        """Return the seconds left for the proof of a claim; None without a limit."""
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
        """Return the best result so far; None if no result is known yet.

        A thread calls this while the run itself may be in a step that nothing can interrupt.
        """
        self._collect(0.0)
        best = self._floor if self._kept is None else self._closest()
        if best is None:
            return None
        return self._solution(*best, {"total_seconds_float": self.clock.elapsed, "stopped": TIME_IS_UP})

    def best_so_far(self, stopped: str) -> Solution | None:
        """Return the best profile so far, with exact bounds if possible; None if there is no time.

        A second Ctrl-C ends the search for bounds.
        """
        clock, limit = self.clock, self._request.time_limit
        stats: dict[str, Any] = {"total_seconds_float": clock.elapsed, "stopped": stopped}
        end = clock.elapsed + _GRACE_SECONDS
        self._collect(0.0)
        if limit is not None:
            end = min(end, limit + (_BOUNDS if self._kept is not None else _AT_LAST) * grace(limit))
        try:
            self._listen("exact bounds of the best strategies so far (Ctrl-C: without them)")
            with suppress(LimitReached, KeyboardInterrupt):
                self.bounds(max(_FOR_BOUNDS * (end - clock.elapsed), _LEAST), at_once=stopped in INTERRUPTIONS)
            self._collect(0.0)
            if self._kept is not None and clock.elapsed > end:  # an interruption now would lose the result
                with interrupts_held_back():
                    return self._solution(*self._closest(), stats)
            return self._solution(*self.best(end), stats)
        except (SolverError, KeyboardInterrupt):
            return None

    def bounds(self, seconds: float, *, at_once: bool) -> None:
        """Look for exact bounds after the end of the run, for at most ``seconds``.

        With ``at_once``, if bounds are known already, wait for better ones only a few seconds or a tenth of the time so
        far.
        """
        self._collect(0.0)
        if at_once and self._kept is not None:
            seconds = min(seconds, max(_PROMPT_SECONDS, _SHARE * self.clock.elapsed))
        elif self._end is not None:
            seconds -= self._writing
        until = self.clock.elapsed + seconds
        first = self._kept is None and not self._proofs
        if self._new and (first or self._cost <= seconds) and _Proof.possible():
            self._begin()
        newest = self._proofs[-1] if self._proofs else None
        while newest in self._proofs and self.clock.elapsed < until:
            self._collect(min(_AGAIN_SECONDS, until - self.clock.elapsed))
            self._listen("waiting for the checker")
        if self._kept is None and not self._proofs:  # processes are impossible here, or the proof failed
            limited(until - self.clock.elapsed, lambda: self._take(*self._look(self._listen)))

    def best(self, end: float) -> _Examined:
        """Return the best strategies with known bounds, or the last ones with their payoffs if computed in time."""

        def in_time(work: Callable[[], JudgedProfile]) -> JudgedProfile:
            return limited(max(end - self.clock.elapsed, _LEAST), work)

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

    def _closest(self) -> _Examined:
        """Return the recorded proof with the smallest gap."""
        assert self._kept is not None
        return min(self._kept, key=_width)

    def _solution(self, claim: Claim, judged: JudgedProfile, stats: dict[str, Any]) -> Solution:
        if all(map(isfinite, self._claimed)):  # float bounds on the value, without a proof
            stats["claimed_float"] = list(self._claimed)
        claim = dataclasses.replace(claim, diagnostics={**claim.diagnostics, **stats})
        return stated_solution(self._kind.game, claim, self._request.concept, self.method, judged.verification)

    def close(self) -> None:
        """End the processes of the checker."""
        with self._lock:
            while self._proofs:
                self._end_proof(self._proofs[-1])


def _remembered(tree: GameTree) -> bool:
    return all(parent_sequence(tree, player) is not None for player in (0, 1))


def _width(examined: _Examined) -> Fraction:
    bounds = examined[1].verification.bounds
    return Fraction(0) if bounds is None else bounds[1] - bounds[0]


# -- a separate process for the checker ------------------------------------------------------------


class _Proof:
    """A process that checks a claim: a fork of this one, so that the rules of a game need no pickling."""

    def __init__(self, look: _Look) -> None:
        context: Any = multiprocessing.get_context("fork")
        self.reader, self._writer = context.Pipe(duplex=False)
        self._process = context.Process(target=_prove, args=(look, self.reader, self._writer), daemon=True)

    def start(self) -> None:
        """Start the process."""
        # Block the signals until the copy is made: this process handles them.
        stops = {signal.SIGINT, signal.SIGTERM, signal.SIGALRM}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        try:
            with interrupts_held_back(), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # the copy does not need the other threads
                self._process.start()
                self._writer.close()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @staticmethod
    def possible() -> bool:
        """Return True if this process can fork."""
        forks = "fork" in multiprocessing.get_all_start_methods()
        return forks and not multiprocessing.current_process().daemon

    def result(self) -> tuple[Claim, JudgedProfile, float] | None:
        """Return the claim, the verdict and its seconds; None if the proof failed, which this process will report."""
        try:
            result: tuple[Claim, JudgedProfile, float] = self.reader.recv()
        except (EOFError, OSError):
            return None
        return result

    def end(self) -> None:
        """Kill the process if it has started; a second call does nothing."""
        if self._process.pid is not None:
            self._process.kill()
            self._process.join()
        self.reader.close()
        self._writer.close()


def _prove(look: _Look, reader: connection.Connection, writer: connection.Connection) -> None:
    began = time.perf_counter()
    threading.Thread(target=end_with_parent, daemon=True).start()
    reader.close()  # so that writing fails if the other process ends
    with suppress(OSError):  # if memory runs out, the kernel kills this process, not the method
        Path("/proc/self/oom_score_adj").write_text("1000")
    if processors() < 2:  # take a small share of the only processor
        os.nice(_NICENESS)
    with suppress(TrembleError, OSError):
        claim, judged = look(nobody_listens)
        writer.send((claim, judged, time.perf_counter() - began))
