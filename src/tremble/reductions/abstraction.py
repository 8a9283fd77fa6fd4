"""An abstraction: an ordered game, and the smaller game that a filter leaves of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tremble.model.ordered.filter import Filter
from tremble.model.ordered.filtered import FilteredGame, Sizes, sizes_of
from tremble.model.ordered.game import OrderedGame

__all__ = ["Abstraction"]


@dataclass(frozen=True, eq=False)
class Abstraction:
    """An ordered game of two players as seen through a filter."""

    game: OrderedGame
    filter: Filter
    mode: str  # how the filter was made
    threshold: float | None = None  # of mode threshold

    @property
    def sizes(self) -> Sizes:
        """Of the sequence form, without building it."""
        return sizes_of(self.game, self.filter)

    @cached_property
    def filtered(self) -> FilteredGame:
        """The game that is left."""
        return FilteredGame.of(self.game, self.filter)
