r"""Enumerate the vertices of the best-reply polyhedra, from which all equilibria can be combined.

Let X be the realization plans of a player, and :math:`\pi_j` the payoff of the other player's pure plan j, a linear
function on X. The polyhedron

.. math::  P = \{ (x, t) : x \in X, \; t \ge \pi_j(x) \text{ for all } j \}

has one point of its lower boundary over each x. Its t is the payoff of a best reply to x, and its tight inequalities
name the pure best replies. In a one-shot game X consists of the mixtures of the rows, and the j are the columns. The
polyhedron uses realization plans, not mixtures of pure strategies: each equilibrium then has one representation, and
there are fewer dimensions. All pure plans of the other player are needed, however.

A plan y is a best reply to x if and only if each sequence that y plays is played by some pure best reply. The best
replies are a face of :math:`Y = \{y \ge 0, F y = f\}`, and sequences that are not played define each face of Y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.double_description import Cone
from tremble.game.arrays import integer_array
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import RealizationPlan
from tremble.integers import exact_dot

__all__ = ["BestReplyVertices"]


@dataclass(frozen=True, eq=False)
class BestReplyVertices:
    """The vertices of the polyhedron of a player's plans; larger weights of the first sequences come first."""

    player: int
    weight: NDArray[Any]  # int64 or object [N, S]: plans times their first entry, that of the empty sequence
    replies: NDArray[np.bool_]  # [N, S']: the sequences of the other player that some best reply plays

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
        """Enumerate the vertices, given the pure plans of both players.

        In a game with a constant sum, ``optimal`` is an optimal plan of the other player. Every optimal plan of this
        player is a best reply to it, so only the face of these best replies is enumerated.
        """
        own, other = plans[player], plans[1 - player]
        payoff = _payoff_table(form, 1 - player)
        earned = exact_dot(other.astype(np.int64), payoff)
        dimension = own.shape[1] - form.num_infosets[player] + 1
        # Begin with the inequality of one reply: a ray for each pure plan, and the ray along t.
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
        # Cut with the inequality of each reply in turn.
        cone = Cone(rays, tight, dimension)
        for j, line in enumerate(earned):
            progress(j / len(earned))
            cone = cone.cut(np.append(-line, 1), check)
        # Rays with a positive first entry are the vertices.
        bounded = cone.rays[:, 0] > 0
        weight = cone.rays[bounded, :-1]
        weight = weight // np.gcd.reduce(weight, axis=1)[:, np.newaxis]
        best = cone.tight[bounded][:, own.shape[1] :]
        order = sorted(range(len(weight)), key=partial(_frequent_first, weight.tolist()))
        replies = best.astype(np.float32) @ other.astype(np.float32) > 0
        return cls(player, weight[order], replies[order])

    @property
    def support(self) -> NDArray[np.bool_]:
        """Mark the sequences that each plan plays, bool[N, S]."""
        return np.asarray(self.weight > 0, dtype=np.bool_)

    def plan(self, i: int) -> RealizationPlan:
        """Return the plan of a vertex."""
        weight = self.weight[i].tolist()
        return RealizationPlan(self.player, integer_array(weight), weight[0])


def _frequent_first(weight: list[list[int]], i: int) -> list[Fraction]:
    return [Fraction(-entry, weight[i][0]) for entry in weight[i]]


def _payoff_table(form: SequenceForm, player: int) -> NDArray[Any]:
    """Return the payoffs of a player, own sequences by sequences of the other, times the form's denominator."""
    side = form.side(player)
    table = np.zeros((side.num_sequences, form.num_sequences[1 - player]), dtype=side.payoff.dtype)
    table[side.row, side.opponent] = side.payoff
    return table
