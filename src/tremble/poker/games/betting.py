"""Stage trees of limit and no-limit betting, and the payoffs after the betting."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from tremble.poker.stage import GO_ON, OVER, Leaf, Line, Move, StageTree

__all__ = ["limit_betting", "limit_payoff", "no_limit_betting", "no_limit_payoff"]


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


@cache
def no_limit_betting(pot: int, stack: int, sizes: tuple[int, ...], raises: int) -> StageTree:
    """Return the stage tree of no-limit betting, with bet sizes in percent of the pot.

    Player 1 moves first. If there is no bet yet, a player checks or bets a percentage of the pot. After a bet or raise,
    a player folds, calls or raises (up to ``raises`` times) by a percentage of the pot including the call. More rules:

    * Each amount is a whole number of chips, at least one chip.
    * A bet or raise of the whole stack or more has the label ``all-in``.
    * If two sizes give equal amounts, only the first size is an action.
    * A raise must be at least as large as the last bet or raise, unless it is ``all-in``.

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
    """Return the labels of the possible bets or raises, in ascending order of their amounts."""
    action: dict[int, str] = {}
    for size in sizes:
        amount = _chips(size, pot)
        if facing + amount >= stack:
            action.setdefault(stack, "all-in")
        elif amount >= least:
            action.setdefault(facing + amount, f"{word} {size}")
    return tuple(action.values())


def _chips(size: int, pot: int) -> int:
    """Return ``size`` percent of the pot in whole chips, at least one chip. Halves are rounded up."""
    return max(1, (2 * size * pot + 100) // 200)


def _staked(line: Line, pot: int, stack: int) -> tuple[int, int, int]:
    """Return three integers: the greater stake of the two players in this round, the number of raises, the last wager.

    A wager is a bet or a raise. ``line`` must contain only checks, bets and raises.
    """
    bet, wagers, last = 0, 0, 0
    for label in line:
        if label == "check":
            continue
        wagers += 1
        amount = stack - bet if label == "all-in" else _chips(int(label.rpartition(" ")[2]), pot + 2 * bet)
        bet, last = bet + amount, amount
    return bet, max(0, wagers - 1), last


def no_limit_payoff(line: Line, ranks: tuple[int, ...], pot: int, stack: int) -> tuple[Fraction, Fraction]:
    """Return the payoffs after no-limit betting, in chips.

    The winner gains the chips that the opponent bet or called in this round, and the opponent's half of ``pot``.
    """
    if line[-1] == "fold":
        bet, _, last = _staked(line[:-1], pot, stack)
        won = Fraction(pot, 2) + bet - last
        return (won, -won) if len(line) % 2 == 0 else (-won, won)
    bet, _, _ = _staked(line[:-1] if line[-1] == "call" else line, pot, stack)
    won = (Fraction(pot, 2) + bet) * (ranks[0] - ranks[1])
    return won, -won
