"""A table of all positions of a game, for the compiled search."""

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

_BUDGET = 2_000_000  # number of elements between two checks of the clock, at most about 0.2 seconds
_SLACK = 1e-12  # relative to the largest payoff; smaller differences are ignored


class Tabulated:
    """A table of positions, with bounds for pruning and with working arrays for searches.

    Parameters
    ----------
    positions : Positions
        The positions of the game. All must be expanded (see :mod:`.positions`).

    Attributes
    ----------
    table : Table
    alone, met : float64[2, N]
        For each responder and position, the payoff if the responder sees everything. In ``alone``, the opponent plays
        its default. In ``met``, the opponent plays what is best for the responder.
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
        self._arrays = {status: np.empty(size, kind) for status, (kind, size) in _ARRAYS.items()}

    # -- best responses --------------------------------------------------------------------------

    def search(
        self, tries: tuple[Trie, Trie], player: int, plan: Plan, check: Callable[[], None]
    ) -> tuple[float, Iterable[Visit]]:
        """Return the value and the visits of a best response (see :mod:`.search`)."""
        opponent, own = _trie_arrays(tries[1 - player], plan), _trie_arrays(tries[player], None)
        header, result = np.zeros(2, dtype=np.int64), np.zeros(1)
        while True:
            status = kernels.search(
                self.table, opponent, own, self.alone[player], self.met[player], player, self._slack, header, result,
                *self._arrays.values(), _BUDGET,
            )  # fmt: skip
            if status == kernels.DONE:
                break
            check()
            if status == kernels.UNEQUAL:
                raise GameError(UNEQUAL)
            if status != kernels.PAUSED:  # one working array is full: double its size
                full = self._arrays[status]
                self._arrays[status] = np.concatenate((full, np.empty_like(full)))
        return float(result[0]), self._arrays[kernels.MORE_VISITS][: header[1]].tolist()


_ARRAYS: dict[int, tuple[np.dtype[np.void], int]] = {
    kernels.MORE_POOL: (kernels.ELEMENT, 1 << 14),
    kernels.MORE_STACK: (kernels.ELEMENT, 1 << 10),
    kernels.MORE_OPTIONS: (kernels.OPTION, 1 << 10),
    kernels.MORE_FRAMES: (kernels.FRAME, 1 << 8),
    kernels.MORE_VISITS: (kernels.VISIT, 1 << 12),
}
"""Status that reports a full working array -> type and initial size of the array.

The entries are in the order of the arguments of `kernels.search`.
"""


def _trie_arrays(trie: Trie, plan: Plan | None) -> kernels.Known:
    """Convert a trie to arrays. Copy ``weight`` and ``decided`` from ``plan``; without a plan, both are zero."""
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
