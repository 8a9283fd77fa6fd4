r"""Nash equilibria, and bounds on the value of a game with a constant sum.

Theorem.  A profile is a Nash equilibrium exactly if neither player gains by a best response.

Proof.  This is the definition. `best_response` computes the gains exactly.

Theorem (bounded profiles).  Let the payoffs sum to c at every leaf, and let v be the value: the most that player 1 can
guarantee. For any strategies x, y, with the best-response values B_2(x) of player 2 and B_1(y) of player 1,

.. math::  c - B_2(x) \le v \le B_1(y).

Proof.  Against x, player 2 earns at most B_2(x), so x guarantees player 1 the rest of c. Against y, no strategy of
player 1 earns more than B_1(y), so none guarantees more.

At an equilibrium both bounds equal the expected payoff of player 1.

Source: J. Nash, Equilibrium points in n-person games, PNAS 36 (1950); J. von Neumann, Zur Theorie der
Gesellschaftsspiele, Mathematische Annalen 100 (1928).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tremble.check.best_response import Outcome
from tremble.check.case import Case, short
from tremble.check.claim import exact, fields, rows


def check_nash(case: Case) -> None:
    """Check a claim with the concept `nash`, or one that is only bounded."""
    _check_off_path(case)
    _check_best_responses(case)


def check_refinement(case: Case, prove: Callable[[Case], object]) -> None:
    """Check a claim of a refinement: it is a Nash equilibrium, and `prove` proves more from the certificate."""
    check_equilibrium(case)
    _check_bounds(case)
    for player, strategy in enumerate(case.claim.strategies):
        for k in (k for k, marked in enumerate(strategy.off_path) if marked):
            case.problems.add(f"{case.place(player, k)}: marked off_path, but the concept defines play everywhere")
    prove(case)


def check_best_response_certificate(case: Case) -> None:
    """Check the certificate of kind `best-response`: it states both best-response values and the sum of the gains."""
    stated = fields(case.claim.certificate, ("kind", "nash_conv", "best_response_values"), "certificate")
    if stated["kind"] != "best-response":
        case.problems.add("certificate.kind: this concept needs 'best-response'")
    where = "certificate.best_response_values"
    numbers = rows([stated["best_response_values"]], [2], where)
    nash_conv = sum((result.gain for result in case.outcome), Fraction(0))
    case.compare("certificate.nash_conv", exact(stated["nash_conv"], "certificate.nash_conv"), nash_conv)
    for player, result in enumerate(case.outcome):
        case.compare(f"{where}[{player}]", exact(numbers[player], where), result.best_response_value)


def check_equilibrium(case: Case) -> None:
    """Check that neither player gains by deviating."""
    for player, gain in enumerate(result.gain for result in case.outcome):
        if gain:
            case.problems.add(
                f"player {player + 1} gains {short(gain)} by deviating: the strategy earns "
                f"{short(case.outcome[player].value)}; most is lost at {_costliest(case, player)}"
            )


def _costliest(case: Case, player: int) -> str:
    """Name the action whose play costs the player most, best responses following."""
    plan, worth = case.outcome[player].plan.weight, case.outcome[player].worth
    cost, where = 0, "no information set"
    for k, _, first, end in case.form.sequences[player].sets:
        best = max(worth[first:end])
        for q in range(first, end):
            loss = plan[q] * (best[0] - worth[q][0])
            if loss > cost:
                cost, better = loss, case.action(player, k, worth.index(best, first, end))
                where = f"{case.place(player, k)}: {better} is better than {case.action(player, k, q)}"
    return where


def _check_best_responses(case: Case) -> None:
    """Check what follows from best responses alone."""
    if case.claim.status == "certified":
        check_equilibrium(case)
    _check_bounds(case)
    check_best_response_certificate(case)


def constant_sum(game: Any) -> Fraction | None:
    """Return the sum of both payoffs if it is the same at every leaf, else None."""
    total = game.payoff[:, 0] + game.payoff[:, 1]  # entries are below 2**62, so int64 cannot overflow
    return Fraction(int(total[0]), game.payoff_denominator) if (total == total[0]).all() else None


def proven_bounds(game: Any, outcome: Outcome) -> tuple[Fraction, Fraction] | None:
    """Return the bounds of the theorem on the value of player 1, or None without a constant sum."""
    total, (result1, result2) = constant_sum(game), outcome
    return None if total is None else (total - result2.best_response_value, result1.best_response_value)


def _check_bounds(case: Case) -> None:
    """Check that the stated bounds follow from the two strategies."""
    stated, proven = case.claim.bounds, proven_bounds(case.game, case.outcome)
    if stated is None or proven is None:
        if stated is not None:
            case.problems.add("bounds: stated, but the payoffs have no constant sum, so there is no value to bound")
        elif proven is not None:
            case.problems.add("bounds: missing; the payoffs have a constant sum")
        elif case.claim.status != "certified":
            case.problems.add("status: only a game with a constant sum can have a 'bounded' claim")
    elif case.claim.status == "certified":
        for name, bound in zip(("lower", "upper"), stated, strict=True):
            case.compare(f"bounds: the {name} bound", bound, case.outcome[0].value)
    else:
        if stated[0] > proven[0]:
            case.problems.add(f"bounds: the strategy of player 1 guarantees only {short(proven[0])}")
        if stated[1] < proven[1]:
            case.problems.add(f"bounds: against the strategy of player 2, player 1 can earn {short(proven[1])}")


def _check_off_path(case: Case) -> None:
    """Check that exactly the sets that the player's own strategy never reaches are marked `off_path`."""
    for player, strategy in enumerate(case.claim.strategies):
        plan = case.outcome[player].plan.weight
        for k, prior, _, _ in case.form.sequences[player].sets:
            if bool(strategy.off_path[k]) != (plan[prior] == 0):
                mark = "marked off_path, but" if strategy.off_path[k] else "not marked off_path, although"
                never = "" if strategy.off_path[k] else "never "
                case.problems.add(f"{case.place(player, k)}: {mark} the player's own strategy {never}reaches it")
