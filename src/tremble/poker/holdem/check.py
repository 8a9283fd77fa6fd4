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
that is weaker has both cards, because this is hand i itself. Each of the three sums is a difference of two entries of a
running sum over the hands in ascending strength. With a rake r, a player who wins earns s - r, and players who tie
lose r / 2 each. After a fold, all hands without a common card count.

A best response chooses at each own decision the action with the greatest sum of later values. The player sees the own
hand, the moves and the public cards, and has perfect recall. So the sum of the values of all hands, each times its
weight, is the most that any strategy can earn.

At a locked decision, a hand acts with frequencies n_a / D instead of a choice (`locks`). A best response follows these
frequencies, too: the value of such a hand is the sum of n_a / D times the value of action a. These sums, and the values
of nodes before a locked decision, are fractions.

Each pair of hands leaves 44 river cards after a turn, and 45 turn cards after a flop. The module sums values over the
cards that are dealt, and multiplies the payoffs after a fold by the number of ways to deal the missing cards. All other
numbers are int64. If a bound shows that int64 is not enough for a game with locked hands, they are integers of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.check.best_response import Outcome
from tremble.check.claim import Claim
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
    "exact",
    "is_short",
    "outcome_of_holdem",
    "plan_faults",
    "stakes_of",
]

IntArray = NDArray[np.int64]
Above = Callable[[list[int], dict[int, Any], int], dict[int, Any]]
Street = tuple[list[int], int, dict[int, Any], dict[int, Any]]

_BOARD = 5  # cards on a complete board
_ALL_HANDS = 52  # the number of the group of all hands, after the groups of hands with each card
_SCORE = 32  # bits of a score
_MOST_BITS = 62
_LARGEST = 2**50  # denominator of a strategy
_ALL = slice(None)
_PART = 24  # bits of a part of a number: the sum of the products of 2^14 pairs of parts fits into int64


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
    lost = [rules.betting.pot / 2 + chips for chips in paid]
    tied = [rules.raked(chips) / 2 for chips in paid]
    won = [loss - 2 * half for loss, half in zip(lost, tied, strict=True)]
    unit = lcm(*(number.denominator for number in (*lost, *tied, *won)))
    if max(lost) * unit >= 2**_MOST_BITS:
        raise GameError(
            f"the chips, or the rake, have too many digits: with a unit of 1/{unit:,} chips they need more than 62 bits"
        )
    arrays = [np.array([int(number * unit) for number in each]) for each in (won, lost, tied)]
    return _Stakes(unit, arrays[0], arrays[1], arrays[2])


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
        self._scores: dict[tuple[int, ...], IntArray] = {}
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

    def scores(self, state: int) -> IntArray:
        """Return the score of each hand on a complete board; 0 for a hand that contains a public card."""
        known = sorted([*self._deal.board, *self._deal.cards_of(state)])
        found = self._scores.get(tuple(known))
        if found is None:
            free = (self.cards[:, :, None] != np.array(known)).all(axis=(1, 2))
            found = np.zeros(len(self.cards), dtype=np.int64)
            public = np.broadcast_to(np.array(known), (free.sum(), _BOARD))
            found[free] = hand_scores(np.concatenate([self.cards[free], public], axis=1))
            self._scores[tuple(known)] = found
        return found

    def plan(self, some: Sequence[int], state: int) -> IntArray:
        """Return the weight of each hand's last own move before some nodes, [nodes, hands]."""
        street, row = self._street[list(some)], self._row[list(some)]
        found = np.full((len(some), len(self.cards)), self.strategy.denominator)
        for k, table in enumerate(self.strategy.weight):
            here = np.flatnonzero(street == k)
            if len(here):
                found[here] = table[self.classes(k, state), :, 0].T[row[here]]
        return found


def plan_faults(rules: HoldemGame, strategy: OrderedStrategy, limits: Limits) -> Iterator[str]:
    """Yield the reasons why a strategy is not a realization plan of the game."""
    where = f"strategies[{strategy.player}]"
    player, nodes = Plan(rules, strategy.player, strategy), rules.tree.nodes
    if len(strategy.class_of) != rules.streets or len(strategy.weight) != rules.streets:
        yield f"{where}: expected tables for {rules.streets} streets"
        return
    if type(strategy.denominator) is not int or not 1 <= strategy.denominator <= _LARGEST:
        yield f"{where}: expected a denominator from 1 to 2^50, found {strategy.denominator!r:.60}"
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


def _parts(numbers: IntArray) -> list[IntArray]:
    """Split numbers of at most 62 bits and a sign into three parts. The first has the lowest bits."""
    low = 2**_PART - 1
    return [numbers & low, (numbers >> _PART) & low, numbers >> (2 * _PART)]


class Pass:
    """The values of one player's hands against the other player's plan."""

    def __init__(self, rules: HoldemGame, own: Plan, other: Plan, stakes: _Stakes, limits: Limits) -> None:
        self._rules, self._own, self._other, self._stakes, self._limits = rules, own, other, stakes, limits
        self._dtype = other.weights.dtype
        # The other player's hands in groups: those with each card, and all of them as a last group.
        held, everyone = other.cards, np.full(len(other.cards), _ALL_HANDS)
        self._group, self._member = np.concatenate([*held.T, everyone]), np.tile(np.arange(len(held)), 3)
        number = np.full((52, 52), -1)
        number[held[:, 0], held[:, 1]] = np.arange(len(held))
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
        nodes, deal = self._rules.tree.nodes, self._rules.deal
        some = [n for n in below if nodes[n].street == street]
        runs = [n for n in below if nodes[n].street <= street and nodes[n].kind == End.RUN_OUT]
        if street == self._rules.streets - 1:
            self._limits.tick()
            found = self.leaves([*runs, *some], state)
        else:
            later: dict[int, Any] = dict.fromkeys([*runs, *(n for n in some if nodes[n].kind == End.DEAL)], 0)
            for after in deal.states_after(state) if later else ():
                best = yield from self.streets(street + 1, after, below, above)
                for n in later:
                    later[n] = later[n] + best[nodes[n].child[0] if nodes[n].kind == End.DEAL else n]
            found = self.leaves(some, state) | later
        best = above(some, found, state)
        if some:
            yield some, state, found, best
        return best

    def leaves(self, some: Sequence[int], state: int) -> dict[int, IntArray]:
        """Return the values of all leaves among some nodes, summed over the opponent's hands: [own hands] for each.

        If the board is not complete, all leaves are folds. Their values count each deal of the missing cards.
        """
        nodes, deal = self._rules.tree.nodes, self._rules.deal
        times = deal.run_outs(len(deal.cards_of(state)))
        complete = len(deal.board) + len(deal.cards_of(state)) == _BOARD
        shows = [n for n in some if nodes[n].kind in (End.SHOWDOWN, End.RUN_OUT)] if complete else []
        folds = [n for n in some if nodes[n].kind == End.FOLD]
        found = dict(zip(shows, self._showdowns(shows, state), strict=True)) if shows else {}
        found.update((n, worth * times) for n, worth in zip(folds, self._folds(folds, state), strict=True))
        return found

    def _total(self, worth: IntArray) -> Any:
        return sum(exact(v) * int(w) for v, w in zip(worth, self._own.weights, strict=True))

    def _earn(self, found: dict[int, IntArray], state: int) -> None:
        """Add what the player's own plan earns at leaves."""
        worth = np.array(list(found.values()), dtype=self._dtype).reshape(len(found), len(self._own.cards))
        plan = self._own.plan(list(found), state) * self._own.weights
        if self._dtype.kind == "O":
            self._value += int((worth * plan).sum())
            return
        for k, part in enumerate(_parts(worth)):
            for j, other in enumerate(_parts(plan)):
                self._value += sum((part * other).sum(axis=1).tolist()) << (_PART * (k + j))

    def best(self, some: list[int], found: dict[int, IntArray], state: int) -> dict[int, IntArray]:
        """Return the values of nodes, given in ascending order, from the values of the leaves after them."""
        nodes, locks, best = self._rules.tree.nodes, self._rules.locks, dict(found)
        for n in reversed(some):
            if nodes[n].kind >= 2:
                continue
            after = [best[child] for child in nodes[n].child]
            best[n] = (np.maximum if nodes[n].kind == self._own.player else np.add).reduce(after)
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

    def weights(self, leaves: list[int], state: int) -> IntArray:
        """Return the other player's plan times weights at leaves [leaves, hands], 0 for hands with a public card."""
        free = self._rules.deal.free(self._other.player, state)
        return self._other.plan(leaves, state) * self._other.weights * free

    def apart(self, y: IntArray) -> IntArray:
        """Return the sums of ``y`` over the hands that share no card with each own hand: [leaves, own hands]."""
        nothing = np.zeros(len(self._own.cards), dtype=np.int64)
        _, found = self._weaker_and_stronger(y, nothing - 1, np.zeros(len(self._other.cards), dtype=np.int64))
        return found + np.where(self._same >= 0, y[:, self._same], 0)  # the same hand has been subtracted twice

    def _weaker_and_stronger(self, y: IntArray, mine: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray]:
        """Return the sums of ``y`` over the weaker, and the stronger, hands that share no card with each own hand.

        ``mine`` and ``theirs`` are the scores, from -1 on.
        """
        keys = (self._group << _SCORE) + theirs[self._member]  # sorted by group, then by score
        order = np.argsort(keys, kind="stable")
        keys, sums = keys[order], np.zeros((len(y), len(order) + 1), dtype=y.dtype)
        np.cumsum(y[:, self._member[order]], axis=1, out=sums[:, 1:])

        def up_to(keys_of_hands: IntArray, side: Literal["left", "right"]) -> IntArray:
            found: IntArray = sums[:, np.searchsorted(keys, keys_of_hands, side=side)]
            return found

        def of_group(group: IntArray) -> tuple[IntArray, IntArray]:
            first, here, last = group << _SCORE, (group << _SCORE) + mine, (group + 1) << _SCORE
            return up_to(here, "left") - up_to(first, "left"), up_to(last, "left") - up_to(here, "right")

        weaker, stronger = of_group(np.full(len(mine), _ALL_HANDS))
        for k in (0, 1):
            below, above = of_group(self._own.cards[:, k])
            weaker, stronger = weaker - below, stronger - above
        return weaker, stronger

    def _free(self, state: int) -> NDArray[np.bool_]:
        """Return True for own hands without a public card."""
        return self._rules.deal.free(self._own.player, state)[self._own.hands]

    def _folds(self, leaves: list[int], state: int) -> list[IntArray]:
        nodes, stakes = self._rules.tree.nodes, self._stakes
        apart = self.apart(self.weights(leaves, state)) * self._free(state)
        folded = [nodes[nodes[n].parent].kind == self._own.player for n in leaves]
        factors = [-stakes.lost[n] if mine else stakes.won[n] for n, mine in zip(leaves, folded, strict=True)]
        return [factor * row for factor, row in zip(factors, apart, strict=True)]

    def _showdowns(self, leaves: list[int], state: int) -> list[IntArray]:
        mine, theirs, stakes = self._own.scores(state), self._other.scores(state), self._stakes
        y = self.weights(leaves, state)
        weaker, stronger = self._weaker_and_stronger(y, mine, theirs)
        worth = weaker * stakes.won[leaves, None] - stronger * stakes.lost[leaves, None]
        if stakes.tied.any():
            worth -= (self.apart(y) - weaker - stronger) * stakes.tied[leaves, None]
        return list(worth * self._free(state))
