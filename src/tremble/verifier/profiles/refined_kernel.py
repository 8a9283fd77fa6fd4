r"""The relaxed pass over refined sets in whole numbers that are rounded upward, compiled by Numba.

Compiled on first use and cached. Vertices are integers over :data:`ONE`, each entry at least its true value, so that
they may sum to more than 1. At a refined set let l be the least and h the greatest of what the actions are worth, and
:math:`d_a \ge 0` what action a is worth more than l. The true vertex v sums to 1, so it is worth

.. math::  \sum_a v_a\,(l + d_a) = l + \sum_a v_a\,d_a \;\le\; \min\Bigl(h,\; l + \Bigl\lceil \sum_a q_a\,d_a /
           2^{30} \Bigr\rceil\Bigr), \qquad v_a \le q_a / 2^{30},

which is what the kernel takes; it is at least l. Where no entry is rounded and no quotient either, nothing is lost;
this is so wherever a set is not divided.

Nothing overflows. The caller sees to it that the absolute values of the gains sum to less than :math:`2^{60}` and that
no vertex sums to more than :math:`2^{31}`. What a sequence is worth is its gain and, for each set after it, a number
between the least and the greatest of what the sequences there are worth; so its absolute value is at most the sum of
those of all gains after it, hence below :math:`2^{60}`, and :math:`d_a < 2^{61}`. With
:math:`d_a = 2^{30} c_a + f_a`, :math:`0 \le f_a < 2^{30}`, both sums are exact: :math:`\sum q_a c_a < 2^{31} \cdot
2^{31}` and :math:`\sum q_a f_a < 2^{31} \cdot 2^{30}`, and the bound on :math:`\sum q_a d_a / 2^{30}` is below
:math:`2^{62} + 2`.
"""

from __future__ import annotations

import numpy as np

from tremble.run.clock import compiled

__all__ = ["LARGEST_GAINS", "LARGEST_VERTEX", "ONE", "relaxed_pass", "support"]

_BITS = 30
_MASK = (1 << _BITS) - 1
ONE = 1 << _BITS
LARGEST_GAINS = 1 << 60
LARGEST_VERTEX = 1 << 31


@compiled
def relaxed_pass(gain, before, start, infoset, vertex, offset, fixed, amount):  # type: ignore[no-untyped-def]
    """An upper bound on what the player earns, in the unit of the gains.

    gain [S] by sequence; before [J], start [J + 1] and infoset [J] of the refined sets; vertex: those of information
    set k one after the other from offset[k]; fixed [K] the vertex that a set must take, or -1; amount [S] of any
    content.
    """
    amount[:] = gain
    for j in range(len(before) - 1, -1, -1):
        first, end, k = start[j], start[j + 1], infoset[j]
        low = high = amount[first]
        for s in range(first + 1, end):
            low, high = min(low, amount[s]), max(high, amount[s])
        best = low
        if low < high:
            n = end - first
            one, stop = 0, n
            if fixed[k] >= 0:
                one, stop = fixed[k], fixed[k] + 1
            for row in range(offset[k] + one * n, offset[k] + stop * n, n):
                coarse = fine = 0
                for a in range(n):
                    more = amount[first + a] - low
                    coarse += vertex[row + a] * (more >> _BITS)
                    fine += vertex[row + a] * (more & _MASK)
                best = max(best, low + coarse + ((fine + _MASK) >> _BITS))
            best = min(best, high)
        amount[before[j]] += best
    return amount[0]


@compiled
def support(before, start, infoset, reply, played):  # type: ignore[no-untyped-def]
    """The sequences that a pure strategy plays, ascending, filled into ``played`` [1 + J]; how many there are."""
    plays = np.zeros(start[-1], dtype=np.bool_)
    plays[0] = True
    played[0] = 0
    many = 1
    for j in range(len(before)):
        if plays[before[j]]:
            s = start[j] + reply[infoset[j]]
            plays[s] = True
            played[many] = s
            many += 1
    return many
