"""What a benchmark hands back: rows, goals, the environment, and three ways to write them down."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

__all__ = ["Goal", "Report", "Row", "environment", "environment_text"]

_PACKAGES = ("tremble", "numpy", "scipy", "highspy", "numba", "python-flint", "pygambit", "open_spiel", "cvxpy", "ecos")


@dataclass(frozen=True)
class Row:
    """One program on one task.

    Attributes
    ----------
    task : str
        A game, or what is done.
    program : str
    status : str
        What became of it: ``"certified"``, ``"done"``, ``"over 60 s"``, ``"out of memory"``, ``"not installed"``, ...
    seconds : float or None
        Median of the timed runs; where a time box was hit, the box, which is a lower bound.
    ratio : float or None
        Median over the rounds of this program's seconds by those of the program that the suite is about, in the
        same round; a lower bound where the time box was hit.
    runs : int
        Timed runs.
    peak_mib : float or None
        Greatest resident memory of the program's process, in MiB; what it loads to begin with included.
    value : float or None
        What the program says that the game is worth to player 1.
    published : float or None
        Seconds that the suite's literature states for this, on another machine.
    note : str
    """

    task: str
    program: str
    status: str
    seconds: float | None = None
    ratio: float | None = None
    runs: int = 0
    peak_mib: float | None = None
    value: float | None = None
    published: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Goal:
    """What a measurement should show.

    Attributes
    ----------
    text : str
    measured : float or None
        None if it could not be measured.
    limit : float
    at_least : bool
        Whether ``limit`` is the least or the greatest that is wanted.
    bound : bool
        Whether ``measured`` is only a lower bound, because a time box was hit.

    Examples
    --------
    >>> Goal("times faster than a snail", 30.0, 20.0, at_least=True).met
    True
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

    Attributes
    ----------
    suite : str
    rows : tuple of Row
    goals : tuple of Goal
    environment : dict
        Versions and the kind of machine; names no machine and no path.

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
    environment: dict[str, Any] = field(default_factory=dict)

    def records(self) -> list[dict[str, Any]]:
        """The rows as flat records with equal keys."""
        return [asdict(row) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "suite": self.suite,
            "environment": self.environment,
            "rows": self.records(),
            "goals": [{**asdict(goal), "met": goal.met} for goal in self.goals],
        }

    def to_json(self) -> str:
        """All of it as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

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


_COLUMNS = ("task", "program", "status", "seconds", "ratio", "runs", "peak_mib", "value", "published", "note")


def _columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """All columns; figures from the literature only where there are some."""
    cited = any(row.published is not None for row in rows)
    return tuple(column for column in _COLUMNS if cited or column != "published")


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _cells(rows: Sequence[Row]) -> Iterable[tuple[str, ...]]:
    columns = _columns(rows)
    yield columns
    for row in rows:
        over = "> " if row.status.startswith("over") else ""
        cell = {
            "task": row.task,
            "program": row.program,
            "status": row.status,
            "seconds": over + _number(row.seconds) if row.seconds is not None else "",
            "ratio": over + _number(row.ratio) if row.ratio is not None else "",
            "runs": str(row.runs) if row.runs else "",
            "peak_mib": _number(row.peak_mib),
            "value": "" if row.value is None else f"{row.value:z.9f}",
            "published": _number(row.published),
            "note": row.note,
        }
        yield tuple(cell[column] for column in columns)


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
