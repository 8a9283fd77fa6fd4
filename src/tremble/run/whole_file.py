"""Write files completely or not at all, even if the disk is full or the process is killed.

The functions write to a temporary file in the folder of the target file. The temporary file then replaces the target.
A temporary file has a new random name, so no link and no other process uses this name. A process locks its
temporary file while writing. The next write of the same target deletes unlocked temporary files of killed processes.
"""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from tremble.errors import FormatError
from tremble.run.text_file import path_text, reason_of

__all__ = [
    "Fill",
    "abandon",
    "delete_leftovers",
    "encoded",
    "folder_held",
    "require_writable",
    "write_bytes",
    "write_text",
    "write_whole",
]

Fill = Callable[[BinaryIO], object]
"""A function that writes the contents of a file to a stream."""

_LONGEST_NAME = 50  # greatest number of characters that a temporary file takes from the name of its target
_PATIENCE_SECONDS = 5.0  # waiting time for a folder that another process has locked
_LAST_MOMENT_SECONDS = 0.2  # waiting time at the end of the process for new files that are replacing their targets
_READ_SECONDS = 1.0  # waiting time on Windows, which cannot replace a file that a virus scanner reads
_LEFTOVER_SECONDS = 86_400.0  # on systems without locks, a temporary file of this age is a leftover

_temporaries: set[Path] = set()  # the temporary files of this process
_placing = threading.Lock()  # held while new files replace their targets


def write_whole(*files: tuple[str | os.PathLike[str], Fill]) -> None:
    """Write all files or none. Each argument is a pair: a path (the *target*) and a function that writes the contents.

    When all contents are written, the new files replace the targets in the given order, one directly after another. If
    writing fails, every target is unchanged and no temporary file is left. Devices and pipes are written directly.

    Raises
    ------
    FormatError
        A file cannot be written.

    Examples
    --------
    >>> write_whole(("missing/file", lambda stream: stream.write(b"text")))
    Traceback (most recent call last):
    tremble.errors.FormatError: missing/file: the file cannot be written: No such file or directory
    """
    name = ""
    try:
        with ExitStack() as stack:
            staged = []
            for path, fill in files:
                name = os.fspath(path)
                if os.path.exists(name) and not stat.S_ISREG(os.stat(name).st_mode):
                    with open(name, "wb") as stream:  # a device or pipe cannot be replaced
                        fill(stream)
                    continue
                target = Path(os.path.realpath(name))
                delete_leftovers(target)
                staged.append((stack.enter_context(_staged(target, fill)), target))
            if len(staged) > 1:
                stack.enter_context(folder_held(staged[0][1].parent))
            with _placing:
                for temporary, target in staged:
                    _replace(temporary, target)
    except (OSError, ValueError) as error:
        raise FormatError(f"the file cannot be written: {reason_of(error)}", file=name) from None


@contextmanager
def _staged(target: Path, fill: Fill) -> Iterator[Path]:
    """Yield a locked temporary file with the new contents of ``target``; delete it afterward if it still exists."""
    temporary = target.with_name(f"{_beginning(target)}{os.urandom(8).hex()}.tmp")
    _temporaries.add(temporary)
    try:
        with _locked(temporary) as stream:
            fill(stream)
            stream.flush()
            os.fsync(stream.fileno())
            with suppress(FileNotFoundError):  # another process may delete the target at this moment
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            if _locks() is None:
                stream.close()  # Windows does not move open files
            yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        _temporaries.discard(temporary)


def _replace(temporary: Path, target: Path) -> None:
    """Replace the target by a temporary file. On Windows, wait up to a second for programs that read the target."""
    until = time.monotonic() + (_READ_SECONDS if _locks() is None else 0.0)
    while True:
        try:
            os.replace(temporary, target)
            return
        except PermissionError:
            if time.monotonic() >= until:
                raise
            time.sleep(0.01)


def _locked(temporary: Path) -> BinaryIO:
    """Create a temporary file and lock it. Start again if another process deletes the file before it is locked."""
    locks = _locks()
    while True:
        stream = open(temporary, "xb")  # noqa: SIM115 - the caller closes it
        with suppress(OSError):  # some file systems have no locks
            if locks is not None:
                locks.flock(stream, locks.LOCK_EX)  # a process that checks for leftovers may lock it for a moment
        if temporary.exists():
            return stream
        stream.close()


def _beginning(target: Path) -> str:
    return f".{target.name[:_LONGEST_NAME]}."


def delete_leftovers(target: Path) -> None:
    """Delete each temporary file for ``target`` if the process that created the file was killed."""
    temporary_name = re.compile(re.escape(_beginning(target)) + r"[0-9a-f]{16}\.tmp")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for path in [Path(entry.path) for entry in entries if temporary_name.fullmatch(entry.name)]:
            if path not in _temporaries:
                _delete_if_left(path)


def _delete_if_left(temporary: Path) -> None:
    """Delete an unlocked temporary file. If the system has no locks, delete the file only if it is over a day old."""
    locks = _locks()
    with suppress(OSError):
        if locks is None:
            if time.time() - temporary.lstat().st_mtime > _LEFTOVER_SECONDS:
                temporary.unlink()
            return
        descriptor = os.open(temporary, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                locks.flock(descriptor, locks.LOCK_SH | locks.LOCK_NB)
                temporary.unlink()
        finally:
            os.close(descriptor)


@contextmanager
def folder_held(folder: Path, *, alone: bool = False) -> Iterator[bool]:
    """Lock a folder during a ``with`` block that moves or deletes files that belong together.

    If ``alone`` is true, the lock is exclusive, as needed for deleting files, and the function does not wait for it.
    Otherwise the lock is shared, and the function waits up to five seconds for it. Yield True if the folder is locked.
    Yield False if not, for example because the system has no such locks.
    """
    locks = _locks()
    held = False
    with ExitStack() as stack:
        if locks is not None:
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, descriptor)
                until = time.monotonic() + _PATIENCE_SECONDS
                while not held:
                    try:
                        locks.flock(descriptor, (locks.LOCK_EX if alone else locks.LOCK_SH) | locks.LOCK_NB)
                        held = True
                    except BlockingIOError:
                        if alone or time.monotonic() >= until:
                            break
                        time.sleep(0.01)
        yield held


def _locks() -> Any:
    """Return the module ``fcntl``, or None on systems without it."""
    try:
        import fcntl
    except ImportError:
        return None
    return fcntl


def abandon() -> None:
    """Delete the temporary files of this process. Call this function just before the process ends."""
    _placing.acquire(timeout=_LAST_MOMENT_SECONDS)
    for temporary in list(_temporaries):
        with suppress(OSError):
            temporary.unlink()


def require_writable(path: str, *, again: bool = False) -> None:
    """Raise ``FormatError`` if no result can be written to ``path``. Call this function before long work.

    Parameters
    ----------
    again : bool
        True if the file will also be read and rewritten, which is impossible for a device or a pipe.

    Raises
    ------
    FormatError
        The path is a folder, its folder is missing, or nothing can be written there.

    Examples
    --------
    >>> require_writable("missing/file")
    Traceback (most recent call last):
    tremble.errors.FormatError: missing/file: cannot be written: No such file or directory
    """
    import tempfile

    reason = None
    try:
        target = os.path.realpath(path)
        if not path or os.path.isdir(target):
            reason = "this is a folder, not a file"
        elif os.path.exists(path) and not os.path.isfile(path):
            reason = "this is a device or a pipe, not a file" if again else None
        else:
            with suppress(FileNotFoundError):
                os.lstat(target)  # raises if the name is too long
            with tempfile.TemporaryFile(dir=os.path.dirname(target)):
                pass
    except (OSError, ValueError) as error:
        reason = reason_of(error)
    if reason is not None:
        raise FormatError(f"cannot be written: {reason}", file=path or "''")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file in UTF-8, completely or not at all; raise ``FormatError`` if it cannot be written.

    After a failure, the file is unchanged. See :func:`write_whole`.
    """
    write_bytes(path, encoded(path, text))


def encoded(path: str | os.PathLike[str], text: str) -> bytes:
    """Encode a text in UTF-8; if the text has a lone surrogate, raise a ``FormatError`` that names ``path``."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError("a label has a lone surrogate, which is invalid in UTF-8", file=path_text(path)) from None


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes to a file, completely or not at all; raise ``FormatError`` if it cannot be written."""
    write_whole((path_text(path), lambda stream: stream.write(data)))
