r"""Normal-form perfect equilibria: neither strategy is weakly dominated.

Definition (Selten 1975).  A profile is normal-form perfect if it is the limit of equilibria of games in which every
pure plan must be played with some probability, as these probabilities vanish.

Theorem (van Damme 1991, theorem 3.2.2).  In two-player games, an equilibrium is normal-form perfect exactly if neither
strategy is weakly dominated by another one, mixed ones included.

Theorem.  A strategy with the plan x is not weakly dominated if it is a best response to some completely mixed plan y of
the other player, whose weights may be polynomials in epsilon for small epsilon > 0.

Proof.  Fix a small epsilon. A plan that never earns less than x, but more against some pure plan, would earn more than
x against y, because y is a mixture of all pure plans, each with a positive share. (The mixture chooses at all sets
independently.)

The certificate `polynomials` states such a plan for each player (see `quasi_perfect`). Checked are, besides that the
profile is an equilibrium,

1. both plans are completely mixed, and have at least their trembles if they state some;
2. at every set that the player's own strategy reaches, every action that it plays attains V_I against the plan of the
   other. By backward induction, the strategy is then a best response.

Limits play no part, and neither do sets that the player's own strategy does not reach.

Source: E. van Damme, Stability and Perfection of Nash Equilibria, second edition (1991), section 3.2.
"""

from dataclasses import replace

from tremble.check.case import Case
from tremble.check.quasi_perfect import check_plan, check_replies, read_plans


def prove_normal_form_perfect(case: Case) -> None:
    """Check a claim with the concept `normal-form-perfect`: (1) and (2)."""
    plans = [replace(plan, errs=True) for plan in read_plans(case)]  # both must be completely mixed
    for player, sequences in enumerate(case.form.sequences):
        check_plan(case, player, plans[player])
        weight = case.outcome[player].plan.weight
        reached = [weight[prior] > 0 for _, prior, _, _ in sequences.sets]
        # What the strategy plays decides, and not what the plan plays beyond its trembles.
        check_replies(case, player, replace(plans[player], tremble=None), plans[1 - player], reached)
