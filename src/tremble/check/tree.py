r"""The sequence form of a game tree: sequences, perfect recall, and payoffs for each pair of sequences.

A *sequence* of a player is the list of the player's moves on a path from the root. A player has perfect recall if, for
each of its information sets, the paths to all nodes of the set have the same sequence. The last move then identifies a
sequence. Sequence 0 is the empty one. Then come the sequences that end at information set 0, then at set 1, etc.

Theorem (von Stengel 1996, Koller, Megiddo and von Stengel 1996).  Let x and y be the *realization plans* of both
players: x_q is the product of the probabilities of the moves in q. Then, with

.. math::  U_{qr} = \sum_{\text{leaves with sequences } q, r} (\text{probability of chance}) \cdot (\text{payoff}),

the expected payoff is :math:`\sum_{qr} x_q U_{qr} y_r`.

Proof.  Let q and r be the sequences of the two players on the path to a leaf. Play reaches the leaf with a probability
that is the product of x_q, y_r and the probability of chance. Collect the leaves that have the same q and r.

To prove perfect recall, it is enough to compare last moves. Suppose that the player's last move before a node is the
same for all nodes of a set. If this holds for each set, all nodes of a set have the same sequence, by induction.

The kernel trusts the arrays of the tree: parents precede children, and levels and leaves are right. It checks the
probabilities of chance, perfect recall, and the numbering of information sets. The theorems depend on all three.

Source: B. von Stengel, Efficient computation of behavior strategies, Games and Economic Behavior 14 (1996), 220-246.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import mul
from typing import Any

import numpy as np

from tremble.check.claim import Wrong, place
from tremble.check.limits import Limits, common_denominator, length_of, steps_of

CHANCE, TERMINAL = -1, -2  # values of `player` in the arrays of a tree
SAFE = 2**62  # sums with a smaller absolute value fit int64


class ImperfectRecall(Wrong):
    """An error that ends a check: a player does not have perfect recall."""


@dataclass(frozen=True)
class Sequences:
    """The sequences of one player. Shapes: J information sets, N nodes."""

    count: int  # number of sequences, including the empty sequence
    # For each information set: its number, the sequence before it, its first sequence, its last sequence plus 1.
    sets: list[tuple[int, int, int, int]]
    at_node: np.ndarray  # int64[N]: the player's sequence on the path to each node


@dataclass(frozen=True)
class Chance:
    """The product of the chance probabilities on the path to each of the N nodes, stored as H different products."""

    weight: list[int]  # [H]: the products, as integers over `denominator`
    number: np.ndarray  # int64[N]: the index in `weight` of the product at each node
    denominator: int

    @property
    def possible(self) -> np.ndarray:
        """A mask, bool[N]: true at a node if all chance moves on the path to it have positive probabilities."""
        return np.asarray(np.array([weight > 0 for weight in self.weight])[self.number])


@dataclass(frozen=True)
class Payoffs:
    """The T entries of a player's payoff matrix U, sorted by the player's sequence. They belong to G own sequences."""

    own: np.ndarray  # int64[T]: the player's sequence of each entry
    other: np.ndarray  # int64[T]: the other player's sequence
    amount: np.ndarray  # int64[T] or object[T]: each entry times the denominator of the sequence form
    begin: np.ndarray  # int64[G]: index of the first entry of each own sequence

    def against(self, weight: Sequence[int], count: int, limits: Limits, kept: Any = None) -> list[int]:
        """Return `count` payoffs: for each own sequence, the sum of amount * weight[other] over the sequence's entries.

        `weight` is a plan of the other player. With a mask `kept` (bool[T]), sum only the entries where it is True.
        """
        largest, size = max(map(abs, weight)), max(abs(int(self.amount.max())), abs(int(self.amount.min())))
        limits.spend("payoffs", 100 * (count + len(weight) // 2 + len(self.own) // 50))
        if max(largest, 1) * max(size, 1) * len(self.own) >= SAFE:
            return self._against_long(weight, count, limits, size.bit_length(), kept)
        products = self.amount.astype(np.int64) * np.array(weight, dtype=np.int64)[self.other]
        if kept is not None:
            products = np.where(kept, products, 0)
        total = np.zeros(count, dtype=np.int64)
        total[self.own[self.begin]] = np.add.reduceat(products, self.begin)
        result: list[int] = total.tolist()
        return result

    def _against_long(
        self, weight: Sequence[int], count: int, limits: Limits, size: int, kept: np.ndarray | None
    ) -> list[int]:
        """Compute the same payoffs as `against`, in Python integers. No entry of `self.amount` exceeds `size` bits."""
        total = [0] * count
        length = np.array([w.bit_length() for w in weight], dtype=np.int64)[self.other]
        pairs = np.flatnonzero(length if kept is None else length * kept)  # skip weights of 0, which are frequent
        if not len(pairs):
            return total
        own, length = self.own[pairs], length[pairs]
        begin = _starts(own)
        limits.spend("payoffs", steps_of(int(length.mean()), size), len(pairs))
        limits.keep("payoffs", int((np.maximum.reduceat(length, begin) + size).sum()))
        amount, other = self.amount[pairs].tolist(), self.other[pairs].tolist()
        spans = pairwise([*begin.tolist(), len(pairs)])
        for sequence, (first, end) in zip(own[begin].tolist(), spans, strict=True):
            limits.tick()
            total[sequence] = sum(map(mul, amount[first:end], map(weight.__getitem__, other[first:end])))
        return total


@dataclass(frozen=True)
class SequenceForm:
    """A game in sequence form, for both players."""

    sequences: tuple[Sequences, Sequences]
    payoffs: tuple[Payoffs, Payoffs]
    denominator: int  # of the amounts of both players
    chance: Chance
    constant_sum: Fraction | None = None  # the sum of both payoffs, if it is the same at every leaf


def sequence_form(game: Any, limits: Limits) -> SequenceForm:
    """Compute the sequence form of a tree; raise `Wrong` if a player does not have perfect recall."""
    return form_of(game, (_sequences(game, 0), _sequences(game, 1)), limits)


def form_of(game: Any, sequences: tuple[Sequences, Sequences], limits: Limits) -> SequenceForm:
    """Compute the sequence form. If a player lacks perfect recall, pass the `sequences` from `refined_sequences`."""
    chance = _chance(game, limits)
    payoffs = _payoffs(game, sequences, chance)
    total = game.payoff[:, 0] + game.payoff[:, 1]  # entries are below 2**62, so int64 cannot overflow
    constant_sum = Fraction(int(total[0]), game.payoff_denominator) if (total == total[0]).all() else None
    return SequenceForm(sequences, payoffs, chance.denominator * game.payoff_denominator, chance, constant_sum)


def _last_moves(game: Any, mover: int) -> tuple[np.ndarray, np.ndarray]:
    """Mark the nodes after moves of `mover`. Also find the last marked node on the path to each node (0 if none).

    Each round of the loop doubles the distance that the search covers, so long paths need few rounds.
    """
    moved = game.player[game.parent] == mover
    moved[0] = False
    nearest = np.where(moved, np.arange(len(moved)), game.parent)
    nearest[0] = 0
    while (nearest[nearest] != nearest).any():
        nearest = nearest[nearest]
    return moved, nearest


def _sequences(game: Any, player: int) -> Sequences:
    """Find the sequences of a player, and check that the player has perfect recall."""
    first = np.cumsum([1, *map(len, game.actions[player])], dtype=np.int64)
    moved, nearest = _last_moves(game, player)
    last_move = np.zeros(len(moved), dtype=np.int64)
    last_move[moved] = first[game.infoset[game.parent[moved]]] + game.action[moved]
    at_node = last_move[nearest]
    own = np.flatnonzero(game.player == player)
    before = np.zeros(len(first) - 1, dtype=np.int64)
    before[game.infoset[own]] = at_node[own]
    strays = np.flatnonzero(before[game.infoset[own]] != at_node[own])
    if len(strays):
        raise ImperfectRecall(
            f"{place(game, player, int(game.infoset[own[strays[0]]]))}: the player forgets its earlier moves "
            "(no perfect recall), so best responses are not proven"
        )
    if (before >= first[:-1]).any():
        # Loops visit the sets by number, so an earlier move must belong to a set with a smaller number.
        raise Wrong(f"player {player + 1}: the information sets are not numbered by first appearance")
    bounds = zip(before.tolist(), pairwise(first.tolist()), strict=True)
    return Sequences(int(first[-1]), [(k, prior, *span) for k, (prior, span) in enumerate(bounds)], at_node)


def _chance(game: Any, limits: Limits) -> Chance:
    """Multiply the chance probabilities on the path to each node. Multiply equal lists of factors only once."""
    known: dict[Fraction, int] = {}
    shares = [known.setdefault(p, len(known)) for table in game.chance_tables for p in table.probabilities]
    for table in game.chance_tables:
        if sum(table.probabilities) != 1 or min(table.probabilities) < 0:
            raise Wrong("the probabilities of a chance move are negative or do not sum to 1")
    moved, nearest = _last_moves(game, CHANCE)
    first = np.cumsum([0, *(len(table.probabilities) for table in game.chance_tables)], dtype=np.int64)
    above = game.parent[moved]
    factor = np.array(shares, dtype=np.int64)[first[game.infoset[above]] + game.action[moved]]
    nodes = zip(np.flatnonzero(moved).tolist(), nearest[above].tolist(), factor.tolist(), strict=True)
    factors, product = list(known), [Fraction(1)]
    number_of: dict[tuple[int, int], int] = {}  # the product for (an earlier product, the next factor)
    number = [0] * len(moved)
    for node, before, share in nodes:
        pair = number[before], share
        if pair not in number_of:
            limits.charge("chance", length_of(product[pair[0]]), length_of(factors[share]))
            number_of[pair] = len(product)
            product.append(product[pair[0]] * factors[share])
        number[node] = number_of[pair]
    weight, denominator = over_common_denominator(product, limits, "chance")
    return Chance(weight, np.array(number, dtype=np.int64)[nearest], denominator)


def over_common_denominator(numbers: Sequence[Fraction], limits: Limits, where: str) -> tuple[list[int], int]:
    """Return numbers as integers over their least common denominator, and this denominator."""
    whole = common_denominator((number.denominator for number in numbers), limits, where)
    limits.charge(where, whole.bit_length(), max(map(length_of, numbers)), len(numbers))
    return [number.numerator * (whole // number.denominator) for number in numbers], whole


def _payoffs(game: Any, sequences: tuple[Sequences, Sequences], chance: Chance) -> tuple[Payoffs, Payoffs]:
    """Compute each player's payoff matrix U. U_qr sums (chance probability) * payoff over leaves where q and r end."""
    size = max(1, abs(int(game.payoff.max())), abs(int(game.payoff.min())))
    kind: Any = np.int64 if max(chance.weight) * size * len(game.leaves) < SAFE else object
    weight = np.array(chance.weight, dtype=kind)[chance.number[game.leaves]]
    one, two = (side.at_node[game.leaves] for side in sequences)
    pair = one * sequences[1].count + two
    order = np.argsort(pair, kind="stable")
    begin = _starts(pair[order])
    amount1, amount2 = (
        np.add.reduceat((weight * game.payoff[:, player].astype(kind, copy=False))[order], begin) for player in (0, 1)
    )
    one, two = one[order[begin]], two[order[begin]]  # the sequences of each pair
    by_two = np.argsort(two, kind="stable")
    return (
        Payoffs(one, two, amount1, _starts(one)),
        Payoffs(two[by_two], one[by_two], amount2[by_two], _starts(two[by_two])),
    )


def _starts(values: np.ndarray) -> np.ndarray:
    """Return the index at which each run of equal values begins."""
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
