"""Claims about small trees: marks of sets that the own strategy never reaches, gains in subgames, and beliefs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from claims import honest, strategies_of
from small_trees import OUTSIDE

import tremble
from tremble import check
from tremble.check.best_response import Outcome
from tremble.check.limits import Limits
from tremble.check.subgame_perfect import subgame_roots


def rare() -> Any:
    """Return a game in which player 1 can let player 2 choose between two payoffs of player 1."""
    builder = tremble.TreeBuilder(title="rare")
    builder.decision(0, "start", ("let", "take"))
    builder.decision(1, "answer", ("nothing", "three"))
    builder.leaf(0, 0)
    builder.leaf(3, 0)
    builder.leaf(3, 0)
    return builder.finish()


def unseen() -> Any:
    """Return a game in which player 2 does not know if player 1 moved left; after `stop`, player 2 knows it."""
    builder = tremble.TreeBuilder(title="unseen")
    builder.chance(("play", "stop"), (F(1, 2), F(1, 2)))
    builder.decision(0, "side", ("left", "right"))
    for sign in (1, -1):
        builder.decision(1, "guess", ("l", "r"))
        builder.leaf(sign, -sign)
        builder.leaf(-sign, sign)
    builder.decision(1, "alone", ("good", "bad"))
    builder.leaf(0, 0)
    builder.leaf(4, -4)
    return builder.finish()


def side() -> Any:
    """Return a game in which player 2 only learns that player 1 did not stay out. All payoffs are 0."""
    builder = tremble.TreeBuilder(title="side")
    builder.decision(0, "start", ("out", "left", "right"))
    builder.leaf(0, 0)
    for _ in range(2):
        builder.decision(1, "guess", ("l", "r"))
        builder.leaf(0, 0)
        builder.leaf(0, 0)
    return builder.finish()


def apart() -> Any:
    """Return a game in which player 2, after player 1's move, does not know the move of chance."""
    builder = tremble.TreeBuilder(title="apart")
    builder.chance(("one", "two"), (F(1, 2), F(1, 2)))
    for k in range(2):
        builder.decision(0, f"start {k}", ("stop", "go"))
        builder.leaf(0, 0)
        builder.decision(1, "answer", ("l", "r"))
        builder.leaf(0, 0)
        builder.leaf(0, 0)
    return builder.finish()


RARE, UNSEEN, SIDE, APART = rare(), unseen(), side(), apart()
PENNIES = tremble.matrix_game([[1, -1], [-1, 1]])
OUT = strategies_of(OUTSIDE, [[1, 0], [1, 0], [0, 1]], [[1, 1]])
PLANS = {"kind": "polynomials", "X": [["4", "2", "2", "1", "1", "1", "1"]], "Y": [["2", "1", "1"]],
         "denominator": ["4", "2"], "trembles": "any"}  # fmt: skip
NEVER, WRONG, PART, TRUE = (False,) * 3, (True,) * 3, (False, True, False), (False, True, True)
REACHED, UNMARKED = "marked off_path, but the player's own strategy reaches it", "not marked off_path, but"
EVERYWHERE = "defines play everywhere"


@pytest.mark.parametrize(
    ("concept", "certificate", "marks", "problem"),
    [
        ("nash", None, TRUE, ""),
        ("nash", None, NEVER, UNMARKED),
        ("nash", None, PART, UNMARKED),
        ("nash", None, WRONG, REACHED),
        ("normal-form-perfect", PLANS, TRUE, ""),
        ("normal-form-perfect", PLANS, NEVER, ""),
        ("normal-form-perfect", PLANS, PART, ""),
        ("normal-form-perfect", PLANS, WRONG, REACHED),
        ("subgame-perfect", None, NEVER, ""),
        ("subgame-perfect", None, PART, EVERYWHERE),
        ("subgame-perfect", None, TRUE, EVERYWHERE),
        ("maxmin", None, NEVER, ""),
        ("maxmin", None, TRUE, EVERYWHERE),
        ("maxmin", {"kind": "guarantee", "player": 1}, NEVER, ""),
        ("maxmin", {"kind": "guarantee", "player": 1}, TRUE, EVERYWHERE),
    ],
)
def test_marks_are_those_that_the_concept_allows(
    concept: str, certificate: Any, marks: tuple[bool, ...], problem: str
) -> None:
    strategies = replace(OUT[0], off_path=marks), OUT[1]
    claim = honest(OUTSIDE, strategies, concept, certificate)
    extra = {"maxmin": lambda *_: Outcome((F(2), F(-2)), bounds=(F(2), F(2)))}
    found = check.check(OUTSIDE, claim, extra=extra)
    judged = check.judge(OUTSIDE, claim, extra=extra).verification
    for verdict in (found, judged):
        assert verdict.ok == (not problem)
        assert all(problem in text for text in verdict.problems)


@pytest.mark.parametrize(
    ("game", "roots"), [(OUTSIDE, [0, 2, 3, 4]), (RARE, [0, 1]), (PENNIES, [0]), (UNSEEN, [0, 1, 2]), (APART, [0])]
)
def test_subgames_begin_where_no_set_leaves_the_tree_below(game: Any, roots: list[int]) -> None:
    assert subgame_roots(game).nonzero()[0].tolist() == roots


@pytest.mark.parametrize(
    ("game", "rows", "gains"),
    [
        (PENNIES, ([[1, 1]], [[1, 1]]), []),
        (PENNIES, ([[1, 0]], [[1, 0]]), [(0, 1, F(2))]),
        (PENNIES, ([[1, 2]], [[1, 0]]), [(0, 0, F(4, 3))]),
        (OUTSIDE, ([[1, 0], [1, 0], [0, 1]], [[1, 3]]), []),
        (OUTSIDE, ([[0, 1], [1, 0], [0, 1]], [[1, 3]]), [(0, 0, F(1))]),
        (OUTSIDE, ([[1, 0], [1, 1], [0, 1]], [[0, 1]]), [(2, 1, F(1, 2)), (3, 0, F(1, 2))]),
        (RARE, ([[0, 1]], [[1, 2]]), []),
        (UNSEEN, ([[1, 1]], [[1, 1], [1, 0]]), []),
        (UNSEEN, ([[1, 1]], [[1, 1], [0, 1]]), [(2, 1, F(4))]),
        (UNSEEN, ([[1, 0]], [[1, 0], [0, 1]]), [(1, 1, F(2)), (2, 1, F(4))]),
    ],
)
def test_gains_in_subgames(game: Any, rows: Any, gains: list[Any]) -> None:
    claim = honest(game, strategies_of(game, *rows))
    assert check.subgames_with_gains(game, claim) == gains
    refined = check.check(game, honest(game, claim.strategies, "subgame-perfect"))
    assert refined.ok == (not gains)
    for player in (0, 1):
        refutation = {"concept": "subgame-perfect", "kind": "subgame", "path": [], "player": player + 1}
        alone = replace(claim, status="limit-reached", refutation=refutation, bounds=None, certificate={})
        disproven = check.check(game, alone).disproven
        assert (disproven is not None) == any((root, who) == (0, player) for root, who, _ in gains)


@pytest.mark.parametrize(
    ("row", "weights", "orders", "left"),
    [
        ([1, 0, 0], None, None, F(1, 2)),
        ([1, 0, 0], ["1", "2", "3"], None, F(2, 5)),
        ([1, 0, 0], ["1", "2", "3"], [7, 2, 2], F(2, 5)),
        ([1, 0, 0], None, [1, 1, 2], F(1)),
        ([1, 0, 0], None, [1, 2, 1], F(0)),
        ([1, 1, 0], None, [1, 2, 1], F(1)),
        ([0, 1, 2], ["5", "5", "5"], None, F(1, 3)),
    ],
)
def test_beliefs_follow_from_weights_and_orders(row: list[int], weights: Any, orders: Any, left: F) -> None:
    certificate: dict[str, Any] = {
        "kind": "consistent-trembles",
        "trembles": weights and [[weights], [["1", "1"]]],
        "orders": orders and [[orders], [[1, 1]]],
    }
    for stated in (F(0), F(1, 3), F(2, 5), F(1, 2), F(1)):
        beliefs = [[(0, [((), F(1))])], [(0, [(("left",), stated), (("right",), 1 - stated)])]]
        claim = honest(SIDE, strategies_of(SIDE, [row], [[1, 1]]), "sequential", certificate, beliefs=beliefs)
        assert check.check(SIDE, claim).ok == (stated == left)
        more = check.check(SIDE, replace(claim, certificate={**certificate, "more": None}))
        assert more.problems == ("certificate.more: there is no such field",)


def test_a_subgame_perfect_claim_states_the_gains_of_the_whole_game() -> None:
    claim = honest(OUTSIDE, OUT, "subgame-perfect")
    wrong = replace(claim, certificate={**claim.certificate, "nash_conv": "1"})
    assert check.check(OUTSIDE, claim).ok
    assert check.check(OUTSIDE, wrong).problems == ("certificate.nash_conv: stated as 1, but it is 0 (off by about 1)",)


def test_subgames_with_long_numbers_cost_steps() -> None:
    """Player 2 plays `three` with a probability of 1202 bits, and `nothing` with a probability of 602 bits.

    The values cost 82 steps. The payoff of `let` costs 82 for the value of its subgame. In this subgame, the two
    probabilities cost 42 and 82, and the payoff of `three` 82. The best action at the start costs 3362.
    """
    strategies, spent = strategies_of(RARE, [[0, 1]], [[1, 2**600]]), []
    for concept in ("nash", "subgame-perfect"):
        limits = Limits(10**9, 10**9)
        assert check.check(RARE, honest(RARE, strategies, concept), limits).ok
        spent.append(10**9 - limits.steps)
    assert spent[1] - spent[0] == 82 + 82 + 42 + 82 + 82 + 3362
