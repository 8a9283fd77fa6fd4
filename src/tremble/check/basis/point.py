r"""A second check of the certificate: for one value of e, its plans are an equilibrium of the perturbed game.

The proof does not need this check. The check could find errors in the other checks, because it uses no determinants.

Theorem.  Let :math:`e = a / b > 0`. Let u_q and g_q be as in `signs`. Let M_I be the greatest u_q at a set I. Two plans
are an equilibrium of the perturbed game if, for both players,

1. at every set, the weights of the actions sum to the weight of the move before, and :math:`x_0 = 1`;
2. :math:`x_q \ge w_q e^{k_q} x_{before(q)}` for every sequence q;
3. :math:`u_q = M_I` for every sequence q at I for which (2) is not an equality.

Proof.  As for the second theorem in `signs`.

To avoid fractions, the check multiplies the payoffs by :math:`b^h`. Here h is the greatest sum of orders along a path,
where each set contributes its greatest order. Then the values u, M and g are multiplied by :math:`b^h`, too. So every
product :math:`w_q (a/b)^{k_q} g_q` is an integer.
"""

from __future__ import annotations

from tremble.check.basis.certificate import Basis
from tremble.check.case import Case


def check_point(case: Case, basis: Basis, player: int) -> None:
    """Check conditions (1) to (3) of the module's theorem for the plan that the certificate states for a player."""
    where, sequences = f"certificate.epsilon.{'XY'[player]}", case.form.sequences[player]
    plan, weight, order = basis.point.plan[player], basis.weight[player], basis.order[player]
    top, bottom = basis.point.value.as_integer_ratio()
    if plan[0] != basis.point.denominator[player]:
        case.problems.add(f"{where}: the empty sequence is not played with probability 1")
    height = [0] * len(plan)
    for _, prior, begin, end in reversed(sequences.sets):
        height[prior] = max(height[prior], max(order[begin:end]) + max(height[begin:end]))
    charge, length = case.limits.charge, bottom.bit_length()
    charge(where, length * height[0], length * height[0])
    factor = bottom ** height[0]
    amounts = case.form.payoffs[player].against(basis.point.plan[1 - player], len(plan), case.limits)
    charge(where, sum(map(int.bit_length, amounts)), factor.bit_length())
    worth = [amount * factor for amount in amounts]
    for k, prior, begin, end in reversed(sequences.sets):
        if sum(plan[begin:end]) != plan[prior]:
            case.problems.add(f"{case.place(player, k)}: {where}: the actions do not sum to the move before")
        best, most, lost = max(worth[begin:end]), max(order[begin:end]), 0
        longest = max(map(int.bit_length, weight[begin:end])) + most * (length + top.bit_length())
        if most > 1:
            charge(where, longest // 2, longest // 2)  # the last step of a power
        charge(where, longest, max(map(int.bit_length, (plan[prior], *plan[begin:end]))), 2 * (end - begin))
        charge(where, longest, max(map(int.bit_length, worth[begin:end])), end - begin)
        for q in range(begin, end):
            share = weight[q] * top ** order[q]
            beyond = plan[q] * bottom ** order[q] - share * plan[prior]
            if beyond < 0:
                case.problems.add(f"{case.place(player, k)}: {where}: {case.action(player, k, q)} is played too little")
            if beyond > 0 and worth[q] != best:
                better = case.action(player, k, worth.index(best, begin, end))
                case.problems.add(
                    f"{case.place(player, k)}: {where}: {case.action(player, k, q)} is played more than it must be, "
                    f"but {better} earns more"
                )
            lost += share * bottom ** (most - order[q]) * (best - worth[q])
        charge(where, lost.bit_length(), most * length)
        worth[prior] += best - lost // bottom**most
