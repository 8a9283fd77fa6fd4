"""The sequence form agrees with the definition, and computes in int64 only what fits int64."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import tremble
from hand_made import random_game
from tremble import CHANCE, TERMINAL, TreeBuilder
from tremble.check.claim import Wrong
from tremble.check.limits import Limits, steps_of
from tremble.check.tree import SAFE, Chance, Payoffs, over_common_denominator, sequence_form

PLENTY = 10**15


def free() -> Limits:
    return Limits(PLENTY, PLENTY)


def by_definition(tree: Any) -> tuple[list[tuple[int, int]], list[F], dict[tuple[int, int], list[F]]]:
    """Return the sequences at each node, its probability of chance, and the entries of both payoff matrices."""
    first = [np.cumsum([1, *map(len, side)]).tolist() for side in tree.actions]
    ends: list[tuple[int, int]] = [(0, 0)]
    product, matrix = [F(1)], defaultdict[tuple[int, int], list[F]](lambda: [F(0), F(0)])
    for node, parent, action in zip(range(len(tree.parent)), tree.parent.tolist(), tree.action.tolist(), strict=True):
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if node:
            above, old = int(tree.player[parent]), int(tree.infoset[parent])
            pair = list(ends[parent])
            if above != CHANCE:
                pair[above] = first[above][old] + action
            ends.append((pair[0], pair[1]))
            share = tree.chance_tables[old].probabilities[action] if above == CHANCE else 1
            product.append(product[parent] * share)
        if mover == TERMINAL:
            entry = matrix[ends[node]]
            for player in (0, 1):
                entry[player] += product[node] * F(int(tree.payoff[k, player]), tree.payoff_denominator)
    return ends, product, dict(matrix)


def unequal_chance() -> tremble.GameTree:
    """Return a tree with two chance moves on a path, equal and different factors, and an impossible move."""
    builder = TreeBuilder()
    builder.chance(("a", "b", "c", "never"), (F(1, 6), F(1, 2), F(1, 3), F(0)))
    for k in range(4):
        builder.decision(1, k // 2, ("l", "r"))
        for payoff in (k, -k):
            builder.chance(("a", "b"), (F(1, 3), F(2, 3)))
            builder.decision(0, k, ("u", "v", "w"))
            for more in (1, 2, 3):
                builder.leaf(F(payoff, 7) + more, 5 - more)
            builder.leaf(payoff, 1)
    return builder.finish()


TREES = [unequal_chance, *(lambda seed=seed: random_game(seed, zero_sum=False, big=seed % 2 > 0) for seed in range(12))]


@pytest.mark.parametrize("make", TREES)
def test_sequence_forms_agree_with_the_definition(make: Any) -> None:
    tree = make()
    form, (ends, product, matrix) = sequence_form(tree, free()), by_definition(tree)
    assert [side.count for side in form.sequences] == [1 + sum(map(len, side)) for side in tree.actions]
    assert list(zip(*(side.at_node.tolist() for side in form.sequences), strict=True)) == ends
    chance = form.chance
    assert {type(weight) for weight in chance.weight} == {int}
    assert [F(chance.weight[k], chance.denominator) for k in chance.number] == product
    assert chance.possible.tolist() == [share > 0 for share in product]
    for player, payoffs in enumerate(form.payoffs):
        pairs = zip(payoffs.own.tolist(), payoffs.other.tolist(), strict=True)
        ordered = [(own, other) if player == 0 else (other, own) for own, other in pairs]
        assert ordered == sorted(ordered, key=lambda pair: (pair[player], pair[1 - player]))
        amounts = [F(amount, form.denominator) for amount in payoffs.amount.tolist()]
        assert dict(zip(ordered, amounts, strict=True)) == {pair: entry[player] for pair, entry in matrix.items()}
        starts = [i for i, own in enumerate(payoffs.own) if not i or own != payoffs.own[i - 1]]
        assert payoffs.begin.tolist() == starts
    sums = {F(int(one) + int(two), tree.payoff_denominator) for one, two in tree.payoff}
    assert form.constant_sum == (sums.pop() if len(sums) == 1 else None)


def test_equal_products_of_chance_are_stored_once() -> None:
    chance = sequence_form(unequal_chance(), free()).chance
    assert len(chance.weight) == 1 + 4 + 4 * 2
    assert Chance([0, 1, 2], np.array([2, 0, 1, 0]), 2).possible.tolist() == [True, False, True, False]


@pytest.mark.parametrize("shares", [(F(1, 2), F(1, 3)), (F(2), F(-1))])
def test_chance_needs_a_distribution(shares: tuple[F, F]) -> None:
    builder = TreeBuilder()
    builder.chance(("a", "b"), (F(1, 2), F(1, 2)))
    builder.leaf(0, 0)
    builder.leaf(0, 0)
    tree = builder.finish()

    class Biased:
        chance_tables = (type("Table", (), {"probabilities": shares, "labels": ("a", "b")}),)

        def __getattr__(self, name: str) -> Any:
            return getattr(tree, name)

    with pytest.raises(Wrong, match="the probabilities of a chance move are negative or do not sum to 1"):
        sequence_form(Biased(), free())


# -- large numbers -------------------------------------------------------------------------------------


def entries(*amounts: int, own: tuple[int, ...] | None = None) -> Payoffs:
    own = own or (1,) * len(amounts)
    kind: Any = np.int64 if max(map(abs, amounts)) < 2**63 else object
    begin = [i for i in range(len(own)) if not i or own[i] != own[i - 1]]
    return Payoffs(np.array(own), np.arange(len(own)), np.array(amounts, dtype=kind), np.array(begin))


@pytest.mark.parametrize(
    ("amounts", "weight", "long"),
    [
        ((2**31, 1), (2**30 - 1, 1), False),
        ((2**31, 1), (2**30, 1), True),  # the bound is 2**62 for two entries
        ((2**31, 1), (-(2**30), 1), True),
        ((1, -(2**31)), (1, 2**30), True),
        ((2**61 - 1, 0), (1, 0), False),
        ((1, 1), (2**61 - 1, 0), False),
        ((0, 0), (2**61 - 1, 0), False),
        ((2**61 - 1, 0), (0, 0), False),
        ((2**61, 0), (1, 0), True),
        ((0, 0), (2**80, 1), True),
        ((2**80, 3), (1, 1), True),
        ((2**40, 2**41), (2**40, 2**41), True),
        ((2**80, -(2**80)), (2**80, 2**80), True),
    ],
)
def test_payoffs_are_exact_whatever_their_size(amounts: tuple[int, int], weight: tuple[int, int], long: bool) -> None:
    payoffs, limits = entries(*amounts, own=(1, 3)), free()
    found = payoffs.against(weight, 5, limits)
    assert found == [0, amounts[0] * weight[0], 0, amounts[1] * weight[1], 0]
    assert set(map(type, found)) == {int}
    assert (limits.bits < PLENTY) == long  # only long results are paid for
    assert payoffs.against(weight, 5, free(), np.array([False, True])) == [0, 0, 0, amounts[1] * weight[1], 0]
    together = entries(*amounts)
    assert together.against(weight, 2, free()) == [0, sum(a * w for a, w in zip(amounts, weight, strict=True))]
    assert together.against(weight, 2, free(), np.array([True, False])) == [0, amounts[0] * weight[0]]
    assert together.against(weight, 2, free(), np.array([False, False])) == [0, 0]


def test_weights_of_zero_need_no_products() -> None:
    huge = entries(2**80, 2**80)
    limits = free()
    assert huge.against((0, 0), 3, limits) == [0, 0, 0]
    assert limits.bits == PLENTY


def test_payoffs_are_paid_for() -> None:
    ticks: list[None] = []

    def limits() -> Limits:
        ticks.clear()
        return Limits(PLENTY, PLENTY, lambda: ticks.append(None))

    paid = limits()
    entries(*[1] * 149).against([1] * 149, 11, paid)
    assert (PLENTY - paid.steps, PLENTY - paid.bits) == (100 * (11 + 74 + 2), 0)
    paid = limits()
    entries(*[1] * 100).against([1] * 101, 11, paid)
    assert (PLENTY - paid.steps, PLENTY - paid.bits) == (100 * (11 + 50 + 2), 0)
    paid = limits()
    weight = [2**99, 0, 2**199, 2**299, 2**99]  # of 100, 0, 200, 300 and 100 bits
    entries(2**89, 1, 1, 1, 1, own=(1, 1, 1, 2, 2)).against(weight, 3, paid)
    assert PLENTY - paid.steps == 100 * (3 + 2) + steps_of(700 // 4, 90) * 4
    assert PLENTY - paid.bits == 200 + 90 + 300 + 90
    assert len(ticks) == 2 + 2  # one for each payment, and one for each own sequence


def paid(*operations: tuple[int, int, int]) -> tuple[int, int]:
    """Return the steps and bits of operations: (bits of one number, bits of the other, times)."""
    return sum(steps_of(a, b) * times for a, b, times in operations), sum((a + b) * times for a, b, times in operations)


def test_products_of_chance_are_paid_for() -> None:
    share = F(1, 3**400)  # of 1 + 634 bits; 1 - share has 634 + 634 bits
    builder = TreeBuilder()
    for _ in range(2):
        builder.chance(("a", "b"), (share, 1 - share))
    for _ in range(3):
        builder.leaf(1, -1)
    limits = free()
    assert sequence_form(builder.finish(), limits).chance.denominator == 3**800
    assert (PLENTY - limits.steps, PLENTY - limits.bits) == paid(
        (2, 635, 1), (2, 1268, 1), (635, 635, 1), (635, 1268, 1),  # the four products
        (1, 634, 3), (634, 1268, 3),  # the common denominator of 1, 3**400 and 3**800
        (1268, 634 + 1268, 5),  # the five products over it; the longest is (3**400 - 1) / 3**800
    )  # fmt: skip


def test_a_common_denominator_is_paid_for() -> None:
    limits = free()
    numbers = [F(1, 2**600), F(3), F(5, 2**10)]
    assert over_common_denominator(numbers, limits, "here") == ([1, 3 * 2**600, 5 * 2**590], 2**600)
    assert (PLENTY - limits.steps, PLENTY - limits.bits) == paid((11, 601, 3), (601, 1 + 601, 3))


@pytest.mark.parametrize(
    ("whole", "payoff", "kind"),
    [(2**61 - 1, 1, np.int64), (2**61, 1, object), (2**40, 2**20, np.int64), (2**40, 2**21, object),
     (2**40, 2**40, object), (2**70, 1, object), (5, 0, np.int64)],
)  # fmt: skip
def test_matrices_are_in_int64_only_if_every_sum_is_safe(whole: int, payoff: int, kind: type) -> None:
    builder = TreeBuilder()
    builder.chance(("a", "b"), (F(1, whole), 1 - F(1, whole)))
    builder.leaf(payoff, -payoff)
    builder.leaf(-payoff, payoff)
    form = sequence_form(builder.finish(), free())
    assert whole * max(payoff, 1) * 2 < SAFE or kind is object
    for player, sign in ((0, 1), (1, -1)):
        assert form.payoffs[player].amount.dtype == kind
        assert form.payoffs[player].amount.tolist() == [sign * payoff * (2 - whole)]
