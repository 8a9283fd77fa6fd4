"""Checkpoints of regret minimisation along the public tree: all that the next iteration depends on, in one file.

The file is replaced as a whole, so that a run that is killed while it writes leaves the one before. A run that goes on
from it takes the very steps that it would have taken.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from typing import Any, BinaryIO, ClassVar

import numpy as np

from tremble.clock import Clock
from tremble.errors import FormatError
from tremble.solvers.checkpoint_file import CheckpointFile
from tremble.solvers.public_tree.regret import PublicTreeMinimizer

__all__ = ["Checkpoint"]

SCHEMA = "tremble/public-tree-checkpoint@1"

_DAMAGE = (
    OSError, ArithmeticError, ValueError, LookupError, TypeError, AttributeError, EOFError, RecursionError,
    zipfile.BadZipFile,
)  # fmt: skip


class Checkpoint(CheckpointFile):
    """A checkpoint file of a run on some game.

    Parameters
    ----------
    game : str
        What tells the game from others.
    """

    share: ClassVar[float] = 0.02
    first: ClassVar[float] = 10.0

    def __init__(self, path: str | os.PathLike[str], game: str, clock: Clock) -> None:
        super().__init__(path, clock)
        self._game = game

    def save(self, minimizer: PublicTreeMinimizer, *, always: bool = False) -> None:
        """Write the state between two iterations, if it is time."""

        def fill(stream: BinaryIO) -> None:
            header = {**self._header(minimizer), "iterations": minimizer.iterations}
            np.savez(stream, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **_arrays(minimizer))

        self.write(fill, always=always)

    def restore(self, minimizer: PublicTreeMinimizer) -> None:
        """Put a fresh run where the file says, if there is one.

        Raises
        ------
        FormatError
            The file is no checkpoint, is damaged, or of another game or method.
        """
        if not self.exists():
            return
        try:
            with np.load(self.path, allow_pickle=False) as stored:
                header = json.loads(stored["header"].tobytes())
                iterations = header.pop("iterations")
                if type(iterations) is not int or not 0 <= iterations < 2**53:
                    raise ValueError("iterations")
                expected = self._header(minimizer)
                if header != expected:
                    wrong = next((key for key in expected if header.get(key) != expected[key]), "schema")
                    raise FormatError(
                        f"the checkpoint is of another run ({wrong}: {header.get(wrong)!r:.80} instead of "
                        f"{expected[wrong]!r:.80}); name another file, or remove this one",
                        file=self.path,
                    )
                for name, array in _arrays(minimizer).items():
                    found = stored[name]
                    if found.shape != array.shape or found.dtype != array.dtype or not np.isfinite(found).all():
                        raise FormatError(f"the checkpoint is damaged ({name}); remove it", file=self.path)
                    array[...] = found
        except FormatError:
            raise
        except _DAMAGE:
            raise FormatError("this is no checkpoint, or damaged; remove it", file=self.path) from None
        minimizer.resume(iterations)

    def _header(self, minimizer: PublicTreeMinimizer) -> dict[str, object]:
        classes = hashlib.sha256()
        for player in minimizer.tree.filtered.filter.class_of:
            for class_of in player:
                classes.update(class_of.tobytes())
        return {
            "schema": SCHEMA,
            "game": self._game,
            "variant": repr(minimizer.variant),
            "classes": classes.hexdigest(),
        }


def _arrays(minimizer: PublicTreeMinimizer) -> dict[str, Any]:
    """The state by name."""
    found = {}
    for kind in ("regret", "total", "latest"):
        for player, rounds in enumerate(getattr(minimizer, kind), 1):
            for number, array in enumerate(rounds, 1):
                found[f"{kind} {player} {number}"] = array
    return found
