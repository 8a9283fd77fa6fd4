r"""Quasi-perfect equilibria: at every information set, a best response to an opponent who trembles.

Definition (van Damme 1984).  A profile is quasi-perfect if it is the limit of completely mixed profiles with this
property: from every information set on, each player's limit strategy is a best response to the completely mixed
strategy of the other player.

The certificate `polynomials` states a plan for each player, whose weights are polynomials x_q(epsilon). It may also
state *trembles*. The tremble of a sequence q is its least weight :math:`l_q = W_q\,\epsilon^{d(q)}`. Here W_q is the
product of the stated weights of the moves in q, and d(q) is the sum of their orders.

Theorem.  A profile is quasi-perfect if, for both players and for small epsilon > 0,

1. at every set, the weights of the actions sum to the weight of the move before, and :math:`x_0 = 1`;
2. :math:`x_q > 0` for every sequence q;
3. every action that the strategy plays attains V_I against the plan of the other player (see `best_response`);
4. the probability of each action is the limit of :math:`x_{Ia} / x_{before(I)}`.

Proof.  By (1), (2) and (4), the plans belong to completely mixed strategies that tend to the profile. By (3) and
backward induction over the own sets, the strategy earns V_I from I on, and no strategy earns more.

If trembles are stated, the claim is stronger: the plans are an equilibrium of the game in which the weight of every
sequence is at least its tremble. Then (2) becomes :math:`x_q \ge l_q`, and (3) covers actions with :math:`x_q \ne l_q`.
If an action is played, the lowest power of epsilon in its weight is below d(q) by (4). So (3) covers the action.

The literature does not cover sets that chance never reaches. All actions earn 0 there, so any play passes the check.

Source: E. van Damme, A relation between perfect equilibria in extensive form games and proper equilibria in normal
form games, International Journal of Game Theory 13 (1984), 1-13.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.check.backward_induction import prove_by_backward_induction
from tremble.check.best_response import Polynomial, best_response, earnings, losing
from tremble.check.case import Case
from tremble.check.claim import Wrong, brief, fields, integer, list_of, read_orders, read_weights, short, unequal
from tremble.check.limits import length_of, steps_of

_MOST_ORDER = 10**18  # orders are smaller, so that their sums are short numbers


@dataclass(frozen=True)
class TremblingPlan:
    """A player's plan in the certificate. The weight of each of the S sequences is a polynomial of degree K or less."""

    by_degree: list[list[int]]  # [K + 1][S]: coefficients times `denominator`
    by_sequence: list[Polynomial]  # [S]: the same numbers, by sequence
    # [S]: the degree of each tremble, and its coefficient times `denominator`; None if no trembles are stated.
    # A tremble above degree K is (K + 1, 1): no polynomial of degree K equals it, and every positive one exceeds it.
    tremble: list[tuple[int, Fraction | int]] | None
    denominator: int
    errs: bool  # False for the player without mistakes in a one-sided equilibrium


def prove_quasi_perfect(case: Case) -> None:
    """Check a quasi-perfect equilibrium. The certificate's kind determines the proof: backward induction or plans."""
    if case.claim.certificate.get("kind") == "backward-induction":
        prove_by_backward_induction(case, own_mistakes=False)
    else:
        prove_by_plans(case)


def prove_by_plans(case: Case) -> tuple[TremblingPlan, TremblingPlan] | None:
    """Check (1) to (4) of the theorem; return the plans, or None if (1) or (2) fails."""
    plans = read_plans(case)
    for player, plan in enumerate(plans):
        if not plan.errs:
            needed = f"{case.claim.concept!r} needs trembles of both players"
            raise Wrong(f"certificate.trembles[{player}]: player {player + 1} makes no mistakes, but {needed}")
    return plans if check_plans(case, plans) else None


def check_plans(case: Case, plans: tuple[TremblingPlan, TremblingPlan]) -> bool:
    """Check (1) to (4) of the theorem (`one_sided` changes them for one player). Return True if (1) and (2) hold."""
    sound = [check_plan(case, player, plans[player]) for player in (0, 1)]
    if not all(sound):
        return False
    for player in (0, 1):
        check_replies(case, player, plans[player], plans[1 - player])
        check_limits(case, player, plans[player])
    return True


def read_plans(case: Case) -> tuple[TremblingPlan, TremblingPlan]:
    """Read the plans of both players from a certificate of kind `polynomials`."""
    certificate = case.claim.certificate
    if certificate.get("kind") != "polynomials":
        kind = brief(certificate["kind"]) if "kind" in certificate else "missing"
        raise Wrong(f"certificate.kind: {kind}; the concept {case.claim.concept!r} needs 'polynomials'")
    stated = fields(certificate, ("kind", "X", "Y", "denominator", "trembles", "orders?"), "certificate")
    return _read_plan(case, 0, stated), _read_plan(case, 1, stated)


def _read_plan(case: Case, player: int, stated: Any) -> TremblingPlan:
    """Read a player's plan from the certificate, and the trembles of the player's sequences."""
    where, count = f"certificate.{'XY'[player]}", case.form.sequences[player].count
    degrees = stated["XY"[player]]
    if not isinstance(degrees, list | tuple) or not degrees:
        raise Wrong(f"{where}: must be a list that contains, for each degree, a list of integers as text")
    # For each degree of this plan, `earnings` computes one number for each sequence of the other player.
    case.limits.keep(where, 64 * len(degrees) * case.form.sequences[1 - player].count)
    by_degree = []
    for degree, numbers in enumerate(degrees):
        case.limits.tick()
        place = f"{where}[{degree}]"
        numbers = [0 if v == "0" else integer(v, f"{place}[{q}]") for q, v in enumerate(list_of(numbers, count, place))]
        by_degree.append(numbers)
    place = "certificate.denominator"
    denominator = integer(list_of(stated["denominator"], 2, place)[player], f"{place}[{player}]")
    if denominator <= 0:
        raise Wrong(f"{place}[{player}]: must be a positive integer, not {short(Fraction(denominator))}")
    for degree, numbers in enumerate(by_degree):
        if numbers[0] != (0 if degree else denominator):
            raise Wrong(
                f"{where}[{degree}][0]: the empty sequence is played with probability 1, so its coefficient must be "
                f"{'0' if degree else 'the denominator'}, not {short(Fraction(numbers[0]))}"
            )
    by_sequence = list(zip(*by_degree, strict=True))
    weights, orders, errs = _read_sides(case, player)
    tremble = None
    if weights != "any":
        stated_trembles = weights_and_orders(case, player, weights, orders)
        tremble = _trembles(case, player, (denominator, len(by_degree)), stated_trembles)
        longest = max(max(abs(number).bit_length() for number in numbers) for numbers in by_degree)
        steps = steps_of(longest, max(length_of(amount) for _, amount in tremble))
        case.limits.spend("certificate.trembles", steps, count)  # for the comparison with the plan
    return TremblingPlan(by_degree, by_sequence, tremble, denominator, errs)


def _read_sides(case: Case, player: int) -> tuple[Any, Any, bool]:
    """Return a player's tremble weights (or "any"), its tremble orders, and True if the player makes mistakes."""
    stated, sides = case.claim.certificate, []
    for name in ("trembles", "orders"):
        side = stated.get(name)
        if side is not None and (name, side) != ("trembles", "any"):
            side = list_of(side, 2, f"certificate.{name}")[player]
            if side is None or (isinstance(side, str) and side not in ("any", "none")):
                raise Wrong(f"certificate.{name}[{player}]: must be a list for each information set, not {brief(side)}")
        sides.append(side)
    weights, orders = sides
    if stated["trembles"] == "any" and stated.get("orders") is not None:
        raise Wrong("certificate.orders: must be missing or null if the trembles are 'any'")
    if orders is not None and (isinstance(weights, str) or isinstance(orders, str)) and weights != orders:
        raise Wrong("certificate.orders: if a player's trembles or orders are 'any' or 'none', both must be the same")
    return ("any", None, False) if weights == "none" else (weights, orders, True)


def _trembles(
    case: Case, player: int, plan: tuple[int, int], stated: tuple[list[Fraction], list[int]]
) -> list[tuple[int, Fraction | int]]:
    """Return each sequence's tremble as (degree, coefficient), from the weights and orders of the sequence's moves.

    The plan's weights have the denominator D and degrees up to K. `plan` is (D, K + 1). `stated` is (weights, orders).
    """
    (denominator, beyond), (weight, order) = plan, stated
    tremble: list[tuple[int, Fraction | int]] = [(0, denominator)] * case.form.sequences[player].count
    for _, prior, first, end in case.form.sequences[player].sets:
        degree, above = tremble[prior]
        for q in range(first, end):
            if degree + order[q - 1] >= beyond:
                tremble[q] = beyond, 1
                continue
            amount = above
            if weight[q - 1] != 1:
                case.limits.charge("certificate.trembles", length_of(above), length_of(weight[q - 1]), 2)
                amount = above * weight[q - 1]
            tremble[q] = degree + order[q - 1], amount
    return tremble


def weights_and_orders(case: Case, player: int, weights: Any, orders: Any) -> tuple[list[Fraction], list[int]]:
    """Read a player's weight (> 0) and order (>= 1) for each action. None means that all numbers are 1."""
    weight = read_weights(case.game, player, weights, f"certificate.trembles[{player}]")
    return weight, read_orders(case.game, player, orders, _MOST_ORDER - 1, f"certificate.orders[{player}]")


def check_plan(case: Case, player: int, plan: TremblingPlan) -> bool:
    """Check (1) and (2) of the theorem in the module docstring. Record problems; return True if both hold."""
    zero: Polynomial = (0,) * (len(plan.by_degree) + 1)
    sound = True
    for k, prior, first, end in case.form.sequences[player].sets:
        total, moved = tuple(map(sum, zip(*plan.by_sequence[first:end], strict=True))), plan.by_sequence[prior]
        if total != moved:
            sound, d = False, _first_difference(total, moved)
            sums = f"{_over(total[d], plan)}, but the move before has {_over(moved[d], plan)}"
            case.add(player, k, f"at order e^{d} the actions sum to {sums}")
        for q in range(first, end):
            beyond = _beyond_tremble(plan, q)
            if beyond < zero or (beyond == zero and plan.errs and plan.tremble is None):
                sound = False
                case.add(player, k, f"{case.action(player, k, q)} {_too_little(plan, q, beyond)}")
    return sound


def _beyond_tremble(plan: TremblingPlan, q: int) -> tuple[Fraction | int, ...]:
    """Return the weight of sequence q minus its tremble, if any, as coefficients of degrees 0 to K + 1."""
    result: list[Fraction | int] = [*plan.by_sequence[q], 0]
    if plan.tremble is not None:
        degree, amount = plan.tremble[q]
        result[degree] -= amount
    return tuple(result)


def _too_little(plan: TremblingPlan, q: int, beyond: tuple[Fraction | int, ...]) -> str:
    """Return words for a message about sequence q, whose weight is too small and violates (2)."""
    if plan.tremble is None:
        mixed = "is not played with a positive probability, so the plan is not completely mixed"
        return mixed if plan.errs else "is played with a negative probability"
    d = next(degree for degree, coefficient in enumerate(beyond) if coefficient)
    weight = (*plan.by_sequence[q], 0)[d]
    least = "beyond the plan's last order" if d == len(plan.by_degree) else f"not {_over(weight - beyond[d], plan)}"
    return f"is played less than its tremble: {_over(weight, plan)} at order e^{d}, {least}"


def _first_difference(one: Polynomial, other: Polynomial) -> int:
    """Return the first degree at which two polynomials differ."""
    return next(d for d, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)


def _over(coefficient: Fraction | int, plan: TremblingPlan) -> str:
    """Format a coefficient of a plan for a message."""
    return short(Fraction(coefficient) / plan.denominator)


def check_replies(
    case: Case, player: int, plan: TremblingPlan, other: TremblingPlan, where: Sequence[bool] | None = None
) -> None:
    """Check condition 3 of the theorem: each action that `player` plays is a best response to `other` at its set.

    With stated trembles, an action is played if it exceeds its tremble. With `where`, check only sets with `where[k]`.
    """
    sequences, share = case.form.sequences[player], case.claim.strategies[player].numerator
    worth = best_response(sequences, earnings(case.form.payoffs[player], sequences, other.by_degree, case.limits))
    played = "played" if plan.tremble is None else "played beyond its tremble"
    for k, q, better in losing(sequences, worth):
        plays = share[q - 1] if plan.tremble is None else any(_beyond_tremble(plan, q))
        if plays and (where is None or where[k]):
            action, best = case.action(player, k, q), case.action(player, k, better)
            d = _first_difference(worth[q], worth[better])
            case.add(player, k, f"{action} is {played}, but {best} earns more at order e^{d}")


def check_limits(case: Case, player: int, plan: TremblingPlan) -> None:
    """Check (4): each action's probability is the limit of (weight of the action) / (weight of the move before).

    If a player makes no mistakes, a set can have the weight 0. Then no limit exists, and any probability passes.
    """
    strategy = case.claim.strategies[player]
    for k, prior, first, end in case.form.sequences[player].sets:
        degree = lowest_degree(plan.by_sequence[prior])
        if degree is None:
            continue
        moved, whole = plan.by_sequence[prior][degree], strategy.denominator[k]
        case.limits.charge(f"strategies[{player}]", moved.bit_length(), whole.bit_length(), 2 * (end - first))
        for q in range(first, end):
            share, leading = strategy.numerator[q - 1], plan.by_sequence[q][degree]
            if share * moved != leading * whole:
                wrong = unequal(Fraction(share, whole), Fraction(leading, moved))
                case.add(player, k, f"the limit of the probability of {case.action(player, k, q)} is {wrong}")


def lowest_degree(weight: Polynomial) -> int | None:
    """Return the lowest degree with a coefficient other than 0, or None for the zero polynomial."""
    return next((degree for degree, coefficient in enumerate(weight) if coefficient), None)
