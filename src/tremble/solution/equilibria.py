"""Several equilibria of one game in a file: schema ``tremble/equilibria@1``.

What a file can prove is that each of them is one, and how they hang together (:mod:`tremble.check.lists`). That
there are no others is a statement of whoever enumerated them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, overload

from tremble import __version__
from tremble.errors import FormatError, SpecError
from tremble.game.strategy import BehaviorStrategy
from tremble.run.text_file import read_text, write_text
from tremble.solution.heading import GameReference
from tremble.solution.member import read_member
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

__all__ = ["Equilibria", "read_stated", "verdict"]

_SEVERAL = "tremble/equilibria@"
_MAY_STATE_SEVERAL = re.compile(rf'"schema"\s*:\s*"{_SEVERAL}')

Members = tuple[int, ...]

if TYPE_CHECKING:  # as in tremble.solution.solution
    from typing_extensions import TypeVar

    Member_co = TypeVar("Member_co", bound=StatedSolution, default=StatedSolution, covariant=True)
else:
    from typing import TypeVar

    Member_co = TypeVar("Member_co")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Equilibria(Value, Tabular, Sequence[Member_co]):
    """Several equilibria of one game: a sequence of solutions, and how they hang together.

    Numbers count from 0 here, and from 1 in files.

    Attributes
    ----------
    game : GameReference
    solutions : tuple of StatedSolution
        What :func:`tremble.all_equilibria` finds are :class:`tremble.Solution`, each proven.
    requested : str or None
        Of a list of pure equilibria: the concept that the list is about. It has the profiles that are proven to be of
        the concept, and those that are undecided. None: Nash equilibria.
    pairs : tuple of (i, j), or None
        Of each equilibrium the numbers of the two strategies: equilibria with equal numbers share a plan.
    maximal_subsets : tuple of (tuple of i, tuple of j), or None
        Any mixture of the strategies i of player 1 and any of the strategies j of player 2 are an equilibrium, and
        no larger sets are like that. All of them together are the set of all equilibria.
    components : tuple of tuples of int, or None
        The connected components of that set, each as positions of equilibria.
    unique : bool or None
        Whether there is only one Nash equilibrium, as realization plans; None if that is not known.
    unique_plans : pair of bool, or None
        Whether each player has only one plan in all Nash equilibria.
    pure : bool or None
        True of a list of pure equilibria: each player does one thing wherever its own strategy comes. It may be empty.
    complete : bool or None
        Of a list of pure equilibria: whether these are all of them. False if the search was stopped, or if a member is
        undecided.
    indices : tuple of int or None, or None
        Of each component, of the bimatrix game or the reduced normal form: 1 or -1 of a regular equilibrium, more or
        less of others. They add up to 1. A component whose index is not 0 is there in every game nearby. None where it
        would take too long.
    indices_unknown : str or None
        Why some indices are None.
    degenerate : bool or None
        Whether a mixture of k strategies has more than k best replies, in the bimatrix game or the reduced normal form.
    degeneracy : str or None
        Which mixture that is; or why it is not known whether there is one.
    version : str
        The version of tremble that found them.

    Raises
    ------
    CertificateError
        A field is of a wrong type; names it.

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
        """The rows of all solutions (:meth:`tremble.Solution.to_rows`), between number, from 1, and verdict of each.

        The verdict tells whether it is of the concept that was asked for, as far as it says so: ``"proven"``,
        ``"disproven"``, ``"undecided"``, or ``"not so completed"``: disproven of strategies that are uniform where
        their own player never comes, while others may do.
        """
        judged = ((k, solution, verdict(solution)) for k, solution in enumerate(self.solutions, 1))
        return [
            {"equilibrium": k, **row, "verdict": said} for k, solution, said in judged for row in solution.to_rows()
        ]

    def to_text(self) -> str:
        """The text of the file: sorted keys, the solutions as in their own files."""
        return EQUILIBRIA.text(self)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all.

        Raises
        ------
        TrembleError
            The file cannot be written; what stood there before still stands.
        """
        write_text(path, self.to_text())

    @staticmethod
    def from_json(path: str | os.PathLike[str]) -> Equilibria:
        """Read a file; ``"-"`` is the standard input.

        Raises
        ------
        FormatError
            The file cannot be read or is not of this schema. What is well-formed but wrong is read:
            :func:`tremble.verify` says what is wrong.
        """
        source = read_text(path)
        return Equilibria.from_text(source.text, file=source.name)

    @staticmethod
    def from_text(text: str, *, file: str = "<text>") -> Equilibria:
        """Read the text of a file; ``file`` is what errors call it."""
        if not isinstance(file, str):
            raise SpecError(f"file is the name that messages give, not {file!r:.80}")
        if not isinstance(text, str):
            raise FormatError(f"expected the text of several equilibria, not {text!r:.80}", file=file)
        reader = Reader(file)
        return EQUILIBRIA.read(reader, reader.parsed(text))


_OF_PLANS = ("best-response", "dominated")
"""Kinds of refutations that hold for whatever a player does where its own strategy never comes."""


def verdict(member: StatedSolution) -> str:
    """Whether a member of a list is of the concept that was asked for, as far as it says so."""
    if member.concept == member.requested:
        return "proven"
    if member.refutation is None or member.refutation.get("concept") != member.requested:
        return "undecided"
    if member.refutation.get("kind") in _OF_PLANS:
        return "disproven"
    completed = any(s.off_path.any() for s in member.strategies if isinstance(s, BehaviorStrategy))
    return "not so completed" if completed else "disproven"


def read_stated(path: str | os.PathLike[str]) -> StatedSolution | Equilibria:
    """Read what a file states: one solution, or a list of equilibria; ``FILE#K`` names one of the list."""
    member = read_member(path)
    if member is not None:
        return nested_solution(Reader(member.name), member.document)
    source = read_text(path)
    if _MAY_STATE_SEVERAL.search(source.text):  # what a solution holds that is free-form may say so, too
        reader = Reader(source.name)
        document = reader.parsed(source.text)
        if isinstance(document, dict) and str(document.get("schema")).startswith(_SEVERAL):
            return EQUILIBRIA.read(reader, document)
    return StatedSolution.from_text(source.text, file=source.name, path=None if path == "-" else path)


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list | tuple) else value


def _read_solutions(reader: Reader, value: Any, path: str) -> tuple[StatedSolution, ...]:
    items = enumerate(reader.items(value, path))
    return tuple(nested_solution(Reader(f"{reader.file}: {path}[{k}]"), item) for k, item in items)


def _require_solutions(value: Any, path: str) -> None:
    """Each looks after itself."""
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
