"""Flops of Hold'em: the engine, the exact check and the tools, beside game trees."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction as F
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from poker.test_holdem_engine import learned, outcome, profile_of
from tremble.check import Claim, Limits
from tremble.errors import GameError, SpecError, TooLargeError
from tremble.game.rules import UnbuiltGame
from tremble.poker import HoldemFlop
from tremble.poker.check import outcome_of_ordered
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.holdem.engine import Engine
from tremble.poker.strategy import OrderedStrategy
from tremble.solvers.regret import VARIANTS

SMALL = HoldemFlop("Kh9d7s", 20, 10, "none/none/a", 0, "AhAd", "KdQd")
ALIKE = HoldemFlop("KsKh7c", 20, 20, "100/none/50", 0, "AsAd,AhAd,AsAc,AhAc,9s8s,9h8h", "QhJh,QsJs,8s8h")
SPEC = "holdem_flop:board=KsKh7c,pot=20,stack=20,bets=100/none/50,raises=0,range1=AA,range2=QJs"


def by_label(rules: HoldemFlop, strategy: OrderedStrategy) -> dict[str, dict[str, F]]:
    """Return the action probabilities at each information set, from the arrays of a strategy."""
    player, found = strategy.player, {}
    free = [card for card in range(52) if DECK[card] not in {rules.board[k : k + 2] for k in (0, 2, 4)}]
    number = {pair: k for k, pair in enumerate(sorted(combinations(range(49), 2), key=lambda pair: pair[::-1]))}
    states = [[()], [(t,) for t in range(49)], [(t, r) for t in range(49) for r in range(49) if t != r]]
    rows = [0, 0, 0]
    for n, node in enumerate(rules.tree.nodes):
        if node.kind != player:
            continue
        first, street = rows[node.street], node.street
        rows[street] += len(node.actions)
        for cards in states[street]:
            place = [0, *cards][-1] + 49 * ([0, 0, *cards][-2])
            for a, b in rules.deal.cards[player].tolist():
                if {a, b} & {free[card] for card in cards}:
                    continue
                own = number[free.index(a), free.index(b)] + 1176 * place
                weights = strategy.weight[street][strategy.class_of[street][own], :, 0].tolist()
                weights = weights[first : first + len(node.actions)]
                before, *after = rules.tree.lines[n]
                words = [DECK[b] + DECK[a], *before]
                for card, line in zip(cards, after, strict=True):
                    words += [DECK[free[card]], *line]
                whole = sum(weights)
                shares = [F(w, whole) if whole else F(1, len(weights)) for w in weights]
                found[" ".join(words)] = dict(zip(node.actions, shares, strict=True))
    return found


def random_flop(rng: random.Random) -> HoldemFlop:
    """Return a flop with very few hands, so that its tree can be built."""
    deck = [rank + suit for rank in rng.sample("23456789TJQKA", 3) for suit in "cdhs"]
    board = rng.sample(deck, 3)
    hands = [a + b for a, b in combinations([card for card in deck if card not in board], 2)]
    ranges = [",".join(hand + rng.choice([":1/3", ""]) for hand in rng.sample(hands, count)) for count in (1, 2)]
    bets = rng.choice(["none/none/a", "none/a/none", "a/none/none", "none/50/50", "100/none/none"])
    try:
        return HoldemFlop(
            "".join(board), rng.choice([7, 20, 2.5]), rng.choice([5, 30]), bets, 0, *rng.sample(ranges, 2),
            **rng.choice([{}, {"rake": 5, "cap": 0.5}]),
        )  # fmt: skip
    except SpecError:  # the hands of the players exclude each other
        return random_flop(rng)


def check_beside_the_tree(rules: HoldemFlop) -> None:
    found = profile_of(learned(rules, 12))
    tree = tremble.build(rules)
    profile = []
    for side in found:
        wanted, every = set(tree.infoset_labels[side.player]), by_label(rules, side)
        profile.append({label: shares for label, shares in every.items() if label in wanted})
    exact = outcome(rules, found)
    assert exact.values == tuple(tremble.expected_values(tree, profile))
    best = tuple(tremble.best_response(tree, profile, player=player)[0] for player in (0, 1))
    assert exact.best_response_values == best
    sizes = [tremble.info(game) for game in (tree, UnbuiltGame.of(rules))]
    assert all(sizes[0][key] == sizes[1][key] for key in ("nodes", "information_sets", "sequences", "max_depth"))


def test_exact_values_are_those_of_the_tree() -> None:
    check_beside_the_tree(SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("case", range(12))
def test_exact_values_of_random_flops_are_those_of_the_tree(case: int) -> None:
    rng = random.Random(case)
    rules = random_flop(rng)
    if case % 3 == 0:
        node = next(node for node in rules.tree.nodes if len(node.actions) > 1)
        n = rules.tree.nodes.index(node)
        line = ", ".join(move for moves in rules.tree.lines[n] for move in moves)
        rules = dataclasses.replace(rules, lock={line: {"random": {node.actions[0]: "2/3", node.actions[1]: "1/3"}}})
    check_beside_the_tree(rules)


def test_alike_suits_share_tables_and_change_nothing() -> None:
    deal = ALIKE.deal
    assert deal.swap.tolist() == [0, 1, 2, 2]  # hearts and spades
    assert [len(deal.tables(count)) for count in (0, 1, 2)] == [1, 37, 1476]
    apart = dataclasses.replace(ALIKE)
    vars(apart)["deal"] = dataclasses.replace(deal, merged=False)
    assert [len(apart.deal.tables(count)) for count in (0, 1, 2)] == [1, 49, 2352]
    few, many = (learned(rules, 4, dtype=np.float64) for rules in (ALIKE, apart))
    assert few.bounds() == pytest.approx(many.bounds(), abs=1e-9)
    found = outcome(ALIKE, profile_of(few))
    assert (-found.best_response_values[1], found.best_response_values[0]) == pytest.approx(few.bounds(), abs=1e-6)
    assert few.bounds()[1] - few.bounds()[0] < 10


def test_a_changed_strategy_is_refused() -> None:
    good, other = profile_of(learned(SMALL, 3))

    def faults(strategy: OrderedStrategy) -> str:
        claim = Claim("nash", "bounded", (strategy, other), None, {}, kind="ordered")
        limits = Limits.for_game(0)
        return "; ".join(outcome_of_ordered(UnbuiltGame.of(SMALL), claim, limits, values_only=False).faults)

    assert not faults(good)
    for street in (1, 2):
        table, classes = good.weight[street].copy(), good.class_of[street].copy()
        table[int(classes.max()), 0, 0] = good.denominator // 3
        for part, field, text in ((table, "weight", "do not sum"), (np.full_like(classes, -1), "class_of", "no class")):
            parts = list(getattr(good, field))
            parts[street] = part
            assert text in faults(dataclasses.replace(good, **{field: tuple(parts)}))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a solution of SPEC."""
    path = tmp_path_factory.mktemp("flop") / "flop.json"
    solved = run("solve", SPEC, "--method", "dcfr", "--gap", "0.5", "-o", path)
    assert solved.exit_code == 0, solved.stderr
    assert "flop KsKh7c" in solved.stdout
    return path


def test_a_solution_is_proven_again_and_opened(file: Path) -> None:
    assert run("verify", SPEC, file).exit_code == 0
    solution = tremble.reopen(tremble.load_rules(SPEC), file)
    lower, upper = solution.bounds
    assert 0 <= upper - lower <= F(1, 2)
    shares = solution.strategies[0]["AcAd", "check, check, 2h, check, check, 3c"]
    assert sum(shares.values()) == 1
    assert set(shares) == {"check", "bet 50"}
    rows = solution.hands("check, check, 2h, check, check, 3c")
    assert [row["hand"] for row in rows] == ["AdAc", "AhAc", "AhAd", "AsAc", "AsAd", "AsAh"]
    assert all(0 <= row["equity"] <= 1 and row["ev"] > 0 for row in rows)


def test_decisions_are_drawn_but_no_page(file: Path, tmp_path: Path) -> None:
    drawn = run("draw", SPEC, file, "--line", "check, check, 2h", "-o", tmp_path / "turn.svg")
    assert drawn.exit_code == 0, drawn.stderr
    page = run("draw", SPEC, file, "-o", tmp_path / "page.html")
    assert page.exit_code == 4
    assert "too many boards for a page" in page.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["turn.svg"]


def test_lines_name_both_cards_or_none() -> None:
    game = tremble.load_rules(SPEC)
    strategy = profile_of(Engine(game.rules, VARIANTS["dcfr"]))[0]
    strategy = dataclasses.replace(strategy, game=game)
    for line, message in (
        ("check, check", "add the turn card"), ("check, check, 2h, check, check", "add the river card"),
        ("check, check, Ks", "it is on the board"), ("check, check, 2h, check, check, 2h", "it is on the board"),
        ("check, check, xx", "a turn card, such as"),
    ):  # fmt: skip
        with pytest.raises(SpecError, match=message):
            strategy["AcAd", line]
    with pytest.raises(GameError, match="contains a card of the line"):
        strategy["AcAd", "check, check, Ac"]


def test_sizes_are_told_and_large_flops_are_refused() -> None:
    told = run("info", SPEC)
    assert told.exit_code == 0
    assert "turn cards" in told.stdout
    assert "rivers" in told.stdout
    assert "MB to find it" in told.stdout
    large = "holdem_flop:bets=33,75,150,raises=3,stack=1000"
    with pytest.raises(TooLargeError, match=r"193\.2 GB"):
        tremble.solve(tremble.load_rules(large), method="dcfr")
    refused = run("solve", large)
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "use fewer sizes" in refused.stderr.lower()


def test_wrong_boards_are_refused() -> None:
    for board, message in (("Kh9d", "expected three cards"), ("Kh9d7s4c", "expected three cards")):
        with pytest.raises(SpecError, match=message):
            HoldemFlop(board)


def rules_with(**parameters: Any) -> HoldemFlop:
    return dataclasses.replace(ALIKE, **parameters)


def test_a_lock_without_cards_holds_on_all_boards() -> None:
    rules = rules_with(lock={"check, check, check, check": {"AA": {"check": "1/4", "bet 50": "3/4"}}})
    strategy = profile_of(learned(rules, 2))[0]
    shares = dataclasses.replace(strategy, game=UnbuiltGame.of(rules))["AsAd", "check, check, 2h, check, check, 3c"]
    assert shares == {"check": F(1, 4), "bet 50": F(3, 4)}
    with pytest.raises(SpecError, match="name all cards or none"):
        rules_with(lock={"check, check, check, check, 3c": {"AA": {"check": 1}}})


def test_what_would_take_minutes_is_refused(file: Path) -> None:
    for command, message in (
        (("explain", SPEC, file), "too many to rank"), (("compare", SPEC, file, file), "flops are not compared"),
    ):  # fmt: skip
        refused = run(*command)
        assert refused.exit_code == 4
        assert message in refused.stderr


def test_numbers_that_do_not_fit_are_refused() -> None:
    good, other = profile_of(learned(SMALL, 1))
    for denominator in (float(good.denominator), None, np.int64(good.denominator)):
        changed: Any = dataclasses.replace(good, denominator=denominator)
        claim = Claim("nash", "bounded", (changed, other), None, {}, kind="ordered")
        found = outcome_of_ordered(UnbuiltGame.of(SMALL), claim, Limits.for_game(0), values_only=False)
        assert "expected a denominator" in found.faults[0]
