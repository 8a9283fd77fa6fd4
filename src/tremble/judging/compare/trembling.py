"""Strategies that err with the same probability at every information set."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import gcd

import numpy as np

from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import integer_array

__all__ = ["trembling"]


def trembling(strategy: BehaviorStrategy, d: Fraction | float) -> BehaviorStrategy:
    """The strategy that errs with probability ``d`` at every information set, and then plays uniformly there.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> pure = tremble.BehaviorStrategy.from_rows(kuhn, 0, [[1, 0]] * 6)
    >>> trembling(pure, Fraction(1, 10)).row(0)
    [Fraction(19, 20), Fraction(1, 20)]
    """
    width = np.diff(strategy.start)
    if strategy.denominator is None:
        mixed = (1 - float(d)) * strategy.numerator + np.repeat(float(d) / width, width)
        return replace(strategy, numerator=mixed)
    u, v = Fraction(d).as_integer_ratio()
    numerator: list[int] = []
    denominator: list[int] = []
    share, start = strategy.numerator.tolist(), strategy.start.tolist()
    for k, (n, whole) in enumerate(zip(width.tolist(), strategy.denominator.tolist(), strict=True)):
        row = [(v - u) * n * p + u * whole for p in share[start[k] : start[k + 1]]]
        common = gcd(v * n * whole, *row)
        numerator += [p // common for p in row]
        denominator.append(v * n * whole // common)
    return replace(strategy, numerator=integer_array(numerator), denominator=integer_array(denominator))
