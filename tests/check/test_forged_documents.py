"""The kernel proves what honest documents state, and nothing that is false, however a document is forged or changed.

Other parts compute the truth: payoffs and best responses by going through the tree, and refinements by the search for a
proof of the opposite. If the kernel accepts a profile as an equilibrium of a concept, then no other certificate may
disprove it, and the other way round.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from claims import read
from documents import mutation, pool_of
from forgeries import Document

import tremble
from tremble import GameTree, TrembleError, Verification, verify
from tremble.judge.certify import certification
from tremble.results import Equilibria
from tremble.solution.stated import StatedSolution
from tremble.status import Status

pytestmark = pytest.mark.filterwarnings("ignore::tremble.errors.TrembleWarning")

SEED = 7
BLOCKS = [0, 1, *(pytest.param(block, marks=pytest.mark.slow) for block in range(2, 60))]


class Truth:
    """What is true about profiles of a game, computed once for each."""

    def __init__(self, game: GameTree) -> None:
        self.game = game
        self._known: dict[Any, str] = {}

    def verdict(self, strategies: Any, concept: str) -> str:
        """Return what `certify` finds: "proven", "disproven" or "undecided"."""
        key = concept, tuple(tuple(map(tuple, strategy)) for strategy in strategies)
        if key not in self._known:
            self._known[key] = str(certification(self.game, strategies, concept).verdict)
        return self._known[key]

    def require(self, stated: StatedSolution) -> None:
        """Fail if an accepted solution states something false."""
        game, strategies = self.game, stated.strategies
        best = [tremble.best_response(game, strategies, player)[0] for player in (0, 1)]
        assert stated.values == tremble.expected_values(game, strategies)
        gains = sum(best) - sum(stated.values)
        if stated.status is Status.CERTIFIED:
            assert gains == 0
        if stated.bounds is not None:
            assert game.constant_sum is not None
            assert stated.bounds[0] <= game.constant_sum - best[1]
            assert best[0] <= stated.bounds[1]
        searched = {"subgame-perfect", "quasi-perfect", "sequential", "perfect", "normal-form-perfect", "proper"}
        if stated.status is Status.CERTIFIED and stated.concept in searched:
            assert self.verdict(strategies, stated.concept) != "disproven"
        refuted = (stated.refutation or {}).get("concept")
        if refuted == "nash" or (stated.refutation or {}).get("kind") == "best-response":
            assert gains > 0
        elif refuted in searched:
            assert self.verdict(strategies, str(refuted)) != "proven"


def judged(truth: Truth, document: Document) -> Verification | None:
    """Verify a document and compare what is accepted with the truth; return None if it is not of the format."""
    try:
        stated = read(document)
        found = verify(truth.game, stated)
    except (TrembleError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        return None
    for member in (stated.solutions if isinstance(stated, Equilibria) else (stated,)) if found.ok else ():
        truth.require(member)
    return found


@pytest.mark.parametrize("block", BLOCKS)
def test_honest_documents_are_proven_and_forged_ones_only_if_they_are_true(block: int) -> None:
    game, pool = pool_of(SEED, block)
    truth, seen = Truth(game), Counter[tuple[str, bool]]()
    for tag, document in pool:
        found = judged(truth, document)
        if tag == "true":
            assert found is not None
            provable = document["status"] != "limit-reached" or "refutation" in document
            assert found.ok == provable, found.problems
        seen[tag, found is not None and found.ok] += 1
    assert seen["true", True]
    assert seen["forged", False]


@pytest.mark.parametrize("block", BLOCKS)
def test_changed_documents_are_proven_only_if_they_are_true(block: int) -> None:
    game, pool = pool_of(SEED, block)
    truth, draw = Truth(game), random.Random(block)
    refused = 0
    for case in draw.sample(range(10**6), 300):
        found = judged(truth, mutation(pool, SEED, block, case))
        refused += found is None or not found.ok
    assert refused > 100
