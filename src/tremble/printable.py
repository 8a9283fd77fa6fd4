"""Printable text: nothing from a file or a game moves a cursor, rings, reorders letters or is executed.

All that is printed passes here once more, whatever it has passed before: tables and errors are escaped as Python's
``repr`` would do it, JSON as JSON does it, so that the text that is read from it is the same. Pages and pictures show
the same signs as tables: XML allows no control characters, HTML gives them no form. Comma-separated values do, too, and
what a spreadsheet would take for a formula begins with an apostrophe there.
"""

from __future__ import annotations

import html
import re
from unicodedata import category

__all__ = ["escape", "no_formula", "on_one_line", "printable", "printable_json", "printable_lines"]

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four are wide
_SUSPECT = re.compile(r"[^\x20-\x7e\n]")


def printable(text: str) -> str:
    """Escape what is no letter, sign or space: control characters, line breaks, marks of direction."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def printable_lines(text: str) -> str:
    """Escape the same, but keep line breaks."""
    return _SUSPECT.sub(lambda found: _escaped(found[0]), text)


def printable_json(text: str) -> str:
    r"""Escape the same in a text in JSON; whoever reads it finds what was there before.

    Examples
    --------
    >>> print(printable_json('{"label": "\x7f\u202e é"}'))
    {"label": "\u007f\u202e é"}
    """
    return _SUSPECT.sub(lambda found: found[0] if _harmless(found[0]) else _json_escaped(found[0]), text)


def escape(text: str) -> str:
    r"""Escape the same, but line breaks, and what HTML and XML would take for their own.

    Examples
    --------
    >>> print(escape('<b>\x1b[2J & "\u202e"'))
    &lt;b&gt;\x1b[2J &amp; &quot;\u202e&quot;
    """
    return html.escape(printable_lines(text))


def no_formula(text: str) -> str:
    r"""Escape control characters; and put an apostrophe before what a spreadsheet would execute, not show.

    Examples
    --------
    >>> print(no_formula("=1+1"), no_formula("-call"), no_formula("all-in"), no_formula("a\tb"))
    '=1+1 '-call all-in a\tb
    """
    shown = printable_lines(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def on_one_line(text: str, most: int = 40) -> str:
    r"""Quote the beginning of a text in a message: on one line, without control characters.

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
