"""Information filters, which determine the signals that a player can distinguish.

A *node* consists of the public signals and a player's own signals from the first round to a given round. A filter
groups the nodes of a round into *classes*. In the *filtered game*, a player sees the class of the signals instead of
the signals. By definition a filter has three properties:

* It is *truthful*. The class that a player sees contains the dealt signals.
* It is *independent*. The classes of a round are a partition of all nodes of that round.
* It is *information preserving*. If two nodes of a round are in different classes, their successors in all later rounds
  are also in different classes. So two nodes of the same class come from the same class in every earlier round, and
  players have perfect recall.

References
----------
A. Gilpin and T. Sandholm, "Finding equilibria in large sequential games of imperfect information", EC 2006,
Definition 2.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import require_callable, require_lists
from tremble.errors import GameError
from tremble.game.tree import require_player
from tremble.poker.deals import Deals
from tremble.poker.game import OrderedGame, Signals
from tremble.poker.soundness import require_sound
from tremble.value import Value

__all__ = ["NEVER", "Filter"]

IntArray = NDArray[np.int64]

NEVER = -1
"""The class number of a hand that the player is never dealt."""

Cells = Iterable[Collection[str]] | Mapping[str, Collection[str]]
"""A partition of the hands of a round into cells: a list of all cells, or a mapping from every hand to its cell."""


@dataclass(frozen=True, eq=False, repr=False)
class Filter(Value):
    """A partition of each player's nodes in each round into classes.

    There are three ways to create a filter:

    * :meth:`of` creates a filter from a function of the signals. Any function is allowed.
    * :meth:`of_cells` creates a filter from sets of hands, called cells, and checks that the cells form a filter.
    * :meth:`of_classes` creates a filter from arrays of class numbers, and checks that the classes form a filter.

    Attributes
    ----------
    class_of : pair of tuples of int arrays
        For each player and round, the class of each node. Classes are numbered from 0. The class is -1 if the player
        is never dealt the node. A node consists of the signals that a player can have seen.
    earlier : pair of tuples of int arrays
        For each player and round, an array that maps each class to its class in the previous round. The arrays of the
        first round contain zeros.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("rhode_island:ranks=3").rules
    >>> Filter.full(game).num_classes(0), Filter.of(game, lambda public, private: private[0] // 4).num_classes(0)
    ((12, 132, 1320), (3, 3, 3))
    """

    class_of: tuple[tuple[IntArray, ...], tuple[IntArray, ...]]
    earlier: tuple[tuple[IntArray, ...], tuple[IntArray, ...]]

    @classmethod
    def of_classes(cls, game: OrderedGame, class_of: tuple[tuple[IntArray, ...], tuple[IntArray, ...]]) -> Filter:
        """Create a filter from the class of each node.

        Parameters
        ----------
        game : OrderedGame
        class_of : pair of tuples of int arrays
            The class of each node, as in the attribute ``class_of`` of the result.

        Raises
        ------
        GameError
            A node that can be dealt has no class. Or two nodes of one class had different classes in the previous
            round, so the player would forget information. The message names the hands.
        """
        deals = Deals.of(game)
        require_lists(class_of, 2, "classes of both players in each round")
        if len(class_of) != 2 or any(len(rounds) != len(deals.rounds) for rounds in class_of):
            raise GameError(f"'class_of' must contain arrays for 2 players, each for {len(deals.rounds)} rounds")
        earlier: list[list[IntArray]] = [[], []]
        for player, rounds in enumerate(class_of):
            for number, classes in enumerate(rounds):
                dealt = _require_classes(game, player, number, classes)
                before = np.zeros(int(classes.max()) + 1, dtype=np.int64)
                if number:
                    came_from = rounds[number - 1][deals.rounds[number].earlier]
                    before[classes[dealt]] = came_from[dealt]
                    _require_preserved(game, player, number, classes, came_from, before)
                earlier[player].append(before)
        return cls(class_of, (tuple(earlier[0]), tuple(earlier[1])))

    @classmethod
    def of(cls, game: OrderedGame, seen: Callable[[Signals, Signals], Hashable]) -> Filter:
        """Create the filter that shows only the value of ``seen`` to a player in each round, instead of the signals.

        Parameters
        ----------
        game : OrderedGame
        seen : callable
            A function that receives the public signals and the player's own signals so far, as positions in
            ``game.signals``. The function may return any hashable value. A player distinguishes two sets of signals if
            ``seen`` returns different values for them in this round or an earlier round.
        """
        require_callable(seen, "the argument 'seen' of a filter")
        rounds: list[IntArray] = []
        for number, deals in enumerate(Deals.of(game).rounds):
            numbers: dict[Hashable, int] = {}
            classes = np.empty(deals.num_nodes, dtype=np.int64)
            nodes = [(tuple(p), tuple(h)) for p, hs in zip(deals.public.tolist(), deals.hands.tolist(), strict=True)
                     for h in hs]  # fmt: skip
            for node, (public, private) in enumerate(nodes):
                before = int(rounds[-1][deals.earlier[node]]) if number else 0
                shown = seen(public, private)
                if not isinstance(shown, Hashable):
                    raise GameError(
                        f"the function 'seen' must return hashable values, not the {type(shown).__name__} {shown!r:.60}"
                    )
                classes[node] = numbers.setdefault((before, shown), len(numbers))
            rounds.append(classes)
        both = tuple(rounds), tuple(rounds)
        return cls.of_classes(game, (_dealt(game, 0, both[0]), _dealt(game, 1, both[1])))

    @classmethod
    def of_cells(cls, game: OrderedGame, cells: Sequence[Cells], two: Sequence[Cells] | None = None) -> Filter:
        """Create a filter from cells, which are sets of hands that a player cannot distinguish.

        Parameters
        ----------
        game : OrderedGame
        cells : sequence
            The cells of each round, as a list of cells or as a mapping from each hand to its cell. A cell is a
            collection of hands. A hand is written as in the labels of information sets: the player's own signals, then
            the public signals, such as ``"Ah"`` or ``"Ah 7d"``.
        two : sequence, optional
            The cells of player 2. By default, player 2 has the cells of player 1.

        Raises
        ------
        GameError
            The cells are not truthful, not independent, or not information preserving (defined in the module).

        Examples
        --------
        >>> import tremble
        >>> game = tremble.load_rules("jk_four_cards").rules
        >>> Filter.of_cells(game, [[{"J1", "J2"}, {"K1", "K2"}]]).num_classes(0)
        (2,)
        """
        require_sound(game)
        rounds = []
        for own in (cells,) if two is None else (cells, two):
            require_lists(own, 1, "cells of each round")
            if len(own) != len(game.rounds):
                raise GameError(f"cells of {len(own)} rounds are given, but the game has {len(game.rounds)}")
            rounds.append(tuple(_of_cells(game, number, of_round) for number, of_round in enumerate(own)))
        return cls.of_classes(game, (_dealt(game, 0, rounds[0]), _dealt(game, 1, rounds[-1])))

    @classmethod
    def full(cls, game: OrderedGame) -> Filter:
        """Create the filter in which players see all signals."""
        nodes = tuple(np.arange(deals.num_nodes) for deals in Deals.of(game).rounds)
        return cls.of_classes(game, (_dealt(game, 0, nodes), _dealt(game, 1, nodes)))

    def num_classes(self, player: int) -> tuple[int, ...]:
        """Return, for each round, the number of classes that one player can see.

        Raises
        ------
        PlayersError
            The player is not 0 or 1.
        """
        require_player(player)
        return tuple(len(earlier) for earlier in self.earlier[player])


def _dealt(game: OrderedGame, player: int, rounds: tuple[IntArray, ...]) -> tuple[IntArray, ...]:
    """Assign class -1 to hands that chance never deals to a player. Renumber the other classes without gaps."""
    renumbered = []
    for deals, classes in zip(Deals.of(game).rounds, rounds, strict=True):
        ever = deals.dealt(player)
        if ever.all():
            renumbered.append(classes)
            continue
        kept = np.full(len(classes), NEVER, dtype=np.int64)
        kept[ever] = np.unique(classes[ever], return_inverse=True)[1].reshape(-1)
        renumbered.append(kept)
    return tuple(renumbered)


def _of_cells(game: OrderedGame, number: int, cells: Cells) -> IntArray:
    """Return the class of each hand at each public state of a round. A cell in ``cells`` lists the hands of a class."""
    where = f"round {number + 1}"
    hands = [_name(game, number, node) for node in range(Deals.of(game).rounds[number].num_nodes)]
    known = {hand: node for node, hand in enumerate(hands)}
    try:
        listed = [frozenset(cell) for cell in (cells.values() if isinstance(cells, Mapping) else cells)]
    except TypeError:
        raise GameError(f"in {where} each cell must be a collection of hands, such as {hands[0]!r}") from None
    shown = (hand for cell in listed for hand in sorted(cell, key=str))
    for hand in (*(cells if isinstance(cells, Mapping) else ()), *shown):
        if hand not in known:
            raise GameError(f"{hand!r:.60} is not a hand of {where}; write a hand like {hands[0]!r}")
    if isinstance(cells, Mapping):
        for hand, cell in zip(cells, listed, strict=True):
            if hand not in cell:
                raise GameError(
                    f"the filter is not truthful: in {where} the cell that is given for {hand} is {_cell_text(cell)}, "
                    "which does not contain this hand"
                )
        listed = list(dict.fromkeys(listed))
    classes = np.full(len(hands), NEVER, dtype=np.int64)
    for k, cell in enumerate(listed):
        for hand in sorted(cell):
            node = known[hand]
            if classes[node] != NEVER:
                other = _cell_text(listed[classes[node]])
                raise GameError(
                    f"the cells are not independent: in {where} {hand} is in {other} and in {_cell_text(cell)}"
                )
            classes[node] = k
    missing = [hand for hand, k in zip(hands, classes, strict=True) if k == NEVER]
    if missing:
        raise GameError(f"the filter is not truthful: in {where} no cell contains {', '.join(missing[:5])}")
    return np.unique(classes, return_inverse=True)[1].reshape(-1)  # renumber without the numbers of empty cells


def _cell_text(cell: frozenset[str]) -> str:
    names = sorted(cell)
    return "{" + ", ".join(names[:5]) + (", ...}" if len(names) > 5 else "}")


def _name(game: OrderedGame, number: int, node: int) -> str:
    """Return the text of a node's signals."""
    return game.hand_text(*Deals.of(game).rounds[number].signals(node), ())


def _require_classes(game: OrderedGame, player: int, number: int, classes: IntArray) -> NDArray[np.bool_]:
    """Check a player's classes in a round, and return a mask, bool[nodes], of the nodes that have a class.

    Raises
    ------
    GameError
        A node that can be dealt has no class, or the numbers of the classes have gaps.
    """
    deals = Deals.of(game).rounds[number]
    where = f"the classes of player {player + 1} in round {number + 1}"
    if not isinstance(classes, np.ndarray) or classes.dtype.kind != "i" or classes.shape != (deals.num_nodes,):
        raise GameError(f"{where} must be an array of {deals.num_nodes} integers")
    dealt: NDArray[np.bool_] = classes != NEVER
    without = np.flatnonzero(deals.dealt(player) & ~dealt)
    if len(without):
        raise GameError(f"{where}: {_name(game, number, int(without[0]))} has no class, but can be dealt")
    used = np.unique(classes[dealt])
    if len(used) == 0 or used[0] != 0 or used[-1] + 1 != len(used):
        raise GameError(f"{where} must be numbered from 0 without gaps; use {NEVER} for hands that are never dealt")
    return dealt


def _require_preserved(
    game: OrderedGame, player: int, number: int, classes: IntArray, came_from: IntArray, before: IntArray
) -> None:
    """Raise ``GameError`` if a class merges nodes that come from different classes of the previous round."""
    wrong = np.flatnonzero((classes != NEVER) & (before[classes] != came_from))
    if not len(wrong):
        return
    other = np.flatnonzero((classes == classes[wrong[0]]) & (came_from != came_from[wrong[0]]))[0]
    shown, same = (_name(game, number, int(node)) for node in (wrong[0], other))
    raise GameError(
        f"information is not preserved: in round {number + 1} player {player + 1} sees the same class for {shown} and "
        f"{same}, but could distinguish them in round {number}"
    )
