"""Read game trees from files. The ending of a file name determines the format."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from tremble.capabilities import require_installed
from tremble.errors import FormatError, SpecError
from tremble.formats.formats import FORMATS, Format
from tremble.game.tree import GameTree
from tremble.games.parameters import names, suggestions
from tremble.run.text_file import SourceText, read_text

__all__ = ["file_format", "read_file", "read_game", "unknown_game"]


def read_file(text: str, *, repair: Fraction | None, max_nodes: int) -> GameTree:
    """Read a tree from the file ``text``, whose ending gives the format, or from standard input (``"-"``)."""
    if text == "-":
        return read_game(text, FORMATS[".efg"], read_text(text), repair=repair, max_nodes=max_nodes)
    chosen = file_format(text)
    return replace(chosen.read(Path(text), repair=repair, max_nodes=max_nodes, name=text), spec=text)


def read_game(text: str, chosen: Format, source: SourceText, *, repair: Fraction | None, max_nodes: int) -> GameTree:
    """Read a tree from a file's contents, ``source``. Store the file's name, ``text``, as the ``spec`` of the tree."""
    content = source.text + "\n"  # with a line break, the reader does not take a single line for a path
    return replace(chosen.read(content, repair=repair, max_nodes=max_nodes, name=source.name), spec=text)


_MATRICES = "; convert matrices of payoffs in Python with tremble.matrix_game(A, B)"
_CONVERSION_ADVICE = {
    ".py": "; convert rules in Python with tremble.write_efg(tremble.build(rules), 'game.efg')",
    ".csv": _MATRICES,
    ".xlsx": _MATRICES,
}
"""A dict from the endings of unsupported files, which may contain games, to advice for an error message."""


def file_format(text: str) -> Format:
    """Return the format of a file from the ending of its name; raise an error with advice if the format is unknown."""
    path = Path(text)
    try:
        exists = bool(text) and path.exists()
    except (OSError, ValueError):  # the name is too long, or it contains a null character
        exists = False
    chosen = FORMATS.get(path.suffix.lower())
    if not exists:
        if chosen or (len(path.parts) > 1 and not suggestions(text.partition(":")[0])):
            raise FormatError("no such file", file=text)
        raise SpecError(unknown_game(text))
    if path.is_dir():
        *most, last = FORMATS
        raise FormatError(f"this is a folder; expected a file that ends in {', '.join(most)} or {last}", file=text)
    if path.suffix.lower() == ".gbt":
        from tremble.formats.gambit_text import WORKBOOK

        raise FormatError(WORKBOOK, file=text)
    if chosen is None:
        advice = _CONVERSION_ADVICE.get(path.suffix.lower(), "")
        raise SpecError(f"{text!r:.200} has no known file ending; known: {', '.join(FORMATS)}{advice}")
    return chosen


def unknown_game(text: str) -> str:
    """Return the message for an unknown game; raise ``SpecError`` if the game is known but not installed."""
    require_installed(text.partition(":")[0])
    advice = suggestions(text.partition(":")[0]) or "built-in games: " + ", ".join(names())
    return f"{text!r:.200} is neither a built-in game nor a file; {advice}"
