"""Whether an action is ever right: its least regret over all plans of the rival, best own continuation allowed.

With one continuation this is program I of :mod:`tremble.judging.audit.regret`. The best of all is a
maximum of linear functions, and to maximise a sum of such maxima is NP-hard, so own choices below are fixed one after
the other (branch and bound). Where a set is still open, its nodes are taken to pay what they would if both players
knew everything and wished the player well, which is linear in the rival's plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tremble.judging.audit.regret import Continuation, Regret, Subgame
from tremble.judging.audit.view import Weights

__all__ = ["MOST_PROGRAMS", "best_case"]

MOST_PROGRAMS = 200
"""Linear programs spent on one action."""


def best_case(
    subgame: Subgame,
    action: int,
    continuation: Continuation,
    check: Callable[[], None],
    most_programs: int = MOST_PROGRAMS,
) -> Regret | None:
    """The regret of an action against the plans of the rival that favour it most.

    Parameters
    ----------
    subgame : Subgame
    action : int
        Own sequence at the set of the subgame.
    continuation : Continuation
        Some play of the action, tried first.
    check : callable
    most_programs : int

    Returns
    -------
    Regret or None
        Its amount is 0 if the action is right against some plan. A positive amount is given away whatever the
        rival plays: at least, and exactly unless the programs ran out. None if they ran out before this was clear.
    """
    least = subgame.least(*subgame.worth(continuation), check)
    if not least.amount or not subgame.view.followers[action]:
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
        value = _values(subgame, found.rival)
        order = sorted(subgame.view.sequences(unfixed), key=value.__getitem__)  # the best is popped first
        open_choices += [(found.amount, {**choice, unfixed: s}) for s in order]
    return least


def _worth(subgame: Subgame, action: int, choice: dict[int, int]) -> tuple[Weights, int | None]:
    """What the action pays if sets play as chosen and open ones as hoped; an open set."""
    view = subgame.view
    total: Weights = {}
    unfixed: int | None = None
    pending = [action]
    while pending:
        s = pending.pop()
        parts = [view.pay[s]]
        for follower in view.followers[s]:
            if follower in choice:
                pending.append(choice[follower])
            else:
                parts.append(view.hope[follower])
                unfixed = follower
        for part in parts:
            for t, w in part.items():
                total[t] = total.get(t, 0) + w
    return total, unfixed


def _values(subgame: Subgame, rival: Weights) -> dict[int, int]:
    """What each own sequence below earns against a plan if best responses follow."""
    view = subgame.view
    value = {s: sum(w * rival.get(t, 0) for t, w in view.pay[s].items()) for s in subgame.sequences}
    for j in reversed(subgame.sets[1:]):
        value[view.parent[j]] += max(value[s] for s in view.sequences(j))
    return value
