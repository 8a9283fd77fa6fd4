"""How far time limits are overshot, and what they leave: ``python -m benchmarks.limits``, half an hour.

Each task is a whole command, from the start of Python to its end. A limit of T seconds may be overshot by
max(2, T/10) seconds: loading, verification, bounds and writing included. ``--limits 1 --only nim`` looks at a part.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.report import environment, environment_text
from benchmarks.whole_commands import record, solved
from tremble.run.deadline import grace

RESULT = Path(__file__).parent / "results" / "limits"
LIMITS = (1.0, 5.0, 20.0)
TASKS = (
    # trees, every concept and method
    "kuhn --method cfr --gap 0",
    "leduc --method cfr+ --gap 0",
    "leduc:ranks=5 --method dcfr --gap 0",
    "leduc:ranks=9",
    "leduc:ranks=9 --concept quasi-perfect",
    "leduc:ranks=9 --concept sequential",
    "leduc:ranks=9 --concept perfect",
    "leduc:ranks=9 --concept quasi-perfect --method halving",
    "leduc:ranks=9 --concept quasi-perfect --method npp",
    "leduc:ranks=9 --concept quasi-perfect --method symbolic-simplex",
    "leduc:ranks=8 --concept perfect --method halving",
    "leduc:ranks=8 --concept perfect --method npp",
    "leduc:ranks=13 --concept perfect",
    "leduc:ranks=16 --concept quasi-perfect",
    "goofspiel:cards=4 --concept perfect",
    "goofspiel:cards=4 --method double-oracle",
    "liars_dice",
    "liars_dice --concept quasi-perfect",
    "poker:bets=2,raises=2 --method lp",
    "poker:bets=2,raises=4 --method lp",
    "poker:bets=2,raises=4 --method double-oracle",
    "poker:bets=2,raises=4 --method cfr+ --gap 0",
    "poker:types=4,each=3,bets=2,raises=4",
    "border_patrol:depth=5 --method lp",
    "random_tree:depth=11,chance=true",
    "random_tree:depth=9 --concept perfect",
    # rules that are not built
    "phantom_ttt",
    "phantom_ttt:forced_wins=true",
    "border_patrol --method double-oracle",
    "border_patrol:graph=2 --method double-oracle",
    "leduc:ranks=40 --method double-oracle",
    "goofspiel:cards=6",
    "liars_dice:dice=2",
    # games of OpenSpiel
    "openspiel:nim",
    "openspiel:goofspiel",
    "openspiel:chess",
    "openspiel:connect_four",
    "openspiel:battleship",
    "openspiel:phantom_ttt",
    "openspiel:leduc_poker --concept perfect",
    "openspiel:tic_tac_toe",
)


def measured(task: str, limit: float, folder: Path) -> dict[str, Any]:
    """One command under one limit."""
    end = solved(task, folder, limit, "--time-limit", f"{limit:g}")
    return {
        "task": task,
        "limit": limit,
        "seconds": round(end.seconds, 2),
        "overshoot": round(max(0.0, end.seconds - limit), 2),
        "status": None if end.solution is None else end.solution["status"],
        "exit": end.exit,
        "said": end.said,
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The page that is recorded."""
    limits = sorted({row["limit"] for row in rows})
    found = {(row["task"], row["limit"]): row for row in rows}
    lines = [
        "# Time limits",
        "",
        "Seconds by which whole commands (`tremble solve TASK --time-limit T`) went beyond their limit, and what they",
        "left: *certified*, exact *bounds*, or *none*, at exit code 5; *refused* at exit code 4. Allowed are",
        "max(2, T/10) seconds. `python -m benchmarks.limits` makes this page.",
        "",
        f"| task | {' | '.join(f'T = {limit:g}' for limit in limits)} |",
        f"|---|{'---|' * len(limits)}",
    ]
    for task in dict.fromkeys(row["task"] for row in rows):
        cells = (cell(found.get((task, limit))) for limit in limits)
        lines.append(f"| `{task}` | {' | '.join(cells)} |")
    lines += ["", "| | " + " | ".join(f"T = {limit:g}" for limit in limits) + " |", f"|---|{'---|' * len(limits)}"]
    for name, figure in (("largest overshoot, s", largest), ("allowed, s", allowed), ("within it", within),
                         ("stopped with exact bounds", bounded)):  # fmt: skip
        lines.append(f"| {name} | {' | '.join(figure(rows, limit) for limit in limits)} |")
    return "\n".join([*lines, "", environment_text(environment())]) + "\n"


def cell(row: dict[str, Any] | None) -> str:
    """What one command did."""
    if row is None:
        return ""
    left = {"certified": "certified", "bounded": "bounds"}.get(row["status"], "none")
    if row["exit"] not in (0, 5):
        left = "refused" if row["exit"] == 4 else f"exit {row['exit']}"
    return f"{row['overshoot']:.2f} {left}"


def of(rows: list[dict[str, Any]], limit: float) -> list[dict[str, Any]]:
    return [row for row in rows if row["limit"] == limit]


def largest(rows: list[dict[str, Any]], limit: float) -> str:
    return f"{max(row['overshoot'] for row in of(rows, limit)):.2f}"


def allowed(_rows: list[dict[str, Any]], limit: float) -> str:
    return f"{grace(limit):.2f}"


def within(rows: list[dict[str, Any]], limit: float) -> str:
    here = of(rows, limit)
    return f"{sum(row['overshoot'] <= grace(limit) for row in here)} of {len(here)}"


def bounded(rows: list[dict[str, Any]], limit: float) -> str:
    stopped = [row for row in of(rows, limit) if row["exit"] == 5]
    return f"{sum(row['status'] in ('bounded', 'certified') for row in stopped)} of {len(stopped)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limits", type=float, nargs="*", default=LIMITS)
    parser.add_argument("--only", default="", help="tasks with this text in them; nothing is recorded then")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for task in TASKS:
            if options.only in task:
                for limit in options.limits:
                    rows.append(measured(task, limit, Path(folder)))
                    print(json.dumps(rows[-1]), flush=True)
    if not options.only:
        record(RESULT, rows, table(rows))
    print(table(rows))


if __name__ == "__main__":
    main()
