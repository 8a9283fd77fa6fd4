"""Players without perfect recall: witnesses, abstractions of games by forgetting, and the loss that these cause.

:func:`tremble.classify_recall` classifies the recall of a player.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
