"""Run suites and record what they show: python benchmarks/record.py [SUITE ...]."""

from __future__ import annotations

import sys
from pathlib import Path

from tremble import bench
from tremble.bench.refinements import GAMES

PATROL = tuple(
    ":".join(filter(None, ("border_patrol", ",".join(filter(None, (depth, graph, slow))))))
    for depth in ("depth=6", "")
    for graph in ("", "graph=2", "graph=3")
    for slow in ("", "slow=false")
)
POKER = ("leduc", "poker:bets=2,raises=2", "poker:bets=2,raises=4")
LARGE_POKER = ("poker:bets=3,each=3,raises=2,types=4", "poker:bets=2,each=3,raises=4,types=4")
PHANTOM = ("phantom_ttt", "phantom_ttt:win_first=true", "phantom_ttt:forced_wins=true")

WHOLE = {
    "refinements": {"games": (*GAMES, "leduc:ranks=9", "goofspiel:cards=4", "leduc:ranks=13"), "repeat": 3},
    "double-oracle": {"games": (*PATROL, *POKER, *LARGE_POKER, *PHANTOM), "repeat": 1, "time_box": 60.0},
}
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
