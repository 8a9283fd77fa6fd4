"""Locked hands of rivers and turns: their texts and files, and equilibria beside linear programs on the built trees."""

from __future__ import annotations

import dataclasses
import json
import random
from fractions import Fraction as F
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from tremble.errors import GameError, SpecError, TrembleError
from tremble.poker import HoldemRiver, HoldemTurn
from tremble.poker.holdem.locks import Locks, lock_text, shortest_lock
from tremble.poker.holdem.tables import weights_of
from tremble.solvers.regret import VARIANTS

SPEC = "holdem_river:board=Kh9d7s4c2h,pot=20,stack=40,bets=50,raises=1,range1=AA KQs 76s,range2=TT AKs 87s"
RIVER = HoldemRiver("Kh9d7s4c2h", 20, 40, "50", 1, "AA KQs 76s", "TT AKs 87s")
TURN = HoldemTurn("Kh9d7s4c", 20, 15, "50", 0, "AhAd,QsQd", "TsTd,AsKs")
LOCK: dict[str, Any] = {"check, bet 50": {"AA": {"call": "1/3", "fold": "2/3"}, "random": {"fold": 1}}}


def random_lock(rng: random.Random, rules: HoldemRiver | HoldemTurn) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for n in rng.sample([n for n, node in enumerate(rules.tree.nodes) if node.actions], 3):
        node = rules.tree.nodes[n]
        shares = [rng.choice([0, 1, 2, 5]) for _ in node.actions]
        shares[rng.randrange(len(shares))] += 1
        hands = rng.choice(["random", rules.name_of(node.kind, 0)])
        mix = {action: F(share, sum(shares)) for action, share in zip(node.actions, shares, strict=True)}
        found[", ".join(sum(rules.tree.lines[n], ()))] = {hands: mix}
    return found


@pytest.mark.sample(3)
@pytest.mark.parametrize("case", range(40))
def test_the_value_is_that_of_the_built_tree(case: int) -> None:
    rng = random.Random(case)
    deck = [rank + suit for rank in rng.sample("23456789TJQKA", 4) for suit in "cdhs"]
    count = 4 if case % 4 == 0 else 5
    board = rng.sample(deck, count)
    hands = [a + b for a, b in combinations([card for card in deck if card not in board], 2)]
    ranges = [",".join(rng.sample(hands, 3 if count == 4 else 12)) for _ in range(2)]
    kind = HoldemTurn if count == 4 else HoldemRiver
    try:
        free = kind("".join(board), 20, rng.choice([10, 30]), "50,a", 1, *ranges)
    except SpecError:
        pytest.skip("the hands of the players exclude each other")
    rules = dataclasses.replace(free, lock=random_lock(rng, free))
    solution = tremble.solve(rules, method=rng.choice([*VARIANTS]), gap=F(1, 10))
    assert tremble.verify(rules, solution).ok
    lower, upper = solution.bounds or (0, 0)
    assert lower <= tremble.solve(tremble.build(rules), method="lp").value <= upper <= lower + F(1, 10)
    # Each locked hand plays its frequencies exactly.
    for (node, river), shares in rules.locks.shares.items():
        player = rules.tree.nodes[node].kind
        weights = weights_of(rules, solution.strategies[player], node, max(river, 0))
        unit = rules.locks.units[node]
        for hand in np.flatnonzero(shares[:, 0] >= 0).tolist():
            if river < 0 or rules.deal.free(player, river)[hand]:
                assert (weights[hand] * unit == shares[hand] * weights[hand].sum()).all()


def test_frequencies_of_many_digits_on_one_line() -> None:
    """The products of the denominators exceed 64 bits beside the weights, so the check uses longer numbers."""
    third = {"check": "333/1000", "bet 50": "667/1000"}
    lock = {
        "": {"random": third},
        "check, bet 50": {"random": {"fold": "0.123", "call": "0.456", "raise 50": "0.421"}},
        "bet 50, raise 50": {"random": {"fold": "0.009", "call": "0.991"}},
    }
    rules = dataclasses.replace(RIVER, lock=lock)
    solution = tremble.solve(rules, method="dcfr", gap=F(1, 100))
    assert solution.strategies[0].denominator % 10**6 == 0
    lower, upper = solution.bounds or (0, 0)
    assert lower <= tremble.solve(tremble.build(rules), method="lp").value <= upper
    digits = {"fold": F(1, 10**12), "call": 1 - F(1, 10**12)}
    longer = dataclasses.replace(RIVER, lock=lock | {"bet 50, raise 50": {"AA": digits}})
    with pytest.raises(SpecError, match="too many digits for an exact proof"):
        tremble.solve(longer, method="dcfr", gap=1)


def test_long_weights_beside_a_lock_are_exact() -> None:
    """Products of plans and weights of both players exceed 64 bits."""
    rules = HoldemRiver(
        "Kh9d7s4c2h", 20, 15, "50", 0, "AhAd:0.999999999997,QsQd,8s8d:0.999999999997", "TsTd,AsKs,3s3d",
        lock={"": {"QsQd": {"check": "1/2", "bet 50": "1/2"}}},
    )  # fmt: skip
    solution = tremble.solve(rules, method="dcfr", gap=F(1, 2))
    assert sum(solution.values) == 0
    lower, upper = solution.bounds or (0, 0)
    value = tremble.solve(tremble.build(rules), method="lp").value
    assert lower <= value <= upper <= lower + F(1, 2)
    assert lower <= solution.values[0] <= upper


def test_locks_are_checked() -> None:
    rules = dataclasses.replace(RIVER, lock=LOCK)
    locked, free = (tremble.solve(each, method="dcfr", gap=F(1, 2)) for each in (rules, RIVER))
    changed = tremble.verify(rules, dataclasses.replace(locked, strategies=free.strategies))
    assert not changed.ok
    assert "strategies[0]: hand " in changed.problems[0]
    assert "the weights of the actions are not as locked" in changed.problems[0]


def test_texts_and_mappings_are_the_same_game() -> None:
    text = "check, bet 50 | AA | call 1/3 + fold 2/3; check, bet 50 | random | fold 1"
    assert lock_text(LOCK) == text == lock_text(text) == lock_text(text.replace(", ", " ,  "))
    games = [dataclasses.replace(RIVER, lock=lock) for lock in (LOCK, text)]
    assert games[0].identity() == games[1].identity() != RIVER.identity()
    assert [*games[0].locks.units.values()] == [3]
    assert dataclasses.replace(RIVER, lock="").lock == ""


@pytest.mark.parametrize(
    "lock",
    [
        {"check, bet 50": {"AA": {"fold": "2/3", "call": "1/3", "raise 50": 0}, "random": {"fold": 1}}},
        {"CHECK bet 50": {"AcAs AsAd,AhAs; AcAd AhAd AcAh": {"call": F(1, 3), "fold": F(2, 3)}, "any": {"fold": 1}}},
        {"check, bet 50": {"76s": {"fold": 1.0}, "KQs": {"fold": "1"}, "22+": {"call": "1/3", "fold": "2/3"}}},
        {"check,bet 50": {"AA": {"call": "1/3", "fold": "2/3"}, "AhAd": {"fold": 1}, "KQs 76s QQ": {"fold": 1}}},
        "check, bet 50|AA|fold 2/3+call 1/3;check, bet 50|55+ A2+ K2+ 76|fold 1",
    ],
)
def test_equal_locks_are_the_same_game(lock: Any) -> None:
    one, other = (dataclasses.replace(RIVER, lock=given) for given in (LOCK, lock))
    assert other.lock == one.lock
    assert tremble.UnbuiltGame.of(other).digest == tremble.UnbuiltGame.of(one).digest


def test_entries_that_exclude_each_other_may_have_any_order_also_on_a_turn() -> None:
    half = {"check": "1/2", "bet 50": 0.5}
    first = {
        "": {"AA": {"check": 1}, "QQ": half},
        "check, check, 2h": {"random": half},
        "check, check": {"QdQs": {"bet 50": 1}, "AA": half},
        "check, check, 3h": {"AhAd": half, "QsQd": {"check": 1}},  # all hands are listed above
    }
    second = {
        "check, check, 2h": {"QQ": {"check": 0.5, "bet 50": "1/2"}, "AhAd": half},
        "check, check": {"AA": half, "QQ": {"bet 50": 1}},
        "": {"QQ": half, "AA": {"check": 1}},
    }
    one, other = (dataclasses.replace(TURN, lock=given) for given in (first, second))
    assert one.lock == other.lock
    assert one.identity() == other.identity()
    assert one.lock.count(";") == 4
    reversed_ = dataclasses.replace(TURN, lock=dict(reversed(second.items())))
    assert reversed_.identity() != other.identity()  # here the text of all river cards comes first, so it counts


@pytest.mark.parametrize("case", range(20))
def test_the_shortest_text_is_the_same_lock(case: int) -> None:
    rng = random.Random(case)
    free = [RIVER, TURN][case % 2]
    entries = []
    for _ in range(rng.randrange(1, 8)):
        n = rng.choice([n for n, node in enumerate(free.tree.nodes) if node.actions])
        node, lines = free.tree.nodes[n], free.tree.lines[n]
        card = [rng.choice(["2h", "Ac", "Js"])] if len(lines) > 1 and rng.random() < 0.6 else []
        shares = rng.choice([[1, 0, 0], [0, 2, 1], [1, 3, 0], [1, 1, 1]])[: len(node.actions)]
        held = rng.choice(["random", free.name_of(node.kind, 1), free.name_of(node.kind, 0), "QQ+ TT AKs"])
        share = " + ".join(
            f"{a} {F(k, sum(shares))}" for a, k in zip(node.actions, shares, strict=False) if sum(shares)
        )
        entries.append(f"{', '.join([*lines[0], *card, *(lines[1] if len(lines) > 1 else ())])} | {held} | {share}")
    text = "; ".join(entries)
    written = Locks.of(text, free.tree, free.deal)
    short = shortest_lock(text, free.tree, free.deal)
    assert shortest_lock(short, free.tree, free.deal) == short
    found = Locks.of(short, free.tree, free.deal)
    assert found.shares.keys() == written.shares.keys()
    for (node_, river), shares_ in written.shares.items():
        player = free.tree.nodes[node_].kind
        some = free.deal.free(player, river) if river >= 0 else slice(None)
        one, other = (shares_[some], found.shares[node_, river][some])
        assert ((one < 0) == (other < 0)).all()
        locked = one[:, 0] >= 0
        assert (one[locked] * found.units[node_] == other[locked] * written.units[node_]).all()


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        (
            {"chek": {"AA": {"bet 50": 1}}},
            "'chek' is not possible here; possible: check, bet 50; did you mean 'check'?",
        ),
        ({"bet 50, call": {"AA": {"bet 50": 1}}}, "no player moves after 'bet 50, call': play is over"),
        ({"": {"AA": {"bet 75": 1}}}, "no action 'bet 75'; the actions are check, bet 50"),
        ({"": {"AA": {"bet 50": "1/2"}}}, "the frequencies sum to 1/2; expected 1"),
        ({"": {"AA": {"bet 50": 2, "check": -1}}}, "check has the frequency -1; expected a number from 0 to 1"),
        ({"": {"AA": {"bet 50": "much"}}}, "bet 50"),
        ({"": {"QQ": {"bet 50": 1}}}, "no hand of 'QQ' is in the range of player 1"),
        ({"": {"AA:0.5": {"bet 50": 1}}}, "the hands of a lock have no weights"),
        ({"": {"": {"bet 50": 1}}}, "expected a line of moves, and hands separated by commas"),
        ({"": {"AX": {"bet 50": 1}}}, "'AX'"),
        ({"": ["AA"]}, "expected hands"),
        ({"": {}}, "no hands are listed"),
        ({"": {"AA": {"check": "0.12345678901234567891", "bet 50": "0.87654321098765432109"}}}, "too many digits"),
        ({1: 2}, "expected lines of moves"),
        ("check", "no such file"),
        ("check | AA", "lock, entry 1: expected LINE | HANDS | ACTION SHARE"),
        ("|AA|check 1 + check 0", "expected each action once, with its share"),
    ],
)
def test_what_is_wrong_with_a_lock_is_told(lock: Any, message: str) -> None:
    with pytest.raises(TrembleError) as caught:
        dataclasses.replace(RIVER, lock=lock)
    assert message in str(caught.value)


def test_decisions_of_the_river_after_one_card_or_all_cards() -> None:
    one = dataclasses.replace(TURN, lock={"check, check, 2h": {"random": {"check": 1}}})
    every = dataclasses.replace(TURN, lock={"check, check": {"random": {"check": 1}}})
    assert len(one.locks.shares) == 1
    assert len(every.locks.shares) == 48
    assert one.counts()["information_sets"][0] > every.counts()["information_sets"][0]
    with pytest.raises(SpecError, match="no hand of 'AhAd' is in the range of player 1"):
        dataclasses.replace(TURN, lock={"check, check, Ah": {"AhAd": {"check": 1}}})


def test_the_first_text_that_contains_a_hand_counts() -> None:
    rules = dataclasses.replace(RIVER, lock={"": {"AsAh": {"check": 1}, "AA": {"bet 50": 1}}})
    shares = rules.locks.shares[0, -1]
    names = [rules.name_of(0, hand) for hand in range(len(shares))]
    assert {name: row.tolist() for name, row in zip(names, shares, strict=True) if name[0] == name[2] == "A"} == {
        name: ([1, 0] if name == "AhAs" or name == "AsAh" else [0, 1]) for name in names if name[0] == name[2] == "A"
    }
    assert (shares[[name[0] != "A" for name in names]] == -1).all()


def test_the_command(tmp_path: Path) -> None:
    file, out = tmp_path / "lock.json", tmp_path / "out.json"
    file.write_text(json.dumps(LOCK), encoding="utf-8")
    done = run("solve", SPEC, "--lock", str(file), "--gap", "0.1", "-o", str(out))
    assert done.exit_code == 0
    assert "locked at 1 node" in done.stdout
    assert run("verify", SPEC, str(out), "--lock", str(file)).exit_code == 0
    assert run("verify", SPEC, str(out)).exit_code == 1
    assert run("verify", f"{SPEC},lock={file}", str(out)).exit_code == 0
    spec = json.loads(out.read_text(encoding="utf-8"))["game"]["spec"]
    # The text of the lock, not the name of its file.
    assert "check, bet 50 | KQs,76s | fold 1; check, bet 50 | random | fold 2/3 + call 1/3" in spec
    assert run("verify", spec, str(out)).exit_code == 0
    done = run("solve", "kuhn", "--lock", str(file))
    assert done.exit_code == 2
    assert "kuhn has no parameter 'lock'" in done.stderr
    done = run("solve", "game.efg", "--lock", str(file))
    assert "--lock is for built-in games with the parameter 'lock'" in done.stderr
    file.write_text('{"": {"AA": {"check": 1}, "AA": {"check": 1}}}', encoding="utf-8")
    assert "an object with two fields 'AA'" in run("solve", SPEC, "--lock", str(file)).stderr
    done = run("solve", SPEC, "--lock", str(file), "-o", str(file), "--force")
    assert done.exit_code == 2
    assert "--lock" in done.stderr


@pytest.mark.parametrize("method", ["lp", "interior-point"])
def test_methods_that_shrink_refuse_locks(method: str) -> None:
    with pytest.raises(GameError, match="a game with locked hands cannot be shrunk"):
        tremble.solve(dataclasses.replace(RIVER, lock=LOCK), method=method, gap=1)
