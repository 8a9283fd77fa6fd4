"""Exact weights of histories: fractions over many denominators, which are brought together as late as possible."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from tremble.exact_numbers import key_of
from tremble.verifier.budget import SHORT, budget

__all__ = ["Move", "Sums", "add", "shares", "total"]

Move = tuple[int, int, int]
"""Position of an action, numerator and denominator of its probability, which is positive."""

Sums = dict[int | str, tuple[int, int]]
"""A sum of fractions: for each denominator (what stands for it) the sum of the numerators over it, and itself."""


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
