"""The compiled version of the search in :mod:`.search`, for games whose positions are in a table.

All functions work on arrays with explicit stacks. They contain nothing that is specific to a game, so they are compiled
once for all games. The docstring of :mod:`.search` defines elements and visits.

A search pauses after a given amount of work, and also when one of its arrays is full. The caller can then check the
time, enlarge the full array, and resume the search. This is possible because a step that cannot be completed leaves the
state unchanged.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.run.compiling import compiled

__all__ = [
    "DONE",
    "ELEMENT",
    "FRAME",
    "OPTION",
    "PAUSED",
    "VISIT",
    "Known",
    "Table",
    "all_knowing",
    "postorder",
    "respond",
    "search",
]

DONE, PAUSED, MORE_POOL, MORE_FRAMES, MORE_OPTIONS, MORE_VISITS, MORE_STACK, UNEQUAL = range(8)

_TERMINAL = -2
_CHANCE = -1

Records = NDArray[np.void]


class Table(NamedTuple):
    """The positions and moves of a game. There are N positions and E moves."""

    mover: NDArray[np.int8]  # [N]
    start: NDArray[np.int64]  # [N + 1]: position p has the moves start[p]:start[p + 1]
    child: NDArray[np.int32]  # [E]: the next position
    chance: NDArray[np.float64]  # [E]: probability; 1 if a player moves
    sees: NDArray[np.int32]  # [N]: index of the mover's view
    default: NDArray[np.int32]  # [N]: index of the default move
    payoff: NDArray[np.float64]  # [N]: player 1's payoff


class Known(NamedTuple):
    """Arrays for one player: K known information sets, S known sequences, and the weights of a plan."""

    begin: NDArray[np.int64]  # [S + 1]: sequence s leads to the information sets sets[begin[s]:begin[s + 1]]
    sets: NDArray[np.int64]  # [K]: information sets, ordered by the sequence that leads to them
    sees: NDArray[np.int32]  # [K]: number of the player's view
    first: NDArray[np.int64]  # [K]: first sequence
    width: NDArray[np.int64]  # [K]: number of sequences
    decided: NDArray[np.bool_]  # [K]: True if the plan chooses the action
    weight: NDArray[np.float64]  # [S]: weight in the plan
    allowed: NDArray[np.bool_]  # [S]: True for sequences of the restricted game


ELEMENT = np.dtype([("sees", "i4"), ("position", "i4"), ("sequence", "i4"), ("weight", "f8")])
"""An element (see :mod:`.search`). Elements are sorted by the first three fields, and merged if these are equal."""

OPTION = np.dtype([("action", "i4"), ("begin", "i8"), ("end", "i8"), ("certain", "f8"), ("bound", "f8")])
"""An action at an information set, with the range of its elements in the array ``pool`` and bounds on its value."""

FRAME = np.dtype(
    [
        ("visit", "i4"),
        ("first", "i4"),  # first sequence of the set; -1 if the set is not known
        ("options", "i8"),  # index of the first option
        ("width", "i4"),  # number of options
        ("current", "i4"),  # index of the current option; -1 before the first option
        ("place", "i8"),  # next element of the current option; -1 if the next option must be started
        ("best", "f8"),  # value of the best action so far; at the start, the value that an action must exceed
        ("chosen", "i4"),  # best action; -1 if no action has exceeded that value yet
        ("gained", "f8"),  # value of the evaluated elements of the current option
        ("rest", "f8"),  # upper bound on the value of the other elements of the current option
        ("mark", "i8"),  # number of visits before the current option
    ]
)
"""An information set under evaluation. Its options are the actions."""

VISIT = np.dtype([("above", "i4"), ("action_above", "i4"), ("position", "i4"), ("action", "i4")])
"""An information set that the best response may reach. See :mod:`.search`."""


@compiled
def _find(known: Known, sequence: int, view: int) -> int:
    if sequence < 0:
        return -1
    for k in known.sets[known.begin[sequence] : known.begin[sequence + 1]]:
        if known.sees[k] == view:
            return int(k)
    return -1


@compiled
def _less(pool: Records, a: int, b: int) -> bool:
    if pool[a].sees != pool[b].sees:
        return bool(pool[a].sees < pool[b].sees)
    if pool[a].position != pool[b].position:
        return bool(pool[a].position < pool[b].position)
    return bool(pool[a].sequence < pool[b].sequence)


@compiled
def _swap(pool: Records, a: int, b: int) -> None:
    pool[a].sees, pool[b].sees = pool[b].sees, pool[a].sees
    pool[a].position, pool[b].position = pool[b].position, pool[a].position
    pool[a].sequence, pool[b].sequence = pool[b].sequence, pool[a].sequence
    pool[a].weight, pool[b].weight = pool[b].weight, pool[a].weight


@compiled
def _sift(pool: Records, begin: int, root: int, size: int) -> None:
    while True:
        largest, left = root, 2 * root + 1
        if left < size and _less(pool, begin + largest, begin + left):
            largest = left
        if left + 1 < size and _less(pool, begin + largest, begin + left + 1):
            largest = left + 1
        if largest == root:
            return
        _swap(pool, begin + root, begin + largest)
        root = largest


@compiled
def _sorted_and_merged(pool: Records, begin: int, end: int) -> int:
    """Sort ``pool[begin:end]`` in place, merge elements that differ only in weight, and return the new end."""
    size = end - begin
    if size <= 12:  # insertion sort is faster for few elements; otherwise use heapsort
        for i in range(begin + 1, end):
            j = i
            while j > begin and _less(pool, j, j - 1):
                _swap(pool, j, j - 1)
                j -= 1
    else:
        for root in range(size // 2 - 1, -1, -1):
            _sift(pool, begin, root, size)
        for last in range(size - 1, 0, -1):
            _swap(pool, begin, begin + last)
            _sift(pool, begin, 0, last)
    top = begin
    for i in range(begin, end):
        if top > begin and not _less(pool, top - 1, i):
            pool[top - 1].weight += pool[i].weight
        else:
            pool[top] = pool[i]
            top += 1
    return top


@compiled
def _run(
    table: Table, opponent: Known, pool: Records, stack: Records, responder: int, position: int, sequence: int,
    weight: float, top: int,
) -> tuple[int, float, int]:  # fmt: skip
    """Follow chance and the opponent's plan from ``position`` until the responder moves. Add the results to the pool.

    Returns
    -------
    top : int
        The new end of the pool.
    certain : float
        The responder's payoff times the weight, summed over the leaves that are reached.
    status : int
        DONE, UNEQUAL, MORE_POOL or MORE_STACK.
    """
    size = 1
    stack[0].position, stack[0].sequence, stack[0].weight = position, sequence, weight
    certain = 0.0
    room, depth = len(pool), len(stack)
    while size:
        size -= 1
        p, q, w = stack[size].position, stack[size].sequence, stack[size].weight
        while True:
            m = table.mover[p]
            if m == responder:
                if top == room:
                    return top, certain, MORE_POOL
                pool[top].sees, pool[top].position, pool[top].sequence, pool[top].weight = table.sees[p], p, q, w
                top += 1
                break
            if m == _TERMINAL:
                certain += w * table.payoff[p]
                break
            begin, end = table.start[p], table.start[p + 1]
            if size + end - begin > depth:
                return top, certain, MORE_STACK
            if m == _CHANCE:
                for e in range(begin, end):
                    if table.chance[e] > 0.0:
                        stack[size].position, stack[size].sequence = table.child[e], q
                        stack[size].weight = w * table.chance[e]
                        size += 1
                break
            if q >= 0:
                k = _find(opponent, q, table.sees[p])
                if k >= 0 and opponent.decided[k]:
                    if opponent.width[k] != end - begin:
                        return top, certain, UNEQUAL
                    scale, first = w / opponent.weight[q], opponent.first[k]
                    for e in range(begin, end):
                        share = opponent.weight[first + e - begin]
                        if share > 0.0:
                            stack[size].position, stack[size].sequence = table.child[e], first + e - begin
                            stack[size].weight = scale * share
                            size += 1
                    break
                q = -1
            p = table.child[begin + table.default[p]]
    if responder == 1:
        certain = -certain
    return top, certain, DONE


@compiled
def _bound(pool: Records, begin: int, end: int, alone: NDArray[Any], met: NDArray[Any]) -> float:
    """Return an upper bound on the sum of the responder's payoffs at the elements ``pool[begin:end]`` of a search."""
    bound = 0.0
    for i in range(begin, end):
        p = pool[i].position
        bound += pool[i].weight * (alone[p] if pool[i].sequence < 0 else met[p])
    return bound


@compiled
def search(
    table: Table, opponent: Known, own: Known, alone: NDArray[Any], met: NDArray[Any], responder: int, slack: float,
    header: NDArray[np.int64], result: NDArray[np.float64], pool: Records, stack: Records, options: Records,
    frames: Records, visits: Records, budget: int,
) -> int:  # fmt: skip
    """Search for a best response, or resume a search. Pause after about ``budget`` elements (see :mod:`.search`).

    Parameters
    ----------
    table, opponent, own
        The game, the opponent's plan, and the responder's trie.
    alone, met : float64[N]
        Upper bounds on the responder's payoff at each position. ``alone`` applies if the opponent plays its default
        from there on, otherwise ``met`` applies.
    slack : float
        Payoffs that differ by at most this number count as equal.
    header : int64[2]
        The number of frames and the number of visits. Both are 0 at the start.

    Returns
    -------
    int
        One of these constants:

        - DONE: the search is complete, and ``result[0]`` is the responder's payoff.
        - PAUSED: the search has used its budget.
        - UNEQUAL: see the error message of the same name in :mod:`.search`.
        - MORE_POOL, MORE_STACK, MORE_OPTIONS, MORE_FRAMES or MORE_VISITS: the array of this name is full.
    """
    if header[0] == 0:  # a new search: the root is the only option of the first frame
        top, certain, status = _run(table, opponent, pool, stack, responder, 0, 0, 1.0, 0)
        if status != DONE:
            return int(status)
        end = _sorted_and_merged(pool, 0, top)
        option, frame = options[0], frames[0]
        option.action, option.begin, option.end, option.certain = 0, 0, end, certain
        option.bound = certain + _bound(pool, 0, end, alone, met)
        frame.visit, frame.first, frame.options, frame.width, frame.current, frame.place = -1, 0, 0, 1, -1, -1
        frame.best, frame.chosen = -np.inf, -1
        header[0], header[1] = 1, 0
    work = 0
    while True:
        g, v = header
        frame = frames[g - 1]
        if frame.place < 0:  # start the next option, or end the frame
            frame.current += 1
            o = frame.options + frame.current
            if frame.current == frame.width or options[o].bound <= frame.best + slack:
                header[0] = g - 1
                if g == 1:
                    result[0] = frame.best
                    return DONE
                upper = frames[g - 2]
                if frame.chosen >= 0:
                    visits[frame.visit].action = frame.chosen
                    upper.gained += frame.best
                else:
                    upper.place = -1  # the option of the frame above cannot become the best: drop it and its visits
                    header[1] = upper.mark
                continue
            option = options[o]
            frame.place, frame.gained, frame.rest = option.begin, option.certain, option.bound - option.certain
            frame.mark = v
        option = options[frame.options + frame.current]
        if frame.place == option.end:
            if frame.gained > frame.best + slack:
                frame.best, frame.chosen = frame.gained, option.action
            else:
                header[1] = frame.mark
            frame.place = -1
            continue
        if frame.gained + frame.rest <= frame.best + slack:
            header[1] = frame.mark
            frame.place = -1
            continue
        # Make a frame for the next group. Until all arrays are known to be large enough, write only to unused parts.
        begin = frame.place
        end = begin
        while end < option.end and pool[end].sees == pool[begin].sees:
            end += 1
        most = _bound(pool, begin, end, alone, met)
        if g == len(frames):
            return MORE_FRAMES
        if v == len(visits):
            return MORE_VISITS
        p = pool[begin].position
        count = table.start[p + 1] - table.start[p]
        base = frame.options + frame.width
        if base + count > len(options):
            return MORE_OPTIONS
        leading = frame.first + option.action if frame.first >= 0 else -1
        k = _find(own, leading, pool[begin].sees)
        own_first = own.first[k] if k >= 0 else -1
        top = 0
        for i in range(frame.options, base):
            top = max(top, options[i].end)
        for a in range(count):
            first, certain = top, 0.0
            for i in range(begin, end):
                p = pool[i].position
                if table.start[p + 1] - table.start[p] != count:
                    return UNEQUAL
                top, gain, status = _run(
                    table, opponent, pool, stack, responder, table.child[table.start[p] + a], pool[i].sequence,
                    pool[i].weight, top,
                )  # fmt: skip
                if status != DONE:
                    return int(status)
                certain += gain
            work += top - first + end - begin
            top = _sorted_and_merged(pool, first, top)
            bound = certain + _bound(pool, first, top, alone, met)
            # Insert the option in descending order of bounds. Among equal bounds, allowed actions come first.
            preferred = own_first >= 0 and own.allowed[own_first + a]
            j = base + a
            while j > base:
                before = options[j - 1].bound
                if before > bound + slack:
                    break
                if before >= bound - slack and not (
                    preferred and not (own_first >= 0 and own.allowed[own_first + options[j - 1].action])
                ):
                    break
                options[j] = options[j - 1]
                j -= 1
            new = options[j]
            new.action, new.begin, new.end, new.certain, new.bound = a, first, top, certain, bound
        frame.rest -= most
        frame.place = end
        below, visit = frames[g], visits[v]
        below.visit, below.first, below.options, below.width, below.current, below.place = (
            v,
            own_first,
            base,
            count,
            -1,
            -1,
        )
        below.best, below.chosen = frame.best - frame.gained - frame.rest, -1
        visit.above, visit.action_above, visit.position, visit.action = (
            frame.visit,
            option.action,
            pool[begin].position,
            -1,
        )
        header[0], header[1] = g + 1, v + 1
        if work > budget:
            return PAUSED


@compiled
def respond(
    parent: NDArray[np.int64], start: NDArray[np.int64], first: NDArray[np.int64], column: NDArray[np.int64],
    payoff: NDArray[np.float64], opponent: NDArray[np.float64], allowed: NDArray[np.bool_], tie: float,
) -> tuple[float, NDArray[np.bool_]]:  # fmt: skip
    """Compute a best response on a tree in sequence form, by one backward and one forward pass.

    Parameters
    ----------
    parent, start
        For each information set of the responder, the sequence that leads to the set and the set's first sequence.
    first, column, payoff
        The payoff matrix, stored by rows. Row s belongs to the responder's sequence s and has the entries
        first[s]:first[s + 1]. ``column`` is the opponent's sequence of an entry, and ``payoff`` is the responder's
        payoff. Payoffs of 0 are included.
    opponent
        The opponent's plan.
    allowed
        A mask of the allowed sequences.
    tie
        Actions within this distance of the best value count as equally good. Among these actions, the response uses the
        one that adds the fewest sequences to the restricted game.

    Returns
    -------
    value : float
        The payoff of the response.
    played : bool[S]
        True for each nonempty sequence of the responder that play reaches under the response and ``opponent``.
    """
    size = len(allowed)
    value, met, new = np.zeros(size), np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.int64)
    choice, played = np.empty(len(parent), dtype=np.int64), np.zeros(size, dtype=np.bool_)
    for k in range(len(parent) - 1, -1, -1):
        here, best = False, -np.inf
        for s in range(start[k], start[k + 1]):
            total, seen = value[s], met[s]
            for t in range(first[s], first[s + 1]):
                y = opponent[column[t]]
                if y > 0.0:
                    total += payoff[t] * y
                    seen = True
            value[s] = total
            if not allowed[s]:
                new[s] += 1
            here |= seen
            best = max(best, total)
        pick = -1
        for s in range(start[k], start[k + 1]):
            if value[s] >= best - tie and (pick < 0 or new[s] < new[pick]):
                pick = s
        choice[k] = pick if here else -1
        if here:
            value[parent[k]] += value[pick]
            new[parent[k]] += new[pick]
            met[parent[k]] = True
    for t in range(first[0], first[1]):
        value[0] += payoff[t] * opponent[column[t]]
    played[0] = True
    for k in range(len(parent)):
        if choice[k] >= 0 and played[parent[k]]:
            played[choice[k]] = True
    played[0] = False
    return float(value[0]), played


@compiled
def all_knowing(
    table: Table, order: NDArray[np.int32], responder: int, defaulting: bool, value: NDArray[np.float64]
) -> None:
    """Compute, for each position, the payoff of a responder that sees everything.

    Parameters
    ----------
    order : int32[N]
        All positions. Children come before their parents.
    defaulting : bool
        If True, the opponent plays its default. If False, the opponent maximizes the responder's payoff.
    value : float64[N]
        The output array.
    """
    sign = 1.0 if responder == 0 else -1.0
    for p in order:
        m = table.mover[p]
        begin, end = table.start[p], table.start[p + 1]
        if m == _TERMINAL:
            value[p] = sign * table.payoff[p]
        elif m == _CHANCE:
            total = 0.0
            for e in range(begin, end):
                if table.chance[e] > 0.0:
                    total += table.chance[e] * value[table.child[e]]
            value[p] = total
        elif m != responder and defaulting:
            value[p] = value[table.child[begin + table.default[p]]]
        else:
            best = value[table.child[begin]]
            for e in range(begin + 1, end):
                best = max(best, value[table.child[e]])
            value[p] = best


@compiled
def postorder(start: NDArray[np.int64], child: NDArray[np.int32], order: NDArray[np.int32]) -> None:
    """Write all positions into ``order``, children before parents. The moves must not form a cycle."""
    n = len(start) - 1
    seen = np.zeros(n, dtype=np.bool_)
    place = start[:-1].copy()
    stack = np.empty(n + 1, dtype=np.int32)
    size, filled = 1, 0
    stack[0] = 0
    seen[0] = True
    while size:
        p = stack[size - 1]
        if place[p] == start[p + 1]:
            order[filled] = p
            filled += 1
            size -= 1
            continue
        c = child[place[p]]
        place[p] += 1
        if not seen[c]:
            seen[c] = True
            stack[size] = c
            size += 1
