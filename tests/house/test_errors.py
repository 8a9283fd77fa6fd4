"""Errors and public values cross from one process to another whole."""

from __future__ import annotations

import copy
import dataclasses
import multiprocessing
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tremble
from tremble import TreeBuilder, errors, methods
from tremble.exact.program import SingularMatrixError
from tremble.games.parameters import names
from tremble.judge.certify import certification
from tremble.poker.abstraction.report import AbstractionReport
from tremble.poker.games.jk_four_cards import JkFourCards
from tremble.poker.strategy import OrderedStrategy
from tremble.show.playable import playable_game
from tremble.show.playing import play_hand

SOLUTION = tremble.solve(tremble.load("kuhn"))


def _classes(kind: type[errors.TrembleError] = errors.TrembleError) -> Iterator[type[errors.TrembleError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _classes(below)


CLASSES = sorted(
    {kind for kind in _classes() if kind.__module__.startswith("tremble.")}, key=lambda kind: kind.__name__
)

ARGUMENTS: dict[type[errors.TrembleError], dict[str, Any]] = {
    errors.FormatError: {"message": "what is wrong", "file": "a\nb.efg", "line": 3, "column": 7},
    errors.LimitReached: {"message": "what is wrong", "best": SOLUTION, "interrupted": True},
    errors.NotProvenError: {"message": "what is wrong", "best": SOLUTION},
    SingularMatrixError: {"rows": (0,), "columns": (1, 2)},
}


def _error(kind: type[errors.TrembleError]) -> errors.TrembleError:
    error = kind(**ARGUMENTS[kind]) if kind in ARGUMENTS else kind("what is wrong")
    error.add_note("a note")
    return error


def _plain(value: Any) -> Any:
    return value.to_text() if isinstance(value, tremble.results.StatedSolution) else value


def _same(one: errors.TrembleError, two: Any) -> None:
    assert type(two) is type(one)
    assert (str(two), two.args) == (str(one), one.args)
    assert {k: _plain(v) for k, v in vars(two).items()} == {k: _plain(v) for k, v in vars(one).items()}


def _raised(error: errors.TrembleError) -> None:
    raise error


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_errors_pickle_and_copy_whole(kind: type[errors.TrembleError]) -> None:
    error = _error(kind)
    assert set(ARGUMENTS.get(kind, ())) - {"message"} <= set(vars(error))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        _same(error, pickle.loads(pickle.dumps(error, protocol)))
    _same(error, copy.copy(error))
    _same(error, copy.deepcopy(error))


def test_errors_cross_processes() -> None:
    listed = list(map(_error, CLASSES))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        for error, future in [(error, executor.submit(_raised, error)) for error in listed]:
            _same(error, future.exception(timeout=60))
        future = executor.submit(tremble.read_efg, "EFG 2 R")  # and the process still works
        with pytest.raises(tremble.FormatError, match=r"^<text>:1") as found:
            future.result(timeout=60)
    assert (found.value.file, found.value.line) == ("<text>", 1)
    assert str(found.value).endswith(found.value.message)


UNIFORM = [tremble.BehaviorStrategy.uniform(tremble.load("kuhn"), player) for player in (0, 1)]
_THREAT = "NE,1,0,0,1"  # to stay out, for fear of a fight


def _with_wrong_beliefs() -> Any:
    right = tremble.solve(tremble.load("kuhn"), "sequential")
    assert right.beliefs is not None
    first = right.beliefs[0][0]
    turned = tuple((path, Fraction(k == 0)) for k, (path, _) in enumerate(first.nodes))
    return dataclasses.replace(
        right, beliefs=((dataclasses.replace(first, nodes=turned), *right.beliefs[0][1:]), right.beliefs[1])
    )


def _in_a_batch(game: str) -> Any:
    with ThreadPoolExecutor(1) as executor:
        return next(tremble.solve_many([game], executor=executor))


def _trembling_program() -> tremble.TremblingProgram:
    return tremble.TremblingProgram([1, [1, -1]], [[1, 1]], ["<="], [1])


VALUES: dict[str, Callable[[], Any]] = {
    "tree": lambda: tremble.load("kuhn"),
    "rules": lambda: tremble.load_rules("leduc"),
    "ordered": JkFourCards,
    "round": lambda: JkFourCards().rounds[0],
    "move": lambda: (tremble.poker.Move(0, ("a", "b")), tremble.poker.GO_ON, tremble.poker.OVER),
    "filter": lambda: tremble.poker.Filter.full(JkFourCards()),
    "ex post": lambda: tremble.poker.ex_post(JkFourCards(), [lambda infoset, actions: [0, 1]] * 2, 0),
    "abstraction": lambda: tremble.shrink(JkFourCards()),
    "solution": lambda: SOLUTION,
    "stated": lambda: tremble.results.StatedSolution.from_text(SOLUTION.to_text()),
    "perfect": lambda: tremble.solve(tremble.load("kuhn"), "perfect"),
    "sequential": lambda: tremble.solve(tremble.load("kuhn"), "sequential"),
    "of rules": lambda: tremble.solve(tremble.load_rules("kuhn"), method="double-oracle"),
    "of an ordered game": lambda: OrderedStrategy.uniform(JkFourCards(), 0),
    "list": lambda: tremble.all_equilibria(tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])),
    "verified list": lambda: tremble.verify(tremble.load("kuhn"), tremble.all_equilibria(tremble.load("kuhn"))),
    "uniqueness": lambda: tremble.uniqueness(tremble.load("kuhn")),
    "sequence form": lambda: tremble.strategies.SequenceForm.of(tremble.load("kuhn")),
    "side": lambda: tremble.strategies.SequenceForm.of(tremble.load("kuhn")).side(0),
    "plan": lambda: SOLUTION.strategies[0].to_realization_plan(tremble.load("kuhn")),
    "trembles": lambda: tremble.strategies.Trembles.uniform(tremble.load("kuhn")),
    "audit": lambda: tremble.audit(tremble.load("kuhn"), SOLUTION),
    "comparison": lambda: tremble.compare(tremble.load("kuhn"), SOLUTION, SOLUTION),
    "verification": lambda: tremble.verify(tremble.load("kuhn"), SOLUTION),
    "forgetting": lambda: tremble.recall.forget(tremble.load("kuhn"), 0, last=0),
    "witness": lambda: tremble.recall.recall_witness(tremble.recall.forget(tremble.load("kuhn"), 0, last=0).tree, 0),
    "rules strategy": lambda: tremble.solve(tremble.load_rules("kuhn"), method="double-oracle").strategies[0],
    "distribution": lambda: SOLUTION.strategies[0][SOLUTION.strategies[0].infoset_labels[0]],
    "explanation": lambda: SOLUTION.explain(),
    "findings": lambda: tremble.audit(tremble.load("kuhn"), UNIFORM),
    "wrong belief": lambda: tremble.audit(tremble.load("kuhn"), _with_wrong_beliefs()),
    "different": lambda: tremble.compare(
        tremble.load("kuhn"), SOLUTION, tremble.solve(tremble.load("kuhn"), "quasi-perfect")
    ),
    "certification": lambda: certification(tremble.load("entry_deterrence"), _THREAT, concept="sequential"),
    "merging": lambda: tremble.shrink(tremble.load("matching_pennies")),
    "alike": lambda: tremble.shrink(tremble.load("matching_pennies")).classes[0],
    "report": lambda: AbstractionReport.of(tremble.shrink(JkFourCards())),
    "stage": lambda: JkFourCards().rounds[0].stage,
    "flop": lambda: tremble.load_rules("holdem_flop").rules,
    "turn": lambda: tremble.load_rules("holdem_turn").rules,
    "river": lambda: tremble.load_rules("holdem_river").rules,
    "view": lambda: tremble.recall.InfosetView(0, "Q", ("check", "bet"), ()),
    "loss": lambda: tremble.recall.forget(tremble.load("kuhn"), 0, last=1).certify_loss(SOLUTION, SOLUTION),
    "curve": lambda: tremble.show.Curve((1.0,), (0.5,)),
    "sweep": lambda: tremble.sweep("kuhn:cards=3..4"),
    "trembling program": lambda: _trembling_program(),
    "trembling solution": lambda: tremble.solve_trembling(_trembling_program()),
    "picture": lambda: tremble.draw(tremble.load("kuhn"), SOLUTION),
    "profile": lambda: tremble.read_profile(SOLUTION.to_text()),
    "batch": lambda: _in_a_batch("kuhn"),
    "failed in a batch": lambda: _in_a_batch("no_such_game"),
    "hands": lambda: tremble.play(tremble.load("kuhn"), SOLUTION, lambda decision: 0, hands=2, seed=1),
    "decision": lambda: next(play_hand(playable_game(tremble.load("kuhn"), SOLUTION), 0, 1, 1)),
    "builder": TreeBuilder,
    "methods": lambda: tuple(getattr(methods, name)() for name in methods.__all__),
}


_AS_OBJECTS = ("decision", "ordered", "abstraction", "builder", "failed in a batch")
"""Rules of one's own, what can be changed, and exceptions are equal to nothing else."""


def _public_classes() -> set[type[Any]]:
    """List every public class except exceptions, protocols, and the parts of algorithms in `large` and `check`."""
    parts = ("large", "check")
    named = [name for name in tremble.__all__ if _is_module(name) and name not in parts]
    modules = [tremble, *(import_module(f"tremble.{name}") for name in named)]
    listed = [getattr(module, name) for module in modules for name in module.__all__]
    return {
        each
        for each in listed
        if isinstance(each, type) and not issubclass(each, BaseException) and not getattr(each, "_is_protocol", False)
    }


def _is_module(name: str) -> bool:
    return isinstance(getattr(tremble, name), ModuleType)


def _parts(value: Any, seen: dict[int, Any]) -> None:
    """The value, and whatever it holds."""
    if id(value) in seen or type(value) in (str, int, float) or isinstance(value, type | ModuleType | np.ndarray):
        return
    seen[id(value)] = value
    if isinstance(value, Mapping):
        held = [*value, *value.values()]
    elif isinstance(value, tuple | list | frozenset | Sequence):
        held = [*value, *getattr(value, "__dict__", {}).values()]
    else:
        held = [*getattr(value, "__dict__", {}).values()]
    for part in held:
        _parts(part, seen)


def test_a_value_of_every_public_class_is_among_them() -> None:
    seen: dict[int, Any] = {}
    for make in VALUES.values():
        _parts(make(), seen)
    kinds = {type(value) for value in seen.values()}
    missing = {each.__name__ for each in _public_classes() if not any(issubclass(kind, each) for kind in kinds)}
    assert missing == set()


@pytest.mark.parametrize("name", names())
def test_built_in_games_pickle(name: str) -> None:
    rules = tremble.load_rules(name)
    again = pickle.loads(pickle.dumps(rules))
    assert (again.digest, again.title, again.spec) == (rules.digest, rules.title, rules.spec)


@pytest.mark.parametrize("name", VALUES)
def test_public_values_copy(name: str) -> None:
    value = VALUES[name]()
    for again in (copy.copy(value), copy.deepcopy(value)):
        assert type(again) is type(value)
        if name not in _AS_OBJECTS:
            assert again == value


@pytest.mark.parametrize("name", VALUES)
def test_public_values_pickle(name: str) -> None:
    value = VALUES[name]()
    again = pickle.loads(pickle.dumps(value))
    assert type(again) is type(value)
    if name not in ("ordered", "builder"):  # rules of one's own show where they stand in memory
        assert repr(again) == repr(value)
    if name not in _AS_OBJECTS:
        assert again == value
        assert isinstance(value, dict) or hash(again) == hash(value)
    assert again != 1


def test_reprs_are_short() -> None:
    """Of values of every public class: not more than two lines of a terminal, whatever they hold."""
    values = [value() for name, value in VALUES.items() if name not in ("move", "methods")]
    values += [*VALUES["move"](), *VALUES["methods"]()]
    form = tremble.strategies.SequenceForm.of(tremble.load("leduc"))
    audit = tremble.audit(
        tremble.load("kuhn"), [tremble.BehaviorStrategy.uniform(tremble.load("kuhn"), i) for i in (0, 1)]
    )
    values += [form, form.side(0), form.sequences[1], form.sequences, audit, *audit.blunders, tremble.load("leduc")]
    values += [dataclasses.replace(tremble.load("kuhn"), title="long " * 1000)]
    values += [*SOLUTION.strategies, SOLUTION.strategies, TreeBuilder()]
    for value in values:
        assert len(repr(value)) <= 260, repr(value)
        assert "\n" not in repr(value)
        assert " at 0x" not in repr(value) or isinstance(value, JkFourCards | tremble.poker.Filter | TreeBuilder)
    assert repr(audit.blunders[0]).startswith("<Blunder: player 0, infoset")


def test_what_is_pickled_works() -> None:
    tree, found = pickle.loads(pickle.dumps((tremble.load("kuhn"), SOLUTION)))
    assert tremble.verify(tree, found).ok
    assert found.to_text() == SOLUTION.to_text()
    sexes = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    listed = pickle.loads(pickle.dumps(tremble.all_equilibria(sexes)))
    assert tremble.verify(sexes, listed).ok
    abstraction = pickle.loads(pickle.dumps(tremble.shrink(JkFourCards())))
    assert abstraction.sizes == tremble.shrink(JkFourCards()).sizes


def test_any_name_of_a_file_can_be_printed() -> None:
    for name, shown in (("caf\udce9.efg", "caf\\udce9.efg"), ("x" * 10**6, "x" * 300 + "..."), ("a\nb", "a\\nb")):
        with pytest.raises(errors.FormatError) as raised:
            tremble.read_efg(name, name=name)
        assert raised.value.file == name
        assert str(raised.value).encode().startswith(f"{shown}:".encode())


def test_what_is_no_tree_but_can_be_written_says_how(tmp_path: Path) -> None:
    with pytest.raises(errors.GameError, match=r"a Solution is not a game tree: its to_json\(file\) writes it"):
        tremble.io.write_json(SOLUTION, tmp_path / "kuhn.json")  # type: ignore[arg-type]
