"""Games of OpenSpiel that are not built: what the double oracle may know of them, and what it makes of it."""

from __future__ import annotations

import json
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

import tremble
from command import run
from tremble.errors import ImperfectRecallError
from tremble.formats.openspiel import OpenSpielMarkovRules, OpenSpielRules, openspiel_rules
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import DefaultRule, UnbuiltGame
from tremble.large.phantom_ttt import PhantomTTT
from tremble.large.positions import Positions

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("pyspiel")

Own = tuple[tuple[Any, ...], tuple[Any, ...]]
"""What both players have perceived and done, in order."""

MERGED = [
    *(f"phantom_ttt(gameversion={v},obstype={o})" for v in ("classical", "abrupt") for o in ("nothing", "numturns")),
    "dark_hex(num_rows=2,num_cols=2,obstype=reveal-numturns)",
    "dark_hex(num_rows=3,num_cols=2,obstype=reveal-numturns)",
    "dark_hex(num_rows=3,num_cols=4,gameversion=cdh,obstype=reveal-numturns)",
    "dark_hex(board_size=3,gameversion=adh,obstype=reveal-numturns)",
    "dark_hex(num_rows=3,num_cols=2,gameversion=adh)",
    "dark_hex(board_size=3,gameversion=adh)",
    "latent_ttt",
    "goofspiel(num_cards=4,imp_info=True)",
    "goofspiel(num_cards=5,imp_info=True,points_order=descending,returns_type=point_difference)",
    "goofspiel(num_cards=5,imp_info=True,points_order=ascending,returns_type=total_points,num_turns=3)",
    "oshi_zumo(coins=5,size=1,horizon=5)",
    "oshi_zumo(coins=6,size=2,horizon=8,alesia=True,min_bid=1)",
]
MERGED = [text.replace("obstype=n", "obstype=reveal-n") for text in MERGED]

FORGETFUL = [
    "dark_hex(num_rows=3,num_cols=2)",
    "dark_hex(board_size=3)",
    "goofspiel(num_cards=4)",
    "goofspiel(num_cards=5,points_order=descending)",
]
"""OpenSpiel's information states do not remember all that the players have been told."""


def visits(rules: Any, choose: Callable[[int], Sequence[int]]) -> Iterator[tuple[Any, Own]]:
    """Histories from the root on, below each one only the chosen actions."""
    stack: list[tuple[Any, Own]] = [(rules.root(), ((), ()))]
    while stack:
        h, own = stack.pop()
        yield h, own
        mover = rules.player(h)
        if mover == TERMINAL:
            continue
        for i in choose(len(rules.actions(h))):
            after = own
            if mover != CHANCE:
                done = (*own[mover], rules.observation(h, mover), i)
                after = (done, own[1]) if mover == 0 else (own[0], done)
            stack.append((rules.child(h, i), after))


def plays(rules: Any, number: int, seed: int = 0) -> Iterator[tuple[Any, Own]]:
    """Histories of random plays."""
    rng = random.Random(seed)
    for _ in range(number):
        yield from visits(rules, lambda width: [rng.randrange(width)])


def future(rules: Any, h: Any) -> tuple[Any, ...]:
    """Who moves, what is perceived, the labels, and what follows at once."""
    mover = rules.player(h)
    if mover == TERMINAL:
        return mover, rules.payoff(h)
    labels = rules.actions(h)
    below = tuple(rules.state_key(rules.child(h, i)) for i in range(len(labels)))
    return mover, rules.chance(h) if mover == CHANCE else rules.observation(h, mover), tuple(labels), below


def faults(rules: Any, histories: Iterator[tuple[Any, Own]]) -> tuple[Counter[str], int]:
    """What contradicts the promises of ``observation`` and ``state_key``, and how often a key came again."""
    known: dict[Any, Any] = {}
    told: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    perceived: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    found: Counter[str] = Counter()
    again = 0
    for h, own in histories:
        key, seen = rules.state_key(h), future(rules, h)
        again += key in known
        found["equal keys, unequal futures"] += known.setdefault(key, seen) != seen
        mover = rules.player(h)
        if mover in (0, 1):
            history, infoset = (*own[mover], rules.observation(h, mover)), rules.infoset(h)
            found["one own history, two information sets"] += told[mover].setdefault(history, infoset) != infoset
            found["one information set, two own histories"] += perceived[mover].setdefault(infoset, history) != history
    return +found, again


# -- what is promised --------------------------------------------------------------------------------


@pytest.mark.sample(8)
@pytest.mark.parametrize("text", MERGED)
def test_what_is_perceived_makes_the_information_sets_and_equal_keys_have_equal_futures(text):
    rules = openspiel_rules(text)
    assert isinstance(rules, OpenSpielMarkovRules)
    found, again = faults(rules, plays(rules, 400))
    assert not found
    assert again > 1000  # else nothing was compared


@pytest.mark.slow
@pytest.mark.parametrize("text", MERGED)
def test_the_same_in_many_more_plays(text):
    rules = openspiel_rules(text)
    assert not faults(rules, plays(rules, 4_000, seed=1))[0]


@pytest.mark.parametrize(
    "text",
    [
        "dark_hex(num_rows=2,num_cols=2,gameversion=adh)",
        "dark_hex(num_rows=2,num_cols=2,obstype=reveal-numturns)",
        "goofspiel(num_cards=3,imp_info=True)",
        "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
        "oshi_zumo(coins=3,size=1,horizon=4)",
    ],
)
def test_the_same_in_all_histories(text):
    rules = openspiel_rules(text)
    found, again = faults(rules, visits(rules, range))
    assert not found
    assert again > 50


@pytest.mark.parametrize("text", FORGETFUL)
def test_forgetful_games_are_not_merged(text):
    rules = openspiel_rules(text)
    assert not hasattr(rules, "state_key")
    assert not hasattr(rules, "observation")
    pretended = OpenSpielMarkovRules(rules.game)
    found, _ = faults(pretended, plays(pretended, 300))
    assert found["one own history, two information sets"] or found["one information set, two own histories"]


@pytest.mark.parametrize(
    "text",
    [
        "kuhn_poker",
        "leduc_poker",
        "liars_dice",
        "matrix_rps",
        "phantom_ttt_ir",
        "dark_hex_ir(gameversion=adh)",
        "battleship",
        "kriegspiel",
    ],
)
def test_other_games_are_not_merged(text):
    rules = openspiel_rules(text)
    assert type(rules) is OpenSpielRules
    assert not hasattr(rules, "state_key")
    assert not hasattr(rules, "observation")


def test_openspiel_plays_our_phantom_tic_tac_toe():
    ours, theirs = PhantomTTT(), openspiel_rules("phantom_ttt")
    rng = random.Random(5)
    there: tuple[dict[Any, Any], ...] = ({}, {}, {})  # information sets of both, keys
    back: tuple[dict[Any, Any], ...] = ({}, {}, {})
    for _ in range(400):
        h, g = ours.root(), theirs.root()
        while True:
            mover = ours.player(h)
            assert theirs.player(g) == mover
            pairs = []
            if mover != TERMINAL:
                pairs = [(2, h[0], theirs.state_key(g)), (mover, ours.infoset(h), theirs.infoset(g))]
            for table, one, two in pairs:
                assert there[table].setdefault(one, two) == two
                assert back[table].setdefault(two, one) == one
            if mover == TERMINAL:
                break
            assert list(ours.actions(h)) == [str(move) for move in theirs.moves(g)]
            i = rng.randrange(len(ours.actions(h)))
            h, g = ours.child(h, i), theirs.child(g, i)
        assert theirs.payoff(g) == ours.payoff(h)


@pytest.mark.slow
def test_openspiel_reaches_all_positions_of_phantom_tic_tac_toe():
    rules = openspiel_rules("phantom_ttt")
    positions = Positions(rules, (DefaultRule(), DefaultRule()), merge=True)
    assert positions.expand_all(10**6, lambda: None)
    assert len(positions) == 415_123
    assert sum(mover >= 0 for mover in positions.mover) == 284_627


def test_merged_rules_are_the_same_game():
    text = "dark_hex(num_rows=2,num_cols=2,gameversion=adh)"
    merged, plain = openspiel_rules(text), OpenSpielRules(text)
    assert merged.identity() == plain.identity()
    assert (merged.title, merged.spec) == (plain.title, plain.spec)
    assert UnbuiltGame.of(merged).digest == UnbuiltGame.of(plain).digest
    assert tremble.build(merged).digest == tremble.build(plain).digest == tremble.load(plain.spec).digest


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("restricted_nash_response(game=kuhn_poker(),p=0.1)", "restricted_nash_response(game=kuhn_poker(),p=0.9)"),
        ("normal_form_extensive_game(game=kuhn_poker())", "normal_form_extensive_game(game=coordinated_mp())"),
    ],
)
def test_games_of_other_games_are_told_apart(one, two):
    """OpenSpiel's own names of them do not tell which games they are made of."""
    assert UnbuiltGame.of(openspiel_rules(one)).digest != UnbuiltGame.of(openspiel_rules(two)).digest
    rules = openspiel_rules(one)
    assert rules.spec == f"openspiel:{one}"
    assert openspiel_rules(rules.spec.removeprefix("openspiel:")).identity() == rules.identity()
    assert UnbuiltGame.of(OpenSpielRules(rules.game)).digest is None


def test_games_of_files_are_told_apart_by_their_content(tmp_path):
    file, digests = tmp_path / "game.efg", []
    for stakes in (1, 2):
        file.write_text(
            'EFG 2 R "g" { "a" "b" }\np "" 1 1 "" { "l" "r" } 0\n'
            f't "" 1 "" {{ {stakes} -{stakes} }}\nt "" 2 "" {{ 0 0 }}\n'
        )
        digests.append(UnbuiltGame.of(openspiel_rules(f"efg_game(filename={file})")).digest)
    assert digests[0] != digests[1]


def test_info_of_what_is_not_built():
    result = run("info", "openspiel:phantom_ttt", "--format", "json")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert (record["zero_sum"], record["constant_sum"], record["nodes"]) == (True, True, None)
    assert record["digest"] == UnbuiltGame.of(openspiel_rules("phantom_ttt")).digest


# -- bounds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("kuhn_poker", (-2, 2)),
        ("phantom_ttt", (-1, 1)),
        ("matrix_mp", (-1, 1)),
        ("goofspiel(num_cards=3,imp_info=True,returns_type=point_difference)", (-3, 3)),
        ("liars_dice(dice_sides=2)", (-1, 1)),
    ],
)
def test_utility_bounds(text, bounds):
    rules = OpenSpielRules(text)
    assert rules.utility_bounds() == bounds
    assert {type(bound) for bound in rules.utility_bounds()} == {int}
    if text != "phantom_ttt":
        tree = tremble.build(rules)
        paid = [tree.payoff_at(leaf)[0] for leaf in range(len(tree.leaves))]
        assert bounds[0] <= min(paid)
        assert max(paid) <= bounds[1]


def test_utility_bounds_are_exact_where_there_are_any():
    rules = OpenSpielRules("kuhn_poker")
    rules.game = SimpleNamespace(min_utility=lambda: -0.1 - 0.2, max_utility=lambda: 1 / 3)
    assert rules.utility_bounds() == (Fraction(-3, 10), Fraction(1, 3))
    rules.game = SimpleNamespace(min_utility=lambda: -inf, max_utility=lambda: 1.0)
    assert rules.utility_bounds() is None
    rules.game = SimpleNamespace(min_utility=lambda: 0.0, max_utility=lambda: inf)
    assert rules.utility_bounds() is None


# -- solving -----------------------------------------------------------------------------------------


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("text", "merged", "value"),
    [
        ("dark_hex(num_rows=2,num_cols=2)", False, 1),
        ("dark_hex(num_rows=2,num_cols=2,obstype=reveal-numturns)", True, 1),
        ("dark_hex(num_rows=2,num_cols=2,gameversion=adh)", True, Fraction(1, 2)),
        ("liars_dice(dice_sides=3)", False, Fraction(1, 9)),
        ("liars_dice(dice_sides=4)", False, Fraction(1, 16)),
        ("goofspiel(num_cards=4,imp_info=True,points_order=descending)", True, 0),
        ("goofspiel(num_cards=3,imp_info=True,returns_type=point_difference)", True, 0),
        ("kuhn_poker", False, Fraction(-1, 18)),
    ],
)
def test_the_double_oracle_agrees_with_the_linear_program(text, merged, value):
    rules = openspiel_rules(text)
    assert hasattr(rules, "state_key") == merged
    found = tremble.solve(rules, method="double-oracle")
    assert (found.value, str(found.status)) == (value, "certified")
    assert tremble.solve(tremble.build(rules), method="lp").value == value


def test_dark_hex_on_three_rows_of_two():
    counted = openspiel_rules("dark_hex(num_rows=3,num_cols=2,obstype=reveal-numturns)")
    found = tremble.solve(counted, method="double-oracle")
    assert (found.value, str(found.status), found.stats["positions"]) == (-1, "certified", 3869)
    # the rows of an abrupt game are checked by the rules alone: its exact linear program takes minutes
    abrupt = openspiel_rules("dark_hex(num_rows=3,num_cols=2,gameversion=adh)")
    found = tremble.solve(abrupt, method="double-oracle")
    assert (found.value, str(found.status), found.stats["positions"]) == (Fraction(-1, 8), "certified", 4624)


@pytest.mark.slow
def test_dark_hex_on_three_rows_of_two_as_a_tree():
    tree = tremble.load("openspiel:dark_hex(num_rows=3,num_cols=2,obstype=reveal-numturns)")
    assert (tree.num_nodes, tree.num_infosets) == (196_357, (3823, 16_019))
    assert tremble.solve(tree, method="lp").value == -1


def test_forgetful_dark_hex_is_refused():
    # the information states tell the number of moves of both so far, and forget what it was before
    rules = openspiel_rules("dark_hex(num_rows=2,num_cols=3)")
    tree = tremble.build(rules)
    assert [tremble.classify_recall(tree, player) for player in (0, 1)] == ["imperfect", "imperfect"]
    with pytest.raises(ImperfectRecallError, match="forgets"):
        tremble.solve(tree)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "value"), [("phantom_ttt", Fraction(2, 3)), ("liars_dice", Fraction(-7, 258))])
def test_values_of_large_games(text, value):
    found = tremble.solve(openspiel_rules(text), method="double-oracle")
    assert (found.value, str(found.status)) == (value, "certified")
