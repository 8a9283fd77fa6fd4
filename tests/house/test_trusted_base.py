"""What the verifier rests on: the list in the documentation, held true with indirect imports counted."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from types import FrameType

import pytest

import tremble
from forgetful import a_loss, stated
from tremble import GameTree, Solution, UnbuiltGame
from tremble.poker.ordered_arrays import packed, unpacked
from tremble.poker.strategy import OrderedStrategy
from tremble.results import StatedSolution
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.claims import verdict
from tremble.solvers.recorder import proven_solution

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
DOCUMENT = ROOT / "docs" / "explanation" / "what-is-proven.md"
KERNEL = "tremble.check"
SUPPLIERS = ("tremble.large.check", "tremble.poker.check", "tremble.recall.check")
OF_RULES = ("tremble.games.", "tremble.poker.games.", "tremble.large.position_rules")
"""The rules that a verification is about."""

pytestmark = pytest.mark.skipif(not DOCUMENT.exists(), reason="needs the repository")


def file_of(module: str) -> Path | None:
    """The file of a module of ours; None if it is none."""
    folder = SOURCE.joinpath(*module.split("."))
    candidates = folder / "__init__.py", folder.with_suffix(".py")
    return next((file for file in candidates if file.exists()), None)


def nodes(module: str, *, typing: bool) -> Iterator[ast.AST]:
    """Statements of a module, within functions too: those for the type checker alone, or all others."""
    file = file_of(module)
    assert file is not None
    todo: list[tuple[ast.AST, bool]] = [(ast.parse(file.read_text("utf-8")), False)]
    while todo:
        node, within = todo.pop()
        if within == typing:
            yield node
        guarded = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        body = node.body if guarded and isinstance(node, ast.If) else []
        todo += [(child, within or child in body) for child in ast.iter_child_nodes(node)]


def imported(module: str, *, typing: bool = False) -> set[str]:
    """Our modules that a module imports, anywhere in it, with the packages they are in; others by their first name."""
    names: set[str] = set()
    for node in nodes(module, typing=typing):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module is not None
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names if node.module.startswith("tremble"))
    found = set()
    for name in names:
        parts = name.split(".")
        if parts[0] == "tremble":
            packages = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
            found.update(package for package in packages if file_of(package))
        else:
            found.add(parts[0])
    return found


def reached_from(module: str) -> set[str]:
    """All that is imported when everything in a package is, directly and indirectly."""
    package = SOURCE.joinpath(*module.split("."))
    todo = [
        module,
        *(
            f"{module}.{'.'.join(f.relative_to(package).with_suffix('').parts)}"
            for f in package.rglob("*.py")
            if f.name != "__main__.py"
        ),
    ]
    seen: set[str] = set()
    while todo:
        name = todo.pop().removesuffix(".__init__")
        if name not in seen:
            seen.add(name)
            todo += imported(name) if name.startswith("tremble.") else ()  # the package itself loads names when asked
    return seen


def only_words(module: str) -> bool:
    """Whether a module holds nothing but a docstring."""
    return all(isinstance(node, ast.Module | ast.Expr | ast.Constant) for node in nodes(module, typing=False))


def listed(heading: str) -> set[str]:
    """The modules in the first column of the table under a heading of the documentation."""
    section = DOCUMENT.read_text("utf-8").split(f"\n#### {heading}\n")[1].split("\n#")[0]
    cells = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([\w.]+)`", cell)}


def test_the_kernel_imports_next_to_nothing() -> None:
    reached = {name for name in reached_from(KERNEL) if name != f"{KERNEL}.__main__"}
    ours = {name for name in reached if name.split(".")[0] == "tremble" and not name.startswith(KERNEL)}
    assert ours == {"tremble", "tremble.shown", "tremble.status"}
    libraries = {name for name in reached if "." not in name} - {"tremble"} - sys.stdlib_module_names
    assert libraries == {"numpy"}


def test_what_is_imported_for_types_is_not_more() -> None:
    for module in reached_from(KERNEL):
        if module.startswith(KERNEL):
            ours = {name for name in imported(module, typing=True) if name.split(".")[0] == "tremble"}
            assert all(name.startswith(KERNEL) or name == "tremble" for name in ours), module


def run_by(work: Callable[[], object]) -> set[str]:
    """Our modules, functions of which run while the work is done."""
    seen: set[str] = set()

    def look(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            name = frame.f_globals.get("__name__", "")
            if name.split(".")[0] == "tremble":
                seen.add(name)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(before)
    return seen


def watched(what: str) -> set[str]:
    """Our modules that run in a verification of this concept, from a file and from memory; or in ``"nash_conv"``."""
    tree = tremble.load("kuhn")
    if what == "nash_conv":
        return run_by(lambda: tremble.nash_conv(tree, tremble.solve(tree)))
    game: GameTree | UnbuiltGame = tremble.load_rules("kuhn") if what == "rules" else tree
    solution: StatedSolution
    if what == "maxmin":
        game, *parts = a_loss()
        solution = stated(game, *parts)
    else:
        solution = tremble.solve(game, "nash" if what == "rules" else what)
    text, found = solution.to_text(), [verdict(game, solution)]  # compiles what it needs before anybody watches
    modules = run_by(lambda: found.append(verdict(game, solution)))
    modules |= run_by(lambda: found.append(verdict(game, Solution.from_text(text))))
    assert all(verification.ok for verification in found)
    return modules


def watched_ordered() -> set[str]:
    """The same in a verification of an ordered game that is not built, from its arrays as they stand in a file."""
    game = tremble.load_rules("rhode_island:ranks=2,raises=1,suits=2")
    pair = OrderedStrategy.uniform(game.rules, 0), OrderedStrategy.uniform(game.rules, 1)
    solution: StatedSolution = proven_solution(game, Claim(pair, {}), "nash", MethodReference("by hand", {}))
    solution = StatedSolution(**{field.name: getattr(solution, field.name) for field in fields(StatedSolution)})
    data, found = packed(pair), [verdict(game, solution)]

    def work() -> None:
        arrays = unpacked(data, (pair[0].denominator, pair[1].denominator), file="arrays")
        found.append(verdict(game, replace(solution, strategies=arrays)))

    modules = run_by(work)
    assert all(verification.ok for verification in found)
    return modules


CONCEPTS = ("nash", "quasi-perfect", "sequential", "perfect", "maxmin", "rules")


@pytest.fixture(scope="module")
def seen() -> dict[str, set[str]]:
    """What runs, by what is asked, in a new process: in one with a long past a profile made Python turn in circles."""
    command = [sys.executable, __file__]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **paths}
    )
    assert done.returncode == 0, done.stderr
    return {what: set(modules) for what, *modules in map(str.split, done.stdout.splitlines())}


@pytest.mark.parametrize("concept", CONCEPTS)
def test_a_verification_runs_nothing_else(concept: str, seen: dict[str, set[str]]) -> None:
    """From the text of a file, or strategies in memory, to the verdict; the game's rules are what it is about."""
    modules = seen[concept]
    outside = {name for name in modules if not name.startswith((KERNEL, *SUPPLIERS, *OF_RULES))}
    assert outside <= listed("Trusted")
    assert {"tremble.solution.stated", "tremble.numbers", "tremble.solution.schema"} <= outside


def test_a_verification_of_an_ordered_game_runs_nothing_else(seen: dict[str, set[str]]) -> None:
    modules = seen["ordered"]
    outside = {name for name in modules if not name.startswith((KERNEL, *SUPPLIERS, *OF_RULES))}
    assert outside <= listed("Trusted")
    assert {"tremble.poker.stage", "tremble.poker.ordered_arrays"} <= outside


def test_what_watches_sees(seen: dict[str, set[str]]) -> None:
    """Else the test above would prove nothing."""
    modules = seen["nash_conv"]
    assert {"tremble.game.evaluation", "tremble.game.strategy", "tremble.game.requirements"} <= modules


if __name__ == "__main__":
    for concept in (*CONCEPTS, "nash_conv"):
        print(concept, *watched(concept))
    print("ordered", *watched_ordered())
