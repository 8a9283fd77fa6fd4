"""Abstraction of ordered games: sizes, what each mode keeps and loses, thresholds, and ``tremble shrink``."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from ordered_games import (
    JackKing,
    KuhnCards,
    LeducCards,
    RandomCards,
    Told,
    TwoOrders,
    lifted,
    solved_and_lifted,
)
from tremble.errors import GameError, SpecError, TooLargeError
from tremble.poker.abstraction.dominance import undominated
from tremble.poker.abstraction.frequencies import frequencies
from tremble.poker.abstraction.lossless import is_equitable
from tremble.poker.abstraction.report import AbstractionReport
from tremble.poker.abstraction.threshold import Clustering, _matched, _matched_on_a_line
from tremble.poker.deals import Deals
from tremble.poker.filter import Filter
from tremble.poker.game import OrderedGame
from tremble.poker.games.rhode_island import RhodeIsland

LEDUC_VALUE = Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)


def groups(classes: Any) -> set[frozenset[int]]:
    """A partition as sets of nodes."""
    found: dict[int, set[int]] = {}
    for node, number in enumerate(classes.tolist()):
        found.setdefault(number, set()).add(node)
    return {frozenset(nodes) for nodes in found.values()}


def refines(fine: Filter, coarse: Filter) -> bool:
    return all(
        len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist()))
        for player in (0, 1)
        for a, b in zip(fine.class_of[player], coarse.class_of[player], strict=True)
    )


# -- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "rows"),
    [(3, 48_848), (4, 129_026), (5, 268_592), (6, 484_010), (8, 1_208_258), (10, 2_433_482), (13, 5_498_768)],
)
def test_lossless_sizes_of_rhode_island(ranks: int, rows: int) -> None:
    game = RhodeIsland(ranks=ranks)
    found = tremble.shrink(game)
    assert found.sizes.rows == rows
    assert is_equitable(game, found.filter)


def test_the_whole_of_rhode_island() -> None:
    report = AbstractionReport.of(tremble.shrink(tremble.load_rules("rhode_island")))
    assert report.sizes.classes == ((13, 325, 7969),) * 2
    assert (report.signals, report.signal_tree, report.own_nodes) == (52, 6_632_705, (52, 2_652, 132_600))
    assert report.raw.rows == 91_224_226 == 14 * (52 + 7 * 2_652 + 49 * 132_600) + 2
    assert report.lossless
    assert report.nonzeros == 130_629_332


def test_the_published_sizes() -> None:
    report = AbstractionReport.of(tremble.shrink(RhodeIsland(), "published"))
    assert report.sizes.classes == ((13, 205, 1774),) * 2
    assert report.sizes.rows == 1_237_238
    assert report.nonzeros == 50_428_638
    assert not report.lossless


@pytest.mark.parametrize("game", [LeducCards(), JackKing(), RandomCards(7, 4, ((0, 1), (1, 0)), tie=1)])
def test_nonzeros_are_those_of_the_program_that_is_built(game: OrderedGame) -> None:
    found = tremble.shrink(game, "published")
    form = tremble.strategies.SequenceForm.of(tremble.build(Told(game, found.filter)))
    constraints = sum(form.side(player).num_sequences + form.side(player).num_infosets for player in (0, 1))
    assert AbstractionReport.of(found).nonzeros == np.count_nonzero(form.payoff) + constraints


@pytest.mark.parametrize(("game", "classes", "sequences"), [
    (LeducCards(), (3, 9), 337), (KuhnCards(), (3,), 13), (JackKing(), (2,), 9),
])  # fmt: skip
def test_lossless_sizes_of_small_games(game: OrderedGame, classes: tuple[int, ...], sequences: int) -> None:
    sizes = tremble.shrink(game).sizes
    assert sizes.classes == (classes, classes)
    assert sizes.sequences == (sequences, sequences)


# -- what is kept and lost, in exact fractions ------------------------------------------------------


def test_lossless_keeps_leduc() -> None:
    solution, loss = solved_and_lifted(LeducCards(), tremble.shrink(LeducCards()).filter)
    assert (solution.value, loss) == (LEDUC_VALUE, 0)
    assert solution.value == tremble.solve(tremble.load("leduc")).value


def test_the_published_rule_loses_in_leduc() -> None:
    """A jack beside a queen and beside a king wins as often, but not against the same hands."""
    found = tremble.shrink(LeducCards(), "published")
    assert found.sizes.classes[0] == (3, 7)
    assert found.sizes.sequences == (267, 267)
    assert not is_equitable(found.game, found.filter)
    solution, loss = solved_and_lifted(found.game, found.filter)
    # What is left is worth more: so *every* equilibrium of it loses at least the difference.
    assert loss >= solution.value - LEDUC_VALUE > Fraction(1, 60)
    assert solution.value == Fraction(-656603858821824373111, 9557388950712957659925)
    assert round(float(solution.value), 4) == -0.0687
    assert loss > Fraction(3, 4)


def test_the_literal_algorithm_loses_more() -> None:
    found = tremble.shrink(LeducCards(), "literal")
    assert found.sizes.classes[0] == (3, 4)
    solution, loss = solved_and_lifted(found.game, found.filter)
    assert solution.value == Fraction(-9577235685869419, 76106872079672425)
    assert loss > 1


@pytest.mark.parametrize("mode", ["lossless", "published", "literal"])
@pytest.mark.parametrize(("game", "value"), [(KuhnCards(), Fraction(-1, 18)), (JackKing(), Fraction(0))])
def test_no_mode_loses_in_kuhn_or_with_jacks_and_kings(game: OrderedGame, value: Fraction, mode: str) -> None:
    solution, loss = solved_and_lifted(game, tremble.shrink(game, mode).filter)
    assert (solution.value, loss) == (value, 0)


DEALS = [((0, 1), (1, 0)), ((1, 1),), ((0, 1), (0, 1)), ((1, 1), (0, 1)), ((0, 1), (1, 0), (1, 0))]


@pytest.mark.parametrize("seed", range(8))
def test_lossless_keeps_random_games(seed: int) -> None:
    game = RandomCards(seed, 4, DEALS[seed % 3], tie=seed % 3 - 1)
    solution, loss = solved_and_lifted(game, tremble.shrink(game).filter)
    assert (solution.value, loss) == (tremble.solve(tremble.build(game)).value, 0)


@pytest.mark.parametrize("seed", range(8))
def test_lossless_keeps_weighted_games(seed: int) -> None:
    game = RandomCards(seed, 4, DEALS[seed % 3], tie=seed % 3 - 1)
    if seed % 2:
        game.weights = [Fraction(weight, 7) for weight in (1, 2, 2, 2)]
    else:
        game.ranges = [{(0,): 1, (1,): 1, (2,): 2}, {(1,): 1, (2,): 1, (3,): seed}]
    solution, loss = solved_and_lifted(game, tremble.shrink(game).filter)
    assert (solution.value, loss) == (tremble.solve(tremble.build(game)).value, 0)


@pytest.mark.parametrize("seed", range(60))
def test_lossless_is_equitable_for_both_players(seed: int) -> None:
    game = RandomCards(seed, 5 + seed % 2, DEALS[seed % 5], tie=seed % 3 - 1)
    assert is_equitable(game, tremble.shrink(game).filter)


@pytest.mark.parametrize(("seed", "tie"), [(5, 1), (9, 1), (13, -1), (22, -1)])
def test_ties_that_one_player_wins_make_roles_differ(seed: int, tie: int) -> None:
    """Here nodes that look alike to player 1 need not to player 2."""
    game = RandomCards(seed, 5, ((1, 1), (0, 1)), tie)
    assert is_equitable(game, tremble.shrink(game).filter)


# -- the published rule against multisets of Python -------------------------------------------------


def labels_by_hand(game: OrderedGame, player: int, number: int, own: tuple[Any, Any]) -> Hashable:
    """Counts of outcomes at an own node, and the multiset of its children's labels."""
    deals = Deals.of(game).rounds[number]
    public, private = own
    b = [tuple(p) for p in deals.public.tolist()].index(public)
    hands = [tuple(h) for h in deals.hands[b].tolist()]
    counts: Counter[int] = Counter()
    if deals.strength is not None:
        me = game.strength(public, private)
        for other in hands:
            if not set(other) & set(private):
                it = game.strength(public, other)
                counts[(me > it) - (me < it)] += 1
    if number + 1 == len(game.rounds):
        return tuple(sorted(counts.items()))
    below = Deals.of(game).rounds[number + 1]
    children: Counter[Hashable] = Counter()
    for c, seen in enumerate(below.public.tolist()):
        for hand in below.hands[c].tolist():
            extends = tuple(seen[: len(public)]) == public and tuple(hand[: len(private)]) == private
            if extends and not set(seen) & set(hand):
                children[labels_by_hand(game, player, number + 1, (tuple(seen), tuple(hand)))] += 1
    return tuple(sorted(counts.items())), frozenset(children.items())


@pytest.mark.parametrize("game", [LeducCards(), *(RandomCards(seed, 5, DEALS[seed]) for seed in range(5) if seed != 4)])
def test_published_classes_by_hand(game: OrderedGame) -> None:
    classes = tremble.shrink(game, "published").filter.class_of[0]
    paths: list[Hashable] = []
    for number, deals in enumerate(Deals.of(game).rounds):
        above = paths
        paths = []
        for b, seen in enumerate(deals.public.tolist()):
            for i, hand in enumerate(deals.hands[b].tolist()):
                before = above[deals.earlier[b * deals.num_hands + i]] if above else None
                paths.append((before, labels_by_hand(game, 0, number, (tuple(seen), tuple(hand)))))
        numbers: dict[Hashable, int] = {}
        by_hand = np.array([numbers.setdefault(path, len(numbers)) for path in paths])
        assert groups(by_hand) == groups(classes[number])


# -- thresholds ------------------------------------------------------------------------------------

RUNGS = (0.0, 1e-9, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


def test_the_ends_of_the_ladder() -> None:
    game = RhodeIsland()
    coarse, fine = tremble.poker.ladder(game, [0, float("inf")])
    assert (coarse.sizes.rows, fine.sizes.rows) == (800, 5_498_768)
    assert refines(fine.filter, tremble.shrink(game).filter)
    assert refines(tremble.shrink(game).filter, fine.filter)
    assert tremble.shrink(game, "threshold", Fraction(1, 10)).sizes.rows == 173_952


@pytest.mark.parametrize("game", [RhodeIsland(ranks=5), LeducCards(), RandomCards(3, 6, DEALS[4], tie=1)])
def test_each_rung_refines_the_one_before(game: OrderedGame) -> None:
    rungs = list(tremble.poker.ladder(game, reversed(RUNGS)))
    assert [rung.threshold for rung in rungs] == sorted(RUNGS, reverse=True)
    assert all(refines(fine.filter, coarse.filter) for coarse, fine in pairwise(rungs))
    assert rungs[0].filter.num_classes(0) == (1,) * len(game.rounds)


def test_hands_of_a_class_are_within_the_threshold() -> None:
    game = RhodeIsland(ranks=4)
    counts = frequencies(Deals.of(game).rounds[2])[0]  # losses, ties, wins
    strength = (counts[:, 2] + counts[:, 1] / 2) / counts.sum(axis=1)
    classes = Clustering.of(game).cut(0.1).class_of[0][2]
    spread = [np.ptp(strength[classes == number]) for number in range(classes.max() + 1)]
    assert 0.05 < max(spread) <= 0.1 + 1e-9


def test_matching_on_a_line_is_the_cheapest() -> None:
    rng = np.random.default_rng(5)
    value = rng.random(9)
    children = rng.integers(0, 9, (6, 5))
    assert np.allclose(_matched_on_a_line(children, value), _matched(children, np.abs(value[:, None] - value)))
    by_hand = min(np.abs(value[children[0]] - value[list(order)]).mean() for order in permutations(children[1]))
    assert np.isclose(_matched_on_a_line(children, value)[0, 1], by_hand)


def test_thresholds_with_ranges() -> None:
    """A hand that a player never holds has no class, whatever the threshold."""
    game = RandomCards(2, 4, ((0, 1), (1, 0)))
    game.ranges = [{(0,): 1, (1,): 2}, {(1,): 1, (2,): 1, (3,): 3}]
    for found in tremble.poker.ladder(game, RUNGS):
        for player, hands in ((0, [0, 1]), (1, [1, 2, 3])):
            assert np.flatnonzero(found.filter.class_of[player][0] >= 0).tolist() == hands


# -- the second counterexample of the paper ---------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_two_orders_are_no_ordered_game(order: tuple[int, int, int]) -> None:
    with pytest.raises(GameError, match=r"do not follow the order of the hands.*(J1|J2|K)"):
        tremble.shrink(TwoOrders(order))


def test_merging_by_one_players_order_loses() -> None:
    solution, loss = lifted(tremble.build(TwoOrders()), tremble.build(TwoOrders(merged=True)))
    assert solution.status == "certified"
    assert loss == Fraction(1, 3)


# -- wrong inputs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "threshold", "said"), [
    ("best", None, "unknown mode 'best'; choose from: lossless, published, literal, threshold, full, merged"),
    ("threshold", None, "needs a threshold"),
    ("threshold", -1, "at least 0, not -1"),
    ("threshold", float("nan"), "at least 0, not nan"),
    ("threshold", "x", "at least 0, not x"),
    ("lossless", 0.1, "the mode 'lossless' accepts no threshold"),
    ("published", 0, "the mode 'published' accepts no threshold"),
])  # fmt: skip
def test_wrong_modes_and_thresholds(mode: str, threshold: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        tremble.shrink(KuhnCards(), mode, threshold)


def test_what_is_no_ordered_game_is_refused() -> None:
    with pytest.raises(GameError, match=r"rules of an ordered game.* tremble\.build\(game\)"):
        tremble.shrink(tremble.load_rules("phantom_ttt"))
    with pytest.raises(GameError, match="object"):
        tremble.shrink(object())
    with pytest.raises(SpecError, match="the mode 'merged' is for trees"):
        tremble.shrink(KuhnCards(), "merged")


def test_rules_may_name_their_ordered_game() -> None:
    class Cards:
        def ordered(self) -> OrderedGame:
            return JackKing()

    assert tremble.shrink(Cards()).sizes.sequences == (9, 9)


def test_the_literal_algorithm_is_for_small_games() -> None:
    with pytest.raises(TooLargeError, match="at most 50,000 nodes, not 6,632,705"):
        tremble.shrink(RhodeIsland(), "literal")


# -- the command -----------------------------------------------------------------------------------


def test_the_command_shows_sizes_and_says_what_is_lost() -> None:
    shown = run("shrink", "rhode_island:ranks=3").stdout
    assert "lossless" in shown
    assert "48,848" in shown
    lossy = run("shrink", "rhode_island:ranks=3", "--mode", "published").stdout
    assert "LOSSY" in lossy
    assert "27,876" in lossy


def test_json_and_csv_of_the_command() -> None:
    record = json.loads(run("shrink", "rhode_island:ranks=3", "--format", "json").stdout)
    assert record["classes"] == [[3, 15, 69]] * 2
    assert (record["rows"], record["sequences"], record["lossless"]) == (48_848, [34_891] * 2, True)
    assert (record["raw"]["classes"], record["raw"]["rows"]) == ([[12, 132, 1_320]] * 2, 918_626)
    assert record["threshold_float"] is record["certified_loss"] is None
    assert record["seconds"].keys() == {"dealing", "merging", "counting", "checking"}
    rungs = run("shrink", "rhode_island:ranks=3", "--ladder", "0,1/10,inf", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(rungs)))
    assert [(row["classes_1"], row["rows"], row["lossless"]) for row in rows] == [
        ("1/1/1", "800", "False"), ("3/6/19", "13666", "False"), ("3/15/69", "48848", "True"),
    ]  # fmt: skip
    assert [entry["threshold_float"] for entry in json.loads(
        run("shrink", "rhode_island:ranks=3", "--ladder", "0,1/10,inf", "--format", "json").stdout
    )] == [1.0, 0.1, 0.0]  # fmt: skip
    assert "LOSSY" in run("shrink", "rhode_island:ranks=3", "--ladder", "0,0.1").stdout


def test_the_command_eliminates_with_and_without_shrinking() -> None:
    shown = run("shrink", "rhode_island:ranks=2", "--mode", "full", "--dominance").stdout
    assert "without dominated actions" in shown
    for mode in ("full", "lossless"):
        record = json.loads(
            run("shrink", "rhode_island:ranks=2", "--mode", mode, "--dominance", "--format", "json").stdout
        )
        left = undominated(tremble.shrink(RhodeIsland(ranks=2), mode).filtered)
        found = record["dominance"]
        assert (found["rows"], found["columns"]) == (left.rows, left.columns)
        assert found["rows"] < record["rows"] <= record["raw"]["rows"]
        assert record["lossless"]
        assert "eliminating" in record["seconds"]
        assert (record["rows"] == record["raw"]["rows"]) == (mode == "full")
        assert f"{left.rows:,}" in shown or mode != "full"
    assert json.loads(run("shrink", "rhode_island:ranks=2", "--format", "json").stdout)["dominance"] is None
    (row,) = csv.DictReader(io.StringIO(run("shrink", "rhode_island:ranks=2", "--dominance", "--format", "csv").stdout))
    assert (int(row["undominated_rows"]), int(row["undominated_columns"])) == (found["rows"], found["columns"])


def test_the_command_computes_what_is_lost() -> None:
    """By the lifting of the product: the same as by hand, above."""
    record = json.loads(run("shrink", "leduc", "--mode", "published", "--loss", "0", "--format", "json").stdout)
    _, loss = solved_and_lifted(LeducCards(), tremble.shrink(LeducCards(), "published").filter)
    assert (Fraction(record["certified_loss"]), record["lossless"]) == (loss, False)
    assert json.loads(run("shrink", "leduc", "--loss", "0", "--format", "json").stdout)["certified_loss"] == "0"
    table = run("shrink", "kuhn", "--ladder", "0,1", "--loss", "0").stdout
    assert "loss" in table.splitlines()[1]


@pytest.mark.parametrize(("args", "code", "said"), [
    (["rhode_island", "--loss", "0"], 4, "6,705,372,545 nodes"),
    (["kuhn", "--loss", "-1"], 2, "must not be negative"),
    (["kuhn", "--time-limit", "1"], 2, "so it needs --loss"),
    (["rhode_island", "--mode", "best"], 2, "unknown mode 'best'"),
    (["rhode_island", "--mode", "threshold"], 2, "needs a threshold"),
    (["rhode_island", "--mode", "threshold", "--threshold", "-1"], 2, "must not be negative"),
    (["rhode_island", "--threshold", "0.1"], 2, "accepts no threshold"),
    (["rhode_island", "--ladder", "0,x"], 2, "Invalid value for '--ladder'"),
    (["rhode_island", "--ladder", "0,1", "--mode", "literal"], 2, "--ladder contains all thresholds"),
    (["kuhn", "--ladder", "0,1", "--dominance"], 2, "cannot be used with --ladder"),
    (["rhode_island", "--mode", "literal"], 4, "at most 50,000 nodes"),
    (["phantom_ttt"], 4, "raise --max-nodes to build it"),
    (["matching_pennies.efg", "--loss", "0"], 2, "--loss and --dominance are for ordered games"),
    (["matching_pennies.efg", "--mode", "published"], 2, "the mode 'published' is for rules of ordered games"),
    (["wichardt"], 4, "forgets"),
    (["leduc", "--mode", "merged", "--ladder", "0,1"], 2, "--ladder contains all thresholds"),
    (["leduc", "--mode", "merged", "--loss", "0"], 2, "are for ordered games"),
    (["nowhere.efg"], 3, "nowhere.efg"),
])  # fmt: skip
def test_exit_codes(args: list[str], code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tremble.write_efg(tremble.load("matching_pennies"), "matching_pennies.efg")
    result = run("shrink", *args)
    assert result.exit_code == code
    assert said in result.stderr


def test_the_losses_of_a_ladder_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "losses.svg"
    asked = ("shrink", "rhode_island:ranks=2", "--ladder", "0,0.2,1", "--loss", "1", "--plot", str(picture))
    done = run(*asked, "--format", "json")
    assert done.exit_code == 0, done.stderr
    lost = [Fraction(rung["certified_loss"]) for rung in json.loads(done.stdout)]
    assert lost[0] > lost[-1] > 0
    assert picture.read_text().count("lossless") == 1
    assert run(*asked[:2], "--loss", "1", "--plot", picture).exit_code == 2


@pytest.mark.slow
def test_the_published_rule_loses_a_third_of_an_ante_in_rhode_island() -> None:
    with pytest.raises(tremble.NotProvenError) as lost:
        tremble.solve(
            tremble.load_rules("rhode_island"), method=tremble.methods.Dcfr(abstraction="published"), gap=0.02
        )
    found = lost.value.best
    assert isinstance(found, tremble.Solution)
    assert found.verification.nash_conv > Fraction(3, 2)
    assert found.bounds[0] < Fraction(-6562, 10000) < Fraction(-6556, 10000) < found.bounds[1]  # of the lossless value
