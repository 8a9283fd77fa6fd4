r"""Solve square integer systems exactly by p-adic lifting.

Dixon's iteration solves :math:`M x = b` digit by digit in base p. It uses :math:`M^{-1}` modulo p:

.. math::  x_k = M^{-1} r_k \bmod p, \qquad r_{k+1} = (r_k - M x_k)/p, \qquad r_0 = b .

After K digits, :math:`x = \sum_{k < K} x_k p^k` solves the system modulo :math:`P = p^K`.

Rational reconstruction then proposes a common denominator D and integers :math:`N \equiv D x \pmod P`. It stops when
Euclid's algorithm reaches a long quotient, so N and D may have any lengths. A bound on the numbers *proves* a proposal:
:math:`M N - D b` is 0 modulo P, so it is 0 if :math:`\|M\|_\infty \max|N| + D \max|b| < P`.

The denominator of every solution divides the largest invariant factor of M. For nearly all right-hand sides, the
denominator equals this factor. So the common denominator of earlier solutions is tried first. If this D is correct, P
must be about as long as N. Otherwise, P must be as long as N and D together.

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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import IntegerMatrix, SingularMatrixError
from tremble.integers import INT64_SAFE, LONG_BITS, is_wide, largest, lowest_terms

if TYPE_CHECKING:
    from tremble.exact.sparse_lu import SparseLU

__all__ = ["LiftedFactors"]


_DIGITS_PER_CALL = 8
_MANY_PARTS = 16  # if a number has more parts, FLINT joins them
_MARGIN_BITS = 30  # a quotient with this many bits is almost never a coincidence
_COMBINATIONS = 4  # number of random combinations of entries that are used to find the common denominator
_FEW_BITS = 20  # maximum bits of the factor by which a new denominator exceeds the earlier denominators
_SPARSE_PRIME = 2147483629  # 2^31 - 19: products of residues fit int64


def _primes(first: int) -> Iterator[int]:
    """Yield a fixed prime, then two random primes with the same number of bits.

    A nonsingular matrix is singular modulo only a few primes. But an attacker may choose a matrix that is singular
    modulo the fixed prime. If all three primes fail, a good basis is rejected. Later calls draw new random primes.
    """
    from flint import fmpz

    yield first
    bits = first.bit_length()
    for _ in range(2):
        candidate = secrets.randbits(bits - 2) * 2 + 1 + (1 << (bits - 1))
        while candidate >= first or not fmpz(candidate).is_prime():
            candidate = secrets.randbits(bits - 2) * 2 + 1 + (1 << (bits - 1))
        yield candidate


class LiftedFactors:
    """A solver of systems with a sparse matrix M by p-adic lifting. ``lu`` contains factors of M modulo a prime."""

    def __init__(
        self, matrix: IntegerMatrix, check: Callable[[], None], *, sure: bool = True, denominator: int = 1
    ) -> None:
        from tremble.exact.sparse_lu import SparseLU

        self._check = check
        self._matrix = matrix
        self._transposed = matrix.transposed
        self._denominator = denominator  # common denominator of all solutions so far
        for prime in _primes(_SPARSE_PRIME):
            self.lu = SparseLU(matrix, prime, check)
            if self.lu.nonsingular:
                return
            if not sure:
                break
        raise SingularMatrixError(self.lu.spare_rows, self.lu.spare_columns)

    def solve(self, b: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M x = b: return integers N and D > 0 with x = N / D."""
        return self._solve(self._matrix, b, transposed=False)

    def solve_transposed(self, c: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Solve M' y = c: return integers N and D > 0 with y = N / D."""
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
    """Solve M x = b by computing digits of x until integers N and D with x = N / D are proven; return N and D.

    ``matrix`` is M. If ``transposed`` is true, M is the transpose of the matrix that ``lu`` factorizes. ``known`` is a
    likely value of D.
    """
    # Bound the row sums of absolute values.
    prime = lu.prime
    if not is_wide(matrix.value):
        magnitude = np.abs(matrix.value).astype(np.float64)
        row_norm = np.bincount(matrix.row_of_entry, weights=magnitude, minlength=matrix.shape[0])
        norm = int(row_norm.max(initial=0) * (1 + 1e-9)) + 1  # an upper bound in spite of rounding
    else:
        norm = largest(matrix.value) * int(np.diff(matrix.row_start).max(initial=0))
    largest_b = largest(b)
    if largest_b == 0:
        return np.zeros(len(b), dtype=object), 1
    # Draw random combinations of the entries. Their digits show the denominator early.
    residual, n = _Residual(matrix, lu, b, transposed, norm), len(b)
    weight = np.random.default_rng(n).integers(1, 1 << (31 - n.bit_length() if n < 1 << 24 else 7), (n, _COMBINATIONS))
    digits, combined = np.empty((0, n), dtype=np.int64), np.empty((0, _COMBINATIONS), dtype=np.int64)

    def needed(size: int, denominator: int) -> int:
        """Return a number of digits of x that suffices to prove x = N / ``denominator`` if |N| <= ``size``."""
        proof = norm * size + denominator * largest_b
        return max(_num_digits(proof, prime), _num_digits(size << _MARGIN_BITS, prime))  # the margin exposes wrong N

    # Compute digits until a proposal is proven. A known denominator gives a number of digits that probably suffices.
    target, likely = _DIGITS_PER_CALL, needed(known * largest_b << _MARGIN_BITS, known) if known > 1 else 0
    while True:
        more = residual.next_digits(target - len(digits), check)
        digits, combined = np.concatenate((digits, more)), np.concatenate((combined, more @ weight))
        solution = _proposed(digits, combined, prime, known, needed)
        if solution is not None:
            return solution
        later = target + max(_DIGITS_PER_CALL, target // 8)
        target = likely if target < likely < later else later


def _num_digits(value: int, prime: int) -> int:
    """Return a number K of digits in base ``prime`` that suffices for ``value``: ``prime**K`` exceeds the value."""
    return value.bit_length() // (prime.bit_length() - 1) + 1


def _combined(digits: NDArray[np.int64], prime: int) -> NDArray[Any]:
    """Return the integers with these digits in base ``prime``; row 0 contains the least significant digits."""
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
    """Return the integers with these digits, computed by FLINT; column 0 contains the least significant digits."""
    from flint import fmpz, fmpz_poly

    at = fmpz(base)
    result = np.empty(len(digits), dtype=object)
    result[:] = [int(fmpz_poly(row)(at)) for row in digits.tolist()]
    return result


class _Residual:
    r"""A linear system M x = b whose solution is computed digit by digit.

    If the right-hand side is long, its digits :math:`b_k` are added one by one:

    .. math::  c_{k+1} = (c_k + b_k - M x_k)/p, \qquad b = \sum_k b_k p^k, \quad |b_k| < p .

    So the remainder :math:`c_k` stays below twice the norm of the matrix. It fits into int64, or into a few limbs if
    the norm is too large for int64.

    Parameters
    ----------
    norm : int
        Upper bound on the sum of absolute values in each row of the matrix.
    """

    def __init__(self, matrix: IntegerMatrix, lu: SparseLU, b: NDArray[Any], transposed: bool, norm: int) -> None:
        from tremble.exact import lifting_kernel, sparse_lu

        self._solve = sparse_lu.solve_transposed_mod if transposed else sparse_lu.solve_mod
        self._kernel = lifting_kernel
        self._matrix, self._lu, self._value = matrix, lu, matrix.value
        bound = (norm + 1) * (lu.prime + 2)  # bound on the absolute value of c_k + b_k - M x_k
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
        """Compute the next ``count`` digits of each entry of the solution, and return them as int64[count, n]."""
        digits = np.empty((count, len(self._rest)), dtype=np.int64)
        matrix, prime = self._matrix, self._lu.prime
        advance = self._kernel.subtract_and_divide_wide if self._wide else self._kernel.subtract_and_divide
        low = self._rest[:, 0] if self._wide else self._rest
        residue = np.empty(len(self._rest), dtype=np.int64)
        for k, digit in enumerate(digits, start=self.num_digits):
            if k < len(self._digits_of_b):
                low += self._digits_of_b[k]  # a limb has room for this digit before it is normalized
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
    """Return int64[digits, n]: the digits of integers in base ``prime``. Each digit has the sign of its integer.

    Row 0 contains the least significant digits.
    """
    support = np.flatnonzero(values)
    negative = np.asarray(values[support] < 0, dtype=np.bool_)
    parts, bases = [np.abs(values[support].astype(object))], [prime]
    while bases[-1] ** 2 <= largest(parts[0]):
        bases.append(bases[-1] ** 2)
    for base in reversed(bases):  # split each part into two halves
        if base == prime:
            parts = [part.astype(np.int64) for part in parts]  # two digits fit int64
        parts = [half for part in parts for half in _remainder_and_quotient(part, base)]
    digits = np.zeros((len(parts), len(values)), dtype=np.int64)
    digits[:, support] = np.where(negative, -np.stack(parts), np.stack(parts))
    return digits


def _remainder_and_quotient(values: NDArray[Any], base: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return ``values % base`` and ``values // base``; use FLINT for long integers, because FLINT is faster."""
    if base.bit_length() < 2 * LONG_BITS:
        return values % base, values // base
    from flint import fmpz

    halves, divisor = np.empty((2, len(values)), dtype=object), fmpz(base)
    for k, value in enumerate(values.tolist()):
        quotient, rest = divmod(fmpz(value), divisor)
        halves[:, k] = int(rest), int(quotient)
    return halves[0], halves[1]


def _proposed(
    digits: NDArray[np.int64],
    combined: NDArray[np.int64],
    prime: int,
    known: int,
    needed: Callable[[int, int], int],
) -> tuple[NDArray[Any], int] | None:
    """Return proven integers N and D > 0 such that N / D is the solution x, or None if there are too few digits.

    ``combined`` contains the digits of random combinations of all entries of x. If there are too few digits, the first
    combination has no short denominator. The function then returns before it computes long integers for all entries.
    The denominator of one combination may lack a small prime factor of D. The denominators of all combinations together
    almost never lack a factor. Once D is known, fewer digits suffice for the numerators.
    """
    # Find a denominator of the combinations: first try the known denominator times a small factor, then any.
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
    # Compute the numerators. If some are not small, extend the denominator and try again.
    size = _absolute_residue(first * denominator, modulus)  # about the size of the numerators
    support = np.flatnonzero(digits.any(axis=0))  # solutions of games are sparse
    kept, same = _distinct(digits[:, support])
    while True:
        count = min(needed(size, denominator), len(digits))
        part = prime**count
        scaled = _residues(_combined(kept[:count], prime), denominator, part)
        too_large = np.flatnonzero(np.abs(scaled) > part >> _MARGIN_BITS)
        if not len(too_large):
            break
        for k in too_large.tolist():
            (value,) = _combined(kept[:, k : k + 1], prime).tolist()
            extra = _denominator(value * denominator % modulus, modulus, modulus)
            if extra is None or (extra == 1 and count == len(digits) and k == too_large[0]):
                return None
            denominator *= extra
            size = max(size * extra, _absolute_residue(value * denominator, modulus))
            if extra == 1:  # the factors found so far probably suffice for all entries
                break
    # Prove the proposal by the bound on its numbers.
    if needed(largest(scaled), denominator) > count:
        return None
    numerator = np.zeros(digits.shape[1], dtype=object)
    whole, denominator = lowest_terms(scaled.tolist(), denominator) if known > 1 else (scaled.tolist(), denominator)
    numerator[support] = np.array([*whole, 0], dtype=object)[same]
    return numerator, denominator


def _distinct(digits: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct columns of ``digits``, and for each column its index among the distinct columns.

    This saves work because many solutions repeat a few numbers.
    """
    weight = np.random.default_rng(len(digits)).integers(1, 2**62, len(digits))
    _, first, same = np.unique(weight @ digits, return_index=True, return_inverse=True)  # int64 sums wrap around
    kept = digits[:, first]
    if len(first) == digits.shape[1] or not np.array_equal(kept[:, same], digits):
        return digits, np.arange(digits.shape[1])
    return kept, same


def _residues(values: NDArray[Any], factor: int, modulus: int) -> NDArray[Any]:
    """Return ``values * factor`` modulo ``modulus``, as residues between ``-modulus / 2`` and ``modulus / 2``."""
    half = modulus // 2
    if modulus.bit_length() < LONG_BITS:
        products = values * factor % modulus
        return np.where(products > half, products - modulus, products)
    from flint import fmpz

    long_factor, long_modulus = fmpz(factor), fmpz(modulus)
    result = np.empty(len(values), dtype=object)
    residues = (fmpz(value) * long_factor % long_modulus for value in values.tolist())
    result[:] = [int(residue - long_modulus if residue > half else residue) for residue in residues]
    return result


def _absolute_residue(value: int, modulus: int) -> int:
    """Return the least absolute value of all integers congruent to ``value`` modulo ``modulus``."""
    return min(value % modulus, -value % modulus)


def _denominator(value: int, modulus: int, most: int) -> int | None:
    """Return the denominator q of the shortest fraction r / q that equals ``value`` modulo ``modulus``, or None.

    Let a be the next quotient in Euclid's algorithm. The bits of r, q and a add up to the bits of the modulus. So if a
    is long, the fraction is too short to be a coincidence. Return None if q exceeds ``most`` before a is long.
    """
    from tremble.exact.lifting_kernel import LEADING_BITS, certain_quotients

    r0, r1 = modulus, value
    q0, q1 = 0, 1
    while abs(q1) <= most:
        if not r1 or r0 // r1 >> _MARGIN_BITS:
            return abs(q1) if abs(q1) << _MARGIN_BITS < modulus else None
        shift = max(r0.bit_length() - LEADING_BITS, 0)
        a, b, c, d = certain_quotients(r0 >> shift, r1 >> shift, 1 << _MARGIN_BITS)
        if not b:  # the leading bits do not determine any quotient
            a, b, c, d = 0, 1, 1, -(r0 // r1)
        r0, r1 = a * r0 + b * r1, c * r0 + d * r1
        q0, q1 = a * q0 + b * q1, c * q0 + d * q1
    return None
