"""Text of files and games as a terminal may see it: nothing in it can move the cursor, ring or reorder letters.

All that is printed passes here once more, whatever it has passed before: tables and errors are escaped as Python's
``repr`` would do it, JSON as JSON does it, so that the text that is read from it is the same.
"""

from __future__ import annotations

import re
from unicodedata import category

__all__ = ["printable", "printable_json", "printable_lines"]

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


def _harmless(character: str) -> bool:
    return character.isprintable() or category(character) == "Zs"


def _escaped(character: str) -> str:
    return character if _harmless(character) else character.encode("unicode_escape").decode()


def _json_escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
