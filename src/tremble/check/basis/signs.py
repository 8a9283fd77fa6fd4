r"""The plans of the basis are optimal for every small e > 0: the signs of power series prove this.

The certificate states the first coefficients of the plans x and y as power series, up to the order N.

Theorem.  Let the inverse of the system S(e) (see `system`) have a pole of order at most p (see `regular`). Let the
stated coefficients satisfy all equations of the system up to the order N, with V and g computed from the stated
coefficients. Then the stated coefficients and the coefficients of g are true up to the order N - p.

Proof.  S(e) maps the difference between the stated and the true solution to a series of order at least N + 1. Multiply
this series by the inverse of S(e).

The equations have three parts. At every set, the weights of the actions sum to the weight of the move before. A *tight*
sequence q has its least weight, :math:`w_q e^{k_q}` times the weight of the move before. All other (*slack*) sequences
q at a set I have the same :math:`u_q = M_I`, where

.. math::  u_q = \sum_r U_{qr}\, y_r + \sum_{I \text{ after } q} V_I, \quad
           V_I = M_I - \sum_{q \in I} w_q e^{k_q} g_q, \quad g_q = M_I - u_q.

V_I is M_I minus the cost of the player's own trembles at I. If sequences are alike, the solution of the quotient
gives all members of a class the same weight. So their stated coefficients must be equal. Then V and g are equal, too.

Theorem.  The plans are an equilibrium of the perturbed game if the following is true for small e > 0:

1. :math:`x_q \ge w_q e^{k_q} x_{before(q)}` for slack q, and :math:`g_q \ge 0` for tight q, for both players.

Proof.  A plan of the perturbed game distributes the weight of the move before over the actions, and each action has at
least its least weight. By backward induction, the plan earns at most V_I for each unit of weight. It earns exactly V_I
if and only if every q with g_q > 0 has its least weight. By (1), all g are at least 0, and only tight sequences can
have g_q > 0.

If a series is not 0 up to the order N - p, it has the sign of its first nonzero coefficient. The certificate lists the
functions whose coefficients are all 0 up to this order. `zeros` proves that these functions are 0.

Finally, the stated strategies are the limits of :math:`x_{Ia} / x_{before(I)}`, so they are a limit of such equilibria.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tremble.check.basis.certificate import Basis
from tremble.check.best_response import Polynomial, earnings
from tremble.check.case import Case
from tremble.check.claim import unequal


def check_plan(case: Case, basis: Basis, player: int) -> None:
    """Check that a player's series form a plan, and that each sequence outside the basis has its least weight."""
    where, series, slack = f"certificate.{'XY'[player]}", basis.series[player], basis.slack[player]
    _charge(case, basis, player, len(series))
    if [values[0] for values in series] != [basis.denominator[player]] + [0] * (len(series) - 1):
        case.problems.add(f"{where}: the empty sequence is not played with probability 1")
    for k, prior, begin, end in case.form.sequences[player].sets:
        for d, values in enumerate(series):
            if sum(values[begin:end]) != values[prior]:
                case.problems.add(
                    f"{case.place(player, k)}: at order e^{d} the actions do not sum to the move before in {where}"
                )
        for q in range(begin, end):
            if not slack[q] and any(_beyond(basis, player, q, prior, len(series))):
                case.problems.add(
                    f"{case.place(player, k)}: {case.action(player, k, q)} is outside the basis, but its weight is "
                    f"not its least weight in {where}"
                )
    for q, model in enumerate(basis.classes.first[player]):
        if q != model and any(values[q] != values[model] for values in series):
            case.problems.add(
                f"{where}: sequences {model} and {q} are alike (certificate.classes), but played differently"
            )


def _charge(case: Case, basis: Basis, player: int, orders: int) -> None:
    """Reduce the limits by the cost of multiplying each series' first `orders` coefficients by the longest weight."""
    longest = max(map(int.bit_length, basis.weight[player]))
    for values in basis.series[player][:orders]:
        case.limits.charge(f"certificate.{'XY'[player]}", sum(map(int.bit_length, values)), longest)


def _beyond(basis: Basis, player: int, q: int, prior: int, orders: int) -> list[int]:
    """Return the first `orders` coefficients of a sequence's weight minus the sequence's least weight."""
    series, weight, order = basis.series[player], basis.weight[player][q], basis.order[player][q]
    return [series[d][q] - (weight * series[d - order][prior] if d >= order else 0) for d in range(orders)]


def losses(case: Case, basis: Basis, player: int) -> list[Polynomial]:
    """Return a positive multiple of each sequence's loss g; check that the loss is 0 for sequences in the basis.

    If the payoffs have a constant sum, the other player's negated payoffs give the same g as the player's payoffs. The
    constant adds the same amount to all actions of a set, because the other player's series are a plan.
    """
    sequences, where = case.form.sequences[player], f"certificate.{'YX'[player]}"
    worth = [list(u) for u in earnings(case.form.payoffs[player], sequences, basis.series[1 - player], case.limits)]
    nothing = (0,) * len(basis.series[1 - player])
    lost = [nothing] * sequences.count
    for k, prior, begin, end in reversed(sequences.sets):
        best = next(worth[q] for q in range(begin, end) if basis.slack[player][q])
        value = list(best)
        for q in range(begin, end):
            if worth[q] == best:
                continue
            lost[q] = tuple(b - u for b, u in zip(best, worth[q], strict=True))
            if basis.slack[player][q]:
                case.problems.add(
                    f"{case.place(player, k)}: {case.action(player, k, q)} is in the basis, but does not earn the same "
                    "as another action in the basis"
                )
            weight, order = basis.weight[player][q], basis.order[player][q]
            case.limits.charge(where, sum(map(int.bit_length, lost[q])), weight.bit_length())
            for d in range(order, len(value)):
                value[d] -= weight * lost[q][d - order]
        worth[prior] = [u + v for u, v in zip(worth[prior], value, strict=True)]
    return lost


def check_signs(case: Case, basis: Basis, player: int, lost: Sequence[Polynomial], known: tuple[int, int]) -> None:
    """Check condition (1) of the module's theorem for a player. Use only coefficients that are known to be true.

    Parameters
    ----------
    lost : sequence of tuples
        The result of `losses`.
    known : pair of int
        The orders up to which coefficients are true: first for the player's plan, then for the player's losses.
    """
    plan, regret = (f"certificate.zeros.{name}[{player}]" for name in ("weights", "regrets"))
    _charge(case, basis, player, known[0] + 1)
    for k, prior, begin, end in case.form.sequences[player].sets:
        for q in range(begin, end):
            in_plan, in_regret = q in basis.zero_weights[player], q in basis.zero_regrets[player]
            if basis.slack[player][q]:
                fault = _fault(_beyond(basis, player, q, prior, known[0] + 1), in_plan, plan, "is played too little")
                fault = f"is in the basis, but {regret} lists it" if in_regret else fault
            else:
                fault = _fault(lost[q][: known[1] + 1], in_regret, regret, "earns more than the actions in the basis")
                fault = f"is outside the basis, but {plan} lists it" if in_plan else fault
            if fault:
                case.problems.add(f"{case.place(player, k)}: {case.action(player, k, q)} {fault}")


def _fault(series: Sequence[int], listed: bool, where: str, wrong: str) -> str:
    """Return an error if a listed series is not 0, or if an unlisted series is not positive. Otherwise return ""."""
    d = next((d for d, value in enumerate(series) if value), None)
    if d is None:
        return "" if listed else f"has an undecided sign up to order e^{len(series) - 1}, and {where} does not list it"
    if series[d] < 0:
        return f"{wrong}, at order e^{d}"
    return f"is listed in {where}, but it is not 0 at order e^{d}" if listed else ""


def check_limits(case: Case, basis: Basis, player: int, known: int) -> None:
    """Check that each stated probability is the limit of the weight after the action / the weight before the action."""
    strategy, series = case.claim.strategies[player], basis.series[player][: known + 1]
    for k, prior, begin, end in case.form.sequences[player].sets:
        leading = next((values for values in series if values[prior]), None)
        if leading is None:
            case.problems.add(f"{case.place(player, k)}: up to order e^{known}, the plan never leads here")
            continue
        moved, whole = leading[prior], strategy.denominator[k]
        case.limits.charge("strategies", moved.bit_length(), whole.bit_length(), 2 * (end - begin))
        for q in range(begin, end):
            if strategy.numerator[q - 1] * moved != leading[q] * whole:
                case.limits.charge("strategies", moved.bit_length(), moved.bit_length())
                stated, true = Fraction(strategy.numerator[q - 1], whole), Fraction(leading[q], moved)
                text = f"the limit of the probability of {case.action(player, k, q)} is {unequal(stated, true)}"
                case.add(player, k, text)
