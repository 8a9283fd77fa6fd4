"""What a shell completes after TAB."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from tremble.cli import COMMANDS, main
from tremble.games.parameters import names
from tremble.solution.concepts import CONCEPTS
from tremble.solvers.table import METHODS, solvable


def completed(*words: str) -> list[str]:
    """What the last word may become; ``<file>`` where the shell is to look for files."""
    items = ShellComplete(main, {}, "tremble", "_TREMBLE_COMPLETE").get_completions(list(words[:-1]), words[-1])
    return ["<file>" if item.type == "file" else item.value for item in items]


def test_commands() -> None:
    assert completed("") == list(COMMANDS)
    assert completed("so") == ["solve"]
    assert "--version" in completed("--v")
    for name in COMMANDS:
        assert "--format" in completed(name, "--")


@pytest.mark.parametrize(
    "command", ["info", "solve", "verify", "respond", "certify", "audit", "draw", "play", "forget"]
)
def test_games(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed(command, "") == [*names(), "openspiel:"]
    assert completed(command, "led") == ["leduc", "leduc:"]
    assert completed(command, "matching") == ["matching_pennies"]
    assert completed(command, "leduc:") == ["leduc:ranks=", "leduc:raises="]
    assert completed(command, "leduc:ranks=5,") == ["leduc:ranks=5,raises="]
    assert completed(command, "leduc:ranks=") == []
    assert completed(command, "leduc:x") == []
    assert completed(command, "phantom_ttt:order=4,0,8,6,2,1,3,7,5,win_") == [
        "phantom_ttt:order=4,0,8,6,2,1,3,7,5,win_first="
    ]
    assert completed(command, "border_patrol:slow=") == ["border_patrol:slow=true", "border_patrol:slow=false"]
    assert completed(command, "goofspiel:order=") != []


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("my.efg", "my.txt", "two words.efg", "kuhn.nfg"):
        (tmp_path / name).touch()
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "one.json").touch()
    assert completed("solve", "m")[-1:] == ["my.efg"]
    assert completed("solve", "kuhn") == ["kuhn", "kuhn_raise", "kuhn.nfg"]
    assert completed("solve", "games/") == ["games/one.json"]
    assert completed("solve", "two") == ["<file>"]
    for words in (("verify", "kuhn"), ("compare", "kuhn", "a.json"), ("solve", "kuhn", "-o"), ("draw", "kuhn")):
        assert completed(*words, "a") == ["<file>"], words
    for option in ("--log", "--trembles", "--checkpoint"):
        assert completed("solve", "kuhn", option, "") == ["<file>"]


def test_words() -> None:
    assert completed("solve", "kuhn", "--concept", "") == list(solvable())
    assert completed("solve", "kuhn", "--concept", "Q") == ["quasi-perfect"]
    assert completed("solve", "kuhn", "--method", "") == ["auto", *METHODS]
    assert completed("solve", "kuhn", "--format", "c") == ["csv"]
    assert set(completed("certify", "kuhn", "a.json", "--concept", "")) <= {*CONCEPTS, "subgame-perfect"}


# -- in the shells themselves ----------------------------------------------------------------------


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, Any]:
    """How to run a shell that finds the command."""
    command = tmp_path / "bin" / "tremble"
    command.parent.mkdir()
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'tremble'\nimport tremble.__main__ as m\nm.run()\n"
    )
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return {"cwd": tmp_path, "env": {**os.environ, "PATH": path}, "text": True, "stdout": subprocess.PIPE}


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash(shell: dict[str, Any]) -> None:
    asked = {
        "so": "solve",
        "info leduc:": "ranks= raises=",  # what stands before the colon is another word to bash
        "info leduc:ranks=5,rai": "5,raises=",
        "info border_patrol:slow=t": "true",
        "solve leduc:ranks=5 --concept=q": "quasi-perfect",
        "draw kuhn a": "",  # bash itself completes files then
    }
    pieces = [[piece for piece in re.split(r"([:=])| ", line) if piece] for line in asked]  # as bash splits a line
    ask = "; ".join(f"COMP_WORDS=(tremble {' '.join(split)}); COMP_CWORD={len(split)}; complete_it" for split in pieces)
    script = (
        'eval "$(_TREMBLE_COMPLETE=bash_source tremble)"; compopt() { :; }; '
        'complete_it() { COMPREPLY=(); _tremble_completion tremble; echo "${COMPREPLY[*]}" | paste -s -d " "; }; ' + ask
    )
    done = subprocess.run(["bash", "--norc", "-c", script], **shell, check=True)
    assert done.stdout.split("\n") == [*asked.values(), ""]
