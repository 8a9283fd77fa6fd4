"""How the double oracle runs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

__all__ = ["POLICIES", "Policy", "Settings"]

Policy = Literal["both", "alternating", "worse"]
POLICIES: tuple[Policy, ...] = ("both", "alternating", "worse")
"""Who responds in an iteration: both players, one after the other, or the one whose bound is further away."""


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
    gap : Fraction or None
        Be content with bounds this close; None: go on until they meet.
    """

    policy: Policy = "both"
    smoothing: float = 0.0
    gap: Fraction | None = None
