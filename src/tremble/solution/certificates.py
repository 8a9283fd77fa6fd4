"""Certificates and refutations as plain data: methods write them here, and the kernel reads them.

Exact numbers are Fractions here, and text in files. Sequence 0 is the empty one; then come information sets by number
and actions in tree order. ``docs/reference/file-formats.md`` explains the fields. The kernel shares nothing with these
functions: whatever they write, it proves or refuses.
"""

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
from tremble.integers import integer_array
from tremble.value import Value

__all__ = [
    "ANY",
    "BACKWARD_INDUCTION",
    "BASIS",
    "BEST_RESPONSE",
    "BRANCHING",
    "CONSISTENT_TREMBLES",
    "DOMINATED",
    "GUARANTEE",
    "MISTAKES",
    "NO_MISTAKES",
    "POLYNOMIALS",
    "RANKED_PLANS",
    "REPLY",
    "SUBGAME",
    "Plans",
    "Rows",
    "TremblingPlan",
    "backward_induction",
    "best_response",
    "consistent_trembles",
    "guarantee",
    "polynomials",
    "ranked_plans",
    "reply",
    "subgame",
]

BACKWARD_INDUCTION = "backward-induction"
BASIS = "basis"
BEST_RESPONSE = "best-response"
BRANCHING = "branching"
CONSISTENT_TREMBLES = "consistent-trembles"
DOMINATED = "dominated"
GUARANTEE = "guarantee"
MISTAKES = "mistakes"
POLYNOMIALS = "polynomials"
RANKED_PLANS = "ranked-plans"
REPLY = "reply"
SUBGAME = "subgame"


ANY: Literal["any"] = "any"
"""Stands for trembles of no given form, of both players or of one."""

NO_MISTAKES: Literal["none"] = "none"
"""Stands for the trembles of a player who makes no mistakes."""

Rows = Sequence[Any]
"""A value for each action: [player][information set][action]; ``ANY`` or ``NO_MISTAKES`` may stand for a player's."""

Pair = tuple[Fraction, Fraction]
Plain = dict[str, Any]
Plans = tuple[Any, Any]
"""A plan of each player in powers of an infinitesimal: see :class:`TremblingPlan`."""


# -- certificates --------------------------------------------------------------------------------------


def best_response(values: Pair, best: Pair) -> Plain:
    """State the expected payoffs and the best-response values of both players.

    Examples
    --------
    >>> v = Fraction(-1, 18)
    >>> best_response((v, -v), (v, -v))
    {'kind': 'best-response', 'nash_conv': Fraction(0, 1), 'best_response_values': [Fraction(-1, 18), Fraction(1, 18)]}
    """
    gains = Fraction(sum(best) - sum(values))
    return {"kind": BEST_RESPONSE, "nash_conv": gains, "best_response_values": list(map(Fraction, best))}


def polynomials(plans: Plans, trembles: Rows | Literal["any"] | None, orders: Rows | None = None) -> Plain:
    """State completely mixed plans, and the weights and orders of the trembles; None if all are 1."""
    return {
        "kind": POLYNOMIALS,
        **plan_entries(plans),
        "trembles": trembles,
        **({} if orders is None else {"orders": orders}),
    }


def consistent_trembles(trembles: Rows | None, orders: Rows | None) -> Plain:
    """State the weight and the order of each mistake; None if all are 1."""
    return {"kind": CONSISTENT_TREMBLES, "trembles": trembles, "orders": orders}


def ranked_plans(plans: Sequence[Sequence[NDArray[Any]]]) -> Plain:
    """State plans of each player, integer arrays [S], to all of which the strategy of the other is a best reply."""
    x, y = (coefficients([plan.tolist() for plan in own]) for own in plans)
    return {"kind": RANKED_PLANS, "X": x, "Y": y}


def backward_induction(trembles: Rows | None = None) -> Plain:
    """State the weights of the mistakes in a game of perfect information; None if all are 1."""
    return {"kind": BACKWARD_INDUCTION, "trembles": trembles}


def guarantee(player: int) -> Plain:
    """State the player, 0 or 1, whose guarantee best responses prove.

    Examples
    --------
    >>> guarantee(1)
    {'kind': 'guarantee', 'player': 2}
    """
    return {"kind": GUARANTEE, "player": player + 1}


def plan_entries(plans: Plans) -> Plain:
    """Return the fields ``X``, ``Y`` and ``denominator``."""
    x, y = (coefficients(plan.coefficient.tolist()) for plan in plans)
    return {"X": x, "Y": y, "denominator": [Fraction(plan.denominator) for plan in plans]}


def coefficients(rows: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """Return integers as Fractions; equal ones are one object, because few of the many numbers differ."""
    known = {value: Fraction(value) for row in rows for value in set(row)}
    return [[known[value] for value in row] for row in rows]


# -- refutations ---------------------------------------------------------------------------------------


def subgame(concept: str, path: Sequence[str], player: int) -> Plain:
    """State that a player, 0 or 1, gains by deviating in the subgame that begins at a path of action labels."""
    return {"concept": concept, "kind": SUBGAME, "path": list(path), "player": player + 1}


def reply(concept: str, player: int, infoset: int) -> Plain:
    """State that the player does not reply best at an information set, which counts from 0."""
    return {"concept": concept, "kind": REPLY, "player": player + 1, "infoset": infoset + 1}


@dataclass(frozen=True, eq=False, repr=False)
class TremblingPlan(Value):
    r"""A completely mixed realization plan of polynomials in an infinitesimal, or of their first terms.

    Attributes
    ----------
    player : int
    coefficient : object[degree + 1, S]
        Integers over ``denominator``. The first nonzero coefficient of every sequence is positive. Only a player who
        makes no mistakes may have sequences without a nonzero coefficient.
    denominator : int
    """

    player: int
    coefficient: NDArray[Any]
    denominator: int

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Degree of the first nonzero coefficient of each sequence, int64[S]."""
        order: NDArray[np.int64] = np.argmax(np.asarray(self.coefficient != 0, dtype=np.bool_), axis=0)
        return order

    @cached_property
    def leading(self) -> NDArray[Any]:
        """The first nonzero coefficient of each sequence, object[S]."""
        leading: NDArray[Any] = self.coefficient[self.order, np.arange(self.coefficient.shape[1])]
        return leading

    def limit(self, tree: GameTree) -> BehaviorStrategy:
        """Return the limit of the behavior strategies of the plan, which is defined at every information set."""
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
