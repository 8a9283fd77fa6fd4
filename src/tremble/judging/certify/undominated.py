r"""Whether a strategy is weakly dominated, also by a mixed one: decided, with a proof either way.

Let x be the plan of the *judged* player, U its payoffs by own sequence and the other's, E and F the flow of both, y a
plan of the other. A *deviation* d satisfies :math:`E d = 0`, and :math:`d_q \ge 0` where :math:`x_q = 0`: then
:math:`x + t d` is a plan for small t > 0, and all plans are reached by such steps. By linear programming duality d
loses against no y exactly if there are :math:`v_0 \ge 0`, one v for each set of the other, and :math:`s \ge 0` with

.. math::  U^T d = F^T v + s, \qquad\text{and then}\qquad d^T U y = v_0 + s^T y ,

so that d gains against some y exactly if :math:`v_0 + \sum_q s_q > 0`. One linear program has the greatest such sum
among the d with :math:`d_q \ge -1` where :math:`x_q > 0`, a bound that only fixes a scale:

* if it is positive, :math:`x + t d` dominates x: the refutation;
* if it is 0, let :math:`\mu \ge 0` be the multipliers of the inequalities :math:`s \ge 0`, and :math:`y = 1 + \mu`.
  Stationarity in v says :math:`F y = 0` but for the empty sequence: y is, up to a factor, a plan, and completely mixed.
  In d it says that no d gains against y: x is a best reply to y, the proof.

Only the support of x counts: the numbers of the program are those of the game.

References
----------
E. van Damme: Stability and Perfection of Nash Equilibria, Springer, second edition 1991, lemma 3.2.1, theorem 3.2.2.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

import numpy as np

from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import BehaviorStrategy, TremblingPlan
from tremble.model.tree import GameTree
from tremble.solvers.run import Run
from tremble.solvers.shared.nash import exact_optimum
from tremble.solvers.shared.sequence_programs import NashProgram
from tremble.verifier.certificates.dominated import DominatedRefutation

__all__ = ["supporting_plan"]


def supporting_plan(tree: GameTree, strategy: BehaviorStrategy, run: Run) -> TremblingPlan | DominatedRefutation:
    """A completely mixed plan of the other to which the strategy is a best reply, or what dominates the strategy.

    Examples
    --------
    >>> import tremble
    >>> from tremble.base.clock import Clock
    >>> tree = tremble.matrix_game([[1, 0], [0, 0]], [[1, 0], [0, 0]])
    >>> top, bottom = (tremble.BehaviorStrategy.from_rows(tree, 0, [row]) for row in ([1, 0], [0, 1]))
    >>> supporting_plan(tree, top, Run(Clock(None))).coefficient.tolist()
    [[2, 1, 1]]
    >>> dict(supporting_plan(tree, bottom, Run(Clock(None))).deviation)
    {1: 1, 2: -1}
    """
    player, form = strategy.player, SequenceForm.of(tree)
    nash = NashProgram.of(form.zero_sum(1).exchanged() if player else form.zero_sum())
    one, two = nash.program.columns["plan of player 1"], nash.program.rows["plan of player 2"]
    start = np.zeros(nash.program.num_columns, dtype=np.int64)
    start[one] = strategy.to_realization_plan(tree).weight != 0
    matrix, game_value = nash.program.matrix, nash.game_value
    in_plan = np.zeros(nash.program.num_rows, dtype=np.int64)
    in_plan[two] = 1
    cost = -matrix.transposed_dot(in_plan)
    cost[game_value] += 1
    free = nash.program.free.copy()
    free[game_value] = False
    program = replace(nash.program, rhs=matrix.dot(start)[np.newaxis], cost=cost[np.newaxis], free=free)
    vertex, _ = exact_optimum(program, run)
    logicals = program.logicals["plan of player 2"]
    if vertex.value[game_value] or vertex.value[logicals].any():
        change = (vertex.value - vertex.value_denominator * np.append(start, np.zeros(program.num_rows, int)))[one]
        common = gcd(*change.tolist())
        return DominatedRefutation(player, {q: d // common for q, d in enumerate(change.tolist()) if d})
    weight = vertex.reduced_denominator - vertex.reduced[logicals]
    weight //= gcd(*weight.tolist())
    return TremblingPlan(1 - player, weight[np.newaxis], int(weight[0]))
