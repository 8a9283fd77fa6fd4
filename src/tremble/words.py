"""Choose words for the messages to users, and make text from files safe to print.

Messages use the terms of Python or of the command line (:func:`for_reader`). Control characters are escaped, so that
text from a file cannot control the terminal (:func:`printable`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import StringIO
from typing import TYPE_CHECKING, Any
from unicodedata import category

from tremble.arguments import described
from tremble.errors import SpecError

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

__all__ = [
    "called",
    "command_line",
    "for_reader",
    "infosets_words",
    "odds",
    "on_command_line",
    "on_one_line",
    "one",
    "printable",
    "printable_json",
    "printable_lines",
    "require_hooks",
    "set_on_command_line",
    "text_of",
]


# -- Python or the command line ----------------------------------------------------------------------

_ON_COMMAND_LINE = [False]


def for_reader(python: str, command: str) -> str:
    """Return one of two wordings of a text: ``command`` while a ``tremble`` command runs, otherwise ``python``.

    Every message that names an argument, an option, a function or a command uses this function.

    Examples
    --------
    >>> advice = lambda: f"raise {for_reader('max_nodes=', '--max-nodes')}"
    >>> with command_line():
    ...     print(advice())
    raise --max-nodes
    >>> print(advice())
    raise max_nodes=
    """
    return command if _ON_COMMAND_LINE[0] else python


def on_command_line() -> bool:
    """Return True if this process runs a ``tremble`` command."""
    return _ON_COMMAND_LINE[0]


def set_on_command_line(on: bool) -> None:
    """Make :func:`for_reader` return the text for the command line if ``on`` is true, else the text for Python."""
    _ON_COMMAND_LINE[0] = on


@contextmanager
def command_line() -> Iterator[None]:
    """Make :func:`for_reader` return the text for the command line while a ``with`` block runs."""
    before = on_command_line()
    set_on_command_line(True)
    try:
        yield
    finally:
        set_on_command_line(before)


# -- grammar, and text that is safe to print ---------------------------------------------------------


@lru_cache(maxsize=1_000)
def one(noun: str) -> str:
    """Return a noun with its indefinite article.

    Examples
    --------
    >>> one("extensive-form perfect equilibrium"), one("one-sided quasi-perfect equilibrium")
    ('an extensive-form perfect equilibrium', 'a one-sided quasi-perfect equilibrium')
    """
    return f"{'an' if noun[:1] in 'aeiou' and not noun.startswith('one') else 'a'} {noun}"


def require_hooks(**hooks: object) -> None:
    """Raise ``SpecError`` if a keyword argument is neither callable nor None. The error names the argument."""
    for name, hook in hooks.items():
        if hook is not None and not callable(hook):
            raise SpecError(f"'{name}' must be a function, which tremble calls while it works, not {described(hook)}")


_SUSPECT = re.compile(r"[^\x20-\x7e\n]")


def printable(text: str) -> str:
    """Escape control characters, line breaks and marks of text direction; keep spaces and all visible characters."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def printable_lines(text: str) -> str:
    """Escape the same characters as :func:`printable`, except line breaks."""
    return _SUSPECT.sub(lambda found: _escaped(found[0]), text)


def printable_json(text: str) -> str:
    r"""Escape the same characters as :func:`printable_lines`, but such that a JSON parser returns the original text.

    Examples
    --------
    >>> print(printable_json('{"label": "\x7f\u202e é"}'))
    {"label": "\u007f\u202e é"}
    """
    return _SUSPECT.sub(lambda found: found[0] if _harmless(found[0]) else _json_escaped(found[0]), text)


def on_one_line(text: str, most: int = 40) -> str:
    r"""Return the beginning of a text for a message, on one line and without control characters.

    Examples
    --------
    >>> print(on_one_line('"a\tlabel'), on_one_line("x" * 50))
    "a\tlabel xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
    """
    cut = text if len(text) <= most else f"{text[:most]}..."
    return cut if cut.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut)


def _harmless(character: str) -> bool:
    return character.isprintable() or category(character) == "Zs"


def _escaped(character: str) -> str:
    return character if _harmless(character) else character.encode("unicode_escape").decode()


def _json_escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


_WIDE = 10_000  # width in characters, so large that no table is cut
AS_IT_IS: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}


class Printable:
    """A wrapper that prints a Rich renderable with its control characters escaped."""

    def __init__(self, view: RenderableType) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        for text, style, control in console.render(self._view, options):
            yield Segment(printable_lines(text), style, control)


def text_of(view: RenderableType) -> str:
    """Return a Rich renderable as text without colors. Each line ends with a newline.

    Examples
    --------
    >>> print(text_of("as it is"), end="")
    as it is
    """
    from rich.console import Console

    console = Console(file=StringIO(), width=_WIDE, **AS_IT_IS)
    with console.capture() as capture:
        console.print(Printable(view))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().rstrip("\n").split("\n"))


def called(game: Any, player: int, number: str = "player {}") -> str:
    """Return a player's name, or ``number.format(player + 1)`` if the name is empty, generic or shared by both."""
    names = [printable(name).strip() for name in game.players]
    if not names[player] or names[0] == names[1] or names[player].casefold() in _NO_NAMES:
        return number.format(player + 1)
    return names[player]


_NO_NAMES = ("player 1", "player 2")


def infosets_words(sizes: Sequence[int]) -> str:
    """Return how many information sets each player has, in words such as ``3 + 4 information sets``."""
    return f"{' + '.join(f'{n:,}' for n in sizes)} information sets"


def odds(solution: Any) -> str:
    """Return a bound such as ``2^-60`` on the error probability of a randomized proof; empty text for other proofs."""
    chance = solution.certificate.get("probabilistic")
    return f"2^-{chance.get('k')}" if isinstance(chance, Mapping) else ""
