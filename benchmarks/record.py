"""Run suites and record what they show: python benchmarks/record.py [SUITE ...]."""

from __future__ import annotations

import sys
from pathlib import Path

from tremble import bench
from tremble.bench.refinements import GAMES

WHOLE = {"refinements": {"games": (*GAMES, "leduc:ranks=9", "goofspiel:cards=4", "leduc:ranks=13"), "repeat": 3}}
"""What is recorded beyond, or beside, the defaults of a suite."""

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    RESULTS.mkdir(exist_ok=True)
    for suite in sys.argv[1:] or bench.SUITES:
        report = bench.run(suite, **WHOLE.get(suite, {}), progress=lambda step, _fraction: print(step, file=sys.stderr))
        (RESULTS / f"{suite}.json").write_text(report.to_json(), encoding="utf-8", newline="\n")
        (RESULTS / f"{suite}.md").write_text(report.to_markdown(), encoding="utf-8", newline="\n")
        print(f"{suite}\n{report.to_table()}\n", flush=True)


if __name__ == "__main__":
    main()
