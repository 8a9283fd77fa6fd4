"""Run a suite: python -m benchmarks SUITE [--game GAME ...] [--repeat N] [--time-box SECONDS] [--format json].

``python -m benchmarks fuzz --minutes N`` has its own options; see :mod:`benchmarks.fuzz`.

Without SUITE, the suites are listed. What is recorded from them, and how, stands in README.md.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import SUITES, run
from tremble.cli.failures import exit_code
from tremble.errors import TrembleError

__all__ = ["main", "say"]


def say(step: str, _fraction: float | None = None) -> None:
    """Print a step of a run to standard error."""
    print(step, file=sys.stderr, flush=True)


def main() -> int:
    """Run the command; its exit code."""
    if sys.argv[1:2] == ["fuzz"]:
        from benchmarks import fuzz

        return fuzz.main(sys.argv[2:])
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", nargs="?")
    parser.add_argument("--game", action="append", dest="games", help="play this instead; can be repeated")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each program (default: 5)")
    parser.add_argument("--time-box", type=float, metavar="SECONDS", help="give a run up then (default: the suite's)")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    given = parser.parse_args()
    if given.suite is None:
        for name, suite in SUITES.items():
            print(f"{name:14}  {suite.about}")
        print(f"{'fuzz':14}  random games through every method; compare the answers, and reduce games that show faults")
        return 0
    try:
        report = run(given.suite, games=given.games, repeat=given.repeat, time_box=given.time_box, progress=say)
    except TrembleError as error:
        print(f"error: {error}", file=sys.stderr)
        return exit_code(error)
    print(report.to_json() if given.format == "json" else report.to_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
