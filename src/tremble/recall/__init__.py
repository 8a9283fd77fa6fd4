"""Players who forget: what they forget (a witness), games made smaller by forgetting, and what that costs.

:func:`tremble.classify_recall` says how much a player remembers.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
