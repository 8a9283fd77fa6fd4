r"""Refutations of kind `dominated`: a change of a strategy that never loses and sometimes gains.

Stated is a change d_q of the weight of each sequence q of a player. Let x be the plan of the player's strategy, let
:math:`d_0 = 0`, and let d sum, over the actions of every set, to the d of the move before. Let :math:`d_q \ge 0`
wherever :math:`x_q = 0`. Then x + t d is a plan for small t > 0. Against a plan y of the other player it earns t times

.. math::  G(y) = \sum_{qr} d_q\,U_{qr}\,y_r

more than x. The maxima of G and of -G are best-response values of the other player, if it earned G or -G.

Theorem (weakly dominated strategies).  If :math:`G \ge 0` for all plans y, and G > 0 for some, then the profile is
not normal-form perfect.

Proof.  A plan y that plays every sequence is a mixture of all pure plans, and each has a positive share. So G(y) > 0,
and x is no best response to y. But both strategies of a normal-form perfect equilibrium are best responses to such
plans, by definition (Selten 1975).

Theorem (cheap mistakes).  Let :math:`c_r` be the cost of a sequence of the other player (see `proper`), and let t be a
number. If :math:`G \ge 0` for all plans y that play only sequences with :math:`c_r \le t`, and G > 0 for some of them,
then the profile is not proper.

Proof.  Let J_t hold the pure plans that cost at most t. All sequences of such a plan cost at most t, so
:math:`G \ge 0` on J_t. By the lemma in `proper`, the plans that the theorem names are linear combinations of J_t. If G
were 0 on J_t, it would be 0 on all of them; so G is positive somewhere on J_t. Properness excludes that: it implies the
property (*) there.

Without `cost`, the first theorem refutes `normal-form-perfect`. It refutes `proper` too, because proper equilibria are
normal-form perfect.

Source: E. van Damme, Stability and Perfection of Nash Equilibria (1991), sections 3.2 and 3.5.
"""

from collections.abc import Sequence
from typing import Any

from tremble.check.case import Case
from tremble.check.claim import exact, fields, multipliers, seat
from tremble.check.limits import length_of
from tremble.check.proper import costs
from tremble.check.tree import Sequences


def check_dominated(case: Case, stated: Any) -> None:
    """Check the premises of the theorems."""
    fields(stated, ("concept", "kind", "player", "deviation", "cost?"), "refutation")
    player = seat(stated["player"], "refutation.player")
    change = multipliers(stated["deviation"], case.form.sequences[player].count, "refutation.deviation")
    check_change(case, player, change, case.outcome[player].plan.weight)
    other = case.form.sequences[1 - player]
    allowed = [True] * other.count
    if "cost" in stated:
        if stated["concept"] != "proper":
            case.problems.add(f"refutation.cost: stated, but {stated['concept']!r} is about all mistakes")
        cost = exact(stated["cost"], "refutation.cost")
        unit = case.form.denominator * case.outcome[player].plan.denominator  # costs are integers over it
        case.limits.charge("refutation.cost", length_of(cost), unit.bit_length(), other.count)
        allowed = [c * cost.denominator <= cost.numerator * unit for c in costs(case, 1 - player)]
    gain = gain_by_sequence(case, player, change)
    if _greatest(other, [-amount for amount in gain], allowed) > 0:
        case.problems.add(
            f"refutation.deviation: against some strategy it loses, so it dominates nothing of player {player + 1}"
        )
    elif _greatest(other, gain, allowed) <= 0:
        case.problems.add("refutation.deviation: it never gains anything")


def check_change(case: Case, player: int, change: Sequence[int], played: Sequence[int]) -> None:
    """Check that a change of the weights sums to that of the move before, and takes nothing from unplayed sequences."""
    part = "refutation.deviation"
    for k, prior, first, end in case.form.sequences[player].sets:
        if sum(change[first:end]) != change[prior]:
            case.add(player, k, "the weights of the actions do not sum to that of the move before", part)
        for q in range(first, end):
            if change[q] < 0 and not played[q]:
                case.add(player, k, f"{case.action(player, k, q)} is not played, but has a negative weight", part)


def gain_by_sequence(case: Case, player: int, change: Sequence[int]) -> list[int]:
    """Return the sum of d_q U_qr over q for each sequence r of the other player."""
    payoffs, gain = case.form.payoffs[player], [0] * case.form.sequences[1 - player].count
    longest = max(map(int.bit_length, change)), max(map(int.bit_length, payoffs.amount.tolist()))
    case.limits.charge("refutation.deviation", *longest, len(payoffs.own))
    for q, r, amount in zip(payoffs.own.tolist(), payoffs.other.tolist(), payoffs.amount.tolist(), strict=True):
        gain[r] += change[q] * amount
    return gain


def _greatest(sequences: Sequences, earned: Sequence[int], allowed: Sequence[bool]) -> int:
    """Return the most that plans earn which play allowed sequences only; 0 if there are no such plans.

    Costs never fall along a sequence, and at each set some action adds no cost. So if the move before a set is allowed,
    then so is one of its actions.
    """
    worth = list(earned)
    for _, prior, first, end in reversed(sequences.sets):
        if allowed[prior]:
            worth[prior] += max(worth[q] for q in range(first, end) if allowed[q])
    return worth[0] if allowed[0] else 0
