"""Certificates of kind ``ranked-plans``: to which plans, with costly mistakes or without, each strategy is best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from tremble.verifier.certificates.fields import Certificate, plain_coefficients, read_coefficients
from tremble.verifier.context import CheckContext

__all__ = ["RankedPlansCertificate"]


@dataclass(frozen=True, eq=False)
class RankedPlansCertificate(Certificate):
    """Plans of each player, to all of which the strategy of the other is a best reply.

    Sequence 0 is the empty one, then come information sets by number and actions in tree order.
    """

    kind: ClassVar[str] = "ranked-plans"

    plans: tuple[list[list[int]], list[list[int]]]  # of each player, [plan][sequence]: times the empty one's weight

    @classmethod
    def of(cls, plans: Sequence[Sequence[NDArray[Any]]]) -> RankedPlansCertificate:
        """Those of solvers: integer arrays [S]."""
        x, y = ([plan.tolist() for plan in own] for own in plans)
        return cls((x, y))

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        x, y = map(plain_coefficients, self.plans)
        return {"kind": self.kind, "X": x, "Y": y}

    @classmethod
    def read(cls, context: CheckContext) -> RankedPlansCertificate | None:
        """What is stated; None, and problems that name the field, if it is none of this kind."""
        before = len(context.problems)
        otherwise = f"the concept {context.solution.concept!r} is proven by {cls.kind!r}"
        if not cls.is_stated(context, otherwise, "X", "Y"):
            return None
        stated = context.solution.certificate
        x, y = (read_coefficients(stated["XY"[i]], context.tree, i, context.problems) for i in (0, 1))
        return None if len(context.problems) > before else cls((x, y))
