"""The options ``--export`` and ``--formal`` of verify, with a stand-in for the program, and ``convert`` to the text."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

import tremble
from command import run
from processes import alive, tremble_process, wait_for
from tremble.errors import FormatError
from tremble.judge.formal import VARIABLE, built_program
from tremble.judge.formal_text import format_claim_text, format_game_text
from tremble.results import StatedSolution

needs_sh = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the solution kuhn.json, and without a verified program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nothing"))
    tremble.solve(tremble.load("kuhn"), "quasi-perfect").to_json("kuhn.json")
    return tmp_path


def spoil(name: str) -> None:
    """Write a solution with wrong expected payoffs."""
    text = Path("kuhn.json").read_text("utf-8")
    assert text.count('"-1/18"') > 1
    Path(name).write_text(text.replace('"-1/18"', '"-1/17"'), "utf-8")


def stand_in(monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """Install a shell script as the verified program. It stores its input in the file ``asked``."""
    path = Path("checker").resolve()
    path.write_text(f"#!/bin/sh\ncat > {shlex.quote(str(path.parent / 'asked'))}\n{script}\n", "utf-8")
    path.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(path))
    return path


# -- the text ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_export() -> None:
    plain = run("verify", "kuhn", "kuhn.json")
    result = run("verify", "kuhn", "kuhn.json", "--export", "kuhn.txt")
    assert (result.exit_code, result.stdout, result.stderr) == (0, plain.stdout, plain.stderr)
    text = Path("kuhn.txt").read_text("utf-8")
    assert text == format_claim_text(tremble.load("kuhn"), StatedSolution.from_json("kuhn.json"))
    assert run("verify", "kuhn", "kuhn.json", "--export", "kuhn.txt", "--claim", "nash").exit_code == 0
    assert Path("kuhn.txt").read_text("utf-8").startswith("claim nash\n")


@pytest.mark.usefixtures("folder")
def test_the_text_of_the_game_is_a_part_of_the_export() -> None:
    result = run("convert", "kuhn", "kuhn.game.txt")
    assert result.stdout == f"kuhn.game.txt: 55 nodes, {tremble.load('kuhn').digest}\n"
    game = Path("kuhn.game.txt").read_text("utf-8")
    assert game == format_game_text(tremble.load("kuhn"))
    assert run("verify", "kuhn", "kuhn.json", "--export", "kuhn.txt").exit_code == 0
    lines = Path("kuhn.txt").read_text("utf-8").splitlines(keepends=True)
    assert "".join(lines[2:57]) == game
    assert not any(line.startswith(("chance", "move", "leaf")) for line in lines[57:])


@pytest.mark.usefixtures("folder")
def test_convert_lists_the_endings() -> None:
    result = run("convert", "kuhn", "kuhn.txt")
    assert result.exit_code == 2
    assert "it needs .efg, .nfg, .json, .tex or .game.txt" in result.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "name", "older"),
    [
        (["verify", "kuhn", "kuhn.json", "--export"], "k.txt", "claim sequential\n"),
        (["convert", "kuhn"], "k.game.txt", "chance 1/2 1/2\n"),
    ],
)
def test_only_files_of_the_same_kind_are_overwritten(words: list[str], name: str, older: str) -> None:
    Path(name).write_text("my notes\n", "utf-8")
    refused = run(*words, name)
    assert (refused.exit_code, Path(name).read_text("utf-8")) == (3, "my notes\n")
    assert "--force overwrites it" in refused.stderr
    assert run(*words, name, "--force").exit_code == 0
    written = Path(name).read_text("utf-8")
    Path(name).write_text(older, "utf-8")
    assert run(*words, name).exit_code == 0
    assert Path(name).read_text("utf-8") == written != older


@pytest.mark.usefixtures("folder")
def test_the_solution_is_not_overwritten() -> None:
    before = Path("kuhn.json").read_bytes()
    result = run("verify", "kuhn", "kuhn.json", "--export", "kuhn.json", "--force")
    assert (result.exit_code, Path("kuhn.json").read_bytes()) == (2, before)


def test_a_full_disk_changes_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict is printed, and the text is in the folder for temporary files."""
    Path("kuhn.txt").write_text("claim nash\n", "utf-8")
    write = tremble.run.whole_file.write_text

    def full(path: Path, text: str) -> None:
        if Path(path).parent in (folder, Path()):
            raise FormatError("the file cannot be written: No space left on device", file=str(path))
        write(path, text)

    monkeypatch.setattr("tremble.cli.claim_text.write_text", full)
    result = run("verify", "kuhn", "kuhn.json", "--export", "kuhn.txt")
    assert result.exit_code == 3
    assert result.stdout.startswith("OK  a quasi-perfect equilibrium of Kuhn poker")
    assert Path("kuhn.txt").read_text("utf-8") == "claim nash\n"
    refuge = Path(result.stderr.split("the text is in ")[1].split(" instead")[0])
    assert refuge.read_text("utf-8").startswith("claim quasi-perfect\n")
    refuge.unlink()


@pytest.mark.usefixtures("folder")
def test_a_refused_solution_is_exported_too() -> None:
    spoil("wrong.json")
    result = run("verify", "kuhn", "wrong.json", "--export", "wrong.txt")
    assert result.exit_code == 1
    assert result.stdout.startswith("FAILED")
    assert Path("wrong.txt").read_text("utf-8").splitlines()[1].startswith("values -1/17 ")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["kuhn", "--concept", "proper"], "the concept 'proper' has no text form"),
        (["kuhn", "--concept", "maxmin"], "the concept 'maxmin' has no text form"),
        (["matching_pennies", "--all"], "this solution is a list"),
        (
            ["entry_deterrence", "--concept", "perfect"],
            "the certificate of this solution for 'perfect' is of kind 'basis'",
        ),
    ],
)
def test_solutions_without_a_text(words: list[str], reason: str) -> None:
    """The verdict of the kernel is printed all the same."""
    assert run("solve", *words, "-o", "other.json").exit_code == 0
    result = run("verify", words[0], "other.json", "--export", "other.txt")
    assert result.exit_code == 1
    assert result.stdout.startswith("OK  ")
    assert result.stderr.startswith(f"error: {reason}")
    assert "supports single certified solutions of game trees, for the concepts nash, " in result.stderr
    assert not Path("other.txt").exists()


@pytest.mark.usefixtures("folder")
def test_wrong_claims() -> None:
    alone = run("verify", "kuhn", "kuhn.json", "--claim", "nash")
    assert alone.exit_code == 2
    assert "--claim needs --export or --formal" in alone.stderr
    unknown = run("verify", "kuhn", "kuhn.json", "--export", "kuhn.txt", "--claim", "proper")
    assert unknown.exit_code == 2
    assert "a text cannot claim 'proper'" in unknown.stderr


# -- the program -------------------------------------------------------------------------------------------------------


@needs_sh
@pytest.mark.usefixtures("folder")
def test_the_program_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    path = stand_in(monkeypatch, 'echo "-: proven quasi-perfect"')
    result = run("verify", "kuhn", "kuhn.json", "--formal", "--export", "kuhn.txt")
    assert result.exit_code == 0, result.stderr
    kernel, _, other = result.stdout.partition("OK  the verified program says: proven quasi-perfect\n")
    assert kernel.startswith("OK  a quasi-perfect equilibrium of Kuhn poker, proven from the game alone\n")
    assert f"This line is the word of {path}, which is proven in Coq if `make -C formal` built it" in other
    assert Path("asked").read_bytes() == Path("kuhn.txt").read_bytes()
    record = json.loads(run("verify", "kuhn", "kuhn.json", "--formal", "--format", "json").stdout)
    verdict = {"program": str(path), "claim": "quasi-perfect", "proven": True, "verdict": "proven quasi-perfect"}
    assert record == {**json.loads(run("verify", "kuhn", "kuhn.json", "--format", "json").stdout), "formal": verdict}


@needs_sh
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("verdict", ["not proven", "unreadable", "unreadable (No such file or directory)"])
def test_the_program_refuses(monkeypatch: pytest.MonkeyPatch, verdict: str) -> None:
    stand_in(monkeypatch, f'echo "-: {verdict}"; exit 1')
    result = run("verify", "kuhn", "kuhn.json", "--formal")
    assert result.exit_code == 1
    assert result.stdout.startswith("OK  a quasi-perfect equilibrium")
    assert f"\nFAILED  the verified program says: {verdict}\n" in result.stdout
    record = json.loads(run("verify", "kuhn", "kuhn.json", "--formal", "--format", "json").stdout)
    assert (record["ok"], record["formal"]["proven"], record["formal"]["verdict"]) == (True, False, verdict)


@needs_sh
@pytest.mark.usefixtures("folder")
def test_only_the_kernel_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, 'echo "-: proven quasi-perfect"')
    spoil("wrong.json")
    result = run("verify", "kuhn", "wrong.json", "--formal")
    assert result.exit_code == 1
    assert result.stdout.startswith("FAILED")
    assert "\nOK  the verified program says: proven quasi-perfect\n" in result.stdout


@needs_sh
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('echo "-: proven nash"', "with exit code 0: -: proven nash"),
        ('echo "-: proven quasi-perfect"; exit 1', "with exit code 1: -: proven quasi-perfect"),
        ('echo "-: not proven"', "with exit code 0: -: not proven"),
        ('echo "Fatal error: exception Stack_overflow" >&2; exit 2', "with exit code 2: Fatal error: exception Stack"),
        ("true", "with exit code 0: "),
        ("kill -9 $$", "with exit code -9: "),
    ],
)
def test_the_program_fails(monkeypatch: pytest.MonkeyPatch, script: str, words: str) -> None:
    """A program that says anything else than a verdict on this claim proves nothing."""
    path = stand_in(monkeypatch, script)
    result = run("verify", "kuhn", "kuhn.json", "--formal")
    assert result.exit_code == 1
    assert result.stdout.startswith("OK  a quasi-perfect equilibrium")
    assert "verified program" not in result.stdout
    assert result.stderr.startswith(f"error: the verified program {path} failed {words}")
    record = json.loads(run("verify", "kuhn", "kuhn.json", "--formal", "--format", "json").stdout)
    assert record["formal"] is None


@needs_sh
@pytest.mark.usefixtures("folder")
def test_a_solution_that_the_program_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, 'echo "-: proven proper"')
    assert run("solve", "kuhn", "--concept", "proper", "-o", "proper.json").exit_code == 0
    result = run("verify", "kuhn", "proper.json", "--formal")
    assert result.exit_code == 1
    assert result.stdout.startswith("OK  a proper equilibrium")
    assert result.stderr.startswith("error: the concept 'proper' has no text form")
    assert not Path("asked").exists()


@needs_sh
@pytest.mark.usefixtures("folder")
def test_a_file_that_is_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("checker").write_text("not a program\n", "utf-8")
    monkeypatch.setenv(VARIABLE, "checker")
    result = run("verify", "kuhn", "kuhn.json", "--formal")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "TREMBLE_FORMAL_CHECKER names 'checker', which is not a program" in result.stderr
    Path("checker").chmod(0o755)
    result = run("verify", "kuhn", "kuhn.json", "--formal")
    assert result.exit_code == 1
    assert "cannot be started: Exec format error" in result.stderr


@needs_sh
def test_the_program_of_a_clone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(tremble, "__file__", str(folder / "src" / "tremble" / "__init__.py"))
    result = run("verify", "kuhn", "kuhn.json", "--formal")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "error: the verified program is not built; in a clone of tremble, build formal/checker"
    )
    assert "`make -C formal`" in result.stderr
    (folder / "formal").mkdir()
    stand_in(monkeypatch, 'echo "-: proven quasi-perfect"').rename(folder / "formal" / "checker")
    monkeypatch.delenv(VARIABLE)
    assert built_program() == str(folder / "formal" / "checker")
    assert run("verify", "kuhn", "kuhn.json", "--formal").exit_code == 0


# -- stopping ----------------------------------------------------------------------------------------------------------

ENDLESS = "echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 600"


@needs_sh
@pytest.mark.usefixtures("folder")
def test_a_time_limit_kills_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, ENDLESS)
    start = time.monotonic()
    result = run("verify", "kuhn", "kuhn.json", "--formal", "--export", "k.txt", "--time-limit", "2")
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr == "stopped by the time limit; nothing is proven\n"
    assert time.monotonic() - start < 30
    assert not alive(int(Path("pid").read_text()))
    assert not Path("k.txt").exists()


@needs_sh
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_kills_the_program(monkeypatch: pytest.MonkeyPatch, stop: signal.Signals) -> None:
    stand_in(monkeypatch, ENDLESS)
    process = tremble_process("verify", "kuhn", "kuhn.json", "--formal")
    wait_for(Path("pid").exists)
    process.send_signal(stop)
    said, _ = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "")
    assert not alive(int(Path("pid").read_text()))
