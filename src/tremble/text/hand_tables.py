"""Tables of all hands at a decision of a flop, turn or river: for a terminal, as a JSON object, and as CSV text.

The rows are those of :meth:`tremble.Solution.hands`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.text.cards import cards_text
from tremble.text.comparison import percent_text
from tremble.text.records import rows_csv
from tremble.text.theme import FAINT, HEADING
from tremble.text.view import MAX_ROWS, add, heading_of, indented, more, numbered_name, table
from tremble.words import printable

__all__ = ["LOCKED", "LOCKED_NOTE", "hands_csv", "hands_record", "hands_view"]

Rows = Sequence[dict[str, Any]]

LOCKED = "*"
"""The sign before the probabilities of a locked hand."""

LOCKED_NOTE = f"{LOCKED}: locked, so the player has no choice"

_FIRST = ("hand", "weight", "equity", "ev")


def _actions(rows: Rows) -> list[str]:
    return [key for key in (rows[0] if rows else ()) if key not in (*_FIRST, "locked") and not key.startswith("ev ")]


def _locked(rows: Rows) -> list[str]:
    return ["locked"] * ("locked" in (rows[0] if rows else ()))


def hands_view(game: UnbuiltGame, player: int, line: str, rows: Rows, max_rows: int = MAX_ROWS) -> RenderableType:
    """Show the hands that the player may hold at a decision, those with the greatest EV first."""
    actions, text = _actions(rows), cards_text(game.rules)
    columns = [*_FIRST, *(name for action in actions for name in (printable(action), "EV"))]
    shown = table(*columns, right=columns[1:])
    order = sorted(rows, key=lambda row: (not row["weight"], row["ev"] is None, -(row["ev"] or 0)))
    for row in order[:max_rows]:
        numbers = (percent_text(row["weight"]), percent_text(row["equity"]), _chips(row["ev"]))
        sign = LOCKED * row.get("locked", False)
        pairs = ((sign + percent_text(row[action]), _chips(row[f"ev {action}"])) for action in actions)
        add(shown, text(row["hand"]), *numbers, *sum(pairs, ()), style="" if row["weight"] else FAINT)
    where = Text(f"{numbered_name(game, player)}, {f'after {printable(line)}' if line.strip() else 'first'}", HEADING)
    notes = "EV: the expected chips from the pot, minus the chips that the player still adds; equity: of a showdown"
    return Group(
        *heading_of(game), where, indented(shown),
        *more(len(rows) - max_rows, " hands", "  ", full=("solution.hands(line)", "--format csv or json")),
        Text(f"  {notes}", style=FAINT), *[Text(f"  {LOCKED_NOTE}", style=FAINT)] * any(r.get("locked") for r in rows),
    )  # fmt: skip


def _chips(value: float | None) -> str:
    return "" if value is None else f"{round(value, 2) + 0:.2f}"  # + 0 turns -0.0 into 0.0


def hands_record(player: int, line: str, rows: Rows) -> dict[str, Any]:
    """Return the JSON object of ``tremble explain --line``."""
    actions = _actions(rows)
    return {
        "player": player + 1,
        "line": line,
        "actions": actions,
        "hands": [
            {"hand": row["hand"], **{f"{key}_float": row[key] for key in _FIRST[1:]}}
            | {"actions": [{"action": action, "probability_float": row[action], "ev_float": row[f"ev {action}"]}
                           for action in actions]}
            | {key: row[key] for key in _locked(rows)}
            for row in rows
        ],
    }  # fmt: skip


def hands_csv(rows: Rows) -> str:
    """Return the rows as CSV text, with two columns for each action: its probability and its EV."""
    return rows_csv(
        [*_FIRST, *(name for action in _actions(rows) for name in (action, f"ev {action}")), *_locked(rows)], rows
    )
