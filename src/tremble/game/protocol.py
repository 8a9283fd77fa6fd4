"""The protocol for writing a game as rules.

A *history* is any immutable, hashable object. The methods below say what can happen after it. :func:`tremble.build`
makes a tree of the rules.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

from tremble.errors import GameError, PlayersError

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Game",
    "Playable",
    "checked_names",
    "is_text",
    "label_tuple",
    "require_callable",
    "require_rules",
]

CHANCE = -1
"""The value of ``player(h)`` if chance moves."""

TERMINAL = -2
"""The value of ``player(h)`` if the game is over."""


S_co = TypeVar("S_co", covariant=True)


class Playable(Protocol[S_co]):
    """A game that names the class of its strategies, for type checkers: ``solve`` returns a ``Solution`` of it."""

    @property
    def strategy_type(self) -> type[S_co]:
        """The class of strategies for the game."""
        ...


@runtime_checkable
class Game(Protocol):
    """Rules of a two-player game.

    Histories are immutable and hashable. All numbers are exact: ``int`` or ``fractions.Fraction``.

    Examples
    --------
    Matching pennies; the second player does not see the coin of the first:

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
        """Return the labels of the actions after ``h`` (also at chance), in order; equal within an information set."""

    def chance(self, h: Any) -> Sequence[Fraction]:
        """Return the exact probabilities of the actions at a chance history; positive, with sum one."""

    def child(self, h: Any, i: int) -> Any:
        """Return the history after action number ``i`` (from 0)."""

    def infoset(self, h: Any) -> Hashable:
        """Return the key of the information set. Equal keys of one player are one set; a ``str`` becomes its label."""

    def payoff(self, h: Any) -> tuple[Fraction | int, Fraction | int]:
        """Return the payoffs of players 1 and 2 at a terminal history."""


_REQUIRED_METHODS = ("root", "player", "actions", "child", "infoset", "payoff")


def require_rules(rules: object) -> Game:
    """Return the object; raise ``GameError`` with advice unless it has the methods of :class:`Game`."""
    missing = [name for name in _REQUIRED_METHODS if not callable(getattr(rules, name, None))]
    if isinstance(rules, str):
        advice = f"tremble.load({rules!r:.80}) gives the game of that name"
    elif isinstance(rules, type):
        advice = f"{rules.__name__}(...) makes a game"
    elif isinstance(rules, list | tuple) or hasattr(rules, "shape"):
        advice = "tremble.matrix_game(A, B) makes one of matrices of payoffs"
    elif missing:
        advice = f"it has no method {', '.join(missing)}"
    else:
        return cast("Game", rules)  # chance(h) is needed only if chance moves
    kind = type(rules).__name__
    raise GameError(f"a {kind} is neither a game tree nor rules with the methods of tremble.Game: {advice}")


def require_callable(value: object, what: str) -> None:
    """Raise ``GameError`` unless a value can be called; ``what`` names it."""
    if not callable(value):
        raise GameError(f"{what} is a function, not {value!r:.80}")


def label_tuple(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the result of ``actions(h)`` as a tuple; raise ``GameError`` if it is not a sequence."""
    if type(labels) is tuple:
        return labels
    try:
        # The items of a NumPy array would compare as arrays.
        return tuple(labels.tolist() if hasattr(labels, "tolist") else labels)
    except TypeError:
        raise GameError(f"the actions must be a sequence of labels, not {labels!r:.100}") from None


def checked_names(players: object) -> tuple[str, str]:
    """Return the names of two players as a tuple; raise ``PlayersError`` unless these are two texts.

    Examples
    --------
    >>> checked_names(["Ann", "Bob"])
    ('Ann', 'Bob')
    """
    if not isinstance(players, tuple | list) or len(players) < 2 or not all(map(is_text, players)):
        raise PlayersError(f"players are two names, not {players!r:.80}")
    if len(players) > 2:
        raise PlayersError.of(len(players), "by the names of players, the game")
    return players[0], players[1]


def is_text(label: object) -> bool:
    """Check that a label is text that can be written to a file: without half of a surrogate pair."""
    return isinstance(label, str) and (label.isascii() or not any("\ud800" <= c <= "\udfff" for c in label))
