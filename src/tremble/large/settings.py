"""Options of the double oracle."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tremble.errors import TooLargeError

__all__ = ["POLICIES", "SIZES", "Policy", "Settings", "Sizes", "require_shallow"]

_MAX_DEPTH = 300  # moves in a row; the published best response is recursive

Policy = Literal["both", "alternating", "worse"]
POLICIES: tuple[Policy, ...] = ("both", "alternating", "worse")
"""Who responds in an iteration: both players, the players in turn, or the player with the looser bound."""


@dataclass(frozen=True)
class Sizes:
    """Sizes at which the double oracle switches between two ways of working.

    Attributes
    ----------
    exact_rows : int
        Restricted games whose linear program has fewer rows are always solved by that program.
    table_from : int
        The compiled search is used from this many positions on. For fewer, loading it takes longer than it saves.
    table_to, histories_to : int
        The compiled search is not used for more positions than this. ``histories_to`` applies to rules that do not
        merge histories into positions.
    look_ahead : int
        Positions that may be expanded to find the value of one temporary leaf.

    Examples
    --------
    >>> import tremble
    >>> tremble.methods.DoubleOracle().sizes == Sizes()
    True
    """

    exact_rows: int = 1_000
    table_from: int = 5_000
    table_to: int = 5_000_000
    histories_to: int = 300_000
    look_ahead: int = 200_000


SIZES = Sizes()


@dataclass(frozen=True)
class Settings:
    """Options of one run.

    Attributes
    ----------
    policy : str
        One of ``POLICIES``.
    smoothing : float
        With 0, players respond only to equilibria of restricted games, as published. Otherwise each player also
        responds to a mixture: the opponent's incumbent with this weight, and its plan in the restricted game.
    first_order : float
        While the gap between the bounds, relative to the largest payoff, exceeds this number, large restricted games
        are solved approximately by regret minimisation. With 0, linear programs solve all of them, as published.
        Measured: linear programs then take most of the time.
    published : bool
        Count and report each best response as an iteration, as published.
    gap : Fraction or None
        Stop as soon as the gap between the bounds is at most this number. None: continue until the gap is 0.
    sizes : Sizes

    Examples
    --------
    >>> Settings(policy="worse", gap=0.1).smoothing
    0.8
    """

    policy: Policy = "both"
    smoothing: float = 0.8
    first_order: float = 0.001
    published: bool = False
    gap: Fraction | None = None
    sizes: Sizes = SIZES


def require_shallow(depth: int) -> None:
    """Raise ``TooLargeError`` if a game is too deep for the recursive published best response."""
    if depth > _MAX_DEPTH:
        raise TooLargeError(f"the published best response is for games of at most {_MAX_DEPTH} moves in a row")
