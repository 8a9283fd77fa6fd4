"""Payoffs of very different sizes in one game, and integers near the limits of 64 bits: exact, and not slow."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

import tremble
from tremble import GameTree, TreeBuilder
from tremble.exact.asymptotic import InfinitesimalProgram, pivot_at_infinitesimal
from tremble.exact.highs import solve_float
from tremble.exact.lexicographic import optimize
from tremble.exact.program import Program
from tremble.exact.small_number import at_bits
from tremble.exact.stability import check_stability
from tremble.exact.zoom import zoomed_basis
from tremble.game.sequence_form import SequenceForm
from tremble.solution.trembles import Trembles
from tremble.solvers.method import nobody_listens
from tremble.solvers.perfect import PerfectProgram
from tremble.solvers.zero_sum import NashProgram, for_floats, rescaled_payoffs
from tremble.status import Status

CONCEPTS = ("nash", "quasi-perfect", "perfect")
FACTORS = (F(1), F(1, 10**9), F(10**12))


def _nothing() -> None:
    return None


def with_payoffs(tree: GameTree, payoff: Callable[[F], F]) -> GameTree:
    """The same zero-sum game with other payoffs of player 1, which are asked for leaf by leaf in preorder."""
    builder = TreeBuilder(title=tree.title)
    for node in tree.in_preorder.tolist():
        mover, index = int(tree.player[node]), int(tree.infoset[node])
        if mover == tremble.TERMINAL:
            u = payoff(tree.payoff_at(index)[0])
            builder.leaf(u, -u)
        elif mover == tremble.CHANCE:
            table = tree.chance_tables[index]
            builder.chance(table.labels, table.probabilities)
        else:
            builder.decision(mover, index, tree.actions[mover][index])
    return builder.finish()


def far_apart(spec: str) -> GameTree:
    """Leaf after leaf, payoffs times 1, 1e-9 and 1e12."""
    factors = itertools.cycle(FACTORS)
    return with_payoffs(tremble.load(spec), lambda u: u * next(factors))


def all_agree(tree: GameTree, concepts: Sequence[str] = CONCEPTS) -> dict[str, dict[str, object]]:
    """Diagnostics by concept, once all are certified, again by the verifier alone, and of one value."""
    found = {concept: tremble.solve(tree, concept) for concept in concepts}
    assert {solution.status for solution in found.values()} == {Status.CERTIFIED}
    assert len({solution.value for solution in found.values()}) == 1
    assert all(tremble.verify(tree, solution).ok for solution in found.values())
    return {concept: dict(solution.stats) for concept, solution in found.items()}


# -- sizes brought closer ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_sizes_keep_their_order_and_what_is_close_its_ratios(seed: int) -> None:
    rng = random.Random(seed)
    scales = rng.sample(range(0, 200, 40), rng.randint(2, 4))
    payoff = np.array([rng.choice((-1, 1)) * rng.randint(1, 31) << rng.choice(scales) for _ in range(60)] + [0], object)
    closer = rescaled_payoffs(payoff)
    assert closer is not None
    assert [np.sign(v) for v in closer] == [np.sign(v) for v in payoff]
    for a, b in itertools.combinations(range(60), 2):
        before, after = F(abs(payoff[a]), abs(payoff[b])), F(abs(closer[a]), abs(closer[b]))
        assert (before > 1, before == 1) == (after > 1, after == 1)
        if F(1, 40) < before < 40:
            assert after == before
        assert max(after, 1 / after) <= max(before, 1 / before)
    while (nearer := rescaled_payoffs(closer)) is not None:
        closer = nearer
    bits = sorted({int(v).bit_length() for v in closer if v})
    assert bits[-1] - bits[0] <= 24 or max(np.diff(bits)) <= 3


@pytest.mark.parametrize(
    "payoff", [[], [0], [3, -4], [10**6, 1], [2**200, 2**200 + 1, 2**190], [2**i for i in range(99)]]
)
def test_sizes_that_are_close_are_left(payoff: list[int]) -> None:
    assert rescaled_payoffs(np.array(payoff, dtype=object)) is None


def test_the_closest_comes_first_and_the_game_itself_is_not_among_them() -> None:
    nash = NashProgram.of(SequenceForm.of(far_apart("kuhn")))
    ladder = for_floats(nash)
    sizes = [
        max(map(abs, one.form.payoff.tolist())) // min(abs(v) for v in one.form.payoff.tolist() if v) for one in ladder
    ]
    assert sizes == sorted(sizes)
    assert len(sizes) > 1
    assert nash not in ladder
    near = NashProgram.of(SequenceForm.of(tremble.load("kuhn")))
    assert for_floats(near) == [near]


# -- games -------------------------------------------------------------------------------------------


def test_leduc_with_payoffs_far_apart() -> None:
    """Where floats saw the largest payoffs only, exact pivots mended all the others: 81, 68 and 57."""
    stats = all_agree(far_apart("leduc"))
    assert all(int(str(stats[concept]["exact_pivots"])) < 10 for concept in CONCEPTS)
    assert all(int(str(stats[concept]["refinement_exact_pivots"])) < 10 for concept in CONCEPTS[1:])


@pytest.mark.parametrize("spec", ["goofspiel:cards=3", "border_patrol:depth=2", "openspiel:kuhn_poker"])
def test_what_is_alike_is_merged_whatever_its_size(spec: str) -> None:
    """Payoffs that were alike remain so."""
    if spec.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    tree = tremble.load(spec)
    most = max(abs(tree.payoff_at(k)[0]) for k in range(tree.num_leaves))
    all_agree(with_payoffs(tree, lambda u: u * 10**12 if abs(u) == most else u / 10**9 if u > 0 else u))


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(12))
def test_random_games_with_payoffs_far_apart(seed: int) -> None:
    rng = random.Random(seed)
    tree = tremble.load(f"random_tree:branching=2,chance=true,depth=5,observations=2,seed={seed},utilities=iid")
    all_agree(with_payoffs(tree, lambda u: u * rng.choice(FACTORS)))


@pytest.mark.slow
def test_leduc_with_five_ranks_and_payoffs_far_apart() -> None:
    all_agree(far_apart("leduc:ranks=5"), CONCEPTS[:2])


# -- the limits of 64 bits ---------------------------------------------------------------------------


def wide(spec: str, size: int) -> Program:
    """A program whose integers have that size."""
    form = SequenceForm.of(tremble.load(spec))
    form = replace(form, payoff=form.payoff.astype(object) * size + 1, mass=None)
    trembles = Trembles.uniform(tremble.load(spec))
    program = PerfectProgram.of(NashProgram.of(form), trembles).program
    assert max(abs(int(v)) for v in program.matrix.value) > size
    return program


@pytest.mark.parametrize("size", [2**31, 2**61, 2**62 - 1, 2**63 - 1, 2**63, 2**64, 2**100])
@pytest.mark.parametrize("spec", ["kuhn", "leduc:ranks=2,raises=1"])
def test_programs_near_the_limits_of_64_bits(spec: str, size: int) -> None:
    """Magnified in floats, pivoted at an infinitesimal, and proven in series: none overflows."""
    program = wide(spec, size)
    basis = solve_float(at_bits(program, 10), _nothing, tolerance=1e-3).basis
    basis, _, left = zoomed_basis(InfinitesimalProgram(program, 8, _nothing), basis, 16, nobody_listens)
    assert left == 0
    basis, _, left = pivot_at_infinitesimal(InfinitesimalProgram(program, 8, _nothing), basis, nobody_listens)
    assert left == 0
    stability = check_stability(program, basis, _nothing, small_limit=0)
    assert stability.stable
    assert check_stability(program, basis, _nothing, small_limit=10**6).stable  # in fractions, without any prime
    bits = 64  # and at a number, where nothing is a series
    while True:
        exact, pivots = optimize(at_bits(program, bits), basis, _nothing)
        if not pivots:
            break
        bits *= 2
        assert bits < 5_000
    assert exact.optimal


@pytest.mark.parametrize("spec", ["kuhn", "leduc:ranks=2,raises=1"])
@pytest.mark.parametrize("size", [2**61, 2**62, 2**63 - 1, 2**63, 2**64])
def test_games_near_the_limits_of_64_bits(spec: str, size: int) -> None:
    tree = tremble.load(spec)
    all_agree(with_payoffs(tree, lambda u: u * size + (1 if u > 1 else 0)))


def test_a_single_long_payoff_keeps_its_sign() -> None:
    """The greatest common divisor of one negative integer is positive, in the game and in a restricted game."""
    builder = TreeBuilder()
    builder.leaf(-(10**30), 10**30)
    assert SequenceForm.of(builder.finish()).payoff_content() == 10**30
    builder = TreeBuilder()
    builder.decision(1, "two", ("left", "right"))
    builder.decision(0, "one", ("left", "right"))
    for u in (-(10**30), 0, -(10**30)):
        builder.leaf(u, -u)
    assert tremble.solve(builder.finish(), "nash", "double-oracle").value == -(10**30)
