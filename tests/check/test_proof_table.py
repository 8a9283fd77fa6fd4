"""Every concept, certificate and status in every kind of game, alone and in a list: as documented, or refused.

Solutions that are true, and what becomes of them when concept, status, strategies, certificate, beliefs and bounds are
exchanged for those of others. Whatever passes must be in the table, and true as far as brute force can tell.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tremble
from forgetful import everywhere, expected, forgetting, guarantee, is_ready, is_undominated, lines, plays, pure, rows_of
from hand_made import profile, random_game, random_profile
from rules_of_trees import RulesOfTree, on_tree
from second_opinions import (
    TINY,
    chance_to,
    continuation,
    follow,
    is_quasi_perfect,
    is_rational,
    nodes_of,
    parsed,
    plan_at,
)
from second_opinions import (
    moves as own_moves,
)
from small_ordered_games import SmallGame, behavior
from tremble import BehaviorStrategy, GameTree, TreeBuilder, verify
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.results import Equilibria, StatedSolution
from tremble.solution import certificates
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.concepts import CONCEPTS
from tremble.status import Status

DOCUMENT = Path(__file__).parents[2] / "docs" / "explanation" / "what-is-proven.md"
COLUMNS = (
    "tree, constant sum", "tree, other sums", "forgets, constant sum", "forgets, other sums", "absentminded",
    "rules, constant sum", "rules, other sums",
)  # fmt: skip
LIST = "in a list"
Cell = tuple[str, str, str, str]  # concept, certificate, status, kind of game
Profile = tuple[BehaviorStrategy, BehaviorStrategy]

pytestmark = pytest.mark.skipif(not DOCUMENT.exists(), reason="needs the repository")


@cache
def table() -> Mapping[Cell, str]:
    """The theorem of each cell that has one; of the last column, "yes"."""
    section = (
        DOCUMENT.read_text("utf-8").split("\n### Which certificate proves what, and where\n")[1].split("\n### ")[0]
    )
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    head, _, *body = rows
    assert tuple(head[1:]) == (*COLUMNS, LIST)
    found: dict[Cell, str] = {}
    for row in body:
        concept, kind, status = (word.strip().strip("`") for word in row[0].split(","))
        for column, cell in zip(head[1:], row[1:], strict=True):
            if cell.isalpha():
                found[concept, kind, status, column] = cell
    for theorem in {*found.values()} - {"yes"}:
        assert f"\n{theorem}\n: " in section, f"the theorem {theorem} is not stated"
    return found


# -- games ------------------------------------------------------------------------------------------


def forgetful(*, constant: bool) -> GameTree:
    """Player 1 forgets which way it went."""
    builder = TreeBuilder(title="forgetful")
    rng = random.Random(5)
    builder.decision(0, "first", ("l", "r"))
    for _ in range(2):
        builder.decision(1, "other", ("a", "b"))
        for _ in range(2):
            builder.decision(0, "second", ("l", "r"))
            for _ in range(2):
                u = rng.randint(-3, 3)
                builder.leaf(u, 1 - u if constant else rng.randint(-3, 3))
    return builder.finish()


def alone(*, constant: bool) -> GameTree:
    """Only chance and player 1 move."""
    builder = TreeBuilder(title="alone")
    builder.chance(("h", "t"), (F(1, 3), F(2, 3)))
    builder.decision(0, "h", ("x", "y"))
    builder.leaf(2, -2)
    builder.leaf(0, 0)
    builder.leaf(1, -1 if constant else 5)
    return builder.finish()


def nobody() -> GameTree:
    builder = TreeBuilder(title="nobody")
    builder.chance(("h", "t"), (F(1, 3), F(2, 3)))
    builder.leaf(2, -1)
    builder.leaf(0, 1)
    return builder.finish()


SEXES = [[3, 0], [0, 2]], [[2, 0], [0, 3]]


@cache
def games() -> tuple[tuple[str, GameTree], ...]:
    """Kind of the game, and the game."""
    flat, steep = COLUMNS[0], COLUMNS[1]
    return (
        (flat, tremble.load("matching_pennies")),
        (flat, tremble.load("guess_the_ace:gift=true")),
        (flat, tremble.matrix_game([[3, 1], [0, 2]], [[2, 4], [5, 3]])),
        (flat, random_game(2, 4)),
        (flat, alone(constant=True)),
        (flat, nobody()),
        (steep, tremble.matrix_game(*SEXES)),
        (steep, tremble.load("battle_outside")),
        (steep, tremble.load("beer_quiche")),
        (steep, alone(constant=False)),
        (COLUMNS[2], tremble.load("a_loss_counterexample")),
        (COLUMNS[2], forgetful(constant=True)),
        (COLUMNS[2], forgetting(4)),
        (COLUMNS[3], forgetful(constant=False)),
        (COLUMNS[4], tremble.load("absentminded_driver")),
    )


def kind_of(tree: GameTree) -> str:
    """The column of a tree, by the library's own test of recall."""
    recall = {tremble.classify_recall(tree, player) for player in (0, 1)}
    if "absentminded" in recall:
        return "absentminded"
    start = "tree" if recall == {"perfect"} else "forgets"
    return f"{start}, {'constant sum' if tree.constant_sum is not None else 'other sums'}"


# -- true solutions, and what can be made of them -----------------------------------------------------


@cache
def true_solutions(tree: GameTree) -> tuple[StatedSolution, ...]:
    found: list[StatedSolution] = []
    perfect = kind_of(tree).startswith("tree")
    if perfect:
        found += [tremble.solve(tree, concept) for concept in ("nash", "quasi-perfect", "sequential", "perfect")]
        for player in (0, 1):
            if tree.num_slots[player]:
                ones = [[[1] * len(labels) for labels in sets] for sets in tree.actions]
                faultless = tremble.strategies.Trembles.from_rows(
                    tree, ["none" if p == player else ones[p] for p in (0, 1)]
                )
                found.append(tremble.solve(tree, "one-sided-quasi-perfect", trembles=faultless))
        with suppress(tremble.NotProvenError):  # by other mistakes only
            found.append(tremble.certify(tree, found[1].strategies, "sequential"))
        refined, best = found[1], found[0].certificate
        found.append(replace(refined, concept="subgame-perfect", certificate=best))
        found.append(replace(refined, concept="normal-form-perfect"))
        found += [s for s in tremble.all_equilibria(tree, "proper") if s.concept == "proper"]
        if tree.constant_sum is not None:
            found.append(tremble.solve(tree, "proper"))
        if all(len({player for player, _, _ in moves}) == len(moves) for _, moves, _ in lines(tree)):
            found.append(replace(refined, concept="perfect"))
        if all(len(nodes_of(tree, i, k)) == 1 for i in (0, 1) for k in range(tree.num_infosets[i])):
            induced = {"kind": "backward-induction", "trembles": None}
            found += [
                replace(refined, concept=concept, certificate=induced) for concept in ("quasi-perfect", "perfect")
            ]
    by_responses = {"kind": "guarantee", "player": 1}
    if perfect:
        found.append(tremble.solve(tree, "maxmin"))
        found.append(replace(found[-1], certificate=by_responses))
        found.append(tremble.solve(tree, "maxmin", method="branch-and-bound", player=1))
    elif kind_of(tree) != "absentminded":
        found.append(tremble.solve(tree, "maxmin", method="branch-and-bound"))
        forgetting_too = replace(found[-1], certificate=by_responses)  # the passes may say more than is true
        found += [forgetting_too] * verify(tree, forgetting_too).ok
    for solution in found:
        assert verify(tree, solution).ok
        assert solution.status == Status.CERTIFIED
    return tuple(found)


def best_values(tree: GameTree, strategies: Profile) -> tuple[F, F]:
    """What pure strategies earn at most."""
    one, two = map(rows_of, strategies)
    return (
        max(expected(tree, x, two)[0] for x in pure(tree, 0)),
        max(expected(tree, one, y)[1] for y in pure(tree, 1)),
    )


@cache
def parts(tree: GameTree) -> dict[str, list[Any]]:
    """What solutions of a game are made of: true parts, and some that are not of this game or false."""
    true = true_solutions(tree)
    pennies = true_solutions(games()[0][1]) if tree is not games()[0][1] else ()
    strategies: list[Profile] = [solution.strategies for solution in true]  # type: ignore[misc]
    strategies += [
        tuple(BehaviorStrategy.uniform(tree, player) for player in (0, 1)),  # type: ignore[list-item]
        random_profile(tree, 3),
    ]
    if tree.title == "matrix game" and tree.constant_sum is None:
        strategies.append(profile(tree, [[F(3, 5), F(2, 5)]], [[F(2, 5), F(3, 5)]]))
    strategies += [everywhere(pair) for pair in strategies]
    return {
        "strategies": strategies,
        "certificate": [*(s.certificate for s in (*true, *pennies) if s.certificate["kind"] != "best-response"), {}],
        "beliefs": [None, *(s.beliefs for s in true if s.beliefs is not None)],
        "bounds": [None, *{s.bounds for s in true if s.bounds is not None}],
    }


def mixed(tree: GameTree, rng: random.Random) -> StatedSolution:
    """Something out of these parts; values and numbers of best responses are true."""
    part = {name: rng.choice(some) for name, some in parts(tree).items()}
    one, two = map(rows_of, part["strategies"])
    values, best = expected(tree, one, two), best_values(tree, part["strategies"])
    if rng.random() < 0.4:
        part["certificate"] = certificates.best_response(values, best)
    if tree.constant_sum is not None and rng.random() < 0.7:
        part["bounds"] = rng.choice(((tree.constant_sum - best[1], best[0]), (values[0], values[0])))
    concept = rng.choice((*CONCEPTS, "cooperative"))
    return StatedSolution(
        game=GameReference.of(tree), concept=concept, requested=rng.choice((concept, *CONCEPTS)),
        method=MethodReference("by hand", {}), status=rng.choice(list(Status)), values=values, stats={}, **part,
    )  # fmt: skip


def cell_of(solution: StatedSolution, column: str) -> Cell:
    return solution.concept, str(solution.certificate.get("kind")), str(solution.status), column


def is_subgame_perfect(tree: GameTree, strategies: Profile) -> bool:
    """By enumeration of pure strategies, from every node where a subgame begins."""
    rows, below = [rows_of(strategy) for strategy in strategies], {v: {v} for v in range(tree.num_nodes)}
    for node in range(tree.num_nodes - 1, 0, -1):
        below[int(tree.parent[node])] |= below[node]
    sets = [set(nodes_of(tree, player, k)) for player in (0, 1) for k in range(tree.num_infosets[player])]
    roots = [v for v in below if all(s <= below[v] or not s & below[v] for s in sets) and chance_to(tree, v)]
    for player in (0, 1):
        value = continuation(tree, rows, player)
        for x in pure(tree, player):
            deviating = continuation(tree, [x, rows[1]] if player == 0 else [rows[0], x], player)
            if any(deviating[v] > value[v] for v in roots):
                return False
    return True


def is_one_sided(tree: GameTree, solution: StatedSolution) -> bool:
    """Best replies to mixed play at all sets of one player, and to its strategy wherever it lets the other come."""
    faultless = solution.certificate["trembles"].index("none")
    rows, (plans, wholes) = [rows_of(strategy) for strategy in solution.strategies], parsed(solution)  # type: ignore[arg-type]
    mixed = plan_at(plans[1 - faultless], wholes[1 - faultless], TINY)
    own = [F(1)] * (1 + tree.num_slots[faultless])
    for k, prior, sequences in own_moves(tree, faultless):
        for q, p in zip(sequences, rows[faultless][k], strict=True):
            own[q] = own[prior] * p
    for player, plan in ((faultless, mixed), (1 - faultless, own)):
        worth: dict[int, list[F]] = {}
        follow(tree, player, plan, [(0, F(1))], worth)
        for k, _, _ in own_moves(tree, player):
            if any(p and w < max(worth[k]) for p, w in zip(rows[player][k], worth[k], strict=True)):
                return False
    return min(mixed) > 0


def require_bounds(tree: GameTree, strategies: Profile, bounds: tuple[F, F]) -> None:
    """The first strategy guarantees the lower bound, and against the second one nothing earns more than the upper."""
    one, two = map(rows_of, strategies)
    assert guarantee(tree, 0, one) >= bounds[0]
    assert all(expected(tree, x, two)[0] <= bounds[1] for x in pure(tree, 0))


def require_true(tree: GameTree, solution: StatedSolution, *, rules: bool = False) -> None:
    """By enumeration of pure strategies, and by the definitions; ``rules``: of the game by its rules."""
    strategies: Profile = solution.strategies  # type: ignore[assignment]
    values, best = expected(tree, *map(rows_of, strategies)), best_values(tree, strategies)
    constant, kind = tree.constant_sum, solution.certificate["kind"]
    assert solution.values == values
    if solution.concept == "maxmin":
        assert solution.bounds is not None
        player = None if kind == "best-response" else solution.certificate["player"] - 1
        assert constant is not None or player is not None
        low, high = solution.bounds
        of_second = solution.bounds if constant is None else (constant - high, constant - low)  # else its own already
        for who, (lower, upper) in enumerate((solution.bounds, of_second)):
            if player in (who, None):
                assert guarantee(tree, who, rows_of(strategies[who])) >= lower
                others = [rows_of(pair[who]) for pair in parts(tree)["strategies"]]
                assert all(guarantee(tree, who, x) <= upper for x in itertools.chain(pure(tree, who), others))
        if solution.status == Status.CERTIFIED and kind == "best-response":
            assert solution.bounds[0] == solution.bounds[1]
        return
    if solution.status == Status.BOUNDED:
        assert solution.bounds is not None
        require_bounds(tree, strategies, solution.bounds)
        if constant is not None:
            assert solution.bounds[0] <= constant - best[1] <= best[0] <= solution.bounds[1]
        else:
            assert rules  # whose sums are not all looked at
        return
    assert values == best
    if not rules:
        assert solution.bounds == (None if constant is None else (values[0], values[0]))
    elif solution.bounds is not None:
        assert solution.bounds == (values[0], values[0])
        require_bounds(tree, strategies, solution.bounds)
    if solution.concept == "subgame-perfect" or kind == "backward-induction":
        assert is_subgame_perfect(tree, strategies)
    if solution.concept == "normal-form-perfect":
        assert all(is_undominated(tree, i, rows_of(strategies[i])) for i in (0, 1))
    elif solution.concept == "proper":
        assert all(is_ready(tree, strategies, i) for i in (0, 1))
        assert constant is not None or all(tree.num_infosets[i] <= 1 for i in (0, 1))
    elif solution.concept == "one-sided-quasi-perfect":
        assert is_one_sided(tree, solution)
    elif kind == "polynomials":
        assert is_quasi_perfect(tree, *parsed(solution))
    if solution.concept == "sequential":
        assert is_rational(tree, solution)
    if solution.concept == "perfect":
        assert kind in ("polynomials", "backward-induction") or any(
            solution.certificate is s.certificate for s in true_solutions(tree)
        )


# -- the table ----------------------------------------------------------------------------------------


def test_the_games_are_of_their_kinds() -> None:
    assert [column for column, _ in games()] == [kind_of(tree) for _, tree in games()]
    assert {column for column, _ in games()} == set(COLUMNS[:5])


def test_every_cell_of_a_tree_that_names_a_theorem_is_proven() -> None:
    """By a true solution each; a bounded one of what is certified."""
    proven: set[Cell] = set()
    for column, tree in games():
        for solution in true_solutions(tree):
            for status in (Status.CERTIFIED, Status.BOUNDED):
                stated = replace(solution, status=status)
                if verify(tree, stated).ok:
                    require_true(tree, stated)
                    proven.add(cell_of(stated, column))
    assert proven == {cell for cell in table() if cell[3] in COLUMNS[:5]}


@pytest.mark.sample(8)
@pytest.mark.parametrize("number", range(len(games())))
def test_what_is_put_together_passes_only_where_it_may(number: int) -> None:
    require_agreement(number, 60)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(games())))
def test_much_that_is_put_together_passes_only_where_it_may(number: int) -> None:
    require_agreement(number, 600)


def require_agreement(number: int, times: int) -> None:
    column, tree = games()[number]
    rng = random.Random(f"table {number} {times}")
    for _ in range(times):
        solution = mixed(tree, rng)
        found = verify(tree, solution)
        cell = cell_of(solution, column)
        if found.ok:
            assert cell in table(), cell
            require_true(tree, solution)
            assert found.proven == (solution.concept if solution.status == Status.CERTIFIED else "bounds")
        alone = Equilibria(game=solution.game, solutions=(solution,), unique=rng.choice((None, True)))
        assert verify(tree, alone).ok == (found.ok and (*cell[:3], LIST) in table())
        assert not verify(tree, replace(alone, unique=False)).ok
        twice = replace(alone, solutions=(solution, solution), unique=rng.choice((None, True, False)))
        assert not verify(tree, twice).ok


def test_one_cell_at_a_time() -> None:
    """Every concept, kind and status with what is true otherwise: nothing passes in a cell without a theorem."""
    for column, tree in games()[::3]:
        for solution in true_solutions(tree):
            for concept, status in itertools.product(CONCEPTS, Status):
                for marked in (solution.strategies, everywhere(solution.strategies)):  # type: ignore[arg-type]
                    for believed in (solution.beliefs, None):
                        stated = replace(solution, concept=concept, status=status, strategies=marked, beliefs=believed)
                        if verify(tree, stated).ok:
                            assert cell_of(stated, column) in table()
                            require_true(tree, stated)


# -- games that are not built ---------------------------------------------------------------------------


def by_rules(tree: GameTree, strategies: Profile) -> tuple[UnbuiltStrategy, UnbuiltStrategy]:
    one, two = (
        UnbuiltStrategy(
            player,
            DefaultRule("first"),
            {
                f"{player + 1}.{k}": tuple(zip(labels, row, strict=True))
                for k, (labels, row) in enumerate(zip(strategy.actions, rows_of(strategy), strict=True), 1)
            },
        )
        for player, strategy in enumerate(strategies)
    )
    return one, two


def variants(solution: StatedSolution, rng: random.Random, certificates: Sequence[Any]) -> Iterator[StatedSolution]:
    """The same with every concept, status and certificate, and some bounds."""
    for concept, status in itertools.product(CONCEPTS, Status):
        for certificate in (solution.certificate, *certificates):
            bounds = rng.choice((solution.bounds, solution.bounds, None))
            yield replace(solution, concept=concept, status=status, certificate=certificate, bounds=bounds)


def prisoners() -> GameTree:
    """The prisoners' dilemma, whose payoffs sum to 10 but where both talk, and to 2 there."""
    return tremble.matrix_game([[5, 0], [10, 1]], [[5, 10], [0, 1]])


def met_sum(tree: GameTree, strategies: Profile) -> F | None:
    """What the payoffs sum to at all leaves that either strategy allows, or None if that varies."""
    one, two = map(rows_of, strategies)
    everything = [[F(1, len(row))] * len(row) for row in one], [[F(1, len(row))] * len(row) for row in two]
    sums: set[F] = set()
    for chance, moves, pays in lines(tree):
        for x, y in ((one, everything[1]), (everything[0], two)):
            if chance and plays(tree, 0, x, moves) and plays(tree, 1, y, moves):
                sums.add(F(sum(pays)))
    return sums.pop() if len(sums) == 1 else None


def test_rules() -> None:
    proven: set[Cell] = set()
    rng = random.Random(8)
    dilemma = prisoners()
    quiet = profile(dilemma, [[1, 0]], [[1, 0]])
    for column, tree in (*games()[::2], (COLUMNS[1], dilemma)):
        game = UnbuiltGame.of(RulesOfTree(tree))
        pool: list[Any] = [certificate for certificate in parts(tree)["certificate"] if "kind" in certificate]
        for strategies in [quiet] * 4 if tree is dilemma else parts(tree)["strategies"][::3]:
            stated = by_rules(tree, strategies)
            values = expected(tree, *map(rows_of, strategies))
            best = best_values(tree, strategies)
            constant, met = tree.constant_sum, met_sum(tree, strategies)
            solution = StatedSolution(
                game=GameReference.of(game), concept="nash", requested="nash", method=MethodReference("by hand", {}),
                status=Status.CERTIFIED, values=values, strategies=stated, stats={},
                bounds=None if met is None else (met - best[1], best[0]),
                certificate=certificates.best_response(values, best),
            )  # fmt: skip
            for variant in variants(solution, rng, pool[:2]):
                found = verify(game, variant)
                alone = Equilibria(game=variant.game, solutions=(variant,))
                # Where the other's strategy lets nobody forget, there is nothing to forget: see N.
                sums = "constant sum" if constant is not None else "other sums"
                cell = cell_of(variant, column if column == "absentminded" else f"rules, {sums}")
                assert verify(game, alone).ok == (found.ok and (*cell[:3], LIST) in table())
                if found.ok:
                    proven.add(cell)
                    back = on_tree(game.rules, stated[0]), on_tree(game.rules, stated[1])  # type: ignore[arg-type]
                    require_true(tree, replace(variant, strategies=back), rules=True)
                    assert any("most that player 1 can guarantee" in note for note in found.notes) == (met is not None)
    assert proven == {cell for cell in table() if cell[3].startswith("rules")}


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(4))
def test_ordered_games(seed: int) -> None:
    """Uniform strategies and, where nothing is at stake, equilibria."""
    from tremble.poker.strategy import OrderedStrategy

    rules = SmallGame(seed, 4, [(0, 1)], constant=seed % 2 == 0)
    game, tree, rng = UnbuiltGame.of(rules), tremble.build(rules), random.Random(seed)
    strategies = OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1)
    played = behavior(rules, tree, strategies[0]), behavior(rules, tree, strategies[1])
    values = tremble.expected_values(tree, played)
    best = tremble.best_response(tree, played, 0)[0], tremble.best_response(tree, played, 1)[0]
    constant = tree.constant_sum
    column = f"rules, {'constant sum' if constant is not None else 'other sums'}"
    solution = StatedSolution(
        game=GameReference.of(game), concept="nash", requested="nash", method=MethodReference("by hand", {}),
        status=Status.CERTIFIED, values=values, strategies=strategies, stats={},
        bounds=None if constant is None else (constant - best[1], best[0]),
        certificate=certificates.best_response(values, best),
    )  # fmt: skip
    pool = [s.certificate for s in true_solutions(games()[0][1])]
    for variant in variants(solution, rng, pool):
        found = verify(game, variant)
        if found.ok:
            assert cell_of(variant, column) in table()
            assert variant.status == Status.BOUNDED or values == best
            assert (variant.bounds is not None) == (constant is not None)  # all sums are looked at
        alone = Equilibria(game=variant.game, solutions=(variant,))
        assert verify(game, alone).ok == (found.ok and variant.status == Status.CERTIFIED)
