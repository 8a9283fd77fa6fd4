r"""The simplex method, over ordered numbers of any kind.

It asks numbers for no more than signs, the greatest of some, and the least of some ratios (:class:`Numbers`); so the
same pivots serve rational numbers and polynomials in an infinitesimal, compared lexicographically
(:mod:`tremble.exact.lexicographic`), and series of which the first nonzero coefficient decides
(:mod:`tremble.exact.asymptotic`).

From any basis:

1. If neither the primal nor the dual side is feasible, the costs of the nonbasic columns that would improve
   are lowered until they just do not; now the dual side is feasible.
2. Dual simplex pivots restore primal feasibility.
3. With the true costs, primal simplex pivots reach the optimum.

The greatest violation is taken. While the objective stalls, violations are drawn at random (:mod:`.draws`); should a
stall be very long, Bland's rule ends it, so the pivots cannot cycle.

References
----------
R. G. Bland: New finite pivoting rules for the simplex method, Mathematics of Operations Research 2, 1977.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from random import Random
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.program import Program

__all__ = ["Numbers", "Rule", "Simplex", "Tableau", "ViolationRule"]


class Numbers(Protocol):
    """One ordered number for each column of a program."""

    @property
    def sign(self) -> NDArray[np.int64]:
        """-1, 0 or 1, int64[n + m]."""

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Which are not 0, bool[n + m]: also those whose sign is not known."""

    def greatest(self, candidates: NDArray[np.int64]) -> int:
        """The candidate of greatest size, in the units of the program; the first among equals."""

    def least_ratio(self, candidates: NDArray[np.int64], step: Self) -> int:
        """The candidate whose size has the least ratio to that of ``step``."""


class Tableau(ABC):
    """A basis with its values and reduced costs."""

    program: Program
    basic: NDArray[np.bool_]  # [n + m]

    @property
    @abstractmethod
    def primal(self) -> Numbers:
        """Values of the basic columns."""

    @property
    @abstractmethod
    def dual(self) -> Numbers:
        """Reduced costs of the nonbasic columns."""

    @property
    @abstractmethod
    def progress(self) -> object:
        """What is equal to what it was while the objective stalls."""

    @abstractmethod
    def column(self, j: int) -> Numbers:
        """B^-1 a_j, at the basic columns."""

    @abstractmethod
    def row(self, k: int) -> Numbers:
        """The row of B^-1 [A I] that belongs to the basic column k."""

    @abstractmethod
    def exchanged(self, entering: int, leaving: int) -> Self:
        """The tableau of the basis with one column for another."""

    @abstractmethod
    def lowered(self) -> Self:
        """With lower costs for the columns that would improve, so that they do not."""

    @abstractmethod
    def restored(self) -> Self:
        """With the true costs."""

    @cached_property
    def primal_violations(self) -> NDArray[np.int64]:
        """Basic columns outside their bounds."""
        sign, program = self.primal.sign, self.program
        return np.flatnonzero(
            self.basic & np.where(program.fixed, self.primal.nonzero, (sign < 0) & ~program.unbounded)
        )

    @cached_property
    def dual_violations(self) -> NDArray[np.int64]:
        """Nonbasic columns that would improve the objective."""
        sign, program = self.dual.sign, self.program
        return np.flatnonzero(~self.basic & ~program.fixed & np.where(program.unbounded, self.dual.nonzero, sign > 0))

    @property
    def optimal(self) -> bool:
        """Whether no column is out of place."""
        return not len(self.primal_violations) and not len(self.dual_violations)

    @property
    def idle(self) -> NDArray[np.int64]:
        """Basic columns that must be 0, in an optimal basis: the logicals of equality rows."""
        return np.flatnonzero(self.basic & self.program.fixed)

    def blocking(self, entering: int) -> int:
        """The column that leaves as one enters: the first to reach its bound, from within or from outside.

        Raises
        ------
        SolverError
            The program is unbounded.
        """
        step, program, value = self.column(entering), self.program, self.primal.sign
        way = step.sign * (1 if self.dual.sign[entering] > 0 else -1)
        towards = np.where(value == 0, (way > 0) | (program.fixed & step.nonzero), value * way > 0)
        candidates = np.flatnonzero(self.basic & ~program.unbounded & towards)
        if not len(candidates):
            raise SolverError("the linear program is unbounded")
        return self.primal.least_ratio(candidates, step)

    def replacing(self, leaving: int) -> int:
        """The column that enters as one leaves: the first that would else improve; the dual side is feasible.

        Raises
        ------
        SolverError
            The program is infeasible.
        """
        step, program, side = self.row(leaving), self.program, int(self.primal.sign[leaving])
        for way in (side,) if side else (1, -1):
            would = (step.sign * way > 0) | (program.unbounded & step.nonzero)
            candidates = np.flatnonzero(~self.basic & ~program.fixed & would)
            if len(candidates):
                return self.dual.least_ratio(candidates, step)
        raise SolverError("the linear program is infeasible")


T = TypeVar("T", bound=Tableau)
T_contra = TypeVar("T_contra", bound=Tableau, contravariant=True)


class Rule(Protocol[T_contra]):
    """Which of the columns that are out of place is next; it may remember what it saw in this phase."""

    def choose(self, tableau: T_contra, violations: NDArray[np.int64], numbers: Numbers) -> int:
        """One of the violations; ``numbers`` say how bad each is."""


class ViolationRule:
    """The greatest violation; in a stall (pivots without progress) one at random; in a long one the first (Bland)."""

    def __init__(self, random: Random, stall: int, long_stall: int = 5_000) -> None:
        self._random, self._stall, self._long_stall = random, stall, long_stall
        self._progress: object = self  # equal to nothing else
        self._stalled = 0

    def choose(self, tableau: Tableau, violations: NDArray[np.int64], numbers: Numbers) -> int:
        """One of the violations."""
        progress = tableau.progress
        self._stalled = self._stalled + 1 if progress == self._progress else 0
        self._progress = progress
        if self._stalled > self._long_stall:
            return int(violations[0])
        if self._stalled > self._stall:
            return int(self._random.choice(violations))
        return numbers.greatest(violations)


def _unheard(_pivots: int, _left: int) -> None:
    """Report nothing."""


class Simplex(Generic[T]):
    """Pivots from a basis.

    Parameters
    ----------
    rule : callable
        Makes the rule of each phase.
    max_pivots : int, optional
        Stop after so many.
    report : callable, optional
        Called before each pivot with how many were made, and how many columns are out of place.

    Attributes
    ----------
    tableau : Tableau
        Where the pivots have led.
    pivots : int
        How many were made.
    """

    def __init__(
        self,
        tableau: T,
        rule: Callable[[], Rule[T]],
        *,
        max_pivots: int | None = None,
        report: Callable[[int, int], None] = _unheard,
    ) -> None:
        self.tableau = tableau
        self.pivots = 0
        self._rule, self._max_pivots, self._report = rule, max_pivots, report

    def optimize(self) -> None:
        """Pivot to the optimum.

        Raises
        ------
        SolverError
            The program is infeasible or unbounded.
        """
        while not self.tableau.optimal and self._may_pivot:
            # One round is enough, unless a basis was taken for singular that is not.
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
        """Pivot while the dual side is feasible and the primal one is not."""
        rule = self._rule()
        while len(self.tableau.primal_violations) and not len(self.tableau.dual_violations) and self._may_pivot:
            violations = self.tableau.primal_violations
            self._report(self.pivots, len(violations))
            leaving = rule.choose(self.tableau, violations, self.tableau.primal)
            self._exchange(self.tableau.replacing(leaving), leaving)

    def primal(self) -> None:
        """Pivot while the primal side is feasible and the dual one is not."""
        rule = self._rule()
        while len(self.tableau.dual_violations) and not len(self.tableau.primal_violations) and self._may_pivot:
            self.enter(rule)

    def dismiss(self) -> None:
        """Let no logical of an equality row stay basic, at an optimum: others take its place, and nothing moves.

        Raises
        ------
        SolverError
            Such a row depends on others.
        """
        while len(idle := self.tableau.idle) and self._may_pivot:
            self._exchange(self.tableau.replacing(int(idle[0])), int(idle[0]))

    def enter(self, rule: Rule[T]) -> int:
        """Let one column enter that would improve the objective; returns the one that leaves."""
        violations = self.tableau.dual_violations
        self._report(self.pivots, len(violations))
        entering = rule.choose(self.tableau, violations, self.tableau.dual)
        leaving = self.tableau.blocking(entering)
        self._exchange(entering, leaving)
        return leaving

    @property
    def _may_pivot(self) -> bool:
        return self._max_pivots is None or self.pivots < self._max_pivots

    def _exchange(self, entering: int, leaving: int) -> None:
        self.tableau = self.tableau.exchanged(entering, leaving)
        self.pivots += 1
