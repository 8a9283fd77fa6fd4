"""Regret minimization for rivers, turns and flops, with one vector of hands for each line of moves.

The module prepares the arrays of `kernels`, and calls the kernels. The class :class:`Engine` adds the streets and cards
of Hold'em to the tables and the iterations of :class:`~tremble.poker.holdem.vectors.VectorEngine`. The boards that
threads divide are the river cards of a turn, or the turn cards of a flop.

A locked hand has its frequencies as regrets, so regret matching plays them.
"""

from __future__ import annotations

from concurrent.futures import Executor
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.poker.holdem import kernels
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.kernels import LANES, STRIDE, Board, Cards, Leaves, Room, Street
from tremble.poker.holdem.vectors import Floats, Settings, VectorEngine
from tremble.solvers.regret import Variant

__all__ = ["Engine", "Step"]

IntArray = NDArray[np.int64]


class Engine(VectorEngine):
    """The tables of both players: [rows, classes of hands], or [states with tables, rows, hands].

    Attributes
    ----------
    turns : range
        The numbers of the leading turn cards of a flop whose tables are stored here (by default all), or of the leading
        river cards of a turn.

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

    traffic: int = 0
    """The number of bytes that were sent to other computers and received from them in all updates so far."""

    def __init__(
        self, rules: HoldemGame, variant: Variant, dtype: Any = np.float32, executor: Executor | None = None,
        threads: int = 1, turns: range | None = None,
    ) -> None:  # fmt: skip
        self.rules, deal, streets = rules, rules.deal, range(rules.streets)
        self.turns = range(len(deal.leading)) if turns is None else turns
        here = set(deal.leading[self.turns].tolist())
        states = [[state for state in deal.tables(k) if not k or deal.positions(state)[0] in here] for k in streets]
        self.classes = [_Classes.of(deal, player) for player in (0, 1)]
        shapes: list[list[tuple[int, ...]]] = []
        for player in (0, 1):
            rows, columns = rules.tree.rows[player].by_street, len(self.classes[player].first)
            counts = [(len(states[street]),) if street else () for street in streets]
            shapes.append([(*count, rows[street], columns) for street, count in enumerate(counts)])
        super().__init__(variant, dtype, shapes, len(self.turns), executor, threads)
        parts = len(self._cuts) - 1
        self._sides = [_Side(rules, self.classes, player, dtype, parts, states) for player in (0, 1)]
        for side, regret, guess in zip(self._sides, self.regret, self.guess, strict=True):
            side.lock(regret)
            side.lock(guess)
        self._ranges = [
            (deal.weights[player] / deal.unit[player])[self.classes[player].first].astype(dtype) for player in (0, 1)
        ]
        if rules.streets > 1:
            self._found = [self._room_for_values(me, 0, len(self.turns)) for me in (0, 1)]
        if rules.streets > 2:
            rivers = [len(deal.turns[k].leading) for k in self.turns]
            start = np.cumsum([0, *rivers]).tolist()
            self._turns = [
                _State.of(rules, self.classes, deal.turns[turn], k, start[k]) for k, turn in enumerate(self.turns)
            ]
            self._later = [
                [self._room_for_values(me, 1, max(rivers, default=0)) for _ in range(parts)] for me in (0, 1)
            ]

    @cached_property
    def _first(self) -> _State:
        """The state before any card is dealt."""
        return _State.of(self.rules, self.classes, self.rules.deal, 0)

    def _room_for_values(self, me: int, street: int, boards: int) -> Floats:
        """Return an array for the values at the roots of the next street: [boards, deals, hands]."""
        return np.zeros((boards, len(self._sides[me].streets[street].deals), len(self.classes[me].first)), self.dtype)

    def _learn(self, schedule: Floats) -> None:
        if self.rules.streets > 1:
            super()._learn(schedule)
            return
        self._on_river(schedule, -1)

    def _on_river(self, schedule: Floats, responder: int) -> Floats:
        """Run iterations on a known river, or return the values of the best response of player ``responder``."""
        sums = self.sums[0][0], self.sums[1][0]
        regrets, guesses, before = sums, sums, sums[0][:0]  # if the tables are released, none is needed
        if self.regret:
            regrets, guesses = (self.regret[0][0], self.regret[1][0]), (self.guess[0][0], self.guess[1][0])
            before = self._before[0]
        values: Floats = kernels.learn(
            tuple(side.river for side in self._sides), regrets, guesses, before, sums, tuple(self._ranges), schedule,
            self._tiny, self.variant.predictive, responder,
        )  # fmt: skip
        return values

    def _update(self, me: int, table: list[Floats], settings: Settings, *, learning: bool) -> Floats:
        side = self._sides[me]
        values: Floats
        if self.rules.streets == 1:  # `_learn` updates players
            assert not learning
            assert table is self.sums[1 - me]
            return self._on_river(np.zeros((1, 3), self.dtype), me)
        step, room = Step(me, table, settings, learning), side.rooms[0][0]
        room.reach[side.streets[0].slot[0]] = self._ranges[1 - me]
        self._starts(step, 0, self._first, 0)
        self._ends(step, 0, self._first, 0, self._after_first(step))
        values = room.value[0]
        return values

    def update_turns(self, me: int, reach: Floats, settings: Settings, *, learning: bool) -> Floats:
        """Update a player after the turn cards, from the reaches of the leaves at which a turn card is dealt.

        If not ``learning``, compute the best response to the other player's average plan.

        Parameters
        ----------
        reach : float array [leaves, hands of the other player]

        Returns
        -------
        float array [turn cards, leaves, hands]
        """
        if learning and not me:
            self._remember()
        now = self.guess[1] if not me else self.guess[0] if self.variant.alternating else self._before
        first = self._sides[me].streets[0]
        self._sides[me].rooms[0][0].reach[first.slot[first.deals]] = reach
        return self._after_first(Step(me, now if learning else self.sums[1 - me], settings, learning))

    def _after_first(self, step: Step) -> Floats:
        """Update a player after the first street. Return the values at the roots: [boards, deals, hands]."""
        found, reach = self._found[step.me], self._sides[step.me].rooms[0][0].reach

        def part(k: int) -> None:
            first, last = self._cuts[k : k + 2]
            if self.rules.streets == 2:
                self._rivers(step, self._first, first, last, reach, k, found)
            for turn in self._turns[first:last] if self.rules.streets > 2 else ():
                self._turn(step, turn, k)

        self._in_parts(part)
        return found

    def _turn(self, step: Step, turn: _State, k: int) -> None:
        """Update a player after a turn card, in the working memory number ``k``."""
        side, me = self._sides[step.me], step.me
        above, room = side.streets[0], side.rooms[1][k]
        kernels.enter(
            me, above, side.streets[1], side.rooms[0][0].reach, side.cards, np.uint64(turn.card),
            self.dtype(1 / (turn.cards_left + 1)), room.reach,
        )  # fmt: skip
        self._starts(step, 1, turn, k)
        self._rivers(step, turn, 0, len(turn.boards[me].card), room.reach, k, self._later[me][k])
        self._ends(step, 1, turn, k, self._later[me][k])
        self._found[me][turn.number] = room.value[above.child[above.deals, 0]]

    def _starts(self, step: Step, street: int, state: _State, k: int) -> None:
        """Compute the reaches of a street before the river, and the values of its leaves."""
        me, side, settings = step.me, self._sides[step.me], step.settings
        table, sums = (_part(tables, street, state.number) for tables in (step.table, self.sums[1 - me]))
        kernels.starts(
            me, side.streets[street], side.leaves[street], side.cards, state.boards[me], table,
            sums if step.learning else sums[:0], side.rooms[street][k], state.runs[me], settings[0], settings[3],
        )  # fmt: skip

    def _rivers(self, step: Step, turn: _State, first: int, last: int, reach: Floats, k: int, found: Floats) -> None:
        """Update a player on some of the rivers of a turn, where ``reach`` is the reach of the turn's nodes."""
        me, side, some = step.me, self._sides[step.me], turn.rivers
        *_, street, river = side.streets
        kernels.rivers(
            me, street, river._replace(share=river.share[some]), side.leaves[-1], side.cards, turn.boards[me], first,
            last, self.regret[me][-1][some], self.guess[me][-1][some], step.table[-1][some],
            self.sums[1 - me][-1][some], reach, side.rooms[-1][k], found, self.dtype(1 / turn.cards_left),
            step.settings, step.learning, self.variant.predictive,
        )  # fmt: skip

    def _ends(self, step: Step, street: int, state: _State, k: int, found: Floats) -> None:
        """Compute the values of a street before the river, and update the player's regrets of the street."""
        me, side = step.me, self._sides[step.me]
        regret, guess = (_part(tables, street, state.number) for tables in (self.regret[me], self.guess[me]))
        kernels.ends(
            me, side.streets[street], state.number, regret, guess, side.rooms[street][k], found, state.leader,
            state.source[me], step.settings, step.learning, self.variant.predictive,
        )  # fmt: skip

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
        if self.rules.streets > 1:  # each hand has a column
            return self.sums[player]
        return [table[:, self.rules.deal.alike[player]] for table in self.sums[player]]


def _part(tables: list[Floats], street: int, number: int) -> Floats:
    """Return the table of the state ``number`` in a street."""
    return tables[street][number] if street else tables[street]


class Step(NamedTuple):
    """An update of one player."""

    me: int
    table: list[Floats]  # the other player's tables
    settings: Settings
    learning: bool


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

    def __init__(
        self, rules: HoldemGame, classes: list[_Classes], me: int, dtype: Any, threads: int, states: list[list[int]]
    ) -> None:  # fmt: skip
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
        for street in range(rules.streets):
            slots = self._street(rules, street, classes, states[street])
            hands, others = len(own.first), len(other.first)
            nodes = len(self.streets[-1].kind)
            shapes = (slots, others), (nodes, hands), (others + 1, STRIDE), (hands, STRIDE), (53, STRIDE)
            self.rooms.append([Room(*(np.zeros(shape, dtype) for shape in shapes)) for _ in range(threads)])

        if rules.streets == 1:
            self.river = self.streets[0], self.leaves[0], self.cards, _board(rules.deal, classes, me), self.rooms[0][0]
            """The arrays of a known river."""

    def _street(self, rules: HoldemGame, number: int, classes: list[_Classes], states: list[int]) -> int:
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
        paid = [min(node.paid) for node in nodes]
        amounts = {chips: (float(tree.betting.pot / 2 + chips), float(rules.raked(chips))) for chips in {*paid}}
        stake, rake = np.array([amounts[chips] for chips in paid]).T
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
        lock, share = self._locked(rules, number, classes[me].first, states)
        factor = (won[runs] / rules.deal.run_outs(number)).astype(self.dtype)
        self.streets.append(Street(kind, count, child, row, reach, deals, runs, factor, lock, share))
        self.leaves.append(Leaves(*lanes(sure, earned), *lanes(shows, won / 2), raked))
        return blocks * LANES

    def _locked(
        self, rules: HoldemGame, number: int, columns: IntArray, states: list[int]
    ) -> tuple[IntArray, Floats]:  # fmt: skip
        """Return the fields ``lock`` and ``share`` of a street. Column c of its tables is for hand ``columns[c]``."""
        first, last = rules.tree.span(number)
        tables = {state: k for k, state in enumerate(states)}
        lock, rows = np.full(last - first, -1, dtype=np.int64), 0
        for n in sorted(rules.locks.units):
            if first <= n < last and rules.tree.nodes[n].kind == self.me:
                lock[n - first], rows = rows, rows + len(rules.tree.nodes[n].actions)
        share = np.full((len(tables), rows, len(columns) if rows else 0), -1, self.dtype)
        for (n, state), table in rules.locks.shares.items():
            if first <= n < last and rules.tree.nodes[n].kind == self.me and state in tables:
                here = share[tables[state], lock[n - first] : lock[n - first] + table.shape[1]]
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


def _board(deal: Deal, classes: list[_Classes], me: int) -> Board:
    """Sort the hands by strength on each leading final board of a deal, for the player ``me`` who learns."""
    strengths = [deal.strengths[player][deal.leading][:, classes[player].first] for player in (me, 1 - me)]
    levels = [np.unique(np.concatenate([a[a >= 0], b[b >= 0]])) for a, b in zip(*strengths, strict=True)]
    groups = np.array([len(level) + 1 for level in levels])
    starts = [np.zeros((len(levels), groups.max()), dtype=np.int64) for _ in strengths]
    for k, level in enumerate(levels):
        for start, strength in zip(starts, strengths, strict=True):
            start[k, : groups[k]] = np.append(np.searchsorted(np.sort(strength[k]), level), strength.shape[1])
    own, other = (np.argsort(strength, axis=1, kind="stable").astype(np.uint64) for strength in strengths)
    return Board(own, other, starts[0], starts[1], groups, deal.rivers[deal.leading])


class _State(NamedTuple):
    """A public state before the river. Pairs have an entry for each player who learns."""

    number: int  # among the states of the street with tables
    card: int  # the last card that was dealt; -1 for the first state
    cards_left: int  # the cards that can be dealt next if both players' hands are known
    rivers: slice  # the tables of the rivers that can follow, if the river is the next card
    boards: tuple[Board, Board]
    runs: tuple[NDArray[np.int16], NDArray[np.int16]]  # [other's hands, own hands]: missing cards that win - that lose
    leader: IntArray  # the number of the leading card, for each card that can be dealt next
    source: tuple[IntArray, IntArray]  # [cards, hands]: the hand after the leading card; -1 for hands with the card

    @classmethod
    def of(cls, rules: HoldemGame, classes: list[_Classes], deal: Deal, number: int, first: int = 0) -> _State:
        """Prepare the arrays of a state with the given deal; ``first`` is the first table of its rivers."""
        street = len(deal.dealt)
        runs = np.zeros((1, 1), dtype=np.int16)
        if any(node.kind == End.RUN_OUT and node.street == street for node in rules.tree.nodes):
            runs = deal.won.astype(np.int16)
        last = deal if street == rules.streets - 2 else deal.turns[0]
        sources = [
            np.stack([np.where(deal.free(player, c), deal.source(player, c), -1) for c in range(len(deal.rivers))])
            for player in (0, 1)
        ]
        return cls(
            number, deal.dealt[-1] if deal.dealt else -1, deal.run_outs(most=len(deal.known) + 1),
            slice(first, first + len(deal.leading)), (_board(last, classes, 0), _board(last, classes, 1)),
            (np.ascontiguousarray(runs.T), -runs), deal.leader, (sources[0], sources[1]),
        )  # fmt: skip
