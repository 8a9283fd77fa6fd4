"""A function that returns the adapter (:mod:`.adapter`) of a game given by rules. This module imports no solver."""

from __future__ import annotations

from typing import Any

from tremble.game.rules import UnbuiltGame

__all__ = ["rules_kind"]


def rules_kind(game: UnbuiltGame, _strategies: Any = None) -> Any:
    """Return the object that evaluates strategies in a game that is given by its rules."""
    from tremble.large.adapter import RulesKind

    return RulesKind(game)
