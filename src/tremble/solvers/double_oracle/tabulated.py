"""All positions of a game in arrays, and the compiled search through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tremble.errors import GameError
from tremble.model.game import CHANCE
from tremble.solvers.double_oracle import kernels
from tremble.solvers.double_oracle.positions import Positions
from tremble.solvers.double_oracle.search import UNEQUAL, Visit
from tremble.solvers.double_oracle.sequences import Plan, Trie

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
        if not kernels.postorder(self.table.start, self.table.child, order):
            raise GameError("the keys of the rules' state_key lead back to themselves")
        self._slack = _SLACK * max(float(np.abs(payoff).max()), 1e-300)
        self.alone, self.met = np.empty((2, len(order))), np.empty((2, len(order)))
        for responder in (0, 1):
            kernels.all_knowing(self.table, order, responder, True, self.alone[responder])
            kernels.all_knowing(self.table, order, responder, False, self.met[responder])
        self._room = _Room()

    # -- best responses --------------------------------------------------------------------------

    def search(
        self, tries: tuple[Trie, Trie], player: int, plan: Plan, check: Callable[[], None]
    ) -> tuple[float, Iterable[Visit]]:
        """The value of a best response, and what it visits."""
        opponent, own = _arrays(tries[1 - player], plan), _arrays(tries[player], None)
        room = self._room
        header, result = np.zeros(2, dtype=np.int64), np.zeros(1)
        while True:
            status = kernels.search(
                self.table, opponent, own, self.alone[player], self.met[player], player, self._slack, header, result,
                room.pool, room.stack, room.options, room.frames, room.visits, _BUDGET,
            )  # fmt: skip
            if status == kernels.DONE:
                break
            check()
            if status == kernels.UNEQUAL:
                raise GameError(UNEQUAL)
            if status != kernels.PAUSED:
                room.grow(status)
        return float(result[0]), zip(*(column[: header[1]].tolist() for column in room.visits), strict=True)


class _Room:
    """Arrays for a search, which grow as needed."""

    def __init__(self) -> None:
        self.pool = _empty(kernels.Pool, 1 << 14)
        self.stack = _empty(kernels.Pool, 1 << 10)
        self.options = _empty(kernels.Options, 1 << 10)
        self.frames = _empty(kernels.Frames, 1 << 8)
        self.visits = _empty(kernels.Visits, 1 << 12)

    def grow(self, lacking: int) -> None:
        """Twice the room of what is lacking."""
        name = {
            kernels.MORE_POOL: "pool",
            kernels.MORE_STACK: "stack",
            kernels.MORE_OPTIONS: "options",
            kernels.MORE_FRAMES: "frames",
            kernels.MORE_VISITS: "visits",
        }[lacking]
        old = getattr(self, name)
        new = _empty(type(old), 2 * len(old[0]))
        for before, after in zip(old, new, strict=True):
            after[: len(before)] = before
        setattr(self, name, new)


def _empty(kind: Any, size: int) -> Any:
    """Arrays of the types that a kind of room declares."""
    integers = {"begin", "end", "options", "place", "mark"}
    floats = {"weight", "certain", "bound", "best", "gained", "rest"}
    return kind(
        *(
            np.empty(size, dtype=np.float64 if name in floats else np.int64 if name in integers else np.int32)
            for name in kind._fields
        )
    )


def _arrays(trie: Trie, plan: Plan | None) -> kernels.Known:
    """A trie in arrays, with a plan if one is given."""
    sets, sequences = len(trie.parent), len(trie.allowed)
    parent = np.array(trie.parent, dtype=np.int64)
    head = np.full(sequences, -1, dtype=np.int32)
    following = np.full(sets, -1, dtype=np.int32)
    order = np.argsort(parent, kind="stable")
    if sets:
        last = np.concatenate((parent[order][1:] != parent[order][:-1], [True]))
        following[order[:-1][~last[:-1]]] = order[1:][~last[:-1]]
        first = np.concatenate(([True], last[:-1]))
        head[parent[order[first]]] = order[first]
    decided = np.zeros(sets, dtype=np.bool_)
    weight = np.zeros(sequences)
    if plan is not None:
        decided[: len(plan.decided)] = plan.decided
        weight[: len(plan.weight)] = plan.weight
    return kernels.Known(
        head=head,
        following=following,
        sees=np.array(trie.view, dtype=np.int32),
        first=np.array(trie.first, dtype=np.int32),
        width=np.array(trie.count, dtype=np.int32),
        decided=decided,
        weight=weight,
        allowed=np.array(trie.allowed, dtype=np.bool_),
    )
