"""Rivers and turns of Hold'em: the engine and the exact check, beside game trees and an evaluator of their own."""

from __future__ import annotations

import dataclasses
import random
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
import pytest

import tremble
from tremble.check import Claim, Limits
from tremble.errors import NotZeroSumError, SpecError
from tremble.game.rules import UnbuiltGame
from tremble.game.sequence_form import SequenceForm
from tremble.poker import HoldemRiver, HoldemTurn, OrderedGame
from tremble.poker.check import outcome_of_ordered
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.holdem.check import plan_faults
from tremble.poker.holdem.engine import Engine
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.plans import own_classes, rounded_strategy, safe_bits
from tremble.poker.holdem.tables import weights_of
from tremble.poker.strategy import OrderedStrategy
from tremble.solvers.regret import VARIANTS, RegretMinimizer

RIVER = HoldemRiver("Kh9d7s4c2h", 20, 100, "50,100", 1, "AKs,99,T9s,QhTh:0.3", "QJs:0.5,88,A9s")
TURN = HoldemTurn("Kh9d7s4c", 20, 30, "50", 1, "AhAd,9h9s,JhTh:0.3", "QhJh:0.5,8h8d,AhTh,AcAs", "60")
ALIKE = HoldemTurn("KsKh7s7h", 20, 20, "100", 1, "AsAd,AhAd,AsAc,AhAc,9s8s,9h8h", "QhJh,QsJs,8s8h")


def profile_of(engine: Engine) -> tuple[OrderedStrategy, OrderedStrategy]:
    rules = engine.rules
    one, two = (
        rounded_strategy(
            rules,
            player,
            own_classes(rules.deal, player, rules.streets),
            engine.sums_of_hands(player),
            safe_bits(rules),
        )
        for player in (0, 1)
    )
    return one, two


def outcome(rules: Any, profile: tuple[OrderedStrategy, OrderedStrategy]) -> Any:
    claim = Claim("nash", "bounded", profile, None, {}, kind="ordered")
    found = outcome_of_ordered(UnbuiltGame.of(rules), claim, Limits.for_game(0), values_only=False)
    assert not found.faults
    return found


def learned(rules: HoldemGame, iterations: int, variant: str = "dcfr", dtype: Any = np.float32) -> Engine:
    engine = Engine(rules, VARIANTS[variant], dtype)
    engine.run(iterations)
    return engine


# -- the check, beside the game tree -------------------------------------------------------------------


def by_label(rules: HoldemTurn, strategy: OrderedStrategy, labels: set[str]) -> dict[str, dict[str, F]]:
    """Return the action probabilities at each information set, from the arrays of a strategy."""
    player, found = strategy.player, {}
    free = [card for card in range(52) if DECK[card] not in {rules.board[k : k + 2] for k in range(0, 8, 2)}]
    number = {pair: k for k, pair in enumerate(sorted(combinations(range(48), 2), key=lambda pair: pair[::-1]))}
    rows = [0, 0]
    for n, node in enumerate(rules.tree.nodes):
        if node.kind != player:
            continue
        first = rows[node.street]
        rows[node.street] += len(node.actions)
        for r in range(48 if node.street else 1):
            for a, b in rules.deal.cards[player].tolist():
                own = number[free.index(a), free.index(b)] + 1128 * r
                weights = strategy.weight[node.street][strategy.class_of[node.street][own], :, 0].tolist()
                weights = weights[first : first + len(node.actions)]
                before, *after = rules.tree.lines[n]
                label = " ".join([DECK[b] + DECK[a], *before, *([DECK[free[r]], *after[0]] if after else [])])
                if label in labels:
                    whole = sum(weights)
                    shares = [F(w, whole) if whole else F(1, len(weights)) for w in weights]
                    found[label] = dict(zip(node.actions, shares, strict=True))
    return found


def random_turn(rng: random.Random) -> HoldemTurn:
    """Return a turn with few hands, of few ranks, so that cards, suits and strengths often coincide."""
    deck = [rank + suit for rank in rng.sample("23456789TJQKA", 4) for suit in "cdhs"]
    board = rng.sample(deck, 4)
    hands = [a + b for a, b in combinations([card for card in deck if card not in board], 2)]
    weights = [":1", ":0.5", ":1/3", ""]
    ranges = [",".join(hand + rng.choice(weights) for hand in rng.sample(hands, 3)) for _ in range(2)]
    try:
        return HoldemTurn(
            "".join(board), rng.choice([7, 20, 2.5]), rng.choice([5, 18, 30]), rng.choice(["50", "100,a", "e"]), 1,
            *ranges, rng.choice(["", "2.5x"]), **rng.choice([{}, {"rake": 5}, {"rake": 5, "cap": 0.5}]),
            donk=rng.choice(["", "33"]),
        )  # fmt: skip
    except SpecError:  # the hands of the players exclude each other
        return random_turn(rng)


def random_locks(rng: random.Random, rules: HoldemGame) -> dict[str, Any]:
    """Lock hands at some decisions, with frequencies that need different denominators."""
    found: dict[str, Any] = {}
    decisions = [n for n, node in enumerate(rules.tree.nodes) if node.actions]
    for n in rng.sample(decisions, min(len(decisions), 6)):
        moves, *later = rules.tree.lines[n]
        river = rng.choice([[], [DECK[int(rng.choice(rules.deal.rivers))]]])
        node = rules.tree.nodes[n]
        shares = [rng.choice([0, 1, 1, 2, 3, 7]) for _ in node.actions]
        shares[0] += not sum(shares)
        mix = {action: F(share, sum(shares)) for action, share in zip(node.actions, shares, strict=True)}
        line = ", ".join([*moves, *([*river, *later[0]] if later else [])])
        hands = [rules.name_of(node.kind, k) for k in range(len(rules.deal.cards[node.kind]))]
        possible = [hand for hand in hands if not set(river if later else ()) & {hand[:2], hand[2:]}]
        if not possible:
            continue
        hand = rng.choice(possible)
        found[line] = {hand: mix} | ({"random": {node.actions[0]: 1}} if rng.random() < 0.3 else {})
    return found


@pytest.mark.sample(6)
@pytest.mark.parametrize("case", range(40))
def test_exact_values_are_those_of_the_tree(case: int) -> None:
    rng = random.Random(case)
    rules = [TURN, ALIKE][case] if case < 2 else random_turn(rng)
    if case % 2:
        rules = dataclasses.replace(rules, lock=random_locks(rng, rules))
    found = profile_of(learned(rules, 12))
    tree = tremble.build(rules)
    profile = [by_label(rules, side, set(tree.infoset_labels[side.player])) for side in found]
    exact = outcome(rules, found)
    assert exact.values == tuple(tremble.expected_values(tree, profile))
    best = tuple(tremble.best_response(tree, profile, player=player)[0] for player in (0, 1))
    assert exact.best_response_values == best
    sizes = [tremble.info(game) for game in (tree, UnbuiltGame.of(rules))]
    assert all(sizes[0][key] == sizes[1][key] for key in ("nodes", "information_sets", "sequences", "max_depth"))


class Plain(OrderedGame):
    """The same river as an ordered game of any kind, which the general check knows."""

    signals: Any = None
    rounds: Any = None

    def __init__(self, river: HoldemRiver) -> None:
        self._river = river
        self.signals, self.rounds, self.ranges = river.signals, river.rounds, river.ranges

    def strength(self, public: tuple[int, ...], private: tuple[int, ...]) -> int:
        return self._river.strength(public, private)

    def utility(self, lines: tuple[tuple[str, ...], ...], ranks: tuple[int, ...]) -> tuple[F, F]:
        return self._river.utility(lines, ranks)


@pytest.mark.parametrize(
    "rules",
    [RIVER, dataclasses.replace(RIVER, rake=5.0, cap=3.0), HoldemRiver(bets="75", raises=1)],
    ids=["real", "raked", "full"],
)
def test_two_checks_of_a_river_agree(rules: HoldemRiver) -> None:
    found = profile_of(learned(rules, 20))
    one, two = outcome(rules, found), outcome(Plain(rules), found)
    assert (one.values, one.best_response_values) == (two.values, two.best_response_values)


# -- the engine, beside an evaluator written for this test ---------------------------------------------


def score(cards: tuple[int, ...]) -> tuple[Any, ...]:
    """Return what the best five of seven cards are worth."""

    def of_five(five: tuple[int, ...]) -> tuple[Any, ...]:
        ranks = sorted((card // 4 for card in five), reverse=True)
        groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
        flush = len({card % 4 for card in five}) == 1
        top = ranks[0] if len(groups) == 5 and ranks[0] - ranks[4] == 4 else 3 if ranks == [12, 3, 2, 1, 0] else -1
        shape = [count for count, _ in groups]
        kind = (
            8 if flush and top >= 0 else 7 if shape[0] == 4 else 6 if shape == [3, 2] else 5 if flush
            else 4 if top >= 0 else 3 if shape[0] == 3 else 2 if shape == [2, 2, 1] else 1 if shape[0] == 2 else 0
        )  # fmt: skip
        return (kind, top) if kind in (4, 8) else (kind, *(rank for _, rank in groups))

    return max(map(of_five, combinations(cards, 5)))


def dense_best_response(rules: HoldemGame, me: int, opponent: OrderedStrategy, river: int) -> float:
    """Return the value of a best response on a known river, from a matrix of all pairs of hands."""
    (own, w), (other, v) = [
        (rules.deal.cards[p].tolist(), rules.deal.weights[p] / rules.deal.unit[p]) for p in (me, 1 - me)
    ]
    board = rules.deal.board
    scores = [[score((*hand, *board)) for hand in side] for side in (own, other)]
    apart = np.array([[not set(a) & set(b) for b in other] for a in own], dtype=float)
    sign = np.array([[(a > b) - (a < b) for b in scores[1]] for a in scores[0]])
    classes = opponent.class_of[0][rules.deal.numbers[1 - me]]
    table = opponent.weight[0][classes, :, 0] / opponent.denominator
    starts, at = {}, 0
    for n, node in enumerate(rules.tree.nodes):
        if node.kind == 1 - me:
            starts[n], at = at, at + len(node.actions)

    def values(n: int, reach: Any) -> Any:
        node = rules.tree.nodes[n]
        if node.kind == me:
            return np.max([values(child, reach) for child in node.child], axis=0)
        if node.kind == 1 - me:
            return sum(values(child, v * table[:, starts[n] + k]) for k, child in enumerate(node.child))
        stake = float(rules.betting.pot / 2 + min(node.paid))
        if node.kind == 2:
            folded = rules.tree.nodes[node.parent].kind == me
            return (-stake if folded else stake) * (apart @ reach)
        return stake * ((apart * sign) @ reach)

    return float(w @ values(0, v)) / float(w @ apart @ v)


@pytest.mark.sample(3)
@pytest.mark.parametrize("case", range(200))
def test_random_rivers(case: int) -> None:
    rng = random.Random(case)
    deck = [rank + suit for rank in rng.sample("23456789TJQKA", 6) for suit in "cdhs"]  # a short deck
    board = rng.sample(deck, 5)
    hands = [a + b for a, b in combinations([card for card in deck if card not in board], 2)]
    ranges = [",".join(hand + rng.choice(["", ":0.5", ":1/3"]) for hand in rng.sample(hands, 40)) for _ in range(2)]
    rules = HoldemRiver("".join(board), 10, rng.choice([5, 40]), rng.choice(["50", "75,150"]), 2, *ranges)
    engine = learned(rules, 30)
    profile = profile_of(engine)
    exact = outcome(rules, profile)
    for me in (0, 1):
        assert float(exact.best_response_values[me]) == pytest.approx(
            dense_best_response(rules, me, profile[1 - me], 0)
        )
    assert engine.best_values() == pytest.approx(list(map(float, exact.best_response_values)), abs=1e-4)
    assert sum(exact.values) == 0


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", range(20))
def test_random_turns_are_solved(case: int) -> None:
    """The engine's bounds are those of the exact check, and enclose the value that the linear program finds."""
    rng = random.Random(1000 + case)
    rules = random_turn(rng)
    rules = dataclasses.replace(rules, rake=0, cap=0)
    engine = learned(rules, 150)
    exact = outcome(rules, profile_of(engine))
    assert engine.best_values() == pytest.approx(list(map(float, exact.best_response_values)), abs=1e-3)
    value = tremble.solve(tremble.build(rules)).value
    assert -exact.best_response_values[1] <= value <= exact.best_response_values[0]
    assert exact.nash_conv < rules.betting.pot / 10


# -- the engine --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("rules", [RIVER, TURN, ALIKE], ids=["river", "turn", "alike"])
def test_variants_make_the_steps_of_the_tree(variant: str, rules: HoldemGame) -> None:
    """After two iterations, because later steps may depend on the rounding errors of regrets that are exactly 0.

    With alternating updates, the averages of the tree contain player 1's plans before each update, and the averages of
    the engine contain the plans after it. So only player 2's averages, which give the upper bound, are equal.
    """
    on_tree = RegretMinimizer(SequenceForm.of(tremble.build(rules)), VARIANTS[variant])
    on_tree.run(2)
    bounds = np.array(on_tree.bounds()) * float(on_tree.unit)
    engine = learned(rules, 2, variant)
    some = slice(int(VARIANTS[variant].alternating), 2)
    assert engine.bounds()[some] == pytest.approx(bounds[some], rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "iterations"), [(RIVER, 60_000), (TURN, 3000)], ids=["river", "turn"])
def test_long_floats_reach_small_gaps(rules: HoldemGame, iterations: int) -> None:
    lower, upper = learned(rules, iterations, "dcfr", np.float64).bounds()
    assert 0 <= upper - lower < 1e-4


def test_threads_change_nothing() -> None:
    rules = HoldemTurn("Kh9d7s4c", 20, 40, "50", 1, "88+,AQs+", "TT+,KQ", "60")
    alone = learned(rules, 10)
    with ThreadPoolExecutor(3) as pool:
        shared = Engine(rules, VARIANTS["dcfr"], np.float32, pool, 3)
        shared.run(10)
        for one, two in zip(alone.sums[0] + alone.sums[1], shared.sums[0] + shared.sums[1], strict=True):
            np.testing.assert_array_equal(one, two)


def test_suits_that_are_alike_share_tables() -> None:
    deal = ALIKE.deal
    assert deal.swap.tolist() == [0, 0, 2, 2]  # clubs and diamonds, hearts and spades
    assert len(deal.leading) == 24
    different = dataclasses.replace(ALIKE, range1=ALIKE.range1 + ",JsTs")
    assert different.deal.swap.tolist() == [0, 0, 2, 3]


# -- strategies that are none ----------------------------------------------------------------------------


def faults_of(rules: HoldemGame, strategy: OrderedStrategy) -> list[str]:
    claim = Claim("nash", "bounded", (strategy, profile_of(learned(rules, 3))[1]), None, {}, kind="ordered")
    return list(outcome_of_ordered(UnbuiltGame.of(rules), claim, Limits.for_game(0), values_only=False).faults)


@pytest.mark.parametrize("rules", [RIVER, ALIKE], ids=["river", "turn"])
def test_a_changed_strategy_is_refused(rules: HoldemGame) -> None:
    good = profile_of(learned(rules, 3))[0]
    assert faults_of(rules, good) == []
    street = rules.streets - 1

    def changed(**fields: Any) -> OrderedStrategy:
        return dataclasses.replace(good, **fields)

    def with_table(table: Any) -> OrderedStrategy:
        return changed(weight=(*good.weight[:street], table))

    table, classes = good.weight[street], good.class_of[street]
    more = table.copy()
    more[classes.max(), 0, 0] += 1
    wrapped = table.copy()  # the sum of the weights is right modulo 2^64
    wrapped[:, :3, 0] = 2**63 - 1
    moved = np.where(classes >= 0, (classes + 1) % len(table), classes)
    cases = {
        "do not sum": with_table(more),
        "greater than the denominator": with_table(wrapped),
        "a weight is negative": with_table(-table),
        "the weights are not int64": with_table(table.astype(object)),
        "the classes are not": changed(class_of=(*good.class_of[:street], classes[:-1])),
        "a class is not in the table": changed(class_of=(*good.class_of[:street], classes + 1)),
        "has no class": changed(class_of=(*good.class_of[:street], np.full_like(classes, -1))),
        "a denominator from 1": changed(denominator=2**51),
        "expected tables": changed(weight=good.weight[:-1]),
        "a strategy of player 2": changed(player=1),
    }
    if rules.is_ordered:  # long numbers are legal: the check of all ordered games knows them
        del cases["the weights are not int64"], cases["a denominator from 1"]
    for message, strategy in cases.items():
        (fault,) = faults_of(rules, strategy)[:1]
        assert message in fault
    if street:
        assert faults_of(rules, changed(class_of=(good.class_of[0], moved)))


def by_text(rules: HoldemRiver, strategy: OrderedStrategy) -> dict[str, dict[str, F]]:
    """Return the action probabilities at each information set of a river's tree."""
    found, stage = {}, rules.rounds[0].stage
    for n, node in enumerate(rules.tree.nodes):
        if node.kind == strategy.player:
            for hand, weights in enumerate(weights_of(rules, strategy, n, 0).tolist()):
                cards = rules.hand(rules.name_of(strategy.player, hand))
                label = rules.hand_text((), cards, (stage.line.index(rules.tree.lines[n][0]),))
                whole = sum(weights)
                shares = [F(w, whole) if whole else F(1, len(weights)) for w in weights]
                found[label] = dict(zip(node.actions, shares, strict=True))
    return found


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", range(20))
def test_a_raked_river_proves_what_each_player_can_gain(case: int) -> None:
    rng = random.Random(case)
    deck = [rank + suit for rank in "789T" for suit in "cdhs"]
    board = rng.sample(deck, 5)
    hands = [a + b for a, b in combinations([card for card in deck if card not in board], 2)]
    ranges = [",".join(rng.sample(hands, 8)) for _ in range(2)]
    river = HoldemRiver("".join(board), 20, 30, "50,a", 1, *ranges, rake=5.0, cap=rng.choice([0.0, 1.0]))
    solution = tremble.solve(river, method=rng.choice([*VARIANTS]), gap=F(1, 20))
    assert (solution.status, solution.bounds) == ("bounded", None)
    assert tremble.verify(river, solution).ok
    tree = tremble.build(river)
    stated = solution.certificate["best_response_values"]
    gains = [F(best) - value for best, value in zip(stated, solution.values, strict=True)]
    assert sum(gains) <= F(1, 20)
    profile = [by_text(river, side) for side in solution.strategies]
    best = [tremble.best_response(tree, profile, player=player)[0] for player in (0, 1)]
    values = tremble.expected_values(tree, profile)
    assert [most - value for most, value in zip(best, values, strict=True)] == gains


@pytest.mark.parametrize("method", ["lp", "interior-point", "dcfr"])
def test_a_hand_that_is_never_dealt_needs_no_class(method: str) -> None:
    """Player 1's hand AsAh shares a card with the only hand of player 2."""
    rules = HoldemRiver("Kh9d7s4c2h", 20, 40, "50", 1, "AsAh,QQ,JJ", "AsKs")
    solution = tremble.solve(rules, method=method, gap=F(1, 10))
    lower, upper = solution.bounds or (0, 0)
    assert lower <= tremble.solve(tremble.build(rules), method="lp").value <= upper <= lower + F(1, 10)
    strategy = solution.strategies[0]
    unlisted = strategy.class_of[0].copy()
    queens = [k for k in range(len(rules.deal.cards[0])) if rules.name_of(0, k)[0] == "Q"]
    unlisted[rules.deal.numbers[0][queens]] = -1
    forged = dataclasses.replace(strategy, class_of=(unlisted,))
    assert [*plan_faults(rules, forged, Limits(inf, inf))] == ["strategies[0]: a hand has no class"]


def test_methods_for_constant_sums_refuse_a_rake() -> None:
    raked = dataclasses.replace(RIVER, rake=5.0, range1="AKs,99", range2="QJs,88", raises=0)
    for method in ("lp", "interior-point"):
        with pytest.raises(NotZeroSumError, match="with a rake, the sum of the payoffs is not constant"):
            tremble.solve(raked, method=method, gap=1)
    solution = tremble.solve(tremble.build(raked))
    assert solution.status == "certified"
    assert sum(solution.values) < 0


def test_a_linear_program_with_long_numbers_is_proven() -> None:
    """The strategies of the exact equilibrium have a denominator of more than 64 bits."""
    river = HoldemRiver("Kh9d7s4c2h", 60, 200, "50,100", 1, "TT+,ATs+,KTs", "77+,A9s+,K9s")
    solution = tremble.solve(river, method="lp")
    assert solution.status == "certified"
    assert max(side.denominator for side in solution.strategies) > 2**64


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bets": "2.5x"}, "bets has only multiples of a bet"),
        ({"bets2": "3x"}, "bets2 has only multiples of a bet"),
        ({"donk": "33"}, "donk is a parameter of flops and turns"),
        ({"cap": 3.0}, "cap limits a rake, but there is none"),
    ],
)
def test_parameters_without_effect_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        dataclasses.replace(RIVER, **change)
