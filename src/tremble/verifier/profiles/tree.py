r"""The verifier's own passes over a tree: what players did, what chance did, what strategies earn.

Nothing here is shared with a solver. All numbers are exact integers over a few common denominators.

A *sequence* of a player with perfect recall is named by its last move: 0 if there was none, else 1 + the
number of (information set, action). The passes are

1. the last move of player 1, of player 2 and of chance before each node, by pointer jumping, in as many
   rounds as the logarithm of the depth (:func:`last_move_node`);
2. the probability of chance at each node (:func:`chance_weights`), at the leaves times the payoffs, summed
   over the leaves with the same two sequences: the *cells* (:func:`cells`);
3. the probability with which each player plays each of its sequences (:func:`sequence_weights`);
4. per player, what each sequence earns against the other's strategy, and from there, backward over the
   information sets, what a best response earns (:func:`evaluate`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import gcd, lcm
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import ImperfectRecallError
from tremble.game.protocol import CHANCE
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.verifier.budget import LONG, SHORT, budget, listening
from tremble.verifier.profiles.outcome import FORGETS, Earnings, Outcome

__all__ = [
    "Cells",
    "Evaluation",
    "Performance",
    "Sequences",
    "WorstDeviation",
    "against",
    "cells",
    "chance_weights",
    "earn",
    "evaluate",
    "expected",
    "last_move_node",
    "products",
    "respond",
    "sequence_weights",
    "sequences_of",
]

_INT64_SAFE = 2**62


# -- 1. who did what -----------------------------------------------------------------------------


def last_move_node(tree: GameTree, mover: int) -> NDArray[np.int32]:
    """The node that the last move of ``mover`` (0, 1 or ``CHANCE``) on the way to each node led to: int32[N].

    Node v itself if its parent belongs to ``mover``; 0, the root, if ``mover`` did not move before v.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> bool((last_move_node(kuhn, tremble.CHANCE)[1:7] == range(1, 7)).all())
    True
    """
    above = tree.parent.copy()
    above[0] = 0
    nodes = np.arange(tree.num_nodes, dtype=np.int32)
    jump = np.where(tree.player[above] == mover, nodes, above)
    jump[0] = 0
    while True:
        budget().listen()
        further = jump[jump]
        if np.array_equal(further, jump):
            return jump
        jump = further


@dataclass(frozen=True, eq=False)
class Sequences:
    """The sequences of one player with perfect recall; or refined ones, of refined sets (:mod:`.refined`)."""

    before: NDArray[np.int64]  # [J]: sequence that leads to each information set; belongs to an earlier set or is 0
    # The sequences of set k are start[k]:start[k + 1]; the last entry is their number.
    start: NDArray[np.int64]  # [J + 1]
    at_node: NDArray[np.int64]  # [N]: sequence at each node
    at_leaf: NDArray[np.int64]  # [L]: sequence at each leaf
    infoset: NDArray[np.int64]  # [J]: index of the information set that each set is, or is a part of

    @property
    def num_sequences(self) -> int:
        """Number of sequences, the empty one included."""
        return int(self.start[-1])

    @cached_property
    def sets(self) -> list[tuple[int, int, int, int]]:
        """Of each set: its index, the sequence before it, its first sequence, and the end of its sequences."""
        bounds = zip(self.before.tolist(), pairwise(self.start.tolist()), strict=True)
        return [(k, prior, first, end) for k, (prior, (first, end)) in enumerate(bounds)]


def sequences_of(tree: GameTree, player: int) -> Sequences:
    """Find the sequences of a player; ``ImperfectRecallError`` if nodes of one set follow different own sequences.

    Comparing last moves suffices: if all nodes of each set have the same last own move, then by induction
    over depth they have the same own moves altogether.
    """
    width = np.array([len(labels) for labels in tree.actions[player]], dtype=np.int64)
    start = np.concatenate((np.ones(1, dtype=np.int64), 1 + np.cumsum(width)))
    reached = last_move_node(tree, player)
    moved = np.flatnonzero(reached)
    sequence = np.zeros(tree.num_nodes, dtype=np.int64)
    sequence[moved] = start[tree.infoset[tree.parent[reached[moved]]]] + tree.action[reached[moved]]
    own = np.flatnonzero(tree.player == player)
    before = np.zeros(len(width), dtype=np.int64)
    before[tree.infoset[own]] = sequence[own]
    strays = np.flatnonzero(before[tree.infoset[own]] != sequence[own])
    if len(strays):
        raise ImperfectRecallError(
            f"player {player + 1}, {tree.set_name(player, int(tree.infoset[own[strays[0]]]))}: {FORGETS}"
        )
    if np.any(before >= start[:-1]):
        raise AssertionError("the tree does not number a player's information sets by first appearance")
    return Sequences(before, start, sequence, sequence[tree.leaves], np.arange(len(width)))


# -- 2. chance and payoffs -----------------------------------------------------------------------


def chance_weights(tree: GameTree) -> tuple[list[int], NDArray[np.int64], int]:
    """The probability that chance plays towards each node.

    Returns
    -------
    weight : list of int
        The different probabilities, as integers over ``denominator``.
    of_node : int64[N]
        Which of them belongs to each node.
    denominator : int
    """
    last = last_move_node(tree, CHANCE)
    outcome = np.flatnonzero(last == np.arange(tree.num_nodes))[1:]  # nodes that chance moves to; parents first
    start = np.cumsum([0, *(len(table.labels) for table in tree.chance_tables)])
    share = [p for table in tree.chance_tables for p in table.probabilities]
    entry = start[tree.infoset[tree.parent[outcome]]] + tree.action[outcome]
    rank = np.zeros(tree.num_nodes, dtype=np.int64)  # 1 + position in ``outcome``; 0 at the root
    rank[outcome] = np.arange(1, len(outcome) + 1)
    # Equal histories of chance are one. A history is an earlier one and one more entry of ``share``.
    history = [0]  # of each outcome, and of the root
    number_of: dict[tuple[int, int], int] = {}
    for before, here in listening(zip(rank[last[tree.parent[outcome]]].tolist(), entry.tolist(), strict=True)):
        history.append(number_of.setdefault((history[before], here), 1 + len(number_of)))
    # Each history's weight must be divisible by what is needed to go on from there.
    needed = [1] * (1 + len(number_of))
    for (before, here), number in listening(reversed(number_of.items())):
        needed[before] = lcm(needed[before], needed[number] * share[here].denominator)
    weight = [needed[0]]
    for before, here in listening(number_of):
        weight.append(weight[before] // share[here].denominator * share[here].numerator)
    common = gcd(*weight)
    weight = [w // common for w in listening(weight)]
    return weight, np.array(history, dtype=np.int64)[rank[last]], needed[0] // common


@dataclass(frozen=True, eq=False)
class Cells:
    """Chance times payoff, summed over the leaves with the same two sequences.

    Shapes: T cells, sorted by ``sequence[0]``, then ``sequence[1]``; no pair twice.
    """

    sequence: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[T]: sequences of players 1 and 2
    # For each player, as integers over denominator.
    payoff: tuple[NDArray[Any], NDArray[Any]]  # pair of int64[T] or object[T]
    denominator: int

    def seen_by(
        self, player: int, earner: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
        """Own sequence, the other's sequence and the payoff of each cell, own by default, sorted by own sequence."""
        own, other = self.sequence[player], self.sequence[1 - player]
        payoff = self.payoff[player if earner is None else earner]
        if player == 0:
            return own, other, payoff
        order = np.argsort(own, kind="stable")
        return own[order], other[order], payoff[order]


def cells(tree: GameTree, one: Sequences, two: Sequences) -> Cells:
    """Sum chance times payoff over the leaves that share both sequences."""
    weight, of_node, denominator = chance_weights(tree)
    size = max(abs(int(tree.payoff.max())), abs(int(tree.payoff.min())))
    narrow = max(weight) * max(size, 1) * tree.num_leaves < _INT64_SAFE  # so are all sums below
    kind: Any = np.int64 if narrow else object
    chance = np.array(weight, dtype=kind)[of_node[tree.leaves]]
    key = one.at_leaf * two.num_sequences + two.at_leaf
    order = np.argsort(key, kind="stable")
    key = key[order]
    begin = np.flatnonzero(np.concatenate((np.ones(1, dtype=np.bool_), key[1:] != key[:-1])))
    payoff = tree.payoff.astype(kind, copy=False)
    first, second = (np.add.reduceat((chance * payoff[:, player])[order], begin) for player in (0, 1))
    here = order[begin]
    return Cells(
        sequence=(one.at_leaf[here], two.at_leaf[here]),
        payoff=(first, second),
        denominator=denominator * tree.payoff_denominator,
    )


# -- 3. strategies -------------------------------------------------------------------------------


def sequence_weights(own: Sequences, table: StrategyTable) -> tuple[list[int], int]:
    """The probability with which a strategy plays each sequence, as integers over one denominator.

    The table must have no faults: one row per information set, in order, each summing to one.
    """
    budget().about = f"strategies[{table.player}]"
    first = np.cumsum([0, *map(len, table.actions)])[own.infoset]
    entry = np.arange(own.num_sequences - 1) + np.repeat(first + 1 - own.start[:-1], np.diff(own.start))
    return products(own, table.numerator[entry].tolist(), table.denominator[own.infoset].tolist())


def products(own: Sequences, share: Sequence[int], whole: Sequence[int]) -> tuple[list[int], int]:
    """What the factors of the moves multiply to along each sequence, as integers over one denominator.

    ``share`` has the factor of each move, over the denominator that ``whole`` has for its information set.
    """
    before, start = own.before.tolist(), own.start.tolist()
    costs = budget()
    # First the least denominator of each weight. Numerator and denominator stay coprime, and only numbers
    # that differ much in length meet in a gcd, which keeps long chains of moves fast.
    top, bottom = [0] * start[-1], [1] * start[-1]
    top[0] = 1
    for k, prior in enumerate(listening(before)):
        p, q = top[prior], bottom[prior]
        if p == 0:
            continue
        row, above = whole[k].bit_length(), p.bit_length() + q.bit_length()
        for s in range(start[k], start[k + 1]):
            n, d = share[s - 1], whole[k]
            if n == 0:
                continue
            if n == d:  # as most are in an equilibrium
                top[s], bottom[s] = p, q
                continue
            here = max(row, n.bit_length())
            costs.quotient(here, here, 3)
            costs.quotient(here, above, 3)
            costs.keep(2 * here + above)
            common = gcd(n, d)
            n, d = n // common, d // common
            crosswise, other = gcd(p, d), gcd(n, q)
            top[s] = (p // crosswise) * (n // other)
            bottom[s] = (q // other) * (d // crosswise)
    denominator = costs.common_denominator(bottom)
    played = len(top) - top.count(0)
    costs.keep(played * denominator.bit_length())
    weight = [0] * start[-1]
    weight[0] = denominator
    for k, prior in enumerate(listening(before)):
        above = weight[prior]
        if above:
            length, row = above.bit_length(), whole[k].bit_length()
            for s in range(start[k], start[k + 1]):
                factor = share[s - 1].bit_length()
                costs.quotient(length, max(row, factor), 2)
                costs.keep(max(length + factor - row - denominator.bit_length(), 0))
                weight[s] = above * share[s - 1] // whole[k]
    return weight, denominator


# -- 4. what strategies earn ---------------------------------------------------------------------


@dataclass(frozen=True)
class WorstDeviation:
    """Where a strategy loses the most."""

    infoset: int  # index from 0
    # Positions of an action that the strategy plays and of a best one.
    played: int
    better: int
    probability: Fraction  # with which it is played there
    cost: Fraction  # what playing it there takes away from the player's expected payoff


@dataclass(frozen=True, eq=False)
class Performance(Earnings):
    """How one player's strategy fares against the other's, and where it fails."""

    # For each information set, whether the player's own strategy ever goes there (chance and the other permitting).
    reached: list[bool]
    worst_deviation: WorstDeviation | None  # None exactly if the strategy is a best response


@dataclass(frozen=True, eq=False)
class Evaluation(Outcome):
    """What a profile earns in a game."""

    players: tuple[Performance, Performance]
    sequences: tuple[Sequences, Sequences]  # of both players
    cells: Cells


def against(
    own: NDArray[np.int64], other: NDArray[np.int64], payoff: NDArray[Any], weight: Sequence[int], size: int
) -> list[int]:
    """Sum ``payoff * weight[other]`` over the cells of each of ``size`` own sequences.

    The cells come sorted by own sequence (:meth:`Cells.seen_by`).
    """
    costs = budget()
    costs.work_through(size + len(weight) // 2 + len(own) // 50)
    costs.keep(3 * 64 * size)  # where the numbers are: here, by sequence, and once more by what becomes of them
    total = [0] * size
    played = np.array([w != 0 for w in weight], dtype=np.bool_)[other]
    own, other, payoff = own[played], other[played], payoff[played]
    if not len(own):
        return total
    costs.work_through(len(own))
    begin = np.flatnonzero(np.concatenate((np.ones(1, dtype=np.bool_), own[1:] != own[:-1])))
    amounts = payoff.tolist()
    faced = other.tolist()
    long = _announce(max(map(abs, amounts)).bit_length(), weight, other, begin)
    bounds = pairwise([*begin.tolist(), len(own)])
    for sequence, (first, end) in listening(zip(own[begin].tolist(), bounds, strict=True)):
        total[sequence] = _dot(amounts[first:end], map(weight.__getitem__, faced[first:end]), long)
    return total


def _announce(payoff: int, weight: Sequence[int], faced: NDArray[np.int64], begin: NDArray[np.int64]) -> bool:
    """What sums of products of weights and payoffs, of so many bits, cost; whether they are slow."""
    bits = np.array([w.bit_length() for w in weight], dtype=np.int64)
    longest = int(bits.max())
    if longest + payoff > SHORT:
        costs = budget()
        costs.products(int(bits[faced].sum()), payoff)
        costs.keep(int((np.maximum.reduceat(bits[faced], begin) + payoff).sum()))
    return longest + payoff > LONG


def _dot(one: Iterable[int], other: Iterable[int], long: bool) -> int:
    """The sum of products; of long numbers the listener is called in between."""
    products = map(mul, one, other)
    return sum(listening(products) if long else products)


def respond(own: Sequences, amount: list[int], fixed: Sequence[int] = ()) -> int:
    """Best-response value; ``amount`` of each sequence becomes what it earns if best responses follow.

    ``fixed`` may have for each information set the position of the only action that is looked at, or -1.
    """
    before, start, infoset = own.before.tolist(), own.start.tolist(), own.infoset.tolist()
    for k in listening(range(len(before) - 1, -1, -1)):
        options = amount[start[k] : start[k + 1]]
        only = fixed[infoset[k]] if fixed else -1
        amount[before[k]] += max(options) if only < 0 else options[only]
    return amount[0]


def earn(
    own: Sequence[Sequences], table: Cells, weights: Sequence[tuple[list[int], int]], player: int
) -> tuple[Fraction, list[int], int]:
    """What a player's strategy earns; what each of its sequences does, against the other's, as integers over a unit.

    ``weights`` are those of both players' sequences (:func:`sequence_weights`).
    """
    (weight, scale), (other_weight, other_scale) = weights[player], weights[1 - player]
    costs = budget()
    costs.about = "strategies"
    amount = against(*table.seen_by(player), other_weight, own[player].num_sequences)
    long, whole = max(map(int.bit_length, amount)), scale.bit_length()
    costs.product(long, whole, len(weight) - weight.count(0))
    costs.quotient(long + whole, long + whole, 4)  # fractions in lowest terms
    unit = table.denominator * other_scale
    return Fraction(_dot(weight, amount, long + whole > LONG), unit * scale), amount, unit


def _worst_deviation(own: Sequences, weight: Sequence[int], amount: Sequence[int], unit: int) -> WorstDeviation | None:
    """The costliest action that is played.

    The loss of a strategy is the sum over its sequences of their weight times what the best action at the
    same information set earns more, best responses following.
    """
    before, start = own.before.tolist(), own.start.tolist()
    worst, where = 0, None
    long = max(map(int.bit_length, amount))
    budget().product(long, weight[0].bit_length(), len(amount))  # no weight is greater than that of the empty one
    for k, prior in enumerate(listening(before)):
        if weight[prior]:
            options = amount[start[k] : start[k + 1]]
            best = max(options)
            for j, option in enumerate(options):
                cost = weight[start[k] + j] * (best - option)
                if cost > worst:
                    worst, where = cost, (k, j, options.index(best))
    if where is None:
        return None
    k, j, better = where
    return WorstDeviation(k, j, better, Fraction(weight[start[k] + j], weight[before[k]]), Fraction(worst, unit))


def expected(
    tree: GameTree, own: tuple[Sequences, Sequences], tables: Sequence[StrategyTable]
) -> tuple[Fraction, Fraction]:
    """Compute the expected payoffs of a profile, without best responses; the tables have no faults."""
    table = cells(tree, *own)
    weights = [sequence_weights(own[player], tables[player]) for player in (0, 1)]
    return earn(own, table, weights, 0)[0], earn(own, table, weights, 1)[0]


def evaluate(tree: GameTree, tables: Sequence[StrategyTable]) -> Evaluation:
    """Exact values and best responses of a profile.

    Parameters
    ----------
    tables : pair of StrategyTable
        Without faults.

    Raises
    ------
    ImperfectRecallError
        A player does not have perfect recall.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> tables = [StrategyTable.of(tremble.BehaviorStrategy.uniform(kuhn, player)) for player in (0, 1)]
    >>> evaluation = evaluate(kuhn, tables)
    >>> evaluation.values[0], evaluation.nash_conv
    (Fraction(1, 8), Fraction(11, 12))
    """
    own = (sequences_of(tree, 0), sequences_of(tree, 1))
    table = cells(tree, *own)
    weights = [sequence_weights(own[player], tables[player]) for player in (0, 1)]
    players = []
    for player, (weight, scale) in enumerate(weights):
        value, amount, unit = earn(own, table, weights, player)
        best = Fraction(respond(own[player], amount), unit)
        reached = [weight[before] > 0 for before in own[player].before.tolist()]
        worst = None if best == value else _worst_deviation(own[player], weight, amount, unit * scale)
        players.append(Performance(value, best, reached, worst))
    total = tree.payoff[:, 0] + tree.payoff[:, 1]  # int64 entries are below 2**62, so this cannot overflow
    constant = Fraction(int(total[0]), tree.payoff_denominator) if np.all(total == total[0]) else None
    return Evaluation((players[0], players[1]), constant, sequences=own, cells=table)
