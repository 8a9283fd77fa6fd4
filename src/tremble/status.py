"""The status of a solution, which tells how much of the solution is proven."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Status"]


class Status(StrEnum):
    """The extent of what a solution claims.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"))
    >>> solution.status, str(solution.status)
    (<Status.CERTIFIED: 'certified'>, 'certified')
    """

    CERTIFIED = "certified"  # the concept is claimed
    BOUNDED = "bounded"  # only bounds are claimed
    LIMIT_REACHED = "limit-reached"  # no concept or bounds are claimed; a refutation may disprove a concept
