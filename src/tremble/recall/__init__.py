"""Players without perfect recall: let a player forget, measure what it loses by this, and find recall witnesses.

A recall witness shows at which information set a player has no perfect recall. The function
:func:`tremble.classify_recall` classifies the recall of a player.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
