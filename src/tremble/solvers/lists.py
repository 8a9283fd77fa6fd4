"""Find multiple equilibria: one for each of many priors, all extreme or pure equilibria, or a second equilibrium."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached, SpecError
from tremble.exact.draws import LARGEST_SEED
from tremble.formats.foreign import game_of
from tremble.game.requirements import require_constant_sum, require_perfect_recall
from tremble.game.strategy import BehaviorStrategy, RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.run.alarm import TIME_IS_UP
from tremble.run.clock import Clock
from tremble.run.deadline import grace, limited, required_time_limit
from tremble.run.progress import Progress
from tremble.run.signals import stopped_by
from tremble.solution.claims import GameReference
from tremble.solution.concepts import CONCEPTS, Concept
from tremble.solution.equilibria import Equilibria
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.door import proven_equilibrium, solve
from tremble.solvers.enumerate_pure import complete_equilibria, complete_subgame_perfect, pure_equilibria
from tremble.solvers.general_sum_method import Lemke
from tremble.solvers.method import Run, nobody_listens, tree_of
from tremble.solvers.runner import checked_seed
from tremble.solvers.table import concept_named
from tremble.value import Value
from tremble.words import for_reader, require_hooks

__all__ = ["Uniqueness", "every_equilibrium", "every_pure_equilibrium", "solve_several", "uniqueness"]

_WRITTEN = 4.0  # safety factor for the time of writing to a file and to standard output on a busy machine
_MOST_JUDGED = 100_000  # greatest number of pure profiles that are judged for one list
_STOP = 0.25  # a step that does not check the clock is stopped after this fraction of the grace period

Judge = Callable[[GameTree, tuple[BehaviorStrategy, BehaviorStrategy], Run], Solution[BehaviorStrategy] | None]
"""A function that checks a profile for a concept within the limits of a run, for :func:`every_pure_equilibrium`."""


def solve_several(
    game: object,
    priors: int,
    concept: str = "nash",
    *,
    seed: int = 0,
    symmetric: bool = False,
    trembles: Trembles | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Equilibria[Solution[BehaviorStrategy]]:
    """Return the different equilibria that the method lemke finds from multiple priors.

    The first prior is uniform, and the other priors are random. The list may be incomplete.
    :func:`tremble.all_equilibria` finds all Nash equilibria of small games.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
    priors : int
        Number of priors to try.
    concept : str
    seed : int
        Seed for the random priors. The method ``lemke`` draws random prior k = 1, 2, ... with the seed ``seed + k``.
    symmetric : bool
        Find only symmetric equilibria (see :class:`tremble.methods.Lemke`).
    trembles : Trembles, optional
        Weights of mistakes for refinements. By default, players tremble in proportion to each prior.
    time_limit : float, optional
        Limit in seconds.
    progress : callable, optional
        Function that is called with the name of the current step, and with the fraction done or None.

    Returns
    -------
    Equilibria
        Solutions with different strategies, in the order in which they were found.

    Raises
    ------
    SpecError
        ``priors`` is not a positive integer, or ``seed`` is not an integer from 0 to 2147483647.
    GameError
        The method ``lemke`` cannot solve the game.
    LimitReached
        The time limit or Ctrl-C stopped the search. ``best`` has the equilibria found so far.

    Examples
    --------
    >>> import tremble
    >>> sexes = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    >>> sorted(tuple(map(str, each.values)) for each in solve_several(sexes, 10))
    [('2', '3'), ('3', '2')]
    """
    if not isinstance(priors, Integral) or isinstance(priors, bool) or priors < 1:
        raise SpecError(f"the number of priors must be a positive integer, not {priors!r:.40}")
    concept, first = concept_named(concept), checked_seed(seed) or 0
    require_hooks(progress=progress)
    tree, clock, tell = tree_of(game_of(game)), Clock(required_time_limit(time_limit)), progress or nobody_listens
    solutions: list[Solution[BehaviorStrategy]] = []
    for k in range(int(priors)):
        tell(f"prior {k + 1} of {priors}, {len(solutions)} found", k / priors)
        method = Lemke("random" if k else "uniform", symmetric)
        try:
            clock.check()
            solution = solve(
                tree, concept, method, seed=(first + k) % (LARGEST_SEED + 1), trembles=trembles, time_limit=clock.left
            )
        except LimitReached as stopped:
            best = Equilibria(game=GameReference.of(tree), solutions=tuple(solutions)) if solutions else None
            message = f"{str(stopped).split(';', 1)[0]}; {k} of {priors} priors were tried"
            raise LimitReached(message, best=best, interrupted=stopped.interrupted) from None
        if solution.strategies not in [found.strategies for found in solutions]:
            solutions.append(solution)
    return Equilibria(game=GameReference.of(tree), solutions=tuple(solutions))


# -- lists of all equilibria -------------------------------------------------------------------------


def _prepared(game: object, time_limit: float | None, progress: Progress | None) -> tuple[GameTree, Run, float | None]:
    """Return the tree, a run, and a limit in seconds for steps that do not check the clock."""
    limit = required_time_limit(time_limit)
    require_hooks(progress=progress)
    tree = tree_of(game_of(game))
    stop = None if limit is None else limit + _STOP * grace(limit)
    return tree, Run(Clock(limit), progress or nobody_listens), stop


def every_equilibrium(
    game: object, *, time_limit: float | None = None, progress: Progress | None = None
) -> Equilibria[Solution[BehaviorStrategy]]:
    """Return all extreme Nash equilibria of a small game, for :func:`tremble.all_equilibria`.

    Examples
    --------
    >>> import tremble
    >>> len(every_equilibrium(tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])))
    3
    """
    from tremble.solvers.enumerate import enumerate_equilibria

    tree, run, stop = _prepared(game, time_limit, progress)
    require_perfect_recall(tree)

    def enumerated() -> Equilibria[Solution[BehaviorStrategy]]:
        every = enumerate_equilibria(tree, partial(_optimal, tree, run), run)
        solutions = []
        for k, (i, j) in enumerate(every.pairs):
            run.clock.check()
            run.progress("verification", k / len(every.pairs))
            profile = every.strategies[0][i], every.strategies[1][j]
            solutions.append(proven_equilibrium(tree, profile, "enumeration", run.clock.check))
        return Equilibria(
            game=GameReference.of(tree),
            solutions=tuple(solutions),
            pairs=every.pairs,
            maximal_subsets=every.maximal_subsets,
            components=every.components,
            unique=len(solutions) == 1,
            indices=every.index,
            indices_unknown=every.index_unknown or None,
            degenerate=every.degenerate,
            degeneracy=every.degeneracy or None,
        )

    try:
        return limited(stop, enumerated)
    except LimitReached as reached:
        raise LimitReached(
            f"{reached}; the list of all equilibria is known only at the end", interrupted=reached.interrupted
        ) from None


def _optimal(tree: GameTree, run: Run) -> tuple[RealizationPlan, RealizationPlan]:
    """Solve a game with a constant sum, and return an optimal plan of each player."""
    from tremble.solvers.zero_sum import solve_nash

    nash = solve_nash(tree, run)
    return nash.program.plans(nash.vertex)


def every_pure_equilibrium(
    game: object,
    concept: str = "nash",
    judge: Judge | None = None,
    *,
    most: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Equilibria[Solution[BehaviorStrategy]]:
    """Find all pure equilibria, or the first ``most`` equilibria, for :func:`tremble.all_equilibria`.

    The search checks a set of profiles that contains all equilibria of the concept:

    * If the concept is about realization plans, the set is all pure Nash equilibria, as pairs of realization plans.
    * If it is about complete strategies and implies subgame perfection, the set is all subgame perfect pure profiles.
    * Otherwise, the set is all complete pure profiles that are Nash equilibria, with any actions off the path.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
    concept : str
        The name of a concept.
    judge : callable, optional
        Function that returns a solution if the profile satisfies the concept or is undecided, and None otherwise. By
        default, the checker proves that the profile is a Nash equilibrium.
    most : int, optional
        Greatest number of equilibria to find.
    time_limit : float, optional
        Limit in seconds.
    progress : callable, optional
        Function that is called with the name of the current step, and with the fraction done or None.

    Examples
    --------
    >>> import tremble
    >>> [str(each.value) for each in every_pure_equilibrium(tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]]))]
    ['3', '2']
    """
    if most is not None and (not isinstance(most, Integral) or isinstance(most, bool) or most < 1):
        raise SpecError(f"the number of equilibria must be a positive integer, not {most!r:.40}")
    tree, run, stop = _prepared(game, time_limit, progress)
    require_perfect_recall(tree)
    row = CONCEPTS[concept]
    known: tuple[dict[tuple[int, ...], BehaviorStrategy], ...] = ({}, {})
    numbers: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})  # numbers of different realization plans
    pairs: list[tuple[int, int]] = []
    solutions: list[Solution[BehaviorStrategy]] = []
    undecided = tried = 0
    writing = 0.0  # seconds to write a solution, measured for the first solution and reserved for each solution

    # Stop at the limit. Stop earlier if writing the solutions found so far needs the rest of the time.
    def check() -> None:
        run.clock.check()
        left = run.clock.left
        if left is not None and left < _WRITTEN * writing * len(solutions):
            raise LimitReached(TIME_IS_UP)
        trials = f" in {tried:,} profiles" if judge is not None else ""
        run.progress(f"pure equilibria, {len(solutions):,} found{trials}", None)

    # Check every candidate. Return False if the list stops at ``most``.
    def enumerated() -> bool:
        nonlocal writing, undecided, tried
        for choices in _pure_profiles(tree, row, run, check):
            if len(solutions) == most:
                return False
            if judge is not None and tried == _MOST_JUDGED:
                raise LimitReached(f"{_MOST_JUDGED:,} profiles were judged, which is the limit for one list")
            profile = pair(
                known[player].setdefault(tuple(actions), BehaviorStrategy.pure(tree, player, actions))
                for player, actions in enumerate(choices)
            )
            tried += 1
            if judge is None:
                solution: Solution[BehaviorStrategy] | None = proven_equilibrium(tree, profile, "enumeration", check)
            else:
                check()
                solution = judge(tree, profile, run)
            if solution is None:
                continue
            solutions.append(solution)
            undecided += solution.concept != concept
            pairs.append(pair(numbers[i].setdefault(_plan(own), len(numbers[i])) for i, own in enumerate(profile)))
            if not writing:
                began = time.perf_counter()
                solutions[0].to_text()
                writing = time.perf_counter() - began
        return True

    # Return the solutions found so far. After an interrupt, the last solution may lack its pair and is omitted.
    def found(complete: bool) -> Equilibria[Solution[BehaviorStrategy]]:
        count = len(pairs)
        return Equilibria(
            game=GameReference.of(tree),
            solutions=tuple(solutions[:count]),
            requested=concept if row.proofs else None,  # the concept needs more than a Nash equilibrium
            pairs=None if row.defined_off_path else tuple(pairs),
            unique=False if len(set(pairs)) > 1 else None,
            pure=True,
            complete=complete and not undecided,
        )

    try:
        return found(limited(stop, enumerated))
    except (LimitReached, KeyboardInterrupt) as reached:
        interrupted = isinstance(reached, KeyboardInterrupt) or reached.interrupted
        best: Any = found(False)
        why = stopped_by(reached) if interrupted else str(reached).split(";", 1)[0]
        raise LimitReached(
            f"{why}; {len(pairs):,} pure equilibria were found, and there may be more",
            best=best,
            interrupted=interrupted,
        ) from None


def _pure_profiles(
    tree: GameTree, row: Concept, run: Run, check: Callable[[], None]
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Yield, exactly once, each pure profile that may satisfy a concept: both players' actions, listed by set."""
    optimal = partial(_optimal, run=run)
    if row.defined_off_path and row.of_subgames:
        yield from complete_subgame_perfect(tree, optimal, check)
    elif row.defined_off_path:
        yield from complete_equilibria(tree, optimal, check)
    else:
        for plans in pure_equilibria(tree, partial(optimal, tree), check):
            yield pair(_first_actions(tree, player, plan) for player, plan in enumerate(plans))


def _first_actions(tree: GameTree, player: int, plan: NDArray[np.bool_]) -> list[int]:
    """Return an action for each set: the action of a pure plan, or 0 if the plan never reaches the set."""
    return [int(np.argmax(plan[first + 1 : end + 1])) for first, end in pairwise(tree.slot_start[player].tolist())]


def _plan(strategy: BehaviorStrategy) -> Hashable:
    """Return a key for the realization plan of a pure strategy: the actions at the sets that the strategy reaches."""
    return tuple(None if off else tuple(row) for off, row in zip(strategy.off_path.tolist(), strategy, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Uniqueness(Value):
    """The result of :func:`tremble.uniqueness`: an equilibrium, and a second equilibrium if one exists.

    Equilibria are compared as realization plans.

    Attributes
    ----------
    players : pair of bool
        True for each player whose optimal plan is unique.
    first : Solution
        An equilibrium.
    second : Solution or None
        An equilibrium that differs from ``first`` in every plan that is not unique. None if both plans are unique.

    Examples
    --------
    >>> import tremble
    >>> found = tremble.uniqueness(tremble.load("kuhn"))
    >>> found.unique, found.players
    (False, (False, True))
    """

    players: tuple[bool, bool]
    first: Solution[BehaviorStrategy]
    second: Solution[BehaviorStrategy] | None

    @property
    def unique(self) -> bool:
        """True if the plans of both players are unique."""
        return all(self.players)


def uniqueness(game: object, *, time_limit: float | None = None, progress: Progress | None = None) -> Uniqueness:
    """Prove that the equilibrium of a game with a constant sum is unique, or find a second equilibrium.

    Equilibria are compared as realization plans. So two equilibria count as one if they differ only at information sets
    that the player's own strategy never reaches. Refinements choose among such equilibria.

    Parameters
    ----------
    game : GameTree, pyspiel.Game or pygambit.Game
        A game with perfect recall and a constant sum. For small games with other payoffs, use
        :func:`tremble.all_equilibria`.
    time_limit : float, optional
        Limit in seconds.
    progress : callable, optional
        Function that is called with the name of the current step, and with the fraction done or None.

    Returns
    -------
    Uniqueness
        The checker proves each equilibrium. Exact linear algebra in this library proves uniqueness.

    Raises
    ------
    GameError
        The method cannot decide the game: ``NotZeroSumError``, ``ImperfectRecallError``, ``TooLargeError``.
    LimitReached
        The time limit stopped the search.

    Examples
    --------
    >>> import tremble
    >>> tremble.uniqueness(tremble.load("matching_pennies")).unique
    True
    >>> kuhn = tremble.uniqueness(tremble.load("kuhn"))
    >>> bluffs = [solution.strategies[0].probability(0, "bet") for solution in (kuhn.first, kuhn.second)]
    >>> bluffs[0] == bluffs[1], tremble.nash_conv(tremble.load("kuhn"), kuhn.second)
    (False, Fraction(0, 1))

    References
    ----------
    O. L. Mangasarian: Uniqueness of solution in linear programming, Linear Algebra and its Applications 25, 1979.
    """
    from tremble.solvers.uniqueness import optimal_plans

    tree, run, stop = _prepared(game, time_limit, progress)
    require_perfect_recall(tree)  # checked first, because the next message suggests a function that needs it
    require_constant_sum(
        tree,
        f"{for_reader('tremble.all_equilibria', '--all')} finds all equilibria of small games with any payoffs",
    )

    def proven(plan1: RealizationPlan, plan2: RealizationPlan) -> Solution[BehaviorStrategy]:
        profile = plan1.to_behavior(tree), plan2.to_behavior(tree)
        return proven_equilibrium(tree, profile, "lp", run.clock.check)

    def decided() -> Uniqueness:
        plans, others = optimal_plans(tree, run)
        players = others[0] is None, others[1] is None
        second = [plan if other is None else other for plan, other in zip(plans, others, strict=True)]
        return Uniqueness(players, proven(*plans), None if all(players) else proven(*second))

    return limited(stop, decided)
