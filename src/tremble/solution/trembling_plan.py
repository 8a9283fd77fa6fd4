"""Completely mixed realization plans as polynomials in an infinitesimal, and the certificate with such plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tremble.game.requirements import required_parent_sequence
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import integer_array
from tremble.value import Value

__all__ = ["POLYNOMIALS", "Plans", "Rows", "TremblingPlan", "polynomials"]


def polynomials(plans: Plans, trembles: Rows | Literal["any"] | None, orders: Rows | None = None) -> Plain:
    """Return the certificate for completely mixed plans. Pass None if all ``trembles``, or all ``orders``, are 1."""
    return {
        "kind": POLYNOMIALS,
        **plan_entries(plans),
        "trembles": trembles,
        **({} if orders is None else {"orders": orders}),
    }


def plan_entries(plans: Plans) -> Plain:
    """Return the fields ``X``, ``Y`` and ``denominator`` of a certificate: the coefficients of both plans."""
    x, y = (coefficients(plan.coefficient.tolist()) for plan in plans)
    return {"X": x, "Y": y, "denominator": [Fraction(plan.denominator) for plan in plans]}


def coefficients(rows: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """Convert integers to Fractions. Equal integers become one object to save memory, because most integers repeat."""
    known = {value: Fraction(value) for row in rows for value in set(row)}
    return [[known[value] for value in row] for row in rows]


@dataclass(frozen=True, eq=False, repr=False)
class TremblingPlan(Value):
    r"""A completely mixed realization plan whose weights are polynomials or truncated power series in an infinitesimal.

    Attributes
    ----------
    player : int
    coefficient : object[degree + 1, S]
        Numerators over ``denominator``; row d is for degree d. The first nonzero coefficient of every sequence is
        positive. All coefficients of a sequence can be 0 only if the player makes no mistakes.
    denominator : int
    """

    player: int
    coefficient: NDArray[Any]
    denominator: int

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Degree of the first nonzero coefficient of each sequence's weight, int64[S]."""
        order: NDArray[np.int64] = np.argmax(np.asarray(self.coefficient != 0, dtype=np.bool_), axis=0)
        return order

    @cached_property
    def leading(self) -> NDArray[Any]:
        """The first nonzero coefficient of each sequence's weight, object[S]."""
        leading: NDArray[Any] = self.coefficient[self.order, np.arange(self.coefficient.shape[1])]
        return leading

    def limit(self, tree: GameTree) -> BehaviorStrategy:
        """Return the limit of the plan's behavior strategy at every information set, as the infinitesimal vanishes."""
        parent = required_parent_sequence(tree, self.player)
        start = tree.slot_start[self.player]
        degree = np.repeat(self.order[parent], np.diff(start))
        shares = self.coefficient[degree, np.arange(1, len(degree) + 1)].tolist()
        numerator: list[int] = []
        denominator: list[int] = []
        bounds = zip(self.leading[parent].tolist(), start[:-1].tolist(), start[1:].tolist(), strict=True)
        for whole, first, end in bounds:
            common = gcd(whole, *shares[first:end])
            denominator.append(whole // common)
            numerator.extend(share // common for share in shares[first:end])
        return BehaviorStrategy._of(tree, self.player, integer_array(numerator), integer_array(denominator))


POLYNOMIALS = "polynomials"


Rows = Sequence[Any]
"""A value per action, [player][information set][action]; ``ANY`` or ``NO_MISTAKES`` may replace a player's values."""


Plain = dict[str, Any]
Plans = tuple[Any, Any]
"""A plan for each player, as polynomials in an infinitesimal: see :class:`TremblingPlan`."""
