"""Write a result to its path; if this fails, write it to the folder for temporary files, so that no result is lost.

Writing fails if a disk is full, a quota is spent, a file is too large, or a folder is missing or read-only. Every
command that writes a result, and every batch, calls :func:`write_or_rescue`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tremble.errors import FormatError, TrembleError

__all__ = ["Written", "refuge_for", "write_or_rescue"]

_REFUGE = "the folder for temporary files"


@dataclass(frozen=True)
class Written:
    """The outcome of :func:`write_or_rescue`: the file that contains the result, and the failure if there was one.

    Attributes
    ----------
    file : Path or None
        The path of the file, or None if the result was not written.
    failure : TrembleError or None
        The error that prevented writing to the requested path, or None if this succeeded.
    """

    file: Path | None
    failure: TrembleError | None = None

    def error(self, what: str) -> TrembleError | None:
        """Return the failure as an error that also names the file with the result, or None if there was no failure.

        ``what`` describes the result in the message.
        """
        if self.failure is None or self.file is None or not isinstance(self.failure, FormatError):
            return self.failure
        return FormatError(f"{self.failure.message}; {what} is in {self.file} instead", file=self.failure.file)


def refuge_for(ending: str) -> Path:
    """Return a new path with this file extension in the folder for temporary files."""
    import tempfile  # loads a dozen modules, which are needed only after a failure

    return Path(tempfile.gettempdir(), f"tremble-{os.urandom(4).hex()}{ending}")


def write_or_rescue(
    path: str | os.PathLike[str], write: Callable[[Path], object], ending: str | None = None
) -> Written:
    """Write a result to a path; if this fails, write it to the folder for temporary files.

    Parameters
    ----------
    write : callable
        A function that writes the result to a given path, completely or not at all. It raises ``FormatError`` or
        ``OSError`` if the file cannot be written. Any other ``TrembleError`` means that no result exists.
    ending : str, optional
        File extension in the folder for temporary files. The default is the extension of ``path``.

    Examples
    --------
    >>> written = write_or_rescue("missing/file.txt", lambda path: path.write_text("text"))
    >>> written.file.read_text(), str(written.failure)
    ('text', 'missing/file.txt: the file cannot be written: No such file or directory')
    >>> written.file.unlink()
    """
    try:
        write(Path(path))
    except (FormatError, OSError) as failure:
        unwritten = _as_format_error(failure, path)
    except TrembleError as failure:
        return Written(None, failure)
    else:
        return Written(Path(path))
    try:
        refuge = refuge_for(
            Path(path).suffix if ending is None else ending
        )  # raises an error if there is no such folder
        write(refuge)
    except (TrembleError, OSError) as failure:
        second = failure.message if isinstance(failure, FormatError) else str(failure)
        message = f"{unwritten.message}; it cannot be written to {_REFUGE} either: {second}"
        return Written(None, FormatError(message, file=unwritten.file))
    return Written(refuge, unwritten)


def _as_format_error(failure: FormatError | OSError, path: str | os.PathLike[str]) -> FormatError:
    if isinstance(failure, FormatError):
        return failure
    return FormatError(f"the file cannot be written: {failure.strerror or failure}", file=os.fspath(path))
