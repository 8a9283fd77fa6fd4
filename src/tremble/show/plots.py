"""Pictures of measurements: error against time, and what abstractions lose.

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

from tremble.base.value import Value
from tremble.errors import FormatError, TrembleError
from tremble.show.theme import COLOURS, DASHES, GREY, INK, PLOT, SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Curve", "convergence", "legend", "losses", "new_figure", "read_log"]

File = str | PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Value):
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
    with new_figure(path, 7.2, 4.4) as figure:
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
        legend(figure, axes)


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
    with new_figure(path, 6.5, 4.2) as figure:
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
def new_figure(path: File, width: float, height: float) -> Iterator[Figure]:
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


def legend(figure: Figure, axes: Axes) -> None:
    """Below the axes, in as many columns as there is room for."""
    handles, labels = axes.get_legend_handles_labels()
    wide = max((len(label) for label in labels), default=0)
    columns = max(1, min(len(labels), int(figure.get_figwidth() * 13 / (wide + 8))))
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handlelength=3.2)
