"""Base class of small games whose trees are stored as .efg files in the folder ``drawings``."""

from __future__ import annotations

from functools import cached_property
from importlib.resources import files
from string import Template

from tremble.formats.efg import read_efg
from tremble.game.tree import GameTree
from tremble.game.tree_rules import RulesOfTree
from tremble.games.parameters import Rules, parameters

__all__ = ["DrawnGame"]


class DrawnGame(RulesOfTree, Rules):
    """A game whose tree is stored in a file. A history is the number of a node.

    The file is named after the game. In the text of the file, ``$x`` stands for the value of the parameter ``x``, and
    ``$minus_x`` for minus this value.
    """

    @property
    def drawing(self) -> str:
        """Name of the file in the folder ``drawings``, without its ending."""
        return self.name()

    @cached_property
    def tree(self) -> GameTree:
        """The tree in the file."""
        text = files("tremble.games").joinpath("drawings", f"{self.drawing}.efg").read_text("utf-8")
        values = {parameter.name: getattr(self, parameter.field) for parameter in parameters(type(self))}
        negatives = {f"minus_{name}": -value for name, value in values.items()}
        return read_efg(Template(text).substitute(values | negatives), name=self.drawing)

    @property
    def players(self) -> tuple[str, str]:
        """Names of the players in the file."""
        return self.tree.players

    def infoset(self, h: int) -> str:
        """Return the label that the file gives to the information set of node ``h``."""
        return self.tree.infoset_labels[self.player(h)][int(self.tree.infoset[h])]
