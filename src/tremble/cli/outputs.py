"""Files that a command writes: refused before the work if they would overwrite an input or a file of another kind."""

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

__all__ = ["Output", "by_ending", "ending", "endings_of", "require_outputs"]

_Choice = TypeVar("_Choice")


@dataclass(frozen=True)
class Output:
    """A file that a command will write."""

    name: str  # name in messages: the option, or the file itself
    path: str | None  # None if it is not requested
    kind: str | None = None  # kind of file that it may replace, a key of _KINDS; None if its writer checks that
    needed: bool = True  # True if the work is useless if it cannot be written
    again: bool = False  # True if it is written repeatedly, and read

    @classmethod
    def of_its_ending(cls, path: str) -> Output:
        """Make an output whose kind is the ending of its path."""
        return cls(path, path, ending(path))


def require_outputs(inputs: Mapping[str, str | None], *outputs: Output, force: bool) -> None:
    """Refuse outputs that would overwrite an input, another output or a file of another kind, or cannot be written.

    ``inputs`` maps names in messages to the paths of the files that are read. With ``force``, files of another kind may
    be overwritten.
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
    """Read the ending of a file's name, in small letters."""
    return os.path.splitext(path)[1].lower()


def by_ending(path: str, choices: Mapping[str, _Choice], what: str) -> _Choice:
    """Choose by the ending of a file to be written, which messages call ``what``."""
    if ending(path) not in choices:
        require_installed(ending(path))
        if not choices:
            raise SpecError(f"{path!r:.200}: no part of tremble that is installed writes {what}")
        *most, last = choices
        raise SpecError(f"{path!r:.200} tells no format; give {what} the ending {', '.join(most)} or {last}")
    return choices[ending(path)]


def endings_of(name: str) -> dict[str, Any]:
    """Return the writers that capabilities add to a command, by the endings of their files."""
    return {suffix: write for rows in extensions(name) for suffix, write in rows.items()}


def _require_distinct(inputs: Mapping[str, str | None], outputs: tuple[Output, ...]) -> None:
    """Refuse an output that is the same file as an input or another output."""
    seen = [(name, path) for name, path in inputs.items() if path is not None and (path == "-" or _is_file(path))]
    for output in outputs:
        name, path = output.name, output.path
        if path == "-":
            raise SpecError(f"{name} is the name of a file, not -: standard output gets what --format says")
        if path is None or (os.path.exists(path) and not _is_file(path)):  # devices may be written to twice
            continue
        for other, known in seen:
            if _same_file(path, known):
                raise SpecError(f"{name} and {other} are the same file, {path!r:.200}: give {name} another name")
        seen.append((name, path))


def _is_file(path: str) -> bool:
    return path != "-" and os.path.isfile(path)


def _same_file(one: str, other: str) -> bool:
    """Return True if an output is the same file as another one, or as the file behind standard input (``-``)."""
    with suppress(OSError, ValueError):
        if other == "-":
            return os.path.samestat(os.stat(one), os.fstat(0))
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


_KINDS: Mapping[str, tuple[str, re.Pattern[bytes]]] = {
    "solution": ("a solution file", re.compile(rb'(?s)\A\s*\{.*"schema"\s*:\s*"tremble/(solution|equilibria)@')),
    "log": ("a log", re.compile(rb'\A\{"elapsed_seconds_float"')),
    **{ending: (row.words, row.begins) for ending, row in FORMATS.items()},
    ".svg": ("an SVG picture", re.compile(rb"(?i)\A\s*(<\?xml[^>]*>\s*)?(<!doctype svg[^>]*>\s*)?<svg\b")),
    ".tex": ("a picture or table that tremble wrote for LaTeX", re.compile(rb"\A% [^\n]*\n\\begin\{")),
    ".pdf": ("a PDF picture", re.compile(rb"\A%PDF")),
    ".png": ("a PNG picture", re.compile(rb"\A\x89PNG")),
    ".html": ("an HTML page", re.compile(rb"(?i)\A\s*<!doctype html|\A\s*<html\b")),
}
"""Kinds of files that a command may overwrite, and how to recognize them."""


def _require_replaceable(path: str, kind: str) -> None:
    """Refuse to overwrite a file of another kind than what is to be written."""
    if not os.path.isfile(path):
        return
    what, pattern = _KINDS[kind]
    try:
        data = Path(path).read_bytes()
    except OSError:
        return  # require_writable checks that it can be written
    if data and not pattern.search(data):
        raise FormatError(f"this file exists and is not {what}; --force overwrites it", file=path)
