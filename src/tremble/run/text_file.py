"""Read text files, with positions for error messages."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from typing import BinaryIO

from tremble.arguments import described
from tremble.errors import FormatError, SpecError, TooLargeError
from tremble.words import on_one_line

__all__ = ["BOM", "SourceText", "path_text", "read_text", "reason_of", "source_name", "unreadable"]

_CHUNK = 1 << 24
_MAX_BYTES = 1 << 32
_MAX_PIPED_BYTES = 1 << 28  # greatest number of bytes from a pipe, because an endless pipe would fill the memory
BOM = "\ufeff"


@dataclass(frozen=True)
class SourceText:
    r"""A text without a byte order mark, and the name that error messages use for the source of the text."""

    text: str
    name: str  # path of the file, "<text>" or "<standard input>"

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset in the text, both counted from 1."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

    def place(self, offset: int) -> str:
        """Return the line and the column of an offset as ``"line:column"``."""
        return ":".join(map(str, self.position(offset)))

    def found(self, offset: int) -> str:
        """Describe the text from an offset to the end of the line, for an error message."""
        if offset >= len(self.text):
            return "the end of the file"
        rest = self.text[offset : offset + 200].splitlines()[0].strip()
        return on_one_line(rest) if rest else "the end of the line"

    def error(self, message: str, offset: int) -> FormatError:
        """Return a ``FormatError`` that names the line and column of ``offset``. The caller raises the error."""
        line, column = self.position(offset)
        return FormatError(message, file=self.name, line=line, column=column)


def source_name(name: object) -> str | None:
    """Return a source's name for error messages. If ``name`` is neither a string nor None, raise ``FormatError``."""
    if name is None or isinstance(name, str):
        return name
    raise FormatError(f"'name' must be a string that names the source in error messages, not {described(name)}")


def read_text(path: str | os.PathLike[str], *, name: str | None = None, opened: BinaryIO | None = None) -> SourceText:
    """Read a text file; the path ``"-"`` means the standard input.

    Error messages call the file ``name``, by default ``path``. ``opened`` is a stream of a file that is already open.

    Raises
    ------
    FormatError
        The file is missing, unreadable, a directory, or not UTF-8 text.
    TooLargeError
        The file has more than 4 GiB, or the standard input more than 256 MiB.
    """
    path = path_text(path)
    name = source_name(name) or ("<standard input>" if path == "-" else path)
    if path == "-" and sys.stdin is None:
        raise FormatError("the standard input is closed", file=name)
    try:
        with opened or (nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb")) as stream:
            data = _read_all(stream, name, _MAX_PIPED_BYTES if path == "-" else _MAX_BYTES)
    except FileNotFoundError:
        raise FormatError("no such file", file=name) from None
    except (OSError, ValueError) as error:
        if isinstance(error, FormatError | TooLargeError):
            raise
        raise unreadable(error, name) from None
    return SourceText(_decoded(data, name).removeprefix(BOM), name)


def unreadable(error: OSError | ValueError, name: str) -> FormatError:
    """Return the error for a file that cannot be opened or read."""
    # Opening a directory fails with PermissionError on Windows.
    if isinstance(error, IsADirectoryError | PermissionError) and os.path.isdir(name):
        return FormatError("this is a directory, not a file", file=name)
    return FormatError(f"the file cannot be read: {reason_of(error)}", file=name)


def path_text(path: str | os.PathLike[str]) -> str:
    """Return a path as text; raise ``SpecError`` if ``path`` is neither a ``str`` nor an ``os.PathLike``."""
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
            raise TooLargeError(f"{name}: the text has more than {most >> 20:,} MiB")
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


def reason_of(error: Exception) -> str:
    """Return the operating system's message if the error has one, and the text of the exception otherwise."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
