"""Whether an action is ever right: its least regret over all plans of the opponent, best own continuation allowed.

With one continuation this is program I of :mod:`tremble.judging.audit.regret`. The best of all is a
maximum of linear functions, and to maximise a sum of such maxima is NP-hard, so own choices below are fixed one after
the other (branch and bound). Where a set is still open, its nodes are taken to pay what they would if both players
knew everything and wished the player well, which is linear in the opponent's plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tremble.judging.audit.regret import Continuation, Regret, Subgame
from tremble.model.tree import IntArray

__all__ = ["MOST_PROGRAMS", "best_case"]

MOST_PROGRAMS = 200  # linear programs spent on one action


def best_case(
    subgame: Subgame,
    action: int,
    continuation: Continuation,
    check: Callable[[], None],
    most_programs: int = MOST_PROGRAMS,
) -> Regret | None:
    """The regret of an action, an own sequence at the set of the subgame, against the plans that favour it most.

    Its amount is 0 if the action is right against some plan. A positive amount is lost whatever the opponent
    plays: at least, and exactly unless the programs ran out. None if they ran out before this was clear. The
    ``continuation``, some play of the action, is tried first.
    """
    least = subgame.least(*subgame.worth(continuation), check)
    if not least.amount or not subgame.outlook.followers[action]:
        return least
    open_choices: list[tuple[Fraction, dict[int, int]]] = [(Fraction(0), {})]
    solved = 1
    while open_choices and least.amount:
        if solved >= most_programs:
            bound = min(least.amount, *(bound for bound, _ in open_choices))
            return replace(least, amount=bound) if bound > 0 else None
        bound, choice = open_choices.pop()
        if bound >= least.amount:
            continue
        worth, unfixed = _worth(subgame, action, choice)
        found = subgame.least(worth, 1, check)
        solved += 1
        if found.amount >= least.amount:
            continue
        if unfixed is None:
            least = found
            continue
        value = _values(subgame, found.plan)
        order = sorted(subgame.outlook.side.sequences(unfixed), key=value.__getitem__)  # the best is popped first
        open_choices += [(found.amount, {**choice, unfixed: s}) for s in order]
    return least


def _worth(subgame: Subgame, action: int, choice: dict[int, int]) -> tuple[IntArray, int | None]:
    """What the action pays if sets play as chosen and open ones as hoped; an open set."""
    x: dict[int, Fraction] = {}
    unfixed: list[int] = []
    pending = [action]
    while pending:
        s = pending.pop()
        x[s] = Fraction(1)
        for follower in subgame.outlook.followers[s]:
            if follower in choice:
                pending.append(choice[follower])
            else:
                unfixed.append(follower)
    return subgame.worth(x, unfixed)[0], unfixed[-1] if unfixed else None


def _values(subgame: Subgame, plan: IntArray) -> dict[int, int]:
    """What each own sequence below earns against a plan if best responses follow."""
    side = subgame.outlook.side
    value = dict(zip(subgame.sequences, subgame.gains(plan), strict=True))
    for j in reversed(subgame.sets[1:]):
        value[int(side.parent[j])] += max(value[s] for s in side.sequences(j))
    return value
