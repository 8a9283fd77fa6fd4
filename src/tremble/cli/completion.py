"""Complete arguments of commands when the user types TAB.

An argument can be a game with parameters, a word from a list, or a file. Click generates the scripts for the shells.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem

from tremble.formats.formats import FORMATS
from tremble.games import parameters as games

__all__ = ["Bash", "completed_files", "game_words", "words"]

Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]

_BREAKS = (":", "=")
_SIMPLE = re.compile(r"[\w./+-]+")  # text that needs no quotes in any shell
_FILES = {"FILE", "FOLDER", "SOLUTION", "PROFILE", "LOG"}


def words(known: Iterable[str]) -> Completer:
    """Return a function for click that completes a typed text to the words of ``known`` that begin with this text.

    The typed text may be in upper case.
    """
    return lambda _ctx, _param, typed: [CompletionItem(word) for word in known if word.startswith(typed.lower())]


def game_words(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Complete a typed text to built-in games, to parameters after the colon, and to game files.

    If nothing matches, let the shell complete the text to any file.
    """
    name, colon, rest = typed.partition(":")
    if colon and games.is_built_in(name):
        return [CompletionItem(f"{name}:{spec}") for spec in _parameters(name, rest)]
    found = [word for word in (*games.names(), "openspiel:") if word.startswith(typed)]
    if len(found) == 1 and games.is_built_in(found[0]) and games.parameters(games.rules_class(found[0])):
        found.append(f"{found[0]}:")
    return [CompletionItem(word) for word in (*found, *_files(typed))] or [CompletionItem(typed, type="file")]


def _parameters(name: str, typed: str) -> list[str]:
    """Return completions of ``typed``, the text after ``NAME:``: the next key, or the value of the last key."""
    before, comma, last = typed.rpartition(",")
    given = {piece.partition("=")[0] for piece in before.split(",")}
    known = {row.name: row for row in games.parameters(games.rules_class(name)) if row.name not in given}
    key, equals, value = last.partition("=")
    if not equals:
        return [f"{before}{comma}{other}=" for other in known if other.startswith(key)]
    row = known.get(key)
    choices = () if row is None else ("true", "false") if row.kind is bool else row.choices
    return [f"{before}{comma}{key}={choice}" for choice in choices if choice.startswith(value)]


def _files(typed: str) -> list[str]:
    """Return the game files whose paths begin with ``typed``, except paths that need quotes in a shell."""
    folder, found = os.path.dirname(typed), []
    with suppress(OSError, ValueError):
        found = [os.path.join(folder, name) for name in os.listdir(folder or ".")]
    simple = (path for path in found if path.startswith(typed) and _SIMPLE.fullmatch(path))
    return sorted(path for path in simple if Path(path).suffix.lower() in FORMATS)


class _File(click.types.StringParamType):
    """A parameter type of click for file names. The shell completes them."""

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Return an item that makes the shell complete the names of files."""
        return [CompletionItem(incomplete, type="file")]


def completed_files(parameters: Iterable[click.Parameter]) -> list[click.Parameter]:
    """Make the shell complete file names for parameters with a placeholder such as FILE. Return all parameters."""
    parameters = list(parameters)
    for parameter in parameters:
        if (parameter.metavar or "").strip("[].") in _FILES and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _File()
    return parameters


class Bash(BashComplete):
    """Completion in bash for words that contain ``:`` or ``=``. Bash splits a word at these characters."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the arguments before the cursor, and the word at the cursor. Rejoin the words that bash has split."""
        args, incomplete = super().get_completion_args()
        joined: list[str] = []
        for piece in (*args, incomplete):
            self._before = ""  # the pieces of the last word before the piece at the cursor
            if joined and piece and (piece in _BREAKS or joined[-1].endswith(_BREAKS)):
                self._before = joined[-1] + (piece if piece in _BREAKS else "")
                joined[-1] += piece
            else:
                joined.append(piece)
        return joined[:-1], joined[-1]

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Return the last piece of a completed word. Bash splits words at ``:`` and ``=`` and keeps earlier pieces."""
        return f"{item.type},{item.value.removeprefix(self._before)}"
