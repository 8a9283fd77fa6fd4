"""Filtered games, in which players see the classes of a filter instead of their signals.

For each round, a filtered game stores a few numbers for each *pair* of a class of player 1 and a class of player 2.
These numbers are the total weight of the pair's deals, and weighted sums of payoffs over these deals. All numbers are
stored as integers. Two pairs are linked if they share a class. The connected components of these links are the *public
states* of the round. In poker, a public state is a set of boards with the same classes of hands.

A sequence of a player is determined by a round, a class, a sequence of the round's stage tree, and a history of moves
in the earlier rounds. So a realization plan consists of one array [class, stage sequence, history] for each round. The
empty sequence of a round's stage tree has the weight of the player's last sequence in the previous round. The class and
the history determine this last sequence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tremble.poker.deals import Deals, RoundDeals
from tremble.poker.filter import Filter
from tremble.poker.game import OrderedGame
from tremble.poker.payoffs import RoundPayoffs
from tremble.poker.stage import StageTree

__all__ = ["FilteredGame", "FilteredRound", "Sizes"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Sizes:
    """The sizes of a filtered game's sequence form."""

    classes: tuple[tuple[int, ...], tuple[int, ...]]  # player, round -> the number of classes
    sequences: tuple[int, int]  # each player's number of sequences, including the empty sequence
    information_sets: tuple[int, int]

    @property
    def rows(self) -> int:
        """The number of rows of player 1's linear program.

        The variables of the program are the weights of player 1's sequences and the values of player 2's information
        sets. The program has one row for each sequence of player 2, one row for each information set of player 1, and
        one row for the weight of player 1's empty sequence.
        """
        return self.sequences[1] + self.information_sets[0] + 1


@dataclass(frozen=True, eq=False)
class FilteredRound:
    """One round of a filtered game.

    Shapes: C classes of a player's hands, P pairs of player 1's and player 2's classes, K vectors in a payoff basis.
    :mod:`tremble.poker.payoffs` explains this basis.
    """

    stage: StageTree
    num_histories: int  # the number of histories of moves in the earlier rounds
    earlier: tuple[IntArray, IntArray]  # player -> [C] the class of the previous round that each class comes from
    pair: tuple[IntArray, IntArray]  # player -> [P] the player's class in each pair; pairs are in ascending order
    mass: IntArray  # [P] the total weight of each pair's deals
    weight: IntArray  # [P, K] the sum, over each pair's deals, of weight times the basis vector's entry at the outcome
    payoffs: RoundPayoffs

    @property
    def num_classes(self) -> tuple[int, int]:
        """Each player's number of classes."""
        return len(self.earlier[0]), len(self.earlier[1])

    @cached_property
    def public_state(self) -> tuple[IntArray, IntArray]:
        """The public state of each class, as an array [C] for each player."""
        from scipy.sparse import coo_array  # loading SciPy takes 0.2 s, and most commands do not need it
        from scipy.sparse.csgraph import connected_components

        count, both = self.num_classes[0], sum(self.num_classes)
        links = coo_array((np.ones(len(self.mass)), (self.pair[0], self.pair[1] + count)), shape=(both, both))
        _, state = connected_components(links, directed=False)
        return state[:count].astype(np.int64), state[count:].astype(np.int64)


@dataclass(frozen=True, eq=False)
class FilteredGame:
    """An ordered game of two players in which the players see the classes of a filter instead of signals.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> game = RhodeIsland(ranks=3)
    >>> filtered = FilteredGame.of(game, Filter.of(game, lambda public, private: private[0] // 4))
    >>> [len(round_.mass) for round_ in filtered.rounds], filtered.sizes.rows
    ([9, 9, 9], 2396)
    """

    game: OrderedGame
    filter: Filter
    rounds: tuple[FilteredRound, ...]
    total: int  # the sum of `mass` of any round; all rounds have the same sum

    @classmethod
    def of(cls, game: OrderedGame, filter_: Filter) -> FilteredGame:
        """Compute the filtered game from an ordered game and a filter."""
        deals = Deals.of(game)
        rounds, histories = [], 1
        for number, (round_, dealt) in enumerate(zip(game.rounds, deals.rounds, strict=True)):
            classes = (filter_.class_of[0][number], filter_.class_of[1][number])
            earlier = (filter_.earlier[0][number], filter_.earlier[1][number])
            pair, mass, weight = _pairs(dealt, classes, (len(earlier[0]), len(earlier[1])))
            rounds.append(FilteredRound(round_.stage, histories, earlier, pair, mass, weight, dealt.payoffs))
            histories *= len(round_.stage.going_on)
        return cls(game, filter_, tuple(rounds), deals.total)

    @property
    def sizes(self) -> Sizes:
        """The sizes of the sequence form."""
        return sizes_of(self.game, self.filter)

    @property
    def num_leaves(self) -> int:
        """The number of leaves of the filtered game's tree, in which chance deals pairs of classes."""
        return sum(len(r.mass) * r.num_histories * len(r.payoffs.leaves) for r in self.rounds)

    @property
    def payoff_nonzeros(self) -> int:
        """The number of nonzeros in player 1's payoff matrix.

        Each nonzero belongs to a pair of sequences: both players' last sequences before a leaf. If a player does not
        move in the leaf's round, the player's last sequence comes from an earlier round. It then depends on the
        player's class in that earlier round.
        """
        count = 0
        for number, round_ in enumerate(self.rounds):
            coefficient = round_.payoffs.coefficient[0]
            moved = [self._last_moves(player, number) for player in (0, 1)]  # [H, E]
            for levels in np.unique(np.stack([level.ravel() for level in moved]), axis=1).T.tolist():
                ends = coefficient[(moved[0] == levels[0]) & (moved[1] == levels[1])]
                lines, times = np.unique(ends, axis=0, return_counts=True)
                weight = round_.weight
                if levels != [number, number]:
                    class1, class2 = (
                        self._earlier(player, number, levels[player])[round_.pair[player]] for player in (0, 1)
                    )
                    codes, inverse = np.unique(class1 * (int(class2.max()) + 1) + class2, return_inverse=True)
                    weight = np.zeros((len(codes), weight.shape[1]), dtype=weight.dtype)
                    np.add.at(weight, inverse, round_.weight)
                count += int((((weight @ lines.T) != 0).sum(axis=0) * times).sum())
        return count

    def _last_moves(self, player: int, number: int) -> IntArray:
        """Return an array [H, E]: the last round in which the player has moved, for each leaf of round ``number``.

        An entry is -1 if the player has not moved. H is the number of histories of the earlier rounds, and E is the
        number of leaves at which the game ends in this round.
        """
        before = np.full(1, -1)
        for k, round_ in enumerate(self.rounds[:number]):
            last = np.array([round_.stage.side(player).last[leaf] for leaf in round_.stage.going_on])
            before = np.where(last > 0, k, before[:, None]).ravel()
        ends = self.rounds[number]
        last = np.array([ends.stage.side(player).last[leaf] for leaf in ends.payoffs.leaves], dtype=np.int64)
        return np.where(last > 0, number, before[:, None])

    def _earlier(self, player: int, number: int, level: int) -> IntArray:
        """Map each class of a player in round ``number`` to the class before it in the earlier round ``level``.

        If ``level`` is -1, map every class to 0.
        """
        classes = np.arange(self.rounds[number].num_classes[player])
        for k in range(number, max(level, 0), -1):
            classes = self.rounds[k].earlier[player][classes]
        return classes if level >= 0 else np.zeros_like(classes)


def sizes_of(game: OrderedGame, filter_: Filter) -> Sizes:
    """Compute the sizes of a filtered game's sequence form without building the filtered game."""
    sequences, sets = [1, 1], [0, 0]
    histories = 1
    for number, round_ in enumerate(game.rounds):
        for player in (0, 1):
            side = round_.stage.side(player)
            count = filter_.num_classes(player)[number] * histories
            sequences[player] += count * (side.num_sequences - 1)
            sets[player] += count * len(side.nodes)
        histories *= len(round_.stage.going_on)
    classes = filter_.num_classes(0), filter_.num_classes(1)
    return Sizes(classes, (sequences[0], sequences[1]), (sets[0], sets[1]))


def _pairs(
    deals: RoundDeals, class_of: tuple[IntArray, IntArray], count: tuple[int, int]
) -> tuple[tuple[IntArray, IntArray], IntArray, IntArray]:
    """Return ``pair``, ``mass`` and ``weight`` of a :class:`FilteredRound`, for pairs that can be dealt together."""
    shape = (deals.num_states, deals.num_hands)
    class1, class2 = class_of[0].reshape(shape), class_of[1].reshape(shape)
    states, times = _distinct_states(deals, class1, class2)
    outcomes = deals.payoffs.num_outcomes
    codes, weights = [], []
    chunk = max(1, 2**22 // deals.num_hands**2)
    for first in range(0, len(states), chunk):
        some = states[first : first + chunk]
        mass = deals.masses(some) * times[first : first + chunk, None, None]
        code = (class1[some][:, :, None] * count[1] + class2[some][:, None, :]) * outcomes + deals.outcomes(some)
        dealt = mass != 0
        code_here, inverse = np.unique(code[dealt], return_inverse=True)
        sums = np.zeros(len(code_here), dtype=np.int64)
        np.add.at(sums, inverse, mass[dealt])
        codes.append(code_here)
        weights.append(sums)
    code, inverse = np.unique(np.concatenate(codes), return_inverse=True)
    by_outcome = np.zeros(len(code), dtype=np.int64)
    np.add.at(by_outcome, inverse, np.concatenate(weights))
    pair, inverse = np.unique(code // outcomes, return_inverse=True)
    table = np.zeros((len(pair), outcomes), dtype=np.int64)
    table[inverse, code % outcomes] = by_outcome * deals.unit
    return (pair // count[1], pair % count[1]), table.sum(axis=1), table @ deals.payoffs.basis.T


def _distinct_states(deals: RoundDeals, class1: IntArray, class2: IntArray) -> tuple[IntArray, IntArray]:
    """Return one public state from each group of equivalent states, and the size of each group.

    Two public states are equivalent if their hands have the same classes and strengths. If players have more than one
    private signal, or if deals have different weights, each group has one state.
    """
    if deals.hands.shape[2] != 1 or deals.mass is not None:
        return np.arange(deals.num_states), np.ones(deals.num_states, dtype=np.int64)
    strength = np.zeros_like(class1)
    if deals.strength is not None:
        strength = np.unique(deals.strength, return_inverse=True)[1].reshape(class1.shape)
    span = int(strength.max()) + 1
    key = (class1 * (int(class2.max()) + 1) + class2) * span + strength
    _, states, times = np.unique(np.sort(key, axis=1), axis=0, return_index=True, return_counts=True)
    return states, times
