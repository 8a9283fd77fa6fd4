"""Read arguments that users pass: names of concepts, methods, games and options, indices and lists.

Comparisons of words ignore case, hyphens, underscores and blanks. An error about an unknown word suggests similar
words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from itertools import islice
from numbers import Integral
from typing import Any

from tremble.errors import GameError, SpecError

__all__ = [
    "chosen",
    "described",
    "did_you_mean",
    "near_misses",
    "plain",
    "raised",
    "require_callable",
    "require_lists",
    "required_index",
    "required_integer",
    "required_text",
    "unknown",
    "with_others",
]


_MAX_COMPARED = 5_000  # limit for the known words that are compared with a typed word, because comparing is slow
_LONGEST = 80  # only the first 80 characters of a word are compared


def plain(word: str) -> str:
    """Return a word for comparison: in lower case, without hyphens, underscores and blanks.

    Examples
    --------
    >>> plain("Quasi_Perfect "), plain("double oracle")
    ('quasiperfect', 'doubleoracle')
    """
    return re.sub(r"[\s_-]+", "", word).lower()


def chosen(what: str, word: object, choices: Mapping[str, Collection[str]]) -> str:
    """Return the name in ``choices`` that a word means.

    Parameters
    ----------
    what : str
        Kind of the choice, such as ``"concept"``, for the error message.
    word : object
    choices : mapping
        Name -> other names with the same meaning.

    Raises
    ------
    SpecError
        The word is unknown. The message lists similar words, and all names with up to two other names for each.

    Examples
    --------
    >>> chosen("concept", "Quasi perfect", {"nash": ["ne"], "quasi-perfect": ["qpe"]})
    'quasi-perfect'
    >>> chosen("concept", "nahs", {"nash": ["ne"], "quasi-perfect": ["qpe"]})
    Traceback (most recent call last):
    tremble.errors.SpecError: unknown concept 'nahs'; did you mean nash? Choose from: nash (ne), quasi-perfect (qpe)
    """
    if isinstance(word, str):
        if word in choices:
            return word
        for name, others in choices.items():
            if plain(word) in {plain(name), *map(plain, others)}:
                return name
    raise unknown(what, word, choices)


def unknown(what: str, word: object, choices: Collection[str]) -> SpecError:
    """Return the error for an unknown word; the error message lists similar words and all choices."""
    others = choices if isinstance(choices, Mapping) else dict.fromkeys(choices, ())
    meaning = {name: name for name in others}
    for name, more in others.items():
        for other in more:
            meaning.setdefault(other, name)
    question = _question(dict.fromkeys(meaning[close] for close in near_misses(word, meaning)))
    choose = f"{question} Choose" if question else "choose"
    return SpecError(f"unknown {what} {described(word)}; {choose} from: {with_others(others)}")


def with_others(choices: Mapping[str, Collection[str]], most: int = 2) -> str:
    """List names, each with up to ``most`` aliases in brackets. Omit aliases that begin with the name itself.

    Examples
    --------
    >>> with_others({"nash": ["ne", "nash-equilibrium", "bne"], "maxmin": []})
    'nash (ne, bne), maxmin'
    """
    listed = []
    for name, others in choices.items():
        short = list(islice((other for other in others if not other.startswith(name)), most))
        listed.append(f"{name} ({', '.join(short)})" if short else name)
    return ", ".join(listed)


def near_misses(word: object, known: Iterable[str], *, most: int = 3) -> list[str]:
    """Return known words similar to ``word``: words with similar letters first, then words that begin with ``word``.

    Examples
    --------
    >>> near_misses("quasi", ["nash", "quasi-perfect"]), near_misses("Leduk", ["kuhn", "leduc"]), near_misses(7, ["7"])
    (['quasi-perfect'], ['leduc'], [])
    """
    typed = plain(word[:_LONGEST]) if isinstance(word, str) else ""
    if not typed:
        return []
    names = {plain(name[:_LONGEST]): name for name in islice(known, _MAX_COMPARED)}
    alike = get_close_matches(typed, names, n=most, cutoff=0.6)
    longer = [name for name in names if len(typed) > 1 and name.startswith(typed)]
    return [names[name] for name in dict.fromkeys([*alike, *longer])][:most]


def did_you_mean(word: object, known: Iterable[str], *, quoted: bool = False) -> str:
    """Return a question that suggests the known words similar to ``word``, or empty text if no word is similar."""
    return _question(near_misses(word, known), quoted=quoted)


def _question(close: Collection[str], *, quoted: bool = False) -> str:
    """Return a question that suggests the words in ``close``, or empty text if ``close`` is empty."""
    return f"did you mean {' or '.join(map(repr, close) if quoted else close)}?" if close else ""


def required_integer(value: Any, what: str) -> int:
    """Convert an integer of Python or NumPy to ``int``; raise ``GameError`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise GameError(f"{what} must be an integer, not {described(value)}")
    return int(value)


def required_index(value: Any, count: int, what: str) -> int:
    """Return a position as ``int``; raise ``GameError`` unless it is an integer from 0 to ``count - 1``.

    Examples
    --------
    >>> import numpy as np
    >>> required_index(np.int64(2), 3, "node")
    2
    >>> required_index(-1, 3, "node")
    Traceback (most recent call last):
    tremble.errors.GameError: node must be a number from 0 to 2, not -1
    """
    if type(value) is not int:  # the usual type needs no further check
        value = required_integer(value, what)
    if not 0 <= value < count:
        raise GameError(f"{what} must be a number from 0 to {count - 1}, not {described(value)}")
    index: int = value
    return index


def require_lists(rows: Any, depth: int, what: str) -> None:
    """Raise ``GameError`` unless ``rows`` is a list, tuple or array with ``depth`` levels of nesting."""
    listed = hasattr(rows, "__len__") and hasattr(rows, "__getitem__")
    if not listed or isinstance(rows, str | bytes | Mapping) or getattr(rows, "ndim", 1) == 0:
        raise GameError(f"{what}: expected a list, not {described(rows)}")
    if depth > 1:
        for k in range(len(rows)):
            require_lists(rows[k], depth - 1, what)


def described(value: object, most: int = 80) -> str:
    """Return the ``repr`` of a wrong value for a message, cut to ``most`` characters; never raise an error.

    Examples
    --------
    >>> described("x"), described(10**5000)
    ("'x'", 'an integer of 16,610 bits')
    """
    try:
        return repr(value)[:most]
    except Exception:  # the value is or contains a very long integer, or its class has a faulty repr
        if isinstance(value, int):
            return f"an integer of {value.bit_length():,} bits"
        return f"a value of the type {type(value).__name__}, which cannot be printed"


def required_text(value: object, what: str) -> str:
    """Return ``value``, a ``str``; raise ``SpecError`` for other types, and for text that UTF-8 cannot encode.

    Examples
    --------
    >>> required_text("Kuhn poker", "title")
    'Kuhn poker'
    """
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise SpecError(f"'{what}' must be text, not {described(value)}")
    return value


def raised(error: Exception) -> str:
    """Describe an exception of the user's code in one line, for a message of tremble.

    Examples
    --------
    >>> raised(KeyError("queen"))
    "KeyError: 'queen'"
    """
    try:
        message = " ".join(str(error).split())[:200]
    except Exception:  # str(error) may raise an exception too
        message = "..."
    return f"{type(error).__name__}: {message}"


def require_callable(value: object, what: str) -> None:
    """Raise ``GameError`` unless a value is callable; the message refers to the value as ``what``."""
    if not callable(value):
        raise GameError(f"{what} must be a function, not {value!r:.80}")
