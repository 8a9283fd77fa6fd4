r"""Compute the payoffs of two strategies against single mistakes of an opponent.

An opponent with strategy :math:`\sigma` makes the mistake (k, a): it plays the action a at the information set k
(:mod:`tremble.judge.compare`). Suppose that the opponent makes the moves of a sequence s and otherwise
follows its strategy. Let V(s) be the part of the player's expected payoff that comes from leaves after s. Let W(s) be
the whole expected payoff:

.. math::

    V(s) = c_s + \sum_{k : parent(k) = s} V(k), \qquad V(k) = \sum_a \sigma_k(a) \, V(k, a),

    W(k, a) = W(parent(k)) - V(k) + V(k, a), \qquad W(\emptyset) = V(\emptyset),

where :math:`c_s` is a sum over all leaves with s as the opponent's last sequence. Each term is a product: the
probability of the player's moves to the leaf, the probability of the chance moves, and the payoff. W(k, a) is the
payoff if the opponent makes the mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.judge.compare.earnings import trembling_plans
from tremble.solution.comparison import Mistake, Whose

__all__ = ["distinct", "mistakes"]

_NOISE = 1e-12  # relative error up to which float payoffs count as equal


def mistakes(
    tree: GameTree,
    form: SequenceForm,
    own: tuple[BehaviorStrategy, BehaviorStrategy],
    opponent: BehaviorStrategy,
    whose: Whose,
    seen: NDArray[np.bool_],
    never: NDArray[np.bool_],
) -> list[Mistake]:
    """Return opponent mistakes that lower the opponent's payoff and give the player's two strategies different payoffs.

    Parameters
    ----------
    own, opponent
        The player's two strategies and the opponent's strategy. They must be all exact or all floats.
    seen : bool[J]
        True for each information set of the opponent to which chance and the player lead in at least one profile.
    never : bool[slots]
        True for each action of the opponent that neither profile plays.
    """
    player = own[0].player
    side = form.side(opponent.player)
    value = _collected(form, own, opponent)
    share, steps = [p for row in opponent for p in row], [*enumerate(side.steps())]
    followed = np.zeros((len(steps), 4), dtype=object)
    for k, (before, start, end) in reversed(steps):
        for s in range(start, end):
            if share[s - 1]:
                followed[k] += share[s - 1] * value[s]
        value[before] += followed[k]
    straight = value.copy()
    noise = 0 if opponent.exact else _NOISE * (1 + max(map(abs, value[0].tolist())))
    telling = []
    for k, (before, start, end) in steps:
        for s in range(start, end):
            straight[s] += straight[before] - followed[k]
            if seen[k] and never[s - 1]:
                first, second, *left = straight[s]
                cost = value[0, 2] - left[0], value[0, 3] - left[1]
                if abs(second - first) > noise and max(cost) > noise:
                    label, action = tree.infoset_labels[side.player][k], tree.actions[side.player][k][s - start]
                    telling.append(Mistake(player, whose, k, label, action, first, second, cost))
    return telling


def _collected(
    form: SequenceForm, own: tuple[BehaviorStrategy, BehaviorStrategy], opponent: BehaviorStrategy
) -> NDArray[Any]:
    """Return an array of shape [S, 4] with the sums :math:`c_s` (see the module) for each sequence s of the opponent.

    The first two columns use the player's payoffs with each of its two strategies. The last two columns use the
    opponent's payoffs.
    """
    mine, theirs = form.side(own[0].player), form.side(opponent.player)
    value = np.zeros((theirs.num_sequences, 4), dtype=object)
    for j, strategy in enumerate(own):
        plan, (denominator,) = trembling_plans(mine, strategy, [0])
        payoff: NDArray[Any] = mine.payoff if opponent.exact else mine.payoff_float
        earned = np.zeros(theirs.num_sequences, dtype=plan.dtype)
        np.add.at(earned, mine.opponent, payoff * plan[mine.row, 0])
        for i, sums in enumerate((earned, theirs.gains(plan[:, 0]))):
            whole = denominator * form.denominator
            value[:, 2 * i + j] = [Fraction(c, whole) for c in sums.tolist()] if opponent.exact else sums.tolist()
    return value


def distinct(made: Sequence[Mistake]) -> list[Mistake]:
    """Return each mistake once. Sort the mistakes by the absolute value of ``Mistake.difference``, the largest first.

    If a mistake occurs in both profiles, return the version with the larger absolute difference.
    """
    best: dict[tuple[int, str], Mistake] = {}
    for mistake in sorted(made, key=lambda m: (-max(m.difference, -m.difference), m.infoset)):
        best.setdefault((mistake.infoset, mistake.action), mistake)
    return list(best.values())
