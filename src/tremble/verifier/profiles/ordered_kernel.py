"""The sums over all pairs of hands of an ordered game, compiled by Numba.

Compiled on first use and cached. All numbers are int64; the caller has proven that none overflows.
"""

from __future__ import annotations

from tremble.run.clock import compiled

__all__ = ["earnings", "product_sums"]


@compiled
def earnings(earned, mask, joint, strength, span, outcome, plan_of, plan, utility, own, other, room):  # type: ignore[no-untyped-def]
    """Add to ``earned`` what ends in this round, against all hands of the other at the same public states.

    earned [B, N, S, H] by sequence of the responder; mask [B, N]; joint [B, N, N] weights of pairs, or empty: 1 if no
    signal is in both; outcome by sign of the difference of strengths (span 0), or by both strengths; plan [., U * H]
    of the other, in the row plan_of [B, N], none if negative; utility [O, E, H]; own, other [E] the sequence of the
    responder, and the position in 0..U-1 of that of the other; room [O, U * H] of any content.
    """
    states, hands = mask.shape
    leaves, lines = utility.shape[1], utility.shape[2]
    lanes = plan.shape[1]
    met = room.shape[0] * [False]
    for b in range(states):
        for i in range(hands):
            for o in range(len(met)):
                met[o] = False
            for j in range(hands):
                row = plan_of[b, j]
                if row < 0:
                    continue
                weight = 1
                if joint.shape[0]:
                    weight = joint[b, i, j]
                    if weight == 0:
                        continue
                elif mask[b, i] & mask[b, j]:
                    continue
                mine, theirs = strength[b, i], strength[b, j]
                if span:
                    o = outcome[mine * span + theirs]
                elif mine < theirs:
                    o = outcome[0]
                elif mine == theirs:
                    o = outcome[1]
                else:
                    o = outcome[2]
                if not met[o]:
                    met[o] = True
                    for t in range(lanes):
                        room[o, t] = 0
                if weight == 1:
                    for t in range(lanes):
                        room[o, t] += plan[row, t]
                else:
                    for t in range(lanes):
                        room[o, t] += weight * plan[row, t]
            for o in range(len(met)):
                if met[o]:
                    for e in range(leaves):
                        s, first = own[e], other[e] * lines
                        for h in range(lines):
                            earned[b, i, s, h] += utility[o, e, h] * room[o, first + h]


@compiled
def product_sums(one, row_of, two, sums):  # type: ignore[no-untyped-def]
    """Add the products of one [R, T] and two [row_of[r], T], all below 2**62, in pieces: units of 2**(31 k).

    A product adds less than 2**34 to each of the four sums, so that fewer than 2**28 of them can be added.
    """
    mask = (1 << 31) - 1
    for r in range(one.shape[0]):
        q = row_of[r]
        if q < 0:
            continue
        for t in range(one.shape[1]):
            a, b = one[r, t], two[q, t]
            if a == 0 or b == 0:
                continue
            a0, a1, b0, b1 = a & mask, a >> 31, b & mask, b >> 31
            p, x, y, z = a0 * b0, a0 * b1, a1 * b0, a1 * b1
            sums[0] += p & mask
            sums[1] += (p >> 31) + (x & mask) + (y & mask)
            sums[2] += (x >> 31) + (y >> 31) + (z & mask)
            sums[3] += z >> 31
