"""Exact, certified equilibria of two-player games with hidden information.

The public names are loaded when first used, so that ``import tremble`` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

from tremble import errors

__version__ = "0.1.0"

_NAMES = {
    "model.game": ["CHANCE", "TERMINAL", "Game"],
    "model.tree": ["GameTree"],
    "model.tree_builder": ["TreeBuilder"],
    "model.matrix_game": ["matrix_game"],
    "model.ordered.game": ["OrderedGame", "Round"],
    "model.ordered.stage": ["GO_ON", "OVER", "Move", "StageTree"],
    "model.ordered.filter": ["Filter"],
    "model.ordered.ex_post": ["ExPost", "ex_post"],
    "io.foreign": ["build"],
    "model.forgetting": ["RecallWitness", "classify_recall", "recall_witness"],
    "model.regrouping": ["perfect_recall_refinement"],
    "model.rules": ["UnbuiltGame", "UnbuiltStrategy"],
    "model.sequence_form": ["SequenceForm"],
    "model.strategy": ["BehaviorStrategy", "RealizationPlan"],
    "model.evaluation": ["best_response", "expected_values", "exploitability", "nash_conv"],
    "judging.audit": ["audit"],
    "judging.certify": ["certify"],
    "judging.compare": ["Comparison", "compare"],
    "judging.info": ["info"],
    "solution.solution": ["Solution"],
    "solution.stated": ["StatedSolution"],
    "solution.verification": ["Verification"],
    "judging.verify": ["verify", "evaluate"],
    "solution.trembles": ["Trembles"],
    "solution.equilibria": ["Equilibria"],
    "solvers.solve": ["solve"],
    "solvers.several": ["Uniqueness", "all_equilibria", "solve_several", "uniqueness"],
    "reductions.forgetting": ["Forgetting", "InfosetView", "Loss", "forget"],
    "reductions.shrink": ["ladder", "shrink"],
    "games.loading": ["load", "load_rules"],
    "io.efg": ["read_efg", "write_efg"],
    "io.nfg": ["read_nfg", "write_nfg"],
    "io.profile": ["read_profile"],
    "io.foreign_profile": ["from_gambit_profile", "from_openspiel_policy"],
    "errors": errors.__all__,
}

_HOME = {name: module for module, names in _NAMES.items() for name in names}
"""Public name -> the module that it is loaded from when first used."""

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
