"""Cards by name, and ranges of two-card hands in the notation of poker: ``"TT+,AKs,QJo:0.5,AhKd:1/3"``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

from tremble.errors import SpecError

__all__ = ["DECK", "cards_of", "range_weights"]

_RANKS, _SUITS = "23456789TJQKA", "cdhs"

DECK = tuple(rank + suit for rank in _RANKS for suit in _SUITS)
"""All cards, by rank and then by suit."""

Hand = tuple[str, str]
"""Two cards, ascending in ``DECK``."""

_CLASS = re.compile(rf"([{_RANKS}])([{_RANKS}])([so]?)(\+?)")
_WEIGHT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}|/[1-9][0-9]{0,8})?")


def cards_of(text: str, what: str) -> tuple[str, ...]:
    """Cards written one after the other, such as ``"Kh7s2d"``.

    Raises
    ------
    SpecError
        Something is no card, or a card comes twice; names it.
    """
    cards = [text[k : k + 2] for k in range(0, len(text), 2)]
    for k, card in enumerate(cards):
        if card not in DECK:
            raise SpecError(
                f"{what}: {card!r:.20} is no card; a card is one of {_RANKS} and one of {_SUITS}, as in 'Kh'"
            )
        if card in cards[:k]:
            raise SpecError(f"{what}: the card {card} is used twice")
    return tuple(cards)


def range_weights(text: str, board: Sequence[str], what: str) -> dict[Hand, Fraction]:
    """The weights of hands, without those that hold a card of the board.

    Parts are separated by commas, each with a weight after a colon if that is not 1: pairs (``AA``, ``TT+``), two
    ranks suited, offsuit or both (``AKs``, ``QJo``, ``T9``, ``A9s+``: the lower card rises up to below the higher one),
    single hands (``AhKd``). Of neighbours such as ``T9s+`` it cannot rise: tools differ on what that means, and it is
    refused. Hands with a card of the board drop out of what stands for several.
    No text: all hands.

    Raises
    ------
    SpecError
        A part is nothing of that, a hand is listed twice, a single hand holds a card of the board; names it.

    Examples
    --------
    >>> weights = range_weights("AA,KQs:0.5", ["Ah", "Kd", "7c", "5c", "2s"], "range1")
    >>> len(weights), weights["Qh", "Kh"], weights["Ad", "As"]
    (6, Fraction(1, 2), Fraction(1, 1))
    """
    left = [card for card in DECK if card not in board]
    if not text.strip():
        return dict.fromkeys(combinations(left, 2), Fraction(1))
    weights: dict[Hand, Fraction] = {}
    for part in text.split(","):
        name, colon, said = (piece.strip() for piece in part.partition(":"))
        if colon and not _WEIGHT.fullmatch(said):
            raise SpecError(f"{what}: {said!r:.40} is no weight of {name!r:.20}; expected a number such as 0.5 or 1/3")
        weight = Fraction(said) if colon else Fraction(1)
        for hand in _hands(name, board, what):
            if hand in weights:
                raise SpecError(f"{what}: the hand {''.join(hand[::-1])} is listed twice, the second time as {name!r}")
            weights[hand] = weight
    return weights


def _hands(name: str, board: Sequence[str], what: str) -> list[Hand]:
    """The hands that a name stands for."""
    if len(name) == 4 and name[1] in _SUITS:
        one, two = cards_of(name, what)
        for card in (one, two):
            if card in board:
                raise SpecError(f"{what}: the card {card} of {name} is on the board")
        return [(one, two) if DECK.index(one) < DECK.index(two) else (two, one)]
    match = _CLASS.fullmatch(name)
    if not match or (match[1] == match[2] and match[3]):
        raise SpecError(
            f"{what}: {name!r:.40} is no hand; write AA, TT+, AKs, QJo, T9, A9s+ or AhKd; spans "
            "such as 76s-54s are to be listed"
        )
    high, low = sorted((_RANKS.index(match[1]), _RANKS.index(match[2])), reverse=True)
    if high == low:
        pairs = [(rank, rank) for rank in range(high, 13 if match[4] else high + 1)]
    else:
        if match[4] and low == high - 1 and high < _RANKS.index("A"):
            raise SpecError(
                f"{what}: {name} can be read in two ways: with + the lower card rises, but below {_RANKS[high]} there "
                f"is no room for it; write {name[:-1]}, or list the hands that are meant"
            )
        pairs = [(high, rank) for rank in range(low, high if match[4] else low + 1)]
    hands = []
    for top, bottom in pairs:
        for a, b in combinations(_SUITS, 2) if top == bottom else product(_SUITS, _SUITS):
            if top == bottom or match[3] != ("o" if a == b else "s"):
                hands.append((_RANKS[bottom] + a, _RANKS[top] + b))
    return [hand for hand in hands if hand[0] not in board and hand[1] not in board]
