"""What stopped runs hand out, beside what their floats claim: ``python -m benchmarks.stopped``, half an hour.

Each run is a whole command that is stopped by its time limit, Ctrl-C or SIGTERM. The floats' bounds are read from its
log, the proven ones from its file. ``--only river`` looks at a part, ``--how limit=5`` at some ways to be stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
from fractions import Fraction
from math import inf, isfinite
from pathlib import Path
from typing import Any

from benchmarks.report import environment, environment_text
from benchmarks.whole_commands import record, solved
from tremble.run.deadline import grace

RESULT = Path(__file__).parent / "results" / "stopped"
WANTED = 1.5  # times the floats' gap is what the proven one may be
_LEAST = 1e-9  # gaps of floats below are taken for it
_SIGNALS = {"ctrl-c": signal.SIGINT, "sigterm": signal.SIGTERM}

_RIVER = "holdem_river:board=Qs9h7s4d2s"
_FORGETS = "random_imperfect_recall:branching=5,merge=1.0,seed=8 --concept maxmin"
RUNS = (
    # trees
    ("leduc:ranks=5 --method dcfr --gap 0", "limit", 5),
    ("leduc:ranks=9 --method double-oracle", "limit", 5),
    ("leduc:ranks=13 --method cfr+ --gap 0", "limit", 30),
    ("poker:bets=2,raises=4 --method cfr+ --gap 0", "limit", 30),
    ("leduc:ranks=5 --method cfr+ --gap 0", "limit", 5),
    ("leduc:ranks=13 --method cfr+ --gap 0.00000001", "ctrl-c", 15),
    ("leduc:ranks=13 --method cfr+ --gap 0.00000001", "sigterm", 15),
    # rules
    ("phantom_ttt", "limit", 5),
    ("phantom_ttt", "limit", 30),
    ("phantom_ttt", "limit", 120),
    ("phantom_ttt", "ctrl-c", 20),
    ("phantom_ttt:forced_wins=true", "limit", 5),
    ("goofspiel:cards=4 --method double-oracle", "limit", 5),
    ("leduc:ranks=40 --method double-oracle", "limit", 30),
    ("border_patrol:depth=5 --method double-oracle", "limit", 30),
    ("phantom_ttt", "sigterm", 20),
    # games of OpenSpiel
    ("openspiel:dark_hex(board_size=2)", "limit", 5),
    ("openspiel:liars_dice", "limit", 5),
    ("openspiel:phantom_ttt", "limit", 30),
    ("openspiel:dark_hex(board_size=3)", "limit", 120),
    # ordered games
    ("rhode_island:ranks=4 --method dcfr --gap 0.000001", "limit", 5),
    ("rhode_island:ranks=6 --method dcfr --gap 0.000001", "limit", 30),
    (f"{_RIVER} --gap 0.000001", "limit", 5),
    (f"{_RIVER},bets=25,50,75,125,99999,raises=4,stack=1500 --gap 0.001", "limit", 30),
    (f"{_RIVER},bets=10,25,50,75,100,150,99999,raises=10,stack=2000 --gap 0.2", "limit", 120),
    (f"{_RIVER},bets=25,50,75,125,99999,raises=4,stack=1500 --gap 0.001", "ctrl-c", 15),
    (f"{_RIVER},bets=25,50,75,125,99999,raises=4,stack=1500 --gap 0.001", "sigterm", 15),
    # a player that forgets
    (_FORGETS, "limit", 5),
    (_FORGETS, "limit", 30),
    (_FORGETS, "ctrl-c", 20),
)


def measured(task: str, how: str, seconds: float, folder: Path) -> dict[str, Any]:
    """One command, stopped in one way."""
    log = folder / "run.log"
    log.unlink(missing_ok=True)
    options = ("--time-limit", f"{seconds:g}") if how == "limit" else ()
    end = solved(task, folder, seconds, "--log", str(log), *options, signal=_SIGNALS.get(how))
    floats, bounds = _of_log(log), None if end.solution is None else end.solution["bounds"]
    proven = None if bounds is None else float(Fraction(bounds[1]) - Fraction(bounds[0]))
    return {
        "task": task,
        "how": how,
        "seconds": seconds,
        "floats": floats,
        "proven": proven,
        "ratio": _ratio(floats, proven),
        "overrun": round(max(0.0, end.seconds - seconds), 2),
        "status": None if end.solution is None else end.solution["status"],
        "exit": end.exit,
        "said": end.said,
    }


def _of_log(log: Path) -> float | None:
    """The gap of the best bounds in floats."""
    low, high = -inf, inf
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        row = json.loads(line)
        if row.get("lower_float") is not None and row.get("upper_float") is not None:
            low, high = max(low, float(row["lower_float"])), min(high, float(row["upper_float"]))
    return max(high - low, 0.0) if isfinite(high - low) else None


def _ratio(floats: float | None, proven: float | None) -> float | None:
    """How much wider the proven gap is; None where one of them is not known."""
    if proven is None or floats is None:
        return None
    return max(proven, _LEAST) / max(floats, _LEAST)


def met(row: dict[str, Any]) -> bool:
    """Whether a run hands out what its floats claim; one that has claimed nothing, whether it hands out anything."""
    if row["status"] is None:
        return False
    return row["status"] == "certified" or (row["floats"] is None if row["ratio"] is None else row["ratio"] <= WANTED)


def table(rows: list[dict[str, Any]]) -> str:
    """The page that is recorded."""
    lines = [
        "# Stopped runs",
        "",
        "What whole commands (`tremble solve GAME ...`) hand out that are stopped by their time limit of so many",
        "seconds, or after them by Ctrl-C or SIGTERM: the gap between the bounds that floats claim in the log, between",
        "the proven bounds in the file, and their ratio, of which at most 1.5 is wanted; the seconds that the command",
        "took beyond the limit or the signal; and whether the result was lost.",
        "`python -m benchmarks.stopped` makes this page.",
        "",
        "| game and method | stopped by | floats' gap | proven gap | ratio | overrun, s | result |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        how = f"limit {row['seconds']:g} s" if row["how"] == "limit" else f"{row['how']} at {row['seconds']:g} s"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        cells = (f"`{row['task']}`", how, _gap(row["floats"]), _gap(row["proven"]), ratio, f"{row['overrun']:.2f}")
        lines.append(f"| {' | '.join((*cells, row['status'] or '**lost**'))} |")
    limited = [row for row in rows if row["how"] == "limit"]
    lines += [
        "",
        f"Proven gap at most {WANTED} times the floats', solved, or nothing claimed by floats: "
        f"{sum(map(met, rows))} of {len(rows)} runs. Lost: {sum(row['status'] is None for row in rows)}. Time limits "
        f"overrun by at most max(2, T/10) s: {sum(row['overrun'] <= grace(row['seconds']) for row in limited)} of "
        f"{len(limited)}.",
        "",
        f"{environment_text(environment())} Load average at the end: {os.getloadavg()[2]:.1f}.",
    ]
    return "\n".join(lines) + "\n"


def _gap(gap: float | None) -> str:
    return "" if gap is None else f"{gap:.4g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="games with this text in them")
    parser.add_argument("--how", default="", help="limit, ctrl-c or sigterm, or one with its seconds: limit=5")
    parser.add_argument("--record", action="store_true", help="take these runs into the recorded ones")
    options = parser.parse_args()
    known: dict[tuple[str, str, float], dict[str, Any]] = {}
    if RESULT.with_suffix(".json").exists():
        known = {(row["task"], row["how"], row["seconds"]): row
                 for row in json.loads(RESULT.with_suffix(".json").read_text(encoding="utf-8"))}  # fmt: skip
    here = []
    with tempfile.TemporaryDirectory() as folder:
        for task, how, seconds in RUNS:
            if options.only in task and options.how in (f"{how}={seconds}", how, ""):
                here.append(measured(task, how, seconds, Path(folder)))
                known[task, how, seconds] = here[-1]
                print(json.dumps(here[-1]), flush=True)
                if options.record:
                    rows = [known[run] for run in RUNS if run in known]
                    record(RESULT, rows, table(rows))
    print(table(here))


if __name__ == "__main__":
    main()
