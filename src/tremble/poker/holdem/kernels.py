"""The inner loops of the engine for rivers, turns and flops, compiled by Numba.

A *plan*, a regret and a value are vectors with one number for each hand of a player. All tables have the shape
[rows, hands]: one row for each action of the player. The *reach* of a node is the vector of the opponent's weights: the
weight of each hand in the opponent's range times the probabilities of the opponent's own moves. A node after a move of
the updated player has the same reach as its parent, so both share one row: `slot` contains the row of each node.

At a leaf, a hand {a, b} of the player meets each hand of the opponent without the cards a and b. The sum of the reach
over these hands is T - C[a] - C[b] + x, where T is the sum over all hands, C[c] the sum over the hands with the card c,
and x the reach of the same hand. For a showdown, let T and C begin at minus these sums, and add the doubled reach of
the opponent's hands in ascending strength. Before the hands of equal strength are added, T - C[a] - C[b] is the reach
of the weaker hands minus the reach of all others; afterwards the equal hands count for the player. The sum of the two
numbers is twice the difference (reach of weaker hands - reach of stronger hands); the same hand cancels out.

`LANES` leaves are processed at once, so that the innermost loops run over contiguous numbers.

The functions `forward`, `backward` and `best` do not depend on the cards. They also serve `tremble.poker.rhode_island`.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.run.compiling import compiled

__all__ = ["LANES", "STRIDE", "Board", "Cards", "Leaves", "Room", "Street", "backward", "best", "forward", "split"]

LANES = 64
_LEAST = 1e-20  # a smaller sum of plans counts as this, so that actions without any sum have equal probabilities
STRIDE = 80  # of rows of lanes: a stride of 256 bytes would use few lines of the cache (measured)

_compiled = partial(compiled, nogil=True, fastmath={"contract", "reassoc", "nsz", "arcp"}, error_model="numpy")
_inner = partial(_compiled, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # Python does not call these functions

IntArray = NDArray[np.int64]


class Street(NamedTuple):
    """The betting of one street, for the player who learns. Nodes are numbered from the street's first node."""

    kind: IntArray  # the player who moves, or an End
    choices: IntArray  # the number of actions
    child: IntArray  # [nodes, actions]
    row: IntArray  # the first row of the node in the tables of the player who moves
    slot: IntArray  # the row of the node's reach
    deals: IntArray  # the leaves at which the next card is dealt
    run_outs: IntArray  # the leaves at which all chips are bet before the river
    run_factor: NDArray[np.floating]  # the chips that are won at each of these
    lock: IntArray  # the first row of a locked node of the player who learns in ``share``; -1 for other nodes
    share: NDArray[np.floating]  # [boards, rows, own hands]: frequencies at locked nodes; negative for free hands


class Leaves(NamedTuple):
    """The folds and showdowns of a street, in blocks of lanes. A lane is a slot of the reach."""

    fold_start: IntArray  # block -> its first fold
    fold_lane: IntArray
    fold_node: IntArray
    fold_factor: NDArray[np.floating]  # the chips that the player wins, negative if the player has folded
    show_start: IntArray
    show_lane: IntArray
    show_node: IntArray
    show_factor: NDArray[np.floating]  # half of the chips that are won: the sums of a showdown count double
    raked: bool  # showdowns are also listed as folds: each player pays half of the rake in any case


class Cards(NamedTuple):
    """The two cards of each hand. ``same`` is the opponent's hand with the same cards, or the number of hands."""

    own: NDArray[np.uint64]  # [hands, 2]
    other: NDArray[np.uint64]
    same: NDArray[np.uint64]
    times: NDArray[np.floating]  # [opponent's classes, 3]: hands of a class; of these, with its first and second card


class Board(NamedTuple):
    """The order of the hands on one or more final boards: [boards, ...]."""

    own_order: NDArray[np.uint64]  # hands in ascending strength
    other_order: NDArray[np.uint64]
    own_group: IntArray  # the first hand of each strength, and the number of hands
    other_group: IntArray
    groups: IntArray  # the number of strengths, plus 1
    card: IntArray  # the river card, or -1


class Room(NamedTuple):
    """Working memory of one thread."""

    reach: NDArray[np.floating]  # [slots, opponent's hands]
    value: NDArray[np.floating]  # [nodes, own hands]
    lanes: NDArray[np.floating]  # [opponent's hands + 1, STRIDE]
    out: NDArray[np.floating]  # [own hands, STRIDE]
    sums: NDArray[np.floating]  # [53, STRIDE]


@_inner
def forward(other, street, table, sums, reach, tiny, keep):  # type: ignore[no-untyped-def]
    """Compute the reach of all nodes of a street from the opponent's table, by regret matching.

    Multiply ``sums`` by ``keep``, and add the reach after each action of the opponent, unless ``sums`` is empty.
    """
    hands = reach.shape[1]
    least = np.empty(hands, dtype=reach.dtype)  # 0, or 1 if no regret is positive
    scale = np.empty(hands, dtype=reach.dtype)
    zero, one = tiny - tiny, tiny / tiny
    for n in range(len(street.kind)):
        if street.kind[n] != other:
            continue
        first = street.row[n]
        regret = table[first]
        for h in range(hands):
            scale[h] = max(regret[h], zero)
        every = one
        for a in range(1, street.choices[n]):
            every += one
            regret = table[first + a]
            for h in range(hands):
                scale[h] += max(regret[h], zero)
        here = reach[street.slot[n]]
        for h in range(hands):
            total = scale[h]
            least[h] = zero if total > tiny else one
            scale[h] = here[h] / (total if total > tiny else every)
        for a in range(street.choices[n]):
            regret = table[first + a]
            after = reach[street.slot[street.child[n, a]]]
            for h in range(hands):
                share = max(regret[h], least[h]) * scale[h]
                after[h] = share if share > tiny else zero
            if len(sums) > 0:
                total_row = sums[first + a]
                for h in range(hands):
                    total_row[h] = total_row[h] * keep + after[h]


@_inner
def _leaves(leaves, cards, board, number, room):  # type: ignore[no-untyped-def]
    """Compute the values of all folds and showdowns of a street, on the board ``number``."""
    reach, value, x, out, sums = room
    own, other, same, times = cards
    every = sums[52]
    own_order, other_order = board.own_order[number], board.other_order[number]
    own_group, other_group = board.own_group[number], board.other_group[number]
    for block in range(len(leaves.fold_start) - 1):
        # Bring the reach of 64 slots side by side, and sum it over all hands and over the hands with each card.
        rows = reach[block * LANES : block * LANES + LANES]
        for k in range(len(other)):
            for w in range(LANES):
                x[k, w] = rows[w, k]
        for c in range(53):
            for w in range(LANES):
                sums[c, w] = 0
        for k in range(len(other)):
            here = x[k]
            a = sums[other[k, 0]]
            b = sums[other[k, 1]]
            m0, m1, m2 = times[k, 0], times[k, 1], times[k, 2]
            for w in range(LANES):
                every[w] += m0 * here[w]
            for w in range(LANES):
                a[w] += m1 * here[w]
            for w in range(LANES):
                b[w] += m2 * here[w]
        if leaves.fold_start[block] < leaves.fold_start[block + 1]:
            for i in range(len(own)):
                target = out[i]
                here = x[same[i]]
                a = sums[own[i, 0]]
                b = sums[own[i, 1]]
                for w in range(LANES):
                    target[w] = every[w] - a[w]
                for w in range(LANES):
                    target[w] += here[w] - b[w]
            for e in range(leaves.fold_start[block], leaves.fold_start[block + 1]):
                here = value[leaves.fold_node[e]]
                factor, w = leaves.fold_factor[e], leaves.fold_lane[e]
                for i in range(len(own)):
                    here[i] = out[i, w] * factor
        if leaves.show_start[block] < leaves.show_start[block + 1]:
            for c in range(53):
                a = sums[c]
                for w in range(LANES):
                    a[w] = -a[w]
            for k in range(len(other)):
                here = x[k]
                for w in range(LANES):
                    here[w] += here[w]
            for g in range(board.groups[number] - 1):
                for k in range(own_group[g], own_group[g + 1]):
                    i = own_order[k]
                    target = out[i]
                    a = sums[own[i, 0]]
                    b = sums[own[i, 1]]
                    for w in range(LANES):
                        target[w] = every[w] - a[w] - b[w]
                for k in range(other_group[g], other_group[g + 1]):
                    j = other_order[k]
                    here = x[j]
                    a = sums[other[j, 0]]
                    b = sums[other[j, 1]]
                    m0, m1, m2 = times[j, 0], times[j, 1], times[j, 2]
                    for w in range(LANES):
                        every[w] += m0 * here[w]
                    for w in range(LANES):
                        a[w] += m1 * here[w]
                    for w in range(LANES):
                        b[w] += m2 * here[w]
                for k in range(own_group[g], own_group[g + 1]):
                    i = own_order[k]
                    target = out[i]
                    a = sums[own[i, 0]]
                    b = sums[own[i, 1]]
                    for w in range(LANES):
                        target[w] += every[w] - a[w] - b[w]
            for e in range(leaves.show_start[block], leaves.show_start[block + 1]):
                here = value[leaves.show_node[e]]
                factor, w = leaves.show_factor[e], leaves.show_lane[e]
                if leaves.raked:
                    for i in range(len(own)):
                        here[i] += out[i, w] * factor
                else:
                    for i in range(len(own)):
                        here[i] = out[i, w] * factor


@_inner
def _combine(street, n, value, largest):  # type: ignore[no-untyped-def]
    """Set the value of a node to the largest of the values after its actions, or to their sum."""
    hands = value.shape[1]
    here = value[n]
    v = value[street.child[n, 0]]
    if street.choices[n] == 1:
        for h in range(hands):
            here[h] = v[h]
        return
    u = value[street.child[n, 1]]
    if largest:
        for h in range(hands):
            here[h] = max(u[h], v[h])
    else:
        for h in range(hands):
            here[h] = u[h] + v[h]
    for a in range(2, street.choices[n]):
        v = value[street.child[n, a]]
        if largest:
            for h in range(hands):
                here[h] = max(here[h], v[h])
        else:
            for h in range(hands):
                here[h] += v[h]


@_inner
def backward(me, street, regret, guess, value, positive, negative, tiny, predictive):  # type: ignore[no-untyped-def]
    """Compute the values of all nodes of a street, and update the player's regrets.

    The player's strategy is in proportion to the positive entries of ``guess``. Before the new regret is added,
    positive regrets are multiplied by ``positive`` and others by ``negative``. If ``predictive``, ``guess`` becomes the
    positive part of the regrets plus the new regrets. Otherwise ``guess`` must be ``regret`` itself.
    """
    hands = value.shape[1]
    total = np.empty(hands, dtype=value.dtype)
    earned = np.empty(hands, dtype=value.dtype)
    zero = tiny - tiny
    for n in range(len(street.kind) - 1, -1, -1):
        if street.kind[n] >= 2:
            continue
        if street.kind[n] != me:
            _combine(street, n, value, False)
            continue
        here = value[n]
        first = street.row[n]
        g = guess[first]
        v = value[street.child[n, 0]]
        for h in range(hands):
            good = max(g[h], tiny)
            total[h] = good
            earned[h] = good * v[h]
        for a in range(1, street.choices[n]):
            g = guess[first + a]
            v = value[street.child[n, a]]
            for h in range(hands):
                good = max(g[h], tiny)
                total[h] += good
                earned[h] += good * v[h]
        for h in range(hands):
            here[h] = earned[h] / total[h]
        for a in range(street.choices[n]):
            r = regret[first + a]
            v = value[street.child[n, a]]
            for h in range(hands):
                old = r[h]
                r[h] = old * (positive if old > zero else negative) + v[h] - here[h]
            if predictive:
                g = guess[first + a]
                for h in range(hands):
                    g[h] = max(r[h], zero) + v[h] - here[h]


@_inner
def _hold(street, board, regret, guess):  # type: ignore[no-untyped-def]
    """Replace the regrets of locked hands by their frequencies."""
    for n in range(len(street.kind)):
        if street.lock[n] >= 0:
            for a in range(street.choices[n]):
                share = street.share[board, street.lock[n] + a]
                r = regret[street.row[n] + a]
                g = guess[street.row[n] + a]
                for h in range(len(share)):
                    if share[h] >= 0:
                        r[h] = share[h]
                        g[h] = share[h]


@_inner
def _mix(street, n, board, value):  # type: ignore[no-untyped-def]
    """Set the values of the locked hands at a node to the means of the values after their actions."""
    here = value[n]
    share = street.share[board, street.lock[n]]
    for h in range(len(share)):
        if share[h] >= 0:
            here[h] -= here[h]
    for a in range(street.choices[n]):
        v = value[street.child[n, a]]
        share = street.share[board, street.lock[n] + a]
        for h in range(len(share)):
            if share[h] >= 0:
                here[h] += share[h] * v[h]


@_inner
def best(me, street, board, value):  # type: ignore[no-untyped-def]
    """Compute the values of all nodes of a street if the player chooses the best action at each of them."""
    for n in range(len(street.kind) - 1, -1, -1):
        if street.kind[n] < 2:
            _combine(street, n, value, street.kind[n] == me)
        if street.lock[n] >= 0:
            _mix(street, n, board, value)


@_inner
def _copy(source, target):  # type: ignore[no-untyped-def]
    """Copy a vector. To compile ``target[:] = source`` takes three seconds."""
    for h in range(len(target)):
        target[h] = source[h]


@_compiled
def learn(sides, regrets, guesses, before, sums, ranges, schedule, tiny, predictive, responder):  # type: ignore[no-untyped-def]
    """Run iterations on a known river. Each row of ``schedule`` has the factors of one iteration.

    Player 2 learns against the new plan of player 1. If ``before`` is not empty, player 2 learns against player 1's
    plan at the start of the iteration; ``before`` must have the shape of player 1's table.

    If ``responder`` is a player, only return the values of this player's hands, if the player best responds to the
    other player's average plan. A separate function would take seconds to compile.
    """
    tables = guesses[1], (before if len(before) > 0 else guesses[0])
    learning = responder < 0
    for t in range(len(schedule)):
        positive, negative, keep = schedule[t, 0], schedule[t, 1], schedule[t, 2]
        for r in range(len(before) if learning else 0):
            _copy(guesses[0][r], before[r])
        for me in range(2):
            if not learning and me != responder:
                continue
            street, leaves, cards, board, room = sides[me]
            _copy(ranges[1 - me], room.reach[street.slot[0]])
            table = tables[me] if learning else sums[1 - me]
            kept = sums[1 - me] if learning else sums[1 - me][:0]
            forward(1 - me, street, table, kept, room.reach, tiny, keep)
            for b in range(len(board.groups)):
                _leaves(leaves, cards, board, b, room)
            if learning:
                backward(me, street, regrets[me], guesses[me], room.value, positive, negative, tiny, predictive)
                for b in range(len(board.groups)):
                    _hold(street, b, regrets[me], guesses[me])
            else:
                best(me, street, 0, room.value)
    return sides[max(responder, 0)][4].value[0]


@_inner
def _enter(me, above, street, before, cards, card, share, reach):  # type: ignore[no-untyped-def]
    """Set the reach at the roots of a street, from the reach ``before`` at the leaves of the street above.

    The card ``card`` is dealt between the streets, with the probability ``share``.
    """
    for d in range(len(above.deals)):
        n = above.deals[d]
        source = before[above.slot[n]]
        target = reach[street.slot[above.child[n, 0]]]
        for j in range(len(target)):
            target[j] = source[j] * share
        for j in range(len(target)):
            if cards.other[j, 0] == card or cards.other[j, 1] == card:
                target[j] = share - share


@_compiled
def enter(me, above, street, before, cards, card, share, reach):  # type: ignore[no-untyped-def]
    """Call `_enter`, which Python cannot call."""
    _enter(me, above, street, before, cards, card, share, reach)


@_compiled
def starts(me, street, leaves, cards, board, table, sums, room, runs, tiny, keep):  # type: ignore[no-untyped-def]
    """Compute the reach of the nodes of a street before the river, and the values of the leaves at which play ends.

    ``runs`` [opponent's hands, own hands] has, for each pair of hands, the mean of 1 for each deal of the missing cards
    with which the player wins, and -1 for each with which the player loses.
    """
    forward(1 - me, street, table, sums, room.reach, tiny, keep)
    for b in range(1):  # a fold does not depend on the final board
        _leaves(leaves, cards, board, b, room)
    for e in range(len(street.run_outs)):
        here = room.value[street.run_outs[e]]
        reach = room.reach[street.slot[street.run_outs[e]]]
        if not leaves.raked:
            for h in range(len(here)):
                here[h] = tiny - tiny
        for j in range(len(reach)):
            factor = reach[j] * street.run_factor[e]
            row = runs[j]
            for h in range(len(here)):
                here[h] += factor * row[h]


@_compiled
def rivers(  # type: ignore[no-untyped-def]
    me,
    turn,
    river,
    leaves,
    cards,
    board,
    first,
    last,
    regret,
    guess,
    table,
    sums,
    before,
    room,
    found,
    share,
    settings,
    learning,
    predictive,
):
    """Update a player on the final boards ``first`` to ``last - 1``, or compute the player's best response.

    ``before`` is the reach of the turn. The values of the roots are written to ``found`` [boards, deals, own hands].
    ``share`` is the probability of each river card.
    """
    tiny, positive, negative, keep = settings
    for b in range(first, last):
        _enter(me, turn, river, before, cards, np.uint64(board.card[b]), share, room.reach)
        forward(1 - me, river, table[b], sums[b] if learning else table[b][:0], room.reach, tiny, keep)
        _leaves(leaves, cards, board, b, room)
        if learning:
            backward(me, river, regret[b], guess[b], room.value, positive, negative, tiny, predictive)
            _hold(river, b, regret[b], guess[b])
        else:
            best(me, river, b, room.value)
        for d in range(len(turn.deals)):
            value = room.value[turn.child[turn.deals[d], 0]]
            target = found[b, d]
            for h in range(len(target)):
                target[h] = value[h]


@_compiled
def ends(me, street, board, regret, guess, room, found, leader, source, settings, learning, predictive):  # type: ignore[no-untyped-def]
    """Add the values of the cards after a street, and update the player's regrets of the street.

    The value of hand h after the card number c is the value of hand ``source[c, h]`` after the leading card
    ``leader[c]``; it is 0 if ``source[c, h]`` is negative. ``board`` is the number of the board in ``street.share``.
    """
    tiny, positive, negative, _ = settings
    for d in range(len(street.deals)):
        here = room.value[street.deals[d]]
        for h in range(len(here)):
            here[h] = tiny - tiny
        for c in range(len(leader)):
            value = found[leader[c], d]
            for h in range(len(here)):
                if source[c, h] >= 0:
                    here[h] += value[source[c, h]]
    if learning:
        backward(me, street, regret, guess, room.value, positive, negative, tiny, predictive)
        _hold(street, board, regret, guess)
    else:
        best(me, street, board, room.value)


@compiled
def split(sums, tables, hands, first, last, before, scale, weights):  # type: ignore[no-untyped-def]
    """Split the weight ``before`` of each class among the actions of a node, in proportion to sums of plans.

    All weights are multiples of ``scale``. Each action gets the difference of two rounded running sums.

    Parameters
    ----------
    sums : float array [tables, rows, hands]
    tables, hands : [classes]
        The place of each class in ``sums``.
    first, last : int
        The rows of the node's actions are those from ``first`` on, without ``last``.
    before : [classes]
    weights : [classes, rows]
        The function writes to the rows of the node.
    """
    for k in range(len(hands)):
        units, total, running, cut = before[k] // scale, 0.0, 0.0, 0
        for row in range(first, last):
            total += max(np.float64(sums[tables[k], row, hands[k]]), _LEAST)
        for row in range(first, last):
            running += max(np.float64(sums[tables[k], row, hands[k]]), _LEAST)
            here = min(np.int64(np.rint(running / total * units)), units) if row < last - 1 else units
            weights[k, row] = (here - cut) * scale
            cut = here
