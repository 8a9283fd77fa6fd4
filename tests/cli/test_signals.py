"""Ctrl-C and SIGTERM: the first ends the work with what there is, the second the process, and children go with it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import tremble
from command import run
from processes import alive, started, tremble_process, wait_for
from tremble.run.alarm import ctrl_c_held_back
from tremble.run.signals import AT_ONCE, interrupt

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

SOON = 12.0  # seconds, on a busy machine, for what takes two


def ended(process: subprocess.Popen[str], seconds: float = SOON) -> str:
    """What a process says until its end, which comes soon."""
    try:
        return process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


def program(change: str, *arguments: object) -> tuple[str, str]:
    """The command, with some of it replaced."""
    argv = ["tremble", *map(str, arguments)]
    text = f"import sys, time, os, pathlib\n{change}\nsys.argv = {argv!r}\nimport tremble.__main__ as m\nm.run()\n"
    return "-c", text


# -- the first one -----------------------------------------------------------------------------------


@pytest.fixture
def as_in_the_command() -> Iterator[None]:
    before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)]
    for number, _ in before:
        signal.signal(number, interrupt)
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.usefixtures("as_in_the_command")
def test_two_at_once_are_one() -> None:
    """As ``timeout`` sends them: to a process, and then to its group."""
    time.sleep(AT_ONCE)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)
    time.sleep(AT_ONCE)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


SLOW = (
    "import tremble.games.loading as l\nl.load = l.load_any = lambda *a, **k: (print('on', flush=True), time.sleep(60))"
)


@pytest.mark.parametrize("command", [("info", "kuhn"), ("shrink", "kuhn")])
def test_every_command_takes_sigterm_for_ctrl_c(command: tuple[str, ...], tmp_path: Path) -> None:
    process = tremble_process(begin=program(SLOW, *command), cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGTERM)
    said = ended(process)
    assert (process.returncode, said) == (130, "interrupted by SIGTERM\n")


@pytest.mark.sample(3)
@pytest.mark.parametrize(("stop", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
@pytest.mark.parametrize(
    "command",
    [
        ("solve", "rhode_island", "-o", "out.json"),
        ("sweep", "rhode_island", "--folder", "out"),
        ("batch", "rhode_island", "-o", "out", "--jobs", "1"),
    ],
)
def test_the_signal_that_came_is_named(
    command: tuple[str, ...], stop: signal.Signals, name: str, tmp_path: Path
) -> None:
    if command[0] == "sweep":  # one point is solved, in this process
        change = "import fractions, tremble.batch.parameter_sweep as s\n"
        change += "s._specs = lambda *a: ('x', [fractions.Fraction(1)], ['rhode_island'])\n"
    else:
        change = ""
    change += "print('on', flush=True)\n"
    process = tremble_process(begin=program(change, *command), cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    time.sleep(6.0)
    process.send_signal(stop)
    said = ended(process, 90.0)
    assert process.returncode == 130
    other = {"Ctrl-C": "SIGTERM", "SIGTERM": "Ctrl-C"}[name]
    assert f"by {name}" in said
    assert f"by {other}" not in said


@pytest.mark.parametrize(("stop", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
def test_shrink_says_that_a_signal_stopped_it(stop: signal.Signals, name: str, tmp_path: Path) -> None:
    command = ("shrink", "rhode_island:ranks=6", "--loss", "1/100000000")
    change = "import tremble.poker.command_shrink as s\nsolve = s.solve\n"
    change += "s.solve = lambda *a, **k: (print('on', flush=True), solve(*a, **k))[1]\n"
    process = tremble_process(begin=program(change, *command), cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    time.sleep(2.0)
    process.send_signal(stop)
    said = ended(process, 90.0)
    assert (process.returncode, said.splitlines()[-1].partition(";")[0]) == (130, f"stopped by {name}")


def test_what_nohup_ignores_stays_ignored() -> None:
    nohup = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    process = tremble_process(begin=program(nohup + SLOW, "info", "kuhn"))
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    for _ in range(2):
        process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2.5)
    process.send_signal(signal.SIGTERM)
    assert (ended(process), process.returncode) == ("interrupted by SIGTERM\n", 130)


def test_who_imports_tremble_has_the_signals_to_himself() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    fd = signal.set_wakeup_fd(-1)
    tremble.solve(tremble.load("kuhn"))
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert signal.set_wakeup_fd(fd) == -1


@pytest.mark.usefixtures("as_in_the_command")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_what_is_held_back_comes_after_the_outermost_block(stop: signal.Signals) -> None:
    reached = []
    time.sleep(AT_ONCE)

    def work() -> None:
        with ctrl_c_held_back():
            with ctrl_c_held_back():
                signal.raise_signal(stop)
                reached.append("inner")
            reached.append("outer")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["inner", "outer"]


@pytest.mark.usefixtures("as_in_the_command")
def test_a_handler_of_somebody_else_is_called_and_not_replaced() -> None:
    heard: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
    with ctrl_c_held_back():
        signal.raise_signal(signal.SIGTERM)
        assert heard == [signal.SIGTERM]
    signal.signal(signal.SIGINT, lambda number, _frame: heard.append(number))
    with ctrl_c_held_back():
        signal.raise_signal(signal.SIGINT)
        assert heard == [signal.SIGTERM]
    assert heard == [signal.SIGTERM, signal.SIGINT]


# -- the second one ----------------------------------------------------------------------------------

DEAF = """
import ctypes
sleep = ctypes.CDLL(None).usleep
def deaf(*_, **__):
    begun = False
    while True:
        try:
            if not begun:
                begun = True
                print("on", flush=True)
            sleep(60_000_000)
        except BaseException:
            pass
"""


def test_the_second_one_ends_what_hears_nothing() -> None:
    change = DEAF + "import tremble.games.loading as l\nl.load = l.load_any = deaf"
    process = tremble_process(begin=program(change, "info", "kuhn"))
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2.5)  # one alone does not end it
    process.send_signal(signal.SIGTERM)
    assert "interrupted twice" in ended(process)
    assert process.returncode == 130


def test_what_is_being_written_is_given_up_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text('{"schema": "tremble/solution@1"}')
    process = tremble_process(begin=program(f"{DEAF}\nos.fsync = deaf", "solve", "kuhn", "-o", out, "-q"))
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    assert len(list(tmp_path.iterdir())) == 2  # its temporary file
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    ended(process)
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
    assert out.read_text() == '{"schema": "tremble/solution@1"}'


def test_what_is_written_in_time_is_there(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    slow = "def slow(_):\n    print('on', flush=True)\n    end = time.monotonic() + 0.7\n"
    slow += "    while time.monotonic() < end:\n        time.sleep(0.05)\nos.fsync = slow"
    process = tremble_process(begin=program(slow, "solve", "kuhn", "-o", out, "-q"))
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
    ended(process)
    assert process.returncode == 130
    assert json.loads(out.read_text())["status"] == "certified"


def test_one_more_while_it_ends_is_no_other_exit_code() -> None:
    """Neither a traceback, nor click's exit code."""
    ending = "import click\necho = click.echo\ndef slow(*a, **k):\n    print('on', flush=True)\n    time.sleep(0.5)\n"
    ending += "    echo(*a, **k)\nclick.echo = slow\n"
    process = tremble_process(begin=program(ending + SLOW, "info", "kuhn"))
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    assert process.stdout.readline() == "on\n"  # it is saying so
    process.send_signal(signal.SIGINT)
    assert (ended(process), process.returncode) == ("interrupted by Ctrl-C\n", 130)


CHECKER = """
import tremble.solvers.anytime as i, tremble.large.solve as d
def look(*_):
    pathlib.Path("pid").write_text(str(os.getpid()))
    os.rename("pid", "checker")
    while True:
        time.sleep(1)
i.Incumbent._look = look
d._looked_at = lambda *_: time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("stops", [(signal.SIGINT, signal.SIGINT), (signal.SIGKILL,)], ids=["twice", "killed"])
def test_the_process_of_the_checker_goes_too(stops: tuple[signal.Signals, ...], tmp_path: Path) -> None:
    arguments = ("solve", "phantom_ttt", "--method", "double-oracle", "--time-limit", 600, "-o", "out.json")
    process = tremble_process(begin=program(CHECKER, *arguments), cwd=tmp_path)
    wait_for((tmp_path / "checker").exists)
    child = int((tmp_path / "checker").read_text())
    assert alive(child)
    for stop in stops:
        process.send_signal(stop)
        time.sleep(0.3)
    ended(process)
    assert process.returncode == (130 if len(stops) == 2 else -signal.SIGKILL)
    wait_for(lambda: not alive(child), SOON)


def test_children_of_the_tests_hear_ctrl_c_where_the_tests_do_not() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = started([sys.executable, "-c", "import time; print('on', flush=True); time.sleep(60)"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in ended(process)


@pytest.mark.parametrize("struck", ["wrapped", "while words are read"])
def test_an_interrupt_at_the_very_beginning(struck: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python makes an error of its own of one that strikes while a class is made, and click's while it reads words."""

    def wrapped(*_: object, **__: object) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    def plain(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    if struck == "wrapped":
        monkeypatch.setattr("tremble.cli.console.click.Group.invoke", wrapped)
    else:
        monkeypatch.setattr("tremble.cli.console.click.Group.make_context", plain)
    result = run("info", "kuhn")
    assert (result.exit_code, result.stdout, result.stderr.strip()) == (130, "", "interrupted")
