"""Solve rivers, turns and flops by regret minimization with vectors of hands."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cached_property
from typing import Any

import numpy as np

from tremble.errors import SpecError, TooLargeError
from tremble.game.rules import UnbuiltGame
from tremble.poker.holdem.engine import Engine
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.plans import Classes, own_classes, rounded_strategy, safe_bits
from tremble.poker.regret.view import RegretView, target_of
from tremble.poker.responses import responses
from tremble.poker.strategy import OrderedStrategy
from tremble.run.clock import fits
from tremble.run.executors import processors
from tremble.solution.claim import Claim
from tremble.solvers.method import Run
from tremble.solvers.regret import Variant

__all__ = ["solve_holdem"]

_GAMMA = 3.0  # the exponent gamma of DCFR, which is better here than the published value 2 (measured)
_MOST_BYTES = 2**32  # of the tables of a solution, because a file of arrays may not be larger
_SINGLE = 2e-5  # float32 cannot reach a smaller gap, in units of the pot


def solve_holdem(
    variant: Variant, game: UnbuiltGame, run: Run, iterations: int | None = None, client: Any = None
) -> Claim:  # fmt: skip
    """Minimize regrets until the gap between value bounds is at most ``run.gap``.

    Parameters
    ----------
    client : distributed.Client, optional
        A Dask client whose workers hold the tables after the turn cards of a flop.

    Returns
    -------
    Claim
        The average plans, rounded to whole numbers.
    """
    rules = game.rules
    assert isinstance(rules, HoldemGame)
    if client is not None and run.checkpoint is not None:
        raise SpecError("a checkpoint is not possible with a client, because the workers hold the tables")
    _require_memory(rules)
    if variant.name == "DCFR":
        variant = dataclasses.replace(variant, gamma=_GAMMA)
    run.progress("preparing the hands", None)
    with ExitStack() as opened:
        threads = None
        if rules.streets > 1 and processors() > 1:
            threads = opened.enter_context(ThreadPoolExecutor(processors(), "tremble"))
        dtype = np.float32 if target_of(run) > _SINGLE * float(rules.betting.pot) else np.float64
        if client is not None:
            from tremble.poker.holdem.cluster import ClusterEngine

            return _View(ClusterEngine(rules, variant, dtype, client), run, game).minimised(iterations)
        engine = Engine(rules, variant, dtype, threads, processors())
        return _View(engine, run, game).minimised(iterations)


def _require_memory(rules: HoldemGame) -> None:
    """Raise ``TooLargeError`` if the tables do not fit into a file, or into the memory that is free."""
    size, search, seconds = rules.table_bytes(), rules.search_bytes(), rules.seconds_per_iteration()
    if size <= _MOST_BYTES and fits(search):
        return
    why = "than the free memory" if size <= _MOST_BYTES else f"than the limit of {_MOST_BYTES / 1e9:,.1f} GB for tables"
    raise TooLargeError(
        f"{rules.title}: the tables of a solution need {size / 1e9:,.1f} GB, the search {search / 1e9:,.1f} GB, which "
        f"is more {why}; an iteration would take about {seconds:,.1f} s. Use fewer sizes or raises, or smaller ranges"
    )


class _View(RegretView):
    """The run of a river, turn or flop."""

    least = 10

    def __init__(self, engine: Engine, run: Run, game: UnbuiltGame) -> None:
        super().__init__(engine, run, f"{game.digest or game.title}", target_of(run) * (1 - 1e-4))
        self._engine, self._game, self._bits = engine, game, safe_bits(engine.rules)

    def bounds(self) -> tuple[float, float]:
        """Return bounds on player 1's value; with a rake, two numbers whose difference is the sum of both gains.

        With a rake, the second is the most that player 1 can earn against player 2's average plan.
        """
        lower, upper = super().bounds()
        if self._engine.rules.rake:
            found = responses(self._game, self.profile(), "", None)
            upper = float(found.best_values[0] or 0)
            lower = upper - float(found.nash_conv or 0)
        self._gap = upper - lower
        return lower, upper

    def profile(self) -> tuple[OrderedStrategy, OrderedStrategy]:
        engine, rules = self._engine, self._engine.rules
        one, two = (
            rounded_strategy(rules, player, self._classes[player], engine.sums_of_hands(player), self._bits)
            for player in (0, 1)
        )
        return one, two

    @cached_property
    def _classes(self) -> list[list[Classes]]:
        """The classes of each player's hands in each street."""
        rules = self._engine.rules
        return [own_classes(rules.deal, player, rules.streets) for player in (0, 1)]

    def facts(self) -> dict[str, Any]:
        engine, deal = self._engine, self._engine.rules.deal
        sent = {"bytes_sent": engine.traffic} if engine.traffic else {}
        return sent | {
            "hands": [len(cards) for cards in deal.cards],
            "classes": [[len(each.first)] for each in engine.classes],
            "nodes": len(engine.rules.tree.nodes),
            ("river_cards" if engine.rules.streets < 3 else "turn_cards"): len(deal.leading),
        }
