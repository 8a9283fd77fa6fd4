"""Solve many games at a time, or one game for many values of a parameter.

:func:`solve_many` solves a list of games, using processes of this machine or any executor. :func:`sweep` solves a game
for each value of a parameter. Both functions are also available as ``tremble.solve_many`` and ``tremble.sweep``.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # __init__.pyi declares the names
