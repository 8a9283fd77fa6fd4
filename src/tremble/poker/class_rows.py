"""Table rows of a strategy of an ordered game, with the action probabilities of each class of hands."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from tremble.errors import TooLargeError
from tremble.poker.choices import weights_at
from tremble.poker.deals import Deals
from tremble.poker.filter import NEVER
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.table_rows import table_row
from tremble.words import for_reader

__all__ = ["class_rows"]

_MOST_ROWS = 1_000_000


def class_rows(game: OrderedGame, strategy: OrderedStrategy) -> Iterator[dict[str, Any]]:
    """Yield a table row for each class of hands, history of moves and action, with the probability of the action.

    The label of a row is the label of the information set of the first hand of the class.

    Raises
    ------
    TooLargeError
        The table would have more than 1,000,000 rows.
    """
    count = sum(weight.size for weight in strategy.weight)
    if count > _MOST_ROWS:
        raise TooLargeError(
            f"player {strategy.player + 1} has {count:,} sequences, more than the limit of {_MOST_ROWS:,} table rows; "
            f"{for_reader('to_json(path)', '-o FILE')} writes the strategies as arrays"
        )
    for number, (round_, deals) in enumerate(zip(game.rounds, Deals.of(game).rounds, strict=True)):
        classes, nodes = np.unique(strategy.class_of[number], return_index=True)
        nodes = nodes[classes != NEVER]
        side = round_.stage.side(strategy.player)
        before = list(product(*(earlier.stage.going_on for earlier in game.rounds[:number])))
        weights = weights_at(game, strategy, number, nodes, np.arange(len(before)))
        for node, of_class in zip(nodes.tolist(), weights, strict=True):
            public, private = deals.signals(node)
            for line, leaves in enumerate(before):
                for k, stage_node in enumerate(side.nodes):
                    label = game.hand_text(public, private, (*leaves, stage_node))
                    reached, start = int(of_class[side.parent[k], line]), side.start[k]
                    actions = round_.stage.actions[stage_node]
                    for s, action in enumerate(actions, start):
                        p = Fraction(int(of_class[s, line]), reached) if reached else Fraction(1, len(actions))
                        yield table_row(strategy.player + 1, None, label, action, p)
