"""Draw each player's range of two-card hands as an SVG picture.

A *range* gives a weight to each hand that the player may be dealt. The picture of a range is a square with a row and a
column for each rank. Suited hands are above the diagonal. The filled part of a cell is proportional to the weights of
its hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

from tremble.game.hands import has_hands
from tremble.game.rules import UnbuiltGame
from tremble.numbers import as_float
from tremble.text.cards import has_cards
from tremble.text.comparison import percent_text
from tremble.text.markup import clip, element, label, moved, picture, titled
from tremble.text.theme import PASSIVE

__all__ = ["ranges_svg", "states_ranges"]

_MARGIN, _GAP, _CELL = 24.0, 36.0, 30.0


def states_ranges(game: UnbuiltGame) -> bool:
    """Return True if each hand in a game has two cards and the rules of the game define a range for each player."""
    rules: Any = game.rules
    return has_cards(rules) and has_hands(game) and bool(rules.ranges) and rules.rounds[0].private == 2


def ranges_svg(rules: Any, title: str) -> str:
    """Draw the ranges of both players as a standalone SVG document.

    Examples
    --------
    >>> import tremble
    >>> river = tremble.load_rules("holdem_river:range1=AA")
    >>> ranges_svg(river.rules, "river")[:4]
    '<svg'
    """
    ranks = list(dict.fromkeys(signal[0] for signal in reversed(rules.signals)))
    side = _CELL * len(ranks)
    parts = [label(_MARGIN, 34, clip(title, 110), "title") + "\n"]
    for player, weights in enumerate(rules.ranges or ()):
        held = sum(weight > 0 for weight in weights.values())
        head = label(0, 0, f"Player {player + 1}", f"who who{player + 1}")
        head += label(side, 0, f"{held:,} hands", "small", "end") + "\n"
        cells = "".join(_cells(rules, weights, ranks))
        parts.append(moved(_MARGIN + player * (side + _GAP), 64, head + moved(0, 10, cells)))
    return picture("plan", f"{title}: ranges", 2 * (_MARGIN + side) + _GAP, side + 74 + _MARGIN, parts)


def _cells(rules: Any, weights: Mapping[tuple[int, ...], Fraction | int], ranks: list[str]) -> Iterator[str]:
    most = max(map(Fraction, weights.values()), default=Fraction(1)) or 1
    held: dict[tuple[int, int], list[Fraction]] = {}
    for hand in combinations(range(len(rules.signals)), 2):
        (a, s), (b, t) = (tuple(rules.signals[card]) for card in hand)
        high, low = sorted((ranks.index(a), ranks.index(b)))
        held.setdefault((high, low) if s == t else (low, high), []).append(Fraction(weights.get(hand, 0)) / most)
    for (i, j), shares in sorted(held.items()):
        name = ranks[i] + ranks[j] + "s" if i < j else ranks[i] * 2 if i == j else ranks[j] + ranks[i] + "o"
        share = as_float(sum(shares, Fraction(0)) / len(shares))
        x, y, size = j * _CELL, i * _CELL, _CELL - 1
        full = size * share
        body = element("rect", x=x, y=y, width=size, height=size, fill=PASSIVE["fold"])
        if share:
            body += element("rect", x=x, y=y + size - full, width=size, height=f"{full:.2f}", fill=PASSIVE["call"])
        tooltip = f"{name}: {percent_text(share)} of {len(shares)} hands"
        yield titled(tooltip, body + label(x + size / 2, y + size / 2 + 4, name, "cell")) + "\n"
