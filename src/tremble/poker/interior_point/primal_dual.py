r"""Equilibria of filtered games in high precision, by a primal-dual interior-point method along the public tree.

Player 1 maximises and player 2 minimises :math:`x^T A y` over plans, :math:`E x = e` and :math:`F y = f`. The plans are
optimal if there are values u and v of the information sets such that the *slacks*

.. math:: s = E^T u - A y, \qquad t = A^T x - F^T v

are not negative and vanish wherever x and y do not. The central path asks for :math:`x s = y t = \mu` (product by
product) with all of them positive; the sum of all products is the gap between :math:`e^T u` and :math:`f^T v`, and no
less than what both players together could gain by their best replies (the NashConv). Along the path,
:math:`\mu \to 0`, they approach the centre of the set of equilibria.

**Newton system.** To get to products :math:`\tau` from (x, y, s, t), linearise: :math:`ds = \tau/x - s - (s/x) dx`,
likewise dt, and put that into the differentials of the slacks. On the changes of plans that keep E x and F y, where u
and v have no say,

.. math:: (s/x)\,dx - A\,dy = \tau/x - s + \rho, \qquad A^T dx + (t/y)\,dy = \tau/y - t + \rho',

which :mod:`~tremble.poker.interior_point.elimination` solves; :math:`\rho` is by how much s is not yet a slack,
:math:`s + A y` less the nearest :math:`E^T u`. So errors of slacks are mended by every step. Feasibility of plans is
kept by choosing in proportion to the new weights. What belongs to the multipliers u is always taken off before anything
is projected: it is large and would drown the rest.

**Start.** The plans of the centre of each polytope, which choose in proportion to how many sequences follow, with
:math:`s = \mu/x`: these are on the central path of the game with payoffs 0.

**Steps.** A predictor for :math:`\tau = 0` tells how far the path can be followed, and Mehrotra's corrector aims at its
second-order curve. Then, as factors cost far more than solutions, up to six centrality correctors move those products
that a longer step would make too small or too large back into an interval around the target; each is weighted by a line
search and kept as long as it lengthens the steps. (x, t) and (y, s) move with step lengths of their own: the first
only depends on dx, the second only on dy.

**Rounding.** What is left of a Newton system is measured in units of the slacks, in which the inverse of the system is
bounded: a norm of 0.01 is an error of 1 % in what one product or all of them together should have done. Refinement goes
on until then, by conjugate residuals in that norm, the factors being the preconditioner.

The gap that is reported is not that of the products, but that of best responses to the plans: it holds whatever the
rounding errors.

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

from tremble.pairs import pair
from tremble.poker.filtered import FilteredGame
from tremble.poker.filtered_arrays import Plan, PublicTree
from tremble.poker.interior_point.elimination import Elimination, SingularBlockError
from tremble.poker.interior_point.public_states import Gradient, PublicGame, Vector
from tremble.run.clock import Clock, compiled

__all__ = ["Iterate", "interior_point"]

FloatArray = NDArray[np.float64]

Change = tuple[Vector, Vector]
"""Of the plans, and of the slacks."""

_START = 1.0  # sum of all products at first, in units of the largest payoff
_CORRECTORS = 6  # centrality correctors in an iteration, at most
_LONGER = 0.3  # by how much a corrector tries to lengthen the steps
_LOW, _HIGH = 0.1, 10.0  # products in between are left alone, in units of the target
_GAIN = 0.02  # least lengthening of both steps together that is worth another corrector
_LEAST_TARGET = 1e-3  # in units of the present products
_RIDGE = 3e-15  # added to the diagonal of blocks, relative to it
_REFINEMENTS = 10  # of the first solution of each iteration, and of others
_ACCURACY = 1e-2  # at which refinement ends: norm of the residual in units of the slacks
_PATIENCE = 10  # iterations in a row that gain less than a hundredth before giving up
_REMEMBERED = 4  # directions of refinement: they take memory


@dataclass(frozen=True, eq=False)
class Iterate:
    """Plans of both players, and what best responses to them are worth."""

    number: int
    lower: float  # what player 1's plan earns against a best response
    upper: float  # what a best response to player 2's plan earns player 1
    plans: Vector
    game: PublicGame

    @property
    def gap(self) -> float:
        """What both could gain together: the NashConv in the filtered game, up to rounding of floats."""
        return self.upper - self.lower

    def plan(self, tree: PublicTree, player: int) -> Plan:
        """A plan of the game's public tree, all weights positive."""
        return self.game.plan(tree, player, self.plans)


def interior_point(
    game: FilteredGame,
    clock: Clock,
    gap: float = 0.0,
    threads: int = 1,
) -> Iterator[Iterate]:
    """Iterates of the method, the last one at the gap or where floats come to their end.

    They need not improve from one to the next near the end: keep the best.

    Parameters
    ----------
    game : FilteredGame
    clock : Clock
        May raise between any two blocks.
    gap : float
        NashConv at which to stop, in units of payoff.
    threads : int
        That share the public states of a round.

    Raises
    ------
    LimitReached

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
    """Plans and slacks, which multiply to what the central path asks for."""

    def __init__(self, game: PublicGame, plans: Vector, slacks: Vector) -> None:
        self.game = game
        self.plans = plans
        self.slacks = slacks
        self._gradients = tuple(game.gradient(p, plans, 1.0) for p in (0, 1))

    @property
    def mean(self) -> float:
        """Of all products."""
        return self.game.dot(self.plans, self.slacks) / max(1, len(self.plans))

    def bounds(self) -> tuple[float, float]:
        """What player 1's plan secures, and what player 2's concedes."""
        values = [self.game.best_value(p, [g.copy() for g in self._gradients[p]]) for p in (0, 1)]
        return values[1], values[0]

    def defects(self) -> Vector:
        """What is to be added to the slacks to make them true ones."""
        gradients = [[sign * g for g in self._gradients[p]] for p, sign in ((0, 1.0), (1, -1.0))]
        for p in (0, 1):
            for value, slack in zip(gradients[p], self.game.views(p, self.slacks), strict=True):
                value[:, :, 1:] += slack
        return without_multipliers(self.game, gradients, self.slacks)

    def moved(self, change: Change, lengths: tuple[float, float]) -> tuple[Vector, Vector]:
        """Plans and slacks after steps of two lengths: one is for (x, t), the other one for (y, s)."""
        sizes = [self.game.num_sequences(p) for p in (0, 1)]
        moves, shifts = change
        return self.plans + np.repeat(lengths, sizes) * moves, self.slacks + np.repeat(lengths[::-1], sizes) * shifts


def without_multipliers(game: PublicGame, gradients: list[Gradient], slack: Vector) -> Vector:
    """Gradients of both players less values of information sets, small beside the slacks.

    Each value is the mean over the actions, bottom-up, in weights that fall with the square of the slacks. The
    gradients are used up.
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
                game.hand_up(player, number, value[:, :, 0], gradient[number - 1])
    return left


class _Directions:
    """Newton directions from a point."""

    def __init__(self, point: _Point, ridge: float, clock: Clock, executor: Executor | None) -> None:
        self._point, self._clock = point, clock
        self._elimination = Elimination(point.game, point.slacks / point.plans, ridge, clock, executor)
        self._checked = True
        self.error = 0.0

    def towards(self, targets: Vector | float, defects: Vector | None) -> Change:
        """Changes of plans and slacks that bring the products to the targets.

        With no defects the targets are changes of the products instead, and slacks stay as true as they are.
        """
        plans, slacks = self._point.plans, self._point.slacks
        aim = targets / plans
        if defects is not None:
            aim -= slacks
        moves = self._solve(aim if defects is None else aim + defects)
        return moves, aim - slacks / plans * moves

    def _solve(self, right: Vector) -> Vector:
        """Solve, and refine by conjugate residuals, in slacks relative to those there are, as long as that helps."""
        self._clock.check()
        moves = self._elimination.solve(right)
        if not self._checked:
            return moves
        slacks, dot = self._point.slacks, self._point.game.dot
        rest, self.error = self._rest(right, moves)
        if self.error < 1e-3 * _ACCURACY:
            self._checked = False  # nor will the next solutions need it
        none = np.zeros_like(right)
        taken: list[tuple[Vector, Vector, float]] = []  # changes, their images over the slacks, squared norms of these
        for _ in range(_REFINEMENTS):
            if self.error < _ACCURACY:
                break
            self._clock.check()
            more = self._elimination.solve(rest)
            scaled = -self._rest(none, more)[0] / slacks
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

    def _rest(self, right: Vector, moves: Vector) -> tuple[Vector, float]:
        """What is left of the right-hand sides, and its norm in units of the slacks."""
        game, slacks = self._point.game, self._point.slacks
        rest = without_multipliers(game, self._elimination.residual(right, moves), slacks)
        scaled = rest / slacks
        return rest, float(np.sqrt(game.dot(scaled, scaled)))


def _step(point: _Point, clock: Clock, executor: Executor | None) -> _Point | None:
    """The next point; None where no direction can be found."""
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
    mean, count = point.mean, len(point.plans)
    after = point.game.dot(*point.moved(change, _at_most(1.0, _lengths(point, change)))) / max(1, count)
    target = mean * min(max((after / mean) ** 3, _LEAST_TARGET), 1.0)
    aims = np.clip(target - change[0] * change[1], -_HIGH * mean, _HIGH * mean)
    change = directions.towards(aims, defects)
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
    short = min(max(0.9, 1 - mean * count), 0.9995)  # never quite to the boundary
    plans, slacks = point.moved(change, _at_most(1.0, (short * lengths[0], short * lengths[1])))
    return _Point(point.game, point.game.normalized(plans), slacks)


def _at_most(most: float, lengths: tuple[float, float]) -> tuple[float, float]:
    return min(most, lengths[0]), min(most, lengths[1])


def _weighted(
    point: _Point, base: Change, more: Change, lengths: tuple[float, float]
) -> tuple[float, float, tuple[float, float]]:
    """The best weight of a corrector: the sum of the step lengths, up to 1 each, the weight, and the lengths."""
    weights = np.linspace(max(0.1, min(1.0, lengths[0]) * min(1.0, lengths[1])), 1.0, 8)
    both = _all_lengths(point, base, more, weights).T.tolist()
    return max(
        (min(1.0, a) + min(1.0, b), weight, (a, b)) for weight, (a, b) in zip(weights.tolist(), both, strict=True)
    )


def _lengths(point: _Point, change: Change) -> tuple[float, float]:
    """How far (x, t) and (y, s) can go before something gets negative; at most 1e6."""
    return pair(_all_lengths(point, change, change, np.zeros(1))[:, 0].tolist())


def _all_lengths(point: _Point, base: Change, more: Change, weights: FloatArray) -> FloatArray:
    """The lengths for the base plus each weight times more, [2, weights]."""
    ratios = np.full((2, len(weights)), 1e-6)
    for p, part in enumerate(point.game.parts):
        _fall(point.plans[part], base[0][part], more[0][part], weights, ratios[p])
        _fall(point.slacks[part], base[1][part], more[1][part], weights, ratios[1 - p])
    lengths: FloatArray = 1 / ratios
    return lengths


@compiled
def _fall(start: Vector, change: Vector, more: Vector, weights: FloatArray, worst: FloatArray) -> None:
    """Raise the largest relative falls."""
    for i in range(len(start)):
        fall, extra = -change[i] / start[i], -more[i] / start[i]
        for k in range(len(weights)):
            worst[k] = max(worst[k], fall + weights[k] * extra)
