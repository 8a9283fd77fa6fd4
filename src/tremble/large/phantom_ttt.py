"""Phantom tic-tac-toe: tic-tac-toe in which no player sees the opponent's marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tremble.errors import SpecError
from tremble.game.protocol import TERMINAL
from tremble.games.counting import counts
from tremble.games.parameters import Rules
from tremble.large.by_view import ByView
from tremble.large.position_rules import Move, PositionRules

__all__ = ["PhantomTTT"]

_OWN = 0x3FFFF
"""A mask for the bits of a position that player 1 sees. Player 2 sees the next 18 bits.

A position is an integer with four groups of 9 bits, where bit c of a group belongs to cell c. From the lowest group up,
the groups are the marks of player 1, the tries of player 1, the marks of player 2, and the tries of player 2. The next
bit is set if player 2 moves. Negative integers are the ends of the game.
"""

_TURN = 1 << 36
_DRAWN, _WON = -1, (-2, -3)  # the ends of the game: nobody, player 1, player 2 has won

_CELLS = tuple(map(str, range(9)))
_WORDS = (("+", ""), ("-", "")), (("", "+"), ("", "-"))  # what the players learn from a success and a failure
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
class PhantomTTT(PositionRules, Rules):
    """Tic-tac-toe in which no player sees the opponent's marks, so that a try fails if the cell is taken.

    Cells are numbered 0 to 8, row by row, and player 1 moves first. The mover picks a cell that it has not tried
    before. If the opponent has a mark in this cell, the mover learns this and tries again (in the abrupt version, it is
    the opponent's turn). The opponent does not notice the failed try. Otherwise the mover marks the cell, and it is the
    opponent's turn. A player with three marks in a row wins 1. A full board without three in a row is a draw with
    payoff 0.

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
    abrupt : bool
        If True, a failed try ends the turn.

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
    abrupt: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if sorted(self.order.split(",")) != list(_CELLS):
            raise SpecError(
                f"order={self.order:.60} is not allowed; expected each of the cells 0 to 8 once, separated by commas"
            )

    @property
    def title(self) -> str:
        """The title of the game."""
        forced, abrupt = ", wins are forced" * self.forced_wins, ", a failed try ends the turn" * self.abrupt
        return f"Phantom tic-tac-toe{forced}{abrupt}"

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
    def _defaults(self) -> list[int]:
        """A map from a player's observation to the index of the player's default action."""
        defaults = [0] * len(self._menus)
        for seen, menu in enumerate(self._menus):
            if len(menu) > 1:
                untried = ~(seen >> 9) & 511
                winning = self._first[_WINNING[seen & 511] & untried] if self.win_first else -1
                defaults[seen] = menu.index(winning if winning >= 0 else self._first[untried])
        return defaults

    def identity(self) -> str:
        """Return a text that identifies the game. Without ``abrupt``, it does not name this parameter."""
        return super().identity().replace("abrupt=false,", "")

    # -- the game: PositionRules ----------------------------------------------------------------------

    def start(self) -> int:
        """Return the empty board."""
        return 0

    def mover(self, position: int) -> int:
        """Return the player to move, or ``TERMINAL``."""
        return TERMINAL if position < 0 else position >> 36

    def moves(self, position: int) -> Sequence[Move]:
        """Return the tries of cells that the mover has not tried, or only the forced one.

        The mover's word is ``"+"``, or ``"-"`` if the try fails.
        """
        me, found = position >> 36, []
        mine, theirs = (18, 0) if me else (0, 18)
        success, failure = _WORDS[me]
        turn = -_TURN if me else _TURN  # added to a position, this passes the turn
        for cell in self._menus[self.view(position, me)]:
            then = position + (512 << mine + cell)
            if position >> theirs + cell & 1:
                found.append(Move(_CELLS[cell], then + turn * self.abrupt, failure))
                continue
            then += 1 << mine + cell
            if _THREE[then >> mine & 511]:
                then = _WON[me]
            elif (then | then >> 18) & 511 == 511:
                then = _DRAWN
            else:
                then += turn
            found.append(Move(_CELLS[cell], then, success))
        return found

    def result(self, position: int) -> tuple[int, int]:
        """Return 1 for a player with three in a row and -1 for the opponent, or 0 for both players in a draw."""
        return (0, 0) if position == _DRAWN else (1, -1) if position == _WON[0] else (-1, 1)

    def choice(self, position: int) -> int:
        """Return the index of the default action.

        With ``win_first``, the default action is the first winning cell in ``order``. If no cell wins, or without
        ``win_first``, it is the first untried cell in ``order``.
        """
        return self._defaults[self.view(position, position >> 36)]

    def view(self, position: int, player: int) -> int:
        """Return the player's own marks in bits 0 to 8 and its own tries in bits 9 to 17."""
        return position >> 18 & _OWN if player else position & _OWN

    # -- for solvers and `tremble info` -----------------------------------------------------------------

    def utility_bounds(self) -> tuple[int, int]:
        """Return -1 and 1, the payoffs of a loss and of a win."""
        return -1, 1

    def counts(self) -> dict[str, Any]:
        """Return the sizes that ``tremble info`` prints, computed without building the tree.

        The first call takes a few seconds.
        """
        return counts(ByView(self))
