r"""The least that a continuation gives away, over everything that a rival may play: one linear program.

Let I be an information set of a player, x what it does from I on, U its payoffs below I (chance included),
:math:`\rho' y` the probability that chance and the rival's plan y lead to I, and C the cone of the rival's
plans, :math:`y \ge 0` and :math:`\sum_a y_{(k,a)} = y_{parent(k)}`, of any scale. With

.. math::  V(y) = \max_z z^T U y

over the player's continuations z from I, two questions are one program in y and in the values
:math:`v_J` of the player's sets from I on:

.. math::  \text{I.}\quad \min_{y \in C,\ \rho' y = 1} V(y) - x^T U y,  \qquad
           \text{II.}\quad \min_{y \in C} V(y_0 + y) - x^T U (y_0 + y),

y_0 a completely mixed plan. If I is positive, x is wrong whatever brings the rival here: by duality some z is
better against every plan that comes. II is positive iff x is wrong against every *completely mixed* plan, hence
iff x is weakly dominated from I on. Its dual says by how much:

.. math::  \max_z\; (z - x)^T U y_0 \quad\text{s.t.}\quad (z - x)^T U y \ge 0 \;\text{ for all } y \in C .

Whether II is zero depends on the support of x only.

References
----------
D. G. Pearce: Rationalizable strategic behavior and the problem of perfection, Econometrica 52, 1984, appendix B.

E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal form
games, International Journal of Game Theory 13, 1984.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached, SolverError
from tremble.judging.audit.view import View, Weights
from tremble.linear.highs import solve_float
from tremble.linear.lexicographic import BasicSolution, optimize
from tremble.linear.matrix import IntegerMatrix
from tremble.linear.program import Program
from tremble.model.tree import integer_array

__all__ = ["Continuation", "Regret", "Subgame"]

_UNIT_BITS = 30  # of the denominator of x that the float solver sees
_UNSCALED_BITS = 12

Continuation = Mapping[int, Fraction]
"""Own sequence from an information set on -> probability, given that the set is reached; zeros left out."""


@dataclass(frozen=True)
class Regret:
    """The optimum of program I or II.

    Attributes
    ----------
    amount : Fraction
        What x gives away, in payoffs per time that I is reached (under y; under y_0 in program II).
    better : tuple of Fraction
        What the better z plays at I.
    rival : dict
        The plan y of the optimum, up to scale: sequence of the rival -> integer.
    """

    amount: Fraction
    better: tuple[Fraction, ...]
    rival: Weights


class Subgame:
    r"""What lies below one information set, as rows and columns of the two programs.

    Rows: own sequences from ``k`` on; the rival's information sets that matter; in program I also
    :math:`\rho' y = 1`. Columns: the rival's sequences that matter, then the values of own sets.

    Parameters
    ----------
    view : View
    k : int
        Own information set, from 0.
    """

    def __init__(self, view: View, k: int) -> None:
        self.view = view
        self.k = k
        self.sets = [k]
        for j in self.sets:  # grows while it is read
            self.sets += [f for s in view.sequences(j) for f in view.followers[s]]
        self.sequences = [s for j in self.sets for s in view.sequences(j)]
        self.arrival = view.arrival[k]

    @cached_property
    def rivals(self) -> list[int]:
        """The rival's sequences that lead to I or matter below it, with all before them."""
        wanted = {t for t, c in self.arrival.items() if c}
        for s in self.sequences:
            wanted.update(t for t, w in self.view.pay[s].items() if w)
        for t in list(wanted):
            while t and (t := self._before(t)) not in wanted:
                wanted.add(t)
        return sorted(wanted)

    def _set_of(self, t: int) -> int:
        return int(np.searchsorted(self.view.rival_start, t, side="right")) - 1

    def _before(self, t: int) -> int:
        return self.view.rival_parent[self._set_of(t)]

    @cached_property
    def _base(self) -> tuple[list[tuple[int, int, int]], list[bool], dict[int, int], dict[int, int]]:
        """Entries and equality of the rows of both programs; columns of the rival's sequences and of own sets."""
        view = self.view
        column = {t: i for i, t in enumerate(self.rivals)}
        value = {j: len(column) + i for i, j in enumerate(self.sets)}
        entries: list[tuple[int, int, int]] = []
        row = 0
        for j in self.sets:
            for s in view.sequences(j):
                entries += [(row, column[t], w) for t, w in view.pay[s].items() if w]
                entries += [(row, value[f], 1) for f in view.followers[s]]
                entries.append((row, value[j], -1))
                row += 1
        equality = [False] * row
        actions: dict[int, list[int]] = {}
        for t in self.rivals:
            if t:
                actions.setdefault(self._set_of(t), []).append(t)
        for rival_set, chosen in actions.items():
            entries += [(row, column[t], 1) for t in chosen]
            entries.append((row, column[view.rival_parent[rival_set]], -1))
            equality.append(len(chosen) == view.rival_start[rival_set + 1] - view.rival_start[rival_set])
            row += 1
        return entries, equality, column, value

    @cached_property
    def _exponents(self) -> NDArray[np.int64]:
        """Binary digits of the greatest payoff from each own set on: units of its value for the float solver."""
        bits: dict[int, int] = {}
        for j in reversed(self.sets):
            here = [w for s in self.view.sequences(j) for w in self.view.pay[s].values()]
            below = [bits[f] for s in self.view.sequences(j) for f in self.view.followers[s]]
            bits[j] = max(_bits(here), *below, 0)
        return np.array([bits[j] for j in self.sets], dtype=np.int64)

    def worth(self, x: Continuation) -> tuple[Weights, int]:
        """The product x'U in integers, by sequence of the rival, and their denominator (beside the payoff unit)."""
        unit = lcm(*(p.denominator for p in x.values()))
        total: Weights = {}
        for s, p in x.items():
            factor = p.numerator * (unit // p.denominator)
            for t, w in self.view.pay[s].items():
                total[t] = total.get(t, 0) + factor * w
        return total, unit

    def least(self, worth: Weights, unit: int, check: Callable[[], None]) -> Regret:
        """Program I, for a continuation with this worth."""
        vertex, program = self._solve(worth, unit, None, check)
        return self._regret(vertex, program, unit, Fraction(0), Fraction(1, self.view.payoff_unit))

    def dominated(self, worth: Weights, unit: int, mixed: Sequence[int], check: Callable[[], None]) -> Regret:
        """Program II; ``mixed`` is y_0 on all the rival's sequences, in integers."""
        vertex, program = self._solve(worth, unit, mixed, check)
        earned = Fraction(sum(w * mixed[t] for t, w in worth.items()), unit)
        scale = Fraction(self.view.chance_unit, self.view.payoff_unit * self.view.reach(self.k, mixed))
        return self._regret(vertex, program, unit, earned, scale)

    def _regret(self, vertex: BasicSolution, program: Program, unit: int, earned: Fraction, scale: Fraction) -> Regret:
        first = program.num_columns
        width = len(self.view.sequences(self.k))
        better = tuple(
            Fraction(-int(d), vertex.reduced_denominator * unit) for d in vertex.reduced[first : first + width].tolist()
        )
        rival = {t: int(vertex.value[i]) for i, t in enumerate(self.rivals) if vertex.value[i]}
        return Regret((-vertex.objective / unit - earned) * scale, better, rival)

    def _solve(
        self, worth: Weights, unit: int, mixed: Sequence[int] | None, check: Callable[[], None]
    ) -> tuple[BasicSolution, Program]:
        entries, equality, column, value = self._base
        rhs = [0] * len(equality)
        if mixed is None:
            row = len(equality)
            entries = entries + [(row, column[t], c) for t, c in self.arrival.items() if c]
            equality, rhs = [*equality, True], [*rhs, self.view.chance_unit]
        else:
            for row, s in enumerate(self.sequences):
                rhs[row] = -sum(w * mixed[t] for t, w in self.view.pay[s].items())
        n = len(column) + len(value)
        cost = [0] * n
        for t, w in worth.items():
            if w:
                cost[column[t]] = w
        cost[value[self.k]] = -unit
        rows, columns, values = (list(part) for part in zip(*entries, strict=True))
        is_value = np.arange(n) >= len(column)
        unit_of = self._exponents
        size = 0 if mixed is None else max(0, _bits([mixed[t] for t in self.rivals]) - _UNSCALED_BITS)
        row_exponent = np.full(len(equality), -size)
        row_exponent[: len(self.sequences)] -= np.repeat(unit_of, [len(self.view.sequences(j)) for j in self.sets])
        if mixed is None:
            row_exponent[-1] = -self.view.chance_unit.bit_length()
        program = Program(
            matrices=(
                IntegerMatrix.from_entries(
                    (len(equality), n), np.array(rows), np.array(columns), integer_array(values)
                ),
            ),
            rhs=integer_array(rhs)[np.newaxis],
            cost=integer_array(cost)[np.newaxis],
            equality=np.array(equality),
            free=is_value,
            row_exponent=row_exponent,
            column_exponent=np.concatenate((np.zeros(len(column), dtype=np.int64), unit_of)) + size,
        )
        return _optimum(program, check), program


def _bits(values: Sequence[int]) -> int:
    return max((abs(v) for v in values), default=0).bit_length()


def _optimum(program: Program, check: Callable[[], None]) -> BasicSolution:
    """Solve in floating point, then exactly; tighter tolerances before exact pivots."""
    cost = program.cost[0].tolist()
    surplus = max(0, _bits([c for c, free in zip(cost, program.free.tolist(), strict=True) if free]) - _UNIT_BITS)
    rounded = (
        dataclasses.replace(program, cost=integer_array([c >> surplus for c in cost])[np.newaxis])
        if surplus
        else program
    )
    basis = program.slack_basis
    for tolerance in (1e-8, 1e-10):
        try:
            basis = solve_float(rounded, check, start=None if tolerance == 1e-8 else basis, tolerance=tolerance).basis
        except LimitReached:
            raise
        except SolverError:
            continue
        vertex, _ = optimize(program, basis, check, max_pivots=0)
        if vertex.optimal:
            return vertex
        basis = np.flatnonzero(vertex.basic)
    return optimize(program, basis, check)[0]
