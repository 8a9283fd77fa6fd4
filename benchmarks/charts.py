"""Bar charts of the benchmarks: running times over a family of games, and where the time goes.

They are drawn as :mod:`tremble.show.plots` draws, with matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tremble.text.figures import File, legend, new_figure
from tremble.text.theme import COLOURS, INK, PLOT_LINE, SHAPES

FILLS = (
    ("#0072b2", ""),
    ("#e69f00", ""),
    ("#ffffff", "////"),
    ("#7b8794", ""),
    ("#000000", ""),
    ("#cfd8dc", "\\\\\\\\"),
)


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


def ladder(times: Mapping[str, Mapping[str, Time]], path: File, *, title: str = "", unit: str = "seconds") -> None:
    """Draw running times over a family of games, on a logarithmic axis.

    Parameters
    ----------
    times : mapping
        Game -> program -> time. What was stopped is hollow, with an arrow.
    path : str or path
        See :func:`tremble.show.plots.convergence`.
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
    with new_figure(path, max(6.5, 1.6 + 0.75 * len(times)), 4.2) as figure:
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
        legend(figure, axes)


def breakdown(parts: Mapping[str, Mapping[str, float]], path: File, *, title: str = "", unit: str = "s") -> None:
    """Draw how running times divide, as stacked bars of 100 %, with the total beside them.

    Parameters
    ----------
    parts : mapping
        What was run -> part -> seconds. The first is on top.
    path : str or path
        See :func:`tremble.show.plots.convergence`.
    title : str
    unit : str
        What stands behind the totals.
    """
    names = list(dict.fromkeys(name for row in parts.values() for name in row))
    with new_figure(path, 7.2, 1.3 + 0.3 * len(parts)) as figure:
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
        legend(figure, axes)
