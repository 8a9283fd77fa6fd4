"""What a profile earns, however it was found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

__all__ = ["FORGETS", "Earnings", "Guarantee", "Outcome"]

FORGETS = "the player forgets what it did before (no perfect recall), so best responses are not proven"


@dataclass(frozen=True)
class Earnings:
    """How one player's strategy fares against the other's."""

    value: Fraction  # expected payoff
    best_response_value: Fraction  # the most that any strategy earns

    @property
    def gain(self) -> Fraction:
        """What the player could gain by deviating."""
        return self.best_response_value - self.value


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a profile earns in a game."""

    players: Sequence[Earnings]
    # What the two payoffs sum to at every leaf that was looked at, or None if that varies.
    constant_sum: Fraction | None
    every_leaf: ClassVar[bool] = True  # whether all leaves that chance lets happen were looked at

    @property
    def values(self) -> tuple[Fraction, Fraction]:
        """Expected payoffs of both players."""
        return self.players[0].value, self.players[1].value

    @property
    def best_response_values(self) -> tuple[Fraction, Fraction]:
        """What each player earns at most against the other's strategy."""
        return self.players[0].best_response_value, self.players[1].best_response_value

    @property
    def nash_conv(self) -> Fraction:
        """What both players together could gain by deviating."""
        return self.players[0].gain + self.players[1].gain

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """What player 1's strategy guarantees, and what player 2's strategy allows player 1 at most."""
        if self.constant_sum is None:
            return None
        most = self.best_response_values
        return self.constant_sum - most[1], most[0]

    @property
    def certified_bounds(self) -> tuple[Fraction, Fraction] | None:
        """The bounds that a certified solution states: twice the value."""
        return None if self.constant_sum is None else (self.values[0], self.values[0])


@dataclass(frozen=True, eq=False)
class Guarantee:
    """What strategies earn, and proven bounds on what a player can guarantee: best responses play no part in it."""

    nash_conv: ClassVar[None] = None
    best_response_values: ClassVar[None] = None

    values: tuple[Fraction, Fraction]  # expected payoffs of both players
    bounds: tuple[Fraction, Fraction] | None  # lower and upper, on what player 1 earns; None if they are not proven
    epsilon: Fraction  # how far apart they may be

    @property
    def certified_bounds(self) -> tuple[Fraction, Fraction] | None:
        """The bounds that a certified solution states."""
        return self.bounds
