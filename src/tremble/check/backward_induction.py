r"""Equilibria of games of perfect information, by backward induction with mistakes.

The certificate `backward-induction` proves quasi-perfect and extensive-form perfect equilibria if every information set
is one node, and if the strategies play one action :math:`a^*` at each node. The certificate states a weight w_a > 0 for
each action. The *erring* strategies play every action a other than :math:`a^*` with the probability
:math:`w_a\,\epsilon`, and :math:`a^*` with the remaining probability. If both players use them, the expected payoff u
of each player from a node on is a polynomial in epsilon. Let u_a be u at the node after action a. At a chance node, u
is the mean of u_a, weighted by the probabilities. At a player's node,

.. math::  u = u_{a^*} + \epsilon \sum_a w_a\,(u_a - u_{a^*}).

Theorem (perfect).  If, at every node and for small epsilon > 0, no action earns the *mover* (the player who moves) more
than :math:`a^*`, the profile is extensive-form perfect.

Proof.  Consider the perturbed game in which every action must have at least the probability :math:`w_a\,\epsilon`. The
erring strategies give only :math:`a^*` more than its least probability, and no action earns more than :math:`a^*`. By
backward induction, the erring strategies are best for the mover at every node, among all strategies of the perturbed
game. So they are an equilibrium of the perturbed game, and they tend to the profile (Selten 1975).

Theorem (quasi-perfect).  At each player's own nodes, replace this player's u by :math:`u_{a^*}`, so that players do not
count their own later mistakes. If no action then earns the mover more than :math:`a^*`, the profile is quasi-perfect.

Proof.  By backward induction, u of the mover is the most that the mover can earn from the node on against the erring
strategy of the other player. The mover's strategy in the profile earns this payoff (van Damme 1984).

The code multiplies all weights by their common denominator, which only replaces epsilon by a multiple of epsilon. A
loop computes the first few terms of each polynomial, and more terms if these do not decide a comparison. The loop ends,
because the number of terms is at most one more than the number of moves on a path.

Source: R. Selten, Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4 (1975), 25-55; E. van Damme, A relation between perfect equilibria in extensive form games and
proper equilibria in normal form games, International Journal of Game Theory 13 (1984), 1-13.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from operator import mul
from typing import Any

from tremble.check.case import Case
from tremble.check.claim import Problems, Wrong, fields, list_of, read_weights
from tremble.check.limits import length_of
from tremble.check.tree import CHANCE, over_common_denominator

WHERE = "certificate.trembles"
STEPS_PER_TERM = 1000  # each term of an action's payoff needs a few sums and products: a microsecond (measured)

# Coefficients of epsilon to the powers 0, 1, ..., as integers or Fractions. Later coefficients are 0 or unknown.
Terms = list[Any]


@dataclass(frozen=True)
class Choice:
    """The index of the action that is played at an information set, and the tremble weights of all actions there."""

    played: int
    weight: list[int]  # of each action


def prove_by_backward_induction(case: Case, *, own_mistakes: bool) -> None:
    """Check the condition of the module's first theorem if `own_mistakes` is true, otherwise of its second theorem."""
    stated = fields(case.claim.certificate, ("kind", "trembles"), "certificate")
    if sum(map(len, case.game.actions)) != (case.game.player >= 0).sum():
        raise Wrong("certificate.kind: 'backward-induction' needs a game in which every information set has one node")
    choices = _choices(case, stated["trembles"])
    most, faults = 1, None
    while faults is None:
        faults = _compare(case, choices, most, own_mistakes)
        most *= 4
    case.problems.add(*faults)
    case.problems.left_out += faults.left_out


def _choices(case: Case, stated: object) -> tuple[list[Choice], list[Choice]]:
    """Return the played action and the trembles' weights at each set of both players. Unstated weights are 1."""
    sides = [None, None] if stated is None else list_of(stated, 2, WHERE)
    if stated is not None and None in sides:
        raise Wrong(f"{WHERE}[{sides.index(None)}]: null; state weights for both players, or null for the whole field")
    given = [Fraction(1)]  # not empty even if the game has no moves
    for player, side in enumerate(sides):
        given += read_weights(case.game, player, side, f"{WHERE}[{player}]")
    weight, _ = over_common_denominator(given, case.limits, WHERE)
    choices: tuple[list[Choice], list[Choice]] = [], []
    begin = 1  # index in `weight`
    for player, strategy in enumerate(case.claim.strategies):
        for k, _, first, end in case.form.sequences[player].sets:
            row = strategy.numerator[first - 1 : end - 1]
            if strategy.denominator[k] not in row:
                raise Wrong(f"{case.place(player, k)}: no action has probability 1, but 'backward-induction' needs one")
            choices[player].append(Choice(row.index(max(row)), weight[begin : begin + len(row)]))
            begin += len(row)
    return choices


def _compare(case: Case, choices: Sequence[Sequence[Choice]], most: int, own_mistakes: bool) -> Problems | None:
    """Return the faults found in the first `most` terms of all polynomials, or None if further terms are needed.

    The computation cuts long polynomials to `most` terms. So a polynomial with fewer terms is complete.
    """
    game, faults = case.game, Problems()
    movers, sets, payoff = game.player.tolist(), game.infoset.tolist(), game.payoff.tolist()
    first, count = game.first_child.tolist(), game.num_children.tolist()
    worth: list[Any] = [None] * len(movers)  # u of both players at each node, as polynomials
    for node in range(len(movers) - 1, -1, -1):
        mover, k = movers[node], sets[node]
        if not count[node]:
            worth[node] = [[value] for value in payoff[k]]
            continue
        below = slice(first[node], first[node] + count[node])
        options, worth[below] = worth[below], [None] * count[node]
        sides = list(zip(*options, strict=True))  # for each player, u after each action
        if mover == CHANCE:
            share = game.chance_tables[k].probabilities
            _charge(case, options, share)
            worth[node] = [_cut(_weighted(share, side), side, most) for side in sides]
            continue
        choice = choices[mover][k]
        _charge(case, options, choice.weight)
        excess = [[_weighted((1, -1), (terms, side[choice.played])) for terms in side] for side in sides]
        _add_faults(case, (mover, k), choice.played, excess[mover], faults)
        others = (terms for action, terms in enumerate(excess[mover]) if action != choice.played)
        if any(len(terms) == most and not any(terms) for terms in others):  # only later terms can decide
            return faults or None
        worth[node] = [
            _cut(_weighted((1, 1), (side[choice.played], [0, *_weighted(choice.weight, more)])), side, most)
            for side, more in zip(sides, excess, strict=True)
        ]
        if not own_mistakes:
            worth[node][mover] = sides[mover][choice.played]
    return faults


def _add_faults(case: Case, at: tuple[int, int], played: int, excess: Sequence[Terms], faults: Problems) -> None:
    """Record a fault for each action that earns more than the action `played`; `at` is (mover, information set)."""
    labels = case.game.actions[at[0]][at[1]]
    for action, terms in enumerate(excess):
        degree = next((d for d, term in enumerate(terms) if term), None)
        if degree is not None and terms[degree] > 0:
            faults.add(
                f"{case.place(*at)}: {labels[action]!r:.60} earns more than {labels[played]!r:.60}, at order e^{degree}"
            )


def _charge(case: Case, options: Sequence[Sequence[Terms]], factors: Sequence[Any]) -> None:
    """Charge the limits at a node, before the caller multiplies the payoffs in `options` by the numbers `factors`."""
    terms = [term for option in options for side in option for term in side]
    longest = max(map(length_of, terms)), max(map(length_of, factors))
    case.limits.spend(WHERE, STEPS_PER_TERM, len(terms))
    case.limits.charge(WHERE, sum(longest), max(longest), 4 * len(terms))


def _weighted(factors: Sequence[Any], polynomials: Sequence[Terms]) -> Terms:
    """Multiply each polynomial by its factor, and return the sum."""
    return [sum(map(mul, factors, terms)) for terms in zip_longest(*polynomials, fillvalue=0)]


def _cut(terms: Terms, options: Sequence[Terms], most: int) -> Terms:
    """Return the first `most` of `terms`; drop final zeros if each action's polynomial in `options` has fewer terms."""
    if max(map(len, options)) < most:
        while len(terms) > 1 and not terms[-1]:
            terms.pop()
    return terms[:most]
