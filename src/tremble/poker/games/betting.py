"""Rounds of betting as stage trees, with fixed limits and without, and what the players win after them."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from tremble.poker.stage import GO_ON, OVER, Leaf, Line, Move, StageTree

__all__ = ["limit_betting", "limit_payoff", "no_limit_betting", "no_limit_payoff"]


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


@cache
def no_limit_betting(pot: int, stack: int, sizes: tuple[int, ...], raises: int) -> StageTree:
    """Check or bet some percent of the pot; fold, call or raise by some percent of the pot after calling.

    Amounts are whole chips, at least one. What would be the whole stack or more is ``all-in``; of sizes that come to
    the same amount the first is left; raises by less than the last bet or raise are left out. Player 1 opens.

    Examples
    --------
    >>> no_limit_betting(100, 120, (50, 150), 1).actions[:2]
    (('check', 'bet 50', 'all-in'), ('check', 'bet 50', 'all-in'))
    """

    def after(line: Line) -> Move | Leaf:
        if line and line[-1] == "fold":
            return OVER
        if line and (line[-1] == "call" or line == ("check", "check")):
            return GO_ON
        mover = len(line) % 2
        facing, raised, last = _staked(line, pot, stack)
        if not facing:
            return Move(mover, ("check", *_wagers("bet", pot, 0, stack, sizes, 1)))
        may_raise = raised < raises and facing < stack
        wagers = _wagers("raise", pot + 2 * facing, facing, stack, sizes, last) if may_raise else ()
        return Move(mover, ("fold", "call", *wagers))

    return StageTree.grow(after)


def _wagers(word: str, pot: int, facing: int, stack: int, sizes: tuple[int, ...], least: int) -> tuple[str, ...]:
    """Labels of bets or raises of a pot, in ascending order."""
    action: dict[int, str] = {}
    for size in sizes:
        amount = _chips(size, pot)
        if facing + amount >= stack:
            action.setdefault(stack, "all-in")
        elif amount >= least:
            action.setdefault(facing + amount, f"{word} {size}")
    return tuple(action.values())


def _chips(size: int, pot: int) -> int:
    """Some percent of the pot in whole chips, halves rounded up, at least one."""
    return max(1, (2 * size * pot + 100) // 200)


def _staked(line: Line, pot: int, stack: int) -> tuple[int, int, int]:
    """After a line without calls and folds: the highest bet, how many raises there were, by how much the last."""
    bet, wagers, last = 0, 0, 0
    for label in line:
        if label == "check":
            continue
        wagers += 1
        amount = stack - bet if label == "all-in" else _chips(int(label.rpartition(" ")[2]), pot + 2 * bet)
        bet, last = bet + amount, amount
    return bet, max(0, wagers - 1), last


def no_limit_payoff(line: Line, ranks: tuple[int, ...], pot: int, stack: int) -> tuple[Fraction, Fraction]:
    """Chips that the winner wins: half of the pot, which the players have put in before, and the bets that were met."""
    if line[-1] == "fold":
        bet, _, last = _staked(line[:-1], pot, stack)
        won = Fraction(pot, 2) + bet - last
        return (won, -won) if len(line) % 2 == 0 else (-won, won)
    bet, _, _ = _staked(line[:-1] if line[-1] == "call" else line, pot, stack)
    won = (Fraction(pot, 2) + bet) * (ranks[0] - ranks[1])
    return won, -won
