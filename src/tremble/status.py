"""The status of a solution, which tells how much of the solution is proven."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Status"]


class Status(StrEnum):
    """The kind of claim that a solution makes about its strategies: a concept, bounds, or nothing.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"))
    >>> solution.status, str(solution.status)
    (<Status.CERTIFIED: 'certified'>, 'certified')
    """

    CERTIFIED = "certified"  # the concept is claimed
    BOUNDED = "bounded"  # only bounds are claimed
    LIMIT_REACHED = "limit-reached"  # neither a concept nor bounds are claimed; a refutation may disprove a concept
