"""Classes of sequences. A merged program gives equal weights to the sequences of a class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import Blocks
from tremble.exact.quotient import Quotient

__all__ = ["SequenceClasses"]


@dataclass(frozen=True, eq=False)
class SequenceClasses:
    """Classes of sequences that a merged program treats alike."""

    of: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[S]: class of each sequence, starting with the empty
    size2: NDArray[np.int64]  # number of sequences of player 2 in each class; each gets an equal part of the weight

    @classmethod
    def of_program(cls, quotient: Quotient) -> SequenceClasses:
        """Return the classes of both players' sequences in a quotient of a program."""
        whole, small = quotient.whole, quotient.program
        one = quotient.column[whole.columns["plan of player 1"]] - small.columns["plan of player 1"].start
        two = quotient.row[whole.rows["plan of player 2"]] - small.rows["plan of player 2"].start
        return cls((one, two), np.bincount(two))

    def expand(self, player: int, weight: NDArray[Any], denominator: int) -> tuple[NDArray[Any], int]:
        """Convert weights of a player's classes to weights of sequences. Return the numerators and the denominator."""
        if player == 0:
            return weight[self.of[0]], denominator
        common = self.common_multiple
        share = np.array([common // size for size in self.size2.tolist()], dtype=object)
        return (weight * share)[self.of[1]], denominator * common

    @cached_property
    def common_multiple(self) -> int:
        """Least common multiple of the sizes of player 2's classes of sequences."""
        return lcm(*self.size2.tolist())


def restricted_classes(classes: NDArray[np.int64], whole: Blocks, small: Blocks, blocks: Blocks) -> NDArray[np.int64]:
    """Return the classes of the rows or columns in ``blocks``, a part of ``whole``, with new numbers without gaps."""
    first, parts = 0, []
    for name in blocks.slices:
        parts.append(classes[whole[name]] - small[name].start + first)
        first += small[name].stop - small[name].start
    return np.concatenate(parts)
