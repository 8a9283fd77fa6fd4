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

which :mod:`~tremble.solvers.interior_point.elimination` solves; :math:`\rho` is by how much s is not yet a slack,
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

from tremble.clock import Clock, compiled
from tremble.model.ordered.filtered import FilteredGame
from tremble.solvers.interior_point.elimination import Elimination, SingularBlockError
from tremble.solvers.interior_point.tiles import Gradient, TiledGame, Vector
from tremble.solvers.shared.public_tree import Plan, PublicTree

__all__ = ["Iterate", "interior_point"]

FloatArray = NDArray[np.float64]
Pair = tuple[Vector, Vector]

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
    correctors: int  # in the iteration that led here
    error: float  # of the last direction there: norm of the residual in units of the slacks
    plans: Pair
    tiled: TiledGame

    @property
    def gap(self) -> float:
        """What both could gain together: the NashConv in the filtered game, up to rounding of floats."""
        return self.upper - self.lower

    def plan(self, tree: PublicTree, player: int) -> Plan:
        """A plan of the game's public tree, all weights positive."""
        return self.tiled.plan(tree, player, self.plans[player])


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
        That share the tiles of a round.

    Raises
    ------
    LimitReached

    Examples
    --------
    >>> from tremble.games.rhode_island import RhodeIsland
    >>> from tremble.reductions.lossless import lossless_filter
    >>> small = RhodeIsland(ranks=2, suits=2, raises=1)
    >>> *_, last = interior_point(FilteredGame.of(small, lossless_filter(small)), Clock(None), gap=1e-8)
    >>> last.gap < 1e-8
    True
    """
    tiled = TiledGame.of(game)
    plans = tiled.centered(0), tiled.centered(1)
    mu = _START / max(1, len(plans[0]) + len(plans[1]))
    state = _State(tiled, plans, (mu / plans[0], mu / plans[1]))
    executor = ThreadPoolExecutor(threads) if threads > 1 else None
    number = idle = correctors = 0
    error, best = 0.0, np.inf
    try:
        while True:
            lower, upper = (bound * tiled.unit for bound in state.bounds())
            yield Iterate(number, lower, upper, correctors, error, state.plans, tiled)
            idle = 0 if upper - lower < 0.99 * best else idle + 1
            best = min(best, upper - lower)
            if best <= gap or idle > _PATIENCE:
                return
            step = _step(state, clock, executor)
            if step is None:
                return
            state, correctors, error = step
            number += 1
    finally:
        if executor is not None:
            executor.shutdown()


class _State:
    """Plans and slacks."""

    def __init__(self, game: TiledGame, plans: Pair, slacks: Pair) -> None:
        self.game = game
        self.plans = plans
        self.slacks = slacks
        self._gradients = tuple(game.gradient(p, plans[1 - p], 1.0) for p in (0, 1))

    @property
    def mean(self) -> float:
        """Of all products."""
        return _dot(self.plans, self.slacks) / max(1, sum(map(len, self.plans)))

    def bounds(self) -> tuple[float, float]:
        """What player 1's plan secures, and what player 2's concedes."""
        values = [self.game.best_value(p, [g.copy() for g in self._gradients[p]]) for p in (0, 1)]
        return values[1], values[0]

    def defects(self) -> Pair:
        """What is to be added to the slacks to make them true ones."""
        found = []
        for p, sign in ((0, 1.0), (1, -1.0)):
            gradient = [sign * g for g in self._gradients[p]]
            for value, slack in zip(gradient, self.game.views(p, self.slacks[p]), strict=True):
                value[:, :, 1:] += slack
            found.append(without_multipliers(self.game, p, gradient, self.slacks[p]))
        return found[0], found[1]


def without_multipliers(game: TiledGame, player: int, gradient: Gradient, slack: Vector) -> Vector:
    """A gradient less values of information sets, small beside the slacks.

    Each value is the mean over the actions, bottom-up, in weights that fall with the square of the slacks. The gradient
    is used up.
    """
    found = np.empty_like(slack)
    out, slacks = game.views(player, found), game.views(player, slack)
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
    return found


def _dot(one: Pair, two: Pair) -> float:
    return float(one[0] @ two[0]) + float(one[1] @ two[1])


def _less(one: Pair, part: float, two: Pair) -> Pair:
    return one[0] - part * two[0], one[1] - part * two[1]


class _Directions:
    """Newton directions from a state."""

    def __init__(self, state: _State, ridge: float, clock: Clock, executor: Executor | None) -> None:
        self._state, self._clock = state, clock
        diagonal = tuple(s / x for x, s in zip(state.plans, state.slacks, strict=True))
        self._elimination = Elimination(state.game, (diagonal[0], diagonal[1]), ridge, clock, executor)
        self._checked = True
        self.error = 0.0

    def towards(self, targets: Pair | None, defects: Pair | None) -> tuple[Pair, Pair]:
        """Changes of plans and slacks that bring the products to the targets (0 if None).

        With no defects the targets are changes of the products instead, and slacks stay as true as they are.
        """
        plans, slacks = self._state.plans, self._state.slacks
        aim = [t / x for t, x in zip(targets, plans, strict=True)] if targets else [0.0 * x for x in plans]
        if defects is not None:
            for p in (0, 1):
                aim[p] -= slacks[p]
        right = (aim[0] + defects[0], aim[1] + defects[1]) if defects is not None else (aim[0], aim[1])
        moves = self._solve(right)
        change = [aim[p] - slacks[p] / plans[p] * moves[p] for p in (0, 1)]
        return moves, (change[0], change[1])

    def _solve(self, right: Pair) -> Pair:
        """Solve, and refine by conjugate residuals, in slacks relative to those there are, as long as that helps."""
        self._clock.check()
        found = self._elimination.solve(right)
        if not self._checked:
            return found
        slacks = self._state.slacks
        rest, self.error = self._rest(right, found)
        if self.error < 1e-3 * _ACCURACY:
            self._checked = False  # nor will the next solutions need it
        none = np.zeros_like(right[0]), np.zeros_like(right[1])
        taken: list[tuple[Pair, Pair, float]] = []  # changes, their images over the slacks, squared norms of these
        for _ in range(_REFINEMENTS):
            if self.error < _ACCURACY:
                break
            self._clock.check()
            more = self._elimination.solve(rest)
            image, _ = self._rest(none, more)
            scaled = -image[0] / slacks[0], -image[1] / slacks[1]
            for change, other, square in taken:
                part = _dot(scaled, other) / square
                more, scaled = _less(more, part, change), _less(scaled, part, other)
            square = _dot(scaled, scaled)
            target = rest[0] / slacks[0], rest[1] / slacks[1]
            if not np.isfinite(square) or square == 0:
                break
            taken = [*taken[1 - _REMEMBERED :], (more, scaled, square)]
            part = _dot(target, scaled) / square
            found = _less(found, -part, more)
            target = _less(target, part, scaled)
            rest = target[0] * slacks[0], target[1] * slacks[1]
            self.error = float(np.sqrt(_dot(target, target)))
        return found

    def _rest(self, right: Pair, found: Pair) -> tuple[Pair, float]:
        """What is left of the right-hand sides, and its norm in units of the slacks."""
        game, slacks = self._state.game, self._state.slacks
        rest = self._elimination.residual(right, found)
        one, two = (without_multipliers(game, p, rest[p], slacks[p]) for p in (0, 1))
        scaled = one / slacks[0], two / slacks[1]
        return (one, two), float(np.sqrt(_dot(scaled, scaled)))


def _step(state: _State, clock: Clock, executor: Executor | None) -> tuple[_State, int, float] | None:
    """The next state, how many correctors were used, and the error; None where no direction can be found."""
    defects = state.defects()
    ridge = _RIDGE
    for _ in range(3):
        with suppress(SingularBlockError):
            directions = _Directions(state, ridge, clock, executor)
            moves, changes = directions.towards(None, defects)
            if directions.error < 1:
                break
        ridge *= 100
    else:
        return None
    plans, slacks, mean = state.plans, state.slacks, state.mean
    one, two = (min(1.0, a) for a in _lengths(state, moves, changes))
    after = sum(
        float((plans[p] + (one, two)[p] * moves[p]) @ (slacks[p] + (two, one)[p] * changes[p])) for p in (0, 1)
    ) / max(1, sum(map(len, plans)))
    target = mean * min(max((after / mean) ** 3, _LEAST_TARGET), 1.0)
    aims = [np.clip(target - moves[p] * changes[p], -_HIGH * mean, _HIGH * mean) for p in (0, 1)]
    moves, changes = directions.towards((aims[0], aims[1]), defects)
    lengths = _lengths(state, moves, changes)
    used = 0
    while used < _CORRECTORS and min(lengths) < 1:
        one, two = (min(1.0, a + _LONGER) for a in lengths)
        aims = []
        for p in (0, 1):
            product = (plans[p] + (one, two)[p] * moves[p]) * (slacks[p] + (two, one)[p] * changes[p])
            aims.append(np.maximum(np.clip(product, _LOW * target, _HIGH * target) - product, -_HIGH * target))
        more, shifts = directions.towards((aims[0], aims[1]), None)
        best, weight, found = _weighted(state, (moves, changes), (more, shifts), lengths)
        if best < sum(min(1.0, a) for a in lengths) + _GAIN:
            break
        lengths = found
        moves = moves[0] + weight * more[0], moves[1] + weight * more[1]
        changes = changes[0] + weight * shifts[0], changes[1] + weight * shifts[1]
        used += 1
    short = min(max(0.9, 1 - mean * sum(map(len, plans))), 0.9995)  # never quite to the boundary
    one, two = (min(1.0, short * a) for a in lengths)
    fresh = [state.game.normalized(p, plans[p] + (one, two)[p] * moves[p]) for p in (0, 1)]
    slack = [slacks[p] + (two, one)[p] * changes[p] for p in (0, 1)]
    return _State(state.game, (fresh[0], fresh[1]), (slack[0], slack[1])), used, directions.error


def _weighted(
    state: _State, base: tuple[Pair, Pair], more: tuple[Pair, Pair], lengths: tuple[float, float]
) -> tuple[float, float, tuple[float, float]]:
    """The best weight of a corrector: the sum of the step lengths, up to 1 each, the weight, and the lengths."""
    weights = np.linspace(max(0.1, min(1.0, lengths[0]) * min(1.0, lengths[1])), 1.0, 8)
    both = _all_lengths(state, base, more, weights)
    found = [
        (min(1.0, one) + min(1.0, two), weight, (one, two))
        for weight, one, two in zip(weights.tolist(), *(lengths.tolist() for lengths in both), strict=True)
    ]
    return max(found)


def _lengths(state: _State, moves: Pair, changes: Pair) -> tuple[float, float]:
    """How far (x, t) and (y, s) can go before something gets negative; at most 1e6."""
    one, two = _all_lengths(state, (moves, changes), (moves, changes), np.zeros(1))
    return float(one[0]), float(two[0])


def _all_lengths(
    state: _State, base: tuple[Pair, Pair], more: tuple[Pair, Pair], weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The lengths for the base plus each weight times more."""
    ratios = np.full((2, len(weights)), 1e-6)
    for p in (0, 1):
        _fall(state.plans[p], base[0][p], more[0][p], weights, ratios[p])
        _fall(state.slacks[1 - p], base[1][1 - p], more[1][1 - p], weights, ratios[p])
    return 1 / ratios[0], 1 / ratios[1]


@compiled
def _fall(start: Vector, change: Vector, more: Vector, weights: FloatArray, worst: FloatArray) -> None:
    """Raise the largest relative falls."""
    for i in range(len(start)):
        fall, extra = -change[i] / start[i], -more[i] / start[i]
        for k in range(len(weights)):
            worst[k] = max(worst[k], fall + weights[k] * extra)
