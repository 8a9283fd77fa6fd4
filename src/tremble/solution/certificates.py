"""Certificates: how a claim is to be proven. Typed here; plain data in a solution and its file.

The fields of the plain data are explained in ``docs/reference/file-formats.md``. Plans are coefficients
[degree][sequence]; sequence 0 is the empty one, then come information sets by number and actions in tree order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact_numbers import format_fraction
from tremble.model.strategy import RealizationPlan, TremblingPlan

__all__ = [
    "BasisCertificate",
    "BestResponseCertificate",
    "BranchingCertificate",
    "BranchingLeaf",
    "Certificate",
    "ConsistentTremblesCertificate",
    "PolynomialsCertificate",
    "SquareSystem",
]


@dataclass(frozen=True)
class BestResponseCertificate:
    """Nobody gains by deviating, or how much both do.

    Examples
    --------
    >>> v = Fraction(-1, 18)
    >>> BestResponseCertificate((v, -v), (v, -v)).plain()
    {'kind': 'best-response', 'nash_conv': '0', 'best_response_values': ['-1/18', '1/18']}
    """

    values: tuple[Fraction, Fraction]  # expected payoffs of players 1 and 2
    best_response_values: tuple[Fraction, Fraction]  # what each earns at most against the other's strategy

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": "best-response",
            "nash_conv": format_fraction(Fraction(sum(self.best_response_values) - sum(self.values))),
            "best_response_values": [format_fraction(value) for value in self.best_response_values],
        }


@dataclass(frozen=True, eq=False)
class PolynomialsCertificate:
    """Completely mixed plans, polynomials in an infinitesimal, that play best replies beyond their trembles."""

    plans: tuple[TremblingPlan, TremblingPlan]
    trembles: list[list[list[str]]] | None  # weights [player][information set][action]; None if all are equal

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": "polynomials", **_coefficients(self.plans), "trembles": self.trembles}


@dataclass(frozen=True, eq=False)
class SquareSystem:
    """What proves that a basis matrix is regular: how to eliminate it, and what of it vanishes at 0.

    The null vectors (row, rows, factors) are independent combinations of its rows that vanish at 0; each has a row of
    its own.
    """

    pivots: Sequence[Sequence[int]] | None  # an elimination order: rows and columns of the program
    null_vectors: Sequence[tuple[int, Sequence[int], Sequence[int]]]

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "pivots": None if self.pivots is None else [list(pair) for pair in self.pivots],
            "row_operations": [
                {"row": row, "combination": [[r, format_fraction(f)] for r, f in zip(rows, factors, strict=True)]}
                for row, rows, factors in self.null_vectors
            ],
        }


@dataclass(frozen=True, eq=False)
class ConsistentTremblesCertificate:
    """How rare each mistake is, as mistakes vanish: what beliefs follow from, and are rational with."""

    trembles: list[list[list[str]]] | None  # weights [player][information set][action]; None if all are equal
    orders: list[list[list[int]]] | None  # powers of the infinitesimal, in the same form; None if all are 1

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": "consistent-trembles", "trembles": self.trembles, "orders": self.orders}


@dataclass(frozen=True, eq=False)
class BasisCertificate:
    """A basis of the games in which every action trembles, optimal for every small enough value of the infinitesimal.

    One system determines both plans where the payoffs have a constant sum; else each plan has its own. The zeros are
    ``"weights"`` and ``"regrets"`` that are 0 altogether. They may be wrong with a probability below 2^-error_bits;
    None says that they are proven.
    """

    slack: Sequence[Sequence[int]]  # the sequences of each player that may rise above their least
    plans: tuple[TremblingPlan, TremblingPlan]  # their first coefficients
    epsilon: Fraction
    plans_there: tuple[RealizationPlan, RealizationPlan]  # exact, at that value of the infinitesimal
    systems: Sequence[SquareSystem]  # one, or one for each player's plan
    zeros: Mapping[str, Sequence[Sequence[int]]]  # sequences of each player
    trembles: list[list[list[str]]] | None  # weights [player][information set][action]; None if all are equal
    error_bits: int | None

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        claims = ["weights and regrets listed in `zeros` vanish identically"]
        systems = [system.plain() for system in self.systems]
        return {
            "kind": "basis",
            "basis": [list(side) for side in self.slack],
            **_coefficients(self.plans),
            "epsilon": {
                "value": format_fraction(self.epsilon),
                **{
                    name: list(map(format_fraction, plan.weight.tolist()))
                    for name, plan in zip("XY", self.plans_there, strict=True)
                },
                "denominator": [format_fraction(plan.denominator or 1) for plan in self.plans_there],
            },
            **(systems[0] if len(systems) == 1 else {"systems": systems}),
            "zeros": {name: [list(side) for side in sides] for name, sides in self.zeros.items()},
            "trembles": self.trembles,
            "probabilistic": None if self.error_bits is None else {"claims": claims, "k": self.error_bits},
        }


@dataclass(frozen=True)
class BranchingLeaf:
    """A cell that is not divided further, and what bounds the player's payoff in it."""

    mix: Sequence[tuple[int, int]]  # indices from 0 of replies of the opponent, and their weights: positive, below 2^53
    choices: Sequence[int]  # choice tree of the player, in preorder


@dataclass(frozen=True, eq=False)
class BranchingCertificate:
    """Bounds on what a player can guarantee: from below by its strategy, from above by a division of all strategies.

    A *choice tree*, in preorder, says which information sets (numbers from 1) are fixed before the relaxed pass: the
    number of a set, followed by one subtree for each of its vertices, or 0 for the pass.

    Examples
    --------
    >>> leaf = BranchingLeaf(mix=[(0, 1), (1, 1)], choices=[0])
    >>> certificate = BranchingCertificate(
    ...     player=0, epsilon=Fraction(0), lower=Fraction(0), upper=Fraction(0), response=[0], replies=[[0], [1]],
    ...     splits=[()], leaves=[leaf],
    ... )  # of matching pennies
    >>> certificate.plain()["leaves"]
    [{'mix': [[0, 1], [1, 1]], 'choices': [0]}]
    """

    player: int  # 0 or 1
    epsilon: Fraction  # payoff units, at least 0: how far apart the bounds may be
    # On what the player can guarantee, in its own payoffs.
    lower: Fraction
    upper: Fraction
    response: Sequence[int]  # choice tree of the opponent against the player's strategy, its vertices the actions
    replies: Sequence[Sequence[int]] | NDArray[np.int16]  # the opponent's, pure: an action (from 0) at each set
    # In preorder: (set from 1, vertices i and j from 0, numerator, bits) divides a cell at t v_i + (1 - t) v_j,
    # t = numerator / 2^bits, first the cell where this replaces v_i, then the one where it replaces v_j; () is a leaf.
    splits: Sequence[Sequence[int]]
    leaves: Sequence[BranchingLeaf]  # in preorder

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": "branching",
            "player": self.player + 1,
            **{name: format_fraction(getattr(self, name)) for name in ("epsilon", "lower", "upper")},
            "response": _integers(self.response),
            "replies": list(map(_integers, self.replies)),
            "splits": list(map(_integers, self.splits)),
            "leaves": [
                {"mix": list(map(_integers, leaf.mix)), "choices": _integers(leaf.choices)} for leaf in self.leaves
            ],
        }


Certificate = (
    BestResponseCertificate
    | PolynomialsCertificate
    | ConsistentTremblesCertificate
    | BasisCertificate
    | BranchingCertificate
)


def _integers(values: Sequence[int]) -> list[int]:
    """A list of Python integers, also of an array's."""
    return values.tolist() if isinstance(values, np.ndarray) else list(map(int, values))


def _coefficients(plans: tuple[TremblingPlan, TremblingPlan]) -> dict[str, Any]:
    x, y = ([list(map(format_fraction, order)) for order in plan.coefficient.tolist()] for plan in plans)
    return {"X": x, "Y": y, "denominator": [format_fraction(plan.denominator) for plan in plans]}
