"""The order in which a claim is checked.

Theorem (every stated field).  A claim is accepted only if each field that the document states has been compared with
the game, or is one that says nothing about the game.

Proof.  `_check_rest` runs last, whatever the concept and the status are. It checks each stated field that no check of
the concept has covered (`Case.checked`), and refuses a field that has no check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, cast

from tremble.check.best_response import Outcome, evaluate
from tremble.check.case import Case, Problems
from tremble.check.claim import NAMES, TREE, Claim, Status, Wrong, brief, faults, unequal
from tremble.check.judged import JudgedProfile, issue, joined_outcome, profile_claim, serves
from tremble.check.limits import Limits, TooLarge
from tremble.check.maxmin import check_maxmin
from tremble.check.nash import (
    check_best_response_certificate,
    check_bounds,
    check_equilibrium,
    check_nash,
    check_off_path,
)
from tremble.check.normal_form_perfect import check_normal_form_perfect
from tremble.check.one_sided import check_one_sided
from tremble.check.perfect import check_perfect
from tremble.check.proper import check_proper
from tremble.check.quasi_perfect import check_quasi_perfect
from tremble.check.refute import check_refutation
from tremble.check.sequential import check_sequential
from tremble.check.subgame_perfect import check_subgame_perfect
from tremble.check.tree import SequenceForm, sequence_form
from tremble.check.values import expected_values
from tremble.check.verdict import Verification, conclude, deserved

CONCEPTS: dict[str, Callable[[Case], None]] = {
    "nash": check_nash,
    "subgame-perfect": check_subgame_perfect,
    "quasi-perfect": check_quasi_perfect,
    "one-sided-quasi-perfect": check_one_sided,
    "sequential": check_sequential,
    "perfect": check_perfect,
    "normal-form-perfect": check_normal_form_perfect,
    "proper": check_proper,
    "maxmin": check_maxmin,
}
"""Concepts and their checks."""

_BOUNDED = ("nash", "maxmin")
"""Concepts that a claim may name although it proves no more than bounds."""


class Supplier(Protocol):
    """A function that computes the outcome of a claim where the kernel does not: see `extra` of `check`."""

    def __call__(self, game: Any, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
        """Return what the strategies earn; without best responses if `values_only`. May raise `Wrong`."""


Extra = Mapping[str, Supplier]


def check(
    game: Any,
    claim: Claim,
    limits: Limits | None = None,
    extra: Extra | None = None,
    form: SequenceForm | None = None,
) -> Verification:
    """Prove a claim about a game, or say what is wrong with it.

    Parameters
    ----------
    game : game tree, or a game of another kind
        The arrays of a tree are read: parent, action, player, infoset, level, preorder, leaves, payoff,
        payoff_denominator, chance_tables, actions; and its digest and names. Only `extra` reads another game.
    claim : Claim
    limits : Limits, optional
        What the check may cost; by default in proportion to the game.
    extra : mapping from str to function, optional
        Functions that compute an `Outcome` for games that are not trees, by the kind of game (`Claim.kind`), and for a
        tree where best responses are no proof, by the concept (``"maxmin"``). The kernel trusts them.
    form : SequenceForm, optional
        The sequence form of this tree, if `sequence_form` has computed it already.
    """
    problems, outcome, disproven = Problems(), None, None
    limits = limits or limits_for(game)
    try:
        _check_head(game, claim)
        case = _case(game, claim, limits, extra or {}, problems, form)
        if case is not None:
            outcome = case.outcome
            disproven = _check(case)
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
    return conclude(game, claim, outcome, problems, disproven)


def judge(game: Any, claim: Claim, limits: Limits | None = None, extra: Extra | None = None) -> JudgedProfile:
    """Prove what can be proven about strategies: the claimed concept, else `nash`, else bounds, else nothing.

    Values, bounds, status and digest of the claim are not read. Without a certificate the concept is `nash`. A
    refutation is checked by itself.
    """
    problems, outcome, disproven = Problems(), None, None
    claim = replace(claim, status=Status.CERTIFIED, concept=claim.concept if claim.certificate else "nash")
    try:
        _check_kind(game, claim)
        case = _case(game, claim, limits or limits_for(game), extra or {}, problems)
        if case is not None:
            outcome = case.outcome
            case = replace(case, claim=profile_claim(claim, outcome))
            disproven = _disproven(case)
            if claim.certificate:
                _check_concept(case)
            else:
                check_equilibrium(case)
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
    return issue(game, claim, deserved(claim, outcome, problems, disproven))


def judge_values(game: Any, claim: Claim, limits: Limits | None = None, extra: Extra | None = None) -> JudgedProfile:
    """Compute the expected payoffs of a profile, and nothing else: best responses may take much longer."""
    problems = Problems()
    claim = replace(claim, concept="nash", certificate={}, refutation=None)
    values = _values(game, claim, limits or limits_for(game), extra or {}, problems)
    problems.add("best responses: not computed, so nothing is proven")
    return issue(game, claim, deserved(claim, Outcome(values), problems, None))


def join(
    game: Any,
    judged1: JudgedProfile,
    judged2: JudgedProfile,
    limits: Limits | None = None,
    extra: Extra | None = None,
) -> JudgedProfile:
    """Judge player 1's strategy of one judged profile together with player 2's of another.

    In a game that is not built, best responses are taken from the two verdicts, by the theorems in `judged`. Else the
    joined profile is judged like any other. Rules without a digest are the caller's to vouch for.
    """
    strategies = judged1.strategies[0], judged2.strategies[1]
    claim = Claim("nash", Status.CERTIFIED, strategies, None, {}, kind=judged1.kind)
    problems, outcome = Problems(), None
    if serves(game, judged1, judged2):
        values = _values(game, claim, limits or limits_for(game), extra or {}, problems)
        outcome = joined_outcome(game, judged1, judged2, values)
        if outcome is None and values is None:
            return issue(game, claim, deserved(claim, None, problems, None))
    if outcome is None:
        return judge(game, claim, limits, extra)
    check_equilibrium(Case(game, claim, cast(SequenceForm, None), outcome, limits or limits_for(game), problems))
    return issue(game, claim, deserved(claim, outcome, problems, None))


def limits_for(game: Any) -> Limits:
    """Return the limits for a game; those of a game that is not built grow with what is visited."""
    return Limits.for_game(len(game.parent) if is_tree(game) else 0)


def is_tree(game: Any) -> bool:
    """Return whether the kernel can read the arrays of the game."""
    return hasattr(game, "parent")


# -- what the strategies earn --------------------------------------------------------------------------


def outcome_of(
    game: Any,
    claim: Claim,
    limits: Limits | None = None,
    extra: Extra | None = None,
    form: SequenceForm | None = None,
) -> tuple[SequenceForm | None, Outcome]:
    """Compute what the strategies of a claim earn, and best responses; with the sequence form of a tree.

    Faults of the strategies are in the outcome.
    """
    limits, supply = limits or limits_for(game), _supplier(game, claim, extra or {})
    if is_tree(game):
        wrong = tuple(faults(game, claim))
        if wrong:
            return None, Outcome(None, faults=wrong)
        if supply is None:
            form = form or sequence_form(game, limits)
            return form, evaluate(form, claim.strategies, limits)
    if supply is None:
        raise Wrong(f"concept: {claim.concept!r:.60} cannot be checked here for a game of the kind {claim.kind!r:.60}")
    return None, supply(game, claim, limits, False)


def _supplier(game: Any, claim: Claim, extra: Extra) -> Supplier | None:
    """Return the function that computes the outcome, if the kernel does not."""
    if not is_tree(game):
        return extra.get(claim.kind)
    by_responses = claim.concept != "maxmin" or claim.certificate.get("kind") == "best-response"
    return None if by_responses else extra.get(claim.concept, _no_supplier)


def _no_supplier(game: Any, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
    raise Wrong("certificate.kind: without perfect recall only a capability of tremble can check this; it is missing")


def _case(
    game: Any, claim: Claim, limits: Limits, extra: Extra, problems: Problems, form: SequenceForm | None = None
) -> Case | None:
    """Compute the outcome; return None after recording faults."""
    form, outcome = outcome_of(game, claim, limits, extra, form)
    for fault in outcome.faults:
        problems.add(fault)
    if outcome.values is None:
        return None
    return Case(game, claim, cast(SequenceForm, form), outcome, limits, problems)


def _values(game: Any, claim: Claim, limits: Limits, extra: Extra, problems: Problems) -> Any:
    """Return the expected payoffs, or None after recording problems."""
    try:
        _check_kind(game, claim)
        supply = _supplier(game, claim, extra)
        if supply is not None:
            outcome = supply(game, claim, limits, True)
        elif is_tree(game):
            wrong = tuple(faults(game, claim))
            outcome = Outcome(None if wrong else expected_values(game, claim.strategies, limits), faults=wrong)
        else:
            raise Wrong(f"strategies: this kernel does not know games of the kind {claim.kind!r:.60}")
        for fault in outcome.faults:
            problems.add(fault)
        return outcome.values
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
        return None


# -- what a claim says ---------------------------------------------------------------------------------


def _check_head(game: Any, claim: Claim) -> None:
    """Check what has to hold before anything is computed."""
    if claim.status not in set(Status):
        raise Wrong(f"status: {brief(claim.status)} is no status")
    if claim.digest != game.digest:
        raise Wrong(other_game(game, claim))
    _check_kind(game, claim)


def _check_kind(game: Any, claim: Claim) -> None:
    """Check that the strategies are for this kind of game, and that certificate and refutation are objects."""
    if claim.kind == TREE and not is_tree(game):
        raise Wrong("strategies: they number the information sets of a tree, but this game is not built")
    if claim.kind != TREE and is_tree(game):
        raise Wrong("strategies: they are of a game that is not built, but here its tree is given")
    for name, stated in (("certificate", claim.certificate), ("refutation", claim.refutation or {})):
        if not isinstance(stated, Mapping):
            raise Wrong(f"{name}: not an object")


def other_game(game: Any, claim: Claim) -> str:
    """Say which game the claim names, which one this is, and what to do."""
    given = game.spec or game.title
    advice = "give the game that the solution names, or solve this one"
    if (claim.kind == TREE) != is_tree(game):
        advice = "its strategies are of a game that is not built, but here its tree is given"
        if claim.kind == TREE:
            advice = "its strategies number the information sets of a tree, but this game is not built"
    elif claim.game == given:
        advice = "the game has changed since it was solved: solve it again"
    old, new = ("states no digest" if d is None else f"{d[:23]}..." for d in (claim.digest, game.digest))
    names = f"it names {claim.game!r:.200} ({old}), but this is {given!r:.200} ({new})"
    return f"game.digest: the solution belongs to another game: {names}; {advice}"


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
        _check_concept(case)
    disproven = check_refutation(case)
    _check_rest(case)
    return disproven


def _check_names(case: Case) -> None:
    """Check the names of concepts: a claim that is not certified names no refinement."""
    claim = case.claim
    if claim.requested is not None and claim.requested not in NAMES:
        case.problems.add(f"requested: {claim.requested[:80]!r} is no concept")
    if claim.concept not in CONCEPTS:
        raise Wrong(
            f"concept: this version cannot check {claim.concept[:80]!r}; it checks {', '.join(map(repr, CONCEPTS))}"
        )
    if claim.kind != TREE and claim.concept != "nash":
        raise Wrong(f"concept: in a game that is not built only 'nash' can be checked, not {claim.concept!r}")
    if claim.certified:
        return
    if claim.concept not in _BOUNDED or (claim.status == Status.LIMIT_REACHED and claim.concept != "nash"):
        raise Wrong(
            f"concept: {claim.concept!r} is not proven by a solution with status {str(claim.status)!r}, which states "
            "'nash' and names under 'requested' what was asked for"
        )


def _check_concept(case: Case) -> None:
    """Run the check of the claimed concept."""
    claim = case.claim
    if claim.concept not in CONCEPTS or (claim.kind != TREE and claim.concept != "nash"):
        raise Wrong(f"concept: {claim.concept[:80]!r} cannot be checked here")
    CONCEPTS[claim.concept](case)
    if claim.beliefs is not None and claim.concept != "sequential":
        case.problems.add(f"beliefs: the concept {claim.concept!r} defines none")


def _disproven(case: Case) -> str | None:
    """Check the refutation of a judged profile by itself; record its problems."""
    alone = replace(case, problems=Problems())
    concept = None
    try:
        concept = check_refutation(alone)
    except (Wrong, TooLarge) as error:
        alone.problems.add(str(error))
    for problem in alone.problems:
        case.problems.add(problem)
    return None if alone.problems else concept


_ALWAYS_CHECKED = frozenset(("game", "concept", "requested", "status", "strategies", "values"))
_REMARKS = frozenset(("tremble", "method", "stats"))  # fields that say how a solution was found

_CHECK_OF_FIELD: dict[str, Callable[[Case], None]] = {
    "bounds": check_bounds,
    "certificate": check_best_response_certificate,
    "off_path": lambda case: check_off_path(case, where_marked=case.claim.certificate.get("kind") != "best-response"),
}  # fields whose check needs best responses only


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
    for name in sorted(stated - case.checked - _ALWAYS_CHECKED - _REMARKS):
        if name in _CHECK_OF_FIELD and case.outcome.gains is not None:
            _CHECK_OF_FIELD[name](bounded)
        else:
            case.problems.add(
                f"{name}: a solution with the concept {claim.concept!r:.80} and the status {str(claim.status)!r} has "
                "nothing to state here"
            )
