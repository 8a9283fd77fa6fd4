r"""The bilinear sequence form as rows of a linear program, and what its terms may be off by.

With r the plan of the player's refined sequences and x its behavior at the sets where it forgets, the *terms*
:math:`r_{sa} = r_s x_a` are all that is not linear (:mod:`tremble.recall.bilinear_form`). The rest is von Stengel's
program, with the opponent's refined sets for its sets: where the opponent has perfect or A-loss recall, a best response
of the opponent that remembers is one of the opponent that forgets, because a pure strategy comes to at most one
refinement of each set. For other opponents the rows would be too strong.

Equations (3a) to (3h) of Bošanský, Čermák, Horák & Pěchouček (ICAART 2017), and their Lemma 2. Their program (4) for
other opponents has a row for each pure strategy, and is not built.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, vstack

from tremble.exact.highs import FloatProgram
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.mixtures import REACHED, greatest

__all__ = ["BilinearProgram", "Rows", "digits_needed"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a program that is being put together."""

    matrix: csr_array  # [m, n]
    lower: NDArray[np.float64]  # [m]
    upper: NDArray[np.float64]  # [m]

    @classmethod
    def of(cls, entries: list[tuple[Any, Any, Any]], lower: Any, upper: Any, columns: int) -> Rows:
        """From (rows, columns, values), each of them arrays or numbers that are broadcast, and the sides."""
        lower, upper = np.broadcast_arrays(np.asarray(lower, np.float64), np.asarray(upper, np.float64))
        places = [np.broadcast_arrays(*entry) for entry in entries]
        row, column, value = (np.concatenate([place[i] for place in places]) for i in range(3))
        matrix = coo_array((value.astype(np.float64), (row, column)), shape=(len(lower), columns))
        return cls(matrix.tocsr(), lower, upper)

    @classmethod
    def together(cls, parts: list[Rows]) -> Rows:
        """One below the other; the first ones may have fewer columns."""
        columns = parts[-1].matrix.shape[1]
        wide = [
            csr_array((m.data, m.indices, m.indptr), shape=(m.shape[0], columns)) for m in (p.matrix for p in parts)
        ]
        lower, upper = (np.concatenate([getattr(part, side) for part in parts]) for side in ("lower", "upper"))
        return cls(vstack(wide, format="csr"), lower, upper)


@dataclass(frozen=True, eq=False)
class BilinearProgram:
    """The linear rows of a form, and its terms.

    Shapes: S own sequences, R' refined sets of the opponent, S' of its sequences, F own slots (actions at forgetful
    sets), T terms. Columns: r[S], then the value of the game and v[R'], then x[F].
    """

    form: BilinearForm

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """The slots at forgetful sets, int64[F]."""
        return np.flatnonzero(np.repeat(self.form.own.forgetful, np.diff(self._slot_start)))

    @property
    def _slot_start(self) -> NDArray[np.int64]:
        return self.form.own.slot_start

    @cached_property
    def term(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The sequence before each term, the one after it, and where its slot stands in ``slots``: int64[T] each."""
        own = self.form.own
        after = 1 + np.flatnonzero(self.form.own.forgetful[own.infoset[own.set_of[1:]]])
        return own.before[after], after, np.searchsorted(self.slots, own.slot[after])

    @cached_property
    def set_of_slot(self) -> NDArray[np.int64]:
        """The information set of each of ``slots``, int64[F]."""
        return np.searchsorted(self._slot_start, self.slots, side="right") - 1

    # -- columns and rows ------------------------------------------------------------------------

    @property
    def first_value(self) -> int:
        """Column of the value of the game; the opponent's refined sets follow."""
        return self.form.own.num_sequences

    @property
    def first_behavior(self) -> int:
        """Column of the first slot."""
        return self.first_value + 1 + len(self.form.other.infoset)

    @property
    def num_columns(self) -> int:
        """Number of columns."""
        return self.first_behavior + len(self.slots)

    @cached_property
    def payoff_rows(self) -> slice:
        """Which of the ``rows`` bound the values: one for each of the opponent's sequences."""
        return slice(self.rows.matrix.shape[0] - self.form.other.num_sequences, self.rows.matrix.shape[0])

    @cached_property
    def rows(self) -> Rows:
        """Plans, distributions at forgetful sets, and values no better than what a best response leaves."""
        own, other = self.form.own, self.form.other
        sets, value = np.arange(len(own.infoset)), self.first_value
        flow = [(sets, own.parent, 1.0), (own.set_of[1:], np.arange(1, own.num_sequences), -1.0)]
        forgetful = np.flatnonzero(own.forgetful)
        behavior = [(np.searchsorted(forgetful, self.set_of_slot), self.first_behavior + np.arange(len(self.slots)), 1)]
        opposing = np.arange(other.num_sequences)
        values = [
            (opposing, value + 1 + other.set_of, 1.0),
            (other.parent, value + 1 + np.arange(len(other.infoset)), -1.0),
            (own.opponent, own.row, -own.payoff_float),
        ]
        return Rows.together(
            [
                Rows.of(flow, np.zeros(len(sets)), 0.0, self.num_columns),
                Rows.of(behavior, np.ones(len(forgetful)), 1.0, self.num_columns),
                Rows.of(values, np.full(len(opposing), -np.inf), 0.0, self.num_columns),
            ]
        )

    def program(
        self,
        rows: Rows,
        lower: NDArray[np.float64] | None = None,
        upper: NDArray[np.float64] | None = None,
        integer: NDArray[np.bool_] | None = None,
    ) -> FloatProgram:
        """Maximise the value of the game over ``rows`` and more rows; bounds are those of the columns behind these."""
        rows = Rows.together([self.rows, rows])
        more = rows.matrix.shape[1] - self.num_columns
        low = np.concatenate((np.zeros(self.num_columns), np.zeros(more) if lower is None else lower))
        high = np.concatenate((np.ones(self.num_columns), np.ones(more) if upper is None else upper))
        low[0] = 1.0
        low[self.first_value : self.first_behavior], high[self.first_value : self.first_behavior] = -np.inf, np.inf
        cost = np.zeros(len(low))
        cost[self.first_value] = 1.0
        return FloatProgram(cost, rows.matrix, rows.lower, rows.upper, low, high, integer)

    # -- behavior --------------------------------------------------------------------------------

    def behavior(self, plan: NDArray[np.float64], forgetful: NDArray[np.float64]) -> NDArray[np.float64]:
        """The behavior of a plan, with that of the forgetful sets given, float64[F]; uniform where the plan is 0."""
        own, start = self.form.own, self._slot_start
        width = np.diff(start)
        probability = np.repeat(1.0 / width, width)
        after = np.arange(1, own.num_sequences)
        before = own.before[after]
        weight = np.maximum(plan, 0.0)
        played = after[weight[before] > REACHED]
        probability[own.slot[played]] = weight[played] / weight[own.before[played]]
        probability[self.slots] = np.maximum(forgetful, 0.0)
        total = np.repeat(np.add.reduceat(probability, start[:-1]), width) if len(width) else np.ones(0)
        return probability / total

    def guarantee(self, behavior: NDArray[np.float64]) -> float:
        """What a behavior, float64[slots], earns against a best response; in floats."""
        return float(self._values_of_other(behavior)[0])

    def contributions(self, plan: NDArray[np.float64], behavior: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""What each term adds to what a plan earns more than a behavior, float64[T].

        Let y be a best response to the behavior x, and :math:`V_s` what own sequence s is worth against it if x is
        played from then on. The plan r and x differ at terms only, so that

        .. math::  r^T U y - g(x) = \sum_{sa} (r_{sa} - r_s x_a) V_{sa}, \qquad g(x) = \min_y u(x, y) :

        the error of a term, times the expected payoff behind it. The left side is at least the program's value for r,
        less what x guarantees.
        """
        own, other, value = self.form.own, self.form.other, self._values_of_other(behavior)
        reply = np.zeros(other.num_sequences)
        reply[0] = 1.0
        for level in other.levels:
            chosen = other.start[level.sets] + greatest(-value[level.sequences], level)
            reply[chosen] = reply[other.parent[level.sets]]
        worth = np.asarray(self.form.matrix @ reply)
        for level in reversed(own.levels):
            played = behavior[own.slot[level.sequences]] * worth[level.sequences]
            np.add.at(worth, own.before[level.sequences], played)
        before, after, at = self.term
        error: NDArray[np.float64] = (plan[after] - plan[before] * behavior[self.slots[at]]) * worth[after]
        return error

    def _values_of_other(self, behavior: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the opponent's best response leaves behind each of its sequences, float64[S']."""
        own, other = self.form.own, self.form.other
        value = np.asarray(own.plan(behavior) @ self.form.matrix)
        for level in reversed(other.levels):
            least = np.minimum.reduceat(value[level.sequences], level.offset)
            np.add.at(value, other.parent[level.sets], least)
        return value

    # -- how many digits -------------------------------------------------------------------------

    @cached_property
    def spans(self) -> NDArray[Any]:
        """By information set: the greatest difference of payoffs below one of its nodes; exact integers, [J]."""
        form, tree = self.form, self.form.tree
        best, worst = (np.zeros(tree.num_nodes, dtype=tree.payoff.dtype) for _ in range(2))
        best[tree.leaves] = worst[tree.leaves] = tree.payoff[:, form.player]
        for first, end in reversed(list(pairwise(tree.level[1:].tolist()))):
            above, inner = tree.parent[first:end], np.unique(tree.parent[first:end])
            child = tree.first_child[inner]
            best[inner], worst[inner] = best[child], worst[child]
            np.maximum.at(best, above, best[first:end])
            np.minimum.at(worst, above, worst[first:end])
        own = np.flatnonzero(tree.player == form.player)
        span = np.zeros(tree.num_infosets[form.player], dtype=tree.payoff.dtype)
        np.maximum.at(span, tree.infoset[own], best[own] - worst[own])
        return span

    @cached_property
    def most_forgetful(self) -> int:
        """The most forgetful sets on one path: d."""
        own = self.form.own
        passed = np.zeros(own.num_sequences, dtype=np.int64)
        for level in own.levels:
            here = passed[own.parent[level.sets]] + own.forgetful[own.infoset[level.sets]]
            passed[level.sequences] = np.repeat(here, level.width)
        return int(passed.max())

    def theorem_digits(self, epsilon: Fraction) -> int:
        """The digits with which Theorem 1 promises epsilon: P = ceil(log10(d Amax (vmax - vmin) / (2 epsilon)))."""
        payoff = self.form.tree.payoff[:, self.form.player]
        widest = int(np.bincount(self.set_of_slot).max()) if len(self.slots) else 1
        span = Fraction(int(payoff.max()) - int(payoff.min()), self.form.tree.payoff_denominator)
        return digits_needed(self.most_forgetful * widest * span, epsilon)

    def slot_digits(self, epsilon: Fraction) -> NDArray[np.int64]:
        """Of Theorem 2, int64[F]: P_max(I, a) = max over h in I of ceil(log10(|A(I)| d v_diff(h) / (2 epsilon)))."""
        unit = Fraction(self.most_forgetful, self.form.tree.payoff_denominator)
        width = np.diff(self._slot_start)
        sets = self.set_of_slot.tolist()
        needed = {k: digits_needed(int(width[k]) * int(self.spans[k]) * unit, epsilon) for k in set(sets)}
        return np.array([needed[k] for k in sets], dtype=np.int64)


def digits_needed(error: Fraction, epsilon: Fraction) -> int:
    """The least P >= 0 with error 10^-P / 2 <= epsilon: ceil(log10(error / (2 epsilon))), exactly.

    Examples
    --------
    >>> digits_needed(Fraction(20), Fraction(1, 100)), digits_needed(Fraction(21), Fraction(1, 100))
    (3, 4)
    """
    digits = 0
    while error > 2 * epsilon * 10**digits:
        digits += 1
    return digits
