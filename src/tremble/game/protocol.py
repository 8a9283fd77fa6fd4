"""The protocol for writing a game as rules.

A *history* is any immutable, hashable object of your choice; the methods below say what can happen after
it. Rules are turned into a tree by :func:`tremble.build`.
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
"""What ``player(h)`` returns where chance moves."""

TERMINAL = -2
"""What ``player(h)`` returns where the game is over."""


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
    Matching pennies, with the second player not seeing the first player's coin:

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
        """The empty history."""

    def player(self, h: Any) -> int:
        """Who moves after ``h``: 0, 1, ``CHANCE`` or ``TERMINAL``."""

    def actions(self, h: Any) -> Sequence[str]:
        """Labels of the actions after ``h`` (also at chance), in order; equal within an information set."""

    def chance(self, h: Any) -> Sequence[Fraction]:
        """Exact probabilities of the actions at a chance history; positive, and their sum is one."""

    def child(self, h: Any, i: int) -> Any:
        """The history after action number ``i`` (from 0)."""

    def infoset(self, h: Any) -> Hashable:
        """What the mover knows: equal keys of one player are one information set. A ``str`` is shown as its label."""

    def payoff(self, h: Any) -> tuple[Fraction | int, Fraction | int]:
        """Payoffs of players 1 and 2 at a terminal history."""


_NEEDED = ("root", "player", "actions", "child", "infoset", "payoff")


def require_rules(rules: object) -> Game:
    """The same object; ``GameError`` that says what is wrong, unless it has the methods of :class:`Game`."""
    missing = [name for name in _NEEDED if not callable(getattr(rules, name, None))]
    if isinstance(rules, str):
        advice = f"tremble.load({rules!r:.80}) gives the game of that name"
    elif isinstance(rules, type):
        advice = f"{rules.__name__}(...) makes a game"
    elif isinstance(rules, list | tuple) or hasattr(rules, "shape"):
        advice = "tremble.matrix_game(A, B) makes one of matrices of payoffs"
    elif missing:
        advice = f"it has no method {', '.join(missing)}"
    else:
        return cast("Game", rules)  # which needs chance(h) only where it says that chance moves
    kind = type(rules).__name__
    raise GameError(f"a {kind} is neither a game tree nor rules with the methods of tremble.Game: {advice}")


def require_callable(value: object, what: str) -> None:
    """Raise ``GameError`` unless this, named by what it is for, can be called."""
    if not callable(value):
        raise GameError(f"{what} is a function, not {value!r:.80}")


def label_tuple(labels: Sequence[str]) -> tuple[str, ...]:
    """What ``actions(h)`` returns, as a tuple; ``GameError`` if it is no sequence."""
    if type(labels) is tuple:
        return labels
    try:
        return tuple(labels.tolist() if hasattr(labels, "tolist") else labels)  # an array's own texts compare as arrays
    except TypeError:
        raise GameError(f"the actions must be a sequence of labels, not {labels!r:.100}") from None


def checked_names(players: object) -> tuple[str, str]:
    """Return the names of two players as a tuple; raise ``PlayersError`` if they are not two texts.

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
    """Whether a label can stand in a file: half of a surrogate pair cannot."""
    return isinstance(label, str) and (label.isascii() or not any("\ud800" <= c <= "\udfff" for c in label))
