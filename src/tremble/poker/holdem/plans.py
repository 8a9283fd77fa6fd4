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
from tremble.poker.holdem.betting import BettingTree
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.strategy import OrderedStrategy

__all__ = ["rounded_strategy", "safe_bits", "strategy_by_hand"]

IntArray = NDArray[np.int64]

_MOST_BITS, _LEAST_BITS = 38, 16  # of the denominator of strategies
_LEAST = 1e-20  # a smaller sum counts as this, so that actions without any sum have equal probabilities


def rounded_strategy(
    tree: BettingTree, deal: Deal, player: int, sums: list[NDArray[np.floating[Any]]], bits: int
) -> OrderedStrategy:
    """Return the strategy in proportion to ``sums``, with weights rounded to whole numbers over ``2**bits``.

    Parameters
    ----------
    sums : list of float arrays
        For each street, the sums of plans: [rows, hands], or [leading river cards, rows, hands]. The hands are those of
        the deal, not classes.
    """
    class_of, nodes = own_classes(deal, player)
    rows, count = tree.rows[player]
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
        last, above = n, node.parent
        while above >= 0 and tree.nodes[above].kind != player:
            last, above = above, tree.nodes[above].parent
        before = np.full(len(weights[node.street]), 2**bits)
        if above >= 0:
            street, row = tree.nodes[above].street, rows[above] + tree.nodes[above].child.index(last)
            before = weights[street][:, row]
            if street != node.street:
                before = before[class_of[0][deal.numbers[player][earlier]]]
        some = slice(rows[n], rows[n] + len(node.actions))
        running = np.cumsum(np.maximum(totals[node.street][:, some].astype(np.float64), _LEAST), axis=1)
        cuts = np.rint(running / running[:, -1:] * before[:, None]).astype(np.int64)
        cuts = np.minimum(cuts, before[:, None])
        cuts[:, -1] = before
        weights[node.street][:, some] = np.diff(cuts, axis=1, prepend=0)
    return OrderedStrategy(player, tuple(class_of), tuple(table[:, :, None] for table in weights), 2**bits)


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
    """Return a strategy in which each hand, after each river card, is a class of its own.

    Parameters
    ----------
    split : callable
        A function whose arguments are a node, the number of the river card, and the weight of each hand's own moves
        before the node. It returns the weights of the actions, [hands, actions], which sum to the weight before.
    """
    tree, deal = rules.tree, rules.deal
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
        last, above = n, node.parent
        while above >= 0 and tree.nodes[above].kind != player:
            last, above = above, tree.nodes[above].parent
        for river in range(len(deal.rivers) if node.street else 1):
            before = np.full(hands, denominator)
            if above >= 0:
                first = river * hands if tree.nodes[above].street else 0
                row = rows[above] + tree.nodes[above].child.index(last)
                before = weight[tree.nodes[above].street][first : first + hands, row, 0]
            some = slice(rows[n], rows[n] + len(node.actions))
            weight[node.street][river * hands : (river + 1) * hands, some, 0] = split(n, river, before)
    return OrderedStrategy(player, tuple(class_of), tuple(weight), denominator)


def safe_bits(rules: HoldemGame) -> int:
    """Return the number of bits of a denominator with which the exact check needs no numbers above 62 bits.

    Raises
    ------
    SpecError
        The weights of the ranges or the chips have so many digits that fewer than 16 bits are left.
    """
    deal, betting = rules.deal, rules.betting
    chips = [paid for node in rules.tree.nodes for paid in node.paid]
    unit = lcm(*(number.denominator for number in (betting.pot, *chips, *(2 * rules.raked(paid) for paid in {*chips}))))
    stake = 2 * (betting.pot / 2 + betting.stack) * unit * (44 if rules.streets > 1 else 1)
    heaviest = max(int(weights.sum()) for weights in deal.weights)
    bits = min(_MOST_BITS, 61 - int(stake * heaviest).bit_length())
    if bits < _LEAST_BITS:
        raise SpecError(
            "the weights of the ranges, or the chips, have too many digits for an exact proof with 64 bits; round the "
            f"weights to fewer digits, so that {_LEAST_BITS - bits} bits fewer are needed"
        )
    return bits
