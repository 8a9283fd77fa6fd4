"""The verified checker accepts our solutions of every built-in game that is a tree of at most 60,000 nodes."""

from __future__ import annotations

import json

import pytest
from verified_checker import FORMAL, Checker, document_of, expected, missing, text_of

import tremble
from tremble.games.parameters import names

pytestmark = [pytest.mark.formal, pytest.mark.skipif(bool(missing()), reason=missing())]

MOST_NODES = 60_000
ALL = ("nash", "subgame-perfect", "quasi-perfect", "sequential")
CONCEPTS = (*ALL, "normal-form-perfect")

# Known counts, for the sizes below LARGE. The other games have imperfect recall.
KNOWN = [
    each["spec"]
    for each in json.loads((FORMAL.parent / "docs" / "games.json").read_text("utf-8"))["games"]
    if each["nodes"] <= 10_000 and all(each["perfect_recall"])
]

LARGE = {}  # filled in below
"""The largest sizes that the exact methods solve in minutes: the number of nodes, and the solved concepts."""

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
