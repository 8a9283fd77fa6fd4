r"""An ordered game seen through a filter, as the arrays that solvers pass over; and exact strategies from float plans.

**Products with the payoff matrix.** After a history of moves that ends in round j, player 1 earns :math:`\sum_k c_k
x^\top W_k y` (k through the basis of payoffs, x and y the plans' weights of the sequences that led there, by class).
Within a *public state* (in poker a board) the matrices :math:`W_k` are dense, but sorted by strength and divided by the
weight of each class, consecutive rows hardly differ: whom a hand of one rank more beats are the hands in between, and
folds ask for the total only. So each row is kept as its difference from the row above where that has fewer entries, and
a product with :math:`W_k` is a running sum. The rows are found from the matrices; no rule of the game has to say so.

**Order.** Classes are renumbered so that public states are contiguous and their rows in that order. A *plan* is an
array for each round, float64 [C, S, H]: class, sequence of the stage (0: the empty one, which is the player's last one
before), history of the rounds before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tremble.game.arrays import FloatArray
from tremble.pairs import pair
from tremble.poker.deals import Deals
from tremble.poker.filter import NEVER
from tremble.poker.filtered import FilteredGame, FilteredRound
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy

__all__ = ["Plan", "PublicTree", "RoundSide", "SideClasses", "exact_strategy", "short_bits"]

IntArray = NDArray[np.int64]
Plan = list[FloatArray]

_BITS, _FEWEST_BITS = 44, 36  # of weights
_SHORT_BITS = 61  # up to which the checker's sums over hands stay in one integer of the machine


@dataclass(frozen=True, eq=False)
class SideClasses:
    """Of a player in a round: C classes, T public states; J sets and G ends of the stage, H histories before it."""

    order: IntArray  # [C] class of the filtered game at each position; those of a public state stand together
    state_start: IntArray  # [T + 1] positions of each public state
    earlier: IntArray  # [C] position of the class of the round before
    parent: IntArray  # [J] of the stage's information sets: the sequence that leads there
    start: IntArray  # [J + 1] their sequences
    leaving: IntArray  # [G] own last sequence where the stage goes on, by leaf
    num_histories: int

    @classmethod
    def of(cls, round_: FilteredRound, player: int, order: IntArray, before: SideClasses | None) -> SideClasses:
        """Those of a round in some order, given those of the round before."""
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
        """Of a plan's array: classes, sequences with the empty one, histories."""
        return len(self.order), int(self.start[-1]), self.num_histories


@dataclass(frozen=True, eq=False)
class RoundSide(SideClasses):
    """A player's part of a round, with what it is paid there: K vectors in the basis of the payoffs.

    Classes of a public state are in the order of what the first vector sums to in their row: neighbours are alike.
    """

    child_start: IntArray  # [C + 1] the positions of the next round that come from each
    child: IntArray
    weight: FloatArray  # [C] that rows are divided by
    fresh: NDArray[np.bool_]  # [K, C] whether a row stands by itself, or is added to the one above
    entry_start: NDArray[np.int32]  # [K, C + 1]
    column: NDArray[np.int32]  # of an entry: the position in the public state of the other player's class
    entry: FloatArray
    # Of each vector k of the basis, the other player's sequences that are asked for, and what ends with them:
    needed_start: IntArray  # [K + 1]
    needed: IntArray
    end_start: IntArray  # [K + 1]
    end_place: IntArray  # position of the other's sequence among those needed for k
    end_own: IntArray  # own sequence
    end_factor: FloatArray  # [ends, H] what the sum counts for

    @cached_property
    def each(self) -> IntArray:
        """The bounds of every position by itself."""
        return np.arange(len(self.order) + 1)

    @cached_property
    def stage(self) -> tuple[IntArray, IntArray]:
        """The stage's information sets, for kernels."""
        return self.parent, self.start

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What kernels take."""
        return (
            self.state_start, self.child_start, self.child, self.weight, self.fresh, self.entry_start, self.column,
            self.entry, self.needed_start, self.needed, self.end_start, self.end_place, self.end_own, self.end_factor,
            self.leaving,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A filtered game as both players' sides of its rounds.

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
    unit: float  # what 1 in the tables is, in units of payoff

    @classmethod
    def of(cls, filtered: FilteredGame) -> PublicTree:
        """The arrays of a game with a constant sum."""
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
        """Of both players, the empty one counted."""
        return self.filtered.sizes.sequences


def _order(round_: FilteredRound, player: int) -> IntArray:
    """The order of a player's classes: by public state, then by what the first vector of the basis sums to."""
    count, own = round_.num_classes[player], round_.pair[player]
    mass = np.bincount(own, round_.mass, count)
    keys = [np.bincount(own, weights, count) / mass for weights in round_.weight.T]
    return np.lexsort((*keys[::-1], round_.public_state[player]))


def _side(
    filtered: FilteredGame, number: int, player: int, classes: tuple[list[SideClasses], ...], scale: float
) -> RoundSide:
    own, opponent = classes[player][number], classes[1 - player][number]
    round_, count = filtered.rounds[number], len(own.order)
    below = classes[player][number + 1].earlier if number + 1 < len(filtered.rounds) else np.zeros(0, dtype=np.int64)
    child = np.argsort(below, kind="stable")
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
    """What a player's classes count for, all their hands together, [C]."""
    class_of = filtered.filter.class_of[player][number]
    dealt = class_of != NEVER
    own = Deals.of(filtered.game).rounds[number].own_weights(player)
    return np.bincount(class_of[dealt], own[dealt], filtered.rounds[number].num_classes[player]).astype(np.float64)


def _rows(matrix: csr_array, state_start: IntArray) -> tuple[NDArray[np.bool_], csr_array]:
    """Each row by itself, or as its difference from the one above in its public state, whichever has fewer entries."""
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
    """By vector of the basis: the other's sequences that are asked for; (place of the sequence, own one, factors)."""
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
    """Bits of weights with which the checker has short integers to add up, if that leaves weights fine enough.

    A sum is of the weights of all hands of the other, times a payoff. Long integers take it several times as long.
    """
    most = 1
    for deals in Deals.of(game).rounds:
        hands = deals.num_hands if deals.mass is None else int(deals.mass.sum(axis=2).max())
        if deals.payoffs.leaves:
            most = max(most, deals.unit * hands * int(np.abs(deals.payoffs.utility).max()))
    bits = _SHORT_BITS - most.bit_length()
    return min(bits, _BITS) if bits >= _FEWEST_BITS else _BITS


def exact_strategy(tree: PublicTree, player: int, plan: Plan, bits: int = _BITS) -> OrderedStrategy:
    """The exact strategy in proportion to a plan, every weight a multiple of 2^-bits.

    The rounded running sum of the shares at an information set is split: a share is off by less than 1, none is
    negative, and 0 stays 0. Where the plan never comes, choices are uniform.
    """
    denominator = 1 << bits
    rounds: list[IntArray] = []
    leaving = np.zeros(1, dtype=np.int64)
    come: IntArray = np.full((1, 1, 1), denominator)
    for side, floats in zip(tree.sides[player], plan, strict=True):
        whole = np.empty(side.shape, dtype=np.int64)
        whole[:, 0, :] = come[side.earlier][:, leaving, :].transpose(0, 2, 1).reshape(len(side.order), -1)
        for first, last, parent in zip(side.start[:-1], side.start[1:], side.parent, strict=True):
            running = np.cumsum(floats[:, first:last, :], axis=1)
            base = running[:, -1:, :]
            even = np.arange(1, last - first + 1)[None, :, None] / (last - first)
            share = np.where(base > 0, running / np.where(base > 0, base, 1.0), even)
            goal = np.rint(share * whole[:, parent, :][:, None, :]).astype(np.int64)
            whole[:, first:last, :] = np.diff(goal, axis=1, prepend=0)
        come, leaving = whole, side.leaving
        by_class = np.empty_like(whole[:, 1:, :])
        by_class[side.order] = whole[:, 1:, :]
        rounds.append(by_class)
    return OrderedStrategy(player, tree.filtered.filter.class_of[player], tuple(rounds), denominator)
