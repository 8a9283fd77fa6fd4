r"""Quasi-perfect equilibria: best replies at every information set to an opponent who trembles.

A profile is quasi-perfect (van Damme 1984) if it is the limit, as :math:`\epsilon \to 0`, of completely mixed
profiles, any that there are, such that at every information set, reached or not, each player's strategy from there on
is a best reply to the *perturbed* play of the other; the own later trembles carry no weight. (Sets that chance never
comes to are not in the literature; here any play passes there, since all actions earn 0.)

The certificate states the perturbed plans :math:`x(\epsilon), y(\epsilon)` as polynomials
(:mod:`tremble.verifier.certificates.polynomials`). What follows is checked for both players alike; x is the player's
plan, y that of the other. All statements hold for every small enough :math:`\epsilon > 0`:

1. x is a plan: at every set I and every degree, the actions sum to the move that leads to I;
2. :math:`x_q > 0`: it is completely mixed;
3. with

   .. math::

      u_{(I,a)} = \sum_{\text{leaves after } (I,a)} c\,u\,y
                  + \sum_{I' \text{ after } (I,a)} V_{I'}, \qquad V_I = \max_a u_{(I,a)},

   where the leaves and sets are those that no other own move separates from (I, a), every action that the stated
   strategy plays attains :math:`V_I`: :math:`u_{(I,a)}` is what the player can earn by a, weighted by the probability
   that chance and y come to I;
4. the stated strategies are the limits of :math:`x_{(I,a)} / x_{before(I)}`.

That proves the definition: backward over the own sets, the limit strategy from I on earns :math:`V_I`, as much as any;
and by (1), (2) and (4), the perturbed plans are the completely mixed profiles.

A certificate may state more: that the mistakes have the one form :math:`l_q`, with weights and orders that it names.
Then (2) is :math:`x_q \ge l_q`, and in (3) every action with :math:`x_{(I,a)} \ne l_{(I,a)}` attains :math:`V_I`,
which says that the plans are equilibria of the game with these least weights. It implies (3) as it stands above: if a
has a positive limit at I, then :math:`x_{(I,a)} \ne l_{(I,a)}`, since by (2) the lowest degree of the move before I is
at most the sum of the orders of its own moves, which is less than the degree of :math:`l_{(I,a)}` because the order of
a is at least 1, so the quotient would vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import add

from tremble.numbers import shorten
from tremble.verifier.budget import SHORT, bits_of, budget, listening
from tremble.verifier.certificates.backward_induction import BackwardInductionCertificate
from tremble.verifier.certificates.polynomials import PerturbedPlan, Polynomial, first_difference, perturbed_plans
from tremble.verifier.concepts.nash import check_refinement
from tremble.verifier.context import CheckContext, unequal
from tremble.verifier.profiles.tree import against

__all__ = [
    "check_limits",
    "check_plan",
    "check_quasi_perfect",
    "check_replies",
    "prove_by_plans",
    "prove_quasi_perfect",
]


def check_quasi_perfect(context: CheckContext) -> None:
    """Check what a solution with the concept ``quasi-perfect`` states: certified or bounded."""
    check_refinement(context, _prove)


def _prove(context: CheckContext) -> None:
    if BackwardInductionCertificate.is_kind_of(context.solution.certificate):
        BackwardInductionCertificate.check(context)
    else:
        prove_quasi_perfect(context)


def prove_quasi_perfect(context: CheckContext) -> tuple[PerturbedPlan, PerturbedPlan] | None:
    """Prove the definition from the certificate.

    Returns
    -------
    pair of PerturbedPlan, or None
        None if the certificate holds no perturbed plans, so that nothing can be derived from it.
    """
    plans = perturbed_plans(context)
    if plans is None:
        return None
    for player, plan in enumerate(plans):
        if not plan.errs:
            context.problems.add(
                f"certificate.trembles[{player}]: player {player + 1} makes no mistakes, but "
                f"{context.solution.concept!r} is about those of both"
            )
            return None
    return prove_by_plans(context, plans)


def prove_by_plans(
    context: CheckContext, plans: tuple[PerturbedPlan, PerturbedPlan]
) -> tuple[PerturbedPlan, PerturbedPlan] | None:
    """Prove (1) to (4) of these plans, of a player who makes no mistakes as :mod:`.one_sided` has them; None if not."""
    sound = [check_plan(context, player, plans[player]) for player in (0, 1)]
    if not all(sound):
        return None
    for player in (0, 1):
        check_replies(context, player, plans[player], plans[1 - player])
        check_limits(context, player, plans[player].by_degree, errs=plans[player].errs)
    return plans


def check_plan(context: CheckContext, player: int, plan: PerturbedPlan) -> bool:
    """Whether the plan is one (1), completely mixed, and no move is played less than its tremble (2)."""
    before = len(context.problems)
    costs = budget()
    costs.about = f"certificate.{'XY'[player]}"
    longest = max(max(map(int.bit_length, values)) for values in listening(plan.by_degree))
    trembles = {id(tremble): max(map(bits_of, tremble)) for tremble in plan.tremble or ()}  # many are one object
    if longest + max(trembles.values(), default=0) > SHORT:
        for values, tremble in listening(zip(plan.by_sequence, plan.tremble or (), strict=False)):
            # Compared twice, and put into words if they are wrong.
            costs.quotient(max(map(int.bit_length, values)), trembles[id(tremble)], 4)
    never: Polynomial = (0,) * len(plan.by_sequence[0])
    for k, prior, first, end in listening(context.evaluation.sequences[player].sets):
        moved = plan.by_sequence[prior]
        total = tuple(map(sum, zip(*plan.by_sequence[first:end], strict=True)))
        if total != moved:
            d = first_difference(total, moved)
            context.problems.add(
                f"{context.place(player, k)}: at order e^{d} the actions sum to "
                f"{_over(total[d], plan)}, but the move before has {_over(moved[d], plan)}"
            )
        for q in range(first, end):
            if not plan.errs:
                if plan.by_sequence[q] < never:
                    context.problems.add(
                        f"{context.place(player, k)}: {context.label(player, k, q - first)} is played with a negative "
                        "probability"
                    )
            elif plan.tremble is None:
                if plan.by_sequence[q] <= never:
                    context.problems.add(
                        f"{context.place(player, k)}: {context.label(player, k, q - first)} is not played with a "
                        "positive probability, so the plan is not completely mixed"
                    )
            elif plan.by_sequence[q] < plan.tremble[q]:
                d = first_difference(plan.by_sequence[q], plan.tremble[q])
                context.problems.add(
                    f"{context.place(player, k)}: {context.tree.actions[player][k][q - first]!r} is played less "
                    f"than its tremble: {_over(plan.by_sequence[q][d], plan)} at order e^{d}, "
                    + (f"not {_over(plan.tremble[q][d], plan)}" if d < len(plan.by_degree) else "where the plan ends")
                )
    return len(context.problems) == before


def check_replies(
    context: CheckContext, player: int, plan: PerturbedPlan, other: PerturbedPlan, where: Sequence[bool] | None = None
) -> None:
    """Whatever is played, beyond its tremble if it has one, is a best reply to the perturbed plan of the other (3).

    ``where`` may say at which information sets that is asked for.
    """
    share = context.solution.tables[player].numerator.tolist()
    view = context.evaluation.cells.seen_by(player)
    budget().about = f"certificate.{'YX'[player]}"
    amounts = [against(*view, weight, len(plan.by_sequence)) for weight in other.by_degree]
    worth: list[Polynomial] = list(zip(*amounts, strict=True))
    for k, prior, first, end in listening(reversed(context.evaluation.sequences[player].sets)):
        best = max(worth[first:end])
        for q in range(first, end):
            if worth[q] == best or not (where is None or where[k]):
                continue
            if share[q - 1] if plan.tremble is None else plan.by_sequence[q] != plan.tremble[q]:
                labels = context.tree.actions[player][k]
                better = labels[worth.index(best, first, end) - first]
                played = "played" if plan.tremble is None else "played beyond its tremble"
                context.problems.add(
                    f"{context.place(player, k)}: {labels[q - first]!r} is {played}, "
                    f"but {better!r} earns more at order e^{first_difference(worth[q], best)}"
                )
        worth[prior] = tuple(map(add, worth[prior], best))


def check_limits(context: CheckContext, player: int, series: Sequence[list[int]], *, errs: bool = True) -> None:
    """The stated probabilities are the limits of what the actions have of the move before.

    ``series`` has the coefficients of the player's plan, by order and sequence. The first order counts that the move
    before has. The plan of a player who errs comes everywhere; where that of another does not, there is no limit.
    """
    budget().about = f"strategies[{player}]"
    table = context.solution.tables[player]
    shares, wholes = table.numerator.tolist(), table.denominator.tolist()
    for k, prior, first, end in listening(context.evaluation.sequences[player].sets):
        leading = next((values for values in series if values[prior]), None)
        if leading is None and not errs:
            continue
        if leading is None:
            context.problems.add(
                f"{context.place(player, k)}: up to order e^{len(series) - 1}, the player's own plan never comes here, "
                "so there are no limits"
            )
            continue
        moved, whole = leading[prior], wholes[k]
        budget().quotient(whole.bit_length(), moved.bit_length(), 2 * (end - first))
        for q in range(first, end):
            if shares[q - 1] * moved != leading[q] * whole:
                context.problems.add(
                    f"{context.place(player, k)}: the limit of the probability of "
                    f"{context.label(player, k, q - first)} is "
                    f"{unequal(Fraction(shares[q - 1], whole), Fraction(leading[q], moved))}"
                )


def _over(coefficient: int | Fraction, plan: PerturbedPlan) -> str:
    return shorten(Fraction(coefficient) / plan.denominator)
