"""The golden record holds: a sample on every run, all of it with ``-m slow``.

What differs on purpose is written again: see ``record.py``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.golden import commands, forged, record, solutions

MODULES: dict[str, Any] = {"solutions": solutions, "forged": forged, "commands": commands}
SAMPLES = {"solutions": 25, "forged": 15, "commands": 25}


def differences(section: str, names: set[str]) -> list[tuple[str, str]]:
    found = MODULES[section].compare(record.read(section), names)
    return [difference for difference in found if not difference[0].startswith("expected: ")]


@pytest.mark.parametrize("section", record.SECTIONS)
def test_a_sample_of_the_golden_record_holds(section: str) -> None:
    fast = {line.name for line in commands.lines() if not line.process}
    names = [name for name in record.names_of(section) if section != "commands" or name in fast]
    assert differences(section, record.sampled(names, SAMPLES[section])) == []


@pytest.mark.slow
@pytest.mark.parametrize("section", record.SECTIONS)
def test_the_golden_record_holds(section: str) -> None:
    assert differences(section, set(record.names_of(section))) == []


@pytest.mark.slow
def test_commands_do_the_same_in_a_process_of_their_own(tmp_path: Path) -> None:
    recorded = record.read("commands")["lines"]
    here = [line for line in commands.lines() if not line.process and not line.changes and line.stdin is None]
    chosen = record.sampled([line.name for line in here], 40)
    filled = commands.filled_folder(tmp_path)
    for line in here:
        if line.name in chosen:
            assert commands.as_process(line, filled) == recorded[line.name], line.name


def test_the_record_is_small() -> None:
    sizes = [path.stat().st_size for path in Path(__file__).parent.glob("*.json")]
    assert len(sizes) == len(record.SECTIONS)
    assert sum(sizes) < 1_500_000


def test_a_difference_is_found() -> None:
    (name,) = record.sampled([each for each in record.names_of("forged") if each.startswith("kuhn")], 1)
    recorded = record.read("forged")
    total, letters = recorded["files"][name]
    other = next(letter for letter in recorded["key"] if letter != letters[3])
    changed = {**recorded, "files": {name: [total, letters[:3] + other + letters[4:]]}}
    assert len(list(forged.compare(changed, {name}))) == 1
    changed = {**recorded, "files": {name: ["", letters]}}
    assert [kind for kind, _ in forged.compare(changed, {name})] == ["other changes are tried"]


def test_numbers_are_compared_without_times() -> None:
    with tempfile.TemporaryDirectory() as folder:
        filled = commands.filled_folder(Path(folder))
        line = commands.Line("solve kuhn --format json")
        one, two = commands.outcome(line, filled), commands.outcome(line, filled)
    assert one == two
    assert "-1/18" in one["numbers"].split()
    assert not any("seconds" in word for word in one["numbers"].split())
