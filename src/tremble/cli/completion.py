"""What a shell completes after TAB: games with their parameters, concepts, methods and files.

Click writes the scripts for the shells, and finds out which parameter is being typed. Here stands what it may be. The
scripts differ a little from click's: bash takes a colon and an equality sign for the end of a word, fish took the text
after a comma for something else, and zsh put a blank after ``leduc:ranks=``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

from tremble import games
from tremble.formats.formats import FORMATS

__all__ = ["FILE", "GAME", "Words", "completing", "register"]

if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    _Text = click.ParamType  # of which older versions of click have no parts

_ENDS_WORD = re.compile(r".*[:=]")
_SIMPLE = re.compile(r"[\w./+-]+")  # no shell needs quotes for it


class Words(_Text):
    """Text, of which some words are completed; whether another one will do is not asked here."""

    name = "text"

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Those that begin so, in capitals or not."""
        return _items(word for word in self._words if word.startswith(incomplete.lower()))


class _File(_Text):
    """The name of a file; the shell knows which there are."""

    name = "text"

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Any file."""
        return [CompletionItem(incomplete, type="file")]


class _Game(_Text):
    """GAME: a built-in one with parameters, or a file."""

    name = "text"

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Names, or what may follow a name; and files of games. Any file where none of these begins so."""
        name, colon, rest = incomplete.partition(":")
        if colon and games.is_built_in(name):
            return _items(f"{name}:{spec}" for spec in _parameters(name, rest))
        return _items([*_names(incomplete), *_files(incomplete)]) or [CompletionItem(incomplete, type="file")]


GAME, FILE = _Game(), _File()

_FILES = {"FILE", "SOLUTION", "PROFILE", "LOG"}


def completing(parameter: click.Parameter) -> click.Parameter:
    """The parameter, completed as a file if its name in the help says that it is one."""
    if (parameter.metavar or "").strip("[].") in _FILES and isinstance(parameter.type, click.types.StringParamType):
        parameter.type = FILE
    return parameter


def _items(words: Iterable[str]) -> list[CompletionItem[str]]:
    return [CompletionItem(word) for word in words]


def _names(incomplete: str) -> list[str]:
    """Built-in games; once there is one alone, also with the colon that its parameters follow."""
    found = [name for name in (*games.names(), "openspiel:") if name.startswith(incomplete)]
    if len(found) == 1 and games.is_built_in(found[0]) and games.parameters(games.rules_class(found[0])):
        found.append(f"{found[0]}:")
    return found


def _files(incomplete: str) -> list[str]:
    """Files of games in the folder that is typed; those whose names need quotes are left to the shell."""
    folder = os.path.dirname(incomplete)
    with suppress(OSError, ValueError):
        paths = (os.path.join(folder, entry.name) for entry in os.scandir(folder or "."))
        return sorted(
            path
            for path in paths
            if path.startswith(incomplete) and Path(path).suffix.lower() in FORMATS and _SIMPLE.fullmatch(path)
        )
    return []


def _parameters(name: str, typed: str) -> list[str]:
    """What may stand after ``NAME:`` instead of what is typed there: the next key, or the value of the last one."""
    before, comma, last = typed.rpartition(",")
    given = {piece.partition("=")[0] for piece in before.split(",")}
    known = {row.name: row for row in games.parameters(games.rules_class(name)) if row.name not in given}
    key, equals, value = last.partition("=")
    if not equals:
        return [f"{before}{comma}{other}=" for other in known if other.startswith(key)]
    row = known.get(key)
    choices = () if row is None else ("true", "false") if row.kind is bool else row.choices
    return [f"{before}{comma}{key}={choice}" for choice in choices if choice.startswith(value)]


# -- shells ------------------------------------------------------------------------------------------


class _Bash(BashComplete):
    """Completes the text between two blanks, whatever bash takes for a word."""

    source_template: ClassVar[str] = """\
%(complete_func)s() {
    local IFS=$'\\n'
    local type value response
    COMPREPLY=()
    response=$(env COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_BREAKS="$COMP_WORDBREAKS" \
%(complete_var)s=bash_complete $1)
    while IFS=',' read -r type value; do
        if [[ $type == 'file' ]]; then
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("$value")
            [[ $value == *[:=] ]] && compopt -o nospace
        fi
    done <<< "$response"
    return 0
}

%(complete_func)s_setup() {
    complete -o nosort -F %(complete_func)s %(prog_name)s
}

%(complete_func)s_setup;
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Split the line up to the cursor at blanks."""
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)[1:]
        self._typed = words.pop() if words and not line[-1:].isspace() else ""
        return words, self._typed

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Leave out what bash takes for words before the last one: it keeps them."""
        before = _ENDS_WORD.match(self._typed)
        if before is not None and item.type == "plain" and before[0][-1] in os.environ.get("COMP_BREAKS", ":="):
            return f"{item.type},{item.value.removeprefix(before[0])}"
        return super().format_completion(item)


class _Fish(FishComplete):
    """Click's, but values may have commas."""

    source_template: ClassVar[str] = FishComplete.source_template.replace(
        'string split "," $completion', 'string split --max 1 "," $completion'
    )


class _Zsh(ZshComplete):
    """Click's, but nothing follows what a value is to follow."""

    source_template: ClassVar[str] = ZshComplete.source_template.replace(
        "        compadd -U -V unsorted -a completions\n",
        "        compadd -U -V unsorted -- ${completions:#*[:=]}\n"
        "        compadd -U -S '' -V unsorted -- ${(M)completions:#*[:=]}\n",
    )


def register() -> None:
    """Have click use these scripts."""
    for shell in (_Bash, _Fish, _Zsh):
        add_completion_class(shell)
