"""Check every statement of a claim.

Theorem.  If a claim is accepted, every field that the document states has been compared with the game, or says nothing
about the game.

Proof.  `_check_rest` runs last, for every concept and every status. It checks each stated field that the check of the
concept has not covered (`Case.checked`), and it refuses a field that has no check.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tremble.check.case import Case
from tremble.check.claim import TREE, Claim, Problems, Wrong, brief, unequal
from tremble.check.judging import CONCEPTS, Extra, case_of, check_concept, check_kind, limits_for, wrong_kind
from tremble.check.limits import Limits, TooLarge
from tremble.check.nash import check_best_response_certificate, check_bounds, check_off_path
from tremble.check.refute import check_refutation
from tremble.check.tree import SequenceForm
from tremble.check.verdict import Verification, conclude
from tremble.status import Status

_BOUNDED = ("nash", "maxmin")  # concepts that a claim may name if it proves only bounds


def check(
    game: Any, claim: Claim, limits: Limits | None = None, extra: Extra | None = None, form: SequenceForm | None = None
) -> Verification:
    """Prove a claim about a game, or report its problems.

    Parameters
    ----------
    game : game tree, or a game of another kind
        The kernel reads the arrays of a tree: parent, action, player, infoset, level, preorder, leaves, payoff,
        payoff_denominator, chance_tables, actions; and its digest and names. Only `extra` reads games of other kinds.
    claim : Claim
    limits : Limits, optional
        Limits on the cost of the check. The default grows with the game.
    extra : mapping from str to function, optional
        Functions that compute an `Outcome`, and that the kernel trusts. If a game is not a tree, the key is the kind of
        game (`Claim.kind`). For trees, if best responses do not prove the claim, the key is the concept (``"maxmin"``).
    form : SequenceForm, optional
        The sequence form of this tree, if it is already computed.
    """
    problems, outcome, disproven = Problems(), None, None
    try:
        check_digest(game, claim)
        check_kind(game, claim)
        case = case_of(game, claim, limits or limits_for(game), extra or {}, problems, form)
        if case is not None:
            outcome = case.outcome
            disproven = _check(case)
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
    return conclude(game, claim, outcome, problems, disproven)


def check_digest(game: Any, claim: Claim) -> None:
    """Check that the claim is about this game; the error names both games and says what to do."""
    if claim.digest == game.digest:
        return
    given = game.spec or game.title
    advice = "give the game that the solution names, or solve this one"
    if wrong_kind(game, claim):
        advice = f"its strategies {wrong_kind(game, claim)}"
    elif claim.game == given:
        advice = "the game has changed since it was solved: solve it again"
    old, new = ("states no digest" if d is None else f"{d[:23]}..." for d in (claim.digest, game.digest))
    names = f"it names {claim.game!r:.200} ({old}), but this is {given!r:.200} ({new})"
    raise Wrong(f"game.digest: the solution belongs to another game: {names}; {advice}")


def _check(case: Case) -> str | None:
    """Run all checks; return the concept that is disproven, if any."""
    claim, values = case.claim, case.outcome.values
    if values is None or claim.values is None:
        raise Wrong("values: missing")
    for i, (stated, value) in enumerate(zip(claim.values, values, strict=True)):
        if stated != value:
            case.problems.add(f"values[{i}]: the expected payoff of player {i + 1} is {unequal(stated, value)}")
    _check_names(case)
    if claim.status != Status.LIMIT_REACHED:
        check_concept(case)
    disproven = None if claim.refutation is None else check_refutation(case)
    _check_rest(case)
    return disproven


def _check_names(case: Case) -> None:
    """Check the concepts and the status; a claim that is not certified must not name a refinement."""
    claim = case.claim
    if claim.requested is not None and claim.requested not in CONCEPTS:
        case.problems.add(f"requested: {claim.requested[:80]!r} is no concept")
    if claim.status not in set(Status):
        raise Wrong(f"status: {brief(claim.status)} is no known status")
    if claim.concept not in CONCEPTS:
        raise Wrong(
            f"concept: this version cannot check {claim.concept[:80]!r}; it checks {', '.join(map(repr, CONCEPTS))}"
        )
    if claim.kind != TREE and claim.concept != "nash":
        raise Wrong(f"concept: in a game that is not built, only 'nash' can be checked, not {claim.concept!r}")
    if claim.certified:
        return
    if claim.concept not in _BOUNDED or (claim.status == Status.LIMIT_REACHED and claim.concept != "nash"):
        raise Wrong(
            f"concept: {claim.concept!r} is not proven by a solution with status {str(claim.status)!r}; its concept "
            "must be 'nash', and the field 'requested' must name the requested concept"
        )


# Fields that are always checked, and fields that say how a solution was found.
_NO_FURTHER_CHECK = {"game", "concept", "requested", "status", "strategies", "values", "tremble", "method", "stats"}
_CHECK_OF_FIELD: dict[str, Callable[[Case], None]] = {
    "bounds": check_bounds,
    "certificate": check_best_response_certificate,
    "off_path": lambda case: check_off_path(case, where_marked=case.claim.certificate.get("kind") != "best-response"),
}  # fields whose checks need only best responses


def _check_rest(case: Case) -> None:
    """Check every stated field that the check of the concept has not covered. Refuse a field that has no check."""
    claim = case.claim
    if case.problems:  # the claim is refused already, and the check of the concept may have stopped early
        return
    held = ("bounds", "beliefs", "certificate", "refutation")
    stated = {*claim.stated, *(name for name in held if getattr(claim, name))}
    if claim.kind == TREE:
        stated.add("off_path")
    bounded = replace(case, claim=replace(claim, status=Status.BOUNDED))
    for name in sorted(stated - case.checked - _NO_FURTHER_CHECK):
        if name in _CHECK_OF_FIELD and case.outcome.gains is not None:
            _CHECK_OF_FIELD[name](bounded)
        else:
            case.problems.add(
                f"{name}: a solution with the concept {claim.concept!r:.80} and the status {str(claim.status)!r} must "
                "not state this field"
            )
