r"""Compute extreme rays of polyhedral cones in exact integers by the double description method.

A cone is stored as its extreme rays, with the inequalities that are *tight* (hold with equality) at each ray. Adding an
inequality :math:`h z \ge 0` cuts the cone. Rays that violate the inequality are removed. Each pair of *adjacent* rays
on different sides of :math:`h z = 0` gives a new ray, where the edge between the two rays crosses :math:`h z = 0`. Two
rays are adjacent if and only if no third ray has all tight inequalities that the two rays have in common.

Another method, reverse search (lrs), visits all bases. A vertex of a degenerate polyhedron has many bases. Games with
equal payoffs have degenerate polyhedra. The double description method works on rays instead of bases, so degeneracy
only makes the adjacency test slower. Memory grows with the number of rays.

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

# Amount of work between two calls of check: entries in tables of pairs, and entries of new rays.
_ENTRIES_PER_STEP, _ENTRIES_PER_CUT = 4_000_000, 200_000


@dataclass(frozen=True, eq=False)
class Cone:
    """A pointed cone: its extreme rays, and the inequalities that are tight at each ray.

    Examples
    --------
    Cut a quadrant of the plane with two lines:

    >>> quadrant = Cone(np.array([[1, 0], [0, 1]]), np.array([[False, True], [True, False]]), 2)
    >>> quadrant.cut(np.array([2, -1]), lambda: None).cut(np.array([-1, 2]), lambda: None).rays.tolist()
    [[1, 2], [2, 1]]
    """

    rays: NDArray[Any]  # int64 or object [N, D]: integers without a common divisor
    tight: NDArray[np.bool_]  # [N, number of inequalities so far]
    dimension: int  # dimension of the cone, which may lie in a subspace

    def cut(self, inequality: NDArray[Any], check: Callable[[], None]) -> Cone:
        """Return the part of the cone with ``inequality @ z >= 0``; an exception from ``check`` stops the work."""
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
        """Return all pairs of adjacent rays in batches (i, j): ray i[k] is in ``plus``, and j[k] is in ``minus``."""
        if not len(plus) or not len(minus):
            return []
        tight = self.tight.astype(np.float32)  # sums of ones are exact up to 2 ** 24
        # At a simple ray, all tight inequalities are independent. So d - 2 common ones define an edge without a test.
        simple = self.tight.sum(axis=1) == self.dimension - 1
        edges = []
        step = max(1, _ENTRIES_PER_STEP // max(len(minus), tight.shape[1]))
        for first in range(0, len(plus), step):
            check()
            group = plus[first : first + step]
            # The product of zeros and ones is exact, but some BLAS libraries warn about values in their padding.
            with np.errstate(all="ignore"):
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
                    tight_too = common @ tight.T == common.sum(axis=1, keepdims=True)
                edge[pair] = tight_too.sum(axis=1) == 2  # only the two rays themselves
            edges.append((one[edge], other[edge]))
        return edges


def _between(rays: NDArray[Any], value: NDArray[Any], one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[Any]:
    """Return coprime integer rays. Ray i is between rays ``one[i]`` and ``other[i]``, where the inequality is tight."""
    rays, value = factors(rays, value, 2)
    new: NDArray[Any] = value[one, np.newaxis] * rays[other] - value[other, np.newaxis] * rays[one]
    if len(new):
        new = new // np.gcd.reduce(new, axis=1)[:, np.newaxis]
    return new
