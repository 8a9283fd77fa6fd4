"""The kernel, the second checker and the verified checker judge changed solutions, and their differences are explained.

Each difference between the kernel and the verified checker has a reason outside the text: the text of a changed
solution, restated as a solution file (``exact_reading``), gets the same verdict from both.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from changes import changed, changed_text
from exact_reading import verdict
from verified_checker import Checker, document_of, missing, text_of

import tremble
from checker.changed_files import mutations
from checker.test_second_checker import CHECKER, kernel
from tremble import GameTree
from tremble.strategies import Trembles

pytestmark = [pytest.mark.formal, pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing())]

BATCH = 500
NEVER = """EFG 2 R "never" { "A" "B" }
c "" 1 "" { "usual" 1 "never" 0 } 0
p "" 1 1 "" { "l" "r" } 0
p "" 2 1 "" { "L" "R" } 0
t "" 1 "" { 1, 0 }
t "" 2 "" { 0, 2 }
p "" 2 1 0
t "" 2
t "" 3 "" { 1, 1 }
p "" 1 2 "" { "u" "d" } 0
p "" 2 2 "" { "U" "D" } 0
t "" 1
t "" 3
p "" 2 2 0
t "" 2
t "" 1
"""
CLAIMS = ("nash", "subgame-perfect", "quasi-perfect", "one-sided-quasi-perfect", "sequential", "normal-form-perfect")
GAMES = {  # game: number of counted changes for each claim
    "kuhn": 300,
    "leduc:ranks=2,raises=1": 100,
    "goofspiel:cards=2": 200,
    "guess_the_ace": 200,
    "never": 300,
    "beer_quiche": 200,
    "auction:copies=1,sum=general,top=2,values=3": 150,
    "battle_outside": 200,
    "selten_horse_two": 200,
    "centipede": 200,
    "mertens": 200,
}


def load(name: str) -> GameTree:
    return tremble.read_efg(NEVER) if name == "never" else tremble.load(name)


def solution_of(game: GameTree, claim: str) -> dict[str, Any]:
    """Return a solution file with this claim."""
    if claim == "one-sided-quasi-perfect":
        ones = [[1] * len(actions) for actions in game.actions[1]]
        return json.loads(tremble.solve(game, claim, trembles=Trembles.from_rows(game, ["none", ones])).to_text())
    document = document_of(game, "nash" if claim == "nash" else claim)
    if claim == "subgame-perfect":  # a sequential equilibrium answers this request
        values = document["values"]
        del document["beliefs"]
        document["concept"] = claim
        document["certificate"] = {"kind": "best-response", "nash_conv": "0", "best_response_values": values}
    return document


def changes(document: dict[str, Any], others: list[dict[str, Any]], seed: str) -> Iterator[str]:
    """Yield the contents of changed files."""
    rng = random.Random(seed)
    many = mutations(document, others, seed, 10**9)
    while True:
        yield next(many)
        try:
            yield json.dumps(changed(rng, document)[1])
        except (IndexError, ValueError):  # there is no such number
            continue


def written(game: GameTree, data: str) -> str | None:
    """Return the text of a solution file; None if the file has no text."""
    try:
        return text_of(game, json.loads(data))
    except (ArithmeticError, AttributeError, KeyError, IndexError, TypeError, ValueError):
        return None


@pytest.mark.parametrize("name", GAMES)
def test_three_verdicts_on_changed_solutions(checker: Checker, name: str, tmp_path: Path) -> None:
    game, path, efg = load(name), tmp_path / "solution.json", tmp_path / "game.efg"
    tremble.write_efg(game, efg)
    second_game = CHECKER.read_game(efg)
    documents = {claim: solution_of(game, claim) for claim in CLAIMS}
    table: Counter[tuple[str, ...]] = Counter()
    for claim, document in documents.items():
        others = [other for other in documents.values() if other is not document]
        original = text_of(game, document)
        cases: list[tuple[str, str]] = []
        for data in changes(document, others, f"{name} {claim}"):
            text = written(game, data)
            if text is None or text == original:
                table["not counted", "no text" if text is None else "text unchanged"] += 1
            else:
                cases.append((data, text))
            if len(cases) == GAMES[name]:
                break
        for (data, text), verified in zip(cases, checker.verdicts([text for _, text in cases]), strict=True):
            path.write_bytes(data.encode("utf-8", "surrogatepass"))
            by_kernel = kernel(game, path)
            code, message = CHECKER.verdict(lambda data=path.read_bytes(): CHECKER.check(second_game, data))
            case = (name, claim, message, by_kernel, verified, data)
            assert code == 3 or (code == 0) == by_kernel, case
            second = {0: "yes", 3: "?"}.get(code, "no")
            by_program = verified.startswith("proven")
            found = ("yes" if by_kernel else "no", second, "yes" if by_program else "no")
            restated = verdict(text)
            reason = ""
            if restated not in (verified, None):
                # the kernel ignores subgames that chance never reaches
                assert (name, restated, verified) == ("never", "proven subgame-perfect", "not proven"), case
                reason = "a subgame that chance never reaches"
            elif restated is None:
                assert not by_kernel, case
                reason = "the weight of the empty sequence is not a constant"
            elif by_kernel and not by_program:
                assert json.loads(data)["status"] != "certified", case
                reason = "the file does not claim that the concept is certified"
            elif by_program and not by_kernel:
                reason = message.split(":")[0] if code == 1 else "not supported"
            table[(*found, reason)] += 1
    print(f"\n{name}")
    for found, number in sorted(table.items()):
        print(f"  {number:6}  {' | '.join(found)}")
    assert table["yes", "yes", "yes", ""]
    assert table["no", "no", "no", ""]


@pytest.mark.parametrize("name", GAMES)
def test_changed_texts(checker: Checker, name: str) -> None:
    """The program never stops with an error, and proves what the kernel proves of the restated text."""
    game = load(name)
    table: Counter[str] = Counter()
    for claim in CLAIMS:
        original = text_of(game, solution_of(game, claim))
        rng = random.Random(f"{name} {claim}")
        texts = [changed_text(rng, original) for _ in range(GAMES[name])]
        for text, verified in zip(texts, checker.verdicts(texts), strict=True):
            restated = verdict(text)
            if restated in (verified, None):
                table[verified.partition(" ")[0] if restated else "the kernel cannot judge it"] += 1
            else:
                assert (restated, verified) == ("proven subgame-perfect", "not proven"), text
                assert any(" 0" in line for line in text.splitlines() if line.startswith("chance")), text
                table["a subgame that chance never reaches"] += 1
    print(f"\n{name}", dict(table))
    assert table["proven"]
    assert table["not"]
    assert table["unreadable"]
