"""Exact strategies from the sums of plans that the engine has computed.

A strategy of a Hold'em game is an :class:`~tremble.poker.strategy.OrderedStrategy`. It has a table for each street. Its
*own nodes* are the hands of two cards without the known board, for each sequence of cards that are dealt before the
street: the hand number h after the card number c is the own node ``c * hands + h``, and after the card number d that
follows c the own node ``(c * n + d) * hands + h``, where n cards can be dealt first. Hands are numbered in
colexicographic order: the pair of the cards number a < b outside of the board has the number b (b - 1) / 2 + a. A hand
that is not in the range has the class -1. The axis of histories has length 1, because a street's *rows* contain the
actions of all its decisions, after all lines of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.strategy import OrderedStrategy

__all__ = ["Classes", "own_classes", "rounded_strategy", "safe_bits", "strategy_by_hand"]

IntArray = NDArray[np.int64]

_MOST_BITS, _LEAST_BITS = 38, 16  # of the denominator of strategies, without the scale of locked hands
_LOCKED_BITS, _LONGEST = 24, 49  # with locked hands: the bits that are worth slower numbers, and those of denominators


def rounded_strategy(
    rules: HoldemGame, player: int, classes: list[Classes], sums: list[NDArray[np.floating[Any]]], bits: int
) -> OrderedStrategy:
    """Return the strategy in proportion to ``sums``, with weights rounded to whole numbers over one denominator.

    The denominator is ``2**bits``, times the scale of the player's locked hands.

    Parameters
    ----------
    classes : list of Classes
        The player's classes in each street, from :func:`own_classes`.
    sums : list of float arrays
        For each street, the sums of plans: [rows, hands], or [states with tables, rows, hands]. The hands are those of
        the deal, not classes.
    """
    from tremble.poker.holdem.kernels import split  # importing Numba takes half a second

    tree, locks = rules.tree, rules.locks
    tables = [np.ascontiguousarray(table).reshape(-1, *table.shape[-2:]) for table in sums]
    rows, count = tree.rows[player]
    scales = locks.scales(tree, player)
    weights = [np.zeros((len(each.hand), n), dtype=np.int64) for each, n in zip(classes, count, strict=True)]
    for n, node in enumerate(tree.nodes):
        if node.kind != player:
            continue
        here = classes[node.street]
        above, action = tree.own_before(n)
        before = np.full(len(here.hand), scales[0] << bits)
        if above >= 0:
            earlier = np.arange(len(here.hand))
            for street in range(node.street, tree.nodes[above].street, -1):
                earlier = classes[street].before[earlier]
            before = weights[tree.nodes[above].street][earlier, rows[above] + action]
        some = slice(rows[n], rows[n] + len(node.actions))
        split(
            tables[node.street], here.table, here.hand, some.start, some.stop, before, scales[n], weights[node.street]
        )
        if n in locks.units:
            shares, chosen = _locked(rules, n, here), weights[node.street][:, some]
            chosen[...] = np.where(shares < 0, chosen, shares * (before // locks.units[n])[:, None])
    return OrderedStrategy(
        player, tuple(each.class_of for each in classes), tuple(table[:, :, None] for table in weights),
        scales[0] << bits,
    )  # fmt: skip


def _locked(rules: HoldemGame, node: int, classes: Classes) -> IntArray:
    """Return the frequencies of each class at a locked node, -1 for free hands."""
    found = np.full((len(classes.hand), len(rules.tree.nodes[node].actions)), -1, dtype=np.int64)
    for state in rules.deal.states(rules.tree.nodes[node].street):
        shares = rules.locks.at(node, state)
        if shares is not None:
            here = classes.state == state
            found[here] = shares[classes.hand[here]]
    return found


class Classes(NamedTuple):
    """The classes of a player's hands in a street. The last three arrays have an entry for each class."""

    class_of: IntArray  # the class of each own node, or -1
    table: IntArray  # the number of the state among those with tables
    state: IntArray  # this state
    hand: IntArray  # the hand in this table
    before: IntArray  # the class in the street before; 0 in the first street


def own_classes(deal: Deal, player: int, streets: int) -> list[Classes]:
    """Return the classes of a player's hands in each street. This takes seconds on a flop."""
    numbers, hands, rivers = deal.numbers[player], len(deal.cards[player]), len(deal.rivers)
    first = np.full(deal.num_hands, -1, dtype=np.int64)
    _, some, inverse = np.unique(deal.class_of[player], return_index=True, return_inverse=True)
    first[numbers] = inverse.reshape(-1)
    none = np.zeros(len(some), dtype=np.int64)
    found = [Classes(first, none, none - 1, some, none)]
    for street in range(1, streets):
        keys = np.full((rivers**street, deal.num_hands), -1, dtype=np.int64)
        for state, table, source in deal.sources(player, street):
            held = source >= 0
            if street < streets - 1:  # a suit that is alike after this card, too, can be exchanged
                source = deal.turns[table].class_of[player][source]
            keys[deal.place(state), numbers[held]] = table * hands + source[held]
        used, inverse = np.unique(keys.ravel(), return_inverse=True)
        class_of = inverse.reshape(-1) - int(used[0] < 0)
        tables, hand = np.divmod(used[used >= 0], hands)
        states = np.array(deal.tables(street))
        places = np.array([deal.place(deal.before(state)) for state in states.tolist()])
        before = found[-1].class_of[places[tables] * deal.num_hands + numbers[hand]]
        found.append(Classes(class_of, tables, states[tables], hand, before))
    return found


def strategy_by_hand(
    rules: HoldemGame, player: int, denominator: int, split: Callable[[int, int, IntArray], IntArray]
) -> OrderedStrategy:
    """Return a strategy in which each hand, after each river card, is a separate class.

    Its denominator is the given one, times the scale of the player's locked hands, which play as they must.

    Parameters
    ----------
    split : callable
        A function whose arguments are a node, the state of the board, and the weight of each hand's own moves before
        the node. It returns the weights of the actions, [hands, actions], which sum to the weight before.
    """
    tree, deal, locks = rules.tree, rules.deal, rules.locks
    scales = locks.scales(tree, player)
    rows, count = tree.rows[player]
    numbers, hands = deal.numbers[player], len(deal.cards[player])
    class_of, weight = [], []
    place = [{state: k for k, state in enumerate(deal.states(street))} for street in range(rules.streets)]
    for street, states in enumerate(place):
        classes = np.full((len(deal.rivers) ** street, deal.num_hands), -1, dtype=np.int64)
        for state, k in states.items():
            free = deal.free(player, state)
            classes[deal.place(state), numbers[free]] = k * hands + np.flatnonzero(free)
        class_of.append(classes.ravel())
        weight.append(np.zeros((len(states) * hands, count[street], 1), dtype=np.int64))
    for n, node in enumerate(tree.nodes):
        if node.kind != player:
            continue
        above, action = tree.own_before(n)
        for state, k in place[node.street].items():
            before = np.full(hands, denominator * scales[0])
            if above >= 0:
                street = tree.nodes[above].street
                first = place[street][deal.before(state, node.street - street)] * hands
                before = weight[street][first : first + hands, rows[above] + action, 0]
            some = slice(rows[n], rows[n] + len(node.actions))
            chosen = split(n, state, before // scales[n]) * scales[n]
            shares = locks.at(n, state)
            if shares is not None:
                chosen = np.where(shares < 0, chosen, shares * (before // locks.units[n])[:, None])
            weight[node.street][k * hands : (k + 1) * hands, some, 0] = chosen
    return OrderedStrategy(player, tuple(class_of), tuple(weight), denominator * scales[0])


def safe_bits(rules: HoldemGame) -> int:
    """Return a number of bits for `rounded_strategy` with which the exact check is fast, if possible.

    Without locked hands, the check needs no numbers above 62 bits. With them, it may need longer numbers.

    Raises
    ------
    SpecError
        The weights of the ranges, the chips or the frequencies of locked hands have too many digits.
    """
    deal, betting = rules.deal, rules.betting
    chips = [paid for node in rules.tree.nodes for paid in node.paid]
    unit = lcm(*(number.denominator for number in (betting.pot, *chips, *(2 * rules.raked(paid) for paid in {*chips}))))
    stake = 2 * (betting.pot / 2 + betting.stack) * unit * deal.run_outs()
    heaviest = max(int(weights.sum()) for weights in deal.weights)
    scale = max(rules.locks.scales(rules.tree, player)[0] for player in (0, 1))
    bits = min(_MOST_BITS, 61 - int(stake * heaviest * scale).bit_length())
    if scale > 1:
        bits = max(bits, min(_LOCKED_BITS, _LONGEST - scale.bit_length()))
    if bits < _LEAST_BITS:
        raise SpecError(
            "the weights of the ranges, the chips, or the frequencies of locked hands have too many digits for an "
            f"exact proof; round them to fewer digits, so that {_LEAST_BITS - bits} bits fewer are needed"
        )
    return bits
