"""What checking strategies of ordered games may cost, and sums of probabilities of chance with one hash."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tremble.verifier.profiles.nature import Sums, add, total
from tremble.verifier.profiles.ordered import _cut, _joined

from ordered_games import KuhnCards, LeducCards
from tremble import verifier
from tremble.game.rules import UnbuiltGame
from tremble.poker.strategy import OrderedStrategy


def lengthened(rules: LeducCards | KuhnCards, bits: int) -> tuple[OrderedStrategy, OrderedStrategy]:
    """Uniform strategies in numbers of so many bits."""
    one, two = (OrderedStrategy.uniform(rules, player) for player in (0, 1))
    long = (1 << bits) // 7 | 1

    def longer(strategy: OrderedStrategy) -> OrderedStrategy:
        weight = tuple(w.astype(object) * long for w in strategy.weight)
        return replace(strategy, weight=weight, denominator=strategy.denominator * long)

    return longer(one), longer(two)


def seconds(work: Callable[[], object]) -> float:
    """Processor time, the least of three."""
    least = float("inf")
    for _ in range(3):
        began = time.process_time()
        work()
        least = min(least, time.process_time() - began)
    return least


@pytest.mark.parametrize("bits", [1, 5, 46])
def test_pieces_are_the_numbers_that_they_are_cut_from(bits: int) -> None:
    numbers = np.array([0, 1, -1, 3**500, -(3**500), 2**92, -(2**92)], dtype=object)
    pieces = _cut(numbers, bits)
    assert [shift for shift, _ in pieces] == [bits * k for k in range(len(pieces))]
    assert (_joined(pieces, lambda piece: piece.astype(object)) == numbers).all()


def test_cutting_long_numbers_takes_no_square_of_their_length() -> None:
    short, long = (np.array([(1 << bits) // 7] * 4, dtype=object) for bits in (2**15, 2**19))
    assert seconds(lambda: _cut(long, 40)) < 64 * seconds(lambda: _cut(short, 40)) + 0.05  # 256 times if it did


def test_what_is_too_long_is_refused_before_anything_is_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tremble.verifier.profiles.ordered._Responder.values", lambda _: pytest.fail("it was begun"))
    found = verifier.prove(UnbuiltGame.of(KuhnCards()), lengthened(KuhnCards(), 700_000))
    assert "too large to check" in found.problems[0]


def test_long_weights_are_charged_by_their_length() -> None:
    spent = []
    rules = LeducCards()
    for bits in (1_000, 16_000):
        with verifier.spending(verifier.Budget(work=10**12)) as allowed:
            assert not isinstance(verifier.evaluate_ordered(rules, lengthened(rules, bits)), list)
        spent.append(allowed.worked)
    assert 8 * spent[0] < spent[1]


# -- numbers with one hash ---------------------------------------------------------------------------


def alike(many: int) -> list[int]:
    """Different integers with the same hash."""
    return [1 + sys.hash_info.modulus * (i + 1) for i in range(many)]


class Unhashable(int):
    """A number of a file that nothing may look up by its hash."""

    def __hash__(self) -> int:
        raise AssertionError("looked up by a hash that everybody knows")

    def __eq__(self, other: object) -> bool:
        return int(self) == other


def test_probabilities_are_compared_and_not_hashed() -> None:
    sums: Sums = {}
    for n in alike(2):
        add(sums, 1, Unhashable(n))
        add(sums, 1, Unhashable(n))
    assert total(sums) == sum(Fraction(2, n) for n in alike(2))
