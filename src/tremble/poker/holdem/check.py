r"""Exact values of strategies in Hold'em from the turn or the river on, at the level of single hands.

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
running sum over the hands in ascending strength. With a rake r, a player who wins earns s - r, and players who tie lose
r / 2 each. After a fold, all hands without a common card count.

A best response chooses at each own decision the action with the greatest sum of later values. The player sees the own
hand, the moves and the river card, and has perfect recall. So the sum of the values of all hands, each times its
weight, is the most that any strategy can earn.

At a locked decision, a hand acts with frequencies n_a / D instead of a choice (`locks`). A best response follows these
frequencies, too: the value of such a hand is the sum of n_a / D times the value of action a. These sums, and the values
of nodes before a locked decision, are fractions.

Each pair of hands leaves 44 river cards. The module sums values over the river cards, and multiplies the payoffs after
folds on the turn by 44. All other numbers are int64. If a bound shows that int64 is not enough for a game with locked
hands, they are integers of Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.check.best_response import Outcome
from tremble.check.claim import Claim
from tremble.check.limits import Limits
from tremble.game.rules import UnbuiltGame
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.games.poker_hands import hand_scores
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.deal import RUN_OUTS
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.strategy import OrderedStrategy

__all__ = ["Pass", "Plan", "exact", "is_short", "outcome_of_holdem", "plan_faults", "stakes_of"]

IntArray = NDArray[np.int64]

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
    deals = RUN_OUTS if rules.streets == 2 else 1
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
        value, best = Pass(rules, own, other, stakes, limits).values()
        whole = _pairs(players) * other.strategy.denominator * deals * stakes.unit
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
    arrays = [np.array([int(number * unit) for number in each]) for each in (won, lost, tied)]
    return _Stakes(unit, arrays[0], arrays[1], arrays[2])


def is_short(strategies: Sequence[object]) -> bool:
    """Return False for strategies with numbers that are too long for this module."""
    return not any(
        isinstance(side, OrderedStrategy)
        and (side.denominator > _LARGEST or any(table.dtype != np.int64 for table in side.weight))
        for side in strategies
    )


def _pairs(players: list[Plan]) -> int:
    """Return the sum of the weights of all pairs of hands without a common card."""
    total = 0
    first, second = players
    for pair, weight in zip(first.cards, first.weights.tolist(), strict=True):
        apart = (second.cards[:, :, None] != pair).all(axis=(1, 2))
        total += weight * int(second.weights[apart].sum())
    return total


class Plan:
    """A player's hands, or some of them (a slice or numbers), and the plan of the player's strategy."""

    def __init__(
        self, rules: HoldemGame, player: int, strategy: OrderedStrategy, hands: slice | list[int] = _ALL
    ) -> None:
        self.player, self.strategy, self._nodes = player, strategy, rules.tree.nodes
        self.cards, self.weights = rules.deal.cards[player][hands], rules.deal.weights[player][hands]
        self.hands = np.arange(len(rules.deal.cards[player]))[hands]
        left = [card for card in range(52) if card not in rules.deal.board]
        low, high = (np.searchsorted(left, self.cards[:, k]) for k in (0, 1))
        self._own = high * (high - 1) // 2 + low
        self.num_hands = len(left) * (len(left) - 1) // 2
        self.num_rows, self._street, self._row = [0] * rules.streets, [-1], [-1]
        first = {}
        for n, node in enumerate(self._nodes):
            if node.kind == player:
                first[n] = self.num_rows[node.street]
                self.num_rows[node.street] += len(node.actions)
            if n and node.parent in first:  # the player has chosen the action that leads to this node
                self._street.append(self._nodes[node.parent].street)
                self._row.append(first[node.parent] + self._nodes[node.parent].child.index(n))
            elif n:
                self._street.append(self._street[node.parent])
                self._row.append(self._row[node.parent])

    def number_of(self, cards: IntArray) -> IntArray:
        """Return the numbers of hands with given cards; -1 for hands that are not in the range."""
        number = np.full((52, 52), -1)
        number[self.cards[:, 0], self.cards[:, 1]] = np.arange(len(self.cards))
        found: IntArray = number[cards[:, 0], cards[:, 1]]
        return found

    def classes(self, street: int, river: int) -> IntArray:
        """Return the class of each hand in a street; -1 if it has none."""
        known = self.strategy.class_of[street]
        found: IntArray = known[self._own + (river * self.num_hands if street else 0)]
        return found

    def plan(self, some: Sequence[int], river: int) -> IntArray:
        """Return the weight of each hand's last own move before some nodes, [nodes, hands]."""
        street, row = np.array(self._street)[list(some)], np.array(self._row)[list(some)]
        found = np.full((len(some), len(self.cards)), self.strategy.denominator)
        for k, table in enumerate(self.strategy.weight):
            here = np.flatnonzero(street == k)
            if len(here):
                found[here] = table[self.classes(k, river)[:, None], row[here], 0].T
        return found


def plan_faults(rules: HoldemGame, strategy: OrderedStrategy, limits: Limits) -> Iterator[str]:
    """Yield the reasons why a strategy is not a realization plan of the game."""
    where = f"strategies[{strategy.player}]"
    player, nodes = Plan(rules, strategy.player, strategy), rules.tree.nodes
    rivers = rules.deal.rivers.tolist()
    if len(strategy.class_of) != rules.streets or len(strategy.weight) != rules.streets:
        yield f"{where}: expected tables for {rules.streets} streets"
        return
    if not 1 <= strategy.denominator <= _LARGEST:
        yield f"{where}: expected a denominator from 1 to 2^50, found {strategy.denominator:.60g}"
        return
    for street, (classes, table) in enumerate(zip(strategy.class_of, strategy.weight, strict=True)):
        shape = (len(table), player.num_rows[street], 1)
        states = len(rivers) if street else 1
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
    dealt = (rules.deal.apart if strategy.player == 0 else rules.deal.apart.T).any(axis=1)
    for river, card in enumerate(rivers):
        limits.tick()
        free = (player.cards != card).all(axis=1)
        if any((player.classes(street, river)[free & dealt] < 0).any() for street in range(rules.streets)):
            yield f"{where}{f', after the river card {DECK[card]}' if card >= 0 else ''}: a hand has no class"
            return
        for n, node in enumerate(nodes):
            if node.kind != strategy.player or (river and node.street < rules.streets - 1):
                continue
            late = node.street == rules.streets - 1
            held = free if late else np.ones(len(free), dtype=np.bool_)
            before, *after = player.plan([n, *node.child], river)
            wrong, fault = (sum(after) != before) & held, "do not sum to the weight of the move before"
            shares = rules.locks.at(n, river if late else -1)
            if shares is not None and not wrong.any():
                whole, rest = np.divmod(before, rules.locks.units[n])
                wrong, fault = (
                    (rest != 0) | (np.stack(after, axis=1) != shares * whole[:, None]).any(axis=1),
                    "are not as locked",
                )
                wrong &= held & (shares[:, 0] >= 0)
            if wrong.any():
                hand = rules.name_of(strategy.player, int(wrong.argmax()))
                yield (
                    f"{where}: hand {hand}, after {', '.join(sum(rules.tree.lines[n], ())) or 'no move'}"
                    f"{f' and the river card {DECK[card]}' if card >= 0 else ''}: the weights of the actions {fault} "
                    f"({wrong.sum():,} such hands)"
                )
                return


def _scores(cards: IntArray, known: IntArray) -> IntArray:
    """Return the score of each hand with the public cards; 0 for a hand that contains one of them."""
    free = (cards[:, :, None] != known).all(axis=(1, 2))
    found = np.zeros(len(cards), dtype=np.int64)
    found[free] = hand_scores(np.concatenate([cards[free], np.broadcast_to(known, (free.sum(), 5))], axis=1))
    return found


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
        self._same = other.number_of(own.cards)
        self._value = 0

    def values(self) -> tuple[int, int]:
        """Return the value of the player's plan and the value of a best response, as whole numbers."""
        rules, nodes = self._rules, self._rules.tree.nodes
        last = rules.streets - 1
        late = [n for n, node in enumerate(nodes) if node.street == last]
        at = {
            n: np.zeros(len(self._own.cards), dtype=np.int64)
            for n, node in enumerate(nodes)
            if node.kind in (End.DEAL, End.RUN_OUT)
        }
        for river in range(len(rules.deal.rivers)):
            self._limits.tick()
            runs = [n for n, node in enumerate(nodes) if node.kind == End.RUN_OUT]
            found = self.leaves([*runs, *late], river)
            self._earn(found, river)
            best = self.best(late, found, river)
            if not last:
                return self._value, self._total(best[0])
            for n in at:
                at[n] = at[n] + (found[n] if nodes[n].kind == End.RUN_OUT else best[nodes[n].child[0]])
        early = [n for n, node in enumerate(nodes) if node.street < last]
        found = self.leaves(early, -1)
        self._earn(found, -1)
        best = self.best(early, found | at, -1)
        return self._value, self._total(best[0])

    def leaves(self, some: Sequence[int], river: int) -> dict[int, IntArray]:
        """Return the values of all leaves among some nodes, summed over the opponent's hands: [own hands] for each.

        The river card is dealt, or ``river`` is -1 and leaves on the turn are folds, whose values count 44 river cards.
        """
        nodes = self._rules.tree.nodes
        times = RUN_OUTS if river < 0 and self._rules.streets > 1 else 1
        shows = [n for n in some if nodes[n].kind in (End.SHOWDOWN, End.RUN_OUT)] if river >= 0 else []
        folds = [n for n in some if nodes[n].kind == End.FOLD]
        found = dict(zip(shows, self._showdowns(shows, river), strict=True)) if shows else {}
        found.update((n, worth * times) for n, worth in zip(folds, self._folds(folds, river), strict=True))
        return found

    def _total(self, worth: IntArray) -> Any:
        return sum(exact(v) * int(w) for v, w in zip(worth, self._own.weights, strict=True))

    def _earn(self, found: dict[int, IntArray], river: int) -> None:
        """Add what the player's own plan earns at leaves."""
        worth = np.array(list(found.values()), dtype=self._dtype).reshape(len(found), -1)
        plan = self._own.plan(list(found), river) * self._own.weights
        if self._dtype.kind == "O":
            self._value += int((worth * plan).sum())
            return
        for k, part in enumerate(_parts(worth)):
            for j, other in enumerate(_parts(plan)):
                self._value += sum((part * other).sum(axis=1).tolist()) << (_PART * (k + j))

    def best(self, some: list[int], found: dict[int, IntArray], river: int) -> dict[int, IntArray]:
        """Return the values of nodes, given in ascending order, from the values of the leaves after them."""
        nodes, locks, best = self._rules.tree.nodes, self._rules.locks, dict(found)
        for n in reversed(some):
            if nodes[n].kind >= 2:
                continue
            after = [best[child] for child in nodes[n].child]
            best[n] = (np.maximum if nodes[n].kind == self._own.player else np.add).reduce(after)
            if nodes[n].kind == self._own.player and n in locks.units:
                best[n] = self._drawn(n, river, after, best[n])
        return best

    def _drawn(self, n: int, river: int, after: list[IntArray], best: IntArray) -> Any:
        """Replace the values ``best`` of locked hands at a node by the means of the values of the actions."""
        shares, unit = self._rules.locks.at(n, river), self._rules.locks.units[n]
        if shares is None:
            return best
        found = best.astype(object)
        shares = shares[self._own.hands]
        for hand in np.flatnonzero(shares[:, 0] >= 0).tolist():
            pairs = zip(shares[hand].tolist(), after, strict=True)
            found[hand] = sum((Fraction(share, unit) * exact(worth[hand]) for share, worth in pairs), Fraction(0))
        return found

    def weights(self, leaves: list[int], river: int) -> IntArray:
        """Return the other player's plan times weights at leaves [leaves, hands], 0 for hands with the river card."""
        free = (self._other.cards != self._rules.deal.rivers[river]).all(axis=1) if river >= 0 else 1
        plan = self._other.plan(leaves, river)
        return plan * self._other.weights * free

    def apart(self, y: IntArray) -> IntArray:
        """Return the sums of ``y`` over the hands that share no card with each own hand: [leaves, own hands]."""
        own, other = self._own.cards, self._other.cards
        with_card = np.stack([y[:, (other == card).any(axis=1)].sum(axis=1) for card in range(52)], axis=1)
        same = np.where(self._same >= 0, y[:, self._same], 0)
        found: IntArray = y.sum(axis=1)[:, None] - with_card[:, own[:, 0]] - with_card[:, own[:, 1]] + same
        return found

    def _free(self, river: int) -> NDArray[np.bool_]:
        """Return True for own hands without the river card."""
        card = self._rules.deal.rivers[river] if river >= 0 else -1
        found: NDArray[np.bool_] = (self._own.cards != card).all(axis=1)
        return found

    def _folds(self, leaves: list[int], river: int) -> list[IntArray]:
        nodes, stakes = self._rules.tree.nodes, self._stakes
        apart = self.apart(self.weights(leaves, river)) * self._free(river)
        folded = [nodes[nodes[n].parent].kind == self._own.player for n in leaves]
        factors = [-stakes.lost[n] if mine else stakes.won[n] for n, mine in zip(leaves, folded, strict=True)]
        return [factor * row for factor, row in zip(factors, apart, strict=True)]

    def _showdowns(self, leaves: list[int], river: int) -> list[IntArray]:
        rules, own, other, stakes = self._rules, self._own.cards, self._other.cards, self._stakes
        card = int(rules.deal.rivers[river])
        known = np.array([*rules.deal.board, *([card] if card >= 0 else [])])
        mine, theirs = (_scores(cards, known) for cards in (own, other))
        y = self.weights(leaves, river)
        order = np.argsort(theirs, kind="stable")
        weaker, stronger = self._running(y, order, theirs, mine)
        for k in (0, 1):
            for held in range(52):
                has = own[:, k] == held
                if has.any():
                    some = order[(other[order] == held).any(axis=1)]
                    below, above = self._running(y, some, theirs, mine[has])
                    weaker[:, has] -= below
                    stronger[:, has] -= above
        worth = weaker * stakes.won[leaves, None] - stronger * stakes.lost[leaves, None]
        if stakes.tied.any():
            worth -= (self.apart(y) - weaker - stronger) * stakes.tied[leaves, None]
        return list(worth * self._free(river))

    @staticmethod
    def _running(y: IntArray, order: IntArray, theirs: IntArray, mine: IntArray) -> tuple[IntArray, IntArray]:
        """Return sums of ``y`` over the weaker, and the stronger, hands of ``order``, for each score of ``mine``."""
        sums = np.zeros((len(y), len(order) + 1), dtype=y.dtype)
        np.cumsum(y[:, order], axis=1, out=sums[:, 1:])
        scores = theirs[order]
        below = sums[:, np.searchsorted(scores, mine, side="left")]
        above = sums[:, -1:] - sums[:, np.searchsorted(scores, mine, side="right")]
        return below, above
