"""The gate through which numbers enter: exact ones as ``int`` or ``Fraction``, others refused by name.

NumPy's integers are exact but wrap around in arithmetic, also within a ``Fraction`` that was made of them; here they
become Python's.
"""

from __future__ import annotations

import re
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

from tremble.errors import GameError, PlayersError

__all__ = ["exact_number", "exact_numbers", "exact_payoffs"]

_DECIMAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?(e[+-]?[0-9]{1,3}|/[1-9][0-9]{0,40})?")


def exact_number(value: Any, what: str) -> int | Fraction:
    """An exact number, as Python's own type.

    Parameters
    ----------
    value : int, Fraction, or any other ``numbers.Rational``, such as an integer of NumPy
    what : str
        What the number is, for the message.

    Raises
    ------
    GameError
        It is a float, a bool, text, or something else that is not an exact number.

    Examples
    --------
    >>> import numpy as np
    >>> exact_number(np.int8(100), "payoff") * 2
    200
    >>> exact_number(0.1, "payoff")
    Traceback (most recent call last):
    tremble.errors.GameError: payoff 0.1 is a float, not an exact number; write fractions.Fraction('0.1')
    """
    kind = type(value)
    if kind is int or (kind is Fraction and type(value.numerator) is type(value.denominator) is int):
        exact: int | Fraction = value
        return exact
    if isinstance(value, Integral) and kind is not bool:
        return int(value)
    if isinstance(value, Rational) and kind is not bool:
        return Fraction(int(value.numerator), int(value.denominator))
    advice = "use int or fractions.Fraction"
    if "bool" in kind.__name__:
        advice = f"write {int(value)}"
    elif _DECIMAL.fullmatch(text := str(value)):
        advice = f"write fractions.Fraction({text!r})"
    raise GameError(f"{what} {value!r:.60} is a {kind.__name__}, not an exact number; {advice}")


def exact_numbers(values: Any, what: str) -> tuple[int | Fraction, ...]:
    """The exact numbers of a sequence; ``GameError`` if one is not exact, or this is no sequence.

    Examples
    --------
    >>> exact_numbers([1, Fraction(1, 2)], "weight")
    (1, Fraction(1, 2))
    """
    try:
        members = tuple(values)
    except TypeError:
        raise GameError(
            f"{values!r:.100} is a {type(values).__name__}, not a sequence of exact numbers, each a {what}"
        ) from None
    return tuple([exact_number(value, what) for value in members])


def exact_payoffs(pair: Any) -> tuple[int | Fraction, int | Fraction]:
    """The exact payoffs of players 1 and 2 at a leaf, from what ``payoff(h)`` returns.

    Raises
    ------
    PlayersError
        There are more or fewer than two.
    GameError
        One is not exact, or this is no pair.

    Examples
    --------
    >>> exact_payoffs([1, -1])
    (1, -1)
    """
    try:
        if len(pair) != 2:
            raise PlayersError(f"a leaf has {len(pair)} payoffs; tremble solves two-player games")
        one, two = pair[0], pair[1]
    except (TypeError, LookupError):
        raise GameError(f"payoffs are a pair of exact numbers, one for each player, not {pair!r:.100}") from None
    return exact_number(one, "payoff"), exact_number(two, "payoff")
