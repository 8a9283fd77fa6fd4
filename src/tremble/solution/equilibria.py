"""Lists of equilibria of one game, and their files with the schema ``tremble/equilibria@1``.

A file can prove that each member is an equilibrium, and how the members are related (:mod:`tremble.check.lists`). A
file cannot prove that there are no other equilibria: this is a claim of the program that enumerated them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, overload

from tremble import __version__
from tremble.errors import CertificateError, FormatError, SpecError
from tremble.game.strategy import BehaviorStrategy
from tremble.run.text_file import read_text
from tremble.run.whole_file import write_text
from tremble.solution.claims import GameReference
from tremble.solution.memory import document_text, expect, require_document
from tremble.solution.reading import GAME, SOLUTION
from tremble.solution.schema import INTEGER, POSITION, TEXT, TRUTH, Document, Reader, Shape, nullable, pair, several
from tremble.solution.stated import StatedSolution
from tremble.value import Tabular, Value

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
    """A list of equilibria of one game, and facts about the list. The class is a sequence of solutions.

    Numbers count from 0 in Python, and from 1 in files.

    Attributes
    ----------
    game : GameReference
    solutions : tuple of StatedSolution
        The members. :func:`tremble.all_equilibria` returns members of the class :class:`tremble.Solution`, each proven.
    requested : str or None
        For a list of pure equilibria, the requested concept. The list has the profiles that are proven to satisfy the
        concept, and the undecided profiles. None means Nash equilibria.
    pairs : tuple of (i, j), or None
        For each equilibrium, the numbers of its two strategies. If two strategies of one player have equal
        numbers, they have equal plans.
    maximal_subsets : tuple of (tuple of i, tuple of j), or None
        Each subset is a pair: numbers i of player 1's strategies, and numbers j of player 2's. Every mixture of the
        strategies i, together with every mixture of the strategies j, is an equilibrium. No larger subset has this
        property. All these mixtures together are the set of all equilibria.
    components : tuple of tuples of int, or None
        The connected components of the set of all equilibria. A component lists the positions of its members.
    unique : bool or None
        True if the game has only one Nash equilibrium, in terms of realization plans; None if this is not known.
    unique_plans : pair of bool, or None
        For each player, True if the player has the same plan in all Nash equilibria.
    pure : bool or None
        True for a list of pure equilibria: each player plays one action at every set that its own strategy reaches. The
        list may be empty.
    complete : bool or None
        For a list of pure equilibria, True if the list has all of them. False if the search was stopped, or if a member
        is undecided.
    indices : tuple of int or None, or None
        The index of each component in the bimatrix game or the reduced normal form. The index of a regular equilibrium
        is 1 or -1; any other index can be any integer. The indices sum to 1. If the index is not 0, every game with
        nearby payoffs has an equilibrium near the component. None for an index that would take too long to compute.
    indices_unknown : str or None
        The reason why some indices are missing.
    degenerate : bool or None
        True if a mixture of k strategies has more than k best responses, in the bimatrix game or the reduced normal
        form.
    degeneracy : str or None
        The mixture that makes the game degenerate, or the reason why degeneracy is not known.
    version : str
        The version of tremble that found the equilibria.

    Raises
    ------
    CertificateError
        A field has a wrong type; the message names the field.

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
        require_document(EQUILIBRIA, self)
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

        The column ``equilibrium`` counts the members from 1. The column ``verdict`` is about the requested concept. It
        is ``"proven"``, ``"disproven"``, ``"undecided"`` or ``"not so completed"``. In the last case, the profile was
        completed by uniform play off the player's own path, and this completion is disproven. Another completion may
        satisfy the concept.
        """
        judged = ((k, solution, verdict(solution)) for k, solution in enumerate(self.solutions, 1))
        return [
            {"equilibrium": k, **row, "verdict": judgement}
            for k, solution, judgement in judged
            for row in solution.to_rows()
        ]

    def to_text(self) -> str:
        """Return the list as the text of a file. Keys are sorted, and each solution has the form of a solution file."""
        return document_text(EQUILIBRIA, self)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the list to a file, completely or not at all.

        Raises
        ------
        TrembleError
            The file cannot be written; an existing file of this name is unchanged.
        """
        write_text(path, self.to_text())

    @staticmethod
    def from_json(path: str | os.PathLike[str]) -> Equilibria:
        """Read a list of equilibria from a file; the path ``"-"`` means the standard input.

        Raises
        ------
        FormatError
            The file cannot be read or does not have the schema of a list. No error is raised for wrong values:
            :func:`tremble.verify` reports them.
        """
        source = read_text(path)
        return Equilibria.from_text(source.text, file=source.name)

    @staticmethod
    def from_text(text: str, *, file: str = "<text>") -> Equilibria:
        """Read a list of equilibria from ``text``. Error messages call the text ``file``."""
        if not isinstance(file, str):
            raise SpecError(f"'file' must be a string that names the file in error messages, not {file!r:.80}")
        if not isinstance(text, str):
            raise FormatError(f"expected the text of a list of equilibria, not {text!r:.80}", file=file)
        reader = Reader(file)
        return EQUILIBRIA.read(reader, reader.parsed(text))


_OF_PLANS = ("best-response", "dominated")
"""Kinds of refutations that do not depend on play at sets that the player's own strategy never reaches."""


def verdict(member: StatedSolution) -> str:
    """Return the verdict that ``member`` states on its concept: see ``verdict`` in :meth:`Equilibria.to_rows`."""
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
    return tuple(StatedSolution(**SOLUTION.read(Reader(f"{reader.file}: {path}[{k}]"), item)) for k, item in items)


def _require_solutions(value: Any, path: str) -> None:
    """Check that ``value`` is a list or tuple of solutions whose fields have the right types."""
    for k, solution in enumerate(expect(value, list | tuple, "a tuple", path)):
        expect(solution, StatedSolution, "a solution", f"{path}[{k}]")
        try:
            require_document(SOLUTION, solution)
        except CertificateError as error:
            raise CertificateError(f"{path}[{k}]: {error}") from None


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
