"""Backward induction with mistakes, and refutations by mistakes: each claim has the stated problems and no others."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from claims import honest, strategies_of
from small_trees import ALONE

import tremble
from tremble.check import check

Rows = list[list[int]]

# -- backward induction --------------------------------------------------------------------------------


def gambles(*payoffs: int) -> tremble.GameTree:
    """Player 1 chooses twice between `out` and a move that pays if player 2 errs by `l` or `r`, or by a later `l`.

    Chance chooses the part of the game at the root. In the second part, chance moves once more, below player 1.
    """
    left, right, later = payoffs
    builder = tremble.TreeBuilder(title="gambles")
    builder.chance(("one", "two"), (F(1, 3), F(2, 3)))
    for name in ("one", "two"):
        builder.decision(0, f"enter {name}", ("out", "in"))
        builder.leaf(0, 0)
        if name == "two":
            builder.chance(("x", "y"), (F(1, 5), F(4, 5)))
            builder.leaf(0, 0)
        builder.decision(1, f"answer {name}", ("stop", "l", "r"))
        builder.leaf(0, 0)
        builder.leaf(left, 0)
        builder.decision(1, f"again {name}", ("stop", "l"))
        builder.leaf(right, 0)
        builder.leaf(later, 0)
    return builder.finish()


EVEN, DEEP, NOTHING = gambles(1, -1, -1), gambles(0, 0, 1), gambles(0, 0, 0)
STAYS = [[1, 0, 0], [1, 0], [1, 0, 0], [1, 0]]


def induced(game: Any, enters: str, weights: Any, concept: str = "quasi-perfect") -> tuple[str, ...]:
    """Return the problems of a claim that player 1 enters at these of two sets, and that player 2 always stops."""
    rows = [[0, 1] if name in enters.split() else [1, 0] for name in ("one", "two")]
    certificate = {"kind": "backward-induction", "trembles": weights}
    return check(game, honest(game, strategies_of(game, rows, STAYS), concept, certificate)).problems


def at(name: str, better: str, other: str, order: int) -> str:
    k = ("one", "two").index(name) + 1
    return f"player 1, information set {k} ('enter {name}'): {better!r} earns more than {other!r}, at order e^{order}"


def likely(one: str, two: str) -> Any:
    """Return weights with which player 2 errs twice as often by the first of `l` and `r`, or as often by both."""
    weights = {"l": ["1", "2/3", "1/3"], "r": ["1", "1/3", "2/3"], "": ["3", "5", "5"]}
    return [[["1", "1"]] * 2, [weights[one], ["1", "1"], weights[two], ["1", "1"]]]


@pytest.mark.parametrize(
    ("game", "enters", "weights", "problems"),
    [
        (EVEN, "one", likely("l", "r"), []),
        (EVEN, "two", likely("r", "l"), []),
        (EVEN, "one", likely("r", "l"), [at("two", "in", "out", 1), at("one", "out", "in", 1)]),
        (EVEN, "one two", likely("", ""), []),
        (EVEN, "", likely("", ""), []),
        (DEEP, "one two", None, []),
        (DEEP, "one", None, [at("two", "in", "out", 2)]),
        (DEEP, "", None, [at("two", "in", "out", 2), at("one", "in", "out", 2)]),
        (NOTHING, "one", None, []),
    ],
)
@pytest.mark.parametrize("concept", ["quasi-perfect", "perfect"])
def test_weights_of_mistakes_decide(game: Any, enters: str, weights: Any, problems: list[str], concept: str) -> None:
    assert list(induced(game, enters, weights, concept)) == problems


def test_a_fault_ends_the_search_for_others() -> None:
    """Player 2 errs at the later node; the earlier node would need further terms."""
    builder = tremble.TreeBuilder(title="fault")
    builder.decision(0, "early", ("out", "in"))
    builder.leaf(0, 0)
    builder.decision(1, "late", ("good", "bad"))
    builder.leaf(1, 1)
    builder.leaf(0, 0)
    game = builder.finish()
    certificate = {"kind": "backward-induction", "trembles": None}
    claim = honest(game, strategies_of(game, [[1, 0]], [[0, 1]]), "perfect", certificate)
    fault = "player 2, information set 1 ('late'): 'good' earns more than 'bad', at order e^0"
    assert check(game, claim).problems == (fault,)


def test_faults_beyond_the_first_are_counted() -> None:
    """Player 1 may take 1 in 30 independent games, and does not."""
    builder = tremble.TreeBuilder(title="many")
    builder.chance([f"game {k}" for k in range(30)], [F(1, 30)] * 30)
    for k in range(30):
        builder.decision(0, f"set {k}", ("leave", "take"))
        builder.leaf(0, 0)
        builder.leaf(1, 0)
    game = builder.finish()
    certificate = {"kind": "backward-induction", "trembles": None}
    claim = honest(game, strategies_of(game, [[1, 0]] * 30, []), "perfect", certificate)
    found = check(game, claim).problems
    assert len(found) == 21
    assert found[-1].startswith("and 11 more"), found[-1]


# -- refutations by mistakes ---------------------------------------------------------------------------


def visit() -> tremble.GameTree:
    """If player 1 goes in, player 2 earns 1 by `l`, whatever player 1 does then."""
    builder = tremble.TreeBuilder(title="visit")
    builder.decision(0, "go", ("in", "out"))
    builder.decision(1, "answer", ("l", "r"))
    for answer in "lr":
        builder.decision(0, f"after {answer}", ("up", "down"))
        builder.leaf(0, int(answer == "l"))
        builder.leaf(0, int(answer == "l"))
    builder.leaf(0, 0)
    return builder.finish()


VISIT = visit()
# Alpha is 1 for `in`: the flows 2 and 9 are subtracted from (1 * 3 + 2 * 6) / 3 and (1 * 4 + 3 * 8) / 4.
REFUTATION = {
    "concept": "quasi-perfect", "kind": "mistakes", "player": 1, "blocked": [1, 3, 4, 5, 6], "tight": [1],
    "deviation": [[1, "10"], [2, "-10"]], "flow": [[2, "2"], [3, "9"]],
    "ratio": [[3, "3"], [4, "6"], [5, "4"], [6, "8"]],
}  # fmt: skip
NOT_POSITIVE = "the sum of the multipliers is not positive, although the move is blocked"
NOT_ZERO = "the sum of the multipliers is not 0, although the move is not blocked"


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, []),
        ({"concept": "perfect", "tight": []}, []),
        ({"concept": "sequential", "tight": []}, []),
        ({"concept": "perfect"}, ["refutation.tight: must be empty for the concept 'perfect' in this game"]),
        ({"flow": [[2, "3"], [3, "9"]]},
         [f"refutation: player 1, information set 1 ('go'): 'in': {NOT_POSITIVE}"]),
        ({"flow": [[1, "1"], [2, "2"], [3, "9"]]},
         [f"refutation: player 1, before any move: {NOT_ZERO}",
          f"refutation: player 1, information set 1 ('go'): 'out': {NOT_ZERO}"]),
    ],
)  # fmt: skip
def test_multipliers_of_a_refutation(changes: dict[str, Any], problems: list[str]) -> None:
    strategies = strategies_of(VISIT, [[0, 1], [1, 2], [1, 3]], [[0, 1]], marked=True)
    found = check(VISIT, honest(VISIT, strategies, refutation=REFUTATION | changes))
    assert list(found.problems) == problems
    assert (found.disproven is None) == bool(problems)


def test_a_player_without_moves_makes_no_mistakes() -> None:
    refutation = {**REFUTATION, "blocked": [0], "deviation": [[1, "1"], [2, "-1"]], "flow": [], "ratio": []}
    claim = honest(ALONE, strategies_of(ALONE, [], [[0, 1]], marked=True), refutation=refutation)
    assert check(ALONE, replace(claim, status="limit-reached")).disproven == "quasi-perfect"
