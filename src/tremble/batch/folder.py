"""The folder of a batch: a solution file for each game, and ``results.jsonl``, which says what is done.

A line of ``results.jsonl`` is added when the solution file is in its place. It names the game by what tells it from
others (the digest of a tree or of rules, the contents of a file), the options, and the hash of the solution file. So a
game is *done* exactly if nothing of that has changed since; whatever a kill leaves, a half of a line or a solution file
without a line, is not, and the game is solved anew. A game that is done under another name gets a line of its own,
which names the same solution file.

If the folder cannot be written to, a solution goes to the folder for temporary files, and its line says where it is
(``rescued``). The next batch copies it into the folder. A line that cannot be written goes to a file there, too.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from errno import ENOENT
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Self

from tremble.batch.results import BatchResult
from tremble.batch.tasks import Task
from tremble.errors import FormatError, LimitReached, NotProvenError, TrembleError
from tremble.formats.formats import FORMATS
from tremble.run.rescue import refuge_for, write_or_rescue
from tremble.run.text_file import read_bytes
from tremble.solution.stated import StatedSolution

__all__ = ["Folder"]

_RESULTS = "results.jsonl"
_LESS: dict[str, type[LimitReached] | type[NotProvenError]] = {
    kind.__name__: kind for kind in (LimitReached, NotProvenError)
}
"""Errors that come with a solution."""

_ENTRIES: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "file": (str, type(None)),
    "key": (str, type(None)),
    "options": str,
    "error": (dict, type(None)),
    "error.type": (str, type(None)),
    "time_limit_float": (int, float, type(None)),
}
"""Of a line of ``results.jsonl``: what is read before the solution file is, and of which type it is."""

_NOT_IN_NAMES = re.compile(r"[^\w.+=,@-]+", re.ASCII)
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # on Windows, whatever the ending
_LONGEST_NAME = 100
_MOST_BYTES = 2**32
_HEAD = 2**16
_SOLUTION = re.compile(rb'(?s)\A\s*\{.*"schema"\s*:\s*"tremble/solution@')


@dataclass(frozen=True)
class _Line:
    """What a line of ``results.jsonl`` says that decides whether a game is done."""

    record: dict[str, Any]

    @property
    def file(self) -> str | None:
        return self.record.get("file")

    @property
    def rescued(self) -> str | None:
        """The path of a solution that could not be written into the folder."""
        rescued = self.record.get("rescued")
        return rescued if isinstance(rescued, str) else None

    def serves(self, time_limit: float | None) -> bool:
        """Whether solving the game again, with this limit, would lead no further."""
        error = self.record["rescued_error" if self.file is None else "error"]
        if error is None:
            return True
        before = self.record["time_limit_float"]
        return (
            error.get("type") in _LESS
            and not error.get("interrupted")
            and (before is None or (time_limit is not None and time_limit <= before))
        )


class Folder:
    """The folder that a batch writes to, and what earlier batches have left there.

    Parameters
    ----------
    path : str or path
        Made if it does not exist.
    options : str
        What is asked for of every game, as text.
    time_limit : float or None
        Seconds for each game; a game that was stopped is solved anew if there is more time now.

    Raises
    ------
    FormatError
        Nothing can be written there, or another batch is writing there.
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
                reason = "this is a file"
            raise FormatError(f"the folder cannot be written to: {reason}", file=str(path)) from None
        _lock(self._results, self._path)
        self._done: dict[tuple[str, str], dict[str, _Line]] = {}  # key and options -> name -> line, the last one last
        self._failed: dict[tuple[str, str], Any] = {}  # name and options -> error
        self._owner: dict[str, str] = {}  # file -> name of the game
        self._refuge: Path | None = None  # for lines that cannot be written here
        self._cut = False  # whether the last line is a half of one
        self._read()

    def _read(self) -> None:
        self._results.seek(0)
        data = self._results.read()
        for text in data.splitlines():
            with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
                record = json.loads(text)
                self._remember(record)
        self._cut = bool(data) and not data.endswith(b"\n")  # a kill came in the midst of it

    def _remember(self, record: dict[str, Any]) -> None:
        stated = record | {"error.type": record["error"] and record["error"]["type"]}
        if not all(isinstance(stated[entry], kinds) for entry, kinds in _ENTRIES.items()):
            return  # no batch wrote this line
        name, file, key, options = record["name"], record["file"], record["key"], record["options"]
        if file is None and record.get("rescued") is None:
            self._failed[name, options] = record["error"]
        elif file is not None and os.path.basename(file) == file:
            self._owner.setdefault(file.lower(), name)
        if key is not None:
            lines = self._done.setdefault((key, options), {})
            lines.pop(name, None)
            lines[name] = _Line(record)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._results.close()

    # -- what is done --------------------------------------------------------------------------------

    def done(self, task: Task) -> BatchResult | None:
        """The result of an earlier batch; None if there is none, or the solution file is not what it was."""
        if task.key is None:
            return None
        lines = self._done.get((task.key, self._options), {})
        own = [lines[task.name]] if task.name in lines else []
        for line in own + [line for name, line in reversed(lines.items()) if name != task.name]:
            found = self._found(task, line)
            if found is None:
                continue
            if line.file is None:  # it was rescued, and is put in its place now
                return self.keep(found, task, line.record["time_limit_float"])
            if line not in own:
                unwritten = self._write(line.record | {"index": task.index + 1, "name": task.name})
                return found if unwritten is None else replace(found, error=unwritten)
            return found
        return None

    def _found(self, task: Task, line: _Line) -> BatchResult | None:
        if line.file is not None:
            path = self._path / os.path.basename(line.file)
        elif line.rescued is not None:
            path = Path(line.rescued)
        else:
            return None
        record = line.record
        with suppress(TrembleError, LookupError, TypeError, ValueError, AttributeError):
            if not line.serves(self._time_limit):
                return None
            if sha256(read_bytes(path, most=_MOST_BYTES)).hexdigest() != record["sha256"]:
                return None
            solution = StatedSolution.from_json(path)
            stated, error = record["error" if line.file is not None else "rescued_error"], None
            if stated is not None:
                error = _LESS[stated["type"]](str(stated["message"]), best=solution)
            seconds = float(record["seconds_float"])
            file = None if line.file is None else path
            return BatchResult(task.index, task.name, solution.game, solution, error, seconds, True, file)
        return None

    # -- what is found -------------------------------------------------------------------------------

    def place(self, task: Task) -> Path:
        """Where the solution of a game is to go: named as the game is, and by what is in it if that tells too little.

        Raises
        ------
        FormatError
            There is a file of another kind.
        """
        path = self._named(task)
        if path.exists() and not _is_solution(path):
            raise FormatError("this file exists and is no solution file: name another folder", file=str(path))
        return path

    def _named(self, task: Task) -> Path:
        stem = Path(task.name).stem if task.name.lower().endswith(tuple(FORMATS)) else task.name
        stem = _NOT_IN_NAMES.sub("_", stem)[:_LONGEST_NAME].strip("._") or "game"
        name = f"{stem}.json"
        own = task.named and not _DEVICES.fullmatch(stem)
        if not own or self._owner.setdefault(name.lower(), task.name) != task.name:  # macOS and Windows see no capitals
            told_by = task.name if task.named else task.key or str(task.index)
            name = f"{stem}-{sha256(told_by.encode()).hexdigest()[:12]}.json"
        return self._path / name

    def keep(self, result: BatchResult, task: Task | None, time_limit: float | None) -> BatchResult:
        """Write the solution of a result and add its line. Add no second line if a game fails again in the same way.

        What cannot be written into the folder goes to the folder for temporary files.

        Returns
        -------
        BatchResult
            With where its solution stands. If something stands elsewhere, or nowhere, its error says so.
        """
        solved = result.plain()["error"]
        if result.solution is not None and task is not None:
            result = self._written(result, task)
        record = result.plain()
        file = result.file or result.rescued
        if file is None and self._failed.get((result.name, self._options)) == record["error"]:
            return result
        record |= {"key": None if task is None else task.key, "options": self._options, "sha256": None}
        record |= {"time_limit_float": time_limit, "rescued_error": None if result.rescued is None else solved}
        if file is not None:
            with suppress(FormatError):  # it is gone already: the game is not done
                record["sha256"] = sha256(read_bytes(file, most=_MOST_BYTES)).hexdigest()
        unwritten = self._write(record)
        return result if unwritten is None else replace(result, error=unwritten)

    def _written(self, result: BatchResult, task: Task) -> BatchResult:
        """Write a solution where it belongs, or else somewhere."""
        assert result.solution is not None
        path, to_json = self._named(task), result.solution.to_json

        def write(where: Path) -> None:
            if where == path:
                self.place(task)
            to_json(where)

        done = write_or_rescue(path, write)
        if done.failure is None:
            return replace(result, file=path)
        return replace(result, rescued=done.file, error=done.error("the solution"))

    def _write(self, record: dict[str, Any]) -> FormatError | None:
        """Add a line, here or else to a file for temporary files; return what is to be said if it is not here."""
        line = json.dumps(record, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        try:
            self._append(line)
        except OSError as error:
            return self._line_elsewhere(line, error)
        self._remember(record)
        return None

    def _append(self, line: bytes) -> None:
        """Write a line whole or not at all."""
        descriptor = self._results.fileno()
        if not os.path.samestat(os.stat(self._path / _RESULTS), os.fstat(descriptor)):
            raise FileNotFoundError(ENOENT, "another file took its place")
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
        """Add a line to a file in the folder for temporary files."""
        reason = f"the file cannot be written: {error.strerror or error}"
        try:
            if self._refuge is None:
                self._refuge = refuge_for(".jsonl")
            with open(self._refuge, "ab") as stream:
                stream.write(line)
        except OSError as second:
            where = f"nor can its line be written to the folder for temporary files: {second.strerror or second}"
        else:
            where = f"its line is in {self._refuge} instead"
        return FormatError(f"{reason}; {where}", file=str(self._path / _RESULTS))


def _is_solution(path: Path) -> bool:
    try:
        with open(path, "rb") as stream:
            return _SOLUTION.match(stream.read(_HEAD)) is not None
    except OSError:
        return False


def _lock(results: IO[bytes], folder: Path) -> None:
    """Hold the results, so that nobody else adds to them; some systems have no such locks."""
    with suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(results, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FormatError("another batch is writing to this folder", file=str(folder)) from None
        except OSError:
            pass
