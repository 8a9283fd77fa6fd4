"""Prove bounds on the value of a game while a method runs, so that a stopped run has a proven result.

Exact bounds take time, and a stopped run has no time left. Before the method begins, the checker proves bounds from a
simple profile if this takes a small fraction of the time limit. Later it proves bounds from profiles that the
method records. These proofs run in a separate process and use a tenth of the time, or more if a processor is idle. Each
proof is timed, and the method is stopped early enough for a last proof. If a proof is stopped, earlier results remain.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from math import inf, isfinite
from multiprocessing import connection

from tremble.errors import TrembleError
from tremble.game.tree import GameTree
from tremble.run.alarm import interrupts_held_back
from tremble.run.clock import Clock
from tremble.run.deadline import grace, limited
from tremble.run.executors import processors
from tremble.solution.claim import Claim
from tremble.solution.claims import GameReference
from tremble.solvers.method import Request
from tremble.solvers.proof_process import Proof
from tremble.solvers.recorder import Recorder
from tremble.solvers.stopped import BOUNDS, FOR_BOUNDS, LEAST, remembered

__all__ = ["Incumbent"]


_SHARE = 0.1  # fraction of the run's time that the checker may use
_AT_FIRST_SECONDS = 0.5  # a first proof with a shorter estimate always runs before the method begins
_FIRST_SECONDS = 1.0  # time before the first proof of a recorded profile, and minimum time between two proofs
_SAFELY = 1.5  # the next proof gets this many times the duration of the last proof
_GUESSED = 20  # without a measurement, a proof gets this many times its estimate, because exact numbers may be long
_GROWTH = 2.0  # greatest expected ratio between the durations of a proof and of the proof before it
_WRITTEN = 0.7  # sending and writing a certificate takes 0.7 times as long as proving it (measured)
_PROMPT_SECONDS = 5.0  # time for a last proof after Ctrl-C
_AGAIN_SECONDS = 0.2  # time between two checks for Ctrl-C while waiting for bounds


class Incumbent(Recorder):
    """A recorder that uses the recorded strategies to prove bounds on the game's value while the method still runs."""

    def __init__(self, request: Request, clock: Clock | None = None) -> None:
        super().__init__(request, clock)
        limit = request.time_limit
        # Computing values and writing can exceed the grace period after the limit. Reserve the rest before the limit.
        if limit is not None:
            reserved = min(max(self._kind.writing_seconds() - grace(limit) / 2, 0.0), limit / 2)
            self.clock = Clock(limit - reserved)
        # The last proof must be finished at this time.
        self._end = None if limit is None else limit + FOR_BOUNDS * BOUNDS * grace(limit)
        self._proofs: list[Proof] = []
        self._thread = threading.get_ident()
        self._new = True  # True until a proof of the last recorded claim begins
        guess = None if self._of_player else self._kind.checking_seconds()
        self._cost, self._growth = inf if guess is None else guess, _GROWTH
        self._writing = 0.0  # seconds to write a proven certificate
        self._measures = 0  # number of finished proofs
        self._share = 1.0 if self._kind.one_processor and processors() > 1 else _SHARE
        self.clock.watch(self._go_on)  # a method rarely records a claim, but often checks the clock
        self._next = max(_FIRST_SECONDS, 0.0 if guess is None else guess / _SHARE)
        self._lock = threading.Lock()  # held while results of proofs are collected

    def begin(self) -> None:
        """Begin the first proof, so that a method that is stopped early still has a proven result.

        A short proof runs at once. A proof longer than the time limit also runs at once, because a method that has less
        time than a proof finds nothing useful. Any other proof runs in a separate process, or after the time limit.
        """
        limit, left = self._request.time_limit, self.clock.left
        if limit is None or left is None or self._end is None:
            return
        spare = self._end - self.clock.elapsed - left
        # The first profile is simple, even if later profiles are not. The cost is None if there is no estimate.
        cost = self._kind.checking_seconds()
        if cost is not None and not max(_SHARE * limit, _AT_FIRST_SECONDS) < cost < limit:
            began, self._new = self.clock.elapsed, False
            with suppress(TrembleError):  # the method will raise this error too
                limited(max(self._end - began, LEAST), self._look_first)
                if _GUESSED * self._cost > spare:
                    self._measured(self.clock.elapsed - began)
                    self._plan()
            self._new = self._kept is None
        elif Proof.possible() and _GUESSED * self._cost > spare:  # the proof of a better profile may take too long
            self._begin()
        if _GUESSED * self._cost <= spare:
            self._next = inf  # no early proof is needed, because every proof fits into the grace period

    def _look_first(self) -> None:
        game = self._request.game
        if self._of_player and isinstance(game, GameTree) and not remembered(game):
            claim = Claim(self._kind.first_profile(), {})
            self._floor = (
                claim,
                self._judge_values(claim),
            )
        self._take(*self._look(self._listen))
        GameReference.of(game)  # caches the digest, which every solution contains, before time is short

    # -- while the method works --------------------------------------------------------------------

    def offer_claim(self, make: Callable[[], Claim]) -> None:
        """Record a function that returns the best claim so far."""
        super().offer_claim(make)
        self._new = True
        self._go_on()

    def _go_on(self) -> None:
        """Collect finished proofs, and begin the next proof if it is due."""
        if threading.get_ident() != self._thread:
            return
        self._collect(0.0)
        if self._new and not self._proofs and self.clock.elapsed >= self._next and Proof.possible():
            self._begin()

    def _begin(self) -> None:
        proof = Proof(self._look)
        self._proofs.append(proof)  # before `start`, so that `close` also ends the proof after an interrupt here
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

    def _end_proof(self, proof: Proof) -> None:
        with interrupts_held_back():
            proof.end()
            self._proofs.remove(proof)

    def _measured(self, cost: float) -> None:
        self._growth = min(max(cost / self._cost, 1.0), _GROWTH) if self._measures and self._cost else 1.0
        self._cost, self._measures = cost, self._measures + 1

    @property
    def _needed(self) -> float:
        """Estimated seconds that the next proof takes."""
        return (_SAFELY if self._measures else _GUESSED) * self._growth * self._cost

    def _plan(self) -> None:
        """Set the time at which the checker begins to prove new bounds. Stop the method early enough for a final proof.

        The method is not stopped early if the final proof would cost the method more than half of its remaining time.
        """
        now = self.clock.elapsed
        wait = self._cost * (1 / self._share - 1) if self._measures > 1 else 0.0  # the second proof need not wait
        self._next = now + max(_FIRST_SECONDS, wait)
        if self._end is None or not isfinite(self._needed):
            return
        end = self._end - self._writing
        last = end - self._needed
        if self._next + self._needed > last:  # start the last proof now if it is late, because it may still finish
            self._next = last if last >= now else now if now + self._cost < end else inf
        self.clock.reserve(0.0)
        left = self.clock.left
        assert left is not None
        early = now + left - last
        self.clock.reserve(early if 0 < early <= left / 2 else 0.0)

    # -- after the method --------------------------------------------------------------------------

    def bounds(self, seconds: float, *, at_once: bool) -> None:
        """After the method has ended, wait at most ``seconds`` for the checker's exact bounds.

        If ``at_once`` is True and some bounds are proven, also limit the wait to five seconds or to a tenth of the
        elapsed time, whichever is longer.
        """
        self._collect(0.0)
        if at_once and self._kept is not None:
            seconds = min(seconds, max(_PROMPT_SECONDS, _SHARE * self.clock.elapsed))
        elif self._end is not None:
            seconds -= self._writing
        until = self.clock.elapsed + seconds
        first = self._kept is None and not self._proofs
        if self._new and (first or self._cost <= seconds) and Proof.possible():
            self._begin()
        newest = self._proofs[-1] if self._proofs else None
        while newest in self._proofs and self.clock.elapsed < until:
            self._collect(min(_AGAIN_SECONDS, until - self.clock.elapsed))
            self._listen("waiting for the checker")
        if self._kept is None and not self._proofs:  # the system allows no processes, or the proof failed
            limited(until - self.clock.elapsed, lambda: self._take(*self._look(self._listen)))

    def close(self) -> None:
        """End the processes of the checker."""
        with self._lock:
            while self._proofs:
                self._end_proof(self._proofs[-1])
