r"""The sequence-form double oracle, which computes the exact value of a large game from a small part of it.

Both players start without *allowed* sequences. A player follows a *default* strategy at every information set where it
has no allowed sequence. Each iteration has three steps (Bošanský et al. 2014):

1. Solve a linear program for the *restricted game*, in which players use only allowed sequences and defaults.
2. Compute best responses in the *whole* game to the equilibrium of the restricted game.
3. Allow the sequences of these responses.

**Bounds.** Take any plan y of player 2, and extend it to the whole game by player 2's default. The best-response value
:math:`BR_1(y)` is an upper bound on the value of the game. In the same way, :math:`-BR_2(x)` is a lower bound for any
plan x of player 1. For each bound, the run stores the best value so far and the plan that attained it. This plan is the
*incumbent*.

**Temporary leaves.** At a history where the mover p has no allowed action, the restricted game ends in a *temporary
leaf* of p. The payoff of p at this leaf assumes that p continues with its default. It also assumes that the opponent
sees everything and responds at its best. In the whole game, p gets at least this payoff if it plays its default from
this leaf on.

**Proof that the loop ends with the value.** Let V be the exact value of the restricted game for player 1. The
values for players 1 and 2 are :math:`V_1 = V` and :math:`V_2 = -V`. Let p be a player, and let b be a best response of
p that uses only allowed sequences. Then b reaches no temporary leaf of p. At a temporary leaf of the opponent, the
restricted game pays p at least what b earns in the whole game. So b earns at least :math:`BR_p` in the restricted game,
and at most :math:`V_p`, because the opponent plays its equilibrium plan. So :math:`BR_p \le V_p`.

Suppose that both players have a best response that uses only allowed sequences. Then
:math:`BR_1 + BR_2 \le V_1 + V_2 = 0`. The sum of best-response values is never negative, so it is 0 and the bounds
meet. As long as the bounds do not meet, at least one best response therefore adds a new sequence. The loop ends because
the number of sequences is finite.

**Floats and exactness.** The loop runs in floats until the gap is within a tolerance or no best response adds a
sequence. Then the restricted game is solved exactly, and exact best responses are computed. If the bounds do not meet,
the loop continues with the sequences of the exact responses. Rounding errors can cost iterations, but they cannot give
a wrong value.

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
from tremble.solvers.iterations import logged_seconds

__all__ = ["DoubleOracleRun"]

_CLIP = 1e-9  # weights below this number are set to zero in float plans
_CLOSE = 1e-9  # gap relative to the largest payoff at which exact arithmetic starts
_CREDIBLE = 1e-7  # target gaps below this share of the largest payoff need exact plans
_GRID_BITS = 40  # probabilities of incumbents are rounded to multiples of 2^-40
_IMPROVEMENT = 1e-12
_THIN = 0.03  # probabilities below this number are set to zero in the plans of regret minimization
_GAP_SHARE = 0.1  # regret minimization solves a restricted game up to this share of the gap between the bounds
_MAX_ITERATIONS = 20_000
_MAX_GAP = Fraction(2**1000)  # larger gaps do not fit into a float


@dataclass
class _Bound:
    """The lowest upper bound so far on the payoff of one player, and the opponent's plan that gives this bound."""

    value: float = np.inf  # the most that the player can earn against the plan
    plan: Plan | None = None


class DoubleOracleRun:
    """One run of the double oracle. Its fields contain the complete state between two iterations.

    Parameters
    ----------
    oracle : Oracle
        The game, with its known and allowed sequences.
    scale : float
        The largest absolute payoff. Tolerances are relative to this number.
    settings : Settings, optional
    clock : Clock, optional
        A clock that ends the run by raising ``LimitReached``. By default, the time is not limited.
    progress : callable, optional
        Called with the name of a step, and with the finished fraction of this step (None if unknown).
    report : callable, optional
        Called after each iteration with a mapping: the bounds, the counts of sequences, and the elapsed seconds.
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
        self.between_iterations = True  # False while the state of the next iteration is incomplete
        self.bounds = _Bound(), _Bound()  # upper bounds on the payoffs of players 1 and 2
        self.basis: Basis | None = None
        self.turn = 0
        self.approximate = settings.first_order > 0
        self.seconds = {"restricted": 0.0, "linear_program": 0.0, "best_response": 0.0, "exact": 0.0}
        self.simplex_iterations = 0
        self.restricted_sequences = [0, 0]  # each player's number of sequences in the last restricted game
        self._gap = None if settings.gap is None else min(settings.gap, _MAX_GAP)
        self._clock, self._progress, self._report, self._save = clock or Clock(None), progress, report, save

    # -- bounds ----------------------------------------------------------------------------------

    @property
    def lower(self) -> float:
        """The lower bound on the value of the game for player 1, in floats."""
        return -self.bounds[1].value

    @property
    def upper(self) -> float:
        """The upper bound on player 1's value of the game, as a float."""
        return self.bounds[0].value

    @property
    def incumbents_known(self) -> bool:
        """True if both players have an incumbent, which is their best plan so far."""
        return all(bound.plan is not None for bound in self.bounds)

    def incumbents(self) -> tuple[Plan, Plan] | None:
        """Return the best plan of each player so far, rounded to an exact plan, or None if a player has no plan yet."""
        plan1, plan2 = self.bounds[1].plan, self.bounds[0].plan
        if plan1 is None or plan2 is None:
            return None
        players = self.oracle.players
        return players[0].rounded(plan1, _GRID_BITS), players[1].rounded(plan2, _GRID_BITS)

    # -- the loop --------------------------------------------------------------------------------

    def run(self) -> tuple[tuple[Plan, Plan], Fraction | None]:
        """Iterate until the gap between the bounds is 0 or at most ``settings.gap``.

        Returns
        -------
        plans : pair of Plan
            Exact plans of players 1 and 2.
        value : Fraction or None
            The value of the game, or None if the run stopped at ``settings.gap``.

        Raises
        ------
        LimitReached
            A limit of the clock has been reached.
        """
        self._clock.iterations_begin()
        close = self.upper - self.lower <= self._target()  # True only if a resumed run has reached the target
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
        """Iterate in floats until the gap is at most :meth:`_target`, or until no best response adds a sequence."""
        idle = 0  # number of best responses since the last one that added a sequence
        while True:
            self._clock.check()
            game, value, plans, approximate = self._equilibrium()
            self.between_iterations = False
            before = [known.allowed.copy() for known in self.oracle.players]
            while True:
                responders = self._responders(value) if not idle else (self.turn,)
                new = sum(self._respond(player, plans) for player in responders)
                self.turn = 1 - responders[-1]
                idle = 0 if new else idle + len(responders)
                if idle >= 2 or (new and self.incumbents_known):  # without both bounds, continue
                    break
                if self.settings.published:  # each response counts as an iteration
                    self.iteration += 1
                    self._log(game, value, before)
            self.iteration += 1
            if self.upper - self.lower <= self.settings.first_order * self.scale or idle >= 2:
                self.approximate = False
            self.between_iterations = True
            self._log(game, value, before)
            self._save(self)
            if (idle >= 2 and not approximate) or self.upper - self.lower <= self._target():
                return
            if approximate and not self.approximate:
                idle = 0

    def _target(self) -> float:
        gap = self._gap
        return max(_CLOSE * self.scale, 0.0 if gap is None else float(gap) * (1 - 1e-9))

    def _responders(self, value: float) -> tuple[int, ...]:
        if self.settings.policy == "both":
            return 0, 1
        if self.settings.policy == "worse":
            distance = abs(self.bounds[0].value - value), abs(self.bounds[1].value + value)
            if distance[0] != distance[1]:
                return (int(distance[1] > distance[0]),)
        return (self.turn,)

    def _equilibrium(self) -> tuple[RestrictedGame, float, tuple[Plan, Plan], bool]:
        """Build and solve the restricted game in floats.

        Returns
        -------
        game : RestrictedGame
        value : float
        plans : pair of Plan
        approximate : bool
            True if regret minimization computed the value and the plans.
        """
        began = self._clock.elapsed
        game = self._restricted()
        built = self._clock.elapsed
        self.seconds["restricted"] += built - began
        approximate = self.approximate and game.nash.program.num_rows >= self.settings.sizes.exact_rows
        if approximate:
            value, plans = self._approximated(game)
        else:
            solution = self._solved(game)
            self.between_iterations = False
            self.basis = game.remembered(solution.basis)
            self.simplex_iterations += solution.iterations
            value, plans = game.value(solution), game.plans(solution, _CLIP)
        self.seconds["linear_program"] += self._clock.elapsed - built
        return game, value, plans, approximate

    def _restricted(self) -> RestrictedGame:
        game = self.oracle.restricted()
        self.restricted_sequences = [len(kept) for kept in game.sequences]
        return game

    def _approximated(self, game: RestrictedGame) -> tuple[float, tuple[Plan, Plan]]:
        """Run regret minimization on a restricted game until this game's gap is small relative to the whole game's gap.

        Returns
        -------
        value : float
            The midpoint of the bounds on the value of the restricted game.
        plans : pair of Plan
            The average plans of regret minimization.
        """
        from tremble.solvers.regret import VARIANTS, RegretMinimizer

        minimizer = RegretMinimizer(game.nash.form, VARIANTS["dcfr"])
        unit = float(minimizer.unit)
        target = max(self.settings.first_order * self.scale, _GAP_SHARE * (self.upper - self.lower))
        rounds = 50
        while True:
            minimizer.run(rounds)
            lower, upper = minimizer.bounds()
            if (upper - lower) * unit <= target or minimizer.iterations >= _MAX_ITERATIONS:
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
            raise SolverError("HiGHS found no basis for the linear program of a restricted game")
        return solution

    def _respond(self, player: int, plans: tuple[Plan, Plan]) -> int:
        """Add sequences of a player's best responses to the restricted game. Return the number of new sequences."""
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

    def _log(self, game: RestrictedGame, value: float, before: list[Any]) -> None:
        new = [int(k.allowed.sum() - b.sum()) for k, b in zip(self.oracle.players, before, strict=True)]
        self._report(
            {
                "iteration": self.iteration,
                **logged_seconds(self._clock),
                "lower_float": self.lower if isfinite(self.lower) else None,  # infinite before the first response
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
        """Solve the restricted game exactly, and return its plans and value if the plans are optimal in the whole game.

        Otherwise, add the sequences of the exact best responses to the restricted game and repeat. Return None as soon
        as the gap is large enough for the loop to continue in floats.
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
                    "neither best response adds a sequence, but the bounds do not meet: the rules contradict "
                    "themselves (check observation, state_key, infoset and payoff)"
                )
            if total > 1e3 * _CLOSE * self.scale:
                self.seconds["exact"] += self._clock.elapsed - began
                return None
