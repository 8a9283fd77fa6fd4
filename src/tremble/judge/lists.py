"""Find all equilibria of a small game, and decide for each equilibrium if it satisfies a refinement."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, cast

from tremble.errors import LimitReached, NotProvenError, SpecError
from tremble.formats.foreign import game_of
from tremble.game.strategy import BehaviorStrategy, Profile
from tremble.game.tree import GameTree
from tremble.judge.certify import certify, judged
from tremble.numbers import required_flag
from tremble.run.clock import Clock
from tremble.run.deadline import required_time_limit
from tremble.run.progress import Progress
from tremble.solution.concepts import CONCEPTS
from tremble.solution.equilibria import Equilibria
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.lists import every_equilibrium, every_pure_equilibrium
from tremble.solvers.method import Run, nobody_listens, tree_of
from tremble.solvers.table import concept_named, require_trembles_fit
from tremble.words import require_hooks

__all__ = ["all_equilibria"]


def all_equilibria(
    game: object,
    concept: str = "nash",
    *,
    pure: bool = False,
    most: int | None = None,
    trembles: Trembles | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Equilibria[Solution[BehaviorStrategy]]:
    """Find all Nash equilibria of a small game exactly, and judge each equilibrium by a concept.

    The payoffs may have any sum. A game may have infinitely many equilibria. All of them are mixtures of finitely many
    *extreme* equilibria. The function returns the extreme equilibria. The field ``maximal_subsets`` of the result lists
    the sets of strategies that may be mixed.

    Two equilibria are different if their realization plans are different. So choices at information sets that a
    player's own strategy never reaches are ignored. The returned strategies are uniform at these sets, and mark them
    ``off_path``.

    Parameters
    ----------
    game : GameTree, pyspiel.Game or pygambit.Game
        A game with perfect recall. The work grows exponentially with the number of strategies. One-shot games of size
        12 by 12 take about a second, and games of size 15 by 15 about half a minute. For games that are not one-shot,
        the function first lists all pure strategies. Pure strategies with the same realization plan count as one.
    concept : str
        The concept by which equilibria are judged. If ``pure`` is False, each extreme equilibrium is judged as
        :func:`tremble.certify` does:

        * If the concept is proven, the solution has this concept and its certificate.
        * If the concept is disproven, the solution keeps the concept ``"nash"`` and has a ``refutation``.

        Each verdict applies to the returned strategies. A strategy that differs only at sets marked ``off_path`` has
        the same plan but may get another verdict. ``"normal-form-perfect"`` and ``"proper"`` ignore these sets.
        Mixtures of extreme equilibria are not judged. A mixture can satisfy the concept even if no extreme equilibrium
        does.
    pure : bool
        If True, list only pure equilibria. Their number is finite and may be zero. The function can then handle larger
        games.

        Some concepts define play off the path: ``"subgame-perfect"``, ``"quasi-perfect"``, ``"sequential"``,
        ``"perfect"`` and ``"one-sided-quasi-perfect"``. For these concepts, the list contains every pure profile that
        satisfies the concept, with its proof. Each profile plays an action at every information set. An undecided
        profile is listed with the concept ``"nash"``, and the list is then not ``complete``. The function judges at
        most 100,000 profiles.

        For ``"nash"``, ``"normal-form-perfect"`` and ``"proper"``, two equilibria are different if their realization
        plans are different. At sets that a player's own strategy never reaches, the strategy plays the first action,
        and the set is marked ``off_path``. Games that are not one-shot often have many pure equilibria, because unused
        threats can be made in many ways.
    most : int, optional
        Stop the search after this number of equilibria. ``most`` can be used only with ``pure``. The attribute
        ``complete`` of the result is True if there are no further equilibria.
    trembles : Trembles, optional
        Trembles in the form that :func:`tremble.certify` accepts. ``"one-sided-quasi-perfect"`` needs them, because
        they name the player who makes no mistakes.
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        A function that is called with the name of the step and the fraction done, which may be None.

    Returns
    -------
    Equilibria
        Each equilibrium is a :class:`tremble.Solution` with the status ``certified``, because the checker has proven it
        for the original game. The checker does not prove that the list contains all equilibria. Completeness depends on
        the correctness of the enumeration. For pure equilibria, ``complete`` is True if the search was not stopped and
        no profile is undecided.

    Raises
    ------
    GameError
        The game has imperfect recall (``ImperfectRecallError``), is too large (``TooLargeError``), or is not supported.
    SpecError
        The concept cannot be used to judge strategies, or the trembles do not fit the concept.
    LimitReached
        The time limit has passed:

        * During the enumeration of extreme equilibria, the exception contains no partial result.
        * After the enumeration, ``best`` of the exception contains all equilibria and the verdicts so far.
        * For pure equilibria, ``best`` contains the equilibria found so far and is not ``complete``. This error is also
          raised after 100,000 profiles.

    Examples
    --------
    >>> import tremble
    >>> moves = ["dare", "yield"]
    >>> chicken = tremble.matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]], rows=moves, columns=moves)
    >>> for solution in tremble.all_equilibria(chicken):
    ...     print(*(strategy.probability(0, "dare") for strategy in solution.strategies), solution.values[0])
    1 0 7
    1/3 1/3 14/3
    0 1 2

    In Kuhn poker, player 1 bluffs with the jack with a probability from 0 to 1/3. The two extreme equilibria are:

    >>> kuhn = tremble.all_equilibria(tremble.load("kuhn"))
    >>> [str(solution.strategies[0].probability(0, "bet")) for solution in kuhn], kuhn.maximal_subsets
    (['0', '1/3'], (((0, 1), (0,)),))

    The entry game has three extreme equilibria. Two of them depend on a threat that is not credible, so they are not
    sequential:

    >>> entry = tremble.all_equilibria(tremble.load("entry_deterrence"), "sequential")
    >>> [solution.concept for solution in entry]
    ['nash', 'nash', 'sequential']

    A leader chooses a quantity, and the follower sees it before choosing another quantity. The follower may threaten to
    choose a large quantity, so there are three pure equilibria. Only one of them is subgame perfect:

    >>> builder = tremble.TreeBuilder()
    >>> builder.decision(0, "leader", ["3", "4", "6"])
    >>> for q in (3, 4, 6):
    ...     builder.decision(1, f"follower sees {q}", ["3", "4"])
    ...     for r in (3, 4):
    ...         builder.leaf(q * (12 - q - r), r * (12 - q - r))
    >>> market = builder.finish()
    >>> len(tremble.all_equilibria(market, pure=True))
    3
    >>> found = tremble.all_equilibria(market, "subgame-perfect", pure=True)
    >>> len(found), found.complete, found[0].values[0]
    (1, True, Fraction(18, 1))

    References
    ----------
    D. Avis, G. Rosenberg, R. Savani, B. von Stengel: Enumeration of Nash equilibria for two-player games, Economic
    Theory 42, 2010.
    """
    concept, pure = concept_named(concept, judged()), required_flag(pure, "pure")
    require_trembles_fit(trembles, concept, judged=True)
    require_hooks(progress=progress)
    clock, tell = Clock(required_time_limit(time_limit)), progress or nobody_listens
    tree = tree_of(game_of(game))
    if most is not None and not pure:
        raise SpecError("'most' needs pure=True: extreme equilibria are found together, not one after another")
    if trembles is not None:
        trembles.require_of(tree)
    if pure:
        judge = partial(_not_disproven, concept=concept, trembles=trembles) if CONCEPTS[concept].proofs else None
        return every_pure_equilibrium(tree, concept, judge, most=most, time_limit=time_limit, progress=progress)
    found = every_equilibrium(tree, time_limit=time_limit, progress=progress)
    if all(solution.concept == concept for solution in found):
        return found
    solutions = list(found)
    for k, solution in enumerate(found):
        tell("refinements", k / len(found))
        try:
            clock.check()
            solutions[k] = certify(tree, solution, concept, trembles=trembles, time_limit=clock.left)
        except NotProvenError as unproven:
            solutions[k] = cast("Solution[BehaviorStrategy]", unproven.best)
        except LimitReached as reached:
            judged_so_far: Any = replace(found, solutions=tuple(solutions))
            raise LimitReached(
                f"{reached.args[0].split(';')[0]}; {k} of {len(found)} equilibria were judged",
                best=judged_so_far,
                interrupted=reached.interrupted,
            ) from None
    return replace(found, solutions=tuple(solutions))


def _not_disproven(
    tree: GameTree, profile: Profile, run: Run, *, concept: str, trembles: Trembles | None
) -> Solution[BehaviorStrategy] | None:
    """Return a profile as a solution if the concept is proven or undecided; return None if it is disproven."""
    try:
        return certify(tree, profile, concept, trembles=trembles, time_limit=run.clock.left)
    except NotProvenError as unproven:
        best = cast("Solution[BehaviorStrategy]", unproven.best)
        return best if best.refutation is None else None
