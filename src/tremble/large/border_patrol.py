"""Border patrol: an evader crosses a graph, and a patroller guards the graph with two units."""

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
"""The mover, the number of turns left, the number of the position, and all moves of each player as text."""

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
"""Number of a graph -> the edges of nodes 7, 8 and 9. All other edges are the same in all graphs."""

_START, _DESTINATION, _UNITS = 0, 16, (17, 18)
_FIRST_ZONE, _SECOND_ZONE = (4, 5, 6), (10, 11, 12)

_HOME, _CAUGHT, _DRAWN = 0, 1, 2
"""The numbers of the three final positions.

In this order: the evader has reached its destination, the evader is caught, and no turns are left.
"""

_PAYOFFS = ((1, -1), (-1, 1))
"""The payoffs in positions _HOME and _CAUGHT. The payoffs in position _DRAWN are 0."""


class _Position(NamedTuple):
    """The state of the game, except for the number of turns left."""

    patroller: bool  # True if the patroller moves next
    before: int  # the evader's node before its move of this turn; 0 if the evader moves next
    evader: int  # the evader's node
    waits: bool  # True during a slow move, so that the evader must wait in its next turn
    tracks: frozenset[int]  # the nodes with tracks
    units: tuple[int, int]  # the nodes of both units
    found: str  # "*" if the patroller saw tracks after its last move, else ""


class _Table(NamedTuple):
    """The moves and observations at each position. All lists are indexed by the number of the position."""

    labels: list[tuple[str, ...]]
    steps: list[tuple[tuple[str, int, int], ...]]  # for each action: its text, next position, next mover
    known: list[tuple[int, int]]  # a number for what player 1 sees, and a number for what player 2 sees


@dataclass(frozen=True)
class BorderPatrol(Rules):
    """An evader crosses a border and leaves tracks, while a patroller guards the border with two units.

    In each turn the evader (player 1) moves along an edge of a directed graph. Then the patroller (player 2) moves both
    units, without seeing the evader's move. A quick move of the evader into a node of the first zone (4, 5, 6) leaves
    tracks at this node for the rest of the game. A slow move leaves no tracks, but in the next turn the evader can only
    wait. After each of its moves the patroller sees whether there are tracks at the nodes of its units. The evader does
    not see the units.

    The evader wins 1 when it reaches node 16. It loses 1 when it is caught. It is caught if, after the patroller's
    move, it is at the node of a unit or has swapped places with a unit. If all turns are used, the payoff is 0.

    The nodes are:

    - 0: the start
    - 1: a node next to the start
    - 4, 5, 6: the zone of the first unit
    - 7, 8, 9: nodes that no unit can enter
    - 10, 11, 12: the zone of the second unit (see ``p2_zone``)
    - 16: the destination

    The patroller's first move puts each unit on any node of its zone.

    With these rules, the numbers of sequences and the value of graph G1 are the same as in the paper by Bošanský et al.
    (2014). The text of the paper (section 6.1) describes different rules, which give different numbers:

    - The evader may stay at all nodes except the two leftmost ones.
    - The evader leaves tracks in all nodes that it visits.
    - The evader is captured at the node of a unit. The text does not mention swapping places.

    The largest games in the paper have about 1e11 nodes.

    Parameters
    ----------
    graph : int
        The number of the graph in the paper. In G1, node 8 leads only to node 11. In G2, node 8 also leads to nodes 7
        and 9. In G3, node 7 leads only to node 10, node 8 only to node 11, and node 9 only to node 12.
    depth : int
        The number of turns.
    slow : bool
        If True, the evader can make slow moves.
    p2_zone : str
        The nodes that the second unit can use: one or more of 10, 11, 12, separated by commas. With the default, the
        numbers of sequences are those of the paper.
    evader_may_stay : bool
        If True, the evader may also use edges that lead from a node to itself.
    swap_captures : bool
        If True, the evader is caught when it swaps places with a unit.

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
        object.__setattr__(self, "p2_zone", ",".join(sorted(nodes)))  # so that equal zones give equal rules

    @property
    def title(self) -> str:
        """The title of the game."""
        return f"Border patrol, graph {self.graph}, {self.depth} turns" + ("" if self.slow else ", no slow moves")

    # -- the table of positions -----------------------------------------------------------------------

    @cached_property
    def _edges(self) -> dict[int, tuple[int, ...]]:
        return _EDGES | _MIDDLE[self.graph]

    def _evader_moves(self, at: _Position) -> Iterator[tuple[str, _Position | int]]:
        """Yield, for each move of the evader, the label and the next position (or ``_HOME``)."""
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
        """Yield the labels of the patroller's moves, with the next positions."""
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
        """Build the table of all positions that can be reached from the start."""
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

    # -- the protocol ---------------------------------------------------------------------------------

    def root(self) -> History:
        """Return the start of the game. The evader is at node 0, and the units have not been placed yet."""
        return 0, self.depth, _DRAWN + 1, "", ""

    def player(self, h: History) -> int:
        """Return the mover. The evader and the patroller move alternately."""
        return h[0]

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the labels of the mover's moves.

        The evader's labels are nodes, such as ``"4"`` for a quick move and ``"slow 4"`` for a slow move, or ``"wait"``.
        Quick moves come before slow moves. The patroller's labels are the nodes of both units, such as ``"5,11"``.
        """
        return self._table.labels[h[2]]

    def child(self, h: History, i: int) -> History:
        """Return the history after move ``i``."""
        mover, left, position, player1, player2 = h
        word, position, after = self._table.steps[position][i]
        if mover == 0:
            return after, left, position, f"{player1} {word}" if player1 else word, player2
        if left == 1 and after != TERMINAL:
            after, position = TERMINAL, _DRAWN
        return after, left - 1, position, player1, f"{player2} {word}" if player2 else word

    def infoset(self, h: History) -> str:
        """Return the mover's own moves in order, such as ``"slow 4 wait 7"`` or ``"5,11 5,12*"``.

        A star marks a move after which the patroller saw tracks.
        """
        return h[4] if h[0] else h[3]

    def payoff(self, h: History) -> tuple[int, int]:
        """Return the payoffs: 1 and -1 at the evader's destination, -1 and 1 if the evader is caught, else 0 and 0."""
        return _PAYOFFS[h[2]] if h[2] < _DRAWN else (0, 0)

    def observation(self, h: History, player: int) -> int:
        """Encode two things as one integer: the number of turns that are left, and what the player sees.

        The evader sees its node, its tracks, and whether it must wait. The patroller sees the nodes of its units, and
        whether one of them has just found tracks.
        """
        return self._table.known[h[2]][player] << 7 | h[1]

    def state_key(self, h: History) -> int:
        """Encode the index of the position and the number of turns left as one integer."""
        return h[2] << 7 | h[1]

    def utility_bounds(self) -> tuple[int, int]:
        """Return -1 and 1, the least and the greatest payoff of the evader."""
        return -1, 1

    def counts(self) -> dict[str, Any]:
        """Return the sizes that ``tremble info`` prints, computed without building the tree."""
        return counts(self)
