"""A message tells a reader of Python about arguments and functions, and one of the command line about its options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tremble
from command import run
from ordered_solutions import solution_of
from tremble.words import command_line, for_reader, on_command_line

SOURCES = Path(tremble.__file__).parent
OPTION = re.compile(r"(?<![-\w])(--[a-z]|-o\b)")
COMMAND = re.compile(r"\btremble (solve|verify|respond|certify|audit|compare|shrink|draw|play|explain|forget|batch)\b")
WORDED = ("for_reader", "add_column")
OF_COMMANDS = {
    "game/places.py": ("find_set_in_words",),  # what commands ask
    "text/games.py": ("games_view",),  # what tremble games prints
}
"""Functions that only commands call."""


def texts(tree: ast.AST, skipped: tuple[str, ...]) -> Iterator[ast.Constant]:
    """The texts of a module, without docstrings, options that are declared, and what is worded for both readers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        if isinstance(node, ast.Call) and ast.unparse(node.func) in WORDED:
            continue
        if isinstance(node, ast.keyword) and node.arg in ("metadata", "full"):
            continue
        if isinstance(node, ast.FunctionDef) and node.name in skipped:
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign):
            names = [ast.unparse(n) for n in (node.targets if isinstance(node, ast.Assign) else [node.target])]
            if names[0] in ("full", "summary"):  # handed on as ``full``; shown by tremble solve --help
                continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node
        yield from texts(node, skipped)


@pytest.mark.parametrize("file", sorted(SOURCES.rglob("*.py")), ids=lambda file: str(file.relative_to(SOURCES)))
def test_no_text_outside_the_commands_names_an_option(file: Path) -> None:
    place = file.relative_to(SOURCES).as_posix()
    if place.startswith("cli/") or file.name.startswith("command_") or place == "check/__main__.py":
        return
    found = texts(ast.parse(file.read_text("utf-8")), OF_COMMANDS.get(place, ()))
    wrong = [(text.lineno, text.value) for text in found if OPTION.search(text.value) or COMMAND.search(text.value)]
    assert not wrong, f"{place}: word it for both readers, by tremble.words.for_reader"


def test_the_words_of_commands_hold_inside_them_alone() -> None:
    assert for_reader("gap=", "--gap") == "gap="
    with command_line():
        assert for_reader("gap=", "--gap") == "--gap"
        assert on_command_line()
    assert not on_command_line()
    assert run("info", "no_such_game").exit_code == 2  # which leaves by an exception
    assert not on_command_line()


def said(call: Any) -> str:
    with pytest.raises(tremble.TrembleError) as caught:
        call()
    return str(caught.value)


def test_the_same_advice_in_python_and_on_the_command_line(tmp_path: Path) -> None:
    """One message of each kind: an error of the rules, of a profile, of a file; a table, a picture."""
    leduc, file = tremble.load("leduc"), tmp_path / "leduc.json"
    solution = tremble.solve(leduc)
    solution.to_json(file)
    assert "… 126 more information sets; to_rows() gives all" in str(solution)
    shown = run("solve", "leduc", "--quiet").stdout
    assert "… 126 more information sets; --format csv or -o FILE gives all" in shown
    assert "`tremble.verify` proves it again" in str(solution)
    assert "`tremble verify` proves it again" in shown
    rules = tremble.load_rules("leduc")
    assert "tremble.build(rules)" in said(lambda: tremble.solve(rules, method="lp"))
    assert "raise --max-nodes" in run("solve", "leduc", "--method", "lp", "--max-nodes", "9").output
    rhode = tremble.load_rules("rhode_island:ranks=2,suits=2,raises=1")
    assert "tremble.build(rules)" in said(lambda: tremble.explain(rhode, solution_of()))
    assert "raise max_nodes= to build it" in said(lambda: tremble.load("leduc", max_nodes=9))
    assert (
        "raise --max-nodes to build it"
        in run("draw", "leduc", "--max-nodes", "9", "-o", str(tmp_path / "a.svg")).output
    )
    bounded = tremble.solve(leduc, method="cfr+", gap=1)
    assert "For a smaller gap, set gap=." in str(bounded)
    assert "For a smaller gap, set --gap." in run("solve", "leduc", "--method", "cfr+", "--gap", "1", "--quiet").stdout


def test_worker_processes_use_the_words_of_their_command(tmp_path: Path) -> None:
    small = ["batch", "leduc", "--max-nodes", "9", "--jobs", "1", "--method", "lp", "-o", str(tmp_path / "out")]
    assert "--max-nodes" in run(*small).output


def test_no_value_shows_an_option() -> None:
    game, played = tremble.load_rules("rhode_island:ranks=2,suits=2,raises=1"), solution_of()
    leduc = tremble.load("leduc")
    uniform = [tremble.BehaviorStrategy.uniform(leduc, player) for player in (0, 1)]
    solution = tremble.solve(leduc, "sequential")
    values = [
        solution, tremble.audit(leduc, uniform), tremble.compare(leduc, solution, uniform), tremble.shrink(leduc),
        tremble.certify(leduc, solution), played, tremble.draw(game, played), tremble.shrink(game),
        tremble.verify(leduc, solution), solution.explain(),
    ]  # fmt: skip
    for value in values:
        page = re.sub(r"<style>.*?</style>", "", value._repr_html_(), flags=re.DOTALL)
        for text in (str(value), repr(value), page):
            assert not OPTION.search(text), type(value)
            assert not COMMAND.search(text), type(value)
