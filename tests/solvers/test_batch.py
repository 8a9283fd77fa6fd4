"""Many games at a time: nothing is lost, nothing stops the others, what is done is not done again."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction as F
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import tremble
from command import run
from deadly_games import Deadly, Endless, Failing, Lingering
from processes import tremble_process
from tremble import FormatError, GameTree, LimitReached, SolverError
from tremble.batch import many_games as module
from tremble.batch import tasks
from tremble.errors import SpecError
from tremble.results import BatchResult
from tremble.run.executors import InTurn

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def by_index(results: Iterator[BatchResult]) -> list[BatchResult]:
    return sorted(results, key=lambda result: result.index)


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in (folder / "results.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def matrix(k: int) -> GameTree:
    return tremble.matrix_game([[k, -1], [-1, 1]])


# -- what comes out --------------------------------------------------------------------------------


def test_every_kind_of_game(threads: Executor, tmp_path: Path) -> None:
    file = tmp_path / "kuhn.efg"
    tremble.write_efg(tremble.load("kuhn"), file)
    tree, rules = tremble.load("kuhn"), tremble.load_rules("kuhn")
    games = ["kuhn", str(file), file, tree, rules, rules.rules, "kuhn:cards=3"]
    results = by_index(tremble.solve_many(games, executor=threads))
    assert [result.solution and result.solution.value for result in results] == [F(-1, 18)] * len(games)
    assert [result.name for result in results] == [
        "kuhn",
        str(file),
        str(file),
        "kuhn",
        "kuhn",
        "Kuhn poker",
        "kuhn:cards=3",
    ]
    assert all(result.proven and not result.from_disk and result.file is None for result in results)
    assert results[3].solution.played is tree  # type: ignore[union-attr]
    assert results[0].solution.played is None  # type: ignore[union-attr]
    assert results[1].game == results[1].solution.game  # type: ignore[union-attr]
    assert tremble.verify(tree, results[1].solution).ok  # type: ignore[arg-type]


def test_what_a_worker_sends_has_no_game() -> None:
    tree = tremble.load("leduc:ranks=2")
    task = tasks.task_of(0, None, tree)
    options = tasks.BatchOptions({"concept": "nash", "method": "auto"}, {"repair": None, "max_nodes": 10**6})
    found = tasks.run_task(0, task.name, 0, task.packed(options))
    assert b"GameTree" in task.packed(options)
    assert b"GameTree" not in found


def test_one_that_fails_stops_no_other(threads: Executor, tmp_path: Path) -> None:
    bad = tmp_path / "bad.efg"
    bad.write_text('EFG 2 R "x" { "a" "b" }\nq')
    games = {
        "good": "kuhn", "none": "no_such_game", "bad": str(bad), "there is none": tmp_path / "none.efg", "stdin": "-",
        "forgets": "absentminded_driver", "fault": Failing(), "no game": 3, "good too": matrix(2),
    }  # fmt: skip
    results = {result.name: result for result in tremble.solve_many(games, executor=threads)}
    assert set(results) == set(games)
    assert {name for name, result in results.items() if result.proven} == {"good", "good too"}
    kinds = {name: type(result.error).__name__ for name, result in results.items() if result.error}
    assert kinds == {
        "none": "SpecError", "bad": "FormatError", "there is none": "FormatError", "stdin": "SpecError",
        "forgets": "ImperfectRecallError", "fault": "SolverError", "no game": "GameError",
    }  # fmt: skip
    assert "ZeroDivisionError: a fault of the rules" in str(results["fault"].error)
    assert "Traceback" in results["fault"].error.__notes__[0]  # type: ignore[union-attr]
    assert results["bad"].error.line == 2  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "asked",
    [
        {"concept": "nosh"}, {"method": "lpp"}, {"method": "lp", "policy": "both"}, {"on_limit": "stop"},
        {"time_limit": 0}, {"seed": -1}, {"gap": -1}, {"processes": 0}, {"executor": 2}, {"player": 1},
        {"processes": 10**39}, {"processes": True}, {"processes": 2.0}, {"total_limit": 0}, {"total_limit": "x"},
        {"checkpoint": "c"}, {"progress": print}, {"method": "lemke", "prior": "p.json"},
        {"method": tremble.methods.Lemke(prior="p.json")}, {"method": tremble.methods.Lp(), "policy": "both"},
    ],
)  # fmt: skip
def test_what_goes_for_all_is_refused_at_once(asked: dict[str, Any]) -> None:
    with pytest.raises(SpecError):
        tremble.solve_many(["kuhn"], **asked)
    for games in ("kuhn", tremble.load("kuhn"), 3):
        with pytest.raises(SpecError, match="'games' must be a list"):
            tremble.solve_many(games)  # type: ignore[arg-type]


def test_games_are_taken_as_there_is_room(threads: Executor) -> None:
    """A generator of endless games; never more than two for each worker are under way."""
    taken = 0

    def games() -> Iterator[GameTree]:
        nonlocal taken
        while True:
            taken += 1
            yield matrix(taken)

    for ended, _ in enumerate(tremble.solve_many(games(), executor=threads), 1):
        assert taken <= ended + 4
        if ended == 10:
            break
    assert threads.submit(int).result() == 0  # somebody else's executor stays open


class OneAtATime(Executor):
    """Two workers that end the oldest game as soon as there are two games for each of them."""

    _max_workers = 2

    def __init__(self, games: int) -> None:
        self._games = games
        self._begun = threading.Condition()
        self._queue: deque[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = deque()
        self._submitted = 0
        self.starved = 0
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._begun:
            self._submitted += 1
            self._queue.append((future, function, arguments))
            self._begun.notify()
        return future

    def _work(self) -> None:
        for _ in range(self._games):
            with self._begun:
                full = self._begun.wait_for(lambda: len(self._queue) >= 4 or self._submitted == self._games, 5.0)
                self.starved += not full
                self._begun.wait_for(lambda: len(self._queue))
                future, function, arguments = self._queue.popleft()
            future.set_result(function(*arguments))


def test_a_game_is_submitted_for_each_that_ends() -> None:
    """No worker waits for what others do while there are games: all that is under way may not run dry."""
    executor = OneAtATime(12)
    assert len(list(tremble.solve_many([matrix(k) for k in range(12)], executor=executor))) == 12
    assert executor.starved == 0


# -- limits ----------------------------------------------------------------------------------------


def test_a_stopped_game_is_a_result_or_the_end(threads: Executor, tmp_path: Path) -> None:
    games = ["kuhn", "phantom_ttt"]
    asked: dict[str, Any] = {"executor": threads, "time_limit": 1.0, "out": tmp_path / "out"}
    one, two = by_index(tremble.solve_many(games, **asked))
    assert one.proven
    assert isinstance(two.error, LimitReached)
    assert two.error.best is two.solution
    assert two.status in ("bounded", "limit-reached")  # as fast as the machine is
    assert not two.proven
    assert two.seconds < 3.5
    again = by_index(tremble.solve_many(games, **asked))
    assert [result.from_disk for result in again] == [True, True]
    assert isinstance(again[1].error, LimitReached)
    assert again[1].error.best.bounds == two.solution.bounds  # type: ignore[union-attr]
    with pytest.raises(LimitReached) as caught:
        list(tremble.solve_many(games, on_limit="raise", **asked))
    assert caught.value.best is not None
    longer = by_index(tremble.solve_many(games, **{**asked, "time_limit": 1.5}))
    assert [result.from_disk for result in longer] == [True, False]
    shorter = by_index(tremble.solve_many(games, **{**asked, "time_limit": 0.5}))
    assert [result.from_disk for result in shorter] == [True, True]


def limited_in(executor: Executor, tmp_path: Path) -> None:
    """In threads that get no signals, and in processes that may have none of their own, limits hold as elsewhere."""
    games: dict[str, object] = {"rules": Endless(tmp_path / "pid"), "solving": "phantom_ttt", "good": "kuhn"}
    results = {r.name: r for r in tremble.solve_many(games, executor=executor, time_limit=1.0, method="auto")}
    assert results["good"].proven
    for name in ("rules", "solving"):
        assert isinstance(results[name].error, LimitReached), results[name]
        assert results[name].seconds < 6


def test_limits_hold_in_threads(threads: Executor, tmp_path: Path) -> None:
    limited_in(threads, tmp_path)


def _as_a_daemon() -> None:
    from multiprocessing import current_process

    current_process()._config["daemon"] = True  # type: ignore[attr-defined]


def test_limits_hold_in_daemons(tmp_path: Path) -> None:
    """As Dask's workers are: they may have no children."""
    with ProcessPoolExecutor(2, get_context("spawn"), initializer=_as_a_daemon) as executor:
        limited_in(executor, tmp_path)


# -- the folder ------------------------------------------------------------------------------------


def test_a_rerun_skips_what_is_done(threads: Executor, tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "my.efg"
    tremble.write_efg(tremble.load("kuhn"), file)
    games: list[object] = [
        "leduc:ranks=2",
        file,
        matrix(1),
        matrix(2),
        tremble.load_rules("kuhn"),
        "absentminded_driver",
    ]
    asked: dict[str, Any] = {"executor": threads, "out": out}
    first = by_index(tremble.solve_many(games, **asked))
    assert [result.from_disk for result in first] == [False] * 6
    assert {path.name for path in out.iterdir()} == {"results.jsonl", *(r.file.name for r in first if r.file)}
    assert {"leduc_ranks=2.json", "my.json"} < {path.name for path in out.iterdir()}
    for result in first[:5]:
        assert result.file is not None
        assert tremble.Solution.from_json(result.file).values == result.solution.values  # type: ignore[union-attr]
    second = by_index(tremble.solve_many(reversed(games), **asked))
    assert [result.from_disk for result in second] == [False] + [True] * 5
    assert [result.file for result in reversed(second)] == [result.file for result in first]
    assert second[3].solution.played is games[2]  # type: ignore[union-attr]
    assert len(lines(out)) == 6
    # a changed game, a changed option, and what has been tampered with, are done anew
    tremble.write_efg(tremble.load("kuhn:cards=4"), file)
    first[0].file.write_text(first[0].file.read_text().replace("certified", "bounded"))  # type: ignore[union-attr]
    first[2].file.unlink()  # type: ignore[union-attr]
    third = by_index(tremble.solve_many(games, **asked))
    assert [result.from_disk for result in third] == [False, False, False, True, True, False]
    assert third[1].file == out / "my.json"
    assert third[1].solution.game.digest == tremble.load("kuhn:cards=4").digest  # type: ignore[union-attr]
    for changed in ({"concept": "quasi-perfect"}, {"seed": 7}, {"method": "lp"}, {"method": tremble.methods.Lp()}):
        assert not any(result.from_disk for result in tremble.solve_many(games[:1], **asked, **changed)), changed
        assert all(result.from_disk for result in tremble.solve_many(games[:1], **asked, **changed)), changed


def test_names_that_clash(threads: Executor, tmp_path: Path) -> None:
    out = tmp_path / "out"
    paths = []
    for k, name in enumerate(("a/game.efg", "b/game.efg", "b/game.nfg", "b/g me?.efg"), 2):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        write = tremble.write_nfg if name.endswith("nfg") else tremble.write_efg
        write(matrix(k), path)
        paths.append(str(path))
    for games in (paths, paths[::-1], paths):
        results = list(tremble.solve_many(games, out=out, executor=threads))
        assert len({result.file for result in results}) == 4
        for result in results:
            value = F(int(paths.index(result.name) + 2) - 1, paths.index(result.name) + 2 + 3)
            assert result.solution.value == value  # type: ignore[union-attr]
            assert result.from_disk == (games is not paths or (len(lines(out)) == 4 and result.from_disk))
    assert len(lines(out)) == 4


def test_no_file_of_another_kind_is_replaced(threads: Executor, tmp_path: Path) -> None:
    (tmp_path / "kuhn.json").write_text("{}")
    (result,) = tremble.solve_many(["kuhn"], out=tmp_path, executor=threads)
    assert isinstance(result.error, FormatError)
    assert "is not a solution file" in str(result.error)
    assert (tmp_path / "kuhn.json").read_text() == "{}"
    (tmp_path / "file").touch()
    for out in (tmp_path / "file", tmp_path / "file" / "out", "\0", 3):
        with pytest.raises(FormatError, match="this is a file" if out == tmp_path / "file" else "."):
            tremble.solve_many(["kuhn"], out=out, executor=threads)  # type: ignore[arg-type]


@POSIX
def test_two_batches_do_not_share_a_folder(threads: Executor, tmp_path: Path) -> None:
    solving = tremble.solve_many(["kuhn", "centipede"], out=tmp_path, executor=threads)
    next(solving)
    with pytest.raises(FormatError, match="another batch"):
        tremble.solve_many(["kuhn"], out=tmp_path)
    solving.close()
    list(tremble.solve_many(["kuhn"], out=tmp_path, executor=threads))


def test_half_a_line_and_lines_of_others_are_left_alone(threads: Executor, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"executor": threads, "out": tmp_path}
    list(tremble.solve_many(["kuhn", "centipede"], **asked))
    file = tmp_path / "results.jsonl"
    whole = file.read_bytes()
    for cut in (len(whole) - 1, len(whole) - 50, whole.index(b"\n") + 2, 10):
        file.write_bytes(whole[:cut])
        results = by_index(tremble.solve_many(["kuhn", "centipede"], **asked))
        done = whole[:cut].count(b"\n") + (cut == len(whole) - 1)
        assert sum(result.from_disk for result in results) == done
        assert all(result.proven for result in results)
    file.write_text('{}\n[]\n3\nnull\n{"name": 1, "file": "../x", "key": "k", "options": []}\n\x00\n')
    assert not any(result.from_disk for result in tremble.solve_many(["kuhn"], **asked))
    forged = [{**record, "file": f"../{record['file']}"} for record in lines_that_parse(file) if "sha256" in record]
    file.write_text("".join(json.dumps(record) + "\n" for record in forged))
    assert all(result.file.parent == tmp_path for result in tremble.solve_many(["kuhn"], **asked) if result.file)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("name", 3), ("file", 5), ("file", ["kuhn.json"]), ("key", {}), ("options", [1]), ("error", "stopped"),
        ("error", 1), ("error", {}), ("error", {"type": [], "message": 3}), ("sha256", None), ("seconds_float", "soon"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("whose", ["a solution", "a failure"])
def test_lines_with_entries_of_another_type(
    entry: str, value: object, whose: str, threads: Executor, tmp_path: Path
) -> None:
    games = ["kuhn" if whose == "a solution" else "no such game"]
    asked: dict[str, Any] = {"executor": threads, "out": tmp_path, "time_limit": 600}
    (before,) = tremble.solve_many(games, **asked)
    (line,) = lines(tmp_path)
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps(line | {entry: value}) + "\n")
    (result,) = tremble.solve_many(games, **asked)
    assert not result.from_disk
    assert (result.proven, str(result.error)) == (before.proven, str(before.error))
    (again,) = tremble.solve_many(games, **asked)
    assert again.from_disk == before.proven


def test_a_time_limit_of_another_type(threads: Executor, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"executor": threads, "out": tmp_path, "time_limit": 0.2}
    list(tremble.solve_many(["phantom_ttt"], **asked))
    (line,) = lines(tmp_path)
    (tmp_path / "results.jsonl").write_text(json.dumps(line | {"time_limit_float": "long"}) + "\n")
    (result,) = tremble.solve_many(["phantom_ttt"], **asked)
    assert not result.from_disk


def test_equal_games_have_a_line_each(threads: Executor, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a.efg", "b.efg", "漢 c:d.efg")]
    for path in paths:
        tremble.write_efg(matrix(2), path)
    asked: dict[str, Any] = {"executor": threads, "out": tmp_path / "out"}
    first = [result for path in paths for result in tremble.solve_many([path], **asked)]
    assert [result.from_disk for result in first] == [False, True, True]
    stated = lines(tmp_path / "out")
    assert [(line["name"], line["file"]) for line in stated] == [(path, "a.json") for path in paths]
    again = list(tremble.solve_many(paths[::-1], **asked))
    assert all(result.from_disk for result in again)
    assert lines(tmp_path / "out") == stated
    list(tremble.solve_many(paths[:1], concept="quasi-perfect", **asked))
    assert {line["file"] for line in lines(tmp_path / "out")} == {"a.json"}
    results = by_index(tremble.solve_many([paths[1]], **asked))
    assert [result.file and result.file.name for result in results] == ["b.json"]


def test_each_of_equal_games_finds_its_own_file(threads: Executor, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a.efg", "b.efg")]
    for path in paths:
        tremble.write_efg(matrix(2), path)
    for again in (False, True):
        results = by_index(tremble.solve_many(paths, executor=threads, out=tmp_path / "out"))
        assert [result.from_disk for result in results] == [again, again]
        assert [result.file and result.file.name for result in results] == ["a.json", "b.json"]


def test_games_that_differ_in_labels_are_two(threads: Executor, tmp_path: Path) -> None:
    text = 'EFG 2 R "" { "A" "B" }\np "" 1 1 "H" { "l" "r" } 0\nt "" 1 "" { 1 0 }\nt "" 2 "" { 2 0 }\n'
    for label in ("H", "T"):
        tree = tremble.read_efg(text.replace("H", label))
        (result,) = tremble.solve_many([tree], executor=threads, out=tmp_path)
        assert not result.from_disk
        assert result.solution is not None
        assert result.solution.strategies[0][label]["r"] == 1


def test_a_text_of_openspiel_that_names_a_file_is_solved_anew(threads: Executor, tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    file = tmp_path / "game.efg"
    tremble.write_efg(tremble.load("matching_pennies"), file)
    text = f"openspiel:efg_game(filename={file})"
    for value in (0, F(1, 5)):
        (result,) = tremble.solve_many([text], executor=threads, out=tmp_path / "out")
        assert result.solution is not None, result.error
        assert result.solution.value == value
        tremble.write_efg(tremble.matrix_game([[1, -1], [-1, 2]]), file)


def lines_that_parse(file: Path) -> Iterator[dict[str, Any]]:
    for text in file.read_text("utf-8", "replace").splitlines():
        try:
            record = json.loads(text)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def test_arrays_of_ordered_games_stand_beside(tmp_path: Path, threads: Executor) -> None:
    asked: dict[str, Any] = {"executor": threads, "out": tmp_path, "method": "lp"}
    (result,) = tremble.solve_many(["jk_four_cards"], **asked)
    assert result.file is not None
    again = list(tremble.solve_many(["jk_four_cards"], **asked))
    assert again[0].from_disk
    assert again[0].solution.values == result.solution.values  # type: ignore[union-attr]


# -- workers that end ------------------------------------------------------------------------------


@POSIX
def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path) -> None:
    """One game kills its worker once, one each time: the first is done in the end, the others are untouched."""
    for name, lives in (("once", 1), ("always", 99)):
        (tmp_path / name).mkdir()
        for life in range(lives):
            (tmp_path / name / f"life{life}").touch()
    games: dict[str, object] = {f"good {k}": matrix(k) for k in range(1, 9)}
    games = {"once": Deadly(tmp_path / "once"), **games, "always": Deadly(tmp_path / "always"), "last": "kuhn"}
    out = tmp_path / "out"
    results = {r.name: r for r in tremble.solve_many(games, processes=2, out=out, method="double-oracle")}
    assert set(results) == set(games)
    assert {name for name, result in results.items() if not result.proven} == {"always"}
    failed = results["always"].error
    assert isinstance(failed, SolverError)
    assert "its worker ended without a result, 4 times" in str(failed)
    lives = 99 - len(list((tmp_path / "always").iterdir()))
    assert 2 <= lives <= 4  # twice alone; beside others it may be lost before it begins
    assert len(lines(out)) == len(games)


class Unreliable(Executor):
    """Runs tasks at once, but loses some; or is broken from some task on, with all that are open."""

    def __init__(self, seed: int, lost: float, broken_at: int | None = None) -> None:
        self._random, self._lost, self._broken_at, self._count = random.Random(seed), lost, broken_at, 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._count += 1
        if self._broken_at is not None and self._count > self._broken_at:
            raise BrokenExecutor("broken")
        future: Future[Any] = Future()
        if self._random.random() < self._lost:
            future.set_exception(RuntimeError("KilledWorker"))
        elif self._broken_at == self._count:
            future.set_exception(BrokenExecutor("broken"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_lost_is_done_again(seed: int) -> None:
    games = [matrix(k) for k in range(1, 21)]
    results = by_index(tremble.solve_many(games, executor=Unreliable(seed, 0.3)))
    assert [result.index for result in results] == list(range(20))
    for k, result in enumerate(results, 1):
        if result.proven:
            assert result.solution.value == F(k - 1, k + 3)  # type: ignore[union-attr]
        else:
            assert "4 times; the last error: KilledWorker" in str(result.error)
    assert sum(result.proven for result in results) >= 17


def test_a_broken_executor_is_replaced_by_processes() -> None:
    games = [matrix(k) for k in range(1, 7)]
    with pytest.warns(tremble.errors.TrembleWarning, match="the executor is broken; the batch continues with"):
        results = list(tremble.solve_many(games, executor=Unreliable(0, 0.0, broken_at=3)))
    assert sorted(result.index for result in results) == list(range(6))
    assert all(result.proven for result in results)


def test_an_executor_that_is_closed() -> None:
    with ThreadPoolExecutor(1) as closed:
        pass
    with pytest.raises(SpecError, match="does not accept tasks: cannot schedule new futures after shutdown"):
        list(tremble.solve_many(["kuhn"], executor=closed))


def test_what_does_not_pickle_is_an_error_of_its_own(threads: Executor) -> None:
    class Local(Failing):
        pass

    one, two = by_index(tremble.solve_many([Local(), "kuhn"], executor=threads))
    assert "pickling them fails" in str(one.error)
    assert two.proven


SCRIPT = """
import tremble
{guard}
    for result in tremble.solve_many(["kuhn", "centipede"], processes=1):
        print(result.name, result.status)
"""


def test_a_script_by_standard_input() -> None:
    """Which new processes could not find, and need not."""
    done = subprocess.run(
        [sys.executable, "-"], input=SCRIPT.format(guard="if True:"), capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, sorted(done.stdout.split()), done.stderr) == (
        0, ["centipede", "certified", "certified", "kuhn"], "",
    )  # fmt: skip


def ran(script: Path, guard: str) -> subprocess.CompletedProcess[str]:
    script.write_text(SCRIPT.format(guard=guard))
    return subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_a_script_with_a_guard(tmp_path: Path) -> None:
    done = ran(tmp_path / "with.py", 'if __name__ == "__main__":')
    assert (done.returncode, sorted(done.stdout.split())) == (0, ["centipede", "certified", "certified", "kuhn"])


def test_a_script_without_a_guard_is_told(tmp_path: Path) -> None:
    done = ran(tmp_path / "without.py", "if True:")
    assert done.returncode == 1
    assert 'put the code that starts the batch under if __name__ == "__main__"' in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1, done.stderr  # worker processes print nothing


# -- Dask ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    """A client of two workers, each a process with one thread."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"dashboard_address": ":0", "silence_logs": 50}
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


@pytest.mark.slow
def test_dask(dask: Any, tmp_path: Path) -> None:
    """The same results; a limit holds in Dask's threads; a worker that is killed by its id costs nothing."""
    executor = dask.get_executor()
    limited_in(executor, tmp_path)
    games: dict[str, object] = {f"good {k}": matrix(k) for k in range(1, 9)}
    games = {"killed": Endless(tmp_path / "pid", 1.0), **games}
    (tmp_path / "pid").unlink()
    asked: dict[str, Any] = {"executor": executor, "out": tmp_path / "out", "method": "double-oracle"}
    solving = tremble.solve_many(games, **asked)
    killer = threading.Thread(target=kill_when_there_is, args=(tmp_path / "pid",))
    killer.start()
    results = {result.name: result for result in solving}
    killer.join()
    assert set(results) == set(games)
    assert all(result.proven for result in results.values()), results
    assert len(lines(tmp_path / "out")) == len(games)
    assert all(result.from_disk for result in tremble.solve_many(games, **asked))


def kill_when_there_is(file: Path) -> None:
    wait_for(lambda: file.exists() and file.read_text())
    os.kill(int(file.read_text()), signal.SIGKILL)


# -- the command -----------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "local_processes", lambda count: ThreadPoolExecutor(count))
    done = run("batch", "kuhn", "beer_quiche", "-o", "out")
    assert done.exit_code == 0, done.output
    assert "kuhn: certified, " in done.stderr
    assert "2 of 2 proven" in done.stdout
    again = run("batch", "kuhn", "beer_quiche", "-o", "out", "--format", "json", "-q")
    assert [(row["name"], row["status"]) for row in json.loads(again.stdout)] == [
        ("kuhn", "certified"), ("beer_quiche", "certified"),
    ]  # fmt: skip
    assert again.stderr == ""
    table = run("batch", "kuhn", "absentminded_driver", "-o", "out", "--format", "csv", "-q").stdout.splitlines()
    assert table[0].startswith("index,name,status,proven,concept,method,value1,value1_float,value2,value2_float")
    assert table[1].startswith("1,kuhn,certified,True,nash,lp,-1/18,-0.0555")
    assert table[2].startswith("2,absentminded_driver,failed,False,,,,,,,")
    assert run("verify", "kuhn", "out/kuhn.json").exit_code == 0
    maxmin = run("batch", "kuhn", "battle_outside", "-o", "out", "--concept", "maxmin", "--player", "2", "-q")
    assert "player 2 guarantees 3/4 ≈ 0.75" in maxmin.stdout
    assert "  -1/18 ≈" in maxmin.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["kuhn", "no_such_game"], 2),
        (["kuhn", "none.efg"], 3),
        (["kuhn", "absentminded_driver"], 4),
        (["kuhn", "phantom_ttt", "--time-limit", "0.5"], 5),
        (["none.efg", "absentminded_driver"], 1),
        (["kuhn", "--concept", "nosh"], 2),
        ([], 2),
    ],
)
def test_exit_codes(arguments: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "local_processes", lambda count: ThreadPoolExecutor(count))
    assert run("batch", *arguments, "-o", "out").exit_code == code


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == pid:
            found += [int(stat.parent.name), *children(int(stat.parent.name))]
    return found


def wait_for(there: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("stop", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGKILL])
def test_ctrl_c_ends_it_soon_and_finished_results_are_there(stop: signal.Signals, tmp_path: Path) -> None:
    command = ("batch", "kuhn", "phantom_ttt", "centipede", "-o", "out", "--jobs", "1", "--time-limit", "300")
    process = tremble_process(*command, cwd=tmp_path)
    results = tmp_path / "out" / "results.jsonl"
    wait_for(lambda: results.exists() and results.read_bytes().count(b"\n") == 1)
    time.sleep(0.5)
    workers = children(process.pid)
    assert workers
    process.send_signal(stop)
    said = process.communicate(timeout=30)[1]
    if stop is not signal.SIGKILL:
        assert process.returncode == 130
        assert "1 of 3 games are done; the solutions are in out; to continue" in said
        assert "Traceback" not in said
    wait_for(lambda: not any(map(alive, workers)), 10)
    assert [record["name"] for record in lines(tmp_path / "out")] == ["kuhn"]
    assert tremble.Solution.from_json(tmp_path / "out" / "kuhn.json").value == F(-1, 18)
    assert not list((tmp_path / "out").glob("*.tmp"))


# -- kills at random moments -----------------------------------------------------------------------


def killed_at_random(folder: Path, kills: int, games: list[str], seed: int, longest: float) -> None:
    """Kill the whole batch, or a worker by its id, again and again; what is done stays done, in the end all is."""
    chance = random.Random(seed)
    results, kept = folder / "out" / "results.jsonl", 0
    stats: dict[str, float] = {}
    for k in range(kills):
        process = tremble_process("batch", *games, "-o", "out", "--jobs", "2", cwd=folder)
        threading.Thread(target=process.stdout.read, daemon=True).start()  # type: ignore[union-attr]
        time.sleep(chance.uniform(0.3, longest))
        if k % 2:  # a worker: the batch itself comes to its end
            for pid in children(process.pid)[-1:]:
                os.kill(pid, signal.SIGKILL)
            time.sleep(chance.uniform(0.0, 2.0))
        process.kill()
        process.communicate()
        done = [] if not results.exists() else list(lines_that_parse(results))
        assert len({record["name"] for record in done}) == len(done)  # nothing was done twice
        assert len(done) >= kept
        kept = len(done)
        for record in done:
            name, seconds = record["file"], record["seconds_float"]
            assert stats.setdefault(name, seconds) == seconds
    last = run_to_the_end(folder, games)
    assert sum("solved before" in line for line in last) == kept
    assert len(lines(folder / "out")) == len(games)
    again = run_to_the_end(folder, games)
    assert sum("solved before" in line for line in again) == len(games)
    for record in lines(folder / "out"):
        tree = tremble.load(record["name"])
        assert tremble.verify(tree, tremble.Solution.from_json(folder / "out" / record["file"])).ok


def run_to_the_end(folder: Path, games: list[str]) -> list[str]:
    process = tremble_process("batch", *games, "-o", "out", "--jobs", "2", cwd=folder)
    said = process.communicate(timeout=600)[1]
    assert process.returncode == 0, said
    return said.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_two_kills(tmp_path: Path) -> None:
    killed_at_random(tmp_path, 2, [f"random_tree:seed={k}" for k in range(12)], 1, 4.0)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_thirty_kills(tmp_path: Path) -> None:
    killed_at_random(tmp_path, 30, [f"random_tree:seed={k},depth=6" for k in range(200)], 2, 8.0)


# -- a limit for all games ---------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("how", ["in turn", "threads", "processes"])
def test_a_limit_for_all_games_ends_the_batch(how: str, tmp_path: Path) -> None:
    """What is being solved is stopped, what was not begun is reported, and a rerun solves both."""
    with ThreadPoolExecutor(1) as threads:
        where: dict[str, Any] = {
            "in turn": {"executor": InTurn()}, "threads": {"executor": threads}, "processes": {"processes": 1}
        }[how]  # fmt: skip
        games = ["kuhn", "rhode_island", "matching_pennies", "centipede"]
        began = time.monotonic()
        found = by_index(tremble.solve_many(games, "nash", out=tmp_path, total_limit=8.0, gap=1e-7, **where))
        taken = time.monotonic() - began
    assert taken < 60  # Rhode Island Hold'em alone takes hours to this gap
    assert [r.index for r in found] == [0, 1, 2, 3]
    kuhn, rhode, *others = found
    assert kuhn.proven
    assert isinstance(rhode.error, LimitReached)
    assert [str(r.error) for r in others] == ["stopped by the time limit before the game was started"] * 2
    assert all(isinstance(r.error, LimitReached) for r in others)
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [line["name"] for line in lines] == ["kuhn", "rhode_island"]
    assert lines[1]["time_limit_float"] < 8.0  # more time is a reason to solve it again


def test_workers_that_do_not_end_by_themselves_do_not_outlast_the_limit(tmp_path: Path) -> None:
    """The game is stopped in time; its process is not waited for."""
    began = time.monotonic()
    (found,) = tremble.solve_many([Lingering(tmp_path / "begun", 90.0)], total_limit=8.0, processes=1)
    assert time.monotonic() - began < 60
    assert isinstance(found.error, LimitReached)
    assert (tmp_path / "begun").exists()


def test_games_without_a_number_end_at_the_limit_for_all() -> None:
    """A generator is not read to its end, which it may not have."""
    found = list(tremble.solve_many(itertools.repeat("kuhn"), executor=InTurn(), total_limit=1.0))
    assert found
    assert found[0].proven


def test_the_command_ends_at_its_time_limit(tmp_path: Path) -> None:
    # Cache the kernels first: nothing can interrupt their compilation, so a busy machine would miss the limit.
    assert run("solve", "rhode_island:ranks=3", "-q").exit_code == 0
    command = ("batch", "rhode_island", "kuhn", "centipede", "-o", "out", "--jobs", "1", "--time-limit", "8")
    process = tremble_process(*command, "--format", "json", cwd=tmp_path)
    printed, said = process.communicate(timeout=100)
    assert process.returncode == 5, said
    assert [(row["name"], row["error"]["type"]) for row in json.loads(printed)] == [
        (name, "LimitReached") for name in ("rhode_island", "kuhn", "centipede")
    ]
