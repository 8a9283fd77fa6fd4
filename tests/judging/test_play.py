"""Hands against a strategy: what moves cost beside brute force, what may be known, and every word at the prompt."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import pytest

import tremble
from command import run
from hand_made import kuhn, kuhn_equilibrium, random_game, random_profile
from processes import BEGIN, tremble_process
from rules_of_trees import RulesOfTree
from tremble import BehaviorStrategy, CertificateError, GameError, GameTree
from tremble.game.protocol import CHANCE
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.show.playable import Event, Line, Playable, PlayableRules, playable_game
from tremble.show.playing import Decision, Hand, chosen, earned, paid_for, play_hand, suspicions

Profile = tuple[BehaviorStrategy, BehaviorStrategy]


def by_rules(tree: GameTree, profile: Profile, **options: int) -> PlayableRules:
    """The same game and strategies, not built."""
    rows = [
        {
            f"{player + 1}.{k + 1}": tuple(zip(labels, map(F, profile[player].row(k)), strict=True))
            for k, labels in enumerate(tree.actions[player])
        }
        for player in (0, 1)
    ]
    one, two = (UnbuiltStrategy(player, DefaultRule(), rows[player]) for player in (0, 1))
    return PlayableRules(UnbuiltGame.of(RulesOfTree(tree)), (one, two), **options)


def line_to(tree: GameTree, node: int) -> Line:
    above = [node]
    while above[-1]:
        above.append(int(tree.parent[above[-1]]))
    above.reverse()
    return Line(tuple(above), tuple(int(tree.action[n]) for n in above[1:]))


def sets(tree: GameTree, profile: Profile, player: int) -> Iterator[tuple[int, dict[int, F]]]:
    """Information sets to which chance and the opponent come, with the probability of each node."""
    for k in range(tree.num_infosets[player]):
        nodes = [n for n in range(tree.num_nodes) if tree.player[n] == player and tree.infoset[n] == k]
        reach = {n: reach_of(tree, profile, line_to(tree, n), but=player) for n in nodes}
        if any(reach.values()):
            yield k, reach


def reach_of(tree: GameTree, profile: Profile, line: Line, but: int | None = None) -> F:
    """Probability of a line, the moves of one player not counted."""
    p = F(1)
    for node, action in zip(line.histories, line.actions, strict=False):
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == CHANCE:
            p *= tree.chance_tables[k].probabilities[action]
        elif mover != but:
            p *= F(profile[mover].row(k)[action])
    return p


def brute_force(tree: GameTree, profile: Profile, player: int, k: int, reach: dict[int, F]) -> list[F]:
    """What each action costs, by trying every pure way to go on."""
    below: dict[int, list[Line]] = {n: [] for n in reach}
    for leaf in tree.leaves.tolist():
        line = line_to(tree, leaf)
        for n in below:
            if n in line.histories:
                below[n].append(line)
    later = sorted(
        {
            int(tree.infoset[h])
            for n, lines in below.items()
            for line in lines
            for h in line.histories[line.histories.index(n) + 1 :]
            if tree.player[h] == player
        }
    )
    best: list[F] = []
    for action in range(len(tree.actions[player][k])):
        worth = []
        for plan in product(*(range(len(tree.actions[player][j])) for j in later)):
            choice = {**dict(zip(later, plan, strict=True)), k: action}
            earned = F(0)
            for n, lines in below.items():
                for line in lines:
                    start = line.histories.index(n)
                    steps = zip(line.histories[start:-1], line.actions[start:], strict=True)
                    if all(tree.player[h] != player or choice[int(tree.infoset[h])] == a for h, a in steps):
                        weight = reach_of(tree, profile, line, but=player)
                        earned += weight * tree.payoff_at(int(tree.infoset[line.here]))[player]
            worth.append(earned / sum(reach.values()))
        best.append(max(worth))
    return [max(best) - worth for worth in best]


def few_plans(tree: GameTree) -> bool:
    return all(2 ** tree.num_slots[player] <= 2**12 for player in (0, 1)) and tree.num_nodes < 80


GAMES = [kuhn(), *filter(few_plans, (random_game(seed, 4, zero_sum=seed % 2 == 0) for seed in range(90)))]


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_costs_are_those_of_brute_force(number: int) -> None:
    tree = GAMES[number]
    profile = random_profile(tree, number)
    built, unbuilt = playable_game(tree, profile), by_rules(tree, profile)
    for player in (0, 1):
        for k, reach in sets(tree, profile, player):
            expected = tuple(brute_force(tree, profile, player, k, reach))
            assert min(expected) == 0
            for node in filter(reach.get, reach):
                line = line_to(tree, node)
                assert built.losses(line) == expected
                assert unbuilt.losses(line) == expected
                assert list(built.probabilities(line)) == list(unbuilt.probabilities(line)) == profile[player].row(k)


def test_games_to_try_are_many() -> None:
    assert len(GAMES) > 40
    assert sum(tree.num_infosets[0] > 1 and tree.num_infosets[1] > 1 for tree in GAMES) > 5


@pytest.mark.parametrize("game", ["leduc:raises=1,ranks=2", "goofspiel:cards=3", "beer_quiche"])
def test_costs_sum_to_what_a_best_response_gains(game: str) -> None:
    tree = tremble.load(game)
    profile = random_profile(tree, 5)
    for player in (0, 1):
        total = F(0)
        for k, reach in sets(tree, profile, player):
            node = next(filter(reach.get, reach))
            own = reach_of(tree, profile, line_to(tree, node)) / reach[node]
            losses = playable_game(tree, profile).losses(line_to(tree, node))
            assert losses is not None
            row = map(F, profile[player].row(k))
            total += own * sum(reach.values()) * sum(p * x for p, x in zip(row, losses, strict=True))
        gain = tremble.best_response(tree, profile, player)[0] - tremble.expected_values(tree, profile)[player]
        assert total == gain


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_what_a_player_has_seen_is_true_and_gives_nothing_away(number: int) -> None:
    tree = GAMES[number]
    profile = random_profile(tree, number)
    game = playable_game(tree, profile)
    for player in (0, 1):
        for _, reach in sets(tree, profile, player):
            lines = [line_to(tree, node) for node in reach]
            (seen,) = {game.seen(line) for line in lines}
            for line in lines:
                moves = [
                    (int(tree.player[h]), tree.labels(h)[a]) for h, a in zip(line.histories, line.actions, strict=False)
                ]
                if len({len(each.actions) for each in lines}) == 1:
                    assert len(seen) == len(moves)
                    for event, (mover, action) in zip(seen, moves, strict=True):
                        assert event.player in (mover, None)
                        assert event.action in (action, None)
                assert [e.action for e in seen if e.player == player] == [a for mover, a in moves if mover == player]


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_possible_lines_are_the_nodes_of_the_set(number: int) -> None:
    tree = GAMES[number]
    profile = random_profile(tree, number)
    for game in (playable_game(tree, profile), by_rules(tree, profile)):
        for player in (0, 1):
            for _, reach in sets(tree, profile, player):
                possible = game.possible(line_to(tree, next(filter(reach.get, reach))))
                assert possible is not None
                assert {line.here: p for line, p in possible} == {node: p for node, p in reach.items() if p}
                assert all(line == line_to(tree, line.here) for line, _ in possible)


# -- hands -------------------------------------------------------------------------------------------


def hand_of(game: Playable, seat: int, number: int, seed: int, rng: random.Random) -> Hand:
    """A hand with random moves."""
    going = play_hand(game, seat, number, seed)
    finished: Hand | None = None
    try:
        decision = next(going)
        while True:
            decision = going.send(rng.randrange(len(decision.actions)))
    except StopIteration as end:
        finished = end.value
    assert finished is not None
    return finished


def until(game: Playable, seat: int, seed: int, *actions: str) -> Decision:
    """The decision after these actions of the player at the seat."""
    going = play_hand(game, seat, 1, seed)
    decision = next(going)
    for action in actions:
        decision = going.send(decision.actions.index(action))
    return decision


def test_the_strategy_behind_a_bet() -> None:
    """Facing a bet with the queen, in Kuhn's equilibrium with alpha = 1/3: three kings to one jack."""
    tree = kuhn()
    for game in (playable_game(tree, kuhn_equilibrium(tree, F(1, 3))), by_rules(tree, kuhn_equilibrium(tree, F(1, 3)))):
        met = set()
        for seed in range(60):
            going = play_hand(game, 1, 1, seed)
            decision = next(going)
            holds, bet = tree.path(decision.line.here)[0][1], tree.path(decision.line.here)[-1] == "bet"
            if holds != "Q" or not bet:
                continue
            (suspicion,) = suspicions(decision) or ()
            assert suspicion.action == "bet"
            assert [(s.belief, dict(s.moves)["bet"]) for s in suspicion.strategies] == [
                (F(3, 4), 1),
                (F(1, 4), F(1, 3)),
            ]
            met.add(tree.path(decision.line.here)[0][0])
        assert met == {"K", "J"}


def test_a_seed_repeats_a_hand_and_deals_the_same_whatever_is_played() -> None:
    tree = tremble.load("leduc")
    game = playable_game(tree, random_profile(tree, 1))
    for number in range(1, 30):
        hands = [hand_of(game, number % 2, number, 7, random.Random(trial)) for trial in (1, 1, 2)]
        assert hands[0] == hands[1]
        assert hands[0].moves[0] == hands[2].moves[0]
    dealt = {
        hand_of(game, 0, number, seed, random.Random(0)).moves[0].action for number in (1, 2) for seed in range(20)
    }
    assert len(dealt) == 9


def test_draws_are_as_likely_as_they_should_be() -> None:
    tree = kuhn()
    game = playable_game(tree, kuhn_equilibrium(tree, F(1, 3)))
    bluffs = [until(game, 1, seed) for seed in range(3000)]
    jacks = [tree.path(decision.line.here) for decision in bluffs if tree.path(decision.line.here)[0][0] == "J"]
    assert 930 < len(jacks) < 1070
    assert 280 < sum(path[1] == "bet" for path in jacks) < 390


def test_a_hand_is_noted_down() -> None:
    tree = kuhn()
    game = playable_game(tree, kuhn_equilibrium(tree, F(0)))
    hands = [hand_of(game, number % 2, number, 1, random.Random(number)) for number in range(1, 41)]
    for hand in hands:
        node = 0
        for move in hand.moves:
            assert move.actions == tree.labels(node)
            assert (move.losses is not None) == (move.player == hand.seat)
            assert not move.losses or (move.solution_loss == 0) >= (move.probability > 0)
            node = int(tree.first_child[node]) + move.chosen
        assert hand.payoffs == tree.payoff_at(int(tree.infoset[node]))
    mine, theirs = earned(hands)
    assert mine == -theirs == sum(hand.payoffs[hand.seat] for hand in hands if hand.payoffs is not None)
    assert paid_for(hands) == (sum(hand.loss for hand in hands if hand.loss is not None), 0)
    assert paid_for(hands)[0] > 0


def test_too_many_histories_are_not_computed() -> None:
    tree = kuhn()
    game = by_rules(tree, kuhn_equilibrium(tree, F(0)), most=5)
    hand = hand_of(game, 0, 1, 1, random.Random(1))
    assert hand.loss is None
    assert paid_for([hand]) == (0, len(hand.own))
    assert suspicions(until(game, 0, 1)) is None
    enough = by_rules(tree, kuhn_equilibrium(tree, F(0)), most=20)
    assert suspicions(until(enough, 0, 1)) == ()
    assert enough.losses(until(enough, 0, 1).line) is not None


@pytest.mark.parametrize("number", range(0, len(GAMES), 4))
def test_the_search_finds_the_costs_of_the_tree(number: int) -> None:
    tree = GAMES[number]
    game = playable_game(tree, random_profile(tree, number))
    for player in (0, 1):
        for _, reach in sets(tree, random_profile(tree, number), player):
            line = line_to(tree, next(filter(reach.get, reach)))
            assert Playable.losses(game, line) == game.losses(line)


def test_who_forgets_is_told_no_costs() -> None:
    tree = tremble.load("a_loss_counterexample")
    profile = (BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1))
    built, unbuilt = playable_game(tree, profile), by_rules(tree, profile)
    for player, known in ((0, False), (1, True)):
        for _, reach in sets(tree, profile, player):
            line = line_to(tree, next(iter(reach)))
            assert (built.losses(line) is not None) == known
            assert (built.possible(line) is not None) == known
            if known:
                assert unbuilt.losses(line) == built.losses(line)
    first = line_to(tree, next(n for n in range(tree.num_nodes) if tree.player[n] == 0))
    assert unbuilt.losses(first) is None


def test_strategies_must_fit() -> None:
    tree = kuhn()
    profile = kuhn_equilibrium(tree, F(0))
    with pytest.raises(GameError):
        playable_game(tree, (UnbuiltStrategy(0, DefaultRule(), {}), UnbuiltStrategy(1, DefaultRule(), {})))
    rules = UnbuiltGame.of(RulesOfTree(tree))
    other = UnbuiltStrategy(1, DefaultRule(), {})
    short = UnbuiltStrategy(0, DefaultRule(), {"1.1": (("check", F(1, 2)), ("bet", F(1, 3)))})
    with pytest.raises(CertificateError, match=r"'1\.1'.* sum to 5/6"):
        playable_game(rules, (short, other))
    foreign = UnbuiltStrategy(0, DefaultRule(), {"1.1": (("fold", F(1, 2)), ("call", F(1, 2)))})
    game = playable_game(rules, (foreign, other))
    with pytest.raises(CertificateError, match=r"'1\.1'.*the actions are"):
        game.probabilities(line_to(tree, 1))
    assert playable_game(tree, profile).seen(line_to(tree, 1)) == (Event(CHANCE, None),)


# -- what is typed -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "actions", "meant"),
    [
        ("call", ("fold", "call"), (1,)),
        (" 1 ", ("fold", "call"), (0,)),
        ("0", ("fold", "call"), ()),
        ("99999999999999999999", ("fold", "call"), ()),
        ("F", ("fold", "call"), (0,)),
        ("bet", ("bet 10", "bet", "BET"), (1,)),
        ("BeT", ("bet 10", "bet", "BET"), (1, 2)),
        ("be", ("bet 10", "bet 2"), (0, 1)),
        ("2", ("2", "3"), (0,)),
        ("1", ("2", "3"), ()),
        ("1", ("10", "12"), (0, 1)),
        ("2", ("a", "a"), (1,)),
        ("a", ("a", "a"), (0, 1)),
        ("", ("", "a"), (0,)),
        ("", ("a", "b"), ()),
        ("é", ("Été", "a"), (0,)),
    ],
)
def test_what_is_meant(text: str, actions: tuple[str, ...], meant: tuple[int, ...]) -> None:
    assert chosen(text, actions) == meant


def test_a_session() -> None:
    done = run("play", "kuhn", "--seed", 1, stdin="zz\nfold\n\nc\nf\n?\nq\n")
    assert done.exit_code == 0
    assert done.stdout.count("Type an action, its number or its first letters") == 4
    hand, after = done.stdout.split("  chance    QK", 1)
    assert "Hand 1: you are Player 1" in hand
    assert "  so far    chance: hidden\n" in hand
    assert "QK" not in hand
    assert "After 1 hand: you -1, the opponent +1." in after
    assert "Press Enter to deal the next hand" in after
    assert after.endswith("The end, after 1 hand: you -1, the opponent +1. Your moves cost 0.\n")


def test_the_same_seed_deals_the_same() -> None:
    typed = "1\n1\n1\n1\n1\n1\n1\n1\n1\n"
    first, again, other = (run("play", "kuhn", "--hands", 4, "--seed", s, stdin=typed).stdout for s in (3, 3, 4))
    assert first == again != other
    assert first.count("you are Player 1") == first.count("you are Player 2") == 2
    assert "The end, after 4 hands" in first
    assert "deals the next hand" not in first


def test_seats_and_why(tmp_path: Path) -> None:
    done = run("play", "kuhn", "--seat", 2, "--hands", 3, "--seed", 1, "--why", stdin="why\n1\n1\nwhy\n1\n")
    assert done.exit_code == 0
    assert "you are Player 1" not in done.stdout
    assert done.stdout.count("    move 1 of Player 1: ") == 2
    assert [f"    Player 1 in hand {n}\n" in done.stdout for n in (1, 2, 3)] == [True] * 3


def test_why_of_the_hand_before() -> None:
    done = run("play", "kuhn", "--seat", 1, "--hands", 2, "--seed", 1, stdin="bet\nwhy\nq\n")
    assert "    Player 2 in hand 1\n" in done.stdout
    assert done.stdout.endswith("Hand 2 was not finished and does not count.\n")


def test_names_of_actions_go_before_commands(tmp_path: Path) -> None:
    path = tmp_path / "odd.efg"
    path.write_text(
        'EFG 2 R "odd" { "A" "B" } ""\np "" 1 1 "" { "q" "why" "?" "quince" } 0\n'
        + "".join(f't "" {n} "" {{ {n}, {-n} }}\n' for n in range(1, 5))
    )
    for text, gets in (("q", 1), ("why", 2), ("?", 3), ("qu", 4)):
        done = run("play", path, "--seat", 1, "--hands", 1, stdin=f"{text}\n")
        assert f"You get +{gets}, B (player 2) gets -{gets}. Your moves cost {4 - gets}.\n" in done.stdout
    assert "The end, before a hand was finished." in run("play", path, "--seat", 1, stdin="quit\n").stdout


@pytest.mark.parametrize("typed", ["", "1", "1\n\n", "1\n\n2\n"])
def test_the_end_of_input_is_an_end(typed: str) -> None:
    done = run("play", "kuhn", "--seed", 1, stdin=typed)
    assert done.exit_code == 0
    assert "\nThe end, " in done.stdout


def test_a_record_of_all_hands() -> None:
    done = run("play", "beer_quiche", "--seed", 4, "--format", "json", stdin="beer\n\nduel\n\nbeer\nq\n")
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    assert "Hand 2: you are" in done.stderr
    assert record["game"]["digest"] == tremble.load("beer_quiche").digest
    assert (record["seed"], record["ended"], record["unfinished"]) == (4, "quit", None)
    first, second, _ = record["hands"]
    assert (first["hand"], first["seat"], first["payoffs"], first["loss"]) == (1, 1, ["3", "1"], "0")
    deal, beer, duel = second["moves"]
    assert (deal["player"], deal["label"], deal["probabilities"]) == (None, "", [["weak", "1/10"], ["strong", "9/10"]])
    assert (beer["player"], beer["action"], "loss" in beer) == (1, "beer", False)
    assert (duel["label"], duel["losses"], duel["loss"], duel["loss_float"]) == ("sees beer", ["4/5", "0"], "4/5", 0.8)
    assert duel["solution_loss"] == "0"
    assert (record["lost"], record["lost_float"], record["not_computed"]) == ("4/5", 0.8, 0)
    assert record["earned"] == [str(sum(int(h["payoffs"][h["seat"] - who]) for h in record["hands"])) for who in (1, 2)]


def test_a_hand_that_was_left() -> None:
    record = json.loads(run("play", "kuhn", "--seed", 1, "--format", "json", stdin="").stdout)
    assert (record["ended"], record["hands"], record["earned"]) == ("input", [], ["0", "0"])
    assert [move["action"] for move in record["unfinished"]["moves"]] == ["QK"]
    assert "payoffs" not in record["unfinished"]


def test_a_solution_that_blunders(tmp_path: Path) -> None:
    path = tmp_path / "yes.json"
    rows = [[["stop", "0"], ["offer", "1"]], [["yes", "1/2"], ["no", "1/2"]]]
    strategies = [[{"infoset": 1, "actions": row}] for row in rows]
    path.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": strategies}))
    done = run("play", "guess_the_ace", path, "--seat", 2, "--hands", 1, "--seed", 1, stdin="no\n")
    assert f"You play against {path}. The seed is 1." in done.stdout
    assert done.stdout.splitlines()[-4].split()[-2:] == ["0", "6250/13"]
    assert "costs the solution" in done.stdout


def test_rules_that_are_not_built(tmp_path: Path) -> None:
    path = tmp_path / "phantom.json"
    default = {"default": {"rule": "rules", "parameters": {}}, "rows": []}
    path.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": [default, default]}))
    done = run("play", "phantom_ttt", path, "--hands", 1, "--seed", 0, stdin="1\n2\n?\nwhy\n4\n")
    assert done.exit_code == 0
    assert "  you know  1+ 2+\n  so far    you: 1, you: 2\n" in done.stdout
    assert "    move 2 of Player 2: 0\n" in done.stdout
    wrong = run("play", "leduc", path)
    assert wrong.exit_code == 1
    assert "have no function default(h)" in wrong.stderr


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("phantom_ttt",), 4, "solve it first: tremble solve phantom_ttt -o solution.json"),
        (("liars_dice",), 4, "too large to be solved automatically"),
        (("-",), 2, "moves are read from standard input"),
        (("kuhn", "-"), 2, "moves are read from standard input"),
        (("kuhn", "missing.json"), 3, "missing.json"),
        (("kuhn", "--seat", "3"), 2, "--seat"),
        (("kuhn", "--hands", "0"), 2, "--hands"),
        (("nothing_like_it",), 2, "neither a built-in game nor a file"),
        (("a_loss_counterexample",), 4, "forgets"),
    ],
)
def test_refusals(args: tuple[str, ...], code: int, said: str) -> None:
    done = run("play", *args, stdin="1\n")
    assert done.exit_code == code
    assert said in done.stderr
    assert done.stdout == ""


def test_strategies_of_another_game(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.json"
    tremble.solve(tremble.load("kuhn")).to_json(path)
    done = run("play", "leduc", path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "the digests differ" in done.stderr


def test_what_a_file_says_cannot_tamper_with_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "odd.efg"
    leaves = 't "" 1 "" { 1, 1 }\nt "" 2 "" { 0, 0 }\n'
    path.write_text('EFG 2 R "o\x1b[2J" { "A\x1b" "B" } ""\np "" 1 1 "s\x1b" { "l\x1b" "r" } 0\n' + leaves)
    done = run("play", path, "--hands", 1, stdin="\x1b\nl\n")
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert "\\x1b" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_ends_with_the_result() -> None:
    process = tremble_process(
        "play", "kuhn", "--seed", 1, "--format", "json", begin=("-c", BEGIN), stdin=-1,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write("bet\n\n")
    process.stdin.flush()
    said = ""
    while not said.endswith("Hand 2: you are Player 2\n"):
        said += process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    record = json.loads(out.removeprefix("begun\n"))
    assert (record["ended"], len(record["hands"]), record["earned"]) == ("interrupted", 1, ["-2", "2"])
