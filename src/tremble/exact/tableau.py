"""A basis of a linear program in ordered numbers, from which :mod:`tremble.exact.simplex` pivots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.program import Program

__all__ = ["Numbers", "Tableau"]


class Numbers(Protocol):
    """One ordered number for each column of a program."""

    @property
    def sign(self) -> NDArray[np.int64]:
        """Signs -1, 0 or 1, int64[n + m]."""

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Mask of the numbers that are not 0, bool[n + m]; also those with an unknown sign."""

    def greatest(self, candidates: NDArray[np.int64]) -> int:
        """Return the candidate with the greatest size, in the units of the program; the first in a tie."""

    def least_ratio(self, candidates: NDArray[np.int64], step: Self) -> int:
        """Return the candidate with the least ratio of its size to the size of its step."""


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
        """An object that stays equal from pivot to pivot while the objective stalls."""

    @abstractmethod
    def column(self, j: int) -> Numbers:
        """Return B^-1 a_j, at the basic columns."""

    @abstractmethod
    def row(self, k: int) -> Numbers:
        """Return the row of B^-1 [A I] for the basic column k."""

    @abstractmethod
    def exchanged(self, entering: int, leaving: int) -> Self:
        """Return the tableau after one column replaces another in the basis."""

    @abstractmethod
    def lowered(self) -> Self:
        """Return the tableau with lower costs for the columns that would improve, so that they do not."""

    @abstractmethod
    def restored(self) -> Self:
        """Return the tableau with the costs of the program."""

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
        """True if no column violates."""
        return not len(self.primal_violations) and not len(self.dual_violations)

    @property
    def idle(self) -> NDArray[np.int64]:
        """Basic logicals of equality rows; in an optimal basis they are 0."""
        return np.flatnonzero(self.basic & self.program.fixed)

    def blocking(self, entering: int) -> int:
        """Return the column that leaves as ``entering`` enters: the first to reach its bound from either side.

        Raises
        ------
        SolverError
            The program is unbounded.
        """
        step, program, value = self.column(entering), self.program, self.primal.sign
        decrease = step.sign * (1 if self.dual.sign[entering] > 0 else -1)
        approaching = np.where(value == 0, (decrease > 0) | (program.fixed & step.nonzero), value * decrease > 0)
        candidates = np.flatnonzero(self.basic & ~program.unbounded & approaching)
        if not len(candidates):
            raise SolverError("the linear program is unbounded")
        return self.primal.least_ratio(candidates, step)

    def replacing(self, leaving: int) -> int:
        """Return the column that enters as ``leaving`` leaves: the first whose reduced cost would get the wrong sign.

        The dual side must be feasible.

        Raises
        ------
        SolverError
            The program is infeasible.
        """
        step, program, sign = self.row(leaving), self.program, int(self.primal.sign[leaving])
        for direction in (sign,) if sign else (1, -1):
            eligible = (step.sign * direction > 0) | (program.unbounded & step.nonzero)
            candidates = np.flatnonzero(~self.basic & ~program.fixed & eligible)
            if len(candidates):
                return self.dual.least_ratio(candidates, step)
        raise SolverError("the linear program is infeasible")
