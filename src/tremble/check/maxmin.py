r"""Maxmin strategies: strategies with which a player guarantees as much as possible.

Theorem (von Neumann 1928, the easy half).  Let the payoffs have the constant sum c, and let both players have perfect
recall. Then both strategies of a Nash equilibrium are maxmin strategies, and guarantee the equilibrium payoffs.

Proof.  Let x, y be the equilibrium, and let v be the payoff of player 1. Player 2 earns c - v, and no strategy of
player 2 earns more against x. So x guarantees player 1 at least v. Player 1 earns at most v against y, so no strategy
of player 1 guarantees more. The proof for player 2 is the same.

So a certificate of kind `best-response` (see `nash`) proves that both strategies are maxmin strategies. Certificates of
other kinds are about one player, who may lack perfect recall. Functions in the argument `extra` of `check` read these
certificates. They return an `Outcome` with the proven bounds and the claim's limit for the gap between these bounds.

Source: J. von Neumann, Zur Theorie der Gesellschaftsspiele, Mathematische Annalen 100 (1928).
"""

from tremble.check.case import Case
from tremble.check.claim import Wrong, short, unequal
from tremble.check.nash import check_best_responses, check_play_everywhere


def check_maxmin(case: Case) -> None:
    """Check a claim with the concept `maxmin` and the status `certified` or `bounded`."""
    check_play_everywhere(case)
    if case.claim.certificate.get("kind") != "best-response":
        _check_guarantee(case)
        return
    if case.form.constant_sum is None:
        raise Wrong(
            "certificate.kind: 'best-response', but the payoffs of this game have no constant sum; a certificate of "
            "kind 'guarantee' works for any payoffs"
        )
    check_best_responses(case)


def _check_guarantee(case: Case) -> None:
    """Check that the certificate proves the stated bounds, and that the gap between them is small enough."""
    stated, proven, epsilon = case.claim.bounds, case.outcome.bounds, case.outcome.epsilon
    case.checked.update(("bounds", "certificate"))
    if proven is None:
        if not case.problems:  # otherwise an earlier problem may be the reason
            case.problems.add("certificate: this certificate proves no bounds")
        return
    if stated is None:
        case.problems.add("bounds: missing, although the certificate proves bounds")
        return
    for name, bound, true in zip(("lower", "upper"), stated, proven, strict=True):
        if bound != true:
            case.problems.add(f"bounds: the {name} bound that the certificate proves is {unequal(bound, true)}")
    gap = proven[1] - proven[0]
    if case.claim.certified and gap > epsilon:
        case.problems.add(
            f"certificate.epsilon: the gap between the bounds is {short(gap)}, more than the stated {short(epsilon)}, "
            "so the status must be 'bounded'"
        )
