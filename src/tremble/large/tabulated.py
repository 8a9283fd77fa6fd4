"""All positions of a game in arrays, and the compiled search through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tremble.errors import GameError
from tremble.game.protocol import CHANCE
from tremble.large import kernels
from tremble.large.positions import Positions
from tremble.large.search import UNEQUAL, Visit
from tremble.large.sequences import Plan, Trie

__all__ = ["Tabulated"]

_BUDGET = 2_000_000  # elements between two looks at the clock: at most about 0.2 seconds
_SLACK = 1e-12  # relative to the largest payoff


class Tabulated:
    """A table of positions, bounds for pruning, and room for searches.

    Parameters
    ----------
    positions : Positions
        All of them have been looked at.

    Attributes
    ----------
    table : Table
    alone, met : float64[2, N]
        What an all-knowing responder gets, against the default, and if the opponent helps.
    """

    def __init__(self, positions: Positions) -> None:
        count = np.array([len(children or ()) for children in positions.children], dtype=np.int64)
        start = np.concatenate(([0], np.cumsum(count)))
        chance = np.ones(int(start[-1]))
        for position in np.flatnonzero(np.array(positions.mover) == CHANCE).tolist():
            chance[start[position] : start[position + 1]] = [float(p) for p in positions.chance[position]]
        payoff = np.array([float(value) for value in positions.payoff])
        self.table = kernels.Table(
            mover=np.array(positions.mover, dtype=np.int8),
            start=start,
            child=np.array([child for children in positions.children for child in children or ()], dtype=np.int32),
            chance=chance,
            sees=np.array(positions.view, dtype=np.int32),
            default=np.array(positions.default, dtype=np.int32),
            payoff=payoff,
        )
        order = np.empty(len(count), dtype=np.int32)
        kernels.postorder(self.table.start, self.table.child, order)
        self._slack = _SLACK * max(float(np.abs(payoff).max()), 1e-300)
        self.alone, self.met = np.empty((2, len(order))), np.empty((2, len(order)))
        for responder in (0, 1):
            kernels.all_knowing(self.table, order, responder, True, self.alone[responder])
            kernels.all_knowing(self.table, order, responder, False, self.met[responder])
        self._room = {lacking: np.empty(size, kind) for lacking, (kind, size) in _ROOM.items()}

    # -- best responses --------------------------------------------------------------------------

    def search(
        self, tries: tuple[Trie, Trie], player: int, plan: Plan, check: Callable[[], None]
    ) -> tuple[float, Iterable[Visit]]:
        """The value of a best response, and what it visits."""
        opponent, own = _arrays(tries[1 - player], plan), _arrays(tries[player], None)
        header, result = np.zeros(2, dtype=np.int64), np.zeros(1)
        while True:
            status = kernels.search(
                self.table, opponent, own, self.alone[player], self.met[player], player, self._slack, header, result,
                *self._room.values(), _BUDGET,
            )  # fmt: skip
            if status == kernels.DONE:
                break
            check()
            if status == kernels.UNEQUAL:
                raise GameError(UNEQUAL)
            if status != kernels.PAUSED:
                room = self._room[status]
                self._room[status] = np.concatenate((room, np.empty_like(room)))
        return float(result[0]), self._room[kernels.MORE_VISITS][: header[1]].tolist()


_ROOM: dict[int, tuple[np.dtype[np.void], int]] = {
    kernels.MORE_POOL: (kernels.ELEMENT, 1 << 14),
    kernels.MORE_STACK: (kernels.ELEMENT, 1 << 10),
    kernels.MORE_OPTIONS: (kernels.OPTION, 1 << 10),
    kernels.MORE_FRAMES: (kernels.FRAME, 1 << 8),
    kernels.MORE_VISITS: (kernels.VISIT, 1 << 12),
}
"""What a search may lack, and how much of it there is at first; in the order in which it is handed over."""


def _arrays(trie: Trie, plan: Plan | None) -> kernels.Known:
    """A trie in arrays, with a plan if one is given."""
    known = trie.sequences
    decided, weight = np.zeros(known.num_infosets, dtype=np.bool_), np.zeros(known.num_sequences)
    if plan is not None:
        decided[: len(plan.decided)] = plan.decided
        weight[: len(plan.weight)] = plan.weight
    sets = np.argsort(known.parent, kind="stable")
    return kernels.Known(
        begin=np.searchsorted(known.parent[sets], np.arange(known.num_sequences + 1)),
        sets=sets,
        sees=np.array(trie.view, dtype=np.int32),
        first=known.first,
        width=known.width,
        decided=decided,
        weight=weight,
        allowed=known.allowed,
    )
