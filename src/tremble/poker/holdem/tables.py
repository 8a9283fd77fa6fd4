"""Tables of the strategies of a Hold'em game, with one row for each hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, TooLargeError
from tremble.game.strategy import Distribution
from tremble.integers import FloatArray
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.lines import at
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.table_rows import table_row
from tremble.words import for_reader

__all__ = ["mixed_weights", "probabilities_of", "shares_of", "shares_of_hand", "strategy_rows", "weights_of"]

IntArray = NDArray[np.int64]

_MOST_ROWS = 1_000_000


def weights_of(rules: HoldemGame, strategy: OrderedStrategy, node: int, state: int) -> Any:
    """Return the weights of the actions at a decision, in a state of the board: int64[hands, actions]."""
    player, street = strategy.player, rules.tree.nodes[node].street
    rows = rules.tree.rows[player].first
    own = rules.deal.numbers[player] + (rules.deal.place(state) * rules.deal.num_hands if street else 0)
    some = slice(rows[node], rows[node] + len(rules.tree.nodes[node].actions))
    found: Any = strategy.weight[street][strategy.class_of[street][own], some, 0]
    return found


def mixed_weights(rules: HoldemGame, strategy: OrderedStrategy, node: int, state: int) -> Any:
    """Return :func:`weights_of`, but for locked hands their frequencies, times a whole number."""
    weights, shares = weights_of(rules, strategy, node, state), rules.locks.at(node, state)
    return weights if shares is None else np.where(shares[:, :1] < 0, weights, shares)


def shares_of(weights: Sequence[int]) -> list[Fraction]:
    """Return the probabilities of a hand's actions, from the weights of the actions."""
    whole = sum(weights)
    return [Fraction(weight, whole) if whole else Fraction(1, len(weights)) for weight in weights]


def probabilities_of(weights: IntArray) -> FloatArray:
    """Return the probabilities of actions, [hands, actions], from the weights of the actions."""
    whole = weights.sum(axis=1, keepdims=True).astype(np.float64)
    even = np.full(weights.shape, 1 / weights.shape[1])
    found: FloatArray = np.divide(weights.astype(np.float64), whole, out=even, where=whole > 0)
    return found


def shares_of_hand(rules: HoldemGame, strategy: OrderedStrategy, place: object) -> Distribution:
    """Return the result of ``strategy[place]``: the probabilities of a hand's actions at a decision."""
    if not isinstance(place, tuple) or len(place) != 2:
        raise GameError(f"expected a hand and moves, such as strategy['AhKd', 'check, bet 75'], not {place!r:.80}")
    _, (node, state, hand) = at(rules, *place, strategy.player)
    weights = mixed_weights(rules, strategy, node, state)[hand].tolist()
    return Distribution(strategy.player, None, zip(rules.tree.nodes[node].actions, shares_of(weights), strict=True))


def strategy_rows(rules: HoldemGame, strategy: OrderedStrategy) -> Iterator[dict[str, Any]]:
    """Yield a table row for each hand that can be dealt, line of moves and action, with the action's probability.

    Raises
    ------
    TooLargeError
        The table would have more than 1,000,000 rows.
    """
    player, nodes, deal = strategy.player, rules.tree.nodes, rules.deal
    hands, states = len(deal.cards[player]), [list(deal.states(street)) for street in range(rules.streets)]
    count = sum(hands * len(node.actions) * len(states[node.street]) for node in nodes if node.kind == player)
    if count > _MOST_ROWS:
        raise TooLargeError(
            f"player {player + 1} has {count:,} sequences, more than the limit of {_MOST_ROWS:,} table rows; "
            f"{for_reader('to_json(path)', '-o FILE')} writes the strategies as arrays"
        )
    dealt = (deal.apart if player == 0 else deal.apart.T).any(axis=1)
    for n, node in enumerate(nodes):
        if node.kind != player:
            continue
        for state in states[node.street]:
            weights, free = mixed_weights(rules, strategy, n, state).tolist(), deal.free(player, state)
            for hand in np.flatnonzero(free & dealt).tolist():
                of_hand, label = weights[hand], rules.label(player, hand, n, state)
                for action, p in zip(node.actions, shares_of(of_hand), strict=True):
                    yield table_row(player + 1, None, label, action, p)
