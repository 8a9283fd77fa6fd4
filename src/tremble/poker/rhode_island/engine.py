"""Regret minimization for Rhode Island Hold'em, with vectors of hands and histories."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np

from tremble.poker.holdem.vectors import Floats, Settings, VectorEngine
from tremble.poker.rhode_island import kernels
from tremble.poker.rhode_island.kernels import Room, Round
from tremble.poker.rhode_island.layout import Layout
from tremble.solvers.regret import Variant

__all__ = ["RhodeIslandEngine"]


class RhodeIslandEngine(VectorEngine):
    """The tables of both players: [states, rows, hands * histories] for each round.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> from tremble.solvers.regret import VARIANTS
    >>> engine = RhodeIslandEngine(Layout(RhodeIsland(ranks=3, suits=2)), VARIANTS["dcfr"])
    >>> engine.run(200)
    >>> lower, upper = engine.bounds()
    >>> upper - lower < 1
    True
    """

    def __init__(
        self, layout: Layout, variant: Variant, dtype: Any = np.float32, executor: Executor | None = None,
        threads: int = 1,
    ) -> None:  # fmt: skip
        self.layout, rounds = layout, range(len(layout.states))
        width = [layout.hands[number] * layout.histories(number) for number in rounds]
        rows = [layout.stage.side(player).num_sequences - 1 for player in (0, 1)]
        shapes = [[(layout.states[k], rows[player], width[k]) for k in rounds] for player in (0, 1)]
        super().__init__(variant, dtype, shapes, layout.states[1], executor, threads)
        self._rounds = [tuple(layout.round(number, me, dtype) for number in rounds) for me in (0, 1)]
        # The working memory of each player and thread. The first round is not divided among threads.
        parts = len(self._cuts) - 1
        self._rooms = [[[_room(own[k], width[k], dtype) for k in rounds] for _ in range(parts)] for own in self._rounds]
        self._found = np.zeros((layout.states[1], width[1]), dtype)

    def _update(self, me: int, table: list[Floats], settings: Settings, *, learning: bool) -> Floats:
        rounds, rooms, predictive = self._rounds[me], self._rooms[me], self.variant.predictive
        sums, regret, guess = tuple(self.sums[1 - me]), tuple(self.regret[me]), tuple(self.guess[me])
        first, tables = rooms[0][0], tuple(table)
        kept = sums[0][0] if learning else sums[0][0][:0]
        kernels.first_round_starts(me, rounds[0], tables[0], kept, first, settings[0], settings[3])

        def part(k: int) -> None:
            kernels.later_rounds(
                me, rounds, self._cuts[k], self._cuts[k + 1], regret, guess, tables, sums, first.reach,
                tuple(rooms[k][1:]), self._found, settings, learning, predictive,
            )  # fmt: skip

        self._in_parts(part)
        values: Floats = kernels.first_round_ends(
            me, rounds[:2], regret, guess, first, self._found, settings, learning, predictive
        )
        return values

    def best_values(self) -> tuple[float, float]:
        """Return the value of each player's best response to the other player's average plan, in chips."""
        rules = self.layout.rules
        cards = rules.ranks * rules.suits
        one, two = (
            float(self._best_values(me).astype(np.float64).sum()) * rules.suits / (cards * (cards - 1)) for me in (0, 1)
        )
        return one, two

    def shares(self, player: int, number: int, some: slice) -> Floats:
        """Return the sums of a player's plans in a round for some classes: [classes, actions, histories]."""
        table = self.sums[player][number]
        state, hand = self.layout.places(number)
        by_hand = table.reshape(*table.shape[:2], -1, self.layout.histories(number))
        found: Floats = by_hand[state[some], :, hand[some]]
        return found


def _room(round_: Round, width: int, dtype: Any) -> Room:
    street = round_.street
    return Room(np.zeros((int(street.slot.max()) + 1, width), dtype), np.zeros((len(street.kind), width), dtype))
