"""Hand-made claims about proper and normal-form perfect equilibria, backward induction, dominance and replies.

Each refused claim is right but for one thing, so that it is refused only if the kernel checks that thing.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from small_trees import OUTSIDE

import tremble
from tremble.check import Claim, Limits, Strategy, check
from tremble.check.best_response import evaluate
from tremble.check.tree import sequence_form

Rows = list[list[int]]  # weights of the actions at each information set


def strategy(game: Any, player: int, rows: Rows) -> Strategy:
    """Return a strategy with no set marked."""
    actions = game.actions[player]
    numbers = tuple(range(len(actions)))
    return Strategy(numbers, actions, [w for row in rows for w in row], [sum(row) for row in rows], [False] * len(rows))


def claim(game: Any, one: Rows, two: Rows, concept: str, certificate: Any = None, refutation: Any = None) -> Claim:
    """Return a claim in which all derived numbers are right."""
    strategies: Any = strategy(game, 0, one), strategy(game, 1, two)
    limits = Limits.for_game(game.num_nodes)
    outcome = evaluate(sequence_form(game, limits), strategies, limits)
    status = "certified"
    if refutation is not None:
        refutation = {"concept": concept, **refutation}
        most = [str(value) for value in outcome.best_response_values or ()]
        certificate = {"kind": "best-response", "nash_conv": str(outcome.nash_conv), "best_response_values": most}
        concept, status = "nash", "limit-reached" if outcome.nash_conv else "certified"
        for player, side in enumerate(strategies):
            weight, sets = outcome[player].plan.weight, sequence_form(game, limits).sequences[player].sets
            side.off_path[:] = [weight[prior] == 0 for _, prior, _, _ in sets]  # as this concept asks
    values = outcome.values
    assert values is not None
    bounds = None if game.constant_sum is None else (values[0], values[0])
    if status != "certified":
        bounds = outcome.proven_bounds
    return Claim(concept, status, strategies, values, certificate, bounds, refutation=refutation, digest=game.digest)


def plans(one: list[list[int]], two: list[list[int]], **changes: Any) -> dict[str, Any]:
    x, y = ([[str(w) for w in plan] for plan in side] for side in (one, two))
    return {"kind": "ranked-plans", "X": x, "Y": y, **changes}


def polynomials(one: list[list[int]], two: list[list[int]], trembles: Any = "any") -> dict[str, Any]:
    x, y = ([[str(w) for w in row] for row in side] for side in (one, two))
    return {"kind": "polynomials", "X": x, "Y": y, "denominator": [x[0][0], y[0][0]], "trembles": trembles}


def dominated(player: int, change: list[int], **cost: str) -> dict[str, Any]:
    deviation = [[q + 1, str(w)] for q, w in enumerate(change) if w]
    return {"kind": "dominated", "player": player, "deviation": deviation, **cost}


def reply(infoset: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "reply", "player": 1, "infoset": infoset, **more}


def subgame(path: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "subgame", "player": 1, "path": path, **more}


def late() -> Any:
    """Return a game in which `in` pays player 1 only after six mistakes of player 2, who does not care."""
    builder = tremble.TreeBuilder(title="late")
    builder.decision(0, "start", ("out", "in"))
    builder.leaf(0, 0)
    for k in range(6):
        builder.decision(1, f"chance {k}", ("stop", "go"))
        builder.leaf(0, 0)
    builder.leaf(1, 0)
    return builder.finish()


LATE = late()
SAFE = tremble.matrix_game([[2, 3, 4], [2, 2, 9]])  # Player 2 plays the first column
HALF = tremble.matrix_game([[1, F(3, 2), 2], [1, 1, F(9, 2)]])
LAST = tremble.matrix_game([[4, 3, 2], [9, 2, 2]])  # SAFE with the columns in reverse order
TWINS = tremble.matrix_game([[1, 1], [0, 0]])  # both columns cost nothing
TIE = tremble.matrix_game([[1], [1], [0]], [[0], [1], [0]])  # one-shot, of any sum
SAFE_2 = tremble.matrix_game([[-2, -2], [-3, -2], [-4, -9]])  # SAFE with the players exchanged
TIE_2 = tremble.matrix_game([[0, 1, 0]], [[1, 1, 0]])
GIFT = tremble.matrix_game([[1, 0], [0, 0]], [[1, 0], [0, 0]])
PENNIES = tremble.matrix_game([[1, -1], [-1, 1]])
ANY_SUM = tremble.load("battle_outside")
INDUCED = "backward-induction"
LEVELS = [[1, 1, 0, 0], [2, 1, 1, 0], [20, 10, 9, 1]]  # of the columns of SAFE
STAY, ENTER = [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 0], [0, 1]]  # of player 1 in OUTSIDE
EQUAL = tremble.matrix_game([[1, 0], [0, 1]])
TOP = tremble.matrix_game([[0, 0], [1, 0], [2, 1]])
ONE_SIDED = "one-sided-quasi-perfect"

# Game, claim, and a part of the problem; an empty text where the claim is accepted.
CASES: list[tuple[Any, Claim, str]] = [
    # ranked-plans
    (SAFE, claim(SAFE, [[1, 0]], [[1, 0, 0]], "proper", plans([[2, 1, 1]], LEVELS)), ""),
    (SAFE, claim(SAFE, [[1, 0]], [[1, 0, 0]], "proper", plans([[2, 1, 1]], LEVELS[:2])), "plays nothing costlier"),
    (SAFE, claim(SAFE, [[1, 0]], [[1, 0, 0]], "proper", plans([[2, 1, 1]], LEVELS, kind="x")), "certificate.kind"),
    (SAFE, claim(SAFE, [[0, 1]], [[1, 0, 0]], "proper", plans([[2, 1, 1]], LEVELS)), "no best response to this plan"),
    (SAFE, claim(SAFE, [[1, 0]], [[1, 0, 0]], "proper", plans([[2, 1, 1]], [*LEVELS, [0, 0, 0, 0]])), "be zero"),
    (SAFE, claim(SAFE, [[1, 0]], [[1, 0, 0]], "proper", plans([[2, 1, 1]], [*LEVELS, [2, 4, -1, -1]])), "be negative"),
    (SAFE, claim(SAFE, [[1, 0]], [[1, 0, 0]], "proper", plans([[2, 1, 1]], [*LEVELS, [2, 1, 0, 0]])), "do not sum"),
    *((SAFE, claim(SAFE, [[1, 0]], [[1, 0, 0]], "proper", plans([[2, 1, 1]], LEVELS, X=x)), "certificate.X: must be")
      for x in ([], 5, "5")),
    (TWINS, claim(TWINS, [[1, 0]], [[1, 0]], "proper", plans([[1, 1, 0], [2, 1, 1]], [[2, 1, 1]])), ""),
    (TWINS, claim(TWINS, [[1, 0]], [[1, 0]], "proper", plans([[1, 1, 0], [2, 1, 1]], [[1, 1, 0]])), "nothing costlier"),
    (TIE, claim(TIE, [[0, 1, 0]], [[1]], "proper", plans([[1, 1, 0, 0], [1, 0, 0, 1]], [[1, 1]])), ""),
    (TIE, claim(TIE, [[0, 1, 0]], [[1]], "proper", plans([[1, 0, 0, 1], [1, 1, 0, 0]], [[1, 1]])), "is no rarer than"),
    (TIE, claim(TIE, [[0, 1, 0]], [[1]], "proper", plans([[1, 1, 0, 0]], [[1, 1]])), "is played by no stated plan"),
    (TIE, claim(TIE, [[0, 1, 0]], [[1]], "proper", plans([[2, 1, 0, 1]], [[1, 1]])), "is no rarer than '1'"),
    (SAFE_2, claim(SAFE_2, [[1, 0, 0]], [[1, 0]], "proper", plans(LEVELS, [[2, 1, 1]])), ""),
    (SAFE_2, claim(SAFE_2, [[1, 0, 0]], [[0, 1]], "proper", plans(LEVELS, [[2, 1, 1]])), "no best response to this"),
    (TIE_2, claim(TIE_2, [[1]], [[0, 1, 0]], "proper", plans([[1, 1]], [[1, 0, 0, 1], [1, 1, 0, 0]])), "no rarer than"),
    # dominated
    (SAFE, claim(SAFE, [[0, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1], cost="7")), "it loses"),
    (SAFE, claim(SAFE, [[0, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1], cost="699/100")), ""),
    (SAFE, claim(SAFE, [[0, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1], cost="0")), ""),
    (SAFE, claim(SAFE, [[0, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1], cost="-1")), "never gains"),
    (SAFE, claim(SAFE, [[0, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1])), "against some strategy it loses"),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "normal-form-perfect", None, dominated(2, [1, -1])), ""),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "proper", None, dominated(2, [1, -1])), ""),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "proper", None, dominated(2, [1, -1], cost="0")), ""),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "normal-form-perfect", None, dominated(2, [1, -1], cost="9")), "absent"),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "normal-form-perfect", None, dominated(2, [1, 0])), "do not sum"),
    (GIFT, claim(GIFT, [[1, 0]], [[1, 0]], "normal-form-perfect", None, dominated(2, [1, -1])), "negative weight"),
    (GIFT, claim(GIFT, [[1, 0]], [[1, 0]], "normal-form-perfect", None, dominated(2, [])), "never gains"),
    (PENNIES, claim(PENNIES, [[1, 1]], [[1, 1]], "normal-form-perfect", None, dominated(1, [1, -1])), "it loses"),
    # Player 1 does not reach `after l`, so a change must not take weight from what it would play there.
    (OUTSIDE, claim(OUTSIDE, STAY, [[1, 1]], "proper", None, dominated(1, [0, 0, -1, 1, 0, 0])), "negative weight"),
    (OUTSIDE, claim(OUTSIDE, [[1, 0], [0, 1], [0, 1]], [[1, 1]], "proper", None, dominated(1, [0, 0, 1, -1, 0, 0])),
     "negative weight"),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "proper", None,
                 {"kind": "dominated", "player": 2, "deviation": [[2, "-1"], [1, "1"]]}), "beyond those before"),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "proper", None,
                 {"kind": "dominated", "player": 2, "deviation": [[True, "1"], [2, "-1"]]}),
     "not a number from 1 to 2"),
    (HALF, claim(HALF, [[0, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1], cost="4")), "it loses"),
    (HALF, claim(HALF, [[0, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1], cost="3")), ""),
    (SAFE, claim(SAFE, [[1, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1], cost="9/2")), "it loses"),
    (SAFE, claim(SAFE, [[1, 1]], [[1, 0, 0]], "proper", None, dominated(1, [1, -1], cost="4")), ""),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "proper", None, dominated(2, [1, -1], more="1")), "there is no such field"),
    (EQUAL, claim(EQUAL, [[0, 1]], [[1, 0]], "proper", None, dominated(1, [1, -1])), "it loses"),
    (LAST, claim(LAST, [[0, 1]], [[0, 0, 1]], "proper", None, dominated(1, [1, -1], cost="0")), ""),
    (TOP, claim(TOP, [[1, 0, 0]], [[1, 0]], "normal-form-perfect", None, dominated(1, [-1, 0, 1])), ""),
    (TOP, claim(TOP, [[1, 0, 0]], [[1, 0]], "normal-form-perfect", None, dominated(1, [-2, 1, 1])), ""),
    # Player 1 loses 1 by `in`. A move after `in` is allowed only if `in` is.
    (OUTSIDE, claim(OUTSIDE, STAY, [[1, 0]], "proper", None, dominated(2, [-1, 1], cost="1")), ""),
    (OUTSIDE, claim(OUTSIDE, STAY, [[1, 0]], "proper", None, dominated(2, [-1, 1], cost="1/2")), "never gains"),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], "proper", None, dominated(1, [1, -1, -1, 0, 0, -1])), ""),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], "proper", None, dominated(1, [1, -1, -1, 0, 0, -1], cost="-1")),
     "never gains"),
    # reply
    (OUTSIDE, claim(OUTSIDE, STAY, [[1, 1]], ONE_SIDED, None, reply(1)), "every played action is best"),
    (OUTSIDE, claim(OUTSIDE, STAY, [[1, 1]], ONE_SIDED, None, reply(2)), "every played action is best"),
    (OUTSIDE, claim(OUTSIDE, STAY, [[1, 1]], ONE_SIDED, None, reply(3)), "every played action is best"),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], ONE_SIDED, None, reply(1)), ""),
    (OUTSIDE, claim(OUTSIDE, [[1, 0], [0, 1], [0, 1]], [[1, 1]], ONE_SIDED, None, reply(2)), ""),
    (OUTSIDE, claim(OUTSIDE, [[1, 0], [1, 0], [1, 0]], [[1, 1]], ONE_SIDED, None, reply(3)), ""),
    (OUTSIDE, claim(OUTSIDE, [[1, 0], [0, 1], [1, 0]], [[1, 1]], ONE_SIDED, None, reply(0)), "no information set"),
    (OUTSIDE, claim(OUTSIDE, [[1, 0], [0, 1], [0, 1]], [[1, 1]], ONE_SIDED, None, reply(4)), "no information set"),
    (OUTSIDE, claim(OUTSIDE, [[0, 1], [0, 1], [0, 1]], [[1, 1]], ONE_SIDED, None, reply(True)), "no information set"),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], ONE_SIDED, None, reply(1, more=1)), "there is no such field"),
    # subgame, best-response
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], "perfect", None, subgame([])), ""),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], "perfect", None, subgame([], more=1)), "there is no such field"),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], "perfect", None, subgame([1])), "not a list of action labels"),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], "perfect", None, subgame("")), "not a list of action labels"),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], "proper", None, {"kind": "best-response"}), ""),
    (OUTSIDE, claim(OUTSIDE, ENTER, [[1, 1]], "proper", None, {"kind": "best-response", "player": 1}), "no such field"),
    # normal-form-perfect
    (GIFT, claim(GIFT, [[1, 0]], [[1, 0]], "normal-form-perfect", polynomials([[2, 1, 1]], [[2, 1, 1]], None)), ""),
    (GIFT, claim(GIFT, [[1, 0]], [[1, 0]], "normal-form-perfect", polynomials([[2, 1, 1]], [[2, 1, 1]])), ""),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "normal-form-perfect", polynomials([[2, 1, 1]], [[2, 1, 1]])), "earns more"),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "normal-form-perfect", polynomials([[1, 0, 1]], [[1, 0, 1]])),
     "not completely mixed"),
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "normal-form-perfect",
                 polynomials([[1, 0, 1]], [[1, 0, 1]], ["none", "none"])), "not completely mixed"),
    # The plan plays the second row with its least weight only, but the strategy plays it.
    (GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "normal-form-perfect", polynomials(*[[[1, 1, 0], [0, -1, 1]]] * 2, None)),
     "earns more"),
    (OUTSIDE, claim(OUTSIDE, [[1, 0], [0, 1], [1, 0]], [[1, 1]], "normal-form-perfect",
                    polynomials([[4, 2, 2, 1, 1, 1, 1]], [[2, 1, 1]])), ""),
    # backward-induction
    (LATE, claim(LATE, [[0, 1]], [[1, 0]] * 6, "perfect", {"kind": INDUCED, "trembles": None}), ""),
    (LATE, claim(LATE, [[1, 0]], [[1, 0]] * 6, "perfect", {"kind": INDUCED, "trembles": None}), "at order e^6"),
    (LATE, claim(LATE, [[1, 0]], [[1, 0]] * 6, "quasi-perfect", {"kind": INDUCED, "trembles": None}), "at order e^6"),
    (LATE, claim(LATE, [[0, 1]], [[1, 1]] + [[1, 0]] * 5, "perfect", {"kind": INDUCED, "trembles": None}),
     "no action has probability 1"),
    (LATE, claim(LATE, [[0, 1]], [[1, 0]] * 6, "perfect", {"kind": INDUCED, "trembles": [None, [["1", "1"]] * 6]}),
     "certificate.trembles[0]: null"),
    (LATE, claim(LATE, [[0, 1]], [[1, 0]] * 6, "perfect",
                 {"kind": INDUCED, "trembles": [[["1", "1"]], [["0", "1"]] * 6]}), "must be positive"),
    (PENNIES, claim(PENNIES, [[1, 1]], [[1, 1]], "perfect", {"kind": INDUCED, "trembles": None}), "has one node"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CASES)))
def test_hand_made_claims(number: int) -> None:
    game, stated, problem = CASES[number]
    found = check(game, stated)
    assert found.ok == (not problem), found.problems
    assert not problem or any(problem in text for text in found.problems), found.problems


def test_own_later_mistakes_count_for_perfect_equilibria_only() -> None:
    """Player 1 takes 1 at once, or moves twice and takes 1 unless it errs."""
    builder = tremble.TreeBuilder(title="twice")
    builder.decision(0, "first", ("take", "wait"))
    builder.leaf(1, 0)
    builder.decision(0, "second", ("take", "lose"))
    builder.leaf(1, 0)
    builder.leaf(0, 0)
    game, certificate = builder.finish(), {"kind": INDUCED, "trembles": None}
    for concept, accepted in (("perfect", False), ("quasi-perfect", True)):
        assert check(game, claim(game, [[0, 1], [1, 0]], [], concept, certificate)).ok == accepted


def test_general_sum_trees_have_no_proof_of_properness() -> None:
    solution = tremble.solve(ANY_SUM)
    one, two = ([[int(p * 60) for p in row] for row in side] for side in solution.strategies)
    found = check(ANY_SUM, claim(ANY_SUM, one, two, "proper", plans([[4, 2, 2, 1, 1]], [[2, 1, 1]])))
    assert any("a one-shot game" in text for text in found.problems), found.problems


@pytest.mark.parametrize(
    ("change", "cost", "steps"), [(1, {}, 0), (2**600, {}, 4 * 21), (1, {"cost": f"1/{2**600}"}, 3 * 21)]
)
def test_long_numbers_of_a_dominated_strategy_cost_steps(change: int, cost: dict[str, str], steps: int) -> None:
    """A product of numbers of 601 bits and 1 bit costs 21, for each of 4 payoffs or for each of 3 sequences."""
    spent = []
    for stated in (dominated(2, [1, -1]), dominated(2, [change, -change], **cost)):
        limits = Limits(10**9, 10**9)
        assert check(GIFT, claim(GIFT, [[0, 1]], [[0, 1]], "proper", None, stated), limits).ok
        spent.append(10**9 - limits.steps)
    assert spent[1] - spent[0] == steps
