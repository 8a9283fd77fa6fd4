"""No false word and no lost work: what files and answers say is proven, and outputs never cost what was there."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ordered_solutions
import tremble
from command import run
from tremble import LimitReached, NotProvenError
from tremble.cli import command
from tremble.results import StatedSolution
from tremble.solution import certificates
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.solvers.lp import Lp
from tremble.status import Status

REFINEMENTS = ("quasi-perfect", "sequential", "perfect")


def stated(concept: str, status: Status, requested: str | None = None) -> StatedSolution:
    """The equilibrium of "Guess the ace" that says yes, with a status and a concept of one's choice."""
    ace = tremble.load("guess_the_ace")
    stop, yes = (tremble.BehaviorStrategy.from_rows(ace, player, [[1, 0]]).marked() for player in (0, 1))
    zero = (F(0), F(0))
    return StatedSolution(
        game=GameReference.of(ace), concept=concept, requested=requested or concept,
        method=MethodReference("by hand", {}),
        status=status, values=zero, bounds=zero, strategies=(stop, yes),
        certificate=certificates.best_response(zero, zero), stats={},
    )  # fmt: skip


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("concept", REFINEMENTS)
@pytest.mark.parametrize("status", [Status.BOUNDED, Status.LIMIT_REACHED])
def test_what_is_not_certified_proves_no_refinement(concept: str, status: Status, tmp_path: Path) -> None:
    path = tmp_path / "yes.json"
    stated(concept, status).to_json(path)
    result = run("verify", "guess_the_ace", path, "--format", "json")
    record = json.loads(result.stdout)
    assert (result.exit_code, record["ok"], record["proven"], record["status"]) == (1, False, None, str(status))
    assert any(problem.startswith(f"concept: '{concept}' is not proven") for problem in record["problems"])


def test_what_bounds_prove() -> None:
    """The dominated "yes" is a Nash equilibrium, and its bounds hold: that is said, and no more."""
    ace = tremble.load("guess_the_ace")
    bounds = tremble.verify(ace, stated("nash", Status.BOUNDED, requested="quasi-perfect"))
    assert (bounds.ok, bounds.status, bounds.proven) == (True, Status.BOUNDED, "bounds")
    nash = tremble.verify(ace, stated("nash", Status.CERTIFIED, requested="quasi-perfect"))
    assert (nash.ok, nash.status, nash.proven) == (True, Status.CERTIFIED, "nash")
    refined = tremble.verify(ace, stated("quasi-perfect", Status.CERTIFIED))
    assert (refined.ok, refined.proven) == (False, None)


@pytest.mark.parametrize("concept", REFINEMENTS)
def test_a_proven_refinement_says_so(concept: str) -> None:
    kuhn = tremble.load("kuhn")
    verification = tremble.verify(kuhn, tremble.solve(kuhn, concept))
    assert (verification.ok, verification.status, verification.proven) == (True, Status.CERTIFIED, concept)


@pytest.mark.parametrize("concept", ["nash", *REFINEMENTS])
def test_less_than_was_asked_for_is_an_exception(concept: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A method that errs: Python raises and hands out what is proven, the command writes it and exits 1."""
    right = Lp.run
    ace = tremble.load("guess_the_ace")

    def err(*given: Any) -> Any:
        wrong = stated(concept, Status.CERTIFIED).strategies if concept != "nash" else uniform
        return replace(right(*given), strategies=wrong)

    uniform = tuple(tremble.BehaviorStrategy.uniform(ace, player) for player in (0, 1))
    monkeypatch.setattr(Lp, "run", err)
    with pytest.raises(NotProvenError) as caught:
        tremble.solve(ace, concept)
    best = caught.value.best
    assert (best.concept, best.requested) == ("nash", concept)
    assert best.status is (Status.BOUNDED if concept == "nash" else Status.CERTIFIED)
    assert tremble.verify(ace, best).ok
    path = tmp_path / "best.json"
    result = run("solve", "guess_the_ace", "--concept", concept, "-o", path)
    assert result.exit_code == 1
    assert json.loads(path.read_text())["concept"] == "nash"
    assert "requested: " in result.stdout
    assert "found no proven solution" in result.stderr


@pytest.mark.parametrize("concept", REFINEMENTS)
def test_a_stopped_refinement_names_what_it_holds(concept: str) -> None:
    """At every step: the file names Nash, its status says whether even that is proven, and verify agrees."""
    tree = tremble.load("leduc:ranks=2,raises=1")
    steps: list[str] = []
    tremble.solve(tree, concept, progress=lambda step, _fraction: steps.append(step))
    held = set()
    for at in dict.fromkeys(steps):

        def stop(step: str, _fraction: float | None, at: str = at) -> None:
            if step == at:
                raise KeyboardInterrupt

        with pytest.raises(LimitReached) as caught:
            tremble.solve(tree, concept, progress=stop)
        best = caught.value.best
        assert best is not None
        assert (best.concept, best.requested) == ("nash", concept)
        verification = tremble.verify(tree, best)
        assert verification.ok
        assert verification.proven == ("nash" if best.status is Status.CERTIFIED else "bounds")
        held.add(verification.proven)
    assert held == {"nash", "bounds"}


def test_a_refinement_without_memory_is_a_limit() -> None:
    """Memory runs out after Nash is proven: that is a limit, and Nash is handed out."""
    tree = tremble.load("leduc:ranks=2,raises=1")
    steps: list[str] = []
    tremble.solve(tree, "perfect", progress=lambda step, _fraction: steps.append(step))
    late = steps[-2]

    def full(step: str, _fraction: float | None) -> None:
        if step == late:
            raise MemoryError

    with pytest.raises(LimitReached, match="stopped because there was not enough memory") as caught:
        tremble.solve(tree, "perfect", progress=full)
    best = caught.value.best
    assert best is not None
    assert (best.concept, best.requested, best.status) == ("nash", "perfect", Status.CERTIFIED)
    assert tremble.verify(tree, best).ok

    def at_once(step: str, _fraction: float | None) -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        tremble.solve(tree, "perfect", progress=at_once)


# -- work ------------------------------------------------------------------------------------------

KUHN_EFG = "kuhn.efg"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run("convert", "kuhn", KUHN_EFG).exit_code == 0
    assert run("solve", "kuhn", "-o", "sol.json", "-q").exit_code == 0
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", KUHN_EFG, "-o", KUHN_EFG],
        ["solve", KUHN_EFG, "-o", f"./{KUHN_EFG}"],
        ["solve", KUHN_EFG, "-o", "hard.json"],
        ["solve", KUHN_EFG, "-o", "soft.json"],
        ["solve", KUHN_EFG, "--log", KUHN_EFG],
        ["solve", KUHN_EFG, "--log", KUHN_EFG, "--force"],
        ["solve", KUHN_EFG, "--method", "double-oracle", "--checkpoint", KUHN_EFG],
        ["solve", "kuhn", "--method", "double-oracle", "--checkpoint", "f", "-o", "f"],
        ["solve", "kuhn", "--log", "f", "-o", "./f"],
        ["solve", "kuhn", "--concept", "perfect", "--trembles", "t.json", "-o", "t.json"],
        ["convert", KUHN_EFG, KUHN_EFG],
        ["convert", KUHN_EFG, "hard.json", "--force"],
        ["draw", "kuhn", "k.svg", "-o", "k.svg"],
        ["compare", "kuhn", "sol.json", "k.svg", "-o", "k.svg"],
    ],
)
def test_no_output_is_an_input_or_another_output(arguments: list[str], folder: Path) -> None:
    os.link(KUHN_EFG, "hard.json")
    os.symlink(KUHN_EFG, "soft.json")
    for name in ("t.json", "k.svg"):
        Path(name).write_text("{}")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert "are the same file" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("option", ["-o", "--log"])
def test_files_of_another_kind_are_spared(option: str, folder: Path) -> None:
    quoting = b'How to: {"schema": "tremble/solution@1"} and {"elapsed_seconds_float": 1}'
    game = Path(KUHN_EFG).read_bytes()
    for name, content in (("thesis.txt", b"chapter 1"), ("game.efg", game), ("x", b"\xff\0"), ("notes.md", quoting)):
        path = folder / name
        path.write_bytes(content)
        result = run("solve", "kuhn", option, path)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "--force overwrites it" in result.stderr
        assert path.read_bytes() == content
        assert run("solve", "kuhn", option, path, "--force").exit_code == 0
        assert path.read_bytes() != content
        assert run("solve", "kuhn", option, path).exit_code == 0  # what tremble wrote, it may replace
    empty = folder / "empty"
    empty.touch()
    assert run("solve", "kuhn", option, empty).exit_code == 0


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (["convert", "kuhn"], "k.efg"),
        (["convert", "kuhn"], "k.json"),
        (["convert", "matching_pennies"], "k.nfg"),
        (["draw", "kuhn", "-o"], "k.svg"),
        (["draw", "kuhn", "-o"], "k.html"),
        (["compare", "kuhn", "sol.json", "sol.json", "-o"], "k.svg"),
    ],
)
def test_games_and_pictures_spare_files_of_another_kind(command: list[str], file: str, folder: Path) -> None:
    for content in ("chapter 1", 'Notes: <svg>, <html>, EFG, NFG, {"schema": "tremble/game@1"}'):
        Path(file).write_text(content)
        result = run(*command, file)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "--force overwrites it" in result.stderr
        assert Path(file).read_text() == content
    assert run(*command, file, "--force").exit_code == 0
    assert run(*command, file).exit_code == 0


def test_one_device_takes_all(folder: Path) -> None:
    result = run("solve", "kuhn", "-o", os.devnull, "--log", os.devnull)
    assert result.exit_code == 0, result.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_log_on_a_full_disk_costs_only_the_log(folder: Path) -> None:
    result = run("solve", "kuhn", "--log", "/dev/full", "-o", "sol.json")
    assert result.exit_code == 0
    assert "-1/18" in result.stdout
    assert result.stderr.count("the log cannot be written") == 1
    assert json.loads(Path("sol.json").read_text())["status"] == "certified"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_solution_on_a_full_disk_is_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder for temporary files; where these cannot be written either, on standard output, whole."""
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(folder))
    result = run("solve", "leduc", "-o", "/dev/full")
    assert result.exit_code == 3
    assert "No space left on device" in result.stderr
    (refuge,) = folder.glob("tremble-*.json")
    assert f"the solution is in {refuge} instead" in result.stderr
    assert tremble.verify(tremble.load("leduc"), tremble.Solution.from_json(refuge)).ok
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(folder / "no" / "such"))
    result = run("solve", "leduc", "-o", "/dev/full")
    assert result.exit_code == 3
    assert tremble.verify(tremble.load("leduc"), tremble.Solution.from_text(result.stdout)).ok


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_lost_solution_gives_no_advice_that_failed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a file, the arrays of an ordered game are lost. To advise `-o FILE` again would be no help."""
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(folder / "no" / "such"))
    monkeypatch.setattr("tremble.solvers.runner.solve_recording", lambda *_, **__: ordered_solutions.solution_of())
    words = ("solve", ordered_solutions.SPEC, "--max-nodes", "100", "--format", "json")
    result = run(*words, "-o", "/dev/full")
    assert result.exit_code == 3
    assert "the strategies of an ordered game are too large to print\n" in result.stderr
    assert "it cannot be written to the folder for temporary files either" in result.stderr
    result = run(*words)
    assert result.exit_code == 0
    assert "too large to print; use -o FILE" in result.stderr


def test_a_name_that_no_file_can_have_is_refused_before_the_work(folder: Path) -> None:
    result = run("solve", "kuhn", "-o", "a" * 254 + ".json")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "File name too long" in result.stderr
    result = run("solve", "kuhn", "-o", "-")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--format" in result.stderr
    result = run("info", "a\nb.efg")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", [["solve", "-", "-o", KUHN_EFG, "--force"], ["convert", "-", KUHN_EFG]])
def test_what_standard_input_comes_from_is_no_output(command: list[str], folder: Path) -> None:
    before = Path(KUHN_EFG).read_bytes()
    with open(KUHN_EFG, "rb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "tremble", *command], stdin=stream, capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    assert "are the same file" in done.stderr
    assert Path(KUHN_EFG).read_bytes() == before


def test_a_log_in_no_folder_costs_only_the_log(folder: Path) -> None:
    result = run("solve", "kuhn", "--log", "no/such/folder/log")
    assert result.exit_code == 0
    assert "-1/18" in result.stdout
    assert result.stderr.count("warning: no/such/folder/log: the log cannot be written") == 1


def test_a_disk_that_fills_up_costs_only_the_log(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = 0

    def fill(*arguments: Any, **options: Any) -> str:
        nonlocal lines
        lines += 1
        if lines > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return json.dumps(*arguments, **options)

    monkeypatch.setattr(command, "json", SimpleNamespace(dumps=fill))
    result = run("solve", "kuhn", "--log", "log")
    assert result.exit_code == 0
    assert "-1/18" in result.stdout
    assert result.stderr.count("warning: log: the log cannot be written: No space left on device") == 1
    assert len(Path("log").read_text().splitlines()) == 2


@pytest.mark.parametrize("half", [1, 10, 24])
def test_a_log_that_ends_in_its_first_line_is_replaced(half: int, folder: Path) -> None:
    """A full disk or a kill leaves such a log, and the next run must not need --force."""
    assert run("solve", "kuhn", "--log", "log").exit_code == 0
    first = Path("log").read_bytes()
    Path("log").write_bytes(first[:half])
    result = run("solve", "kuhn", "--log", "log")
    assert result.exit_code == 0, result.stderr
    assert len(Path("log").read_text().splitlines()) == len(first.splitlines())
    Path("log").write_bytes(first[:half] + b"?")
    assert run("solve", "kuhn", "--log", "log").exit_code == (3 if half < 24 else 0)


@pytest.mark.parametrize("content", ["", "{}", "EFG", '{"schema": "tremble/checkpoint@2", "game": {}}'])
def test_a_damaged_checkpoint_is_a_bad_file(content: str, folder: Path) -> None:
    Path("c").write_text(content)
    result = run("solve", "leduc", "--method", "double-oracle", "--checkpoint", "c")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith("error: c: ")
    assert Path("c").read_text() == content
