"""Chance moves and payoffs of rules, exact weights of histories, and the cost of visiting histories.

The weight of a history is the product of its moves' probabilities. Moves of a best-responding player are left out.
Weights are fractions with different denominators. The code converts them to a common denominator as late as possible.

The checking kernel uses `Limits` to limit the work and the memory for a claim. Every visit of a history (see
`Visits`) and every operation on numbers of more than `SHORT` bits reduces these limits.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, lcm
from typing import Any, ClassVar

from tremble.check.limits import SHORT, STEPS_PER_NODE, Limits, common_denominator, steps_of
from tremble.errors import GameError, PlayersError
from tremble.game.tree_arrays import label_tuple
from tremble.numbers import HASH_MODULUS, exact_numbers, exact_payoffs

__all__ = [
    "WHERE",
    "Move",
    "Nature",
    "Sums",
    "TooManyVisits",
    "Visits",
    "add",
    "key_of",
    "least_common_multiple",
    "no_player",
    "pay_quotients",
    "shares",
    "total",
]

WHERE = "strategies"
"""The place that error messages name if the work or the memory exceeds the limits."""

_STEPS_PER_HISTORY = 4_000  # charged for each visit of a history; a visit takes 3 to 12 microseconds (measured)
_ODDS_KEPT = 4096

Move = tuple[int, int, int]
"""The index of an action, and the numerator and the denominator of its positive probability."""

Sums = dict[int | str, tuple[int, int]]
"""A sum of fractions, grouped by denominator: key of a denominator -> (sum of the numerators, denominator).

The function `key_of` computes the key.
"""


# -- the cost of visits --------------------------------------------------------------------------------


class TooManyVisits(Exception):  # noqa: N818 (a reason to choose another search)
    """A check has visited more histories than it may."""


@dataclass
class Visits:
    """A counter of the histories that the check of a claim visits. It charges each visit to the limits.

    The size of a game that is not built is unknown. The limits therefore grow with the number of histories that the
    check of the claim has visited. After n visits, the limits are at least the limits for a tree with n nodes.

    In a list of claims, the check of a later claim may visit the same histories again. These visits are charged, but
    they do not raise the limits again. So a file with a long list of short claims cannot make the kernel walk through
    the game arbitrarily often.
    """

    every: ClassVar[int] = 1_000
    """The number of histories to visit between two calls of `pay`. These visits take a few milliseconds."""

    limits: Limits
    count: int = 0
    most: float = inf  # more visits raise `TooManyVisits`

    def pay(self, histories: int) -> None:
        """Count ``histories`` visits. Raise the limits to fit the new count, and subtract the cost of these visits."""
        self.count += histories
        if self.count > self.most:
            raise TooManyVisits
        known = Limits.for_game(self.count).allowed[0]
        missing = (known - self.limits.allowed[0]) / STEPS_PER_NODE
        if missing > 0:
            self.limits.grant(int(missing))
        self.limits.spend(WHERE, _STEPS_PER_HISTORY, histories)

    def pay_long(self, *numbers: Fraction | int) -> None:
        """Charge the limits for an operation on numbers, if they are long."""
        long = sum(number.numerator.bit_length() + number.denominator.bit_length() for number in numbers)
        if long > SHORT:
            self.limits.spend(WHERE, steps_of(long, long), 2)
            self.limits.keep(WHERE, long)


def pay_quotients(limits: Limits, length: int, other: int, times: int = 1) -> None:
    """Charge the limits for the work of ``times`` operations on numbers of ``length`` and ``other`` bits."""
    if length + other > SHORT:
        limits.spend(WHERE, steps_of(length, other), times)


def least_common_multiple(denominators: Iterable[int], limits: Limits, where: str = WHERE) -> int:
    """Return the least common multiple of positive integers. Charge ``limits`` for the work, but not for the memory."""
    before = limits.bits
    whole = common_denominator(denominators, limits, where)
    if limits.bits < before:
        limits.keep(where, -int(before - limits.bits))
    return whole


# -- chance and payoffs --------------------------------------------------------------------------------


class Nature:
    """Chance probabilities and payoffs from the rules, checked on first use.

    Attributes
    ----------
    payoffs : dict
        (player 1's payoff, player 2's payoff) -> the same payoffs, each as (numerator, denominator).
    total : Fraction or None
        The sum of the two payoffs if it is the same at all leaves seen so far, else None. A search for a best response
        sees all leaves that the other player's strategy allows. Unseen leaves can have other sums.
    """

    def __init__(self, rules: Any) -> None:
        self._rules = rules
        self._odds: dict[tuple[int, int], tuple[Any, Any, tuple[Move, ...]]] = {}
        self.payoffs: dict[Any, tuple[tuple[int, int], tuple[int, int]]] = {}
        self.total: Fraction | None = None

    def odds(self, h: Any) -> tuple[Move, ...]:
        """Return the moves of positive probability at a history where chance moves."""
        labels, probabilities = self._rules.actions(h), self._rules.chance(h)
        same = self._odds.get((id(labels), id(probabilities)))
        if same is not None:
            return same[2]
        exact = exact_numbers(probabilities, "chance probability")
        labels = label_tuple(labels)
        if len(labels) != len(exact):
            raise GameError(f"{len(labels)} chance actions have {len(exact)} probabilities; give one for each action")
        if len(set(labels)) < len(labels):
            raise GameError(f"a chance node repeats an action label: {labels!r:.300}")
        if any(p < 0 for p in exact) or sum(exact) != 1:
            raise GameError(f"the chance probabilities {probabilities!r:.300} must not be negative and must sum to 1")
        moves = tuple((i, p.numerator, p.denominator) for i, p in enumerate(exact) if p)
        if isinstance(labels, tuple) and isinstance(probabilities, tuple):
            if len(self._odds) >= _ODDS_KEPT:
                self._odds.clear()
            # Store both objects. As long as they exist, Python cannot reuse their ids for other objects.
            self._odds[id(labels), id(probabilities)] = labels, probabilities, moves
        return moves

    def payoff(self, pair: Any) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return player 1's payoff and player 2's payoff, each as (numerator, denominator)."""
        with suppress(KeyError, TypeError):  # a list is not hashable, nor is a fraction of NumPy integers
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
    """Return the error for a result of ``player(h)`` that is not a valid player."""
    return PlayersError.at("a history", mover)


# -- weights -------------------------------------------------------------------------------------------


def shares(moves: tuple[Move, ...], weight: int, unit: int, limits: Limits) -> list[tuple[int, int, int]]:
    """Multiply ``weight / unit`` by the probability of each move.

    Before the multiplication, cancel the factors that each numerator shares with the other fraction's denominator.
    Reducing the product afterwards would be slow, because its numbers are long.

    Returns
    -------
    list of tuple
        For each move: the index of the action, and the numerator and the denominator of the product.
    """
    parts = []
    length = unit.bit_length()  # the weight is not longer, because weight / unit is a probability
    for i, top, bottom in moves:
        if length > SHORT:
            limits.spend(WHERE, steps_of(length, bottom.bit_length()), 4)
        one, two = gcd(weight, bottom), gcd(top, unit)
        parts.append((i, weight // one * (top // two), unit // two * (bottom // one)))
    return parts


def add(sums: Sums, top: int, bottom: int, limits: Limits) -> None:
    """Add the fraction ``top / bottom`` to a sum that has a separate part for each denominator."""
    key = key_of(bottom)
    before = sums.get(key)
    if before is not None:
        top += before[0]
    elif bottom.bit_length() > SHORT:
        limits.keep(WHERE, 2 * bottom.bit_length())
    sums[key] = top, bottom


def total(sums: Sums, limits: Limits) -> Fraction:
    """Return the total of a sum that is stored in parts, as one fraction.

    Parts are added in ascending order of their denominators, because small denominators often divide larger ones.
    """
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


def key_of(value: int | Fraction) -> int | str:
    """Return a hashable key for a number from a file, for use in dicts and sets.

    Python's hashes of numbers are predictable. A file could contain thousands of numbers with the same hash, and each
    look-up would scan all of them. Hashes of texts are random in each process.

    Examples
    --------
    >>> key_of(7), key_of(Fraction(-1, 3)), key_of(2**61)
    (7, '-1/3', '2000000000000000')
    """
    if value.denominator == 1:
        value = value.numerator
        return value if -1 < value < HASH_MODULUS else f"{value:x}"
    return f"{value.numerator:x}/{value.denominator:x}"
