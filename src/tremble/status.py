"""The status of a solution: how much of what it says is proven."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Status"]


class Status(StrEnum):
    """The extent of a claim.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"))
    >>> solution.status, str(solution.status)
    (<Status.CERTIFIED: 'certified'>, 'certified')
    """

    CERTIFIED = "certified"  # the concept is claimed
    BOUNDED = "bounded"  # only bounds are claimed
    LIMIT_REACHED = "limit-reached"  # nothing is claimed, except by a refutation
