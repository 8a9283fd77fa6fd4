"""Draw games and solutions, plot results, and play hands. The commands are ``draw``, ``plot`` and ``play``."""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # __init__.pyi declares the names
