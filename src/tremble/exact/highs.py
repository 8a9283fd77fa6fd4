"""Solve linear programs in floating point with HiGHS.

Solves are fast and can be interrupted, but their results are unproven. Only this module and
:mod:`tremble.exact.mixed` import HiGHS. They solve two kinds of programs:

* For a :class:`~tremble.exact.program.Program`, HiGHS returns a *basis*. The basis is a guess, which
  :mod:`tremble.exact.lexicographic` proves or repairs. Rows and columns are scaled by powers of two that the program
  proposes. Scaling does not change which bases are optimal.
* A :class:`FloatProgram` consists of float arrays. It may have integer columns, or coefficients that change between
  solves. Its optimum is never proven, because no exact method starts from it.

If no start basis is given, HiGHS runs with its defaults: presolve, dual simplex, steepest edge. About 25 settings were
compared on poker and Goofspiel. For programs that compute the plans of both players, the defaults were as fast as the
best setting, within noise. Starting from a basis guessed by CFR+ was slower than starting without a basis.

The interior point method of HiGHS ends with a crossover to a basis. Compared with the simplex method, it takes

* a third of the time on large programs with many entries per row (leduc with 20 ranks: 19 entries per row);
* three times as long on programs with few entries per row (poker, liar's dice, goofspiel: 2 to 6), and on programs with
  few rows (kuhn with many cards, matrix games).

So ``"auto"`` chooses the method by the number of rows and the number of entries per row. ``"race"`` runs both methods.

Ctrl-C cannot interrupt ``run()`` of HiGHS. So a solve that may take long runs in a separate thread. During the solve,
the caller's ``check`` is called about ten times a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.draws import SEED
from tremble.exact.program import Program
from tremble.integers import is_wide, narrowed
from tremble.run.alarm import interrupts_held_back

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # this import takes 0.1 s, which would slow down small games

with interrupts_held_back():  # after an interrupted import, highspy could not be imported again
    import highspy

__all__ = ["FloatProgram", "FloatSolution", "FloatSolver", "float_solver", "scaled_cost", "scaled_rhs", "solve_float"]


# Tolerance for integer columns and rows. Binary columns encode digits. HiGHS's default would allow them errors of 1e-6.
MIXED_TOLERANCE = 1e-9


_DUAL, _PRIMAL = 1, 4  # values of HiGHS's option simplex_strategy
_AUTOMATIC, _DEVEX = -1, 1  # values of HiGHS's option simplex_dual_edge_weight_strategy
_MAX_COST_BITS = 10  # if the largest scaled cost has more bits, all costs are scaled down
_MIN_ENTRIES_FOR_THREAD = 20_000  # with at least this many matrix entries, a user may want to interrupt the solve
# The interior point method is faster for programs with at least _ROWS rows and an average of _PER_ROW entries per row.
_ROWS, _PER_ROW = 8_000, 12

_HIGHS_SOLVER = {"simplex": "simplex", "interior-point": "ipx"}  # our name -> value of HiGHS's option solver


class Rows(NamedTuple):
    """A sparse matrix stored by rows, with the attribute names of ``scipy.sparse.csr_array``."""

    data: NDArray[np.float64]
    indices: NDArray[np.int64]
    indptr: NDArray[np.int64]
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        """Number of stored entries of the matrix."""
        return len(self.data)


@dataclass(frozen=True, eq=False)
class FloatProgram:
    """A linear program in floats, with m rows and n columns; some columns may be restricted to integers.

    Maximize ``cost @ z`` subject to ``row_lower <= A z <= row_upper`` and ``lower <= z <= upper``.
    """

    cost: NDArray[np.float64]  # [n]
    matrix: csr_array | Rows  # [m, n]
    row_lower: NDArray[np.float64]  # [m]
    row_upper: NDArray[np.float64]  # [m]
    lower: NDArray[np.float64]  # [n]
    upper: NDArray[np.float64]  # [n]
    integer: NDArray[np.bool_] | None = None  # [n]: True for columns that must be integers; None: no integer columns


@dataclass(frozen=True, eq=False)
class FloatSolution:
    """The unproven result of HiGHS for a :class:`~tremble.exact.program.Program`."""

    basis: NDArray[np.int64]  # [m]: basic columns in ascending order, numbered as in a Program
    optimal: bool  # whether HiGHS reports that the basis is optimal
    infeasible: bool  # whether HiGHS reports that the program is infeasible
    unbounded: bool  # whether HiGHS reports that the program is unbounded
    iterations: int  # simplex, interior point and crossover iterations together
    _solution: Any  # HiGHS's record of values; arrays are converted on demand, because most callers do not read them

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """Values of the structural columns in the units of the float solver, float64[n]."""
        return np.array(self._solution.col_value)

    @cached_property
    def multiplier(self) -> NDArray[np.float64]:
        """Multipliers (dual values) of the rows in the units of the float solver, float64[m]."""
        return np.array(self._solution.row_dual)

    @cached_property
    def reduced(self) -> NDArray[np.float64]:
        """Reduced costs of the structural columns in the units of the float solver, float64[n]."""
        return np.array(self._solution.col_dual)


def solve_float(
    program: Program,
    check: Callable[[], None],
    *,
    start: NDArray[np.int64] | None = None,
    tolerance: float = 1e-7,
    solver: str = "simplex",
) -> FloatSolution:
    """Solve a program in floating point and return the basis that HiGHS finds.

    Parameters
    ----------
    program : Program
        The program is solved at epsilon = 0.
    check : callable
        Called about ten times a second during a long solve, or once after a short solve. It may raise an exception to
        stop the solve.
    start : int64[m], optional
        Basis from which the simplex method starts. If it is not given, HiGHS presolves and chooses its own start.
    tolerance : float
        Primal and dual feasibility tolerance.
    solver : str
        One of :data:`tremble.exact.program.FLOAT_SOLVERS`. Ignored if ``start`` is given.

    Raises
    ------
    SolverError
        If HiGHS finds no basis.
    """
    names = list(_HIGHS_SOLVER) if solver == "race" else [float_solver(program, solver)]
    contestants = [FloatSolver(program, check, tolerance=tolerance) for _ in names]
    if start is not None:
        return contestants[0].solve(start)
    for name, contestant in zip(names, contestants, strict=True):
        contestant.prepare(name)
    threaded = len(contestants) > 1 or contestants[0].threaded
    winner = run_until_first_optimum([contestant.highs for contestant in contestants], check, threaded=threaded)
    return contestants[winner].found()


def float_solver(program: Program, asked_for: str) -> str:
    """Return ``asked_for``, but replace ``"auto"`` by the float solver that suits the size of the program."""
    min_entries = _PER_ROW * program.num_rows
    large_and_dense = program.num_rows >= _ROWS and len(program.matrix.value) >= min_entries
    return ("interior-point" if large_and_dense else "simplex") if asked_for == "auto" else asked_for


class InHighs:
    """A program that stays loaded in HiGHS while its right-hand sides and bounds change."""

    def __init__(self, program: FloatProgram, check: Callable[[], None], tolerance: float = MIXED_TOLERANCE) -> None:
        self.highs, self._check = loaded_in_highs(program, tolerance), check
        self.highs.setOptionValue("solver", "simplex")
        self.threaded = program.matrix.nnz >= _MIN_ENTRIES_FOR_THREAD

    def _run(self) -> None:
        run_until_first_optimum([self.highs], self._check, threaded=self.threaded)

    def change_rows(self, rows: NDArray[np.int64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
        """Set the lower and upper bounds of some rows."""
        change: Any = self.highs.changeRowsBounds  # type: ignore[attr-defined]  # missing from highspy's stubs
        change(len(rows), rows.astype(np.int32), lower, upper)

    def change_columns(
        self, columns: NDArray[np.int64], lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> None:
        """Set the lower and upper bounds of some columns."""
        self.highs.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)


class FloatSolver(InHighs):
    """A program that stays loaded in HiGHS, so that each solve can start from the last basis.

    Parameters
    ----------
    program : Program
        The program is solved at epsilon = 0.
    check : callable
        Called about ten times a second during a long solve, or once after a short solve. It may raise an exception to
        stop the solve.
    tolerance : float
        Primal and dual feasibility tolerance.
    """

    def __init__(self, program: Program, check: Callable[[], None], *, tolerance: float = 1e-7) -> None:
        self.model = model = _in_floats(program)
        super().__init__(model, check, tolerance)
        self._program, self._rows = program, model.matrix
        self._highs: Any = self.highs  # typed as Any, because highspy's stubs lack some methods
        self._bounds = np.append(model.lower, model.row_lower), np.append(model.upper, model.row_upper)
        self._fresh = True

    def solve(self, start: NDArray[np.int64] | None = None, *, primal: bool = False) -> FloatSolution:
        """Solve the program by the simplex method and return the basis that HiGHS finds.

        Parameters
        ----------
        start : int64[m], optional
            Basis to start from. If it is not given, HiGHS continues from its last basis. In the first solve, HiGHS
            instead presolves and chooses its own start.
        primal : bool
            If True, use the primal simplex method. By default, use the dual simplex method.

        Raises
        ------
        SolverError
            HiGHS finds no basis.
        """
        fresh = self._fresh and start is None
        self.prepare("simplex", fresh=fresh, primal=primal)
        if start is not None:
            self.highs.setBasis(_highs_basis(self._program, start))
        self._run()
        order = self._highs.getBasicVariables()[1]  # columns as 0, 1, ...; logicals of rows as -1, -2, ...
        self._basic = order[order >= 0], order >= 0
        return self.found()

    def prepare(self, solver: str, *, fresh: bool = True, primal: bool = False) -> None:
        """Set the options of the next run.

        Parameters
        ----------
        solver : str
            ``"simplex"`` or ``"interior-point"``.
        fresh : bool
            True to presolve and to start without a basis. Otherwise HiGHS starts from its last basis, or from a basis
            that the caller sets.
        primal : bool
            True for the primal simplex method, False for the dual simplex method.
        """
        options = {
            "solver": _HIGHS_SOLVER[solver],
            "presolve": "on" if fresh else "off",
            # Computing steepest-edge weights for a given basis takes more time than the weights save.
            "simplex_dual_edge_weight_strategy": _AUTOMATIC if fresh else _DEVEX,
            "simplex_strategy": _PRIMAL if primal else _DUAL,
        }
        for option, value in options.items():
            self.highs.setOptionValue(option, value)
        self._fresh = False

    def found(self) -> FloatSolution:
        """Return the result of the last run; raise ``SolverError`` if HiGHS found no basis."""
        solver = self.highs
        basis = solver.getBasis()
        if not basis.valid:
            raise SolverError(f"HiGHS found no basis: {solver.modelStatusToString(solver.getModelStatus())}")
        get_basic: Any = solver.getBasicVariables  # type: ignore[attr-defined]  # missing from highspy's stubs
        call_status, basic = get_basic()  # columns as 0, 1, ...; logicals of rows as -1, -2, ...
        if call_status == highspy.HighsStatus.kOk:
            basic = np.asarray(basic, dtype=np.int64)
            basic = np.sort(np.where(basic < 0, self._program.num_columns - 1 - basic, basic))
        else:  # without factors of the basis, HiGHS does not list the basic variables, but their statuses exist
            is_basic = highspy.HighsBasisStatus.kBasic
            basic = np.flatnonzero([status == is_basic for status in (*basis.col_status, *basis.row_status)])
        model_status, statuses = solver.getModelStatus(), highspy.HighsModelStatus
        return FloatSolution(
            basis=basic,
            optimal=model_status == statuses.kOptimal,
            infeasible=model_status == statuses.kInfeasible,
            unbounded=model_status == statuses.kUnbounded,
            iterations=_iterations(solver),
            _solution=solver.getSolution(),
        )

    def values(self, rhs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the values of all n + m columns from the last basis and the right-hand sides ``rhs``.

        Call :meth:`solve` first. This method solves one system with HiGHS's factors and does not change HiGHS's state.

        Raises
        ------
        SolverError
            If HiGHS has no factors of its last basis.
        """
        basic_columns, structural = self._basic
        value = np.zeros(self._program.num_columns)
        value[basic_columns] = _from_factors(self._highs.getBasisSolve(rhs))[structural]
        return np.concatenate((value, rhs - self._matrix @ value))

    def reduced_costs(self, cost: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the reduced costs of all n + m columns from the last basis and the costs ``cost``.

        Call :meth:`solve` first. This method solves one system with HiGHS's factors and does not change HiGHS's state.

        Raises
        ------
        SolverError
            If HiGHS has no factors of its last basis.
        """
        basic_columns, structural = self._basic
        basic_cost = np.zeros(self._program.num_rows)  # a logical costs nothing
        basic_cost[structural] = cost[basic_columns]
        multiplier = _from_factors(self._highs.getBasisTransposeSolve(basic_cost))
        return np.concatenate((cost - self._matrix.T @ multiplier, -multiplier))

    @cached_property
    def _matrix(self) -> csr_array:
        from scipy.sparse import csr_array

        return csr_array(self._rows[:3], shape=self._rows.shape)

    def change(
        self,
        *,
        rhs: NDArray[np.float64],
        cost: NDArray[np.float64] | None,
        released: NDArray[np.bool_],
        closed: NDArray[np.bool_],
    ) -> None:
        """Replace the right-hand sides, the bounds and the costs, in the units of the float solver.

        Structural columns are numbered first, then logical columns. A column that is neither released nor closed gets
        its bounds from the program. The logicals of equality rows stay fixed at 0.

        Parameters
        ----------
        rhs : float64[m]
        cost : float64[n] or None
            If None, the costs do not change.
        released : bool[n + m]
            Columns to make free.
        closed : bool[n + m]
            Columns to fix at 0. Do not close a free column, because it would keep the lower bound -infinity.
        """
        n = self._program.num_columns
        infinity = highspy.kHighsInf
        lower = np.where(closed, 0.0, np.where(released, -infinity, 0.0))
        upper = np.where(closed, 0.0, infinity)
        lower[:n][self._program.free] = -infinity
        # HiGHS bounds the activity rhs - s of a row. So an upper bound on the logical s is a lower bound on rhs - s.
        exact = self._program.equality
        lower[n:], upper[n:] = np.where(exact, rhs, rhs - upper[n:]), np.where(exact, rhs, rhs - lower[n:])
        changed = np.flatnonzero((lower != self._bounds[0]) | (upper != self._bounds[1]))
        columns, rows = changed[changed < n], changed[changed >= n]
        self.change_columns(columns, lower[columns], upper[columns])
        self.change_rows(rows - n, lower[rows], upper[rows])
        self._bounds = lower, upper
        if cost is not None:
            self.highs.changeColsCost(n, np.arange(n, dtype=np.int32), cost)


def loaded_in_highs(program: FloatProgram, tolerance: float) -> highspy.Highs:
    """Return a HiGHS solver that contains the program and the options that tremble uses.

    The function passes arrays. A ``HighsLp`` object would be slower, because it must be filled number by number.
    """
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False),
        ("primal_feasibility_tolerance", tolerance),
        ("dual_feasibility_tolerance", tolerance),
        ("threads", 1),
        ("small_matrix_value", 1e-12),
        ("random_seed", SEED.get()),
    ):
        solver.setOptionValue(option, value)
    matrix = program.matrix
    rows, columns = matrix.shape
    solver.passModel(
        columns,
        rows,
        matrix.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        program.cost,
        program.lower,
        program.upper,
        program.row_lower,
        program.row_upper,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        np.zeros(columns, np.int32) if program.integer is None else program.integer.astype(np.int32),  # 1: integer
    )
    return solver


def _from_factors(answer: tuple[Any, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the vector in an answer of HiGHS; raise ``SolverError`` if HiGHS had no factors to solve with."""
    status, solution = answer
    if status != highspy.HighsStatus.kOk:
        raise SolverError("HiGHS has no factors of its last basis; solve the program again from a start basis")
    return solution


def _iterations(solver: Any) -> int:
    """Return the total number of simplex, interior point and crossover iterations."""
    info = solver.getInfo()
    counts = info.simplex_iteration_count, info.ipm_iteration_count, info.crossover_iteration_count
    return sum(max(int(count), 0) for count in counts)  # HiGHS reports -1 for a method that did not run


def run_until_first_optimum(solvers: list[Any], check: Callable[[], None], *, threaded: bool) -> int:
    """Run solvers until one finds an optimum or all have ended, then cancel the others.

    Parameters
    ----------
    solvers : list of highspy.Highs
        The list has exactly one solver if ``threaded`` is false.
    check : callable
        Called about ten times a second if ``threaded`` is true, or once after the run. It may raise an exception to
        stop the run.
    threaded : bool
        Whether to run each solver in a thread.

    Returns
    -------
    int
        Index of the first solver that found an optimum. If no solver found one, index of the solver that ended last.
    """
    if not threaded:
        solvers[0].run()
        check()
        return 0
    threads = []
    for solver in solvers:
        if not solver.HandleUserInterrupt:
            solver.HandleUserInterrupt = True
        # Do not use startSolve: all solvers share its lock, so one abandoned run would block all later runs.
        threads.append(Thread(target=solver.run, daemon=True))
    running = list(range(len(solvers)))
    try:
        for thread in threads:
            thread.start()
        while True:
            for i in list(running):
                threads[i].join(0.1 / len(running))
                if not threads[i].is_alive():
                    running.remove(i)
                    if not running or solvers[i].getModelStatus() == highspy.HighsModelStatus.kOptimal:
                        return i
            check()
    finally:
        for i in running:
            solvers[i].cancelSolve()
        for i in running:
            if threads[i].ident is not None:
                # Presolve ignores cancelSolve. So wait only for a short time. A daemon thread may outlive this call.
                threads[i].join(0.5)


def _in_floats(program: Program) -> FloatProgram:
    """Return the program at epsilon = 0, in the units of the float solver."""
    matrix = program.matrix
    values = _ldexp(matrix.value, program.row_exponent[matrix.row_of_entry] + program.column_exponent[matrix.column])
    rhs = scaled_rhs(program)
    return FloatProgram(
        cost=scaled_cost(program),
        matrix=Rows(values, matrix.column, matrix.row_start, matrix.shape),
        row_lower=np.where(program.equality, rhs, -highspy.kHighsInf),
        row_upper=rhs,
        lower=np.where(program.free, -highspy.kHighsInf, 0.0),
        upper=np.full(program.num_columns, highspy.kHighsInf),
    )


def _highs_basis(program: Program, basis: NDArray[np.int64]) -> Any:
    """Return a basis as a ``HighsBasis``."""
    status = highspy.HighsBasisStatus
    n, basic = program.num_columns, program.basic(basis)
    result = highspy.HighsBasis()
    result.col_status = [
        status.kBasic if b else status.kZero if free else status.kLower
        for b, free in zip(basic[:n].tolist(), program.free.tolist(), strict=True)
    ]
    result.row_status = [status.kBasic if b else status.kUpper for b in basic[n:].tolist()]
    result.valid = True
    return result


def scaled_rhs(program: Program, degree: int = 0) -> NDArray[np.float64]:
    """Return the right-hand sides' coefficients of epsilon^degree, in the units of the float solver."""
    return _ldexp(program.rhs[degree], program.row_exponent)


def scaled_cost(program: Program, degree: int = 0) -> NDArray[np.float64]:
    """Return the costs' coefficients of epsilon^degree, in the units of the float solver.

    If the largest cost has more than ``_MAX_COST_BITS`` bits, all costs are divided by a power of two. Then the largest
    cost is less than 2.
    """
    cost = program.cost[degree]
    size = [abs(value).bit_length() for value in cost.tolist()]
    largest = (np.array(size, dtype=np.int64) + program.column_exponent)[cost != 0].max(initial=1)
    return _ldexp(cost, program.column_exponent - (largest if largest > _MAX_COST_BITS else 1) + 1)


def _ldexp(values: NDArray[Any], exponent: NDArray[np.int64]) -> NDArray[np.float64]:
    """Multiply integers of any size by 2^exponent.

    A result that is too small becomes 0. A result above 2^1000 can become any float from 2^999 to infinity.
    """
    values = narrowed(values)
    if is_wide(values):
        bits = [value.bit_length() for value in values.tolist()]
        mantissa = np.array([value / (1 << b) for value, b in zip(values.tolist(), bits, strict=True)], np.float64)
        exponent = exponent + np.array(bits, dtype=np.int64)
    else:
        mantissa = values.astype(np.float64)
    return np.asarray(np.ldexp(mantissa, np.clip(exponent, -2000, 1000).astype(np.int32)), dtype=np.float64)
