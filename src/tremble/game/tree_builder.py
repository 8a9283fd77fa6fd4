"""Build game trees from nodes in depth-first preorder, or from rules by visiting every history."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from math import lcm
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, PlayersError, TooLargeError
from tremble.game.endless import PlayEnds
from tremble.game.protocol import CHANCE, TERMINAL, Game
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import (
    ChanceTable,
    IntArray,
    checked_names,
    integer_array,
    is_text,
    label_tuple,
    require_rules,
)
from tremble.numbers import (
    NumberLike,
    exact_number,
    exact_numbers,
    exact_payoffs,
    format_fraction,
    require_floats,
    required_max_nodes,
)
from tremble.run.clock import nearly_full
from tremble.words import for_reader

__all__ = ["DEFAULT_MAX_NODES", "OpenPath", "TreeBuilder", "build", "checked_labels", "least_common_denominator"]

DEFAULT_MAX_NODES = 20_000_000

_NODES_BETWEEN_MEMORY_CHECKS = 5_000
_MAX_PAYOFF_BITS = 1_000_000_000  # limit for the bits of all distinct payoffs of a player


def _limit_name() -> str:
    """Return the name of the limit on nodes, as a Python argument or as an option of the command line."""
    return for_reader("max_nodes=", "--max-nodes")


def _too_large(max_nodes: int) -> TooLargeError:
    return TooLargeError(f"the game has more than {max_nodes:,} nodes; raise {_limit_name()} to build it")


class TreeBuilder:
    """A builder of a :class:`GameTree` from its nodes in depth-first preorder.

    Call :meth:`decision`, :meth:`chance` or :meth:`leaf` once per node: first the node, then the whole subtree of its
    first action, then the subtree of its second action, and so on. Then call :meth:`finish`. The builder checks
    everything that a tree must satisfy, so neither a file nor rules can produce a malformed tree.

    Parameters
    ----------
    title : str
    players : pair of str
    max_nodes : int
        More nodes than this raise ``TooLargeError``.
    floats : "decimal", optional
        Read a float as the shortest decimal that prints the same: 0.1 is 1/10. By default, floats are refused. Text
        (``"1/2"``, ``"0.1"``) and ``Decimal`` are exact and always accepted.

    Examples
    --------
    >>> builder = TreeBuilder(title="take it or leave it")
    >>> builder.decision(0, "the only set", ("take", "leave"))
    >>> builder.leaf(1, -1)
    >>> builder.leaf(0, 0)
    >>> builder.finish().num_leaves
    2
    """

    def __init__(
        self,
        *,
        title: str = "",
        players: tuple[str, str] = ("Player 1", "Player 2"),
        max_nodes: int = DEFAULT_MAX_NODES,
        floats: Literal["decimal"] | None = None,
    ) -> None:
        require_floats(floats)
        if not isinstance(title, str):
            raise GameError(f"'title' must be text, not {title!r:.80}")
        self._title = title
        self._players = checked_names(players)
        self._floats = floats
        self._max_nodes = required_max_nodes(max_nodes)
        self._player = array("b")
        self._infoset = array("i")
        self._parent = array("i")
        self._action = array("i")
        self._depth = array("i")
        self._width = array("i")
        self._open: list[int] = []  # nodes on the current path that still lack children
        self._left: list[int] = []  # number of missing children of each of these nodes
        self._sets: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        self._actions: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
        self._labels: tuple[list[str], list[str]] = ([], [])
        self._tables: dict[ChanceTable, int] = {}
        # The ids of two tuples -> the index of their table, and the tuples. Storing the tuples prevents reuse of an id.
        self._same_tables: dict[tuple[int, int], tuple[int, Any, Any]] = {}
        self._outcomes: dict[tuple[Fraction | int, Fraction | int], int] = {}

    @property
    def complete(self) -> bool:
        """True if every node has all its children."""
        return len(self._depth) > 0 and not self._open

    @property
    def set_keys(self) -> tuple[list[Hashable], list[Hashable]]:
        """Keys of the information sets of both players, in the order of the sets."""
        return list(self._sets[0]), list(self._sets[1])

    @property
    def num_nodes(self) -> int:
        """Number of nodes so far."""
        return len(self._depth)

    def decision(self, player: int, key: Hashable, labels: Sequence[str], infoset_label: str | None = None) -> None:
        """Add a node where ``player`` (0 or 1) moves, in the information set with this key.

        The label of the set is ``infoset_label``. By default, a key that is text becomes the label.
        """
        if not isinstance(player, Integral) or isinstance(player, bool) or player not in (0, 1):
            raise PlayersError.at("a node", player)
        sets = self._sets[player]
        try:
            index = sets.get(key)
        except TypeError as error:
            raise GameError(
                f"the key of information set {key!r:.200} of player {player + 1} must be hashable, for example text or "
                f"a tuple ({error})"
            ) from None
        if index is None:
            labels = checked_labels(labels, f"information set {key!r} of player {player + 1}")
            index = sets[key] = len(sets)
            self._actions[player].append(labels)
            if infoset_label is None:
                infoset_label = key if isinstance(key, str) else ""
            elif not isinstance(infoset_label, str):
                raise GameError(f"the label of an information set must be text, not {infoset_label!r:.80}")
            self._labels[player].append(infoset_label)
        elif (known := self._actions[player][index]) is not labels and known != label_tuple(labels):
            raise GameError(
                f"information set {key!r} of player {player + 1} has actions {label_tuple(labels)} at one node "
                f"and {known} at another"
            )
        self._place(player, index, len(labels))

    def chance(self, labels: Sequence[str], probabilities: Sequence[NumberLike]) -> None:
        """Add a node where chance moves with these exact probabilities."""
        same = self._same_tables.get((id(labels), id(probabilities)))
        if same is not None:  # the table of these tuples is known; hashing its fractions again is slow
            self._place(CHANCE, same[0], len(labels))
            return
        exact = exact_numbers(probabilities, "chance probability", self._floats)
        table = ChanceTable(label_tuple(labels), tuple(map(Fraction, exact)))
        try:
            index = self._tables.get(table)
        except TypeError:
            raise GameError(f"a chance node has labels that are not text: {table.labels!r:.200}") from None
        if index is None:
            if len(table.labels) != len(table.probabilities):
                raise GameError(f"{len(table.labels)} chance actions have {len(table.probabilities)} probabilities")
            if not all(map(is_text, table.labels)):
                raise GameError(f"a chance node has labels that are not text: {table.labels}")
            if len(set(table.labels)) < len(table.labels):
                raise GameError(f"a chance node repeats an action label: {table.labels!r:.300}")
            if any(p < 0 for p in table.probabilities):
                raise GameError(f"a chance probability is negative: {min(table.probabilities)}")
            if sum(table.probabilities) != 1:
                total = sum(table.probabilities)
                raise GameError(f"the chance probabilities sum to {format_fraction(Fraction(total))}, not 1")
            index = self._tables[table] = len(self._tables)
            if isinstance(labels, tuple) and isinstance(probabilities, tuple):
                self._same_tables[id(labels), id(probabilities)] = index, labels, probabilities
        self._place(CHANCE, index, len(table.labels))

    def leaf(self, payoff1: NumberLike, payoff2: NumberLike) -> None:
        """Add a leaf with the payoffs of players 1 and 2."""
        pair = exact_number(payoff1, "payoff", self._floats), exact_number(payoff2, "payoff", self._floats)
        self._place(TERMINAL, self._outcomes.setdefault(pair, len(self._outcomes)), 0)

    def _place(self, player: int, index: int, width: int) -> None:
        node = len(self._depth)
        if node >= self._max_nodes:
            raise _too_large(self._max_nodes)
        if self._open:
            parent = self._open[-1]
            left = self._left[-1]
            self._parent.append(parent)
            self._action.append(self._width[parent] - left)
            self._depth.append(self._depth[parent] + 1)
            if left == 1:
                self._open.pop()
                self._left.pop()
            else:
                self._left[-1] = left - 1
        elif node:
            raise GameError("the tree is already complete: no more nodes can be added")
        else:
            self._parent.append(GameTree.NO_PARENT)
            self._action.append(-1)
            self._depth.append(0)
        self._player.append(player)
        self._infoset.append(index)
        self._width.append(width)
        if width:
            self._open.append(node)
            self._left.append(width)

    def finish(self, *, spec: str | None = None) -> GameTree:
        """Return the tree of all nodes that were added; raise ``GameError`` if some node lacks children."""
        if not self.complete:
            raise GameError("the tree is incomplete: some actions have no node yet")
        # Nodes were added in preorder; sort them by depth, then preorder.
        n = len(self._depth)
        depth = np.frombuffer(self._depth, dtype=np.int32)
        order = np.argsort(depth, kind="stable")
        rank = np.empty(n, dtype=np.int32)
        rank[order] = np.arange(n, dtype=np.int32)
        parent = np.frombuffer(self._parent, dtype=np.int32)[order]
        parent = np.where(parent >= 0, rank[parent], GameTree.NO_PARENT).astype(np.int32)
        action = np.frombuffer(self._action, dtype=np.int32)[order]
        player = np.frombuffer(self._player, dtype=np.int8)[order]
        infoset = np.frombuffer(self._infoset, dtype=np.int32)[order]
        width = np.frombuffer(self._width, dtype=np.int32)[order]
        # The children of a node have consecutive numbers, so each node stores only its first child.
        first_child = np.full(n, -1, dtype=np.int32)
        firstborn = np.flatnonzero(action == 0)
        first_child[parent[firstborn]] = firstborn
        # So far, `infoset` of a leaf is the index of its pair of payoffs; now give each leaf its own row in `payoff`.
        leaves = np.flatnonzero(player == TERMINAL).astype(np.int32)
        payoff, denominator = self._payoffs(infoset[leaves])
        infoset[leaves] = np.arange(len(leaves), dtype=np.int32)
        level = np.concatenate(([0], np.cumsum(np.bincount(depth)))).astype(np.int64)
        tree = GameTree(
            parent=parent,
            action=action,
            player=player,
            infoset=infoset,
            first_child=first_child,
            num_children=width,
            preorder=order.astype(np.int32),
            level=level,
            leaves=leaves,
            payoff=payoff,
            payoff_denominator=denominator,
            chance_tables=tuple(self._tables),
            actions=(tuple(self._actions[0]), tuple(self._actions[1])),
            infoset_labels=(tuple(self._labels[0]), tuple(self._labels[1])),
            title=self._title,
            players=self._players,
            spec=spec,
        )
        for values in vars(tree).values():
            if isinstance(values, np.ndarray):
                values.setflags(write=False)
        return tree

    def _payoffs(self, outcome_of_leaf: NDArray[np.int32]) -> tuple[IntArray, int]:
        """Return the payoffs of the leaves as integers over their least common denominator, and this denominator."""
        pairs = list(self._outcomes)
        denominator = least_common_denominator({value.denominator for pair in pairs for value in pair}, len(pairs))
        scaled = [value.numerator * (denominator // value.denominator) for pair in pairs for value in pair]
        return integer_array(scaled).reshape(-1, 2)[outcome_of_leaf], denominator


def build(
    rules: Game,
    *,
    title: str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
    spec: str | None = None,
    floats: Literal["decimal"] | None = None,
) -> GameTree:
    """Build the tree of a game from its rules; :func:`tremble.build` accepts more kinds of games."""
    require_rules(rules)
    builder = TreeBuilder(
        title=title if title is not None else str(getattr(rules, "title", type(rules).__name__)),
        players=getattr(rules, "players", ("Player 1", "Player 2")),
        max_nodes=max_nodes,
        floats=floats,
    )
    # `path` stores only few histories, and `ends` raises an error if play never ends.
    path = OpenPath(rules)
    ends = PlayEnds(rules, max_nodes, f"raise {_limit_name()}")
    h: Any = rules.root()
    known = 1  # nodes built so far, plus their missing children

    def report() -> None:
        if progress is not None:
            progress(builder.num_nodes)

    # Walk through all histories in depth-first preorder.
    while True:
        mover = rules.player(h)
        try:
            if mover == TERMINAL:
                builder.leaf(*exact_payoffs(rules.payoff(h), floats))
                labels: tuple[str, ...] = ()
            else:
                labels = label_tuple(rules.actions(h))
                # Count children before they are built. Otherwise a path through a game with 100,000 actions at each
                # node stores 100,000 labels per move. This takes 6 GB after 200 moves, and no child is built yet.
                known += len(labels)
                if known > max_nodes:
                    raise ends.error(path.depth) if ends.too_long(path.depth) else _too_large(max_nodes)
                if mover == CHANCE:
                    builder.chance(labels, rules.chance(h))
                else:
                    builder.decision(mover, rules.infoset(h), labels)
        except GameError as error:
            if type(error) is not GameError:  # keep the type of a subclass
                raise
            raise GameError(f"{error} (at the history {h!r:.200})") from None
        # Check the depth and the memory, and report progress.
        if labels and path.depth >= ends.next_depth:
            ends.require(h, path.depth, builder.num_nodes, report)
        if builder.num_nodes % _NODES_BETWEEN_MEMORY_CHECKS == 0 and nearly_full():
            raise TooLargeError(f"the memory is nearly full after {builder.num_nodes:,} nodes of the game")
        if builder.num_nodes % 10_000 == 0:
            report()
        # Go to the next history in preorder.
        if labels:
            h = path.down(h, len(labels))
        elif path.is_closed:
            break
        else:
            h = path.next()
    return builder.finish(spec=spec)


def least_common_denominator(denominators: set[int], pairs: int) -> int:
    """Return the least common multiple; raise ``TooLargeError`` if ``pairs`` pairs of payoffs need too much memory."""
    common = 1
    for bottom in denominators:
        common = lcm(common, bottom)
        if common.bit_length() * pairs > _MAX_PAYOFF_BITS:
            raise TooLargeError(
                f"the {pairs:,} different payoff pairs have a common denominator of at least "
                f"{common.bit_length():,} bits, so all payoffs together exceed the memory allowed for payoffs"
            )
    return common


def checked_labels(labels: Sequence[str], what: str) -> tuple[str, ...]:
    """Return action labels as a tuple; raise ``GameError`` if the list is empty, or a label is repeated or not text."""
    labels = label_tuple(labels)
    if not labels:
        raise GameError(f"{what} has no actions")
    if not all(map(is_text, labels)):
        raise GameError(f"{what} has labels that are not text: {labels}")
    if len(set(labels)) < len(labels):
        raise GameError(f"{what} repeats an action label: {labels}")
    return labels


_ALL_KEPT = 1_024  # with at most so many open nodes, store all histories; as tuples of actions, they take 4 MB


class OpenPath:
    """The path from the root to the current node. A node is *open* while some of its actions have not been followed.

    Examples
    --------
    >>> import tremble
    >>> rules = tremble.load_rules("matching_pennies").rules
    >>> path = OpenPath(rules)
    >>> first = path.down(rules.root(), 2)
    >>> path.down(first, 2), path.next(), path.next(), path.depth
    (3, 4, 2, 1)
    """

    def __init__(self, rules: Game) -> None:
        self._rules = rules
        self._taken = array("i")  # position of the action taken at each node of the path
        self._depth = array("i")  # depth of each open node
        self._width = array("i")  # number of actions of each open node
        self._kept = array("i")  # numbers of the open nodes whose history is stored, ascending; 0 is always among them
        self._history: list[Any] = []  # the stored histories

    @property
    def depth(self) -> int:
        """Number of moves before the current node."""
        return len(self._taken)

    @property
    def is_closed(self) -> bool:
        """True if all actions at nodes above the current node were followed. Only descendants of this node remain."""
        return not self._depth

    def down(self, h: Any, width: int) -> Any:
        """Move from the current node ``h``, with ``width`` actions, to its first child; return the child's history."""
        if width > 1:
            self._keep(len(self._depth), h)
            self._depth.append(len(self._taken))
            self._width.append(width)
        self._taken.append(0)
        return self._rules.child(h, 0)

    def next(self) -> Any:
        """Move to the next node in preorder that does not descend from the current node. Return its history."""
        top = len(self._depth) - 1
        h = self._history_of(top)
        depth = self._depth[top]
        action = self._taken[depth] + 1
        del self._taken[depth + 1 :]
        self._taken[depth] = action
        if action == self._width[top] - 1:
            for column in (self._depth, self._width, self._kept, self._history):
                column.pop()
        return self._rules.child(h, action)

    def _keep(self, number: int, h: Any) -> None:
        """Store the history of an open node. Drop some stored histories of nodes far above this node."""
        self._kept.append(number)
        self._history.append(h)
        if number < _ALL_KEPT:
            return
        gap = 1 << (number.bit_length() // 2)
        if number % gap == 0:
            # The last two stretches of `gap` nodes stay complete. Otherwise a walk back and forth across the boundary
            # between two stretches would recompute the earlier stretch again and again.
            dropped = slice(bisect_left(self._kept, number - 2 * gap + 1), bisect_left(self._kept, number - gap))
            del self._kept[dropped], self._history[dropped]

    def _history_of(self, number: int) -> Any:
        """Return the history of the last open node, which is node ``number``. Recompute a dropped history."""
        above, h = self._kept[-1], self._history[-1]
        while above < number:
            for depth in range(self._depth[above], self._depth[above + 1]):
                h = self._rules.child(h, self._taken[depth])
            above += 1
            self._kept.append(above)
            self._history.append(h)
        return h
