"""Options of the double oracle."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tremble.errors import TooLargeError

__all__ = ["POLICIES", "SIZES", "Policy", "Settings", "Sizes", "require_shallow"]

_MAX_DEPTH = 300  # limit on the number of moves on a path, because the published best response is recursive

Policy = Literal["both", "alternating", "worse"]
POLICIES: tuple[Policy, ...] = ("both", "alternating", "worse")
"""The choices of players that respond in an iteration: both, one at a time in turn, or the one with the looser bound.

A player's bound limits its payoff from above. The looser bound is farther from the value of the restricted game."""


@dataclass(frozen=True)
class Sizes:
    """The sizes at which the double oracle switches between algorithms.

    Attributes
    ----------
    exact_rows : int
        If the linear program of a restricted game has fewer rows than this number, an LP solver always solves it.
    table_from : int
        The number of positions above which the compiled search is used. Below it, loading the search takes too long.
    table_to, histories_to : int
        The number of positions above which the compiled search is not used. ``histories_to`` applies to rules that do
        not merge histories into positions. ``table_to`` applies to all other rules.
    look_ahead : int
        The number of positions that may be visited to find the payoff at one temporary leaf (see :mod:`.oracle`).

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
    """Options of one run of the double oracle.

    Attributes
    ----------
    policy : str
        One of ``POLICIES``.
    smoothing : float
        A number w, at least 0 and less than 1. If w is 0, players respond only to equilibria of restricted games, as in
        the published algorithm. Otherwise each player also responds to a mixture. The mixture gives weight w to the
        opponent's best plan so far, and weight 1 - w to the opponent's plan in the restricted game.
    first_order : float
        As long as the gap between the bounds exceeds this share of the largest payoff, regret minimization solves large
        restricted games approximately. With 0, linear programs solve all restricted games, as in the published
        algorithm. The programs then take most of the time (measured).
    published : bool
        If True, each best response is counted and reported as an iteration, as in the published algorithm.
    gap : Fraction or None
        The run stops as soon as the gap between the bounds is at most this number. None means 0.
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
    """Raise ``TooLargeError`` if a game is too deep for the recursive best-response search in Bošanský et al. 2014."""
    if depth > _MAX_DEPTH:
        raise TooLargeError(f"this method supports at most {_MAX_DEPTH} moves on a path: use double-oracle")
