"""Stage trees: the moves of one round of an ordered game, the same whatever the signals and the rounds before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from tremble.errors import GameError
from tremble.game.protocol import label_tuple, require_callable
from tremble.value import Value

__all__ = ["GO_ON", "OVER", "Leaf", "Move", "StageSide", "StageTree"]

_MOST_NODES = 100_000
_LONGEST = 256


class Leaf(Enum):
    """How a line of moves ends.

    Examples
    --------
    >>> [leaf.name for leaf in Leaf]
    ['GO_ON', 'OVER']
    """

    GO_ON = "the next round begins; in the last round the hands are compared"
    OVER = "the game is over"


GO_ON, OVER = Leaf.GO_ON, Leaf.OVER

Line = tuple[str, ...]
"""Labels of the actions of one round so far."""


class Move(NamedTuple):
    """Who moves in a stage tree, and what may be done.

    Examples
    --------
    >>> Move(0, ("check", "bet")).player
    0
    """

    player: int  # from 0
    actions: Sequence[str]  # labels, in order


class StageSide(NamedTuple):
    """A player's sequences of a stage: 0 is the empty one, then by node and action; parents first."""

    nodes: tuple[int, ...]  # where the player moves, its information sets
    start: tuple[int, ...]  # information set -> its first sequence, and the number of sequences at the end
    parent: tuple[int, ...]  # information set -> the sequence that leads there
    last: tuple[int, ...]  # node of the stage -> the player's last sequence

    @property
    def num_sequences(self) -> int:
        """The empty one counted."""
        return self.start[-1]


@dataclass(frozen=True, eq=False, repr=False)
class StageTree(Value):
    """The moves of one round, seen by everybody.

    Nodes are numbered in depth-first preorder, the root is 0.

    Attributes
    ----------
    mover : tuple of int
        Node -> player from 0, or -1 at a leaf.
    actions : tuple of tuple of str
        Node -> labels; none at a leaf.
    child : tuple of tuple of int
        Node -> the nodes that its actions lead to.
    line : tuple of tuple of str
        Node -> the labels that lead to it.
    going_on : tuple of int
        The leaves after which the next round begins, ascending. After the last round the hands are compared there.
    ending : tuple of int
        The leaves after which the game is over, ascending.

    Examples
    --------
    A bet that can be called or folded:

    >>> def after(line):
    ...     if not line:
    ...         return Move(0, ("check", "bet"))
    ...     return {"check": GO_ON, "bet": Move(1, ("fold", "call")), "fold": OVER, "call": GO_ON}[line[-1]]
    >>> stage = StageTree.grow(after)
    >>> stage.mover, stage.going_on, stage.ending
    ((0, -1, 1, -1, -1), (1, 4), (3,))
    """

    mover: tuple[int, ...]
    actions: tuple[tuple[str, ...], ...]
    child: tuple[tuple[int, ...], ...]
    line: tuple[Line, ...]
    going_on: tuple[int, ...]
    ending: tuple[int, ...]

    def __post_init__(self) -> None:
        """Raise ``GameError`` unless these are the nodes of a tree in preorder; :meth:`grow` makes no others."""
        fields = vars(self)
        for name, value in fields.items():
            if not isinstance(value, tuple):
                raise GameError(f"{name} of a stage tree is a tuple, not {value!r:.80}")
        count = len(self.mover)
        if not count or any(len(fields[name]) != count for name in ("actions", "child", "line")):
            raise GameError("a stage tree has nodes, each with a mover, actions, children and a line")
        for node in range(count):
            fault = _fault(self, node)
            if fault:
                raise GameError(f"a stage tree {fault} at node {node}")
        leaves = [node for node in range(count) if not self.child[node]]
        listed = (*self.going_on, *self.ending)
        sides = self.going_on, self.ending
        if not all(map(_is_index, listed)) or sorted(listed) != leaves or any(list(s) != sorted(s) for s in sides):
            raise GameError(f"going_on and ending of a stage tree are its leaves, ascending: {leaves[:20]}")
        order, stack = [], [0]
        while stack:
            order.append(stack.pop())
            stack.extend(reversed(self.child[order[-1]]))
        if order != list(range(count)):
            raise GameError("the nodes of a stage tree are numbered in depth-first preorder, the root is 0")

    @classmethod
    def grow(cls, after: Callable[[Line], Move | Leaf]) -> StageTree:
        """The tree of all lines of moves.

        Parameters
        ----------
        after : callable
            Labels of the actions so far -> who moves and what may be done, or how the round ends.

        Raises
        ------
        GameError
            A node without actions or with two of one label, or lines that never end.
        """
        require_callable(after, "what follows after a line of moves")
        mover: list[int] = []
        actions: list[tuple[str, ...]] = []
        line: list[Line] = []
        going_on: list[int] = []
        ending: list[int] = []
        children: list[list[int]] = []
        stack: list[tuple[Line, int]] = [((), -1)]
        while stack:
            here, above = stack.pop()
            node = len(mover)
            if node == _MOST_NODES:
                raise GameError(f"a stage tree has more than {_MOST_NODES:,} nodes; do the lines of moves ever end?")
            if above >= 0:
                children[above].append(node)
            if len(here) > _LONGEST:
                start = ", ".join(here[:5])
                raise GameError(f"a line of moves ({start}, ...) has more than {_LONGEST} moves; does it ever end?")
            line.append(here)
            children.append([])
            move = after(here)
            if isinstance(move, Leaf):
                mover.append(-1)
                actions.append(())
                (going_on if move is GO_ON else ending).append(node)
                continue
            if not isinstance(move, Move) or not _is_index(move.player):
                raise GameError(f"after {here} expected Move(player, actions) with a player from 0, GO_ON or OVER, not "
                                f"{move!r:.80}")  # fmt: skip
            labels = label_tuple(move.actions)
            fit = not isinstance(move.actions, str) and all(isinstance(label, str) and label for label in labels)
            if not fit or not labels or len(set(labels)) < len(labels):
                raise GameError(
                    f"after {here} a player needs actions, each with a label of its own, not {move.actions!r:.80}"
                )
            mover.append(move.player)
            actions.append(labels)
            stack.extend(((*here, label), node) for label in reversed(labels))
        child = tuple(map(tuple, children))
        return cls(tuple(mover), tuple(actions), child, tuple(line), tuple(going_on), tuple(ending))

    def side(self, player: int) -> StageSide:
        """A player's sequences and information sets; ``GameError`` unless the player is an index from 0."""
        if not _is_index(player):
            raise GameError(f"players are numbered from 0, not {player!r:.40}")
        return self._sides.get(player) or _side(self, player)

    @cached_property
    def _sides(self) -> dict[int, StageSide]:
        return {player: _side(self, player) for player in {0, 1, *self.mover} - {-1}}

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Node -> a text for the line that leads to it, different from all others and without colons.

        First letters where these tell the lines apart; else the labels; else numbers.
        """
        letters = tuple("".join(label[0] for label in line) for line in self.line)
        labels = tuple("-".join(line) for line in self.line)
        for texts in (letters, labels):
            if len(set(texts)) == len(texts) and not any(":" in text for text in texts):
                return texts
        return tuple(str(node) if node else "" for node in range(len(self.line)))


def _is_index(value: object) -> bool:
    """Whether this is an integer from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _fault(stage: StageTree, node: int) -> str:
    """What is wrong with a node; nothing if its children come after it and continue its line."""
    mover, actions, children, line = stage.mover[node], stage.actions[node], stage.child[node], stage.line[node]
    if not all(isinstance(items, tuple) for items in (actions, children, line)):
        return "has actions, children or a line that are no tuple"
    if not all(isinstance(label, str) and label for label in (*actions, *line)) or len(set(actions)) < len(actions):
        return "has labels that are no text, or not all different,"
    if len(children) != len(actions) or not all(_is_index(c) and node < c < len(stage.mover) for c in children):
        return "does not have a later node for each action"
    if not (_is_index(mover) if actions else type(mover) is int and mover == -1):
        return "has a mover that is no index of a player, or at a leaf not -1,"
    if (not node and line) or any(stage.line[c] != (*line, a) for c, a in zip(children, actions, strict=True)):
        return "has a line that is not the labels that lead there"
    return ""


def _side(stage: StageTree, player: int) -> StageSide:
    nodes, start, parent = [], [1], []
    last = [0] * len(stage.mover)
    for node, mover in enumerate(stage.mover):
        first = start[-1]
        own = mover == player
        for i, child in enumerate(stage.child[node]):
            last[child] = first + i if own else last[node]
        if own:
            nodes.append(node)
            parent.append(last[node])
            start.append(first + len(stage.child[node]))
    return StageSide(tuple(nodes), tuple(start), tuple(parent), tuple(last))
