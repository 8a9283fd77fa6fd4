r"""Plans that tremble, as a certificate of kind ``polynomials`` states them.

.. math::  x_q(\epsilon) = \frac1D \sum_{d=0}^{K} X_{dq}\, \epsilon^d

is the probability with which a player plays its own moves of sequence q. The *tremble* of q is the least
it may play them with: :math:`l_q(\epsilon) = W_q\,\epsilon^{d(q)}`, where d(q) is the number of own moves in q
and :math:`W_q > 0` the product of their weights.

For all small :math:`\epsilon > 0`, the order of two polynomials is that of their first differing
coefficients, which is how Python compares tuples: all comparisons below are comparisons of tuples.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from tremble.fraction_text import parse_fraction, shorten
from tremble.verifier.budget import budget
from tremble.verifier.tree import Moves
from tremble.verifier.verification import Case, Problems

__all__ = [
    "Plan",
    "Polynomial",
    "bits_of",
    "first_difference",
    "read_coefficients",
    "read_numbers",
    "read_plans",
    "read_weights",
]

Polynomial = tuple[int | Fraction, ...]
"""Coefficients, the constant one first."""


@dataclass(frozen=True, eq=False)
class Plan:
    """The perturbed plan of one player.

    Shapes: S sequences, degrees 0 to K.

    Attributes
    ----------
    by_degree : list of K + 1 lists of S int
        Coefficients as integers over ``denominator``.
    by_sequence : list of S tuples of int
        The same per sequence, with a last coefficient 0 at degree K + 1.
    tremble : list of S tuples
        What is played at least, in the same form. A tremble of a degree beyond K stands at degree K + 1:
        no polynomial of degree K equals it, and each is above it exactly if it is positive.
    denominator : int
    """

    by_degree: list[list[int]]
    by_sequence: list[tuple[int, ...]]
    tremble: list[Polynomial]
    denominator: int

    @cached_property
    def order(self) -> list[int]:
        """The lowest degree at which each sequence has a coefficient; K + 1 if it has none."""
        return [
            next((degree for degree, value in enumerate(values) if value), len(values) - 1)
            for values in self.by_sequence
        ]


def first_difference(one: Polynomial, other: Polynomial) -> int:
    """The first degree at which two polynomials of equal length differ.

    Examples
    --------
    >>> first_difference((0, 2, 1), (0, 2, 3))
    2
    """
    return next(degree for degree, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)


def read_plans(case: Case) -> tuple[Plan, Plan] | None:
    """Read both plans; None, and problems that name the field, if the certificate is none of this kind."""
    certificate, problems = case.solution.certificate, case.problems
    kind = certificate.get("kind")
    if kind != "polynomials":
        found = repr(kind)[:60] if "kind" in certificate else "missing"
        problems.add(f"certificate.kind: {found}; the concept {case.solution.concept!r} is proven by 'polynomials'")
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
    weight = [read_weights(case, player) for player in (0, 1)]
    rows = [read_coefficients(case, player) for player in (0, 1)]
    if len(problems) > before:
        return None
    one, two = (
        _plan(case.evaluation.moves[player], rows[player], weight[player], int(denominator[player]))
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


def read_coefficients(case: Case, player: int) -> list[list[int]]:
    """The field ``X`` or ``Y``, by degree and sequence."""
    name = "XY"[player]
    stated, problems = case.solution.certificate[name], case.problems
    if not isinstance(stated, list | tuple) or not stated:
        problems.add(f"certificate.{name}: not a list with a list of integers as text for each degree")
        return []
    size = case.evaluation.moves[player].num_sequences
    known: dict[str, Fraction] = {}  # most are zero
    rows = []
    for d, row in enumerate(stated):
        where = f"certificate.{name}[{d}]"
        values = read_numbers(row, where, size, f"sequences of player {player + 1}", problems, known)
        rows.append([value.numerator for value in values])
        for q, value in enumerate(values):
            if value.denominator != 1:
                problems.add(f"{where}[{q}]: an integer, not {shorten(value)}")
    return rows


def read_weights(case: Case, player: int) -> list[Fraction | int]:
    """The weight of the tremble of each action of a player, set by set."""
    stated, problems = case.solution.certificate["trembles"], case.problems
    actions = case.tree.actions[player]
    if stated is None:
        return [1] * sum(map(len, actions))
    where = f"certificate.trembles[{player}]"
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        problems.add(f"{where}: missing; trembles are null or a list for each of the two players")
        return []
    if not isinstance(stated[player], list | tuple) or len(stated[player]) != len(actions):
        problems.add(f"{where}: not a list of {len(actions)}, the number of information sets")
        return []
    weight: list[Fraction | int] = []
    for k, (row, labels) in enumerate(zip(stated[player], actions, strict=True)):
        values = read_numbers(row, f"{where}[{k}]", len(labels), "actions", problems)
        weight.extend(values)
        for j, value in enumerate(values):
            if value <= 0:
                problems.add(f"{where}[{k}][{j}]: the weight of a tremble is positive, not {shorten(value)}")
    return weight


def read_numbers(
    stated: Any,
    where: str,
    size: int,
    of_what: str,
    problems: Problems,
    known: dict[str, Fraction] | None = None,
) -> list[Fraction]:
    """Read exact numbers as text. Each that is none is a problem, and 1 stands in its place."""
    if not isinstance(stated, list | tuple):
        problems.add(f"{where}: not a list of exact numbers as text")
        return []
    if len(stated) != size:
        problems.add(f"{where}: a list of {len(stated):,}, but the number of {of_what} is {size:,}")
        return []
    known = {} if known is None else known
    numbers = []
    for i, text in enumerate(stated):
        value = known.get(text) if isinstance(text, str) else None
        if value is None:
            try:
                value = known[text] = parse_fraction(text)
            except (TypeError, ValueError) as error:
                reason = error if isinstance(text, str) else "not an exact number as text"
                problems.add(f"{where}[{i}]: {reason}")
                value = Fraction(1)
        numbers.append(value)
    return numbers


def bits_of(value: Fraction | int) -> int:
    """The length of numerator and denominator together.

    Examples
    --------
    >>> bits_of(Fraction(-1, 4))
    4
    """
    return value.numerator.bit_length() + value.denominator.bit_length()


def _plan(moves: Moves, by_degree: list[list[int]], weight: list[Fraction | int], denominator: int) -> Plan:
    """A plan with its trembles."""
    last = len(by_degree)  # where trembles of degrees beyond K stand
    before, start = moves.before.tolist(), moves.start.tolist()
    depth = [0] * start[-1]
    product: list[Fraction | int] = [1] * start[-1]
    costs = budget()
    costs.about = "certificate.trembles"
    for k, prior in enumerate(before):
        for q in range(start[k], start[k + 1]):
            depth[q] = min(depth[prior] + 1, last)
            if depth[q] < last:
                one, other = bits_of(product[prior]), bits_of(weight[q - 1])
                costs.quotient(one, other, 2)
                costs.keep(one + other)
                product[q] = product[prior] * weight[q - 1]
    same: dict[tuple[int, Fraction | int], Polynomial] = {}
    for key in zip(depth, product, strict=True):
        if key not in same:
            costs.quotient(denominator.bit_length(), bits_of(key[1]))
            costs.keep(denominator.bit_length() + bits_of(key[1]))
            same[key] = (*[0] * key[0], denominator * key[1], *[0] * (last - key[0]))
    return Plan(
        by_degree=by_degree,
        by_sequence=list(zip(*by_degree, [0] * start[-1], strict=True)),
        tremble=[same[key] for key in zip(depth, product, strict=True)],
        denominator=denominator,
    )
