"""Games of any sum: complementary pivots, what they find, and the certificates of it."""

from __future__ import annotations

import json
import random
import warnings
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
import tremble.exact.lemke_float  # kernels are loaded: else small problems do without floats
from assessments import domination, is_rational_assessment, rows_of
from command import run
from gambit import Gambit, catalog, catalog_files, regret
from hand_made import random_game
from hostile_games import RECIPES, hostile_game
from tremble import BehaviorStrategy, GameTree, ImperfectRecallError, LimitReached, PlayersError, Solution
from tremble.exact import lemke
from tremble.exact.lemke import ComplementarityProblem, solve_complementarity
from tremble.exact.lexicographic import BasicSolution
from tremble.exact.program import IntegerMatrix, Program
from tremble.formats.efg import format_efg
from tremble.game.requirements import last_sequence
from tremble.game.sequence_form import chance_reach
from tremble.solution.trembles import Trembles
from tremble.solvers.general_sum import ComplementarityProgram

CONCEPTS = ("nash", "quasi-perfect", "sequential", "perfect")


def both_move(seed: int, depth: int = 4, *, big: bool = False) -> GameTree:
    """A random game in which both players have something to decide."""
    attempts = (random_game(seed + 1000 * k, depth, zero_sum=False, big=big) for k in range(100))
    return next(tree for tree in attempts if min(tree.num_infosets) > 1)


def with_payoffs(tree: GameTree, seed: object, most: int = 2) -> GameTree:
    """The same tree with small integers for payoffs: ties everywhere."""
    rng = random.Random(str(seed))
    payoff = np.array([[rng.randint(0, most) for _ in range(2)] for _ in tree.payoff], dtype=np.int64)
    return replace(tree, payoff=payoff, payoff_denominator=1)


def games(seed: int) -> list[GameTree]:
    """Random trees, without and with ties, and one of a hostile family."""
    tree = both_move(seed)
    name = sorted(RECIPES)[seed % len(RECIPES)]
    return [tree, with_payoffs(tree, seed), with_payoffs(hostile_game(name, seed, most=30), seed, 1 + seed % 5)]


def one_shot(seed: int, size: int, most: int) -> GameTree:
    """A bimatrix game; now and then some strategies are duplicates."""
    rng = random.Random(seed)
    m, n = rng.randint(1, size), rng.randint(1, size)
    cells = [[(rng.randint(0, most), rng.randint(0, most)) for _ in range(n)] for _ in range(m)]
    if seed % 3 == 0:
        cells.append(list(cells[0]))
        cells = [[*row, row[-1]] for row in cells]
    builder = tremble.TreeBuilder(title=f"bimatrix {seed}")
    builder.decision(0, "rows", [str(i) for i in range(len(cells))])
    for row in cells:
        builder.decision(1, "columns", [str(j) for j in range(len(row))])
        for cell in row:
            builder.leaf(*cell)
    return builder.finish()


def random_rows(tree: GameTree) -> list[list[list[F]]]:
    """A profile of small fractions, some of them 0, that depends on the moves alone."""
    rng = random.Random(str(tree.actions))
    rows: list[list[list[F]]] = [[], []]
    for player, sets in enumerate(tree.actions):
        for actions in sets:
            weights = [rng.randint(0, 4) for _ in actions]
            weights[rng.randrange(len(weights))] += 1
            rows[player].append([F(weight, sum(weights)) for weight in weights])
    return rows


def gains(tree: GameTree, profile: Any) -> list[F]:
    """What each player could gain by deviating."""
    evaluation = tremble.strategies.evaluate(tree, profile)
    return [best - own for best, own in zip(evaluation.best_response_values, evaluation.values, strict=True)]


def in_agreement(gambit: Gambit, tree: GameTree, *solutions: Solution) -> None:
    """The greatest gain of anybody from deviating is the same for Gambit, and nothing from a solution."""
    text, rows = format_efg(tree), random_rows(tree)
    profile = [BehaviorStrategy.from_rows(tree, player, rows[player]) for player in (0, 1)]
    assert max(gains(tree, profile)) == F(gambit.ask(regret, text, rows))
    for solution in solutions:
        assert max(gains(tree, solution.strategies)) == 0
        assert not gambit.live or F(regret(text, rows_of(solution))) == 0


def checked(tree: GameTree, concept: str, **options: Any) -> Solution:
    """A certified solution by the method, which its file proves again."""
    solution = tremble.solve(tree, concept, "lemke", **options)
    assert (solution.concept, str(solution.status)) == (concept, "certified")
    again = tremble.verify(tree, Solution.from_text(solution.to_text()))
    assert again.ok, again.problems
    return solution


# -- random games ----------------------------------------------------------------------------------


def everything(tree: GameTree, seed: int, gambit: Gambit) -> None:
    """All concepts, with a uniform and with a random prior, and what others say of the results."""
    in_agreement(gambit, tree, checked(tree, "nash"))
    for prior in ("uniform", "random"):
        sequential = checked(tree, "sequential", prior=prior, seed=seed)
        assert is_rational_assessment(tree, sequential)
        in_agreement(gambit, tree, sequential)
        quasi_perfect = checked(tree, "quasi-perfect", prior=prior, seed=seed)
        for player, rows in enumerate(rows_of(quasi_perfect)):
            assert domination(tree, player, rows) < 1e-6
        perfect = checked(tree, "perfect", prior=prior, seed=seed)
        for bits in (0, 40):
            require_perturbed_equilibrium(tree, perfect, bits)


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_games(seed: int, gambit: Gambit) -> None:
    for tree in games(seed):
        everything(tree, seed, gambit)


@pytest.mark.slow
@pytest.mark.peers
@pytest.mark.parametrize("seed", range(12, 150))
def test_more_random_games(seed: int) -> None:
    for tree in games(seed):
        everything(tree, seed, Gambit(live=True))


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(30))
def test_one_shot_games(seed: int, gambit: Gambit) -> None:
    tree = one_shot(seed, 5, (2, 2, 1, 30)[seed % 4])
    everything(tree, seed, gambit)


@pytest.mark.slow
@pytest.mark.peers
@pytest.mark.parametrize("seed", range(30, 300))
def test_more_one_shot_games(seed: int) -> None:
    everything(one_shot(seed, 7, (2, 2, 1, 30)[seed % 4]), seed, Gambit(live=True))


@pytest.mark.parametrize("seed", range(6))
def test_constant_sums_have_the_value(seed: int) -> None:
    """The second, independent way to an equilibrium of games that the linear programs solve."""
    tree = random_game(seed)
    for concept in CONCEPTS:
        assert checked(tree, concept).value == tremble.solve(tree).value


@pytest.mark.parametrize("seed", range(8))
def test_payoffs_of_any_size(seed: int, gambit: Gambit) -> None:
    tree = both_move(seed, big=True)
    in_agreement(gambit, tree, *(checked(tree, concept) for concept in CONCEPTS))


@pytest.mark.parametrize("concept", CONCEPTS)
def test_gambits_catalog(concept: str, gambit: Gambit) -> None:
    """Every game of two players with perfect recall that Gambit comes with."""
    texts = [path.read_text("utf-8") for path in catalog_files()] if gambit.live else gambit.ask(catalog)
    solved = 0
    for text in texts:
        read = tremble.read_efg if text.startswith("EFG") else tremble.read_nfg
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = read(text)
            checked(tree, concept)
            solved += 1
        except (PlayersError, ImperfectRecallError):
            continue
    assert solved >= 20


# -- equilibria of perturbed games, by arithmetic of its own -----------------------------------------


def plans_at(solution: Solution, bits: int) -> tuple[F, list[list[F]]]:
    """A number and the plans there: what the certificate states for one, or its series cut off at a tiny one."""
    stated = solution.certificate["epsilon"]
    if not bits:
        plans = [[F(n) / F(d) for n in stated[name]] for name, d in zip("XY", stated["denominator"], strict=True)]
        return F(stated["value"]), plans
    epsilon = F(1, 2**bits) * F(stated["value"])
    plans = [
        [sum((F(row[q]) / F(d) * epsilon**k for k, row in enumerate(rows)), F(0)) for q in range(len(rows[0]))]
        for rows, d in (
            (solution.certificate[name], d) for name, d in zip("XY", solution.certificate["denominator"], strict=True)
        )
    ]
    return epsilon, plans


def require_perturbed_equilibrium(tree: GameTree, solution: Solution, bits: int) -> None:
    """Neither player gains in the game where every action has its least probability; series only nearly so."""
    epsilon, plans = plans_at(solution, bits)
    weights = tremble_rows(tree, solution)
    reach = chance_reach(tree)
    sequence = [last_sequence(tree, player)[tree.leaves].tolist() for player in (0, 1)]
    chance = [F(int(n), reach.denominator) for n in reach.numerator.tolist()]
    for player, (own, other) in enumerate((plans, plans[::-1])):
        gain = [F(0)] * len(own)
        for row, (mine, theirs, c) in enumerate(zip(sequence[player], sequence[1 - player], chance, strict=True)):
            gain[mine] += c * other[theirs] * F(int(tree.payoff[row, player]), tree.payoff_denominator)
        earned = sum((p * g for p, g in zip(own, gain, strict=True)), F(0))
        form = tremble.strategies.SequenceForm.of(tree)
        start = (tree.slot_start[player] + 1).tolist()
        for k, (first, end) in reversed(list(enumerate(pairwise(start)))):
            before = int(form.parent[player][k])
            assert sum(own[first:end]) == own[before]
            weight = weights[player][k]
            for q, w in zip(range(first, end), weight, strict=True):
                assert own[q] >= w * epsilon * own[before] or bits
            best = max(gain[first:end])
            gain[before] += best - epsilon * sum(w * (best - g) for w, g in zip(weight, gain[first:end], strict=True))
        most = max(1, *(abs(int(v)) for v in tree.payoff.ravel().tolist()))
        assert gain[0] == earned or (bits and abs(gain[0] - earned) < most * epsilon)


def tremble_rows(tree: GameTree, solution: Solution) -> list[list[list[F]]]:
    """The weights of the certificate."""
    stated = solution.certificate["trembles"]
    if stated is None:
        return [[[F(1)] * len(labels) for labels in sets] for sets in tree.actions]
    return [[[F(w) for w in row] for row in side] for side in stated]


# -- the method ------------------------------------------------------------------------------------


def lcp(matrix: list[list[int]], sides: list[int]) -> ComplementarityProblem:
    """w = M z + q, covered by ones."""
    n = len(matrix)
    rows, columns, values = zip(
        *[(i, j, -v) for i, row in enumerate(matrix) for j, v in enumerate(row) if v], *[(i, n, -1) for i in range(n)],
        strict=True,
    )  # fmt: skip
    program = Program(
        matrices=(IntegerMatrix.from_entries((n, n + 1), np.array(rows), np.array(columns), np.array(values)),),
        rhs=np.array([sides], dtype=np.int64),
        cost=np.zeros((1, n + 1), dtype=np.int64),
        equality=np.zeros(n, dtype=np.bool_),
        free=np.zeros(n + 1, dtype=np.bool_),
        row_exponent=np.zeros(n, dtype=np.int64),
        column_exponent=np.zeros(n + 1, dtype=np.int64),
    )
    complement = np.concatenate((np.arange(n) + n + 1, [-1], np.arange(n)))
    return ComplementarityProblem(program, complement, n, program.slack_basis)


@pytest.mark.parametrize("tries", [0, 3])
@pytest.mark.parametrize("seed", range(40))
def test_complementarity(seed: int, tries: int) -> None:
    """Positive definite matrices: one solution, and nothing but that."""
    rng = random.Random(seed)
    n = rng.randint(1, 8)
    half = [[rng.randint(-2, 2) for _ in range(n)] for _ in range(n)]
    skew = [[rng.randint(-3, 3) for _ in range(n)] for _ in range(n)]
    matrix = [
        [sum(half[k][i] * half[k][j] for k in range(n)) + skew[i][j] - skew[j][i] + (i == j) for j in range(n)]
        for i in range(n)
    ]
    sides = [rng.randint(-3, 3) for _ in range(n)]
    vertex = solve_complementarity(lcp(matrix, sides), lambda: None, tries=tries).vertex
    z = [F(int(v), vertex.value_denominator) for v in vertex.value[:n]]
    w = [sum(a * b for a, b in zip(row, z, strict=True)) + q for row, q in zip(matrix, sides, strict=True)]
    assert min([*z, *w]) >= 0
    assert all(a * b == 0 for a, b in zip(z, w, strict=True))


@pytest.mark.parametrize("tries", [0, 3])
def test_a_ray_is_told(tries: int) -> None:
    """w = -z - 1 has no solution."""
    with pytest.raises(LimitReached, match=r"ended in a ray after 1 exact pivots.* a bug in tremble"):
        solve_complementarity(lcp([[-1]], [-1]), lambda: None, tries=tries)


@pytest.mark.parametrize("seed", range(6))
def test_exact_pivots(seed: int) -> None:
    """Without floats, the same path."""
    tree = both_move(seed)
    uniform = Trembles.uniform(tree)
    problem = ComplementarityProgram.of(tree, uniform, uniform).problem
    exact = solve_complementarity(problem, lambda: None, tries=0)
    fast = solve_complementarity(problem, lambda: None)
    assert (exact.vertex.basic == fast.vertex.basic).all()
    assert exact.exact_pivots == exact.pivots == fast.pivots
    assert fast.exact_pivots == 0


def test_floats_that_go_astray(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever basis floats end with, the solution is right."""
    tree = both_move(3)
    astray = []

    def wrong(problem: ComplementarityProblem, *_: object) -> tuple[Any, int]:
        astray.append(problem)
        basis = problem.start.copy()
        basis[-1] = problem.covering
        return (basis if len(astray) % 2 else None), 5

    monkeypatch.setattr(lemke, "_in_floats", wrong)
    solution = checked(tree, "quasi-perfect")
    assert len(astray) == solution.stats["float_attempts"] == 3
    assert solution.stats["exact_pivots"] > 0


@pytest.mark.parametrize("seed", [1, 6])
def test_floats_keep_to_the_path(seed: int) -> None:
    """Where most sequences lose nothing themselves, after moves of chance; a tiny cover there misled every attempt."""
    tree = tremble.load(f"random_tree:seed={seed},sum=general,depth=12,branching=2,chance=true")
    assert tremble.solve(tree, "nash", "lemke").stats["float_attempts"] == 1


def test_a_singular_end_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def singular(problem: ComplementarityProblem, *_: object) -> tuple[Any, int]:
        n = problem.covering
        return np.concatenate(([n], problem.start[1:])) if n else problem.start, 1

    monkeypatch.setattr(lemke, "_in_floats", singular)
    tree = both_move(5)
    assert checked(tree, "nash").stats["exact_pivots"] > 0


def test_a_vertex_must_be_complementary_and_feasible() -> None:
    problem = lcp([[1, 0], [0, 1]], [-1, -2])
    program = problem.program
    for basis, solves in (([0, 1], True), ([0, 4], False), ([3, 4], False), ([0, 2], False)):
        vertex = BasicSolution.of(program, program.basic(np.array(basis)), lambda: None)
        assert lemke._solves(problem, vertex) == solves


# -- which equilibrium -----------------------------------------------------------------------------


def test_priors_lead_to_different_equilibria() -> None:
    """Battle of the sexes: what is expected decides."""
    builder = tremble.TreeBuilder()
    builder.decision(0, "one", ("ballet", "boxing"))
    for first in (0, 1):
        builder.decision(1, "two", ("ballet", "boxing"))
        for second in (0, 1):
            builder.leaf(*((0, 0) if first != second else (2, 1) if first else (1, 2)))
    tree = builder.finish()
    for strong in (9, 99):
        for row, values in (([strong, 1], (1, 2)), ([1, strong], (2, 1))):
            prior = Trembles.from_rows(tree, [[row], [row]])
            assert tremble.solve(tree, method="lemke", prior=prior).values == values


def test_a_prior_is_drawn_from_the_seed() -> None:
    tree = both_move(3)
    one, again, other = (tremble.solve(tree, "quasi-perfect", "lemke", prior="random", seed=seed) for seed in (1, 1, 2))
    assert one.certificate == again.certificate
    assert one.certificate["trembles"] != other.certificate["trembles"]


def test_several_priors() -> None:
    """Beer or quiche: both kinds of sequential equilibria, depending on whose mistakes are likelier."""
    tree = tremble.load("beer_quiche")
    steps: list[str] = []
    found = tremble.solve_several(tree, 20, "sequential", progress=lambda step, _done: steps.append(step))
    assert {each.values[0] for each in found} == {F(29, 10), F(21, 10)}
    assert len({str(rows_of(each)) for each in found}) == len(found) == 3
    assert all(tremble.verify(tree, each).ok for each in found)
    assert steps[0] == "prior 1 of 20, 0 found"
    assert steps[-1] == "prior 20 of 20, 3 found"
    again = found[2]
    alone = tremble.solve(tree, "sequential", "lemke", prior="random", seed=again.method.options["seed"])
    assert rows_of(alone) == rows_of(again)


@pytest.mark.parametrize("priors", [0, -1, 2.0, True, "2", None])
def test_numbers_of_priors(priors: object) -> None:
    with pytest.raises(tremble.errors.SpecError, match="number of priors must be a positive integer"):
        tremble.solve_several(entry(), priors)  # type: ignore[arg-type]


def test_several_until_the_limit() -> None:
    tree = tremble.load("random_tree:depth=4,sum=general")
    tremble.solve(tree)  # what has to be loaded is
    with pytest.raises(LimitReached, match=r"stopped by the time limit; [0-9]+ of 100000 priors were tried") as stopped:
        tremble.solve_several(tree, 100000, time_limit=1)
    best = stopped.value.best
    assert isinstance(best, tremble.results.Equilibria)
    assert len(best) >= 1
    assert tremble.verify(tree, best).ok


def test_several_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "several.json"
    result = run("solve", "battle_outside", "--several", 20, "--seed", 1, "-o", path)
    assert (result.exit_code, result.stdout.count("boxing 1") > 0) == (0, True), result.output
    assert "equilibria  2, each proven" in result.stdout
    assert len(tremble.results.Equilibria.from_json(path)) == 2
    assert run("verify", "battle_outside", path).exit_code == 0
    lines = run("solve", "battle_outside", "--several", 20, "--format", "gambit").stdout.splitlines()
    assert [line.startswith("NE,") for line in lines] == [True, True]
    for args, said in (
        (["--several", 0], "positive integer"),
        (["--several", 2, "--all"], "exclude each other"),
        (["--several", 2, "--gap", 1], "--gap is for finding a single equilibrium"),
        (["--several", 2, "--prior", "uniform"], "--prior is for finding a single equilibrium"),
        (["--several", 2, "--method", "lp"], "supports only the method lemke"),
        (["--all", "--seed", 1], "--seed is for finding"),
        (["--unique", "--concept", "perfect"], "--unique supports only the concept nash"),
        (["--all", "--concept", "maxmin"], "profiles cannot be judged by it"),
    ):
        result = run("solve", "battle_outside", *args)
        assert result.exit_code == 2
        assert said in result.stderr
    result = run("solve", "leduc", "--several", 1000, "--time-limit", 1)
    assert result.exit_code == 5
    assert "each proven" in result.stdout
    assert "of 1000 priors were tried" in result.stderr


def test_weights_of_another_game() -> None:
    tree, other = tremble.load("battle_outside"), Trembles.uniform(tremble.load("kuhn"))
    line = "NE,1,0,1,0,1,0"
    for work in (
        lambda: tremble.solve(tree, "perfect", trembles=other),
        lambda: tremble.solve(tree, method="lemke", prior=other),
        lambda: tremble.solve(tremble.load("leduc"), "quasi-perfect", trembles=other),
        lambda: tremble.certify(tree, line, "sequential", trembles=other),
        lambda: tremble.solve_several(tree, 2, "perfect", trembles=other),
    ):
        with pytest.raises(tremble.GameError, match="weights of player 1 belong to another game: 6 information sets"):
            work()


def test_hooks_and_seeds_are_looked_at() -> None:
    tree: Any = entry()
    wrong: Any = 3
    for work in (
        lambda: tremble.solve_several(tree, 3, progress=wrong),
        lambda: tremble.certify(tree, "NE,1,0,1,0,1,0", progress=wrong),
    ):
        with pytest.raises(tremble.errors.SpecError, match="'progress' must be a function"):
            work()
    for seed in ("x", -1, 2**31, 1.5):
        with pytest.raises(tremble.errors.SpecError, match="the seed must be an integer"):
            tremble.solve_several(tree, 2, seed=seed)  # type: ignore[arg-type]


def test_where_one_solution_is_needed_a_list_names_its_members(tmp_path: Path) -> None:
    """Other commands than verify say how to name one, which works."""
    path, one = tmp_path / "several.json", tmp_path / "one.json"
    assert run("solve", "battle_outside", "--all", "-o", path).exit_code == 0
    for command in ("respond", "certify", "audit"):
        result = run(command, "battle_outside", path)
        assert result.exit_code == 3
        assert f"expected one solution, found a list; name one of its equilibria: {path}#1" in result.stderr
        assert run(command, "battle_outside", f"{path}#1").exit_code == 0
    tremble.results.Equilibria.from_json(path)[1].to_json(one)
    assert run("certify", "battle_outside", one).exit_code == 0
    one.write_text("ne,1,0")
    assert "expected strategies as JSON, or one line NE,p,p,..." in run("certify", "battle_outside", one).stderr


def test_many_moves_of_chance_keep_the_path_in_floats() -> None:
    """Costs become small from level to level; floats see them in the units of their sets."""
    for seed in (81, 141):
        tree = tremble.load(f"random_tree:seed={seed},depth=9,branching=2,chance=true,sum=general")
        stats = tremble.solve(tree, method="lemke").stats
        assert (stats["float_attempts"], stats["exact_pivots"]) == (1, 0)


@pytest.mark.parametrize("prior", ["", 3, None, True])
def test_what_is_no_prior(prior: object) -> None:
    with pytest.raises(tremble.errors.SpecError, match="'prior' must be"):
        tremble.methods.Lemke(prior=prior)  # type: ignore[arg-type]


def test_priors_are_recorded(tmp_path: Path) -> None:
    """In the solution file, whatever they were given as; random ones with their seed."""
    tree = tremble.load("battle_outside")
    weights = Trembles.from_rows(tree, [[[1, 2], [3, 4]], [[5, 6]]])
    path = tmp_path / "prior.json"
    rows = [
        [{"infoset": k + 1, "actions": [[label, w] for label, w in zip(labels, row, strict=True)]}
         for k, (labels, row) in enumerate(zip(tree.actions[player], side, strict=True))]
        for player, side in enumerate(weights.rows() or [])
    ]  # fmt: skip
    path.write_text(json.dumps({"schema": "tremble/trembles@1", "trembles": rows}))
    found = []
    for prior, recorded in (
        (weights, [[["1", "2"], ["3", "4"]], [["5", "6"]]]), (path, str(path)), (str(path), str(path)),
        (Trembles.uniform(tree), "uniform"), ("uniform", "uniform"), ("random", "random"),
    ):  # fmt: skip
        solution = tremble.solve(tree, "quasi-perfect", tremble.methods.Lemke(prior=prior), seed=3)
        assert Solution.from_text(solution.to_text()).method.options == {"prior": recorded, "seed": 3}
        found.append(solution.certificate)
    assert found[0] == found[1] == found[2]
    assert found[3] == found[4] != found[5]


def test_a_prior_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(tremble.FormatError, match="nowhere"):
        tremble.solve(random_game(1, zero_sum=False), method="lemke", prior=str(tmp_path / "nowhere"))


def test_trembles_and_prior_are_two_things() -> None:
    """The prior decides where the path begins, the trembles what is perturbed."""
    tree = both_move(8)
    uniform, prior = (
        Trembles.uniform(tree),
        Trembles.from_rows(tree, [[[1 + i for i in range(len(labels))] for labels in sets] for sets in tree.actions]),
    )
    solution = tremble.solve(tree, "quasi-perfect", "lemke", prior=prior, trembles=uniform)
    assert solution.certificate["trembles"] is None
    assert tremble.solve(tree, "quasi-perfect", "lemke", prior=prior).certificate["trembles"] is not None


# -- certificates are attacked ---------------------------------------------------------------------


def entry() -> GameTree:
    """Entry deterrence, with something left to tremble about."""
    builder = tremble.TreeBuilder()
    builder.decision(0, "entrant", ("out", "in"))
    builder.leaf(0, 2)
    builder.decision(1, "incumbent", ("fight", "accommodate"))
    builder.leaf(-1, -1)
    builder.decision(0, "after", ("stay", "leave"))
    builder.leaf(1, 1)
    builder.leaf(0, 3)
    return builder.finish()


def forged(solution: Solution, change: Any) -> Solution:
    certificate = deepcopy(dict(solution.certificate))
    change(certificate)
    return replace(solution, certificate=certificate)


@pytest.mark.sample(4)
@pytest.mark.parametrize("concept", ["quasi-perfect", "sequential", "perfect"])
@pytest.mark.parametrize("seed", [None, 4, 8])
def test_every_coefficient_counts(concept: str, seed: int | None) -> None:
    tree = entry() if seed is None else both_move(seed, 3)
    solution = tremble.solve(tree, concept)
    assert tremble.verify(tree, solution).ok
    changed = 0
    for name in "XY":
        for d, row in enumerate(solution.certificate[name]):
            for q, text in enumerate(row):
                for shift in (1, -1, 10**30):
                    value = tremble.numbers.format_fraction(F(text) + shift)

                    def change(c: dict[str, Any], name: str = name, d: int = d, q: int = q, value: str = value) -> None:
                        c[name][d][q] = value

                    assert not tremble.verify(tree, forged(solution, change)).ok, (name, d, q, shift)
                    changed += 1
    assert changed or tree.num_infosets == (0, 0)


def test_systems_are_not_exchanged_or_left_out() -> None:
    tree = tremble.load("random_tree:seed=3,depth=5,sum=general")
    solution = tremble.solve(tree, "perfect")
    one, two = solution.certificate["systems"]
    assert tremble.verify(tree, solution).ok
    for wrong in ([], [one], [one, two, two], None, "two", [one, None], [one, {"pivots": None}], {}):
        found = tremble.verify(tree, forged(solution, lambda c, wrong=wrong: c.update(systems=wrong)))
        assert "certificate.systems" in found.problems[0]
    found = tremble.verify(tree, forged(solution, lambda c: c.update(c.pop("systems")[0])))
    assert "certificate.systems: missing" in found.problems[0]
    for field in ("pivots", "row_operations"):
        found = tremble.verify(tree, forged(solution, lambda c, field=field: c["systems"][1].update({field: [[1]]})))
        assert any(f"certificate.systems[1].{field}" in problem for problem in found.problems)


def test_zeros_are_listed_and_nothing_else() -> None:
    """In games with ties, there are some."""
    listed = 0
    for seed in range(12):
        tree = with_payoffs(both_move(seed, 3), seed, 1)
        solution = tremble.solve(tree, "perfect")
        for name in ("weights", "regrets"):
            for player in (0, 1):
                zeros = solution.certificate["zeros"][name][player]
                for q in range(1, 1 + tree.num_slots[player]):
                    row = sorted(set(zeros) ^ {q})
                    found = tremble.verify(
                        tree,
                        forged(solution, lambda c, row=row, name=name, p=player: c["zeros"][name].__setitem__(p, row)),
                    )
                    assert not found.ok
                    listed += q in zeros
    assert listed > 10


def test_the_sets_of_the_basis_count() -> None:
    """Another basis than that of the plans is refused."""
    refused = 0
    for seed in range(6):
        tree = both_move(seed)
        solution = tremble.solve(tree, "perfect")
        for player in (0, 1):
            sets = solution.certificate["basis"][player]
            for q in range(1, 1 + tree.num_slots[player]):
                row = sorted(set(sets) ^ {q})
                found = tremble.verify(
                    tree, forged(solution, lambda c, row=row, p=player: c["basis"].__setitem__(p, row))
                )
                assert not found.ok
                refused += 1
    assert refused > 20


def test_a_certificate_is_of_one_game() -> None:
    """On the same tree with other payoffs it proves something only if the play is an equilibrium there as well."""
    refused = 0
    for seed in range(10):
        tree = both_move(seed)
        other = with_payoffs(tree, seed, 9)
        for concept in CONCEPTS[1:]:
            solution = tremble.solve(tree, concept)
            profile = solution.strategies
            moved = replace(
                solution,
                game=replace(solution.game, digest=other.digest),
                values=tremble.expected_values(other, profile),
            )
            found = tremble.verify(other, moved)
            refused += not found.ok
            assert not found.ok or tremble.nash_conv(other, profile) == 0
    assert refused > 10


def test_floats_that_turn_in_circles_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from tremble.exact.lemke_float import FloatPath

    enters = FloatPath.enter
    made = [0]

    def circles(self: FloatPath, column: int) -> int | None:
        made[0] += 1
        assert made[0] < 10_000
        return column if made[0] > 3 else enters(self, column)

    monkeypatch.setattr(FloatPath, "enter", circles)
    solution = tremble.solve(tremble.load("beer_quiche"), "perfect")
    assert solution.status.value == "certified"
    assert solution.stats["exact_pivots"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_centipedes_of_any_length_end_without_backward_induction(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tremble.solvers.general_sum.induced_choice", lambda *_, **__: None)
    assert tremble.solve(tremble.load("centipede:length=60"), "perfect", seed=seed).status.value == "certified"
