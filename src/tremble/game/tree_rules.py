"""A tree as rules: whatever asks a game by the protocol of :class:`tremble.Game` can be given a tree."""

from __future__ import annotations

from fractions import Fraction

from tremble.game.tree import GameTree

__all__ = ["RulesOfTree"]


class RulesOfTree:
    """The rules of a tree; a history is the number of a node."""

    def __init__(self, tree: GameTree) -> None:
        self._tree = tree

    @property
    def tree(self) -> GameTree:
        """The tree."""
        return self._tree

    @property
    def title(self) -> str:
        """What the tree calls the game."""
        return self.tree.title

    def root(self) -> int:
        """Node 0."""
        return 0

    def player(self, h: int) -> int:
        """Who moves."""
        return int(self.tree.player[h])

    def actions(self, h: int) -> tuple[str, ...]:
        """Labels of the actions."""
        return self.tree.labels(h)

    def chance(self, h: int) -> tuple[Fraction, ...]:
        """Probabilities at a chance node."""
        return self.tree.chance_tables[int(self.tree.infoset[h])].probabilities

    def child(self, h: int, i: int) -> int:
        """The node below."""
        return int(self.tree.first_child[h]) + i

    def infoset(self, h: int) -> str:
        """The number of the information set, with its player's."""
        return f"{self.player(h) + 1}.{int(self.tree.infoset[h]) + 1}"

    def payoff(self, h: int) -> tuple[Fraction, Fraction]:
        """Payoffs at a leaf."""
        return self.tree.payoff_at(int(self.tree.infoset[h]))
