"""Information filters: what a player is allowed to see of its own signals.

A filter puts the nodes of each player's own signal tree (what it and everybody has been dealt up to a round) into
*classes*. A player who is told the class instead of the signals plays the *filtered game*. By definition a filter is

* *truthful*: what was dealt is in the class that is shown;
* *independent*: the classes of a round are a partition of all that can be dealt;
* *preserving information*: what was told apart in a round is told apart in all later ones, so that the classes of each
  round refine those of the rounds before and nobody forgets what it saw.

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
from tremble.game.protocol import require_callable
from tremble.game.tree import require_player
from tremble.numbers import require_lists
from tremble.poker.deals import Deals
from tremble.poker.game import OrderedGame, Signals
from tremble.poker.soundness import require_sound
from tremble.value import Value

__all__ = ["NEVER", "Filter"]

IntArray = NDArray[np.int64]

NEVER = -1
"""The class of a hand that is never dealt to the player."""

Cells = Iterable[Collection[str]] | Mapping[str, Collection[str]]
"""A partition of the hands of a round: its cells, or the cell of every hand."""


@dataclass(frozen=True, eq=False, repr=False)
class Filter(Value):
    """Classes of both players' own nodes, round by round.

    :meth:`of` makes one of what is to be seen, which is always a filter; :meth:`of_cells` of cells, and
    :meth:`of_classes` of numbers, which may be none.

    Attributes
    ----------
    class_of : pair of tuples of int arrays
        Player, round -> class of each own node (what a player can have seen of the signals), from 0; -1 where the
        player is never dealt it.
    earlier : pair of tuples of int arrays
        Player, round -> class of the round before, of each class; zeros in the first round.

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
        """A filter by the classes of all nodes.

        Raises
        ------
        GameError
            A node that can be dealt has no class, or two nodes of a class come from different classes of the round
            before (information preservation); names the hands.
        """
        deals = Deals.of(game)
        require_lists(class_of, 2, "classes of both players in each round")
        if len(class_of) != 2 or any(len(rounds) != len(deals.rounds) for rounds in class_of):
            raise GameError(f"a filter has classes for 2 players in {len(deals.rounds)} rounds each")
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
        """The filter that shows ``seen(public, private)``, and all that was shown in earlier rounds.

        Parameters
        ----------
        seen : callable
            Public and own signals up to a round, as positions in ``game.signals`` -> anything hashable.
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
                    raise GameError(f"a filter shows what can be hashed, not the {type(shown).__name__} {shown!r:.60}")
                classes[node] = numbers.setdefault((before, shown), len(numbers))
            rounds.append(classes)
        both = tuple(rounds), tuple(rounds)
        return cls.of_classes(game, (_dealt(game, 0, both[0]), _dealt(game, 1, both[1])))

    @classmethod
    def of_cells(cls, game: OrderedGame, cells: Sequence[Cells], two: Sequence[Cells] | None = None) -> Filter:
        """The filter with the cells of the definition, hands written as in information sets.

        Parameters
        ----------
        cells : sequence
            For each round either all cells, each a collection of hands, or a mapping from each hand to its cell. A hand
            is the text of a player's own signals and then the public ones, such as ``"Ah"`` or ``"Ah 7d"``.
        two : sequence, optional
            Those of player 2, if they are not the same.

        Raises
        ------
        GameError
            The cells are not truthful, not independent, or do not preserve information; names the hands.

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
        """The filter that hides nothing."""
        nodes = tuple(np.arange(deals.num_nodes) for deals in Deals.of(game).rounds)
        return cls.of_classes(game, (_dealt(game, 0, nodes), _dealt(game, 1, nodes)))

    def num_classes(self, player: int) -> tuple[int, ...]:
        """In each round; ``PlayersError`` unless the player is 0 or 1."""
        require_player(player)
        return tuple(len(earlier) for earlier in self.earlier[player])


def _dealt(game: OrderedGame, player: int, rounds: tuple[IntArray, ...]) -> tuple[IntArray, ...]:
    """Classes without the nodes that are never dealt to a player, numbered anew where some are not."""
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
    """Classes of the nodes of a round by their cells."""
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
            raise GameError(f"{hand!r:.60} is no hand of {where}; hands are written as {hands[0]!r}")
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
    """A node's signals as text."""
    return game.hand_text(*Deals.of(game).rounds[number].signals(node), ())


def _require_classes(game: OrderedGame, player: int, number: int, classes: IntArray) -> NDArray[np.bool_]:
    """Which nodes have a class; raise unless these are all that can be dealt, and all numbers of classes are used."""
    deals = Deals.of(game).rounds[number]
    where = f"the classes of player {player + 1} in round {number + 1}"
    if not isinstance(classes, np.ndarray) or classes.dtype.kind != "i" or classes.shape != (deals.num_nodes,):
        raise GameError(f"{where} are to be {deals.num_nodes} integers in an array")
    dealt: NDArray[np.bool_] = classes != NEVER
    without = np.flatnonzero(deals.dealt(player) & ~dealt)
    if len(without):
        raise GameError(f"{where}: {_name(game, number, int(without[0]))} has none, but can be dealt")
    used = np.unique(classes[dealt])
    if len(used) == 0 or used[0] != 0 or used[-1] + 1 != len(used):
        raise GameError(f"{where} are numbered from 0 without holes; {NEVER} is for what is never dealt")
    return dealt


def _require_preserved(
    game: OrderedGame, player: int, number: int, classes: IntArray, came_from: IntArray, before: IntArray
) -> None:
    """Raise if a class merges what was told apart in the round before."""
    wrong = np.flatnonzero((classes != NEVER) & (before[classes] != came_from))
    if not len(wrong):
        return
    other = np.flatnonzero((classes == classes[wrong[0]]) & (came_from != came_from[wrong[0]]))[0]
    shown, same = (_name(game, number, int(node)) for node in (wrong[0], other))
    raise GameError(
        f"information is not preserved: in round {number + 1} player {player + 1} is shown the same for {shown} and "
        f"{same}, which it could tell apart in round {number}"
    )
