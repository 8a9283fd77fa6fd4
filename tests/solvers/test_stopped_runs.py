"""What a run that is stopped hands out: of each player the best strategy that is proven, and what floats claim."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from tremble.check import JudgedProfile
from tremble.errors import LimitReached, NotProvenError, SolverError
from tremble.game.rules import UnbuiltGame
from tremble.game.strategy import BehaviorStrategy, Profile
from tremble.game.tree_adapter import TreeKind
from tremble.large.loop import DoubleOracleRun
from tremble.poker.abstraction.shrink import shrink_ordered
from tremble.poker.filtered_arrays import PublicTree, exact_strategy
from tremble.poker.holdem.river import HoldemRiver
from tremble.poker.regret.tables import empty_plan
from tremble.poker.rounding import short_bits
from tremble.poker.strategy import OrderedStrategy
from tremble.run.clock import Clock
from tremble.solution.claim import Claim
from tremble.solution.judgements import judge_profile, prove
from tremble.solvers.anytime import Incumbent
from tremble.solvers.method import Request
from tremble.status import Status

forks = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
KUHN = tremble.load("kuhn")


def stops_after(rows: int, error: BaseException | None = None) -> Callable[[Mapping[str, Any]], None]:
    """A listener that ends the run once it has heard so many rows."""
    heard: list[Mapping[str, Any]] = []

    def report(row: Mapping[str, Any]) -> None:
        heard.append(row)
        if len(heard) == rows:
            raise error or KeyboardInterrupt

    return report


def examined(claim: Claim, _listen: Callable[[str], None]) -> JudgedProfile:
    return judge_profile(KUHN, claim.strategies)


def uniform() -> Profile:
    return BehaviorStrategy.uniform(KUHN, 0), BehaviorStrategy.uniform(KUHN, 1)


def quiet(_step: str) -> None:
    pass


# -- each player's best ------------------------------------------------------------------------------


def test_the_best_strategy_of_each_player_is_kept_by_itself() -> None:
    """One profile has the better player 1, the other one the better player 2: both are handed out together."""
    good, bad = tremble.solve(KUHN).strategies, uniform()
    incumbent = Incumbent(Request(KUHN))
    for profile in ((good[0], bad[1]), (bad[0], good[1])):
        incumbent.offer(lambda profile=profile: profile)  # type: ignore[misc]
        incumbent.bounds(60.0, at_once=False)
    claim, judged = incumbent.best(60.0)
    incumbent.close()
    seen = judged.verification
    assert seen.bounds == (F(-1, 18), F(-1, 18))
    assert (seen.status, seen.proven, seen.nash_conv) == (Status.CERTIFIED, "nash", 0)
    again = prove(KUHN, claim.strategies)
    assert (again.values, again.best_response_values, again.bounds, again.proven) == (
        seen.values, seen.best_response_values, seen.bounds, seen.proven,
    )  # fmt: skip


def test_strategies_that_are_not_joined_are_those_of_the_smaller_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = tremble.solve(KUHN).strategies, uniform()
    incumbent = Incumbent(Request(KUHN))
    for profile in ((good[0], bad[1]), (bad[0], good[1])):
        incumbent.offer(lambda profile=profile: profile)  # type: ignore[misc]
        incumbent.bounds(60.0, at_once=False)

    def no_time(*_: Any, **_options: Any) -> Any:
        raise LimitReached("stopped by the time limit")

    monkeypatch.setattr("tremble.solvers.stopped.join_profiles", no_time)
    seen = incumbent.best(60.0)[1].verification
    incumbent.close()
    one, two = (prove(KUHN, pair).bounds for pair in ((good[0], bad[1]), (bad[0], good[1])))
    assert one is not None
    assert two is not None
    assert seen.bounds == min(one, two, key=lambda bounds: bounds[1] - bounds[0])


# -- time for the last proof -------------------------------------------------------------------------


@forks
def test_the_method_is_stopped_in_time_for_the_last_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof takes a second and a half here, and only half a second is left after the limit."""
    look = Incumbent._look

    def slowly(*arguments: Any) -> tuple[Claim, JudgedProfile]:
        time.sleep(1.5)
        return look(*arguments)

    monkeypatch.setattr(Incumbent, "_look", slowly)
    monkeypatch.setattr("tremble.solvers.anytime.BOUNDS", 0.1)
    monkeypatch.setattr(TreeKind, "checking_seconds", lambda _: None)
    incumbent = Incumbent(Request(KUHN, time_limit=60.0))
    clock = incumbent.clock
    until = time.monotonic() + 30
    while incumbent._kept is None and time.monotonic() < until:
        incumbent.offer(uniform)
        time.sleep(0.05)
    assert incumbent._kept is not None
    assert clock.left is not None
    assert clock.elapsed + clock.left < 59.9
    with pytest.raises(LimitReached):
        Clock(0.0).check()
    incumbent.close()
    assert not multiprocessing.active_children()


def test_a_reserve_moves_the_limit_and_gives_it_back() -> None:
    clock = Clock(60.0)
    clock.check()
    clock.reserve(60.0)
    with pytest.raises(LimitReached):
        clock.check()
    clock.reserve(0.0)
    clock.check()
    unlimited = Clock(None)
    unlimited.reserve(5.0)
    assert unlimited.left is None


ORPHAN = """
import os, signal, sys, time
import tremble
from tremble.solvers.anytime import Incumbent
from tremble.solvers.method import Request
def look(_, listen):
    listen("")
    return "claim", "x" * 10_000_000  # more than a pipe takes
Incumbent._look = look
incumbent = Incumbent(Request(tremble.load("kuhn")))
incumbent._begin()
time.sleep(1)
os.kill(os.getpid(), signal.SIGKILL)
"""


@forks
def test_a_proof_ends_with_the_run_that_asked_for_it() -> None:
    """Killed, the run reads no more; whoever waits for the end of its output would wait for ever."""
    done = subprocess.run([sys.executable, "-c", ORPHAN], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr  # all that hold its output have ended


# -- what floats claim -------------------------------------------------------------------------------


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("game", "options"),
    [
        (KUHN, {"method": "cfr", "gap": F(1, 10**9)}),
        (tremble.load("leduc"), {"method": "double-oracle"}),
        (UnbuiltGame.of(tremble.load_rules("goofspiel:cards=4,order=increasing").rules), {"method": "double-oracle"}),
        (tremble.load_rules("rhode_island:ranks=3"), {"method": "dcfr", "gap": F(1, 10**6)}),
        (tremble.load("random_imperfect_recall:branching=3,merge=1.0,seed=7"), {"concept": "maxmin", "epsilon": 1e-5}),
    ],
    ids=["regret", "double oracle on a tree", "double oracle on rules", "ordered", "maxmin"],
)
def test_what_a_stopped_run_proves_is_what_floats_claim(game: Any, options: dict[str, Any]) -> None:
    """The proven gap is at most half as wide again as that of the floats, which stands beside it."""
    time_limit = 1000.0 if options.get("concept") == "maxmin" else None
    with pytest.raises(LimitReached) as caught:
        tremble.solve(game, report=stops_after(8), time_limit=time_limit, **options)
    best = caught.value.best
    assert best is not None
    assert best.bounds is not None
    low, high = best.stats["claimed_float"]
    proven = float(best.bounds[1] - best.bounds[0])
    assert 0 < proven <= 1.5 * (high - low) + 1e-6
    assert float(best.bounds[0]) <= low + 1e-6
    assert high - 1e-6 <= float(best.bounds[1])
    assert tremble.verify(game, best).ok


@pytest.mark.slow
def test_a_search_of_many_cells_is_proven_whole_when_it_is_stopped() -> None:
    """A thousand cells, whose replies are stated once, however many cells they bound: there is time for nearly all."""
    tree = tremble.load("random_imperfect_recall:branching=5,merge=1.0,seed=8")
    with pytest.raises(LimitReached) as caught:
        tremble.solve(tree, "maxmin", report=stops_after(250), time_limit=60, epsilon=1e-5)
    best = caught.value.best
    assert best.bounds is not None
    low, high = best.stats["claimed_float"]
    assert float(best.bounds[1] - best.bounds[0]) <= 1.5 * (high - low)
    assert len(best.certificate["leaves"]) > 400
    replies = list(map(tuple, best.certificate["replies"]))
    assert len(set(replies)) == len(replies)
    assert tremble.verify(tree, best).ok


def test_claims_stand_beside_the_proven_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the file and in the table; the checker's proof of an earlier profile is the last one here."""

    def nothing_more(self: Incumbent, *_: Any, **__: Any) -> None:
        claim = Claim(uniform(), {})
        self._take(claim, examined(claim, quiet))

    monkeypatch.setattr(Incumbent, "bounds", nothing_more)
    path = tmp_path / "kuhn.json"
    result = run("solve", "kuhn", "--method", "cfr", "--gap", "0", "--time-limit", "1.5", "-o", path)
    assert result.exit_code == 5, result.stderr
    found = tremble.Solution.from_json(path)
    low, high = found.stats["claimed_float"]
    assert found.bounds == (F(-5, 12), F(1, 2))
    assert -5 / 12 < low <= high < 0.5
    assert "bounds in floats" in result.stdout
    assert "not proven" in result.stdout


# -- nothing is lost ---------------------------------------------------------------------------------


def test_a_method_that_fails_hands_out_what_it_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def gives_up(self: DoubleOracleRun) -> None:
        raise SolverError("HiGHS found no basis for the linear program of a restricted game")

    monkeypatch.setattr(DoubleOracleRun, "_close", gives_up)
    with pytest.raises(NotProvenError, match="found no basis") as caught:
        tremble.solve(tremble.load("leduc"), method="double-oracle")
    best = caught.value.best
    assert best.status is Status.BOUNDED
    assert best.bounds is not None
    assert best.bounds[0] <= tremble.solve(tremble.load("leduc")).value <= best.bounds[1]
    path = tmp_path / "leduc.json"
    result = run("solve", "leduc", "--method", "double-oracle", "-o", path)
    assert result.exit_code == 1
    assert "found no basis" in result.stderr
    assert tremble.Solution.from_json(path).bounds == best.bounds


def test_a_method_that_fails_before_it_has_anything_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(self: DoubleOracleRun) -> None:
        raise SolverError("no way in")

    monkeypatch.setattr(DoubleOracleRun, "run", gives_up)
    with pytest.raises(SolverError, match="no way in") as caught:
        tremble.solve(KUHN, method="double-oracle")
    assert not isinstance(caught.value, NotProvenError)


# -- integers that the checker adds up in one piece ---------------------------------------------------


def test_weights_of_a_river_are_as_short_as_the_checker_likes_them() -> None:
    """A thousand hands, high stakes and weights of 44 bits would need more than 64, several times as much work."""
    game = HoldemRiver(bets="25,50,75,125,99999", raises=4, stack=1500)
    bits = short_bits(game)
    assert 36 <= bits < 44
    assert (1081 << bits) * 1550 < 2**62
    assert short_bits(tremble.load_rules("jk_four_cards").rules) == 44  # type: ignore[arg-type]


def test_shorter_weights_are_as_good() -> None:
    game = HoldemRiver(bets="100", raises=0, stack=100, range1="AA,KK,72o", range2="QQ,JJ,T9s")
    tree = PublicTree.of(shrink_ordered(game).filtered)
    draw = np.random.default_rng(1)
    plans = [empty_plan(tree, player) for player in (0, 1)]
    for plan in plans:
        for weight in plan:
            weight[:] = draw.random(weight.shape)
    gaps = []
    for bits in (36, 44):
        pair: Any = tuple(exact_strategy(tree, player, plans[player], bits) for player in (0, 1))
        assert all(isinstance(strategy, OrderedStrategy) for strategy in pair)
        bounds = prove(UnbuiltGame.of(game), pair).bounds
        assert bounds is not None
        gaps.append(bounds[1] - bounds[0])
    assert abs(gaps[0] - gaps[1]) < F(1, 10**7)
