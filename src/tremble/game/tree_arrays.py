"""The arrays and the digest of a game tree, and checks of labels and rows for both trees and strategies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tremble.errors import CertificateError, GameError, PlayersError
from tremble.game.protocol import TERMINAL, Game
from tremble.integers import INT64_SAFE
from tremble.numbers import format_fraction
from tremble.shown import Shown

__all__ = [
    "ChanceTable",
    "IntArray",
    "Origin",
    "TreeArrays",
    "checked_names",
    "integer_array",
    "is_text",
    "label_tuple",
    "pair",
    "require_exact",
    "require_rules",
    "require_types",
    "starts",
]


IntArray = NDArray[Any]
"""Exact integers: dtype int64, or object (Python integers) if int64 is too narrow."""

Words = TypeVar("Words", str, bytes)


def starts(rows: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    """Return the start of each row in the concatenation of all rows, and the end of the last row: int64[R + 1]."""
    return np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64))).astype(np.int64)


@dataclass(frozen=True)
class ChanceTable:
    """Labels and exact probabilities of the outcomes of a chance node. Equal chance nodes share one table."""

    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class Origin:
    """The file that a tree was read from, for error messages about the whole tree."""

    name: str  # the path as the user gave it
    numbers: tuple[NDArray[np.int64], NDArray[np.int64]] | None  # set numbers in the file; None if equal to the tree's
    unequal: str | None  # place in the file of the first leaf whose payoff sum differs from the first leaf's sum


@dataclass(frozen=True, eq=False)
class TreeArrays(Shown):
    """The arrays of a game tree (see :class:`tremble.GameTree`), and derived properties, such as the digest."""

    NO_PARENT: ClassVar[int] = -1

    parent: NDArray[np.int32]  # [N]
    action: NDArray[np.int32]  # [N]
    player: NDArray[np.int8]  # [N]
    infoset: NDArray[np.int32]  # [N]
    first_child: NDArray[np.int32]  # [N]
    num_children: NDArray[np.int32]  # [N]
    preorder: NDArray[np.int32]  # [N]
    level: NDArray[np.int64]  # [depth + 2]
    leaves: NDArray[np.int32]  # [L]
    payoff: IntArray  # [L, 2]
    payoff_denominator: int
    chance_tables: tuple[ChanceTable, ...]
    actions: tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]
    infoset_labels: tuple[tuple[str, ...], tuple[str, ...]]
    title: str
    players: tuple[str, str]
    spec: str | None = None
    origin: Origin | None = None

    @property
    def num_nodes(self) -> int:
        """Number of nodes, including leaves."""
        return len(self.parent)

    @property
    def num_infosets(self) -> tuple[int, int]:
        """Number of information sets of each player."""
        return len(self.actions[0]), len(self.actions[1])

    @cached_property
    def slot_start(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First slot of each set, int64[J + 1] per player: set k has the slots ``slot_start[k]:slot_start[k + 1]``."""
        return starts(self.actions[0]), starts(self.actions[1])

    @property
    def num_slots(self) -> tuple[int, int]:
        """Number of (information set, action) pairs of each player."""
        return int(self.slot_start[0][-1]), int(self.slot_start[1][-1])

    @cached_property
    def constant_sum(self) -> Fraction | None:
        """Sum of both players' payoffs if all leaves have the same sum, else None."""
        total = self.payoff[:, 0] + self.payoff[:, 1]
        return Fraction(int(total[0]), self.payoff_denominator) if np.all(total == total[0]) else None

    @property
    def zero_sum(self) -> bool:
        """True if the payoffs sum to zero at every leaf."""
        return self.constant_sum == 0

    @cached_property
    def in_preorder(self) -> NDArray[np.int32]:
        """The nodes in depth-first preorder, int32[N]: the inverse of ``preorder``."""
        order = np.empty(self.num_nodes, dtype=np.int32)
        order[self.preorder] = np.arange(self.num_nodes, dtype=np.int32)
        return order

    @cached_property
    def digest(self) -> str:
        """Identifier of the game, equal for equal games: ``"sha256:"`` and a hash.

        The hash covers one line of UTF-8 text per node, in depth-first preorder. It ignores titles, names, and labels
        of information sets. Sets are numbered by first appearance, not as in a game file. The three kinds of lines::

            p1 3 ["check", "bet"]         player 1 moves, information set 3
            c ["a", "b"] 1/2 1/2          chance
            t 1 -1                        a leaf and its payoffs
        """
        distinct = {labels for sets in (*self.actions, [t.labels for t in self.chance_tables]) for labels in sets}
        text = {labels: json.dumps(labels, ensure_ascii=False) for labels in distinct}
        movers = [
            [f"p{i + 1} {k + 1} {text[labels]}\n".encode() for k, labels in enumerate(sets)]
            for i, sets in enumerate(self.actions)
        ]
        tables = [
            f"c {text[t.labels]} {' '.join(map(format_fraction, t.probabilities))}\n".encode()
            for t in self.chance_tables
        ]
        lines = self.in_words(
            movers,
            tables,
            lambda payoff1, payoff2: f"t {format_fraction(payoff1)} {format_fraction(payoff2)}\n".encode(),
        )
        return "sha256:" + hashlib.sha256(b"".join(lines)).hexdigest()

    def in_words(
        self, sets: Sequence[Sequence[Words]], tables: Sequence[Words], leaf: Callable[[Fraction, Fraction], Words]
    ) -> list[Words]:
        """Return a text for each node in depth-first preorder, for writers of files.

        ``sets`` has a text for each information set of both players; ``tables`` has a text for each chance table.
        ``leaf`` returns the text for a pair of payoffs. The method calls ``leaf`` once per distinct pair, in order
        of appearance.
        """
        # Replace the row of each leaf by the number of its payoff pair. Number distinct pairs by first appearance.
        order = self.in_preorder
        mover, number = self.player[order], self.infoset[order].astype(np.int64)
        is_leaf = mover == TERMINAL
        paid = self.payoff[number[is_leaf]]
        one, two = (np.unique(paid[:, player], return_inverse=True)[1] for player in (0, 1))
        _, first, pays = np.unique(one * (len(paid) + 1) + two, return_index=True, return_inverse=True)
        by_appearance = np.argsort(first)
        number[is_leaf] = np.argsort(by_appearance)[pays]
        bottom = self.payoff_denominator
        leaves: list[Words] = [
            leaf(Fraction(p1, bottom), Fraction(p2, bottom)) for p1, p2 in paid[first[by_appearance]].tolist()
        ]
        # Concatenate all texts. The index -2 (leaves) or -1 (chance) of a mover counts from the end of `begin`.
        begin = np.cumsum([0, *map(len, (*sets, leaves))])
        words = [word for kind in (*sets, leaves, tables) for word in kind]
        return [words[k] for k in (begin[mover] + number).tolist()]


def integer_array(values: Sequence[int]) -> NDArray[Any]:
    """Return exact integers as int64 if all fit with one bit to spare, else as Python integers (dtype object)."""
    if all(-INT64_SAFE < v < INT64_SAFE for v in values):
        return np.array(values, dtype=np.int64)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


_REQUIRED_METHODS = ("root", "player", "actions", "child", "infoset", "payoff")


def require_rules(rules: object) -> Game:
    """Return ``rules`` if the object has the methods of :class:`Game`; else raise ``GameError`` with advice."""
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
    """Return the names of the players as a tuple; raise ``PlayersError`` unless ``players`` contains two texts.

    Examples
    --------
    >>> checked_names(["Ann", "Bob"])
    ('Ann', 'Bob')
    """
    if not isinstance(players, tuple | list) or len(players) < 2 or not all(map(is_text, players)):
        raise PlayersError(f"'players' must be two names, not {players!r:.80}")
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


def require_exact(strategy: Any) -> tuple[int, ...]:
    """Check that a strategy is exact and well formed; return the tuple (0, 1, ...) of its information set indices."""
    if strategy.denominator is None:
        raise CertificateError(
            f"the strategy of player {strategy.player + 1} has floats; a solution needs exact probabilities"
        )
    if not isinstance(strategy.actions, tuple):
        raise CertificateError("the actions of a strategy must be a tuple that has a tuple of texts for each set")
    infosets = tuple(range(len(strategy.infoset_labels)))
    require_types(strategy, infosets, strategy.infoset_labels)
    return infosets


def require_types(rows: Any, sets: tuple[int, ...], labels: Any) -> None:
    """Raise ``CertificateError`` unless the rows of a table or a strategy have the right types and lengths."""
    if type(rows.player) is not int or rows.player not in (0, 1):
        kind = type(rows.player).__name__
        raise CertificateError(f"a table must have the player index 0 or 1, not this value of the type {kind}")
    if not all(isinstance(items, tuple) and len(items) == len(sets) for items in (sets, labels, rows.actions)):
        fault = "does not have a number, a label and actions for each row, in tuples of equal length"
    elif not set(map(type, sets)) <= {int} or not _are_texts(labels):
        fault = "has rows whose number is not an integer or whose label is not text"
    elif not (set(map(type, rows.actions)) <= {tuple} and all(rows.actions) and _are_texts(chain(*rows.actions))):
        fault = "has rows whose actions are not a tuple of one or more texts"
    elif not _are_integers(rows.numerator, sum(map(len, rows.actions))):
        fault = "does not have an exact numerator for each action"
    elif not _are_integers(rows.denominator, len(sets)) or not (rows.denominator > 0).all():
        fault = "does not have a positive denominator for each row"
    elif not (isinstance(rows.off_path, np.ndarray) and rows.off_path.shape == (len(sets),)) or (
        rows.off_path.dtype != np.bool_
    ):
        fault = "does not have one bool in off_path for each row"
    else:
        return
    raise CertificateError(f"the table of player {rows.player + 1} {fault}")


def _are_texts(items: Iterable[Any]) -> bool:
    return all(issubclass(kind, str) for kind in set(map(type, items)))


def _are_integers(values: Any, size: int) -> bool:
    if not isinstance(values, np.ndarray) or values.shape != (size,):
        return False
    if values.dtype == object:
        return set(map(type, values.tolist())) <= {int}
    return bool(values.dtype == np.int64)
