"""``tremble bench``: our benchmarks."""

from __future__ import annotations

import click

from tremble.bench import SUITES
from tremble.bench import run as race
from tremble.cli.command import Call, command
from tremble.show import terminal

__all__ = ["bench"]


@command("table", "json", game=False)
@click.argument("suite", required=False)
@click.option("--game", "games", multiple=True, metavar="GAME", help="Play this instead; can be repeated.")
@click.option("--repeat", type=click.IntRange(min=1), default=5, show_default=True, help="Timed runs of each.")
@click.option("--time-box", type=float, metavar="SECONDS", help="Give a run up then (default: the suite's own).")
def bench(call: Call, suite: str | None, games: tuple[str, ...], repeat: int, time_box: float | None) -> None:
    """Run a benchmark SUITE, peers beside us where they are installed; without SUITE, list what there is.

    \b
    Example: tremble bench startup
    JSON:    {"suite", "environment", "rows": [{"task", "program", "status", "seconds", "ratio", "runs",
             "peak_mib", "value", "note"}], "goals": [{"text", "measured", "limit", "at_least", "bound", "met"}]};
             of maxmin also "games", with records of single ones; without SUITE a list of {"suite", "about"}
    """  # noqa: D301 (click reads the backspace)
    if suite is None:
        listed = [{"suite": name, "about": entry.about} for name, entry in SUITES.items()]
        call.present(json=lambda: listed, table=lambda: terminal.records_view(listed))
        return
    with call:
        report = race(suite, games=games or None, repeat=repeat, time_box=time_box, progress=call.progress.step)
    call.present(json=report.to_json, table=lambda: report.to_table() + "\n")
