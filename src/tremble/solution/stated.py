"""Solution files with the schema ``tremble/solution@1``, and files that contain only strategies.

Reading distinguishes two kinds of fault. A file that breaks the format raises a ``FormatError``, for example if a field
is missing or has a number instead of text. A file that is well-formed but wrong is read unchanged, for example if it
has too many rows or probabilities that do not sum to one. The checker then reports each fault and its place.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tremble.errors import CertificateError, FormatError, GameError, SpecError
from tremble.game.requirements import require_tree
from tremble.game.rules import not_built
from tremble.game.strategy import BehaviorStrategy
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.numbers import exact_number, format_fraction
from tremble.run.whole_file import write_text
from tremble.solution.claims import SolutionFields, pair_of
from tremble.solution.memory import document_text, encode, require_document
from tremble.solution.reading import SOLUTION, STRATEGIES, read_document, solution_document
from tremble.solution.schema import Reader
from tremble.solution.strategy_documents import arrays
from tremble.solution.table_rows import COLUMNS, table_rows
from tremble.value import shorten
from tremble.words import for_reader

__all__ = ["StatedSolution", "parse_strategies", "read_strategies"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StatedSolution(SolutionFields):
    """The statements of a solution file, before they are proven. :func:`tremble.verify` checks them.

    Two stated solutions are equal if all fields except ``stats``, ``version`` and ``played`` are equal. So a solution
    that is written to a file and read again is equal to the original.

    *Plain data* are JSON values: objects, lists, text, integers of at most 18 digits, true, false, null. A
    ``Fraction`` and an exact integer that may be long are written as text (``"1/2"``). Only a field whose name ends in
    ``_float`` can contain floats.

    Attributes
    ----------
    game : GameReference
    concept : str
        The concept that the strategies satisfy, such as ``"nash"``.
    requested : str
        The concept that was requested.
    method : MethodReference
    status : Status
    values : pair of Fraction
        Expected payoffs of players 1 and 2.
    bounds : pair of Fraction, or None
        Lower and upper bound on player 1's value. For the concept ``"maxmin"``, bounds on the payoff that the
        maxmin player can guarantee. For other concepts, None if the payoffs have no constant sum.
    strategies : pair of BehaviorStrategy, or of UnbuiltStrategy or OrderedStrategy if the game is not built
        A pair of StrategyTable if the rows of a tree's strategies are wrong.
    beliefs : pair of tuples of BeliefRow, or None
    certificate : mapping
        Plain data; the field ``kind`` determines the other fields.
    refutation : mapping, or None
        Plain data: a proof that the strategies do *not* satisfy a concept. The field ``concept`` names the concept.
    stats : mapping
        Plain data: sizes, iterations, times. ``verify`` does not check them.
    version : str
        The version of tremble that made the solution.
    played : GameTree or UnbuiltGame, or None
        The game if a solver returned the solution; None if the solution is from a file. Files do not contain the game.

    Raises
    ------
    CertificateError
        ``strategies`` is not a pair of strategies of one kind, or the strategies contain floats.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> text = tremble.solve(kuhn, "quasi-perfect").to_text()
    >>> stated = StatedSolution.from_text(text)
    >>> stated.concept, stated.value, stated.to_text() == text
    ('quasi-perfect', Fraction(-1, 18), True)
    >>> tremble.verify(kuhn, stated).proven
    'quasi-perfect'
    """

    schema: ClassVar[str] = SOLUTION.schema
    columns: ClassVar[tuple[str, ...]] = COLUMNS

    @property
    def value(self) -> Fraction:
        """Expected payoff of player 1."""
        return self.values[0]

    @property
    def guarantee(self) -> tuple[int, Fraction, Fraction] | None:
        """The player of a maxmin strategy, 0 or 1, and a lower and an upper bound on what this player can guarantee.

        The bounds are in that player's payoffs. The strategy guarantees the lower bound, and no strategy guarantees
        more than the upper bound. The property is ``None`` for other concepts, and for constant-sum games in which both
        players have perfect recall. In such games, a maxmin strategy guarantees the value of the game.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.load("battle_outside"), "maxmin", player=1).guarantee
        (1, Fraction(3, 4), Fraction(3, 4))
        """
        if self.bounds is None or "player" not in self.certificate:
            return None
        # If the sum is constant, `bounds` are in player 1's payoffs, and the certificate's bounds are in this player's.
        stated = [
            self.certificate.get(name, bound) for name, bound in zip(("lower", "upper"), self.bounds, strict=True)
        ]
        low, high = (Fraction(exact_number(number, "certificate")) for number in stated)
        return 1 if self.certificate["player"] == 2 else 0, low, high

    @property
    def tables(self) -> tuple[StrategyTable, StrategyTable]:
        """The unchecked probabilities of both players' strategies, if the game is a tree.

        Raises
        ------
        GameError
            The solution belongs to a game that is not built (see :attr:`unbuilt`).
        """
        tables = pair_of(StrategyTable, self.rows)
        if tables is None:
            raise not_built()
        return tables

    def profile(self, tree: GameTree) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Check that the strategies belong to ``tree``, and return the strategies.

        Raises
        ------
        CertificateError
            The solution belongs to another game, or its rows do not form strategies.
        GameError
            The solution belongs to a game that is not built.
        """
        require_document(SOLUTION, self)
        require_tree(tree)
        table1, table2 = self.tables
        if self.game.digest not in (None, tree.digest):
            raise CertificateError(
                f"the solution is for another game ({self.game.spec or self.game.title!r:.80}): the digests differ"
            )
        for player, table in enumerate(self.tables):
            if table.player != player:
                raise CertificateError(f"strategies[{player}]: this is a strategy of player {table.player + 1}")
        return table1.strategy(tree), table2.strategy(tree)

    def __repr__(self) -> str:
        try:
            value1, value2 = map(shorten, self.values)
            pays = f"payoffs {value1} and {value2}" if self.bounds is None else f"value {value1} to player 1"
            if self.guarantee is not None:
                player, low, _ = self.guarantee
                pays = f"player {player + 1} guarantees {shorten(low)}"
            return f"<Solution of {self.game.title!r:.60}: {self.concept}, {self.status}, {pays}>"
        except (AttributeError, LookupError, TypeError, ValueError):
            return "<Solution, malformed: tremble.verify says where>"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of CSV output: one for each player, information set and action.

        Information sets count from 1, and exact numbers are ``Fraction``. If the game is not built, an information set
        has no number (None), and its label describes the knowledge of the player.

        Raises
        ------
        CertificateError
            The rows do not form strategies.
        GameError
            The strategies belong to an ordered game; :func:`tremble.show.strategy_table` returns their rows.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.matrix_game([[1, -1], [-1, 1]])).to_rows()[0]
        {'player': 1, 'infoset': 1, 'label': '', 'action': '1', 'probability': Fraction(1, 2), 'probability_float': 0.5}
        """
        if self.ordered is not None:
            raise GameError(
                "the rows of strategies for an ordered game depend on the game; "
                "call tremble.show.strategy_table(strategies, game)"
            )
        pair = self.unbuilt or [table.strategy() for table in self.tables]
        return [row for strategy in pair for row in table_rows(strategy)]

    def to_text(self, *, without_arrays: bool = False) -> str:
        """Return the text of a solution file, with sorted keys and one line per information set.

        Parameters
        ----------
        without_arrays : bool
            For an ordered game, write null instead of the strategies. Solution files never have this form.

        Raises
        ------
        CertificateError
            A field has a wrong type.
        FormatError
            The strategies belong to an ordered game. Only a separate file of arrays can contain them.
        """
        if self.ordered is not None and not without_arrays:
            raise FormatError(_needs_a_file())
        STRATEGIES.plain(self.strategies, "strategies")  # the other fields are checked as they are written
        return document_text(SOLUTION, self, **({} if self.ordered is None else {"strategies": "null"}))

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the solution to a file, completely or not at all.

        Strategies of an ordered game are written to a file of arrays in the same folder. The solution file names the
        file of arrays; keep the two files together. Replacing a solution file deletes its old file of arrays.

        Raises
        ------
        TrembleError
            The file cannot be written; an existing file of this name is unchanged.
        """
        if self.ordered is None:
            write_text(path, self.to_text())
            return
        require_document(SOLUTION, self)
        files = arrays()
        data = files.packed(self.ordered)
        stated = {
            "sha256": files.digest_of(data),
            "denominators": [format_fraction(s.denominator) for s in self.ordered],
        }
        files.write_beside(
            path, data, lambda name: document_text(SOLUTION, self, strategies=encode({"npz": name, **stated}))
        )

    @staticmethod
    def from_json(path: str | os.PathLike[str]) -> StatedSolution:
        """Read a solution file. ``"-"`` means standard input; ``"FILE#K"`` means equilibrium K (from 1) of a list.

        Raises
        ------
        FormatError
            The file cannot be read or is not a solution file. A file that is well-formed but wrong raises no error:
            :func:`tremble.verify` reports what is wrong.
        """
        reader, document, _ = read_document(path)
        return StatedSolution(**SOLUTION.read(reader, document))

    @staticmethod
    def from_text(text: str, *, file: str = "<text>", path: str | os.PathLike[str] | None = None) -> StatedSolution:
        """Read a solution from ``text``. Errors name it ``file``. Files of arrays are in the folder of ``path``."""
        if not isinstance(file, str):
            raise SpecError(f"'file' must be a string that names the file in error messages, not {file!r:.80}")
        if path is not None and not isinstance(path, str | os.PathLike):
            raise SpecError(f"'path' must be the path of a file, not {path!r:.80}")
        if not isinstance(text, str):
            raise FormatError(f"expected the text of a solution, not {text!r:.80}", file=file)
        reader = Reader(file, path)
        return StatedSolution(**SOLUTION.read(reader, solution_document(reader, text)))


def _needs_a_file() -> str:
    return (
        "a text cannot contain the strategies of an ordered game, because they are arrays in a separate file; "
        f"write the solution to a file ({for_reader('to_json', '--output')})"
    )


def parse_strategies(text: str, *, file: str, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Read a text that may contain only strategies, such as ``{"strategies": [[...], [...]]}``.

    A row needs ``infoset`` and ``actions``; all other fields are optional and have the format of a solution file.

    Returns
    -------
    dict
        ``strategies``, ``game``, ``beliefs`` and ``certificate``, each None if the text lacks it. Also ``solution``: a
        StatedSolution if the text has all required fields, else None.
    """
    reader = Reader(file, path, labels_needed=False)
    return read_strategies(reader, reader.parsed(text))


def read_strategies(reader: Reader, document: Any) -> dict[str, Any]:
    """Read a parsed document in which only the field ``strategies`` is required: see :func:`parse_strategies`."""
    others = ["schema", *(key for key in SOLUTION.fields if key != "strategies")]
    document = SOLUTION.headed(reader, document, ("strategies",), others)
    parts = SOLUTION.parts(reader, document)
    solution = StatedSolution(**SOLUTION.made(parts)) if set(SOLUTION.required) <= set(document) else None
    return {**{key: parts.get(key) for key in ("strategies", "game", "beliefs", "certificate")}, "solution": solution}
