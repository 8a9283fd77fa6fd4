"""Building blocks of terminal output: tables, pairs of names and values (*facts*), marked lines, numbers and words.

A *view* is an object that the library ``rich`` can print. Notebook cells show the same views.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import as_float, short_text
from tremble.status import Status
from tremble.text.theme import FAINT, HEADING
from tremble.words import AS_IT_IS, Printable, for_reader, printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tremble.solution.stated import StatedSolution

__all__ = [
    "DECIMAL",
    "DIFFERENCE",
    "EARNING_COLUMNS",
    "EXACT",
    "MAX_ROWS",
    "MISTAKE_COLUMNS",
    "Block",
    "Cell",
    "Fact",
    "Number",
    "add",
    "concept_words",
    "decimal_text",
    "exact_and_decimal",
    "facts_table",
    "fill",
    "heading",
    "heading_of",
    "indented",
    "more",
    "numbered_name",
    "of_the_pot",
    "part_of_pot",
    "plain_table",
    "player_name",
    "probability_text",
    "states_an_equilibrium",
    "table",
    "to_terminal",
    "whose",
]

Cell = Text | str
Fact = tuple[str, Cell]  # a name and its value
Block = tuple[Sequence[str], Sequence[tuple[Sequence[Cell], str]]]
"""Rows that share their first cells: the shared cells, and for each row the other cells and the style. A table shows
the shared cells only in the first of these rows."""

EXACT, DECIMAL = "probability", "decimal"
"""Headers of two adjacent columns that show the same numbers: as exact numbers, and as decimals."""


def plain_table(*, show_header: bool = True) -> Table:
    """Make a table without lines."""
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=show_header)


def table(*columns: str, right: Collection[str] = ("set",)) -> Table:
    """Make a table with the given column headers. The columns named in ``right`` are right-aligned."""
    empty = plain_table()
    for name in columns:
        empty.add_column(name, justify="right" if name in right else "left", header_style=FAINT, overflow="fold")
    return empty


def add(rows: Table, *cells: Cell, style: str = "") -> None:
    """Add a row of cells. Brackets in a cell are plain text, not markup of ``rich``."""
    rows.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells), style=style)


def facts_table(facts: Iterable[Fact], style: str = FAINT) -> Table:
    """Make a table with a column of names and a column of values."""
    rows = plain_table(show_header=False)
    rows.add_column(style=style, no_wrap=True)
    rows.add_column(overflow="fold")
    for fact in facts:
        add(rows, *fact)
    return rows


def fill(rows: Table, blocks: Iterable[Block], most: int, what: str = "") -> int:
    """Add blocks of rows to a table, and return the number of added blocks.

    The function stops after the block that brings the added rows to ``most`` or more. A block of more than ``most``
    rows is cut after ``most`` rows. Another row then shows the number of omitted rows and the word ``what``.
    """
    shown = count = 0
    for head, lines in blocks:
        if shown >= most:
            break
        for cells, style in lines[:most]:
            add(rows, *head, *(Text(cell, style=style) if isinstance(cell, str) else cell for cell in cells))
            head = [""] * len(head)
        if len(lines) > most:
            add(rows, *head, *more(len(lines) - most, what))
        shown += min(len(lines), most)
        count += 1
    return count


def indented(rows: Table, columns: int = 2) -> Padding:
    """Indent a table by ``columns`` spaces."""
    return Padding(rows, (0, 0, 0, columns), expand=False)


def heading(title: str) -> Text:
    """Return the title of a game as a heading."""
    return Text(printable(title) or "(untitled game)", style=HEADING)


def heading_of(game: GameTree | UnbuiltGame | None) -> Iterator[Text]:
    """Yield the title of a game as a heading, or nothing if the game is unknown."""
    if game is not None and (game.title or isinstance(game, GameTree) or game.rules is not None):
        yield heading(game.title)


def part_of_pot(game: GameTree | UnbuiltGame, value: Number | None) -> float | None:
    """Return a number of chips as a part of the first pot; None if the game has no pot, or the number is unknown."""
    from tremble.game.kinds import adapter_of  # imported late, because `tremble verify` must not load its modules

    kind = adapter_of(game) if value is not None and isinstance(game, UnbuiltGame) else None
    pot = None if kind is None else kind.pot()
    return float(value) / float(pot) if value is not None and pot is not None else None


def of_the_pot(game: GameTree | UnbuiltGame, value: Number | None) -> str:
    """Return the words that state a number of chips as a percentage of the first pot, or an empty text."""
    part = part_of_pot(game, value)
    return "" if part is None else f", {100 * part:.4g} % of the pot"


def more(left: int, what: str, indent: str = "", *, full: tuple[str, str] | None = None) -> Iterator[Text]:
    """Yield a line about omitted items, unless their number ``left`` is 0. ``what`` names the items.

    ``full`` contains the Python code and the command-line option that show all items.
    """
    if left > 0:
        where = f"; {for_reader(*full)} gives all" if full else ""
        yield Text(f"{indent}… {left:,} more{what}{where}", style=FAINT)


def player_name(game: GameTree | UnbuiltGame, player: int, written: Callable[[str], str] = str) -> str:
    """Return a player's name, converted by ``written``. If the name is empty, return ``Player 1`` or ``Player 2``."""
    return written(game.players[player]) or f"Player {player + 1}"


def numbered_name(game: GameTree | UnbuiltGame, player: int) -> str:
    """Return the number of a player, followed by the name if the player has a name."""
    number, name = f"Player {player + 1}", player_name(game, player, printable)
    return number if name == number else f"{number} ({name})"


def states_an_equilibrium(solution: StatedSolution) -> bool:
    """Return True if a solution claims to be an equilibrium: it is certified, or both bounds equal its value."""
    return solution.status == Status.CERTIFIED or solution.bounds == (solution.value, solution.value)


def concept_words(name: str) -> str:
    """Return the name of a concept for use in a sentence."""
    from tremble.solution.concepts import CONCEPTS  # imported late: loads all certificates, which `info` never uses

    return CONCEPTS[name].words if name in CONCEPTS else printable(name[:80])


DIFFERENCE = "second \N{MINUS SIGN} first"
EARNING_COLUMNS = ("d", "first", "second", DIFFERENCE, "best response", "first takes", "second takes")
MISTAKE_COLUMNS = ("label", "action", "first", "second", DIFFERENCE)


def whose(opponent: str) -> str:
    """Convert "first" to " of the first profile", "second" to " of the second profile", and "both" to ""."""
    return "" if opponent == "both" else f" of the {opponent} profile"


Number = Fraction | float | int


def decimal_text(value: Number, digits: int = 7) -> str:
    """Return a decimal with ``digits`` significant digits. A very large or small number has an exponent."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    with localcontext() as context:
        context.prec = digits
        exact = Fraction(value)
        quotient = (Decimal(exact.numerator) / Decimal(exact.denominator)).normalize()
    if quotient and not -5 <= quotient.adjusted() < digits + 2:
        return f"{quotient:e}"
    return f"{quotient:f}"


def probability_text(value: Number) -> str:
    """Return a probability with six decimals, so that columns line up, or with an exponent if it is very small."""
    if value in (0, 1):
        return str(int(value))
    if 0 < value < 1e-6 or value < 0:
        return decimal_text(value, 3)
    return f"{as_float(value):.6f}"


def exact_and_decimal(value: Number, width: int = 60) -> str:
    """Return an exact number as text. If the number is not an integer, add a decimal close to it.

    Examples
    --------
    >>> exact_and_decimal(Fraction(-1, 18))
    '-1/18 ≈ -0.05555556'
    """
    if value == int(value):
        return short_text(value, width)
    return f"{short_text(value, width)} ≈ {decimal_text(value)}"


MAX_ROWS = 40  # approximate greatest number of shown rows of a strategy


def move(what: str, p: Number | None) -> tuple[str, str, str]:
    """Return three cells: ``what`` (an action, or the moves to a node), its exact probability, and a decimal."""
    assert p is not None
    return printable(what), short_text(p), probability_text(p)


def to_terminal(view: RenderableType, *, err: bool = False) -> None:
    """Print a view to a terminal, with its colors."""
    from rich.console import Console

    Console(stderr=err, **AS_IT_IS).print(Printable(view))
