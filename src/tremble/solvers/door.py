"""Define the public function that solves a game. :mod:`tremble.solvers.runner` does the work."""

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
from tremble.solution.claim import Claim, MethodReference, Strategy
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
    gap: Fraction | float | str | None = None, progress: Progress | None = None, seed: int | None = None,
    trembles: Trembles | None = None, checkpoint: str | os.PathLike[str] | None = None, report: Log | None = None,
    player: int | None = None, epsilon: Fraction | float | None = None, epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution[BehaviorStrategy]: ...  # fmt: skip
@overload
def solve(
    game: Playable[S], concept: str = "nash", method: str | Method = "auto", *, time_limit: float | None = None,
    gap: Fraction | float | str | None = None, progress: Progress | None = None, seed: int | None = None,
    trembles: Trembles | None = None, checkpoint: str | os.PathLike[str] | None = None, report: Log | None = None,
    player: int | None = None, epsilon: Fraction | float | None = None, epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution[S]: ...  # fmt: skip
@overload
def solve(
    game: Game, concept: str = "nash", method: str | Method = "auto", *, time_limit: float | None = None,
    gap: Fraction | float | str | None = None, progress: Progress | None = None, seed: int | None = None,
    trembles: Trembles | None = None, checkpoint: str | os.PathLike[str] | None = None, report: Log | None = None,
    player: int | None = None, epsilon: Fraction | float | None = None, epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution[UnbuiltStrategy]: ...  # fmt: skip
@overload
def solve(
    game: object, concept: str = "nash", method: str | Method = "auto", *, time_limit: float | None = None,
    gap: Fraction | float | str | None = None, progress: Progress | None = None, seed: int | None = None,
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
    gap: Fraction | float | str | None = None,
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
        A game from :func:`tremble.load`, :func:`tremble.load_rules`, :func:`tremble.build` or :func:`tremble.read_efg`,
        for example. The double oracle accepts rules that are not built.
    concept : str
        The solution concept. One equilibrium is computed, even if there are many. Case, hyphens and blanks of
        the name do not matter.

        * ``"nash"`` (``"ne"``), ``"quasi-perfect"`` (``"qpe"``), ``"perfect"`` (``"efpe"``, extensive-form perfect) and
          ``"normal-form-perfect"`` (undominated)
        * ``"sequential"`` (``"se"``): a quasi-perfect equilibrium with beliefs. The concepts
          ``"spe"`` (``"subgame-perfect"``) and ``"pbe"`` (``"perfect Bayesian"``) return it with a ``TrembleWarning``.
        * ``"proper"``: only for payoffs with a constant sum
        * ``"one-sided-quasi-perfect"``: ``trembles`` must name a player who makes no mistakes.
        * ``"maxmin"``: a behavior strategy with the largest guaranteed payoff for one player, and a strategy of the
          other player. The payoffs may have any sum, and the players may lack perfect recall.
    method : str or method
        ``"auto"``, a name from ``METHODS``, or an object from :mod:`tremble.methods`, whose fields are its options.
    time_limit : float, optional
        Limit in seconds.
    gap : Fraction, float or str, optional
        Accept any solution whose bounds on player 1's value have at most this gap, a number in payoff units. In Texas
        Hold'em, the gap may also be a percentage of the pot, such as ``"0.2%"``. Approximate methods use a thousandth
        of the range of the payoffs by default. Exact methods ignore the gap. If a limit stops an exact method, the best
        result so far is accepted if its gap is small enough.
    progress : callable, optional
        Function that is called with the name of the current step, and with the fraction done or None.
    seed : int, optional
        Integer from 0 to 2147483647; the default is 0. The seed perturbs linear programs, chooses pivots if the simplex
        method stalls, and draws random priors. So it may decide which equilibrium is found. Random numbers in proofs do
        not depend on the seed.
    trembles : Trembles, optional
        Weights and orders (powers of epsilon) of mistakes for refinements. A player whose weights are all 0 makes no
        mistakes. By default, all weights are equal. With ``lemke``, the default weights are the weights of the prior.
    checkpoint : str or path, optional
        Checkpoint file for methods that can be resumed. The run continues from an existing file, and updates the file.
    report : callable, optional
        Function that iterative methods call with plain data on each iteration. The data contain the iteration number,
        the bounds and two times. ``solve_seconds_float`` counts from the call of ``solve``. ``seconds_float`` counts
        from the first iteration, so it excludes loading and compilation by Numba.
    player : int, optional
        Player whose strategy ``"maxmin"`` computes: 0 (the default) or 1.
    epsilon : Fraction or float, optional
        For ``"maxmin"``: target gap between the bounds on the guaranteed payoff, as a fraction of the range of the
        payoffs. The default is 1/1000.
    epsilon_abs : Fraction or float, optional
        For ``"maxmin"``: target gap in payoff units.
    **options
        Options of a method that is given by name, for example ``solve(game, method="double-oracle", policy="worse")``
        or ``solve(game, method="cfr+", iterations=1000)``.

    Returns
    -------
    Solution
        The status is ``certified`` if the checker has proven the concept, and ``bounded`` if it has proven only bounds.

    Raises
    ------
    SpecError
        The concept or the method is unknown, or an option belongs to a different method.
    GameError
        The method cannot solve the game: ``NotZeroSumError``, ``ImperfectRecallError``, ``TooLargeError``.
    LimitReached
        The time limit or Ctrl-C stopped the run. ``best`` is the best solution so far. For a refinement, ``best`` is an
        exact Nash equilibrium if there was time to compute one. In all other cases, ``best`` has proven bounds or, if
        the payoffs have no constant sum, exact payoffs and NashConv. After a time limit, ``solve`` raises the exception
        within two seconds or a tenth of the limit, whichever is longer.
    NotProvenError
        The checker could not prove the requested concept or gap. ``best`` is the result with everything that is proven.

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


def proven_equilibrium(
    tree: GameTree, profile: Profile, method: str, check: Callable[[], None]
) -> Solution[BehaviorStrategy]:
    """Return ``profile`` as a solution whose claim, a Nash equilibrium, the checker has proven."""
    solution = proven_solution(tree, Claim(profile, {}), "nash", MethodReference(method, {}), lambda _step: check())
    if not solution.verification.ok:
        problems = solution.verification.problems[:1]
        raise SolverError(f"the profile from {method} is not an equilibrium, which is a bug in tremble: {problems}")
    return cast("Solution[BehaviorStrategy]", solution)
