"""Check the labels, names and methods of a game, and look up information sets and actions by label or index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar, cast

from tremble.errors import GameError, PlayersError
from tremble.game.protocol import Game
from tremble.spelling import did_you_mean

__all__ = [
    "LabelIndex",
    "by_label",
    "checked_names",
    "is_text",
    "is_whole",
    "label_tuple",
    "meant",
    "pair",
    "require_callable",
    "require_rules",
    "set_index",
]

LabelIndex = Mapping[str, Sequence[int]]
"""Label -> indices of the information sets of a player with this label."""


def by_label(labels: Sequence[str]) -> LabelIndex:
    """Index the information sets of a player by their labels."""
    indices: dict[str, list[int]] = {}
    for k, label in enumerate(labels):
        indices.setdefault(label, []).append(k)
    return indices


def set_index(indices: LabelIndex, count: int, player: int, infoset: Any) -> int:
    """Return the index of an information set of a player, given its label or this index.

    Parameters
    ----------
    indices : mapping
        The result of :func:`by_label`.
    count : int
        Number of information sets of the player.

    Raises
    ------
    GameError
        No set fits (the message suggests others), or multiple sets have the label (it lists their indices).

    Examples
    --------
    >>> import tremble
    >>> labels = tremble.load("kuhn").infoset_labels[0]
    >>> set_index(by_label(labels), len(labels), 0, "Q:cb")
    3
    """
    who = f"player {player + 1}"
    if not isinstance(infoset, str):
        if is_whole(infoset) and 0 <= infoset < count:
            return int(infoset)
        there = f"{count} information sets: by label, or by number from 0 to {count - 1}" if count else "none"
        raise GameError(f"no information set of {who} is {infoset!r:.80}; there are {there}")
    found = indices.get(infoset, ())
    if len(found) == 1:
        return found[0]
    by_number = "give its number, counted from 0"
    if found:
        listed = ", ".join(map(str, found[:10])) + (", ..." if len(found) > 10 else "")
        raise GameError(
            f"{who} has {len(found)} information sets with the label {infoset!r:.80}; {by_number}: {listed}"
        )
    if not any(indices):
        raise GameError(f"{who} has no information set {infoset!r:.80}: none has a label; {by_number}")
    raise GameError(f"{who} has no information set {infoset!r:.80}; {meant(infoset, list(indices))}")


def meant(label: str, known: Sequence[str]) -> str:
    """Suggest known labels similar to an unknown one, or list the known labels."""
    listed = f"there are {', '.join(map(repr, known[:8]))}{', ...' if len(known) > 8 else ''}"
    return did_you_mean(label, known, quoted=True) or listed


def is_whole(value: object) -> bool:
    """Check that a value is an integer (of NumPy too) and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


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
