"""Stage trees of limit betting, and the payoffs after the betting."""

from __future__ import annotations

from functools import cache

from tremble.poker.stage import GO_ON, OVER, Leaf, Line, Move, StageTree

__all__ = ["limit_betting", "limit_payoff"]


@cache
def limit_betting(bets: int) -> StageTree:
    """Return the stage tree of limit betting, with at most ``bets`` bets and raises in total.

    Player 1 moves first. If there is no bet yet, a player checks or bets. After a bet or raise, a player folds, calls
    or raises.

    Examples
    --------
    A round of Rhode Island Hold'em has 8 nodes where a player moves, 7 leaves at which the next round begins or the
    hands are compared, and 6 leaves after a fold.

    >>> stage = limit_betting(3)
    >>> len(stage.mover), len(stage.going_on), len(stage.ending)
    (21, 7, 6)
    """

    def after(line: Line) -> Move | Leaf:
        raised = sum(label in ("bet", "raise") for label in line)
        mover = len(line) % 2
        if line and line[-1] in ("bet", "raise"):
            return Move(mover, ("fold", "call", "raise") if raised < bets else ("fold", "call"))
        if not line or line == ("check",):
            return Move(mover, ("check", "bet") if bets else ("check",))
        return OVER if line[-1] == "fold" else GO_ON

    return StageTree.grow(after)


def limit_payoff(lines: tuple[Line, ...], ranks: tuple[int, ...], ante: int, sizes: tuple[int, ...]) -> tuple[int, int]:
    """Return the payoffs after limit betting.

    The stake of a player is its ante and its matched bets. At a showdown, the higher hand wins the opponent's stake.
    A player who folds loses its stake. The tuple ``sizes`` contains the size of a bet in each round.
    """
    stake = ante + sum(
        size * sum(label in ("bet", "raise") for label in line) for size, line in zip(sizes, lines, strict=False)
    )
    last = lines[-1]
    if last[-1] == "fold":
        stake -= sizes[len(lines) - 1]  # the last bet was not matched
        return (stake, -stake) if len(last) % 2 == 0 else (-stake, stake)
    won = stake * (ranks[0] - ranks[1])
    return won, -won
