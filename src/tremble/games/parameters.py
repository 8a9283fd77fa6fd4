"""Rules of games with named, typed parameters. A *spec* such as ``"leduc:ranks=5"`` names a game and sets parameters.

A built-in game is a frozen dataclass derived from :class:`Rules`. Its fields define the names, types, default values
and limits of the parameters.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from itertools import product
from pkgutil import resolve_name
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from tremble.arguments import did_you_mean
from tremble.capabilities import registered, require_installed
from tremble.errors import GameError, SpecError
from tremble.game.protocol import Game
from tremble.games import IN_THIS_FOLDER

__all__ = [
    "Bounds",
    "Parameter",
    "Rules",
    "is_built_in",
    "names",
    "parameters",
    "parse_spec",
    "rules_class",
    "specs",
    "suggestions",
]

_INTEGER = re.compile(r"[+-]?[0-9]{1,12}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_NEXT_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Bounds:
    """The smallest and largest allowed value of a parameter, for types such as ``Annotated[int, Bounds(2, 13)]``."""

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

    name: str  # name in a spec: the name of the field without a trailing underscore
    field: str  # name of the field in the dataclass
    kind: type  # int, float, bool or str
    default: int | float | bool | str
    bounds: Bounds | None = None  # the limits of a number
    choices: tuple[str, ...] = ()  # the allowed texts; empty if every text is allowed

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.choices:
            return " or ".join(self.choices)
        if self.kind is bool:
            return "true or false"
        if self.kind in (int, float):
            number = "an integer" if self.kind is int else "a number"
            return number + (f" from {self.bounds.least} to {self.bounds.most}" if self.bounds else "")
        return f"text, such as {self.default!r}" if self.default else "text"

    def check(self, value: object) -> None:
        """Raise ``SpecError`` unless the value has the type of the parameter and is within its limits."""
        fits = type(value) in ((int, float) if self.kind is float else (self.kind,))
        fits = fits and (not self.choices or value in self.choices)
        if isinstance(value, int | float) and self.bounds is not None:
            fits = fits and self.bounds.least <= value <= self.bounds.most
        if not fits:
            from tremble.value import shorten

            shown = shorten(value) if type(value) is int else str(value)[:60]
            shown = self.format(value) if type(value) is float else shown
            raise SpecError(f"{self.name}={shown} is not allowed; expected {self.allowed}")

    def read(self, value: object) -> int | float | bool | str:
        """Convert a Python value to the type of the parameter; raise ``SpecError`` if this is impossible.

        A number may be text, or have any numeric type, such as a type of NumPy, ``Fraction`` or ``Decimal``. A list of
        strings or integers becomes one string with commas between the items.

        Examples
        --------
        >>> from tremble.poker.holdem.river import HoldemRiver
        >>> known = {parameter.name: parameter for parameter in parameters(HoldemRiver)}
        >>> known["raises"].read("2"), known["bets"].read([50, 100]), known["bets"].read(75.0)
        (2, '50,100', '75')
        >>> known["raises"].read([2])
        Traceback (most recent call last):
        tremble.errors.SpecError: raises=[2] is a list; expected an integer from 0 to 10
        """
        found: int | float | bool | str | None = _CONVERTERS[self.kind](value)
        if found is None:
            kind = "text" if isinstance(value, str) else f"of the type {type(value).__name__}"
            kind = "a list" if isinstance(value, list) else kind
            raise SpecError(f"{self.name}={value!r:.60} is {kind}; expected {self.allowed}")
        self.check(found)
        return found

    def parse(self, text: str) -> int | float | bool | str:
        """Read a value from the text of a spec; raise ``SpecError`` if the value is not allowed."""
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
        """Write a value as text for :meth:`parse`; a float such as 1.0 becomes ``"1"``."""
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
    from tremble.numbers import exact_number  # imported here, because it loads NumPy and shell completion must be fast

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
    listed = list(pieces) if isinstance(pieces, list | tuple) else [pieces]
    whole = [_as_integer(piece) if not isinstance(piece, str) else piece for piece in listed]
    return None if not whole or None in whole else ",".join(map(str, whole))


_CONVERTERS: Mapping[type, Callable[[object], Any]] = {
    int: _as_integer,
    float: _as_float,
    bool: _as_bool,
    str: _as_text,
}
"""Type of a parameter -> function that converts a Python value to this type, or returns None if it cannot."""


class Rules(Game):
    """Base class of the built-in games, with the methods of :class:`tremble.Game`. The class checks all parameters.

    A subclass is a frozen dataclass whose fields are the parameters. A field has the type ``Annotated[int,
    Bounds(least, most)]``, ``Annotated[float, ...]``, ``bool``, ``str`` or ``Literal[...]``, and a default value. The
    name of the class is the name of the game in CamelCase: ``KuhnRaise`` for ``kuhn_raise``. If a subclass can
    compute the game's sizes without a tree, its method ``counts()`` returns them in the form of ``tremble info``.

    Attributes
    ----------
    version : int
        Version of the rules. Increase this number if a change in the rules changes the game for equal parameters.
    """

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for parameter in parameters(type(self)):
            object.__setattr__(self, parameter.field, parameter.read(getattr(self, parameter.field)))

    @property
    @abstractmethod
    def title(self) -> str:
        """Title of the game."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the game in specs: the name of the class in small letters, such as ``kuhn_raise``."""
        return _NEXT_WORD.sub("_", cls.__name__).lower()

    def identity(self) -> str:
        """Return a text that identifies the game: its name, all parameters and the version of the rules.

        Examples
        --------
        >>> from tremble.games.leduc import Leduc
        >>> Leduc(ranks=1000).identity()
        'leduc:raises=2,ranks=1000 version 1'
        """
        chosen = {parameter.name: getattr(self, parameter.field) for parameter in parameters(type(self))}
        pairs = (f"{key}={Parameter.format(chosen[key])}" for key in sorted(chosen))
        return f"{self.name()}:{','.join(pairs)} version {self.version}"

    def stated(self, _key: str, value: int | float | bool | str) -> int | float | bool | str:
        """Return the value of a parameter in the canonical spec. It must not depend on files."""
        return value

    @classmethod
    def alternatives(cls, _key: str, value: str) -> Sequence[str]:
        """Return the values for which a value in :func:`specs` stands: its parts between vertical bars."""
        return value.split("|")

    def chance(self, h: Any) -> Sequence[Fraction]:
        """Return the probabilities of the actions at a chance history; games with chance moves override this method."""
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


@cache
def _classes() -> dict[str, str]:
    """Return a sorted dict {name: ``"module:class"``} of all built-in games, including games of the optional parts."""
    here = {name: f"tremble.games.{place}" for name, place in IN_THIS_FOLDER.items()}
    elsewhere = {name: place for capability in registered() for name, place in capability.games.items()}
    return dict(sorted({**here, **elsewhere}.items()))


def names() -> tuple[str, ...]:
    """Return the names of all built-in games, sorted."""
    return tuple(_classes())


def rules_class(name: str) -> type[Rules]:
    """Import and return the rules class of the game ``name``. :func:`parameters` lists the parameters of the class."""
    rules: type[Rules] = resolve_name(_classes()[name])
    return rules


def is_built_in(text: str) -> bool:
    """Return True if the text before the first colon names a built-in game."""
    return text.partition(":")[0] in _classes()


def suggestions(name: str) -> str:
    """Return a question that suggests built-in games with similar names, or an empty text if no name is similar."""
    return did_you_mean(name, _classes())


def parse_spec(text: str) -> tuple[Rules, str]:
    """Parse a spec ``NAME[:KEY=VALUE,...]``; return the rules and the canonical spec.

    If a piece between commas has no ``=``, it continues the previous value. A value may be in double quotes. Booleans
    are ``true`` and ``false``. In the canonical spec, keys are sorted and default values are omitted.

    Raises
    ------
    SpecError
        The game or a key is unknown, a key is repeated, or a value is not allowed. The message lists allowed values.

    Examples
    --------
    >>> rules, canonical = parse_spec("goofspiel:order=increasing,cards=3")
    >>> rules.cards, canonical
    (3, 'goofspiel:order=increasing')
    """
    name, _, rest = text.partition(":")
    if name not in _classes():
        require_installed(name)
        raise SpecError(f"no built-in game {name!r:.80}; {suggestions(name) or 'known: ' + ', '.join(_classes())}")
    cls = rules_class(name)
    known = {parameter.name: parameter for parameter in parameters(cls)}
    given: dict[str, int | float | bool | str] = {}
    for key, value in _pairs(name, rest):
        if key not in known:
            listed = f"ts parameters: {', '.join(known)}" if known else "t has none"
            question = did_you_mean(key, known)
            raise SpecError(f"{name} has no parameter {key!r:.80}; {f'{question} I' if question else 'i'}{listed}")
        if key in given:
            raise SpecError(f"{name}: parameter {key!r} is given twice")
        try:
            given[key] = known[key].parse(value)
        except SpecError as error:
            raise SpecError(f"{name}: {error}") from None
    try:
        rules = cls(**{known[key].field: value for key, value in given.items()})
    except SpecError as error:
        raise SpecError(f"{name}: {error}") from None
    chosen = [
        f"{key}={Parameter.format(rules.stated(key, given[key]))}"
        for key in sorted(given)
        if given[key] != known[key].default
    ]
    return rules, f"{name}:{','.join(chosen)}" if chosen else name


def specs(text: str) -> list[str]:
    """Return the specs for which a spec with alternatives stands, such as ``"leduc:ranks=3|5"``.

    Examples
    --------
    >>> specs("leduc:raises=1|2,ranks=3|5")
    ['leduc:raises=1,ranks=3', 'leduc:raises=1,ranks=5', 'leduc:raises=2,ranks=3', 'leduc:raises=2,ranks=5']
    """
    name, _, rest = text.partition(":")
    rules = rules_class(name)
    choices = [[(key, each) for each in rules.alternatives(key, value)] for key, value in _pairs(name, rest)]
    if all(len(each) == 1 for each in choices):
        return [text]
    return [f"{name}:{','.join(f'{k}={Parameter.format(v)}' for k, v in chosen)}" for chosen in product(*choices)]


def _pairs(name: str, text: str) -> list[tuple[str, str]]:
    """Split ``KEY=VALUE,...`` into pairs: at commas outside double quotes, then at the first ``=`` of each piece."""
    pieces, quoted = [""], False
    for character in text:
        quoted ^= character == '"'
        if character == "," and not quoted:
            pieces.append("")
        else:
            pieces[-1] += character
    if quoted:
        raise SpecError(f"{name}: a double quote is not closed in {text!r:.80}")
    pairs: list[tuple[str, str]] = []
    for piece in pieces if text else []:
        key, equals, value = piece.partition("=")
        if equals and '"' not in key:
            pairs.append((key.strip(), value.strip().replace('"', "")))
        elif pairs:
            before, value = pairs[-1]
            pairs[-1] = before, value + "," + piece.strip().replace('"', "")
        else:
            raise SpecError(f"{name}: expected KEY=VALUE, found {piece!r:.60}")
    return pairs
