"""Chance and payoffs as rules give them, exact weights of histories, and payment for visited histories.

Weights are fractions over many denominators, which are brought together as late as possible.

Every pass over histories pays into the `Limits` of the kernel (see `Visits`), and so does every operation on long
numbers. Numbers of at most `SHORT` bits are free.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any, ClassVar

from tremble.check.limits import SHORT, STEPS_PER_NODE, Limits, common_denominator, steps_of
from tremble.errors import GameError, PlayersError
from tremble.game.labels import label_tuple
from tremble.numbers import exact_numbers, exact_payoffs, key_of

__all__ = [
    "WHERE",
    "Move",
    "Nature",
    "Sums",
    "Visits",
    "add",
    "least_common_multiple",
    "no_player",
    "pay_quotients",
    "shares",
    "total",
]

WHERE = "strategies"
"""The part of a claim whose numbers are too long, for messages."""

_STEPS_PER_HISTORY = 4_000  # measured: a visit takes 3 to 12 microseconds
_ODDS_KEPT = 4096

Move = tuple[int, int, int]
"""Position of an action, numerator and denominator of its probability, which is positive."""

Sums = dict[int | str, tuple[int, int]]
"""A sum of fractions: for each denominator (by its `key_of`) the sum of the numerators over it, and the denominator."""


# -- payment -------------------------------------------------------------------------------------------


@dataclass
class Visits:
    """Count the histories that the check of a claim visits, and pay for them.

    Nobody knows the size of a game that is not built. The limits therefore grow up to those of a tree with as many
    nodes as the check has visited histories. Further claims of a list that visit the same histories only pay. So a
    list of claims that state next to nothing cannot make the kernel walk the game any number of times.
    """

    every: ClassVar[int] = 1_000
    """Histories between two payments: a few milliseconds."""

    limits: Limits
    count: int = 0

    def pay(self, histories: int) -> None:
        """Pay for so many further histories."""
        self.count += histories
        known = Limits.for_game(self.count).allowed[0]
        missing = (known - self.limits.allowed[0]) / STEPS_PER_NODE
        if missing > 0:
            self.limits.grant(int(missing))
        self.limits.spend(WHERE, _STEPS_PER_HISTORY, histories)


def pay_quotients(limits: Limits, length: int, other: int, times: int = 1) -> None:
    """Pay for operations on numbers of so many bits whose results are soon forgotten."""
    if length + other > SHORT:
        limits.spend(WHERE, steps_of(length, other), times)


def least_common_multiple(denominators: Iterable[int], limits: Limits, where: str = WHERE) -> int:
    """Return the least common multiple of positive integers, and give back the memory for the numbers on the way."""
    before = limits.bits
    whole = common_denominator(denominators, limits, where)
    if limits.bits < before:
        limits.keep(where, -int(before - limits.bits))
    return whole


# -- chance and payoffs --------------------------------------------------------------------------------


class Nature:
    """Chance and the payoffs, as the rules give them; both are checked when first met.

    Attributes
    ----------
    payoffs : dict
        Pair of payoffs -> numerator and denominator for players 1 and 2.
    total : Fraction or None
        The sum of all pairs met so far; None once two sums differ. After a search that has followed everything that a
        strategy allows, it is the sum at each of these leaves. It says nothing about other plays.
    """

    def __init__(self, rules: Any) -> None:
        self._rules = rules
        self._odds: dict[tuple[int, int], tuple[Any, Any, tuple[Move, ...]]] = {}
        self.payoffs: dict[Any, tuple[tuple[int, int], tuple[int, int]]] = {}
        self.total: Fraction | None = None

    def odds(self, h: Any) -> tuple[Move, ...]:
        """Return the outcomes of a chance history that have positive probability."""
        labels, probabilities = self._rules.actions(h), self._rules.chance(h)
        same = self._odds.get((id(labels), id(probabilities)))
        if same is not None:
            return same[2]
        exact = exact_numbers(probabilities, "chance probability")
        labels = label_tuple(labels)
        if len(labels) != len(exact):
            raise GameError(f"{len(labels)} chance actions have {len(exact)} probabilities")
        if len(set(labels)) < len(labels):
            raise GameError(f"a chance node repeats an action label: {labels!r:.300}")
        if any(p < 0 for p in exact) or sum(exact) != 1:
            raise GameError(f"the chance probabilities {probabilities!r:.300} are negative or do not sum to 1")
        moves = tuple((i, p.numerator, p.denominator) for i, p in enumerate(exact) if p)
        if isinstance(labels, tuple) and isinstance(probabilities, tuple):
            if len(self._odds) >= _ODDS_KEPT:
                self._odds.clear()
            # Both are stored, so that Python gives their ids to no other object.
            self._odds[id(labels), id(probabilities)] = labels, probabilities, moves
        return moves

    def payoff(self, pair: Any) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return numerators and denominators of payoffs."""
        with suppress(KeyError, TypeError):  # a list, or a fraction of NumPy's integers, is not hashable
            return self.payoffs[pair]
        player1, player2 = exact_payoffs(pair)
        total = Fraction(player1 + player2)
        if not self.payoffs:
            self.total = total
        elif total != self.total:
            self.total = None
        entry = (player1.numerator, player1.denominator), (player2.numerator, player2.denominator)
        self.payoffs[player1, player2] = entry
        return entry


def no_player(mover: Any) -> PlayersError:
    """Return the error for rules that name a player that does not exist."""
    return PlayersError.at("a history", mover)


# -- weights -------------------------------------------------------------------------------------------


def shares(moves: tuple[Move, ...], weight: int, unit: int, limits: Limits) -> list[tuple[int, int, int]]:
    """Return the share of each move in ``weight / unit``.

    Fractions are reduced crosswise, because the greatest common divisor of two long numbers takes long.
    """
    parts = []
    length = unit.bit_length()  # weights are probabilities over it
    for i, top, bottom in moves:
        if length > SHORT:
            limits.spend(WHERE, steps_of(length, bottom.bit_length()), 4)
        one, two = gcd(weight, bottom), gcd(top, unit)
        parts.append((i, weight // one * (top // two), unit // two * (bottom // one)))
    return parts


def add(sums: Sums, top: int, bottom: int, limits: Limits) -> None:
    """Add a fraction to the part of a sum that has its denominator."""
    key = key_of(bottom)
    before = sums.get(key)
    if before is not None:
        top += before[0]
    elif bottom.bit_length() > SHORT:
        limits.keep(WHERE, 2 * bottom.bit_length())
    sums[key] = top, bottom


def total(sums: Sums, limits: Limits) -> Fraction:
    """Return the sum of all parts; short denominators come first, because they often divide the next ones."""
    top, whole = 0, 1
    for unit, part in sorted((unit, part) for part, unit in sums.values()):
        pay_quotients(limits, whole.bit_length(), unit.bit_length(), 3)
        larger = lcm(whole, unit)
        long, growth = larger.bit_length(), larger.bit_length() - whole.bit_length()
        pay_quotients(limits, long, growth + unit.bit_length(), 2)
        top = top * (larger // whole) + part * (larger // unit)
        whole = larger
    pay_quotients(limits, whole.bit_length(), whole.bit_length())
    return Fraction(top, whole)
