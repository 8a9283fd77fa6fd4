r"""All extreme equilibria of a small two-player game, and the sets of equilibria that they span.

1. For each player, the vertices of the polyhedron of :mod:`.best_replies`: exact, by the double description method
   (:mod:`tremble.linear.double_description`), so that degenerate games need no care. Where the payoffs have a constant
   sum, an optimal plan of the other player, found by a linear program, leaves only a small face of it.
2. The vertices (x, y) each of which is a best reply to the other are the *extreme equilibria*.
3. The set of all equilibria is the union of the *maximal Nash subsets* conv(U) x conv(V), where (U, V) runs over the
   maximal bicliques of the graph of extreme equilibria; its connected components are those of the graph.

For one-shot games this is the enumeration of Avis, Rosenberg, Savani and von Stengel (they find the vertices by
reverse search). Games with several information sets are enumerated in realization plans, so that equilibria which
differ only in how they mix over pure strategies count once.

References
----------
D. Avis, G. Rosenberg, R. Savani, B. von Stengel: Enumeration of Nash equilibria for two-player games, Economic Theory
42, 2010. C. Audet, S. Belhaiza, P. Hansen: A new sequence form approach for the enumeration and refinement of all
extreme Nash equilibria for extensive form games, International Game Theory Review 11, 2009.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tremble.clock import Clock, grace, limited, required_time_limit
from tremble.errors import LimitReached, SolverError, SpecError, TooLargeError
from tremble.io.foreign import game_of
from tremble.model.progress import Progress
from tremble.model.pure_plans import pure_plans
from tremble.model.recall import require_perfect_recall
from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import BehaviorStrategy, RealizationPlan
from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solution.equilibria import Equilibria
from tremble.solution.heading import GameReference, MethodReference
from tremble.solution.solution import Solution
from tremble.solvers.enumeration.best_replies import BestReplyVertices
from tremble.solvers.enumeration.bicliques import components, maximal_bicliques
from tremble.solvers.lp.nash import solve_nash
from tremble.solvers.method import accept_tree
from tremble.solvers.run import Run, nobody_listens
from tremble.verifier import prove

__all__ = ["all_equilibria"]

_MOST_PLANS = 20_000  # pure ones of a player
_MOST_ENTRIES = 20_000_000  # of the table of payoffs, pure plans by sequences
_PAIRS_PER_STEP = 4_000_000  # of vertices that are compared between two looks at the clock
_STOP = 0.25  # share of the grace period after which what does not look at the clock is stopped

_METHOD = MethodReference("enumeration", {})


def all_equilibria(game: object, *, time_limit: float | None = None, progress: Progress | None = None) -> Equilibria:
    """All Nash equilibria of a small game, exactly, whatever its payoffs sum to.

    There may be infinitely many. All of them are mixtures of the finitely many *extreme* ones that are returned, and
    ``maximal_subsets`` says which may be mixed.

    Equilibria are told apart by their realization plans: what a player does where its own strategy never comes does not
    count, and is uniform (marked ``off_path``).

    Parameters
    ----------
    game : GameTree, pyspiel.Game or pygambit.Game
        With perfect recall. The work grows exponentially with the number of strategies: one-shot games of 12 by 12
        take about a second, of 15 by 15 about half a minute. In others every pure strategy is written down (those that
        differ only where its own play never comes count as one).
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        Called with (name of the step, fraction done or None).

    Returns
    -------
    Equilibria
        Each is a :class:`tremble.Solution` with the status ``certified``: proven by the checker on the original game.
        That there are no others rests on the enumeration.

    Raises
    ------
    GameError
        The game is outside the class: ``ImperfectRecallError``, ``TooLargeError``.
    LimitReached
        The time limit. There is no partial result: before the end nothing is known to be complete.

    Examples
    --------
    >>> import tremble
    >>> moves = ["dare", "yield"]
    >>> chicken = tremble.matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]], rows=moves, columns=moves)
    >>> for solution in tremble.all_equilibria(chicken):
    ...     print(*(strategy.probability(1, "dare") for strategy in solution.strategies), solution.values[0])
    1 0 7
    1/3 1/3 14/3
    0 1 2

    In Kuhn poker player 1 has a family of equilibria, from never bluffing to bluffing with every third jack:

    >>> kuhn = tremble.all_equilibria(tremble.load("kuhn"))
    >>> [str(solution.strategies[0].probability(1, "bet")) for solution in kuhn], kuhn.maximal_subsets
    (['0', '1/3'], (((0, 1), (0,)),))

    References
    ----------
    D. Avis, G. Rosenberg, R. Savani, B. von Stengel: Enumeration of Nash equilibria for two-player games, Economic
    Theory 42, 2010.
    """
    limit = required_time_limit(time_limit)
    if progress is not None and not callable(progress):
        raise SpecError(f"progress is a function to be called on the way, not {progress!r:.80}")
    tree = accept_tree(game_of(game))
    require_perfect_recall(tree)
    clock = Clock(limit)
    stop = None if limit is None else limit + _STOP * grace(limit)
    try:
        return limited(stop, lambda: _enumerated(tree, clock, progress or nobody_listens))
    except LimitReached as reached:
        raise LimitReached(
            f"{reached}; all equilibria are known only at the end", interrupted=reached.interrupted
        ) from None


def _enumerated(tree: GameTree, clock: Clock, progress: Progress) -> Equilibria:
    form = SequenceForm.of(tree)
    plans = pure_plans(form, 0, _MOST_PLANS), pure_plans(form, 1, _MOST_PLANS)
    if max(len(plans[i]) * form.num_sequences[1 - i] for i in (0, 1)) > _MOST_ENTRIES:
        raise TooLargeError(
            f"{len(plans[0]):,} and {len(plans[1]):,} pure strategies are too many to enumerate all equilibria"
        )
    optimal: tuple[RealizationPlan | None, RealizationPlan | None] = (None, None)
    if tree.constant_sum is not None:
        nash = solve_nash(tree, Run(clock, progress))
        optimal = nash.program.plans(nash.vertex)
    one, two = (
        BestReplyVertices.of(
            form, i, plans, optimal[1 - i], clock.check, partial(progress, f"vertices of player {i + 1}")
        )
        for i in (0, 1)
    )
    progress("equilibria among the vertices", None)
    edges = _mutual_best_replies(one, two, clock.check)
    numbers = [{v: n for n, v in enumerate(sorted({edge[i] for edge in edges}))} for i in (0, 1)]
    pairs = [(numbers[0][i], numbers[1][j]) for i, j in edges]
    groups = components(pairs)
    subsets = sorted(subset for group in groups for subset in _subsets([pairs[k] for k in group], clock.check))
    strategies = [[vertices.plan(v).to_behavior(tree) for v in numbers[i]] for i, vertices in enumerate((one, two))]
    solutions = []
    for k, (i, j) in enumerate(pairs):
        clock.check()
        progress("verification", k / len(pairs))
        solutions.append(_proven(tree, (strategies[0][i], strategies[1][j]), clock.check))
    return Equilibria(
        game=GameReference.of(tree),
        solutions=tuple(solutions),
        pairs=tuple(pairs),
        maximal_subsets=tuple(subsets),
        components=tuple(groups),
        unique=len(pairs) == 1,
    )


def _mutual_best_replies(
    one: BestReplyVertices, two: BestReplyVertices, check: Callable[[], None]
) -> list[tuple[int, int]]:
    """The pairs of vertices each of which plays only sequences of best replies to the other."""
    # Numbers of sequences that are played and should not be; sums of ones are exact in these floats.
    plays = [vertices.support.astype(np.float32) for vertices in (one, two)]
    wrong = [(~vertices.replies).astype(np.float32) for vertices in (two, one)]
    found: list[tuple[int, int]] = []
    step = max(1, _PAIRS_PER_STEP // len(plays[1]))
    for first in range(0, len(plays[0]), step):
        check()
        part = slice(first, first + step)
        mutual = (plays[0][part] @ wrong[0].T == 0) & (wrong[1][part] @ plays[1].T == 0)
        i, j = np.nonzero(mutual)
        found += zip((i + first).tolist(), j.tolist(), strict=True)
    return found


def _subsets(pairs: list[tuple[int, int]], check: Callable[[], None]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The maximal Nash subsets of a component."""
    left, right = (sorted({pair[i] for pair in pairs}) for i in (0, 1))
    place = {j: 1 << n for n, j in enumerate(right)}
    neighbours = dict.fromkeys(left, 0)
    for i, j in pairs:
        neighbours[i] |= place[j]
    return [
        (tuple(left[i] for i in U), tuple(right[j] for j in V))
        for U, V in maximal_bicliques(list(neighbours.values()), len(right), check)
    ]


def _proven(tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy], check: Callable[[], None]) -> Solution:
    """A profile as a solution; ``SolverError`` if the checker does not agree."""
    found = prove(tree, profile, progress=lambda _step: check())
    if not found.ok:
        raise SolverError(f"an enumerated profile is no equilibrium, which is a fault of tremble: {found.problems[:1]}")
    return Solution.proven(GameReference.of(tree), "nash", _METHOD, Claim(profile, {}), {}, found)
