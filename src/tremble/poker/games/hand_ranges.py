"""Names of cards, and ranges of two-card hands: read them from text such as ``"TT+,AKs,QJo:0.5"``, and write them.

The page *Ranges* of the documentation lists what each text means, and where other programs differ.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, groupby, product
from typing import NamedTuple

from tremble.arguments import described
from tremble.errors import SpecError, TrembleWarning
from tremble.notation import parse_notation
from tremble.numbers import NumberLike, exact_number

__all__ = ["DECK", "cards_of", "parse_range", "range_text", "short_text", "with_commas"]

_RANKS, _SUITS = "23456789TJQKA", "cdhs"

DECK = tuple(rank + suit for rank in _RANKS for suit in _SUITS)
"""All cards, sorted by rank and then by suit."""

_HANDS = tuple(high + low for low, high in combinations(DECK, 2))
"""The 1,326 hands, such as ``"AhKd"``: the card that is later in ``DECK`` first."""


def cards_of(text: str, what: str) -> tuple[str, ...]:
    """Split a text of cards, such as ``"Kh7s2d"``, into cards. Error messages call the text ``what``.

    Blanks and commas between the cards are ignored. Letters may be small or capital.

    Raises
    ------
    SpecError
        A part of the text is not a card, or a card occurs twice. The message names the part or the card.
    """
    text = "".join(text.replace(",", " ").split())
    cards: list[str] = []
    for k in range(0, len(text), 2):
        card = text[k].upper() + text[k + 1 : k + 2].lower()
        if card not in DECK:
            raise SpecError(
                f"{what}: {text[k : k + 2]!r:.20} is not a card; write a rank from {_RANKS} and a suit from {_SUITS}, "
                "as in 'Kh'"
            )
        if card in cards:
            raise SpecError(f"{what}: the card {card} is used twice")
        cards.append(card)
    return tuple(cards)


# -- from text to weights ----------------------------------------------------------------------------

_DASH = "\N{EN DASH}"  # web pages print it instead of a hyphen

_PART = re.compile(r"\[[^\[\]]*\]|[\[\]]|(?:[^\s,;\[\]]++|(?<!\s)\s++(?=[-:])|(?<=[-:])\s++)+")
"""A tag such as ``[50]``, or a part of a range. Blanks beside a hyphen or a colon belong to the part."""


def parse_range(text: str, board: str | Sequence[str] = "", *, what: str = "range") -> dict[str, Fraction]:
    """Read a range of two-card hands, and return the weight of each hand. Hands of weight 0 are omitted.

    A range is a list of parts. Commas, semicolons, blanks or line ends separate them. Letters may be small or capital.
    A part has one of these forms:

    * ``AA`` is a pair, ``TT+`` this pair and all higher pairs, and ``JJ-88`` all pairs from one to the other.
    * ``AKs`` is suited, ``AKo`` offsuit, and ``AK`` both.
    * ``A9s+`` lets the lower card rise to just below the higher card: A9s, ATs, AJs, AQs, AKs. If the two ranks are
      neighbors, both cards rise: ``T9s+`` means T9s, JTs, QJs, KQs, AKs.
    * ``A9s-A6s`` is a span of hands with the same higher card. In ``76s-54s`` both cards move: 76s, 65s, 54s.
    * ``AhKd`` is a single hand.
    * ``random``, ``any`` and ``100%`` mean all hands. So does an empty text.

    A weight from 0 to 1 may follow a part, as in ``AKs:0.5``, ``AKs:1/3``, ``AKs:1e-3`` or ``AKs:50%``. A weight in
    percent may also surround parts, as in ``[50]AKs,QQ[/50]``. Without a weight, the weight is 1.

    Parameters
    ----------
    text : str
        The range.
    board : str or sequence of str
        Public cards, such as ``"Kh9d7s"``. Hands that contain one of these cards are omitted. A ``TrembleWarning``
        reports omitted hands that are listed singly.
    what : str
        Name of the range in messages.

    Returns
    -------
    dict of str to Fraction
        Hand -> weight. A hand is a text such as ``"AhKd"``, with the higher card first. The suits of a pair are in the
        order s, h, d, c, as in ``"AsAh"``.

    Raises
    ------
    SpecError
        A part has none of these forms, a weight is not from 0 to 1, or a hand has two different weights. The message
        contains the part, its position, and what to write.

    Examples
    --------
    >>> weights = parse_range("QQ+ aks:50% [25]T9s-76s[/25]", board="Ah Kd 7c 5c 2s")
    >>> len(weights), weights["QhQd"], weights["AsKs"], weights["7h6h"]
    (28, Fraction(1, 1), Fraction(1, 2), Fraction(1, 4))
    """
    if not isinstance(text, str):
        raise SpecError(f"{what} must be text, such as 'TT+,AKs', not {described(text)}")
    on_board = frozenset(cards_of("".join(board), "board"))
    found: dict[str, _Entry] = {}
    dead: list[str] = []
    for entry in _entries(text, what):
        hands = _hands(entry, what)
        for hand in hands:
            if hand[:2] in on_board or hand[2:] in on_board:
                if len(hands) == 1 and entry.weight:
                    dead.append(hand)
                continue
            before = found.setdefault(hand, entry)
            if before is not entry and before.weight != entry.weight:
                raise _refusal(
                    what, entry.part, entry.place,
                    f"gives {hand} the weight {entry.weight}, but {before.part!r:.40} (character {before.place}) gives "
                    f"it {before.weight}; programs disagree about which one counts; list each hand once",
                )  # fmt: skip
    if dead:
        listed = ", ".join(dead[:3]) + (f" and {len(dead) - 3:,} more" if len(dead) > 3 else "")
        message = f"{what}: hands with a card of the board are left out: {listed}"
        warnings.warn(message, TrembleWarning, stacklevel=2)
    return {hand: entry.weight for hand, entry in found.items() if entry.weight}


def with_commas(text: str) -> str:
    """Return a range with one comma between its parts, and without blanks.

    Examples
    --------
    >>> with_commas("AA; KK : 0.5  76s - 54s")
    'AA,KK:0.5,76s-54s'
    """
    return ",".join("".join(part[0].split()) for part in _PART.finditer(text))


class _Entry(NamedTuple):
    name: str  # a part without its weight, such as "AKs"
    weight: Fraction
    part: str  # as written, without blanks
    place: int  # of the first character in the text, from 1


def _refusal(what: str, part: str, place: int, why: str) -> SpecError:
    return SpecError(f"{what}: {part!r:.40} (character {place}) {why}")


def _entries(text: str, what: str) -> Iterator[_Entry]:
    """Split a range into its parts, and read their weights."""
    if not text.strip():
        yield _Entry("random", Fraction(1), text, 1)
        return
    opened: tuple[str, int, Fraction] | None = None  # the tag around the current parts, its position and its weight
    empty = True
    for token in _PART.finditer(text.replace(_DASH, "-")):
        part, place = "".join(token[0].split()), token.start() + 1
        if part[0] in "[]":
            closes = part.startswith("[/")
            if closes != (opened is not None) or not part.endswith("]"):
                raise _refusal(what, part, place, "does not match another tag; write a weight in percent around parts, "
                               "as in [50]AKs,QQ[/50]")  # fmt: skip
            weight = _weight(part.strip("[/]"), 100, what, part, place)
            if opened is not None and weight != opened[2]:
                raise _refusal(what, part, place, f"closes {opened[0]}; write [/{opened[0][1:]}")
            opened = None if closes else (part, place, weight)
            continue
        name, colon, number = part.partition(":")
        if colon and opened is not None:
            raise _refusal(what, part, place, f"has a second weight within {opened[0]}; write one of them")
        weight = _weight(number, 1, what, part, place) if colon else opened[2] if opened else Fraction(1)
        empty = False
        yield _Entry(name, weight, part, place)
    if opened is not None:
        raise _refusal(what, opened[0], opened[1], f"is not closed; write [/{opened[0][1:]} after its last part")
    if empty:
        raise SpecError(f"{what}: {text!r:.40} contains no hand; write hands such as TT+,AKs, or random for all hands")


def _weight(number: str, whole: int, what: str, part: str, place: int) -> Fraction:
    """Read a weight that is 1 if the number is ``whole`` (1 or 100). With a percent sign, ``whole`` is always 100."""
    whole = 100 if number.endswith("%") else whole
    try:
        weight = parse_notation(number.removesuffix("%"))
    except ValueError:
        wanted = "a weight like 0.5, 1/3 or 50%" if whole == 1 else "a weight in percent, as in [50]AKs[/50]"
        raise _refusal(what, part, place, f"has {number!r:.40} instead of a weight; write {wanted}") from None
    if not 0 <= weight.numerator <= whole * weight.denominator:
        advice = "write 50 percent as 0.5 or 50%" if whole == 1 else "write at most 100 percent"
        raise _refusal(what, part, place, f"has the weight {number:.40}; weights are from 0 to 1; {advice}")
    return Fraction(weight, whole) if whole != 1 or isinstance(weight, int) else weight


_CLASS = re.compile(rf"([{_RANKS}])([{_RANKS}])([so]?)", re.IGNORECASE | re.ASCII)

_Class = tuple[int, int, str]
"""Higher rank, lower rank, and ``"s"`` (suited), ``"o"`` (offsuit) or ``""`` (both, or a pair)."""


def _hands(entry: _Entry, what: str) -> Sequence[str]:
    """Return the hands of a part. If the part is not understood, the error says why and what to write."""
    name = entry.name
    single = _named_hands().get(name.lower())
    if single is not None:
        return (single,)
    if name.lower() in ("random", "any") or re.fullmatch(r"100(\.0*)?%", name):
        return _HANDS
    first, dash, last = name.partition("-")
    one, other = _class_of(first.removesuffix("+") if not dash else first), _class_of(last)
    if one is None or (dash and other is None):
        raise _refusal(what, entry.part, entry.place, _why_no_hand(name))
    classes = _span(one, other) if other is not None else _and_better(one) if name.endswith("+") else [one]
    if not classes:
        raise _refusal(
            what, entry.part, entry.place,
            "is not a span; its ends must be two pairs (JJ-88), have the same higher card (A9s-A6s), or have the same "
            "distance between their cards (76s-54s), and both must end in s, in o, or in neither",
        )  # fmt: skip
    return [hand for each in classes for hand in _hands_of(*each)]


@cache
def _named_hands() -> dict[str, str]:
    """Return a dict from each name of a hand in small letters, such as ``"kdah"``, to the hand: ``"AhKd"``."""
    return {name.lower(): hand for hand in _HANDS for name in (hand, hand[2:] + hand[:2])}


def _class_of(name: str) -> _Class | None:
    match = _CLASS.fullmatch(name)
    if match is None or (match[3] and match[1].upper() == match[2].upper()):
        return None
    low, high = sorted(_RANKS.index(rank) for rank in (match[1].upper(), match[2].upper()))
    return high, low, match[3].lower()


@cache
def _hands_of(high: int, low: int, kind: str) -> tuple[str, ...]:
    one, two = _RANKS[high], _RANKS[low]
    if high == low:
        return tuple(one + b + one + a for a, b in combinations(_SUITS, 2))
    return tuple(one + a + two + b for a, b in product(_SUITS, _SUITS) if kind != ("o" if a == b else "s"))


def _and_better(lowest: _Class) -> list[_Class]:
    """Return the classes of a part with ``+``."""
    high, low, kind = lowest
    if high - low <= 1:  # pairs, and neighbors such as T9s
        return [(rank, rank - high + low, kind) for rank in range(high, len(_RANKS))]
    return [(high, rank, kind) for rank in range(low, high)]


def _span(one: _Class, other: _Class) -> list[_Class]:
    """Return the classes from ``one`` to ``other``, in any order, or an empty list if they are not ends of a span."""
    (high1, low1, kind), (high2, low2, other_kind) = sorted((one, other))
    if kind != other_kind:
        return []
    if high1 - low1 == high2 - low2:
        return [(rank, rank - high1 + low1, kind) for rank in range(high1, high2 + 1)]
    if high1 == high2 and high2 > low2:
        return [(high1, rank, kind) for rank in range(low1, low2 + 1)]
    return []


def _why_no_hand(name: str) -> str:
    if name.endswith("%") or name.lower().startswith("top"):
        return (
            "asks for the best hands, but programs disagree about the order of hands; list the hands, as in 22+,A2s+; "
            "100% means all hands"
        )
    if len(name) == 4 and name[:2].lower() == name[2:].lower():
        return "has the same card twice; write two different cards, as in AhKd"
    if "10" in name:
        return "is not a hand; write T for a ten, as in ATs"
    if re.match(rf"([{_RANKS}])\1[so]", name, re.IGNORECASE | re.ASCII):
        return f"is not a hand, because a pair is always offsuit; write {name[:2].upper()}"
    return (
        "is not a hand; write a part like AA, TT+, JJ-88, AKs, QJo, T9, A9s+, A9s-A6s, 76s-54s, AhKd or random; write "
        "a weight as in AKs:0.5 or [50]AKs[/50]"
    )


# -- from weights to text ----------------------------------------------------------------------------


def range_text(weights: Mapping[str, NumberLike], board: str | Sequence[str] = "") -> str:
    """Write a range as a short text. With the same board, :func:`parse_range` returns the same weights of the text.

    Pairs come first, then suited, then offsuit and then single hands. ``+`` is not used after neighbors such as
    ``T9s``, so that the text means the same for all programs. If no hand has a weight, the text is ``"random:0"``.

    Parameters
    ----------
    weights : mapping of str to number
        Hand, such as ``"AhKd"`` -> weight from 0 to 1. Other hands have the weight 0. A float is read as the shortest
        decimal that prints the same.
    board : str or sequence of str
        Public cards. Hands that contain one of these cards do not matter.

    Raises
    ------
    SpecError
        A key is not a hand, a hand is listed twice, or a weight is not from 0 to 1.

    Examples
    --------
    >>> range_text(parse_range("AA KK QQ aks aqs AJs 54s 53s T9:0.5 9d9c 9h9s:1/3"))
    'QQ+,AJs+,T9s:0.5,53s+,T9o:0.5,9d9c,9s9h:1/3'
    """
    on_board = frozenset(cards_of("".join(board), "board"))
    given = _checked(weights)
    return short_text({hand: given.get(hand, Fraction(0)) for hand in _HANDS if not {hand[:2], hand[2:]} & on_board})


def short_text(weight_of: Mapping[str, Fraction]) -> str:
    """Write a range as :func:`range_text` does. Hands without a weight, not even 0, do not matter."""
    if len(set(weight_of.values())) == 1:
        return "random" + _weight_text(next(iter(weight_of.values())))

    def common_weight(of: _Class) -> Fraction | None:
        """Return the weight that all possible hands of a class have, or None."""
        found = {weight_of[hand] for hand in _hands_of(*of) if hand in weight_of}
        return None if len(found) > 1 else max(found, default=Fraction(0))

    ranks = range(len(_RANKS) - 1, -1, -1)
    rows: list[list[_Class]] = [[(rank, rank, "") for rank in ranks]]
    rows += [[(high, low, kind) for low in range(high - 1, -1, -1)] for kind in "so" for high in ranks]
    parts: list[str] = []
    single: list[str] = []
    for row in rows:
        for weight, group in groupby(row, common_weight):
            run = list(group)
            if weight is None:
                hands = [hand for each in run for hand in _hands_of(*each) if weight_of.get(hand)]
                single += [hand + _weight_text(weight_of[hand]) for hand in hands]
            elif weight:
                parts.append(_run_text(run, row) + _weight_text(weight))
    return ",".join(parts + single)


def _checked(weights: Mapping[str, NumberLike]) -> dict[str, Fraction]:
    if not isinstance(weights, Mapping):
        raise SpecError(f"'weights' must be a mapping from hands to weights, not {described(weights)}")
    found: dict[str, Fraction] = {}
    for name, number in weights.items():
        hand = _named_hands().get(name.lower()) if isinstance(name, str) else None
        if hand is None:
            raise SpecError(f"{name!r:.40} is not a hand; write two cards, as in 'AhKd'")
        if hand in found:
            raise SpecError(f"the hand {hand} is listed twice, the second time as {name!r}")
        found[hand] = Fraction(exact_number(number, f"the weight of {hand}", "decimal"))
        if not 0 <= found[hand] <= 1:
            raise SpecError(f"the weight of {hand} is {number!r:.40}; weights are from 0 to 1")
    return found


def _run_text(run: list[_Class], row: list[_Class]) -> str:
    """Return the text of consecutive classes of a row, which begins with its best class."""
    best, worst = (_RANKS[high] + _RANKS[low] + kind for high, low, kind in (run[0], run[-1]))
    if len(run) == 1:
        return best
    return f"{worst}+" if run[0] == row[0] else f"{best}-{worst}"


def _weight_text(weight: Fraction) -> str:
    """Return a colon and the weight, or nothing for the weight 1. Decimals have at most 12 digits."""
    if weight in (0, 1):
        return "" if weight else ":0"
    for digits in range(1, 13):
        if 10**digits % weight.denominator == 0:
            return f":0.{int(weight * 10**digits):0{digits}d}"
    return f":{weight.numerator}/{weight.denominator}"
