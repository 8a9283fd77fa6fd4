from collections.abc import Callable
from fractions import Fraction
from typing import overload

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.game import OrderedGame
from tremble.solution.merging import Merging

__all__ = ["merge", "shrink"]

_Threshold = Fraction | float | None

@overload
def shrink(game: GameTree, mode: str = "merged", threshold: None = None) -> Merging: ...
@overload
def shrink(game: OrderedGame | UnbuiltGame, mode: str = "lossless", threshold: _Threshold = None) -> Abstraction: ...
@overload
def shrink(game: object, mode: str = "lossless", threshold: _Threshold = None) -> Abstraction | Merging: ...
def merge(tree: GameTree, mode: str, threshold: _Threshold = None, check: Callable[[], None] = ...) -> Merging: ...
