"""Texas Hold'em from the flop on: three rounds of betting."""

from __future__ import annotations

from dataclasses import dataclass

from tremble.poker.holdem.game import HoldemTurn

__all__ = ["HoldemFlop"]


@dataclass(frozen=True, eq=False, repr=False)
class HoldemFlop(HoldemTurn):
    """The last three rounds of Texas Hold'em on a known flop.

    The parameters are those of :class:`~tremble.poker.HoldemTurn`. The sizes of a parameter such as ``bets`` are
    separated by ``/``: those of the flop, of the turn and of the river.

    A flop has about 250 times as many information sets as a turn with the same sizes. ``tremble info`` states the
    memory and the time that a solution needs. :func:`tremble.solve` refuses a game that does not fit into memory.

    Examples
    --------
    >>> game = HoldemFlop("Kh9d7s", pot=20, stack=40, bets="100", range1="AA,KQs", range2="TT+,AKs")
    >>> len(game.deal.rivers), len(list(game.deal.states(2)))
    (49, 2352)
    """

    board: str = "Qs9h7s"
    bets: str = "75"
    raises: int = 1

    streets = 3
