"""The numbers that a drawing of a tree shows: probabilities, expected payoffs, beliefs and blunders of a profile.

A *blunder* is an action, or a mixture of actions, that loses payoff for its player (:mod:`tremble.judge.audit`). A
*mark* is a drawn node, or a stub in place of nodes that are not drawn (:class:`~tremble.show.layout.Excerpt`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tremble.formats.given_profile import GivenProfile, ProfileLike, given_profile
from tremble.game.evaluation import summed_below
from tremble.game.protocol import CHANCE
from tremble.game.strategy import Number, Profile
from tremble.game.tree import GameTree
from tremble.judge.compare.differences import moves
from tremble.show.layout import Excerpt
from tremble.solution.assessment import Assessment
from tremble.solution.audit import Audit, Blunder, WrongBelief

__all__ = ["Annotations", "Belief", "annotate"]

_EXACT_NODES = 20_000  # pictures of trees with more nodes show expected payoffs as floats, and show no beliefs


@dataclass(frozen=True)
class Belief:
    """The probability that a player assigns to one node of an information set with at least two nodes."""

    probability: Number
    stated: bool  # True if the solution gives the belief because the strategies do not determine it
    wrong: bool = False  # True if no mistakes (trembles) of the opponent produce the beliefs at this information set


@dataclass(frozen=True)
class Annotations:
    """Numbers to show in a drawing. Each list has one entry for each mark of the drawing.

    Attributes
    ----------
    probability : list of Number or None
        Probability of the move that leads to the mark. The root and the stubs have None. Without a profile, marks after
        a move of a player also have None.
    reach : list of Number, optional
        Probability that the profile reaches the mark.
    value : list of pair of Number, optional
        Expected payoffs of both players if play starts at the mark.
    belief : sequence of Belief or None
        Belief of the player who moves at the node. None for a mark without a belief.
    blunder : sequence of Blunder or None
        The audit's blunder with the greatest ``amount`` whose action leads to the mark, or None.
    mixture : sequence of Blunder or None
        The audit's blunder with the greatest ``amount`` that is a mixture of actions at the mark, or None.
    """

    probability: list[Number | None]
    reach: list[Number] | None = None
    value: list[tuple[Number, Number]] | None = None
    belief: Sequence[Belief | None] = ()
    blunder: Sequence[Blunder | None] = ()
    mixture: Sequence[Blunder | None] = ()

    def reached(self, mark: int) -> bool:
        """Return True if ``mark`` has a positive probability under the profile, or if there is no profile."""
        return self.reach is None or self.reach[mark] > 0

    def played(self, mark: int) -> bool:
        """Return True if, under the profile, play reaches the node before ``mark`` and then moves to ``mark``.

        For a stub, return True if play reaches the node above the stub.
        """
        return self.reached(mark) and self.probability[mark] != 0


def annotate(
    tree: GameTree, part: Excerpt, given: ProfileLike | GivenProfile | None = None, audit: Audit | None = None
) -> Annotations:
    """Compute the numbers to show for the marks of ``part``, and add the blunders and wrong beliefs of ``audit``."""
    known = None if given is None else given_profile(tree, given)
    profile = None if known is None else known.strategies
    # Probabilities of the moves to the marks.
    probability: list[Number | None] = [None] * len(part)
    for mark in range(1, len(part)):
        if not part.hidden[mark]:
            probability[mark] = _move(tree, profile, part.node[mark])
    if known is None or profile is None:
        return Annotations(probability)
    # Reach: the part may begin below the root, so first multiply the probabilities on the path from the root.
    reach: list[Number] = [Fraction(1)] * len(part)
    above = part.node[0]
    while above:
        reach[0] *= _move(tree, profile, above) or 0
        above = int(tree.parent[above])
    for mark in range(1, len(part)):
        move = probability[mark]
        reach[mark] = reach[part.parent[mark]] * (1 if move is None else move)
    # Values and beliefs are exact for exact strategies. Large trees have float values and no beliefs.
    value: list[tuple[Number, Number]]
    belief: list[Belief | None] = [None] * len(part)
    blunder, mixture = _blunders(tree, part, audit)
    if tree.num_nodes <= _EXACT_NODES:
        assessment = Assessment(tree, profile, known.beliefs if audit is None else audit.beliefs)
        exact = all(strategy.exact for strategy in profile)
        values1, values2 = assessment.values_by_node
        value = [(values1[n], values2[n]) if n >= 0 else (Fraction(0), Fraction(0)) for n in part.node]
        if not exact:
            value = [(float(a), float(b)) for a, b in value]
        belief = _beliefs(tree, part, assessment, () if audit is None else audit.wrong_beliefs, exact=exact)
    else:
        table, share = np.zeros((tree.num_nodes, 2)), np.ones(tree.num_nodes)
        table[tree.leaves] = tree.payoff_float
        for below, chance, _ in moves(tree, profile):
            share[below] = chance
        summed_below(tree, table, share)
        value = [(float(table[n, 0]), float(table[n, 1])) if n >= 0 else (0.0, 0.0) for n in part.node]
    return Annotations(probability, reach, value, belief, blunder, mixture)


def _move(tree: GameTree, profile: Profile | None, node: int) -> Number | None:
    """Return the probability of the move to a node, or None for a player's move if there is no profile."""
    above = int(tree.parent[node])
    mover, index, action = int(tree.player[above]), int(tree.infoset[above]), int(tree.action[node])
    if mover == CHANCE:
        return tree.chance_tables[index].probabilities[action]
    return None if profile is None else profile[mover].probability(index, action)


def _beliefs(
    tree: GameTree, part: Excerpt, assessment: Assessment, wrong: Sequence[WrongBelief], *, exact: bool
) -> list[Belief | None]:
    """Return the belief at each mark. Marks of chance, leaves, stubs and sets with a single node have None."""
    faults = {(each.player, each.infoset) for each in wrong}
    known: dict[tuple[int, int], tuple[dict[int, Fraction], bool]] = {}
    found: list[Belief | None] = []
    for node in part.node:
        player = int(tree.player[node]) if node >= 0 else CHANCE
        if player < 0:
            found.append(None)
            continue
        place = player, int(tree.infoset[node])
        if place not in known:
            known[place] = assessment.beliefs_at(*place)
        shares, stated = known[place]
        share = shares.get(node) if len(shares) > 1 else None
        found.append(
            None if share is None else Belief(share if exact else float(share), stated, place in faults)
        )  # fmt: skip
    return found


def _blunders(tree: GameTree, part: Excerpt, audit: Audit | None) -> tuple[list[Blunder | None], list[Blunder | None]]:
    """Return two lists with an entry for each mark: a blunder, or None.

    An entry of the first list is the greatest blunder whose action leads to the mark. An entry of the second list is
    the greatest blunder that consists of a mixture of actions at the information set of the mark.
    """
    moves_to: list[Blunder | None] = [None] * len(part)
    mixtures: list[Blunder | None] = [None] * len(part)
    if audit is None:
        return moves_to, mixtures
    worst: dict[tuple[int, int | None, str | None], Blunder] = {}
    for each in audit.blunders:  # sorted from the greatest to the smallest
        worst.setdefault((each.player, each.infoset, each.action), each)
    for mark, node in enumerate(part.node):
        player = int(tree.player[node]) if node >= 0 else CHANCE
        if player < 0:
            continue
        k = int(tree.infoset[node])
        mixtures[mark] = worst.get((player, k, None))
        labels = tree.actions[player][k]
        for child in part.children[mark]:
            if not part.hidden[child]:
                moves_to[child] = worst.get((player, k, labels[int(tree.action[part.node[child]])]))
    return moves_to, mixtures
