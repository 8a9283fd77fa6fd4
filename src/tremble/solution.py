"""Solutions: what a method claims, what was proven, and the file that carries it.

A *claim* is what a method hands back. A *solution* is a claim with its game, its exact values and a status;
:func:`tremble.verify` re-proves it from the game alone. The file format is ``tremble/solution@1``: UTF-8
JSON with sorted keys and exact numbers as text, one line per information set.

Reading distinguishes two kinds of fault. What is not of the format (a number where text belongs, a missing
field) is a ``FormatError``. What is well-formed but wrong (a row too many, probabilities that do not sum to
one) is kept as it stands in a :class:`StrategyTable`, for the verifier to say what is wrong and where.

Certificates
------------
``{"kind": "best-response", "best_response_values": ["p/q", "p/q"], "nash_conv": "p/q"}``
    What each player earns at most against the other's strategy, and what both together could gain by
    deviating: ``"0"`` exactly at a Nash equilibrium. Made by :func:`best_response_certificate`.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate, pairwise
from math import isfinite, lcm
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from tremble import __version__
from tremble.errors import CertificateError, FormatError, TrembleError
from tremble.fraction_text import approximate, format_fraction, parse_fraction, shorten
from tremble.strategy import BehaviorStrategy
from tremble.tree import GameTree, IntArray, integer_array

__all__ = [
    "SCHEMA",
    "BeliefRow",
    "Claim",
    "GameReference",
    "Method",
    "Solution",
    "Status",
    "StrategyTable",
    "best_response_certificate",
    "read_strategies",
]

SCHEMA = "tremble/solution@1"


class Status(StrEnum):
    """How much of what a solution says has been proven.

    Examples
    --------
    >>> print(Status("bounded"), "-", Status.BOUNDED.explanation)
    bounded - Exact bounds enclose the value. For a smaller gap, allow more time or a smaller --gap.
    """

    CERTIFIED = "certified"
    BOUNDED = "bounded"
    LIMIT_REACHED = "limit-reached"

    @property
    def explanation(self) -> str:
        """What the status means and what can be done."""
        return _EXPLANATION[self]


_EXPLANATION = {
    Status.CERTIFIED: "Proven exactly, in rational arithmetic; `tremble verify` proves it again from the game alone.",
    Status.BOUNDED: "Exact bounds enclose the value. For a smaller gap, allow more time or a smaller --gap.",
    Status.LIMIT_REACHED: "Stopped at a limit before anything was proven. Raise --time-limit or try another --method.",
}


@dataclass(frozen=True)
class GameReference:
    """Which game a solution belongs to.

    Attributes
    ----------
    spec : str or None
        What :func:`tremble.load` understands.
    title : str
    digest : str or None
        See :attr:`tremble.GameTree.digest`.
    """

    spec: str | None
    title: str
    digest: str | None

    @classmethod
    def of(cls, tree: GameTree) -> GameReference:
        """The reference to a tree."""
        return cls(tree.spec, tree.title, tree.digest)


@dataclass(frozen=True)
class Method:
    """Which method made a solution, with the options that it ran under (plain data, see :class:`Solution`)."""

    name: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class BeliefRow:
    """What a player believes at one information set.

    Attributes
    ----------
    infoset : int
        Number of the information set, from 1.
    nodes : tuple of (path, probability)
        A path is the action labels from the root to a node of the set.
    """

    infoset: int
    nodes: tuple[tuple[tuple[str, ...], Fraction], ...]


Beliefs = tuple[tuple[BeliefRow, ...], tuple[BeliefRow, ...]]


@dataclass(frozen=True, eq=False)
class Claim:
    """What a method returns: not yet proven.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy
        Exact ones, for players 1 and 2.
    certificate, stats : mapping
        Plain data, see :class:`Solution`.
    beliefs : pair of tuples of BeliefRow, or None
    """

    strategies: tuple[BehaviorStrategy, BehaviorStrategy]
    certificate: Mapping[str, Any]
    stats: Mapping[str, Any]
    beliefs: Beliefs | None = None


def best_response_certificate(values: Sequence[Fraction], best_response_values: Sequence[Fraction]) -> dict[str, Any]:
    """The certificate of kind ``best-response``.

    Parameters
    ----------
    values : pair of Fraction
        Expected payoffs of players 1 and 2.
    best_response_values : pair of Fraction
        What each of them earns at most against the other's strategy.

    Examples
    --------
    >>> v = Fraction(-1, 18)
    >>> best_response_certificate((v, -v), (v, -v))
    {'kind': 'best-response', 'nash_conv': '0', 'best_response_values': ['-1/18', '1/18']}
    """
    return {
        "kind": "best-response",
        "nash_conv": format_fraction(Fraction(sum(best_response_values) - sum(values))),
        "best_response_values": [format_fraction(value) for value in best_response_values],
    }


@dataclass(frozen=True, eq=False)
class StrategyTable:
    """The rows of one player in a solution file, right or wrong.

    Shapes: R rows, and one entry per (row, action).

    Attributes
    ----------
    player : int
        0 or 1.
    infosets : tuple of int
        Number of the information set of each row, from 1.
    labels : tuple of str
        What the file calls each information set.
    actions : tuple of tuples of str
        Action labels of each row.
    numerator : int64 or object, one per (row, action)
        Probabilities as integers over the denominator of their row.
    denominator : int64[R] or object[R]
    off_path : bool[R]
        Rows that the file marks as never reached by the player's own strategy.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> table = StrategyTable.of(tremble.BehaviorStrategy.uniform(kuhn, player=0))
    >>> table.row(0)
    (Fraction(1, 2), Fraction(1, 2))
    >>> list(table.faults(kuhn))
    []
    """

    player: int
    infosets: tuple[int, ...]
    labels: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    numerator: IntArray
    denominator: IntArray
    off_path: NDArray[np.bool_]

    @classmethod
    def of(cls, strategy: BehaviorStrategy) -> StrategyTable:
        """The table of a strategy; ``CertificateError`` if it is a float one."""
        if strategy.denominator is None:
            raise CertificateError(
                f"the strategy of player {strategy.player + 1} holds floats; a solution holds exact probabilities"
            )
        return cls(
            player=strategy.player,
            infosets=tuple(range(1, strategy.num_infosets + 1)),
            labels=strategy.infoset_labels,
            actions=strategy.actions,
            numerator=strategy.numerator,
            denominator=strategy.denominator,
            off_path=strategy.off_path,
        )

    def _integers(self) -> Iterator[tuple[list[int], int]]:
        """The numerators and the denominator of each row, as Python integers, which cannot overflow."""
        numerator = self.numerator.tolist()
        bounds = pairwise(accumulate(map(len, self.actions), initial=0))
        for (first, end), whole in zip(bounds, self.denominator.tolist(), strict=True):
            yield numerator[first:end], whole

    def row(self, index: int) -> tuple[Fraction, ...]:
        """The probabilities of the row at this position (from 0)."""
        first = sum(map(len, self.actions[:index]))
        whole = int(self.denominator[index])
        return tuple(Fraction(int(p), whole) for p in self.numerator[first : first + len(self.actions[index])])

    def faults(self, tree: GameTree | None = None) -> Iterator[str]:
        """What keeps the table from being a strategy, in words that name the place.

        Parameters
        ----------
        tree : GameTree, optional
            Without it, the rows are only required to be numbered 1, 2, 3, ... and to hold distributions.

        Yields
        ------
        str
        """
        who = f"player {self.player + 1}"
        count = len(self.infosets) if tree is None else tree.num_infosets[self.player]
        names = self.labels if tree is None else tree.infoset_labels[self.player]

        def place(number: int, row: int | None = None) -> str:
            inside = tree is not None and 1 <= number <= count
            label = names[number - 1] if inside else "" if row is None else self.labels[row]
            return f"{who}, information set {number}{f' ({label!r})' if label else ''}"

        if self.infosets != tuple(range(1, count + 1)):
            if tree is None:
                row = next(i for i, number in enumerate(self.infosets) if number != i + 1)
                yield f"{who}: the rows are not numbered 1, 2, 3, ...; row {row + 1} is {self.infosets[row]}"
            else:
                yield from self._misnumbered(count, place)
        expected = tree.actions[self.player] if tree is not None else None
        for row, (number, labels, (numerator, whole)) in enumerate(
            zip(self.infosets, self.actions, self._integers(), strict=True)
        ):
            if expected is not None:
                if not 1 <= number <= count:
                    continue
                if labels != expected[number - 1]:
                    yield (
                        f"{place(number)}: the actions are {_list(labels)}, but the game has "
                        f"{_list(expected[number - 1])} in this order"
                    )
            if min(numerator) < 0:
                worst = numerator.index(min(numerator))
                yield (
                    f"{place(number, row)}: the probability of {labels[worst]!r} is negative: "
                    f"{shorten(Fraction(numerator[worst], whole))}"
                )
            if sum(numerator) != whole:
                total = Fraction(sum(numerator), whole)
                yield f"{place(number, row)}: the probabilities sum to {shorten(total)}, not 1{_distance(total - 1)}"

    def _misnumbered(self, count: int, place: Any) -> Iterator[str]:
        seen: set[int] = set()
        sound = True
        for row, number in enumerate(self.infosets):
            if not 1 <= number <= count:
                sound = False
                yield f"{place(number, row)}: there is no such information set; the player has {count}"
            elif number in seen:
                sound = False
                yield f"{place(number, row)}: the row is given more than once"
            seen.add(number)
        for number in range(1, count + 1):
            if number not in seen:
                sound = False
                yield f"{place(number)}: the row is missing"
        if sound:
            row = next(i for i, number in enumerate(self.infosets) if number != i + 1)
            yield f"{place(self.infosets[row], row)}: the rows are not sorted by the number of the information set"

    def strategy(self, tree: GameTree | None = None) -> BehaviorStrategy:
        """The table as a strategy.

        Parameters
        ----------
        tree : GameTree, optional
            Requires the rows to fit this game.

        Raises
        ------
        CertificateError
            The first of :meth:`faults`.
        """
        for fault in self.faults(tree):
            raise CertificateError(fault)
        return BehaviorStrategy(
            player=self.player,
            actions=self.actions,
            infoset_labels=self.labels,
            numerator=self.numerator,
            denominator=self.denominator,
            off_path=self.off_path,
        )


def _list(labels: Sequence[str]) -> str:
    shown = ", ".join(map(repr, labels[:10]))
    return f"{shown}, ... ({len(labels)} actions)" if len(labels) > 10 else shown


def _distance(difference: Fraction) -> str:
    return "" if difference.denominator < 10**6 else f" (off by {approximate(abs(difference))})"


class _Profile:
    """The field ``strategies`` of a solution: set as strategies or as tables, read as strategies.

    A file may hold tables that are no strategies; reading the field then says why.
    """

    def __set__(
        self,
        solution: Solution,
        value: tuple[BehaviorStrategy, BehaviorStrategy] | tuple[StrategyTable, StrategyTable],
    ) -> None:
        one, two = value
        if isinstance(one, StrategyTable) or isinstance(two, StrategyTable):
            assert isinstance(one, StrategyTable)
            assert isinstance(two, StrategyTable)
            vars(solution)["_tables"] = (one, two)
        else:
            vars(solution)["_tables"] = (StrategyTable.of(one), StrategyTable.of(two))
            vars(solution)["_strategies"] = (one, two)

    def __get__(self, solution: Solution | None, owner: type[Solution]) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        if solution is None:
            raise AttributeError("strategies belong to a solution, not to the class")
        made: tuple[BehaviorStrategy, BehaviorStrategy] | None = vars(solution).get("_strategies")
        if made is None:
            one, two = solution.tables
            made = vars(solution)["_strategies"] = (one.strategy(), two.strategy())
        return made


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Solution:
    """A pair of strategies, what is claimed of it, and the proof.

    *Plain data* below means what JSON can say: objects, lists, text, integers of at most 18 digits, true,
    false, null. A ``Fraction`` is written as text, and a float only in a field whose name ends in
    ``_float``. An exact integer that may be long is text (:func:`tremble.fraction_text.format_fraction`).

    Attributes
    ----------
    game : GameReference
    concept : str
        What was reached: ``"nash"``, ...
    requested : str
        What was asked for.
    method : Method
    status : Status
    values : pair of Fraction
        Expected payoffs of players 1 and 2.
    bounds : pair of Fraction, or None
        Proven lower and upper bound on player 1's value; None where the sum of the payoffs varies.
    strategies : pair of BehaviorStrategy
        Raises ``CertificateError`` when read if the file held something else (see :attr:`tables`).
    beliefs : pair of tuples of BeliefRow, or None
    certificate : mapping
        Plain data; its ``kind`` says what else it holds.
    stats : mapping
        Plain data: sizes, iterations, times. Nothing in it is proven.
    version : str
        The version of tremble that made the solution.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = tuple(tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1))
    >>> values = tremble.expected_values(kuhn, uniform)
    >>> best = [tremble.best_response(kuhn, uniform, player)[0] for player in (0, 1)]
    >>> solution = Solution(
    ...     game=GameReference.of(kuhn), concept="nash", requested="nash", method=Method("by hand", {}),
    ...     status=Status.BOUNDED, values=values, bounds=(-best[1], best[0]), strategies=uniform,
    ...     certificate=best_response_certificate(values, best), stats={},
    ... )
    >>> solution.value, solution.bounds
    (Fraction(1, 8), (Fraction(-5, 12), Fraction(1, 2)))
    >>> Solution.from_text(solution.to_text()).to_text() == solution.to_text()
    True
    >>> tremble.verify(kuhn, solution).ok
    True
    """

    schema: ClassVar[str] = SCHEMA

    game: GameReference
    concept: str
    requested: str
    method: Method
    status: Status
    values: tuple[Fraction, Fraction]
    bounds: tuple[Fraction, Fraction] | None
    strategies: _Profile = _Profile()
    beliefs: Beliefs | None = None
    certificate: Mapping[str, Any]
    stats: Mapping[str, Any]
    version: str = __version__

    @property
    def value(self) -> Fraction:
        """Expected payoff of player 1."""
        return self.values[0]

    @property
    def tables(self) -> tuple[StrategyTable, StrategyTable]:
        """The rows of both players as they stand, whether or not they make strategies."""
        tables: tuple[StrategyTable, StrategyTable] = vars(self)["_tables"]
        return tables

    def __repr__(self) -> str:
        return (
            f"<Solution of {self.game.title!r}: {self.concept}, {self.status}, "
            f"value {shorten(self.values[0])} to player 1>"
        )

    # -- writing ---------------------------------------------------------------------------------

    def to_text(self) -> str:
        """The solution as the text of a solution file: sorted keys, one line per information set."""
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "tremble": self.version,
            "game": {"spec": self.game.spec, "title": self.game.title, "digest": self.game.digest},
            "concept": self.concept,
            "requested": self.requested,
            "method": {"name": self.method.name, "options": _plain(self.method.options, "method.options")},
            "status": str(self.status),
            "values": [format_fraction(value) for value in self.values],
            "certificate": _plain(self.certificate, "certificate"),
            "stats": _plain(self.stats, "stats"),
        }
        if self.bounds is not None:
            document["bounds"] = [format_fraction(bound) for bound in self.bounds]
        parts = {key: _encode(value) for key, value in document.items()}
        parts["strategies"] = _by_line([map(_encode, _row_data(table)) for table in self.tables])
        if self.beliefs is not None:
            parts["beliefs"] = _by_line([map(_encode, map(_belief_data, rows)) for rows in self.beliefs])
        return "{\n" + ",\n".join(f'"{key}": {parts[key]}' for key in sorted(parts)) + "\n}\n"

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the solution file, whole or not at all.

        Raises
        ------
        TrembleError
            The file cannot be written; what stood there before still stands.
        """
        text = self.to_text()
        try:
            _write_whole(os.fspath(path), text.encode("utf-8"))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise TrembleError(f"{os.fspath(path)}: the solution cannot be written: {reason}") from error

    # -- reading ---------------------------------------------------------------------------------

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Solution:
        """Read a solution file; ``"-"`` is the standard input.

        Raises
        ------
        FormatError
            The file cannot be read or is no solution file. A file that is well-formed but wrong is read:
            :func:`tremble.verify` says what is wrong.
        """
        text, file = _read_file(os.fspath(path))
        return cls.from_text(text, file=file)

    @classmethod
    def from_text(cls, text: str, *, file: str = "<text>") -> Solution:
        """Read the text of a solution file; ``file`` is what errors call it."""
        return _Reader(file).solution(text)


def read_strategies(path: str | os.PathLike[str]) -> tuple[StrategyTable, StrategyTable]:
    """Read the strategies of a file that may hold nothing else: ``{"schema": ..., "strategies": [[...], [...]]}``.

    A row needs ``infoset`` and ``actions``; whatever else the file holds must be as in a solution file.
    ``StrategyTable.strategy(tree)`` turns each table into a strategy of a game.

    Parameters
    ----------
    path : str or path
        ``"-"`` is the standard input.

    Raises
    ------
    FormatError
    """
    text, file = _read_file(os.fspath(path))
    return _Reader(file).strategies_alone(text)


# -- to text -------------------------------------------------------------------------------------

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode

_INTEGER_DIGITS = 18
_MAX_DEPTH = 64


def _by_line(pair: Sequence[Iterator[str]]) -> str:
    lists = (",\n".join(rows) for rows in pair)
    return "[" + ", ".join(f"[\n{rows}\n]" if rows else "[]" for rows in lists) + "]"


def _row_data(table: StrategyTable) -> Iterator[dict[str, Any]]:
    rows = zip(table.infosets, table.labels, table.actions, table._integers(), table.off_path.tolist(), strict=True)
    for number, label, actions, (numerator, whole), off_path in rows:
        shares = [
            [action, "0" if p == 0 else "1" if p == whole else format_fraction(Fraction(p, whole))]
            for action, p in zip(actions, numerator, strict=True)
        ]
        row = {"infoset": number, "label": label, "actions": shares}
        if off_path:
            row["off_path"] = True
        yield row


def _belief_data(row: BeliefRow) -> dict[str, Any]:
    return {"infoset": row.infoset, "nodes": [[list(path), format_fraction(p)] for path, p in row.nodes]}


def _plain(value: Any, path: str, *, decimal: bool = False, depth: int = 0) -> Any:
    """Free-form data as JSON can say it; ``TypeError`` names what cannot be said (a fault of the method)."""
    if value is None or isinstance(value, bool | np.bool_):
        return value if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Fraction):
        return format_fraction(value)
    if isinstance(value, int | np.integer):
        if abs(int(value)) >= 10**_INTEGER_DIGITS:
            raise TypeError(f"{path} is an integer of more than {_INTEGER_DIGITS} digits; write it as text")
        return int(value)
    if isinstance(value, float | np.floating):
        if not decimal:
            raise TypeError(f"{path} is a float; only fields whose name ends in '_float' hold floats")
        return float(value) if isfinite(value) else None
    if depth == _MAX_DEPTH:
        raise TypeError(f"{path} is nested more than {_MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{path} has a key that is no text: {key!r}")
        return {
            str(key): _plain(item, f"{path}.{key}", decimal=key.endswith("_float"), depth=depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(item, f"{path}[{i}]", decimal=decimal, depth=depth + 1) for i, item in enumerate(value)]
    raise TypeError(f"{path} is a {type(value).__name__}, which a solution file cannot hold")


def _write_whole(path: str, data: bytes) -> None:
    target = os.path.realpath(path)
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        with open(target, "wb") as stream:  # a device or a pipe cannot be replaced
            stream.write(data)
        return
    beside = os.path.join(os.path.dirname(target), f".tremble-{secrets.token_hex(8)}.tmp")
    try:
        with open(beside, "xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


# -- from text -----------------------------------------------------------------------------------


def _read_file(path: str) -> tuple[str, str]:
    """The text of a file and what errors call it."""
    file = "<standard input>" if path == "-" else path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(f"the file cannot be read: {reason}", file=file) from error
    try:
        return data.decode("utf-8-sig"), file
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise FormatError(f"the text is not UTF-8: {error.reason}", file=file, line=line, column=column) from error


class _Bad:
    """Stands where the JSON holds something that no solution file may hold; carries the reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Bad:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Bad(f"an object with two fields {key[:40]!r}")
        seen.add(key)
    raise AssertionError("unreachable")


def _integer(digits: str) -> int | _Bad:
    return int(digits) if len(digits.lstrip("-")) <= _INTEGER_DIGITS else _Bad("an integer that is too long")


def _decimal(digits: str) -> float | _Bad:
    value = float(digits)
    return value if isfinite(value) else _Bad("a number beyond the range of floats")


def _what(value: Any) -> str:
    """How an error names a value that does not belong where it stands."""
    if isinstance(value, _Bad):
        return value.reason
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        shown = value if len(value) <= 40 else value[:40] + "..."
        return f"the text {shown!r}"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "an object"


class _Reader:
    """Reads solution files; every fault becomes a ``FormatError`` that names the place."""

    def __init__(self, file: str) -> None:
        self.file = file
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
            "strategies": self.tables,
            "beliefs": self.beliefs,
            "certificate": self.plain_object,
            "stats": self.plain_object,
        }

    def fail(self, path: str, message: str) -> NoReturn:
        place = path if len(path) <= 200 else f"{path[:200]}..."
        raise FormatError(f"{place}: {message}" if path else message, file=self.file)

    # -- whole files

    def solution(self, text: str) -> Solution:
        optional = ("bounds", "beliefs")
        document = self.document(text, required=[key for key in self.read if key not in optional], optional=optional)
        piece = {key: self.read[key](value, key) for key, value in document.items()}
        return Solution(
            game=piece["game"],
            concept=piece["concept"],
            requested=piece["requested"],
            method=piece["method"],
            status=piece["status"],
            values=piece["values"],
            bounds=piece.get("bounds"),
            strategies=piece["strategies"],
            beliefs=piece.get("beliefs"),
            certificate=piece["certificate"],
            stats=piece["stats"],
            version=piece["tremble"],
        )

    def strategies_alone(self, text: str) -> tuple[StrategyTable, StrategyTable]:
        self.label_needed = False
        required = ("schema", "strategies")
        document = self.document(text, required=required, optional=[key for key in self.read if key not in required])
        piece = {key: self.read[key](value, key) for key, value in document.items()}
        tables: tuple[StrategyTable, StrategyTable] = piece["strategies"]
        return tables

    def document(self, text: str, *, required: Sequence[str], optional: Sequence[str]) -> dict[str, Any]:
        try:
            document = json.loads(
                text,
                object_pairs_hook=_object,
                parse_int=_integer,
                parse_float=_decimal,
                parse_constant=lambda name: _Bad(f"{name}, which is no number"),
            )
        except json.JSONDecodeError as error:
            raise FormatError(
                f"not JSON: {error.msg}", file=self.file, line=error.lineno, column=error.colno
            ) from error
        except RecursionError:
            raise FormatError("lists or objects are nested too deeply", file=self.file) from None
        if not isinstance(document, dict):
            self.fail("", f"expected a solution, which is an object, found {_what(document)}")
        schema = document.get("schema")
        if schema != SCHEMA:
            found = _what(schema) if "schema" in document else "no such field"
            self.fail("schema", f"expected {SCHEMA!r}, found {found}")
        return self.fields(document, "", required=required, optional=optional)

    # -- pieces

    def fields(self, value: Any, path: str, *, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(path, f"expected an object, found {_what(value)}")
        for key in required:
            if key not in value:
                self.fail(path, f"the field {key!r} is missing")
        for key in value:
            if key not in required and key not in optional:
                allowed = ", ".join((*required, *optional))
                self.fail(path, f"unknown field {key[:40]!r}; the fields are {allowed}")
        return value

    def text(self, value: Any, path: str) -> str:
        if not isinstance(value, str):
            self.fail(path, f"expected text, found {_what(value)}")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                self.fail(path, "the text holds half of a surrogate pair")
        return value

    def text_or_null(self, value: Any, path: str) -> str | None:
        return None if value is None else self.text(value, path)

    def items(self, value: Any, path: str, length: int | None = None) -> list[Any]:
        if not isinstance(value, list):
            self.fail(path, f"expected a list, found {_what(value)}")
        if length is not None and len(value) != length:
            self.fail(path, f"expected a list of {length}, found {len(value)}")
        return value

    def integer(self, value: Any, path: str) -> int:
        if type(value) is not int:
            self.fail(path, f"expected an integer, found {_what(value)}")
        return value

    def number(self, value: Any, path: str) -> Fraction:
        if not isinstance(value, str):
            self.fail(path, f'expected an exact number as text, such as "-1/18", found {_what(value)}')
        try:
            return parse_fraction(value)
        except ValueError as error:
            self.fail(path, str(error))

    def pair_of_numbers(self, value: Any, path: str) -> tuple[Fraction, Fraction]:
        one, two = self.items(value, path, 2)
        return self.number(one, f"{path}[0]"), self.number(two, f"{path}[1]")

    def bounds(self, value: Any, path: str) -> tuple[Fraction, Fraction] | None:
        return None if value is None else self.pair_of_numbers(value, path)

    def game(self, value: Any, path: str) -> GameReference:
        game = self.fields(value, path, required=("spec", "title", "digest"))
        return GameReference(
            spec=self.text_or_null(game["spec"], f"{path}.spec"),
            title=self.text(game["title"], f"{path}.title"),
            digest=self.text_or_null(game["digest"], f"{path}.digest"),
        )

    def method(self, value: Any, path: str) -> Method:
        method = self.fields(value, path, required=("name", "options"))
        return Method(
            self.text(method["name"], f"{path}.name"), self.plain_object(method["options"], f"{path}.options")
        )

    def status(self, value: Any, path: str) -> Status:
        name = self.text(value, path)
        if name not in set(Status):
            self.fail(path, f"expected one of {', '.join(map(repr, map(str, Status)))}, found {_what(value)}")
        return Status(name)

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
        for index, value in enumerate(rows):
            path = f"{where}[{index}]"
            row = self.fields(value, path, required=required, optional=optional)
            infosets.append(self.integer(row["infoset"], f"{path}.infoset"))
            labels.append(self.text(row.get("label", ""), f"{path}.label"))
            marked = row.get("off_path", False)
            if not isinstance(marked, bool):
                self.fail(f"{path}.off_path", f"expected true or false, found {_what(marked)}")
            marks.append(marked)
            entries = self.items(row["actions"], f"{path}.actions")
            if not entries:
                self.fail(f"{path}.actions", "expected at least one action")
            names: list[str] = []
            shares: list[Fraction] = []
            for j, entry in enumerate(entries):
                if type(entry) is not list or len(entry) != 2:
                    found = f"a list of {len(entry)}" if isinstance(entry, list) else _what(entry)
                    self.fail(f"{path}.actions[{j}]", f"expected [label, probability], found {found}")
                name, digits = entry
                names.append(self.text(name, f"{path}.actions[{j}][0]"))
                share = known.get(digits) if type(digits) is str else None
                if share is None:
                    share = known[digits] = self.number(digits, f"{path}.actions[{j}][1]")
                shares.append(share)
            whole = lcm(*(share.denominator for share in shares))
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
        one, two = (
            tuple(
                self.belief(row, f"{path}[{player}][{index}]")
                for index, row in enumerate(self.items(rows, f"{path}[{player}]"))
            )
            for player, rows in enumerate(self.items(value, path, 2))
        )
        return one, two

    def belief(self, value: Any, path: str) -> BeliefRow:
        row = self.fields(value, path, required=("infoset", "nodes"))
        nodes = []
        for j, entry in enumerate(self.items(row["nodes"], f"{path}.nodes")):
            here = f"{path}.nodes[{j}]"
            steps, share = self.items(entry, here, 2)
            labels = tuple(self.text(step, f"{here}[0][{i}]") for i, step in enumerate(self.items(steps, f"{here}[0]")))
            nodes.append((labels, self.number(share, f"{here}[1]")))
        return BeliefRow(self.integer(row["infoset"], f"{path}.infoset"), tuple(nodes))

    def plain_object(self, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(path, f"expected an object, found {_what(value)}")
        self.plain(value, path, decimal=False, depth=0)
        return value

    def plain(self, value: Any, path: str, *, decimal: bool, depth: int) -> None:
        """Check free-form data; the counterpart of ``_plain``."""
        if isinstance(value, _Bad):
            self.fail(path, f"found {value.reason}")
        if isinstance(value, float) and not decimal:
            self.fail(path, "only fields whose name ends in '_float' hold decimals; exact numbers are text")
        if isinstance(value, str):
            self.text(value, path)
        elif isinstance(value, dict | list):
            if depth == _MAX_DEPTH:
                self.fail(path, f"nested more than {_MAX_DEPTH} deep")
            if isinstance(value, dict):
                for key, item in value.items():
                    self.text(key, f"a field of {path}")
                    self.plain(item, f"{path}.{key}", decimal=key.endswith("_float"), depth=depth + 1)
            else:
                for i, item in enumerate(value):
                    self.plain(item, f"{path}[{i}]", decimal=decimal, depth=depth + 1)
