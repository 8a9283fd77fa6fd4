"""What a benchmark hands back: rows, goals, the environment, and three ways to write them down."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib import metadata
from typing import Any

__all__ = ["Goal", "Report", "Row", "environment", "environment_text", "notes"]

_PACKAGES = (
    "tremble",
    "numpy",
    "scipy",
    "highspy",
    "numba",
    "python-flint",
    "pygambit",
    "open_spiel",
    "cvxpy",
    "ecos",
    "pyscipopt",
)


@dataclass(frozen=True)
class Row:
    """One program on one task, a game or what is done."""

    task: str
    program: str
    status: str  # what became of it: "certified", "done", "over 60 s", "out of memory", "not installed", ...
    seconds: float | None = None  # median of the timed runs; where a time box was hit, the box, which is a lower bound
    # Median over the rounds of this program's seconds by those of the program that the suite is about, in the same
    # round; a lower bound where the time box was hit.
    ratio: float | None = None
    runs: int = 0
    # Greatest resident memory of the program's process, in MiB; what it loads to begin with included.
    peak_mib: float | None = None
    value: float | None = None  # what the program says that the game is worth to player 1
    std_error: float | None = None  # of ``seconds`` where they are the mean of many games
    published: float | None = None  # seconds that the suite's literature states for this, on another machine
    note: str = ""


@dataclass(frozen=True)
class Goal:
    """What a measurement should show.

    ``limit`` is the least or the greatest that is wanted. What was not ``measured`` is None, and only a lower ``bound``
    where a time box was hit.
    """

    text: str
    measured: float | None
    limit: float
    at_least: bool = False
    bound: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None if the measurement cannot say."""
        if self.measured is None:
            return None
        if self.at_least:
            return True if self.measured >= self.limit else None if self.bound else False
        return self.measured <= self.limit


@dataclass(frozen=True)
class Report:
    """The outcome of a suite.

    Examples
    --------
    >>> report = Report("snails", (Row("one metre", "snail", "done", seconds=1000.0, runs=1),))
    >>> print(report.to_table())
    task       program  status  seconds  ratio  runs  peak_mib  value  note
    one metre  snail    done    1,000           1
    """

    suite: str
    rows: tuple[Row, ...]
    goals: tuple[Goal, ...] = ()
    # Versions and the kind of machine; names no machine and no path.
    environment: dict[str, Any] = field(default_factory=dict)
    games: tuple[dict[str, Any], ...] = ()  # flat records of single games, where rows are of many; in JSON only

    def records(self) -> list[dict[str, Any]]:
        """The rows as flat records with equal keys."""
        return [asdict(row) for row in self.rows]

    def to_json(self) -> str:
        """All of it as JSON text."""
        goals = [{**asdict(goal), "met": goal.met} for goal in self.goals]
        whole = {"suite": self.suite, "environment": self.environment, "rows": self.records(), "goals": goals}
        if self.games:
            whole["games"] = self.games
        return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def to_table(self) -> str:
        """The rows as aligned text."""
        lines = list(_aligned(_cells(self.rows), "  "))
        lines += ["" if not self.goals else "\ngoals"]
        lines += [f"  {_verdict(goal)}  {goal.text}: {_measured(goal)} ({_wanted(goal)})" for goal in self.goals]
        return "\n".join(line.rstrip() for line in lines).rstrip()

    def to_markdown(self) -> str:
        """All of it as a section of Markdown."""
        head, *body = _aligned(_cells(self.rows), " | ")
        rule = "|" + "---|" * len(_columns(self.rows))
        lines = [f"## {self.suite}", "", f"| {head} |", rule, *(f"| {line} |" for line in body)]
        if self.goals:
            lines += ["", "| goal | measured | wanted | met |", "|---|---|---|---|"]
            lines += [f"| {g.text} | {_measured(g)} | {_wanted(g)} | {_verdict(g)} |" for g in self.goals]
        if self.environment:
            lines += ["", environment_text(self.environment)]
        return "\n".join(lines) + "\n"


def _columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """All columns; standard errors and figures from the literature only where there are some."""
    empty = {name for name in ("std_error", "published") if all(getattr(row, name) is None for row in rows)}
    return tuple(column.name for column in fields(Row) if column.name not in empty)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _cells(rows: Sequence[Row]) -> Iterable[tuple[str, ...]]:
    columns = _columns(rows)
    yield columns
    for row in rows:
        yield tuple(_cell(row, column) for column in columns)


def _cell(row: Row, column: str) -> str:
    content = getattr(row, column)
    if content is None or (column == "runs" and not content):
        return ""
    if isinstance(content, str) or column == "runs":
        return str(content)
    if column == "value":
        return f"{content:z.9f}"
    over = row.status.startswith("over") and column in ("seconds", "ratio")
    return ("> " if over else "") + _number(content)


def _aligned(cells: Iterable[tuple[str, ...]], between: str) -> Iterable[str]:
    table = list(cells)
    width = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        yield between.join(cell.ljust(w) for cell, w in zip(line, width, strict=True))


def _measured(goal: Goal) -> str:
    if goal.measured is None:
        return "not measured"
    return ("more than " if goal.bound else "") + _number(goal.measured)


def _wanted(goal: Goal) -> str:
    return f"at {'least' if goal.at_least else 'most'} {_number(goal.limit)}"


def _verdict(goal: Goal) -> str:
    return {True: "yes", False: "NO", None: "?"}[goal.met]


def notes(*said: str) -> str:
    """Join what is noted of a row; empty notes are none."""
    return "; ".join(filter(None, said))


def environment() -> dict[str, Any]:
    """Versions and the kind of machine."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "date": datetime.date.today().isoformat(),
        "cpus": os.cpu_count(),
        "system": platform.system(),
        "machine": platform.machine(),
        "versions": versions,
    }


def environment_text(found: Mapping[str, Any]) -> str:
    """The same as a sentence."""
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    where = f"{found['cpus']} CPUs, {found['system']} on {found['machine']}"
    return f"Measured on {found['date']}; {where}; {versions}."
