r"""Certificates of kind ``backward-induction``: at every node the action that is played is best, while others err.

They prove quasi-perfect and perfect equilibria of games of perfect information, however deep, by weights
:math:`w_a` of mistakes alone. Let every information set be one node, and let the stated strategies play one action
:math:`a^*` at each. For :math:`\epsilon > 0`, let them play every other action a there with the probability
:math:`w_a \epsilon`, and :math:`a^*` with the rest. From the last nodes on, what a node is worth is a polynomial,

.. math::  V = u_{a^*} + \epsilon \sum_a w_a (u_a - u_{a^*}) ,

with :math:`u_a` what action a leads to: of chance, the mean. Checked is that no action leads the mover to more than
:math:`a^*` for any small :math:`\epsilon`, which the first coefficient tells that differs.

*Perfect.* If this holds with V as above for both players, then at every node only the best action is played more
than it must be, own later mistakes counted: so the strategies that err are an equilibrium of the game in which every
action has the least probability :math:`w_a \epsilon` (Selten 1975).

*Quasi-perfect.* Here players do not count their own later mistakes: to the mover, the node is worth :math:`u_{a^*}`.
By induction that is the most that the player can earn from there on against the other's strategy that errs, so at every
node a best reply to it is played (van Damme 1984), for every small :math:`\epsilon`.

Coefficients are computed up to some order, exactly. Where all of them are the same and more may follow, more are
computed; so nothing is left open, however late the first difference comes.

References
----------
R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4, 1975.
E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal form games,
International Journal of Game Theory 13, 1984.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np

from tremble.game.protocol import CHANCE
from tremble.verifier.budget import SHORT, bits_of, budget, listening
from tremble.verifier.certificates.fields import Certificate, Rows, by_action, read_trembles, words
from tremble.verifier.context import CheckContext

__all__ = ["BackwardInductionCertificate"]

_ORDERS_MORE = 4  # times as many coefficients where there were too few

Polynomial = list[Any]
"""Coefficients, the constant one first: integers or Fractions."""


@dataclass(frozen=True, eq=False)
class BackwardInductionCertificate(Certificate):
    """Every information set is one node, and no action leads to more than the one that is played.

    Examples
    --------
    >>> BackwardInductionCertificate().plain()
    {'kind': 'backward-induction', 'trembles': None}
    """

    kind: ClassVar[str] = "backward-induction"

    trembles: Rows | None = None  # weights of mistakes; None if all are equal

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": self.kind, "trembles": self.trembles}

    @classmethod
    def check(cls, context: CheckContext, *, own_mistakes: bool = False) -> None:
        """What is stated is of this kind, and true, whether players count their own later mistakes or not."""
        before, tree, problems = len(context.problems), context.tree, context.problems
        if not cls.is_stated(context, "", "trembles"):
            return
        if sum(tree.num_infosets) != np.count_nonzero(tree.player >= 0):
            problems.add(f"certificate.kind: {cls.kind!r} proves nothing where an information set has several nodes")
            return
        trembles = read_trembles(context)
        if words(trembles):
            problems.add(
                "certificate.trembles: a word, but this kind of certificate states the weights of both players"
            )
        played = [_played(context, player) for player in (0, 1)]
        if len(problems) > before:
            return
        weights = [by_action(trembles, tree, player) for player in (0, 1)]
        orders = 1
        while not _compared(context, played, weights, orders, own_mistakes):
            orders *= _ORDERS_MORE


def _played(context: CheckContext, player: int) -> list[int]:
    """The action of each set that is played with probability 1."""
    actions = []
    for k, (row, whole) in enumerate(listening(context.solution.tables[player].integers())):
        if whole not in row:
            context.problems.add(f"{context.place(player, k)}: no action is played with probability 1")
        actions.append(row.index(max(row)))
    return actions


def _compared(
    context: CheckContext,
    played: Sequence[list[int]],
    weights: Sequence[Sequence[Any]],
    orders: int,
    own_mistakes: bool,
) -> bool:
    """Whether so many coefficients tell at every node what leads to more; problems say where that is not played."""
    tree = context.tree
    movers, sets, payoff = tree.player.tolist(), tree.infoset.tolist(), tree.payoff.tolist()
    first, count = tree.first_child.tolist(), tree.num_children.tolist()
    start = [side.tolist() for side in tree.slot_start]
    budget().about = "certificate.trembles"
    worth: list[Any] = [None] * tree.num_nodes  # a polynomial for each player
    wrong = False
    for node in listening(range(tree.num_nodes - 1, -1, -1)):
        mover, k = movers[node], sets[node]
        if not count[node]:
            worth[node] = [[value] for value in payoff[k]]
            continue
        options = worth[first[node] : first[node] + count[node]]
        worth[first[node] : first[node] + count[node]] = [None] * count[node]
        if mover == CHANCE:
            shares: Sequence[Any] = tree.chance_tables[k].probabilities
            _announce(shares, options)
            worth[node] = [_cut(_mean(shares, values), values, orders) for values in zip(*options, strict=True)]
            continue
        best = played[mover][k]
        for action, option in enumerate(options):
            order = _difference(option[mover], options[best][mover])
            if order is None:
                if max(len(option[mover]), len(options[best][mover])) == orders and action != best:
                    return wrong
            elif _at(option[mover], order) > _at(options[best][mover], order):
                labels, wrong = tree.actions[mover][k], True
                context.problems.add(
                    f"{context.place(mover, k)}: {labels[action]!r} leads to more than {labels[best]!r}, "
                    f"at order e^{order}"
                )
        slips = weights[mover][start[mover][k] : start[mover][k + 1]]
        _announce(slips, options)
        worth[node] = [
            values[best]
            if player == mover and not own_mistakes
            else _cut(_slipped(slips, values, best), values, orders)
            for player, values in enumerate(zip(*options, strict=True))
        ]
    return True


def _cut(worth: Polynomial, options: Sequence[Polynomial], orders: int) -> Polynomial:
    """What follows from options: as short as it is, or of exactly so many coefficients, and then more may follow."""
    if max(map(len, options)) == orders:
        return (worth + [0] * orders)[:orders]
    degree = max((order for order, value in enumerate(worth) if value), default=0)
    return worth[: min(degree + 1, orders)]


def _at(polynomial: Polynomial, order: int) -> Any:
    return polynomial[order] if order < len(polynomial) else 0


def _difference(one: Polynomial, other: Polynomial) -> int | None:
    """The first order at which polynomials differ; None if they do not."""
    pairs = zip_longest(one, other, fillvalue=0)
    return next((order for order, (a, b) in enumerate(pairs) if a != b), None)


def _mean(shares: Sequence[Any], values: Sequence[Polynomial]) -> Polynomial:
    """The sum of polynomials times their shares."""
    levels = zip_longest(*values, fillvalue=0)
    return [sum((p * value for p, value in zip(shares, level, strict=True)), Fraction(0)) for level in levels]


def _slipped(weights: Sequence[Any], values: Sequence[Polynomial], best: int) -> Polynomial:
    """What a node is worth where one action is meant, and others are mistakes."""
    result = [*values[best], *[0] * (1 + max(map(len, values)) - len(values[best]))]
    for weight, value in zip(weights, values, strict=True):
        for order, (there, meant) in enumerate(zip_longest(value, values[best], fillvalue=0)):
            result[order + 1] += weight * (there - meant)
    return result


def _announce(factors: Sequence[Any], options: Sequence[list[Polynomial]]) -> None:
    """What it costs to multiply polynomials by these factors, and to add them up."""
    longest = max(bits_of(value) for option in options for values in option for value in values)
    bits = longest + max(map(bits_of, factors))
    terms = sum(len(values) for option in options for values in option)
    budget().work_through(10 * terms)
    if bits > SHORT:
        budget().quotient(bits, bits, 4 * terms)
        budget().keep(bits * (2 + max(len(values) for option in options for values in option)))
