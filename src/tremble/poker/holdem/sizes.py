"""Sizes of bets and raises in no-limit betting, as players write them: ``"33,75,150,e,a"``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from tremble.errors import SpecError

__all__ = ["ALL_IN", "Size", "Spot", "by_street", "plain", "rounded", "sizes_of"]

ALL_IN = "all-in"

_SEPARATORS = re.compile(r"[\s,;]+")
_PART = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,4})?|\.[0-9]{1,4})(%|x|e|c|)")
_EXACT = Context(prec=40)


@dataclass(frozen=True)
class Spot:
    """The amounts that determine a wager, in chips.

    Attributes
    ----------
    pot : Fraction
        The pot after the player to move has called.
    other : Fraction
        The opponent's chips in this street.
    left : Fraction
        The player's stack after a call.
    streets : int
        The number of streets with betting that are left, including this one.
    """

    pot: Fraction
    other: Fraction
    left: Fraction
    streets: int


@dataclass(frozen=True)
class Size:
    """One size of a bet or raise.

    Attributes
    ----------
    kind : str
        ``"%"``: percent of the pot after a call. ``"x"``: a raise to a multiple of the opponent's chips in this street.
        ``"c"``: chips. ``"e"``: geometric, the equal fraction of the pot in each of ``number`` streets that bets the
        whole stack; the number 0 means all streets that are left. ``"a"``: all-in.
    number : Fraction
    text : str
        The size in the label of an action, such as ``"75"`` or ``"2.5x"``.
    """

    kind: str
    number: Fraction
    text: str

    def chips(self, spot: Spot) -> Fraction:
        """Return the chips that the player adds to a call, before they are rounded."""
        if self.kind == "%":
            return self.number * spot.pot / 100
        if self.kind == "x":
            return (self.number - 1) * spot.other
        if self.kind == "c":
            return self.number
        if self.kind == "a":
            return spot.left
        streets = int(self.number) or spot.streets
        growth = 2 * spot.left / spot.pot + 1  # of the pot, if both players bet their stacks
        if streets == 1:
            return spot.left
        root = _EXACT.power(
            _EXACT.divide(Decimal(growth.numerator), Decimal(growth.denominator)), _EXACT.divide(1, streets)
        )
        return Fraction(_EXACT.divide(_EXACT.subtract(root, Decimal(1)), 2)) * spot.pot


def sizes_of(text: str, what: str) -> tuple[Size, ...]:
    """Read sizes that are separated by commas or blanks; in error messages, the text has the name ``what``.

    Raises
    ------
    SpecError
        A part is not a size, or two parts are the same size.

    Examples
    --------
    >>> [size.text for size in sizes_of("33, 75% 2.5x,e,a", "bets")]
    ['33', '75', '2.5x', 'e', 'all-in']
    """
    found: list[Size] = []
    for part in () if text.strip() == "none" else filter(None, _SEPARATORS.split(text.strip())):
        size = _size(part, what)
        if size in found:
            raise SpecError(f"{what}={text:.60}: the size {part} is listed twice")
        found.append(size)
    if not found and text.strip() != "none":
        raise SpecError(f"{what}={text:.60} has no size; write sizes like 33,75,150, or none")
    return tuple(found)


def _size(part: str, what: str) -> Size:
    word = part.lower()
    if word in ("a", "allin", ALL_IN):
        return Size("a", Fraction(0), ALL_IN)
    if word == "e":
        return Size("e", Fraction(0), "e")
    match = _PART.fullmatch(word)
    number = Fraction(match[1]) if match else Fraction(0)
    kind = match[2] if match else ""
    least = {"x": 1, "c": 0}.get(kind, Fraction(99, 100))  # 0.5 for half of the pot would be half a percent
    fits = number > least if kind != "e" else number in (1, 2, 3)
    if not match or not fits:
        raise SpecError(
            f"{what}: {part!r:.40} is not a size; write percent of the pot (75 or 75%), a multiple of the opponent's "
            "bet (2.5x, for raises), chips (40c), e for geometric, or a for all-in"
        )
    return Size(kind or "%", number, plain(number) + kind.replace("%", ""))


def plain(number: Fraction) -> str:
    """Write a decimal number without unneeded zeros."""
    return str(number) if number.denominator == 1 else str(float(number))


def by_street(text: str, streets: int, what: str) -> tuple[tuple[Size, ...], ...]:
    """Read the sizes of each street, from the first to the last; ``/`` separates streets.

    A text without ``/`` is for all streets.

    Raises
    ------
    SpecError
        A part is not a size, or the text has another number of streets.

    Examples
    --------
    >>> [[size.text for size in street] for street in by_street("50,100/75", 2, "bets")]
    [['50', '100'], ['75']]
    """
    parts = text.split("/")
    if len(parts) == 1:
        parts *= streets
    if len(parts) != streets:
        raise SpecError(f"{what}={text:.60}: there are sizes for {len(parts)} streets, but the game has {streets}")
    return tuple(sizes_of(part, what) for part in parts)


def rounded(amount: Fraction, chip: Fraction) -> Fraction:
    """Round an amount to a multiple of the smallest chip, at least one. Halves are rounded up."""
    return max(1, int((amount / chip + Fraction(1, 2)) // 1)) * chip
