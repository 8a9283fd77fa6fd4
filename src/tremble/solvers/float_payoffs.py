"""Payoffs as the float solver sees them: none far above 1, and none far from all others.

Payoffs of very different sizes are *brought closer* for the float solver. Where some are 1e12, some 1 and some 1e-9,
no float is right about the small ones: beside a doubt of 1e-10 of the largest they are nothing. But which basis is
optimal hardly depends on how much larger the large ones are, once they decide first: as the gaps grow, payoffs become
polynomials in an infinitesimal, whose optimal basis is one for all large gaps. So the gaps between the sizes of payoffs
are narrowed by half, and again (:func:`closer_sizes`); floats solve the closest game. What it did not foresee is mended
in the others, as far as floats go, and at last in the game itself, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.integers import largest

__all__ = ["closer_sizes", "payoff_exponent"]

_UNSCALED_BITS = 12  # payoff integers up to here suit the float solver as they are
_CLOSE_BITS = 24  # payoffs of which the largest is at most that much larger than the smallest suit floats
_GAP_BITS = 3  # what is left of the gaps of others, in the end: the larger payoffs decide, and floats see all


def payoff_exponent(payoff: NDArray[Any]) -> int:
    """The power of 2 that large payoffs are divided by for the float solver, so that it sees none above 1; else 0.

    Examples
    --------
    >>> payoff_exponent(np.array([3, -4])), payoff_exponent(np.array([0, -(10**6)]))
    (0, 20)
    """
    bits = largest(payoff).bit_length()
    return bits if bits > _UNSCALED_BITS else 0


def closer_sizes(payoff: NDArray[Any]) -> NDArray[Any] | None:
    """Payoffs whose sizes have no such wide gaps, for floats; None where they have none.

    Those below a gap are multiplied by a power of 2, all by the same, so that what is in balance among them remains so.

    Examples
    --------
    >>> closer_sizes(np.array([3, -(10**12), 5])).tolist()
    [1572864, -1000000000000, 2621440]
    >>> closer_sizes(np.array([3, -4, 5])) is None
    True
    """
    if largest(payoff).bit_length() <= _CLOSE_BITS:
        return None
    bits = np.array([abs(value).bit_length() for value in payoff.tolist()], dtype=np.int64)
    sizes = np.unique(bits[bits > 0])
    gaps = np.diff(sizes)
    widest = int(gaps.max(initial=0)) // 2
    excess = np.maximum(gaps - (widest if widest >= 2 * _GAP_BITS else _GAP_BITS), 0)
    if sizes[-1] - sizes[0] <= _CLOSE_BITS or not excess.any():
        return None
    of_gaps_above = np.append(np.cumsum(excess[::-1])[::-1], 0)
    closer: NDArray[Any] = payoff.astype(object) << of_gaps_above[np.searchsorted(sizes, bits)].astype(object)
    return closer
