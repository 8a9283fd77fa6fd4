"""Chance and the payoffs of rules, read and checked; and exact weights of histories.

Weights are fractions over many denominators, which are brought together as late as possible.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from tremble.errors import GameError, PlayersError
from tremble.game.protocol import label_tuple
from tremble.numbers import exact_numbers, exact_payoffs, key_of
from tremble.verifier.budget import SHORT, budget

__all__ = ["Move", "Nature", "Sums", "add", "no_player", "shares", "total"]

_ODDS_KEPT = 4096

Move = tuple[int, int, int]
"""Position of an action, numerator and denominator of its probability, which is positive."""

Sums = dict[int | str, tuple[int, int]]
"""A sum of fractions: for each denominator (what stands for it) the sum of the numerators over it, and itself."""


class Nature:
    """Chance and the payoffs, as the rules give them.

    ``payoffs`` maps a pair of payoffs to numerator and denominator for players 1 and 2. ``total`` is what the
    pairs met so far sum to, None once two sums differ. Once a search has followed all that a strategy allows, that is
    what all of it pays; of other plays it says nothing.
    """

    def __init__(self, rules: Any) -> None:
        self._rules = rules
        self._odds: dict[tuple[int, int], tuple[Any, Any, tuple[Move, ...]]] = {}
        self.payoffs: dict[Any, tuple[tuple[int, int], tuple[int, int]]] = {}
        self.total: Fraction | None = None

    def odds(self, h: Any) -> tuple[Move, ...]:
        """The outcomes of a chance history that have positive probability."""
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
            self._odds[id(labels), id(probabilities)] = labels, probabilities, moves  # held, so that ids stay theirs
        return moves

    def payoff(self, pair: Any) -> tuple[tuple[int, int], tuple[int, int]]:
        """Numerators and denominators of payoffs, which are checked when first met."""
        with suppress(KeyError, TypeError):  # a list, or a fraction of NumPy's integers, cannot be looked up
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
    """The rules name a player that there is not."""
    return PlayersError.at("a history", mover)


def shares(moves: tuple[Move, ...], weight: int, unit: int) -> list[tuple[int, int, int]]:
    """The share of each move in ``weight / unit``, shortened crosswise: a gcd of two long numbers would take long."""
    parts = []
    length = unit.bit_length()  # weights are probabilities over it
    costs = budget() if length > SHORT else None
    for i, top, bottom in moves:
        if costs is not None:
            costs.quotient(length, bottom.bit_length(), 4)
        one, two = gcd(weight, bottom), gcd(top, unit)
        parts.append((i, weight // one * (top // two), unit // two * (bottom // one)))
    return parts


def add(sums: Sums, top: int, bottom: int) -> None:
    """Add a fraction to a sum, among the parts over its denominator."""
    key = key_of(bottom)
    before = sums.get(key)
    if before is not None:
        top += before[0]
    elif bottom.bit_length() > SHORT:
        budget().keep(2 * bottom.bit_length())
    sums[key] = top, bottom


def total(sums: Sums) -> Fraction:
    """What the parts add up to: short denominators first, which often divide the next."""
    top, whole = 0, 1
    costs = budget()
    for unit, part in sorted((unit, part) for part, unit in sums.values()):
        costs.quotient(whole.bit_length(), unit.bit_length(), 3)
        larger = lcm(whole, unit)
        long, growth = larger.bit_length(), larger.bit_length() - whole.bit_length()
        costs.quotient(long, growth + unit.bit_length(), 2)
        top = top * (larger // whole) + part * (larger // unit)
        whole = larger
    costs.quotient(whole.bit_length(), whole.bit_length())
    return Fraction(top, whole)
