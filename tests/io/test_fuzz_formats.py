"""Mutated files: whatever is done to them, they are read or refused as ours, at once, and round trips hold."""

import json
import random
import re
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from command import run
from efg_texts import HEAD, JUDGED_BY_GAMBIT, TOLERATED, one_shot_game, random_game
from tremble.errors import FormatError, TrembleError, TrembleWarning
from tremble.formats.efg import format_efg, read_efg
from tremble.formats.game_json import format_json, read_json
from tremble.formats.nfg import format_nfg, read_nfg
from tremble.formats.profile import read_profile
from tremble.game.tree import GameTree


@cache
def efg_corpus() -> list[str]:
    bodies = [HEAD + body for body in JUDGED_BY_GAMBIT.values()]
    bodies += [HEAD + text for pair in TOLERATED.values() for text in pair]
    return bodies + [format_efg(random_game(seed)) for seed in range(40)]


@cache
def nfg_corpus() -> list[str]:
    return [format_nfg(one_shot_game(seed)) for seed in range(30)]


@cache
def json_corpus() -> list[str]:
    return [format_json(random_game(seed)) for seed in range(30)]


JUNK = [
    *'"\\{}[],/+-.:eEptc0123456789\n\t ',
    "\ufeff",
    "é",
    "\0",
    "NaN",
    "1e9999999",
    "1e4300",
    "-",
    '""',
    "p",
    "9" * 5000,
]
NUMBERS = [
    "0",
    "-1",
    "1/0",
    "1e4300",
    "1e-4300",
    "1e9999999",
    "9" * 4301,
    "1/3",
    "99999999999",
    "-0",
    ".",
    "0.3333333333333333",
]


THREE_SETS = """"" { "A" "B" } ""
p "" 1 7 "" { "l" "r" } 0
p "" 2 5 "" { "x" "y" "z" } 0
p "" 1 3 "" { "u" "d" } 0 t "" 1 "" { 1 -1 } t "" 0
t "" 0 t "" 0
p "" 1 9 "" { "u" "d" } 0 t "" 0 t "" 1
"""


def mutate(text: str, rng: random.Random) -> str:
    """One to three random injuries."""
    for _ in range(rng.randint(1, 3)):
        a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        near = min(b, a + rng.randint(1, 12))
        kind = rng.randrange(9)
        if kind == 0:
            text = text[:a] + rng.choice(JUNK) + text[a:]
        elif kind == 1:
            text = text[:a] + text[near:]
        elif kind == 2:
            text = text[:a] + chr(rng.randrange(1, 256)) + text[a + 1 :]
        elif kind == 3:
            text = text[:a] + text[a:b] * 2 + text[b:]
        elif kind == 4:
            text = text[:a]
        elif kind == 5:
            text = text[:a] + text[b:]
        elif kind == 6:
            words = text.split(" ")
            i, j = rng.randrange(len(words)), rng.randrange(len(words))
            words[i], words[j] = words[j], words[i]
            text = " ".join(words)
        elif kind == 7:
            words = text.split(" ")
            words[rng.randrange(len(words))] = rng.choice(NUMBERS)
            text = " ".join(words)
        else:
            text = text[:a] + text[a:near] * rng.choice([3, 50]) + text[near:]
        text = text or " "
    return text


def attack(corpus: list[str], read: Callable[[str], GameTree], begins: str, cases: int, seed: int) -> tuple[int, int]:
    """Numbers of mutants that were read and refused; anything but an error of ours fails."""
    rng = random.Random(seed)
    taken = refused = 0
    for case in range(cases):
        text = begins + mutate(rng.choice(corpus), rng).removeprefix(begins)
        caught: Exception | None = None
        try:
            read(text)
        except Exception as error:
            caught = error
        assert caught is None or isinstance(caught, TrembleError), f"case {case}: {caught!r} for {text!r}"
        if isinstance(caught, FormatError):
            assert caught.file == "mutant", (case, text)
            assert str(caught).isprintable(), (case, str(caught))
            assert begins == "{" or caught.line, (case, text)
        taken, refused = taken + (caught is None), refused + (caught is not None)
    return taken, refused


@pytest.mark.filterwarnings("ignore::tremble.errors.TrembleWarning")
@pytest.mark.parametrize("seed", range(4))
def test_mutated_efg(seed: int) -> None:
    taken, refused = attack(
        efg_corpus(), lambda text: read_efg(text, repair=seed % 2 == 0, name="mutant"), "EFG 2 R ", 900, seed
    )
    assert taken > 20
    assert refused > 300


@pytest.mark.filterwarnings("ignore::tremble.errors.TrembleWarning")
def test_mutated_nfg() -> None:
    taken, refused = attack(nfg_corpus(), lambda text: read_nfg(text, name="mutant"), "NFG 1 R ", 600, 5)
    assert taken > 20
    assert refused > 200


def test_mutated_json() -> None:
    taken, refused = attack(json_corpus(), lambda text: read_json(text, name="mutant"), "{", 600, 6)
    assert taken > 5
    assert refused > 200


@pytest.mark.filterwarnings("ignore::tremble.errors.TrembleWarning")
@pytest.mark.parametrize("begins", ["NE,", "{"])
def test_mutated_profiles(begins: str) -> None:
    tree = read_efg("EFG 2 R " + THREE_SETS)
    rows = [[["1", "0"], ["1/2", "1/2"], ["0", "0"]], [["1/3", "1/3", "1/3"]]]
    strategies = [
        [
            {"infoset": k + 1, "actions": [list(pair) for pair in zip(tree.actions[player][k], row, strict=True)]}
            for k, row in enumerate(table)
        ]
        for player, table in enumerate(rows)
    ]
    alone = json.dumps({"schema": "tremble/solution@1", "strategies": strategies})
    lines = ["NE,1,0,1/2,1/2,0,0,1/3,1/3,1/3", "NE, 1.0, 0.0, .5, 5e-1, 0, 0, 0.333, 0.333, 0.333"]

    def read(text: str) -> GameTree:
        one, two = read_profile(text, repair=True, name="mutant").profile(tree)
        assert all(sum(row) == 1 for strategy in (one, two) for row in strategy)
        return tree

    taken, refused = attack(lines if begins == "NE," else [alone], read, begins, 1500, 8)
    assert taken > 5
    assert refused > 500


@pytest.mark.parametrize("seed", range(2))
def test_mutated_bytes_of_files(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("mutants") / "mutant.efg"
    rng = random.Random(seed)
    corpus = [text.encode() for text in efg_corpus()]
    for _ in range(150):
        data = bytearray(rng.choice(corpus))
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        message = "mutant.efg"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TrembleWarning)
                read_efg(path)
        except TrembleError as error:
            message = str(error)
        assert "mutant.efg" in message, bytes(data)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_read_is_written_and_read_again(seed: int) -> None:
    """Mutants that are still games survive all formats that can hold them."""
    rng = random.Random(1000 + seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrembleWarning)
        for _ in range(10):
            try:
                tree = read_efg("EFG 2 R " + mutate(rng.choice(efg_corpus()[:40]), rng).removeprefix("EFG 2 R "))
            except TrembleError:
                continue
            assert read_json(format_json(tree)).digest == tree.digest
            assert read_efg(format_efg(tree)).digest == tree.digest


@pytest.mark.parametrize("command", ["info", "solve"])
def test_mutants_through_the_command_line(command: str, tmp_path: Path) -> None:
    """Exit code 3 comes with file:line:column, nothing ends with a traceback, nothing refused prints a result."""
    rng = random.Random(command)
    path = tmp_path / "mutant.efg"
    corpus = efg_corpus()
    codes: dict[int, int] = {}
    for _ in range(150):
        path.write_text("EFG 2 R " + mutate(rng.choice(corpus), rng).removeprefix("EFG 2 R "), encoding="utf-8")
        result = run(command, path, "--format", "json")
        codes[result.exit_code] = codes.get(result.exit_code, 0) + 1
        assert result.exception is None or isinstance(result.exception, SystemExit), path.read_text(encoding="utf-8")
        assert "Traceback" not in result.stderr
        if result.exit_code == 0:
            assert json.loads(result.stdout)
        else:
            assert not result.stdout
        if result.exit_code == 3:
            assert re.search(r"mutant\.efg:\d+:\d+: ", result.stderr), result.stderr
    assert set(codes) <= {0, 3, 4}, codes
    assert codes[3] > 50
    assert codes[0] > 1
