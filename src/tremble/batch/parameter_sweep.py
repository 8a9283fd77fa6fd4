"""A sweep: one game after the other, with a number in it that grows, solved as a batch.

What is exact are the points. Between two of them the value of a zero-sum game is continuous in every payoff, and
piecewise rational: one quotient of polynomials as long as an equilibrium with the same support stays optimal. So a
change of support tells where the formula may change. A change may also come of the solver's choice among several
equilibria; and where payoffs do not sum to a constant, the payoffs of what is found may jump for that reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any, ClassVar

from tremble.batch.many_games import solve_many
from tremble.batch.results import BatchResult
from tremble.errors import GameError, LimitReached, SpecError
from tremble.game.labels import is_whole, meant
from tremble.game.tree import require_player
from tremble.games import Parameter, is_built_in, parameters, rules_class
from tremble.numbers import NumberLike, exact_number, format_fraction, integral, parse_number, shorten
from tremble.run.clock import stopped_by
from tremble.run.executors import InTurn
from tremble.run.progress import Progress
from tremble.solution.stated import StatedSolution
from tremble.solution.strategies import COLUMNS, InfosetRow, strategy_rows, table_row
from tremble.solvers.method import Method
from tremble.tabular import Tabular, frame_of, in_both_forms
from tremble.value import Value
from tremble.words import did_you_mean, for_reader, require_hooks

__all__ = ["Sweep", "sweep"]

_RANGE = re.compile(r"(?P<key>[^,:=]*)=(?P<low>[^,=]*?)\.\.(?P<high>[^,=]*)(?=,|$)")
_POINTS = 11  # unless it is said how many
_MOST_POINTS = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Value, Tabular):
    """The solutions of a game along a number in it: what :func:`tremble.sweep` returns.

    Attributes
    ----------
    parameter : str
        What the number is called.
    points : tuple of Fraction
        Its values, ascending.
    results : tuple of BatchResult
        One for each point.

    Examples
    --------
    >>> import tremble
    >>> found = tremble.sweep(lambda x: tremble.matrix_game([[x, 0], [0, 1]]), "-1..1", points=5)
    >>> [str(value) for value, _ in found.values]
    ['0', '0', '0', '1/3', '1/2']
    >>> [(str(before), str(after)) for before, after in found.changes]
    [('-1/2', '0'), ('0', '1/2')]
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("parameter", "x", "x_float", "status", "proven", "value1", "value1_float", "value2", "value2_float"),
        *("lower", "lower_float", "upper", "upper_float", "changed", "seconds_float", "error"),
    )

    parameter: str
    points: tuple[Fraction, ...]
    results: tuple[BatchResult, ...]

    @property
    def values(self) -> tuple[tuple[Fraction, Fraction] | None, ...]:
        """What players 1 and 2 earn at each point; None where there is no solution."""
        return tuple(None if result.solution is None else result.solution.values for result in self.results)

    @property
    def changes(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The neighbouring points between which the support changes: which actions are played at all.

        Sets that a player's own strategy never reaches do not count. Games whose information sets or actions differ
        are not compared.
        """
        supports = [_support(result.solution) for result in self.results]
        rows = pairwise(zip(self.points, supports, strict=True))
        return tuple((before, after) for (before, one), (after, other) in rows if _changes(one, other))

    def strategy_at(self, infoset: str | int, player: int | None = None) -> dict[str, tuple[Fraction | None, ...]]:
        """The probability of each action at an information set, at each point; None where there is no such set.

        Parameters
        ----------
        infoset : str or int
            The set, by its label, or by its index from 0, which needs the player.
        player : int, optional
            0 or 1; needed where both have a set of that label.

        Raises
        ------
        GameError
            There is no such set at any point, or it may be either player's.

        Examples
        --------
        >>> import tremble
        >>> found = tremble.sweep(lambda x: tremble.matrix_game([[x, 0], [0, 1]]), [1, 2, 3])
        >>> [str(p) for p in found.strategy_at(0, player=0)["1"]]
        ['1/2', '1/3', '1/4']
        """
        rows = self._rows_at(infoset, player)
        actions = dict.fromkeys(action for row in rows if row is not None for action, _ in row.moves)
        moves = [{} if row is None else dict(row.moves) for row in rows]
        return {action: tuple(_exact(each.get(action)) for each in moves) for action in actions}

    def _rows_at(self, infoset: str | int, player: int | None) -> list[InfosetRow | None]:
        """The row of an information set at each point."""
        if player is not None:
            require_player(player)
        elif not isinstance(infoset, str):
            raise GameError(f"information set {infoset!r:.80} of which player? Say player=0 or player=1")
        if not (isinstance(infoset, str) or is_whole(infoset)):
            raise GameError(f"an information set is named by its label or its index from 0, not by {infoset!r:.80}")
        every = [_rows(result.solution) for result in self.results]
        wanted = [[row for row in rows if _is_meant(row, infoset, player)] for rows in every]
        if len({row.player for rows in wanted for row in rows}) == 2:
            raise GameError(f"both players have an information set {infoset!r:.80}: say player=0 or player=1")
        if not any(wanted):
            labels = dict.fromkeys(row.label for rows in every for row in rows if row.label)
            advice = meant(str(infoset), list(labels)) if labels else "none has a label: say which by its number"
            raise GameError(f"at no point is an information set called {infoset!r:.80}; {advice}")
        return [rows[0] if rows else None for rows in wanted]

    def to_rows(self, infoset: str | int | None = None, player: int | None = None) -> list[dict[str, Any]]:
        """A row for each point: those of CSV output.

        Parameters
        ----------
        infoset, player : optional
            With an information set, named as in :meth:`strategy_at`, a row for each point and action there.

        Returns
        -------
        list of dict
            ``changed`` is whether the support is another one than at the point before.
        """
        changed = {after for _, after in self.changes}
        rows = []
        for x, result in zip(self.points, self.results, strict=True):
            (row,) = result.to_rows()
            bounds = None if result.solution is None else result.solution.bounds
            lower, upper = (None, None) if bounds is None else bounds
            row |= in_both_forms("x", x) | in_both_forms("lower", lower) | in_both_forms("upper", upper)
            row |= {"parameter": self.parameter, "changed": x in changed}
            rows.append({column: row[column] for column in self.columns})
        if infoset is None:
            return rows
        there = zip(rows, self._rows_at(infoset, player), strict=True)
        return [
            row | table_row(at.player, at.number, at.label, action, p)
            for row, at in there
            if at is not None
            for action, p in at.moves
        ]

    def to_frame(self, library: str | None = None, infoset: str | int | None = None, player: int | None = None) -> Any:
        """The rows as a data frame: see :meth:`tremble.Solution.to_frame` and :meth:`to_rows`."""
        columns = self.columns if infoset is None else (*self.columns, *COLUMNS)
        return frame_of(columns, self.to_rows(infoset, player), library)

    def __repr__(self) -> str:
        if not self.points:
            return f"<Sweep of {self.parameter:.40}: no points>"
        ends = f"{shorten(self.points[0])} to {shorten(self.points[-1])}"
        proven = sum(result.proven for result in self.results)
        return f"<Sweep of {self.parameter:.40} from {ends}: {len(self.points)} points, {proven} proven>"


def _exact(p: Fraction | float | None) -> Fraction | None:
    return None if p is None else Fraction(p)


def _rows(solution: StatedSolution | None) -> list[InfosetRow]:
    """What a solution does at each information set; nothing of an ordered game, which has classes of hands."""
    if solution is None or solution.ordered is not None:
        return []
    pair = solution.unbuilt or [table.strategy() for table in solution.tables]
    return [row for strategy in pair for row in strategy_rows(strategy)]


def _is_meant(row: InfosetRow, infoset: str | int, player: int | None) -> bool:
    if player is not None and row.player != player + 1:
        return False
    return row.label == infoset if isinstance(infoset, str) else row.number == infoset + 1


Support = dict[tuple[int, int | None, str, tuple[str, ...]], tuple[bool, ...] | None]


def _support(solution: StatedSolution | None) -> Support:
    """Which actions each set plays; None where its player never comes."""
    return {
        (row.player, row.number, row.label, tuple(action for action, _ in row.moves)): (
            None if row.off_path else tuple(bool(p) for _, p in row.moves)
        )
        for row in _rows(solution)
    }


def _changes(one: Support, other: Support) -> bool:
    return one.keys() == other.keys() and one != other


# -- the points ------------------------------------------------------------------------------------


def sweep(
    game: str | Callable[[int | Fraction], object],
    values: str | Iterable[NumberLike] | None = None,
    concept: str = "nash",
    method: str | Method = "auto",
    *,
    points: int | None = None,
    step: NumberLike | None = None,
    name: str = "x",
    executor: Executor | None = None,
    processes: int | None = None,
    out: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
    point_limit: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Sweep:
    """Solve a game for many values of one number: the value, and the strategies, as functions of it.

    Parameters
    ----------
    game : str or callable
        A built-in game with a range in place of a value: ``"kuhn:cards=3..8"``; ends may be fractions where the
        parameter may. Or a function that takes an exact number (``int``, or ``Fraction`` where it is no integer) and
        returns a game, or a text that names one: any payoff or chance probability of a matrix or tree of your own.
    values : str or iterable of exact numbers, optional
        For a function: ``"0..4"``, or the values themselves.
    concept, method, **options
        As for :func:`tremble.solve_many`, of each point.
    points : int, optional
        How many, evenly from end to end: 11 unless given, and of a parameter that is an integer all.
    step : exact number, optional
        The distance of the points, in place of how many.
    name : str
        What the number of a function is called.
    executor, processes : optional
        As for :func:`tremble.solve_many`. With neither, points are solved here, one after the other.
    out : str or path, optional
        A folder, as for :func:`tremble.solve_many`: points that stand there are not solved again.
    time_limit : float, optional
        Seconds for the whole sweep. The point that is being solved then is stopped; each point that was not begun has a
        result without a solution, whose error says so.
    point_limit : float, optional
        Seconds for each point.
    progress : callable, optional
        Called with (name of the step, fraction done or None).

    Returns
    -------
    Sweep
        Each point is proven by itself. What is drawn between two points is not.

    Raises
    ------
    SpecError
        There is no range, its ends are no numbers, or it has more than 10,000 points.
    LimitReached
        Ctrl-C; its ``best`` has the points that were done. A point that a limit has stopped is one like any other.

    Examples
    --------
    >>> import tremble
    >>> found = tremble.sweep("double_oracle_example:ayf=-3..2")
    >>> print(*(f"{x}: {values[0]}" for x, values in zip(found.points, found.values)), sep=", ")
    -3: 2/7, -2: 2/7, -1: 1/2, 0: 4/5, 1: 5/4, 2: 2

    A payoff of a matrix of your own, and where the support changes:

    >>> found = tremble.sweep(lambda x: tremble.matrix_game([[x, 0], [0, 1]]), "-1..1", points=5)
    >>> [str(value[0]) for value in found.values], len(found.changes)
    (['0', '0', '0', '1/3', '1/2'], 2)
    """
    require_hooks(progress=progress)
    if not isinstance(name, str):
        raise SpecError(f"name is what the number is called, not {name!r:.80}")
    games: Mapping[str, object] | list[str]
    if isinstance(game, str):
        if values is not None:
            raise SpecError(
                "values are for a function; in the name of a game the range is that of a parameter: kuhn:cards=3..8"
            )
        name, grid, games = _specs(game, points, step)
    elif callable(game):
        grid = _grid(values, points, step)
        games = {f"{name}={format_fraction(x)}": _made(game, x, name) for x in grid}
    else:
        raise SpecError(f"a sweep takes the name of a game, such as 'kuhn:cards=3..8', or a function, not {game!r:.80}")
    if executor is None and processes is None:
        executor = InTurn()
    solving = solve_many(
        games, concept, method,
        executor=executor, processes=processes, out=out, time_limit=point_limit, total_limit=time_limit, **options,
    )  # fmt: skip
    done: list[BatchResult] = []
    try:
        with closing(solving):
            for result in solving:
                error = result.error
                if isinstance(error, LimitReached) and error.interrupted:
                    raise KeyboardInterrupt(str(error))
                done.append(result)
                if progress is not None:
                    progress(f"{len(done):,} of {len(grid):,} points", len(done) / len(grid))
    except KeyboardInterrupt as interrupt:
        best = _swept(name, grid, done) if done else None
        message = f"{stopped_by(interrupt)}; {len(done):,} of {len(grid):,} points are done"
        stopped = LimitReached(message, best=best, interrupted=True)  # type: ignore[arg-type]  # no solution, but many
        raise stopped from None
    return _swept(name, grid, done)


def _swept(name: str, grid: Sequence[Fraction], done: Iterable[BatchResult]) -> Sweep:
    results = sorted(done, key=lambda result: result.index)
    return Sweep(name, tuple(grid[result.index] for result in results), tuple(results))


def _made(game: Callable[[int | Fraction], object], x: Fraction, name: str) -> object:
    try:
        return game(integral(x))
    except Exception as error:
        error.add_note(f"at {name} = {shorten(x)}")
        raise


def _grid(values: object, points: object, step: object) -> list[Fraction]:
    """The numbers that a function is to be given."""
    if isinstance(values, str) and ".." in values:
        low, _, high = values.partition("..")
        return _between(_end(low, values), _end(high, values), points, step)
    if isinstance(values, str) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        raise SpecError(f"values are numbers, or a range such as '0..4', not {values!r:.80}")
    if points is not None or step is not None:
        raise SpecError("points and step are for a range such as '0..4'; here the values are given themselves")
    given = list(islice(values, _MOST_POINTS + 1))  # which may have no end
    if not 1 <= len(given) <= _MOST_POINTS:
        raise SpecError(f"a sweep has from 1 to {_MOST_POINTS:,} points, not {'more' if given else 'none'}")
    return sorted({Fraction(exact_number(value, "value")) for value in given})


def _end(text: str, whole: str) -> Fraction:
    try:
        return Fraction(parse_number(text.strip()))
    except ValueError as error:
        raise SpecError(f"{whole:.80}: {error}") from None


def _between(low: Fraction, high: Fraction, points: Any, step: Any, *, whole: bool = False) -> list[Fraction]:
    """Points from end to end; with ``whole`` they are integers."""
    if low > high:
        raise SpecError(
            f"a range goes from the smaller to the larger number, not from {shorten(low)} to {shorten(high)}"
        )
    if points is not None and step is not None:
        raise SpecError("points and step exclude each other")
    if points is None:
        usual = Fraction(1) if whole else (high - low) / (_POINTS - 1)
        each = usual if step is None else Fraction(exact_number(step, "step"))
        if each < 0 or (each == 0 and low < high) or (whole and each.denominator > 1):
            raise SpecError(f"the step is a positive {'integer' if whole else 'number'}, not {shorten(each)}")
        count = int((high - low) / each) + 1 if each else 1
    elif is_whole(points) and int(points) >= 1:
        count, each = int(points), (high - low) / max(int(points) - 1, 1)
    else:
        raise SpecError(f"points is how many there are to be, at least 1, not {points!r:.80}")
    if count > _MOST_POINTS:
        raise SpecError(
            f"a sweep has at most {_MOST_POINTS:,} points, not {count:,}: give fewer points, or a longer step"
        )
    grid = (low + k * each for k in range(count))
    return sorted({Fraction(round(x)) if whole else x for x in grid})


def _specs(text: str, points: object, step: object) -> tuple[str, list[Fraction], list[str]]:
    """The parameter that varies, its values, and the names of the games."""
    name = text.partition(":")[0]
    if not is_built_in(name):
        raise SpecError(
            f"{text:.80} is no built-in game with parameters{for_reader('', ' (tremble games)')}; for payoffs of your "
            "own game, tremble.sweep takes a function in Python"
        )
    known = {parameter.name: parameter for parameter in parameters(rules_class(name))}
    if not known:
        raise SpecError(f"{name} has no parameters; in Python, tremble.sweep takes a function that changes its payoffs")
    found = list(_RANGE.finditer(text))
    if len(found) != 1:
        what = f"names {len(found)} ranges" if found else "names no range"
        raise SpecError(f"{text:.80} {what}; one parameter has one, as in kuhn:cards=3..8 ({name}: {', '.join(known)})")
    (match,) = found
    key = match["key"].strip()
    if key not in known:
        question = did_you_mean(key, known)
        raise SpecError(f"{name} has no parameter {key!r:.80}; {question or 'its parameters: ' + ', '.join(known)}")
    kind = known[key].kind
    if kind is bool or known[key].choices:
        batch = for_reader("tremble.solve_many", "tremble batch")
        raise SpecError(f"{name}: {key} is {known[key].allowed}, no number: name each game to {batch}")
    low, high = (_end(match[end], match[0]) for end in ("low", "high"))
    whole = kind is int or (kind is str and low.denominator == high.denominator == 1)
    if whole and not low.denominator == high.denominator == 1:
        raise SpecError(f"{name}: {key} is {known[key].allowed}, and so are the ends of its range")
    written = [_written(known[key], x) for x in _between(low, high, points, step, whole=whole)]
    start, end = match.span("low")[0], match.span("high")[1]
    grid = {Fraction(value): text[:start] + value + text[end:] for value in written}
    return key, list(grid), list(grid.values())


def _written(parameter: Parameter, x: Fraction) -> str:
    """A value as the name of a game has it: the nearest float where the parameter is one."""
    return str(x) if x.denominator == 1 or parameter.kind is not float else repr(float(x))
