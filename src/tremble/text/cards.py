"""Show cards with suit symbols, for games whose signals (the dealt pieces of information) are cards."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["cards_text", "has_cards", "suits_text"]

_CARD = re.compile(r"([2-9TJQKA])([cdhs])")
_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def has_cards(rules: object) -> bool:
    """Return True if the rules have a list of signals, and all signals are cards such as ``Ah``."""
    signals = getattr(rules, "signals", None)
    return isinstance(signals, tuple) and all(isinstance(name, str) and _CARD.fullmatch(name) for name in signals)


def cards_text(rules: object) -> Callable[[str], str]:
    """Return a function that replaces suit letters in a text of signals by suit symbols.

    If the signals of the rules are not cards, the returned function changes nothing.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> cards_text(RhodeIsland())("Ah | 7d"), cards_text(None)("Ah")
    ('A♥ | 7♦', 'Ah')
    """
    return suits_text if has_cards(rules) else str


def suits_text(text: str) -> str:
    """Replace the suit letters of all cards in a text by suit symbols."""
    return _CARD.sub(lambda card: card[1] + _SIGNS[card[2]], text)
