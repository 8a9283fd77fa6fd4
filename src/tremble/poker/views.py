"""Views of ordered games and their abstractions: tables for the terminal, JSON objects and CSV text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.report import AbstractionReport
from tremble.poker.definition import OrderedDefinition
from tremble.poker.filtered import Sizes
from tremble.text.games import counts_text, rules_view
from tremble.text.records import fields_of, numbers_of, rows_csv
from tremble.text.theme import FAINT, OK, WRONG
from tremble.text.view import Fact, add, decimal_text, exact_and_decimal, facts_table, heading, table

__all__ = [
    "ABSTRACTION_COLUMNS",
    "abstraction_record",
    "abstraction_view",
    "abstractions_csv",
    "definition_view",
    "ladder_view",
    "report_view",
]

ABSTRACTION_COLUMNS = (
    *("mode", "threshold_float", "classes_1", "classes_2", "sequences_1", "sequences_2", "information_sets_1"),
    *("information_sets_2", "rows", "nonzeros", "lossless", "certified_loss"),
    *("undominated_rows", "undominated_columns"),
)

"""The columns of ``tremble shrink --format csv`` for ordered games."""


def definition_view(rules: OrderedDefinition) -> RenderableType:
    """Show an ordered game that was not loaded by its name, such as an instance of a user's class."""
    return rules_view(UnbuiltGame.of(rules))


def abstraction_view(abstraction: Abstraction) -> RenderableType:
    """Show the sizes of an abstraction without solving the smaller game."""
    return report_view(AbstractionReport.of(abstraction))


def report_view(report: AbstractionReport) -> RenderableType:
    """Show the sizes of a game before and after an abstraction, and whether the abstraction is lossless."""
    both = (report.raw, report.sizes)
    rows = table("", "all hands", "left", right=("all hands", "left"))
    for k in range(len(report.raw.classes[0])):
        add(rows, f"hands, round {k + 1}", *(counts_text(c[k] for c in dict.fromkeys(sizes.classes)) for sizes in both))
    add(rows, "sequences", *(counts_text(sizes.sequences) for sizes in both))
    add(rows, "information sets", *(counts_text(sizes.information_sets) for sizes in both))
    add(rows, "rows of the linear program", *(f"{sizes.rows:,}" for sizes in both))
    add(rows, "  nonzeros", "", f"{report.nonzeros:,}")
    if report.dominance is not None:
        left = "{rows:,} and {columns:,} columns".format_map(report.dominance)
        add(rows, "  without dominated actions", "", left)
    equitable = "equitable: equilibria of the smaller game are equilibria of this game."
    if not report.lossless:
        equitable = "not equitable: optimal strategies of the smaller game may not be optimal in this game."
    facts: list[Fact] = [
        ("signals", f"{report.signals:,}, dealt in a tree of {report.signal_tree:,} nodes"),
        ("mode", report.mode + ("" if report.threshold is None else f", threshold {report.threshold:.6g}")),
        ("status", _lossless(report).append(f"  The classes are {equitable}", style=FAINT)),
    ]
    if report.certified_loss is not None:
        facts.append(("loss", exact_and_decimal(report.certified_loss)))
    if report.bounds is not None:
        facts.append(("value", "  to  ".join(map(exact_and_decimal, report.bounds))))
    return Group(heading(report.title), facts_table(facts), Text(), rows)


def ladder_view(reports: Sequence[AbstractionReport]) -> RenderableType:
    """Show a table with a row for each report: the threshold for merging hands, and the sizes of the smaller game."""
    lost = any(report.certified_loss is not None for report in reports)
    columns = ("threshold", "hands, round by round", "sequences", "rows", "nonzeros", *["loss"] * lost, "")
    rungs = table(*columns, right=columns[:-1])
    for report in reports:
        sizes = report.sizes
        add(
            rungs,
            f"{report.threshold:.6g}",
            " + ".join(counts_text(rounds, " / ") for rounds in dict.fromkeys(sizes.classes)),
            counts_text(sizes.sequences),
            *(f"{sizes.rows:,}", f"{report.nonzeros:,}"),
            *([] if report.certified_loss is None else [decimal_text(report.certified_loss)]),
            _lossless(report),
        )
    return Group(heading(reports[0].title), rungs)


def _lossless(report: AbstractionReport) -> Text:
    return Text("lossless", style=OK) if report.lossless else Text("LOSSY", style=WRONG)


def abstraction_record(report: AbstractionReport) -> dict[str, Any]:
    """Return the JSON object that ``tremble shrink`` writes for an abstraction."""
    return {
        **fields_of(report, "title", "mode"),
        "threshold_float": report.threshold,
        **fields_of(report, "signals", "signal_tree", "own_nodes"),
        **_sizes(report.sizes),
        "nonzeros": report.nonzeros,
        "raw": _sizes(report.raw),
        "lossless": report.lossless,
        **numbers_of(report, "certified_loss"),
        **fields_of(report, "bounds", "dominance", "seconds"),
    }


def _sizes(sizes: Sizes) -> dict[str, Any]:
    return fields_of(sizes, "classes", "sequences", "information_sets", "rows")


def abstractions_csv(reports: Sequence[AbstractionReport]) -> str:
    """Return CSV text with a row for each abstraction. Slashes separate the numbers of classes in the rounds."""
    lines = []
    for report in reports:
        record = abstraction_record(report)
        for k in (0, 1):
            record[f"classes_{k + 1}"] = "/".join(map(str, report.sizes.classes[k]))
            record[f"sequences_{k + 1}"] = report.sizes.sequences[k]
            record[f"information_sets_{k + 1}"] = report.sizes.information_sets[k]
        for size in ("rows", "columns"):
            record[f"undominated_{size}"] = None if report.dominance is None else report.dominance[size]
        lines.append(record)
    return rows_csv(ABSTRACTION_COLUMNS, lines)
