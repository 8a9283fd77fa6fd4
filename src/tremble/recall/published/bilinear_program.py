r"""The bilinear program of both published algorithms, the errors of its terms, and the state of a search.

A *forgetful set* is an information set of the player that the bilinear form splits into more than one refined set. Let
r be the player's plan over its refined sequences, and let x be its behavior at forgetful sets. The program is linear
except for its *terms* :math:`r_{sa} = r_s x_a` (:mod:`tremble.recall.bilinear_form`).

The linear part is von Stengel's program with the opponent's refined sets. This is correct if the opponent has perfect
recall or A-loss recall. A pure strategy of the opponent then reaches at most one refinement of each set. So a best
response that uses perfect recall is also a strategy of the real opponent. For other opponents, the rows of the program
would be too strong.

The program consists of equations (3a) to (3h) of Bošanský, Čermák, Horák & Pěchouček (ICAART 2017). The statement about
best responses is Lemma 2 of the paper. Program (4) of the paper, for other opponents, has a row for each pure strategy.
It is not implemented.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, vstack

from tremble.exact.highs import FloatProgram
from tremble.game.scale import Scale
from tremble.game.tree import GameTree
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.mixtures import REACHED, greatest
from tremble.solvers.iterations import as_float, log_bounds
from tremble.solvers.method import Run

__all__ = ["BilinearProgram", "Rows", "Search", "digits_needed"]


@dataclass(frozen=True, eq=False)
class Rows:
    """The m rows of a linear program with n columns, and a lower and an upper bound for each row."""

    matrix: csr_array  # [m, n]
    lower: NDArray[np.float64]  # [m]
    upper: NDArray[np.float64]  # [m]

    @classmethod
    def of(cls, entries: list[tuple[Any, Any, Any]], lower: Any, upper: Any, columns: int) -> Rows:
        """Build rows from lower and upper bounds, and from entries (rows, columns, values).

        The three arrays of an entry are broadcast against each other.
        """
        lower, upper = np.broadcast_arrays(np.asarray(lower, np.float64), np.asarray(upper, np.float64))
        places = [np.broadcast_arrays(*entry) for entry in entries]
        row, column, value = (np.concatenate([place[i] for place in places]) for i in range(3))
        matrix = coo_array((value.astype(np.float64), (row, column)), shape=(len(lower), columns))
        return cls(matrix.tocsr(), lower, upper)

    @classmethod
    def together(cls, parts: list[Rows]) -> Rows:
        """Stack the rows of all parts. The last part must have the largest number of columns."""
        columns = parts[-1].matrix.shape[1]
        wide = [
            csr_array((m.data, m.indices, m.indptr), shape=(m.shape[0], columns)) for m in (p.matrix for p in parts)
        ]
        lower, upper = (np.concatenate([getattr(part, side) for part in parts]) for side in ("lower", "upper"))
        return cls(vstack(wide, format="csr"), lower, upper)


@dataclass(frozen=True, eq=False)
class BilinearProgram:
    """The bilinear program for a bilinear form: linear rows and *terms* (see the module).

    Shapes: the player has S sequences and F slots, which are the actions at its forgetful sets. The opponent has R'
    refined sets and S' sequences. There are T terms.

    The columns are, in this order: r (S columns), the game's value, the values of the opponent's R' sets, x (F).
    """

    form: BilinearForm

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """The slots (actions) at forgetful sets, int64[F], as indices into all slots of the player."""
        return np.flatnonzero(np.repeat(self.form.own.forgetful, np.diff(self._slot_start)))

    @property
    def _slot_start(self) -> NDArray[np.int64]:
        return self.form.own.slot_start

    @cached_property
    def term(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Three arrays, int64[T], for terms r_s x_a: indices of s, of s followed by a, and of action a in ``slots``."""
        own = self.form.own
        after = 1 + np.flatnonzero(self.form.own.forgetful[own.infoset[own.set_of[1:]]])
        return own.before[after], after, np.searchsorted(self.slots, own.slot[after])

    @cached_property
    def set_of_slot(self) -> NDArray[np.int64]:
        """The information set of each slot in ``slots``, as int64[F]."""
        return np.searchsorted(self._slot_start, self.slots, side="right") - 1

    # -- columns and rows ------------------------------------------------------------------------

    @property
    def first_value(self) -> int:
        """Index of the column for the game's value. The next columns are for values of the opponent's refined sets."""
        return self.form.own.num_sequences

    @property
    def first_behavior(self) -> int:
        """The first of the columns that contain probabilities of actions at forgetful sets."""
        return self.first_value + 1 + len(self.form.other.infoset)

    @property
    def num_columns(self) -> int:
        """The number of columns of the program."""
        return self.first_behavior + len(self.slots)

    @cached_property
    def payoff_rows(self) -> slice:
        """The slice of ``rows`` that bounds the values. It has one row for each sequence of the opponent."""
        return slice(self.rows.matrix.shape[0] - self.form.other.num_sequences, self.rows.matrix.shape[0])

    @cached_property
    def rows(self) -> Rows:
        """The linear constraints of the program: r is a plan, and x is a distribution at each forgetful set.

        Also, against each opponent reply, the player earns at least the game's value. No row is for a bilinear term.
        """
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
        """Build the program that maximizes the value of the game, with the additional constraints ``rows``.

        These constraints may have additional columns, which ``lower``, ``upper`` and ``integer`` describe.
        """
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
        """Return the behavior strategy of a plan.

        ``forgetful``, float64[F], contains the probabilities at forgetful sets. At all other sets, the plan gives the
        probabilities; if the plan does not reach the set, they are uniform.
        """
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
        """Return the payoff that the strategy ``behavior``, float64[slots], earns if the opponent best-responds."""
        return float(self._values_of_other(behavior)[0])

    def contributions(self, plan: NDArray[np.float64], behavior: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""Return the contribution of each term to the payoff difference between a plan and a behavior strategy.

        The result is float64[T]. Let y be a best response to the behavior strategy x. Let :math:`V_s` be the expected
        payoff after own sequence s if the player continues with x and the opponent plays y. After s, the plan r plays a
        with weight :math:`r_{sa}`, but x plays a with weight :math:`r_s x_a`. The weights differ only at terms, so

        .. math::  r^T U y - g(x) = \sum_{sa} (r_{sa} - r_s x_a) V_{sa}, \qquad g(x) = \min_y u(x, y) .

        Each summand is the error of a term times the expected payoff after the term. The left-hand side is at least the
        value of the program at r minus the guarantee of x.
        """
        own, other, value = self.form.own, self.form.other, self._values_of_other(behavior)
        reply = np.zeros(other.num_sequences)
        reply[0] = 1.0
        for level in other.levels:
            chosen = other.start[level.sets] + greatest(-value[level.sequences], level)
            reply[chosen] = reply[other.parent[level.sets]]
        expected = np.asarray(self.form.matrix @ reply)
        for level in reversed(own.levels):
            played = behavior[own.slot[level.sequences]] * expected[level.sequences]
            np.add.at(expected, own.before[level.sequences], played)
        before, after, at = self.term
        error: NDArray[np.float64] = (plan[after] - plan[before] * behavior[self.slots[at]]) * expected[after]
        return error

    def _values_of_other(self, behavior: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64[S']: the player's payoff after each opponent sequence, if the opponent then responds best."""
        own, other = self.form.own, self.form.other
        value = np.asarray(own.plan(behavior) @ self.form.matrix)
        for level in reversed(other.levels):
            least = np.minimum.reduceat(value[level.sequences], level.offset)
            np.add.at(value, other.parent[level.sets], least)
        return value

    # -- numbers of digits -----------------------------------------------------------------------

    @cached_property
    def spans(self) -> NDArray[Any]:
        """Exact integers [J]: each set's maximum, over its nodes, of greatest minus least payoff below the node."""
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
        """The largest number of forgetful sets on a path (d in the paper)."""
        own = self.form.own
        passed = np.zeros(own.num_sequences, dtype=np.int64)
        for level in own.levels:
            here = passed[own.parent[level.sets]] + own.forgetful[own.infoset[level.sets]]
            passed[level.sequences] = np.repeat(here, level.width)
        return int(passed.max())

    def theorem_digits(self, epsilon: Fraction) -> int:
        """Return the number of digits that Theorem 1 needs for epsilon.

        The number is P = ceil(log10(d Amax (vmax - vmin) / (2 epsilon))). Here d is :attr:`most_forgetful`, Amax is the
        largest number of actions at a forgetful set, and vmax and vmin are the largest and the least payoff.
        """
        payoff = self.form.tree.payoff[:, self.form.player]
        widest = int(np.bincount(self.set_of_slot).max()) if len(self.slots) else 1
        span = Fraction(int(payoff.max()) - int(payoff.min()), self.form.tree.payoff_denominator)
        return digits_needed(self.most_forgetful * widest * span, epsilon)

    def slot_digits(self, epsilon: Fraction) -> NDArray[np.int64]:
        """Return the number of digits that Theorem 2 needs for each slot, int64[F].

        For a slot of set I, the number is ceil(log10(|A(I)| d v / (2 epsilon))). Here |A(I)| is the number of actions,
        d is :attr:`most_forgetful`, and v is the largest difference between payoffs below a node of I.
        """
        unit = Fraction(self.most_forgetful, self.form.tree.payoff_denominator)
        width = np.diff(self._slot_start)
        sets = self.set_of_slot.tolist()
        needed = {k: digits_needed(int(width[k]) * int(self.spans[k]) * unit, epsilon) for k in set(sets)}
        return np.array([needed[k] for k in sets], dtype=np.int64)


def digits_needed(error: Fraction, epsilon: Fraction) -> int:
    """Return the least P >= 0 with error * 10^-P / 2 <= epsilon, computed exactly.

    If P is positive, it is equal to ceil(log10(error / (2 epsilon))).

    Examples
    --------
    >>> digits_needed(Fraction(20), Fraction(1, 100)), digits_needed(Fraction(21), Fraction(1, 100))
    (3, 4)
    """
    digits = 0
    while error > 2 * epsilon * 10**digits:
        digits += 1
    return digits


# -- the state of a search -----------------------------------------------------------------------------


class Search:
    """The state of a search: the best behavior strategy so far and the bounds, in floats.

    If ``bilinear`` is the program of a game with rescaled payoffs, ``original`` is the game and its scale.
    """

    def __init__(
        self,
        bilinear: BilinearProgram,
        epsilon: float,
        run: Run,
        offer: Callable[[], None],
        original: tuple[GameTree, Scale] | None = None,
    ) -> None:
        self._bilinear, self._epsilon, self._run, self._offer = bilinear, epsilon, run, offer
        self._scale: Scale | None
        self._tree, self._scale = (bilinear.form.tree, None) if original is None else original
        self.behavior: NDArray[np.float64] = np.zeros(0)  # [slots]: the best behavior strategy so far
        self.lower, self.upper = -np.inf, np.inf  # bounds on the player's maxmin value, in its own payoffs
        self.iteration = 0
        run.clock.iterations_begin()
        self.cutoffs: list[str] = []  # descriptions of steps that ended early

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds in payoffs of the original game."""
        if self._scale is None:
            return self.lower, self.upper
        low, high = (as_float(self._scale.payoff(b)) if np.isfinite(b) else b for b in (self.lower, self.upper))
        return low, high

    @property
    def closed(self) -> bool:
        """True if the gap between the bounds is at most the target."""
        return self.upper - self.lower <= self._epsilon

    def strategy(self, behavior: NDArray[np.float64]) -> float:
        """Return the guarantee of a behavior strategy, float64[slots]. Record the strategy if it is the best so far."""
        guarantee = self._bilinear.guarantee(behavior)
        if guarantee > self.lower:
            self.lower, self.behavior = guarantee, behavior
            self._offer()
        return guarantee

    def bound(self, upper: float) -> None:
        """Record an upper bound on the maxmin value. The least bound so far is stored."""
        self.upper = min(self.upper, upper)

    def cut_off(self, step: str) -> None:
        """Record a description of a step that ended early, for example because of the time limit."""
        self.cutoffs.append(step)

    def progress(self, step: str) -> None:
        """Report the current step and the bounds so far."""
        low, high = self.bounds
        self._run.progress(f"{step}: {low:.6g} to {high:.6g}", None)

    def log(self, **facts: Any) -> None:
        """Write a line with the bounds and with ``facts`` to the log.

        If the sum of the payoffs is constant, the bounds in the log are bounds on the payoff of player 1. Otherwise
        they are bounds on the payoff of the player whose strategy is computed.
        """
        self.iteration += 1
        (low, high), constant = self.bounds, self._tree.constant_sum
        if self._bilinear.form.player == 1 and constant is not None:
            low, high = float(constant) - high, float(constant) - low
        log_bounds(self._run, self.iteration, low, high, cutoffs=list(self.cutoffs), **facts)
