"""All deals of an ordered game of two players, as arrays for each round.

A *public state* of a round consists of the public signals up to that round. A player's *hand* consists of its private
signals up to that round. Every public state of a round has the same number N of possible hands, because signals are
dealt without replacement. Public states are sorted by the public state of the previous round, then by the new signals
in colexicographic order. Hands are sorted by the hand of the previous round, then by the new signals. An *own node* of
a player is a pair of a public state and a hand. The number of an own node is ``state * N + hand``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb, gcd, lcm
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, PlayersError, TooLargeError
from tremble.numbers import exact_number, over_one_denominator
from tremble.poker.game import OrderedGame, Round, Signals, drawn_chance
from tremble.poker.payoffs import RoundPayoffs, round_payoffs
from tremble.poker.soundness import require_sound, sound_strengths

__all__ = ["Deals", "RoundDeals", "signal_tree_size"]

IntArray = NDArray[np.int64]

_MOST_PAIRS = 2**28


@dataclass(frozen=True, eq=False)
class RoundDeals:
    """All deals from the first round to a given round. The given round has B public states with N hands each."""

    public: NDArray[np.int8]  # [B, K] the public signals of each state
    hands: NDArray[np.int8]  # [B, N, G] the private signals of each hand
    mask: NDArray[np.uint64]  # [B, N] a bit mask of the signals of each hand
    earlier_state: IntArray  # [B] the public state of the previous round that precedes each state; 0 in the first round
    earlier: IntArray  # [B * N] the own node of the previous round that precedes each own node; 0 in the first round
    strength: IntArray | None  # [B, N] the strength of each hand, or None if no payoff of the round depends on it
    # [B, N, N] the weight of each pair of hands. None means 1 for pairs that share no signal, 0 for other pairs.
    mass: IntArray | None
    unit: int  # a factor for all weights of this round, which makes the total weights of all rounds equal
    payoffs: RoundPayoffs

    @property
    def num_states(self) -> int:
        """The number of public states."""
        return len(self.public)

    @property
    def num_hands(self) -> int:
        """The number of hands at each public state."""
        return int(self.mask.shape[1])

    @property
    def num_nodes(self) -> int:
        """The number of nodes of each player in this round. A node is a pair (public state, own hand)."""
        return self.mask.size

    def signals(self, node: int) -> tuple[Signals, Signals]:
        """Return the public signals and the player's private signals at a node of this round."""
        state, hand = divmod(node, self.num_hands)
        return tuple(self.public[state].tolist()), tuple(self.hands[state, hand].tolist())

    def masses(self, states: slice | IntArray) -> IntArray:
        """Return the weight of each pair of hands at ``states``, as int[states, player 1's hand, player 2's hand]."""
        if self.mass is not None:
            weights: IntArray = self.mass[states]
            return weights
        mask = self.mask[states]
        ones: IntArray = ((mask[:, :, None] & mask[:, None, :]) == 0).astype(np.int64)
        return ones

    def own_weights(self, player: int) -> IntArray:
        """Return, for each own node of a player, the greatest weight of a pair of hands that contains the node's hand.

        After division by these weights, the :meth:`masses` of any two hands of a public state differ in few entries.
        """
        if self.mass is None:
            return np.ones(self.num_nodes, dtype=np.int64)
        weights: IntArray = self.mass.max(axis=2 - player).ravel()
        return weights

    def dealt(self, player: int) -> NDArray[np.bool_]:
        """Return a mask, bool[nodes]: True for own nodes (public state, hand) that chance can deal to a player."""
        if self.mass is None:
            return np.ones(self.num_nodes, dtype=np.bool_)
        ever: NDArray[np.bool_] = self.mass.any(axis=2 - player).ravel()
        return ever

    def met(self) -> IntArray:
        """Return, in ascending order, the distinct outcomes of all pairs of hands that can be dealt together."""
        outcomes: set[int] = set()
        for state in range(self.num_states):
            some = slice(state, state + 1)
            outcomes |= set(np.unique(self.outcomes(some)[self.masses(some) != 0]).tolist())
        return np.array(sorted(outcomes), dtype=np.int64)

    def outcomes(self, states: slice | IntArray) -> NDArray[np.int16]:
        """Return an array [states, N, N]: the outcome of each pair of hands at the given public states.

        An outcome is an index of the last axis of ``payoffs.utility``.
        """
        shape = (len(self.mask[states]), self.num_hands, self.num_hands)
        if self.strength is None:
            return np.zeros(shape, dtype=np.int16)
        strength = self.strength[states]
        return self.payoffs.outcome_of(strength[:, :, None], strength[:, None, :])


@dataclass(frozen=True, eq=False)
class Deals:
    """The deals of all rounds of an ordered game of two players.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> [round_.num_nodes for round_ in Deals.of(RhodeIsland(ranks=3)).rounds]
    [12, 132, 1320]
    """

    rounds: tuple[RoundDeals, ...]
    total: int  # the sum of all weights of a round, times `unit` of the round; all rounds have equal totals

    @property
    def constant_sum(self) -> Fraction | None:
        """The sum of both players' payoffs if the sum is constant, otherwise None."""
        for outcomes in (lambda deals: slice(None), RoundDeals.met):  # first all outcomes, then the possible ones
            sums = {
                Fraction(int(total), deals.payoffs.denominator)
                for deals in self.rounds
                for total in np.unique(deals.payoffs.utility.sum(axis=0)[..., outcomes(deals)])
            }
            if len(sums) == 1:
                return sums.pop()
        return None

    @property
    def payoff_range(self) -> Fraction:
        """The difference between player 1's greatest and least payoff."""
        ends = [
            Fraction(int(end), payoffs.denominator)
            for payoffs in (deals.payoffs for deals in self.rounds)
            if payoffs.leaves
            for end in (payoffs.utility[0].min(), payoffs.utility[0].max())
        ]
        return max(ends) - min(ends)

    @classmethod
    def of(cls, game: OrderedGame) -> Deals:
        """Compute the deals of a game. The result is cached for the lifetime of the game.

        Raises
        ------
        PlayersError
            The game does not have two players.
        GameError
            The signals, weights or payoffs do not define an ordered game. The message names the signals.
        TooLargeError
            The deals do not fit into memory.
        """
        try:
            deals = _KEPT.get(game)
        except TypeError:
            raise GameError(f"a {type(game).__name__} has no hash; make its class a @dataclass(frozen=True)") from None
        if deals is None:
            deals = _KEPT[game] = _deals(game)
        return deals


_KEPT: WeakKeyDictionary[OrderedGame, Deals] = WeakKeyDictionary()


def signal_tree_size(game: OrderedGame) -> int:
    """Count the nodes of the signal tree, which contains all deals and no moves.

    Each public deal is one level of the tree, and each deal to one player is also one level.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> signal_tree_size(RhodeIsland())
    6632705
    """
    left, ways, total = len(game.signals), 1, 1
    for round_ in game.rounds:
        for size in (round_.public, *[round_.private] * game.num_players):
            if size:
                ways *= comb(left, size)
                total += ways
                left -= size
    return total


def _deals(game: OrderedGame) -> Deals:
    require_sound(game)
    if game.num_players != 2:
        raise PlayersError.of(game.num_players)
    rounds: list[RoundDeals] = []
    bits = np.left_shift(np.uint64(1), np.arange(len(game.signals), dtype=np.uint64))
    total = signal_tree_size(game)
    if total > 8 * _MOST_PAIRS:
        raise TooLargeError(f"the signals can be dealt in {total:,} ways, more than the limit of {8 * _MOST_PAIRS:,}")
    public = np.empty((1, 0), dtype=np.int8)
    public_mask = np.zeros(1, dtype=np.uint64)
    hands = np.empty((1, 1, 0), dtype=np.int8)
    mask = np.zeros((1, 1), dtype=np.uint64)
    for number, round_ in enumerate(game.rounds):
        # Extend every public state by every set of new public signals.
        new, new_mask = _sets(len(game.signals), round_.public, bits)
        earlier_state, drawn = np.nonzero((public_mask[:, None] & new_mask) == 0)
        public = np.concatenate([public[earlier_state], new[drawn]], axis=1)
        public_mask = public_mask[earlier_state] | new_mask[drawn]
        # Extend every hand by every set of new private signals that are not public.
        new, new_mask = _sets(len(game.signals), round_.private, bits)
        before, here = mask.shape[1], mask[earlier_state]
        free = (here & public_mask[:, None]) == 0
        blocked = here | public_mask[:, None]
        state, hand, drawn = np.nonzero(((blocked[:, :, None] & new_mask) == 0) & free[:, :, None])
        earlier = earlier_state[state] * before + hand
        count = len(state) // len(public)
        if len(public) * count * count > _MOST_PAIRS:
            raise TooLargeError(
                f"round {number + 1} has {len(public) * count * count:,} pairs of hands, more than {_MOST_PAIRS:,}"
            )
        hands = np.concatenate([hands[earlier_state[state], hand], new[drawn]], axis=1).reshape(len(public), count, -1)
        mask = (here[state, hand] | new_mask[drawn]).reshape(len(public), count)
        # Compute strengths only if the payoffs depend on them.
        strength = None
        payoffs = round_payoffs(game, number, None)
        if payoffs is None:
            strength = sound_strengths(game, public, hands)
            payoffs = round_payoffs(game, number, strength, lambda rank: _hand_of(game, public, hands, strength, rank))  # noqa: B023
            assert payoffs is not None
        weighted = game.weights is not None or game.ranges is not None
        mass = _mass(game, number, public, hands, mask) if weighted else None
        rounds.append(RoundDeals(public, hands, mask, earlier_state, earlier, strength, mass, 1, payoffs))
    return _in_units(rounds)


def _in_units(rounds: list[RoundDeals]) -> Deals:
    """Return the deals of ``rounds``. The factor ``unit`` of each round makes the total weights of all rounds equal."""
    totals = []
    for deals in rounds:
        if deals.mass is None:
            totals.append(int(deals.masses(slice(0, 1)).sum()) * deals.num_states)  # public states have equal weights
        else:
            totals.append(int(deals.mass.sum()))
    total = lcm(*totals)
    _require_few_bits(total * max(int(np.abs(deals.payoffs.basis).max(initial=1)) for deals in rounds))
    return Deals(tuple(replace(deals, unit=total // own) for deals, own in zip(rounds, totals, strict=True)), total)


def _sets(count: int, size: int, bits: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.uint64]]:
    """Return all sets of ``size`` out of ``count`` signals in colexicographic order, and their bit masks."""
    sets = np.array(list(combinations(range(count - 1, -1, -1), size)), dtype=np.int8)
    sets = sets.reshape(comb(count, size), size)[::-1, ::-1]
    return sets, bits[sets].sum(axis=1, dtype=np.uint64) if size else np.zeros(1, dtype=np.uint64)


def _hand_of(
    game: OrderedGame, public: NDArray[np.int8], hands: NDArray[np.int8], strength: IntArray, value: int
) -> str:
    """Return the text of a hand whose strength is ``value``."""
    b, i = np.argwhere(strength == value)[0]
    return game.hand_text(tuple(public[b].tolist()), tuple(hands[b, i].tolist()), ())


def _mass(
    game: OrderedGame, number: int, public: NDArray[np.int8], hands: NDArray[np.int8], mask: NDArray[np.uint64]
) -> IntArray:
    """Return integer weights of pairs of hands, [public states, N, N]. The game must have ``weights`` or ``ranges``."""
    disjoint = (mask[:, :, None] & mask[:, None, :]) == 0
    if game.ranges is not None:
        weight1, weight2 = (_range_weights(game, range_, hands) for range_ in game.ranges)
        _require_few_bits(len(public) * int(weight1.max()) * int(weight2.max()) * disjoint[0].size)
        dealt: IntArray = np.where(disjoint, weight1[:, :, None] * weight2[:, None, :], 0)
        return dealt
    assert game.weights is not None
    weights = [Fraction(exact_number(weight, "weight")) for weight in game.weights]
    drawn: dict[tuple[Signals, frozenset[int]], Fraction] = {}
    weight_of: dict[tuple[int, int, int], Fraction] = {}
    for b, i, j in np.argwhere(disjoint).tolist():
        parts = public[b].tolist(), hands[b, i].tolist(), hands[b, j].tolist()
        weight_of[b, i, j] = _weight(weights, game.rounds[: number + 1], parts, drawn)
    common = lcm(*(value.denominator for value in weight_of.values()))
    whole = {place: value.numerator * (common // value.denominator) for place, value in weight_of.items()}
    content = gcd(*whole.values())
    _require_few_bits(sum(whole.values()) // content)
    mass = np.zeros(disjoint.shape, dtype=np.int64)
    for place, value in whole.items():
        mass[place] = value // content
    return mass


def _range_weights(game: OrderedGame, range_: Mapping[Signals, Fraction | int], hands: NDArray[np.int8]) -> IntArray:
    """Return an array of shape [B, N]: for each public state, the integer weight of each hand in one player's range.

    The weight of a hand depends only on its private signals of the first round.
    """
    whole, _ = over_one_denominator([exact_number(weight, "weight") for weight in range_.values()])
    content = gcd(*whole)
    _require_few_bits(max(whole) // content)
    weight = {tuple(hand): value // content for hand, value in zip(range_, whole, strict=True)}
    first = hands[:, :, : game.rounds[0].private]
    listed = [[weight.get(tuple(hand), 0) for hand in row] for row in first.tolist()]
    return np.array(listed, dtype=np.int64)


def _require_few_bits(total: int) -> None:
    if total >= 2**62:
        raise GameError("an exact sum over all deals needs more than 62 bits; use simpler weights and payoffs")


def _weight(
    weights: list[Fraction],
    rounds: Sequence[Round],
    parts: tuple[list[int], ...],
    drawn: dict[tuple[Signals, frozenset[int]], Fraction],
) -> Fraction:
    """Return the weight of a deal, which is the product of the probabilities of its draws.

    ``parts`` contains the public signals and both hands. The function caches the probabilities of draws in ``drawn``.
    """
    weight = Fraction(1)
    gone: frozenset[int] = frozenset()
    seen = [0] * len(parts)
    for round_ in rounds:
        for who, size in enumerate((round_.public, *[round_.private] * (len(parts) - 1))):
            signals: Signals = tuple(parts[who][seen[who] : seen[who] + size])
            seen[who] += size
            if (signals, gone) not in drawn:
                rest = sum((w for signal, w in enumerate(weights) if signal not in gone), Fraction(0))
                drawn[signals, gone] = drawn_chance(weights, signals, rest)
            weight *= drawn[signals, gone]
            gone = gone.union(signals)
    return weight
