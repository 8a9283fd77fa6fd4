"""Games small enough to be drawn on paper: each is an .efg file of the folder ``drawings``."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from importlib.resources import files
from string import Template

from tremble.games.parameters import Rules, parameters
from tremble.io.efg import read_efg
from tremble.model.tree import GameTree

__all__ = ["DrawnGame"]


class DrawnGame(Rules):
    """A game given by its tree; a history is the number of a node.

    The file is called as the game is. In it, ``$x`` stands for the parameter ``x``, ``$minus_x`` for its negative.
    """

    @property
    def drawing(self) -> str:
        """Name of the file, without its ending."""
        return self.name()

    @cached_property
    def tree(self) -> GameTree:
        """The tree that is drawn."""
        text = files("tremble.games").joinpath("drawings", f"{self.drawing}.efg").read_text("utf-8")
        values = {parameter.name: getattr(self, parameter.field) for parameter in parameters(type(self))}
        negatives = {f"minus_{name}": -value for name, value in values.items()}
        return read_efg(Template(text).substitute(values | negatives), name=self.drawing)

    @property
    def title(self) -> str:
        """What the file calls the game."""
        return self.tree.title

    def root(self) -> int:
        """Node 0."""
        return 0

    def player(self, h: int) -> int:
        """Who moves, as drawn."""
        return int(self.tree.player[h])

    def actions(self, h: int) -> tuple[str, ...]:
        """Labels, as drawn."""
        return self.tree.labels(h)

    def chance(self, h: int) -> tuple[Fraction, ...]:
        """Probabilities, as drawn."""
        return self.tree.chance_tables[int(self.tree.infoset[h])].probabilities

    def child(self, h: int, i: int) -> int:
        """The node below."""
        return self.tree.children(h)[i]

    def infoset(self, h: int) -> str:
        """The label of the set, as drawn."""
        return self.tree.infoset_labels[self.player(h)][int(self.tree.infoset[h])]

    def payoff(self, h: int) -> tuple[Fraction, Fraction]:
        """Payoffs, as drawn."""
        return self.tree.payoff_at(int(self.tree.infoset[h]))
