r"""Compute extensive-form perfect equilibria of games of any sum: players tremble at every move.

Every action a at its set has a probability of at least :math:`w_a \varepsilon^{k_a}`:
:math:`\tilde x_q = x_q - w_q\,\varepsilon^{k_q}\,x_{before(q)} \ge 0`. Let :math:`\varepsilon W` be the matrix with
:math:`(\varepsilon W x)_q = w_q\,\varepsilon^{k_q}\,x_{before(q)}`. Plans that are equilibria of the perturbed game
solve

.. math::

   A y - E^T p = (I - \varepsilon W)^T g_1, \quad B^T x - F^T q = (I - \varepsilon W)^T g_2, \quad
   \tilde x g_1 = 0, \quad \tilde y g_2 = 0, \quad E x - e \ge 0, \quad F y - f \ge 0,

with losses A, B and notation as in :mod:`.formulation`. The variables g are *shortfalls*: the loss of an action against
the best action at its set, including the player's own later trembles. Since x is a nonnegative combination of
:math:`\tilde x`, this is the problem of :mod:`.formulation` with
:math:`(I - \varepsilon W)^{-T} A (I - \varepsilon W)^{-1}` for A and :math:`E (I - \varepsilon W)^{-1}` for E, but
without a perturbed right-hand side. The inverse is nonnegative, and its transpose maps the entry of a sequence to the
sequences before it. Both proofs there carry over: there is no ray, and the flow rows are equations, for every positive
:math:`\varepsilon` small enough that the least probabilities at each set add up to less than 1.

1. Try backward induction first, in a game of perfect information with one best action at every node: it gives a basis.
   Otherwise, or if that basis is not stable, solve the problem at :math:`\varepsilon = 2^{-k}`
   (:mod:`tremble.exact.lemke`), with growing k.
2. At the basis found, x depends only on B and y only on A. The stability oracle (:mod:`tremble.exact.stability`)
   decides exactly for both systems whether all signs hold for every smaller number.

This ends: there are finitely many bases, and a basis that is not stable is infeasible at every sufficiently small
number.

References
----------
G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.blocks import Blocks
from tremble.exact.colours import Quotient
from tremble.exact.lemke import ComplementarityProblem, solve_complementarity
from tremble.exact.matrix import IntegerMatrix
from tremble.exact.program import Program
from tremble.exact.stability import check_stability
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.solution.claim import Claim
from tremble.solution.trembles import Trembles
from tremble.solvers.backward_induction import SUFFICED, induced_choice
from tremble.solvers.basis_certificate import StableBasis, basis_certificate, heaviest
from tremble.solvers.general_sum.reached import ONE, SUPPLY, ReachedSide
from tremble.solvers.general_sum.symmetry import Symmetry, stacked
from tremble.solvers.run import Run
from tremble.solvers.sequence_programs import NashProgram, PerfectProgram

__all__ = ["perfect_claim"]

_FIRST_BITS = 10


def perfect_claim(
    tree: GameTree, prior: Trembles, weights: Trembles, run: Run, symmetry: Symmetry | None = None
) -> Claim:
    """Return the perfect equilibrium that the path from a prior ends in; its basis is the certificate."""
    began = run.clock.elapsed
    problem = _TremblingProblem.of(tree, weights, prior)
    halves = [_half(tree, player, weights) for player in (0, 1)]
    if symmetry is not None:
        problem = problem.merged(symmetry)
        halves = [half.merged(_quotient_of_half(half, player, symmetry)) for player, half in enumerate(halves)]
    bits = heaviest(weights).bit_length() - 1 + _FIRST_BITS
    pivots = exact_pivots = programs = 0
    # With a symmetry, skip backward induction: at ties it may choose differently within a class.
    induced = None if symmetry is not None else induced_choice(tree, run.clock.check, weights, None, own_slips=True)
    while True:
        if induced is not None:
            bases = [half.basis_where(induced[i], ~induced[1 - i]) for i, half in enumerate(halves)]
            induced = None
        else:
            run.progress(f"complementary pivots at trembles of 2^-{bits}", None)
            solved = solve_complementarity(problem.at(bits), run.clock.check)
            pivots, exact_pivots, programs = pivots + solved.pivots, exact_pivots + solved.exact_pivots, programs + 1
            bases = [problem.basis_of_half(half, player, solved.vertex.basic) for player, half in enumerate(halves)]
            bits *= 2
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


# -- the complementarity problem -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _TremblingProblem:
    r"""The complementarity problem as a program whose degree is the greatest order of a tremble.

    Blocks of columns: "plan", "shortfalls" and "costs" of both players, and "covering". Blocks of rows: "trembles",
    whose logicals are :math:`\tilde x`, "losses", which are equations, and "flow" of both players. The problem contains
    the sequences and sets that chance reaches, without the empty sequences.
    """

    problem: ComplementarityProblem
    sides: tuple[ReachedSide, ReachedSide]
    quotient: Quotient | None = None  # set if each class of sequences and sets has one variable

    @classmethod
    def of(cls, tree: GameTree, trembles: Trembles, prior: Trembles) -> _TremblingProblem:
        """Build the problem of a tree."""
        form = SequenceForm.of(tree)
        side1, side2 = sides = ReachedSide.of(form, 0, trembles), ReachedSide.of(form, 1, trembles)
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
        constant: list[tuple[str, str, Any, Any, Any]] = []
        trembling: list[list[tuple[str, str, Any, Any, Any]]] = [[] for _ in range(trembles.top)]
        rhs = np.zeros((trembles.top + 1, len(rows)), dtype=object)
        row_exponent, column_exponent = np.zeros(len(rows), dtype=np.int64), np.zeros(len(columns), dtype=np.int64)
        column_exponent[columns["covering"]] = -ONE.bit_length()
        for player, (own, other) in enumerate(((side1, side2), (side2, side1))):
            who, whom = f"of player {player + 1}", f"of player {2 - player}"
            cost = own.losses(tree, other)
            size = np.arange(len(own.sequences))
            ones = np.ones(len(size), dtype=np.int64)
            weight, before = trembles.weight[player][own.sequences - 1], own.before()
            order = trembles.order[player][own.sequences - 1]
            flow = own.flow()
            constant += [
                (f"trembles {who}", f"plan {who}", size, size, -ones),
                (f"losses {who}", f"plan {whom}", *cost.inner[:2], -cost.inner[2]),
                (f"losses {who}", f"costs {who}", flow[1], flow[0], flow[2]),
                (f"losses {who}", f"shortfalls {who}", size, size, ones),
                (f"flow {who}", f"plan {who}", *flow[:2], -flow[2]),
                (f"losses {who}", "covering", size, 0 * size, -cost.expected(prior)),
                (f"flow {who}", "covering", np.arange(sets[player]), np.zeros(sets[player], dtype=np.int64),
                 np.full(sets[player], -SUPPLY)),
            ]  # fmt: skip
            for k, parts in enumerate(trembling, start=1):
                inner = np.flatnonzero((before >= 0) & (order == k))
                parts += [
                    (f"trembles {who}", f"plan {who}", inner, before[inner], weight[inner]),
                    (f"losses {who}", f"shortfalls {who}", before[inner], inner, -weight[inner]),
                ]
                rhs[k, rows[f"trembles {who}"]] = np.where((before < 0) & (order == k), -weight, 0)
            rhs[0, rows[f"losses {who}"]] = cost.against(other.certain)
            rhs[0, rows[f"flow {who}"]] = np.where(form.parent[player][own.sets] == 0, -1, 0)
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
        complement = np.full(len(columns) + len(rows), -1, dtype=np.int64)
        for one_of_pair, other_of_pair in (("shortfalls", "trembles"), ("costs", "flow")):
            for i in (1, 2):
                left = np.r_[columns[f"{one_of_pair} of player {i}"]]
                right = np.r_[program.logicals[f"{other_of_pair} of player {i}"]]
                complement[left], complement[right] = right, left
        start = np.flatnonzero(
            np.concatenate((
                columns.mask(*(f"{name} of player {i}" for name in ("plan", "shortfalls") for i in (1, 2))),
                rows.mask("flow of player 1", "flow of player 2"),
            ))
        )  # fmt: skip
        return cls(ComplementarityProblem(program, complement, columns["covering"].start, start), sides)

    def at(self, bits: int) -> ComplementarityProblem:
        """Return the problem with 2^-bits for the infinitesimal."""
        return replace(self.problem, program=self.problem.program.at(bits))

    def merged(self, symmetry: Symmetry) -> _TremblingProblem:
        """Return the quotient problem: one variable for each class of a symmetry."""
        sequence, infoset = symmetry.among(self.sides)
        row = stacked(sequence, sequence, infoset)
        quotient = Quotient.of(self.problem.program, row, np.append(row, row.max(initial=-1) + 1))
        assert quotient is not None  # the classes are equitable for a superset of its entries
        return replace(self, problem=self.problem.merged(quotient), quotient=quotient)

    def basis_of_half(self, half: PerfectProgram, player: int, basic: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the basis of the program for a player's plan and the shortfalls of the other player.

        At sets that chance never reaches, the first action has the rest of the weight; so has its class, if merged.
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


# -- the systems that the plans solve at a basis ---------------------------------------------------


def _half(tree: GameTree, player: int, weights: Trembles) -> PerfectProgram:
    """Return the program for a player's plan, as player 1, and the other's shortfalls, without costs."""
    form = SequenceForm.of(tree)
    seen = form.zero_sum(1 - player)
    both = Trembles(*(pair((of[player], of[1 - player])) for of in (weights.weight, weights.order, weights.start)))
    perfect = PerfectProgram.of(NashProgram.of(seen.exchanged() if player else seen), both)
    return replace(perfect, program=replace(perfect.program, cost=np.zeros_like(perfect.program.cost)))


def _quotient_of_half(half: PerfectProgram, player: int, symmetry: Symmetry) -> Quotient:
    """Merge the classes of each player separately; an empty sequence is a separate class."""
    (own, own_sets), (other, other_sets) = symmetry.of_player(player), symmetry.of_player(1 - player)
    nothing = np.zeros(1, dtype=np.int64)
    row = stacked(nothing, own_sets, own[1:] - 1, other)
    column = stacked(own, nothing, other_sets, other[1:] - 1)
    quotient = Quotient.of(half.program, row, column)
    assert quotient is not None  # the classes are equitable for a superset of its entries
    return quotient
