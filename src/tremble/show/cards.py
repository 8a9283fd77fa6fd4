"""Cards with the signs of their suits, in games whose signals are such cards."""

from __future__ import annotations

import re
from collections.abc import Callable

from tremble.poker.game import OrderedGame

__all__ = ["cards_text", "has_cards"]

_CARD = re.compile(r"([2-9TJQKA])([cdhs])")
_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def has_cards(rules: object) -> bool:
    """Whether all that is dealt are cards such as ``Ah``."""
    return isinstance(rules, OrderedGame) and all(_CARD.fullmatch(signal) for signal in rules.signals)


def cards_text(rules: object) -> Callable[[str], str]:
    """What writes the names of signals as they are to be read.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> cards_text(RhodeIsland())("Ah | 7d"), cards_text(None)("Ah")
    ('A♥ | 7♦', 'Ah')
    """
    if not has_cards(rules):
        return str
    return lambda text: _CARD.sub(lambda card: card[1] + _SIGNS[card[2]], text)
