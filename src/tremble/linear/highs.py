"""Linear programs in floating point, by HiGHS: fast, unproven, and interruptible.

The only file that knows HiGHS. What it returns is a *basis*: a guess that :mod:`tremble.linear.exact` proves
or mends. Data are scaled by the powers of two that the program proposes; scaling does not change which
bases are optimal.

On poker and Goofspiel its defaults (presolve, dual simplex, steepest edge) were within noise of the best of some
25 settings, for either player's program; a start from a basis guessed by CFR+ was slower than none.

``run()`` of HiGHS cannot be interrupted from the keyboard: it works in a thread here, and the caller's
``check`` is heard ten times a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.linear.program import LinearProgram

__all__ = ["FloatSolution", "solve_float"]

_IN_THREAD = 20_000  # matrix entries from which a solve may take long enough to be interrupted


@dataclass(frozen=True)
class FloatSolution:
    """What HiGHS found.

    Attributes
    ----------
    basis : int64[m]
        Basic columns, numbered as in :class:`~tremble.linear.program.LinearProgram`; ascending.
    optimal : bool
        Whether HiGHS believes that the basis is optimal.
    iterations : int
        Simplex iterations.
    value : float64[n]
        Values of the structural columns, in the units of the float solver.
    multiplier : float64[m]
        Multipliers of the rows, likewise.
    """

    basis: NDArray[np.int64]
    optimal: bool
    iterations: int
    value: NDArray[np.float64]
    multiplier: NDArray[np.float64]


def solve_float(
    program: LinearProgram,
    check: Callable[[], None],
    *,
    start: NDArray[np.int64] | None = None,
    tolerance: float = 1e-7,
) -> FloatSolution:
    """Solve in floating point.

    Parameters
    ----------
    program : LinearProgram
    check : callable
        Called while HiGHS works; may raise to stop it.
    start : int64[m], optional
        A basis to start from; without one HiGHS presolves and starts from its own.
    tolerance : float
        Primal and dual feasibility tolerance.

    Raises
    ------
    SolverError
        HiGHS found no basis at all.
    """
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False),
        ("primal_feasibility_tolerance", tolerance),
        ("dual_feasibility_tolerance", tolerance),
        ("presolve", "on" if start is None else "off"),
        ("solver", "simplex"),
        ("threads", 1),
        ("small_matrix_value", 1e-12),
    ):
        solver.setOptionValue(option, value)
    solver.passModel(_model(program))
    if start is not None:
        solver.setBasis(_highs_basis(program, start))
    _run(solver, check, threaded=len(program.matrix.value) >= _IN_THREAD)
    found = solver.getBasis()
    if not found.valid:
        raise SolverError(f"HiGHS found no basis: {solver.modelStatusToString(solver.getModelStatus())}")
    basic = highspy.HighsBasisStatus.kBasic
    flags = [status == basic for status in found.col_status] + [status == basic for status in found.row_status]
    return FloatSolution(
        basis=np.flatnonzero(flags),
        optimal=solver.getModelStatus() == highspy.HighsModelStatus.kOptimal,
        iterations=int(solver.getInfo().simplex_iteration_count),
        value=np.array(solver.getSolution().col_value),
        multiplier=np.array(solver.getSolution().row_dual),
    )


def _run(solver: Any, check: Callable[[], None], *, threaded: bool) -> None:
    if not threaded:
        solver.run()
        check()
        return
    solver.HandleUserInterrupt = True
    solver.startSolve()
    try:
        while not solver.wait(0.1)[0]:
            check()
    except BaseException:
        solver.cancelSolve()
        solver.wait(5.0)  # presolve does not listen; the thread is a daemon and may be left behind
        raise


def _model(program: LinearProgram) -> Any:
    matrix = program.matrix
    values, rhs, cost = _scaled(program)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.sense_ = highspy.ObjSense.kMaximize
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = matrix.column_start.astype(np.int32)
    model.a_matrix_.index_ = matrix.row.astype(np.int32)
    model.a_matrix_.value_ = values[matrix.by_column]
    model.col_cost_ = cost
    model.col_lower_ = np.where(program.free, -highspy.kHighsInf, 0.0)
    model.col_upper_ = np.full(matrix.shape[1], highspy.kHighsInf)
    model.row_lower_ = np.where(program.equality, rhs, -highspy.kHighsInf)
    model.row_upper_ = rhs
    return model


def _highs_basis(program: LinearProgram, basis: NDArray[np.int64]) -> Any:
    status = highspy.HighsBasisStatus
    n = program.num_columns
    basic = np.zeros(n + program.num_rows, dtype=np.bool_)
    basic[basis] = True
    result = highspy.HighsBasis()
    result.col_status = [
        status.kBasic if b else status.kZero if free else status.kLower
        for b, free in zip(basic[:n].tolist(), program.free.tolist(), strict=True)
    ]
    result.row_status = [status.kBasic if b else status.kUpper for b in basic[n:].tolist()]
    result.valid = True
    return result


def _scaled(program: LinearProgram) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Values, right-hand sides and costs as floats, in the units that the program proposes."""
    matrix = program.matrix
    r, c = program.row_exponent, program.column_exponent
    return (
        _ldexp(matrix.value, r[matrix.row_of_entry] + c[matrix.column]),
        _ldexp(program.rhs, r),
        _ldexp(program.cost, c - (c[program.cost != 0].max(initial=0))),
    )


def _ldexp(values: NDArray[Any], exponent: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scale by 2^exponent for integers of any size; what leaves the range of a float becomes 0 or huge."""
    if values.dtype == object:
        bits = [value.bit_length() for value in values.tolist()]
        mantissa = np.array([value / (1 << b) for value, b in zip(values.tolist(), bits, strict=True)], np.float64)
        exponent = exponent + np.array(bits, dtype=np.int64)
    else:
        mantissa = values.astype(np.float64)
    return np.asarray(np.ldexp(mantissa, np.clip(exponent, -2000, 1000).astype(np.int32)), dtype=np.float64)
