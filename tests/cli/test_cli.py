"""The command line: every exit code, every format, what goes where, limits and interrupts."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import pytest

import tremble
import tremble.solvers
from command import run
from processes import BEGIN, tremble_process
from tremble.capabilities import registered
from tremble.cli import COMMANDS, main
from tremble.errors import CertificateError, LimitReached, SolverError, TrembleWarning
from tremble.solvers.runner import solve_recording

GENERAL_SUM = """EFG 2 R "chicken" { "Ann" "Bob" } ""
p "" 1 1 "a" { "swerve" "straight" } 0
p "" 2 1 "b" { "swerve" "straight" } 0
t "" 1 "" { 0, 0 }
t "" 2 "" { -1, 1 }
p "" 2 1 "b" { "swerve" "straight" } 0
t "" 3 "" { 1, -1 }
t "" 4 "" { -10, -10 }
"""


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    path = tmp_path / "kuhn.json"
    assert run("solve", "kuhn", "-o", path).exit_code == 0
    return path


@pytest.fixture
def chicken(tmp_path: Path) -> Path:
    path = tmp_path / "chicken.efg"
    path.write_text(GENERAL_SUM)
    return path


# -- help ----------------------------------------------------------------------------------------


def test_alone_it_shows_help() -> None:
    result = run()
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage:")
    assert "tremble solve kuhn" in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "--format [table|json" in result.stdout
    assert "JSON:" in result.stdout
    assert "\\b" not in result.stdout


FILES = {name: f"tremble.cli.{name}" for name in COMMANDS} | {
    name: place.partition(":")[0] for capability in registered() for name, (place, _) in capability.commands.items()
}
"""Command -> the module that declares it."""


def loaded_by(*args: str) -> set[str]:
    """What is imported when a command has ended."""
    code = f"import sys; from tremble.cli import main; main({args!r}, standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_are_light(option: str) -> None:
    loaded = loaded_by(option)
    assert not loaded & {"numpy", "rich", "numba", "highspy", "scipy"}
    assert not loaded & set(FILES.values())


def test_version() -> None:
    assert run("--version").stdout == f"tremble {tremble.__version__}\n"


def test_a_command_loads_no_other() -> None:
    loaded = loaded_by("games")
    assert {name for name in COMMANDS if FILES[name] in loaded} == {"games"}
    assert not loaded & {"numba", "highspy", "scipy", "matplotlib", "tremble.solvers"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_a_file_and_a_row(name: str) -> None:
    assert COMMANDS[name] in " ".join(run("--help").stdout.split())
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name


# -- results -------------------------------------------------------------------------------------


def test_games_names_every_parameter() -> None:
    listed = json.loads(run("games", "--format", "json").stdout)
    assert {"name": "ranks", "default": 3, "allowed": "an integer from 2 to 1000"} in next(
        game["parameters"] for game in listed if game["name"] == "leduc"
    )
    assert "order=random" in run("games").stdout


def test_info_has_exactly_the_promised_keys() -> None:
    record = json.loads(run("info", "kuhn", "--format", "json").stdout)
    assert record.pop("digest") == tremble.load("kuhn").digest
    assert record == {
        "title": "Kuhn poker",
        "players": ["Player 1", "Player 2"],
        "zero_sum": True,
        "constant_sum": True,
        "nodes": {"chance": 1, "player": [12, 12], "terminal": 30},
        "information_sets": [6, 6],
        "sequences": [13, 13],
        "recall": ["perfect", "perfect"],
        "recall_witness": [None, None],
        "max_depth": 4,
        "merged": {
            "rows": [20, 20],
            "columns": [20, 20],
            "entries": [68, 68],
            "information_sets": [[6, 6], [6, 6]],
        },
    }
    assert "zero-sum" in run("info", "kuhn").stdout


def test_info_of_a_game_too_large_to_build_counts() -> None:
    small = json.loads(run("info", "leduc", "--format", "json").stdout)
    counted = run("info", "leduc", "--max-nodes", 10, "--format", "json")
    assert counted.exit_code == 0
    record = json.loads(counted.stdout)
    assert list(record) == list(small)
    assert record["nodes"] == small["nodes"]
    assert record["digest"].startswith("rules:")
    assert run("info", "leduc", "--max-nodes", 10).exit_code == 0
    assert "general-sum" not in run("info", "random_tree", "--max-nodes", 10).stdout  # nobody knows yet


def test_info_of_a_file_and_of_standard_input(chicken: Path) -> None:
    record = json.loads(run("info", chicken, "--format", "json").stdout)
    assert record["players"] == ["Ann", "Bob"]
    assert not record["constant_sum"]
    assert json.loads(run("info", "-", "--format", "json", stdin=GENERAL_SUM).stdout) == record


def test_solve_shows_value_status_and_strategies() -> None:
    result = run("solve", "kuhn")
    assert result.exit_code == 0
    for text in ("Kuhn poker", "-1/18", "-0.05555556", "certified", "lp (", "Player 2", "2/3", "0.666667"):
        assert text in result.stdout
    assert "solved and verified in" in result.stderr
    assert run("solve", "kuhn", "--quiet").stderr == ""


def test_solve_cuts_long_tables_and_says_how_to_see_all() -> None:
    shown = run("solve", "leduc").stdout
    assert "more information sets; --format csv or -o FILE gives all" in shown
    assert "…" in shown
    assert len(shown.splitlines()) < 110
    assert all(line == line.rstrip() for line in shown.splitlines())


def test_solve_json_is_the_solution_file(solved: Path) -> None:
    record, written = json.loads(run("solve", "kuhn", "--format", "json").stdout), json.loads(solved.read_text())
    assert record.pop("stats")
    assert written.pop("stats")
    assert record == written
    assert written["values"] == ["-1/18", "1/18"]


def test_solve_csv_has_every_action() -> None:
    rows = list(csv.DictReader(io.StringIO(run("solve", "leduc", "--format", "csv").stdout)))
    assert list(rows[0]) == ["player", "infoset", "label", "action", "probability", "probability_float"]
    total: dict[tuple[str, str], Fraction] = {}
    for row in rows:
        key = row["player"], row["infoset"]
        total[key] = total.get(key, Fraction(0)) + Fraction(row["probability"])
        assert float(row["probability_float"]) == pytest.approx(float(Fraction(row["probability"])))
    assert len(total) == 288
    assert set(total.values()) == {1}


def test_solve_gambit_is_one_line() -> None:
    (line,) = run("solve", "kuhn", "--format", "gambit").stdout.splitlines()
    head, *numbers = line.split(",")
    assert head == "NE"
    solution = tremble.solve(tremble.load("kuhn"))
    assert list(map(Fraction, numbers)) == [p for strategy in solution.strategies for row in strategy for p in row]


def test_verify_says_what_it_proved(solved: Path) -> None:
    result = run("verify", "kuhn", solved)
    assert result.exit_code == 0
    assert result.stdout.startswith("OK")
    assert "NashConv is 0" in result.stdout
    record = json.loads(run("verify", "kuhn", solved, "--format", "json").stdout)
    assert record["ok"]
    assert record["nash_conv"] == "0"
    assert record["problems"] == []


def test_verify_names_each_problem(solved: Path) -> None:
    document = json.loads(solved.read_text())
    document["values"] = ["0", "1/18"]
    solved.write_text(json.dumps(document))
    result = run("verify", "kuhn", solved)
    assert result.exit_code == 1
    assert result.stdout.startswith("FAILED")
    assert "values[0]" in result.stdout
    record = json.loads(run("verify", "kuhn", solved, "--format", "json").stdout)
    assert not record["ok"]
    assert record["problems"]


def test_respond_accepts_general_sum_and_bare_strategies(chicken: Path, tmp_path: Path) -> None:
    rows = [{"infoset": 1, "actions": [["swerve", "1/2"], ["straight", "1/2"]]}]
    path = tmp_path / "mixed.json"
    path.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": [rows, rows]}))
    record = json.loads(run("respond", chicken, path, "--format", "json").stdout)
    assert record["values"] == ["-5/2", "-5/2"]
    assert record["best_response_values"] == ["-1/2", "-1/2"]
    assert record["gains"] == ["2", "2"]
    assert (record["nash_conv"], record["exploitability"]) == ("4", "2")
    assert record["nash_conv_float"] == 4.0
    assert record["best_responses"][1] == [{"infoset": 1, "label": "b", "action": "swerve"}]
    shown = run("respond", chicken, path).stdout
    assert "NashConv" in shown
    assert "Bob" in shown
    rows_csv = list(csv.DictReader(io.StringIO(run("respond", chicken, path, "--format", "csv").stdout)))
    assert [row["probability"] for row in rows_csv] == ["1", "0", "1", "0"]


def test_respond_to_an_equilibrium_gains_nothing(solved: Path) -> None:
    assert json.loads(run("respond", "kuhn", solved, "--format", "json").stdout)["nash_conv"] == "0"


@pytest.mark.parametrize("ending", ["efg", "json", "EFG"])
def test_convert_round_trip(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"k.{ending}"
    assert run("convert", "kuhn", path).exit_code == 0
    record = json.loads(run("convert", path, tmp_path / "again.efg", "--format", "json").stdout)
    assert record["digest"] == tremble.load("kuhn").digest


def test_convert_to_nfg(tmp_path: Path) -> None:
    assert run("convert", "matching_pennies", tmp_path / "p.nfg").exit_code == 0
    assert tremble.load(str(tmp_path / "p.nfg")).digest == tremble.load("matching_pennies").digest
    assert run("convert", "kuhn", tmp_path / "k.nfg").exit_code == 0  # of a tree, its reduced normal form
    assert tremble.solve(tremble.load(str(tmp_path / "k.nfg"))).value == tremble.solve(tremble.load("kuhn")).value
    refused = run("convert", "leduc", tmp_path / "l.nfg")
    assert (refused.exit_code, "104,653,580,078,125 by" in refused.stderr) == (4, True)
    assert not (tmp_path / "l.nfg").exists()


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_draw(ending: str, solved: Path, tmp_path: Path) -> None:
    path = tmp_path / f"k.{ending}"
    assert run("draw", "kuhn", "-o", path).exit_code == 0
    plain = path.read_text()
    record = json.loads(run("draw", "kuhn", solved, "-o", path, "--format", "json").stdout)
    assert record == {"file": str(path), "nodes": 55, "drawn": 55}
    assert "certified" in path.read_text()
    assert "certified" not in plain


def test_draw_refuses_a_solution_of_another_game(solved: Path, tmp_path: Path) -> None:
    result = run("draw", "kuhn:cards=4", solved, "-o", tmp_path / "k.svg")
    assert result.exit_code == 1
    assert "another game" in result.stderr
    assert not (tmp_path / "k.svg").exists()


def test_the_reference_names_every_command_option_and_key() -> None:
    text = (Path(__file__).parents[2] / "docs/reference/cli.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        assert f"tremble {name}" in text
        for option in command.params:
            if isinstance(option, click.Option):
                assert all(f"`{word}" in text for word in option.opts), option.opts
    for args in (["info", "kuhn"], ["solve", "kuhn"], ["games"]):
        record = json.loads(run(*args, "--format", "json").stdout)
        for key in record[0] if isinstance(record, list) else record:
            assert f"`{key}`" in text, key


# -- exit codes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["frobnicate"], 2, "frobnicate"),
        (["solve"], 2, "GAME"),
        (["solve", "kuhn", "--nonsense"], 2, "nonsense"),
        (["solve", "kuhnn"], 2, "kuhn"),
        (["solve", "leduc:rank=3"], 2, "ranks"),
        (["solve", "leduc:ranks=x"], 2, "ranks"),
        (["solve", "kuhn", "--concept", "minmax"], 2, "choose from: nash"),
        (["solve", "beer_quiche", "--concept", "proper"], 4, "computed only if the sum is constant"),
        (["solve", "kuhn", "--method", "gradient descent"], 2, "choose from: auto, lp"),
        (["solve", "kuhn", "--time-limit", "0"], 2, "positive"),
        (["solve", "kuhn", "--time-limit", "nan"], 2, "positive"),
        (["solve", "kuhn", "--gap", "-1"], 2, "negative"),
        (["solve", "kuhn", "--gap", "1e99999"], 2, "exponent"),
        (["solve", "kuhn", "--format", "xml"], 2, "xml"),
        (["info", "kuhn", "--max-nodes", "0"], 2, "max-nodes"),
        (["convert", "kuhn", "kuhn.txt"], 2, ".efg"),
        (["draw", "kuhn", "-o", "kuhn.doc"], 2, ".svg"),
        (["draw", "kuhn"], 2, "--output"),
        (["verify", "-", "-"], 2, "standard input"),
        (["solve", "missing.efg"], 3, "missing.efg: no such file"),
        (["verify", "kuhn", "missing.json"], 3, "missing.json"),
        (["solve", "kuhn", "-o", "no/such/folder/k.json"], 3, "cannot be written"),
        (["solve", "kuhn", "-o", "."], 3, "folder"),
        (["convert", "kuhn", "no/such/folder/k.efg"], 3, "cannot be written"),
        (["solve", "kuhn", "--max-nodes", "10", "--method", "lp"], 4, "--max-nodes"),
        (["solve", "a_loss_counterexample"], 4, "perfect recall"),
    ],
)
def test_exit_codes(args: list[str], code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*args)
    assert result.exit_code == code
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert not list(tmp_path.iterdir())


def test_an_unknown_ending_is_bad_usage(chicken: Path) -> None:
    other = chicken.with_suffix(".txt")
    chicken.rename(other)
    read, written = "has no known file ending", "is not supported; "
    for said, *args in (
        (read, "info", other),
        (written, "convert", "kuhn", other),
        (written, "draw", "kuhn", "-o", other),
    ):
        result = run(*args)
        assert result.exit_code == 2
        assert said in result.stderr


@pytest.mark.parametrize("name", ["chicken.gbt", "chicken.efg"])
@pytest.mark.parametrize(
    "words", [["info"], ["solve"], ["verify", "nash.json"], ["draw", "-o", "a.svg"], ["convert", "a.efg"]]
)
def test_a_workbook_of_gambit_is_refused_with_the_way_out(words: list[str], name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(f'<?xml version="1.0"?>\n<gambit:document version="0.1"><game><efgfile>{GENERAL_SUM}</efgfile>')
    command, *rest = words
    (tmp_path / "nash.json").write_text(tremble.solve(tremble.load("matching_pennies")).to_text())
    result = run(command, file, *(word if word == "-o" else tmp_path / word for word in rest))
    assert result.exit_code == 3
    assert f"error: {file}: this is a workbook" in result.stderr
    assert "File > Export > Gambit .efg format" in result.stderr


def test_a_game_without_a_constant_sum_is_solved(chicken: Path) -> None:
    result = run("solve", chicken, "--format", "json")
    assert result.exit_code == 0
    assert (json.loads(result.stdout)["method"]["name"], json.loads(result.stdout).get("bounds")) == ("lemke", None)
    result = run("solve", chicken, "--method", "lp")
    assert result.exit_code == 4
    assert "lemke" in result.stderr


def test_a_bad_file_is_named_with_its_position(tmp_path: Path) -> None:
    path = tmp_path / "bad.efg"
    path.write_text(GENERAL_SUM.replace('p "" 2 1 "b" { "swerve"', 'p "" 7 1 "b" { "swerve"', 1))
    result = run("info", path)
    assert result.exit_code in (3, 4)
    assert str(path) in result.stderr


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil.efg"
    path.write_text(GENERAL_SUM.replace("chicken", "chi\x1b]0;cken").replace("Ann", "A\x1b[31mnn"))
    for result in (run("info", path), run("solve", path)):
        assert "\x1b" not in result.output


class _Failing:
    """Stands for ``solve_recording``."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_args: object, **_options: object) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (SolverError("it did not converge"), 1, "error: it did not converge"),
        (CertificateError("a row is missing"), 1, "error: a row is missing"),
        (ZeroDivisionError("by zero"), 1, "unexpected ZeroDivisionError: by zero; --debug shows the traceback"),
        (MemoryError(), 4, "not enough memory for this game"),
        (OSError(28, "No space left on device", "k.json"), 3, "k.json: No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (LimitReached("the time limit was reached"), 5, "the time limit was reached"),
        (LimitReached("interrupted", interrupted=True), 130, "interrupted"),
    ],
)
def test_errors_become_one_line(error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tremble.solvers.runner.solve_recording", _Failing(error))
    result = run("solve", "kuhn", "-q")
    assert result.exit_code == code
    assert result.stderr.rstrip().endswith(said)
    assert len(result.stderr.splitlines()) == 1
    debugged = run("solve", "kuhn", "-q", "--debug")
    assert debugged.exit_code == code
    assert "Traceback" in debugged.stderr
    assert debugged.stdout == ""


def test_what_a_limit_leaves_is_written(tmp_path: Path) -> None:
    path, log = tmp_path / "best.json", tmp_path / "log"
    result = run("solve", "leduc", "--time-limit", "1e-9", "-o", path, "--log", log, "--format", "json")
    assert result.exit_code == 5
    assert json.loads(result.stdout)["status"] == "bounded"
    assert run("verify", "leduc", path).exit_code == 0
    assert f"the best result so far is in {path}" in result.stderr
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert events[0]["step"] == "loading the game"
    assert events[-1]["event"] == "end"
    assert events[-1]["bounds"] == json.loads(path.read_text())["bounds"]


def test_a_wide_gap_is_met_by_bounds() -> None:
    result = run("solve", "leduc", "--time-limit", "1e-9", "--gap", "1000", "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["status"] == "bounded"


def test_warnings_read_as_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(*args: Any, **options: Any) -> object:
        for i in range(30):
            warnings.warn(f"label {i // 2} was renamed", TrembleWarning, stacklevel=2)
            warnings.warn("noise of another library", RuntimeWarning, stacklevel=2)
        return solve_recording(*args, **options)

    monkeypatch.setattr("tremble.solvers.runner.solve_recording", warn)
    lines = run("solve", "kuhn", "-q").stderr.splitlines()
    assert lines == [f"warning: label {i} was renamed" for i in range(15)]


# -- in a process of its own ---------------------------------------------------------------------


def test_a_closed_pipe_is_quiet() -> None:
    with tremble_process("solve", "leduc", "--format", "csv", "-q") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("words", "where"), [(("solve", "kuhn", "-q"), "standard output: "), (("--help",), ""), (("--version",), "")]
)
def test_a_full_disk_is_one_line(words: tuple[str, ...], where: str) -> None:
    with open("/dev/full", "w") as full:
        process = tremble_process(*words, stdout=full)
        _, said = process.communicate()
    assert process.returncode == 3
    assert said.strip() == f"error: {where}No space left on device"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("words", "code"),
    [(("solve", "matching_pennies"), 0), (("solve", "no_such_game"), 2), (("solve", "--no-such-option"), 2)],
)
def test_a_lost_message_leaves_the_exit_code(words: tuple[str, ...], code: int) -> None:
    with open("/dev/full", "w") as full:
        process = tremble_process(*words, stderr=full)
        shown, _ = process.communicate()
    assert process.returncode == code
    assert ("status   certified" in shown) == (code == 0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("early", [True, False])
def test_an_interrupt_leaves_what_is_known(early: bool, tmp_path: Path) -> None:
    path, log = tmp_path / "best.json", tmp_path / "log"
    process = tremble_process("solve", "poker:bets=2,raises=3", "-o", path, "--log", log, begin=("-c", BEGIN))
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"  # before that an interrupt is Python's own affair
    until = time.monotonic() + 30
    while not early and time.monotonic() < until and not (log.exists() and "linear program" in log.read_text()):
        time.sleep(0.02)
    time.sleep(0.1 if early else 0.3)
    process.send_signal(signal.SIGINT if early else signal.SIGTERM)
    stdout, said = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in said
    name = "Ctrl-C" if early else "SIGTERM"
    assert f"by {name}" in said or (early and said in ("", "interrupted\n"))  # it has hardly begun by then
    if path.exists():
        assert json.loads(path.read_text())["status"] in ("bounded", "limit-reached")
        assert "proven bounds" in stdout


def test_labels_beyond_ascii_whatever_the_locale(tmp_path: Path) -> None:
    path = tmp_path / "höhle.efg"
    path.write_text(GENERAL_SUM.replace("chicken", "Feigling 懦夫"), encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    process = tremble_process("info", path, env=environment)
    stdout, said = process.communicate()
    assert process.returncode == 0, said
    assert "Feigling 懦夫" in stdout
