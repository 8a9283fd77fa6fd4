"""A game along a number in it: a table for the terminal, and a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import nan
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.batch.parameter_sweep import Sweep
from tremble.errors import SpecError
from tremble.game.tree import GameTree
from tremble.show.figures import File, drawn_on, named
from tremble.solution.heading import Status
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.tabular import as_float
from tremble.text.numbers import compact_text, exact_and_decimal
from tremble.text.printable import printable
from tremble.text.tables import add, heading, more, table
from tremble.text.theme import COLOURS, DASHES, FAINT, GREY, INK, OK, PLOT_LINE, SHAPES, WARNING
from tremble.text.view import called
from tremble.words import required_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["sweep_plot", "sweep_view"]

_MOST = 200  # points of a table
_MOST_MARKS = 40  # points of a line that are drawn large


def sweep_view(sweep: Sweep, infoset: str | int | None = None, player: int | None = None) -> RenderableType:
    """List the points: what they earn, what is played at an information set, and where the support changes."""
    chosen = {} if infoset is None else sweep.strategy_at(infoset, player)
    earned = _earned(sweep)
    listed = table(printable(sweep.parameter), *earned, *map(printable, chosen), "")
    changed = {after for _, after in sweep.changes}
    rows = zip(sweep.points, sweep.results, zip(*earned.values(), strict=True), *chosen.values(), strict=True)
    for x, result, numbers, *moves in list(rows)[:_MOST]:
        shown = ["" if number is None else exact_and_decimal(number, 23) for number in numbers]
        notes = ["the support changes"] * (x in changed)
        if result.error is not None:
            notes.append(f"{result.status}: {printable(str(result.error)):.200}")
        if result.rescued is not None and str(result.rescued) not in "".join(notes):
            notes.append(f"its solution is in {printable(str(result.rescued))}")
        style = "" if result.proven else WARNING
        add(listed, compact_text(x), *shown, *map(compact_text, moves), Text("; ".join(notes), style=style or FAINT))
    proven = sum(result.proven for result in sweep.results)
    counted = f"{proven:,} of {len(sweep.points):,} points proven"
    left = more(len(sweep.points) - _MOST, " points", full=("to_rows()", "--format csv"))
    ok = OK if proven == len(sweep.points) else WARNING
    return Group(heading(_title(sweep)), listed, *left, Text(), Text(counted, style=ok))


def _title(sweep: Sweep) -> str:
    return next((result.game.title for result in sweep.results if result.game is not None), sweep.parameter)


def _earned(sweep: Sweep) -> dict[str, list[Fraction | None]]:
    """What is told of each point, by its heading: the value, what a player guarantees, or what both earn."""
    whose = _sure(sweep)
    if whose is not None:
        return {f"player {whose + 1} guarantees": [_least(result.solution, whose) for result in sweep.results]}
    names = {"value": 0} if _constant(sweep) else {"player 1": 0, "player 2": 1}
    return {name: [None if pair is None else pair[i] for pair in sweep.values] for name, i in names.items()}


def _sure(sweep: Sweep) -> int | None:
    """The player whose maxmin strategies these are, if some point has one that is not an equilibrium."""
    found = (result.solution.guarantee for result in sweep.results if result.solution is not None)
    return next((sure[0] for sure in found if sure is not None), None)


def _least(solution: StatedSolution | None, player: int) -> Fraction | None:
    if solution is None or solution.bounds is None:
        return None
    if solution.guarantee is not None:
        return solution.guarantee[1]
    return solution.bounds[0] if player == 0 else sum(solution.values) - solution.bounds[1]  # the sum is constant


def _constant(sweep: Sweep) -> bool:
    """Whether what the players earn has a constant sum, as far as is known: then there are bounds."""
    found = [result.solution for result in sweep.results if result.solution is not None]
    return all(solution.bounds is not None for solution in found)


def sweep_plot(
    sweep: Sweep,
    path: File | None = None,
    *,
    ax: Axes | None = None,
    infoset: str | int | None = None,
    player: int | None = None,
    title: str = "",
) -> Axes:
    """Draw what a sweep found against its number: the value, what both earn, or what is played at an information set.

    Marks are exact; the lines between them only join them. Bars are proven bounds where they do not meet. Between
    points where the support changes the ground is grey: there the value changes its formula, and whatever may jump is
    not joined.

    Parameters
    ----------
    sweep : Sweep
    path : str or path, optional
        Where to write the picture; .svg, or another ending that matplotlib knows.
    ax : matplotlib.axes.Axes, optional
        Where to draw, in a figure of your own; by default in a new figure.
    infoset, player : optional
        An information set, named as in :meth:`tremble.results.Sweep.strategy_at`: the probabilities of its actions.
    title : str

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    GameError
        At no point is there such an information set.
    SpecError
        This is no sweep, there are both ``path`` and ``ax``, or there is a player without an information set.
    TrembleError
        matplotlib is not installed.

    Examples
    --------
    >>> import tremble
    >>> pennies = tremble.sweep(lambda x: tremble.matrix_game([[x, -1], [-1, 1]]), "0..4", points=9)
    >>> axes = tremble.show.sweep_plot(pennies)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('x', 'value to player 1')
    """
    if not isinstance(sweep, Sweep):
        raise SpecError(f"a sweep is what tremble.sweep returns, not {sweep!r:.80}")
    if player is not None and infoset is None:
        raise SpecError("player chooses among information sets: give infoset as well")
    required_text(title, "title")
    lines: Mapping[str, Sequence[Fraction | None]]
    whose = _sure(sweep)
    if infoset is not None:
        lines = dict(sweep.strategy_at(infoset, player))
        what = f"probability at information set {named(infoset if isinstance(infoset, str) else str(infoset + 1))}"
    elif whose is not None:
        lines, what = _earned(sweep), f"guaranteed to {named(_name(sweep, whose))}"
    elif _constant(sweep):
        lines, what = _earned(sweep), f"value to {named(_name(sweep, 0))}"
    else:
        lines = {_name(sweep, i): line for i, line in enumerate(_earned(sweep).values())}
        what = "expected payoff"
    with drawn_on(ax, path, 6.5, 4.2) as (axes,):
        axes.set(title=title, xlabel=sweep.parameter, ylabel=what)
        _draw_changes(axes, sweep)
        x = list(map(as_float, sweep.points))
        size = 5.5 if len(x) <= _MOST_MARKS else 2.5
        jumps = infoset is not None or not _constant(sweep)
        breaks = {after for _, after in sweep.changes} if jumps else set()
        for k, (name, numbers) in enumerate(lines.items()):
            along: list[float] = []
            y: list[float] = []
            for at, exact, number in zip(x, sweep.points, numbers, strict=True):
                if exact in breaks:  # nothing says what is between: no line
                    along, y = [*along, at], [*y, nan]
                along, y = [*along, at], [*y, nan if number is None else as_float(number)]
            axes.plot(
                along, y, color=COLOURS[k % 8], linestyle=DASHES[k % 8], marker=SHAPES[k % 8], markersize=size,
                linewidth=1.2, label=named(name), clip_on=False, zorder=3,
            )  # fmt: skip
        if infoset is not None:
            axes.set_ylim(-0.02, 1.02)
        elif whose is None and _constant(sweep):
            _draw_bounds(axes, sweep)
        failed = [at for at, values in zip(x, sweep.values, strict=True) if values is None]
        if failed:
            bottom = axes.get_xaxis_transform()
            axes.plot(failed, [0.0] * len(failed), "x", color=INK, transform=bottom, label="not solved", clip_on=False)
    return axes


def _name(sweep: Sweep, player: int) -> str:
    games = (r.solution.played for r in sweep.results if isinstance(r.solution, Solution))
    played = next((game for game in games if isinstance(game, GameTree)), None)
    return f"player {player + 1}" if played is None else called(played, player)


def _draw_changes(axes: Axes, sweep: Sweep) -> None:
    """Grey ground between points where the support changes; what hangs together is one piece."""
    pieces: list[list[Fraction]] = []
    for before, after in sweep.changes:
        if pieces and pieces[-1][1] == before:
            pieces[-1][1] = after
        else:
            pieces.append([before, after])
    for k, (low, high) in enumerate(pieces):
        label = None if k else "the support changes"
        style: Any = {"facecolor": PLOT_LINE, "edgecolor": GREY, "linestyle": ":", "linewidth": 0.8}
        axes.axvspan(as_float(low), as_float(high), label=label, zorder=0.5, **style)


def _draw_bounds(axes: Axes, sweep: Sweep) -> None:
    found = [(x, r.solution) for x, r in zip(sweep.points, sweep.results, strict=True) if r.solution is not None]
    bars = [(x, s.value, s.bounds) for x, s in found if s.bounds is not None and s.status != Status.CERTIFIED]
    if bars:
        at, value, bounds = zip(*bars, strict=True)
        low, high = ([abs(as_float(v) - as_float(b[k])) for v, b in zip(value, bounds, strict=True)] for k in (0, 1))
        centre = list(map(as_float, value))
        axes.errorbar(
            list(map(as_float, at)), centre, [low, high], fmt="none", ecolor=INK, capsize=3, label="proven bounds"
        )
