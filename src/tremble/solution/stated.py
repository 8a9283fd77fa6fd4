"""What a solution file states, and the only place where a solution is text: schema ``tremble/solution@1``.

Reading distinguishes two kinds of fault. What is not of the format (a number where text belongs, a missing
field) is a ``FormatError``. What is well-formed but wrong (a row too many, probabilities that do not sum to
one) is kept as it stands in a :class:`~tremble.model.table.StrategyTable` or an
:class:`~tremble.model.rules.UnbuiltStrategy`, for the verifier to say what is wrong and where.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from tremble import __version__
from tremble.errors import CertificateError, FormatError, GameError
from tremble.exact_numbers import distinct, format_fraction, shorten
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import DEFAULT_RULES, DefaultRule, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.model.table import StrategyTable
from tremble.model.tree import GameTree, integer_array
from tremble.solution.claim import BeliefRow, Beliefs, Profile
from tremble.solution.heading import GameReference, MethodReference, Status
from tremble.solution.ordered_arrays import digest_of, packed, read_arrays, write_beside
from tremble.solution.strict_json import Reader, encode, named, plain
from tremble.solution.well_formed import require_well_formed
from tremble.text_file import read_text, write_text

__all__ = [
    "NOT_BUILT",
    "SCHEMA",
    "TREMBLES_SCHEMA",
    "Rows",
    "StatedSolution",
    "StatedStrategies",
    "nested_solution",
    "pair_of",
    "parse_strategies",
    "read_game_reference",
    "read_trembles",
    "rows_of",
]

SCHEMA = "tremble/solution@1"
TREMBLES_SCHEMA = "tremble/trembles@1"

NOT_BUILT = (
    "the strategies are of a game that is not built: they name no information sets of a tree; "
    "verify and respond take them; for strategies of the tree, let it be built (--max-nodes, tremble.build(rules))"
)

_MAX_WHOLE_BITS = 2**17  # of the common denominator of a row, unless one of its numbers has a longer one
_MAX_TABLE_BITS = 2**31  # of all probabilities of a player, each over the denominator of its row: 256 MiB

Rows = (
    tuple[StrategyTable, StrategyTable]
    | tuple[UnbuiltStrategy, UnbuiltStrategy]
    | tuple[OrderedStrategy, OrderedStrategy]
)
"""Of players 1 and 2, right or wrong: by number of the information set, by what the player knows, or by classes."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StatedSolution:
    """What a solution file states; :func:`tremble.verify` tells what of it is true.

    *Plain data* below and in :mod:`tremble.solution.certificates` means what JSON can say: objects, lists, text,
    integers of at most 18 digits, true, false, null. A ``Fraction`` is written as text, and a float only in a field
    whose name ends in ``_float``. An exact integer that may be long is text
    (:func:`tremble.exact_numbers.format_fraction`).

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
        Lower and upper bound on player 1's value; None where the sum of the payoffs varies.
    strategies : pair of BehaviorStrategy, or of UnbuiltStrategy or OrderedStrategy where the game is not built
        Pair of StrategyTable where the rows of a tree's strategies are stated wrongly.
    beliefs : pair of tuples of BeliefRow, or None
    certificate : mapping
        Plain data; its ``kind`` says what else it holds.
    stats : mapping
        Plain data: sizes, iterations, times. Nothing in it is proven.
    version : str
        The version of tremble that made the solution.

    Raises
    ------
    CertificateError
        There are not two strategies of one kind, or they hold floats.

    Examples
    --------
    >>> import tremble
    >>> from tremble.solution.certificates import BestResponseCertificate
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = tuple(tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1))
    >>> values = tremble.expected_values(kuhn, uniform)
    >>> best = tuple(tremble.best_response(kuhn, uniform, player)[0] for player in (0, 1))
    >>> solution = StatedSolution(
    ...     game=GameReference.of(kuhn), concept="nash", requested="nash", method=MethodReference("by hand", {}),
    ...     status=Status.BOUNDED, values=values, bounds=(-best[1], best[0]), strategies=uniform,
    ...     certificate=BestResponseCertificate(values, best).plain(), stats={},
    ... )
    >>> solution.value, solution.bounds
    (Fraction(1, 8), (Fraction(-5, 12), Fraction(1, 2)))
    >>> StatedSolution.from_text(solution.to_text()).to_text() == solution.to_text()
    True
    >>> tremble.verify(kuhn, solution).ok
    True
    """

    schema: ClassVar[str] = SCHEMA

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
    stats: Mapping[str, Any]
    version: str = __version__

    def __post_init__(self) -> None:
        assert self.rows  # which refuses what is no pair of strategies
        object.__setattr__(self, "strategies", tuple(self.strategies))

    @property
    def value(self) -> Fraction:
        """Expected payoff of player 1."""
        return self.values[0]

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
            raise GameError(NOT_BUILT)
        return tables

    @property
    def not_built(self) -> bool:
        """Whether the strategies are of a game that is not built."""
        return self.unbuilt is not None or self.ordered is not None

    @property
    def ordered(self) -> tuple[OrderedStrategy, OrderedStrategy] | None:
        """The strategies, right or wrong, if they are of an ordered game that is not built."""
        return pair_of(OrderedStrategy, self.strategies)

    @property
    def unbuilt(self) -> tuple[UnbuiltStrategy, UnbuiltStrategy] | None:
        """The strategies, right or wrong, if they are of a game that is not built."""
        return pair_of(UnbuiltStrategy, self.strategies)

    def profile(self, tree: GameTree) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """The strategies, required to be of this game.

        Raises
        ------
        CertificateError
            The solution is of another game, or its rows are no strategies.
        GameError
            It is of a game that is not built.
        """
        require_well_formed(vars(self))
        one, two = self.tables
        if self.game.digest not in (None, tree.digest):
            raise CertificateError(
                f"the solution is of another game ({self.game.spec or self.game.title!r:.80}): the digests differ"
            )
        return one.strategy(tree), two.strategy(tree)

    def __repr__(self) -> str:
        try:
            one, two = map(shorten, self.values)
            pays = f"payoffs {one} and {two}" if self.bounds is None else f"value {one} to player 1"
            return f"<Solution of {self.game.title!r}: {self.concept}, {self.status}, {pays}>"
        except (AttributeError, LookupError, TypeError, ValueError):
            return "<Solution, malformed: tremble.verify says where>"

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
            raise FormatError(_NEEDS_A_FILE)
        return self._text(None)

    def _text(self, arrays: Mapping[str, Any] | None) -> str:
        """The text; ``arrays`` tells where strategies of an ordered game stand."""
        require_well_formed(vars(self))
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "tremble": self.version,
            "game": {"spec": self.game.spec, "title": self.game.title, "digest": self.game.digest},
            "concept": self.concept,
            "requested": self.requested,
            "method": {"name": self.method.name, "options": plain(self.method.options, "method.options")},
            "status": str(self.status),
            "values": [format_fraction(value) for value in self.values],
            "certificate": plain(self.certificate, "certificate"),
            "stats": plain(self.stats, "stats"),
        }
        if self.bounds is not None:
            document["bounds"] = [format_fraction(bound) for bound in self.bounds]
        parts = {key: encode(value) for key, value in document.items()}
        if arrays is not None:
            parts["strategies"] = encode(arrays)
        elif self.ordered is not None:
            parts["strategies"] = "null"
        elif self.unbuilt is None:
            parts["strategies"] = _by_line([map(encode, _row_data(table)) for table in self.tables])
        else:
            parts["strategies"] = "[" + ", ".join(map(_unbuilt_text, self.unbuilt)) + "]"
        if self.beliefs is not None:
            parts["beliefs"] = _by_line([map(encode, map(_belief_data, rows)) for rows in self.beliefs])
        return "{\n" + ",\n".join(f'"{key}": {parts[key]}' for key in sorted(parts)) + "\n}\n"

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
        require_well_formed(vars(self))
        data = packed(self.ordered)
        stated = {"sha256": digest_of(data), "denominators": [format_fraction(s.denominator) for s in self.ordered]}
        write_beside(path, data, lambda name: self._text({"npz": name, **stated}))

    @staticmethod
    def from_json(path: str | os.PathLike[str]) -> StatedSolution:
        """Read a solution file; ``"-"`` is the standard input.

        Raises
        ------
        FormatError
            The file cannot be read or is no solution file. A file that is well-formed but wrong is read:
            :func:`tremble.verify` says what is wrong.
        """
        source = read_text(path)
        return StatedSolution.from_text(source.text, file=source.name, path=None if path == "-" else path)

    @staticmethod
    def from_text(text: str, *, file: str = "<text>", path: str | os.PathLike[str] | None = None) -> StatedSolution:
        """Read the text of a solution file; ``file`` is what errors call it, ``path`` where arrays stand beside it."""
        if not isinstance(text, str):
            raise FormatError(f"expected the text of a solution, not {text!r:.80}", file=file)
        return _SolutionReader(file, path).solution(text)


Kind = TypeVar("Kind", BehaviorStrategy, UnbuiltStrategy, StrategyTable, OrderedStrategy)

_KINDS = (BehaviorStrategy, UnbuiltStrategy, StrategyTable, OrderedStrategy)

_NEEDS_A_FILE = (
    "the strategies of an ordered game stand in arrays beside the solution file, so that a text cannot hold them; "
    "write the solution to a file (to_json, --output)"
)


def pair_of(kind: type[Kind], strategies: Sequence[object]) -> tuple[Kind, Kind] | None:
    """The strategies of both players, if they are of this kind."""
    pair = [strategy for strategy in strategies if isinstance(strategy, kind)]
    return (pair[0], pair[1]) if len(pair) == 2 else None


def rows_of(strategies: Any) -> Rows:
    """The rows of two strategies, right or wrong; ``CertificateError`` unless they are of one kind and exact."""
    if not isinstance(strategies, tuple | list) or len(strategies) != 2:
        raise CertificateError("strategies: expected one for each of the two players")
    kinds = {next((kind for kind in _KINDS if isinstance(item, kind)), None) for item in strategies}
    if None in kinds or len(kinds) > 1:
        found = " and ".join(f"a {type(item).__name__}" for item in strategies)
        raise CertificateError(f"strategies: expected two of the same kind (BehaviorStrategy, ...), found {found}")
    one, two = (StrategyTable.of(item) if isinstance(item, BehaviorStrategy) else item for item in strategies)
    return one, two


def _strategies(rows: Rows) -> Profile | Rows:
    """The rows as strategies, if they are some."""
    one, two = rows
    if not isinstance(one, StrategyTable) or not isinstance(two, StrategyTable):
        return rows
    if any(one.faults()) or any(two.faults()):
        return rows
    return one.strategy(), two.strategy()


# -- strategies alone, and weights -----------------------------------------------------------------


class StatedStrategies(NamedTuple):
    """What a file states that may hold strategies alone: ``{"strategies": [[...], [...]]}``.

    A row needs ``infoset`` and ``actions``; whatever else the file holds must be as in a solution file.
    """

    tables: tuple[StrategyTable, StrategyTable] | None
    unbuilt: tuple[UnbuiltStrategy, UnbuiltStrategy] | None
    ordered: tuple[OrderedStrategy, OrderedStrategy] | None
    game: GameReference | None  # that the file names
    beliefs: Beliefs | None
    solution: StatedSolution | None  # if it is a whole solution file


def parse_strategies(
    text: str, *, file: str = "<text>", path: str | os.PathLike[str] | None = None
) -> StatedStrategies:
    """Read the text of a file that may hold strategies alone: see :meth:`StatedSolution.from_text`."""
    return _SolutionReader(file, path).strategies_alone(text)


def nested_solution(document: Any, *, file: str) -> StatedSolution:
    """A solution that stands within another document, which has been parsed."""
    return _SolutionReader(file).nested(document)


def read_game_reference(value: Any, *, file: str) -> GameReference:
    """The field ``game`` of a document that has been parsed."""
    return _SolutionReader(file).game(value, "game")


def read_trembles(path: str | os.PathLike[str]) -> tuple[StrategyTable, StrategyTable]:
    """Read a file of weights, ``{"schema": "tremble/trembles@1", "trembles": [[...], [...]]}``, as tables."""
    source = read_text(path)
    return _SolutionReader(source.name).trembles(source.text)


# -- to text -------------------------------------------------------------------------------------


def _by_line(pair: Sequence[Iterator[str]]) -> str:
    lists = (",\n".join(rows) for rows in pair)
    return "[" + ", ".join(f"[\n{rows}\n]" if rows else "[]" for rows in lists) + "]"


def _row_data(table: StrategyTable) -> Iterator[dict[str, Any]]:
    rows = zip(table.infosets, table.labels, table.actions, table.integers(), table.off_path.tolist(), strict=True)
    for number, label, actions, (numerator, whole), off_path in rows:
        shares = [
            [action, "0" if p == 0 else "1" if p == whole else format_fraction(Fraction(p, whole))]
            for action, p in zip(actions, numerator, strict=True)
        ]
        row = {"infoset": number, "label": label, "actions": shares}
        if off_path:
            row["off_path"] = True
        yield row


def _unbuilt_text(strategy: UnbuiltStrategy) -> str:
    default = {"rule": strategy.default.rule, "parameters": plain(strategy.default.parameters, "default.parameters")}
    rows = ",\n".join(
        encode({"key": key, "actions": [[label, format_fraction(p)] for label, p in row]})
        for key, row in sorted(strategy.rows.items())
    )
    return f'{{"default": {encode(default)}, "rows": [' + (f"\n{rows}\n" if rows else "") + "]}"


def _belief_data(row: BeliefRow) -> dict[str, Any]:
    return {"infoset": row.infoset, "nodes": [[list(path), format_fraction(p)] for path, p in row.nodes]}


# -- from text -----------------------------------------------------------------------------------

_NOTHING_TO_PROVE = (
    "strategies alone state nothing that could be proven; respond, audit, compare and draw take them, "
    "verify takes a solution file"
)


class _SolutionReader(Reader):
    def __init__(self, file: str, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(file)
        self.path = path  # beside which arrays may stand
        self.label_needed = True
        self.read: dict[str, Callable[[Any, str], Any]] = {
            "schema": self.text,
            "tremble": self.text,
            "game": self.game,
            "concept": self.text,
            "requested": self.text,
            "method": self.method,
            "status": self.status,
            "values": self.pair_of_numbers,
            "bounds": self.bounds,
            "strategies": self.strategies,
            "beliefs": self.beliefs,
            "certificate": self.plain_object,
            "stats": self.plain_object,
        }

    # -- whole files

    optional = ("bounds", "beliefs")

    def solution(self, text: str) -> StatedSolution:
        if re.match(r"\s*NE\s*,", text):
            self.fail("", _NOTHING_TO_PROVE)
        document = self.solution_document(text, required=("schema",), optional=self.read)
        if set(document) == {"schema", "strategies"}:
            self.fail("", _NOTHING_TO_PROVE)
        return self.nested(document)

    def nested(self, value: Any) -> StatedSolution:
        required = [key for key in self.read if key not in self.optional]
        document = self.fields(value, "", required=required, optional=self.optional)
        if document["schema"] != SCHEMA:
            self.fail("schema", f"expected {SCHEMA!r}, found {named(document['schema'])}")
        return self.made(self.pieces(document))

    def solution_document(self, text: str, *, required: Sequence[str], optional: Iterable[str]) -> dict[str, Any]:
        return self.document(text, required=required, optional=optional, schema=SCHEMA, what="a solution")

    def pieces(self, document: dict[str, Any]) -> dict[str, Any]:
        return {key: self.read[key](value, key) for key, value in document.items()}

    def made(self, piece: dict[str, Any]) -> StatedSolution:
        fields = {"bounds": None} | {key: piece[key] for key in piece if key not in ("schema", "tremble")}
        fields["strategies"] = _strategies(piece["strategies"])
        return StatedSolution(**fields, version=piece["tremble"])

    def strategies_alone(self, text: str) -> StatedStrategies:
        self.label_needed = False
        required = ("strategies",)
        optional = [key for key in self.read if key not in required]
        document = self.solution_document(text, required=required, optional=optional)
        piece = self.pieces(document)
        whole = all(key in piece for key in self.read if key not in self.optional)
        solution = self.made(piece) if whole else None
        rows = piece["strategies"]
        kinds = pair_of(StrategyTable, rows), pair_of(UnbuiltStrategy, rows), pair_of(OrderedStrategy, rows)
        return StatedStrategies(*kinds, piece.get("game"), piece.get("beliefs"), solution)

    def trembles(self, text: str) -> tuple[StrategyTable, StrategyTable]:
        self.label_needed = False
        required = ("schema", "trembles")
        document = self.document(text, required=required, optional=(), schema=TREMBLES_SCHEMA, what="weights")
        return self.tables(document["trembles"], "trembles")

    # -- pieces

    def bounds(self, value: Any, path: str) -> tuple[Fraction, Fraction] | None:
        return None if value is None else self.pair_of_numbers(value, path)

    def game(self, value: Any, path: str) -> GameReference:
        game = self.fields(value, path, required=("spec", "title", "digest"))
        return GameReference(
            spec=self.text_or_null(game["spec"], f"{path}.spec"),
            title=self.text(game["title"], f"{path}.title"),
            digest=self.text_or_null(game["digest"], f"{path}.digest"),
        )

    def method(self, value: Any, path: str) -> MethodReference:
        method = self.fields(value, path, required=("name", "options"))
        return MethodReference(
            self.text(method["name"], f"{path}.name"), self.plain_object(method["options"], f"{path}.options")
        )

    def status(self, value: Any, path: str) -> Status:
        name = self.text(value, path)
        if name not in set(Status):
            self.fail(path, f"expected one of {', '.join(map(repr, map(str, Status)))}, found {named(value)}")
        return Status(name)

    def strategies(self, value: Any, path: str) -> Rows:
        if isinstance(value, dict):
            return self.arrays(value, path)
        one, two = self.items(value, path, 2)
        if not isinstance(one, dict):
            return self.tables(value, path)
        return self.unbuilt(0, one, f"{path}[0]"), self.unbuilt(1, two, f"{path}[1]")

    def arrays(self, value: dict[str, Any], path: str) -> tuple[OrderedStrategy, OrderedStrategy]:
        stated = self.fields(value, path, required=("npz", "sha256", "denominators"))
        name, digest = (self.text(stated[key], f"{path}.{key}") for key in ("npz", "sha256"))
        one, two = self.pair_of_numbers(stated["denominators"], f"{path}.denominators")
        if one.denominator != 1 or two.denominator != 1:
            self.fail(f"{path}.denominators", "expected integers")
        if self.path is None:
            self.fail(path, "they stand in a file of arrays beside the solution file; give the path of the latter")
        return read_arrays(self.path, name, digest, (int(one), int(two)))

    def unbuilt(self, player: int, value: Any, path: str) -> UnbuiltStrategy:
        strategy = self.fields(value, path, required=("default", "rows"))
        default = self.fields(strategy["default"], f"{path}.default", required=("rule", "parameters"))
        rule = self.text(default["rule"], f"{path}.default.rule")
        if rule not in DEFAULT_RULES:
            allowed = ", ".join(map(repr, DEFAULT_RULES))
            self.fail(f"{path}.default.rule", f"expected one of {allowed}, found {named(rule)}")
        parameters = self.plain_object(default["parameters"], f"{path}.default.parameters")
        if parameters:
            self.fail(
                f"{path}.default.parameters", f"the rule {rule!r} has none, found {next(iter(parameters))[:40]!r}"
            )
        rows: dict[str, tuple[tuple[str, Fraction], ...]] = {}
        known: dict[str, Fraction] = {}
        for index, item in enumerate(self.items(strategy["rows"], f"{path}.rows")):
            here = f"{path}.rows[{index}]"
            row = self.fields(item, here, required=("key", "actions"))
            key = self.text(row["key"], f"{here}.key")
            if key in rows:
                self.fail(f"{here}.key", f"a second row for the same information set, {key[:40]!r}")
            for j, entry in enumerate(self.items(row["actions"], f"{here}.actions")):
                self.items(entry, f"{here}.actions[{j}]", 2)
            names, shares, _ = self.shares(row["actions"], f"{here}.actions", known)
            rows[key] = tuple(zip(names, shares, strict=True))
        return UnbuiltStrategy(player, DefaultRule(rule), rows)

    def shares(self, value: Any, path: str, known: dict[str, Fraction]) -> tuple[list[str], list[Fraction], int]:
        """Labels and probabilities of a row, and the common denominator; ``known`` are numbers read before."""
        entries = self.items(value, path)
        if not entries:
            self.fail(path, "expected at least one action")
        names: list[str] = []
        shares: list[Fraction] = []
        for j, entry in enumerate(entries):
            if type(entry) is not list or len(entry) != 2:
                found = f"a list of {len(entry)}" if isinstance(entry, list) else named(entry)
                self.fail(f"{path}[{j}]", f"expected [label, probability], found {found}")
            name, digits = entry
            names.append(self.text(name, f"{path}[{j}][0]"))
            share = known.get(digits) if type(digits) is str else None
            if share is None:
                share = known[digits] = self.number(digits, f"{path}[{j}][1]")
            shares.append(share)
        return names, shares, self.common_denominator(shares, path)

    def common_denominator(self, shares: list[Fraction], path: str) -> int:
        """That of a row. Rows of an equilibrium have one about as long as that of each probability."""
        bottoms = distinct(share.denominator for share in shares)
        whole = bottoms[-1]
        most = max(whole.bit_length(), _MAX_WHOLE_BITS)
        for bottom in bottoms:
            if whole % bottom:
                whole = lcm(whole, bottom)
                if whole.bit_length() > most:
                    self.fail(path, "the common denominator of these probabilities is too long")
        return whole

    def tables(self, value: Any, path: str) -> tuple[StrategyTable, StrategyTable]:
        one, two = (
            self.table(player, self.items(rows, f"{path}[{player}]"), f"{path}[{player}]")
            for player, rows in enumerate(self.items(value, path, 2))
        )
        return one, two

    def table(self, player: int, rows: list[Any], where: str) -> StrategyTable:
        required = ("infoset", "label", "actions") if self.label_needed else ("infoset", "actions")
        optional = ("off_path",) if self.label_needed else ("label", "off_path")
        infosets: list[int] = []
        labels: list[str] = []
        actions: list[tuple[str, ...]] = []
        numerator: list[int] = []
        denominator: list[int] = []
        marks: list[bool] = []
        known: dict[str, Fraction] = {}
        room = _MAX_TABLE_BITS
        for index, value in enumerate(rows):
            path = f"{where}[{index}]"
            row = self.fields(value, path, required=required, optional=optional)
            infosets.append(self.integer(row["infoset"], f"{path}.infoset"))
            labels.append(self.text(row.get("label", ""), f"{path}.label"))
            marked = row.get("off_path", False)
            if not isinstance(marked, bool):
                self.fail(f"{path}.off_path", f"expected true or false, found {named(marked)}")
            marks.append(marked)
            names, shares, whole = self.shares(row["actions"], f"{path}.actions", known)
            room -= sum(whole.bit_length() for share in shares if share) if whole > 1 else 0
            if room < 0:
                message = "over the common denominators of their rows, the probabilities up to here are too long"
                self.fail(f"{path}.actions", message)
            actions.append(tuple(names))
            denominator.append(whole)
            numerator.extend(share.numerator * (whole // share.denominator) for share in shares)
        return StrategyTable(
            player=player,
            infosets=tuple(infosets),
            labels=tuple(labels),
            actions=tuple(actions),
            numerator=integer_array(numerator),
            denominator=integer_array(denominator),
            off_path=np.array(marks, dtype=np.bool_),
        )

    def beliefs(self, value: Any, path: str) -> Beliefs | None:
        if value is None:
            return None
        one, two = (self.items(rows, f"{path}[{i}]") for i, rows in enumerate(self.items(value, path, 2)))
        return (
            tuple(self.belief(row, f"{path}[0][{index}]") for index, row in enumerate(one)),
            tuple(self.belief(row, f"{path}[1][{index}]") for index, row in enumerate(two)),
        )

    def belief(self, value: Any, path: str) -> BeliefRow:
        row = self.fields(value, path, required=("infoset", "nodes"))
        nodes = []
        for j, entry in enumerate(self.items(row["nodes"], f"{path}.nodes")):
            here = f"{path}.nodes[{j}]"
            steps, share = self.items(entry, here, 2)
            labels = tuple(self.text(step, f"{here}[0][{i}]") for i, step in enumerate(self.items(steps, f"{here}[0]")))
            nodes.append((labels, self.number(share, f"{here}[1]")))
        return BeliefRow(self.integer(row["infoset"], f"{path}.infoset"), tuple(nodes))
