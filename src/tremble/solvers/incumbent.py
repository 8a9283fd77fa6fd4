"""The best strategies so far of a method that may be stopped, with the bounds that are proven of each.

Exact bounds take time, which a method that is stopped no longer has. So they are found while it works. Whatever the
game, the checker looks in a process of its own at what the method offers, now and then, so that it takes about a tenth
of the time; where the method leaves a processor idle, again and again. What a proof takes is measured, and the method
is stopped early enough for the last one. A proof that does not come to its end costs nothing else.

The strategies of the two players are kept apart: of each player the one that is proven to guarantee the most, whichever
proofs they come from.
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

from tremble.clock import Clock, limited
from tremble.errors import LimitReached, TrembleError
from tremble.kinds import kind_of
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.solution.claim import Claim, Profile
from tremble.solution.heading import Status
from tremble.solution.verification import Verification
from tremble.solvers.run import nobody_listens, processors
from tremble.system.signals import end_with_parent

__all__ = ["Examine", "Incumbent"]

Examine = Callable[[Claim, Callable[[str], None]], Verification]
"""What the checker finds of a claim; the second argument is called now and then."""

_Earned = Callable[[Profile], tuple[Fraction, Fraction]]
_Found = tuple[Claim, Verification]

_SHARE = 0.1  # of the time of a method is what the checker may take of it
_FIRST_SECONDS = 1.0  # before the checker looks at what is offered, and at least between two looks
_SAFELY = 1.5  # times what the last proof took has to be left for the next one
_GUESSED = 20  # the same as long as that is a guess: numbers may be long
_GROWTH = 2.0  # from one proof to the next, at most
_WRITTEN = 0.7  # times what the proof of a certificate takes, it takes to hand it on and to write it
_PROMPT_SECONDS = 5.0  # for a last proof while somebody waits
_AGAIN_SECONDS = 0.2  # between two questions whether somebody wants no bounds
_NICENESS = 10  # gets about a tenth of a processor beside a process without


class Incumbent:
    """Keeps the best strategies of a run.

    Parameters
    ----------
    clock : Clock
        Of the run.
    examine : callable
        The checker.
    end : float or None
        When the last proof must have come to its end, on the clock; None without a time limit.
    first : callable, optional
        Makes what there is before a method offers anything; that of the game's kind if not given.
    """

    def __init__(
        self,
        game: GameTree | UnbuiltGame,
        clock: Clock,
        examine: Examine,
        *,
        end: float | None,
        first: Callable[[], Claim] | None = None,
    ) -> None:
        self._clock, self._examine, self._end = clock, examine, end
        kind = kind_of(game)
        self._make: Callable[[], Claim] = first or (lambda: Claim(kind.first_profile(), {}))
        self._kept: tuple[_Found, _Found] | None = None  # whose strategy is the best of player 1, and of player 2
        self._proofs: list[_Proof] = []
        self._thread = threading.get_ident()
        self._claimed = -inf, inf
        self._new = True  # nobody has looked at what was offered last
        self.offered = False  # whether a method has
        guess = kind.checking_seconds() if first is None else None
        self._cost, self._growth = inf if guess is None else guess, _GROWTH
        self._writing = 0.0  # seconds that writing what is proven takes, if that is long
        self._measures = 0  # proofs that have come to their end
        self._share = 1.0 if kind.one_processor and processors() > 1 else _SHARE
        clock.watch(self._go_on)  # methods offer something after long steps only
        self._next = max(_FIRST_SECONDS, 0.0 if guess is None else guess / _SHARE)
        if end is not None and clock.left is not None:
            spare = end - clock.elapsed - clock.left
            if _GUESSED * self._cost <= spare:
                self._next = inf  # all that is to be proven can be proven after the limit
            elif _Proof.possible():  # it may be long before there is something better
                self._begin()

    # -- while the method works --------------------------------------------------------------------

    def offer(self, make: Callable[[], Profile]) -> None:
        """Take what makes the best profile so far, whenever it is asked; methods call this as they go on."""
        self.offer_claim(lambda: Claim(make(), {}))

    def offer_claim(self, make: Callable[[], Claim]) -> None:
        """The same with a whole claim."""
        self._make, self._new, self.offered = make, True, True
        self._go_on()

    def hear(self, row: Mapping[str, Any]) -> None:
        """Remember the best bounds that a method has found in floats."""
        low, high = row.get("lower_float"), row.get("upper_float")
        if low is not None and high is not None:
            self._claimed = max(self._claimed[0], low), min(self._claimed[1], high)

    @property
    def known(self) -> bool:
        """Whether there are strategies with proven bounds."""
        self._collect(0.0)
        return self._kept is not None

    @property
    def claimed(self) -> list[float] | None:
        """What floats say of the value of player 1: nothing of it is proven. None where they say nothing."""
        return list(self._claimed) if all(map(isfinite, self._claimed)) else None

    def _go_on(self) -> None:
        """Take what has been proven, and begin the next proof if it is time for it."""
        if threading.get_ident() != self._thread:
            return
        self._collect(0.0)
        if self._new and not self._proofs and self._clock.elapsed >= self._next and _Proof.possible():
            self._begin()

    def _begin(self) -> None:
        self._proofs.append(_Proof(self._make, self._examine))
        self._new = False

    def _collect(self, seconds: float) -> None:
        """Take what has been proven, or is within so many seconds."""
        ready = connection.wait([proof.reader for proof in self._proofs], max(seconds, 0.0)) if self._proofs else []
        for proof in [proof for proof in self._proofs if proof.reader in ready]:
            self._proofs.remove(proof)
            found = proof.result()
            proof.end()
            if found is not None:
                claim, seen, cost = found
                self._take(claim, seen)
                self._measured(cost)
                self._writing = _WRITTEN * cost if claim.certificate is not None else 0.0
            self._plan()

    def _measured(self, cost: float) -> None:
        self._growth = min(max(cost / self._cost, 1.0), _GROWTH) if self._measures and self._cost else 1.0
        self._cost, self._measures = cost, self._measures + 1

    @property
    def _needed(self) -> float:
        """Seconds that have to be left for a proof."""
        return (_SAFELY if self._measures else _GUESSED) * self._growth * self._cost

    def _plan(self) -> None:
        """When to begin the next proof; the method ends before the last one, unless that is long before its limit."""
        now = self._clock.elapsed
        wait = self._cost * (1 / self._share - 1) if self._measures > 1 else 0.0  # the first profile is a simple one
        self._next = now + max(_FIRST_SECONDS, wait)
        if self._end is None or not isfinite(self._needed):
            return
        end = self._end - self._writing
        last = end - self._needed
        if self._next + self._needed > last:  # with less time than that, it may yet come to its end
            self._next = last if last >= now else now if now + self._cost < end else inf
        self._clock.reserve(0.0)
        left = self._clock.left
        assert left is not None
        early = now + left - last
        self._clock.reserve(early if 0 < early <= left / 2 else 0.0)

    def _take(self, claim: Claim, seen: Verification) -> None:
        """Keep what is proven to be better than what is kept."""
        if seen.values is None or (seen.best_response_values is None and seen.bounds is None):
            return
        found = claim, seen
        if self._kept is None or seen.bounds is None:
            self._kept = found, found
            return
        (one, of_one), (two, of_two) = self._kept
        assert of_one.bounds is not None
        assert of_two.bounds is not None
        if any(kept.certificate is not None for kept in (one, two, claim)):  # its bounds are those of the whole
            if _width(seen) <= _width(of_one):
                self._kept = found, found
            return
        self._kept = (
            found if seen.bounds[0] >= of_one.bounds[0] else (one, of_one),
            found if seen.bounds[1] <= of_two.bounds[1] else (two, of_two),
        )

    # -- when it has ended -------------------------------------------------------------------------

    def bounds(self, seconds: float, *, at_once: bool, listen: Callable[[str], None]) -> None:
        """After the end of the run: see to it that exact bounds are known, if so many seconds allow it.

        Parameters
        ----------
        at_once : bool
            If some are known already, wait for better ones a few seconds only, or a tenth of the time so far.
        listen : callable
            Called now and then; may raise to end it.
        """
        self._collect(0.0)
        if at_once and self._kept is not None:
            seconds = min(seconds, max(_PROMPT_SECONDS, _SHARE * self._clock.elapsed))
        elif self._end is not None:
            seconds -= self._writing
        until = self._clock.elapsed + seconds
        first = self._kept is None and not self._proofs
        if self._new and (first or self._cost <= seconds) and _Proof.possible():
            self._begin()
        newest = self._proofs[-1] if self._proofs else None
        while newest in self._proofs and self._clock.elapsed < until:
            self._collect(min(_AGAIN_SECONDS, until - self._clock.elapsed))
            listen("waiting for the checker")
        if self._kept is None and not self._proofs:  # there is no such process, or it has failed
            limited(until - self._clock.elapsed, lambda: self._look(listen))

    def _look(self, listen: Callable[[str], None]) -> None:
        """Have the checker look at the present strategies, here and now."""
        claim = self._make()
        self._take(claim, self._examine(claim, listen))

    def best(self, earned: _Earned) -> tuple[Claim, Verification | None]:
        """The best strategies with known bounds, else the last ones.

        Parameters
        ----------
        earned : callable
            What a profile earns; ``LimitReached`` if there is no time to find out.
        """
        if self._kept is None:
            return self._make(), None
        one, two = self._kept
        if one is not two:
            with suppress(LimitReached):
                return _joined(self._kept, earned)
        return self.closest()

    def closest(self) -> _Found:
        """The pair with the smallest gap of those that are known."""
        assert self._kept is not None
        return min(self._kept, key=lambda found: _width(found[1]))

    def close(self) -> None:
        """End the checker's processes."""
        while self._proofs:
            self._proofs.pop().end()


def _width(seen: Verification) -> Fraction:
    return Fraction(0) if seen.bounds is None else seen.bounds[1] - seen.bounds[0]


def _joined(kept: tuple[_Found, _Found], earned: _Earned) -> _Found:
    """The strategy of player 1 of one proof and that of player 2 of another: what each guarantees stays proven."""
    (one, of_one), (two, of_two) = kept
    strategies: Any = one.strategies[0], two.strategies[1]
    claim = dataclasses.replace(two, strategies=strategies)
    assert of_one.bounds is not None
    assert of_two.bounds is not None
    assert of_one.best_response_values is not None
    assert of_two.best_response_values is not None
    values, most = earned(strategies), (of_two.best_response_values[0], of_one.best_response_values[1])
    conv = most[0] + most[1] - values[0] - values[1]
    equal = conv == 0
    return claim, Verification(
        ok=equal,
        concept="nash",
        status=Status.CERTIFIED if equal else Status.BOUNDED,
        proven="nash" if equal else "bounds",
        nash_conv=conv,
        problems=(),
        values=values,
        best_response_values=most,
        bounds=(of_one.bounds[0], of_two.bounds[1]),
    )


# -- a process of its own for the checker ----------------------------------------------------------


class _Proof:
    """A process that looks at a claim: a copy of this one, so that any rules will do."""

    def __init__(self, make: Callable[[], Claim], examine: Examine) -> None:
        context: Any = multiprocessing.get_context("fork")
        self.reader, writer = context.Pipe(duplex=False)
        self._process = context.Process(target=_prove, args=(make, examine, self.reader, writer), daemon=True)
        stops = {signal.SIGINT, signal.SIGTERM, signal.SIGALRM}  # are not for the copy, and wait until it is made
        before = signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # the copy does not need the other threads
                self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        writer.close()

    @staticmethod
    def possible() -> bool:
        """Whether there can be such a process."""
        forks = "fork" in multiprocessing.get_all_start_methods()
        return forks and not multiprocessing.current_process().daemon

    def result(self) -> tuple[Claim, Verification, float] | None:
        """The claim, what is found of it and how long that took; None if it failed, which this process will tell of."""
        try:
            found: tuple[Claim, Verification, float] = self.reader.recv()
        except (EOFError, OSError):
            return None
        return found

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.join()
        self.reader.close()


def _prove(
    make: Callable[[], Claim], examine: Examine, reader: connection.Connection, writer: connection.Connection
) -> None:
    began = time.perf_counter()
    threading.Thread(target=end_with_parent, daemon=True).start()
    reader.close()  # so that nobody is left to write to if the other process ends
    with suppress(OSError):  # where memory ends, the method is the one to stay
        Path("/proc/self/oom_score_adj").write_text("1000")
    if processors() < 2:  # it is to take a small share of the only one
        os.nice(_NICENESS)
    with suppress(TrembleError, OSError):
        claim = make()
        seen = examine(claim, nobody_listens)
        writer.send((claim, seen, time.perf_counter() - began))
