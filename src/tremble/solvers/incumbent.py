"""The best profile so far of a method that may be stopped, and the last one whose exact bounds are known.

Exact bounds take time, which a method that is stopped no longer has. So they are found while it works:

* On a tree the checker needs about as long as building it took, or less. Where that may be more than a time limit
  leaves for it, it looks at what the method offers whenever that has become a small part of the time; else it waits for
  the end.
* So it is with ordered games, whose exact best responses take a known time.
* Of other games that are not built, exact best responses may take longer than the method has taken so far. The checker
  works on them in a process of its own, again and again, and the last bounds that it has found are the ones that a
  stopped run hands out. Where there is one processor, it takes a small part of it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from tremble.clock import Clock, limited
from tremble.errors import LimitReached, TrembleError
from tremble.model.ordered.deals import Deals
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree
from tremble.signals import end_with_parent
from tremble.solution.claim import Claim, Profile
from tremble.solution.verification import Verification
from tremble.solvers.method import is_ordered, ordered_rules
from tremble.solvers.run import nobody_listens, processors

__all__ = ["Examine", "Incumbent", "simple_profile"]

Examine = Callable[[Claim, Callable[[str], None]], Verification]
"""What the checker finds of a claim; the second argument is called now and then."""

_SHARE = 0.1  # of the time of a method is what the checker may take of it
_FIRST_SECONDS = 1.0  # before the checker is given a process of its own
_SECONDS_PER_NODE, _SECONDS_PER_INFOSET = 0.7e-6, 6e-6  # that the checker needs for a profile; measured
_SECONDS_PER_SEQUENCE = 4e-8  # the same, of an ordered game
_SAFELY = 3  # times what it is thought to need has to fit in what is left after a time limit
_NICENESS = 10  # gets about a tenth of a processor beside a process without
_UNIFORM_DEPTH = 500


class Incumbent:
    """Keeps the best profile of a run.

    Parameters
    ----------
    clock : Clock
        Of the run.
    examine : callable
        The checker.
    spare : float or None
        Seconds for the checker after the time limit; None without one.
    first : callable, optional
        Makes what there is before a method offers anything; :func:`simple_profile` if not given.
    """

    def __init__(
        self,
        game: GameTree | UnbuiltGame,
        clock: Clock,
        examine: Examine,
        *,
        spare: float | None,
        first: Callable[[], Claim] | None = None,
    ) -> None:
        self._game, self._clock, self._examine = game, clock, examine
        self._make: Callable[[], Claim] = first or (lambda: Claim(simple_profile(game), {}))
        self._known: tuple[Claim, Verification] | None = None
        self._checker: _Checker | None = None
        cost = checking_seconds(game)
        self._apart = cost is None  # whether the checker gets a process of its own
        self._next = _FIRST_SECONDS if cost is None else 0.0  # when the checker looks again
        self._cost = cost or 0.0
        self._begun = False
        self._in_advance = spare is not None and _SAFELY * self._cost > spare
        if spare is not None and self._apart:  # it may be long before there are others
            self._begin(self._make)

    def offer(self, make: Callable[[], Profile]) -> None:
        """Take what makes the best profile so far, whenever it is asked; methods call this as they go on."""
        self.offer_claim(lambda: Claim(make(), {}))

    def offer_claim(self, make: Callable[[], Claim], *, at_once: bool = False) -> None:
        """The same with a whole claim; the checker looks at it at once where it is to be there whatever comes."""
        self._make = make
        if at_once:
            self._look(lambda _step: self._clock.check())
            return
        if self._clock.elapsed < self._next:
            return
        if self._apart:
            self._collect(0.0)
            if self._checker is None:
                # The bounds of the default strategies are wide, but soon found.
                self._begin(self._make if self._begun else lambda: Claim(simple_profile(self._game), {}))
            self._next = self._clock.elapsed + _FIRST_SECONDS
        elif self._in_advance:
            self._look(lambda _step: self._clock.check())
            self._next = self._clock.elapsed + self._cost / _SHARE

    def bounds(self, seconds: float, *, at_once: bool, listen: Callable[[str], None]) -> None:
        """After the end of the run: see to it that exact bounds are known, if so many seconds allow it.

        Parameters
        ----------
        at_once : bool
            Be content with what is known already, if it is.
        listen : callable
            Called now and then; may raise to end it.
        """
        began = self._clock.elapsed
        if self._apart:
            self._collect(0.0 if at_once and self._known is not None else seconds)
            if self._known is not None:
                return
        elif self._known is not None and (at_once or 2 * self._cost > seconds):
            return
        try:
            limited(seconds - (self._clock.elapsed - began), lambda: self._look(listen))
        except LimitReached:
            if self._known is None:
                raise

    def best(self) -> tuple[Claim, Verification | None]:
        """The last profile with known bounds, else the last one."""
        return (self._make(), None) if self._known is None else self._known

    def close(self) -> None:
        """End the checker's process."""
        if self._checker is not None:
            self._checker.end()
            self._checker = None

    def _begin(self, make: Callable[[], Claim]) -> None:
        """Have the checker look at a profile in a process of its own."""
        if _Checker.possible():
            self._checker = _Checker(make(), self._examine)
        self._begun = True

    def _look(self, listen: Callable[[str], None]) -> None:
        """Have the checker look at the present profile, here and now."""
        began = self._clock.elapsed
        claim = self._make()
        self._take(claim, self._examine(claim, listen))
        self._cost = self._clock.elapsed - began

    def _collect(self, seconds: float) -> None:
        """Take what the checker's process has found, or finds within so many seconds."""
        if self._checker is None or not self._checker.done(seconds):
            return
        seen = self._checker.result()
        if seen is not None:
            self._take(self._checker.claim, seen)
        self.close()

    def _take(self, claim: Claim, seen: Verification) -> None:
        """Keep a claim whose bounds the checker has found."""
        if seen.values is not None and (seen.best_response_values is not None or seen.bounds is not None):
            self._known = claim, seen


def checking_seconds(game: GameTree | UnbuiltGame) -> float | None:
    """What the checker needs for a profile, about; None where nobody knows."""
    if isinstance(game, GameTree):
        return _SECONDS_PER_NODE * game.num_nodes + _SECONDS_PER_INFOSET * sum(game.num_infosets)
    if not is_ordered(game):
        return None
    lines, sequences = 1, 0
    rules = ordered_rules(game)
    for round_, deals in zip(rules.rounds, Deals.of(rules).rounds, strict=True):
        sequences += deals.num_nodes * lines * sum(round_.stage.side(player).num_sequences for player in (0, 1))
        lines *= len(round_.stage.going_on)
    return _SECONDS_PER_SEQUENCE * sequences


def simple_profile(game: GameTree | UnbuiltGame) -> Profile:
    """Uniform play; in very deep trees, where that has astronomically small weights, always the first action.

    Where the game is not built, its default strategies.
    """
    if is_ordered(game):
        rules = ordered_rules(game)
        return OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1)
    if isinstance(game, UnbuiltGame):
        rule = DefaultRule.of(game.rules)
        return UnbuiltStrategy(0, rule, {}), UnbuiltStrategy(1, rule, {})
    tree = game
    if tree.depth <= _UNIFORM_DEPTH:
        return BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    one, two = (
        BehaviorStrategy.from_rows(tree, player, [[int(a == 0) for a in range(len(labels))] for labels in sets])
        for player, sets in enumerate(tree.actions)
    )
    return one, two


# -- a process of its own for the checker ----------------------------------------------------------


class _Checker:
    """A process that looks at a profile: a copy of this one, so that any rules will do."""

    def __init__(self, claim: Claim, examine: Examine) -> None:
        self.claim = claim
        context: Any = multiprocessing.get_context("fork")
        self._reader, writer = context.Pipe(duplex=False)
        self._process = context.Process(target=_look_at, args=(claim, examine, writer), daemon=True)
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

    def done(self, seconds: float) -> bool:
        """Whether it has come to an end, or does within so many seconds."""
        ready: bool = self._reader.poll(max(seconds, 0.0))
        return ready

    def result(self) -> Verification | None:
        """What it has found; None if it has failed, which the search in this process will tell of."""
        try:
            seen: Verification = self._reader.recv()
        except (EOFError, OSError):
            return None
        return seen

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.join()
        self._reader.close()


def _look_at(claim: Claim, examine: Examine, writer: Connection) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    if processors() < 2:  # it is to take a small share of the only one
        os.nice(_NICENESS)
    with suppress(TrembleError, OSError):
        writer.send(examine(claim, nobody_listens))
