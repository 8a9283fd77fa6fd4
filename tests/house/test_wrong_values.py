"""Wrong values, everywhere: a public function either takes an argument or refuses it with an error of tremble."""

from __future__ import annotations

import contextlib
import io
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields as fields_of
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from tremble import methods
from tremble.errors import TrembleError, TrembleWarning
from tremble.game.rules import DefaultRule
from tremble.poker.games.jk_four_cards import JkFourCards
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference

ZOO: tuple[Any, ...] = (
    None,
    True,
    0,
    1,
    -1,
    2,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\ud800",
    "\0",
    b"x",
    [],
    (),
    {},
    set(),
    object(),
    Exception,
    [None],
    [1, 2],
    [[1, 2], [3, 4]],
    [[[1]]],
    (1, "x"),
    ("x", "y"),
    ((), ()),
    ([None], [None]),
    {"x": 1},
    {1: [2]},
    {"x"},
    range(3),
    lambda *_: None,
    lambda *_: [],
    np.array(3),
    np.array([1.5]),
    np.array([[1, 2]]),
    np.array([], dtype=object),
    np.array(None),
    np.int64(3),
    np.float64(0.5),
    np.bool_(True),
    Fraction(1, 2),
    Fraction(np.int64(1), 2),
    10**400,
    -(10**400),
    1j,
    "9" * 5000,
    (Fraction(np.int64(1), 2), 0),
    [[np.int64(1), True]],
)


def raw(call: Callable[[], Any]) -> str | None:
    """The error that a call ends with, unless it is tremble's own, as text with its place."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore", TrembleWarning)
            repr(call())
    except TrembleError as error:
        return None if str(error).strip() else "an error that says nothing"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:90]} at {Path(place.filename).name}:{place.lineno}"
    return None


KUHN = tremble.load("kuhn")
THREADS = ThreadPoolExecutor(1)
SEXES = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
SOLUTION = tremble.solve(KUHN)
ALL = tremble.all_equilibria(SEXES)
RULES = tremble.load_rules("kuhn")
ORDERED = JkFourCards()
UNIFORM = tuple(tremble.BehaviorStrategy.uniform(KUHN, player) for player in (0, 1))
PLAN = UNIFORM[0].to_realization_plan()


def _variant(**fields: Any) -> JkFourCards:
    """An ordered game with other fields."""
    return type("Variant", (JkFourCards,), fields)()


def _built(**fields: Any) -> Any:
    return tremble.build(_variant(**fields))


def _abstraction(**fields: Any) -> Any:
    return tremble.shrink(_variant(**fields)).sizes


def _stage(**fields: Any) -> Any:
    (only,) = JkFourCards().rounds
    return _built(rounds=(only._replace(stage=replace(only.stage, **fields)),))


def _round(**fields: Any) -> Any:
    (only,) = JkFourCards().rounds
    return _built(rounds=(only._replace(**fields),), strength=lambda self, public, private: sum(private))


def _move(**fields: Any) -> Any:
    return tremble.poker.StageTree.grow(
        lambda line: tremble.poker.Move(0, ("a", "b"))._replace(**fields) if not line else tremble.poker.OVER
    )


def _node(kind: str) -> Callable[..., Any]:
    return lambda **given: getattr(tremble.TreeBuilder(), kind)(**given)


def _one_leaf(**given: Any) -> Any:
    builder = tremble.TreeBuilder(**given)
    builder.leaf(0, 0)
    tree = builder.finish()
    return tremble.info(tree), tree.digest, tremble.solve(tree).to_text()


def _listed(**fields: Any) -> Any:
    found = replace(ALL, **fields)
    return tremble.verify(SEXES, found), found.to_text(), list(found), len(found)


def _stated(**fields: Any) -> Any:
    found = replace(tremble.results.StatedSolution.from_text(SOLUTION.to_text()), **fields)
    return tremble.verify(KUHN, found), found.to_text()


def _unbuilt(**fields: Any) -> Any:
    profile = (
        tremble.strategies.UnbuiltStrategy(**fields),
        tremble.strategies.UnbuiltStrategy(1, DefaultRule("first"), {}),
    )
    return tremble.strategies.evaluate(RULES, profile), tremble.certify(RULES, profile)


def _list_rungs(game: Any, thresholds: Any) -> Any:
    return [rung.sizes for rung in tremble.poker.ladder(game, thresholds)]


def _many(**given: Any) -> Any:
    """A batch; without the right executor, only what it is refused for."""
    results = tremble.solve_many(**given)
    return list(islice(results, 3)) if given["executor"] is THREADS else results.close()


def _pictures(folder: Path) -> Iterator[tuple[str, Callable[..., Any], Mapping[str, Any]]]:
    """Pictures, tables and plots: name, function, and arguments that are right."""
    drawn = {"tree": KUHN, "solution": SOLUTION, "max_nodes": 100}
    for draw in (tremble.show.draw_svg, tremble.show.draw_html, tremble.show.draw_tikz):
        yield "picture", draw, drawn
    asked = {"game": KUHN, "profile": SOLUTION, "root": None, "depth": 2, "against": None}
    yield "draw", lambda **given: tremble.draw(**given).svg(), asked
    yield "bimatrix", tremble.show.draw_bimatrix_latex, {"game": SEXES, "max_cells": 100}
    compared = {"tree": KUHN, "comparison": tremble.compare(KUHN, SOLUTION, UNIFORM)}
    yield "comparison", tremble.show.draw_comparison_svg, compared
    yield "comparison", tremble.show.draw_comparison_html, compared
    yield "table", tremble.show.strategy_table, {"strategies": UNIFORM, "game": KUHN}
    yield "log", tremble.show.read_log, {"file": folder / "none", "cpu": False}
    pytest.importorskip("matplotlib").use("Agg")
    rows: list[Mapping[str, Any]] = []
    tremble.solve(KUHN, method="cfr", iterations=5, report=rows.append)
    curves = {"title": "t", "x": "iterations", "points": {"a": [(1, 1)]}, "cpu": False, "floor": 1e-9, "ax": None}
    yield "convergence", _closed(tremble.show.convergence), {"logs": {"cfr": rows}, **curves}
    yield "convergence", lambda rows: _closed(tremble.show.convergence)({"cfr": rows}), {"rows": rows}
    rungs = {1.0: (800, 30.0), 0.0: (50_000, 0.01)}
    yield "losses", _closed(tremble.show.losses), {"rungs": rungs, "title": "t", "unit": "chips", "ax": None}


def _closed(plot: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that plots close its figure, which pyplot would keep."""

    def plotted(*given: Any, **named: Any) -> None:
        from matplotlib import pyplot

        try:
            plot(*given, **named)
        finally:
            pyplot.close("all")

    return plotted


def _calls(folder: Path) -> Iterator[tuple[str, Callable[..., Any], Mapping[str, Any]]]:
    """Name, function, and arguments that are right."""
    limit = {"time_limit": 5}
    maxmin = partial(tremble.solve, KUHN, "maxmin")
    profiled = {"tree": KUHN, "strategies": UNIFORM}
    yield (
        "solve",
        tremble.solve,
        {
            "game": SEXES,
            "concept": "nash",
            "method": "lemke",
            **limit,
            "gap": None,
            "progress": None,
            "seed": 0,
            "trembles": None,
            "checkpoint": None,
            "report": None,
            "player": None,
        },
    )
    yield "maxmin", maxmin, {"epsilon": Fraction(1, 2), "player": 0}
    yield "maxmin", maxmin, {"epsilon_abs": Fraction(1, 2), "gap": None, "method": "auto"}
    yield (
        "quasi-perfect",
        partial(tremble.solve, SEXES, "quasi-perfect"),
        {"trembles": None, "prior": "uniform"},
    )
    yield "lp", partial(tremble.solve, RULES, method="double-oracle"), {"gap": 1, "policy": "both", "seed": 0}
    yield "dcfr", partial(tremble.solve, KUHN, method="dcfr", time_limit=0.1), {"gap": 1, "seed": 0}
    yield (
        "several",
        tremble.solve_several,
        {"game": SEXES, "priors": 1, "concept": "nash", "seed": 0, "trembles": None, "time_limit": 0.5},
    )
    yield (
        "sweep",
        tremble.sweep,
        {
            "game": lambda x: SEXES, "values": [1], "concept": "nash", "method": "lemke", "name": "x", "executor": None,
            "time_limit": 0.5, "progress": None,
        },
    )  # fmt: skip
    yield "sweep", tremble.sweep, {"game": "double_oracle_example:ayf=0..1", "points": 2, "step": None}
    swept = tremble.sweep(lambda x: SEXES, [1])
    yield "replies", tremble.show.best_replies, {"game": SEXES, "ax": None, "time_limit": 0.5}
    yield from _pictures(folder)
    yield "equilibrium set", tremble.show.equilibrium_set, {"game": SEXES, "ax": None, "time_limit": 0.5}
    plotted = {"sweep": swept, "ax": None, "infoset": 0, "player": 0, "title": "t"}
    yield "plot", _closed(tremble.show.sweep_plot), plotted
    yield "sweep", swept.strategy_at, {"infoset": 0, "player": 0}
    yield "sweep", swept.to_rows, {"infoset": 0, "player": 0}
    yield "all", tremble.all_equilibria, {"game": SEXES, "concept": "nash", "pure": False, **limit, "progress": None}
    yield "pure", tremble.all_equilibria, {"game": SEXES, "pure": True, "most": 3}
    yield "uniqueness", tremble.uniqueness, {"game": KUHN, **limit, "progress": None}
    yield "verify", tremble.verify, {"game": KUHN, "solution": SOLUTION, **limit, "progress": None}
    yield "evaluate", tremble.strategies.evaluate, {"game": KUHN, "strategies": UNIFORM, "progress": None}
    yield (
        "certify",
        tremble.certify,
        {
            "game": KUHN,
            "profile": UNIFORM,
            "concept": "nash",
            "trembles": None,
            "repair_tolerance": None,
            **limit,
            "progress": None,
        },
    )
    yield "audit", tremble.audit, {**profiled, "beliefs": None, **limit, "progress": None}
    yield "compare", tremble.compare, {"tree": KUHN, "first": SOLUTION, "second": UNIFORM, "names": ("a", "b")}
    yield "info", tremble.info, {"game": KUHN}
    yield "expected values", tremble.expected_values, profiled
    yield "best response", tremble.best_response, {**profiled, "player": 0}
    yield "nash conv", tremble.nash_conv, profiled
    yield "exploitability", tremble.exploitability, profiled
    yield "recall", tremble.classify_recall, {"tree": KUHN, "player": 0}
    yield "witness", tremble.recall.recall_witness, {"tree": KUHN, "player": 0}
    yield "refinement", tremble.recall.perfect_recall_refinement, {"tree": KUHN, "player": 0}
    yield "forget", tremble.recall.forget, {"tree": KUHN, "player": 0, "last": 1}
    yield "forget by key", tremble.recall.forget, {"tree": KUHN, "player": 0, "key": lambda view: view.label}
    yield "forget by file", tremble.recall.forget, {"tree": KUHN, "player": 0, "file": folder / "none"}
    yield "shrink", tremble.shrink, {"game": ORDERED, "mode": "threshold", "threshold": Fraction(1, 2)}
    yield "shrink", tremble.shrink, {"game": ORDERED, "mode": "lossless"}
    yield "shrink", tremble.shrink, {"game": KUHN, "mode": "merged", "threshold": None}
    yield "ladder", _list_rungs, {"game": ORDERED, "thresholds": [0, 1]}
    yield (
        "load",
        tremble.load,
        {"text": "kuhn", "repair": False, "repair_tolerance": None, "max_nodes": 1000, "progress": None},
    )
    yield "load rules", tremble.load_rules, {"text": "kuhn"}
    yield "build", tremble.build, {"rules": RULES, "title": "k", "max_nodes": 1000, "progress": None, "spec": None}
    yield "build", tremble.build, {"rules": RULES, "floats": "decimal"}
    yield "explain", tremble.explain, {"game": KUHN, "profile": UNIFORM, "infoset": 3, "player": 0}
    yield "explain", tremble.explain, {"game": KUHN, "profile": UNIFORM, "most": 3}
    yield "explain", SOLUTION.explain, {"infoset": "K:", "player": 0}
    yield "values", SOLUTION.action_values, {"infoset": "K:", "player": 0}
    yield (
        "matrix",
        tremble.matrix_game,
        {
            "A": [[1, 2], [3, 4]],
            "B": [[1, 2], [3, 4]],
            "rows": ["a", "b"],
            "columns": ["a", "b"],
            "title": "t",
            "players": ("a", "b"),
            "max_nodes": 1000,
            "floats": "decimal",
        },
    )
    yield "third matrix", lambda third: tremble.matrix_game([[1]], [[1]], third), {"third": [[1]]}
    yield (
        "read efg",
        tremble.read_efg,
        {"source": folder / "kuhn.efg", "repair": True, "repair_tolerance": "0.1", "max_nodes": 99, "name": "a"},
    )
    yield "read nfg", tremble.read_nfg, {"source": folder / "sexes.nfg", "max_nodes": 99, "name": "a"}
    yield "write efg", tremble.write_efg, {"tree": KUHN, "path": folder / "a.efg"}
    yield "write nfg", tremble.write_nfg, {"tree": SEXES, "path": folder / "a.nfg"}
    yield (
        "profile",
        tremble.read_profile,
        {"source": "NE,1,0\n", "repair": False, "repair_tolerance": None, "name": "a"},
    )
    yield (
        "gambit",
        tremble.io.from_gambit_profile,
        {"game": KUHN, "profile": UNIFORM, "exact": True, "repair_tolerance": None},
    )
    yield (
        "openspiel",
        tremble.io.from_openspiel_policy,
        {"game": KUHN, "policy": UNIFORM, "exact": True, "repair_tolerance": None},
    )
    yield "text", tremble.Solution.from_text, {"text": SOLUTION.to_text(), "file": "f", "path": None}
    yield "texts", tremble.results.Equilibria.from_text, {"text": ALL.to_text(), "file": "f"}
    for method in methods.__all__:
        kind = getattr(methods, method)
        yield "methods", kind, {field.name: getattr(kind(), field.name) for field in fields_of(kind)}
    yield "file", tremble.Solution.from_json, {"path": folder / "none"}
    yield "files", tremble.results.Equilibria.from_json, {"path": folder / "none"}
    yield "to file", SOLUTION.to_json, {"path": folder / "s.json"}
    yield "to files", ALL.to_json, {"path": folder / "s.json"}
    yield "list", _listed, vars(ALL)
    yield (
        "stated",
        _stated,
        {
            key: getattr(SOLUTION, key)
            for key in (
                "game",
                "concept",
                "requested",
                "method",
                "status",
                "values",
                "bounds",
                "strategies",
                "beliefs",
                "certificate",
                "stats",
                "version",
            )
        },
    )
    yield (
        "many",
        _many,
        {
            "games": ["matching_pennies"],
            "concept": "nash",
            "method": "lp",
            "executor": THREADS,
            "processes": None,
            "on_limit": "return",
            "out": folder / "out",
            **limit,
            "gap": None,
            "seed": 0,
            "player": None,
            "epsilon": None,
            "epsilon_abs": None,
            "repair": False,
            "repair_tolerance": None,
            "max_nodes": 1000,
            "abstraction": "none",
        },
    )
    yield "game of a list", lambda **given: _listed(game=GameReference(**given)), vars(ALL.game)
    yield "game of a solution", lambda **given: _stated(game=GameReference(**given)), vars(SOLUTION.game)
    yield "method", lambda **given: _stated(method=MethodReference(**given)), vars(SOLUTION.method)
    by_rule = {"player": 0, "default": DefaultRule("first"), "rows": {}}
    yield "unbuilt", _unbuilt, by_rule
    yield "unbuilt rows", lambda row: _unbuilt(**{**by_rule, "rows": {"J:": row}}), {"row": (("check", 0), ("bet", 1))}
    yield "uniform", tremble.BehaviorStrategy.uniform, {"tree": KUHN, "player": 0}
    yield "pure", tremble.BehaviorStrategy.pure, {"tree": KUHN, "player": 0, "choice": [0] * 6}
    yield (
        "rows",
        tremble.BehaviorStrategy.from_rows,
        {"tree": KUHN, "player": 0, "rows": [[1, 0]] * 6, "floats": "decimal"},
    )
    yield "floats", tremble.BehaviorStrategy.from_floats, {"tree": KUHN, "player": 0, "probabilities": [0.5] * 12}
    for name, place in (("children", 0), ("labels", 0), ("path", 3), ("payoff_at", 0)):
        argument = "leaf" if name == "payoff_at" else "node"
        yield "navigation", getattr(KUHN, name), {argument: place}
    yield "navigation", KUHN.set_name, {"player": 0, "k": 0}
    yield "row", UNIFORM[0].row, {"infoset": 0}
    yield "probability", UNIFORM[0].probability, {"infoset": 1, "action": "bet"}
    yield "plan", UNIFORM[0].to_realization_plan, {"tree": KUHN}
    yield "plan", PLAN.probability, {"sequence": 0}
    yield "normal form", tremble.strategies.reduced_normal_form, {"tree": KUHN, "max_cells": 10_000}
    yield "arrays", tremble.io.to_arrays, {"tree": SEXES, "profile": "NE,1,0,1,0", "exact": True}
    yield (
        "read json",
        tremble.io.read_json,
        {"source": folder / "none", "max_nodes": 9, "name": None, "repair": False, "repair_tolerance": None},
    )
    yield "write json", tremble.io.write_json, {"tree": KUHN, "path": folder / "a.json"}
    yield "policy", tremble.io.to_openspiel_policy, {"tree_or_game": KUHN, "profile": UNIFORM}
    yield "gambit profile", tremble.io.to_gambit_profile, {"game": KUHN, "profile": UNIFORM}
    yield "openspiel game", tremble.io.load_openspiel, {"text_or_game": "no_game", "max_nodes": 100}
    yield "openspiel rules", tremble.io.openspiel_rules, {"game": "no_game"}
    yield "profile of a solution", SOLUTION.profile, {"tree": KUHN}
    yield "frame", SOLUTION.to_frame, {"library": "pandas"}
    yield "frame", ALL.to_frame, {"library": "pandas"}
    yield "certification", tremble.results.certification, {"game": KUHN, "profile": UNIFORM, "concept": "nash", **limit}
    weights = tremble.strategies.Trembles.uniform(KUHN)
    yield "trembles", weights.require_of, {"tree": KUHN}
    yield "trembles", weights.told, {"player": 0}
    yield "strategy", PLAN.to_behavior, {"tree": KUHN}
    yield "sequence form", tremble.strategies.SequenceForm.of, {"tree": KUHN}
    yield "trembles", tremble.strategies.Trembles.uniform, {"tree": KUHN}
    yield "trembles", tremble.strategies.Trembles.from_rows, {"tree": KUHN, "rows": [[[1, 1]] * 6] * 2}
    yield "trembles", tremble.strategies.Trembles.read, {"path": folder / "none", "tree": KUHN}
    yield "builder", _one_leaf, {"title": "t", "players": ("a", "b"), "max_nodes": 9, "floats": "decimal"}
    yield "decision", _node("decision"), {"player": 0, "key": "k", "labels": ("a", "b"), "infoset_label": None}
    yield "chance", _node("chance"), {"labels": ("a", "b"), "probabilities": (Fraction(1, 2), Fraction(1, 2))}
    yield "leaf", _node("leaf"), {"payoff1": 1, "payoff2": 2}
    fields = {
        "signals": ORDERED.signals,
        "rounds": ORDERED.rounds,
        "num_players": 2,
        "weights": [Fraction(1, 4)] * 4,
        "ranges": None,
        "compares": True,
        "strength": lambda self, public, private: sum(private) // 2,
    }
    yield "ordered", _built, {**fields, "utility": lambda self, lines, ranks: (0, 0)}
    yield "ordered", _abstraction, {**fields, "utility": lambda self, lines, ranks: (0, 0)}
    yield "ordered", _built, {"ranges": [{(0,): 1, (2,): 1}] * 2}
    yield (
        "stage",
        _stage,
        {field.name: getattr(ORDERED.rounds[0].stage, field.name) for field in fields_of(tremble.poker.StageTree)},
    )
    yield "round", _round, ORDERED.rounds[0]._asdict()
    yield "grow", tremble.poker.StageTree.grow, {"after": lambda line: tremble.poker.OVER}
    yield "move", _move, {"player": 0, "actions": ("a", "b")}
    yield "side", ORDERED.rounds[0].stage.side, {"player": 0}
    filtered = tremble.poker.Filter.full(ORDERED)
    yield "filter", tremble.poker.Filter.of, {"game": ORDERED, "seen": lambda public, private: 0}
    yield (
        "cells",
        tremble.poker.Filter.of_cells,
        {"game": ORDERED, "cells": [[{"J1", "J2"}, {"K1", "K2"}]], "two": None},
    )
    yield "classes", tremble.poker.Filter.of_classes, {"game": ORDERED, "class_of": filtered.class_of}
    yield "full", tremble.poker.Filter.full, {"game": ORDERED}
    shrunk = tremble.shrink(ORDERED)
    small = shrunk.apply()
    solved = tremble.solve(small)
    yield "abstraction", shrunk.accepts, {"game": ORDERED}
    yield "abstraction", shrunk.lift, {"solution": solved, "tree": tremble.build(ORDERED)}
    yield "abstraction", shrunk.lift_plans, {"strategies": solved.strategies}
    yield "abstraction", shrunk.lifting, {"tree": tremble.build(ORDERED), "small": small}
    yield "abstraction report", tremble.poker.AbstractionReport.of, {"abstraction": shrunk, "dominance": True}
    yield "dominance", tremble.poker.undominated, {"filtered": shrunk.filtered, "progress": None}
    yield "dominance", tremble.poker.dominance_report, {"filtered": shrunk.filtered}
    yield "uniform ordered", tremble.poker.OrderedStrategy.uniform, {"rules": ORDERED, "player": 0}
    yield "num classes", filtered.num_classes, {"player": 0}
    never = lambda infoset, actions: [1, 0]  # noqa: E731
    yield (
        "ex post",
        tremble.poker.ex_post,
        {"game": ORDERED, "profile": [never, never], "player": 0, "max_nodes": 10_000},
    )


NAMES = sorted({name for name, _, _ in _calls(Path())})


@pytest.mark.parametrize("name", NAMES)
def test_wrong_values(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where files land whose path is wrong
    tremble.write_efg(KUHN, tmp_path / "kuhn.efg")
    tremble.write_nfg(SEXES, tmp_path / "sexes.nfg")
    found = []
    for called, function, right in _calls(tmp_path):
        if called != name:
            continue
        for argument in right:
            for value in ZOO:
                fault = raw(partial(function, **{**right, argument: value}))
                if fault is not None:
                    found.append(f"{argument}={str(value)[:40]!r}: {fault}")
    assert not found, f"{len(found)} raw errors\n" + "\n".join(found)


FLAGS: dict[str, Callable[[Any], Any]] = {
    "pure": lambda flag: tremble.all_equilibria(SEXES, pure=flag),
    "symmetric": lambda flag: tremble.solve_several(SEXES, 1, symmetric=flag),
    "merge": lambda flag: methods.Lp(merge=flag),
    "processes": lambda flag: methods.BranchAndBound(processes=flag),
    "why": lambda flag: tremble.play(KUHN, SOLUTION, lambda decision: decision.actions[0], hands=1, seat=0, why=flag),
    "exact": lambda flag: tremble.io.to_arrays(SEXES, "NE,1,0,1,0", exact=flag),
    "cpu": lambda flag: tremble.show.read_log("no.jsonl", cpu=flag),
    "repair": lambda flag: tremble.read_profile("NE,1,0", repair=flag),
}


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("value", [None, 0, 1, -1, float("nan"), "x", [], np.array([True]), np.array(1)], ids=repr)
def test_only_truth_values_are_flags(name: str, value: Any) -> None:
    with pytest.raises(tremble.errors.SpecError, match=f"'?{name}'? must be (True or False|true or false), not"):
        FLAGS[name](value)


@pytest.mark.parametrize("argument", ["concept", "method", "time_limit", "gap", "seed", "player"])
def test_integers_too_long_to_print_are_refused_in_words(argument: str) -> None:
    given = {"concept": "maxmin"} if argument == "player" else {}
    with pytest.raises(TrembleError, match="an integer of 16,610 bits"):
        tremble.solve(tremble.load("kuhn"), **{**given, argument: -(10**5000)})


def test_verify_refuses_a_progress_that_cannot_be_called() -> None:
    kuhn, nothing = tremble.load("kuhn"), "x"
    with pytest.raises(TrembleError, match="progress"):
        tremble.verify(kuhn, tremble.solve(kuhn), progress=nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize("place", [-1, 55, 10**30, True, 1.0, "3", None, np.array([1, 2])], ids=repr)
@pytest.mark.parametrize("name", ["children", "labels", "path", "payoff_at"])
def test_a_tree_has_no_such_node(name: str, place: Any) -> None:
    with pytest.raises(tremble.GameError, match=r"(node|leaf) must be (an integer|a number from 0 to \d+), not"):
        getattr(KUHN, name)(place)


def test_a_tree_takes_integers_of_numpy() -> None:
    assert KUHN.path(np.int32(3)) == KUHN.path(3)
    assert KUHN.children(np.int64(0)) == KUHN.children(0)
