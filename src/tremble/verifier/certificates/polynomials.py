r"""Plans that tremble, as a certificate of kind ``polynomials`` states them.

.. math::  x_q(\epsilon) = \frac1D \sum_{d=0}^{K} X_{dq}\, \epsilon^d

is the probability with which a player plays its own moves of sequence q. The *tremble* of q is the least
it may play them with: :math:`l_q(\epsilon) = W_q\,\epsilon^{d(q)}`, where d(q) is the number of own moves in q
and :math:`W_q > 0` the product of their weights.

For all small :math:`\epsilon > 0`, the order of two polynomials is that of their first differing coefficients, which
is how Python compares tuples: so polynomials are tuples of coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from tremble.exact_numbers import key_of, shorten
from tremble.verifier.budget import bits_of, budget, listening
from tremble.verifier.certificates.fields import brief, read_coefficients, read_numbers, read_weights
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.tree import Sequences

__all__ = ["PerturbedPlan", "Polynomial", "first_difference", "read_plans"]

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
    # degree K equals it, and each is above it exactly if it is positive.
    tremble: list[Polynomial]
    denominator: int

    @cached_property
    def order(self) -> list[int]:
        """The lowest degree at which each sequence has a coefficient; K + 1 if it has none."""
        return [
            next((degree for degree, value in enumerate(values) if value), len(values) - 1)
            for values in listening(self.by_sequence)
        ]


def read_plans(context: CheckContext) -> tuple[PerturbedPlan, PerturbedPlan] | None:
    """Read both plans; None, and problems that name the field, if the certificate is none of this kind."""
    certificate, problems = context.solution.certificate, context.problems
    kind = certificate.get("kind")
    if kind != "polynomials":
        found = brief(kind) if "kind" in certificate else "missing"
        problems.add(f"certificate.kind: {found}; the concept {context.solution.concept!r} is proven by 'polynomials'")
        return None
    fields = ("X", "Y", "denominator", "trembles")
    for key in certificate:
        if key not in ("kind", *fields):
            problems.add(f"certificate.{str(key)[:60]}: a certificate of kind 'polynomials' has no such field")
    missing = [key for key in fields if key not in certificate]
    for key in missing:
        problems.add(f"certificate.{key}: missing")
    if missing:
        return None
    before = len(problems)
    denominator = read_numbers(certificate["denominator"], "certificate.denominator", 2, "players", problems)
    for player, value in enumerate(denominator):
        if value <= 0 or value.denominator != 1:
            problems.add(f"certificate.denominator[{player}]: a positive integer, not {shorten(value)}")
    weight = [read_weights(context, player) for player in (0, 1)]
    rows = [read_coefficients(context, player) for player in (0, 1)]
    if len(problems) > before:
        return None
    one, two = (
        _plan(context.evaluation.sequences[player], rows[player], weight[player], int(denominator[player]))
        for player in (0, 1)
    )
    for name, plan in zip("XY", (one, two), strict=True):
        for d, values in enumerate(plan.by_degree):
            if values[0] != (plan.denominator if d == 0 else 0):
                problems.add(
                    f"certificate.{name}[{d}][0]: the empty sequence is played with probability 1, so its "
                    f"coefficient is {'the denominator' if d == 0 else '0'}, not {shorten(values[0])}"
                )
    return None if len(problems) > before else (one, two)


def _plan(
    sequences: Sequences, by_degree: list[list[int]], weight: list[Fraction | int], denominator: int
) -> PerturbedPlan:
    """A plan with its trembles."""
    last = len(by_degree)  # where trembles of degrees beyond K stand
    before, start = sequences.before.tolist(), sequences.start.tolist()
    depth = [0] * start[-1]
    product: list[Fraction | int] = [1] * start[-1]
    costs = budget()
    costs.about = "certificate.trembles"
    for k, prior in enumerate(listening(before)):
        for q in range(start[k], start[k + 1]):
            depth[q] = min(depth[prior] + 1, last)
            if depth[q] < last:
                one, other = bits_of(product[prior]), bits_of(weight[q - 1])
                costs.quotient(one, other, 2)
                costs.keep(one + other)
                product[q] = product[prior] * weight[q - 1]
    same: dict[tuple[int, int | str], Polynomial] = {}
    tremble = []
    for degree, least in listening(zip(depth, product, strict=True)):
        key = degree, key_of(least)
        if key not in same:
            costs.quotient(denominator.bit_length(), bits_of(least))
            costs.keep(denominator.bit_length() + bits_of(least))
            same[key] = (*[0] * degree, denominator * least, *[0] * (last - degree))
        tremble.append(same[key])
    return PerturbedPlan(
        by_degree=by_degree,
        by_sequence=list(zip(*by_degree, [0] * start[-1], strict=True)),
        tremble=tremble,
        denominator=denominator,
    )
