"""The functions of the folder `basis`, one by one, with numbers made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from types import SimpleNamespace
from typing import Any

import exact_bases as exact
import pytest

import tremble
from tremble import GameTree, TreeBuilder
from tremble.check import Limits
from tremble.check import basis as proof
from tremble.check.basis import certificate, elimination, signs, system, zeros
from tremble.check.basis.certificate import Basis, Classes, Help, Point
from tremble.check.basis.elimination import Elimination, random_prime
from tremble.check.basis.point import check_point
from tremble.check.basis.regular import elimination_order, order_of_determinant, order_of_pole
from tremble.check.basis.system import Square, square_system
from tremble.check.best_response import Outcome
from tremble.check.case import Case
from tremble.check.claim import Problems, Wrong
from tremble.check.tree import sequence_form

CLUMSY = exact.clumsy()  # sequences of player 1: stay, go, right, wrong


def case_of(tree: GameTree, claim: Any = None) -> Case:
    limits = Limits.for_game(tree.num_nodes)
    return Case(tree, claim, sequence_form(tree, limits), Outcome(None), limits)


def basis_of(tree: GameTree, slack: tuple[set[int], set[int]], series: Any, point: Point | None = None) -> Basis:
    """Return a basis of trembles with weight 1 and order 1, without classes and zeros."""
    form = case_of(tree).form
    counts = [form.sequences[player].count for player in (0, 1)]
    sets1, sets2 = (list(range(len(form.sequences[player].sets))) for player in (0, 1))
    one, two = ([int(q > 0) for q in range(count)] for count in counts)
    return Basis(
        slack=tuple([q in side for q in range(count)] for side, count in zip(slack, counts, strict=True)),  # type: ignore[arg-type]
        series=series,
        denominator=(1, 1),
        weight=(one, two),
        order=(one, two),
        zero_weights=(set(), set()),
        zero_regrets=(set(), set()),
        certainty=None,
        point=point or Point(F(1), ([], []), (1, 1)),
        classes=Classes(False, (list(range(counts[0])), list(range(counts[1]))), (sets1, sets2)),
        systems=[("certificate", None)],
    )


def go_and_be_right() -> Basis:
    """Return the basis of the clumsy player that goes: x = 1, e, 1 - e, (1 - e)^2, e (1 - e)."""
    plan = [[1, 0, 1, 1, 0], [0, 1, -1, -2, 1], [0, 0, 0, 1, -1]]
    point = Point(F(1, 100), ([10_000, 100, 9_900, 9_801, 99], [1]), (10_000, 1))
    return basis_of(CLUMSY, ({2, 3}, set()), (plan, [[1], [0], [0]]), point)


def with_series(basis: Basis, changes: Mapping[tuple[int, int], int]) -> Basis:
    """Change coefficients of player 1, by order and sequence."""
    rows = [list(row) for row in basis.series[0]]
    for (d, q), value in changes.items():
        rows[d][q] = value
    return replace(basis, series=(rows, basis.series[1]))


FIRST, SECOND = "player 1, information set 1 ('go?')", "player 1, information set 2 ('careful')"
WEIGHTS, REGRETS = "certificate.zeros.weights[0]", "certificate.zeros.regrets[0]"


# -- point -------------------------------------------------------------------------------------------------


def problems_at_point(tree: GameTree, basis: Basis) -> tuple[str, ...]:
    case = case_of(tree)
    check_point(case, basis, 0)
    return tuple(case.problems)


def test_plans_at_a_point() -> None:
    basis = go_and_be_right()

    def at(plan: list[int], denominator: int = 10_000) -> tuple[str, ...]:
        point = replace(basis.point, plan=(plan, [1]), denominator=(denominator, 1))
        return problems_at_point(CLUMSY, replace(basis, point=point))

    where = "certificate.epsilon.X"
    assert at([10_000, 100, 9_900, 9_801, 99]) == ()
    assert at([10_000, 100, 9_900, 9_801, 99], 9_999) == (
        f"{where}: the empty sequence is not played with probability 1",
    )
    assert at([10_000, 100, 9_900, 9_802, 99]) == (f"{SECOND}: {where}: the actions do not sum to the move before",)
    assert at([10_000, 100, 9_900, 9_802, 98]) == (f"{SECOND}: {where}: 'wrong' is played too little",)
    assert at([10_000, 101, 9_899, 9_800, 99]) == (
        f"{SECOND}: {where}: 'wrong' is played more than it must be, but 'right' earns more",
        f"{FIRST}: {where}: 'stay' is played more than it must be, but 'go' earns more",
    )


def choice(*payoffs: int) -> GameTree:
    """Player 1 takes a payoff, and the payoffs sum to 0."""
    builder = TreeBuilder(title="choice")
    builder.decision(0, "take", [f"{k}" for k in range(len(payoffs))])
    for payoff in payoffs:
        builder.leaf(payoff, -payoff)
    return builder.finish()


def test_the_least_excess_at_a_point() -> None:
    """3 of 8 exceeds a third of 8 by the least amount, 1 over 24. The least weight of order 2 is exactly a ninth."""
    tree = choice(1, 0)
    basis = basis_of(tree, ({1}, set()), ([[1, 1, 0]], [[1]]), Point(F(1, 3), ([8, 5, 3], [1]), (8, 1)))
    (problem,) = problems_at_point(tree, basis)
    assert problem.endswith("'1' is played more than it must be, but '0' earns more")
    exactly = replace(basis, point=Point(F(1, 3), ([9, 8, 1], [1]), (9, 1)), order=([0, 1, 2], [0]))
    assert problems_at_point(tree, exactly) == ()


# -- signs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "denominator", "found"),
    [
        ({}, 1, []),
        ({}, 2, ["certificate.X: the empty sequence is not played with probability 1"]),
        ({(2, 0): 1, (2, 2): 1, (2, 3): 2}, 1, ["certificate.X: the empty sequence is not played with probability 1"]),
        (
            {(2, 2): 5, (2, 3): 6},
            1,
            [f"{FIRST}: at order e^2 the actions do not sum to the move before in certificate.X"],
        ),
        (
            {(1, 1): 2, (1, 2): -2, (1, 3): -3, (2, 3): 2, (2, 4): -2},
            1,
            [f"{FIRST}: 'stay' is outside the basis, but its weight is not its least weight in certificate.X"],
        ),
    ],
)
def test_series_are_plans(changes: dict[tuple[int, int], int], denominator: int, found: list[str]) -> None:
    case = case_of(CLUMSY)
    signs.check_plan(case, replace(with_series(go_and_be_right(), changes), denominator=(denominator, 1)), 0)
    assert list(case.problems) == found


def test_alike_sequences_have_equal_series() -> None:
    case, basis = case_of(CLUMSY), go_and_be_right()
    signs.check_plan(case, replace(basis, classes=Classes(True, ([0, 1, 2, 2, 4], [0]), ([0, 1], []))), 0)
    assert list(case.problems) == [
        "certificate.X: sequences 2 and 3 are alike (certificate.classes), but played differently"
    ]


def test_actions_in_the_basis_earn_the_same() -> None:
    case, basis = case_of(CLUMSY), go_and_be_right()
    assert signs.losses(case, basis, 0) == [(0,) * 3, (1, -22, 0), (0,) * 3, (0,) * 3, (22, 0, 0)]
    assert not case.problems
    signs.losses(case, basis_of(CLUMSY, ({2, 3, 4}, set()), basis.series), 0)
    assert list(case.problems) == [
        f"{SECOND}: 'wrong' is in the basis, but does not earn the same as another action in the basis"
    ]


@pytest.mark.parametrize(
    ("known", "lost", "fields", "found"),
    [
        ((2, 2), {}, {}, []),
        ((0, 0), {}, {}, []),
        (
            (-1, 0),
            {},
            {},
            [
                f"{FIRST}: 'go' has an undecided sign up to order e^-1, and {WEIGHTS} does not list it",
                f"{SECOND}: 'right' has an undecided sign up to order e^-1, and {WEIGHTS} does not list it",
            ],
        ),
        (
            (2, 1),
            {4: (0, 0, 5)},
            {},
            [f"{SECOND}: 'wrong' has an undecided sign up to order e^1, and {REGRETS} does not list it"],
        ),
        ((2, 2), {4: (0, 0, 5)}, {}, []),
        ((2, 1), {4: (0, 0, 5)}, {"zero_regrets": {4}}, []),
        (
            (2, 2),
            {4: (0, 0, 5)},
            {"zero_regrets": {4}},
            [f"{SECOND}: 'wrong' is listed in {REGRETS}, but it is not 0 at order e^2"],
        ),
        ((2, 2), {4: (0, -1, 5)}, {}, [f"{SECOND}: 'wrong' earns more than the actions in the basis, at order e^1"]),
        (
            (2, 2),
            {},
            {"zero_weights": {3}},
            [f"{SECOND}: 'right' is listed in {WEIGHTS}, but it is not 0 at order e^0"],
        ),
        ((2, 2), {}, {"zero_weights": {1}}, [f"{FIRST}: 'stay' is outside the basis, but {WEIGHTS} lists it"]),
        ((2, 2), {}, {"zero_regrets": {2}}, [f"{FIRST}: 'go' is in the basis, but {REGRETS} lists it"]),
    ],
)
def test_signs_of_known_coefficients(
    known: tuple[int, int], lost: dict[int, Any], fields: dict[str, set[int]], found: list[str]
) -> None:
    case, basis = case_of(CLUMSY), go_and_be_right()
    losses = [lost.get(q, loss) for q, loss in enumerate(signs.losses(case, basis, 0))]
    changes: Any = {name: (side, set()) for name, side in fields.items()}
    signs.check_signs(case, replace(basis, **changes), 0, losses, known)
    assert list(case.problems) == found


def forked() -> GameTree:
    """Nothing matters. Sequences of player 1: a, b; then c, d after a; then e, f after b."""
    builder = TreeBuilder(title="forked")
    builder.decision(0, "fork", "ab")
    for name, labels in (("left", "cd"), ("right", "ef")):
        builder.decision(0, name, labels)
        builder.leaf(0, 0)
        builder.leaf(0, 0)
    return builder.finish()


@pytest.mark.parametrize(
    ("known", "rows", "found"),
    [
        (2, [0, 1, 1, 0, 1, 2], []),
        (1, [0, 1, 1, 0, 1, 2], []),
        (
            0,
            [0, 1, 1, 0, 2, 1],
            [
                "player 1, information set 2 ('left'): up to order e^0, the plan never leads here",
                "player 1, information set 3 ('right'): the limit of the probability of 'e' is stated as 2/3, but it "
                "is 1/3 (off by about 0.333333)",
                "player 1, information set 3 ('right'): the limit of the probability of 'f' is stated as 1/3, but it "
                "is 2/3 (off by about 0.333333)",
            ],
        ),
        (
            1,
            [0, 1, 0, 1, 1, 2],
            [
                "player 1, information set 2 ('left'): the limit of the probability of 'c' is stated as 0, but it is 1 "
                "(off by about 1)",
                "player 1, information set 2 ('left'): the limit of the probability of 'd' is stated as 1, but it is 0 "
                "(off by about 1)",
            ],
        ),
    ],
)
def test_limits_of_series(known: int, rows: list[int], found: list[str]) -> None:
    """The weight of a is e, and that of its action d is e^2."""
    tree = forked()
    series = [[3, 0, 3, 0, 0, 1, 2], [0, 3, -3, 3, 0, -1, -2], [0, 0, 0, -3, 3, 0, 0]]
    strategy = SimpleNamespace(numerator=rows, denominator=[1, 1, 3])
    case = case_of(tree, SimpleNamespace(strategies=(strategy,)))
    signs.check_limits(case, basis_of(tree, ({2, 3, 5, 6}, set()), (series, [[1]] * 3)), 0, known)
    assert list(case.problems) == found


# -- zeros -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", range(1, 5))
@pytest.mark.parametrize("bits", range(1, 5))
@pytest.mark.parametrize(("weight", "size"), [(1, 1), (3, 1), (1, 4)])
def test_how_long_the_prime_is(degree: int, bits: int, weight: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The probability of an error, (D + k + 2 (B + h)) / 2^b, is at most 2^-(certainty + 1), and b is no longer."""
    drawn: list[tuple[int, int]] = []

    def draw(length: int, certainty: int) -> int:
        drawn.append((length, certainty))
        return 101

    monkeypatch.setattr(zeros, "random_prime", draw)
    square: Any = SimpleNamespace(degree=degree, bits=bits, class_sizes=lambda: [1, size])
    basis = replace(
        basis_of(choice(0, 0), ({1}, set()), ([[1, 1, 0]], [[1]])),
        weight=([0, weight, 1], [0]),
        zero_weights=({1}, set()),
        certainty=60,
    )
    monkeypatch.setattr(zeros, "_solve", lambda *_: zeros._Values({}, {}))
    zeros.check_zeros(case_of(choice(0, 0)), basis, [square], [Help(None, [])], [0, 0])
    ((length, certainty),) = drawn
    h = (weight * size).bit_length() + 1
    errors = degree + 1 + 2 * (bits + h)
    assert certainty == 61
    assert 2 ** (length - 61 - 1) <= errors < 2 ** (length - 61)


def solved(players: tuple[int, int], *, single: bool) -> Any:
    """Solve the only basis of the game in which both players have one action."""
    tree = tremble.matrix_game([[1]])
    basis = basis_of(tree, ({1}, {1}), ([[1, 1]], [[1, 1]]))
    case = case_of(tree)
    square = square_system(case, basis, players, single)
    return zeros._solve(case, square, Help(None, []), 5, 101)


def test_a_system_determines_one_plan_and_one_side_of_losses_or_both() -> None:
    assert solved((0, 1), single=True) == zeros._Values({0: [1, 1], 1: [1, 1]}, {0: [0, 0], 1: [0, 0]})
    assert solved((0, 1), single=False) == zeros._Values({0: [1, 1]}, {1: [0, 0]})
    assert solved((1, 0), single=False) == zeros._Values({1: [1, 1]}, {0: [0, 0]})


@pytest.mark.parametrize(
    ("plan", "lost", "false"),
    [
        ({0: [3, 75, 0]}, {}, ()),  # 5 * 5 * 3
        ({0: [3, 75 - 101, 0]}, {}, ()),
        ({0: [3, 74, 0]}, {}, ("'0'",)),
        ({}, {0: [0, 1, 0]}, ("'0'",)),
        ({}, {0: [0, 0, 0]}, ()),
        ({0: [3, 75, 0]}, {0: [0, 1, 0]}, ("'0'",)),
        ({1: [1]}, {0: [0, 0, 1]}, ()),
    ],
)
def test_values_at_a_point_modulo_a_prime(plan: Any, lost: Any, false: tuple[str, ...]) -> None:
    tree = choice(0, 0)
    basis = replace(
        basis_of(tree, ({1}, set()), ([[1, 1, 0]], [[1]])),
        weight=([0, 5, 1], [0]),
        zero_weights=({1}, set()),
        zero_regrets=({1}, set()),
    )
    case = case_of(tree)
    zeros._check_values(case, basis, zeros._Values(plan, lost), 5, 101)
    assert len(case.problems) == len(false)
    for problem, action in zip(case.problems, false, strict=True):
        assert f": {action} is listed in certificate.zeros, but" in problem


# -- regular systems ------------------------------------------------------------------------------------------

Rows = list[dict[int, int]]
Trembling = list[dict[tuple[int, int], int]]


def square_of(constant: Rows, trembling: Trembling) -> Square:
    return Square((0, 1), True, (1, 0, 1, 0), constant, trembling, {}, {}, [], [])


def bare_case() -> Any:
    return SimpleNamespace(limits=Limits.for_game(1), problems=Problems())


def test_a_combination_of_rows_that_vanishes() -> None:
    square = square_of([{0: 2, 1: 4}, {0: 1, 1: 2}], [{}, {(1, 1): 1}])
    for vector, pole in (({0: 1, 1: -2}, 1), ({0: 1, 1: 2}, None), ({0: 1, 1: -1}, None)):
        case = bare_case()
        assert order_of_pole(case, square, Help(None, [vector]), 5, "here") == pole
        assert bool(case.problems) == (pole is None)


def test_combinations_are_subtracted_from_the_whole_row() -> None:
    """[[1, e], [1, e + e^2]] has the determinant e^2."""
    square = square_of([{0: 1}, {0: 1}], [{(1, 1): 1}, {(1, 1): 1, (2, 1): 1}])
    assert order_of_determinant(bare_case(), square, None, 5, "here") == 2


def test_a_row_keeps_no_entries_of_lower_powers(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its division by e, the first row of [[e, 0], [1, e]] costs the same as that of [[1, 0], [1, e]]."""
    paid: list[int] = []
    monkeypatch.setattr(Elimination, "pay", lambda _, products, entries=0: paid.append(products))

    def order_and_cost(constant: dict[int, int], trembling: dict[tuple[int, int], int]) -> tuple[int | None, int]:
        paid.clear()
        square = square_of([constant, {0: 1}], [trembling, {(1, 1): 1}])
        return order_of_determinant(bare_case(), square, [(0, 0), (1, 1)], 5, "here"), sum(paid)

    order, cost = order_and_cost({0: 1}, {})
    assert order == 1
    assert order_and_cost({}, {(1, 0): 1}) == (2, cost)


def test_an_order_of_elimination_that_is_stated_is_used() -> None:
    square = square_of([{0: 1}, {0: 1, 1: 1, 2: 1}, {0: 1, 1: 1}], [{}, {}, {}])
    order, column, rank = elimination_order(square, [(2, 1), (0, 0), (1, 2)])
    assert (order, column) == ([2, 0, 1], [1, 0, 2])
    assert sorted(range(3), key=rank.__getitem__) == [1, 0, 2]
    order, column, rank = elimination_order(square, None)
    assert (order, column) == ([0, 2, 1], [None] * 3)
    assert sorted(range(3), key=rank.__getitem__) == [0, 1, 2]


# -- the whole proof -------------------------------------------------------------------------------------------


def proven(monkeypatch: pytest.MonkeyPatch, poles: list[int], fault: bool) -> list[Any]:
    """Return the calls of checks with the orders that they trust. Player 1 has 4 coefficients, player 2 has 6."""
    calls: list[Any] = []
    systems: Any = [("one", None), ("two", None)][: len(poles)]
    basis = SimpleNamespace(systems=systems, series=([None] * 4, [None] * 6))
    results = iter(poles)

    def signs_of(case: Any, _: Any, player: int, __: Any, known: tuple[int, int]) -> None:
        calls.append(("signs", player, known))
        if fault:
            case.problems.add("a fault")

    def pole(_: Any, __: Any, ___: Any, most: int, where: str) -> int:
        calls.append(("pole", most, where))
        return next(results)

    def system_of(_: Any, __: Any, players: tuple[int, int], single: bool) -> Any:
        return SimpleNamespace(players=players, place_of_row={}, place_of_column={})

    for name, made in (
        ("read_basis", lambda _: basis),
        ("check_point", lambda *_: None),
        ("check_plan", lambda *_: None),
        ("losses", lambda *_: None),
        ("square_system", system_of),
        ("read_help", lambda *_: None),
        ("order_of_pole", pole),
        ("check_signs", signs_of),
        ("check_limits", lambda _, __, player, known: calls.append(("limits", player, known))),
        ("check_zeros", lambda _, __, ___, ____, known: calls.append(("zeros", known))),
    ):
        monkeypatch.setattr(proof, name, made)
    proof.prove_by_basis(bare_case())
    return calls


def test_the_orders_that_each_check_trusts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proven(monkeypatch, [2], fault=False) == [
        ("pole", 3, "one"),
        ("signs", 0, (1, 3)),
        ("limits", 0, 1),
        ("signs", 1, (3, 1)),
        ("limits", 1, 3),
        ("zeros", [1, 3]),
    ]
    assert proven(monkeypatch, [2, 0], fault=False) == [
        ("pole", 3, "one"),
        ("pole", 3, "two"),
        ("signs", 0, (1, 5)),
        ("limits", 0, 1),
        ("signs", 1, (5, 1)),
        ("limits", 1, 5),
        ("zeros", [1, 5]),
    ]


def test_zeros_are_checked_only_if_everything_else_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [name for name, *_ in proven(monkeypatch, [0], fault=True)] == ["pole", *(("signs", "limits") * 2)]


def test_problems_that_are_only_counted_are_found() -> None:
    case = bare_case()
    case.problems.add(*map(str, range(Problems.MOST)))
    before = proof._found(case)
    case.problems.add("one more")
    assert proof._found(case) == before + 1


# -- the system ------------------------------------------------------------------------------------------------


def test_bounds_on_the_determinant() -> None:
    """One row has two columns with e, or two rows have one: the determinant has at most one factor e."""
    assert square_of([{}, {}], [{(1, 0): 1, (1, 1): 1}, {}]).degree == 1
    assert square_of([{}, {}], [{(1, 0): 1}, {(1, 0): 1}]).degree == 1
    assert square_of([{}, {}], [{(1, 0): 1, (3, 0): 1}, {(2, 1): 1}]).degree == 5
    assert square_of([{0: 3}, {1: -4}], [{}, {(1, 0): 2}]).bits == 3 + 3  # 1 + 3 and 1 + 6


def payoffs_in(tree: GameTree, players: tuple[int, int], *, single: bool) -> dict[tuple[int, int], int]:
    """Return the entries of the system that are payoffs: those at rows and columns of two moves."""
    case = case_of(tree)
    square = square_system(case, basis_of(tree, ({1, 2}, {1, 2}), None), players, single)
    (s1, j1, s2, _), entries = square.sizes, {}
    for q, r in product(range(1, s1), range(1, s2)):
        row, column = square.place_of_row[j1 + s1 + r], square.place_of_column[q]
        entries[q, r] = square.constant[row][column]
    return entries


def test_payoffs_have_no_common_divisor_and_their_sign() -> None:
    one, two = [[2, 4], [6, 8]], [[-3, -6], [-9, -12]]
    assert payoffs_in(tremble.matrix_game(one), (0, 1), single=True) == {
        (1, 1): -1, (1, 2): -2, (2, 1): -3, (2, 2): -4,
    }  # fmt: skip
    tree = tremble.matrix_game(one, two)
    assert payoffs_in(tree, (0, 1), single=False) == {(1, 1): -1, (1, 2): -2, (2, 1): -3, (2, 2): -4}
    assert payoffs_in(tree, (1, 0), single=False) == {(1, 1): 1, (1, 2): 3, (2, 1): 2, (2, 2): 4}


def test_entries_that_are_missing_are_0() -> None:
    assert system._same({1: 0}, {})
    assert not system._same({1: 1}, {})
    assert not system._same({}, {1: 1})


# -- elimination -----------------------------------------------------------------------------------------------


def test_factors_name_only_rows_that_are_used() -> None:
    """The third row is the first one. After its subtraction, the entry in the second column is 0."""
    eliminated = Elimination([0, 0], 101, Limits.for_game(1), "here")
    assert eliminated.add({0: 1, 1: 1}, 0) is None
    assert eliminated.add({1: 1}, 1) is None
    assert eliminated.add({0: 1, 1: 1}, None) == {0: 1}


def test_products_and_entries_are_paid_in_portions() -> None:
    limits = Limits(10.0**9, 10.0**9)
    eliminated = Elimination([], 101, limits, "here")
    eliminated.pay(4_000, 1_000)
    eliminated.pay(4_000, 1_000)
    assert (limits.steps, limits.bits) == (10**9, 10**9)
    eliminated.pay(1, 0)
    assert (limits.steps, limits.bits) == (10**9 - 150 * 8_001, 10**9 - 1_000 * 2_000)
    eliminated.pay(10_000)
    assert limits.steps == 10**9 - 150 * 8_001


@pytest.mark.parametrize(("bits", "certainty", "rounds"), [(100, 100, 54), (8, 60, 33), (5, 61, 33), (70, 1, 5)])
def test_rounds_and_bases_of_the_primality_test(
    bits: int, certainty: int, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error b / 4^r is at most 2^-certainty. Bases are drawn from 2 to n - 2."""
    bases: list[int] = []
    assert bits * 2**certainty <= 4**rounds <= 8 * bits * 2**certainty

    def passes(_: int, base: int) -> bool:
        bases.append(base)
        return True

    monkeypatch.setattr(elimination, "_passes", passes)
    for draw, expected in ((lambda end: 0, lambda _: 2), (lambda end: end - 1, lambda n: n - 2)):
        bases.clear()
        monkeypatch.setattr(elimination, "randbelow", draw)
        n = random_prime(bits, certainty)
        assert bases == [expected(n)] * rounds
        assert 2**bits < n < 2 ** (bits + 1)


def test_a_round_of_the_primality_test() -> None:
    """By the definition: for n - 1 = 2^s d with odd d, base^d is 1, or base^(2^r d) is -1 for an r < s."""
    for n in (*range(5, 200, 2), 561, 1105):
        s = next(s for s in range(20) if (n - 1) % 2 ** (s + 1))
        for base in range(2, n - 1):
            powers = [pow(base, (n - 1) // 2**s * 2**r, n) for r in range(s)]
            assert elimination._passes(n, base) == (powers[0] == 1 or n - 1 in powers)


# -- plain data ------------------------------------------------------------------------------------------------


def test_systems_of_300_rows_need_no_order() -> None:
    few, many = ({k: k for k in range(size)} for size in (300, 301))
    assert certificate._read_pivots(None, few, few, "here") is None
    with pytest.raises(Wrong, match="here: null, but systems of more than 300 rows need an order"):
        certificate._read_pivots(None, many, many, "here")


def test_pivots_are_places() -> None:
    assert certificate._read_pivots([[9, 4], [7, 5]], {7: 0, 9: 1}, {4: 0, 5: 1}, "here") == [(1, 0), (0, 1)]


def test_help_has_no_other_fields() -> None:
    empty: dict[str, Any] = {"pivots": None, "row_operations": []}
    assert certificate.read_help("here", empty, {0: 0}, {0: 0}, Limits.for_game(1)) == Help(None, [])
    for names in (("pivots", "row_operations", "more"), ("pivots",), ("row_operations",)):
        stated = {name: empty.get(name) for name in names}
        with pytest.raises(Wrong):
            certificate.read_help("here", stated, {0: 0}, {0: 0}, Limits.for_game(1))


def test_series_are_lists() -> None:
    case = case_of(choice(0, 0))
    wrong: tuple[Any, ...] = (5, None, {"0": ["1", "1", "0"]})
    for stated in wrong:
        with pytest.raises(Wrong, match=r"certificate\.X: must be a list that contains a list for each degree"):
            certificate._read_series(case, 0, stated, 1)


def test_coefficients_for_the_unit_1_cost_nothing() -> None:
    case = case_of(choice(0, 0))
    before, long = replace(case.limits), 3**1000
    assert certificate._read_series(case, 0, [[hex(long)] * 3] * 2, 1) == [[long] * 3] * 2
    assert (case.limits.steps, case.limits.bits) == (before.steps, before.bits)
    assert certificate._read_series(case, 0, [[hex(long)] * 3] * 2, 2) == [[long] * 3, [2 * long] * 3]
    assert case.limits.steps < before.steps


def test_trembles_in_the_unit_of_their_common_denominator() -> None:
    case = case_of(choice(0, 0))
    assert certificate._read_trembles(case, None, None) == (([0, 1, 1], [0]), ([0, 1, 1], [0]), 1)
    stated = [[["1/2", "2/3"]], []], [[[1, 2]], []]
    assert certificate._read_trembles(case, *stated) == (([0, 3, 24], [0]), ([0, 1, 2], [0]), 6)


def test_powers_of_a_long_denominator_are_paid_for_in_bits() -> None:
    """Of the common denominator, and then of the power and of the product with the weight, for each of two weights."""
    case = case_of(choice(0, 0))
    before, (length, other) = case.limits.bits, (635, 2)
    weights = [[[f"1/{hex(2**634 + 1)}", "1"]], []]
    certificate._read_trembles(case, weights, None)
    products = (length + length + 1) + (length + other)
    assert before - case.limits.bits == 3 * (length + 1) + 2 * (length - 1) + products


def test_claims_of_random_points() -> None:
    (words,) = certificate.CLAIMS
    assert certificate._read_certainty({"claims": [words], "k": 60}) == 60
    assert certificate._read_certainty({"claims": (words,), "k": 200}) == 200
    for claims in ({words: 1}, words, 5, [words, words]):
        with pytest.raises(Wrong, match=r"certificate\.probabilistic\.claims: must be"):
            certificate._read_certainty({"claims": claims, "k": 60})


@pytest.mark.parametrize(
    ("row", "pairs", "words"),
    [
        (True, [[1, "2"]], "here[0].row: must be one of the rows in this combination"),
        (1.0, [[1, "2"]], "here[0].row: must be one of the rows in this combination"),
        (1, [[True, "2"]], "here[0].combination: must name rows of the system, each at most once"),
        (1, [[1.0, "2"]], "here[0].combination: must name rows of the system, each at most once"),
        (1, [[[1], "2"]], "here[0].combination: must name rows of the system, each at most once"),
    ],
)
def test_numbers_of_rows_are_integers(row: Any, pairs: Any, words: str) -> None:
    with pytest.raises(Wrong) as error:
        certificate._read_null_vectors([{"row": row, "combination": pairs}], {1: 0}, "here", Limits.for_game(1))
    assert str(error.value) == words
