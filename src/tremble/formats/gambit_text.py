"""The parts that Gambit's .efg and .nfg files share: tokens, exact numbers, the prologue, and notes on repairs.

Both formats are sequences of quoted strings, numbers, braces, commas and a few words. White space outside of strings
has no meaning and may be missing. The only comment is the quoted string after the list of players.

Numbers are decimals (``1``, ``-.5``, ``1.``, ``+1e3``) or fractions of integers (``-1/18``). The function
:func:`tremble.numbers.parse_number` reads numbers exactly. The module :mod:`tremble.formats.gambit_labels` handles
labels.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable
from fractions import Fraction

from tremble.errors import FormatError, GameError, PlayersError, TooLargeError, TrembleWarning
from tremble.formats.gambit_labels import quote, unquote
from tremble.game.tree import GameTree
from tremble.notation import NUMBER, NUMBER_LIMIT
from tremble.numbers import format_fraction, parse_number
from tremble.run.source_text import read_source
from tremble.run.text_file import SourceText
from tremble.run.whole_file import write_text
from tremble.words import on_one_line

__all__ = [
    "REPAIRED",
    "STRING",
    "WORKBOOK",
    "Notes",
    "Number",
    "Numbers",
    "Payoffs",
    "Tokens",
    "format_number",
    "format_prologue",
    "read_game_source",
    "read_prologue",
    "shown",
    "shown_list",
    "write_game",
]

Number = Fraction | int
Payoffs = tuple[Number, Number]

_LIMIT_BITS = 14_284  # integers of at most this many bits have at most 4,300 digits
_TOTAL_BITS = 1_000_000_000  # greatest total size of the long numbers (over 256 bits) in one file, each counted once
_OPENSPIEL_INT = 2**31  # OpenSpiel reads numerators and denominators as 32-bit integers

STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NUMBER_TOKEN = re.compile(NUMBER)
_TOKEN = re.compile(rf"{STRING}|{NUMBER}|[A-Za-z_]++|[0-9.+\-/]++|\S", re.DOTALL | re.ASCII)  # 12+1 is one token
_INTEGER_TOKEN = re.compile(r"[+-]?[0-9]{1,18}")

WORKBOOK = (
    "this is a workbook of Gambit's graphical interface (.gbt), which tremble does not read; in Gambit, choose "
    "File > Export > Gambit .efg format (for a table of payoffs: Gambit .nfg format), and use the exported file"
)
_XML = re.compile(r"\ufeff?\s*<(?=\?xml|gambit)")
_WORKBOOK_HEAD = 1000  # the first 1000 characters of a workbook contain the word gambit


def read_game_source(
    source: str | os.PathLike[str], *, begins: re.Pattern[str], expected: str, name: str | None
) -> SourceText:
    """Read the text of a game file with :func:`tremble.run.source_text.read_source`; raise an error for a workbook.

    Raises
    ------
    FormatError
        The file cannot be read, or its content is a workbook of Gambit's graphical interface.
    """
    if isinstance(source, str) and _is_workbook(source):  # the text itself, not a path
        raise FormatError(WORKBOOK, file=name or "<text>")
    text = read_source(source, begins=begins, expected=expected, name=name)
    if _is_workbook(text.text):
        raise FormatError(WORKBOOK, file=text.name)
    return text


def _is_workbook(text: str) -> bool:
    return _XML.match(text) is not None and "gambit" in text[:_WORKBOOK_HEAD]


# -- numbers -------------------------------------------------------------------------------------------


def format_number(value: Number) -> str:
    """Format an exact number for Gambit; raise ``GameError`` if the number has more than 4,300 digits.

    OpenSpiel cannot read fractions whose numerator or denominator exceeds 32 bits. Such a fraction becomes a decimal if
    the decimal is finite.

    Examples
    --------
    >>> format_number(Fraction(-1, 18)), format_number(Fraction(1, 2**32))
    ('-1/18', '0.00000000023283064365386962890625')
    """
    top, bottom = value.numerator, value.denominator
    if max(top.bit_length(), bottom.bit_length()) > _LIMIT_BITS:
        raise GameError(f"a number in the game has more than {NUMBER_LIMIT:,} digits; write a .json file instead")
    if bottom == 1:
        return str(top)
    if max(abs(top), bottom) >= _OPENSPIEL_INT:
        twos = (bottom & -bottom).bit_length() - 1
        fives, rest = 0, bottom >> twos
        while rest % 5 == 0:
            fives, rest = fives + 1, rest // 5
        places = max(twos, fives)
        if rest == 1 and places + top.bit_length() < NUMBER_LIMIT:
            digits = str(abs(top) * (10**places // bottom)).zfill(places + 1)
            return f"{'-' if top < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return f"{top}/{bottom}"


class Numbers:
    """A parser for the numbers of one file, with a cache for repeated texts and a limit on the size of long numbers."""

    def __init__(self) -> None:
        self._known: dict[str, Number] = {}
        self._bits = 0

    def value(self, text: str) -> Number:
        """Return the number in a token. Raise ``ValueError`` if it is invalid, or ``TooLargeError`` if it is huge."""
        value = self._known.get(text)
        if value is None:
            value = parse_number(text)
            bits = value.numerator.bit_length() + value.denominator.bit_length()
            if bits > 256:
                self._bits += bits
                if self._bits > _TOTAL_BITS:
                    raise TooLargeError(f"the numbers in the file need over {_TOTAL_BITS // 8_000_000} MB of memory")
            self._known[text] = value
        return value


# -- tokens --------------------------------------------------------------------------------------------


class Tokens:
    """A cursor that moves through a text from token to token. Errors contain the line and column of the cursor.

    ``token`` is the current token. At the end of the text, ``token`` is empty. If a string is not closed, its token is
    a single double quote.
    """

    __slots__ = ("_match", "_next", "_numbers", "source", "token")

    def __init__(self, source: SourceText, numbers: Numbers) -> None:
        self.source = source
        self._numbers = numbers
        self.jump(0)

    def jump(self, start: int) -> None:
        """Go to the first token at or after an offset."""
        self._next: Callable[[], re.Match[str]] = _TOKEN.finditer(self.source.text, start).__next__
        self.advance()

    def advance(self) -> None:
        """Go to the next token."""
        try:
            match = self._next()
        except StopIteration:
            self._match: re.Match[str] | None = None
            self.token = ""
        else:
            self._match = match
            self.token = match[0]

    @property
    def offset(self) -> int:
        """Offset of the current token in the text."""
        return self._match.start() if self._match is not None else len(self.source.text)

    def fail(self, expected: str) -> FormatError:
        """Return an error with the text ``expected`` and the current token; the caller raises the error."""
        if self.token == '"':
            return self.source.error("the string that begins here is not closed", self.offset)
        token = on_one_line(self.token, 30) if self.token else "the end of the file"
        return self.source.error(f"expected {expected}, found {token}", self.offset)

    def at_string(self) -> bool:
        """Return True if the current token begins a quoted string."""
        return self.token[:1] == '"'

    def skip(self, symbol: str) -> bool:
        """Skip the current token if it equals ``symbol``; return True if it was skipped."""
        if self.token != symbol:
            return False
        self.advance()
        return True

    def expect(self, symbol: str, what: str) -> None:
        """Skip the current token if it is ``symbol``, or raise an error: "expected", the symbol and ``what``."""
        if self.token != symbol:
            raise self.fail(f"{symbol} {what}" if what else symbol)
        self.advance()

    def string(self, what: str) -> str:
        """Read a quoted string and return the decoded label; ``what`` names the label in errors."""
        token = self.token
        if token[:1] != '"' or token == '"':
            raise self.fail(f"{what} in double quotes")
        self.advance()
        return unquote(token)

    def strings(self, what: str, another: str) -> tuple[str, ...]:
        """Read labels and the closing brace. Errors call the first label ``what`` and each later label ``another``."""
        labels = [self.string(what)]
        self.skip(",")
        while self.token != "}":
            labels.append(self.string(f"{another}, or }},"))
            self.skip(",")
        self.advance()
        return tuple(labels)

    def integer(self, what: str) -> int:
        """Read an integer; ``what`` names the integer in errors."""
        if not _INTEGER_TOKEN.fullmatch(self.token):
            raise self.fail(f"{what} (an integer)")
        value = int(self.token)
        self.advance()
        return value

    def number(self, what: str) -> Number:
        """Read an exact number; ``what`` names the number in errors."""
        if not _NUMBER_TOKEN.fullmatch(self.token):
            raise self.fail(f"{what} (a number such as 3, 0.25, 1e-3 or -1/18)")
        try:
            value = self._numbers.value(self.token)
        except ValueError as error:
            if isinstance(error, TooLargeError):
                raise
            raise self.source.error(str(error), self.offset) from None
        self.advance()
        return value

    def pair(self, one: str, two: str) -> Payoffs:
        """Read two exact numbers, each with an optional comma after it."""
        first = self.number(one)
        self.skip(",")
        second = self.number(two)
        self.skip(",")
        return first, second


# -- whole files ---------------------------------------------------------------------------------------


def read_prologue(tokens: Tokens, word: str, version: str) -> tuple[str, tuple[str, str]]:
    """Read the prologue of a Gambit file: the title and the names of the players.

    The function raises ``PlayersError`` unless the game has two players.
    """
    tokens.expect(word, "at the beginning of the file")
    tokens.expect(version, "(the version of the format)")
    if tokens.token not in ("R", "D"):
        raise tokens.fail("R or D (the type of the numbers)")
    tokens.advance()
    title = tokens.string("the title of the game")
    tokens.expect("{", "and the names of the players")
    players = []
    while tokens.token != "}":
        players.append(tokens.string("the name of a player, or }"))
        tokens.skip(",")
    tokens.advance()
    if len(players) != 2:
        raise PlayersError.of(len(players), f"{tokens.source.name}: the game")
    return title, (players[0], players[1])


def format_prologue(tree: GameTree, format_and_version: str) -> str:
    """Return the prologue of a Gambit file: format and version, title, and names of the players."""
    player1, player2 = map(quote, tree.players)
    return f"{format_and_version} R {quote(tree.title)} {{ {player1} {player2} }}"


def write_game(tree: GameTree, path: str | os.PathLike[str], text_of: Callable[[GameTree], str]) -> None:
    """Write the text of a game to a file; an error leaves the file unchanged, and a ``GameError`` names the file."""
    try:
        text = text_of(tree)
    except GameError as error:
        raise GameError(f"{path}: {error}") from None
    write_text(path, text)


# -- notes ---------------------------------------------------------------------------------------------


REPAIRED = "probabilities that do not sum to one were repaired in {0} list(s), such as {1}"
"""The text of a note on repaired probabilities, for :meth:`Notes.add`."""


class Notes:
    """Notes on repairs by a file reader. Each kind of repair is reported once, with a count and the first example."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._kinds: dict[str, tuple[int, str]] = {}

    def add(self, sentence: str, example: Callable[[], str]) -> None:
        """Add a note. In ``sentence``, {0} stands for the number of notes of this kind, and {1} for an example."""
        known = self._kinds.get(sentence)
        self._kinds[sentence] = (known[0] + 1, known[1]) if known else (1, example())

    def messages(self) -> list[str]:
        """Return one sentence for each kind of repair."""
        return [f"{self.name}: {text.format(count, first)}" for text, (count, first) in self._kinds.items()]

    def warn(self, *, stacklevel: int) -> None:
        """Issue one ``TrembleWarning`` for each kind of repair; stack level 1 is the caller of this method."""
        for message in self.messages():
            warnings.warn(message, TrembleWarning, stacklevel=stacklevel + 1)


def shown(value: Number) -> str:
    """Format a number for a message: exactly if it is short, and otherwise with nine digits."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= 100:
        return format_fraction(value)
    try:
        return f"about {float(value):.9g}"
    except OverflowError:
        return "a huge number"


def shown_list(items: Iterable[str]) -> str:
    """Format the first four items of a list for a message.

    Examples
    --------
    >>> shown_list("abcdef")
    "{ 'a' 'b' 'c' 'd' ... }"
    """
    texts = [repr(item if len(item) <= 30 else f"{item[:30]}...") for item in items]
    return "{ " + " ".join(texts[:4] + ["..."] * (len(texts) > 4)) + " }"
