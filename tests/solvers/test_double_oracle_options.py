"""Options of the double oracle: its baselines, its first phase, the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import tremble
from command import run
from hand_made import chain
from rules_of_trees import held
from tremble.cli import main
from tremble.game.sequence_form import SequenceForm
from tremble.games.loading import has_positions
from tremble.large.loop import DoubleOracleRun
from tremble.large.oracle import Response
from tremble.large.published import PublishedTreeOracle, TreeTables, depth_first_response
from tremble.large.sequences import Plan
from tremble.large.settings import POLICIES, Settings, Sizes
from tremble.large.tree import TreeOracle
from tremble.run.clock import Clock


def quiet(_step: str, _fraction: float | None) -> None:
    """Say nothing."""


def game(spec: str) -> tuple[tremble.GameTree, SequenceForm]:
    tree = tremble.load(spec)
    return tree, SequenceForm.of(tree)


def solved(oracle: Any, settings: Settings, report: Callable[[Any], None] = lambda row: None) -> F | None:
    return DoubleOracleRun(oracle, 10.0, settings, Clock(120), quiet, report).run()[1]


# -- the published best response -----------------------------------------------------------------


def without_pruning(oracle: TreeOracle, player: int, plan: Plan, *, short: bool = True) -> float:
    """What the published best response is worth by its definition: Figures 4 and 5 without any bound.

    If it is ``short``, a temporary leaf of the other player is worth what the restricted game pays there.
    """
    tree, own, other = oracle.tree, oracle.players[player], oracle.players[1 - player]
    weight, sign = other.extended(plan), 1 if player == 0 else -1
    last = TreeTables.from_tree(tree).last
    mine, others = last[player], last[1 - player]
    short = short and bool(plan.decided.any() or own.allowed[1:].any())
    chance = np.ones(tree.num_nodes)
    for h in range(1, tree.num_nodes):
        above = tree.parent[h]
        p = 1.0
        if tree.player[above] == tremble.CHANCE:
            p = float(tree.chance_tables[tree.infoset[above]].probabilities[tree.action[h]])
        chance[h] = chance[above] * p
    reach = chance * weight[others]
    best: dict[int, int] = {}
    members = [np.flatnonzero((tree.player == player) & (tree.infoset == k)) for k in range(own.num_infosets)]

    def value(h: int) -> float:
        mover, k = tree.player[h], tree.infoset[h]
        if not reach[h]:
            return 0.0
        if mover == tremble.TERMINAL:
            return sign * reach[h] * float(tree.payoff_at(int(k))[0])
        if mover == player:
            if k not in best:
                totals = [sum(value(tree.first_child[n] + a) for n in members[k]) for a in range(tree.num_children[h])]
                best[k] = int(np.argmax(totals))
            return value(tree.first_child[h] + best[k])
        above = other.set_of[others[h]]
        inside = own.allowed[mine[h]] and (above < 0 or plan.decided[above])  # of the restricted game
        if mover == 1 - player and short and inside and not plan.decided[k]:
            return sign * float(oracle._temporary[1 - player][h]) / oracle._unit * weight[others[h]]
        return sum(value(child) for child in tree.children(h))

    return value(0)


class Compared(PublishedTreeOracle):
    """Answers with the published best response, and compares it with its definition."""

    def __init__(self, tree: tremble.GameTree, form: SequenceForm) -> None:
        super().__init__(tree, form)
        self.compared = self.looser = 0

    def respond(self, player: int, plan: Plan) -> Response:
        defined, earned = without_pruning(self, player, plan), without_pruning(self, player, plan, short=False)
        found = super().respond(player, plan)
        assert float(found.value) == pytest.approx(defined, abs=1e-9)
        assert defined >= earned - 1e-9
        self.compared += 1
        self.looser += defined > earned + 1e-6
        return found


def test_the_published_best_response() -> None:
    """On trees that are drawn at random; now and then a temporary leaf is worth more than what can be earned there."""
    looser = 0
    for extra in ("", ",chance=true", ",utilities=iid,chance=true"):
        for seed in range(5):
            tree, form = game(f"random_tree:depth=5,seed={seed}{extra}")
            oracle = Compared(tree, form)
            assert solved(oracle, AS_PUBLISHED) == tremble.solve(tree).value
            assert oracle.compared > 2
            looser += oracle.looser
    assert looser


AS_PUBLISHED = Settings("both", 0.0, 0.0, published=True)


def test_rules_and_trees_respond_alike() -> None:
    """Iteration by iteration: the same bounds and restricted games, held as a tree, searched, or with positions."""
    for spec in ("leduc:ranks=2,raises=1", "random_tree:depth=5,seed=3,chance=true"):
        tree = tremble.load(spec)
        told = []
        for form in ("tree, published", "table, published", "search, keys, published"):
            rows: list[Any] = []
            solved(held(tree, form, seed=None).oracle, AS_PUBLISHED, rows.append)
            told.append([(row["iteration"], row["restricted_sequences"], row["new_sequences"]) for row in rows[:4]])
        assert told[0] == told[1] == told[2], spec


class Drawn:
    """Histories drawn by hand: (probability, what): a payoff, a list of what may follow, or a set with its actions."""

    def __init__(self, root: Any) -> None:
        self.bounds = (-1.0, 1.0)
        self.looked: list[int] = []
        self._nodes: list[Any] = []
        self._sets: dict[int, list[int]] = {}
        self._add(1.0, root)

    def _add(self, reach: float, what: Any) -> int:
        h = len(self._nodes)
        self._nodes.append(None)
        if isinstance(what, dict):
            ((k, actions),) = what.items()
            self._sets.setdefault(k, []).append(h)
            self._nodes[h] = reach, k, [self._add(reach, action) for action in actions]
        elif isinstance(what, list):
            self._nodes[h] = reach, -1, [self._add(reach * p, below) for p, below in what]
        else:
            self._nodes[h] = reach, -1, float(what)
        return h

    def leaf_value(self, h: int) -> float | None:
        self.looked.append(h)
        reach, _, below = self._nodes[h]
        return reach * below if isinstance(below, float) else None

    def infoset(self, h: int) -> int:
        return int(self._nodes[h][1])

    def reach(self, h: int) -> float:
        return float(self._nodes[h][0])

    def below(self, h: int) -> list[int]:
        return list(self._nodes[h][2])

    def played(self, h: int, action: int) -> int:
        return int(self._nodes[h][2][action])

    def members(self, infoset: int) -> tuple[list[int], int]:
        nodes = self._sets[infoset]
        return nodes, len(self._nodes[nodes[0]][2])


def test_an_action_that_cannot_catch_up_is_given_up() -> None:
    """Figure 5, lines 17 to 19: after the likelier history, b lacks more than the other one can bring."""
    drawn = Drawn([(0.1, {0: [1, -1]}), (0.9, {0: [1, -1]})])
    value, choice = depth_first_response(drawn, lambda: None)
    assert (value, choice) == (pytest.approx(1), {0: 0})
    assert drawn.looked == [
        0,
        4,
        5,
        6,
        2,
        1,
    ]  # not 3
    loose = Drawn([(0.1, {0: [1, -1]}), (0.9, {0: [1, -1]})])
    loose.bounds = (-100.0, 100.0)
    assert depth_first_response(loose, lambda: None)[0] == pytest.approx(1)
    assert loose.looked == [0, 4, 5, 6, 2, 3, 1]


def test_what_falls_short_is_cut_off() -> None:
    """Figure 4, line 18: after the likelier branch of chance, the rest cannot bring what the action lacks."""
    root = [(0.6, {0: [0, 0.5]}), (0.4, {0: [[(0.75, -1), (0.25, 1)], -0.5]})]
    drawn = Drawn(root)
    assert depth_first_response(drawn, lambda: None) == (pytest.approx(0.1), {0: 1})
    assert drawn.looked == [0, 1, 2, 3, 5, 6, 8, 4]  # not 7
    loose = Drawn(root)
    loose.bounds = (-100.0, 100.0)
    assert depth_first_response(loose, lambda: None) == (pytest.approx(0.1), {0: 1})
    assert 7 in loose.looked


def test_a_set_that_falls_short_is_cut_off() -> None:
    """Figure 5, line 26: none of its actions brings what is needed, so nothing is stored of it."""
    root = [(0.6, {0: [0, 0.5]}), (0.4, {0: [{1: [-1, -1]}, -0.5]})]
    assert depth_first_response(Drawn(root), lambda: None) == (pytest.approx(0.1), {0: 1})
    loose = Drawn(root)
    loose.bounds = (-100.0, 100.0)
    assert depth_first_response(loose, lambda: None) == (pytest.approx(0.1), {0: 1, 1: 0})


def test_a_set_falls_short_whatever_was_given_up_before() -> None:
    """Section 4.2.2: what an action would bring that is not looked at any more cannot save the set."""
    below = [(0.55, [(0.5, {1: [-1, 1]}), (0.5, 1)]), (0.45, {1: [1, -1]})]  # the likelier history of set 1 comes last
    root = [(0.6, {0: [0, 1]}), (0.4, {0: [below, -0.5]})]
    assert depth_first_response(Drawn(root), lambda: None) == (pytest.approx(0.4), {0: 1})
    loose = Drawn(root)
    loose.bounds = (-100.0, 100.0)
    assert depth_first_response(loose, lambda: None) == (pytest.approx(0.4), {0: 1, 1: 0})


def test_the_published_search_refuses_deep_games() -> None:
    endless: Any = 0
    for _ in range(302):
        endless = [(1.0, endless)]
    with pytest.raises(tremble.TooLargeError, match="at most 300 moves"):
        depth_first_response(Drawn(endless), lambda: None)
    with pytest.raises(tremble.TooLargeError, match="at most 300 moves"):
        tremble.solve(chain(1_000), method="published-double-oracle")


class Asked(PublishedTreeOracle):
    """Notes who is asked."""

    def __init__(self, tree: tremble.GameTree) -> None:
        super().__init__(tree, SequenceForm.of(tree))
        self.asked: list[tuple[int, float]] = []

    def respond(self, player: int, plan: Plan) -> Response:
        found = super().respond(player, plan)
        self.asked.append((player, float(found.value)))
        return found


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_as_published(policy: Any) -> None:
    """Section 4.3: an answer is an iteration; at first both answer the other's default; who is asked next."""
    for spec in ("leduc:ranks=2", "random_tree:seed=5,chance=true", "border_patrol:depth=3"):
        tree = tremble.load(spec)
        oracle, rows = Asked(tree), []
        settings = Settings(policy, 0.0, 0.0, published=True)
        assert solved(oracle, settings, rows.append) == tremble.solve(tree).value
        asked = [player for player, _ in oracle.asked]
        assert [row["iteration"] for row in rows] == list(range(1, len(rows) + 1))
        if policy == "both":
            assert asked == [0, 1] * len(rows)
            continue
        assert len(asked) == len(rows)
        assert asked[:2] == [0, 1]
        if policy == "alternating":
            assert asked == [i % 2 for i in range(len(asked))]
            continue
        bounds = [np.inf, np.inf]
        for i, (player, value) in enumerate(oracle.asked[:-1]):  # Eq. 13, and a player with nothing new is followed
            bounds[player] = min(bounds[player], value)
            worth, nothing = rows[i + 1]["restricted_value_float"], not sum(rows[i]["new_sequences"])
            distance = [abs(bounds[0] - worth), abs(bounds[1] + worth)]
            if i and not nothing and abs(distance[0] - distance[1]) > 1e-9:
                assert asked[i + 1] == int(distance[1] > distance[0])
            if i and nothing:
                assert asked[i + 1] == 1 - player


@pytest.mark.parametrize("policy", POLICIES)
def test_the_published_algorithm_is_a_method(policy: str) -> None:
    """On trees and on rules that are never built, proven by the checker like any other."""
    for of in (tremble.load, tremble.load_rules):
        solution = tremble.solve(of("border_patrol:depth=4"), method="published-double-oracle", policy=policy)
        assert (solution.status, solution.value) == ("certified", F(-1, 3))
        assert solution.stats["form"] == ("tree" if of is tremble.load else "rules")
        assert tremble.verify(of("border_patrol:depth=4"), solution).ok
        assert dict(solution.method.options) == {"policy": policy}
    method = tremble.methods.PublishedDoubleOracle(policy)  # type: ignore[arg-type]
    assert tremble.solve(tremble.load("kuhn"), method=method).value == F(-1, 18)


def test_the_published_algorithm_on_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "kuhn.json"
    asked = ["solve", "kuhn", "--method", "published-double-oracle", "--policy", "worse", "-o", str(out), "-q"]
    assert run(*asked).exit_code == 0
    assert json.loads(out.read_text())["method"] == {"name": "published-double-oracle", "options": {"policy": "worse"}}
    wrong = run(*asked, "--smoothing", "0.5")
    assert wrong.exit_code == 2
    assert "'smoothing' is an option of the method double-oracle" in wrong.output
    assert "published-double-oracle" in run("solve", "--help").output
    assert run(*asked[:4], "--policy", "best").exit_code == 2


# -- the first phase -----------------------------------------------------------------------------


@pytest.mark.sample(3)
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
            solved(TreeOracle(tree, form), Settings(policy=policy, smoothing=smoothing, sizes=Sizes(exact_rows=0)))
            == tremble.solve(tree).value
        )
        assert len(approximated) > before


def test_bounds_stay_bounds_in_the_first_phase() -> None:
    tree, form = game("leduc")
    rows: list[Any] = []
    value = solved(TreeOracle(tree, form), Settings(first_order=0.01, sizes=Sizes(exact_rows=0)), rows.append)
    assert value is not None
    assert all(row["lower_float"] - 1e-9 <= value <= row["upper_float"] + 1e-9 for row in rows)


# -- gaps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [F(1, 2), F(1, 50), F(1, 10**12), F(0)])
def test_gaps_are_met_exactly(gap: F) -> None:
    tree = tremble.load("leduc")
    solution = tremble.solve(tree, method="double-oracle", gap=gap)
    assert solution.bounds is not None
    assert solution.bounds[1] - solution.bounds[0] <= gap
    assert (solution.status == "certified") == (solution.bounds[0] == solution.bounds[1])
    assert tremble.verify(tree, solution).ok


# -- the command line ----------------------------------------------------------------------------


def invoked(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments), standalone_mode=False)


def test_the_command_line(tmp_path: Path) -> None:
    log, out, saved = (str(tmp_path / name) for name in ("a.log", "a.json", "a.checkpoint"))
    spec = "border_patrol:depth=4"
    asked = ["solve", spec, "--method", "double-oracle", "--policy", "worse", "--smoothing", "0.5", "--log", log]
    done = invoked(*asked, "--checkpoint", saved, "-o", out, "--quiet")
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
    assert invoked("verify", spec, out, "--quiet").return_value == 0
    again = invoked("solve", spec, "--method", "double-oracle", "--checkpoint", saved, "-o", out, "--quiet")
    assert again.return_value == 0


def test_asked_for_a_tree_it_is_built(tmp_path: Path) -> None:
    out = str(tmp_path / "a.json")
    done = invoked(
        "solve", "border_patrol:depth=3", "--method", "double-oracle", "--max-nodes", "100000", "-o", out, "-q"
    )
    assert done.return_value == 0, done.output
    assert json.loads(Path(out).read_text())["game"]["digest"].startswith("sha256:")


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr"])
def test_the_default_gap_is_enough(method: str, tmp_path: Path) -> None:
    out = str(tmp_path / "a.json")
    assert invoked("solve", "kuhn", "--method", method, "-o", out, "--quiet").return_value == 0
    written = json.loads(Path(out).read_text())
    low, high = map(F, written["bounds"])
    assert written["status"] == "bounded"
    assert high - low <= F(written["method"]["options"]["gap"]) == F(4, 1000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--policy", "both"), "'policy' is an option of the method double-oracle"),
        (("--method", "double-oracle", "--policy", "best"), "choose from: both, alternating, worse"),
        (("--method", "double-oracle", "--smoothing", "1"), "less than 1"),
        (("--method", "double-oracle", "--smoothing", "nan"), "less than 1"),
        (
            ("--concept", "maxmin", "--method", "cfr", "--checkpoint", "x"),
            "'checkpoint' is not supported by the method cfr for the concept maxmin",
        ),
        (("--method", "lp", "--checkpoint", "x"), "'checkpoint' is an option of the methods double-oracle"),
    ],
)
def test_options_of_other_methods(options: tuple[str, ...], message: str) -> None:
    done = invoked("solve", "kuhn", *options)
    assert isinstance(done.exception, tremble.errors.SpecError) or done.return_value == 2
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
