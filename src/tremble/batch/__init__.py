"""Many games at a time, on processes of this machine or on any executor; one game for many values of a number.

:func:`solve_many` solves a list of games, and :func:`sweep` a game for each value of a parameter. Both are
at the top of the package, too.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
