"""The type of functions that report the progress of long computations."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress"]

Progress = Callable[[str, float | None], None]
"""Called with the name of the step and the finished fraction of it, or None if unknown."""
