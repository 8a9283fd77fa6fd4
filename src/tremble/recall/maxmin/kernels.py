"""Functions compiled by Numba that compute the bound and the split of one cell of the branch and bound.

The branch and bound spends almost all of its time in these functions. :mod:`tremble.recall.branching.kernels` describes
the arrays of sides, cells, choices and games.
"""

from __future__ import annotations

import numpy as np

from tremble.recall.branching.kernels import (
    TIE,
    actions_of,
    answer,
    best_choice,
    guarantee,
    kernel,
    mixed_plan,
    plan_of,
)

__all__ = ["examine", "linearise"]

_TINY = 1e-9
_HURRY = 0.1  # the search for the player's best choice stops once it closes this share of the gap (see ``best_choice``)
_LITTLE = 0.05  # added to the weight of each vertex, so that a vertex of weight 0 also has a small influence
_ROUNDING = 1e-9  # subtracted from ``holds`` because of rounding errors
_LONG = 0.5  # split only edges at least this long, relative to the longest edge, to avoid very thin simplices


# -- matrix games ---------------------------------------------------------------------------------
#
# The player has choices k, the opponent has replies j, and all payoffs in the matrix A are positive. The linear program
# is to maximize the sum of z subject to A z <= 1, z >= 0. The dictionary D of the simplex method contains the equations
# x_i = D[i, 0] - sum_l D[i, l] x_l for basic variables, and the objective in row 0. Variable j >= 0 is z_j, and
# variable -1 - k is the slack of row k. The value of the game is 1 / D[0, 0]. The opponent's mixture is z / D[0, 0].
# The player's mixture is the vector of the reduced costs of the slacks, divided by D[0, 0]. Rows and columns are added
# to a solved dictionary. Rounding errors cannot make a bound invalid, because every mixture of replies gives an upper
# bound.


@kernel
def _pivot(table, basic, nonbasic, rows, columns, i, j):  # type: ignore[no-untyped-def]
    scale = 1.0 / table[i, j]
    for c in range(columns + 1):
        table[i, c] *= scale
    table[i, j] = scale
    for r in range(rows + 1):
        if r != i:
            factor = table[r, j]
            if factor != 0.0:
                table[r, j] = 0.0
                for c in range(columns + 1):
                    table[r, c] -= factor * table[i, c]
    basic[i], nonbasic[j] = nonbasic[j], basic[i]


@kernel
def _solve(table, basic, nonbasic, rows, columns):  # type: ignore[no-untyped-def]
    """Solve the matrix game: make dual simplex pivots as long as a row is violated, then primal pivots.

    The number of pivots is limited. If the limit ends the search, the bounds are valid but weaker.
    """
    for _ in range(20 + 3 * (rows + columns)):
        i, worst = 0, -_TINY
        for r in range(1, rows + 1):
            if table[r, 0] < worst:
                i, worst = r, table[r, 0]
        if i == 0:
            break
        j, least = 0, np.inf
        for c in range(1, columns + 1):
            if table[i, c] < -_TINY:
                ratio = max(table[0, c], 0.0) / -table[i, c]
                if ratio < least:
                    j, least = c, ratio
        if j == 0:
            break
        _pivot(table, basic, nonbasic, rows, columns, i, j)
    for _ in range(50 + 5 * (rows + columns)):
        j, worst = 0, -_TINY
        for c in range(1, columns + 1):
            if table[0, c] < worst:
                j, worst = c, table[0, c]
        if j == 0:
            break
        i, least, size = 0, np.inf, 0.0
        for r in range(1, rows + 1):
            if table[r, j] > _TINY:
                ratio = max(table[r, 0], 0.0) / table[r, j]
                if ratio < least - TIE or (ratio < least + TIE and table[r, j] > size):
                    i, least, size = r, min(ratio, least), table[r, j]
        if i == 0:
            break
        _pivot(table, basic, nonbasic, rows, columns, i, j)


@kernel
def _add_row(table, basic, nonbasic, rows, columns, payoff):  # type: ignore[no-untyped-def]
    """Add a row to the simplex table for a choice of the player, with the choice's payoffs against the replies."""
    new = rows + 1
    table[new, 0] = 1.0
    for c in range(1, columns + 1):
        table[new, c] = payoff[nonbasic[c]] if nonbasic[c] >= 0 else 0.0
    for r in range(1, rows + 1):
        if basic[r] >= 0:
            for c in range(columns + 1):
                table[new, c] -= payoff[basic[r]] * table[r, c]
    basic[new] = -1 - rows


@kernel
def _add_column(table, basic, nonbasic, rows, columns, payoff):  # type: ignore[no-untyped-def]
    """Add a column for a reply of the opponent, with the payoffs of the player's choices against the reply."""
    new = columns + 1
    for r in range(rows + 1):
        total = -1.0 if r == 0 else (payoff[-1 - basic[r]] if basic[r] < 0 else 0.0)
        for c in range(1, columns + 1):
            if nonbasic[c] < 0:
                total += table[r, c] * payoff[-1 - nonbasic[c]]
        table[r, new] = total
    nonbasic[new] = columns


# -- a cell ----------------------------------------------------------------------------------------


@kernel
def examine(game, cell, choices, gains, weight, goal, floor, patience, sharp, most):  # type: ignore[no-untyped-def]
    """Compute an upper bound for a cell, and decide how to split the cell if the bound is too large.

    The function solves a matrix game between the opponent's pure strategies, called *replies*, and the cell's vertex
    strategies, which play one vertex at each set. Each round adds best responses of both players. Against any mixture
    of replies, no strategy of the cell earns more than the best vertex strategy. So the payoff of this vertex strategy
    is an upper bound for the cell.

    Parameters
    ----------
    choices : int64[K, R]
        The initial choices of the player.
    gains, weight : float64[J, S], float64[J]
        The initial replies, and their weights in the mixture that proves the bound of the cell so far. A reply is
        stored as the gains of the player's sequences against this reply.
    goal, floor : float
        The cell is finished if its bound is at most ``goal``. The best guarantee so far is ``floor``.
    patience, sharp : int, float
        If the player's mixture earns more than ``goal`` against every reply, more rounds cannot finish the cell. The
        cell is then split in two cases: more than ``patience`` rounds have been made since the start, or more rounds
        would reduce ``bound - floor`` by less than the fraction ``sharp``.
    most : int
        The largest number of rounds.

    Returns
    -------
    bound : float
    best : float64[J + n]
        The mixture that proves the bound, with weights for the initial replies and then for the new replies.
    mixture : float64[J + n]
        The mixture of the last round.
    replies, left : int64[n, R'], float64[n, S]
        The new replies, as choices of the opponent, and the gains of the player's sequences against them.
    choices, share : int64[K', R], float64[K']
        The player's choices and their weights in the player's mixture in the last round.
    mixed, value : float64[slots], float
        The behavior strategy closest to the player's mixture, and its guarantee.
    split : (int, int, int, float)
        An original set, two of its vertices, and the first vertex's weight at the point that divides the edge between
        them. The set is -1 if the cell is finished or cannot be split.
    holds : float
        The result stays the same if ``floor`` rises to less than ``holds`` and ``goal`` rises by the same amount.
    """
    own, other, _, _, _, limits, _ = game
    parent, start = own[0], own[1]
    room_k, room_j = len(choices) + most + 2, len(gains) + most + 2
    size = start[-1]
    options = np.empty((room_k, len(parent)), np.int64)
    plans, left = np.empty((room_k, size)), np.empty((room_j, size))
    answers = np.empty((most + 2, len(other[0])), np.int64)
    table = np.zeros((room_k + 1, room_j + 1))
    basic, nonbasic = np.zeros(room_k + 1, np.int64), np.zeros(room_j + 1, np.int64)
    payoff, mixture, share = np.empty(max(room_k, room_j)), np.zeros(room_j), np.zeros(room_k)
    gain, plan = np.empty(size), np.empty(size)
    nothing = np.empty(0, np.int32)
    low, unit = limits[0], 1.0 / max(limits[1] - limits[0], 1e-300)
    rows = columns = fresh = 0
    left[: len(gains)] = gains
    given = len(gains)
    for j in range(given):
        nonbasic[j + 1] = j
        table[0, j + 1] = -1.0
    columns = given
    for k in range(len(choices)):
        options[k] = choices[k]
        plan_of(own, cell, options[k], plans[k])
        for j in range(columns):
            payoff[j] = 1.0 + unit * (np.dot(plans[k], left[j]) - low)
        _add_row(table, basic, nonbasic, rows, columns, payoff)
        rows += 1
    bound, best = np.inf, np.zeros(room_j)
    mixture[:given] = weight
    value, round_, hurry, holds = -np.inf, 0, 0.0, np.inf
    while True:
        # Compute an upper bound: the payoff of the player's best choice against the mixture of replies.
        gain[:] = 0.0
        for j in range(columns):
            if mixture[j] > 0.0:
                gain += mixture[j] * left[j]
        reached, at_most, _ = best_choice(own, cell, gain, value - 1e-10, hurry, options[rows], nothing)
        if at_most < bound:
            bound = at_most
            best[:] = mixture
        if bound <= goal:
            break
        holds = min(holds, bound - (goal - floor) - _ROUNDING)
        if round_ >= most:
            break
        grown = reached > value + 1e-10
        if grown:
            plan_of(own, cell, options[rows], plans[rows])
            for j in range(columns):
                payoff[j] = 1.0 + unit * (np.dot(plans[rows], left[j]) - low)
            _add_row(table, basic, nonbasic, rows, columns, payoff)
            rows += 1
        # Compute a lower bound on the matrix game's value: the payoff against the best reply to the player's mixture.
        if round_ == 0:
            plan[:] = plans[rows - 1]
        else:
            plan[:] = 0.0
            for k in range(rows):
                if share[k] > 0.0:
                    plan += share[k] * plans[k]
        earned = answer(game, plan, answers[fresh], left[columns])
        if round_ > 0:
            if earned > goal and (bound - earned < sharp * (bound - floor) or round_ > patience):
                holds = min(holds, earned - (goal - floor) - _ROUNDING)
                if round_ <= patience:
                    holds = min(holds, bound - (bound - earned) / sharp - _ROUNDING)
                if at_most > reached:
                    at_most, _, _ = best_choice(own, cell, gain, value - 1e-10, 0.0, options[rows], nothing)
                    if at_most < bound:
                        bound = at_most
                        best[:] = mixture
                break
            if not grown and earned > value - 1e-10:
                break
        # If the reply gives the player less than the value, add the reply. Solve the matrix game again.
        if round_ == 0 or earned < value - 1e-10:
            for k in range(rows):
                payoff[k] = 1.0 + unit * (np.dot(plans[k], left[columns]) - low)
            if grown:
                _solve(table, basic, nonbasic, rows, columns)
            _add_column(table, basic, nonbasic, rows, columns, payoff)
            columns += 1
            fresh += 1
        _solve(table, basic, nonbasic, rows, columns)
        total = table[0, 0]
        value = (1.0 / total - 1.0) / unit + low
        mixture[:] = 0.0
        share[:] = 0.0
        for r in range(1, rows + 1):
            if basic[r] >= 0:
                mixture[basic[r]] = max(table[r, 0], 0.0)
        for c in range(1, columns + 1):
            if nonbasic[c] < 0:
                share[-1 - nonbasic[c]] = max(table[0, c], 0.0)
        mixture /= mixture.sum()
        share /= max(share.sum(), 1e-300)
        round_ += 1
        hurry = _HURRY
    # Compute the closest behavior strategy, its guarantee, and the split of the cell.
    mixed, chosen = _mean(own, cell, options, plans, share, rows)
    reply, rest = np.empty(len(other[0]), np.int64), np.empty(size)
    found = guarantee(game, mixed, reply, rest) if round_ else -np.inf
    done = -1, 0, 0, 0.0
    split = done if bound <= goal else _split(game, cell, chosen)
    if bound > goal:
        holds = min(holds, bound - (goal - floor) - _ROUNDING)
    return (
        bound,
        best[:columns],
        mixture[:columns],
        (answers[:fresh], left[given:columns]),
        options[:rows],
        share[:rows],
        mixed,
        found,
        split,
        holds,
    )


@kernel
def _mean(own, cell, options, plans, share, rows):  # type: ignore[no-untyped-def]
    """Return the behavior strategy closest to the mixture of ``plans`` with weights ``share``, and an array ``played``.

    ``played[k, v]`` is the mixture's weight of reaching refined set k and playing vertex v, a mixed action of the cell.
    """
    parent, start, infoset, _, offset = own
    widest, sets = 1, len(offset) - 1
    for k in range(len(parent)):
        widest = max(widest, start[k + 1] - start[k])
    played, total = np.zeros((len(parent), widest)), np.zeros((sets, widest))
    for c in range(rows):
        if share[c] > 0.0:
            for k in range(len(parent)):
                amount = share[c] * plans[c, parent[k]]
                played[k, options[c, k]] += amount
                total[infoset[k], options[c, k]] += amount
    slots = 0
    for i in range(sets):
        slots += actions_of(offset[i + 1] - offset[i])
    mixed, slot = np.zeros(slots), 0
    for i in range(sets):
        n = actions_of(offset[i + 1] - offset[i])
        mass = total[i, :n].sum()
        for v in range(n):
            part = total[i, v] / mass if mass > 1e-12 else 1.0 / n
            for a in range(n):
                mixed[slot + a] += part * cell[offset[i] + v * n + a]
        slot += n
    return mixed, played


@kernel
def _split(game, cell, played):  # type: ignore[no-untyped-def]
    """Choose a set and an edge for the split of a cell, based on how far the mixture is from a behavior strategy.

    Each refined set R of a forgetful set I adds an amount to the score of I. The amount is the difference between the
    behavior at R and the average behavior at I, times the range of the payoffs below R. The score of each earlier
    set J of the player on the path to R also grows, by twice the amount times the width of the cell at J. A factor
    smaller than 2 leads to more cells (measured).
    """
    own, spans = game[0], game[6]
    parent, start, infoset, forgetful, offset = own
    sets, widest = len(forgetful), played.shape[1]
    total, score, leading = np.zeros((sets, widest)), np.zeros(sets), np.zeros(start[-1], np.int64)
    candidate = np.zeros(sets, np.bool_)
    for k in range(len(parent)):
        total[infoset[k]] += played[k]
        leading[start[k] : start[k + 1]] = k
    for i in range(sets):
        total[i] /= max(total[i].sum(), 1e-12)
    for k in range(len(parent)):
        i = infoset[k]
        if not forgetful[i]:
            continue
        n, reach, off = start[k + 1] - start[k], played[k].sum(), 0.0
        for a in range(n):
            amount = 0.0
            for v in range(n):
                amount += (played[k, v] - reach * total[i, v]) * cell[offset[i] + v * n + a]
            off += abs(amount)
        off *= spans[k]
        score[i] += off
        candidate[i] = True
        s = parent[k]
        while s:
            j = infoset[leading[s]]
            candidate[j] = True
            if off > 0.0:
                n = start[leading[s] + 1] - start[leading[s]]
                wide = 0.0
                for a in range(n):
                    low, high = 1.0, 0.0
                    for v in range(n):
                        low = min(low, cell[offset[j] + v * n + a])
                        high = max(high, cell[offset[j] + v * n + a])
                    wide += high - low
                score[j] += 2.0 * off * wide
            s = parent[leading[s]]
    best, where, one, two = -1.0, -1, 0, 0
    for i in range(sets):
        if not candidate[i]:
            continue
        n, longest = actions_of(offset[i + 1] - offset[i]), 0.0
        for v in range(1, n):
            for w in range(v):
                longest = max(longest, _distance(cell, offset[i], n, v, w))
        for v in range(1, n):
            for w in range(v):
                distance = _distance(cell, offset[i], n, v, w)
                merit = distance * (score[i] * (min(total[i, v], total[i, w]) + _LITTLE) + TIE)
                if distance > max(_LONG * longest, _TINY) and merit > best:
                    best, where, one, two = merit, i, v, w
    if where < 0:
        return -1, 0, 0, 0.0
    return where, one, two, (total[where, one] + _LITTLE) / (total[where, one] + total[where, two] + 2 * _LITTLE)


@kernel
def _distance(cell, begin, actions, v, w):  # type: ignore[no-untyped-def]
    """Return the sum of the absolute differences between the vertices v and w of a set."""
    total = 0.0
    for a in range(actions):
        total += abs(cell[begin + v * actions + a] - cell[begin + w * actions + a])
    return total


@kernel
def linearise(game, mixed, gains):  # type: ignore[no-untyped-def]
    """Return, for each reply, the payoff of ``mixed`` as float64[J], and its derivatives as float64[J, slots]."""
    parent, start, infoset, _, _ = game[0]
    slot, plan = mixed_plan(game[0], mixed)
    earned, slope = np.empty(len(gains)), np.zeros((len(gains), len(mixed)))
    value = np.empty(start[-1])
    for j in range(len(gains)):
        value[:] = gains[j]
        for k in range(len(parent) - 1, -1, -1):
            s, above, at, expected = start[k], plan[parent[k]], slot[infoset[k]], 0.0
            for a in range(start[k + 1] - s):
                slope[j, at + a] += above * value[s + a]
                expected += mixed[at + a] * value[s + a]
            value[parent[k]] += expected
        earned[j] = value[0]
    return earned, slope
