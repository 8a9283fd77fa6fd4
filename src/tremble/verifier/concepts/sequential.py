r"""Sequential equilibria: at every information set a belief, and play that is best given the belief.

An *assessment*, strategies and beliefs, is a sequential equilibrium (Kreps and Wilson 1982) if it is

* *consistent*: the limit of completely mixed strategies and of the beliefs that follow from them;
* *sequentially rational*: at every set, the strategy from there on is best, given the belief and the
  strategy of the other. It suffices that no single action at any set can be bettered (one-shot
  deviations): a consistent belief at a later set is the earlier one, updated.

The completely mixed strategies are stated by one of two kinds of certificate:

* ``polynomials``: everything that :mod:`.quasi_perfect` proves is proven, of perturbed plans
  :math:`x(\epsilon), y(\epsilon)` that converge to the stated strategies. Such an equilibrium is quasi-perfect as well;
* ``consistent-trembles`` (:mod:`tremble.verifier.certificates.consistent_trembles`): a weight and an order for the
  mistake at every action; the strategies that tremble so converge to the stated ones by their form. That their play is
  best is proven below, and only in the limit, so that this equilibrium need not be quasi-perfect. (Kreps and Wilson
  show that every consistent assessment is the limit of strategies of this form.)

Either way, of the probability with which player 2 plays its sequence q only the leading term
:math:`y_q\,\epsilon^{d(q)}`, :math:`y_q > 0`, is looked at. The belief of player 1 in a node h of a set I is the limit

.. math::  \frac{c_h\, y_h(\epsilon)}{\sum_{h' \in I} c_{h'}\, y_{h'}(\epsilon)}

(its own plan is the same at all nodes of I, by perfect recall), hence the quotient of the coefficients at
the lowest order m(I) of the sum: no terms cancel, because all of them are positive. Player 2's
likewise. Sets that chance never comes to have no belief, by a convention of ours. There may be other sequential
equilibria.

Rationality is proven from these limits. Let z be a leaf after the node h of I, and h a node with d(h) = m(I). Then

.. math::  \mu_I(h)\,\beta_2(z \mid h)\,c_{z \mid h} =
               \frac{c_z\, y_z\, [d(z) = m(I)]}{\sum_{h' \in I,\, d(h') = m(I)} c_{h'}\, y_{h'}}\,,

where the strategy :math:`\beta_2` of player 2 from h to z is a product of quotients of leading coefficients, and the
product telescopes as long as the order stays m; where it rises, a factor is 0. So at each set, up to one positive
factor, what an action promises is an integer sum over leaves:

.. math::

   g_{(I,a)} = \sum_{\substack{\text{leaves z after } (I,a) \\ d(z) = m(I)}} c_z\,u_z\,y_z
               + \sum_{\substack{I' \text{ after } (I,a) \\ m(I') = m(I)}} \; \max_{a'} g_{(I',a')}\,,

where the maximum is what the strategy earns at I', once nothing there can be bettered; sets with a greater
m(I') are reached with probability 0 given the belief at I. (A leaf after I with d(z) < m(I) has a weight
:math:`c_z = 0`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.game.protocol import CHANCE
from tremble.game.tree import GameTree
from tremble.numbers import shorten
from tremble.verifier.budget import bits_of, budget, listening
from tremble.verifier.certificates.consistent_trembles import (
    ConsistentTremblesCertificate,
    LeadingTerms,
    leading_terms,
)
from tremble.verifier.concepts.nash import check_refinement
from tremble.verifier.concepts.quasi_perfect import prove_quasi_perfect
from tremble.verifier.context import CheckContext, unequal
from tremble.verifier.profiles.tree import against, chance_weights

__all__ = ["check_sequential"]


def check_sequential(context: CheckContext) -> None:
    """Check what a solution with the concept ``sequential`` states: certified or bounded."""
    check_refinement(context, _prove)
    if not context.solution.certified and context.solution.beliefs is not None:
        context.problems.add("beliefs: a profile that is only bounded states none")


def _prove(context: CheckContext) -> None:
    if ConsistentTremblesCertificate.is_kind_of(context.solution.certificate):
        terms = leading_terms(context)
    else:
        plans = prove_quasi_perfect(context)
        terms = None if plans is None else (LeadingTerms.of(plans[0]), LeadingTerms.of(plans[1]))
    if context.solution.beliefs is None:
        context.problems.add("beliefs: missing; the concept 'sequential' defines them")
        return
    if terms is None:
        return
    chance, of_node, _ = chance_weights(context.tree)
    climb = _Climb.of(context.tree)
    for player in (0, 1):
        reach = _reach(context, player, terms[1 - player], chance, of_node)
        _check_beliefs(context, player, reach, climb)
        _check_rationality(context, player, reach, terms[1 - player])


@dataclass(frozen=True, eq=False)
class _Reach:
    """How chance and the trembling other come to the nodes of a player.

    Shapes: H nodes of the player, sorted by information set, then in preorder; J sets.
    """

    nodes: list[int]
    start: list[int]  # the nodes of set k are start[k]:start[k + 1]
    # m(I), the lowest order of the probability with which chance and the other come to each set; ``never`` where
    # chance never does.
    order: NDArray[np.int64]  # [J]
    amount: list[int]  # the coefficient of each node at that order, up to one positive factor for all
    never: int


def _reach(
    context: CheckContext, player: int, other: LeadingTerms, chance: Sequence[int], of_node: NDArray[np.int64]
) -> _Reach:
    tree = context.tree
    own = np.flatnonzero(tree.player == player)
    nodes = own[np.lexsort((tree.preorder[own], tree.infoset[own]))]
    infoset = tree.infoset[nodes]
    start = np.searchsorted(infoset, np.arange(tree.num_infosets[player] + 1))
    sequence = context.evaluation.sequences[1 - player].at_node[nodes]
    never = max(other.order) + 1
    possible = np.array([weight > 0 for weight in chance], dtype=np.bool_)[of_node[nodes]]
    arrives = np.where(possible, np.array(other.order, dtype=np.int64)[sequence], never)
    order = np.minimum.reduceat(arrives, start[:-1]) if len(nodes) else arrives
    counts = possible & (arrives == order[infoset])
    amount = [0] * len(nodes)
    costs = budget()
    costs.about = f"certificate.{'YX'[player]}"
    for i, history, q in listening(
        zip(np.flatnonzero(counts).tolist(), of_node[nodes[counts]].tolist(), sequence[counts].tolist(), strict=True)
    ):
        one, other_bits = chance[history].bit_length(), other.amount[q].bit_length()
        costs.product(one, other_bits)
        costs.keep(one + other_bits)
        amount[i] = chance[history] * other.amount[q]
    return _Reach(nodes.tolist(), start.tolist(), order, amount, never)


@dataclass(frozen=True, eq=False)
class _Climb:
    """The way up from each node, to compare a stated path with.

    Paths are followed, not made: those of a deep tree would fill the memory, the stated ones are there anyway.
    """

    parent: list[int]
    label: list[str]

    @classmethod
    def of(cls, tree: GameTree) -> _Climb:
        tables = (*tree.actions[0], *tree.actions[1], *(table.labels for table in tree.chance_tables))
        label = np.array(["", *(label for labels in tables for label in labels)], dtype=object)
        first = np.cumsum([1, *map(len, tables)])
        offset = np.zeros(3, dtype=np.int64)
        offset[[0, 1, CHANCE]] = 0, len(tree.actions[0]), len(tree.actions[0]) + len(tree.actions[1])
        above = tree.parent[1:]
        taken = first[offset[tree.player[above]] + tree.infoset[above]] + tree.action[1:]
        return cls(tree.parent.tolist(), ["", *label[taken].tolist()])

    def leads_to(self, node: int, path: Sequence[str]) -> bool:
        """Whether a path of action labels from the root leads to the node."""
        for step in reversed(path):
            if not node or step != self.label[node]:
                return False
            node = self.parent[node]
        return not node


def _check_beliefs(context: CheckContext, player: int, reach: _Reach, climb: _Climb) -> None:
    """The stated beliefs are the limits."""
    tree, problems = context.tree, context.problems
    assert context.solution.beliefs is not None
    rows = context.solution.beliefs[player]
    costs = budget()
    costs.about = f"beliefs[{player}]"
    context.checked.add("beliefs")
    if [row.infoset for row in rows] != list(range(tree.num_infosets[player])):
        problems.add(
            f"beliefs[{player}]: not one row for each of the {tree.num_infosets[player]} information sets, in order"
        )
        return
    for k, row in enumerate(listening(rows)):
        first, end = reach.start[k], reach.start[k + 1]
        total = sum(reach.amount[first:end])
        length = total.bit_length()
        if not total:
            if row.nodes:
                problems.add(f"{context.place(player, k)}: chance never comes here, so there is no belief to state")
            continue
        if len(row.nodes) != end - first:
            problems.add(
                f"{context.place(player, k)}: the belief names {len(row.nodes)} nodes, but the set has {end - first}"
            )
            continue
        for i, (path, stated) in enumerate(listening(row.nodes)):
            node, amount = reach.nodes[first + i], reach.amount[first + i]
            costs.quotient(length, bits_of(stated), 2)
            costs.quotient(length, length)
            if not climb.leads_to(node, path):
                right = "..." if problems.full else _path(tree.path(node))  # long in a deep tree
                problems.add(
                    f"{context.place(player, k)}: node {i + 1} of the belief is not {right}, but {_path(path)}"
                )
            elif stated.numerator * total != amount * stated.denominator:
                problems.add(
                    f"{context.place(player, k)}: the belief in {_path(path)} is "
                    f"{unequal(stated, Fraction(amount, total))}"
                )


def _check_rationality(context: CheckContext, player: int, reach: _Reach, other: LeadingTerms) -> None:
    """Given the belief and both strategies from there on, no played action can be bettered at any set."""
    sequences, table = context.evaluation.sequences[player], context.solution.tables[player]
    own, others, payoff = context.evaluation.cells.seen_by(player)
    # m(I) of the set that each sequence belongs to; what lies after none of the own sets plays no part.
    order = np.concatenate(([reach.never], np.repeat(reach.order, np.diff(sequences.start))))
    here = order[own] == np.array(other.order, dtype=np.int64)[others]
    promise = against(own[here], others[here], payoff[here], other.amount, sequences.num_sequences)
    share, orders = table.numerator.tolist(), order.tolist()
    for k, prior, first, end in listening(reversed(sequences.sets)):
        best = max(promise[first:end])
        if orders[prior] == orders[first]:
            promise[prior] += best
        for q in range(first, end):
            if promise[q] != best and share[q - 1]:
                labels = context.tree.actions[player][k]
                context.problems.add(
                    f"{context.place(player, k)}: {labels[q - first]!r} is played with probability "
                    f"{shorten(Fraction(share[q - 1], int(table.denominator[k])))}, but given the belief "
                    f"{labels[promise.index(best, first, end) - first]!r} earns more"
                )


def _path(path: Sequence[str]) -> str:
    text = " / ".join(path[:20])
    return f"'{text[:200]}{'...' if len(path) > 20 or len(text) > 200 else ''}'"
