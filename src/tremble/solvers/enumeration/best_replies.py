r"""Where which replies are best: the polyhedra whose vertices make up all equilibria.

Let X be the realization plans of a player, and :math:`\pi_j` the payoffs of the other player's pure plan j, a linear
function on X. The polyhedron

.. math::  P = \{ (x, t) : x \in X, \; t \ge \pi_j(x) \text{ for all } j \}

has a point of its lower boundary over each x, with t what a best reply to x earns, and the tight inequalities there
name the pure best replies. In a one-shot game X are the probabilities of the rows, and the j are the columns. In plans,
and not in mixtures of pure strategies, every equilibrium has one representation, and there are fewer dimensions; but
the pure plans of the other player have all to be written down.

A plan y is a best reply to x iff it plays no sequence that no pure best reply plays: best replies are a face of
:math:`Y = \{y \ge 0, F y = f\}`, and all its faces are given by sequences that are not played.
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
    """The vertices of the polyhedron of a player's plans, those that play the first sequences more often first."""

    player: int
    weight: NDArray[Any]  # int64 or object [N, S]: plans over their first entry, the empty sequence's
    replies: NDArray[np.bool_]  # [N, S']: sequences of the other player that some best reply plays

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
        """All of them, given the pure plans of both players.

        With an optimal plan of the other player, where the payoffs have a constant sum, only those that hold it down to
        its value: they play best replies to that plan, so that the others need not be looked at.
        """
        own, other = plans[player], plans[1 - player]
        payoff = _payoff_table(form, 1 - player)
        earned = exact_dot(other.astype(np.int64), payoff)
        dimension = own.shape[1] - form.num_infosets[player] + 1
        # Begin above what one reply earns: a ray for each pure plan, and the ray along t.
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
        cone = Cone(rays, tight, dimension)
        for j, line in enumerate(earned):
            progress(j / len(earned))
            cone = cone.cut(np.append(-line, 1), check)
        bounded = cone.rays[:, 0] > 0
        weight = cone.rays[bounded, :-1]
        weight = weight // np.gcd.reduce(weight, axis=1)[:, np.newaxis]
        best = cone.tight[bounded][:, own.shape[1] :]
        order = sorted(range(len(weight)), key=partial(_frequent_first, weight.tolist()))
        replies = best.astype(np.float32) @ other.astype(np.float32) > 0
        return cls(player, weight[order], replies[order])

    @property
    def support(self) -> NDArray[np.bool_]:
        """Which sequences each plan plays, bool[N, S]."""
        return np.asarray(self.weight > 0, dtype=np.bool_)

    def plan(self, i: int) -> RealizationPlan:
        """The plan of a vertex."""
        weight = self.weight[i].tolist()
        return RealizationPlan(self.player, integer_array(weight), weight[0])


def _frequent_first(weight: list[list[int]], i: int) -> list[Fraction]:
    return [Fraction(-entry, weight[i][0]) for entry in weight[i]]


def _payoff_table(form: SequenceForm, player: int) -> NDArray[Any]:
    """What a player earns, its own sequences by those of the other player: integers over the form's denominator."""
    side = form.side(player)
    table = np.zeros((side.num_sequences, form.num_sequences[1 - player]), dtype=side.payoff.dtype)
    table[side.row, side.opponent] = side.payoff
    return table
