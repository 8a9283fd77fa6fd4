"""Information sets and actions of a tree that are alike, and the sizes of its problem before and after merging them.

:mod:`tremble.solvers.merging` finds them, and says what is alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.tabular import Tabular
from tremble.value import Value

__all__ = ["AlikeSets", "MergedSizes", "Merging", "first_alike"]

IntArray = NDArray[np.int64]
_Like = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False, repr=False)
class MergedSizes(Value):
    """Sizes of a tree's linear program, or complementarity problem, and how much the players tell apart in it.

    Attributes
    ----------
    information_sets, sequences : pair of int
        Of the players; the empty sequence counted.
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
    """Information sets of a player that are alike; or one, some of whose actions are.

    Attributes
    ----------
    player : int
        0 or 1.
    infosets : tuple of int
        Their indices, from 0, in ascending order.
    labels : tuple of str
        What they are called.
    actions : tuple of tuple of str
        Of each set.
    like_actions : tuple of tuple of str
        Of each set: the actions of the first set that its actions are like.

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
    """Information sets and actions of a tree that are alike, and the sizes of its problem before and after merging.

    The problem is a linear program where the payoffs sum to a constant, else a complementarity problem, whose columns
    are its rows and one more.

    Attributes
    ----------
    game : GameTree
    sequences : pair of int64[S]
        The class of each sequence of each player, the empty one first; numbered in the order of their first members.
    raw, sizes : MergedSizes
        Of the problem as it is, and of what is left.
    players_alike : bool or None
        Whether the players are interchangeable; None where the payoffs sum to a constant, as each player's sequences
        are rows or columns of the linear program then.
    rounds : int or None
        Of refinement; None where it was given up: in deep games it may take as many rounds as there are moves in a row,
        and then nothing is merged.
    seconds : float

    Examples
    --------
    Heads are as good as tails:

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
        """For each player, the first set that each information set is like, int64[J], and that action, int64[A].

        Actions are those of all sets, laid end to end as :attr:`tremble.GameTree.slot_start` says; each is the number
        of one among the actions of its set.
        """
        return pair(first_alike(self.game, player, classes) for player, classes in enumerate(self.sequences))

    @cached_property
    def classes(self) -> tuple[AlikeSets, ...]:
        """Information sets that are alike, and those with actions that are; the most sets first."""
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
        """A row for each action of each information set, and the first one that it is like, itself if it is alone."""
        rows = []
        for player, (like, like_action) in enumerate(self.like):
            actions, labels = self.game.actions[player], self.game.infoset_labels[player]
            likes = iter(like_action.tolist())
            for k, (first, moves) in enumerate(zip(like.tolist(), actions, strict=True)):
                for action in moves:
                    told = player + 1, k + 1, labels[k], action, first + 1, actions[first][next(likes)]
                    rows.append(dict(zip(self.columns, told, strict=True)))
        return rows


def first_alike(tree: GameTree, player: int, classes: IntArray) -> _Like:
    """Return the first sets and actions of a player that its sets and actions are like, by the classes of sequences.

    The first sequence of a class is one of the first set of its class: an action of each set of that class is in it.
    """
    start = tree.slot_start[player]
    first = np.unique(classes, return_index=True)[1][classes][1:] - 1
    set_of = np.repeat(np.arange(len(start) - 1), np.diff(start))[first]
    return set_of[start[:-1]], first - start[set_of]
