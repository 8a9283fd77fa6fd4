"""The type of functions that report the progress of long computations."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress"]

Progress = Callable[[str, float | None], None]
"""A function that is called with the name of a step and the finished fraction of the step, or None if unknown."""
