"""The public function that solves a game; :mod:`tremble.solvers.runner` does the work."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar, cast, overload

from tremble.errors import SolverError
from tremble.game.protocol import Game, Playable
from tremble.game.rules import UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy, Profile
from tremble.game.tree import GameTree
from tremble.run.progress import Progress
from tremble.solution.claim import Claim, Strategy
from tremble.solution.parts import MethodReference
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.method import Log, Method, nobody_listens
from tremble.solvers.recorder import proven_solution
from tremble.solvers.runner import solve_recording

__all__ = ["proven_equilibrium", "solve"]

S = TypeVar("S", bound=Strategy)


@overload
def solve(
    game: GameTree, concept: str = "nash", method: str | Method = "auto", *, time_limit: float | None = None,
    gap: Fraction | float | None = None, progress: Progress | None = None, seed: int | None = None,
    trembles: Trembles | None = None, checkpoint: str | os.PathLike[str] | None = None, report: Log | None = None,
    player: int | None = None, epsilon: Fraction | float | None = None, epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution[BehaviorStrategy]: ...  # fmt: skip
@overload
def solve(
    game: Playable[S], concept: str = "nash", method: str | Method = "auto", *, time_limit: float | None = None,
    gap: Fraction | float | None = None, progress: Progress | None = None, seed: int | None = None,
    trembles: Trembles | None = None, checkpoint: str | os.PathLike[str] | None = None, report: Log | None = None,
    player: int | None = None, epsilon: Fraction | float | None = None, epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution[S]: ...  # fmt: skip
@overload
def solve(
    game: Game, concept: str = "nash", method: str | Method = "auto", *, time_limit: float | None = None,
    gap: Fraction | float | None = None, progress: Progress | None = None, seed: int | None = None,
    trembles: Trembles | None = None, checkpoint: str | os.PathLike[str] | None = None, report: Log | None = None,
    player: int | None = None, epsilon: Fraction | float | None = None, epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution[UnbuiltStrategy]: ...  # fmt: skip
@overload
def solve(
    game: object, concept: str = "nash", method: str | Method = "auto", *, time_limit: float | None = None,
    gap: Fraction | float | None = None, progress: Progress | None = None, seed: int | None = None,
    trembles: Trembles | None = None, checkpoint: str | os.PathLike[str] | None = None, report: Log | None = None,
    player: int | None = None, epsilon: Fraction | float | None = None, epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution: ...  # fmt: skip
def solve(
    game: object,
    concept: str = "nash",
    method: str | Method = "auto",
    *,
    time_limit: float | None = None,
    gap: Fraction | float | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
    trembles: Trembles | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    report: Log | None = None,
    player: int | None = None,
    epsilon: Fraction | float | None = None,
    epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution:
    """Solve a game, and prove the answer.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
        See :func:`tremble.load`, :func:`tremble.load_rules`, :func:`tremble.build`, :func:`tremble.read_efg`. The
        double oracle accepts rules that are not built.
    concept : str
        ``"nash"``, ``"quasi-perfect"``, ``"sequential"``, ``"perfect"`` (extensive-form perfect),
        ``"normal-form-perfect"`` (undominated) or ``"proper"`` (constant sum). One of possibly many equilibria
        is computed. A sequential equilibrium is the quasi-perfect one with its beliefs. Or
        ``"one-sided-quasi-perfect"``: ``trembles`` name a player who makes no mistakes. Or ``"maxmin"``: a behavior
        strategy that guarantees one player the most, with the other player's answer; payoffs may have any sum, and
        the player may forget. Case, hyphens and blanks do not matter. Short names are ``"ne"``, ``"qpe"``, ``"se"``
        and ``"efpe"``. A sequential equilibrium answers ``"spe"`` (``"subgame-perfect"``) and ``"pbe"``
        (``"perfect Bayesian"``), with a ``TrembleWarning``.
    method : str or method
        ``"auto"``, a name from ``METHODS``, or a value from :mod:`tremble.methods`, whose fields are its options.
    time_limit : float, optional
        Seconds.
    gap : Fraction or float, optional
        Accept any solution whose bounds on player 1's value have at most this gap. Approximate methods have a
        default: a thousandth of the range of the payoffs. Exact methods ignore the gap, but if a limit stops them,
        the best result so far may be good enough.
    progress : callable, optional
        Called with (name of the step, fraction done or None).
    seed : int, optional
        From 0 to 2147483647; 0 if not given. The seed perturbs linear programs, chooses pivots in a stall and draws
        random priors, so it may decide which of several equilibria is found. Random numbers in proofs do not depend
        on it.
    trembles : Trembles, optional
        Weights and orders of mistakes, for refinements, or the player who makes none. All weights are equal by
        default; with ``lemke``, they are those of the prior.
    checkpoint : str or path, optional
        For methods that can be resumed: file to continue from if it exists, and to keep up to date.
    report : callable, optional
        Called by iterative methods with plain data on each iteration: its number, the bounds, ``seconds_float`` since
        the iterations began (loading, and compilation by Numba, excluded) and ``solve_seconds_float`` since the call.
    player : int, optional
        0 (the default) or 1: the player whose strategy ``"maxmin"`` computes.
    epsilon : Fraction or float, optional
        For ``"maxmin"``: target gap between the bounds on the guaranteed payoff, as a part of the range of the
        payoffs; 1/1000 if not given.
    epsilon_abs : Fraction or float, optional
        The same in payoff units.
    **options
        Options of a method given by name: ``solve(game, method="double-oracle", policy="worse")``, ``solve(game,
        method="cfr+", iterations=1000)``.

    Returns
    -------
    Solution
        ``status`` is ``certified`` if the checker has proven the concept, ``bounded`` if it has proven bounds only.

    Raises
    ------
    SpecError
        Unknown concept or method, an option of another method.
    GameError
        The game is outside the method's class: ``NotZeroSumError``, ``ImperfectRecallError``, ``TooLargeError``.
    LimitReached
        The time limit or Ctrl-C stopped the run. ``best`` is the best solution so far: for a refinement, an exact
        Nash equilibrium if there was time for one; otherwise a profile with proven bounds, or, without a constant
        sum, a profile with exact payoffs and NashConv. The error is raised at most two seconds after the time limit,
        or a tenth of it if that is more.
    NotProvenError
        The result is not proven to be what was requested. ``best`` holds it with what is proven.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"))
    >>> solution.value, str(solution.status)
    (Fraction(-1, 18), 'certified')
    """
    return solve_recording(
        nobody_listens, game, concept, method, time_limit=time_limit, gap=gap, progress=progress, seed=seed,
        trembles=trembles, checkpoint=checkpoint, report=report, player=player, epsilon=epsilon,
        epsilon_abs=epsilon_abs, **options,
    )  # fmt: skip


# -- the request -------------------------------------------------------------------------------------


# -- the answer --------------------------------------------------------------------------------------


def proven_equilibrium(
    tree: GameTree, profile: Profile, method: str, check: Callable[[], None]
) -> Solution[BehaviorStrategy]:
    """Return an exact method's equilibrium with its proof; ``SolverError`` if the checker disproves it."""
    solution = proven_solution(tree, Claim(profile, {}), "nash", MethodReference(method, {}), lambda _step: check())
    if not solution.verification.ok:
        problems = solution.verification.problems[:1]
        raise SolverError(f"{method} found what is no equilibrium, which is a fault of tremble: {problems}")
    return cast("Solution[BehaviorStrategy]", solution)
