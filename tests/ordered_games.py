"""Small ordered games, written by hand, and the tree of what a filter leaves of one."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import tremble
from tremble import BehaviorStrategy, GameTree
from tremble.game.strategy import Profile, RealizationPlan
from tremble.game.tree_arrays import integer_array, pair
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.deals import Deals
from tremble.poker.filter import Filter
from tremble.poker.filtered_rules import FilteredRules
from tremble.poker.game import History, OrderedGame, Round, Signals
from tremble.poker.games.betting import limit_betting, limit_payoff
from tremble.poker.stage import Line
from tremble.poker.strategy import OrderedStrategy


class LeducCards(OrderedGame):
    """Leduc poker with all six cards."""

    signals = ("J1", "J2", "Q1", "Q2", "K1", "K2")
    rounds = (Round(limit_betting(2), private=1), Round(limit_betting(2), public=1))

    def strength(self, public: Signals, private: Signals) -> int:
        paired = bool(public) and private[0] // 2 == public[0] // 2
        return private[0] // 2 + 3 * paired

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        return limit_payoff(lines, ranks, 1, (2, 4))


class KuhnCards(OrderedGame):
    """Kuhn poker."""

    signals: tuple[str, ...] = ("J", "Q", "K")
    rounds = (Round(limit_betting(1), private=1),)

    def strength(self, public: Signals, private: Signals) -> int:
        return private[0]

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        return limit_payoff(lines, ranks, 1, (1,))


class JackKing(KuhnCards):
    """The four cards of the paper."""

    signals = ("J1", "J2", "K1", "K2")

    def strength(self, public: Signals, private: Signals) -> int:
        return private[0] // 2


class RandomCards(OrderedGame):
    """Hands of random strength; a tie is won by player 1, player 2 or nobody."""

    signals: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()

    def __init__(self, seed: int, signals: int, deals: tuple[tuple[int, int], ...], tie: int = 0) -> None:
        self.signals = tuple(f"s{i}" for i in range(signals))
        self.rounds = tuple(Round(limit_betting(1), public, private) for public, private in deals)
        self._tie = tie
        self._random = random.Random(seed)
        self._strength: dict[tuple[Signals, Signals], int] = {}

    def strength(self, public: Signals, private: Signals) -> int:
        return self._strength.setdefault((public, private), self._random.randrange(3))

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        if lines[-1][-1] != "fold" and ranks[0] == ranks[1]:
            ranks = {0: (0, 0), 1: (1, 0), -1: (0, 1)}[self._tie]
        return limit_payoff(lines, ranks, 1, (1,) * len(lines))


class Told:
    """The rules of an ordered game where players are told the classes of a filter instead of their signals."""

    def __init__(self, game: OrderedGame, filter_: Filter) -> None:
        self._game, self._filter = game, filter_
        self._node = [
            {
                (tuple(seen), tuple(hand)): b * deals.num_hands + i
                for b, (seen, hands) in enumerate(zip(deals.public.tolist(), deals.hands.tolist(), strict=True))
                for i, hand in enumerate(hands)
            }
            for deals in Deals.of(game).rounds
        ]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def infoset(self, h: History) -> tuple[int, int, tuple[int, ...]]:
        mover = self._game.player(h)
        node = self._node[h.round][h.public, h.private[mover]]
        return h.round, int(self._filter.class_of[mover][h.round][node]), h.nodes


class TwoOrders(KuhnCards):
    """The second counterexample of the paper: to player 1 K > J1 ~ J2, to player 2 J2 > K > J1.

    ``order`` is what is claimed to be the common order; ``merged``, whether player 1 is told jacks apart.
    """

    signals = ("J1", "J2", "K")
    rounds = (Round(limit_betting(2), private=1),)
    compares = False
    worth = ((0, 0, 1), (0, 2, 1))

    def __init__(self, order: tuple[int, int, int] = (0, 1, 2), *, merged: bool = False) -> None:
        self._order, self._merged = order, merged

    def strength(self, public: Signals, private: Signals) -> int:
        return self._order[private[0]]

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[int, int]:
        hands = [self._order.index(rank) for rank in ranks]
        paid = []
        for player, worth in enumerate(self.worth):
            own = worth[hands[0]], worth[hands[1]]
            paid.append(limit_payoff(lines, (int(own[0] > own[1]), int(own[1] > own[0])), 2, (1,))[player])
        return paid[0], paid[1]

    def infoset(self, h: History) -> str:
        seen = super().infoset(h)
        return seen.replace("J1", "J").replace("J2", "J") if self._merged and self.player(h) == 0 else seen


def solved_and_lifted(game: OrderedGame, filter_: Filter) -> tuple[tremble.Solution, Fraction]:
    """An exact equilibrium of what a filter leaves, and its NashConv in the game itself."""
    return lifted(tremble.build(game), tremble.build(Told(game, filter_)))


def lifted(whole: tremble.GameTree, told: tremble.GameTree) -> tuple[tremble.Solution, Fraction]:
    """An exact equilibrium of a tree, and its NashConv in the same tree with finer information sets."""
    solution = tremble.solve(told)
    profile = []
    for player in (0, 1):
        set_of = dict(zip(*(t.infoset[t.player == player].tolist() for t in (whole, told)), strict=True))
        strategy = solution.strategies[player]
        assert isinstance(strategy, tremble.BehaviorStrategy)
        rows = [strategy.row(set_of[k]) for k in range(whole.num_infosets[player])]
        profile.append(tremble.BehaviorStrategy.from_rows(whole, player, rows))
    loss = tremble.nash_conv(whole, profile)
    assert isinstance(loss, Fraction)
    return solution, loss


def in_tree(abstraction: Abstraction, plans: tuple[OrderedStrategy, OrderedStrategy], tree: GameTree) -> Profile:
    """Strategies by the classes of a filter, as ones of the tree of the original, or of what is left."""
    return pair(strategy_in_tree(abstraction.rules, plan, tree) for plan in plans)


def strategy_in_tree(rules: FilteredRules, plan: OrderedStrategy, tree: GameTree) -> BehaviorStrategy:
    """A strategy by classes as one of the tree of the original game, or of the filtered one."""
    player, rounds = plan.player, rules.filtered.rounds
    key_of, place_of = dict(rules.hands(player)), dict(rules.sets(player))
    weights = [plan.denominator]
    for label in tree.infoset_labels[player]:
        place = place_of[key_of.get(label, label)]
        start = rounds[place.round].stage.side(player).start
        row = plan.weight[place.round][place.class_, start[place.set] - 1 : start[place.set + 1] - 1, place.lines]
        weights.extend(row.tolist())
    return RealizationPlan(player, integer_array(weights), plan.denominator).to_behavior(tree)
