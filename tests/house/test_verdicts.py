"""Only the checker makes a verdict: no other module builds one, changes one, or calls something certified."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import tremble
from tremble.check import JudgedProfile, Verification
from tremble.solution.solution import Solution

SOURCE = Path(tremble.__file__).parent

CHECKER = SOURCE / "check"
"""All modules in it may make verdicts."""

OLD = (SOURCE / "verifier", SOURCE / "solution" / "verification.py")
"""The checker before this one, which nothing asks any more."""

VERDICTS = {Verification.__name__, JudgedProfile.__name__}

OF_VERDICTS_ALONE = {field.name for kind in (Verification, JudgedProfile) for field in fields(kind)} - {
    field.name for field in fields(Solution)
}
"""Fields that no other dataclass with a ``replace`` in the package has."""

VERDICT_LIKE = ("verification", "verdict", "judged", "seen")
"""Words in the names of variables that hold verdicts."""


def verdicts_made(source: str) -> list[str]:
    """Return each place in a module that makes a verdict, or may."""
    module = ast.parse(source)
    names = set(VERDICTS)
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.name in VERDICTS and alias.asname}
    only_named = _only_named(module)
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(module)
        if isinstance(node, ast.expr) and id(node) not in only_named and _makes(node, names)
    ]


def _only_named(module: ast.Module) -> set[int]:
    """Return the expressions that only name a class: annotations, type arguments, and the test of ``isinstance``."""
    named: list[ast.expr | None] = []
    for node in ast.walk(module):
        if isinstance(node, ast.arg | ast.AnnAssign):
            named.append(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            named.append(node.returns)
        elif isinstance(node, ast.Subscript):
            named.append(node.slice)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "cast"):
            named += node.args[1:] if ast.unparse(node.func) == "isinstance" else node.args[:1]
    return {id(part) for expression in named if expression is not None for part in ast.walk(expression)}


def _makes(node: ast.expr, names: set[str]) -> bool:
    """Tell whether an expression makes a verdict, or hands the class to something that may."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return node.id in names
    if isinstance(node, ast.Attribute):
        return node.attr in names
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    if any(ast.unparse(part) == "Status.CERTIFIED" for given in arguments for part in _chosen(given)):
        return True
    if called.startswith("type(") or called.endswith(".__class__"):
        return True  # makes another value of a class that nobody names
    if called.split(".")[-1] in ("replace", "__replace__"):
        changed = {keyword.arg for keyword in node.keywords}  # none: it replaces parts of a text
        like = any(word in " ".join(map(ast.unparse, [node.func, *node.args])) for word in VERDICT_LIKE)
        return bool(changed & OF_VERDICTS_ALONE) or bool(changed and like)
    return called == "object.__setattr__" and not ast.unparse(node.args[0]).startswith("self")


def _chosen(given: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions whose value an argument may be."""
    if isinstance(given, ast.IfExp):
        yield from _chosen(given.body)
        yield from _chosen(given.orelse)
    else:
        yield given


def test_no_module_but_the_checker_makes_a_verdict() -> None:
    outside = [path for path in SOURCE.rglob("*.py") if not {CHECKER, *OLD} & {path, *path.parents}]
    assert len(outside) > 250
    made = {str(path.relative_to(SOURCE)): verdicts_made(path.read_text("utf-8")) for path in outside}
    assert {path: places for path, places in made.items() if places} == {}


def test_the_checker_makes_some() -> None:
    """Else the test above would look for something that nothing in the package does."""
    assert verdicts_made((CHECKER / "verdict.py").read_text("utf-8"))
    assert verdicts_made((CHECKER / "judged.py").read_text("utf-8"))


@pytest.mark.parametrize(
    "planted",
    [
        "Verification(True, 'nash', status, 'nash', 0, ())",
        "from tremble.check import Verification as V\nV(True, 'nash', status, 'nash', 0, ())",
        "tremble.Verification(ok=True, concept='nash')",
        "make = partial(Verification, True)",
        "kinds = {'verdict': Verification}",
        "JudgedProfile(pair, verification, None)",
        "dataclasses.replace(x, proven='nash')",
        "replace(solution.verification, status=status)",
        "copy.replace(seen, values=values)",
        "type(x)(True, 'nash')",
        "x.__class__(True, 'nash')",
        "seen.__replace__(values=values)",
        "object.__setattr__(x, 'proven', 'nash')",
        "object.__new__(Verification)",
        "make(status=Status.CERTIFIED)",
        "make(Status.CERTIFIED if equal else Status.BOUNDED)",
    ],
)
def test_what_makes_a_verdict_is_found(planted: str) -> None:
    assert verdicts_made(planted)


@pytest.mark.parametrize(
    "harmless",
    [
        "def show(verification: Verification) -> JudgedProfile: ...",
        "Examined = tuple[Claim, JudgedProfile]",
        "isinstance(x, Verification)",
        "cast('Verification', x)",
        "solution.status == Status.CERTIFIED",
        "replace(solution, values=values, verification=verification)",
        "text.replace('a', 'b')",
        "object.__setattr__(self, 'board', board)",
    ],
)
def test_what_makes_none_passes(harmless: str) -> None:
    assert not verdicts_made(harmless)
