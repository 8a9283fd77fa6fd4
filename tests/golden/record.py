"""The golden record: what the program answered before it was redesigned, and what it answers now.

From the root of a clone::

    PYTHONPATH=src python -m tests.golden.record compare                     all, about five minutes
    PYTHONPATH=src python -m tests.golden.record compare forged --sample 40  a part of it
    PYTHONPATH=src python -m tests.golden.record compare --match perfect     cases with this word in their names
    PYTHONPATH=src python -m tests.golden.record write commands          record again what was meant to change
    PYTHONPATH=src python -m tests.golden.record write commands --match play  the same, of these cases only

``compare`` prints each difference, counts them by class, and exits with 1 if there is any. Differences of class
``expected: ...`` are of features that the redesign removes or makes smaller; alone they exit with 0.

The sections are ``solutions`` (files of solutions), ``forged`` (verdicts on forged files), and ``commands``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from tests.golden import commands, forged, solutions
from tests.golden.games import honest_record

__all__ = ["SECTIONS", "main", "names_of", "read", "sampled"]

SECTIONS = ("solutions", "forged", "commands")
_MODULES: dict[str, Any] = {"solutions": solutions, "forged": forged, "commands": commands}


def names_of(section: str, *, heavy: bool = False) -> list[str]:
    """Return the names of all cases of a section."""
    if section == "solutions":
        return [case.name for case in solutions.cases(heavy=heavy)]
    if section == "forged":
        return [each["name"] for each in honest_record()["files"]]
    return [line.name for line in commands.lines()]


def sampled(names: Iterable[str], most: int | None, seed: int = 0) -> set[str]:
    """Return as many of the names as are asked for, the same ones each time."""
    every = list(names)
    return set(every if most is None or most >= len(every) else random.Random(seed).sample(every, most))


def read(section: str) -> dict[str, Any]:
    """Return the recorded data of a section."""
    found = json.loads(_file(section).read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def _file(section: str) -> Path:
    return Path(__file__).with_name(f"{section}.json")


def _text(section: str, data: dict[str, Any]) -> str:
    """Return the data as text, with one line for each case, so that changes of the record can be read."""
    key = {"solutions": None, "forged": "files", "commands": "lines"}[section]
    compact = partial(json.dumps, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    cases = data if key is None else data[key]
    lines = ",\n".join(f"{compact(name)}: {compact(case)}" for name, case in cases.items())
    if key is None:
        return f"{{\n{lines}\n}}\n"
    head = "".join(f"{compact(name)}: {compact(value)},\n" for name, value in data.items() if name != key)
    return f'{{\n{head}"{key}": {{\n{lines}\n}}\n}}\n'


def _replaced(section: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return the recorded data with some cases replaced, in the order of all cases."""
    recorded = read(section)
    cases = {**recorded, **data} if section == "solutions" else {**recorded["lines"], **data["lines"]}
    ordered = {name: cases[name] for name in names_of(section, heavy=True) if name in cases}
    return ordered if section == "solutions" else {"first": data["first"], "lines": ordered}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.record", description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("write", "compare"))
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)}; all by default")
    parser.add_argument("--sample", type=int, metavar="N", help="compare N cases of each section only")
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument("--match", metavar="TEXT", help="only cases with this text in their names")
    parser.add_argument("--most", type=int, default=60, metavar="N", help="print at most N differences of a class")
    parser.add_argument("--heavy", action="store_true", help="also the solutions that take half a minute each")
    asked = parser.parse_args(arguments)
    unknown = set(asked.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    unexpected = 0
    for section in asked.sections or SECTIONS:
        began = time.perf_counter()
        heavy = asked.heavy or asked.action == "write"
        names = [name for name in names_of(section, heavy=heavy) if (asked.match or "") in name]
        if asked.action == "write":
            if asked.match and section == "forged":
                parser.error("forged files are recorded all together")
            data = _MODULES[section].record(set(names))
            if asked.match:
                data = _replaced(section, data)
            _file(section).write_text(_text(section, data), "utf-8")
            print(f"{section}: {len(names)} cases, {_file(section).stat().st_size:,} bytes", end="")
        else:
            unexpected += _compare(section, sampled(names, asked.sample, asked.seed), asked.most)
        print(f", {time.perf_counter() - began:.0f} s", flush=True)
    return 1 if unexpected else 0


def _compare(section: str, only: set[str], most: int) -> int:
    """Print the differences of a section, and return how many were not expected."""
    counts: Counter[str] = Counter()
    for kind, words in _MODULES[section].compare(read(section), only):
        counts[kind] += 1
        if counts[kind] <= most:
            print(f"{section}: {kind}: {words}", flush=True)
    for kind, count in sorted(counts.items()):
        print(f"{section}: {count} x {kind}")
    print(f"{section}: {len(only)} cases, {sum(counts.values())} differences", end="")
    return sum(count for kind, count in counts.items() if not kind.startswith("expected: "))


if __name__ == "__main__":
    sys.exit(main())
