r"""Normal-form perfect equilibria: neither strategy is weakly dominated.

Definition (Selten 1975).  A profile is normal-form perfect if it is the limit of equilibria of games in which every
pure plan has a positive least probability, and these least probabilities tend to 0.

Theorem (van Damme 1991, theorem 3.2.2).  In two-player games, an equilibrium is normal-form perfect exactly if neither
strategy is weakly dominated by another strategy, pure or mixed.

Theorem.  A strategy with the plan x is not weakly dominated if it is a best response to some completely mixed plan y of
the other player. The weights of y may be polynomials in epsilon, for small epsilon > 0.

Proof.  Fix a small epsilon. A player who follows y, and chooses independently at all sets, plays every pure plan with
positive probability. A plan that dominates x earns at least as much as x against every pure plan, and more against
some pure plan. So it would earn more than x against y, but x is a best response to y.

The certificate `polynomials` contains a plan y for each player (see `quasi_perfect`). The kernel checks that the
profile is an equilibrium, and two conditions:

1. both plans are completely mixed and, if trembles are stated, no weight is less than its tremble;
2. at every set that the player's own strategy reaches, every action that the strategy plays attains V_I against the
   plan of the other player. By backward induction, the strategy is then a best response.

The kernel does not check limits of plans, and it ignores sets that the player's own strategy does not reach.

Source: E. van Damme, Stability and Perfection of Nash Equilibria, second edition (1991), section 3.2.
"""

from dataclasses import replace

from tremble.check.case import Case
from tremble.check.quasi_perfect import check_plan, check_replies, read_plans


def prove_normal_form_perfect(case: Case) -> None:
    """Check conditions 1 and 2 of the module's docstring for a claim with the concept `normal-form-perfect`."""
    plans = [replace(plan, errs=True) for plan in read_plans(case)]  # both must be completely mixed
    for player, sequences in enumerate(case.form.sequences):
        check_plan(case, player, plans[player])
        weight = case.outcome[player].plan.weight
        reached = [weight[prior] > 0 for _, prior, _, _ in sequences.sets]
        # Without trembles, `check_replies` checks the actions that the strategy plays.
        check_replies(case, player, replace(plans[player], tremble=None), plans[1 - player], reached)
