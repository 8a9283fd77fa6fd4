"""Check certificates of maxmin strategies: naive certificates, brute force, and every way to spoil them."""

from __future__ import annotations

import io
import itertools
import random
import re
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from rich.console import Console

import tremble
from check.claims import claim_of, strategy_of
from forgetful import (
    Cell,
    F,
    Game,
    Vertex,
    a_loss,
    cells_of,
    everywhere,
    expected,
    forgetting,
    guarantee,
    lines,
    plays,
    rows_of,
    stated,
)
from hand_made import chain, profile, random_profile, random_rows
from tremble import BehaviorStrategy, GameTree, Solution, TreeBuilder, check
from tremble.check import Limits, Verification
from tremble.check.limits import BITS, STEPS_PER_NODE
from tremble.game.table import StrategyTable
from tremble.recall.certificates import BranchingCertificate, BranchingLeaf
from tremble.recall.check import outcome_of_maxmin
from tremble.results import StatedSolution
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.schema import FREE_FORM
from tremble.solvers.recorder import stated_solution
from tremble.status import Status
from tremble.text.verifications import verification_view

EXTRA = {"maxmin": outcome_of_maxmin}


def verify(tree: GameTree, solution: Any, limits: Limits | None = None) -> Verification:
    """Return the verdict of the kernel on a solution; the tables say whose strategy stands where."""
    return check.check(tree, claim_of(solution), limits, EXTRA)


def prove(
    tree: GameTree, strategies: tuple[BehaviorStrategy, BehaviorStrategy], *, concept: str, certificate: Any
) -> Verification:
    """Return what the kernel says that strategies deserve."""
    rows = strategy_of(StrategyTable.of(strategies[0])), strategy_of(StrategyTable.of(strategies[1]))
    claim = check.Claim(concept, "certified", rows, None, certificate, digest=tree.digest)
    return check.judge(tree, claim, None, EXTRA).verification


# -- brute force -----------------------------------------------------------------------------------


def mixed_bound(
    tree: GameTree, player: int, cell: Cell, mix: list[tuple[list[Vertex], int]], free: set[int]
) -> Fraction:
    """The greatest expected payoff at the vertices of a cell; each own sequence chooses for itself at free sets."""
    whole = sum(weight for _, weight in mix)
    gains: dict[tuple[tuple[int, int], ...], Fraction] = {}
    for chance, moves, payoff in lines(tree):
        own = tuple((k, a) for mover, k, a in moves if mover == player)
        faced = sum((weight * plays(tree, 1 - player, reply, moves) for reply, weight in mix), F(0))
        gains[own] = gains.get(own, F(0)) + chance * payoff[player] * faced / whole
    firm = [k for k in range(len(cell)) if k not in free]

    def worth(own: tuple[tuple[int, int], ...], taken: dict[int, int]) -> Fraction:
        total = gains.get(own, F(0))
        for k in {longer[len(own)][0] for longer in gains if longer[: len(own)] == own and len(longer) > len(own)}:
            after = [worth((*own, (k, a)), taken) for a in range(len(cell[k]))]
            options = [sum((p * w for p, w in zip(v, after, strict=True)), F(0)) for v in cell[k]]
            total += max(options) if k in free else options[taken[k]]
        return total

    choices = itertools.product(*(range(len(cell[k])) for k in firm))
    return max(worth((), dict(zip(firm, choice, strict=True))) for choice in choices)


# -- games and certificates ------------------------------------------------------------------------


def every_set(widths: Sequence[int], sets: Sequence[int]) -> list[int]:
    """The choice tree that fixes these sets in this order."""
    tree = [0]
    for k in reversed(sets):
        tree = [k + 1, *tree * widths[k]]
    return tree


def random_splits(rng: random.Random, widths: Sequence[int], left: int, bits: int) -> list[list[int]]:
    able = [k for k, n in enumerate(widths) if n > 1]
    if left == 0 or not able or rng.random() < 0.1:
        return [[]]
    k = rng.choice(able)
    i, j = rng.sample(range(widths[k]), 2)
    parts = [random_splits(rng, widths, left - 1, bits) for _ in range(2)]
    return [[k + 1, i, j, rng.randint(1, 2**bits - 1), bits], *parts[0], *parts[1]]


def certificate_of(
    tree: GameTree,
    player: int,
    x: Sequence[Vertex],
    rng: random.Random,
    *,
    bits: int = 2,
    weight: int = 5,
    depth: int = 3,
) -> BranchingCertificate:
    """Bounds by brute force, from random divisions, random replies and random choices."""
    widths, opposing = ([len(row) for row in tree.actions[i]] for i in (player, 1 - player))
    splits = random_splits(rng, widths, depth, bits)
    replies = [[rng.randrange(n) for n in opposing] for _ in range(4)]
    points = [[[F(a == c) for a in range(n)] for n, c in zip(opposing, r, strict=True)] for r in replies]
    leaves, bounds = [], []
    for cell in cells_of(splits, widths):
        firm = rng.sample(range(len(widths)), rng.randint(0, len(widths)))
        mix = [(r, rng.randint(1, weight)) for r in rng.sample(range(4), rng.randint(1, 4))]
        leaves.append(BranchingLeaf(mix, every_set(widths, firm)))
        bounds.append(
            mixed_bound(tree, player, cell, [(points[r], w) for r, w in mix], set(range(len(widths))) - {*firm})
        )
    return BranchingCertificate(
        player=player, epsilon=F(10**45), lower=guarantee(tree, player, x), upper=max(bounds),
        response=every_set(opposing, range(len(opposing))), replies=replies, splits=splits, leaves=leaves,
    )  # fmt: skip


TINY = F(1, 10**12)


def game_with_certificate(seed: int, **how: Any) -> Game:
    tree = forgetting(seed)
    rng = random.Random(seed)
    strategies = everywhere(random_profile(tree, seed))
    player = seed % 2
    return tree, strategies, certificate_of(tree, player, rows_of(strategies[player]), rng, **how)


# -- what holds ------------------------------------------------------------------------------------


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", range(30))
def test_bounds_are_those_of_brute_force(seed: int) -> None:
    """Both bounds are proven as they are, none any better; and no strategy guarantees more than the upper one."""
    tree, strategies, certificate = game_with_certificate(seed)
    found = verify(tree, Solution.from_text(stated(tree, strategies, certificate).to_text()))
    assert found.ok, found.problems
    assert (found.proven, found.nash_conv, found.best_response_values) == ("maxmin", None, None)
    for wrong, words in (
        ({"lower": certificate.lower + TINY}, "certificate.lower: "),
        ({"upper": certificate.upper - TINY}, "exceeds the upper bound"),
    ):
        spoiled = verify(tree, stated(tree, strategies, replace(certificate, **wrong)))
        assert not spoiled.ok
        assert words in spoiled.problems[0]
        assert spoiled.bounds is None
    rng = random.Random(seed)
    for _ in range(5):
        x = random_rows(tree, certificate.player, rng)
        assert guarantee(tree, certificate.player, x) <= certificate.upper


@pytest.mark.parametrize(("bits", "weight", "scale"), [(53, 5, 6), (2, 2**52, 6), (53, 2**52, 6), (29, 2**30, 10**40)])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_rounded_is_rounded_upward_and_little(seed: int, bits: int, weight: int, scale: int) -> None:
    tree = forgetting(seed, scale=scale)
    strategies = everywhere(random_profile(tree, seed))
    rng = random.Random(seed)
    certificate = certificate_of(tree, seed % 2, rows_of(strategies[seed % 2]), rng, bits=bits, weight=weight)
    little = scale * (TINY if bits == 2 else F(1, 10**7))
    above = replace(certificate, upper=certificate.upper + little)
    assert verify(tree, stated(tree, strategies, above)).ok
    below = replace(certificate, upper=certificate.upper - TINY * TINY)
    assert not verify(tree, stated(tree, strategies, below)).ok


@pytest.mark.parametrize("x", [3, 10, 100])
def test_the_a_loss_counterexample_is_exact(x: int) -> None:
    tree, strategies, certificate = a_loss(x)
    solution = stated(tree, strategies, certificate)
    found = verify(tree, solution)
    assert (found.ok, found.bounds) == (True, (-1, -1))
    uniform = tuple(BehaviorStrategy.uniform(tree, player) for player in (0, 1))
    worse = replace(certificate, lower=F(-x, 2), epsilon=F(x))
    assert verify(tree, stated(tree, uniform, worse)).ok  # type: ignore[arg-type]


def test_one_leaf_proves_matching_pennies() -> None:
    tree = tremble.load("matching_pennies")
    uniform = BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    for player in (0, 1):
        certificate = BranchingCertificate(
            player=player, epsilon=F(0), lower=F(0), upper=F(0), response=[0], replies=[[0], [1]], splits=[()],
            leaves=[BranchingLeaf([(0, 7), (1, 7)], [0])],
        )  # fmt: skip
        assert verify(tree, stated(tree, uniform, certificate)).ok


@pytest.mark.parametrize("player", [0, 1])
def test_what_hexadecimal_numbers_guarantee_is_told(player: int) -> None:
    """Files write long integers in this way, and may write all others so."""
    tree = tremble.matrix_game([[1001, -999], [-999, 1001]], [[-999, 1001], [1001, -999]])
    first = everywhere(profile(tree, [[1, 0]], [[1, 0]]))
    certificate = BranchingCertificate(
        player=player, epsilon=F(2000), lower=F(-999), upper=F(1), response=[0], replies=[[0], [1]], splits=[()],
        leaves=[BranchingLeaf([(0, 1), (1, 1)], [0])],
    )  # fmt: skip
    solution = stated(tree, first, certificate)
    hexadecimal = replace(solution, certificate={**solution.certificate, "lower": "-0x3e7"})
    said = []
    for each in (solution, hexadecimal):
        found = verify(tree, each)
        assert found.ok, found.problems
        console = Console(width=200, file=io.StringIO())
        console.print(verification_view(tree, each, found))
        said.append(console.file.getvalue())  # type: ignore[attr-defined]
    assert said[0] == said[1]
    assert f"player {player + 1} guarantees -999; no behavior" in said[0]
    assert "guarantees more than 1." in said[0]


def test_equilibria_are_maxmin_where_nobody_forgets() -> None:
    tree = tremble.load("kuhn")
    nash = tremble.solve(tree)
    marked = replace(nash, concept="maxmin", requested="maxmin")
    one, two = nash.strategies
    marks = any("marked off_path" in problem for problem in verify(tree, marked).problems)
    assert marks == (one.off_path.any() or two.off_path.any())
    clear = everywhere((one, two))
    assert verify(tree, replace(marked, strategies=clear)).proven == "maxmin"
    found = prove(tree, clear, concept="maxmin", certificate=nash.certificate)
    assert (found.proven, found.status, found.bounds) == ("maxmin", Status.CERTIFIED, (nash.value, nash.value))
    forgetful, strategies, certificate = a_loss()
    kind = {"kind": "best-response", "nash_conv": F(0), "best_response_values": (F(0), F(0))}
    wrong = replace(stated(forgetful, strategies, certificate), certificate=kind)
    assert "the player forgets its earlier moves" in verify(forgetful, wrong).problems[0]


@pytest.mark.parametrize(
    "tree",
    [tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]]), tremble.load("battle_outside")],
    ids=lambda tree: tree.title,
)
def test_an_equilibrium_guarantees_nothing_where_the_sum_varies(tree: GameTree) -> None:
    nash = tremble.solve(tree)
    assert verify(tree, nash).ok
    clear = everywhere(nash.strategies)  # type: ignore[arg-type]
    words = "certificate.kind: 'best-response', but the payoffs of this game have no constant sum"
    for status in (Status.CERTIFIED, Status.BOUNDED):
        marked = replace(nash, concept="maxmin", requested="maxmin", strategies=clear, status=status)
        found = verify(tree, marked)
        assert (found.ok, found.proven) == (False, None)
        assert any(problem.startswith(words) for problem in found.problems)
    found = prove(tree, clear, concept="maxmin", certificate=nash.certificate)
    assert (found.ok, found.proven) == (False, "nash")
    assert any(guarantee(tree, player, rows_of(clear[player])) < nash.values[player] for player in (0, 1))


@pytest.mark.parametrize("seed", range(6))
def test_a_claim_gets_what_it_deserves(seed: int) -> None:
    tree, strategies, certificate = game_with_certificate(seed)
    apart = certificate.upper - certificate.lower
    exact = stated(tree, strategies, certificate).bounds
    for epsilon, status, proven in ((apart, Status.CERTIFIED, "maxmin"), (apart - TINY, Status.BOUNDED, "bounds")):
        if epsilon < 0:
            continue
        plain = replace(certificate, epsilon=epsilon).plain()
        found = prove(tree, strategies, concept="maxmin", certificate=plain)
        assert (found.status, found.proven, found.bounds) == (status, proven, exact)
        assert found.ok == (status is Status.CERTIFIED)
        claim = Claim(strategies, {}, plain)
        solution = stated_solution(tree, claim, "maxmin", MethodReference("by hand", {}), _as_solved(found))
        assert (solution.concept, solution.status, solution.bounds) == ("maxmin", status, exact)
        assert solution.certificate == FREE_FORM.plain(plain, "certificate")
        again = verify(tree, Solution.from_text(solution.to_text()))
        assert (again.ok, again.proven, again.status) == (True, proven, status)
    plain = replace(certificate, upper=certificate.upper - TINY).plain()
    found = prove(tree, strategies, concept="maxmin", certificate=plain)
    assert (found.ok, found.status, found.proven, found.bounds) == (False, Status.LIMIT_REACHED, None, None)
    assert found.values == expected(tree, *map(rows_of, strategies))


def _as_solved(found: Verification) -> Any:
    """Return the verdict with the status that solutions hold."""
    return replace(found, status=Status(str(found.status)))


def test_only_maxmin_is_named_by_bounds() -> None:
    tree, strategies, certificate = a_loss()
    solution = stated(tree, strategies, certificate, Status.BOUNDED)
    assert verify(tree, solution).ok
    assert not verify(tree, replace(solution, concept="quasi-perfect", requested="quasi-perfect")).ok


# -- what does not ---------------------------------------------------------------------------------


def change(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    """Put something else at a place of the certificate."""

    def work(certificate: Any) -> None:
        for step in path[:-1]:
            certificate = certificate[step]
        certificate[path[-1]] = to(certificate[path[-1]]) if callable(to) else to

    return work


def spoilable() -> Game:
    """Two free sets, the second one forgetful, three vertices; every field matters."""
    builder = TreeBuilder()
    builder.decision(0, "first", "LR")
    for i in range(2):
        builder.decision(1, "other", "lr")
        for j in range(2):
            builder.decision(0, "second", "abc")
            for k in range(3):
                u = (1 + i + j) * (1 if (i + j + k) % 3 == 0 else -1) + 2 * (i == k)
                builder.leaf(u, -u)
    tree = builder.finish()
    strategies = profile(tree, [[F(1, 2), F(1, 2)], [F(1, 2), F(1, 4), F(1, 4)]], [[F(1, 3), F(2, 3)]])
    splits = [[1, 0, 1, 1, 1], [2, 0, 2, 3, 2], [], [], [2, 1, 0, 1, 2], [], []]
    replies = [[[F(1), F(0)]], [[F(0), F(1)]]]
    mixes = [[(0, 3), (1, 2)], [(0, 1), (1, 5)], [(0, 2), (1, 2)], [(0, 1), (1, 1)]]
    choices = [[0], [1, 0, 0], [2, 0, 0, 0], [1, 2, 0, 0, 0, 2, 0, 0, 0]]
    bounds = [
        mixed_bound(tree, 0, cell, [(replies[r], w) for r, w in mix], {0, 1} - {k - 1 for k in choice})
        for cell, mix, choice in zip(cells_of(splits, (2, 3)), mixes, choices, strict=True)
    ]
    certificate = BranchingCertificate(
        player=0, epsilon=F(100), lower=guarantee(tree, 0, rows_of(strategies[0])), upper=max(bounds), response=[0],
        replies=[[0], [1]], splits=splits,
        leaves=[BranchingLeaf(mix, choice) for mix, choice in zip(mixes, choices, strict=True)],
    )  # fmt: skip
    return tree, strategies, certificate


WRONG: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (change("kind", to="branches"), "certificate.kind: 'branches'"),
    (change("player", to=2), "certificate"),
    (change("player", to=0), "certificate.player: must be 1 or 2"),
    (change("player", to=True), "certificate.player: must be 1 or 2"),
    (change("epsilon", to="-1"), "certificate.epsilon: must be at least 0"),
    (change("epsilon", to="1/1000"), "more than the stated 1/1000"),
    (change("epsilon", to=1), "certificate.epsilon: not an exact number"),
    (change("lower", to="1000"), "certificate.lower: 1000"),
    (change("lower", to="-1000"), "bounds: the lower bound that"),
    (change("upper", to="1000"), "bounds: the upper bound that"),
    (change("upper", to="x"), "certificate.upper"),
    (change("response", to=[]), "certificate.response: the list ends before the choice tree"),
    (change("response", to=[1, 0]), "certificate.response: the list ends before the choice tree"),
    (change("response", to=[0, 0]), "certificate.response[1]: the choice tree is complete; remove"),
    (change("response", to=[2, 0, 0]), "certificate.response[0]: must be 0 or the number"),
    (change("response", to=[-1]), "certificate.response[0]: must be 0 or the number"),
    (change("response", to=[10**17]), "certificate.response[0]: must be 0 or the number"),
    (change("response", to=[1, 1, 0, 0, 0]), "certificate.response[1]: information set 1 is already fixed"),
    (change("response", to=["0"]), "certificate.response[0]: must be 0"),
    (change("response", to={}), "certificate.response: not a list"),
    (change("replies", to=[]), "certificate.replies: not a list with at least one"),
    (change("replies", 0, to=[2]), "certificate.replies[0][0]: 2 is not an action"),
    (change("replies", 0, to=[-1]), "certificate.replies[0][0]: -1 is not an action"),
    (change("replies", 0, to=[]), "certificate.replies[0]: not a list of 1 actions"),
    (change("replies", 0, to=[0, 0]), "certificate.replies[0]: not a list of 1 actions"),
    (change("replies", 0, to=[True]), "certificate.replies[0][0]: True is not an action"),
    (change("replies", 0, to=[1]), "exceeds the upper bound"),
    (change("splits", to=[]), "certificate.splits: not a list with at least one"),
    (change("splits", to=lambda rows: rows[:-1]), "certificate.splits: the list ends before the tree"),
    (change("splits", to=lambda rows: [*rows, []]), "certificate.splits[7]: the tree of splits is complete; remove"),
    (change("splits", to=[[]]), "certificate.leaves"),
    (change("splits", 0, 0, to=3), "certificate.splits[0][0]: 3 is not an information set"),
    (change("splits", 0, 0, to=0), "certificate.splits[0][0]: 0 is not an information set"),
    (change("splits", 0, 1, to=1), "certificate.splits[0]: 1 and 1 are not two different vertices"),
    (change("splits", 0, 2, to=2), "certificate.splits[0]: 0 and 2 are not two different vertices"),
    (change("splits", 0, 1, to=-1), "certificate.splits[0]: -1 and 1 are not two different vertices"),
    (change("splits", 0, 3, to=0), "strictly between 0 and 1"),
    (change("splits", 0, 3, to=2), "strictly between 0 and 1"),
    (change("splits", 0, 3, to=-1), "strictly between 0 and 1"),
    (change("splits", 0, 4, to=0), "strictly between 0 and 1"),
    (change("splits", 0, 4, to=54), "at most 53 bits"),
    (change("splits", 0, 4, to=10**17), "at most 53 bits"),
    (change("splits", 0, to=[1, 0, 1, 1]), "certificate.splits[0]: must be empty or a list of five integers"),
    (change("splits", 0, to="12345"), "certificate.splits[0]: must be empty or a list of five integers"),
    (change("splits", 0, 3, to=None), "certificate.splits[0]: must be empty or a list of five integers"),
    (change("leaves", to=[]), "certificate.leaves: not a list with at least one"),
    (change("leaves", to=lambda rows: rows[:-1]), "certificate.leaves: 3 entries, but the splits need 4"),
    (
        change("leaves", to=lambda rows: [*rows, rows[0]]),
        "certificate.leaves: 5 entries, but the splits need 4",
    ),
    (change("leaves", 0, to=7), "certificate.leaves[0]: not an object"),
    (change("leaves", 0, to={"mix": [[0, 1]]}), "certificate.leaves[0].choices: missing"),
    (change("leaves", 0, "mix", to=[]), "certificate.leaves[0].mix: not a list with at least one"),
    (change("leaves", 0, "mix", to=[[0, 1, 1]]), "certificate.leaves[0].mix[0]: not a pair"),
    (change("leaves", 0, "mix", 0, 0, to=2), "certificate.leaves[0].mix[0][0]: 2 is not a reply"),
    (change("leaves", 0, "mix", 0, 0, to=-1), "certificate.leaves[0].mix[0][0]: -1 is not a reply"),
    (change("leaves", 0, "mix", 0, 0, to=1), "certificate.leaves[0].mix[1][0]: 1 is not a reply"),
    (change("leaves", 0, "mix", 0, 1, to=0), "certificate.leaves[0].mix[0][1]: 0 is not a positive integer"),
    (change("leaves", 0, "mix", 0, 1, to=-3), "certificate.leaves[0].mix[0][1]: -3 is not a positive integer"),
    (change("leaves", 0, "mix", 0, 1, to=2**53), "is not a positive integer below"),
    (change("leaves", 0, "mix", 0, 1, to="3"), "certificate.leaves[0].mix[0]: not a pair"),
    (
        change("leaves", 0, "mix", to=[[1, 1]]),
        "certificate.leaves[0]: the leaf bounds the payoff in this cell by about 5",
    ),
    (change("leaves", 0, "choices", to=0), "certificate.leaves[0].choices: not a list"),
    (
        change("leaves", 3, "choices", to=[1, 2, 0, 0, 0, 0, 0]),
        "certificate.leaves[3].choices[6]: the choice tree is complete",
    ),
    (change("leaves", 3, "choices", to=[1, 2, 0, 0, 0, 2]), "certificate.leaves[3].choices: the list ends before the"),
    (change("leaves", 3, "choices", to=[1, 1, 0, 0, 0]), "information set 1 is already fixed"),
    (change("leaves", 3, "choices", to=[3]), "certificate.leaves[3].choices[0]: must be 0 or"),
    (lambda certificate: certificate.pop("upper"), "certificate.upper: missing"),
    (lambda certificate: certificate.update(more=1), "certificate.more: there is no such field"),
]


@pytest.mark.parametrize(("spoil", "words"), WRONG)
def test_every_field_of_the_certificate_counts(spoil: Callable[[dict[str, Any]], None], words: str) -> None:
    tree, strategies, certificate = spoilable()
    solution = stated(tree, strategies, certificate)
    assert verify(tree, solution).ok
    plain = deepcopy(certificate.plain())
    spoil(plain)
    found = verify(tree, replace(solution, certificate=plain))
    assert (found.ok, found.proven) == (False, None)
    assert any(words in problem for problem in found.problems), found.problems


def test_what_stands_beside_the_certificate_counts() -> None:
    tree, strategies, certificate = spoilable()
    solution = stated(tree, strategies, certificate)
    assert solution.bounds is not None
    one, two = strategies
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"values": (F(7), F(-7))}, "values[0]: the expected payoff of player 1"),
        ({"bounds": None}, "bounds: missing"),
        ({"bounds": (solution.bounds[0] - 1, solution.bounds[1])}, "bounds: the lower bound"),
        ({"bounds": (solution.bounds[0], solution.bounds[1] + 1)}, "bounds: the upper bound"),
        ({"beliefs": ((), ())}, "beliefs: the concept 'maxmin' defines no beliefs"),
        ({"game": replace(solution.game, digest="sha256:0")}, "game.digest"),
        ({"strategies": (two, one)}, "the row is missing"),
        ({"strategies": profile(tree, [[0, 1], [1, 0, 0]], [[F(1, 3), F(2, 3)]])}, "certificate.lower"),
        ({"strategies": (replace(one, off_path=one.off_path | True), two)}, "marked off_path"),
        ({"status": Status.LIMIT_REACHED}, "limit-reached"),
        ({"certificate": {}}, "certificate.kind: missing"),
    ]
    for fields, words in wrong:
        found = verify(tree, replace(solution, **fields))
        assert (found.ok, found.proven) == (False, None)
        assert any(words in problem for problem in found.problems), (words, found.problems)


def test_what_stands_beside_best_responses_counts() -> None:
    """The same, where the certificate states best responses."""
    kuhn = tremble.load("kuhn")
    solution = tremble.solve(kuhn, "maxmin")
    assert solution.certificate["kind"] == "best-response"
    assert verify(kuhn, solution).ok
    one, two = solution.strategies
    always = tremble.BehaviorStrategy.from_rows(kuhn, 1, [[1, *[0] * (len(row) - 1)] for row in kuhn.actions[1]])
    for fields, words in (
        ({"beliefs": ((), ())}, "beliefs: the concept 'maxmin' defines no beliefs"),
        ({"strategies": (one, replace(two, off_path=two.off_path | True))}, "marked off_path"),
        ({"strategies": (one, always)}, "player 1 can gain"),
        ({"certificate": {**solution.certificate, "nash_conv": "1/2"}}, "certificate.nash_conv: stated as 1/2"),
    ):
        found = verify(kuhn, replace(solution, **fields))
        assert (found.ok, found.proven) == (False, None)
        assert any(words in problem for problem in found.problems), (words, found.problems)


@pytest.mark.parametrize("seed", range(8))
def test_a_mixture_must_bound_every_cell(seed: int) -> None:
    """A cell that is left out, or another's mixture, is found out wherever it makes a difference."""
    tree, strategies, certificate = game_with_certificate(seed, depth=4)
    rng = random.Random(seed)
    cells = cells_of(certificate.splits, [len(row) for row in tree.actions[certificate.player]])
    opposing = [len(row) for row in tree.actions[1 - certificate.player]]
    for _ in range(5):
        leaves = list(certificate.leaves)
        rng.shuffle(leaves)
        bounds = []
        for cell, leaf in zip(cells, leaves, strict=True):
            mix = [
                ([[F(a == c) for a in range(n)] for n, c in zip(opposing, certificate.replies[r], strict=True)], w)
                for r, w in leaf.mix
            ]
            free = set(range(len(cell))) - {k - 1 for k in leaf.choices}
            bounds.append(mixed_bound(tree, certificate.player, cell, mix, free))
        for upper, ok in ((max(bounds), True), (max(bounds) - TINY, False)):
            shuffled = replace(certificate, leaves=leaves, upper=upper)
            assert verify(tree, stated(tree, strategies, shuffled)).ok is ok


def test_the_absentminded_are_refused() -> None:
    for player in (0, 1):
        builder = TreeBuilder()
        builder.decision(1 - player, "before", ("on", "off"))
        for _ in range(2):
            builder.decision(player, "crossing", ("exit", "straight"))
            builder.leaf(0, 0)
            builder.decision(player, "crossing", ("exit", "straight"))
            builder.leaf(4, -4)
            builder.leaf(1, -1)
        tree = builder.finish()
        uniform = BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
        certificate = BranchingCertificate(0, F(9), F(0), F(4), [0], [[0]], [()], [BranchingLeaf([(0, 1)], [0])])
        found = verify(tree, stated(tree, uniform, certificate))
        assert not found.ok
        named = (
            rf"player {player + 1}, information set 1 \('crossing'\): .* the path 'on' / 'straight' reaches this set"
        )
        assert any(re.match(named, problem) for problem in found.problems)


def test_payoffs_of_any_sum() -> None:
    tree = tremble.load("battle_outside")
    strategies = BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    certificate = BranchingCertificate(0, F(9), F(-99), F(99), [0], [[0]], [()], [BranchingLeaf([(0, 1)], [0])])
    found = verify(tree, replace(stated(tree, strategies, certificate), bounds=(F(-99), F(99)), status=Status.BOUNDED))
    assert (found.proven, found.bounds) == ("bounds", (F(-99), F(99)))


def test_deep_games_and_long_trees() -> None:
    tree = chain(1500)
    strategies = BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    sets = tree.num_infosets
    reply = [0] * sets[1]
    nested = [[1, 0, 1, 1, 1]] * 3000 + [[]] * 3001
    leaves = [BranchingLeaf([(0, 1)], [0])] * 3001
    certificate = BranchingCertificate(0, F(9), F(-1), F(1), [0], [reply], nested, leaves)
    plain = certificate.plain()
    found = prove(tree, strategies, concept="maxmin", certificate=plain)
    assert found.ok, found.problems
    endless = replace(certificate, splits=[()], leaves=[BranchingLeaf([(0, 1)], list(range(1, sets[0] + 1)))])
    found = prove(tree, strategies, concept="maxmin", certificate=endless.plain())
    assert "certificate.leaves[0].choices: the list ends before the" in found.problems[0]


def test_a_file_cannot_ask_for_hours() -> None:
    """What a single leaf, or the strategies, may cost grows with the game only; and a time limit holds."""
    tree = chain(40)
    strategies = BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    widths = [len(row) for row in tree.actions[0]]
    many = every_set(widths, range(17))
    leaf = BranchingLeaf([(0, 1)], many)
    certificate = BranchingCertificate(0, F(9), F(-1), F(1), [0], [[0] * len(tree.actions[1])], [()], [leaf])
    solution = stated_quickly(tree, strategies, certificate)
    with pytest.raises(tremble.LimitReached):
        verify(tree, solution, Limits.for_game(tree.num_nodes, _clock(0.05)))
    little = 10**7 + STEPS_PER_NODE * tree.num_nodes

    def problem(certificate: BranchingCertificate) -> str:
        return verify(tree, replace(solution, certificate=certificate.plain()), Limits(little, BITS)).problems[0]

    assert "certificate.leaves: too large to check" in problem(certificate)
    response = replace(certificate, response=many, leaves=[BranchingLeaf([(0, 1)], [0])])
    assert "certificate.response: too large to check" in problem(response)


def _clock(seconds: float) -> Callable[[], None]:
    """Return a function that raises `LimitReached` when the time is up."""
    end = time.monotonic() + seconds

    def tick() -> None:
        if time.monotonic() > end:
            raise tremble.LimitReached("the time is up")

    return tick


def stated_quickly(
    tree: GameTree, strategies: tuple[BehaviorStrategy, BehaviorStrategy], certificate: BranchingCertificate
) -> StatedSolution:
    """The same, in a game that is too large for brute force."""
    one, two = map(F, tremble.expected_values(tree, strategies))
    return StatedSolution(
        game=GameReference.of(tree), concept="maxmin", requested="maxmin", method=MethodReference("by hand", {}),
        status=Status.CERTIFIED, values=(one, two), bounds=(certificate.lower, certificate.upper),
        strategies=strategies, certificate=certificate.plain(), stats={},
    )  # fmt: skip
