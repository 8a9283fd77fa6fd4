r"""Decide whether a pure or mixed strategy weakly dominates a given strategy, and prove the answer.

The *judged* player plays the given strategy, with the plan x. Let U be this player's payoffs, with a row for each own
sequence and a column for each sequence of the other player. Let E and F be the flow matrices of the two players, and y
a plan of the other player. A *deviation* d satisfies :math:`E d = 0`, and :math:`d_q \ge 0` if :math:`x_q = 0`. Then
:math:`x + t d` is a plan for small t > 0, and every plan has this form. A deviation never loses if and only if some
:math:`s \ge 0` and some vector v over the rows of F, with :math:`v_0 \ge 0`, satisfy

.. math::  U^T d = F^T v + s, \qquad\text{and then}\qquad d^T U y = v_0 + s^T y .

This follows from linear programming duality. So d gains against some y if and only if :math:`v_0 + \sum_q s_q > 0`. One
linear program maximizes this sum over all d with :math:`d_q \ge -1` if :math:`x_q > 0`. There are two cases:

* If the maximum is positive, :math:`x + t d` dominates x. This is a refutation. The bound -1 only fixes the scale of d.
* If the maximum is 0, let :math:`\mu \ge 0` be the multipliers of the inequalities :math:`s \ge 0`, and
  :math:`y = 1 + \mu`. Stationarity in v implies :math:`F y = 0` in all rows except the row of the empty sequence. So y
  is a completely mixed plan up to a factor. Stationarity in d implies that no d gains against y. So x is a best reply
  to y, which proves that x is undominated.

The program depends on x only through the support of x. So the coefficients come from the game, and no probability of x
occurs in them. The program can also restrict the other player to some sequences. Then it contains only the rows of
these sequences, and y plays exactly these sequences.

*Proper strategies.* The *cost* :math:`c_q` of a sequence q of the other player against x is a sum over its moves. Each
term is the payoff that the move loses against the best move at its information set. In a game with a constant sum, x is
proper if and only if the following is true for every t: x is undominated if the other player uses only sequences that
cost at most t (:mod:`tremble.check.proper`).

References
----------
E. van Damme: Stability and Perfection of Nash Equilibria, Springer, second edition 1991, lemma 3.2.1, theorem 3.2.2;
section 3.5 for proper equilibria of matrix games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import Blocks, Program
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy, RealizationPlan
from tremble.game.tree import GameTree
from tremble.solution.basis_certificate import DominatedRefutation
from tremble.solvers.method import Run
from tremble.solvers.zero_sum import NashProgram, exact_optimum

__all__ = ["Judged"]

Supporting = NDArray[Any]
"""Integer weights, object[S], of all sequences of a player. They are a plan times the weight of the empty sequence."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A judged strategy, and the game's linear program, in which the judged player is player 1."""

    player: int
    nash: NashProgram
    start: NDArray[np.int64]  # [n]: 1 for sequences that the strategy plays, 0 for other sequences and for the values
    cost: list[Fraction]  # cost of each sequence of the other player against the strategy

    @classmethod
    def of(cls, tree: GameTree, strategy: BehaviorStrategy) -> Judged:
        """Build the game's linear program, and collect the data about ``strategy``, which is to be judged."""
        player, form = strategy.player, SequenceForm.of(tree)
        nash = NashProgram.of(form.zero_sum(1).exchanged() if player else form.zero_sum())
        plan = strategy.to_realization_plan(tree)
        start = np.zeros(nash.program.num_columns, dtype=np.int64)
        start[nash.program.columns["plan of player 1"]] = plan.weight != 0
        return cls(player, nash, start, _costs(form, plan))

    def supporting_plan(self, run: Run, within: NDArray[np.bool_] | None = None) -> Supporting | DominatedRefutation:
        """Return a completely mixed plan of the other player to which the judged strategy is a best reply.

        If no such plan exists, return a refutation. ``within`` is a mask of the sequences that the other player may
        use, by default all sequences. The mask must include a best reply to the strategy.

        Examples
        --------
        >>> import tremble
        >>> from tremble.run.clock import Clock
        >>> tree = tremble.matrix_game([[1, 0], [0, 0]], [[1, 0], [0, 0]])
        >>> top, bottom = (tremble.BehaviorStrategy.from_rows(tree, 0, [row]) for row in ([1, 0], [0, 1]))
        >>> Judged.of(tree, top).supporting_plan(Run(Clock(None))).tolist()
        [2, 1, 1]
        >>> dict(Judged.of(tree, bottom).supporting_plan(Run(Clock(None))).deviation)
        {1: 1, 2: -1}
        """
        program = self._change(within)
        one, values = program.columns["plan of player 1"], program.columns["values of player 2"]
        logicals = program.logicals["plan of player 2"]
        vertex, _ = exact_optimum(program, run)
        if vertex.value[values.start] or vertex.value[logicals].any():
            change = vertex.value[one] - vertex.value_denominator * self.start[one].astype(object)
            common = gcd(*change.tolist())
            return DominatedRefutation(self.player, {q: d // common for q, d in enumerate(change.tolist()) if d})
        weight = vertex.reduced_denominator - vertex.reduced[logicals]
        weight //= gcd(*weight.tolist())
        if within is None:
            return weight
        plan = np.zeros(len(within), dtype=object)
        plan[within] = weight
        return plan

    def ranked_plans(self, run: Run, rank: Sequence[Any] = ()) -> list[Supporting] | DominatedRefutation:
        """Return, for each cost t, a plan of the other player that plays exactly the sequences of cost <= t.

        The judged strategy is a best reply to each returned plan. If some t has no such plan, return a refutation.
        ``rank`` may replace the costs by a finer ranking of sequences. With ``rank``, a refutation proves nothing.

        Examples
        --------
        >>> import tremble
        >>> from tremble.run.clock import Clock
        >>> tree = tremble.matrix_game([[2, 3, 4], [2, 2, 9]])  # against the second row, the third column costs 7
        >>> rows = [tremble.BehaviorStrategy.from_rows(tree, 0, [row]) for row in ([1, 0], [0, 1])]
        >>> [plan.tolist() for plan in Judged.of(tree, rows[0]).ranked_plans(Run(Clock(None)))]
        [[1, 1, 0, 0], [2, 1, 1, 0], [7, 1, 5, 1]]
        >>> none = Judged.of(tree, rows[1]).ranked_plans(Run(Clock(None)))
        >>> dict(none.deviation), none.cost
        ({1: 1, 2: -1}, Fraction(0, 1))
        """
        plans: list[Supporting] = []
        rank = rank or self.cost
        levels = sorted(set(rank))
        for done, level in enumerate(levels):
            run.progress("mistakes, the least costly first", done / len(levels))
            found = self.supporting_plan(run, np.array([own <= level for own in rank]))
            if isinstance(found, DominatedRefutation):
                return replace(found, cost=level)
            plans.append(found)
        return plans

    def _change(self, within: NDArray[np.bool_] | None) -> Program:
        """Build a program for a deviation that dominates the judged strategy. The opponent may use only ``within``."""
        program = self.nash.program
        matrix, game_value = program.matrix, self.nash.game_value
        two = program.rows["plan of player 2"]
        in_plan = np.zeros(program.num_rows, dtype=np.int64)
        in_plan[two] = 1 if within is None else within
        cost = -matrix.transposed_dot(in_plan)
        cost[game_value] += 1
        free = program.free.copy()
        free[game_value] = False
        program = replace(program, rhs=matrix.dot(self.start)[np.newaxis], cost=cost[np.newaxis], free=free)
        if within is None:
            return program
        other = self.nash.form.sequences[1]
        left = np.concatenate((np.ones(1, dtype=np.bool_), within[other.parent]))  # values: v_0, then one for each set
        plan, flow = program.columns["plan of player 1"], program.rows["flow of player 1"]
        columns = np.concatenate((np.arange(plan.stop), plan.stop + np.flatnonzero(left)))
        rows = np.concatenate((np.arange(flow.stop), flow.stop + np.flatnonzero(within)))
        return replace(
            program,
            matrices=(matrix.submatrix(rows, columns),),
            rhs=program.rhs[:, rows],
            cost=program.cost[:, columns],
            equality=program.equality[rows],
            free=program.free[columns],
            row_exponent=program.row_exponent[rows],
            column_exponent=program.column_exponent[columns],
            rows=Blocks.of({"flow of player 1": flow.stop, "plan of player 2": int(within.sum())}),
            columns=Blocks.of({"plan of player 1": plan.stop, "values of player 2": int(left.sum())}),
        )


def _costs(form: SequenceForm, plan: RealizationPlan) -> list[Fraction]:
    """Return the cost of each sequence of the other player: the sum of its moves' losses against ``plan``."""
    assert plan.denominator is not None  # the plan is exact
    other = form.side(1 - plan.player)
    value = other.best_values(other.gains(plan.weight).tolist())
    lost = [0] * len(value)
    for before, first, end in other.steps():
        best = max(value[first:end])
        for q in range(first, end):
            lost[q] = lost[before] + best - value[q]
    return [Fraction(loss, other.denominator * plan.denominator) for loss in lost]
