"""Strategies of both players from a solution file, a file of strategies, or a line in Gambit's format.

Gambit's solvers, and ``tremble solve --format gambit``, print ``NE,`` and then one probability per action. Player 1's
information sets are first, in the order of their first appearance in the tree. Player 2's information sets follow.
Numbers may be rounded to a few digits. At a set that the player's own strategy never reaches, all numbers may be zero.
The strategy is then missing at this set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from tremble.errors import CertificateError, GameError
from tremble.formats.by_label import table_of_dict
from tremble.formats.chance_repair import (
    exact_sum,
    last_digit,
    mend_probabilities,
    simplest_fraction,
)
from tremble.formats.gambit_text import Notes, shown, shown_list
from tremble.formats.rounding import Rounding, place
from tremble.formats.tables import completed, table_of_rows
from tremble.formats.tolerance import TOLERANCE, repair_limit
from tremble.game.rules import not_built
from tremble.game.strategy import BehaviorStrategy
from tremble.game.strategy_rows import integer_rows
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.numbers import format_fraction, parse_number
from tremble.run.source_text import read_source
from tremble.run.text_file import SourceText
from tremble.solution.claim import Beliefs
from tremble.solution.claims import GameReference, HoldsStrategies, Rows, of_rules, pair_of
from tremble.solution.reading import read_member
from tremble.solution.schema import Reader, named
from tremble.solution.stated import StatedSolution, parse_strategies, read_strategies
from tremble.value import Value

__all__ = ["NotStated", "StatedProfile", "fitted_strategy", "read_profile"]

NotStated = tuple[tuple[int, ...], tuple[int, ...]]

_LINE = re.compile(r"\s*NE(?:\s*,|[ \t\r]*(?=\n|\Z))", re.ASCII)  # a line has no numbers if no player moves
_BEGINS = re.compile(r"\s*(?:\{|NE(?:\s*,|[ \t\r]*\n))", re.ASCII)
_BY_LABEL = re.compile(r'"strategies"\s*:\s*\[\s*\{(?!\s*"(?:default|rows)"\s*:)')
_REPAIRED = "probabilities that do not sum to one were repaired at {0} information set(s), such as {1}"
_SIMPLIFIED = "decimals became the simplest fractions near them at {0} information set(s), such as {1}"
_COMPLETED = "{0} row(s) of zeros at sets the player's strategy never reaches were completed uniformly, such as {1}"


@dataclass(frozen=True, eq=False, repr=False)
class StatedProfile(HoldsStrategies, Value):
    """A profile from a file, not yet matched to a game. All functions that need a profile accept a ``StatedProfile``.

    Attributes
    ----------
    name : str
        Name of the source in errors.
    strategies : pair of StrategyTable, of UnbuiltStrategy or of OrderedStrategy
        Strategies of a JSON file. The tuple is empty for other files, and if the strategies are given by labels.
    line : tuple of str, or None
        The numbers in a profile line of Gambit, as text.
    by_label : pair of dicts, or None
        Strategies of a JSON file by labels: ``{label: {action: number}}`` for each player.
    game : GameReference or None
        The game that the file names.
    beliefs : pair of tuples of BeliefRow, or None
    certificate : mapping or None
        Beliefs and certificate of a JSON file. The file may be an incomplete solution file.
    solution : StatedSolution or None
        The solution, if the file is a complete solution file.
    repair : Fraction or None
        Largest allowed change of a probability in a row that does not sum to one. In a line of Gambit, a number may
        always change by one unit of the number's last decimal place, even without ``repair``.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> stated = read_profile("NE" + ",1,0" * 12)
    >>> tremble.exploitability(kuhn, stated)
    Fraction(1, 1)
    """

    name: str
    strategies: Rows | tuple[()] = ()
    line: tuple[str, ...] | None = None
    by_label: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None
    game: GameReference | None = None
    beliefs: Beliefs | None = None
    certificate: Mapping[str, Any] | None = None
    solution: StatedSolution | None = None
    repair: Fraction | None = None

    @property
    def tables(self) -> tuple[StrategyTable, StrategyTable] | None:
        """Both strategies if the profile is from a JSON file with tables for a tree; otherwise None."""
        return pair_of(StrategyTable, self.strategies)

    @property
    def rounded(self) -> bool:
        """True if a probability in the file is written as a decimal, not as a fraction."""
        if self.line is not None:
            return any(map(last_digit, self.line))
        rows = [row for by_set in self.by_label or () for row in by_set.values()]
        return any(last_digit(str(p)) for row in rows if isinstance(row, Mapping) for p in row.values())

    def profile(self, tree: GameTree) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Return the strategies for a tree; raise an error if the file names another game or its rows do not fit."""
        self.require_of(tree)
        return self.fitted(tree)[0]

    def require_of(self, tree: GameTree) -> None:
        """Raise ``CertificateError`` if the file names another game."""
        if of_rules(self) is None and self.game is not None and self.game.digest not in (None, tree.digest):
            named = self.game.spec or self.game.title
            raise CertificateError(f"{self.name}: the solution is for another game ({named!r:.80}): the digests differ")

    def fitted(self, tree: GameTree) -> tuple[tuple[BehaviorStrategy, BehaviorStrategy], NotStated]:
        """Return the strategies and the indices of sets without a row; raise an error if the rows do not fit the game.

        A ``TrembleWarning`` reports missing rows that became uniform, and repaired rows.
        """
        notes = Notes(self.name)
        if self.line is not None:
            tolerance = TOLERANCE if self.repair is None else self.repair
            simplify = self.repair is not None
            tables = _rows_of_line(tree, self.line, self.name, tolerance, notes, simplify=simplify)
        elif self.by_label is not None:
            try:
                rounding = Rounding(tolerance=self.repair)
                tables = pair(table_of_dict(tree, player, rows, rounding) for player, rows in enumerate(self.by_label))
            except GameError as error:
                raise CertificateError(f"{self.name}: {error}") from None
        elif self.tables is not None:
            tables = self.tables
            if self.repair is not None:
                tables = _repaired(tables[0], self.repair, notes), _repaired(tables[1], self.repair, notes)
        else:
            raise not_built(self.name)
        (one, silent_one), (two, silent_two) = (_strategy(tree, table, notes) for table in tables)
        notes.warn(stacklevel=2)
        return (one, two), (silent_one, silent_two)


def fitted_strategy(tree: GameTree, table: StrategyTable, name: str) -> tuple[BehaviorStrategy, tuple[int, ...]]:
    """Return the strategy of a table, and the indices of sets without a row. Error messages call the table ``name``."""
    notes = Notes(name)
    fitted = _strategy(tree, table, notes)
    notes.warn(stacklevel=2)
    return fitted


def _strategy(tree: GameTree, table: StrategyTable, notes: Notes) -> tuple[BehaviorStrategy, tuple[int, ...]]:
    """Convert a table to a strategy; return the strategy and the indices of sets without a row."""
    completed_sets: tuple[int, ...] = ()
    try:
        if table.actions == tree.actions[table.player]:  # otherwise table.strategy raises an error below
            table, completed_sets = completed(table, tree)
        strategy = table.strategy(tree)
    except CertificateError as error:
        raise CertificateError(f"{notes.name}: {error}") from None
    for k in completed_sets:
        notes.add(_COMPLETED, partial(place, tree, table.player, k))
    return strategy, completed_sets


def read_profile(
    source: str | os.PathLike[str],
    *,
    repair: bool = False,
    repair_tolerance: Fraction | int | str | None = None,
    name: str | None = None,
) -> StatedProfile:
    """Read strategies of both players.

    Parameters
    ----------
    source : str or path
        One of the following:

        * a solution file, or ``"FILE#K"`` for the equilibrium number K of a list, counted from 1
        * a JSON file with only the field ``strategies``, which may contain ``{"label of a set": {"action": number}}``
          for each player
        * a file with a line ``NE,p,p,...`` in Gambit's format
        * ``"-"`` for the standard input, or the text itself, which begins with ``{`` or ``NE,``
    repair, repair_tolerance : bool, number
        Repair rows of probabilities that do not sum to one. A repair also turns decimals in rows that sum to one into
        simple fractions. Rows of a Gambit line are always repaired if changes by 1 in the last digits suffice.
    name : str, optional
        Name of the source in errors. The default is the path.

    Returns
    -------
    StatedProfile
        An object that all functions accept as a profile. Its method ``profile(tree)`` returns the strategies.

    Raises
    ------
    FormatError
        The file is missing or unreadable, or has none of the forms above.

    Examples
    --------
    >>> import tremble
    >>> pennies = tremble.load("matching_pennies")
    >>> tremble.nash_conv(pennies, tremble.read_profile("NE,1/2,1/2,0.5,0.5"))
    Fraction(0, 1)
    """
    limit = repair_limit(repair, repair_tolerance)
    member = None if isinstance(source, str) and _BEGINS.match(source) else read_member(source)
    if member is not None:
        called = name or member.name
        parts = read_strategies(Reader(called, labels_needed=False), member.document)
        return StatedProfile(called, **parts, repair=limit)
    expected = "a file name, or a text that begins with { or NE,"
    text = read_source(source, begins=_BEGINS, expected=expected, name=name)
    if _LINE.match(text.text):
        return StatedProfile(text.name, line=_line(text), repair=limit)
    if not text.text.lstrip().startswith(("{", "[")):
        raise text.error(f"expected strategies as JSON, or one line NE,p,p,..., found {text.found(0)}", 0)
    if _BY_LABEL.search(text.text):
        return StatedProfile(text.name, by_label=_by_label(text), repair=limit)
    path = None if os.fspath(source) == "-" or (isinstance(source, str) and _BEGINS.match(source)) else source
    return StatedProfile(text.name, **parse_strategies(text.text, file=text.name, path=path), repair=limit)


def _line(source: SourceText) -> tuple[str, ...]:
    """Read the line ``NE,p,p,...`` of a text in Gambit's format, and return its numbers as texts."""
    begin = _LINE.match(source.text)
    assert begin is not None  # checked by the caller
    numbers, offset = [], begin.end()
    line, *more = source.text[offset:].splitlines(keepends=True) or [""]
    place = offset + len(line)
    for piece in line.split(",") if begin[0].endswith(",") else ():
        try:
            parse_number(piece.strip())
        except ValueError as error:
            raise source.error(str(error), offset + len(piece) - len(piece.lstrip())) from None
        numbers.append(piece.strip())
        offset += len(piece) + 1
    for line in more:
        if line.strip():
            what = "a second equilibrium" if _LINE.match(line) else "more"
            raise source.error(f"expected one line NE,p,p,..., found {what}; delete all other lines", place)
        place += len(line)
    return tuple(numbers)


def _by_label(source: SourceText) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Read the dicts of both players. Labels and numbers are checked later, when the game is known."""
    reader = Reader(source.name)
    stated = reader.fields(reader.parsed(source.text), "", required=("strategies",))["strategies"]
    for player, rows in enumerate(reader.items(stated, "strategies", 2)):
        path = f"strategies[{player}]"
        for label, row in reader.fields(rows, path, required=(), optional=rows).items():
            here = f"{path}[{label[:40]!r}]"
            if isinstance(row, str):
                continue
            for action, number in reader.fields(row, here, required=(), optional=row).items():
                if isinstance(number, bool) or not isinstance(number, int | float | str):
                    reader.fail(f"{here}[{action[:40]!r}]", f"expected a probability, found {named(number)}")
    return stated[0], stated[1]


def _rows_of_line(
    tree: GameTree, numbers: tuple[str, ...], name: str, tolerance: Fraction, notes: Notes, *, simplify: bool
) -> tuple[StrategyTable, StrategyTable]:
    """Convert the numbers of a Gambit line to strategy tables. Repair rows; if ``simplify``, simplify decimals."""
    one, two = tree.num_slots
    if len(numbers) != one + two:
        raise CertificateError(
            f"{name}: the line has {len(numbers):,} probabilities, but the players of the game have {one:,} + {two:,} "
            "actions at their information sets"
        )
    tables = []
    for player, first in ((0, 0), (1, one)):
        rows = []
        for k, (start, end) in enumerate(pairwise(tree.slot_start[player].tolist())):
            texts = numbers[first + start : first + end]
            row = [Fraction(parse_number(text)) for text in texts]
            if min(row) < 0 or exact_sum(row) not in (0, 1):
                row = _mended(row, texts, tolerance, place(tree, player, k), notes)
            elif simplify:
                row = _simplest(row, texts, place(tree, player, k), notes)
            rows.append(row)
        tables.append(table_of_rows(tree, player, rows))
    return tables[0], tables[1]


def _mended(row: list[Fraction], texts: Sequence[str], tolerance: Fraction, place: str, notes: Notes) -> list[Fraction]:
    """Repair a row so that it sums to one; return it unchanged if this fails. A negative number near zero becomes 0."""
    units = [last_digit(text) for text in texts]
    clipped = [Fraction(0) if -max(unit, tolerance) <= p < 0 else p for p, unit in zip(row, units, strict=True)]
    mended = mend_probabilities(clipped, units, tolerance=tolerance)
    if mended is None:
        return row
    became = f"{shown_list(texts)} became {shown_list(map(shown, mended))}"
    notes.add(_REPAIRED, lambda: f"{became} ({place})")
    return list(mended)


def _simplest(row: list[Fraction], texts: Sequence[str], place: str, notes: Notes) -> list[Fraction]:
    """Return simple fractions that sum to 1 and differ from ``row`` by at most 1 in its last digits; or ``row``."""
    for share in (Fraction(1, 2), Fraction(1)):
        simple = [simplest_fraction(p, last_digit(text) * share) for p, text in zip(row, texts, strict=True)]
        if exact_sum(simple) == 1:
            if simple != row:
                became = f"{shown_list(texts)} became {shown_list(map(shown, simple))} ({place})"
                notes.add(_SIMPLIFIED, partial(str, became))
            return simple
    return row


def _repaired(table: StrategyTable, tolerance: Fraction, notes: Notes) -> StrategyTable:
    rows = [list(table.row(index)) for index in range(len(table.infosets))]
    for index, row in enumerate(rows):
        if exact_sum(row) not in (0, 1):
            place = f"player {table.player + 1}, information set {table.infosets[index] + 1}"
            rows[index] = _mended(row, list(map(format_fraction, row)), tolerance, place, notes)
    numerator, denominator = integer_rows(rows)
    return replace(table, numerator=numerator, denominator=denominator)
