r"""Equilibria of filtered games in high precision, by a primal-dual interior-point method along the public tree.

Player 1 maximizes and player 2 minimizes :math:`x^T A y` over plans x and y with :math:`E x = e` and :math:`F y = f`.
The plans are optimal if there are values u and v of the information sets such that the *slacks*

.. math:: s = E^T u - A y, \qquad t = A^T x - F^T v

are nonnegative, and zero wherever x and y are positive. On the *central path* all of x, s, y, t are positive, and
:math:`x s = y t = \mu` for each pair of components. The sum of all products is the gap between :math:`e^T u` and
:math:`f^T v`. It is at least the NashConv, which is the sum of both players' gains by best responses. As
:math:`\mu \to 0`, the path approaches the center of the set of equilibria.

**Newton system.** To reach products :math:`\tau` from (x, y, s, t), linearize: :math:`ds = \tau/x - s - (s/x) dx`, and
dt in the same way. Insert this into the differentials of the slacks. Tested with changes of plans that preserve E x and
F y, for which u and v cancel, the result is

.. math:: (s/x)\,dx - A\,dy = \tau/x - s + \rho, \qquad A^T dx + (t/y)\,dy = \tau/y - t + \rho'.

:mod:`~tremble.poker.interior_point.elimination` solves this system. The defect :math:`\rho` is the distance of s from a
true slack, :math:`s + A y` less the nearest :math:`E^T u`. So every step corrects errors of the slacks. Plans are kept
feasible by choosing actions in proportion to the new weights. The part of a vector that belongs to the multipliers u is
removed before any projection, because it is large and its rounding errors would hide the rest.

**Start.** The first plan of each player is the center of its polytope: at each information set it chooses in proportion
to the number of sequences that follow. With :math:`s = \mu/x` it is on the central path of the game with payoffs 0.

**Steps.** A predictor with :math:`\tau = 0` shows how far the path can be followed, and Mehrotra's corrector [1]_ aims
at its second-order curve. A factorization costs far more than a solution, so up to six centrality correctors follow
[2]_. They move products that a longer step would make too small or too large back into an interval around the target. A
line search gives each corrector a weight [3]_, and correctors continue as long as they lengthen the steps. The pairs
(x, t) and (y, s) have separate step lengths, because the first depends only on dx and the second only on dy.

**Rounding.** The residual of a Newton system is measured in units of the slacks. In these units the inverse of the
system is bounded: a norm of 0.01 means an error of 1 % in the change of one product or of all products together.
Iterative refinement continues until then, by conjugate residuals in that norm, with the factors as preconditioner.

The reported gap is that of best responses to the plans, not the sum of the products. So it is valid whatever the
rounding errors are.

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

from tremble.game.labels import pair
from tremble.poker.filtered import FilteredGame
from tremble.poker.filtered_arrays import Plan, PublicTree
from tremble.poker.interior_point.elimination import Elimination, SingularBlockError
from tremble.poker.interior_point.public_states import Gradient, PublicGame, Vector
from tremble.run.clock import Clock
from tremble.run.compiling import compiled

__all__ = ["Iterate", "interior_point"]

FloatArray = NDArray[np.float64]

Change = tuple[Vector, Vector]
"""The changes of the plans, and of the slacks."""

_START = 1.0  # sum of all products at the start, in units of the largest payoff
_CORRECTORS = 6  # largest number of centrality correctors in an iteration
_LONGER = 0.3  # a corrector tries to lengthen the steps by this much
_LOW, _HIGH = 0.1, 10.0  # correctors do not change products between these multiples of the target
_GAIN = 0.02  # correctors continue if the sum of both step lengths grows by at least this much
_LEAST_TARGET = 1e-3  # least target for the mean product, in units of the current mean
_RIDGE = 3e-15  # added to the diagonal of blocks, relative to it
_REFINEMENTS = 10  # largest number of refinements of one solution
_ACCURACY = 1e-2  # refinement ends at this norm of the residual, in units of the slacks
_PATIENCE = 10  # the method stops after so many iterations in a row that reduce the gap by less than 1 %
_REMEMBERED = 4  # earlier directions of refinement that are stored; more would need more memory


@dataclass(frozen=True, eq=False)
class Iterate:
    """The plans of both players after an iteration, and the values of best responses to them."""

    number: int
    lower: float  # player 1's payoff if player 2 responds best
    upper: float  # player 1's payoff if player 1 responds best
    plans: Vector
    game: PublicGame

    @property
    def gap(self) -> float:
        """The NashConv in the filtered game, up to rounding errors."""
        return self.upper - self.lower

    def plan(self, tree: PublicTree, player: int) -> Plan:
        """Return a player's plan for the game's public tree; all weights are positive."""
        return self.game.plan(tree, player, self.plans)


def interior_point(
    game: FilteredGame,
    clock: Clock,
    gap: float = 0.0,
    threads: int = 1,
) -> Iterator[Iterate]:
    """Yield the iterates of the method, until the target gap or until rounding errors stop the progress.

    Near the end an iterate may be worse than the iterate before, so keep the best one.

    Parameters
    ----------
    game : FilteredGame
    clock : Clock
        It may raise to stop the work between any two blocks.
    gap : float
        The target NashConv, in units of payoff.
    threads : int
        The number of threads that share the public states of a round.

    Raises
    ------
    LimitReached
        The clock has stopped the work.

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
    """Plans and slacks, whose products are near those of the central path."""

    def __init__(self, game: PublicGame, plans: Vector, slacks: Vector) -> None:
        self.game = game
        self.plans = plans
        self.slacks = slacks
        self._gradients = tuple(game.gradient(p, plans, 1.0) for p in (0, 1))

    @property
    def mean(self) -> float:
        """The mean of all products."""
        return self.game.dot(self.plans, self.slacks) / max(1, len(self.plans))

    def bounds(self) -> tuple[float, float]:
        """Return player 1's payoffs for both plans: against player 2's best response, and with player 1's own."""
        values = [self.game.best_value(p, [g.copy() for g in self._gradients[p]]) for p in (0, 1)]
        return values[1], values[0]

    def defects(self) -> Vector:
        """Return the defects of the slacks, which are added to make them true slacks."""
        gradients = [[sign * g for g in self._gradients[p]] for p, sign in ((0, 1.0), (1, -1.0))]
        for p in (0, 1):
            for value, slack in zip(gradients[p], self.game.views(p, self.slacks), strict=True):
                value[:, :, 1:] += slack
        return without_multipliers(self.game, gradients, self.slacks)

    def moved(self, change: Change, lengths: tuple[float, float]) -> tuple[Vector, Vector]:
        """Return the plans and slacks after a step; the first length is for (x, t), the second for (y, s)."""
        sizes = [self.game.num_sequences(p) for p in (0, 1)]
        moves, shifts = change
        return self.plans + np.repeat(lengths, sizes) * moves, self.slacks + np.repeat(lengths[::-1], sizes) * shifts


def without_multipliers(game: PublicGame, gradients: list[Gradient], slack: Vector) -> Vector:
    """Subtract values of information sets from both players' gradients; the result is small relative to the slacks.

    The value of an information set is a weighted mean over its actions, computed from the last round upwards. Weights
    fall with the square of the slacks. The gradients are overwritten.
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
        """Compute the changes of plans and slacks that bring the products to the targets and remove the defects.

        With ``defects=None`` the targets are changes of the products, and the defects do not change.
        """
        plans, slacks = self._point.plans, self._point.slacks
        aim = targets / plans
        if defects is not None:
            aim -= slacks
        moves = self._solve(aim if defects is None else aim + defects)
        return moves, aim - slacks / plans * moves

    def _solve(self, right: Vector) -> Vector:
        """Solve for plans, and refine the solution by conjugate residuals in units of the slacks."""
        self._clock.check()
        moves = self._elimination.solve(right)
        if not self._checked:
            return moves
        slacks, dot = self._point.slacks, self._point.game.dot
        rest, self.error = self._residual(right, moves)
        if self.error < 1e-3 * _ACCURACY:
            self._checked = False  # the next solutions need no refinement either
        zero = np.zeros_like(right)
        taken: list[tuple[Vector, Vector, float]] = []  # changes, their images over the slacks, squared norms of these
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
        """Return the residual of a solution, and its norm in units of the slacks."""
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
    # Set the target of the mean product: the better the predictor, the lower the target.
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
    short = min(max(0.9, 1 - mean * count), 0.9995)  # stop before the boundary, where weights or slacks are 0
    plans, slacks = point.moved(change, _at_most(1.0, (short * lengths[0], short * lengths[1])))
    return _Point(point.game, point.game.normalized(plans), slacks)


def _at_most(most: float, lengths: tuple[float, float]) -> tuple[float, float]:
    return min(most, lengths[0]), min(most, lengths[1])


def _weighted(
    point: _Point, base: Change, more: Change, lengths: tuple[float, float]
) -> tuple[float, float, tuple[float, float]]:
    """Find the best weight of a corrector.

    Return the sum of both step lengths (counted up to 1 each), the weight, and the step lengths.
    """
    weights = np.linspace(max(0.1, min(1.0, lengths[0]) * min(1.0, lengths[1])), 1.0, 8)
    both = _all_lengths(point, base, more, weights).T.tolist()
    return max(
        (min(1.0, a) + min(1.0, b), weight, (a, b)) for weight, (a, b) in zip(weights.tolist(), both, strict=True)
    )


def _lengths(point: _Point, change: Change) -> tuple[float, float]:
    """Return the step lengths at which (x, t) and (y, s) reach the boundary of nonnegative numbers; at most 1e6."""
    return pair(_all_lengths(point, change, change, np.zeros(1))[:, 0].tolist())


def _all_lengths(point: _Point, base: Change, more: Change, weights: FloatArray) -> FloatArray:
    """Return the step lengths for ``base + weight * more``, for each weight, [2, weights]."""
    ratios = np.full((2, len(weights)), 1e-6)
    for p, part in enumerate(point.game.parts):
        _fall(point.plans[part], base[0][part], more[0][part], weights, ratios[p])
        _fall(point.slacks[part], base[1][part], more[1][part], weights, ratios[1 - p])
    lengths: FloatArray = 1 / ratios
    return lengths


@compiled
def _fall(start: Vector, change: Vector, more: Vector, weights: FloatArray, worst: FloatArray) -> None:
    """Raise ``worst`` to the largest relative decrease of a component, for each weight."""
    for i in range(len(start)):
        fall, extra = -change[i] / start[i], -more[i] / start[i]
        for k in range(len(weights)):
            worst[k] = max(worst[k], fall + weights[k] * extra)
