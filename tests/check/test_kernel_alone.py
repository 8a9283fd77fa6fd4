"""The kernel alone: `python -m tremble.check` with the standard library and NumPy, and its files in reading order."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tremble
from command import run

KERNEL = Path(tremble.__file__).parent / "check"

WITHOUT = """
import runpy, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {libraries}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
LIBRARIES = ["numba", "scipy", "highspy", "flint", "click", "rich", "lazy_loader", "matplotlib"]


def alone(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a Python that has the standard library and NumPy only."""
    start = WITHOUT.format(libraries=LIBRARIES)
    environment = {**os.environ, "PYTHONPATH": str(KERNEL.parents[1])}
    command = [sys.executable, "-c", start + script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m tremble.check`."""
    return alone('runpy.run_module("tremble.check", run_name="__main__", alter_sys=True)', *arguments)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make games and solutions."""
    folder = tmp_path_factory.mktemp("alone")
    tremble.write_efg(tremble.load("kuhn"), folder / "kuhn.efg")
    tremble.write_efg(tremble.matrix_game([[0, -1], [1, -10]], [[0, 1], [-1, -10]]), folder / "chicken.efg")
    for arguments in (
        ("kuhn", "--concept", "quasi-perfect", "-o", "kuhn.json"),
        ("leduc", "-o", "leduc.json"),
        ("kuhn.efg", "--concept", "sequential", "-o", "file.json"),
        ("chicken.efg", "--all", "-o", "all.json"),
        ("border_patrol:depth=4", "--method", "double-oracle", "-o", "rules.json"),
        ("random_imperfect_recall:depth=4,seed=3", "--concept", "maxmin", "--player", "1", "-o", "maxmin.json"),
    ):
        run("solve", *(str(folder / word) if word.endswith((".efg", ".json")) else word for word in arguments))
    return folder


@pytest.mark.parametrize(
    ("game", "solution", "proven"),
    [
        ("kuhn", "kuhn.json", "quasi-perfect"),
        ("leduc", "leduc.json", "nash"),
        ("kuhn.efg", "file.json", "sequential"),
        ("chicken.efg", "all.json", "nash"),
        ("chicken.efg", "all.json#2", "nash"),
        ("random_imperfect_recall:depth=4,seed=3", "maxmin.json", "maxmin"),
    ],
)
def test_solutions_are_proven_without_further_libraries(files: Path, game: str, solution: str, proven: str) -> None:
    found = check(str(files / game) if game.endswith(".efg") else game, str(files / solution))
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith(f"proven: {proven}\n")


@pytest.mark.parametrize(
    ("game", "solution", "code", "text"),
    [
        ("leduc", "kuhn.json", 1, "problem: game.digest: the solution belongs to another game"),
        ("nothing", "kuhn.json", 2, "error: 'nothing' is neither a built-in game nor a file"),
        ("kuhn", "missing.json", 3, "no such file"),
        ("chicken.efg", "all.json#9", 3, "there is no equilibrium #9"),
        ("border_patrol:depth=4", "rules.json", 4, "this command verifies only solutions of game trees"),
        ("phantom_ttt", "kuhn.json", 4, "more than 20,000,000; this command verifies only solutions of game trees"),
    ],
)
def test_what_is_not_proven_has_an_exit_code(files: Path, game: str, solution: str, code: int, text: str) -> None:
    found = check(str(files / game) if game.endswith(".efg") else game, str(files / solution))
    assert found.returncode == code
    assert text in found.stdout + found.stderr
    assert "Traceback" not in found.stderr


def test_two_arguments_are_needed() -> None:
    found = check("kuhn")
    assert (found.returncode, found.stdout) == (2, "")
    assert "usage: python -m tremble.check GAME SOLUTION" in found.stderr


def test_public_names_need_lazy_loader() -> None:
    for name in ("load", "poker.OrderedGame"):
        found = alone(f"import tremble, tremble.poker\ntremble.{name}")
        assert found.stderr.endswith("the library lazy_loader, which loads this name, is not installed\n")


def test_the_kernel_does_not_need_its_two_folders() -> None:
    found = alone("import tremble.check; print([n for n in sys.modules if n.startswith('tremble.check.')])")
    loaded = ast.literal_eval(found.stdout)
    assert "tremble.check.joining" in loaded
    assert not [name for name in loaded if name.startswith(("tremble.check.lists", "tremble.check.basis"))]


def reading_order() -> list[str]:
    """Return the files in the order of the package's docstring."""
    docstring = ast.get_docstring(ast.parse((KERNEL / "__init__.py").read_text("utf-8"))) or ""
    order = docstring.split("in this order:\n")[1].split("Each file begins")[0]
    return [
        name for names in re.findall(r"^ {4}([a-z_]+(?:, [a-z_]+)*) {2}", order, re.M) for name in names.split(", ")
    ]


def test_the_reading_order_names_each_file_after_those_that_it_imports() -> None:
    order = reading_order()
    assert sorted(order) == sorted(path.stem for path in KERNEL.glob("*.py") if not path.stem.startswith("__"))
    for place, name in enumerate(order):
        source = (KERNEL / f"{name}.py").read_text("utf-8")
        imports = set(re.findall(r"^from tremble\.check\.(\w+) import", source, re.M))
        assert imports <= set(order[:place]), name


@pytest.mark.parametrize("path", sorted(KERNEL.rglob("*.py")), ids=lambda path: path.stem)
def test_functions_are_short(path: Path) -> None:
    functions = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef))
    long = {node.name: length for node in functions if (length := (node.end_lineno or 0) - node.lineno + 1) > 45}
    assert not long
