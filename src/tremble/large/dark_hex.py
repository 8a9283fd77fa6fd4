"""Dark hex: the board game Hex, in which no player sees the opponent's stones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from tremble.game.protocol import TERMINAL
from tremble.games.counting import counts
from tremble.games.parameters import Bounds, Rules
from tremble.large.by_view import ByView
from tremble.large.position_rules import Move, PositionRules

__all__ = ["DarkHex"]


_OVER = (-1, -2)
"""The positions in which player 1 and player 2 has won.

Other positions are integers with a bit for each cell in four groups, and with the mover. From the lowest group up, the
groups are the stones of player 1, the tries of player 1, the stones of player 2, and the tries of player 2.
"""


@dataclass(frozen=True)
class DarkHex(PositionRules, Rules):
    """Hex in which no player sees the opponent's stones, so that a try fails if the cell is taken.

    The board is a rhombus of hexagonal cells. The cells are numbered from 0, row by row. The neighbors of a cell are
    the cells beside it in its row, above it and above it to the right, below it and below it to the left. Player 1
    moves first and wins if its stones connect the top row and the bottom row. Player 2 wins if its stones connect the
    first column and the last column. One of the two always happens. The winner gets 1, and the loser gets -1.

    The mover picks a cell that it has not tried before. If the opponent has a stone there, only the mover learns this.
    It then tries again. Or, in the abrupt version, it is the opponent's turn.

    A player knows its own tries, their order, and which of them failed. Actions are the untried cells in ascending
    order. The default strategy tries the cells in the order of their distance from the center, with the cells on the
    short diagonal first.

    With 3 x 3 cells there are 19,119,486,979 nodes. The tree cannot be built.

    Parameters
    ----------
    size : int
        The number of rows and columns.
    abrupt : bool
        If True, a failed try ends the turn.

    Examples
    --------
    >>> rules = DarkHex()
    >>> h = rules.root()
    >>> for cell in ("4", "4", "2"):  # player 1 takes the center, player 2 fails there and tries again
    ...     h = rules.child(h, rules.actions(h).index(cell))
    >>> h = rules.child(h, rules.actions(h).index("2"))
    >>> rules.player(h), rules.infoset(h)
    (0, '4+ 2-')

    References
    ----------
    M. Rudolph, N. Lichtle, S. Mohammadpour et al., "Reevaluating policy gradient methods for imperfect-information
    games", ICLR 2026, where both versions with 3 x 3 cells are benchmarks.
    """

    size: Annotated[int, Bounds(2, 5)] = 3
    abrupt: bool = False

    @property
    def title(self) -> str:
        """The title of the game."""
        return f"Dark hex, {self.size} x {self.size} cells" + (", a failed try ends the turn" if self.abrupt else "")

    @cached_property
    def _neighbors(self) -> list[list[int]]:
        """The neighbors of each cell."""
        n, steps = self.size, ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))
        return [
            [(r + dr) * n + c + dc for dr, dc in steps if 0 <= r + dr < n and 0 <= c + dc < n]
            for r in range(n)
            for c in range(n)
        ]

    @cached_property
    def _order(self) -> list[int]:
        """All cells in the order in which the default strategy tries them."""

        def key(cell: int) -> tuple[int, int]:
            row, column = 2 * (cell // self.size) - self.size + 1, 2 * (cell % self.size) - self.size + 1
            return abs(row) + abs(column) + abs(row + column), abs(row + column)  # zero at the center

        return sorted(range(self.size**2), key=key)

    @cached_property
    def _known(self) -> dict[tuple[int, int], bool]:
        return {}

    def _connects(self, player: int, stones: int) -> bool:
        """Return True if a player's stones connect the player's two sides of the board."""
        found = self._known.get((player, stones))
        if found is None:
            n = self.size
            ends = [n * (n - 1) + k if player == 0 else n * k + n - 1 for k in range(n)]
            waiting = [k if player == 0 else n * k for k in range(n)]
            met = set()
            while waiting:
                cell = waiting.pop()
                if stones >> cell & 1 and cell not in met:
                    met.add(cell)
                    waiting += self._neighbors[cell]
            found = self._known[player, stones] = not met.isdisjoint(ends)
        return found

    def _untried(self, position: int) -> int:
        """Return the cells that the mover has not tried, as bits."""
        cells = self.size**2
        return ~(position >> (3 if self.mover(position) else 1) * cells) & ((1 << cells) - 1)

    # -- the game: PositionRules ----------------------------------------------------------------------

    def start(self) -> int:
        """Return the empty board."""
        return 0

    def mover(self, position: int) -> int:
        """Return the player to move, or ``TERMINAL``."""
        return TERMINAL if position < 0 else position >> 4 * self.size**2

    def moves(self, position: int) -> Sequence[Move]:
        """Return a move for each cell that the mover has not tried.

        The mover's word is ``"+"``, or ``"-"`` if the try fails.
        """
        cells, me, untried, found = self.size**2, self.mover(position), self._untried(position), []
        mine, theirs = (2 * cells, 0) if me else (0, 2 * cells)
        success, failure = (("", "+"), ("", "-")) if me else (("+", ""), ("-", ""))
        turn = (1 - 2 * me) << 4 * cells  # added to a position, this passes the turn
        for cell in range(cells):
            if not untried >> cell & 1:
                continue
            then, words = position + (1 << mine + cells + cell), success
            if position >> theirs + cell & 1:
                then, words = then + turn * self.abrupt, failure
            else:
                then += 1 << mine + cell
                won = self._connects(me, then >> mine & ((1 << cells) - 1))
                then = _OVER[me] if won else then + turn
            found.append(Move(str(cell), then, words))
        return found

    def result(self, position: int) -> tuple[int, int]:
        """Return 1 for the winner and -1 for the loser."""
        return (1, -1) if position == _OVER[0] else (-1, 1)

    def choice(self, position: int) -> int:
        """Return the index of the untried cell that is first in the default order."""
        untried = self._untried(position)
        first = next(cell for cell in self._order if untried >> cell & 1)
        return (untried & ((1 << first) - 1)).bit_count()

    def view(self, position: int, player: int) -> int:
        """Return the player's own stones and tries."""
        return position >> 2 * player * self.size**2 & ((1 << 2 * self.size**2) - 1)

    # -- for solvers and `tremble info` -----------------------------------------------------------------

    def utility_bounds(self) -> tuple[int, int]:
        """Return -1 and 1, the payoffs of a loss and of a win."""
        return -1, 1

    def counts(self) -> dict[str, Any]:
        """Return the sizes that ``tremble info`` prints, computed without building the tree.

        With 3 x 3 cells, the first call takes a few seconds.
        """
        return counts(ByView(self))
