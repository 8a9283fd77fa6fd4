"""Words that people type: read without regard to case, hyphens and blanks; of a near miss, what may be meant.

And words for people: what somebody's code has raised, and how to ask for something in Python or on the command line.
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

_MOST_COMPARED = 5_000  # words; comparing is slow
_LONGEST = 80  # characters that are compared


# -- Python or the command line ----------------------------------------------------------------------

_ON_COMMAND_LINE = [False]


def for_reader(python: str, command: str) -> str:
    """Return the words for Python, or inside a command those for the command line.

    Every message that names an argument, an option, a function or a command takes its words from here.

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
    """Choose for whom :func:`for_reader` answers from now on; a worker process does so once."""
    _ON_COMMAND_LINE[0] = on


@contextmanager
def command_line() -> Iterator[None]:
    """Let :func:`for_reader` answer for the command line; the commands of this package run in here."""
    before = on_command_line()
    set_on_command_line(True)
    try:
        yield
    finally:
        set_on_command_line(before)


def described(value: object, most: int = 80) -> str:
    """Return the text of a wrong value for a message, at most so many characters; Python prints no very long integer.

    Examples
    --------
    >>> described("x"), described(10**5000)
    ("'x'", 'an integer of 16,610 bits')
    """
    try:
        return repr(value)[:most]
    except Exception:  # of a long integer, alone or inside the value, or of a class of the user's
        if isinstance(value, int):
            return f"an integer of {value.bit_length():,} bits"
        return f"a value of the type {type(value).__name__}, which cannot be printed"


# -- words that people type --------------------------------------------------------------------------


@lru_cache(maxsize=1_000)
def one(noun: str) -> str:
    """The noun with its indefinite article.

    Examples
    --------
    >>> one("extensive-form perfect equilibrium"), one("one-sided quasi-perfect equilibrium")
    ('an extensive-form perfect equilibrium', 'a one-sided quasi-perfect equilibrium')
    """
    return f"{'an' if noun[:1] in 'aeiou' and not noun.startswith('one') else 'a'} {noun}"


def plain(word: str) -> str:
    """As words are compared: in small letters, without hyphens, underscores and blanks.

    Examples
    --------
    >>> plain("Quasi_Perfect "), plain("double oracle")
    ('quasiperfect', 'doubleoracle')
    """
    return re.sub(r"[\s_-]+", "", word).lower()


def chosen(what: str, word: object, choices: Mapping[str, Collection[str]]) -> str:
    """The name that a word stands for.

    Parameters
    ----------
    what : str
        What is chosen, for the error.
    word : object
    choices : mapping
        Name -> what else it is called.

    Raises
    ------
    SpecError
        It stands for none of them; the message names near misses, and all that there are, with two other names each.

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
    """The error of a word that is none of these: it names near misses, and all that there are."""
    others = choices if isinstance(choices, Mapping) else dict.fromkeys(choices, ())
    meaning = {name: name for name in others}
    for name, more in others.items():
        for other in more:
            meaning.setdefault(other, name)
    question = _question(dict.fromkeys(meaning[close] for close in near_misses(word, meaning)))
    choose = f"{question} Choose" if question else "choose"
    return SpecError(f"unknown {what} {described(word)}; {choose} from: {with_others(others)}")


def with_others(choices: Mapping[str, Collection[str]], most: int = 2) -> str:
    """List names, each with some of its other names in brackets, without those that only prolong the name.

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
    """Known words that look like this one, the likeliest first: those that begin like it, and those spelled alike.

    Examples
    --------
    >>> near_misses("quasi", ["nash", "quasi-perfect"]), near_misses("Leduk", ["kuhn", "leduc"]), near_misses(7, ["7"])
    (['quasi-perfect'], ['leduc'], [])
    """
    typed = plain(word[:_LONGEST]) if isinstance(word, str) else ""
    if not typed:
        return []
    names = {plain(name[:_LONGEST]): name for name in islice(known, _MOST_COMPARED)}
    alike = get_close_matches(typed, names, n=most, cutoff=0.6)
    begin = [name for name in names if len(typed) > 1 and name.startswith(typed)]
    return [names[name] for name in dict.fromkeys([*alike, *begin])][:most]


def did_you_mean(word: object, known: Iterable[str], *, quoted: bool = False) -> str:
    """The question that a message ends with; empty if no known word looks like this one."""
    return _question(near_misses(word, known), quoted=quoted)


def _question(close: Collection[str], *, quoted: bool = False) -> str:
    """Ask which of these words is meant; return an empty text if the collection is empty."""
    return f"did you mean {' or '.join(map(repr, close) if quoted else close)}?" if close else ""


def required_text(value: object, what: str) -> str:
    """Return a text; raise ``SpecError`` for anything else, and for half of a surrogate pair, which no file can hold.

    Examples
    --------
    >>> required_text("Kuhn poker", "title")
    'Kuhn poker'
    """
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise SpecError(f"{what} is text, not {described(value)}")
    return value


def require_hooks(**hooks: object) -> None:
    """Raise ``SpecError`` unless each of these, named by its argument, is None or can be called."""
    for name, hook in hooks.items():
        if hook is not None and not callable(hook):
            raise SpecError(f"{name} is a function to be called on the way, not {described(hook)}")


def raised(error: Exception) -> str:
    """An exception of somebody's code in one line, for the message of ours.

    Examples
    --------
    >>> raised(KeyError("queen"))
    "KeyError: 'queen'"
    """
    try:
        said = " ".join(str(error).split())[:200]
    except Exception:  # its words may be broken as well
        said = "..."
    return f"{type(error).__name__}: {said}"
