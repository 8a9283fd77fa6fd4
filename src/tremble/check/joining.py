"""Judge a profile that combines strategies of two judged profiles, or compute only the expected payoffs of a profile.

Theorem.  At a profile (x, y), player 1's best-response value does not depend on x, and player 2's does not depend on y.
A strategy *allows* a leaf if it plays all own moves on the path to the leaf. Suppose that the payoffs sum to c at every
leaf that x allows, and to d at every leaf that y allows. Then c = d, and the expected payoffs at (x, y) also sum to c.

Proof.  The best-response value of a player depends only on the strategy of the other player. Play at (x, y) reaches at
least one leaf with a positive probability. Both strategies allow every such leaf, so the payoffs sum to c and to d.

For games that are not built as trees, a search for best responses may take minutes. So `join` takes the best-response
values from the two given verdicts, if `tremble.check` issued both of them, and computes only expected payoffs.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from tremble.check.best_response import Outcome
from tremble.check.case import Case
from tremble.check.claim import TREE, Claim, Problems, Wrong
from tremble.check.judging import Extra, case_of, check_kind, judge, limits_for, outcome_of
from tremble.check.limits import Limits, TooLarge
from tremble.check.nash import check_equilibrium
from tremble.check.subgame_perfect import subgame_gains
from tremble.check.tree import SequenceForm
from tremble.check.verdict import JudgedProfile, deserved, issue
from tremble.status import Status


def judge_values(game: Any, claim: Claim, limits: Limits | None = None, extra: Extra | None = None) -> JudgedProfile:
    """Compute only the expected payoffs of a claim's strategies, because best responses may take much longer.

    For a tree without perfect recall, the claim must name the concept `maxmin`; `extra` then computes the payoffs.
    """
    problems, outcome = Problems(), None
    try:
        check_kind(game, claim)
        found = outcome_of(game, claim, limits, extra, values_only=True)[1]
        outcome = Outcome(found.values)
        problems.add(*found.faults)
    except (Wrong, TooLarge) as error:
        problems.add(str(error))
    problems.add("best responses: not computed, so nothing is proven")
    return issue(game, claim, deserved(replace(claim, concept="nash"), outcome, problems, None))


def join(
    game: Any, judged1: JudgedProfile, judged2: JudgedProfile, limits: Limits | None = None, extra: Extra | None = None
) -> JudgedProfile:
    """Judge the profile that has player 1's strategy from `judged1` and player 2's strategy from `judged2`.

    If the game is not a tree, the best-response values come from the two verdicts, by the module's theorem. For a tree,
    `judge` computes these values. If `game` has no digest, the caller guarantees that both profiles belong to `game`.
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
        raise Wrong("strategies: they do not fit the game")
    return subgame_gains(case)
