r"""Compute proper equilibria of two-player constant-sum games with perfect recall by Dresher's procedure.

In a matrix game, sort the payoffs of a strategy against the columns in ascending order. The strategy is proper if and
only if its sorted vector is the lexicographically greatest one (:mod:`tremble.check.proper`). Dresher's procedure finds
such a strategy. First it makes the least component as great as possible, and fixes it. Then it repeats this step with
the least component that the fixed components do not determine.

In sequence form, the cost of a pure plan of player 2 is the sum of the losses :math:`r_q \ge 0` of its sequences. The
losses are the slacks in the program of :class:`~tremble.solvers.zero_sum.NashProgram`. Let S be the set of sequences
with fixed losses, and :math:`c_q` the cost of the cheapest plan that plays q. If a pure plan leaves S, it has a first
sequence q outside S. The cheapest such plan costs :math:`c_{q'} + r_q`, where q' is the sequence before q. So the next
program is

.. math::  \max t \quad\text{s.t.}\quad E x = e, \qquad
           v_{J(q)} - \sum_{J \text{ after } q} v_J - (U^T x)_q =
           \begin{cases} -r_q & q \in S \\ \le c_{q'} - t & q \notin S,\; q' \in S \\ \le 0 & \text{else,} \end{cases}

with the value of the game as :math:`v_0`. The multipliers of the last two kinds of rows are nonnegative. Sequences with
positive multipliers join S, because their inequalities hold with equality in every optimal plan, so that
:math:`c_q = t`. At least one sequence joins S each time, because the multipliers in the column of t sum to 1. The
procedure ends when S contains all sequences. Usually it ends much sooner, because at most one plan satisfies the
equations of S. The rank of the equations shows this.

The certificate ranks the mistakes of both players (:meth:`tremble.solvers.undominated.Judged.ranked_plans`).

References
----------
M. Dresher: The Mathematics of Games of Strategy, 1961.
E. van Damme: Stability and Perfection of Nash Equilibria, Springer, second edition 1991, section 3.5.
P. B. Miltersen, T. B. Sørensen: Fast algorithms for finding proper strategies in game trees, SODA 2008.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.exact.dependent import dependent_columns
from tremble.exact.program import IntegerMatrix, Program
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import RealizationPlan
from tremble.game.tree import GameTree
from tremble.solution.basis_certificate import DominatedRefutation
from tremble.solution.certificates import ranked_plans
from tremble.solution.claim import Claim
from tremble.solution.trembling_plan import TremblingPlan
from tremble.solvers.faultless import best_limit
from tremble.solvers.method import Run
from tremble.solvers.undominated import Judged
from tremble.solvers.zero_sum import LpSettings, NashProgram, exact_optimum, solve_nash

__all__ = ["proper_claim"]


def proper_claim(tree: GameTree, _concept: str, run: Run, settings: LpSettings) -> Claim:
    """Compute a proper equilibrium. The proof consists of plans that rank the mistakes of both players."""
    nash = solve_nash(tree, run, settings)  # the best result so far, in case time runs out
    began = run.clock.elapsed
    form, plans, programs = SequenceForm.of(tree), [], 0
    for player in (0, 1):
        plan, solved = _proper_plan(NashProgram.of(form.zero_sum(1).exchanged() if player else form.zero_sum()), run)
        plans.append(replace(plan, player=player))
        programs += solved
    ranked = []
    for plan in reversed(plans):
        found = Judged.of(tree, plan.to_behavior(tree)).ranked_plans(run)
        assert not isinstance(found, DominatedRefutation)  # the plan is proper, so no plan dominates it at any cost
        ranked.append(found)
    strategies = []
    for player, (plan, others) in enumerate(zip(plans, reversed(ranked), strict=True)):
        assert plan.denominator is not None  # the plan is exact
        own = TremblingPlan(player, plan.weight.astype(object)[np.newaxis], plan.denominator)
        strategies.append(best_limit(tree, own, TremblingPlan(1 - player, np.array(others, dtype=object), 1)))
    stats = {
        "refinement_programs": programs,
        "refinement_plans": list(map(len, ranked)),
        "refinement_seconds_float": run.clock.elapsed - began,
    }
    certificate = ranked_plans(ranked)
    return Claim((strategies[0], strategies[1]), {**nash.stats, **stats}, certificate)


def _proper_plan(nash: NashProgram, run: Run) -> tuple[RealizationPlan, int]:
    """Return player 1's plan at the end of Dresher's procedure, and the number of programs solved."""
    program, other = nash.program, nash.form.sequences[1]
    plan, two = program.columns["plan of player 1"], program.logicals["plan of player 2"]
    fixed = np.zeros(other.num_sequences, dtype=np.bool_)  # S
    losing = np.zeros(nash.form.num_sequences[0], dtype=np.bool_)  # sequences that no remaining plan plays
    loss, cost = [Fraction(0)] * len(fixed), [Fraction(0)] * len(fixed)
    value, programs = Fraction(0), 0
    while True:
        run.progress("costs of mistakes, the least first", float(fixed.mean()))
        ahead = ~fixed & fixed[other.before]
        ahead[0] = not programs
        vertex, _ = exact_optimum(_next(nash, fixed, ahead, loss, cost, value), run)
        programs += 1
        losing |= np.asarray(vertex.reduced[plan] != 0, dtype=np.bool_)
        level = Fraction(vertex.value[nash.game_value], vertex.value_denominator)
        new = ~fixed & np.asarray(vertex.reduced[two] != 0, dtype=np.bool_)
        for q in np.flatnonzero(new).tolist():
            cost[q] = level if programs > 1 else Fraction(0)
            loss[q] = cost[q] - cost[other.before[q]] if ahead[q] else Fraction(0)
        if programs == 1:
            value = level
        fixed |= new
        if fixed.all() or _determined(nash, fixed, losing, run):
            return nash.plans(vertex)[0], programs


def _next(
    nash: NashProgram,
    fixed: NDArray[np.bool_],
    ahead: NDArray[np.bool_],
    loss: list[Fraction],
    cost: list[Fraction],
    value: Fraction,
) -> Program:
    """Return the next program of Dresher's procedure. The column of the game's value stands for the variable t."""
    program, matrix, before = nash.program, nash.program.matrix, nash.form.sequences[1].before
    first, t = program.rows["plan of player 2"].start, nash.game_value
    right = [Fraction(0)] * program.num_rows
    right[0] = Fraction(1)
    for q in np.flatnonzero(fixed).tolist():
        right[first + q] = -loss[q]
    for q in np.flatnonzero(ahead).tolist():
        right[first + q] = cost[before[q]]
    if fixed[0]:
        right[first] = -value
    scale = np.array([r.denominator for r in right], dtype=object)
    kept = matrix.column != t
    bounding = first + np.flatnonzero(ahead)
    row = np.concatenate((matrix.row_of_entry[kept], bounding))
    column = np.concatenate((matrix.column[kept], np.full(len(bounding), t)))
    entries = np.concatenate((matrix.value[kept], np.ones(len(bounding), dtype=np.int64))) * scale[row]
    equality = program.equality.copy()
    equality[first:] = fixed
    return replace(
        program,
        matrices=(IntegerMatrix.from_entries(matrix.shape, row, column, entries),),
        rhs=np.array([r.numerator for r in right], dtype=object)[np.newaxis],
        equality=equality,
        row_exponent=program.row_exponent - np.array([s.bit_length() - 1 for s in scale.tolist()]),
    )


def _determined(nash: NashProgram, fixed: NDArray[np.bool_], losing: NDArray[np.bool_], run: Run) -> bool:
    """Return True if at most one plan of player 1 without ``losing`` sequences satisfies the equations of ``fixed``."""
    program, other = nash.program, nash.form.sequences[1]
    flow, reply = program.rows["flow of player 1"], program.rows["plan of player 2"]
    values = program.columns["values of player 2"].start + 1 + np.flatnonzero(fixed[other.parent])
    columns = np.concatenate((np.flatnonzero(~losing), values))
    rows = np.concatenate((np.arange(flow.start, flow.stop), reply.start + np.flatnonzero(fixed)))
    return not len(dependent_columns(program.matrix.submatrix(rows, columns), run.clock.check))
