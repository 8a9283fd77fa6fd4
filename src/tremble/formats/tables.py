"""Make strategy tables from rows of other programs' formats, and replace the rows of zeros that Gambit prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.errors import CertificateError
from tremble.game.requirements import nearest_marked
from tremble.game.strategy_rows import integer_rows
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree

__all__ = ["completed", "own_reach", "table_of_rows"]


def table_of_rows(tree: GameTree, player: int, rows: Sequence[Sequence[Fraction]]) -> StrategyTable:
    """Make a strategy table from one row for each information set. Mark sets that the player's own moves exclude."""
    numerator, denominator = integer_rows(rows)
    table = StrategyTable(
        player=player,
        infosets=tuple(range(len(rows))),
        labels=tree.infoset_labels[player],
        actions=tree.actions[player],
        numerator=numerator,
        denominator=denominator,
        off_path=np.zeros(len(rows), dtype=np.bool_),
    )
    return replace(table, off_path=~own_reach(table, tree))


def own_reach(table: StrategyTable, tree: GameTree) -> NDArray[np.bool_]:
    """Return bool[J]: True for each set of the player that the player's own moves in ``table`` do not exclude.

    The table must have the information sets and actions of the game.
    """
    moved = 1 + np.flatnonzero(tree.player[tree.parent[1:]] == table.player)
    above = tree.parent[moved]
    never = np.zeros(tree.num_nodes, dtype=np.bool_)
    never[moved] = table.numerator[tree.slot_start[table.player][tree.infoset[above]] + tree.action[moved]] == 0
    own = np.flatnonzero((tree.player == table.player) & (nearest_marked(tree, never) == 0))
    reached = np.zeros(len(table.infosets), dtype=np.bool_)
    reached[tree.infoset[own]] = True
    return reached


def completed(table: StrategyTable, tree: GameTree) -> tuple[StrategyTable, tuple[int, ...]]:
    """Replace rows of zeros by uniform rows. Gambit prints zeros at sets that the player's own moves exclude.

    The function marks the new rows as ``off_path``, and also returns the indices of their information sets. The table
    must have the information sets and actions of the game. The function raises ``CertificateError`` if the player's
    own moves can reach a set with a row of zeros.
    """
    start = tree.slot_start[table.player]
    stated = np.logical_or.reduceat(table.numerator != 0, start[:-1]) if len(table.infosets) else np.ones(0, bool)
    silent = np.flatnonzero(~stated.astype(np.bool_)).tolist()
    if not silent:
        return table, ()
    reached = own_reach(table, tree)
    numerator, denominator, off_path = table.numerator.copy(), table.denominator.copy(), table.off_path.copy()
    for k in silent:
        if reached[k]:
            raise CertificateError(
                f"player {table.player + 1}, {tree.set_name(table.player, k)}: all probabilities are 0, "
                "but the player's own play reaches the set"
            )
        numerator[start[k] : start[k + 1]] = 1
        denominator[k] = start[k + 1] - start[k]
        off_path[k] = True
    table = replace(table, numerator=numerator, denominator=denominator, off_path=off_path)
    return table, tuple(silent)
