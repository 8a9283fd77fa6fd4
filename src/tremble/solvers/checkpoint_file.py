"""The file that a run keeps up to date, for another run to go on from; it costs nothing but itself if that fails."""

from __future__ import annotations

import os
import warnings
from typing import ClassVar

from tremble.clock import Clock, grace
from tremble.errors import FormatError, TrembleWarning
from tremble.system.whole_file import Fill, write_whole

__all__ = ["CheckpointFile"]

_SECONDS = 1.0  # between two checkpoints at least
_OF_GRACE = 0.25  # after a time limit, the last checkpoint may take this share: the result comes first


class CheckpointFile:
    """A checkpoint file, replaced as a whole; each method says what stands in it.

    Attributes
    ----------
    share : float
        Of the time is what writing may take.
    first : float
        Seconds before there is anything worth going on from.
    """

    share: ClassVar[float] = 0.1
    first: ClassVar[float] = 0.0

    def __init__(self, path: str | os.PathLike[str], clock: Clock) -> None:
        self.path = os.fspath(path)
        self._clock = clock
        self._next = clock.elapsed + self.first
        self._spent = 0.0
        self._warned = False

    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return os.path.exists(self.path)

    def write(self, fill: Fill, *, always: bool = False) -> None:
        """Write the state of a run between two steps; not each time, as that costs time.

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
