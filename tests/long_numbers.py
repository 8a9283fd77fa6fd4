"""Numbers that are costly for a checker: long ones, and ones that must not be hashed; and the time that they take."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace

from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy


def odd(bits: int, draw: random.Random) -> int:
    """Return an odd number of exactly so many bits."""
    return draw.getrandbits(bits) | 1 | 1 << (bits - 1)


def lengthened(rules: OrderedGame, bits: int) -> tuple[OrderedStrategy, OrderedStrategy]:
    """Return uniform strategies in numbers of so many bits."""
    one, two = (OrderedStrategy.uniform(rules, player) for player in (0, 1))
    long = (1 << bits) // 7 | 1

    def longer(strategy: OrderedStrategy) -> OrderedStrategy:
        weight = tuple(w.astype(object) * long for w in strategy.weight)
        return replace(strategy, weight=weight, denominator=strategy.denominator * long)

    return longer(one), longer(two)


class Unhashable(int):
    """A number of a file that nothing may look up by its hash."""

    def __hash__(self) -> int:
        raise AssertionError("looked up by a hash that everybody knows")

    def __eq__(self, other: object) -> bool:
        return int(self) == other


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time, the least of three."""
    least = float("inf")
    for _ in range(3):
        began = time.process_time()
        work()
        least = min(least, time.process_time() - began)
    return least
