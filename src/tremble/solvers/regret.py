r"""Minimize counterfactual regrets in sequence form: CFR, CFR+, DCFR and PCFR+.

Both players repeat the game against each other. Let :math:`x^t` and :math:`y^t` be the plans of iteration t. Against
:math:`y^t` the sequences of player 1 have the values, from the last set to the first,

.. math::  v^t_s = (U y^t)_s + \sum_{k : parent(k) = s} \sum_{s' \in k} \sigma^t_{s'} v^t_{s'},

the *counterfactual values* of the last actions: chance and the other player weigh the leaves, but the player's own
reach does not. The regrets of set k and the next strategy (*regret matching*) are

.. math::  r^t_s = v^t_s - \sum_{s' \in k} \sigma^t_{s'} v^t_{s'}, \qquad
           R^t_s = d^{t-1}(R^{t-1}_s) \, R^{t-1}_s + r^t_s, \qquad
           \sigma^{t+1}_s = \frac{\max(R^t_s, 0)}{\sum_{s' \in k} \max(R^t_{s'}, 0)}

(uniform where no regret is positive), and the result is the average plan, :math:`\sum_t w^t x^t / \sum_t w^t`.
An iteration is one sparse product and one pass over the information sets each way, for each player. The variants:

======== ============== ============================== ============================== =========== =================
variant  updates        :math:`d^t(R)` for R > 0       :math:`d^t(R)` for R <= 0      :math:`w^t` published as
======== ============== ============================== ============================== =========== =================
cfr      simultaneous   1                              1                              1           [1]_ (7), (8), (4)
cfr+     alternating    1                              0                              t           [2]_
dcfr     alternating    :math:`t^{1.5}/(t^{1.5} + 1)`  1/2                            :math:`t^2` [3]_
pcfr+    alternating    1                              0                              :math:`t^2` [5]_
======== ============== ============================== ============================== =========== =================

Setting negative regrets to 0 before adding the new ones is regret matching+, which stores :math:`\max(R, 0)`; the next
strategy is the same. With *alternating* updates player 2 learns against the plan that player 1 has just learned. The
averages are still those of :math:`x^t` and :math:`y^t`, the plans at the start of the iteration (as in [4]_).

*Predictive* regret matching+ expects the last gain again: the next strategy is in proportion to :math:`\max(R^t_s +
r^t_s, 0)`, and negative :math:`R^t_s` are set to 0 at once.

OpenSpiel's ``CFRPlusSolver`` and ``DCFRSolver`` do the same; its ``CFRSolver`` alternates, which [1]_ does not.

References
----------
.. [1] M. Zinkevich, M. Johanson, M. Bowling, C. Piccione: Regret minimization in games with incomplete information,
   NIPS 20, 2007.
.. [2] O. Tammelin: Solving large imperfect information games using CFR+, arXiv:1407.5042, 2014; without delay.
.. [3] N. Brown, T. Sandholm: Solving imperfect-information games via discounted regret minimization, AAAI 2019;
   alpha = 3/2, beta = 0, gamma = 2.
.. [4] N. Burch, M. Moravčík, M. Schmid: Revisiting CFR+ and alternating updates, JAIR 64, 2019.
.. [5] G. Farina, C. Kroer, T. Sandholm: Faster game solving via predictive Blackwell approachability, AAAI 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isinf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.game.arrays import FloatArray
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import RealizationPlan
from tremble.game.tree import as_floats
from tremble.integers import is_wide
from tremble.solvers.regret_kernels import best_value, iterate, round_plan

__all__ = ["VARIANTS", "RegretMinimizer", "Variant", "kept"]

_INT64_SAFE = 2.0**61


@dataclass(frozen=True)
class Variant:
    """A member of the family DCFR(alpha, beta, gamma), to which CFR and CFR+ belong too."""

    name: str
    alternating: bool  # player 2 learns against the new plan of player 1
    # Before iteration t + 1, positive regrets are multiplied by t^alpha / (t^alpha + 1) and others by
    # t^beta / (t^beta + 1). The factor is 1 for infinity, and 0 for minus infinity.
    alpha: float
    beta: float
    gamma: float  # the plans of iteration t have weight t^gamma in the average
    predictive: bool = False  # the next strategy expects the last gains again

    @property
    def floor(self) -> bool:
        """True if negative regrets are set to 0 at once."""
        return isinf(self.beta) and self.beta < 0


VARIANTS: Mapping[str, Variant] = {
    "cfr": Variant("CFR", alternating=False, alpha=inf, beta=inf, gamma=0.0),
    "cfr+": Variant("CFR+", alternating=True, alpha=inf, beta=-inf, gamma=1.0),
    "dcfr": Variant("DCFR", alternating=True, alpha=1.5, beta=0.0, gamma=2.0),
    "pcfr+": Variant("PCFR+", alternating=True, alpha=inf, beta=-inf, gamma=2.0, predictive=True),
}
"""The variant of each method, by the name of the method."""


def kept(t: FloatArray, exponent: float) -> FloatArray:
    """Return the factor of a regret after iteration t."""
    if isinf(exponent):
        return np.full(len(t), float(exponent > 0))
    return t**exponent / (t**exponent + 1)


class _Side(NamedTuple):
    """The arrays of a player's part of the game; see :mod:`.regret_kernels`."""

    parent: NDArray[np.uint32]
    start: NDArray[np.uint32]
    first: NDArray[np.uint32]
    column: NDArray[np.uint32]
    payoff: NDArray[Any]


class _Tables(NamedTuple):
    """The regrets and plans of a player; see :mod:`.regret_kernels`."""

    regret: FloatArray
    share: FloatArray
    plan: FloatArray
    total: FloatArray
    value: FloatArray


class RegretMinimizer:
    """Regrets and average plans of both players, and the iterations that improve them.

    Examples
    --------
    The first iteration begins with uniform play, so the average after it is uniform in every game:

    >>> import tremble
    >>> form = tremble.strategies.SequenceForm.of(tremble.load("matching_pennies"))
    >>> minimizer = RegretMinimizer(form, VARIANTS["cfr"])
    >>> minimizer.run(1)
    >>> minimizer.average(0)
    array([1. , 0.5, 0.5])
    """

    def __init__(self, form: SequenceForm, variant: Variant) -> None:
        self.variant = variant
        self.iterations = 0
        self._content = form.payoff_content()
        self._whole_unit = Fraction(self._content, form.denominator)
        largest = max(int(form.payoff.max(initial=0)), -int(form.payoff.min(initial=0))) // self._content
        # Scale by a power of two to at most 1: small integers stay exact, and large ones do not overflow a float.
        exponent = largest.bit_length()
        self.unit = self._whole_unit * 2**exponent
        """The payoff that 1 in the tables stands for."""
        self._sides = tuple(
            side._replace(payoff=as_floats(side.payoff, 2**exponent)) for side in _sides(form, self._content)
        )
        self._tables = tuple(_tables(side) for side in self._sides)

    def run(self, count: int) -> None:
        """Run ``count`` iterations; Ctrl-C takes effect after them."""
        t = np.arange(self.iterations + 1, self.iterations + count + 1, dtype=np.float64)
        variant = self.variant
        iterate(
            tuple(tuple(side) for side in self._sides),
            tuple(tuple(table) for table in self._tables),
            variant.alternating,
            variant.predictive,
            kept(t - 1, variant.alpha),
            kept(t - 1, variant.beta),
            t**variant.gamma,
        )
        self.iterations += count

    def resume(self, iterations: int) -> None:
        """Continue after this many iterations, whose state the caller has put into the arrays of :meth:`state`."""
        self.iterations = iterations

    def identity(self) -> dict[str, str]:
        """Return no further fields: the game and the variant identify the run."""
        return {}

    def state(self) -> dict[str, FloatArray]:
        """Return the arrays that the next iteration depends on, by name; not copies."""
        return {
            f"{name} {player}": array
            for player, table in enumerate(self._tables, 1)
            for name, array in table._asdict().items()
            if name != "value"
        }

    def average(self, player: int) -> FloatArray:
        """Return the average plan so far, float64[S]."""
        return _normalised(self._tables[player].total)

    def bounds(self, totals: tuple[FloatArray, FloatArray] | None = None) -> tuple[float, float]:
        """Return the bounds on the value that the average plans guarantee, as floats in units of ``unit``.

        ``totals`` are weighted sums of plans; by default those so far.
        """
        plans = [_normalised(total) for total in totals or (table.total for table in self._tables)]
        room = [np.empty(len(table.value)) for table in self._tables]
        upper = best_value(tuple(self._sides[0]), plans[1], room[0])
        lower = -best_value(tuple(self._sides[1]), plans[0], room[1])
        return float(lower), float(upper)

    def rounded(self, totals: tuple[FloatArray, FloatArray], bits: int) -> tuple[RealizationPlan, RealizationPlan]:
        """Round weighted sums of plans to exact plans whose weights are multiples of 2^-bits."""
        plans = []
        for player, (side, total) in enumerate(zip(self._sides, totals, strict=True)):
            weight = np.empty(len(total), dtype=np.int64)
            weight[0] = 1 << bits
            round_plan(side.parent, side.start, total, weight)
            plans.append(RealizationPlan(player, weight, 1 << bits))
        return plans[0], plans[1]

    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Return copies of the weighted sums of the plans so far."""
        return self._tables[0].total.copy(), self._tables[1].total.copy()

    def exact_bounds(
        self, form: SequenceForm, plans: tuple[RealizationPlan, RealizationPlan]
    ) -> tuple[Fraction, Fraction] | None:
        """Return the exact bounds that two rounded plans guarantee; None if 64 bits might overflow."""
        if is_wide(form.payoff):
            return None
        found = []
        for player, side in enumerate(_sides(form, self._content)):
            weight = plans[1 - player].weight
            # The value of a best reply with absolute payoffs bounds every number in the exact pass.
            magnitude = side._replace(payoff=np.abs(side.payoff).astype(np.float64))
            size = len(self._tables[player].value)
            if best_value(tuple(magnitude), weight.astype(np.float64), np.empty(size)) >= _INT64_SAFE:
                return None
            value = int(best_value(tuple(side), weight, np.empty(size, dtype=np.int64)))
            found.append(Fraction(value, plans[1 - player].denominator) * self._whole_unit)
        return -found[1], found[0]


def _normalised(total: FloatArray) -> FloatArray:
    """Return the average of a weighted sum of plans."""
    plan: FloatArray = total / total[0]
    return plan


def _sides(form: SequenceForm, content: int) -> Iterator[_Side]:
    """Generate the arrays of both players, without pairs whose payoff is 0; payoffs in units of ``content``."""
    zero_sum = form.zero_sum()
    for side in (zero_sum.side(0), zero_sum.side(1)):
        paying = np.flatnonzero(side.payoff)
        arrays = (side.parent, side.start, np.searchsorted(paying, side.first), side.opponent[paying])
        parent, start, first, column = (array.astype(np.uint32) for array in arrays)
        yield _Side(parent, start, first, column, side.payoff[paying] // content)


def _tables(side: _Side) -> _Tables:
    """Return the tables before the first iteration: uniform play."""
    size = len(side.first) - 1
    width = np.diff(side.start)
    share = np.concatenate(([1.0], np.repeat(1.0 / width, width)))
    plan = np.ones(size)
    for k, (before, first, end) in enumerate(
        zip(side.parent.tolist(), side.start[:-1].tolist(), side.start[1:].tolist(), strict=True)
    ):
        plan[first:end] = plan[before] / width[k]
    return _Tables(np.zeros(size), share, plan, np.zeros(size), np.zeros(size))
