"""Drawings of games and solutions, plots, and play; with the commands ``draw``, ``play`` and ``plot``."""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # __init__.pyi lists the names
