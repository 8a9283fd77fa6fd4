"""How long computations tell how far they are."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress"]

Progress = Callable[[str, float | None], None]
"""Called with the name of the step and the fraction of it that is done, or None."""
