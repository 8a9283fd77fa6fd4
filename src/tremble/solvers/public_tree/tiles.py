"""A filtered game as arrays of floats, tile by tile, for methods that never form the payoff matrix.

A plan is a vector of the weights of all sequences but the empty ones, round by round [line of the rounds before, class,
sequence of the stage]. Classes are numbered so that those of a tile stand together. The payoffs of a tile in a round
are sums of Kronecker products of a matrix W_k of pairs of classes and a matrix C_k of pairs of sequences of the stage,
of which only the latter depends on the line. Payoffs are player 1's, in units of the largest there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from tremble.clock import compiled
from tremble.model.ordered.filtered import FilteredGame, FilteredRound
from tremble.solvers.public_tree.layout import Plan, PublicTree

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

    first: tuple[int, int]  # their first classes
    size: tuple[int, int]
    weight: FloatArray  # [K, n1, n2]
    beside: tuple[FloatArray, FloatArray]  # the same, [n1, K n2] as player 1 and [n2, K n1] as player 2 sees it
    above: int  # tile of the round before; -1 in the first
    into: tuple[FloatArray, FloatArray]  # player -> [n, n above] 1 where a class came from


@dataclass(frozen=True, eq=False)
class TiledRound:
    """A round: H lines of the rounds before, C classes, S sequences of the stage."""

    lines: int
    classes: tuple[int, int]
    sequences: tuple[int, int]  # the empty one counted
    parent: tuple[IntArray, IntArray]  # player -> information set of the stage -> the sequence that leads there
    start: tuple[IntArray, IntArray]  # player -> information set -> its first sequence; and the end
    going_on: tuple[IntArray, IntArray]  # player -> its last sequence at each leaf where the next round begins
    earlier: tuple[IntArray, IntArray]  # player -> [C] class of the round before
    order: tuple[IntArray, IntArray]  # player -> [C] number that the class has in the filtered game
    coefficient: tuple[FloatArray, FloatArray]  # [H, K, S1, S2] and [H, K, S2, S1]
    tiles: tuple[Tile, ...]

    @cached_property
    def groups(self) -> list[list[int]]:
        """Tiles by the tile of the round before that they are below."""
        above = np.array([t.above for t in self.tiles])
        return [np.flatnonzero(above == a).tolist() for a in np.unique(above)]

    @property
    def directions(self) -> tuple[int, int]:
        """In how many ways a player's plan for one class and line can change."""
        return tuple(s - 1 - len(p) for s, p in zip(self.sequences, self.parent, strict=True))  # type: ignore[return-value]

    def sets(self, player: int) -> list[tuple[int, slice]]:
        """Information sets of the stage: sequence that leads there, own sequences."""
        start = self.start[player].tolist()
        return [(p, slice(a, b)) for p, a, b in zip(self.parent[player].tolist(), start, start[1:], strict=False)]


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
        for number, round_ in enumerate(game.rounds):
            last = number + 1 == len(game.rounds)
            rounds.append(_round(round_, game.total * unit, rounds[-1] if rounds else None, last))
        return cls(tuple(rounds), unit)

    def num_sequences(self, player: int) -> int:
        """The empty ones not counted."""
        return sum(r.lines * r.classes[player] * (r.sequences[player] - 1) for r in self.rounds)

    def views(self, player: int, vector: Vector) -> list[FloatArray]:
        """Round -> [H, C, S - 1], without copying."""
        found, first = [], 0
        for r in self.rounds:
            shape = r.lines, r.classes[player], r.sequences[player] - 1
            found.append(vector[first : first + shape[0] * shape[1] * shape[2]].reshape(shape))
            first += found[-1].size
        return found

    def empty(self, player: int, number: int, views: list[FloatArray], first: float) -> FloatArray:
        """Weights [H, C] of the empty sequences of a round: of the last sequences before, ``first`` in the first."""
        r = self.rounds[number]
        if number == 0:
            return np.full((r.lines, r.classes[player]), first)
        before = self.rounds[number - 1]
        leaf = before.going_on[player]
        found = np.empty((before.lines, len(leaf), r.classes[player]))
        for index, sequence in enumerate(leaf.tolist()):
            if sequence:
                found[:, index] = views[number - 1][:, :, sequence - 1][:, r.earlier[player]]
            else:
                found[:, index] = self.empty(player, number - 1, views, first)[:, r.earlier[player]]
        return found.reshape(r.lines, -1)

    def hand_up(self, player: int, number: int, value: FloatArray, gradient: FloatArray) -> None:
        """Add values [H, C] of the empty sequences of a round to those of the sequences of the round before."""
        r, before = self.rounds[number], self.rounds[number - 1]
        leaf = before.going_on[player].tolist()
        value = value.reshape(before.lines, len(leaf), -1)
        for t in r.tiles:
            into = t.into[player]
            own = slice(t.first[player], t.first[player] + t.size[player])
            above = before.tiles[t.above]
            to = slice(above.first[player], above.first[player] + above.size[player])
            sums = value[:, :, own] @ into
            for index, sequence in enumerate(leaf):
                gradient[:, to, sequence] += sums[:, index]

    def gradient(self, player: int, other: Vector, first: float) -> Gradient:
        """What each of the player's sequences earns player 1 directly against the other's plan (or change of plan)."""
        views = self.views(1 - player, other)
        found = []
        for number, r in enumerate(self.rounds):
            empty = self.empty(1 - player, number, views, first)
            out = np.zeros((r.lines, r.classes[player], r.sequences[player]))
            for t in r.tiles:
                _gradient(
                    t.beside[player],
                    r.coefficient[1 - player],
                    views[number],
                    empty,
                    t.first[1 - player],
                    t.first[player],
                    out,
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
        count = [np.ones((r.lines, r.classes[player], r.sequences[player])) for r in self.rounds]
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
            place = np.argsort(side.order)[r.order[player]]
            plan[place, 0] = self.empty(player, number, views, 1.0).T
            plan[place, 1:] = view.transpose(1, 2, 0)
            found.append(plan)
        return found


def _round(found: FilteredRound, total: float, above: TiledRound | None, last: bool) -> TiledRound:
    stage = found.stage
    sides = stage.side(0), stage.side(1)
    order = tuple(np.argsort(tile, kind="stable") for tile in found.tile)
    number_of = tuple(np.argsort(o) for o in order)
    counts = [np.bincount(tile) for tile in found.tile]
    firsts = [np.concatenate([[0], np.cumsum(c)]) for c in counts]
    earlier = []
    for player in (0, 1):
        before = found.earlier[player][order[player]]
        earlier.append(before if above is None else np.argsort(above.order[player])[before])
    sequences = sides[0].num_sequences, sides[1].num_sequences
    coefficient = np.zeros((found.num_histories, found.weight.shape[1], *sequences))
    for e, leaf in enumerate(found.payoffs.leaves):
        coefficient[:, :, sides[0].last[leaf], sides[1].last[leaf]] = found.payoffs.coefficient[0][:, e]
    pair = number_of[0][found.pair[0]], number_of[1][found.pair[1]]
    tile_of = found.tile[0][found.pair[0]]
    weight = found.weight / (total * found.payoffs.denominator)
    by_tile = np.split(np.argsort(tile_of, kind="stable"), np.cumsum(np.bincount(tile_of))[:-1])
    tiles = []
    for number, pairs in enumerate(by_tile):
        first = int(firsts[0][number]), int(firsts[1][number])
        size = int(counts[0][number]), int(counts[1][number])
        w = np.zeros((weight.shape[1], *size))
        w[:, pair[0][pairs] - first[0], pair[1][pairs] - first[1]] = weight[pairs].T
        tile_above, into = -1, [np.zeros((n, 0)) for n in size]
        if above is not None:
            came = [earlier[p][first[p] : first[p] + size[p]] for p in (0, 1)]
            tile_above = next(i for i, t in enumerate(above.tiles) if t.first[0] <= came[0][0] < t.first[0] + t.size[0])
            t = above.tiles[tile_above]
            into = [(came[p][:, None] == t.first[p] + np.arange(t.size[p])).astype(np.float64) for p in (0, 1)]
        one = np.ascontiguousarray(w.transpose(1, 0, 2)).reshape(size[0], -1)
        two = np.ascontiguousarray(w.transpose(2, 0, 1)).reshape(size[1], -1)
        tiles.append(Tile(first, size, w, (one, two), tile_above, (into[0], into[1])))
    leaves = () if last else stage.going_on
    return TiledRound(
        found.num_histories,
        found.num_classes,
        sequences,
        (np.array(sides[0].parent, dtype=np.int64), np.array(sides[1].parent, dtype=np.int64)),
        (np.array(sides[0].start, dtype=np.int64), np.array(sides[1].start, dtype=np.int64)),
        tuple(np.array([side.last[leaf] for leaf in leaves], dtype=np.int64) for side in sides),  # type: ignore[arg-type]
        (earlier[0], earlier[1]),
        (order[0], order[1]),
        (coefficient, np.ascontiguousarray(coefficient.transpose(0, 1, 3, 2))),
        tuple(tiles),
    )


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
