"""Show a batch in a terminal: a line for each game when it ends, and a table of all games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.batch.results import BatchResult
from tremble.numbers import parse_fraction
from tremble.status import Status
from tremble.text.theme import FAINT, OK, WARNING, WRONG
from tremble.text.view import add, exact_and_decimal, more, table
from tremble.words import printable

__all__ = ["batch_line", "batch_view", "result_view"]

_MOST_GAMES, _MOST_REASONS = 1000, 20
_STYLES = {Status.CERTIFIED: OK, Status.BOUNDED: WARNING, Status.LIMIT_REACHED: WARNING}


def batch_line(row: Mapping[str, Any], from_disk: bool) -> str:
    """Describe the result of a game in one line of text. ``row`` is a parsed line of ``results.jsonl``."""
    took = "solved before" if from_disk else f"{row['seconds_float']:.2f} s"
    return f"{row['name']:.80}: {row['status']}, {took}{_about(row)}"


def _about(row: Mapping[str, Any]) -> str:
    return "" if row["error"] is None else f": {row['error']['message']:.300}"


def batch_view(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return a table of all games, the number of proven games, and the errors of all other games.

    Each row shows a game's status, value, seconds and solution file. In place of a value, a game may have the payoffs
    of both players, or the payoff that a maxmin strategy guarantees.
    """
    listed = table("game", "status", "value", "seconds", "file", right=("seconds",))
    for row in rows[:_MOST_GAMES]:
        status = Text(row["status"], style=_STYLES.get(row["status"], WRONG))
        seconds = f"{row['seconds_float']:.2f}"
        add(listed, _name(row), status, _value(row), seconds, printable(row["file"] or row["rescued"] or ""))
    proven = sum(row["proven"] for row in rows)
    parts: list[RenderableType] = [
        listed,
        *more(len(rows) - _MOST_GAMES, " games", full=("to_rows()", "--format json")),
        Text(),
    ]
    elsewhere = sum(row["rescued"] is not None for row in rows)
    counted = f"{proven:,} of {len(rows):,} proven"
    if elsewhere:
        counted += f"; {elsewhere:,} solutions could not be written to the folder"
    parts.append(Text(counted, style=OK if proven == len(rows) else WARNING))
    less = [row for row in rows if row["error"]]
    parts += [Text(printable(f"  {_name(row)}{_about(row)}"), style=FAINT) for row in less[:_MOST_REASONS]]
    return Group(*parts, *more(len(less) - _MOST_REASONS, "", "  "))


def result_view(result: BatchResult) -> RenderableType:
    """Show the result of one game."""
    return batch_view([result.plain()])


def _name(row: Mapping[str, Any]) -> str:
    return printable(str(row["name"])[:80])


def _value(row: Mapping[str, Any]) -> str:
    if row["values"] is None:
        return ""
    if (sure := row["guarantee"]) is not None:
        return f"player {sure['player']} guarantees {exact_and_decimal(parse_fraction(sure['value']), 17)}"
    values = [parse_fraction(value) for value in row["values"]]
    constant = row["bounds"] is not None
    return ", ".join(exact_and_decimal(value, 17) for value in (values[:1] if constant else values))
