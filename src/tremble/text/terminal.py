"""Render views as text: on a terminal in its width, elsewhere as wide as needed.

Control characters from files are escaped, so they cannot tamper with the terminal.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

from tremble.printable import printable_lines

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

__all__ = ["text_of", "to_terminal"]

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
