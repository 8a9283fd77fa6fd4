"""Ordered games, such as poker: chance deals private and public signals, and the player with the stronger hand wins.

To define an ordered game, derive a class from :class:`OrderedGame`. To make a game smaller, call
:func:`tremble.shrink`, which merges hands. Some modes of ``shrink`` preserve equilibria exactly. For the other modes,
the program can prove how far the resulting strategies are from an equilibrium of the original game.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # __init__.pyi lists the names
