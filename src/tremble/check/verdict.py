"""Verdicts: what the kernel has proven about a claim. This module is the only one that makes a `Verdict`.

Theorem.  If a verdict says `proven`, every check of the claimed concept has run to its end and has found no problem.

Proof.  `conclude` says `proven` only for an empty list of problems and known results of best responses. Checks only add
problems. A check that stops early does so with `Wrong` or `TooLarge`, and `check` adds a problem for either.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.check.best_response import Outcome
from tremble.check.case import Problems
from tremble.check.claim import Claim
from tremble.check.nash import proven_bounds


@dataclass(frozen=True)
class Verdict:
    """What is proven about a claim."""

    ok: bool  # everything that is claimed is proven
    concept: str  # that is claimed
    proven: str | None  # the concept, or "bounds"
    disproven: str | None  # the concept that the strategies are proven not to be of
    problems: tuple[str, ...]  # empty exactly if `ok`
    # Recomputed; None if the strategies do not fit the game.
    values: tuple[Fraction, Fraction] | None = None
    best_response_values: tuple[Fraction, Fraction] | None = None
    nash_conv: Fraction | None = None
    bounds: tuple[Fraction, Fraction] | None = None


def conclude(game: Any, claim: Claim, outcome: Outcome | None, problems: Problems, disproven: str | None) -> Verdict:
    """Make the verdict on a claim whose checks have ended."""
    if claim.status == "limit-reached" and disproven is None:
        problems.add("status: 'limit-reached' claims nothing, so there is nothing to prove")
    if outcome is None and not problems:
        problems.add("the checks have not run")
    ok = not problems
    listed = (*problems, f"and {problems.left_out} more") if problems.left_out else tuple(problems)
    named = {"certified": claim.concept, "bounded": "bounds"}.get(claim.status)
    proven, disproven = (named, disproven) if ok else (None, None)
    if outcome is None:
        return Verdict(ok, claim.concept, proven, disproven, listed)
    result1, result2 = outcome
    return Verdict(
        ok,
        claim.concept,
        proven,
        disproven,
        listed,
        values=(result1.value, result2.value),
        best_response_values=(result1.best_response_value, result2.best_response_value),
        nash_conv=result1.gain + result2.gain,
        bounds=proven_bounds(game, outcome),
    )
