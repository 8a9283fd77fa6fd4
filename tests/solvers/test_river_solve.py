"""Hold'em rivers solved from their rules, beside exact values and best replies found another way; their benchmark."""

from __future__ import annotations

import sys
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

import benchmarks
import tremble
from benchmarks import river
from benchmarks.report import Row
from tremble.errors import SpecError
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.deals import Deals
from tremble.poker.filter import NEVER, Filter
from tremble.poker.filtered import FilteredGame
from tremble.poker.filtered_arrays import PublicTree
from tremble.poker.holdem.river import HoldemRiver
from tremble.poker.regret.public_tree import PublicTreeMinimizer
from tremble.solvers.regret import VARIANTS

NARROW = "holdem_river:bets=50,100,raises=1,range1=AA,KQs:0.5,76s,range2=TT:1/3,AQs,QJs"
WIDE = HoldemRiver(board="Kh9d7s4c2h", bets="75,150", raises=1, range1="22+,A8+,KT+:0.5,98", range2="77+,AT+,QJ:1/3")


def _minimizer(game: HoldemRiver, filter_: Filter, iterations: int) -> PublicTreeMinimizer:
    minimizer = PublicTreeMinimizer(PublicTree.of(FilteredGame.of(game, filter_)), VARIANTS["dcfr"])
    minimizer.run(iterations)
    return minimizer


def test_bounds_enclose_the_value_of_the_tree() -> None:
    value = tremble.solve(tremble.load(NARROW)).value
    solution = tremble.solve(tremble.load_rules(NARROW), method="dcfr", gap=F(1, 10))
    assert solution.bounds is not None
    lower, upper = solution.bounds
    assert lower <= value <= upper <= lower + F(1, 10)
    assert tremble.verify(tremble.load_rules(NARROW), solution).ok


@pytest.mark.sample(3)
@pytest.mark.parametrize("board", ["Qs9h7s4d2s", "Kh9d7s4c2h", "Js9s7s4s2h", "KhKd7s4c2h", "AsKsQsJsTs", "7c7d7h7s2c"])
def test_a_full_range_comes_near_on_any_board(board: str) -> None:
    game = HoldemRiver(board=board, bets="50,100", raises=1)
    minimizer = _minimizer(game, lossless_filter(game), 100)
    early = minimizer.bounds()
    minimizer.run(300)
    lower, upper = minimizer.bounds()
    assert early[0] <= lower <= upper <= early[1]
    assert upper - lower < 0.2 * game.pot / 100


def test_nothing_is_lost_of_ranges() -> None:
    """Without an abstraction the bounds are those of the same game, and hands out of range are in no class."""
    assert WIDE.ranges is not None
    filter_ = lossless_filter(WIDE)
    hands = [tuple(hand) for hand in Deals.of(WIDE).rounds[0].hands[0].tolist()]
    for player in (0, 1):
        dealt = [hand in WIDE.ranges[player] for hand in hands]
        np.testing.assert_array_equal(filter_.class_of[player][0] != NEVER, dealt)
        assert filter_.num_classes(player)[0] < sum(dealt)
    shrunk, whole = _minimizer(WIDE, filter_, 300).bounds(), _minimizer(WIDE, Filter.full(WIDE), 300).bounds()
    assert max(shrunk[0], whole[0]) <= min(shrunk[1], whole[1])
    assert max(shrunk[1], whole[1]) - min(shrunk[0], whole[0]) < 0.3


def test_the_checker_finds_the_bounds_of_the_solver() -> None:
    """One works with classes and floats, the other with hands and exactly."""
    solution = tremble.solve(WIDE, method="dcfr", gap=F(1, 5))
    assert solution.bounds is not None
    assert float(solution.bounds[1] - solution.bounds[0]) == pytest.approx(solution.stats["gap_float"], abs=1e-4)


def test_rows_of_ranges_differ_at_few_places() -> None:
    """Otherwise products with them are as slow as with a dense matrix, with two entries for each pair of hands."""
    game = HoldemRiver(range1="22+,A2s+,KTo+", range2="77+,AT+,KQ:0.5,98s")
    assert game.ranges is not None
    side = PublicTree.of(FilteredGame.of(game, Filter.full(game))).sides[0][0]
    assert len(side.entry) < 0.25 * 2 * len(game.ranges[0]) * len(game.ranges[1])


# -- the benchmark -----------------------------------------------------------------------------------


def test_what_the_peer_is_given() -> None:
    text = river.peer_input(HoldemRiver(bets="100,50", raises=1, range1="AhAd:1/2,KK", range2=""))
    one, two = text.pop("players")
    assert text == {
        "board": ["Qs", "9h", "7s", "4d", "2s"],
        "pot": 100,
        "stack": 300,
        "bet_sizes": [1.0, 0.5],
        "include_all_in": False,
        "max_raises": 2,
    }
    assert dict(zip(one["hands"], one["weights"], strict=True)) == {
        "AdAh": 0.5,
        **dict.fromkeys(("KcKd", "KcKh", "KcKs", "KdKh", "KdKs", "KhKs"), 1.0),
    }
    assert len(two["hands"]) == len(two["weights"]) == 1081


def _bench(monkeypatch: pytest.MonkeyPatch, program: str) -> dict[str, Row]:
    monkeypatch.setenv(river.PROGRAM, program)
    report = benchmarks.run("river", games=[NARROW], repeat=1, time_box=60)
    assert [row.program for row in report.rows] == ["tremble DCFR", "poker_solver DCFR", "poker_solver CFR+"]
    ours = report.rows[0]
    assert (ours.status, ours.ratio) == ("bounded", 1)
    assert ours.note.startswith("0.0")
    assert "% of the pot, proven; " in ours.note
    assert [goal.met for goal in report.goals] == [True]
    return {row.program: row for row in report.rows}


def test_a_peer_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _bench(monkeypatch, "no_such_program")
    assert rows["poker_solver DCFR"].status == rows["poker_solver CFR+"].status == "not installed"


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_a_peer_that_says_what_it_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """DCFR of this peer has the tree of the game, which has 15 lines of moves; its CFR+ another."""
    program = tmp_path / "peer"
    program.write_text(
        f"""#!{sys.executable}
import json, sys
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
endgame = json.load(open(given["--config"]))
assert (endgame["max_raises"], given["--target-exp"]) == (2, "0.1")
assert given["--checkpoints"].startswith("10,11,12")
print("tree_nodes: internal=8 terminal=13 total=%d" % (NODES if given["--algo"] == "dcfr" else 7))
print("Discounted CFR: iters=10,11,1234 Exploitability (chips): 3 2 0.05 | Exploitability (% of pot): 3.000000% "
      "2.000000% 0.050000% | Elapsed (sec): 0.001 0.002 0.003")
""".replace("NODES", str(len(tremble.load_rules(NARROW).rules.rounds[0].stage.mover)))
    )
    program.chmod(0o755)
    rows = _bench(monkeypatch, str(program))
    right, wrong = rows["poker_solver DCFR"], rows["poker_solver CFR+"]
    assert (right.status, right.note) == ("done", "0.0500% of the pot, as it says; 1,234 iterations on all hands")
    assert right.seconds is not None
    assert right.ratio is not None
    assert wrong.status == "another game"


def test_other_games_are_no_rivers() -> None:
    with pytest.raises(SpecError, match="no river"):
        benchmarks.run("river", games=["kuhn"])
