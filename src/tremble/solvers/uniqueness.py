r"""Decide whether the equilibrium of a constant-sum game is unique as a pair of realization plans.

The optimal plans of player 1 are a face of the program of :mod:`tremble.solvers.zero_sum`,

.. math::  \{(x, v) : E x = e, \; F^T v - U^T x + g = 0, \; x, g \ge 0, \; x_q = 0, \, g_r = 0 \} .

Fix an optimal plan of player 2. Here q denotes the sequences that lose against it, and r denotes the sequences that it
plays. Player 1's plan is unique if all points of the face have the same x. For each player, the steps are:

1. Check an optimal basis. If no nonbasic column has the reduced cost 0, player 1's plan is unique. If no basic column
   has the value 0, player 2's plan is unique. Otherwise, continue.
2. Find a point (x, v, g) in the relative interior of the face. This point has as many positive x and g as possible. One
   linear program finds the point. A scale :math:`x_0 \ge 1` turns the face into a cone. The objective is the sum of
   :math:`\min(x_i, 1)` and :math:`\min(g_j, 1)` over all sequences i of player 1 and j of player 2. If x differs from
   the plan of the optimal basis, x is a second plan. Otherwise, continue.
3. Collect the equations that hold on the whole face. Player 1's plan is unique if and only if the matrix of these
   equations has full column rank. This is Mangasarian's condition for the part x of the solution. Full rank modulo a
   prime is sufficient. If the rank is smaller, continue.
4. Find a second plan by a linear program, which maximizes or minimizes the weight of an undetermined sequence on the
   face.

The values v do not matter for uniqueness. Let y be an optimal plan of player 2 with the greatest support; y need not
be the plan fixed above. Step 3 uses the equations of the sequences that y plays. By strict complementarity, the
inequalities of the other sequences are slack in the interior. The equations contain the values of the information sets
that y reaches. The columns of these values are independent of each other, because y plays a separate sequence at each
of these sets. So every dependence involves a column of x.

References
----------
O. L. Mangasarian: Uniqueness of solution in linear programming, Linear Algebra and its Applications 25, 1979.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.dependent import dependent_columns
from tremble.exact.lexicographic import BasicSolution
from tremble.exact.program import Blocks, IntegerMatrix, Program
from tremble.game.strategy import RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import integer_array
from tremble.solvers.method import Run
from tremble.solvers.zero_sum import NashProgram, exact_optimum, solve_nash

__all__ = ["optimal_plans"]


Plans = tuple[RealizationPlan, RealizationPlan]


def optimal_plans(tree: GameTree, run: Run) -> tuple[Plans, tuple[RealizationPlan | None, RealizationPlan | None]]:
    """Return an optimal plan of each player, and a second optimal plan of each player (None if there is only one)."""
    nash = solve_nash(tree, run)
    vertex, program = nash.vertex, nash.program.program
    plan1, plan2 = nash.program.plans(vertex)
    unique1, unique2 = _determined(vertex)
    losing1 = np.asarray(vertex.reduced[program.columns["plan of player 1"]] != 0, dtype=np.bool_)
    losing2 = np.asarray(vertex.value[program.logicals["plan of player 2"]] != 0, dtype=np.bool_)
    other1 = None if unique1 else _second_plan(nash.program, plan1, losing1, plan2, run)
    exchanged = None if unique2 else NashProgram.of(nash.program.form.zero_sum(1).exchanged())
    other2 = None if exchanged is None else _second_plan(exchanged, plan2, losing2, plan1, run)
    return (plan1, plan2), (other1, None if other2 is None else replace(other2, player=1))


def _determined(vertex: BasicSolution) -> tuple[bool, bool]:
    """Return, for each player, True if step 1 of the module's docstring proves that the plan is unique."""
    program = vertex.program
    indifferent = ~vertex.basic & ~program.fixed & ~vertex.dual.nonzero
    degenerate = vertex.basic & ~program.unbounded & ~vertex.primal.nonzero
    return not indifferent.any(), not degenerate.any()


# -- one player's plan -----------------------------------------------------------------------------


def _second_plan(
    nash: NashProgram, first: RealizationPlan, losing: NDArray[np.bool_], against: RealizationPlan, run: Run
) -> RealizationPlan | None:
    """Return a second optimal plan of player 1 in ``nash``, or None if the first plan is unique.

    ``against`` is an optimal plan of player 2. ``losing`` marks player 1's sequences that lose payoff to this plan.
    """
    run.progress("relative interior of the optimal plans", None)
    face = _Face.of(nash, losing, np.asarray(against.weight > 0, dtype=np.bool_))
    interior = face.interior(run)
    if not np.array_equal(interior.plan.weight, first.weight):
        return interior.plan
    run.progress("rank of the equations of the optimal plans", None)
    for sequence in interior.undetermined(nash, run):
        for way in (1, -1):
            other = face.extreme(sequence, way, run)
            if not np.array_equal(other.weight, first.weight):
                return other
    return None


@dataclass(frozen=True, eq=False)
class _Interior:
    """A plan in the relative interior of player 1's set of optimal plans."""

    plan: RealizationPlan
    slack: NDArray[np.bool_]  # [S2]: replies of player 2 that lose against some optimal plan

    def undetermined(self, nash: NashProgram, run: Run) -> list[int]:
        """Return the sequences of player 1 whose weights may vary among optimal plans, or [] if the plan is unique."""
        program = nash.program
        played = np.flatnonzero(self.plan.weight != 0)[1:]  # without the empty sequence, whose weight is always 1
        form = nash.form
        replies = np.flatnonzero(~self.slack)
        reached = np.unique(form.sequences[1].set_of[replies[replies > 0]])
        columns = np.concatenate((played, program.columns["values of player 2"].start + 1 + reached))
        flow, reply = program.rows["flow of player 1"], program.rows["plan of player 2"]
        rows = np.concatenate((np.arange(flow.start + 1, flow.stop), reply.start + replies))
        dependent = dependent_columns(program.matrix.submatrix(rows, columns), run.clock.check)
        if not len(dependent):
            return []
        first = [int(columns[c]) for c in dependent if c < len(played)]
        return first + [q for q in played.tolist() if q not in first]  # linear programs decide which weights vary


@dataclass(frozen=True, eq=False)
class _Face:
    """The set of optimal plans of player 1: the feasible plans of ``program``, a program without losing sequences."""

    program: Program
    losing: NDArray[np.bool_]  # [S1]
    kept: NDArray[np.int64]  # the sequences of player 1 that do not lose
    binding: NDArray[np.bool_]  # [S2]: replies whose slack is 0, because an optimal plan of player 2 plays them

    @classmethod
    def of(cls, nash: NashProgram, losing: NDArray[np.bool_], binding: NDArray[np.bool_]) -> _Face:
        """Build the face from two masks: player 1's losing sequences, and player 2's sequences with slack 0."""
        program = nash.program
        kept = np.flatnonzero(~losing)
        values = program.columns["values of player 2"]
        left = np.concatenate((program.columns["plan of player 1"].start + kept, np.arange(values.start, values.stop)))
        equality = program.equality.copy()
        equality[program.rows["plan of player 2"]] = binding
        face = replace(
            program,
            matrices=(program.matrix.submatrix(np.arange(program.num_rows), left),),
            cost=np.zeros((1, len(left)), dtype=np.int64),
            equality=equality,
            free=program.free[left],
            column_exponent=program.column_exponent[left],
            columns=Blocks.of({"plan of player 1": len(kept), "values of player 2": values.stop - values.start}),
        )
        return cls(face, losing, kept, binding)

    def interior(self, run: Run) -> _Interior:
        """Find a point of the optimal face that maximizes the number of positive plan weights and reply slacks."""
        face, loose = self.program, np.flatnonzero(~self.binding)
        plan, reply = face.columns["plan of player 1"], face.rows["plan of player 2"]
        s1, s2 = len(self.kept), len(loose)
        n, m = face.num_columns, face.num_rows
        columns = Blocks({**face.columns.slices, **Blocks.of({"played": s1, "slack": s2, "scale": 1}).after(n).slices})
        rows = Blocks({**face.rows.slices, **Blocks.of({"played": s1, "at most one": s1 + s2}).after(m).slices})
        own, both = np.arange(s1), np.arange(s1 + s2)
        empty = rows["flow of player 1"].start
        parts = [
            (rows["played"].start + own, columns["played"].start + own, 1),
            (rows["played"].start + own, plan.start + own, -1),
            (rows["at most one"].start + both, columns["played"].start + both, 1),
            (reply.start + loose, columns["slack"].start + np.arange(s2), 1),
            (np.array([empty]), np.array([columns["scale"].start]), -1),
        ]
        old = face.matrix
        row, column = (
            np.concatenate((known, *(part[i] for part in parts)))
            for i, known in enumerate((old.row_of_entry, old.column))
        )
        entries = np.concatenate((old.value, *(np.full(len(part[0]), part[2]) for part in parts)))
        exponent = face.row_exponent[reply][loose]
        cost, rhs = np.zeros((1, len(columns)), dtype=np.int64), np.zeros((1, len(rows)), dtype=np.int64)
        cost[0, columns["played"]] = cost[0, columns["slack"]] = rhs[0, rows["at most one"]] = 1
        rhs[0, :m] = face.rhs[0]
        none = np.zeros(s1, dtype=np.int64)
        program = Program(
            matrices=(IntegerMatrix.from_entries((len(rows), len(columns)), row, column, entries),),
            rhs=rhs,
            cost=cost,
            equality=np.append(face.equality, np.zeros(2 * s1 + s2, dtype=np.bool_)),
            free=np.append(face.free, np.zeros(s1 + s2 + 1, dtype=np.bool_)),
            row_exponent=np.concatenate((face.row_exponent, none, none, exponent)),
            column_exponent=np.concatenate((face.column_exponent, none, -exponent, [0])),
            rows=rows,
            columns=columns,
        )
        vertex, _ = exact_optimum(program, run)
        slack = ~self.binding
        slack[loose] = vertex.value[columns["slack"]] > 0
        return _Interior(self._plan(vertex.value[plan]), slack)

    def extreme(self, sequence: int, way: int, run: Run) -> RealizationPlan:
        """Return an optimal plan with the largest (``way`` 1) or smallest (``way`` -1) weight of ``sequence``."""
        plan = self.program.columns["plan of player 1"]
        cost = np.zeros_like(self.program.cost)
        cost[0, plan.start + int(np.searchsorted(self.kept, sequence))] = way
        vertex, _ = exact_optimum(replace(self.program, cost=cost), run)
        return self._plan(vertex.value[plan])

    def _plan(self, weight: NDArray[Any]) -> RealizationPlan:
        """Return the plan whose weights are proportional to ``weight`` for sequences in ``kept``, and 0 for others."""
        common = gcd(*weight.tolist())
        full = [0] * len(self.losing)
        for q, w in zip(self.kept.tolist(), weight.tolist(), strict=True):
            full[q] = w // common
        return RealizationPlan(0, integer_array(full), full[0])
