"""Read one member of a list of equilibria: ``FILE#K`` names the K-th, from 1, wherever a solution file is expected."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

from tremble.errors import FormatError
from tremble.run.text_file import read_text
from tremble.solution.schema import Reader
from tremble.words import on_one_line

__all__ = ["Member", "file_of", "read_member"]

_LIST = "tremble/equilibria@"
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class Member:
    """A parsed member of a list."""

    name: str  # for errors
    document: Any


def file_of(path: str) -> str:
    """Return the file that a path names: ``FILE`` for ``FILE#K``, unless a file is called ``FILE#K``.

    Examples
    --------
    >>> file_of("missing.json#2")
    'missing.json#2'
    """
    before, mark, _ = path.rpartition("#")
    return before if mark and not os.path.lexists(path) and os.path.isfile(before) else path


def read_member(path: str | os.PathLike[str]) -> Member | None:
    """Read the member of a list that a path names as ``FILE#K``; None if the path names a whole file.

    Raises
    ------
    FormatError
        The file is no list, or has no such member.
    """
    if not isinstance(path, str | os.PathLike):
        return None
    name = os.fspath(path)
    if not isinstance(name, str) or (file := file_of(name)) == name:
        return None
    text = read_text(file).text
    reader = Reader(file)
    document = reader.parsed(text) if text.lstrip().startswith("{") else None
    members = document.get("equilibria") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not str(document.get("schema")).startswith(_LIST):
        raise FormatError(f"this file is not a list of equilibria, so {name!r:.200} names no member", file=file)
    if not isinstance(members, list):
        reader.fail("equilibria", "expected a list")
    number = name[len(file) + 1 :]
    count = f"{len(members):,} {'equilibrium' if len(members) == 1 else 'equilibria'}"
    if not _NUMBER.fullmatch(number):
        raise FormatError(f"the number of an equilibrium follows #, from 1, not {on_one_line(number)!r}", file=file)
    if not 1 <= int(number) <= len(members):
        where = f"#1 to #{len(members)}" if members else "none can be named"
        raise FormatError(f"there is no equilibrium #{number}: the file has {count} ({where})", file=file)
    return Member(name, members[int(number) - 1])
