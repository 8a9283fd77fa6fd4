"""Programs for HiGHS with integer columns, or with coefficients that change between solves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.highs import MIXED_TOLERANCE, FloatProgram, InHighs, loaded_in_highs, run_until_first_optimum

__all__ = ["ChangingProgram", "FloatOptimum", "solve_mixed"]


@dataclass(frozen=True, eq=False)
class FloatOptimum:
    """The unproven result of HiGHS for a :class:`FloatProgram`."""

    optimal: bool  # whether HiGHS reports that it reached the target gap, or that the program is infeasible
    bound: float  # upper bound on the objective according to HiGHS; -inf if infeasible, inf if no bound is known
    point: NDArray[np.float64] | None  # [n]: the best feasible point, or None if HiGHS found no feasible point
    multiplier: NDArray[np.float64] | None  # [m]: multipliers of rows; None if not optimal or from solve_mixed
    nodes: int  # number of branch-and-bound nodes


def solve_mixed(
    program: FloatProgram, check: Callable[[], None], *, gap: float = 0.0, seconds: float | None = None
) -> FloatOptimum:
    """Solve a program with integer columns by branch and bound.

    Parameters
    ----------
    program : FloatProgram
    check : callable
        Called about ten times a second. It may raise an exception to stop the solve.
    gap : float
        Target gap: stop when the best point is within this distance of the bound.
    seconds : float, optional
        Time limit in seconds. When it is reached, return the best point and bound so far.
    """
    solver = loaded_in_highs(program, MIXED_TOLERANCE)
    solver.setOptionValue("mip_feasibility_tolerance", MIXED_TOLERANCE)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", gap)
    if seconds is not None:
        solver.setOptionValue("time_limit", max(seconds, 0.0))
    run_until_first_optimum([solver], check, threaded=True)
    status, info = solver.getModelStatus(), solver.getInfo()
    if status == highspy.HighsModelStatus.kInfeasible:
        return FloatOptimum(True, -np.inf, None, None, 0)
    feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    point = np.array(solver.getSolution().col_value) if feasible else None
    optimal = status == highspy.HighsModelStatus.kOptimal
    integers = program.integer is not None and program.integer.any()
    bound = info.mip_dual_bound if integers else info.objective_function_value if optimal else np.inf
    return FloatOptimum(optimal, float(bound), point, None, max(int(info.mip_node_count), 0))


class ChangingProgram(InHighs):
    """A linear program (no integer columns) that stays loaded in HiGHS. Each solve starts from the last basis."""

    def change_entries(self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Set some entries of the matrix."""
        for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
            self.highs.changeCoeff(row, column, value)

    def solve(self) -> FloatOptimum:
        """Solve the program from the last basis; if that fails, solve it once more from scratch.

        Raises
        ------
        SolverError
            Neither attempt found an optimum or showed that the program is infeasible.
        """
        statuses = highspy.HighsModelStatus
        for from_scratch in (False, True):
            if from_scratch:
                self.highs.clearSolver()
            self._run()
            status = self.highs.getModelStatus()
            if status == statuses.kInfeasible:
                return FloatOptimum(True, -np.inf, None, None, 0)
            if status == statuses.kOptimal:
                value, solution = float(self.highs.getInfo().objective_function_value), self.highs.getSolution()
                return FloatOptimum(True, value, np.array(solution.col_value), np.array(solution.row_dual), 0)
        raise SolverError(f"HiGHS found no optimum: {self.highs.modelStatusToString(status)}")
