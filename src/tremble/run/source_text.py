"""Read a text from a file, or use an argument itself as the text."""

from __future__ import annotations

import os
import re

from tremble.errors import FormatError
from tremble.run.text_file import BOM, SourceText, read_text, source_name

__all__ = ["read_source"]


def read_source(
    source: str | os.PathLike[str], *, begins: re.Pattern[str], expected: str, name: str | None = None
) -> SourceText:
    """Read the text of a file, or use the argument ``source`` itself as the text.

    A ``str`` whose beginning matches ``begins``, after an optional byte order mark, is the text itself. Any other
    ``source`` is a path. In error messages, ``expected`` describes how a text begins, and ``name`` is the name of the
    source, by default the path.

    Raises
    ------
    FormatError, TooLargeError
        The text contains a NUL or half of a surrogate pair, or :func:`~tremble.run.text_file.read_text` fails.

    Examples
    --------
    >>> read_source("hello world", begins=re.compile("hello"), expected="a greeting").text
    'hello world'
    >>> read_source("hell.txt", begins=re.compile("hello"), expected="a greeting")
    Traceback (most recent call last):
    tremble.errors.FormatError: hell.txt: no such file
    """
    name = source_name(name)
    if isinstance(source, str):
        text = source.removeprefix(BOM)
        if begins.match(text):
            return _checked(SourceText(text, name or "<text>"))
        if "\n" in source or "\0" in source:
            beginning = SourceText(text, "").found(0)
            raise FormatError(f"expected {expected}, found {beginning}", file=name or "<text>", line=1, column=1)
    return read_text(source, name=name)


def _checked(source: SourceText) -> SourceText:
    """Return the source; raise ``FormatError`` if its text has a NUL or a lone surrogate (half of a surrogate pair)."""
    if "\0" in source.text:
        raise source.error("a NUL character; this is not a text file", source.text.index("\0"))
    if not source.text.isascii():
        try:
            source.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise source.error("a lone surrogate, which is not a valid character", error.start) from None
    return source
