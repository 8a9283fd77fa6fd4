"""The sequence-form double oracle, on game trees and on games that are defined by rules without a tree.

:mod:`.loop` explains the algorithm and proves that it is correct. The algorithm uses a game only through the interface
:class:`.oracle.Oracle`, which :mod:`.tree` implements for trees and :mod:`.rules` for rules.
Users can write their own oracle for :class:`.loop.DoubleOracleRun`, for example with another best response, default
strategy or initial sequences. This module is public for such users.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
