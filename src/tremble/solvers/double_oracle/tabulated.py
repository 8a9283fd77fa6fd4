"""All positions of a game in arrays, and the compiled search through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.model.game import CHANCE, TERMINAL
from tremble.solvers.double_oracle import kernels
from tremble.solvers.double_oracle.plans import Plan
from tremble.solvers.double_oracle.positions import Positions
from tremble.solvers.double_oracle.restricted import Leaves
from tremble.solvers.double_oracle.search import UNEQUAL
from tremble.solvers.double_oracle.trie import Trie

__all__ = ["Tabulated"]

_BUDGET = 2_000_000  # elements between two looks at the clock: at most about 0.2 seconds
_SLACK = 1e-12  # relative to the largest payoff


class Tabulated:
    """A table of positions, bounds for pruning, and room for searches.

    Parameters
    ----------
    positions : Positions
        All of them have been looked at.
    """

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
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
        self.order = np.empty(len(count), dtype=np.int32)
        if not kernels.postorder(self.table.start, self.table.child, self.order):
            raise GameError("the keys of the rules' state_key lead back to themselves")
        self._slack = _SLACK * max(float(np.abs(payoff).max()), 1e-300)
        self._alone = self._all_knowing(defaulting=True)
        self._met = self._all_knowing(defaulting=False)
        self._lists: dict[tuple[int, bool], tuple[list[Any], list[Any]]] = {}
        self._room = _Room()
        self._leaf_room = 1 << 14

    def _all_knowing(self, *, defaulting: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        values = np.empty((2, len(self.order)))
        for responder in (0, 1):
            kernels.all_knowing(self.table, self.order, responder, defaulting, values[responder])
        return values[0], values[1]

    # -- bounds for the search in Python ---------------------------------------------------------

    def bounds_as_lists(self, responder: int, *, exact: bool, whole: bool) -> tuple[list[Any], list[Any]]:
        """What an all-knowing responder gets: against the default, and if the other helps.

        Parameters
        ----------
        exact : bool
            In fractions, computed anew.
        whole : bool
            The floats are integers.
        """
        found = self._lists.get((responder, exact))
        if found is None:
            if exact:
                found = self._exactly(responder, defaulting=True), self._exactly(responder, defaulting=False)
            else:
                alone, met = self._alone[responder], self._met[responder]
                if whole:
                    alone, met = alone.astype(np.int64), met.astype(np.int64)
                found = alone.tolist(), met.tolist()
            self._lists[responder, exact] = found
        return found

    def _exactly(self, responder: int, *, defaulting: bool) -> list[Any]:
        positions = self._positions
        sign = 1 if responder == 0 else -1
        values: list[Any] = [0] * len(self.order)
        for p in self.order.tolist():
            mover, children = positions.mover[p], positions.children[p] or ()
            if mover == TERMINAL:
                values[p] = sign * positions.payoff[p]
            elif mover == CHANCE:
                values[p] = sum(q * values[c] for q, c in zip(positions.chance[p], children, strict=True))
            elif mover != responder and defaulting:
                values[p] = values[children[positions.default[p]]]
            else:
                values[p] = max(values[c] for c in children)
        return values

    # -- the restricted game ---------------------------------------------------------------------

    def leaves(self, tries: tuple[Trie, Trie]) -> Leaves:
        """The leaves of the restricted game, of a game without chance whose payoffs are integers."""
        one, two = (_known(trie, None) for trie in tries)
        passed_on = np.stack((-self._alone[1], self._alone[0]))
        while True:
            room = self._leaf_room
            stack, ends = np.empty((room, 3), dtype=np.int32), np.empty((room, 2), dtype=np.int32)
            payoff, temporary = np.empty(room), np.zeros(1, dtype=np.int64)
            reached = np.zeros(len(tries[0].parent), dtype=np.bool_), np.zeros(len(tries[1].parent), dtype=np.bool_)
            count = kernels.walk(self.table, one, two, passed_on, stack, ends, payoff, *reached, temporary)
            if count >= 0:
                break
            if count == kernels.MISFIT:
                raise GameError(UNEQUAL)
            self._leaf_room *= 4
        return Leaves(
            sequence=(ends[:count, 0].astype(np.int64), ends[:count, 1].astype(np.int64)),
            weight=payoff[:count].astype(np.int64),
            denominator=1,
            temporary=int(temporary[0]),
            reached=(np.flatnonzero(reached[0]), np.flatnonzero(reached[1])),
        )

    # -- best responses --------------------------------------------------------------------------

    def search(
        self, tries: tuple[Trie, Trie], player: int, plan: Plan, check: Callable[[], None]
    ) -> tuple[float, NDArray[np.int64]]:
        """The value of a best response, and its sequences, made known."""
        trie = tries[player]
        other, own = _known(tries[1 - player], plan), _known(trie, None)
        room = self._room
        header, result = np.zeros(2, dtype=np.int64), np.zeros(1)
        while True:
            status = kernels.search(
                self.table, other, own, self._alone[player], self._met[player], player, self._slack, header, result,
                room.pool, room.stack, room.options, room.frames, room.visits, _BUDGET,
            )  # fmt: skip
            if status == kernels.DONE:
                break
            check()
            if status == kernels.UNEQUAL:
                raise GameError(UNEQUAL)
            if status != kernels.PAUSED:
                room.grow(status)
        visits = room.visits
        table = self.table
        sequence_of = {-1: 0}
        played = {-1: 0}
        found = []
        count = int(header[1])
        columns = (column[:count].tolist() for column in visits)
        for v, (above, action_above, view, position, action) in enumerate(zip(*columns, strict=True)):
            if action < 0 or played.get(above) != action_above:
                continue
            moves = int(table.start[position + 1] - table.start[position])
            k = trie.learn(sequence_of[above], view, moves, int(table.default[position]))
            sequence_of[v], played[v] = trie.first[k] + action, action
            found.append(sequence_of[v])
        return float(result[0]), np.array(found, dtype=np.int64)


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


def _known(trie: Trie, plan: Plan | None) -> kernels.Known:
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
