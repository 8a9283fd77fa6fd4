"""The house itself: who may import whom, style, types, what ``import tremble`` costs, documentation of public names."""

from __future__ import annotations

import importlib
import importlib.util
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tremble

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tremble"
MODULES = sorted(
    module.name for module in pkgutil.walk_packages([str(SOURCE)], "tremble.") if not module.name.endswith("__main__")
)
HEAVY = ("click", "flint", "highspy", "matplotlib", "numba", "open_spiel", "pygambit", "pyspiel", "rich", "scipy")
in_a_checkout = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the repository")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@in_a_checkout
def test_layers() -> None:
    pytest.importorskip("importlinter")
    done = run(sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main()", "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"Contracts: [1-9]\d* kept, 0 broken", done.stdout)


def _available(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


@in_a_checkout
def test_ruff() -> None:
    _available("ruff")
    done = run(sys.executable, "-m", "ruff", "check", "--no-fix", ".")
    assert done.returncode == 0, done.stdout + done.stderr


@in_a_checkout
def test_types() -> None:
    _available("mypy")
    done = run(sys.executable, "-m", "mypy")
    assert done.returncode == 0, done.stdout + done.stderr


def _python(code: str) -> str:
    done = run(sys.executable, "-W", "error", "-c", code)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_light() -> None:
    loaded = set(json.loads(_python("import sys, json, tremble; print(json.dumps(sorted(sys.modules)))")))
    assert not loaded & set(HEAVY)


def test_building_and_reading_need_no_solver() -> None:
    code = """
import sys, json, tremble
tree = tremble.load("kuhn")
profile = [tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1)]
tremble.nash_conv(tree, profile)
tremble.strategies.SequenceForm.of(tree)
tremble.classify_recall(tree, 0)
print(json.dumps(sorted(sys.modules)))
"""
    assert not set(json.loads(_python(code))) & set(HEAVY)


def test_tiny_games_need_no_compiled_kernels() -> None:
    code = "import sys, tremble; print(tremble.solve(tremble.load('kuhn')).value, 'numba' in sys.modules)"
    assert _python(code).split() == ["-1/18", "False"]


def test_the_kernel_loads_no_solver() -> None:
    code = """
import sys, json, tremble.check
print(json.dumps(sorted(sys.modules)))
"""
    loaded = set(json.loads(_python(code)))
    assert not loaded & {"scipy", "highspy", "flint", "numba"}
    assert not [
        name
        for name in loaded
        if name.startswith(("tremble.exact", "tremble.solvers", "tremble.game", "tremble.solution"))
    ]


def test_every_public_name_resolves() -> None:
    assert tremble.__all__ == sorted(set(tremble.__all__))
    for name in tremble.__all__:
        assert getattr(tremble, name) is not None
        assert name in dir(tremble)
    with pytest.raises(AttributeError, match="no_such_name"):
        tremble.no_such_name  # noqa: B018


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_it_is_and_what_it_offers(module: str) -> None:
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("tremble"):
            raise
        pytest.skip(f"{missing.name} is not installed")
    assert found.__doc__
    for name in getattr(found, "__all__", ()):
        assert hasattr(found, name), f"{module}.__all__ names {name}, which does not exist"


def test_no_drawers() -> None:
    """Ten rules of the house, 10: no utils, misc, common, helpers."""
    for path in SOURCE.rglob("*.py"):
        assert not {"utils", "util", "misc", "common", "helpers"} & {path.stem, *path.parent.relative_to(SOURCE).parts}


def test_errors_form_the_drawn_tree() -> None:
    from tremble import errors

    drawn = re.findall(r"^[│ ]*(?:├── |└── )?(\w+)", errors.__doc__ or "", flags=re.MULTILINE)
    for name in errors.__all__:
        kind = getattr(errors, name)
        if issubclass(kind, Warning):
            continue
        assert issubclass(kind, errors.TrembleError)
        assert name in drawn
    for name in ("GameError", "FormatError", "SpecError", "CertificateError"):
        assert issubclass(getattr(errors, name), ValueError)
