"""Rows of a table of strategies, such as CSV output: one row for each information set and action."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tremble.game.rules import UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.strategy_rows import infoset_rows
from tremble.value import in_both_forms

__all__ = ["COLUMNS", "table_row", "table_rows"]


COLUMNS: tuple[str, ...] = ("player", "infoset", "label", "action", "probability", "probability_float")
"""Columns of a table of strategies."""


def table_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[dict[str, Any]]:
    """Yield a table row for each information set and action. Rows are sorted by label if the game has no tree."""
    rows = infoset_rows(strategy)
    for row in sorted(rows, key=lambda row: row.label) if isinstance(strategy, UnbuiltStrategy) else rows:
        for action, p in row.moves:
            yield table_row(row.player, row.number, row.label, action, p)


def table_row(player: int, infoset: int | None, label: str, action: str, p: Number | None) -> dict[str, Any]:
    """Return a table row with the columns :data:`COLUMNS`."""
    cells = {"player": player, "infoset": infoset, "label": label, "action": action}
    return {**cells, **in_both_forms("probability", p)}
