"""What a solution file states: schema ``tremble/solution@1``; and files of strategies alone, and of weights.

Reading distinguishes two kinds of fault. What is not of the format (a number where text belongs, a missing field) is a
``FormatError``. What is well-formed but wrong (a row too many, probabilities that do not sum to one) is kept as it
stands, for the verifier to say what is wrong and where.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from tremble import __version__
from tremble.errors import CertificateError, FormatError, GameError, SpecError
from tremble.game.requirements import require_tree
from tremble.game.rules import UnbuiltGame, not_built
from tremble.game.strategy import BehaviorStrategy
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.numbers import exact_number, format_fraction, shorten
from tremble.run.text_file import read_text, write_text
from tremble.solution.claim import BeliefRow, Beliefs, Profile
from tremble.solution.heading import GameReference, MethodReference, Status
from tremble.solution.member import read_member
from tremble.solution.schema import (
    FREE_FORM,
    INFOSET,
    INTEGER,
    NUMBER,
    TEXT,
    Document,
    Reader,
    Shape,
    by_line,
    choice,
    encode,
    named,
    nullable,
    pair,
    record,
    row,
    several,
)
from tremble.solution.strategies import (
    COLUMNS,
    STRATEGIES,
    TABLES,
    HoldsStrategies,
    Rows,
    arrays,
    pair_of,
    rows_of,
    table_rows,
)
from tremble.tabular import Tabular
from tremble.value import Value
from tremble.words import for_reader

__all__ = [
    "BELIEFS",
    "GAME",
    "NO_MISTAKES",
    "SOLUTION",
    "StatedSolution",
    "nested_solution",
    "parse_strategies",
    "read_strategies",
    "read_trembles",
]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StatedSolution(HoldsStrategies, Value, Tabular):
    """What a solution file states; :func:`tremble.verify` tells what of it is true.

    Two are equal if they state the same, but for ``stats`` and the version: a solution equals what is read from its
    file.

    *Plain data* means what JSON can say: objects, lists, text, integers of at most 18 digits, true, false, null. A
    ``Fraction`` is written as text (``"1/2"``), and so is an exact integer
    that may be long; a float is written only in a field whose name ends in ``_float``.

    Attributes
    ----------
    game : GameReference
    concept : str
        What was reached: ``"nash"``, ...
    requested : str
        What was asked for.
    method : MethodReference
    status : Status
    values : pair of Fraction
        Expected payoffs of players 1 and 2.
    bounds : pair of Fraction, or None
        Lower and upper bound on player 1's value; None where the sum of the payoffs varies, unless the concept is
        ``"maxmin"``: on what its player can guarantee, then.
    strategies : pair of BehaviorStrategy, or of UnbuiltStrategy or OrderedStrategy where the game is not built
        Pair of StrategyTable where the rows of a tree's strategies are stated wrongly.
    beliefs : pair of tuples of BeliefRow, or None
    certificate : mapping
        Plain data; its ``kind`` says what else it holds.
    refutation : mapping, or None
        Plain data: a proof that the strategies are *not* of a concept, which it names.
    stats : mapping
        Plain data: sizes, iterations, times. Remarks, which ``verify`` does not check.
    version : str
        The version of tremble that made the solution.
    played : GameTree or UnbuiltGame, or None
        The game itself, where a solver hands out the solution; None where it is read from a file. It is not written.

    Raises
    ------
    CertificateError
        There are not two strategies of one kind, or they hold floats.

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

    schema: ClassVar[str] = "tremble/solution@1"
    columns: ClassVar[tuple[str, ...]] = COLUMNS

    game: GameReference
    concept: str
    requested: str
    method: MethodReference
    status: Status
    values: tuple[Fraction, Fraction]
    bounds: tuple[Fraction, Fraction] | None
    strategies: Profile | Rows
    beliefs: Beliefs | None = None
    certificate: Mapping[str, Any]
    refutation: Mapping[str, Any] | None = None
    stats: Mapping[str, Any] = field(compare=False)
    version: str = field(default=__version__, compare=False)
    played: GameTree | UnbuiltGame | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        assert self.rows  # which refuses what is no pair of strategies
        object.__setattr__(self, "strategies", tuple(self.strategies))

    @property
    def value(self) -> Fraction:
        """Expected payoff of player 1."""
        return self.values[0]

    @property
    def guarantee(self) -> tuple[int, Fraction, Fraction] | None:
        """Whose maxmin strategy it is, 0 or 1, what it guarantees, and what none exceeds, in that player's payoffs.

        None of other concepts, and where nobody forgets and the sum is constant: there a pair of maxmin strategies is
        an equilibrium, and the value says it all.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.load("battle_outside"), "maxmin", player=1).guarantee
        (1, Fraction(3, 4), Fraction(3, 4))
        """
        if self.bounds is None or "player" not in self.certificate:
            return None
        # The bounds are in player 1's payoffs where the sum is constant: there a certificate states the player's own.
        stated = [
            self.certificate.get(name, bound) for name, bound in zip(("lower", "upper"), self.bounds, strict=True)
        ]
        low, high = (Fraction(exact_number(number, "certificate")) for number in stated)
        return 1 if self.certificate["player"] == 2 else 0, low, high

    @cached_property
    def rows(self) -> Rows:
        """The strategies as they stand, right or wrong; of a tree as tables."""
        return rows_of(self.strategies)

    @property
    def tables(self) -> tuple[StrategyTable, StrategyTable]:
        """The rows of both players as they stand, whether or not they make strategies.

        Raises
        ------
        GameError
            The solution is of a game that is not built (see :attr:`unbuilt`).
        """
        tables = pair_of(StrategyTable, self.rows)
        if tables is None:
            raise not_built()
        return tables

    def profile(self, tree: GameTree) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """The strategies, required to be of this game.

        Raises
        ------
        CertificateError
            The solution is of another game, or its rows are no strategies.
        GameError
            It is of a game that is not built.
        """
        SOLUTION.require(self)
        require_tree(tree)
        table1, table2 = self.tables
        if self.game.digest not in (None, tree.digest):
            raise CertificateError(
                f"the solution is of another game ({self.game.spec or self.game.title!r:.80}): the digests differ"
            )
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
        """A row for each player, information set and action: those of CSV output.

        Information sets count from 1, as everywhere where something is shown, and are None in games that are not
        built: there the label is what the player knows. Exact numbers are ``Fraction``.

        Raises
        ------
        CertificateError
            The rows are no strategies.
        GameError
            The strategies are of an ordered game; :func:`tremble.show.strategy_table` has their rows.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.matrix_game([[1, -1], [-1, 1]])).to_rows()[0]
        {'player': 1, 'infoset': 1, 'label': '', 'action': '1', 'probability': Fraction(1, 2), 'probability_float': 0.5}
        """
        if self.ordered is not None:
            raise GameError(
                "strategies of an ordered game are rows where the game is known: "
                "tremble.show.strategy_table(strategies, game)"
            )
        pair = self.unbuilt or [table.strategy() for table in self.tables]
        return [row for strategy in pair for row in table_rows(strategy)]

    def to_text(self, *, without_arrays: bool = False) -> str:
        """The solution as the text of a solution file: sorted keys, one line per information set.

        Parameters
        ----------
        without_arrays : bool
            Of an ordered game write everything but the strategies, which are null; no solution file has that.

        Raises
        ------
        CertificateError
            A field is of a wrong type.
        FormatError
            The strategies are of an ordered game: their arrays stand beside a file.
        """
        if self.ordered is not None and not without_arrays:
            raise FormatError(_needs_a_file())
        STRATEGIES.plain(self.strategies, "strategies")  # all else is looked at as it is written
        return SOLUTION.text(self, **({} if self.ordered is None else {"strategies": "null"}))

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the solution file, whole or not at all.

        Strategies of an ordered game go to a file of arrays beside it, which the solution file names; the two belong
        together. The arrays that a file named which is replaced are deleted.

        Raises
        ------
        TrembleError
            The file cannot be written; what stood there before still stands.
        """
        if self.ordered is None:
            write_text(path, self.to_text())
            return
        SOLUTION.require(self)
        files = arrays()
        data = files.packed(self.ordered)
        stated = {
            "sha256": files.digest_of(data),
            "denominators": [format_fraction(s.denominator) for s in self.ordered],
        }
        files.write_beside(path, data, lambda name: SOLUTION.text(self, strategies=encode({"npz": name, **stated})))

    @staticmethod
    def from_json(path: str | os.PathLike[str]) -> StatedSolution:
        """Read a solution file; ``"-"`` is the standard input, and ``"FILE#K"`` the K-th equilibrium of a list, from 1.

        Raises
        ------
        FormatError
            The file cannot be read or is no solution file. A file that is well-formed but wrong is read:
            :func:`tremble.verify` says what is wrong.
        """
        member = read_member(path)
        if member is not None:
            return nested_solution(Reader(member.name), member.document)
        source = read_text(path)
        return StatedSolution.from_text(source.text, file=source.name, path=None if path == "-" else path)

    @staticmethod
    def from_text(text: str, *, file: str = "<text>", path: str | os.PathLike[str] | None = None) -> StatedSolution:
        """Read the text of a solution file; ``file`` is what errors call it, ``path`` where arrays stand beside it."""
        if not isinstance(file, str):
            raise SpecError(f"file is the name that messages give, not {file!r:.80}")
        if path is not None and not isinstance(path, str | os.PathLike):
            raise SpecError(f"path is that of a file, not {path!r:.80}")
        if not isinstance(text, str):
            raise FormatError(f"expected the text of a solution, not {text!r:.80}", file=file)
        if re.match(r"\s*NE\s*,", text):
            raise FormatError(_nothing_to_prove(), file=file)
        reader = Reader(file, path)
        document = SOLUTION.headed(reader, reader.parsed(text), ("schema",), ("schema", *SOLUTION.fields))
        if set(document) == {"schema", "strategies"}:
            reader.fail("", _nothing_to_prove())
        return nested_solution(reader, document)


def _needs_a_file() -> str:
    return (
        "the strategies of an ordered game stand in arrays beside the solution file, so that a text cannot hold them; "
        f"write the solution to a file ({for_reader('to_json', '--output')})"
    )


def _nothing_to_prove() -> str:
    takers = for_reader(
        "tremble.nash_conv, tremble.audit, tremble.compare and tremble.draw", "respond, audit, compare and draw"
    )
    verify = for_reader("tremble.verify takes a solution", "verify takes a solution file")
    return f"strategies alone state nothing that could be proven; {takers} take them, {verify}"


# -- the fields ----------------------------------------------------------------------------------

GAME = record(GameReference, spec=nullable(TEXT), title=TEXT, digest=nullable(TEXT))

_NODES = several(row(several(TEXT), NUMBER, expected="a path and a probability"))
_ROWS = pair(several(record(BeliefRow, infoset=INFOSET, nodes=_NODES)))
BELIEFS = Shape(_ROWS.read, _ROWS.plain, lambda value, path: by_line(_ROWS.plain(value, path)), _ROWS.check)


def _solution(strategies: Rows, **parts: Any) -> StatedSolution:
    """The solution; rows become strategies, if they are some."""
    tables = pair_of(StrategyTable, strategies)
    if tables is not None and not any(fault for table in tables for fault in table.faults()):
        return StatedSolution(strategies=(tables[0].strategy(), tables[1].strategy()), **parts)
    return StatedSolution(strategies=strategies, **parts)


SOLUTION = Document(
    _solution,
    StatedSolution.schema,
    "a solution",
    {
        "tremble": TEXT,
        "game": GAME,
        "concept": TEXT,
        "requested": TEXT,
        "method": record(MethodReference, name=TEXT, options=FREE_FORM),
        "status": choice(Status),
        "values": pair(NUMBER),
        "bounds": nullable(pair(NUMBER)),
        "strategies": STRATEGIES,
        "beliefs": nullable(BELIEFS),
        "certificate": FREE_FORM,
        "refutation": nullable(FREE_FORM),
        "stats": FREE_FORM,
    },
    optional=("bounds", "beliefs", "refutation"),
    attribute={"tremble": "version"},
)


def nested_solution(reader: Reader, document: Any) -> StatedSolution:
    """A solution that has been parsed, such as one within another document."""
    stated = reader.fields(document, "", required=SOLUTION.required, optional=SOLUTION.optional)
    if stated["schema"] != SOLUTION.schema:
        reader.fail("schema", f"expected {SOLUTION.schema!r}, found {named(stated['schema'])}")
    return SOLUTION.made(SOLUTION.parts(reader, stated))


# -- strategies alone, and weights -----------------------------------------------------------------


def parse_strategies(text: str, *, file: str, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """What a text states that may hold strategies alone, as ``{"strategies": [[...], [...]]}`` does.

    A row needs ``infoset`` and ``actions``; whatever else there is must be as in a solution file.

    Returns
    -------
    dict
        The strategies; game, beliefs and certificate, or None; and the solution, if it is a whole one.
    """
    reader = Reader(file, path, labels_needed=False)
    return read_strategies(reader, reader.parsed(text))


def read_strategies(reader: Reader, document: Any) -> dict[str, Any]:
    """Return the same from a document that has been parsed: see :func:`parse_strategies`."""
    others = ["schema", *(key for key in SOLUTION.fields if key != "strategies")]
    document = SOLUTION.headed(reader, document, ("strategies",), others)
    parts = SOLUTION.parts(reader, document)
    solution = SOLUTION.made(parts) if set(SOLUTION.required) <= set(document) else None
    return {**{key: parts.get(key) for key in ("strategies", "game", "beliefs", "certificate")}, "solution": solution}


NO_MISTAKES = "none"
"""Stands in place of the weights of a player who makes no mistakes."""

_Trembles = tuple[StrategyTable | None, list[list[int]]]  # of one player: weights, if any, and orders, row by row


def _read_trembles(reader: Reader, value: Any, path: str) -> tuple[_Trembles, _Trembles]:
    """Rows of weights; an order may stand behind each."""
    orders: tuple[list[list[int]], list[list[int]]] = [], []
    weights: list[Any] = []
    sides = reader.items(value, path, 2)
    for player, side in enumerate(sides):
        weights.append([])
        if not isinstance(side, list) and side != NO_MISTAKES:
            reader.fail(f"{path}[{player}]", f'expected a list or "{NO_MISTAKES}", found {named(side)}')
        for k, stated in enumerate([] if side == NO_MISTAKES else side):
            actions = stated.get("actions") if isinstance(stated, dict) else None
            if isinstance(actions, list):
                where = f"{path}[{player}][{k}].actions"
                ordered = [isinstance(entry, list) and len(entry) == 3 for entry in actions]
                orders[player].append(
                    [INTEGER.read(reader, e[2], f"{where}[{j}][2]") if o else 1
                     for j, (e, o) in enumerate(zip(actions, ordered, strict=True))]
                )  # fmt: skip
                stated = {**stated, "actions": [e[:2] if o else e for e, o in zip(actions, ordered, strict=True)]}
            weights[player].append(stated)
    table1, table2 = TABLES.read(reader, weights, path)
    return (
        (None if sides[0] == NO_MISTAKES else table1, orders[0]),
        (None if sides[1] == NO_MISTAKES else table2, orders[1]),
    )


_TREMBLES: Document[dict[str, Any]] = Document(
    dict, "tremble/trembles@1", "weights", {"trembles": Shape(_read_trembles, TABLES.plain)}
)


def read_trembles(path: str | os.PathLike[str]) -> tuple[_Trembles, _Trembles]:
    """Read a file of weights, ``{"schema": "tremble/trembles@1", "trembles": [[...], [...]]}``.

    Returns
    -------
    pair
        Of each player the weights as a table, or None if it makes no mistakes, and the orders of each row.
    """
    source = read_text(path)
    reader = Reader(source.name, labels_needed=False)
    stated: tuple[_Trembles, _Trembles] = _TREMBLES.read(reader, reader.parsed(source.text))["trembles"]
    return stated
