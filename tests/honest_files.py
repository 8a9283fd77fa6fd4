"""Honest solution files of small games: every status, concept, certificate and refutation that a file may state.

Most are recorded (``record_honest_files.py``). Those of an ordered game are made here: arrays stand beside them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import tremble
from ordered_solutions import GAME as ORDERED
from ordered_solutions import solution_of as ordered_solution
from rules_of_trees import RulesOfTree
from tremble.formats.foreign import game_of
from tremble.results import Equilibria, StatedSolution
from tremble.status import Status

__all__ = ["FILE", "Document", "Honest", "honest_files", "ordered_files"]

FILE = Path(__file__).with_name("honest_files.json")

Document = dict[str, Any]


@dataclass(frozen=True)
class Honest:
    """A file that ``verify`` accepts, the game that it belongs to, and the path that its arrays stand beside."""

    name: str
    game: Any
    document: Document
    path: Path | None = None

    def read(self, document: Document | None = None) -> StatedSolution | Equilibria:
        """Return what is read from a file with this document, by default its own."""
        document = self.document if document is None else document
        text = json.dumps(document)
        if isinstance(document, dict) and str(document.get("schema")).startswith("tremble/equilibria@"):
            return Equilibria.from_text(text)
        return StatedSolution.from_text(text, path=self.path)


@cache
def honest_files() -> tuple[Honest, ...]:
    """Return the recorded files."""
    record = json.loads(FILE.read_text("utf-8"))
    games = {name: _game(**described) for name, described in record["games"].items()}
    return tuple(Honest(each["name"], games[each["game"]], each["document"]) for each in record["files"])


def _game(*, efg: str = "", rules: str = "", rules_of: str = "") -> Any:
    if rules_of:
        return game_of(RulesOfTree(tremble.read_efg(rules_of)), from_rules=True)
    return tremble.load_rules(rules) if rules else tremble.read_efg(efg)


def ordered_files(folder: Path) -> list[Honest]:
    """Return files of an ordered game that is not built, written into a folder with their arrays."""
    solution = ordered_solution()
    wrong = {"concept": "nash", "kind": "best-response"}
    found = []
    for number, (status, refutation) in enumerate(
        [(Status.BOUNDED, None), (Status.BOUNDED, wrong), (Status.LIMIT_REACHED, wrong)]
    ):
        path = folder / f"{number}.json"
        replace(solution, status=status, refutation=refutation).to_json(path)
        title = f"ordered: {status}{', with a refutation' if refutation else ''}"
        found.append(Honest(title, ORDERED, json.loads(path.read_text("utf-8")), path))
    return found
