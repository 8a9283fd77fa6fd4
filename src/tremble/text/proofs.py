"""Show a ``Verification``, for example in a notebook, where the game and the solution are not available."""

from __future__ import annotations

from rich.console import Group, RenderableType

from tremble.check import Verification
from tremble.numbers import short_text
from tremble.solution.concepts import CONCEPTS
from tremble.status import Status
from tremble.text.theme import NOTE, OK, WRONG
from tremble.text.verifications import NO_GAIN, about, disproven, gains_facts, marked, numbered, refuted, verdict
from tremble.words import one

__all__ = ["proof_view"]


def proof_view(verification: Verification) -> RenderableType:
    """Show a verification without its game and solution: OK or FAILED, and the proven facts or the problems."""
    concept = about(verification.concept, verification.proven_player, numbered)
    several = bool(verification.fields)
    if not verification.ok:
        facts = []
        if verification.proven:
            facts = [f"Proven: {about(verification.proven, verification.proven_player, numbered)}."]
        head = verdict("FAILED", WRONG, f"this is not a proven {concept}")
        return Group(head, *marked("✗", verification.problems), *marked("✓", facts))
    bounded = verification.status == Status.BOUNDED
    bounds = "bounds" if verification.bounds is not None else "gains"
    claim = f"the claimed {bounds} hold" if bounded else f"equilibria, each {one(concept)}" if several else one(concept)
    facts = [f"{field.name}: {field.proven}." for field in verification.fields if field.proven]
    if verification.values is not None:
        value1, value2 = (short_text(value, 40) for value in verification.values)
        facts.append(f"The expected payoffs are {value1} to player 1 and {value2} to player 2.")
    if verification.bounds is not None and (bounded or verification.best_response_values is None):
        low, high = (short_text(bound, 40) for bound in verification.bounds)
        whose = "the player can guarantee" if CONCEPTS[verification.concept].of_player else "player 1 earns"
        facts.append(f"The bounds on the payoff that {whose} are {low} and {high}.")
    if bounded and verification.bounds is None:
        facts += gains_facts(verification, numbered)
    if verification.proven is None and verification.disproven is not None:
        claim = f"the strategies are no {refuted(verification, numbered)}"
    elif not bounded:
        facts += [NO_GAIN] * (verification.nash_conv == 0)
        facts += CONCEPTS[verification.concept].proofs
    facts += disproven(verification, numbered)
    return Group(
        verdict("OK", OK, f"{claim}, proven from the game alone"),
        *marked("✓", facts),
        *marked("!", verification.notes, NOTE),
    )
