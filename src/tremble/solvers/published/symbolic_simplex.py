"""Miltersen & Sorensen (2010): the simplex method over polynomials in epsilon.

:mod:`tremble.solvers.published.algorithms` has the algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tremble.solvers.published.refinement import PublishedRefinement

__all__ = ["SymbolicSimplex"]


@dataclass(frozen=True)
class SymbolicSimplex(PublishedRefinement):
    """Miltersen & Sorensen (2010): the simplex method over polynomials in epsilon.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), concept="quasi-perfect", method=tremble.methods.SymbolicSimplex()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "symbolic-simplex"
    summary: ClassVar[str] = "the simplex over polynomials in epsilon"
    concepts: ClassVar[tuple[str, ...]] = ("quasi-perfect", "sequential")
