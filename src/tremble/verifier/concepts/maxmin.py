r"""Maxmin strategies: the most that a player who may forget can guarantee by a behavior strategy.

Let nobody be absentminded. Wanted is the greatest m such that some behavior strategy x of the player earns at least m
against every strategy of the opponent. What the opponent earns plays no part: here it loses what the player earns. It
suffices to look at pure ones: the earnings are affine in what the opponent does at any one of its sets. A certificate
of kind ``branching`` proves

* *from below*: what the stated strategy earns against every pure strategy of the opponent, by passes over the refined
  sequences of the opponent, in exact integers. The certificate says which sets of the opponent have to be fixed for
  that, so that what its refined sets promise is what one strategy can have (:mod:`tremble.verifier.profiles.refined`).
  No set has to be where the opponent has perfect or A-loss recall;
* *from above*: a division of all strategies of the player into *cells*. A cell is a product of simplices, one for each
  information set, each spanned by as many vertices as the set has actions, where a vertex is a mixed action. All
  strategies are the cell whose vertices are the actions. A split takes a point m between two vertices,
  :math:`m = t v_i + (1-t) v_j`, :math:`0 < t < 1`, and makes a cell with m in place of :math:`v_i` and one with m in
  place of :math:`v_j`. The two cover the cell: a point
  :math:`\alpha v_i + \beta v_j + \dots` with :math:`\alpha (1-t) \le \beta t` is :math:`(\alpha / t)\, m + (\beta -
  \alpha (1-t)/t)\, v_j + \dots`, and else likewise with :math:`v_i`. For each cell that is not divided further, a
  mixture of pure strategies of the opponent is stated. No strategy in the cell guarantees more than the best in it
  earns against the mixture, and the passes bound that. The greatest of these bounds holds for all strategies.

The bounds from above are computed in whole numbers that are rounded upward
(:mod:`tremble.verifier.profiles.refined_kernel`): the gains in units of :math:`2^{-s}` over the common denominator of
the game times the sum of the weights, with s such that they just fit; vertices over :math:`2^{30}`, where a new vertex
is rounded upward from those that it lies between, which are upper bounds themselves. So nothing is rounded as long as
points that divide have few bits.

Where both players have perfect recall, best responses prove more in less time, with a certificate of kind
``best-response``. Let (x, y) be an equilibrium and the payoffs sum to c. Player 1 earns v = u(x, y) and no more against
y, so that no strategy of player 1 guarantees more than v. Player 2 earns c - v and no more against x, so that x earns
player 1 at least v against every strategy: it guarantees v. Likewise y guarantees c - v, and player 2 cannot guarantee
more. So both are maxmin strategies, and both bounds are the value (the easy half of the minimax theorem; von Neumann
1928). Both steps need the constant sum: in other games what a player earns in an equilibrium may be more than what the
strategy, or any other, guarantees. Perfect recall is needed for the best responses.

In a game of any sum a certificate of kind ``guarantee`` names the player. Let the other lose what the player earns.
What the other's best response then leaves of x is what x guarantees, exactly; what the player's best response earns
against y no strategy of the player exceeds. Where the bounds meet, x is a maxmin strategy. Of a player who forgets, the
passes bound best responses from above, so that the bounds hold there too, and may not meet.

Bounds are stated in player 1's payoffs, as in every solution; where there is no constant sum, in the player's own.

References
----------
J. von Neumann: Zur Theorie der Gesellschaftsspiele, Mathematische Annalen 100, 1928 (constant sum).
M. Kaneko, J. J. Kline: Behavior strategies, mixed strategies and perfect recall, International Journal of Game Theory
24, 1995 (A-loss recall).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.numbers import approximate, shorten
from tremble.verifier.budget import budget, listening
from tremble.verifier.certificates.best_response import BestResponseCertificate
from tremble.verifier.certificates.branching import BranchingCertificate, BranchingLeaf
from tremble.verifier.certificates.guarantee import GuaranteeCertificate
from tremble.verifier.concepts.nash import check_best_responses, check_play_everywhere
from tremble.verifier.context import CheckContext, unequal
from tremble.verifier.profiles.outcome import Guarantee, Outcome
from tremble.verifier.profiles.refined import (
    Absentminded,
    BrokenChoices,
    greatest_pass,
    passes,
    refined_sequences,
)
from tremble.verifier.profiles.tree import (
    Cells,
    Sequences,
    against,
    cells,
    earn,
    evaluate,
    respond,
    sequence_weights,
)

__all__ = ["check_maxmin", "evaluate_maxmin"]

_INT64_SAFE = 2**62
_NODES_PER_LEAF = 100
"""A leaf of the certificate is worth as much work as so many nodes of the game: about ten milliseconds."""


def evaluate_maxmin(context: CheckContext) -> Outcome | Guarantee | None:
    """What the strategies earn, and the bounds that the certificate proves."""
    tree, certificate = context.tree, context.solution.certificate
    if BestResponseCertificate.is_kind_of(certificate):
        if tree.constant_sum is None:
            context.problems.add(
                f"certificate.kind: {BestResponseCertificate.kind!r}, but the payoffs of this game have no constant "
                f"sum; {GuaranteeCertificate.kind!r} proves what a player can be sure of"
            )
        return evaluate(tree, context.solution.tables)
    try:
        own = refined_sequences(tree, 0), refined_sequences(tree, 1)
    except Absentminded as error:
        path = " / ".join(map(repr, tree.path(error.node)[:20]))
        context.problems.add(
            f"{context.place(error.player, error.infoset)}: the player is absentminded: the path {path:.200} comes to "
            "this set twice, and maxmin strategies are not proven of such games"
        )
        return None
    table = cells(tree, *own)
    weights = [sequence_weights(*pair) for pair in zip(own, context.solution.tables, strict=True)]
    earned = [earn(own, table, weights, player) for player in (0, 1)]
    values = earned[0][0], earned[1][0]
    before = len(context.problems)
    by_responses = GuaranteeCertificate.is_kind_of(certificate)
    stated = GuaranteeCertificate.read(context) if by_responses else BranchingCertificate.read(context)
    if stated is None:
        return Guarantee(values, None, Fraction(0))
    player, other, epsilon = stated.player, 1 - stated.player, Fraction(0)
    (weight, whole), costs = weights[player], budget()
    costs.about = "strategies"
    taken = against(*table.seen_by(other, player), weight, own[other].num_sequences)  # from the player
    losses, unit = [-amount for amount in taken], whole * table.denominator
    if isinstance(stated, BranchingCertificate):
        low, high, epsilon = stated.lower, stated.upper, stated.epsilon
        _check_lower(context, stated, own[other], losses, unit)
        _UpperBound(context, stated, own, table).check()
        if len(context.problems) > before:
            return Guarantee(values, None, Fraction(0))
    else:
        low = -Fraction(respond(own[other], losses), unit)
        high = Fraction(respond(own[player], earned[player][1]), earned[player][2])
    constant = tree.constant_sum
    as_stated = (low, high) if player == 0 or constant is None else (constant - high, constant - low)
    return Guarantee(values, as_stated, epsilon)


def check_maxmin(context: CheckContext) -> None:
    """Check what a solution with the concept ``maxmin`` states: certified or bounded."""
    proven, solution, problems = context.earned, context.solution, context.problems
    check_play_everywhere(context)
    if isinstance(proven, Outcome):
        check_best_responses(context)
        return
    if proven is None or proven.bounds is None:
        return
    context.checked.add("bounds")
    if solution.bounds is None:
        problems.add("bounds: missing; the certificate proves some")
        return
    for name, stated, true in zip(("lower", "upper"), solution.bounds, proven.bounds, strict=True):
        if stated != true:
            problems.add(f"bounds: the {name} bound that the certificate proves is {unequal(stated, true)}")
    apart = proven.bounds[1] - proven.bounds[0]
    if solution.certified and apart > proven.epsilon:
        problems.add(
            f"certificate.epsilon: the bounds are {shorten(apart)} apart, more than the {shorten(proven.epsilon)} that "
            "is stated, so that they are bounds only"
        )


# -- from below ------------------------------------------------------------------------------------


def _check_lower(
    context: CheckContext,
    stated: BranchingCertificate,
    opponent: Sequences,
    losses: list[int],
    unit: int,
) -> None:
    """The strategy earns the lower bound against every pure strategy of the opponent.

    ``losses`` over ``unit`` are minus what each sequence of the opponent leaves to the player.
    """
    budget().about = "certificate.response"
    width = [len(labels) for labels in context.tree.actions[1 - stated.player]]
    try:
        best = greatest_pass(opponent, losses, stated.response, width)
    except BrokenChoices as error:
        context.problems.add(f"certificate.response{error}")
        return
    guaranteed = -Fraction(best, unit)
    if guaranteed < stated.lower:
        context.problems.add(
            f"certificate.lower: {shorten(stated.lower)}, but that the strategy of player {stated.player + 1} "
            f"guarantees more than {shorten(guaranteed)} is not proven (off by "
            f"{approximate(stated.lower - guaranteed)})"
        )


# -- from above ------------------------------------------------------------------------------------


class _UpperBound:
    """The way through the cells of a certificate.

    Shapes: K information sets of the player, S refined sequences, T cells of payoffs, sorted by own sequence.
    """

    def __init__(
        self, context: CheckContext, stated: BranchingCertificate, own: Sequence[Sequences], table: Cells
    ) -> None:
        from tremble.verifier.profiles import refined_kernel as kernel

        self.kernel = kernel
        self.problems, self.stated, self.denominator = context.problems, stated, table.denominator
        self.own, self.opponent = own[stated.player], own[1 - stated.player]
        self.width = [len(labels) for labels in context.tree.actions[stated.player]]
        # Vertices of the present cell, over kernel.ONE: those of set k are width[k] rows of integers from offset[k] on.
        self.offset = np.cumsum([0, *(n * n for n in self.width)])  # [K + 1]
        budget().keep(64 * int(self.offset[-1]))
        self.vertex = np.zeros(int(self.offset[-1]), dtype=np.int64)
        for k, n in enumerate(self.width):
            self.vertex[self.offset[k] : self.offset[k + 1] : n + 1] = kernel.ONE
        self.fixed = np.full(len(self.width), -1, dtype=np.int64)  # [K]
        self.amount = np.zeros(self.own.num_sequences, dtype=np.int64)  # [S]
        # Steps of a pass, in hundreds: calls, and three for each entry of a vertex.
        self.pass_steps = 50 + 3 * sum(self.width[k] ** 2 for k in self.own.infoset.tolist()) // 100
        sequence, self.faced, payoff = table.seen_by(stated.player)
        self.begin = np.flatnonzero(np.concatenate((np.ones(1, dtype=np.bool_), sequence[1:] != sequence[:-1])))
        self.sequence = sequence[self.begin]
        amounts = payoff.tolist()
        self.size = max(sum(map(abs, amounts)), 1)
        self.bits = sum(map(int.bit_length, amounts))
        self.payoff: dict[Any, NDArray[Any]] = {payoff.dtype.type: payoff, np.object_: payoff.astype(object)}
        self.played = list(map(self._played, listening(stated.replies)))

    def _played(self, reply: NDArray[np.int32]) -> NDArray[np.int64]:
        """The sequences of the opponent that a pure strategy plays."""
        opponent = self.opponent
        budget().work_through(20 + len(opponent.before) // 50)
        played = np.empty(1 + len(opponent.before), dtype=np.int64)
        many = self.kernel.support(opponent.before, opponent.start, opponent.infoset, reply, played)
        budget().keep(64 * many)
        return played[:many].copy()

    def check(self) -> None:
        """The leaves are as many as the cells that are not divided, and each has a bound that is low enough."""
        budget().about = "certificate.leaves"
        leaves, before, number = self.stated.leaves, len(self.problems), 0
        budget().grant(_NODES_PER_LEAF * len(leaves))
        for _ in self._cells():
            if number < len(leaves) and not self.problems.full:
                self._check_leaf(number, leaves[number])
            number += 1
        if len(self.problems) == before and number != len(leaves):
            self.problems.add(f"certificate.leaves: {len(leaves):,}, but the splits leave {number:,} cells")

    def _cells(self) -> Iterator[None]:
        """Stop at every cell that is not divided; ``vertex`` has its vertices then."""
        vertex, splits, costs = self.vertex, self.stated.splits, budget()
        # Of the cells around: where the two vertices stand, the point between them, the vertex that it stands for at
        # present, and whether that is the second one.
        way: list[tuple[slice, slice, NDArray[np.int64], NDArray[np.int64], bool]] = []
        for s, split in enumerate(listening(splits)):
            if split:
                number, i, j, numerator, bits = split
                n, first = self.width[number - 1], int(self.offset[number - 1])
                first_vertex, second_vertex = (slice(first + v * n, first + (v + 1) * n) for v in (i, j))
                costs.work_through(2 + n)
                costs.keep(2 * 64 * n)
                point = _point(vertex[first_vertex], vertex[second_vertex], numerator, bits)
                if int(point.sum()) > self.kernel.LARGEST_VERTEX:
                    self.problems.add(f"certificate.splits[{s}]: too many rounded points within each other")
                    return
                way.append((first_vertex, second_vertex, point, vertex[first_vertex].copy(), False))
                vertex[first_vertex] = point
                continue
            yield
            while way:
                first_vertex, second_vertex, point, replaced, last = way.pop()
                if not last:
                    vertex[first_vertex] = replaced
                    way.append((first_vertex, second_vertex, point, vertex[second_vertex].copy(), True))
                    vertex[second_vertex] = point
                    break
                vertex[second_vertex] = replaced
                costs.keep(-2 * 64 * len(point))
            if not way:
                if s + 1 < len(splits):
                    self.problems.add(f"certificate.splits[{s + 1}]: the tree is complete before this")
                return
        self.problems.add("certificate.splits: the tree is not complete")

    def _check_leaf(self, number: int, leaf: BranchingLeaf) -> None:
        """No strategy in the cell earns more than the upper bound against the mixture."""
        gain, unit = self._gains(leaf)
        own, costs = self.own, budget()
        where = f"certificate.leaves[{number}]"
        top = -self.kernel.LARGEST_GAINS
        try:
            for _ in passes(leaf.choices, self.width, self.fixed):
                costs.work_through(self.pass_steps)
                bound = self.kernel.relaxed_pass(
                    gain, own.before, own.start, own.infoset, self.vertex, self.offset, self.fixed, self.amount
                )
                top = max(top, int(bound))
        except BrokenChoices as broken:
            self.problems.add(f"{where}.choices{broken}")
            return
        bound, upper = top * unit, self.stated.upper
        if bound > upper:
            self.problems.add(
                f"{where}: in this cell no more than {approximate(bound)} can be earned against the mixture, which "
                f"exceeds the upper bound by {approximate(bound - upper)}"
            )

    def _gains(self, leaf: BranchingLeaf) -> tuple[NDArray[np.int64], Fraction]:
        """What each sequence contributes against the mixture, rounded upward to multiples of a unit, and the unit."""
        whole = sum(weight for _, weight in leaf.mix)
        kind = np.int64 if np.int64 in self.payoff and whole * self.size < _INT64_SAFE else np.object_
        costs = budget()
        costs.work_through((50 if kind == np.object_ else 1) * (1 + len(self.faced) // 50))
        costs.products(self.bits, whole.bit_length())
        weight: NDArray[Any] = np.zeros(self.opponent.num_sequences, dtype=kind)  # of the opponent's sequences
        for reply, share in listening(leaf.mix):
            weight[self.played[reply]] += share
        gain: NDArray[Any] = np.zeros(len(self.amount), dtype=kind)
        gain[self.sequence] = np.add.reduceat(self.payoff[kind] * weight[self.faced], self.begin)
        shift = self.kernel.LARGEST_GAINS.bit_length() - 2 - int(np.abs(gain).sum()).bit_length()
        # The absolute values sum to at most half the limit, or, rounded, to one more for each sequence.
        gain = gain << shift if shift >= 0 else -(-gain >> -shift)
        return gain.astype(np.int64), Fraction(1, self.denominator * whole) / Fraction(2) ** shift


def _point(one: NDArray[np.int64], two: NDArray[np.int64], numerator: int, bits: int) -> NDArray[np.int64]:
    """The point between two vertices, rounded upward; the first one has the share numerator / 2^bits."""
    rest = (1 << bits) - numerator
    pairs = zip(one.tolist(), two.tolist(), strict=True)
    return np.array([-(-(numerator * a + rest * b) >> bits) for a, b in pairs], dtype=np.int64)
