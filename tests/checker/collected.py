"""Compare the second checker with the kernel on every solution of the test suite.

As a plugin of pytest, the module writes each solution that a test makes or verifies, and its game, into a folder:

    PYTHONPATH=src:.:tests python -m pytest -p checker.collected --collect-solutions FOLDER tests

As a program, it lets both checkers judge the files of the folder, and prints a table and all differences:

    PYTHONPATH=src:.:tests python -m checker.collected FOLDER
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import tremble
from checker.second import CHECKER, kernel_accepts

NOT_A_TREE = "not-a-tree"
SECONDS = 60  # for one check by the second checker


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--collect-solutions", metavar="FOLDER", type=Path, help="write all solutions into a folder")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--collect-solutions")
    if folder is None:
        return
    import tremble.judge.verify as home  # before any test imports it

    write = _writer(folder.resolve())
    made, verify = tremble.Solution.__init__, home.verify

    def recorded_init(self: Any, *args: Any, **fields: Any) -> None:
        made(self, *args, **fields)
        write(self.played, self)

    def recorded_verify(game: Any, solution: Any, *args: Any, **options: Any) -> Any:
        write(game, solution)
        return verify(game, solution, *args, **options)

    tremble.Solution.__init__ = recorded_init  # type: ignore[method-assign]
    home.verify = tremble.verify = recorded_verify


def _writer(folder: Path) -> Callable[[Any, Any], None]:
    digests: dict[int, tuple[Any, str]] = {}  # the games stay alive, so that their numbers stay theirs

    def game_file(game: Any) -> str:
        if id(game) not in digests:
            name = NOT_A_TREE
            if isinstance(game, tremble.GameTree):
                name = game.digest.removeprefix("sha256:")
                if not (folder / f"{name}.efg").exists():
                    tremble.write_efg(game, folder / f"{name}.efg")
            (folder / name).mkdir(parents=True, exist_ok=True)
            digests[id(game)] = game, name
        return digests[id(game)][1]

    def write(game: Any, solution: Any) -> None:
        try:
            name, text = game_file(game), solution.to_text()
        except Exception:  # a test that makes a false solution on purpose must not notice that it is recorded
            return
        (folder / name / f"{sha256(text.encode()).hexdigest()[:24]}.json").write_text(text, "utf-8")

    folder.mkdir(parents=True, exist_ok=True)
    return write


def answers(folder: Path) -> Iterator[tuple[str, str, Path, str]]:
    """Yield the concept, the kind of proof, the file and how the answers compare, for each file."""
    for game_file in sorted(folder.glob("*.efg"), key=lambda path: path.stat().st_size):
        game, mine = tremble.load(str(game_file)), CHECKER.read_game(game_file)
        for path in sorted((folder / game_file.stem).iterdir()):
            data = path.read_bytes()
            signal.alarm(SECONDS)
            code, message = CHECKER.verdict(lambda data=data, mine=mine: CHECKER.check(mine, data))
            signal.alarm(0)
            accepts = kernel_accepts(game, path)
            words = {(0, True): "both accept", (1, False): "both refuse"}.get((code, accepts))
            if code == 3:
                words = f"not supported: {message}"
            words = words or f"DIFFERENT: kernel {accepts}, second checker {message}"
            stated = CHECKER.read_json(data)
            yield stated.get("concept", "list"), str(stated.get("certificate", {}).get("kind")), path, words
    for path in (folder / NOT_A_TREE).glob("*.json"):
        yield "", "", path, "the game is not a tree"


def too_long(*_: Any) -> None:
    """End a check by the second checker."""
    raise CHECKER.AnswerError(3, "the check takes too long")


def main(folder: Path) -> int:
    """Print the table of the answers, and return 1 if the two checkers differ."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, too_long)
    table: Counter[tuple[str, str, str]] = Counter()
    for concept, kind, path, words in answers(folder):
        table[concept, kind, words] += 1
        if sum(table.values()) % 500 == 0:
            print(sum(table.values()), "files", file=sys.stderr)
        if words.startswith("DIFFERENT"):
            print(path, words)
    for row, number in sorted(table.items()):
        print(number, *row)
    for word in sorted({row[2].split(":")[0] for row in table}):
        print(word, sum(number for row, number in table.items() if row[2].startswith(word)))
    return any(row[2].startswith("DIFFERENT") for row in table)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
