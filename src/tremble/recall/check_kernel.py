r"""The relaxed pass of :mod:`tremble.recall.check_refined` as a Numba function, in int64 numbers that are rounded up.

The entries of a vertex are integers with the denominator :data:`ONE`, which is :math:`2^{30}`. Each entry is at least
its true value, so the entries of a vertex may sum to more than 1.

Theorem (upper bound).  The result is at least U at the empty sequence, where U is the exact relaxed pass.

Proof.  At a refined set, let l be the least value of an action, and let h be the greatest value. The value of action a
is :math:`l + d_a` with :math:`d_a \ge 0`. Let v be the true vertex, and let the integers q be its stored entries, so
that :math:`v_a \le q_a / 2^{30}`. The entries of v sum to 1, so the value of v is

.. math::  \sum_a v_a\,(l + d_a) = l + \sum_a v_a\,d_a \;\le\; \min\Bigl(h,\; l + \Bigl\lceil \sum_a q_a\,d_a /
           2^{30} \Bigr\rceil\Bigr).

The function computes the right-hand side. The theorem follows by induction from the last sets. If no entry and no
quotient is rounded, the result is exact. At a set whose vertices are its actions, nothing is rounded.

Theorem (no overflow).  Let the absolute values of the gains sum to less than :math:`2^{60}`. Let the stored entries of
each vertex sum to at most :math:`2^{31}`. Then all numbers in the pass fit into int64.

Proof.  The value of a sequence is its gain plus one number for each set after it. This number is between the least and
the greatest value of the sequences of the set. So the absolute value of a sequence is at most the sum of the absolute
values of all gains after it. This sum is less than :math:`2^{60}`, so :math:`d_a < 2^{61}`. Write
:math:`d_a = 2^{30} c_a + f_a` with :math:`0 \le f_a < 2^{30}`. Then :math:`\sum q_a c_a < 2^{31} \cdot 2^{31}` and
:math:`\sum q_a f_a < 2^{31} \cdot 2^{30}`, so both sums are computed exactly. The bound on
:math:`\sum q_a d_a / 2^{30}` is less than :math:`2^{62} + 2`.

The functions are compiled on first use and then cached.
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
    """Return an upper bound on the player's payoff, in the unit of ``gain``.

    Parameters
    ----------
    gain : int64[S]
        For each sequence, the payoff from the leaves at which it is the player's last sequence.
    before : int64[J]
        The sequence that leads to each refined set.
    start : int64[J + 1]
        The sequences of refined set j are ``start[j]:start[j + 1]``.
    infoset : int64[J]
        The information set of each refined set.
    vertex : int64 array
        The vertices of all information sets. The vertices of set k are stored consecutively from ``offset[k]`` on.
    offset : int64[K + 1]
    fixed : int64[K]
        The vertex that is fixed at each information set, or -1.
    amount : int64[S]
        Working memory.
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
    """Write the sequences of a pure strategy to the array `played`, int[1 + J], ascending, and return their count."""
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
