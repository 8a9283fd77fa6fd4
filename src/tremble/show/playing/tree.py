"""Hands in a game tree: a history is a node, and what moves cost is known of all information sets at once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.errors import ImperfectRecallError
from tremble.game.evaluation import values_against
from tremble.game.protocol import CHANCE, Game
from tremble.game.recall import parent_sequence
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_rules import RulesOfTree
from tremble.show.playing.protocol import Event, Line, own_moves

__all__ = ["PlayableTree"]

_MANY_NODES = 10_000  # of an information set, beyond which they are not listed


class PlayableTree:
    """A tree with a profile."""

    def __init__(self, tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy]) -> None:
        self.rules: Game = RulesOfTree(tree)
        self.title = tree.title
        self.players = tree.players
        self._tree = tree
        self._profile = profile
        self._values: dict[int, tuple[list[int], Fraction] | None] = {}

    def label(self, line: Line) -> str:
        """The label of the set, or its number."""
        mover, k = self._set(line)
        return self._tree.infoset_labels[mover][k] or f"information set {k + 1}"

    def seen(self, line: Line) -> tuple[Event, ...]:
        """What is the same at all nodes of the set; nothing but own moves if they are not equally deep."""
        tree, nodes = self._tree, self._nodes(line)
        depth = np.searchsorted(tree.level, nodes, side="right") - 1
        if depth.max() > depth.min():
            return own_moves(self, line)
        events = []
        for _ in range(int(depth[0])):
            above = tree.parent[nodes]
            steps = np.stack((tree.player[above], tree.infoset[above], tree.action[nodes]))
            alike = np.unique(steps, axis=1, return_index=True)[1].tolist()
            movers = {int(tree.player[above[i]]) for i in alike}
            labels = {tree.labels(int(above[i]))[int(tree.action[nodes[i]])] for i in alike}
            mover = movers.pop() if len(movers) == 1 else None
            events.append(Event(mover, labels.pop() if mover is not None and len(labels) == 1 else None))
            nodes = np.unique(above)
        return tuple(reversed(events))

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """The row of the set."""
        mover, k = self._set(line)
        return [Fraction(p) for p in self._profile[mover].row(k)]

    def possible(self, line: Line) -> Sequence[tuple[Line, Fraction]] | None:
        """The nodes of the set; None of a player who forgets, whose own moves would count."""
        nodes, mover = self._nodes(line), self._set(line)[0]
        if len(nodes) > _MANY_NODES or parent_sequence(self._tree, mover) is None:
            return None
        reach = self._reach(nodes, 1 - mover)
        return [(self._line_to(node), reach[node]) for node in nodes.tolist() if reach[node]]

    def overall(self, line: Line, number: int) -> None:
        """Not computed: what the mover knew then need not be an information set of its own."""

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        """From the values of all sequences against the other's strategy; None of a player who forgets."""
        mover, k = self._set(line)
        if mover not in self._values:
            try:
                values, unit = values_against(self._tree, self._profile[1 - mover])
                self._values[mover] = values, Fraction(unit)
            except ImperfectRecallError:
                self._values[mover] = None
        known = self._values[mover]
        if known is None:
            return None
        values, unit = known
        nodes = self._nodes(line)
        reach = self._reach(nodes, 1 - mover)
        first, end = (int(slot) + 1 for slot in self._tree.slot_start[mover][k : k + 2])
        best, scale = max(values[first:end]), unit / sum(reach[node] for node in nodes.tolist())
        return tuple((best - value) * scale for value in values[first:end])

    def _set(self, line: Line) -> tuple[int, int]:
        return int(self._tree.player[line.here]), int(self._tree.infoset[line.here])

    def _nodes(self, line: Line) -> NDArray[np.int64]:
        mover, k = self._set(line)
        return np.flatnonzero((self._tree.player == mover) & (self._tree.infoset == k))

    def _line_to(self, node: int) -> Line:
        nodes, actions = [node], []
        while nodes[-1]:
            actions.append(int(self._tree.action[nodes[-1]]))
            nodes.append(int(self._tree.parent[nodes[-1]]))
        return Line(tuple(nodes[::-1]), tuple(actions[::-1]))

    def _reach(self, nodes: NDArray[np.int64], opponent: int) -> dict[int, Fraction]:
        """Probability that chance and the opponent come to each node and to those above it."""
        tree, strategy = self._tree, self._profile[opponent]
        above = nodes
        wanted = [nodes]
        while above.any():
            above = np.unique(tree.parent[above[above > 0]])
            wanted.append(above)
        reach = {0: Fraction(1)}
        for node in np.unique(np.concatenate(wanted)).tolist()[1:]:  # parents first
            parent, action = int(tree.parent[node]), int(tree.action[node])
            mover, k = int(tree.player[parent]), int(tree.infoset[parent])
            p = reach[parent]
            if p and mover == CHANCE:
                p *= tree.chance_tables[k].probabilities[action]
            elif p and mover == opponent:
                p *= Fraction(strategy.row(k)[action])
            reach[node] = p
        return reach
