"""Stage trees, which contain the moves of one round of an ordered game.

A stage tree does not depend on the signals or on the moves of earlier rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from tremble.arguments import require_callable
from tremble.errors import GameError
from tremble.game.tree_arrays import label_tuple
from tremble.value import Value

__all__ = ["GO_ON", "OVER", "Leaf", "Move", "StageSide", "StageTree"]

_MOST_NODES = 100_000
_LONGEST = 256


class Leaf(Enum):
    """The two ways in which the moves of a round can end.

    Examples
    --------
    >>> [leaf.name for leaf in Leaf]
    ['GO_ON', 'OVER']
    """

    GO_ON = "the next round begins; in the last round the hands are compared"
    OVER = "the game is over"


GO_ON, OVER = Leaf.GO_ON, Leaf.OVER

Line = tuple[str, ...]
"""The labels of the chosen actions in one round so far."""


class Move(NamedTuple):
    """A decision node of a stage tree, with the player who moves and the labels of the player's actions.

    Examples
    --------
    >>> Move(0, ("check", "bet")).player
    0
    """

    player: int  # the index of the player, from 0
    actions: Sequence[str]  # the labels of the actions


class StageSide(NamedTuple):
    """A player's information sets and sequences in a stage tree.

    Sequence 0 is the empty sequence. The other sequences are numbered by node, then by action, so that each sequence
    has a greater number than its parent.
    """

    nodes: tuple[int, ...]  # the nodes where the player moves, which are the player's information sets
    start: tuple[int, ...]  # information set -> its first sequence; the last entry is the number of sequences
    parent: tuple[int, ...]  # information set -> the sequence that leads to the information set
    last: tuple[int, ...]  # node of the stage -> the player's last sequence before the node

    @property
    def num_sequences(self) -> int:
        """The number of sequences, including the empty sequence."""
        return self.start[-1]


@dataclass(frozen=True, eq=False, repr=False)
class StageTree(Value):
    """The tree of the moves of one round. All players see the moves.

    Nodes are numbered in depth-first preorder. The root has the number 0.

    Attributes
    ----------
    mover : tuple of int
        The index of the player who moves at each node, or -1 at a leaf.
    actions : tuple of tuple of str
        The labels of the actions at each node. The tuple is empty at a leaf.
    child : tuple of tuple of int
        The children of each node, in the order of the node's actions.
    line : tuple of tuple of str
        The labels of the actions that lead to each node.
    going_on : tuple of int
        The leaves after which the next round begins, in ascending order. In the last round, the hands are compared at
        these leaves.
    ending : tuple of int
        The leaves at which the game is over, in ascending order.

    Examples
    --------
    In this round, player 1 checks or bets. After a bet, player 2 folds or calls:

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
        """Raise ``GameError`` if the attributes do not describe a tree in depth-first preorder."""
        fields = vars(self)
        for name, value in fields.items():
            if not isinstance(value, tuple):
                raise GameError(f"'{name}' of a stage tree must be a tuple, not {value!r:.80}")
        count = len(self.mover)
        if not count or any(len(fields[name]) != count for name in ("actions", "child", "line")):
            raise GameError("a stage tree needs nodes, each with an entry in 'mover', 'actions', 'child' and 'line'")
        for node in range(count):
            fault = _fault(self, node)
            if fault:
                raise GameError(f"a stage tree {fault} at node {node}")
        leaves = [node for node in range(count) if not self.child[node]]
        listed = (*self.going_on, *self.ending)
        sides = self.going_on, self.ending
        if not all(map(_is_index, listed)) or sorted(listed) != leaves or any(list(s) != sorted(s) for s in sides):
            raise GameError(
                f"'going_on' and 'ending' must be in ascending order, and together list all leaves: {leaves[:20]}"
            )
        order, stack = [], [0]
        while stack:
            order.append(stack.pop())
            stack.extend(reversed(self.child[order[-1]]))
        if order != list(range(count)):
            raise GameError("the nodes of a stage tree must be numbered in depth-first preorder, from 0 at the root")

    @classmethod
    def grow(cls, after: Callable[[Line], Move | Leaf]) -> StageTree:
        """Build a stage tree from a function of the moves so far.

        Parameters
        ----------
        after : callable
            A function that receives the labels of the actions so far. The function returns a ``Move`` at a decision
            node, and ``GO_ON`` or ``OVER`` at a leaf.

        Raises
        ------
        GameError
            A node has no actions, two actions of a node have the same label, or there are too many moves or nodes.
        """
        require_callable(after, "the argument 'after' of StageTree.grow")
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
                raise GameError(f"a stage tree has more than {_MOST_NODES:,} nodes; do the moves ever end?")
            if above >= 0:
                children[above].append(node)
            if len(here) > _LONGEST:
                start = ", ".join(here[:5])
                raise GameError(f"a round has more than {_LONGEST} moves ({start}, ...); do the moves ever end?")
            line.append(here)
            children.append([])
            move = after(here)
            if isinstance(move, Leaf):
                mover.append(-1)
                actions.append(())
                (going_on if move is GO_ON else ending).append(node)
                continue
            if not isinstance(move, Move) or not _is_index(move.player):
                raise GameError(f"after {here} the function 'after' must return Move(player, actions) with "
                                f"the index of a player, or GO_ON, or OVER, not {move!r:.80}")  # fmt: skip
            labels = label_tuple(move.actions)
            fit = not isinstance(move.actions, str) and all(isinstance(label, str) and label for label in labels)
            if not fit or not labels or len(set(labels)) < len(labels):
                raise GameError(
                    f"after {here} the actions must be different labels that are not empty, not {move.actions!r:.80}"
                )
            mover.append(move.player)
            actions.append(labels)
            stack.extend(((*here, label), node) for label in reversed(labels))
        child = tuple(map(tuple, children))
        return cls(tuple(mover), tuple(actions), child, tuple(line), tuple(going_on), tuple(ending))

    def side(self, player: int) -> StageSide:
        """Return a player's information sets and sequences; raise ``GameError`` for an invalid index."""
        if not _is_index(player):
            raise GameError(f"'player' must be an integer of at least 0, not {player!r:.40}")
        return self._sides.get(player) or _side(self, player)

    @cached_property
    def _sides(self) -> dict[int, StageSide]:
        return {player: _side(self, player) for player in {0, 1, *self.mover} - {-1}}

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """A text for each node, made from the moves that lead to it.

        The property uses the first of these three kinds in which all texts are different and contain no colon:

        1. the first letters of the labels
        2. the whole labels
        3. the numbers of the nodes
        """
        letters = tuple("".join(label[0] for label in line) for line in self.line)
        labels = tuple("-".join(line) for line in self.line)
        for texts in (letters, labels):
            if len(set(texts)) == len(texts) and not any(":" in text for text in texts):
                return texts
        return tuple(str(node) if node else "" for node in range(len(self.line)))


def _is_index(value: object) -> bool:
    """Return True if a value is an integer of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _fault(stage: StageTree, node: int) -> str:
    """Return a text that describes the fault of a node, or an empty text if the node is correct.

    The function checks the node's own fields and the ``line`` of each child.
    """
    mover, actions, children, line = stage.mover[node], stage.actions[node], stage.child[node], stage.line[node]
    if not all(isinstance(items, tuple) for items in (actions, children, line)):
        return "has actions, children or a line that are not tuples"
    if not all(isinstance(label, str) and label for label in (*actions, *line)) or len(set(actions)) < len(actions):
        return "has labels that are empty or not texts, or two actions with the same label"
    if len(children) != len(actions) or not all(_is_index(c) and node < c < len(stage.mover) for c in children):
        return "does not have, for each action, a child with a higher number"
    if not (_is_index(mover) if actions else type(mover) is int and mover == -1):
        return "has a wrong mover (expected the index of a player, or -1 at a leaf)"
    if (not node and line) or any(stage.line[c] != (*line, a) for c, a in zip(children, actions, strict=True)):
        return "has a line that differs from the labels of the actions that lead to the node"
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
