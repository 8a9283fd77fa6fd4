r"""Find the best choices in a cell for a player without perfect recall. Numba compiles the functions.

*Refined* sets and sequences are those of :mod:`tremble.recall.check_refined`. The *original* sets are the information
sets of the tree. The *gain* of a sequence is the player's payoff from leaves where this is the player's last sequence.

A *side* contains the structure of a player's refined sequences. It is a tuple of arrays that never change::

    parent     int64[R]      the refined sequence that leads to each refined set
    start      int64[R + 1]  the sequences of refined set k are start[k]:start[k + 1]
    infoset    int64[R]      the original set of each refined set
    forgetful  bool[J]       True for original sets that were split into more than one refined set
    offset     int64[J + 1]  a cell stores the vertices of original set j in its entries offset[j]:offset[j + 1]

A *cell* has n *vertices* for each original set with n actions. A vertex is a mixed action: n numbers. The vertices of
the opponent's cell are always the pure actions. A *choice*, int64[R], has a vertex for each refined set. If a choice
reaches multiple refined sets of one original set, it has the same vertex at all of them.

A *game* is a tuple with these items:

- the player's side
- the opponent's side
- the opponent's cell
- the player's payoffs, as a sparse matrix (first, column, value) with rows for the player's sequences
- the negative of these payoffs, as a sparse matrix with rows for the opponent's sequences
- the smallest and the largest payoff
- the range of the payoffs below each refined set of the player

All functions release Python's global interpreter lock, so threads can work on different cells at the same time.
"""

from __future__ import annotations

import numpy as np

from tremble.run.compiling import compiled

__all__ = ["TIE", "actions_of", "answer", "best_choice", "guarantee", "kernel", "mixed_plan", "multiply", "plan_of"]

TIE = 1e-11
"""Two payoffs count as equal if their difference is smaller than this number."""


def kernel(function):  # type: ignore[no-untyped-def]
    """Compile a function by Numba. The compiled function runs without Python's global interpreter lock."""
    return compiled(function, nogil=True)


@kernel
def actions_of(square):  # type: ignore[no-untyped-def]
    """Return the square root of ``square``. A set with n actions has n vertices with n entries each."""
    return int(np.sqrt(square) + 0.5)


@kernel
def multiply(first, column, payoff, weight, result):  # type: ignore[no-untyped-def]
    """Multiply a sparse matrix by the vector ``weight``, and store the product in ``result``."""
    for s in range(len(result)):
        total = 0.0
        for t in range(first[s], first[s + 1]):
            total += payoff[t] * weight[column[t]]
        result[s] = total


@kernel
def _relaxed(side, cell, gain, fixed, value, choice):  # type: ignore[no-untyped-def]
    """Return an upper bound on the payoffs of all choices in ``cell``. Set ``choice`` to vertices with this payoff.

    The bound is the best payoff if every refined set may choose its own vertex. If an original set is fixed to a
    vertex, all its refined sets play this vertex.
    """
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
    """Fill ``plan`` with a realization plan of the cell. At each set k, this plan plays the vertex ``choice[k]``."""
    parent, start, infoset, _, offset = side
    plan[0] = 1.0
    for k in range(len(parent)):
        s, n = start[k], start[k + 1] - start[k]
        at, above = offset[infoset[k]] + choice[k] * n, plan[parent[k]]
        for a in range(n):
            plan[s + a] = above * cell[at + a]


@kernel
def best_choice(side, cell, gain, floor, hurry, found, trace):  # type: ignore[no-untyped-def]
    """Find the choice with the largest payoff by a depth-first search.

    In the relaxed problem, the refined sets of an original set may choose different vertices. The *loss* of an
    original set at a vertex is the payoff that is lost if all its refined sets play this vertex. The search computes
    the smallest loss of each original set, and selects the set where this number is largest. It fixes this set at
    each vertex in turn. The search also computes candidates: choices in which all refined sets of an original set play
    the vertex with the smallest loss.

    Parameters
    ----------
    floor : float
        The search ignores payoffs that do not exceed this number.
    hurry : float
        Let u be the payoff of the first relaxed problem. If ``hurry`` is positive, the search stops at the first
        candidate with a payoff of at least ``floor + hurry * (u - floor)``. With 0, the search is complete.
    found : int64[R]
        The first output, the best choice. It is not changed if no payoff exceeds the floor.
    trace : int32[...]
        The second output: an entry for each node of the search tree, in preorder. The entry is k + 1 if the search
        fixes set k there, and 0 at a leaf. Entries beyond the length of the array are counted but not written.

    Returns
    -------
    best : float
        The payoff of the best choice, or the floor if no payoff exceeds it.
    bound : float
        An upper bound on all payoffs. If the search did not stop early, it is equal to ``best``.
    length : int
        The number of entries of the search tree.
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
                # Compute the loss of each original set at each vertex w.
                plan_of(side, cell, choice, plan)
                loss[:] = 0.0
                for k in range(len(parent)):
                    i = infoset[k]
                    if forgetful[i] and fixed[i] < 0 and plan[parent[k]] > 0.0:
                        s, n, above = start[k], start[k + 1] - start[k], plan[parent[k]]
                        at = offset[i] + choice[k] * n
                        free = 0.0
                        for a in range(n):
                            free += cell[at + a] * value[s + a]
                        for w in range(n):
                            earned, at = 0.0, offset[i] + w * n
                            for a in range(n):
                                earned += cell[at + a] * value[s + a]
                            loss[i, w] += above * (free - earned)
                # Find the set whose smallest loss is the largest. This set is fixed next.
                most = TIE
                for k in range(len(parent)):
                    i = infoset[k]
                    if forgetful[i] and fixed[i] < 0:
                        least = loss[i, : start[k + 1] - start[k]].min()
                        if least > most:
                            most, split = least, i
                            width[depth] = start[k + 1] - start[k]
                # Compute a candidate: all refined sets of an original set play the vertex with the smallest loss.
                # ``tie`` is a set that changes its choice without a loss.
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
                elif split < 0 and tie >= 0:  # sets that only the changed choice reaches must agree too
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
    """Return the player's payoff if the opponent plays a best reply to ``plan``.

    The function stores the opponent's actions in ``reply``, and the gain of each sequence of the player in ``gain``. At
    sets that the opponent's earlier actions exclude, the action is 0. So replies with the same effect are equal.
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
    """Return the index of each information set's first entry in ``mixed``, and the realization plan of ``mixed``."""
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
    """Return the payoff guaranteed by the strategy ``mixed``. ``mixed`` contains the probabilities of all actions.

    The function stores the opponent's best reply in ``reply``, and the gains in ``gain``: see :func:`answer`.
    """
    _, plan = mixed_plan(game[0], mixed)
    return answer(game, plan, reply, gain)
