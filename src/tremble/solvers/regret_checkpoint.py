"""Write and read checkpoints of regret minimization. A checkpoint contains all data that the next iteration needs.

A checkpoint is one file, which is replaced as a whole. If a run is killed while it writes, the previous file remains. A
resumed run makes the same steps as an uninterrupted run.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from math import prod
from typing import Any, BinaryIO, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tremble.errors import FormatError
from tremble.run.checkpoint_file import CheckpointFile
from tremble.run.regular_file import open_regular

__all__ = ["Checkpoint", "Iterating", "TreeCheckpoint"]

_DAMAGE = (
    OSError, ArithmeticError, ValueError, LookupError, TypeError, AttributeError, EOFError, RuntimeError,
    zipfile.BadZipFile,
)  # fmt: skip
_MOST_HEADER = 2**16  # bytes


class Iterating(Protocol):
    """A computation that can continue from a checkpoint."""

    @property
    def variant(self) -> object:
        """Return the algorithm. A checkpoint contains the algorithm's repr; any other repr in a file is an error."""
        ...

    @property
    def iterations(self) -> int:
        """Return the number of iterations done."""
        ...

    def identity(self) -> Mapping[str, str]:
        """Return additional fields that identify the run. A checkpoint fits the run only if these fields are equal."""
        ...

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return a dict of the arrays that determine the next iteration. To resume a run, overwrite these arrays."""
        ...

    def resume(self, iterations: int) -> None:
        """Set the number of iterations done. The caller must first fill the arrays of :meth:`state`."""
        ...


class Checkpoint(CheckpointFile[Iterating]):
    """A checkpoint file of a run on a game whose tree is not built. It contains arrays; text would be too large."""

    schema = "tremble/public-tree-checkpoint@1"
    share: ClassVar[float] = 0.02
    first: ClassVar[float] = 10.0

    def fill(self, stream: BinaryIO, minimizer: Iterating) -> None:
        """Write the state after the last complete iteration to ``stream``."""
        header = {**self._header(minimizer), "iterations": minimizer.iterations}
        arrays: dict[str, Any] = {**minimizer.state()}
        np.savez(stream, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)

    def restore(self, minimizer: Iterating) -> None:
        """Restore the state of ``minimizer`` from the file if the file exists. The minimizer must not have run yet.

        Raises
        ------
        FormatError
            The file is not a checkpoint, is damaged, or belongs to a different game or method.
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
                        f"the checkpoint belongs to another run ({wrong}: {header.get(wrong)!r:.80} instead of "
                        f"{expected[wrong]!r:.80}); name another file, or remove this file",
                        file=self.path,
                    )
                for name, array in minimizer.state().items():
                    array[...] = _entry(stored, name, array.shape, array.dtype)
                    if not np.isfinite(array).all():
                        raise ValueError(name)
        except FormatError:
            raise
        except _DAMAGE:
            raise FormatError("this file is not a checkpoint, or it is damaged; remove it", file=self.path) from None
        minimizer.resume(iterations)

    def _header(self, minimizer: Iterating) -> dict[str, object]:
        header: dict[str, object] = {"schema": self.schema, "game": self.game, "variant": repr(minimizer.variant)}
        return {**header, **minimizer.identity()}


class TreeCheckpoint(Checkpoint):
    """A checkpoint file of a run on a tree. Checkpoints of trees are small, so the first one is due after 1 second."""

    schema = "tremble/regret-checkpoint@1"
    first: ClassVar[float] = 1.0


def _entry(stored: zipfile.ZipFile, name: str, shape: tuple[int, ...] | None, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Read an array of a checkpoint. An array without a given ``shape`` must be small.

    The sizes in the archive are checked before memory is allocated, because a small file may claim to contain
    gigabytes. The function raises ``ValueError`` if the array does not have the given ``shape`` and ``dtype``.
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
