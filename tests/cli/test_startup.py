"""What a command loads: it starts as fast as what it imports, so each imports only what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command import run

BACKENDS = ("flint", "highspy", "llvmlite", "matplotlib", "numba", "pandas", "pyspiel", "scipy")
PROCESSES = ("concurrent", "multiprocessing", "socket", "subprocess")
SOLVERS = ("tremble.exact", "tremble.poker.abstraction", "tremble.solvers")
NOTHING_YET = (*BACKENDS, *PROCESSES, *SOLVERS, "numpy", "rich", "tremble.games", "tremble.io", "tremble.check")

COMMAND = """
import os, sys
before, leave = set(sys.modules), os._exit
def report(code):
    print(*set(sys.modules) - before, file=sys.stderr, flush=True)
    leave(code)
os._exit = report
sys.argv[0] = "tremble"
from tremble.__main__ import run
run()
"""


def loaded_by(*arguments: object, **environment: str) -> set[str]:
    """Names of the modules that a command imports from its start to its end."""
    words = [sys.executable, "-c", COMMAND, *map(str, arguments)]
    done = subprocess.run(words, env=os.environ | environment, capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def among(loaded: set[str], packages: tuple[str, ...]) -> list[str]:
    """The modules that belong to one of these packages."""
    return sorted(name for name in loaded if any(name == p or name.startswith(f"{p}.") for p in packages))


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_no_library_but_click(option: str) -> None:
    assert not among(loaded_by(option), NOTHING_YET)


def test_completing_the_name_of_a_command_loads_no_command() -> None:
    loaded = loaded_by(_TREMBLE_COMPLETE="bash_complete", COMP_WORDS="tremble so", COMP_CWORD="1")
    assert "tremble.cli.completion" in loaded
    assert not among(loaded, (*BACKENDS, *PROCESSES, *SOLVERS, "numpy", "rich", "tremble.game.tree"))


def test_completing_a_game_loads_no_backend() -> None:
    loaded = loaded_by(_TREMBLE_COMPLETE="bash_complete", COMP_WORDS="tremble solve ku", COMP_CWORD="2")
    assert "tremble.cli.solve" in loaded
    assert not among(loaded, BACKENDS)


def test_games_loads_no_solver_and_no_kernel() -> None:
    assert not among(loaded_by("games"), (*BACKENDS, *PROCESSES, *SOLVERS, "tremble.check", "tremble.game.kinds"))


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_info_loads_no_backend_and_no_kernel(game: str) -> None:
    loaded = loaded_by("info", game)
    assert "tremble.text.info" in loaded
    assert not among(
        loaded, (*BACKENDS, *PROCESSES, "tremble.check", "tremble.solvers.door", "tremble.formats.profile")
    )


@pytest.mark.parametrize(("game", "concept"), [("kuhn", "nash"), ("leduc", "nash"), ("leduc", "quasi-perfect")])
def test_verify_loads_no_solver_and_no_backend(game: str, concept: str, tmp_path: Path) -> None:
    path = tmp_path / "solution.json"
    assert run("solve", game, "--concept", concept, "-o", path).exit_code == 0
    loaded = loaded_by("verify", game, path)
    assert "tremble.check" in loaded
    unused = (
        "tremble.game.kinds",
        "tremble.formats.given_profile",
        "tremble.judge.formal_text",
        "tremble.judge.formal",
        "tremble.cli.claim_text",
    )
    assert not among(loaded, (*BACKENDS, *PROCESSES, *SOLVERS, *unused))
    assert not among(loaded, ("tremble.game.evaluation", "tremble.game.sequence_form", "tremble.solution.solution"))


def test_solve_of_a_small_game_loads_the_one_method_that_it_uses() -> None:
    loaded = loaded_by("solve", "kuhn")
    assert "highspy" in loaded
    assert not among(
        loaded, ("llvmlite", "matplotlib", "numba", "pandas", "pyspiel", "scipy", "tremble.poker.abstraction")
    )
    assert not among(loaded, ("tremble.judge", "tremble.formats.profile", "concurrent.futures.process"))
    methods = ("lp", "shared")  # each method's own file declares its options; what it computes lies beside that file
    others = [name for name in among(loaded, ("tremble.solvers",)) if name.count(".") == 3]
    assert not [
        name
        for name in others
        if name.split(".")[2] not in methods and not name.endswith(("method", ".settings", ".scale"))
    ]
