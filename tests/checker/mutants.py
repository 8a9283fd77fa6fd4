"""Mutation test of the second checker. In the folder tests: PYTHONPATH=../src:. python -m checker.mutants [PROCESSES].

A *mutant* is the checker with one small fault. The tests *kill* it if they judge a file wrongly, or if they fail or
take too long. The tests are the examples of `checker.examples`: those of the page, honest files, changed files with the
verdict of the kernel, hand-written files, and games. A mutant that *survives* shows a missing example, or computes the
same answers. The function `main` is not changed, and neither are the texts of messages.
"""

from __future__ import annotations

import ast
import os
import resource
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from itertools import islice, repeat
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from checker.examples import (
    Case,
    changed_cases,
    digests,
    failures,
    honest_cases,
    other_concepts,
    run_games,
    run_page,
    text_cases,
    written_cases,
)
from checker.second import FILE

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
SECONDS, BYTES = 20, 2**31  # limits of the tests of one mutant


def faults(node: ast.AST) -> Iterator[Any]:
    """Yield the node with a fault, for each fault at this node."""

    def without(field: str, i: int, value: Any) -> Any:
        new: Any = deepcopy(node)
        getattr(new, field)[i : i + 1] = value
        return new

    def with_field(field: str, value: Any) -> Any:
        new = deepcopy(node)
        setattr(new, field, value)
        return new

    if isinstance(node, ast.Compare):
        yield from (without("ops", i, [SWAPS[type(operator)]()]) for i, operator in enumerate(node.ops))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        yield ast.Constant(not node.value if type(node.value) is bool else node.value + 1)
    elif isinstance(node, ast.BoolOp):
        yield with_field("op", SWAPS[type(node.op)]())
        for i, value in enumerate(node.values):
            yield without("values", i, []) if len(node.values) > 2 else value
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SWAPS:
        yield with_field("op", SWAPS[type(node.op)]())
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield with_field("id", NAMES[node.id])
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Raise | ast.Continue) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield ast.Pass()


def mutants(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Put one fault after the other into the tree. Meanwhile, yield the old and the new node."""
    silent = set()
    for node in ast.walk(tree):
        program = isinstance(node, ast.If) and ast.unparse(node.test).startswith("__name__")
        if program or getattr(node, "name", "") == "main" or isinstance(node, ast.JoinedStr):
            silent.update(ast.walk(node))
    for node in list(ast.walk(tree)):
        for name, value in ast.iter_fields(node):
            for i, child in enumerate(value if isinstance(value, list) else [value]):
                place, key = (value, i) if isinstance(value, list) else (vars(node), name)
                for new in faults(child) if isinstance(child, ast.AST) and child not in silent else ():
                    place[key] = ast.fix_missing_locations(ast.copy_location(new, child))
                    yield child, new
                    place[key] = child


def passes(tree: ast.Module, cases: list[Case]) -> bool:
    """Return True if all examples have the right answer. Call it in a fork."""
    checker = ModuleType("mutant")
    exec(compile(tree, "mutant", "exec"), vars(checker))
    run_page(checker)
    with TemporaryDirectory() as folder:
        run_games(checker, Path(folder))
        return next(failures(checker, iter(cases), Path(folder)), None) is None


def survives(tree: ast.Module, cases: list[Case]) -> bool:
    """Return True if the examples do not kill a mutant."""
    child = os.fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            code = 0 if passes(tree, cases) else 1
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def part(first: int, step: int, cases: list[Case]) -> tuple[int, list[str]]:
    """Run every `step`-th mutant from `first` on. Return their number and a line for each that survives."""
    tree, total, left = ast.parse(FILE.read_text("utf-8")), 0, []
    for old, new in islice(mutants(tree), first, None, step):
        total += 1
        if survives(tree, cases):
            left.append(f"line {old.lineno}: {ast.unparse(old)} -> {ast.unparse(new)}")  # type: ignore[attr-defined]
            print(left[-1], flush=True)
    print(f"part {first}: {total - len(left)} of {total} mutants are killed", flush=True)
    return total, left


def main(parts: int = 1) -> int:
    """Run the mutants in several processes, and print those that survive."""
    warnings.simplefilter("ignore")
    digests()
    with TemporaryDirectory() as folder:
        cases = [
            *written_cases(),
            *text_cases(),
            *other_concepts(Path(folder)),
            *honest_cases(),
            *changed_cases(Path(folder), 4),
        ]
    if not survives(ast.parse(FILE.read_text("utf-8")), cases):
        sys.exit("the examples fail without a fault")
    with ProcessPoolExecutor(parts, mp_context=get_context("fork")) as pool:
        found = list(pool.map(part, range(parts), repeat(parts), repeat(cases)))
    total, left = sum(number for number, _ in found), sum(len(lines) for _, lines in found)
    print(f"{total - left} of {total} mutants are killed")
    return left > 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
