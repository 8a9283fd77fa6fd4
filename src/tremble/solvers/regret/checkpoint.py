"""Checkpoints of regret minimisation along the public tree: all that the next iteration depends on, in one file.

The file is replaced as a whole, so that a run that is killed while it writes leaves the one before. A run that goes on
from it takes the very steps that it would have taken.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from math import prod
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.base.text_file import open_regular
from tremble.errors import FormatError
from tremble.solvers.checkpoint_file import CheckpointFile
from tremble.solvers.regret.public_tree import PublicTreeMinimizer

__all__ = ["Checkpoint"]

_DAMAGE = (
    OSError, ArithmeticError, ValueError, LookupError, TypeError, AttributeError, EOFError, RuntimeError,
    zipfile.BadZipFile,
)  # fmt: skip
_MOST_HEADER = 2**16  # bytes


class Checkpoint(CheckpointFile[PublicTreeMinimizer]):
    """A checkpoint file of a run on some game: an archive, as there is too much for a text."""

    schema = "tremble/public-tree-checkpoint@1"
    share: ClassVar[float] = 0.02
    first: ClassVar[float] = 10.0

    def fill(self, stream: BinaryIO, minimizer: PublicTreeMinimizer) -> None:
        """The state between two iterations."""
        header = {**self._header(minimizer), "iterations": minimizer.iterations}
        np.savez(stream, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **_arrays(minimizer))

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
            with open_regular(self.path) as stream, zipfile.ZipFile(stream) as stored:
                header = json.loads(_entry(stored, "header", None, np.dtype(np.uint8)).tobytes())
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
                    array[...] = _entry(stored, name, array.shape, array.dtype)
                    if not np.isfinite(array).all():
                        raise ValueError(name)
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
            "schema": self.schema,
            "game": self.game,
            "variant": repr(minimizer.variant),
            "classes": classes.hexdigest(),
        }


def _arrays(minimizer: PublicTreeMinimizer) -> dict[str, Any]:
    """The state by name."""
    arrays = {}
    for kind in ("regret", "total", "latest"):
        for player, rounds in enumerate(getattr(minimizer, kind), 1):
            for number, array in enumerate(rounds, 1):
                arrays[f"{kind} {player} {number}"] = array
    return arrays


def _entry(stored: zipfile.ZipFile, name: str, shape: tuple[int, ...] | None, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of a checkpoint, of the shape that is needed; by default a short row of any length.

    What an archive says of itself is compared with that before it is taken at its word: a few bytes may be
    said to be gigabytes, or unfold to them. Whatever does not fit is a ``ValueError``.
    """
    most = _MOST_HEADER if shape is None else dtype.itemsize * prod(shape)
    entry = stored.getinfo(f"{name}.npy")
    if entry.compress_type != zipfile.ZIP_STORED:
        raise ValueError(name)
    with stored.open(entry) as member:
        if np.lib.format.read_magic(member) != (1, 0):
            raise ValueError(name)
        stated, fortran, kind = np.lib.format.read_array_header_1_0(member)
        size = kind.itemsize * prod(stated)
        if kind != dtype or fortran or size > most or (shape is not None and stated != shape):
            raise ValueError(name)
        data = member.read(size + 1)
    return np.frombuffer(data, dtype=dtype).reshape(stated)
