"""Ordered games: poker and its like, where private and public signals are dealt and the stronger hand wins.

Derive from :class:`OrderedGame` to write one; :func:`tremble.shrink` makes one smaller by merging hands, without loss
or with a bounded one.
"""

from tremble.games.holdem_river import HoldemRiver
from tremble.judging.abstraction import AbstractionReport
from tremble.model.ordered.ex_post import ExPost, ex_post
from tremble.model.ordered.filter import Filter
from tremble.model.ordered.game import OrderedGame, Round
from tremble.model.ordered.stage import GO_ON, OVER, Leaf, Move, StageTree
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.reductions.abstraction import Abstraction
from tremble.reductions.dominance import dominance_report, undominated
from tremble.reductions.shrink import ladder

__all__ = [
    "GO_ON",
    "OVER",
    "Abstraction",
    "AbstractionReport",
    "ExPost",
    "Filter",
    "HoldemRiver",
    "Leaf",
    "Move",
    "OrderedGame",
    "OrderedStrategy",
    "Round",
    "StageTree",
    "dominance_report",
    "ex_post",
    "ladder",
    "undominated",
]
