"""The type of functions that report the progress of long computations."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress"]

Progress = Callable[[str, float | None], None]
"""Function that is called with the name of a step and its finished fraction, which is None if unknown."""
