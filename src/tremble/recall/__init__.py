"""Players without perfect recall: witnesses, abstractions of games by forgetting, and the loss that these cause.

:func:`tremble.classify_recall` classifies the recall of a player.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # the names stand in __init__.pyi
