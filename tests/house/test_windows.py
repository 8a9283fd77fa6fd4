"""The road of Windows, as far as a machine without it can tell: what only POSIX has is taken away, and all goes on."""

from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import run
from tremble.cli import failures
from tremble.errors import FormatError
from tremble.run import whole_file
from tremble.run.regular_file import open_regular
from tremble.run.text_file import read_text
from tremble.run.whole_file import write_whole

ROOT = Path(__file__).parents[2]

_WITHOUT_POSIX = """
import sys
from without_posix import pretend

pretend()
from command import run

TASKS = [
    "solve kuhn -o kuhn.json",
    "solve kuhn -o kuhn.json --time-limit 30 --log log.jsonl --force",
    "verify kuhn kuhn.json",
    "solve entry_deterrence --concept sequential -o entry.json",
    "explain kuhn kuhn.json Q:cb",
    "audit kuhn kuhn.json",
    "convert kuhn kuhn.efg",
    "info kuhn.efg",
    "draw kuhn kuhn.json -o kuhn.svg",
    "solve leduc --method cfr --iterations 3 --log cfr.jsonl --checkpoint cfr.state",
    "play kuhn kuhn.json --seat 1",
    "batch kuhn.efg entry_deterrence -o folder --jobs 1",
]
for task in TASKS:
    end = run(*task.split(), stdin="")
    print(end.exit_code, task, end.output[-300:] if end.exit_code else "")
sys.argv = ["tremble", "solve", "kuhn", "--time-limit", "30"]
import tremble.__main__
tremble.__main__.run()
"""


def test_the_commands_need_nothing_that_only_posix_has(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])])
    program = [sys.executable, "-c", _WITHOUT_POSIX]
    end = subprocess.run(
        program, cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, encoding="utf-8"
    )
    said = end.stdout.splitlines()
    codes = dict(reversed(line.split(" ", 1)) for line in said if re.match(r"\d+ \w", line))
    assert end.returncode == 0, end.stdout + end.stderr
    assert set(codes.values()) == {"0"}, end.stdout
    assert len(codes) == 12
    assert "value    -1/18" in end.stdout
    assert {"kuhn.json", "kuhn.svg", "cfr.state", "folder"} <= set(os.listdir(tmp_path))
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_the_system_is_asked_what_it_has_not_what_it_is_called() -> None:
    for file in sorted((ROOT / "src").rglob("*.py")):
        found = re.search(r"sys\.platform|os\.name\b|platform\.system", file.read_text("utf-8"))
        assert found is None, f"{file}: {found and found[0]}"


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_file, "_locks", lambda: None)


@pytest.mark.usefixtures("no_locks")
def test_a_file_that_somebody_reads_is_replaced_a_moment_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, refused, replace = tmp_path / "game.efg", [], os.replace

    def refuse_once(*paths: Path) -> None:
        if not refused:
            refused.append(paths)
            raise PermissionError(13, "Access is denied")
        replace(*paths)

    monkeypatch.setattr(os, "replace", refuse_once)
    file.write_bytes(b"old")
    write_whole((file, lambda stream: stream.write(b"new")))
    assert refused
    assert file.read_bytes() == b"new"


@pytest.mark.usefixtures("no_locks")
def test_a_file_that_stays_open_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_paths: Path) -> None:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(whole_file, "_READ_SECONDS", 0.05)
    file = tmp_path / "game.efg"
    file.write_bytes(b"old")
    with pytest.raises(FormatError, match="cannot be written: Access is denied"):
        write_whole((file, lambda stream: stream.write(b"new")))
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["game.efg"]


@pytest.mark.usefixtures("no_locks")
def test_leftovers_are_told_by_their_age_where_there_are_no_locks(tmp_path: Path) -> None:
    old, new = (tmp_path / f".x.{digit * 16}.tmp" for digit in "ab")
    old.touch()
    new.touch()
    os.utime(old, (time.time() - 2 * 86_400,) * 2)
    write_whole((tmp_path / "x", lambda stream: stream.write(b"x")))
    assert sorted(os.listdir(tmp_path)) == [new.name, "x"]


@pytest.mark.parametrize("read", [read_text, open_regular])
def test_a_folder_is_no_file_even_where_its_permission_is_denied(
    read: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deny(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", deny)
    with pytest.raises(FormatError, match="this is a directory, not a file"):
        read(tmp_path)  # type: ignore[operator]


def test_a_reader_that_has_gone_is_invalid_as_an_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def flush(self) -> None:
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(sys, "stdout", Gone())
    assert failures.abandon_output(OSError(errno.EINVAL, "Invalid argument")) == failures._READER_GONE


def test_no_solution_is_named_like_a_device_or_like_another_one_but_for_capitals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    games = {"nul.efg": "kuhn", "Entry.efg": "entry_deterrence", "entry.efg": "guess_the_ace"}
    for name, game in games.items():
        assert run("convert", game, name).exit_code == 0
    assert run("batch", *games, "-o", "folder", "--jobs", "1").exit_code == 0
    written = [name.lower() for name in os.listdir("folder") if name.endswith(".json")]
    assert len(set(written)) == 3
    assert "nul.json" not in written
