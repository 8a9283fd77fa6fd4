"""Enumerate all extreme equilibria of a small two-player game, and the sets of equilibria that they span.

1. For each player, enumerate the vertices of the polyhedron of :mod:`.best_replies`. The double description method
   (:mod:`tremble.exact.double_description`) is exact, so degenerate games need no special treatment. In games with a
   constant sum, a linear program first finds an optimal plan of the other player; it restricts the enumeration to a
   small face.
2. The vertices (x, y) that are best replies to each other are the *extreme equilibria*.
3. The set of all equilibria is the union of the *maximal Nash subsets* conv(U) x conv(V), where (U, V) runs over the
   maximal bicliques of the graph of extreme equilibria. Its connected components are those of the graph.

For one-shot games this is the enumeration of Avis, Rosenberg, Savani and von Stengel (they find the vertices by
reverse search). Games with more information sets are enumerated in realization plans. Equilibria that differ only in
their mixtures of pure strategies therefore count once.

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

_MOST_PLANS = 20_000  # limit for the pure plans of a player
_MOST_ENTRIES = 20_000_000  # limit for the table of payoffs, pure plans by sequences
_PAIRS_PER_STEP = 4_000_000  # of vertices compared between two checks of the clock


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All extreme equilibria: a numbered list of strategies for each player, and their pairs."""

    strategies: tuple[list[BehaviorStrategy], list[BehaviorStrategy]]
    pairs: tuple[tuple[int, int], ...]  # numbers of two strategies that are best replies to each other
    maximal_subsets: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    components: tuple[tuple[int, ...], ...]  # positions in pairs
    index: tuple[int | None, ...]  # of each component
    index_unknown: str  # why some indices are None
    degenerate: bool | None
    degeneracy: str  # why the game is degenerate, or why this is unknown


def enumerate_equilibria(
    tree: GameTree, optimal: Callable[[], tuple[RealizationPlan, RealizationPlan]], run: Run
) -> Enumeration:
    """Enumerate all extreme equilibria of a tree with perfect recall.

    Parameters
    ----------
    optimal : callable
        Returns optimal plans of both players; called if the payoffs have a constant sum.

    Raises
    ------
    TooLargeError
        The game has too many pure strategies.
    """
    form, check, progress = SequenceForm.of(tree), run.clock.check, run.progress
    plans = pure_plans(form, 0, _MOST_PLANS), pure_plans(form, 1, _MOST_PLANS)
    if max(len(plans[i]) * form.num_sequences[1 - i] for i in (0, 1)) > _MOST_ENTRIES:
        raise TooLargeError(
            f"{len(plans[0]):,} and {len(plans[1]):,} pure strategies are too many to enumerate all equilibria"
        )
    # Vertices of both polyhedra.
    known = (None, None) if tree.constant_sum is None else optimal()
    vertices = pair(
        BestReplyVertices.of(form, i, plans, known[1 - i], check, partial(progress, f"vertices of player {i + 1}"))
        for i in (0, 1)
    )
    # Extreme equilibria, with the strategies numbered in the order of the vertices; components; Nash subsets.
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
    """Return the index of each component, the reason if any is unknown, degeneracy, and its reason."""
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
    """Return the pairs of vertices that are best replies to each other."""
    # The products count sequences that are played but not by a best reply. Sums of ones are exact in float32.
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
    """Return the maximal Nash subsets of a component."""
    left, right = (sorted({pair[i] for pair in pairs}) for i in (0, 1))
    place = {j: 1 << n for n, j in enumerate(right)}
    neighbours = dict.fromkeys(left, 0)
    for i, j in pairs:
        neighbours[i] |= place[j]
    return [
        (tuple(left[i] for i in U), tuple(right[j] for j in V))
        for U, V in maximal_bicliques(list(neighbours.values()), len(right), check)
    ]
