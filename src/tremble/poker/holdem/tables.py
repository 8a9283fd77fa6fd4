"""Tables of the strategies of a Hold'em game, with one row for each hand."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.table_rows import table_row
from tremble.words import for_reader

__all__ = ["turn_rows", "weights_of"]

IntArray = NDArray[np.int64]

_MOST_ROWS = 1_000_000


def weights_of(rules: HoldemGame, strategy: OrderedStrategy, node: int, river: int) -> Any:
    """Return the weights of the actions at a decision, after the river card number ``river``: int64[hands, actions]."""
    player, street = strategy.player, rules.tree.nodes[node].street
    rows = rules.tree.rows[player].first
    own = rules.deal.numbers[player] + (river * rules.deal.num_hands if street else 0)
    some = slice(rows[node], rows[node] + len(rules.tree.nodes[node].actions))
    found: Any = strategy.weight[street][strategy.class_of[street][own], some, 0]
    return found


def turn_rows(rules: HoldemGame, strategy: OrderedStrategy) -> Iterator[dict[str, Any]]:
    """Yield a table row for each hand, line of moves and action, with the probability of the action.

    Raises
    ------
    TooLargeError
        The table would have more than 1,000,000 rows.
    """
    player, nodes, deal = strategy.player, rules.tree.nodes, rules.deal
    rivers, hands = deal.rivers.tolist(), deal.cards[player]
    count = sum(
        len(hands) * len(node.actions) * (len(rivers) if node.street else 1) for node in nodes if node.kind == player
    )
    if count > _MOST_ROWS:
        raise TooLargeError(
            f"player {player + 1} has {count:,} sequences, more than the limit of {_MOST_ROWS:,} table rows; "
            f"{for_reader('to_json(path)', '-o FILE')} writes the strategies as arrays"
        )
    for n, node in enumerate(nodes):
        if node.kind != player:
            continue
        for river, card in enumerate(rivers if node.street else rivers[:1]):
            weights = weights_of(rules, strategy, n, river)
            for hand, of_hand in enumerate(weights.tolist()):
                if node.street and card in hands[hand]:
                    continue
                label = rules.label(player, hand, n, DECK[card] if node.street else "")
                for action, weight in zip(node.actions, of_hand, strict=True):
                    p = Fraction(weight, sum(of_hand)) if any(of_hand) else Fraction(1, len(of_hand))
                    yield table_row(player + 1, None, label, action, p)
