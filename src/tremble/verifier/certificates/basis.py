r"""Certificates of kind ``basis``: what they state, read and brought into one form.

Weights of trembles may be fractions; with W their least common denominator,
:math:`w\,\epsilon^k = (W^k w)(\epsilon / W)^k`. All that is read here is in terms of :math:`e = \epsilon / W`, in
which weights and coefficients are integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.numbers import shorten
from tremble.verifier.algebra.equitable import Classes, is_first
from tremble.verifier.algebra.perturbed_system import SMALL, PerturbedProgram
from tremble.verifier.budget import bits_of, budget, listening
from tremble.verifier.certificates.fields import (
    Certificate,
    Plans,
    Rows,
    brief,
    by_action,
    exact,
    is_count,
    is_object,
    plain_coefficients,
    read_denominators,
    read_numbers,
    read_orders,
    read_trembles,
    words,
)
from tremble.verifier.context import CheckContext, Problems

__all__ = ["BasisCertificate", "SquareSystem"]

_FIELDS = ("basis", "X", "Y", "denominator", "epsilon", "trembles", "zeros", "probabilistic")
_SYSTEM = ("pivots", "row_operations")
_UNLIKE = {
    "moves": "what comes before or after them is of other classes",
    "trembles": "the weights or orders of trembles, there or after them, differ",
    "payoffs": "their payoffs, summed over a class of the other player's sequences, differ",
}
_CLAIM = "weights and regrets listed in `zeros` vanish identically"
_BITS = 60, 200
_MOST_ORDER = 1_000


@dataclass(frozen=True, eq=False)
class SquareSystem:
    """What proves that a basis matrix is regular: how to eliminate it, and what of it vanishes at 0."""

    pivots: NDArray[np.int64] | None  # int64[n, 2]: a row and a column of the program, by number; None: in any order
    # Factors of rows, whose sum vanishes at 0, with a row that stands in no other: so they are linearly independent.
    null_vectors: Sequence[tuple[int, Mapping[int, int]]]

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "pivots": None if self.pivots is None else self.pivots.tolist(),
            "row_operations": [
                {"row": row, "combination": [[r, Fraction(factor)] for r, factor in factors.items()]}
                for row, factors in self.null_vectors
            ],
        }


@dataclass(frozen=True, eq=False)
class BasisCertificate(Certificate):
    """A basis of the games in which every action trembles, optimal for every small enough value of the infinitesimal.

    One system determines both plans where the payoffs have a constant sum; else each plan has its own. The zeros are
    ``"weights"`` and ``"regrets"`` that are 0 altogether. They may be wrong with a probability below 2^-error_bits;
    None says that they are proven.
    """

    kind: ClassVar[str] = "basis"

    slack: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # whether each sequence may rise above its least
    plans: Plans  # their first coefficients
    epsilon: Fraction
    plans_there: Sequence[Sequence[int]]  # of each player: exact, at that value of the infinitesimal
    denominator_there: tuple[int, int]
    systems: Sequence[SquareSystem]  # one, or one for each player's plan
    zeros: Mapping[str, Sequence[Collection[int]]]  # sequences of each player, ascending
    trembles: Rows | None  # weights; None if all are equal
    error_bits: int | None
    # Of the sequences of each player, the empty one first: 0, 1, ... in the order of first members; None: all alone.
    classes: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None  # pair of int64[S_i], or None
    orders: Rows | None = None  # powers of the infinitesimal of the trembles; None if all are 1

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        systems = [system.plain() for system in self.systems]
        return {
            "kind": self.kind,
            "basis": [np.flatnonzero(side).tolist() for side in self.slack],
            **self.plans.plain(),
            "epsilon": {
                "value": self.epsilon,
                **dict(zip("XY", plain_coefficients(self.plans_there), strict=True)),
                "denominator": list(map(Fraction, self.denominator_there)),
            },
            **(systems[0] if len(systems) == 1 else {"systems": systems}),
            "zeros": {name: list(map(list, sides)) for name, sides in self.zeros.items()},
            "trembles": self.trembles,
            "probabilistic": None if self.error_bits is None else {"claims": [_CLAIM], "k": self.error_bits},
            **({} if self.classes is None else {"classes": [side.tolist() for side in self.classes]}),
            **({} if self.orders is None else {"orders": self.orders}),
        }

    @classmethod
    def read(cls, context: CheckContext) -> BasisCertificate | None:
        """What is stated, in terms of e; None, and problems that name the field, if it is none of this kind."""
        certificate, problems = context.solution.certificate, context.problems
        own, more = "systems" in certificate, [name for name in ("classes", "orders") if name in certificate]
        otherwise = f"the concept {context.solution.concept!r} is proven by {cls.kind!r}"
        if not cls.is_stated(context, otherwise, *_FIELDS, *(("systems",) if own else _SYSTEM), *more):
            return None
        if not own and context.evaluation.constant_sum is None:
            problems.add(
                "certificate.systems: missing; the payoffs have no constant sum, so each plan has its own system"
            )
            return None
        before = len(problems)
        trembles, plans = read_trembles(context), Plans.read(certificate, context.tree, problems)
        if words(trembles):
            problems.add(
                "certificate.trembles: a word, but this kind of certificate states the trembles of both players"
            )
        orders = read_orders(context, trembles)
        if orders is not None and len(problems) == before and max(0, *chain(*chain(*orders))) > _MOST_ORDER:
            problems.add(f"certificate.orders: the orders of this kind of certificate are at most {_MOST_ORDER:,}")
        basis = _read_sequences(context, certificate["basis"], "certificate.basis")
        zeros: dict[str, list[set[int]]] = {}
        if is_object(certificate["zeros"], ("weights", "regrets"), "certificate.zeros", problems):
            zeros = {
                name: _read_sequences(context, certificate["zeros"][name], f"certificate.zeros.{name}")
                for name in ("weights", "regrets")
            }
        point = _read_point(context, certificate["epsilon"])
        error_bits = _read_probability(certificate["probabilistic"], problems)
        classes = _read_classes(context, certificate.get("classes"))
        if len(problems) > before:
            return None
        slack1, slack2 = (np.zeros(own.num_sequences, dtype=np.bool_) for own in context.evaluation.sequences)
        slack1[list(basis[0])], slack2[list(basis[1])] = True, True
        stated = cls((slack1, slack2), plans, *point, (), zeros, trembles, error_bits, classes, orders)
        stated = stated._in_integers(context)
        alike = Classes.of(context.evaluation.sequences, classes)
        if classes is not None:
            _check_classes(context, stated, alike, not own)
        if len(problems) == before:
            _check_shape(context, stated.slack, alike)
        if len(problems) > before:
            return None
        systems = _read_systems(context, stated.slack, alike, certificate)
        return replace(stated, systems=systems) if len(problems) == before else None

    def _in_integers(self, context: CheckContext) -> BasisCertificate:
        """The same in terms of e."""
        if self.trembles is None:
            return self
        costs = budget()
        costs.about = "certificate.trembles"
        weights = [weight for side in self.trembles for row in side for weight in row]
        whole = costs.common_denominator(weight.denominator for weight in weights)
        if whole > 1:
            for values in self.plans.coefficient:
                _scale(values, whole)
        powers = list(chain(*(by_action(self.orders, context.tree, player) for player in (0, 1))))
        for weight, k in listening(zip(weights, powers, strict=True)):
            costs.quotient(k * whole.bit_length(), bits_of(weight), 2)
            costs.keep(k * whole.bit_length() + bits_of(weight))
        costs.quotient(bits_of(self.epsilon), whole.bit_length(), 2)
        power = iter(powers)
        trembles = [[[int(weight * whole ** next(power)) for weight in row] for row in side] for side in self.trembles]
        return replace(self, epsilon=self.epsilon / whole, trembles=trembles)

    @cached_property
    def weight(self) -> tuple[list[int], list[int]]:
        """Of the tremble of each sequence of each player; 0 for the empty one."""
        weight1, weight2 = (
            [0, *([1] * (len(slack) - 1) if self.trembles is None else chain.from_iterable(self.trembles[player]))]
            for player, slack in enumerate(self.slack)
        )
        return weight1, weight2

    @cached_property
    def order(self) -> tuple[list[int], list[int]]:
        """Of the tremble of each sequence of each player; 0 for the empty one."""
        order1, order2 = (
            [0, *([1] * (len(slack) - 1) if self.orders is None else chain.from_iterable(self.orders[player]))]
            for player, slack in enumerate(self.slack)
        )
        return order1, order2


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


def _read_classes(context: CheckContext, stated: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The field ``classes``: that of each sequence of each player, by its number."""
    where, problems = "certificate.classes", context.problems
    if stated is None:
        return None
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        problems.add(f"{where}: neither null nor a list for each of the two players")
        return None
    sides = []
    for player, row in enumerate(stated):
        size, here = context.evaluation.sequences[player].num_sequences, f"{where}[{player}]"
        if not isinstance(row, list | tuple) or len(row) != size:
            problems.add(f"{here}: not a list of {size:,}, the number of sequences of player {player + 1}")
            return None
        count = 0
        for q, number in enumerate(listening(row)):
            least = min(q, 1)  # the empty sequence is alone
            if not is_count(number) or not least <= number <= count:
                problems.add(
                    f"{here}[{q}]: {brief(number)} is no class; here it is a number from {least} to {count:,}, because "
                    "classes are numbered by their first members, and the empty sequence is alone"
                )
                return None
            count += number == count
        sides.append(np.array(row, dtype=np.int64))
    return sides[0], sides[1]


def _check_classes(context: CheckContext, stated: BasisCertificate, classes: Classes, both: bool) -> None:
    """The classes are equitable, and the members of one are in the basis together, or out of it."""
    before = len(context.problems)
    of_slack = [slack != slack[first] for slack, first in zip(stated.slack, classes.sequence, strict=True)]
    _note_unlike(context, context.move, of_slack, classes.sequence, "only one of them is in the basis")
    programs = [
        PerturbedProgram.of(context.evaluation, players, both, stated.weight, stated.order, classes)
        for players in ((0, 1), (1, 0))[: 1 if both else 2]
    ]
    for part, fault in _UNLIKE.items():
        for program in programs if len(context.problems) == before else ():
            of_sequences, of_sets = program.unlike(part)
            _note_unlike(context, context.place, of_sets, classes.infoset, fault)
            _note_unlike(context, context.move, of_sequences, classes.sequence, fault)


def _note_unlike(
    context: CheckContext,
    name: Callable[[int, int], str],
    unlike: Sequence[NDArray[np.bool_]],
    first: tuple[NDArray[np.int64], NDArray[np.int64]],
    fault: str,
) -> None:
    """Name what is unlike the first of its class, of each player."""
    for player in (0, 1):
        for number in listening(np.flatnonzero(unlike[player]).tolist()):
            context.problems.add(
                f"{name(player, number)} is in one class with {name(player, int(first[player][number]))} "
                f"(certificate.classes[{player}]), but {fault}"
            )


def _check_shape(context: CheckContext, slack: tuple[NDArray[np.bool_], NDArray[np.bool_]], classes: Classes) -> None:
    """The system that belongs to the basis is square, and something may be played at each set."""
    spare = []
    for player, (allowed, own) in enumerate(zip(slack, context.evaluation.sequences, strict=True)):
        number = np.add.reduceat(allowed.astype(np.int64), own.start[:-1]) if len(own.before) else allowed[:0]
        for k in np.flatnonzero(number == 0).tolist():
            context.problems.add(
                f"{context.place(player, k)}: certificate.basis[{player}] names none of its actions; "
                "one at least is played more than it must be"
            )
        spare.append(
            int((allowed & is_first(classes.sequence[player])).sum() - is_first(classes.infoset[player]).sum())
        )
    if spare[0] != spare[1]:
        context.problems.add(
            "certificate.basis: the system is not square; beyond one for each information set, it names "
            f"{spare[0]} sequences of player 1 and {spare[1]} of player 2"
        )


def _read_point(context: CheckContext, stated: Any) -> tuple[Fraction, Sequence[Sequence[int]], tuple[int, int]]:
    """The field ``epsilon``: one value and the plans there."""
    where, problems = "certificate.epsilon", context.problems
    value = Fraction(1)
    plans: list[list[int]] = []
    if not is_object(stated, ("value", "X", "Y", "denominator"), where, problems):
        return value, plans, (1, 1)
    given = stated["value"]
    try:
        value = exact(given)
        if value <= 0:
            problems.add(f"{where}.value: a positive number, not {shorten(value)}")
    except (TypeError, ValueError) as error:
        problems.add(f"{where}.value: {error if isinstance(given, str) else 'not an exact number as text'}")
    for player, name in enumerate("XY"):
        size = context.evaluation.sequences[player].num_sequences
        numbers = read_numbers(stated[name], f"{where}.{name}", size, f"sequences of player {player + 1}", problems)
        for q, number in enumerate(listening(numbers)):
            if number.denominator != 1:
                problems.add(f"{where}.{name}[{q}]: an integer, not {shorten(number)}")
        plans.append([number.numerator for number in numbers])
    return value, plans, read_denominators(stated["denominator"], f"{where}.denominator", problems)


def _read_systems(
    context: CheckContext,
    slack: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    classes: Classes,
    certificate: Mapping[str, Any],
) -> list[SquareSystem]:
    """One for both plans, or one for each player's."""
    problems = context.problems
    if "systems" not in certificate:
        return [_read_system(context, (0, 1), slack, classes, certificate, "certificate")]
    stated = certificate["systems"]
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        problems.add("certificate.systems: not a list of two, one for each player's plan")
        return []
    for i, system in enumerate(stated):
        if not is_object(system, _SYSTEM, f"certificate.systems[{i}]", problems):
            return []
    return [
        _read_system(context, (i, 1 - i), slack, classes, system, f"certificate.systems[{i}]")
        for i, system in enumerate(stated)
    ]


def _read_system(
    context: CheckContext,
    players: tuple[int, int],
    slack: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    classes: Classes,
    stated: Mapping[str, Any],
    where: str,
) -> SquareSystem:
    """A system of the first player's plan and the second's shortfalls."""
    rows, columns = _rows_and_columns(players, slack, classes)
    return SquareSystem(
        _read_pivots(rows.copy(), columns, stated["pivots"], f"{where}.pivots", context.problems),
        _read_null_vectors(rows, stated["row_operations"], f"{where}.row_operations", context.problems),
    )


def _rows_and_columns(
    players: tuple[int, int], slack: tuple[NDArray[np.bool_], NDArray[np.bool_]], classes: Classes
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows and columns of the numbering the square system has."""
    one, two = players
    own, other = is_first(classes.sequence[one]), is_first(classes.sequence[two])
    rows = np.concatenate(([True], is_first(classes.infoset[one]), (own & ~slack[one])[1:], other))
    columns = np.concatenate((own, [True], is_first(classes.infoset[two]), (other & ~slack[two])[1:]))
    return rows, columns


def _read_null_vectors(
    present: NDArray[np.bool_], stated: Any, where: str, problems: Problems
) -> list[tuple[int, dict[int, int]]]:
    """Combinations of rows, each with a row of its own."""
    if not isinstance(stated, list | tuple):
        problems.add(f"{where}: not a list")
        return []
    vectors: list[tuple[int, dict[int, int]]] = []
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
        vectors.append((operation["row"], vector))
    times = Counter(row for _, vector in vectors for row in vector)
    for i, (row, _) in enumerate(vectors):
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
