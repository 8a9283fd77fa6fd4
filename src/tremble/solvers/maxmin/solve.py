"""A run of the branch and bound: what it reports, when it ends, and what it hands out."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

from tremble.clock import TIME_IS_UP
from tremble.errors import LimitReached
from tremble.model.bilinear_form import BilinearForm
from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solvers.maxmin.checkpoint import Checkpoint
from tremble.solvers.maxmin.claims import MARGIN, branching_claim
from tremble.solvers.maxmin.search import Search
from tremble.solvers.run import Run, processors

__all__ = ["solve_maxmin"]

_SECONDS_PER_LEAF = 1.5e-3  # to make a claim, and to have it checked


def solve_maxmin(tree: GameTree, run: Run, *, jobs: int, executor: Executor | None) -> Claim:
    """Split cells until the bounds are as close as the run is content with."""
    assert run.gap is not None
    payoff = tree.payoff_float[:, run.player]
    form, epsilon = BilinearForm.of(tree, run.player), float(run.gap)
    slack = min(2 * float(MARGIN) * float(payoff.max() - payoff.min()), 0.1 * epsilon)
    workers = jobs or processors()
    pool: Any = nullcontext(executor)
    if executor is None and workers > 1:
        pool = ThreadPoolExecutor(workers)
    with pool as workforce:
        search = Search(form, epsilon - slack, workforce)
        return _searched(search, run)


def _searched(search: Search, run: Run) -> Claim:
    assert run.gap is not None
    gap, iteration, constant = run.gap, 0, float(search.form.tree.constant_sum or 0)
    checkpoint = None if run.checkpoint is None else Checkpoint(run.checkpoint, search.form)

    def claim() -> Claim:
        assert search.root is not None
        statistics = {
            "cells": search.examined,
            "open_cells": search.open,
            "replies": len(search.answers),
            "iterations": iteration,
            "solve_seconds_float": run.clock.elapsed,
        }
        return branching_claim(search.form, search.mixed, search.root, search.answers, gap, statistics)

    def check() -> None:
        run.clock.check()
        left = run.clock.left
        if left is not None and left < _SECONDS_PER_LEAF * search.num_leaves:
            raise LimitReached(TIME_IS_UP)

    run.progress("branch and bound", None)
    if checkpoint is not None and checkpoint.exists():
        checkpoint.restore(search, check)
        run.offer_claim(claim)
    else:
        search.begin()
        run.offer_claim(claim)
        search.start(check)
    going = True
    while going:
        check()
        going = search.step(check)
        iteration += 1
        lower, upper = search.lower, search.upper  # on what the player guarantees, and below on player 1's value
        shown = (lower, upper) if search.form.player == 0 else (constant - upper, constant - lower)
        run.log(
            {
                "iteration": iteration,
                "solve_seconds_float": run.clock.elapsed,
                "lower_float": shown[0],
                "upper_float": shown[1],
                "cells": search.examined,
                "open_cells": search.open,
            }
        )
        run.progress(f"bounds {lower:.6g} to {upper:.6g}, {search.open:,} of {search.examined:,} cells open", None)
        if checkpoint is not None:
            checkpoint.save(search, clock=run.clock, always=not going)
    run.progress("certificate", None)
    return claim()
