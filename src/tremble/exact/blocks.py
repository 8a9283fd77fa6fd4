"""Named blocks of the rows, or of the columns, of a linear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNNAMED", "Blocks"]


@dataclass(frozen=True)
class Blocks:
    """Names of blocks that follow one another, and where each begins and ends.

    Examples
    --------
    >>> columns = Blocks.of({"plan": 3, "values": 2})
    >>> columns["values"]
    slice(3, 5, None)
    >>> columns.after(10)["plan"], len(columns), columns.mask("values").tolist()
    (slice(10, 13, None), 5, [False, False, False, True, True])
    """

    slices: dict[str, slice]  # block by name, in order

    @classmethod
    def of(cls, lengths: dict[str, int]) -> Blocks:
        """From the length of each block, in order."""
        slices: dict[str, slice] = {}
        first = 0
        for name, length in lengths.items():
            slices[name] = slice(first, first + length)
            first += length
        return cls(slices)

    def after(self, first: int) -> Blocks:
        """The same blocks behind ``first`` other rows or columns."""
        return Blocks({name: slice(first + block.start, first + block.stop) for name, block in self.slices.items()})

    def mask(self, *names: str) -> NDArray[np.bool_]:
        """Which rows or columns belong to the named blocks, bool[len(self)]."""
        mask = np.zeros(len(self), dtype=np.bool_)
        for name in names:
            mask[self[name]] = True
        return mask

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def __len__(self) -> int:
        return sum(block.stop - block.start for block in self.slices.values())


UNNAMED = Blocks({})
"""Of a program whose rows, or columns, have no names."""
