"""Capabilities: the program works without each of them, and says which one is missing. None imports another.

Each test copies the package without one capability and calls commands and names of Python in a process of its own.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from tremble.capabilities import WORDS, registered
from tremble.lazy import NAMES

ROOT = Path(__file__).parents[2]
PACKAGE = Path(resolve_name("tremble:__file__")).parent
FACADES = ("tremble", "tremble.methods", "tremble.results")

OF_PYTHON = {
    "poker": {"tremble.poker", "tremble.methods.InteriorPoint"},
    "large": {"tremble.large", "tremble.methods.DoubleOracle", "tremble.methods.PublishedDoubleOracle"},
    "recall": {
        *("tremble.recall", "tremble.methods.BnbDigits", "tremble.methods.BranchAndBound", "tremble.methods.Milp"),
    },
    "show": {
        *("tremble.show", "tremble.draw", "tremble.play", "tremble.results.Decision", "tremble.results.Hand"),
        *("tremble.results.Hands", "tremble.results.Move"),
    },
    "batch": {
        "tremble.batch",
        "tremble.solve_many",
        "tremble.sweep",
        "tremble.results.BatchResult",
        "tremble.results.Sweep",
    },
}
"""Name of a capability -> public names that need it."""


@dataclass(frozen=True)
class Command:
    """A command line, and what it needs."""

    line: str
    needs: tuple[str, ...] = ()  # capabilities
    slow: bool = False  # run by default only where a capability that it needs is missing
    stdin: str = ""
    missing: int = 2  # exit code if a capability is missing
    code: int = 0
    says: str = ""


COMMANDS = (
    # The core. Later lines read the files of earlier ones.
    Command("games", says="kuhn"),
    Command("games --format json", slow=True),
    Command("info kuhn", says="digest"),
    Command("info leduc --format json", slow=True),
    Command("solve kuhn -o nash.json", says="certified"),
    Command("solve kuhn --concept quasi-perfect -o qp.json", says="quasi-perfect"),
    Command("solve kuhn --concept perfect -o perfect.json", slow=True),
    Command("solve kuhn --format json", says='"certified"'),
    Command("solve kuhn --format csv", says="player,infoset"),
    Command("solve battle_outside --method lemke", slow=True),
    Command("solve kuhn --method dcfr --gap 1/10", slow=True),
    Command("solve matching_pennies --all -o list.json", says="1/2"),
    Command("verify kuhn nash.json", says="OK"),
    Command("verify kuhn qp.json", says="quasi-perfect"),
    Command("verify kuhn perfect.json", slow=True),
    Command("verify matching_pennies list.json"),
    Command("certify kuhn nash.json"),
    Command("certify kuhn qp.json --concept quasi-perfect", slow=True),
    Command("audit kuhn nash.json", says="No blunder"),
    Command("audit kuhn qp.json --format json", slow=True),
    Command("compare kuhn nash.json qp.json"),
    Command("explain kuhn qp.json K:", slow=True),
    Command("respond kuhn nash.json"),
    Command("respond kuhn nash.json --format csv", slow=True),
    Command("shrink kuhn", slow=True),
    Command("convert kuhn kuhn.efg"),
    Command("solve kuhn.efg", slow=True),
    # Capabilities.
    Command("draw kuhn nash.json -o kuhn.svg", ("show",), says="55 nodes"),
    Command("draw kuhn nash.json -o kuhn.html --explorer", ("show",), slow=True),
    Command("convert matching_pennies pennies.tex", ("show",)),
    Command("compare kuhn nash.json qp.json -o both.svg", ("show",), slow=True),
    Command("play kuhn nash.json --hands 1 --seed 1 --seat 1", ("show",), stdin="1\n1\n1\n"),
    Command("batch kuhn matching_pennies -o folder --jobs 1", ("batch",), slow=True, says="matching_pennies"),
    Command("batch", ("batch",), code=2, says="GAME"),
    Command("sweep kuhn:cards=3..4 --jobs 1", ("batch",), slow=True),
    Command("sweep", ("batch",), code=2, says="GAME"),
    Command("forget", ("recall",), code=2, says="GAME"),
    Command("forget kuhn --player 1 --last 0", ("recall",), slow=True),
    Command("solve wichardt --concept maxmin --player 1", ("recall",), slow=True),
    Command("solve wichardt --concept maxmin --player 1 --method milp --gap 1", ("recall",), slow=True),
    Command("solve kuhn --method double-oracle", ("large",), says="certified"),
    Command("solve goofspiel --method do --format json", ("large",), slow=True),
    Command("solve border_patrol:nodes=1 --max-nodes 1", ("large",), code=2, says="nodes"),
    Command("solve jk_four_cards -o jk.json", ("poker",), slow=True, says="certified"),
    Command("verify jk_four_cards jk.json", ("poker",), slow=True, says="OK"),
    Command("solve rhode_island:ranks=2,suits=2 --method dcfr --gap 2 -o ri.json", ("poker",), slow=True),
    Command("verify rhode_island:ranks=2,suits=2 ri.json", ("poker",), slow=True),
    Command("shrink rhode_island:ranks=3,suits=2", ("poker",), slow=True),
    Command("draw rhode_island:ranks=2,suits=2 ri.json -o hands.svg", ("show", "poker"), slow=True),
    Command("play rhode_island:ranks=2,suits=2 ri.json --hands 1", ("show", "poker"), slow=True, stdin="q\n"),
    Command("solve kuhn --method interior-point", ("poker",), code=4, says="ordered games"),
)

SCRIPT = """
import importlib, json, sys, traceback
from click.testing import CliRunner
import tremble
from tremble.cli import main

commands, facades = json.load(sys.stdin)
names = {}
for facade in facades:
    module = importlib.import_module(facade)
    for name in module.__all__:
        try:
            getattr(module, name)
        except ModuleNotFoundError as error:
            names[f"{facade}.{name}"] = str(error)
answers = []
for arguments, stdin in commands:
    result = CliRunner().invoke(main, arguments, input=stdin)
    crash = None if isinstance(result.exception, SystemExit) else result.exception
    answers.append((result.exit_code, result.output, crash and "".join(traceback.format_exception(crash))))
json.dump({"file": tremble.__file__, "names": names, "answers": answers}, sys.stdout)
"""


def without(part: str, folder: Path) -> Path:
    """Copy the package to a folder, without a capability, and return the folder."""
    shutil.copytree(PACKAGE, folder / "package" / "tremble", ignore=shutil.ignore_patterns("*.nbi", "*.nbc"))
    shutil.rmtree(folder / "package" / "tremble" / part)
    return folder / "package"


def answers(package: Path, folder: Path, commands: list[Command]) -> dict[str, Any]:
    """Run commands in a process that imports a copy of the package."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([[(command.line.split(), command.stdin) for command in commands], FACADES]),
        env={**os.environ, "PYTHONPATH": str(package)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert Path(told["file"]).is_relative_to(package)
    return told


def works_without(part: str, folder: Path, *, slow: bool) -> None:
    """Check that names and commands work unless they need a capability, and then say that it is missing."""
    commands = [command for command in COMMANDS if slow or not command.slow or part in command.needs]
    told = answers(without(part, folder), folder, commands)
    needs = f"needs tremble.{part}, which is not installed"
    assert set(told["names"]) == OF_PYTHON[part]
    for name, error in told["names"].items():
        assert error == (f"{name} is not installed" if name == f"tremble.{part}" else f"{name} {needs}")
    wrong = []
    for command, (code, output, crash) in zip(commands, told["answers"], strict=True):
        expected, says = (command.missing, needs) if part in command.needs else (command.code, command.says)
        if part in command.needs and "no such file" in output:  # the command that writes it needs the part too
            expected, says = 3, "no such file"
        if crash or code != expected or says not in output or "Traceback" in output:
            wrong.append(f"{command.line}: exit code {code}, not {expected}; {crash or output}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", NAMES)
def test_the_program_works_without_a_capability(part: str, tmp_path: Path) -> None:
    works_without(part, tmp_path, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("part", NAMES)
def test_every_command_works_without_a_capability(part: str, tmp_path: Path) -> None:
    works_without(part, tmp_path, slow=True)


def test_the_core_knows_the_words_of_each_capability() -> None:
    """They are the games, commands, methods and endings of files in the rows."""
    assert [capability.name for capability in registered()] == list(NAMES) == list(WORDS)
    for capability in registered():
        methods = [resolve_name(place) for place in capability.methods]
        endings = [
            resolve_name(capability.extensions[name])
            for name in ("compare", "convert")
            if name in capability.extensions
        ]
        listed = {
            *capability.games,
            *capability.commands,
            *(name for method in methods for name in (method.name, *method.aliases)),
        }
        words = set(WORDS[capability.name].split())
        assert listed == {word for word in words if not word.startswith(".")}
        assert {ending for each in endings for ending in each} <= words


def imports(file: Path) -> Iterator[str]:
    """Yield the modules that a file imports anywhere, also for types only."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_capability_imports_another_and_the_core_imports_none() -> None:
    """The facades alone name capabilities; they import them when a name is used."""
    found = []
    for file in PACKAGE.rglob("*.py"):
        part = file.relative_to(PACKAGE).parts[0]
        if part in ("methods.py", "results.py"):
            continue
        for module in imports(file):
            first, *rest = module.split(".")
            if first == "tremble" and rest and rest[0] in NAMES and rest[0] != part:
                found.append(f"{file.relative_to(PACKAGE)} imports {module}")
    assert not found, "\n".join(found)


@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the repository")
def test_the_import_contracts_ignore_the_command_of_the_kernel_alone() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    ignored = [line for contract in contracts for line in contract.get("ignore_imports", ())]
    assert [line for line in ignored if not line.startswith("tremble.check.__main__ -> ")] == []
