r"""The Newton systems of an interior-point method, eliminated along the public tree.

For plans x and y of both players, positive numbers D and E on the sequences (0 on the empty ones) and right-hand sides
r and s, find changes of plans dx and dy that are 0 at the root, add up at each information set, and for which

.. math::  D\,dx - A\,dy = r, \qquad A^T dx + E\,dy = s

holds on all such changes (elsewhere multipliers of the information sets make up the difference).

**One class, one history.** The changes of a player's weights in a stage, at one class and earlier history, are
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

**Elimination.** No history of a later round has payoffs with another one, nor one public state with another: the
changes w of a public state and history of the last round see, beside each other, the q only. Eliminating them leaves in
the round before a full matrix for each public state and history in place of D and E there, again of the form (positive
semidefinite, coupling, positive semidefinite), to which the payoffs of that round are added. So it goes on up to the
first round, where q does not change: nothing is left.

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

from tremble.poker.interior_point.public_states import Gradient, PublicGame, PublicState, Vector, payoffs_of
from tremble.run.clock import Clock, compiled

__all__ = ["Elimination", "SingularBlockError"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_Arrays = tuple[FloatArray, ...]  # of a player: functional, weights q, where changes go, and what is left for q

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
    """Factors of the Newton system for a positive vector, D and E.

    Raises
    ------
    SingularBlockError
    """

    def __init__(
        self,
        game: PublicGame,
        diagonal: Vector,
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
            for r, view in zip(game.rounds, game.views(player, diagonal), strict=True):
                (histories, classes, s), f, side = r.shape(player), r.directions(player), r.sides[player]
                basis, stiffness = np.zeros((histories * classes, f + 1, s - 1)), np.empty(histories * classes)
                _directions(view.reshape(histories * classes, s - 1), side.parent, side.start, basis, stiffness)
                self._basis[player].append(basis.reshape(histories, classes, f + 1, s - 1))
                self._stiffness[player].append(stiffness.reshape(histories, classes))
        self._leaf: list[FloatArray] = [np.zeros((0, 0))] * len(game.rounds[-1].states)  # [H, m (m + 1) / 2], by rows
        self._inner: list[list[list[_Inner]]] = [
            [[] for _ in r.states] for r in game.rounds[:-1]
        ]  # round, public state, history
        later: list[list[FloatArray]] = []
        for number in reversed(range(len(game.rounds))):
            later = self._eliminate(number, later, clock)

    def _eliminate(self, number: int, later: list[list[FloatArray]], clock: Clock) -> list[list[FloatArray]]:
        """Eliminate a round; what it adds to each public state of the round before (player 1's, both, player 2's q)."""
        r = self._game.rounds[number]
        sums: list[list[FloatArray]] = []
        if number:
            for state in self._game.rounds[number - 1].states:
                n1, n2 = state.size
                sums.append([np.zeros((r.histories, a, b)) for a, b in ((n1, n1), (n1, n2), (n2, n2))])

        def eliminate(states: list[int]) -> None:
            for index in states:
                clock.check()
                self._eliminate_state(number, index, later[index] if later else [], sums)

        self._share(number, eliminate)
        return sums

    def _share(self, number: int, work: Callable[[list[int]], None]) -> None:
        """Work on the public states of a round; those below one stay together, as they add to the same sums."""
        each = map if self._executor is None else self._executor.map
        list(each(work, self._game.rounds[number].groups))

    def _eliminate_state(self, number: int, index: int, later: list[FloatArray], sums: list[list[FloatArray]]) -> None:
        r = self._game.rounds[number]
        state = r.states[index]
        last = number + 1 == len(self._game.rounds)
        m1, m2 = (r.directions(p) * state.size[p] for p in (0, 1))
        bases = [self._bases(p, number, state) for p in (0, 1)]
        if last:
            self._leaf[index] = np.empty((r.histories, m2 * (m2 + 1) // 2))
            repeated = np.tile(state.weight, (1, r.directions(0) + 1, r.directions(1) + 1))
            work = np.empty((2, *repeated.shape[1:]))
            used: NDArray[np.bool_] = np.asarray(r.coefficient[0].any(axis=(2, 3)))
        for h in range(r.histories):
            if last:
                coupling = _coupling(bases[0][h], bases[1][h], r.coefficient[0][h, used[h]], repeated[used[h]], work)
                stiff = tuple(np.diag(self._stiffness[p][number][h, state.own[p]]) for p in (0, 1))
            else:
                basis, stiff, coupling = self._merge(number, state, h, bases, later)
            factor, ridge = self._factor(coupling[:m1, :m2])
            if last:
                _pack(factor, self._leaf[index][h])
            else:
                self._inner[number][index].append(_Inner(factor, coupling, basis))
            if number:
                self._complement(state, h, sums[state.above], coupling, (m1, m2), stiff, factor, ridge)

    def _bases(self, player: int, number: int, state: PublicState) -> FloatArray:
        """[H, (F + 1) n, S] of a public state, directions slowest, the empty sequence first."""
        part = self._basis[player][number][:, state.own[player]]
        basis = _with_empty(part.transpose(0, 2, 1, 3))
        basis[:, -1, :, 0] = 1
        return basis.reshape(len(basis), -1, basis.shape[3])

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
        state: PublicState,
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
        n2 = state.size[1]
        half = np.empty((m2, n2 + state.size[0]), order="F")
        np.matmul(x.T, to_two, out=half[:, :n2])
        half[:, n2:] = to_one.T
        if m2:
            half = blas.dtrsm(1.0, factor.T, half, trans_a=1, overwrite_b=1)
            nearest = blas.dtrsm(1.0, factor.T, half[:, :n2])
        else:
            nearest = half[:, :n2]
        rest = to_two - x @ nearest
        into1, into2 = state.into
        sums[0][h] += into1.T @ (stiff[0] + half[:, n2:].T @ half[:, n2:]) @ into1
        sums[1][h] += into1.T @ (both - half[:, n2:].T @ half[:, :n2]) @ into2
        sums[2][h] += into2.T @ (stiff[1] + rest.T @ rest + (nearest.T * ridge) @ nearest) @ into2

    def _merge(
        self, number: int, state: PublicState, h: int, bases: list[FloatArray], later: list[FloatArray]
    ) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, ...], FloatArray]:
        """A block of a round before the last: bases, stiffness of q and couplings."""
        r = self._game.rounds[number]
        (n1, n2), (s1, s2) = state.size, (r.shape(p)[2] for p in (0, 1))
        metric = [np.zeros((n1, s1, n1, s1)), np.zeros((n2, s2, n2, s2))]
        payoffs = np.zeros((n1, s1, n2, s2))
        leaves = list(zip(*(side.leaving.tolist() for side in r.sides), strict=True))
        for leaf, (a, b) in enumerate(leaves):
            history = h * len(leaves) + leaf
            metric[0][:, a, :, a] += later[0][history]
            payoffs[:, a, :, b] += later[1][history]
            metric[1][:, b, :, b] += later[2][history]
        payoffs += np.einsum("kcd,kab->cadb", state.weight, r.coefficient[0][h])
        basis, stiff = [], []
        for p in (0, 1):
            n, s, f = state.size[p], r.shape(p)[2], r.directions(p)
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
            diagonal = self._game.views(p, self._diagonal)[number][h, state.own[p]]
            full = added + np.diag(_with_empty(diagonal).ravel())
            stiff.append(reach @ full @ reach.T)
            basis.append(np.concatenate([free, reach]))
        coupling = basis[0] @ payoffs.reshape(n1 * s1, n2 * s2) @ basis[1].T
        return (basis[0], basis[1]), tuple(stiff), coupling

    def solve(self, right: Vector) -> Vector:
        """Changes of both plans."""
        game, last = self._game, len(self._game.rounds) - 1
        functional = [[_with_empty(view) for view in game.views(p, right)] for p in (0, 1)]
        change = np.zeros_like(right)
        out = [game.views(p, change) for p in (0, 1)]
        for number in range(last, 0, -1):
            for p, up in enumerate(self._pass(number, functional, out, reached=False)):
                game.hand_up(p, number, up, functional[p][number - 1])
        for number in range(last + 1):
            self._pass(number, functional, out, reached=True)
        return change

    def _pass(self, number: int, functional: list[Gradient], out: list[Gradient], *, reached: bool) -> list[FloatArray]:
        """Changes in a round given those of q (none at first), and what that leaves for the equations of q."""
        game, r = self._game, self._game.rounds[number]
        reach = [game.empty(p, number, out[p], 0.0) if reached else np.zeros(r.shape(p)[:2]) for p in (0, 1)]
        up = [np.zeros_like(q) for q in reach]
        solve_state = self._solve_leaf if number + 1 == len(game.rounds) else self._solve_inner
        arrays: list[_Arrays] = [(functional[p][number], reach[p], out[p][number], up[p]) for p in (0, 1)]

        def solve(states: list[int]) -> None:
            for index in states:
                solve_state(number, index, arrays, reached)

        self._share(number, solve)
        return up

    def _solve_leaf(self, number: int, index: int, arrays: list[_Arrays], reached: bool) -> None:
        r = self._game.rounds[number]
        state = r.states[index]
        player1, player2 = (
            (state.beside[p], r.coefficient[1 - p], self._basis[p][number], state.own[p].start, *arrays[p])
            for p in (0, 1)
        )
        _leaf_state(player1, player2, self._leaf[index], reached)

    def _solve_inner(self, number: int, index: int, arrays: list[_Arrays], reached: bool) -> None:
        r = self._game.rounds[number]
        state = r.states[index]
        own1, own2 = state.own
        (functional1, reach1, out1, up1), (functional2, reach2, out2, up2) = arrays
        m1, m2 = (r.directions(p) * state.size[p] for p in (0, 1))
        for h in range(r.histories):
            block = self._inner[number][index][h]
            x = block.coupling
            g1 = block.basis[0] @ functional1[h, own1].ravel()
            g2 = block.basis[1] @ functional2[h, own2].ravel()
            q1, q2 = reach1[h, own1], reach2[h, own2]
            w1 = g1[:m1] + x[:m1, m2:] @ q2
            w2 = g2[:m2] - x[m1:, :m2].T @ q1 - x[:m1, :m2].T @ w1
            if m2:
                w2 = lapack.dpotrs(block.factor.T, w2)[0].ravel()
            w1 += x[:m1, :m2] @ w2
            if reached:
                out1[h, own1] = (np.concatenate([w1, q1]) @ block.basis[0]).reshape(len(q1), -1)[:, 1:]
                out2[h, own2] = (np.concatenate([w2, q2]) @ block.basis[1]).reshape(len(q2), -1)[:, 1:]
            else:
                up1[h, own1] = g1[m1:] + x[m1:, :m2] @ w2
                up2[h, own2] = g2[m2:] - x[:m1, m2:].T @ w1

    def residual(self, right: Vector, change: Vector) -> list[Gradient]:
        """What changes of plans leave of the right-hand sides, multipliers of information sets not yet taken off."""
        gradients, rest = [], right - self._diagonal * change
        for p, sign in ((0, 1.0), (1, -1.0)):
            gradients.append(self._game.gradient(p, change, 0.0))
            for value, direct in zip(gradients[p], self._game.views(p, rest), strict=True):
                value *= sign
                value[:, :, 1:] += direct
        return gradients


def _with_empty(values: FloatArray) -> FloatArray:
    """The same of the sequences of each stage with the empty one first, 0."""
    return np.pad(values, [(0, 0)] * (values.ndim - 1) + [(1, 0)])


def _coupling(
    basis1: FloatArray, basis2: FloatArray, coefficient: FloatArray, weight: FloatArray, work: FloatArray
) -> FloatArray:
    """Payoffs between basis vectors, in memory of ``work`` that is used again for the next block."""
    payoffs: FloatArray = work[0]
    product = work[1]
    payoffs[:] = 0
    for k, w in enumerate(weight):
        np.matmul(basis1 @ coefficient[k], basis2.T, out=product)
        product *= w
        payoffs += product
    return payoffs


@_compiled
def _directions(
    diagonal: FloatArray, parent: IntArray, start: IntArray, basis: FloatArray, stiffness: FloatArray
) -> None:
    """The basis of each class and history, w first, and the stiffness of its q."""
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
def _leaf_state(player1: Any, player2: Any, factor: FloatArray, reached: bool) -> None:
    """Changes in a public state of the last round where q is ``reached``; else what is left for q, with q = 0.

    Of each player: payoffs beside, coefficients, basis, first class, functional, q, and where both results go.
    """
    weight1, coefficient1, basis1, first1, functional1, reach1, out1, up1 = player1
    weight2, coefficient2, basis2, first2, functional2, reach2, out2, up2 = player2
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
