"""From stable bases of the games in which every action trembles to their certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.colours import Quotient
from tremble.exact.lexicographic import BasicSolution
from tremble.exact.stability import Series, Stability, check_stability
from tremble.game.strategy import TremblingPlan
from tremble.run.clock import attempted
from tremble.solution.certificates import SquareSystem, basis
from tremble.solution.trembles import Trembles
from tremble.solvers.run import Run
from tremble.solvers.sequence_programs import PerfectProgram

__all__ = ["StableBasis", "basis_certificate", "domination_bits", "heaviest", "stability_of"]


@dataclass(frozen=True, eq=False)
class StableBasis:
    """A basis of the program of both players, or of that of one player's plan, and what the oracle says of it."""

    perfect: PerfectProgram
    basis: NDArray[np.int64]
    stability: Stability  # with the columns of the plans watched

    @property
    def basic(self) -> NDArray[np.bool_]:
        """Which columns are basic."""
        return self.perfect.program.basic(self.basis)


def basis_certificate(
    bases: Sequence[StableBasis], run: Run
) -> tuple[tuple[TremblingPlan, TremblingPlan], dict[str, Any], dict[str, Any]]:
    """The plans and the certificate of one stable basis of both, or of one for each player's plan; and diagnostics.

    It has as many coefficients of the plans as decide all signs, and as the verifier may lose. Each player's plan is
    that of player 1 in a program of its own; else player 2's are the multipliers.
    """
    apart = len(bases) == 2
    series = [base.stability.values for base in bases]
    if not apart:
        series.append(bases[0].stability.reduced_costs)
    order = max(s.first + len(s.coefficients) - 1 for s in series)
    lost = max(lost_orders(base.stability) for base in bases)
    for base in bases:
        base.stability.extend(order + lost)
    run.progress("equilibrium at one small tremble", None)
    bits, vertices = _exact_vertices(bases, max(map(domination_bits, series)), run.clock.check)
    limits = [
        base.perfect.plans(from_zero(base.stability.values), from_zero(base.stability.reduced_costs)) for base in bases
    ]
    first, exact = vertices[0], None
    if not apart:
        numbers = [(first.value, first.value_denominator)], [(first.reduced, first.reduced_denominator)]
        exact = bases[0].perfect.plans(*numbers)
    plans: list[TremblingPlan] = []
    there: list[tuple[list[int], int]] = []
    slack: list[NDArray[np.bool_]] = []
    zeros: dict[str, list[list[int]]] = {"weights": [[], []], "regrets": [[], []]}
    for player in (0, 1):
        base, vertex, at = (bases[player], vertices[player], 0) if apart else (bases[0], vertices[0], player)
        perfect, stability = base.perfect, base.stability
        plans.append(replace(limits[player if apart else 0][at], player=player))
        if exact is None:
            own = perfect.program.columns["plan of player 1"]
            weight, denominator = perfect.nash.spread(0, vertex.value[own], vertex.value_denominator)
            there.append((weight.tolist(), denominator))
        else:
            there.append((exact[player].coefficient[0].tolist(), exact[player].denominator))
        slack.append(perfect.slack(base.basic)[at])
        nothing = perfect.zeros(stability, base.basic)
        zeros["weights"][player] = nothing["weights"][at].tolist()
        zeros["regrets"][player if not apart else 1 - player] = nothing["regrets"][1 if apart else player].tolist()
    drawn = [base.stability.error_bits for base in bases if base.stability.error_bits is not None]
    trembles = bases[0].perfect.trembles
    certificate = basis(
        slack,
        (plans[0], plans[1]),
        (Fraction(1, 1 << bits), [plan for plan, _ in there], [denominator for _, denominator in there]),
        [square_system(base.stability, base.perfect.quotient) for base in bases],
        zeros,
        (trembles.rows(), trembles.orders()),
        min(drawn) if drawn and any(map(any, zeros.values())) else None,
        _classes(bases),
    )
    return (
        (plans[0], plans[1]),
        certificate,
        {
            "orders": order + 1,
            "row_operations": sum(len(batch) for base in bases for batch in base.stability.operations),
            "certificate_epsilon_bits": bits,
        },
    )


def _classes(bases: Sequence[StableBasis]) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The classes of the sequences of each player; None if nothing is merged. In a program of its own a player is 1."""
    of = [base.perfect.nash.classes for base in bases]
    if of[0] is None or of[-1] is None:
        return None
    return of[0].of[0], of[-1].of[2 - len(of)]


def square_system(stability: Stability, quotient: Quotient | None = None) -> SquareSystem:
    """What proves that the basis is regular; classes are named by their first members."""
    row, column = (np.arange(size) for size in (len(stability.values.coefficients[0]),) * 2)
    if quotient is not None:
        row, column = quotient.first_row, quotient.first_column
    pivots = None if stability.pivots is None else (row[stability.pivots[0]], column[stability.pivots[1]])
    return SquareSystem(
        pivots=None if pivots is None else np.stack(pivots, axis=1),
        null_vectors=[
            (int(row[operation.row]), dict(zip(row[operation.rows].tolist(), operation.factor.tolist(), strict=True)))
            for batch in stability.operations[:1]
            for operation in batch
        ],
    )


def lost_orders(stability: Stability) -> int:
    """By how many orders the verifier may have to distrust the series: its bound on the pole of the inverse at 0.

    The determinant vanishes with at most the number of all row operations as its order, and with the corank at
    0, which is the number of those in the first round, at least as many elementary divisors do.
    """
    rounds = [len(batch) for batch in stability.operations]
    return sum(rounds) - (rounds[0] - 1) if rounds else 0


def from_zero(series: Series) -> list[tuple[NDArray[Any], int]]:
    """Coefficients and denominators from order 0 on: plans have no poles."""
    return list(zip(series.coefficients, series.denominators, strict=True))[-series.first :]


def _exact_vertices(
    bases: Sequence[StableBasis], bits: int, check: Callable[[], None]
) -> tuple[int, list[BasicSolution]]:
    """The exact vertices of stable bases at the first 2^-bits tried for which all are optimal."""
    while True:
        vertices = [BasicSolution.of(base.perfect.program.at(bits), base.basic, check) for base in bases]
        if all(vertex.optimal for vertex in vertices):
            return bits, vertices
        bits += max(2, bits // 2)


def domination_bits(series: Series) -> int:
    """Bits of a number so small that the first nonzero coefficient of each column outweighs the next ones."""
    bits = 4
    known = np.zeros(len(series.coefficients[0]), dtype=np.bool_)
    # With trembles of order 1,000, most of the many coefficients are 0.
    orders = [k for k, values in enumerate(series.coefficients) if values.any()]
    for position, k in enumerate(orders):
        values, denominator = series.coefficients[k], series.denominators[k]
        first = np.flatnonzero((values != 0) & ~known)
        if not len(first):
            continue
        known[first] = True
        size = [abs(v).bit_length() for v in values[first].tolist()]
        for later in orders[position + 1 :]:
            shift = denominator.bit_length() - series.denominators[later].bit_length() + 2
            pairs = zip(series.coefficients[later][first].tolist(), size, strict=True)
            excess = max((abs(v).bit_length() - s + shift for v, s in pairs if v), default=0)
            bits = max(bits, -(-excess // (later - k)))
    return bits


def heaviest(trembles: Trembles) -> int:
    """The greatest sum of weights at an information set."""
    sums = [
        np.add.reduceat(weight.astype(object), start[:-1])
        for weight, start in zip(trembles.weight, trembles.start, strict=True)
        if len(start) > 1
    ]
    return max((int(side.max()) for side in sums), default=1)


def stability_of(perfect: PerfectProgram, basis: NDArray[np.int64], run: Run) -> Stability | None:
    """What the oracle says of a basis, with the columns of the plans watched; None if it is none."""
    run.progress("stability of the basis", None)
    return attempted(lambda: check_stability(perfect.program, basis, run.clock.check, watched=perfect.plan_columns))
