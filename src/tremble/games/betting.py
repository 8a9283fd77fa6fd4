"""A round of fixed-limit betting as a stage tree, and what the players have staked after it."""

from __future__ import annotations

from functools import cache

from tremble.model.ordered.stage import GO_ON, OVER, Leaf, Line, Move, StageTree

__all__ = ["limit_betting", "limit_payoff"]


@cache
def limit_betting(bets: int) -> StageTree:
    """Check or bet; fold, call or raise: at most so many bets and raises in all. Player 1 opens.

    Examples
    --------
    The round of Rhode Island Hold'em: 8 nodes where somebody moves, 7 lines that go on, 6 folds.

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
    """What the winner of the ante and of the bets wins; who folds loses."""
    stake = ante + sum(
        size * sum(label in ("bet", "raise") for label in line) for size, line in zip(sizes, lines, strict=False)
    )
    last = lines[-1]
    if last[-1] == "fold":
        stake -= sizes[len(lines) - 1]  # the last bet was not matched
        return (stake, -stake) if len(last) % 2 == 0 else (-stake, stake)
    won = stake * (ranks[0] - ranks[1])
    return won, -won
