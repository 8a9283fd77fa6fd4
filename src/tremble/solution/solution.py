"""Solutions: a claim, and what the checker has proven of it."""

from __future__ import annotations

from dataclasses import dataclass

from tremble.solution.claim import Profile
from tremble.solution.stated import StatedSolution
from tremble.solution.verification import Verification

__all__ = ["Solution"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Solution(StatedSolution):
    """A pair of strategies with what is proven of it: what :func:`tremble.solve` returns, and its file states.

    The status, the values and the bounds are those that the checker found, never what a method says.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy, or of UnbuiltStrategy or OrderedStrategy where the game is not built
    verification : Verification

    See Also
    --------
    tremble.solution.stated.StatedSolution : all other attributes, reading and writing.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"), concept="quasi-perfect")
    >>> solution.value, solution.verification.proven
    (Fraction(-1, 18), 'quasi-perfect')
    """

    strategies: Profile
    verification: Verification
