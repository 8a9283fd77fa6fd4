r"""Exact solution of square integer systems by p-adic lifting.

Dixon's iteration solves :math:`M x = b` digit by digit in base p: with :math:`M^{-1}` known modulo p,

.. math::  x_k = M^{-1} r_k \bmod p, \qquad r_{k+1} = (r_k - M x_k)/p, \qquad r_0 = b,

so that :math:`x = \sum_k x_k p^k` solves the system modulo :math:`P = p^K`. One common denominator D and
integers :math:`N \equiv D x \pmod P` are then proposed by rational reconstruction: where Euclid's algorithm meets a
long quotient, however long N and D are in comparison. The proposal is *proven* by size alone: :math:`M N - D b`
vanishes modulo P, so it is zero as soon as :math:`\|M\|_\infty \max|N| + D \max|b| < P`.

Denominators divide the greatest invariant factor of M, and nearly all right-hand sides have it as theirs. So that of
earlier solutions is tried first: then P need not be longer than N, where it must be as long as N and D else.

Small systems are eliminated in fractions (:mod:`tremble.exact.elimination`), which needs no compiled kernels.

References
----------
J. D. Dixon: Exact solution of linear equations using p-adic expansions, Numerische Mathematik 40, 1982.
M. Monagan: Maximal quotient rational reconstruction: an almost optimal algorithm for rational reconstruction,
ISSAC 2004.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from math import lcm
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.elimination import Elimination
from tremble.exact.matrix import IntegerMatrix
from tremble.integers import INT64_SAFE, LONG_BITS, is_wide, largest, lowest_terms

if TYPE_CHECKING:
    from tremble.exact.sparse_lu import SparseLU

__all__ = ["SMALL_LIMIT", "Factors", "LiftedFactors", "SingularMatrixError", "dependent_columns", "factorize"]

SMALL_LIMIT = 150
"""Systems of at most this many rows are eliminated, in fractions."""

_DIGITS_PER_CALL = 8
_MANY_PARTS = 16
_MARGIN_BITS = 30  # of a quotient that is no chance
_COMBINATIONS = 4  # whose denominators tell that of all
_FEW_BITS = 20  # of what a denominator may lack of the one of earlier solutions
_SPARSE_PRIME = 2147483629  # the greatest below 2^31: products of residues fit int64


class SingularMatrixError(SolverError):
    """The matrix is singular; ``rows`` and ``columns`` name what to leave out to make it nonsingular."""

    def __init__(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        super().__init__(f"a basis matrix is singular: {len(rows)} of its rows depend on the others")
        self.rows = rows
        self.columns = columns


class Factors(Protocol):
    """A factorised square integer matrix M."""

    def solve(self, b: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M x = b: integers N and D > 0 with x = N / D."""

    def solve_transposed(self, c: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M' y = c, likewise."""


def factorize(
    matrix: IntegerMatrix,
    check: Callable[[], None],
    *,
    small_limit: int = SMALL_LIMIT,
    sure: bool = True,
    denominator: int = 1,
) -> Factors:
    """Prepare a square integer matrix for exact solves.

    Parameters
    ----------
    matrix : IntegerMatrix, shape (n, n)
    small_limit : int
        Up to this n it is eliminated in fractions.
    sure : bool
        Whether a sparse matrix that is singular modulo one prime is tried modulo others.
    denominator : int
        One of a solution, if one is known: it saves time.

    Raises
    ------
    SingularMatrixError
    """
    if matrix.shape[0] <= small_limit:
        return SmallFactors(matrix)
    return LiftedFactors(matrix, check, sure=sure, denominator=denominator)


def dependent_columns(matrix: IntegerMatrix, check: Callable[[], None]) -> NDArray[np.int64]:
    """Columns without which the others of a matrix of any shape are independent; modulo primes, if it is large.

    Examples
    --------
    >>> rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> [len(dependent_columns(IntegerMatrix.from_entries((3, 2), rows, columns, np.array(v)), int))
    ...  for v in ([1, 2, 3, 4], [1, 2, 2, 4])]
    [0, 1]
    """
    size = max(matrix.shape)
    square = IntegerMatrix.from_entries((size, size), matrix.row_of_entry, matrix.column, matrix.value)
    try:
        factorize(square, check)
    except SingularMatrixError as singular:  # in columns that fill the square up, too
        return singular.columns[singular.columns < matrix.shape[1]]
    return np.empty(0, dtype=np.int64)


def _primes(first: int) -> Iterator[int]:
    """A fixed prime, then two drawn at random with as many bits.

    A matrix may be singular modulo a prime without being singular. Nobody can write down a game for which
    that happens with primes that are drawn while it is solved, except with a probability of about 1e-10; and
    should it happen, a good basis is passed over once, and drawn again.
    """
    from flint import fmpz

    yield first
    bits = first.bit_length()
    for _ in range(2):
        candidate = secrets.randbits(bits - 2) * 2 + 1 + (1 << (bits - 1))
        while candidate >= first or not fmpz(candidate).is_prime():
            candidate = secrets.randbits(bits - 2) * 2 + 1 + (1 << (bits - 1))
        yield candidate


class SmallFactors:
    """A small matrix, eliminated in fractions."""

    def __init__(self, matrix: IntegerMatrix) -> None:
        from flint import fmpq, fmpq_mat

        self._elimination = Elimination(matrix, fmpq, fmpq_mat)
        if len(self._elimination.spare_rows):
            raise SingularMatrixError(self._elimination.spare_rows, self._elimination.spare_columns)

    def solve(self, b: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M x = b: integers N and D > 0 with x = N / D."""
        return _over_one(self._elimination.solve(b.tolist()))

    def solve_transposed(self, c: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M' y = c, likewise."""
        return _over_one(self._elimination.solve_transposed(c.tolist()))


def _over_one(fractions: list[Any]) -> tuple[NDArray[Any], int]:
    """FLINT's fractions as integers over their least common denominator."""
    denominator = lcm(*{int(fraction.q) for fraction in fractions if fraction})
    result = np.zeros(len(fractions), dtype=object)
    result[:] = [int(fraction.p) * (denominator // int(fraction.q)) if fraction else 0 for fraction in fractions]
    return result, denominator


class LiftedFactors:
    """A sparse matrix, factorised modulo a prime (``lu``) and solved by lifting."""

    def __init__(
        self, matrix: IntegerMatrix, check: Callable[[], None], *, sure: bool = True, denominator: int = 1
    ) -> None:
        from tremble.exact.sparse_lu import SparseLU

        self._check = check
        self._matrix = matrix
        self._transposed = matrix.transposed
        self._denominator = denominator  # of all solutions so far
        for prime in _primes(_SPARSE_PRIME):
            self.lu = SparseLU(matrix, prime, check)
            if self.lu.nonsingular:
                return
            if not sure:
                break
        raise SingularMatrixError(self.lu.spare_rows, self.lu.spare_columns)

    def solve(self, b: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M x = b: integers N and D > 0 with x = N / D."""
        return self._solve(self._matrix, b, transposed=False)

    def solve_transposed(self, c: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M' y = c, likewise."""
        return self._solve(self._transposed, c, transposed=True)

    def _solve(self, matrix: IntegerMatrix, b: NDArray[Any], *, transposed: bool) -> tuple[NDArray[Any], int]:
        solution = _lift(matrix, self.lu, b, self._denominator, transposed=transposed, check=self._check)
        self._denominator = lcm(self._denominator, solution[1])
        return solution


def _lift(
    matrix: IntegerMatrix,
    lu: SparseLU,
    b: NDArray[Any],
    known: int,
    *,
    transposed: bool,
    check: Callable[[], None],
) -> tuple[NDArray[Any], int]:
    """Lift digits until a proposal is proven.

    ``matrix`` is the system's (already transposed if so), ``known`` what is likely to be a denominator.
    """
    prime = lu.prime
    if not is_wide(matrix.value):
        magnitude = np.abs(matrix.value).astype(np.float64)
        row_norm = np.bincount(matrix.row_of_entry, weights=magnitude, minlength=matrix.shape[0])
        norm = int(row_norm.max(initial=0) * (1 + 1e-9)) + 1  # rounded up
    else:
        norm = largest(matrix.value) * int(np.diff(matrix.row_start).max(initial=0))
    largest_b = largest(b)
    if largest_b == 0:
        return np.zeros(len(b), dtype=object), 1
    residual, n = _Residual(matrix, lu, b, transposed, norm), len(b)
    weight = np.random.default_rng(n).integers(1, 1 << (31 - n.bit_length() if n < 1 << 24 else 7), (n, _COMBINATIONS))
    digits, combined = np.empty((0, n), dtype=np.int64), np.empty((0, _COMBINATIONS), dtype=np.int64)

    def needed(size: int, denominator: int) -> int:
        """Digits that prove numerators of some size over a denominator, and that tell them from chance."""
        proof = norm * size + denominator * largest_b
        return max(_num_digits(proof, prime), _num_digits(size << _MARGIN_BITS, prime))

    wanted, likely = _DIGITS_PER_CALL, needed(known * largest_b << _MARGIN_BITS, known) if known > 1 else 0
    while True:
        more = residual.next_digits(wanted - len(digits), check)
        digits, combined = np.concatenate((digits, more)), np.concatenate((combined, more @ weight))
        solution = _proposed(digits, combined, prime, known, needed)
        if solution is not None:
            return solution
        later = wanted + max(_DIGITS_PER_CALL, wanted // 8)
        wanted = likely if wanted < likely < later else later


def _num_digits(value: int, prime: int) -> int:
    """So many digits that the power of the prime is greater than the value."""
    return value.bit_length() // (prime.bit_length() - 1) + 1


def _combined(digits: NDArray[np.int64], prime: int) -> NDArray[Any]:
    """The integers with these digits (rows, least significant first); neighbours are joined pairwise."""
    parts: list[NDArray[Any]] = list(digits)
    base = prime
    while len(parts) > 1:
        if len(parts) % 2:
            parts.append(np.zeros_like(parts[0]))
        if base > prime:  # two digits still fit int64
            if len(parts) > _MANY_PARTS:
                return _evaluated(np.stack(parts, axis=1), base)
            parts = [part.astype(object, copy=False) for part in parts]
        parts = [low + high * base for low, high in zip(parts[::2], parts[1::2], strict=True)]
        base *= base
    return parts[0].astype(object)


def _evaluated(digits: NDArray[np.int64], base: int) -> NDArray[Any]:
    """The same for many digits (columns, least significant first), as polynomials that FLINT evaluates."""
    from flint import fmpz, fmpz_poly

    at = fmpz(base)
    result = np.empty(len(digits), dtype=object)
    result[:] = [int(fmpz_poly(row)(at)) for row in digits.tolist()]
    return result


class _Residual:
    r"""Produces digit after digit of the solution.

    A long right-hand side is not carried along: its own digits are added one by one,

    .. math::  c_{k+1} = (c_k + b_k - M x_k)/p, \qquad b = \sum_k b_k p^k, \quad |b_k| < p,

    so that what is left never outgrows twice the norm of the matrix: int64, or a few limbs where that is wider.

    Parameters
    ----------
    norm : int
        At least the greatest sum of absolute values in a row of the matrix.
    """

    def __init__(self, matrix: IntegerMatrix, lu: SparseLU, b: NDArray[Any], transposed: bool, norm: int) -> None:
        from tremble.exact import lifting_kernel, sparse_lu

        self._solve = sparse_lu.solve_transposed_mod if transposed else sparse_lu.solve_mod
        self._kernel = lifting_kernel
        self._matrix, self._lu, self._value = matrix, lu, matrix.value
        bound = (norm + 1) * (lu.prime + 2)  # of c_k + b_k - M x_k
        self._wide = is_wide(matrix.value) or bound >= INT64_SAFE
        if not self._wide and bound + largest(b) < INT64_SAFE:
            self._rest, self._digits_of_b = b.astype(np.int64), np.empty((0, len(b)), dtype=np.int64)
        else:
            self._rest, self._digits_of_b = np.zeros(len(b), dtype=np.int64), _digits(b, lu.prime)
        if self._wide:
            bits = lifting_kernel.LIMB_BITS
            self._rest = lifting_kernel.to_limbs(self._rest, bound.bit_length() // bits + 2)
            self._value = lifting_kernel.to_limbs(matrix.value, largest(matrix.value).bit_length() // bits + 1)
        self.num_digits = 0

    def next_digits(self, count: int, check: Callable[[], None]) -> NDArray[np.int64]:
        """The next digits, int64[count, n]."""
        digits = np.empty((count, len(self._rest)), dtype=np.int64)
        matrix, prime = self._matrix, self._lu.prime
        advance = self._kernel.subtract_and_divide_wide if self._wide else self._kernel.subtract_and_divide
        low = self._rest[:, 0] if self._wide else self._rest
        residue = np.empty(len(self._rest), dtype=np.int64)
        for k, digit in enumerate(digits, start=self.num_digits):
            if k < len(self._digits_of_b):
                low += self._digits_of_b[k]  # a limb has room for it until it is normalised
            if self._wide:
                self._kernel.from_limbs_mod(self._rest, prime, residue)
            else:
                np.remainder(self._rest, prime, out=residue)
            self._solve(residue, digit, prime, self._lu.factors)
            advance(self._rest, digit, matrix.row_start, matrix.column, self._value, prime)
            check()
        self.num_digits += count
        return digits


def _digits(values: NDArray[Any], prime: int) -> NDArray[np.int64]:
    """The digits of integers in base p, int64[digits, n], least significant first; each has its number's sign."""
    support = np.flatnonzero(values)
    negative = np.asarray(values[support] < 0, dtype=np.bool_)
    parts, bases = [np.abs(values[support].astype(object))], [prime]
    while bases[-1] ** 2 <= largest(parts[0]):
        bases.append(bases[-1] ** 2)
    for base in reversed(bases):  # halves, which are divided in halves
        if base == prime:
            parts = [part.astype(np.int64) for part in parts]  # two digits fit
        parts = [half for part in parts for half in _divided(part, base)]
    digits = np.zeros((len(parts), len(values)), dtype=np.int64)
    digits[:, support] = np.where(negative, -np.stack(parts), np.stack(parts))
    return digits


def _divided(values: NDArray[Any], base: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Remainders and quotients; long integers are FLINT's meanwhile, which is faster."""
    if base.bit_length() < 2 * LONG_BITS:
        return values % base, values // base
    from flint import fmpz

    halves, by = np.empty((2, len(values)), dtype=object), fmpz(base)
    for k, value in enumerate(values.tolist()):
        quotient, rest = divmod(fmpz(value), by)
        halves[:, k] = int(rest), int(quotient)
    return halves[0], halves[1]


def _proposed(
    digits: NDArray[np.int64],
    combined: NDArray[np.int64],
    prime: int,
    known: int,
    needed: Callable[[int, int], int],
) -> tuple[NDArray[Any], int] | None:
    """Integers N and D > 0 with N / D = x, proven; None if too few digits are known.

    ``combined`` has the digits of random combinations of all entries. Where digits are too few they have no denominator
    that is short enough, which is noticed before any long integer is made. That of one misses a small prime with some
    probability, that of several hardly. With the denominator, fewer digits make the numerators.
    """
    modulus = prime ** len(digits)
    first, *others = _evaluated(combined.T, prime).tolist()
    denominator = _denominator(first * known % modulus, modulus, 1 << _FEW_BITS)
    if denominator is None:
        denominator, known = _denominator(first % modulus, modulus, modulus), 1
    if denominator is None:
        return None
    denominator *= known
    for value in others:
        denominator *= _denominator(value * denominator % modulus, modulus, 1 << _FEW_BITS) or 1
    size = _nearest(first * denominator, modulus)  # of the numerators, about
    support = np.flatnonzero(digits.any(axis=0))  # solutions of games are sparse
    kept, same = _distinct(digits[:, support])
    while True:
        count = min(needed(size, denominator), len(digits))
        part = prime**count
        scaled = _residues(_combined(kept[:count], prime), denominator, part)
        far = np.flatnonzero(np.abs(scaled) > part >> _MARGIN_BITS)
        if not len(far):
            break
        for k in far.tolist():  # until one has no more to say than those before
            (value,) = _combined(kept[:, k : k + 1], prime).tolist()
            extra = _denominator(value * denominator % modulus, modulus, modulus)
            if extra is None or (extra == 1 and count == len(digits) and k == far[0]):
                return None
            denominator *= extra
            size = max(size * extra, _nearest(value * denominator, modulus))
            if extra == 1:
                break
    if needed(largest(scaled), denominator) > count:
        return None
    numerator = np.zeros(digits.shape[1], dtype=object)
    whole, denominator = lowest_terms(scaled.tolist(), denominator) if known > 1 else (scaled.tolist(), denominator)
    numerator[support] = np.array([*whole, 0], dtype=object)[same]
    return numerator, denominator


def _distinct(digits: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Columns that are different, and for each column which of them it is: many solutions repeat a few numbers."""
    weight = np.random.default_rng(len(digits)).integers(1, 2**62, len(digits))
    _, first, same = np.unique(weight @ digits, return_index=True, return_inverse=True)  # sums wrap around
    kept = digits[:, first]
    if len(first) == digits.shape[1] or not np.array_equal(kept[:, same], digits):
        return digits, np.arange(digits.shape[1])
    return kept, same


def _residues(values: NDArray[Any], factor: int, modulus: int) -> NDArray[Any]:
    """``values * factor`` modulo ``modulus``, nearest to 0; long integers are FLINT's meanwhile, which is faster."""
    half = modulus // 2
    if modulus.bit_length() < LONG_BITS:
        products = values * factor % modulus
        return np.where(products > half, products - modulus, products)
    from flint import fmpz

    by, over = fmpz(factor), fmpz(modulus)
    result = np.empty(len(values), dtype=object)
    long = (fmpz(value) * by % over for value in values.tolist())
    result[:] = [int(product - over if product > half else product) for product in long]
    return result


def _nearest(value: int, modulus: int) -> int:
    """The least absolute value of what is the same modulo ``modulus``."""
    return min(value % modulus, -value % modulus)


def _denominator(value: int, modulus: int, most: int) -> int | None:
    """The q of the fraction r / q = value (mod modulus) whose r and q are shortest; None unless that is no chance.

    Where Euclid's algorithm meets a quotient a, r and q have together as many bits less than the modulus as a has. No
    q far beyond ``most`` is looked for.
    """
    from tremble.exact.lifting_kernel import LEADING_BITS, certain_quotients

    r0, r1 = modulus, value
    q0, q1 = 0, 1
    while abs(q1) <= most:
        if not r1 or r0 // r1 >> _MARGIN_BITS:
            return abs(q1) if abs(q1) << _MARGIN_BITS < modulus else None
        shift = max(r0.bit_length() - LEADING_BITS, 0)
        a, b, c, d = certain_quotients(r0 >> shift, r1 >> shift, 1 << _MARGIN_BITS)
        if not b:  # not even one
            a, b, c, d = 0, 1, 1, -(r0 // r1)
        r0, r1 = a * r0 + b * r1, c * r0 + d * r1
        q0, q1 = a * q0 + b * q1, c * q0 + d * q1
    return None
