"""The tools for solutions of rivers and turns (explain, audit, compare, play, draw, ...), beside the game tree."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from poker.test_holdem_engine import by_label, learned, profile_of
from tremble.errors import CertificateError, GameError, SpecError
from tremble.formats.given_profile import given_profile
from tremble.game.kinds import kind_of
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import UnbuiltGame
from tremble.judge.audit.player import PlayerAudit
from tremble.poker import HoldemRiver, HoldemTurn
from tremble.poker.holdem.assessment import HandAssessment
from tremble.poker.holdem.decisions import Against
from tremble.poker.holdem.values import values_at
from tremble.show.playable import Line, Playable, PlayableOrdered
from tremble.solution.assessment import Assessment
from tremble.text.cards import cards_text

RULES = HoldemTurn("Kh9d7s4c", 20, 20, "50", 1, "AhAd,9h9s", "QhJh:0.5,AhTh")
GAME = UnbuiltGame.of(RULES)


@dataclass
class Built:
    """Two profiles of the turn, and the same profiles on its tree."""

    tree: tremble.GameTree
    profiles: list[Any]
    rows: list[Any]
    known: Assessment

    def labels(self, player: int) -> dict[str, int]:
        return {label: k for k, label in enumerate(self.tree.infoset_labels[player])}


@pytest.fixture(scope="module")
def built() -> Built:
    tree = tremble.build(RULES)
    profiles = [profile_of(learned(RULES, iterations)) for iterations in (12, 30)]
    rows = [[by_label(RULES, side, set(tree.infoset_labels[side.player])) for side in each] for each in profiles]
    return Built(tree, profiles, rows, Assessment(tree, given_profile(tree, rows[0]).strategies))


def plain(label: str) -> str:
    return label.replace(",", "")


# -- one hand ------------------------------------------------------------------------------------------


def test_a_strategy_is_looked_up_by_a_hand_and_moves(built: Built, tmp_path: Path) -> None:
    solution = tremble.solve(RULES, gap=2)
    solution.to_json(tmp_path / "turn.json")
    again = tremble.Solution.from_json(tmp_path / "turn.json")
    for line, river in (("", ""), ("check, check, 2h", "2h"), ("bet 50, call, Td", "Td")):
        for row in solution.hands(line):
            found = solution.strategies[0][row["hand"], line]
            assert sum(found.values()) == 1
            assert all(float(p) == pytest.approx(row[action]) for action, p in found.items())
            swapped = row["hand"][2:].lower() + " " + row["hand"][:2].upper()
            assert solution.strategies[0][swapped, line.upper().replace(",", "")] == found
            assert river not in row["hand"] or not river
    # A strategy of a file knows its game by the spec, if the game has one.
    assert again.game.spec is None or again.strategies[0]["AhAd", ""] == solution.strategies[0]["AhAd", ""]
    for place, error, named in (
        (("AhAc", ""), GameError, "similar hands are AhAd"), (("KhAd", ""), GameError, "on the board"),
        (("AhAd", "check"), GameError, "player 2 moves after check"), (("Ah", ""), GameError, "expected two cards"),
        (("AhAd", "check, check, Ad"), GameError, "contains a card of the line"),
        (("AhAd", "check, check"), SpecError, "add the river card"),
        (("AhAd", "chck"), SpecError, "did you mean 'check'"), ("AhAd", GameError, "expected a hand and moves"),
    ):  # fmt: skip
        with pytest.raises(error, match=named):
            solution.strategies[0][place]
    with pytest.raises(GameError, match="the game of this strategy is unknown"):
        built.profiles[0][0]["AhAd", ""]


def test_payoffs_of_actions_are_those_of_the_tree(built: Built) -> None:
    compared = 0
    for player in (0, 1):
        against, index = Against(RULES, built.profiles[0], player), built.labels(player)
        for decision in against.decisions():
            for hand in range(len(against.own.cards)):
                k = index.get(RULES.label(player, hand, decision.node, decision.state))
                if k is not None:
                    expected = built.known.best_values_at(player, k)
                    assert against.payoffs(decision, hand) == (None if expected is None else tuple(expected))
                    compared += 1
    assert compared == sum(built.tree.num_infosets)


def mixtures(replies: Any) -> dict[tuple[str, ...], dict[str, F]]:
    """Return the probability of each action of the opponent's next move, for each menu of actions."""
    found: dict[tuple[str, ...], dict[str, F]] = defaultdict(lambda: defaultdict(F))
    for reply in replies:
        for action, p in reply.actions:
            found[tuple(label for label, _ in reply.actions)][action] += p * reply.probability
    return found


def test_explanations_are_those_of_the_tree(built: Built) -> None:
    hands, rng = HandAssessment(GAME, built.profiles[0]), random.Random(1)
    for player in (0, 1):
        index = built.labels(player)
        for label in [*list(index)[:2], *rng.sample(list(index), 5)]:
            expected, found = built.known.explained(player, index[label]), hands.explained(*hands.place(label))
            for name in (
                "player",
                "reach",
                "own_reach",
                "other_reach",
                "dealt",
                "ground",
                "any_belief",
                "value",
                "stake",
            ):
                assert getattr(found, name) == getattr(expected, name), (label, name)
            assert {node.path: node for node in found.nodes} == {node.path: node for node in expected.nodes}
            for one, two in zip(found.actions, expected.actions, strict=True):
                for name in ("action", "probability", "value", "best", "loss", "between", "ends"):
                    assert getattr(one, name) == getattr(two, name), (label, one.action, name)
                assert bool(one.replies) == bool(two.replies)
                if expected.ground is not None:
                    assert mixtures(one.replies) == mixtures(two.replies)
    assert [plain(each.label) for each in hands.most_at_stake(6)] == [e.label for e in built.known.most_at_stake(6)]
    whole = tremble.explain(GAME, built.profiles[0], ("AhAd", "check, check, 2h"))
    assert str(whole).startswith("Player 1 at 'AhAd check, check, 2h': play comes here")


def test_action_values_of_a_solution_are_its_evs() -> None:
    for rules, line in ((RULES, "bet 50"), (HoldemRiver("Kh9d7s4c2h", 20, 30, "50", 1, "AA,99", "QJs,AhTh"), "bet 50")):
        solution = tremble.solve(rules, method="dcfr", gap=1)
        for row in solution.hands(line):
            if row["ev"] is not None:
                values = solution.action_values(f"{row['hand']} {line}")
                paid = rules.pot / 2  # player 2 has not bet
                assert {a: float(v) + paid for a, v in values.items()} == pytest.approx(
                    {a: row[f"ev {a}"] for a in values}, abs=1e-6
                )  # fmt: skip
        assert sum(solution.beliefs_at(f"{solution.hands(line)[0]['hand']} {line}").values()) == 1


# -- the whole profile ---------------------------------------------------------------------------------


def test_evaluations_are_those_of_the_tree(built: Built) -> None:
    profile, rows = built.profiles[0], built.rows[0]
    for function in (tremble.nash_conv, tremble.exploitability, tremble.expected_values):
        assert function(GAME, profile) == function(built.tree, rows)
    for player in (0, 1):
        value, response = tremble.best_response(GAME, profile, player)
        assert value == tremble.best_response(built.tree, rows, player)[0]
        mixed = (response, profile[1]) if player == 0 else (profile[0], response)
        assert not list(kind_of(GAME).faults(mixed))
        assert tremble.expected_values(GAME, mixed)[player] == value
        assert set(response["AhAd" if player == 0 else "QhJh", "" if player == 0 else "check"].values()) == {0, 1}
    other = tremble.solve(HoldemTurn("Kh9d7s4c", 20, 30, "100", 0, "AhAd", "QhJh"), gap=2)
    with pytest.raises(CertificateError, match="another game"):
        tremble.nash_conv(GAME, other)
    jack = tremble.load_rules("jk_four_cards")
    solution = tremble.solve(jack)
    with pytest.raises(GameError, match="not built"):
        tremble.audit(jack, solution)


def test_an_audit_finds_the_losing_actions_of_the_tree(built: Built) -> None:
    found = tremble.audit(GAME, built.profiles[0])
    expected = {}
    for player in (0, 1):
        examined = PlayerAudit(built.tree, player, given_profile(built.tree, built.rows[0]).strategies)
        examined.regrets()
        expected |= {(player, b.label, b.action): b for b in examined.blunders}
        assert found.off_path[player] == examined.off_path
    assert len(found.blunders) == len(expected) > 300
    assert not found.unlisted
    for blunder in found.blunders:
        other = expected[blunder.player, plain(blunder.label), blunder.action]
        for name in ("probability", "loss", "own_reach", "other_reach", "amount"):
            assert getattr(blunder, name) == getattr(other, name)
    assert sum(found.gains) == tremble.nash_conv(built.tree, built.rows[0])
    assert list(found.blunders) == sorted(found.blunders, key=lambda b: -b.amount)


@pytest.mark.slow
def test_a_comparison_is_that_of_the_tree(built: Built) -> None:
    found, expected = tremble.compare(GAME, *built.profiles), tremble.compare(built.tree, *built.rows)
    assert found.equal == expected.equal
    assert len(found.differences) == len(expected.differences) > 300
    there = {(d.player, d.label): d for d in expected.differences}
    for d in found.differences:
        other = there[d.player, plain(d.label)]
        for name in ("actions", "first", "second", "distance", "own", "others", "on_path"):
            assert getattr(d, name) == getattr(other, name)
        assert d.reach == pytest.approx(other.reach)
    for one, two in zip(found.earnings, expected.earnings, strict=True):
        assert (one.player, one.opponent, one.tremble) == (two.player, two.opponent, two.tremble)
        numbers = [[float(getattr(each, name)) for name in ("first", "second", "best", "gift")] for each in (one, two)]
        assert numbers[0] == pytest.approx(numbers[1], abs=1e-6)
    same = tremble.compare(GAME, built.profiles[0], built.profiles[0])
    assert not same.differences
    assert same.equal == built.tree.num_infosets
    assert {e.opponent for e in same.earnings} == {"both"}


# -- hands that are played -----------------------------------------------------------------------------


def lines(rng: random.Random) -> Iterator[Line]:
    """Yield the lines to the decisions of random hands."""
    while True:
        line = Line((RULES.root(),))
        while (player := RULES.player(line.here)) != TERMINAL:
            if player != CHANCE:
                yield line
            action = rng.randrange(len(RULES.actions(line.here)))
            line = line.then(action, RULES.child(line.here, action))


def test_play_knows_the_costs_and_the_hands_of_the_opponent(built: Built) -> None:
    game, met = PlayableOrdered(GAME, built.profiles[0]), 0
    for line, _ in zip(lines(random.Random(3)), range(14), strict=False):
        player, label = RULES.player(line.here), RULES.infoset(line.here)
        k = built.labels(player)[label]
        row = built.rows[0][player][label]
        assert list(game.probabilities(line)) == list(row.values())
        values = built.known.best_values_at(player, k)
        assert game.losses(line) == (None if values is None else tuple(max(values) - value for value in values))
        told, searched = game.possible(line), Playable.possible(game, line)
        if whole := sum(weight for _, weight in told):
            assert searched is not None
            least = sum(weight for _, weight in searched)
            assert {past: w / whole for past, w in told} == {past: w / least for past, w in searched}
            met += 1
        hidden = [event.action for event in game.seen(line) if event.player == CHANCE]
        assert hidden[1 - player] is None
        assert hidden[player] == RULES.name_of(player, line.here[player])
        overall = game.overall(line, len(line.actions))
        known = built.known.explained(player, k, replies=False)
        assert sum(overall) == 1
        assert len(overall) == len(known.actions)
    assert met > 8


# -- pictures, pages and commands ----------------------------------------------------------------------

SPEC = "holdem_turn:board=Kh9d7s4c,pot=20,stack=30,bets=50,raises=1,range1=AhAd 9h9s,range2=QhJh:0.5 AhTh"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("turn") / "turn.json"
    tremble.solve(tremble.load_rules(SPEC), gap=1).to_json(path)
    return path


def test_pictures_of_a_turn(file: Path) -> None:
    solution, game = tremble.Solution.from_json(file), tremble.load_rules(SPEC)
    first = tremble.draw(game, solution)
    later = tremble.draw(game, solution, board="2h", line="check, check")
    assert "A♥A♦" in first.svg()
    assert "2♥" in later.svg()
    assert first.svg() != later.svg()
    assert [panel.line for panel in later.spot().panels][:2] == [(), ("check",)]
    shares = {row.name: row.probabilities for row in later.spot().panels[0].rows}
    exact = solution.strategies[0]["AhAd", "check, check, 2h"]
    assert shares["A♥A♦"] == pytest.approx([float(p) for p in exact.values()])
    for board, line, named in (
        ("2h", None, "give the moves of the turn"), (None, "check, check", "add the river card"),
        ("2d", "check, check, 2h", "differs from the cards"), ("2h3h", "check, check", "give the river card"),
        (None, "bet 50, fold", "play is over"),
    ):  # fmt: skip
        with pytest.raises(SpecError, match=named):
            tremble.draw(game, solution, board=board, line=line)


PAGE = Path(__file__).with_name("hands_page.js")


@pytest.mark.skipif(shutil.which("node") is None, reason="the script of the page runs in node")
def test_the_page_computes_the_numbers_of_all_hands(file: Path, tmp_path: Path) -> None:
    solution, game = tremble.Solution.from_json(file), tremble.load_rules(SPEC)
    rules, text = game.rules, cards_text(game.rules)
    tremble.draw(game, solution, board="2h", line="check, check").save(tmp_path / "turn.html")
    found = subprocess.run(
        ["node", str(PAGE), str(tmp_path / "turn.html")], capture_output=True, text=True, encoding="utf-8", check=True
    )
    page = json.loads(found.stdout)
    assert page["start"] == "check, check / to open 2♥"
    assert page["played"] == 200
    for n, node in enumerate(rules.tree.nodes):
        if node.kind > 1:
            continue
        first, *late = rules.tree.lines[n]
        label = " / ".join([", ".join(first), *(", ".join(moves) or "to open" for moves in late)]) or "the first move"
        here, against = page["decisions"][label], Against(rules, solution.strategies, node.kind)
        rivers = range(len(rules.deal.rivers)) if late else [-1]
        values = [values_at(rules, solution.strategies, n, river) for river in rivers]
        reach = [
            against.reaches([n], river)[0].astype(float) * value.weight
            for river, value in zip(rivers, values, strict=True)
        ]
        total = np.sum(reach, axis=0)
        if not total.sum():
            continue
        frequencies = sum((r[:, None] * value.frequencies).sum(axis=0) for r, value in zip(reach, values, strict=True))
        assert here["shares"] == pytest.approx(frequencies / total.sum(), abs=2e-3)
        for hand in np.flatnonzero(total):
            means = [
                sum(r[hand] * getattr(value, name)[hand] for r, value in zip(reach, values, strict=True) if r[hand])
                / total[hand] for name in ("ev", "equity")
            ]  # fmt: skip
            told = here["hands"][text(rules.name_of(node.kind, int(hand)))]
            assert told == pytest.approx(means, abs=3e-3)


def said(*arguments: object, stdin: str | None = None) -> str:
    """What a command prints, which must succeed."""
    found = run(*arguments, stdin=stdin)
    assert found.exit_code == 0, found.stderr
    return found.stdout


def test_commands_take_turns(file: Path, tmp_path: Path) -> None:
    table = said("explain", SPEC, file, "--line", "check, check, 2h", "--format", "csv").splitlines()
    assert table[0] == "hand,weight,equity,ev,check,ev check,bet 50,ev bet 50"
    assert len(table) == 3
    record = json.loads(said("explain", SPEC, file, "--line", "check", "--format", "json"))
    assert record["player"] == 2
    assert record["actions"] == ["check", "bet 50"]
    assert {each["hand"] for each in record["hands"]} == {"QhJh", "AhTh"}
    assert "Player 2, after check" in said("explain", SPEC, file, "--line", "check")
    assert "Player 1 at 'AhAd'" in said("explain", SPEC, file, "AhAd")
    audit = json.loads(said("audit", SPEC, file, "--format", "json"))
    assert audit["complete"]
    assert audit["unlisted"] == 0
    assert audit["blunders"][0]["infoset"] is None
    compared = json.loads(said("compare", SPEC, file, file, "-o", tmp_path / "same.html", "--format", "json"))
    assert compared["differences"] == []
    assert (tmp_path / "same.html").stat().st_size > 1000
    respond = json.loads(said("respond", SPEC, file, "--format", "json"))
    assert respond["exploitability_of_pot_float"] == pytest.approx(respond["exploitability_float"] / 20)
    assert "% of the pot" in said("respond", SPEC, file)
    drawn = said("draw", SPEC, file, "--line", "check, check", "--board", "2h", "-o", tmp_path / "river.svg")
    assert "round 2, 2h" in drawn
    played = said("play", SPEC, file, "--hands", "1", "--seed", "1", "--seat", "1", stdin="1\nwhy\n1\n1\n1\n")
    assert "Your moves cost" in played
    wrong = run("explain", SPEC, file, "--line", "check", "AhAd")
    assert wrong.exit_code == 2
    assert "--line lists all hands" in wrong.stderr
    tree = run("explain", "kuhn", "NE," + ",".join(["1/2"] * 24), "--line", "")
    assert tree.exit_code == 4
    assert "tables of hands" in tree.stderr
