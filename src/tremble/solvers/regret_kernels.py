"""Numba kernels for :mod:`tremble.solvers.regret`.

The kernels are compiled on first use and cached. A *side* is a player's part of the game. Its arrays never change::

    parent   uint32[J]      the sequence that leads to each information set
    start    uint32[J + 1]  the sequences of set k are start[k]:start[k + 1]
    first    uint32[S + 1]  the payoff entries of sequence s are first[s]:first[s + 1]
    column   uint32[T]      the other player's sequence of each entry
    payoff   float64[T] or int64[T]   the player's own payoff, including the probability of chance

The indices are unsigned, because Numba tests whether a signed index is negative. This test doubles the time.

The *tables* of a player are arrays float64[S]::

    regret   the regret of each sequence
    share    the probability of the sequence's last action
    plan     the probability that the player plays the sequence
    total    the weighted sum of the plans so far
    value    work space

Each information set comes after the sets that lead to it. So every pass is one loop over the sets, forward or backward.
"""

from __future__ import annotations

import numpy as np

from tremble.run.compiling import compiled

__all__ = ["best_value", "iterate", "round_plan"]


@compiled
def _learn(side, tables, other, keep_positive, keep_negative, predictive):  # type: ignore[no-untyped-def]
    """Update a player's values, regrets and action probabilities against ``other``, the plan of the other player."""
    parent, start, first, column, payoff = side
    regret, share, _, _, value = tables
    value[:] = 0.0
    for k in range(len(parent) - 1, -1, -1):
        # Compute the counterfactual values of the actions of set k, and their mean.
        expected = 0.0
        for s in range(start[k], start[k + 1]):
            worth = value[s]
            for t in range(first[s], first[s + 1]):
                worth += payoff[t] * other[column[t]]
            value[s] = worth
            expected += share[s] * worth
        value[parent[k]] += expected
        # Discount the regrets, and add the new regrets. The next shares are in proportion to the positive regrets.
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
    """Add ``weight`` times the plan to the sum of plans. Then compute the plan of the new action probabilities."""
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
    """Run ``len(weight)`` iterations. The plans of iteration t have the weight ``weight[t]`` in the average plans."""
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
    """Return the payoff of a best reply to the other player's plan. The work array ``value`` has the payoffs' type."""
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
    """Fill ``weight``: at each set, split the weight of the parent sequence into integers in proportion to ``total``.

    The integers are differences of rounded running sums. So rounding errors are below 1, no integer is negative, and a
    sequence with ``total`` 0 gets 0. If ``total`` is 0 for all sequences of a set, the weight is split evenly.
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
            part = running / (start[k + 1] - start[k] if even else base)  # the last part is exactly 1
            goal = int(np.rint(part * whole))
            weight[s] = goal - given
            given = goal
