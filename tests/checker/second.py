"""The second checker as a module, and the verdict of the kernel to compare it with."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import tremble

FILE = Path(__file__).parents[2] / "checker" / "tremble_check.py"


def load() -> Any:
    """Load the checker as a module."""
    spec = spec_from_file_location("tremble_check", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKER = load()


def kernel_accepts(game: Any, path: Path) -> bool:
    """Return the verdict of the kernel."""
    try:
        return tremble.verify(game, tremble.Solution.from_json(path)).ok
    except tremble.TrembleError:
        return False
