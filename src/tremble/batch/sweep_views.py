"""Show the results of a sweep as a table in the terminal, as JSON, as CSV, or as a plot.

A *sweep* solves a game for many values of one number. A value of the number is a *point*. The *support* of a solution
is the set of actions with positive probability.
"""

from __future__ import annotations

from fractions import Fraction
from math import nan
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.arguments import required_text
from tremble.batch.parameter_sweep import Sweep
from tremble.errors import SpecError
from tremble.game.tree import GameTree
from tremble.numbers import as_float, exact_text
from tremble.solution.stated import StatedSolution
from tremble.solution.table_rows import COLUMNS
from tremble.status import Status
from tremble.text.captions import compact_text
from tremble.text.figures import File, drawn_on, named
from tremble.text.records import number_forms, rows_csv
from tremble.text.theme import COLOURS, DASHES, FAINT, GREY, INK, OK, PLOT_LINE, SHAPES, WARNING
from tremble.text.view import add, exact_and_decimal, heading, more, table
from tremble.words import called, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["sweep_csv", "sweep_plot", "sweep_record", "sweep_view"]

_MOST = 200  # greatest number of points in a table
_MOST_MARKS = 40  # with more points in a plot, the marks are small


def sweep_view(sweep: Sweep, infoset: str | int | None = None, player: int | None = None) -> RenderableType:
    """Return a table of the points: the value or the payoffs at each point, and notes where the support changes.

    If ``infoset`` is given, the table also has the probabilities of the actions at this information set.
    """
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
            notes.append(f"the solution is in {printable(str(result.rescued))}")
        style = FAINT if result.proven else WARNING
        add(listed, compact_text(x), *shown, *map(compact_text, moves), Text("; ".join(notes), style=style))
    title = next((result.game.title for result in sweep.results if result.game is not None), sweep.parameter)
    proven = sum(result.proven for result in sweep.results)
    counted = f"{proven:,} of {len(sweep.points):,} points proven"
    left = more(len(sweep.points) - _MOST, " points", full=("to_rows()", "--format csv"))
    ok = OK if proven == len(sweep.points) else WARNING
    return Group(heading(title), listed, *left, Text(), Text(counted, style=ok))


def _earned(sweep: Sweep) -> dict[str, list[Fraction | None]]:
    """Return one column (the value, or the guarantee of a maxmin strategy) or two columns (both players' payoffs).

    The result maps the heading of each column to a list with a number for each point of the sweep.
    """
    whose = _guaranteed_to(sweep)
    if whose is not None:
        return {f"player {whose + 1} guarantees": [_guarantee(result.solution, whose) for result in sweep.results]}
    names = {"value": 0} if _constant(sweep) else {"player 1": 0, "player 2": 1}
    return {name: [None if pair is None else pair[i] for pair in sweep.values] for name, i in names.items()}


def _guaranteed_to(sweep: Sweep) -> int | None:
    """Return the player (0 or 1) of the first solution that is a maxmin strategy.

    Return None if no solution is a maxmin strategy, because all solutions are equilibria.
    """
    found = (result.solution.guarantee for result in sweep.results if result.solution is not None)
    return next((guarantee[0] for guarantee in found if guarantee is not None), None)


def _guarantee(solution: StatedSolution | None, player: int) -> Fraction | None:
    if solution is None or solution.bounds is None:
        return None
    if solution.guarantee is not None:
        return solution.guarantee[1]
    return solution.bounds[0] if player == 0 else sum(solution.values) - solution.bounds[1]  # the sum is constant


def _constant(sweep: Sweep) -> bool:
    """Return True if every solution has bounds. Solutions have bounds if the payoffs sum to a constant."""
    return all(result.solution is None or result.solution.bounds is not None for result in sweep.results)


def sweep_plot(
    sweep: Sweep,
    path: File | None = None,
    *,
    ax: Axes | None = None,
    infoset: str | int | None = None,
    player: int | None = None,
    title: str = "",
) -> Axes:
    """Plot the results of a sweep against its parameter.

    The plot shows the value, the payoffs of both players, or the probabilities at an information set. The marks show
    exact results. The lines between marks are not proven. In a plot of the value, a bar joins the two proven bounds at
    a point if these bounds differ. Between two points with different supports, the background is gray, because the
    formula for the value may change. If a plotted number may jump between these points, no line joins its marks.

    Parameters
    ----------
    sweep : Sweep
    path : str or path, optional
        A file for the picture. It ends in .svg or in another ending that matplotlib supports.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. The default is the axes of a new figure.
    infoset, player : optional
        An information set, in the form that :meth:`tremble.results.Sweep.strategy_at` accepts. With this argument, the
        plot shows the probabilities of the actions at this set.
    title : str

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    GameError
        No point has this information set.
    SpecError
        ``sweep`` is not a ``Sweep``, both ``path`` and ``ax`` are given, or a player is given without an information
        set.
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
        raise SpecError(f"'sweep' must be the result of tremble.sweep, not {sweep!r:.80}")
    if player is not None and infoset is None:
        raise SpecError("'player' is the player of an information set: also give 'infoset'")
    required_text(title, "title")
    whose, constant = _guaranteed_to(sweep), _constant(sweep)
    lines: dict[str, Any] = dict(_earned(sweep))
    if infoset is not None:
        lines = sweep.strategy_at(infoset, player)
        what = f"probability at information set {named(infoset if isinstance(infoset, str) else str(infoset + 1))}"
    elif whose is not None:
        what = f"guaranteed to {named(_name(sweep, whose))}"
    elif constant:
        what = f"value to {named(_name(sweep, 0))}"
    else:
        lines = {_name(sweep, i): line for i, line in enumerate(lines.values())}
        what = "expected payoff"
    with drawn_on(ax, path, 6.5, 4.2) as (axes,):
        axes.set(title=title, xlabel=sweep.parameter, ylabel=what)
        _draw_changes(axes, sweep)
        x = list(map(as_float, sweep.points))
        size = 5.5 if len(x) <= _MOST_MARKS else 2.5
        may_jump = infoset is not None or not constant
        breaks = {after for _, after in sweep.changes} if may_jump else set()
        for k, (name, numbers) in enumerate(lines.items()):
            along: list[float] = []
            y: list[float] = []
            for at, exact, number in zip(x, sweep.points, numbers, strict=True):
                if exact in breaks:  # no line from the previous point
                    along, y = [*along, at], [*y, nan]
                along, y = [*along, at], [*y, nan if number is None else as_float(number)]
            axes.plot(
                along, y, color=COLOURS[k % 8], linestyle=DASHES[k % 8], marker=SHAPES[k % 8], markersize=size,
                linewidth=1.2, label=named(name), clip_on=False, zorder=3,
            )  # fmt: skip
        if infoset is not None:
            axes.set_ylim(-0.02, 1.02)
        elif whose is None and constant:
            _draw_bounds(axes, sweep)
        failed = [at for at, values in zip(x, sweep.values, strict=True) if values is None]
        if failed:
            bottom = axes.get_xaxis_transform()
            axes.plot(failed, [0.0] * len(failed), "x", color=INK, transform=bottom, label="not solved", clip_on=False)
    return axes


def _name(sweep: Sweep, player: int) -> str:
    """Return a player's name in the first result with a game tree. Without a tree, return "player 1" or "player 2"."""
    games = (result.solution.played for result in sweep.results if result.solution is not None)
    tree = next((game for game in games if isinstance(game, GameTree)), None)
    return f"player {player + 1}" if tree is None else called(tree, player)


def _draw_changes(axes: Axes, sweep: Sweep) -> None:
    """Draw a gray background between adjacent points with different supports. Merge adjacent gray intervals."""
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
    """Draw a bar between the two bounds at each point where the bounds are proven but not equal."""
    bars = [
        (as_float(x), as_float(s.value), *(abs(as_float(s.value) - as_float(bound)) for bound in s.bounds))
        for x, s in zip(sweep.points, (result.solution for result in sweep.results), strict=True)
        if s is not None and s.bounds is not None and s.status != Status.CERTIFIED
    ]
    if bars:
        at, centre, low, high = zip(*bars, strict=True)
        axes.errorbar(at, centre, [low, high], fmt="none", ecolor=INK, capsize=3, label="proven bounds")


def sweep_record(sweep: Sweep, infoset: str | int | None = None, player: int | None = None) -> dict[str, Any]:
    """Return the data of the JSON output of ``tremble sweep``.

    If ``infoset`` is given, the data at each point contains ``actions``: the probabilities at this information set.
    """
    chosen = {} if infoset is None else sweep.strategy_at(infoset, player)
    points = zip(sweep.points, sweep.results, *chosen.values(), strict=True)
    return {
        "parameter": sweep.parameter,
        "points": [
            {
                **number_forms("x", x),
                **result.plain(),
                "actions": [[a, None if p is None else exact_text(p)] for a, p in zip(chosen, moves, strict=True)],
            }
            for x, result, *moves in points
        ],
        "changes": [list(map(exact_text, pair)) for pair in sweep.changes],
    }


def sweep_csv(sweep: Sweep, infoset: str | int | None = None, player: int | None = None) -> str:
    """Return the rows of ``sweep.to_rows(infoset, player)`` as CSV text."""
    columns = sweep.columns if infoset is None else (*sweep.columns, *COLUMNS)
    return rows_csv(columns, sweep.to_rows(infoset, player))
