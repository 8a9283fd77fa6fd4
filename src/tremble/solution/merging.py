"""Alike information sets and actions of a tree, and the sizes of the equilibrium problem before and after merging.

:mod:`tremble.solvers.merging` finds the alike sets and actions, and defines *alike*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.value import Tabular, Value

__all__ = ["AlikeSets", "MergedSizes", "Merging", "first_alike"]

IntArray = NDArray[np.int64]
_Like = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False, repr=False)
class MergedSizes(Value):
    """Sizes of a tree's linear program or complementarity problem.

    Attributes
    ----------
    information_sets, sequences : pair of int
        For each player, the number of information sets, and the number of sequences, including the empty sequence.
    rows, columns, nonzeros : int

    Examples
    --------
    >>> import tremble
    >>> tremble.shrink(tremble.load("matching_pennies")).sizes
    <MergedSizes: information_sets (1, 1), sequences (2, 2), rows 4, columns 4, nonzeros 6>
    """

    information_sets: tuple[int, int]
    sequences: tuple[int, int]
    rows: int
    columns: int
    nonzeros: int


@dataclass(frozen=True, eq=False, repr=False)
class AlikeSets(Value):
    """A class of alike information sets of a player, or a single set with alike actions.

    Attributes
    ----------
    player : int
        0 or 1.
    infosets : tuple of int
        Indices of the sets, from 0, in ascending order.
    labels : tuple of str
        Labels of the sets.
    actions : tuple of tuple of str
        Actions of each set.
    like_actions : tuple of tuple of str
        Entry ``[i][j]`` is an action of the first set: the first one that is alike to ``actions[i][j]``.

    Examples
    --------
    >>> import tremble
    >>> found = tremble.shrink(tremble.load("matching_pennies")).classes[0]
    >>> found.labels, found.actions, found.like_actions
    (('penny of player 1',), (('heads', 'tails'),), (('heads', 'heads'),))
    """

    player: int
    infosets: tuple[int, ...]
    labels: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    like_actions: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Merging(Tabular, Value):
    """Alike information sets and actions of a tree, and sizes of the equilibrium problem before and after merging.

    The problem is a linear program if the payoffs sum to a constant. Otherwise it is a complementarity problem, which
    has one more column than rows.

    Attributes
    ----------
    game : GameTree
    sequences : pair of int64[S]
        The class of each sequence of each player, the empty sequence first. Classes are numbered in the order of their
        first members.
    raw, sizes : MergedSizes
        Sizes before and after merging.
    players_alike : bool or None
        True if the players are interchangeable. None if the payoffs sum to a constant, because the sequences of one
        player are then rows of the linear program and the sequences of the other are columns.
    rounds : int or None
        Number of rounds in which the search split classes of sets. None if the search was stopped; nothing is merged
        then. In deep games, the search may need as many rounds as a play has moves.
    seconds : float

    Examples
    --------
    Heads and tails are alike:

    >>> import tremble
    >>> found = tremble.shrink(tremble.load("matching_pennies"))
    >>> found.raw.sequences, found.sizes.sequences
    ((3, 3), (2, 2))
    >>> [(row["action"], row["like_action"]) for row in found.to_rows()][:2]
    [('heads', 'heads'), ('tails', 'heads')]
    """

    columns: ClassVar[tuple[str, ...]] = ("player", "infoset", "label", "action", "like_infoset", "like_action")

    game: GameTree
    sequences: tuple[IntArray, IntArray]
    raw: MergedSizes
    sizes: MergedSizes
    players_alike: bool | None
    rounds: int | None
    seconds: float = field(compare=False)

    @cached_property
    def like(self) -> tuple[_Like, _Like]:
        """Two arrays for each player: the first set of each set's class, and the first action of each slot's class.

        A *slot* is an action of a set, see :attr:`tremble.GameTree.slot_start`. ``sequences`` contains each slot's
        class. Sets of a class have slots of the same classes. The second array numbers each set's actions from 0.
        """
        return pair(first_alike(self.game, player, classes) for player, classes in enumerate(self.sequences))

    @cached_property
    def classes(self) -> tuple[AlikeSets, ...]:
        """Classes of alike sets, the largest class first. A class can be a single set if the set has alike actions."""
        found = []
        for player, (like, like_action) in enumerate(self.like):
            actions, labels = self.game.actions[player], self.game.infoset_labels[player]
            start = self.game.slot_start[player]
            order = np.argsort(like, kind="stable")
            for sets in np.split(order, np.flatnonzero(np.diff(like[order])) + 1) if len(order) else []:
                first = actions[sets[0]]
                moves = tuple(tuple(first[a] for a in like_action[start[k] : start[k + 1]].tolist()) for k in sets)
                if len(sets) > 1 or len(set(moves[0])) < len(first):
                    of_sets = tuple(labels[k] for k in sets), tuple(actions[k] for k in sets)
                    found.append(AlikeSets(player, tuple(sets.tolist()), *of_sets, moves))
        return tuple(sorted(found, key=lambda each: -len(each.infosets)))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each action: the action, and the first action of its class, possibly the action itself."""
        rows = []
        for player, (like, like_action) in enumerate(self.like):
            actions, labels = self.game.actions[player], self.game.infoset_labels[player]
            likes = iter(like_action.tolist())
            for k, (first, moves) in enumerate(zip(like.tolist(), actions, strict=True)):
                for action in moves:
                    cells = player + 1, k + 1, labels[k], action, first + 1, actions[first][next(likes)]
                    rows.append(dict(zip(self.columns, cells, strict=True)))
        return rows


def first_alike(tree: GameTree, player: int, classes: IntArray) -> _Like:
    """Return two arrays: for each set, the first set alike to this set; for each action, the alike action of that set.

    Alike sets have actions of the same ``classes``. So the first sequence of a class belongs to the first alike set.
    """
    start = tree.slot_start[player]
    first = np.unique(classes, return_index=True)[1][classes][1:] - 1
    set_of = np.repeat(np.arange(len(start) - 1), np.diff(start))[first]
    return set_of[start[:-1]], first - start[set_of]
