"""Solve Rhode Island Hold'em by regret minimization with vectors of hands and histories."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np

from tremble.game.rules import UnbuiltGame
from tremble.poker.filtered import sizes_of
from tremble.poker.games.rhode_island import RhodeIsland
from tremble.poker.regret.view import RegretView, target_of
from tremble.poker.rhode_island.engine import RhodeIslandEngine
from tremble.poker.rhode_island.layout import Layout
from tremble.poker.rounding import rounded_strategy, short_bits
from tremble.run.executors import processors
from tremble.solution.claim import Claim, Profile
from tremble.solvers.method import Run
from tremble.solvers.regret import Variant

__all__ = ["solve_rhode_island"]

_ALPHA, _GAMMA = 1.4, 4.0  # the exponents of DCFR, which are better here than the published 1.5 and 2 (measured)
_SINGLE = 5e-5  # float32 cannot reach a smaller gap, in chips
_NOISE = 2e-7  # an upper bound on the rounding errors of bounds in float32, in chips (measured: 5e-8)
_ROUNDING = 1e-8  # an upper bound on the loss caused by rounding the plans, in chips
_THREADS_FROM = 100_000  # with fewer sequences, threads cost more time than they save


def solve_rhode_island(
    variant: Variant, game: UnbuiltGame, run: Run, threads: ThreadPoolExecutor | None = None,
    iterations: int | None = None,
) -> Claim:  # fmt: skip
    """Minimize regrets until the gap between value bounds is at most ``run.gap``.

    Returns
    -------
    Claim
        The average plans, rounded to whole numbers.
    """
    rules = game.rules
    assert isinstance(rules, RhodeIsland)
    if variant.name == "DCFR":
        variant = dataclasses.replace(variant, alpha=_ALPHA, gamma=_GAMMA)
    run.progress("preparing the hands", None)
    layout = Layout(rules)
    dtype = np.float32 if target_of(run) > _SINGLE else np.float64
    with ExitStack() as opened:
        if threads is None and sum(sizes_of(rules, layout.filter).sequences) >= _THREADS_FROM:
            threads = opened.enter_context(ThreadPoolExecutor(processors(), "tremble"))
        engine = RhodeIslandEngine(layout, variant, dtype, threads, threads._max_workers if threads else 1)
        return _View(engine, run, f"{game.digest or game.title}").minimised(iterations)


class _View(RegretView):
    """The run of Rhode Island Hold'em."""

    rarely, least = 25, 10

    def __init__(self, engine: RhodeIslandEngine, run: Run, name: str) -> None:
        gap, noise = target_of(run), _NOISE if engine.dtype == np.float32 else _ROUNDING
        super().__init__(engine, run, name, gap - min(noise, abs(gap) / 2))
        self._engine, self._bits = engine, short_bits(engine.layout.rules)

    def profile(self) -> Profile:
        engine, layout = self._engine, self._engine.layout
        numbers = range(len(layout.states))
        one, two = (
            rounded_strategy(
                layout.rules, layout.filter, player, (partial(engine.shares, player, k) for k in numbers), self._bits
            )
            for player in (0, 1)
        )
        return one, two

    def facts(self) -> dict[str, Any]:
        sizes = sizes_of(self._engine.layout.rules, self._engine.layout.filter)
        return {
            "classes": [list(count) for count in sizes.classes],
            "sequences": list(sizes.sequences),
            "rows": sizes.rows,
        }
