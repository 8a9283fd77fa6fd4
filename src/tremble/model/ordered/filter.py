"""Information filters: what a player is allowed to see of its own signals.

A filter puts the nodes of each player's own signal tree (what it and everybody has been dealt up to a round) into
*classes*. A player who is told the class instead of the signals plays the *filtered game*.

References
----------
A. Gilpin and T. Sandholm, "Lossless abstraction of imperfect information games", JACM 54(5), 2007, Definition 3.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.model.ordered.deals import Deals
from tremble.model.ordered.game import OrderedGame, Signals

__all__ = ["NEVER", "Filter"]

IntArray = NDArray[np.int64]

NEVER = -1
"""The class of a hand that is never dealt to the player."""


@dataclass(frozen=True, eq=False)
class Filter:
    """Classes of both players' own nodes, round by round.

    Attributes
    ----------
    class_of : pair of tuples of int arrays
        Player, round -> class of each own node (see :mod:`tremble.model.ordered.deals`), from 0; ``NEVER`` where the
        player is never dealt it.
    earlier : pair of tuples of int arrays
        Player, round -> class of the round before, of each class; zeros in the first round.

    Raises
    ------
    GameError
        Two nodes of a class come from different classes of the round before (information preservation).

    Examples
    --------
    >>> from tremble.games.rhode_island import RhodeIsland
    >>> game = RhodeIsland(ranks=3)
    >>> Filter.full(game).num_classes(0), Filter.of(game, lambda public, private: private[0] // 4).num_classes(0)
    ((12, 132, 1320), (3, 3, 3))
    """

    class_of: tuple[tuple[IntArray, ...], tuple[IntArray, ...]]
    earlier: tuple[tuple[IntArray, ...], tuple[IntArray, ...]]

    @classmethod
    def of_classes(cls, game: OrderedGame, class_of: tuple[tuple[IntArray, ...], tuple[IntArray, ...]]) -> Filter:
        """A filter by the classes of all nodes."""
        deals = Deals.of(game)
        earlier: list[list[IntArray]] = [[], []]
        for player, rounds in enumerate(class_of):
            for number, classes in enumerate(rounds):
                count = int(classes.max()) + 1
                before = np.zeros(count, dtype=np.int64)
                if number:
                    dealt = classes != NEVER
                    came_from = rounds[number - 1][deals.rounds[number].earlier]
                    before[classes[dealt]] = came_from[dealt]
                    _require_preserved(game, player, number, classes, came_from, before)
                earlier[player].append(before)
        return cls(class_of, (tuple(earlier[0]), tuple(earlier[1])))

    @classmethod
    def of(cls, game: OrderedGame, seen: Callable[[Signals, Signals], Hashable]) -> Filter:
        """The filter that shows ``seen(public, private)``, and all that was shown in earlier rounds."""
        found: list[IntArray] = []
        for number, deals in enumerate(Deals.of(game).rounds):
            numbers: dict[Hashable, int] = {}
            classes = np.empty(deals.num_nodes, dtype=np.int64)
            nodes = [(tuple(p), tuple(h)) for p, hs in zip(deals.public.tolist(), deals.hands.tolist(), strict=True)
                     for h in hs]  # fmt: skip
            for node, (public, private) in enumerate(nodes):
                before = int(found[-1][deals.earlier[node]]) if number else 0
                classes[node] = numbers.setdefault((before, seen(public, private)), len(numbers))
            found.append(classes)
        both = tuple(found), tuple(found)
        return cls.of_classes(game, (_dealt(game, 0, both[0]), _dealt(game, 1, both[1])))

    @classmethod
    def full(cls, game: OrderedGame) -> Filter:
        """The filter that hides nothing."""
        nodes = tuple(np.arange(deals.num_nodes) for deals in Deals.of(game).rounds)
        return cls.of_classes(game, (_dealt(game, 0, nodes), _dealt(game, 1, nodes)))

    def num_classes(self, player: int) -> tuple[int, ...]:
        """In each round."""
        return tuple(len(earlier) for earlier in self.earlier[player])


def _dealt(game: OrderedGame, player: int, rounds: tuple[IntArray, ...]) -> tuple[IntArray, ...]:
    """Classes without the nodes that are never dealt to a player, numbered anew where some are not."""
    found = []
    for deals, classes in zip(Deals.of(game).rounds, rounds, strict=True):
        if deals.mass is None:
            found.append(classes)
            continue
        ever = deals.mass.any(axis=2 - player).ravel()
        kept = np.full(len(classes), NEVER, dtype=np.int64)
        kept[ever] = np.unique(classes[ever], return_inverse=True)[1]
        found.append(kept)
    return tuple(found)


def _require_preserved(
    game: OrderedGame, player: int, number: int, classes: IntArray, came_from: IntArray, before: IntArray
) -> None:
    """Raise if a class merges what was told apart in the round before."""
    wrong = np.flatnonzero((classes != NEVER) & (before[classes] != came_from))
    if not len(wrong):
        return
    deals = Deals.of(game).rounds[number]
    other = np.flatnonzero((classes == classes[wrong[0]]) & (came_from != came_from[wrong[0]]))[0]
    names = []
    for node in (wrong[0], other):
        b, i = divmod(int(node), deals.num_hands)
        names.append(game.hand_text(tuple(deals.public[b].tolist()), tuple(deals.hands[b, i].tolist()), ()))
    raise GameError(
        f"information is not preserved: in round {number + 1} player {player + 1} is shown the same for {names[0]} and "
        f"{names[1]}, which it could tell apart in round {number}"
    )
