"""A filtered game as arrays of floats, tile by tile, for methods that never form the payoff matrix.

A plan is a vector of the weights of all sequences but the empty ones, round by round [line of the rounds before, class,
sequence of the stage]. Classes are numbered so that those of a tile stand together. The payoffs of a tile in a round
are sums of Kronecker products of a matrix W_k of pairs of classes and a matrix C_k of pairs of sequences of the stage,
of which only the latter depends on the line. Payoffs are player 1's, in units of the largest there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tremble.clock import compiled
from tremble.model.ordered.filtered import FilteredGame, FilteredRound
from tremble.solvers.shared.public_tree import Plan, PublicTree, SideClasses

__all__ = ["Gradient", "Tile", "TiledGame", "TiledRound", "Vector", "payoffs_of"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Vector = FloatArray
"""One number for each sequence of a player but the empty ones."""
Gradient = list[FloatArray]
"""Round -> one number for each sequence [H, C, S], the empty one of each stage first."""


_compiled = partial(compiled, nogil=True)


@dataclass(frozen=True, eq=False)
class Tile:
    """Classes that can meet: n1 and n2 of them."""

    own: tuple[slice, slice]  # player -> its classes
    weight: FloatArray  # [K, n1, n2]
    beside: tuple[FloatArray, FloatArray]  # the same, [n1, K n2] as player 1 and [n2, K n1] as player 2 sees it
    above: int  # tile of the round before; -1 in the first
    into: tuple[FloatArray, FloatArray]  # player -> [n, n above] 1 where a class came from

    @property
    def size(self) -> tuple[int, int]:
        """How many classes of both players."""
        return len(self.beside[0]), len(self.beside[1])


@dataclass(frozen=True, eq=False)
class TiledRound:
    """A round: H lines of the rounds before, C classes, S sequences of the stage."""

    sides: tuple[SideClasses, SideClasses]
    coefficient: tuple[FloatArray, FloatArray]  # [H, K, S1, S2] and [H, K, S2, S1]
    tiles: tuple[Tile, ...]

    @property
    def lines(self) -> int:
        """Of the rounds before."""
        return self.sides[0].num_lines

    def shape(self, player: int) -> tuple[int, int, int]:
        """Lines, classes, sequences with the empty one."""
        classes, sequences, lines = self.sides[player].shape
        return lines, classes, sequences

    @cached_property
    def groups(self) -> list[list[int]]:
        """Tiles by the tile of the round before that they are below."""
        above = np.array([t.above for t in self.tiles])
        return [np.flatnonzero(above == a).tolist() for a in np.unique(above)]

    def directions(self, player: int) -> int:
        """In how many ways the player's plan for one class and line can change."""
        side = self.sides[player]
        return int(side.start[-1]) - 1 - len(side.parent)

    def sets(self, player: int) -> list[tuple[int, slice]]:
        """Information sets of the stage: sequence that leads there, own sequences."""
        side = self.sides[player]
        return [(p, slice(a, b)) for p, (a, b) in zip(side.parent.tolist(), pairwise(side.start.tolist()), strict=True)]


@dataclass(frozen=True, eq=False)
class TiledGame:
    """All rounds of a filtered game."""

    rounds: tuple[TiledRound, ...]
    unit: float  # of the payoffs

    @classmethod
    def of(cls, game: FilteredGame) -> TiledGame:
        """The arrays of a filtered game."""
        unit = max(float(abs(r.payoffs.utility[0]).max(initial=0)) / r.payoffs.denominator for r in game.rounds)
        unit = unit or 1.0
        rounds: list[TiledRound] = []
        for round_ in game.rounds:
            rounds.append(_round(round_, game.total * unit, rounds[-1] if rounds else None))
        return cls(tuple(rounds), unit)

    def num_sequences(self, player: int) -> int:
        """The empty ones not counted."""
        return sum(lines * classes * (sequences - 1) for lines, classes, sequences in self._shapes(player))

    def _shapes(self, player: int) -> list[tuple[int, int, int]]:
        return [r.shape(player) for r in self.rounds]

    def views(self, player: int, vector: Vector) -> list[FloatArray]:
        """Round -> [H, C, S - 1], without copying."""
        found, first = [], 0
        for lines, classes, sequences in self._shapes(player):
            size = lines * classes * (sequences - 1)
            found.append(vector[first : first + size].reshape(lines, classes, sequences - 1))
            first += size
        return found

    def empty(self, player: int, number: int, views: list[FloatArray], first: float) -> FloatArray:
        """Weights [H, C] of the empty sequences of a round: of the last sequences before, ``first`` in the first."""
        side = self.rounds[number].sides[player]
        if number == 0:
            return np.full((side.num_lines, len(side.order)), first)
        before = self.rounds[number - 1].sides[player]
        found = np.empty((before.num_lines, len(before.leaving), len(side.order)))
        for index, sequence in enumerate(before.leaving.tolist()):
            if sequence:
                found[:, index] = views[number - 1][:, :, sequence - 1][:, side.earlier]
            else:
                found[:, index] = self.empty(player, number - 1, views, first)[:, side.earlier]
        return found.reshape(side.num_lines, -1)

    def hand_up(self, player: int, number: int, value: FloatArray, gradient: FloatArray) -> None:
        """Add values [H, C] of the empty sequences of a round to those of the sequences of the round before."""
        before = self.rounds[number - 1]
        leaving = before.sides[player].leaving.tolist()
        value = value.reshape(before.lines, len(leaving), -1)
        for t in self.rounds[number].tiles:
            to = before.tiles[t.above].own[player]
            sums = value[:, :, t.own[player]] @ t.into[player]
            for index, sequence in enumerate(leaving):
                gradient[:, to, sequence] += sums[:, index]

    def gradient(self, player: int, other: Vector, first: float) -> Gradient:
        """What each of the player's sequences earns player 1 directly against the other's plan (or change of plan)."""
        views = self.views(1 - player, other)
        found = []
        for number, r in enumerate(self.rounds):
            empty = self.empty(1 - player, number, views, first)
            out = np.zeros(r.shape(player))
            for t in r.tiles:
                first_opponent, first_own = t.own[1 - player].start, t.own[player].start
                _gradient(
                    t.beside[player], r.coefficient[1 - player], views[number], empty, first_opponent, first_own, out
                )
            found.append(out)
        return found

    def best_value(self, player: int, gradient: Gradient) -> float:
        """What player 1 earns if the player answers best; the gradient is used up."""
        for number in reversed(range(len(self.rounds))):
            r, value = self.rounds[number], gradient[number]
            for parent, own in reversed(r.sets(player)):
                value[:, :, parent] += value[:, :, own].max(axis=2) if player == 0 else value[:, :, own].min(axis=2)
            if number:
                self.hand_up(player, number, value[:, :, 0], gradient[number - 1])
        return float(gradient[0][:, :, 0].sum())

    def centered(self, player: int) -> Vector:
        """The plan with the largest product of weights: at each set in proportion to the sequences that follow."""
        count = [np.ones(shape) for shape in self._shapes(player)]
        for number in reversed(range(len(self.rounds))):
            here = count[number]
            here[:, :, 0] -= 1
            for parent, own in reversed(self.rounds[number].sets(player)):
                here[:, :, parent] += here[:, :, own].sum(axis=2)
            if number:
                self.hand_up(player, number, here[:, :, 0], count[number - 1])
        return self.normalized(player, np.concatenate([c[:, :, 1:].ravel() for c in count]))

    def normalized(self, player: int, vector: Vector) -> Vector:
        """The plan that chooses in proportion to positive weights."""
        found = np.empty_like(vector)
        given, views = self.views(player, vector), self.views(player, found)
        for number, r in enumerate(self.rounds):
            empty = self.empty(player, number, views, 1.0)
            for parent, own in r.sets(player):
                own = slice(own.start - 1, own.stop - 1)
                part = given[number][:, :, own]
                reach = views[number][:, :, parent - 1] if parent else empty
                views[number][:, :, own] = part * (reach / part.sum(axis=2))[:, :, None]
        return found

    def plan(self, tree: PublicTree, player: int, vector: Vector) -> Plan:
        """The same in the order of a public tree's plans."""
        views = self.views(player, vector)
        found = []
        for number, (r, view, side) in enumerate(zip(self.rounds, views, tree.sides[player], strict=True)):
            plan = np.empty(side.shape)
            place = np.argsort(side.order)[r.sides[player].order]
            plan[place, 0] = self.empty(player, number, views, 1.0).T
            plan[place, 1:] = view.transpose(1, 2, 0)
            found.append(plan)
        return found


def _round(found: FilteredRound, total: float, above: TiledRound | None) -> TiledRound:
    stage = found.stage.side(0), found.stage.side(1)
    sides = [
        SideClasses.of(found, p, np.argsort(found.tile[p], kind="stable"), None if above is None else above.sides[p])
        for p in (0, 1)
    ]
    position = [np.argsort(side.order)[found.pair[p]] for p, side in enumerate(sides)]
    coefficient = np.zeros((found.num_histories, found.weight.shape[1], *(side.num_sequences for side in stage)))
    for e, leaf in enumerate(found.payoffs.leaves):
        coefficient[:, :, stage[0].last[leaf], stage[1].last[leaf]] = found.payoffs.coefficient[0][:, e]
    tile_of = found.tile[0][found.pair[0]]
    weight = found.weight / (total * found.payoffs.denominator)
    by_tile = np.split(np.argsort(tile_of, kind="stable"), np.cumsum(np.bincount(tile_of))[:-1])
    owns = zip(*(pairwise(side.tile_start.tolist()) for side in sides), strict=True)
    tiles = []
    for pairs, ((first1, end1), (first2, end2)) in zip(by_tile, owns, strict=True):
        own = slice(first1, end1), slice(first2, end2)
        size = end1 - first1, end2 - first2
        w = np.zeros((weight.shape[1], *size))
        w[:, position[0][pairs] - first1, position[1][pairs] - first2] = weight[pairs].T
        tile_above, into = -1, [np.zeros((n, 0)) for n in size]
        if above is not None:
            came = [side.earlier[classes] for side, classes in zip(sides, own, strict=True)]
            tile_above = int(np.searchsorted(above.sides[0].tile_start, came[0][0], side="right")) - 1
            columns = [np.arange(classes.start, classes.stop) for classes in above.tiles[tile_above].own]
            into = [(here[:, None] == there).astype(np.float64) for here, there in zip(came, columns, strict=True)]
        beside1 = np.ascontiguousarray(w.transpose(1, 0, 2)).reshape(size[0], -1)
        beside2 = np.ascontiguousarray(w.transpose(2, 0, 1)).reshape(size[1], -1)
        tiles.append(Tile(own, w, (beside1, beside2), tile_above, (into[0], into[1])))
    opposite = np.ascontiguousarray(coefficient.transpose(0, 1, 3, 2))
    return TiledRound((sides[0], sides[1]), (coefficient, opposite), tuple(tiles))


@_compiled
def payoffs_of(
    weight: FloatArray, coefficient: FloatArray, plan: FloatArray, work: FloatArray, out: FloatArray
) -> None:
    """What each sequence earns player 1 in one tile and line: sum_k W_k plan C_k, with work [K n, S] to be used up."""
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
