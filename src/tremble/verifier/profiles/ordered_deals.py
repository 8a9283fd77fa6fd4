"""The verifier's own list of the deals of an ordered game, and what they pay: from signals, rounds and rules alone.

The numbers of public states, hands and own nodes are those that strategies are stated by
(:class:`tremble.poker.strategy.OrderedStrategy`): public states by (state of the round before, new public
signals), hands by (hand of the round before, new private signals), new signals in colexicographic order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, PlayersError, TooLargeError
from tremble.numbers import exact_number
from tremble.poker.game import OrderedGame, drawn_chance
from tremble.poker.soundness import require_sound, sound_strengths
from tremble.poker.stage import StageTree
from tremble.verifier.budget import budget, listening

__all__ = ["Deal", "Dealt", "Ends", "deal_all", "ends_of", "whole_array"]

IntArray = NDArray[np.int64]
Whole = NDArray[Any]
"""Integers, int64 or those of Python where these are too long."""

_MOST_NODES = 2**27  # own nodes of a round: some 50 bytes each
_MOST_WEIGHTS = 2**24  # joint weights of a round: a fraction each
_MOST_OUTCOMES = 2**14
_AT_ONCE = 2**20  # hands that are made together


@dataclass(frozen=True, eq=False)
class Dealt:
    """The deals up to one round: B public states with N hands each, of K public and G private signals.

    A pair of hands weighs ``range[0] * range[1] * unit`` if no signal is in both, or ``joint * unit``.
    """

    stage: StageTree
    num_lines: int  # of moves in the rounds before
    public: NDArray[np.int8]  # [B, K]
    hands: NDArray[np.int8]  # [B, N, G]
    mask: NDArray[np.uint64]  # [B, N] the signals of the hand
    earlier_state: IntArray  # [B] of the round before
    earlier: IntArray  # [B * N] own node of the round before
    ranges: tuple[Whole, Whole] | None  # [B, N] for each player
    joint: Whole | None  # [B, N, N]
    unit: int

    @property
    def num_nodes(self) -> int:
        """Own nodes of each player."""
        return self.mask.size


@dataclass(frozen=True, eq=False)
class Deal:
    """All deals."""

    rounds: tuple[Dealt, ...]
    total: int  # what all deals of a round weigh together, the same in each


@dataclass(frozen=True, eq=False)
class Ends:
    """How the game can end in a round: E leaves, H lines of the rounds before, O outcomes that differ in payoffs."""

    leaves: tuple[int, ...]
    payoff: tuple[list[list[list[Fraction]]], list[list[list[Fraction]]]]  # player -> [O][E][H]
    strength: IntArray  # [B, N], numbered from 0 where payoffs depend on more than the order
    span: int  # how many strengths there are then; else 0
    outcome: IntArray  # by the sign of the difference of strengths plus 1, or by both strengths


def whole_array(numbers: Sequence[int], shape: tuple[int, ...]) -> Whole:
    """Integers as an array, of int64 where they are short enough."""
    short = all(-(2**62) < number < 2**62 for number in numbers)
    return np.array(numbers, dtype=np.int64 if short else object).reshape(shape)


def deal_all(rules: OrderedGame) -> Deal:
    """The deals of a game of two players.

    Raises
    ------
    GameError
        Signals, weights or ranges are not those of an ordered game; or they do not fit into memory.
    """
    require_sound(rules)
    if rules.num_players != 2:
        raise PlayersError.of(rules.num_players)
    rounds: list[Dealt] = []
    public, public_mask = np.empty((1, 0), dtype=np.int8), np.zeros(1, dtype=np.uint64)
    hands, mask = np.empty((1, 1, 0), dtype=np.int8), np.zeros((1, 1), dtype=np.uint64)
    left, lines = len(rules.signals), 1
    ways: list[int] = []  # in which a deal goes on
    for number, round_ in enumerate(rules.rounds):
        nodes = _num_nodes(rules, number)
        if nodes > _MOST_NODES:
            raise TooLargeError(f"round {number + 1} has {nodes:,} hands, more than {_MOST_NODES:,}")
        earlier_state, public, public_mask = _public(public, public_mask, len(rules.signals), round_.public)
        hands, mask, earlier = _hands(hands, mask, earlier_state, public_mask, len(rules.signals), round_.private)
        after = left - round_.public
        ways.append(
            comb(left, round_.public) * comb(after, round_.private) * comb(after - round_.private, round_.private)
        )
        left = after - 2 * round_.private
        rounds.append(Dealt(round_.stage, lines, public, hands, mask, earlier_state, earlier, None, None, unit=1))
        lines *= len(round_.stage.going_on)
    if rules.weights is not None:
        return _by_weights(rules, rounds)
    return _in_proportion(rules, rounds, ways)


def _num_nodes(rules: OrderedGame, number: int) -> int:
    """Own nodes of a player in a round: all that it sees can be dealt in any order."""
    left, count = len(rules.signals), 1
    for size in (size for round_ in rules.rounds[: number + 1] for size in (round_.public, round_.private)):
        count *= comb(left, size)
        left -= size
    return count


def _sets(count: int, size: int) -> tuple[NDArray[np.int8], NDArray[np.uint64]]:
    """All sets of so many signals in colexicographic order, and a bit for each signal in them."""
    drawn = sorted(combinations(range(count), size), key=lambda signals: signals[::-1])
    masks = [sum(1 << signal for signal in signals) for signals in drawn]
    return np.array(drawn, dtype=np.int8).reshape(len(drawn), size), np.array(masks, dtype=np.uint64)


def _public(
    public: NDArray[np.int8], mask: NDArray[np.uint64], signals: int, size: int
) -> tuple[IntArray, NDArray[np.int8], NDArray[np.uint64]]:
    """Public states of the next round: the ones before, their signals and masks."""
    new, new_mask = _sets(signals, size)
    before, drawn = np.nonzero((mask[:, None] & new_mask[None, :]) == 0)
    return before, np.hstack([public[before], new[drawn]]), mask[before] | new_mask[drawn]


def _hands(
    hands: NDArray[np.int8],
    mask: NDArray[np.uint64],
    earlier_state: IntArray,
    public_mask: NDArray[np.uint64],
    signals: int,
    size: int,
) -> tuple[NDArray[np.int8], NDArray[np.uint64], IntArray]:
    """Hands at the public states of the next round: their signals and masks, and the own nodes before."""
    new, new_mask = _sets(signals, size)
    parts: list[tuple[NDArray[np.int8], NDArray[np.uint64], IntArray]] = []
    step = max(1, _AT_ONCE // (mask.shape[1] * len(new)))
    for first in range(0, len(earlier_state), step):
        some, shown = earlier_state[first : first + step], public_mask[first : first + step]
        budget().listen(f"listing the deals, {first:,} of {len(earlier_state):,} public states")
        held = mask[some]
        fits = ((held & shown[:, None]) == 0)[:, :, None] & (((held | shown[:, None])[:, :, None] & new_mask) == 0)
        state, hand, drawn = np.nonzero(fits)
        parts.append((
            np.hstack([hands[some[state], hand], new[drawn]]),
            held[state, hand] | new_mask[drawn],
            some[state] * mask.shape[1] + hand,
        ))  # fmt: skip
    all_hands, all_masks, earlier = map(np.concatenate, zip(*parts, strict=True))
    shape = len(earlier_state), len(all_hands) // len(earlier_state)
    return all_hands.reshape(*shape, -1 if all_hands.size else 0), all_masks.reshape(shape), earlier


def _in_proportion(rules: OrderedGame, rounds: list[Dealt], ways: list[int]) -> Deal:
    """Signals that are equally likely; the deals of the first round in proportion to ranges, where there are some."""
    units = [1] * len(rounds)
    for number in reversed(range(len(rounds) - 1)):
        units[number] = units[number + 1] * ways[number + 1]
    first, ranges, total = rounds[0], None, units[0] * ways[0]
    if rules.ranges is not None and rules.rounds[0].private:
        ranges = _range(rules, 0, first.hands), _range(rules, 1, first.hands)
        total = units[0] * sum(_paired(*parts) for parts in zip(first.mask, *ranges, strict=True))
    weighted: list[Dealt] = []
    for dealt, unit in zip(rounds, units, strict=True):
        if weighted and ranges is not None:
            shape = dealt.mask.shape
            ranges = ranges[0].ravel()[dealt.earlier].reshape(shape), ranges[1].ravel()[dealt.earlier].reshape(shape)
        weighted.append(Dealt(**{**vars(dealt), "ranges": ranges, "unit": unit}))
    return Deal(tuple(weighted), total)


def _range(rules: OrderedGame, player: int, hands: NDArray[np.int8]) -> Whole:
    """Weights of the hands of the first round, over a common denominator, [B, N]."""
    assert rules.ranges is not None
    given = {hand: Fraction(exact_number(w, "the weight of a hand")) for hand, w in rules.ranges[player].items()}
    whole = lcm(*(weight.denominator for weight in given.values()))
    rows = hands.reshape(-1, hands.shape[2]).tolist()
    return whole_array([int(given.get(tuple(hand), Fraction(0)) * whole) for hand in rows], hands.shape[:2])


def _paired(mask: NDArray[np.uint64], one: Whole, two: Whole) -> int:
    """What all pairs of hands at a public state weigh together."""
    held, others = one.tolist(), two.astype(object)
    return sum(int(w * others[(mask & m) == 0].sum()) for w, m in listening(zip(held, mask, strict=True)) if w)


def _by_weights(rules: OrderedGame, rounds: list[Dealt]) -> Deal:
    """Signals of unequal weights: the chance of every pair of hands, as the product of the chances of all draws."""
    assert rules.weights is not None
    weights = [Fraction(exact_number(weight, "the weight of a signal")) for weight in rules.weights]
    rest: dict[int, Fraction] = {}
    chances: dict[tuple[int, tuple[int, ...]], Fraction] = {}

    def chance(gone: int, drawn: tuple[int, ...]) -> Fraction:
        if (gone, drawn) not in chances:
            if gone not in rest:
                rest[gone] = sum((w for signal, w in enumerate(weights) if not gone >> signal & 1), Fraction(0))
            chances[gone, drawn] = drawn_chance(weights, drawn, rest[gone])
        return chances[gone, drawn]

    before: dict[tuple[int, int, int], Fraction] = {(0, 0, 0): Fraction(1)}
    numbered: list[tuple[list[int], int]] = []
    for dealt, round_ in zip(rounds, rules.rounds, strict=True):
        states, count = dealt.mask.shape
        if states * count * count > _MOST_WEIGHTS:
            raise TooLargeError(f"{states * count * count:,} pairs of hands of unequal weight are more than "
                                f"{_MOST_WEIGHTS:,}")  # fmt: skip
        now: dict[tuple[int, int, int], Fraction] = {}
        fractions: list[Fraction] = []
        per_state = 1 if dealt is rounds[0] else rounds[len(numbered) - 1].mask.shape[1]
        for b in listening(range(states)):
            old = int(dealt.earlier_state[b])
            here = tuple(dealt.public[b].tolist())
            shown, fresh = sum(1 << s for s in here), here[len(here) - round_.public :]
            new = [tuple(hand[len(hand) - round_.private :]) for hand in dealt.hands[b].tolist()]
            held = [int(m) for m in dealt.mask[b]]
            came = [int(node) - old * per_state for node in dealt.earlier[b * count : (b + 1) * count]]
            bits = [sum(1 << s for s in part) for part in new]
            seen = shown - sum(1 << s for s in fresh)
            for i, j in product(range(count), repeat=2):
                if held[i] & held[j]:
                    fractions.append(Fraction(0))
                    continue
                gone = seen | (held[i] & ~bits[i]) | (held[j] & ~bits[j])
                likely = before[old, came[i], came[j]] * chance(gone, fresh)
                gone |= shown
                likely *= chance(gone, new[i]) * chance(gone | bits[i], new[j])
                now[b, i, j] = likely
                fractions.append(likely)
        whole = lcm(*{fraction.denominator for fraction in fractions})
        numbered.append(([int(fraction * whole) for fraction in fractions], whole))
        before = now
    total = lcm(*(whole for _, whole in numbered))
    found_rounds = [
        Dealt(**{
            **vars(dealt),
            "joint": whole_array(numbers, (*dealt.mask.shape, dealt.mask.shape[1])),
            "unit": total // whole,
        })
        for dealt, (numbers, whole) in zip(rounds, numbered, strict=True)
    ]  # fmt: skip
    return Deal(tuple(found_rounds), total)


def ends_of(rules: OrderedGame, number: int, dealt: Dealt) -> Ends | None:
    """How the game can end in a round; None if it cannot."""
    stages = [round_.stage for round_ in rules.rounds[: number + 1]]
    stage, last = stages[-1], number + 1 == len(rules.rounds)
    leaves = (*stage.ending, *(stage.going_on if last else ()))
    if not leaves:
        return None
    lines = list(product(*([s.line[leaf] for leaf in s.going_on] for s in stages[:-1])))
    span, strength = 0, None
    ranks: list[tuple[int, ...]] = [(0, 1), (0, 0), (1, 0)]
    if not rules.compares:
        levels, strength = np.unique(sound_strengths(rules, dealt.public, dealt.hands), return_inverse=True)
        span = len(levels)
        if span * span > _MOST_OUTCOMES:
            raise TooLargeError(f"payoffs depend on {span * span:,} pairs of strengths, more than {_MOST_OUTCOMES:,}")
        ranks = list(product(levels.tolist(), repeat=2))
    kinds: dict[tuple[Fraction, ...], int] = {}
    outcome = [kinds.setdefault(_paid(rules.utility, lines, stage, leaves, rank), len(kinds)) for rank in ranks]
    if strength is None:
        strength = (
            sound_strengths(rules, dealt.public, dealt.hands)
            if len(kinds) > 1
            else np.zeros(dealt.mask.shape, dtype=np.int64)
        )
    payoff: tuple[list[list[list[Fraction]]], ...] = tuple(
        [
            [[paid[2 * (e * len(lines) + h) + player] for h in range(len(lines))] for e in range(len(leaves))]
            for paid in kinds
        ]
        for player in (0, 1)
    )
    shape = dealt.mask.shape
    return Ends(leaves, (payoff[0], payoff[1]), strength.reshape(shape), span, np.array(outcome, dtype=np.int64))


def _paid(
    utility: Callable[..., Sequence[Any]],
    lines: list[tuple[tuple[str, ...], ...]],
    stage: StageTree,
    leaves: tuple[int, ...],
    rank: tuple[int, ...],
) -> tuple[Fraction, ...]:
    """Payoffs of both players at every end, for one outcome: by leaf, then by line of the rounds before."""

    def numbers() -> Iterator[Fraction]:
        for leaf in leaves:
            for before in listening(lines):
                paid = tuple(utility((*before, stage.line[leaf]), rank))
                if len(paid) != 2:
                    raise GameError(f"utility must give a payoff to each of two players, not {paid!r:.60}")
                yield from (Fraction(exact_number(u, "a payoff")) for u in paid)

    return tuple(numbers())
