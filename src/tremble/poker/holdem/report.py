r"""Reports over many boards: how a player plays one decision on average, on each of several boards.

Let :math:`w_i` be the weight of the player's hand i at the decision, and :math:`m_i` the sum of the opponent's weights
over the hands without a card of i (see `values`). A report weights hand i by :math:`w_i m_i`, because this is in
proportion to the probability that the player gets to the decision with hand i.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tremble.arguments import described
from tremble.errors import SpecError
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.moves import decision_after
from tremble.poker.holdem.values import values_at
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.stated import StatedSolution

__all__ = ["board_report", "report_rows"]


def board_report(solutions: Iterable[StatedSolution], line: str = "") -> list[dict[str, Any]]:
    """Return a row for each board: how the player who moves after a line plays on average.

    Parameters
    ----------
    solutions : iterable of Solution
        Solutions of flops, turns or rivers of Texas Hold'em.
    line : str
        The moves before the decision, separated by commas. If cards are dealt before the decision, and the line does
        not name them, the report has a row for each deal of these cards.

    Returns
    -------
    list of dict
        The keys are ``board``, ``player`` (1 or 2), ``reached`` (the probability that the decision is reached), and
        the means ``equity``, ``ev`` (in chips), ``ev %`` (in percent of the pot at the decision) and one key for each
        action with its probability. If the decision is never reached, the means have the value None.

    Raises
    ------
    SpecError
        A solution is not one of a flop, turn or river, or no decision follows the moves.

    Examples
    --------
    >>> import tremble
    >>> from tremble.poker import HoldemRiver
    >>> rivers = [HoldemRiver(f"Kh9d7s4c{card}", range1="AA,QJs", range2="KQ,TT") for card in ("2h", "Kd")]
    >>> rows = board_report([tremble.solve(river, method="dcfr", gap=1) for river in rivers])
    >>> [(row["board"], row["equity"] > 0.5) for row in rows]
    [('Kh9d7s4c2h', True), ('Kh9d7s4cKd', False)]
    """
    rows: list[dict[str, Any]] = []
    for solution in [solutions] if isinstance(solutions, StatedSolution) else solutions:
        rules = getattr(getattr(solution, "played", None), "rules", None)
        if not isinstance(rules, HoldemGame) or solution.ordered is None:
            raise SpecError(f"expected solutions of flops, turns or rivers of Texas Hold'em, not {described(solution)}")
        rows += report_rows(rules, solution.ordered, line)
    return rows


def report_rows(
    rules: HoldemGame, profile: tuple[OrderedStrategy, OrderedStrategy], line: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of :func:`board_report` for one solution."""
    node, state = decision_after(rules.tree, rules.deal, line)
    deal, here = rules.deal, rules.tree.nodes[node]
    whole = float(deal.mass) / (deal.unit[0] * deal.unit[1])
    for each in deal.states(here.street, state):
        found = values_at(rules, profile, node, each)
        weight = found.weight * found.met / deal.run_outs(most=len(deal.board) + here.street)
        total = float(weight.sum())

        def mean(numbers: Any, weight: Any = weight, total: float = total) -> float | None:
            return float(np.nansum(weight * numbers) / total) if total > 0 else None

        dealt = "".join(DECK[card] for card in deal.cards_of(each))
        ev = mean(found.ev)
        row: dict[str, Any] = {"board": rules.board + dealt, "player": here.kind + 1, "reached": total / whole}
        row |= {"equity": mean(found.equity), "ev": ev}
        row["ev %"] = None if ev is None else 100 * ev / float(rules.betting.pot + sum(here.paid))
        yield row | {action: mean(found.frequencies[:, k]) for k, action in enumerate(here.actions)}
