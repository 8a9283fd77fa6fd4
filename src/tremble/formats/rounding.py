"""Conversion of floats in strategies to exact probabilities.

If a row of probabilities contains a float, the simplest nearby fractions that sum to one replace the row
(:func:`tremble.formats.chance_repair.mend_floats`). The fractions differ from the floats by a few units in the last
place if possible, and otherwise by at most 1e-9. If a tolerance is given, the simplest fractions within the tolerance
are tried first. Rows of exact numbers (integers, fractions, ``Decimal``, text such as ``"1/3"``) do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import Any

import numpy as np

from tremble.errors import GameError
from tremble.formats.chance_repair import mend_floats, mend_probabilities
from tremble.formats.gambit_text import shown_list
from tremble.formats.tolerance import TOLERANCE
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.numbers import exact_number, required_flag

__all__ = ["Rounding", "place"]


def place(tree: GameTree, player: int, k: int) -> str:
    """Return the name of an information set and its player for a message."""
    return f"player {player + 1}, {tree.set_name(player, k)}"


class Rounding:
    """A converter from floats to exact probabilities.

    Parameters
    ----------
    exact : bool
        Convert each float to exactly the fraction that it represents. The fractions of a row must then sum to 1.
    tolerance : Fraction, optional
        Largest allowed change of a probability. The default is 1e-9.
    """

    def __init__(self, exact: bool = False, tolerance: Fraction | None = None) -> None:
        self.exact = required_flag(exact, "exact")
        self.tolerance = tolerance
        self.rounded = False  # True after a row with a float

    def row(self, numbers: Sequence[Any], where: str) -> list[Fraction]:
        """Convert a row to exact numbers. Raise ``GameError`` if floats are not near probabilities that sum to one."""
        read = [_read(p, where) for p in numbers]
        if all(isinstance(p, Rational) for p in read):
            return [Fraction(p) for p in read]
        self.rounded = True
        try:
            floats = [float(p) for p in read]
        except (TypeError, ValueError, OverflowError):
            floats = []
        if not floats or not all(map(isfinite, floats)):
            raise GameError(f"{where}: {shown_list(map(str, numbers))} are not probabilities")
        least = -(TOLERANCE if self.tolerance is None else self.tolerance)
        if self.exact or not any(floats):
            return [Fraction(p) for p in floats]
        floats = [0.0 if least <= p < 0 else p for p in floats]
        if min(floats) < 0:
            mended = None
        elif self.tolerance is None:
            mended = mend_floats(floats)
        else:
            mended = mend_probabilities([Fraction(p) for p in floats], tolerance=self.tolerance)
        if mended is None:
            negative = min(floats) < 0
            raise GameError(
                f"{where}: {shown_list(map(str, numbers))} "
                + ("include a negative number: they" if negative else f"sum to {sum(floats):.10g}: they")
                + f" are not within {float(-least):g} of probabilities that sum to one; divide them by their sum, or "
                "use repair_tolerance of tremble.certify to allow larger changes"
            )
        return list(mended)

    def strategy(self, tree: GameTree, strategy: BehaviorStrategy) -> BehaviorStrategy:
        """Convert the probabilities of a strategy to exact numbers. An exact strategy is returned unchanged."""
        if strategy.exact:
            return strategy
        rows = [self.row(row, place(tree, strategy.player, k)) for k, row in enumerate(strategy)]
        return BehaviorStrategy.from_rows(tree, strategy.player, rows)


def _read(number: Any, where: str) -> Any:
    """Convert an exact number to a Python number; return other objects, such as floats, unchanged."""
    if isinstance(number, str | Decimal | Rational) and not isinstance(number, bool | np.bool_):
        return exact_number(number, f"{where}: the probability")
    return number
