r"""From a game of any sum to a linear complementarity problem, and back to plans.

Let A and B be what the players *lose* at pairs of sequences, chance included: positive at each pair that chance leads
to, which adding a constant to the payoffs makes them, without any change to the game. Player i's plan is
:math:`x = k(\varepsilon) + \tilde x`, where :math:`k_q` is the least weight of sequence q: the product of its weights
times :math:`\varepsilon^{|q|}`, 1 for the empty sequence; y = l + \tilde y alike. With p and q, what each information
set costs (that of the empty sequences left out), find :math:`\tilde x, \tilde y, p, q \ge 0` such that

.. math::

   r_1 &= A y - E^T p \ge 0, & \quad r_2 &= B^T x - F^T q \ge 0, \\
   f_1 &= E x - e \ge 0, & f_2 &= F y - f \ge 0

are complementary to them, in this order: :math:`\tilde x r_1 = 0`, ..., :math:`q f_2 = 0`. Row I of E x - e is
:math:`\sum_a x_{(I,a)} - x_{before(I)}`.

*A solution is an equilibrium of the perturbed game.* Backward over the sets, every :math:`p_I` is positive: the cost of
each action is then positive, as something is lost after it against the completely mixed y; if :math:`p_I = 0`, all
actions would be played as little as they must, by complementarity; these add up to something of a higher order than the
least :math:`x_{before(I)}`, against :math:`f_1 \ge 0`. So :math:`f_1 = 0`, x and y are plans; whatever is played beyond
its least costs :math:`p_I`, which is what the best action costs. These are the polynomials that
:mod:`tremble.check.quasi_perfect` asks for. (Sets that chance never comes to are left out of the problem,
as any play will do there.)

*Lemke's method cannot end in a ray*, whatever the positive covering vector d, as long as the covering variable
:math:`z_0` is positive. Let :math:`z + \lambda \bar z, w + \lambda \bar w` be a ray, :math:`\lambda \ge 0`, so that
:math:`\bar w = M \bar z + d \bar z_0`, all nonnegative, and every product of a variable with a complementary one is 0,
those of barred with unbarred ones included. From :math:`q \bar f_2 = 0`, :math:`\bar f_2 = F \bar y + d \bar z_0`,
follows :math:`q^T F \bar y \le 0`. From :math:`\bar y r_2 = 0` follows
:math:`\bar y^T (B^T x + d z_0) = \bar y^T F^T q \le 0`, while B and x are nonnegative and :math:`d z_0` is positive:
:math:`\bar y = 0`, and :math:`\bar x = 0` alike. Then :math:`\bar r_1 = d \bar z_0 - E^T \bar p`. If
:math:`\bar z_0 > 0`, :math:`\bar f_1 = d \bar z_0 > 0`, so that :math:`\bar p = 0`: it is the ray where the method
began. If :math:`\bar z_0 = 0`, :math:`E^T \bar p \le 0`: last sets have :math:`\bar p_I \le 0`, so 0, and then those
before them; nothing is left of the ray.

*Where the path begins.* In the rows of r, d is what each sequence is expected to lose against the prior: players
reply to the other's play plus :math:`z_0` times its prior plan, as in the method of von Stengel, van den Elzen and
Talman. In theirs d is 0 in the rows of f that belong to information sets, which leaves no ray to begin with here;
here it is a small supply, and the prior plan leads a little more often to each set than to the move before. The less,
the fewer pivots: on ``leduc`` 34,541 with 1, 5,763 with 1/8, 1,493 with 2^-10 (and 8,997 with a vector of ones).

References
----------
D. Koller, N. Megiddo, B. von Stengel: Efficient computation of equilibria for extensive two-person games,
Games and Economic Behavior 14, 1996.
P. B. Miltersen, T. B. Sørensen: Computing a quasi-perfect equilibrium of a two-player game, Economic Theory 42, 2010.
B. von Stengel, A. van den Elzen, D. Talman: Computing normal form perfect equilibria for extensive two-person games,
Econometrica 70, 2002.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tremble.exact.blocks import Blocks
from tremble.exact.colours import Quotient
from tremble.exact.lemke import ComplementarityProblem
from tremble.exact.lexicographic import BasicSolution
from tremble.exact.matrix import IntegerMatrix
from tremble.exact.program import Program
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import TremblingPlan
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.solution.trembles import Trembles
from tremble.solvers.backward_induction import Choice
from tremble.solvers.general_sum.reached import ONE, SUPPLY, ReachedSide
from tremble.solvers.general_sum.symmetry import Symmetry, stacked
from tremble.solvers.refine import trembling_plan

__all__ = ["ComplementarityProgram"]


@dataclass(frozen=True, eq=False)
class ComplementarityProgram:
    """The problem as a program: w are the logicals of its rows, the last column is the covering variable."""

    problem: ComplementarityProblem
    sides: tuple[ReachedSide, ReachedSide]
    columns: tuple[NDArray[np.int64], NDArray[np.int64]]  # of each player's sequences that are kept
    quotient: Quotient | None = None  # if it has one variable for all that is alike

    @property
    def program(self) -> Program:
        """The program."""
        return self.problem.program

    @classmethod
    def of(cls, tree: GameTree, trembles: Trembles, prior: Trembles) -> ComplementarityProgram:
        """Write the problem down.

        Parameters
        ----------
        prior : Trembles
            In proportion to them the players are first expected to play: where the path begins.
        """
        form = SequenceForm.of(tree)
        side1, side2 = sides = ReachedSide.of(form, 0, trembles), ReachedSide.of(form, 1, trembles)
        names = {
            "plan of player 1": len(side1.sequences), "plan of player 2": len(side2.sequences),
            "costs of player 1": len(side1.sets), "costs of player 2": len(side2.sets),
        }  # fmt: skip
        rows, columns = Blocks.of(names), Blocks.of({**names, "covering": 1})
        parts = []
        rhs = np.zeros((max(len(side.least) for side in sides), len(rows)), dtype=object)
        row_exponent = np.zeros(len(rows), dtype=np.int64)
        column_exponent = np.zeros(len(columns), dtype=np.int64)
        column_exponent[columns["covering"]] = -ONE.bit_length()
        cover = np.ones(len(rows), dtype=object)
        for player, (own, other) in enumerate(((side1, side2), (side2, side1))):
            cost = own.losses(tree, other)
            row, column, value = cost.inner
            plan, replies = f"plan of player {player + 1}", f"plan of player {2 - player}"
            sets = f"costs of player {player + 1}"
            parts.append((plan, replies, row, column, -value))
            row, column, value = own.flow()
            parts += [(plan, sets, column, row, value), (sets, plan, row, column, -value)]
            for level, least in zip(rhs, other.least, strict=False):
                level[rows[plan]] += cost.against(least)
            for level, least in zip(rhs, own.least, strict=False):
                level[rows[sets]] += own.flow_of(least)
            exponent = cost.exponents
            row_exponent[rows[plan]] = -np.repeat(exponent, own.sizes)
            column_exponent[columns[sets]] = exponent
            cover[rows[plan]] = cost.expected(prior)
            cover[rows[sets]] = SUPPLY
        parts.append((next(iter(names)), "covering", np.arange(len(rows)), np.zeros(len(rows), dtype=np.int64), -cover))
        program = Program(
            matrices=(IntegerMatrix.from_blocks(rows, columns, parts),),
            rhs=rhs,
            cost=np.zeros((1, len(columns)), dtype=np.int64),
            equality=np.zeros(len(rows), dtype=np.bool_),
            free=np.zeros(len(columns), dtype=np.bool_),
            row_exponent=row_exponent,
            column_exponent=column_exponent,
            rows=rows,
            columns=columns,
        )
        n = len(rows)
        complement = np.concatenate((np.arange(n) + n + 1, [-1], np.arange(n)))
        plans = pair(np.r_[columns[f"plan of player {i}"]] for i in (1, 2))
        return cls(ComplementarityProblem(program, complement, n, program.slack_basis), sides, plans)

    def merged(self, symmetry: Symmetry) -> ComplementarityProgram:
        """With one variable for all that is alike."""
        row = stacked(*symmetry.among(self.sides))
        quotient = Quotient.of(self.program, row, np.append(row, row.max(initial=-1) + 1))
        assert quotient is not None  # its entries are among those that the classes are equitable for
        columns = pair(quotient.column[own] for own in self.columns)
        return replace(self, problem=self.problem.merged(quotient), columns=columns, quotient=quotient)

    def basis_of(self, choice: Choice) -> NDArray[np.int64]:
        """The basis that plays a choice wherever chance leads."""
        whole = self.program if self.quotient is None else self.quotient.whole
        basic = np.zeros(whole.num_columns + whole.num_rows, dtype=np.bool_)
        for i, (side, chosen) in enumerate(zip(self.sides, choice, strict=True), start=1):
            basic[whole.columns[f"costs of player {i}"]] = True
            basic[whole.columns[f"plan of player {i}"]] = chosen[side.sequences]
            basic[whole.logicals[f"plan of player {i}"]] = ~chosen[side.sequences]
        return np.flatnonzero(basic if self.quotient is None else basic[self.quotient.first])

    def plans(self, vertex: BasicSolution) -> tuple[TremblingPlan, TremblingPlan]:
        """The plans of both players at a solution."""
        return pair(self._plan(player, vertex) for player in (0, 1))

    def _plan(self, player: int, vertex: BasicSolution) -> TremblingPlan:
        side, columns = self.sides[player], self.columns[player]
        levels, denominators = [], []
        for k, (values, denominator) in enumerate(zip(vertex.values, vertex.value_denominators, strict=True)):
            least = side.least[k] if k < len(side.least) else np.zeros_like(side.least[0])
            levels.append(side.plan(values[columns], least * denominator))
            denominators.append(denominator)
        return trembling_plan(player, list(zip(levels, denominators, strict=True)))
