r"""Quasi-perfect equilibria: best responses at every information set to an opponent who trembles.

Definition (van Damme 1984).  A profile is quasi-perfect if it is the limit of completely mixed profiles such that, at
every information set, each player's strategy from there on is a best response to the completely mixed strategy of the
other.

The certificate `polynomials` states a plan of each player whose weights are polynomials x_q(epsilon), and maybe the
*trembles*: the least weight :math:`l_q = W_q\,\epsilon^{d(q)}` of each sequence, where W_q multiplies the stated
weights of the moves in q and d(q) adds their orders.

Theorem.  A profile is quasi-perfect if, for both players and as polynomials for small epsilon > 0,

1. at every set the weights of the actions sum to the weight of the move before, and :math:`x_0 = 1`;
2. :math:`x_q > 0` for every sequence q;
3. every action that the strategy plays attains V_I against the plan of the other (see `best_response`);
4. the probability of each action is the limit of :math:`x_{Ia} / x_{before(I)}`.

Proof.  By (1), (2) and (4), the plans belong to completely mixed strategies that tend to the profile. By (3) and
backward induction over the own sets, the strategy from I on earns V_I, as much as any other.

If trembles are stated, the claim is stronger: the plans are equilibria of the game in which every sequence has at
least its tremble. Then (2) becomes :math:`x_q \ge l_q`, and (3) holds for every action with :math:`x_q \ne l_q`. These
include the played actions: a played action has the lowest degree of the move before, which is below d(q).

Source: E. van Damme, A relation between perfect equilibria in extensive form games and proper equilibria in normal
form games, International Journal of Game Theory 13 (1984), 1-13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.check.best_response import Polynomial, best_response, earnings
from tremble.check.case import Case
from tremble.check.claim import Wrong, by_action, exact, fields, integer, rows
from tremble.check.limits import length_of
from tremble.check.nash import check_refinement


@dataclass(frozen=True)
class TremblingPlan:
    """A plan that the certificate states for one player. Shapes: degrees 0 to K, S sequences."""

    by_degree: list[list[int]]  # [K + 1][S]: coefficients over the denominator of the plan
    by_sequence: list[Polynomial]  # [S]: the same numbers
    # Degree and coefficient of the tremble of each sequence, over the same denominator; None if none are stated.
    tremble: list[tuple[int, Fraction | int]] | None


def check_quasi_perfect(case: Case) -> None:
    """Check a claim with the concept `quasi-perfect`."""
    check_refinement(case, prove_by_plans)


def prove_by_plans(case: Case) -> tuple[TremblingPlan, TremblingPlan]:
    """Check (1) to (4) of the theorem, and return the plans."""
    stated = fields(
        case.claim.certificate, ("kind", "X", "Y", "denominator", "trembles", "orders?"), "certificate"
    )
    if stated["kind"] != "polynomials":
        raise Wrong("certificate.kind: this concept needs 'polynomials'")
    player1, player2 = _read_plan(case, 0, stated), _read_plan(case, 1, stated)
    for player, own, other in ((0, player1, player2), (1, player2, player1)):
        must_be_best = _check_plan(case, player, own)
        _check_replies(case, player, must_be_best, other)
        _check_limits(case, player, own)
    return player1, player2


def _read_plan(case: Case, player: int, stated: Any) -> TremblingPlan:
    """Read the plan of a player and its trembles."""
    where, count = f"certificate.{'XY'[player]}", case.form.sequences[player].count
    degrees = stated["XY"[player]]
    if not isinstance(degrees, list | tuple) or not degrees:
        raise Wrong(f"{where}: not a list with a list for each degree")
    numbers = [integer(value, where) for value in rows(degrees, [count] * len(degrees), where)]
    by_degree = [numbers[i : i + count] for i in range(0, len(numbers), count)]
    denominator = integer(rows([stated["denominator"]], [2], "certificate.denominator")[player], "certificate")
    if denominator <= 0 or [row[0] for row in by_degree] != [denominator] + [0] * (len(degrees) - 1):
        raise Wrong(f"{where}: the empty sequence is not played with probability 1")
    by_sequence = list(zip(*by_degree, strict=True))
    return TremblingPlan(by_degree, by_sequence, _read_trembles(case, player, denominator))


def _read_trembles(case: Case, player: int, denominator: int) -> list[tuple[int, Fraction | int]] | None:
    """Multiply the stated weights and add the stated orders along each sequence; None stands for any trembles."""
    stated = case.claim.certificate
    weights, orders = (_side(stated.get(name), player, name) for name in ("trembles", "orders"))
    if weights == "any":
        if orders is not None and orders != "any":
            raise Wrong("certificate.orders: stated, but the trembles may have any form")
        return None
    weight, order = weights_and_orders(case, player, weights, orders)
    tremble: list[tuple[int, Fraction | int]] = [(0, denominator)] * case.form.sequences[player].count
    for _, prior, first, end in case.form.sequences[player].sets:
        degree, above = tremble[prior]
        for q in range(first, end):
            case.limits.charge("certificate.trembles", length_of(above), length_of(weight[q - 1]))
            amount = above * weight[q - 1] if weight[q - 1] != 1 else above
            tremble[q] = degree + order[q - 1], amount
    return tremble


def _side(stated: Any, player: int, name: str) -> Any:
    """Return the part of `trembles` or `orders` that belongs to a player: rows, None or "any"."""
    side = stated if stated is None or stated == "any" else rows([stated], [2], f"certificate.{name}")[player]
    if isinstance(side, str) and side != "any":
        raise Wrong(f"certificate.{name}: {side[:20]!r} is not allowed; both players make mistakes in this concept")
    return side


def weights_and_orders(case: Case, player: int, weights: Any, orders: Any) -> tuple[list[Fraction], list[int]]:
    """Read a positive weight and an order of at least 1 for each action of a player; None says that all are 1."""
    where = f"[{player}]"
    weight = [exact(value, f"certificate.trembles{where}") for value in by_action(case.game, player, weights, where)]
    order = by_action(case.game, player, orders, f"certificate.orders{where}")
    if min(weight, default=1) <= 0:
        raise Wrong(f"certificate.trembles{where}: a weight is not positive")
    if not all(type(value) is int and value >= 1 for value in order):
        raise Wrong(f"certificate.orders{where}: an order is not a positive integer")
    return weight, order


def _check_plan(case: Case, player: int, plan: TremblingPlan) -> list[bool]:
    """Check (1) and (2). Return, for each sequence, whether (3) asks that it be a best response."""
    played = [False, *(bool(p) for p in case.claim.strategies[player].numerator)]
    zero: Polynomial = (0,) * (len(plan.by_degree) + 1)
    for k, prior, first, end in case.form.sequences[player].sets:
        if tuple(map(sum, zip(*plan.by_sequence[first:end], strict=True))) != plan.by_sequence[prior]:
            case.problems.add(
                f"{case.place(player, k)}: the weights of the actions in the certificate do not sum to the weight of "
                "the move before"
            )
        for q in range(first, end):
            degree, amount = (0, 0) if plan.tremble is None else plan.tremble[q]
            beyond = _difference(plan.by_sequence[q], degree, amount)
            if plan.tremble is not None:
                played[q] = beyond != zero
            if beyond < zero or (plan.tremble is None and beyond == zero):
                case.problems.add(f"{case.place(player, k)}: {case.action(player, k, q)} has less than its tremble")
    return played


def _difference(weight: Polynomial, degree: int, amount: Fraction | int) -> Polynomial:
    """Subtract a monomial; one further coefficient stands for all degrees that the polynomial does not have."""
    result: list[Any] = [*weight, 0]
    result[min(degree, len(weight))] -= amount
    return tuple(result)


def _check_replies(case: Case, player: int, must_be_best: Sequence[bool], other: TremblingPlan) -> None:
    """Check (3): these actions are best responses to the trembling plan of the other."""
    sequences = case.form.sequences[player]
    worth = best_response(sequences, earnings(case.form.payoffs[player], sequences, other.by_degree, case.limits))
    for k, _, first, end in sequences.sets:
        best = max(worth[first:end])
        for q in range(first, end):
            if must_be_best[q] and worth[q] != best:
                better = case.action(player, k, worth.index(best, first, end))
                case.problems.add(
                    f"{case.place(player, k)}: {case.action(player, k, q)} is played, but {better} earns more against "
                    "the trembling plan of the other player"
                )


def _check_limits(case: Case, player: int, plan: TremblingPlan) -> None:
    """Check (4): only the lowest degree of the move before counts in the limit."""
    strategy = case.claim.strategies[player]
    for k, prior, first, end in case.form.sequences[player].sets:
        degree = lowest_degree(plan.by_sequence[prior])
        if degree is None:
            case.problems.add(f"{case.place(player, k)}: the plan in the certificate never leads here")
            continue
        moved, whole = plan.by_sequence[prior][degree], int(strategy.denominator[k])
        case.limits.charge("certificate", moved.bit_length(), whole.bit_length(), 2 * (end - first))
        for q in range(first, end):
            if int(strategy.numerator[q - 1]) * moved != plan.by_sequence[q][degree] * whole:
                case.problems.add(
                    f"{case.place(player, k)}: the probability of {case.action(player, k, q)} is not the limit of the "
                    "certificate"
                )


def lowest_degree(weight: Polynomial) -> int | None:
    """Return the lowest degree with a coefficient other than 0, or None for the zero polynomial."""
    return next((degree for degree, coefficient in enumerate(weight) if coefficient), None)
