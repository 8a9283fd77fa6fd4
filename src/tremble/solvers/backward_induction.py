r"""Games of perfect information: what backward induction plays, with mistakes, and what follows from it.

A Nash equilibrium says nothing about what is not reached, so its basis is wrong at about every second move of a deep
game. Where every information set is one node, backward induction starts from the last moves. With mistakes of
:math:`w_a \varepsilon`, and with :math:`u_a(\varepsilon)` what action a leads to for a player, a node is worth

.. math::  V = u_{a^*} + \varepsilon \sum_a w_a (u_a - u_{a^*}) ,

where :math:`a^*` is best for the mover for every small :math:`\varepsilon > 0`. In a quasi-perfect equilibrium players
do not count their own later mistakes: to the mover the node is worth :math:`u_{a^*}` then. These are polynomials, and
their first coefficients tell as a rule which is greater. What is chosen so is an equilibrium with these mistakes. The
bases that play it are guesses all the same, which are proven, or mended, like any other. Of very deep games, whose
trembling plans would have too many coefficients, the choice itself is claimed.

Where several actions are best at every order, any of them will do. In a merged program, sequences of one class are
worth the same and are played alike. So the best actions of the least class are chosen, wherever there is a tie: in sets
of one class, these are the same classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.protocol import CHANCE
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.solution import certificates
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.solvers.run import Run

__all__ = ["SUFFICED", "Choice", "all_apart", "induced_choice", "induced_claim", "tells"]

_FIRST_ORDERS = 16  # coefficients of what a node is worth, if it has so many
_MOST_COEFFICIENTS = 1_000_000  # of trembling plans

SUFFICED = {"method_reason": "backward induction alone sufficed: every information set is one node"}
"""Diagnostics of a claim that is what backward induction plays, whatever the method does elsewhere."""

Choice = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Whether the last action of each sequence is chosen at its set: pair of bool[S]; not so for the empty one."""


def all_apart(tree: GameTree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Classes of one sequence each."""
    return pair(np.arange(1 + slots) for slots in tree.num_slots)


def tells(tree: GameTree, trembles: Trembles) -> bool:
    """Whether every information set is one node, and both players make mistakes, of order 1."""
    return trembles.first_order and bool(sum(tree.num_infosets) == np.count_nonzero(tree.player >= 0))


def induced_choice(
    tree: GameTree,
    check: Callable[[], None],
    trembles: Trembles,
    classes: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    *,
    own_slips: bool = False,
) -> Choice | None:
    """The actions that are best where later moves tremble.

    Parameters
    ----------
    classes : pair of int64[S] or None
        The class of each sequence: what breaks ties. None if nothing does.
    own_slips : bool
        Whether players count their own later mistakes.

    Returns
    -------
    Choice or None
        None of a game without perfect information, of mistakes of other orders than 1 or of one player alone, and where
        there is a tie that nothing breaks.
    """
    if not tells(tree, trembles):
        return None
    orders = _FIRST_ORDERS
    while True:
        try:
            choice = _best_actions(tree, check, trembles, classes, own_slips, orders)
        except _TieError as tie:
            if not tie.at_so_many_orders:
                return None
            orders *= 4
            continue
        # Where chance never comes, programs see no payoffs, and what they merge may be worth different things there.
        return choice if classes is None or all(map(_same_in_class, choice, classes)) else None


def induced_claim(tree: GameTree, concept: str, run: Run) -> Claim | None:
    """What backward induction plays, in a game so deep that trembling plans would have too many coefficients.

    It is proven without them: by a certificate of kind ``backward-induction``, or, as a sequential equilibrium, by
    trembles of which the leading terms are enough. None of other games.
    """
    row, sides = CONCEPTS[concept], SequenceForm.of(tree).sequences
    if row.refines and not row.beliefs and certificates.BACKWARD_INDUCTION not in row.other_certificates:
        return None
    if sum((int(own.length.max()) + 1) * own.num_sequences for own in sides) <= _MOST_COEFFICIENTS:
        return None
    run.progress("backward induction", None)
    weights = run.weights(tree)
    chosen = induced_choice(tree, run.clock.check, weights, all_apart(tree), own_slips=row.own_mistakes)
    if chosen is None:
        return None
    strategies = pair(
        BehaviorStrategy.pure(tree, player, (np.flatnonzero(own[1:]) - tree.slot_start[player][:-1]).tolist())
        for player, own in enumerate(chosen)
    )
    if not row.refines:
        return Claim(strategies, SUFFICED)
    everywhere = pair(replace(strategy, off_path=np.zeros_like(strategy.off_path)) for strategy in strategies)
    if not row.beliefs:
        return Claim(everywhere, SUFFICED, certificates.backward_induction(weights.rows()))
    beliefs = limit_beliefs(tree, pair(_Certain(own.num_sequences) for own in sides))
    return Claim(everywhere, SUFFICED, certificates.consistent_trembles(weights.rows(), None), beliefs)


@dataclass(frozen=True)
class _Certain:
    """As good as any mistakes for beliefs at sets of one node."""

    num_sequences: int

    @property
    def order(self) -> NDArray[np.int64]:
        """All 0."""
        return np.zeros(self.num_sequences, dtype=np.int64)

    @property
    def leading(self) -> NDArray[np.int64]:
        """All 1."""
        return np.ones(self.num_sequences, dtype=np.int64)


def _same_in_class(chosen: NDArray[np.bool_], of: NDArray[np.int64]) -> bool:
    """Whether all or none of each class are chosen."""
    some = np.bincount(of, weights=chosen)
    return bool(np.all((some == 0) | (some == np.bincount(of))))


class _TieError(Exception):
    """Two actions are worth the same, or the same at all orders that were looked at."""

    def __init__(self, at_so_many_orders: bool) -> None:
        self.at_so_many_orders = at_so_many_orders


def _best_actions(
    tree: GameTree,
    check: Callable[[], None],
    trembles: Trembles,
    classes: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    own_slips: bool,
    orders: int,
) -> Choice:
    """The best actions of each node, by so many orders; raises ``_TieError``."""
    chosen: Choice = pair(np.zeros(1 + slots, dtype=np.bool_) for slots in tree.num_slots)
    opposed = own_slips and tree.constant_sum is not None  # player 2 minimises what player 1 earns, which is looked at
    payoff = tree.payoff[:, : 1 if opposed else 2].tolist()
    sets, movers = tree.infoset.tolist(), tree.player.tolist()
    starts = [start.tolist() for start in tree.slot_start]
    children = zip(tree.first_child.tolist(), tree.num_children.tolist(), strict=True)
    worth: list[Any] = [None] * tree.num_nodes  # of each node, by player, by order
    for node, (first, count) in reversed(list(enumerate(children))):
        if not node % 1000:
            check()
        k, mover = sets[node], movers[node]
        if not count:
            worth[node] = [[paid] for paid in payoff[k]]
            continue
        options = worth[first : first + count]
        worth[first : first + count] = [None] * count
        if mover == CHANCE:
            shares = tree.chance_tables[k].probabilities
            worth[node] = [_cut(_mixed(shares, values), values, orders) for values in zip(*options, strict=True)]
            continue
        judged = _padded([option[0 if opposed else mover] for option in options])
        most = min(judged) if opposed and mover else max(judged)
        best = judged.index(most)
        slot = starts[mover][k]
        if judged.count(most) == 1:
            chosen[mover][1 + slot + best] = True
        elif classes is None or len(most) == orders:
            raise _TieError(at_so_many_orders=len(most) == orders)
        else:
            of = classes[mover][1 + slot : 1 + slot + count]
            tied = [a for a in range(count) if judged[a] == most]
            chosen[mover][1 + slot : 1 + slot + count] = of == of[tied].min()
        weights = trembles.weight[mover][slot : slot + count].tolist()
        worth[node] = [
            values[best] if player == mover and not own_slips else _cut(_slipped(weights, values, best), values, orders)
            for player, values in enumerate(zip(*options, strict=True))
        ]
    return chosen


def _cut(worth: list[Any], options: Sequence[list[Any]], orders: int) -> list[Any]:
    """What follows from options, without zeros at its end, or so many coefficients of it if more may follow."""
    if any(len(option) == orders for option in options):
        return (worth + [0] * orders)[:orders]
    while len(worth) > 1 and not worth[-1]:
        worth.pop()
    return worth[:orders]


def _padded(values: Sequence[list[Any]]) -> list[list[Any]]:
    """The same polynomials, with as many coefficients each."""
    most = max(map(len, values))
    return [value + [0] * (most - len(value)) for value in values]


def _mixed(shares: Sequence[Any], values: Sequence[list[Any]]) -> list[Any]:
    """The sum of polynomials times their shares."""
    return [
        sum((share * value for share, value in zip(shares, level, strict=True)), Fraction(0))
        for level in zip_longest(*values, fillvalue=0)
    ]


def _slipped(weights: Sequence[int], values: Sequence[list[Any]], best: int) -> list[Any]:
    """What a node is worth where the best action is meant, and others are mistakes."""
    values = _padded(values)
    slips = [0]
    for level in zip(*values, strict=True):
        meant = level[best]
        slips.append(sum(w * (value - meant) for w, value in zip(weights, level, strict=True)))
    return [value + slip for value, slip in zip([*values[best], 0], slips, strict=True)]
