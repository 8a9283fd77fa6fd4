"""Named blocks of rows or columns of a linear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNNAMED", "Blocks"]


@dataclass(frozen=True)
class Blocks:
    """Consecutive blocks of rows or columns, each with a name.

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
        """Return blocks with these names and lengths, in this order."""
        slices: dict[str, slice] = {}
        first = 0
        for name, length in lengths.items():
            slices[name] = slice(first, first + length)
            first += length
        return cls(slices)

    def after(self, first: int) -> Blocks:
        """Return these blocks, moved behind ``first`` other rows or columns."""
        return Blocks({name: slice(first + block.start, first + block.stop) for name, block in self.slices.items()})

    def mask(self, *names: str) -> NDArray[np.bool_]:
        """Mark the rows or columns in the named blocks, bool[len(self)]."""
        mask = np.zeros(len(self), dtype=np.bool_)
        for name in names:
            mask[self[name]] = True
        return mask

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def __len__(self) -> int:
        return sum(block.stop - block.start for block in self.slices.values())


UNNAMED = Blocks({})
"""Blocks for a program whose rows or columns have no names."""
