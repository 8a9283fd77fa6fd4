"""Find all equilibria of a small game, and judge each by a refinement."""

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
from tremble.run.clock import Clock, required_time_limit
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
    """Find all Nash equilibria of a small game exactly, for payoffs of any sum, and judge each by a concept.

    There may be infinitely many equilibria. All of them are mixtures of the finitely many *extreme* equilibria, which
    are returned. ``maximal_subsets`` lists the sets of strategies that may be mixed.

    Equilibria are distinguished by their realization plans. Play at sets that a player's own strategy never reaches
    does not count; it is uniform and marked ``off_path``.

    Parameters
    ----------
    game : GameTree, pyspiel.Game or pygambit.Game
        A game with perfect recall. The work grows exponentially with the number of strategies: one-shot games of 12 by
        12 take about a second, of 15 by 15 about half a minute. For other games all pure strategies are listed first;
        strategies that differ only at sets that the player's own play never reaches count as one.
    concept : str
        Without ``pure``, each extreme equilibrium is judged by the concept, as by :func:`tremble.certify`. A proven one
        has the concept and its certificate. A disproven one keeps the concept ``"nash"`` and has a ``refutation``. Both
        verdicts are about the returned strategies. At sets marked ``off_path``, other strategies may complete the same
        plan, with another verdict (except for ``"normal-form-perfect"`` and ``"proper"``, which ignore such sets).
        Mixtures of extreme equilibria are not judged. A mixture may be of the concept although no extreme one is.
    pure : bool
        List only pure equilibria. There are finitely many, maybe none, and the game may be larger.

        With a concept that defines play off the path (``"subgame-perfect"``, ``"quasi-perfect"``, ``"sequential"``,
        ``"perfect"``, ``"one-sided-quasi-perfect"``), the list has every pure profile that is of the concept, as
        complete strategies with a choice at every information set. Each has its proof. Undecided profiles are listed
        with the concept ``"nash"``, and the list is then not ``complete``. At most 100,000 profiles are judged.

        With ``"nash"``, ``"normal-form-perfect"`` and ``"proper"``, equilibria are distinguished by their realization
        plans. At sets that a player's own strategy never reaches, it plays its first action, marked ``off_path``. Games
        that are not one-shot often have many pure equilibria, because unused threats can be made in many ways.
    most : int, optional
        Only with ``pure``: stop the search after this number of equilibria; ``complete`` says whether there are more.
    trembles : Trembles, optional
        Trembles as for :func:`tremble.certify`; ``"one-sided-quasi-perfect"`` needs them, to name the player who makes
        no mistakes.
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        Called with (name of the step, fraction done or None).

    Returns
    -------
    Equilibria
        Each member is a :class:`tremble.Solution` with the status ``certified``: the checker has proven it on the
        original game. No proof shows that there are no others; that relies on the enumeration. For pure equilibria,
        ``complete`` says whether the list has all.

    Raises
    ------
    GameError
        The game is not supported: ``ImperfectRecallError``, ``TooLargeError``.
    SpecError
        Strategies cannot be judged by this concept, or the trembles do not fit it.
    LimitReached
        The time limit has passed. During the enumeration there is no partial result, because the list could not be
        called complete. Later, ``best`` has all equilibria, with the judgements made so far. For pure equilibria,
        ``best`` has the equilibria found so far and is not ``complete``; this also happens after 100,000 profiles.

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

    In Kuhn poker player 1 has a family of equilibria, from never bluffing to bluffing with every third jack:

    >>> kuhn = tremble.all_equilibria(tremble.load("kuhn"))
    >>> [str(solution.strategies[0].probability(0, "bet")) for solution in kuhn], kuhn.maximal_subsets
    (['0', '1/3'], (((0, 1), (0,)),))

    One of the two equilibria of the entry game rests on a threat that nobody would carry out:

    >>> entry = tremble.all_equilibria(tremble.load("entry_deterrence"), "sequential")
    >>> [solution.concept for solution in entry]
    ['nash', 'nash', 'sequential']

    A leader chooses a quantity, and the follower sees it. The follower may threaten to flood the market, so that there
    are three pure equilibria. One is subgame perfect:

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
        raise SpecError(
            "most limits a list of pure equilibria only; all extreme equilibria are found at once, at the end"
        )
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
                f"{reached.args[0].split(';')[0]}; {k} of {len(found)} equilibria are judged",
                best=judged_so_far,
                interrupted=reached.interrupted,
            ) from None
    return replace(found, solutions=tuple(solutions))


def _not_disproven(
    tree: GameTree, profile: Profile, run: Run, *, concept: str, trembles: Trembles | None
) -> Solution[BehaviorStrategy] | None:
    """Return the solution of a profile that is proven to be of a concept, or undecided; None if it is disproven."""
    try:
        return certify(tree, profile, concept, trembles=trembles, time_limit=run.clock.left)
    except NotProvenError as unproven:
        best = cast("Solution[BehaviorStrategy]", unproven.best)
        return best if best.refutation is None else None
