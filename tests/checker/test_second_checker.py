"""The second checker, ``checker/tremble_check.py``, beside the kernel on solutions and on mutations of them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import tremble
from checker.changed_files import mutations
from checker.examples import (
    changed_cases,
    failures,
    honest_cases,
    other_concepts,
    page,
    run_games,
    run_page,
    text_cases,
    written_cases,
)
from checker.second import CHECKER, FILE, kernel_accepts

CONCEPTS = ("nash", "quasi-perfect", "sequential", "normal-form-perfect", "proper", "perfect")
CASES = [
    (game, concept)
    for game in ("kuhn", "guess_the_ace", "matching_pennies", "battle_outside", "beer_quiche")
    for concept in CONCEPTS
    if (game, concept) not in {("battle_outside", "proper"), ("beer_quiche", "proper")}  # not solved for this concept
]


def document(solution: Any, path: Path) -> Any:
    """Write a solution file, and return its contents."""
    solution.to_json(path)
    return json.loads(path.read_text())


@pytest.mark.parametrize(("name", "concept"), CASES)
def test_the_checkers_agree(name: str, concept: str, tmp_path: Path) -> None:
    game, path = tremble.load(name), tmp_path / "solution.json"
    tremble.write_efg(game, tmp_path / "game.efg")
    other = document(tremble.solve(game, concept="nash"), path)
    solution = document(tremble.solve(game, concept=concept), path)
    mine = CHECKER.read_game(tmp_path / "game.efg")
    assert mine.digest == game.digest
    code, message = CHECKER.verdict(lambda: CHECKER.check(mine, path.read_bytes()))
    supported = solution["certificate"]["kind"] != "basis"
    assert code == (0 if supported else 3), message
    verdicts = set()
    for changed in mutations(solution, [other], f"{name} {concept}", 40):
        data = changed.encode("utf-8", "surrogatepass")
        path.write_bytes(data)
        code, message = CHECKER.verdict(lambda data=data: CHECKER.check(mine, data))
        if code != 3:
            assert (code == 0) == kernel_accepts(game, path), (message, changed)
        verdicts.add(code)
    assert 1 in verdicts


def test_the_examples_of_the_page() -> None:
    run_page(CHECKER)


def test_games(tmp_path: Path) -> None:
    run_games(CHECKER, tmp_path)


def test_honest_files_and_texts(tmp_path: Path) -> None:
    cases = chain(written_cases(), text_cases(), other_concepts(tmp_path), honest_cases())
    assert list(failures(CHECKER, cases, tmp_path)) == []


@pytest.mark.slow
def test_changed_honest_files(tmp_path: Path) -> None:
    assert list(failures(CHECKER, changed_cases(tmp_path, 50), tmp_path)) == []


def test_the_command(tmp_path: Path) -> None:
    game, good, bad = tmp_path / "kuhn.efg", tmp_path / "good.json", tmp_path / "bad.json"
    tree = tremble.load("kuhn")
    tremble.write_efg(tree, game)
    bad.write_text(
        json.dumps(document(tremble.solve(tree, concept="quasi-perfect"), good) | {"values": ["-1/17", "1/17"]})
    )

    def run(*arguments: object) -> tuple[int, str]:
        done = subprocess.run([sys.executable, FILE, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.stderr == ""
        return done.returncode, done.stdout.split(":")[0]

    assert run(game, good) == (0, "accepted")
    assert run(game, bad) == (1, "refused")
    assert run(game, tmp_path / "missing.json") == (2, "unreadable")
    assert run(game) == (2, "unreadable")


def test_a_system_without_limits_on_memory(tmp_path: Path) -> None:
    files, _ = page()
    for name in ("entry.efg", "entry.json"):
        (tmp_path / name).write_text(files[name])
    code = f"import sys, runpy; sys.modules['resource'] = None; runpy.run_path({str(FILE)!r}, run_name='__main__')"
    words = [sys.executable, "-c", code, "entry.efg", "entry.json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "accepted: nash\n", "")


def test_the_checker_is_one_small_file_without_tremble() -> None:
    lines = FILE.read_text().splitlines()
    assert len(lines) <= 500
    tree = ast.parse("\n".join(lines))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names}
    assert imported <= sys.stdlib_module_names
    assert max(map(len, lines)) <= 120
