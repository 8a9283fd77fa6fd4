"""Sums over all pairs of hands of an ordered game, compiled by Numba.

Numba compiles the functions on first use and caches them. All numbers are int64; the caller has proven that none
overflows.
"""

from __future__ import annotations

from tremble.run.compiling import compiled

__all__ = ["earnings", "product_sums"]


@compiled
def earnings(earned, mask, joint, strength, span, outcome, plan_of, plan, utility, own, other, room):  # type: ignore[no-untyped-def]
    """Add the payoffs at the ends of a round, against all hands of the other player, to ``earned``.

    Shapes: B public states, N hands, S sequences of the responder, H lines of the rounds before, O outcomes, E leaves,
    U sequences of the other player.

    earned : [B, N, S, H]
    mask : [B, N], the signals of each hand, as bits.
    joint : [B, N, N], weights of pairs; or empty: a pair weighs 1 if the hands share no signal.
    strength : [B, N]
    outcome : indexed by both strengths; if ``span`` is 0, by the sign of their difference plus 1.
    plan_of : [B, N], the row of ``plan`` for each hand of the other player; negative: the hand has none.
    plan : [., U * H], weights of the other player's sequences.
    utility : [O, E, H], payoffs.
    own, other : [E], the responder's sequence at a leaf, and the position of the other player's in 0 ... U - 1.
    room : [O, U * H], overwritten.
    """
    states, hands = mask.shape
    leaves, lines = utility.shape[1], utility.shape[2]
    lanes = plan.shape[1]
    met = room.shape[0] * [False]
    for b in range(states):
        for i in range(hands):
            # First add up the other player's weights by outcome, ...
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
            # ... then multiply the sums by the payoffs.
            for o in range(len(met)):
                if met[o]:
                    for e in range(leaves):
                        s, first = own[e], other[e] * lines
                        for h in range(lines):
                            earned[b, i, s, h] += utility[o, e, h] * room[o, first + h]


@compiled
def product_sums(one, row_of, two, sums):  # type: ignore[no-untyped-def]
    """Add the products of one [R, T] and two [row_of[r], T] to ``sums``; sum k counts units of 2**(31 k).

    All factors are below 2**62 in absolute value. A product adds less than 2**34 to each of the four sums, so 2**28
    products fit. Rows with a negative row_of are left out.
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
