r"""All extreme equilibria of a small two-player game, and the sets of equilibria that they span.

1. For each player, the vertices of the polyhedron of :mod:`.best_replies`: exact, by the double description method
   (:mod:`tremble.exact.double_description`), so that degenerate games need no care. Where the payoffs have a constant
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
from dataclasses import dataclass
from functools import partial

import numpy as np

from tremble.errors import TooLargeError
from tremble.game.normal_form import is_one_shot
from tremble.game.pure_plans import pure_plans
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy, RealizationPlan
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.solvers.enumeration.best_replies import BestReplyVertices
from tremble.solvers.enumeration.bicliques import components, maximal_bicliques
from tremble.solvers.enumeration.bimatrix import BimatrixGame
from tremble.solvers.run import Run

__all__ = ["Enumeration", "enumerate_equilibria"]

_MOST_PLANS = 20_000  # pure ones of a player
_MOST_ENTRIES = 20_000_000  # of the table of payoffs, pure plans by sequences
_PAIRS_PER_STEP = 4_000_000  # of vertices that are compared between two looks at the clock


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All extreme equilibria: for each player the strategies, numbered, and how they go together."""

    strategies: tuple[list[BehaviorStrategy], list[BehaviorStrategy]]
    pairs: tuple[tuple[int, int], ...]  # numbers of strategies that are best replies to each other
    maximal_subsets: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    components: tuple[tuple[int, ...], ...]  # positions in pairs
    index: tuple[int | None, ...]  # of each component
    index_unknown: str  # why some are None
    degenerate: bool | None
    degeneracy: str  # why it is degenerate, or why that is not known


def enumerate_equilibria(
    tree: GameTree, optimal: Callable[[], tuple[RealizationPlan, RealizationPlan]], run: Run
) -> Enumeration:
    """All extreme equilibria of a tree with perfect recall.

    Parameters
    ----------
    optimal : callable
        Finds optimal plans of both players; asked where the payoffs have a constant sum.

    Raises
    ------
    TooLargeError
        There are too many pure strategies.
    """
    form, check, progress = SequenceForm.of(tree), run.clock.check, run.progress
    plans = pure_plans(form, 0, _MOST_PLANS), pure_plans(form, 1, _MOST_PLANS)
    if max(len(plans[i]) * form.num_sequences[1 - i] for i in (0, 1)) > _MOST_ENTRIES:
        raise TooLargeError(
            f"{len(plans[0]):,} and {len(plans[1]):,} pure strategies are too many to enumerate all equilibria"
        )
    known = (None, None) if tree.constant_sum is None else optimal()
    vertices = pair(
        BestReplyVertices.of(form, i, plans, known[1 - i], check, partial(progress, f"vertices of player {i + 1}"))
        for i in (0, 1)
    )
    progress("equilibria among the vertices", None)
    edges = _mutual_best_replies(vertices, check)
    numbers = [{v: n for n, v in enumerate(sorted({edge[i] for edge in edges}))} for i in (0, 1)]
    pairs = [(numbers[0][i], numbers[1][j]) for i, j in edges]
    groups = components(pairs)
    subsets = sorted(subset for group in groups for subset in _subsets([pairs[k] for k in group], check))
    strategies = pair([vertices[i].plan(v).to_behavior(tree) for v in numbers[i]] for i in (0, 1))
    said = _of_the_whole(tree, vertices, [[edges[k] for k in group] for group in groups], run)
    return Enumeration(strategies, tuple(pairs), tuple(subsets), tuple(groups), *said)


def _of_the_whole(
    tree: GameTree,
    vertices: tuple[BestReplyVertices, BestReplyVertices],
    groups: list[list[tuple[int, int]]],
    run: Run,
) -> tuple[tuple[int | None, ...], str, bool | None, str]:
    """The index of each component, why some are not known, whether the game is degenerate, and why, or why unknown."""
    run.progress("index and degeneracy", None)
    index: list[int | None] = [1] if len(groups) == 1 else [None] * len(groups)
    try:
        game = BimatrixGame.of(tree, run.clock.check)
    except TooLargeError as large:
        return tuple(index), "" if len(groups) == 1 else str(large), None, str(large)
    index_unknown = ""
    if len(groups) > 1:
        index, index_unknown = game.indices(vertices, groups)
    try:
        every_vertex = is_one_shot(tree) and tree.constant_sum is None
        degeneracy = game.degeneracy(vertices if every_vertex else None)
    except TooLargeError as large:
        return tuple(index), index_unknown, None, str(large)
    return tuple(index), index_unknown, bool(degeneracy), degeneracy


def _mutual_best_replies(
    vertices: tuple[BestReplyVertices, BestReplyVertices], check: Callable[[], None]
) -> list[tuple[int, int]]:
    """The pairs of vertices each of which plays only sequences of best replies to the other."""
    # Numbers of sequences that are played and should not be; sums of ones are exact in these floats.
    plays = [each.support.astype(np.float32) for each in vertices]
    wrong = [(~each.replies).astype(np.float32) for each in vertices[::-1]]
    mutual_pairs: list[tuple[int, int]] = []
    step = max(1, _PAIRS_PER_STEP // len(plays[1]))
    for first in range(0, len(plays[0]), step):
        check()
        part = slice(first, first + step)
        mutual = (plays[0][part] @ wrong[0].T == 0) & (wrong[1][part] @ plays[1].T == 0)
        i, j = np.nonzero(mutual)
        mutual_pairs += zip((i + first).tolist(), j.tolist(), strict=True)
    return mutual_pairs


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
