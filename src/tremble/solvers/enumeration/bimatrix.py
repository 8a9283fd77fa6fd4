r"""What is said of a bimatrix game as a whole: whether it is degenerate, and the index of each equilibrium component.

Of a tree it is the reduced normal form. Its components are those of the tree: the map from mixtures of pure plans to
realization plans is onto, and what it maps to one plan is convex, so that components lie over components.

*Degenerate* is a game in which some mixture of k pure strategies has more than k pure best replies. If there is one,
there is one among the vertices of the polyhedra :math:`\{(x, v): x \in X, v \ge \pi_j(x)\}` of both players: all that
is tight at a point is tight at the vertices of the face around it.

*Index.* An equilibrium whose supports I and J are all best replies and equally many, k, has the index

.. math::  (-1)^{k+1} \operatorname{sign} \det \begin{pmatrix} A_{IJ} & -1 \\ 1^T & 0 \end{pmatrix}
           \operatorname{sign} \det \begin{pmatrix} B_{IJ} & -1 \\ 1^T & 0 \end{pmatrix}

where these are not 0: Shapley's, since the bordered determinant is that of a matrix of positive payoffs over the
equilibrium payoff. A component has the sum of the indices of the equilibria near it in any game nearby in which all are
regular. All indices add up to 1, in every game, so that of one component, the last, none has to be computed.

The game nearby pays a bonus of :math:`\tau \delta_j` for each pure strategy j, with :math:`\tau` a positive
infinitesimal: one more variable of the polyhedra, :math:`v \ge \pi_j(x) + \tau \delta_j`. Its vertices are the edges
that lead from the facet :math:`\tau = 0` inward. If exactly as many inequalities are tight on each edge as there are
strategies, then every equilibrium nearby is regular: a pair of edges on which each strategy of either player is unused
or a best reply. Bonuses are drawn until that holds. They leave the determinants as they are. The limit of such a pair
is an equilibrium on the face where no more is played and no less is a best reply; the product of both faces is convex
and all of it equilibria, so that any of its extreme ones tells the component.

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
from tremble.linear.double_description import Cone
from tremble.model.normal_form import reduced_normal_form
from tremble.model.pure_plans import pure_plans
from tremble.model.sequence_form import SequenceForm
from tremble.model.tree import GameTree

__all__ = ["BimatrixGame"]

_MOST_CELLS = 250_000
_MOST_RAYS = 6_000  # of a polyhedron that only the index, or degeneracy, asks for
_DRAWS = 20
_BONUS = 2**16

Labels = tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True, eq=False)
class BimatrixGame:
    """The payoffs of both players, each with its own strategies as rows, and what the strategies are called."""

    payoff: tuple[NDArray[Any], NDArray[Any]]  # [m, n] and [n, m]: integers over one denominator
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    plans: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # [m, S1], [n, S2]: which sequences of the tree they play
    check: Callable[[], None]

    @classmethod
    def of(cls, tree: GameTree, check: Callable[[], None]) -> BimatrixGame:
        """That of a one-shot game, or the reduced normal form of another; ``TooLargeError`` says where it ends."""
        matrix = reduced_normal_form(tree, max_cells=_MOST_CELLS)
        labels = matrix.actions[0][0], matrix.actions[1][0]
        cells = matrix.payoff.reshape(len(labels[0]), len(labels[1]), 2)
        form = SequenceForm.of(tree)
        plans = tuple(in_choice_order(form, i, len(labels[i])) for i in (0, 1))
        return cls((cells[..., 0], cells[..., 1].T), labels, (plans[0], plans[1]), check)
