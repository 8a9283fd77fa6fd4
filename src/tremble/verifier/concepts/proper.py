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

*Any sum.* (*) is necessary, by the same proof. It suffices in one-shot games where each player plays all best replies,
and no two other actions cost the same: then :math:`x + \sum_k \delta^k z_k`, with the plans of the other player's
certificate in the order of their cost and :math:`\delta` small enough, is as the definition has it. Otherwise
mistakes that cost the same may have to be ranked by the mistakes of the other, and nothing is proven here.

References
----------
R. B. Myerson: Refinements of the Nash equilibrium concept, International Journal of Game Theory 7, 1978.
E. van Damme: Stability and Perfection of Nash Equilibria, Springer, second edition 1991, section 3.5 (Dresher's
procedure: matrix games).
P. B. Miltersen, T. B. Sørensen: Fast algorithms for finding proper strategies in game trees, SODA 2008.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from tremble.verifier.budget import budget, listening
from tremble.verifier.certificates.ranked_plans import RankedPlansCertificate
from tremble.verifier.concepts.nash import check_refinement
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.tree import against, earn, respond, sequence_weights

__all__ = ["check_proper", "costs_of_mistakes"]


def check_proper(context: CheckContext) -> None:
    """Check what a solution with the concept ``proper`` states: certified or bounded."""
    check_refinement(context, _prove)


def _prove(context: CheckContext) -> None:
    stated = RankedPlansCertificate.read(context)
    if stated is None:
        return
    for player in (0, 1):
        costs, _ = costs_of_mistakes(context, player)
        if context.evaluation.constant_sum is None and not _without_ties(context, 1 - player, costs):
            context.problems.add(
                f"what ranked plans prove of games without a constant sum needs a one-shot game in which player "
                f"{2 - player} plays all best replies, and no two other actions cost the same"
            )
        _check_plans(context, player, stated.plans[1 - player], costs)


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


def _without_ties(context: CheckContext, player: int, costs: list[int]) -> bool:
    """Whether a player moves once, plays whatever costs nothing, and everything else costs something different."""
    share = context.solution.tables[player].numerator.tolist()
    mistakes = [cost for cost in costs[1:] if cost]
    once = len(context.evaluation.sequences[player].before) <= 1
    return once and all(p or cost for p, cost in zip(share, costs[1:], strict=True)) and _differ(mistakes)


def _differ(costs: list[int]) -> bool:
    return all(a != b for a, b in pairwise(sorted(costs)))


def _check_plans(context: CheckContext, player: int, plans: list[list[int]], costs: list[int]) -> None:
    """The strategy is a best reply to each plan of the other (1); which together play everything (2)."""
    own, other = context.evaluation.sequences, context.evaluation.sequences[1 - player]
    name, mine = "YX"[player], sequence_weights(own[player], context.solution.tables[player])
    missing = set(range(other.num_sequences))
    for i, plan in enumerate(plans):
        budget().about = where = f"certificate.{name}[{i}]"
        negative = next((q for q, weight in enumerate(plan) if weight < 0), None)
        if plan[0] <= 0 or negative is not None:
            context.problems.add(
                f"{where}[{negative or 0}]: a plan times a positive integer, not {'negative' if negative else 'zero'}"
            )
            continue
        wrong = [k for k, prior, first, end in listening(other.sets) if sum(plan[first:end]) != plan[prior]]
        if wrong:
            context.problems.add(
                f"{where}: {context.place(1 - player, wrong[0])}: the actions do not sum to the move before"
            )
            continue
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
