r"""Enumerate all extreme equilibria of a small two-player game, and the sets of equilibria that they span.

1. For each player, enumerate the vertices of the best-reply polyhedron, which is defined below. The double description
   method (:mod:`tremble.exact.double_description`) is exact, so degenerate games need no special treatment. If the
   payoffs have a constant sum, a linear program first finds an optimal plan of the other player. This plan restricts
   the enumeration to a small face.
2. The pairs (x, y) of vertices that are best replies to each other are the *extreme equilibria*.
3. The set of all equilibria is the union of the *maximal Nash subsets* conv(U) x conv(V). The pairs (U, V) are the
   maximal bicliques of the graph of extreme equilibria. The graph's connected components give the set's components.

For one-shot games this is the enumeration of Avis, Rosenberg, Savani and von Stengel [1]_, who find the vertices by
reverse search. Games with more information sets are enumerated in realization plans [2]_. So equilibria with the same
realization plans count once, even if their mixtures of pure strategies differ.

*Best-reply polyhedra.* Let X be the set of realization plans of a player. Let :math:`\pi_j` be the payoff of the other
player's pure plan j, which is a linear function on X. The polyhedron is

.. math::  P = \{ (x, t) : x \in X, \; t \ge \pi_j(x) \text{ for all } j \} .

For each x, the lower boundary of P has one point (x, t). Here t is the payoff of a best reply to x. The inequalities
that are tight at the point belong to the pure best replies. In a one-shot game, X consists of the mixtures of the rows,
and each j is a column. The polyhedron uses realization plans instead of mixtures of pure strategies, because each
equilibrium then has one representation and the dimension is smaller. The polyhedron still needs all pure plans of the
other player.

A plan y is a best reply to x if and only if each sequence that y plays is played by some pure best reply. The best
replies are a face of :math:`Y = \{y \ge 0, F y = f\}`. A face is defined by the sequences that its plans do not play.

*Maximal bicliques.* A biclique of a bipartite graph is a pair of nonempty sets of vertices, one from each side. Every
vertex of one set is joined to every vertex of the other set. A biclique is maximal if no vertex can be added. Each of
the two sets then determines the other set, so the pair is called a *concept* of the graph. The algorithm Close-by-one
[3]_ finds each concept once. It adds a vertex to a concept, and then completes the pair to a new concept.

*The bimatrix game.* Degeneracy and index are properties of the reduced normal form of a tree. The components of the
normal form's equilibria correspond to the components of the tree's equilibria. The reason is that the map from mixtures
of pure plans to realization plans is onto, and the preimage of each plan is convex.

*Degeneracy.* A game is degenerate if some mixture of k pure strategies has more than k pure best replies. In this case,
a vertex of the polyhedron :math:`\{(x, v): x \in X, v \ge \pi_j(x)\}` of one player is also such a mixture. The
reason is that every inequality that is tight at a point is tight at the vertices of the face around the point.

*Index.* Consider an equilibrium whose supports I and J have the same size k and contain all best replies. Its index is

.. math::  (-1)^{k+1} \operatorname{sign} \det \begin{pmatrix} A_{IJ} & -1 \\ 1^T & 0 \end{pmatrix}
           \operatorname{sign} \det \begin{pmatrix} B_{IJ} & -1 \\ 1^T & 0 \end{pmatrix}

if the determinants are not 0; the equilibrium is then called *regular*. This is Shapley's index [4]_, because the
bordered determinant is the determinant of a matrix of positive payoffs, divided by the equilibrium payoff. Take any
nearby game whose equilibria are all regular. The index of a component is the sum of the indices of the nearby game's
equilibria near the component. All indices add up to 1 in every game, so the last index follows from the others.

*A nearby game* pays a bonus of :math:`\tau \delta_j` for each pure strategy j, where :math:`\tau` is a positive
infinitesimal. This adds the variable :math:`\tau` to the polyhedra: :math:`v \ge \pi_j(x) + \tau \delta_j`. The edges
of such a polyhedron that lead inward from the facet :math:`\tau = 0` are the vertices of the nearby game's polyhedron.
An edge is *simple* if it has as many tight inequalities, including those of :math:`x \ge 0`, as x has entries. If all
edges are simple, every equilibrium of the nearby game is regular. Each is a pair of edges on which each strategy of
either player is unused or a best reply. The algorithm draws random bonuses until all edges are simple. The bonuses do
not change the determinants.

As :math:`\tau` vanishes, the strategies on an edge tend to a point on a face. On this face, no further strategies are
played, and the best replies remain best replies. The product of the two faces is convex and consists of equilibria. So
any extreme equilibrium of the product identifies the component.

References
----------
.. [1] D. Avis, G. Rosenberg, R. Savani, B. von Stengel: Enumeration of Nash equilibria for two-player games, Economic
   Theory 42, 2010.
.. [2] C. Audet, S. Belhaiza, P. Hansen: A new sequence form approach for the enumeration and refinement of all extreme
   Nash equilibria for extensive form games, International Game Theory Review 11, 2009.
.. [3] S. O. Kuznetsov: A fast algorithm for computing all intersections of objects in a finite semi-lattice, Automatic
   Documentation and Mathematical Linguistics 27, 1993.
.. [4] L. S. Shapley: A note on the Lemke-Howson algorithm, Mathematical Programming Study 1, 1974. Also B. von Stengel:
   Equilibrium computation for two-player games in strategic and extensive form, Algorithmic Game Theory, 2007, and
   S. Govindan, R. Wilson: Structure theorems for game trees, PNAS 99, 2002.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError, TooLargeError
from tremble.exact.double_description import Cone
from tremble.game.normal_form import is_one_shot, ordered_plans, reduced_normal_form
from tremble.game.pure_plans import pure_plans
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy, RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import integer_array, pair
from tremble.integers import exact_dot, narrowed
from tremble.solvers.method import Run

__all__ = [
    "BestReplyVertices",
    "BimatrixGame",
    "Enumeration",
    "components",
    "enumerate_equilibria",
    "maximal_bicliques",
]

_MOST_PLANS = 20_000  # greatest number of pure plans of a player
_MOST_ENTRIES = 20_000_000  # greatest size of the table of payoffs, pure plans by sequences
_PAIRS_PER_STEP = 4_000_000  # pairs of vertices that are compared between two checks of the clock
_MOST_CELLS = 250_000
_MOST_RAYS = 20_000  # greatest number of rays of a polyhedron that only the index or degeneracy needs
_MOST_NAMES = 3  # greatest number of strategies that a sentence lists
_DRAWS = 20
_BONUS = 2**16


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All extreme equilibria, as a list of strategies for each player and pairs of indices into the two lists."""

    strategies: tuple[list[BehaviorStrategy], list[BehaviorStrategy]]
    pairs: tuple[tuple[int, int], ...]  # positions of two strategies that are best replies to each other
    maximal_subsets: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    components: tuple[tuple[int, ...], ...]  # positions in pairs
    index: tuple[int | None, ...]  # the index of each component
    index_unknown: str  # the reason if some indices are None
    degenerate: bool | None
    degeneracy: str  # the reason why the game is degenerate, or why this is unknown


def enumerate_equilibria(
    tree: GameTree, optimal: Callable[[], tuple[RealizationPlan, RealizationPlan]], run: Run
) -> Enumeration:
    """Enumerate all extreme equilibria of a tree with perfect recall.

    Parameters
    ----------
    optimal : callable
        Function that returns optimal plans of both players. It is called only if the payoffs have a constant sum.

    Raises
    ------
    TooLargeError
        The game has too many pure strategies.
    """
    form, check, progress = SequenceForm.of(tree), run.clock.check, run.progress
    plans = pure_plans(form, 0, _MOST_PLANS), pure_plans(form, 1, _MOST_PLANS)
    if max(len(plans[i]) * form.num_sequences[1 - i] for i in (0, 1)) > _MOST_ENTRIES:
        raise TooLargeError(
            f"the players have {len(plans[0]):,} and {len(plans[1]):,} pure strategies, too many to list all equilibria"
        )
    # Enumerate the vertices of both polyhedra.
    known = (None, None) if tree.constant_sum is None else optimal()
    vertices = pair(
        BestReplyVertices.of(form, i, plans, known[1 - i], check, partial(progress, f"vertices of player {i + 1}"))
        for i in (0, 1)
    )
    # Find the extreme equilibria, components and Nash subsets. Strategies are numbered in the order of the vertices.
    progress("equilibria among the vertices", None)
    edges = _mutual_best_replies(vertices, check)
    numbers = [{v: n for n, v in enumerate(sorted({edge[i] for edge in edges}))} for i in (0, 1)]
    pairs = [(numbers[0][i], numbers[1][j]) for i, j in edges]
    groups = components(pairs)
    subsets = sorted(subset for group in groups for subset in _subsets([pairs[k] for k in group], check))
    strategies = pair([vertices[i].plan(v).to_behavior(tree) for v in numbers[i]] for i in (0, 1))
    facts = _index_and_degeneracy(tree, vertices, [[edges[k] for k in group] for group in groups], run)
    return Enumeration(strategies, tuple(pairs), tuple(subsets), tuple(groups), *facts)


def _mutual_best_replies(
    vertices: tuple[BestReplyVertices, BestReplyVertices], check: Callable[[], None]
) -> list[tuple[int, int]]:
    """Return the pairs of vertices that are best replies to each other."""
    # The products count sequences that a plan plays but no best reply plays. Sums of ones are exact in float32.
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
    """Return the maximal Nash subsets of a component, which is given by its ``pairs`` of extreme strategies."""
    left, right = (sorted({pair[i] for pair in pairs}) for i in (0, 1))
    place = {j: 1 << n for n, j in enumerate(right)}
    neighbours = dict.fromkeys(left, 0)
    for i, j in pairs:
        neighbours[i] |= place[j]
    return [
        (tuple(left[i] for i in U), tuple(right[j] for j in V))
        for U, V in maximal_bicliques(list(neighbours.values()), len(right), check)
    ]


def _index_and_degeneracy(
    tree: GameTree,
    vertices: tuple[BestReplyVertices, BestReplyVertices],
    groups: list[list[tuple[int, int]]],
    run: Run,
) -> tuple[tuple[int | None, ...], str, bool | None, str]:
    """Return the fields ``index``, ``index_unknown``, ``degenerate`` and ``degeneracy`` of :class:`Enumeration`."""
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


# -- vertices ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BestReplyVertices:
    """The vertices of a player's best-reply polyhedron, in descending lexicographic order of the plans."""

    player: int
    weight: NDArray[Any]  # int64 or object [N, S]: plans times a denominator, which is the entry of the empty sequence
    replies: NDArray[np.bool_]  # [N, S']: True for sequences of the other player that some best reply plays

    @classmethod
    def of(
        cls,
        form: SequenceForm,
        player: int,
        plans: tuple[NDArray[np.bool_], NDArray[np.bool_]],
        optimal: RealizationPlan | None,
        check: Callable[[], None],
        progress: Callable[[float], None],
    ) -> BestReplyVertices:
        """Enumerate the vertices of the player's best-reply polyhedron, given the pure plans of both players.

        In a game with a constant sum, ``optimal`` is an optimal plan of the other player. Every optimal plan of
        ``player`` is a best reply to ``optimal``, so only the face of these best replies is enumerated.
        """
        own, other = plans[player], plans[1 - player]
        payoff = _payoff_table(form, 1 - player)
        earned = exact_dot(other.astype(np.int64), payoff)
        dimension = own.shape[1] - form.num_infosets[player] + 1
        # Start with the inequality of one reply. The cone then has a ray for each own pure plan, and the ray along t.
        unit, reply = 1, earned[0]
        if optimal is not None:
            unit, reply = int(optimal.weight[0]), exact_dot(optimal.weight, payoff)
            against = exact_dot(own.astype(np.int64), reply)
            own = own[against == against.min()]
        rays = np.column_stack((own.astype(reply.dtype) * unit, exact_dot(own.astype(np.int64), reply)))
        rays //= np.gcd.reduce(rays, axis=1)[:, np.newaxis]
        tight = np.column_stack((~own[:, 1:], np.ones(len(own), dtype=np.bool_)))
        if optimal is None:
            upward = np.append(np.zeros(own.shape[1], dtype=np.int64), 1)
            rays = np.vstack((rays, upward))
            tight = np.vstack((tight, np.append(np.ones(own.shape[1] - 1, dtype=np.bool_), False)))
        # Cut the cone with the inequality of each reply, one after the other.
        cone = Cone(rays, tight, dimension)
        for j, line in enumerate(earned):
            progress(j / len(earned))
            cone = cone.cut(np.append(-line, 1), check)
        # Rays with a positive first entry are the vertices.
        bounded = cone.rays[:, 0] > 0
        weight = cone.rays[bounded, :-1]
        weight = weight // np.gcd.reduce(weight, axis=1)[:, np.newaxis]
        best = cone.tight[bounded][:, own.shape[1] :]
        rows = weight.tolist()
        order = sorted(range(len(rows)), key=lambda i: [Fraction(-entry, rows[i][0]) for entry in rows[i]])
        replies = best.astype(np.float32) @ other.astype(np.float32) > 0
        return cls(player, weight[order], replies[order])

    @property
    def support(self) -> NDArray[np.bool_]:
        """A mask bool[N, S]: row i is True for each sequence that plan i plays."""
        return np.asarray(self.weight > 0, dtype=np.bool_)

    def plan(self, i: int) -> RealizationPlan:
        """Return the realization plan of vertex ``i``."""
        weight = self.weight[i].tolist()
        return RealizationPlan(self.player, integer_array(weight), weight[0])


def _payoff_table(form: SequenceForm, player: int) -> NDArray[Any]:
    """Return a player's payoffs times the form's denominator, as a matrix [own sequences, opponent's sequences]."""
    side = form.side(player)
    table = np.zeros((side.num_sequences, form.num_sequences[1 - player]), dtype=side.payoff.dtype)
    table[side.row, side.opponent] = side.payoff
    return table


# -- bipartite graphs --------------------------------------------------------------------------------


Members = tuple[int, ...]


def maximal_bicliques(
    neighbours: Sequence[int], width: int, check: Callable[[], None]
) -> list[tuple[Members, Members]]:
    """Return all maximal bicliques of a bipartite graph, as pairs (set of left vertices, set of right vertices).

    Bit j of ``neighbours[i]`` is set if the left vertex i is joined to the right vertex j. There are ``width`` right
    vertices. Every vertex needs a neighbor.

    Examples
    --------
    >>> maximal_bicliques([0b011, 0b111], 3, lambda: None)
    [((0, 1), (0, 1)), ((1,), (0, 1, 2))]
    """
    left_of = [sum(1 << i for i, right in enumerate(neighbours) if right >> j & 1) for j in range(width)]
    everything = (1 << len(neighbours)) - 1, (1 << width) - 1

    def closed(right: int) -> int:
        """Return, as bits, the left vertices that have an edge to every vertex in ``right``."""
        left = everything[0]
        for j in _members(right):
            left &= left_of[j]
        return left

    bicliques = []
    todo = [(closed(everything[1]), everything[1], 0)]
    while todo:
        check()
        left, right, first = todo.pop()
        if left and right:
            bicliques.append((tuple(_members(left)), tuple(_members(right))))
        for i in range(first, len(neighbours)):
            if left >> i & 1:
                continue
            narrower = right & neighbours[i]
            if not narrower:
                continue
            wider = closed(narrower)
            below = (1 << i) - 1
            if wider & below == left & below:  # otherwise an earlier vertex leads to the same concept
                todo.append((wider, narrower, i + 1))
    return sorted(bicliques)


def _members(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def components(edges: Sequence[tuple[int, int]]) -> list[Members]:
    """Return each connected component of a bipartite graph as a tuple of positions in ``edges``.

    Examples
    --------
    >>> components([(0, 0), (1, 1), (1, 2), (2, 2)])
    [(0,), (1, 2, 3)]
    """
    root: dict[tuple[int, int], tuple[int, int]] = {}

    def top(vertex: tuple[int, int]) -> tuple[int, int]:
        while (above := root.setdefault(vertex, vertex)) != vertex:
            root[vertex] = root[above]
            vertex = root[vertex]
        return vertex

    for i, j in edges:
        root[top((0, i))] = top((1, j))
    groups: dict[tuple[int, int], list[int]] = {}
    for k, (i, _) in enumerate(edges):
        groups.setdefault(top((0, i)), []).append(k)
    return [tuple(group) for group in groups.values()]


# -- the bimatrix game -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BimatrixGame:
    """A bimatrix game. Each player has a payoff matrix, in which the rows are the player's own strategies."""

    payoff: tuple[NDArray[Any], NDArray[Any]]  # [m, n] and [n, m]: integers, equal to payoffs times one denominator
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    plans: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # [m, S1], [n, S2]: True for sequences that a strategy plays
    check: Callable[[], None]

    @classmethod
    def of(cls, tree: GameTree, check: Callable[[], None]) -> BimatrixGame:
        """Return the reduced normal form of a tree. Raise ``TooLargeError`` if it has over 250,000 cells."""
        matrix = reduced_normal_form(tree, max_cells=_MOST_CELLS)
        labels = matrix.actions[0][0], matrix.actions[1][0]
        cells = matrix.payoff.reshape(len(labels[0]), len(labels[1]), 2)
        form = SequenceForm.of(tree)
        plans = pair(ordered_plans(form, i, len(labels[i]))[0] for i in (0, 1))
        return cls((cells[..., 0], cells[..., 1].T), labels, plans, check)

    # -- degeneracy ----------------------------------------------------------------------------------

    def degeneracy(self, vertices: tuple[BestReplyVertices, BestReplyVertices] | None) -> str:
        """Return the reason why the game is degenerate, or "" if the game is not degenerate.

        The reason names a mixture that has more best replies than strategies. Of all such mixtures, it names one with
        the fewest strategies. ``vertices`` are all vertices of both best-reply polyhedra, or None if unknown. The
        method raises ``TooLargeError`` if it would have to check too many mixtures.
        """
        # Search for a pure strategy with two best replies.
        for player in (0, 1):
            earned = self.payoff[1 - player]  # payoffs of the other player; the columns are strategies of `player`
            best = earned == earned.max(axis=0)
            several = np.flatnonzero(best.sum(axis=0) > 1)
            if len(several):
                i = int(several[0])
                return self._too_many_replies(player, [i], np.flatnonzero(best[:, i]).tolist())
        # Search for a vertex with more best replies than strategies in its support.
        found: list[tuple[int, int, list[int], list[int]]] = []
        for player in (0, 1):
            if vertices is not None:
                played, tight = vertices[player].support[:, 1:], vertices[player].replies[:, 1:]
            else:
                cone, own = self._polyhedron(player, None), len(self.labels[player])
                played, tight = np.asarray(cone.rays[:, :own] > 0, dtype=np.bool_), cone.tight[:, own:]
            for k in np.flatnonzero(played.any(axis=1) & (tight.sum(axis=1) > played.sum(axis=1))).tolist():
                mixed, replies = (np.flatnonzero(row).tolist() for row in (played[k], tight[k]))
                found.append((len(mixed), player, mixed, replies))
        return self._too_many_replies(*min(found)[1:]) if found else ""

    def _too_many_replies(self, player: int, mixed: list[int], replies: list[int]) -> str:
        own, other = (self._named(i, some) for i, some in ((player, mixed), (1 - player, replies)))
        what = "the strategy" if len(mixed) == 1 else f"a mixture of {len(mixed)} strategies"
        return f"{what} of player {player + 1} ({own}) has {len(replies)} best replies ({other})"

    def _named(self, player: int, strategies: Sequence[int]) -> str:
        names = [self.labels[player][i] for i in strategies[:_MOST_NAMES]]
        return ", ".join(names + ["..."] * (len(strategies) > _MOST_NAMES))

    # -- the index -----------------------------------------------------------------------------------

    def indices(
        self, faces: tuple[BestReplyVertices, BestReplyVertices], groups: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[list[int | None], str]:
        """Return the Shapley index of each group of vertex pairs (a component), and the reason for any None."""
        known = [self._regular_index(faces, *group[0]) if len(group) == 1 else None for group in groups]
        if known.count(None) == 1:
            known[known.index(None)] = 1 - sum(index for index in known if index is not None)
        if None in known:
            try:
                known = [*self._all_indices(faces, groups)]
            except TooLargeError as large:
                return known, str(large)
        if sum(index for index in known if index is not None) != 1:
            raise SolverError(f"the indices {known} do not add up to 1, which is a bug in tremble")
        return known, ""

    def _regular_index(self, faces: tuple[BestReplyVertices, BestReplyVertices], i: int, j: int) -> int | None:
        """Return the index of the equilibrium of vertices i and j, or None if the equilibrium is not regular."""
        rows, columns = (
            np.flatnonzero(~(self.plans[k] & ~faces[1 - k].replies[n]).any(axis=1)).tolist()
            for k, n in ((0, j), (1, i))
        )
        if len(rows) != len(columns):
            return None
        determinant, mixtures = self._determinants(rows, columns)
        return self._sign(rows, determinant) if determinant and min(mixtures) > 0 else None

    @staticmethod
    def _sign(rows: Sequence[int], determinant: Fraction) -> int:
        return 1 if (determinant > 0) == (len(rows) % 2 == 1) else -1

    def _determinants(self, rows: list[int], columns: list[int]) -> tuple[Fraction, list[Fraction]]:
        """Return the product of two bordered determinants and, if it is not 0, the mixtures on the two supports."""
        product, mixtures = Fraction(1), []
        for own, other, payoff in ((rows, columns, self.payoff[0]), (columns, rows, self.payoff[1])):
            matrix = [[*(Fraction(int(p)) for p in line), Fraction(-1)] for line in payoff[np.ix_(own, other)].tolist()]
            matrix.append([*([Fraction(1)] * len(other)), Fraction(0)])
            determinant, solution = _eliminated(matrix, [Fraction(0)] * len(own) + [Fraction(1)])
            product *= determinant
            mixtures += solution[:-1]
        return product, mixtures

    def _all_indices(
        self, faces: tuple[BestReplyVertices, BestReplyVertices], groups: Sequence[Sequence[tuple[int, int]]]
    ) -> list[int]:
        """Compute the topological index of each component in ``groups`` from the equilibria of a nearby game."""
        # Draw bonuses until all equilibria of the nearby game are regular.
        draw = random.Random(1)
        for _ in range(_DRAWS):
            edges = [self._edges(i, [draw.randrange(_BONUS) for _ in self.labels[1 - i]]) for i in (0, 1)]
            if edges[0] is not None and edges[1] is not None:
                break
        else:
            raise TooLargeError("no nearby game was found whose equilibria are all regular")
        # Match edges of both polyhedra such that every strategy is either unused or a best reply, but not both.
        component = {pair: k for k, group in enumerate(groups) for pair in group}
        index = [0] * len(groups)
        answers = {(unused.tobytes(), best.tobytes()) for unused, best in edges[1]}
        for unused, best in edges[0]:
            self.check()
            if ((~best).tobytes(), (~unused).tobytes()) not in answers:
                continue
            # Find an extreme equilibrium on the face around the limit, and add the index to its component.
            rows, columns = np.flatnonzero(~unused).tolist(), np.flatnonzero(best).tolist()
            played = self.plans[0][rows].any(axis=0), self.plans[1][columns].any(axis=0)
            around = [
                ~((face.support & ~played[k]).any(axis=1) | (played[1 - k] & ~face.replies).any(axis=1))
                for k, face in enumerate(faces)
            ]
            near = int(np.argmax(around[0])), int(np.argmax(around[1]))
            index[component[near]] += self._sign(rows, self._determinants(rows, columns)[0])
        return index

    def _edges(self, player: int, bonus: list[int]) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]] | None:
        """Return two masks for each vertex of the nearby game's polyhedron: unused own strategies, and best replies.

        For each reply j, the nearby game (see the module) pays an infinitesimal bonus in proportion to ``bonus[j]``.
        Return None if more inequalities are tight at some vertex than the player has strategies.
        """
        cone, own = self._polyhedron(player, bonus), len(self.labels[player])
        nearby = cone.rays[:, own]
        here = np.flatnonzero((nearby == 0) & np.any(cone.rays[:, :own] != 0, axis=1))
        vertices = []
        for one, other in cone.adjacent(np.flatnonzero(nearby > 0), here, self.check):
            tight = (cone.tight[one] & cone.tight[other])[:, 1:]
            if (tight.sum(axis=1) != own).any():
                return None
            vertices += [(row[:own], row[own:]) for row in tight]
        return vertices

    def _polyhedron(self, player: int, bonus: list[int] | None) -> Cone:
        r"""Return the cone over :math:`\{(x, \tau, v)\}`, or over :math:`\{(x, v)\}` if there is no ``bonus``.

        The columns of the cone's mask ``tight`` are tau (only with a ``bonus``), the own strategies, and the replies.
        """
        earned, own = self.payoff[1 - player], len(self.labels[player])
        lines = [[*line, *(bonus[j : j + 1] if bonus else [])] for j, line in enumerate(earned.tolist())]
        count = len(lines[0])
        # Start with the inequality of the first reply. The cone then has a ray along each axis, and a ray along v.
        rays = np.zeros((count + 1, count + 1), dtype=object)
        rays[:count, :count], rays[:count, count], rays[count, count] = np.eye(count, dtype=int), lines[0], 1
        tight = np.column_stack((~np.eye(count + 1, count, dtype=np.bool_), np.arange(count + 1) < count))
        cone = Cone(narrowed(rays), tight, count + 1)
        for line in lines[1:]:
            self.check()
            cone = cone.cut(np.array([-p for p in line] + [1], dtype=object), self.check)
            if len(cone.rays) > _MOST_RAYS:
                raise TooLargeError(f"more than {_MOST_RAYS:,} best-reply vertices would have to be checked")
        order = [*range(own, count), *range(own), *range(count, cone.tight.shape[1])]
        return Cone(cone.rays, cone.tight[:, order], cone.dimension)


def _eliminated(matrix: list[list[Fraction]], right: list[Fraction]) -> tuple[Fraction, list[Fraction]]:
    """Return the determinant of a matrix, and the solution x of ``matrix x = right``; [] for a singular matrix."""
    determinant, rows = Fraction(1), [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return Fraction(0), []
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            determinant = -determinant
        determinant *= rows[k][k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i, line in enumerate(rows):
            if i != k and line[k]:
                rows[i] = [value - line[k] * other for value, other in zip(line, rows[k], strict=True)]
    return determinant, [line[-1] for line in rows]
