"""Names of cards, and ranges of two-card hands in poker notation, such as ``"TT+,AKs,QJo:0.5,AhKd:1/3"``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

from tremble.errors import SpecError

__all__ = ["DECK", "cards_of", "range_weights"]

_RANKS, _SUITS = "23456789TJQKA", "cdhs"

DECK = tuple(rank + suit for rank in _RANKS for suit in _SUITS)
"""All cards, sorted by rank and then by suit."""

Hand = tuple[str, str]
"""Two cards in the order of ``DECK``."""

_CLASS = re.compile(rf"([{_RANKS}])([{_RANKS}])([so]?)(\+?)")
_WEIGHT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}|/[1-9][0-9]{0,8})?")


def cards_of(text: str, what: str) -> tuple[str, ...]:
    """Split a text of cards, such as ``"Kh7s2d"``, into cards. Error messages call the text ``what``.

    Raises
    ------
    SpecError
        A part of the text is not a card, or a card occurs twice. The message names the part or the card.
    """
    cards = [text[k : k + 2] for k in range(0, len(text), 2)]
    for k, card in enumerate(cards):
        if card not in DECK:
            raise SpecError(
                f"{what}: {card!r:.20} is not a card; write a rank from {_RANKS} and a suit from {_SUITS}, as in 'Kh'"
            )
        if card in cards[:k]:
            raise SpecError(f"{what}: the card {card} is used twice")
    return tuple(cards)


def range_weights(text: str, board: Sequence[str], what: str) -> dict[Hand, Fraction]:
    """Parse a range, and return the weights of its hands. Hands that contain a card of the board are omitted.

    A range is a list of parts, separated by commas. A part has one of these forms:

    * A pair, such as ``AA``. ``TT+`` means this pair and all higher pairs.
    * Two ranks, which are suited (``AKs``), offsuit (``QJo``) or both (``T9``). ``A9s+`` means all such hands in which
      the rank of the lower card is at least ``9`` and below ``A``.
    * A single hand, such as ``AhKd``.

    To give a part a weight other than 1, add a colon and the weight. A ``+`` after neighboring ranks, such as ``T9s+``,
    is an error: the lower card cannot rise, and programs disagree about the meaning of this text. An exception is
    ``AK``, for which ``+`` is allowed. An empty text means all hands.

    Raises
    ------
    SpecError
        A part has none of these forms, a hand is listed twice, or a single hand contains a card of the board. The
        message names the part or the hand.

    Examples
    --------
    >>> weights = range_weights("AA,KQs:0.5", ["Ah", "Kd", "7c", "5c", "2s"], "range1")
    >>> len(weights), weights["Qh", "Kh"], weights["Ad", "As"]
    (6, Fraction(1, 2), Fraction(1, 1))
    """
    remaining = [card for card in DECK if card not in board]
    if not text.strip():
        return dict.fromkeys(combinations(remaining, 2), Fraction(1))
    weights: dict[Hand, Fraction] = {}
    for part in text.split(","):
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        if colon and not _WEIGHT.fullmatch(number):
            raise SpecError(f"{what}: {number!r:.40} is not a weight for {name!r:.20}; write a weight like 0.5 or 1/3")
        weight = Fraction(number) if colon else Fraction(1)
        for hand in _hands(name, board, what):
            if hand in weights:
                raise SpecError(f"{what}: the hand {''.join(hand[::-1])} is listed twice, the second time as {name!r}")
            weights[hand] = weight
    return weights


def _hands(name: str, board: Sequence[str], what: str) -> list[Hand]:
    """Return the hands that ``name`` describes. A name is an entry of a range without the weight, such as ``"AKs"``."""
    if len(name) == 4 and name[1] in _SUITS:
        one, two = cards_of(name, what)
        for card in (one, two):
            if card in board:
                raise SpecError(f"{what}: the card {card} of {name} is on the board")
        return [(one, two) if DECK.index(one) < DECK.index(two) else (two, one)]
    match = _CLASS.fullmatch(name)
    if not match or (match[1] == match[2] and match[3]):
        raise SpecError(
            f"{what}: {name!r:.40} is not a hand; write a hand like AA, TT+, AKs, QJo, T9, A9s+ or AhKd; instead of a "
            "span such as 76s-54s, list each hand"
        )
    high, low = sorted((_RANKS.index(match[1]), _RANKS.index(match[2])), reverse=True)
    if high == low:
        pairs = [(rank, rank) for rank in range(high, 13 if match[4] else high + 1)]
    else:
        if match[4] and low == high - 1 and high < _RANKS.index("A"):
            raise SpecError(
                f"{what}: {name} is ambiguous: + means that the lower card rises, but this card is just below "
                f"{_RANKS[high]}; write {name[:-1]}, or list the hands"
            )
        pairs = [(high, rank) for rank in range(low, high if match[4] else low + 1)]
    hands = []
    for top, bottom in pairs:
        for a, b in combinations(_SUITS, 2) if top == bottom else product(_SUITS, _SUITS):
            if top == bottom or match[3] != ("o" if a == b else "s"):
                hands.append((_RANKS[bottom] + a, _RANKS[top] + b))
    return [hand for hand in hands if hand[0] not in board and hand[1] not in board]
