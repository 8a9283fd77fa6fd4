r"""The Newton systems of an interior-point method, solved by elimination along the public tree.

The *public tree* contains only what both players see: the public states and the moves.

Let A be the payoff matrix. The vector D has an entry for each sequence of player 1. The vector E has an entry for each
sequence of player 2. In both vectors, the entry of the empty sequence is 0, and all other entries are positive. Let r
and s be right-hand sides. The task is to find changes dx and dy of the plans x and y with three properties. First, the
changes of the empty sequences are 0. Second, at each information set, the changes of the actions sum to the change of
the sequence that leads to this set. Third, the changes satisfy

.. math::  D\,dx - A\,dy = r, \qquad A^T dx + E\,dy = s

along every change that has the first two properties. That is, in each equation, both sides have the same inner product
with every such change. (The sides themselves can differ, by multipliers of the information sets.)

**One class and one history.** Consider a player's changes in one stage, for one class and one history of earlier
rounds. Let q be the change of the empty sequence's weight, which is the weight that reaches the stage. All changes are
linear combinations of changes of two kinds:

1. the change with q = 1 and the least value of :math:`\sum D\,dx^2`,
2. the changes with q = 0, whose coordinates are called w.

A tree of information sets with the energy :math:`\sum D\,dx^2` behaves like a network of resistors D. The stiffness of
a sequence is its own D plus the stiffness of each information set that follows the sequence. The stiffness of an
information set is :math:`1/\sum_a 1/D_a`, where :math:`D_a` is the stiffness of action a. The weight that arrives at an
information set is split in proportion to the conductances :math:`1/D_a`. So the computation needs no subtraction, and
its result has full relative accuracy even if the values of D differ by orders of magnitude. The basis of the second
kind of changes consists of contrasts of the first k actions of an information set with the next action. The basis is
orthonormal in D, and D-orthogonal to the change of the first kind. In this basis a block of the system is

.. math::

   \begin{pmatrix} I & -X & & -X_q \\ X^T & I & X'^T_q & \\ & -X'_q & h & -X_{qq} \\ X_q^T & & X_{qq}^T & h'
   \end{pmatrix}

with rows for w of player 1, w of player 2, q of player 1, q of player 2. The payoffs for pairs of basis vectors are in
X, :math:`X_q`, :math:`X'_q` and :math:`X_{qq}`. The numbers h and h' are the stiffness of the changes q.

**Elimination.** The payoff of two sequences in a round is 0 if the sequences belong to different histories or to
different public states. So the changes w of one public state and one history of the last round are coupled only with
each other and with the changes q of the same state and history. The elimination of these changes w gives a full matrix
for each public state and history of the previous round. This matrix replaces D and E in the previous round. The matrix
has the same form as the block: a positive semidefinite matrix for each player, and a coupling. The payoffs of the
previous round are added to the coupling. The elimination continues up to the first round, where q = 0.

**No block is singular.** Let K be a block. For all payoffs, :math:`v^T K v = v_1^T D v_1 + v_2^T E v_2 > 0`. So K with
negated rows of player 2 is quasi-definite. It follows that :math:`S = I + X^T X` is positive definite, and that every
other matrix that is inverted is also positive definite. Schur complements of a quasi-definite matrix are
quasi-definite.

**Rounding.** S grows in proportion to the square of X, and X grows in proportion to the inverse of the barrier
parameter. If rounding has destroyed the smallest eigenvalues of S, the diagonal of S is increased by a small relative
amount, called `ridge`. This proximal term slows changes in directions with little effect. :meth:`Elimination.residual`
then computes the remaining error from the payoffs, and the caller solves the system for this error with the same
factors. The Schur complement for q of player 2 is :math:`h' + X_q^T (I + X X^T)^{-1} X_q`. The second term is the least
value of :math:`|X_q - X e|^2 + |e|^2` over all e. In this sum of squares, an error in e has only a second-order effect.

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
from tremble.run.clock import Clock
from tremble.run.compiling import compiled

__all__ = ["Elimination", "SingularBlockError"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# A player's right-hand side, the changes q, the output for changes, and the output for the equations of q.
_Arrays = tuple[FloatArray, ...]

_MOST_RIDGE = 1e-6

_compiled = partial(compiled, nogil=True, fastmath={"contract", "reassoc"})


class SingularBlockError(ArithmeticError):
    """The error for a block of the Newton system that has no Cholesky factor in float arithmetic."""


class _Inner(NamedTuple):
    """A factorized block of the Newton system, for a public state before the last round and a history of moves."""

    factor: FloatArray  # the lower triangle of the Cholesky factor of S
    coupling: FloatArray  # the matrix X, including the rows and columns of q
    basis: tuple[FloatArray, FloatArray]  # player -> [m + n, n S] m basis vectors for w, then n basis vectors for q


class Elimination:
    """A factorized Newton system, to be solved for any right-hand side.

    Parameters
    ----------
    game : PublicGame
    diagonal : Vector
        The vectors D and E of the system. They have a positive number for each sequence except the empty sequence.
    ridge : float
        The relative amount by which the diagonals of the blocks are increased.
    clock : Clock
        The clock is checked before each public state. It may raise an exception to stop the computation.
    executor : Executor, optional
        An executor whose threads process different public states of a round at the same time.

    Raises
    ------
    SingularBlockError
        A block has no Cholesky factor in floats. Try again with a larger ridge.
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
        # For each public state of the last round, the lower triangles [H, m (m + 1) / 2] of Cholesky factors, by row.
        self._leaf: list[FloatArray] = [np.zeros((0, 0))] * len(game.rounds[-1].states)
        # For each earlier round, public state and history, the factors.
        self._inner: list[list[list[_Inner]]] = [[[] for _ in r.states] for r in game.rounds[:-1]]
        later: list[list[FloatArray]] = []
        for number in reversed(range(len(game.rounds))):
            later = self._eliminate(number, later, clock)

    def _eliminate(self, number: int, later: list[list[FloatArray]], clock: Clock) -> list[list[FloatArray]]:
        """Eliminate the unknowns w of a round. Return the matrices to add to the previous round's blocks.

        The unknowns w describe changes of the plans. None of these changes alters the weight with which play reaches
        the round. For each public state of the previous round, the result has three arrays, with a matrix for each
        history. In the first array, rows and columns are classes of player 1. In the second array, rows are classes of
        player 1, and columns are classes of player 2. In the third array, rows and columns are classes of player 2.
        """
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
        """Call ``work`` for each group of public states of a round, in parallel if there is an executor.

        The public states of a group follow the same public state of the previous round and add to the same sums.
        """
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
        """Return the basis of a player's changes in a public state, as an array of shape [H, (F + 1) n, S].

        Each of the n classes has F + 1 directions: F for w, and one for q (see the module). The second axis lists the
        first direction of all n classes, then the next, and so on. The third axis begins with the empty sequence.
        """
        part = self._basis[player][number][:, state.own[player]]
        basis = _with_empty(part.transpose(0, 2, 1, 3))
        basis[:, -1, :, 0] = 1
        return basis.reshape(len(basis), -1, basis.shape[3])

    def _factor(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the Cholesky factor of X'X + D, and the diagonal of D, where D is I plus a small diagonal matrix."""
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
        """Eliminate the unknowns w (see the module). Add the Schur complement to the previous round's ``sums``."""
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
        """Merge ``later``, the matrices from the next round, into a block.

        Return each player's basis of changes and stiffness matrix of q, and the payoffs of all pairs of basis vectors.
        """
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
        # For each player, compute a basis that is orthonormal in the new metric.
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
        """Solve the system for the right-hand side ``right``. The solution is a change of both players' plans."""
        game, last = self._game, len(self._game.rounds) - 1
        functional = [[_with_empty(view) for view in game.views(p, right)] for p in (0, 1)]
        change = np.zeros_like(right)
        out = [game.views(p, change) for p in (0, 1)]
        for number in range(last, 0, -1):
            for p, up in enumerate(self._pass(number, functional, out, reached=False)):
                game.add_above(p, number, up, functional[p][number - 1])
        for number in range(last + 1):
            self._pass(number, functional, out, reached=True)
        return change

    def _pass(self, number: int, functional: list[Gradient], out: list[Gradient], *, reached: bool) -> list[FloatArray]:
        """Process the public states of a round while solving a system.

        Here q is the change of the empty sequence's weight. If ``reached`` is True, q is known, and the method writes
        the changes of this round to ``out``. If ``reached`` is False, the method assumes q = 0. It then returns, for
        each player, the right-hand side of the equations for q.
        """
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
        """Return ``right - system * change``, a residual that still contains the multipliers of information sets."""
        gradients, rest = [], right - self._diagonal * change
        for p, sign in ((0, 1.0), (1, -1.0)):
            gradients.append(self._game.gradient(p, change, 0.0))
            for value, direct in zip(gradients[p], self._game.views(p, rest), strict=True):
                value *= sign
                value[:, :, 1:] += direct
        return gradients


def _with_empty(values: FloatArray) -> FloatArray:
    """Insert a 0, the value of the empty sequence, at the start of the last axis."""
    return np.pad(values, [(0, 0)] * (values.ndim - 1) + [(1, 0)])


def _coupling(
    basis1: FloatArray, basis2: FloatArray, coefficient: FloatArray, weight: FloatArray, work: FloatArray
) -> FloatArray:
    """Return the payoffs for all pairs of player 1's and player 2's basis vectors. The next call overwrites them."""
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
    """Compute a basis of a plan's changes for each class and history, and the stiffness of the last change.

    In ``basis``, the changes with q = 0 come first, and the change with q = 1 is last (see the module).
    """
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
            merged = 0.0  # the sum of the conductances of the previous actions
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
    """Write the lower triangle of the matrix ``factor`` to ``out``, row by row."""
    at = 0
    for i in range(len(factor)):
        out[at : at + i + 1] = factor[i, : i + 1]
        at += i + 1


@_compiled
def _solve_packed(factor: FloatArray, right: FloatArray) -> None:
    """Solve L L' x = ``right`` in place. L is a lower triangular matrix; ``factor`` has its entries, row by row."""
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
    """Write the product of the right-hand side ``functional`` and each basis vector to ``out``, of length F * n."""
    n, f = basis.shape[0], basis.shape[1] - 1
    for c in range(n):
        for i in range(f):
            value = 0.0
            for a in range(basis.shape[2]):
                value += basis[c, i, a] * functional[c, a + 1]
            out[i * n + c] = value


@_compiled
def _spread(basis: FloatArray, w: FloatArray, q: FloatArray, out: FloatArray) -> None:
    """Compute a plan's change ``out``: in each class, ``q`` times the last basis vector plus ``w`` times the others."""
    n, f = basis.shape[0], basis.shape[1] - 1
    for c in range(n):
        out[c, 0] = q[c]
        for a in range(basis.shape[2]):
            out[c, a + 1] = q[c] * basis[c, f, a]
        for i in range(f):
            for a in range(basis.shape[2]):
                out[c, a + 1] += w[i * n + c] * basis[c, i, a]


@_compiled
def _gather_q(basis: FloatArray, functional: FloatArray, out: FloatArray) -> None:
    """Write to ``out[c]``, for each class c, the product of ``functional[c]`` and the class's last basis vector."""
    for c in range(len(basis)):
        value = functional[c, 0]
        for a in range(basis.shape[2]):
            value += basis[c, -1, a] * functional[c, a + 1]
        out[c] = value


@_compiled
def _leaf_state(player1: Any, player2: Any, factor: FloatArray, reached: bool) -> None:
    """Solve the system of one public state of the last round. The module's docstring defines the change q.

    Let q be the change of the weight that reaches a state. If ``reached`` is True, q is known, and the function
    computes all changes. Otherwise it assumes q = 0 and computes the right-hand sides of the equations of q.
    ``player1`` and ``player2`` are tuples: the payoff matrices side by side, the coefficients, the basis, the first
    class, the right-hand side, q, and the two outputs.
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
        _spread(b1, w1, q1, x)  # q1 is 0 if `reached` is False
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
            _gather_q(b1, r1, up1[h, first1 : first1 + n1])
            _gather_q(b2, r2, up2[h, first2 : first2 + n2])
