"""Exact, certified equilibria of two-player games with hidden information.

The public names are loaded when first used, so that ``import tremble`` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "CHANCE": "model.game",
    "TERMINAL": "model.game",
    "Game": "model.game",
    "GameTree": "model.tree",
    "TreeBuilder": "model.tree",
    "build": "io.foreign",
    "classify_recall": "model.recall",
    "UnbuiltGame": "model.rules",
    "UnbuiltStrategy": "model.rules",
    "SequenceForm": "model.sequence_form",
    "BehaviorStrategy": "model.strategy",
    "RealizationPlan": "model.strategy",
    "best_response": "model.evaluation",
    "expected_values": "model.evaluation",
    "exploitability": "model.evaluation",
    "nash_conv": "model.evaluation",
    "audit": "judging.audit",
    "Comparison": "judging.compare",
    "compare": "judging.compare",
    "Solution": "solution.solution",
    "StatedSolution": "solution.stated",
    "Verification": "solution.verification",
    "verify": "judging.verify",
    "evaluate": "judging.verify",
    "Trembles": "solution.trembles",
    "solve": "solvers.solve",
    "load": "io.loading",
    "load_rules": "io.loading",
    "read_efg": "io.efg",
    "write_efg": "io.efg",
    "read_nfg": "io.nfg",
    "read_profile": "io.profile",
    "write_nfg": "io.nfg",
    "CertificateError": "errors",
    "FormatError": "errors",
    "GameError": "errors",
    "ImperfectRecallError": "errors",
    "LimitReached": "errors",
    "NotProvenError": "errors",
    "NotZeroSumError": "errors",
    "PlayersError": "errors",
    "SolverError": "errors",
    "SpecError": "errors",
    "TooLargeError": "errors",
    "TrembleError": "errors",
    "TrembleWarning": "errors",
}

_MODULES = ("methods",)
"""Public modules, loaded when first used like the names."""

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tremble.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'tremble' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"tremble.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
