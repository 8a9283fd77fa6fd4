"""Linear programs in floating point, by HiGHS: fast, unproven, and interruptible. Only this file knows HiGHS.

What it returns for a :class:`~tremble.exact.program.Program` is a *basis*: a guess that
:mod:`tremble.exact.lexicographic` proves or mends. Its data are scaled by the powers of two that the program proposes;
scaling does not change which bases are optimal. A :class:`FloatProgram`, with integer columns or with coefficients that
change from solve to solve, is plain float arrays, and what is found is a claim: no exact method mends it.

On poker and Goofspiel its defaults (presolve, dual simplex, steepest edge) were within noise of the best of some
25 settings, for either player's program; a start from a basis guessed by CFR+ was slower than none. Its interior point
method, whose crossover leads to a basis, is three times as fast on large programs with many entries in a row (leduc
with 20 ranks: 19 of them), and three times as slow on those with few entries in a row (poker, liar's dice, goofspiel: 2
to 6), or few rows (kuhn with many cards, matrices); so these two numbers decide, or a race.

``run()`` of HiGHS cannot be interrupted from the keyboard: it works in a thread here, and the caller's
``check`` is heard ten times a second.
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
from tremble.exact.draws import current_seed
from tremble.exact.program import Program
from tremble.integers import is_wide, narrowed
from tremble.run.clock import interrupts_held_back

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # which takes 0.1 s to load: small games do without

with interrupts_held_back():  # cut short in its beginning, it could not be imported again
    import highspy

__all__ = [
    "ChangingProgram",
    "FloatOptimum",
    "FloatProgram",
    "FloatSolution",
    "FloatSolver",
    "float_solver",
    "scaled_cost",
    "scaled_rhs",
    "solve_float",
    "solve_mixed",
]

_DUAL, _PRIMAL = 1, 4  # HiGHS's simplex strategies
_AUTOMATIC, _DEVEX = -1, 1  # and its edge weights
_LARGE_COST_BITS = 10
_MIXED_TOLERANCE = 1e-9  # of integers and rows: a binary column that is off by 1e-6 is a digit that is off by as much
_IN_THREAD = 20_000  # matrix entries from which a solve may take long enough to be interrupted
_ROWS, _PER_ROW = 8_000, 12  # from so many rows on, with so many entries in each, the interior point method is faster

_NAMES = {"simplex": "simplex", "interior-point": "ipx"}  # as HiGHS calls them


class Rows(NamedTuple):
    """A sparse matrix by rows, with the names that ``csr_array`` has."""

    data: NDArray[np.float64]
    indices: NDArray[np.int64]
    indptr: NDArray[np.int64]
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.data)


@dataclass(frozen=True, eq=False)
class FloatProgram:
    """Maximise cost z over row_lower <= A z <= row_upper, lower <= z <= upper; m rows, n columns."""

    cost: NDArray[np.float64]  # [n]
    matrix: csr_array | Rows  # [m, n]
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


@dataclass(frozen=True, eq=False)
class FloatSolution:
    """What HiGHS found."""

    basis: NDArray[np.int64]  # [m] basic columns, numbered as in a Program; ascending
    optimal: bool  # whether HiGHS believes that the basis is optimal
    infeasible: bool  # whether it believes that the program is
    unbounded: bool  # likewise
    iterations: int  # simplex iterations
    _solution: Any  # HiGHS's own record, of which as a rule nothing is asked for

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """Values of the structural columns in the units of the float solver, float64[n]."""
        return np.array(self._solution.col_value)

    @cached_property
    def multiplier(self) -> NDArray[np.float64]:
        """Multipliers of the rows, likewise, float64[m]."""
        return np.array(self._solution.row_dual)

    @cached_property
    def reduced(self) -> NDArray[np.float64]:
        """Reduced costs of the structural columns, likewise, float64[n]."""
        return np.array(self._solution.col_dual)


def solve_float(
    program: Program,
    check: Callable[[], None],
    *,
    start: NDArray[np.int64] | None = None,
    tolerance: float = 1e-7,
    solver: str = "simplex",
) -> FloatSolution:
    """Solve in floating point.

    Parameters
    ----------
    program : Program
        Solved where the infinitesimal is 0.
    start : int64[m], optional
        A basis to start from; without one HiGHS presolves and starts from its own.
    tolerance : float
        Primal and dual feasibility tolerance.
    solver : str
        One of :data:`tremble.exact.program.FLOAT_SOLVERS`, where there is no start.

    Raises
    ------
    SolverError
        HiGHS found no basis at all.
    """
    names = list(_NAMES) if solver == "race" else [float_solver(program, solver)]
    solvers = [FloatSolver(program, check, tolerance=tolerance) for _ in names]
    if start is not None:
        return solvers[0].solve(start)
    for name, one in zip(names, solvers, strict=True):
        one.prepare(name)
    first = _first_to_end([one.highs for one in solvers], check, threaded=len(solvers) > 1 or solvers[0].threaded)
    return solvers[first].found()


def float_solver(program: Program, asked_for: str) -> str:
    """What solves a program from scratch: what is asked for, or for ``"auto"`` what suits its size."""
    many = program.num_rows >= _ROWS and len(program.matrix.value) >= _PER_ROW * program.num_rows
    return ("interior-point" if many else "simplex") if asked_for == "auto" else asked_for


class _InHighs:
    """A program that stays in HiGHS while its sides and bounds change."""

    def __init__(self, program: FloatProgram, check: Callable[[], None], tolerance: float = _MIXED_TOLERANCE) -> None:
        self.highs, self._check = _passed_to_highs(program, tolerance), check
        self.highs.setOptionValue("solver", "simplex")
        self.threaded = program.matrix.nnz >= _IN_THREAD

    def _run(self) -> None:
        _first_to_end([self.highs], self._check, threaded=self.threaded)

    def change_rows(self, rows: NDArray[np.int64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
        """Set the sides of rows."""
        change: Any = self.highs.changeRowsBounds  # type: ignore[attr-defined]  # its stubs lack it
        change(len(rows), rows.astype(np.int32), lower, upper)

    def change_columns(
        self, columns: NDArray[np.int64], lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> None:
        """Set the bounds of columns."""
        self.highs.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)


class FloatSolver(_InHighs):
    """A program that stays in HiGHS, to be solved again from its last basis after changes.

    Parameters
    ----------
    program : Program
        Solved where the infinitesimal is 0.
    tolerance : float
        Primal and dual feasibility tolerance.
    """

    def __init__(self, program: Program, check: Callable[[], None], *, tolerance: float = 1e-7) -> None:
        self.model = model = _in_floats(program)
        super().__init__(model, check, tolerance)
        self._program, self._rows = program, model.matrix
        self._highs: Any = self.highs  # its stubs lack some methods
        self._bounds = np.append(model.lower, model.row_lower), np.append(model.upper, model.row_upper)
        self._fresh = True

    def solve(self, start: NDArray[np.int64] | None = None, *, primal: bool = False) -> FloatSolution:
        """Solve.

        Parameters
        ----------
        start : int64[m], optional
            A basis to start from. Without one HiGHS goes on from its last; the first time it presolves and
            starts from its own.
        primal : bool
            Whether to use the primal simplex method, not the dual one.

        Raises
        ------
        SolverError
            HiGHS found no basis at all.
        """
        fresh = self._fresh and start is None
        self.prepare("simplex", fresh=fresh, primal=primal)
        if start is not None:
            self.highs.setBasis(_highs_basis(self._program, start))
        self._run()
        order = self._highs.getBasicVariables()[1]  # rows are negative
        self._basic = order[order >= 0], order >= 0
        return self.found()

    def prepare(self, solver: str, *, fresh: bool = True, primal: bool = False) -> None:
        """Choose between ``"simplex"`` and ``"interior-point"``, from its last basis unless it is to start afresh."""
        options = {
            "solver": _NAMES[solver],
            "presolve": "on" if fresh else "off",
            # Steepest-edge weights of a basis that HiGHS did not build itself cost more than they save.
            "simplex_dual_edge_weight_strategy": _AUTOMATIC if fresh else _DEVEX,
            "simplex_strategy": _PRIMAL if primal else _DUAL,
        }
        for option, value in options.items():
            self.highs.setOptionValue(option, value)
        self._fresh = False

    def found(self) -> FloatSolution:
        """What the last run has found; ``SolverError`` if that is no basis at all."""
        solver = self.highs
        basis = solver.getBasis()
        if not basis.valid:
            raise SolverError(f"HiGHS found no basis: {solver.modelStatusToString(solver.getModelStatus())}")
        find: Any = solver.getBasicVariables  # type: ignore[attr-defined]  # its stubs lack it
        found, basic = find()  # logicals as -1, -2, ...
        if found == highspy.HighsStatus.kOk:
            basic = np.asarray(basic, dtype=np.int64)
            basic = np.sort(np.where(basic < 0, self._program.num_columns - 1 - basic, basic))
        else:
            is_basic = highspy.HighsBasisStatus.kBasic
            basic = np.flatnonzero([one == is_basic for one in (*basis.col_status, *basis.row_status)])
        status, of = solver.getModelStatus(), highspy.HighsModelStatus
        return FloatSolution(
            basis=basic,
            optimal=status == of.kOptimal,
            infeasible=status == of.kInfeasible,
            unbounded=status == of.kUnbounded,
            iterations=_iterations(solver),
            _solution=solver.getSolution(),
        )

    def values(self, rhs: NDArray[np.float64]) -> NDArray[np.float64]:
        """What its last basis makes of other right-hand sides: values of all columns, float64[n + m].

        One solve with the factors that HiGHS has, after :meth:`solve`; nothing is changed. ``SolverError`` if it has
        none.
        """
        where, structural = self._basic
        value = np.zeros(self._program.num_columns)
        value[where] = _from_factors(self._highs.getBasisSolve(rhs))[structural]
        return np.concatenate((value, rhs - self._matrix @ value))

    def reduced_costs(self, cost: NDArray[np.float64]) -> NDArray[np.float64]:
        """What it makes of other costs, likewise: reduced costs of all columns."""
        where, structural = self._basic
        basic = np.zeros(self._program.num_rows)
        basic[structural] = cost[where]
        multiplier = _from_factors(self._highs.getBasisTransposeSolve(basic))
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
        """Change sides and bounds, in the units of the float solver.

        Parameters
        ----------
        rhs : float64[m]
        cost : float64[n], optional
        released, closed : bool[n + m]
            Columns (structural, then logical) to be free, and to be fixed at 0.
        """
        n = self._program.num_columns
        infinity = highspy.kHighsInf
        lower = np.where(closed, 0.0, np.where(released, -infinity, 0.0))
        upper = np.where(closed, 0.0, infinity)
        lower[:n][self._program.free] = -infinity
        # s = rhs - activity, so the bounds of a logical change sides
        exact = self._program.equality
        lower[n:], upper[n:] = np.where(exact, rhs, rhs - upper[n:]), np.where(exact, rhs, rhs - lower[n:])
        changed = np.flatnonzero((lower != self._bounds[0]) | (upper != self._bounds[1]))
        columns, rows = changed[changed < n], changed[changed >= n]
        self.change_columns(columns, lower[columns], upper[columns])
        self.change_rows(rows - n, lower[rows], upper[rows])
        self._bounds = lower, upper
        if cost is not None:
            self.highs.changeColsCost(n, np.arange(n, dtype=np.int32), cost)


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
    solver = _passed_to_highs(program, _MIXED_TOLERANCE)
    solver.setOptionValue("mip_feasibility_tolerance", _MIXED_TOLERANCE)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", gap)
    if seconds is not None:
        solver.setOptionValue("time_limit", max(seconds, 0.0))
    _first_to_end([solver], check, threaded=True)
    status, info = solver.getModelStatus(), solver.getInfo()
    if status == highspy.HighsModelStatus.kInfeasible:
        return FloatOptimum(True, -np.inf, None, None, 0)
    feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    point = np.array(solver.getSolution().col_value) if feasible else None
    optimal = status == highspy.HighsModelStatus.kOptimal
    integers = program.integer is not None and program.integer.any()
    bound = info.mip_dual_bound if integers else info.objective_function_value if optimal else np.inf
    return FloatOptimum(optimal, float(bound), point, None, max(int(info.mip_node_count), 0))


class ChangingProgram(_InHighs):
    """A program without integers that stays in HiGHS, to be solved again from its last basis after changes."""

    def change_entries(self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Set entries of the matrix."""
        for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
            self.highs.changeCoeff(row, column, value)

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
                self.highs.clearSolver()
            self._run()
            status = self.highs.getModelStatus()
            if status == statuses.kInfeasible:
                return FloatOptimum(True, -np.inf, None, None, 0)
            if status == statuses.kOptimal:
                value, solution = float(self.highs.getInfo().objective_function_value), self.highs.getSolution()
                return FloatOptimum(True, value, np.array(solution.col_value), np.array(solution.row_dual), 0)
        raise SolverError(f"HiGHS found no optimum: {self.highs.modelStatusToString(status)}")


def _passed_to_highs(program: FloatProgram, tolerance: float) -> highspy.Highs:
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False),
        ("primal_feasibility_tolerance", tolerance),
        ("dual_feasibility_tolerance", tolerance),
        ("threads", 1),
        ("small_matrix_value", 1e-12),
        ("random_seed", current_seed()),
    ):
        solver.setOptionValue(option, value)
    _pass(solver, program)
    return solver


def _pass(solver: highspy.Highs, program: FloatProgram) -> None:
    """Pass arrays: HiGHS's record of a program would be filled number by number."""
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
        np.zeros(columns, np.int32) if program.integer is None else program.integer.astype(np.int32),  # kinds
    )


def _from_factors(answer: tuple[Any, NDArray[np.float64]]) -> NDArray[np.float64]:
    """What HiGHS's factors make of a side."""
    status, solution = answer
    if status != highspy.HighsStatus.kOk:
        raise SolverError("HiGHS has no factors of its last basis")
    return solution


def _iterations(solver: Any) -> int:
    """Of all kinds; HiGHS says -1 of those that it did not make."""
    info = solver.getInfo()
    kinds = info.simplex_iteration_count, info.ipm_iteration_count, info.crossover_iteration_count
    return sum(max(int(count), 0) for count in kinds)


def _first_to_end(solvers: list[Any], check: Callable[[], None], *, threaded: bool) -> int:
    """Have HiGHS solve, each in a thread and ``check`` heard meanwhile if they are threaded.

    Returns
    -------
    int
        The first that finds an optimum, else the last to end. All others are cancelled.
    """
    if not threaded:
        solvers[0].run()
        check()
        return 0
    threads = []
    for solver in solvers:
        if not solver.HandleUserInterrupt:
            solver.HandleUserInterrupt = True
        # Not startSolve: its lock is one for all solvers, so that a run that is left behind would keep all others out.
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
                threads[i].join(0.5)  # presolve does not listen; the thread is a daemon and may be left behind


def _in_floats(program: Program) -> FloatProgram:
    """The program where the infinitesimal is 0, in the units of the float solver."""
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
    """A coefficient of the right-hand sides in the units of the float solver."""
    return _ldexp(program.rhs[degree], program.row_exponent)


def scaled_cost(program: Program, degree: int = 0) -> NDArray[np.float64]:
    """A coefficient of the costs in the units of the float solver, times a power of two that keeps them moderate."""
    cost = program.cost[degree]
    size = [abs(value).bit_length() for value in cost.tolist()]
    largest = (np.array(size, dtype=np.int64) + program.column_exponent)[cost != 0].max(initial=1)
    return _ldexp(cost, program.column_exponent - (largest if largest > _LARGE_COST_BITS else 1) + 1)


def _ldexp(values: NDArray[Any], exponent: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scale by 2^exponent for integers of any size; what leaves the range of a float becomes 0 or huge."""
    values = narrowed(values)
    if is_wide(values):
        bits = [value.bit_length() for value in values.tolist()]
        mantissa = np.array([value / (1 << b) for value, b in zip(values.tolist(), bits, strict=True)], np.float64)
        exponent = exponent + np.array(bits, dtype=np.int64)
    else:
        mantissa = values.astype(np.float64)
    return np.asarray(np.ldexp(mantissa, np.clip(exponent, -2000, 1000).astype(np.int32)), dtype=np.float64)
