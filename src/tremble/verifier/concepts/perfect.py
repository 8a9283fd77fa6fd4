r"""Extensive-form perfect equilibria: limits of equilibria of games in which hands tremble at every move.

Selten (1975) asks for some sequence of perturbed games, whose least probabilities vanish in any way. The one that is
proven to do is :math:`G(\epsilon)`, :math:`\epsilon \to 0`: every action a must be played with a probability of at
least :math:`w_a \epsilon^{k_a}` at its set, with the weights and orders that the certificate names. So what passes is
extensive-form perfect; what is so only by trembles of other forms has no certificate of this kind. Against a plan y of
the other, what a player's own sets and actions are worth is

.. math::

   u_{(I,a)} = \sum_{\text{leaves after } (I,a)} c\,u\,y + \sum_{I' \text{ after } (I,a)} V_{I'}, \qquad
   M_I = \max_a u_{(I,a)}, \quad g_{(I,a)} = M_I - u_{(I,a)}, \quad V_I = M_I - \sum_a w_a\, \epsilon^{k_a} g_{(I,a)} ,

where, as in :mod:`.quasi_perfect`, no other own move separates the leaves and sets from (I, a); but here the own later
trembles do count. Plans x, y are an equilibrium of :math:`G(\epsilon)` if and only if for both (here for x)

.. math::  x \text{ is a plan}, \qquad x_q \ge w_q\,\epsilon^{k_q}\,x_{before(q)}, \qquad
           x_q = w_q\,\epsilon^{k_q}\,x_{before(q)} \;\text{ or }\; g_q = 0 .

The certificate names the *slack* sequences, those that may be above their least; :math:`g_q = 0` for them and
equality above for all others, the *tight* ones, are the square system :math:`S(\epsilon)` of
:mod:`tremble.verifier.algebra.perturbed_system`, whose determinant is a polynomial. Where the payoffs have a constant
sum, S determines x and, transposed, y. Elsewhere x depends on the payoffs of player 2 and y on those of player 1, and
there are two such systems (which are accepted for a constant sum as well): the first determines x and what player 2
falls short of, the second y and what player 1 does. Then (1) to (4) are proven of each, with a p of its own for what
it determines. What is proven, for every small enough :math:`\epsilon > 0`:

1. S is regular. Modulo a prime its determinant has an order t: so it is not 0, and has at most the order t. If n
   linearly independent combinations of the rows vanish at 0, then at least n elementary divisors of S (over power
   series, :math:`\epsilon^{m_1}, \epsilon^{m_2}, \dots`) have :math:`m_i \ge 1`. The :math:`m_i` sum to the order of
   the determinant, so none is greater than p = t - (n - 1), or p = t if n = 0; :math:`\epsilon^p S^{-1}` has no pole.
2. Let X and Y be stated up to order N and satisfy all equations up to it, with v and g computed from them. The true
   solution is :math:`S^{-1}` times the right-hand side; so the difference has at least the order N + 1 - p. Up to
   order N - p, all series that S determines are true.
3. For slack q the first coefficient of :math:`x_q - w_q \epsilon^{k_q} x_{before(q)}` that is not 0 is positive, for
   tight q that of :math:`g_q`. Where all are 0 up to order N - p, the certificate states that the function is 0.
4. It is 0: over the determinant, it is a polynomial f whose degree is at most D, by Cramer's rule (of two systems, the
   greater D is taken, and the greater B below). If :math:`D \le N - p`, then f = 0 since its order is greater. Else S
   is solved at random points modulo random primes, and f must vanish at all of them.
5. The stated strategies are the limits of :math:`x_{(I,a)} / x_{before(I)}`.
6. The plans stated for one value of :math:`\epsilon` are an equilibrium of :math:`G(\epsilon)`. That adds nothing to
   the proof, but is one of its own, by the definition, without any determinant.

*Classes.* The certificate may state classes of sequences that are alike. They are proven equitable on all rows and
columns of the game (:mod:`tremble.verifier.algebra.perturbed_system`), and S then has one row and one column for each
class. Plans are stated of all sequences, and checked as ever; but all sequences of a class must be slack or none, and
have the same series. That proves the same. For every small :math:`\epsilon`, the solution of S, given to all members
of each class, solves all equations of the game, whether or not they have other solutions. For (2), v and g computed
from the stated series are the same throughout a class, by induction from the longest sequences on: payoffs have the
same sum over each class of the other's sequences, and the sets that follow are of the same classes. So what is stated
satisfies the equations of S, too. (3) is about each sequence. In (4), let m be the size of the class of a sequence q of
player 2, n that of the one before. What S determines is shared by the members:
:math:`y_q - w_q \epsilon^{k_q} y_{before(q)}` is :math:`Y_q - (m/n) w_q \epsilon^{k_q} Y_{before(q)}` over m, and m/n
is an integer, the number of members that follow each of the n.

*What is random in (4).* Suppose that some f is not 0. One of its coefficients is not 0 and below :math:`2^B` by
Hadamard's inequality, so fewer than B/30 of the 50,697,537 primes between :math:`2^{30}` and :math:`2^{31}`
divide them all. Modulo any other prime P, at most D of the P - 1 points are zeros of f. So f vanishes at one
random point modulo one random prime with a probability of at most

.. math::  \delta = \frac{D}{2^{30}} + \frac{B/30}{50\,697\,537} ,

and so does the determinant of each of the s = 1 or 2 systems, which is not 0 by (1). Points where one does are drawn
again, which leaves at most :math:`\delta / (1 - s\,\delta)`. With R points, a certificate with a false zero passes with
a probability of at most the R-th power of that (each of several false zeros would have to pass), and R is such that
this is less than :math:`2^{-k}`, k at least 60. Primes and points are drawn here, so it does not matter how the
certificate was made.
"""

from __future__ import annotations

import secrets
from math import floor, log2

import numpy as np
from numpy.typing import NDArray

from tremble.verifier.algebra.elimination import PivotsError, random_prime
from tremble.verifier.algebra.equitable import Classes, is_first
from tremble.verifier.algebra.perturbed_system import PerturbedProgram, PerturbedSystem
from tremble.verifier.budget import budget, listening
from tremble.verifier.certificates.backward_induction import BackwardInductionCertificate
from tremble.verifier.certificates.basis import BasisCertificate, SquareSystem
from tremble.verifier.certificates.polynomials import PolynomialsCertificate
from tremble.verifier.concepts.nash import check_refinement
from tremble.verifier.concepts.quasi_perfect import check_limits, prove_quasi_perfect
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.tree import against

__all__ = ["check_perfect"]

_PRIMES = 50_697_537  # between 2^30 and 2^31
_TRIES = 3  # primes, until det S is not 0 modulo one of them

Series = list[int]
"""Coefficients, the constant one first."""


def check_perfect(context: CheckContext) -> None:
    """Check what a solution with the concept ``perfect`` states: certified or bounded."""
    check_refinement(context, _prove)


def _prove(context: CheckContext) -> None:
    if BackwardInductionCertificate.is_kind_of(context.solution.certificate):
        BackwardInductionCertificate.check(context, own_mistakes=True)
        return
    if PolynomialsCertificate.is_kind_of(context.solution.certificate):
        if context.move_once:  # so that no own later mistakes are feared: as much as quasi-perfect
            prove_quasi_perfect(context)
        else:
            context.problems.add(
                "certificate.kind: 'polynomials' proves a perfect equilibrium only where nobody moves twice on a path; "
                "here 'basis' does"
            )
        return
    basis = BasisCertificate.read(context)
    if basis is None:
        return
    before = len(context.problems)
    classes = Classes.of(context.evaluation.sequences, basis.classes)
    for player in (0, 1):
        _check_point(context, basis, player)
        _check_plan(context, basis, player)
        _check_alike(context, basis, player, classes.sequence[player])
    short = [_shortfalls(context, basis, player) for player in (0, 1)]
    if len(context.problems) > before:
        return
    both = len(basis.systems) == 1
    systems = [
        PerturbedSystem.of(
            PerturbedProgram.of(context.evaluation, (i, 1 - i), both, basis.weight, basis.order, classes),
            basis.slack,
            stated.pivots,
        )
        for i, stated in enumerate(basis.systems)
    ]
    where = ""
    try:
        usable = []
        for perturbed, stated in zip(systems, basis.systems, strict=True):
            where = "certificate" if both else f"certificate.systems[{perturbed.program.players[0]}]"
            order = _order(context, basis, stated, perturbed, where)
            if order is None:
                return
            usable += [
                len(basis.plans.coefficient[player]) - 1 - order for player in perturbed.program.players[: 1 + both]
            ]
        for player in (0, 1):
            _check_weights(context, basis, player, usable[player])
            _check_shortfalls(context, basis, player, short[player], usable[1 - player])
            check_limits(context, player, basis.plans.coefficient[player][: usable[player] + 1])
        if len(context.problems) == before:
            _check_zeros(context, basis, systems, usable)
    except PivotsError as error:
        context.problems.add(f"{where}.pivots: {error}")


# -- exact equations -------------------------------------------------------------------------------


def _check_plan(context: CheckContext, basis: BasisCertificate, player: int) -> None:
    """The series are a plan, order by order, that plays tight sequences as little as it must."""
    series, weight, slack = basis.plans.coefficient[player], basis.weight[player], basis.slack[player].tolist()
    order = basis.order[player]
    budget().about = f"certificate.{'XY'[player]}"
    _announce(weight, series)
    for d, values in enumerate(listening(series)):
        true = 0 if d else basis.plans.denominator[player]
        if values[0] != true:
            context.problems.add(
                f"certificate.{'XY'[player]}[{d}][0]: the empty sequence is played with probability 1, so its "
                f"coefficient is {'0' if d else 'the denominator'}"
            )
    for k, prior, first, end in listening(context.evaluation.sequences[player].sets):
        for d, values in enumerate(series):
            if sum(values[first:end]) != values[prior]:
                context.problems.add(
                    f"{context.place(player, k)}: at order e^{d} the actions do not sum to the move before"
                )
                break
        for q in range(first, end):
            if not slack[q]:
                for d, values in enumerate(series):
                    if values[q] != (weight[q] * series[d - order[q]][prior] if d >= order[q] else 0):
                        context.problems.add(
                            f"{context.place(player, k)}: {context.label(player, k, q - first)} is outside the "
                            f"basis, but at order e^{d} it is not played as little as it must be"
                        )
                        break


def _check_alike(context: CheckContext, basis: BasisCertificate, player: int, first: NDArray[np.int64]) -> None:
    """The series of the sequences of a class are the same."""
    others = np.flatnonzero(~is_first(first))
    for q, model in listening(zip(others.tolist(), first[others].tolist(), strict=True)):
        for d, values in enumerate(basis.plans.coefficient[player]):
            if values[q] != values[model]:
                context.problems.add(
                    f"{context.move(player, q)} is in one class with {context.move(player, model)} "
                    f"(certificate.classes[{player}]), but at order e^{d} it is played otherwise"
                )
                break


def _announce(weight: list[int], series: list[Series]) -> None:
    """What it costs to multiply each weight by the series of one sequence, whatever the sequence."""
    longest = max(map(int.bit_length, weight))
    for values in listening(series):
        budget().products(2 * sum(map(int.bit_length, values)), longest)


def _shortfalls(context: CheckContext, basis: BasisCertificate, player: int) -> list[Series]:
    """The series of g for each own sequence, up to a positive factor; slack ones must be worth the same.

    The player's payoffs and the negative of the other's lead to the same g: a constant that is added to all payoffs
    adds the same to all actions of a set, because the other's series are a plan.
    """
    other, weight, slack = basis.plans.coefficient[1 - player], basis.weight[player], basis.slack[player].tolist()
    view, sequences = context.evaluation.cells.seen_by(player), context.evaluation.sequences[player]
    order = basis.order[player]
    worth: list[Series] = [
        list(values) for values in listening(zip(*(against(*view, row, len(weight)) for row in other), strict=True))
    ]
    nothing = [0] * len(other)
    short: list[Series] = [nothing] * len(weight)
    costs = budget()
    for k, prior, first, end in listening(reversed(sequences.sets)):
        best = worth[slack.index(True, first, end)]
        lost = [0] * len(best)
        for q in range(first, end):
            if worth[q] == best:
                short[q] = nothing
                continue
            short[q] = [b - w for b, w in zip(best, worth[q], strict=True)]
            if slack[q]:
                d = next(d for d, value in enumerate(short[q]) if value)
                context.problems.add(
                    f"{context.place(player, k)}: {context.label(player, k, q - first)} is in the basis, "
                    f"but at order e^{d} it is not worth the same as another"
                )
            one, other_bits = weight[q].bit_length(), sum(map(int.bit_length, short[q]))
            costs.products(other_bits, one)
            costs.keep(one * len(best) + 2 * other_bits)
            for d in range(order[q], len(lost)):
                lost[d] += weight[q] * short[q][d - order[q]]
        above = worth[prior]
        for d in range(len(above)):
            above[d] += best[d] - lost[d]
    return short


def _check_point(context: CheckContext, basis: BasisCertificate, player: int) -> None:
    """The plan stated for one value of epsilon is a best reply in the perturbed game to that of the other."""
    where = f"certificate.epsilon.{'XY'[player]}"
    top, bottom = basis.epsilon.as_integer_ratio()
    plan, weight, sequences = basis.plans_there[player], basis.weight[player], context.evaluation.sequences[player]
    order = basis.order[player]
    if plan[0] != basis.denominator_there[player]:
        context.problems.add(f"{where}[0]: the empty sequence is played with probability 1: the denominator")
    # Sums are multiplied by a power of the denominator of epsilon that makes the products below integer.
    height = [0] * len(plan)
    for _, prior, first, end in listening(reversed(sequences.sets)):
        height[prior] = max(height[prior], max(order[first:end]) + max(height[first:end]))
    costs = budget()
    costs.about = "certificate.epsilon"
    length, tops = bottom.bit_length(), top.bit_length()
    raised = length * height[0]
    costs.product(raised, raised)
    costs.keep(raised)
    factor = bottom ** height[0]
    amounts = against(*context.evaluation.cells.seen_by(player), basis.plans_there[1 - player], len(plan))
    for amount in listening(amounts):
        costs.product(amount.bit_length(), raised)
        costs.keep(amount.bit_length() + raised)
    worth = [amount * factor for amount in listening(amounts)]
    for k, prior, first, end in listening(reversed(sequences.sets)):
        if sum(plan[first:end]) != plan[prior]:
            context.problems.add(f"{context.place(player, k)}: {where}: the actions do not sum to the move before")
        best = max(worth[first:end])
        lost, most = 0, max(order[first:end])
        long = best.bit_length()
        for q in range(first, end):
            power = order[q]
            costs.product(plan[q].bit_length(), power * length)
            costs.product(weight[q].bit_length(), power * tops)
            costs.product(weight[q].bit_length() + power * tops, plan[prior].bit_length())
            costs.product(weight[q].bit_length() + power * tops + (most - power) * length, long + worth[q].bit_length())
            least = weight[q] * top**power
            beyond = plan[q] * bottom**power - least * plan[prior]
            if beyond < 0:
                context.problems.add(
                    f"{context.place(player, k)}: {where}: {context.label(player, k, q - first)} is played less "
                    "than it must be"
                )
            if beyond > 0 and worth[q] != best:
                better = context.label(player, k, worth.index(best, first, end) - first)
                context.problems.add(
                    f"{context.place(player, k)}: {where}: {context.label(player, k, q - first)} is played more "
                    f"than it must be, but {better} earns more"
                )
            lost += least * bottom ** (most - power) * (best - worth[q])
        costs.quotient(lost.bit_length(), most * length)
        costs.keep(lost.bit_length())
        worth[prior] += best - lost // bottom**most


# -- what follows from the determinant ---------------------------------------------------------------


def _order(
    context: CheckContext, basis: BasisCertificate, stated: SquareSystem, perturbed: PerturbedSystem, where: str
) -> int | None:
    """A bound on the order of the pole of the inverse; None if there is none that leaves the series an order."""
    budget().about = f"{where}.row_operations"
    combinations = [{int(perturbed.row_of[row]): f for row, f in vector.items()} for _, vector in stated.null_vectors]
    for i, vanishes in enumerate(perturbed.system.vanishing(combinations)):
        if not vanishes:
            context.problems.add(f"{where}.row_operations[{i}]: this combination of rows does not vanish at 0")
            return None
    budget().about = f"{where}.pivots"
    shared = max(len(stated.null_vectors) - 1, 0)
    most = min(map(len, basis.plans.coefficient)) - 1
    for _ in range(_TRIES):
        order = perturbed.system.order_of_determinant(random_prime(), most + shared)
        if order is not None:
            return order - shared
    context.problems.add(
        f"certificate.basis: the system is singular, or its inverse has a pole of a greater order than {most}, "
        "up to which the series are stated"
    )
    return None


def _check_weights(context: CheckContext, basis: BasisCertificate, player: int, usable: int) -> None:
    """Slack sequences are played more than they must be, or just as much where the certificate says so."""
    series = basis.plans.coefficient[player][: usable + 1]
    weight, order, slack = basis.weight[player], basis.order[player], basis.slack[player].tolist()
    _announce(weight, series)
    zeros, field = basis.zeros["weights"][player], f"certificate.zeros.weights[{player}]"
    for k, prior, first, end in listening(context.evaluation.sequences[player].sets):
        for q in range(first, end):
            fault = f"is outside the basis, but {field} lists it" if q in zeros else ""
            if slack[q]:
                beyond = [values[q] for values in series]
                for d in range(order[q], len(beyond)):
                    beyond[d] -= weight[q] * series[d - order[q]][prior]
                fault = _fault_of_sign(beyond, q in zeros, field, "is played less than it must be")
            if fault:
                context.problems.add(f"{context.place(player, k)}: {context.label(player, k, q - first)} {fault}")


def _check_shortfalls(
    context: CheckContext, basis: BasisCertificate, player: int, short: list[Series], usable: int
) -> None:
    """Tight sequences earn less than what is played instead, or just as much where the certificate says so."""
    slack = basis.slack[player].tolist()
    zeros, field = basis.zeros["regrets"][player], f"certificate.zeros.regrets[{player}]"
    for k, _, first, end in listening(context.evaluation.sequences[player].sets):
        for q in range(first, end):
            fault = f"is in the basis, but {field} lists it" if q in zeros else ""
            if not slack[q]:
                series = short[q][: usable + 1]
                fault = _fault_of_sign(series, q in zeros, field, "earns more than what is in the basis")
            if fault:
                context.problems.add(f"{context.place(player, k)}: {context.label(player, k, q - first)} {fault}")


def _fault_of_sign(series: Series, zero: bool, field: str, wrong: str) -> str:
    """What is wrong unless the series is positive, or 0 as far as it is known and listed as a zero."""
    d = next((d for d, value in enumerate(series) if value), None)
    if d is None:
        return "" if zero else f"is undecided up to order e^{len(series) - 1}, and {field} does not list it"
    if series[d] < 0:
        return f"{wrong}, at order e^{d}"
    return f"is listed in {field}, but it is not 0 at order e^{d}" if zero else ""


# -- zeros -----------------------------------------------------------------------------------------


def _check_zeros(
    context: CheckContext, basis: BasisCertificate, systems: list[PerturbedSystem], usable: list[int]
) -> None:
    """What is listed as 0 is 0: by its degree, or at random points."""
    # Of x_q - w_q e^k x_before(q); that of g_q is less.
    degree = max(perturbed.system.degree for perturbed in systems) + max(*basis.order[0], *basis.order[1])
    sure = [degree <= known for known in usable]
    weights, regrets = basis.zeros["weights"], basis.zeros["regrets"]
    if all((sure[i] or not weights[i]) and (sure[1 - i] or not regrets[i]) for i in (0, 1)):
        return
    if basis.error_bits is None:
        context.problems.add(
            "certificate.probabilistic: null, but the zeros are not proven with certainty: they are functions of "
            f"a degree of up to {degree:,}, known up to order e^{min(usable)}"
        )
        return
    heaviest = max(1, *basis.weight[0], *basis.weight[1]) * max(perturbed.program.largest for perturbed in systems)
    bits = max(perturbed.system.bits for perturbed in systems) + 1 + heaviest.bit_length()
    chance = degree / 2**30 + bits / 30 / _PRIMES
    if chance > 0.25:
        context.problems.add("certificate.probabilistic: the system is too large for proofs at random points")
        return
    points = floor(basis.error_bits / -log2(chance / (1 - len(systems) * chance))) + 1  # where all systems are regular
    false: set[tuple[str, int, int]] = set()
    regular = 0
    for _ in range(2 * points + 10):
        prime = random_prime()
        point = 1 + secrets.randbelow(prime - 1)
        solutions = [solution for system in systems if (solution := system.solve_at(point, prime)) is not None]
        if len(solutions) < len(systems):
            continue
        for plans, short in solutions:
            false |= _nonzero(context, basis, plans, short, point, prime)
        regular += 1
        if false or regular == points:
            break
    else:
        context.problems.add("certificate.basis: the system is singular at too many random points")
    for name, player, q in sorted(false):
        context.problems.add(
            f"{context.move(player, q)} is listed in certificate.zeros.{name}[{player}], but it is not "
            "identically 0, as a random point shows"
        )


def _nonzero(
    context: CheckContext,
    basis: BasisCertificate,
    plans: dict[int, NDArray[np.int64]],
    short: dict[int, NDArray[np.int64]],
    point: int,
    prime: int,
) -> set[tuple[str, int, int]]:
    """Which of what is listed as 0 is not: name of the list, player, sequence."""
    false: set[tuple[str, int, int]] = set()
    for player, plan in plans.items():
        before = np.zeros(len(plan), dtype=np.int64)
        sequences = context.evaluation.sequences[player]
        before[1:] = plan[np.repeat(sequences.before, np.diff(sequences.start))]
        least = [
            w * pow(point, k, prime) % prime for w, k in zip(basis.weight[player], basis.order[player], strict=True)
        ]
        beyond = (plan - np.array(least, dtype=np.int64) * before) % prime
        false.update(("weights", player, q) for q in basis.zeros["weights"][player] if beyond[q])
    for player, lost in short.items():
        false.update(("regrets", player, q) for q in basis.zeros["regrets"][player] if lost[q])
    return false
