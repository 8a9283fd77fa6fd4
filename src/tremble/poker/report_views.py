"""Show a report over many boards: a table for a terminal, CSV text, and a picture with a bar for each board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.text.cards import suits_text
from tremble.text.comparison import percent_text
from tremble.text.figures import File, drawn_on, named
from tremble.text.records import rows_csv
from tremble.text.theme import COLOURS, FAINT, GREY
from tremble.text.view import MAX_ROWS, add, more, table
from tremble.words import printable

__all__ = ["actions_of", "report_csv", "report_picture", "report_view"]

Rows = Sequence[dict[str, Any]]

_FACTS = ("board", "player", "reached", "equity", "ev", "ev %")


def actions_of(rows: Rows) -> list[str]:
    """Return the labels of all actions of a report, in order."""
    return list(dict.fromkeys(key for row in rows for key in row if key not in _FACTS))


def report_csv(rows: Rows) -> str:
    """Return a report as CSV text. Cells of actions that a board does not have are empty."""
    columns = [*_FACTS, *actions_of(rows)]
    return rows_csv(columns, [{column: row.get(column) for column in columns} for row in rows])


def report_view(rows: Rows, most: int = MAX_ROWS) -> RenderableType:
    """Show a report as a table, with the mean over all boards in the last row."""
    actions = actions_of(rows)
    shown = table("board", "player", "reached", "equity", "EV", "% of pot", *map(printable, actions), right=("player",))
    for row in rows[:most]:
        add(shown, suits_text(row["board"]), str(row["player"]), *_numbers(row, actions))
    add(shown, "mean", "", *_numbers(_mean(rows, actions), actions), style=FAINT)
    note = (
        "  means over the hands with which the player gets to the decision; the EV also in % of the pot at that moment"
    )
    return Group(shown, *more(len(rows) - most, " boards", full=("", "--format csv or json")), Text(note, style=FAINT))


def _numbers(row: dict[str, Any], actions: Sequence[str]) -> list[str]:
    ev, share = row["ev"], row["ev %"]
    chips = ["" if number is None else f"{number:.2f}" for number in (ev, share)]
    return [
        percent_text(row["reached"]),
        percent_text(row["equity"]),
        *chips,
        *(percent_text(row.get(a)) for a in actions),
    ]


def _mean(rows: Rows, actions: Sequence[str]) -> dict[str, Any]:
    """Return the means of all rows, weighted by the probability that the decision is reached."""
    reached = sum(row["reached"] for row in rows)

    def mean(key: str) -> float | None:
        return sum(row["reached"] * (row.get(key) or 0) for row in rows) / reached if reached else None

    return {"reached": reached / max(len(rows), 1)} | {key: mean(key) for key in ("equity", "ev", "ev %", *actions)}


def report_picture(rows: Rows, path: File, title: str = "") -> None:
    """Draw a bar for each board, divided by the probabilities of the actions, and its EV; write it to ``path``."""
    with drawn_on(None, path, 6.5, 1.4 + 0.19 * len(rows)) as (axes,):
        across = range(len(rows))
        left = [0.0] * len(rows)
        for k, action in enumerate(actions_of(rows)):
            widths = [100 * (row.get(action) or 0) for row in rows]
            axes.barh(across, widths, 0.8, left, color=COLOURS[k % len(COLOURS)], label=named(action))
            left = [before + width for before, width in zip(left, widths, strict=True)]
        for at, row in enumerate(rows):
            said = "never reached" if row["ev"] is None else f"EV {row['ev']:.2f}"
            axes.text(101, at, said, va="center", color=GREY, fontsize=7)
        axes.set(title=title, xlabel="percent of the hands", xlim=(0, 100), ylim=(len(rows) - 0.4, -0.6))
        axes.set_yticks(across, [suits_text(row["board"]) for row in rows], fontsize=7)
        axes.grid(visible=False)
