"""Extensive-form perfect equilibria: the kinds of certificate that prove them.

Definition (Selten 1975).  In a *perturbed game*, every action a has a positive least probability at its information
set. A profile is perfect if it is the limit of equilibria of perturbed games whose least probabilities tend to 0.

Each kind of certificate has its theorem in a separate file or folder:

    basis                   `tremble.check.basis`, which is imported only if a claim states a basis
    backward-induction      `backward_induction`, for games of perfect information
    polynomials             `quasi_perfect`, for games in which no player moves twice on a path. No player then
                            trembles twice on a path, so perfect and quasi-perfect profiles are the same.

Source: R. Selten, Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4 (1975), 25-55.
"""

from tremble.check.backward_induction import prove_by_backward_induction
from tremble.check.case import Case
from tremble.check.claim import Wrong
from tremble.check.quasi_perfect import prove_by_plans


def prove_perfect(case: Case) -> None:
    """Check a claim with the concept `perfect`. The claim's certificate has one of three kinds."""
    kind = case.claim.certificate.get("kind")
    if kind == "basis":
        try:
            from tremble.check.basis import prove_by_basis
        except ModuleNotFoundError as error:
            raise Wrong("certificate.kind: 'basis' needs the folder check/basis, which is not installed") from error
        prove_by_basis(case)
    elif kind == "backward-induction":
        prove_by_backward_induction(case, own_mistakes=True)
    elif kind == "polynomials":
        if any(prior for sequences in case.form.sequences for _, prior, _, _ in sequences.sets):
            raise Wrong(
                "certificate.kind: 'polynomials' proves a perfect equilibrium only if nobody moves twice on a path"
            )
        prove_by_plans(case)
    else:
        raise Wrong("certificate.kind: the concept 'perfect' needs 'basis', 'backward-induction' or 'polynomials'")
