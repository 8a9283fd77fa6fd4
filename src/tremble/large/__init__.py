"""The sequence-form double oracle, on trees and on games that are never built; a public module, so as to replace parts.

:mod:`.loop` has the algorithm and why it is right. It knows a game only through the protocol :class:`.oracle.Oracle`;
:mod:`.tree` implements it on a tree, :mod:`.rules` on rules. Anything else that implements it can be solved by
:class:`.loop.DoubleOracleRun`, which is how a best response, a default strategy or first sequences are replaced.
"""

from tremble.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)  # the names stand in __init__.pyi
