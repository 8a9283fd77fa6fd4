r"""Nash equilibria, and bounds on the value of a game with a constant sum.

Theorem.  A profile is a Nash equilibrium exactly if neither player gains by a best response.

Proof.  This is the definition. `best_response` computes the gains exactly.

Theorem (bounded profiles).  Let v be the most that player 1 can guarantee, and let x and y be any strategies. Let
B_2(x) be the most that player 2 can earn against x, and B_1(y) the most that player 1 can earn against y. A strategy
*allows* a leaf if it plays all own moves on the path. If the payoffs sum to c at every leaf that x or y allows, then

.. math::  c - B_2(x) \le v \le B_1(y).

Proof.  Against x, every play ends at a leaf that x allows, and player 2 earns at most B_2(x). So x guarantees player 1
at least c - B_2(x). Against y, player 1 earns at most B_1(y), so no strategy of player 1 guarantees more.

If the sum is c at all leaves, v is the value of the game. At an equilibrium, both bounds then equal the expected payoff
of player 1. If a game is not built, the sum may be known only at leaves that x or y allows (`Outcome.every_leaf`).

Source: J. Nash, Equilibrium points in n-person games, PNAS 36 (1950); J. von Neumann, Zur Theorie der
Gesellschaftsspiele, Mathematische Annalen 100 (1928).
"""

from collections.abc import Callable

from tremble.check.case import Case, worst_deviation
from tremble.check.claim import TREE, brief, exact, fields, list_of, short, unequal


def check_nash(case: Case) -> None:
    """Check a claim with the concept `nash` and the status `certified` or `bounded`."""
    if case.claim.kind == TREE:
        check_off_path(case)
    check_best_responses(case)


def check_refinement(case: Case, prove: Callable[[Case], None], *, of_plans: bool = False) -> None:
    """Check a claim of a refinement: check the Nash equilibrium, then call `prove` to check the certificate.

    If `of_plans` is true, the concept ignores play at sets marked `off_path`. Own moves must exclude these sets.
    """
    check_equilibrium(case)
    check_bounds(case)
    if of_plans:
        check_off_path(case, where_marked=True)
    else:
        check_play_everywhere(case)
    prove(case)
    case.checked.add("certificate")


def check_best_responses(case: Case) -> None:
    """Run the checks that need only best responses: the equilibrium, the bounds and the certificate."""
    if case.claim.certified:
        check_equilibrium(case)
    check_bounds(case)
    check_best_response_certificate(case)


def check_best_response_certificate(case: Case) -> None:
    """Check a certificate of kind `best-response`, which states both best-response values and the sum of the gains."""
    case.checked.add("certificate")
    certificate, true, nash_conv = case.claim.certificate, case.outcome.best_response_values, case.outcome.nash_conv
    if certificate.get("kind") != "best-response" or true is None or nash_conv is None:
        kind = brief(certificate["kind"]) if "kind" in certificate else "missing"
        case.problems.add(f"certificate.kind: {kind}; a certificate of kind 'best-response' is needed here")
        return
    stated = fields(certificate, ("kind", "nash_conv", "best_response_values"), "certificate")
    where = "certificate.best_response_values"
    numbers = list_of(stated["best_response_values"], 2, where)
    case.compare("certificate.nash_conv", exact(stated["nash_conv"], "certificate.nash_conv"), nash_conv)
    for player in (0, 1):
        case.compare(f"{where}[{player}]", exact(numbers[player], f"{where}[{player}]"), true[player])


def check_equilibrium(case: Case) -> None:
    """Check that neither player gains by deviating."""
    values, most, gains = case.outcome.values, case.outcome.best_response_values, case.outcome.gains
    if values is None or most is None or gains is None:
        case.problems.add("best responses: not computed, so nothing is proven")
        return
    for player, gain in enumerate(gains):
        if gain:
            case.problems.add(
                f"player {player + 1} can gain {short(gain)} by deviating: the strategy earns {short(values[player])}, "
                f"a best response {short(most[player])}{_where(case, player)}"
            )


def _where(case: Case, player: int) -> str:
    """Format the place and size of a player's greatest loss for a message. Return "" if the game is not a tree."""
    tree = case.outcome.results is not None
    worst = worst_deviation(case.form, case.outcome, player, case.limits) if tree else None
    if worst is None:
        return ""
    k = worst.infoset
    return (
        f"; the greatest loss is at {case.place(player, k)}: {case.action(player, k, worst.played)} is played with "
        f"probability {short(worst.probability)}, but {case.action(player, k, worst.better)} is better, and the loss "
        f"is {short(worst.cost)}"
    )


def check_bounds(case: Case) -> None:
    """Check that the strategies prove the stated bounds. In certified claims, both bounds must be player 1's payoff."""
    case.checked.add("bounds")
    stated, proven, certified = case.claim.bounds, case.outcome.proven_bounds, case.claim.certified
    add, values = case.problems.add, case.outcome.values
    if proven is None or values is None:
        if stated is not None:
            add("bounds: the payoffs of this game have no constant sum, so there is no value to bound")
        elif not certified and not case.outcome.only_gains:
            add("status: 'bounded' needs a game whose payoffs have a constant sum")
    elif stated is None:
        if case.outcome.every_leaf:
            add("bounds: missing; the payoffs of this game have a constant sum")
        elif not certified:
            add("bounds: missing; the status 'bounded' needs them")
    elif certified:
        for name, bound in zip(("lower", "upper"), stated, strict=True):
            if bound != values[0]:
                add(f"bounds: the certified {name} bound must equal the value; {unequal(bound, values[0])}")
    else:
        lower, upper = map(short, stated)
        if stated[0] > proven[0]:
            guaranteed = f"the strategy of player 1 guarantees only {short(proven[0])}"
            add(f"bounds: the lower bound is stated as {lower}, but {guaranteed}")
        if stated[1] < proven[1]:
            earned = f"player 1 can earn {short(proven[1])} against the strategy of player 2"
            add(f"bounds: the upper bound is stated as {upper}, but {earned}")


def check_off_path(case: Case, *, where_marked: bool = False) -> None:
    """Check that strategies reach exactly the sets not marked `off_path`. If `where_marked`, check only marked sets."""
    case.checked.add("off_path")
    for player, strategy in enumerate(case.claim.strategies):
        plan = case.outcome[player].plan.weight
        for k, prior, _, _ in case.form.sequences[player].sets:
            marked = bool(strategy.off_path[k])
            if marked != (plan[prior] == 0) and (marked or not where_marked):
                mark, reaches = ("marked", "reaches it") if marked else ("not marked", "never reaches it")
                case.add(player, k, f"{mark} off_path, but the player's own strategy {reaches}")


def check_play_everywhere(case: Case) -> None:
    """Record a problem for each set that is marked `off_path`."""
    case.checked.add("off_path")
    for player, strategy in enumerate(case.claim.strategies):
        for k in (k for k, marked in enumerate(strategy.off_path) if marked):
            case.add(player, k, f"marked off_path, but the concept {case.claim.concept!r} defines play everywhere")
