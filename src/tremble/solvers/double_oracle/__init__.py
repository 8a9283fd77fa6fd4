"""The sequence-form double oracle, on trees and on games that are never built.

:mod:`.loop` has the algorithm and why it is right. It knows a game only through the protocol :class:`.oracle.Oracle`;
:mod:`.tree` implements it on a tree, :mod:`.rules` on rules. Anything else that implements it can be solved by
:class:`.loop.DoubleOracleRun`, which is how a best response, a default strategy or first sequences are replaced.
"""
