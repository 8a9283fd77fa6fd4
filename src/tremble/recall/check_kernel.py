r"""The relaxed pass of :mod:`tremble.recall.check_refined` in int64 numbers that are rounded up, compiled by Numba.

Vertices are integers over :data:`ONE`. Each entry is at least its true value, so a vertex may sum to more than 1.

Theorem (upper bound).  The result is at least U at the empty sequence.

Proof.  At a refined set, let l and h be the least and the greatest value of an action, and let :math:`d_a \ge 0` be
what action a earns more than l. The true vertex v sums to 1, so its value is

.. math::  \sum_a v_a\,(l + d_a) = l + \sum_a v_a\,d_a \;\le\; \min\Bigl(h,\; l + \Bigl\lceil \sum_a q_a\,d_a /
           2^{30} \Bigr\rceil\Bigr), \qquad v_a \le q_a / 2^{30},

which is what the kernel computes. The rest is induction from the last sets. If no entry and no quotient is rounded, the
result is exact. This is so at every set that is not divided.

Theorem (no overflow).  Let the absolute values of the gains sum to less than :math:`2^{60}`, and let no vertex sum to
more than :math:`2^{31}`. Then no number in the pass exceeds int64.

Proof.  The value of a sequence is its gain plus, for each set after it, a number between the least and the greatest
value of the sequences there. So its absolute value is at most the sum over all gains after it, hence below
:math:`2^{60}`, and :math:`d_a < 2^{61}`. Write :math:`d_a = 2^{30} c_a + f_a` with :math:`0 \le f_a < 2^{30}`. Then
:math:`\sum q_a c_a < 2^{31} \cdot 2^{31}` and :math:`\sum q_a f_a < 2^{31} \cdot 2^{30}`, so both sums are exact. The
bound on :math:`\sum q_a d_a / 2^{30}` is below :math:`2^{62} + 2`.

The functions are compiled on first use, and cached.
"""

from __future__ import annotations

import numpy as np

from tremble.run.compiling import compiled

__all__ = ["LARGEST_GAINS", "LARGEST_VERTEX", "ONE", "rounded_pass", "support"]

_BITS = 30
_MASK = (1 << _BITS) - 1
ONE = 1 << _BITS
LARGEST_GAINS = 1 << 60
LARGEST_VERTEX = 1 << 31


@compiled
def rounded_pass(gain, before, start, infoset, vertex, offset, fixed, amount):  # type: ignore[no-untyped-def]
    """Return an upper bound on what the player earns, in the unit of the gains.

    Shapes, all int64: gain [S] by sequence; before [J], start [J + 1] and infoset [J] by refined set; vertex: the
    vertices of information set k, one after the other, from offset[k]; fixed [K]: the vertex that a set must take, or
    -1; amount [S]: scratch space.
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
            begin, stop = 0, n
            if fixed[k] >= 0:
                begin, stop = fixed[k], fixed[k] + 1
            for row in range(offset[k] + begin * n, offset[k] + stop * n, n):
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
    """Fill `played` [1 + J] with the sequences that a pure strategy plays, ascending; return their number."""
    plays = np.zeros(start[-1], dtype=np.bool_)
    plays[0] = True
    played[0] = 0
    count = 1
    for j in range(len(before)):
        if plays[before[j]]:
            s = start[j] + reply[infoset[j]]
            plays[s] = True
            played[count] = s
            count += 1
    return count
