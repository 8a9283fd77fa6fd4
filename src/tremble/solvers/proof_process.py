"""Check a claim in a forked process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing import connection
from operator import is_
from pathlib import Path
from typing import Any

from tremble.check import JudgedProfile
from tremble.errors import TrembleError
from tremble.game.adapter import Listener
from tremble.run.alarm import interrupts_held_back
from tremble.run.executors import processors
from tremble.run.signals import end_with_parent
from tremble.solution.claim import Claim
from tremble.solvers.method import nobody_listens
from tremble.solvers.stopped import Examined

Look = Callable[[Listener], Examined]


_NICENESS = 10  # a process with this niceness gets about a tenth of a processor that it shares with a process at 0


class Proof:
    """A forked process that checks a claim. Because it is a fork, the rules of a game need no pickling."""

    def __init__(self, look: Look) -> None:
        context: Any = multiprocessing.get_context("fork")
        self.reader, self._writer = context.Pipe(duplex=False)
        self._process = context.Process(target=_prove, args=(look, self.reader, self._writer), daemon=True)

    def start(self) -> None:
        """Start the process."""
        # Block signals until the fork exists, because only the parent process handles them.
        stops = {signal.SIGINT, signal.SIGTERM, signal.SIGALRM}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        try:
            with interrupts_held_back(), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # the fork does not need the other threads
                self._process.start()
                self._writer.close()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @staticmethod
    def possible() -> bool:
        """Return True if the current process can fork."""
        forks = "fork" in multiprocessing.get_all_start_methods()
        return forks and not multiprocessing.current_process().daemon

    def result(self) -> tuple[Claim, JudgedProfile, float] | None:
        """Return the claim, the verdict and the duration, or None if the process failed. The caller may then retry."""
        try:
            claim, judged, seconds = self.reader.recv()
        except (EOFError, OSError):
            return None
        return claim if claim.strategies else replace(claim, strategies=judged.strategies), judged, seconds

    def end(self) -> None:
        """Kill the process if it has started. A second call does nothing."""
        if self._process.pid is not None:
            self._process.kill()
            self._process.join()
        self.reader.close()
        self._writer.close()


def _prove(look: Look, reader: connection.Connection, writer: connection.Connection) -> None:
    began = time.perf_counter()
    threading.Thread(target=end_with_parent, daemon=True).start()
    reader.close()  # so that writing fails if the parent process ends
    with suppress(OSError):  # if memory runs out, the kernel should kill this process instead of the method
        Path("/proc/self/oom_score_adj").write_text("1000")
    if processors() < 2:  # use only a small part of the single processor
        os.nice(_NICENESS)
    with suppress(TrembleError, OSError):
        claim, judged = look(nobody_listens)
        nothing: Any = ()
        if all(map(is_, claim.strategies, judged.strategies)):  # do not send the same strategies twice
            claim = replace(claim, strategies=nothing)
        writer.send((claim, judged, time.perf_counter() - began))
