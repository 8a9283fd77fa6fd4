"""What is public is described in the reference, and what the documentation teaches is public."""

from __future__ import annotations

import ast
import importlib
import inspect
import pydoc
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from test_docs import NAMES as PAGES
from test_docs import blocks

import tremble

ROOT = Path(__file__).parents[2]
MODULES = [
    "tremble",
    *(f"tremble.{name}" for name in tremble.__all__ if inspect.ismodule(getattr(tremble, name))),
]
OF_THE_HOUSE = {  # say on top that they name inner modules
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/extend.md",
    "docs/explanation/what-is-proven.md",
}
NO_NAMES = {"tremble.__all__"}
TOYS = ("tremble.PART", "tremble.toy")
"""Parts that docs/extend.md uses as examples, which do not exist."""

pytestmark = pytest.mark.skipif(not (ROOT / "docs").exists(), reason="needs the repository")


def resolved(path: str) -> Any:
    """What a path names: ``tremble.poker.Move``."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            thing = getattr(thing, part)
        return thing
    raise AttributeError(path)


def public_paths() -> Iterator[str]:
    for module in MODULES:
        for name in importlib.import_module(module).__all__:
            yield f"{module}.{name}"


PUBLIC = {path: resolved(path) for path in public_paths() if not inspect.ismodule(resolved(path))}


def described() -> dict[str, set[str] | None]:
    """What the reference describes, with the members that it lists; None stands for all of them."""
    found: dict[str, set[str] | None] = {}
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        text = page.read_text("utf-8")
        for path, options in re.findall(r"^\.\. (?:auto|py:)\w+:: (\S+)\n((?:   .*\n)*)", text, flags=re.MULTILINE):
            assert path not in found, f"{path} is described twice"
            listed = re.search(r":members:(.*)", options)
            names = {name.strip() for name in listed[1].split(",")} - {""} if listed else set()
            found[path] = None if listed and not names else names
    return found


DESCRIBED = described()


@cache
def members(path: str) -> set[str]:
    """The members of a class that are described: those listed, those of its docstring, and what it inherits."""
    kind, listed = PUBLIC[path], DESCRIBED[path]
    if listed is None:
        return {name for name in dir(kind) if not name.startswith("_")}
    known = set(listed)
    for each in inspect.getmro(kind):
        if each.__module__ == "builtins":
            known.update(dir(each))
        known.update(inspect.get_annotations(each))
        for names in re.findall(r"^    (\w[\w, ]*?) : ", each.__doc__ or "", flags=re.MULTILINE):
            known.update(names.split(", "))
        known.update(*(members(other) for other in DESCRIBED if PUBLIC[other] is each is not kind))
    return known


CLASSES = {path for path, thing in PUBLIC.items() if inspect.isclass(thing) and path in DESCRIBED}


def test_every_public_name_is_described_once() -> None:
    """Under one of its paths: what stands at the top and in a module is one thing."""
    assert set(DESCRIBED) <= set(PUBLIC)
    things = [PUBLIC[path] for path in DESCRIBED]
    assert [path for path, thing in PUBLIC.items() if not any(thing is other for other in things)] == []
    for path in CLASSES:
        assert (DESCRIBED[path] or set()) <= {*dir(PUBLIC[path]), *inspect.get_annotations(PUBLIC[path])}, path


@pytest.mark.parametrize("path", sorted(path for path in DESCRIBED if hasattr(PUBLIC[path], "__name__")))
def test_every_public_name_has_a_docstring_with_an_example(path: str) -> None:
    thing = PUBLIC[path]
    documentation = inspect.getdoc(thing)
    assert documentation
    assert documentation.splitlines()[0].endswith((".", ":"))
    in_the_kernel = path.startswith("tremble.check.")  # examples of the kernel are on its page
    if not in_the_kernel and not (inspect.isclass(thing) and issubclass(thing, Exception)):
        assert ">>> " in documentation, f"{path} has no example"


def test_stubs_are_read_in_any_locale() -> None:
    """lazy_loader opens them with the encoding of the system."""
    assert [stub for stub in (ROOT / "src").rglob("*.pyi") if not stub.read_bytes().isascii()] == []


def test_help_is_an_introduction() -> None:
    """It begins with lines that run (as doctests), and says where all other names are."""
    page = pydoc.plain(pydoc.render_doc(tremble))
    assert page.index("DESCRIPTION") < page.index(">>> solution = tremble.solve(") < page.index("PACKAGE CONTENTS")
    assert {module for module in MODULES if module not in page} == set()


def taught(text: str) -> Iterator[str]:
    """The paths that a text names, in words, code and imports."""
    yield from re.findall(r"(?<![\w/.-])tremble(?:\.[A-Za-z_]\w*)+", text)
    for module, names in re.findall(r"from (tremble[\w.]*) import ([\w, ]+)", text):
        yield from (f"{module}.{name.strip()}" for name in names.split(","))


def why_not_public(path: str) -> str | None:
    if path in MODULES or path in PUBLIC or path in NO_NAMES:
        return None
    owner, _, member = path.rpartition(".")
    if owner in PUBLIC:
        same = next(other for other in DESCRIBED if PUBLIC[other] is PUBLIC[owner])
        return None if member in members(same) else f"{path} is no described member"
    return f"{path} is in the __all__ of no public module"


@pytest.mark.parametrize("page", sorted(set(PAGES) - {"CHANGELOG.md"}))
def test_what_a_page_teaches_is_public(page: str) -> None:
    paths = set(taught((ROOT / page).read_text("utf-8")))
    if page in OF_THE_HOUSE:
        for path in paths:
            if not path.startswith(TOYS):
                resolved(path)
        return
    assert [reason for path in sorted(paths) if (reason := why_not_public(path))] == []


@pytest.mark.parametrize("path", sorted(DESCRIBED))
def test_what_a_docstring_teaches_is_public(path: str) -> None:
    thing = PUBLIC[path]
    parts = [inspect.getattr_static(thing, name, None) for name in members(path)] if path in CLASSES else []
    texts = [inspect.getdoc(part) or "" for part in (thing, *parts) if not isinstance(part, int | str | tuple | dict)]
    assert [reason for text in texts for name in taught(text) if (reason := why_not_public(name))] == []


def test_what_errors_teach_is_public() -> None:
    """And whatever else is said in words, but not in docstrings."""
    wrong = []
    for file in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
        for node in texts:
            if id(node) not in alone and " " in node.value:
                reasons = filter(None, map(why_not_public, taught(node.value)))
                wrong += [f"{file.name}:{node.lineno}: {reason}" for reason in reasons]
    assert not wrong


def attributes(page: str) -> set[str]:
    """The attributes that the Python code of a page reads, less those that it defines."""
    found: set[str] = set()
    own: set[str] = set()
    for block in blocks((ROOT / page).read_text("utf-8")):
        if block.kind != "python":
            continue
        lines = block.body.splitlines()
        if ">>>" in block.body:
            lines = [line[4:] for line in lines if line.startswith((">>> ", "... ")) or line in (">>>", "...")]
        nodes = list(ast.walk(ast.parse("\n".join(lines))))
        found.update(node.attr for node in nodes if isinstance(node, ast.Attribute))
        own.update(node.name for node in nodes if isinstance(node, ast.FunctionDef))
    return found - own


@pytest.mark.parametrize("page", sorted(set(PAGES) - OF_THE_HOUSE))
def test_members_that_a_page_uses_are_described(page: str) -> None:
    """By their names: of the classes that have such a member, at least one describes it."""
    hidden = set()
    for name in attributes(page):
        having = [path for path in CLASSES if name in dir(PUBLIC[path]) or name in members(path)]
        if having and not any(name in members(path) for path in having):
            hidden.add(f"{name} of {', '.join(sorted(having))}")
    assert not hidden
