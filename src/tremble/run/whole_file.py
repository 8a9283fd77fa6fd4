"""Files that are written whole or not at all, whatever comes: a full disk, Ctrl-C, ``kill -9``.

What is written goes to a temporary file in the same folder, which then takes the place of the file. Its name is drawn
at random and was not there before: no link is followed, and two processes that write the same file do not meet. While
it is written it is locked. One that nobody holds was left by a process that was killed; it is deleted when the same
file is written again, so that they do not pile up.
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

__all__ = ["Fill", "abandon", "folder_held", "require_writable", "write_whole"]

Fill = Callable[[BinaryIO], object]
"""Writes the contents of a file to a stream."""

_LONGEST_NAME = 50  # characters of a name in that of its temporary file, which must not be too long in bytes either
_PATIENCE_SECONDS = 5.0  # for others who hold a folder
_LAST_MOMENT_SECONDS = 0.2  # to put files in place that belong together
_READ_SECONDS = 1.0  # Windows replaces no file while somebody reads it, a scanner for viruses too
_LEFT_SECONDS = 86_400.0  # after which a temporary file is a leftover where locks do not tell

_temporaries: set[Path] = set()  # of this process
_placing = threading.Lock()


def write_whole(*files: tuple[str | os.PathLike[str], Fill]) -> None:
    """Write files, all of them or none; they take their places in this order, one right after the other.

    When anything fails, every file is as it was, and no temporary one is left. Devices and pipes are written to
    directly.

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
                    with open(name, "wb") as stream:  # it cannot be replaced
                        fill(stream)
                    continue
                target = Path(os.path.realpath(name))
                _delete_leftovers(target)
                staged.append((stack.enter_context(_staged(target, fill)), target))
            if len(staged) > 1:
                stack.enter_context(folder_held(staged[0][1].parent))
            with _placing:
                for temporary, target in staged:
                    _replace(temporary, target)
    except (OSError, ValueError) as error:
        raise FormatError(f"the file cannot be written: {_reason(error)}", file=name) from None


@contextmanager
def _staged(target: Path, fill: Fill) -> Iterator[Path]:
    """A locked temporary file with what is to stand in the place of another; deleted in the end if still there."""
    temporary = target.with_name(f"{_beginning(target)}{os.urandom(8).hex()}.tmp")
    _temporaries.add(temporary)
    try:
        with _locked(temporary) as stream:
            fill(stream)
            stream.flush()
            os.fsync(stream.fileno())
            with suppress(FileNotFoundError):  # another run may delete it just now
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            if _locks() is None:
                stream.close()  # Windows does not move what is open
            yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        _temporaries.discard(temporary)


def _replace(temporary: Path, target: Path) -> None:
    """Put a file in the place of another; on Windows, wait a moment for those who read that one."""
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
    """Make a temporary file and lock it. One that is taken for a leftover between the two is made again."""
    locks = _locks()
    while True:
        stream = open(temporary, "xb")  # noqa: SIM115 - the caller closes it
        with suppress(OSError):  # not all file systems have locks
            if locks is not None:
                locks.flock(stream, locks.LOCK_EX)  # who looks at it holds it for a moment
        if temporary.exists():
            return stream
        stream.close()


def _beginning(target: Path) -> str:
    return f".{target.name[:_LONGEST_NAME]}."


def _delete_leftovers(target: Path) -> None:
    """Delete temporary files of this name that killed processes left."""
    ours = re.compile(re.escape(_beginning(target)) + r"[0-9a-f]{16}\.tmp")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for path in [Path(entry.path) for entry in entries if ours.fullmatch(entry.name)]:
            if path not in _temporaries:
                _delete_if_left(path)


def _delete_if_left(temporary: Path) -> None:
    """Delete a file that nobody writes any more; it is held meanwhile, so that nobody can begin to."""
    locks = _locks()
    with suppress(OSError):
        if locks is None:
            if time.time() - temporary.lstat().st_mtime > _LEFT_SECONDS:
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
    """Hold a folder while files that belong together take their places there, or ``alone`` while others are deleted.

    Yields whether it is held: some systems have no such locks, and nobody is waited for any length of time.
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
    """The module of locks; None where there is none."""
    try:
        import fcntl
    except ImportError:
        return None
    return fcntl


def abandon() -> None:
    """Delete the temporary files of this process, which is about to end whatever it is doing."""
    _placing.acquire(timeout=_LAST_MOMENT_SECONDS)
    for temporary in list(_temporaries):
        with suppress(OSError):
            temporary.unlink()


def require_writable(path: str, *, again: bool = False) -> None:
    """Refuse at once what could not be written after long work.

    Parameters
    ----------
    again : bool
        Whether it will be written again and again, and read, which no device or pipe can be.

    Raises
    ------
    FormatError
        It is a folder, its folder is missing, or nothing can be written there.

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
                os.lstat(target)  # fails where the name is too long
            with tempfile.TemporaryFile(dir=os.path.dirname(target)):
                pass
    except (OSError, ValueError) as error:
        reason = _reason(error)
    if reason is not None:
        raise FormatError(f"cannot be written: {reason}", file=path or "''")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
