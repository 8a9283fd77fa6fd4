r"""Sequential equilibria: consistent beliefs at every information set, and play that is best given these beliefs.

Definition (Kreps and Wilson 1982).  Strategies and beliefs are *consistent* if they are limits of completely mixed
strategies and of their beliefs by Bayes' rule. They are *rational* if, at every information set, the strategy
from this set on is a best response, given the belief. A sequential equilibrium is consistent and rational.

A completely mixed plan gives each sequence q a weight x_q that depends on epsilon. Only the leading term of x_q matters
for the limits: an *amount* times a power of epsilon. The exponent is the *order*. A certificate of kind `polynomials`
states the plans (see `quasi_perfect`). A certificate of kind `consistent-trembles` states a number w_a > 0 and an order
k_a >= 1 for each action. If the strategy has the probabilities sigma_a at a set, the completely mixed strategy then is

.. math::  (\sigma_a + w_a\,\epsilon^{k_a}) \,/\, (1 + \sum_b w_b\,\epsilon^{k_b}).

Its leading term is sigma_a if the strategy plays a, and :math:`w_a\,\epsilon^{k_a}` otherwise. In a sequence, amounts
multiply and orders add up.

Theorem.  Let m(I) be the lowest order with which chance and the other player lead to information set I, and let y_q be
the leading amounts of the other player. Strategies and beliefs are a sequential equilibrium if, for both players,

1. at a node h of I, where the other player has the sequence q, the belief is proportional to y_q times the probability
   of chance's moves to h if q has the order m(I), and is 0 otherwise;
2. every played action attains the maximum V_I of :math:`u_{Ia} = \sum_q U_{Ia,q}\,y_q + \sum_{I'} V_{I'}`, where q runs
   over the sequences of order m(I), and I' over the sets that directly follow (I, a) and have m(I') = m(I).

Proof.  By perfect recall, the player's plan cancels from the beliefs. So the beliefs in (1) are the limits, which
proves consistency. Given the belief, the expected payoff of a is u_Ia, divided by a positive number that depends only
on I. The sum over I' omits only sets whose probability, given (I, a), tends to 0. Beliefs at later sets are updates of
the earlier beliefs. So if no single action is better, no strategy is better (the one-shot deviation principle).

By convention, sets that chance never reaches have no belief, and any play is valid there. No definition covers them.

Source: D. Kreps and R. Wilson, Sequential equilibria, Econometrica 50 (1982), 863-894.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from tremble.check.best_response import losing, probabilities, realization_plan
from tremble.check.case import Case, Paths, pairs
from tremble.check.claim import Wrong, brief, exact, fields, list_of, short, unequal
from tremble.check.limits import length_of
from tremble.check.quasi_perfect import TremblingPlan, lowest_degree, prove_by_plans, weights_and_orders


@dataclass(frozen=True)
class LeadingTerms:
    """The leading terms of the weights of a player's S sequences."""

    order: list[int]  # [S]: the orders, or their ranks
    amount: list[int]  # [S]: the amounts times a common positive factor


@dataclass(frozen=True)
class Reach:
    """The leading terms of the weights with which chance and the other player reach the nodes of an information set."""

    order: int | None  # m(I); None if chance never reaches the set
    nodes: list[int]  # in preorder
    amount: list[int]  # the amount of each node at the order m(I), times a common positive factor


def prove_sequential(case: Case) -> None:
    """Check a claim with the concept `sequential`, by (1) and (2) of the module's theorem."""
    if case.claim.certificate.get("kind") == "consistent-trembles":
        fields(case.claim.certificate, ("kind", "trembles", "orders"), "certificate")
        terms = [_stated_terms(case, player) for player in (0, 1)]
    else:
        plans = prove_by_plans(case)
        if plans is None:
            return
        terms = [_terms_of_plan(plan) for plan in plans]
    if case.claim.beliefs is None:
        raise Wrong("beliefs: missing; the concept 'sequential' needs beliefs")
    paths = Paths(case.game)
    for player in (0, 1):
        reach = _reach(case, player, terms[1 - player])
        _check_beliefs(case, player, reach, paths)
        _check_rationality(case, player, [at.order for at in reach], terms[1 - player])


def _terms_of_plan(plan: TremblingPlan) -> LeadingTerms:
    """Return the leading terms of the plan's polynomials. `check_plan` has proven that no polynomial is 0."""
    order = [lowest_degree(weight) or 0 for weight in plan.by_sequence]
    return LeadingTerms(order, [weight[d] for weight, d in zip(plan.by_sequence, order, strict=True)])


def _stated_terms(case: Case, player: int) -> LeadingTerms:
    """Compute the leading terms of a player's sequences from a certificate of kind `consistent-trembles`."""
    sides = []
    for name in ("trembles", "orders"):
        stated = case.claim.certificate[name]
        side = None if stated is None else list_of(stated, 2, f"certificate.{name}")[player]
        if stated is not None and not isinstance(side, list | tuple):
            raise Wrong(
                f"certificate.{name}[{player}]: must list numbers for each information set, to compute the beliefs"
            )
        sides.append(side)
    weight, order = weights_and_orders(case, player, *sides)
    played = probabilities(case.claim.strategies[player])
    sequences = case.form.sequences[player]
    where = f"certificate.trembles[{player}]"
    amounts = realization_plan(sequences, [p or w for p, w in zip(played, weight, strict=True)], case.limits, where)
    orders = [0] * sequences.count
    for _, prior, first, end in sequences.sets:
        for q in range(first, end):
            orders[q] = orders[prior] + (0 if played[q - 1] else order[q - 1])
    # Stated orders may be huge. Their ranks fit int64, and comparisons of ranks have the same results.
    rank = {value: i for i, value in enumerate(sorted(set(orders)))}
    return LeadingTerms([rank[value] for value in orders], amounts.weight)


def _reach(case: Case, player: int, other: LeadingTerms) -> list[Reach]:
    """Return each set's nodes, the lowest power of epsilon in the nodes' weights, and this power's coefficients."""
    game, chance = case.game, case.form.chance
    own = np.flatnonzero(game.player == player)
    own = own[np.lexsort((game.preorder[own], game.infoset[own]))]
    ends = np.searchsorted(game.infoset[own], np.arange(len(game.actions[player]) + 1)).tolist()
    faced = case.form.sequences[1 - player].at_node[own].tolist()
    weight = [chance.weight[number] for number in chance.number[own].tolist()]
    longest = max(map(int.bit_length, other.amount)), max(map(int.bit_length, chance.weight))
    case.limits.charge("beliefs", *longest, len(own))
    nodes = own.tolist()
    result = []
    for first, end in pairwise(ends):
        span = range(first, end)
        order = min((other.order[faced[i]] for i in span if weight[i]), default=None)
        amount = [weight[i] * other.amount[faced[i]] if other.order[faced[i]] == order else 0 for i in span]
        result.append(Reach(order, nodes[first:end], amount))
    return result


def _check_beliefs(case: Case, player: int, reach: Sequence[Reach], paths: Paths) -> None:
    """Check condition 1 of the theorem: the stated beliefs are the limits given by the weights' leading terms."""
    case.checked.add("beliefs")
    where = f"beliefs[{player}]"
    stated = pairs(list_of(case.claim.beliefs, 2, "beliefs")[player], where)
    if [k for k, _ in stated] != list(range(len(reach))):
        raise Wrong(f"{where}: must have one row for each of the {len(reach)} information sets, in order")
    for (k, nodes), at in zip(stated, reach, strict=True):
        belief = pairs(nodes, where)
        if at.order is None:
            if belief:
                case.add(player, k, "chance never reaches this set, so it must have no belief")
        elif len(belief) != len(at.nodes):
            case.add(player, k, f"the belief names {len(belief)} nodes, but the set has {len(at.nodes)}")
        else:
            _check_belief(case, case.place(player, k), belief, at, paths)


def _check_belief(case: Case, place: str, belief: Sequence[tuple[Any, Any]], at: Reach, paths: Paths) -> None:
    """Check the belief at one information set."""
    total = sum(at.amount)
    for i, ((path, given), node, amount) in enumerate(zip(belief, at.nodes, at.amount, strict=True)):
        probability = exact(given, f"{place}: the belief in node {i + 1}")
        case.limits.charge("beliefs", length_of(probability), total.bit_length(), 2)
        if not isinstance(path, list | tuple) or not paths.leads_to(path, node):
            case.problems.add(f"{place}: node {i + 1} of the belief is not {paths.name(node)}, but {_in_words(path)}")
        elif probability.numerator * total != amount * probability.denominator:
            true = Fraction(amount, total)
            case.problems.add(f"{place}: the belief in {_in_words(path)} is {unequal(probability, true)}")


def _in_words(path: Any) -> str:
    """Format a stated path for a message."""
    if not isinstance(path, list | tuple) or not all(isinstance(label, str) for label in path):
        return brief(path)
    return repr(" / ".join([*(label[:60] for label in path[:20]), *(["..."] if len(path) > 20 else [])]))


def _check_rationality(case: Case, player: int, orders: Sequence[int | None], other: LeadingTerms) -> None:
    """Check condition (2) of the theorem: every played action is best, given the belief."""
    sequences, payoffs = case.form.sequences[player], case.form.payoffs[player]
    never = max(other.order) + 1  # replaces the order of the empty sequence, and of sets that chance never reaches
    order = [never] * sequences.count
    for (_, _, first, end), lowest in zip(sequences.sets, orders, strict=True):
        order[first:end] = [never if lowest is None else lowest] * (end - first)
    kept = np.array(order)[payoffs.own] == np.array(other.order)[payoffs.other]
    worth = payoffs.against(other.amount, sequences.count, case.limits, kept)
    for _, prior, first, end in reversed(sequences.sets):
        if order[prior] == order[first]:
            worth[prior] += max(worth[first:end])
    strategy = case.claim.strategies[player]
    for k, q, better in losing(sequences, worth):
        if strategy.numerator[q - 1]:
            action, best = case.action(player, k, q), case.action(player, k, better)
            probability = short(Fraction(strategy.numerator[q - 1], strategy.denominator[k]))
            text = f"{action} is played with probability {probability}, but given the belief {best} earns more"
            case.add(player, k, text)
