r"""Quasi-perfect equilibria: best replies at every information set to an opponent who trembles.

A profile is quasi-perfect (van Damme 1984) if it is the limit, as :math:`\epsilon \to 0`, of completely mixed
profiles, any that there are, such that at every information set, reached or not, each player's strategy from there on
is a best reply to the *perturbed* play of the other; the own later trembles carry no weight. (Sets that chance never
comes to are not in the literature; here any play passes there, since all actions earn 0.)

The certificate states the perturbed plans :math:`x(\epsilon), y(\epsilon)` as polynomials (:mod:`.polynomials`).
What follows is checked for both players alike; x is the player's plan, y that of the other. All statements
hold for every small enough :math:`\epsilon > 0`:

1. x is a plan: at every set I and every degree, the actions sum to the move that leads to I;
2. :math:`x_q \ge l_q`: it is completely mixed;
3. with

   .. math::

      u_{(I,a)} = \sum_{\text{leaves after } (I,a)} c\,u\,y
                  + \sum_{I' \text{ after } (I,a)} V_{I'}, \qquad V_I = \max_a u_{(I,a)},

   where the leaves and sets are those that no other own move separates from (I, a), every action with
   :math:`x_{(I,a)} \ne l_{(I,a)}` attains :math:`V_I`: :math:`u_{(I,a)}` is what the player can earn by
   a, weighted by the probability that chance and y come to I;
4. the stated strategies are the limits of :math:`x_{(I,a)} / x_{before(I)}`.

That proves the definition, by mistakes of the one form :math:`l_q`; what is quasi-perfect only by others does not
pass. If a has a positive limit at I, then :math:`x_{(I,a)} \ne l_{(I,a)}`: by (2), the
lowest degree of the move before I is at most its number of own moves, which is one less than the degree of
:math:`l_{(I,a)}`, so the quotient would vanish. By (3), a attains :math:`V_I`. Backward over the own sets, the limit
strategy from I on earns :math:`V_I`, as much as any; and by (1), (2) and (4), the perturbed plans are the
completely mixed profiles.
"""

from __future__ import annotations

from fractions import Fraction
from operator import add

from tremble.fraction_text import shorten
from tremble.solution.heading import Status
from tremble.verifier.budget import budget
from tremble.verifier.nash import check_best_response_certificate, check_bounds, check_equilibrium
from tremble.verifier.polynomials import Plan, Polynomial, bits_of, first_difference, read_plans
from tremble.verifier.tree import against
from tremble.verifier.verification import Case, place, unequal

__all__ = ["check_bounded", "check_play_everywhere", "check_quasi_perfect", "prove_quasi_perfect"]


def check_quasi_perfect(case: Case) -> None:
    """Check what a solution with the concept ``quasi-perfect`` states: certified or bounded."""
    if case.solution.status == Status.CERTIFIED:
        prove_quasi_perfect(case)
    else:
        check_bounded(case)
    if case.solution.beliefs is not None:
        case.problems.add("beliefs: the concept 'quasi-perfect' defines none")


def check_bounded(case: Case) -> None:
    """A refinement that was not reached: bounds and best responses are stated as for ``nash``."""
    check_bounds(case)
    check_best_response_certificate(case)


def prove_quasi_perfect(case: Case) -> tuple[Plan, Plan] | None:
    """Prove the definition from the certificate, and that the limit is an equilibrium, as it must be.

    Returns
    -------
    pair of Plan, or None
        None if the certificate holds no perturbed plans, so that nothing can be derived from it.
    """
    check_equilibrium(case)
    check_bounds(case)
    check_play_everywhere(case)
    plans = read_plans(case)
    if plans is None:
        return None
    sound = [_check_plan(case, player, plans[player]) for player in (0, 1)]
    if not all(sound):
        return None
    for player in (0, 1):
        _check_replies(case, player, plans[player], plans[1 - player])
        _check_limits(case, player, plans[player])
    return plans


def check_play_everywhere(case: Case) -> None:
    """No set is marked ``off_path``."""
    for player, table in enumerate(case.solution.tables):
        for k in table.off_path.nonzero()[0].tolist():
            case.problems.add(
                f"{place(case.tree, player, k)}: marked off_path, but {case.solution.concept!r} defines play everywhere"
            )


def _check_plan(case: Case, player: int, plan: Plan) -> bool:
    """Whether the plan is one (1) and no move is played less than its tremble (2)."""
    before = len(case.problems)
    costs = budget()
    costs.about = f"certificate.{'XY'[player]}"
    for values, tremble in zip(plan.by_sequence, plan.tremble, strict=True):
        long, least = max(map(int.bit_length, values)), max(map(bits_of, tremble))
        costs.quotient(long, least, 4)  # compared twice, and put into words if they are wrong
    for k, prior, first, end in case.evaluation.moves[player].sets:
        moved = plan.by_sequence[prior]
        total = tuple(map(sum, zip(*plan.by_sequence[first:end], strict=True)))
        if total != moved:
            d = first_difference(total, moved)
            case.problems.add(
                f"{place(case.tree, player, k)}: at order e^{d} the actions sum to "
                f"{_over(total[d], plan)}, but the move before has {_over(moved[d], plan)}"
            )
        for q in range(first, end):
            if plan.by_sequence[q] < plan.tremble[q]:
                d = first_difference(plan.by_sequence[q], plan.tremble[q])
                case.problems.add(
                    f"{place(case.tree, player, k)}: {case.tree.actions[player][k][q - first]!r} is played less "
                    f"than its tremble: {_over(plan.by_sequence[q][d], plan)} at order e^{d}, "
                    + (f"not {_over(plan.tremble[q][d], plan)}" if d < len(plan.by_degree) else "where the plan ends")
                )
    return len(case.problems) == before


def _check_replies(case: Case, player: int, plan: Plan, other: Plan) -> None:
    """Whatever is played beyond its tremble is a best reply to the perturbed plan of the other (3)."""
    view = case.evaluation.cells.seen_by(player)
    budget().about = f"certificate.{'YX'[player]}"
    amounts = [against(*view, weight, len(plan.by_sequence)) for weight in other.by_degree]
    worth: list[Polynomial] = list(zip(*amounts, strict=True))
    for k, prior, first, end in reversed(case.evaluation.moves[player].sets):
        best = max(worth[first:end])
        for q in range(first, end):
            if worth[q] != best and plan.by_sequence[q] != plan.tremble[q]:
                labels = case.tree.actions[player][k]
                better = labels[worth.index(best, first, end) - first]
                case.problems.add(
                    f"{place(case.tree, player, k)}: {labels[q - first]!r} is played beyond its tremble, "
                    f"but {better!r} earns more at order e^{first_difference(worth[q], best)}"
                )
        worth[prior] = tuple(map(add, worth[prior], best))


def _check_limits(case: Case, player: int, plan: Plan) -> None:
    """The stated probabilities are the limits (4)."""
    table = case.solution.tables[player]
    share, whole = table.numerator.tolist(), table.denominator.tolist()
    costs = budget()
    costs.about = f"strategies[{player}]"
    for k, prior, first, end in case.evaluation.moves[player].sets:
        d = plan.order[prior]
        moved = plan.by_sequence[prior][d]
        stated, series = whole[k].bit_length(), moved.bit_length()
        costs.quotient(stated, series, 2 * (end - first))
        for q in range(first, end):
            limit = plan.by_sequence[q][d]
            if share[q - 1] * moved != limit * whole[k]:
                case.problems.add(
                    f"{place(case.tree, player, k)}: the limit of the probability of "
                    f"{case.tree.actions[player][k][q - first]!r} is "
                    f"{unequal(Fraction(share[q - 1], whole[k]), Fraction(limit, moved))}"
                )


def _over(coefficient: int | Fraction, plan: Plan) -> str:
    return shorten(Fraction(coefficient) / plan.denominator)
