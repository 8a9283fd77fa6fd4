"""Border patrol: an evader crosses a graph in which a patroller moves two units."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Annotated, Any, NamedTuple

from tremble.errors import SpecError
from tremble.game.protocol import TERMINAL
from tremble.games.counting import counts
from tremble.games.parameters import Bounds, Rules

__all__ = ["BorderPatrol"]

History = tuple[int, int, int, str, str]
"""Who moves, turns left, number of the position, all moves of the evader and of the patroller in words."""

_EDGES: dict[int, tuple[int, ...]] = {
    0: (1, 4, 5, 6),
    1: (4, 5, 6),
    17: (4, 5, 6),
    18: (10, 11, 12),
    4: (4, 5, 7),
    5: (4, 5, 6, 8),
    6: (5, 6, 9),
    10: (10, 11, 16),
    11: (10, 11, 12, 16),
    12: (11, 12, 16),
}
_MIDDLE: dict[int, dict[int, tuple[int, ...]]] = {
    1: {7: (7, 8, 10), 8: (8, 11), 9: (8, 9, 12)},
    2: {7: (7, 8, 10), 8: (7, 8, 9, 11), 9: (8, 9, 12)},
    3: {7: (10,), 8: (11,), 9: (12,)},
}
"""The edges of nodes 7, 8 and 9, where the graphs differ."""

_START, _DESTINATION, _UNITS = 0, 16, (17, 18)
_FIRST_ZONE, _SECOND_ZONE = (4, 5, 6), (10, 11, 12)

_HOME, _CAUGHT, _DRAWN = 0, 1, 2
"""Positions in which the game is over."""

_PAYOFFS = ((1, -1), (-1, 1))
"""In the first two of them; 0 elsewhere."""


class _Position(NamedTuple):
    """All that matters for the future, but for the turns left."""

    patroller: bool  # whether it is to move
    before: int  # where the evader comes from in this turn; 0 if it is yet to move
    evader: int
    waits: bool  # whether the evader is in the middle of a slow move
    tracks: frozenset[int]
    units: tuple[int, int]
    found: str  # a star if the patroller has seen tracks after its last move


class _Table(NamedTuple):
    """By number of a position."""

    labels: list[tuple[str, ...]]
    steps: list[tuple[tuple[str, int, int], ...]]  # of each action: the word for it, the next position, who moves there
    known: list[tuple[int, int]]  # what players 1 and 2 know of the position, numbered too


@dataclass(frozen=True)
class BorderPatrol(Rules):
    """An evader crosses a border unseen, leaving tracks, while two units patrol it.

    Each turn the evader (player 1) moves along an edge of a directed graph, then the patroller (player 2)
    moves both its units without having seen that. A quick move of the evader into a node of the first zone
    (4, 5, 6) leaves tracks there for ever. A slow one does not, but costs the next turn: all the evader can
    do then is to wait. After each of its moves the patroller sees whether there are tracks where its units
    are. The evader sees nothing.

    The evader wins 1 when it gets to node 16, and loses 1 when it is caught: after the patroller's move it is
    at the node of a unit, or it has swapped places with one. Nothing is won if all turns go by.

    Nodes: 0 start, 1 second start; 4, 5, 6 zone of the first unit; 7, 8, 9 not patrolled; 10, 11, 12 zone
    of the second unit; 16 destination. The patroller's first move puts its units on any node of their zones.

    The sequence counts and the value of G1 are the published ones. The text of the paper (section 6.1) says otherwise,
    and with that the counts differ: the evader may stay but for the two leftmost nodes, is captured on the same node
    only (no word of swapping places), leaves tracks in all nodes that it visits, and trees have up to about 1e11 nodes.

    Parameters
    ----------
    graph : int
        1 (from node 8 the evader can go to 11), 2 (also back to 7 and 9) or 3 (7, 8 and 9 lead straight on):
        the paper's G1, G2 and G3.
    depth : int
        Turns.
    slow : bool
        Whether there are slow moves.
    p2_zone : str
        Where the second unit may be: some of 10, 11, 12, separated by commas. Published counts need 11,12.
    evader_may_stay : bool
        Whether the evader may also take the edges that lead from a node to itself, like any other edge.
    swap_captures : bool
        Whether the evader is caught when it swaps places with a unit.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(BorderPatrol(depth=3)).num_nodes
    4238

    References
    ----------
    B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, "An exact double-oracle algorithm for zero-sum
    extensive-form games with imperfect information", JAIR 51, 2014: "search games" G1, G2 and G3.
    """

    graph: Annotated[int, Bounds(1, 3)] = 1
    depth: Annotated[int, Bounds(1, 50)] = 7
    slow: bool = True
    p2_zone: str = "11,12"
    evader_may_stay: bool = False
    swap_captures: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        nodes = self.p2_zone.split(",")
        if len(set(nodes)) < len(nodes) or not {*nodes} <= {*map(str, _SECOND_ZONE)}:
            raise SpecError(
                f"p2_zone={self.p2_zone:.60} is not allowed; expected one or more of 10, 11, 12, separated by commas"
            )
        object.__setattr__(self, "p2_zone", ",".join(sorted(nodes)))  # equal zones are equal rules

    @property
    def title(self) -> str:
        """What the game is called."""
        return f"Border patrol, graph {self.graph}, {self.depth} turns" + ("" if self.slow else ", no slow moves")

    # -- the table of positions -----------------------------------------------------------------------

    @cached_property
    def _edges(self) -> dict[int, tuple[int, ...]]:
        return _EDGES | _MIDDLE[self.graph]

    def _evader_moves(self, at: _Position) -> Iterator[tuple[str, _Position | int]]:
        """Labels of the evader's moves, and where they lead."""
        if at.waits:
            yield "wait", at._replace(patroller=True, before=at.evader, waits=False)
            return
        nodes = [node for node in self._edges[at.evader] if node != at.evader or self.evader_may_stay]
        for node in nodes:
            moved = at._replace(patroller=True, before=at.evader, evader=node)
            if node in _FIRST_ZONE:
                moved = moved._replace(tracks=at.tracks | {node})
            yield str(node), _HOME if node == _DESTINATION else moved
        for node in nodes if self.slow else ():
            if node in _FIRST_ZONE:
                yield f"slow {node}", at._replace(patroller=True, before=at.evader, evader=node, waits=True)

    def _patroller_moves(self, at: _Position) -> Iterator[tuple[str, _Position | int]]:
        """Labels of the patroller's moves, and where they lead."""
        first = [node for node in self._edges[at.units[0]] if node in _FIRST_ZONE]
        second = [node for node in self._edges[at.units[1]] if str(node) in self.p2_zone.split(",")]
        for units in product(first, second):
            caught = at.evader in units or (
                self.swap_captures and (at.before, at.evader) in zip(units, at.units, strict=True)
            )
            star = "" if at.tracks.isdisjoint(units) else "*"
            moved = at._replace(patroller=False, before=0, units=units, found=star)
            yield f"{units[0]},{units[1]}", _CAUGHT if caught else moved

    @cached_property
    def _table(self) -> _Table:
        """Number all positions, from the start."""
        table = _Table([()] * (_DRAWN + 1), [()] * (_DRAWN + 1), [(0, 0)] * (_DRAWN + 1))
        start = _Position(False, 0, _START, False, frozenset(), _UNITS, "")
        numbers: dict[_Position | int, int] = {_HOME: _HOME, _CAUGHT: _CAUGHT, _DRAWN: _DRAWN, start: _DRAWN + 1}
        views: dict[Hashable, int] = {}
        positions = [start]
        for at in positions:
            labels, steps = [], []
            for label, then in self._patroller_moves(at) if at.patroller else self._evader_moves(at):
                mover, word = TERMINAL, label
                if isinstance(then, _Position):
                    mover = int(then.patroller)
                    if at.patroller:
                        word += then.found
                    if then not in numbers:
                        numbers[then] = len(numbers)
                        positions.append(then)
                labels.append(label)
                steps.append((word, numbers[then], mover))
            table.labels.append(tuple(labels))
            table.steps.append(tuple(steps))
            evader, patroller = (at.evader, at.waits, at.tracks), (at.units, at.found)
            table.known.append((views.setdefault(evader, len(views)), views.setdefault(patroller, len(views))))
        return table

    @cached_property
    def _steps(self) -> list[tuple[tuple[str, int, int], ...]]:
        return self._table.steps

    # -- the protocol ---------------------------------------------------------------------------------

    def root(self) -> History:
        """The evader is at the start, the units are nowhere yet."""
        return 0, self.depth, _DRAWN + 1, "", ""

    def player(self, h: History) -> int:
        """The evader and the patroller, in turns."""
        return h[0]

    def actions(self, h: History) -> tuple[str, ...]:
        """Nodes to go to, quick ones first, such as ``"4"`` and ``"slow 4"``, or ``"wait"``; or both units' nodes."""
        return self._table.labels[h[2]]

    def child(self, h: History, i: int) -> History:
        """One more move."""
        mover, left, position, player1, player2 = h
        word, position, after = self._steps[position][i]
        if mover == 0:
            return after, left, position, f"{player1} {word}" if player1 else word, player2
        if left == 1 and after != TERMINAL:
            after, position = TERMINAL, _DRAWN
        return after, left - 1, position, player1, f"{player2} {word}" if player2 else word

    def infoset(self, h: History) -> str:
        """Own moves in their order; a star where the patroller saw tracks: ``"slow 4 wait 7"``, ``"5,11 5,12*"``."""
        return h[4] if h[0] else h[3]

    def payoff(self, h: History) -> tuple[int, int]:
        """1 to the evader at its destination, 1 to the patroller for catching it."""
        return _PAYOFFS[h[2]] if h[2] < _DRAWN else (0, 0)

    def observation(self, h: History, player: int) -> int:
        """Turns left and what the player knows of the position: its own part, and what the patroller has found."""
        return self._table.known[h[2]][player] << 7 | h[1]

    def state_key(self, h: History) -> int:
        """Number of the position, and turns left."""
        return h[2] << 7 | h[1]

    def utility_bounds(self) -> tuple[int, int]:
        """Caught or home."""
        return -1, 1

    def counts(self) -> dict[str, Any]:
        """Sizes, in the form of ``tremble info``, without building the tree."""
        return counts(self)
