"""Linear programs with integer columns in floating point, by HiGHS: unproven, and interruptible.

What is not in :mod:`tremble.linear.highs`: integers, bounds of any kind, and a program whose coefficients change from
solve to solve. Programs are plain float arrays, and what is found is a claim: no exact method mends it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tremble.clock import interrupts_held_back
from tremble.errors import SolverError
from tremble.linear.draws import current_seed
from tremble.linear.highs import IN_THREAD, run_interruptible

with interrupts_held_back():  # cut short in its beginning, it could not be imported again
    import highspy

__all__ = ["ChangingProgram", "FloatOptimum", "FloatProgram", "solve_mixed"]

_TOLERANCE = 1e-9  # of integers and of rows: a binary column that is off by 1e-6 is a digit that is off by as much


@dataclass(frozen=True, eq=False)
class FloatProgram:
    """Maximise cost z over row_lower <= A z <= row_upper, lower <= z <= upper; m rows, n columns."""

    cost: NDArray[np.float64]  # [n]
    matrix: csr_array  # [m, n]
    row_lower: NDArray[np.float64]  # [m]
    row_upper: NDArray[np.float64]  # [m]
    lower: NDArray[np.float64]  # [n]
    upper: NDArray[np.float64]  # [n]
    integer: NDArray[np.bool_] | None = None  # [n]; None: none is


@dataclass(frozen=True, eq=False)
class FloatOptimum:
    """What HiGHS found; nothing in it is proven."""

    optimal: bool  # whether HiGHS believes that value and bound are as close as they were to be
    bound: float  # no point is better, as HiGHS believes; minus infinity says that there is none, infinity nothing
    point: NDArray[np.float64] | None  # [n] the best one; None: there is none yet
    multiplier: NDArray[np.float64] | None  # [m] of the rows; None with integers
    nodes: int  # of branch and bound


def solve_mixed(
    program: FloatProgram, check: Callable[[], None], *, gap: float = 0.0, seconds: float | None = None
) -> FloatOptimum:
    """Solve a program with integer columns.

    Parameters
    ----------
    program : FloatProgram
    check : callable
        Called ten times a second; may raise to end it.
    gap : float
        Be content with a point this close to the bound.
    seconds : float, optional
        Then stop, with the best point and the bound so far.
    """
    solver = _solver(program)
    solver.setOptionValue("mip_feasibility_tolerance", _TOLERANCE)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", gap)
    if seconds is not None:
        solver.setOptionValue("time_limit", max(seconds, 0.0))
    run_interruptible(solver, check, threaded=True)
    status, info = solver.getModelStatus(), solver.getInfo()
    if status == highspy.HighsModelStatus.kInfeasible:
        return FloatOptimum(True, -np.inf, None, None, 0)
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    point = np.array(solver.getSolution().col_value) if found else None
    optimal = status == highspy.HighsModelStatus.kOptimal
    integers = program.integer is not None and program.integer.any()
    bound = info.mip_dual_bound if integers else info.objective_function_value if optimal else np.inf
    return FloatOptimum(optimal, float(bound), point, None, max(int(info.mip_node_count), 0))


class ChangingProgram:
    """A program without integers that stays in HiGHS, to be solved again from its last basis after changes."""

    def __init__(self, program: FloatProgram, check: Callable[[], None]) -> None:
        self._solver = _solver(program)
        self._solver.setOptionValue("solver", "simplex")
        self._threaded = program.matrix.nnz >= IN_THREAD
        self._check = check

    def change_entries(self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Set entries of the matrix."""
        for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
            self._solver.changeCoeff(row, column, value)

    def change_rows(self, rows: NDArray[np.int64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
        """Set the sides of rows."""
        change: Any = self._solver.changeRowsBounds  # type: ignore[attr-defined]  # its stubs lack it
        change(len(rows), rows.astype(np.int32), lower, upper)

    def change_columns(
        self, columns: NDArray[np.int64], lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> None:
        """Set the bounds of columns."""
        self._solver.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)

    def solve(self) -> FloatOptimum:
        """Solve.

        Raises
        ------
        SolverError
            HiGHS came to no end, even without its last basis.
        """
        statuses = highspy.HighsModelStatus
        for again in (False, True):
            if again:
                self._solver.clearSolver()
            run_interruptible(self._solver, self._check, threaded=self._threaded)
            status = self._solver.getModelStatus()
            if status == statuses.kInfeasible:
                return FloatOptimum(True, -np.inf, None, None, 0)
            if status == statuses.kOptimal:
                value, solution = float(self._solver.getInfo().objective_function_value), self._solver.getSolution()
                return FloatOptimum(True, value, np.array(solution.col_value), np.array(solution.row_dual), 0)
        raise SolverError(f"HiGHS found no optimum: {self._solver.modelStatusToString(status)}")


def _solver(program: FloatProgram) -> highspy.Highs:
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
        ("threads", 1),
        ("small_matrix_value", 1e-12),
        ("random_seed", current_seed()),
    ):
        solver.setOptionValue(option, value)
    matrix = program.matrix
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.sense_ = highspy.ObjSense.kMaximize
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    model.a_matrix_.index_ = matrix.indices.astype(np.int32)
    model.a_matrix_.value_ = matrix.data
    model.col_cost_, model.col_lower_, model.col_upper_ = program.cost, program.lower, program.upper
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    if program.integer is not None:
        kinds = highspy.HighsVarType
        model.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in program.integer.tolist()]
    solver.passModel(model)
    return solver
