"""Several equilibria of one game in a file: schema ``tremble/equilibria@1``.

What a file can prove is that each of them is one, and how they hang together (:mod:`tremble.verifier.several`). That
there are no others is a statement of whoever enumerated them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tremble import __version__
from tremble.errors import FormatError
from tremble.solution.heading import GameReference
from tremble.solution.stated import StatedSolution, nested_solution, read_game_reference
from tremble.solution.strict_json import Reader, encode, named
from tremble.solution.well_formed import require_well_formed_list
from tremble.text_file import read_text, write_text

__all__ = ["EQUILIBRIA_SCHEMA", "Equilibria", "read_stated"]

EQUILIBRIA_SCHEMA = "tremble/equilibria@1"

_SEVERAL = "tremble/equilibria@"
_MAY_STATE_SEVERAL = re.compile(rf'"schema"\s*:\s*"{_SEVERAL}')

Members = tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Equilibria(Sequence[StatedSolution]):
    """Several equilibria of one game: a sequence of solutions, and how they hang together.

    Numbers count from 0 here, and from 1 in files.

    Attributes
    ----------
    game : GameReference
    solutions : tuple of StatedSolution
        What :func:`tremble.all_equilibria` finds are :class:`tremble.Solution`, each proven.
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

    schema: ClassVar[str] = EQUILIBRIA_SCHEMA

    game: GameReference
    solutions: tuple[StatedSolution, ...]
    pairs: tuple[tuple[int, int], ...] | None = None
    maximal_subsets: tuple[tuple[Members, Members], ...] | None = None
    components: tuple[Members, ...] | None = None
    unique: bool | None = None
    unique_plans: tuple[bool, bool] | None = None
    version: str = __version__

    def __post_init__(self) -> None:
        require_well_formed_list(vars(self), StatedSolution)
        for name in ("solutions", "pairs", "maximal_subsets", "components", "unique_plans"):
            object.__setattr__(self, name, _as_tuples(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.solutions)

    def __getitem__(self, position: Any) -> Any:
        return self.solutions[position]

    def __iter__(self) -> Iterator[StatedSolution]:
        return iter(self.solutions)

    def __repr__(self) -> str:
        return f"<{len(self)} equilibria of {self.game.title!r}>"

    def to_text(self) -> str:
        """The text of the file: sorted keys, the solutions as in their own files."""
        document = {
            "schema": EQUILIBRIA_SCHEMA,
            "tremble": self.version,
            "game": {"spec": self.game.spec, "title": self.game.title, "digest": self.game.digest},
            "pairs": None if self.pairs is None else _from_one(self.pairs),
            "maximal_subsets": None if self.maximal_subsets is None else _from_one(self.maximal_subsets),
            "components": None if self.components is None else _from_one(self.components),
            "unique": self.unique,
            "unique_plans": None if self.unique_plans is None else list(self.unique_plans),
        }
        parts = {key: encode(value) for key, value in document.items() if value is not None}
        parts["equilibria"] = "[\n" + ",\n".join(solution.to_text().rstrip("\n") for solution in self) + "\n]"
        return "{\n" + ",\n".join(f'"{key}": {parts[key]}' for key in sorted(parts)) + "\n}\n"

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
        if not isinstance(text, str):
            raise FormatError(f"expected the text of several equilibria, not {text!r:.80}", file=file)
        reader = _EquilibriaReader(file)
        return reader.equilibria(reader.parsed(text))


def read_stated(path: str | os.PathLike[str]) -> StatedSolution | Equilibria:
    """What a file states: one solution, or several equilibria."""
    source = read_text(path)
    if _MAY_STATE_SEVERAL.search(source.text):  # what a solution holds that is free-form may say so, too
        reader = _EquilibriaReader(source.name)
        document = reader.parsed(source.text)
        if isinstance(document, dict) and str(document.get("schema")).startswith(_SEVERAL):
            return reader.equilibria(document)
    return StatedSolution.from_text(source.text, file=source.name, path=None if path == "-" else path)


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list | tuple) else value


def _from_one(numbers: Any) -> Any:
    """Nested numbers as a file counts them."""
    return numbers + 1 if isinstance(numbers, int) else [_from_one(number) for number in numbers]


class _EquilibriaReader(Reader):
    def equilibria(self, parsed: Any) -> Equilibria:
        required = ("schema", "tremble", "game", "equilibria")
        optional = ("pairs", "maximal_subsets", "components", "unique", "unique_plans")
        document = self.headed(
            parsed, required=required, optional=optional, schema=EQUILIBRIA_SCHEMA, what="a file of equilibria"
        )
        solutions = tuple(
            nested_solution(value, file=f"{self.file}: equilibria[{k}]")
            for k, value in enumerate(self.items(document["equilibria"], "equilibria"))
        )
        pairs = self.optional_items(document, "pairs")
        subsets = self.optional_items(document, "maximal_subsets")
        groups = self.optional_items(document, "components")
        both = self.optional_items(document, "unique_plans")
        return Equilibria(
            game=read_game_reference(document["game"], file=self.file),
            solutions=solutions,
            pairs=None if pairs is None else tuple(self.pair(pair, f"pairs[{k}]") for k, pair in enumerate(pairs)),
            maximal_subsets=None
            if subsets is None
            else tuple(self.subset(subset, f"maximal_subsets[{k}]") for k, subset in enumerate(subsets)),
            components=None
            if groups is None
            else tuple(self.numbers(group, f"components[{k}]") for k, group in enumerate(groups)),
            unique=self.truth(document["unique"], "unique") if "unique" in document else None,
            unique_plans=None if both is None else self.truths(both),
            version=self.text(document["tremble"], "tremble"),
        )

    def optional_items(self, document: dict[str, Any], key: str) -> list[Any] | None:
        return self.items(document[key], key) if key in document else None

    def numbers(self, value: Any, path: str) -> Members:
        """Numbers from 1, as they count in Python."""
        found = [self.integer(number, f"{path}[{k}]") for k, number in enumerate(self.items(value, path))]
        for k, number in enumerate(found):
            if number < 1:
                self.fail(f"{path}[{k}]", f"expected a number from 1, found {number}")
        return tuple(number - 1 for number in found)

    def pair(self, value: Any, path: str) -> tuple[int, int]:
        one, two = self.numbers(self.items(value, path, 2), path)
        return one, two

    def subset(self, value: Any, path: str) -> tuple[Members, Members]:
        one, two = self.items(value, path, 2)
        return self.numbers(one, f"{path}[0]"), self.numbers(two, f"{path}[1]")

    def truth(self, value: Any, path: str) -> bool:
        if not isinstance(value, bool):
            self.fail(path, f"expected true or false, found {named(value)}")
        return value

    def truths(self, value: list[Any]) -> tuple[bool, bool]:
        one, two = self.items(value, "unique_plans", 2)
        return self.truth(one, "unique_plans[0]"), self.truth(two, "unique_plans[1]")
