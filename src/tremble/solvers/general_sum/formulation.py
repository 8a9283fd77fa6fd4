r"""Formulate a game of any sum as a linear complementarity problem, and read the plans from its solution.

Let A and B be the *losses* of players 1 and 2 at pairs of sequences, weighted by chance. A constant is added to the
payoffs so that every loss is positive where chance leads to the pair; this does not change the game. Player 1's plan is
:math:`x = k(\varepsilon) + \tilde x`. Here :math:`k_q` is the least weight of sequence q: the product of the weights
of its moves times :math:`\varepsilon^{|q|}`, and 1 for the empty sequence. Likewise :math:`y = l + \tilde y`. Let p and
q be the costs of the information sets of players 1 and 2, without those of the empty sequences. Find
:math:`\tilde x, \tilde y, p, q \ge 0` such that

.. math::

   r_1 &= A y - E^T p \ge 0, & \quad r_2 &= B^T x - F^T q \ge 0, \\
   f_1 &= E x - e \ge 0, & f_2 &= F y - f \ge 0

are complementary to them, in this order: :math:`\tilde x r_1 = 0`, ..., :math:`q f_2 = 0`. Row I of E x - e is
:math:`\sum_a x_{(I,a)} - x_{before(I)}`.

*A solution is an equilibrium of the perturbed game.* Every :math:`p_I` is positive, by induction from the last sets
back. The cost of each action at I is positive, because y is completely mixed and something is lost after the action.
Suppose :math:`p_I = 0`. By complementarity, each action then has its least weight. These weights add up to a higher
order than the least :math:`x_{before(I)}`, which contradicts :math:`f_1 \ge 0`. So :math:`f_1 = 0`, and x and y are
plans. Each sequence with more than its least weight costs :math:`p_I`, the cost of the best action. These are the
polynomials that :mod:`tremble.check.quasi_perfect` requires. (The problem leaves out sets that chance never reaches,
because any play is optimal there.)

*Lemke's method cannot end in a ray*, for any positive covering vector d, as long as the covering variable :math:`z_0`
is positive. Let :math:`z + \lambda \bar z, w + \lambda \bar w` be a ray, :math:`\lambda \ge 0`. Then
:math:`\bar w = M \bar z + d \bar z_0`, all entries are nonnegative, and every product of complementary variables is 0,
also of a barred variable with an unbarred one. From :math:`q \bar f_2 = 0` and
:math:`\bar f_2 = F \bar y + d \bar z_0` follows :math:`q^T F \bar y \le 0`. From :math:`\bar y r_2 = 0` follows
:math:`\bar y^T (B^T x + d z_0) = \bar y^T F^T q \le 0`. Here B and x are nonnegative and :math:`d z_0` is positive, so
:math:`\bar y = 0`, and likewise :math:`\bar x = 0`. Then :math:`\bar r_1 = d \bar z_0 - E^T \bar p`. If
:math:`\bar z_0 > 0`, then :math:`\bar f_1 = d \bar z_0 > 0`, so :math:`\bar p = 0`: this is the initial ray. If
:math:`\bar z_0 = 0`, then :math:`E^T \bar p \le 0`. Last sets then have :math:`\bar p_I \le 0`, so 0, and by induction
the sets before them too. The ray is 0, a contradiction.

*Start of the path.* In the rows of r, d is the expected loss of each sequence against the prior. So each player replies
to the other's plan plus :math:`z_0` times the other's prior plan, as in the method of von Stengel, van den Elzen and
Talman. Their d is 0 in the rows of f that belong to information sets, and this problem would then have no initial ray.
Here d is a small *supply* in these rows: the prior plan reaches each set slightly more often than the move before it.
A smaller supply needs fewer pivots: on ``leduc`` 34,541 with 1, 5,763 with 1/8, and 1,493 with 2^-10 (8,997 with a
vector of ones).

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
from tremble.solvers.sequence_programs import trembling_plan

__all__ = ["ComplementarityProgram"]


@dataclass(frozen=True, eq=False)
class ComplementarityProgram:
    """A complementarity problem as a program: w are the logicals of its rows, the last column covers."""

    problem: ComplementarityProblem
    sides: tuple[ReachedSide, ReachedSide]
    columns: tuple[NDArray[np.int64], NDArray[np.int64]]  # of each player's sequences in the problem
    quotient: Quotient | None = None  # set if each class of sequences and sets has one variable

    @property
    def program(self) -> Program:
        """Return the program of the problem."""
        return self.problem.program

    @classmethod
    def of(cls, tree: GameTree, trembles: Trembles, prior: Trembles) -> ComplementarityProgram:
        """Build the problem of a tree whose players tremble with these weights.

        Parameters
        ----------
        trembles : Trembles
            Weights of both players.
        prior : Trembles
            Weights of the prior: the path starts from the expectation that players mix in proportion to them.
        """
        form = SequenceForm.of(tree)
        side1, side2 = sides = ReachedSide.of(form, 0, trembles), ReachedSide.of(form, 1, trembles)
        names = {
            "plan of player 1": len(side1.sequences), "plan of player 2": len(side2.sequences),
            "costs of player 1": len(side1.sets), "costs of player 2": len(side2.sets),
        }  # fmt: skip
        rows, columns = Blocks.of(names), Blocks.of({**names, "covering": 1})
        # The program is w = M z + d z_0 - b: its rows state -M z - d z_0 <= -b.
        parts = []
        rhs = np.zeros((max(len(side.least) for side in sides), len(rows)), dtype=object)
        row_exponent = np.zeros(len(rows), dtype=np.int64)
        column_exponent = np.zeros(len(columns), dtype=np.int64)
        column_exponent[columns["covering"]] = -ONE.bit_length()
        cover = np.ones(len(rows), dtype=object)
        for player, (own, other) in enumerate(((side1, side2), (side2, side1))):
            # r = A y - E^T p, one row for each sequence.
            cost = own.losses(tree, other)
            row, column, value = cost.inner
            plan, replies = f"plan of player {player + 1}", f"plan of player {2 - player}"
            sets = f"costs of player {player + 1}"
            parts.append((plan, replies, row, column, -value))
            # f = E x - e, one row for each information set; its transpose holds the costs p.
            row, column, value = own.flow()
            parts += [(plan, sets, column, row, value), (sets, plan, row, column, -value)]
            # The least weights go to the right-hand side.
            for level, least in zip(rhs, other.least, strict=False):
                level[rows[plan]] += cost.against(least)
            for level, least in zip(rhs, own.least, strict=False):
                level[rows[sets]] += own.flow_of(least)
            # Scale rows and columns by powers of two for the float solver; set the covering vector.
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
        # Column j of z and logical j of w are complementary; the covering variable has no complement.
        n = len(rows)
        complement = np.concatenate((np.arange(n) + n + 1, [-1], np.arange(n)))
        plans = pair(np.r_[columns[f"plan of player {i}"]] for i in (1, 2))
        return cls(ComplementarityProblem(program, complement, n, program.slack_basis), sides, plans)

    def merged(self, symmetry: Symmetry) -> ComplementarityProgram:
        """Return the quotient problem: one variable for each class of a symmetry."""
        row = stacked(*symmetry.among(self.sides))
        quotient = Quotient.of(self.program, row, np.append(row, row.max(initial=-1) + 1))
        assert quotient is not None  # the classes are equitable for a superset of its entries
        columns = pair(quotient.column[own] for own in self.columns)
        return replace(self, problem=self.problem.merged(quotient), columns=columns, quotient=quotient)

    def basis_of(self, choice: Choice) -> NDArray[np.int64]:
        """Return the basis at which both players follow a pure choice."""
        whole = self.program if self.quotient is None else self.quotient.whole
        basic = np.zeros(whole.num_columns + whole.num_rows, dtype=np.bool_)
        for i, (side, chosen) in enumerate(zip(self.sides, choice, strict=True), start=1):
            basic[whole.columns[f"costs of player {i}"]] = True
            basic[whole.columns[f"plan of player {i}"]] = chosen[side.sequences]
            basic[whole.logicals[f"plan of player {i}"]] = ~chosen[side.sequences]
        return np.flatnonzero(basic if self.quotient is None else basic[self.quotient.first])

    def plans(self, vertex: BasicSolution) -> tuple[TremblingPlan, TremblingPlan]:
        """Return the plans of both players at a solution."""
        return pair(self._plan(player, vertex) for player in (0, 1))

    def _plan(self, player: int, vertex: BasicSolution) -> TremblingPlan:
        side, columns = self.sides[player], self.columns[player]
        levels, denominators = [], []
        for k, (values, denominator) in enumerate(zip(vertex.values, vertex.value_denominators, strict=True)):
            least = side.least[k] if k < len(side.least) else np.zeros_like(side.least[0])
            levels.append(side.plan(values[columns], least * denominator))
            denominators.append(denominator)
        return trembling_plan(player, list(zip(levels, denominators, strict=True)))
