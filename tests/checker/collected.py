"""Compare the second checker with the kernel on every solution of the test suite.

As a plugin of pytest, the module writes each solution that a test makes or verifies, and its game, into a folder:

    PYTHONPATH=src:.:tests python -m pytest -p checker.collected --collect-solutions FOLDER tests

As a program, it lets both checkers judge the files of the folder, and prints all differences and a table. It skips the
files of games whose `.efg` file has more than a number of bytes:

    PYTHONPATH=src:.:tests python -m checker.collected FOLDER [BYTES]
"""

from __future__ import annotations

import json
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
SECONDS = 60  # of processor time, for one check by the second checker
CERTIFICATES = (
    "best-response", "polynomials", "consistent-trembles", "backward-induction", "ranked-plans", "basis", "guarantee",
    "branching",
)  # fmt: skip
REFUTATIONS = ("best-response", "subgame", "reply", "dominated", "mistakes")
NOT_SUPPORTED, SKIPPED, DIFFERENT, TOO_LONG = "not supported", "skipped", "different", "the check takes too long"


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


def proof(stated: dict[str, Any]) -> str:
    """Return the kind of proof of a file: that of its refutation, or else that of its certificate."""
    if "equilibria" in stated:
        return "list of equilibria"
    for name, kinds in (("refutation", REFUTATIONS), ("certificate", CERTIFICATES)):
        kind = (stated.get(name) or {}).get("kind")
        if kind is not None:
            return f"{name} `{kind}`" if kind in kinds else f"{name} of an unknown kind"
    return "no proof"


def answers(folder: Path, largest: int) -> Iterator[tuple[str, str, Path, str]]:
    """Yield the kind of proof, the column of the table, the file and the second checker's message, for each file."""
    for game_file in sorted(folder.glob("*.efg"), key=lambda path: path.stat().st_size):
        files = sorted((folder / game_file.stem).iterdir())
        if game_file.stat().st_size > largest:
            yield from (("the game is too large", SKIPPED, path, "") for path in files)
            continue
        game = tremble.load(str(game_file))
        unread, mine = CHECKER.verdict(lambda game_file=game_file: CHECKER.read_game(game_file))
        for path in files:
            data = path.read_bytes()
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            code, message = CHECKER.verdict(lambda data=data, mine=mine: CHECKER.check(mine, data))
            signal.setitimer(signal.ITIMER_PROF, 0)
            if unread:
                code, message = unread, mine
            agreed = {(0, True): "both accept", (1, False): "both refuse"}
            column = NOT_SUPPORTED if code == 3 else agreed.get((code, kernel_accepts(game, path)), DIFFERENT)
            yield proof(json.loads(data)), column, path, message
    for path in (folder / NOT_A_TREE).glob("*.json"):
        yield "the game is not a tree", NOT_SUPPORTED, path, ""


def too_long(*_: Any) -> None:
    """End a check by the second checker."""
    raise CHECKER.AnswerError(3, TOO_LONG)


def main(folder: Path, largest: int = 10**9) -> int:
    """Print each difference at once and the table of the answers at the end. Return 1 if the two checkers differ."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, too_long)
    table: Counter[tuple[str, str]] = Counter()
    for kind, column, path, message in answers(folder, largest):
        table[kind, column] += 1
        if table.total() % 500 == 0:
            print(table.total(), "files", file=sys.stderr, flush=True)
        if column == DIFFERENT or message == TOO_LONG:
            print(path, column, message, flush=True)
    columns = ("both accept", "both refuse", NOT_SUPPORTED, SKIPPED, DIFFERENT)
    print("| proof |", " | ".join(columns), "|")
    print("|---" * (1 + len(columns)) + "|")
    for kind in sorted({kind for kind, _ in table}):
        print("|", kind, "|", " | ".join(f"{table[kind, column]:,}" for column in columns), "|")
    sums = (sum(number for (_, each), number in table.items() if each == column) for column in columns)
    print("| all files |", " | ".join(f"{number:,}" for number in sums), "|")
    return any(column == DIFFERENT for _, column in table)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *map(int, sys.argv[2:])))
