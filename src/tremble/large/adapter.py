"""The adapter for games that are played from their rules: profiles, best responses, facts for ``info``."""

from __future__ import annotations

from typing import Any, ClassVar

from tremble.game.adapter import Kind, KindName, Listener, Responses
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.verifier.budget import telling
from tremble.verifier.profiles.rules import evaluate_rules

__all__ = ["RulesKind"]


class RulesKind(Kind[UnbuiltGame, Any]):
    """Rules of any game. A strategy has rows at some information sets, and its default rule elsewhere."""

    name: ClassVar[KindName] = "rules"
    strategy: type[Any] = UnbuiltStrategy
    one_processor = True

    def first_profile(self) -> tuple[Any, Any]:
        """Return two default strategies without rows."""
        rule = DefaultRule.of(self.game.rules)
        return UnbuiltStrategy(0, rule, {}), UnbuiltStrategy(1, rule, {})

    def respond(self, profile: tuple[Any, Any], progress: Listener | None = None) -> Responses:
        """Return the best responses that the checker finds."""
        with telling(progress):
            outcome = evaluate_rules(self.game, profile)
        player1, player2 = outcome.players
        return Responses(outcome.values, outcome.best_response_values, (player1.best, player2.best))

    def info(self) -> dict[str, Any]:
        """Return the facts that the rules can count or declare, and None for all others."""
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
