r"""Choose actions in games of perfect information by a backward induction that takes mistakes into account.

A Nash equilibrium does not determine play at unreached information sets. So in a deep game, the basis of a Nash
equilibrium chooses wrongly at about every second move. If every information set is one node, backward induction finds a
better basis, starting from the last moves. Let mistakes have probabilities :math:`w_a \varepsilon`, and let
:math:`u_a(\varepsilon)` be the value of action a for a player. The value of the node is

.. math::  V = u_{a^*} + \varepsilon \sum_a w_a (u_a - u_{a^*}) .

The action :math:`a^*` is best for the mover for every small :math:`\varepsilon > 0`. In a quasi-perfect equilibrium,
players ignore their own later mistakes, so the value for the mover is :math:`u_{a^*}`. Values are polynomials. Usually
their first coefficients decide which value is greater. The chosen actions are an equilibrium with these mistakes. A
basis that plays the chosen actions is still only a guess. It is proven or repaired like any other basis. In very deep
games, the plans as polynomials in :math:`\varepsilon` (*trembling plans*) would have too many coefficients. The claim
then contains only the chosen actions (:func:`induced_claim`).

If the values of actions are equal polynomials, all these actions are best. A program that merges alike sequences into
classes plays all sequences of a class alike, and these have the same value. So a tie is broken by class: the class
with the smallest index wins. Then the actions that are chosen at alike information sets belong to the same classes.
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
from tremble.game.requirements import has_perfect_information
from tremble.game.sequence_form import SequenceForm
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.solution import certificates
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.solvers.method import Run

__all__ = ["SUFFICED", "Choice", "all_apart", "induced_choice", "induced_claim", "tells"]

_FIRST_ORDERS = 16  # greatest number of coefficients of a value in the first attempt
_MOST_COEFFICIENTS = 1_000_000  # greatest number of coefficients of trembling plans

SUFFICED = {"method_reason": "backward induction alone sufficed: every information set is one node"}
"""Diagnostics of a claim that backward induction alone computes, without running the requested method."""

Choice = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""A pair of masks bool[S], one per player, of the sequences whose last action is chosen; entry 0 is False."""


def all_apart(tree: GameTree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return class numbers, int64[S] for each player, that put every sequence into a separate class."""
    return pair(np.arange(1 + slots) for slots in tree.num_slots)


def tells(tree: GameTree, trembles: Trembles) -> bool:
    """Return True if every information set has only one node, and the mistakes of all actions have order 1."""
    return trembles.first_order and has_perfect_information(tree)


def induced_choice(
    tree: GameTree,
    check: Callable[[], None],
    trembles: Trembles,
    classes: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    *,
    own_slips: bool = False,
) -> Choice | None:
    """Return the best actions, given that players tremble at later moves.

    Parameters
    ----------
    classes : pair of int64[S] or None
        The class number of each sequence. At a tie, the least class number wins. None leaves ties unbroken.
    own_slips : bool
        True if players take their own later mistakes into account.

    Returns
    -------
    Choice or None
        None if information is imperfect, a mistake's order is not 1, a tie remains, or choices within a class differ.
    """
    if not tells(tree, trembles):
        return None
    orders = _FIRST_ORDERS
    while True:
        try:
            choice = _best_actions(tree, check, trembles, classes, own_slips, orders)
        except _TieError as tie:
            if not tie.up_to_the_limit:
                return None
            orders *= 4
            continue
        # At nodes that chance never reaches, merged sequences may differ, because programs omit the payoffs there.
        return choice if classes is None or all(map(_same_in_class, choice, classes)) else None


def induced_claim(tree: GameTree, concept: str, run: Run) -> Claim | None:
    """Solve by backward induction if trembling plans would be too large, and return the claim; otherwise return None.

    The proof is a certificate of kind ``backward-induction``. For a sequential equilibrium, the certificate contains
    only the weights of the trembles, because beliefs depend only on leading terms.
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
    """A placeholder for a trembling plan in a game of perfect information, where beliefs do not depend on plans."""

    num_sequences: int

    @property
    def order(self) -> NDArray[np.int64]:
        """The order of the leading term of each sequence's weight: always 0."""
        return np.zeros(self.num_sequences, dtype=np.int64)

    @property
    def leading(self) -> NDArray[np.int64]:
        """The leading coefficient of each sequence's weight: always 1."""
        return np.ones(self.num_sequences, dtype=np.int64)


def _same_in_class(chosen: NDArray[np.bool_], of: NDArray[np.int64]) -> bool:
    """Return True if, in each class of sequences, ``chosen`` is True for all sequences or for no sequence."""
    some = np.bincount(of, weights=chosen)
    return bool(np.all((some == 0) | (some == np.bincount(of))))


class _TieError(Exception):
    """An error for a tie: two best actions have equal values, at least in all coefficients that were computed."""

    def __init__(self, up_to_the_limit: bool) -> None:
        self.up_to_the_limit = up_to_the_limit


def _best_actions(
    tree: GameTree,
    check: Callable[[], None],
    trembles: Trembles,
    classes: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    own_slips: bool,
    orders: int,
) -> Choice:
    """Return the best action at each node; raise ``_TieError`` in a tie. Values get at most ``orders`` coefficients."""
    chosen: Choice = pair(np.zeros(1 + slots, dtype=np.bool_) for slots in tree.num_slots)
    # Only payoffs of player 1 are needed if player 2 minimizes them.
    opposed = own_slips and tree.constant_sum is not None
    payoff = tree.payoff[:, : 1 if opposed else 2].tolist()
    sets, movers = tree.infoset.tolist(), tree.player.tolist()
    starts = [start.tolist() for start in tree.slot_start]
    children = zip(tree.first_child.tolist(), tree.num_children.tolist(), strict=True)
    value_at: list[Any] = [None] * tree.num_nodes  # coefficients of each node's value, by player and order
    for node, (first, count) in reversed(list(enumerate(children))):
        if not node % 1000:
            check()
        k, mover = sets[node], movers[node]
        if not count:
            value_at[node] = [[paid] for paid in payoff[k]]
            continue
        options = value_at[first : first + count]
        value_at[first : first + count] = [None] * count
        if mover == CHANCE:
            shares = tree.chance_tables[k].probabilities
            value_at[node] = [_cut(_mixed(shares, values), values, orders) for values in zip(*options, strict=True)]
            continue
        judged = _padded([option[0 if opposed else mover] for option in options])
        most = min(judged) if opposed and mover else max(judged)
        best = judged.index(most)
        slot = starts[mover][k]
        if judged.count(most) == 1:
            chosen[mover][1 + slot + best] = True
        elif classes is None or len(most) == orders:
            raise _TieError(up_to_the_limit=len(most) == orders)
        else:
            of = classes[mover][1 + slot : 1 + slot + count]
            tied = [a for a in range(count) if judged[a] == most]
            chosen[mover][1 + slot : 1 + slot + count] = of == of[tied].min()
        weights = trembles.weight[mover][slot : slot + count].tolist()
        value_at[node] = [
            values[best] if player == mover and not own_slips else _cut(_slipped(weights, values, best), values, orders)
            for player, values in enumerate(zip(*options, strict=True))
        ]
    return chosen


def _cut(value: list[Any], options: Sequence[list[Any]], orders: int) -> list[Any]:
    """Cut or pad ``value`` to length ``orders`` if one of ``options`` has length ``orders``. Else drop final zeros."""
    if any(len(option) == orders for option in options):
        return (value + [0] * orders)[:orders]
    while len(value) > 1 and not value[-1]:
        value.pop()
    return value[:orders]


def _padded(values: Sequence[list[Any]]) -> list[list[Any]]:
    """Append zeros to polynomials until all have the same number of coefficients."""
    most = max(map(len, values))
    return [value + [0] * (most - len(value)) for value in values]


def _mixed(shares: Sequence[Any], values: Sequence[list[Any]]) -> list[Any]:
    """Return the average of the polynomials ``values``, weighted by the probabilities ``shares``."""
    return [
        sum((share * value for share, value in zip(shares, level, strict=True)), Fraction(0))
        for level in zip_longest(*values, fillvalue=0)
    ]


def _slipped(weights: Sequence[int], values: Sequence[list[Any]], best: int) -> list[Any]:
    """Return the value of a node if the mover intends action ``best`` and plays other actions by mistake."""
    values = _padded(values)
    slips = [0]
    for level in zip(*values, strict=True):
        meant = level[best]
        slips.append(sum(w * (value - meant) for w, value in zip(weights, level, strict=True)))
    return [value + slip for value, slip in zip([*values[best], 0], slips, strict=True)]
