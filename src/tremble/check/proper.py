r"""Proper equilibria: a costlier mistake is rarer by a factor of epsilon.

Definition (Myerson 1978).  A profile is proper if it is the limit, as epsilon tends to 0, of completely mixed profiles
over pure plans with this property: a plan that earns less than another plan is played at most epsilon times as often.

Against the plan x of a player, let u_Ia be the other player's payoff from action a at set I and best later moves. Let
V_I be the greatest u_Ia (see `best_response`). The other player's sequence r *costs* :math:`c_r = \sum (V_I - u_{Ia})`
over the moves (I, a) in r. A pure plan costs the same sum over all sequences (I, a) that it plays: its loss, compared
with a best response. The certificate `ranked-plans` states plans z of both players, scaled to integers.

Theorem.  An equilibrium x, y of a game with a constant sum is proper if, for x and likewise for y,

1. x is a best response to each stated plan z of the other player;
2. for every sequence r of the other player, some z plays r and plays no sequence that costs more than r.

Proof.  Let J_t be the set of the other player's pure plans that cost at most t. For another plan x', let G(j) be the
payoff of x' against j, minus the payoff of x against j. Consider the property

(*) for every x' and t: if :math:`G \ge 0` on J_t, then G = 0 on J_t.

*Lemma.* Fix an action without cost at every set. Let p_r be the pure plan that plays r and, outside of r, the fixed
actions. Then p_r costs c_r. Let f be a vector with a component for each sequence. At every set, let the components of
the actions add up to the component of the move before the set. Then

.. math::  f = f_0\,p_0 + \sum_r f_r\,(p_r - p_{before(r)})

over the r whose last action is not fixed. So if f is 0 on all sequences of cost >= t, f is a linear combination of pure
plans of cost < t. If f is 0 on all sequences of cost > t, f is a linear combination of pure plans in J_t.

*The certificate proves (*),* by induction over t. Let :math:`G \ge 0` on J_t, and G = 0 on pure plans that cost less
than t. An *entry* is a sequence r with c_r = t such that the move before r costs less. For t = 0, the empty sequence is
the entry. Let z be the mean of the stated plans that play nothing costlier than t. By (2), z plays all sequences that
cost t. For an entry r, let :math:`\pi_r` lead to r, behave like z after r, and follow the fixed actions elsewhere. This
is a mixture of pure plans that cost t. By the lemma, G = 0 on the difference of z and :math:`\sum_r z_r\,\pi_r`. By
(1), :math:`G(z) \le 0`. Hence G = 0 on all pure plans in all :math:`\pi_r`. Let j be another pure plan that costs t. By
the lemma, G = 0 on the difference of j and one of these plans, or on j if no sequence of j costs t.

*Proper implies (*),* in all games. Let :math:`G \ge 0` on J_t, and let G(i) > 0 for an i in J_t. Take completely mixed
:math:`y^\epsilon` as in the definition. Pure plans outside J_t are costlier than i, so
:math:`G(y^\epsilon) \ge y^\epsilon_i\,(G(i) - O(\epsilon))` is positive. But the limit x plays only best responses to
:math:`y^\epsilon`, a contradiction.

*(*) determines the payoffs of x.* Sort the payoffs of x against all j, and those of x', and compare the lists from the
least payoff on. Let the list of x' be at least as great. Then x' earns at least as much as x against J_0, so by (*) it
earns the same. By induction over t, it earns the same against every j. So all plans with (*) have the same payoffs.

*(*) for both players implies proper.* Let :math:`x^*, y^*` be proper, with :math:`x^\epsilon, y^\epsilon` as in the
definition. They have (*), so they earn the same as x and y against every pure plan. Consider
:math:`(1-s)\,x + s\,x^\epsilon` and :math:`(1-s)\,y + s\,y^\epsilon` for small s. They rank pure plans as
:math:`x^\epsilon, y^\epsilon` do: by the payoffs in the limit, and at equal limits by the payoffs against
:math:`x^\epsilon, y^\epsilon`. Because :math:`x^*` is a best response to :math:`y^\epsilon`, x is one, too. So a plan
that is not best is played s times as often as in :math:`x^\epsilon`, and every other plan at least s times as often.

Theorem (one-shot games of any sum).  Let each player have at most one information set, and let z_1, z_2, ... be the
stated plans of a player. The player's *mixture* is :math:`x + \sum_k z_k\,\delta^k`. Action a is *worse* than action b
if, for all small delta > 0, a earns less than b against the other player's mixture. Suppose that both mixtures play
every action, and that the weights of worse actions begin at higher powers of delta. Then the equilibrium is proper.

Proof.  Divided by their sums, these mixtures are as in the definition, because the actions are the pure plans.

Source: R. B. Myerson, Refinements of the Nash equilibrium concept, International Journal of Game Theory 7 (1978),
73-80; E. van Damme, Stability and Perfection of Nash Equilibria (1991), section 3.5; P. B. Miltersen and T. B.
Sorensen, Fast algorithms for finding proper strategies in game trees, SODA 2008.
"""

from collections.abc import Sequence
from itertools import groupby

from tremble.check.best_response import best_response, earnings
from tremble.check.case import Case
from tremble.check.claim import Wrong, fields, integer, list_of


def prove_proper(case: Case) -> None:
    """Check a claim with the concept `proper`, by the theorem that applies to the game."""
    stated = fields(case.claim.certificate, ("kind", "X", "Y"), "certificate")
    if stated["kind"] != "ranked-plans":
        raise Wrong("certificate.kind: the concept 'proper' needs 'ranked-plans'")
    plans = [_read_plans(case, player, stated["XY"[player]]) for player in (0, 1)]
    if case.form.constant_sum is not None:
        for player in (0, 1):
            _check_best(case, player, plans[1 - player])
            _check_covered(case, 1 - player, plans[1 - player])
    elif max(len(sequences.sets) for sequences in case.form.sequences) > 1:
        raise Wrong("certificate.kind: 'ranked-plans' needs payoffs with a constant sum, or a one-shot game")
    else:
        mixed = [[case.outcome[player].plan.weight, *plans[player]] for player in (0, 1)]
        for player in (0, 1):
            _check_ranks(case, player, mixed[player], mixed[1 - player])


def _read_plans(case: Case, player: int, stated: object) -> list[list[int]]:
    """Read the stated plans of a player. A plan may be a realization plan times a positive integer."""
    name, sequences = f"certificate.{'XY'[player]}", case.form.sequences[player]
    if not isinstance(stated, list | tuple) or not stated:
        raise Wrong(f"{name}: must be a list of lists that contain an integer as text for each sequence")
    plans = []
    for i, numbers in enumerate(stated):
        where = f"{name}[{i}]"
        plan = [integer(v, f"{where}[{q}]") for q, v in enumerate(list_of(numbers, sequences.count, where))]
        negative = next((q for q, weight in enumerate(plan) if weight < 0), 0)
        if plan[0] <= 0 or negative:
            raise Wrong(
                f"{where}[{negative}]: the weight of this sequence must not be {'negative' if negative else 'zero'}"
            )
        for k, prior, first, end in sequences.sets:
            if sum(plan[first:end]) != plan[prior]:
                raise Wrong(f"{where}: {case.place(player, k)}: the weights do not sum to the previous move's weight")
        plans.append(plan)
    return plans


def costs(case: Case, player: int) -> list[int]:
    """Return each sequence's cost: the payoff that its moves lose, compared with best moves against the other player.

    The costs are multiplied by the denominators of the payoffs and of the other player's plan, so they are integers.
    """
    sequences, worth = case.form.sequences[player], case.outcome[player].worth
    cost = [0] * sequences.count
    for _, prior, first, end in sequences.sets:
        best = max(worth[first:end])
        for q in range(first, end):
            cost[q] = cost[prior] + best[0] - worth[q][0]
    return cost


def _check_best(case: Case, player: int, plans: Sequence[Sequence[int]]) -> None:
    """Check condition 1 of the theorem: a player's strategy is a best response to each stated plan of the opponent."""
    own, sequences = case.outcome[player].plan, case.form.sequences[player]
    for i, plan in enumerate(plans):
        where = f"certificate.{'YX'[player]}[{i}]"
        earned = earnings(case.form.payoffs[player], sequences, [plan], case.limits)
        longest = max(amount.bit_length() for (amount,) in earned)
        case.limits.charge(where, own.denominator.bit_length(), longest, len(earned))
        value = sum(weight * amount for weight, (amount,) in zip(own.weight, earned, strict=True))
        if value != best_response(sequences, earned)[0][0] * own.denominator:
            case.problems.add(f"{where}: the strategy of player {player + 1} is no best response to this plan")


def _check_covered(case: Case, player: int, plans: Sequence[Sequence[int]]) -> None:
    """Check (2): for each sequence of a player, a stated plan plays this sequence and no sequence that costs more."""
    cost, sequences = costs(case, player), case.form.sequences[player]
    missing = set(range(sequences.count))
    for plan in plans:
        most = max(c for c, weight in zip(cost, plan, strict=True) if weight)
        missing -= {q for q, weight in enumerate(plan) if weight and cost[q] == most}
    for k, _, first, end in sequences.sets:
        for q in range(first, end):
            if q in missing:
                case.problems.add(
                    f"certificate.{'XY'[player]}: {case.place(player, k)}: {case.action(player, k, q)} is not played "
                    "by any plan that plays nothing costlier"
                )


def _check_ranks(case: Case, player: int, own: Sequence[list[int]], other: Sequence[list[int]]) -> None:
    """Check that, of two actions of a one-shot game, the one that earns less has a weight of higher order in delta."""
    sequences = case.form.sequences[player]
    worth = earnings(case.form.payoffs[player], sequences, other, case.limits)
    degree = [next((d for d, plan in enumerate(own) if plan[q]), len(own)) for q in range(sequences.count)]
    name = f"certificate.{'XY'[player]}"
    rarest = None  # the rarest of the actions that earn more
    for _, group in groupby(sorted(range(1, len(worth)), key=worth.__getitem__, reverse=True), key=worth.__getitem__):
        actions = list(group)
        for q in actions:
            place = f"{name}: {case.place(player, 0)}: {case.action(player, 0, q)}"
            if degree[q] == len(own):
                case.problems.add(f"{place} is played by no stated plan")
            elif rarest is not None and degree[q] <= degree[rarest]:
                case.problems.add(f"{place} is no rarer than {case.action(player, 0, rarest)}, which earns more")
        rarest = max(actions, key=degree.__getitem__)  # rarer than all earlier groups, or a problem is recorded
