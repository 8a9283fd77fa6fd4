"""Everything that the golden record uses of tremble: public names and the command, in one place.

If a public name changes, only this file changes. The recorded data stay.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tremble.results
from tremble.results import Equilibria, Verification
from tremble.strategies import Trembles

__all__ = [
    "Ended", "Equilibria", "Trembles", "call_command", "certification", "document_text", "in_folder", "judged",
    "read_document", "run_process", "stable_text", "verdict",
]  # fmt: skip

Document = dict[str, Any]

certification: Any = tremble.results.certification


# -- files ---------------------------------------------------------------------------------------------


def read_document(document: object) -> Any:
    """Read the solution or the list that a JSON document states."""
    text = json.dumps(document)
    if isinstance(document, dict) and str(document.get("schema")).startswith("tremble/equilibria@"):
        return Equilibria.from_text(text)
    return tremble.Solution.from_text(text)


def document_text(result: Any, folder: Path) -> str:
    """Return the text of the file that a solution or a list is written to."""
    path = folder / "result.json"
    result.to_json(path)
    return path.read_text("utf-8")


_STATS = re.compile(r'"stats": ?(?=\{)')
_VERSION = re.compile(r'"tremble": ?"[^"]*"')


def stable_text(text: str) -> str:
    """Return the text of a file without times and versions: every ``stats`` is empty."""
    pieces, at, decoder = [], 0, json.JSONDecoder()
    for found in _STATS.finditer(text):
        if found.start() < at:
            continue
        _, end = decoder.raw_decode(text, found.end())
        pieces += [text[at : found.end()], "{}"]
        at = end
    return _VERSION.sub('"tremble": ""', "".join(pieces) + text[at:])


# -- verdicts ------------------------------------------------------------------------------------------


def judged(game: Any, document: object) -> str:
    """Return in a few words what the checker says about a document, or the class of the error."""
    try:
        return verdict(tremble.verify(game, read_document(document)))
    except tremble.TrembleError as error:
        return f"error {type(error).__name__}"
    except Exception as error:  # a defect of the checker, which is recorded too
        return f"defect {type(error).__name__}"


def verdict(found: Verification) -> str:
    """Return what a verification says, without its words for people."""
    said = [f"{'ok' if found.ok else 'refused'} {found.status}"]
    for name in ("proven", "disproven", "proven_player", "disproven_player"):
        value = getattr(found, name, None)
        if value is not None:
            said.append(f"{name}={value}")
    return " ".join(said)


# -- the command ---------------------------------------------------------------------------------------


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    output: str
    complaint: str


def call_command(arguments: list[str], stdin: str | None) -> Ended:
    """Run the command in this process, in the current folder."""
    from click.testing import CliRunner

    from tremble.cli import main

    with warnings.catch_warnings():
        result = CliRunner().invoke(main, arguments, input=stdin)
    complaint = result.stderr
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        complaint += f"\ndefect {type(result.exception).__name__}: {result.exception}"
    return Ended(result.exit_code, result.stdout, complaint)


def run_process(arguments: list[str], stdin: str | None) -> Ended:
    """Run the command in a process of its own, in the current folder."""
    source = str(Path(tremble.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "tremble", *arguments],
        input=stdin or "",
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": source},
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Work in another folder, at a fixed width of the terminal."""
    before, fixed = Path.cwd(), {"COLUMNS": "200", "LINES": "50", "NO_COLOR": "1", "TERM": "dumb"}
    known = {name: os.environ.get(name) for name in fixed}
    os.environ.update(fixed)
    os.chdir(folder)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        os.chdir(before)
        for name, value in known.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
