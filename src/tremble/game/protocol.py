"""The protocol for writing a game as rules.

A *history* is any immutable, hashable object that represents the moves so far. The methods of :class:`Game`
define what can happen after a history. :func:`tremble.build` builds the tree of the rules.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeVar, runtime_checkable

__all__ = ["CHANCE", "TERMINAL", "Game", "Playable"]

CHANCE = -1
"""The value of ``player(h)`` if chance moves."""

TERMINAL = -2
"""The value of ``player(h)`` if the game is over."""


S_co = TypeVar("S_co", covariant=True)


class Playable(Protocol[S_co]):
    """A game that declares the class of its strategies. Type checkers infer the type of ``Solution`` from the class."""

    @property
    def strategy_type(self) -> type[S_co]:
        """The class of strategies for the game."""
        ...


@runtime_checkable
class Game(Protocol):
    """Rules of a two-player game.

    Histories are immutable and hashable. All payoffs and probabilities are exact: ``int`` or ``fractions.Fraction``.

    Examples
    --------
    In matching pennies, player 2 does not see the coin of player 1:

    >>> import tremble
    >>> class Pennies:
    ...     def root(self): return ()
    ...     def player(self, h): return len(h) if len(h) < 2 else tremble.TERMINAL
    ...     def actions(self, h): return ("heads", "tails")
    ...     def chance(self, h): raise LookupError("nothing is random here")
    ...     def child(self, h, i): return (*h, i)
    ...     def infoset(self, h): return len(h)
    ...     def payoff(self, h): return (1, -1) if h[0] == h[1] else (-1, 1)
    >>> tremble.build(Pennies()).num_nodes
    7
    """

    def root(self) -> Any:
        """Return the empty history."""

    def player(self, h: Any) -> int:
        """Return the player to move after ``h``: 0, 1, ``CHANCE`` or ``TERMINAL``."""

    def actions(self, h: Any) -> Sequence[str]:
        """Return the labels of the actions or outcomes at ``h``. Histories of one information set have equal labels."""

    def chance(self, h: Any) -> Sequence[Fraction]:
        """Return the exact probabilities of the outcomes at a chance history; they are positive and sum to one."""

    def child(self, h: Any, i: int) -> Any:
        """Return the history after action number ``i`` (from 0)."""

    def infoset(self, h: Any) -> Hashable:
        """Return the key of the information set of the player to move at ``h``.

        Histories of one player with equal keys form one information set. A key of type ``str`` becomes the set's label.
        """

    def payoff(self, h: Any) -> tuple[Fraction | int, Fraction | int]:
        """Return the payoffs of players 1 and 2 at a terminal history."""
