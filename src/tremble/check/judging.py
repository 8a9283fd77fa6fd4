"""Check every statement of a claim (`check`), or prove as much as possible about strategies (`judge`).

Theorem.  If `check` accepts a claim, every field that the solution file states has been compared with the game, or
says nothing about the game.

Proof.  `_check_rest` runs last, for every concept and every status. `Case.checked` contains the fields that
earlier checks covered. `_check_rest` checks all remaining stated fields, and refuses fields that have no check.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

from tremble.check import nash
from tremble.check.best_response import Outcome, evaluate
from tremble.check.case import Case
from tremble.check.claim import TREE, Claim, Problems, Wrong, brief, faults, unequal
from tremble.check.limits import Limits, TooLarge
from tremble.check.maxmin import check_maxmin
from tremble.check.normal_form_perfect import prove_normal_form_perfect
from tremble.check.one_sided import prove_one_sided
from tremble.check.perfect import prove_perfect
from tremble.check.proper import prove_proper
from tremble.check.quasi_perfect import prove_quasi_perfect
from tremble.check.refute import check_refutation
from tremble.check.sequential import prove_sequential
from tremble.check.subgame_perfect import prove_subgame_perfect
from tremble.check.tree import SequenceForm, sequence_form
from tremble.check.verdict import JudgedProfile, Verification, conclude, deserved, issue
from tremble.status import Status

CONCEPTS: dict[str, Callable[[Case], None]] = {
    "nash": nash.check_nash,
    "subgame-perfect": partial(nash.check_refinement, prove=prove_subgame_perfect),
    "quasi-perfect": partial(nash.check_refinement, prove=prove_quasi_perfect),
    "one-sided-quasi-perfect": partial(nash.check_refinement, prove=prove_one_sided),
    "sequential": partial(nash.check_refinement, prove=prove_sequential),
    "perfect": partial(nash.check_refinement, prove=prove_perfect),
    "normal-form-perfect": partial(nash.check_refinement, prove=prove_normal_form_perfect, of_plans=True),
    "proper": partial(nash.check_refinement, prove=prove_proper, of_plans=True),
    "maxmin": check_maxmin,
}
"""The check of each concept, by the name of the concept."""

# A function in the argument `extra` of `check`. It computes the payoffs of a claim's strategies. If its last argument
# is true, the function may omit best responses. The function may raise `Wrong`.
Supplier = Callable[[Any, Claim, Limits, bool], Outcome]
Extra = Mapping[str, Supplier]


def judge(game: Any, claim: Claim, limits: Limits | None = None, extra: Extra | None = None) -> JudgedProfile:
    """Prove the claimed concept for the strategies if possible, otherwise `nash`, otherwise only bounds.

    The function ignores the values, bounds, status and digest that the claim states. If the claim has no certificate,
    the function tries to prove `nash`. A refutation in the claim is checked separately.
    """
    problems, outcome, disproven = Problems(), None, None
    claim = replace(claim, status=Status.CERTIFIED, concept=claim.concept if claim.certificate else "nash")
    try:
        check_kind(game, claim)
        case = case_of(game, claim, limits or limits_for(game), extra, problems)
        if case is not None:
            outcome = case.outcome
            case = replace(case, claim=replace(claim, bounds=outcome.certified_bounds))
            disproven = None if claim.refutation is None else _disproven(case)
            if claim.certificate:
                check_concept(case)
            else:
                nash.check_equilibrium(case)
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
    return issue(game, claim, deserved(claim, outcome, problems, disproven))


def limits_for(game: Any) -> Limits:
    """Return the limits on the cost of a check. If the game is not a tree, functions in `extra` increase the limits."""
    return Limits.for_game(len(game.parent) if is_tree(game) else 0)


def is_tree(game: Any) -> bool:
    """Return whether the game is a tree, so that the kernel can read its arrays."""
    return hasattr(game, "parent")


def outcome_of(
    game: Any,
    claim: Claim,
    limits: Limits | None = None,
    extra: Extra | None = None,
    form: SequenceForm | None = None,
    *,
    values_only: bool = False,
) -> tuple[SequenceForm | None, Outcome]:
    """Return a tree's sequence form (None if not needed), and an `Outcome`: the payoffs or the faults of a claim."""
    limits, supply = limits or limits_for(game), (extra or {}).get(claim.kind)
    if is_tree(game):
        wrong = tuple(faults(game, claim))
        if wrong:
            return None, Outcome(None, faults=wrong)
        if claim.concept != "maxmin" or claim.certificate.get("kind") == "best-response":
            form = form or sequence_form(game, limits)
            return form, evaluate(form, claim.strategies, limits)
        supply = (extra or {}).get(claim.concept)
    if supply is None:
        raise Wrong(f"concept: {claim.concept!r:.60} needs a part of tremble that is not installed")
    return None, supply(game, claim, limits, values_only)


def case_of(
    game: Any, claim: Claim, limits: Limits, extra: Extra | None, problems: Problems, form: SequenceForm | None = None
) -> Case | None:
    """Return the case of a claim. If its strategies do not fit the game, add faults to `problems` and return None."""
    form, outcome = outcome_of(game, claim, limits, extra, form)
    problems.add(*outcome.faults)
    if outcome.values is None:
        return None
    return Case(game, claim, cast(SequenceForm, form), outcome, limits, problems)


def check_kind(game: Any, claim: Claim) -> None:
    """Check that the strategies are for this kind of game, and that certificate and refutation are JSON objects."""
    fault = wrong_kind(game, claim)
    if fault:
        raise Wrong(f"strategies: they {fault}")
    for name, stated in (
        ("certificate", claim.certificate),
        ("refutation", {} if claim.refutation is None else claim.refutation),
    ):
        if not isinstance(stated, Mapping):
            raise Wrong(f"{name}: not an object")


def wrong_kind(game: Any, claim: Claim) -> str:
    """Return an error text if the claim is about a tree and the game is no tree, or the other way round. Else ""."""
    if claim.kind == TREE and not is_tree(game):
        return "belong to a tree, but this game is not built as a tree"
    built = claim.kind != TREE and is_tree(game)
    return "belong to a game that is not built as a tree, but this game is a tree" if built else ""


def check_concept(case: Case) -> None:
    """Run the check of the concept that the claim names."""
    claim = case.claim
    if claim.concept not in CONCEPTS or (claim.kind != TREE and claim.concept != "nash"):
        raise Wrong(f"concept: {claim.concept[:80]!r} cannot be checked for this kind of game")
    CONCEPTS[claim.concept](case)
    if claim.beliefs is not None and claim.concept != "sequential":
        case.problems.add(f"beliefs: the concept {claim.concept!r} defines no beliefs")


def _disproven(case: Case) -> str | None:
    """Check only the refutation of a claim, record the problems found, and return the disproven concept, or None."""
    alone = replace(case, problems=Problems())
    concept = None
    try:
        concept = check_refutation(alone)
    except (Wrong, TooLarge) as error:
        alone.problems.add(str(error))
    case.problems.add(*alone.problems)
    return None if alone.problems else concept


_BOUNDED = ("nash", "maxmin")  # concepts that a claim may name if it proves only bounds


def check(
    game: Any, claim: Claim, limits: Limits | None = None, extra: Extra | None = None, form: SequenceForm | None = None
) -> Verification:
    """Prove every statement of a claim about a game, or report the problems found.

    Parameters
    ----------
    game : game tree, or a game of another kind
        The kernel reads the digest and names of a tree and these arrays: parent, action, player, infoset, level,
        preorder, leaves, payoff, payoff_denominator, chance_tables, actions. Only `extra` reads games of other kinds.
    claim : Claim
    limits : Limits, optional
        Limits on the cost of the check. The default grows with the game.
    extra : mapping from str to function, optional
        Functions that compute an `Outcome`; the kernel trusts them. The key is the kind of game (`Claim.kind`) if the
        game is not a tree. For trees, the key is a concept that best responses do not prove (``"maxmin"``).
    form : SequenceForm, optional
        The sequence form of this tree, if it is already computed.
    """
    problems, outcome, disproven = Problems(), None, None
    try:
        check_digest(game, claim)
        check_kind(game, claim)
        case = case_of(game, claim, limits or limits_for(game), extra, problems, form)
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
    """Run all checks; return the concept that a refutation disproves, or None."""
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
    """Check that the concepts and the status are known, and that an uncertified claim does not name a refinement."""
    claim = case.claim
    if claim.requested is not None and claim.requested not in CONCEPTS:
        case.problems.add(f"requested: {claim.requested[:80]!r} is not a concept")
    if claim.status not in set(Status):
        raise Wrong(f"status: {brief(claim.status)} is no known status")
    if claim.concept not in CONCEPTS:
        raise Wrong(
            f"concept: this version cannot check {claim.concept[:80]!r}; it checks {', '.join(map(repr, CONCEPTS))}"
        )
    if claim.kind != TREE and claim.concept != "nash":
        raise Wrong(f"concept: if no tree is built, only 'nash' can be checked, not {claim.concept!r}")
    if claim.certified:
        return
    if claim.concept not in _BOUNDED or (claim.status == Status.LIMIT_REACHED and claim.concept != "nash"):
        raise Wrong(
            f"concept: {claim.concept!r} is not proven by a solution with status {str(claim.status)!r}; its concept "
            "must be 'nash', and the field 'requested' must name the requested concept"
        )


# Fields that are always checked, and fields that say only how a solution was found.
_NO_FURTHER_CHECK = {"game", "concept", "requested", "status", "strategies", "values", "tremble", "method", "stats"}
_CHECK_OF_FIELD: dict[str, Callable[[Case], None]] = {
    "bounds": nash.check_bounds,
    "certificate": nash.check_best_response_certificate,
    "off_path": lambda c: nash.check_off_path(c, where_marked=c.claim.certificate.get("kind") != "best-response"),
}  # fields whose checks need only best responses


def _check_rest(case: Case) -> None:
    """Check every stated field that the check of the concept has not covered. Refuse a field that has no check."""
    claim = case.claim
    if case.problems:  # `check` refuses the claim anyway, and the check of the concept may have stopped early
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
