r"""One-sided quasi-perfect equilibria: one player makes no mistakes, but expects mistakes of the other player.

Definition (Farina and Sandholm 2021).  Let player p make no mistakes, and let o be the other player. Strategies
:math:`\sigma_p, \sigma_o` are a one-sided quasi-perfect equilibrium if there are completely mixed strategies
:math:`\sigma_o(\epsilon)` that tend to :math:`\sigma_o` and satisfy these conditions:

(a) at every information set of p, reached or not, :math:`\sigma_p` from there on is a best response to
    :math:`\sigma_o(\epsilon)` for every small :math:`\epsilon > 0`;
(b) at every information set of o that :math:`\sigma_p` and chance allow, :math:`\sigma_o` from there on is a best
    response to :math:`\sigma_p`.

The certificate has the kind `polynomials` (see `quasi_perfect`), with `"none"` for the trembles of p. Let x be the plan
of p, and y the plan of o. The kernel checks conditions (1) to (4) of `quasi_perfect` with two changes for p: (2) needs
only :math:`x_q \ge 0`, and (4) is checked only at sets that x reaches.

Theorem.  These conditions prove (a) and (b).

Proof.  By (2) and (4), y is completely mixed and tends to :math:`\sigma_o`. So (3) for p and backward induction over
the sets of p prove (a). By (4), the plan of :math:`\sigma_p` is the limit of x. By (3), an action that :math:`\sigma_o`
plays attains the maximum against x for every small :math:`\epsilon`. Payoffs are continuous, so the action also attains
the maximum against the limit. At sets that x does not allow, all actions earn 0. Backward induction over the sets of o
proves (b).

The concept has no condition on o at sets that only a mistake of p reaches. So it does not imply subgame perfection.

Source: G. Farina and T. Sandholm, Equilibrium refinement for the age of machines: the one-sided quasi-perfect
equilibrium, NeurIPS 2021.
"""

from tremble.check.case import Case
from tremble.check.claim import Wrong
from tremble.check.quasi_perfect import check_plans, read_plans


def prove_one_sided(case: Case) -> None:
    """Check the conditions of the module's theorem for a claim with the concept `one-sided-quasi-perfect`."""
    plans = read_plans(case)
    if all(plan.errs for plan in plans):
        raise Wrong("certificate.trembles: both players make mistakes; the entry of one player must be 'none'")
    if not any(plan.errs for plan in plans):
        raise Wrong("certificate.trembles: neither player makes mistakes; only one entry may be 'none'")
    check_plans(case, plans)
