"""Ordered games: poker and its like, where private and public signals are dealt and the stronger hand wins.

Derive from :class:`OrderedGame` to write one; :func:`tremble.shrink` makes one smaller by merging hands, without loss
or with a bounded one.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # the names stand in __init__.pyi
