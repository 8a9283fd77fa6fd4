"""Methods that run published algorithms for refinements, for comparison. They are never the default."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from tremble.game.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solvers.method import Method, Run, Takes, constant_sum

__all__ = ["Halving", "Npp", "PublishedRefinement", "SymbolicSimplex"]

_BY_PLANS = ("quasi-perfect", "one-sided-quasi-perfect", "sequential")


@dataclass(frozen=True)
class PublishedRefinement(Method):
    """A method that starts from an exact Nash equilibrium and finds a stable basis with a published algorithm."""

    published: ClassVar[bool] = True

    takes: ClassVar[Takes] = {"tree": dict.fromkeys((*_BY_PLANS, "perfect"), constant_sum)}

    def run(self, game: GameTree, concept: str, run: Run) -> Claim:
        """Compute a Nash equilibrium. Then refine the equilibrium by the published algorithm of this method."""
        from tremble.solvers.perfect import perfect_claim
        from tremble.solvers.published import ALGORITHMS, stable_basis, stable_vertex
        from tremble.solvers.refine import refined_claim

        algorithm = ALGORITHMS[self.name]
        if CONCEPTS[concept].own_mistakes:
            return perfect_claim(game, concept, run, published=partial(stable_basis, algorithm))
        return refined_claim(game, concept, run, published=partial(stable_vertex, algorithm))


@dataclass(frozen=True)
class Halving(PublishedRefinement):
    """The algorithm of Farina, Gatti & Sandholm (2018), which halves a rational epsilon until the basis is stable.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), concept="quasi-perfect", method=tremble.methods.Halving()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "halving"
    summary: ClassVar[str] = "a rational epsilon, halved until the basis is stable"


@dataclass(frozen=True)
class SymbolicSimplex(PublishedRefinement):
    """The algorithm of Miltersen & Sørensen (2006), a simplex method over polynomials in epsilon.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), concept="quasi-perfect", method=tremble.methods.SymbolicSimplex()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "symbolic-simplex"
    summary: ClassVar[str] = "the simplex method over polynomials in epsilon"
    takes: ClassVar[Takes] = {"tree": dict.fromkeys(_BY_PLANS, constant_sum)}


@dataclass(frozen=True)
class Npp(PublishedRefinement):
    """The algorithm of Miltersen & Sørensen (2006) and Farina & Gatti (2017): it solves one program at a tiny epsilon.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), concept="quasi-perfect", method=tremble.methods.Npp()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "npp"
    summary: ClassVar[str] = "one program, at an epsilon below a proven bound"
