r"""Refutations of kind `mistakes`: no vanishing mistakes of a player make the opponent's play optimal at every set.

Let player p make mistakes in the strategy sigma, and let o be the other player. The refutation states *blocked*
sequences of p, and integers: w for each sequence of o, lambda for each set of p, and mu for each sequence of p. Let
:math:`A_q = \sum_r U_{rq}\,w_r` (payoffs of o), let q end at J(q), and let J run over the sets directly after q. Let

.. math::  \alpha_q = A_q - \sum_{J \text{ after } q} \lambda_J + \lambda_{J(q)} - \mu_q
                      + \sum_{J \text{ after } q,\, b} \sigma_b\,\mu_{Jb}.

Theorem.  Suppose that w >= 0 at the actions that o does not play, and that at every set of o the weights w sum to the
weight of the move before (the empty sequence has weight 0). Suppose that mu is 0 unless the move before is blocked, and
that alpha is positive at blocked sequences and 0 at all others. If at least one sequence is blocked, no completely
mixed plans of p whose behavior tends to sigma make the strategy of o best at every set. So the profile is not
quasi-perfect. The field `tight` of the refutation lists the actions of o that are not played and have w > 0.

Proof.  Suppose that such plans exist. By the curve selection lemma, some of them are power series,
:math:`y = \sum_k y_k\,\epsilon^k`. Let e be the loss of each action of o: e = 0 if o plays the action, and
:math:`e \ge 0` otherwise. In the sum of w e, the best payoffs of the sets cancel, because w sums to the weight of the
move before. So the sum is :math:`-\sum_q A_q\,y_q`. Use induction over k: suppose that y at blocked sequences and e at
*tight* actions (w > 0, not played) have no terms of an order below k. Then the coefficients of order k of these y and
e are at least 0. At each set, the weights of y sum to the weight of the move before, and the ratios of these weights
tend to sigma. So at order k, the sum of w e, which is at least 0, equals :math:`-\sum_q \alpha_q\,y_q`, which is at
most 0. Therefore all these coefficients are 0. Hence y is 0 at blocked sequences, and is not completely mixed.

Let m be the lowest power of epsilon in the probability that chance and y lead to a set. A sequential equilibrium needs
:math:`e \ge 0` at the set only for the coefficients of order m. The coefficients of e of lower orders are 0. To refute
a sequential equilibrium, w must be 0 at every set that chance and an unblocked sequence of p lead to. If w is not 0 at
a set, only blocked sequences lead to the set. In the induction, y at blocked sequences has no terms of an order below
k. So m is at least k, and the coefficients of order k of e at the set are at least 0. A profile that is not sequential
is not extensive-form perfect either. If no player moves twice on a path, a player who has moved makes no later mistake.
Then a perfect profile is quasi-perfect, and w may be positive at every set. A one-sided quasi-perfect equilibrium needs
such plans only for the player who makes mistakes. So the theorem refutes equilibria in which o makes no mistakes.

Source: docs/explanation/deciding.md. Numbers w, lambda and mu exist by Farkas' lemma: R. T. Rockafellar, Convex
Analysis (1970), section 22.
"""

from typing import Any

import numpy as np

from tremble.check.case import Case, ascending, multipliers
from tremble.check.claim import brief, fields, seat
from tremble.check.dominated import check_change, gain_by_sequence
from tremble.check.limits import common_denominator


def check_mistakes(case: Case, stated: Any) -> None:
    """Check that the refutation `stated` satisfies the conditions of the theorem in the module docstring."""
    fields(stated, ("concept", "kind", "player", "blocked", "tight", "deviation", "flow", "ratio"), "refutation")
    erring = seat(stated["player"], "refutation.player")
    mine, theirs = case.form.sequences[erring], case.form.sequences[1 - erring]
    blocked = [False] * mine.count
    for q in ascending(stated["blocked"], "refutation.blocked", range(mine.count)):
        blocked[q] = True
    tight = ascending(stated["tight"], "refutation.tight", range(1, theirs.count))
    weight = multipliers(stated["deviation"], theirs.count, "refutation.deviation")
    flow = multipliers(stated["flow"], len(mine.sets) + 1, "refutation.flow")  # sets count from 1
    ratio = multipliers(stated["ratio"], mine.count, "refutation.ratio")
    if not any(blocked):
        case.problems.add("refutation.blocked: must not be empty, because the proof needs a blocked sequence")
    played = [1, *case.claim.strategies[1 - erring].numerator]
    check_change(case, 1 - erring, weight, played)
    positive = [q for q, w in enumerate(weight) if w > 0 and not played[q]]
    if _compares_plans(case, str(stated["concept"])):
        if tight != positive:
            case.problems.add("refutation.tight: must list the actions that are not played and have a positive weight")
    else:
        _check_unreached(case, erring, blocked, weight)
        if tight:
            concept = brief(stated["concept"])
            case.problems.add(f"refutation.tight: must be empty for the concept {concept} in this game")
    _check_alpha(case, erring, blocked, weight, (flow, ratio))


def _compares_plans(case: Case, concept: str) -> bool:
    """Return True if the concept compares payoffs at all orders in epsilon, not only at the leading order."""
    if concept == "perfect":  # like quasi-perfect if no player moves twice on a path
        return not any(prior for side in case.form.sequences for _, prior, _, _ in side.sets)
    return concept != "sequential"


def _check_unreached(case: Case, erring: int, blocked: list[bool], weight: list[int]) -> None:
    """Check that `weight` is 0 at the opponent's sets to which chance and unblocked sequences of `erring` lead."""
    judged, game = 1 - erring, case.game
    unblocked = ~np.array(blocked)[case.form.sequences[erring].at_node]
    reached = set(game.infoset[(game.player == judged) & case.form.chance.possible & unblocked].tolist())
    for k, _, first, end in case.form.sequences[judged].sets:
        if k in reached and any(weight[first:end]):
            text = "an action has a nonzero weight, but play reaches the set without blocked mistakes"
            case.add(judged, k, text, "refutation.deviation")


def _check_alpha(
    case: Case, erring: int, blocked: list[bool], weight: list[int], stated: tuple[list[int], list[int]]
) -> None:
    """Check that the sums alpha of the module's docstring are positive at blocked sequences and 0 at all others."""
    (flow, ratio), sequences, unit = stated, case.form.sequences[erring], case.form.denominator
    strategy, limits = case.claim.strategies[erring], case.limits
    longest = max(map(int.bit_length, (*weight, *flow, *ratio)))
    alpha = gain_by_sequence(case, 1 - erring, weight)  # times the denominator of the payoffs
    size = max(unit, *map(abs, alpha)).bit_length() + max(map(int.bit_length, strategy.numerator), default=0)
    limits.charge("refutation", longest, size, sequences.count)
    mixed: dict[int, list[tuple[int, int]]] = {}  # for each sequence q, the terms of the last sum in alpha_q
    for k, prior, first, end in sequences.sets:
        alpha[prior] -= unit * flow[k + 1]
        for q in range(first, end):
            alpha[q] += unit * (flow[k + 1] - ratio[q])
            if ratio[q] and not blocked[prior]:
                text = f"{case.action(erring, k, q)} has a multiplier, but the move before is not blocked"
                case.add(erring, k, text, "refutation.ratio")
        total = sum(strategy.numerator[q - 1] * ratio[q] for q in range(first, end))
        if total:
            mixed.setdefault(prior, []).append((unit * total, strategy.denominator[k]))
    for q, value in enumerate(alpha):
        parts = mixed.get(q, [])
        common = common_denominator((bottom for _, bottom in parts), limits, "refutation")
        limits.charge("refutation", longest + size, common.bit_length(), 1 + 2 * len(parts))
        value = value * common + sum(top * (common // bottom) for top, bottom in parts)
        if value <= 0 if blocked[q] else value != 0:
            stands = "positive, although the move is blocked" if blocked[q] else "0, although the move is not blocked"
            case.problems.add(f"refutation: {_move(case, erring, q)}: the sum of the multipliers is not {stands}")


def _move(case: Case, player: int, q: int) -> str:
    """Describe the last move of a sequence, for use in a message."""
    for k, _, first, end in case.form.sequences[player].sets:
        if first <= q < end:
            return f"{case.place(player, k)}: {case.action(player, k, q)}"
    return f"player {player + 1}, before any move"
