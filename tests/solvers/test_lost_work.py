"""No run is lost: checkpoints and outputs on full disks and in folders that go, and arrays that other files name."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import tremble
from command import run
from ordered_solutions import GAME, arrays_beside, solution_of
from processes import tremble_process
from tremble import LimitReached, UnbuiltGame
from tremble.cli import outputs
from tremble.errors import FormatError, TrembleWarning
from tremble.results import StatedSolution
from tremble.run import checkpoint_file, whole_file
from tremble.run.executors import InTurn
from tremble.run.whole_file import write_whole
from tremble.solvers.regret_checkpoint import Checkpoint as PublicTreeCheckpoint

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, locks and pipes of POSIX")


def lasting(rules: str) -> UnbuiltGame:
    return UnbuiltGame.of(tremble.load_rules(rules).rules)


KEEPING: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "double oracle, tree": (lambda: tremble.load("kuhn:cards=5"), {"method": "double-oracle"}),
    "double oracle, rules": (lambda: lasting("kuhn:cards=5"), {"method": "double-oracle"}),
    "branch and bound": (
        lambda: tremble.load("random_imperfect_recall:branching=3,merge=0.5,seed=7"),
        {"method": "branch-and-bound", "concept": "maxmin"},
    ),
    **{
        name: (lambda: tremble.load_rules("rhode_island:ranks=2"), {"method": name, "gap": 2})
        for name in ("cfr", "cfr+", "pcfr+", "dcfr")
    },
}
"""All methods that keep checkpoints, with games that take them several steps."""


@pytest.fixture(autouse=True)
def at_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints are written after each step."""
    monkeypatch.setattr(checkpoint_file, "_SECONDS", 0.0)
    monkeypatch.setattr(checkpoint_file.CheckpointFile, "share", 1.0)
    monkeypatch.setattr(PublicTreeCheckpoint, "share", 1.0)
    monkeypatch.setattr(PublicTreeCheckpoint, "first", 0.0)


def test_these_are_all_methods_with_checkpoints() -> None:
    from tremble.solvers.table import METHODS

    assert {how["method"] for _, how in KEEPING.values()} == {n for n, m in METHODS.items() if m.resumable}


# -- checkpoints that cannot be written ----------------------------------------------------------------


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.sample(14)
@pytest.mark.parametrize("end", ["done", "limit", "Ctrl-C"])
@pytest.mark.parametrize("trouble", ["full", "gone"])
@pytest.mark.parametrize("name", KEEPING)
def test_a_checkpoint_that_cannot_be_written_costs_only_itself(
    name: str, trouble: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, how = KEEPING[name][0](), KEEPING[name][1]
    folder = tmp_path / "folder"
    folder.mkdir()
    if trouble == "full":
        monkeypatch.setattr(os, "fsync", full)
    seen = []

    def report(row: Mapping[str, Any]) -> None:
        seen.append(row)
        if len(seen) == 1 and trouble == "gone":
            shutil.rmtree(folder)
        if len(seen) == 2 and end != "done":
            raise KeyboardInterrupt if end == "Ctrl-C" else LimitReached("stopped by the time limit")

    def solve() -> Any:
        try:
            return tremble.solve(game, checkpoint=folder / "checkpoint", report=report, **how)
        except LimitReached as stopped:
            return stopped.best

    with pytest.warns(TrembleWarning) as told:
        best: Any = solve()
    assert [str(warning.message).split(":")[0] for warning in told] == ["the work continues without a checkpoint"]
    assert best is not None
    assert len(seen) >= 2
    assert ("stopped" in best.stats) == (end != "done")
    found = tremble.verify(game, best)
    assert (found.ok, found.proven is not None) == (True, True)
    assert trouble == "gone" or list(folder.iterdir()) == []


def test_a_checkpoint_is_tried_again(tmp_path: Path) -> None:
    """The folder comes back while the run goes on, and with it the checkpoint; it is told of once."""
    folder = tmp_path / "folder"
    folder.mkdir()
    seen = []

    def report(row: Mapping[str, Any]) -> None:
        seen.append(row)
        if len(seen) == 2:
            shutil.rmtree(folder)
        if len(seen) == 4:
            folder.mkdir()
        if len(seen) == 6:
            raise KeyboardInterrupt

    game = tremble.load("leduc")
    with pytest.warns(TrembleWarning) as told, pytest.raises(LimitReached):
        tremble.solve(game, method="double-oracle", checkpoint=folder / "c", report=report)
    assert len(told) == 1
    assert json.loads((folder / "c").read_text())["iteration"] > 4
    assert tremble.solve(game, method="double-oracle", checkpoint=folder / "c").value is not None


def test_the_last_checkpoint_leaves_time_for_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where writing takes seconds, a run that a limit has ended has other things to do."""
    clock = tremble.run.clock.Clock(1e-9)
    file = checkpoint_file.CheckpointFile(tmp_path / "c", None, clock)
    filled = []

    def slowly(_stream: BinaryIO) -> None:
        filled.append(True)
        time.sleep(0.6)

    file.write(slowly, always=True)
    monkeypatch.setattr(file, "_next", 1e9)
    file.write(slowly, always=True)
    assert len(filled) == 1


@pytest.mark.parametrize("name", KEEPING)
@pytest.mark.parametrize("where", ["missing/c", "", "file/c", "c" * 300, "nul\0"])
def test_what_can_never_be_written_is_refused_before_the_work(name: str, where: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    begun: list[object] = []
    path = f"{tmp_path}/{where}"
    with pytest.raises(FormatError, match="cannot be written"):
        tremble.solve(lasting("kuhn") if "rules" in name else tremble.load("kuhn"), checkpoint=path,
                      progress=lambda *step: begun.append(step), **KEEPING[name][1])  # fmt: skip
    assert not begun
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("where", ["missing/c", "."])
def test_the_command_refuses_it_before_the_game_is_loaded(where: str) -> None:
    done = run("solve", "phantom_ttt", "--method", "double-oracle", "--checkpoint", where)
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error: {where}: cannot be written: ")


@posix
def test_no_device_and_no_pipe_is_a_checkpoint(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(FormatError, match="device or a pipe"):
            tremble.solve(tremble.load("kuhn"), method="double-oracle", checkpoint=path)
        assert run("solve", "kuhn", "--method", "double-oracle", "--checkpoint", path).exit_code == 3


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o555)
    with pytest.raises(FormatError, match="Permission denied"):
        tremble.solve(tremble.load("kuhn"), method="double-oracle", checkpoint=tmp_path / "locked" / "c")


def test_a_checkpoint_is_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tremble.write_efg(tremble.load("kuhn"), "kuhn.efg")
    os.link("kuhn.efg", "same.efg")
    asked = ("solve", "kuhn.efg", "--method", "double-oracle", "--checkpoint")
    for more in (["same.efg"], ["kuhn.efg"], ["f", "-o", "f"], ["f", "--log", "./f"], ["-"]):
        done = run(*asked, *more)
        assert (done.exit_code, done.stdout) == (2, ""), more
    assert sorted(os.listdir()) == ["kuhn.efg", "same.efg"]


# -- temporary files -----------------------------------------------------------------------------------


@posix
def test_no_link_is_followed(tmp_path: Path) -> None:
    """Neither where temporary files used to be, nor where one is deleted."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    left = ".run.checkpoint.0123456789abcdef.tmp"
    for name in (".run.checkpoint.tmp", left):
        (tmp_path / name).symlink_to(victim)
    file = tmp_path / "run.checkpoint"
    tremble.solve(tremble.load_rules("rhode_island:ranks=2"), method="dcfr", gap=5, checkpoint=file)
    assert (victim.read_text(), file.is_symlink()) == ("precious", False)
    assert (tmp_path / left).is_symlink()


@posix
def test_what_a_kill_left_is_deleted_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "c"
    stays = [".c.0123456789abcdef.tmp.bak", ".c.tmp", ".cc.0123456789abcdef.tmp", "c.0123456789abcdef.tmp", ".c.1.tmp"]
    goes = [f".c.{k:016x}.tmp" for k in range(5)]
    for name in stays + goes:
        (tmp_path / name).write_text("half")
    (tmp_path / ".c.aaaaaaaaaaaaaaaa.tmp").mkdir()
    (tmp_path / ".c.bbbbbbbbbbbbbbbb.tmp").touch()  # killed before it wrote anything
    held = tmp_path / ".c.dddddddddddddddd.tmp"
    import fcntl

    with open(held, "w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        stream.write("another process writes here")
        stream.flush()
        write_whole((target, lambda out: out.write(b"whole")))
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
            [*stays, ".c.aaaaaaaaaaaaaaaa.tmp", held.name, "c"]
        )
    write_whole((target, lambda out: out.write(b"whole")))
    assert not held.exists()


def test_many_write_the_same_file(tmp_path: Path) -> None:
    """Each of them whole, none in the way of another."""
    target, failures = tmp_path / "c", []

    def write(letter: bytes) -> None:
        try:
            for _ in range(15):
                write_whole((target, lambda out: [out.write(letter * 1000) for _ in range(20)]))
                assert len(set(target.read_bytes())) == 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(bytes([letter]),)) for letter in b"abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


@posix
def test_many_processes_write_the_same_file(tmp_path: Path) -> None:
    """None takes what another has just begun for what a kill left."""
    script = (
        "from tremble.run.whole_file import write_whole\n"
        "for _ in range(100):\n"
        "    write_whole(('c', lambda out: out.write(b'whole')))\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_all_files_or_none(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with pytest.raises(FormatError, match=r"two: the file cannot be written: No space left"):
        write_whole((one, lambda out: out.write(b"1")), (two, full))
    assert list(tmp_path.iterdir()) == []


@posix
def test_names_that_are_long_in_bytes(tmp_path: Path) -> None:
    name = "\N{GRINNING FACE}" * 62 + ".json"
    solution_of(1).to_json(tmp_path / name)
    assert tremble.verify(GAME, StatedSolution.from_json(tmp_path / name)).ok
    write_whole((tmp_path / "mode", lambda out: out.write(b"")))
    (tmp_path / "mode").chmod(0o640)
    write_whole((tmp_path / "mode", lambda out: out.write(b"")))
    assert stat.S_IMODE((tmp_path / "mode").stat().st_mode) == 0o640


# -- outputs -------------------------------------------------------------------------------------------

LIMITED = """
import resource, sys
import tremble.__main__ as command
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
sys.argv[0] = "tremble"
command.run()
"""


@posix
def test_a_result_that_no_file_can_hold_is_printed(tmp_path: Path) -> None:
    """No file may have more than 100 bytes: neither the output, nor the checkpoint, nor what is written instead."""
    process = tremble_process(
        "solve", "kuhn", "--method", "double-oracle", "--checkpoint", "c", "-o", "s.json", "--log", "log",
        begin=("-c", LIMITED), cwd=tmp_path,
    )  # fmt: skip
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 3
    assert said.count("the work continues without a checkpoint: c: ") == 1
    assert said.count("the log cannot be written") == 1
    assert "error: s.json: the file cannot be written: File too large" in said
    assert tremble.verify(tremble.load("kuhn"), StatedSolution.from_text(printed)).ok
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


@pytest.mark.parametrize("command", [("solve", "kuhn"), ("certify", "kuhn", "given.json")])
def test_a_result_that_cannot_be_written_is_elsewhere(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard output where there is no folder for temporary files, as where all disks are full."""
    monkeypatch.chdir(tmp_path)
    assert run("solve", "kuhn", "-o", "given.json").exit_code == 0

    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory")

    monkeypatch.setattr(outputs, "require_writable", lambda *_, **__: None)
    monkeypatch.setattr("tempfile.gettempdir", none)
    done = run(*command, "-o", "gone/s.json")
    assert done.exit_code == 3
    assert "gone/s.json: the file cannot be written: No such file or directory" in done.stderr
    assert tremble.verify(tremble.load("kuhn"), StatedSolution.from_text(done.stdout)).ok
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    done = run(*command, "-o", "gone/s.json")
    (refuge,) = tmp_path.glob("tremble-*.json")
    assert (done.exit_code, f"is in {refuge} instead" in done.stderr) == (3, True)
    assert tremble.verify(tremble.load("kuhn"), StatedSolution.from_json(refuge)).ok


# -- one rescue for everything that writes a result ---------------------------------------------------------

EVERY_WRITER: dict[str, tuple[str, ...]] = {
    "solve": ("solve", "kuhn", "-o", "out/s.json"),
    "a list": ("solve", "matching_pennies", "--all", "-o", "out/s.json"),
    "certify": ("certify", "kuhn", "given.json", "-o", "out/s.json"),
    "draw": ("draw", "kuhn", "given.json", "-o", "out/p.svg"),
    "a page": ("draw", "kuhn", "given.json", "--explorer", "-o", "out/p.html"),
    "hands": ("draw", "rhode_island:ranks=2", "rhode.json", "-o", "out/p.svg"),
    "compare": ("compare", "kuhn", "given.json", "other.json", "-o", "out/p.svg"),
    "convert": ("convert", "kuhn", "out/k.efg"),
    "forget": ("forget", "kuhn", "--player", "1", "--last", "0", "--save", "out/k.efg", "--proof", "out/s.json"),
    "plot": ("plot", "run.log", "-o", "out/p.svg"),
    "plot of a game": ("plot", "matching_pennies", "--best-replies", "-o", "out/p.svg"),
    "sweep": ("sweep", "double_oracle_example:ayf=-1..1", "-o", "out/p.svg"),
    "sweep into a folder": ("sweep", "double_oracle_example:ayf=-1..0", "--folder", "out"),
    "shrink": ("shrink", "rhode_island:ranks=2", "--ladder", "0,1", "--loss", "1", "--plot", "out/p.svg"),
}
"""Commands that write results, into the folder ``out``."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    assert run("solve", "kuhn", "-o", folder / "given.json").exit_code == 0
    shutil.copy(folder / "given.json", folder / "other.json")
    dcfr = ("--method", "dcfr", "--gap", "1", "--log", folder / "run.log")
    assert run("solve", "rhode_island:ranks=2", *dcfr, "-o", folder / "rhode.json").exit_code == 0
    return folder


@pytest.fixture
def out(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder ``out``, beside what the commands read."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.fixture
def refuges(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(folder))
    return folder


def refuse(folders: list[Path], number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no file be written into folders, with this error of the system."""
    staged = whole_file._staged

    def failing(target: Path, fill: Any) -> Any:
        if target.parent in [folder.resolve() for folder in folders]:
            raise OSError(number, os.strerror(number))
        return staged(target, fill)

    monkeypatch.setattr(whole_file, "_staged", failing)


@pytest.mark.sample(14)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EFBIG, errno.EDQUOT, errno.ENOENT])
@pytest.mark.parametrize("writer", EVERY_WRITER)
def test_what_cannot_be_written_is_elsewhere(
    writer: str, number: int, out: Path, refuges: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 3, a message that says where it is, and all that there is besides."""
    refuse([out], number, monkeypatch)
    command = EVERY_WRITER[writer]
    done = run(*command)
    rescued = sorted(refuges.iterdir())
    assert len(rescued) == (2 if "--folder" in command else sum(part.startswith("out/") for part in command))
    assert done.exit_code == 3
    for path in rescued:
        assert path.read_bytes()
        assert f"is in {path} instead" in " ".join((done.stderr + done.stdout).split())
    assert done.stdout
    assert [path.name for path in out.iterdir()] == (["results.jsonl"] if "--folder" in command else [])


@pytest.mark.sample(5)
@pytest.mark.parametrize("writer", EVERY_WRITER)
def test_where_nothing_can_be_written_it_is_said(
    writer: str, out: Path, refuges: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse([out, refuges], errno.ENOSPC, monkeypatch)
    done = run(*EVERY_WRITER[writer])
    said = " ".join((done.stderr + done.stdout).split())
    assert done.exit_code == 3
    assert "it cannot be written to the folder for temporary files either" in said
    assert said.count("No space left on device") >= 2
    assert not list(refuges.iterdir())


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_a_batch_on_a_full_disk_loses_nothing(out: Path, refuges: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``results.jsonl`` says where the solutions are, and a rerun takes them from there."""
    games = ["kuhn", "matching_pennies", "centipede"]
    with monkeypatch.context() as patch:
        refuse([out], errno.ENOSPC, patch)
        found = list(tremble.solve_many(games, executor=InTurn(), out=out))
    assert [(r.file, r.status, r.proven) for r in found] == [(None, "certified", False)] * 3
    lines = lines_of(out)
    assert [line["rescued"] for line in lines] == [str(r.rescued) for r in found]
    assert all(line["rescued"] in line["error"]["message"] for line in lines)
    for result, game in zip(found, games, strict=True):
        assert result.rescued is not None
        assert tremble.verify(tremble.load(game), StatedSolution.from_json(result.rescued)).ok
    again = list(tremble.solve_many(games, executor=InTurn(), out=out))
    assert all(r.from_disk and r.proven and r.file is not None and r.file.parent == out for r in again)
    assert [line["rescued"] for line in lines_of(out)[3:]] == [None] * 3
    third = list(tremble.solve_many(games, executor=InTurn(), out=out))
    assert [r.from_disk for r in third] == [True] * 3
    assert len(lines_of(out)) == 6


def test_a_line_that_cannot_be_written_is_elsewhere(out: Path, refuges: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No half of a line stays, the batch goes on, and the next line is written if there is room again."""
    fsync, count = os.fsync, 0

    def once_full(descriptor: int) -> None:
        nonlocal count
        count += os.path.samestat(os.fstat(descriptor), os.stat(out / "results.jsonl"))
        if count == 2:
            count += 1
            full()
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", once_full)
    found = list(tremble.solve_many(["kuhn", "matching_pennies", "centipede"], executor=InTurn(), out=out))
    (refuge,) = refuges.glob("tremble-*.jsonl")
    assert [line["name"] for line in lines_of(out)] == ["kuhn", "centipede"]
    assert json.loads(refuge.read_text())["name"] == "matching_pennies"
    assert [r.proven for r in found] == [True, False, True]
    assert f"the line for this game is in {refuge} instead" in str(found[1].error)
    assert found[1].file is not None


@posix
def test_a_folder_that_goes_loses_nothing(out: Path, refuges: Path) -> None:
    """Neither the solutions nor their lines, which would go into a file that has no name any more."""
    games = ["kuhn", "matching_pennies", "centipede", "kuhn:cards=4"]
    solving = tremble.solve_many(games, executor=InTurn(), out=out)
    first = next(solving)
    shutil.rmtree(out)
    *_, last = solving
    assert first.proven
    assert last.rescued is not None
    assert tremble.verify(tremble.load(last.name), StatedSolution.from_json(last.rescued)).ok
    (lines,) = refuges.glob("tremble-*.jsonl")
    assert json.loads(lines.read_text().splitlines()[-1])["rescued"] == str(last.rescued)
    assert "results.jsonl: the file cannot be written" in str(last.error)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)], capture_output=True, check=False
    ) if shutil.which("mount") else None  # fmt: skip
    if mounted is None or mounted.returncode:
        pytest.skip("needs a small disk, which only root can mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_batch_on_a_small_disk(small_disk: Path, tmp_path: Path, refuges: Path) -> None:
    games = {name: tremble.load(name) for name in ("kuhn", "kuhn:cards=4", "kuhn:cards=6", "leduc:ranks=3,raises=1")}
    found = list(tremble.solve_many(games, executor=InTurn(), out=small_disk / "out"))
    assert not all(result.proven for result in found)
    for result in found:
        file = result.file or result.rescued
        assert file is not None, result.error
        assert tremble.verify(games[result.name], StatedSolution.from_json(file)).ok


# -- arrays that other files name ------------------------------------------------------------------------


def named(file: Path) -> bool:
    """Whether a copy of a solution file still has its arrays."""
    return tremble.verify(GAME, StatedSolution.from_json(file)).ok


@pytest.mark.parametrize("other", ["s", "s.bak", "copy of s", "s.json~", "t.json", ".hidden", "s.JSON", "s.txt.orig"])
def test_arrays_that_any_file_names_stay(other: str, tmp_path: Path) -> None:
    file, copy = tmp_path / "s.json", tmp_path / other
    solution_of(1).to_json(file)
    shutil.copy(file, copy)
    solution_of(2).to_json(file)
    assert (named(file), named(copy)) == (True, True)
    assert len(list(tmp_path.glob("*.npz"))) == 2
    copy.unlink()
    solution_of(1).to_json(file)
    assert len(list(tmp_path.glob("*.npz"))) == 1


def test_two_files_of_one_stem(tmp_path: Path) -> None:
    for one, other in (("s", "s.json"), ("s.json", "s")):
        solution_of(1).to_json(tmp_path / one)
        solution_of(1).to_json(tmp_path / other)
        solution_of(2).to_json(tmp_path / other)
        assert (named(tmp_path / one), named(tmp_path / other)) == (True, True)
        solution_of(3).to_json(tmp_path / one)
        assert (named(tmp_path / one), named(tmp_path / other)) == (True, True)


def in_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "notes").write_text("x" * (1 << 20) + text)  # past the first piece, and over its end
    (tmp_path / "over").write_text("x" * ((1 << 20) - 9) + text)


def in_a_list(tmp_path: Path, text: str) -> None:
    (tmp_path / "several.json").write_text(json.dumps([{"strategies": {"npz": text}}]))


def in_a_compressed_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.json.gz").write_bytes(gzip.compress(text.encode()))


def in_a_file_that_takes_long(tmp_path: Path, _text: str) -> None:
    with open(tmp_path / "long", "wb") as stream:
        stream.truncate(1 << 36)  # no text, nor any room on the disk


def behind_a_link(tmp_path: Path, text: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "s.json").write_text(text)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "s.json")


def in_no_file(tmp_path: Path, text: str) -> None:
    """What names nothing, and must not be waited for."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / text).mkdir()
    (tmp_path / text / "s.json").write_text(text)
    (tmp_path / "other.0123456789abcdef.npz").write_bytes(b"PK\3\4" + text.encode())


@posix
@pytest.mark.parametrize(
    ("place", "stays"),
    [
        (in_text, True), (in_a_list, True), (in_a_compressed_file, True), (in_a_file_that_takes_long, True),
        (behind_a_link, True), (in_no_file, False),
    ],
)  # fmt: skip
def test_where_names_are_looked_for(place: Callable[[Path, str], None], stays: bool, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    solution_of(1).to_json(file)
    before = arrays_beside(file)
    place(tmp_path, before.name if place is not in_no_file else f"{before.stem}.d")
    solution_of(2).to_json(file)
    assert (before.exists(), named(file)) == (stays, True)


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_may_name_them(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    solution_of(1).to_json(file)
    before = arrays_beside(file)
    (tmp_path / "secret").touch(mode=0)
    solution_of(2).to_json(file)
    assert before.exists()


def test_a_name_that_json_writes_in_two_ways(tmp_path: Path) -> None:
    file = tmp_path / 'a "q\u00fc\N{GRINNING FACE}".json'
    solution_of(1).to_json(file)
    copy = tmp_path / "copy"
    copy.write_text(json.dumps(json.loads(file.read_text("utf-8")), ensure_ascii=True))
    solution_of(2).to_json(file)
    assert (named(file), named(copy)) == (True, True)


def test_where_there_are_no_locks_arrays_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_file, "_locks", lambda: None)
    for k in (1, 2):
        solution_of(k).to_json(tmp_path / "s.json")
    assert len(list(tmp_path.glob("*.npz"))) == 2
    assert named(tmp_path / "s.json")


def test_what_another_run_deletes_just_now_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was there when somebody looked, and is gone when its permissions are asked for."""
    file, exists = tmp_path / "s", Path.exists
    monkeypatch.setattr(Path, "exists", lambda path, **options: path.name == "s" or exists(path, **options))
    write_whole((file, lambda stream: stream.write(b"new")))
    assert file.read_bytes() == b"new"


def test_two_runs_write_into_one_folder(tmp_path: Path) -> None:
    """Whatever one deletes, the other has what its file names."""
    solutions = [solution_of(k) for k in range(3)]
    failures: list[BaseException] = []

    def write(name: str, seed: int) -> None:
        rng = random.Random(seed)
        try:
            for _ in range(12):
                file = tmp_path / name
                rng.choice(solutions).to_json(file)
                StatedSolution.from_json(file)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name, k)) for k, name in enumerate(("s", "s.json", "t"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(list(tmp_path.glob("*.npz"))) <= 9
    assert not list(tmp_path.glob(".*"))
