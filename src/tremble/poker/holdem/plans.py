"""Exact strategies from the sums of plans that the engine has computed.

A strategy of a Hold'em game is an :class:`~tremble.poker.strategy.OrderedStrategy`. It has a table for each street. Its
*own nodes* are the hands of two cards without the known board, for each river card if the river card is dealt in the
game: the hand number h after the river card number c is the own node ``c * hands + h``. Hands are numbered in
colexicographic order: the pair of the cards number a < b outside of the board has the number b (b - 1) / 2 + a. A hand
that is not in the range has the class -1. The axis of histories has length 1, because a street's *rows* contain the
actions of all its decisions, after all lines of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.strategy import OrderedStrategy

__all__ = ["rounded_strategy", "safe_bits", "strategy_by_hand"]

IntArray = NDArray[np.int64]

_MOST_BITS, _LEAST_BITS = 38, 16  # of the denominator of strategies, without the scale of locked hands
_LOCKED_BITS, _LONGEST = 24, 49  # with locked hands: the bits that are worth slower numbers, and those of denominators
_LEAST = 1e-20  # a smaller sum counts as this, so that actions without any sum have equal probabilities


def rounded_strategy(
    rules: HoldemGame, player: int, sums: list[NDArray[np.floating[Any]]], bits: int
) -> OrderedStrategy:
    """Return the strategy in proportion to ``sums``, with weights rounded to whole numbers over one denominator.

    The denominator is ``2**bits``, times the scale of the player's locked hands.

    Parameters
    ----------
    sums : list of float arrays
        For each street, the sums of plans: [rows, hands], or [leading river cards, rows, hands]. The hands are those of
        the deal, not classes.
    """
    tree, deal, locks = rules.tree, rules.deal, rules.locks
    class_of, nodes = own_classes(deal, player)
    rows, count = tree.rows[player]
    scales = locks.scales(tree, player)
    weights = [np.zeros((len(where), n), dtype=np.int64) for where, n in zip(nodes, count, strict=True)]
    # Read the sums of one own node of each class.
    totals = [
        (table[:, where].T if table.ndim == 2 else table[where // table.shape[2], :, where % table.shape[2]])
        for table, where in zip(sums, nodes, strict=True)
    ]
    earlier = nodes[-1] % len(deal.cards[player])  # the hand of each class after the river card
    for n, node in enumerate(tree.nodes):
        if node.kind != player:
            continue
        above, action = tree.own_before(n)
        before = np.full(len(weights[node.street]), scales[0] << bits)
        if above >= 0:
            street, row = tree.nodes[above].street, rows[above] + action
            before = weights[street][:, row]
            if street != node.street:
                before = before[class_of[0][deal.numbers[player][earlier]]]
        some = slice(rows[n], rows[n] + len(node.actions))
        running = np.cumsum(np.maximum(totals[node.street][:, some].astype(np.float64), _LEAST), axis=1)
        units = before // scales[n]
        cuts = np.rint(running / running[:, -1:] * units[:, None]).astype(np.int64)
        cuts = np.minimum(cuts, units[:, None])
        cuts[:, -1] = units
        chosen = np.diff(cuts, axis=1, prepend=0) * scales[n]
        if n in locks.units:
            shares = _locked(rules, n, nodes[node.street])
            chosen = np.where(shares < 0, chosen, shares * (before // locks.units[n])[:, None])
        weights[node.street][:, some] = chosen
    return OrderedStrategy(player, tuple(class_of), tuple(table[:, :, None] for table in weights), scales[0] << bits)


def _locked(rules: HoldemGame, node: int, nodes: IntArray) -> IntArray:
    """Return the frequencies of each class at a locked node, -1 for free hands. ``nodes`` is that of `own_classes`."""
    player, late = rules.tree.nodes[node].kind, rules.tree.nodes[node].street == rules.streets - 1
    hands = len(rules.deal.cards[player])
    found = np.full((len(nodes), len(rules.tree.nodes[node].actions)), -1, dtype=np.int64)
    for river in range(len(rules.deal.rivers)) if late else [-1]:
        shares = rules.locks.at(node, river)
        here = nodes // hands == max(river, 0)
        if shares is not None:
            found[here] = shares[nodes[here] % hands]
    return found


def own_classes(deal: Deal, player: int) -> tuple[list[IntArray], list[IntArray]]:
    """Return, for each street, the class of each own node, and for each class one hand of the deal.

    On the river of a turn, the second is ``leading river card * hands + hand`` instead of the hand.
    """
    numbers, hands = deal.numbers[player], len(deal.cards[player])
    first = deal.class_of[player]
    class_of = [np.full(deal.num_hands, -1, dtype=np.int64)]
    _, some, inverse = np.unique(first, return_index=True, return_inverse=True)
    class_of[0][numbers] = inverse.reshape(-1)
    nodes = [some]
    if len(deal.board) == 4:
        keys = np.full((len(deal.rivers), deal.num_hands), -1, dtype=np.int64)
        for river in range(len(deal.rivers)):
            free = deal.free(player, river)
            keys[river, numbers[free]] = deal.leader[river] * hands + deal.source(player, river)[free]
        used, inverse = np.unique(keys.ravel(), return_inverse=True)
        class_of.append(inverse.reshape(-1) - int(used[0] < 0))
        nodes.append(used[used >= 0])
    return class_of, nodes


def strategy_by_hand(
    rules: HoldemGame, player: int, denominator: int, split: Callable[[int, int, IntArray], IntArray]
) -> OrderedStrategy:
    """Return a strategy in which each hand, after each river card, is a separate class.

    Its denominator is the given one, times the scale of the player's locked hands, which play as they must.

    Parameters
    ----------
    split : callable
        A function whose arguments are a node, the number of the river card, and the weight of each hand's own moves
        before the node. It returns the weights of the actions, [hands, actions], which sum to the weight before.
    """
    tree, deal, locks = rules.tree, rules.deal, rules.locks
    scales = locks.scales(tree, player)
    rows, count = tree.rows[player]
    numbers, hands = deal.numbers[player], len(deal.cards[player])
    class_of, weight = [], []
    for street in range(rules.streets):
        rivers = len(deal.rivers) if street else 1
        classes = np.full((rivers, deal.num_hands), -1, dtype=np.int64)
        for river in range(rivers):
            free = deal.free(player, river) if street == rules.streets - 1 else np.ones(hands, dtype=np.bool_)
            classes[river, numbers[free]] = river * hands + np.flatnonzero(free)
        class_of.append(classes.ravel())
        weight.append(np.zeros((rivers * hands, count[street], 1), dtype=np.int64))
    for n, node in enumerate(tree.nodes):
        if node.kind != player:
            continue
        above, action = tree.own_before(n)
        for river in range(len(deal.rivers) if node.street else 1):
            before = np.full(hands, denominator * scales[0])
            if above >= 0:
                first = river * hands if tree.nodes[above].street else 0
                row = rows[above] + action
                before = weight[tree.nodes[above].street][first : first + hands, row, 0]
            some = slice(rows[n], rows[n] + len(node.actions))
            chosen = split(n, river, before // scales[n]) * scales[n]
            shares = locks.at(n, river if node.street == rules.streets - 1 else -1)
            if shares is not None:
                chosen = np.where(shares < 0, chosen, shares * (before // locks.units[n])[:, None])
            weight[node.street][river * hands : (river + 1) * hands, some, 0] = chosen
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
    stake = 2 * (betting.pot / 2 + betting.stack) * unit * (44 if rules.streets > 1 else 1)
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
