"""Rules with named, typed parameters.

A built-in game is a frozen dataclass derived from :class:`Rules`; its fields are its parameters. Nothing
else has to be declared: names, types, defaults and limits are read from the fields.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from tremble.errors import GameError, SpecError
from tremble.game.protocol import Game

__all__ = ["Bounds", "Parameter", "Rules", "parameters"]

_INTEGER = re.compile(r"[+-]?[0-9]{1,12}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_NEXT_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value of a number: ``Annotated[int, Bounds(2, 13)]``."""

    least: int
    most: int


@dataclass(frozen=True)
class Parameter:
    """One parameter of a built-in game.

    Examples
    --------
    >>> from tremble.games.kuhn import Kuhn
    >>> (cards,) = parameters(Kuhn)
    >>> cards.name, cards.default, cards.allowed
    ('cards', 3, 'an integer from 2 to 1000')
    """

    name: str  # as in a spec: the name of the field, less a trailing underscore that avoids a clash
    field: str
    kind: type  # int, float, bool or str
    default: int | float | bool | str
    bounds: Bounds | None = None  # of a number
    choices: tuple[str, ...] = ()  # the allowed texts; none if any text will do

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return " or ".join(self.choices)
        if self.kind is bool:
            return "true or false"
        if self.kind in (int, float):
            number = "an integer" if self.kind is int else "a number"
            return number + (f" from {self.bounds.least} to {self.bounds.most}" if self.bounds else "")
        return f"text, such as {self.default!r}" if self.default else "text"

    def check(self, value: object) -> None:
        """Raise ``SpecError`` unless the value is of the right type and within the limits."""
        fits = type(value) in ((int, float) if self.kind is float else (self.kind,))
        fits = fits and (not self.choices or value in self.choices)
        if isinstance(value, int | float) and self.bounds is not None:
            fits = fits and self.bounds.least <= value <= self.bounds.most
        if not fits:
            from tremble.numbers import shorten

            shown = shorten(value) if type(value) is int else str(value)[:60]
            raise SpecError(f"{self.name}={shown} is not allowed; expected {self.allowed}")

    def read(self, value: object) -> int | float | bool | str:
        """Return a value given in Python as one of the right type; raise ``SpecError`` if that is impossible.

        Numbers may be of any kind (NumPy's, ``Fraction``, ``Decimal``) or text. A list of texts or whole numbers stands
        for the text with commas between them.

        Examples
        --------
        >>> from tremble.poker.games.holdem_river import HoldemRiver
        >>> known = {parameter.name: parameter for parameter in parameters(HoldemRiver)}
        >>> known["stack"].read("200"), known["bets"].read([50, 100]), known["bets"].read(75.0)
        (200, '50,100', '75')
        >>> known["stack"].read([200])
        Traceback (most recent call last):
        tremble.errors.SpecError: stack=[200] is a list; expected an integer from 1 to 1000000
        """
        found: int | float | bool | str | None = _AS[self.kind](value)
        if found is None:
            kind = "text" if isinstance(value, str) else f"of the type {type(value).__name__}"
            kind = "a list" if isinstance(value, list) else kind
            raise SpecError(f"{self.name}={value!r:.60} is {kind}; expected {self.allowed}")
        self.check(found)
        return found

    def parse(self, text: str) -> int | float | bool | str:
        """Read a value from a spec; raise ``SpecError`` if it is none."""
        value: int | float | bool | str = text
        if self.kind is bool and text in ("true", "false"):
            value = text == "true"
        elif self.kind is int and _INTEGER.fullmatch(text):
            value = int(text)
        elif self.kind is float and _DECIMAL.fullmatch(text):
            value = float(text)
        self.check(value)
        return value

    @staticmethod
    def format(value: int | float | bool | str) -> str:
        """Write a value as :meth:`parse` reads it; 1.0 as 1."""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float):
            return str(int(value)) if value.is_integer() else str(value)
        return f'"{value}"' if isinstance(value, str) and "=" in value else str(value)


def _as_integer(value: object) -> int | None:
    exact = _as_exact(value)
    return int(exact) if exact is not None and exact.denominator == 1 else None


def _as_float(value: object) -> int | float | None:
    exact = _as_exact(value)
    if exact is None:
        return None
    if isinstance(value, int | float) and type(value) in (int, float):
        return value
    with suppress(OverflowError):
        return float(exact)
    return None


def _as_exact(value: object) -> int | Fraction | None:
    from tremble.numbers import exact_number  # loads NumPy, which completion does without

    with suppress(GameError):
        return exact_number(value, "a parameter", "decimal")
    return None


def _as_bool(value: object) -> bool | None:
    known = {"true": True, "false": False}
    if isinstance(value, str):
        return known.get(value.strip().lower())
    return bool(value) if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_") else None


def _as_text(value: object) -> str | None:
    if isinstance(value, str):
        return str(value)
    pieces: Any = value.tolist() if hasattr(value, "tolist") else value  # arrays and numbers of NumPy
    whole = [_as_integer(piece) if not isinstance(piece, str) else piece for piece in _listed(pieces)]
    return None if not whole or None in whole else ",".join(map(str, whole))


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


_AS: Mapping[type, Callable[[object], Any]] = {int: _as_integer, float: _as_float, bool: _as_bool, str: _as_text}
"""Type of a parameter -> what makes a value of that type of one given in Python; None if it is no such value."""


class Rules(Game):
    """Base of the built-in games: the methods of :class:`tremble.Game`, and a check of every parameter.

    A subclass is a frozen dataclass. A field of type ``Annotated[int, Bounds(least, most)]``, the same with ``float``,
    ``bool``, ``str`` or ``Literal[...]`` with a default is a parameter. ``title`` says what the game is called.
    Where sizes are known without building, ``counts()`` gives them in the form of ``tremble info``. The class
    is named as the game is, in capitals: ``KuhnRaise`` for ``kuhn_raise``.

    Attributes
    ----------
    version : int
        Of the rules: to be raised when a change makes the same parameters mean another game.
    """

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for parameter in parameters(type(self)):
            object.__setattr__(self, parameter.field, parameter.read(getattr(self, parameter.field)))

    @property
    @abstractmethod
    def title(self) -> str:
        """What the game is called."""

    @classmethod
    def name(cls) -> str:
        """What specs call the game: the name of the class in small letters, words apart."""
        return _NEXT_WORD.sub("_", cls.__name__).lower()

    def identity(self) -> str:
        """What tells the game from all others, in a line: its name, all parameters, the version of the rules.

        Examples
        --------
        >>> from tremble.games.leduc import Leduc
        >>> Leduc(ranks=1000).identity()
        'leduc:raises=2,ranks=1000 version 1'
        """
        chosen = {parameter.name: getattr(self, parameter.field) for parameter in parameters(type(self))}
        pairs = (f"{key}={Parameter.format(chosen[key])}" for key in sorted(chosen))
        return f"{self.name()}:{','.join(pairs)} version {self.version}"

    def chance(self, h: Any) -> Sequence[Fraction]:
        """Probabilities of the actions at a chance history; a game without any leaves this out."""
        raise LookupError(f"{self.title} has no chance moves")


@cache
def parameters(rules: type[Rules]) -> tuple[Parameter, ...]:
    """Read the parameters of a class of rules, in the order of its fields."""
    hints = get_type_hints(rules, include_extras=True)
    rows = []
    for field in fields(rules):  # type: ignore[arg-type]  # every subclass is a dataclass
        hint, bounds, choices = hints[field.name], None, ()
        if get_origin(hint) is Annotated:
            hint, bounds = get_args(hint)
        elif get_origin(hint) is Literal:
            hint, choices = str, get_args(hint)
        default: Any = field.default
        rows.append(Parameter(field.name.removesuffix("_"), field.name, hint, default, bounds, choices))
    return tuple(rows)
