"""Runs that are killed, stopped, or on full disks, with every method that keeps checkpoints: nothing is lost.

The fast ones are a few of what ``-m slow`` does often; ``TREMBLE_KILLS`` is how many kills of each method.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import tremble
from processes import tremble_process
from tremble import Verification
from tremble.results import StatedSolution

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

EACH_STEP = """
import os, sys, time
import tremble.__main__ as command
import tremble.run.checkpoint_file as files
from tremble.solvers.regret_checkpoint import Checkpoint as PublicTree, TreeCheckpoint
files._SECONDS = PublicTree.first = TreeCheckpoint.first = 0.0
files.CheckpointFile.share = PublicTree.share = 1.0
write = files.CheckpointFile.write
def slowly(*a, **k):
    write(*a, **k)
    time.sleep(float(os.environ.get("SLOWLY", "0.02")))
files.CheckpointFile.write = slowly
print("begun", flush=True)
command.run()
"""
"""The command, whose checkpoints are written after each step, with some time between them."""


@dataclass(frozen=True)
class Kept:
    """A game that takes a method that keeps checkpoints many steps."""

    spec: str
    options: tuple[str, ...]
    proven: str = "bounds"
    rules: bool = True

    def verified(self, file: Path) -> Verification:
        game = tremble.load_rules(self.spec) if self.rules else tremble.load(self.spec)
        return tremble.verify(game, StatedSolution.from_json(file))


KEEPING = {
    "double oracle, tree": Kept("leduc", ("--method", "double-oracle"), "nash", rules=False),
    "double oracle, rules": Kept("border_patrol:depth=3", ("--method", "double-oracle"), "nash"),
    "branch and bound": Kept(
        "random_imperfect_recall:depth=5,merge=0.5,seed=1",
        ("--concept", "maxmin", "--method", "branch-and-bound", "--jobs", "1"),
        "maxmin",
        rules=False,
    ),
    **{
        name: Kept("rhode_island:ranks=2", ("--method", name, "--gap", "3" if name == "cfr" else "1"))
        for name in ("cfr", "cfr+", "pcfr+", "dcfr")
    },
    **{
        f"{name}, tree": Kept("leduc", ("--method", name, "--iterations", "3000"), rules=False)
        for name in ("cfr", "cfr+", "pcfr+", "dcfr")
    },
}

STOPS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
CODES = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: 130, signal.SIGINT: 130}


def begun(kept: Kept, folder: Path, checkpoint: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    process = tremble_process(
        "solve", kept.spec, *kept.options, "--checkpoint", checkpoint, "-o", out, *more,
        begin=("-c", EACH_STEP), cwd=folder,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def modified(file: Path) -> int | None:
    return file.stat().st_mtime_ns if file.exists() else None


def killed_and_resumed(name: str, folder: Path, kills: int, seed: int) -> Counter[str]:
    """Kill a run again and again, and let it go on; what came of each, counted."""
    kept, rng, seen = KEEPING[name], random.Random(f"{name} {seed}"), Counter[str]()
    checkpoint, out = folder / "run.checkpoint", folder / "out.json"
    done = 0
    while done < kills:
        before = modified(checkpoint)
        process = begun(kept, folder, checkpoint, out)
        stop = rng.choice(STOPS)
        if rng.random() < 0.8:  # else it may be in its beginning
            while modified(checkpoint) == before and process.poll() is None:
                time.sleep(0.001)
        try:
            process.wait(rng.uniform(0.0, 0.5))
        except subprocess.TimeoutExpired:
            process.send_signal(stop)
            done += 1
        _, said = process.communicate(timeout=120)
        assert process.returncode in (0, CODES[stop]), said
        assert "Traceback" not in said, said
        assert "error" not in said, said  # a checkpoint that is half there would be one
        outcome = "ended" if process.returncode == 0 else stop.name
        if out.exists():
            found = kept.verified(out)
            assert found.ok or found.status == "limit-reached", found.problems
        left = [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]
        assert len(left) <= 2, left  # at most of the checkpoint and of the output: the next write deletes them
        seen[outcome] += 1
        seen["left behind"] += len(left)
        seen["with a checkpoint"] += checkpoint.exists()
        seen["with an output"] += out.exists()
        if process.returncode == 0:  # and from the beginning
            for file in folder.iterdir():
                file.unlink()
    last = begun(kept, folder, checkpoint, out)
    _, said = last.communicate(timeout=300)
    assert last.returncode == 0, said
    found = kept.verified(out)
    assert (found.ok, found.proven) == (True, kept.proven)
    if "--iterations" in kept.options:
        whole = begun(Kept(kept.spec, kept.options), folder, folder / "whole.checkpoint", folder / "whole.json")
        whole.communicate(timeout=300)
        assert StatedSolution.from_json(folder / "whole.json") == StatedSolution.from_json(out)
        for path in folder.glob("whole*"):
            path.unlink()
    named = re.findall(r'"npz": "([^"]+)"', out.read_text())
    assert sorted(path.name for path in folder.iterdir()) == sorted([checkpoint.name, out.name, *named])
    return seen


def test_killed(tmp_path: Path) -> None:
    assert killed_and_resumed("branch and bound", tmp_path, kills=1, seed=1).total()


@pytest.mark.slow
@pytest.mark.parametrize("name", KEEPING)
def test_killed_often(name: str, tmp_path: Path) -> None:
    kills = int(os.environ.get("TREMBLE_KILLS", "10"))
    print(name, dict(killed_and_resumed(name, tmp_path, kills, seed=2)))


# -- full disks ----------------------------------------------------------------------------------------


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 8 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root may mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


ENDS = ("done", "limit", signal.SIGINT, signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", KEEPING)
def test_a_full_disk(
    name: str, end: str | signal.Signals, tmp_path: Path, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full from the beginning, or filled by the run: the result is where it should be, or where the command says."""
    kept = KEEPING[name]
    checkpoint = disk / "c"
    more = ("--time-limit", "8") if end == "limit" else ()
    if end == "limit":
        monkeypatch.setenv("SLOWLY", "1")
    for out, filled in ((tmp_path / "out.json", 1 << 20), (disk / "out.json", 1 << 20), (tmp_path / "out.json", 4096)):
        with suppress(OSError):
            (disk / "filler").write_bytes(b"x" * filled)
        process = begun(kept, tmp_path, checkpoint, out, "--log", "log", *more)
        if isinstance(end, signal.Signals):
            until = time.monotonic() + 60
            log = tmp_path / "log"
            while time.monotonic() < until and not (log.exists() and log.read_text().count('"iteration"') > 2):
                time.sleep(0.05)
            process.send_signal(end)
        _, said = process.communicate(timeout=120)
        assert "Traceback" not in said, said
        assert said.count("the work continues without a checkpoint: ") <= 1
        where = out
        if end == "limit" and re.search("no result yet|did not react", said):  # a busy machine, still compiling
            continue
        if out.parent == disk:
            assert process.returncode == 3, said
            found = re.search(r"is in (\S+) instead", said)
            assert found is not None, said
            where = Path(found[1])
        else:
            assert process.returncode in ((0,) if end == "done" else (0, 5) if end == "limit" else (0, 130)), said
        verification = kept.verified(where)
        assert verification.ok or verification.status == "limit-reached", verification.problems
        if where != out:
            for path in where.parent.glob(f"{where.stem}*"):
                path.unlink()
        (tmp_path / "log").unlink()
        for path in (*disk.iterdir(), *tmp_path.glob("out*")):
            assert path.suffix != ".tmp"
            path.unlink()
