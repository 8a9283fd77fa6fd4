r"""Extreme rays of polyhedral cones, in exact integers: the double description method.

A cone is held by its extreme rays, and for each of them the inequalities that are tight there. One more inequality
:math:`h z \ge 0` is a cut: the rays on its wrong side go, and every pair of *adjacent* rays, one on either side, leaves
a new ray where the edge between them is cut. Two rays are adjacent iff no third one is tight at all inequalities at
which both are.

Reverse search (lrs) goes from basis to basis, and a vertex of a degenerate polyhedron has many of them; games have
such polyhedra as soon as payoffs are equal. Here degeneracy costs only the test of adjacency, and what is kept grows
with the number of rays. It ends after the last cut.

References
----------
T. S. Motzkin, H. Raiffa, G. L. Thompson, R. M. Thrall: The double description method, Contributions to the Theory of
Games II, 1953. K. Fukuda, A. Prodon: Double description method revisited, Combinatorics and Computer Science, 1996.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.integers import exact_dot, factors, narrowed

__all__ = ["Cone"]

# Between two looks at the clock: entries of tables of pairs, and of rays that are made.
_ENTRIES_PER_STEP, _ENTRIES_PER_CUT = 4_000_000, 200_000


@dataclass(frozen=True, eq=False)
class Cone:
    """A pointed cone: its extreme rays, and where they touch its inequalities.

    Examples
    --------
    The quadrant of the plane, and what is left of it between two lines:

    >>> quadrant = Cone(np.array([[1, 0], [0, 1]]), np.array([[False, True], [True, False]]), 2)
    >>> quadrant.cut(np.array([2, -1]), lambda: None).cut(np.array([-1, 2]), lambda: None).rays.tolist()
    [[1, 2], [2, 1]]
    """

    rays: NDArray[Any]  # int64 or object [N, D]: integers without a common divisor
    tight: NDArray[np.bool_]  # [N, inequalities so far]
    dimension: int  # of the cone, which may lie in a subspace

    def cut(self, inequality: NDArray[Any], check: Callable[[], None]) -> Cone:
        """The part of the cone on which ``inequality @ z >= 0``; ``check`` is called on the way and may raise."""
        value = exact_dot(self.rays, inequality)
        minus = np.flatnonzero(value < 0)
        kept = np.flatnonzero(value >= 0)
        rays, tight = [self.rays[kept]], [np.column_stack((self.tight[kept], value[kept] == 0))]
        step = max(1, _ENTRIES_PER_CUT // self.rays.shape[1])
        for pairs in self.adjacent(np.flatnonzero(value > 0), minus, check):
            for first in range(0, len(pairs[0]), step):
                check()
                one, other = (side[first : first + step] for side in pairs)
                rays.append(_between(self.rays, value, one, other))
                common = self.tight[one] & self.tight[other]
                tight.append(np.column_stack((common, np.ones(len(one), dtype=np.bool_))))
        return Cone(narrowed(np.concatenate(rays)), np.concatenate(tight), self.dimension)

    def adjacent(
        self, plus: NDArray[np.int64], minus: NDArray[np.int64], check: Callable[[], None]
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The adjacent pairs of these rays, one of either side, in parts."""
        if not len(plus) or not len(minus):
            return []
        tight = self.tight.astype(np.float32)  # sums of ones are exact up to 2 ** 24
        simple = self.tight.sum(axis=1) == self.dimension - 1  # then any of these inequalities are independent
        edges = []
        step = max(1, _ENTRIES_PER_STEP // max(len(minus), tight.shape[1]))
        for first in range(0, len(plus), step):
            check()
            group = plus[first : first + step]
            with np.errstate(all="ignore"):  # zeros and ones: some libraries warn of what lies beside them
                i, j = np.nonzero(tight[group] @ tight[minus].T >= self.dimension - 2)
            one, other = group[i], minus[j]
            edge = simple[one] | simple[other]
            doubtful = np.flatnonzero(~edge)
            part = max(1, _ENTRIES_PER_STEP // max(tight.shape))
            for begin in range(0, len(doubtful), part):
                check()
                pair = doubtful[begin : begin + part]
                common = tight[one[pair]] * tight[other[pair]]
                with np.errstate(all="ignore"):
                    touching = common @ tight.T == common.sum(axis=1, keepdims=True)
                edge[pair] = touching.sum(axis=1) == 2
            edges.append((one[edge], other[edge]))
        return edges


def _between(rays: NDArray[Any], value: NDArray[Any], one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[Any]:
    """Where the edges between rays with positive and with negative values have the value 0, without common divisors."""
    rays, value = factors(rays, value, 2)
    made: NDArray[Any] = value[one, np.newaxis] * rays[other] - value[other, np.newaxis] * rays[one]
    if len(made):
        made = made // np.gcd.reduce(made, axis=1)[:, np.newaxis]
    return made
