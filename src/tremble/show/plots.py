"""Plot measurements: the error of solver runs over time, and the loss of merged games over their sizes.

The plots need matplotlib (extra ``plot``). Plotting the same numbers again gives the same bytes of SVG.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, log10
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tremble.arguments import required_text
from tremble.errors import FormatError, SpecError
from tremble.game.tree_arrays import is_text
from tremble.numbers import required_flag
from tremble.text.figures import File, drawn_on
from tremble.text.theme import COLOURS, DASHES, GREY, INK, SHAPES
from tremble.value import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Curve", "convergence", "losses", "read_log"]

Log = File | Sequence[Mapping[str, Any]]

_MOST_POWERS = 5  # if the vertical axis spans more powers of ten, only every second power has a label
_SOONEST = 1e-6  # smallest number on the logarithmic axis of time or iterations


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Value):
    """The error of one solver run over time.

    Attributes
    ----------
    seconds : tuple of float
        The times at which the error became smaller, in ascending order.
    errors : tuple of float
        The error at each of these times: the upper minus the lower bound on the value, in payoff units.
    end : float or None
        The time at which the run ended, or None if the log does not contain its end.
    exact : bool
        True if the run ended with a proof that the error is 0.
    iterations : tuple of int
        The number of finished iterations at each of the times.

    Examples
    --------
    >>> Curve(seconds=(0.5, 1.0), errors=(0.2, 0.1)).errors[-1]
    0.1
    """

    seconds: tuple[float, ...]
    errors: tuple[float, ...]
    end: float | None = None
    exact: bool = False
    iterations: tuple[int, ...] = ()


def read_log(file: File, *, cpu: bool = False) -> Curve:
    """Read the iterations from a log of ``tremble solve --log FILE``.

    Parameters
    ----------
    file : str or path
        A file with one JSON object per line. A line with ``"event": "iteration"`` has the keys ``iteration``,
        ``lower_float``, ``upper_float`` and ``seconds_float``, the seconds since the start of the iterations, without
        compilation by Numba. In older logs, ``elapsed_seconds_float`` replaces ``seconds_float``, and contains the
        seconds since the start of the command. The line with ``"event": "end"`` has the key ``status``.
    cpu : bool
        If True, use processor seconds (``cpu_seconds_float``). Only the logs of benchmarks have this key.

    Returns
    -------
    Curve

    Raises
    ------
    FormatError
        The file cannot be read, or it is not a log.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> line = {"event": "iteration", "iteration": 1, "elapsed_seconds_float": 0.5}
    >>> line |= {"lower_float": -0.25, "upper_float": 0.25}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "run.jsonl").write_text(json.dumps(line))
    ...     read_log(Path(folder, "run.jsonl")).errors
    (0.5,)
    """
    if not isinstance(file, str | PathLike):
        raise SpecError(f"'file' must be the path of a log, not {file!r:.80}")
    required_flag(cpu, "cpu")
    name, number = fspath(file), 0

    def lines() -> Iterator[Any]:
        nonlocal number
        with open(file, encoding="utf-8") as texts:
            for text in texts:
                number += 1
                yield json.loads(text)

    try:
        return _curve(lines(), cpu=cpu)
    except OSError as error:
        raise FormatError(error.strerror or "unreadable", file=name) from error
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(_no_line(error), file=name, line=number, column=1) from error


def _no_line(error: Exception) -> str:
    """Return a message that says why a line of a log cannot be read."""
    return f"this line is not from a log: {f'it has no {error}' if isinstance(error, KeyError) else error}"


def _curve(lines: Iterable[Any], *, cpu: bool) -> Curve:
    """Return the error of a run over time. ``lines`` are lines of a log, or rows that a solver passed to ``report``.

    A reported row has no key ``event``.
    """
    clocks = ("cpu_seconds_float",) if cpu else ("seconds_float", "elapsed_seconds_float", "solve_seconds_float")
    points: list[tuple[float, float, int]] = []
    end: float | None = None
    exact, before = False, 0.0  # `before` counts the seconds before the iterations began
    for line in lines:
        clock = next((name for name in clocks if name in line), clocks[0])
        event = line["event"] if "event" in line or clock not in line else "iteration"
        if event == "end":
            end, exact = line[clock] - (0.0 if clock == clocks[0] else before), line["status"] == "certified"
        if event != "iteration":
            continue
        if not cpu and "seconds_float" in line and "elapsed_seconds_float" in line:
            before = line["elapsed_seconds_float"] - line["seconds_float"]
        if None in (line["lower_float"], line["upper_float"]):
            continue
        error = line["upper_float"] - line["lower_float"]
        if isfinite(error) and (not points or error < points[-1][1]):
            points.append((line[clock], error, line["iteration"]))
    seconds, errors, iterations = zip(*points, strict=True) if points else ((), (), ())
    return Curve(seconds, errors, end, exact, iterations)


def convergence(
    logs: Mapping[str, Log] | Sequence[File] | File,
    path: File | None = None,
    *,
    ax: Axes | None = None,
    x: Literal["seconds", "iterations"] = "seconds",
    title: str = "",
    points: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    cpu: bool = False,
    floor: float = 1e-9,
) -> Axes:
    """Plot the errors of solver runs over time or iterations, with one line for each run.

    The error is the upper minus the lower bound on the value. Both axes are logarithmic.

    Parameters
    ----------
    logs : str, path, sequence or mapping
        The logs of the runs: one or more files that :func:`read_log` can read, or a mapping from names in the legend to
        logs. In a mapping, a log can also be the list of rows that ``tremble.solve(..., report=rows.append)`` fills.
        Without a mapping, the legend shows the names of the files.
    path : str or path, optional
        A file for the picture. It ends in .svg or in another ending that matplotlib supports.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. The style of their figure does not change. The default is the axes of a new figure.
    x : {"seconds", "iterations"}
        The quantity on the horizontal axis. Seconds count from the start of the iterations, so the time for loading the
        game and for compilation by Numba is not included.
    title : str
    points : mapping, optional
        Extra measurements to draw as dots, such as published results: a mapping from names to lists of pairs
        (x, error).
    cpu : bool
        If True, plot processor seconds in place of wall-clock seconds.
    floor : float
        The lower end of the vertical axis. Smaller errors are drawn at this height, because floats cannot distinguish
        them from 0. A run that proved an error of 0 also ends at this height. If all errors are greater and no run
        proved 0, the axis begins above ``floor``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the plot, for further changes. ``axes.figure.savefig(path)`` writes the picture.

    Raises
    ------
    FormatError
        A log cannot be read.
    SpecError
        ``x`` has another value, ``cpu`` is True with ``x="iterations"``, or both ``path`` and ``ax`` are given.
    TrembleError
        matplotlib is not installed.

    Examples
    --------
    >>> import tremble
    >>> rows = {"cfr": [], "cfr+": []}
    >>> for method in rows:
    ...     solution = tremble.solve(tremble.load("kuhn"), method=method, iterations=100, report=rows[method].append)
    >>> axes = convergence(rows, x="iterations")
    >>> axes.get_xlabel(), len(axes.lines)
    ('iterations', 2)
    """
    if not isinstance(x, str) or x not in ("seconds", "iterations"):
        raise SpecError(f"'x' must be 'seconds' or 'iterations', not {x!r:.80}")
    required_text(title, "title")
    if required_flag(cpu, "cpu") and x == "iterations":
        raise SpecError("cpu=True draws processor seconds: use x='seconds'")
    if not isinstance(floor, Real) or isinstance(floor, bool) or not 0 < floor <= sys.float_info.max:
        raise SpecError(f"'floor' must be a positive number, not {floor!r:.80}")
    curves = {name: _curve_of(name, log, cpu) for name, log in _named(logs).items()}
    measured = _measured(points)
    with drawn_on(ax, path, 7.2, 4.4) as (axes,):
        _draw_curves(axes, curves, x, title, measured, cpu, float(floor))
    return axes


def _named(logs: object) -> dict[str, Any]:
    """Return a dict that maps each name in the legend to a log."""
    if isinstance(logs, str | PathLike):
        logs = [logs]
    if isinstance(logs, Mapping) and all(map(is_text, logs)):
        return dict(logs)
    if isinstance(logs, list | tuple) and all(isinstance(file, str | PathLike) for file in logs):
        return {Path(file).stem: file for file in logs}
    raise SpecError(
        f"'logs' must be paths of logs, or a mapping from names to paths or to reported rows, not {logs!r:.80}"
    )


def _curve_of(name: str, log: object, cpu: bool) -> Curve:
    """Return the curve of a log, which is a file or a list of rows that a solver passed to ``report``."""
    if isinstance(log, str | PathLike):
        return read_log(log, cpu=cpu)
    if not isinstance(log, list | tuple) or not all(isinstance(row, Mapping) for row in log):
        raise SpecError(f"logs[{name!r:.40}] must be the path of a log or a list of reported rows, not {log!r:.80}")
    try:
        return _curve(log, cpu=cpu)
    except (ValueError, TypeError, KeyError) as error:
        raise SpecError(f"logs[{name!r:.40}]: {_no_line(error)}") from error


def _measured(points: object) -> dict[str, list[tuple[float, float]]]:
    """Check the argument ``points`` of :func:`convergence`, and convert its numbers to floats."""
    try:
        if points is None:
            return {}
        if not isinstance(points, Mapping) or not all(map(is_text, points)):
            raise TypeError
        measured = {name: [(float(at), float(error)) for at, error in pairs] for name, pairs in points.items()}
        if not all(measured.values()):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise SpecError(
            f"'points' must map names to pairs (x, error), as in {{'published': [(60, 0.1)]}}, not {points!r:.80}"
        ) from None
    return measured


def _draw_curves(
    axes: Axes,
    curves: Mapping[str, Curve],
    x: str,
    title: str,
    points: Mapping[str, Sequence[tuple[float, float]]],
    cpu: bool,
    floor: float,
) -> None:
    axes.set(xscale="log", yscale="log", title=title, xlabel="processor seconds" if cpu and x == "seconds" else x)
    axes.set_ylabel("error: upper \N{MINUS SIGN} lower bound (payoff units)")
    for i, (name, curve) in enumerate(curves.items()):
        colour, dash, shape = COLOURS[i % 8], DASHES[i % 8], SHAPES[i % 8]
        along: Sequence[float] = curve.seconds if x == "seconds" else curve.iterations
        places = [max(place, _SOONEST) for place in along]
        errors = [max(error, floor) for error in curve.errors]
        if places and curve.end is not None:
            places.append(max(curve.end, places[-1]) if x == "seconds" else places[-1])
            errors.append(floor if curve.exact else errors[-1])
        axes.plot(places, errors, drawstyle="steps-post", color=colour, linestyle=dash, linewidth=1.5, label=name)
        if curve.exact and places:
            axes.plot(places[-1:], [floor], shape, color=colour, markersize=7, clip_on=False, zorder=3)
    for i, (name, measured) in enumerate(points.items()):
        at, error = zip(*measured, strict=True)
        axes.plot(at, error, SHAPES[-1 - i], color=GREY, markersize=8, label=name, linestyle="none")
    axes.margins(x=0.03)
    _name_ticks(axes, floor, proven=any(curve.exact for curve in curves.values()))


def losses(
    rungs: Mapping[float, tuple[int, float]],
    path: File | None = None,
    *,
    ax: Axes | None = None,
    title: str = "",
    unit: str = "payoff units",
) -> Axes:
    """Plot the losses of abstractions (merged games) of one game over the sizes of their linear programs.

    Each abstraction merges hands that differ by at most its threshold. Both axes are logarithmic.

    Parameters
    ----------
    rungs : mapping
        A mapping from thresholds to pairs (rows of the linear program, loss in payoff units). The loss is the exact
        NashConv of the abstraction's strategies in the original game.
    path, ax : optional
        The same as for :func:`convergence`.
    title : str
    unit : str
        The unit of the payoffs, for the axis label.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> axes = losses({1.0: (800, 30.0), 0.1: (30_000, 4.0), 0.0: (50_000, 0.01)})
    >>> [text.get_text() for text in axes.texts]
    ['1', '0.1', 'lossless']
    """
    ladder = _ladder(rungs)
    required_text(title, "title")
    required_text(unit, "unit")
    with drawn_on(ax, path, 6.5, 4.2) as (axes,):
        from matplotlib.ticker import FuncFormatter

        axes.set(xscale="log", yscale="log", title=title)
        axes.set(xlabel="rows of the linear program", ylabel=f"certified loss (NashConv), {unit}")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        ordered = sorted(ladder.items(), reverse=True)
        sizes, lost = zip(*(rung for _, rung in ordered), strict=True)
        axes.plot(sizes, lost, f"-{SHAPES[0]}", color=COLOURS[0], markersize=6.5, linewidth=1.2)
        for threshold, rung in ordered:
            name = "lossless" if threshold == 0 else f"{threshold:g}"
            axes.annotate(name, rung, xytext=(6, 6), textcoords="offset points", color=INK)
        axes.margins(x=0.12, y=0.12)
    return axes


def _ladder(rungs: object) -> dict[float, tuple[float, float]]:
    """Check the argument ``rungs`` of :func:`losses`, and convert its numbers to floats."""
    try:
        if not isinstance(rungs, Mapping) or not rungs:
            raise TypeError
        return {float(threshold): (float(size), float(lost)) for threshold, (size, lost) in rungs.items()}
    except (TypeError, ValueError, OverflowError):
        raise SpecError(
            f"'rungs' must map thresholds to pairs, as in {{0.1: (30_000, 4.0)}}, not {rungs!r:.80}"
        ) from None


def _name_ticks(axes: Axes, floor: float, *, proven: bool) -> None:
    """Label the vertical axis with powers of ten, and the horizontal axis with plain numbers.

    If an error of 0 is proven, the lowest label is "proven 0".
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    least = min(float(each.dataLim.ymin) for each in axes.get_shared_y_axes().get_siblings(axes))
    axes.set_ylim(bottom=floor if proven or not floor < least < inf else 10.0 ** (log10(least) // 1))
    bottom, top = (log10(limit) for limit in axes.get_ylim())
    powers = range(ceil(bottom - 1e-9), int(top // 1) + 1)
    step = 2 if top - bottom > _MOST_POWERS else 1
    kept = [power for power in powers if power % step == 0 and not (proven and power <= bottom + 0.5)]
    ticks = [(10.0**power, f"$10^{{{power}}}$") for power in kept] + ([(floor, "proven 0")] if proven else [])
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(10**bottom, 10**top)
    left, right = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if right > 100 * left else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
