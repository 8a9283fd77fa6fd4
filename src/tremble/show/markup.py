"""Text in a picture: clipped and measured; coordinates as SVG has them."""

from __future__ import annotations

import unicodedata

__all__ = ["clip", "px", "text_width"]


def px(value: float) -> str:
    """Write a coordinate, in tenths of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def text_width(text: str, size: float = 12) -> float:
    """Estimate how wide a text is, in pixels."""
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.6 for c in text) * size


def clip(text: str, width: int) -> str:
    """Put a text on one line of at most this many characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
