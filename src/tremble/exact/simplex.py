r"""The simplex method for any kind of ordered numbers.

A number type must compute signs, the greatest number and the least ratio (:class:`Numbers`). Three types exist:
* rational numbers;
* polynomials in an infinitesimal, compared lexicographically (:mod:`tremble.exact.lexicographic`);
* series, compared by their first nonzero coefficients (:mod:`tremble.exact.asymptotic`).

The method starts from any basis:

1. If the basis is neither primal nor dual feasible, find the nonbasic columns that would improve the objective. Lower
   the costs of these columns until no column improves the objective. This makes the basis dual feasible.
2. Dual simplex pivots restore primal feasibility.
3. Restore the original costs. Primal simplex pivots then reach the optimum.

Each pivot chooses the greatest violation. While the objective stalls, each pivot chooses a violation at random.
In a very long stall, each pivot uses Bland's rule, so the pivots cannot cycle.

References
----------
R. G. Bland: New finite pivoting rules for the simplex method, Mathematics of Operations Research 2, 1977.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.program import Numbers, Tableau

__all__ = ["Rule", "Simplex", "ViolationRule"]


T = TypeVar("T", bound=Tableau)
T_contra = TypeVar("T_contra", bound=Tableau, contravariant=True)


class Rule(Protocol[T_contra]):
    """A pivot rule for one phase; it may remember earlier tableaus of the phase."""

    def choose(self, tableau: T_contra, violations: NDArray[np.int64], numbers: Numbers) -> int:
        """Return one of the columns in ``violations``. ``numbers`` contains the size of each column's violation."""


class ViolationRule:
    """A rule that chooses the greatest violation. In a stall, it chooses a random violation.

    A stall is a series of pivots without progress. In a long stall, the rule chooses the first violation, which is
    Bland's rule.
    """

    def __init__(self, random: Random, stall: int, long_stall: int = 5_000) -> None:
        self._random, self._stall, self._long_stall = random, stall, long_stall
        self._progress: object = self  # differs from the progress of every tableau
        self._stalled = 0

    def choose(self, tableau: Tableau, violations: NDArray[np.int64], numbers: Numbers) -> int:
        """Choose the greatest violation. In a stall, choose a random one. In a long stall, choose the first one."""
        progress = tableau.progress
        self._stalled = self._stalled + 1 if progress == self._progress else 0
        self._progress = progress
        if self._stalled > self._long_stall:
            return int(violations[0])
        if self._stalled > self._stall:
            return int(self._random.choice(violations))
        return numbers.greatest(violations)


def _report_nothing(_pivots: int, _left: int) -> None:
    """Ignore the number of pivots and of violating columns."""


class Simplex(Generic[T]):
    """A run of the simplex method from a basis.

    Parameters
    ----------
    rule : callable
        Function that makes a pivot rule for each phase.
    max_pivots : int, optional
        Maximum number of pivots.
    report : callable, optional
        Called before each pivot with the number of pivots so far and the number of violating columns.

    Attributes
    ----------
    tableau : Tableau
        The current tableau.
    pivots : int
        Number of pivots so far.
    """

    def __init__(
        self,
        tableau: T,
        rule: Callable[[], Rule[T]],
        *,
        max_pivots: int | None = None,
        report: Callable[[int, int], None] = _report_nothing,
    ) -> None:
        self.tableau = tableau
        self.pivots = 0
        self._rule, self._max_pivots, self._report = rule, max_pivots, report

    def optimize(self) -> None:
        """Pivot until the tableau is optimal or the number of pivots is ``max_pivots``.

        Raises
        ------
        SolverError
            The program is infeasible or unbounded.
        """
        while not self.tableau.optimal and self._may_pivot:
            # One round is enough unless a nonsingular basis was mistaken for singular.
            before = self.pivots
            lowered = len(self.tableau.primal_violations) > 0 and len(self.tableau.dual_violations) > 0
            if lowered:
                self.tableau = self.tableau.lowered()
            self.dual()
            if lowered:
                self.tableau = self.tableau.restored()
            self.primal()
            if self.pivots == before:
                break

    def dual(self) -> None:
        """Pivot while the dual side is feasible and the primal side is not."""
        rule = self._rule()
        while len(self.tableau.primal_violations) and not len(self.tableau.dual_violations) and self._may_pivot:
            violations = self.tableau.primal_violations
            self._report(self.pivots, len(violations))
            leaving = rule.choose(self.tableau, violations, self.tableau.primal)
            self._exchange(_replacing(self.tableau, leaving), leaving)

    def primal(self) -> None:
        """Pivot as long as the tableau is primal feasible but not dual feasible."""
        rule = self._rule()
        while len(self.tableau.dual_violations) and not len(self.tableau.primal_violations) and self._may_pivot:
            self.enter(rule)

    def dismiss(self) -> None:
        """Remove the logicals of equality rows from the basis of an optimal tableau. All values stay the same.

        Raises
        ------
        SolverError
            One of the equality rows depends on other rows.
        """
        while len(idle := self.tableau.idle) and self._may_pivot:
            self._exchange(_replacing(self.tableau, int(idle[0])), int(idle[0]))

    def enter(self, rule: Rule[T]) -> int:
        """Move a column that improves the objective into the basis; return the column that leaves the basis."""
        violations = self.tableau.dual_violations
        self._report(self.pivots, len(violations))
        entering = rule.choose(self.tableau, violations, self.tableau.dual)
        leaving = _blocking(self.tableau, entering)
        self._exchange(entering, leaving)
        return leaving

    @property
    def _may_pivot(self) -> bool:
        return self._max_pivots is None or self.pivots < self._max_pivots

    def _exchange(self, entering: int, leaving: int) -> None:
        self.tableau = self.tableau.exchanged(entering, leaving)
        self.pivots += 1


def _blocking(tableau: Tableau, entering: int) -> int:
    """Return the column that leaves the basis when ``entering`` enters it: the first column that reaches its bound.

    Raises
    ------
    SolverError
        The program is unbounded.
    """
    step, program, value = tableau.column(entering), tableau.program, tableau.primal.sign
    decrease = step.sign * (1 if tableau.dual.sign[entering] > 0 else -1)
    approaching = np.where(value == 0, (decrease > 0) | (program.fixed & step.nonzero), value * decrease > 0)
    candidates = np.flatnonzero(tableau.basic & ~program.unbounded & approaching)
    if not len(candidates):
        raise SolverError("the linear program is unbounded")
    return tableau.primal.least_ratio(candidates, step)


def _replacing(tableau: Tableau, leaving: int) -> int:
    """Return the column that replaces ``leaving`` in the basis: the column with the least dual ratio.

    There must be no dual violations.

    Raises
    ------
    SolverError
        The program is infeasible.
    """
    step, program, sign = tableau.row(leaving), tableau.program, int(tableau.primal.sign[leaving])
    for direction in (sign,) if sign else (1, -1):
        eligible = (step.sign * direction > 0) | (program.unbounded & step.nonzero)
        candidates = np.flatnonzero(~tableau.basic & ~program.fixed & eligible)
        if len(candidates):
            return tableau.dual.least_ratio(candidates, step)
    raise SolverError("the linear program is infeasible")
