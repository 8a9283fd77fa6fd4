"""``tremble solve`` as a whole process that is stopped, and the pages that record what came of it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Ending", "record", "solved"]

_HANGS = 120  # seconds after which a command that should have stopped is killed


@dataclass(frozen=True)
class Ending:
    """How a command ended: seconds, exit code, the last line of standard error, and its solution file."""

    seconds: float
    exit: int
    said: list[str]
    solution: dict[str, Any] | None


def solved(task: str, folder: Path, stop: float, *options: str, signal: int | None = None) -> Ending:
    """Solve a task that stops after so many seconds: by its own options, or by a signal."""
    out = folder / "best.json"
    out.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tremble", "solve", *task.split(), "-o", str(out), "--quiet", *options]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder)
    said = ""
    try:
        if signal is not None:
            try:
                process.wait(stop)
            except subprocess.TimeoutExpired:
                process.send_signal(signal)
        _, said = process.communicate(timeout=stop + _HANGS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    seconds = time.perf_counter() - began
    solution = json.loads(out.read_text(encoding="utf-8")) if out.exists() else None
    return Ending(seconds, process.returncode, said.strip().splitlines()[-1:], solution)


def record(result: Path, rows: Sequence[dict[str, Any]], page: str) -> None:
    """Write the rows as JSON, and the page that shows them beside it."""
    result.with_suffix(".json").write_text(json.dumps(list(rows), indent=1) + "\n", encoding="utf-8", newline="\n")
    result.with_suffix(".md").write_text(page, encoding="utf-8", newline="\n")
