r"""Refutations of kind `mistakes`: no vanishing mistakes of one player make the other's strategy best at every set.

Let player p, with the strategy sigma, make mistakes, and let o be the other player. Stated are *blocked* sequences
of p, and integers w by sequence of o, lambda by information set of p, and mu by sequence of p. With
:math:`A_q = \sum_r U_{rq}\,w_r` (payoffs of o), let

.. math::

   \alpha_q = A_q - \sum_{J \text{ after } q} \lambda_J + \lambda_{J(q)} - \mu_q
              + \sum_{J \text{ after } q,\, b} \sigma_b\,\mu_{Jb}.

Theorem.  Suppose that w is not negative where o does not play, that at every set of o the weights w sum to the weight
of the move before (0 for the empty sequence), that mu is 0 unless the move before is blocked, and that alpha is
positive at blocked sequences and 0 elsewhere. If a sequence is blocked, no completely mixed plans of p whose behavior
tends to the strategy of p make the strategy of o best at every set. So the profile is not quasi-perfect.

Proof.  If there are such plans, some are polynomials :math:`y = \sum_k y_k\,\epsilon^k`. Let e be the loss of each
action of o: 0 where o plays, not negative elsewhere. The values V cancel by what w sums to, so that
:math:`\sum w\,e = -\sum_q A_q\,y_q`; by the flow of y, and the limits of its ratios behind blocked sequences, this is
:math:`-\sum_q \alpha_q\,y_q`. By induction over k, all terms before k are 0 at blocked sequences, and so is e at
*tight* actions (w > 0, not played). Then the coefficients at k are not negative there, the left side is not negative,
the right side not positive, and all of them are 0. Blocked sequences have weight 0: y is not completely mixed.

A sequential equilibrium asks for e only at the leading order with which chance and y lead to a set. There w must be 0
at every set that chance and an unblocked sequence of p lead to; other sets are not reached before order k.

Source: docs/explanation/deciding.md. Existence of w, lambda and mu is Farkas' lemma: R. T. Rockafellar, Convex
Analysis (1970), section 22.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tremble.check.best_response import probabilities
from tremble.check.case import Case
from tremble.check.claim import Wrong, fields, integer, seat
from tremble.check.limits import length_of


def check_mistakes(case: Case, stated: Any) -> None:
    """Check the premises of the theorem."""
    fields(stated, ("concept", "kind", "player", "blocked", "tight", "deviation", "flow", "ratio"), "refutation")
    erring = seat(stated["player"], "refutation.player")
    mine, theirs = case.form.sequences[erring], case.form.sequences[1 - erring]
    blocked = [False] * mine.count
    for q in _ascending(stated["blocked"], "refutation.blocked", mine.count):
        blocked[q] = True
    if not any(blocked):
        case.problems.add("refutation.blocked: empty, so that some mistakes may support the profile")
    weight = _pairs(stated["deviation"], theirs.count, "refutation.deviation")
    flow = _pairs(stated["flow"], len(mine.sets) + 1, "refutation.flow")  # sets count from 1
    ratio = _pairs(stated["ratio"], mine.count, "refutation.ratio")
    tight = _ascending(stated["tight"], "refutation.tight", theirs.count)
    _check_deviation(case, 1 - erring, weight, tight, stated["concept"])
    if stated["concept"] == "sequential":
        _check_unreached(case, erring, blocked, weight)
    _check_alpha(case, erring, blocked, weight, (flow, ratio))


def _ascending(stated: Any, where: str, end: int) -> list[int]:
    """Read ascending indices below `end`."""
    if not isinstance(stated, list | tuple) or not all(type(q) is int and 0 <= q < end for q in stated):
        raise Wrong(f"{where}: not a list of numbers below {end}")
    if any(b <= a for a, b in zip(stated, stated[1:])):
        raise Wrong(f"{where}: not ascending")
    return list(stated)


def _pairs(stated: Any, end: int, where: str) -> list[int]:
    """Read pairs [index, integer], ascending from index 1, into a list of length `end`; what is left out is 0."""
    if not isinstance(stated, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in stated):
        raise Wrong(f"{where}: not a list of pairs of an index and an integer as text")
    result = [0] * end
    for index, value in zip(_ascending([i for i, _ in stated], where, end), (v for _, v in stated), strict=True):
        if index == 0:
            raise Wrong(f"{where}: 0 has no multiplier")
        result[index] = integer(value, where)
    return result


def _check_deviation(case: Case, player: int, weight: list[int], tight: list[int], concept: str) -> None:
    """Check w: the sums at every set, no negative weight at unplayed actions, and the list of tight actions."""
    share, positive = case.claim.strategies[player].numerator, []
    for k, prior, first, end in case.form.sequences[player].sets:
        place = f"refutation.deviation: {case.place(player, k)}"
        if sum(weight[first:end]) != weight[prior]:
            case.problems.add(f"{place}: the weights of the actions do not sum to that of the move before")
        for q in (q for q in range(first, end) if not share[q - 1]):
            if weight[q] < 0:
                case.problems.add(f"{place}: {case.action(player, k, q)} is unplayed, but has a negative weight")
            elif weight[q]:
                positive.append(q)
    if tight != (positive if concept == "quasi-perfect" else []):
        case.problems.add("refutation.tight: not the unplayed actions with a positive weight")


def _check_unreached(case: Case, erring: int, blocked: list[bool], weight: list[int]) -> None:
    """Check that w is 0 at sets of the judged player that chance and an unblocked sequence lead to."""
    judged, game = 1 - erring, case.game
    possible = np.array([w > 0 for w in case.form.chance.weight])[case.form.chance.history]
    unblocked = ~np.array(blocked)[case.form.sequences[erring].at_node]
    reached = set(game.infoset[(game.player == judged) & possible & unblocked].tolist())
    for k, _, first, end in case.form.sequences[judged].sets:
        if k in reached and any(weight[first:end]):
            case.problems.add(f"refutation.deviation: {case.place(judged, k)}: reached without blocked mistakes")


def _check_alpha(
    case: Case, erring: int, blocked: list[bool], weight: list[int], multipliers: tuple[list[int], list[int]]
) -> None:
    """Check that alpha is positive at blocked sequences and 0 at all others."""
    (flow, ratio), sequences, unit = multipliers, case.form.sequences[erring], case.form.denominator
    share = probabilities(case.claim.strategies[erring])
    payoffs = case.form.payoffs[1 - erring]
    longest = max(map(int.bit_length, (*weight, *flow, *ratio)))
    case.limits.charge("refutation", longest + unit.bit_length(), max(map(length_of, share)), len(payoffs.own))
    alpha: list[Any] = [0] * sequences.count  # times the denominator of the payoffs
    for own, other, amount in zip(payoffs.own.tolist(), payoffs.other.tolist(), payoffs.amount.tolist(), strict=True):
        alpha[other] += amount * weight[own]
    for k, prior, first, end in sequences.sets:
        alpha[prior] -= unit * flow[k + 1]
        for q in range(first, end):
            if ratio[q] and not blocked[prior]:
                case.problems.add(f"refutation.ratio: {case.place(erring, k)}: the move before is not blocked")
            alpha[q] += unit * (flow[k + 1] - ratio[q])
            alpha[prior] += unit * ratio[q] * share[q - 1]
    for q, value in enumerate(alpha):
        if value <= 0 if blocked[q] else value != 0:
            case.problems.add(f"refutation: alpha of sequence {q} is {'not positive' if blocked[q] else 'not 0'}")
