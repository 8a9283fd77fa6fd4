"""A run of the branch and bound: what it reports, when it ends, and what it hands out."""

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
from tremble.run.clock import Clock, grace
from tremble.run.executors import local_processes, processors
from tremble.solution.claim import Claim
from tremble.solvers.run import Run

__all__ = ["solve_maxmin"]

_CLAIMED = 3.0  # times what finding the proof of a leaf takes are a claim and its check
_PROMPT_SECONDS, _SHARE = 4.0, 0.08  # that a claim may take, or of the time so far: so long it is waited for
_SHARE_OF_LIMIT = 0.3  # the same of the time so far where there is a limit: time for the last claim is kept
_HOPE, _OF_GRACE = 4, 0.2  # the last claim is worth a try, and may take a part of the time after a limit
_WRITTEN, _TO_WRITE = 3_000_000, 0.5  # choices at the opponent's sets in a second, and the part of the grace for them
_REPLIES = 4  # new ones to a leaf, about
_LOOKS = 3  # at a leaf: the shortest counts
_FEW = 50  # leaves that every claim may have


class _Closing:
    """How long a claim takes, and how many leaves one on the way can have."""

    def __init__(self, search: Search, clock: Clock) -> None:
        self._search, self._clock = search, clock
        self._per_leaf = 1e-3

    def look(self) -> None:
        """Measure what a leaf takes now."""
        cell, proofs = self._search.typical, Proofs(self._search.replies)
        if cell is not None:
            times = [self._clock.elapsed]
            for _ in range(_LOOKS):
                proofs.proven(cell, self._search.upper)
                times.append(self._clock.elapsed)
            least = min(end - begin for begin, end in pairwise(times))
            self._per_leaf = max(_CLAIMED * least, 0.5 * self._per_leaf)

    @property
    def most(self) -> int:
        """Leaves of a claim on the way: as many as there is time for, writing the replies that prove them included."""
        elapsed, left = self._clock.elapsed, self._clock.left
        if left is None:
            return max(_FEW, int(max(_PROMPT_SECONDS, _SHARE * elapsed) / self._per_leaf))
        sets = max(len(self._search.form.other.infoset), 1)
        written = _WRITTEN * _TO_WRITE * grace(max(elapsed + left, 0.0)) / (_REPLIES * sets)
        return max(_FEW, int(min(_SHARE_OF_LIMIT * elapsed / self._per_leaf, written)))

    @property
    def last(self) -> int | None:
        """Leaves of the claim of a search that is done, for which there is time until the limit; None without one."""
        left = self._clock.left
        if left is None:
            return None
        spare = max(left, 0.0) + _OF_GRACE * grace(max(self._clock.elapsed + left, 0.0))
        return max(self.most, int(_HOPE * spare / self._per_leaf))


def solve_maxmin(tree: GameTree, run: Run, *, jobs: int, processes: bool, executor: Executor | None) -> Claim:
    """Split cells until the bounds are as close as the run is content with."""
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
        return _searched(tree, scale, search, run)


def _searched(tree: GameTree, scale: Scale, search: Search, run: Run) -> Claim:
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

    def offered() -> Claim:
        return claim(ending.most)

    ending, check = _Closing(search, run.clock), run.clock.check
    run.progress("branch and bound", None)
    if checkpoint is not None and checkpoint.exists():
        checkpoint.restore(search, check)
        run.offer_claim(offered)
    else:
        search.begin()
        run.offer_claim(offered)
        search.start(check)
    run.clock.iterations_begin()
    going = True
    while going:
        check()
        going = search.step(check)
        iteration += 1
        if iteration & (iteration - 1) == 0:
            ending.look()
        run.offer_claim(offered)
        lower, upper = scale.payoff(search.lower), scale.payoff(search.upper)
        to_first = (lower, upper) if run.player == 0 or constant is None else (constant - upper, constant - lower)
        low, high = run.log_bounds(iteration, *to_first, cells=search.examined, open_cells=search.open)
        run.progress(f"bounds {low:.6g} to {high:.6g}, {search.open:,} of {search.examined:,} cells open", None)
        if checkpoint is not None:
            checkpoint.save(search, always=not going)
    run.progress("certificate", None)
    return claim(ending.last)
