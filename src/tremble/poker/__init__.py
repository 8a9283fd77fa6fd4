"""Ordered games: poker and its like, where private and public signals are dealt and the stronger hand wins.

Derive from :class:`OrderedGame` to write one; :func:`tremble.shrink` makes one smaller by merging hands, without loss
or with a bounded one.
"""

from tremble.capabilities import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
