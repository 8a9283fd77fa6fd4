"""What a method claims. Nothing of it is proven yet: that is the checker's part, :mod:`tremble.verifier`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.solution.certificates import Certificate

__all__ = ["BeliefRow", "Beliefs", "Claim", "Profile"]


@dataclass(frozen=True)
class BeliefRow:
    """What a player believes at one information set.

    Attributes
    ----------
    infoset : int
        Number of the information set, from 1.
    nodes : tuple of (path, probability)
        A path is the action labels from the root to a node of the set.
    """

    infoset: int
    nodes: tuple[tuple[tuple[str, ...], Fraction], ...]


Beliefs = tuple[tuple[BeliefRow, ...], tuple[BeliefRow, ...]]

Profile = (
    tuple[BehaviorStrategy, BehaviorStrategy]
    | tuple[UnbuiltStrategy, UnbuiltStrategy]
    | tuple[OrderedStrategy, OrderedStrategy]
)
"""Strategies of players 1 and 2: complete ones, or of a game that is not built, or of an ordered one that is not."""


@dataclass(frozen=True, eq=False)
class Claim:
    """What a method returns.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy, of UnbuiltStrategy or of OrderedStrategy
        Exact ones, for players 1 and 2.
    diagnostics : mapping
        Plain data: sizes, iterations, times. Nothing in it is proven.
    certificate : Certificate, or None
        How the concept that was asked for is to be proven; None claims no more than the strategies.
    beliefs : pair of tuples of BeliefRow, or None
    """

    strategies: Profile
    diagnostics: Mapping[str, Any]
    certificate: Certificate | None = None
    beliefs: Beliefs | None = None
