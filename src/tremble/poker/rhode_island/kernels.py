"""The inner loops of the engine for Rhode Island Hold'em, compiled by Numba.

The loops over the nodes of a round are those of `tremble.poker.holdem.kernels`. There a vector has one number for each
hand. Here it has one number for each hand and each *history*, which is a line of moves of the earlier rounds: the entry
number ``hand * histories + history``. All histories are followed by the same betting, so they differ only in the chips.

`layout` defines the hands of each round: a hand stands for one card or for several cards that are alike. The reach is
the weight of a single card. Let m be the number of cards of each hand, and x the reach of a history. A card of hand i
meets all cards but itself. So at a fold its value is, in units of the chips, the sum of m[j] x[j] over all hands j,
minus x[i]. At a showdown its value is the sum over all weaker hands minus the sum over all stronger hands. No card has
to be removed there, because a card ties with itself.

To compute the values of a showdown, begin with minus the sum over all hands, and visit the strengths in ascending
order. Add the sum over the hands of this strength. The result is the value of these hands. Add the sum again.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.poker.holdem.betting import End
from tremble.poker.holdem.kernels import Street, backward, best, forward
from tremble.run.compiling import compiled

__all__ = ["Room", "Round", "first_round_ends", "first_round_starts", "later_rounds"]

_compiled = partial(compiled, nogil=True, fastmath={"contract", "reassoc", "nsz", "arcp"}, error_model="numpy")
_inner = partial(_compiled, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # Python does not call these functions

IntArray = NDArray[np.int64]
_FOLD, _SHOWDOWN, _DEAL = int(End.FOLD), int(End.SHOWDOWN), int(End.DEAL)


class Round(NamedTuple):
    """A round of betting, for the player who learns. A *state* is what is known of the public cards."""

    street: Street  # the betting, which is the same in all states and after all histories
    histories: int
    chips: NDArray[np.floating]  # [nodes, histories] what the player wins at a fold, or with the better hand
    held: NDArray[np.floating]  # [states, hands] the number of cards of each hand
    above: NDArray[np.uint64]  # the hand of the previous round that contains each hand
    share: NDArray[np.floating]  # [states, hands] the probability of the last public card, for a card of a hand above
    levels: NDArray[np.uint64]  # [states, hands, 2] the hands of each strength, ascending; a single hand twice
    num_levels: IntArray  # [states] the number of strengths in the last round, 0 in earlier rounds


class Room(NamedTuple):
    """Working memory of one round."""

    reach: NDArray[np.floating]  # [slots, hands * histories]
    value: NDArray[np.floating]  # [nodes, hands * histories]


@_inner
def _leaves(round_, state, room):  # type: ignore[no-untyped-def]
    """Compute the values of a state's folds and showdowns. Set the values before the next deal to 0."""
    street, count, levels = round_.street, round_.held[state], round_.levels[state]
    hands, width = np.uint64(len(count)), np.uint64(round_.histories)
    total = np.empty(width, dtype=room.reach.dtype)
    sums = np.empty(width, dtype=room.reach.dtype)
    summed = -1  # the slot whose sums over all hands are in `total`
    for n in range(len(street.kind)):
        kind, slot = street.kind[n], street.slot[n]
        if kind < 2:
            continue
        value, reach, chips = room.value[n], room.reach[slot], round_.chips[n]
        if kind == _DEAL:
            value[:] = 0
            continue
        if slot != summed:
            total[:] = 0
            for i in range(hands):
                at, m = i * width, count[i]
                for w in range(width):
                    total[w] += m * reach[at + w]
            summed = slot
        if kind == _FOLD:
            for i in range(hands):
                at = i * width
                for w in range(width):
                    value[at + w] = (total[w] - reach[at + w]) * chips[w]
            continue
        for w in range(width):
            sums[w] = -total[w]
        for g in range(round_.num_levels[state]):
            i, j = levels[g, 0], levels[g, 1]
            at, m = i * width, count[i]
            if i == j:
                for w in range(width):
                    more = m * reach[at + w]
                    here = sums[w] + more
                    value[at + w] = here * chips[w]
                    sums[w] = here + more
                continue
            also, k = at + width, count[j]  # hands of equal strength are neighbors
            for w in range(width):
                more = m * reach[at + w] + k * reach[also + w]
                here = sums[w] + more
                value[at + w] = here * chips[w]
                value[also + w] = here * chips[w]
                sums[w] = here + more


@_inner
def _deal(before, after, reach, dealt):  # type: ignore[no-untyped-def]
    """Copy the reach at the leaves of a round to the root of the next round."""
    street, width, leaves = before.street, np.uint64(before.histories), np.uint64(len(before.street.deals))
    root = dealt[after.street.slot[0]]
    for d in range(leaves):
        here = reach[street.slot[street.deals[d]]]
        for h in range(np.uint64(len(after.above))):
            source, target = after.above[h] * width, h * width * leaves + d
            for w in range(width):
                root[target + w * leaves] = here[source + w]


@_inner
def _collect(before, after, state, root, value):  # type: ignore[no-untyped-def]
    """Add the values ``root`` of a state, times the probability of the state, to the leaves of the round before."""
    width, leaves = np.uint64(before.histories), np.uint64(len(before.street.deals))
    for d in range(leaves):
        here = value[before.street.deals[d]]
        for h in range(np.uint64(len(after.above))):
            share = after.share[state, h]
            target, source = after.above[h] * width, h * width * leaves + d
            for w in range(width):
                here[target + w] += root[source + w * leaves] * share


@_compiled
def first_round_starts(me, first, table, sums, room, tiny, keep):  # type: ignore[no-untyped-def]
    """Compute the reach of the first round's nodes, and the values of its folds."""
    root = room.reach[first.street.slot[0]]
    for h in range(len(root)):
        root[h] = tiny / tiny
    forward(1 - me, first.street, table[0], sums, room.reach, tiny, keep)
    _leaves(first, 0, room)


@_compiled
def later_rounds(  # type: ignore[no-untyped-def]
    me,
    rounds,
    start,
    end,
    regret,
    guess,
    table,
    sums,
    before,
    rooms,
    found,
    settings,
    learning,
    predictive,
):
    """Update a player after the flops ``start`` to ``end - 1``, or compute the player's best response.

    ``before`` is the reach of the first round. The values of the roots of round 2 are written to ``found``.
    """
    tiny, positive, negative, keep = settings
    first, second, third = rounds
    flop, turn = rooms
    turns = len(third.held) // len(second.held)
    for f in range(start, end):
        _deal(first, second, before, flop.reach)
        kept = sums[1][f] if learning else table[1][f][:0]
        forward(1 - me, second.street, table[1][f], kept, flop.reach, tiny, keep)
        _leaves(second, f, flop)
        for t in range(f * turns, (f + 1) * turns):
            _deal(second, third, flop.reach, turn.reach)
            kept = sums[2][t] if learning else table[2][t][:0]
            forward(1 - me, third.street, table[2][t], kept, turn.reach, tiny, keep)
            _leaves(third, t, turn)
            if learning:
                backward(me, third.street, regret[2][t], guess[2][t], turn.value, positive, negative, tiny, predictive)
            else:
                best(me, third.street, t, turn.value)
            _collect(second, third, t, turn.value[0], flop.value)
        if learning:
            backward(me, second.street, regret[1][f], guess[1][f], flop.value, positive, negative, tiny, predictive)
        else:
            best(me, second.street, f, flop.value)
        for h in range(len(found[f])):
            found[f, h] = flop.value[0, h]


@_compiled
def first_round_ends(me, rounds, regret, guess, room, found, settings, learning, predictive):  # type: ignore[no-untyped-def]
    """Add the values after each flop, and update the player's regrets of the first round. Return the root's values."""
    tiny, positive, negative, _ = settings
    first, second = rounds
    for f in range(len(found)):
        _collect(first, second, f, found[f], room.value)
    if learning:
        backward(me, first.street, regret[0][0], guess[0][0], room.value, positive, negative, tiny, predictive)
    else:
        best(me, first.street, 0, room.value)
    return room.value[0]
