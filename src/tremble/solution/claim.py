"""Claims: strategies and beliefs that a method has found, before :mod:`tremble.check` proves them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.game.rules import StrategyInArrays, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy
from tremble.value import Value, in_few_digits

__all__ = ["BeliefRow", "Beliefs", "Claim", "MethodReference", "Profile", "Strategy", "marked"]

_MOST = 150  # greatest number of characters of a belief in a repr


@dataclass(frozen=True, eq=False, repr=False)
class BeliefRow(Value):
    """The belief of a player at one information set.

    Attributes
    ----------
    infoset : int
        Index of the information set, from 0; documents count from 1.
    nodes : tuple of (path, probability)
        A path consists of the action labels from the root to a node of the set.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"), "sequential")
    >>> solution.beliefs[1][0].nodes
    ((('JQ', 'check'), Fraction(1, 1)), (('KQ', 'check'), Fraction(0, 1)))
    >>> solution.beliefs[1][0]
    <BeliefRow of information set 1: JQ / check 1; KQ / check 0>
    """

    infoset: int
    nodes: tuple[tuple[tuple[str, ...], Fraction], ...]

    def __repr__(self) -> str:
        shown, room = "", _MOST
        for path, belief in self.nodes:
            labels = (repr(label)[1:-1] for label in path)  # repr escapes control characters that move a cursor
            entry = f"{' / '.join(labels) or 'the root'} {in_few_digits(belief)}"
            shown += f"; {entry}" if shown else entry
            if len(shown) > room:
                shown = f"{shown[:room]}…"
                break
        return f"<BeliefRow of information set {self.infoset + 1}: {shown or 'chance never comes here'}>"


Beliefs = tuple[tuple[BeliefRow, ...], tuple[BeliefRow, ...]]

Strategy = BehaviorStrategy | UnbuiltStrategy | StrategyInArrays
"""A complete strategy of a tree, or a strategy of a game that is not built (without a tree), in rows or arrays."""

Profile = tuple[Strategy, Strategy]
"""Strategies of players 1 and 2, two objects of the same class."""


def marked(profile: Profile) -> Profile:
    """Return the profile. In strategies for a tree, mark the sets that the player's own moves never reach."""
    player1, player2 = profile
    if isinstance(player1, BehaviorStrategy) and isinstance(player2, BehaviorStrategy):
        return player1.marked(), player2.marked()
    return profile


@dataclass(frozen=True, eq=False)
class Claim:
    """The unproven result of a method.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy, of UnbuiltStrategy or of OrderedStrategy
        Exact strategies of players 1 and 2.
    diagnostics : mapping
        Plain data: sizes, iterations, times. The checker does not prove them.
    certificate : mapping, or None
        Proof of the requested concept: a certificate of :mod:`tremble.solution.certificates` as plain data. None if
        the method returns only strategies.
    beliefs : pair of tuples of BeliefRow, or None
    refutation : mapping, or None
        Proof that the strategies do not satisfy a concept, as plain data.
    """

    strategies: Profile
    diagnostics: Mapping[str, Any]
    certificate: Mapping[str, Any] | None = None
    beliefs: Beliefs | None = None
    refutation: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class MethodReference(Value):
    """The name and the options (plain data) of the method that made a solution.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), method="lp").method.name
    'lp'
    """

    name: str
    options: Mapping[str, Any]
