"""Read the words that users type, and word the messages for users.

Case, hyphens, underscores and blanks of a typed word do not matter. For an unknown word, near misses are suggested.
Messages use the terms of Python or of the command line (:func:`for_reader`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from tremble.errors import SpecError

__all__ = [
    "chosen",
    "command_line",
    "described",
    "did_you_mean",
    "for_reader",
    "near_misses",
    "on_command_line",
    "one",
    "plain",
    "raised",
    "require_hooks",
    "required_text",
    "set_on_command_line",
    "unknown",
    "with_others",
]

_MAX_COMPARED = 5_000  # known words that are compared with a typed one, because comparing is slow
_LONGEST = 80  # characters of a word that are compared


# -- Python or the command line ----------------------------------------------------------------------

_ON_COMMAND_LINE = [False]


def for_reader(python: str, command: str) -> str:
    """Return the text for Python, or within a command the text for the command line.

    Every message that names an argument, an option, a function or a command uses this function.

    Examples
    --------
    >>> advice = lambda: f"raise {for_reader('max_nodes=', '--max-nodes')}"
    >>> with command_line():
    ...     print(advice())
    raise --max-nodes
    >>> print(advice())
    raise max_nodes=
    """
    return command if _ON_COMMAND_LINE[0] else python


def on_command_line() -> bool:
    """Return whether this process runs a command."""
    return _ON_COMMAND_LINE[0]


def set_on_command_line(on: bool) -> None:
    """Choose which text :func:`for_reader` returns from now on; a worker process calls this once."""
    _ON_COMMAND_LINE[0] = on


@contextmanager
def command_line() -> Iterator[None]:
    """Make :func:`for_reader` return texts for the command line within the block, in which a command runs."""
    before = on_command_line()
    set_on_command_line(True)
    try:
        yield
    finally:
        set_on_command_line(before)


def described(value: object, most: int = 80) -> str:
    """Return the ``repr`` of a wrong value for a message, cut to ``most`` characters; it never raises.

    Examples
    --------
    >>> described("x"), described(10**5000)
    ("'x'", 'an integer of 16,610 bits')
    """
    try:
        return repr(value)[:most]
    except Exception:  # the value is or holds a very long integer, or its class has a faulty repr
        if isinstance(value, int):
            return f"an integer of {value.bit_length():,} bits"
        return f"a value of the type {type(value).__name__}, which cannot be printed"


# -- words that users type ---------------------------------------------------------------------------


@lru_cache(maxsize=1_000)
def one(noun: str) -> str:
    """Return a noun with its indefinite article.

    Examples
    --------
    >>> one("extensive-form perfect equilibrium"), one("one-sided quasi-perfect equilibrium")
    ('an extensive-form perfect equilibrium', 'a one-sided quasi-perfect equilibrium')
    """
    return f"{'an' if noun[:1] in 'aeiou' and not noun.startswith('one') else 'a'} {noun}"


def plain(word: str) -> str:
    """Return a word for comparison: in lower case, without hyphens, underscores and blanks.

    Examples
    --------
    >>> plain("Quasi_Perfect "), plain("double oracle")
    ('quasiperfect', 'doubleoracle')
    """
    return re.sub(r"[\s_-]+", "", word).lower()


def chosen(what: str, word: object, choices: Mapping[str, Collection[str]]) -> str:
    """Return the name that a word means.

    Parameters
    ----------
    what : str
        Kind of the choice, for the error.
    word : object
    choices : mapping
        Name -> its other names.

    Raises
    ------
    SpecError
        The word means none of the names. The message lists near misses and all names, with up to two other names each.

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
    """Return the error for an unknown word; its message lists near misses and all choices."""
    others = choices if isinstance(choices, Mapping) else dict.fromkeys(choices, ())
    meaning = {name: name for name in others}
    for name, more in others.items():
        for other in more:
            meaning.setdefault(other, name)
    question = _question(dict.fromkeys(meaning[close] for close in near_misses(word, meaning)))
    choose = f"{question} Choose" if question else "choose"
    return SpecError(f"unknown {what} {described(word)}; {choose} from: {with_others(others)}")


def with_others(choices: Mapping[str, Collection[str]], most: int = 2) -> str:
    """List names, each with some of its other names in brackets, but without those that begin with the name.

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
    """Return known words that look like a typed one: first those with similar letters, then those that begin with it.

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
    """Return the question at the end of a message; empty if no known word looks like the typed one."""
    return _question(near_misses(word, known), quoted=quoted)


def _question(close: Collection[str], *, quoted: bool = False) -> str:
    """Ask which of these words is meant; return an empty text if the collection is empty."""
    return f"did you mean {' or '.join(map(repr, close) if quoted else close)}?" if close else ""


def required_text(value: object, what: str) -> str:
    """Return a text; raise ``SpecError`` for anything else, and for a lone surrogate, which no file can hold.

    Examples
    --------
    >>> required_text("Kuhn poker", "title")
    'Kuhn poker'
    """
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise SpecError(f"{what} is text, not {described(value)}")
    return value


def require_hooks(**hooks: object) -> None:
    """Raise ``SpecError`` if one of these arguments is neither callable nor None."""
    for name, hook in hooks.items():
        if hook is not None and not callable(hook):
            raise SpecError(f"{name} is a function that is called during the work, not {described(hook)}")


def raised(error: Exception) -> str:
    """Describe an exception of the user's code in one line, for our own message.

    Examples
    --------
    >>> raised(KeyError("queen"))
    "KeyError: 'queen'"
    """
    try:
        message = " ".join(str(error).split())[:200]
    except Exception:  # the message may be faulty too
        message = "..."
    return f"{type(error).__name__}: {message}"
