"""What a drawing says about a profile: move probabilities, what is reached, expected payoffs, beliefs, blunders."""

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

_EXACT_NODES = 20_000  # beyond so many nodes, expected payoffs in pictures are floats, and beliefs are left out


@dataclass(frozen=True)
class Belief:
    """What a player believes at a node of an information set with several nodes."""

    probability: Number
    stated: bool  # by the solution, where the strategies leave it open
    wrong: bool = False  # no mistakes of the other player leave it behind


@dataclass(frozen=True)
class Annotations:
    """One entry per mark of an :class:`~tremble.show.layout.Excerpt`.

    The probability is that of the move to the mark: None at the root, at stubs, and at players' moves without a
    profile. The blunders are those of the move to the mark; those of mixtures stand at the mark that mixes.
    """

    probability: list[Number | None]
    reach: list[Number] | None = None  # probability that the profile reaches the mark
    value: list[tuple[Number, Number]] | None = None  # expected payoffs of both players from the mark on
    belief: Sequence[Belief | None] = ()
    blunder: Sequence[Blunder | None] = ()
    mixture: Sequence[Blunder | None] = ()

    def reached(self, mark: int) -> bool:
        """Whether the profile reaches a mark (always, without a profile)."""
        return self.reach is None or self.reach[mark] > 0

    def played(self, mark: int) -> bool:
        """Whether the profile reaches a mark by the move that leads to it (a stub: the node above it)."""
        return self.reached(mark) and self.probability[mark] != 0


def annotate(
    tree: GameTree, part: Excerpt, given: ProfileLike | GivenProfile | None = None, audit: Audit | None = None
) -> Annotations:
    """Compute the numbers that belong to a drawing."""
    known = None if given is None else given_profile(tree, given)
    profile = None if known is None else known.strategies
    probability: list[Number | None] = [None] * len(part)
    for mark in range(1, len(part)):
        if not part.hidden[mark]:
            probability[mark] = _move(tree, profile, part.node[mark])
    if known is None or profile is None:
        return Annotations(probability)
    reach: list[Number] = [Fraction(1)] * len(part)
    above = part.node[0]
    while above:
        reach[0] *= _move(tree, profile, above) or 0
        above = int(tree.parent[above])
    for mark in range(1, len(part)):
        move = probability[mark]
        reach[mark] = reach[part.parent[mark]] * (1 if move is None else move)
    value: list[tuple[Number, Number]]
    belief: list[Belief | None] = [None] * len(part)
    blunder, mixture = _blunders(tree, part, audit)
    if tree.num_nodes <= _EXACT_NODES:
        assessment = Assessment(tree, profile, known.beliefs if audit is None else audit.beliefs)
        exact = all(strategy.exact for strategy in profile)
        one, two = assessment.values_by_node
        value = [(one[n], two[n]) if n >= 0 else (Fraction(0), Fraction(0)) for n in part.node]
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
    """The probability of the move to a node."""
    above = int(tree.parent[node])
    mover, index, action = int(tree.player[above]), int(tree.infoset[above]), int(tree.action[node])
    if mover == CHANCE:
        return tree.chance_tables[index].probabilities[action]
    return None if profile is None else profile[mover].probability(index, action)


def _beliefs(
    tree: GameTree, part: Excerpt, assessment: Assessment, wrong: Sequence[WrongBelief], *, exact: bool
) -> list[Belief | None]:
    """At the marks of sets of several nodes."""
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
    """Those of the moves to the marks, and those of the mixtures at the marks; the greatest of each."""
    moves_to: list[Blunder | None] = [None] * len(part)
    mixtures: list[Blunder | None] = [None] * len(part)
    if audit is None:
        return moves_to, mixtures
    worst: dict[tuple[int, int, str | None], Blunder] = {}
    for each in audit.blunders:  # the greatest first
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
