"""Flops on a Dask cluster of two workers: the same tables as without a cluster."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tremble
from tremble.errors import SolverError, SpecError
from tremble.methods import Dcfr
from tremble.poker import HoldemFlop, HoldemTurn
from tremble.poker.holdem.cluster import ClusterEngine
from tremble.poker.holdem.engine import Engine
from tremble.solvers.regret import VARIANTS

FLOP = HoldemFlop("KsKh7c", 20, 60, "100", 1, "AsAd,AhAd,AsAc,AhAc,9s8s,9h8h", "QhJh,QsJs,8s8h")
LOCKED = HoldemFlop(
    "KsKh7c", 20, 20, "100/none/50", 0, "AA", "QJs", lock={"check, check, check, check": {"AA": {"check": 1}}}
)


@pytest.fixture
def client() -> Iterator[Any]:
    """A client of two workers, each a process with one thread."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"dashboard_address": ":0", "silence_logs": 50}
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster,
            distributed.Client(cluster) as found,
        ):
            yield found


@pytest.mark.extras
@pytest.mark.parametrize("name", sorted(VARIANTS))
@pytest.mark.parametrize("rules", [FLOP, LOCKED], ids=["free", "locked"])
def test_the_tables_are_those_of_one_process(client: Any, name: str, rules: HoldemFlop) -> None:
    alone, shared = Engine(rules, VARIANTS[name]), ClusterEngine(rules, VARIANTS[name], np.float32, client)
    for count in (1, 2):
        alone.run(count)
        shared.run(count)
        assert alone.bounds() == shared.bounds()
    shared.release()
    assert shared.traffic > 0
    for player in (0, 1):
        for one, two in zip(alone.sums_of_hands(player), shared.sums_of_hands(player), strict=True):
            np.testing.assert_array_equal(one, two)


@pytest.mark.extras
def test_a_flop_is_solved_and_proven(client: Any) -> None:
    solution = tremble.solve(FLOP, method=Dcfr(client=client), gap=1)
    assert solution.bounds[1] - solution.bounds[0] <= 1
    assert solution.stats["bytes_sent"] > 0


@pytest.mark.extras
def test_a_lost_worker_ends_the_run(client: Any) -> None:
    engine = ClusterEngine(FLOP, VARIANTS["dcfr"], np.float32, client)
    engine.run(1)
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    with pytest.raises(SolverError, match="a worker of the cluster is lost"):
        engine.run(50)


def test_other_clients_and_games_are_refused() -> None:
    turn = HoldemTurn("Kh9d7s4c", 20, 20, "100", 0, "AA", "KK")
    for game in (tremble.load("kuhn"), turn, tremble.load_rules("rhode_island")):
        with pytest.raises(SpecError, match="give a flop"):
            tremble.solve(game, method=Dcfr(client=object()), gap=1)
    with pytest.raises(SpecError, match="a Dask client"):
        tremble.solve(FLOP, method=Dcfr(client=object()), gap=1)
