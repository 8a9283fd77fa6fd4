"""Pictures of measurements: error against time, running times over a family of games, where the time goes.

They are drawn with matplotlib (extra ``plot``), as SVG that is the same, byte for byte, for the same numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, isfinite, log10
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from tremble.errors import FormatError, TrembleError
from tremble.show.theme import COLOURS, DASHES, FILLS, GREY, INK, PLOT, PLOT_LINE, SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Curve", "Time", "breakdown", "convergence", "ladder", "losses", "read_log"]

File = str | PathLike[str]


@dataclass(frozen=True)
class Curve:
    """Bounds on a value, over time.

    Attributes
    ----------
    seconds : tuple of float
        Ascending.
    errors : tuple of float
        Upper minus lower bound, in payoff units: the smallest so far.
    end : float or None
        Seconds to the end of the run, if it got there.
    exact : bool
        Whether the run ended with a proof that the error is 0.
    """

    seconds: tuple[float, ...]
    errors: tuple[float, ...]
    end: float | None = None
    exact: bool = False


@dataclass(frozen=True)
class Time:
    """How long something took.

    Attributes
    ----------
    seconds : float
    bound : bool
        Whether it was stopped then, so that this is only a lower bound.
    """

    seconds: float
    bound: bool = False


def read_log(file: File, *, cpu: bool = False) -> Curve:
    """Read the iterations from a log of ``tremble solve --log FILE``.

    Parameters
    ----------
    file : str or path
        JSON lines. Those with ``"event": "iteration"`` have ``elapsed_seconds_float`` (or, as what solvers report,
        ``solve_seconds_float``), ``lower_float`` and ``upper_float``; the one with ``"event": "end"`` has ``status``.
    cpu : bool
        Take processor seconds (``cpu_seconds_float``), which the logs of benchmarks have too.

    Returns
    -------
    Curve

    Raises
    ------
    FormatError
        It cannot be read or is no such log.
    """
    name = fspath(file)
    clocks = ("cpu_seconds_float",) if cpu else ("elapsed_seconds_float", "solve_seconds_float")
    seconds: list[float] = []
    errors: list[float] = []
    end: float | None = None
    exact = False
    number = 0
    try:
        with open(file, encoding="utf-8") as lines:
            for text in lines:
                number += 1
                line = json.loads(text)
                clock = next((name for name in clocks if name in line), clocks[0])
                if line["event"] == "end":
                    end, exact = line[clock], line["status"] == "certified"
                if line["event"] != "iteration" or None in (line["lower_float"], line["upper_float"]):
                    continue
                error = line["upper_float"] - line["lower_float"]
                if isfinite(error) and (not errors or error < errors[-1]):
                    seconds.append(line[clock])
                    errors.append(error)
    except OSError as error_:
        raise FormatError(error_.strerror or "unreadable", file=name) from error_
    except (ValueError, TypeError, KeyError) as error_:
        raise FormatError(f"this is no line of a log: {error_}", file=name, line=number, column=1) from error_
    return Curve(tuple(seconds), tuple(errors), end, exact)


def convergence(
    logs: Mapping[str, File] | Sequence[File] | File,
    path: File,
    *,
    title: str = "",
    points: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    cpu: bool = False,
    floor: float = 1e-9,
) -> None:
    """Draw the error, upper minus lower bound, against time, one line per log, both axes logarithmic.

    Parameters
    ----------
    logs : mapping or sequence of str or path, or one of these
        Files for :func:`read_log`, by what the legend calls them (by default the name of the file).
    path : str or path
        The picture; .svg, or another ending that matplotlib knows.
    title : str
    points : mapping, optional
        Single measurements (seconds, error), such as those that others have published.
    cpu : bool
        Processor seconds instead of those of the clock on the wall.
    floor : float
        Smaller errors, which floats cannot tell from 0, are drawn here; so are the ends of runs that proved 0.

    Raises
    ------
    FormatError
        A log cannot be read.
    TrembleError
        matplotlib is not installed.

    Examples
    --------
    >>> import tempfile, tremble
    >>> from pathlib import Path
    >>> log = Path(tempfile.mkdtemp(), "cfr+.jsonl")
    >>> with log.open("w") as file:
    ...     solution = tremble.solve(
    ...         tremble.load("kuhn"), method="cfr+",
    ...         report=lambda row: print(json.dumps({"event": "iteration", **row}), file=file),
    ...     )
    >>> convergence([log], log.with_suffix(".svg"))
    >>> log.with_suffix(".svg").read_text()[:5]
    '<?xml'
    """
    files = [logs] if isinstance(logs, str | PathLike) else logs
    named = files if isinstance(files, Mapping) else {Path(file).stem: file for file in files}
    curves = {name: read_log(file, cpu=cpu) for name, file in named.items()}
    with _figure(path, 7.2, 4.4) as figure:
        axes = figure.add_subplot()
        axes.set(xscale="log", yscale="log", title=title, xlabel="processor seconds" if cpu else "seconds")
        axes.set_ylabel("error: upper \N{MINUS SIGN} lower bound (payoff units)")
        for i, (name, curve) in enumerate(curves.items()):
            colour, dash, shape = COLOURS[i % 8], DASHES[i % 8], SHAPES[i % 8]
            seconds, errors = list(curve.seconds), [max(error, floor) for error in curve.errors]
            if seconds and curve.end is not None:
                seconds.append(max(curve.end, seconds[-1]))
                errors.append(floor if curve.exact else errors[-1])
            axes.plot(seconds, errors, drawstyle="steps-post", color=colour, linestyle=dash, linewidth=1.5, label=name)
            if curve.exact and seconds:
                axes.plot(seconds[-1:], [floor], shape, color=colour, markersize=7, clip_on=False, zorder=3)
        for i, (name, measured) in enumerate((points or {}).items()):
            x, y = zip(*measured, strict=True)
            axes.plot(x, y, SHAPES[-1 - i], color=GREY, markersize=8, label=name, linestyle="none")
        axes.margins(x=0.03)
        _name_ticks(axes, floor, proven=any(curve.exact for curve in curves.values()))
        _legend(figure, axes)


def ladder(times: Mapping[str, Mapping[str, Time]], path: File, *, title: str = "", unit: str = "seconds") -> None:
    """Draw running times over a family of games, on a logarithmic axis.

    Parameters
    ----------
    times : mapping
        Game -> program -> time. What was stopped is hollow, with an arrow.
    path : str or path
        See :func:`convergence`.
    title : str
    unit : str
        What the axis is called.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> picture = Path(tempfile.mkdtemp(), "ladder.svg")
    >>> ladder({"small": {"snail": Time(3.0)}, "large": {"snail": Time(60.0, bound=True)}}, picture)
    >>> picture.stat().st_size > 1000
    True
    """
    programs = list(dict.fromkeys(name for row in times.values() for name in row))
    with _figure(path, max(6.5, 1.6 + 0.75 * len(times)), 4.2) as figure:
        from matplotlib.ticker import FuncFormatter, NullFormatter

        axes = figure.add_subplot()
        axes.set(yscale="log", ylabel=unit, title=title)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(visible=False, axis="x")
        for i, name in enumerate(programs):
            shift = 0.6 * ((i + 0.5) / len(programs) - 0.5)
            colour = COLOURS[i % 8]
            known = [(j + shift, row[name]) for j, row in enumerate(times.values()) if name in row]
            for x, time in known:
                axes.plot(
                    [x], [time.seconds], SHAPES[i % 8], color=colour, markersize=6.5, markeredgewidth=1.3,
                    markerfacecolor="white" if time.bound else colour, label="_",
                )  # fmt: skip
                if time.bound:
                    axes.annotate(
                        "", (x, time.seconds), xytext=(0, 15), textcoords="offset points",
                        arrowprops={"arrowstyle": "<-", "color": colour, "shrinkA": 0, "shrinkB": 4},
                    )  # fmt: skip
            axes.plot([], [], SHAPES[i % 8], color=colour, markersize=6.5, label=name)
        for j in range(1, len(times)):
            axes.axvline(j - 0.5, color=PLOT_LINE, linewidth=0.6)
        axes.set_xticks(range(len(times)), list(times))
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.5, len(times) - 0.5)
        axes.margins(y=0.15)
        _legend(figure, axes)


def breakdown(parts: Mapping[str, Mapping[str, float]], path: File, *, title: str = "", unit: str = "s") -> None:
    """Draw how running times divide, as stacked bars of 100 %, with the total beside them.

    Parameters
    ----------
    parts : mapping
        What was run -> part -> seconds. The first is on top.
    path : str or path
        See :func:`convergence`.
    title : str
    unit : str
        What stands behind the totals.
    """
    names = list(dict.fromkeys(name for row in parts.values() for name in row))
    with _figure(path, 7.2, 1.3 + 0.3 * len(parts)) as figure:
        axes = figure.add_subplot()
        axes.set(title=title, xlabel="share of the time")
        axes.grid(visible=False, axis="y")
        rows = range(len(parts))
        totals = [sum(row.values()) or 1.0 for row in parts.values()]
        left = [0.0] * len(parts)
        for i, name in enumerate(names):
            share = [100 * row.get(name, 0.0) / total for row, total in zip(parts.values(), totals, strict=True)]
            colour, hatch = FILLS[i % len(FILLS)]
            axes.barh(rows, share, 0.7, left=left, label=name, color=colour, hatch=hatch, edgecolor=INK, linewidth=0.6)
            left = [a + b for a, b in zip(left, share, strict=True)]
        for j, row in enumerate(parts.values()):
            axes.text(101, j, f"{sum(row.values()):.3g} {unit}", va="center")
        axes.set_yticks(rows, list(parts))
        axes.tick_params(axis="y", length=0)
        axes.set(ylim=(len(parts) - 0.4, -0.6), xlim=(0, 100))
        axes.set_xticks(range(0, 101, 20), [f"{tick} %" for tick in range(0, 101, 20)])
        _legend(figure, axes)


def losses(rungs: Mapping[float, tuple[int, float]], path: File, *, title: str = "", unit: str = "chips") -> None:
    """Draw what abstractions of several thresholds lose, against their sizes; both axes are logarithmic.

    Parameters
    ----------
    rungs : mapping
        Threshold -> (rows of the linear program, what is lost, in units of payoff).
    path : str or path
        See :func:`convergence`.
    title : str
    unit : str
        Of the payoffs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> picture = Path(tempfile.mkdtemp(), "losses.svg")
    >>> losses({1.0: (800, 30.0), 0.1: (30_000, 4.0), 0.0: (50_000, 0.01)}, picture)
    >>> picture.stat().st_size > 1000
    True
    """
    with _figure(path, 6.5, 4.2) as figure:
        from matplotlib.ticker import FuncFormatter

        axes = figure.add_subplot()
        axes.set(xscale="log", yscale="log", title=title)
        axes.set(xlabel="rows of the linear program", ylabel=f"certified loss (NashConv), {unit}")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        ordered = sorted(rungs.items(), reverse=True)
        sizes, lost = zip(*(rung for _, rung in ordered), strict=True)
        axes.plot(sizes, lost, f"-{SHAPES[0]}", color=COLOURS[0], markersize=6.5, linewidth=1.2)
        for threshold, rung in ordered:
            name = "lossless" if threshold == 0 else f"{threshold:g}"
            axes.annotate(name, rung, xytext=(6, 6), textcoords="offset points", color=INK)
        axes.margins(x=0.12, y=0.12)


@contextmanager
def _figure(path: File, width: float, height: float) -> Iterator[Figure]:
    """A figure in inches that is written when all went well."""
    try:
        import matplotlib
        import matplotlib.style
        from matplotlib.figure import Figure
    except ImportError as error:
        raise TrembleError("matplotlib is not installed: pip install 'tremble[plot]'") from error
    with matplotlib.rc_context(), matplotlib.style.context("default"):
        matplotlib.rcParams.update(PLOT)
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        ending = Path(path).suffix.removeprefix(".")
        known = figure.canvas.get_supported_filetypes()
        if ending not in known:
            raise FormatError(f"a picture ends in one of .{', .'.join(sorted(known))}", file=fspath(path))
        figure.savefig(path, metadata={"Date": None, "Creator": None} if ending == "svg" else None)


def _name_ticks(axes: Axes, floor: float, *, proven: bool) -> None:
    """Powers of ten upwards, the lowest one for 0; plain numbers to the right."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_ylim(bottom=floor)
    bottom, top = (log10(limit) for limit in axes.get_ylim())
    powers = range(ceil(bottom), int(top // 1) + 1)
    kept = [power for power in powers if power > bottom + 0.5 and power % 2 == 0]
    ticks = [(10.0**power, f"$10^{{{power}}}$") for power in kept] + ([(floor, "proven 0")] if proven else [])
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(10**bottom, 10**top)
    left, right = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if right > 100 * left else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _legend(figure: Figure, axes: Axes) -> None:
    """Below the axes, in as many columns as there is room for."""
    handles, labels = axes.get_legend_handles_labels()
    wide = max((len(label) for label in labels), default=0)
    columns = max(1, min(len(labels), int(figure.get_figwidth() * 13 / (wide + 8))))
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handlelength=3.2)
