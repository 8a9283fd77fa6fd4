"""Run branch and bound with workers, checkpoints and logs. Limit the leaves of a claim, so that proving it is fast."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import pairwise

from tremble.game.scale import Scale
from tremble.game.tree import GameTree
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.claims import Proofs, branching_claim, margin
from tremble.recall.maxmin.checkpoint import Checkpoint
from tremble.recall.maxmin.search import Search
from tremble.run.clock import Clock
from tremble.run.deadline import grace
from tremble.run.executors import local_processes, processors
from tremble.solution.claim import Claim
from tremble.solvers.iterations import log_bounds
from tremble.solvers.method import Run

__all__ = ["solve_maxmin"]

_CLAIM_FACTOR = 3.0  # time for a claim and its check, divided by the time for the proofs of its leaves
_CLAIM_SECONDS, _CLAIM_SHARE = 4.0, 0.08  # a claim may take this number of seconds, or this share of the time so far
_LIMITED_SHARE = 0.3  # with a time limit, a claim may take this share of the time so far
_LAST_FACTOR, _LAST_GRACE = 4, 0.2  # factor for the leaves of the last claim, and its share of the grace period
_WRITE_SPEED, _WRITE_SHARE = 3_000_000, 0.5  # choices written in a second; share of the grace period for writing
_REPLIES_PER_LEAF = 4  # approximate number of new replies for a leaf
_MEASUREMENTS = 3  # number of measurements of a leaf; the shortest time is used
_MIN_LEAVES = 50  # every claim may have this number of leaves


class _ClaimSize:
    """The limit on the number of leaves in a claim. It depends on the measured time to prove one leaf."""

    def __init__(self, search: Search, clock: Clock) -> None:
        self._search, self._clock = search, clock
        self._per_leaf = 1e-3

    def measure(self) -> None:
        """Measure how many seconds the proof of one leaf takes."""
        cell, proofs = self._search.typical, Proofs(self._search.replies)
        if cell is not None:
            times = [self._clock.elapsed]
            for _ in range(_MEASUREMENTS):
                proofs.proven(cell, self._search.upper)
                times.append(self._clock.elapsed)
            least = min(end - begin for begin, end in pairwise(times))
            self._per_leaf = max(_CLAIM_FACTOR * least, 0.5 * self._per_leaf)

    @property
    def most(self) -> int:
        """The greatest number of leaves that a claim may have during the search, so that writing it is fast enough."""
        elapsed, left = self._clock.elapsed, self._clock.left
        if left is None:
            return max(_MIN_LEAVES, int(max(_CLAIM_SECONDS, _CLAIM_SHARE * elapsed) / self._per_leaf))
        sets = max(len(self._search.form.other.infoset), 1)
        writable = _WRITE_SPEED * _WRITE_SHARE * grace(max(elapsed + left, 0.0)) / (_REPLIES_PER_LEAF * sets)
        return max(_MIN_LEAVES, int(min(_LIMITED_SHARE * elapsed / self._per_leaf, writable)))

    @property
    def last(self) -> int | None:
        """The greatest number of leaves that the last claim may have, or None if the search has no time limit."""
        left = self._clock.left
        if left is None:
            return None
        spare = max(left, 0.0) + _LAST_GRACE * grace(max(self._clock.elapsed + left, 0.0))
        return max(self.most, int(_LAST_FACTOR * spare / self._per_leaf))


def solve_maxmin(tree: GameTree, run: Run, *, jobs: int, processes: bool, executor: Executor | None) -> Claim:
    """Compute a maxmin strategy. Split cells until the gap between the bounds is at most the run's target."""
    assert run.gap is not None
    scale = Scale.of(tree, run.player)
    form, gap = BilinearForm.of(scale.scaled(tree, run.player), run.player), run.gap / scale.unit
    search = Search(form, float(gap - min(2 * margin(form, scale, gap), gap / 10)))
    workers, renew = jobs or processors(), None
    with ExitStack() as pools:
        if executor is None and processes:

            def renew() -> Executor:
                return pools.enter_context(local_processes(workers))

            executor = renew()
        elif executor is None and workers > 1:
            executor = pools.enter_context(ThreadPoolExecutor(workers))
        if executor is not None:
            pools.enter_context(closing(search.employ(executor, renew)))
        return _run_search(tree, scale, search, run)


def _run_search(tree: GameTree, scale: Scale, search: Search, run: Run) -> Claim:
    assert run.gap is not None
    gap, iteration, constant = run.gap / scale.unit, 0, tree.constant_sum
    checkpoint = None if run.checkpoint is None else Checkpoint(run.checkpoint, search.form, tree.digest, run.clock)

    def claim(at_most: int | None = None) -> Claim:
        assert search.root is not None
        statistics = {
            "cells": search.examined,
            "open_cells": search.open,
            "replies": len(search.replies.answers),
            "iterations": iteration,
            "solve_seconds_float": run.clock.elapsed,
        }
        root = search.root if at_most is None or search.num_leaves <= at_most else search.root.coarser(at_most)
        return branching_claim(search.replies, scale, search.mixed, root, gap, statistics)

    def intermediate_claim() -> Claim:
        return claim(size.most)

    size, check = _ClaimSize(search, run.clock), run.clock.check
    run.progress("branch and bound", None)
    if checkpoint is not None and checkpoint.exists():
        checkpoint.restore(search, check)
        run.offer_claim(intermediate_claim)
    else:
        search.begin()
        run.offer_claim(intermediate_claim)
        search.start(check)
    run.clock.iterations_begin()
    going = True
    while going:
        check()
        going = search.step(check)
        iteration += 1
        if iteration & (iteration - 1) == 0:
            size.measure()
        run.offer_claim(intermediate_claim)
        lower, upper = scale.payoff(search.lower), scale.payoff(search.upper)
        to_first = (lower, upper) if run.player == 0 or constant is None else (constant - upper, constant - lower)
        low, high = log_bounds(run, iteration, *to_first, cells=search.examined, open_cells=search.open)
        run.progress(f"bounds {low:.6g} to {high:.6g}, {search.open:,} of {search.examined:,} cells open", None)
        if checkpoint is not None:
            checkpoint.save(search, always=not going)
    run.progress("certificate", None)
    return claim(size.last)
