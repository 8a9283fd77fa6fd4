"""Regret minimization for rivers and turns, with one vector of hands for each line of moves.

The module prepares the arrays of `kernels`, and calls the kernels. The class :class:`Engine` adds the streets and cards
of Hold'em to the tables and the iterations of :class:`~tremble.poker.holdem.vectors.VectorEngine`. The boards that
threads divide are the river cards.

A locked hand has its frequencies as regrets, so regret matching plays them.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.poker.holdem import kernels
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.deal import RUN_OUTS, Deal
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.kernels import LANES, STRIDE, Board, Cards, Leaves, Room, Street
from tremble.poker.holdem.vectors import Floats, Settings, VectorEngine
from tremble.solvers.regret import Variant

__all__ = ["Engine"]

IntArray = NDArray[np.int64]


class Engine(VectorEngine):
    """The tables of both players: [rows, classes of hands], or [river cards, rows, hands].

    Examples
    --------
    >>> from tremble.poker.holdem.river import HoldemRiver
    >>> from tremble.solvers.regret import VARIANTS
    >>> engine = Engine(HoldemRiver(range1="AA,QQ", range2="KK"), VARIANTS["dcfr"])
    >>> engine.run(100)
    >>> lower, upper = engine.bounds()
    >>> upper - lower < 1
    True
    """

    def __init__(
        self, rules: HoldemGame, variant: Variant, dtype: Any = np.float32, executor: Executor | None = None,
        threads: int = 1,
    ) -> None:  # fmt: skip
        self.rules, deal = rules, rules.deal
        self.classes = [_Classes.of(deal, player) for player in (0, 1)]
        shapes: list[list[tuple[int, ...]]] = []
        for player in (0, 1):
            rows, columns = rules.tree.rows[player].by_street, len(self.classes[player].first)
            shapes.append([(count, columns) for count in rows])
            if rules.streets == 2:
                shapes[player][1] = (len(deal.leading), *shapes[player][1])
        super().__init__(variant, dtype, shapes, len(deal.leading), executor, threads)
        self._sides = [_Side(rules, self.classes, player, dtype, len(self._cuts) - 1) for player in (0, 1)]
        for side, regret, guess in zip(self._sides, self.regret, self.guess, strict=True):
            side.lock(regret)
            side.lock(guess)
        self._ranges = [
            (deal.weights[player] / deal.unit[player])[self.classes[player].first].astype(dtype) for player in (0, 1)
        ]
        if rules.streets == 2:
            self._runs = _run_outs(rules, dtype)
            deals, boards = len(self._sides[0].streets[0].deals), len(deal.leading)
            self._found = [np.zeros((boards, deals, len(each.first)), dtype) for each in self.classes]
            self._source = [
                np.stack([np.where(deal.free(player, c), deal.source(player, c), -1) for c in range(len(deal.rivers))])
                for player in (0, 1)
            ]

    def _learn(self, schedule: Floats) -> None:
        if self.rules.streets == 2:
            super()._learn(schedule)
            return
        kernels.learn(
            tuple(side.river for side in self._sides), (self.regret[0][0], self.regret[1][0]),
            (self.guess[0][0], self.guess[1][0]), self._before[0], (self.sums[0][0], self.sums[1][0]),
            tuple(self._ranges), schedule, self._tiny, self.variant.predictive,
        )  # fmt: skip

    def _update(self, me: int, table: list[Floats], settings: Settings, *, learning: bool) -> Floats:
        side, other, predictive = self._sides[me], 1 - me, self.variant.predictive
        values: Floats
        if self.rules.streets == 1:  # `_learn` updates players
            assert not learning
            values = kernels.answer(me, side.river, table[0], self._ranges[other], settings[0])
            return values
        turn, river = side.streets
        regret, guess, sums, room = self.regret[me], self.guess[me], self.sums[other], side.rooms[0][0]
        room.reach[turn.slot[0]] = self._ranges[other]
        kernels.turn_starts(
            me, turn, side.leaves[0], side.cards, side.board, table[0], sums[0] if learning else sums[0][:0], room,
            self._runs[me], settings[0], settings[3],
        )  # fmt: skip

        def part(k: int) -> None:
            kernels.rivers(
                me, turn, river, side.leaves[1], side.cards, side.board, self._cuts[k], self._cuts[k + 1], regret[1],
                guess[1], table[1], sums[1], room.reach, side.rooms[1][k], self._found[me], self.dtype(1 / RUN_OUTS),
                settings, learning, predictive,
            )  # fmt: skip

        self._in_parts(part)
        values = kernels.turn_ends(
            me, turn, regret[0], guess[0], room, self._found[me], self.rules.deal.leader, self._source[me], settings,
            learning, predictive,
        )  # fmt: skip
        return values

    def best_values(self) -> tuple[float, float]:
        """Return the value of each player's best response to the other player's average plan, in chips."""
        found, deal = [], self.rules.deal
        for me in (0, 1):
            own = self._ranges[me].astype(np.float64) * self.classes[me].size
            values = self._best_values(me).astype(np.float64)
            found.append(float(values @ own) * deal.unit[0] * deal.unit[1] / deal.mass)
        return found[0], found[1]

    def sums_of_hands(self, player: int) -> list[Floats]:
        """Return the sums of a player's plans with a column for each hand of the deal, for `rounded_strategy`."""
        alike = self.rules.deal.alike[player]
        return [table[..., alike] for table in self.sums[player]]


class _Classes(NamedTuple):
    """The classes of a player's hands: one hand of each class, its classes of cards, and the number of hands."""

    first: IntArray  # the number of the first hand
    cards: IntArray  # [classes, 2]
    size: IntArray
    times: IntArray  # [classes, 3]: the hands of the class; of these, those with one given card of each class of cards

    @classmethod
    def of(cls, deal: Deal, player: int) -> _Classes:
        held, class_of = deal.cards[player], deal.alike[player]
        _, first, size = np.unique(class_of, return_index=True, return_counts=True)
        cards = np.sort(deal.like[held[first]], axis=1)
        times = [size]
        for k in (0, 1):
            given = cards[:, k][class_of]  # the lowest card of the class stands for each of its cards
            times.append(np.bincount(class_of, (held == given[:, None]).any(axis=1), len(first)).astype(np.int64))
        times[2][cards[:, 0] == cards[:, 1]] = 0
        return cls(first, cards, size, np.stack(times, axis=1))


class _Side:
    """The arrays of the kernels for the player who learns: streets, leaves, cards, boards and working memory."""

    def __init__(self, rules: HoldemGame, classes: list[_Classes], me: int, dtype: Any, threads: int) -> None:
        self.me, self.dtype = me, dtype
        self.streets: list[Street] = []
        self.leaves: list[Leaves] = []
        self.rooms: list[list[Room]] = []
        own, other = classes[me], classes[1 - me]
        same = {pair: k for k, pair in enumerate(map(tuple, other.cards.tolist()))}
        self.cards = Cards(
            own.cards.astype(np.uint64), other.cards.astype(np.uint64),
            np.array([same.get(tuple(pair), len(same)) for pair in own.cards.tolist()], dtype=np.uint64),
            other.times.astype(dtype),
        )  # fmt: skip
        self._boards(rules.deal, classes)
        for street in range(rules.streets):
            slots = self._street(rules, street, classes)
            hands, others = len(own.first), len(other.first)
            nodes = len(self.streets[-1].kind)
            shapes = (slots, others), (nodes, hands), (others + 1, STRIDE), (hands, STRIDE), (53, STRIDE)
            self.rooms.append([Room(*(np.zeros(shape, dtype) for shape in shapes)) for _ in range(threads)])

    @property
    def river(self) -> tuple[Any, ...]:
        """The arrays of a known river."""
        return self.streets[0], self.leaves[0], self.cards, self.board, self.rooms[0][0]

    def _street(self, rules: HoldemGame, number: int, classes: list[_Classes]) -> int:
        """Append the arrays of a street; return the number of rows that its reaches need."""
        tree, me = rules.tree, self.me
        first, last = tree.span(number)
        nodes = tree.nodes[first:last]
        kind = np.array([node.kind for node in nodes])
        child = np.zeros((len(nodes), max(len(node.child) for node in nodes)), dtype=np.int64)
        row = tree.rows[0].first[first:last] + tree.rows[1].first[first:last]  # one of the two is 0
        fresh, reach = 0, np.zeros(len(nodes), dtype=np.int64)
        for n, node in enumerate(nodes):
            above = node.parent - first
            if above < 0 or nodes[above].kind == 1 - me:
                reach[n], fresh = fresh, fresh + 1
            else:
                reach[n] = reach[above]
            start = last if node.kind == End.DEAL else first  # the nodes of the next street follow
            child[n, : len(node.child)] = np.array(node.child, dtype=np.int64) - start
        folds, shows = np.flatnonzero(kind == End.FOLD), np.flatnonzero(kind == End.SHOWDOWN)
        deals, runs = np.flatnonzero(kind == End.DEAL), np.flatnonzero(kind == End.RUN_OUT)
        # Number the reaches so that leaves with showdowns come first, then those with both, then those with folds.
        order = np.full(fresh, 3)
        order[reach[folds]] = 2
        order[reach[shows]] = np.where(np.isin(reach[shows], reach[folds]), 1, 0)
        slot = np.empty(fresh, dtype=np.int64)
        slot[np.argsort(order, kind="stable")] = np.arange(fresh)
        reach = slot[reach]
        blocks = -(-fresh // LANES)
        # A winner earns the stake minus the rake. In other words, each player pays half of the rake, and the winner
        # earns the stake minus half of the rake from the loser.
        stake = np.array([float(tree.betting.pot / 2 + min(node.paid)) for node in nodes])
        rake = np.array([float(rules.raked(min(node.paid))) for node in nodes])
        folded = np.array([node.kind == End.FOLD and nodes[node.parent - first].kind == me for node in nodes])
        earned = np.where(kind == End.FOLD, np.where(folded, -stake, stake - rake), -rake / 2)
        raked = bool(rake.any())

        def lanes(which: IntArray, factor: Floats) -> tuple[IntArray, IntArray, IntArray, Floats]:
            which = which[np.argsort(reach[which], kind="stable")]
            start = np.searchsorted(reach[which], np.arange(blocks + 1) * LANES)
            return start, reach[which] % LANES, which, factor[which].astype(self.dtype)

        sure = np.concatenate([folds, shows, runs]) if raked else folds
        won = stake - rake / 2
        count = np.array([len(node.actions) for node in nodes])
        lock, share = self._locked(rules, number, classes[me].first)
        factor = won[runs].astype(self.dtype)
        self.streets.append(Street(kind, count, child, row, reach, deals, runs, factor, lock, share))
        self.leaves.append(Leaves(*lanes(sure, earned), *lanes(shows, won / 2), raked))
        return blocks * LANES

    def _locked(self, rules: HoldemGame, number: int, columns: IntArray) -> tuple[IntArray, Floats]:
        """Return the fields ``lock`` and ``share`` of a street. Column c of its tables is for hand ``columns[c]``."""
        first, last = rules.tree.span(number)
        late, boards = number == rules.streets - 1, len(rules.deal.leading)
        lock, rows = np.full(last - first, -1, dtype=np.int64), 0
        for n in sorted(rules.locks.units):
            if first <= n < last and rules.tree.nodes[n].kind == self.me:
                lock[n - first], rows = rows, rows + len(rules.tree.nodes[n].actions)
        share = np.full((boards if late else 1, rows, len(columns) if rows else 0), -1, self.dtype)
        for (n, river), table in rules.locks.shares.items():
            if first <= n < last and rules.tree.nodes[n].kind == self.me:
                here = share[max(river, 0), lock[n - first] : lock[n - first] + table.shape[1]]
                here[...] = np.where(table < 0, -1, table / rules.locks.units[n])[columns].T
        return lock, share

    def lock(self, tables: list[Floats]) -> None:
        """Write the frequencies of locked hands into the player's tables."""
        for street, table in zip(self.streets, tables, strict=True):
            boards = table if table.ndim == 3 else table[None]
            for n in np.flatnonzero(street.lock >= 0):
                shares = street.share[:, street.lock[n] : street.lock[n] + street.choices[n]]
                rows = boards[:, street.row[n] : street.row[n] + street.choices[n]]
                rows[...] = np.where(shares < 0, rows, shares)

    def _boards(self, deal: Deal, classes: list[_Classes]) -> None:
        """Sort the hands by strength on each leading final board."""
        strengths = [
            deal.strengths[player][deal.leading][:, classes[player].first] for player in (self.me, 1 - self.me)
        ]
        levels = [np.unique(np.concatenate([a[a >= 0], b[b >= 0]])) for a, b in zip(*strengths, strict=True)]
        groups = np.array([len(level) + 1 for level in levels])
        starts = [np.zeros((len(levels), groups.max()), dtype=np.int64) for _ in strengths]
        for k, level in enumerate(levels):
            for start, strength in zip(starts, strengths, strict=True):
                start[k, : groups[k]] = np.append(np.searchsorted(np.sort(strength[k]), level), strength.shape[1])
        own, other = (np.argsort(strength, axis=1, kind="stable").astype(np.uint64) for strength in strengths)
        self.board = Board(own, other, starts[0], starts[1], groups, deal.rivers[deal.leading])


def _run_outs(rules: HoldemGame, dtype: Any) -> list[Floats]:
    """Return, for each player, the mean of 1 for a win and -1 for a loss on the river: [other's hands, own hands]."""
    if not any(node.kind == End.RUN_OUT for node in rules.tree.nodes):
        return [np.zeros((1, 1), dtype), np.zeros((1, 1), dtype)]
    mean = rules.deal.won / RUN_OUTS
    return [np.ascontiguousarray(mean.T).astype(dtype), (-mean).astype(dtype)]
