"""Read text files with positions for error messages, and write files completely or not at all."""

from __future__ import annotations

import os
import re
import stat
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from typing import BinaryIO

from tremble.arguments import described
from tremble.errors import FormatError, SpecError, TooLargeError
from tremble.run.whole_file import write_whole
from tremble.words import on_one_line

__all__ = [
    "SourceText",
    "encoded",
    "open_regular",
    "read_bytes",
    "read_source",
    "read_text",
    "write_bytes",
    "write_text",
]

_CHUNK = 1 << 24
_MAX_BYTES = 1 << 32
_MAX_PIPED_BYTES = 1 << 28  # greatest number of bytes from a pipe, because an endless pipe would fill the memory
_BOM = "\ufeff"


@dataclass(frozen=True)
class SourceText:
    r"""A text without its byte order mark, and the name of the source of the text for error messages."""

    text: str
    name: str  # path of the file, or "<text>"

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset in the text, both counted from 1."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

    def place(self, offset: int) -> str:
        """Return the line and the column of an offset as ``"line:column"``."""
        return ":".join(map(str, self.position(offset)))

    def found(self, offset: int) -> str:
        """Return the text from an offset to the end of its line, for a message."""
        if offset >= len(self.text):
            return "the end of the file"
        rest = self.text[offset : offset + 200].splitlines()[0].strip()
        return on_one_line(rest) if rest else "the end of the line"

    def error(self, message: str, offset: int) -> FormatError:
        """Return a ``FormatError`` for an offset; the caller raises it."""
        line, column = self.position(offset)
        return FormatError(message, file=self.name, line=line, column=column)


def _name(name: object) -> str | None:
    """Return the name of a source for error messages; raise ``FormatError`` if it is neither a string nor None."""
    if name is None or isinstance(name, str):
        return name
    raise FormatError(f"'name' must be a text that names the source in errors, not {described(name)}")


def read_source(
    source: str | os.PathLike[str], *, begins: re.Pattern[str], expected: str, name: str | None = None
) -> SourceText:
    """Read the text of a file, or use the argument ``source`` itself as the text.

    If the beginning of a ``str`` matches ``begins``, after an optional byte order mark, the ``str`` is the text. Any
    other argument is a path. In error messages, ``expected`` describes how a text begins, and ``name`` is the name of
    the source. The default name is the path.

    Raises
    ------
    FormatError
        The file is missing, unreadable, a directory, or not UTF-8 text.
    TooLargeError
        The file has more than 4 GiB.

    Examples
    --------
    >>> read_source("hello world", begins=re.compile("hello"), expected="a greeting").text
    'hello world'
    >>> read_source("hell.txt", begins=re.compile("hello"), expected="a greeting")
    Traceback (most recent call last):
    tremble.errors.FormatError: hell.txt: no such file
    """
    name = _name(name)
    if isinstance(source, str):
        text = source.removeprefix(_BOM)
        if begins.match(text):
            return _checked(SourceText(text, name or "<text>"))
        if "\n" in source or "\0" in source:
            beginning = SourceText(text, "").found(0)
            raise FormatError(f"expected {expected}, found {beginning}", file=name or "<text>", line=1, column=1)
    return read_text(source, name=name)


def read_text(path: str | os.PathLike[str], *, name: str | None = None, regular: bool = False) -> SourceText:
    """Read a text file; the path ``"-"`` means the standard input.

    The function raises the errors of :func:`read_source`. If ``regular`` is true, it also raises ``FormatError`` for a
    device or a pipe.
    """
    path = _path(path)
    name = _name(name) or ("<standard input>" if path == "-" else path)
    if path == "-" and sys.stdin is None:
        raise FormatError("the standard input is closed", file=name)
    opened = open_regular(path) if regular else None
    try:
        with opened or (nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb")) as stream:
            data = _read_all(stream, name, _MAX_PIPED_BYTES if path == "-" else _MAX_BYTES)
    except FileNotFoundError:
        raise FormatError("no such file", file=name) from None
    except (OSError, ValueError) as error:
        if isinstance(error, FormatError | TooLargeError):
            raise
        raise _unreadable(error, name) from None
    return SourceText(_decoded(data, name).removeprefix(_BOM), name)


def read_bytes(path: str | os.PathLike[str], *, most: int) -> bytes:
    """Read a binary file; raise ``FormatError`` if it cannot be read or has more than ``most`` bytes."""
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > most:
            raise FormatError(f"the file has more than {most >> 20:,} MiB", file=_path(path))
        try:
            return stream.read(size)
        except OSError as error:
            raise FormatError(f"the file cannot be read: {_reason(error)}", file=_path(path)) from None


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; raise ``FormatError`` if it cannot be opened.

    A pipe raises an error, because opening a pipe could wait forever for a writer.
    """
    name = _path(path)
    try:
        if not os.path.isdir(name):
            _require_regular(os.stat(name).st_mode, name)
        stream = open(name, "rb", opener=_without_waiting)  # noqa: SIM115 (the caller closes it)
    except FileNotFoundError:
        raise FormatError("no such file", file=name) from None
    except (OSError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise _unreadable(error, name) from None
    try:
        _require_regular(os.fstat(stream.fileno()).st_mode, name)  # the file may have been replaced
    except BaseException:
        stream.close()
        raise
    return stream


def _unreadable(error: OSError | ValueError, name: str) -> FormatError:
    # Opening a directory fails with PermissionError on Windows.
    if isinstance(error, IsADirectoryError | PermissionError) and os.path.isdir(name):
        return FormatError("this is a directory, not a file", file=name)
    return FormatError(f"the file cannot be read: {_reason(error)}", file=name)


def _require_regular(mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        raise FormatError("this is a device or a pipe, not a file", file=name)


def _without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _path(path: str | os.PathLike[str]) -> str:
    if not isinstance(path, str | os.PathLike):
        raise SpecError(f"expected the path of a file, not {described(path)}")
    return os.fspath(path)


def _read_all(stream: BinaryIO, name: str, most: int) -> bytes:
    """Read all bytes of a file. Raise ``FormatError`` at the first NUL, so that a device or binary file fails soon."""
    data = bytearray()
    while chunk := stream.read(_CHUNK):
        nul = chunk.find(b"\0")
        data += chunk
        if nul >= 0:
            before = bytes(data[: len(data) - len(chunk) + nul])
            raise _byte_error("a NUL byte; this is not a text file", before, name)
        if len(data) > most:
            raise TooLargeError(f"{name}: more than {most >> 20:,} MiB")
    return bytes(data)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        raise _byte_error(message, data[: error.start], name) from None


def _byte_error(message: str, before: bytes, name: str) -> FormatError:
    text = before.decode("utf-8", errors="replace")
    return SourceText(text, name).error(message, len(text))


def _checked(source: SourceText) -> SourceText:
    """Return the source; raise ``FormatError`` if its text has a NUL or a lone surrogate, which are invalid."""
    if "\0" in source.text:
        raise source.error("a NUL character; this is not a text file", source.text.index("\0"))
    if not source.text.isascii():
        try:
            source.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise source.error("a lone surrogate, which is not a valid character", error.start) from None
    return source


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file in UTF-8, completely or not at all; raise ``FormatError`` if it cannot be written.

    After a failure, the file is unchanged. See :func:`tremble.run.whole_file.write_whole`.
    """
    write_bytes(path, encoded(path, text))


def encoded(path: str | os.PathLike[str], text: str) -> bytes:
    """Encode a text in UTF-8; if the text has a lone surrogate, raise a ``FormatError`` that names ``path``."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError("a label has a lone surrogate, which is invalid in UTF-8", file=_path(path)) from None


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes to a file, completely or not at all; raise ``FormatError`` if it cannot be written."""
    write_whole((_path(path), lambda stream: stream.write(data)))
