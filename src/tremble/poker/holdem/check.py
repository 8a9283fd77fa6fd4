r"""Exact values of strategies in Hold'em from the flop, the turn or the river on, at the level of single hands.

The trusted checker `tremble.check` calls this module. The module shares no code with the engine that finds strategies.
It reads the rules (the betting tree, the ranges and the scores of hands) and the integers of the strategies.

A strategy states a *plan*: for each hand of a player and each action, the probability of all own moves up to this
action, as an integer over one denominator. So the plan is a realization plan if no integer is negative, and if at each
decision the integers of the actions sum to the integer of the own move before.

Let y be the other player's plan times the weights of the other player's hands. At a leaf with the stake s, the player's
hand i earns, in units of weight,

.. math::  s \cdot \sum_{j \text{ weaker}} y_j \; - \; s \cdot \sum_{j \text{ stronger}} y_j,

where j runs over the other player's hands without a card of hand i. The sum over weaker hands is the sum over all
weaker hands, minus the sum over weaker hands with the first card of i, minus the same sum for the second card. No hand
that is weaker has both cards, because this is hand i itself. `check_kernel` computes the sums in a walk over the hands
in ascending strength. With a rake r, a player who wins earns s - r, and players who tie lose r / 2 each. After a fold,
all hands without a common card count.

A best response chooses at each own decision the action with the greatest sum of later values. The player sees the own
hand, the moves and the public cards, and has perfect recall. So the sum of the values of all hands, each times its
weight, is the most that any strategy can earn.

At a locked decision, a hand acts with frequencies n_a / D instead of a choice (`locks`). A best response follows these
frequencies, too: the value of such a hand is the sum of n_a / D times the value of action a. These sums, and the values
of nodes before a locked decision, are fractions.

Each pair of hands leaves 44 river cards after a turn, and 45 turn cards after a flop. The module sums values over the
cards that are dealt, and multiplies the payoffs after a fold by the number of ways to deal the missing cards. All other
numbers are int64. If a bound shows that int64 is not enough for a game with locked hands, they are integers of Python:
the sums are linear in y, so the module splits y into parts of 48 bits, and adds the sums of the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.check.best_response import Outcome
from tremble.check.claim import Claim, brief
from tremble.check.limits import Limits
from tremble.errors import GameError
from tremble.game.rules import UnbuiltGame
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.games.poker_hands import hand_scores
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.moves import moves_before
from tremble.poker.strategy import OrderedStrategy

__all__ = [
    "Above",
    "Pass",
    "Plan",
    "Street",
    "Whole",
    "exact",
    "is_short",
    "outcome_of_holdem",
    "plan_faults",
    "stakes_of",
]

IntArray = NDArray[np.int64]
Whole = NDArray[Any]  # int64, or Python integers
Ranked = tuple[IntArray, IntArray]
Above = Callable[[list[int], dict[int, Any], int], dict[int, Any]]
Street = tuple[list[int], int, dict[int, Any], dict[int, Any]]

_BOARD = 5  # cards on a complete board
_MOST_BITS = 62
_LARGEST = 2**50  # denominator of a strategy
_ALL = slice(None)
_PART = 48  # bits of a part of a long number: a sum over all hands of such parts fits into int64


def outcome_of_holdem(game: UnbuiltGame, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
    """Compute the expected payoffs and the best-response values of two strategies of a Hold'em game.

    Parameters
    ----------
    game : UnbuiltGame
        A Hold'em game.
    claim : Claim
        A claim with a :class:`OrderedStrategy` of each player. Only the strategies are read.
    limits : Limits
        The function calls ``limits.tick`` often.
    values_only : bool
        This argument is ignored, because best responses take little more time.
    """
    rules, strategies = game.rules, claim.strategies
    if not isinstance(rules, HoldemGame) or not all(isinstance(side, OrderedStrategy) for side in strategies):
        return Outcome(None, faults=("strategies: the strategies and the rules are not those of a Hold'em game",))
    swapped = [(i, side.player + 1) for i, side in enumerate(strategies) if side.player != i]
    if swapped:
        return Outcome(None, faults=tuple(f"strategies[{i}]: this is a strategy of player {k}" for i, k in swapped))
    faults = [fault for side in strategies for fault in plan_faults(rules, side, limits)]
    if faults:
        return Outcome(None, faults=tuple(faults))
    stakes = stakes_of(rules)
    players = [Plan(rules, player, strategies[player]) for player in (0, 1)]
    deals = rules.deal.run_outs()
    most = int(stakes.lost.max()) * deals
    bits = [(most * int(p.weights.sum(dtype=object)) * p.strategy.denominator).bit_length() for p in players]
    if max(bits) > _MOST_BITS:
        if not rules.lock:
            fault = (
                f"strategies: the check would need numbers of {max(bits)} bits; use weights with fewer digits, or "
                "strategies with a smaller denominator"
            )
            return Outcome(None, faults=(fault,))
        for player in players:
            player.weights = player.weights.astype(object)
    found = []
    for me in (0, 1):
        own, other = players[me], players[1 - me]
        sums = Pass(rules, own, other, stakes, limits)
        value, best = sums.values()
        whole = sums.pairs() * other.strategy.denominator * deals * stakes.unit
        found.append((Fraction(value, whole * own.strategy.denominator), Fraction(best) / whole))
    (value1, best1), (value2, best2) = found
    raked = bool(rules.rake)
    if best1 < value1 or best2 < value2 or not (raked or value1 + value2 == 0):  # cannot happen
        return Outcome(None, faults=("strategies: the computed payoffs contradict each other",))
    return Outcome((value1, value2), (best1, best2), None if raked else Fraction(0), only_gains=raked)


class _Stakes(NamedTuple):
    """The chips at each leaf that a winner wins, that a loser loses, and that each player loses in a tie: [nodes].

    The numbers are whole: they count chips times ``unit``.
    """

    unit: int
    won: IntArray
    lost: IntArray
    tied: IntArray


def stakes_of(rules: HoldemGame) -> _Stakes:
    """Return what a winner wins, a loser loses, and each player loses in a tie, at each leaf."""
    paid = [min(node.paid) for node in rules.tree.nodes]
    amounts: dict[Fraction, tuple[Fraction, Fraction, Fraction]] = {}
    for chips in {*paid}:
        loss, rake = rules.betting.pot / 2 + chips, rules.raked(chips)
        amounts[chips] = loss - rake, loss, rake / 2
    unit = lcm(*(number.denominator for each in amounts.values() for number in each))
    if max(loss for _, loss, _ in amounts.values()) * unit >= 2**_MOST_BITS:
        raise GameError(
            f"the chips, or the rake, have too many digits: with a unit of 1/{unit:,} chips they need more than 62 bits"
        )
    whole = {chips: [int(number * unit) for number in each] for chips, each in amounts.items()}
    won, lost, tied = np.array([whole[chips] for chips in paid]).T
    return _Stakes(unit, won, lost, tied)


def is_short(strategies: Sequence[object]) -> bool:
    """Return False for strategies with numbers that are too long for this module."""
    return not any(
        isinstance(side, OrderedStrategy)
        and (
            (type(side.denominator) is int and side.denominator > _LARGEST)
            or any(table.dtype != np.int64 for table in side.weight)
        )
        for side in strategies
    )


class Plan:
    """A player's hands, or some of them (a slice or numbers), and the plan of the player's strategy."""

    def __init__(
        self, rules: HoldemGame, player: int, strategy: OrderedStrategy, hands: slice | list[int] = _ALL
    ) -> None:
        self.player, self.strategy, self._deal, nodes = player, strategy, rules.deal, rules.tree.nodes
        self.cards, self.weights = rules.deal.cards[player][hands], rules.deal.weights[player][hands]
        self._ranked: dict[tuple[int, ...], tuple[IntArray, IntArray]] = {}
        self.hands = np.arange(len(rules.deal.cards[player]))[hands]
        left = [card for card in range(52) if card not in rules.deal.board]
        low, high = (np.searchsorted(left, self.cards[:, k]) for k in (0, 1))
        self._own = high * (high - 1) // 2 + low
        self.num_hands = len(left) * (len(left) - 1) // 2
        self.num_rows, street, row = [0] * rules.streets, [-1], [-1]
        self.first: dict[int, int] = {}  # the first row of each own node
        for n, node in enumerate(nodes):
            if node.kind == player:
                self.first[n] = self.num_rows[node.street]
                self.num_rows[node.street] += len(node.actions)
            if n and node.parent in self.first:  # the player has chosen the action that leads to this node
                street.append(nodes[node.parent].street)
                row.append(self.first[node.parent] + nodes[node.parent].child.index(n))
            elif n:
                street.append(street[node.parent])
                row.append(row[node.parent])
        self._street, self._row = np.array(street), np.array(row)

    def classes(self, street: int, state: int) -> IntArray:
        """Return the class of each hand in a street, after the first cards of a state; -1 if it has none."""
        place = self._deal.place(self._deal.before(state, len(self._deal.positions(state)) - street))
        found: IntArray = self.strategy.class_of[street][self._own + place * self.num_hands]
        return found

    def ranked(self, state: int) -> tuple[IntArray, IntArray]:
        """Return the score of each hand, and the hands in ascending order of their scores.

        A hand with a public card has the score -1. Before the board is complete, other hands have the score 0.
        """
        dealt = self._deal.cards_of(state)
        known = tuple(sorted([*self._deal.board, *dealt]))
        if known not in self._ranked:
            free = (self.cards[:, :, None] != np.array(known)).all(axis=(1, 2))
            scores = np.where(free, 0, -1)
            if len(known) == _BOARD:
                public = np.broadcast_to(np.array(known), (free.sum(), _BOARD))
                scores[free] = hand_scores(np.concatenate([self.cards[free], public], axis=1))
            self._ranked[known] = scores, np.argsort(scores, kind="stable")
        return self._ranked[known]

    def plan(self, some: Sequence[int], state: int) -> IntArray:
        """Return the weight of each hand's last own move before some nodes, [nodes, hands]."""
        from tremble.poker.holdem.check_kernel import copy_rows  # importing Numba takes half a second

        street, row = self._street[list(some)], self._row[list(some)]
        found = np.full((len(some), len(self.cards)), self.strategy.denominator)
        if any(table.dtype == object for table in self.strategy.weight):  # only tools read such strategies
            found = found.astype(object)
        for k, table in enumerate(self.strategy.weight):
            here = np.flatnonzero(street == k)
            if len(here) and found.dtype == object:
                found[here] = table[self.classes(k, state)][:, row[here], 0].T
            elif len(here):
                copy_rows(table, self.classes(k, state), row[here], here, found)
        return found


def plan_faults(rules: HoldemGame, strategy: OrderedStrategy, limits: Limits) -> Iterator[str]:
    """Yield the reasons why a strategy is not a realization plan of the game."""
    where = f"strategies[{strategy.player}]"
    player, nodes = Plan(rules, strategy.player, strategy), rules.tree.nodes
    if len(strategy.class_of) != rules.streets or len(strategy.weight) != rules.streets:
        yield f"{where}: expected tables for {rules.streets} streets"
        return
    if type(strategy.denominator) is not int or not 1 <= strategy.denominator <= _LARGEST:
        yield f"{where}: expected a denominator from 1 to 2^50, found {brief(strategy.denominator)}"
        return
    for street, (classes, table) in enumerate(zip(strategy.class_of, strategy.weight, strict=True)):
        shape = (len(table), player.num_rows[street], 1)
        states = len(rules.deal.rivers) ** street
        if table.dtype != np.int64 or table.shape != shape or not table.size:
            yield f"{where}, street {street + 1}: the weights are not int64 of the shape [classes, {shape[1]}, 1]"
            return
        if classes.dtype != np.int64 or classes.shape != (states * player.num_hands,):
            yield f"{where}, street {street + 1}: the classes are not int64 of the shape [{states * player.num_hands}]"
            return
        if int(classes.min()) < -1 or int(classes.max()) >= len(table):
            yield f"{where}, street {street + 1}: a class is not in the table"
            return
        if int(table.min()) < 0 or int(table.max()) > strategy.denominator:  # so no sum of weights exceeds int64
            yield f"{where}, street {street + 1}: a weight is negative, or greater than the denominator"
            return
    possible = (rules.deal.apart if strategy.player == 0 else rules.deal.apart.T).any(axis=1)
    for street, table in enumerate(strategy.weight):
        own = [n for n in player.first if nodes[n].street == street]
        for state in rules.deal.states(street):
            limits.tick()
            dealt = [DECK[card] for card in rules.deal.cards_of(state)]
            held, classes = possible & rules.deal.free(strategy.player, state), player.classes(street, state)
            if (classes[held] < 0).any():
                yield f"{where}{f', after the card {dealt[-1]}' if dealt else ''}: a hand has no class"
                return
            before, after = player.plan(own, state), table[classes, :, 0].T
            wrong = (np.add.reduceat(after, [player.first[n] for n in own]) != before) & held
            fault = "do not sum to the weight of the move before"
            if not wrong.any():
                fault = "are not as locked"
                for k, n in enumerate(own):
                    shares = rules.locks.at(n, state)
                    if shares is not None:
                        whole, rest = np.divmod(before[k], rules.locks.units[n])
                        here = after[player.first[n] : player.first[n] + len(nodes[n].actions)]
                        wrong[k] = ((rest != 0) | (here != shares.T * whole).any(axis=0)) & held & (shares[:, 0] >= 0)
            if wrong.any():
                k = int(wrong.any(axis=1).argmax())
                hand = rules.name_of(strategy.player, int(wrong[k].argmax()))
                moves = ", ".join(moves_before(rules.tree, rules.deal, own[k], state)) or "no move"
                yield (
                    f"{where}: hand {hand}, after {moves}: the weights of the actions {fault} "
                    f"({wrong[k].sum():,} such hands)"
                )
                return


def exact(number: Any) -> int | Fraction:
    """Return an element of an array as an integer of Python or a fraction."""
    return number if isinstance(number, Fraction) else int(number)


class _Nodes(NamedTuple):
    """Some nodes of a street, and the leaves whose values are computed in this street."""

    here: list[int]
    runs: list[int]  # the nodes up to this street after which all chips are bet before the river
    leaves: list[int]
    factors: IntArray  # [leaves, 3]: what the player earns from weaker, stronger and equal hands


class Pass:
    """The values of one player's hands against the other player's plan."""

    def __init__(self, rules: HoldemGame, own: Plan, other: Plan, stakes: _Stakes, limits: Limits) -> None:
        self._rules, self._own, self._other, self._stakes, self._limits = rules, own, other, stakes, limits
        self._dtype = other.weights.dtype
        number = np.full((52, 52), len(other.cards))
        number[other.cards[:, 0], other.cards[:, 1]] = np.arange(len(other.cards))
        self._same = number[own.cards[:, 0], own.cards[:, 1]]
        self._value = 0

    def values(self) -> tuple[int, int]:
        """Return the value of the player's plan and the value of a best response, as whole numbers."""
        nodes = self._rules.tree.nodes
        best: dict[int, IntArray] = {}
        for some, state, found, values in self.streets(0, -1, range(len(nodes)), self.best):
            self._earn({n: found[n] for n in some if not nodes[n].child}, state)
            best = values
        return self._value, self._total(best[0])  # the first street comes last

    def pairs(self) -> int:
        """Return the sum of the weights of all pairs of hands without a common card."""
        (apart,) = self.apart(self._other.weights[None])
        return sum(weight * met for weight, met in zip(self._own.weights.tolist(), apart.tolist(), strict=True))

    def streets(
        self, street: int, state: int, below: Sequence[int], above: Above
    ) -> Generator[Street, None, dict[int, Any]]:  # fmt: skip
        """Yield the nodes of one street, the state, and the values of leaves and of all these nodes.

        Later streets come first, for each state that begins with ``state``. Only the nodes ``below``, in ascending
        order, count. Values are sums over all deals of the missing cards. ``above`` computes the values of the nodes of
        a street from those of the leaves.

        Returns
        -------
        dict
            The values of the nodes of the street ``street``, and of earlier nodes after which all chips are bet.
        """
        lists = {k: self._nodes(k, below) for k in range(street, self._rules.streets)}
        return (yield from self._walk(street, state, lists, above))

    def _walk(
        self, street: int, state: int, lists: dict[int, _Nodes], above: Above
    ) -> Generator[Street, None, dict[int, Any]]:  # fmt: skip
        nodes, deal, some = self._rules.tree.nodes, self._rules.deal, lists[street].here
        found = self._leaf_values(lists[street], state)
        if street == self._rules.streets - 1:
            self._limits.tick()
        else:
            later: dict[int, Any] = dict.fromkeys(
                [*lists[street].runs, *(n for n in some if nodes[n].kind == End.DEAL)], 0
            )
            for after in deal.states_after(state) if later else ():
                best = yield from self._walk(street + 1, after, lists, above)
                for n in later:
                    later[n] = later[n] + best[nodes[n].child[0] if nodes[n].kind == End.DEAL else n]
            found |= later
        best = above(some, found, state)
        if some:
            yield some, state, found, best
        return best

    def _nodes(self, street: int, below: Sequence[int]) -> _Nodes:
        nodes, stakes, me = self._rules.tree.nodes, self._stakes, self._own.player
        here = [n for n in below if nodes[n].street == street]
        runs = [n for n in below if nodes[n].street <= street and nodes[n].kind == End.RUN_OUT]
        leaves = [n for n in here if nodes[n].kind in (End.FOLD, End.SHOWDOWN)]
        if street == self._rules.streets - 1:
            leaves = [*(n for n in runs if nodes[n].street < street), *leaves, *(n for n in here if n in {*runs})]
        factors = np.stack([stakes.won[leaves], -stakes.lost[leaves], -stakes.tied[leaves]], axis=1)
        for k, n in enumerate(leaves):
            if nodes[n].kind == End.FOLD:
                factors[k] = -stakes.lost[n] if nodes[nodes[n].parent].kind == me else stakes.won[n]
        return _Nodes(here, runs, leaves, factors)

    def _leaf_values(self, some: _Nodes, state: int) -> dict[int, Any]:
        """Return the values of leaves, summed over the opponent's hands and the missing cards: [own hands] for each.

        If the board is not complete, all leaves are folds.
        """
        y, times = self.weights(some.leaves, state), self._rules.deal.run_outs(len(self._rules.deal.cards_of(state)))
        scores = self._own.ranked(state), self._other.ranked(state)
        return dict(zip(some.leaves, self._sums(y, scores, some.factors) * times, strict=True))

    def _sums(self, y: Whole, ranked: tuple[Ranked, Ranked], factors: IntArray) -> Whole:
        """Sum ``y`` over the other player's hands with the factors for weaker, stronger and equal hands.

        Parameters
        ----------
        y : array of int64 or Python integers [n, other hands]
        ranked : pair of pairs
            The scores and the order of the own hands, and of the other player's hands.
        factors : int64 array [n, 3]

        Returns
        -------
        array of the type of ``y`` [n, own hands]
        """
        from tremble.poker.holdem.check_kernel import leaf_values

        mine, theirs = ranked
        found = np.zeros((len(y), len(self._own.cards)), dtype=np.int64)
        if y.dtype != object:
            cards = self._own.cards, self._other.cards
            leaf_values(y, cards, (mine[0], theirs[0]), (mine[1], theirs[1]), factors, self._same, found)
            return found
        total, shift = found.astype(object), 0
        while y.any():
            part = (y & (2**_PART - 1)).astype(np.int64)
            for k, unit in enumerate(np.eye(3, dtype=np.int64)):
                sums = self._sums(part, ranked, np.broadcast_to(unit, factors.shape).copy())
                total += sums.astype(object) * factors[:, k, None] << shift
            y, shift = y >> _PART, shift + _PART
        return total

    def _total(self, worth: IntArray) -> Any:
        return sum(exact(v) * int(w) for v, w in zip(worth, self._own.weights, strict=True))

    def _earn(self, found: dict[int, IntArray], state: int) -> None:
        """Add what the player's own plan earns at leaves."""
        from tremble.poker.check_kernel import product_sums

        worth = np.array(list(found.values()), dtype=self._dtype).reshape(len(found), len(self._own.cards))
        plan = self._own.plan(list(found), state) * self._own.weights
        if self._dtype.kind == "O":
            self._value += int((worth * plan).sum())
            return
        pieces = np.zeros(4, dtype=np.int64)
        product_sums(worth, np.arange(len(worth)), plan, pieces)
        self._value += sum(piece << 31 * k for k, piece in enumerate(pieces.tolist()))

    def best(self, some: list[int], found: dict[int, IntArray], state: int) -> dict[int, IntArray]:
        """Return the values of nodes, given in ascending order, from the values of the leaves after them."""
        nodes, locks, best = self._rules.tree.nodes, self._rules.locks, dict(found)
        for n in reversed(some):
            if nodes[n].kind >= 2:
                continue
            after = [best[child] for child in nodes[n].child]
            best[n] = reduce(np.maximum if nodes[n].kind == self._own.player else np.add, after)
            if nodes[n].kind == self._own.player and n in locks.units:
                best[n] = self._drawn(n, state, after, best[n])
        return best

    def _drawn(self, n: int, state: int, after: list[IntArray], best: IntArray) -> Any:
        """Replace the values ``best`` of locked hands at a node by the means of the values of the actions."""
        shares, unit = self._rules.locks.at(n, state), self._rules.locks.units[n]
        if shares is None:
            return best
        found = best.astype(object)
        shares = shares[self._own.hands]
        for hand in np.flatnonzero(shares[:, 0] >= 0).tolist():
            pairs = zip(shares[hand].tolist(), after, strict=True)
            found[hand] = sum((Fraction(share, unit) * exact(worth[hand]) for share, worth in pairs), Fraction(0))
        return found

    def weights(self, leaves: list[int], state: int) -> Whole:
        """Return the other player's plan times weights at leaves [leaves, hands], 0 for hands with a public card."""
        found: Whole = self._other.plan(leaves, state) * (
            self._other.weights * self._rules.deal.free(self._other.player, state)
        )
        return found

    def apart(self, y: Whole) -> Whole:
        """Return the sums of ``y`` over the hands that share no card with each own hand: [n, own hands]."""
        alike = [
            (np.zeros(len(side.cards), dtype=np.int64), np.arange(len(side.cards))) for side in (self._own, self._other)
        ]
        return self._sums(y, (alike[0], alike[1]), np.ones((len(y), 3), dtype=np.int64))
