"""What stands in files and on the command line cannot tamper with a terminal, and machines read it unchanged."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tremble import TreeBuilder
from tremble.io.game_json import write_json
from tremble.model.printable import printable, printable_json, printable_lines

EVIL = "\x1b[31mred\x07\x9b2J\u202egnp\x7f\r\u2028\b"
UNHEARD = set(EVIL) - set("[31mred2Jgnp")


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """Matching pennies with names that no terminal should see, in a file of such a name."""
    builder = TreeBuilder(title=f"T{EVIL}", players=(f"P{EVIL}", "Q"))
    builder.decision(0, f"s{EVIL}", (f"x{EVIL}", "y"))
    for i in range(2):
        builder.decision(1, f"t{EVIL}", (f"u{EVIL}", "v"))
        for j in range(2):
            builder.leaf((-1) ** (i + j), -((-1) ** (i + j)))
    path = tmp_path / f"g{EVIL}.json"
    write_json(builder.finish(), path)
    return path


def on_a_terminal(*args: str) -> str:
    """All that a command writes, to standard output and error, if both are a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        [sys.executable, "-m", "tremble", *args], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                chunk = os.read(ours, 1 << 16)
            except OSError:  # the terminal is closed
                break
            if not chunk:
                break
            seen += chunk
    os.close(ours)
    assert process.returncode is not None
    return seen.decode("utf-8").replace("\r\n", "\n")


def test_no_command_lets_them_reach_a_terminal(game: Path, tmp_path: Path) -> None:
    here, solution = str(game), str(tmp_path / f"s{EVIL}.json")
    wrong = tmp_path / "wrong.json"
    shown = [
        on_a_terminal("info", here),
        on_a_terminal("info", here, "--format", "json"),
        on_a_terminal("solve", here, "-o", solution),
        *(on_a_terminal("solve", here, "--format", form) for form in ("json", "csv")),
        on_a_terminal("verify", here, solution),
        on_a_terminal("verify", "kuhn", solution),
        on_a_terminal("respond", here, solution, "--format", "csv"),
        on_a_terminal("convert", here, str(tmp_path / f"o{EVIL}.json"), "-q"),
        on_a_terminal("draw", here, "-o", str(tmp_path / f"o{EVIL}.svg"), "-q"),
        on_a_terminal("info", here + "x", "--debug"),
    ]
    wrong.write_text(Path(solution).read_text("utf-8").replace('"concept": "nash"', f'"concept": {json.dumps(EVIL)}'))
    shown += [
        on_a_terminal("verify", here, str(wrong)),
        *(on_a_terminal(*args) for args in (["info", EVIL], [f"--{EVIL}"], ["info", "kuhn", EVIL], [f"x{EVIL}"])),
    ]
    for text in shown:
        unwrapped = text.replace("\n", "")  # a long path is broken anywhere
        assert "\\x1b[31mred" in unwrapped or "\\u001b[31mred" in unwrapped
        assert not UNHEARD & set(text), text


def test_labels_in_json_are_those_of_the_game_and_in_csv_printable(game: Path) -> None:
    def run(form: str) -> str:
        command = [sys.executable, "-m", "tremble", "solve", str(game), "--format", form, "--quiet"]
        return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8")

    by_json = json.loads(run("json"))
    labels = [(row["label"], action) for side in by_json["strategies"] for row in side for action, _ in row["actions"]]
    assert labels[0] == (f"s{EVIL}", f"x{EVIL}")
    rows = csv.DictReader(io.StringIO(run("csv"), newline=""))
    assert [(row["label"], row["action"]) for row in rows] == [tuple(map(printable_lines, pair)) for pair in labels]


def test_escapes() -> None:
    text = f"é 東\u3000\n{EVIL}"
    assert printable(text) == "é 東\u3000\\n\\x1b[31mred\\x07\\x9b2J\\u202egnp\\x7f\\r\\u2028\\x08"
    assert printable_lines(text) == printable(text).replace("\\n", "\n", 1)
    quoted = json.dumps(text + "\U000e0001", ensure_ascii=False)
    assert json.loads(printable_json(quoted)) == text + "\U000e0001"
    assert not (UNHEARD | {"\U000e0001"}) & set(printable_json(quoted))
