"""How certify decides a refinement: what may prove it, one attempt after the other, and what disproves it.

Each refinement has a row in :data:`REFINEMENTS`. What an attempt comes to, the checker alone says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tremble.clock import Clock
from tremble.errors import TooLargeError
from tremble.exact_numbers import shorten
from tremble.io.profile import NotStated
from tremble.judging.audit import Blunder, Kind, audit
from tremble.judging.certify.certification import Certification, Verdict
from tremble.judging.certify.direction import Direction, perturbed_plan, stated_plans, words_of
from tremble.judging.certify.subgames import SubgameGain, subgame_gains
from tremble.model.progress import Progress
from tremble.model.rules import UnbuiltGame
from tremble.model.strategy import Profile
from tremble.model.tree import GameTree
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.certificates import PolynomialsCertificate
from tremble.solution.claim import Beliefs, Claim
from tremble.solution.heading import GameReference, MethodReference
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.solution.trembles import Trembles
from tremble.solution.verification import Verification
from tremble.verifier import prove
from tremble.verifier.concepts.table import CONCEPTS

__all__ = ["REFINEMENTS", "Case", "Refinement", "certify_refinement", "listener", "solution_of"]

_WHEN = {"regret": "given how the other plays", "unsupported": "whatever the other plays"}


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


@dataclass(frozen=True, eq=False)
class Attempt:
    """What may prove a refinement."""

    grounds: str
    certificate: Mapping[str, Any]
    beliefs: Beliefs | None = None


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


def solution_of(
    game: GameTree | UnbuiltGame, concept: str, claim: Claim, found: Verification, certificate: Mapping[str, Any]
) -> Solution:
    """A profile with what is proven of it."""
    return Solution.proven(GameReference.of(game), concept, MethodReference("certify", {}), claim, certificate, found)


def certify_refinement(case: Case, nash: Solution) -> Certification:
    """Whether an equilibrium is of the concept."""
    one, two = (replace(s, off_path=np.zeros_like(s.off_path)) for s in case.profile)
    failures: list[str] = []
    for attempt in _attempts(case, failures):
        case.tell("verification", None)
        found = prove(
            case.tree, (one, two), concept=case.concept, certificate=attempt.certificate, beliefs=attempt.beliefs,
            progress=listener(case.tell),
        )  # fmt: skip
        if found.proven == case.concept:
            claim = Claim((one, two), {}, beliefs=attempt.beliefs)
            solution = solution_of(case.tree, case.concept, claim, found, attempt.certificate)
            return Certification(Verdict.PROVEN, solution, grounds=attempt.grounds, not_stated=case.not_stated)
        failures.append(f"{attempt.grounds}: {found.problems[0]}")
    return _unproven(case, nash, failures)


def _attempts(case: Case, failures: list[str]) -> Iterator[Attempt]:
    """What may prove it, the most promising first."""
    row, stated = CONCEPTS[case.concept], case.stated
    if stated is not None and stated.certificate.get("kind") in (row.certificate, *row.other_certificates):
        beliefs = stated.beliefs if row.beliefs else None
        if beliefs is not None or not row.beliefs:
            yield Attempt("the certificate in the file", stated.certificate, beliefs)
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
        yield Attempt(direction.words, direction.certificate(case.tree).plain(), beliefs)


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
    one, two = (perturbed_plan(case.tree, strategy, trembles) for strategy in case.profile)
    if one is not None and two is not None:
        yield Attempt(words_of(case.trembles), PolynomialsCertificate((one, two), trembles.rows()).plain())
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


def _on_subgame(found: SubgameGain) -> str:
    shown = " / ".join(found.path[:10]) + (" / ..." if len(found.path) > 10 else "")
    where = f"in the subgame after {shown!r:.200}" if found.path else "in the whole game"
    return f"player {found.player + 1} can gain {shorten(found.gain)} {where}, so it is not subgame perfect"


def _on_blunder(tree: GameTree, found: Blunder) -> str:
    place = f"player {found.player + 1}, {tree.set_name(found.player, found.infoset - 1)}"
    played = "this mixture" if found.action is None else repr(found.action)
    if found.kind == "dominated":
        return f"{place}: {played} is weakly dominated from there on; a plan with {found.better!r} is better"
    least = "at least " if found.kind == "unsupported" else ""
    return (
        f"{place}: {played} is played with probability {shorten(found.probability)}, but {_WHEN[found.kind]} "
        f"{found.better!r} earns {least}{shorten(found.loss)} more"
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
