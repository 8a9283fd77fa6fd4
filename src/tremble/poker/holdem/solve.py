"""Solve rivers and turns by regret minimization with vectors of hands."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from tremble.game.rules import UnbuiltGame
from tremble.poker.holdem.engine import Engine, Floats
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.plans import rounded_strategy, safe_bits
from tremble.poker.responses import responses
from tremble.poker.strategy import OrderedStrategy
from tremble.run.alarm import interrupts_held_back
from tremble.run.executors import processors
from tremble.solution.claim import Claim
from tremble.solvers.method import Run
from tremble.solvers.regret import Variant, minimise, next_slice
from tremble.solvers.regret_checkpoint import Checkpoint

__all__ = ["solve_holdem"]

_GAMMA = 3.0  # the exponent gamma of DCFR, which is better here than the published value 2 (measured)
_SINGLE = 2e-5  # float32 cannot reach a smaller gap, in units of the pot
_LARGEST = Fraction(10**300)


def solve_holdem(variant: Variant, game: UnbuiltGame, run: Run, iterations: int | None = None) -> Claim:
    """Minimize regrets until the gap between value bounds is at most ``run.gap``.

    Returns
    -------
    Claim
        The average plans, rounded to whole numbers.
    """
    rules = game.rules
    assert isinstance(rules, HoldemGame)
    if variant.name == "DCFR":
        variant = dataclasses.replace(variant, gamma=_GAMMA)
    run.progress("preparing the hands", None)
    with ExitStack() as opened:
        threads = None
        if rules.streets > 1 and processors() > 1:
            threads = opened.enter_context(ThreadPoolExecutor(processors(), "tremble"))
        view = _View(game, variant, run, threads)
        try:
            run.offer(view.profile)
            return minimise(variant.name, view, run, iterations)
        finally:
            view.close()


class _View:
    """The state of a run."""

    def __init__(self, game: UnbuiltGame, variant: Variant, run: Run, threads: ThreadPoolExecutor | None) -> None:
        rules, name = game.rules, f"{game.digest or game.title}"
        assert isinstance(rules, HoldemGame)
        self.variant, self._game, self._rules, self._run = variant, game, rules, run
        self._target = -inf if run.gap is None else float(min(run.gap, _LARGEST))
        dtype = np.float32 if self._target > _SINGLE * float(rules.betting.pot) else np.float64
        self._engine = Engine(rules, variant, dtype, threads, processors())
        self._checkpoint = Checkpoint(run.checkpoint, name, run.clock) if run.checkpoint is not None else None
        if self._checkpoint is not None:
            self._checkpoint.restore(self)
        self._first, self._slice, self._gap, self._bits = self.iterations, 1, inf, safe_bits(rules)

    @property
    def iterations(self) -> int:
        return self._engine.iterations

    def identity(self) -> dict[str, str]:
        """Return the type of the floats, which a resumed run must share."""
        return {"floats": np.dtype(self._engine.dtype).name}

    def state(self) -> dict[str, Floats]:
        """Return the arrays that determine the next iteration."""
        engine = self._engine
        kinds = {"regret": engine.regret, "sums": engine.sums}
        if self.variant.predictive:
            kinds["guess"] = engine.guess
        return {
            f"{kind} {player + 1} {street}": table
            for kind, both in kinds.items()
            for player, tables in enumerate(both)
            for street, table in enumerate(tables, 1)
        }

    def resume(self, iterations: int) -> None:
        """Set the number of iterations that the arrays contain."""
        self._engine.iterations = iterations

    def advance(self, target: int) -> None:
        # An interrupted iteration would leave an invalid state. The first call may compile, so it can be interrupted.
        with interrupts_held_back() if self.iterations > self._first else nullcontext():
            before = self._run.clock.elapsed
            self._engine.run(min(self._slice, target - self.iterations))
            self._slice = next_slice(self._slice, self._run.clock.elapsed - before)
            if self._checkpoint is not None:
                self._checkpoint.save(self)

    def bounds(self) -> tuple[float, float]:
        """Return bounds on player 1's value; with a rake, two numbers whose difference is the sum of both gains.

        With a rake, the second is the most that player 1 can earn against player 2's average plan.
        """
        lower, upper = self._engine.bounds()
        if self._rules.rake:
            found = responses(self._game, self.profile(), "", None)
            upper = float(found.best_values[0] or 0)
            lower = upper - float(found.nash_conv or 0)
        self._gap = upper - lower
        return lower, upper

    def evaluation_after(self, iteration: int) -> int:
        return iteration + max(10, iteration // 10)

    def profile(self) -> tuple[OrderedStrategy, OrderedStrategy]:
        rules, engine = self._rules, self._engine
        one, two = (rounded_strategy(rules, player, engine.sums_of_hands(player), self._bits) for player in (0, 1))
        return one, two

    averages = profile

    def finished(self) -> tuple[OrderedStrategy, OrderedStrategy] | None:
        return self.profile() if self._gap <= self._target * (1 - 1e-4) else None

    def facts(self) -> dict[str, Any]:
        engine, deal = self._engine, self._rules.deal
        return {
            "hands": [len(cards) for cards in deal.cards],
            "classes": [[len(each.first)] for each in engine.classes],
            "nodes": len(self._rules.tree.nodes),
            "river_cards": len(deal.leading),
        }

    def close(self) -> None:
        """Save a checkpoint of the iterations so far."""
        if self._checkpoint is not None and self.iterations > self._first:
            with interrupts_held_back():
                self._checkpoint.save(self, always=True)
