"""Several equilibria of one game in a file: schema ``tremble/equilibria@1``.

A file can prove that each member is an equilibrium, and how the members are related (:mod:`tremble.check.lists`). It
cannot prove that there are no others: that is a claim of the program that enumerated them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, overload

from tremble import __version__
from tremble.errors import FormatError, SpecError
from tremble.game.strategy import BehaviorStrategy
from tremble.run.text_file import read_text, write_text
from tremble.solution.parts import GameReference
from tremble.solution.schema import (
    INTEGER,
    POSITION,
    TEXT,
    TRUTH,
    Document,
    Reader,
    Shape,
    expect,
    nullable,
    pair,
    several,
)
from tremble.solution.stated import GAME, StatedSolution, nested_solution
from tremble.tabular import Tabular
from tremble.value import Value

__all__ = ["EQUILIBRIA", "Equilibria", "verdict"]

Members = tuple[int, ...]

if TYPE_CHECKING:  # as in tremble.solution.solution
    from typing_extensions import TypeVar

    Member_co = TypeVar("Member_co", bound=StatedSolution, default=StatedSolution, covariant=True)
else:
    from typing import TypeVar

    Member_co = TypeVar("Member_co")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Equilibria(Value, Tabular, Sequence[Member_co]):
    """A list of equilibria of one game: a sequence of solutions, and how they are related.

    Numbers count from 0 here, and from 1 in files.

    Attributes
    ----------
    game : GameReference
    solutions : tuple of StatedSolution
        The members. :func:`tremble.all_equilibria` finds :class:`tremble.Solution`, each proven.
    requested : str or None
        For a list of pure equilibria, the concept that the list is about. The list has the profiles that are proven to
        be of the concept, and the undecided ones. None means Nash equilibria.
    pairs : tuple of (i, j), or None
        For each equilibrium, the numbers of its two strategies. Two equilibria with the same number share a plan.
    maximal_subsets : tuple of (tuple of i, tuple of j), or None
        Every mixture of the strategies i of player 1, with every mixture of the strategies j of player 2, is an
        equilibrium. No larger sets have this property. Together the subsets are the set of all equilibria.
    components : tuple of tuples of int, or None
        The connected components of the set of all equilibria, each as positions of members.
    unique : bool or None
        True if there is only one Nash equilibrium, as realization plans; None if that is not known.
    unique_plans : pair of bool, or None
        For each player, True if it has only one plan in all Nash equilibria.
    pure : bool or None
        True for a list of pure equilibria: each player plays one action at every set that its own strategy reaches. The
        list may be empty.
    complete : bool or None
        For a list of pure equilibria, True if there are no others. False if the search was stopped, or if a member is
        undecided.
    indices : tuple of int or None, or None
        For each component, its index in the bimatrix game or the reduced normal form. A regular equilibrium has 1 or
        -1; other components may have any integer. The indices sum to 1. A component whose index is not 0 persists in
        every game nearby. None for an index that would take too long.
    indices_unknown : str or None
        The reason why some indices are missing.
    degenerate : bool or None
        True if a mixture of k strategies has more than k best responses, in the bimatrix game or the reduced normal
        form.
    degeneracy : str or None
        The mixture that makes the game degenerate, or why it is not known whether the game is degenerate.
    version : str
        The version of tremble that found the equilibria.

    Raises
    ------
    CertificateError
        A field is of a wrong type; the message names the field.

    Examples
    --------
    >>> import tremble
    >>> sexes = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    >>> found = tremble.all_equilibria(sexes)
    >>> len(found), [str(value) for value in found[1].values], found.pairs, found.unique
    (3, ['6/5', '6/5'], ((0, 0), (1, 1), (2, 2)), False)
    >>> again = Equilibria.from_text(found.to_text())
    >>> tremble.verify(sexes, again).ok
    True
    """

    schema: ClassVar[str] = "tremble/equilibria@1"
    columns: ClassVar[tuple[str, ...]] = ("equilibrium", *StatedSolution.columns, "verdict")

    game: GameReference
    solutions: tuple[Member_co, ...]
    requested: str | None = None
    pairs: tuple[tuple[int, int], ...] | None = None
    maximal_subsets: tuple[tuple[Members, Members], ...] | None = None
    components: tuple[Members, ...] | None = None
    unique: bool | None = None
    unique_plans: tuple[bool, bool] | None = None
    pure: bool | None = None
    complete: bool | None = None
    indices: tuple[int | None, ...] | None = None
    indices_unknown: str | None = None
    degenerate: bool | None = None
    degeneracy: str | None = None
    version: str = field(default=__version__, compare=False)

    def __post_init__(self) -> None:
        EQUILIBRIA.require(self)
        for name in ("solutions", "pairs", "maximal_subsets", "components", "unique_plans", "indices"):
            object.__setattr__(self, name, _as_tuples(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.solutions)

    @overload
    def __getitem__(self, position: int) -> Member_co: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Member_co, ...]: ...
    def __getitem__(self, position: int | slice) -> Member_co | tuple[Member_co, ...]:
        return self.solutions[position]

    def __iter__(self) -> Iterator[Member_co]:
        return iter(self.solutions)

    def __repr__(self) -> str:
        return f"<{len(self)} equilibria of {self.game.title!r:.60}>"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of all solutions (:meth:`tremble.Solution.to_rows`), each with a number and a verdict.

        The column ``equilibrium`` counts the members from 1. The column ``verdict`` is about the requested concept:
        ``"proven"``, ``"disproven"``, ``"undecided"`` or ``"not so completed"``. The last one means that the profile
        was completed by uniform play off the player's own path, and that this completion is disproven; another
        completion may be proven.
        """
        judged = ((k, solution, verdict(solution)) for k, solution in enumerate(self.solutions, 1))
        return [
            {"equilibrium": k, **row, "verdict": judgement}
            for k, solution, judgement in judged
            for row in solution.to_rows()
        ]

    def to_text(self) -> str:
        """Return the text of the file: keys are sorted, and each solution is written as in its own file."""
        return EQUILIBRIA.text(self)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the file atomically.

        Raises
        ------
        TrembleError
            The file cannot be written; a previous file of that name is unchanged.
        """
        write_text(path, self.to_text())

    @staticmethod
    def from_json(path: str | os.PathLike[str]) -> Equilibria:
        """Read a file; ``"-"`` is the standard input.

        Raises
        ------
        FormatError
            The file cannot be read or is not of this schema. A file that is well-formed but wrong is read:
            :func:`tremble.verify` reports what is wrong.
        """
        source = read_text(path)
        return Equilibria.from_text(source.text, file=source.name)

    @staticmethod
    def from_text(text: str, *, file: str = "<text>") -> Equilibria:
        """Read the text of a file; errors name it as ``file``."""
        if not isinstance(file, str):
            raise SpecError(f"file is the name that messages give, not {file!r:.80}")
        if not isinstance(text, str):
            raise FormatError(f"expected the text of several equilibria, not {text!r:.80}", file=file)
        reader = Reader(file)
        return EQUILIBRIA.read(reader, reader.parsed(text))


_OF_PLANS = ("best-response", "dominated")
"""Kinds of refutations that hold however a player plays at the sets that its own strategy never reaches."""


def verdict(member: StatedSolution) -> str:
    """Return what a member of a list states about the requested concept: see :meth:`Equilibria.to_rows`."""
    if member.concept == member.requested:
        return "proven"
    if member.refutation is None or member.refutation.get("concept") != member.requested:
        return "undecided"
    if member.refutation.get("kind") in _OF_PLANS:
        return "disproven"
    completed = any(s.off_path.any() for s in member.strategies if isinstance(s, BehaviorStrategy))
    return "not so completed" if completed else "disproven"


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list | tuple) else value


def _read_solutions(reader: Reader, value: Any, path: str) -> tuple[StatedSolution, ...]:
    items = enumerate(reader.items(value, path))
    return tuple(nested_solution(Reader(f"{reader.file}: {path}[{k}]"), item) for k, item in items)


def _require_solutions(value: Any, path: str) -> None:
    """Check that the members are solutions; each solution has checked its own fields."""
    for k, solution in enumerate(expect(value, list | tuple, "a tuple", path)):
        expect(solution, StatedSolution, "a solution", f"{path}[{k}]")


def _spelled(value: Any, path: str) -> str:
    return "[\n" + ",\n".join(solution.to_text().rstrip("\n") for solution in value) + "\n]"


_POSITIONS = several(POSITION)

EQUILIBRIA = Document(
    Equilibria,
    Equilibria.schema,
    "a file of equilibria",
    {
        "tremble": TEXT,
        "game": GAME,
        "equilibria": Shape(_read_solutions, _require_solutions, _spelled),
        "requested": TEXT,
        "pairs": several(pair(POSITION)),
        "maximal_subsets": several(pair(_POSITIONS)),
        "components": several(_POSITIONS),
        "unique": TRUTH,
        "unique_plans": pair(TRUTH),
        "pure": TRUTH,
        "complete": TRUTH,
        "indices": several(nullable(INTEGER)),
        "indices_unknown": TEXT,
        "degenerate": TRUTH,
        "degeneracy": TEXT,
    },
    optional=(
        *("requested", "pairs", "maximal_subsets", "components", "unique", "unique_plans", "pure", "complete"),
        *("indices", "indices_unknown", "degenerate", "degeneracy"),
    ),
    attribute={"tremble": "version", "equilibria": "solutions"},
)
