"""Ordered games, such as poker: private and public signals are dealt, and the stronger hand wins.

To write an ordered game, derive from :class:`OrderedGame`. To make it smaller, call :func:`tremble.shrink`: it merges
hands without loss, or with a loss that is proven afterwards.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
