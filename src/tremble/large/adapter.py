"""Games that are not built, as a kind of game: best responses by search, sizes as the rules report them."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Any, ClassVar

from tremble.check.limits import Limits
from tremble.game.adapter import Kind, KindName, Listener, Responses
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.large.check import evaluate_rules

__all__ = ["RulesKind"]

_SECONDS = 0.2  # between two reports


class RulesKind(Kind[UnbuiltGame, Any]):
    """Rules of any game, whose strategies have rows at some information sets."""

    name: ClassVar[KindName] = "rules"
    strategy: type[Any] = UnbuiltStrategy
    one_processor = True

    def first_profile(self) -> tuple[Any, Any]:
        """Default strategies without rows."""
        rule = DefaultRule.of(self.game.rules)
        return UnbuiltStrategy(0, rule, {}), UnbuiltStrategy(1, rule, {})

    def respond(self, profile: tuple[Any, Any], progress: Listener | None = None) -> Responses:
        """Search exact best responses, as the checker does."""
        outcome = evaluate_rules(self.game, profile, Limits(inf, inf, _reporting(progress)))
        if outcome.values is None or outcome.best_response_values is None:
            raise AssertionError("strategies without faults have an outcome")
        best1, best2 = outcome.details
        return Responses(outcome.values, outcome.best_response_values, (best1.best, best2.best))

    def info(self) -> dict[str, Any]:
        """What the rules can count and declare; None where they cannot."""
        counts = getattr(self.game.rules, "counts", dict)
        known: dict[str, Any] = counts() or {}
        declared = getattr(self.game.rules, "declared_sum", None)
        if declared is not None:
            known = {"zero_sum": declared == 0, "constant_sum": True, **known}
        if known.get("recall") == ["perfect", "perfect"]:
            known = {**known, "recall_witness": [None, None]}
        sizes = ("nodes", "information_sets", "sequences", "recall", "recall_witness", "max_depth")
        named = {"title": self.game.title, "players": list(self.game.players)}
        sums = ("zero_sum", "constant_sum")
        return named | {key: known.get(key) for key in (*sums, *sizes)} | {"digest": self.game.digest}


def _reporting(progress: Listener | None) -> Callable[[], None]:
    """Return a function that reports a search now and then; what the listener raises ends the search."""
    if progress is None:
        return lambda: None
    began = last = time.monotonic()

    def tick() -> None:
        nonlocal last
        if (now := time.monotonic()) >= last + _SECONDS:
            last = now
            progress(f"best responses: {now - began:.0f} seconds")

    return tick
