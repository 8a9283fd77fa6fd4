"""A checkpoint file: a run of a solver updates the file, and another run can continue from it.

If the file cannot be written, the run continues without checkpoints.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, TypeVar

from tremble.errors import FormatError, GameError, TrembleWarning
from tremble.run.clock import Clock
from tremble.run.deadline import grace
from tremble.run.regular_file import open_regular
from tremble.run.text_file import read_text
from tremble.run.whole_file import Fill, delete_leftovers, write_whole

__all__ = ["CheckpointFile"]

State = TypeVar("State")

_SECONDS = 1.0  # minimum time between two checkpoints
_GRACE_SHARE = 0.25  # share of the grace period (`clock.grace`) for the last checkpoint; the rest is for the result


class CheckpointFile(Generic[State]):
    """A checkpoint file. Each save replaces the whole file. A subclass defines the fields that its solvers need.

    The file is JSON with a schema, data that identify the game, and a digest of the contents of the file.

    Parameters
    ----------
    game : plain data
        Data that identify the game, and all other data on which the state of the run depends.

    Attributes
    ----------
    schema : str
        Identifier of the file format.
    encode : callable
        A function that returns a document (a dict) as text. The digest is computed from this text.
    share : float
        Maximum share of the running time that is spent on writing.
    first : float
        Seconds that pass before the first checkpoint is due.
    """

    schema: ClassVar[str]
    encode = json.JSONEncoder(separators=(",", ":")).encode
    share: ClassVar[float] = 0.1
    first: ClassVar[float] = 0.0

    def __init__(self, path: str | os.PathLike[str], game: Any, clock: Clock) -> None:
        self.path, self.game = os.fspath(path), game
        delete_leftovers(Path(os.path.realpath(self.path)))  # a run that has nothing to do would not write the file
        self._clock = clock
        self._next = clock.elapsed + self.first
        self._spent = 0.0
        self._warned = False

    def exists(self) -> bool:
        """Return True if the file exists."""
        return os.path.exists(self.path)

    def fields(self, state: State) -> dict[str, Any]:
        """Return everything that the next step of a run depends on, as plain data for the file."""
        raise NotImplementedError

    def other(self, game: Any) -> str:
        """Describe ``game``, the game in the file, for an error message. The game of this run is a different one."""
        return "another game or player"

    def save(self, state: State, *, always: bool = False) -> None:
        """Write the state of a run if a checkpoint is due. Call this method between two steps of the run.

        If ``always`` is true and there is enough time, write the state even if no checkpoint is due.
        """
        self.write(lambda stream: self.fill(stream, state), always=always)

    def fill(self, stream: BinaryIO, state: State) -> None:
        """Write the contents of the file to a stream."""
        document = {"schema": self.schema, "game": self.game, **self.fields(state)}
        stream.write((self.encode({**document, "sha256": self.digest(document)}) + "\n").encode())

    @classmethod
    def digest(cls, document: dict[str, Any]) -> str:
        """Return the digest of a document without the field ``sha256``, which stores the digest."""
        return sha256(cls.encode(document).encode()).hexdigest()

    @contextmanager
    def stated(self) -> Iterator[dict[str, Any]]:
        """Yield the document in the file. An error in the ``with`` block becomes an error about a damaged file.

        Raises
        ------
        FormatError
            The file is not a checkpoint, is damaged, or belongs to another game.
        """
        source = read_text(self.path, opened=open_regular(self.path))
        try:
            document = json.loads(source.text)
            schema = document["schema"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FormatError("this file is not a checkpoint of tremble; name another file", file=self.path) from None
        if schema != self.schema:
            raise FormatError(f"schema: expected {self.schema!r}, found {schema!r:.60}", file=self.path)
        try:
            if document.pop("sha256", None) != self.digest(document):
                raise ValueError("the contents do not match the field sha256")
            if document["game"] != self.game:
                other = self.other(document["game"])
                message = f"the checkpoint belongs to {other}; name another file, or remove this file"
                raise FormatError(message, file=self.path)
            yield document
        except FormatError:
            raise
        except (ArithmeticError, AttributeError, GameError, LookupError, TypeError, ValueError) as error:
            reason = f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise FormatError(f"the checkpoint is damaged ({reason:.200}); remove it", file=self.path) from None

    def write(self, fill: Fill, *, always: bool = False) -> None:
        """Write the file if a checkpoint is due, or if ``always`` is true and the time limit is not too close.

        If the file cannot be written, warn once (``TrembleWarning``) and try again at the next checkpoint.
        """
        began = self._clock.elapsed
        if not (always and self._in_time()) and began < self._next:
            return
        try:
            write_whole((self.path, fill))
        except (FormatError, MemoryError) as error:
            if not self._warned:
                self._warned = True
                problem = str(error) or "not enough memory"
                warnings.warn(f"the work continues without a checkpoint: {problem}", TrembleWarning, stacklevel=4)
        self._spent = self._clock.elapsed - began
        self._next = self._clock.elapsed + max(_SECONDS, self._spent * (1 / self.share - 1))

    def _in_time(self) -> bool:
        """Return True if enough time is left to write the file (estimated from the last write) and the result."""
        left = self._clock.left
        return left is None or self._spent < max(left, 0.0) + _GRACE_SHARE * grace(self._clock.elapsed + left)
