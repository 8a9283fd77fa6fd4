r"""Proper equilibria: whoever makes mistakes makes the costlier ones more rarely, by an order.

An equilibrium is proper (Myerson 1978, of the matrix of all strategies) if it is the limit of completely mixed
strategies, in which of two pure strategies the one that earns less against the other player is played at most
:math:`\epsilon` times as often. What a player does where its own strategy never comes is no part of it.

Let x be the plan of a player, p, and let a sequence q of the other player *cost*

.. math::  c_q = \sum_{(I,a) \text{ in } q} (V_I - u_{(I,a)}) ,

where :math:`u_{(I,a)}` is what the other earns by a against x if it does its best from there on, weighted by the
probability that chance and x come to I, and :math:`V_I` the greatest of these. The certificate of kind ``ranked-plans``
states plans z of the other. Proven is, besides that the strategies are an equilibrium, that for both players

1. x is a best reply to each z;
2. every sequence q of the other is played by some z that plays nothing costlier than q.

**Theorem.** If the payoffs have a constant sum, the equilibrium is proper exactly if there are such plans.

*Matrix games.* Let :math:`e_j` be what x earns against column j, and :math:`J_t` the columns with
:math:`e_j \le t`. (2) says that for every t the sum of some z has the support :math:`J_t`. By (1), if x' earns no less
than x against any column in :math:`J_t`, then it earns as much against each; call that (*). By linear programming
duality (*) is as much.

*Proper implies (*).* Let :math:`x^\epsilon, y^\epsilon` be mixed as the definition has it. x is a best reply to
:math:`y^\epsilon`: what is not is played at most :math:`\epsilon` times as often as what is. Let x' contradict (*): it
earns :math:`d_j \ge 0` more against j in :math:`J_t`, and :math:`d_i > 0` against i. Every column beyond :math:`J_t` is
costlier than i, so that :math:`\sum_j y^\epsilon_j d_j \ge y^\epsilon_i\,(d_i - O(\epsilon)) > 0`, and x would be no
best reply.

*(*) implies proper.* If (*) holds for x, then e is the greatest vector that there is, when all are sorted and compared
from the least component on: at the first t at which another one is greater, it contradicts (*). So all x of this kind
have the same e. There are proper :math:`x^*, y^*` (Myerson); they satisfy (*), so they earn what x and y earn:
:math:`A^T x = A^T x^*` and :math:`A y = A y^*`. Take :math:`x^\epsilon, y^\epsilon` of theirs, and
:math:`(1-s)\,x + s\,x^\epsilon` and :math:`(1-s)\,y + s\,y^\epsilon`. These rank pure strategies as
:math:`x^\epsilon, y^\epsilon` do: differences between unequal components of e decide, and where there are none
those of :math:`x^\epsilon`. What x plays is a best reply to :math:`y^\epsilon`, since x is, as :math:`x^*` is. So
whatever is no best reply is played s times as often as in :math:`x^\epsilon`, whatever is one at least as often. As s
and :math:`\epsilon` vanish, that is the definition, with the limits x and y.

*Trees.* Columns are now the pure plans of the other; such a plan costs the sum of :math:`V_I - u_{(I,a)}` over its
sequences. :math:`J_t` spans the same plane as :math:`F_t`, all plans on sequences with :math:`c_q \le t`: for each
of these there is a plan that plays it and makes no further mistake. Let t be a level at which :math:`F_t` grows. A pure
plan of :math:`F_t` that has k new mistakes is one of the last level, plus k differences of plans that have one of them
each, and these cost t. So near plans of the last level :math:`F_t` is the hull of :math:`J_t`, and a plan with the
support of :math:`F_t`, mixed with enough of those before, is a mixture of all of :math:`J_t`. Hence (*) may be asked
with :math:`F_t` in place of :math:`J_t`, level by level, and that is (1) and (2).

*Any sum.* (*) is necessary, by the same proof, but not enough: mistakes that cost the same may have to be ranked by
those of the other. Of one-shot games, in which each player has one information set, the definition itself is checked:
with :math:`z_1, z_2, \dots` the stated plans of a player, in their order, and :math:`\delta` an infinitesimal, the
mixed strategies are :math:`x + \sum_k \delta^k z_k`, over their sum. Every action is played, and whichever earns less
than another, as polynomials in :math:`\delta`, is played at a higher order. Of other games nothing is proven.

References
----------
R. B. Myerson: Refinements of the Nash equilibrium concept, International Journal of Game Theory 7, 1978.
E. van Damme: Stability and Perfection of Nash Equilibria, Springer, second edition 1991, section 3.5 (Dresher's
procedure: matrix games).
P. B. Miltersen, T. B. Sørensen: Fast algorithms for finding proper strategies in game trees, SODA 2008.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

from tremble.verifier.budget import budget, listening
from tremble.verifier.certificates.ranked_plans import RankedPlansCertificate
from tremble.verifier.concepts.nash import check_refinement
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.tree import against, earn, respond, sequence_weights

__all__ = ["check_proper", "costs_of_mistakes"]


def check_proper(context: CheckContext) -> None:
    """Check what a solution with the concept ``proper`` states: certified or bounded."""
    check_refinement(context, _prove, of_plans=True)


def _prove(context: CheckContext) -> None:
    stated = RankedPlansCertificate.read(context)
    if stated is None:
        return
    before = len(context.problems)
    for player in (0, 1):
        _require_plans(context, player, stated.plans[player])
    if len(context.problems) > before:
        return
    if context.evaluation.constant_sum is not None:
        for player in (0, 1):
            _check_replies(context, player, stated.plans[1 - player])
    elif any(len(own.before) > 1 for own in context.evaluation.sequences):
        context.problems.add(
            "certificate.kind: 'ranked-plans' proves a proper equilibrium where the payoffs have a constant sum, and "
            "of one-shot games"
        )
    else:
        _check_ranks(context, stated.plans)


def costs_of_mistakes(context: CheckContext, player: int) -> tuple[list[int], int]:
    """What each sequence of the other costs it against the stated strategy of a player, as integers over a unit."""
    evaluation, table = context.evaluation, context.solution.tables[player]
    other = evaluation.sequences[1 - player]
    weight, scale = sequence_weights(evaluation.sequences[player], table)
    worth = against(*evaluation.cells.seen_by(1 - player), weight, other.num_sequences)
    respond(other, worth)
    costs = [0] * other.num_sequences
    for _, prior, first, end in listening(other.sets):
        best = max(worth[first:end])
        for q in range(first, end):
            costs[q] = costs[prior] + best - worth[q]
    return costs, evaluation.cells.denominator * scale


def _require_plans(context: CheckContext, player: int, plans: list[list[int]]) -> None:
    """The rows are plans of a player, each times a positive integer."""
    sets = context.evaluation.sequences[player].sets
    for i, plan in enumerate(listening(plans)):
        where = f"certificate.{'XY'[player]}[{i}]"
        negative = next((q for q, weight in enumerate(plan) if weight < 0), None)
        if plan[0] <= 0 or negative is not None:
            context.problems.add(
                f"{where}[{negative or 0}]: a plan times a positive integer, not {'negative' if negative else 'zero'}"
            )
        for k, prior, first, end in sets:
            if sum(plan[first:end]) != plan[prior]:
                context.problems.add(f"{where}: {context.place(player, k)}: the actions do not sum to the move before")
                break


def _check_replies(context: CheckContext, player: int, plans: list[list[int]]) -> None:
    """The strategy is a best reply to each plan of the other (1); which together play everything (2)."""
    own, (costs, _) = context.evaluation.sequences, costs_of_mistakes(context, player)
    name, mine = "YX"[player], sequence_weights(own[player], context.solution.tables[player])
    missing = set(range(len(costs)))
    for i, plan in enumerate(plans):
        budget().about = where = f"certificate.{name}[{i}]"
        weights = (mine, (plan, plan[0])) if player == 0 else ((plan, plan[0]), mine)
        value, amount, unit = earn(own, context.evaluation.cells, weights, player)
        if Fraction(respond(own[player], amount), unit) != value:
            context.problems.add(f"{where}: the strategy of player {player + 1} is no best reply to this plan")
            continue
        most = max(cost for cost, weight in zip(costs, plan, strict=True) if weight)
        missing -= {q for q, weight in enumerate(plan) if weight and costs[q] == most}
    for q in sorted(missing)[:1]:
        what = context.move(1 - player, q) if q else f"player {2 - player}, before any move"
        context.problems.add(
            f"certificate.{name}: {what} is not played by any plan that plays nothing costlier"
            + (f"; {len(missing) - 1:,} further moves are not" if len(missing) > 1 else "")
        )


def _check_ranks(context: CheckContext, plans: tuple[list[list[int]], list[list[int]]]) -> None:
    """In a one-shot game: what earns less, as polynomials, is played at a higher order, and everything at some."""
    evaluation = context.evaluation
    mixed = [
        [sequence_weights(evaluation.sequences[player], context.solution.tables[player])[0], *plans[player]]
        for player in (0, 1)
    ]
    for player, rows in enumerate(mixed):
        budget().about = f"certificate.{'YX'[player]}"
        view = evaluation.cells.seen_by(player)
        worth = list(zip(*(against(*view, row, len(rows[0])) for row in mixed[1 - player]), strict=True))
        order = [next((k for k, row in enumerate(rows) if row[q]), len(rows)) for q in range(len(worth))]
        ranked = sorted(range(1, len(worth)), key=lambda q: worth[q], reverse=True)
        rarest: tuple[int, int] | None = None  # of all that earn more: its order, and which it is
        for _, group in groupby(ranked, key=lambda q: worth[q]):
            together = list(group)
            for q in together:
                if order[q] == len(rows):
                    context.problems.add(f"certificate.{'XY'[player]}: {context.move(player, q)} is played by no plan")
                elif rarest is not None and order[q] <= rarest[0]:
                    context.problems.add(
                        f"certificate.{'XY'[player]}: {context.move(player, q)} is no rarer than "
                        f"{context.move(player, rarest[1])}, which earns more against the plans of the other"
                    )
            rarest = max(filter(None, (rarest, *((order[q], q) for q in together))))
