"""Functions of the kernel that read the data of a claim, or format a message, called directly."""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from importlib.util import find_spec, module_from_spec
from math import inf
from typing import Any

import numpy as np
import pytest
from claims import strategies_of

import tremble
from tremble import TreeBuilder, check
from tremble.check import claim as data
from tremble.check.case import Case, Paths, ascending, multipliers, pairs, worst_deviation
from tremble.check.claim import Claim, Problems, Strategy, Wrong
from tremble.check.limits import DIGIT, Limits, steps_of
from tremble.check.tree import sequence_form

ENTRY = tremble.load("entry_deterrence")


NAMES = [module.name for module in pkgutil.walk_packages(check.__path__, "tremble.check.")]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("__main__")])
def test_results_and_claims_cannot_be_changed(name: str) -> None:
    """Run the module once more, so that a coverage tool sees which lines this test depends on."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    things = [thing for thing in vars(module).values() if dataclasses.is_dataclass(thing)]
    changeable = [thing for thing in things if not thing.__dataclass_params__.frozen]  # type: ignore[union-attr]
    assert {thing.__name__ for thing in changeable} <= {"Limits"}  # type: ignore[union-attr]


# -- problems and numbers in messages ------------------------------------------------------------------


def test_problems_beyond_twenty_are_counted() -> None:
    problems = Problems()
    problems.add(*map(str, range(19)))
    assert problems.listed() == tuple(map(str, range(19)))
    problems.add("19")
    assert (problems.listed(), problems.left_out) == (tuple(map(str, range(20))), 0)
    problems.add("20", "21")
    problems.add("22")
    assert problems.listed() == (*map(str, range(20)), "and 3 more")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (F(-2, 3), "-2/3"),
        (F(1, 2**198), str(F(1, 2**198))),  # 1 + 199 bits
        (F(1, 2**199), "about 1.2446e-60"),
        (F(10**400), "beyond 1e308"),
        (F(2**100 + 1, 2**100), "about 1"),
    ],
)
def test_long_numbers_are_shown_approximately(number: F, text: str) -> None:
    assert data.short(number) == text
    assert data.unequal(F(1, 2), F(1, 3)) == "stated as 1/2, but it is 1/3 (off by about 0.166667)"


def test_wrong_values_are_shown_in_part() -> None:
    assert data.brief("x" * 50) == "'" + 39 * "x"
    assert data.brief([10**5000]) == "a huge number"


# -- numbers and lists ---------------------------------------------------------------------------------


class Half(F):
    """A fraction of another type."""


def fraction_of(numerator: Any, denominator: Any) -> F:
    made = F(0)
    made._numerator, made._denominator = numerator, denominator  # type: ignore[attr-defined]
    return made


LONGEST = "0x1" + "0" * 199_997


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("0", F(0)), ("5", F(5)), ("-5", F(-5)), ("0x1f", F(31)), ("-0x1f", F(-31)), ("-2/3", F(-2, 3)),
        ("2/0x3", F(2, 3)), (F(2, 3), F(2, 3)), (F(7), F(7)), (LONGEST, F(16) ** 199_997), (F(0), F(0)),
    ],
    ids=data.brief,
)  # fmt: skip
def test_exact_numbers(value: Any, number: F) -> None:
    found = data.exact(value, "here")
    assert (type(found), found) == (F, number)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (5, "not an exact number as text, but 5"),
        (None, "not an exact number as text, but None"),
        (0.5, "not an exact number as text, but 0.5"),
        ("", "not an exact number as text, but ''"),
        ("1.5", "not an exact number as text, but '1.5'"),
        ("01", "not an exact number as text, but '01'"),
        ("1 ", "not an exact number as text, but '1 '"),
        ("2/4", "'2/4' is not in lowest terms"),
        ("2/1", "'2/1' is not in lowest terms"),
        ("1/0", "'1/0' is not in lowest terms"),
        ("0/1", "'0/1' is not in lowest terms"),
        ("2/0x1", "'2/0x1' is not in lowest terms"),
        ("-2/0x1", "'-2/0x1' is not in lowest terms"),
        ("0/0x1", "'0/0x1' is not in lowest terms"),
        ("0x2/0x4", "'0x2/0x4' is not in lowest terms"),
        ("0/3", "'0/3' is not in lowest terms"),
        ("-0", "'-0' is not in lowest terms"),
        ("-0/3", "'-0/3' is not in lowest terms"),
        (LONGEST + "0", "the number has 200,001 characters, but at most 200,000 are allowed"),
        (Half(1, 2), "not an exact number as text, but Half(1, 2)"),
        (fraction_of(np.int64(1), np.int64(2)), "not an exact number as text, but Fraction(1, 2)"),
        (fraction_of(1, np.int64(2)), "not an exact number as text, but Fraction(1, 2)"),
        (fraction_of(np.int64(1), 2), "not an exact number as text, but Fraction(1, 2)"),
        (fraction_of(1, 0), "not an exact number as text, but Fraction(1, 0)"),
        (fraction_of(1, -2), "not an exact number as text, but Fraction(1, -2)"),
    ],
    ids=data.brief,
)
def test_what_is_no_exact_number(value: Any, problem: str) -> None:
    with pytest.raises(Wrong) as found:
        data.exact(value, "here")
    assert str(found.value) == f"here: {problem}"


def weights(stated: Any) -> Any:
    return data.read_weights(ENTRY, 1, stated, "here")


def orders(stated: Any) -> Any:
    return data.read_orders(ENTRY, 1, stated, 3, "here")


def seat(stated: Any) -> Any:
    return data.seat(stated, "here")


def fields(stated: Any) -> Any:
    return data.fields(stated, ("k", "two?", "l"), "here")


READ: list[tuple[Callable[[Any], Any], Any, Any]] = [
    (lambda value: data.integer(value, "here"), "-7", -7),
    (seat, 1, 0),
    (seat, 2, 1),
    (fields, {"k": 0, "l": 0}, {"k": 0, "l": 0}),
    (fields, {"k": 0, "l": 0, "two": 0}, {"k": 0, "l": 0, "two": 0}),
    (lambda value: data.rows(value, (1, 2), "here"), [[3], (4, 5)], [3, 4, 5]),
    (lambda value: data.list_of(value, 2, "here"), (3, 4), (3, 4)),
    (weights, None, [1, 1]),
    (weights, [["1/2", "7"]], [F(1, 2), 7]),
    (orders, None, [1, 1]),
    (orders, [[1, 3]], [1, 3]),
    (lambda value: pairs(value, "here"), [[1, 2], (3, "x")], [(1, 2), (3, "x")]),
    (lambda value: pairs(value, "here"), (), []),
    (lambda value: ascending(value, "here", range(2, 6)), (2, 3, 5), [2, 3, 5]),
    (lambda value: multipliers(value, 4, "here"), [[1, "-5"], [3, "7"]], [0, -5, 0, 7]),
    (lambda value: multipliers(value, 2, "here"), [], [0, 0]),
]


@pytest.mark.parametrize(("read", "stated", "result"), READ)
def test_plain_data_is_read(read: Callable[[Any], Any], stated: Any, result: Any) -> None:
    assert read(stated) == result


NOT_PAIRS = "here: not a list of pairs"
ORDER = "the order of a tremble must be an integer from 1 to 3, not"


def beyond(place: int, shown: str) -> str:
    return f"here[{place}]: not a number from 2 to 5 beyond those before, but {shown}"


REFUSED: list[tuple[Callable[[Any], Any], Any, str]] = [
    (lambda value: data.integer(value, "here"), "1/2", "here: must be an integer, not 1/2"),
    *((seat, value, f"here: must be 1 or 2, not {value!r}") for value in (0, 3, -1, True, 1.0, "1", None)),
    (fields, [("k", 0)], "here: not an object with the fields k, two?, l"),
    (fields, {"k": 0}, "here.l: missing"),
    (fields, {"l": 0, "two": 0}, "here.k: missing"),
    (fields, {"k": 0, "l": 0, "two?": 0}, "here.two?: there is no such field"),
    (fields, {"x" * 70: 0}, f"here.{'x' * 60}: there is no such field"),
    (fields, {5: 0}, "here.5: there is no such field"),
    (lambda value: data.rows(value, (1, 2), "here"), [[3], [4]], "here[1]: not a list of 2"),
    (lambda value: data.rows(value, (1, 2), "here"), [[3]], "here: not a list of 2"),
    *((lambda value: data.list_of(value, 2, "here"), value, "here: not a list of 2") for value in ("ab", [1], [1] * 3)),
    (weights, [["0", "1"]], "here[0][0]: the weight of a tremble must be positive, not 0"),
    (weights, [["1", "-1/2"]], "here[0][1]: the weight of a tremble must be positive, not -1/2"),
    *((orders, [[1, value]], f"here[0][1]: {ORDER} {value!r}") for value in (0, 4, -1, True, 1.0, "1", None)),
    *(
        (lambda value: pairs(value, "here"), value, NOT_PAIRS)
        for value in (None, "", {(1, 2): 3}, ["ab"], [{1: 2, 3: 4}], [[1]], [[1, 2], [1, 2, 3]], [5])
    ),
    (lambda value: ascending(value, "here", range(2, 6)), {2: 3}, "here: not a list of numbers"),
    *(
        (lambda value: ascending(value, "here", range(2, 6)), value, beyond(len(value) - 1, repr(value[-1])))
        for value in ([1], [6], [2, 2], [3, 2], [2, 3.0], ["2"], [None])
    ),
    (lambda value: ascending(value, "here", range(6)), [True], "here[0]: not a number from 0 to 5 beyond those before, "
     "but True"),
    (lambda value: multipliers(value, 4, "here"), [[0, "1"]], "here[0]: not a number from 1 to 3 beyond those before, "
     "but 0"),
    (lambda value: multipliers(value, 4, "here"), [[4, "1"]], "here[0]: not a number from 1 to 3 beyond those before, "
     "but 4"),
    (lambda value: multipliers(value, 4, "here"), [[2, "1/2"]], "here: value at index 2: must be an integer, not 1/2"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "stated", "problem"), REFUSED)
def test_malformed_data_is_refused(read: Callable[[Any], Any], stated: Any, problem: str) -> None:
    with pytest.raises(Wrong) as found:
        read(stated)
    assert str(found.value) == problem


# -- strategies ----------------------------------------------------------------------------------------


def three_moves() -> tremble.GameTree:
    """Return a tree in which player 1 moves up to three times: with three, two and two actions."""
    builder = TreeBuilder()
    builder.decision(0, "x", ("a", "b", "c"))
    builder.leaf(0, 0)
    builder.leaf(1, 1)
    builder.decision(0, "y", ("a", "b"))
    builder.leaf(2, 2)
    builder.decision(0, "z", ("a", "b"))
    builder.leaf(3, 3)
    builder.leaf(4, 4)
    return builder.finish()


THREE = three_moves()
RIGHT = Strategy((0, 1, 2), (("a", "b", "c"), ("a", "b"), ("a", "b")), [1, 2, 3, 0, 1, 3, 2], [6, 1, 5], [False] * 3)
LENGTHS = "player 1: the strategy needs one probability for each action, and one denominator for each set"
MILLION = 10**6


def x(text: str) -> str:
    return f"player 1, information set 1 ('x'): {text}"


def y(text: str) -> str:
    return f"player 1, information set 2 ('y'): {text}"


def z(text: str) -> str:
    return f"player 1, information set 3 ('z'): {text}"


FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"player": 0}, []),
    ({"player": 1}, ["strategies[0]: this is a strategy of player 2"]),
    ({"infosets": (0, 1)}, [LENGTHS]),
    ({"actions": RIGHT.actions[:2]}, [LENGTHS]),
    ({"denominator": [6, 1]}, [LENGTHS]),
    ({"off_path": [False] * 4}, [LENGTHS]),
    ({"numerator": [1, 2, 3, 0, 1, 3]}, [LENGTHS]),
    ({"numerator": [1, 2, 3, 0, 1, 3, 2, 0]}, [LENGTHS]),
    ({"numerator": [1, 2, 3, 0, 1, 3, 2.0]}, ["player 1: a probability is not a fraction of Python integers"]),
    ({"denominator": [6, np.int64(1), 5]}, ["player 1: a probability is not a fraction of Python integers"]),
    ({"infosets": (0, 2, 1)}, ["player 1: the rows are not sorted by the number of the information set"]),
    ({"infosets": (-1, 1, 3)}, [
        "player 1, information set 0: there is no such set; the player has 3",
        "player 1, information set 4: there is no such set; the player has 3",
        x("the row is missing"), z("the row is missing"),
    ]),
    ({"infosets": (1, 1, 2)}, [y("the row is given more than once"), x("the row is missing")]),
    ({"actions": (("a", "b", "c"), ("b", "a"), ("a", "b"))}, [
        y("the actions are ('b', 'a'), but the game has ('a', 'b')")]),
    ({"denominator": [6, 0, -5]}, [y("the denominator is not positive"), z("the denominator is not positive")]),
    ({"numerator": [1, 6, -1, 0, 1, 7, -2]}, [
        x("the probability of 'c' is negative: -1/6"), z("the probability of 'b' is negative: -2/5")]),
    ({"numerator": [1, 2, 4, 1, 1, 3, 1]}, [
        x("the probabilities sum to 7/6, not 1"), y("the probabilities sum to 2, not 1"),
        z("the probabilities sum to 4/5, not 1")]),
    ({"numerator": [1, 2, 3, 1, MILLION, 1, MILLION - 1], "denominator": [6, MILLION, MILLION - 1]}, [
        y("the probabilities sum to 1000001/1000000, not 1 (off by about 1e-06)"),
        z("the probabilities sum to 1000000/999999, not 1")]),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "problems"), FAULTS)
def test_faults_of_strategies(changes: dict[str, Any], problems: list[str]) -> None:
    other = strategies_of(THREE, [[1, 1, 1], [1, 1], [1, 1]], [])[1]
    assert (
        list(data.faults(THREE, Claim("nash", "certified", (replace(RIGHT, **changes), other), None, {}))) == problems
    )
    both = replace(RIGHT, **changes), replace(other, player=0)
    assert list(data.faults(THREE, Claim("nash", "certified", both, None, {}))) == [
        *problems, "strategies[1]: this is a strategy of player 1",
    ]  # fmt: skip


# -- paths ---------------------------------------------------------------------------------------------


def long_path(length: int, label: str) -> tremble.GameTree:
    builder = TreeBuilder()
    for k in range(length):
        builder.decision(0, k, (f"{label}{k}", "stop"))
    builder.leaf(0, 0)
    for _ in range(length):
        builder.leaf(0, 0)
    return builder.finish()


def test_paths_lead_to_their_nodes_only() -> None:
    paths, nodes = Paths(ENTRY), range(len(ENTRY.parent))
    labels = [(), ("out",), ("enter",), ("enter", "accommodate"), ("enter", "fight")]
    for path in (*labels, ("fight",), ("out", "fight"), ("", "enter"), ("enter", "fight", "", "enter"), ("enter", "x")):
        assert [paths.leads_to(path, node) for node in nodes] == [path == label for label in labels], path


def test_names_of_paths_are_short() -> None:
    tree, node = long_path(12, "x"), 0
    for length in range(13):
        start, steps = "... / " if length > 10 else "", [f"x{k}" for k in range(length)]
        assert Paths(tree).name(node) == repr(start + " / ".join(steps[-10:]))
        node = next((n for n in range(len(tree.parent)) if tree.parent[n] == node and tree.action[n] == 0), -1)
    assert Paths(long_path(1, "y" * 70)).name(1) == repr("y" * 60)


# -- the greatest loss ---------------------------------------------------------------------------------


def test_the_first_of_the_greatest_losses_is_found_and_paid_for() -> None:
    """Player 1 loses the same at two sets, less at a third, and nothing elsewhere."""
    builder = TreeBuilder()
    builder.chance(("1", "2", "3", "4"), [F(1, 4)] * 4)
    for k, loss in enumerate((1, 4, 4, 0)):
        builder.decision(0, str(k), ("good", "bad"))
        builder.leaf(9, 0)
        builder.decision(1, str(k), ("up", "down"))
        builder.leaf(9 - loss, 1)
        builder.leaf(9 - loss, 0)
    tree = builder.finish()
    rows = strategies_of(tree, [[1, 1], [1, 1], [1, 1], [1, 0]], [[0, 1]] * 4)
    limits = Limits(10**6, 10**6)
    _, outcome = check.outcome_of(tree, Claim("nash", "certified", rows, None, {}))
    form = sequence_form(tree, limits)
    limits = Limits(10**6, 10**6)
    found = worst_deviation(form, outcome, 0, limits)
    assert found == check.Deviation(1, 4, 3, F(1, 2), F(1, 2))
    longest = max(number.bit_length() for (number,) in outcome[0].worth)
    assert longest < DIGIT
    assert 10**6 - limits.steps == steps_of(2, longest) * 8 == 8
    found = worst_deviation(form, outcome, 1, limits)
    assert found == check.Deviation(0, 2, 1, F(1), F(1, 8))
    best = strategies_of(tree, [[1, 0]] * 4, [[1, 0]] * 4)
    _, outcome = check.outcome_of(tree, Claim("nash", "certified", best, None, {}))
    assert worst_deviation(form, outcome, 0, limits) is worst_deviation(form, outcome, 1, limits) is None
    claim = Claim("nash", "certified", rows, None, {})
    case = Case(tree, claim, form, outcome, Limits(inf, inf))
    case.add(1, 2, "a problem", "values")
    case.add(0, 0, f"another, {case.action(0, 1, 4)}")
    case.compare("there", F(1), F(1))
    case.compare("here", F(1), F(2))
    assert case.problems.listed() == (
        "values: player 2, information set 3 ('2'): a problem",
        "player 1, information set 1 ('0'): another, 'bad'",
        "here: stated as 1, but it is 2 (off by about 1)",
    )
