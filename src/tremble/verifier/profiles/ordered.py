r"""The verifier's own passes over an ordered game that is not built, at the level of single signals.

Strategies are stated by classes of own nodes; what is looked at here is every own node, every line of moves and every
sequence, so that nothing has to be believed of how the classes came about. A class whose hands a player could tell
apart earlier would make it forget: this is refused, and all else that is asked of classes follows from the best
responses. Of the deals, :mod:`.ordered_deals` has its own list.

With :math:`m` the weights of pairs of hands, :math:`y` the weights of the other's sequences and :math:`u` the payoffs,
a leaf is worth :math:`\sum_j m_{ij}\, u\, y_j` to hand :math:`i`. A best response picks at each information set the
action with the greatest sum of what follows.

*No overflow.* Along each pure plan of the responder, the other's weights at the leaves sum to at most its denominator
:math:`d`, for every hand of the other, since they have been checked to be a plan. So every number that belongs to own
node i is at most :math:`\sum_j m_{ij}\, d \max |u|` in absolute value, all partial sums included. Where that is less
than :math:`2^{62}` for all nodes, int64 is exact; else numbers are cut into limbs, and put together as Python's
integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm

import numpy as np
from numpy.typing import NDArray

from tremble.poker.game import OrderedGame
from tremble.poker.stage import StageSide
from tremble.poker.strategy import OrderedStrategy
from tremble.verifier.budget import SHORT, budget
from tremble.verifier.profiles.ordered_deals import Deal, Dealt, Ends, Whole, deal_all, ends_of, whole_array
from tremble.verifier.profiles.outcome import Earnings, Outcome

__all__ = ["can_be_dealt", "evaluate_ordered", "ordered_faults"]

IntArray = NDArray[np.int64]

_SAFE = 62  # bits
_AT_ONCE = 2**20  # numbers that are made together: 8 MiB
_COPIES = 4  # of long numbers that are made together
_PASSES = 10  # over all long numbers: cut, added, compared, and so on
_AT_A_STEP = 100  # pairs of hands that are gone through while Python looks at one number
_PER_CALL = 300  # numbers that Python looks at while it calls what is compiled

_Pieces = list[tuple[int, IntArray]]
"""Numbers as sums of pieces, each times two to the power of its shift."""


@dataclass(frozen=True, eq=False)
class _Plan:
    """A strategy as it is stated, with the empty sequences of every stage."""

    weight: tuple[Whole, ...]  # round -> [C, S, H]
    class_of: tuple[IntArray, ...]  # round -> [B * N]
    denominator: int


def evaluate_ordered(rules: OrderedGame, strategies: Sequence[OrderedStrategy]) -> Outcome | list[str]:
    """Exact values and best responses of a profile in an ordered game that is not built; or what is wrong with it.

    Parameters
    ----------
    strategies : pair of OrderedStrategy
        Of players 1 and 2.

    Raises
    ------
    GameError
        The rules contradict themselves, or are too large.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> rules = RhodeIsland(ranks=2, suits=2)
    >>> strategies = [OrderedStrategy.uniform(rules, player) for player in (0, 1)]
    >>> evaluate_ordered(rules, strategies).nash_conv > 0
    True
    """
    budget().about = "strategies"
    deal = deal_all(rules)
    for number, dealt in enumerate(deal.rounds):
        budget().grant(2 * dealt.num_nodes * dealt.num_lines)
        budget().listen(f"round {number + 1}: {dealt.num_nodes:,} hands of each player")
    weights: list[list[Whole]] = [[], []]
    pairs = zip(strategies, weights, strict=True)
    faults = [fault for strategy, complete in pairs for fault in ordered_faults(deal, strategy, complete)]
    if faults:
        return faults
    ends = [ends_of(rules, number, dealt) for number, dealt in enumerate(deal.rounds)]
    payoffs = {u for end in ends if end is not None for pay in end.payoff for o in pay for e in o for u in e}
    unit = lcm(*{u.denominator for u in payoffs})
    most = max([1, *(abs(int(u * unit)) for u in payoffs)])  # at least 1, as it bounds the weights, too
    plans = [
        _Plan(tuple(complete), strategy.class_of, strategy.denominator)
        for strategy, complete in zip(strategies, weights, strict=True)
    ]
    players = []
    for me in (0, 1):
        whole = deal.total * unit * plans[1 - me].denominator
        both = whole * plans[me].denominator
        budget().quotient(both.bit_length(), both.bit_length(), 2)  # in the end; but nothing is begun in vain
        value, best = _Responder(deal, me, ends, unit, plans[me], plans[1 - me], most).values()
        players.append(Earnings(Fraction(value, both), Fraction(best, whole)))
    return Outcome(tuple(players), _constant_sum(deal, ends))


# -- what is stated ------------------------------------------------------------------------------


def ordered_faults(deal: Deal, strategy: OrderedStrategy, complete: list[Whole] | None = None) -> Iterator[str]:
    """What keeps a strategy from being one of this game with perfect recall.

    Of each round without faults, ``complete`` gets the weights of all sequences, the empty ones included, [C, S, H].
    """
    where = f"strategies[{strategy.player}]"
    rounds = len(deal.rounds)
    if len(strategy.class_of) != rounds or len(strategy.weight) != rounds:
        yield f"{where}: {len(strategy.class_of)} rounds of classes and {len(strategy.weight)} of weights, not {rounds}"
        return
    if strategy.denominator < 1:
        yield f"{where}: the denominator is {strategy.denominator}, not positive"
        return
    lead: Whole = whole_array([strategy.denominator], (1, 1))
    for number, dealt in enumerate(deal.rounds):
        here = f"{where}, round {number + 1}"
        budget().listen(f"weights of player {strategy.player + 1}, round {number + 1}")
        classes, weight = strategy.class_of[number], strategy.weight[number]
        side = dealt.stage.side(strategy.player)
        if not _whole_numbers(weight) or classes.dtype.kind != "i":
            yield f"{here}: weights and classes are integers, not of the types {weight.dtype} and {classes.dtype}"
            return
        count = len(weight)
        if count > dealt.num_nodes:
            yield f"{here}: {count:,} classes of {dealt.num_nodes:,} hands"
            return
        shape = (count, side.num_sequences - 1, dealt.num_lines)
        if weight.shape != shape:
            yield f"{here}: the weights have the shape {weight.shape}, not [classes, sequences, lines] = {shape}"
            return
        if classes.shape != (dealt.num_nodes,):
            yield f"{here}: classes are given for {classes.shape} hands, not {dealt.num_nodes:,}"
            return
        if classes.min() < -1 or classes.max() >= count:
            yield f"{here}: classes from {classes.min()} to {classes.max()}, but weights for 0 to {count - 1}"
            return
        missed = np.flatnonzero((classes < 0) & can_be_dealt(dealt, strategy.player))
        if len(missed):
            yield f"{here}: hand {missed[0]} can be dealt, but has no class ({len(missed):,} such)"
            return
        before, earlier = _classes_before(strategy, number, dealt)
        if (earlier < 0).any():
            yield f"{here}: no hand is in class {np.argmin(earlier)}, or one that was in none in the round before"
            return
        forgotten = np.flatnonzero((classes >= 0) & (earlier[classes] != before))
        if len(forgotten):
            yield (
                f"{here}: information is not preserved: hand {forgotten[0]} is in class {classes[forgotten[0]]} "
                f"together with hands that were in another class in round {number} ({len(forgotten):,} such)"
            )
            return
        lead = lead[earlier]
        wrong = list(_flow_faults(here, dealt, side, lead, weight))
        yield from wrong
        if wrong:
            return
        if complete is not None:
            whole = np.concatenate([lead[:, None, :], weight], axis=1)
            complete.append(whole.astype(object) if _bits(whole) > _SAFE else whole)
        lead = _leads(dealt, side, lead, weight)


def _classes_before(strategy: OrderedStrategy, number: int, dealt: Dealt) -> tuple[IntArray, IntArray]:
    """Classes of the round before: of each own node, and of each class of this round, -1 if no node is in it."""
    classes = strategy.class_of[number]
    earlier = np.full(len(strategy.weight[number]), -1, dtype=np.int64)
    before = strategy.class_of[number - 1][dealt.earlier] if number else np.zeros(dealt.num_nodes, dtype=np.int64)
    earlier[classes[classes >= 0]] = before[classes >= 0]
    return before, earlier


def _whole_numbers(weight: Whole) -> bool:
    return weight.dtype == np.int64 or (weight.dtype == object and all(type(w) is int for w in weight.flat))


def can_be_dealt(dealt: Dealt, player: int) -> NDArray[np.bool_]:
    """Which own nodes can be dealt to a player, [B * N]."""
    if dealt.ranges is None:
        return np.ones(dealt.num_nodes, dtype=np.bool_)  # weights of signals are positive
    mine, others = dealt.ranges[player] > 0, dealt.ranges[1 - player] > 0
    dealt_to = np.zeros(dealt.mask.shape, dtype=np.bool_)
    for b, mask in enumerate(dealt.mask):
        against = mask[others[b]]
        for i in np.flatnonzero(mine[b]):
            dealt_to[b, i] = ((against & mask[i]) == 0).any()
    return dealt_to.ravel()


def _flow_faults(here: str, dealt: Dealt, side: StageSide, lead: Whole, weight: Whole) -> Iterator[str]:
    """Where weights of a round are no plan: negative, or not the sum that leads to an information set."""
    if not weight.size:
        return
    most = max(int(lead.max()), -int(weight.min()), int(weight.max()))
    actions = max(after - first for first, after in zip(side.start, side.start[1:], strict=False))
    if (most * actions).bit_length() > _SAFE:
        weight = weight.astype(object)
    negative = np.argwhere(weight < 0)
    if len(negative):
        c, s, h = negative[0].tolist()
        yield f"{here}, class {c}, line {h}: sequence {s + 1} has the negative weight {weight[c, s, h]}"
        return
    for k, parent in enumerate(side.parent):
        first, after = side.start[k] - 1, side.start[k + 1] - 1
        led = lead if parent == 0 else weight[:, parent - 1]
        total = weight[:, first:after].sum(axis=1)
        wrong = np.argwhere(total != led)
        if len(wrong):
            c, h = wrong[0].tolist()
            moves = "-".join(dealt.stage.line[side.nodes[k]]) or "the first move"
            yield (
                f"{here}, class {c}, line {h}, at {moves}: the weights of the actions sum to {total[c, h]}, but "
                f"{led[c, h]} leads there ({len(wrong):,} such)"
            )


def _leads(dealt: Dealt, side: StageSide, lead: Whole, weight: Whole) -> Whole:
    """Weights of the empty sequences of the next round, [C, H * leaves], by class of this round."""
    last = [side.last[leaf] for leaf in dealt.stage.going_on]
    if not last:
        return lead
    parts = [lead if s == 0 else weight[:, s - 1] for s in last]
    return np.stack(parts, axis=2).reshape(len(weight), -1)


# -- what it pays --------------------------------------------------------------------------------


def _constant_sum(deal: Deal, ends: list[Ends | None]) -> Fraction | None:
    """What the payoffs sum to at all ends that can come; None if that varies."""
    sums: set[Fraction] = set()
    for dealt, end in zip(deal.rounds, ends, strict=True):
        if end is None:
            continue
        of_player1, of_player2 = end.payoff
        of_outcome = [
            {u + v for e, f in zip(*leaves, strict=True) for u, v in zip(e, f, strict=True)}
            for leaves in zip(of_player1, of_player2, strict=True)
        ]
        if len(set.union(*of_outcome)) == 1:
            sums |= of_outcome[0]
        else:
            sums = sums.union(*(of_outcome[o] for o in _outcomes_that_come(dealt, end)))
        if len(sums) > 1:
            return None
    return sums.pop() if len(sums) == 1 else None


def _outcomes_that_come(dealt: Dealt, ends: Ends) -> set[int]:
    """Which outcomes some pair of hands has that can be dealt together."""
    outcomes: set[int] = set()
    for b, (mask, strength) in enumerate(zip(dealt.mask, ends.strength, strict=True)):
        budget().listen(f"outcomes, {b:,} of {len(dealt.mask):,} public states")
        fits = (mask[:, None] & mask) == 0
        if dealt.joint is not None:
            fits &= dealt.joint[b] > 0
        if dealt.ranges is not None:
            fits &= (dealt.ranges[0][b] > 0)[:, None] & (dealt.ranges[1][b] > 0)
        own, other = strength[:, None], strength[None, :]
        code = own * ends.span + other if ends.span else np.sign(own - other) + 1
        outcomes |= set(np.unique(ends.outcome[code[fits]]).tolist())
    return outcomes


class _Responder:
    """What a player earns against the other's plan: by its own, and at most."""

    def __init__(
        self, deal: Deal, me: int, ends: list[Ends | None], unit: int, own: _Plan, other: _Plan, most_paid: int
    ) -> None:
        self.deal, self.me, self.ends, self.unit = deal, me, ends, unit
        self.own, self.other, self.most_paid = own, other, most_paid

    def values(self) -> tuple[int, int]:
        """Value and best-response value, in whole units."""
        value = 0
        after: Whole | None = None  # what the next round is worth, [nodes, H, leaves that go on]
        for number in reversed(range(len(self.deal.rounds))):
            worth: list[Whole] = []
            dealt = self.deal.rounds[number]
            side = dealt.stage.side(self.me)
            states, hands = dealt.mask.shape
            bits = self._most(number).bit_length()
            step = max(1, _AT_ONCE // (hands * side.num_sequences * dealt.num_lines * (1 + bits // 64)))
            chunk = 0
            if bits > SHORT:
                each = side.num_sequences * dealt.num_lines * bits
                chunk = _COPIES * min(step, states) * hands * each
                budget().keep(dealt.num_nodes * dealt.num_lines * bits + chunk)
                budget().products(dealt.num_nodes * each, self.own.denominator.bit_length())
                budget().passes(dealt.num_nodes * each, _PASSES + bits.bit_length())
            factor, fits = self._factor(number)
            ends = self._ends(number, -(-states // step))
            for first in range(0, states, step):
                budget().listen(
                    f"best response of player {self.me + 1}, round {number + 1}, {first:,} of {states:,} public states"
                )
                some = slice(first, min(first + step, states))
                nodes = slice(some.start * hands, some.stop * hands)
                if ends is not None:
                    ending = ends(some)
                    if not fits:
                        ending = ending.astype(object)
                    if factor is not None:
                        ending *= factor[nodes, None, None]
                    value += _product(ending, self.own.class_of[number][nodes], self.own.weight[number])
                else:
                    shape = (nodes.stop - nodes.start, side.num_sequences, dealt.num_lines)
                    ending = np.zeros(shape, dtype=np.int64)
                if after is not None:
                    if after.dtype == object:
                        ending = ending.astype(object)
                    for k, leaf in enumerate(dealt.stage.going_on):
                        ending[:, side.last[leaf]] += after[nodes, :, k]
                worth.append(_best(ending, side))
            budget().keep(-chunk)
            total = np.concatenate(worth)
            if number:
                earlier = self.deal.rounds[number - 1]
                long = self._most(number - 1).bit_length() > _SAFE
                sums = _sums(total, dealt.earlier, long=long)
                after = sums.reshape(earlier.num_nodes, earlier.num_lines, len(earlier.stage.going_on))
        return value, sum(map(int, total[:, 0].tolist()))

    def _factor(self, number: int) -> tuple[Whole | None, bool]:
        """What each own node is multiplied by after the sums over the other's hands, and whether int64 is enough."""
        dealt = self.deal.rounds[number]
        fits = self._most(number).bit_length() <= _SAFE
        factor = np.full(dealt.mask.shape, dealt.unit, dtype=object)
        if dealt.ranges is not None:
            factor = factor * dealt.ranges[self.me]
        if (factor == 1).all():
            return None, fits
        return (factor.astype(np.int64) if fits else factor).ravel(), fits

    def _most(self, number: int) -> int:
        """At most so much, in absolute value, is anything that belongs to an own node of a round."""
        dealt = self.deal.rounds[number]
        own = 1 if dealt.ranges is None else int(dealt.ranges[self.me].max())
        return own * dealt.unit * self._most_summed(number)

    def _most_summed(self, number: int) -> int:
        """The same before the factor of the own node."""
        dealt = self.deal.rounds[number]
        if dealt.joint is not None:
            weight = int(dealt.joint.astype(object).sum(axis=2 - self.me).max())
        elif dealt.ranges is not None:
            weight = int(dealt.ranges[1 - self.me].astype(object).sum(axis=1).max())
        else:
            weight = dealt.mask.shape[1]
        return weight * self.other.denominator * self.most_paid

    def _ends(self, number: int, times: int) -> Callable[[slice], Whole] | None:
        """What the ends of a round pay at some public states, [nodes, S, H], asked for so many times.

        These are sums over the other's hands, in whole units. None without ends. Numbers that are too long for int64
        are cut into pieces.
        """
        ends, dealt = self.ends[number], self.deal.rounds[number]
        if ends is None:
            return None
        side = dealt.stage.side(self.me)
        payoff = ends.payoff[self.me]
        shape = (len(payoff), len(ends.leaves), dealt.num_lines)
        utility = whole_array([int(u * self.unit) for o in payoff for e in o for u in e], shape)
        outcome = ends.outcome  # with the responder's strength first
        if self.me:
            outcome = outcome.reshape(ends.span, ends.span).T.ravel() if ends.span else outcome[::-1]
        outcome = np.ascontiguousarray(outcome)
        theirs = dealt.stage.side(1 - self.me).last
        used = sorted({theirs[leaf] for leaf in ends.leaves})
        rows = self.other.class_of[number].reshape(dealt.mask.shape)
        plan = self.other.weight[number][:, used, :].reshape(len(self.other.weight[number]), -1)
        if dealt.ranges is not None:
            weight = np.where(rows < 0, 0, dealt.ranges[1 - self.me]).reshape(-1, 1)
            if _bits(plan) > SHORT:
                budget().keep(rows.size * plan.shape[1] * (_bits(weight) + _bits(plan)))
            if _bits(weight) + _bits(plan) > _SAFE:
                weight = weight.astype(object)
            plan = weight * plan[rows.ravel()]
            rows = np.arange(rows.size).reshape(rows.shape)
        short = self._most_summed(number).bit_length() <= _SAFE
        of_joint, of_utility = (1 if dealt.joint is None else min(_bits(dealt.joint), 12)), min(_bits(utility), 16)
        of_plan = _SAFE - 2 - (dealt.mask.shape[1] * len(ends.leaves)).bit_length() - of_joint - of_utility
        if _bits(plan) > SHORT:  # as often as there are pieces, all pairs of hands are gone through
            hands = dealt.mask.shape[1]
            parts = _many(plan, of_plan) * _many(utility, of_utility)
            if dealt.joint is not None:
                parts *= _many(dealt.joint, of_joint)
            each = plan.shape[1] * (1 + hands // _AT_A_STEP) + side.num_sequences * dealt.num_lines
            budget().work_through(parts * (times * _PER_CALL + dealt.mask.size * each))
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
                """By a piece of the plan."""
                from tremble.verifier.profiles.ordered_kernel import earnings  # Numba takes half a second to import

                total: Whole = np.zeros(1, dtype=np.int64)
                for (shift, weight), (further, amount) in product(joints, utilities):
                    budget().listen()
                    part = np.zeros((*mask.shape, side.num_sequences, dealt.num_lines), dtype=np.int64)
                    room = np.empty((len(amount), piece.shape[1]), dtype=np.int64)
                    earnings(part, mask, weight, strength, ends.span, outcome, rows[some], piece, amount, own, other,
                             room)  # fmt: skip
                    part = part.reshape(mask.size, *part.shape[2:])
                    total = total + (part if short else part.astype(object) << (shift + further))
                return total

            return _joined(plans, paid)

        return at


def _joined(pieces: _Pieces, worth: Callable[[IntArray], Whole]) -> Whole:
    """What sums of pieces are worth, from what each piece is; by halves, so that long numbers are shifted seldom."""
    if len(pieces) == 1:
        return worth(pieces[0][1])
    half = len(pieces) // 2
    low, high = _joined(pieces[:half], worth), _joined(pieces[half:], worth)
    joined: Whole = low + (high << pieces[half][0] - pieces[0][0])
    return joined


def _bits(numbers: Whole) -> int:
    return max(int(numbers.max()), -int(numbers.min())).bit_length() if numbers.size else 1


def _cut(numbers: Whole, bits: int | None) -> _Pieces:
    """Integers as sums of pieces of so many bits, the last of either sign, times two to the power of each shift."""
    if bits is None:
        return [(0, np.ascontiguousarray(numbers, dtype=np.int64))]
    return list(_halved(numbers.astype(object), bits, _many(numbers, bits), 0))


def _many(numbers: Whole, bits: int) -> int:
    """Pieces that numbers are cut into."""
    return max(1, -(-_bits(numbers) // max(1, bits)))


def _halved(numbers: Whole, bits: int, many: int, shift: int) -> Iterator[tuple[int, IntArray]]:
    """So many pieces of so many bits, by halves, so that long numbers are shifted seldom."""
    if many == 1:
        yield shift, np.ascontiguousarray(numbers, dtype=np.int64)
        return
    half = many // 2
    yield from _halved(numbers & ((1 << bits * half) - 1), bits, half, shift)
    yield from _halved(numbers >> bits * half, bits, many - half, shift + bits * half)


def _product(one: Whole, row_of: IntArray, two: Whole) -> int:
    """The sum of all products of one [R, S, H] and two [row_of[r], S, H]; rows below 0 play no part."""
    flat, other = one.reshape(len(one), -1), two.reshape(len(two), -1)
    if flat.dtype == object or other.dtype == object:
        rows = row_of >= 0
        return int((flat[rows].astype(object) * other[row_of[rows]]).sum()) if rows.any() else 0
    from tremble.verifier.profiles.ordered_kernel import product_sums

    pieces = np.zeros(4, dtype=np.int64)
    product_sums(flat, row_of, other, pieces)
    return sum(int(piece) << 31 * k for k, piece in enumerate(pieces))


def _best(worth: Whole, side: StageSide) -> Whole:
    """What the empty sequences are worth, [R, H], with the best action at every information set; overwrites."""
    for k in reversed(range(len(side.nodes))):
        worth[:, side.parent[k]] += worth[:, side.start[k] : side.start[k + 1]].max(axis=1)
    return worth[:, 0].copy()


def _sums(worth: Whole, earlier: IntArray, *, long: bool) -> Whole:
    """Sums over the nodes that come from the same node of the round before; all of these have some."""
    order = np.argsort(earlier, kind="stable")
    starts = np.flatnonzero(np.diff(earlier[order], prepend=-1))
    worth = worth[order]
    if worth.dtype == object or not long:
        summed: Whole = np.add.reduceat(worth, starts, axis=0)
        return summed
    low = np.add.reduceat(worth & ((1 << 31) - 1), starts, axis=0)
    high = np.add.reduceat(worth >> 31, starts, axis=0)
    joined: Whole = low.astype(object) + (high.astype(object) << 31)
    return joined
