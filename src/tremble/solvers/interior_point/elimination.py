r"""The Newton systems of an interior-point method, eliminated along the public tree.

For plans x and y of both players, positive numbers D and E on the sequences (0 on the empty ones) and right-hand sides
r and s, find changes of plans dx and dy that are 0 at the root, add up at each information set, and for which

.. math::  D\,dx - A\,dy = r, \qquad A^T dx + E\,dy = s

holds on all such changes (elsewhere multipliers of the information sets make up the difference).

**One class, one line.** The changes of a player's weights in a stage, at one class and line of earlier rounds, are
spanned by that which follows a change of the empty sequence (the weight q with which the stage is reached) with the
least :math:`\sum D\,dx^2`, and by changes with q = 0. A tree of information sets with :math:`\sum D\,dx^2` is a network
of resistors D: the stiffness of a sequence is its own D and that of its information sets, which is
:math:`1/\sum 1/D_a` of their actions; what arrives is split in proportion to the conductances 1/D. So both are found
without a single subtraction, in full relative accuracy however far apart the D are; a basis of the second kind
(contrasts of the first k actions with the next) is orthonormal in D, and D-orthogonal to the first. In it a block is

.. math::

   \begin{pmatrix} I & -X & & -X_q \\ X^T & I & X'^T_q & \\ & -X'_q & h & -X_{qq} \\ X_q^T & & X_{qq}^T & h'
   \end{pmatrix}

over (w of player 1, w of player 2, q of player 1, q of player 2), X the payoffs between the basis vectors.

**Elimination.** No line of a later round has payoffs with another one, nor one tile with another: the changes w of a
tile and line of the last round see, beside each other, the q only. Eliminating them leaves in the round before a full
matrix for each tile and line in place of D and E there, again of the form (positive semidefinite, coupling, positive
semidefinite), to which the payoffs of that round are added. So it goes on up to the first round, where q does not
change: nothing is left.

**Why no block is singular.** The matrix with rows of player 2 negated is quasi-definite:
:math:`v^T K v = v_1^T D v_1 + v_2^T E v_2 > 0` for K as it stands above, whatever the payoffs are. So :math:`S = I +
X^T X` is positive definite, with it all that is divided by; and Schur complements of such a matrix are such matrices.

**Numerically** S is the square of X, which grows like the inverse of the barrier parameter. Where it has lost its
smallest eigenvalues to rounding, the diagonal is raised a little, relative to itself (`ridge`): a proximal term, which
slows changes in directions that hardly matter. What is left over then, :meth:`Elimination.residual` evaluated from the
payoffs, is for the caller to solve for again with the same factors. The complement for q of
player 2, :math:`h' + X_q^T (I + X X^T)^{-1} X_q`, is taken as the least value of :math:`|X_q - X e|^2 + |e|^2`: a sum
of squares, and errors of e only count in second order.

References
----------
R. J. Vanderbei: Symmetric quasi-definite matrices, SIAM Journal on Optimization 5, 1995.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from tremble.clock import Clock, compiled
from tremble.solvers.interior_point.tiles import Gradient, Tile, TiledGame, Vector, payoffs_of

__all__ = ["Elimination", "SingularBlockError"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MOST_RIDGE = 1e-6

_compiled = partial(compiled, nogil=True, fastmath={"contract", "reassoc"})


class SingularBlockError(ArithmeticError):
    """A block of the Newton system has no Cholesky factor in floats."""


class _Inner(NamedTuple):
    """A block of a round before the last."""

    factor: FloatArray  # of S, lower triangle
    coupling: FloatArray  # X with the rows and columns of q
    basis: tuple[FloatArray, FloatArray]  # player -> w first, then q: [m + n, n S]


class Elimination:
    """Factors of the Newton system for positive vectors D and E.

    Raises
    ------
    SingularBlockError
    """

    def __init__(
        self,
        game: TiledGame,
        diagonal: tuple[Vector, Vector],
        ridge: float,
        clock: Clock,
        executor: Executor | None = None,
    ) -> None:
        self._game = game
        self._executor = executor
        self._ridge = ridge
        self._diagonal = diagonal
        self._basis: list[list[FloatArray]] = [[], []]
        self._stiffness: list[list[FloatArray]] = [[], []]
        for player in (0, 1):
            for r, view in zip(game.rounds, game.views(player, diagonal[player]), strict=True):
                (lines, classes, s), f, side = r.shape(player), r.directions(player), r.sides[player]
                basis, stiffness = np.zeros((lines * classes, f + 1, s - 1)), np.empty(lines * classes)
                _directions(view.reshape(lines * classes, s - 1), side.parent, side.start, basis, stiffness)
                self._basis[player].append(basis.reshape(lines, classes, f + 1, s - 1))
                self._stiffness[player].append(stiffness.reshape(lines, classes))
        self._leaf: list[FloatArray] = [np.zeros((0, 0))] * len(game.rounds[-1].tiles)  # [H, m (m + 1) / 2], by rows
        self._inner: list[list[list[_Inner]]] = [[[] for _ in r.tiles] for r in game.rounds[:-1]]  # round, tile, line
        later: list[list[FloatArray]] = []
        for number in reversed(range(len(game.rounds))):
            later = self._eliminate(number, later, clock)

    def _eliminate(self, number: int, later: list[list[FloatArray]], clock: Clock) -> list[list[FloatArray]]:
        """Eliminate a round; what it adds to each tile of the round before (player 1's, both, player 2's q)."""
        r = self._game.rounds[number]
        sums: list[list[FloatArray]] = []
        if number:
            for t in self._game.rounds[number - 1].tiles:
                n1, n2 = t.size
                sums.append([np.zeros((r.lines, a, b)) for a, b in ((n1, n1), (n1, n2), (n2, n2))])

        def eliminate(tiles: list[int]) -> None:
            for index in tiles:
                clock.check()
                self._eliminate_tile(number, index, later[index] if later else [], sums)

        self._share(number, eliminate)
        return sums

    def _share(self, number: int, work: Callable[[list[int]], None]) -> None:
        """Work on the tiles of a round; those below one tile stay together, as they add to the same sums."""
        groups = self._game.rounds[number].groups
        if self._executor is None:
            for group in groups:
                work(group)
        else:
            list(self._executor.map(work, groups))

    def _eliminate_tile(self, number: int, index: int, later: list[FloatArray], sums: list[list[FloatArray]]) -> None:
        r = self._game.rounds[number]
        t = r.tiles[index]
        last = number + 1 == len(self._game.rounds)
        m1, m2 = (r.directions(p) * t.size[p] for p in (0, 1))
        bases = [self._bases(p, number, t) for p in (0, 1)]
        if last:
            self._leaf[index] = np.empty((r.lines, m2 * (m2 + 1) // 2))
            tiled = np.tile(t.weight, (1, r.directions(0) + 1, r.directions(1) + 1))
            work = np.empty((2, *tiled.shape[1:]))
            used: NDArray[np.bool_] = np.asarray(r.coefficient[0].any(axis=(2, 3)))
        for h in range(r.lines):
            if last:
                coupling = _coupling(bases[0][h], bases[1][h], r.coefficient[0][h, used[h]], tiled[used[h]], work)
                stiff = tuple(np.diag(self._stiffness[p][number][h, t.own[p]]) for p in (0, 1))
            else:
                basis, stiff, coupling = self._merge(number, t, h, bases, later)
            factor, ridge = self._factor(coupling[:m1, :m2])
            if last:
                _pack(factor, self._leaf[index][h])
            else:
                self._inner[number][index].append(_Inner(factor, coupling, basis))
            if number:
                self._complement(t, h, sums[t.above], coupling, (m1, m2), stiff, factor, ridge)

    def _bases(self, player: int, number: int, t: Tile) -> FloatArray:
        """[H, (F + 1) n, S] of a tile, directions slowest, the empty sequence first."""
        part = self._basis[player][number][:, t.own[player]]
        lines, n, f, s = part.shape
        found = np.zeros((lines, f, n, s + 1))
        found[:, :, :, 1:] = part.transpose(0, 2, 1, 3)
        found[:, -1, :, 0] = 1
        return found.reshape(lines, f * n, s + 1)

    def _factor(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Cholesky factor of I + X'X, its diagonal raised as far as needed, and what was put in the place of I."""
        size = x.shape[1]
        if size == 0:
            return np.zeros((0, 0)), np.ones(0)
        square = x.T @ x
        diagonal = square.diagonal().copy()
        ridge = self._ridge
        while ridge <= _MOST_RIDGE:
            added = 1 + ridge * diagonal
            np.fill_diagonal(square, diagonal + added)
            with suppress(np.linalg.LinAlgError):
                return np.asarray(np.linalg.cholesky(square), dtype=np.float64), added
            ridge *= 10
        raise SingularBlockError

    def _complement(
        self,
        t: Tile,
        h: int,
        sums: list[FloatArray],
        coupling: FloatArray,
        split: tuple[int, int],
        stiff: tuple[FloatArray, ...],
        factor: FloatArray,
        ridge: FloatArray,
    ) -> None:
        """Add the Schur complement of w, in terms of the classes of the round before."""
        m1, m2 = split
        x, to_two, to_one, both = coupling[:m1, :m2], coupling[:m1, m2:], coupling[m1:, :m2], coupling[m1:, m2:]
        n2 = t.size[1]
        half = np.empty((m2, n2 + t.size[0]), order="F")
        np.matmul(x.T, to_two, out=half[:, :n2])
        half[:, n2:] = to_one.T
        if m2:
            half = blas.dtrsm(1.0, factor.T, half, trans_a=1, overwrite_b=1)
            nearest = blas.dtrsm(1.0, factor.T, half[:, :n2])
        else:
            nearest = half[:, :n2]
        rest = to_two - x @ nearest
        one, two = t.into
        sums[0][h] += one.T @ (stiff[0] + half[:, n2:].T @ half[:, n2:]) @ one
        sums[1][h] += one.T @ (both - half[:, n2:].T @ half[:, :n2]) @ two
        sums[2][h] += two.T @ (stiff[1] + rest.T @ rest + (nearest.T * ridge) @ nearest) @ two

    def _merge(
        self, number: int, t: Tile, h: int, bases: list[FloatArray], later: list[FloatArray]
    ) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, ...], FloatArray]:
        """A block of a round before the last: bases, stiffness of q and couplings."""
        r = self._game.rounds[number]
        (n1, n2), (s1, s2) = t.size, (r.shape(p)[2] for p in (0, 1))
        metric = [np.zeros((n1, s1, n1, s1)), np.zeros((n2, s2, n2, s2))]
        payoffs = np.zeros((n1, s1, n2, s2))
        leaves = list(zip(*(side.leaving.tolist() for side in r.sides), strict=True))
        for leaf, (a, b) in enumerate(leaves):
            line = h * len(leaves) + leaf
            metric[0][:, a, :, a] += later[0][line]
            payoffs[:, a, :, b] += later[1][line]
            metric[1][:, b, :, b] += later[2][line]
        payoffs += np.einsum("kcd,kab->cadb", t.weight, r.coefficient[0][h])
        basis, stiff = [], []
        for p in (0, 1):
            n, s, f = t.size[p], r.shape(p)[2], r.directions(p)
            m = f * n
            spread = np.zeros((f + 1, n, n, s))
            spread[:, np.arange(n), np.arange(n)] = bases[p][h].reshape(f + 1, n, s)
            all_ = spread.reshape(-1, n * s)
            added = metric[p].reshape(n * s, n * s)
            square = all_[:m] @ added @ all_[:m].T
            square[np.diag_indices(m)] += 1 + self._ridge * square.diagonal()
            try:
                free = np.linalg.solve(np.linalg.cholesky(square), all_[:m])
            except np.linalg.LinAlgError:
                raise SingularBlockError from None
            reach = all_[m:] - (all_[m:] @ added @ free.T) @ free
            diagonal = np.zeros((n, s))
            diagonal[:, 1:] = self._game.views(p, self._diagonal[p])[number][h, t.own[p]]
            full = added + np.diag(diagonal.ravel())
            stiff.append(reach @ full @ reach.T)
            basis.append(np.concatenate([free, reach]))
        coupling = basis[0] @ payoffs.reshape(n1 * s1, n2 * s2) @ basis[1].T
        return (basis[0], basis[1]), tuple(stiff), coupling

    def solve(self, right: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        """Changes of both plans."""
        game, last = self._game, len(self._game.rounds) - 1
        views = [game.views(p, right[p]) for p in (0, 1)]
        functional: list[list[FloatArray]] = [[], []]
        for p in (0, 1):
            for r, view in zip(game.rounds, views[p], strict=True):
                full = np.zeros(r.shape(p))
                full[:, :, 1:] = view
                functional[p].append(full)
        change = [np.zeros_like(right[p]) for p in (0, 1)]
        out = [game.views(p, change[p]) for p in (0, 1)]
        for number in range(last, 0, -1):
            pass_ = self._leaf_pass if number == last else self._inner_pass
            for p, up in enumerate(pass_(number, functional, out, reached=False)):
                game.hand_up(p, number, up, functional[p][number - 1])
        for number in range(last + 1):
            pass_ = self._leaf_pass if number == last else self._inner_pass
            pass_(number, functional, out, reached=True)
        return change[0], change[1]

    def _reach(self, number: int, out: list[list[FloatArray]], reached: bool) -> list[FloatArray]:
        r = self._game.rounds[number]
        if reached:
            return [self._game.empty(p, number, out[p], 0.0) for p in (0, 1)]
        return [np.zeros(r.shape(p)[:2]) for p in (0, 1)]

    def _leaf_pass(
        self, number: int, functional: list[list[FloatArray]], out: list[list[FloatArray]], reached: bool
    ) -> list[FloatArray]:
        """Changes in the last round given those of q (none at first), and what that leaves for the equations of q."""
        r = self._game.rounds[number]
        reach = self._reach(number, out, reached)
        up = [np.zeros_like(q) for q in reach]

        def pass_(tiles: list[int]) -> None:
            for index in tiles:
                t = r.tiles[index]
                one, two = (
                    (
                        t.beside[p], r.coefficient[1 - p], self._basis[p][number], t.own[p].start,
                        functional[p][number], reach[p], out[p][number], up[p],
                    )
                    for p in (0, 1)
                )  # fmt: skip
                _leaf_tile(one, two, self._leaf[index], reached)

        self._share(number, pass_)
        return up

    def _inner_pass(
        self, number: int, functional: list[list[FloatArray]], out: list[list[FloatArray]], reached: bool
    ) -> list[FloatArray]:
        r = self._game.rounds[number]
        reach = self._reach(number, out, reached)
        up = [np.zeros_like(q) for q in reach]
        for index, t in enumerate(r.tiles):
            one, two = t.own
            m1, m2 = (r.directions(p) * t.size[p] for p in (0, 1))
            for h in range(r.lines):
                block = self._inner[number][index][h]
                x = block.coupling
                g1 = block.basis[0] @ functional[0][number][h, one].ravel()
                g2 = block.basis[1] @ functional[1][number][h, two].ravel()
                q1, q2 = reach[0][h, one], reach[1][h, two]
                w1 = g1[:m1] + x[:m1, m2:] @ q2
                w2 = g2[:m2] - x[m1:, :m2].T @ q1 - x[:m1, :m2].T @ w1
                if m2:
                    w2 = lapack.dpotrs(block.factor.T, w2)[0].ravel()
                w1 += x[:m1, :m2] @ w2
                if reached:
                    for p, own, w in ((0, one, np.concatenate([w1, q1])), (1, two, np.concatenate([w2, q2]))):
                        out[p][number][h, own] = (w @ block.basis[p]).reshape(t.size[p], -1)[:, 1:]
                else:
                    up[0][h, one] = g1[m1:] + x[m1:, :m2] @ w2
                    up[1][h, two] = g2[m2:] - x[:m1, m2:].T @ w1
        return up

    def residual(self, right: tuple[Vector, Vector], change: tuple[Vector, Vector]) -> tuple[Gradient, Gradient]:
        """What changes of plans leave of the right-hand sides, multipliers of information sets not yet taken off."""
        found = []
        for p, sign in ((0, 1.0), (1, -1.0)):
            gradient = self._game.gradient(p, change[1 - p], 0.0)
            rest = self._game.views(p, right[p] - self._diagonal[p] * change[p])
            for value, direct in zip(gradient, rest, strict=True):
                value *= sign
                value[:, :, 1:] += direct
            found.append(gradient)
        return found[0], found[1]


def _coupling(
    one: FloatArray, two: FloatArray, coefficient: FloatArray, weight: FloatArray, work: FloatArray
) -> FloatArray:
    """Payoffs between basis vectors, in memory of ``work`` that is used again for the next block."""
    found: FloatArray = work[0]
    product = work[1]
    found[:] = 0
    for k, w in enumerate(weight):
        np.matmul(one @ coefficient[k], two.T, out=product)
        product *= w
        found += product
    return found


@_compiled
def _directions(
    diagonal: FloatArray, parent: IntArray, start: IntArray, basis: FloatArray, stiffness: FloatArray
) -> None:
    """The basis of each class and line, w first, and the stiffness of its q."""
    sets, count = len(parent), start[-1]
    whole, share = np.empty(count), np.empty(count)
    last = basis.shape[1] - 1
    for n in range(len(diagonal)):
        whole[0] = 0.0
        whole[1:] = diagonal[n]
        for i in range(sets - 1, -1, -1):
            total = 0.0
            for a in range(start[i], start[i + 1]):
                total += 1 / whole[a]
            for a in range(start[i], start[i + 1]):
                share[a] = 1 / whole[a] / total
            whole[parent[i]] += 1 / total
        stiffness[n] = whole[0]
        f = 0
        for i in range(sets):
            merged = 0.0  # conductance of the first actions
            for b in range(start[i] + 1, start[i + 1]):
                merged += 1 / whole[b - 1]
                size = 1 / np.sqrt(1 / merged + whole[b])
                for a in range(start[i], b):
                    basis[n, f, a - 1] = size / whole[a] / merged
                basis[n, f, b - 1] = -size
                for k in range(i + 1, sets):
                    if parent[k] >= start[i]:
                        for a in range(start[k], start[k + 1]):
                            basis[n, f, a - 1] = basis[n, f, parent[k] - 1] * share[a]
                f += 1
        for i in range(sets):
            for a in range(start[i], start[i + 1]):
                basis[n, last, a - 1] = share[a] if parent[i] == 0 else basis[n, last, parent[i] - 1] * share[a]


@_compiled
def _pack(factor: FloatArray, out: FloatArray) -> None:
    """The lower triangle, row by row."""
    at = 0
    for i in range(len(factor)):
        out[at : at + i + 1] = factor[i, : i + 1]
        at += i + 1


@_compiled
def _solve_packed(factor: FloatArray, right: FloatArray) -> None:
    """Solve L L' x = b in place, L by rows."""
    size, at = len(right), 0
    for i in range(size):
        row = factor[at : at + i + 1]
        value = 0.0
        for j in range(i):
            value += row[j] * right[j]
        right[i] = (right[i] - value) / row[i]
        at += i + 1
    for i in range(size - 1, -1, -1):
        at -= i + 1
        row = factor[at : at + i + 1]
        right[i] /= row[i]
        value = right[i]
        for j in range(i):
            right[j] -= value * row[j]


@_compiled
def _gather(basis: FloatArray, functional: FloatArray, out: FloatArray) -> None:
    """Components [F n] of a functional on the sequences."""
    n, f = basis.shape[0], basis.shape[1] - 1
    for c in range(n):
        for i in range(f):
            value = 0.0
            for a in range(basis.shape[2]):
                value += basis[c, i, a] * functional[c, a + 1]
            out[i * n + c] = value


@_compiled
def _spread(basis: FloatArray, w: FloatArray, q: FloatArray, out: FloatArray) -> None:
    """The change of plan [n, S] with components w and q."""
    n, f = basis.shape[0], basis.shape[1] - 1
    for c in range(n):
        out[c, 0] = q[c]
        for a in range(basis.shape[2]):
            out[c, a + 1] = q[c] * basis[c, f, a]
        for i in range(f):
            for a in range(basis.shape[2]):
                out[c, a + 1] += w[i * n + c] * basis[c, i, a]


@_compiled
def _left(basis: FloatArray, functional: FloatArray, out: FloatArray) -> None:
    """What a functional says of q."""
    for c in range(len(basis)):
        value = functional[c, 0]
        for a in range(basis.shape[2]):
            value += basis[c, -1, a] * functional[c, a + 1]
        out[c] = value


@_compiled
def _leaf_tile(one: Any, two: Any, factor: FloatArray, reached: bool) -> None:
    """Changes in a tile of the last round where the weights q are ``reached``; else what is left for q, with q = 0.

    Of each player: payoffs beside, coefficients, basis, first class, functional, q, and where both results go.
    """
    weight1, coefficient1, basis1, first1, functional1, reach1, out1, up1 = one
    weight2, coefficient2, basis2, first2, functional2, reach2, out2, up2 = two
    n1, n2 = len(weight1), len(weight2)
    s1, s2 = coefficient1.shape[3], coefficient1.shape[2]
    kinds = coefficient1.shape[1]
    w1, w2, more = (np.empty(n1 * (basis1.shape[2] - 1)), np.empty(n2 * (basis2.shape[2] - 1)),
                    np.empty(n1 * (basis1.shape[2] - 1)))  # fmt: skip
    zero2 = np.zeros(len(w2))
    x, y, r1, r2 = np.empty((n1, s1)), np.empty((n2, s2)), np.empty((n1, s1)), np.empty((n2, s2))
    paid1, paid2 = np.empty((n1, s1)), np.empty((n2, s2))
    work1, work2 = np.empty((kinds * n2, s1)), np.empty((kinds * n1, s2))
    nothing1, nothing2 = np.zeros(n1), np.zeros(n2)
    for h in range(len(factor)):
        b1, b2 = basis1[h, first1 : first1 + n1], basis2[h, first2 : first2 + n2]
        c1, c2 = coefficient1[h], coefficient2[h]
        q1, q2 = reach1[h, first1 : first1 + n1], reach2[h, first2 : first2 + n2]
        r1[:] = functional1[h, first1 : first1 + n1]
        r2[:] = functional2[h, first2 : first2 + n2]
        if reached:
            _spread(b2, zero2, q2, y)
            payoffs_of(weight1, c1, y, work1, paid1)
            r1 += paid1
        _gather(b1, r1, w1)
        _spread(b1, w1, q1, x)  # with q = 0 at first
        payoffs_of(weight2, c2, x, work2, paid2)
        r2 -= paid2
        _gather(b2, r2, w2)
        _solve_packed(factor[h], w2)
        _spread(b2, w2, nothing2, y)
        payoffs_of(weight1, c1, y, work1, paid1)
        _gather(b1, paid1, more)
        if reached:
            w1 += more
            _spread(b1, w1, q1, x)
            _spread(b2, w2, q2, y)
            out1[h, first1 : first1 + n1] = x[:, 1:]
            out2[h, first2 : first2 + n2] = y[:, 1:]
        else:
            r1 += paid1
            _spread(b1, more, nothing1, x)
            payoffs_of(weight2, c2, x, work2, paid2)
            r2 -= paid2
            _left(b1, r1, up1[h, first1 : first1 + n1])
            _left(b2, r2, up2[h, first2 : first2 + n2])
