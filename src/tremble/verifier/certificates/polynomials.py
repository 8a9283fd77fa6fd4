r"""Plans that tremble, as a certificate of kind ``polynomials`` states them.

.. math::  x_q(\epsilon) = \frac1D \sum_{d=0}^{K} X_{dq}\, \epsilon^d

is the probability with which a player plays its own moves of sequence q. Mistakes are of any form, or of a stated one:
then the *tremble* of q is the least it may play them with, :math:`l_q(\epsilon) = W_q\,\epsilon^{d(q)}`, where d(q)
is the sum of the orders of the own moves in q (their number, if all orders are 1) and :math:`W_q > 0` the product of
their weights. A player may be stated to make no mistakes: then it has no trembles.

For all small :math:`\epsilon > 0`, the order of two polynomials is that of their first differing coefficients, which
is how Python compares tuples: so polynomials are tuples of coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

from tremble.numbers import key_of, shorten
from tremble.verifier.budget import bits_of, budget, listening
from tremble.verifier.certificates.fields import (
    ANY,
    NO_MISTAKES,
    Certificate,
    Plans,
    Rows,
    by_action,
    read_orders,
    read_trembles,
    words,
)
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.tree import Sequences

__all__ = ["PerturbedPlan", "Polynomial", "PolynomialsCertificate", "first_difference", "perturbed_plans"]

Polynomial = tuple[int | Fraction, ...]
"""Coefficients, the constant one first."""


def first_difference(one: Polynomial, other: Polynomial) -> int:
    """The first degree at which two polynomials of equal length differ.

    Examples
    --------
    >>> first_difference((0, 2, 1), (0, 2, 3))
    2
    """
    return next(degree for degree, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)


@dataclass(frozen=True, eq=False)
class PerturbedPlan:
    """The perturbed plan of one player.

    Shapes: S sequences, degrees 0 to K.
    """

    by_degree: list[list[int]]  # coefficients as integers over denominator
    by_sequence: list[tuple[int, ...]]  # the same per sequence, with a last coefficient 0 at degree K + 1
    # What is played at least, in the same form. A tremble of a degree beyond K stands at degree K + 1: no polynomial of
    # degree K equals it, and each is above it exactly if it is positive. None: trembles of no given form.
    tremble: list[Polynomial] | None
    denominator: int
    errs: bool = True  # whether it is a plan of a player who makes mistakes

    @cached_property
    def order(self) -> list[int]:
        """The lowest degree at which each sequence has a coefficient; K + 1 if it has none."""
        return [
            next((degree for degree, value in enumerate(values) if value), len(values) - 1)
            for values in listening(self.by_sequence)
        ]


@dataclass(frozen=True, eq=False)
class PolynomialsCertificate(Certificate):
    """Completely mixed plans, polynomials in an infinitesimal, and what they play beyond their trembles is best."""

    kind: ClassVar[str] = "polynomials"

    plans: Plans
    trembles: Rows | Literal["any"] | None  # weights; None if all are 1; "any" if they are of no given form
    orders: Rows | None = None  # powers of the infinitesimal; None if all are 1

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        orders = {} if self.orders is None else {"orders": self.orders}
        return {"kind": self.kind, **self.plans.plain(), "trembles": self.trembles, **orders}

    @classmethod
    def read(cls, context: CheckContext) -> PolynomialsCertificate | None:
        """What is stated; None, and problems that name the field, if it is none of this kind."""
        before = len(context.problems)
        otherwise = f"the concept {context.solution.concept!r} is proven by {cls.kind!r}"
        certificate = context.solution.certificate
        ordered = ("orders",) if "orders" in certificate else ()
        if not cls.is_stated(context, otherwise, "X", "Y", "denominator", "trembles", *ordered):
            return None
        plans = Plans.read(certificate, context.tree, context.problems)
        free = isinstance(certificate["trembles"], str) and certificate["trembles"] == ANY
        trembles = None if free else read_trembles(context)
        stated = cls(plans, ANY if free else trembles, read_orders(context, trembles))
        if free and stated.orders is not None:
            context.problems.add("certificate.orders: stated, but trembles of no given form have no orders")
        return None if len(context.problems) > before else stated


def perturbed_plans(context: CheckContext) -> tuple[PerturbedPlan, PerturbedPlan] | None:
    """Both plans that the certificate states, with their trembles; None and problems if it states none."""
    problems, stated = context.problems, PolynomialsCertificate.read(context)
    if stated is None:
        return None
    before = len(problems)
    word = {} if stated.trembles == ANY else words(stated.trembles)
    plan1, plan2 = (
        _plan(
            context.evaluation.sequences[player],
            stated.plans.coefficient[player],
            None if ANY in (stated.trembles, word.get(player)) else by_action(stated.trembles, context.tree, player),
            by_action(stated.orders, context.tree, player),
            stated.plans.denominator[player],
            word.get(player) != NO_MISTAKES,
        )
        for player in (0, 1)
    )
    for name, plan in zip("XY", (plan1, plan2), strict=True):
        for d, values in enumerate(plan.by_degree):
            if values[0] != (plan.denominator if d == 0 else 0):
                problems.add(
                    f"certificate.{name}[{d}][0]: the empty sequence is played with probability 1, so its "
                    f"coefficient is {'the denominator' if d == 0 else '0'}, not {shorten(values[0])}"
                )
    return None if len(problems) > before else (plan1, plan2)


def _plan(
    sequences: Sequences,
    by_degree: list[list[int]],
    weight: list[Fraction | int] | None,
    orders: list[int],
    denominator: int,
    errs: bool,
) -> PerturbedPlan:
    """A plan with its trembles, if their weights are stated."""
    return PerturbedPlan(
        by_degree=by_degree,
        by_sequence=list(zip(*by_degree, [0] * sequences.num_sequences, strict=True)),
        tremble=_trembles(sequences, len(by_degree), weight, orders, denominator)
        if errs and weight is not None
        else None,
        denominator=denominator,
        errs=errs,
    )


def _trembles(
    sequences: Sequences, last: int, weight: list[Fraction | int], orders: list[int], denominator: int
) -> list[Polynomial]:
    """What each sequence is played with at least; at degree ``last`` stands what has a degree beyond K."""
    before, start = sequences.before.tolist(), sequences.start.tolist()
    depth = [0] * start[-1]
    product: list[Fraction | int] = [1] * start[-1]
    costs = budget()
    costs.about = "certificate.trembles"
    for k, prior in enumerate(listening(before)):
        for q in range(start[k], start[k + 1]):
            depth[q] = min(depth[prior] + orders[q - 1], last)
            if depth[q] < last:
                product[q] = product[prior]
                if weight[q - 1] != 1:
                    one, other = bits_of(product[prior]), bits_of(weight[q - 1])
                    costs.quotient(one, other, 2)
                    costs.keep(one + other)
                    product[q] *= weight[q - 1]
    same: dict[tuple[int, int | str], Polynomial] = {}
    objects: dict[tuple[int, int], Polynomial] = {}  # what is handed on is looked up by what it is, not by its digits
    tremble = []
    for degree, least in listening(zip(depth, product, strict=True)):
        if (degree, id(least)) not in objects:
            key = degree, key_of(least)
            if key not in same:
                costs.quotient(denominator.bit_length(), bits_of(least))
                costs.keep(denominator.bit_length() + bits_of(least))
                same[key] = (*[0] * degree, denominator * least, *[0] * (last - degree))
            objects[degree, id(least)] = same[key]
        tremble.append(objects[degree, id(least)])
    return tremble
