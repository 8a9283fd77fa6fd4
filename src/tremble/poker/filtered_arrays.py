r"""The arrays of a filtered game for solvers that use floats, and the conversion of float plans to exact strategies.

**Products with the payoff matrix.** For one history of moves that ends the game, player 1's payoff is :math:`\sum_k c_k
x^\top W_k y`. Here k iterates over the basis of the payoffs, and the coefficients :math:`c_k` belong to the history.
An entry of the matrix :math:`W_k` belongs to a pair of classes. It is the sum, over the pair's deals, of the deal's
weight times its entry in basis vector k. For each class of player 1, x contains the weight of player 1's last sequence
in the history. In the same way, y contains the weights for player 2.

Within a *public state*, which is a set of equivalent boards in poker, the matrices :math:`W_k` are dense. If the rows
of a matrix are sorted by strength, and each row is divided by the weight of its class, neighboring rows differ in only
a few entries. There are two reasons. A hand that is one rank higher beats only a few more hands. For folds, only the
total weight of the opponent's hands matters. So a row is stored as its difference from the previous row if the
difference has fewer entries.

A product with :math:`W_k` is then a running sum over these differences. The definition of a game need not declare this
structure, because the differences are computed from the matrices.

**Order.** Classes are renumbered such that the classes of a public state are contiguous and sorted by strength. A
*plan* consists of a float64 array [C, S, H] for each round. The axes are classes, sequences of the stage, and histories
of earlier rounds. Sequence 0, the empty sequence, has the weight of the player's last sequence in the previous stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tremble.game.tree_arrays import pair
from tremble.integers import FloatArray
from tremble.poker.deals import Deals
from tremble.poker.filter import NEVER
from tremble.poker.filtered import FilteredGame, FilteredRound
from tremble.poker.rounding import BITS, rounded_strategy
from tremble.poker.strategy import OrderedStrategy

__all__ = ["Plan", "PublicTree", "RoundSide", "SideClasses", "exact_strategy"]

IntArray = NDArray[np.int64]
Plan = list[FloatArray]


@dataclass(frozen=True, eq=False)
class SideClasses:
    """A player's classes in a round, renumbered such that the classes of a public state are contiguous.

    The shapes use these letters:

    * C: classes
    * T: public states
    * J: the player's information sets in the betting tree of the round (the stage)
    * G: leaves of the stage that are followed by another round
    * H: histories of earlier rounds
    """

    order: IntArray  # [C] new number, which is called position -> the class of the filtered game
    state_start: IntArray  # [T + 1] the first position of each public state
    earlier: IntArray  # [C] the position of each class's class in the previous round
    parent: IntArray  # [J] the sequence that leads to each information set of the stage
    start: IntArray  # [J + 1] the first sequence of each information set
    leaving: IntArray  # [G] the player's last sequence at each leaf that is followed by another round
    num_histories: int

    @classmethod
    def of(cls, round_: FilteredRound, player: int, order: IntArray, before: SideClasses | None) -> SideClasses:
        """Arrange the classes of a round in a given order; ``before`` contains the classes of the previous round."""
        side = round_.stage.side(player)
        state = round_.public_state[player][order]
        earlier = np.zeros(len(order), dtype=np.int64)
        if before is not None:
            earlier = np.argsort(before.order)[round_.earlier[player][order]]
        return SideClasses(
            order=order,
            state_start=np.searchsorted(state, np.arange(int(state[-1]) + 2)),
            earlier=earlier,
            parent=np.array(side.parent, dtype=np.int64),
            start=np.array(side.start, dtype=np.int64),
            leaving=np.array([side.last[leaf] for leaf in round_.stage.going_on], dtype=np.int64),
            num_histories=round_.num_histories,
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of a plan's array: classes, sequences including the empty sequence, and histories."""
        return len(self.order), int(self.start[-1]), self.num_histories


@dataclass(frozen=True, eq=False)
class RoundSide(SideClasses):
    """A player's classes in a round, together with the payoffs of the round.

    K is the number of vectors in the basis of the payoffs (:mod:`tremble.poker.payoffs`). For each vector, a class has
    a row of numbers. In a public state, the order of the classes makes adjacent rows similar.
    """

    child_start: IntArray  # [C + 1] the first entry of each class in `child`
    child: IntArray  # the positions of the classes of the next round, sorted by the class that they come from
    weight: FloatArray  # [C] the number by which the rows of each class are divided
    fresh: NDArray[np.bool_]  # [K, C] True if the whole row is stored, False if a difference is stored
    entry_start: NDArray[np.int32]  # [K, C + 1] the first entry of each row
    column: NDArray[np.int32]  # [entries] the position of the opponent's class within the public state
    entry: FloatArray  # [entries] the values of the entries
    # An end is a pair of the players' last sequences at which the game ends with a nonzero payoff. The following arrays
    # contain the ends for each vector k of the basis.
    needed_start: IntArray  # [K + 1] the first entry of k in `needed`
    needed: IntArray  # the opponent's last sequences that occur in the ends of each k
    end_start: IntArray  # [K + 1] the first end of k
    end_place: IntArray  # [ends] the position of the opponent's last sequence among the entries of k in `needed`
    end_own: IntArray  # [ends] the player's last sequence
    end_factor: FloatArray  # [ends, H] the factor by which the running sum is multiplied

    @cached_property
    def each(self) -> IntArray:
        """The numbers from 0 to C. As bounds of slices, they give C slices with one class each."""
        return np.arange(len(self.order) + 1)

    @cached_property
    def stage(self) -> tuple[IntArray, IntArray]:
        """The arrays ``parent`` and ``start``, which compiled functions take as one argument."""
        return self.parent, self.start

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """The arrays that compiled functions need, in the order in which these functions unpack them."""
        return (
            self.state_start, self.child_start, self.child, self.weight, self.fresh, self.entry_start, self.column,
            self.entry, self.needed_start, self.needed, self.end_start, self.end_place, self.end_own, self.end_factor,
            self.leaving,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PublicTree:
    """The arrays of a filtered game for each player and round, sorted by public state.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> from tremble.poker.abstraction.lossless import lossless_filter
    >>> game = RhodeIsland(ranks=3)
    >>> tree = PublicTree.of(FilteredGame.of(game, lossless_filter(game)))
    >>> [side.shape for side in tree.sides[0]], [len(side.state_start) - 1 for side in tree.sides[0]]
    ([(3, 11, 1), (15, 11, 7), (69, 11, 49)], [1, 3, 15])
    """

    filtered: FilteredGame
    sides: tuple[tuple[RoundSide, ...], tuple[RoundSide, ...]]  # player, round
    unit: float  # the payoff that the arrays represent as 1

    @classmethod
    def of(cls, filtered: FilteredGame) -> PublicTree:
        """Build the public tree of a filtered game. The payoffs of the game must have a constant sum."""
        scale = max(float(np.abs(round_.payoffs.utility).max(initial=0)) / round_.payoffs.denominator
                    for round_ in filtered.rounds) or 1.0  # fmt: skip
        classes: tuple[list[SideClasses], list[SideClasses]] = ([], [])
        for round_ in filtered.rounds:
            for player, rounds in enumerate(classes):
                rounds.append(SideClasses.of(round_, player, _order(round_, player), rounds[-1] if rounds else None))
        numbers = range(len(filtered.rounds))
        sides = pair(tuple(_side(filtered, number, player, classes, scale) for number in numbers) for player in (0, 1))
        return cls(filtered, sides, scale)

    @cached_property
    def num_sequences(self) -> tuple[int, int]:
        """Each player's number of sequences, including the empty sequence."""
        return self.filtered.sizes.sequences


def _order(round_: FilteredRound, player: int) -> IntArray:
    """Return the order of a player's classes: by public state, then by the class mean of each basis vector in turn."""
    count, own = round_.num_classes[player], round_.pair[player]
    mass = np.bincount(own, round_.mass, count)
    keys = [np.bincount(own, weights, count) / mass for weights in round_.weight.T]
    return np.lexsort((*keys[::-1], round_.public_state[player]))


def _side(
    filtered: FilteredGame, number: int, player: int, classes: tuple[list[SideClasses], ...], scale: float
) -> RoundSide:
    # Sort the classes of the next round by the class that they come from.
    own, opponent = classes[player][number], classes[1 - player][number]
    round_, count = filtered.rounds[number], len(own.order)
    below = classes[player][number + 1].earlier if number + 1 < len(filtered.rounds) else np.zeros(0, dtype=np.int64)
    child = np.argsort(below, kind="stable")
    # Store the rows of each matrix W_k, as whole rows or as differences.
    rows, columns = (np.argsort(side.order)[round_.pair[i]] for side, i in ((own, player), (opponent, 1 - player)))
    weight = _weights(filtered, number, player)[own.order]
    first_column = np.repeat(opponent.state_start[:-1], np.diff(own.state_start))
    fresh, starts, cols, entries = [], [], [], []
    first = 0
    for masses in round_.weight.T:
        matrix = csr_array((masses / weight[rows], (rows, columns)), shape=(count, len(opponent.order)))
        alone, delta = _rows(matrix, own.state_start)
        fresh.append(alone)
        starts.append(first + delta.indptr)
        first += delta.nnz
        cols.append(delta.indices - np.repeat(first_column, np.diff(delta.indptr)))
        entries.append(delta.data)
    needed, ends = _ends(round_, player, scale)
    return RoundSide(
        **vars(own),
        child_start=np.searchsorted(below[child], np.arange(count + 1)),
        child=child,
        weight=weight * (1.0 / filtered.total),
        fresh=np.array(fresh, dtype=np.bool_).reshape(-1, count),
        entry_start=np.array(starts, dtype=np.int32).reshape(-1, count + 1),
        column=np.concatenate([np.zeros(0, dtype=np.int32), *cols]).astype(np.int32),
        entry=np.concatenate([np.zeros(0), *entries]),
        needed_start=np.cumsum([0, *map(len, needed)]),
        needed=np.array([s for some in needed for s in some], dtype=np.int64),
        end_start=np.cumsum([0, *map(len, ends)]),
        end_place=np.array([place for some in ends for place, _, _ in some], dtype=np.int64),
        end_own=np.array([s for some in ends for _, s, _ in some], dtype=np.int64),
        end_factor=np.array([f for some in ends for _, _, f in some]).reshape(-1, round_.num_histories),
    )


def _weights(filtered: FilteredGame, number: int, player: int) -> FloatArray:
    """Return float64[C]: the weight of each class of a player, which is the sum of the weights of its hands."""
    class_of = filtered.filter.class_of[player][number]
    dealt = class_of != NEVER
    own = Deals.of(filtered.game).rounds[number].own_weights(player)
    return np.bincount(class_of[dealt], own[dealt], filtered.rounds[number].num_classes[player]).astype(np.float64)


def _rows(matrix: csr_array, state_start: IntArray) -> tuple[NDArray[np.bool_], csr_array]:
    """Return each row of a matrix, or its difference from the previous row if this has fewer nonzero entries.

    The first row of a public state is always returned as a whole.

    Returns
    -------
    bool array [C]
        True for whole rows, False for differences.
    csr_array
        The rows, each as a whole or as a difference.
    """
    shifted = vstack([csr_array((1, matrix.shape[1])), matrix[:-1]], format="csr")
    delta = csr_array(matrix - shifted)
    delta.eliminate_zeros()
    matrix.eliminate_zeros()
    alone = np.diff(matrix.indptr) <= np.diff(delta.indptr)
    alone[state_start[:-1]] = True
    both = vstack([matrix, delta], format="csr")
    count = matrix.shape[0]
    return alone, csr_array(both[np.arange(count) + np.where(alone, 0, count)])


def _ends(
    round_: FilteredRound, player: int, scale: float
) -> tuple[list[list[int]], list[list[tuple[int, int, FloatArray]]]]:
    """Find, for each vector of the payoff basis, the pairs of sequences after which the game ends in this round.

    Returns
    -------
    needed : list of list of int
        For each vector: the opponent's sequences in these pairs, sorted.
    ends : list of list of tuple
        List k has a tuple for each pair of vector k: the index of the opponent's sequence in ``needed[k]``, the
        player's sequence, and the factors, float64[H], one for each history of earlier rounds.
    """
    payoffs = round_.payoffs
    own, other = round_.stage.side(player), round_.stage.side(1 - player)
    sign = (1.0 if player == 0 else -1.0) / scale / payoffs.denominator
    needed: list[list[int]] = []
    ends: list[list[tuple[int, int, FloatArray]]] = []
    for k in range(payoffs.coefficient.shape[3]):
        factors: dict[tuple[int, int], FloatArray] = {}
        for e, leaf in enumerate(payoffs.leaves):
            factor = np.asarray(payoffs.coefficient[0, :, e, k] * sign, dtype=np.float64)
            if factor.any():
                pair = other.last[leaf], own.last[leaf]
                factors[pair] = factors[pair] + factor if pair in factors else factor
        places = sorted({s for s, _ in factors})
        needed.append(places)
        ends.append([(places.index(s), t, factor) for (s, t), factor in sorted(factors.items())])
    return needed, ends


def exact_strategy(tree: PublicTree, player: int, plan: Plan, bits: int = BITS) -> OrderedStrategy:
    """Round a plan to an exact strategy, as :func:`~tremble.poker.rounding.rounded_strategy` does."""
    shares = [
        partial(_shares, floats, np.argsort(side.order)) for side, floats in zip(tree.sides[player], plan, strict=True)
    ]
    return rounded_strategy(tree.filtered.game, tree.filtered.filter, player, shares, bits)


def _shares(floats: FloatArray, positions: IntArray, some: slice) -> FloatArray:
    """Return the weights of the sequences of some classes, without the empty sequence."""
    found: FloatArray = floats[positions[some], 1:]
    return found
