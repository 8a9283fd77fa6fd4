r"""Best choices of a player that forgets, within a cell of its strategies, compiled by Numba.

A *side* is how a player's refined sequences hang together, arrays that never change::

    parent     int64[R]      the refined sequence that leads to each refined set
    start      int64[R + 1]  the sequences of refined set k are start[k]:start[k + 1]
    infoset    int64[R]      its original set
    forgetful  bool[J]       original sets with several refined ones
    offset     int64[J + 1]  where the vertices of an original set begin in a cell: n x n numbers, vertex after vertex

A *cell* has, for each original set with n actions, n mixed actions: its vertices. The opponent's never changes: its
vertices are the actions. A *choice* is int64[R]: the vertex at each refined set, the same at refined sets of one
forgetful set that are reached.

A *game* is the player's side, the opponent's, the opponent's cell, the player's payoffs by own rows and minus the same
by the opponent's (both as first, column, value of a sparse matrix), the least and the greatest payoff there can be, and
what the payoffs under each refined set of the player range over.

Everything here runs without Python's lock, so that cells can be worked on by several threads.
"""

from __future__ import annotations

import numpy as np

from tremble.run.clock import compiled

__all__ = ["TIE", "actions_of", "answer", "best_choice", "guarantee", "kernel", "mixed_plan", "multiply", "plan_of"]

TIE = 1e-11
"""Payoffs that are closer are equal."""


def kernel(function):  # type: ignore[no-untyped-def]
    """A function that Numba compiles, and that runs without Python's lock."""
    return compiled(function, nogil=True)


@kernel
def actions_of(square):  # type: ignore[no-untyped-def]
    """The number of actions of a set, given how many numbers its vertices have."""
    return int(np.sqrt(square) + 0.5)


@kernel
def multiply(first, column, payoff, weight, result):  # type: ignore[no-untyped-def]
    """A sparse matrix times a vector."""
    for s in range(len(result)):
        total = 0.0
        for t in range(first[s], first[s + 1]):
            total += payoff[t] * weight[column[t]]
        result[s] = total


@kernel
def _relaxed(side, cell, gain, fixed, value, choice):  # type: ignore[no-untyped-def]
    """What is earned at most where every refined set chooses its own vertex, but at fixed sets; the choices made."""
    parent, start, infoset, _, offset = side
    value[:] = gain
    for k in range(len(parent) - 1, -1, -1):
        s, n, i = start[k], start[k + 1] - start[k], infoset[k]
        v = fixed[i]
        if v < 0:
            best = -np.inf
            for w in range(n):
                earned, at = 0.0, offset[i] + w * n
                for a in range(n):
                    earned += cell[at + a] * value[s + a]
                if earned > best:
                    best, v = earned, w
        else:
            best, at = 0.0, offset[i] + v * n
            for a in range(n):
                best += cell[at + a] * value[s + a]
        choice[k] = v
        value[parent[k]] += best
    return value[0]


@kernel
def plan_of(side, cell, choice, plan):  # type: ignore[no-untyped-def]
    """The realization plan of a choice."""
    parent, start, infoset, _, offset = side
    plan[0] = 1.0
    for k in range(len(parent)):
        s, n = start[k], start[k + 1] - start[k]
        at, above = offset[infoset[k]] + choice[k] * n, plan[parent[k]]
        for a in range(n):
            plan[s + a] = above * cell[at + a]


@kernel
def best_choice(side, cell, gain, floor, hurry, found, trace):  # type: ignore[no-untyped-def]
    """The greatest payoff of a choice, if it is above ``floor``; else ``floor``, and ``found`` is left alone.

    A depth-first search: where refined sets of one set want different vertices, the set with the greatest loss from
    agreeing is fixed at each vertex in turn. On the way, refined sets are made to agree where that loses least. In a
    ``hurry`` (0: none) it is enough to close this part of what is between the floor and the first relaxed pass, and
    what is returned as a bound is what is known by then. Into ``trace`` goes the tree that was searched in preorder, a
    set + 1 where one is fixed and 0 where the relaxed pass sufficed. Returns the payoff, a bound on all (the payoff
    itself without hurry), and how long the trace is; what finds no room is not written, but counted.
    """
    parent, start, infoset, forgetful, offset = side
    sets = len(forgetful)
    value, plan = np.empty(len(gain)), np.empty(len(gain))
    choice = np.zeros(len(parent), np.int64)
    widest = 1
    for k in range(len(parent)):
        widest = max(widest, start[k + 1] - start[k])
    loss = np.zeros((sets, widest))
    fixed, agreed = np.full(sets, -1, np.int64), np.empty(sets, np.int64)
    stack, order = np.empty(sets + 1, np.int64), np.empty((sets + 1, widest), np.int64)
    position, width = np.zeros(sets + 1, np.int64), np.zeros(sets + 1, np.int64)
    depth, best, length, first = 0, floor, 0, np.inf
    descend = True
    while True:
        if descend:
            descend = False
            split = -1
            top = _relaxed(side, cell, gain, fixed, value, choice)
            first = min(first, top) if length == 0 else first
            if top > best + TIE:
                plan_of(side, cell, choice, plan)
                loss[:] = 0.0
                for k in range(len(parent)):
                    i = infoset[k]
                    if forgetful[i] and fixed[i] < 0 and plan[parent[k]] > 0.0:
                        s, n, above = start[k], start[k + 1] - start[k], plan[parent[k]]
                        at = offset[i] + choice[k] * n
                        wanted = 0.0
                        for a in range(n):
                            wanted += cell[at + a] * value[s + a]
                        for w in range(n):
                            earned, at = 0.0, offset[i] + w * n
                            for a in range(n):
                                earned += cell[at + a] * value[s + a]
                            loss[i, w] += above * (wanted - earned)
                most = TIE
                for k in range(len(parent)):
                    i = infoset[k]
                    if forgetful[i] and fixed[i] < 0:
                        least = loss[i, : start[k + 1] - start[k]].min()
                        if least > most:
                            most, split = least, i
                            width[depth] = start[k + 1] - start[k]
                tie, wide = -1, 0
                for k in range(len(parent)):
                    i, n = infoset[k], start[k + 1] - start[k]
                    agreed[i] = fixed[i]
                    if forgetful[i] and fixed[i] < 0:
                        agreed[i] = np.argmin(loss[i, :n])
                        if tie < 0 and plan[parent[k]] > 0.0 and choice[k] != agreed[i]:
                            tie, wide = i, n
                if split < 0 or len(trace) == 0:
                    reached = _relaxed(side, cell, gain, agreed, value, choice)
                    if reached > best:
                        best = reached
                        found[:] = choice
                        if hurry > 0.0 and best - floor >= hurry * (first - floor):
                            return best, first, length + 1
                if top <= best + TIE:
                    split = -1
                elif split < 0 and tie >= 0:  # what ties lead to was not reached, and has to agree as well
                    split, width[depth] = tie, wide
                elif split < 0:
                    best = top
                if split >= 0:
                    n = width[depth]
                    order[depth, :n] = np.arange(n) if len(trace) else np.argsort(loss[split, :n])
                    stack[depth], position[depth] = split, 0
                    depth += 1
            if length < len(trace):
                trace[length] = split + 1
            length += 1
            continue
        if depth == 0:
            return best, best, length
        i = stack[depth - 1]
        if position[depth - 1] < width[depth - 1]:
            fixed[i] = order[depth - 1, position[depth - 1]]
            position[depth - 1] += 1
            descend = True
        else:
            fixed[i] = -1
            depth -= 1


@kernel
def answer(game, plan, reply, gain):  # type: ignore[no-untyped-def]
    """What the player earns against a best reply to a plan; the reply, and what it leaves each own sequence.

    Where the reply does not come it is 0, so that replies are the same if they do the same.
    """
    _, other, pure, earned, lost, _, _ = game
    against = np.empty(other[1][-1])
    multiply(lost[0], lost[1], lost[2], plan, against)
    worst, _, _ = best_choice(other, pure, against, -np.inf, 0.0, reply, np.empty(0, np.int32))
    plan_of(other, pure, reply, against)
    for k in range(len(reply)):
        if against[other[0][k]] == 0.0:
            reply[k] = 0
    multiply(earned[0], earned[1], earned[2], against, gain)
    return -worst


@kernel
def mixed_plan(own, mixed):  # type: ignore[no-untyped-def]
    """Where the actions of each set begin, and the realization plan of mixed actions that are laid out so."""
    parent, start, infoset, _, offset = own
    slot = np.zeros(len(offset), np.int64)
    for i in range(len(offset) - 1):
        slot[i + 1] = slot[i] + actions_of(offset[i + 1] - offset[i])
    plan = np.empty(start[-1])
    plan[0] = 1.0
    for k in range(len(parent)):
        s, above = start[k], plan[parent[k]]
        for a in range(start[k + 1] - s):
            plan[s + a] = above * mixed[slot[infoset[k]] + a]
    return slot, plan


@kernel
def guarantee(game, mixed, reply, gain):  # type: ignore[no-untyped-def]
    """What mixed actions, one for each set (laid out by slots), guarantee; the best reply, and what it leaves."""
    _, plan = mixed_plan(game[0], mixed)
    return answer(game, plan, reply, gain)
