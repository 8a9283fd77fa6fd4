"""Ordered games, such as poker: private and public signals are dealt, and the stronger hand wins.

To write an ordered game, derive from :class:`OrderedGame`. To make it smaller, call :func:`tremble.shrink`: it merges
hands without loss, or with a loss that is proven afterwards.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # __init__.pyi lists the names
