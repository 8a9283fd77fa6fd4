r"""Refutations of kind `dominated`: a strategy has a change that never loses payoff, and sometimes gains.

For each sequence q of one player, the refutation states a change d_q of the weight of q. Let x be the plan of the
player's strategy. Let :math:`d_0 = 0`, let the changes of the actions at every set sum to the change of the move
before, and let :math:`d_q \ge 0` if :math:`x_q = 0`. Then x + t d is a plan for small t > 0. Against a plan y of the
other player, x + t d earns t G(y) more than x, where

.. math::  G(y) = \sum_{qr} d_q\,U_{qr}\,y_r.

To find the maximum of G over y, the kernel computes the value of a best response of the other player, with G as the
payoff. With -G as the payoff, the same computation gives minus the minimum of G over y.

Theorem (weakly dominated strategies).  If :math:`G \ge 0` for all plans y, and G > 0 for some plan y, then the profile
is not normal-form perfect.

Proof.  A plan y that plays every sequence is a mixture in which every pure plan has a positive weight. So G(y) > 0,
and x is not a best response to y. But both strategies of a normal-form perfect equilibrium are best responses to such
plans, by definition (Selten 1975).

Theorem (cheap mistakes).  Let :math:`c_r` be the cost of a sequence of the other player (see `proper`), and let t be a
number. If :math:`G \ge 0` for all plans y that play only sequences with :math:`c_r \le t`, and G > 0 for some such y,
then the profile is not proper.

Proof.  Let J_t be the set of the pure plans that cost at most t. They play only sequences that cost at most t, so
:math:`G \ge 0` on J_t. By the lemma in `proper`, all plans y of the theorem are linear combinations of plans in J_t. So
if G were 0 on J_t, G would be 0 for all these y. Hence G is positive somewhere on J_t. But a proper profile has the
property (*) of `proper`, which excludes this.

If the refutation has no field `cost`, the first theorem refutes `normal-form-perfect`. It also refutes `proper`,
because proper equilibria are normal-form perfect.

Source: E. van Damme, Stability and Perfection of Nash Equilibria (1991), sections 3.2 and 3.5.
"""

from collections.abc import Sequence
from typing import Any

from tremble.check.case import Case, multipliers
from tremble.check.claim import exact, fields, seat
from tremble.check.limits import length_of
from tremble.check.proper import costs
from tremble.check.tree import Sequences


def check_dominated(case: Case, stated: Any) -> None:
    """Check the conditions of the first theorem, or of the second theorem if the refutation has a field `cost`."""
    fields(stated, ("concept", "kind", "player", "deviation", "cost?"), "refutation")
    player = seat(stated["player"], "refutation.player")
    change = multipliers(stated["deviation"], case.form.sequences[player].count, "refutation.deviation")
    check_change(case, player, change, case.outcome[player].plan.weight)
    other = case.form.sequences[1 - player]
    allowed = [True] * other.count
    if "cost" in stated:
        if stated["concept"] != "proper":
            case.problems.add(f"refutation.cost: must be absent, because {stated['concept']!r} ignores costs")
        cost = exact(stated["cost"], "refutation.cost")
        unit = case.form.denominator * case.outcome[player].plan.denominator  # `costs` are multiplied by this number
        case.limits.charge("refutation.cost", length_of(cost), unit.bit_length(), other.count)
        allowed = [c * cost.denominator <= cost.numerator * unit for c in costs(case, 1 - player)]
    gain = gain_by_sequence(case, player, change)
    if _greatest(other, [-amount for amount in gain], allowed) > 0:
        case.problems.add(f"refutation.deviation: against some strategy it loses payoff for player {player + 1}")
    elif _greatest(other, gain, allowed) <= 0:
        case.problems.add("refutation.deviation: the change never gains payoff")


def check_change(case: Case, player: int, change: Sequence[int], played: Sequence[int]) -> None:
    """Check that the changes at a set sum to the change of the move before it, and that no weight gets negative."""
    part = "refutation.deviation"
    for k, prior, first, end in case.form.sequences[player].sets:
        if sum(change[first:end]) != change[prior]:
            case.add(player, k, "the weights of the actions do not sum to the weight of the move before", part)
        for q in range(first, end):
            if change[q] < 0 and not played[q]:
                case.add(player, k, f"{case.action(player, k, q)} is not played, but has a negative weight", part)


def gain_by_sequence(case: Case, player: int, change: Sequence[int]) -> list[int]:
    """Return the payoff that `change` (d) gains against each sequence r of the other player: sum of d_q U_qr over q."""
    payoffs, gain = case.form.payoffs[player], [0] * case.form.sequences[1 - player].count
    longest = max(map(int.bit_length, change)), max(map(int.bit_length, payoffs.amount.tolist()))
    case.limits.charge("refutation.deviation", *longest, len(payoffs.own))
    for q, r, amount in zip(payoffs.own.tolist(), payoffs.other.tolist(), payoffs.amount.tolist(), strict=True):
        gain[r] += change[q] * amount
    return gain


def _greatest(sequences: Sequences, earned: Sequence[int], allowed: Sequence[bool]) -> int:
    """Return the most that a plan can earn if it plays only allowed sequences; return 0 if no such plan exists.

    A sequence is allowed if its cost is at most a limit. Costs never decrease along a sequence, and at each set some
    action adds no cost. So after an allowed move, at least one action of each next set is allowed.
    """
    worth = list(earned)
    for _, prior, first, end in reversed(sequences.sets):
        if allowed[prior]:
            worth[prior] += max(worth[q] for q in range(first, end) if allowed[q])
    return worth[0] if allowed[0] else 0
