"""How the double oracle runs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tremble.errors import TooLargeError

__all__ = ["POLICIES", "SIZES", "Policy", "Settings", "Sizes", "require_shallow"]

_DEEPEST = 300  # moves in a row for the published best response, which calls itself

Policy = Literal["both", "alternating", "worse"]
POLICIES: tuple[Policy, ...] = ("both", "alternating", "worse")
"""Who responds in an iteration: both players, one after the other, or the one whose bound is further away."""


@dataclass(frozen=True)
class Sizes:
    """Sizes at which one way of working gives way to another.

    Attributes
    ----------
    exact_rows : int
        Restricted games whose program has fewer rows are always solved by linear programs.
    table_from : int
        Positions of a game that is not built: with fewer, loading the compiled search takes longer than it saves.
    table_to, histories_to : int
        With more positions there is no table for the compiled search; the second, where every history is a position.
    look_ahead : int
        Positions that may be looked at to find out what a temporary leaf is worth.

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
    """How the double oracle runs.

    Attributes
    ----------
    policy : str
        One of ``POLICIES``.
    smoothing : float
        0: best responses to equilibria of restricted games only (as published). Else both players also respond to
        the mixture of the other's incumbent, with this weight, and its plan in the restricted game.
    first_order : float
        While the bounds are further apart than this, relative to the greatest payoff, large restricted games are
        solved approximately by regret minimisation. 0: by linear programs always (as published); measured, these
        take most of the time then.
    published : bool
        Whether best responses are the published depth-first search, with what it takes for granted at temporary leaves.
    gap : Fraction or None
        Be content with bounds this close; None: go on until they meet.
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
    """Raise ``TooLargeError`` where the published best response would call itself too often."""
    if depth > _DEEPEST:
        raise TooLargeError(f"the published best response is for games of at most {_DEEPEST} moves in a row")
