"""Lists of the deals of an ordered game and of the payoffs at its leaves, for the trusted checker.

The lists depend only on the signals, the rounds and the rules. The code of this module is independent of the solvers.

An *own node* is a public state together with a player's hand. A strategy assigns a class to each own node and refers to
own nodes by their numbers in these lists (:class:`tremble.poker.strategy.OrderedStrategy`). Public states are sorted by
the state of the previous round, then by the new public signals. Hands are sorted by the previous round's hand, then by
the new private signals. New signals are in colexicographic order. A *line* is a history of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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

__all__ = ["Deal", "Dealt", "Ends", "Tick", "Whole", "deal_all", "ends_of", "no_tick", "whole_array"]

IntArray = NDArray[np.int64]
Whole = NDArray[Any]
"""An array of int64, or of Python integers if some numbers are too long for int64."""

Tick = Callable[[], None]
"""A function that is called often and may raise an exception to stop the computation."""

_MOST_NODES = 2**27  # limit for the own nodes of a round; each own node takes about 50 bytes
_MOST_WEIGHTS = 2**24  # limit for the weights of pairs of hands in a round; each weight is first stored as a fraction
_MOST_OUTCOMES = 2**14
_AT_ONCE = 2**20  # the number of hands that are created in one batch


def no_tick() -> None:
    """Do nothing. This default value of ``tick`` never stops the computation."""


@dataclass(frozen=True, eq=False)
class Dealt:
    """The signals that chance can deal from the first round to a given round, and the weights of the deals.

    In the shapes, B is the number of public states, and N is the number of hands at each public state. K and G are the
    numbers of public and private signals. If the game has weights of signals, a pair of hands has the weight
    ``joint * unit``. Otherwise a pair of hands that share no signal has the weight ``ranges[0] * ranges[1] * unit``, or
    ``unit`` if there are no ranges.
    """

    stage: StageTree
    num_lines: int  # the number of lines of the earlier rounds
    public: NDArray[np.int8]  # [B, K] the public signals
    hands: NDArray[np.int8]  # [B, N, G] the private signals of each hand
    mask: NDArray[np.uint64]  # [B, N] the signals of each hand, as bits
    earlier_state: IntArray  # [B] the public state of the previous round that precedes each state
    earlier: IntArray  # [B * N] the own node of the previous round that precedes each own node
    ranges: tuple[Whole, Whole] | None  # player -> [B, N] the weights of the player's hands
    joint: Whole | None  # [B, N, N] the weights of pairs of hands
    unit: int

    @property
    def num_nodes(self) -> int:
        """The number of own nodes of each player."""
        return self.mask.size


@dataclass(frozen=True, eq=False)
class Deal:
    """The deals of all rounds of an ordered game of two players."""

    rounds: tuple[Dealt, ...]
    total: int  # the sum of the weights of all deals of a round, which is equal in all rounds


@dataclass(frozen=True, eq=False)
class Ends:
    """The leaves of one round at which the game ends, and their payoffs.

    Shapes: E leaves, H histories of moves in the earlier rounds, and O possible outcomes of a pair of hands.
    """

    leaves: tuple[int, ...]
    payoff: tuple[list[list[list[Fraction]]], list[list[list[Fraction]]]]  # player -> [O][E][H]
    strength: IntArray  # [B, N] strengths, renumbered from 0 if payoffs depend on more than the order of the hands
    span: int  # the number of different strengths, or 0 if payoffs depend only on the order of the hands
    # The outcome of a pair of hands. If `span` is 0, the index is the sign of the difference of strengths plus 1.
    # Otherwise the index is `strength1 * span + strength2`.
    outcome: IntArray


def whole_array(numbers: Sequence[int], shape: tuple[int, ...]) -> Whole:
    """Convert integers to an array of int64, or of Python integers if some integers are too long."""
    short = all(-(2**62) < number < 2**62 for number in numbers)
    return np.array(numbers, dtype=np.int64 if short else object).reshape(shape)


def deal_all(rules: OrderedGame, tick: Tick = no_tick) -> Deal:
    """List the deals of a game of two players.

    Raises
    ------
    GameError
        The signals, weights or ranges do not define an ordered game, or the deals do not fit into memory.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> [dealt.num_nodes for dealt in deal_all(RhodeIsland(ranks=2, suits=2)).rounds]
    [4, 12, 24]
    """
    require_sound(rules)
    if rules.num_players != 2:
        raise PlayersError.of(rules.num_players)
    rounds: list[Dealt] = []
    public, public_mask = np.empty((1, 0), dtype=np.int8), np.zeros(1, dtype=np.uint64)
    hands, mask = np.empty((1, 1, 0), dtype=np.int8), np.zeros((1, 1), dtype=np.uint64)
    left, lines = len(rules.signals), 1
    ways: list[int] = []  # for each round, the number of ways to draw the signals of the round
    for number, round_ in enumerate(rules.rounds):
        nodes = _num_nodes(rules, number)
        if nodes > _MOST_NODES:
            raise TooLargeError(f"round {number + 1} has {nodes:,} hands, more than {_MOST_NODES:,}")
        earlier_state, public, public_mask = _public(public, public_mask, len(rules.signals), round_.public)
        hands, mask, earlier = _hands(hands, mask, earlier_state, public_mask, len(rules.signals), round_.private, tick)
        after = left - round_.public
        ways.append(
            comb(left, round_.public) * comb(after, round_.private) * comb(after - round_.private, round_.private)
        )
        left = after - 2 * round_.private
        rounds.append(Dealt(round_.stage, lines, public, hands, mask, earlier_state, earlier, None, None, unit=1))
        lines *= len(round_.stage.going_on)
    if rules.weights is not None:
        return _by_weights(rules, rounds, tick)
    return _in_proportion(rules, rounds, ways, tick)


def _num_nodes(rules: OrderedGame, number: int) -> int:
    """Count a player's nodes in a round: the ways to deal all signals that the player sees in this round or earlier."""
    left, count = len(rules.signals), 1
    for size in (size for round_ in rules.rounds[: number + 1] for size in (round_.public, round_.private)):
        count *= comb(left, size)
        left -= size
    return count


def _sets(count: int, size: int) -> tuple[NDArray[np.int8], NDArray[np.uint64]]:
    """Return all sets of `size` out of `count` signals in colexicographic order, and the bit masks of these sets."""
    drawn = sorted(combinations(range(count), size), key=lambda signals: signals[::-1])
    masks = [sum(1 << signal for signal in signals) for signals in drawn]
    return np.array(drawn, dtype=np.int8).reshape(len(drawn), size), np.array(masks, dtype=np.uint64)


def _public(
    public: NDArray[np.int8], mask: NDArray[np.uint64], signals: int, size: int
) -> tuple[IntArray, NDArray[np.int8], NDArray[np.uint64]]:
    """Return, for each public state of the next round, the previous state, the public signals and their bit mask."""
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
    tick: Tick,
) -> tuple[NDArray[np.int8], NDArray[np.uint64], IntArray]:
    """Deal private signals. Return the new hands, their bit masks, and each hand's node in the previous round."""
    new, new_mask = _sets(signals, size)
    parts: list[tuple[NDArray[np.int8], NDArray[np.uint64], IntArray]] = []
    step = max(1, _AT_ONCE // (mask.shape[1] * len(new)))
    for first in range(0, len(earlier_state), step):
        some, shown = earlier_state[first : first + step], public_mask[first : first + step]
        tick()
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


def _in_proportion(rules: OrderedGame, rounds: list[Dealt], ways: list[int], tick: Tick) -> Deal:
    """Compute the weights of deals for a game in which all signals are equally likely.

    If the game has ranges, each player's range gives the weights of the first round's hands.
    """
    units = [1] * len(rounds)
    for number in reversed(range(len(rounds) - 1)):
        units[number] = units[number + 1] * ways[number + 1]
    first, ranges, total = rounds[0], None, units[0] * ways[0]
    if rules.ranges is not None and rules.rounds[0].private:
        ranges = _range(rules, 0, first.hands), _range(rules, 1, first.hands)
        total = units[0] * sum(_paired(*parts, tick) for parts in zip(first.mask, *ranges, strict=True))
    weighted: list[Dealt] = []
    for dealt, unit in zip(rounds, units, strict=True):
        if weighted and ranges is not None:
            shape = dealt.mask.shape
            ranges = ranges[0].ravel()[dealt.earlier].reshape(shape), ranges[1].ravel()[dealt.earlier].reshape(shape)
        weighted.append(replace(dealt, ranges=ranges, unit=unit))
    return Deal(tuple(weighted), total)


def _range(rules: OrderedGame, player: int, hands: NDArray[np.int8]) -> Whole:
    """Return the weights of a player's first-round hands: numerators of shape [B, N] over a common denominator."""
    assert rules.ranges is not None
    given = {hand: Fraction(exact_number(w, "the weight of a hand")) for hand, w in rules.ranges[player].items()}
    whole = lcm(*(weight.denominator for weight in given.values()))
    rows = hands.reshape(-1, hands.shape[2]).tolist()
    return whole_array([int(given.get(tuple(hand), Fraction(0)) * whole) for hand in rows], hands.shape[:2])


def _paired(mask: NDArray[np.uint64], weights1: Whole, weights2: Whole, tick: Tick) -> int:
    """Return the total weight of all pairs of hands at one public state, except pairs that share a signal."""
    total, others = 0, weights2.astype(object)
    for weight, held in zip(weights1.tolist(), mask, strict=True):
        tick()
        if weight:
            total += int(weight * others[(mask & held) == 0].sum())
    return total


def _by_weights(rules: OrderedGame, rounds: list[Dealt], tick: Tick) -> Deal:
    """Compute the weights of deals for a game in which signals have unequal weights.

    The weight of a pair of hands is the product of the probabilities of all draws that deal the pair.
    """
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
            raise TooLargeError(f"a round has {states * count * count:,} pairs of hands of unequal weight, more than "
                                f"{_MOST_WEIGHTS:,}")  # fmt: skip
        now: dict[tuple[int, int, int], Fraction] = {}
        fractions: list[Fraction] = []
        per_state = 1 if dealt is rounds[0] else rounds[len(numbered) - 1].mask.shape[1]
        for b in range(states):
            tick()
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
        replace(dealt, joint=whole_array(numbers, (*dealt.mask.shape, dealt.mask.shape[1])), unit=total // whole)
        for dealt, (numbers, whole) in zip(rounds, numbered, strict=True)
    ]
    return Deal(tuple(found_rounds), total)


def ends_of(rules: OrderedGame, number: int, dealt: Dealt, tick: Tick = no_tick) -> Ends | None:
    """Return the leaves of a round where the game ends, and their payoffs; return None if there are no such leaves."""
    stages = [round_.stage for round_ in rules.rounds[: number + 1]]
    stage, last = stages[-1], number + 1 == len(rules.rounds)
    leaves = (*stage.ending, *(stage.going_on if last else ()))
    if not leaves:
        return None
    lines = list(product(*([s.line[leaf] for leaf in s.going_on] for s in stages[:-1])))
    # List the pairs of strengths that payoffs can depend on: all pairs, or lower, equal and higher if only order
    # matters.
    span, strength = 0, None
    ranks: list[tuple[int, ...]] = [(0, 1), (0, 0), (1, 0)]
    if not rules.compares:
        levels, strength = np.unique(sound_strengths(rules, dealt.public, dealt.hands), return_inverse=True)
        span = len(levels)
        if span * span > _MOST_OUTCOMES:
            raise TooLargeError(f"payoffs depend on {span * span:,} pairs of strengths, more than {_MOST_OUTCOMES:,}")
        ranks = list(product(levels.tolist(), repeat=2))
    # Merge pairs with the same payoffs at all leaves into one outcome.
    kinds: dict[tuple[Fraction, ...], int] = {}
    outcome = [kinds.setdefault(_paid(rules.utility, lines, stage, leaves, rank, tick), len(kinds)) for rank in ranks]
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
    tick: Tick,
) -> tuple[Fraction, ...]:
    """Return a flat tuple of payoffs for hands of given ranks, in the loop order leaf, earlier history, player."""

    def numbers() -> Iterator[Fraction]:
        for leaf in leaves:
            for before in lines:
                tick()
                paid = tuple(utility((*before, stage.line[leaf]), rank))
                if len(paid) != 2:
                    raise GameError(f"'utility' must return a payoff for each of two players, not {paid!r:.60}")
                yield from (Fraction(exact_number(u, "a payoff")) for u in paid)

    return tuple(numbers())
