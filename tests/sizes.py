"""Counts of games."""

from __future__ import annotations

import tremble
from known import Counts


def counts_of(tree: tremble.GameTree) -> Counts:
    kinds = tree.nodes_by_kind
    one, two = tree.num_slots
    return Counts(
        kinds["chance"], kinds["terminal"], kinds["player 1"], kinds["player 2"], *tree.num_infosets, 1 + one, 1 + two
    )
