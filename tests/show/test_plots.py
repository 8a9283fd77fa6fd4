"""Pictures of measurements: what is read from logs, and what is drawn."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tremble
from benchmarks.charts import Time, breakdown, ladder
from command import run
from contrasts import contrast
from tremble.errors import FormatError, SpecError, TrembleError
from tremble.show.plots import Curve, convergence, read_log
from tremble.text.theme import _IN_THE_DARK, COLOURS, GREY, INK

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex
from matplotlib.text import Text


def line(event: str, seconds: float, **facts: Any) -> dict[str, Any]:
    return {"elapsed_seconds_float": seconds, "event": event, **facts}


def write(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


LOG = [
    line("step", 0.1, step="loading the game", fraction_float=None),
    line("iteration", 1.0, iteration=1, lower_float=None, upper_float=1.0, cpu_seconds_float=0.5),
    line("iteration", 2.0, iteration=2, lower_float=-1.0, upper_float=1.0, cpu_seconds_float=1.0),
    line("iteration", 3.0, iteration=3, lower_float=-inf, upper_float=1.0, cpu_seconds_float=1.5),
    line("iteration", 4.0, iteration=4, lower_float=-1.5, upper_float=1.0, cpu_seconds_float=2.0),
    line("iteration", 5.0, iteration=5, lower_float=-0.25, upper_float=0.25, cpu_seconds_float=2.5),
]


def said(picture: Path) -> set[str]:
    """The texts of a picture: matplotlib writes each as a comment before its outlines."""
    return {text.strip() for text in re.findall(r"<!--(.*?)-->", picture.read_text(encoding="utf-8"), re.DOTALL)}


# -- logs -----------------------------------------------------------------------------------------


def test_a_log_has_the_best_bounds_so_far(tmp_path: Path) -> None:
    log = write(tmp_path / "log", LOG)
    assert read_log(log) == Curve((2.0, 5.0), (2.0, 0.5), iterations=(2, 5))
    assert read_log(str(log), cpu=True) == Curve((1.0, 2.5), (2.0, 0.5), iterations=(2, 5))


@pytest.mark.parametrize(("status", "exact"), [("certified", True), ("bounded", False), (None, False)])
def test_the_end_of_a_log(tmp_path: Path, status: str | None, exact: bool) -> None:
    log = write(tmp_path / "log", [*LOG, line("end", 6.0, status=status, bounds=None)])
    assert read_log(log) == Curve((2.0, 5.0), (2.0, 0.5), 6.0, exact, (2, 5))


def test_seconds_count_from_when_the_iterations_began(tmp_path: Path) -> None:
    rows = [
        {**row, "seconds_float": row["elapsed_seconds_float"] - 0.75} if row["event"] == "iteration" else row
        for row in LOG
    ]
    log = write(tmp_path / "log", [*rows, line("end", 6.0, status="certified")])
    assert read_log(log) == Curve((1.25, 4.25), (2.0, 0.5), 5.25, True, (2, 5))
    log = write(tmp_path / "log", [*rows, line("end", 6.0, status="certified", seconds_float=5.0)])
    assert read_log(log).end == 5.0


def test_logs_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="nowhere"):
        read_log(tmp_path / "nowhere")
    for bad in ("no JSON", "[1]", '"text"', "{}", '{"event": "iteration"}', "3"):
        log = tmp_path / "bad"
        log.write_text(json.dumps(LOG[0]) + "\n" + bad + "\n")
        with pytest.raises(FormatError, match=r"bad:2"):
            read_log(log)
    with pytest.raises(FormatError, match="it has no 'event'"):
        read_log(write(tmp_path / "results.jsonl", [{"name": "kuhn", "status": "certified"}]))
    with pytest.raises(FormatError, match="cpu_seconds_float"):
        read_log(write(tmp_path / "no processor", [line("end", 1.0, status=None)]), cpu=True)


def test_what_solvers_report_can_be_drawn(tmp_path: Path) -> None:
    for method in ("double-oracle", "dcfr"):
        rows: list[dict[str, Any]] = []
        solution = tremble.solve(
            tremble.load("leduc"),
            method=method,
            report=lambda row, rows=rows: rows.append(line("iteration", float(len(rows) + 1), **row)),
        )
        assert solution.bounds is not None
        log = write(tmp_path / f"{method}.jsonl", [*rows, line("end", 9e3, status=str(solution.status))])
        curve = read_log(log)
        assert curve.exact == (method == "double-oracle")
        assert curve.errors[-1] == pytest.approx(float(solution.bounds[1] - solution.bounds[0]), abs=1e-6)
    convergence([tmp_path / "double-oracle.jsonl", tmp_path / "dcfr.jsonl"], tmp_path / "error.svg")
    assert {"double-oracle", "dcfr", "proven 0"} <= said(tmp_path / "error.svg")


# -- pictures -------------------------------------------------------------------------------------


def test_pictures_are_the_same_for_the_same_numbers(tmp_path: Path) -> None:
    log = write(tmp_path / "log", LOG)
    for one in (tmp_path / "one.svg", tmp_path / "two.svg"):
        convergence({"A": log, "B": log}, one, title="A title", points={"published": [(10.0, 0.1)]})
    text = (tmp_path / "one.svg").read_bytes()
    assert text == (tmp_path / "two.svg").read_bytes()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert b"<dc:date>" not in text
    assert {
        "A",
        "B",
        "published",
        "A title",
        "seconds",
        "error: upper \N{MINUS SIGN} lower bound (payoff units)",
    } <= said(tmp_path / "one.svg")
    assert "proven 0" not in said(tmp_path / "one.svg")


def test_axes_of_ones_own(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    rows: dict[str, list[Any]] = {"cfr": [], "dcfr": []}
    for method, reported in rows.items():
        tremble.solve(tremble.load("kuhn"), method=method, iterations=50, report=reported.append)
    log = write(tmp_path / "log.jsonl", LOG)
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert convergence({**rows, "a log": log}, ax=left, x="iterations") is left
    assert convergence(rows, ax=right, title="T") is right
    figure.savefig(tmp_path / "both.svg")
    with pytest.raises(SpecError, match="exclude each other"):
        convergence(rows, tmp_path / "never.svg", ax=right)
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["cfr", "dcfr", "a log"]
    assert (left.get_xlabel(), right.get_xlabel()) == ("iterations", "seconds")
    assert left.lines[0].get_xdata()[0] == 1
    assert left.lines[2].get_xdata().tolist() == [2, 5]
    assert {"T", "iterations", "seconds"} <= said(tmp_path / "both.svg")
    alone = convergence(log)
    assert (alone.get_xlabel(), [each.get_label() for each in alone.lines]) == ("seconds", ["log"])
    with pytest.raises(SpecError, match="'seconds' or 'iterations', not 'hours'"):
        convergence(log, x="hours")  # type: ignore[arg-type]


def test_the_axis_of_errors_ends_where_they_do() -> None:
    from matplotlib.figure import Figure

    def rows(least: float) -> list[dict[str, Any]]:
        return [
            {"iteration": k, "seconds_float": float(k), "lower_float": 0.0, "upper_float": error}
            for k, error in enumerate((0.5, least), 1)
        ]

    def numbered(axes: Any) -> list[float]:
        bottom, top = axes.get_ylim()
        return [tick for tick in axes.get_yticks() if bottom <= tick <= top]

    for least, bottom in ((0.3, 0.1), (3e-3, 1e-3), (3e-8, 1e-8), (1e-12, 1e-9)):
        axes = convergence({"run": rows(least)}, ax=Figure().subplots())
        assert axes.get_ylim()[0] == pytest.approx(bottom)
        assert 0.5 < axes.get_ylim()[1] < 2
        assert numbered(axes)
    left, right = Figure().subplots(1, 2, sharey=True)
    convergence({"run": rows(3e-6)}, ax=left)
    convergence({"run": rows(3e-3)}, ax=right)
    assert left.get_ylim()[0] == pytest.approx(1e-6)
    assert convergence([], ax=Figure().subplots()).get_ylim()[0] == pytest.approx(1e-9)


def test_the_command(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", LOG)
    two = write(tmp_path / "two.jsonl", [*LOG, line("end", 6.0, status="certified")])
    result = run("plot", one, two, "-o", tmp_path / "e.svg", "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    best = {"evaluations": 2, "iterations": 5, "seconds_float": 5.0, "error_float": 0.5}
    assert found["logs"] == [{"name": "one", **best, "exact": False}, {"name": "two", **best, "exact": True}]
    assert {"one", "two", "seconds", "proven 0"} <= said(tmp_path / "e.svg")
    named = ("--name", "first", "--name", "second", "--title", "T", "--x", "iterations")
    assert run("plot", one, one, "-o", tmp_path / "e.svg", *named).exit_code == 0
    assert {"first", "second", "iterations", "T"} <= said(tmp_path / "e.svg")
    for arguments, code, words in (
        ((one, "-o", tmp_path / "e.svg", *named), 2, "once for each"),
        ((one, one, "-o", tmp_path / "e.svg"), 2, "same name"),
        ((one, "-o", tmp_path / "e.gif"), 2, ".svg, .pdf or .png"),
        ((tmp_path / "nowhere", "-o", tmp_path / "e.svg"), 3, "nowhere"),
    ):
        result = run("plot", *arguments)
        assert (result.exit_code, words in str(result.exception) + result.output) == (code, True), result.output
    (tmp_path / "text.png").write_text("mine")
    assert run("plot", one, "-o", tmp_path / "text.png").exit_code == 3
    for ending in ("png", "pdf"):
        for _ in range(2):
            assert run("plot", one, "-o", tmp_path / f"again.{ending}").exit_code == 0


def test_what_was_stopped_is_hollow(tmp_path: Path) -> None:
    times = {"small": {"A": Time(1.0), "B": Time(2.0)}, "large": {"A": Time(30.0)}}
    ladder(times, tmp_path / "all.svg", title="T", unit="processor seconds")
    assert {"small", "large", "A", "B", "T", "processor seconds"} <= said(tmp_path / "all.svg")
    stopped = {**times, "large": {"A": Time(30.0), "B": Time(60.0, bound=True)}}
    ladder(stopped, tmp_path / "stopped.svg")
    markers = [
        (tmp_path / name).read_text().count("fill: #ffffff; stroke: #d55e00") for name in ("all.svg", "stopped.svg")
    ]
    assert markers == [0, 1]


def test_shares_are_of_the_whole_bar(tmp_path: Path) -> None:
    parts = {"one": {"x": 3.0, "y": 1.0}, "two": {"x": 0.5}, "three": {}}
    breakdown(parts, tmp_path / "parts.svg", unit="min")
    assert {"one", "two", "x", "y", "4 min", "0.5 min", "0 min", "share of the time"} <= said(tmp_path / "parts.svg")


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TrembleError, match=r"tremble\[plot\]"):
        ladder({"game": {"A": Time(1.0)}}, tmp_path / "never.svg")
    assert not (tmp_path / "never.svg").exists()


def test_matplotlib_is_loaded_when_used() -> None:
    code = "import sys, tremble.show.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"


# -- colours --------------------------------------------------------------------------------------


def test_lines_of_plots_stand_out_in_the_light_and_in_the_dark() -> None:
    """Dashes and shapes tell them apart: 3 will do; text needs 4.5."""
    for kind, paper in (("light", "#ffffff"), ("dark", _IN_THE_DARK["#ffffff"])):
        for colour in COLOURS:
            assert contrast(colour if kind == "light" else _IN_THE_DARK[colour], paper) >= 3, (kind, colour)
        for text in (INK, GREY):
            assert contrast(text if kind == "light" else _IN_THE_DARK[text], paper) >= 4.5, (kind, text)


def test_a_plot_has_other_colours_in_the_dark(tmp_path: Path) -> None:
    """All that it uses."""
    convergence({"a": write(tmp_path / "a", LOG)}, tmp_path / "a.svg")
    sheet, body = re.split(r"</style>", (tmp_path / "a.svg").read_text("utf-8"), maxsplit=1)
    used = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", body))
    assert used
    assert {colour for colour in used if f'[style*="fill: {colour}"]' not in sheet} == set()


def all_plots(**given: Any) -> Iterator[tuple[str, Any]]:
    """One plot of each kind, by its name: the axes on which it is drawn."""
    chicken = tremble.matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]])
    rows: dict[str, list[Any]] = {"cfr": [], "cfr+": []}
    for method, noted in rows.items():
        tremble.solve(tremble.load("kuhn"), method=method, iterations=20, report=noted.append)
    swept = tremble.sweep(lambda x: tremble.matrix_game([[x, -1], [-1, 1]]), "0..4", points=5)
    yield "replies", tremble.show.best_replies(chicken, **given)
    yield "sweep", tremble.show.sweep_plot(swept, infoset=0, player=0, **given)
    yield "losses", tremble.show.losses({1.0: (800, 30.0), 0.0: (50_000, 0.01)}, **given)
    yield "convergence", tremble.show.convergence(rows, x="iterations", **given)


def unreadable(axes: Any, paper: Any) -> list[str]:
    """The texts and lines of a drawn figure that do not stand out from their ground."""
    axes.figure.canvas.draw()
    found = []
    for artist in [*axes.findobj(Text), *axes.lines]:
        colour, ground = artist.get_color(), paper
        patch = artist.get_bbox_patch() if isinstance(artist, Text) else None
        if patch is not None and patch.get_facecolor()[3] > 0.5:
            ground = patch.get_facecolor()
        if artist.get_visible() and (not isinstance(artist, Text) or artist.get_text()):
            least = 4.5 if isinstance(artist, Text) else 3
            if contrast(to_hex(colour), to_hex(ground)) < least:
                found.append(f"{artist}: {to_hex(colour)} on {to_hex(ground)}")
    return found


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_plots_can_be_read_in_notebooks_of_any_style(style: str) -> None:
    """A figure of ours has white paper whatever the style is; axes of one's own keep their ground."""
    plt = pytest.importorskip("matplotlib.pyplot")
    with plt.style.context(style):
        for name, axes in all_plots():
            assert to_hex(axes.figure.get_facecolor(), keep_alpha=True) == "#ffffffff", name
            assert not unreadable(axes, "white"), name
        _, own = plt.subplots()
        ground = own.get_facecolor()
        for name, axes in all_plots(ax=own):
            assert axes.get_facecolor() == ground
            assert not unreadable(axes, ground), name
        _, pair = plt.subplots(1, 2)
        for axes in tremble.show.equilibrium_set(tremble.load("entry_deterrence"), ax=pair):
            assert not unreadable(axes, axes.get_facecolor())
    plt.close("all")


def test_processor_seconds_are_no_iterations() -> None:
    rows: list[Any] = []
    tremble.solve(tremble.load("kuhn"), method="cfr", iterations=5, report=rows.append)
    with pytest.raises(tremble.TrembleError, match="cpu=True draws processor seconds: use x='seconds'"):
        tremble.show.convergence({"cfr": rows}, x="iterations", cpu=True)


def test_a_player_without_an_information_set_is_refused() -> None:
    swept = tremble.sweep(lambda x: tremble.matrix_game([[x, -1], [-1, 1]]), "0..4", points=3)
    with pytest.raises(tremble.TrembleError, match="also give 'infoset'"):
        tremble.show.sweep_plot(swept, player=0)
