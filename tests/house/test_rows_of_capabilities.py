"""Every row of a capability names something that exists."""

from __future__ import annotations

import ast
from pathlib import Path
from pkgutil import resolve_name

import pytest

import tremble
from tremble.capabilities import extension, listed_for, registered
from tremble.text import forms

SOURCE = Path(tremble.__file__).parent


def places() -> list[tuple[str, str]]:
    found = []
    for each in registered():
        listed = (each.games, each.views, each.pictures, each.extensions)
        found += [(name, place) for rows in listed for name, place in rows.items()]
        found += [(name, place) for name, (place, _) in each.commands.items()]
    return found


@pytest.mark.parametrize(("name", "place"), places())
def test_every_place_exists(name: str, place: str) -> None:
    assert resolve_name(place) is not None, name


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
    with pytest.raises(tremble.TrembleError, match=r"teapot needs tremble\.show, which is not installed"):
        extension("teapot", "show")
