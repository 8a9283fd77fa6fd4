"""The kernel's proof of perfect equilibria by a basis: true certificates pass, right numbers of wrong bases do not."""

from __future__ import annotations

import itertools
import random
import sys
from collections import Counter
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent))

import exact_bases as exact

import tremble
from hostile_games import hostile_game
from second_opinions import moves
from tremble import GameTree, TreeBuilder
from tremble.check import Claim, Limits, Strategy, Verdict, check
from tremble.check.basis.elimination import Elimination, random_prime
from tremble.check.basis.regular import order_of_determinant, order_of_pole
from tremble.check.basis.signs import check_limits, check_signs, losses
from tremble.check.basis.system import Square
from tremble.check.basis.zeros import _solve as solve
from tremble.check.basis.zeros import check_zeros


def verdict(tree: GameTree, solution: Any, limits: Limits | None = None) -> Verdict:
    strategies = [
        Strategy(t.infosets, t.actions, t.numerator.tolist(), t.denominator.tolist(), t.off_path.tolist())
        for t in solution.tables
    ]
    claim = Claim(
        solution.concept,
        str(solution.status.value),
        (strategies[0], strategies[1]),
        solution.values,
        solution.certificate,
        solution.bounds,
        digest=solution.game.digest,
    )
    return check(tree, claim, limits)


def problems(tree: GameTree, solution: Any) -> str:
    found = verdict(tree, solution)
    assert found.ok == (not found.problems)
    assert (found.proven == "perfect") == found.ok
    return " | ".join(found.problems)


def changed(solution: Any, value: Any, *keys: Any) -> Any:
    return exact.tampered(solution, exact.put(value, *keys))


@cache
def stable(name: str, extra: int | None = None) -> tuple[exact.Functions, Any]:
    tree = exact.clumsy() if name == "clumsy" else tremble.load(name)
    found = next(exact.stable_bases(exact.Program(tree), random.Random(1)))
    return found, exact.stated(found, None, extra)


# -- honest numbers: only the concept may be wrong ------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 5, 9, 11, 27])
def test_exactly_the_stable_bases_pass(seed: int) -> None:
    """Everything that is stated about a basis is true; it is optimal for all small values, or not."""
    drawn = exact.draw(seed)
    assert drawn is not None
    program, every, weights, rng = drawn
    tree, seen = program.tree, Counter[str]()
    reference = exact.stated(next(exact.stable_bases(program, rng)), weights)
    for high in every[:15]:
        found = exact.functions(program, high)
        if found is None or not found.has_limits:
            assert problems(tree, changed(reference, [list(side) for side in high], "basis"))
        elif not found.stable:
            assert problems(tree, exact.spoilt(found, reference))
            seen["not stable"] += 1
        else:
            for extra in (None, 0, 1):
                assert problems(tree, exact.stated(found, weights, extra)) == ""
            assert all(problems(tree, false) for false in exact.false_zeros(found, weights))
            seen["stable"] += 1
    assert seen["stable"]


def test_a_basis_that_is_optimal_for_a_tenth_only() -> None:
    """The plans for 1/10 are an equilibrium; for small values another basis is optimal."""
    true, solution = stable("clumsy")
    tree = true.program.tree
    found = exact.functions(true.program, ((1, 3), ()))
    assert found is not None
    _, plans, short = true.program.at(found.high, F(1, 10))
    assert min(map(min, short)) >= 0
    (u, s), (v, t) = (exact.integers([plan]) for plan in plans)
    point = {"value": "1/10", "X": u[0], "Y": v[0], "denominator": [s, t]}
    assert problems(tree, changed(solution, point, "epsilon")) == ""
    assert "earns more than the actions in the basis" in problems(
        tree, changed(exact.spoilt(found, solution), point, "epsilon")
    )


def test_classes() -> None:
    """Of bases of classes, exactly the stable ones pass, with one system or with two."""
    seen = Counter[str]()
    for seed in (9, 13, 22, 27, 35):
        merged = exact.merged_program(seed)
        assert merged is not None
        program, weights, every, _ = merged
        tree = program.tree
        candidates = [(high, exact.functions(program, high)) for high in every[:6]]
        good = next((f for _, f in candidates if f is not None and f.stable), None)
        if good is None:
            continue
        reference = program.stated(good, weights)
        for _, functions in candidates:
            if functions is None or not functions.has_limits:
                continue
            if not functions.stable:
                assert problems(tree, exact.spoilt(functions, reference))
                seen["not stable"] += 1
                continue
            for extra in (None, 0):
                true = program.stated(functions, weights, extra)
                assert problems(tree, true) == ""
                assert problems(tree, exact.tampered(true, two_systems)) == ""
            seen["zeros"] += 0 in functions.signs().values()
            for false in exact.false_zeros(functions, weights):
                assert problems(tree, changed(false, [list(side) for side in program.partition], "classes"))
                seen["false zeros"] += 1
    assert len(+seen) == 3, seen


def two_systems(certificate: dict[str, Any]) -> None:
    system = {name: certificate.pop(name) for name in ("pivots", "row_operations")}
    certificate["systems"] = [system, system]


# -- classes that are not equitable ---------------------------------------------------------------------


def nearly_alike(off: int, *, fair: bool = True) -> GameTree:
    """Two moves of each player that are alike, but for the payoffs of one leaf."""
    builder = TreeBuilder(title="nearly alike")
    builder.decision(0, "one", ("a", "b"))
    for i in range(2):
        builder.decision(1, "two", ("c", "d"))
        for j in range(2):
            u = off if i == j == 0 else 0
            builder.leaf(u, -u if fair else 0)
    return builder.finish()


def all_alike() -> Any:
    """A solution of the game in which nothing matters, with all moves of a player in a class."""
    program = exact.Merged(nearly_alike(0), ([0, 1, 1], [0, 1, 1]))
    found = next(f for high in program.bases() if (f := exact.functions(program, high)) and f.stable)
    return program.stated(found)


def test_payoffs_of_a_class_must_be_alike() -> None:
    solution = all_alike()
    assert problems(nearly_alike(0), solution) == ""
    for fair in (True, False):
        tree = nearly_alike(1, fair=fair)
        wrong = exact.tampered(solution, two_systems)
        other = exact.replace(wrong, game=exact.GameReference.of(tree))
        values = tremble.expected_values(tree, other.strategies)
        other = exact.replace(other, values=values, bounds=(values[0], values[0]) if fair else None)
        assert "certificate.classes: row" in problems(tree, other)


def test_trembles_of_a_class_must_be_alike() -> None:
    tree = nearly_alike(0)
    solution = all_alike()
    for field, different in (("trembles", [[["1", "2"]], [["1", "1"]]]), ("orders", [[[1, 2]], [[1, 1]]])):
        for systems in (False, True):
            wrong = changed(solution, different, field)
            assert "certificate.classes: row" in problems(
                tree, exact.tampered(wrong, two_systems) if systems else wrong
            )
    wrong = changed(solution, [[["1", "1"]], [["1", "2"]]], "trembles")
    assert "certificate.classes: column" in problems(tree, wrong)


def test_members_of_a_class_are_played_alike() -> None:
    tree = nearly_alike(0)
    solution = all_alike()
    x = [list(row) for row in solution.certificate["X"]]
    x[0][1], x[0][2] = str(int(x[0][1]) + 1), str(int(x[0][2]) - 1)
    assert "are alike (certificate.classes), but played differently" in problems(tree, changed(solution, x, "X"))
    assert "are alike, but only one is in the basis" in problems(tree, changed(solution, [[1], [1, 2]], "basis"))


def test_columns_count_where_one_system_determines_both_plans() -> None:
    """Rows are equitable, columns are not: two sequences of player 1 are alike, but only one is followed by a move."""
    builder = TreeBuilder(title="now or later")
    builder.decision(0, "now", ("a", "b"))
    builder.leaf(0, 0)
    builder.decision(0, "later", ("c", "d"))
    builder.leaf(0, 0)
    builder.leaf(0, 0)
    tree = builder.finish()
    solution = tremble.solve(tree, "perfect")
    for classes in ([0, 1, 2, 1, 2], [0, 1, 1, 1, 1]):
        basis = [[q for q, c in enumerate(classes) if c == 1], []]
        wrong = changed(changed(solution, [classes, [0]], "classes"), basis, "basis")
        assert "certificate.classes: " in problems(tree, wrong)


# -- every part is checked ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["safe_or_risky", "clumsy", "guess_the_ace:gift=true"])
def test_every_number(name: str) -> None:
    found, solution = stable(name)
    tree = found.program.tree
    assert problems(tree, solution) == ""
    places = [(n, d, q) for n in "XY" for d, row in enumerate(solution.certificate[n]) for q in range(len(row))]
    places += [("epsilon", n, q) for n in "XY" for q in range(len(solution.certificate["epsilon"][n]))]  # type: ignore[misc]
    for first, second, q in places:
        old = int(solution.certificate[first][second][q])
        for new in (old + 1, old - 1, 2 * old + 10**40):
            assert problems(tree, changed(solution, str(new), first, second, q))
    for field in (("denominator",), ("epsilon", "denominator")):
        for player in (0, 1):
            assert problems(tree, changed(solution, "977", *field, player))
    assert problems(tree, changed(solution, "1/3", "epsilon", "value"))


def test_plans_that_are_plans_and_no_more() -> None:
    """Weight that is shifted between two actions of a set, in the series or for one value of epsilon."""
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ""
    for player, name in enumerate("XY"):
        for _, _, (one, two) in moves(tree, player):
            for keys in [(name, d) for d in range(len(solution.certificate[name]))] + [("epsilon", name)]:
                row = solution.certificate[keys[0]][keys[1]]
                wrong = changed(solution, str(int(row[one]) + 1), *keys, one)
                assert problems(tree, changed(wrong, str(int(row[two]) - 1), *keys, two))


def test_zeros_are_listed_and_nothing_else() -> None:
    tree = tremble.load("kuhn:cards=4")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ""
    said = set()
    for kind, player in itertools.product(("weights", "regrets"), (0, 1)):
        listed = solution.certificate["zeros"][kind][player]
        for q in range(1, 1 + tree.num_slots[player]):
            found = problems(tree, changed(solution, sorted(set(listed) ^ {q}), "zeros", kind, player))
            said.add(next(text for text in ("not 0 at order", "the basis, but") if text in found))
    assert len(said) == 2
    tied = exact.functions(exact.Program(nearly_alike(0)), ((1,), (1,)))
    assert tied is not None
    solution = exact.stated(tied)
    assert solution.certificate["zeros"] == {"weights": [[], []], "regrets": [[2], [2]]}
    assert problems(nearly_alike(0), solution) == ""
    for left in ([[2], []], [[], [2]]):
        assert "undecided sign up to order" in problems(nearly_alike(0), changed(solution, left, "zeros", "regrets"))


def test_strategies_are_the_limits() -> None:
    """Every profile is an equilibrium of a game in which nothing matters; the plans tend to only one."""
    solution, tree = all_alike(), nearly_alike(0)
    pure = tuple(
        exact.replace(s, off_path=s.off_path & False)
        for s in (exact.BehaviorStrategy.from_rows(tree, player, [[1, 0]]) for player in (0, 1))
    )
    assert "the limit of the probability of" in problems(tree, exact.replace(solution, strategies=pure))


def test_how_many_orders_prove_a_zero() -> None:
    """Beyond the bound on the degree, coefficients prove it; up to there, a random point does."""
    tied = exact.functions(exact.Program(nearly_alike(0)), ((1,), (1,)))
    builder = TreeBuilder(title="three moves, one player")
    builder.decision(0, "one", "abc")
    for _ in range(3):
        builder.leaf(0, 0)
    lonely = exact.functions(exact.Program(builder.finish()), ((1,), ()))
    # Rows with e: of each tight sequence, and of the move before one of player 2. Columns likewise; one order more.
    for found, degree in ((tied, 3), (lonely, 2)):
        assert found is not None
        tree, solution = found.program.tree, exact.stated(found)
        for orders in range(1, 6):
            short = solution
            for name in "XY":
                series = solution.certificate[name]
                rows = [*series, *[["0"] * len(series[0])] * 6][: orders + 1]
                short = changed(short, rows, name)
            assert (problems(tree, short) == "") == (orders >= degree)
            drawn = changed(short, {"claims": [exact.CLAIM], "k": 60}, "probabilistic")
            assert problems(tree, drawn) == ""


def test_orders_that_a_pole_takes() -> None:
    """The determinant vanishes at 0, so the last coefficient that is stated need not be true."""
    tree = hostile_game("plain", 46, most=60)
    solved = tremble.solve(tree, "perfect", "lp", merge=False)
    high: Any = tuple(tuple(side) for side in solved.certificate["basis"])
    (operation,) = solved.certificate["row_operations"]
    assert problems(tree, solved) == ""
    found = exact.functions(exact.Program(tree), high)
    assert found is not None
    assert found.order == 1
    for extra in (None, 0, 1):
        assert problems(tree, exact.stated(found, None, extra)) == ""
    short = exact.stated(found, None, 0)
    assert problems(tree, changed(short, [operation], "row_operations")) == ""
    assert "another combination contains this row" in problems(tree, changed(short, [operation] * 2, "row_operations"))
    for left in range(1, len(short.certificate["X"])):
        assert problems(tree, exact.tampered(short, lambda c, n=left: c.update({x: c[x][:n] for x in "XY"})))  # type: ignore[misc]
    assert short.certificate["zeros"]["weights"][1]
    for kind in ("weights", "regrets"):
        for player in (0, 1):
            assert (
                problems(tree, changed(short, [], "zeros", kind, player))
                or not short.certificate["zeros"][kind][player]
            )
    assert "not proven with certainty" in problems(tree, changed(short, None, "probabilistic"))
    assert all(problems(tree, false) for false in exact.false_zeros(found))


def captured(tree: GameTree, solution: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """Return what the check of zeros receives."""
    calls: list[tuple[Any, ...]] = []
    with monkeypatch.context() as patch:
        patch.setattr("tremble.check.basis.check_zeros", lambda *arguments: calls.append(arguments))
        assert problems(tree, solution) == ""
    return calls[0]


def test_each_list_of_zeros_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros of the plan of a player, and of the losses of the other, are known up to the same order."""
    tree = hostile_game("plain", 46, most=60)
    solved = tremble.solve(tree, "perfect", "lp", merge=False)
    _, basis, squares, helps, _ = captured(tree, solved, monkeypatch)
    nothing: tuple[set[int], set[int]] = set(), set()
    for player, q in itertools.product((0, 1), range(1, 5)):
        one = (set(), {q}) if player else ({q}, set())
        for field, known_by in (("zero_weights", player), ("zero_regrets", 1 - player)):
            listed = exact.replace(
                basis, **{"zero_weights": nothing, "zero_regrets": nothing, field: one}, certainty=None
            )
            for unsure in (0, 1):
                case: Any = empty_case()
                check_zeros(case, listed, squares, helps, [0 if i == unsure else 10**6 for i in (0, 1)])
                assert bool(case.problems) == (unsure == known_by)
            slack = basis.slack[player][q]
            if slack == (field == "zero_weights") and q not in getattr(basis, field)[player]:
                case, *_ = captured(tree, solved, monkeypatch)
                check_zeros(case, exact.replace(listed, certainty=60), squares, helps, [0, 0])
                assert "as a random point shows" in case.problems[0]


def test_later_trembles_lower_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever goes wins 2, but loses 22 more by a tremble of order k."""
    found, solution = stable("clumsy")
    case, basis, *_ = captured(found.program.tree, solution, monkeypatch)
    for k, expected in ((1, (1, -21, -21)), (2, (1, 1, -21)), (3, (1, 1, 1))):
        fake = exact.replace(basis, series=(basis.series[0], [[1], [1], [1]]), order=([0, 1, 1, 1, k], [0]))
        lost = losses(case, fake, 0)
        assert lost[4] == (22, 22, 22)
        assert lost[1] == expected


def test_only_true_coefficients_tell_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coefficients beyond the known order are ignored: of plans, of losses, of limits."""
    found, solution = stable("guess_the_ace:gift=true")
    case, basis, *_ = captured(found.program.tree, solution, monkeypatch)
    most = len(basis.series[0]) - 1
    said: set[tuple[str, bool]] = set()
    for player in (0, 1):
        lost = losses(case, basis, player)
        for known in itertools.product((-1, most), repeat=2):
            case.problems.clear()
            check_signs(case, basis, player, lost, known)
            undecided = "undecided" in str(case.problems)
            slack = {q for q in range(1, len(lost)) if basis.slack[player][q]} - basis.zero_weights[player]
            tight = {q for q in range(1, len(lost)) if not basis.slack[player][q]} - basis.zero_regrets[player]
            assert undecided == bool((slack and known[0] < 0) or (tight and known[1] < 0))
        for known in (0, most):
            case.problems.clear()
            check_limits(case, basis, player, known)
            said.add(("the plan never leads here" in str(case.problems), known == 0))
    assert (True, False) not in said
    assert (True, True) in said


def test_each_system_has_its_pole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses of a player are known as far as the plan of the other, which the same system determines."""
    tree, calls = tremble.load("battle_outside"), []
    solution = tremble.solve(tree, "perfect")
    most = min(len(solution.certificate[name]) for name in "XY") - 1
    with monkeypatch.context() as patch:
        poles = iter((0, 1))
        patch.setattr("tremble.check.basis.order_of_pole", lambda *_: next(poles))
        patch.setattr(
            "tremble.check.basis.check_signs", lambda _, __, player, ___, known: calls.append((player, known))
        )
        patch.setattr("tremble.check.basis.check_limits", lambda *_: None)
        patch.setattr("tremble.check.basis.check_zeros", lambda *_: None)
        verdict(tree, solution)
    assert calls == [(0, (most, most - 1)), (1, (most - 1, most))]


@pytest.mark.parametrize("seed", [13, 14, 22, 25, 27])
def test_solutions_at_points(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modulo a prime, the plans and losses of a system are those of the fractions, whatever is alike."""
    merged = exact.merged_program(seed)
    assert merged is not None
    program, weights, every, _ = merged
    found = next(f for high in every if (f := exact.functions(program, high)) and f.stable)
    solution, prime = program.stated(found, weights), 2**61 - 1
    for stated in (solution, exact.tampered(solution, two_systems)):
        case, basis, squares, helps, _ = captured(program.tree, stated, monkeypatch)
        whole = 1 if weights is None else basis.weight[0][1] / weights[0][0][0]
        _, plans, short = program.at(found.high, F(12345) * whole)
        expected = [[v.numerator * pow(v.denominator, -1, prime) % prime for v in side] for side in (*plans, *short)]
        seen = set()
        for square, stated_help in zip(squares, helps, strict=True):
            values = solve(case, square, stated_help, 12345, prime)
            assert values is not None
            for player, plan in values.plan.items():
                assert plan == expected[player]
                seen.add(("plan", player))
            for player, lost in values.lost.items():
                true = expected[2 + player]
                q = next((q for q, value in enumerate(true) if value), 0)
                assert all((a * true[q] - b * lost[q]) % prime == 0 for a, b in zip(lost, true, strict=True))
                assert [bool(a) for a in lost] == [bool(b) for b in true]
                seen.add(("lost", player))
        assert len(seen) == 4


def test_false_zeros_at_random_points() -> None:
    """A plan cut after few orders, with everything that looks like zero listed as zero."""
    said = set()
    for seed in range(60):
        if (drawn := exact.draw(seed)) is not None:
            program, _, weights, rng = drawn
            found = next(exact.stable_bases(program, rng), None)
            for false in () if found is None else exact.false_zeros(found, weights):
                wrong = problems(program.tree, false)
                assert wrong
                texts = "as a random point shows", "not proven with certainty", "never leads here"
                said |= {text for text in texts if text in wrong}
        if len(said) == 3:
            return
    raise AssertionError(said)


@pytest.mark.parametrize(
    ("value", "keys", "words"),
    [
        (None, ("basis",), "certificate.basis: must be a list of two"),
        ([[2, 1], [1]], ("basis",), "certificate.basis[0][1]: not a number from 1 to 2 beyond those before, but 1"),
        ([[3], [1]], ("basis",), "certificate.basis[0][0]: not a number from 1 to 2"),
        ([[0], [1]], ("basis",), "certificate.basis[0][0]: not a number from 1 to 2"),
        ([[True], [1]], ("basis",), "certificate.basis[0][0]: not a number from 1 to 2"),
        ([[], [1]], ("basis",), "must name an action of this set"),
        ([[1, 2], [1]], ("basis",), "the system is not square"),
        ([], ("X",), "certificate.X: must be a list"),
        ([["1", "1"]], ("X",), "certificate.X[0]: not a list of 3"),
        ("1/2", ("Y", 1, 1), "certificate.Y[1][1]: must be an integer, not 1/2"),
        (1.0, ("Y", 1, 1), "certificate.Y[1][1]: not an exact number"),
        ([], ("Y", 1, 1), "certificate.Y[1][1]: not an exact number"),
        ("0", ("denominator", 0), "certificate.denominator[0]: must be positive"),
        ("0", ("epsilon", "value"), "certificate.epsilon.value: must be positive"),
        ("0.1", ("epsilon", "value"), "certificate.epsilon.value: not an exact number"),
        ("-1", ("epsilon", "denominator", 1), "certificate.epsilon.denominator[1]: must be positive"),
        (None, ("zeros", "weights"), "certificate.zeros.weights: must be a list of two"),
        (60, ("probabilistic",), "certificate.probabilistic: not an object"),
        ({"claims": [], "k": 60}, ("probabilistic",), "certificate.probabilistic.claims"),
        ({"claims": [exact.CLAIM], "k": 59}, ("probabilistic",), "certificate.probabilistic.k"),
        ({"claims": [exact.CLAIM], "k": 201}, ("probabilistic",), "certificate.probabilistic.k"),
        ({"claims": [exact.CLAIM], "k": True}, ("probabilistic",), "certificate.probabilistic.k"),
        ([[["1", "0"]], [["1", "1"]]], ("trembles",), "[0][0][1]: the weight of a tremble must be positive, not 0"),
        (["any", "any"], ("trembles",), "certificate.trembles"),
        ([[[1, 0]], [[1, 1]]], ("orders",), "certificate.orders[0][0][1]: the order of a tremble must be"),
        ([[[1, 1001]], [[1, 1]]], ("orders",), "certificate.orders[0][0][1]: the order of a tremble must be"),
        ([[[1, True]], [[1, 1]]], ("orders",), "certificate.orders[0][0][1]: the order of a tremble must be"),
        ([], ("pivots",), "certificate.pivots: not a list of 6"),
        ([[0, 0]] * 6, ("pivots",), "must name each row of the system once"),
        ([[0, 0], [1, 99]] * 3, ("pivots",), "must name each row of the system once"),
        ([[r, 0] for r in (0, 1, 3, 4, 5, 6)], ("pivots",), "certificate.pivots: must name each"),
        ([[0, 0], [1, True]] * 3, ("pivots",), "must be pairs of a row and a column"),
        (None, ("row_operations",), "certificate.row_operations: not a list"),
        ([{"row": 0, "combination": [[99, "1"]]}], ("row_operations",), "must name rows of the system"),
        ([{"row": 0, "combination": [[0, "1"], [0, "1"]]}], ("row_operations",), "must name rows of the system"),
        ([{"row": 0, "combination": [[0, "0"]]}], ("row_operations",), "combination[0][1]: the factor must not be 0"),
        ([{"row": 1, "combination": [[0, "1"]]}], ("row_operations",), "must be one of the rows"),
        ([{"row": 0, "combination": [[0, "1"]]}] * 2, ("row_operations",), "another combination contains this row"),
        ([{"row": 0, "combination": [[0, "1"]]}], ("row_operations",), "does not vanish at e = 0"),
        ([[1, 1, 2], [0, 1, 2]], ("classes",), "certificate.classes[0][0]: must number classes"),
        ([[0, 1, 3], [0, 1, 2]], ("classes",), "certificate.classes[0][2]: must number classes"),
        ([[0, 1, 0], [0, 1, 2]], ("classes",), "certificate.classes[0][2]: must number classes"),
        ([[0, 1], [0, 1, 2]], ("classes",), "certificate.classes[0]"),
        (1, ("more",), "certificate.more: "),
    ],
)  # fmt: skip
def test_malformed_certificates(value: Any, keys: tuple[Any, ...], words: str) -> None:
    found, solution = stable("guess_the_ace")
    assert problems(found.program.tree, solution) == ""
    assert words in problems(found.program.tree, changed(solution, value, *keys))


def test_fields_that_are_missing() -> None:
    found, solution = stable("guess_the_ace")
    for name in solution.certificate:
        wrong = exact.tampered(solution, lambda certificate, name=name: certificate.pop(name))  # type: ignore[misc]
        assert f"certificate.{name}" in problems(found.program.tree, wrong)


def test_general_sums_need_two_systems() -> None:
    tree = tremble.load("battle_outside")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ""

    def one_system(certificate: dict[str, Any]) -> None:
        certificate.update(certificate.pop("systems")[0])

    assert "certificate.systems: missing" in problems(tree, exact.tampered(solution, one_system))
    for i in (0, 1):
        wrong = [{"row": 0, "combination": [[0, "1"]]}]
        assert f"certificate.systems[{i}].row_operations[0]" in problems(
            tree, changed(solution, wrong, "systems", i, "row_operations")
        )


def test_weights_and_orders_of_trembles() -> None:
    """Weights may be fractions; a higher order is a rarer tremble. Other trembles have other plans."""
    for spec, extra in itertools.product(("clumsy", "guess_the_ace:gift=true"), (None, 0)):
        tree = exact.clumsy() if spec == "clumsy" else tremble.load(spec)
        weights = [
            [[F(len(row) + j, 1 + 2 * k) for j in range(len(row))] for k, row in enumerate(side)]
            for side in tree.actions
        ]
        found = next(exact.stable_bases(exact.Program(tree, weights), random.Random(1)))
        solution = exact.stated(found, weights)
        assert problems(tree, solution) == ""
        assert problems(tree, changed(solution, None, "trembles"))
        twos = [[[2] * len(row) for row in side] for side in tree.actions]
        assert problems(tree, changed(solution, twos, "orders"))
        # The same trembles in another infinitesimal, whose square is the old one.
        solution = exact.stated(found, weights, extra)
        squared = changed(solution, twos, "orders")
        for name in "XY":
            rows = [row for row in solution.certificate[name] for row in (row, ["0"] * len(row))][:-1]
            squared = changed(squared, rows, name)
        _, plans, _ = found.program.at(found.high, F(1, 10**8))
        (u, s), (v, r) = (exact.integers([plan]) for plan in plans)
        squared = changed(squared, {"value": "1/10000", "X": u[0], "Y": v[0], "denominator": [s, r]}, "epsilon")
        assert problems(tree, squared) == ""
        assert "certificate.epsilon" in problems(tree, changed(squared, "1/10001", "epsilon", "value"))


# -- elimination ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "lost"), [(1, 0), (3, 0), (3, 1), (8, 0), (8, 2), (25, 0), (25, 1)])
def test_elimination(n: int, lost: int) -> None:
    rng = random.Random(f"{n} {lost}")
    for _ in range(10):
        prime = random_prime(rng.choice((30, 90)), 60)
        left = [[rng.choice((0, 0, 1, -1, 2)) for _ in range(n - lost)] for _ in range(n)]
        right = [[rng.choice((0, 0, 1, -1, 3)) for _ in range(n)] for _ in range(n - lost)]
        matrix = [[sum(a * b for a, b in zip(row, c, strict=True)) for c in zip(*right, strict=True)] for row in left]
        rank, stated = rng.sample(range(n), n), rng.sample(range(n), n)
        eliminated = Elimination(rank, prime, Limits.for_game(1), "here")
        kept: list[list[int]] = []
        for row, column in zip(matrix, stated, strict=True):
            factors = eliminated.add({j: value for j, value in enumerate(row) if value}, column)
            if factors is None:
                kept.append(row)
            else:
                for j in range(n):
                    assert (row[j] - sum(f * kept[i][j] for i, f in factors.items())) % prime == 0
        assert len(kept) <= n - lost
        if len(kept) == n:
            b = [rng.randrange(prime) for _ in range(n)]
            x, y = eliminated.solve(b), eliminated.solve_transposed(b)
            for i in range(n):
                assert (sum(v * z for v, z in zip(matrix[i], x, strict=True)) - b[i]) % prime == 0
                assert (sum(row[i] * z for row, z in zip(matrix, y, strict=True)) - b[i]) % prime == 0


Entry = tuple[int, int, int, int]  # row, column, value, power


def square(n: int, entries: list[Entry]) -> Square:
    constant: Any = [{} for _ in range(n)]
    trembling: Any = [{} for _ in range(n)]
    for i, j, value, power in entries:
        if power:
            trembling[i][power, j] = value
        else:
            constant[i][j] = value
    return Square((0, 1), True, (1, 0, 1, 0), constant, trembling, {}, {}, [], [])


def empty_case() -> Any:
    from types import SimpleNamespace

    from tremble.check.claim import Problems

    return SimpleNamespace(limits=Limits.for_game(1), problems=Problems())


@pytest.mark.parametrize(
    ("entries", "null_vectors", "pole"),
    [
        ([(0, 0, 1, 1), (1, 1, 1, 1)], [], 2),
        ([(0, 0, 1, 1), (1, 1, 1, 1)], [{0: 1}], 2),
        ([(0, 0, 1, 1), (1, 1, 1, 1)], [{0: 1}, {1: -3}], 1),
        ([(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 1, 1)], [], 2),
        ([(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 1, 1)], [{1: 5}], 2),
        ([(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 1, 1)], [{0: 1}, {1: 1}], None),
        ([(0, 0, 3, 0), (1, 1, 1, 0)], [], 0),
        ([(0, 0, 1, 3), (1, 1, 1, 0)], [], 3),
        ([(0, 0, 1, 2), (1, 1, 1, 1)], [{0: 1}, {1: 1}], 2),
        ([(0, 0, 3, 0), (0, 1, 1, 0), (1, 0, 6, 0), (1, 1, 2, 0)], [], None),
        ([(0, 0, 3, 0), (0, 1, 1, 0), (1, 0, 6, 0), (1, 1, 2, 1)], [], 0),
    ],
)
def test_order_of_the_pole(entries: list[Entry], null_vectors: list[dict[int, int]], pole: int | None) -> None:
    """Bounded by the determinant and by how many rows vanish at 0: e and e share two orders, e^2 has both."""
    from tremble.check.basis.certificate import Help

    for pivots in (None, [(0, 0), (1, 1)], [(1, 0), (0, 1)]):
        for known in range(4):
            case: Any = empty_case()
            found = order_of_pole(case, square(2, entries), Help(pivots, list(null_vectors)), known, "certificate")
            assert found == (pole if pole is not None and known >= pole else None)
            assert (found is None) == bool(case.problems)


@pytest.mark.parametrize("seed", range(12))
def test_order_of_determinants(seed: int) -> None:
    """Of matrices of polynomials, whose determinant is interpolated."""
    rng = random.Random(seed)
    n, degree = rng.randint(1, 4), rng.randint(1, 3)
    entries = [
        (i, j, rng.choice((1, -1, 2)), rng.randint(0, degree)) for i in range(n) for j in range(n) if rng.random() < 0.7
    ]
    points = [F(k) for k in range(1, n * degree + 2)]
    values = []
    for e in points:
        matrix = [[F(0)] * n for _ in range(n)]
        for i, j, value, power in entries:
            matrix[i][j] += value * e**power
        values.append(exact.eliminate(matrix, [F(0)] * n)[0])
    true = exact.first(exact.interpolate(points, values))
    for _ in range(3):
        pivots = list(zip(rng.sample(range(n), n), rng.sample(range(n), n), strict=True))
        for most in range(n * degree + 1):
            found = order_of_determinant(empty_case(), square(n, entries), pivots, most, "here")
            assert found == (true if true is not None and true <= most else None)


def test_fill_in_is_limited() -> None:
    """An arrow whose tip is eliminated first becomes dense."""
    n = 300
    rows = [{j: 1 + (i == j) * 1008 for j in {0, i}} if i else dict.fromkeys(range(n), 1) for i in range(n)]

    def eliminate(order: list[int]) -> None:
        eliminated = Elimination(order, 2**31 - 1, Limits(10**7, 10**8), "here")
        for i in order:
            assert eliminated.add(dict(rows[i]), i) is None

    eliminate(list(range(n))[::-1])
    with pytest.raises(Exception, match="here: too large to check"):
        eliminate(list(range(n)))


def test_random_primes() -> None:
    small = {random_prime(5, 60) for _ in range(200)}
    assert small == {37, 41, 43, 47, 53, 59, 61}
    assert all(2**90 < random_prime(90, 60) < 2**91 for _ in range(5))


# -- large games ----------------------------------------------------------------------------------------


def test_an_order_of_elimination_is_a_hint() -> None:
    """Leduc hold'em needs one; any one proves the same."""
    tree = tremble.load("leduc:raises=1,ranks=4")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ""
    pivots = solution.certificate["pivots"]
    assert len(pivots) > 300
    assert "need an order of elimination" in problems(tree, changed(solution, None, "pivots"))
    rows, columns = zip(*pivots, strict=True)
    turned = [list(pair) for pair in zip(rows, columns[1:] + columns[:1], strict=True)]
    assert problems(tree, changed(solution, turned, "pivots")) == ""


def test_where_the_kernel_has_no_proof_by_basis(monkeypatch: pytest.MonkeyPatch) -> None:
    found, solution = stable("guess_the_ace")
    monkeypatch.setitem(sys.modules, "tremble.check.basis", None)
    assert "is not installed" in problems(found.program.tree, solution)
