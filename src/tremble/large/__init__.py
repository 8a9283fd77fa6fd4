"""The sequence-form double oracle, on trees and on games that are played from their rules.

:mod:`.loop` explains the algorithm and proves that it is correct. It uses a game only through the protocol
:class:`.oracle.Oracle`, which :mod:`.tree` implements for trees and :mod:`.rules` for rules.
:class:`.loop.DoubleOracleRun` accepts any other implementation, for example one with its own best response, default
strategy or initial sequences. This module is public for that purpose.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
