r"""From a sequence form to a linear program, and from its exact optimum back to realization plans.

One program serves both players (Koller, Megiddo & von Stengel 1996). Player 1 chooses the plan x, and v
holds what player 2 can hold it down to, per information set of player 2 (:math:`v_0` for the empty sequence):

.. math::  \max v_0 \quad\text{s.t.}\quad E x = e, \qquad F^T v - U^T x \le 0, \qquad x \ge 0, \; v \text{ free}.

The multipliers of the inequalities are player 2's plan: they are nonnegative, and because v is free they
satisfy F y = f. The rows and columns of the *empty* sequences stay in: leaves where one player has not moved
have their payoffs there.

Payoffs of very different sizes are *brought closer* for the float solver (:mod:`tremble.solvers.float_payoffs`).
Each program knows the one of the game whose payoffs are closer, and floats solve the closest.

A program may be *merged*: then it is the quotient of the one that is described here by classes of its rows and columns
(:mod:`tremble.exact.colours`), with the same blocks, and the plans are those of all sequences again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached
from tremble.exact.blocks import Blocks
from tremble.exact.colours import Quotient
from tremble.exact.matrix import IntegerMatrix
from tremble.exact.program import Program
from tremble.game.arrays import integer_array
from tremble.game.sequence_form import SequenceForm
from tremble.game.sequences import Sequences
from tremble.game.strategy import BehaviorStrategy, RealizationPlan, TremblingPlan
from tremble.game.tree import GameTree
from tremble.integers import lowest_terms
from tremble.run import memory
from tremble.solution.trembles import Trembles
from tremble.solvers.float_payoffs import closer_sizes, payoff_exponent

if TYPE_CHECKING:
    from tremble.exact.lexicographic import BasicSolution
    from tremble.exact.stability import Stability

__all__ = [
    "NashProgram",
    "PerfectProgram",
    "SequenceClasses",
    "TremblingNashProgram",
    "flow",
    "for_floats",
    "least_weights",
    "trembling_plan",
]

_MOST_BYTES = 2**28  # of the least weights of a player


@dataclass(frozen=True, eq=False)
class SequenceClasses:
    """Which sequences of each player a program does not tell apart."""

    of: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[S]: the class of each, the empty one's first
    size2: NDArray[np.int64]  # how many sequences of player 2 each class has, whose plan they share

    @classmethod
    def of_program(cls, quotient: Quotient) -> SequenceClasses:
        """Those of the blocks that are the players' plans."""
        whole, small = quotient.whole, quotient.program
        one = quotient.column[whole.columns["plan of player 1"]] - small.columns["plan of player 1"].start
        two = quotient.row[whole.rows["plan of player 2"]] - small.rows["plan of player 2"].start
        return cls((one, two), np.bincount(two))

    def spread(self, player: int, weight: NDArray[Any], denominator: int) -> tuple[NDArray[Any], int]:
        """Weights of all sequences of a player over their denominator, from those of the classes."""
        if player == 0:
            return weight[self.of[0]], denominator
        shared = self.shared
        share = np.array([shared // size for size in self.size2.tolist()], dtype=object)
        return (weight * share)[self.of[1]], denominator * shared

    @cached_property
    def shared(self) -> int:
        """What all sizes of classes of player 2 divide."""
        return lcm(*self.size2.tolist())


@dataclass(frozen=True, eq=False)
class NashProgram:
    """The linear program of a zero-sum game in sequence form.

    Blocks of columns: "plan of player 1" (its sequences), "values of player 2" (:math:`v_0`, then one per
    information set). Blocks of rows: "flow of player 1" (the empty sequence, then its information sets), "plan of
    player 2" (its sequences: their multipliers are its plan).
    """

    program: Program
    form: SequenceForm
    unit: Fraction  # payoff that an integer 1 in the program stands for
    classes: SequenceClasses | None = None  # of the sequences, if it is merged
    closer: NashProgram | None = None  # that of the payoffs brought closer, if they were far apart

    @classmethod
    def of(cls, form: SequenceForm) -> NashProgram:
        """Write the program down."""
        near = closer_sizes(form.payoff)
        closer = None if near is None else cls.of(replace(form, payoff=near, payoff2=None, mass=None))
        (s1, s2), (j1, j2) = form.num_sequences, form.num_infosets
        columns = Blocks.of({"plan of player 1": s1, "values of player 2": 1 + j2})
        rows = Blocks.of({"flow of player 1": 1 + j1, "plan of player 2": s2})
        is_flow, is_value = rows.mask("flow of player 1"), columns.mask("values of player 2")
        row, column, payoff, unit = form.matrix()
        rhs, cost = np.zeros((1, len(rows)), dtype=np.int64), np.zeros((1, len(columns)), dtype=np.int64)
        rhs[0, rows["flow of player 1"].start] = 1
        cost[0, columns["values of player 2"].start] = 1
        # Payoffs of at most 1 in the float solver's eyes, flows untouched. Measured against equilibrating rows
        # and columns: with payoffs of 1e-9 and 1e12 in one game, HiGHS finds a useful basis this way only.
        exponent = payoff_exponent(payoff)
        program = Program(
            matrices=(IntegerMatrix.from_blocks(rows, columns, _nash_parts(form, row, column, payoff)),),
            rhs=rhs,
            cost=cost,
            equality=is_flow,
            free=is_value,
            row_exponent=np.where(is_flow, 0, -exponent),
            column_exponent=np.where(is_value, exponent, 0),
            rows=rows,
            columns=columns,
        )
        return cls(program, form, unit, closer=closer)

    @property
    def payoff(self) -> IntegerMatrix:
        """Player 1's payoffs U in units of the program, sequences of player 1 by sequences of player 2."""
        row, column, payoff, _ = self.form.matrix()
        return IntegerMatrix.from_entries(self.form.num_sequences, row, column, payoff)

    def plans(self, vertex: BasicSolution) -> tuple[RealizationPlan, RealizationPlan]:
        """The optimal plans of both players at an optimal vertex."""
        one, two = self.program.columns["plan of player 1"], self.program.logicals["plan of player 2"]
        weight1, denominator1 = self.spread(0, vertex.value[one], vertex.value_denominator)
        weight2, denominator2 = self.spread(1, -vertex.reduced[two], vertex.reduced_denominator)
        return _plan(0, weight1, denominator1), _plan(1, weight2, denominator2)

    def spread(self, player: int, weight: NDArray[Any], denominator: int) -> tuple[NDArray[Any], int]:
        """Weights of all sequences of a player over their denominator, from those in the program."""
        return (weight, denominator) if self.classes is None else self.classes.spread(player, weight, denominator)

    def basis_where(self, chosen: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """The basic columns, bool[n + m], of the basis that plays these sequences of each player, bool[S], or may."""
        program = self.program
        basic = np.zeros(program.num_columns + program.num_rows, dtype=np.bool_)
        basic[program.columns["values of player 2"]] = True
        one, two = program.columns["plan of player 1"], program.logicals["plan of player 2"]
        of = (slice(None), slice(None)) if self.classes is None else self.classes.of
        basic[one][of[0]] = chosen[0]
        basic[two][of[1]] = ~chosen[1]  # a slack is basic where its sequence is not
        basic[one.start], basic[two.start] = True, False
        return basic

    def merged(self, quotient: Quotient) -> NashProgram:
        """By the classes of a program that has its blocks, and refines it."""
        whole, small, program = quotient.whole, quotient.program, self.program
        own: Quotient | None = quotient
        if whole is not program:
            row = _of_blocks(quotient.row, whole.rows, small.rows, program.rows)
            column = _of_blocks(quotient.column, whole.columns, small.columns, program.columns)
            own = Quotient.of(program, row, column)
        assert own is not None  # what its rows and columns lack are other rows and columns
        closer = _merged_alike(self.closer, own)
        return replace(self, program=own.program, classes=SequenceClasses.of_program(own), closer=closer)

    def rounded(
        self, tree: GameTree, value: NDArray[np.float64], multiplier: NDArray[np.float64]
    ) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """An exact profile close to a float solution of the program, which need not be feasible.

        Parameters
        ----------
        value : float64[n]
            Values of the columns; those of the sequences of player 1 are read.
        multiplier : float64[m]
            Multipliers of the rows, in any unit; those of the sequences of player 2 are read.
        """
        one, two = self.raw_plans(value, multiplier)
        return _normalised(tree, 0, one), _normalised(tree, 1, two)

    def raw_plans(
        self, value: NDArray[np.float64], multiplier: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both players' plans, in any units, in a float solution of the program, which need not be feasible."""
        one, two = value[self.program.columns["plan of player 1"]], multiplier[self.program.rows["plan of player 2"]]
        if self.classes is None:
            return one, np.abs(two)
        return one[self.classes.of[0]], np.abs(two / self.classes.size2)[self.classes.of[1]]

    @property
    def game_value(self) -> int:
        """The column of the game's value :math:`v_0`."""
        first: int = self.program.columns["values of player 2"].start
        return first

    @property
    def float_unit(self) -> float:
        """Payoff that 1 in the column of the game's value stands for in the float solver."""
        return float(np.ldexp(1.0, int(self.program.column_exponent[self.game_value]))) * float(self.unit)


@dataclass(frozen=True, eq=False)
class TremblingNashProgram:
    r"""The program of players whose hands tremble while they choose their plans.

    With least weights :math:`l_i(\varepsilon)` of the sequences of player i (0 for the empty ones),
    :math:`x = l_1 + \tilde x` and :math:`y = l_2 + \tilde y`, the program of :class:`NashProgram` becomes

    .. math::  \max\; (U l_2)^T \tilde x + (f - F l_2)^T v \quad\text{s.t.}\quad E \tilde x = e - E l_1, \qquad
               F^T v - U^T \tilde x \le U^T l_1, \qquad \tilde x \ge 0, \; v \text{ free},

    and the multipliers of the inequalities are :math:`\tilde y`. The matrix does not tremble. At
    :math:`\varepsilon = 0` this is the program of :class:`NashProgram`, so its bases carry over.
    """

    nash: NashProgram
    program: Program
    # Coefficients of l_i; K_i is the greatest order of a sequence.
    least: tuple[NDArray[Any], NDArray[Any]]  # pair of object[K_i + 1, S_i]
    closer: TremblingNashProgram | None = None  # as of NashProgram

    @classmethod
    def of(cls, nash: NashProgram, trembles: Trembles) -> TremblingNashProgram:
        """Write the program down."""
        plain, form, payoff = nash.program, nash.form, nash.payoff
        own1, own2 = form.sequences
        least = least_weights(own1, trembles), least_weights(own2, trembles)
        rhs = np.zeros((len(least[0]), plain.num_rows), dtype=object)
        cost = np.zeros((len(least[1]), plain.num_columns), dtype=object)
        rhs[0], cost[0] = plain.rhs[0], plain.cost[0]
        for level, weight in zip(rhs, least[0], strict=True):
            level[plain.rows["flow of player 1"]] -= flow(own1, weight)
            level[plain.rows["plan of player 2"]] += payoff.transposed_dot(weight)
        for level, weight in zip(cost, least[1], strict=True):
            level[plain.columns["plan of player 1"]] += payoff.dot(weight)
            level[plain.columns["values of player 2"]] -= flow(own2, weight)
        closer = None if nash.closer is None else cls.of(nash.closer, trembles)
        return cls(nash, replace(plain, rhs=rhs, cost=cost), least, closer)

    def plans(self, vertex: BasicSolution) -> tuple[TremblingPlan, TremblingPlan]:
        """The optimal plans of both players at a stable vertex."""
        one, two = self.program.columns["plan of player 1"], self.program.logicals["plan of player 2"]
        values = zip(vertex.values[:, one], vertex.value_denominators, strict=True)
        reduced = zip(-vertex.reduced_costs[:, two], vertex.reduced_denominators, strict=True)
        return (
            trembling_plan(0, [self.nash.spread(0, *level) for level in values], self.least[0]),
            trembling_plan(1, [self.nash.spread(1, *level) for level in reduced], self.least[1]),
        )

    def merged(self, quotient: Quotient) -> TremblingNashProgram:
        """By the classes of its own program."""
        closer = _merged_alike(self.closer, quotient)
        nash = replace(
            self.nash,
            program=quotient.program.at_zero,
            classes=SequenceClasses.of_program(quotient),
            closer=None if closer is None else closer.nash,
        )
        return replace(self, nash=nash, program=quotient.program, closer=closer)


@dataclass(frozen=True, eq=False)
class PerfectProgram:
    r"""The program of players whose hands tremble at every move.

    Each action a must be played with probability at least :math:`w_a \varepsilon^{k_a}` at its information set, so
    for the sequence qa that plays it after the sequence q

    .. math::  x_{qa} - w_a \varepsilon^{k_a}\, x_q \ge 0 .

    Player 2's own trembles change what it can hold player 1 down to: with :math:`v_k` the least over the
    actions of set k, and :math:`g_{qa} \ge 0` the slack of action a, what it concedes beyond, the set concedes
    :math:`v_k + \sum_a w_a \varepsilon^{k_a} g_{qa}`, which stands in the row of the sequence that leads there:

    .. math::  \max v_0 \quad\text{s.t.}\quad E x = e, \qquad F^T v - U^T x + (I - W(\varepsilon)) g = 0,
               \qquad g \ge 0 .

    The multipliers of the last rows are y; the reduced cost of :math:`g_{qa}` is minus
    :math:`y_{qa} - w_a \varepsilon^{k_a}\, y_q`. Here :math:`W(\varepsilon)` has the entries
    :math:`w_a \varepsilon^{k_a}`: its coefficient of each order holds the weights of the actions of that order.

    Blocks, beside those of :class:`NashProgram`: the columns "slack of player 2", g, and between its blocks the
    rows "trembles of player 1", whose logicals are the left sides above; both for all sequences but the empty one.

    References
    ----------
    G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
    """

    nash: NashProgram
    program: Program  # its degree is the greatest order
    trembles: Trembles
    quotient: Quotient | None = None  # if it is merged
    closer: PerfectProgram | None = None  # as of NashProgram

    @classmethod
    def of(cls, nash: NashProgram, trembles: Trembles) -> PerfectProgram:
        """Write the program down."""
        form, plain = nash.form, nash.program
        (s1, s2), (j1, j2) = form.num_sequences, form.num_infosets
        columns = Blocks.of({"plan of player 1": s1, "values of player 2": 1 + j2, "slack of player 2": s2 - 1})
        rows = Blocks.of({"flow of player 1": 1 + j1, "trembles of player 1": s1 - 1, "plan of player 2": s2})
        own, other = np.arange(s1 - 1), np.arange(s2 - 1)  # sequences but the empty one, which is 0
        before = [player.before[1:] for player in form.sequences]
        ones = [np.ones(s - 1, dtype=np.int64) for s in (s1, s2)]
        payoff = nash.payoff
        constant = IntegerMatrix.from_blocks(
            rows,
            columns,
            [
                *_nash_parts(form, payoff.row_of_entry, payoff.column, payoff.value),
                ("trembles of player 1", "plan of player 1", own, own + 1, -ones[0]),
                ("plan of player 2", "slack of player 2", other + 1, other, ones[1]),
            ],
        )
        (weight1, weight2), orders = trembles.weight, trembles.order
        trembling = []
        for k in range(1, trembles.top + 1):
            here1, here2 = (
                np.flatnonzero((order == k) & (w != 0)) for order, w in zip(orders, trembles.weight, strict=True)
            )
            trembling.append(
                IntegerMatrix.from_blocks(
                    rows,
                    columns,
                    [
                        ("trembles of player 1", "plan of player 1", own[here1], before[0][here1], weight1[here1]),
                        ("plan of player 2", "slack of player 2", before[1][here2], other[here2], -weight2[here2]),
                    ],
                )
            )
        row_exponent = np.zeros(len(rows), dtype=np.int64)
        column_exponent = np.zeros(len(columns), dtype=np.int64)
        rhs, cost = np.zeros((1, len(rows)), dtype=np.int64), np.zeros((1, len(columns)), dtype=np.int64)
        for name, block in plain.rows.slices.items():
            row_exponent[rows[name]], rhs[:, rows[name]] = plain.row_exponent[block], plain.rhs[:, block]
        for name, block in plain.columns.slices.items():
            column_exponent[columns[name]], cost[:, columns[name]] = plain.column_exponent[block], plain.cost[:, block]
        column_exponent[columns["slack of player 2"]] = -row_exponent[rows["plan of player 2"]][1:]
        program = Program(
            matrices=(constant, *trembling),
            rhs=rhs,
            cost=cost,
            equality=~rows.mask("trembles of player 1"),
            free=~columns.mask("slack of player 2"),
            row_exponent=row_exponent,
            column_exponent=column_exponent,
            rows=rows,
            columns=columns,
        )
        return cls(nash, program, trembles, closer=None if nash.closer is None else cls.of(nash.closer, trembles))

    @property
    def plan_columns(self) -> NDArray[np.bool_]:
        """Columns whose values are player 1's plan, and whose reduced costs are minus player 2's: bool[n + m]."""
        return np.concatenate(
            (self.program.columns.mask("plan of player 1"), self.program.rows.mask("plan of player 2"))
        )

    def slack(self, basic: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether a basis lets each sequence of each player rise above its least."""
        return self._by_sequence(basic, ~basic)

    def zeros(self, stability: Stability, basic: NDArray[np.bool_]) -> dict[str, list[NDArray[np.int64]]]:
        """Sequences of each player that are slack but played as rarely as allowed, and tight ones that lose nothing."""
        no_value = basic & (stability.values.signs() == 0)
        no_cost = ~basic & (stability.reduced_costs.signs() == 0)
        return {
            "weights": list(map(np.flatnonzero, self._by_sequence(no_value, no_cost))),
            "regrets": list(map(np.flatnonzero, self._by_sequence(no_cost, no_value))),
        }

    def _by_sequence(
        self, columns1: NDArray[np.bool_], columns2: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each sequence of each player what holds of the column of its tremble, or of its slack."""
        tremble, slack = self._trembles_and_slack
        sides = np.append(False, columns1[tremble]), np.append(False, columns2[slack])
        classes = self.nash.classes
        return sides if classes is None else (sides[0][classes.of[0]], sides[1][classes.of[1]])

    @property
    def _trembles_and_slack(self) -> tuple[slice, slice]:
        """Of player 1 and of player 2, among all columns."""
        return self.program.logicals["trembles of player 1"], self.program.columns["slack of player 2"]

    def plans(
        self, values: Sequence[tuple[NDArray[Any], int]], reduced: Sequence[tuple[NDArray[Any], int]]
    ) -> tuple[TremblingPlan, TremblingPlan]:
        """Both players' plans, from coefficients of all columns and their denominators, order by order."""
        one, two = self.program.columns["plan of player 1"], self.program.logicals["plan of player 2"]
        return (
            trembling_plan(0, [self.nash.spread(0, v[one], d) for v, d in values]),
            trembling_plan(1, [self.nash.spread(1, -v[two], d) for v, d in reduced]),
        )

    def merged(self, quotient: Quotient) -> PerfectProgram:
        """By the classes of its own program.

        A sequence, its tremble and its slack are in the same class or in none: of the constant entries in the column of
        a sequence of player 1 one is in the row of a tremble, its own; and alike for player 2.
        """
        nash, closer = self.nash.merged(quotient), _merged_alike(self.closer, quotient)
        return replace(self, nash=nash, program=quotient.program, quotient=quotient, closer=closer)

    def basis_where(self, rises: NDArray[np.bool_], loses: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The basis that lets sequences of player 1 rise above their least, and those of player 2 lose, bool[S] each.

        What is merged is of the classes of their first members.
        """
        whole = self.program if self.quotient is None else self.quotient.whole
        inside = np.zeros(whole.num_columns + whole.num_rows, dtype=np.bool_)
        inside[whole.columns["plan of player 1"]] = inside[whole.columns["values of player 2"]] = True
        inside[whole.logicals["trembles of player 1"]] = rises[1:]
        inside[whole.columns["slack of player 2"]] = loses[1:]
        return np.flatnonzero(inside if self.quotient is None else inside[self.quotient.first])

    def basis_of(self, vertex: BasicSolution) -> NDArray[np.int64]:
        """The basis of this program that plays as a vertex of the Nash program does.

        All of player 1's plan is basic; the tremble of a sequence of player 1 is if the sequence was, the slack of a
        sequence of player 2 is if the logical of its row was.
        """
        was, plain, here = vertex.basic, self.nash.program, self.program
        tremble, slack = self._trembles_and_slack
        basic = np.zeros(here.num_columns + here.num_rows, dtype=np.bool_)
        basic[here.columns["plan of player 1"]] = True
        basic[here.columns["values of player 2"]] = was[plain.columns["values of player 2"]]
        basic[tremble] = was[plain.columns["plan of player 1"]][1:]
        basic[here.logicals["flow of player 1"]] = was[plain.logicals["flow of player 1"]]
        replies = was[plain.logicals["plan of player 2"]]
        basic[here.logicals["plan of player 2"].start] = replies[0]
        basic[slack] = replies[1:]
        return np.flatnonzero(basic)


Merged = TypeVar("Merged", NashProgram, TremblingNashProgram, PerfectProgram)


def for_floats(program: Merged) -> list[Merged]:
    """The program, with payoffs brought closer: the closest first. Itself alone if they are close."""
    found = [program] if program.closer is None else []
    while program.closer is not None:
        program = program.closer
        found.insert(0, program)
    return found


def _merged_alike(closer: Merged | None, quotient: Quotient) -> Merged | None:
    """By the classes of the program whose payoffs were brought closer; None if that tells apart what is in one."""
    same = None if closer is None else Quotient.of(closer.program, quotient.row, quotient.column)
    return None if closer is None or same is None else closer.merged(same)


def least_weights(own: Sequences, trembles: Trembles) -> NDArray[Any]:
    """Coefficients of :math:`l_q` for all sequences of a player, object[greatest order + 1, S].

    The order of a sequence is the sum of the orders of its moves. 0 for the empty sequence, which cannot be left out,
    and for all of a player who makes no mistakes.

    Raises
    ------
    LimitReached
        There are too many of them for the memory, as in very deep games.
    """
    order = own.totals(trembles.order[own.player])
    weight = own.plan(trembles.weight[own.player].astype(object))
    order[weight == 0] = 0
    most = int(order.max())
    size = 8 * (most + 1) * own.num_sequences
    if size > _MOST_BYTES or not memory.fits(2 * size):
        raise LimitReached(
            f"stopped because trembles of orders that sum to {most:,}, over the moves in a row, would take "
            f"{2 * size >> 20:,} MiB"
        )
    levels = np.zeros((most + 1, own.num_sequences), dtype=object)
    levels[order, np.arange(own.num_sequences)] = weight
    levels[0, 0] = 0
    return levels


def flow(own: Sequences, weight: NDArray[Any]) -> NDArray[Any]:
    """E w: the empty sequence's weight, then per information set its sequences' minus its parent's."""
    sums = np.add.reduceat(weight, own.start[:-1]) if own.num_infosets else weight[:0]
    return np.concatenate((weight[:1], sums - weight[own.parent]))


def trembling_plan(
    player: int, levels: Sequence[tuple[NDArray[Any], int]], least: NDArray[Any] | int = 0
) -> TremblingPlan:
    """A plan from weights [S] and their denominator, degree by degree, and the least that was taken off them."""
    common = lcm(*(denominator for _, denominator in levels))
    weight = np.stack([values * (common // denominator) for values, denominator in levels]) + least * common
    weights, denominator = lowest_terms(weight.ravel().tolist(), common)
    return TremblingPlan(player, np.array(weights, dtype=object).reshape(weight.shape), denominator)


def _nash_parts(
    form: SequenceForm, row: NDArray[np.int64], column: NDArray[np.int64], payoff: NDArray[Any]
) -> list[tuple[str, str, NDArray[np.int64], NDArray[np.int64], NDArray[Any]]]:
    """The parts E, F' and -U' of the matrix; ``payoff`` has the entries of U."""
    set2, sequence2, value2 = _flow_entries(form.sequences[1])
    return [
        ("flow of player 1", "plan of player 1", *_flow_entries(form.sequences[0])),
        ("plan of player 2", "values of player 2", sequence2, set2, value2),
        ("plan of player 2", "plan of player 1", column, row, -payoff),
    ]


def _flow_entries(own: Sequences) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Entries (row, sequence, value) of a player's flow constraints; row 0 is the empty sequence's."""
    sets, sequences = own.num_infosets, own.num_sequences
    row = np.concatenate((1 + own.set_of, np.arange(1, sets + 1)))
    column = np.concatenate((np.arange(sequences), own.parent))
    value = np.concatenate((np.ones(sequences, dtype=np.int64), -np.ones(sets, dtype=np.int64)))
    return row, column, value


def _of_blocks(classes: NDArray[np.int64], whole: Blocks, small: Blocks, blocks: Blocks) -> NDArray[np.int64]:
    """The classes of some blocks among those of a whole, numbered block by block."""
    first, parts = 0, []
    for name in blocks.slices:
        parts.append(classes[whole[name]] - small[name].start + first)
        first += small[name].stop - small[name].start
    return np.concatenate(parts)


def _plan(player: int, weight: NDArray[Any], denominator: int) -> RealizationPlan:
    weights, denominator = lowest_terms(weight.tolist(), denominator)
    return RealizationPlan(player, integer_array(weights), denominator)


def _normalised(tree: GameTree, player: int, weight: NDArray[np.float64]) -> BehaviorStrategy:
    """The shares of sequences within each information set, on a grid of 2^-40; uniform where there is no weight."""
    rows: list[list[Fraction]] = []
    start = (tree.slot_start[player] + 1).tolist()
    for first, end in itertools.pairwise(start):
        share = np.clip(np.nan_to_num(weight[first:end]), 0.0, 1e300)
        largest = share.max()
        whole = np.rint(share / largest * 2**40).astype(np.int64).tolist() if largest > 1e-9 else [1] * (end - first)
        rows.append([Fraction(part, sum(whole)) for part in whole])
    return BehaviorStrategy.from_rows(tree, player, rows)
