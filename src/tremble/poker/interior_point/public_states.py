"""Float arrays for each public state of a filtered game, for methods that never form the payoff matrix.

One vector contains the plans of both players: the weights of all sequences except the empty sequences. The vector is
sorted by player and round. The part for a round is an array [history of earlier rounds, class, sequence of the stage].
The classes of a public state are contiguous.

For one round and history, the payoff matrix of a public state is a sum of Kronecker products of matrices W_k and C_k.
The rows and columns of W_k are classes, and the rows and columns of C_k are sequences of the stage. Only C_k depends on
the history. Payoffs are the payoffs of player 1, in units of the largest absolute payoff.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tremble.poker.filtered import FilteredGame, FilteredRound
from tremble.poker.filtered_arrays import Plan, PublicTree, SideClasses
from tremble.run.compiling import compiled

__all__ = ["Gradient", "PublicGame", "PublicRound", "PublicState", "Vector", "payoffs_of"]

FloatArray = NDArray[np.float64]
Vector = FloatArray
"""A vector with a number for each sequence except the empty sequences. Player 1's sequences come first."""
Gradient = list[FloatArray]
"""An array [H, C, S] for each round, with a number for each sequence of a player, including the empty sequences."""


_compiled = partial(compiled, nogil=True)


@dataclass(frozen=True, eq=False)
class PublicState:
    """A public state, in which player 1 has n1 classes of hands and player 2 has n2 classes of hands."""

    own: tuple[slice, slice]  # player -> the positions of the player's classes
    weight: FloatArray  # [K, n1, n2] the matrices W_k
    beside: tuple[FloatArray, FloatArray]  # the matrices W_k side by side: [n1, K n2], and transposed [n2, K n1]
    above: int  # the position of the preceding public state in the previous round; -1 in the first round
    # player -> [n, n of `above`] 1 if the class of the row comes from the class of the column, otherwise 0
    into: tuple[FloatArray, FloatArray]

    @property
    def size(self) -> tuple[int, int]:
        """Each player's number of classes."""
        return len(self.beside[0]), len(self.beside[1])


@dataclass(frozen=True, eq=False)
class PublicRound:
    """A round. There are H histories of earlier rounds. Each player has C classes of hands and S sequences of moves."""

    sides: tuple[SideClasses, SideClasses]
    coefficient: tuple[FloatArray, FloatArray]  # the matrices C_k: [H, K, S1, S2], and transposed [H, K, S2, S1]
    states: tuple[PublicState, ...]

    @property
    def histories(self) -> int:
        """The number of histories of earlier rounds."""
        return self.sides[0].num_histories

    def shape(self, player: int) -> tuple[int, int, int]:
        """Return the numbers of histories, classes and sequences for ``player``, including the empty sequence."""
        classes, sequences, histories = self.sides[player].shape
        return histories, classes, sequences

    @cached_property
    def groups(self) -> list[list[int]]:
        """Indices of the public states, grouped by the public state of the previous round."""
        above = np.array([state.above for state in self.states])
        return [np.flatnonzero(above == a).tolist() for a in np.unique(above)]

    def directions(self, player: int) -> int:
        """Return the number of independent changes of a player's plan in one class after one history.

        Only changes that keep the weight of the empty sequence are counted.
        """
        side = self.sides[player]
        return int(side.start[-1]) - 1 - len(side.parent)

    def sets(self, player: int) -> list[tuple[int, slice]]:
        """Return a pair for each information set of the stage: the sequence that leads to it, and its own sequences."""
        side = self.sides[player]
        return [(p, slice(a, b)) for p, (a, b) in zip(side.parent.tolist(), pairwise(side.start.tolist()), strict=True)]


@dataclass(frozen=True, eq=False)
class PublicGame:
    """The arrays of all rounds of a filtered game."""

    rounds: tuple[PublicRound, ...]
    unit: float  # the largest absolute payoff

    @classmethod
    def of(cls, game: FilteredGame) -> PublicGame:
        """Compute the arrays of a filtered game."""
        unit = max(float(abs(r.payoffs.utility[0]).max(initial=0)) / r.payoffs.denominator for r in game.rounds)
        unit = unit or 1.0
        rounds: list[PublicRound] = []
        for round_ in game.rounds:
            rounds.append(_round(round_, game.total * unit, rounds[-1] if rounds else None))
        return cls(tuple(rounds), unit)

    def num_sequences(self, player: int) -> int:
        """Return how many sequences a player has in all rounds, without the empty sequences of the rounds."""
        return sum(histories * classes * (sequences - 1) for histories, classes, sequences in self._shapes(player))

    def _shapes(self, player: int) -> list[tuple[int, int, int]]:
        return [r.shape(player) for r in self.rounds]

    @cached_property
    def parts(self) -> tuple[slice, slice]:
        """Two slices of a vector: the entries for player 1's sequences, and the entries for player 2's sequences."""
        first = self.num_sequences(0)
        return slice(0, first), slice(first, first + self.num_sequences(1))

    def dot(self, one: Vector, two: Vector) -> float:
        """Return the scalar product of two vectors."""
        return sum(float(one[part] @ two[part]) for part in self.parts)

    def views(self, player: int, vector: Vector) -> list[FloatArray]:
        """Split the player's part of ``vector`` into one array for each round, a view of shape [H, C, S - 1]."""
        views, first = [], self.parts[player].start
        for histories, classes, sequences in self._shapes(player):
            size = histories * classes * (sequences - 1)
            views.append(vector[first : first + size].reshape(histories, classes, sequences - 1))
            first += size
        return views

    def empty(self, player: int, number: int, views: list[FloatArray], first: float) -> FloatArray:
        """Return the weights of the empty sequences of a round, as an array of shape [H, C].

        In the first round, all weights are ``first``. In a later round, the weight of an empty sequence is the weight
        of the player's last sequence in the previous round.
        """
        side = self.rounds[number].sides[player]
        if number == 0:
            return np.full((side.num_histories, len(side.order)), first)
        before = self.rounds[number - 1].sides[player]
        weight = np.empty((before.num_histories, len(before.leaving), len(side.order)))
        for index, sequence in enumerate(before.leaving.tolist()):
            if sequence:
                weight[:, index] = views[number - 1][:, :, sequence - 1][:, side.earlier]
            else:
                weight[:, index] = self.empty(player, number - 1, views, first)[:, side.earlier]
        return weight.reshape(side.num_histories, -1)

    def add_above(self, player: int, number: int, value: FloatArray, gradient: FloatArray) -> None:
        """Add ``value[h, c]`` of the empty sequences in round ``number`` to the ``gradient`` of the previous round."""
        before = self.rounds[number - 1]
        leaving = before.sides[player].leaving.tolist()
        value = value.reshape(before.histories, len(leaving), -1)
        for state in self.rounds[number].states:
            to = before.states[state.above].own[player]
            sums = value[:, :, state.own[player]] @ state.into[player]
            for index, sequence in enumerate(leaving):
                gradient[:, to, sequence] += sums[:, index]

    def gradient(self, player: int, plans: Vector, first: float) -> Gradient:
        """Return, for each sequence of ``player``, player 1's payoff at the leaves where this sequence is the last.

        The opponent plays ``plans``. The opponent's empty sequence has weight ``first``: 1 for a plan, 0 for a change.
        """
        views = self.views(1 - player, plans)
        gradient = []
        for number, r in enumerate(self.rounds):
            empty = self.empty(1 - player, number, views, first)
            out = np.zeros(r.shape(player))
            for state in r.states:
                first_opponent, first_own = state.own[1 - player].start, state.own[player].start
                _gradient(
                    state.beside[player],
                    r.coefficient[1 - player],
                    views[number],
                    empty,
                    first_opponent,
                    first_own,
                    out,
                )
            gradient.append(out)
        return gradient

    def best_value(self, player: int, gradient: Gradient) -> float:
        """Return player 1's payoff if ``player`` plays a best response. The computation overwrites ``gradient``."""
        for number in reversed(range(len(self.rounds))):
            r, value = self.rounds[number], gradient[number]
            for parent, own in reversed(r.sets(player)):
                value[:, :, parent] += value[:, :, own].max(axis=2) if player == 0 else value[:, :, own].min(axis=2)
            if number:
                self.add_above(player, number, value[:, :, 0], gradient[number - 1])
        return float(gradient[0][:, :, 0].sum())

    def centered(self) -> Vector:
        """Return the two players' plans that maximize the product of the weights of all sequences.

        At each information set, the probability of an action is proportional to the number of the player's sequences
        that contain the action.
        """
        counts = []
        for player in (0, 1):
            count = [np.ones(shape) for shape in self._shapes(player)]
            for number in reversed(range(len(self.rounds))):
                here = count[number]
                here[:, :, 0] -= 1
                for parent, own in reversed(self.rounds[number].sets(player)):
                    here[:, :, parent] += here[:, :, own].sum(axis=2)
                if number:
                    self.add_above(player, number, here[:, :, 0], count[number - 1])
            counts += [c[:, :, 1:].ravel() for c in count]
        return self.normalized(np.concatenate(counts))

    def normalized(self, vector: Vector) -> Vector:
        """Return plans that choose the actions of each set in proportion to the positive numbers in ``vector``."""
        plans = np.empty_like(vector)
        for player in (0, 1):
            given, views = self.views(player, vector), self.views(player, plans)
            for number, r in enumerate(self.rounds):
                empty = self.empty(player, number, views, 1.0)
                for parent, own in r.sets(player):
                    own = slice(own.start - 1, own.stop - 1)
                    part = given[number][:, :, own]
                    reach = views[number][:, :, parent - 1] if parent else empty
                    views[number][:, :, own] = part * (reach / part.sum(axis=2))[:, :, None]
        return plans

    def plan(self, tree: PublicTree, player: int, vector: Vector) -> Plan:
        """Convert a player's entries of ``vector`` to a plan, with the plan's classes in the order of ``tree``."""
        views = self.views(player, vector)
        rounds = []
        for number, (r, view, side) in enumerate(zip(self.rounds, views, tree.sides[player], strict=True)):
            plan = np.empty(side.shape)
            place = np.argsort(side.order)[r.sides[player].order]
            plan[place, 0] = self.empty(player, number, views, 1.0).T
            plan[place, 1:] = view.transpose(1, 2, 0)
            rounds.append(plan)
        return rounds


def _round(filtered: FilteredRound, total: float, above: PublicRound | None) -> PublicRound:
    stage = filtered.stage.side(0), filtered.stage.side(1)
    sides = [
        SideClasses.of(
            filtered, p, np.argsort(filtered.public_state[p], kind="stable"), None if above is None else above.sides[p]
        )
        for p in (0, 1)
    ]
    position = [np.argsort(side.order)[filtered.pair[p]] for p, side in enumerate(sides)]
    coefficient = np.zeros((filtered.num_histories, filtered.weight.shape[1], *(side.num_sequences for side in stage)))
    for e, leaf in enumerate(filtered.payoffs.leaves):
        coefficient[:, :, stage[0].last[leaf], stage[1].last[leaf]] = filtered.payoffs.coefficient[0][:, e]
    state_of = filtered.public_state[0][filtered.pair[0]]
    weight = filtered.weight / (total * filtered.payoffs.denominator)
    by_state = np.split(np.argsort(state_of, kind="stable"), np.cumsum(np.bincount(state_of))[:-1])
    owns = zip(*(pairwise(side.state_start.tolist()) for side in sides), strict=True)
    states = []
    for pairs, ((first1, end1), (first2, end2)) in zip(by_state, owns, strict=True):
        own = slice(first1, end1), slice(first2, end2)
        size = end1 - first1, end2 - first2
        w = np.zeros((weight.shape[1], *size))
        w[:, position[0][pairs] - first1, position[1][pairs] - first2] = weight[pairs].T
        state_above, into = -1, [np.zeros((n, 0)) for n in size]
        if above is not None:
            came = [side.earlier[classes] for side, classes in zip(sides, own, strict=True)]
            state_above = int(np.searchsorted(above.sides[0].state_start, came[0][0], side="right")) - 1
            columns = [np.arange(classes.start, classes.stop) for classes in above.states[state_above].own]
            into = [(here[:, None] == there).astype(np.float64) for here, there in zip(came, columns, strict=True)]
        beside1 = np.ascontiguousarray(w.transpose(1, 0, 2)).reshape(size[0], -1)
        beside2 = np.ascontiguousarray(w.transpose(2, 0, 1)).reshape(size[1], -1)
        states.append(PublicState(own, w, (beside1, beside2), state_above, (into[0], into[1])))
    opposite = np.ascontiguousarray(coefficient.transpose(0, 1, 3, 2))
    return PublicRound((sides[0], sides[1]), (coefficient, opposite), tuple(states))


@_compiled
def payoffs_of(
    weight: FloatArray, coefficient: FloatArray, plan: FloatArray, work: FloatArray, out: FloatArray
) -> None:
    """Compute the payoffs of a player's sequences in a public state after one history, and write them to ``out``.

    The payoffs are sum_k W_k plan C_k (W: ``weight``, C: ``coefficient``). ``work``, of shape [K n, S], is overwritten.
    """
    n = len(plan)
    for k in range(len(coefficient)):
        np.dot(plan, coefficient[k], work[k * n : (k + 1) * n])
    np.dot(weight, work, out)


@_compiled
def _gradient(
    weight: FloatArray,
    coefficient: FloatArray,
    other: FloatArray,
    empty: FloatArray,
    first_other: int,
    first: int,
    out: FloatArray,
) -> None:
    kinds, sequences = coefficient.shape[1], coefficient.shape[3]
    n, m = len(weight), weight.shape[1] // max(1, kinds)
    plan = np.empty((m, coefficient.shape[2]))
    work = np.empty((m * kinds, sequences))
    for h in range(other.shape[0]):
        for c in range(m):
            plan[c, 0] = empty[h, first_other + c]
            plan[c, 1:] = other[h, first_other + c]
        payoffs_of(weight, coefficient[h], plan, work, out[h, first : first + n])
