"""Recognize rules that are not built, without loading what solves them."""

from __future__ import annotations

from typing import Any

from tremble.game.rules import UnbuiltGame

__all__ = ["rules_kind"]


def rules_kind(game: UnbuiltGame, _strategies: Any = None) -> Any:
    """Return the adapter for rules of any game."""
    from tremble.large.adapter import RulesKind

    return RulesKind(game)
