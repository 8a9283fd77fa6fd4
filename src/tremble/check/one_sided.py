r"""One-sided quasi-perfect equilibria: one player makes no mistakes, and is ready for all mistakes of the other.

Definition (Farina and Sandholm 2021).  Let player p make no mistakes, and let o be the other player. Strategies
:math:`\sigma_p, \sigma_o` are a one-sided quasi-perfect equilibrium if there are completely mixed strategies
:math:`\sigma_o(\epsilon)` that tend to :math:`\sigma_o` such that

(a) at every information set of p, reached or not, :math:`\sigma_p` from there on is a best response to
    :math:`\sigma_o(\epsilon)` for every small :math:`\epsilon > 0`;
(b) at every information set of o that :math:`\sigma_p` and chance allow, :math:`\sigma_o` from there on is a best
    response to :math:`\sigma_p`.

The certificate is that of `quasi_perfect`, with `"none"` for the trembles of p. With x the plan of p and y that of o,
conditions (1) to (4) there are checked with these changes: (2) asks only :math:`x_q \ge 0`; (4) is checked for p only
at sets that x reaches.

Theorem.  These conditions prove (a) and (b).

Proof.  By (2) and (4), y is completely mixed and tends to :math:`\sigma_o`. So (3) for p and backward induction over
the sets of p prove (a). By (4), the plan of :math:`\sigma_p` is the limit of x. An action that :math:`\sigma_o` plays
attains the maximum against x for every small :math:`\epsilon`, by (3), and also against the limit, because both sides
are continuous. Backward induction over the sets of o proves (b); at sets that x does not allow, all actions earn 0.

Where only a mistake of p leads, nothing is claimed about o. So the equilibrium need not be subgame perfect.

Source: G. Farina and T. Sandholm, Equilibrium refinement for the age of machines: the one-sided quasi-perfect
equilibrium, NeurIPS 2021.
"""

from tremble.check.case import Case
from tremble.check.claim import Wrong
from tremble.check.quasi_perfect import check_plans, read_plans


def prove_one_sided(case: Case) -> None:
    """Check a claim with the concept `one-sided-quasi-perfect`: the conditions of the theorem."""
    plans = read_plans(case)
    if all(plan.errs for plan in plans):
        raise Wrong("certificate.trembles: both players make mistakes; who makes none is stated as 'none'")
    if not any(plan.errs for plan in plans):
        raise Wrong("certificate.trembles: neither player makes mistakes")
    check_plans(case, plans)
