"""Certificates: how a claim is to be proven. Typed here; plain data in a solution and its file.

``{"kind": "best-response", "best_response_values": ["p/q", "p/q"], "nash_conv": "p/q"}``
    What each player earns at most against the other's strategy, and what both together could gain by
    deviating: ``"0"`` exactly at a Nash equilibrium. :class:`BestResponseCertificate`.

``{"kind": "polynomials", "X": [[text, ...], ...], "Y": ..., "denominator": [text, text], "trembles": null or lists}``
    Completely mixed plans of both players, as polynomials in an infinitesimal: coefficients [degree][sequence] in
    integers over one denominator each. Sequence 0 is the empty one, then come information sets by number and
    actions in tree order. Trembles are weights [player][information set][action]; null means that all are
    equal. :class:`PolynomialsCertificate`.

``{"kind": "basis", "basis": [[...], [...]], "X": ..., "Y": ..., "epsilon": {...}, "zeros": {...}, ...}``
    A basis of the games in which every action trembles, the first coefficients of both players' plans, and
    exact plans at one rational value; see ``docs/reference/file-formats.md``. :class:`BasisCertificate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.exact_numbers import format_fraction
from tremble.model.strategy import RealizationPlan, TremblingPlan

__all__ = ["BasisCertificate", "BestResponseCertificate", "Certificate", "PolynomialsCertificate"]


@dataclass(frozen=True)
class BestResponseCertificate:
    """Nobody gains by deviating, or how much both do.

    Attributes
    ----------
    values : pair of Fraction
        Expected payoffs of players 1 and 2.
    best_response_values : pair of Fraction
        What each of them earns at most against the other's strategy.

    Examples
    --------
    >>> v = Fraction(-1, 18)
    >>> BestResponseCertificate((v, -v), (v, -v)).plain()
    {'kind': 'best-response', 'nash_conv': '0', 'best_response_values': ['-1/18', '1/18']}
    """

    values: tuple[Fraction, Fraction]
    best_response_values: tuple[Fraction, Fraction]

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": "best-response",
            "nash_conv": format_fraction(Fraction(sum(self.best_response_values) - sum(self.values))),
            "best_response_values": [format_fraction(value) for value in self.best_response_values],
        }


@dataclass(frozen=True, eq=False)
class PolynomialsCertificate:
    """Perturbed plans in which whatever is played beyond its tremble is a best reply.

    Attributes
    ----------
    plans : pair of TremblingPlan
        Of players 1 and 2.
    trembles : lists of text, or None
        Weights [player][information set][action]; None if all are equal.
    """

    plans: tuple[TremblingPlan, TremblingPlan]
    trembles: list[list[list[str]]] | None

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": "polynomials", **_coefficients(self.plans), "trembles": self.trembles}


@dataclass(frozen=True, eq=False)
class BasisCertificate:
    """A basis that is optimal for every small enough value of the infinitesimal.

    Attributes
    ----------
    high : pair of sequences of int
        The sequences of each player that may rise above their least.
    plans : pair of TremblingPlan
        The first coefficients of the plans of players 1 and 2.
    epsilon : Fraction
    plans_there : pair of RealizationPlan
        Exact plans at that value of the infinitesimal.
    pivots : pairs of int, or None
        An elimination order: rows and columns of the program.
    null_vectors : sequence of (row, rows, factors)
        Independent combinations of the rows of the basis matrix that vanish at 0; each has a row of its own.
    zeros : mapping
        ``"weights"`` and ``"regrets"``: sequences of each player for which these are 0 altogether.
    trembles : lists of text, or None
        Weights [player][information set][action]; None if all are equal.
    error_bits : int or None
        The zeros may be wrong with a probability below 2^-error_bits; None if they are proven.
    """

    high: Sequence[Sequence[int]]
    plans: tuple[TremblingPlan, TremblingPlan]
    epsilon: Fraction
    plans_there: tuple[RealizationPlan, RealizationPlan]
    pivots: Sequence[Sequence[int]] | None
    null_vectors: Sequence[tuple[int, Sequence[int], Sequence[int]]]
    zeros: Mapping[str, Sequence[Sequence[int]]]
    trembles: list[list[list[str]]] | None
    error_bits: int | None

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        claims = ["weights and regrets listed in `zeros` vanish identically"]
        return {
            "kind": "basis",
            "basis": [list(side) for side in self.high],
            **_coefficients(self.plans),
            "epsilon": {
                "value": format_fraction(self.epsilon),
                **{
                    name: list(map(format_fraction, plan.weight.tolist()))
                    for name, plan in zip("XY", self.plans_there, strict=True)
                },
                "denominator": [format_fraction(plan.denominator or 1) for plan in self.plans_there],
            },
            "pivots": None if self.pivots is None else [list(pair) for pair in self.pivots],
            "row_operations": [
                {"row": row, "combination": [[r, format_fraction(f)] for r, f in zip(rows, factors, strict=True)]}
                for row, rows, factors in self.null_vectors
            ],
            "zeros": {name: [list(side) for side in sides] for name, sides in self.zeros.items()},
            "trembles": self.trembles,
            "probabilistic": None if self.error_bits is None else {"claims": claims, "k": self.error_bits},
        }


Certificate = BestResponseCertificate | PolynomialsCertificate | BasisCertificate


def _coefficients(plans: tuple[TremblingPlan, TremblingPlan]) -> dict[str, Any]:
    x, y = ([list(map(format_fraction, order)) for order in plan.coefficient.tolist()] for plan in plans)
    return {"X": x, "Y": y, "denominator": [format_fraction(plan.denominator) for plan in plans]}
