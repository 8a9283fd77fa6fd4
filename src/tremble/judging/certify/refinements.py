"""How certify decides a refinement: what may prove it, one attempt after the other, and what disproves it.

Each refinement has a row in :data:`REFINEMENTS`. What an attempt comes to, the checker alone says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tremble.base.clock import Clock
from tremble.base.exact_numbers import shorten
from tremble.errors import TooLargeError
from tremble.io.profile import NotStated
from tremble.judging.audit import Blunder, Kind, audit
from tremble.judging.certify.certification import Certification, Verdict
from tremble.judging.certify.direction import Direction, perturbed_plan, words_of
from tremble.judging.certify.subgames import SubgameGain, subgame_gains
from tremble.kinds.proof import proven_solution
from tremble.model.progress import Progress
from tremble.model.strategy import Profile
from tremble.model.tree import GameTree
from tremble.reductions.lifting import stated_plans
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.claim import Beliefs, Claim
from tremble.solution.heading import MethodReference
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.solution.trembles import Trembles
from tremble.verifier.certificates.fields import Plans
from tremble.verifier.certificates.polynomials import PolynomialsCertificate
from tremble.verifier.concepts.table import CONCEPTS

__all__ = ["METHOD", "REFINEMENTS", "Case", "Refinement", "certify_refinement", "listener"]

_WHEN = {"regret": "given how the other plays", "unsupported": "whatever the other plays"}

METHOD = MethodReference("certify", {})


@dataclass(frozen=True, eq=False)
class Case:
    """A profile of a tree, and what is asked of it."""

    tree: GameTree
    profile: Profile
    concept: str
    trembles: Trembles | None
    stated: StatedSolution | None  # that the profile comes from
    not_stated: NotStated
    clock: Clock
    tell: Progress


Attempt = tuple[str, Mapping[str, Any], Beliefs | None]
"""What may prove a refinement: on which grounds, by which certificate and beliefs."""


@dataclass(frozen=True)
class Refinement:
    """How a refinement is decided."""

    # What may prove it beside the certificate in a file; notes what cannot be tried.
    attempts: Callable[[Case, list[str]], Iterator[Attempt]]
    refuted_by: tuple[Kind, ...]  # kinds of blunders that no profile of it has
    undecided: str  # the last reason where nothing decides


def listener(tell: Progress) -> Callable[[str], None]:
    """What the checker calls now and then."""
    return lambda step: tell(step, None)


def certify_refinement(case: Case, nash: Solution) -> Certification:
    """Whether an equilibrium is of the concept."""
    strategy1, strategy2 = (replace(s, off_path=np.zeros_like(s.off_path)) for s in case.profile)
    failures: list[str] = []
    for grounds, certificate, beliefs in _attempts(case, failures):
        case.tell("verification", None)
        claim = Claim((strategy1, strategy2), {}, certificate, beliefs)
        solution = proven_solution(case.tree, claim, case.concept, METHOD, listener(case.tell))
        if solution.verification.proven == case.concept:
            return Certification(Verdict.PROVEN, solution, grounds=grounds, not_stated=case.not_stated)
        failures.append(f"{grounds}: {solution.verification.problems[0]}")
    return _unproven(case, nash, failures)


def _attempts(case: Case, failures: list[str]) -> Iterator[Attempt]:
    """What may prove it, the most promising first."""
    row, stated = CONCEPTS[case.concept], case.stated
    if stated is not None and stated.certificate.get("kind") in (row.certificate, *row.other_certificates):
        beliefs = stated.beliefs if row.beliefs else None
        if beliefs is not None or not row.beliefs:
            yield "the certificate in the file", stated.certificate, beliefs
    yield from REFINEMENTS[case.concept].attempts(case, failures)


def _consistent_trembles(case: Case, failures: list[str]) -> Iterator[Attempt]:
    """The beliefs that follow from a direction."""
    for direction in _directions(case):
        case.tell("beliefs", None)
        try:
            beliefs = limit_beliefs(case.tree, direction.terms(case.tree, case.profile))
        except TooLargeError as error:
            failures.append(str(error))
            return
        yield direction.words, direction.certificate(case.tree).plain(), beliefs


def _directions(case: Case) -> Iterator[Direction]:
    """That of the plans in the file's certificate, then that of the weights."""
    if case.stated is not None:
        plans = stated_plans(case.tree, case.stated.certificate)
        direction = None if plans is None else Direction.of_plans(case.tree, case.profile, plans)
        if direction is not None:
            yield direction
    yield Direction.of_trembles(case.tree, case.trembles)


def _perturbed_plans(case: Case, failures: list[str]) -> Iterator[Attempt]:
    """The plans in which what is never played trembles as little as it must."""
    trembles = case.trembles or Trembles.uniform(case.tree)
    plan1, plan2 = (perturbed_plan(case.tree, strategy, trembles) for strategy in case.profile)
    if plan1 is not None and plan2 is not None:
        yield words_of(case.trembles), PolynomialsCertificate(Plans.of((plan1, plan2)), trembles.rows()).plain(), None
    else:
        failures.append("the plans that tremble would have too many coefficients")


def _unproven(case: Case, nash: Solution, failures: list[str]) -> Certification:
    """Whether an equilibrium that nothing proves to be of the concept is disproven, and why not proven."""
    case.tell("subgames", None)
    row = REFINEMENTS[case.concept]
    subgames = subgame_gains(case.tree, case.profile, case.clock.check)
    audited = audit(case.tree, case.profile, time_limit=case.clock.left, progress=case.tell)
    blunders = tuple(blunder for blunder in audited.blunders if blunder.kind in row.refuted_by)
    reasons = [*map(_on_subgame, subgames), *(_on_blunder(case.tree, blunder) for blunder in blunders)]
    verdict = Verdict.DISPROVEN if reasons else Verdict.UNDECIDED
    reasons = reasons or [*failures, row.undecided]
    solution = replace(nash, stats={"problems": reasons})
    return Certification(
        verdict, solution, reasons=tuple(reasons), blunders=blunders, subgames=subgames, not_stated=case.not_stated
    )


def _on_subgame(subgame: SubgameGain) -> str:
    shown = " / ".join(subgame.path[:10]) + (" / ..." if len(subgame.path) > 10 else "")
    where = f"in the subgame after {shown!r:.200}" if subgame.path else "in the whole game"
    return f"player {subgame.player + 1} can gain {shorten(subgame.gain)} {where}, so it is not subgame perfect"


def _on_blunder(tree: GameTree, blunder: Blunder) -> str:
    place = f"player {blunder.player + 1}, {tree.set_name(blunder.player, blunder.infoset)}"
    played = "this mixture" if blunder.action is None else repr(blunder.action)
    if blunder.kind == "dominated":
        return f"{place}: {played} is weakly dominated from there on; a plan with {blunder.better!r} is better"
    least = "at least " if blunder.kind == "unsupported" else ""
    return (
        f"{place}: {played} is played with probability {shorten(blunder.probability)}, but {_WHEN[blunder.kind]} "
        f"{blunder.better!r} earns {least}{shorten(blunder.loss)} more"
    )


_OTHERS_MIGHT = "the mistakes that were tried do not support the profile, others might"

REFINEMENTS: Mapping[str, Refinement] = {
    "quasi-perfect": Refinement(_perturbed_plans, ("regret", "unsupported", "dominated"), _OTHERS_MIGHT),
    "sequential": Refinement(_consistent_trembles, ("regret", "unsupported"), _OTHERS_MIGHT),
    "perfect": Refinement(
        lambda _case, _failures: iter(()),
        ("regret", "unsupported"),
        "the strategies alone do not tell; a certificate of kind 'basis' would prove it",
    ),
}
"""Concept -> how it is decided."""
