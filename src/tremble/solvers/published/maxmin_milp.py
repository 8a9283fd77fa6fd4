r"""Maxmin strategies of a player who forgets, by multiparametric disaggregation (Bošanský et al. 2017).

A term :math:`r_{sa} = r_s x_a` is exact for an x of P decimal digits, :math:`x = \sum_{l=-P}^{0} \sum_k k 10^l w_{kl}`
with one binary w for each digit k at each place l:

.. math::  r_s = \sum_k \hat r_{kl}, \quad 0 \le \hat r_{kl} \le w_{kl}, \quad r_{sa} = \sum_{l,k} k 10^l \hat r_{kl} .

* The *lower form* keeps x to such numbers: its value is what the best strategy with P digits guarantees.
* The *upper form* adds a residual :math:`\Delta x \in [0, 10^{-P}]` to x, and :math:`\Delta r` to :math:`r_{sa}` with
  the four rows of McCormick for :math:`r_s \Delta x` over :math:`r_s \in [0, 1]`: a relaxation of the game.

Theorem 1: with :math:`P = \lceil \log_{10}(d A_{max} (v_{max} - v_{min}) / 2 \varepsilon) \rceil`, where d is the most
forgetful sets on one path and A_max the most actions at one of them, the strategy of the upper form is within epsilon
of the maxmin. The iterative scheme solves both forms with 0, 1, 2, ... digits until the bounds are close enough.

The paper's text was not at hand; that the iterations begin at 0 digits, go up one by one and solve both forms is from
memory. Not from the paper: the lower bound is what the behavior of either form guarantees against a best response, not
the form's value; the integer programs are solved to a tenth of epsilon. What a time limit cuts off is named, as
instances that are not solved in time are counted there, and hands over its bounds.

References
----------
B. Bošanský, J. Čermák, K. Horák and M. Pěchouček: Computing maxmin strategies in extensive-form zero-sum games with
imperfect recall, ICAART 2017.
S. Kolodziej, P. M. Castro and I. E. Grossmann: Global optimization of bilinear programs with a multiparametric
disaggregation technique, Journal of Global Optimization 57, 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.clock import TIME_IS_UP, Clock
from tremble.errors import LimitReached
from tremble.linear.highs_milp import FloatProgram, solve_mixed
from tremble.solvers.published.bilinear_program import BilinearProgram, Rows
from tremble.solvers.published.maxmin_progress import Search

__all__ = ["SCHEMES", "disaggregate", "disaggregated"]

SCHEMES = ("iterative", "theorem-1")
_LEAST_GAP = 0.1  # of epsilon, to which integer programs are solved
_TO_HEAR = 0.2  # seconds before the limit at which HiGHS stops, so that its bounds are heard


def disaggregated(bilinear: BilinearProgram, digits: int, *, relaxed: bool) -> FloatProgram:
    """The upper form (relaxed) or the lower form with so many digits behind the point."""
    before, after, at = bilinear.term
    slots, terms = len(bilinear.slots), len(before)
    place = np.concatenate(([0, 0], np.repeat(np.arange(1, digits + 1), 10)))
    worth = np.concatenate(([0, 1], np.tile(np.arange(10), digits))) * 10.0**-place
    last = 10.0**-digits  # what the residual of x is at most
    w = bilinear.num_columns + np.arange(slots * len(place)).reshape(slots, len(place))
    r = w.size + bilinear.num_columns + np.arange(terms * len(place)).reshape(terms, len(place))
    x, x_rest = bilinear.first_behavior + np.arange(slots), r.size + w.size + bilinear.num_columns + np.arange(slots)
    r_rest = x_rest.size + r.size + w.size + bilinear.num_columns + np.arange(terms)
    columns = r_rest.size + x_rest.size + r.size + w.size + bilinear.num_columns

    def sums(whole: NDArray[np.int64], parts: NDArray[np.int64], rest: NDArray[np.int64]) -> Rows:
        row = np.arange(len(whole))
        entries: list[tuple[Any, Any, Any]] = [(row, whole, -1.0), (row[:, None], parts, worth), (row, rest, 1.0)]
        entries = [tuple(np.ravel(side) for side in np.broadcast_arrays(*entry)) for entry in entries]  # type: ignore[misc]
        return Rows.of(entries, np.zeros(len(whole)), 0.0, columns)

    def one_each(parts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
        row = np.arange(len(parts))[:, None] * (digits + 1) + place
        return row.ravel(), parts.ravel(), 1.0

    wholes, each = np.repeat(before, digits + 1), np.arange(terms)
    rows = [
        sums(x, w, x_rest),
        Rows.of([one_each(w)], np.ones(slots * (digits + 1)), 1.0, columns),
        sums(after, r, r_rest),
        Rows.of([one_each(r), (np.arange(len(wholes)), wholes, -1.0)], np.zeros(len(wholes)), 0.0, columns),
        Rows.of(
            [(np.arange(r.size), r.ravel(), 1.0), (np.arange(r.size), w[at].ravel(), -1.0)],
            np.full(r.size, -np.inf), 0.0, columns,
        ),
        Rows.of([(each, r_rest, 1.0), (each, before, -last)], np.full(terms, -np.inf), 0.0, columns),
        Rows.of([(each, r_rest, 1.0), (each, x_rest[at], -1.0)], np.full(terms, -np.inf), 0.0, columns),
        Rows.of([(each, r_rest, 1.0), (each, x_rest[at], -1.0), (each, before, -last)],
                np.full(terms, -last), np.inf, columns),
    ]  # fmt: skip
    lower = np.zeros(columns - bilinear.num_columns)
    upper = np.ones(len(lower))
    upper[w.size + r.size :] = last if relaxed else 0.0
    integer = np.zeros(columns, dtype=np.bool_)
    integer[w.ravel()] = True
    return bilinear.program(Rows.together(rows), lower, upper, integer)


@dataclass(frozen=True)
class _Form:
    digits: int
    relaxed: bool

    @property
    def name(self) -> str:
        return f"{'upper' if self.relaxed else 'lower'} form, {self.digits} digits"


def disaggregate(bilinear: BilinearProgram, epsilon: Fraction, scheme: str, search: Search, clock: Clock) -> int:
    """Solve forms until the bounds of the search are close enough, or no more digits help; how many digits it came to.

    Parameters
    ----------
    scheme : str
        One of ``SCHEMES``: both forms with more and more digits, or the upper form with those of Theorem 1.
    """
    enough = bilinear.theorem_digits(epsilon)
    for digits in (enough,) if scheme == "theorem-1" else range(enough + 1):
        for form in (_Form(digits, True), _Form(digits, False))[: 1 if scheme == "theorem-1" else 2]:
            _solve(bilinear, form, float(epsilon), search, clock)
            if search.closed:
                return digits
    return enough


def _solve(bilinear: BilinearProgram, form: _Form, epsilon: float, search: Search, clock: Clock) -> None:
    search.progress(form.name)
    left = clock.left
    seconds = None if left is None else left - _TO_HEAR
    program = disaggregated(bilinear, form.digits, relaxed=form.relaxed)
    found = solve_mixed(program, clock.check, gap=_LEAST_GAP * epsilon, seconds=seconds)
    if not found.optimal:
        search.cut_off(form.name)
    if found.point is not None:
        plan, values = found.point[: bilinear.first_value], found.point[bilinear.first_behavior : bilinear.num_columns]
        search.strategy(bilinear.behavior(plan, values))
    if form.relaxed:
        search.bound(found.bound)
    search.log(digits=form.digits, form="upper" if form.relaxed else "lower", nodes=found.nodes)
    clock.check()
    left = clock.left
    if not found.optimal and left is not None and left <= 2 * _TO_HEAR:
        raise LimitReached(TIME_IS_UP)
