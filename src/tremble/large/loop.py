r"""The sequence-form double oracle: the exact value of a game from a small part of it.

Both players start with no sequences, and play a *default* wherever they have none. Each iteration solves the
restricted game of the allowed sequences as a linear program, computes best responses to its equilibrium in the
*whole* game, and allows their sequences (Bošanský et al. 2014).

**Bounds.** For any plan y of player 2, extended by its default to the whole game, the best-response value
:math:`BR_1(y)` bounds the value of the game from above, and :math:`-BR_2(x)` bounds it from below. The best bound on
either side is kept with the plan that attained it, the *incumbent*.

**Why it ends with the value.** Let V be the value of the restricted game with exact arithmetic. At a temporary
leaf of player p the restricted game pays what p gets when p plays its default on and the other one, all-knowing,
responds at its best: at most what p really gets there. If p's best response b uses allowed sequences only, it meets
no temporary leaf of its own; where it meets one of the other's, the restricted game pays p at least what b earns
there. So the restricted game pays at least :math:`BR_p`, and less than or equal to its equilibrium value:
:math:`BR_p \le V_p`. If that holds for both, :math:`BR_1 + BR_2 \le V - V = 0`, and the sum of best-response
values is never negative. So as long as the bounds do not meet, somebody's best response brings a new sequence, of
which there are finitely many.

**Floats and exactness.** The loop runs in floats until the bounds are within a tolerance or nothing new is found; then
the restricted game is solved exactly, exact best responses are computed, and the loop goes on with their sequences if
the bounds do not meet. Any error in floats costs iterations, never a wrong value.

References
----------
B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček: An exact double-oracle algorithm for zero-sum
extensive-form games with imperfect information, Journal of Artificial Intelligence Research 51, 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from tremble.errors import SolverError
from tremble.exact.highs import FloatSolver
from tremble.exact.lexicographic import optimize
from tremble.large.oracle import Oracle
from tremble.large.restricted import Basis, RestrictedGame
from tremble.large.sequences import Plan
from tremble.large.settings import Settings
from tremble.run.clock import Clock, attempted
from tremble.run.progress import Progress
from tremble.solvers.run import logged_seconds

__all__ = ["DoubleOracleRun"]

_CLIP = 1e-9  # weights below are taken for zero
_CLOSE = 1e-9  # relative to the payoffs: bounds this close are left to exact arithmetic
_CREDIBLE = 1e-7  # relative to the payoffs: gaps that floats and rounded plans can be trusted with
_GRID_BITS = 40  # incumbents are rounded to multiples of 2^-40
_IMPROVEMENT = 1e-12
_THIN = 0.03  # what regret minimisation plays with less probability than this is left out
_SHARE = 0.1  # of the present gap: how well restricted games are solved while it is wide
_MOST_ITERATIONS = 20_000
_WIDEST = Fraction(2**1000)  # gaps beyond floats are cut to this


@dataclass
class _Bound:
    """The best bound for one side so far, and the plan of the other one that attained it."""

    value: float = np.inf  # the responder earns at most this
    plan: Plan | None = None


class DoubleOracleRun:
    """One run of the double oracle; everything that the next iteration depends on is in its fields.

    Parameters
    ----------
    oracle : Oracle
    scale : float
        Largest payoff, for tolerances.
    settings : Settings, optional
    clock : Clock, optional
        Ends the run by ``LimitReached``; there is no limit without one.
    progress : callable, optional
        Called with the name of a step, and what fraction of it is done, or None.
    report : callable, optional
        Called with one mapping per iteration.
    save : callable, optional
        Called with the run after each iteration.

    Examples
    --------
    >>> import tremble
    >>> from tremble.large import TreeOracle
    >>> from tremble.strategies import SequenceForm
    >>> kuhn = tremble.load("kuhn")
    >>> run = DoubleOracleRun(TreeOracle(kuhn, SequenceForm.of(kuhn)), 2.0)
    >>> run.run()[1]
    Fraction(-1, 18)
    """

    def __init__(
        self,
        oracle: Oracle,
        scale: float,
        settings: Settings | None = None,
        clock: Clock | None = None,
        progress: Progress = lambda step, fraction: None,
        report: Callable[[Mapping[str, Any]], None] = lambda row: None,
        save: Callable[[DoubleOracleRun], None] = lambda run: None,
    ) -> None:
        self.oracle = oracle
        self.settings = settings = settings or Settings()
        self.scale = max(scale, 1e-300)
        self.iteration = 0
        self.between_iterations = True  # nothing that the next iteration depends on is half changed
        self.bounds = _Bound(), _Bound()  # of the best-response values of players 1 and 2
        self.basis: Basis | None = None
        self.turn = 0
        self.approximate = settings.first_order > 0
        self.seconds = {"restricted": 0.0, "linear_program": 0.0, "best_response": 0.0, "exact": 0.0}
        self.simplex_iterations = 0
        self.restricted_sequences = [0, 0]  # in the last restricted game, the empty ones included
        self._gap = None if settings.gap is None else min(settings.gap, _WIDEST)
        self._clock, self._progress, self._report, self._save = clock or Clock(None), progress, report, save

    # -- bounds ----------------------------------------------------------------------------------

    @property
    def lower(self) -> float:
        """What player 1 can guarantee, as far as floats tell."""
        return -self.bounds[1].value

    @property
    def upper(self) -> float:
        """What player 2 can hold player 1 down to."""
        return self.bounds[0].value

    @property
    def incumbents_known(self) -> bool:
        """Whether both bounds have been attained by some plan."""
        return all(bound.plan is not None for bound in self.bounds)

    def incumbents(self) -> tuple[Plan, Plan] | None:
        """Exact plans close to those that attained the bounds."""
        plan1, plan2 = self.bounds[1].plan, self.bounds[0].plan
        if plan1 is None or plan2 is None:
            return None
        players = self.oracle.players
        return players[0].rounded(plan1, _GRID_BITS), players[1].rounded(plan2, _GRID_BITS)

    # -- the loop --------------------------------------------------------------------------------

    def run(self) -> tuple[tuple[Plan, Plan], Fraction | None]:
        """Iterate.

        Returns
        -------
        plans : pair of Plan
            Exact ones.
        value : Fraction or None
            The value of the game where the bounds met exactly; None where the gap in the settings was met first.

        Raises
        ------
        LimitReached
            From the clock.
        """
        self._clock.iterations_begin()
        close = self.upper - self.lower <= self._target()  # a run that goes on from there
        while True:
            if not close:
                self._approach()
            close = False
            gap = self._gap
            if gap is not None and gap >= _CREDIBLE * self.scale and self.upper - self.lower <= gap:
                plans = self.incumbents()
                assert plans is not None
                return plans, None
            closed = self._close()
            if closed is not None:
                return closed

    def _approach(self) -> None:
        """Iterate in floats until the bounds are close or nothing new is found."""
        idle = 0  # best responses in a row that brought nothing new
        while True:
            self._clock.check()
            game, value, plans, approximate = self._equilibrium()
            self.between_iterations = False
            before = [known.allowed.copy() for known in self.oracle.players]
            while True:
                asked = self._whose_turn(value) if not idle else (self.turn,)
                new = sum(self._respond(player, plans) for player in asked)
                self.turn = 1 - asked[-1]
                idle = 0 if new else idle + len(asked)
                if idle >= 2 or (new and self.incumbents_known):  # at first both answer the other's default
                    break
                if self.settings.published:  # where each answer is an iteration
                    self.iteration += 1
                    self._tell(game, value, before)
            self.iteration += 1
            if self.upper - self.lower <= self.settings.first_order * self.scale or idle >= 2:
                self.approximate = False
            self.between_iterations = True
            self._tell(game, value, before)
            self._save(self)
            if (idle >= 2 and not approximate) or self.upper - self.lower <= self._target():
                return
            if approximate and not self.approximate:
                idle = 0

    def _target(self) -> float:
        gap = self._gap
        return max(_CLOSE * self.scale, 0.0 if gap is None else float(gap) * (1 - 1e-9))

    def _whose_turn(self, value: float) -> tuple[int, ...]:
        if self.settings.policy == "both":
            return 0, 1
        if self.settings.policy == "worse":
            distance = abs(self.bounds[0].value - value), abs(self.bounds[1].value + value)
            if distance[0] != distance[1]:
                return (int(distance[1] > distance[0]),)
        return (self.turn,)

    def _equilibrium(self) -> tuple[RestrictedGame, float, tuple[Plan, Plan], bool]:
        """Build the restricted game; its value and plans in floats, and whether these are approximate."""
        began = self._clock.elapsed
        game = self._restricted()
        put_together = self._clock.elapsed
        self.seconds["restricted"] += put_together - began
        approximate = self.approximate and game.nash.program.num_rows >= self.settings.sizes.exact_rows
        if approximate:
            value, plans = self._approximated(game)
        else:
            solution = self._solved(game)
            self.between_iterations = False
            self.basis = game.remembered(solution.basis)
            self.simplex_iterations += solution.iterations
            value, plans = game.value(solution), game.plans(solution, _CLIP)
        self.seconds["linear_program"] += self._clock.elapsed - put_together
        return game, value, plans, approximate

    def _restricted(self) -> RestrictedGame:
        game = self.oracle.restricted()
        self.restricted_sequences = [len(kept) for kept in game.sequences]
        return game

    def _approximated(self, game: RestrictedGame) -> tuple[float, tuple[Plan, Plan]]:
        """The average plans of regret minimisation, run until they are much closer than the bounds."""
        from tremble.solvers.regret import VARIANTS, RegretMinimizer

        minimizer = RegretMinimizer(game.nash.form, VARIANTS["dcfr"])
        unit = float(minimizer.unit)
        aim = max(self.settings.first_order * self.scale, _SHARE * (self.upper - self.lower))
        rounds = 50
        while True:
            minimizer.run(rounds)
            lower, upper = minimizer.bounds()
            if (upper - lower) * unit <= aim or minimizer.iterations >= _MOST_ITERATIONS:
                break
            self._clock.check()
            rounds = minimizer.iterations
        plan1, plan2 = (game.thinned(player, minimizer.average(player), _THIN) for player in (0, 1))
        return (lower + upper) / 2 * unit, (plan1, plan2)

    def _solved(self, game: RestrictedGame) -> Any:
        solver = FloatSolver(game.nash.program, self._clock.check, tolerance=1e-9)
        solution = attempted(lambda: solver.solve(game.start(self.basis)))
        if solution is None or not solution.optimal:
            solver = FloatSolver(game.nash.program, self._clock.check)
            solution = attempted(lambda: solver.solve())
        if solution is None:
            raise SolverError("HiGHS found no basis of a restricted game")
        return solution

    def _respond(self, player: int, plans: tuple[Plan, Plan]) -> int:
        """Best responses of a player, and how many new sequences they bring."""
        began = self._clock.elapsed
        other = 1 - player
        queries = [plans[other]]
        incumbent = self.bounds[player].plan
        if self.settings.smoothing and incumbent is not None:
            known = self.oracle.players[other]
            queries.append(known.mixture(incumbent, plans[other], self.settings.smoothing))
        responses = []
        for plan in queries:
            response = self.oracle.respond(player, plan)
            responses.append(response)
            value = float(response.value)
            if value < self.bounds[player].value - _IMPROVEMENT * self.scale:
                self.bounds[player].value, self.bounds[player].plan = value, plan
        new = sum(self.oracle.add(response) for response in responses)
        self.seconds["best_response"] += self._clock.elapsed - began
        return new

    def _tell(self, game: RestrictedGame, value: float, before: list[Any]) -> None:
        new = [int(k.allowed.sum() - b.sum()) for k, b in zip(self.oracle.players, before, strict=True)]
        self._report(
            {
                "iteration": self.iteration,
                **logged_seconds(self._clock),
                "lower_float": self.lower if isfinite(self.lower) else None,  # until the player has responded
                "upper_float": self.upper if isfinite(self.upper) else None,
                "restricted_value_float": value,
                "restricted_sequences": self.restricted_sequences,
                "new_sequences": new,
                "temporary_leaves": game.leaves.temporary,
                **{f"{name}_seconds_float": seconds for name, seconds in self.seconds.items()},
            }
        )
        self._progress(
            f"double oracle, iteration {self.iteration}: value between {self.lower:.9g} and {self.upper:.9g}", None
        )

    # -- the exact end ---------------------------------------------------------------------------

    def _close(self) -> tuple[tuple[Plan, Plan], Fraction] | None:
        """Solve the restricted game exactly; its plans and value if they are optimal in the whole game.

        Otherwise the exact best responses are allowed, and the loop goes on.
        """
        self._progress("exact solution of the restricted game", None)
        began = self._clock.elapsed
        while True:
            game = self._restricted()
            solution = self._solved(game)
            vertex, _ = optimize(game.nash.program, solution.basis, self._clock.check)
            plans = game.exact_plans(vertex)
            self._progress("exact best responses", None)
            responses = [self.oracle.respond_exactly(i, plans[1 - i]) for i in (0, 1)]
            total = responses[0].value + responses[1].value
            if total == 0:
                value = responses[0].value
                assert isinstance(value, Fraction)
                self.seconds["exact"] += self._clock.elapsed - began
                return plans, value
            self.between_iterations = False
            self.basis = game.remembered(np.flatnonzero(vertex.basic))
            new = sum(self.oracle.add(response) for response in responses)
            self.between_iterations = True
            if not new:
                raise SolverError(
                    "neither player's best response is new, but the bounds do not meet: the rules contradict "
                    "themselves (observation, state_key, infoset or payoff)"
                )
            if total > 1e3 * _CLOSE * self.scale:
                self.seconds["exact"] += self._clock.elapsed - began
                return None
