"""The kernel proves what is true, refuses everything else, and says where."""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from claims import strategy_of
from hypothesis import given, settings
from hypothesis import strategies as st

import tremble
from hand_made import chain, kuhn, kuhn_equilibrium, profile, random_game, random_profile, solution_of
from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameTree, Solution, TreeBuilder, verify
from tremble.check.best_response import Outcome, evaluate
from tremble.check.case import worst_deviation
from tremble.check.limits import Limits
from tremble.check.tree import ImperfectRecall, SequenceForm, sequence_form
from tremble.game.requirements import last_sequence, parent_sequence
from tremble.game.table import StrategyTable
from tremble.numbers import format_fraction, parse_fraction
from tremble.results import StatedSolution
from tremble.solution import certificates
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.concepts import CONCEPTS
from tremble.solvers.recorder import proven_solution
from tremble.solvers.table import solvable
from tremble.status import Status

EPSILON = F(1, 10**12)


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return kuhn()


@pytest.fixture(scope="module")
def solution(tree: GameTree) -> Solution:
    return solution_of(tree, kuhn_equilibrium(tree, F(1, 4)))


def tampered(solution: Solution, change: Any) -> Solution:
    """The solution after ``change`` has been applied to its file."""
    document = json.loads(solution.to_text())
    change(document)
    return Solution.from_text(json.dumps(document))


# -- what is true passes -------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [F(0), F(1, 4), F(1, 3), F(10**30, 3 * 10**30 + 7)])
def test_kuhn_equilibria_pass(tree: GameTree, alpha: F) -> None:
    verification = verify(tree, solution_of(tree, kuhn_equilibrium(tree, alpha)))
    assert verification.problems == ()
    assert verification.ok
    assert verification.concept == "nash"
    assert verification.nash_conv == 0
    assert verification.values == verification.best_response_values == (F(-1, 18), F(1, 18))
    assert verification.bounds == (F(-1, 18), F(-1, 18))


@pytest.mark.parametrize("certificate", [{"kind": "nonsense"}, {"kind": "best-response", "values": ["1", "-1"]}])
def test_a_false_certificate_of_a_true_equilibrium_is_not_handed_out(tree: GameTree, certificate: Any) -> None:
    claim = Claim(kuhn_equilibrium(tree, F(1, 4)), {}, certificate)
    handed_out = proven_solution(tree, claim, "nash", MethodReference("by hand", {}))
    assert handed_out.certificate["kind"] == "best-response"
    assert handed_out.status is Status.CERTIFIED
    assert verify(tree, Solution.from_text(handed_out.to_text())).ok


def test_a_file_passes_as_the_solution_does(tree: GameTree, solution: Solution) -> None:
    assert verify(tree, Solution.from_text(solution.to_text())).ok


def test_labels_titles_and_specs_play_no_part(tree: GameTree, solution: Solution) -> None:
    def rename(document: dict[str, Any]) -> None:
        document["game"] |= {"title": "another", "spec": "kuhn"}
        document["stats"] = {}
        for row in document["strategies"][0]:
            row["label"] = "x"

    assert verify(tree, tampered(solution, rename)).ok


def test_general_sum() -> None:
    builder = TreeBuilder(title="prisoners")
    builder.decision(0, "one", ("quiet", "talk"))
    for payoffs in (((2, 2), (0, 3)), ((3, 0), (1, 1))):
        builder.decision(1, "two", ("quiet", "talk"))
        for pair in payoffs:
            builder.leaf(*pair)
    game = builder.finish()
    equilibrium = solution_of(game, profile(game, [[0, 1]], [[0, 1]]))
    assert equilibrium.bounds is None
    verification = verify(game, equilibrium)
    assert verification.ok
    assert verification.bounds is None
    stated = verify(game, replace(equilibrium, bounds=(F(1), F(1))))
    assert "no constant sum" in stated.problems[0]
    bounded = verify(game, replace(equilibrium, status=Status.BOUNDED))
    assert "constant sum" in bounded.problems[0]
    other = verify(game, solution_of(game, profile(game, [[1, 0]], [[0, 1]])))
    assert other.nash_conv == 1
    assert "player 1 can gain 1 by deviating" in other.problems[0]
    assert "player 1, information set 1 ('one')" in other.problems[0]


def test_a_root_that_is_a_leaf() -> None:
    builder = TreeBuilder()
    builder.leaf(F(1, 3), 2)
    game = builder.finish()
    trivial = solution_of(game, profile(game, [], []))
    assert verify(game, trivial).ok
    assert trivial.values == (F(1, 3), 2)
    assert not verify(game, replace(trivial, bounds=None)).ok


def test_one_player_forced_moves_and_impossible_chance() -> None:
    builder = TreeBuilder()
    builder.chance(("never", "always"), (0, 1))
    builder.decision(0, "n", ("a", "b"))
    builder.leaf(10**30, -(10**30))
    builder.leaf(0, 0)
    builder.decision(0, "y", ("only",))
    builder.decision(0, "z", ("a", "b"))
    builder.leaf(1, -1)
    builder.leaf(2, -2)
    game = builder.finish()
    assert verify(game, solution_of(game, profile(game, [[0, 1], [1], [0, 1]], []))).ok
    wrong = verify(game, solution_of(game, profile(game, [[1, 0], [1], [F(1, 3), F(2, 3)]], [])))
    assert wrong.nash_conv == F(1, 3)
    assert "information set 3 ('z')" in wrong.problems[0]


def test_huge_denominators(tree: GameTree) -> None:
    p = F(3**9000, 3**9000 + 2)
    second = kuhn_equilibrium(tree, F(1, 4))[1]
    mixed = BehaviorStrategy.from_rows(tree, 0, [[p, 1 - p]] * 6)
    stated = solution_of(tree, (mixed, second), Status.BOUNDED)
    assert verify(tree, Solution.from_text(stated.to_text())).ok
    assert not verify(tree, replace(stated, values=(stated.values[0] + F(1, 7**9000), stated.values[1]))).ok


@pytest.mark.parametrize("sets", [5_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_deep_trees(sets: int) -> None:
    game = chain(2 * sets)
    pass_on = profile(game, [[0, 1]] * sets, [[0, 1]] * sets)
    truth = replace(
        solution_of(kuhn(), kuhn_equilibrium(kuhn(), F(1, 4))),
        game=GameReference.of(game),
        strategies=pass_on,
        values=(F(0), F(0)),
        bounds=(F(0), F(0)),
        certificate=certificates.best_response((F(0), F(0)), (F(0), F(0))),
    )
    assert verify(game, truth).ok
    stop_late = replace(truth, strategies=profile(game, [[0, 1]] * (sets - 1) + [[1, 0]], [[0, 1]] * sets))
    verification = verify(game, stop_late)
    assert verification.nash_conv == 1
    assert any(f"player 1, information set {sets}" in problem for problem in verification.problems)


# -- what is wrong fails, with the place ---------------------------------------------------------


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, list[Any] | dict[str, Any], Any]]:
    """Every exact number of a document that takes part in the proof, with the container that holds it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        here = f"{path}.{key}" if isinstance(value, dict) else f"{path}[{key}]"
        if isinstance(item, dict | list):
            if key not in ("stats", "method"):
                yield from numbers(item, here)
        elif isinstance(item, str) and re.fullmatch(r"-?\d+(/\d+)?", item):
            yield here, value, key


def test_every_number_counts(tree: GameTree, solution: Solution) -> None:
    paths = [path for path, _, _ in numbers(json.loads(solution.to_text()))]
    assert len(paths) == 2 + 2 + 3 + 24  # values, bounds, certificate, probabilities
    for index, path in enumerate(paths):
        for delta in (EPSILON, -EPSILON):

            def change(document: dict[str, Any], index: int = index, delta: F = delta) -> None:
                _, holder, key = list(numbers(document))[index]
                holder[key] = format_fraction(parse_fraction(holder[key]) + delta)

            verification = verify(tree, tampered(solution, change))
            assert not verification.ok, path
            first = verification.problems[0]
            if path.startswith(".strategies"):
                player, row = map(int, re.findall(r"\[(\d+)\]", path)[:2])
                label = tree.infoset_labels[player][row]
                assert first.startswith(f"player {player + 1}, information set {row + 1} ({label!r}): "), first
                assert "1e-12" in first or "negative" in first
            elif path.startswith(".bounds"):
                assert first.startswith("bounds: the certified")
            else:
                assert first.startswith(path.lstrip(".")), (path, first)


def test_every_row_counts(tree: GameTree, solution: Solution) -> None:
    """Kuhn's equilibrium at alpha = 1/4 is isolated: moving 1e-12 from one action to the other is a mistake."""
    for player in (0, 1):
        for row in range(6):
            for sign in (1, -1):
                rows = [list(r) for r in solution.strategies[player]]
                rows[row] = [rows[row][0] + sign * EPSILON, rows[row][1] - sign * EPSILON]
                if min(rows[row]) < 0:
                    continue
                changed = list(solution.strategies)
                changed[player] = BehaviorStrategy.from_rows(tree, player, rows)
                verification = verify(tree, replace(solution, strategies=tuple(changed)))
                gains = [problem for problem in verification.problems if "can gain" in problem]
                assert gains, (player, row, sign)
                assert verification.nash_conv > 0
                assert all("information set" in gain for gain in gains)
                # ... even when everything else in the file is adjusted.
                assert not verify(tree, solution_of(tree, tuple(changed))).ok


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d["game"].update(digest="sha256:" + "0" * 64), r"game\.digest: the solution belongs to another"),
        (lambda d: d["game"].update(digest=None), r"game\.digest: .* no digest"),
        (lambda d: d["strategies"][0].pop(2), r"player 1, information set 3 \('Q'\): the row is missing"),
        (lambda d: d["strategies"][1].clear(), r"player 2, information set 1 .*missing"),
        (
            lambda d: d["strategies"][1].append({"infoset": 7, "label": "more", "actions": [["a", "1"]]}),
            r"player 2, information set 7: there is no such set; the player has 6",
        ),
        (lambda d: d["strategies"][0][0].update(infoset=0), r"player 1, information set 0: there is no such set"),
        (lambda d: d["strategies"][0].append(d["strategies"][0][0]), r"player 1, information set 1 .* more than once"),
        (lambda d: d["strategies"][0].reverse(), r"player 1: the rows are not sorted"),
        (
            lambda d: d["strategies"][0][0]["actions"][1].__setitem__(0, "raise"),
            r"player 1, information set 1 \('J'\): the actions are \('check', 'raise'\), but .* \('check', 'bet'\)",
        ),
        (
            lambda d: d["strategies"][0][0]["actions"].reverse(),
            r"player 1, information set 1 .* \('bet', 'check'\), but the game has \('check', 'bet'\)",
        ),
        (
            lambda d: d["strategies"][0][0]["actions"].pop(),
            r"player 1, information set 1 .* the actions are \('check',\)",
        ),
        (
            lambda d: d["strategies"][0][0].update(actions=[["check", "5/4"], ["bet", "-1/4"]]),
            r"player 1, information set 1 \('J'\): the probability of 'bet' is negative: -1/4",
        ),
        (
            lambda d: d["strategies"][1][3].update(actions=[["fold", "1/2"], ["call", "1/3"]]),
            r"player 2, information set 4 .*: the probabilities sum to 5/6, not 1",
        ),
        (lambda d: d["strategies"].reverse(), r"values\[0\]: the expected payoff of player 1 is stated as -1/18"),
        (lambda d: d["values"].reverse(), r"values\[0\]: the expected payoff of player 1 is stated as 1/18"),
        (lambda d: d.pop("bounds"), r"bounds: missing"),
        (lambda d: d.update(bounds=["-1", "1"]), r"bounds: the certified lower bound must equal the value; stated"),
        (lambda d: d.update(certificate={}), r"certificate\.kind: missing"),
        (lambda d: d["certificate"].update(kind="faith"), r"certificate\.kind: 'faith'"),
        (lambda d: d["certificate"].update(kind=[1]), r"certificate\.kind: "),
        (lambda d: d["certificate"].update(nash_conv="1e-3"), r"certificate\.nash_conv: not an exact number"),
        (lambda d: d["certificate"].pop("nash_conv"), r"certificate\.nash_conv: missing"),
        (lambda d: d["certificate"].update(best_response_values=["0"]), r"certificate\.best_response_values: not a "),
        (lambda d: d["certificate"].update(best_response_values=[[], 3]), r"certificate\.best_response_values\[0\]"),
        (lambda d: d["certificate"].update(more=1), r"certificate\.more: "),
        (
            lambda d: d["strategies"][0][0].update(off_path=True),
            r"player 1, information set 1 \('J'\): marked off_path",
        ),
        (lambda d: d.update(concept="cooperative"), r"concept: this version cannot check 'cooperative'"),
        (lambda d: d.update(status="limit-reached"), r"status: 'limit-reached' states neither"),
        (lambda d: d.update(beliefs=[[], []]), r"beliefs: the concept 'nash' defines no beliefs"),
    ],
)
def test_tampering_is_found(tree: GameTree, solution: Solution, change: Any, place: str) -> None:
    verification = verify(tree, tampered(solution, change))
    assert not verification.ok
    assert re.match(place, verification.problems[0]), verification.problems


def test_off_path_marks(tree: GameTree) -> None:
    edge = solution_of(tree, kuhn_equilibrium(tree, F(1, 3)))  # the king always bets
    row = next(k for k, label in enumerate(tree.infoset_labels[0]) if label == "K after check, bet")
    assert edge.strategies[0].off_path[row]
    verification = verify(tree, tampered(edge, lambda d: d["strategies"][0][row].pop("off_path")))
    assert verification.problems == (
        f"player 1, information set {row + 1} ('K after check, bet'): "
        "not marked off_path, but the player's own strategy never reaches it",
    )


def test_another_game(tree: GameTree, solution: Solution) -> None:
    builder = TreeBuilder(title="Kuhn poker")  # the same sets and actions, another payoff
    for node in tree.in_preorder.tolist():
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == CHANCE:
            builder.chance(tree.chance_tables[k].labels, tree.chance_tables[k].probabilities)
        elif mover == TERMINAL:
            one, two = tree.payoff_at(k)
            builder.leaf(one + EPSILON * (k == 0), two - EPSILON * (k == 0))
        else:
            builder.decision(mover, k, tree.actions[mover][k], tree.infoset_labels[mover][k])
    other = builder.finish()
    verification = verify(other, solution)
    assert verification.problems[0].startswith("game.digest: the solution belongs to another game")
    forged = verify(other, replace(solution, game=GameReference.of(other)))
    assert forged.problems[0].startswith("values[0]: ")
    assert "1e-12" not in verification.problems[0]


def test_swapped_players(tree: GameTree, solution: Solution) -> None:
    one, two = solution.tables
    verification = verify(tree, replace(solution, strategies=(two, one)))
    assert verification.problems[0] == "strategies[0]: this is a strategy of player 2"


def test_many_problems_are_counted() -> None:
    game = chain(100)
    stated = solution_of(game, profile(game, [[0, 1]] * 50, [[0, 1]] * 50))
    verification = verify(game, tampered(stated, lambda d: d["strategies"][0].clear()))
    assert len(verification.problems) == 21
    assert verification.problems[-1] == "and 30 more"
    assert verification.nash_conv is None
    assert verification.values is None


def test_sums_cannot_overflow() -> None:
    """Numerators that sum to their denominator modulo 2**64 only."""
    builder = TreeBuilder()
    builder.decision(0, "set", [f"a{i}" for i in range(9)])
    for _ in range(9):
        builder.leaf(0, 0)
    game = builder.finish()
    honest = solution_of(game, profile(game, [[F(1, 9)] * 9], []))
    shares = [F(2**61, 1)] * 8 + [F(1)]
    rows = [[f"a{i}", format_fraction(p)] for i, p in enumerate(shares)]
    forged = tampered(honest, lambda d: d["strategies"][0][0].update(actions=rows))
    assert "sum to" in verify(game, forged).problems[0]


def test_imperfect_recall_is_a_problem() -> None:
    builder = TreeBuilder()
    builder.decision(0, "first", ("l", "r"))
    for _ in range(2):
        builder.decision(0, "forgot", ("l", "r"))
        builder.leaf(1, -1)
        builder.leaf(0, 0)
    game = builder.finish()
    rows = [[1, 0], [1, 0]]
    stated = StatedSolution(
        game=GameReference.of(game),
        concept="nash",
        requested="nash",
        method=solution_of(kuhn(), kuhn_equilibrium(kuhn(), F(1, 4))).method,
        status=Status.CERTIFIED,
        values=(F(1), F(-1)),
        bounds=(F(1), F(1)),
        strategies=(BehaviorStrategy.from_rows(game, 0, rows), BehaviorStrategy.uniform(game, 1)),
        certificate={},
        stats={},
    )
    verification = verify(game, stated)
    assert verification.problems[0].startswith("player 1, information set 2 ('forgot'): the player forgets")
    with pytest.raises(ImperfectRecall, match="no perfect recall"):
        sequence_form(game, Limits.for_game(game.num_nodes))


# -- bounds --------------------------------------------------------------------------------------


def test_bounded(tree: GameTree) -> None:
    uniform = (BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1))
    stated = solution_of(tree, uniform, Status.BOUNDED)
    verification = verify(tree, stated)
    assert verification.ok
    assert verification.bounds == stated.bounds == (F(-5, 12), F(1, 2))
    lower, upper = F(-5, 12), F(1, 2)
    assert verify(tree, replace(stated, bounds=(lower - EPSILON, upper + EPSILON))).ok
    (high,) = verify(tree, replace(stated, bounds=(lower + EPSILON, upper))).problems
    assert "the strategy of player 1 guarantees only -5/12" in high
    (low,) = verify(tree, replace(stated, bounds=(lower, upper - EPSILON))).problems
    assert "player 1 can earn 1/2" in low
    assert not verify(tree, replace(stated, bounds=None)).ok
    assert not verify(tree, replace(stated, status=Status.CERTIFIED)).ok


# -- against independent computations ------------------------------------------------------------


def earned(game: GameTree, strategies: tuple[BehaviorStrategy, BehaviorStrategy]) -> tuple[SequenceForm, Outcome]:
    """Return the sequence form of a game, and what the strategies earn."""
    limits = Limits.for_game(game.num_nodes)
    form = sequence_form(game, limits)
    one, two = (strategy_of(StrategyTable.of(strategy)) for strategy in strategies)
    return form, evaluate(form, (one, two), limits)


def check_against_response(game: GameTree, strategies: tuple[BehaviorStrategy, BehaviorStrategy]) -> None:
    limits = Limits.for_game(game.num_nodes)
    form, outcome = earned(game, strategies)
    assert outcome.gains is not None
    assert outcome.values == tremble.expected_values(game, strategies)
    assert outcome.nash_conv == tremble.nash_conv(game, strategies)
    assert outcome.constant_sum == game.constant_sum
    for player in (0, 1):
        result, sequences = outcome[player], form.sequences[player]
        assert result.best_response_value == tremble.best_response(game, strategies, player)[0]
        reached = [bool(result.plan.weight[prior]) for _, prior, _, _ in sequences.sets]
        assert reached == [not mark for mark in strategies[player].off_path]
        worst = worst_deviation(form, outcome, player, limits)
        assert (worst is None) == (outcome.gains[player] == 0)
        if worst is not None:
            assert 0 < worst.cost <= outcome.gains[player]
            first = sequences.sets[worst.infoset][2]
            assert worst.probability == strategies[player].row(worst.infoset)[worst.played - first]
        assert [prior for _, prior, _, _ in sequences.sets] == parent_sequence(game, player).tolist()
        assert sequences.at_node[game.leaves].tolist() == last_sequence(game, player)[game.leaves].tolist()


@settings(deadline=None, max_examples=150)
@given(seed=st.integers(0, 10**9), zero_sum=st.booleans(), big=st.booleans(), limit=st.sampled_from([1, 6, 10**40]))
def test_agrees_with_response(seed: int, zero_sum: bool, big: bool, limit: int) -> None:
    game = random_game(seed, zero_sum=zero_sum, big=big)
    strategies = random_profile(game, seed + 1, limit)
    check_against_response(game, strategies)
    stated = solution_of(game, strategies, Status.BOUNDED)
    assert verify(game, stated).ok == (game.constant_sum is not None)
    gain = tremble.nash_conv(game, strategies)
    if game.constant_sum is not None:
        assert verify(game, replace(stated, status=Status.CERTIFIED)).ok == (gain == 0)
        assert verify(game, Solution.from_text(stated.to_text())).ok


def worth(game: GameTree, rows: tuple[list[Any], list[Any]], player: int) -> F:
    """Expected payoff, node by node and leaf by leaf."""
    reach = [F(1)] * game.num_nodes
    total = F(0)
    for node in range(game.num_nodes):
        mover, k = int(game.player[node]), int(game.infoset[node])
        if mover == TERMINAL:
            total += reach[node] * game.payoff_at(k)[player]
            continue
        shares = game.chance_tables[k].probabilities if mover == CHANCE else rows[mover][k]
        for i, child in enumerate(game.children(node)):
            reach[child] = reach[node] * shares[i]
    return total


def pure_strategies(game: GameTree, player: int) -> Iterator[list[list[int]]]:
    for choice in itertools.product(*(range(len(labels)) for labels in game.actions[player])):
        yield [
            [int(j == c) for j in range(len(labels))] for c, labels in zip(choice, game.actions[player], strict=True)
        ]


def test_agrees_with_enumeration() -> None:
    checked = 0
    for seed in range(400):
        game = random_game(seed, depth=4, zero_sum=seed % 2 == 0)
        counts = [1, 1]
        for player in (0, 1):
            for labels in game.actions[player]:
                counts[player] *= len(labels)
        if max(counts) > 64 or game.num_nodes > 60:
            continue
        strategies = random_profile(game, seed)
        _, evaluation = earned(game, strategies)
        assert evaluation.values is not None
        assert evaluation.best_response_values is not None
        rows = (list(strategies[0]), list(strategies[1]))
        for player in (0, 1):
            assert evaluation.values[player] == worth(game, rows, player)
            best = max(
                worth(game, (pure, rows[1]) if player == 0 else (rows[0], pure), player)
                for pure in pure_strategies(game, player)
            )
            assert evaluation.best_response_values[player] == best
        checked += 1
    assert checked > 100


@pytest.mark.parametrize("seeds", [range(80), pytest.param(range(80, 300), marks=pytest.mark.slow)])
def test_saddle_points_of_random_games(seeds: range) -> None:
    """Where a pure saddle point exists, the verifier passes exactly the saddle points."""
    saddles = 0
    for seed in seeds:
        game = random_game(seed, depth=3)
        pures = [list(pure_strategies(game, player)) for player in (0, 1)]
        if len(pures[0]) * len(pures[1]) > 40 or game.num_nodes > 40:
            continue
        value = {(a, b): worth(game, (x, y), 0) for a, x in enumerate(pures[0]) for b, y in enumerate(pures[1])}
        for (a, b), v in value.items():
            saddle = (
                v == max(value[c, b] for c in range(len(pures[0]))) == min(value[a, c] for c in range(len(pures[1])))
            )
            strategies = profile(game, pures[0][a], pures[1][b])
            assert verify(game, solution_of(game, strategies)).ok == saddle
            saddles += saddle
    assert saddles > len(seeds) // 6


# -- nothing heavy ------------------------------------------------------------------------------


def test_importing_the_kernel_is_light() -> None:
    code = (
        "import sys, tremble.check; "
        "heavy = {'scipy', 'highspy', 'numba', 'flint', 'tremble.game', 'tremble.solution'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_random_noise_in_equilibria(tree: GameTree, solution: Solution) -> None:
    """Several rows off by tiny amounts at once: never certified."""
    rng = random.Random(3)
    for _ in range(50):
        changed = []
        for player in (0, 1):
            rows = []
            for row in solution.strategies[player]:
                shift = rng.choice((0, 1, 1)) * F(rng.randint(1, 9), 10**15)
                rows.append([row[0] - shift, row[1] + shift] if row[0] > row[1] else [row[0] + shift, row[1] - shift])
            changed.append(BehaviorStrategy.from_rows(tree, player, rows))
        if all(list(new) == list(old) for new, old in zip(changed, solution.strategies, strict=True)):
            continue
        assert not verify(tree, solution_of(tree, tuple(changed))).ok


@pytest.mark.parametrize("concept", sorted(solvable()))
def test_a_kind_of_more_digits_than_python_writes(concept: str) -> None:
    pennies = tremble.load("matching_pennies")
    faultless = (
        tremble.strategies.Trembles.from_rows(pennies, ["none", [[1, 1]]]) if CONCEPTS[concept].one_sided else None
    )
    solution = tremble.solve(pennies, concept, trembles=faultless)
    wrong = replace(solution, certificate={**solution.certificate, "kind": 10**5000})
    assert any(
        re.match("(certificate.kind: |concept: 'maxmin' needs)", problem) for problem in verify(pennies, wrong).problems
    )


def test_of_a_file_of_another_game_nothing_else_is_listed() -> None:
    """Whatever else is wrong: one problem that names both games, and no weaker verdict."""
    tree, leduc = tremble.load("kuhn"), tremble.load("leduc:ranks=2")
    solution = tremble.solve(tree)
    for stated in (solution, replace(solution, status=Status.LIMIT_REACHED), replace(solution, values=(F(9), F(9)))):
        verification = verify(leduc, stated)
        (problem,) = verification.problems
        assert re.search(r"names 'kuhn' \(sha256:\w{16}\.\.\.\), but this is 'leduc:ranks=2' \(sha256:", problem)
        assert problem.endswith("give the game that the solution names, or solve this one")
        assert (verification.ok, verification.proven, verification.values) == (False, None, None)
    changed = replace(solution, game=replace(solution.game, digest="sha256:0"))
    assert verify(tree, changed).problems[0].endswith("the game has changed since it was solved: solve it again")
    listed = tremble.all_equilibria(tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]]))
    several = tremble.verify(tree, listed)
    assert not several.ok
    assert len(several.problems) == 1
    assert several.proven is None
