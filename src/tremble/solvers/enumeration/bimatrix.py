r"""Decide whether a bimatrix game is degenerate, and compute the index of each equilibrium component.

A tree is represented by its reduced normal form, whose components correspond to those of the tree: the map from
mixtures of pure plans to realization plans is onto, and the preimage of each plan is convex.

*Degenerate.* A game is degenerate if some mixture of k pure strategies has more than k pure best replies. Such a
mixture then also exists among the vertices of the polyhedra :math:`\{(x, v): x \in X, v \ge \pi_j(x)\}` of both
players, because every inequality that is tight at a point is tight at the vertices of the face around it.

*Index.* Consider an equilibrium whose supports I and J have the same size k and contain all best replies. Its index is

.. math::  (-1)^{k+1} \operatorname{sign} \det \begin{pmatrix} A_{IJ} & -1 \\ 1^T & 0 \end{pmatrix}
           \operatorname{sign} \det \begin{pmatrix} B_{IJ} & -1 \\ 1^T & 0 \end{pmatrix}

if the determinants are not 0. This is Shapley's index, because the bordered determinant is that of a matrix of positive
payoffs divided by the equilibrium payoff. The index of a component is the sum of the indices of the equilibria near it,
in any nearby game whose equilibria are all regular. All indices add up to 1 in every game, so the index of the last
component follows from the others.

*A nearby game* pays a bonus of :math:`\tau \delta_j` for each pure strategy j, where :math:`\tau` is a positive
infinitesimal. This adds a variable to the polyhedra: :math:`v \ge \pi_j(x) + \tau \delta_j`. The vertices of the nearby
game are the edges that lead from the facet :math:`\tau = 0` inward. Suppose that the number of tight inequalities on
each edge equals the number of strategies. Then every nearby equilibrium is regular: it is a pair of edges on which each
strategy of either player is unused or a best reply. Bonuses are drawn until this holds. They do not change the
determinants. The limit of such a pair lies on the face where no further strategy is played and no strategy stops being
a best reply. The product of both faces is convex and consists of equilibria, so any of its extreme equilibria
identifies the component.

References
----------
L. S. Shapley: A note on the Lemke-Howson algorithm, Mathematical Programming Study 1, 1974. B. von Stengel: Equilibrium
computation for two-player games in strategic and extensive form, Algorithmic Game Theory, 2007. S. Govindan,
R. Wilson: Structure theorems for game trees, PNAS 99, 2002.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError, TooLargeError
from tremble.exact.double_description import Cone
from tremble.game.normal_form import ordered_plans, reduced_normal_form
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.integers import narrowed
from tremble.pairs import pair
from tremble.solvers.enumeration.best_replies import BestReplyVertices

__all__ = ["BimatrixGame"]

_MOST_CELLS = 250_000
_MOST_RAYS = 20_000  # limit for a polyhedron that only the index or degeneracy needs
_MOST_NAMES = 3  # of strategies listed in a sentence
_DRAWS = 20
_BONUS = 2**16


@dataclass(frozen=True, eq=False)
class BimatrixGame:
    """The payoffs of both players, each with the own strategies as rows, and the names of the strategies."""

    payoff: tuple[NDArray[Any], NDArray[Any]]  # [m, n] and [n, m]: integers over one denominator
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    plans: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # [m, S1], [n, S2]: sequences that each strategy plays
    check: Callable[[], None]

    @classmethod
    def of(cls, tree: GameTree, check: Callable[[], None]) -> BimatrixGame:
        """Return the reduced normal form of a tree; raise ``TooLargeError`` if it has too many cells."""
        matrix = reduced_normal_form(tree, max_cells=_MOST_CELLS)
        labels = matrix.actions[0][0], matrix.actions[1][0]
        cells = matrix.payoff.reshape(len(labels[0]), len(labels[1]), 2)
        form = SequenceForm.of(tree)
        plans = pair(ordered_plans(form, i, len(labels[i]))[0] for i in (0, 1))
        return cls((cells[..., 0], cells[..., 1].T), labels, plans, check)

    # -- degeneracy ----------------------------------------------------------------------------------

    def degeneracy(self, vertices: tuple[BestReplyVertices, BestReplyVertices] | None) -> str:
        """Return why the game is degenerate, or "" if it is not.

        The reason is a mixture with too many best replies, of as few strategies as possible. ``vertices`` are all
        vertices of the polyhedra, if known. Raises ``TooLargeError`` if there are too many mixtures to check.
        """
        # A pure strategy with two best replies.
        for player in (0, 1):
            earned = self.payoff[1 - player]  # by the other player, with a column for each strategy of this one
            best = earned == earned.max(axis=0)
            several = np.flatnonzero(best.sum(axis=0) > 1)
            if len(several):
                i = int(several[0])
                return self._too_many_replies(player, [i], np.flatnonzero(best[:, i]).tolist())
        # A vertex with more best replies than strategies in its support.
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
        """Return the index of each component, a group of pairs of vertices, and the reason if any index is unknown."""
        known = [self._of_regular(faces, *group[0]) if len(group) == 1 else None for group in groups]
        if known.count(None) == 1:
            known[known.index(None)] = 1 - sum(index for index in known if index is not None)
        if None in known:
            try:
                known = [*self._of_all(faces, groups)]
            except TooLargeError as large:
                return known, str(large)
        if sum(index for index in known if index is not None) != 1:
            raise SolverError(f"the indices {known} do not add up to 1; please report this bug of tremble")
        return known, ""

    def _of_regular(self, faces: tuple[BestReplyVertices, BestReplyVertices], i: int, j: int) -> int | None:
        """Return the index of an equilibrium, or None unless it is regular."""
        rows, columns = (
            np.flatnonzero(~(self.plans[k] & ~faces[1 - k].replies[n]).any(axis=1)).tolist()
            for k, n in ((0, j), (1, i))
        )
        if len(rows) != len(columns):
            return None
        determinant, mixtures = self._solved(rows, columns)
        return self._sign(rows, determinant) if determinant and min(mixtures) > 0 else None

    @staticmethod
    def _sign(rows: Sequence[int], determinant: Fraction) -> int:
        return 1 if (determinant > 0) == (len(rows) % 2 == 1) else -1

    def _solved(self, rows: list[int], columns: list[int]) -> tuple[Fraction, list[Fraction]]:
        """Return the product of both bordered determinants, and the mixtures of these supports if it is not 0."""
        product, mixtures = Fraction(1), []
        for own, other, payoff in ((rows, columns, self.payoff[0]), (columns, rows, self.payoff[1])):
            matrix = [[*(Fraction(int(p)) for p in line), Fraction(-1)] for line in payoff[np.ix_(own, other)].tolist()]
            matrix.append([*([Fraction(1)] * len(other)), Fraction(0)])
            determinant, solution = _eliminated(matrix, [Fraction(0)] * len(own) + [Fraction(1)])
            product *= determinant
            mixtures += solution[:-1]
        return product, mixtures

    def _of_all(
        self, faces: tuple[BestReplyVertices, BestReplyVertices], groups: Sequence[Sequence[tuple[int, int]]]
    ) -> list[int]:
        """Compute the indices of all components from the equilibria of a nearby game."""
        # Draw bonuses until all equilibria of the nearby game are regular.
        draw = random.Random(1)
        for _ in range(_DRAWS):
            edges = [self._edges(i, [draw.randrange(_BONUS) for _ in self.labels[1 - i]]) for i in (0, 1)]
            if edges[0] is not None and edges[1] is not None:
                break
        else:
            raise TooLargeError("no game nearby was found whose equilibria are all regular")
        # Match edges of both polyhedra on which every strategy is unused or a best reply, but not both.
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
            index[component[near]] += self._sign(rows, self._solved(rows, columns)[0])
        return index

    def _edges(self, player: int, bonus: list[int]) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]] | None:
        """Return each vertex of the polyhedron of a nearby game: the unused own strategies and the best replies.

        Returns None if a vertex has more tight inequalities than there are own strategies.
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
        r"""Return the cone over :math:`\{(x, \tau, v)\}`, or over :math:`\{(x, v)\}` without a bonus.

        Columns of ``tight`` are first tau, then own strategies, then replies.
        """
        earned, own = self.payoff[1 - player], len(self.labels[player])
        lines = [[*line, *(bonus[j : j + 1] if bonus else [])] for j, line in enumerate(earned.tolist())]
        count = len(lines[0])
        # Begin with the inequality of the first reply: a ray along each axis, and one along v.
        rays = np.zeros((count + 1, count + 1), dtype=object)
        rays[:count, :count], rays[:count, count], rays[count, count] = np.eye(count, dtype=int), lines[0], 1
        tight = np.column_stack((~np.eye(count + 1, count, dtype=np.bool_), np.arange(count + 1) < count))
        cone = Cone(narrowed(rays), tight, count + 1)
        for line in lines[1:]:
            self.check()
            cone = cone.cut(np.array([-p for p in line] + [1], dtype=object), self.check)
            if len(cone.rays) > _MOST_RAYS:
                raise TooLargeError(f"more than {_MOST_RAYS:,} vertices of best replies would have to be looked at")
        order = [*range(own, count), *range(own), *range(count, cone.tight.shape[1])]
        return Cone(cone.rays, cone.tight[:, order], cone.dimension)


def _eliminated(matrix: list[list[Fraction]], right: list[Fraction]) -> tuple[Fraction, list[Fraction]]:
    """Return the determinant of a square matrix and the solution of its equations, empty if it is singular."""
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
