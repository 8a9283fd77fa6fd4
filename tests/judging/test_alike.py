"""What is alike in trees: sizes, classes by brute force, what solvers make of them, and ``tremble shrink``."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import tremble
from command import run
from hand_made import random_game
from hostile_games import RECIPES, hostile_game
from tremble import GameTree, TreeBuilder
from tremble.errors import ImperfectRecallError, LimitReached, SpecError
from tremble.formats.game_json import write_json
from tremble.results import AlikeSets
from tremble.solution.merging import Merging
from tremble.solvers.merging import merging_of
from tremble.strategies import SequenceForm

LEDUC = "openspiel:leduc_poker"
DOTS = "openspiel:dots_and_boxes(num_rows=1,num_cols=2)"


def merging(spec: str) -> Merging:
    if spec.startswith("openspiel:"):
        pytest.importorskip("pyspiel")
    return tremble.shrink(tremble.load(spec))


# -- sizes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spec", "before", "after", "sets"), [
    (LEDUC, (1_562, 1_562, 8_042), (482, 482, 1_928), (144, 144)),
    (DOTS, (11_223, 11_140, 26_249), (115, 119, 256), (38, 60)),
    ("openspiel:blotto(coins=5,fields=3,players=2)", (24, 24, 256), (8, 8, 30), (1, 1)),
    ("openspiel:dark_hex(board_size=2)", (203, 179, 596), (75, 68, 216), (15, 37)),
    ("openspiel:nim(pile_sizes=1;2;3)", (355, 360, 895), (171, 170, 419), (65, 64)),
    ("openspiel:battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2,"
     "allow_repeated_shots=false)", (395, 275, 1_164), (8, 8, 18), (3, 3)),
    ("goofspiel:cards=3", (608, 608, 1_370), (311, 311, 698), (138, 138)),
])  # fmt: skip
def test_what_is_left_of_programs(
    spec: str, before: tuple[int, int, int], after: tuple[int, int, int], sets: tuple[int, int]
) -> None:
    found = merging(spec)
    assert (found.raw.rows, found.raw.columns, found.raw.nonzeros) == before
    assert (found.sizes.rows, found.sizes.columns, found.sizes.nonzeros) == after
    assert found.sizes.information_sets == sets
    assert found.raw.information_sets == found.game.num_infosets
    assert found.raw.sequences == SequenceForm.of(found.game).num_sequences


# -- classes -----------------------------------------------------------------------------------------


def coarsest(tree: GameTree) -> list[list[int]]:
    """The class of each sequence of each player, by dictionaries: from all alike until nothing splits."""
    form = SequenceForm.of(tree)
    known = (form.payoff,) if tree.constant_sum is not None else (form.payoff, form.payoff2, form.mass)
    paid = [values.tolist() for values in known if values is not None]
    classes: list[list[int]] = [[int(s > 0) for s in range(count)] for count in form.num_sequences]
    while True:
        seen: list[list[Any]] = []
        for player, own in enumerate(form.sequences):
            of, other = classes[player], classes[1 - player]
            sums: list[Counter[tuple[int, int]]] = [Counter() for _ in of]
            for level, values in enumerate(paid):
                for one, two, value in zip(form.row.tolist(), form.column.tolist(), values, strict=True):
                    mine, theirs = (one, two) if player == 0 else (two, one)
                    sums[mine][level, other[theirs]] += value
            sets = [(of[before], *sorted(of[first:end])) for before, first, end in own.steps()]
            below: list[list[Any]] = [[] for _ in of]
            for k, (before, _, _) in enumerate(own.steps()):
                below[before].append(sets[k])
            totals = [tuple(sorted((c, v) for c, v in each.items() if v)) for each in sums]
            at = [sets[k] if k >= 0 else () for k in own.set_of.tolist()]
            seen.append(list(zip(of, at, map(tuple, map(sorted, below)), totals, strict=True)))
        new = [numbered(each) for each in seen]
        if new == classes:
            return classes
        classes = new


def numbered(values: list[Any]) -> list[int]:
    number: dict[Any, int] = {}
    return [number.setdefault(value, len(number)) for value in values]


def pennies(builder: TreeBuilder, name: str, stake: Fraction, *, zero_sum: bool) -> None:
    """Matching pennies for a stake on heads, and half of it on tails; player 1 shows its coin or says nothing."""
    builder.decision(0, f"a{name}", ("show", "hide"))
    for shown in (True, False):
        builder.decision(0, f"b{name}{shown}", ("heads", "tails"))
        for one in range(2):
            builder.decision(1, f"c{name}{one if shown else ''}", ("heads", "tails"))
            for two in range(2):
                won = stake / (one + 1) * (1 if one == two else -1)
                builder.leaf(won, -won if zero_sum else won * won)


def copies(stakes: list[Fraction], *, zero_sum: bool = True) -> GameTree:
    builder = TreeBuilder(title="copies")
    builder.chance([f"deal {i}" for i in range(len(stakes))], [Fraction(1, len(stakes))] * len(stakes))
    for i, stake in enumerate(stakes):
        pennies(builder, str(i), stake, zero_sum=zero_sum)
    return builder.finish()


@pytest.mark.parametrize("name", RECIPES)
def test_classes_are_the_coarsest(name: str) -> None:
    for seed in range(3):
        tree = hostile_game(name, seed)
        found = tremble.shrink(tree)
        assert [of.tolist() for of in found.sequences] == coarsest(tree)
        assert found.sizes.sequences == tuple(max(of) + 1 for of in coarsest(tree))


@pytest.mark.parametrize("seed", range(10))
def test_classes_of_any_sum_are_the_coarsest(seed: int) -> None:
    """Each player's, for what both are paid and how likely chance leads there."""
    tree = next(
        game for more in range(100)
        if (game := random_game(1_000 * more + seed, 3, zero_sum=False)).constant_sum is None
    )  # fmt: skip
    assert [of.tolist() for of in tremble.shrink(tree).sequences] == coarsest(tree)


def test_interchangeable_players() -> None:
    """Hawk and dove, and the same with three kinds of doves."""
    pays = [[-1, 4], [0, 2]]
    found = tremble.shrink(tremble.matrix_game(pays, [list(row) for row in zip(*pays, strict=True)]))
    assert (found.players_alike, found.classes) == (True, ())
    assert (found.raw.rows, found.raw.columns, found.sizes.rows, found.sizes.columns) == (6, 7, 3, 4)
    assert "interchangeable" in str(found)
    doves = [[pays[min(i, 1)][min(j, 1)] for j in range(4)] for i in range(4)]
    found = tremble.shrink(tremble.matrix_game(doves, [[2 * cell for cell in row] for row in zip(*doves, strict=True)]))
    assert (found.players_alike, found.sizes.rows) == (True, 3)
    assert [each.like_actions for each in found.classes] == [(("1", "2", "2", "2"),)] * 2
    found = tremble.shrink(tremble.matrix_game(doves, pays and [[0, 1, 1, 1]] * 4))
    assert found.players_alike is False


@pytest.mark.parametrize("zero_sum", [True, False])
def test_copies_are_alike_and_a_changed_one_is_not(zero_sum: bool) -> None:
    one = Fraction(1)
    alone = tremble.shrink(copies([one], zero_sum=zero_sum)).sizes
    found = tremble.shrink(copies([one, one, one], zero_sum=zero_sum))
    assert (found.sizes.information_sets, found.sizes.rows) == (alone.information_sets, alone.rows)
    assert [of.tolist() for of in found.sequences] == coarsest(found.game)
    assert {each.infosets for each in found.classes if each.player == 0} == {(0, 3, 6), (1, 4, 7), (2, 5, 8)}
    apart = tremble.shrink(copies([one, one + Fraction(1, 10**30), one], zero_sum=zero_sum))
    assert {each.infosets for each in apart.classes if each.player == 0} == {(0, 6), (1, 7), (2, 8)}


def test_the_first_set_and_action_that_each_is_like() -> None:
    builder = TreeBuilder()
    builder.chance(("deal 1", "deal 2"), (Fraction(1, 2), Fraction(1, 2)))
    for name, moves in (("x", ("up", "down", "below")), ("y", ("low", "high", "deep"))):
        builder.decision(0, name, moves)
        for move in moves:
            won = int(move in ("up", "high"))
            builder.leaf(won, -won)
    found = tremble.shrink(builder.finish())
    actions = ("up", "down", "below"), ("low", "high", "deep")
    assert found.classes == (
        AlikeSets(0, (0, 1), ("x", "y"), actions, (("up", "down", "down"), ("down", "up", "down"))),
    )
    assert "low = deep like down, high like up" in str(found)
    told = [(row["label"], row["action"], row["like_infoset"], row["like_action"]) for row in found.to_rows()]
    assert told == [
        ("x", "up", 1, "up"), ("x", "down", 1, "down"), ("x", "below", 1, "down"),
        ("y", "low", 1, "down"), ("y", "high", 1, "up"), ("y", "deep", 1, "down"),
    ]  # fmt: skip


@pytest.mark.parametrize(("spec", "concept"), [("goofspiel:cards=3", "nash"), ("goofspiel:cards=3", "quasi-perfect"),
                                               (LEDUC, "nash"), ("matching_pennies", "perfect")])  # fmt: skip
def test_solutions_play_alike_what_is_alike(spec: str, concept: str) -> None:
    found = merging(spec)
    solution = tremble.solve(found.game, concept, method="lp")
    assert solution.status == "certified"
    for alike in found.classes:
        rows = [solution.strategies[alike.player].row(k) for k in alike.infosets]
        first = dict(zip(alike.actions[0], rows[0], strict=True))
        for row, actions in zip(rows, alike.like_actions, strict=True):
            assert list(row) == [first[action] for action in actions]


# -- what cannot be merged ---------------------------------------------------------------------------


def test_nothing_to_merge() -> None:
    found = tremble.shrink(tremble.load("kuhn"))
    assert (found.raw, found.classes) == (found.sizes, ())
    shown = run("shrink", "kuhn", "--mode", "merged").stdout
    assert "nothing to merge" in shown
    assert "13 + 13" in shown


def chain(length: int) -> GameTree:
    """Two copies of a game in which player 1 may stop at each of many moves, all for the same payoff but the last."""
    builder = TreeBuilder()
    builder.chance(("left", "right"), (Fraction(1, 2), Fraction(1, 2)))
    for side in ("left", "right"):
        for move in range(length):
            builder.decision(0, f"{side} {move}", ("stop", "go on"))
            builder.leaf(0, 0)
        builder.leaf(1, -1)
    return builder.finish()


def test_refinement_of_deep_games_is_given_up() -> None:
    assert tremble.shrink(chain(20)).sizes.information_sets == (20, 0)
    found = tremble.shrink(chain(300))
    assert (found.rounds, found.raw, found.classes) == (None, found.sizes, ())
    assert "abandoned" in str(found)


def test_games_that_have_no_program() -> None:
    with pytest.raises(ImperfectRecallError):
        tremble.shrink(tremble.recall.forget(tremble.load("kuhn"), 0, last=0).tree)
    with pytest.raises(SpecError, match="the mode 'full' is for rules of ordered games"):
        tremble.shrink(tremble.load("kuhn"), "full")  # type: ignore[call-overload]
    with pytest.raises(SpecError, match="the mode 'merged' accepts no threshold"):
        tremble.shrink(tremble.load("kuhn"), "merged", 0.1)


def test_it_can_be_stopped() -> None:
    def stop() -> None:
        raise LimitReached("now")

    with pytest.raises(LimitReached, match="now"):
        merging_of(tremble.load("kuhn"), stop)
    late = run("shrink", "goofspiel:cards=4", "--time-limit", "0.01")
    assert late.exit_code == 5
    assert "there is no result yet" in late.stderr or "stopped by the time limit" in late.stderr


def test_games_of_openspiel_are_trees() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    assert tremble.shrink(pyspiel.load_game("leduc_poker")).sizes.rows == 482


# -- in a line ---------------------------------------------------------------------------------------


def test_info_tells_what_merging_would_save() -> None:
    found = merging(DOTS)
    told = tremble.info(found.game)["merged"]
    assert told == {
        "rows": [11_223, 115], "columns": [11_140, 119], "entries": [26_249, 256],
        "information_sets": [[2_275, 38], [6_385, 60]],
    }  # fmt: skip
    line = "115 of 11,223 rows of the linear program and 38 + 60 of 2,275 + 6,385 information sets remain"
    assert line in str(found.game)
    assert "nothing to merge" in run("info", "kuhn").stdout


@pytest.mark.parametrize("spec", ["beer_quiche", "wichardt", "rhode_island"])
def test_info_of_what_has_no_linear_program(spec: str) -> None:
    assert json.loads(run("info", spec, "--format", "json").stdout)["merged"] is None
    assert "merge" not in run("info", spec).stdout


# -- the command -------------------------------------------------------------------------------------


def test_the_command_lists_classes_the_largest_first(tmp_path: Path) -> None:
    path = tmp_path / "copies.json"
    write_json(copies([Fraction(1)] * 6), path)
    shown = run("shrink", str(path)).stdout
    assert "lossless" in shown
    assert "… 2 more" in shown
    record = json.loads(run("shrink", str(path), "--format", "json").stdout)
    found = tremble.shrink(tremble.load(path))
    assert (record["mode"], record["lossless"], record["rounds"]) == ("merged", True, found.rounds)
    assert (record["rows"], record["raw"]["rows"]) == (found.sizes.rows, found.raw.rows)
    assert record["information_sets"] == list(found.sizes.information_sets)
    sizes = [len(each["infosets"]) for each in record["classes"]]
    assert sizes == sorted(sizes, reverse=True)
    first = record["classes"][0]
    assert (first["player"], first["labels"]) == (1, [f"a{i}" for i in range(6)])
    assert first["actions"] == first["like_actions"] == [["show", "hide"]] * 6
    rows = list(csv.DictReader(io.StringIO(run("shrink", str(path), "--format", "csv").stdout)))
    assert rows == [{key: str(cell) for key, cell in row.items()} for row in found.to_rows()]


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    builder = TreeBuilder(title="T\x1b[2J")
    builder.chance(("x", "y"), (Fraction(1, 2), Fraction(1, 2)))
    for name in ("\x1b[31mred", "\u202eright"):
        builder.decision(0, name, ("=1+1", f"\x07{name}"))
        builder.leaf(0, 0)
        builder.leaf(0, 0)
    path = tmp_path / "hostile.json"
    write_json(builder.finish(), path)
    for form in ("table", "csv", "json"):
        done = run("shrink", str(path), "--format", form)
        assert done.exit_code == 0, done.stderr
        assert not set(done.stdout) & set("\x1b\x07\u202e")
    rows = list(csv.DictReader(io.StringIO(run("shrink", str(path), "--format", "csv").stdout)))
    assert rows[1]["like_action"] == "'=1+1"
