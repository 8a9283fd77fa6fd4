"""Tables, lists of facts and marked lines: the parts of all views on a terminal. Nothing is printed here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.text.theme import FAINT, HEADING
from tremble.words import for_reader, printable, printable_lines

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

__all__ = [
    "DECIMAL",
    "EXACT",
    "Block",
    "Cell",
    "Fact",
    "add",
    "facts_table",
    "fill",
    "heading",
    "heading_of",
    "indented",
    "marked",
    "more",
    "plain_table",
    "table",
    "text_of",
    "to_terminal",
    "verdict",
]

Cell = Text | str
Fact = tuple[str, Cell]  # a name and its value
Block = tuple[Sequence[str], Sequence[tuple[Sequence[Cell], str]]]
"""Rows that belong together: their common head, which is shown once, and the other cells of each with their style."""

EXACT, DECIMAL = "probability", "decimal"
"""Names of two columns side by side: exact numbers and decimals."""


def plain_table(*, show_header: bool = True) -> Table:
    """Make a table without lines."""
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=show_header)


def table(*columns: str, right: Collection[str] = ("set",)) -> Table:
    """Make a table with columns; those of ``right`` are set to the right."""
    empty = plain_table()
    for name in columns:
        empty.add_column(name, justify="right" if name in right else "left", header_style=FAINT, overflow="fold")
    return empty


def add(rows: Table, *cells: Cell, style: str = "") -> None:
    """Add a row of cells, whose text is not read as markup."""
    rows.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells), style=style)


def facts_table(facts: Iterable[Fact], style: str = FAINT) -> Table:
    """Make a table of names and values."""
    rows = plain_table(show_header=False)
    rows.add_column(style=style, no_wrap=True)
    rows.add_column(overflow="fold")
    for fact in facts:
        add(rows, *fact)
    return rows


def fill(rows: Table, blocks: Iterable[Block], most: int, what: str = "") -> int:
    """Add blocks until a table has ``most`` rows, at most ``most`` of each block; count the blocks that were added.

    ``what`` is the word for rows after the number of rows that a block leaves out.
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
    """Move a table to the right."""
    return Padding(rows, (0, 0, 0, columns), expand=False)


def heading(title: str) -> Text:
    """Write the title of a game."""
    return Text(printable(title) or "(untitled game)", style=HEADING)


def heading_of(game: GameTree | UnbuiltGame | None) -> Iterator[Text]:
    """Write the title of a game, or nothing if the game is not known."""
    if game is not None and (game.title or isinstance(game, GameTree) or game.rules is not None):
        yield heading(game.title)


def more(left: int, what: str, indent: str = "", *, full: tuple[str, str] | None = None) -> Iterator[Text]:
    """Say how many items are omitted, if any; ``full`` names what shows all, in Python and on the command line."""
    if left > 0:
        where = f"; {for_reader(*full)} gives all" if full else ""
        yield Text(f"{indent}… {left:,} more{what}{where}", style=FAINT)


def verdict(word: str, style: str, about: str) -> Text:
    """Write the word for the result of a check, and its subject."""
    return Text(word, style=style).append(f"  {about}", style="default")


def marked(mark: str, lines: Iterable[str], style: str = "") -> Iterator[Text]:
    """Write lines with a mark: proven, wrong or open."""
    for line in lines:
        yield Text(f"  {mark} {printable(line)}", style=style)


_WIDE = 10_000  # characters: no table is cut
_AS_IT_IS: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}


class _Printable:
    """A view whose texts are made printable, whatever their source."""

    def __init__(self, view: RenderableType) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        for text, style, control in console.render(self._view, options):
            yield Segment(printable_lines(text), style, control)


def to_terminal(view: RenderableType, *, err: bool = False) -> None:
    """Print a view to a terminal, with its colours."""
    from rich.console import Console

    Console(stderr=err, **_AS_IT_IS).print(_Printable(view))


def text_of(view: RenderableType) -> str:
    """Return a view as lines of text without colours; each ends with a newline.

    Examples
    --------
    >>> print(text_of("as it is"), end="")
    as it is
    """
    from rich.console import Console

    console = Console(file=StringIO(), width=_WIDE, **_AS_IT_IS)
    with console.capture() as capture:
        console.print(_Printable(view))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().rstrip("\n").split("\n"))
