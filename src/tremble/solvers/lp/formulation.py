r"""From a sequence form to a linear program, and from its exact optimum back to realization plans.

One program serves both players (Koller, Megiddo & von Stengel 1996). Player 1 chooses the plan x, and v
holds what player 2 can hold it down to, per information set of player 2 (:math:`v_0` for the empty sequence):

.. math::  \max v_0 \quad\text{s.t.}\quad E x = e, \qquad F^T v - U^T x \le 0, \qquad x \ge 0, \; v \text{ free}.

The multipliers of the inequalities are player 2's plan: they are nonnegative, and because v is free they
satisfy F y = f. The rows and columns of the *empty* sequences stay in: leaves where one player has not moved
have their payoffs there.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.linear.exact import Vertex
from tremble.linear.program import IntegerMatrix, LinearProgram
from tremble.linear.stability import Stability
from tremble.linear.trembling import TremblingProgram
from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import BehaviorStrategy, RealizationPlan, TremblingPlan
from tremble.model.tree import GameTree, IntArray, integer_array
from tremble.solution.trembles import Trembles

__all__ = ["NashProgram", "PerfectProgram", "TremblingNashProgram", "least_weights"]

_UNSCALED_BITS = 12  # payoff integers up to here suit the float solver as they are


@dataclass(frozen=True, eq=False)
class NashProgram:
    """The linear program of a zero-sum game in sequence form.

    Columns: the sequences of player 1, then :math:`v_0`, then one per information set of player 2.
    Rows: the empty sequence and the information sets of player 1, then the sequences of player 2.

    Attributes
    ----------
    program : LinearProgram
    form : SequenceForm
    unit : Fraction
        Payoff that an integer 1 in the program stands for.
    """

    program: LinearProgram
    form: SequenceForm
    unit: Fraction

    @classmethod
    def of(cls, form: SequenceForm) -> NashProgram:
        """Write the program down."""
        s1, s2 = form.num_sequences
        j1, j2 = form.num_infosets
        row, column, payoff, unit = form.matrix()
        flow1 = _flow_entries(form, 0)
        flow2 = _flow_entries(form, 1)
        rows = np.concatenate((flow1[0], 1 + j1 + flow2[1], 1 + j1 + column))
        columns = np.concatenate((flow1[1], s1 + flow2[0], row))
        values = np.concatenate((flow1[2], flow2[2], -payoff))
        m, n = 1 + j1 + s2, s1 + 1 + j2
        rhs = np.zeros(m, dtype=np.int64)
        rhs[0] = 1
        cost = np.zeros(n, dtype=np.int64)
        cost[s1] = 1
        is_flow = np.arange(m) < 1 + j1
        is_value = np.arange(n) >= s1
        # Payoffs of at most 1 in the float solver's eyes, flows untouched. Measured against equilibrating rows
        # and columns: with payoffs of 1e-9 and 1e12 in one game, HiGHS finds a useful basis this way only.
        largest = max(abs(int(payoff.max(initial=0))), abs(int(payoff.min(initial=0)))).bit_length()
        exponent = largest if largest > _UNSCALED_BITS else 0
        program = LinearProgram(
            matrix=IntegerMatrix.from_entries((m, n), rows, columns, values),
            rhs=rhs,
            cost=cost,
            equality=is_flow,
            free=is_value,
            row_exponent=np.where(is_flow, 0, -exponent),
            column_exponent=np.where(is_value, exponent, 0),
        )
        return cls(program, form, unit)

    @property
    def payoff(self) -> IntegerMatrix:
        """Player 1's payoffs U in units of the program, sequences of player 1 by sequences of player 2."""
        row, column, payoff, _ = self.form.matrix()
        return IntegerMatrix.from_entries(self.form.num_sequences, row, column, payoff)

    def plans(self, vertex: Vertex) -> tuple[RealizationPlan, RealizationPlan]:
        """The optimal plans of both players at an optimal vertex."""
        s1 = self.form.num_sequences[0]
        first_row = self.program.num_columns + 1 + self.form.num_infosets[0]
        return (
            _plan(0, vertex.value[:s1], vertex.value_denominator),
            _plan(1, -vertex.reduced[first_row:], vertex.reduced_denominator),
        )

    def rounded(
        self, tree: GameTree, value: NDArray[np.float64], multiplier: NDArray[np.float64]
    ) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """An exact profile close to a float solution of the program, which need not be feasible.

        Parameters
        ----------
        tree : GameTree
        value : float64[n]
            Values of the columns; those of the sequences of player 1 are read.
        multiplier : float64[m]
            Multipliers of the rows, in any unit; those of the sequences of player 2 are read.
        """
        s1, j1 = self.form.num_sequences[0], self.form.num_infosets[0]
        return _normalised(tree, 0, value[:s1]), _normalised(tree, 1, np.abs(multiplier[1 + j1 :]))

    def value(self, vertex: Vertex) -> Fraction:
        """Value of the game for player 1 at an optimal vertex."""
        s1 = self.form.num_sequences[0]
        return Fraction(vertex.value[s1], vertex.value_denominator) * self.unit


@dataclass(frozen=True, eq=False)
class TremblingNashProgram:
    r"""The program of players whose hands tremble while they choose their plans.

    With least weights :math:`l_i(\varepsilon)` of the sequences of player i (0 for the empty ones),
    :math:`x = l_1 + \tilde x` and :math:`y = l_2 + \tilde y`, the program of :class:`NashProgram` becomes

    .. math::  \max\; (U l_2)^T \tilde x + (f - F l_2)^T v \quad\text{s.t.}\quad E \tilde x = e - E l_1, \qquad
               F^T v - U^T \tilde x \le U^T l_1, \qquad \tilde x \ge 0, \; v \text{ free},

    and the multipliers of the inequalities are :math:`\tilde y`. The matrix does not tremble. At
    :math:`\varepsilon = 0` this is the program of :class:`NashProgram`, so its bases carry over.

    Attributes
    ----------
    nash : NashProgram
    program : TremblingProgram
    least : pair of object[K + 1, S_i]
        Coefficients of :math:`l_i`.
    """

    nash: NashProgram
    program: TremblingProgram
    least: tuple[NDArray[Any], NDArray[Any]]

    @classmethod
    def of(cls, nash: NashProgram, least: tuple[NDArray[Any], NDArray[Any]]) -> TremblingNashProgram:
        """Write the program down for given least weights of all sequences."""
        plain, form = nash.program, nash.form
        s1, j1 = form.num_sequences[0], form.num_infosets[0]
        payoff = nash.payoff
        rhs = np.zeros((len(least[0]), plain.num_rows), dtype=object)
        cost = np.zeros((len(least[1]), plain.num_columns), dtype=object)
        rhs[0], cost[0] = plain.rhs, plain.cost
        for level, weight in zip(rhs, least[0], strict=True):
            level[: 1 + j1] -= _flow(form, 0, weight)
            level[1 + j1 :] += payoff.transposed_dot(weight)
        for level, weight in zip(cost, least[1], strict=True):
            level[:s1] += payoff.dot(weight)
            level[s1:] -= _flow(form, 1, weight)
        program = TremblingProgram(
            matrices=(plain.matrix,),
            rhs_levels=rhs,
            cost_levels=cost,
            equality=plain.equality,
            free=plain.free,
            row_exponent=plain.row_exponent,
            column_exponent=plain.column_exponent,
        )
        return cls(nash, program, least)

    def plans(self, vertex: Vertex) -> tuple[TremblingPlan, TremblingPlan]:
        """The optimal plans of both players at a stable vertex."""
        s1, j1 = self.nash.form.num_sequences[0], self.nash.form.num_infosets[0]
        first_row = self.program.num_columns + 1 + j1
        return (
            _trembling_plan(0, vertex.values[:, :s1], vertex.value_denominators, self.least[0]),
            _trembling_plan(1, -vertex.reduced_costs[:, first_row:], vertex.reduced_denominators, self.least[1]),
        )


@dataclass(frozen=True, eq=False)
class PerfectProgram:
    r"""The program of players whose hands tremble at every move.

    Each action a must be played with probability at least :math:`w_a \varepsilon` at its information set, so
    for the sequence qa that plays it after the sequence q

    .. math::  x_{qa} - w_a \varepsilon\, x_q \ge 0 .

    Player 2's own trembles change what it can hold player 1 down to: with :math:`v_k` the least over the
    actions of set k, and :math:`g_{qa} \ge 0` what action a concedes beyond, the set concedes
    :math:`v_k + \varepsilon \sum_a w_a g_{qa}`, which stands in the row of the sequence that leads there:

    .. math::  \max v_0 \quad\text{s.t.}\quad E x = e, \qquad F^T v - U^T x + (I - \varepsilon W) g = 0,
               \qquad g \ge 0 .

    The multipliers of the last rows are y; the reduced cost of :math:`g_{qa}` is minus
    :math:`y_{qa} - w_a \varepsilon\, y_q`.

    Columns: the sequences of player 1, :math:`v_0`, the information sets of player 2, its sequences but the
    empty one. Rows: the empty sequence and the information sets of player 1; its sequences but the empty one
    (trembles, whose logicals are the left sides above); the sequences of player 2.

    Attributes
    ----------
    nash : NashProgram
    program : TremblingProgram
        Of degree 1.

    References
    ----------
    G. Farina, N. Gatti: Extensive-form perfect equilibrium computation in two-player games, AAAI 2017.
    """

    nash: NashProgram
    program: TremblingProgram

    @classmethod
    def of(cls, nash: NashProgram, weight: tuple[IntArray, IntArray]) -> PerfectProgram:
        """Write the program down for the given weights of the actions, one integer per slot."""
        form, plain = nash.form, nash.program
        (s1, s2), (j1, j2) = form.num_sequences, form.num_infosets
        own, other = np.arange(1, s1), np.arange(1, s2)
        before = [np.repeat(form.parent[i], np.diff(form.start[i])) for i in (0, 1)]
        tremble_row, last_row = 1 + j1, j1 + s1  # of sequence 1 and of sequence 0
        gift = s1 + 1 + j2  # column of sequence 1 of player 2
        m, n = last_row + s2, gift + s2 - 1
        flow = plain.matrix.row_of_entry < 1 + j1
        row = np.where(flow, plain.matrix.row_of_entry, plain.matrix.row_of_entry + s1 - 1)
        ones = [np.ones(s - 1, dtype=np.int64) for s in (s1, s2)]
        constant = IntegerMatrix.from_entries(
            (m, n),
            np.concatenate((row, tremble_row + own - 1, last_row + other)),
            np.concatenate((plain.matrix.column, own, gift + other - 1)),
            np.concatenate((plain.matrix.value, -ones[0], ones[1])),
        )
        linear = IntegerMatrix.from_entries(
            (m, n),
            np.concatenate((tremble_row + own - 1, last_row + before[1])),
            np.concatenate((before[0], gift + other - 1)),
            np.concatenate((weight[0], -weight[1])),
        )
        row_exponent = np.zeros(m, dtype=np.int64)
        row_exponent[last_row:] = plain.row_exponent[1 + j1 :]
        column_exponent = np.zeros(n, dtype=np.int64)
        column_exponent[: s1 + 1 + j2] = plain.column_exponent
        column_exponent[gift:] = -row_exponent[last_row + 1 :]
        rhs, cost = np.zeros((1, m), dtype=np.int64), np.zeros((1, n), dtype=np.int64)
        rhs[0, 0] = cost[0, s1] = 1
        index = np.arange(m)
        program = TremblingProgram(
            matrices=(constant, linear),
            rhs_levels=rhs,
            cost_levels=cost,
            equality=(index < tremble_row) | (index >= last_row),
            free=np.arange(n) < gift,
            row_exponent=row_exponent,
            column_exponent=column_exponent,
        )
        return cls(nash, program)

    @property
    def _gift(self) -> int:
        """Column of sequence 1 of player 2."""
        return self.nash.form.num_sequences[0] + 1 + self.nash.form.num_infosets[1]

    @property
    def _tremble(self) -> slice:
        """Logicals of the sequences of player 1 but the empty one, among all columns."""
        first = self.program.num_columns + 1 + self.nash.form.num_infosets[0]
        return slice(first, first + self.nash.form.num_sequences[0] - 1)

    @property
    def _last(self) -> slice:
        """Logicals of the sequences of player 2, among all columns."""
        return slice(self._tremble.stop, self._tremble.stop + self.nash.form.num_sequences[1])

    @property
    def plan_columns(self) -> NDArray[np.bool_]:
        """Columns whose values are player 1's plan, and whose reduced costs are minus player 2's: bool[n + m]."""
        columns = np.zeros(self.program.num_columns + self.program.num_rows, dtype=np.bool_)
        columns[: self.nash.form.num_sequences[0]] = True
        columns[self._last] = True
        return columns

    def high(self, basic: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sequences of each player that a basis lets rise above their least."""
        ends = self._gift, self._gift + self.nash.form.num_sequences[1] - 1
        return 1 + np.flatnonzero(basic[self._tremble]), 1 + np.flatnonzero(~basic[slice(*ends)])

    def zeros(self, stability: Stability, basic: NDArray[np.bool_]) -> dict[str, list[NDArray[np.int64]]]:
        """Sequences of each player that are high but played as rarely as allowed, and low ones that lose nothing."""
        gifts = slice(self._gift, self._gift + self.nash.form.num_sequences[1] - 1)
        no_value = basic & (stability.values.signs() == 0)
        no_cost = ~basic & (stability.reduced_costs.signs() == 0)
        return {
            "weights": [1 + np.flatnonzero(zero) for zero in (no_value[self._tremble], no_cost[gifts])],
            "regrets": [1 + np.flatnonzero(zero) for zero in (no_cost[self._tremble], no_value[gifts])],
        }

    def plans(
        self, values: Sequence[tuple[NDArray[Any], int]], reduced: Sequence[tuple[NDArray[Any], int]]
    ) -> tuple[TremblingPlan, TremblingPlan]:
        """Both players' plans, from coefficients of all columns and their denominators, order by order."""
        s1 = self.nash.form.num_sequences[0]
        return (
            _trembling_plan(0, np.stack([v[:s1] for v, _ in values]), [d for _, d in values]),
            _trembling_plan(1, np.stack([-v[self._last] for v, _ in reduced]), [d for _, d in reduced]),
        )

    def basis_of(self, vertex: Vertex) -> NDArray[np.int64]:
        """The basis of this program that plays as a vertex of the Nash program does.

        All free columns are basic; the tremble of a sequence of player 1 is if the sequence was, what an action
        of player 2 concedes is if the logical of its row was.
        """
        (s1, s2), j1 = self.nash.form.num_sequences, self.nash.form.num_infosets[0]
        was, here = vertex.basic, self.program
        logical = was[self.nash.program.num_columns :]
        basic = np.zeros(here.num_columns + here.num_rows, dtype=np.bool_)
        basic[: self._gift] = True
        basic[s1 : self._gift] = was[s1 : self.nash.program.num_columns]
        basic[self._tremble] = was[1:s1]
        basic[here.num_columns : self._tremble.start] = logical[: 1 + j1]
        basic[self._last.start] = logical[1 + j1]
        basic[self._gift : self._gift + s2 - 1] = logical[2 + j1 :]
        return np.flatnonzero(basic)


def least_weights(form: SequenceForm, trembles: Trembles, player: int) -> NDArray[Any]:
    """Coefficients of :math:`l_q` for all sequences of a player, object[greatest own depth + 1, S].

    0 for the empty sequence, which cannot be left out.
    """
    start, parent = form.start[player].tolist(), form.parent[player].tolist()
    weight = [1, *trembles.weight[player].tolist()]
    depth = [0] * len(weight)
    for k, before in enumerate(parent):
        for q in range(start[k], start[k + 1]):
            depth[q] = depth[before] + 1
            weight[q] *= weight[before]
    levels = np.zeros((max(depth) + 1, len(weight)), dtype=object)
    levels[depth[1:], np.arange(1, len(weight))] = weight[1:]
    return levels


def _flow(form: SequenceForm, player: int, weight: NDArray[Any]) -> NDArray[Any]:
    """E w: the empty sequence's weight, then per information set its sequences' minus its parent's."""
    start, parent = form.start[player], form.parent[player]
    sums = np.add.reduceat(weight, start[:-1]) if len(parent) else weight[:0]
    return np.concatenate((weight[:1], sums - weight[parent]))


def _trembling_plan(
    player: int, values: NDArray[Any], denominators: list[int], least: NDArray[Any] | int = 0
) -> TremblingPlan:
    common = lcm(*denominators)
    scale = np.array([common // d for d in denominators], dtype=object)
    weight = values * scale[:, np.newaxis] + least * common
    content = gcd(common, *weight.ravel().tolist())
    return TremblingPlan(player, weight // content, common // content)


def _flow_entries(form: SequenceForm, player: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Entries (row, sequence, value) of a player's flow constraints; row 0 is the empty sequence's."""
    sets, sequences = form.num_infosets[player], form.num_sequences[player]
    set_of_sequence = np.repeat(np.arange(1, sets + 1), np.diff(form.start[player]))
    row = np.concatenate(([0], set_of_sequence, np.arange(1, sets + 1)))
    column = np.concatenate((np.arange(sequences), form.parent[player]))
    value = np.concatenate((np.ones(sequences, dtype=np.int64), -np.ones(sets, dtype=np.int64)))
    return row, column, value


def _plan(player: int, weight: NDArray[Any], denominator: int) -> RealizationPlan:
    common = gcd(denominator, *weight.tolist())
    return RealizationPlan(player, integer_array([w // common for w in weight.tolist()]), denominator // common)


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
