"""What stands in files and on the command line cannot tamper with a terminal, and machines read it unchanged."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tremble import TreeBuilder
from tremble.formats.game_json import write_json
from tremble.words import printable, printable_json, printable_lines

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


ONE_BY_ONE = """
import json, sys, tremble.__main__ as command
class Ended(Exception): pass
def ended(_): raise Ended
command._end_process = ended
print(end="", flush=True)
for words in json.load(open(sys.argv[1], encoding="utf-8")):
    sys.argv = ["tremble", *words]
    try: command.run()
    except Ended: pass
    print("\\n--", flush=True)
"""


def on_a_terminal(script: Path, *commands: Sequence[str]) -> list[str]:
    """All that each command writes, to standard output and error, if both are a terminal; one process runs them all."""
    pty = pytest.importorskip("pty")
    script.write_text(json.dumps(commands), encoding="utf-8")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        [sys.executable, "-c", ONE_BY_ONE, str(script)], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
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
    assert process.returncode == 0, seen
    *said, rest = seen.decode("utf-8").replace("\r\n", "\n").split("\n--\n")
    assert (len(said), rest) == (len(commands), "")
    return said


def test_no_command_lets_them_reach_a_terminal(game: Path, tmp_path: Path) -> None:
    here, solution = str(game), str(tmp_path / f"s{EVIL}.json")
    wrong = tmp_path / "wrong.json"
    shown = on_a_terminal(
        tmp_path / "commands",
        ["info", here],
        ["info", here, "--format", "json"],
        ["solve", here, "-o", solution],
        *(["solve", here, "--format", form] for form in ("json", "csv")),
        ["verify", here, solution],
        ["verify", "kuhn", solution],
        ["respond", here, solution, "--format", "csv"],
        ["convert", here, str(tmp_path / f"o{EVIL}.json"), "-q"],
        ["draw", here, "-o", str(tmp_path / f"o{EVIL}.svg"), "-q"],
        ["info", here + "x", "--debug"],
    )
    wrong.write_text(Path(solution).read_text("utf-8").replace('"concept": "nash"', f'"concept": {json.dumps(EVIL)}'))
    refused = ["verify", here, str(wrong)], ["info", EVIL], [f"--{EVIL}"], ["info", "kuhn", EVIL], [f"x{EVIL}"]
    shown += on_a_terminal(tmp_path / "commands", *refused)
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
