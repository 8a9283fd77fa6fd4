"""An adapter that presents a tree as rules, for code that needs the methods of :class:`tremble.Game`."""

from __future__ import annotations

from fractions import Fraction

from tremble.game.tree import GameTree

__all__ = ["RulesOfTree"]


class RulesOfTree:
    """The rules of a tree. A history is the number of a node."""

    def __init__(self, tree: GameTree) -> None:
        self._tree = tree

    @property
    def tree(self) -> GameTree:
        """The tree that these rules describe."""
        return self._tree

    @property
    def title(self) -> str:
        """Title of the tree."""
        return self.tree.title

    def root(self) -> int:
        """Return the root, which is node 0."""
        return 0

    def player(self, h: int) -> int:
        """Return the player to move, ``CHANCE`` or ``TERMINAL``."""
        return int(self.tree.player[h])

    def actions(self, h: int) -> tuple[str, ...]:
        """Return the labels of the actions."""
        return self.tree.labels(h)

    def chance(self, h: int) -> tuple[Fraction, ...]:
        """Return the probabilities at a chance node."""
        return self.tree.chance_tables[int(self.tree.infoset[h])].probabilities

    def child(self, h: int, i: int) -> int:
        """Return the child after action ``i``."""
        return int(self.tree.first_child[h]) + i

    def infoset(self, h: int) -> str:
        """Return a key such as ``"1.3"``: the numbers of the player and of the information set, from 1."""
        return f"{self.player(h) + 1}.{int(self.tree.infoset[h]) + 1}"

    def payoff(self, h: int) -> tuple[Fraction, Fraction]:
        """Return the payoffs at a leaf."""
        return self.tree.payoff_at(int(self.tree.infoset[h]))
