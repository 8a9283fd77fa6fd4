r"""Single mistakes of an opponent, and the payoffs of two strategies against them.

An opponent with strategy :math:`\sigma` makes a mistake (k, a), see :mod:`tremble.judge.compare`. Let V be the payoff
that runs through one of its sequences if it follows its strategy from there on. Let W be the total payoff if it plays
towards the sequence:

.. math::

    V(s) = c_s + \sum_{k : parent(k) = s} V(k), \qquad V(k) = \sum_a \sigma_k(a) \, V(k, a),

    W(k, a) = W(parent(k)) - V(k) + V(k, a), \qquad W(\emptyset) = V(\emptyset),

where c sums own reach times chance times payoff over the leaves of a sequence. W(k, a) is the payoff of the mistake.
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

_NOISE = 1e-12  # of float payoffs, relative to their size


def mistakes(
    tree: GameTree,
    form: SequenceForm,
    own: tuple[BehaviorStrategy, BehaviorStrategy],
    opponent: BehaviorStrategy,
    whose: Whose,
    seen: NDArray[np.bool_],
    never: NDArray[np.bool_],
) -> list[Mistake]:
    """Return the single mistakes that cost the opponent something and from which the two strategies earn differently.

    Parameters
    ----------
    own, opponent
        Strategies that are all exact, or all floats.
    seen : bool[J]
        True for the opponent's information sets that chance and the player reach in either profile.
    never : bool[slots]
        True for the opponent's actions that neither profile plays.
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
    """Return payoffs at the opponent's sequences [S, 4]: the player's for each strategy, then the opponent's."""
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
    """Keep each mistake once, with the opponent that makes the greater difference; the greatest difference first."""
    best: dict[tuple[int, str], Mistake] = {}
    for mistake in sorted(made, key=lambda m: (-max(m.difference, -m.difference), m.infoset)):
        best.setdefault((mistake.infoset, mistake.action), mistake)
    return list(best.values())
