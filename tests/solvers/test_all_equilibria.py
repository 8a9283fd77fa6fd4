"""All extreme equilibria against Gambit and the literature, maximal subsets and uniqueness against brute force."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from gambit import Gambit, extreme_equilibria
from hostile_games import forgetful_game
from tremble import FormatError, GameTree, LimitReached
from tremble.errors import SpecError
from tremble.exact.double_description import Cone
from tremble.formats.nfg import format_nfg
from tremble.game.pure_plans import pure_plans
from tremble.game.sequence_form import SequenceForm
from tremble.results import Equilibria
from tremble.run.clock import Clock
from tremble.solvers import uniqueness
from tremble.solvers.enumerate import components, maximal_bicliques
from tremble.solvers.method import Run
from tremble.solvers.zero_sum import solve_nash

Rows = tuple[Fraction, ...]


def never() -> None:
    """A clock that never rings."""


def profiles(found: Equilibria) -> set[tuple[Rows, Rows]]:
    return {(tuple(one.row(0)), tuple(two.row(0))) for one, two in (solution.strategies for solution in found)}


def by_gambit(tree: GameTree, gambit: Gambit) -> set[tuple[Rows, ...]]:
    found = gambit.ask(extreme_equilibria, format_nfg(tree))
    return {tuple(tuple(map(Fraction, row)) for row in profile) for profile in found}


def a_bimatrix_game(seed: int) -> GameTree:
    """Small, and often degenerate: few different payoffs, repeated strategies, all payoffs equal, wide ones."""
    rng = random.Random(seed)
    m, n = rng.randint(2, 5), rng.randint(2, 5)
    most = (2, 2, 1, 0, 9, 10**6)[seed % 6]  # Gambit 16.7 misses equilibria with payoffs of 10**12
    A, B = ([[rng.randint(0, most) for _ in range(n)] for _ in range(m)] for _ in (0, 1))
    if seed % 4 == 0:
        A[0], B[0] = A[-1][:], B[-1][:]
    if seed % 7 == 0:
        A, B = ([[*row, row[0]] for row in matrix] for matrix in (A, B))
    if seed % 5 == 0:
        A = [[Fraction(value, 7) for value in row] for row in A]
    return tremble.matrix_game(A, B)


def in_agreement(tree: GameTree, gambit: Gambit) -> Equilibria:
    found = tremble.all_equilibria(tree)
    assert profiles(found) == by_gambit(tree, gambit)
    assert len(profiles(found)) == len(found)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_the_same_as_gambit(seed: int, gambit: Gambit) -> None:
    tree = a_bimatrix_game(seed)
    pure = {profile for profile in profiles(in_agreement(tree, gambit)) if set(sum(profile, ())) <= {0, 1}}
    assert profiles(tremble.all_equilibria(tree, pure=True)) == pure


@pytest.mark.slow
@pytest.mark.peers
@pytest.mark.parametrize("seed", range(60, 400))
def test_the_same_as_gambit_in_many_games(seed: int) -> None:
    found = in_agreement(a_bimatrix_game(seed), Gambit(live=True))
    assert found.maximal_subsets is not None
    assert set(found.maximal_subsets) == by_force(found.pairs or ())


@pytest.mark.parametrize("seed", range(12))
def test_payoffs_beyond_64_bits(seed: int) -> None:
    """What a player earns may be multiplied, and anything added for what the other does: the equilibria stay."""
    rng = random.Random(seed)
    m, n = rng.randint(2, 5), rng.randint(2, 5)
    A, B = ([[rng.randint(0, (2, 99)[seed % 2]) for _ in range(n)] for _ in range(m)] for _ in (0, 1))
    of_column, of_row = ([rng.randint(-(10**40), 10**40) for _ in range(size)] for size in (n, m))
    scale = Fraction(10**25 + 7, 3)
    wide_A = [[scale * A[i][j] + of_column[j] for j in range(n)] for i in range(m)]
    wide_B = [[scale * B[i][j] + of_row[i] for j in range(n)] for i in range(m)]
    found, wide = (tremble.all_equilibria(tremble.matrix_game(*pair)) for pair in ((A, B), (wide_A, wide_B)))
    assert profiles(found) == profiles(wide)
    assert (found.pairs, found.maximal_subsets) == (wide.pairs, wide.maximal_subsets)


# -- what the literature knows -------------------------------------------------------------------------

VON_STENGEL = [
    [9504, -660, 19976, -20526, 1776, -8976],
    [-111771, 31680, -130944, 168124, -8514, 52764],
    [397584, -113850, 451176, -586476, 29216, -178761],
    [171204, -45936, 208626, -263076, 14124, -84436],
    [1303104, -453420, 1227336, -1718376, 72336, -461736],
    [737154, -227040, 774576, -1039236, 48081, -300036],
]


def test_a_six_by_six_game_with_75_equilibria() -> None:
    """B. von Stengel: New maximal numbers of equilibria in bimatrix games, Discrete Comput. Geom. 21, 1999."""
    swapped = [4, 5, 2, 3, 0, 1]
    A = np.array(VON_STENGEL)
    found = tremble.all_equilibria(tremble.matrix_game(A, A[swapped][:, swapped].T))
    assert len(found) == len(found.components or ()) == 75


@pytest.mark.parametrize("n", range(1, 6))
def test_coordination(n: int) -> None:
    """Every set of strategies is the support of an equilibrium, and all are isolated."""
    found = tremble.all_equilibria(tremble.matrix_game(np.eye(n, dtype=int), np.eye(n, dtype=int)))
    assert len(found) == len(found.components or ()) == 2**n - 1


def test_a_three_by_two_game() -> None:
    """B. von Stengel: Computing equilibria for two-person games, Handbook of Game Theory 3, 2002; and degenerate."""
    third = Fraction(1, 3)
    A = [[3, 3], [2, 5], [0, 6]]
    last = ((0, third, 2 * third), (third, 2 * third))
    found = tremble.all_equilibria(tremble.matrix_game(A, [[3, 2], [2, 6], [3, 1]]))
    one, two = (Fraction(4, 5), Fraction(1, 5), 0), (2 * third, third)
    assert profiles(found) == {((1, 0, 0), (1, 0)), (one, two), last}
    found = tremble.all_equilibria(tremble.matrix_game(A, [[3, 3], [2, 6], [3, 1]]))
    assert profiles(found) == {((1, 0, 0), (1, 0)), ((1, 0, 0), (2 * third, third)), last}
    assert (found.pairs, found.components) == (((0, 0), (0, 1), (1, 2)), ((0, 1), (2,)))
    assert found.maximal_subsets == (((0,), (0, 1)), ((1,), (2,)))


def test_payoffs_that_are_all_equal() -> None:
    found = tremble.all_equilibria(tremble.matrix_game([[1] * 3] * 2, [[5] * 3] * 2))
    assert found.maximal_subsets == (((0, 1), (0, 1, 2)),)
    assert (len(found), len(found.components or ()), found.unique) == (6, 1, False)


def test_dominance_leaves_one() -> None:
    found = tremble.all_equilibria(tremble.matrix_game([[3, 0], [5, 1]], [[3, 5], [0, 1]]))
    assert profiles(found) == {((0, 1), (0, 1))}
    assert found.unique
    assert found.solutions[0].values == (1, 1)


# -- extensive games -----------------------------------------------------------------------------------


def test_chance_and_several_information_sets() -> None:
    kuhn = tremble.all_equilibria(tremble.load("kuhn"))
    assert [solution.strategies[0].probability(0, "bet") for solution in kuhn] == [0, Fraction(1, 3)]
    assert kuhn.maximal_subsets == (((0, 1), (0,)),)
    assert {solution.values for solution in kuhn} == {(Fraction(-1, 18), Fraction(1, 18))}


def test_one_shot_games_with_chance_are_their_expected_matrices() -> None:
    rng = random.Random(5)
    tables = [[[(rng.randint(0, 3), rng.randint(0, 3)) for _ in range(3)] for _ in range(3)] for _ in (0, 1)]
    share = [Fraction(1, 3), Fraction(2, 3)]
    builder = tremble.TreeBuilder()
    builder.chance(("a", "b"), share)
    for table in tables:
        builder.decision(0, "one", "123")
        for row in table:
            builder.decision(1, "two", "123")
            for pair in row:
                builder.leaf(*pair)
    A, B = (
        [[sum(p * table[i][j][k] for p, table in zip(share, tables, strict=True)) for j in range(3)] for i in range(3)]
        for k in (0, 1)
    )
    expected = tremble.all_equilibria(tremble.matrix_game(A, B))
    assert profiles(tremble.all_equilibria(builder.finish())) == profiles(expected)


def small_tree(seed: int, *, constant_sum: bool) -> GameTree:
    """Player 1 moves, chance deals, player 2 sees a part, player 1 moves again at some of its ends."""
    rng = random.Random(seed)
    builder = tremble.TreeBuilder()

    def end() -> None:
        one = rng.randint(0, 3)
        builder.leaf(one, 3 - one if constant_sum else rng.randint(0, 3))

    builder.decision(0, "first", "ab")
    for a in range(2):
        builder.chance("xy", (Fraction(1, 2), Fraction(1, 2)))
        for x in range(2):
            builder.decision(1, (a * (seed % 2), x), "lr")
            end()
            builder.decision(0, ("again", a), "cd")
            end()
            end()
    return builder.finish()


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(12))
def test_plans_of_the_equilibria_of_the_reduced_strategic_form(seed: int) -> None:
    """Each extreme equilibrium in plans is that of one in mixtures; each of those lies in a maximal subset of plans."""
    linprog = pytest.importorskip("scipy.optimize").linprog
    tree = small_tree(seed, constant_sum=seed % 3 == 0)
    form = SequenceForm.of(tree)
    pure = [pure_plans(form, i, 1000).astype(int) for i in (0, 1)]
    tables = [np.zeros(form.num_sequences, dtype=int) for _ in (0, 1)]
    other = -form.payoff if form.payoff2 is None else form.payoff2
    for table, payoff in zip(tables, (form.payoff, other), strict=True):
        table[form.row, form.column] = payoff
    mixed = tremble.all_equilibria(tremble.matrix_game(*(pure[0] @ table @ pure[1].T for table in tables)))
    images = {
        tuple(tuple(np.array(row, dtype=object) @ plans) for row, plans in zip(profile, pure, strict=True))
        for profile in profiles(mixed)
    }
    found = tremble.all_equilibria(tree)
    own: list[Any] = [{}, {}]
    for pair, solution in zip(found.pairs or (), found, strict=True):
        plans = [strategy.to_realization_plan() for strategy in solution.strategies]
        for i in (0, 1):
            own[i][pair[i]] = tuple(plans[i].probability(q) for q in range(form.num_sequences[i]))
        assert (own[0][pair[0]], own[1][pair[1]]) in images

    def within(point: Any, numbers: Any, i: int) -> bool:
        corners = np.array([own[i][n] for n in numbers], dtype=float).T
        equations = np.vstack((corners, np.ones(corners.shape[1])))
        target = np.append(np.array(point, dtype=float), 1.0)
        return bool(linprog(np.zeros(corners.shape[1]), A_eq=equations, b_eq=target).status == 0)

    for x, y in images:
        assert any(within(x, U, 0) and within(y, V, 1) for U, V in found.maximal_subsets or ())


def test_what_is_outside_the_class_is_refused() -> None:
    with pytest.raises(tremble.ImperfectRecallError):
        tremble.all_equilibria(forgetful_game(3))
    with pytest.raises(tremble.TooLargeError, match="more than 20,000 reduced pure strategies"):
        tremble.all_equilibria(tremble.load("leduc:ranks=2,raises=1"))
    with pytest.raises(tremble.TooLargeError, match="not built"):
        tremble.all_equilibria(tremble.load_rules("phantom_ttt"))
    with pytest.raises(SpecError, match="progress"):
        tremble.all_equilibria(tremble.load("kuhn"), progress=3)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="a time limit must be a positive number"):
        tremble.all_equilibria(tremble.load("kuhn"), time_limit=-1)


@pytest.mark.parametrize(("n", "most"), [(40, 10**6), (60, 2)])
def test_a_limit_holds(n: int, most: int) -> None:
    rng = np.random.default_rng(1)
    tree = tremble.matrix_game(rng.integers(0, most, (n, n)), rng.integers(0, most, (n, n)))
    with pytest.raises(LimitReached, match="known only at the end"):
        tremble.all_equilibria(tree, time_limit=0.5)


def test_progress_is_told() -> None:
    told: list[tuple[str, float | None]] = []
    tremble.all_equilibria(a_bimatrix_game(4), progress=lambda step, fraction: told.append((step, fraction)))
    assert {"vertices of player 1", "vertices of player 2", "verification"} <= {step for step, _ in told}
    assert all(fraction is None or 0 <= fraction <= 1 for _, fraction in told)


# -- the parts -----------------------------------------------------------------------------------------


def by_force(pairs: Any) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The maximal bicliques, from all sets of left vertices."""
    edges = set(pairs)
    left, right = (sorted({edge[i] for edge in edges}) for i in (0, 1))
    found = set()
    for size in range(1, len(left) + 1):
        for U in itertools.combinations(left, size):
            V = tuple(j for j in right if all((i, j) in edges for i in U))
            closed = tuple(i for i in left if all((i, j) in edges for j in V))
            if V and closed == U:
                found.add((U, V))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_bicliques_and_components_by_force(seed: int) -> None:
    rng = random.Random(seed)
    m, n = rng.randint(1, 7), rng.randint(1, 7)
    edges = [(i, j) for i in range(m) for j in range(n) if rng.random() < (0.3, 0.6, 0.9)[seed % 3]]
    left, right = (sorted({edge[i] for edge in edges}) for i in (0, 1))
    edges = [(left.index(i), right.index(j)) for i, j in edges]
    neighbours = [sum(1 << j for i, j in edges if i == k) for k in range(len(left))]
    found = maximal_bicliques(neighbours, len(right), never)
    assert len(set(found)) == len(found)
    assert set(found) == by_force(edges)
    groups = components(edges)
    assert sorted(k for group in groups for k in group) == list(range(len(edges)))
    for one, two in itertools.combinations(groups, 2):
        for i in (0, 1):
            assert not {edges[k][i] for k in one} & {edges[k][i] for k in two}
    for group in groups:  # connected: growing from one edge reaches all
        reached = {group[0]}
        for _ in group:
            reached |= {k for k in group for r in reached if any(map(int.__eq__, edges[k], edges[r]))}
        assert reached == set(group)


def test_products_of_zeros_and_ones_warn_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries of linear algebra set flags by what they read beside a matrix, now and then."""
    handled: list[str] = []
    nonzero = np.nonzero
    monkeypatch.setattr(np, "nonzero", lambda array: (handled.append(np.geterr()["invalid"]), nonzero(array))[1])
    with np.errstate(all="raise"):
        tremble.all_equilibria(tremble.matrix_game([[3, 0, 1], [1, 2, 0]], [[1, 2, 0], [2, 1, 3]]))
    assert "ignore" in handled


@pytest.mark.parametrize("seed", range(20))
def test_double_description_by_force(seed: int) -> None:
    """Extreme rays of small cones: where enough independent inequalities are tight, and none is broken."""
    rng = random.Random(seed)
    dimension = rng.randint(2, 4)
    most = (1, 3, 10**18)[seed % 3]
    lines = [[rng.randint(-most, most) for _ in range(dimension)] for _ in range(rng.randint(1, 5))]
    cone = Cone(np.eye(dimension, dtype=np.int64), ~np.eye(dimension, dtype=np.bool_), dimension)
    for line in lines:
        cone = cone.cut(np.array(line, dtype=object), never)
    flint = pytest.importorskip("flint")
    every = np.vstack((np.eye(dimension, dtype=object), np.array(lines, dtype=object)))
    rays = set()
    for chosen in itertools.combinations(range(len(every)), dimension - 1):
        null, nullity = flint.fmpz_mat(every[list(chosen)].tolist()).nullspace()
        if nullity != 1:
            continue
        ray = np.array([int(null[i, 0]) for i in range(dimension)], dtype=object)
        ray //= np.gcd.reduce(ray)
        for way in (1, -1):
            if all(every @ (way * ray) >= 0):
                rays.add(tuple((way * ray).tolist()))
    assert {tuple(ray) for ray in cone.rays.tolist()} == rays
    assert len(cone.rays) == len(rays)
    assert np.array_equal(cone.tight, cone.rays.astype(object) @ every.T == 0)


# -- the file ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def equal() -> tuple[GameTree, Equilibria]:
    tree = tremble.matrix_game([[1, 1], [1, 1], [0, 2]], [[1, 1], [1, 1], [3, 0]])
    return tree, tremble.all_equilibria(tree)


def test_files_come_back(equal: tuple[GameTree, Equilibria], tmp_path: Path) -> None:
    tree, found = equal
    found.to_json(tmp_path / "all.json")
    again = Equilibria.from_json(tmp_path / "all.json")
    assert again.to_text() == found.to_text()
    for name in ("pairs", "maximal_subsets", "components", "unique", "unique_plans"):
        assert getattr(again, name) == getattr(found, name)
    verification = tremble.verify(tree, again)
    assert verification.ok
    assert (verification.proven, verification.nash_conv) == ("nash", 0)
    assert "no others is stated, not proven" in verification.notes[0]
    document = json.loads(found.to_text())
    assert {part["schema"] for part in document["equilibria"]} == {"tremble/solution@1"}
    assert min(itertools.chain(*document["pairs"])) == 1


def changed(found: Equilibria, **fields: Any) -> Equilibria:
    return replace(found, **fields)


def test_what_is_wrong_is_found(equal: tuple[GameTree, Equilibria]) -> None:
    tree, found = equal
    assert found.pairs is not None
    first, second = found.solutions[:2]
    uniform = tuple(tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1))
    wrong = {
        "equilibria[0]: values[0]": changed(found, solutions=(replace(first, values=(9, 9)), *found.solutions[1:])),
        "equilibria[0]": changed(found, solutions=(replace(first, strategies=uniform), *found.solutions[1:])),
        "pairs[": changed(found, solutions=(second, first, *found.solutions[2:])),
        "pairs: there are": changed(found, pairs=found.pairs[:-1]),
        "maximal_subsets[0]: must be two lists": changed(found, maximal_subsets=(((9,), (0,)),)),
        "maximal_subsets: the field 'pairs' is missing": changed(found, pairs=None),
        "components:": changed(found, components=((0,),)),
        "unique: true": changed(found, unique=True),
        "equilibria: the list is empty": changed(found, solutions=(), pairs=(), maximal_subsets=(), components=()),
        "game.digest": changed(found, game=replace(found.game, digest="sha256:0")),
    }
    for message, equilibria in wrong.items():
        verification = tremble.verify(tree, equilibria)
        assert not verification.ok
        assert any(problem.startswith(message) for problem in verification.problems), (message, verification.problems)
        assert verification.proven is None


def test_what_hangs_together_otherwise_is_found() -> None:
    """Edits of a true list that leave each equilibrium one."""
    tree = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    found = tremble.all_equilibria(tree)
    assert tremble.verify(tree, found).ok
    twice = (*found.solutions, found.solutions[0])
    linked = tremble.all_equilibria(tremble.matrix_game([[0, 0], [0, 0]]))
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("pairs[3]: strategy 4 of player 1 also has another number", {
            "solutions": twice, "pairs": (*(found.pairs or ()), (3, 3)), "components": ((0,), (1,), (2,), (3,)),
            "maximal_subsets": (*(found.maximal_subsets or ()), ((3,), (3,))),
        }),
        ("components: these are not", {"components": ((0, 1, 2),)}),
        ("components: these are not", {"components": ((), (0, 1, 2))}),
        ("components: these are not", {"components": ()}),
        ("maximal_subsets: they do not contain", {"maximal_subsets": ()}),
        ("maximal_subsets[0]: must be two lists", {"maximal_subsets": (((), ()),)}),
        ("maximal_subsets[0]: must be two lists", {"maximal_subsets": (((0, 0), (0,)),)}),
        ("unique_plans[0]: true, but the plans are different", {"unique_plans": (True, True)}),
        ("unique: true", {"unique": True}),
        ("pairs: the strategies of player 1 are not numbered", {"pairs": ((10**9, 0), (1, 1), (2, 2))}),
        ("unique: false, but the number of equilibria is 1", {
            "solutions": found.solutions[:1], "pairs": ((0, 0),), "components": ((0,),), "maximal_subsets": None,
        }),
        ("unique_plans[1]: false, but the plans are not different", {
            "solutions": found.solutions[:1], "pairs": None, "components": None, "maximal_subsets": None,
            "unique": True, "unique_plans": (True, False),
        }),
    ]  # fmt: skip
    for message, fields in wrong:
        problems = tremble.verify(tree, changed(found, **fields)).problems
        assert any(problem.startswith(message) for problem in problems), (message, problems)
    tree = tremble.matrix_game([[0, 0], [0, 0]])
    assert tremble.verify(tree, linked).ok
    for message, fields in (
        ("components: these are not", {"components": ((0,), (1,), (2,), (3,))}),
        (
            "maximal_subsets[0]: this subset is part of a larger one",
            {"maximal_subsets": (((0,), (0, 1)), ((1,), (0, 1)))},
        ),
    ):
        problems = tremble.verify(tree, changed(linked, **fields)).problems
        assert any(problem.startswith(message) for problem in problems), (message, problems)


def test_files_that_are_none(equal: tuple[GameTree, Equilibria]) -> None:
    document = json.loads(equal[1].to_text())
    for change, message in (
        ({"pairs": [[0, 1]]}, "pairs[0][0]: expected a number from 1, found 0"),
        ({"pairs": [[1]]}, "pairs[0]: expected a list of 2, found 1"),
        ({"pairs": 7}, "pairs: expected a list, found the number 7"),
        ({"unique": 1}, "unique: expected true or false, found the number 1"),
        ({"unique_plans": [True]}, "unique_plans: expected a list of 2"),
        ({"components": [[1.5]]}, "components[0][0]: expected an integer"),
        ({"equilibria": [{}]}, "a.json: equilibria[0]: schema: expected 'tremble/solution@1', found no such field"),
        ({"equilibria": [7]}, "equilibria[0]: expected a solution, which is an object, found the number 7"),
        ({"colour": "red"}, "unknown field 'colour'"),
        ({"schema": "tremble/equilibria@2"}, "schema: expected 'tremble/equilibria@1'"),
    ):
        with pytest.raises(FormatError) as caught:
            Equilibria.from_text(json.dumps(document | change), file="a.json")
        assert message in str(caught.value)
    with pytest.raises(FormatError, match="expected one solution, found a list"):
        tremble.results.StatedSolution.from_text(json.dumps(document))


# -- the command line ----------------------------------------------------------------------------------


def test_the_command_line(tmp_path: Path) -> None:
    tree = tremble.matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]], rows=["dare", "yield"], columns=["dare", "yield"])
    game, file = str(tmp_path / "chicken.nfg"), str(tmp_path / "all.json")
    tremble.write_nfg(tree, game)

    def printed(*arguments: str, code: int = 0) -> str:
        done = run(*arguments)
        assert done.exit_code == code, done.output
        return done.stdout if code == 0 else done.output

    shown = printed("solve", game, "--all", "-o", file)
    assert "dare 1/3, yield 2/3" in shown
    assert "3 extreme" in shown
    assert "Each of the 3 profiles is an exact equilibrium" in printed("verify", game, file)
    verified = json.loads(printed("verify", game, file, "--format", "json"))
    assert (verified["ok"], verified["proven"], verified["nash_conv"]) == (True, "nash", "0")
    printed("solve", game, "--all", "-o", file, "-q")  # replaced, being of the kind
    text = Path(file).read_text("utf-8")
    assert json.loads(printed("solve", game, "--all", "--format", "json")) == json.loads(text)
    assert printed("solve", game, "--all", "--format", "gambit") == "NE,1,0,0,1\nNE,1/3,2/3,1/3,2/3\nNE,0,1,1,0\n"
    assert (
        printed("solve", game, "--all", "--format", "csv").splitlines()[5]
        == "2,1,1,,dare,1/3,0.3333333333333333,proven"
    )
    Path(file).write_text(text.replace('"14/3"', '"13/3"'))
    assert "equilibria[1]: values[0]" in printed("verify", game, file, code=1)
    assert "--seed is for finding a single equilibrium" in printed("solve", game, "--all", "--seed", "1", code=2)
    assert "exclude each other" in printed("solve", game, "--all", "--unique", code=2)
    assert "supports only the concept nash" in printed("solve", game, "--unique", "--concept", "perfect", code=2)
    assert "profiles cannot be judged by it" in printed("solve", game, "--all", "--concept", "maxmin", code=2)
    assert "--all finds all equilibria" in printed("solve", game, "--unique", code=4)
    assert "known only at the end" in printed("solve", game, "--all", "--time-limit", "1e-6", code=5)
    shown = printed("solve", "kuhn", "--unique", "-o", file)
    assert "not unique" in shown
    assert "plan of player 2  unique" in shown
    assert json.loads(Path(file).read_text("utf-8"))["unique_plans"] == [False, True]
    assert "Each of the 2" in printed("verify", "kuhn", file)


# -- uniqueness ----------------------------------------------------------------------------------------


def agreed(tree: GameTree) -> tuple[bool, bool]:
    """Whether each plan is unique, by two roads; the second equilibrium differs exactly where it should."""
    found = tremble.uniqueness(tree)
    known = tremble.all_equilibria(tree)
    numbers = [{pair[i] for pair in known.pairs or ()} for i in (0, 1)]
    assert found.players == (len(numbers[0]) == 1, len(numbers[1]) == 1)
    assert found.unique == known.unique == all(found.players)
    solutions = [found.first] if found.second is None else [found.first, found.second]
    assert (found.second is None) == found.unique
    for solution in solutions:
        assert tremble.verify(tree, solution).proven == "nash"
    if found.second is not None:
        for i in (0, 1):
            plans = [solution.strategies[i].to_realization_plan() for solution in solutions]
            weights = [[plan.probability(q) for q in range(len(plan.weight))] for plan in plans]
            assert (weights[0] == weights[1]) == found.players[i]
    return found.players


def zero_sum_matrix(seed: int) -> GameTree:
    rng = random.Random(seed)
    m, n, most = rng.randint(1, 5), rng.randint(1, 5), rng.choice([1, 2, 5, 10**9])
    return tremble.matrix_game([[rng.randint(0, most) for _ in range(n)] for _ in range(m)])


def test_uniqueness_in_zero_sum_matrices() -> None:
    seen = Counter(agreed(zero_sum_matrix(seed)) for seed in range(60))
    assert len(seen) == 4


@pytest.mark.slow
def test_uniqueness_in_many_zero_sum_matrices() -> None:
    for seed in range(60, 600):
        agreed(zero_sum_matrix(seed))


def test_uniqueness_in_trees() -> None:
    """With chance, sets that are off the path, and a constant sum other than 0."""
    seen = Counter(agreed(small_tree(seed, constant_sum=True)) for seed in range(30))
    assert len(seen) >= 3


@pytest.mark.parametrize(
    ("spec", "players"),
    [
        ("kuhn", (False, True)),  # a family, from 0 to 1/3 bluffs with the jack
        ("matching_pennies", (True, True)),
        ("guess_the_ace", (True, False)),
        ("safe_or_risky", (False, True)),
        ("kuhn_raise", (False, False)),
    ],
)
def test_uniqueness_in_known_games(spec: str, players: tuple[bool, bool]) -> None:
    assert agreed(tremble.load(spec)) == players


@pytest.mark.parametrize("spec", ["kuhn", "kuhn_raise", "safe_or_risky"])
def test_a_plan_in_the_interior_is_known_not_to_be_alone(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rank of the equations, and a linear program for a second plan, where the interior gives none."""
    tree = tremble.load(spec)
    run = Run(Clock(None))
    nash = solve_nash(tree, run)
    _, two = nash.program.plans(nash.vertex)
    losing = np.asarray(nash.vertex.reduced[nash.program.program.columns["plan of player 1"]] != 0, dtype=np.bool_)
    face = uniqueness._Face.of(nash.program, losing, np.asarray(two.weight > 0, dtype=np.bool_))
    interior = face.interior(run)
    other = uniqueness._second_plan(nash.program, interior.plan, losing, two, run)
    assert other is not None
    assert not np.array_equal(other.weight, interior.plan.weight)
    profile = other.to_behavior(tree), two.to_behavior(tree)
    assert tremble.nash_conv(tree, profile) == 0
    monkeypatch.setattr(uniqueness._Interior, "undetermined", lambda *_: [])
    assert uniqueness._second_plan(nash.program, interior.plan, losing, two, run) is None


def test_uniqueness_is_of_games_with_a_constant_sum() -> None:
    with pytest.raises(tremble.NotZeroSumError, match="all_equilibria"):
        tremble.uniqueness(a_bimatrix_game(4))
    with pytest.raises(LimitReached):
        tremble.uniqueness(tremble.load("leduc"), time_limit=1e-6)
