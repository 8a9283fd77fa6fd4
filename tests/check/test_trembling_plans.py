"""Certificates of kind `polynomials`: each claim has the stated problems and no others."""

from __future__ import annotations

from typing import Any

import pytest
from claims import honest, strategies_of

import tremble
from tremble.check import check


def later() -> tremble.GameTree:
    """Player 1 moves once more after `in`, or moves elsewhere. Player 2 never moves."""
    builder = tremble.TreeBuilder(title="later")
    builder.chance(("here", "there"), ("1/2", "1/2"))
    builder.decision(0, "start", ("out", "in"))
    builder.leaf(0, 0)
    builder.decision(0, "later", ("a", "b"))
    for _ in range(2):
        builder.leaf(0, 0)
    builder.decision(0, "elsewhere", ("a", "b"))
    for _ in range(2):
        builder.leaf(0, 0)
    return builder.finish()


LATER = later()
NOTHING = tremble.matrix_game([[0, 0], [0, 0]])
ENTRY = tremble.load("entry_deterrence")  # player 2 answers `enter` by `accommodate` or `fight`
EVEN, FIRST, SECOND = [[2, 1, 1]], [[1, 1, 0], [0, -1, 1]], [[1, 0, 1], [0, 1, -1]]
OUT, FIGHT, HALF = [[1, 0]], [[0, 1]], [[1, 1]]
ONES = [[["1", "1"]], [["1", "1"]]]
MOST = 10**18 - 1
ENTERED, ONE = "player 2, information set 1 ('incumbent'): ", "player 1, information set 1: "
LESS = f"{ONE}'2' is played less than its tremble: "
LIST = "must be a list for each information set, not 'x'"
SAME = "certificate.orders: if a player's trembles or orders are 'any' or 'none', both must be the same"
QUASI, ONE_SIDED = "quasi-perfect", "one-sided-quasi-perfect"

# game, concept, strategies, plans, other fields of the certificate, problems
CASES: list[tuple[Any, str, tuple[Any, Any], tuple[Any, Any], dict[str, Any], list[str]]] = [
    # reading
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"orders": [[[MOST, 1]], [[1, 1]]]}, []),
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"orders": [[[MOST + 1, 1]], [[1, 1]]]},
     [f"certificate.orders[0][0][0]: the order of a tremble must be an integer from 1 to {MOST:,}, not {MOST + 1}"]),
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"trembles": ["x", "any"]}, [f"certificate.trembles[0]: {LIST}"]),
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"orders": [[[1, 1]], "x"]}, [f"certificate.orders[1]: {LIST}"]),
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"trembles": ["any", ONES[1]], "orders": ["any", [[1, 1]]]}, []),
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"trembles": ["any", ONES[1]], "orders": [[[1, 1]]] * 2}, [SAME]),
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"trembles": ONES, "orders": ["any", [[1, 1]]]}, [SAME]),
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"trembles": "any", "orders": [[[1, 1]]] * 2},
     ["certificate.orders: must be missing or null if the trembles are 'any'"]),
    # who makes mistakes
    (NOTHING, QUASI, (HALF, HALF), (EVEN, EVEN), {"trembles": ["none", "any"]},
     ["certificate.trembles[0]: player 1 makes no mistakes, but 'quasi-perfect' needs trembles of both players"]),
    (NOTHING, ONE_SIDED, (HALF, HALF), (EVEN, EVEN), {"trembles": ["none", "none"]},
     ["certificate.trembles: neither player makes mistakes; only one entry may be 'none'"]),
    (NOTHING, ONE_SIDED, (HALF, HALF), (EVEN, EVEN), {},
     ["certificate.trembles: both players make mistakes; the entry of one player must be 'none'"]),
    # If a plan is not sound, the wrong limits of its probabilities are no further problems.
    (NOTHING, QUASI, (OUT, HALF), ([*EVEN, [0, 1, 0]], EVEN), {"trembles": "any"},
     [f"{ONE}at order e^1 the actions sum to 1/2, but the move before has 0"]),
    (NOTHING, QUASI, (FIGHT, HALF), ([[2, 2, 0]], EVEN), {"trembles": "any"},
     [f"{ONE}'2' is not played with a positive probability, so the plan is not completely mixed"]),
    (NOTHING, QUASI, (FIGHT, HALF), ([[2, 2, 0], [0, -1, 1]], EVEN), {}, [f"{LESS}1/2 at order e^1, not 1"]),
    (NOTHING, QUASI, (FIGHT, HALF), ([[2, 2, 0]], EVEN), {}, [f"{LESS}0 at order e^1, beyond the plan's last order"]),
    (NOTHING, ONE_SIDED, (FIGHT, HALF), ([[1, 1, 0], [0, 1, -1]], EVEN), {"trembles": ["none", "any"]},
     [f"{ONE}'2' is played with a negative probability"]),
    # replies and limits
    (ENTRY, QUASI, (OUT, FIGHT), (FIRST, SECOND), {"trembles": "any"},
     [f"{ENTERED}'fight' is played, but 'accommodate' earns more at order e^1"]),
    (ENTRY, QUASI, (OUT, FIGHT), (FIRST, SECOND), {},
     [f"{ENTERED}'fight' is played beyond its tremble, but 'accommodate' earns more at order e^1"]),
    (LATER, ONE_SIDED, ([[1, 0], [0, 1], [1, 0]], []), ([[1, 1, 0, 0, 0, 1, 0]], [[1]]), {"trembles": ["none", "any"]},
     []),
    (LATER, ONE_SIDED, ([[1, 0], [0, 1], [0, 1]], []), ([[1, 1, 0, 0, 0, 1, 0]], [[1]]), {"trembles": ["none", "any"]},
     [f"player 1, information set 3 ('elsewhere'): the limit of the probability of {text} (off by about 1)"
      for text in ("'a' is stated as 0, but it is 1", "'b' is stated as 1, but it is 0")]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_claim_has_these_problems(number: int) -> None:
    game, concept, rows, plans, more, problems = CASES[number]
    x, y = ([[str(weight) for weight in row] for row in plan] for plan in plans)
    certificate = {"kind": "polynomials", "X": x, "Y": y, "denominator": [x[0][0], y[0][0]], "trembles": None, **more}
    found = check(game, honest(game, strategies_of(game, *rows), concept, certificate)).problems
    assert list(found) == problems
