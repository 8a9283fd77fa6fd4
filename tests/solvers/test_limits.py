"""Limits end the work when they say, whatever is going on, and leave the bounds that were reached.

The only clocks here are generous caps, minutes below what the work would take otherwise; how far limits are
overshot is measured in benchmarks/results/limits.md.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction as F
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tremble
from command import run
from processes import started, tremble_process
from tremble import LimitReached
from tremble.game.rules import UnbuiltGame
from tremble.run.alarm import interrupts_held_back
from tremble.run.compiling import compiled_whole, held_back_in
from tremble.run.deadline import Deadline, grace, limited
from tremble.solvers import anytime as incumbent
from tremble.solvers import proof_process
from tremble.solvers.method import Request
from tremble.status import Status

forks = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")


def for_ever() -> None:
    while True:
        pass


def swallowing() -> None:
    """What a library may do with an exception from outside: one is lost in a destructor."""

    class Busy:
        def __del__(self) -> None:
            for_ever()

    Busy()
    for_ever()


def stubborn() -> None:
    while True:
        try:
            for_ever()
        except Exception:
            continue


# -- work that does not look at a clock ------------------------------------------------------------


def in_a_thread(work: Callable[[], None]) -> None:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    for error in errors:
        raise error


@pytest.mark.parametrize("place", [lambda work: work(), in_a_thread], ids=["main thread", "other thread"])
@pytest.mark.parametrize("work", [for_ever, stubborn, lambda: limited(60, for_ever)])
def test_endless_work_is_stopped(work: Callable[[], None], place: Callable[[Callable[[], None]], None]) -> None:
    with pytest.raises(LimitReached, match="stopped by the time limit"):
        place(lambda: limited(0.05, work))


def test_an_exception_that_is_lost_comes_again() -> None:
    with pytest.raises(LimitReached):
        limited(0.05, swallowing)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")
def test_sleep_is_interrupted() -> None:
    with pytest.raises(LimitReached):
        limited(0.05, lambda: time.sleep(600))


def test_the_inner_limit_is_not_taken_for_the_outer_one() -> None:
    def inner() -> str:
        with pytest.raises(LimitReached):
            limited(0.02, for_ever)
        return "the work goes on"

    assert limited(600, inner) == "the work goes on"


@pytest.mark.parametrize("place", [lambda work: work(), in_a_thread], ids=["main thread", "other thread"])
def test_nothing_is_stopped_afterwards(place: Callable[[Callable[[], None]], None]) -> None:
    """Limits about as long as the work: it ends in time or is stopped, and nothing strikes later."""
    rng = random.Random(3)

    def often() -> None:
        ended = 0
        for _ in range(300):
            try:
                limited(rng.random() * 4e-4, lambda: limited(rng.random() * 4e-4, lambda: sum(range(3_000))))
                ended += 1
            except LimitReached:
                pass
        for _ in range(100_000):
            pass
        assert ended

    place(often)
    if hasattr(signal, "setitimer"):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def translating() -> None:
    """What a library may make of it that is being imported."""
    try:
        for_ever()
    except BaseException:
        raise ImportError("initialization failed") from None


def test_what_stops_a_library_is_not_taken_for_its_error() -> None:
    with pytest.raises(LimitReached):
        limited(0.05, translating)
    with pytest.raises(ImportError):
        limited(600, lambda: exec("raise ImportError"))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")
@pytest.mark.parametrize("place", [lambda work: work(), in_a_thread], ids=["main thread", "other thread"])
def test_what_is_held_back_comes_to_its_end(place: Callable[[Callable[[], None]], None]) -> None:
    ended: list[float] = []

    def whole() -> None:
        with interrupts_held_back(), interrupts_held_back():
            until = time.monotonic() + 0.3
            while time.monotonic() < until:
                pass
            ended.append(until)
        for_ever()

    with pytest.raises(LimitReached):
        place(lambda: limited(0.05, whole))
    assert len(ended) == 1


def test_a_limit_can_interrupt_the_first_call_of_a_kernel() -> None:
    """The first call compiles. Later calls are protected."""
    ended: list[int] = []

    def call(kernel: Any) -> None:
        with held_back_in(kernel):
            until = time.monotonic() + 0.2
            while time.monotonic() < until:
                pass
            ended.append(len(kernel.signatures))
        for_ever()

    for signatures in ([], ["int64(int64)"]):
        with pytest.raises(LimitReached):
            limited(0.05, lambda types=signatures: call(SimpleNamespace(signatures=types)))  # type: ignore[misc]
    assert ended == [1]


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """A process that was begun in the background may have been born deaf."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_strikes_in_a_destructor_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    class Slow:
        def __del__(self) -> None:
            for_ever()

    def work() -> None:
        del globals()["slow"]  # the limit strikes in its destructor, is lost there, and strikes again
        for_ever()

    globals()["slow"] = Slow()
    with pytest.raises(LimitReached):
        limited(0.05, work)
    assert told == []


@pytest.mark.usefixtures("hears_ctrl_c")
def test_an_interrupt_that_is_held_back_comes_after_all() -> None:
    ended: list[bool] = []

    def work() -> None:
        with interrupts_held_back():
            signal.raise_signal(signal.SIGINT)
            ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert ended


# -- rules -----------------------------------------------------------------------------------------


class Pennies:
    """Matching pennies, with something wrong in one method."""

    title = "pennies"

    def __init__(self, wrong: str = "", what: Callable[[], object] = for_ever) -> None:
        self.wrong, self.what = wrong, what

        if wrong:
            setattr(self, wrong, lambda *_: what())

    def root(self) -> tuple[int, ...]:
        return ()

    def player(self, h: tuple[int, ...]) -> int:
        return len(h) if len(h) < 2 else tremble.TERMINAL

    def actions(self, h: tuple[int, ...]) -> tuple[str, ...]:
        return "heads", "tails"

    def chance(self, h: tuple[int, ...]) -> tuple[F, ...]:
        raise LookupError

    def child(self, h: tuple[int, ...], i: int) -> tuple[int, ...]:
        return (*h, i)

    def infoset(self, h: tuple[int, ...]) -> int:
        return len(h)

    def payoff(self, h: tuple[int, ...]) -> tuple[int, int]:
        return (1, -1) if h[0] == h[1] else (-1, 1)


class Longer(Pennies):
    """The same, many rounds of it, without a state key: positions that no double oracle sees the end of."""

    def player(self, h: tuple[int, ...]) -> int:
        return len(h) % 2 if len(h) < 40 else tremble.TERMINAL

    def infoset(self, h: tuple[int, ...]) -> tuple[int, ...]:
        return h if len(h) % 2 == 0 else h[:-1]


class Endless(Longer):
    def player(self, h: tuple[int, ...]) -> int:
        return len(h) % 2

    def child(self, h: tuple[int, ...], i: int) -> tuple[int, ...]:
        return (*h, i)


RULES = [
    *(Pennies(name) for name in ("root", "payoff")),
    *(pytest.param(Pennies(name), marks=pytest.mark.slow) for name in ("player", "actions", "child", "infoset")),
    *(Pennies(name, lambda: time.sleep(600)) for name in ("player", "payoff")),
    Longer(),
    Endless(),
]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="sleep is interrupted by POSIX signals")
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{type(rules).__name__} {rules.wrong}")
def test_rules_that_never_end(rules: Any) -> None:
    with pytest.raises(LimitReached, match="stopped by the time limit"):
        tremble.solve(rules, time_limit=0.2)


# -- incumbents carry their bounds -----------------------------------------------------------------


@pytest.fixture
def slow_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of the checker begins at once; what is not ready at the end of the run is not waited for."""
    monkeypatch.setattr(incumbent, "_FIRST_SECONDS", 0.0)


@pytest.mark.sample(1)
@forks
@pytest.mark.usefixtures("slow_checker")
@pytest.mark.parametrize("stop", ["interrupt", "time"])
def test_bounds_are_there_when_a_run_of_rules_is_stopped(stop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come from the process beside it: in this one the checker is never asked."""
    here = os.getpid()
    evaluate = incumbent.Incumbent._look

    def look(*arguments: Any) -> Any:
        assert os.getpid() != here
        return evaluate(*arguments)

    monkeypatch.setattr(incumbent.Incumbent, "_look", look)
    game = UnbuiltGame.of(tremble.load_rules("goofspiel:cards=4,order=increasing").rules)
    value = tremble.solve(tremble.load("goofspiel:cards=4,order=increasing")).value
    seen: list[int] = []

    def report(row: Any) -> None:
        seen.append(row["iteration"])
        if len(seen) == 4:
            time.sleep(2)  # for the process
        if len(seen) == 6:
            raise KeyboardInterrupt if stop == "interrupt" else LimitReached("stopped by the time limit")

    with pytest.raises(LimitReached) as caught:
        tremble.solve(game, method="double-oracle", report=report)
    best = caught.value.best
    assert best is not None
    assert (best.status, best.concept, best.requested) == (Status.BOUNDED, "nash", "nash")
    assert best.bounds is not None
    assert best.bounds[0] <= value <= best.bounds[1]
    assert best.bounds[0] < best.bounds[1]
    verification = tremble.verify(game, best)
    assert (verification.ok, verification.bounds) == (True, best.bounds)
    assert best.stats["stopped"] == ("stopped by Ctrl-C" if stop == "interrupt" else "stopped by the time limit")
    assert not multiprocessing.active_children()


@forks
@pytest.mark.usefixtures("slow_checker")
@pytest.mark.parametrize("step", ["start", "result"])
def test_what_strikes_around_the_process_leaves_none(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead: list[str] = [step]
    work = getattr(incumbent.Proof, step)

    def struck(proof: Any) -> Any:
        result = work(proof)
        if ahead:
            ahead.pop()
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(incumbent.Proof, step, struck)
    game = UnbuiltGame.of(tremble.load_rules("goofspiel:cards=4,order=increasing").rules)
    with pytest.raises(LimitReached) as caught:
        tremble.solve(game, method="double-oracle", report=lambda _row: time.sleep(0.2))
    assert caught.value.interrupted
    assert not ahead
    assert not multiprocessing.active_children()


@forks
@pytest.mark.usefixtures("slow_checker")
def test_no_process_is_left_behind() -> None:
    for spec in ("leduc:raises=1,ranks=2", "kuhn"):
        game = UnbuiltGame.of(tremble.load_rules(spec).rules)
        assert tremble.solve(game, method="double-oracle").status is Status.CERTIFIED
        assert not multiprocessing.active_children()


@forks
@pytest.mark.usefixtures("slow_checker")
def test_a_checker_that_dies_costs_only_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_process, "_prove", lambda *_: os._exit(9))
    game = UnbuiltGame.of(tremble.load_rules("leduc").rules)

    def report(row: Any) -> None:
        if row["iteration"] == 20:
            raise KeyboardInterrupt

    with pytest.raises(LimitReached) as caught:
        tremble.solve(game, method="double-oracle", report=report)
    assert caught.value.best is not None
    assert caught.value.best.status is Status.BOUNDED


# -- the command -----------------------------------------------------------------------------------


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["kuhn", "--method", "cfr", "--gap", "0"], "bounded"),
        (["leduc:ranks=9", "--concept", "perfect"], None),
        (["leduc:ranks=9", "--method", "npp", "--concept", "perfect"], None),
        (["phantom_ttt"], None),
        (["leduc:ranks=40"], None),
    ],
)
def test_what_a_limit_leaves_says_what_it_is(arguments: list[str], status: str | None, tmp_path: Path) -> None:
    path = tmp_path / "best.json"
    # A process of its own: where kernels are compiled for longer than the grace period, the command ends it.
    process = tremble_process("solve", *arguments, "--time-limit", "0.5", "-o", path)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 5, stderr
    assert "stopped by the time limit" in stderr
    if not path.exists():
        compiled = "in a step that did not react to it" in stderr
        assert compiled or "there is no result yet" in stderr
        assert compiled or status is None
        return
    found = json.loads(path.read_text())
    assert found["status"] == status or status is None
    assert found["stats"]["stopped"] == "stopped by the time limit"
    assert found["concept"] == "nash"  # the only one that anything is ever proven of at a limit
    assert found["requested"] == (arguments[arguments.index("--concept") + 1] if "--concept" in arguments else "nash")
    if found["status"] == "bounded":
        assert re.search(r"concept +not proven; only the bounds are proven \(requested: ", stdout)
    assert "Stopped by the time limit." in stdout


def test_the_grace_period() -> None:
    assert [grace(limit) for limit in (1e-3, 5, 20, 60)] == [2, 2, 2, 6]


STUCK = """
import ctypes, sys, time
import tremble.cli, tremble.games.loading
def stuck(*_, **__):  # a step that hears neither signals nor Python
    ctypes.CDLL(None).usleep.argtypes = [ctypes.c_uint]
    while True:
        try:
            ctypes.CDLL(None).usleep(60_000_000)
        except BaseException:
            pass
tremble.games.loading.load = tremble.games.loading.load_any = stuck
sys.argv = ["tremble", "solve", "kuhn", "--time-limit", "0.2"]
import tremble.__main__
tremble.__main__.run()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs usleep")
def test_a_step_that_cannot_be_stopped_ends_with_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", STUCK], capture_output=True, text=True, timeout=50)
    assert done.returncode == 5
    assert "stopped by the time limit, in a step that did not react to it" in done.stderr


IN_A_THREAD = """
import sys, threading
from tremble.run.deadline import limited
from tremble.errors import LimitReached

def endless():
    while True:
        pass

def work():
    limited(100.0, int)
    try:
        limited(0.01, endless)
    except LimitReached:
        print("stopped")

thread = threading.Thread(target=work)
thread.start()
thread.join()
sys.settrace(lambda *_: None)
work_of_others = lambda: print("traced")
work_of_others()
"""


def test_a_limit_in_a_thread_leaves_debuggers_at_work() -> None:
    """In Python 3.11 an exception from outside that is taken back makes a traced program stand still."""
    done = subprocess.run([sys.executable, "-c", IN_A_THREAD], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["stopped", "traced"], done.stderr


@forks
@pytest.mark.slow
def test_an_interrupt_in_phantom_tic_tac_toe_leaves_exact_bounds_at_once(tmp_path: Path) -> None:
    path = tmp_path / "best.json"
    command = [sys.executable, "-m", "tremble", "solve", "phantom_ttt", "-o", str(path)]
    for seconds in (25, 40, 60):  # on a busy machine the checker has found none after the first
        with started(command, stdout=subprocess.DEVNULL) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            try:
                _, said = process.communicate(timeout=30)  # a search for bounds would take up to a minute
            except subprocess.TimeoutExpired:
                process.kill()
                continue
        assert process.returncode in (0, 130), said
        found = json.loads(path.read_text())
        assert found["status"] == ("bounded" if process.returncode else "certified")
        assert F(found["bounds"][0]) <= F(2, 3) <= F(found["bounds"][1])
        return
    pytest.fail("there never were bounds at once")


def test_one_run_keeps_no_other_out() -> None:
    """Runs in several threads, and after one that was stopped in the middle of a linear program."""
    tree = tremble.load("leduc:ranks=9")
    with pytest.raises(LimitReached):
        tremble.solve(tree, time_limit=0.05)
    found: list[F] = []
    threads = [threading.Thread(target=lambda: found.append(tremble.solve(tree).value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found) == 2


def test_a_limit_in_an_import_leaves_the_library_whole() -> None:
    """HiGHS could not be imported again if the limit struck in its beginning."""
    program = """
import tremble
kuhn = tremble.load("leduc")
for limit in (0.01, 0.02, 0.04, 0.06, 0.08):
    try:
        tremble.solve(kuhn, time_limit=limit)
    except tremble.LimitReached:
        pass
print(tremble.solve(kuhn).status)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "certified\n", done.stderr


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_a_limit_comes_after_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_main_thread: bool) -> None:
    """Numba imports modules with its first kernel, and registers each of them only once."""
    (tmp_path / "slow_to_import.py").write_text(
        "import time\nfor _ in range(30):\n    time.sleep(0.01)\nwhole = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    whole: list[bool] = []

    def work() -> None:
        import slow_to_import

        whole.append(slow_to_import.whole)
        for_ever()

    def stopped_after_it() -> None:
        with pytest.raises(LimitReached):
            limited(0.05, work)
        assert whole == [True]
        whole.append(False)

    if in_main_thread:
        stopped_after_it()
    else:
        thread = threading.Thread(target=stopped_after_it)
        thread.start()
        thread.join()
    assert whole == [True, False]
    del sys.modules["slow_to_import"]


@pytest.mark.usefixtures("hears_ctrl_c")
def test_a_kernel_is_compiled_whole() -> None:
    """Ctrl-C while Numba compiles comes after it: cut short in its callbacks, the kernel could not be called again."""
    compiled = []

    def compile_for(kind: str) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        compiled.append(kind)
        return kind

    def kernel_with(compile_for: Callable[..., object], refresh: Callable[[], object] = list) -> Any:
        context = SimpleNamespace(refresh=refresh)
        return compiled_whole(SimpleNamespace(_compile_for_args=compile_for, typingctx=context, targetctx=context))

    kernel = kernel_with(compile_for)
    with pytest.raises(KeyboardInterrupt):
        kernel._compile_for_args("floats")
    assert compiled == ["floats"]
    plain = object()  # a function, where compilation is switched off
    assert compiled_whole(plain) is plain

    def failing() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        raise ValueError

    with pytest.raises(KeyboardInterrupt):
        kernel_with(failing)._compile_for_args()
    with pytest.raises(LimitReached):
        limited(0.05, kernel_with(for_ever)._compile_for_args)
    refreshed: list[str] = []

    def refresh() -> None:
        for _ in range(10):
            time.sleep(0.01)
        refreshed.append("whole")

    with pytest.raises(LimitReached):
        limited(0.05, kernel_with(for_ever, refresh)._compile_for_args)
    assert refreshed == ["whole", "whole"]


# -- something proven is written, whatever the method is doing ---------------------------------------

DEAF = """
import ctypes, sys
import tremble.cli.solve, tremble.text.solutions
from tremble.solvers.table import METHODS
def deaf(*_, **__):  # a step that hears neither signals nor Python
    ctypes.CDLL(None).usleep.argtypes = [ctypes.c_uint]
    while True:
        try:
            ctypes.CDLL(None).usleep(60_000_000)
        except BaseException:
            pass
for method in METHODS.values():
    method.run = deaf
sys.argv = ["tremble", "solve", *sys.argv[1:], "--time-limit", "2"]
import tremble.__main__  # the time counts from here
tremble.__main__.run()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs usleep")
@pytest.mark.parametrize(
    ("arguments", "status", "proven"),
    [
        (["kuhn"], "bounded", "bounds"),
        (["leduc", "--concept", "quasi-perfect"], "bounded", "bounds"),
        (["kuhn", "--concept", "proper"], "bounded", "bounds"),
        (["kuhn", "--concept", "maxmin"], "bounded", "bounds"),
        (["leduc", "--method", "cfr"], "bounded", "bounds"),
        (["beer_quiche", "--concept", "sequential"], "limit-reached", None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_proven_is_written_while_a_method_hears_nothing(
    arguments: list[str], status: str, proven: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "best.json"
    done = subprocess.run(
        [sys.executable, "-c", DEAF, *arguments, "-o", path], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 5, done.stderr
    assert "stopped by the time limit" in done.stderr
    assert "no result yet" not in done.stderr
    found = tremble.Solution.from_json(path)
    assert (found.status, found.concept) == (status, "nash")
    assert found.stats["stopped"] == "stopped by the time limit"
    again = tremble.verify(tremble.load(arguments[0]), found)
    assert (again.ok, again.proven) == (proven is not None, proven)
    assert again.values == found.values
    assert again.nash_conv is not None
    assert again.nash_conv > 0
    assert F(found.certificate["nash_conv"]) == again.nash_conv


@pytest.mark.parametrize("concept", ["nash", "quasi-perfect", "sequential", "perfect", "normal-form-perfect", "proper"])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "beer_quiche"])
def test_the_checker_judges_a_simple_profile_before_the_method_begins(game: str, concept: str) -> None:
    tree = tremble.load(game)
    best = incumbent.Incumbent(Request(tree, concept, time_limit=1000.0))
    assert best.recorded() is None
    best.begin()
    recorded = best.recorded()
    best.close()
    assert recorded is not None
    uniform = [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    assert recorded.values == tremble.expected_values(tree, uniform)
    assert F(recorded.certificate["nash_conv"]) == tremble.nash_conv(tree, uniform)
    assert (recorded.bounds is None) == (tree.constant_sum is None)


def test_it_is_judged_where_the_limit_has_passed_already() -> None:
    best = incumbent.Incumbent(Request(tremble.load("leduc"), time_limit=1e-9))
    best.begin()
    assert best.recorded() is not None
    best.close()


@forks
def test_another_thread_takes_what_has_been_proven() -> None:
    """The one of the run may be in a step that nothing can interrupt."""
    best = incumbent.Incumbent(Request(tremble.load("kuhn"), time_limit=1000.0))
    best._begin()
    found: list[tremble.Solution] = []

    def take() -> None:
        while not found:
            recorded = best.recorded()
            found.extend([] if recorded is None else [recorded])

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    thread.join(100)
    best.close()
    assert found[0].bounds == (F(-5, 12), F(1, 2))


def test_a_solver_that_is_cut_off_leaves_what_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(*_: Any, **__: Any) -> Any:
        raise LimitReached("stopped by the time limit; there is no result yet")

    monkeypatch.setattr(incumbent.Incumbent, "best_so_far", cut_off)
    monkeypatch.setattr("tremble.solvers.lp.Lp.run", cut_off)
    path = tmp_path / "best.json"
    result = run("solve", "kuhn", "--time-limit", "1000", "-o", path)
    assert result.exit_code == 5, result.stderr
    assert "no result yet" not in result.stderr
    assert tremble.verify(tremble.load("kuhn"), tremble.Solution.from_json(path)).proven == "bounds"


def test_a_command_that_has_ended_is_not_rescued(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[object] = []
    monkeypatch.setattr("tremble.run.deadline.end_now", lambda *said: ended.append(said))
    monkeypatch.setattr("tremble.run.deadline.grace", lambda _limit: 0.02)
    deadline = Deadline(0.01, time.perf_counter())
    with deadline:
        deadline.rescue(lambda: True)
    time.sleep(0.1)
    assert not ended


def test_without_a_constant_sum_a_limit_leaves_exact_payoffs_and_gains() -> None:
    game = tremble.load("beer_quiche")
    with pytest.raises(LimitReached, match=r"it is proven that both players together can gain \S+ by dev") as caught:
        tremble.solve(game, time_limit=1e-9)
    best = caught.value.best
    assert isinstance(best, tremble.Solution)
    assert (best.status, best.bounds) == (Status.LIMIT_REACHED, None)
    assert best.values == tremble.expected_values(game, best.strategies)
    assert F(best.certificate["nash_conv"]) == tremble.nash_conv(game, best.strategies)
