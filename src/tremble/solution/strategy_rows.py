"""Rows of strategies for tables: one for each information set, or one for each action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tremble.game.rules import UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.tabular import in_both_forms

__all__ = ["COLUMNS", "InfosetRow", "strategy_rows", "table_row", "table_rows"]


@dataclass(frozen=True, slots=True)
class InfosetRow:
    """A row of a strategy: the play at one information set."""

    player: int  # from 1
    number: int | None  # from 1; None in a game that is not built
    label: str  # in a game that is not built, a description of what the player knows
    moves: tuple[tuple[str, Number | None], ...]  # actions and their probabilities, None without a strategy
    off_path: bool = False  # True if the player's own strategy never reaches the set

    @property
    def chosen(self) -> str:
        """The action of a pure strategy."""
        return next(action for action, p in self.moves if p)


def strategy_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[InfosetRow]:
    """Yield the rows of a strategy, in its own order."""
    if isinstance(strategy, UnbuiltStrategy):
        for key, actions in strategy.rows.items():
            yield InfosetRow(strategy.player + 1, None, key, tuple(actions))
        return
    for k in range(strategy.num_infosets):
        row: Sequence[Number] = strategy.row(k)
        moves = tuple(zip(strategy.actions[k], row, strict=True))
        yield InfosetRow(strategy.player + 1, k + 1, strategy.infoset_labels[k], moves, bool(strategy.off_path[k]))


COLUMNS = ("player", "infoset", "label", "action", "probability", "probability_float")
"""Columns of a table of strategies."""


def table_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[dict[str, Any]]:
    """Yield a table row for each information set and action; for rules that are not built, sorted by label."""
    rows = strategy_rows(strategy)
    for row in sorted(rows, key=lambda row: row.label) if isinstance(strategy, UnbuiltStrategy) else rows:
        for action, p in row.moves:
            yield table_row(row.player, row.number, row.label, action, p)


def table_row(player: int, infoset: int | None, label: str, action: str, p: Number | None) -> dict[str, Any]:
    """Return a table row with the columns :data:`COLUMNS`."""
    cells = {"player": player, "infoset": infoset, "label": label, "action": action}
    return {**cells, **in_both_forms("probability", p)}
