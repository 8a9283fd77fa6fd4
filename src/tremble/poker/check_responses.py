r"""Expected payoffs and best-response values in an ordered game, computed by passes over arrays of all deals.

An *own node* is a public state together with a player's hand. A *line* is a history of moves.

Theorem. Let :math:`m_{ij}` be the weight of hands i and j, let :math:`y_{rj}` be the weight of the other player's
sequence r with hand j, and let :math:`u` be the payoff at a leaf. Then a responder with hand :math:`i` earns
:math:`\sum_j m_{ij}\, u\, y_{rj}` at the leaf. Backward induction chooses the best action at each information set, and
adds up the values of the hands that come from one hand of the previous round. The result is the best-response value.

Proof.  A hand and a line determine an information set, and exactly one own sequence leads to each information set. So
the information sets form a forest, and the proof in `tremble.check.best_response` applies.

Theorem (no overflow). Let d be the denominator of the other player's plan. Every number computed for own node i is at
most :math:`\sum_j m_{ij}\, d \max |u|` in absolute value. The bound also applies to every partial sum.

Proof.  `ordered_faults` in `check` has proven that the other player's weights are a realization plan. So for each pure
plan of the responder and every hand of the other player, the weights at the leaves sum to at most d.

If the bound is below :math:`2^{62}` for all own nodes, computations with int64 are exact. Otherwise the numbers are
split into pieces of a few bits, and the results are combined as Python integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tremble.check.limits import DIGIT, SHORT, Limits
from tremble.poker.check_deals import Deal, Ends, Whole, whole_array
from tremble.poker.stage import StageSide
from tremble.poker.strategy import OrderedStrategy

__all__ = ["SAFE", "WHERE", "Plan", "Responder", "largest_bits"]

IntArray = NDArray[np.int64]

WHERE = "strategies"  # the name, in error messages, of the part of a claim that contains the long numbers
SAFE = 62  # int64 numbers of at most this many bits leave one bit unused, besides the sign
_AT_ONCE = 2**20  # the number of int64 numbers that are computed together (8 MiB)
_COPIES = 4  # the number of copies of long numbers that exist at the same time
_PASSES = 10  # the number of passes over all long numbers, for example to split, add and compare them
_PAIRS_PER_STEP = 100  # compiled code processes this many pairs of hands while Python processes one number
_NUMBERS_PER_CALL = 300  # Python processes this many numbers in the time of one call of compiled code
_KARATSUBA = 0.585  # log2(3) - 1, because Python multiplies long numbers by Karatsuba's method

_Pieces = list[tuple[int, IntArray]]
"""An array of long integers, as a list of pairs (shift, piece). The array is the sum of all ``piece * 2**shift``."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A realization plan for classes of hands, with a weight also for the empty sequence of every stage.

    Shapes: C classes, S sequences of the stage, H histories (lines of moves) of the earlier rounds.
    """

    lead: tuple[Whole, ...]  # round -> [C, H] the weights of the empty sequence
    weight: tuple[Whole, ...]  # round -> [C, S - 1, H] the weights of the other sequences
    class_of: tuple[IntArray, ...]  # round -> [own nodes] the class of each own node
    denominator: int

    @classmethod
    def of(cls, strategy: OrderedStrategy, leads: Sequence[Whole]) -> Plan:
        """Return the plan of a strategy. ``leads`` contains the weights of the empty sequence of each round."""
        lead, weight = (tuple(map(_wide, arrays)) for arrays in (leads, strategy.weight))
        return cls(lead, weight, strategy.class_of, strategy.denominator)

    def of_sequences(self, number: int, used: list[int]) -> Whole:
        """Return the weights of some sequences in a round, [C, U * H]."""
        lead, weight = self.lead[number], self.weight[number]
        if used != [*range(1, weight.shape[1] + 1)]:  # otherwise the large array need not be copied
            weight = np.stack([weight[:, s - 1] if s else lead for s in used], axis=1)
        return weight.reshape(len(weight), -1)


@dataclass(eq=False)
class Responder:
    """The computation of a player's expected payoff and best-response value against the plan of the other player."""

    deal: Deal
    me: int  # the player who responds
    ends: list[Ends | None]  # round -> the leaves where the game ends
    unit: int  # the common denominator of all payoffs
    most_paid: int  # a bound on `abs(payoff) * unit` for all payoffs
    plans: tuple[Plan, Plan]
    limits: Limits
    kept: int = 0  # the bits of memory that were subtracted from `limits`

    @property
    def own(self) -> Plan:
        """The plan of the responder."""
        return self.plans[self.me]

    @property
    def other(self) -> Plan:
        """The plan of the other player."""
        return self.plans[1 - self.me]

    def values(self) -> tuple[int, int]:
        """Return the numerators of the expected payoff and of the best-response value.

        The denominator of the best-response value is ``deal.total * unit`` times the denominator of the other player's
        plan. The denominator of the expected payoff is the same number times the denominator of the responder's plan.
        """
        value = 0
        after: Whole | None = None  # best-response values of the next round, [nodes, H, leaves before the next round]
        for number in reversed(range(len(self.deal.rounds))):
            sums: Whole | None = None  # best-response values, added up over the hands of each earlier own node
            total = 0
            dealt = self.deal.rounds[number]
            side = dealt.stage.side(self.me)
            states, hands = dealt.mask.shape
            # Subtract the cost of long numbers from the limits, and choose how many public states are processed
            # together.
            bits = self._most(number).bit_length()
            step = max(1, _AT_ONCE // (hands * side.num_sequences * dealt.num_lines * (1 + bits // 64)))
            chunk = 0
            if bits > SHORT:
                each = side.num_sequences * dealt.num_lines * bits
                chunk = _COPIES * min(step, states) * hands * each
                self._keep(dealt.num_nodes * dealt.num_lines * bits + chunk)
                own = 1 + self.own.denominator.bit_length() // DIGIT
                digits = 1 + dealt.num_nodes * each // DIGIT
                self.limits.spend(WHERE, int(min(own, 5 * own**_KARATSUBA)), digits)
                self.limits.spend(WHERE, digits, _PASSES + bits.bit_length())
            factor, fits = self._factor(number)
            ends = self._ends(number, -(-states // step))
            for first in range(0, states, step):
                self.limits.tick()
                some = slice(first, min(first + step, states))
                nodes = slice(some.start * hands, some.stop * hands)
                # Compute the payoffs at the leaves where the game ends in this round, [nodes, S, H].
                if ends is not None:
                    ending = ends(some)
                    if not fits:
                        ending = ending.astype(object)
                    if factor is not None:
                        ending *= factor[nodes, None, None]
                    classes = self.own.class_of[number][nodes]
                    value += _product(ending[:, 1:], classes, self.own.weight[number])
                    value += _product(ending[:, :1], classes, self.own.lead[number])
                else:
                    shape = (nodes.stop - nodes.start, side.num_sequences, dealt.num_lines)
                    ending = np.zeros(shape, dtype=np.int64)
                # Add the best-response values of the next round, then compute the best response in this round.
                if after is not None:
                    if after.dtype == object:
                        ending = ending.astype(object)
                    for k, leaf in enumerate(dealt.stage.going_on):
                        ending[:, side.last[leaf]] += after[nodes, :, k]
                best = _best(ending, side)
                # Add up the values of the hands that come from the same hand of the previous round.
                if number:
                    long = self._most(number - 1).bit_length() > SAFE
                    some_earlier, added = _sums(best, dealt.earlier[nodes], long=long)
                    if sums is None:
                        sums = np.zeros((self.deal.rounds[number - 1].num_nodes, dealt.num_lines), dtype=added.dtype)
                    sums[some_earlier] += added
                else:
                    total += sum(map(int, best[:, 0].tolist()))
            self._keep(-chunk)
            if sums is not None:
                earlier = self.deal.rounds[number - 1]
                after = sums.reshape(earlier.num_nodes, earlier.num_lines, len(earlier.stage.going_on))
        return value, total

    def _keep(self, bits: int) -> None:
        """Count ``bits`` of memory as used, and subtract them from the memory limit. Negative ``bits`` free memory."""
        self.kept += bits
        self.limits.keep(WHERE, bits)

    def _factor(self, number: int) -> tuple[Whole | None, bool]:
        """Return a factor per own node. The caller multiplies sums over the other player's hands by these factors.

        Return None in place of factors if all are 1. The second result is True if products with the factors fit int64.
        """
        dealt = self.deal.rounds[number]
        fits = self._most(number).bit_length() <= SAFE
        factor = np.full(dealt.mask.shape, dealt.unit, dtype=object)
        if dealt.ranges is not None:
            factor = factor * dealt.ranges[self.me]
        if (factor == 1).all():
            return None, fits
        return (factor.astype(np.int64) if fits else factor).ravel(), fits

    def _most(self, number: int) -> int:
        """Return a bound on the absolute values of all numbers computed for the responder's hands in a round."""
        dealt = self.deal.rounds[number]
        own = 1 if dealt.ranges is None else int(dealt.ranges[self.me].max())
        return own * dealt.unit * self._most_summed(number)

    def _most_summed(self, number: int) -> int:
        """Return a bound on the sums of payoffs over the other player's hands, before :meth:`_factor` is applied."""
        dealt = self.deal.rounds[number]
        if dealt.joint is not None:
            weight = int(dealt.joint.astype(object).sum(axis=2 - self.me).max())
        elif dealt.ranges is not None:
            weight = int(dealt.ranges[1 - self.me].astype(object).sum(axis=1).max())
        else:
            weight = dealt.mask.shape[1]
        return weight * self.other.denominator * self.most_paid

    def _ends(self, number: int, times: int) -> Callable[[slice], Whole] | None:
        """Return a function that takes a slice of public states and returns the payoffs at the leaves of a round.

        The payoffs are integers, summed over the other player's hands, in an array [nodes, S, H]. The caller promises
        to call the function `times` times. If the game cannot end in this round, the method returns None.
        """
        ends, dealt = self.ends[number], self.deal.rounds[number]
        if ends is None:
            return None
        # Compute the responder's payoffs, [O, E, H]. The responder's strength is the first index of an outcome.
        side = dealt.stage.side(self.me)
        payoff = ends.payoff[self.me]
        shape = (len(payoff), len(ends.leaves), dealt.num_lines)
        utility = whole_array([int(u * self.unit) for o in payoff for e in o for u in e], shape)
        outcome = ends.outcome
        if self.me:
            outcome = outcome.reshape(ends.span, ends.span).T.ravel() if ends.span else outcome[::-1]
        outcome = np.ascontiguousarray(outcome)
        # Compute the weights of the other player's last sequences before the leaves. If the game has ranges, there is
        # a row for each hand. Otherwise there is a row for each class.
        theirs = dealt.stage.side(1 - self.me).last
        used = sorted({theirs[leaf] for leaf in ends.leaves})
        rows = self.other.class_of[number].reshape(dealt.mask.shape)
        plan = self.other.of_sequences(number, used)
        if dealt.ranges is not None:
            weight = np.where(rows < 0, 0, dealt.ranges[1 - self.me]).reshape(-1, 1)
            if largest_bits(plan) > SHORT:
                self._keep(rows.size * plan.shape[1] * (largest_bits(weight) + largest_bits(plan)))
            if largest_bits(weight) + largest_bits(plan) > SAFE:
                weight = weight.astype(object)
            plan = weight * plan[rows.ravel()]
            rows = np.arange(rows.size).reshape(rows.shape)
        # Split long numbers such that sums of products of pieces fit into int64.
        short = self._most_summed(number).bit_length() <= SAFE
        of_joint = 1 if dealt.joint is None else min(largest_bits(dealt.joint), 12)
        of_utility = min(largest_bits(utility), 16)
        of_plan = SAFE - 2 - (dealt.mask.shape[1] * len(ends.leaves)).bit_length() - of_joint - of_utility
        if largest_bits(plan) > SHORT:  # each combination of pieces of the factors needs a pass over all pairs of hands
            hands = dealt.mask.shape[1]
            parts = _count_pieces(plan, of_plan) * _count_pieces(utility, of_utility)
            if dealt.joint is not None:
                parts *= _count_pieces(dealt.joint, of_joint)
            each = plan.shape[1] * (1 + hands // _PAIRS_PER_STEP) + side.num_sequences * dealt.num_lines
            self.limits.spend(WHERE, 100, parts * (times * _NUMBERS_PER_CALL + dealt.mask.size * each))
        plans, utilities = _cut(plan, None if short else of_plan), _cut(utility, None if short else of_utility)
        own = np.array([side.last[leaf] for leaf in ends.leaves])
        other = np.searchsorted(used, [theirs[leaf] for leaf in ends.leaves])

        def at(some: slice) -> Whole:
            joints: _Pieces = [(0, np.zeros((0, 0, 0), dtype=np.int64))]
            if dealt.joint is not None:
                joint = dealt.joint[some] if self.me == 0 else dealt.joint[some].transpose(0, 2, 1)
                joints = _cut(joint, None if short else of_joint)
            mask, strength = dealt.mask[some], ends.strength[some]

            def paid(piece: IntArray) -> Whole:
                from tremble.poker.check_kernel import earnings  # importing Numba takes half a second

                total: Whole = np.zeros(1, dtype=np.int64)
                for (shift, weight), (further, amount) in product(joints, utilities):
                    self.limits.tick()
                    part = np.zeros((*mask.shape, side.num_sequences, dealt.num_lines), dtype=np.int64)
                    room = np.empty((len(amount), piece.shape[1]), dtype=np.int64)
                    earnings(part, mask, weight, strength, ends.span, outcome, rows[some], piece, amount, own, other,
                             room)  # fmt: skip
                    part = part.reshape(mask.size, *part.shape[2:])
                    total = total + (part if short else part.astype(object) << (shift + further))
                return total

            return _joined(plans, paid)

        return at


# -- long numbers ----------------------------------------------------------------------------------------


def largest_bits(numbers: Whole) -> int:
    """Return the number of bits of the largest absolute value."""
    return max(int(numbers.max()), -int(numbers.min())).bit_length() if numbers.size else 1


def _wide(numbers: Whole) -> Whole:
    """Convert int64 numbers of more than 62 bits to Python integers."""
    return numbers.astype(object) if largest_bits(numbers) > SAFE else numbers


def _cut(numbers: Whole, bits: int | None) -> _Pieces:
    """Split integers into pieces of `bits` bits, or return a single piece for ``bits=None``.

    Only the last piece, with the highest bits, can contain negative numbers.
    """
    if bits is None:
        return [(0, np.ascontiguousarray(numbers, dtype=np.int64))]
    return list(_halved(numbers.astype(object), bits, _count_pieces(numbers, bits), 0))


def _count_pieces(numbers: Whole, bits: int) -> int:
    """Return how many pieces of `bits` bits the longest number needs."""
    return max(1, -(-largest_bits(numbers) // max(1, bits)))


def _halved(numbers: Whole, bits: int, count: int, shift: int) -> Iterator[tuple[int, IntArray]]:
    """Yield pairs (shift, piece). The given numbers are the sum of ``piece * 2**shift`` over all pairs.

    The function splits numbers in half recursively, because shifting long numbers is slow.
    """
    if count == 1:
        yield shift, np.ascontiguousarray(numbers, dtype=np.int64)
        return
    half = count // 2
    yield from _halved(numbers & ((1 << bits * half) - 1), bits, half, shift)
    yield from _halved(numbers >> bits * half, bits, count - half, shift + bits * half)


def _joined(pieces: _Pieces, worth: Callable[[IntArray], Whole]) -> Whole:
    """Return the sum of ``worth(piece) * 2**shift`` over all pairs (shift, piece). ``worth`` is linear.

    The function combines halves recursively, because shifting long numbers is slow.
    """
    if len(pieces) == 1:
        return worth(pieces[0][1])
    half = len(pieces) // 2
    low, high = _joined(pieces[:half], worth), _joined(pieces[half:], worth)
    joined: Whole = low + (high << pieces[half][0] - pieces[0][0])
    return joined


def _product(one: Whole, row_of: IntArray, two: Whole) -> int:
    """Multiply each row r of ``one`` [R, S, H] by row ``row_of[r]`` of ``two``, and return the sum of all products.

    Rows with a negative ``row_of`` are skipped.
    """
    flat, other = (np.ascontiguousarray(whole).reshape(len(whole), -1) for whole in (one, two))
    if flat.dtype == object or other.dtype == object:
        rows = row_of >= 0
        return int((flat[rows].astype(object) * other[row_of[rows]]).sum()) if rows.any() else 0
    from tremble.poker.check_kernel import product_sums

    pieces = np.zeros(4, dtype=np.int64)
    product_sums(flat, row_of, other, pieces)
    return sum(int(piece) << 31 * k for k, piece in enumerate(pieces))


# -- backward induction ------------------------------------------------------------------------------------


def _best(worth: Whole, side: StageSide) -> Whole:
    """Return the best-response values at the start of a stage: an array [own nodes, lines of the earlier rounds].

    The function overwrites `worth` [own nodes, sequences, lines], the sums of leaf values directly after each sequence.
    """
    for k in reversed(range(len(side.nodes))):
        worth[:, side.parent[k]] += worth[:, side.start[k] : side.start[k + 1]].max(axis=1)
    return worth[:, 0].copy()


def _sums(worth: Whole, earlier: IntArray, *, long: bool) -> tuple[IntArray, Whole]:
    """Add up the rows of ``worth`` that have equal entries in ``earlier``. Return these entries and the sums.

    ``earlier`` maps each row to an own node (public state, hand) of the previous round. If ``long``, a sum may need
    more than 62 bits.
    """
    order = np.argsort(earlier, kind="stable")
    starts = np.flatnonzero(np.diff(earlier[order], prepend=-1))
    worth, nodes = worth[order], earlier[order][starts]
    if worth.dtype == object or not long:
        return nodes, np.add.reduceat(worth, starts, axis=0)
    # Each number fits into int64, but a sum may not. So add the lower 31 bits and the remaining bits separately.
    low = np.add.reduceat(worth & ((1 << 31) - 1), starts, axis=0)
    high = np.add.reduceat(worth >> 31, starts, axis=0)
    return nodes, low.astype(object) + (high.astype(object) << 31)
