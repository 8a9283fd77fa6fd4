"""The modes of :func:`tremble.shrink`: all but ``merged`` are for ordered games."""

from __future__ import annotations

from collections.abc import Mapping

from tremble.errors import SpecError

__all__ = ["MODES", "NOT_ORDERED", "require_mode"]

MODES: Mapping[str, str] = {
    "lossless": "the coarsest equitable classes: no equilibrium is lost",
    "published": "the rule that reproduces the published sizes; lossy",
    "literal": "one reading of Algorithms 1 and 2 of the paper, for small games; lossy",
    "threshold": "hands that differ by at most a threshold are merged; lossy above 0",
    "full": "all hands are kept: nothing is merged",
    "merged": "for a tree: merge what no sum of payoffs distinguishes in its linear program; the value stays",
}

"""Mode -> description."""

NOT_ORDERED = (
    "abstraction needs the rules of an ordered game: signals dealt in rounds, and moves that everybody sees "
    "and that do not depend on the signals (tremble.poker.OrderedGame); this is not written as one. A tree of "
    "any game can be shrunk as well: tremble.build(game) builds one"
)
"""The error for rules that are no ordered game."""


def require_mode(mode: object, threshold: object = None) -> None:
    """Raise ``SpecError`` unless the mode exists, and has a threshold if and only if it needs one."""
    if not isinstance(mode, str) or mode not in MODES:
        raise SpecError(f"unknown mode {mode!r:.80}; choose from: {', '.join(MODES)}")
    if mode == "threshold" and threshold is None:
        raise SpecError("mode threshold needs a threshold, a number from 0 (lossless) to 1 (all signals ignored)")
    if mode != "threshold" and threshold is not None:
        raise SpecError(f"a threshold belongs to mode threshold, not to {mode}")
