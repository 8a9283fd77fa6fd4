r"""Games that are written as positions: histories, information sets, observations and state keys follow from them.

A *position* contains all that determines how a game can go on. Equal positions are the same position. An author of
rules describes the start, the mover at each position, the moves, and the payoffs at the end. A move names the next
position. It may also give each player a *word*: what this player learns from the move. A player always knows its own
moves.

What a player has seen is a text. It consists of a part for each own move, which is the label and the player's word, and
a part for each other move with a word for the player, which is the word in parentheses:

``"4+ 0- (noise) 8+"``

The player has chosen 4, 0 and 8, with the words "+", "-" and "+". Before the last move the player has learnt "noise".

The information set of a player is this text. Its *observation* is the end of the text, after the label of the last own
move. The *state key* is the position with the observations of both players.

Theorem.  Different lists of parts have different texts. So the players have perfect recall. Two histories with equal
state keys have the same moves, payoffs and later observations. Two decisions of a player are in the same information
set if and only if the player's earlier moves, the observations before them, and the current observation are the same.

Proof.  In labels and words, a backslash precedes each character that separates parts. A word of an own move begins with
one of the marks ``+ - * :`` (otherwise with an added colon), and no label contains a mark without a backslash. So a
text can be read in only one way. The moves and payoffs are functions of the position. The observation after a move is a
function of the observation before it, the position and the move. A text is made of the labels of the own moves and the
observations between them, in the order of play.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL

__all__ = ["NO_VIEW", "Move", "PositionRules", "heard", "may_be_merged", "shown"]

NO_VIEW = object()
"""The result of :meth:`PositionRules.view` in games without views."""

_KEPT = 50_000  # positions whose moves are kept
_MARKS = "+-*:"
_SPECIAL = re.compile(r"[\\ ()+\-*:]")
_IN_A_WORD = re.compile(r"[\\ ()]")


class Move(NamedTuple):
    """A move at a position of :class:`PositionRules`.

    Attributes
    ----------
    label : str
        The name of the action, or of the outcome if chance moves.
    then : hashable
        The next position.
    words : pair of str
        What player 1 and player 2 learn from the move. Players know their own moves without a word.
    probability : Fraction or int
        The probability of the move, if chance moves.

    Examples
    --------
    Player 1 moves left to the position ``("end", 3)``, and player 2 hears a noise:

    >>> Move("left", ("end", 3), ("", "noise")).label
    'left'
    """

    label: str
    then: Hashable
    words: tuple[str, str] = ("", "")
    probability: Fraction | int = 1


_Seen = tuple[str, str]
"""What a player has seen: the text up to the label of the last own move, and the observation after it."""

_History = tuple[Any, _Seen, _Seen]
"""The position, and what player 1 and player 2 have seen."""


class PositionRules(ABC):
    r"""Rules of a game, written as positions. They are a :class:`tremble.Game`, with all that it needs for merging.

    A subclass defines :meth:`start`, :meth:`mover`, :meth:`moves` and :meth:`result`, and may define :meth:`choice`.
    Positions must be hashable, and equal positions must be interchangeable (so do not mix 1 and True). Play must
    end: no position may come again. If a subclass overrides a derived method, such as ``payoff``, proofs do not merge
    histories.

    Examples
    --------
    Each player picks one of three doors. Player 2 hears whether both are at the same door, and may move once more:

    >>> import tremble
    >>> from tremble.large import Move, PositionRules
    >>> class Doors(PositionRules):
    ...     def start(self):
    ...         return "first", "", ""
    ...     def mover(self, position):
    ...         return {"first": 0, "second": 1, "again": 1, "end": tremble.TERMINAL}[position[0]]
    ...     def moves(self, position):
    ...         stage, one, two = position
    ...         if stage == "first":
    ...             return [Move(door, ("second", door, "")) for door in "ABC"]
    ...         if stage == "second":
    ...             return [Move(door, ("again", one, door), ("", "+" if door == one else "-")) for door in "ABC"]
    ...         return [Move("stay", ("end", one, two)), Move("leave", ("end", one, "away"))]
    ...     def result(self, position):
    ...         stage, one, two = position
    ...         return (-1, 1) if one == two else (0, 0) if two == "away" else (2, -2)
    >>> rules = Doors()
    >>> h = rules.child(rules.child(rules.root(), 1), 0)
    >>> rules.infoset(h), rules.actions(h)
    ('A-', ('stay', 'leave'))
    >>> tremble.solve(rules).value
    Fraction(-1, 3)
    """

    @abstractmethod
    def start(self) -> Hashable:
        """Return the first position."""

    @abstractmethod
    def mover(self, position: Any) -> int:
        """Return the player to move at a position: 0, 1, ``CHANCE`` or ``TERMINAL``."""

    @abstractmethod
    def moves(self, position: Any) -> Iterable[Move]:
        """Return the moves at a position. All positions that the mover cannot tell apart have moves of equal labels."""

    @abstractmethod
    def result(self, position: Any) -> tuple[Fraction | int, Fraction | int]:
        """Return the payoffs of players 1 and 2 at a terminal position."""

    def choice(self, position: Any) -> int:
        """Return the index of the move that the default strategy chooses. It may depend only on what the mover sees."""
        return 0

    def view(self, position: Any, player: int) -> Hashable:
        """Return what a player knows at a position, as far as it matters for the player's moves and ``choice``.

        With views, proofs merge histories, which can make them a thousand times faster. The view after a move must
        follow from the view before it and from what the player learns of the move. The labels of the mover's moves and
        ``choice`` must follow from the mover's view. The checker tests both at all positions.
        """
        return NO_VIEW

    # -- derived: tremble.Game, with `observation`, `state_key` and `default` ---------------------------

    def root(self) -> _History:
        """Return the empty history."""
        return self.start(), ("", ""), ("", "")

    def player(self, h: _History) -> int:
        """Return the player to move after a history."""
        return self.mover(h[0])

    def actions(self, h: _History) -> tuple[str, ...]:
        """Return the labels of the moves after a history."""
        return tuple(move.label for move in self._moves(h[0]))

    def chance(self, h: _History) -> Sequence[Fraction]:
        """Return the probabilities of the moves after a history at which chance moves."""
        if self.mover(h[0]) != CHANCE:
            raise LookupError("chance does not move after this history")
        return [move.probability for move in self._moves(h[0])]  # type: ignore[misc]  # whoever reads them, checks them

    def child(self, h: _History, i: int) -> _History:
        """Return the history after move number ``i``."""
        position, *seen = h
        mover, move = self.mover(position), self._moves(position)[i]
        for player, word in enumerate(move.words):
            before, observation = seen[player]
            if player == mover:
                seen[player] = before + observation + _own(move.label), _own_word(word)
            elif word:
                seen[player] = before, observation + _heard(word)
        return move.then, seen[0], seen[1]

    def infoset(self, h: _History) -> str:
        """Return what the mover has seen and done so far, such as ``"4+ 0- (noise) 8+"``."""
        before, observation = h[1 + self.mover(h[0])]
        return (before + observation).removeprefix(" ")

    def payoff(self, h: _History) -> tuple[Fraction | int, Fraction | int]:
        """Return the payoffs of players 1 and 2 after a history that ends the game."""
        return self.result(h[0])

    def observation(self, h: _History, player: int) -> str:
        """Return what a player has seen since the label of its last own move."""
        return h[1 + player][1]

    def state_key(self, h: _History) -> Hashable:
        """Return the position and both observations; at the end of the game, only the position."""
        position, (_, observation1), (_, observation2) = h
        return position if self.mover(position) == TERMINAL else (position, observation1, observation2)

    def default(self, h: _History) -> int:
        """Return the index of the move that the default strategy chooses."""
        return self.choice(h[0])

    def listed(self, position: Any) -> tuple[Move, ...]:
        """Return the moves at a position as a tuple, after a check of their form.

        Raises
        ------
        GameError
            There is no move, or a move has no label, words that are not two texts, or a label that another move has.
        """
        moves = self.moves(position)
        found = tuple(moves) if isinstance(moves, Iterable) else ()
        fit = found and all(
            isinstance(move, Move)
            and isinstance(move.label, str)
            and move.label
            and isinstance(move.words, tuple)
            and len(move.words) == 2
            and isinstance(move.words[0], str)
            and isinstance(move.words[1], str)
            for move in found
        )
        if not fit or len({move.label for move in found}) < len(found):
            raise GameError(
                "moves(position) must return one or more objects of the class Move, with different labels that are not "
                f"empty, and with two texts as words, but at {shown(position)} it returned {shown(moves)}"
            )
        return found

    def _moves(self, position: Hashable) -> tuple[Move, ...]:
        """Return the moves at a position. Many histories lead to the same position, so the last answers are kept."""
        known: dict[Hashable, tuple[Move, ...]] = self.__dict__.setdefault("_known_moves", {})
        moves = known.get(position)
        if moves is None:
            if len(known) >= _KEPT:
                known.clear()
            moves = known[position] = self.listed(position)
        return moves

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes to pickle."""
        return {name: value for name, value in vars(self).items() if name != "_known_moves"}


_DERIVED = ("root", "player", "actions", "chance", "child", "infoset", "payoff", "default")


def may_be_merged(rules: Any) -> bool:
    """Return True for games written as positions with views, whose derived methods are those of `PositionRules`."""
    if not isinstance(rules, PositionRules) or not {*_DERIVED}.isdisjoint(getattr(rules, "__dict__", ())):
        return False
    same = all(getattr(type(rules), name) is getattr(PositionRules, name) for name in _DERIVED)
    return same and rules.view(rules.start(), 0) is not NO_VIEW


def shown(value: Any) -> str:
    """Return the beginning of the text of an object, for messages."""
    try:
        return f"{value!r:.200}"
    except Exception:  # the text of an author's object may fail
        return f"an object of the type {type(value).__name__}"


def heard(move: Move, player: int, own: bool) -> str:
    """Return the text that a move adds to what a player has seen; ``own`` is True if the player makes the move."""
    word = move.words[player]
    if own:
        return _own(move.label) + _own_word(word)
    return _heard(word) if word else ""


@lru_cache(maxsize=4096)
def _own(label: str) -> str:
    """Return the text that an own move adds to what a player has seen."""
    return " " + _SPECIAL.sub(r"\\\g<0>", label)


@lru_cache(maxsize=4096)
def _own_word(word: str) -> str:
    """Return the text that a word adds after an own move."""
    word = _escaped(word)
    return ":" + word if word and word[0] not in _MARKS else word


@lru_cache(maxsize=4096)
def _heard(word: str) -> str:
    """Return the text that a word adds after another move."""
    return f" ({_escaped(word)})"


def _escaped(word: str) -> str:
    return _IN_A_WORD.sub(r"\\\g<0>", word)
