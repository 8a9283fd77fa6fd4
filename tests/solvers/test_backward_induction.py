"""Games of perfect information: backward induction with mistakes, against the definitions at one small number."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import tremble
from command import run
from hand_made import F, chain
from hostile_games import hostile_game
from tremble import BehaviorStrategy, GameTree, TreeBuilder
from tremble.game.protocol import CHANCE
from tremble.solution.trembles import Trembles
from tremble.solvers import backward_induction

SMALL = F(1, 2**200)  # payoffs and weights below have few digits, and no play more than a dozen moves


def perfect_information(seed: int, *, zero_sum: bool, payoffs: int = 1, impossible: bool = True) -> GameTree:
    """A tree of sets of one node, full of ties."""
    rng, builder = random.Random(seed), TreeBuilder(title="perfect information")

    def grow(depth: int, place: str) -> None:
        if not depth or rng.random() < 0.15:
            pay = rng.randint(-payoffs, payoffs)
            builder.leaf(pay, -pay if zero_sum else rng.randint(-payoffs, payoffs))
            return
        mover = rng.choice((0, 0, 1, 1, None))
        labels = "abc"[: rng.choice((1, 2, 2, 3))]
        if mover is None:
            shares = [rng.choice((0, 1, 1, 3) if impossible else (1, 3)) for _ in labels]
            total = sum(shares)
            builder.chance(labels, [F(s, total) for s in shares] if total else [F(1), *[F(0)] * (len(labels) - 1)])
        else:
            builder.decision(mover, place, labels)
        for action in labels:
            grow(depth - 1, place + action)

    grow(5, "at ")
    return builder.finish()


def some_weights(tree: GameTree, seed: int) -> Trembles:
    rng = random.Random(seed)
    return Trembles.from_rows(tree, [[[rng.choice((1, 2, F(1, 3))) for _ in a] for a in sets] for sets in tree.actions])


def wrong_moves(tree: GameTree, profile: tuple[BehaviorStrategy, ...], trembles: Trembles, concept: str) -> list[int]:
    """Nodes where another action leads to more, at one small number: worked out on the tree, in fractions."""
    weight = [
        [side.tolist()[first:end] for first, end in pairwise(start.tolist())]
        for side, start in zip(trembles.weight, trembles.start, strict=True)
    ]
    worth: dict[int, tuple[Fraction, Fraction]] = {}
    wrong = []
    for node in reversed(range(tree.num_nodes)):
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        below = [worth[child] for child in tree.children(node)]
        if not below:
            worth[node] = tuple(F(int(u), tree.payoff_denominator) for u in tree.payoff[k])  # type: ignore[assignment]
            continue
        if mover == CHANCE:
            shares = tree.chance_tables[k].probabilities
            worth[node] = tuple(sum(p * u[i] for p, u in zip(shares, below, strict=True)) for i in (0, 1))  # type: ignore[assignment]
            continue
        played = profile[mover].row(k).index(1)
        if max(u[mover] for u in below) > below[played][mover]:
            wrong.append(node)
        shares = [w * SMALL for w in weight[mover][k]]
        shares[played] += 1 - sum(shares)
        erring = [sum(p * u[i] for p, u in zip(shares, below, strict=True)) for i in (0, 1)]
        if concept == "quasi-perfect":
            erring[mover] = below[played][mover]
        worth[node] = erring[0], erring[1]
    return wrong


@pytest.fixture
def deep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every game is taken for a deep one."""
    monkeypatch.setattr(backward_induction, "_MOST_COEFFICIENTS", 0)


@pytest.mark.sample(10)
@pytest.mark.usefixtures("deep")
@pytest.mark.parametrize("seed", range(30))
def test_what_is_claimed_of_deep_games(seed: int, tmp_path: Path) -> None:
    zero_sum, payoffs = seed % 2 == 0, (1, 50)[seed % 3 == 0]
    tree = perfect_information(seed, zero_sum=zero_sum, payoffs=payoffs)
    trembles = some_weights(tree, seed) if seed % 5 == 0 else Trembles.uniform(tree)
    for concept in ("quasi-perfect", "perfect"):
        solution = tremble.solve(tree, concept, trembles=trembles)
        assert solution.certificate["kind"] == "backward-induction"
        assert not wrong_moves(tree, solution.strategies, trembles, concept)
        solution.to_json(tmp_path / f"{concept}.json")
        assert tremble.verify(tree, tremble.Solution.from_json(tmp_path / f"{concept}.json")).proven == concept
        assert tremble.certify(tree, solution.strategies, concept="sequential").status.value == "certified"
    assert (
        tremble.certify(tree, tremble.solve(tree, "quasi-perfect").strategies, "quasi-perfect").status.value
        == "certified"
    )
    sequential = tremble.solve(tree, "sequential")
    assert sequential.certificate["kind"] == "consistent-trembles"
    assert tremble.solve(tree, "nash").status.value == "certified"


@pytest.mark.sample(10)
@pytest.mark.usefixtures("deep")
@pytest.mark.parametrize("seed", range(30))
def test_other_moves_are_refused(seed: int) -> None:
    """The certificate passes for whatever has no wrong move, and for nothing else."""
    tree = perfect_information(seed, zero_sum=seed % 2 == 0)
    rng, trembles = random.Random(seed), Trembles.uniform(tree)
    for concept in ("quasi-perfect", "perfect"):
        solution = tremble.solve(tree, concept)
        verdicts = set()
        for _ in range(12):
            player = rng.randrange(2)
            if not tree.num_infosets[player]:
                continue
            k = rng.randrange(tree.num_infosets[player])
            rows = [list(row) for row in solution.strategies[player]]
            rows[k] = [F(1) if a == rng.randrange(len(rows[k])) else F(0) for a in range(len(rows[k]))]
            if sum(rows[k]) != 1:
                continue
            changed = BehaviorStrategy.from_rows(tree, player, rows)
            changed = replace(changed, off_path=np.zeros_like(changed.off_path))
            profile = (changed, solution.strategies[1]) if player == 0 else (solution.strategies[0], changed)
            verification = tremble.verify(tree, replace(solution, strategies=profile))
            right = not wrong_moves(tree, profile, trembles, concept)
            said = [p for p in verification.problems if "earns more" in p]
            assert right == (not said)
            verdicts.add(right)
        assert verdicts <= {True, False}


def test_what_no_certificate_of_this_kind_proves() -> None:
    kuhn = tremble.load("kuhn")
    solution = tremble.solve(kuhn, "quasi-perfect")
    forged = replace(solution, certificate={"kind": "backward-induction", "trembles": None})
    assert "every information set has one node" in tremble.verify(kuhn, forged).problems[0]
    tree = hostile_game("perfect information", 3)
    solution = tremble.solve(tree, "perfect")
    for certificate, said in (
        ({"kind": "backward-induction"}, "trembles: missing"),
        ({"kind": "backward-induction", "trembles": None, "orders": 2}, "no such field"),
        ({"kind": "backward-induction", "trembles": 7}, "trembles"),
    ):
        assert any(
            said in problem for problem in tremble.verify(tree, replace(solution, certificate=certificate)).problems
        )


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", range(20))
def test_the_oracle_confirms_where_backward_induction_leads(seed: int) -> None:
    """Nothing is left to floats and pivots, merged or not, tied or not."""
    tree = perfect_information(seed, zero_sum=True, impossible=False)
    for merge in (True, False):
        solution = tremble.solve(tree, "perfect", tremble.methods.Lp(merge=merge))
        if sum(tree.num_infosets):
            assert (solution.stats["refinement_float_iterations"], solution.stats["refinement_exact_pivots"]) == (0, 0)
        solution = tremble.solve(tree, "quasi-perfect", tremble.methods.Lp(merge=merge))
        assert solution.stats["refinement_exact_pivots"] == 0


def test_mistakes_that_cannot_come_are_told_apart() -> None:
    """Where chance never comes, programs merge what is worth different things there: backward induction gives way."""
    for seed in range(12):
        tree = hostile_game("impossible chance", seed, hidden=0.0)
        assert tremble.solve(tree, "perfect").status.value == "certified"


@pytest.mark.parametrize("length", [60, 100])
def test_centipedes_need_no_pivots(length: int) -> None:
    for concept in ("quasi-perfect", "perfect"):
        stats = tremble.solve(tremble.load(f"centipede:length={length}"), concept).stats
        assert stats["pivots"] == 0


@pytest.mark.parametrize("concept", ["nash", "quasi-perfect", "sequential", "perfect"])
def test_it_is_said_where_nothing_else_was_needed(concept: str) -> None:
    alone = r"method +(lemke|lp) \(backward induction alone sufficed: every\s+information set is one node\)"
    for game in ("centipede", "centipede:length=3000"):
        assert re.search(alone, run("solve", game, "--concept", concept).stdout)
    assert not re.search("backward induction", run("solve", "battle_outside", "--concept", concept).stdout)


@pytest.mark.parametrize("length", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_long_chains(length: int) -> None:
    tree = chain(length)
    for concept in ("nash", "quasi-perfect", "perfect"):
        assert tremble.solve(tree, concept).status.value == "certified"
    solution = tremble.solve(tree, "quasi-perfect")
    assert tremble.certify(tree, solution.strategies, concept="quasi-perfect").status.value == "certified"
    assert tremble.certify(tree, solution.strategies, concept="perfect").status.value == "certified"


def test_all_is_tied_in_a_deep_game() -> None:
    """Identical subtrees as deep as can be: polynomials are the same to their last coefficient."""
    builder = TreeBuilder(title="twins")
    builder.decision(0, "which", ("one", "other"))
    for twin in ("one", "other"):
        for i in range(150):
            builder.decision((i + 1) % 2, f"{twin} {i}", ("stop", "go"))
            pay = random.Random(i).randint(-3, 3)
            builder.leaf(pay, -pay)
        builder.leaf(0, 0)
    tree = builder.finish()
    solution = tremble.solve(tree, "perfect")
    assert solution.status.value == "certified"
    forged = replace(solution, certificate={"kind": "backward-induction", "trembles": None})
    assert tremble.verify(tree, forged).proven == "perfect" or solution.strategies[0].row(0) not in ([0, 1], [1, 0])
