"""Read a file that holds one solution or a list of equilibria."""

from __future__ import annotations

import os
import re

from tremble.run.text_file import read_text
from tremble.solution.equilibria import EQUILIBRIA, Equilibria
from tremble.solution.member import read_member
from tremble.solution.schema import Reader
from tremble.solution.stated import StatedSolution, nested_solution

__all__ = ["read_stated"]

_SEVERAL = "tremble/equilibria@"
_MAY_STATE_SEVERAL = re.compile(rf'"schema"\s*:\s*"{_SEVERAL}')


def read_stated(path: str | os.PathLike[str]) -> StatedSolution | Equilibria:
    """Read a file with one solution or a list of equilibria; ``FILE#K`` names one member of the list."""
    member = read_member(path)
    if member is not None:
        return nested_solution(Reader(member.name), member.document)
    source = read_text(path)
    if _MAY_STATE_SEVERAL.search(source.text):  # the free-form data of a solution may match as well
        reader = Reader(source.name)
        document = reader.parsed(source.text)
        if isinstance(document, dict) and str(document.get("schema")).startswith(_SEVERAL):
            return EQUILIBRIA.read(reader, document)
    return StatedSolution.from_text(source.text, file=source.name, path=None if path == "-" else path)
