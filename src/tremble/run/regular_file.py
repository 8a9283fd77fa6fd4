"""Open regular files for reading, and refuse devices and pipes, because reading them could wait forever."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from tremble.errors import FormatError
from tremble.run.text_file import path_text, reason_of, unreadable

__all__ = ["open_regular", "read_bytes"]


def read_bytes(path: str | os.PathLike[str], *, most: int) -> bytes:
    """Read a binary file; raise ``FormatError`` if it cannot be read or has more than ``most`` bytes."""
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > most:
            raise FormatError(f"the file has more than {most >> 20:,} MiB", file=path_text(path))
        try:
            return stream.read(size)
        except OSError as error:
            raise FormatError(f"the file cannot be read: {reason_of(error)}", file=path_text(path)) from None


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; raise ``FormatError`` if it cannot be opened.

    The function never opens a pipe, because opening a pipe could wait forever for a writer.
    """
    name = path_text(path)
    try:
        if not os.path.isdir(name):
            _require_regular(os.stat(name).st_mode, name)
        stream = open(name, "rb", opener=_without_waiting)  # noqa: SIM115 (the caller closes it)
    except FileNotFoundError:
        raise FormatError("no such file", file=name) from None
    except (OSError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise unreadable(error, name) from None
    try:
        _require_regular(os.fstat(stream.fileno()).st_mode, name)  # the file may have been replaced
    except BaseException:
        stream.close()
        raise
    return stream


def _require_regular(mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        raise FormatError("this is a device or a pipe, not a file", file=name)


def _without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
