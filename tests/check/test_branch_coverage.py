"""The tests in this folder run every line and take every branch of the kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tremble

ROOT = Path(__file__).parents[2]
KERNEL = Path(tremble.__file__).parent / "check"

EXCUSES: dict[str, str] = {}
"""For each line or branch that no test reaches ("file.py:12", "file.py:12->14"), the reason. None at present."""


@pytest.mark.slow
def test_every_branch_of_the_kernel_is_taken(tmp_path: Path) -> None:
    """Measure in one process, because processes that tests start are not measured."""
    environment = {**os.environ, "COVERAGE_FILE": str(tmp_path / "data")}

    def coverage(*arguments: str) -> None:
        subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=ROOT, env=environment, check=True)

    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0")
    coverage("run", "-m", "pytest", *options, str(Path("tests") / "check"))
    coverage("json", "-o", str(tmp_path / "coverage.json"))
    files = json.loads((tmp_path / "coverage.json").read_text("utf-8"))["files"]
    measured = {
        (ROOT / path).resolve().relative_to(KERNEL.resolve()).as_posix(): found for path, found in files.items()
    }
    assert set(measured) == {path.relative_to(KERNEL).as_posix() for path in KERNEL.rglob("*.py")}
    missing = {f"{path}:{line}" for path, found in measured.items() for line in found["missing_lines"]}
    missing |= {
        f"{path}:{start}->{end}" for path, found in measured.items() for start, end in found["missing_branches"]
    }
    assert missing == set(EXCUSES)
