"""Information filters: they decide which of its signals a player can distinguish.

A node of a player's own signal tree is a set of signals that the player can have seen up to a round: its own signals
and the public ones. A filter groups these nodes into *classes*. In the *filtered game* players see the class instead of
the signals. By definition a filter is

* *truthful*: the class that a player sees contains the signals that were dealt;
* *independent*: the classes of a round are a partition of all nodes of that round;
* *information preserving*: nodes that differ in class in some round have descendants that differ in class in all later
  rounds. So the classes of each round refine those of the rounds before, and players have perfect recall.

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

from tremble.errors import GameError
from tremble.game.labels import require_callable
from tremble.game.tree import require_player
from tremble.numbers import require_lists
from tremble.poker.deals import Deals
from tremble.poker.game import OrderedGame, Signals
from tremble.poker.soundness import require_sound
from tremble.value import Value

__all__ = ["NEVER", "Filter"]

IntArray = NDArray[np.int64]

NEVER = -1
"""The class of a hand that the player is never dealt."""

Cells = Iterable[Collection[str]] | Mapping[str, Collection[str]]
"""A partition of the hands of a round: either all cells, or a mapping from every hand to its cell."""


@dataclass(frozen=True, eq=False, repr=False)
class Filter(Value):
    """The classes of both players' own nodes in each round.

    :meth:`of` makes a filter from a function of the signals, which always succeeds. :meth:`of_cells` makes one from
    cells and :meth:`of_classes` from numbers of classes; both check that these form a filter.

    Attributes
    ----------
    class_of : pair of tuples of int arrays
        Player, round -> class of each own node, numbered from 0; -1 if the player is never dealt the node. A node
        stands for the signals that a player can have seen.
    earlier : pair of tuples of int arrays
        Player, round -> for each class, its class in the round before; zeros in the first round.

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
        """Make a filter from the class of each node.

        Raises
        ------
        GameError
            A node that can be dealt has no class. Or two nodes of a class come from different classes of the round
            before, so that information is not preserved. The message names the hands.
        """
        deals = Deals.of(game)
        require_lists(class_of, 2, "classes of both players in each round")
        if len(class_of) != 2 or any(len(rounds) != len(deals.rounds) for rounds in class_of):
            raise GameError(f"expected classes for 2 players in {len(deals.rounds)} rounds each")
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
        """Make the filter that shows ``seen(public, private)`` in each round, and remembers earlier rounds.

        Parameters
        ----------
        game : OrderedGame
        seen : callable
            It receives the public and the player's own signals up to a round, as positions in ``game.signals``, and
            returns any hashable value. The player distinguishes signals if their values differ.
        """
        require_callable(seen, "what a filter shows")
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
                    raise GameError(f"a filter must show hashable values, not the {type(shown).__name__} {shown!r:.60}")
                classes[node] = numbers.setdefault((before, shown), len(numbers))
            rounds.append(classes)
        both = tuple(rounds), tuple(rounds)
        return cls.of_classes(game, (_dealt(game, 0, both[0]), _dealt(game, 1, both[1])))

    @classmethod
    def of_cells(cls, game: OrderedGame, cells: Sequence[Cells], two: Sequence[Cells] | None = None) -> Filter:
        """Make a filter from cells of hands, as in the definition; hands are written as in information sets.

        Parameters
        ----------
        game : OrderedGame
        cells : sequence
            For each round either all cells, each a collection of hands, or a mapping from each hand to its cell. A hand
            is the text of a player's own signals and then the public ones, such as ``"Ah"`` or ``"Ah 7d"``.
        two : sequence, optional
            The cells of player 2, if they differ from player 1's.

        Raises
        ------
        GameError
            The cells are not truthful, not independent, or not information preserving. The message names the hands.

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
        """Make the filter that shows all signals."""
        nodes = tuple(np.arange(deals.num_nodes) for deals in Deals.of(game).rounds)
        return cls.of_classes(game, (_dealt(game, 0, nodes), _dealt(game, 1, nodes)))

    def num_classes(self, player: int) -> tuple[int, ...]:
        """Return a player's number of classes in each round; raise ``PlayersError`` unless the player is 0 or 1."""
        require_player(player)
        return tuple(len(earlier) for earlier in self.earlier[player])


def _dealt(game: OrderedGame, player: int, rounds: tuple[IntArray, ...]) -> tuple[IntArray, ...]:
    """Give class -1 to nodes that are never dealt to a player, and renumber the other classes."""
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
    """Return the class of each node of a round, from the cells of that round."""
    where = f"round {number + 1}"
    hands = [_name(game, number, node) for node in range(Deals.of(game).rounds[number].num_nodes)]
    known = {hand: node for node, hand in enumerate(hands)}
    try:
        listed = [frozenset(cell) for cell in (cells.values() if isinstance(cells, Mapping) else cells)]
    except TypeError:
        raise GameError(f"in {where} each cell is a collection of hands, written as {hands[0]!r}") from None
    shown = (hand for cell in listed for hand in sorted(cell, key=str))
    for hand in (*(cells if isinstance(cells, Mapping) else ()), *shown):
        if hand not in known:
            raise GameError(f"{hand!r:.60} is not a hand of {where}; hands are written as {hands[0]!r}")
    if isinstance(cells, Mapping):
        for hand, cell in zip(cells, listed, strict=True):
            if hand not in cell:
                raise GameError(f"the filter is not truthful: in {where} {hand} is shown as {_cell_text(cell)}")
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
        raise GameError(f"the filter is not truthful: in {where} no cell holds {', '.join(missing[:5])}")
    return np.unique(classes, return_inverse=True)[1].reshape(-1)  # an empty cell has no number


def _cell_text(cell: frozenset[str]) -> str:
    names = sorted(cell)
    return "{" + ", ".join(names[:5]) + (", ...}" if len(names) > 5 else "}")


def _name(game: OrderedGame, number: int, node: int) -> str:
    """Return a node's signals as text."""
    return game.hand_text(*Deals.of(game).rounds[number].signals(node), ())


def _require_classes(game: OrderedGame, player: int, number: int, classes: IntArray) -> NDArray[np.bool_]:
    """Return the mask of nodes that have a class, [nodes].

    Raise ``GameError`` unless every node that can be dealt has one, and the classes are numbered without gaps.
    """
    deals = Deals.of(game).rounds[number]
    where = f"the classes of player {player + 1} in round {number + 1}"
    if not isinstance(classes, np.ndarray) or classes.dtype.kind != "i" or classes.shape != (deals.num_nodes,):
        raise GameError(f"{where} must be {deals.num_nodes} integers in an array")
    dealt: NDArray[np.bool_] = classes != NEVER
    without = np.flatnonzero(deals.dealt(player) & ~dealt)
    if len(without):
        raise GameError(f"{where}: {_name(game, number, int(without[0]))} has no class, but can be dealt")
    used = np.unique(classes[dealt])
    if len(used) == 0 or used[0] != 0 or used[-1] + 1 != len(used):
        raise GameError(f"{where} must be numbered from 0 without gaps; {NEVER} is for hands that are never dealt")
    return dealt


def _require_preserved(
    game: OrderedGame, player: int, number: int, classes: IntArray, came_from: IntArray, before: IntArray
) -> None:
    """Raise ``GameError`` if a class merges nodes that come from different classes of the round before."""
    wrong = np.flatnonzero((classes != NEVER) & (before[classes] != came_from))
    if not len(wrong):
        return
    other = np.flatnonzero((classes == classes[wrong[0]]) & (came_from != came_from[wrong[0]]))[0]
    shown, same = (_name(game, number, int(node)) for node in (wrong[0], other))
    raise GameError(
        f"information is not preserved: in round {number + 1} player {player + 1} is shown the same for {shown} and "
        f"{same}, which it could tell apart in round {number}"
    )
