"""The search of :mod:`.search`, compiled, for games whose positions are in a table.

All functions work on arrays and keep explicit stacks; nothing is specific to a game, so they are compiled once for all.
A search stops after a while and says so, or says what room it lacks, and can be taken up again: every step
either ends or leaves the state as it was.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.clock import compiled

__all__ = [
    "DONE",
    "PAUSED",
    "Frames",
    "Known",
    "Options",
    "Pool",
    "Table",
    "Visits",
    "all_knowing",
    "postorder",
    "respond",
    "search",
]

DONE, PAUSED, MORE_POOL, MORE_FRAMES, MORE_OPTIONS, MORE_VISITS, MORE_STACK, UNEQUAL = range(8)

_TERMINAL = -2
_CHANCE = -1


class Table(NamedTuple):
    """The positions of a game, N of them, with E moves."""

    mover: NDArray[np.int8]  # [N]
    start: NDArray[np.int64]  # [N + 1]: the moves of a position
    child: NDArray[np.int32]  # [E]
    chance: NDArray[np.float64]  # [E]: 1 where no chance moves
    sees: NDArray[np.int32]  # [N]
    default: NDArray[np.int32]  # [N]
    payoff: NDArray[np.float64]  # [N]: player 1's


class Known(NamedTuple):
    """A player's trie, with what is allowed, or a plan to respond to."""

    head: NDArray[np.int32]  # [S]: first information set where a sequence leads, -1 if none
    following: NDArray[np.int32]  # [K]: the next one where the same sequence leads
    sees: NDArray[np.int32]  # [K]
    first: NDArray[np.int64]  # [K]
    width: NDArray[np.int64]  # [K]
    decided: NDArray[np.bool_]  # [K]
    weight: NDArray[np.float64]  # [S]
    allowed: NDArray[np.bool_]  # [S]


class Pool(NamedTuple):
    """Elements: a key that orders by view, position and the opponent's sequence, and a weight."""

    sees: NDArray[np.int32]
    position: NDArray[np.int32]
    sequence: NDArray[np.int32]
    weight: NDArray[np.float64]


class Options(NamedTuple):
    """Actions under evaluation."""

    action: NDArray[np.int32]
    begin: NDArray[np.int64]  # of its elements in the pool
    end: NDArray[np.int64]
    certain: NDArray[np.float64]
    bound: NDArray[np.float64]


class Frames(NamedTuple):
    """Information sets under evaluation."""

    visit: NDArray[np.int32]
    first: NDArray[np.int32]  # the first of its sequences, -1 if that is not known
    options: NDArray[np.int64]
    width: NDArray[np.int32]
    current: NDArray[np.int32]  # option; -1 before the first
    place: NDArray[np.int64]  # next element of the option; -1: on to the next option
    best: NDArray[np.float64]
    chosen: NDArray[np.int32]  # action, -1 if none exceeds what is needed
    gained: NDArray[np.float64]
    rest: NDArray[np.float64]
    mark: NDArray[np.int64]  # visits before the current option


class Visits(NamedTuple):
    """Information sets that may be reached by the best response."""

    above: NDArray[np.int32]
    action_above: NDArray[np.int32]
    position: NDArray[np.int32]
    action: NDArray[np.int32]


@compiled
def _find(known: Known, sequence: int, view: int) -> int:
    if sequence < 0:
        return -1
    k = known.head[sequence]
    while k >= 0 and known.sees[k] != view:
        k = known.following[k]
    return int(k)


@compiled
def _less(pool: Pool, a: int, b: int) -> bool:
    if pool.sees[a] != pool.sees[b]:
        return bool(pool.sees[a] < pool.sees[b])
    if pool.position[a] != pool.position[b]:
        return bool(pool.position[a] < pool.position[b])
    return bool(pool.sequence[a] < pool.sequence[b])


@compiled
def _swap(pool: Pool, a: int, b: int) -> None:
    pool.sees[a], pool.sees[b] = pool.sees[b], pool.sees[a]
    pool.position[a], pool.position[b] = pool.position[b], pool.position[a]
    pool.sequence[a], pool.sequence[b] = pool.sequence[b], pool.sequence[a]
    pool.weight[a], pool.weight[b] = pool.weight[b], pool.weight[a]


@compiled
def _sift(pool: Pool, begin: int, root: int, size: int) -> None:
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
def _sorted_and_merged(pool: Pool, begin: int, end: int) -> int:
    """Sort elements in place and add up equal ones; where they end now."""
    size = end - begin
    if size <= 12:
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
        if (
            top > begin
            and pool.sees[top - 1] == pool.sees[i]
            and pool.position[top - 1] == pool.position[i]
            and pool.sequence[top - 1] == pool.sequence[i]
        ):
            pool.weight[top - 1] += pool.weight[i]
        else:
            pool.sees[top] = pool.sees[i]
            pool.position[top] = pool.position[i]
            pool.sequence[top] = pool.sequence[i]
            pool.weight[top] = pool.weight[i]
            top += 1
    return top


@compiled
def _run(
    table: Table, opponent: Known, pool: Pool, stack: Pool, responder: int, position: int, sequence: int, weight: float,
    top: int,
) -> tuple[int, float, int]:  # fmt: skip
    """Play the opponent's plan and chance on from an element.

    Where the responder moves again, elements are put into the pool.
    """
    size = 1
    stack.position[0], stack.sequence[0], stack.weight[0] = position, sequence, weight
    certain = 0.0
    room, depth = len(pool.sees), len(stack.sees)
    while size:
        size -= 1
        p, q, w = stack.position[size], stack.sequence[size], stack.weight[size]
        while True:
            m = table.mover[p]
            if m == responder:
                if top == room:
                    return top, certain, MORE_POOL
                pool.sees[top], pool.position[top], pool.sequence[top], pool.weight[top] = table.sees[p], p, q, w
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
                        stack.position[size], stack.sequence[size] = table.child[e], q
                        stack.weight[size] = w * table.chance[e]
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
                            stack.position[size], stack.sequence[size] = table.child[e], first + e - begin
                            stack.weight[size] = scale * share
                            size += 1
                    break
                q = -1
            p = table.child[begin + table.default[p]]
    if responder == 1:
        certain = -certain
    return top, certain, DONE


@compiled
def _end_of_group(pool: Pool, begin: int, end: int) -> int:
    """Where the elements of one view end."""
    i = begin
    while i < end and pool.sees[i] == pool.sees[begin]:
        i += 1
    return i


@compiled
def _bound(pool: Pool, begin: int, end: int, alone: NDArray[Any], met: NDArray[Any]) -> float:
    """What the responder can get from elements at most."""
    bound = 0.0
    for i in range(begin, end):
        p = pool.position[i]
        bound += pool.weight[i] * (alone[p] if pool.sequence[i] < 0 else met[p])
    return bound


@compiled
def search(
    table: Table, opponent: Known, own: Known, alone: NDArray[Any], met: NDArray[Any], responder: int, slack: float,
    header: NDArray[np.int64], result: NDArray[np.float64], pool: Pool, stack: Pool, options: Options,
    frames: Frames, visits: Visits, budget: int,
) -> int:  # fmt: skip
    """Take a search up, for at most ``budget`` elements; ``header`` is (frames, visits), both 0 at the start.

    Parameters
    ----------
    table, opponent, own
        The game, the opponent's plan, the responder's trie.
    alone, met : float64[N]
        What the responder gets at most where the opponent defaults for good, and elsewhere.
    slack : float
        Differences up to this are none.

    Returns
    -------
    int
        DONE (``result[0]`` is the value), PAUSED, or what lacks room.
    """
    if header[0] == 0:
        top, certain, status = _run(table, opponent, pool, stack, responder, 0, 0, 1.0, 0)
        if status != DONE:
            return int(status)
        end = _sorted_and_merged(pool, 0, top)
        options.action[0], options.begin[0], options.end[0], options.certain[0] = 0, 0, end, certain
        options.bound[0] = certain + _bound(pool, 0, end, alone, met)
        frames.visit[0], frames.first[0], frames.options[0] = -1, 0, 0
        frames.width[0], frames.current[0], frames.place[0] = 1, -1, -1
        frames.best[0], frames.chosen[0] = -np.inf, -1
        header[0], header[1] = 1, 0
    work = 0
    while True:
        f = header[0] - 1
        if frames.place[f] < 0:  # on to the next option
            frames.current[f] += 1
            o = frames.options[f] + frames.current[f]
            if frames.current[f] == frames.width[f] or options.bound[o] <= frames.best[f] + slack:
                header[0] = f
                if f == 0:
                    result[0] = frames.best[0]
                    return DONE
                v = frames.visit[f]
                if frames.chosen[f] >= 0:
                    visits.action[v] = frames.chosen[f]
                    frames.gained[f - 1] += frames.best[f]
                else:
                    frames.place[f - 1] = -1  # the option above cannot exceed what is needed
                    header[1] = frames.mark[f - 1]
                continue
            frames.place[f] = options.begin[o]
            frames.gained[f] = options.certain[o]
            frames.rest[f] = options.bound[o] - options.certain[o]
            frames.mark[f] = header[1]
        o = frames.options[f] + frames.current[f]
        if frames.place[f] == options.end[o]:
            if frames.gained[f] > frames.best[f] + slack:
                frames.best[f] = frames.gained[f]
                frames.chosen[f] = options.action[o]
            else:
                header[1] = frames.mark[f]
            frames.place[f] = -1
            continue
        if frames.gained[f] + frames.rest[f] <= frames.best[f] + slack:
            header[1] = frames.mark[f]
            frames.place[f] = -1
            continue
        # A new frame for the next group; nothing is written that counts until there is room for all of it.
        begin = frames.place[f]
        end = _end_of_group(pool, begin, options.end[o])
        most = _bound(pool, begin, end, alone, met)
        g, v = header[0], header[1]
        if g == len(frames.visit):
            return MORE_FRAMES
        if v == len(visits.position):
            return MORE_VISITS
        p = pool.position[begin]
        count = table.start[p + 1] - table.start[p]
        base = frames.options[f] + frames.width[f]
        if base + count > len(options.action):
            return MORE_OPTIONS
        leading = frames.first[f] + options.action[o] if frames.first[f] >= 0 else -1
        k = _find(own, leading, pool.sees[begin])
        own_first = own.first[k] if k >= 0 else -1
        room = 0
        for i in range(frames.width[f]):
            room = max(room, options.end[frames.options[f] + i])
        top = room
        for a in range(count):
            first, certain = top, 0.0
            for i in range(begin, end):
                p = pool.position[i]
                if table.start[p + 1] - table.start[p] != count:
                    return UNEQUAL
                top, gain, status = _run(
                    table, opponent, pool, stack, responder, table.child[table.start[p] + a], pool.sequence[i],
                    pool.weight[i], top,
                )  # fmt: skip
                if status != DONE:
                    return int(status)
                certain += gain
            work += top - first + end - begin
            top = _sorted_and_merged(pool, first, top)
            bound = certain + _bound(pool, first, top, alone, met)
            # The most promising first; among equals those that are allowed.
            liked = own_first >= 0 and own.allowed[own_first + a]
            j = base + a
            while j > base:
                before = options.bound[j - 1]
                if before > bound + slack:
                    break
                if before >= bound - slack and not (
                    liked and not (own_first >= 0 and own.allowed[own_first + options.action[j - 1]])
                ):
                    break
                options.action[j], options.begin[j], options.end[j] = (
                    options.action[j - 1], options.begin[j - 1], options.end[j - 1],
                )  # fmt: skip
                options.certain[j], options.bound[j] = options.certain[j - 1], options.bound[j - 1]
                j -= 1
            options.action[j], options.begin[j], options.end[j] = a, first, top
            options.certain[j], options.bound[j] = certain, bound
        frames.rest[f] -= most
        frames.place[f] = end
        frames.visit[g], frames.first[g], frames.options[g] = v, own_first, base
        frames.width[g], frames.current[g], frames.place[g] = count, -1, -1
        frames.best[g] = frames.best[f] - frames.gained[f] - frames.rest[f]
        frames.chosen[g] = -1
        visits.above[v], visits.action_above[v] = frames.visit[f], options.action[o]
        visits.position[v], visits.action[v] = pool.position[begin], -1
        header[0], header[1] = g + 1, v + 1
        if work > budget:
            return PAUSED


@compiled
def respond(
    parent: NDArray[np.int64], start: NDArray[np.int64], first: NDArray[np.int64], column: NDArray[np.int64],
    payoff: NDArray[np.float64], opponent: NDArray[np.float64], allowed: NDArray[np.bool_], tie: float,
    value: NDArray[np.float64], met: NDArray[np.bool_], new: NDArray[np.int64], choice: NDArray[np.int64],
    played: NDArray[np.bool_],
) -> float:  # fmt: skip
    """A best response on a tree in sequence form, in one pass backwards and one forwards.

    Parameters
    ----------
    parent, start
        The responder's sets: what leads to them, their sequences.
    first, column, payoff
        By rows, the leaves of each own sequence: the opponent's sequence, and what the responder earns, be it 0.
    opponent
        The opponent's plan.
    allowed
        Among actions at most ``tie`` apart the one that brings fewest sequences that are not is preferred.
    value, met, new, choice
        Room.
    played
        Filled: the sequences of the response that the opponent's plan lets happen.
    """
    value[:] = 0.0
    met[:] = False
    new[:] = 0
    for k in range(len(parent) - 1, -1, -1):
        here, best = False, -np.inf
        for s in range(start[k], start[k + 1]):
            worth, seen = value[s], met[s]
            for t in range(first[s], first[s + 1]):
                y = opponent[column[t]]
                if y > 0.0:
                    worth += payoff[t] * y
                    seen = True
            value[s] = worth
            if not allowed[s]:
                new[s] += 1
            here |= seen
            best = max(best, worth)
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
    played[:] = False
    played[0] = True
    for k in range(len(parent)):
        if choice[k] >= 0 and played[parent[k]]:
            played[choice[k]] = True
    played[0] = False
    return float(value[0])


@compiled
def all_knowing(
    table: Table, order: NDArray[np.int32], responder: int, defaulting: bool, value: NDArray[np.float64]
) -> None:
    """What a responder who sees everything gets from each position.

    Parameters
    ----------
    order : int32[N]
        Children first.
    defaulting : bool
        Whether the opponent plays its default; else whatever suits the responder.
    value : float64[N]
        Filled.
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
def postorder(start: NDArray[np.int64], child: NDArray[np.int32], order: NDArray[np.int32]) -> bool:
    """List all positions, children first; False if they lead back to themselves."""
    n = len(start) - 1
    done = np.zeros(n, dtype=np.int8)
    place = start[:-1].copy()
    stack = np.empty(n + 1, dtype=np.int32)
    size, filled = 1, 0
    stack[0] = 0
    done[0] = 1
    while size:
        p = stack[size - 1]
        if place[p] == start[p + 1]:
            done[p] = 2
            order[filled] = p
            filled += 1
            size -= 1
            continue
        c = child[place[p]]
        place[p] += 1
        if done[c] == 1:
            return False
        if done[c] == 0:
            done[c] = 1
            stack[size] = c
            size += 1
    return True
