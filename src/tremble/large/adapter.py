"""The evaluation of strategies in games that are given by rules, without a tree. A search finds best responses."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Any, ClassVar

from tremble.check.limits import Limits
from tremble.errors import CertificateError
from tremble.game.adapter import KindName, Listener, Responses, UnbuiltKind
from tremble.game.rules import DefaultRule, UnbuiltStrategy
from tremble.large.check import evaluate_rules
from tremble.large.check_rows import StatedPlay, row_faults

__all__ = ["RulesKind"]

_SECONDS = 0.2  # least number of seconds between two progress reports


class RulesKind(UnbuiltKind[Any]):
    """The adapter that evaluates strategies in games of rules. :mod:`.check_rows` explains the form of strategies."""

    name: ClassVar[KindName] = "rules"
    strategy: ClassVar[type[Any]] = UnbuiltStrategy
    one_processor = True

    def first_profile(self) -> tuple[Any, Any]:
        """Return two strategies, one for each player, that play the default action at every information set."""
        rule = DefaultRule.of(self.game.rules)
        return UnbuiltStrategy(0, rule, {}), UnbuiltStrategy(1, rule, {})

    def respond(self, profile: tuple[Any, Any], progress: Listener | None = None) -> Responses:
        """Compute the exact values of a profile and best responses to it, with the same search as the checker."""
        outcome = evaluate_rules(self.game, profile, Limits(inf, inf, _reporting(progress)))
        if outcome.values is None or outcome.best_response_values is None:
            raise AssertionError("evaluating well-formed strategies must give their values and best responses")
        best1, best2 = outcome.details
        return Responses(outcome.values, outcome.best_response_values, (best1.best, best2.best))

    def sides(self, profile: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return two objects, one for each strategy. Each object looks up action probabilities at information sets."""
        for fault in (fault for strategy in profile for fault in row_faults(strategy)):
            raise CertificateError(fault)
        return StatedPlay(self.game.rules, profile[0]), StatedPlay(self.game.rules, profile[1])


def _reporting(progress: Listener | None) -> Callable[[], None]:
    """Return a function that a search must call often, and that calls ``progress`` from time to time.

    If ``progress`` raises an exception, the search ends.
    """
    if progress is None:
        return lambda: None
    began = last = time.monotonic()

    def tick() -> None:
        nonlocal last
        if (now := time.monotonic()) >= last + _SECONDS:
            last = now
            progress(f"best responses: {now - began:.0f} seconds")

    return tick
