"""The text form for the verified checker: exact lines, the whole game, and solutions that have no text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction as F
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import tremble
from tremble import CHANCE, TERMINAL, CertificateError, GameTree
from tremble.errors import SpecError
from tremble.judge.formal_text import format_claim_text, format_game_text
from tremble.results import StatedSolution

ROOT = Path(__file__).parents[2]

ENTRY_GAME = """\
move 1 1 2
leaf 1 5
move 2 1 2
leaf 2 2
leaf 0 0
"""

ENTRY = f"""\
claim sequential
values 2 2
{ENTRY_GAME}play 1 1 0 1
play 2 1 1 0
belief 1 1 1
belief 2 1 1
root 1 3
root 2 1
weight 1 1 0 3
weight 1 1 3 -3
weight 2 1 1 0 -1/2
weight 2 1 0 0 1/2
"""


@cache
def solved(game: str) -> str:
    return tremble.solve(tremble.load(game), "sequential").to_text()


def entry(**changes: Any) -> dict[str, Any]:
    """A solution file of Entry deterrence, with the certificate in plans. Replace fields by ``changes``."""
    document = json.loads(solved("entry_deterrence"))
    document["certificate"] = {
        "kind": "polynomials", "trembles": "any", "denominator": ["3", "1"],
        "X": [["3", "0", "3"], ["0", "3", "-3"]], "Y": [["1", "1", "0"], ["0", "0", "0"], ["0", "-1/2", "1/2"]],
    }  # fmt: skip
    return document | changes


def text_of(document: dict[str, Any], claim: str | None = None, game: str = "entry_deterrence") -> str:
    return format_claim_text(tremble.load(game), StatedSolution.from_text(json.dumps(document)), claim)


@pytest.mark.skipif(not (ROOT / "formal").exists(), reason="needs the repository")
@pytest.mark.parametrize("page", ["README.md", "docs/explanation/formal.md"])
def test_pages_count_the_trusted_lines(page: str) -> None:
    count = len((ROOT / "formal" / "main.ml").read_text("utf-8").splitlines())
    assert f" {count} lines" in (ROOT / page).read_text("utf-8")


# -- the game ----------------------------------------------------------------------------------------------------------


def kuhn_lines() -> Iterator[str]:
    """The text of Kuhn poker from its rules. Sets are numbered by their first appearance."""
    sets: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def move(player: int, card: str, before: str) -> str:
        return f"move {player} {sets[player - 1].setdefault(card + before, len(sets[player - 1]) + 1)} 2"

    yield "chance 1/6 1/6 1/6 1/6 1/6 1/6"
    for own, other in permutations("JQK", 2):
        sign = 1 if "JQK".index(own) > "JQK".index(other) else -1
        yield from (move(1, own, ""), move(2, other, "check"), f"leaf {sign} {-sign}")
        yield from (move(1, own, "check bet"), "leaf -1 1", f"leaf {2 * sign} {-2 * sign}")
        yield from (move(2, other, "bet"), "leaf 1 -1", f"leaf {2 * sign} {-2 * sign}")


def test_the_text_of_kuhn_poker() -> None:
    assert format_game_text(tremble.load("kuhn")).splitlines() == list(kuhn_lines())


def walk(tree: GameTree) -> Iterator[str]:
    """The lines of a tree, from its nodes one by one."""
    stack = [0]
    while stack:
        node = stack.pop()
        stack += reversed(tree.children(node))
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            yield "leaf {} {}".format(*tree.payoff_at(k))
        elif mover == CHANCE:
            yield " ".join(["chance", *map(str, tree.chance_tables[k].probabilities)])
        else:
            yield f"move {mover + 1} {k + 1} {len(tree.labels(node))}"


@pytest.mark.parametrize("name", ["matching_pennies", "beer_quiche", "goofspiel", "leduc:ranks=2"])
def test_the_text_of_a_game_has_each_node(name: str) -> None:
    tree = tremble.load(name)
    assert format_game_text(tree).splitlines() == list(walk(tree))


def test_long_numbers_are_decimal() -> None:
    """Solution files have long integers in hexadecimal form, which the verified checker does not read."""
    tree = tremble.matrix_game([[10**6000]], [[F(1, 3**9000)]])
    *_, leaf = format_game_text(tree).splitlines()
    assert leaf.startswith("leaf 1" + "0" * 6000 + " 1/")
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        assert leaf.endswith(f"/{3**9000}")
    finally:
        sys.set_int_max_str_digits(limit)


# -- claims ------------------------------------------------------------------------------------------------------------


def test_the_text_of_a_solution() -> None:
    assert text_of(entry()) == ENTRY
    assert format_game_text(tremble.load("entry_deterrence")) == ENTRY_GAME


def test_weaker_claims() -> None:
    plays = ENTRY[: ENTRY.index("belief")]
    assert text_of(entry(), "nash") == plays.replace("sequential", "nash")
    assert text_of(entry(), "subgame-perfect") == plays.replace("sequential", "subgame-perfect")
    plans = ENTRY[ENTRY.index("root") :]
    assert text_of(entry(), "quasi-perfect") == plays.replace("sequential", "quasi-perfect") + plans
    assert text_of(entry(), "normal-form-perfect") == plays.replace("sequential", "normal-form-perfect") + plans


@pytest.mark.parametrize("player", [1, 2])
def test_the_player_without_mistakes(player: int) -> None:
    document = entry()
    document["certificate"]["trembles"] = ["none", "any"] if player == 1 else ["any", "none"]
    assert text_of(document, "one-sided-quasi-perfect").startswith(f"claim one-sided-quasi-perfect {player}\n")


def test_plans_from_weights_and_orders_of_mistakes() -> None:
    """A later mistake multiplies the earlier one: the plan has the product of their probabilities."""
    document = json.loads(solved("battle_outside"))
    certificate: dict[str, Any] = {
        "kind": "consistent-trembles",
        "trembles": [[["1", "2"], ["3", "1"]], [["3/2", "1"]]],
        "orders": [[[1, 1], [2, 1]], [[1, 1]]],
    }
    lines = text_of(document | {"certificate": certificate}, game="battle_outside").splitlines()
    assert lines[11:14] == ["play 1 1 1 0", "play 1 2 0 1", "play 2 1 0 1"]
    assert lines[-8:] == [
        "root 1 1", "root 2 1", "weight 1 1 1 -2", "weight 1 1 0 2", "weight 1 2 0 0 0 6", "weight 1 2 0 2 0 -6",
        "weight 2 1 0 3/2", "weight 2 1 1 -3/2",
    ]  # fmt: skip
    certificate |= {"trembles": None, "orders": None}
    assert text_of(document | {"certificate": certificate}, game="battle_outside").splitlines()[-8:] == [
        "root 1 1", "root 2 1", "weight 1 1 1 -1", "weight 1 1 0 1", "weight 1 2 0 0 1", "weight 1 2 0 1 -1",
        "weight 2 1 0 1", "weight 2 1 1 -1",
    ]  # fmt: skip


def test_certain_beliefs_need_no_plans() -> None:
    certificate = {"kind": "consistent-trembles", "trembles": None, "orders": None}
    assert text_of(entry(certificate=certificate)) == ENTRY[: ENTRY.index("root")]
    assert "weight 1 1 0 1\nweight 1 1 1 -1\n" in text_of(entry(certificate=certificate), "quasi-perfect")


def test_a_node_that_chance_never_reaches_needs_plans() -> None:
    game = tremble.read_efg(
        'EFG 2 R "" { "" "" }\nc "" 1 "" { "a" 1 "b" 0 } 0\n'
        'p "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1, 0 }\nt "" 2 "" { 0, 0 }\nt "" 3 "" { 2, 2 }\n'
    )
    document = json.loads(tremble.solve(game, "sequential").to_text())
    document["certificate"] = {"kind": "consistent-trembles", "trembles": None, "orders": None}
    text = format_claim_text(game, StatedSolution.from_text(json.dumps(document)))
    assert text.endswith("belief 1 1 1\nroot 1 1\nroot 2 1\nweight 1 1 1 -1\nweight 1 1 0 1\n")


@pytest.mark.parametrize("claim", ["quasi-perfect", "perfect"])
def test_backward_induction(claim: str) -> None:
    plays = ENTRY[: ENTRY.index("belief")].replace("sequential", claim)
    certificate: dict[str, Any] = {"kind": "backward-induction", "trembles": None}
    document = entry(concept=claim, certificate=certificate)
    assert text_of(document) == f"{plays}mistake 1 1 1 -1\nmistake 2 1 -1 1\n"
    certificate["trembles"] = [[["1/2", "9"]], [["1/7", "3"]]]
    assert text_of(document) == f"{plays}mistake 1 1 1/2 -1/2\nmistake 2 1 -3 3\n"


def test_mistakes_at_a_mixed_strategy() -> None:
    """The numbers of a set sum to 0."""
    document = entry(certificate={"kind": "backward-induction", "trembles": [[["1/2", "9"]], [["1", "2"]]]})
    document["strategies"][1][0]["actions"] = [
        [a, p] for (a, _), p in zip(document["strategies"][1][0]["actions"], ["1/4", "3/4"], strict=True)
    ]
    assert text_of(document, "quasi-perfect").splitlines()[-1] == "mistake 2 1 1/4 -1/4"


@pytest.mark.parametrize(
    ("changes", "claim", "words"),
    [
        ({"concept": "proper"}, None, "the concept 'proper' has no text form"),
        ({"concept": "maxmin"}, None, "the concept 'maxmin' has no text form"),
        ({"status": "bounded"}, None, "the status 'bounded' claims no equilibrium"),
        ({"status": "limit-reached"}, "nash", "the status 'limit-reached' claims no equilibrium"),
        ({"certificate": {"kind": "basis"}}, "perfect", "solution for 'perfect' is of kind 'basis'"),
        ({}, "perfect", "solution for 'perfect' is of kind 'polynomials'"),
        ({"certificate": {"kind": "backward-induction"}}, None, "for 'sequential' is of kind 'backward-induction'"),
        ({"certificate": {}}, None, "for 'sequential' is of kind None"),
        ({}, "one-sided-quasi-perfect", "the certificate must name one player without mistakes"),
    ],
)
def test_solutions_without_a_text(changes: dict[str, Any], claim: str | None, words: str) -> None:
    with pytest.raises(CertificateError, match=words) as caught:
        text_of(entry(**changes), claim)
    assert "for the concepts nash, subgame-perfect, quasi-perfect, " in str(caught.value)


def test_sequential_needs_beliefs() -> None:
    document = entry()
    del document["beliefs"]
    with pytest.raises(CertificateError, match="no beliefs"):
        text_of(document)
    assert "belief" not in text_of(document, "quasi-perfect")


def test_a_list_has_no_text() -> None:
    pennies = tremble.load("matching_pennies")
    with pytest.raises(CertificateError, match="this solution is a list"):
        format_claim_text(pennies, tremble.all_equilibria(pennies))


@pytest.mark.parametrize(
    "certificate",
    [
        {"kind": "polynomials"},
        {"kind": "polynomials", "X": 1, "Y": 1},
        {"kind": "polynomials", "X": [["1", "0"]], "Y": [["1", "1", "0"]]},
        {"kind": "polynomials", "X": [["1", "0", "1/0"]], "Y": [["1", "1", "0"]]},
        {"kind": "polynomials", "X": [["1", "0", "1"], ["1"]], "Y": [["1", "1", "0"]]},
        {"kind": "consistent-trembles", "trembles": [[]], "orders": None},
        {"kind": "backward-induction"},
        {"kind": "backward-induction", "trembles": [None, [["1", "1"]]]},
        {"kind": "backward-induction", "trembles": [[["1"]], [["1", "1"]]]},
    ],
)
def test_a_malformed_certificate(certificate: dict[str, Any]) -> None:
    with pytest.raises(CertificateError, match="the solution is malformed"):
        text_of(entry(certificate=certificate), "quasi-perfect")


def test_an_unknown_claim() -> None:
    with pytest.raises(SpecError, match="a text cannot claim 'proper'; choose nash, "):
        text_of(entry(), "proper")


def test_a_plan_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tremble.judge.formal_text._MOST_COEFFICIENTS", 3)
    certificate = {"kind": "consistent-trembles", "trembles": None, "orders": None}
    with pytest.raises(CertificateError, match="more than 3 coefficients"):
        text_of(entry(certificate=certificate), "quasi-perfect")
