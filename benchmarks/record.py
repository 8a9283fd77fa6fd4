"""Run suites and record what they show: python benchmarks/record.py [SUITE ...] [--time-box SECONDS].

Then the table of refinements in docs/compared.md is written anew from what is recorded; ``--table`` does that alone.

On an idle machine with two cores, about: refinements 25 minutes, general-sum 20, nash 5, formats 4, startup 1; the
double oracle an hour; maxmin two. A shorter ``--time-box`` shortens the first, and shows as ``over ... s`` in its rows.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tremble import bench
from tremble.bench import general_sum
from tremble.bench.refinements import GAMES, PUBLISHED, Published

PATROL = tuple(
    ":".join(filter(None, ("border_patrol", ",".join(filter(None, (depth, graph, slow))))))
    for depth in ("depth=6", "")
    for graph in ("", "graph=2", "graph=3")
    for slow in ("", "slow=false")
)
POKER = ("leduc", "poker:bets=2,raises=2", "poker:bets=2,raises=4")
LARGE_POKER = ("poker:bets=3,each=3,raises=2,types=4", "poker:bets=2,each=3,raises=4,types=4")
PHANTOM = ("phantom_ttt", "phantom_ttt:win_first=true", "phantom_ttt:forced_wins=true")

WHOLE: dict[str, dict[str, Any]] = {
    "refinements": {
        "games": (*GAMES, "leduc:ranks=9", "goofspiel:cards=4", "leduc:ranks=13"),
        "repeat": 3,
        "time_box": 75.0,  # npp needs most of it on goofspiel
    },
    "nash": {"repeat": 3, "time_box": 45.0},
    "general-sum": {"games": (*general_sum.GAMES, general_sum.LARGEST), "repeat": 3},
    "formats": {"repeat": 3, "time_box": 45.0},
    "abstraction": {"repeat": 3},
    "maxmin": {"repeat": 100},
    "double-oracle": {"games": (*PATROL, *POKER, *LARGE_POKER, *PHANTOM), "repeat": 1, "time_box": 60.0},
}
"""What is recorded beyond, or beside, the defaults of a suite."""

SHORT = {
    "kuhn": "Kuhn",
    "leduc:ranks=2,raises=1": "SL",
    "leduc": "L3",
    **{f"leduc:ranks={n}": f"L{n}" for n in (5, 8, 9, 13)},
    "goofspiel": "G3",
    "goofspiel:cards=4": "G4",
    "goofspiel:order=increasing": r"G\*3",
    "goofspiel:cards=4,order=increasing": r"G\*4",
}
"""Game -> its name in the literature, in Markdown."""

RESULTS = Path(__file__).parent / "results"
COMPARED = Path(__file__).parents[1] / "docs" / "compared.md"
TABLE = re.compile(r"^\| game \| nodes \| Nash, s \|.*\n(?:\|.*\n)*", re.MULTILINE)


def table_of_refinements(rows: Sequence[Mapping[str, Any]]) -> str:
    """Ours, the published algorithm here, and what is published of it, as Markdown; from the rows of the suite."""
    halves = "".join(f" {concept}, s | / Nash | halving here, s | 2018, s |" for concept in PUBLISHED)
    lines = [f"| game | nodes | Nash, s |{halves}", "|" + "---|" * (3 + 4 * len(PUBLISHED))]
    by_name = {(row["task"], row["program"]): row for row in rows}
    for game in dict.fromkeys(row["task"] for row in rows):
        nash = by_name[game, "tremble nash"]
        cells = [SHORT[game], nash["note"].split(" nodes")[0], _seconds(nash)]
        for concept, published in PUBLISHED.items():
            ours = by_name[game, f"tremble {concept}"]
            paper = published["halving"].get(game, Published()).seconds
            cells += [_seconds(ours), "-" if ours["ratio"] is None else f"{ours['ratio']:.3g}"]
            cells += [_seconds(by_name[game, f"halving, {concept}"]), "-" if paper is None else f"{paper:,g}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _seconds(row: Mapping[str, Any]) -> str:
    if row["status"].startswith("over"):
        return f"more than {row['status'].split()[1]}"
    return "-" if row["seconds"] is None else f"{row['seconds']:.2g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(bench.SUITES))
    parser.add_argument("--time-box", type=float, help="seconds for a run, instead of what is recorded as a rule")
    parser.add_argument("--table", action="store_true", help="run nothing, write the table only")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for suite in () if options.table else options.suites or bench.SUITES:
        settings = WHOLE.get(suite, {}) | ({} if options.time_box is None else {"time_box": options.time_box})
        report = bench.run(suite, **settings, progress=lambda step, _fraction: print(step, file=sys.stderr))
        (RESULTS / f"{suite}.json").write_text(report.to_json(), encoding="utf-8", newline="\n")
        (RESULTS / f"{suite}.md").write_text(report.to_markdown(), encoding="utf-8", newline="\n")
        print(f"{suite}\n{report.to_table()}\n", flush=True)
    recorded = json.loads((RESULTS / "refinements.json").read_text(encoding="utf-8"))
    table = table_of_refinements(recorded["rows"])
    text = COMPARED.read_text(encoding="utf-8")
    COMPARED.write_text(TABLE.sub(lambda _: table, text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
