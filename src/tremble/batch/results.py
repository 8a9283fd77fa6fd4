"""What is known of one game of a batch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from tremble.errors import LimitReached, TrembleError
from tremble.numbers import format_fraction
from tremble.solution.heading import GameReference
from tremble.solution.stated import StatedSolution
from tremble.tabular import Tabular, in_both_forms
from tremble.value import Value

__all__ = ["BatchResult"]


@dataclass(frozen=True, eq=False, repr=False)
class BatchResult(Value, Tabular):
    """One game of :func:`tremble.solve_many`: its solution, or why there is none.

    Attributes
    ----------
    index : int
        Position among the games, from 0.
    name : str
        The text that named the game, or its key in a mapping; else its spec or title.
    game : GameReference or None
        None if the game could not be loaded.
    solution : Solution or StatedSolution, or None
        Of a run that was stopped, the best so far. A ``StatedSolution`` if it comes from disk: nothing of it has been
        proven again.
    error : TrembleError or None
        None if what was asked for is proven. ``LimitReached`` or ``NotProvenError`` where a solution says less, any
        other one where the game could not be solved.
    seconds : float
        That loading and solving took, whenever that was.
    from_disk : bool
        Whether an earlier run solved it.
    file : Path or None
        The solution file, in the folder.
    rescued : Path or None
        Where the solution stands if the folder could not be written to.

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
        """Whether what was asked for is proven."""
        return self.error is None

    @property
    def status(self) -> str:
        """The status of the solution; ``"failed"`` if there is none."""
        return "failed" if self.solution is None else str(self.solution.status)

    def to_rows(self) -> list[dict[str, Any]]:
        """One row: that of the CSV output of ``tremble batch``.

        The index counts from 1, exact numbers are ``Fraction``.
        """
        plain, values = self.plain(), (None, None) if self.solution is None else self.solution.values
        numbers = in_both_forms("value1", values[0]) | in_both_forms("value2", values[1])
        row = plain | numbers | {"error": None if self.error is None else str(self.error)}
        return [{column: row[column] for column in self.columns}]

    def plain(self) -> dict[str, Any]:
        """The same as plain data: what a line of ``results.jsonl`` says of it; the index counts from 1."""
        solution, error = self.solution, self.error
        stated: dict[str, Any] = dict.fromkeys(("concept", "requested", "method", "values", "bounds", "guarantee"))
        if solution is not None:
            pairs = {"values": solution.values, "bounds": solution.bounds}
            stated |= {"concept": solution.concept, "requested": solution.requested, "method": solution.method.name}
            if solution.guarantee is not None:
                player, low, _ = solution.guarantee
                stated["guarantee"] = {"player": player + 1, "value": format_fraction(low)}
            stated |= {k: None if pair is None else [format_fraction(x) for x in pair] for k, pair in pairs.items()}
        return {
            "index": self.index + 1,
            "name": self.name,
            "game": None if self.game is None else asdict(self.game),
            "status": self.status,
            "proven": self.proven,
            **stated,
            "seconds_float": round(self.seconds, 3),
            "file": None if self.file is None else self.file.name,
            "rescued": None if self.rescued is None else str(self.rescued),
            "error": None
            if error is None
            else {
                "type": type(error).__name__,
                "message": str(error),
                "interrupted": isinstance(error, LimitReached) and error.interrupted,
            },
        }

    def __repr__(self) -> str:
        about = f": {self.error}" if self.error is not None else ""
        return f"<BatchResult {self.index} {self.name!r:.80}, {self.status}{about:.200}>"
