"""The file that a run keeps up to date, for another run to go on from; it costs nothing but itself if that fails."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, BinaryIO, ClassVar, Generic, TypeVar

from tremble.errors import FormatError, GameError, TrembleWarning
from tremble.run.clock import Clock, grace
from tremble.run.text_file import read_text
from tremble.run.whole_file import Fill, write_whole

__all__ = ["CheckpointFile"]

State = TypeVar("State")

_SECONDS = 1.0  # between two checkpoints at least
_OF_GRACE = 0.25  # after a time limit, the last checkpoint may take this share: the result comes first


class CheckpointFile(Generic[State]):
    """A checkpoint file, replaced as a whole; a family of methods says which fields stand in it, and reads them.

    It is JSON under a schema, with what tells the game from others and a digest of all there is.

    Parameters
    ----------
    game : plain data
        What tells the game, and what else the state depends on, from others.

    Attributes
    ----------
    schema : str
    encode : callable
        The text of a document, of which there is a digest.
    share : float
        Of the time is what writing may take.
    first : float
        Seconds before there is anything worth going on from.
    """

    schema: ClassVar[str]
    encode = json.JSONEncoder(separators=(",", ":")).encode
    share: ClassVar[float] = 0.1
    first: ClassVar[float] = 0.0

    def __init__(self, path: str | os.PathLike[str], game: Any, clock: Clock) -> None:
        self.path, self.game = os.fspath(path), game
        self._clock = clock
        self._next = clock.elapsed + self.first
        self._spent = 0.0
        self._warned = False

    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return os.path.exists(self.path)

    def fields(self, state: State) -> dict[str, Any]:
        """All that the next step of a run depends on, as plain data."""
        raise NotImplementedError

    def other(self, game: Any) -> str:
        """What the file is of, if not of this game."""
        return "another game or player"

    def save(self, state: State, *, always: bool = False) -> None:
        """Write the state of a run between two steps, if it is time."""
        self.write(lambda stream: self.fill(stream, state), always=always)

    def fill(self, stream: BinaryIO, state: State) -> None:
        """What the file holds."""
        document = {"schema": self.schema, "game": self.game, **self.fields(state)}
        stream.write((self.encode({**document, "sha256": self.digest(document)}) + "\n").encode())

    @classmethod
    def digest(cls, document: dict[str, Any]) -> str:
        """Of all other fields: what the field ``sha256`` states."""
        return sha256(cls.encode(document).encode()).hexdigest()

    @contextmanager
    def stated(self) -> Iterator[dict[str, Any]]:
        """What the file says, within a block whose errors, while it is read, are damage of the file.

        Raises
        ------
        FormatError
            The file is no checkpoint, is damaged, or of another game.
        """
        source = read_text(self.path, regular=True)
        try:
            document = json.loads(source.text)
            schema = document["schema"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FormatError("this is no checkpoint of tremble", file=self.path) from None
        if schema != self.schema:
            raise FormatError(f"schema: expected {self.schema!r}, found {schema!r:.60}", file=self.path)
        try:
            if document.pop("sha256", None) != self.digest(document):
                raise ValueError("its contents are not those that its field sha256 tells of")
            if document["game"] != self.game:
                other = self.other(document["game"])
                message = f"the checkpoint is of {other}; name another file, or remove this one"
                raise FormatError(message, file=self.path)
            yield document
        except FormatError:
            raise
        except (ArithmeticError, AttributeError, GameError, LookupError, TypeError, ValueError) as error:
            reason = f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise FormatError(f"the checkpoint is damaged ({reason:.200}); remove it", file=self.path) from None

    def write(self, fill: Fill, *, always: bool = False) -> None:
        """Write a file, but not each time, as that costs time.

        A file that cannot be written is told of by a ``TrembleWarning``, once, and tried again later.
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
                warnings.warn(f"no checkpoint, the work goes on without it: {problem}", TrembleWarning, stacklevel=4)
        self._spent = self._clock.elapsed - began
        self._next = self._clock.elapsed + max(_SECONDS, self._spent * (1 / self.share - 1))

    def _in_time(self) -> bool:
        """Whether another one, if it takes as long as the last one, leaves time for the result."""
        left = self._clock.left
        return left is None or self._spent < max(left, 0.0) + _OF_GRACE * grace(self._clock.elapsed + left)
