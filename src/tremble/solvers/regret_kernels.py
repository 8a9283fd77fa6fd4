"""What :mod:`tremble.solvers.regret` spends its time with, compiled by Numba.

Compiled on first use and cached. A *side* is a player's part of the game, arrays that never change::

    parent   uint32[J]      the sequence that leads to each information set
    start    uint32[J + 1]  the sequences of set k are start[k]:start[k + 1]
    first    uint32[S + 1]  the payoff entries of sequence s are first[s]:first[s + 1]
    column   uint32[T]      the other player's sequence of each entry
    payoff   float64[T] or int64[T]   the player's own payoff, chance included

(unsigned, because Numba asks of every signed index whether it counts from the end, which takes twice the time), and
its *tables* what it has learnt, all float64[S]: regret, share (the probability of a sequence's last action), plan (of
the sequence), total (weighted sum of the plans so far) and value (room to work in). Sets stand behind the sets that
lead to them, so every pass is one loop over the sets, forwards or backwards.
"""

from __future__ import annotations

import numpy as np

from tremble.run.clock import compiled

__all__ = ["best_value", "iterate", "round_plan"]


@compiled
def _learn(side, tables, other, keep_positive, keep_negative, predictive):  # type: ignore[no-untyped-def]
    """Counterfactual values against the other's plan, regrets, and the shares that follow; the plan stays."""
    parent, start, first, column, payoff = side
    regret, share, _, _, value = tables
    value[:] = 0.0
    for k in range(len(parent) - 1, -1, -1):
        expected = 0.0
        for s in range(start[k], start[k + 1]):
            worth = value[s]
            for t in range(first[s], first[s + 1]):
                worth += payoff[t] * other[column[t]]
            value[s] = worth
            expected += share[s] * worth
        value[parent[k]] += expected
        positive = 0.0
        for s in range(start[k], start[k + 1]):
            before, gain = regret[s], value[s] - expected
            now = before * (keep_positive if before > 0.0 else keep_negative) + gain
            if predictive:
                now = max(now, 0.0)
            regret[s] = now
            share[s] = max(now + gain if predictive else now, 0.0)
            positive += share[s]
        if positive > 0.0:
            for s in range(start[k], start[k + 1]):
                share[s] /= positive
        else:
            for s in range(start[k], start[k + 1]):
                share[s] = 1.0 / (start[k + 1] - start[k])


@compiled
def _play(side, tables, weight):  # type: ignore[no-untyped-def]
    """Count the plan into the average; then make the plan of the new shares."""
    parent, start = side[0], side[1]
    _, share, plan, total, _ = tables
    total[0] += weight
    for k in range(len(parent)):
        reach = plan[parent[k]]
        for s in range(start[k], start[k + 1]):
            total[s] += weight * plan[s]
            plan[s] = reach * share[s]


@compiled
def iterate(  # type: ignore[no-untyped-def]
    sides, tables, alternating, predictive, keep_positive, keep_negative, weight
):
    """As many iterations as there are weights."""
    for t in range(len(weight)):
        for i in range(2):
            _learn(sides[i], tables[i], tables[1 - i][2], keep_positive[t], keep_negative[t], predictive)
            if alternating:
                _play(sides[i], tables[i], weight[t])
        if not alternating:
            for i in range(2):
                _play(sides[i], tables[i], weight[t])


@compiled
def best_value(side, other, value):  # type: ignore[no-untyped-def]
    """What the player's best reply to the other's plan earns; ``value`` is room to work in, of the payoff's type."""
    parent, start, first, column, payoff = side
    value[:] = 0
    for k in range(len(parent) - 1, -1, -1):
        for s in range(start[k], start[k + 1]):
            for t in range(first[s], first[s + 1]):
                value[s] += payoff[t] * other[column[t]]
        best = value[start[k]]
        for s in range(start[k] + 1, start[k + 1]):
            best = max(best, value[s])
        value[parent[k]] += best
    for t in range(first[0], first[1]):
        value[0] += payoff[t] * other[column[t]]
    return value[0]


@compiled
def round_plan(parent, start, total, weight):  # type: ignore[no-untyped-def]
    """Split the whole number ``weight[0]`` along the sets in proportion to ``total``, with nothing left over.

    The rounded running sum is split: a share is off by less than 1, none is negative, and 0 stays 0. Without any
    total a set is split evenly.
    """
    for k in range(len(parent)):
        whole = weight[parent[k]]
        base = 0.0
        for s in range(start[k], start[k + 1]):
            base += total[s]
        even = base <= 0.0
        given, running = 0, 0.0
        for s in range(start[k], start[k + 1]):
            running += 1.0 if even else total[s]
            part = running / (start[k + 1] - start[k] if even else base)  # ends at 1 exactly
            goal = int(np.rint(part * whole))
            weight[s] = goal - given
            given = goal
