r"""Normal-form perfect equilibria: no strategy is weakly dominated.

An equilibrium is normal-form perfect (Selten 1975, of the matrix of all strategies) if it is the limit of equilibria of
games in which every pure strategy must be played with some probability, as these vanish. With two players that is so
exactly if no strategy is weakly dominated by another one, mixed ones included (van Damme 1991, theorem 3.2.2). What a
player does where its own strategy never comes is no part of it.

A strategy is undominated exactly if it is a best reply to some completely mixed strategy of the other: then a strategy
that is never worse earns the same against it, so the same against every pure one; the converse is linear programming
duality (``docs/explanation/deciding.md``). Completely mixed strategies are, up to what they do, plans that play every
sequence with a positive probability.

The certificate of kind ``polynomials`` states such plans x and y, in powers of an infinitesimal or, at degree 0 alone,
plain numbers. Proven is, besides that the strategies are an equilibrium,

1. x and y are plans, and completely mixed, for all small :math:`\epsilon > 0`;
2. wherever player 1's own strategy comes, every action that it plays attains the most against y; that of player 2
   against x likewise. That says that the strategies are best replies to y and to x.

Any small :math:`\epsilon` will do, and nothing is asked of limits. The proof needs no trembles. If the certificate
states some, each plan must play every sequence at least as often as its tremble. A certificate that proves a
quasi-perfect equilibrium proves a normal-form perfect one (van Damme 1984).

References
----------
E. van Damme: Stability and Perfection of Nash Equilibria, Springer, second edition 1991, section 3.2.
E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal form games,
International Journal of Game Theory 13, 1984.
"""

from __future__ import annotations

from dataclasses import replace

from tremble.verifier.certificates.polynomials import perturbed_plans
from tremble.verifier.concepts.nash import check_refinement
from tremble.verifier.concepts.quasi_perfect import check_plan, check_replies
from tremble.verifier.context import CheckContext

__all__ = ["check_normal_form_perfect"]


def check_normal_form_perfect(context: CheckContext) -> None:
    """Check what a solution with the concept ``normal-form-perfect`` states: certified or bounded."""
    check_refinement(context, _prove, of_plans=True)


def _prove(context: CheckContext) -> None:
    stated = perturbed_plans(context)
    if stated is None:
        return
    sound = [check_plan(context, player, replace(stated[player], errs=True)) for player in (0, 1)]
    if all(sound):
        plans = [replace(plan, tremble=None) for plan in stated]  # what is played decides, not what is beyond a tremble
        for player, own in enumerate(context.evaluation.players):
            check_replies(context, player, plans[player], plans[1 - player], own.reached)
