"""The verified checker accepts our solutions of every built-in game that is a tree of at most 60,000 nodes."""

from __future__ import annotations

import json
import os
import resource

import pytest
from verified_checker import FORMAL, Checker, document_of, expected, missing, text_of

import tremble
from tremble.games.parameters import names

pytestmark = [pytest.mark.formal, pytest.mark.skipif(bool(missing()), reason=missing())]

MOST_NODES = 60_000
ALL = ("nash", "subgame-perfect", "quasi-perfect", "sequential")
CONCEPTS = (*ALL, "normal-form-perfect")

KNOWN = [
    each["spec"]
    for each in json.loads((FORMAL.parent / "docs" / "games.json").read_text("utf-8"))["games"]
    if each["nodes"] <= 10_000 and all(each["perfect_recall"])
]
"""The small games of the known counts."""

LARGE = {
    "auction:copies=1,top=8,values=8": 42_961,
    "border_patrol:depth=4": 27_742,
    "border_patrol:depth=4,graph=2": 33_950,
    "goofspiel:cards=4": 54_421,
    "goofspiel:cards=5,order=increasing": 55_731,
    "holdem_river:range1=AA,KK,AK,range2=JJ,TT,99": 49_169,
    "kuhn:cards=82": 59_779,
    "leduc:ranks=9": 55_216,
    "liars_dice:faces=5": 51_181,
    "poker:types=9": 55_225,
    "random_imperfect_recall:merge=0,merge2=0": 1_093,
    "random_tree:branching=3,depth=9": 29_524,
    "rhode_island:raises=1,ranks=3,suits=2": 32_677,
}
"""The numbers of nodes of more trees. One sequential equilibrium proves all four concepts."""

QUICK = ("leduc:ranks=9", "goofspiel:cards=4", "random_imperfect_recall:merge=0,merge2=0")
NO_SUCH_TREE = {
    "a_loss_counterexample": "imperfect recall",
    "absentminded_driver": "imperfect recall",
    "phantom_ttt": "has more nodes",
    "wichardt": "imperfect recall",
}


def test_every_built_in_game_is_here() -> None:
    covered = {spec.partition(":")[0] for spec in (*KNOWN, *LARGE)}
    assert covered | set(NO_SUCH_TREE) == set(names())
    assert not covered & set(NO_SUCH_TREE)


@pytest.mark.parametrize("concept", CONCEPTS)
def test_small_trees(checker: Checker, concept: str) -> None:
    texts = []
    for spec in KNOWN:
        game = tremble.load(spec, max_nodes=MOST_NODES)
        document = document_of(game, concept)
        texts.append(text_of(game, document, concept if concept in ("nash", "subgame-perfect") else None))
    assert len(texts) > 50
    assert set(checker.verdicts(texts)) == {expected(concept)}


@pytest.mark.parametrize(
    "spec", [spec if spec in QUICK else pytest.param(spec, marks=pytest.mark.slow) for spec in LARGE]
)
def test_large_trees(checker: Checker, spec: str) -> None:
    game = tremble.load(spec, max_nodes=MOST_NODES)
    assert game.num_nodes == LARGE[spec]
    document = document_of(game, "sequential")
    start = os.times().children_user
    texts = [text_of(game, document, concept) for concept in ALL]
    assert checker.verdicts(texts) == [expected(concept) for concept in ALL]
    assert os.times().children_user - start < 60
    assert checker.verdict(game, document_of(game, "nash")) == expected("nash")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("length", "concept", "claims"),
    [
        (29_999, "nash", ("nash", "subgame-perfect")),
        (29_999, "quasi-perfect", ("quasi-perfect", "perfect")),
        (29_999, "perfect", ("perfect",)),
    ],
)
def test_the_deepest_trees(checker: Checker, length: int, concept: str, claims: tuple[str, ...]) -> None:
    """The strategies are those of backward induction. The program needs a larger stack for 30,000 levels."""
    game = tremble.load(f"centipede:length={length}")
    assert game.num_nodes == 2 * length + 1 < MOST_NODES
    document = document_of(game, concept)
    texts = [text_of(game, document, claim) for claim in claims]
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    try:
        assert checker.verdicts(texts) == [expected(claim) for claim in claims]
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
