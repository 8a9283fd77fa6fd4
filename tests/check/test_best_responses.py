"""Direct tests of payoffs, realization plans, and the numbers that follow from payoffs."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from claims import honest, strategies_of

import tremble
from tremble import check
from tremble.check.best_response import Outcome, Plan, realization_plan
from tremble.check.limits import Limits
from tremble.check.tree import Sequences

ENTRY, NOTHING = tremble.load("entry_deterrence"), tremble.matrix_game([[0, 0], [0, 0]])
ZERO, MOST, WIDE = (F(0), F(0)), (F(1), F(2)), (F(-5), F(5))


@pytest.mark.parametrize(
    ("outcome", "gains", "nash_conv", "certified", "proven"),
    [
        (Outcome(None), None, None, None, None),
        (Outcome(None, MOST, F(0)), None, None, None, (F(-2), F(1))),
        (Outcome(ZERO, None, F(0)), None, None, ZERO, None),
        (Outcome(ZERO, MOST, F(0)), (F(1), F(2)), F(3), ZERO, (F(-2), F(1))),
        (Outcome(ZERO, MOST), (F(1), F(2)), F(3), None, None),
        (Outcome(ZERO, MOST, F(0), bounds=WIDE), (F(1), F(2)), F(3), WIDE, WIDE),
    ],
)
def test_numbers_that_follow_from_payoffs(
    outcome: Outcome, gains: Any, nash_conv: Any, certified: Any, proven: Any
) -> None:
    assert (outcome.gains, outcome.nash_conv) == (gains, nash_conv)
    assert (outcome.certified_bounds, outcome.proven_bounds) == (certified, proven)
    assert outcome.epsilon == 0


LONG = F(1, 2**600 + 1)
THREE_SETS = Sequences(7, [(0, 0, 1, 3), (1, 1, 3, 5), (2, 3, 5, 7)], np.zeros(1))
FOUR_SETS = Sequences(9, [(0, 0, 1, 3), (1, 2, 3, 5), (2, 3, 5, 7), (3, 4, 7, 9)], np.zeros(1))


@pytest.mark.parametrize(
    ("sequences", "factors", "plan", "steps"),
    [
        (THREE_SETS, [F(1, 2), F(1, 2), F(1, 3), F(2, 3), F(1, 4), F(3, 4)], Plan([24, 12, 12, 4, 8, 1, 3], 24), 0),
        (THREE_SETS, [F(0), F(1), F(1), F(0), F(1, 2), F(1, 2)], Plan([1, 0, 1, 0, 0, 0, 0], 1), 0),
        (THREE_SETS, [F(1, 2), F(1, 2), F(2), F(3), F(1, 2), F(5)], Plan([2, 1, 1, 2, 3, 1, 10], 2), 0),
        # Products: 42 + 82 at the first set, 82 for the factor 0, 2 * 82 for the factors 1/2. Common denominator: 63.
        # Weights: 441 + 861 at the first set, 21 for the factor 1, 2 * 21 for the factors 1/2.
        (FOUR_SETS, [LONG, 1 - LONG, F(1), F(0), F(1, 2), F(1, 2), LONG, 1 - LONG],
         Plan([2**600 + 1, 1, 2**600, 2**600, 0, 2**599, 2**599, 0, 0], 2**600 + 1), 1798),
    ],
)  # fmt: skip
def test_a_plan_has_the_products_of_the_factors(sequences: Any, factors: list[F], plan: Plan, steps: int) -> None:
    limits = Limits(10**6, 10**6)
    assert realization_plan(sequences, factors, limits) == plan
    assert 10**6 - limits.steps == steps


BELIEFS: Any = [[(0, [((), F(1))])], [(0, [(("1",), F(1)), (("2",), F(0))])]]


def test_payoffs_and_beliefs_with_long_numbers_cost_steps() -> None:
    """Player 1 plays the first row with a probability of 602 bits, and the second row with one of 1202 bits.

    Payoffs cost 400 for each player, and 44 for the four products with long weights. The value costs 21 for each of
    the three sequences of player 1, and 1 for each of the two played sequences of player 2. A sequential equilibrium
    needs such a plan and such payoffs again. The amounts of two nodes cost 21 each, and their beliefs 882 and 1722.
    """
    strategies, spent = strategies_of(NOTHING, [[1, 2**600]], [[1, 0]]), []
    trembles = {"kind": "consistent-trembles", "trembles": None, "orders": None}
    beliefs = [BELIEFS[0], [(0, [(("1",), LONG), (("2",), 1 - LONG)])]]
    for claim in (honest(NOTHING, strategies), honest(NOTHING, strategies, "sequential", trembles, beliefs=beliefs)):
        limits = Limits(10**9, 10**9)
        assert check.check(NOTHING, claim, limits).ok
        spent.append(10**9 - limits.steps)
    plan, payoffs, value = 42 + 82 + 63 + 441 + 861, 2 * 400 + 44, 3 * 21 + 2
    assert spent == [plan + payoffs + value, 2 * (plan + payoffs) + value + 2 * 21 + 882 + 1722]
