r"""Judge strategies: prove as much as possible about them; combine strategies from two judged profiles.

Theorem (join).  The best-response value of player 1 is the same at (x, y) and (x', y), and that of player 2 is the same
at (x, y) and (x, y'), for any x' and y'. Let the payoffs sum to c at every leaf that x allows, and to d at every leaf
that y allows. Then c = d, and this is the sum of the expected payoffs at (x, y).

Proof.  The best-response value of a player depends only on the strategy of the other player. Play at (x, y) reaches at
least one leaf with a positive probability. Both strategies allow every such leaf, so the payoffs sum to c and to d.

For games that are not built as trees, a search for best responses may take minutes. So `join` reads the best-response
values from two verdicts, and computes only expected payoffs. It trusts only verdicts that the kernel has issued.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

from tremble.check.best_response import Outcome, evaluate
from tremble.check.case import Case
from tremble.check.claim import TREE, Claim, Problems, Wrong, faults
from tremble.check.limits import Limits, TooLarge
from tremble.check.maxmin import check_maxmin
from tremble.check.nash import check_equilibrium, check_nash, check_refinement
from tremble.check.normal_form_perfect import prove_normal_form_perfect
from tremble.check.one_sided import prove_one_sided
from tremble.check.perfect import prove_perfect
from tremble.check.proper import prove_proper
from tremble.check.quasi_perfect import prove_quasi_perfect
from tremble.check.refute import check_refutation
from tremble.check.sequential import prove_sequential
from tremble.check.subgame_perfect import prove_subgame_perfect, subgame_gains
from tremble.check.tree import SequenceForm, sequence_form
from tremble.check.verdict import JudgedProfile, deserved, issue
from tremble.status import Status

CONCEPTS: dict[str, Callable[[Case], None]] = {
    "nash": check_nash,
    "subgame-perfect": partial(check_refinement, prove=prove_subgame_perfect),
    "quasi-perfect": partial(check_refinement, prove=prove_quasi_perfect),
    "one-sided-quasi-perfect": partial(check_refinement, prove=prove_one_sided),
    "sequential": partial(check_refinement, prove=prove_sequential),
    "perfect": partial(check_refinement, prove=prove_perfect),
    "normal-form-perfect": partial(check_refinement, prove=prove_normal_form_perfect, of_plans=True),
    "proper": partial(check_refinement, prove=prove_proper, of_plans=True),
    "maxmin": check_maxmin,
}
"""The check of each concept, by the name of the concept."""

# A function in the argument `extra` of `check`. It computes the payoffs of the strategies of a claim. If its last
# argument is true, it may omit best responses. It may raise `Wrong`.
Supplier = Callable[[Any, Claim, Limits, bool], Outcome]
Extra = Mapping[str, Supplier]


def judge(game: Any, claim: Claim, limits: Limits | None = None, extra: Extra | None = None) -> JudgedProfile:
    """Prove as much as possible about strategies: the claimed concept, or else `nash`, or else bounds.

    The function ignores the values, bounds, status and digest of the claim. If the claim has no certificate, the
    function tries to prove `nash`. It checks a refutation separately.
    """
    problems, outcome, disproven = Problems(), None, None
    claim = replace(claim, status=Status.CERTIFIED, concept=claim.concept if claim.certificate else "nash")
    try:
        check_kind(game, claim)
        case = case_of(game, claim, limits or limits_for(game), extra or {}, problems)
        if case is not None:
            outcome = case.outcome
            case = replace(case, claim=replace(claim, bounds=outcome.certified_bounds))
            disproven = None if claim.refutation is None else _disproven(case)
            if claim.certificate:
                check_concept(case)
            else:
                check_equilibrium(case)
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
    return issue(game, claim, deserved(claim, outcome, problems, disproven))


def judge_values(game: Any, claim: Claim, limits: Limits | None = None, extra: Extra | None = None) -> JudgedProfile:
    """Compute only the expected payoffs of a profile, because best responses may take much longer.

    For a tree without perfect recall, the claim must name the concept `maxmin`; `extra` then computes the payoffs.
    """
    problems, outcome = Problems(), None
    try:
        check_kind(game, claim)
        found = outcome_of(game, claim, limits, extra, values_only=True)[1]
        outcome = Outcome(found.values, faults=found.faults)
        problems.add(*found.faults)
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
    problems.add("best responses: not computed, so nothing is proven")
    claim = replace(claim, concept="nash", certificate={}, refutation=None)
    return issue(game, claim, deserved(claim, outcome, problems, None))


def join(
    game: Any, judged1: JudgedProfile, judged2: JudgedProfile, limits: Limits | None = None, extra: Extra | None = None
) -> JudgedProfile:
    """Judge the profile that has player 1's strategy from `judged1` and player 2's strategy from `judged2`.

    If the game is not a tree, the two verdicts contain the best-response values, by the theorem. For a tree, `judge`
    computes them. If `game` has no digest, the caller guarantees that both profiles belong to it.
    """
    strategies = judged1.strategies[0], judged2.strategies[1]
    claim = Claim("nash", Status.CERTIFIED, strategies, None, {}, kind=judged1.kind)
    limits, problems = limits or limits_for(game), Problems()
    best1, best2 = judged1.verification.best_response_values, judged2.verification.best_response_values
    known = judged1.issued and judged2.issued and judged1.kind == judged2.kind != TREE
    if not known or best1 is None or best2 is None or not judged1.digest == judged2.digest == game.digest:
        return judge(game, claim, limits, extra)
    found = judge_values(game, claim, limits, extra)
    values = found.verification.values
    if values is None:
        return found
    if best2[0] < values[0] or best1[1] < values[1]:
        # No strategy earns more than a best response, so the verdicts are about other strategies or rules.
        return judge(game, claim, limits, extra)
    constant = judged1.verification.bounds is not None and judged2.verification.bounds is not None
    outcome = Outcome(values, (best2[0], best1[1]), values[0] + values[1] if constant else None, every_leaf=False)
    check_equilibrium(Case(game, claim, cast(SequenceForm, None), outcome, limits, problems))
    return issue(game, claim, deserved(claim, outcome, problems, None))


def subgames_with_gains(game: Any, claim: Claim, limits: Limits | None = None) -> list[tuple[int, int, Fraction]]:
    """Return (root, player, gain) for each cut subgame (see `subgame_perfect`) in which a player can gain."""
    case = case_of(game, claim, limits or limits_for(game), {}, Problems())
    if case is None:
        raise Wrong("strategies: the strategies do not fit the game")
    return subgame_gains(case)


def limits_for(game: Any) -> Limits:
    """Return the limits for a game; if it is not a tree, functions in `extra` call `Limits.grant` for visited nodes."""
    return Limits.for_game(len(game.parent) if is_tree(game) else 0)


def is_tree(game: Any) -> bool:
    """Return whether the kernel can read the arrays of the game."""
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
    """Return the sequence form (None if not computed), and the outcome: payoffs, or faults of the strategies."""
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
    game: Any, claim: Claim, limits: Limits, extra: Extra, problems: Problems, form: SequenceForm | None = None
) -> Case | None:
    """Compute the outcome and record its faults; return a case, or None if the strategies do not fit the game."""
    form, outcome = outcome_of(game, claim, limits, extra, form)
    problems.add(*outcome.faults)
    if outcome.values is None:
        return None
    return Case(game, claim, cast(SequenceForm, form), outcome, limits, problems)


def check_kind(game: Any, claim: Claim) -> None:
    """Check that the strategies are for this kind of game, and that certificate and refutation are objects."""
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
    """Return an error text if either the game or the strategies, but not both, are of a tree; else an empty text."""
    if claim.kind == TREE and not is_tree(game):
        return "belong to a tree, but this game is not built as a tree"
    built = claim.kind != TREE and is_tree(game)
    return "belong to a game that is not built as a tree, but this game is a tree" if built else ""


def check_concept(case: Case) -> None:
    """Run the check of the claimed concept."""
    claim = case.claim
    if claim.concept not in CONCEPTS or (claim.kind != TREE and claim.concept != "nash"):
        raise Wrong(f"concept: {claim.concept[:80]!r} cannot be checked in this game")
    CONCEPTS[claim.concept](case)
    if claim.beliefs is not None and claim.concept != "sequential":
        case.problems.add(f"beliefs: the concept {claim.concept!r} defines no beliefs")


def _disproven(case: Case) -> str | None:
    """Check only the refutation of a judged profile, record its problems, and return the disproven concept."""
    alone = replace(case, problems=Problems())
    concept = None
    try:
        concept = check_refutation(alone)
    except (Wrong, TooLarge) as error:
        alone.problems.add(str(error))
    case.problems.add(*alone.problems)
    return None if alone.problems else concept
