"""Game trees as frozen flat arrays, and the one door through which every tree is made.

A node is a number. Nodes are ordered by depth and, within a depth, by depth-first preorder, so that

* a parent comes before its children, and the children of a node are neighbours in action order;
* every level of the tree is a slice, and a pass over the tree is a loop over slices, never a recursion.

Information sets are numbered per player by first appearance in depth-first preorder, which is how Gambit
numbers them. The pair (information set, action) of a player is a *slot*: the slots of a player are
numbered consecutively, set by set.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, lcm
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, NotZeroSumError, PlayersError, TooLargeError
from tremble.exact_numbers import exact_number, exact_numbers, exact_payoffs, format_fraction, shorten
from tremble.model.game import CHANCE, TERMINAL, Game, label_tuple, require_rules

__all__ = [
    "DEFAULT_MAX_NODES",
    "ChanceTable",
    "FloatArray",
    "GameTree",
    "IntArray",
    "Origin",
    "TreeBuilder",
    "as_floats",
    "build",
    "integer_array",
    "require_constant_sum",
    "require_player",
    "require_tree",
]

DEFAULT_MAX_NODES = 20_000_000

IntArray = NDArray[Any]
"""Exact integers: dtype int64, or object (Python ints) where int64 is too narrow."""

FloatArray = NDArray[np.float64]

_INT64_SAFE = 2**62
_MAX_PAYOFF_BITS = 1_000_000_000  # of all distinct payoffs over their common denominator, per player


def as_floats(numerator: IntArray, denominator: int) -> NDArray[np.float64]:
    """Exact fractions as the nearest floats; infinite where they exceed the range of a float."""
    if numerator.dtype != object and denominator < _INT64_SAFE:
        return np.asarray(numerator / denominator, dtype=np.float64)
    flat = [_nearest(value, denominator) for value in numerator.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(numerator.shape)


def _nearest(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return inf if numerator > 0 else -inf


def _is_text(label: object) -> bool:
    """Whether a label can stand in a file: half of a surrogate pair cannot."""
    return isinstance(label, str) and (label.isascii() or not any("\ud800" <= c <= "\udfff" for c in label))


def require_player(player: int) -> None:
    """Raise ``PlayersError`` unless the number is 0 or 1: players are 1 and 2 where shown, 0 and 1 as indices."""
    if isinstance(player, bool) or player not in (0, 1):
        raise PlayersError(f"there is no player with index {player!r}; players 1 and 2 have the indices 0 and 1")


def require_constant_sum(tree: GameTree, advice: str) -> None:
    """Raise ``NotZeroSumError`` unless the payoffs sum to the same everywhere; says where, and the advice.

    Examples
    --------
    >>> builder = TreeBuilder()
    >>> builder.decision(0, "the only set", ("take", "leave"))
    >>> builder.leaf(1, -1)
    >>> builder.leaf(1, 1)
    >>> require_constant_sum(builder.finish(), "not solved")
    Traceback (most recent call last):
    tremble.errors.NotZeroSumError: the payoffs sum to 0 at the first leaf, but to 2 at the leaf leave; not solved
    """
    if tree.unequal_leaves is None:
        return
    one, two = (shorten(sum(tree.payoff_at(int(tree.infoset[leaf])))) for leaf in tree.unequal_leaves)
    steps = tree.path(tree.unequal_leaves[1])
    path = " / ".join((*steps[:10], *(["..."] * (len(steps) > 10))))
    place = f"the leaf {path}" if tree.origin is None else f"{tree.origin.unequal} (path: {path})"
    raise NotZeroSumError(f"the payoffs sum to {one} at the first leaf, but to {two} at {place}; {advice}")


def require_tree(game: object) -> None:
    """Raise ``GameError`` unless this is a game tree; names of large games are loaded as rules, which are none."""
    if not isinstance(game, GameTree):
        raise GameError(
            f"{_what_it_is(game)}; a game that is too large for that is played from its rules, by tremble.solve, "
            "tremble.verify and tremble.evaluate"
        )


def _what_it_is(game: object) -> str:
    """What somebody has handed over instead of a game tree, and what to call."""
    kind = type(game).__name__
    if isinstance(game, type):
        return f"the class {game.__name__} is no game tree: tremble.build({game.__name__}(...)) builds one"
    if isinstance(game, str):
        return f"a text is no game tree: tremble.load({game!r:.80}) loads the game of that name"
    if isinstance(game, list | tuple | np.ndarray):
        return f"a {kind} is no game tree: matrices of payoffs go into an .nfg file, tremble.read_nfg reads it"
    return f"a {kind} is no game tree: tremble.build(game) builds the tree of rules, of pyspiel.Game and pygambit.Game"


def integer_array(values: Sequence[int]) -> IntArray:
    """Exact integers as int64 where they fit (with one bit to spare), else as Python ints (dtype object)."""
    if all(-_INT64_SAFE < v < _INT64_SAFE for v in values):
        return np.array(values, dtype=np.int64)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


@dataclass(frozen=True)
class ChanceTable:
    """Labels and exact probabilities of the outcomes of a chance node; nodes that agree share one."""

    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class Origin:
    """The file that a tree was read from, for errors about the whole tree.

    Attributes
    ----------
    name : str
        The file as the user named it.
    numbers : pair of int64[J_i], or None
        What the file calls each information set; None where it has no numbers, or those of the tree.
    unequal : str or None
        Where in the file the first leaf is whose payoffs sum to something else than the first leaf's.
    """

    name: str
    numbers: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    unequal: str | None


@dataclass(frozen=True, eq=False)
class GameTree:
    """A finite two-player game in extensive form.

    Shapes: N nodes, L leaves, J_i information sets of player i. Build one with :func:`build`,
    :func:`tremble.load` or :func:`tremble.read_efg`, never by hand.

    Attributes
    ----------
    parent : int32[N]
        Parent of each node, ``NO_PARENT`` at the root (node 0).
    action : int32[N]
        Which action of the parent leads here, counted from 0; -1 at the root.
    player : int8[N]
        Who moves: 0, 1, ``CHANCE`` (-1) or ``TERMINAL`` (-2).
    infoset : int32[N]
        At a player's node the index (from 0) of its information set, at a chance node an index into
        ``chance_tables``, at a leaf its row in ``payoff``.
    first_child : int32[N]
        First child; the others follow it. -1 at a leaf.
    num_children : int32[N]
        Number of children.
    preorder : int32[N]
        Position of each node in depth-first preorder.
    level : int64[depth + 2]
        The nodes of depth d are ``level[d]:level[d + 1]``.
    leaves : int32[L]
        The leaves, in node order; row k of ``payoff`` belongs to ``leaves[k]``.
    payoff : int64[L, 2] or object[L, 2]
        Payoffs as integers over ``payoff_denominator``.
    payoff_denominator : int
        The least positive integer that makes all payoffs integers.
    chance_tables : tuple of ChanceTable
    actions : tuple of two tuples
        ``actions[i][k]`` are the action labels of information set k of player i.
    infoset_labels : tuple of two tuples of str
        What each information set is called; may be empty.
    title : str
    players : tuple of two str
        Names of the players.
    spec : str or None
        The text that :func:`tremble.load` understood, when the tree came from there.
    origin : Origin or None
        The file that it was read from.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> kuhn.num_nodes, kuhn.num_infosets, kuhn.depth
    (55, (6, 6), 4)
    """

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

    # -- sizes -----------------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.parent)

    @property
    def num_leaves(self) -> int:
        """Number of terminal nodes."""
        return len(self.leaves)

    @property
    def depth(self) -> int:
        """Number of edges on the longest path."""
        return len(self.level) - 2

    @property
    def num_infosets(self) -> tuple[int, int]:
        """Number of information sets of each player."""
        return len(self.actions[0]), len(self.actions[1])

    @cached_property
    def slot_start(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per player, int64[J + 1]: the slots of information set k are ``slot_start[k]:slot_start[k + 1]``."""
        first, second = (
            np.concatenate(([0], np.cumsum([len(labels) for labels in sets], dtype=np.int64))).astype(np.int64)
            for sets in self.actions
        )
        return first, second

    @property
    def num_slots(self) -> tuple[int, int]:
        """Number of (information set, action) pairs of each player."""
        return int(self.slot_start[0][-1]), int(self.slot_start[1][-1])

    @property
    def nodes_by_kind(self) -> dict[str, int]:
        """Number of chance nodes, of nodes of either player, and of leaves."""
        return {
            "chance": int(np.count_nonzero(self.player == CHANCE)),
            "player 1": int(np.count_nonzero(self.player == 0)),
            "player 2": int(np.count_nonzero(self.player == 1)),
            "terminal": self.num_leaves,
        }

    # -- numbers ---------------------------------------------------------------------------------

    @cached_property
    def payoff_float(self) -> NDArray[np.float64]:
        """Payoffs as floats, float64[L, 2]; infinite where they exceed the range of a float."""
        return as_floats(self.payoff, self.payoff_denominator)

    def payoff_at(self, leaf: int) -> tuple[Fraction, Fraction]:
        """Exact payoffs of both players at row ``leaf`` of ``payoff``."""
        one, two = self.payoff[leaf]
        return Fraction(int(one), self.payoff_denominator), Fraction(int(two), self.payoff_denominator)

    @cached_property
    def constant_sum(self) -> Fraction | None:
        """What the two payoffs sum to at every leaf, or None if that varies."""
        total = self.payoff[:, 0] + self.payoff[:, 1]
        return Fraction(int(total[0]), self.payoff_denominator) if np.all(total == total[0]) else None

    @cached_property
    def unequal_leaves(self) -> tuple[int, int] | None:
        """The first leaf in preorder, and the first one after it whose payoffs have another sum; None if all agree."""
        if self.constant_sum is not None:
            return None
        total, order = self.payoff[:, 0] + self.payoff[:, 1], self.preorder[self.leaves]
        first = int(np.argmin(order))
        others = np.flatnonzero(total != total[first])
        return int(self.leaves[first]), int(self.leaves[others[np.argmin(order[others])]])

    @property
    def zero_sum(self) -> bool:
        """Whether the payoffs sum to zero at every leaf."""
        return self.constant_sum == 0

    # -- navigation ------------------------------------------------------------------------------

    def children(self, node: int) -> range:
        """The children of a node, in action order."""
        first = int(self.first_child[node])
        return range(first, first + int(self.num_children[node])) if first >= 0 else range(0)

    def labels(self, node: int) -> tuple[str, ...]:
        """Action labels at a node (empty at a leaf)."""
        mover = int(self.player[node])
        if mover == TERMINAL:
            return ()
        if mover == CHANCE:
            return self.chance_tables[int(self.infoset[node])].labels
        return self.actions[mover][int(self.infoset[node])]

    def path(self, node: int) -> tuple[str, ...]:
        """Action labels from the root to a node."""
        steps = []
        while node:
            above = int(self.parent[node])
            steps.append(self.labels(above)[int(self.action[node])])
            node = above
        return tuple(reversed(steps))

    def set_name(self, player: int, k: int) -> str:
        """What a message calls the information set with index ``k`` (from 0) of a player.

        Examples
        --------
        >>> import tremble
        >>> tremble.load("kuhn").set_name(0, 4)
        "information set 5 ('K:')"
        """
        label, number = self.infoset_labels[player][k], k + 1
        known = [repr(label)] if label else []
        if self.origin is not None and self.origin.numbers is not None:
            number = int(self.origin.numbers[player][k])
        if number != k + 1:
            known.append(f"number {number} in the file")
        return f"information set {k + 1} ({', '.join(known)})" if known else f"information set {k + 1}"

    @cached_property
    def in_preorder(self) -> NDArray[np.int32]:
        """The nodes in depth-first preorder, int32[N]: the inverse of ``preorder``."""
        order = np.empty(self.num_nodes, dtype=np.int32)
        order[self.preorder] = np.arange(self.num_nodes, dtype=np.int32)
        return order

    # -- identity --------------------------------------------------------------------------------

    @cached_property
    def digest(self) -> str:
        """What makes two games the same game: ``"sha256:"`` and a hash.

        The hash runs over one line of UTF-8 text per node in depth-first preorder::

            p1 3 ["check", "bet"]         player 1 moves, information set 3
            c ["a", "b"] 1/2 1/2          chance
            t 1 -1                        a leaf and its payoffs

        Titles, names and the numbering of a file play no part.
        """
        movers = [
            [f"p{i + 1} {k + 1} {json.dumps(labels, ensure_ascii=False)}\n".encode() for k, labels in enumerate(sets)]
            for i, sets in enumerate(self.actions)
        ]
        tables = [
            f"c {json.dumps(t.labels, ensure_ascii=False)} {' '.join(map(format_fraction, t.probabilities))}\n".encode()
            for t in self.chance_tables
        ]
        rows = self.payoff.tolist()
        leaf_text: dict[tuple[int, int], bytes] = {}
        lines = []
        for mover, index in zip(
            self.player[self.in_preorder].tolist(), self.infoset[self.in_preorder].tolist(), strict=True
        ):
            if mover == TERMINAL:
                key = (rows[index][0], rows[index][1])
                text = leaf_text.get(key)
                if text is None:
                    one, two = (Fraction(value, self.payoff_denominator) for value in key)
                    text = leaf_text[key] = f"t {format_fraction(one)} {format_fraction(two)}\n".encode()
                lines.append(text)
            else:
                lines.append(tables[index] if mover == CHANCE else movers[mover][index])
        return "sha256:" + hashlib.sha256(b"".join(lines)).hexdigest()

    def __repr__(self) -> str:
        return f"<GameTree {self.title!r}: {self.num_nodes} nodes, {self.num_infosets} information sets>"


class TreeBuilder:
    """Makes a :class:`GameTree` from nodes handed over in depth-first preorder.

    Call :meth:`decision`, :meth:`chance` or :meth:`leaf` once per node: a node, then the whole subtree of
    its first action, then that of its second, and so on; then :meth:`finish`. Everything a tree must
    satisfy is checked here, so that no reader or rule can produce a malformed one.

    Parameters
    ----------
    title : str
    players : pair of str
    max_nodes : int
        More nodes than this raise ``TooLargeError``.

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
    ) -> None:
        self._title = title
        self._players = players
        self._max_nodes = max_nodes
        self._player = array("b")
        self._infoset = array("i")
        self._parent = array("i")
        self._action = array("i")
        self._depth = array("i")
        self._width = array("i")
        self._open: list[int] = []  # nodes on the current path that still lack children
        self._left: list[int] = []  # how many each of them lacks
        self._sets: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        self._actions: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
        self._labels: tuple[list[str], list[str]] = ([], [])
        self._tables: dict[ChanceTable, int] = {}
        self._same_tables: dict[tuple[int, int], tuple[int, Any, Any]] = {}  # by identity; holds what it identifies
        self._outcomes: dict[tuple[Fraction | int, Fraction | int], int] = {}

    @property
    def complete(self) -> bool:
        """Whether every node has all its children."""
        return len(self._depth) > 0 and not self._open

    @property
    def set_keys(self) -> tuple[list[Hashable], list[Hashable]]:
        """What names the information sets of both players, in their order."""
        return list(self._sets[0]), list(self._sets[1])

    @property
    def num_nodes(self) -> int:
        """Number of nodes so far."""
        return len(self._depth)

    def decision(self, player: int, key: Hashable, labels: Sequence[str], infoset_label: str | None = None) -> None:
        """Add a node where ``player`` (0 or 1) moves, in the information set that ``key`` names.

        The set's label is ``infoset_label``, else the key when that is text.
        """
        if player not in (0, 1) or not hasattr(player, "__index__"):
            raise PlayersError(f"a node belongs to player index {player!r}; only 0 and 1 (and CHANCE) can move")
        sets = self._sets[player]
        try:
            index = sets.get(key)
        except TypeError as error:
            raise GameError(
                f"the information set {key!r:.200} of player {player + 1} must be named by something hashable, such as "
                f"text or a tuple ({error})"
            ) from None
        if index is None:
            labels = label_tuple(labels)
            if not labels:
                raise GameError(f"information set {key!r} of player {player + 1} has no actions")
            if not all(map(_is_text, labels)):
                raise GameError(f"information set {key!r} of player {player + 1} has labels that are no text: {labels}")
            if len(set(labels)) < len(labels):
                raise GameError(f"information set {key!r} of player {player + 1} repeats an action label: {labels}")
            index = sets[key] = len(sets)
            self._actions[player].append(labels)
            if infoset_label is None:
                infoset_label = key if isinstance(key, str) else ""
            self._labels[player].append(infoset_label)
        elif (known := self._actions[player][index]) is not labels and known != tuple(labels):
            raise GameError(
                f"information set {key!r} of player {player + 1} has actions {tuple(labels)} at one node "
                f"and {known} at another"
            )
        self._place(player, index, len(labels))

    def chance(self, labels: Sequence[str], probabilities: Sequence[Fraction | int]) -> None:
        """Add a node where chance moves with these exact probabilities."""
        same = self._same_tables.get((id(labels), id(probabilities)))
        if same is not None:  # the very same tuples as before: no need to hash all fractions again
            self._place(CHANCE, same[0], len(labels))
            return
        exact = exact_numbers(probabilities, "chance probability")
        table = ChanceTable(label_tuple(labels), tuple(map(Fraction, exact)))
        index = self._tables.get(table)
        if index is None:
            if len(table.labels) != len(table.probabilities):
                raise GameError(f"{len(table.labels)} chance actions have {len(table.probabilities)} probabilities")
            if not all(map(_is_text, table.labels)):
                raise GameError(f"a chance node has labels that are no text: {table.labels}")
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

    def leaf(self, payoff1: Fraction | int, payoff2: Fraction | int) -> None:
        """Add a leaf with the payoffs of players 1 and 2."""
        pair = exact_number(payoff1, "payoff"), exact_number(payoff2, "payoff")
        self._place(TERMINAL, self._outcomes.setdefault(pair, len(self._outcomes)), 0)

    def _place(self, player: int, index: int, width: int) -> None:
        node = len(self._depth)
        if node >= self._max_nodes:
            raise TooLargeError(f"the game has more than {self._max_nodes:,} nodes; raise --max-nodes to build it")
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
            raise GameError("a node follows after the tree is complete")
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
        """The tree of all nodes handed over; raises ``GameError`` if some node lacks children."""
        if not self.complete:
            raise GameError("the tree ends before every action has led somewhere")
        n = len(self._depth)
        depth = np.frombuffer(self._depth, dtype=np.int32)
        order = np.argsort(depth, kind="stable")  # by depth, then preorder
        rank = np.empty(n, dtype=np.int32)
        rank[order] = np.arange(n, dtype=np.int32)
        parent = np.frombuffer(self._parent, dtype=np.int32)[order]
        parent = np.where(parent >= 0, rank[parent], GameTree.NO_PARENT).astype(np.int32)
        action = np.frombuffer(self._action, dtype=np.int32)[order]
        player = np.frombuffer(self._player, dtype=np.int8)[order]
        infoset = np.frombuffer(self._infoset, dtype=np.int32)[order]
        width = np.frombuffer(self._width, dtype=np.int32)[order]
        first_child = np.full(n, -1, dtype=np.int32)
        firstborn = np.flatnonzero(action == 0)
        first_child[parent[firstborn]] = firstborn
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
        """The payoff rows of the leaves over their least common denominator."""
        pairs = list(self._outcomes)
        denominator = 1
        for bottom in {value.denominator for pair in pairs for value in pair}:
            denominator = lcm(denominator, bottom)
            if denominator.bit_length() * len(pairs) > _MAX_PAYOFF_BITS:
                raise TooLargeError(
                    f"the {len(pairs):,} different payoff pairs have a common denominator of more than "
                    f"{denominator.bit_length():,} bits, which together exceeds the memory allowed for payoffs"
                )
        scaled = [value.numerator * (denominator // value.denominator) for pair in pairs for value in pair]
        return integer_array(scaled).reshape(-1, 2)[outcome_of_leaf], denominator


def build(
    rules: Game,
    *,
    title: str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
    spec: str | None = None,
) -> GameTree:
    """Build the tree of a game from its rules: see :func:`tremble.build`, which takes more kinds of games."""
    require_rules(rules)
    builder = TreeBuilder(
        title=title if title is not None else str(getattr(rules, "title", type(rules).__name__)),
        players=getattr(rules, "players", ("Player 1", "Player 2")),
        max_nodes=max_nodes,
    )
    stack = [rules.root()]
    while stack:
        h = stack.pop()
        mover = rules.player(h)
        if mover == TERMINAL:
            builder.leaf(*exact_payoffs(rules.payoff(h)))
        else:
            labels = label_tuple(rules.actions(h))
            if mover == CHANCE:
                builder.chance(labels, rules.chance(h))
            else:
                builder.decision(mover, rules.infoset(h), labels)
            stack.extend(rules.child(h, i) for i in range(len(labels) - 1, -1, -1))
        if progress is not None and builder.num_nodes % 10_000 == 0:
            progress(builder.num_nodes)
    return builder.finish(spec=spec)
