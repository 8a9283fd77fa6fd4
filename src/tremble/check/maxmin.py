r"""Maxmin strategies: the most that a player can guarantee.

Theorem (von Neumann 1928, the easy half).  Let the payoffs have the constant sum c and both players perfect recall. In
a Nash equilibrium both strategies are maxmin strategies, and both players guarantee exactly what they earn.

Proof.  Player 1 earns v, and player 2 earns c - v and no more against x. So x guarantees player 1 at least v against
every strategy. Player 1 earns no more than v against y, so no strategy of player 1 guarantees more. The same holds for
player 2.

So a certificate of kind `best-response` proves both strategies, as for `nash`. Certificates of other kinds are about
one player, who may not have perfect recall. They are checked elsewhere (`extra` of `check`): the outcome brings the
bounds that the certificate proves, and the gap between them that the claim allows.

Source: J. von Neumann, Zur Theorie der Gesellschaftsspiele, Mathematische Annalen 100 (1928).
"""

from tremble.check.case import Case
from tremble.check.claim import Wrong, short, unequal
from tremble.check.nash import check_best_responses, check_play_everywhere


def check_maxmin(case: Case) -> None:
    """Check a claim with the concept `maxmin`, certified or bounded."""
    check_play_everywhere(case)
    if case.claim.certificate.get("kind") != "best-response":
        _check_guarantee(case)
        return
    if case.form.constant_sum is None:
        raise Wrong(
            "certificate.kind: 'best-response', but the payoffs of this game have no constant sum; 'guarantee' proves "
            "what a player can be sure of"
        )
    check_best_responses(case)


def _check_guarantee(case: Case) -> None:
    """Check that the stated bounds are those that the certificate proves, and that they are close enough."""
    stated, proven, epsilon = case.claim.bounds, case.outcome.bounds, case.outcome.epsilon
    case.checked.update(("bounds", "certificate"))
    if proven is None:
        if not case.problems:  # they may say why
            case.problems.add("certificate: it proves no bounds")
        return
    if stated is None:
        case.problems.add("bounds: missing; the certificate proves some")
        return
    for name, bound, true in zip(("lower", "upper"), stated, proven, strict=True):
        if bound != true:
            case.problems.add(f"bounds: the {name} bound that the certificate proves is {unequal(bound, true)}")
    gap = proven[1] - proven[0]
    if case.claim.certified and gap > epsilon:
        case.problems.add(
            f"certificate.epsilon: the gap between the bounds is {short(gap)}, more than the {short(epsilon)} that is "
            "stated, so that they are bounds only"
        )
