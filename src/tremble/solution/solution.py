"""Solutions: a claim, and what the checker has proven of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic

from tremble.solution.claim import Strategy
from tremble.solution.stated import StatedSolution
from tremble.solution.verification import Verification

__all__ = ["Solution"]

if TYPE_CHECKING:  # which know defaults, that typing has from Python 3.13 on: `Solution` is one of any kind of strategy
    from typing_extensions import TypeVar

    S_co = TypeVar("S_co", bound=Strategy, default=Strategy, covariant=True)
else:
    from typing import TypeVar

    S_co = TypeVar("S_co")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Solution(StatedSolution, Generic[S_co]):
    """A pair of strategies with what is proven of it: what :func:`tremble.solve` returns, and its file states.

    The status, the values and the bounds are those that the checker found, never what a method says.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy, or of UnbuiltStrategy or OrderedStrategy where the game is not built
        For type checkers, a ``Solution[BehaviorStrategy]`` is one of a tree; a mere ``Solution`` is one of any game.
    verification : Verification

    See Also
    --------
    tremble.results.StatedSolution : all other attributes, reading and writing.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"), concept="quasi-perfect")
    >>> solution.value, solution.verification.proven
    (Fraction(-1, 18), 'quasi-perfect')
    """

    strategies: tuple[S_co, S_co]
    verification: Verification = field(compare=False)
