r"""Compute equilibria of games of any sum by Lemke's method on the sequence form.

*The problem.* Let A and B be the *losses* of players 1 and 2 at pairs of sequences, times the probability of chance. A
loss is positive at each pair that chance reaches, because a constant is subtracted from the payoffs, which does not
change the game. Player 1's plan is :math:`x = k(\varepsilon) + \tilde x`. Here :math:`k_s` is the least weight of
sequence s: the product of the weights of its moves times :math:`\varepsilon^{|s|}`, and 1 for the empty sequence. In
the same way, :math:`y = l + \tilde y`. Let p and q be the costs (dual variables) of the information sets of players 1
and 2, without the costs of the empty sequences. Find :math:`\tilde x, \tilde y, p, q \ge 0` such that

.. math::

   r_1 &= A y - E^T p \ge 0, & \quad r_2 &= B^T x - F^T q \ge 0, \\
   f_1 &= E x - e \ge 0, & f_2 &= F y - f \ge 0

and :math:`\tilde x r_1 = 0`, :math:`\tilde y r_2 = 0`, :math:`p f_1 = 0` and :math:`q f_2 = 0`, which means that the
variables are complementary. Row I of E x - e is :math:`\sum_a x_{(I,a)} - x_{before(I)}`. The problem does not contain
empty sequences, which are always played. It also does not contain information sets that chance never reaches, because
any play is optimal there.

*A solution is an equilibrium of the perturbed game* [1]_ [2]_. First, every :math:`p_I` is positive. The proof is by
induction from the last information sets back. The cost of each action at I is positive, because y is completely mixed
and all losses after I are positive. Suppose :math:`p_I = 0`. By complementarity, each action then has its least
weight. The sum of these weights has a higher order than the least weight of :math:`before(I)`, which contradicts
:math:`f_1 \ge 0`. So :math:`f_1 = 0`, and x and y are plans. Each sequence with more than its least weight costs
:math:`p_I`, the cost of the best action. So x and y satisfy the conditions of :mod:`tremble.check.quasi_perfect`.

*Lemke's method cannot end in a ray* while the covering variable :math:`z_0` is positive, for any positive covering
vector d. Let :math:`z + \lambda \bar z, w + \lambda \bar w` with :math:`\lambda \ge 0` be a ray. Then
:math:`\bar w = M \bar z + d \bar z_0`, and all entries are nonnegative. Every product of complementary variables is 0,
even if only one of the two variables has a bar. The equations :math:`q \bar f_2 = 0` and
:math:`\bar f_2 = F \bar y + d \bar z_0` imply :math:`q^T F \bar y \le 0`. The equation :math:`\bar y r_2 = 0` implies
:math:`\bar y^T (B^T x + d z_0) = \bar y^T F^T q \le 0`. Because B and x are nonnegative and :math:`d z_0` is positive,
:math:`\bar y = 0`. In the same way, :math:`\bar x = 0`. Then :math:`\bar r_1 = d \bar z_0 - E^T \bar p`. If
:math:`\bar z_0 > 0`, then :math:`\bar f_1 = d \bar z_0 > 0`. So :math:`\bar p = 0`, and the ray is the initial ray. If
:math:`\bar z_0 = 0`, then :math:`E^T \bar p \le 0`. So :math:`\bar p_I = 0` at the last sets, and by induction at the
sets before them. Then the ray is 0, which is a contradiction.

*Start of the path.* In the rows of r, d is the expected loss of each sequence against the prior. So each player replies
to the other player's plan plus :math:`z_0` times the other player's prior plan, as in the method of von Stengel, van
den Elzen and Talman [3]_. In their method, d is 0 in the rows of f. With these zeros, this problem would have no
initial ray. Here d is a small *supply* in these rows: at each set, the prior plan's weights sum to the supply plus the
weight of the move before the set. A smaller supply needs fewer pivots. On ``leduc``, the number of pivots is 34,541
with a supply of 1, 5,763 with 1/8, and 1,493 with 2^-10. If d is a vector of ones, the number is 8,997.

*Extensive-form perfect equilibria* [4]_ have players who tremble at every move. Every action a has a probability of at
least :math:`w_a \varepsilon^{k_a}` at its information set, so
:math:`\tilde x_s = x_s - w_s\,\varepsilon^{k_s}\,x_{before(s)} \ge 0`. Let :math:`\varepsilon W` be the matrix with
:math:`(\varepsilon W x)_s = w_s\,\varepsilon^{k_s}\,x_{before(s)}`. Plans that are equilibria of the perturbed game
solve

.. math::

   A y - E^T p = (I - \varepsilon W)^T g_1, \quad B^T x - F^T q = (I - \varepsilon W)^T g_2, \quad
   \tilde x g_1 = 0, \quad \tilde y g_2 = 0, \quad E x - e \ge 0, \quad F y - f \ge 0.

The variables g are *shortfalls*. A shortfall is the loss of an action against the best action at its information set,
including the player's own later trembles. Because x is a nonnegative combination of :math:`\tilde x`, this problem has
the form of the first problem. It has :math:`(I - \varepsilon W)^{-T} A (I - \varepsilon W)^{-1}` in place of A and
:math:`E (I - \varepsilon W)^{-1}` in place of E, and its right-hand side is not perturbed. The inverse is nonnegative,
and its transpose maps the entry of a sequence to the sequences before it. Both proofs remain valid for every positive
:math:`\varepsilon` at which the least probabilities at each set add up to less than 1. So there is no ray, and the flow
rows are equations.

1. If the game has perfect information and one best action at every node, first try the basis of backward induction. In
   other games, or if this basis is not stable, solve the problem at :math:`\varepsilon = 2^{-k}`
   (:mod:`tremble.exact.lemke`), with growing k.
2. At the basis found, x depends only on B, and y depends only on A. The stability oracle
   (:mod:`tremble.exact.stability`) decides exactly for both systems whether all signs hold for every smaller epsilon.

The algorithm ends, because the number of bases is finite, and an unstable basis is infeasible at every sufficiently
small epsilon.

*Symmetric equilibria* treat all members of a class of sequences or information sets alike. The classes are the coarsest
*equitable* classes (:mod:`tremble.exact.colours`) of three matrices. The matrices contain the losses of both players at
pairs of sequences, the probability that chance leads to each pair, and the sequence before each information set.
Sequences of one class have the same number of moves, the same trembles and orders, and the same expected loss against
the prior. Information sets of one class have actions in the same classes and follow sequences of one class. A class can
contain sequences of both players if the players are *interchangeable*, which means that their empty sequences are in
one class. The losses are integers without a common divisor, relative to the greatest payoff of the player. So the units
of the payoffs do not matter.

*Each symmetry of the game, the trembles and the prior* maps sequences to sequences of the same class. Examples are
relabeled actions, copies of subtrees after moves of chance, and players who change places. The reason is that the
orbits of the symmetries are equitable classes, and the coarsest classes are unions of orbits. So every symmetry leaves
a solution unchanged if the solution is equal within each class. The converse is false, as in color refinement of graphs
[6]_: some classes contain members that no symmetry exchanges, and the solution treats these members alike too.

*A symmetric solution exists* [5]_, *and the method finds it.* Let P be one of the complementarity problems above. The
quotient :math:`P^Q` has one variable and one row for each class. The row is the row of an arbitrary member of the
class. All rows of a class have equal values at points that are equal within each class. So :math:`(z, w)` solves
:math:`P^Q` if and only if :math:`z_j = z_{[j]}` and :math:`w_j = w_{[j]}` solve P. The sizes of the classes do not
matter. Rows and columns have the same classes, so products :math:`z_j w_j` are products of the quotient. Each point of
Lemke's path in the quotient extends to P in the same way, because the covering vector is equal on classes. A ray of the
quotient extends to a ray of P with the signs and products that the proof above uses, so it is the initial ray. The path
in the quotient never returns, so it ends in a solution. Let D be the matrix of class sizes. Then :math:`D M^Q` is the
form of P on points that are equal on classes, so it is copositive if the form of P is copositive.

References
----------
.. [1] D. Koller, N. Megiddo, B. von Stengel: Efficient computation of equilibria for extensive two-person games, Games
   and Economic Behavior 14, 1996.
.. [2] P. B. Miltersen, T. B. Sørensen: Computing a quasi-perfect equilibrium of a two-player game, Economic Theory 42,
   2010.
.. [3] B. von Stengel, A. van den Elzen, D. Talman: Computing normal form perfect equilibria for extensive two-person
   games, Econometrica 70, 2002.
.. [4] G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
.. [5] J. Nash: Non-cooperative games, Annals of Mathematics 54, 1951, theorem 2: a finite game has a symmetric
   equilibrium.
.. [6] M. Grohe, K. Kersting, M. Mladenov, E. Selman: Dimension reduction via colour refinement, ESA 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.colours import numbered, refined_alike
from tremble.exact.lemke import ComplementarityProblem, solve_complementarity
from tremble.exact.lexicographic import BasicSolution
from tremble.exact.program import Blocks, IntegerMatrix, Program
from tremble.exact.quotient import Classes, Quotient
from tremble.exact.small_number import at_bits
from tremble.exact.stability import check_stability
from tremble.game.sequence_form import SequenceForm, Sequences
from tremble.game.strategy import RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import integer_array, pair
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.solution.trembling_plan import TremblingPlan
from tremble.solvers.backward_induction import SUFFICED, Choice, induced_choice, induced_claim
from tremble.solvers.method import Run
from tremble.solvers.perfect import PerfectProgram, StableBasis, basis_certificate, heaviest
from tremble.solvers.refine import flow, least_weights, polynomials_claim, trembling_plan
from tremble.solvers.zero_sum import NashProgram

__all__ = ["ComplementarityProgram", "Symmetry", "general_sum_claim", "symmetrically"]

_ONE = 1 << 30  # represents 1 in the covering vector
_SUPPLY = _ONE >> 10  # the prior reaches each information set this much more often than the move before it
_LEAST = _ONE >> 20  # covering entry of a sequence with expected loss 0, as a fraction of the greatest loss at its set
_FIRST_BITS = 10  # for a perfect equilibrium, epsilon is first 2^-(this plus the bits of the greatest weight sum)


def general_sum_claim(tree: GameTree, concept: str, prior: Trembles, run: Run, *, symmetric: bool = False) -> Claim:
    """Return a claim with the equilibrium at the end of Lemke's path from a prior.

    Players tremble in proportion to the prior, unless ``run.trembles`` has other weights.

    In a one-sided concept, one player makes no mistakes. But both players tremble in this computation, so the path ends
    in a quasi-perfect equilibrium. Afterwards, the plan of the player without mistakes keeps only its constant terms.
    Each best response to the whole plan is also a best response to these terms. If only the opponent trembled, the
    opponent's losses would be 0 at sets that the player without mistakes never reaches. The complementarity problem
    enforces the flow equation of a set only if the losses at the set are positive.

    In a ``symmetric`` equilibrium, all sequences of a class (:class:`Symmetry`) have the same weight. The diagnostics
    count the classes.
    """
    induced = induced_claim(tree, concept, run)
    if induced is not None:
        return induced
    weights = prior if run.trembles is None else run.trembles
    claimed = _perfect_claim if CONCEPTS[concept].own_mistakes else partial(_plans_claim, concept)
    if not symmetric:
        return claimed(tree, prior, weights, run, None)
    run.progress("alike sequences and information sets", None)
    symmetry = Symmetry.of(tree, weights, prior, run.clock.check)
    claim = claimed(tree, prior, weights, run, symmetry if symmetry.merges else None)
    return replace(claim, diagnostics={**claim.diagnostics, "symmetric": symmetry.plain()})


def symmetrically(tree: GameTree, weights: Trembles, run: Run) -> Trembles:
    """Return ``weights``, changed so that all actions in a class of :class:`Symmetry` have equal weights."""
    uniform = Trembles.uniform(tree)
    return Symmetry.of(tree, uniform, uniform, run.clock.check).symmetrized(weights)


def _plans_claim(
    concept: str, tree: GameTree, prior: Trembles, weights: Trembles, run: Run, symmetry: Symmetry | None
) -> Claim:
    """Compute an equilibrium for ``concept``, and return it as a claim. The players ignore their own later mistakes."""
    began = run.clock.elapsed
    run.progress("linear complementarity problem", None)
    program = ComplementarityProgram.of(tree, weights.of_both, prior)
    if symmetry is not None:
        program = program.merged(symmetry)

    def report(pivots: int) -> None:
        run.progress(f"complementary pivots ({pivots:,} done)", None)

    induced = None if symmetry is not None else induced_choice(tree, run.clock.check, weights, None)
    guess = None if induced is None else program.basis_of(induced)
    solved = solve_complementarity(program.problem, run.clock.check, report, guess=guess)
    plans = program.plans(solved.vertex)
    stats: dict[str, Any] = {
        "rows": program.program.num_rows,
        "pivots": solved.pivots,
        "exact_pivots": solved.exact_pivots,
        "float_attempts": solved.attempts,
        "denominator_bits": max(d.bit_length() for d in solved.vertex.value_denominators),
        "complementary_pivots_seconds_float": run.clock.elapsed - began,
    }
    if guess is not None and np.array_equal(solved.vertex.basic, program.program.basic(guess)):
        stats |= SUFFICED
    if weights.faultless is not None:
        plans = pair(
            TremblingPlan(plan.player, plan.coefficient[:1], plan.denominator)
            if plan.player == weights.faultless
            else plan
            for plan in plans
        )
    if CONCEPTS[concept].refines:
        return polynomials_claim(tree, concept, plans, weights, stats, run)
    plan1, plan2 = (RealizationPlan(plan.player, plan.coefficient[0], plan.denominator) for plan in plans)
    return Claim((plan1.to_behavior(tree), plan2.to_behavior(tree)), stats)


# -- the complementarity problem ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ComplementarityProgram:
    """A complementarity problem as a program. Its logicals are the slacks w, and its last column is Lemke's z_0."""

    problem: ComplementarityProblem
    sides: tuple[_ReachedSide, _ReachedSide]
    columns: tuple[NDArray[np.int64], NDArray[np.int64]]  # columns of each player's sequences in the problem
    quotient: Quotient | None = None  # set if the problem has one variable for each class of sequences or sets

    @property
    def program(self) -> Program:
        """Return the program of the problem."""
        return self.problem.program

    @classmethod
    def of(cls, tree: GameTree, trembles: Trembles, prior: Trembles) -> ComplementarityProgram:
        """Build the problem of a tree whose players tremble with the weights ``trembles``.

        Parameters
        ----------
        trembles : Trembles
            Weights of both players.
        prior : Trembles
            Weights of the prior. Lemke's method starts as if players mixed in proportion to these weights.
        """
        form = SequenceForm.of(tree)
        side1, side2 = sides = _ReachedSide.of(form, 0, trembles), _ReachedSide.of(form, 1, trembles)
        names = {
            "plan of player 1": len(side1.sequences), "plan of player 2": len(side2.sequences),
            "costs of player 1": len(side1.sets), "costs of player 2": len(side2.sets),
        }  # fmt: skip
        rows, columns = Blocks.of(names), Blocks.of({**names, "covering": 1})
        # The program is w = M z + d z_0 - b, with rows -M z - d z_0 <= -b.
        parts = []
        rhs = np.zeros((max(len(side.least) for side in sides), len(rows)), dtype=object)
        row_exponent = np.zeros(len(rows), dtype=np.int64)
        column_exponent = np.zeros(len(columns), dtype=np.int64)
        column_exponent[columns["covering"]] = -_ONE.bit_length()
        cover = np.ones(len(rows), dtype=object)
        for player, (own, other) in enumerate(((side1, side2), (side2, side1))):
            # Add r = A y - E^T p, one row for each sequence.
            cost = own.losses(tree, other)
            row, column, value = cost.inner
            plan, replies = f"plan of player {player + 1}", f"plan of player {2 - player}"
            sets = f"costs of player {player + 1}"
            parts.append((plan, replies, row, column, -value))
            # Add f = E x - e, one row for each information set. Its transpose has the columns of the costs p.
            row, column, value = own.flow()
            parts += [(plan, sets, column, row, value), (sets, plan, row, column, -value)]
            # Add the least weights to the right-hand side.
            for level, least in zip(rhs, other.least, strict=False):
                level[rows[plan]] += cost.against(least)
            for level, least in zip(rhs, own.least, strict=False):
                level[rows[sets]] += own.flow_of(least)
            # Scale rows and columns by powers of two for the float solver. Set the covering vector.
            exponent = cost.exponents
            row_exponent[rows[plan]] = -np.repeat(exponent, own.sizes)
            column_exponent[columns[sets]] = exponent
            cover[rows[plan]] = cost.expected(prior)
            cover[rows[sets]] = _SUPPLY
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
        # Column j of z and logical j of w are complementary. The covering variable has no complement.
        n = len(rows)
        complement = np.concatenate((np.arange(n) + n + 1, [-1], np.arange(n)))
        plans = pair(np.r_[columns[f"plan of player {i}"]] for i in (1, 2))
        return cls(ComplementarityProblem(program, complement, n, program.slack_basis), sides, plans)

    def merged(self, symmetry: Symmetry) -> ComplementarityProgram:
        """Return the quotient problem, which has one variable for each class of a symmetry."""
        row = _stacked(*symmetry.among(self.sides))
        quotient = Quotient.of(self.program, row, np.append(row, row.max(initial=-1) + 1))
        assert quotient is not None  # the classes are equitable for these entries and more
        columns = pair(quotient.column[own] for own in self.columns)
        return replace(self, problem=self.problem.merged(quotient), columns=columns, quotient=quotient)

    def basis_of(self, choice: Choice) -> NDArray[np.int64]:
        """Return the basis of the profile in which both players play the actions in ``choice``."""
        whole = self.program if self.quotient is None else self.quotient.whole
        basic = np.zeros(whole.num_columns + whole.num_rows, dtype=np.bool_)
        for i, (side, chosen) in enumerate(zip(self.sides, choice, strict=True), start=1):
            basic[whole.columns[f"costs of player {i}"]] = True
            basic[whole.columns[f"plan of player {i}"]] = chosen[side.sequences]
            basic[whole.logicals[f"plan of player {i}"]] = ~chosen[side.sequences]
        return np.flatnonzero(basic if self.quotient is None else basic[self.quotient.first])

    def plans(self, vertex: BasicSolution) -> tuple[TremblingPlan, TremblingPlan]:
        """Return the trembling plans of both players at the solution ``vertex``."""
        plans = []
        for player, (side, columns) in enumerate(zip(self.sides, self.columns, strict=True)):
            levels = []  # weights and their denominator for each degree
            for k, (values, denominator) in enumerate(zip(vertex.values, vertex.value_denominators, strict=True)):
                least = side.least[k] if k < len(side.least) else np.zeros_like(side.least[0])
                levels.append((side.plan(values[columns], least * denominator), denominator))
            plans.append(trembling_plan(player, levels))
        return plans[0], plans[1]


@dataclass(frozen=True, eq=False)
class _ReachedSide:
    """A player's sequences and information sets that chance can reach, without the empty sequence."""

    form: SequenceForm
    own: Sequences  # all sequences of the player
    sequences: NDArray[np.int64]  # numbers of the sequences in the problem
    sets: NDArray[np.int64]  # numbers of the information sets in the problem
    place: NDArray[np.int64]  # [S] position of each sequence in sequences, -1 if the problem does not contain it
    trembles: Trembles

    @classmethod
    def of(cls, form: SequenceForm, player: int, trembles: Trembles) -> _ReachedSide:
        """Select a player's sets that lie on paths to leaves with a positive chance probability, and their actions."""
        own = form.sequences[player]
        some = np.zeros(own.num_sequences, dtype=np.bool_)
        some[(form.row, form.column)[player][np.asarray(form.mass != 0)]] = True
        comes = own.most_behind(some)
        sequences = 1 + np.flatnonzero(comes[own.set_of[1:]])
        place = np.full(len(some), -1, dtype=np.int64)
        place[sequences] = np.arange(len(sequences))
        return cls(form, own, sequences, np.flatnonzero(comes), place, trembles)

    @cached_property
    def least(self) -> NDArray[Any]:
        """The least weights of the sequences (1 for the empty one), by degree in epsilon, as object[K + 1, S]."""
        least = least_weights(self.own, self.trembles)
        least[0, 0] = 1
        return least

    @property
    def certain(self) -> NDArray[Any]:
        """Return an array, object[S]: 1 for the empty sequence, which every plan plays, and 0 for other sequences."""
        certain = np.zeros(len(self.place), dtype=object)
        certain[0] = 1
        return certain

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Return the number of actions of each set in the problem."""
        sizes: NDArray[np.int64] = self.own.width[self.sets]
        return sizes

    def flow(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the entries (set, sequence, value) of the flow matrix E, for the problem's sets and sequences."""
        before = self.place[self.own.parent[self.sets]]
        inner = np.flatnonzero(before >= 0)
        row = np.concatenate((np.repeat(np.arange(len(self.sets)), self.sizes), inner))
        column = np.concatenate((np.arange(len(self.sequences)), before[inner]))
        value = np.concatenate((np.ones(len(self.sequences), dtype=np.int64), -np.ones(len(inner), dtype=np.int64)))
        return row, column, value

    def flow_of(self, weight: NDArray[Any]) -> NDArray[Any]:
        """Return E times ``weight``: for each set, the sum of the actions' weights minus the parent's weight."""
        return flow(self.own, weight)[1 + self.sets]

    def before(self) -> NDArray[np.int64]:
        """Return, for each sequence, its parent's index in ``sequences``, or -1 if the parent is the empty sequence."""
        place: NDArray[np.int64] = self.place[self.own.before[self.sequences]]
        return place

    def unreached_slack(self, classes: NDArray[np.int64] | None = None) -> NDArray[np.bool_]:
        """Return bool[S]. At sets of chance probability 0, mark the first action, or the least class of ``classes``."""
        of = np.arange(len(self.place)) if classes is None else classes
        least = np.minimum.reduceat(of, self.own.start[:-1])
        slack = np.append(False, of[1:] == np.repeat(least, self.own.width))
        slack[self.sequences] = False
        return slack

    def losses(self, tree: GameTree, other: _ReachedSide) -> _Losses:
        """Return the losses as integers: chance's probability times (c - payoff), with c above the player's payoffs."""
        form, player = self.form, self.own.player
        paid = tree.payoff[:, player]
        most, least = int(paid.max()), int(paid.min())
        payoff = form.payoff if player == 0 else -form.payoff if form.payoff2 is None else form.payoff2
        assert form.mass is not None
        cost = form.mass.astype(object) * (most + max(most - least, 1)) - payoff.astype(object)
        common = gcd(*cost.tolist()) or 1
        cost = integer_array([value // common for value in cost.tolist()])
        at, opposite = (form.row, form.column)[:: 1 - 2 * player]
        return _Losses(self, other, IntegerMatrix.from_entries((len(self.place), len(other.place)), at, opposite, cost))

    def plan(self, level: NDArray[Any], least: NDArray[Any]) -> NDArray[Any]:
        """Return the coefficients of all sequences' weights for one power of epsilon.

        For a sequence in the problem, the coefficient is its entry in ``least`` plus its entry in ``level``. At sets
        that chance never reaches, the first action gets the remaining weight.
        """
        weight = least.copy()
        weight[self.sequences] += level
        steps = self.own.steps()
        for k in np.setdiff1d(np.arange(len(steps)), self.sets).tolist():
            before, first, end = steps[k]
            weight[first] = weight[before] - sum(weight[first + 1 : end])
        return weight


@dataclass(frozen=True, eq=False)
class _Losses:
    """A player's losses: a matrix with a row for each own sequence, a column for each sequence of the other player."""

    own: _ReachedSide
    other: _ReachedSide
    matrix: IntegerMatrix  # [S, S'], all sequences

    @property
    def inner(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
        """Return the entries (row, column, value) of the loss matrix, only for sequences that the problem includes."""
        row, column = self.own.place[self.matrix.row_of_entry], self.other.place[self.matrix.column]
        kept = (row >= 0) & (column >= 0)
        return row[kept], column[kept], self.matrix.value[kept]

    def against(self, weight: NDArray[Any]) -> NDArray[Any]:
        """Return the losses of the player's sequences in the problem if the other player's plan is ``weight``."""
        lost: NDArray[Any] = self.matrix.dot(weight)[self.own.sequences]
        return lost

    def expected(self, prior: Trembles) -> NDArray[Any]:
        """Return the covering vector: each sequence's loss against the prior plan. Small numbers replace zeros."""
        expected = self.against(_prior_plan(self.other, prior))
        least = [_LEAST << exponent for exponent in np.repeat(self.exponents, self.own.sizes).tolist()]
        cover: NDArray[Any] = np.where(expected > 0, expected, np.array(least, dtype=object))
        return cover

    @property
    def exponents(self) -> NDArray[np.int64]:
        """An exponent for each set: the binary logarithm, rounded down, of the greatest loss at the set and below it.

        The float solver divides the losses at a set by 2 to this exponent. Otherwise, losses after many moves of chance
        would be too small for the solver.
        """
        bits = np.array([int(loss).bit_length() - 1 for loss in self.matrix.value.tolist()], dtype=np.int64)
        most = np.zeros(len(self.own.place), dtype=np.int64)
        np.maximum.at(most, self.matrix.row_of_entry, bits)
        kept: NDArray[np.int64] = self.own.own.most_behind(most)[self.own.sets]
        return kept


def _prior_plan(side: _ReachedSide, prior: Trembles) -> NDArray[Any]:
    """Return a prior plan times _ONE. At each set, divide the parent sequence's weight + _SUPPLY among the actions."""
    weight = prior.weight[side.own.player].tolist()
    often = [_ONE] * (len(weight) + 1)
    for before, first, end in side.own.steps():
        shares = weight[first - 1 : end - 1]
        whole = sum(shares)
        for q, share in enumerate(shares, start=first):
            often[q] = (often[before] + _SUPPLY) * share // whole
    result = np.empty(len(often), dtype=object)
    result[:] = often
    return result


# -- perfect equilibria ------------------------------------------------------------------------------


def _perfect_claim(
    tree: GameTree, prior: Trembles, weights: Trembles, run: Run, symmetry: Symmetry | None = None
) -> Claim:
    """Follow a path from ``prior`` to a perfect equilibrium, and return a claim whose certificate is a basis."""
    began = run.clock.elapsed
    # Build the problem, and for each player the system of its plan and the other player's shortfalls.
    problem = _TremblingProblem.of(tree, weights, prior)
    halves = [_half(tree, player, weights) for player in (0, 1)]
    if symmetry is not None:
        problem = problem.merged(symmetry)
        halves = [half.merged(_quotient_of_half(half, player, symmetry)) for player, half in enumerate(halves)]
    bits = heaviest(weights).bit_length() - 1 + _FIRST_BITS
    pivots = exact_pivots = programs = 0
    # With a symmetry, skip backward induction, because at ties it may choose different actions within a class.
    induced = None if symmetry is not None else induced_choice(tree, run.clock.check, weights, None, own_slips=True)
    while True:
        # Find a basis by backward induction, or at a small number.
        if induced is not None:
            bases = [half.basis_where(induced[i], ~induced[1 - i]) for i, half in enumerate(halves)]
            induced = None
        else:
            run.progress(f"complementary pivots at trembles of 2^-{bits}", None)
            solved = solve_complementarity(problem.at(bits), run.clock.check)
            pivots, exact_pivots, programs = pivots + solved.pivots, exact_pivots + solved.exact_pivots, programs + 1
            bases = [problem.basis_of_half(half, player, solved.vertex.basic) for player, half in enumerate(halves)]
            bits *= 2
        # Stop if the bases of both systems are stable.
        run.progress("stability of the basis", None)
        stable = [
            StableBasis(half, basis, check_stability(half.program, basis, run.clock.check, watched=half.plan_columns))
            for half, basis in zip(halves, bases, strict=True)
        ]
        if not any(len(base.stability.primal_violations) for base in stable):
            break
    (plan1, plan2), certificate, stats = basis_certificate(stable, run)
    stats = {
        "rows": problem.problem.program.num_rows,
        "pivots": pivots,
        "exact_pivots": exact_pivots,
        "programs": programs,
        **stats,
        "complementary_pivots_seconds_float": run.clock.elapsed - began,
    }
    if not programs:
        stats |= SUFFICED
    return Claim((plan1.limit(tree), plan2.limit(tree)), stats, certificate)


@dataclass(frozen=True, eq=False)
class _TremblingProblem:
    r"""The complementarity problem of perfect equilibria, as a program with polynomials in epsilon as coefficients.

    The blocks of columns are "plan", "shortfalls" and "costs" for each player, and "covering". Each player has three
    blocks of rows: "trembles" (:math:`\tilde x` is the logical variable), "losses" (equations) and "flow". The problem
    omits the empty sequences, and sequences and sets that chance never reaches.
    """

    problem: ComplementarityProblem
    sides: tuple[_ReachedSide, _ReachedSide]
    quotient: Quotient | None = None  # set if the problem has one variable for each class of sequences or sets

    @classmethod
    def of(cls, tree: GameTree, trembles: Trembles, prior: Trembles) -> _TremblingProblem:
        """Build the problem of a tree whose players tremble with the weights ``trembles``."""
        form = SequenceForm.of(tree)
        side1, side2 = sides = _ReachedSide.of(form, 0, trembles), _ReachedSide.of(form, 1, trembles)
        plans = [len(side.sequences) for side in sides]
        sets = [len(side.sets) for side in sides]
        columns = Blocks.of(
            {f"{name} of player {i + 1}": size[i]
             for name, size in (("plan", plans), ("shortfalls", plans), ("costs", sets)) for i in (0, 1)}
            | {"covering": 1}
        )  # fmt: skip
        rows = Blocks.of(
            {f"{name} of player {i + 1}": size[i]
             for name, size in (("trembles", plans), ("losses", plans), ("flow", sets)) for i in (0, 1)}
        )  # fmt: skip
        # Collect the parts of the constant matrix, and the parts of the matrix of each degree.
        constant: list[tuple[str, str, Any, Any, Any]] = []
        trembling: list[list[tuple[str, str, Any, Any, Any]]] = [[] for _ in range(trembles.top)]
        rhs = np.zeros((trembles.top + 1, len(rows)), dtype=object)
        row_exponent, column_exponent = np.zeros(len(rows), dtype=np.int64), np.zeros(len(columns), dtype=np.int64)
        column_exponent[columns["covering"]] = -_ONE.bit_length()
        for player, (own, other) in enumerate(((side1, side2), (side2, side1))):
            who, whom = f"of player {player + 1}", f"of player {2 - player}"
            cost = own.losses(tree, other)
            size = np.arange(len(own.sequences))
            ones = np.ones(len(size), dtype=np.int64)
            weight, before = trembles.weight[player][own.sequences - 1], own.before()
            order = trembles.order[player][own.sequences - 1]
            flow = own.flow()
            # Add the constant terms of x~ = x - eps W x, of the losses, of the flow and of the covering vector.
            constant += [
                (f"trembles {who}", f"plan {who}", size, size, -ones),
                (f"losses {who}", f"plan {whom}", *cost.inner[:2], -cost.inner[2]),
                (f"losses {who}", f"costs {who}", flow[1], flow[0], flow[2]),
                (f"losses {who}", f"shortfalls {who}", size, size, ones),
                (f"flow {who}", f"plan {who}", *flow[:2], -flow[2]),
                (f"losses {who}", "covering", size, 0 * size, -cost.expected(prior)),
                (f"flow {who}", "covering", np.arange(sets[player]), np.zeros(sets[player], dtype=np.int64),
                 np.full(sets[player], -_SUPPLY)),
            ]  # fmt: skip
            # Add the terms of degree k, which are the trembles, and their transpose for the shortfalls.
            for k, parts in enumerate(trembling, start=1):
                inner = np.flatnonzero((before >= 0) & (order == k))
                parts += [
                    (f"trembles {who}", f"plan {who}", inner, before[inner], weight[inner]),
                    (f"losses {who}", f"shortfalls {who}", before[inner], inner, -weight[inner]),
                ]
                rhs[k, rows[f"trembles {who}"]] = np.where((before < 0) & (order == k), -weight, 0)
            rhs[0, rows[f"losses {who}"]] = cost.against(other.certain)
            rhs[0, rows[f"flow {who}"]] = np.where(form.parent[player][own.sets] == 0, -1, 0)
            # Scale rows and columns by powers of two for the float solver.
            exponent = cost.exponents
            column_exponent[columns[f"costs {who}"]] = exponent
            row_exponent[rows[f"losses {who}"]] = -np.repeat(exponent, own.sizes)
            column_exponent[columns[f"shortfalls {who}"]] = np.repeat(exponent, own.sizes)
        equality = rows.mask("losses of player 1", "losses of player 2")
        free = columns.mask("plan of player 1", "plan of player 2")
        program = Program(
            matrices=tuple(IntegerMatrix.from_blocks(rows, columns, parts) for parts in (constant, *trembling)),
            rhs=rhs,
            cost=np.zeros((1, len(columns)), dtype=np.int64),
            equality=equality,
            free=free,
            row_exponent=row_exponent,
            column_exponent=column_exponent,
            rows=rows,
            columns=columns,
        )
        # Shortfalls complement trembles, and costs complement flow. Plans and losses have no complement.
        complement = np.full(len(columns) + len(rows), -1, dtype=np.int64)
        for one_of_pair, other_of_pair in (("shortfalls", "trembles"), ("costs", "flow")):
            for i in (1, 2):
                left = np.r_[columns[f"{one_of_pair} of player {i}"]]
                right = np.r_[program.logicals[f"{other_of_pair} of player {i}"]]
                complement[left], complement[right] = right, left
        # The first basis contains plans, shortfalls, and the logicals of the flow.
        start = np.flatnonzero(
            np.concatenate((
                columns.mask(*(f"{name} of player {i}" for name in ("plan", "shortfalls") for i in (1, 2))),
                rows.mask("flow of player 1", "flow of player 2"),
            ))
        )  # fmt: skip
        return cls(ComplementarityProblem(program, complement, columns["covering"].start, start), sides)

    def at(self, bits: int) -> ComplementarityProblem:
        """Return the problem with 2^-bits in place of the infinitesimal."""
        return replace(self.problem, program=at_bits(self.problem.program, bits))

    def merged(self, symmetry: Symmetry) -> _TremblingProblem:
        """Return the quotient problem, which has one variable for each class of a symmetry."""
        sequence, infoset = symmetry.among(self.sides)
        row = _stacked(sequence, sequence, infoset)
        quotient = Quotient.of(self.problem.program, row, np.append(row, row.max(initial=-1) + 1))
        assert quotient is not None  # the classes are equitable for these entries and more
        return replace(self, problem=self.problem.merged(quotient), quotient=quotient)

    def basis_of_half(self, half: PerfectProgram, player: int, basic: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the basis of ``half`` (from :func:`_half`) that corresponds to the basis ``basic`` of this problem.

        This problem omits information sets that chance never reaches. At these sets, only the first action, or an
        action that is merged with the first, may have more than its least probability.
        """
        whole = self.problem.program
        classes = (None, None) if half.nash.classes is None else half.nash.classes.of
        if self.quotient is not None:
            whole, basic = self.quotient.whole, basic[self.quotient.place]
        columns, logicals = whole.columns, whole.logicals
        own, other = self.sides[player], self.sides[1 - player]
        slack = own.unreached_slack(classes[0])
        slack[own.sequences] = basic[logicals[f"trembles of player {player + 1}"]]
        tight = ~other.unreached_slack(classes[1])
        tight[other.sequences] = basic[columns[f"shortfalls of player {2 - player}"]]
        return half.basis_where(slack, tight)


def _half(tree: GameTree, player: int, weights: Trembles) -> PerfectProgram:
    """Return a program for ``player``'s plan and the other player's shortfalls. In it, ``player`` is player 1."""
    form = SequenceForm.of(tree)
    seen = form.zero_sum(1 - player)
    both = Trembles(*(pair((of[player], of[1 - player])) for of in (weights.weight, weights.order, weights.start)))
    perfect = PerfectProgram.of(NashProgram.of(seen.exchanged() if player else seen), both)
    return replace(perfect, program=replace(perfect.program, cost=np.zeros_like(perfect.program.cost)))  # objective 0


def _quotient_of_half(half: PerfectProgram, player: int, symmetry: Symmetry) -> Quotient:
    """Return the quotient of ``half`` (from :func:`_half`) by the classes of sequences and sets in ``symmetry``."""
    (own, own_sets), (other, other_sets) = symmetry.of_player(player), symmetry.of_player(1 - player)
    nothing = np.zeros(1, dtype=np.int64)
    row = _stacked(nothing, own_sets, own[1:] - 1, other)
    column = _stacked(own, nothing, other_sets, other[1:] - 1)
    quotient = Quotient.of(half.program, row, column)
    assert quotient is not None  # the classes are equitable for these entries and more
    return quotient


# -- symmetry ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Symmetry:
    """Classes of symmetric sequences and of symmetric information sets. A class can have members of both players."""

    sequence: tuple[Classes, Classes]  # pair of int64[S]
    infoset: tuple[Classes, Classes]  # pair of int64[J]
    rounds: int

    @classmethod
    def of(cls, tree: GameTree, trembles: Trembles, prior: Trembles, check: Callable[[], None]) -> Symmetry:
        """Find the coarsest equitable classes. Chance reaches either all information sets of a class or none."""
        form = SequenceForm.of(tree)
        sides = pair(_ReachedSide.of(form, player, trembles) for player in (0, 1))
        blocks = Blocks.of(
            {f"sequences of player {i + 1}": form.num_sequences[i] for i in (0, 1)}
            | {f"sets of player {i + 1}": form.num_infosets[i] for i in (0, 1)}
        )
        entries: tuple[list[Any], list[Any]] = [], []  # losses and flow, and probabilities of chance
        facts = np.zeros((5, len(blocks)), dtype=object)
        for player, (own, other) in enumerate((sides, sides[::-1])):
            sequences, others = f"sequences of player {player + 1}", f"sequences of player {2 - player}"
            cost = own.losses(tree, other)
            entries[0].append((sequences, others, cost.matrix.row_of_entry, cost.matrix.column, cost.matrix.value))
            entries[0].append((f"sets of player {player + 1}", sequences, *_flow(own)))
            entries[1].append((sequences, others, *(form.row, form.column)[:: 1 - 2 * player], form.mass))
            facts[:, blocks[sequences]] = _facts(own, cost, prior)
        kinds = blocks.mask("sets of player 1", "sets of player 2").astype(np.int64)  # no class has sequences and sets
        # Color refinement needs a program, but only its matrices and right-hand sides contain data.
        nothing = np.zeros(len(blocks), dtype=np.int64)
        graph = Program(
            matrices=tuple(IntegerMatrix.from_blocks(blocks, blocks, parts) for parts in entries),
            rhs=facts,
            cost=nothing[np.newaxis],
            equality=nothing.astype(np.bool_),
            free=nothing.astype(np.bool_),
            row_exponent=nothing,
            column_exponent=nothing,
        )
        quotient = refined_alike(graph, kinds, check)
        if quotient is None:
            raise SolverError(
                "color refinement failed, because it could not distinguish two sums; omit the option symmetric"
            )
        sequence1, sequence2, infoset1, infoset2 = (quotient.row[block] for block in blocks.slices.values())
        return cls((sequence1, sequence2), (infoset1, infoset2), quotient.rounds)

    @property
    def players_alike(self) -> bool:
        """True if the players are interchangeable, so that both play alike."""
        return bool(self.sequence[0][0] == self.sequence[1][0])

    @property
    def merges(self) -> bool:
        """True if any class has more than one sequence."""
        sequences = np.concatenate(self.sequence)
        return len(np.unique(sequences)) < len(sequences)

    def of_player(self, player: int) -> tuple[Classes, Classes]:
        """Return the classes of a player's sequences and the classes of its sets, numbered from 0."""
        return numbered(self.sequence[player]), numbered(self.infoset[player])

    def among(self, sides: Sequence[_ReachedSide]) -> tuple[Classes, Classes]:
        """Return the class of each sequence and of each set in the problem. Both arrays begin with player 1."""
        sequence = [classes[side.sequences] for classes, side in zip(self.sequence, sides, strict=True)]
        infoset = [classes[side.sets] for classes, side in zip(self.infoset, sides, strict=True)]
        return numbered(np.concatenate(sequence)), numbered(np.concatenate(infoset))

    def symmetrized(self, weights: Trembles) -> Trembles:
        """Return weights that give every action the weight of the first action in the action's class."""
        _, first, of = np.unique(self._moves, return_index=True, return_inverse=True)
        weight = np.concatenate(weights.weight)[first][of]
        return replace(weights, weight=pair(np.split(weight // np.gcd.reduce(weight), [len(weights.weight[0])])))

    def plain(self) -> dict[str, Any]:
        """Return the diagnostics: how many sequences, classes of sequences and rounds of color refinement there are."""
        sizes = [len(self._moves), len(np.unique(self._moves))]
        return {"players_alike": self.players_alike, "sequences": sizes, "rounds": self.rounds}

    @property
    def _moves(self) -> Classes:
        """The class of each nonempty sequence, for player 1 and then for player 2."""
        return np.concatenate([classes[1:] for classes in self.sequence])


def _stacked(*parts: Classes) -> Classes:
    """Concatenate arrays of class numbers. Renumber the classes so that no two of the arrays have a class in common."""
    sizes = [int(part.max(initial=-1)) + 1 for part in parts]
    return np.concatenate([part + first for part, first in zip(parts, np.cumsum([0, *sizes]).tolist(), strict=False)])


def _flow(side: _ReachedSide) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the flow matrix as arrays (set, sequence, value): 1 for a set's sequences, -1 for its parent sequence."""
    own = side.own
    row = np.concatenate((own.set_of[1:], np.arange(own.num_infosets)))
    column = np.concatenate((np.arange(1, own.num_sequences), own.parent))
    return row, column, np.where(np.arange(len(row)) < own.num_sequences - 1, 1, -1)


def _facts(side: _ReachedSide, cost: _Losses, prior: Trembles) -> NDArray[Any]:
    """Return an array, object[5, S]: five numbers for each sequence. Sequences of one class have equal numbers.

    A sequence's least weight is w epsilon^k. The numbers are the sequence's length, w, k, the sequence's entry in the
    covering vector, and 1 if the sequence is in the problem, else 0.
    """
    covered = np.zeros(len(side.place), dtype=object)
    covered[side.sequences] = cost.expected(prior)
    kept = (side.place >= 0).astype(object)
    order = side.own.totals(side.trembles.order[side.own.player])
    return np.stack([side.own.length.astype(object), side.least.sum(axis=0), order.astype(object), covered, kept])
