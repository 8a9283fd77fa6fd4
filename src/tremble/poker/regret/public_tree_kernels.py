"""The inner loops of regret minimization along the public tree, compiled by Numba.

The docstrings of :class:`~tremble.poker.filtered_arrays.RoundSide` and its base class describe the arrays. Plans have
the shape [C, S, H] for C classes, S sequences of the stage, and H histories of earlier rounds. The histories are
the last axis, so that every inner loop reads contiguous memory. A function processes only the public states, or
classes, from ``first`` to ``last - 1``, so that threads can share a round.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tremble.run.compiling import compiled

__all__ = ["best_replies", "learn", "play"]

_compiled = partial(compiled, nogil=True, fastmath={"contract", "reassoc", "nsz", "arcp"})

_TINY = 1e-300


@_compiled
def _values(side, state, other_start, other, following, value, room, running):  # type: ignore[no-untyped-def]
    """Compute the direct values of a player's sequences in a public state, and write them to ``value``.

    These values exclude the player's later moves in the stage. ``following`` contains the value of the next round for
    each class and history of that round. The shape of ``value`` is [classes of the state, S, H].
    """
    (state_start, child_start, child, weight, fresh, entry_start, column, entry, needed_start, needed, end_start,
     end_place, end_own, end_factor, leaving) = side  # fmt: skip
    first, last = state_start[state], state_start[state + 1]
    histories = other.shape[2]
    value[: last - first] = 0.0
    for k in range(len(needed_start) - 1):
        # Collect the weights of the opponent's last sequences.
        num_needed = needed_start[k + 1] - needed_start[k]
        if num_needed == 0:
            continue
        for c in range(other_start[state], other_start[state + 1]):
            for q in range(num_needed):
                s = needed[needed_start[k] + q]
                for h in range(histories):
                    room[c - other_start[state], q * histories + h] = other[c, s, h]
        # Multiply the weights by W_k in a running sum over the rows of W_k, and add the payoffs of the ends.
        width = num_needed * histories
        for c in range(first, last):
            if fresh[k, c]:
                for h in range(width):
                    running[h] = 0.0
            for t in range(entry_start[k, c], entry_start[k, c + 1]):
                share, here = entry[t], room[column[t]]
                for h in range(width):
                    running[h] += share * here[h]
            for e in range(end_start[k], end_start[k + 1]):
                target, factor, base = value[c - first, end_own[e]], end_factor[e], end_place[e] * histories
                for h in range(histories):
                    target[h] += weight[c] * factor[h] * running[base + h]
    # Add the values of the next round.
    count = len(leaving)
    for c in range(first, last):
        for place in range(child_start[c], child_start[c + 1]):
            below = following[child[place]]
            for g in range(count):
                target = value[c - first, leaving[g]]
                for h in range(histories):
                    target[h] += below[h * count + g]


@_compiled
def _room(state_start, other_start, first, last, sequences, other):  # type: ignore[no-untyped-def]
    """Allocate an array for the values of the largest public state, and the working memory of ``_values``."""
    most = 0
    widest = 0
    for state in range(first, last):
        most = max(most, state_start[state + 1] - state_start[state])
        widest = max(widest, other_start[state + 1] - other_start[state])
    width = other.shape[1] * other.shape[2]
    return np.empty((most, sequences, other.shape[2])), np.empty((widest, width)), np.empty(width)


@_compiled
def learn(  # type: ignore[no-untyped-def]
    side, stage, other_start, other, following, above, regret, latest, keep_positive, keep_negative, floor, first, last
):
    """Update regrets for the opponent's plan ``other``, and write each class's value to ``above``.

    The value is the payoff of the strategy that regret matching computes from the old regrets. In predictive
    variants, ``latest`` is not empty, and regret matching uses the sum of the regrets and ``latest``.
    """
    parent, start = stage
    state_start = side[0]
    histories = regret.shape[2]
    value, room, running = _room(state_start, other_start, first, last, start[-1], other)
    base, expected, evenly, good = np.empty(histories), np.empty(histories), np.empty(histories), np.empty(histories)
    least = 0.0 if floor else -np.inf
    predictive = latest.shape[0] > 0
    for state in range(first, last):
        _values(side, state, other_start, other, following, value, room, running)
        for c in range(state_start[state], state_start[state + 1]):
            mine = value[c - state_start[state]]
            for j in range(len(parent) - 1, -1, -1):
                for h in range(histories):
                    base[h] = expected[h] = evenly[h] = 0.0
                for s in range(start[j], start[j + 1]):
                    if predictive:
                        for h in range(histories):
                            good[h] = max(regret[c, s, h] + latest[c, s, h], 0.0)
                    else:
                        for h in range(histories):
                            good[h] = max(regret[c, s, h], 0.0)
                    for h in range(histories):
                        base[h] += good[h]
                        expected[h] += good[h] * mine[s, h]
                        evenly[h] += mine[s, h]
                even = 1.0 / (start[j + 1] - start[j])
                for h in range(histories):
                    share = expected[h] / max(base[h], _TINY)
                    expected[h] = share if base[h] > 0.0 else even * evenly[h]
                    mine[parent[j], h] += expected[h]
                for s in range(start[j], start[j + 1]):
                    if predictive:
                        for h in range(histories):
                            latest[c, s, h] = mine[s, h] - expected[h]
                    for h in range(histories):
                        old = regret[c, s, h]
                        now = old * (keep_positive if old > 0.0 else keep_negative) + (mine[s, h] - expected[h])
                        regret[c, s, h] = max(now, least)
            for h in range(histories):
                above[c, h] = mine[0, h]


@_compiled
def play(stage, earlier, leaving, before, plan, regret, latest, total, weight, first, last):  # type: ignore[no-untyped-def]
    """Compute the plan of the classes ``first`` to ``last`` - 1 by regret matching; add ``weight * plan`` to ``total``.

    ``before`` [C', S', H'] is the plan of the previous round, whose last sequences lead to this round. In the first
    round ``before`` has no classes, and ``plan`` must already contain the weights of the empty sequence.
    """
    parent, start = stage
    histories = plan.shape[2]
    base = np.empty(histories)
    predictive = latest.shape[0] > 0
    count = len(leaving)
    for c in range(first, last):
        if before.shape[0] > 0:
            for g in range(count):
                reach = before[earlier[c], leaving[g]]
                for h in range(len(reach)):
                    plan[c, 0, h * count + g] = reach[h]
        for h in range(histories):
            total[c, 0, h] += weight * plan[c, 0, h]
        for j in range(len(parent)):
            for h in range(histories):
                base[h] = 0.0
            for s in range(start[j], start[j + 1]):
                if predictive:
                    for h in range(histories):
                        plan[c, s, h] = max(regret[c, s, h] + latest[c, s, h], 0.0)
                else:
                    for h in range(histories):
                        plan[c, s, h] = max(regret[c, s, h], 0.0)
                for h in range(histories):
                    base[h] += plan[c, s, h]
            even = 1.0 / (start[j + 1] - start[j])
            above = parent[j]
            for s in range(start[j], start[j + 1]):
                for h in range(histories):
                    share = plan[c, s, h] / max(base[h], _TINY)
                    now = plan[c, above, h] * (share if base[h] > 0.0 else even)
                    plan[c, s, h] = now
                    total[c, s, h] += weight * now


@_compiled
def best_replies(side, stage, other_start, other, following, above, first, last):  # type: ignore[no-untyped-def]
    """Set ``above[c, h]`` to the value of a best response to the opponent's plan, for each class c and history h."""
    parent, start = stage
    state_start = side[0]
    histories = other.shape[2]
    value, room, running = _room(state_start, other_start, first, last, start[-1], other)
    best = np.empty(histories)
    for state in range(first, last):
        _values(side, state, other_start, other, following, value, room, running)
        for c in range(state_start[state], state_start[state + 1]):
            mine = value[c - state_start[state]]
            for j in range(len(parent) - 1, -1, -1):
                for h in range(histories):
                    best[h] = mine[start[j], h]
                for s in range(start[j] + 1, start[j + 1]):
                    for h in range(histories):
                        best[h] = max(best[h], mine[s, h])
                for h in range(histories):
                    mine[parent[j], h] += best[h]
            for h in range(histories):
                above[c, h] = mine[0, h]
