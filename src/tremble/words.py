"""Choose words for the messages to users, and make text from files safe to print.

Messages use the terms of Python or of the command line (:func:`for_reader`). Control characters are escaped, so that
text from a file cannot control the terminal (:func:`printable`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from unicodedata import category

from tremble.errors import SpecError

__all__ = [
    "command_line",
    "described",
    "for_reader",
    "on_command_line",
    "on_one_line",
    "one",
    "printable",
    "printable_json",
    "printable_lines",
    "raised",
    "require_hooks",
    "required_text",
    "set_on_command_line",
]


# -- Python or the command line ----------------------------------------------------------------------

_ON_COMMAND_LINE = [False]


def for_reader(python: str, command: str) -> str:
    """Return the text for Python, or the text for the command line while a command runs.

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
    """Return True if this process runs a command."""
    return _ON_COMMAND_LINE[0]


def set_on_command_line(on: bool) -> None:
    """Choose the text that :func:`for_reader` returns from now on; a worker process calls this function once."""
    _ON_COMMAND_LINE[0] = on


@contextmanager
def command_line() -> Iterator[None]:
    """Make :func:`for_reader` return texts for the command line within the block, which runs a command."""
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
    except Exception:  # the value is or contains a very long integer, or its class has a faulty repr
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


def required_text(value: object, what: str) -> str:
    """Return a text; raise ``SpecError`` for anything else, and for a lone surrogate, which no file can contain.

    Examples
    --------
    >>> required_text("Kuhn poker", "title")
    'Kuhn poker'
    """
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise SpecError(f"{what} must be text, not {described(value)}")
    return value


def require_hooks(**hooks: object) -> None:
    """Raise ``SpecError`` if one of these arguments is neither callable nor None."""
    for name, hook in hooks.items():
        if hook is not None and not callable(hook):
            raise SpecError(f"{name} must be a function that is called during the work, not {described(hook)}")


def raised(error: Exception) -> str:
    """Describe an exception of the user's code in one line, for a message of tremble.

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


_SUSPECT = re.compile(r"[^\x20-\x7e\n]")


def printable(text: str) -> str:
    """Escape all characters except letters, signs and spaces: control characters, line breaks, marks of direction."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def printable_lines(text: str) -> str:
    """Escape the same characters as :func:`printable`, except line breaks."""
    return _SUSPECT.sub(lambda found: _escaped(found[0]), text)


def printable_json(text: str) -> str:
    r"""Escape the characters of :func:`printable_lines` in JSON text; a JSON parser still returns the original text.

    Examples
    --------
    >>> print(printable_json('{"label": "\x7f\u202e é"}'))
    {"label": "\u007f\u202e é"}
    """
    return _SUSPECT.sub(lambda found: found[0] if _harmless(found[0]) else _json_escaped(found[0]), text)


def on_one_line(text: str, most: int = 40) -> str:
    r"""Return the beginning of a text for a message, on one line and without control characters.

    Examples
    --------
    >>> print(on_one_line('"a\tlabel'), on_one_line("x" * 50))
    "a\tlabel xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
    """
    cut = text if len(text) <= most else f"{text[:most]}..."
    return cut if cut.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut)


def _harmless(character: str) -> bool:
    return character.isprintable() or category(character) == "Zs"


def _escaped(character: str) -> str:
    return character if _harmless(character) else character.encode("unicode_escape").decode()


def _json_escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
