"""The kernel, the second checker and the verified checker judge changed solutions, and their differences are explained.

Each difference between the kernel and the verified checker has a reason outside the text: the text of a changed
solution, restated as a solution file (``exact_reading``), gets the same verdict from both.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from changes import changed, changed_text
from exact_reading import verdict
from verified_checker import Checker, document_of, missing, text_of

import tremble
from checker.changed_files import mutations
from checker.second import CHECKER, kernel_accepts
from hostile_games import hostile_game
from tremble import GameTree
from tremble.solvers import backward_induction
from tremble.strategies import Trembles

pytestmark = [pytest.mark.formal, pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing())]

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
ONE_SIDED = "one-sided-quasi-perfect"
CLAIMS = ("nash", "subgame-perfect", "quasi-perfect", ONE_SIDED, "sequential", "normal-form-perfect")
GAMES = {  # game: number of counted changes for each claim
    "kuhn": 250,
    "leduc:ranks=2,raises=1": 100,
    "goofspiel:cards=2": 150,
    "guess_the_ace": 200,
    "never": 250,
    "beer_quiche": 200,
    "auction:copies=1,sum=general,top=2,values=3": 100,
    "battle_outside": 200,
    "selten_horse_two": 200,
    "centipede": 150,
    "mertens": 200,
    "perfect information": 200,
}
PERFECT_INFORMATION = ("centipede", "perfect information")


def load(name: str) -> GameTree:
    if name == "perfect information":
        return hostile_game(name, 7, least=20)
    return tremble.read_efg(NEVER) if name == "never" else tremble.load(name)


def solutions_of(name: str, game: GameTree) -> dict[str, dict[str, Any]]:
    """Return a solution file for each claim."""
    claims = (*CLAIMS, "perfect") if name in PERFECT_INFORMATION else CLAIMS
    return {claim: solution_of(game, claim, short=name == "perfect information") for claim in claims}


def solution_of(game: GameTree, claim: str, *, short: bool) -> dict[str, Any]:
    """Return a solution file with this claim. If it is short, it has no plans where it does not need them."""
    if claim == ONE_SIDED:
        ones = [[1] * len(actions) for actions in game.actions[1]]
        return json.loads(tremble.solve(game, claim, trembles=Trembles.from_rows(game, ["none", ones])).to_text())
    with pytest.MonkeyPatch.context() as patch:
        if short or claim == "perfect":
            patch.setattr(backward_induction, "_MOST_COEFFICIENTS", 0)
        document = document_of(game, claim)
    if claim == "subgame-perfect":  # a sequential equilibrium answers this request
        values = document["values"]
        del document["beliefs"]
        document["concept"] = claim
        document["certificate"] = {"kind": "best-response", "nash_conv": "0", "best_response_values": values}
    return document


def changes(document: dict[str, Any], others: list[dict[str, Any]], seed: str) -> Iterator[str]:
    """Yield the contents of changed files. Every second one has a certificate without least weights of mistakes."""
    rng = random.Random(seed)
    many = mutations(document, others, seed, 10**9)
    loose = copy.deepcopy(document)
    if loose["certificate"]["kind"] == "polynomials":
        loose["certificate"]["trembles"] = ["none", "any"] if document["concept"] == ONE_SIDED else "any"
        loose["certificate"].pop("orders", None)
    while True:
        yield next(many)
        with suppress(IndexError, ValueError):  # a random place has no number that can be changed
            yield json.dumps(changed(rng, loose)[1])


def reason(document: dict[str, Any], rule: str) -> str:
    """Return the reason why only the verified checker accepts, from the rule that the second checker names.

    The table of docs/explanation/formal.md has the same reasons. No reason is allowed for rules about the text itself.
    """
    first, concept = rule.split()[0], document["concept"]
    if first == "data" or first.startswith("J"):
        return "the form of the file"
    if first in ("C1", "C2"):
        return "the digest, the labels, or the order of the entries"
    if first.startswith(("C", "N2", "V", "M")):
        return "the kind of certificate, bounds, marks, or beliefs of another concept"
    if first.startswith("F"):
        return "the refutation"
    if first in ("I1", "I2"):
        return "backward induction with several nodes in a set, or with a mixed strategy"
    if first.startswith(("P", "E")) and concept == ONE_SIDED:
        return "the least weights, or the plan of the player without mistakes"
    if first.startswith(("P1", "P2")):
        return "the least weights"
    if first.startswith(("P5", "P6")) and document["certificate"]["trembles"] != "any":
        return "the least weights"
    if first.startswith("P6") and concept == "sequential":
        return "the strategies must be best replies to the plans"
    if first.startswith("P3"):
        return "the weight of the empty sequence must be the denominator"
    if first.startswith("S2"):
        return "the nodes that a belief names, or a belief at a set that chance never reaches"
    raise AssertionError(f"only the verified checker accepts {json.dumps(document)}; the rule is {rule}")


def written(game: GameTree, data: str) -> str | None:
    """Return the text of a solution file; None if the file has no text."""
    try:
        return text_of(game, json.loads(data))
    except (tremble.TrembleError, ArithmeticError, AttributeError, KeyError, IndexError, TypeError, ValueError):
        return None


@pytest.mark.parametrize("name", GAMES)
def test_three_verdicts_on_changed_solutions(checker: Checker, name: str, tmp_path: Path) -> None:
    game, path, efg = load(name), tmp_path / "solution.json", tmp_path / "game.efg"
    tremble.write_efg(game, efg)
    second_game = CHECKER.read_game(efg)
    documents = solutions_of(name, game)
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
            content = data.encode("utf-8", "surrogatepass")
            path.write_bytes(content)
            by_kernel = kernel_accepts(game, path)
            code, message = CHECKER.verdict(lambda content=content: CHECKER.check(second_game, content))
            case = (name, claim, message, by_kernel, verified, data)
            by_program, restated, why = verified.startswith("proven"), verdict(text), ""
            assert code == 3 or (code == 0) == by_kernel, case
            if restated != verified:  # the kernel ignores subgames that chance never reaches
                assert (name, restated, verified) == ("never", "proven subgame-perfect", "not proven"), case
                why = "a subgame that chance never reaches"
            elif by_program != by_kernel:
                assert by_program, case
                known = code == 1
                why = reason(json.loads(data), message.split(":")[0]) if known else "a kind of proof that is not known"
            answers = [{True: "yes", False: "no", None: "?"}[x] for x in (by_kernel, None if code == 3 else not code)]
            table[(*answers, "yes" if by_program else "no", why)] += 1
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
    for claim, document in solutions_of(name, game).items():
        original = text_of(game, document)
        rng = random.Random(f"{name} {claim}")
        texts = [changed_text(rng, original) for _ in range(GAMES[name] * 2 // 5)]
        for text, verified in zip(texts, checker.verdicts(texts), strict=True):
            restated = verdict(text)
            if restated in (verified, None):
                table[verified.partition(" ")[0] if restated else "the kernel cannot judge it"] += 1
            else:
                assert restated in ("proven subgame-perfect", "proven sequential"), text
                assert verified == "not proven", text
                assert any(" 0" in line for line in text.splitlines() if line.startswith("chance")), text
                table["a subgame that chance never reaches"] += 1
    print(f"\n{name}", dict(table))
    assert table["proven"]
    assert table["not"]
    assert table["unreadable"]
