"""Commands that write, and a system that fails at any moment: the old file stays, or the new file is complete.

The tests run the product of all cases and all faults: an error in each call that writes, a limit on the size of files,
a kill at each such call and at random moments, and no memory for an array. The default tests run a few of each kind.

These tests have their own folder, because they share a layer and a server that know nothing of one command.
``tests/solvers/test_kills.py`` tests long runs of solvers instead.
"""

from __future__ import annotations

import errno
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from tests.faults.cases import CASES, INPUTS, KINDS, READ, Case, may_name_files, written_by

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs fork and /proc")

ROOT = Path(__file__).parents[2]
NONE: dict[str, Any] = {"kind": "none"}
CALLS = 50  # the faults strike at each of this many first calls
ABORTED = -signal.SIGABRT  # HiGHS and LLVM end the process when an allocation fails, and Python cannot prevent it
LARGE = 64  # bytes of an array whose making fails; the games of the cases are small
TEMPORARY = re.compile(r"\.[^/]{1,50}\.[0-9a-f]{16}\.tmp")
_VARYING = re.compile(rb'"[a-z_]*seconds[a-z_]*": ?[-+.e\d]+')
_STATUS = re.compile(
    r"loaded in |done in |\[\d+/\d+\] |warning: |error: |stopped because |stopped after |the best result so far is in "
    r"|the strategies of an ordered game are too large to print|\w+ \d+\.\d\d s(, |$)|    |  … "
)
"""The beginnings of lines on standard error."""


class Server:
    """The process that forks a process for each command."""

    def __init__(self, folder: Path) -> None:
        path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
        self.root = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=ROOT, env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        self.clean: dict[str, Clean] = {}
        self.inputs = folder / "inputs"
        self.inputs.mkdir()
        for words in INPUTS:
            assert self.run(words.split(), self.inputs, NONE)["code"] == 0

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def run(self, words: list[str], folder: Path, fault: dict[str, Any]) -> dict[str, Any]:
        refuge = self.root / "refuge"
        shutil.rmtree(refuge, ignore_errors=True)
        refuge.mkdir()
        return self.ask(words=words, folder=str(folder), root=str(self.root), refuge=str(refuge), fault=fault)

    def filled(self, case: Case, old: bool) -> Path:
        """A new folder with the inputs of a case and, if ``old``, an older file in place of each output."""
        folder = self.root / "work"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.inputs, folder)
        if old:
            for name, kind in case.outputs.items():
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_bytes(KINDS[kind])
            for name in case.checkpoints:
                (folder / name).write_bytes(self.known(case).files[name])
        return folder

    def known(self, case: Case) -> Clean:
        """What the case does without a fault. Two runs must agree."""
        if case.words not in self.clean:
            if case.warm:
                self.ask(warm=[word for word in case.words.split() if word not in case.names][:2] + _method(case))
            runs = []
            for _ in range(2):
                folder = self.filled(case, old=False)
                got = self.run(case.words.split(), folder, NONE)
                assert got["code"] == 0, got
                assert not list((self.root / "refuge").iterdir())
                files = {name: data for name, data in contents(folder).items() if name not in contents(self.inputs)}
                runs.append(Clean(files, got["calls"], got["seconds"]))
            for name in case.outputs:
                assert settled(runs[0].files[name]) == settled(runs[1].files[name]), name
            self.clean[case.words] = runs[1]
        return self.clean[case.words]

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


def _method(case: Case) -> list[str]:
    words = case.words.split()
    return [word for word in words[2:] if word not in case.names and word not in ("-o", "--checkpoint", "--plot")]


@dataclass(frozen=True)
class Clean:
    """A run without a fault: the files that it wrote, the names of its calls that write, and its seconds."""

    files: dict[str, bytes]
    calls: list[str]
    seconds: float


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def settled(data: bytes) -> bytes:
    """The contents of a file without the seconds that the command took."""
    return _VARYING.sub(b"", data)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("faults").resolve())
    yield server
    server.close()


# -- what must hold --------------------------------------------------------------------------------------


def suffered(server: Server, case: Case, fault: dict[str, Any], old: bool = True, again: bool = True) -> str:
    """Run a case with a fault, check what it leaves, and run it again without a fault. Return what happened."""
    clean = server.known(case)
    folder = server.filled(case, old)
    before = contents(folder)
    got = server.run(case.words.split(), folder, fault)
    report = f"{case.words}\n{fault}, old: {old}\n{got}"
    code = got["code"]
    killed = code == (ABORTED if fault["kind"] == "address space" else -signal.SIGKILL)
    assert not killed or fault["kind"] in ("kill", "address space"), report
    after = contents(folder)
    short = fault["kind"] in ("memory", "address space")
    states = {name: _state(name, before, after, clean, stopped=short) for name in case.outputs}
    assert set(states.values()) <= {"old", "new"}, (states, report)
    _require_nothing_left(case, before, after, clean, killed, report)
    refuge = contents(server.root / "refuge")
    if not killed:
        _require_clear(case, fault, got, states, refuge, clean, report)
    if again:
        done = server.run(case.words.split(), folder, NONE)
        assert done["code"] == 0, (done, report)
        after = contents(folder)
        states = {name: _state(name, {}, after, clean) for name in case.outputs}
        assert set(states.values()) == {"new"}, (states, done, report)
        _require_nothing_left(case, before, after, clean, False, f"{done}\n{report}")
    return f"{code}"


def _state(
    name: str, before: dict[str, bytes], after: dict[str, bytes], clean: Clean, *, stopped: bool = False
) -> str:  # fmt: skip
    """Return "old" or "new", or say what is wrong. A stopped run may write an earlier result than the clean one."""
    if before.get(name) == after.get(name):
        return "old"
    found = after.get(name)
    if found is not None and settled(found) == settled(clean.files[name]):
        return "new"
    if found is not None and stopped and b'"strategies"' in found and '"stopped' in json.dumps(json.loads(found)):
        return "new"
    return f"lost, or half a file: {found!r:.300}"


def _require_nothing_left(
    case: Case, before: dict[str, bytes], after: dict[str, bytes], clean: Clean, killed: bool, report: str
) -> None:
    """Check that there is no unexpected file, that inputs are unchanged, and that lists consist of whole lines."""
    for name, data in after.items():
        if killed and TEMPORARY.fullmatch(Path(name).name):
            continue
        expected = name in before or name in clean.files or any(fnmatch(name, pattern) for pattern in case.made)
        assert expected, (name, report)
        if name in before and name not in clean.files:
            assert data == before[name], (name, report)
        if name in case.lines:
            for line in data.splitlines(keepends=True) if not killed else data.splitlines(keepends=True)[:-1]:
                assert line.endswith(b"\n"), (line, report)
                if not killed and line.strip():
                    json.loads(line)
    assert before.keys() <= after.keys(), (before.keys() - after.keys(), report)


def _require_clear(
    case: Case, fault: dict[str, Any], got: dict[str, Any], states: dict[str, str], refuge: dict[str, bytes],
    clean: Clean, report: str,
) -> None:  # fmt: skip
    """Check the exit code and the messages, and that no result is lost."""
    code, out, lines = got["code"], got["stdout"], got["stderr"].splitlines()
    assert "Traceback" not in got["stderr"], report
    assert "Exception ignored" not in got["stderr"], report
    assert all(_STATUS.match(line) for line in lines), report
    if "no worker process can be started" in got["stderr"]:
        assert (code, len(lines), case.lines != ()) == (1, 1, True), report
        return
    if fault["kind"] == "address space" and "SystemError: error return without exception set" in got["stderr"]:
        return  # a library of pictures had no memory, and did not say so
    assert code in ((0, 4, 5) if fault["kind"] in ("memory", "address space") else (0, 3)), report
    errors = [line for line in lines if line.startswith("error: ")]
    for name, data in refuge.items():
        named = got["stderr"] + out + "".join(text.decode() for other, text in refuge.items() if ".json" in other)
        assert name in named, (name, report)
        wholes = {settled(known) for known in clean.files.values()}
        assert settled(data) in wholes or name.endswith((".jsonl", ".npz")) or case.made, (name, report)
    if code == 0:
        assert set(states.values()) == {"new"}, (states, report)
        assert not errors, report
        return
    if code == 5:
        assert set(states.values()) == {"new"}, (states, report)
        assert any(line.startswith("stopped because there was not enough memory") for line in lines), report
        assert out, report
        return
    said = got["stderr"] + out if case.lines else "\n".join(errors)
    if code == 4:
        assert case.lines or errors == ["error: not enough memory for this game"], report
        return
    assert case.lines or 1 <= len(errors) <= len(case.outputs), report
    number = errno.EFBIG if fault["kind"] == "size" else fault["errno"]
    assert os.strerror(number) in said, report
    if "the file cannot be written: " in said and not case.lines:
        assert out, report  # the result is shown if the work was done
        if not refuge:
            assert "either" in said, report


# -- the list of cases -----------------------------------------------------------------------------------


def test_every_parameter_that_names_a_file_is_listed() -> None:
    """A new command that writes, or a new option for a file, fails here until it has a case."""
    written = {pair for case in CASES for pair in written_by(case)}
    assert written.isdisjoint(READ)
    assert set(may_name_files()) == written | READ


def test_every_case_names_its_files() -> None:
    for case in CASES:
        assert written_by(case), case


# -- the faults ------------------------------------------------------------------------------------------

QUICK = [case for case in CASES if case.quick]


def errors(calls: int, seed: int) -> Iterator[tuple[dict[str, Any], bool]]:
    """Each of the first calls fails, alone or with all later calls, with an old file and without."""
    rng = random.Random(seed)
    for at in range(1, min(calls, CALLS) + 1):
        for lasting in (False, True):
            number = rng.choice((errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS))
            yield {"kind": "error", "at": at, "errno": number, "lasting": lasting}, rng.random() < 0.5


def sizes(clean: Clean) -> list[int]:
    """Limits on the size of files. Semaphores of worker processes are files too, of 32 bytes."""
    longest = max(map(len, clean.files.values()))
    return sorted({0, 1, 100, longest // 2, longest - 1})


def kills(clean: Clean, seed: int) -> Iterator[tuple[dict[str, Any], bool]]:
    """A kill before, in and after each of the first calls, and at random moments."""
    rng = random.Random(seed)
    for at in range(1, min(len(clean.calls), CALLS) + 1):
        for when in ("before", "half", "after"):
            if when != "half" or clean.calls[at - 1] == "write":
                yield {"kind": "kill", "at": at, "when": when}, rng.random() < 0.5
    for _ in range(20):
        yield {"kind": "kill", "seconds": rng.uniform(0, 1.2 * clean.seconds)}, rng.random() < 0.5


def _spread(things: list[Any], number: int) -> list[Any]:
    """Some of the things, the first and the last among them."""
    return [things[round(k * (len(things) - 1) / max(number - 1, 1))] for k in range(min(number, len(things)))]


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.words)
def test_a_few_faults_of_each_kind(case: Case, server: Server) -> None:
    clean = server.known(case)
    for fault, old in _spread(list(errors(len(clean.calls), 1)), 6):
        suffered(server, case, fault, old)
    for size in sizes(clean)[::2]:
        suffered(server, case, {"kind": "size", "bytes": size})
    for fault, old in _spread(list(kills(clean, 1)), 4):
        suffered(server, case, fault, old)
    suffered(server, case, {"kind": "memory", "at": 2, "above": LARGE, "lasting": False})
    suffered(server, case, {"kind": "address space", "bytes": 0})


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_an_error_in_each_call(case: Case, server: Server) -> None:
    clean = server.known(case)
    assert len(clean.calls) >= 4
    for fault, old in errors(len(clean.calls), 2):
        suffered(server, case, fault, old)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_a_limit_on_the_size_of_files(case: Case, server: Server) -> None:
    for size in sizes(server.known(case)):
        for old in (False, True):
            suffered(server, case, {"kind": "size", "bytes": size}, old)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_a_kill_at_each_call_and_at_random_moments(case: Case, server: Server) -> None:
    for fault, old in kills(server.known(case), 3):
        print(case.words, fault, suffered(server, case, fault, old))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_no_memory_for_an_array(case: Case, server: Server) -> None:
    server.known(case)
    for lasting in (False, True):
        for at in (*range(1, 12), 20, 40, 80):
            suffered(server, case, {"kind": "memory", "at": at, "above": LARGE, "lasting": lasting}, at % 2 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_little_memory_for_the_process(case: Case, server: Server) -> None:
    """The limit is this much above the size of the process before the command begins."""
    for mebibytes in (0, 1, 2, 4, 8, 16):
        suffered(server, case, {"kind": "address space", "bytes": mebibytes << 20}, mebibytes % 3 == 0)
