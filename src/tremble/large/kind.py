"""A function that returns the adapter for rules. Importing this module does not import a solver."""

from __future__ import annotations

from typing import Any

from tremble.game.rules import UnbuiltGame

__all__ = ["rules_kind"]


def rules_kind(game: UnbuiltGame, _strategies: Any = None) -> Any:
    """Return the adapter for a game that is given by its rules."""
    from tremble.large.adapter import RulesKind

    return RulesKind(game)
