"""The output folder of a batch: a solution file for each game, and ``results.jsonl``, a list of the results.

When a game ends, the batch first writes its solution file, and then appends a line to ``results.jsonl``. The line
contains the game's key (a text that identifies the game, see :class:`~tremble.batch.tasks.Task`), the options, and the
hash of the solution file. A game is *done* if a line has its key and the current options, and the solution file still
has this hash. A killed batch may leave an incomplete line, or a solution file without a line. The next batch solves
such a game again. The same game may also occur under two names. If the game is done under one name, the batch does not
solve the game for the other name. Instead, the batch appends a line with the other name and the existing solution file.

If a solution cannot be written to the output folder, it is written to the system's folder for temporary files, and the
line contains this path as ``rescued``. The next batch copies the solution into the output folder. If the line itself
cannot be written, it is written to a file in the folder for temporary files.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import replace
from errno import ENOENT
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Self

from tremble.batch.results import BatchResult
from tremble.batch.tasks import Task
from tremble.errors import FormatError, LimitReached, NotProvenError, TrembleError
from tremble.formats.formats import FORMATS
from tremble.run.regular_file import read_bytes
from tremble.run.rescue import refuge_for, write_or_rescue
from tremble.solution.stated import StatedSolution

__all__ = ["Folder"]

_RESULTS = "results.jsonl"
_WITH_SOLUTION: dict[str, Any] = {kind.__name__: kind for kind in (LimitReached, NotProvenError)}
"""A dict from the names of errors that can contain the best solution so far to the classes of these errors."""

_NOT_IN_NAMES = re.compile(r"[^\w.+=,@-]+", re.ASCII)
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # reserved names on Windows
_LONGEST_NAME = 100
_MOST_BYTES = 2**32
_HEAD = 2**16
_SOLUTION = re.compile(rb'(?s)\A\s*\{.*"schema"\s*:\s*"tremble/solution@')
_UNFIT = (TrembleError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""Errors that can occur while reading a line that no batch wrote, or a solution file that has changed."""


class Folder:
    """The output folder of a batch, with the results that earlier batches wrote to it.

    Parameters
    ----------
    path : str or path
        The path of the folder. The folder is created if it does not exist.
    options : str
        The options with which all games are solved, as text.
    time_limit : float or None
        Seconds for each game. If an earlier batch stopped a game at a shorter limit, the game is solved again.

    Raises
    ------
    FormatError
        The folder cannot be written to, or another batch is writing to it.
    """

    def __init__(self, path: str | os.PathLike[str], options: str, time_limit: float | None) -> None:
        self._options, self._time_limit = options, time_limit
        try:
            self._path = Path(path)
            self._path.mkdir(parents=True, exist_ok=True)
            self._results: IO[bytes] = open(self._path / _RESULTS, "a+b", buffering=0)  # noqa: SIM115 (closed in __exit__)
        except (OSError, ValueError, TypeError) as error:
            reason = getattr(error, "strerror", None) or error
            if isinstance(error, FileExistsError):
                reason = "this is a file, not a folder"
            raise FormatError(f"the folder cannot be written to: {reason}", file=str(path)) from None
        _lock(self._results, self._path)
        self._done: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}  # key, options -> name -> its last line
        self._failed: dict[tuple[str, str], Any] = {}  # name, options -> error of the last failure
        self._owner: dict[str, str] = {}  # name of a solution file, in lowercase -> name of its game
        self._refuge: Path | None = None  # a temporary file for lines that cannot be written to the folder
        self._results.seek(0)
        data = self._results.read()
        self._cut = bool(data) and not data.endswith(b"\n")  # True if the last line has no end
        if self._cut and not _is_json(data[data.rfind(b"\n") + 1 :]):  # a killed batch left a part of a line
            with suppress(OSError):
                self._results.truncate(data.rfind(b"\n") + 1)
                self._cut = False
        for line in data.splitlines():
            with suppress(*_UNFIT):
                self._remember(json.loads(line))

    def _remember(self, line: dict[str, Any]) -> None:
        name, file, key, options = line["name"], line["file"], line["key"], line["options"]
        if not isinstance(name, str):
            raise TypeError
        if file is None and line.get("rescued") is None:
            self._failed[name, options] = line["error"]
        elif file is not None and os.path.basename(file) == file:
            self._owner.setdefault(file.lower(), name)
        if key is not None:
            lines = self._done.setdefault((key, options), {})
            lines.pop(name, None)  # so that the latest line is at the end
            lines[name] = line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._results.close()

    # -- games that are done -------------------------------------------------------------------------

    def done(self, task: Task) -> BatchResult | None:
        """Return the result that an earlier batch stored for a game, or None if the game must be solved.

        First try the stored line with the name of the game. Then try lines of the same game under other names, the
        latest first.
        """
        if task.key is None:
            return None
        lines = self._done.get((task.key, self._options), {})
        own = [task.name] if task.name in lines else []
        for name in own + [name for name in reversed(lines) if name != task.name]:
            line = lines[name]
            try:
                result = self._from_disk(task, line)
            except _UNFIT:
                continue
            if result is None:
                continue
            if result.file is None:  # a rescued solution: copy it into the folder
                task.limit = line["time_limit_float"]
                return self.keep(result, task)
            if name == task.name:
                return result
            return self._write(line | {"index": task.index + 1, "name": task.name}, result)
        return None

    def _from_disk(self, task: Task, line: dict[str, Any]) -> BatchResult | None:
        """Return the result that a stored line describes, or None if the game must be solved again."""
        rescued = line["file"] is None
        path = Path(line["rescued"]) if rescued else self._path / os.path.basename(line["file"])
        stated = line["rescued_error" if rescued else "error"]
        before = line["time_limit_float"]
        if stated is not None:
            more_time = before is not None and (self._time_limit is None or self._time_limit > before)
            if stated["type"] not in _WITH_SOLUTION or stated.get("interrupted") or more_time:
                return None
        if sha256(read_bytes(path, most=_MOST_BYTES)).hexdigest() != line["sha256"]:
            return None
        solution = StatedSolution.from_json(path)
        error = None if stated is None else _WITH_SOLUTION[stated["type"]](str(stated["message"]), best=solution)
        seconds, file = float(line["seconds_float"]), None if rescued else path
        return BatchResult(task.index, task.name, solution.game, solution, error, seconds, from_disk=True, file=file)

    # -- new results ---------------------------------------------------------------------------------

    def place(self, task: Task) -> Path:
        """Return the path for the solution file of a game.

        The file is named after the game. If another game may need the same file name, a hash is appended. Raise
        ``FormatError`` if a file that is not a solution file already exists at the path.
        """
        path = self._path_of(task)
        if path.exists() and not _is_solution(path):
            raise FormatError("this file exists, but is not a solution file: choose another folder", file=str(path))
        return path

    def _path_of(self, task: Task) -> Path:
        stem = Path(task.name).stem if task.name.lower().endswith(tuple(FORMATS)) else task.name
        stem = _NOT_IN_NAMES.sub("_", stem)[:_LONGEST_NAME].strip("._") or "game"
        name = f"{stem}.json"
        own = task.named and not _DEVICES.fullmatch(stem)
        # Use lowercase, because file names on macOS and Windows are not case-sensitive.
        if not own or self._owner.setdefault(name.lower(), task.name) != task.name:
            unique = task.name if task.named else task.key or str(task.index)
            name = f"{stem}-{sha256(unique.encode()).hexdigest()[:12]}.json"
        return self._path / name

    def keep(self, result: BatchResult, task: Task) -> BatchResult:
        """Write a solution file, and append the result to ``results.jsonl``. Return the result with the file's path.

        If the file or the line cannot be written to the folder, the returned result contains the error. If a
        game fails with the same error as in an earlier batch, no second line is written.
        """
        line: dict[str, Any] = {"rescued_error": None, "sha256": None}
        if result.solution is not None:
            error_before = result.plain()["error"]
            path, to_json = self._path_of(task), result.solution.to_json
            # Check the path again, because another program may have created a file there in the meantime.
            written = write_or_rescue(path, lambda where: to_json(self.place(task) if where == path else where))
            if written.failure is None:
                result = replace(result, file=path)
            else:
                result = replace(result, rescued=written.file, error=written.error("the solution"))
                line["rescued_error"] = None if written.file is None else error_before
            if written.file is not None:
                with suppress(FormatError):  # if the file has disappeared, the game is not done
                    line["sha256"] = sha256(read_bytes(written.file, most=_MOST_BYTES)).hexdigest()
        stated = result.plain()
        nowhere = result.file is None and result.rescued is None
        if nowhere and self._failed.get((result.name, self._options)) == stated["error"]:
            return result
        asked = {"key": task.key, "options": self._options, "time_limit_float": task.limit}
        return self._write(stated | asked | line, result)

    def _write(self, line: dict[str, Any], result: BatchResult) -> BatchResult:
        """Append a line to ``results.jsonl``, or to a temporary file if that fails.

        Return the result, with an error if the line was not written to ``results.jsonl``.
        """
        data = json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        try:
            self._append(data)
        except OSError as error:
            return replace(result, error=self._line_elsewhere(data, error))
        self._remember(line)
        return result

    def _append(self, line: bytes) -> None:
        """Append a whole line to ``results.jsonl``. If an error occurs, remove the part that was written."""
        descriptor = self._results.fileno()
        if not os.path.samestat(os.stat(self._path / _RESULTS), os.fstat(descriptor)):
            raise FileNotFoundError(ENOENT, "another file has replaced it")
        size = os.fstat(descriptor).st_size
        data = memoryview(b"\n" + line if self._cut else line)
        try:
            while data:
                data = data[self._results.write(data) :]
            os.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                self._results.truncate(size)
            raise
        self._cut = False

    def _line_elsewhere(self, line: bytes, error: OSError) -> FormatError:
        """Append a line to a file in the folder for temporary files. Return an error that names this file."""
        size = 0
        try:
            if self._refuge is None:
                self._refuge = refuge_for(".jsonl")
            with open(self._refuge, "ab") as stream:
                size = stream.tell()
                stream.write(line)
            where = f"the line for this game is in {self._refuge} instead"
        except OSError as second:
            if self._refuge is not None:  # remove the part that was written
                with suppress(OSError):
                    os.truncate(self._refuge, size)
                    if size == 0:
                        self._refuge.unlink()
            where = f"this game's line cannot be written to the folder for temporary files: {second.strerror or second}"
        reason = f"the file cannot be written: {error.strerror or error}"
        return FormatError(f"{reason}; {where}", file=str(self._path / _RESULTS))


def _is_json(line: bytes) -> bool:
    with suppress(ValueError, RecursionError):
        json.loads(line)
        return True
    return False


def _is_solution(path: Path) -> bool:
    try:
        with open(path, "rb") as stream:
            return _SOLUTION.match(stream.read(_HEAD)) is not None
    except OSError:
        return False


def _lock(results: IO[bytes], folder: Path) -> None:
    """Lock ``results.jsonl`` against other batches, if the operating system supports file locks."""
    with suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(results, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FormatError("another batch is writing to this folder", file=str(folder)) from None
        except OSError:
            pass
