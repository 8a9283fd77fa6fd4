"""Capabilities: every row names something that exists, and the package works without the folder of one."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tremble
from tremble.capabilities import at, extension, listed_for, registered
from tremble.text import forms

SOURCE = Path(tremble.__file__).parent
REMOVABLE = ("show", "batch")
"""Capabilities that the core does not import any more."""

USE = """
import tremble
kuhn = tremble.load("kuhn")
solution = tremble.solve(kuhn, concept="sequential")
assert tremble.verify(kuhn, solution).ok
values = kuhn, solution, tremble.audit(kuhn, solution), tremble.compare(kuhn, solution, solution), tremble.shrink(kuhn)
hands = tremble.load_rules("jk_four_cards")
for value in (*values, hands, tremble.solve(hands), tremble.shrink(hands)):
    assert str(value) and value._repr_html_().startswith("<div")
"""


def places() -> list[tuple[str, str]]:
    found = []
    for each in registered():
        listed = (each.games, each.views, each.pictures, each.extensions)
        found += [(name, place) for rows in listed for name, place in rows.items()]
        found += [(name, place) for name, (place, _) in each.commands.items()]
    return found


@pytest.mark.parametrize(("name", "place"), places())
def test_every_place_exists(name: str, place: str) -> None:
    assert at(place) is not None, name


def test_no_two_capabilities_list_the_same_type_or_extension() -> None:
    for field in ("games", "commands", "views", "pictures", "extensions"):
        names = [name for each in registered() for name in getattr(each, field)]
        assert len(names) == len(set(names)), field


def test_each_type_with_a_view_or_a_picture_exists() -> None:
    classes = {
        node.name
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    named = {*forms._VIEWS, *(name for each in registered() for name in (*each.views, *each.pictures))}
    assert named <= classes


def test_a_class_of_a_user_has_no_row() -> None:
    class Hand:
        """A type of another package with a name of ours."""

    assert listed_for(Hand(), "views") is None


def test_a_missing_extension_is_an_error_of_ours() -> None:
    with pytest.raises(tremble.TrembleError, match="no part of tremble that is installed provides the teapot"):
        extension("teapot")


@pytest.mark.parametrize("name", REMOVABLE)
def test_the_rest_works_without_it(name: str, tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "tremble", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(tmp_path / "tremble" / name)

    def runs(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    done = runs("-c", USE)
    assert done.returncode == 0, done.stderr
    done = runs("-m", "tremble", "solve", "kuhn", "-o", "kuhn.json")
    assert done.returncode == 0, done.stderr
    done = runs("-m", "tremble", "compare", "kuhn", "kuhn.json", "kuhn.json", "-o", "kuhn.svg")
    assert done.returncode == (2 if name == "show" else 0), done.stderr
