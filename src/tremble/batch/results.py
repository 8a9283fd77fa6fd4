"""The result that :func:`tremble.solve_many` yields for one game."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from tremble.errors import LimitReached, TrembleError
from tremble.numbers import format_fraction
from tremble.solution.claims import GameReference
from tremble.solution.stated import StatedSolution
from tremble.value import Tabular, Value, in_both_forms

__all__ = ["BatchResult"]


@dataclass(frozen=True, eq=False, repr=False)
class BatchResult(Value, Tabular):
    """The result of one game in :func:`tremble.solve_many`: a solution, or an error, or both.

    Attributes
    ----------
    index : int
        Position of the game in the batch, from 0.
    name : str
        The name of the game: its key in a mapping, or its text in a list. For a game object in a list, its spec (such
        as ``kuhn:cards=4``) or its title.
    game : GameReference or None
        The title, spec and digest of the game. None if the game could not be loaded.
    solution : Solution or StatedSolution, or None
        The solution. If a limit stopped the solver, this is the best solution so far. A ``StatedSolution`` was read
        from the folder of an earlier batch, and was not proven again.
    error : TrembleError or None
        None if the requested solution is proven. ``LimitReached`` or ``NotProvenError`` can come with a solution that
        is not proven to have all requested properties. Any other error means that the game could not be solved.
    seconds : float
        Seconds that loading and solving took, in an earlier batch if ``from_disk`` is True.
    from_disk : bool
        True if the result was read from the folder of an earlier batch.
    file : Path or None
        The path of the solution file in the folder of the batch, if any.
    rescued : Path or None
        The path of the solution file elsewhere, if the solution could not be written to the folder.

    Examples
    --------
    >>> import tremble
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(1) as pool:
    ...     results = list(tremble.solve_many(["kuhn", "no_such_game"], executor=pool))
    >>> sorted((result.index, result.solution is not None, type(result.error).__name__) for result in results)
    [(0, True, 'NoneType'), (1, False, 'SpecError')]
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("index", "name", "status", "proven", "concept", "method", "value1", "value1_float", "value2", "value2_float"),
        *("seconds_float", "file", "error"),
    )

    index: int
    name: str
    game: GameReference | None
    solution: StatedSolution | None
    error: TrembleError | None
    seconds: float
    from_disk: bool = False
    file: Path | None = None
    rescued: Path | None = None

    @property
    def proven(self) -> bool:
        """Return True if the requested solution is proven."""
        return self.error is None

    @property
    def status(self) -> str:
        """Return the status of the solution, or ``"failed"`` if there is no solution."""
        return "failed" if self.solution is None else str(self.solution.status)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a list of one row with the columns of the CSV output of ``tremble batch``.

        In the row, the index counts from 1, and exact numbers are ``Fraction`` objects.
        """
        value1, value2 = (None, None) if self.solution is None else self.solution.values
        error = None if self.error is None else str(self.error)
        row = self.plain() | in_both_forms("value1", value1) | in_both_forms("value2", value2) | {"error": error}
        return [{column: row[column] for column in self.columns}]

    def plain(self) -> dict[str, Any]:
        """Return the result as data for a line of ``results.jsonl``. The index in this data counts from 1."""
        solution, error = self.solution, self.error
        found: dict[str, Any] = dict.fromkeys(("concept", "requested", "method", "values", "bounds", "guarantee"))
        if solution is not None:
            found |= {"concept": solution.concept, "requested": solution.requested, "method": solution.method.name}
            found["values"] = list(map(format_fraction, solution.values))
            if solution.bounds is not None:
                found["bounds"] = list(map(format_fraction, solution.bounds))
            if solution.guarantee is not None:
                player, low, _ = solution.guarantee
                found["guarantee"] = {"player": player + 1, "value": format_fraction(low)}
        if error is not None:
            interrupted = isinstance(error, LimitReached) and error.interrupted
            about = {"type": type(error).__name__, "message": str(error), "interrupted": interrupted}
        return {
            "index": self.index + 1,
            "name": self.name,
            "game": None if self.game is None else asdict(self.game),
            "status": self.status,
            "proven": self.proven,
            **found,
            "seconds_float": round(self.seconds, 3),
            "file": None if self.file is None else self.file.name,
            "rescued": None if self.rescued is None else str(self.rescued),
            "error": None if error is None else about,
        }

    def __repr__(self) -> str:
        about = f": {self.error}" if self.error is not None else ""
        return f"<BatchResult {self.index} {self.name!r:.80}, {self.status}{about:.200}>"
