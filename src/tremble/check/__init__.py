"""The trusted kernel: the only code that can say that a claim about a game is proven.

It reads the arrays of a game tree and plain data, computes with exact integers, and imports the standard library and
NumPy only. Read it in this order:

    limits          what long numbers may cost
    claim           what is claimed
    tree            sequences, perfect recall, payoffs
    best_response   expected payoffs and best responses
    case            what a check receives; problems
    nash            Nash equilibria and bounds
    quasi_perfect, subgame_perfect, sequential      one concept each
    refute          proofs that a profile is not of a concept
    verdict         the result

Each file begins with its theorem and the proof.

Trusted besides these files: the reader that made the tree's arrays and the digest, Python's integers, and NumPy's
indexing, sorting and int64 sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tremble.check.best_response import evaluate
from tremble.check.case import Case, Problems
from tremble.check.claim import Claim, Strategy, Wrong, faults
from tremble.check.limits import Limits, TooLarge
from tremble.check.nash import check_nash
from tremble.check.perfect import check_perfect
from tremble.check.quasi_perfect import check_quasi_perfect
from tremble.check.refute import check_refutation
from tremble.check.sequential import check_sequential
from tremble.check.subgame_perfect import check_subgame_perfect
from tremble.check.tree import sequence_form
from tremble.check.verdict import Verdict, conclude

__all__ = ["CONCEPTS", "Claim", "Limits", "Strategy", "Verdict", "check"]

CONCEPTS: dict[str, Callable[[Case], None]] = {
    "nash": check_nash,
    "subgame-perfect": check_subgame_perfect,
    "quasi-perfect": check_quasi_perfect,
    "sequential": check_sequential,
    "perfect": check_perfect,
}


def check(game: Any, claim: Claim, limits: Limits | None = None) -> Verdict:
    """Prove a claim about a game tree, or say what is wrong with it.

    Parameters
    ----------
    game : game tree
        Its arrays are read: parent, action, player, infoset, level, preorder, leaves, payoff, payoff_denominator,
        chance_tables, actions, infoset_labels; and its digest.
    claim : Claim
    limits : Limits, optional
        What the check may cost; by default in proportion to the game.
    """
    limits = limits or Limits.for_game(len(game.parent))
    problems = Problems()
    outcome = disproven = None
    try:
        if claim.digest is not None and claim.digest != game.digest:
            raise Wrong("game.digest: the claim is about another game")
        for fault in faults(game, claim):
            problems.add(fault)
        if not problems:
            form = sequence_form(game, limits)
            outcome = evaluate(form, claim.strategies, limits)
            disproven = _check(Case(game, claim, form, outcome, limits, problems))
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
    return conclude(game, claim, outcome, problems, disproven)


def _check(case: Case) -> str | None:
    """Run the checks of the claimed concept; return the concept that is disproven, if any."""
    claim = case.claim
    for player, (stated, result) in enumerate(zip(claim.values, case.outcome, strict=True)):
        case.compare(f"values[{player}]", stated, result.value)
    if claim.concept not in CONCEPTS:
        raise Wrong(f"concept: the kernel does not know {claim.concept!r:.40}")
    if claim.status not in ("certified", "bounded", "limit-reached"):
        raise Wrong(f"status: {claim.status!r:.40} is no status")
    if claim.status != "certified" and claim.concept != "nash":
        raise Wrong("concept: a claim that is not certified names the concept 'nash'")
    if claim.beliefs is not None and claim.concept != "sequential":
        case.problems.add(f"beliefs: the concept {claim.concept!r} defines none")
    if claim.status != "limit-reached":
        CONCEPTS[claim.concept](case)
    return check_refutation(case)
