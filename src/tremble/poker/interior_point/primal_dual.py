r"""Equilibria of filtered games in high precision, by a primal-dual interior-point method along the public tree.

The *public tree* contains only what both players see: the public states and the moves. Player 1 maximizes and player 2
minimizes :math:`x^T A y` over realization plans x and y with the constraints :math:`E x = e` and :math:`F y = f`. The
plans are optimal if there are values u and v of the information sets such that the *slacks*

.. math:: s = E^T u - A y, \qquad t = A^T x - F^T v

satisfy two conditions. All components of s and t are nonnegative. A component of s or t is zero if the corresponding
component of x or y is positive. On the *central path* all components of x, s, y, t are positive, and :math:`x s = y t =
\mu` for each pair of components. The sum of all products is the gap between :math:`e^T u` and :math:`f^T v`. This gap
is at least the NashConv, which is the sum of both players' gains by best responses. As :math:`\mu \to 0`, the path
approaches the center of the set of equilibria.

**Newton system.** A step from (x, y, s, t) aims at products that equal :math:`\tau`. Linearization gives
:math:`ds = \tau/x - s - (s/x) dx`, and dt has the same form. Insert these changes into the differentials of the slacks.
Take inner products with changes of plans that preserve E x and F y. Then u and v cancel, and the result is

.. math:: (s/x)\,dx - A\,dy = \tau/x - s + \rho, \qquad A^T dx + (t/y)\,dy = \tau/y - t + \rho'.

:mod:`~tremble.poker.interior_point.elimination` solves this system. The defect :math:`\rho` is the difference between s
and true slacks: :math:`s + A y` minus the nearest vector of the form :math:`E^T u`. So every step also corrects errors
of the slacks. After each step, the plans are made feasible: at each information set, a plan chooses actions in
proportion to the new weights. A residual of the Newton system also has a large part of the form :math:`E^T u`. The
method subtracts this part before it uses the residual, because rounding errors of the part would hide the rest.

**Start.** The first plan of each player is the center of its polytope. At each information set, the plan chooses each
action in proportion to the number of sequences that continue from the action, including the sequence that ends with the
action. With :math:`s = \mu/x`, the plan is on the central path of the game in which all payoffs are 0.

**Steps.** A predictor with :math:`\tau = 0` shows how far the method can follow the path. Then Mehrotra's corrector
[1]_ follows the path to second order. A factorization takes much more time than a solution with given factors, so up to
six centrality correctors follow [2]_. A longer step would make some products too small or too large. A centrality
corrector moves these products back into an interval around the target. A line search determines the weight of each
corrector [3]_. The method computes correctors as long as they lengthen the steps. The pairs (x, t) and (y, s) have
separate step lengths, because the first pair depends only on dx and the second pair depends only on dy.

**Rounding.** The residual of a Newton system is measured in units of the slacks. In these units the inverse of the
system is bounded. If the norm of the residual is 0.01, the solution is exact for slightly different targets. The
target of each pair differs from :math:`\tau` by at most 1 % of the pair's product. Iterative refinement continues until
the norm is at most 0.01. The refinement uses conjugate residuals in this norm, with the factors as preconditioner.

The reported gap is the gap of best responses to the plans, not the sum of the products. So the reported gap is valid
for any rounding errors.

References
----------
.. [1] S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optimization 2, 1992.
.. [2] J. Gondzio, "Multiple centrality corrections in a primal-dual method for linear programming", Computational
   Optimization and Applications 6, 1996.
.. [3] M. Colombo, J. Gondzio, "Further development of multiple centrality correctors for interior point methods",
   Computational Optimization and Applications 41, 2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tremble.game.tree_arrays import pair
from tremble.poker.filtered import FilteredGame
from tremble.poker.filtered_arrays import Plan, PublicTree
from tremble.poker.interior_point.elimination import Elimination, SingularBlockError
from tremble.poker.interior_point.public_states import Gradient, PublicGame, Vector
from tremble.run.clock import Clock
from tremble.run.compiling import compiled

__all__ = ["Iterate", "interior_point"]

FloatArray = NDArray[np.float64]

Change = tuple[Vector, Vector]
"""The changes of the plans, then the changes of the slacks."""

_START = 1.0  # the sum of all products of weights and slacks at the start, in units of the largest payoff
_CORRECTORS = 6  # the largest number of centrality correctors in an iteration
_LONGER = 0.3  # a centrality corrector tries to lengthen both steps by this amount
_LOW, _HIGH = 0.1, 10.0  # correctors leave a product unchanged if it lies between these multiples of the target
_GAIN = 0.02  # correctors continue if the sum of both step lengths grows by at least this amount
_LEAST_TARGET = 1e-3  # the least target for the mean product, as a multiple of the current mean
_RIDGE = 3e-15  # the relative increase of the diagonal of blocks
_REFINEMENTS = 10  # the largest number of refinements of one solution
_ACCURACY = 1e-2  # refinement ends at this norm of the residual, in units of the slacks
_PATIENCE = 10  # the method stops after more than this many iterations in a row that do not reduce the best gap by 1 %
_REMEMBERED = 4  # the number of stored directions of refinement; a greater number would need more memory


@dataclass(frozen=True, eq=False)
class Iterate:
    """The plans of both players after an iteration, and the values of best responses to these plans."""

    number: int  # the number of the iteration
    lower: float  # player 1's payoff if player 2 uses a best response
    upper: float  # player 1's payoff if player 1 uses a best response
    plans: Vector
    game: PublicGame

    @property
    def gap(self) -> float:
        """The NashConv of the plans in the filtered game, computed in floats."""
        return self.upper - self.lower

    def plan(self, tree: PublicTree, player: int) -> Plan:
        """Return a player's plan for the public tree of the game. All weights are positive."""
        return self.game.plan(tree, player, self.plans)


def interior_point(
    game: FilteredGame,
    clock: Clock,
    gap: float = 0.0,
    threads: int = 1,
) -> Iterator[Iterate]:
    """Yield the plans after each iteration, until the gap reaches the target or rounding errors prevent progress.

    Near the end an iterate may be worse than the previous one, so the caller should store the best iterate.

    Parameters
    ----------
    game : FilteredGame
    clock : Clock
        The clock is checked before each public state. It may raise an exception to stop the computation.
    gap : float
        The target NashConv, in units of payoff.
    threads : int
        The number of threads that share the public states of a round.

    Raises
    ------
    LimitReached
        The clock has stopped the computation.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> from tremble.poker.abstraction.lossless import lossless_filter
    >>> small = RhodeIsland(ranks=2, suits=2, raises=1)
    >>> *_, last = interior_point(FilteredGame.of(small, lossless_filter(small)), Clock(None), gap=1e-8)
    >>> last.gap < 1e-8
    True
    """
    by_state = PublicGame.of(game)
    plans = by_state.centered()
    point = _Point(by_state, plans, _START / max(1, len(plans)) / plans)
    executor = ThreadPoolExecutor(threads) if threads > 1 else None
    number, idle, best = 0, 0, np.inf
    try:
        while True:
            lower, upper = (bound * by_state.unit for bound in point.bounds())
            yield Iterate(number, lower, upper, point.plans, by_state)
            idle = 0 if upper - lower < 0.99 * best else idle + 1
            best = min(best, upper - lower)
            if best <= gap or idle > _PATIENCE:
                return
            following = _step(point, clock, executor)
            if following is None:
                return
            point, number = following, number + 1
    finally:
        if executor is not None:
            executor.shutdown()


class _Point:
    """Plans and slacks that form a point near the central path."""

    def __init__(self, game: PublicGame, plans: Vector, slacks: Vector) -> None:
        self.game = game
        self.plans = plans
        self.slacks = slacks
        self._gradients = tuple(game.gradient(p, plans, 1.0) for p in (0, 1))

    @property
    def mean(self) -> float:
        """The mean, over all sequences, of the sequence's plan weight times its slack."""
        return self.game.dot(self.plans, self.slacks) / max(1, len(self.plans))

    def bounds(self) -> tuple[float, float]:
        """Return player 1's payoff against a best response of player 2, and the payoff of player 1's best response."""
        values = [self.game.best_value(p, [g.copy() for g in self._gradients[p]]) for p in (0, 1)]
        return values[1], values[0]

    def defects(self) -> Vector:
        """Return the defects of the slacks (the vector rho in the module docstring)."""
        gradients = [[sign * g for g in self._gradients[p]] for p, sign in ((0, 1.0), (1, -1.0))]
        for p in (0, 1):
            for value, slack in zip(gradients[p], self.game.views(p, self.slacks), strict=True):
                value[:, :, 1:] += slack
        return without_multipliers(self.game, gradients, self.slacks)

    def moved(self, change: Change, lengths: tuple[float, float]) -> tuple[Vector, Vector]:
        """Return plans and slacks after a step of length ``lengths[0]`` for x and t, and ``lengths[1]`` for y and s."""
        sizes = [self.game.num_sequences(p) for p in (0, 1)]
        moves, shifts = change
        return self.plans + np.repeat(lengths, sizes) * moves, self.slacks + np.repeat(lengths[::-1], sizes) * shifts


def without_multipliers(game: PublicGame, gradients: list[Gradient], slack: Vector) -> Vector:
    """Make both players' gradients small relative to the slacks by subtracting values of information sets.

    The value of an information set is a weighted mean of its actions' gradients. The function computes the values from
    the last round to the first. The weight of an action is inversely proportional to the square of its slack. The
    function overwrites the gradients.
    """
    left = np.empty_like(slack)
    for player, gradient in enumerate(gradients):
        out, slacks = game.views(player, left), game.views(player, slack)
        for number in reversed(range(len(game.rounds))):
            value = gradient[number]
            for parent, own in reversed(game.rounds[number].sets(player)):
                less = slice(own.start - 1, own.stop - 1)
                scale = slacks[number][:, :, less]
                weight = (scale.min(axis=2, keepdims=True) / scale) ** 2
                mean = (value[:, :, own] * weight).sum(axis=2) / weight.sum(axis=2)
                rest = value[:, :, own] - mean[:, :, None]
                out[number][:, :, less] = rest
                value[:, :, parent] += mean
            if number:
                game.add_above(player, number, value[:, :, 0], gradient[number - 1])
    return left


class _Directions:
    """The Newton directions from a point."""

    def __init__(self, point: _Point, ridge: float, clock: Clock, executor: Executor | None) -> None:
        self._point, self._clock = point, clock
        self._elimination = Elimination(point.game, point.slacks / point.plans, ridge, clock, executor)
        self._checked = True
        self.error = 0.0

    def towards(self, targets: Vector | float, defects: Vector | None) -> Change:
        """Compute the Newton step that changes the products of plans and slacks to ``targets``, and the defects to 0.

        With ``defects=None``, the products change by ``targets``, and the defects stay unchanged.
        """
        plans, slacks = self._point.plans, self._point.slacks
        aim = targets / plans
        if defects is not None:
            aim -= slacks
        moves = self._solve(aim if defects is None else aim + defects)
        return moves, aim - slacks / plans * moves

    def _solve(self, right: Vector) -> Vector:
        """Solve the Newton system for ``right``, and refine the solution by conjugate residuals if necessary."""
        self._clock.check()
        moves = self._elimination.solve(right)
        if not self._checked:
            return moves
        slacks, dot = self._point.slacks, self._point.game.dot
        rest, self.error = self._residual(right, moves)
        if self.error < 1e-3 * _ACCURACY:
            self._checked = False  # accurate enough, so do not check or refine later solutions
        zero = np.zeros_like(right)
        # Earlier directions: a change, its image divided by the slacks, and the squared norm of that quotient.
        taken: list[tuple[Vector, Vector, float]] = []
        for _ in range(_REFINEMENTS):
            if self.error < _ACCURACY:
                break
            self._clock.check()
            more = self._elimination.solve(rest)
            scaled = -self._residual(zero, more)[0] / slacks
            for change, other, square in taken:
                part = dot(scaled, other) / square
                more, scaled = more - part * change, scaled - part * other
            square = dot(scaled, scaled)
            target = rest / slacks
            if not np.isfinite(square) or square == 0:
                break
            taken = [*taken[1 - _REMEMBERED :], (more, scaled, square)]
            part = dot(target, scaled) / square
            moves = moves + part * more
            target = target - part * scaled
            rest = target * slacks
            self.error = float(np.sqrt(dot(target, target)))
        return moves

    def _residual(self, right: Vector, moves: Vector) -> tuple[Vector, float]:
        """Return the residual of a solution, and the norm of the vector ``residual / slacks``."""
        game, slacks = self._point.game, self._point.slacks
        rest = without_multipliers(game, self._elimination.residual(right, moves), slacks)
        scaled = rest / slacks
        return rest, float(np.sqrt(game.dot(scaled, scaled)))


def _step(point: _Point, clock: Clock, executor: Executor | None) -> _Point | None:
    """Return the next point, or None if no direction can be computed."""
    defects = point.defects()
    ridge = _RIDGE
    for _ in range(3):
        with suppress(SingularBlockError):
            directions = _Directions(point, ridge, clock, executor)
            change = directions.towards(0.0, defects)
            if directions.error < 1:
                break
        ridge *= 100
    else:
        return None
    # Set the target of the mean product. A better predictor results in a lower target.
    mean, count = point.mean, len(point.plans)
    after = point.game.dot(*point.moved(change, _at_most(1.0, _lengths(point, change)))) / max(1, count)
    target = mean * min(max((after / mean) ** 3, _LEAST_TARGET), 1.0)
    aims = np.clip(target - change[0] * change[1], -_HIGH * mean, _HIGH * mean)
    change = directions.towards(aims, defects)
    # Add centrality correctors as long as they lengthen the steps.
    lengths = _lengths(point, change)
    for _ in range(_CORRECTORS):
        if min(lengths) >= 1:
            break
        plans, slacks = point.moved(change, _at_most(1.0, (lengths[0] + _LONGER, lengths[1] + _LONGER)))
        product = plans * slacks
        aims = np.maximum(np.clip(product, _LOW * target, _HIGH * target) - product, -_HIGH * target)
        more = directions.towards(aims, None)
        best, weight, longer = _weighted(point, change, more, lengths)
        if best < sum(_at_most(1.0, lengths)) + _GAIN:
            break
        lengths = longer
        change = change[0] + weight * more[0], change[1] + weight * more[1]
    short = min(max(0.9, 1 - mean * count), 0.9995)  # stop before the boundary, at which weights or slacks are 0
    plans, slacks = point.moved(change, _at_most(1.0, (short * lengths[0], short * lengths[1])))
    return _Point(point.game, point.game.normalized(plans), slacks)


def _at_most(most: float, lengths: tuple[float, float]) -> tuple[float, float]:
    return min(most, lengths[0]), min(most, lengths[1])


def _weighted(
    point: _Point, base: Change, more: Change, lengths: tuple[float, float]
) -> tuple[float, float, tuple[float, float]]:
    """Choose ``weight`` so that the two step lengths of ``base + weight * more`` have the largest sum.

    Return this sum, the weight, and the two lengths (see ``_lengths``). In the sum, a length above 1 counts as 1.
    """
    weights = np.linspace(max(0.1, min(1.0, lengths[0]) * min(1.0, lengths[1])), 1.0, 8)
    both = _all_lengths(point, base, more, weights).T.tolist()
    return max(
        (min(1.0, a) + min(1.0, b), weight, (a, b)) for weight, (a, b) in zip(weights.tolist(), both, strict=True)
    )


def _lengths(point: _Point, change: Change) -> tuple[float, float]:
    """Return the longest step along ``change`` that keeps x and t nonnegative, and the longest one for y and s.

    Each step length is at most 1e6.
    """
    return pair(_all_lengths(point, change, change, np.zeros(1))[:, 0].tolist())


def _all_lengths(point: _Point, base: Change, more: Change, weights: FloatArray) -> FloatArray:
    """Return the two step lengths for each change ``base + weight * more``, as an array of shape [2, len(weights)]."""
    ratios = np.full((2, len(weights)), 1e-6)
    for p, part in enumerate(point.game.parts):
        _fall(point.plans[part], base[0][part], more[0][part], weights, ratios[p])
        _fall(point.slacks[part], base[1][part], more[1][part], weights, ratios[1 - p])
    lengths: FloatArray = 1 / ratios
    return lengths


@compiled
def _fall(start: Vector, change: Vector, more: Vector, weights: FloatArray, worst: FloatArray) -> None:
    """Set ``worst[k]`` to the maximum of ``worst[k]`` and all entries of ``-(change + weights[k] * more) / start``."""
    for i in range(len(start)):
        fall, extra = -change[i] / start[i], -more[i] / start[i]
        for k in range(len(weights)):
            worst[k] = max(worst[k], fall + weights[k] * extra)
