"""Mutation test of the kernel: python -m benchmarks.mutants [MODULE ...] [--time-limit SECONDS] [--only NUMBER ...].

A *mutant* is a module of `tremble.check` with one small fault. A mutant is *killed* if a test fails, or if the tests
exceed the time limit. A mutant that no test kills *survives*: it shows a missing test, or it computes the same results
as the module. The score is the share of killed mutants.

The program changes no file. For each mutant, it forks a process that imports the changed source, and runs the tests of
`TESTS` until the first failure. Run it in the root of a clone; it needs `os.fork`.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.abc
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["TESTS", "Mutant", "mutants"]

KERNEL = Path(__file__).parents[1] / "src" / "tremble" / "check"

TESTS: dict[str, tuple[str, ...]] = {
    "nash": ("test_kernel_base", "test_verdicts_of_branches", "test_nash_claims", "test_refined_claims"),
    "best_response": ("test_kernel_base", "test_nash_claims", "test_verdicts_of_branches", "test_refined_claims"),
    "quasi_perfect": (
        "test_kernel_base", "test_verdicts_of_branches", "test_refined_claims", "test_proper_and_others",
    ),
}  # fmt: skip
"""For each module, the files in tests/check that test it. Files that find faults sooner come first."""

SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip

LIBRARIES = ("numpy", "scipy.sparse", "numba", "highspy", "flint", "hypothesis", "pytest")
NOT_IMPORTED = 99  # an exit code that pytest does not use


@dataclass(frozen=True)
class Mutant:
    """A module with one fault."""

    line: int
    fault: str  # the old code and the new code
    source: str  # the source of the whole module with the fault


def _faults(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield (description, new node) for each fault at this node."""
    new: Any = deepcopy(node)
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            new = deepcopy(node)
            new.ops[i] = SWAPS[type(operator)]()
            yield f"{ast.unparse(node)} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.Constant) and type(node.value) is int:  # True and False have another type
        yield f"{node.value} -> {node.value + 1}", ast.Constant(node.value + 1)
    elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        new.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield f"{ast.unparse(node)} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.BoolOp):
        for i, value in enumerate(node.values):
            new = deepcopy(node)
            del new.values[i]
            yield (
                f"drop {ast.unparse(value)!r} from {ast.unparse(node)!r}",
                new.values[0] if len(new.values) < 2 else new,
            )
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"{ast.unparse(node)} -> {ast.unparse(node.operand)}", node.operand
    elif isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and _records(node.value)):
        yield f"drop {ast.unparse(node).splitlines()[0]:.100}", ast.Pass()


def _records(value: ast.expr) -> bool:
    """Return True if the expression records a problem, compares a stated number, or calls a further check."""
    if not isinstance(value, ast.Call):
        return False
    name = ast.unparse(value.func)
    return name in ("add", "prove") or name.endswith((".add", ".compare")) or name.startswith("check_")


def mutants(source: str) -> list[Mutant]:
    """Return all mutants of a source text, in the order of its syntax tree. Type annotations stay as they are."""
    tree = ast.parse(source)
    found = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns"):
                continue
            for i, child in enumerate(value if isinstance(value, list) else [value]):
                for fault, new in _faults(child) if isinstance(child, ast.AST) else ():
                    if isinstance(value, list):
                        value[i] = new
                    else:
                        setattr(node, name, new)
                    text = ast.unparse(ast.fix_missing_locations(tree))
                    found.append(Mutant(getattr(child, "lineno", 0), fault, text))
                    if isinstance(value, list):
                        value[i] = child
                    else:
                        setattr(node, name, child)
    return found


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder that gives one module another source."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source, self.imported = module, source, False

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.module else None

    def exec_module(self, module: ModuleType) -> None:
        self.imported = True
        exec(compile(self.source, self.module, "exec"), module.__dict__)  # the source of the kernel, with one fault


def _run_tests(module: str, source: str) -> int:
    """Run the tests of a module with this source, and return the exit code of pytest. Call it in a fork."""
    import pytest
    from hypothesis import Phase, settings

    # A failing example must not be shrunk, which takes minutes, and must not be stored.
    settings.register_profile("mutants", database=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutants")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("benchmarks", "tremble")]:
        del sys.modules[name]  # the tests must import the changed module
    changed = _Changed(f"tremble.check.{module}", source)
    sys.meta_path.insert(0, changed)
    files = [str(Path("tests") / "check" / f"{name}.py") for name in TESTS[module]]
    options = [
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ]
    code = int(pytest.main([*options, *files]))
    return code if changed.imported else NOT_IMPORTED


def survives(module: str, source: str, time_limit: float) -> bool:
    """Return True if all tests of the module pass with this source."""
    child = os.fork()
    if child == 0:
        os.setsid()  # the end of the time limit also ends the processes that tests start
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        code = 1
        try:
            code = _run_tests(module, source)
        finally:
            os._exit(code)
    end = time.monotonic() + time_limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            if code == NOT_IMPORTED:
                raise RuntimeError(f"the tests of {module} do not import the changed module")
            return code == 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def main() -> int:
    """Run the command; return 1 if a mutant survives."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", default=list(TESTS), metavar="MODULE")
    parser.add_argument("--time-limit", type=float, default=90, help="seconds for the tests of one mutant")
    parser.add_argument("--only", type=int, nargs="*", help="the numbers of the mutants to test")
    given = parser.parse_args()
    for name in LIBRARIES:
        importlib.import_module(name)  # once, before the forks
    left = total = 0
    for module in given.modules:
        source = (KERNEL / f"{module}.py").read_text("utf-8")
        if not survives(module, source, given.time_limit):
            parser.error(f"the tests of {module} fail without a fault")
        every = mutants(source)
        chosen = [number for number in range(len(every)) if given.only is None or number in given.only]
        survivors = 0
        for number in chosen:
            mutant = every[number]
            if survives(module, mutant.source, given.time_limit):
                survivors += 1
                print(f"{module}.py:{mutant.line}: mutant {number} survives: {mutant.fault}", flush=True)
        print(f"{module}: {len(chosen) - survivors} of {len(chosen)} mutants are killed", flush=True)
        left, total = left + survivors, total + len(chosen)
    print(f"all: {total - left} of {total} mutants are killed")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
