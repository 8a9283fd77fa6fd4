"""Check the rules of a game: that they have the needed methods, and return valid labels and names of players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from tremble.errors import GameError, PlayersError
from tremble.game.protocol import Game

__all__ = ["checked_names", "is_text", "label_tuple", "pair", "require_callable", "require_rules"]


_REQUIRED_METHODS = ("root", "player", "actions", "child", "infoset", "payoff")


def require_rules(rules: object) -> Game:
    """Return the object; raise ``GameError`` with advice unless it has the methods of :class:`Game`."""
    missing = [name for name in _REQUIRED_METHODS if not callable(getattr(rules, name, None))]
    if isinstance(rules, str):
        advice = f"tremble.load({rules!r:.80}) loads the game of that name"
    elif isinstance(rules, type):
        advice = f"{rules.__name__}(...) makes an object of this class"
    elif isinstance(rules, list | tuple) or hasattr(rules, "shape"):
        advice = "tremble.matrix_game(A, B) makes a game tree from matrices of payoffs"
    elif missing:
        advice = f"it has no method {', '.join(missing)}"
    else:
        return cast("Game", rules)  # chance(h) is needed only if chance moves
    kind = type(rules).__name__
    raise GameError(f"a {kind} is neither a game tree nor rules with the methods of tremble.Game: {advice}")


def require_callable(value: object, what: str) -> None:
    """Raise ``GameError`` unless a value can be called; the message calls the value ``what``."""
    if not callable(value):
        raise GameError(f"{what} must be a function, not {value!r:.80}")


def label_tuple(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the result of ``actions(h)`` as a tuple; raise ``GameError`` if it is not a sequence."""
    if type(labels) is tuple:
        return labels
    try:
        # Convert a NumPy array, because comparisons of its items may return arrays.
        return tuple(labels.tolist() if hasattr(labels, "tolist") else labels)
    except TypeError:
        raise GameError(f"the actions must be a sequence of labels, not {labels!r:.100}") from None


def checked_names(players: object) -> tuple[str, str]:
    """Return the names of two players as a tuple; raise ``PlayersError`` unless the argument has two texts.

    Examples
    --------
    >>> checked_names(["Ann", "Bob"])
    ('Ann', 'Bob')
    """
    if not isinstance(players, tuple | list) or len(players) < 2 or not all(map(is_text, players)):
        raise PlayersError(f"players must be two names, not {players!r:.80}")
    if len(players) > 2:
        raise PlayersError.of(len(players), "according to the names of players, the game")
    return players[0], players[1]


def is_text(label: object) -> bool:
    """Return True if a label is text that can be written to a file: a ``str`` without surrogates."""
    return isinstance(label, str) and (label.isascii() or not any("\ud800" <= c <= "\udfff" for c in label))


T = TypeVar("T")


def pair(items: Iterable[T]) -> tuple[T, T]:
    """Return the item of player 1 and the item of player 2 as a pair; raise ``ValueError`` unless there are two.

    Examples
    --------
    >>> pair(2 * player for player in (0, 1))
    (0, 2)
    """
    player1, player2 = items
    return player1, player2
