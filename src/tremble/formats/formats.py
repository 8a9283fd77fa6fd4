"""The table of formats of game files: how to recognize, read and write each."""

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
    """A format of game files. Its module has ``read_NAME`` and ``write_NAME`` and is imported on first use."""

    name: str  # also the ending of the files
    words: str  # name of such a file in messages
    begins: re.Pattern[bytes]  # pattern that recognizes such a file, which may then be overwritten
    module: str
    has_floats: bool = False  # True if its probabilities may be rounded; its reader can repair them

    @property
    def ending(self) -> str:
        """The ending of file names."""
        return f".{self.name}"

    def read(self, path: str | os.PathLike[str], *, repair: Fraction | None, max_nodes: int, name: str) -> GameTree:
        """Read the tree in a file, or in a text if the reader accepts one."""
        options = {"repair_tolerance": repair} if self.has_floats else {}
        tree: GameTree = self._function("read")(path, max_nodes=max_nodes, name=name, **options)
        return tree

    def write(self, tree: GameTree, path: str | os.PathLike[str]) -> None:
        """Write a tree to a file, completely or not at all."""
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
"""Ending of a file name -> format."""
