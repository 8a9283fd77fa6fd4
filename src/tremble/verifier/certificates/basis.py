r"""Certificates of kind ``basis``: what they state, read and brought into one form.

Weights of trembles may be fractions; with W their least common denominator, :math:`w\,\epsilon = (W w)(\epsilon / W)`.
All that is read here is in terms of :math:`e = \epsilon / W`, in which weights and coefficients are integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact_numbers import parse_fraction, shorten
from tremble.verifier.algebra.perturbed_system import SMALL
from tremble.verifier.budget import bits_of, budget, listening
from tremble.verifier.certificates.fields import (
    brief,
    is_count,
    is_object,
    read_coefficients,
    read_denominators,
    read_numbers,
    read_weights,
)
from tremble.verifier.context import CheckContext, Problems

__all__ = ["BasisCertificate", "StatedSystem", "read_basis"]

_FIELDS = ("basis", "X", "Y", "denominator", "epsilon", "trembles", "zeros", "probabilistic")
_SYSTEM = ("pivots", "row_operations")
_CLAIM = "weights and regrets listed in `zeros` vanish identically"
_BITS = 60, 200


@dataclass(frozen=True, eq=False)
class StatedSystem:
    """What is stated about a square system."""

    where: str  # in the certificate
    pivots: NDArray[np.int64] | None  # int64[n, 2] or None: numbers of its rows and columns
    # Factors of its rows, by number, whose sum is stated to vanish at e = 0. Each has a row of its own, so they are
    # linearly independent.
    null_vectors: list[dict[int, int]]


@dataclass(frozen=True, eq=False)
class BasisCertificate:
    """A basis of the perturbed game and what is stated about it, one entry per player."""

    # Whether each sequence may be played more than it must.
    slack: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # pair of bool[s_i]
    weight: tuple[list[int], list[int]]  # of the tremble of each sequence; 0 for the empty one
    series: tuple[list[list[int]], list[list[int]]]  # coefficients of the plans, by order and sequence
    denominator: tuple[int, int]  # of series
    epsilon: Fraction  # where plan is an equilibrium
    plan: tuple[list[int], list[int]]  # probability of each sequence
    plan_denominator: tuple[int, int]
    systems: list[StatedSystem]  # one that determines both plans, or one for each
    # What is stated to vanish identically.
    zero_weights: tuple[set[int], set[int]]
    zero_regrets: tuple[set[int], set[int]]
    k: int | None  # something that does not vanish passes with a probability of at most 2^-k; None if nothing does


def read_basis(context: CheckContext) -> BasisCertificate | None:
    """Read the certificate; None, and problems that name the field, if it is none of this kind."""
    certificate, problems = context.solution.certificate, context.problems
    kind = certificate.get("kind")
    if kind != "basis":
        found = brief(kind) if "kind" in certificate else "missing"
        problems.add(f"certificate.kind: {found}; the concept {context.solution.concept!r} is proven by 'basis'")
        return None
    own = "systems" in certificate
    if not is_object(certificate, ("kind", *_FIELDS, *(("systems",) if own else _SYSTEM)), "certificate", problems):
        return None
    if not own and context.evaluation.constant_sum is None:
        problems.add("certificate.systems: missing; the payoffs have no constant sum, so each plan has its own system")
        return None
    before = len(problems)
    size = [own.num_sequences for own in context.evaluation.sequences]
    weights = [read_weights(context, player) for player in (0, 1)]
    rows = [read_coefficients(context, player) for player in (0, 1)]
    denominator = read_denominators(certificate["denominator"], "certificate.denominator", problems)
    basis = _read_sequences(context, certificate["basis"], "certificate.basis")
    zeros: dict[str, list[set[int]]] = {}
    if is_object(certificate["zeros"], ("weights", "regrets"), "certificate.zeros", problems):
        zeros = {
            name: _read_sequences(context, certificate["zeros"][name], f"certificate.zeros.{name}")
            for name in ("weights", "regrets")
        }
    epsilon, plans, plan_denominator = _read_point(context, certificate["epsilon"])
    k = _read_probability(certificate["probabilistic"], problems)
    if len(problems) > before:
        return None
    slack = [np.zeros(s, dtype=np.bool_) for s in size]
    for player in (0, 1):
        slack[player][list(basis[player])] = True
    _check_shape(context, slack)
    if len(problems) > before:
        return None
    systems = _read_systems(context, slack, certificate)
    if len(problems) > before:
        return None
    costs = budget()
    costs.about = "certificate.trembles"
    whole = costs.common_denominator(weight.denominator for side in weights for weight in side)
    if whole > 1:
        for values in rows:
            _scale(values, whole)
    for side in weights:
        for weight in listening(side):
            costs.quotient(whole.bit_length(), bits_of(weight), 2)
            costs.keep(whole.bit_length() + bits_of(weight))
    costs.quotient(bits_of(epsilon), whole.bit_length(), 2)
    one, two = ([0, *(int(weight * whole) for weight in side)] for side in weights)
    return BasisCertificate(
        slack=(slack[0], slack[1]),
        weight=(one, two),
        series=(rows[0], rows[1]),
        denominator=denominator,
        epsilon=epsilon / whole,
        plan=(plans[0], plans[1]),
        plan_denominator=plan_denominator,
        systems=systems,
        zero_weights=(zeros["weights"][0], zeros["weights"][1]),
        zero_regrets=(zeros["regrets"][0], zeros["regrets"][1]),
        k=k,
    )


def _scale(series: list[list[int]], whole: int) -> None:
    """Multiply each order of a series by one more power of a number."""
    costs = budget()
    power = 1
    for d in range(1, len(series)):
        rest = [i for i, value in enumerate(series[d]) if value]
        if not any(map(any, series[d:])):
            return
        one, other = power.bit_length(), whole.bit_length()
        costs.product(one, other)
        costs.keep(one + other)
        power *= whole
        values = series[d] = list(series[d])
        for q in listening(rest):
            costs.product(values[q].bit_length(), one + other)
            costs.keep(values[q].bit_length() + one + other)
            values[q] *= power


def _read_sequences(context: CheckContext, stated: Any, where: str) -> list[set[int]]:
    """A list for each player of sequences, ascending, not the empty one."""
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        context.problems.add(f"{where}: not a list for each of the two players")
        return [set(), set()]
    result = []
    for player, row in enumerate(stated):
        size = context.evaluation.sequences[player].num_sequences
        here = f"{where}[{player}]"
        if not isinstance(row, list | tuple):
            context.problems.add(f"{here}: not a list of sequences")
            row = []
        last = 0
        for i, q in enumerate(listening(row)):
            if not is_count(q) or not 1 <= q < size:
                context.problems.add(f"{here}[{i}]: {brief(q)} is no sequence; the numbers are 1 to {size - 1:,}")
                break
            if q <= last:
                context.problems.add(f"{here}[{i}]: the sequences do not ascend")
                break
            last = q
        else:
            result.append(set(row))
            continue
        result.append(set())
    return result


def _check_shape(context: CheckContext, slack: list[NDArray[np.bool_]]) -> None:
    """The system that belongs to the basis is square, and something may be played at each set."""
    spare = []
    for player, (allowed, own) in enumerate(zip(slack, context.evaluation.sequences, strict=True)):
        number = np.add.reduceat(allowed.astype(np.int64), own.start[:-1]) if len(own.before) else allowed[:0]
        for k in np.flatnonzero(number == 0).tolist():
            context.problems.add(
                f"{context.place(player, k)}: certificate.basis[{player}] names none of its actions; "
                "one at least is played more than it must be"
            )
        spare.append(int(allowed.sum()) - len(own.before))
    if spare[0] != spare[1]:
        context.problems.add(
            "certificate.basis: the system is not square; beyond one for each information set, it names "
            f"{spare[0]} sequences of player 1 and {spare[1]} of player 2"
        )


def _read_point(context: CheckContext, stated: Any) -> tuple[Fraction, list[list[int]], tuple[int, int]]:
    """The field ``epsilon``: one value and the plans there."""
    where, problems = "certificate.epsilon", context.problems
    value = Fraction(1)
    plans: list[list[int]] = []
    if not is_object(stated, ("value", "X", "Y", "denominator"), where, problems):
        return value, plans, (1, 1)
    text = stated["value"]
    try:
        value = parse_fraction(text)
        if value <= 0:
            problems.add(f"{where}.value: a positive number, not {shorten(value)}")
    except (TypeError, ValueError) as error:
        problems.add(f"{where}.value: {error if isinstance(text, str) else 'not an exact number as text'}")
    for player, name in enumerate("XY"):
        size = context.evaluation.sequences[player].num_sequences
        numbers = read_numbers(stated[name], f"{where}.{name}", size, f"sequences of player {player + 1}", problems)
        for q, number in enumerate(listening(numbers)):
            if number.denominator != 1:
                problems.add(f"{where}.{name}[{q}]: an integer, not {shorten(number)}")
        plans.append([number.numerator for number in numbers])
    return value, plans, read_denominators(stated["denominator"], f"{where}.denominator", problems)


def _read_systems(
    context: CheckContext, slack: list[NDArray[np.bool_]], certificate: Mapping[str, Any]
) -> list[StatedSystem]:
    """One for both plans, or one for each player's."""
    problems = context.problems
    if "systems" not in certificate:
        return [_read_system(context, (0, 1), slack, certificate, "certificate")]
    stated = certificate["systems"]
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        problems.add("certificate.systems: not a list of two, one for each player's plan")
        return []
    for i, system in enumerate(stated):
        if not is_object(system, _SYSTEM, f"certificate.systems[{i}]", problems):
            return []
    return [
        _read_system(context, (i, 1 - i), slack, system, f"certificate.systems[{i}]") for i, system in enumerate(stated)
    ]


def _read_system(
    context: CheckContext,
    players: tuple[int, int],
    slack: list[NDArray[np.bool_]],
    stated: Mapping[str, Any],
    where: str,
) -> StatedSystem:
    """A system of the first player's plan and the second's shortfalls."""
    own, other = (slack[player] for player in players)
    sets = [len(context.evaluation.sequences[player].before) for player in players]
    rows, columns = _rows_and_columns(own, other, sets)
    return StatedSystem(
        where,
        _read_pivots(rows.copy(), columns, stated["pivots"], f"{where}.pivots", context.problems),
        _read_null_vectors(rows, stated["row_operations"], f"{where}.row_operations", context.problems),
    )


def _rows_and_columns(
    own: NDArray[np.bool_], other: NDArray[np.bool_], sets: list[int]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows and columns of the numbering the square system has."""
    s1, s2, (j1, j2) = len(own), len(other), sets
    rows, columns = np.ones(j1 + s1 + s2, dtype=np.bool_), np.ones(s1 + j2 + s2, dtype=np.bool_)
    rows[j1 + 1 : j1 + s1] = ~own[1:]
    columns[s1 + j2 + 1 :] = ~other[1:]
    return rows, columns


def _read_null_vectors(present: NDArray[np.bool_], stated: Any, where: str, problems: Problems) -> list[dict[int, int]]:
    """Combinations of rows, each with a row of its own."""
    if not isinstance(stated, list | tuple):
        problems.add(f"{where}: not a list")
        return []
    vectors: list[dict[int, int]] = []
    own: list[int] = []
    for i, operation in enumerate(listening(stated)):
        here = f"{where}[{i}]"
        if not is_object(operation, ("row", "combination"), here, problems):
            return []
        combination = operation["combination"]
        if not isinstance(combination, list | tuple):
            problems.add(f"{here}.combination: not a list of pairs of a row and a factor")
            return []
        vector: dict[int, int] = {}
        for j, pair in enumerate(listening(combination)):
            sound = isinstance(pair, list | tuple) and len(pair) == 2 and is_count(pair[0])
            if not sound or not 0 <= pair[0] < len(present) or not present[pair[0]] or pair[0] in vector:
                problems.add(f"{here}.combination[{j}]: not a row of the system, named once, and a factor")
                return []
            numbers = read_numbers([pair[1]], f"{here}.combination[{j}][1]", 1, "factors", problems)
            if not numbers:
                return []
            if numbers[0].denominator != 1 or numbers[0] == 0:
                problems.add(f"{here}.combination[{j}][1]: an integer other than 0, not {shorten(numbers[0])}")
                return []
            vector[pair[0]] = numbers[0].numerator
        if not is_count(operation["row"]) or operation["row"] not in vector:
            problems.add(f"{here}.row: {brief(operation['row'])} is not among the rows that are combined")
            return []
        own.append(operation["row"])
        vectors.append(vector)
    times = Counter(row for vector in vectors for row in vector)
    for i, row in enumerate(own):
        if times[row] > 1:
            problems.add(f"{where}[{i}].row: {row} is combined elsewhere, too")
            return []
    return vectors


def _read_pivots(
    rows: NDArray[np.bool_], columns: NDArray[np.bool_], stated: Any, where: str, problems: Problems
) -> NDArray[np.int64] | None:
    """The order of elimination; None for own pivots."""
    size = int(rows.sum())
    if stated is None:
        if size > SMALL:
            problems.add(f"{where}: null, but an order of elimination is needed for systems of more than {SMALL}")
        return None
    if not isinstance(stated, list | tuple) or len(stated) != size:
        problems.add(f"{where}: not a list of {size:,} pairs of a row and a column, the size of the system")
        return None
    pairs = np.zeros((size, 2), dtype=np.int64)
    for i, pair in enumerate(listening(stated)):
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(is_count, pair)):
            problems.add(f"{where}[{i}]: not a pair of a row and a column")
            return None
        for axis, (what, number, left) in enumerate(zip(("row", "column"), pair, (rows, columns), strict=True)):
            if not 0 <= number < len(left) or not left[number]:
                problems.add(f"{where}[{i}]: the system has no {what} {brief(number)}, or it has had its pivot")
                return None
            left[number] = False
            pairs[i, axis] = number
    return pairs if size > SMALL else None


def _read_probability(stated: Any, problems: Problems) -> int | None:
    """The field ``probabilistic``: k, or None."""
    where = "certificate.probabilistic"
    if stated is None or not is_object(stated, ("claims", "k"), where, problems):
        return None
    if not isinstance(stated["claims"], list | tuple) or list(stated["claims"]) != [_CLAIM]:
        problems.add(f"{where}.claims: what may be drawn at random is [{_CLAIM!r}]")
    k = stated["k"]
    if not is_count(k) or not _BITS[0] <= k <= _BITS[1]:
        problems.add(f"{where}.k: an integer between {_BITS[0]} and {_BITS[1]}, not {brief(k)}")
        return None
    return int(k)
