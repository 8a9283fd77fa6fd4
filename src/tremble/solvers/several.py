"""Several equilibria of one game: those that several priors lead to."""

from __future__ import annotations

from numbers import Integral

from tremble.clock import Clock, required_time_limit
from tremble.errors import LimitReached, SpecError
from tremble.io.foreign import game_of
from tremble.linear.draws import LARGEST_SEED
from tremble.model.progress import Progress
from tremble.model.strategy import BehaviorStrategy
from tremble.solution.equilibria import Equilibria
from tremble.solution.heading import GameReference
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.general_sum.method import Lemke
from tremble.solvers.run import nobody_listens, require_hooks
from tremble.solvers.solve import checked_seed, solve

__all__ = ["solve_several"]


def solve_several(
    game: object,
    priors: int,
    concept: str = "nash",
    *,
    seed: int = 0,
    trembles: Trembles | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Equilibria:
    """The different equilibria that several priors lead to, by the method lemke.

    The first prior is uniform, the others are random. What is found need not be all there is:
    :func:`tremble.all_equilibria` finds all Nash equilibria of small games.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
    priors : int
        How many are tried.
    concept : str
    seed : int
        Prior k is the one of ``solve(game, concept, "lemke", prior="random", seed=seed + k)``, k = 1, 2, ...
    trembles : Trembles, optional
        Weights of mistakes, for refinements; by default hands tremble in proportion to each prior.
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        Called with (name of the step, fraction done or None).

    Returns
    -------
    Equilibria
        Solutions whose strategies differ, in the order in which they were found.

    Raises
    ------
    SpecError
        ``priors`` is no positive integer, ``seed`` none from 0 to 2147483647.
    GameError
        The game is outside the method's class.
    LimitReached
        The time limit, or Ctrl-C; its ``best`` has what was found until then.

    Examples
    --------
    >>> import tremble
    >>> sexes = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    >>> sorted(tuple(map(str, each.values)) for each in solve_several(sexes, 10))
    [('2', '3'), ('3', '2')]
    """
    if not isinstance(priors, Integral) or isinstance(priors, bool) or priors < 1:
        raise SpecError(f"the number of priors is a positive integer, not {priors!r:.40}")
    first = checked_seed(seed) or 0
    require_hooks(progress=progress)
    played = game_of(game)
    clock = Clock(required_time_limit(time_limit))
    tell = progress or nobody_listens
    found: list[Solution] = []
    for k in range(int(priors)):
        tell(f"prior {k + 1} of {priors}, {len(found)} found", k / priors)
        method = Lemke("random" if k else "uniform")
        try:
            clock.check()
            solution = solve(
                played, concept, method, seed=(first + k) % (LARGEST_SEED + 1), trembles=trembles, time_limit=clock.left
            )
        except LimitReached as stopped:
            best = Equilibria(game=GameReference.of(played), solutions=tuple(found)) if found else None
            why = str(stopped).split(";", 1)[0]
            message = f"{why}; {k} of {priors} priors were tried"
            raise LimitReached(message, best=best, interrupted=stopped.interrupted) from None
        if _play(solution) not in map(_play, found):
            found.append(solution)
    return Equilibria(game=GameReference.of(played), solutions=tuple(found))


def _play(solution: Solution) -> list[object]:
    """What tells the strategies of one solution from those of another."""
    return [
        (side.numerator.tolist(), None if side.denominator is None else side.denominator.tolist())
        for side in solution.strategies
        if isinstance(side, BehaviorStrategy)
    ]
