"""Solve a game for many values of one number, such as a parameter or a payoff (a *sweep*).

A value of the number is called a *point*. The result at each point is exact. The *support* of an equilibrium is the set
of actions with positive probability. The value of a zero-sum game is a continuous, piecewise rational function of every
payoff. Where all points have equilibria with the same support, one quotient of polynomials gives the value. So this
formula may change where the support changes. The support may also change because the game has multiple equilibria and
the solver finds a different one. In this case, the payoffs may jump if they do not sum to a constant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any, ClassVar

from tremble.arguments import did_you_mean
from tremble.batch.many_games import solve_many
from tremble.batch.results import BatchResult
from tremble.errors import GameError, LimitReached, SpecError
from tremble.game.labels import is_whole, meant
from tremble.game.strategy_rows import InfosetRow, infoset_rows
from tremble.game.tree import require_player
from tremble.games.parameters import is_built_in, parameters, rules_class
from tremble.notation import integral
from tremble.numbers import NumberLike, exact_number, format_fraction, parse_number
from tremble.run.executors import InTurn
from tremble.run.progress import Progress
from tremble.run.signals import stopped_by
from tremble.solution.stated import StatedSolution
from tremble.solution.table_rows import COLUMNS, table_row
from tremble.solvers.method import Method
from tremble.value import Tabular, Value, frame_of, in_both_forms, shorten
from tremble.words import for_reader, require_hooks

__all__ = ["Sweep", "sweep"]

_RANGE = re.compile(r"(?P<key>[^,:=]*)=(?P<low>[^,=]*?)\.\.(?P<high>[^,=]*)(?=,|$)")
_POINTS = 11  # default number of points
_MOST_POINTS = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Value, Tabular):
    """The solutions of a game for many values (*points*) of one numeric parameter; the result of :func:`tremble.sweep`.

    Attributes
    ----------
    parameter : str
        The name of the parameter that varies.
    points : tuple of Fraction
        The values of the parameter, in ascending order.
    results : tuple of BatchResult
        The results, one for each point.

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
        """Return, for each point, the payoffs of players 1 and 2, or None if the point has no solution."""
        return tuple(None if result.solution is None else result.solution.values for result in self.results)

    @property
    def changes(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Return the pairs of adjacent points between which the support changes.

        The support is the set of actions with positive probability. Information sets that a player's own strategy never
        reaches are ignored. Adjacent points whose games have different information sets or actions are not compared.
        """
        supports = [_support(result.solution) for result in self.results]
        neighbours = pairwise(zip(self.points, supports, strict=True))
        return tuple((x, y) for (x, one), (y, other) in neighbours if one.keys() == other.keys() and one != other)

    def strategy_at(self, infoset: str | int, player: int | None = None) -> dict[str, tuple[Fraction | None, ...]]:
        """Return the probability of each action at an information set, at all points.

        The result maps each action to a tuple with one probability for each point. If the game at a point does not have
        the information set or the action, the tuple contains None for this point.

        Parameters
        ----------
        infoset : str or int
            The label of the information set, or its index from 0. An index needs ``player``.
        player : int, optional
            The player who moves at the set: 0 or 1. Needed for an index, and if both players have a set with the label.

        Raises
        ------
        GameError
            No point has this information set, or both players have a set with this label.

        Examples
        --------
        >>> import tremble
        >>> found = tremble.sweep(lambda x: tremble.matrix_game([[x, 0], [0, 1]]), [1, 2, 3])
        >>> [str(p) for p in found.strategy_at(0, player=0)["1"]]
        ['1/2', '1/3', '1/4']
        """
        moves = [{} if row is None else dict(row.moves) for row in self._rows_at(infoset, player)]
        actions = dict.fromkeys(action for each in moves for action in each)
        return {
            action: tuple(None if (p := each.get(action)) is None else Fraction(p) for each in moves)
            for action in actions
        }

    def _rows_at(self, infoset: str | int, player: int | None) -> list[InfosetRow | None]:
        """Return, for each point, the probabilities at an information set, or None where the game lacks the set."""
        if player is not None:
            require_player(player)
        elif not isinstance(infoset, str):
            raise GameError(f"{infoset!r:.80} is the index of an information set: also give player=0 or player=1")
        if not (isinstance(infoset, str) or is_whole(infoset)):
            raise GameError(f"'infoset' must be the label of a set or its index from 0, not {infoset!r:.80}")
        rows = [_rows(result.solution) for result in self.results]
        found = [[row for row in each if _is_at(row, infoset, player)] for each in rows]
        if len({row.player for each in found for row in each}) == 2:
            raise GameError(f"both players have an information set {infoset!r:.80}: choose one by player=0 or player=1")
        if not any(found):
            labels = dict.fromkeys(row.label for each in rows for row in each if row.label)
            advice = meant(str(infoset), list(labels)) if labels else "no set has a label, so give the number of a set"
            raise GameError(f"no point of the sweep has an information set {infoset!r:.80}; {advice}")
        return [each[0] if each else None for each in found]

    def to_rows(self, infoset: str | int | None = None, player: int | None = None) -> list[dict[str, Any]]:
        """Return a row for each point, with the columns of the CSV output of ``tremble sweep``.

        Parameters
        ----------
        infoset, player : optional
            An information set, in the form that :meth:`strategy_at` accepts. With this argument, the list has a row for
            each pair of a point and an action at the set.

        Returns
        -------
        list of dict
            The rows. In a row, ``changed`` is True if the support differs from the support at the previous point.
        """
        changed = {after for _, after in self.changes}
        rows = []
        for x, result in zip(self.points, self.results, strict=True):
            (row,) = result.to_rows()
            bounds = None if result.solution is None else result.solution.bounds
            lower, upper = bounds or (None, None)
            row |= in_both_forms("x", x) | in_both_forms("lower", lower) | in_both_forms("upper", upper)
            row |= {"parameter": self.parameter, "changed": x in changed}
            rows.append({column: row[column] for column in self.columns})
        if infoset is None:
            return rows
        return [
            row | table_row(at.player, at.number, at.label, action, p)
            for row, at in zip(rows, self._rows_at(infoset, player), strict=True)
            if at is not None
            for action, p in at.moves
        ]

    def to_frame(self, library: str | None = None, infoset: str | int | None = None, player: int | None = None) -> Any:
        """Return the rows of :meth:`to_rows` as a pandas or polars data frame.

        :meth:`tremble.Solution.to_frame` explains the parameter ``library``.
        """
        columns = self.columns if infoset is None else (*self.columns, *COLUMNS)
        return frame_of(columns, self.to_rows(infoset, player), library)

    def __repr__(self) -> str:
        if not self.points:
            return f"<Sweep of {self.parameter:.40}: no points>"
        ends = f"{shorten(self.points[0])} to {shorten(self.points[-1])}"
        proven = sum(result.proven for result in self.results)
        return f"<Sweep of {self.parameter:.40} from {ends}: {len(self.points)} points, {proven} proven>"


def _rows(solution: StatedSolution | None) -> list[InfosetRow]:
    """Return a row with the probabilities of the actions for each information set of both players.

    For an ordered game that is not built, return no rows: its strategies have classes of hands, not information sets.
    """
    if solution is None or solution.ordered is not None:
        return []
    pair = solution.unbuilt or [table.strategy() for table in solution.tables]
    return [row for strategy in pair for row in infoset_rows(strategy)]


def _is_at(row: InfosetRow, infoset: str | int, player: int | None) -> bool:
    if player is not None and row.player != player + 1:
        return False
    return row.label == infoset if isinstance(infoset, str) else row.number == infoset + 1


def _support(solution: StatedSolution | None) -> dict[tuple[object, ...], list[bool] | None]:
    """Map each information set (with its actions) to a list: for each action, True if its probability is positive.

    An information set that its player's own strategy never reaches is mapped to None.
    """
    return {
        (row.player, row.number, row.label, *(action for action, _ in row.moves)): (
            None if row.off_path else [bool(p) for _, p in row.moves]
        )
        for row in _rows(solution)
    }


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
    """Solve a game for many values of one number (the *points*), and return the solution at each point.

    Parameters
    ----------
    game : str or callable
        The game as a function of the number, in one of two forms:

        * The name of a built-in game with a range for one parameter: ``"kuhn:cards=3..8"``. The ends of the range may
          be fractions if the parameter may be a fraction.
        * A function that takes an exact number and returns a game or a game's name. The number is an ``int``, or
          a ``Fraction`` if it is not an integer. With a function, you can vary any payoff or chance probability in your
          own matrix or tree.
    values : str or iterable of exact numbers, optional
        Only if ``game`` is a function: the points, given by a range such as ``"0..4"``, or by a list of numbers.
    concept, method, **options
        Arguments of :func:`tremble.solve_many`, for each point.
    points : int, optional
        The number of evenly spaced points in a range. The default is 11. For an integer parameter, the default is every
        integer in the range.
    step : exact number, optional
        The distance between adjacent points of a range, in place of ``points``.
    name : str
        A name for the number, if ``game`` is a function.
    executor, processes : optional
        Arguments of :func:`tremble.solve_many`. By default, the points are solved one after the other in this process.
    out : str or path, optional
        A folder for the solutions, like the argument ``out`` of :func:`tremble.solve_many`. If the folder contains the
        solution at a point, this point is not solved again.
    time_limit : float, optional
        Seconds for the whole sweep. When the limit is reached, the sweep stops. A point that was not solved in time has
        a result with an error that gives the reason.
    point_limit : float, optional
        Seconds for each point.
    progress : callable, optional
        A function that the sweep calls to report progress, with a text and the finished fraction (or None).

    Returns
    -------
    Sweep
        The result at each point, each proven on its own. Nothing is proven about numbers between two points.

    Raises
    ------
    SpecError
        No range is given, an end of the range is not a number, or the range has more than 10,000 points.
    LimitReached
        Ctrl-C was pressed. ``best`` contains the results so far. A time limit raises no error: a stopped point has a
        result like any other point.

    Examples
    --------
    >>> import tremble
    >>> found = tremble.sweep("double_oracle_example:ayf=-3..2")
    >>> print(*(f"{x}: {values[0]}" for x, values in zip(found.points, found.values)), sep=", ")
    -3: 2/7, -2: 2/7, -1: 1/2, 0: 4/5, 1: 5/4, 2: 2

    The next example varies a payoff of a matrix. The support changes between two pairs of adjacent points.

    >>> found = tremble.sweep(lambda x: tremble.matrix_game([[x, 0], [0, 1]]), "-1..1", points=5)
    >>> [str(value[0]) for value in found.values], len(found.changes)
    (['0', '0', '0', '1/3', '1/2'], 2)
    """
    require_hooks(progress=progress)
    if not isinstance(name, str):
        raise SpecError(f"'name' must be a string that names the argument of the function, not {name!r:.80}")
    games: dict[str, object] | list[str]
    if isinstance(game, str):
        if values is not None:
            raise SpecError(
                "'values' needs a function as 'game'; for a built-in game, write the range in its name: kuhn:cards=3..8"
            )
        name, grid, games = _specs(game, points, step)
    elif callable(game):
        grid, games = _grid(values, points, step), {}
        for x in grid:
            try:
                games[f"{name}={format_fraction(x)}"] = game(integral(x))
            except Exception as error:
                error.add_note(f"at {name} = {shorten(x)}")
                raise
    else:
        raise SpecError(f"'game' must be a name such as 'kuhn:cards=3..8', or a function, not {game!r:.80}")
    if executor is None and processes is None:
        executor = InTurn()
    solving = solve_many(
        games, concept, method,
        executor=executor, processes=processes, out=out, time_limit=point_limit, total_limit=time_limit, **options,
    )  # fmt: skip
    done: list[BatchResult] = []
    stop = ""
    try:
        with closing(solving):
            for result in solving:
                if isinstance(result.error, LimitReached) and result.error.interrupted:
                    raise KeyboardInterrupt(str(result.error))
                done.append(result)
                if progress is not None:
                    progress(f"{len(done):,} of {len(grid):,} points", len(done) / len(grid))
    except KeyboardInterrupt as interrupt:
        stop = f"{stopped_by(interrupt)}; {len(done):,} of {len(grid):,} points are done"
    done.sort(key=lambda result: result.index)
    found = Sweep(name, tuple(grid[result.index] for result in done), tuple(done))
    if stop:
        raise LimitReached(stop, best=found if done else None, interrupted=True)  # type: ignore[arg-type]
    return found


def _grid(values: object, points: object, step: object) -> list[Fraction]:
    """Return the sorted parameter values of a sweep. If ``values`` is a range, ``points`` or ``step`` divides it."""
    if isinstance(values, str) and ".." in values:
        low, _, high = values.partition("..")
        return _between(_end(low, values), _end(high, values), points, step)
    if isinstance(values, str) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        raise SpecError(f"'values' must be numbers, or a range such as '0..4', not {values!r:.80}")
    if points is not None or step is not None:
        raise SpecError("'points' and 'step' are for a range such as '0..4': omit them if 'values' is a list")
    given = list(islice(values, _MOST_POINTS + 1))  # the iterable may be infinite
    if not 1 <= len(given) <= _MOST_POINTS:
        raise SpecError(f"'values' must contain from 1 to {_MOST_POINTS:,} numbers, not {'more' if given else 'none'}")
    return sorted({Fraction(exact_number(value, "value")) for value in given})


def _end(text: str, whole: str) -> Fraction:
    """Convert an end of a range from text to a number. ``whole`` is the text of the range, for error messages."""
    try:
        return Fraction(parse_number(text.strip()))
    except ValueError as error:
        raise SpecError(f"{whole:.80}: {error}") from None


def _between(low: Fraction, high: Fraction, points: Any, step: Any, *, whole: bool = False) -> list[Fraction]:
    """Return evenly spaced points from ``low`` to ``high``. If ``whole`` is True, the points are integers."""
    if low > high:
        raise SpecError(
            f"a range must go from the smaller to the larger number, not from {shorten(low)} to {shorten(high)}"
        )
    if points is not None and step is not None:
        raise SpecError("'points' and 'step' exclude each other: give only one of them")
    if points is None:
        usual = Fraction(1) if whole else (high - low) / (_POINTS - 1)
        each = usual if step is None else Fraction(exact_number(step, "step"))
        if each < 0 or (each == 0 and low < high) or (whole and each.denominator > 1):
            raise SpecError(f"'step' must be a positive {'integer' if whole else 'number'}, not {shorten(each)}")
        count = int((high - low) / each) + 1 if each else 1
    elif is_whole(points) and int(points) >= 1:
        count, each = int(points), (high - low) / max(int(points) - 1, 1)
    else:
        raise SpecError(f"'points' must be an integer of at least 1, not {points!r:.80}")
    if count > _MOST_POINTS:
        raise SpecError(
            f"a sweep can have at most {_MOST_POINTS:,} points, not {count:,}: give fewer points, or a larger step"
        )
    grid = (low + k * each for k in range(count))
    return sorted({Fraction(round(x)) if whole else x for x in grid})


def _specs(text: str, points: object, step: object) -> tuple[str, list[Fraction], list[str]]:
    """Parse the name of a built-in game in which one parameter has a range of values.

    Return the name of the parameter that varies, its values, and the name of the game for each value.
    """
    name = text.partition(":")[0]
    if not is_built_in(name):
        raise SpecError(
            f"{text:.80} is not a built-in game with parameters{for_reader('', ' (tremble games)')}; to vary the "
            "payoffs of your own game, pass a function to tremble.sweep in Python"
        )
    known = {parameter.name: parameter for parameter in parameters(rules_class(name))}
    if not known:
        raise SpecError(f"{name} has no parameters; to vary its payoffs, pass a function to tremble.sweep in Python")
    ranges = list(_RANGE.finditer(text))
    if len(ranges) != 1:
        what = f"has {len(ranges)} ranges" if ranges else "has no range"
        raise SpecError(
            f"{text:.80} {what}; give one parameter a range, as in kuhn:cards=3..8 ({name}: {', '.join(known)})"
        )
    (match,) = ranges
    key = match["key"].strip()
    if key not in known:
        question = did_you_mean(key, known)
        raise SpecError(f"{name} has no parameter {key!r:.80}; {question or 'its parameters: ' + ', '.join(known)}")
    parameter = known[key]
    if parameter.kind is bool or parameter.choices:
        batch = for_reader("tremble.solve_many", "tremble batch")
        raise SpecError(f"{name}: {key} is {parameter.allowed}, not a number: to solve several games, use {batch}")
    low, high = _end(match["low"], match[0]), _end(match["high"], match[0])
    integers = low.denominator == high.denominator == 1
    if parameter.kind is int and not integers:
        raise SpecError(f"{name}: {key} is {parameter.allowed}: the ends of its range must be integers")
    whole = integers and parameter.kind in (int, str)
    games: dict[Fraction, str] = {}
    for x in _between(low, high, points, step, whole=whole):
        # The value of a float parameter is rounded to the nearest float, so this float is the point.
        value = repr(float(x)) if parameter.kind is float and x.denominator > 1 else str(x)
        games[Fraction(value)] = text[: match.start("low")] + value + text[match.end("high") :]
    return key, list(games), list(games.values())
