"""What editors and type checkers see of the public names. mypy reads ``typed_programs`` with the package itself."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import pytest

import tremble

ROOT = Path(__file__).parents[2]
MODULES = ("tremble", *(f"tremble.{name}" for name in tremble.__all__ if inspect.ismodule(getattr(tremble, name))))
in_a_checkout = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the repository")

UNTYPED = {
    "tremble.io.to_gambit_profile",  # Gambit and OpenSpiel have no types
    "tremble.io.to_openspiel_policy",
    "tremble.Game.root",  # histories are whatever the rules make of them
    "tremble.Game.child",
    "tremble.large.Oracle.known",  # so are strategies of an oracle
    "tremble.large.Oracle.strategy",
}


def names() -> Iterator[tuple[str, object]]:
    for module in MODULES:
        for name in importlib.import_module(module).__all__:
            yield f"{module}.{name}", getattr(importlib.import_module(module), name)


def functions() -> Iterator[tuple[str, FunctionType]]:
    """The public functions, and the methods and properties of public classes."""
    for name, thing in names():
        members = {name: thing}
        if inspect.isclass(thing):
            ours = [each for each in thing.__mro__[::-1] if each.__module__.startswith("tremble.")]
            parts = {key: part for each in ours for key, part in vars(each).items() if not key.startswith("_")}
            members = {f"{name}.{key}": part for key, part in parts.items()}
        for key, part in members.items():
            bare = getattr(part, "__func__", None) or getattr(part, "fget", None) or getattr(part, "func", None) or part
            if isinstance(bare, FunctionType) and bare.__name__ != "<lambda>":
                yield key, bare


def test_no_public_function_returns_any() -> None:
    """That all are annotated, mypy --strict demands; plain data for JSON are ``dict[str, Any]``."""
    found = {name for name, function in functions() if function.__annotations__["return"] == "Any"}
    assert {name for name in found if not name.endswith(".to_frame")} == UNTYPED  # of pandas or of polars


@pytest.mark.extras
@in_a_checkout
def test_a_second_checker_reads_the_programs_of_users(tmp_path: Path) -> None:
    """And sees what every public name is."""
    pytest.importorskip("basedpyright")
    seen = tmp_path / "seen.py"
    every = [name for name, _ in names()]
    imports = "".join(f"import {module}\n" for module in MODULES)
    seen.write_text(imports + "".join(f"reveal_type({name})\n" for name in every), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    programs = str(ROOT / "tests" / "typed_programs.py")
    done = subprocess.run([*command, programs, str(seen)], cwd=ROOT, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)["generalDiagnostics"]
    errors = [each for each in told if each["severity"] == "error"]
    assert [(each["file"], each["range"]["start"]["line"] + 1, each["message"]) for each in errors] == []
    types = [each["message"] for each in told if each["message"].startswith("Type of ")]
    nothing = re.compile(r"(is \"|-> )(Any|Unknown)\b")
    assert {name for name, text in zip(every, types, strict=True) if nothing.search(text)} <= UNTYPED


COMPLETED = {  # jedi does not tell small letters from capitals, and lists folders too
    "tremble.so": {"Solution", "solve", "solve_many", "solve_several", "solve_trembling", "solution", "solvers"},
    "tremble.solve(tremble.load('kuhn')).val": {"value", "values"},
    "tremble.best_response(tremble.load('kuhn'), [], 0)[1].to_r": {"to_realization_plan"},
    "tremble.all_equilibria(tremble.load('kuhn'))[0].stra": {"strategies"},
    "tremble.load('kuhn').num_l": {"num_leaves"},
    "tremble.poker.Ordered": {"OrderedGame", "OrderedStrategy"},
    "tremble.methods.Double": {"DoubleOracle"},
    "tremble.show.draw_c": {"draw_comparison_html", "draw_comparison_svg"},
    "tremble.errors.Not": {"NotProvenError", "NotZeroSumError"},
    "tremble.audit(tremble.load('kuhn'), []).blun": {"blunders"},
    "from tremble.recall import for": {"forget", "Forgetting"},
    "from tremble import so": {
        "Solution",
        "solve",
        "solve_many",
        "solve_several",
        "solve_trembling",
        "solution",
        "solvers",
    },
}


@pytest.mark.extras
@pytest.mark.parametrize("typed", COMPLETED)
def test_editors_complete_names_and_members(typed: str) -> None:
    jedi = pytest.importorskip("jedi")
    project = jedi.Project(ROOT, added_sys_path=[str(Path(tremble.__file__).parents[1])])
    code = typed if typed.startswith("from ") else f"import tremble\n{typed}"
    assert {each.name for each in jedi.Script(code, project=project).complete()} == COMPLETED[typed]
