"""Check a command's output files before its work begins, so that the command overwrites no input or unrelated file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tremble.capabilities import extensions, require_installed
from tremble.errors import FormatError, SpecError
from tremble.formats.formats import FORMATS
from tremble.run.whole_file import require_writable

__all__ = ["GAME_TEXT", "Output", "by_ending", "ending", "endings_of", "require_outputs"]

GAME_TEXT = ".game.txt"  # the ending of the plain text of a game

_Choice = TypeVar("_Choice")


@dataclass(frozen=True)
class Output:
    """A file that a command is going to write."""

    name: str  # the option or the path, for messages
    path: str | None  # None if the user does not request this output
    kind: str | None = None  # key in _KINDS: the kind of file that may be overwritten; None if the writer checks this
    needed: bool = True  # True if the command must fail when this file cannot be written
    again: bool = False  # True if the command also reads the file, and writes it more than once

    @classmethod
    def of_its_ending(cls, path: str) -> Output:
        """Return the output at ``path``. It may overwrite only a file of the same kind, such as an image for .svg."""
        return cls(path, path, ending(path))


def require_outputs(inputs: Mapping[str, str | None], *outputs: Output, force: bool) -> None:
    """Raise an error if an output cannot be written, or would overwrite an input, another output or an unrelated file.

    ``inputs`` maps names for messages to the paths of the input files. A file is *unrelated* if its kind differs from
    the kind of the output. If ``force`` is true, outputs may overwrite unrelated files.
    """
    _require_distinct(inputs, outputs)
    for output in outputs:
        if output.path is None:
            continue
        if output.needed:
            require_writable(output.path, again=output.again)
        if output.kind is not None and not force:
            _require_replaceable(output.path, output.kind)


def ending(path: str) -> str:
    """Return the ending of a file name, such as ``.svg`` or ``.game.txt``, in lower case."""
    return GAME_TEXT if path.lower().endswith(GAME_TEXT) else os.path.splitext(path)[1].lower()


def by_ending(path: str, choices: Mapping[str, _Choice], what: str) -> _Choice:
    """Return the value in ``choices`` for the ending of ``path``. ``what`` describes the file in messages."""
    if ending(path) not in choices:
        require_installed(ending(path))
        if not choices:
            raise SpecError(f"{path!r:.200}: the installed parts of tremble cannot write {what}")
        *most, last = choices
        raise SpecError(f"the ending of {path!r:.200} is not supported; {what} needs {', '.join(most)} or {last}")
    return choices[ending(path)]


def endings_of(name: str) -> dict[str, Any]:
    """Return the writers that other parts of tremble add to the command ``name``, as a dict from file endings."""
    return {suffix: write for rows in extensions(name) for suffix, write in rows.items()}


def _require_distinct(inputs: Mapping[str, str | None], outputs: tuple[Output, ...]) -> None:
    """Raise an error if an output is standard output, or the same file as an input or another output."""
    seen = [(name, path) for name, path in inputs.items() if path is not None and (path == "-" or _is_file(path))]
    for output in outputs:
        name, path = output.name, output.path
        if path == "-":
            raise SpecError(f"{name} must be the name of a file, not -; use --format to choose what is printed")
        if path is None or (os.path.exists(path) and not _is_file(path)):  # two outputs may be the same device
            continue
        for other, known in seen:
            if _same_file(path, known):
                raise SpecError(f"{name} and {other} are the same file, {path!r:.200}: choose another file for {name}")
        seen.append((name, path))


def _is_file(path: str) -> bool:
    return path != "-" and os.path.isfile(path)


def _same_file(one: str, other: str) -> bool:
    """Return True if two paths are the same file. If ``other`` is ``-``, it means the file that is standard input."""
    with suppress(OSError, ValueError):
        if other == "-":
            return os.path.samestat(os.stat(one), os.fstat(0))
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


_LOG_BEGINS = b'{"elapsed_seconds_float"'

_KINDS: Mapping[str, tuple[str, re.Pattern[bytes]]] = {
    "solution": ("a solution file", re.compile(rb'(?s)\A\s*\{.*"schema"\s*:\s*"tremble/(solution|equilibria)@')),
    "log": ("a log", re.compile(rb"\A" + re.escape(_LOG_BEGINS))),
    **{ending: (row.words, row.begins) for ending, row in FORMATS.items()},
    GAME_TEXT: ("the text of a game", re.compile(rb"\A(chance|move|leaf) [-0-9]")),
    "formal": ("a text that tremble wrote for the verified program", re.compile(rb"\Aclaim [a-z]")),
    ".svg": ("an SVG picture", re.compile(rb"(?i)\A\s*(<\?xml[^>]*>\s*)?(<!doctype svg[^>]*>\s*)?<svg\b")),
    ".tex": ("a picture or table that tremble wrote for LaTeX", re.compile(rb"\A% [^\n]*\n\\begin\{")),
    ".pdf": ("a PDF picture", re.compile(rb"\A%PDF")),
    ".png": ("a PNG picture", re.compile(rb"\A\x89PNG")),
    ".html": ("an HTML page", re.compile(rb"(?i)\A\s*<!doctype html|\A\s*<html\b")),
}
"""Kind of file -> words for messages, and a pattern that recognizes the content of such a file."""


def _require_replaceable(path: str, kind: str) -> None:
    """Raise ``FormatError`` if ``path`` is an existing file that is not of the given kind."""
    if not os.path.isfile(path):
        return
    what, pattern = _KINDS[kind]
    try:
        data = Path(path).read_bytes()
    except OSError:
        return  # the file cannot be read; require_writable checks if it can be written
    if kind == "log" and _LOG_BEGINS.startswith(data):
        return  # the disk was full, or the command was killed, while it wrote the first line
    if data and not pattern.search(data):
        raise FormatError(f"this file exists and is not {what}; --force overwrites it", file=path)
