"""The rules of a filtered game. Chance deals classes of signals. A payoff is the mean payoff of the classes' deals.

In every round, chance deals a class to player 1, then a class to player 2. The possible classes are the classes that
can follow the classes of the previous round. The probabilities are proportional to the weights of the pairs of classes.
If only one class is possible, the rules skip the deal. After the deals, the players move in the stage tree of the
round. A class determines the player's classes in earlier rounds, so both players have perfect recall for every filter
([1]_, Proposition 1).

References
----------
.. [1] A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.poker.choices import line_number
from tremble.poker.deals import Deals
from tremble.poker.filtered import FilteredGame, FilteredRound
from tremble.poker.game import History

__all__ = ["ClassHistory", "ClassSet", "FilteredRules"]

Classes = tuple[int, ...]


class ClassHistory(NamedTuple):
    """A history of a filtered game: the classes dealt to players 1 and 2, and the moves."""

    round: int
    before: Classes  # the classes of the previous round; (0, 0) in the first round
    classes: Classes  # the classes dealt in this round so far
    nodes: tuple[int, ...]  # the leaf of every earlier stage, then the current node of this stage


class ClassSet(NamedTuple):
    """The position of an information set in the arrays of a filtered game."""

    round: int
    class_: int
    lines: int  # the position of the history of earlier rounds in the result of tremble.poker.payoffs.histories
    leaves: tuple[int, ...]  # the same history, given by the leaf of every earlier stage
    set: int  # the position among the player's information sets of the stage


class Draw(NamedTuple):
    """A chance node that deals one player a class of hands: the possible classes, their labels and probabilities."""

    classes: Classes
    labels: tuple[str, ...]
    chances: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class FilteredRules:
    """The rules of a filtered game. The class has the methods of :class:`tremble.Game`.

    Attributes
    ----------
    filtered : FilteredGame
    kept : pair of bool arrays [C, S - 1, H], or None
        For each player, True for the allowed sequences of the last round. C is the number of classes, S the number of
        sequences of the stage, and H the number of histories of the earlier rounds. None means that all sequences
        are allowed. Every information set that can be reached must have at least one allowed action.

    Examples
    --------
    If each player sees only the rank of its card, the game is smaller:

    >>> import tremble
    >>> from tremble.poker.filter import Filter
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> game = RhodeIsland(ranks=2, suits=2)
    >>> rules = FilteredRules(FilteredGame.of(game, Filter.of(game, lambda public, private: private[0] // 2)))
    >>> tremble.build(game).num_nodes, tremble.build(rules).num_nodes
    (28481, 4567)
    """

    filtered: FilteredGame
    kept: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None

    @property
    def title(self) -> str:
        """The title of the game."""
        game = self.filtered.game
        return f"{getattr(game, 'title', type(game).__name__)}, as seen through a filter"

    @cached_property
    def names(self) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
        """The names of the classes, for each player and round.

        A name consists of the first hand of the class and the number of other hands, such as ``"Ah+3"``.
        """
        player1, player2 = (tuple(self._names(player, number) for number in range(self._last + 1)) for player in (0, 1))
        return player1, player2

    def sets(self, player: int) -> Iterator[tuple[str, ClassSet]]:
        """Yield the label and the :class:`ClassSet` of each information set of a player, round by round."""
        stages = [round_.stage for round_ in self.filtered.rounds]
        for number, stage in enumerate(stages):
            own = stage.side(player).nodes
            for lines, leaves in enumerate(product(*(earlier.going_on for earlier in stages[:number]))):
                moves = [self._moves((*leaves, node)) for node in own]
                for class_, name in enumerate(self.names[player][number]):
                    for k, text in enumerate(moves):
                        yield _joined(name, text), ClassSet(number, class_, lines, leaves, k)

    def hands(self, player: int) -> Iterator[tuple[str, str]]:
        """Yield two labels for each information set that a player can reach in the original game.

        The first label is the label in the original game. The second label is the label in the filtered game.
        """
        game, deals = self.filtered.game, Deals.of(self.filtered.game)
        hands: dict[tuple[int, int], list[History]] = {}
        for number, round_ in enumerate(deals.rounds):
            classes = self.filtered.filter.class_of[player][number]
            for node in np.flatnonzero(classes >= 0).tolist():
                public, hand = round_.signals(node)
                seen = History(number, public, (hand,) * game.num_players, game.num_players + 1, ())
                hands.setdefault((number, int(classes[node])), []).append(seen)
        for key, place in self.sets(player):
            node = game.rounds[place.round].stage.side(player).nodes[place.set]
            for seen in hands[place.round, place.class_]:
                yield str(game.infoset(seen._replace(nodes=(*place.leaves, node)))), key

    def allowed(self, player: int, place: ClassSet) -> list[int]:
        """Return the indices of the actions that are allowed at the information set ``place``."""
        side = self.filtered.rounds[place.round].stage.side(player)
        first, end = side.start[place.set] - 1, side.start[place.set + 1] - 1
        if self.kept is None or place.round < self._last:
            return list(range(end - first))
        kept: list[int] = np.flatnonzero(self.kept[player][place.class_, first:end, place.lines]).tolist()
        return kept

    # -- the methods of tremble.Game -----------------------------------------------------------------

    def root(self) -> ClassHistory:
        """Return the empty history."""
        return self._dealt(ClassHistory(0, (0, 0), (), (0,)))

    def player(self, h: ClassHistory) -> int:
        """Return the player who moves. Chance moves until both classes of the round are dealt."""
        if len(h.classes) < 2:
            return CHANCE
        mover = self._round(h).stage.mover[h.nodes[-1]]
        return TERMINAL if mover < 0 else mover

    def actions(self, h: ClassHistory) -> tuple[str, ...]:
        """Return the labels of the allowed actions or, if chance moves, the names of the possible classes."""
        if len(h.classes) < 2:
            return self._draw(h).labels
        labels = self._round(h).stage.actions[h.nodes[-1]]
        return labels if self.kept is None else tuple(labels[i] for i in self._allowed(h))

    def chance(self, h: ClassHistory) -> tuple[Fraction, ...]:
        """Return the probabilities of the possible classes."""
        return self._draw(h).chances

    def child(self, h: ClassHistory, i: int) -> ClassHistory:
        """Return the history that follows ``h`` after the i-th of the possible deals or actions."""
        if len(h.classes) < 2:
            return self._dealt(h._replace(classes=(*h.classes, self._draw(h).classes[i])))
        stage = self._round(h).stage
        node = stage.child[h.nodes[-1]][i if self.kept is None else self._allowed(h)[i]]
        nodes = (*h.nodes[:-1], node)
        if h.round < self._last and node in stage.going_on:
            return self._dealt(ClassHistory(h.round + 1, h.classes, (), (*nodes, 0)))
        return h._replace(nodes=nodes)

    def infoset(self, h: ClassHistory) -> str:
        """Return the name of the mover's class (see ``names``) and the moves, such as ``"7d Ah+3"`` and ``"xbc:b"``."""
        mover = self._round(h).stage.mover[h.nodes[-1]]
        return _joined(self.names[mover][h.round][h.classes[mover]], self._moves(h.nodes))

    def payoff(self, h: ClassHistory) -> tuple[Fraction, Fraction]:
        """Return each player's mean payoff over all deals in which both hands belong to the classes in ``h``."""
        round_, pair = self._round(h), self._pair[h.round][h.classes]
        payoffs = round_.payoffs
        leaf = payoffs.leaves.index(h.nodes[-1])
        whole = int(round_.mass[pair]) * payoffs.denominator
        weights = round_.weight[pair].tolist()
        payoff1, payoff2 = (
            Fraction(sum(w * c for w, c in zip(weights, row.tolist(), strict=True)), whole)
            for row in payoffs.coefficient[:2, self._lines(h.nodes), leaf]
        )
        return payoff1, payoff2

    # -- parts ---------------------------------------------------------------------------------------

    @property
    def _last(self) -> int:
        return len(self.filtered.rounds) - 1

    def _round(self, h: ClassHistory) -> FilteredRound:
        return self.filtered.rounds[h.round]

    def _moves(self, nodes: tuple[int, ...]) -> str:
        """Return the text of the moves that lead to ``nodes``, as in the labels of the original game."""
        return self.filtered.game.hand_text((), (), nodes)

    def _lines(self, nodes: tuple[int, ...]) -> int:
        """Return the index of the earlier rounds' moves ``nodes[:-1]`` among all move histories of these rounds."""
        return line_number(self.filtered.rounds, nodes[:-1])

    def _dealt(self, h: ClassHistory) -> ClassHistory:
        """Return ``h`` after all forced deals: as long as the next deal has only one possible class, add this class."""
        while len(h.classes) < 2 and len(draw := self._draw(h).classes) == 1:
            h = h._replace(classes=(*h.classes, draw[0]))
        return h

    def _draw(self, h: ClassHistory) -> Draw:
        return self._draws[h.round, h.before, h.classes]

    def _allowed(self, h: ClassHistory) -> list[int]:
        """Return the positions of the actions that are allowed at a history."""
        mover = self.player(h)
        k = self._round(h).stage.side(mover).nodes.index(h.nodes[-1])
        return self.allowed(mover, ClassSet(h.round, h.classes[mover], self._lines(h.nodes), h.nodes[:-1], k))

    @cached_property
    def _pair(self) -> list[dict[Classes, int]]:
        """A dict for each round. It maps pairs of classes to positions in the arrays of the filtered game."""
        return [
            {pair: p for p, pair in enumerate(zip(*map(np.ndarray.tolist, round_.pair), strict=True))}
            for round_ in self.filtered.rounds
        ]

    @cached_property
    def _draws(self) -> dict[tuple[int, Classes, Classes], Draw]:
        """A dict of chance nodes. The key is (round, both classes of the previous round, classes dealt so far)."""
        weights: dict[tuple[int, Classes, Classes], dict[int, int]] = {}
        for number, round_ in enumerate(self.filtered.rounds):
            before = round_.earlier[0][round_.pair[0]].tolist(), round_.earlier[1][round_.pair[1]].tolist()
            pairs = zip(*before, *map(np.ndarray.tolist, round_.pair), round_.mass.tolist(), strict=True)
            for before1, before2, class1, class2, mass in pairs:
                first = weights.setdefault((number, (before1, before2), ()), {})
                first[class1] = first.get(class1, 0) + mass
                weights.setdefault((number, (before1, before2), (class1,)), {})[class2] = mass
        draws = {}
        for key, masses in weights.items():
            number, _, dealt = key
            names, total = self.names[len(dealt)][number], sum(masses.values())
            chances = tuple(Fraction(mass, total) for mass in masses.values())
            draws[key] = Draw(tuple(masses), tuple(names[c] for c in masses), chances)
        return draws

    def _names(self, player: int, number: int) -> tuple[str, ...]:
        game, deals = self.filtered.game, Deals.of(self.filtered.game).rounds[number]
        classes = self.filtered.filter.class_of[player][number]
        numbers, first, count = np.unique(classes, return_index=True, return_counts=True)
        names = []
        for class_, node, nodes in zip(numbers.tolist(), first.tolist(), count.tolist(), strict=True):
            if class_ >= 0:
                hand = game.hand_text(*deals.signals(node), ())
                names.append(f"{hand}+{nodes - 1}" if nodes > 1 else hand)
        return tuple(names) if len(set(names)) == len(names) else tuple(f"{text}#{c}" for c, text in enumerate(names))


def _joined(name: str, moves: str) -> str:
    return f"{name} {moves}" if name and moves else name or moves
