"""Phantom tic-tac-toe: tic-tac-toe in which no player sees the opponent's marks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tremble.errors import SpecError
from tremble.game.protocol import TERMINAL
from tremble.games.counting import counts
from tremble.games.parameters import Rules

__all__ = ["PhantomTTT"]

History = tuple[int, int, str, str]
"""The mover, the board, all tries of player 1 as text, and all tries of player 2 as text.

The board is an integer with four groups of 9 bits, where bit c of a group belongs to cell c. From the lowest group up,
the groups are the marks of player 1, the tries of player 1, the marks of player 2, and the tries of player 2.
"""

_OWN = 0x3FFFF
"""A mask for the bits of the board that player 1 sees. Player 2 sees the next 18 bits."""

_CELLS = tuple(map(str, range(9)))
_ROWS_AND_COLUMNS = (0b111, 0b111_000, 0b111_000_000, 0b001_001_001, 0b010_010_010, 0b100_100_100)
_LINES = (*_ROWS_AND_COLUMNS, 0b100_010_001, 0b001_010_100)

_THREE = tuple(any(marks & line == line for line in _LINES) for marks in range(512))
"""A map from a set of marks, as bits, to True if it contains three in a row."""


def _completing(lines: tuple[int, ...]) -> tuple[int, ...]:
    """Return, for each set of marks, a bit mask of the cells where one more mark completes one of ``lines``."""
    return tuple(
        sum(
            1 << cell
            for cell in range(9)
            if any(line >> cell & 1 and (marks | 1 << cell) & line == line for line in lines)
        )
        for marks in range(512)
    )


_FORCED = _completing(_ROWS_AND_COLUMNS)
_WINNING = _completing(_LINES)


@dataclass(frozen=True)
class PhantomTTT(Rules):
    """Tic-tac-toe in which no player sees the opponent's marks, so that a try fails if the cell is taken.

    Cells are numbered 0 to 8, row by row, and player 1 moves first. The mover picks a cell that it has not tried
    before. If the opponent has a mark in this cell, the mover learns this and tries again. The opponent does not notice
    the failed try. Otherwise the mover marks the cell, and it is the opponent's turn. A player with three marks in a
    row wins 1. A full board without three in a row is a draw with payoff 0.

    A player knows its own tries, their order, and which of them failed. Actions are the untried cells in ascending
    order.

    A board consists of the marks and tries of both players. There are only 415,123 boards, and players move at 284,627
    of them. The tree has 19,934,533,171 nodes, because many histories lead to the same board. It cannot be built.

    Parameters
    ----------
    forced_wins : bool
        If True, some wins are forced. If untried cells would complete a row or column of own marks, the first of these
        cells in ``order`` is the only legal action. Three on a diagonal also win, but such a win is never forced.
    order : str
        All cells in the order in which the default strategy tries them.
    win_first : bool
        If True, the default strategy prefers cells that complete three in a row. If there are such cells, it tries the
        first of them in ``order``.

    Examples
    --------
    >>> rules = PhantomTTT()
    >>> h = rules.root()
    >>> for cell in (4, 0):  # player 1 takes the centre, player 2 a corner
    ...     h = rules.child(h, rules.actions(h).index(str(cell)))
    >>> h = rules.child(h, 0)  # player 1 tries the same corner, fails, and must try again
    >>> rules.player(h), rules.infoset(h), rules.actions(h)
    (0, '4+ 0-', ('1', '2', '3', '5', '6', '7', '8'))

    References
    ----------
    B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, "An exact double-oracle algorithm for zero-sum
    extensive-form games with imperfect information", JAIR 51, 2014.
    """

    forced_wins: bool = False
    order: str = "4,0,8,6,2,1,3,7,5"
    win_first: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if sorted(self.order.split(",")) != list(_CELLS):
            raise SpecError(
                f"order={self.order:.60} is not allowed; expected each of the cells 0 to 8 once, separated by commas"
            )

    @property
    def title(self) -> str:
        """The title of the game."""
        return "Phantom tic-tac-toe" + (", wins are forced" if self.forced_wins else "")

    @cached_property
    def _first(self) -> tuple[int, ...]:
        """The cell that is first in ``order``, for each set of cells (index: its bit mask); -1 for the empty set."""
        order = tuple(map(int, self.order.split(",")))
        return tuple(next((cell for cell in order if cells >> cell & 1), -1) for cells in range(512))

    @cached_property
    def _menus(self) -> list[tuple[int, ...]]:
        """The cells that a player may try, in a list indexed by the player's observation."""
        menus: list[tuple[int, ...]] = [()] * (_OWN + 1)
        for tried in range(512):
            untried = tuple(cell for cell in range(9) if not tried >> cell & 1)
            marks = tried
            while True:  # for all subsets of the tried cells
                forced = self._first[_FORCED[marks] & ~tried] if self.forced_wins else -1
                menus[tried << 9 | marks] = untried if forced < 0 else (forced,)
                if not marks:
                    break
                marks = (marks - 1) & tried
        return menus

    @cached_property
    def _labels(self) -> list[tuple[str, ...]]:
        """Labels of a player's actions, in a list that is indexed by the player's observation."""
        labels = {menu: tuple(_CELLS[cell] for cell in menu) for menu in set(self._menus)}
        return [labels[menu] for menu in self._menus]

    @cached_property
    def _defaults(self) -> list[int]:
        """A map from a player's observation to the index of the player's default action."""
        defaults = [0] * len(self._menus)
        for seen, menu in enumerate(self._menus):
            if len(menu) > 1:
                untried = ~(seen >> 9) & 511
                winning = self._first[_WINNING[seen & 511] & untried] if self.win_first else -1
                defaults[seen] = menu.index(winning if winning >= 0 else self._first[untried])
        return defaults

    def root(self) -> History:
        """Return the empty board."""
        return 0, 0, "", ""

    def player(self, h: History) -> int:
        """Return the player to move at ``h``."""
        return h[0]

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the cells that the mover has not tried. If ``forced_wins`` forces a cell, return only this cell."""
        return self._labels[h[1] >> 18 if h[0] else h[1] & _OWN]

    def child(self, h: History, i: int) -> History:
        """Return the history after try ``i``."""
        mover, board, seen1, seen2 = h
        if mover == 0:
            cell = self._menus[board & _OWN][i]
            bit = 1 << cell
            if board >> 18 & bit:
                return 0, board | bit << 9, f"{seen1} {cell}-" if seen1 else f"{cell}-", seen2
            board |= bit << 9 | bit
            seen1 = f"{seen1} {cell}+" if seen1 else f"{cell}+"
            # Only player 1 can fill the board, because it makes the first mark and the ninth.
            over = _THREE[board & 511] or (board | board >> 18) & 511 == 511
            return TERMINAL if over else 1, board, seen1, seen2
        cell = self._menus[board >> 18][i]
        bit = 1 << cell
        if board & bit:
            return 1, board | bit << 27, seen1, f"{seen2} {cell}-" if seen2 else f"{cell}-"
        board |= bit << 27 | bit << 18
        return TERMINAL if _THREE[board >> 18 & 511] else 0, board, seen1, f"{seen2} {cell}+" if seen2 else f"{cell}+"

    def infoset(self, h: History) -> str:
        """Return the mover's own tries in order, such as ``"4+ 0- 8+"``.

        A plus sign means that the cell was marked. A minus sign means that the try failed.
        """
        return h[3] if h[0] else h[2]

    def payoff(self, h: History) -> tuple[int, int]:
        """Return 1 for a player with three in a row and -1 for the opponent, or 0 for both players in a draw."""
        if _THREE[h[1] & 511]:
            return 1, -1
        return (-1, 1) if _THREE[h[1] >> 18 & 511] else (0, 0)

    def observation(self, h: History, player: int) -> int:
        """Return the player's own marks in bits 0 to 8 and its own tries in bits 9 to 17."""
        return h[1] >> 18 if player else h[1] & _OWN

    def state_key(self, h: History) -> int:
        """Return the marks and tries of both players. They also determine the mover."""
        return h[1]

    def default(self, h: History) -> int:
        """Return the index of the default action.

        With ``win_first``, the default action is the first winning cell in ``order``. If no cell wins, or without
        ``win_first``, it is the first untried cell in ``order``.
        """
        return self._defaults[h[1] >> 18 if h[0] else h[1] & _OWN]

    def utility_bounds(self) -> tuple[int, int]:
        """Return -1 and 1, the payoffs of a loss and of a win."""
        return -1, 1

    def counts(self) -> dict[str, Any]:
        """Return the sizes that ``tremble info`` prints, computed without building the tree.

        The first call takes a few seconds.
        """
        return counts(self)
