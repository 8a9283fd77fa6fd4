"""Build the verified checker, and run it on solutions."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tremble
from tremble import GameTree
from tremble.judge.formal_text import format_claim_text
from tremble.results import StatedSolution

FORMAL = Path(__file__).parents[2] / "formal"
TOOLS = ("make", "coqc", "coqdep", "ocamlfind")


def missing() -> str:
    """Return the reason why the checker cannot be built here; the empty string if it can."""
    if not FORMAL.exists():
        return "needs the folder formal of the repository"
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    if absent:
        return f"needs {', '.join(absent)}: apt-get install coq libzarith-ocaml-dev make"
    found = subprocess.run(["ocamlfind", "query", "zarith"], capture_output=True, check=False)
    return "" if found.returncode == 0 else "needs zarith: apt-get install libzarith-ocaml-dev"


def text_of(game: GameTree, document: dict[str, Any], claim: str | None = None) -> str:
    """Return the text of a solution file's content."""
    return format_claim_text(game, StatedSolution.from_text(json.dumps(document)), claim)


def document_of(game: GameTree, concept: str) -> dict[str, Any]:
    """Solve the game, and return the solution file. A sequential equilibrium answers a request for subgame-perfect."""
    concept = "sequential" if concept == "subgame-perfect" else concept
    return json.loads(tremble.solve(game, concept).to_text())


def expected(claim: str) -> str:
    """Return the verdict on an accepted solution of a concept."""
    return f"proven {claim}"


def make(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-C", str(folder)], capture_output=True, text=True, check=False, timeout=900)


def copy_sources(folder: Path) -> Path:
    """Copy the sources, without anything that was built from them."""
    folder.mkdir(parents=True)
    for file in FORMAL.iterdir():
        if file.name == "Makefile" or (file.suffix in (".v", ".ml") and file.name != "checker.ml"):
            shutil.copy2(file, folder / file.name)
    return folder


class Checker:
    """The program, and a folder for its texts."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder

    def verdict(self, game: GameTree, document: dict[str, Any], claim: str | None = None) -> str:
        return self.verdicts([text_of(game, document, claim)])[0]

    def verdicts(self, texts: Iterable[str]) -> list[str]:
        """Return the verdict on each text, without the reason why a text is unreadable."""
        files = []
        for number, text in enumerate(texts):
            file = self.folder / f"{number}.txt"
            file.write_text(text, "utf-8")
            files.append(str(file))
        run = subprocess.run([str(self.program), *files], capture_output=True, text=True, check=False, timeout=600)
        assert run.stderr == ""
        answers = [line.rpartition(": ")[2].partition(" (")[0] for line in run.stdout.splitlines()]
        assert len(answers) == len(files)
        assert (run.returncode == 0) == all(answer.startswith("proven") for answer in answers)
        return answers
