"""Modes of :func:`tremble.shrink`. Trees accept ``merged`` and ``lossless``, ordered games all except ``merged``."""

from __future__ import annotations

from collections.abc import Mapping

from tremble.errors import SpecError

__all__ = ["MODES", "NOT_ORDERED", "require_mode"]

MODES: Mapping[str, str] = {
    "lossless": "merge hands into the coarsest equitable classes; no equilibrium is lost",
    "published": "use the rule that reproduces the sizes published by Gilpin and Sandholm; lossy",
    "literal": "use one reading of Algorithms 1 and 2 of Gilpin and Sandholm, for small games; lossy",
    "threshold": "merge hands that differ by at most a threshold; lossy if the threshold is above 0",
    "full": "merge nothing",
    "merged": "for a tree, merge sequences that its linear program treats alike; the value stays the same",
}

"""A dict from each mode to its description."""

NOT_ORDERED = (
    "abstraction needs the rules of an ordered game (tremble.poker.OrderedGame): chance deals signals in rounds, "
    "all players see all moves, and the possible moves do not depend on the signals. These rules do not define an "
    "ordered game. To shrink any other game, build its tree first: tremble.build(game)"
)
"""The error message for rules that do not define an ordered game."""


def require_mode(mode: object, threshold: object = None) -> None:
    """Raise ``SpecError`` if the mode is unknown, lacks its threshold, or does not accept the given threshold."""
    if not isinstance(mode, str) or mode not in MODES:
        raise SpecError(f"unknown mode {mode!r:.80}; choose from: {', '.join(MODES)}")
    if mode == "threshold" and threshold is None:
        raise SpecError("the mode 'threshold' needs a threshold, from 0 (lossless) to 1 (ignores all signals)")
    if mode != "threshold" and threshold is not None:
        raise SpecError(f"the mode '{mode}' accepts no threshold; use the mode 'threshold'")
