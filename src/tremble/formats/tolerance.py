"""The tolerance for repairing probabilities, as set by the arguments ``repair`` and ``repair_tolerance``."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tremble.errors import GameError, SpecError
from tremble.numbers import exact_number

__all__ = ["TOLERANCE", "repair_limit"]

TOLERANCE = Fraction(1, 10**9)
"""The default tolerance: a repair may change a probability by this, or by one unit of its last digit if larger."""


def repair_limit(repair: bool, tolerance: Fraction | int | str | None) -> Fraction | None:
    """Check the arguments for a repair. Return the tolerance of the repair, or None if no repair is requested."""
    if not isinstance(repair, bool | np.bool_):
        raise SpecError(f"'repair' must be True or False, not {repair!r:.80}; 'repair_tolerance' sets the tolerance")
    if tolerance is None:
        return TOLERANCE if repair else None
    try:
        limit = Fraction(exact_number(tolerance, "repair_tolerance"))
    except GameError as error:
        raise SpecError(str(error)) from None
    if limit < 0:
        raise SpecError(f"'repair_tolerance' must be 0 or positive, not {tolerance!r:.80}")
    return limit
