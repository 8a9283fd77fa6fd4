"""Solve many games in one call, or one game for many values of a parameter.

:func:`solve_many` solves many games, using processes of this computer or an executor such as Dask. :func:`sweep` solves
a game for each value of a parameter. These functions are also ``tremble.solve_many`` and ``tremble.sweep``.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # __init__.pyi declares the names
