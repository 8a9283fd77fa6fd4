r"""Nash equilibria: nobody can gain by deviating; and bounds on the value of constant-sum games.

In a game where the payoffs sum to c, player 1's strategy guarantees c minus the best-response value of
player 2, and player 2's strategy keeps player 1 to the best-response value of player 1:

.. math::  c - BR_2(x) \;\le\; v \;\le\; BR_1(y) .

Both are exact whatever the strategies; at an equilibrium they meet.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tremble.fraction_text import parse_fraction, shorten
from tremble.solution.heading import Status
from tremble.verifier.verification import Case, Statement, place, unequal

__all__ = [
    "check_best_response_certificate",
    "check_bounds",
    "check_equilibrium",
    "check_nash",
    "check_off_path",
    "check_stated",
]


def check_nash(case: Case) -> None:
    """Check what a solution with the concept ``nash`` states: certified or bounded."""
    check_off_path(case)
    check_stated(case)


def check_stated(case: Statement) -> None:
    """Check the same but for the marks of rows, which only complete strategies have."""
    if case.solution.status == Status.CERTIFIED:
        check_equilibrium(case)
    check_bounds(case)
    check_best_response_certificate(case)
    if case.solution.beliefs is not None:
        case.problems.add("beliefs: the concept 'nash' defines none")


def check_off_path(case: Case) -> None:
    """Sets are marked ``off_path`` exactly where the player's own strategy never comes."""
    for player, (table, performance) in enumerate(zip(case.solution.tables, case.evaluation.players, strict=True)):
        for k, (marked, reached) in enumerate(zip(table.off_path.tolist(), performance.reached, strict=True)):
            if marked == reached:
                mark, comes = ("marked", "comes") if marked else ("not marked", "never comes")
                case.problems.add(
                    f"{place(case.tree, player, k)}: {mark} off_path, but the player's own strategy {comes} there"
                )


def check_equilibrium(case: Statement) -> None:
    """Neither player can gain anything by deviating."""
    for player, earnings in enumerate(case.evaluation.players):
        if earnings.gain:
            most = shorten(earnings.best_response_value)
            case.problems.add(
                f"player {player + 1} can gain {shorten(earnings.gain)} by deviating: the strategy earns "
                f"{shorten(earnings.value)}, a best response {most}{case.lapse(player)}"
            )


def check_bounds(case: Statement) -> None:
    """The stated bounds on player 1's value follow from the two strategies; certified ones equal the value."""
    stated, proven = case.solution.bounds, case.evaluation.bounds
    status = case.solution.status
    if proven is None:
        if stated is not None:
            case.problems.add("bounds: the payoffs of this game have no constant sum, so there is no value to bound")
        elif status == Status.BOUNDED:
            case.problems.add("status: 'bounded' needs a game whose payoffs have a constant sum")
        return
    if stated is None:
        case.problems.add("bounds: missing; the payoffs of this game have a constant sum")
        return
    if status == Status.CERTIFIED:
        for name, bound in zip(("lower", "upper"), stated, strict=True):
            if bound != case.evaluation.values[0]:
                case.problems.add(
                    f"bounds: a certified {name} bound is the value; {unequal(bound, case.evaluation.values[0])}"
                )
        return
    if stated[0] > proven[0]:
        case.problems.add(
            f"bounds: the lower bound is stated as {shorten(stated[0])}, but the strategy of player 1 guarantees only "
            f"{shorten(proven[0])}"
        )
    if stated[1] < proven[1]:
        case.problems.add(
            f"bounds: the upper bound is stated as {shorten(stated[1])}, but against the strategy of player 2 "
            f"player 1 can earn {shorten(proven[1])}"
        )


def check_best_response_certificate(case: Statement) -> None:
    """The certificate is of kind ``best-response`` and its numbers are the true ones."""
    certificate = case.solution.certificate
    kind = certificate.get("kind")
    if kind != "best-response":
        found = repr(kind)[:60] if "kind" in certificate else "missing"
        case.problems.add(f"certificate.kind: {found}; here stands a certificate of kind 'best-response'")
        return
    for key in certificate:
        if key not in ("kind", "nash_conv", "best_response_values"):
            case.problems.add(f"certificate.{key[:60]}: a certificate of kind 'best-response' has no such field")
    _compare(case, certificate.get("nash_conv"), case.evaluation.nash_conv, "certificate.nash_conv")
    stated = certificate.get("best_response_values")
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        case.problems.add("certificate.best_response_values: not a list of two exact numbers")
        return
    for i, true in enumerate(case.evaluation.best_response_values):
        _compare(case, stated[i], true, f"certificate.best_response_values[{i}]")


def _compare(case: Statement, stated: Any, true: Fraction, where: str) -> None:
    value = stated if isinstance(stated, Fraction) else None
    if isinstance(stated, str):
        try:
            value = parse_fraction(stated)
        except ValueError:
            value = None
    if value is None:
        case.problems.add(f"{where}: not an exact number as text")
    elif value != true:
        case.problems.add(f"{where}: {unequal(value, true)}")
