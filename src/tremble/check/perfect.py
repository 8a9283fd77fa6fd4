"""Extensive-form perfect equilibria: the kinds of certificate that prove them.

Definition (Selten 1975).  In a *perturbed game*, every action a has a least probability at its information set. A
profile is perfect if it is the limit of equilibria of perturbed games whose least probabilities tend to 0.

Each kind of certificate has a theorem in a file of its own, imported when a claim states it:

    basis                   `tremble.check.basis`; the kernel works without this folder
    backward-induction      games of perfect information
    polynomials             where nobody moves twice on a path, own later trembles cannot matter, so that perfect and
                            quasi-perfect profiles are the same

Source: R. Selten, Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4 (1975), 25-55.
"""

from __future__ import annotations

from tremble.check.backward_induction import prove_perfect
from tremble.check.case import Case
from tremble.check.claim import Wrong
from tremble.check.nash import check_refinement
from tremble.check.quasi_perfect import prove_by_plans


def check_perfect(case: Case) -> None:
    """Check a claim with the concept `perfect`."""
    check_refinement(case, _prove)


def _prove(case: Case) -> None:
    """Prove the claim by its certificate."""
    kind = case.claim.certificate.get("kind")
    if kind == "basis":
        try:
            from tremble.check.basis import prove_by_basis
        except ModuleNotFoundError as error:
            raise Wrong("certificate.kind: 'basis' needs the folder check/basis, which is not installed") from error
        prove_by_basis(case)
    elif kind == "backward-induction":
        prove_perfect(case)
    elif kind == "polynomials":
        if any(prior for sequences in case.form.sequences for _, prior, _, _ in sequences.sets):
            raise Wrong(
                "certificate.kind: 'polynomials' proves a perfect equilibrium only if nobody moves twice on a path"
            )
        prove_by_plans(case)
    else:
        raise Wrong("certificate.kind: the concept 'perfect' needs 'basis', 'backward-induction' or 'polynomials'")
