"""A bound of the literature on how small an epsilon needs to be, and one program there.

:mod:`tremble.solvers.published.algorithms` has the algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tremble.solvers.published.refinement import PublishedRefinement

__all__ = ["Npp"]


@dataclass(frozen=True)
class Npp(PublishedRefinement):
    """A bound of the literature on how small an epsilon needs to be, and one program there.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), concept="quasi-perfect", method=tremble.methods.Npp()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "npp"
    summary: ClassVar[str] = "an epsilon so small that one program will do"
    concepts: ClassVar[tuple[str, ...]] = ("quasi-perfect", "sequential", "perfect")
