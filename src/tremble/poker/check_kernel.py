"""Sums over all pairs of hands of an ordered game, compiled by Numba.

Numba compiles the functions when they are first called, and caches the compiled code. All numbers are int64. The caller
must prove that no number overflows.
"""

from __future__ import annotations

from tremble.run.compiling import compiled

__all__ = ["earnings", "product_sums"]


@compiled
def earnings(earned, mask, joint, strength, span, outcome, plan_of, plan, utility, own, other, room):  # type: ignore[no-untyped-def]
    """Sum the payoffs at the leaves of a round over all hands of the other player, and add the sums to ``earned``.

    The shapes count B public states, N hands, S sequences of the responder, H lines of the earlier rounds, O outcomes,
    E leaves, and U sequences of the other player. A line is a history of moves.

    earned : [B, N, S, H], the result.
    mask : [B, N], the signals of each hand, as bits.
    joint : [B, N, N], the weights of pairs of hands. If the array is empty, pairs that share no signal have weight 1.
    strength : [B, N], the strength of each hand.
    span : the number of strengths, or 0 if only the order of the strengths matters.
    outcome : outcomes, indexed by both strengths. If ``span`` is 0: entries for a weaker, equal and stronger own hand.
    plan_of : [B, N], the row of ``plan`` for each hand of the other player; negative if the hand has no row.
    plan : [rows, U * H], the weights of the other player's sequences.
    utility : [O, E, H], the payoffs.
    own : [E], the responder's last sequence before each leaf.
    other : [E], the position of the other player's last sequence before each leaf, from 0 to U - 1.
    room : [O, U * H], working memory, which is overwritten.
    """
    states, hands = mask.shape
    leaves, lines = utility.shape[1], utility.shape[2]
    lanes = plan.shape[1]
    met = room.shape[0] * [False]
    for b in range(states):
        for i in range(hands):
            # Add up the other player's weights for each outcome.
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
            # Multiply the sums by the payoffs.
            for o in range(len(met)):
                if met[o]:
                    for e in range(leaves):
                        s, first = own[e], other[e] * lines
                        for h in range(lines):
                            earned[b, i, s, h] += utility[o, e, h] * room[o, first + h]


@compiled
def product_sums(one, row_of, two, sums):  # type: ignore[no-untyped-def]
    """Multiply each row r of ``one`` by row ``row_of[r]`` of ``two``, and add the products to ``sums``.

    ``sums`` represents the total by four numbers. The number at position k counts units of 2**(31 k). All factors must
    be below 2**62 in absolute value. A product adds less than 2**34 to each number, so no number overflows for up to
    2**28 products. Rows with a negative ``row_of`` are skipped.
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
