r"""Multiparametric disaggregation, for maxmin strategies without perfect recall (Bošanský et al. 2017, section 3).

A *forgetful set* is an information set that is split into more than one refined set. The *upper bound program*
(5a)-(5j) writes each probability x of a forgetful set as P digits after the decimal point and a residual,
:math:`x_a = \sum_{l=-P}^{0} \sum_k k 10^l w_{kl} + \Delta x_a`. The
binary variable w_{kl} is 1 if the digit at place l is k. The program writes each term :math:`r_{sa} = r_s x_a` as

.. math::  r_{sa} = \sum_{l,k} k 10^l \hat r_{kl} + \Delta r_{sa}, \quad r_s = \sum_k \hat r_{kl}, \quad
    0 \le \hat r_{kl} \le w_{kl},

with :math:`0 \le \Delta x \le 10^{-P}`. The equation :math:`\Delta r_{sa} = r_s \Delta x_a` is replaced by McCormick's
four rows for :math:`r_s \in [0, 1]`. The result is a relaxation of the bilinear program (3). There are two schemes:

* ``"iterative"`` is the scheme of the paper (end of section 3.3), called MILP in the paper's experiments. All terms
  begin with 0 digits. A solved program gives each term a *contribution*: the expected payoff times the error of the
  term, :math:`\Delta r_{sa} - r_s \Delta x_a = r_{sa} - r_s x_a`. The term with the largest contribution gets one more
  digit. The scheme ends if this term already has the P digits of Theorem 1.
* ``"theorem-1"`` solves one program in which all terms have P digits.

By Theorem 1, the value of the program exceeds the guarantee of the strategy by at most
:math:`10^{-P} d A_{max} (v_{max} - v_{min}) / 2`. Here d is the largest number of forgetful sets on a path, and A_max
is the largest number of actions at a forgetful set. P is the least number for which this bound is at most epsilon.

The paper leaves some choices open, and this module makes the following ones:

* In (5b) to (5e), digits and :math:`\Delta x` belong to x_a. So a new digit of one term is a new digit of all terms
  with this x.
* The expected payoff in a contribution is the payoff after the sequence sa if the player plays x and the opponent plays
  a best response to x. The contributions then add up to the gap (:meth:`BilinearProgram.contributions`).

The module differs from the paper in these points:

* The algorithm also ends as soon as the upper bound exceeds the guarantee of the best x by at most epsilon. The rule
  of the paper may leave a larger gap, because Theorem 1 assumes P digits for all terms. Such a gap is reported.
* Digits 2 to 9 before the decimal point are left out, because x is at most 1.
* The integer programs are solved to a gap of a tenth of epsilon.
* If the time limit interrupts a program, the program is reported with its bounds. The paper counts these instances as
  unsolved.

References
----------
B. Bošanský, J. Čermák, K. Horák and M. Pěchouček: Computing maxmin strategies in extensive-form zero-sum games with
imperfect recall, ICAART 2017.
S. Kolodziej, P. M. Castro and I. E. Grossmann: Global optimization of bilinear programs with a multiparametric
disaggregation technique, Journal of Global Optimization 57, 2013.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached
from tremble.exact.highs import FloatProgram
from tremble.exact.mixed import solve_mixed
from tremble.recall.published.bilinear_program import BilinearProgram, Rows, Search
from tremble.run.alarm import TIME_IS_UP
from tremble.run.clock import Clock

__all__ = ["SCHEMES", "disaggregate", "disaggregated"]

SCHEMES = ("iterative", "theorem-1")
_GAP_SHARE = 0.1  # integer programs are solved to a gap of this share of epsilon
_RESERVE = 0.2  # HiGHS stops this many seconds before the time limit, so that its bounds can be read


def disaggregated(bilinear: BilinearProgram, digits: NDArray[np.int64]) -> FloatProgram:
    """Build a program that computes an upper bound. In it, the probability of slot f has ``digits[f]`` decimals."""
    before, after, at = bilinear.term
    slots, terms = len(bilinear.slots), len(before)
    width = 2 + 10 * digits  # number of binary columns of a slot: 2 before the decimal point, 10 for each place
    start = np.concatenate(([0], np.cumsum(width)))
    slot, term = np.repeat(np.arange(slots), width), np.repeat(np.arange(terms), width[at])
    w = np.arange(start[-1])
    behind = w - start[slot] - 2
    place = np.maximum(behind // 10 + 1, 0)
    digit_value = np.where(behind < 0, behind + 2, behind % 10) * 10.0**-place
    of_r = np.arange(len(term)) + (start[at] - np.cumsum(width[at]) + width[at])[term]  # the index of w for each r
    first_w = bilinear.num_columns
    first_r = first_w + len(w)
    x, r = bilinear.first_behavior + np.arange(slots), first_r + np.arange(len(term))
    x_rest = first_r + len(term) + np.arange(slots)
    r_rest = first_r + len(term) + slots + np.arange(terms)
    columns = first_r + len(term) + slots + terms
    place_of_x, place_of_r = (np.concatenate(([0], np.cumsum(1 + count))) for count in (digits, digits[at]))
    last, each = 10.0 ** -digits[at], np.arange(terms)
    any_less, whole = np.full(terms, -np.inf), np.repeat(np.arange(terms), 1 + digits[at])
    rows = [
        Rows.of([(slot, first_w + w, digit_value), (np.arange(slots), x_rest, 1.0), (np.arange(slots), x, -1.0)],
                np.zeros(slots), 0.0, columns),  # (5d)
        Rows.of([(place_of_x[slot] + place, first_w + w, 1.0)], np.ones(place_of_x[-1]), 1.0, columns),  # (5c)
        Rows.of([(term, r, digit_value[of_r]), (each, r_rest, 1.0), (each, after, -1.0)],
                np.zeros(terms), 0.0, columns),  # (5h)
        Rows.of([(place_of_r[term] + place[of_r], r, 1.0), (np.arange(len(whole)), before[whole], -1.0)],
                np.zeros(len(whole)), 0.0, columns),  # (5g)
        Rows.of([(np.arange(len(r)), r, 1.0), (np.arange(len(r)), first_w + of_r, -1.0)],
                np.full(len(r), -np.inf), 0.0, columns),  # (5f)
        Rows.of([(each, r_rest, 1.0), (each, before, -last)], any_less, 0.0, columns),  # (5i)
        Rows.of([(each, r_rest, 1.0), (each, x_rest[at], -1.0), (each, before, -last)], -last, np.inf, columns),  # (5i)
        Rows.of([(each, r_rest, 1.0), (each, x_rest[at], -1.0)], any_less, 0.0, columns),  # (5j)
    ]  # fmt: skip
    upper = np.ones(columns - first_w)
    upper[x_rest - first_w], upper[r_rest - first_w] = 10.0**-digits, last  # (5e), and (5i) with r <= 1
    integer = np.zeros(columns, dtype=np.bool_)
    integer[first_w + w] = True
    return bilinear.program(Rows.together(rows), np.zeros(len(upper)), upper, integer)


def disaggregate(bilinear: BilinearProgram, epsilon: Fraction, scheme: str, search: Search, clock: Clock) -> list[int]:
    """Compute upper bounds of the maxmin value with more and more decimals. Return each probability's decimal count.

    Each bound comes from a mixed-integer linear program with variables for the decimals of behavior probabilities. The
    probability with the largest error then gets one more decimal. The loop ends if the bound is close enough to the
    best guarantee, or if this probability already has the decimals that Theorem 1 requires. The ``scheme``
    ``"iterative"`` starts with 0 decimals, and ``"theorem-1"`` starts with the number from Theorem 1.
    """
    most = bilinear.theorem_digits(epsilon)
    digits = np.full(len(bilinear.slots), 0 if scheme == "iterative" else most)
    while True:
        worst = _solve(bilinear, digits, float(epsilon), search, clock)
        if search.closed:
            break
        if worst is None or digits[worst] >= most:
            search.cut_off(f"digits: the worst term has all {most} digits of Theorem 1")
            search.log(digits=digits.tolist())
            break
        digits[worst] += 1
    return digits.tolist()


def _solve(
    bilinear: BilinearProgram, digits: NDArray[np.int64], epsilon: float, search: Search, clock: Clock
) -> int | None:
    """Solve the program with ``digits[f]`` decimals for slot f. Return the slot with the largest error, or None."""
    name = f"upper bound program, {digits.sum()} digits"
    search.progress(name)
    left = clock.left
    seconds = None if left is None else left - _RESERVE
    found = solve_mixed(disaggregated(bilinear, digits), clock.check, gap=_GAP_SHARE * epsilon, seconds=seconds)
    worst = None
    if found.point is not None:
        plan, values = found.point[: bilinear.first_value], found.point[bilinear.first_behavior : bilinear.num_columns]
        behavior = bilinear.behavior(plan, values)
        search.strategy(behavior)
        if len(digits):
            term = np.argmax(np.abs(bilinear.contributions(plan, behavior)))
            worst = int(bilinear.term[2][term])
    search.bound(found.bound)
    if not found.optimal:
        search.cut_off(name)
    search.log(digits=digits.tolist(), nodes=found.nodes)
    clock.check()
    left = clock.left
    if not found.optimal and left is not None and left <= 2 * _RESERVE:
        raise LimitReached(TIME_IS_UP)
    return worst
