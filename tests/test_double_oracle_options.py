"""Options of the double oracle: its baselines, its first phase, the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import tremble
from tremble.cli import main
from tremble.clock import Clock
from tremble.io.loading import has_positions
from tremble.model.sequence_form import SequenceForm
from tremble.solvers.double_oracle.built import BuiltOracle
from tremble.solvers.double_oracle.loop import DoubleOracleRun
from tremble.solvers.double_oracle.oracle import Response
from tremble.solvers.double_oracle.plans import Plan
from tremble.solvers.double_oracle.published import PublishedSearch
from tremble.solvers.double_oracle.settings import POLICIES, Settings, Sizes

F = Fraction


def quiet(_step: str, _fraction: float | None) -> None:
    """Say nothing."""


def game(spec: str) -> tuple[tremble.GameTree, SequenceForm]:
    tree = tremble.load(spec)
    return tree, SequenceForm.of(tree)


def solved(oracle: Any, settings: Settings, report: Callable[[Any], None] = lambda row: None) -> Fraction | None:
    return DoubleOracleRun(oracle, 10.0, settings, Clock(120), quiet, report).run()[1]


# -- the published best response -----------------------------------------------------------------


class Compared(BuiltOracle):
    """Answers with the published best response, and compares it with one pass backwards."""

    def __init__(self, tree: tremble.GameTree, form: SequenceForm) -> None:
        super().__init__(tree, form, published=True)
        self._other = BuiltOracle(tree, form)
        self.compared = 0

    def respond(self, player: int, plan: Plan, check: Callable[[], None]) -> Response:
        found, expected = super().respond(player, plan, check), self._other.respond(player, plan, check)
        assert float(found.value) == pytest.approx(float(expected.value), abs=1e-9)
        self.compared += 1
        return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("extra", ["", ",chance=true", ",utilities=iid,chance=true"])
def test_the_published_best_response(seed: int, extra: str) -> None:
    tree, form = game(f"random_tree:seed={seed}{extra}")
    oracle = Compared(tree, form)
    assert solved(oracle, Settings()) == tremble.solve(tree).value
    assert oracle.compared > 2


def test_the_published_search_prunes() -> None:
    """Against a plan that never bets, far from all of the tree needs to be looked at."""
    tree, form = game("leduc")
    oracle = BuiltOracle(tree, form, published=True)
    searches = oracle._published
    assert searches is not None
    known = oracle.players[1]
    plan = Plan(1, np.where(np.arange(known.num_sequences) == 0, 1.0, 0.0), None, np.zeros(known.num_infosets, bool))
    value, _ = searches[0].run(known.extended(plan), lambda: None)
    assert value == pytest.approx(
        float(
            oracle.respond_exactly(
                0, Plan(1, plan.weight.astype(int).astype(object), 1, plan.decided), lambda: None
            ).value
        )
    )
    assert searches[0].visited < tree.num_nodes


def test_the_published_search_refuses_deep_trees() -> None:
    from hand_made import chain

    tree = chain(1_000)
    with pytest.raises(tremble.TooLargeError, match="at most 300 moves"):
        PublishedSearch(tree, 0, np.ones(tree.num_nodes), np.zeros(tree.num_nodes, dtype=np.int64))


# -- the first phase -----------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("smoothing", [0.0, 0.8])
def test_regret_minimisation_first(policy: Any, smoothing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restricted games of any size solved approximately at first: the same value, and really done."""
    approximated = []
    original = DoubleOracleRun._approximated
    monkeypatch.setattr(
        DoubleOracleRun, "_approximated", lambda self, game: approximated.append(1) or original(self, game)
    )
    for spec in ("kuhn", "leduc:ranks=2", "random_tree:seed=5,chance=true", "random_tree:seed=8,utilities=iid"):
        tree, form = game(spec)
        before = len(approximated)
        assert (
            solved(BuiltOracle(tree, form), Settings(policy=policy, smoothing=smoothing, sizes=Sizes(exact_rows=0)))
            == tremble.solve(tree).value
        )
        assert len(approximated) > before


def test_bounds_stay_bounds_in_the_first_phase() -> None:
    tree, form = game("leduc")
    rows: list[Any] = []
    value = solved(BuiltOracle(tree, form), Settings(first_order=0.01, sizes=Sizes(exact_rows=0)), rows.append)
    assert value is not None
    assert all(row["lower_float"] - 1e-9 <= value <= row["upper_float"] + 1e-9 for row in rows)


# -- gaps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [F(1, 2), F(1, 50), F(1, 10**12), F(0)])
def test_gaps_are_met_exactly(gap: Fraction) -> None:
    tree = tremble.load("leduc")
    solution = tremble.solve(tree, method="double-oracle", gap=gap)
    assert solution.bounds is not None
    assert solution.bounds[1] - solution.bounds[0] <= gap
    assert (solution.status == "certified") == (solution.bounds[0] == solution.bounds[1])
    assert tremble.verify(tree, solution).ok


# -- the command line ----------------------------------------------------------------------------


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments), standalone_mode=False)


def test_the_command_line(tmp_path: Path) -> None:
    log, out, saved = (str(tmp_path / name) for name in ("a.log", "a.json", "a.checkpoint"))
    spec = "border_patrol:depth=4"
    done = run("solve", spec, "--method", "double-oracle", "--policy", "worse", "--smoothing", "0.5", "--checkpoint",
               saved, "--log", log, "-o", out, "--quiet")  # fmt: skip
    assert done.return_value == 0, done.output
    lines = [json.loads(line) for line in Path(log).read_text().splitlines()]
    rows = [line for line in lines if line["event"] == "iteration"]
    assert rows
    assert [row["iteration"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(
        {"lower_float", "upper_float", "restricted_sequences", "elapsed_seconds_float"} <= row.keys() for row in rows
    )
    assert lines[-1]["status"] == "certified"
    assert "Infinity" not in Path(log).read_text()
    written = json.loads(Path(out).read_text())
    assert written["method"]["options"] == {"policy": "worse", "smoothing": "1/2"}
    assert written["strategies"][0]["default"] == {"rule": "first", "parameters": {}}
    assert json.loads(Path(saved).read_text())["schema"] == "tremble/checkpoint@2"
    assert run("verify", spec, out, "--quiet").return_value == 0
    again = run("solve", spec, "--method", "double-oracle", "--checkpoint", saved, "-o", out, "--quiet")
    assert again.return_value == 0


def test_asked_for_a_tree_it_is_built(tmp_path: Path) -> None:
    out = str(tmp_path / "a.json")
    done = run("solve", "border_patrol:depth=3", "--method", "double-oracle", "--max-nodes", "100000", "-o", out, "-q")
    assert done.return_value == 0, done.output
    assert json.loads(Path(out).read_text())["game"]["digest"].startswith("sha256:")


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr"])
def test_the_default_gap_is_enough(method: str, tmp_path: Path) -> None:
    out = str(tmp_path / "a.json")
    assert run("solve", "kuhn", "--method", method, "-o", out, "--quiet").return_value == 0
    written = json.loads(Path(out).read_text())
    low, high = map(F, written["bounds"])
    assert written["status"] == "bounded"
    assert high - low <= F(written["method"]["options"]["gap"]) == F(4, 1000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--policy", "both"), "policy is an option of the method double-oracle"),
        (("--method", "double-oracle", "--policy", "best"), "choose from: both, alternating, worse"),
        (("--method", "double-oracle", "--smoothing", "1"), "less than 1"),
        (("--method", "double-oracle", "--smoothing", "nan"), "less than 1"),
        (("--method", "cfr", "--checkpoint", "x"), "on trees cfr keeps no checkpoint"),
        (("--method", "lp", "--checkpoint", "x"), "checkpoint is an option of the method double-oracle"),
    ],
)
def test_options_of_other_methods(options: tuple[str, ...], message: str) -> None:
    done = run("solve", "kuhn", *options)
    assert isinstance(done.exception, tremble.SpecError) or done.return_value == 2
    assert message in str(done.exception) + done.output


@pytest.mark.parametrize("method", ["lp", "cfr+", "halving"])
def test_other_methods_need_a_tree(method: str) -> None:
    rules = tremble.load_rules("border_patrol:depth=3")
    concept = "quasi-perfect" if method == "halving" else "nash"
    with pytest.raises(tremble.GameError, match=r"not built|computes nash"):
        tremble.solve(rules, concept, method)


def test_what_has_positions() -> None:
    assert [has_positions(name) for name in ("phantom_ttt", "border_patrol", "leduc", "no such game.efg")] == [
        True, True, False, False,
    ]  # fmt: skip
