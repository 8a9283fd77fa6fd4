"""Farina, Gatti & Sandholm (2018): a rational epsilon, halved until the basis is stable.

:mod:`tremble.solvers.published.algorithms` has the algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tremble.solvers.published.refinement import PublishedRefinement

__all__ = ["Halving"]


@dataclass(frozen=True)
class Halving(PublishedRefinement):
    """Farina, Gatti & Sandholm (2018): a rational epsilon, halved until the basis is stable.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), concept="quasi-perfect", method=tremble.methods.Halving()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "halving"
    summary: ClassVar[str] = "a rational epsilon, halved until the basis is stable"
    concepts: ClassVar[tuple[str, ...]] = ("quasi-perfect", "sequential", "perfect")
