"""Players without perfect recall: abstractions of games by forgetting, the loss that they cause, and recall witnesses.

A witness shows in which information set a player has no perfect recall. The function :func:`tremble.classify_recall`
classifies the recall of a player.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
