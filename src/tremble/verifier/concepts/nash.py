r"""Nash equilibria: nobody can gain by deviating; and bounds on what player 1 can guarantee.

In a game where the payoffs sum to c, player 1's strategy guarantees c minus the best-response value of
player 2, and player 2's strategy keeps player 1 to the best-response value of player 1:

.. math::  c - BR_2(x) \;\le\; v \;\le\; BR_1(y) .

Both are exact whatever the strategies; at an equilibrium they meet.

Of rules that are not built, only plays are looked at that x or y allows, and c is what all of these pay together. Let
v be the most that player 1 can guarantee. Whatever player 2 does against x, the play is one that x allows, so that
player 2 earns at most :math:`BR_2(x)`, and player 1 the rest of c: x guarantees :math:`c - BR_2(x)`. Against y no
strategy of player 1 earns more than :math:`BR_1(y)`, so that none guarantees more. Hence the same two bounds on v,
whatever the plays pay that neither strategy allows. That v is the value, what player 2 can hold player 1 down to and
all equilibria pay, is said only of games in which all payoffs sum to c.
"""

from __future__ import annotations

from collections.abc import Callable

from tremble.game.tree import GameTree
from tremble.numbers import shorten
from tremble.verifier.budget import listening
from tremble.verifier.certificates.best_response import BestResponseCertificate
from tremble.verifier.context import CheckContext, unequal

__all__ = [
    "check_best_responses",
    "check_bounds",
    "check_equilibrium",
    "check_nash",
    "check_off_path",
    "check_play_everywhere",
    "check_refinement",
]


def check_nash(context: CheckContext) -> None:
    """Check what a solution with the concept ``nash`` states: certified or bounded."""
    if isinstance(context.game, GameTree):
        check_off_path(context)
    check_best_responses(context)


def check_refinement(context: CheckContext, prove: Callable[[CheckContext], object], *, of_plans: bool = False) -> None:
    """Check what a solution states that is more than a Nash equilibrium by its certificate, which ``prove`` looks at.

    ``of_plans`` tells that play off the own path is no part of it, so that it may be marked.

    Of a refinement that was not reached, bounds and best responses are stated as for ``nash``.
    """
    if not context.solution.certified:
        check_best_responses(context)
        return
    check_equilibrium(context)
    check_bounds(context)
    if of_plans:
        check_off_path(context, where_marked=True)
    else:
        check_play_everywhere(context)
    prove(context)


def check_best_responses(context: CheckContext) -> None:
    """Check what follows from best responses alone."""
    if context.solution.certified:
        check_equilibrium(context)
    check_bounds(context)
    BestResponseCertificate.check(context)


def check_off_path(context: CheckContext, *, where_marked: bool = False) -> None:
    """Sets are marked ``off_path`` exactly where the player's own strategy never comes, or only there."""
    context.checked.add("off_path")
    for player, (table, own) in enumerate(zip(context.solution.tables, context.evaluation.players, strict=True)):
        for k, (marked, reached) in enumerate(listening(zip(table.off_path.tolist(), own.reached, strict=True))):
            if marked == reached and (marked or not where_marked):
                mark, comes = ("marked", "comes") if marked else ("not marked", "never comes")
                context.problems.add(
                    f"{context.place(player, k)}: {mark} off_path, but the player's own strategy {comes} there"
                )


def check_equilibrium(context: CheckContext) -> None:
    """Neither player can gain anything by deviating."""
    for player, earnings in enumerate(context.outcome.players):
        if earnings.gain:
            most = shorten(earnings.best_response_value)
            context.problems.add(
                f"player {player + 1} can gain {shorten(earnings.gain)} by deviating: the strategy earns "
                f"{shorten(earnings.value)}, a best response {most}{context.worst_deviation(player)}"
            )


def check_bounds(context: CheckContext) -> None:
    """The stated bounds follow from the two strategies; certified ones equal what player 1 earns."""
    stated, proven = context.solution.bounds, context.outcome.bounds
    certified = context.solution.certified
    context.checked.add("bounds")
    if proven is None:
        if stated is not None:
            context.problems.add("bounds: the payoffs of this game have no constant sum, so there is no value to bound")
        elif not certified:
            context.problems.add("status: 'bounded' needs a game whose payoffs have a constant sum")
        return
    if stated is None:
        if context.outcome.every_leaf:
            context.problems.add("bounds: missing; the payoffs of this game have a constant sum")
        elif not certified:
            context.problems.add("bounds: missing; they are what the status 'bounded' states")
        return
    if certified:
        for name, bound in zip(("lower", "upper"), stated, strict=True):
            if bound != context.outcome.values[0]:
                context.problems.add(
                    f"bounds: a certified {name} bound is the value; {unequal(bound, context.outcome.values[0])}"
                )
        return
    if stated[0] > proven[0]:
        context.problems.add(
            f"bounds: the lower bound is stated as {shorten(stated[0])}, but the strategy of player 1 guarantees only "
            f"{shorten(proven[0])}"
        )
    if stated[1] < proven[1]:
        context.problems.add(
            f"bounds: the upper bound is stated as {shorten(stated[1])}, but against the strategy of player 2 "
            f"player 1 can earn {shorten(proven[1])}"
        )


def check_play_everywhere(context: CheckContext) -> None:
    """No set is marked ``off_path``."""
    context.checked.add("off_path")
    for player, table in enumerate(context.solution.tables):
        for k in table.off_path.nonzero()[0].tolist():
            context.problems.add(
                f"{context.place(player, k)}: marked off_path, but {context.solution.concept!r} defines play everywhere"
            )
