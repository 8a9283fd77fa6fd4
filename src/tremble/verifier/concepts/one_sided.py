r"""One-sided quasi-perfect equilibria: one player makes no mistakes, and is ready for all those of the other.

Let player 1 be the *faultless* one. Strategies :math:`\sigma_1, \sigma_2` are a one-sided quasi-perfect equilibrium if
there are completely mixed strategies :math:`\sigma_2(\epsilon)`, with :math:`\sigma_2` as their limit, such that

(a) at every information set of player 1, reached or not, :math:`\sigma_1` from there on is a best reply to
    :math:`\sigma_2(\epsilon)` for every small :math:`\epsilon > 0`;
(b) at every information set of player 2 that :math:`\sigma_1` and chance let it reach, :math:`\sigma_2` from there on
    is a best reply to :math:`\sigma_1`.

Where only a mistake of player 1 leads, player 2 may do anything that does not tempt player 1 there: nobody expects it.
So it is a Nash equilibrium, and every quasi-perfect one is of this kind; but it need not be subgame perfect, and where
the payoffs have no constant sum, threats that are not credible may stand behind it. Who fears mistakes of both asks for
a quasi-perfect one.

The certificate is that of :mod:`.quasi_perfect`, with ``"none"`` for the trembles of player 1. Then, of (1) to (4)
there, this is checked, x being the plan of player 1:

* (1) x and y are plans;
* (2) :math:`y_q \ge l_q` as there, but only :math:`x_q \ge 0`;
* (3) for player 1 as it stands there for mistakes of no given form: every action that :math:`\sigma_1` plays, at any
  set, attains :math:`V_I` against y. For player 2: every action with :math:`y_{(J,b)} \ne l_{(J,b)}` attains
  :math:`V_J` against x (at sets that x does not let it reach, all actions earn 0);
* (4) for player 2; for player 1 at the sets that its own plan x comes to.

That proves (a), backward over the sets of player 1: y is completely mixed by (2), with the limit :math:`\sigma_2` by
(4). By (4) the plan of :math:`\sigma_1` is the limit of x. An action that :math:`\sigma_2` plays has a positive limit,
so it is not at its least, as in :mod:`.quasi_perfect`, and attains :math:`V_J` against x for all small
:math:`\epsilon`; hence, as both sides are continuous, against the limit. That proves (b), backward over the sets of
player 2.

References
----------
G. Farina, T. Sandholm: Equilibrium refinement for the age of machines: the one-sided quasi-perfect equilibrium,
NeurIPS 2021.
"""

from __future__ import annotations

from tremble.verifier.certificates.polynomials import perturbed_plans
from tremble.verifier.concepts.nash import check_refinement
from tremble.verifier.concepts.quasi_perfect import prove_by_plans
from tremble.verifier.context import CheckContext

__all__ = ["check_one_sided"]


def check_one_sided(context: CheckContext) -> None:
    """Check what a solution with the concept ``one-sided-quasi-perfect`` states: certified or bounded."""
    check_refinement(context, _prove)


def _prove(context: CheckContext) -> None:
    plans = perturbed_plans(context)
    if plans is None:
        return
    if all(plan.errs for plan in plans):
        context.problems.add("certificate.trembles: both players make mistakes; who makes none is stated as 'none'")
        return
    if not any(plan.errs for plan in plans):
        context.problems.add("certificate.trembles: neither player makes mistakes")
        return
    prove_by_plans(context, plans)
