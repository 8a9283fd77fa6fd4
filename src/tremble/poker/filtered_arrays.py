r"""A filtered game as arrays for solvers in floats, and exact strategies from float plans.

**Products with the payoff matrix.** Player 1's payoff for one history of moves that ends the game is :math:`\sum_k c_k
x^\top W_k y`. Here k runs through the basis of the payoffs, :math:`W_k` are sums of deals by pair of classes, and x and
y hold the players' weights, by class, of the sequences that lead to the end. Within a *public state* (in poker a board)
the matrices :math:`W_k` are dense. But if their rows are sorted by strength and divided by the weight of the class,
neighboring rows hardly differ. A hand that is one rank higher beats only a few more hands, and for folds only the total
matters. So a row is stored as its difference from the row above if that has fewer entries. A product with :math:`W_k`
is then a running sum. The differences are computed from the matrices, so a game need not declare any structure.

**Order.** Classes are renumbered such that public states are contiguous, with rows in the order above. A *plan* is an
array for each round, float64 [C, S, H], by class, sequence of the stage, and history of earlier rounds. Sequence 0 is
the empty one: it has the weight of the player's last sequence of the stage before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tremble.game.labels import pair
from tremble.integers import FloatArray
from tremble.poker.deals import Deals
from tremble.poker.filter import NEVER
from tremble.poker.filtered import FilteredGame, FilteredRound
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy

__all__ = ["Plan", "PublicTree", "RoundSide", "SideClasses", "exact_strategy", "short_bits"]

IntArray = NDArray[np.int64]
Plan = list[FloatArray]

_BITS, _FEWEST_BITS = 44, 36  # bits of weights: the default, and the fewest that are precise enough
_SHORT_BITS = 61  # the checker's sums over hands fit into int64 up to so many bits


@dataclass(frozen=True, eq=False)
class SideClasses:
    """A player's classes in a round, in the order of the arrays.

    C counts classes, T public states, J the player's information sets in the stage, G leaves after which the game goes
    on, and H histories of earlier rounds.
    """

    order: IntArray  # [C] class of the filtered game at each position; classes of a public state are contiguous
    state_start: IntArray  # [T + 1] first position of each public state
    earlier: IntArray  # [C] position of the class of the round before
    parent: IntArray  # [J] sequence that leads to each information set of the stage
    start: IntArray  # [J + 1] first sequence of each information set
    leaving: IntArray  # [G] own last sequence at each leaf after which the game goes on
    num_histories: int

    @classmethod
    def of(cls, round_: FilteredRound, player: int, order: IntArray, before: SideClasses | None) -> SideClasses:
        """Arrange the classes of a round in a given order, after those of the round before."""
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
        """The shape of a plan's array: classes, sequences with the empty one, histories."""
        return len(self.order), int(self.start[-1]), self.num_histories


@dataclass(frozen=True, eq=False)
class RoundSide(SideClasses):
    """A player's classes in a round together with the payoffs there: K vectors in the basis of the payoffs.

    The classes of a public state are sorted by the sums of their rows in the first matrix, so that neighboring rows are
    similar.
    """

    child_start: IntArray  # [C + 1] first entry of each class in `child`
    child: IntArray  # positions of the classes of the next round, by the class that they come from
    weight: FloatArray  # [C] divisor of the class's rows
    fresh: NDArray[np.bool_]  # [K, C] True if the whole row is stored, False if its difference from the row above is
    entry_start: NDArray[np.int32]  # [K, C + 1] first entry of each row
    column: NDArray[np.int32]  # [entries] position of the opponent's class within the public state
    entry: FloatArray  # [entries]
    # For each vector k of the basis: the opponent's sequences before the ends, and the ends themselves.
    needed_start: IntArray  # [K + 1] first entry of k in `needed`
    needed: IntArray  # opponent's sequences
    end_start: IntArray  # [K + 1] first end of k
    end_place: IntArray  # [ends] position of the opponent's last sequence in `needed` for k
    end_own: IntArray  # [ends] own last sequence
    end_factor: FloatArray  # [ends, H] factor of the sum

    @cached_property
    def each(self) -> IntArray:
        """Bounds of slices that each hold one position."""
        return np.arange(len(self.order) + 1)

    @cached_property
    def stage(self) -> tuple[IntArray, IntArray]:
        """The stage's information sets as arguments of kernels."""
        return self.parent, self.start

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """The arrays as arguments of kernels."""
        return (
            self.state_start, self.child_start, self.child, self.weight, self.fresh, self.entry_start, self.column,
            self.entry, self.needed_start, self.needed, self.end_start, self.end_place, self.end_own, self.end_factor,
            self.leaving,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A filtered game as arrays for each player and round.

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
    unit: float  # payoff that is 1 in the tables

    @classmethod
    def of(cls, filtered: FilteredGame) -> PublicTree:
        """Compute the arrays of a game with a constant sum."""
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
        """The numbers of both players' sequences, with the empty sequence."""
        return self.filtered.sizes.sequences


def _order(round_: FilteredRound, player: int) -> IntArray:
    """Sort a player's classes by public state, then by the mean of each vector of the basis, the first one first."""
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
    # Store the rows of each matrix W_k, whole or as differences.
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
    """Return the weight of each of a player's classes, the sum over its hands, [C]."""
    class_of = filtered.filter.class_of[player][number]
    dealt = class_of != NEVER
    own = Deals.of(filtered.game).rounds[number].own_weights(player)
    return np.bincount(class_of[dealt], own[dealt], filtered.rounds[number].num_classes[player]).astype(np.float64)


def _rows(matrix: csr_array, state_start: IntArray) -> tuple[NDArray[np.bool_], csr_array]:
    """Return each row whole or as its difference from the row above in its public state, whichever has fewer entries.

    Returns
    -------
    bool array [C], csr_array
        True for whole rows; and the rows or differences.
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
    """Return the ends of a round for each vector of the basis.

    Returns
    -------
    list of list of int
        For each vector, the opponent's last sequences before its ends.
    list of list of tuple
        For each vector, (position of the opponent's sequence in that list, own last sequence, factors [H]) of its ends.
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


def short_bits(game: OrderedGame) -> int:
    """Return the bits for weights such that the checker's sums fit into int64, if that leaves enough precision.

    The checker adds up the weights of all hands of the opponent, times a payoff. With long integers this takes several
    times as long.
    """
    most = 1
    for deals in Deals.of(game).rounds:
        hands = deals.num_hands if deals.mass is None else int(deals.mass.sum(axis=2).max())
        if deals.payoffs.leaves:
            most = max(most, deals.unit * hands * int(np.abs(deals.payoffs.utility).max()))
    bits = _SHORT_BITS - most.bit_length()
    return min(bits, _BITS) if bits >= _FEWEST_BITS else _BITS


def exact_strategy(tree: PublicTree, player: int, plan: Plan, bits: int = _BITS) -> OrderedStrategy:
    """Round a plan to an exact strategy whose weights are multiples of 2^-bits.

    At an information set the running sums of the shares are rounded, and their differences are the weights. So a weight
    is off by less than one unit, no weight is negative, and 0 stays 0. At information sets that the plan does not
    reach, the strategy is uniform.
    """
    denominator = 1 << bits
    rounds: list[IntArray] = []
    leaving = np.zeros(1, dtype=np.int64)
    before: IntArray = np.full((1, 1, 1), denominator)  # weights of the round before
    for side, floats in zip(tree.sides[player], plan, strict=True):
        whole = np.empty(side.shape, dtype=np.int64)
        whole[:, 0, :] = before[side.earlier][:, leaving, :].transpose(0, 2, 1).reshape(len(side.order), -1)
        for first, last, parent in zip(side.start[:-1], side.start[1:], side.parent, strict=True):
            running = np.cumsum(floats[:, first:last, :], axis=1)
            base = running[:, -1:, :]
            even = np.arange(1, last - first + 1)[None, :, None] / (last - first)
            share = np.where(base > 0, running / np.where(base > 0, base, 1.0), even)
            goal = np.rint(share * whole[:, parent, :][:, None, :]).astype(np.int64)
            whole[:, first:last, :] = np.diff(goal, axis=1, prepend=0)
        before, leaving = whole, side.leaving
        by_class = np.empty_like(whole[:, 1:, :])
        by_class[side.order] = whole[:, 1:, :]
        rounds.append(by_class)
    return OrderedStrategy(player, tree.filtered.filter.class_of[player], tuple(rounds), denominator)
