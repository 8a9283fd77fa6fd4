"""The formats of game files, and for each format the functions that recognize, read and write its files."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tremble.game.tree import GameTree

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True)
class Format:
    """A format of game files. The module of the format has the functions ``read_NAME`` and ``write_NAME``."""

    name: str  # name of the format; files end in a dot and this name
    words: str  # phrase for a file of this format in messages, such as "an .efg file"
    begins: re.Pattern[bytes]  # pattern for the beginning of a file; commands may overwrite files that match it
    module: str
    has_floats: bool = False  # True if the probabilities in files may be rounded, so that the reader can repair them

    @property
    def ending(self) -> str:
        """The ending of file names in this format, with the dot."""
        return f".{self.name}"

    def read(self, path: str | os.PathLike[str], *, repair: Fraction | None, max_nodes: int, name: str) -> GameTree:
        """Read a tree from a file; some readers also accept the text itself as ``path``."""
        options = {"repair_tolerance": repair} if self.has_floats else {}
        tree: GameTree = self._function("read")(path, max_nodes=max_nodes, name=name, **options)
        return tree

    def write(self, tree: GameTree, path: str | os.PathLike[str]) -> None:
        """Write a tree to a file; an error leaves the file unchanged."""
        self._function("write")(tree, path)

    def _function(self, what: str) -> Any:
        return getattr(import_module(f"tremble.formats.{self.module}"), f"{what}_{self.name}")


FORMATS: dict[str, Format] = {
    row.ending: row
    for row in (
        Format("efg", "an .efg file", re.compile(rb"\A\s*EFG\b"), "efg", has_floats=True),
        Format("nfg", "an .nfg file", re.compile(rb"\A\s*NFG\b"), "nfg"),
        Format(
            "json",
            "a game file",
            re.compile(rb'(?s)\A\s*\{.*"schema"\s*:\s*"tremble/game@'),
            "game_json",
            has_floats=True,
        ),
    )
}
"""A dict from the endings of file names to formats."""
