"""Trees, recall, sequence form, strategies and responses, against brute force."""

from __future__ import annotations

import itertools
import pickle
import random
import weakref
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from math import gcd, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tremble
from hand_made import chain, kuhn, random_profile, random_rows
from hostile_games import RECIPES, centipede, forgetful_game, hostile_game, leaf_paths
from tremble import (
    CHANCE,
    TERMINAL,
    BehaviorStrategy,
    GameError,
    GameTree,
    ImperfectRecallError,
    PlayersError,
    TooLargeError,
    TreeBuilder,
)
from tremble.game.requirements import last_sequence, nearest_marked, parent_sequence, require_perfect_recall
from tremble.game.sequence_form import chance_reach
from tremble.game.tree_arrays import integer_array
from tremble.games.kuhn import Kuhn
from tremble.games.parameters import rules_class
from tremble.integers import as_floats, exact_product
from tremble.strategies import RealizationPlan, SequenceForm

SOME_FAMILIES = ("plain", "chance", "forced moves", "one player", "impossible chance", "huge payoffs", "root ends")


def some_games() -> Iterator[GameTree]:
    yield kuhn()
    yield chain(30)
    for family in SOME_FAMILIES:
        for seed in range(200, 204):
            yield hostile_game(family, seed)
    for seed in range(10):
        yield forgetful_game(seed)


GAMES = list(some_games())
REMEMBERED = [tree for tree in GAMES if all(tremble.classify_recall(tree, i) == "perfect" for i in (0, 1))]
ids = [f"{i}" for i in range(len(GAMES))]


def copied(tree: GameTree, *, change: str = "", rng: random.Random | None = None) -> GameTree:
    """The same game handed over again, with one thing changed."""
    builder = TreeBuilder(
        title="another" if change == "title" else tree.title,
        players=("Eve", "Adam") if change == "players" else tree.players,
    )
    last_leaf = int(tree.in_preorder[-1])
    first = int(next((node for node in tree.in_preorder if tree.player[node] in (0, 1)), -1))
    first_chance = int(next((node for node in tree.in_preorder if tree.player[node] == CHANCE), -1))
    key_of = {}
    for player in (0, 1):
        names = list(range(tree.num_infosets[player]))
        if change == "keys":
            (rng or random.Random(1)).shuffle(names)
        key_of[player] = names
    for node in tree.in_preorder.tolist():
        mover, index = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            one, two = tree.payoff_at(index)
            shift = F(1, 10**30) if change == "payoff" and node == last_leaf else 0
            builder.leaf(one + shift, two)
        elif mover == CHANCE:
            table = tree.chance_tables[index]
            labels, probabilities = list(table.labels), list(table.probabilities)
            if change == "chance label" and node == first_chance:
                labels[0] += "!"
            if change == "chance" and node == first_chance:
                probabilities = [F(1, 2) * p + F(1, 2) * (i == 0) for i, p in enumerate(probabilities)]
            builder.chance(labels, probabilities)
        else:
            labels = list(tree.actions[mover][index])
            if change == "action label" and mover == tree.player[first] and index == tree.infoset[first]:
                labels[0] += "!"
            if change == "mover" and mover == tree.player[first] and index == tree.infoset[first]:
                builder.decision(1 - mover, ("moved", index), labels)
                continue
            if change == "split" and node == first:
                builder.decision(mover, "alone", labels)
                continue
            label = "called otherwise" if change == "set labels" else tree.infoset_labels[mover][index]
            builder.decision(mover, key_of[mover][index], labels, label)
    return builder.finish()


# -- trees ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_arrays_agree(tree: GameTree) -> None:
    n = tree.num_nodes
    for name in ("parent", "action", "player", "infoset", "first_child", "num_children", "preorder"):
        assert len(getattr(tree, name)) == n
    assert tree.parent[0] == GameTree.NO_PARENT == -1
    assert tree.level[0] == 0
    assert tree.level[-1] == n
    assert sorted(tree.preorder.tolist()) == list(range(n))
    assert tree.preorder[tree.in_preorder].tolist() == list(range(n))
    assert sum(tree.nodes_by_kind.values()) == n
    depth = np.zeros(n, dtype=int)
    for node in range(1, n):
        above = int(tree.parent[node])
        assert above < node
        assert node in tree.children(above)
        assert tree.children(above)[tree.action[node]] == node
        depth[node] = depth[above] + 1
    for d in range(tree.depth + 1):
        span = slice(int(tree.level[d]), int(tree.level[d + 1]))
        assert (depth[span] == d).all()
        assert (np.diff(tree.preorder[span]) > 0).all()
    assert tree.depth == depth.max()
    for node in range(n):
        mover, index = int(tree.player[node]), int(tree.infoset[node])
        children = tree.children(node)
        assert len(children) == tree.num_children[node] == len(tree.labels(node))
        assert (len(children) == 0) == (mover == TERMINAL)
        if mover == TERMINAL:
            assert tree.leaves[index] == node
            assert tree.first_child[node] == -1
        elif mover in (0, 1):
            assert 0 <= index < tree.num_infosets[mover]
    assert [tree.payoff_at(k) for k in range(tree.num_leaves)] == [
        (F(int(a), tree.payoff_denominator), F(int(b), tree.payoff_denominator)) for a, b in tree.payoff
    ]
    assert gcd(tree.payoff_denominator, *tree.payoff.ravel().tolist()) == 1 or tree.payoff_denominator == 1
    assert tree.payoff_float.tolist() == [[float(a), float(b)] for a, b in map(tree.payoff_at, range(tree.num_leaves))]


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_order_is_depth_first(tree: GameTree) -> None:
    """An independent walk, and the numbering of sets by first appearance in it."""
    order, stack = [], [0]
    seen: tuple[list[int], list[int]] = ([], [])
    while stack:
        node = stack.pop()
        order.append(node)
        mover = int(tree.player[node])
        if mover in (0, 1) and tree.infoset[node] not in seen[mover]:
            seen[mover].append(int(tree.infoset[node]))
        stack.extend(reversed(tree.children(node)))
    assert order == tree.in_preorder.tolist()
    assert seen == tuple(list(range(count)) for count in tree.num_infosets)


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_paths_lead_back(tree: GameTree) -> None:
    for node in range(tree.num_nodes):
        here = 0
        for label in tree.path(node):
            here = tree.children(here)[tree.labels(here).index(label)]
        assert here == node


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_trees_are_frozen(tree: GameTree) -> None:
    for name, value in vars(tree).items():
        if name in ("parent", "action", "player", "infoset", "first_child", "preorder", "level", "leaves", "payoff"):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0
    with pytest.raises(AttributeError):
        tree.title = "mine"  # type: ignore[misc]


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_digests(tree: GameTree) -> None:
    assert tree.digest.startswith("sha256:")
    for same in ("", "title", "players", "keys", "set labels"):
        assert copied(tree, change=same).digest == tree.digest, same
    assert copied(tree, change="payoff").digest != tree.digest
    moves = {CHANCE: ("chance label",), 0: ("action label", "mover"), 1: ("action label", "mover")}
    for mover in set(tree.player.tolist()) - {TERMINAL}:
        for different in moves[mover]:
            assert copied(tree, change=different).digest != tree.digest, different


def test_digest_sees_chance_and_information() -> None:
    tree = hostile_game("chance", 1)
    assert copied(tree, change="chance").digest != tree.digest
    assert copied(kuhn(), change="chance").digest != kuhn().digest
    assert copied(kuhn(), change="split").digest != kuhn().digest


def test_digests_of_different_games_differ() -> None:
    digests = [tree.digest for tree in GAMES]
    shapes = {(tree.digest, tree.num_nodes) for tree in GAMES}
    assert len(set(digests)) == len(shapes)
    assert len(set(digests)) > 0.8 * len(digests)  # tiny random games may coincide


def test_labels_cannot_imitate_structure() -> None:
    """Labels that look like the text behind the digest do not make two games one."""

    def game(labels: tuple[str, ...]) -> GameTree:
        builder = TreeBuilder()
        builder.decision(0, "a", labels)
        for _ in labels:
            builder.leaf(0, 0)
        return builder.finish()

    texts = [("a", "b"), ("a,b",), ('a", "b',), ("a\nt 0 0", "b"), ("a", "b\n"), ("é", "b"), ("\\u00e9", "b")]
    assert len({game(labels).digest for labels in texts}) == len(texts)


def test_the_digest_is_the_documented_text() -> None:
    import hashlib

    builder = TreeBuilder()
    builder.chance(("l", "r"), (F(1, 3), F(2, 3)))
    builder.decision(1, "x", ("é", '"'))
    builder.leaf(F(2, 4), -1)
    builder.leaf(0, 10**20)
    builder.leaf(F(-1, 3), 0)
    text = 'c ["l", "r"] 1/3 2/3\np2 1 ["é", "\\""]\nt 1/2 -1\nt 0 100000000000000000000\nt -1/3 0\n'
    assert builder.finish().digest == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_constant_sums() -> None:
    for family, seed in itertools.product(RECIPES, range(3)):
        tree = hostile_game(family, seed)
        sums = {sum(tree.payoff_at(k)) for k in range(tree.num_leaves)}
        assert {tree.constant_sum} == sums
        assert tree.zero_sum == (sums == {0})
    general = tremble.load("random_tree:depth=3,sum=general")
    assert general.constant_sum is None
    assert not general.zero_sum


def test_payoffs_beyond_floats() -> None:
    builder = TreeBuilder()
    builder.decision(0, "a", ("x", "y", "z"))
    for u in (10**400, -(10**400), F(1, 10**400)):
        builder.leaf(u, -u)
    tree = builder.finish()
    assert tree.payoff_float.tolist() == [[float("inf"), float("-inf")], [float("-inf"), float("inf")], [0.0, -0.0]]
    assert tree.constant_sum == 0


@pytest.mark.parametrize(
    "values",
    [[], [0], [2**62 - 1, -(2**62) + 1], [2**62], [-(2**62)], [2**63], [10**40, -1]],
)
def test_integer_arrays(values: list[int]) -> None:
    result = integer_array(values)
    assert result.tolist() == values
    assert (result.dtype == np.int64) == all(abs(v) < 2**62 for v in values)
    assert all(type(v) is int for v in result.tolist())


# -- what no tree may be -------------------------------------------------------------------------


def test_players_out_of_range() -> None:
    for player in (2, -1, 7):
        with pytest.raises(PlayersError):
            TreeBuilder().decision(player, "a", ("x",))


def test_malformed_sets() -> None:
    with pytest.raises(GameError, match="no actions"):
        TreeBuilder().decision(0, "a", ())
    with pytest.raises(GameError, match="repeats"):
        TreeBuilder().decision(0, "a", ("x", "x"))
    builder = TreeBuilder()
    builder.decision(0, "a", ("x", "y"))
    for labels in (("y", "x"), ("x",), ("x", "y", "z")):
        with pytest.raises(GameError, match="at one node"):
            builder.decision(0, "a", labels)
    builder.decision(1, "a", ("other",))  # another player's set of the same name is another set


@pytest.mark.parametrize(
    ("labels", "probabilities", "message"),
    [
        (("a", "b"), (F(1, 2),), "2 chance actions have 1"),
        (("a", "b"), (F(3, 2), F(-1, 2)), "negative"),
        (("a", "b"), (F(1, 3), F(1, 3)), "sum to 2/3"),
        (("a",), (0,), "sum to 0"),
        ((), (), "sum to 0"),
        (("a", "b"), (F(1, 2), F(1, 2) + F(1, 10**30)), "not 1"),
    ],
)
def test_malformed_chance(labels: Any, probabilities: Any, message: str) -> None:
    with pytest.raises(GameError, match=message):
        TreeBuilder().chance(labels, probabilities)


@pytest.mark.parametrize(
    ("method", "wrong", "at"),
    [
        ("payoff", (0.5, -0.5), r"0\.5 is a float, .* \(at the history \(0, 1, 'cc'\)\)"),
        ("chance", ("1/3", "1/3"), r"2 probabilities \(at the history \(-1, -1, ''\)\)"),
        ("infoset", [], r"hashable, .* \(at the history \(0, 1, ''\)\)"),
    ],
)
def test_rules_that_are_wrong_are_told_where(method: str, wrong: Any, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kuhn, method, lambda self, h: wrong)
    with pytest.raises(GameError, match=at):
        tremble.build(Kuhn())


def test_what_is_no_number_and_no_text() -> None:
    for wrong in (float("nan"), float("inf"), 0.5, "a half", None):
        with pytest.raises(GameError, match=r"not (an exact|a finite|a) number"):
            TreeBuilder().chance(("a", "b"), (F(1, 2), wrong))  # type: ignore[arg-type]
        with pytest.raises(GameError, match=r"information set 6 of player 1 .* not (an exact|a finite|a) number"):
            BehaviorStrategy.from_rows(kuhn(), 0, [[0, 1]] * 5 + [[0, wrong]])  # type: ignore[list-item]
    with pytest.raises(GameError, match="not text"):
        TreeBuilder().decision(0, "a", (1, 2))  # type: ignore[arg-type]
    with pytest.raises(GameError, match="not text"):
        TreeBuilder().chance(("a", None), (F(1, 2), F(1, 2)))  # type: ignore[arg-type]


def test_trees_that_end_early_or_late() -> None:
    with pytest.raises(GameError, match="tree is incomplete"):
        TreeBuilder().finish()
    builder = TreeBuilder()
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(0, 0)
    assert not builder.complete
    with pytest.raises(GameError, match="tree is incomplete"):
        builder.finish()
    builder.leaf(1, 1)
    assert builder.complete
    with pytest.raises(GameError, match="complete"):
        builder.leaf(2, 2)


def test_size_limits() -> None:
    builder = TreeBuilder(max_nodes=2)
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(0, 0)
    with pytest.raises(TooLargeError, match="more than 2 nodes"):
        builder.leaf(0, 0)
    tree = kuhn()
    assert tremble.build(rules_class("kuhn")(), max_nodes=tree.num_nodes).num_nodes == tree.num_nodes
    with pytest.raises(TooLargeError):
        tremble.build(rules_class("kuhn")(), max_nodes=tree.num_nodes - 1)


class OneLeaf:
    """Rules that end at once, with a payoff of choice."""

    def __init__(self, payoff: Any) -> None:
        self._payoff = payoff

    def root(self) -> tuple[()]:
        return ()

    def player(self, h: Any) -> int:
        return TERMINAL

    def payoff(self, h: Any) -> Any:
        return self._payoff

    actions = child = infoset = payoff


def test_payoffs_are_exact_numbers_of_two_players() -> None:
    for payoff in ((0.5, -0.5), (1, "one"), (None, 0), (np.float64(1), 0)):
        with pytest.raises(GameError, match="number"):
            tremble.build(OneLeaf(payoff))  # type: ignore[arg-type]
    for payoff in ((), (1,), (1, 2, 3)):
        with pytest.raises(PlayersError):
            tremble.build(OneLeaf(payoff))  # type: ignore[arg-type]
    assert tremble.build(OneLeaf((F(1, 2), 3))).payoff_at(0) == (F(1, 2), 3)  # type: ignore[arg-type]


# -- recall --------------------------------------------------------------------------------------


def recall_by_definition(tree: GameTree, player: int) -> str:
    """The module's definition, word by word, with every pair of nodes."""
    histories: dict[int, list[list[tuple[int, int]]]] = {}
    for node in range(tree.num_nodes):
        if tree.player[node] != player:
            continue
        path, here = [], node
        while here:
            above = int(tree.parent[here])
            if tree.player[above] == player:
                path.append((int(tree.infoset[above]), int(tree.action[here])))
            here = above
        histories.setdefault(int(tree.infoset[node]), []).append(path[::-1])
    if all(path == paths[0] for paths in histories.values() for path in paths):
        return "perfect"
    if any(k == index for k, paths in histories.items() for path in paths for index, _ in path):
        return "absentminded"
    for paths in histories.values():
        for one, two in itertools.combinations(paths, 2):
            if one == two:
                continue
            if not any(k == j and a != b for k, a in one for j, b in two):
                return "imperfect"
    return "a-loss"


def test_recall_by_definition() -> None:
    count = dict.fromkeys(("perfect", "a-loss", "imperfect", "absentminded"), 0)
    for seed in range(400):
        tree = forgetful_game(seed, plies=3 + seed % 4, groups=1 + seed % 5)
        for player in (0, 1):
            expected = recall_by_definition(tree, player)
            count[expected] += 1
            assert tremble.classify_recall(tree, player) == expected, (seed, player)
            assert (parent_sequence(tree, player) is not None) == (expected == "perfect")
            if expected == "perfect":
                require_perfect_recall(tree, [player])
            else:
                said = "is absentminded" if expected == "absentminded" else "forgets"
                with pytest.raises(ImperfectRecallError, match=f"player {player + 1} {said}"):
                    require_perfect_recall(tree, [player])
    assert min(count.values()) >= 10, count


def merged(keys: tuple[Any, Any], *, same_set: bool = True) -> GameTree:
    """Player 1 picks x or y, then player 2 nothing, then player 1 again, in sets of the given names."""
    builder = TreeBuilder()
    builder.decision(0, "first", ("x", "y"))
    for key in keys:
        builder.decision(0, key, ("x", "y"))
        builder.leaf(1, -1)
        builder.leaf(0, 0)
    return builder.finish()


def test_recall_of_hand_made_games() -> None:
    assert tremble.classify_recall(merged(("a", "b")), 0) == "perfect"
    assert tremble.classify_recall(merged(("a", "a")), 0) == "a-loss"
    assert tremble.classify_recall(merged(("first", "first")), 0) == "absentminded"
    assert tremble.classify_recall(merged(("a", "a")), 1) == "perfect"
    builder = TreeBuilder()  # chance lets player 1 move before, or not: forgetting whether it moved
    builder.chance(("l", "r"), (F(1, 2), F(1, 2)))
    builder.decision(0, "only left", ("go",))
    for _ in range(2):
        builder.decision(0, "both", ("x", "y"))
        builder.leaf(1, -1)
        builder.leaf(0, 0)
    assert tremble.classify_recall(builder.finish(), 0) == "imperfect"
    assert [tremble.classify_recall(tremble.load("a_loss_counterexample"), i) for i in (0, 1)] == ["a-loss", "perfect"]


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_nearest_marked(tree: GameTree) -> None:
    rng = np.random.default_rng(tree.num_nodes)
    for density in (0.0, 0.2, 1.0):
        marked = rng.random(tree.num_nodes) < density
        nearest = nearest_marked(tree, marked)
        for node in range(tree.num_nodes):
            here = node
            while here and not marked[here]:
                here = int(tree.parent[here])
            assert nearest[node] == here


# -- sequence form -------------------------------------------------------------------------------


def value_by_enumeration(tree: GameTree, profile: Any) -> tuple[F, F]:
    totals = [F(0), F(0)]
    rows = [list(strategy) for strategy in profile]
    for probability, moves, leaf in leaf_paths(tree):
        for player in (0, 1):
            for index, action in moves[player]:
                probability *= F(rows[player][index][action])
        for player in (0, 1):
            totals[player] += probability * tree.payoff_at(leaf)[player]
    return totals[0], totals[1]


@pytest.mark.parametrize("tree", REMEMBERED)
def test_sequence_form(tree: GameTree) -> None:
    form = SequenceForm.of(tree)
    assert form.num_infosets == tree.num_infosets
    assert form.num_sequences == tuple(1 + slots for slots in tree.num_slots)
    for player in (0, 1):
        assert form.start[player][0] == 1
        for k, before in enumerate(form.parent[player].tolist()):
            assert before < form.start[player][k]  # parents first
    cells = list(zip(form.row.tolist(), form.column.tolist(), strict=True))
    assert cells == sorted(set(cells))
    content = form.payoff_content()
    assert content > 0
    assert all(v % content == 0 for v in form.payoff.tolist())
    row, column, payoff, unit = form.matrix()
    assert unit == F(content, form.denominator)
    nonzero = [(i, j, u // content) for (i, j), u in zip(cells, form.payoff.tolist(), strict=True) if u]
    assert list(zip(row.tolist(), column.tolist(), payoff.tolist(), strict=True)) == nonzero
    for seed in range(4):
        profile = random_profile(tree, seed)
        expected = value_by_enumeration(tree, profile)
        assert tremble.expected_values(tree, profile) == expected
        x, y = (strategy.to_realization_plan() for strategy in profile)
        assert x.denominator is not None
        assert y.denominator is not None
        total = sum(
            (
                F(int(u), form.denominator) * x.probability(i) * y.probability(j)
                for (i, j), u in zip(cells, form.payoff.tolist(), strict=True)
            ),
            F(0),
        )
        assert total == expected[0]


@pytest.mark.parametrize("tree", REMEMBERED)
def test_refined_sequences_of_players_who_remember_are_the_same_in_another_order(tree: GameTree) -> None:
    form, refined = SequenceForm.of(tree), SequenceForm.refined(tree)
    assert SequenceForm.refined(tree) is refined
    number = [own.slot + 1 for own in refined.sequences]
    cells = zip(number[0][refined.row].tolist(), number[1][refined.column].tolist(), strict=True)
    known = dict(zip(zip(form.row.tolist(), form.column.tolist(), strict=True), form.payoff.tolist(), strict=True))
    assert dict(zip(cells, refined.payoff.tolist(), strict=True)) == known
    for own, other, at in zip(form.sequences, refined.sequences, number, strict=True):
        assert (own.length[at].tolist(), at[other.before].tolist()) == (other.length.tolist(), own.before[at].tolist())
        values = np.random.default_rng(0).integers(0, 100, own.num_sequences)
        assert own.most_behind(values)[other.infoset].tolist() == other.most_behind(values[at]).tolist()
        assert own.best_values(values.tolist())[0] == other.best_values(values[at].tolist())[0]
        assert sorted(k for level in own.levels for k in level.sets.tolist()) == [*range(own.num_infosets)]
        assert [*range(1, own.num_sequences)] == sorted(s for level in own.levels for s in level.sequences.tolist())


@pytest.mark.parametrize("tree", REMEMBERED)
def test_sides_of_the_sequence_form(tree: GameTree) -> None:
    form = SequenceForm.of(tree)
    assert SequenceForm.of(tree) is form
    for player in (0, 1):
        side = form.side(player)
        assert form.side(player) is side
        assert (side.player, side.num_sequences) == (player, form.num_sequences[player])
        paid: dict[tuple[int, int], F] = {}
        last = last_sequence(tree, player), last_sequence(tree, 1 - player)
        for probability, _, leaf in leaf_paths(tree):
            pair = int(last[0][tree.leaves[leaf]]), int(last[1][tree.leaves[leaf]])
            paid[pair] = paid.get(pair, F(0)) + probability * tree.payoff_at(leaf)[player]
        own = np.repeat(np.arange(side.num_sequences), np.diff(side.first)).tolist()
        cells = list(zip(own, side.opponent.tolist(), strict=True))
        assert cells == sorted(paid)
        assert [F(int(u), side.denominator) for u in side.payoff] == [paid[cell] for cell in cells]
        nearest = [as_floats(integer_array([u.numerator]), u.denominator)[0] for u in (paid[cell] for cell in cells)]
        assert side.payoff_float.tolist() == nearest
        for seed in range(3):
            profile = random_profile(tree, seed)
            plan = profile[1 - player].to_realization_plan()
            assert plan.denominator is not None
            gain = side.gains(plan.weight)
            both = side.gains(np.stack((plan.weight, 2 * plan.weight), axis=1))
            assert both[:, 1].tolist() == [2 * g for g in gain.tolist()] == (2 * both[:, 0]).tolist()
            best = F(side.best_values(gain.tolist())[0], side.denominator * plan.denominator)
            assert best == tremble.best_response(tree, profile, player)[0]
            if np.isfinite(nearest).all():
                floats = side.gains(np.array([float(plan.probability(s)) for s in range(len(plan.weight))]))
                exact = [float(F(int(g), side.denominator * plan.denominator)) for g in gain]
                assert floats.tolist() == pytest.approx(exact, abs=1e-9 * max(map(abs, nearest)))


def test_what_is_derived_lives_as_long_as_the_tree() -> None:
    tree = tremble.load("kuhn")
    form = weakref.ref(SequenceForm.of(tree))
    side = weakref.ref(SequenceForm.of(tree).side(1))
    parent = weakref.ref(parent_sequence(tree, 0))
    again = pickle.loads(pickle.dumps(tree))
    assert set(vars(again)) <= set(vars(tree))
    assert SequenceForm.of(again) is not form()
    for name in ("row", "column", "payoff"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(form(), name)[:] = 0
    del tree
    assert (form(), side(), parent()) == (None, None, None)


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_chance_reach(tree: GameTree) -> None:
    reach = chance_reach(tree)
    for probability, _, leaf in leaf_paths(tree):
        assert F(int(reach.numerator[leaf]), reach.denominator) == probability


def test_deep_chance_does_not_overflow() -> None:
    builder = TreeBuilder()
    for _ in range(200):
        builder.chance(("on", "end"), (F(10**9 - 1, 10**9), F(1, 10**9)))
    builder.leaf(0, 0)
    for k in range(200):
        builder.leaf(k, -k)
    tree = builder.finish()
    reach = chance_reach(tree)
    assert sum(reach.numerator.tolist()) == reach.denominator
    assert tremble.solve(tree).value == value_by_enumeration(tree, ([], []))[0]


@given(
    st.lists(st.tuples(st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70)), max_size=5),
    st.booleans(),
)
def test_exact_products(pairs: list[tuple[int, int]], narrow: bool) -> None:
    if narrow:
        pairs = [(a >> 8, b >> 8) for a, b in pairs]
    a, b = (integer_array([pair[i] for pair in pairs]) for i in (0, 1))
    assert exact_product(a, b).tolist() == [x * y for x, y in pairs]


@pytest.mark.parametrize("seed", range(10))
def test_forgetful_games_have_no_sequence_form(seed: int) -> None:
    tree = next(
        tree for tree in map(forgetful_game, range(100 * seed, 100 * seed + 100))
        if any(recall_by_definition(tree, i) != "perfect" for i in (0, 1))
    )  # fmt: skip
    with pytest.raises(ImperfectRecallError):
        SequenceForm.of(tree)
    profile = random_profile(tree, seed)
    assert tremble.expected_values(tree, profile) == value_by_enumeration(tree, profile)
    floats = tremble.expected_values(tree, [strategy.as_float() for strategy in profile])
    assert floats == pytest.approx([float(v) for v in value_by_enumeration(tree, profile)])
    with pytest.raises(ImperfectRecallError):
        tremble.nash_conv(tree, profile)
    for player in (0, 1):
        if recall_by_definition(tree, player) != "perfect":
            with pytest.raises(ImperfectRecallError):
                profile[player].to_realization_plan(tree)
            with pytest.raises(ImperfectRecallError):
                tremble.best_response(tree, profile, player)
            with pytest.raises(ImperfectRecallError):
                RealizationPlan(player, np.ones(1 + tree.num_slots[player], dtype=np.int64), 1).to_behavior(tree)
        else:
            value, response = tremble.best_response(tree, profile, player)
            together = [response, profile[1]] if player == 0 else [profile[0], response]
            assert tremble.expected_values(tree, together)[player] == value


# -- strategies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", REMEMBERED)
def test_plans_round_trip(tree: GameTree) -> None:
    for seed, player in itertools.product(range(4), (0, 1)):
        strategy = random_profile(tree, seed)[player]
        plan = strategy.to_realization_plan()
        assert plan.probability(0) == 1
        parent = parent_sequence(tree, player)
        assert parent is not None
        start = tree.slot_start[player] + 1
        for k, before in enumerate(parent.tolist()):
            shares = [plan.probability(s) for s in range(int(start[k]), int(start[k + 1]))]
            assert sum(shares) == plan.probability(before)
            assert min(shares) >= 0
        again = plan.to_behavior(tree)
        assert (again.off_path == strategy.off_path).all()
        for k, (one, two) in enumerate(zip(strategy, again, strict=True)):
            assert two == ([F(1, len(one))] * len(one) if strategy.off_path[k] else one)
        assert again.to_realization_plan(tree).weight.tolist() == plan.weight.tolist()
        last = last_sequence(tree, player)[tree.leaves]
        rows = list(strategy)
        for _, moves, leaf in leaf_paths(tree):
            reach = F(1)
            for index, action in moves[player]:
                reach *= F(rows[index][action])
            assert plan.probability(int(last[leaf])) == reach
        floats = strategy.as_float().to_realization_plan()
        assert floats.denominator is None
        assert floats.weight == pytest.approx([float(plan.probability(s)) for s in range(len(plan.weight))])
        with pytest.raises(GameError, match="exact"):
            floats.to_behavior(tree)


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_pure_strategies(tree: GameTree) -> None:
    for player in (0, 1):
        choice = [random.Random(k).randrange(len(labels)) for k, labels in enumerate(tree.actions[player])]
        pure = BehaviorStrategy.pure(tree, player, choice)
        rows = [[int(a == c) for a in range(len(row))] for c, row in zip(choice, tree.actions[player], strict=True)]
        written = BehaviorStrategy.from_rows(tree, player, rows)
        assert list(pure) == list(written) == rows
        assert (pure.off_path == written.off_path).all()


@pytest.mark.parametrize(
    "choice",
    [
        [2, 0, 0, 0, 0, 0],
        [5, 0, 0, 0, 0, -3],
        [-1] * 6,
        [0.7] * 6,
        ["1"] * 6,
        [True] * 6,
        [[0], [0, 1]],
        [0] * 5,
        2,
        "no",
    ],
)
def test_what_is_no_pure_strategy(choice: Any) -> None:
    kuhn = tremble.load("kuhn")
    with pytest.raises(GameError, match=r"player 1 has|expected a list"):
        BehaviorStrategy.pure(kuhn, 0, choice)
    with pytest.raises(tremble.PlayersError):
        BehaviorStrategy.pure(kuhn, -1, [0] * 6)


@pytest.mark.parametrize("rows", [F(1, 2), "1/2", 3, [F(1, 2)] * 6, None, ["ab"] * 6])
def test_rows_are_lists_of_lists(rows: Any) -> None:
    kuhn = tremble.load("kuhn")
    with pytest.raises(GameError, match="expected a list"):
        BehaviorStrategy.from_rows(kuhn, 0, rows)
    with pytest.raises(GameError, match="expected a list"):
        tremble.strategies.Trembles.from_rows(kuhn, [rows, rows])


def test_rows_and_plans_of_other_games() -> None:
    strategy = BehaviorStrategy.uniform(tremble.load("kuhn"), 0)
    for k in (-1, 6, 0.5, None):
        with pytest.raises(GameError, match="number from 0 to 5"):
            strategy.row(k)
    with pytest.raises(GameError, match="another game"):
        strategy.to_realization_plan(tremble.load("matching_pennies"))


@pytest.mark.parametrize("tree", GAMES, ids=ids)
def test_strategies_read_as_they_were_written(tree: GameTree) -> None:
    for player in (0, 1):
        rows = random_rows(tree, player, random.Random(3), limit=10**30)
        strategy = BehaviorStrategy.from_rows(tree, player, rows)
        assert strategy.exact
        assert len(strategy) == strategy.num_infosets == tree.num_infosets[player]
        assert list(strategy) == rows
        for k, row in enumerate(rows):
            for a, p in enumerate(row):
                label = tree.actions[player][k][a]
                assert strategy.probability(k, a) == strategy.probability(k, label) == strategy[k][label] == p
                if tree.infoset_labels[player].count(tree.infoset_labels[player][k]) == 1:
                    assert strategy[tree.infoset_labels[player][k]][label] == p
                    assert strategy.probability(tree.infoset_labels[player][k], a) == p
        floats = strategy.as_float()
        assert not floats.exact
        assert floats.as_float() is floats
        assert floats.to_floats().tolist() == [float(p) for row in rows for p in row]
        assert strategy.to_floats().tolist() == [float(p) for row in rows for p in row]
        again = BehaviorStrategy.from_floats(tree, player, floats.to_floats())
        assert list(again) == list(floats)
        assert list(BehaviorStrategy.uniform(tree, player)) == [
            [F(1, len(labels))] * len(labels) for labels in tree.actions[player]
        ]
        assert f"player {player + 1}" in repr(strategy)
        assert strategy._repr_html_().count("<tr>") <= 201


def test_probabilities_of_what_does_not_exist() -> None:
    strategy = BehaviorStrategy.uniform(tremble.load("kuhn"), 0)
    for infoset in (-1, 6, True):
        with pytest.raises(GameError, match="there are 6 information sets: give a label, or a number from 0 to 5"):
            strategy.probability(infoset, 0)
    for action in (-1, 2):
        with pytest.raises(GameError, match="at positions 0 to 1"):
            strategy.probability(0, action)
    with pytest.raises(GameError, match="information set 1 of player 1 has the actions 'check', 'bet'"):
        strategy.probability(0, "raise")
    with pytest.raises(GameError, match=r"has the actions 'check', 'bet'.*, not 'raise'"):
        strategy["J:"]["raise"]


def test_information_sets_by_label() -> None:
    tree = tremble.load("kuhn")
    strategy = BehaviorStrategy.from_rows(tree, 0, [[F(1, k + 2), 1 - F(1, k + 2)] for k in range(6)])
    for k, label in enumerate(strategy.infoset_labels):
        assert strategy.index(label) == strategy.index(k) == strategy.index(np.int64(k)) == k
        assert strategy.row(label) == strategy.row(k) == list(strategy[label].values())
        assert strategy[label] == strategy[k] == dict(zip(tree.actions[0][k], strategy.row(k), strict=True))
    assert pickle.loads(pickle.dumps(strategy["Q:cb"])) == strategy["Q:cb"]
    with pytest.raises(GameError, match=r"^player 1 has no information set 'Q:bc'; did you mean 'Q:cb'"):
        strategy["Q:bc"]
    with pytest.raises(GameError, match=r"there are 'J:', 'J:cb', 'Q:', 'Q:cb', 'K:', 'K:cb'$"):
        strategy["nothing like it"]
    twice = replace(strategy, infoset_labels=("", "here", "", "here", "there", "there"))
    with pytest.raises(GameError, match=r"2 information sets with the label 'here'.*counted from 0: 1, 3$"):
        twice.probability("here", 0)
    with pytest.raises(GameError, match=r"none has a label; give its number, counted from 0$"):
        replace(strategy, infoset_labels=("",) * 6).row("here")
    with pytest.raises(GameError, match="no information set of player 2 has the number 0; there are none"):
        BehaviorStrategy.uniform(tremble.load("safe_or_risky"), 1)[0]


def test_rows_that_are_no_strategies() -> None:
    tree = kuhn()
    good = [[F(1, 2), F(1, 2)]] * 6
    for rows, message in (
        (good[:5], "5 rows"),
        ([*good, good[0]], "7 rows"),
        ([*good[:5], [F(1)]], "1 probabilities"),
        ([*good[:5], [F(1, 3)] * 3], "3 probabilities"),
        ([*good[:5], [F(3, 2), F(-1, 2)]], "negative"),
        ([*good[:5], [F(1, 2), F(1, 3)]], "sum to 5/6"),
        ([*good[:5], [F(1, 2), F(1, 2) + F(1, 10**40)]], "not 1"),
    ):
        with pytest.raises(GameError, match=message):
            BehaviorStrategy.from_rows(tree, 0, rows)
    half = np.full(12, 0.5)
    for change in ({0: 0.4}, {0: 1.5, 1: -0.5}, {3: float("nan")}, {11: float("inf")}, {2: 0.5 + 1e-8}):
        vector = half.copy()
        for slot, p in change.items():
            vector[slot] = p
        with pytest.raises(GameError, match=f"information set {next(iter(change)) // 2 + 1} "):
            BehaviorStrategy.from_floats(tree, 0, vector)
    for shape in ((11,), (13,), (6, 2)):
        with pytest.raises(GameError, match="needs 12 floats"):
            BehaviorStrategy.from_floats(tree, 0, np.full(shape, 0.5))
    BehaviorStrategy.from_floats(tree, 0, half + np.tile([1e-11, 0], 6))


# -- responses -----------------------------------------------------------------------------------


def pure_rows(tree: GameTree, player: int) -> Iterator[list[list[int]]]:
    widths = [len(labels) for labels in tree.actions[player]]
    for choice in itertools.product(*map(range, widths)):
        yield [[int(a == c) for a in range(width)] for c, width in zip(choice, widths, strict=True)]


def pure_count(tree: GameTree, player: int) -> int:
    return prod(len(labels) for labels in tree.actions[player])


SMALL = [
    tree
    for family in ("plain", "chance", "forced moves", "blind", "impossible chance", "mixed payoffs", "huge payoffs")
    for seed in range(12)
    if max(pure_count(tree := hostile_game(family, seed, most=22), i) for i in (0, 1)) <= 200
]


def test_best_responses_against_brute_force() -> None:
    assert len(SMALL) > 30
    for seed, tree in enumerate(SMALL):
        profile = random_profile(tree, seed)
        gains = F(0)
        for player in (0, 1):
            others = [list(strategy) for strategy in profile]
            outcomes = []
            for rows in pure_rows(tree, player):
                others[player] = rows  # type: ignore[assignment]
                outcomes.append(value_by_enumeration(tree, others)[player])
            best = max(outcomes)
            value, response = tremble.best_response(tree, profile, player)
            assert value == best
            assert isinstance(value, F)
            others[player] = list(response)
            assert value_by_enumeration(tree, others)[player] == best
            assert all(sorted(row) == [0] * (len(row) - 1) + [1] for row in response)
            gains += best - value_by_enumeration(tree, profile)[player]
        assert tremble.nash_conv(tree, profile) == gains
        assert tremble.exploitability(tree, profile) == gains / 2


@pytest.mark.parametrize("tree", REMEMBERED)
def test_floats_agree_with_fractions(tree: GameTree) -> None:
    scale = max(1.0, float(np.abs(tree.payoff_float).max()))
    for seed in range(3):
        exact = random_profile(tree, seed)
        for kinds in ((True, False), (False, True), (True, True)):
            mixed = [s.as_float() if f else s for s, f in zip(exact, kinds, strict=True)]
            values = tremble.expected_values(tree, mixed)
            assert all(isinstance(v, float) for v in values)
            expected = [float(v) for v in tremble.expected_values(tree, exact)]
            assert values == pytest.approx(expected, abs=1e-9 * scale)
            for player in (0, 1):
                value = tremble.best_response(tree, mixed, player)[0]
                assert isinstance(value, float) == kinds[1 - player]
                true = float(tremble.best_response(tree, exact, player)[0])
                assert float(value) == pytest.approx(true, abs=1e-9 * scale)
            conv = tremble.nash_conv(tree, mixed)
            assert float(conv) == pytest.approx(float(tremble.nash_conv(tree, exact)), abs=1e-8 * scale)


def test_responses_beyond_the_range_of_floats() -> None:
    """Payoffs and chance that no float holds: exact answers, and no warning."""
    builder = TreeBuilder()
    builder.chance(("l", "r"), (F(1, 10**400), 1 - F(1, 10**400)))
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(10**400, -(10**400))
    builder.leaf(0, 0)
    builder.leaf(0, 0)
    tree = builder.finish()
    uniform = [BehaviorStrategy.uniform(tree, i) for i in (0, 1)]
    assert tremble.expected_values(tree, uniform) == (F(1, 2), F(-1, 2))
    assert tremble.best_response(tree, uniform, 0)[0] == 1
    assert tremble.solve(tree).value == 1


@pytest.mark.parametrize("tree", REMEMBERED)
def test_the_checker_and_the_library_agree(tree: GameTree) -> None:
    from hand_made import solution_of
    from tremble.status import Status

    for seed in range(3):
        profile = random_profile(tree, seed)
        seen = tremble.verify(tree, solution_of(tree, profile, Status.BOUNDED))
        assert seen.ok == (tree.constant_sum is not None), seen.problems
        assert seen.nash_conv == tremble.nash_conv(tree, profile)
        assert seen.values == tremble.expected_values(tree, profile)
        assert seen.best_response_values == tuple(tremble.best_response(tree, profile, i)[0] for i in (0, 1))


def test_strategies_of_another_game() -> None:
    tree, other = kuhn(), centipede(5)
    mine, foreign = ([BehaviorStrategy.uniform(game, i) for i in (0, 1)] for game in (tree, other))
    for profile in (foreign, [mine[0], foreign[1]], [mine[1], mine[0]], [mine[0], mine[0]]):
        for function in (tremble.expected_values, tremble.nash_conv, tremble.exploitability):
            with pytest.raises(GameError, match="strategy"):
                function(tree, profile)
        with pytest.raises(GameError, match="strategy"):
            tremble.best_response(tree, profile, 0)
    for profile in ([], mine[:1], [*mine, mine[0]]):
        with pytest.raises(GameError, match="two strategies"):
            tremble.expected_values(tree, profile)
    for player in (-1, 2):
        with pytest.raises((GameError, ValueError, IndexError)):
            tremble.best_response(tree, mine, player)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(RECIPES)), st.integers(0, 10**6), st.integers(0, 10**6))
def test_theorems(family: str, seed: int, draw: int) -> None:
    """NashConv is nonnegative; a response is its own best answer; mixing with it cannot hurt."""
    tree = hostile_game(family, seed)
    profile = random_profile(tree, draw)
    assert tremble.nash_conv(tree, profile) >= 0
    for player in (0, 1):
        value, response = tremble.best_response(tree, profile, player)
        improved = [response if i == player else profile[i] for i in (0, 1)]
        assert tremble.expected_values(tree, improved)[player] == value
        assert value >= tremble.expected_values(tree, profile)[player]
        assert tremble.best_response(tree, improved, player)[0] == value


@pytest.mark.parametrize("depth", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_deep_trees(depth: int) -> None:
    tree = chain(depth)
    assert tree.depth == depth
    assert tremble.classify_recall(tree, 0) == "perfect"
    profile = [BehaviorStrategy.from_rows(tree, i, [[0, 1]] * (depth // 2)) for i in (0, 1)]
    assert tremble.expected_values(tree, profile) == (0, 0)
    assert SequenceForm.of(tree).num_sequences == (depth + 1, depth + 1)
    assert len(tree.path(tree.num_nodes - 1)) == depth


def test_a_strategy_of_another_game_with_the_same_sets() -> None:
    """What a strategy remembers of its own game must not leak into another."""

    def game(leads_on: int) -> GameTree:
        builder = TreeBuilder()
        builder.decision(0, "first", ("a", "b"))
        for action in (0, 1):
            if action == leads_on:
                builder.decision(0, "second", ("c", "d"))
                builder.leaf(1, -1)
            builder.leaf(2, -2)
        return builder.finish()

    here, there = game(0), game(1)
    pure = [[[0, 1], [1, 0]], []]
    profile = [BehaviorStrategy.from_rows(here, player, pure[player]) for player in (0, 1)]
    again = [BehaviorStrategy.from_rows(there, player, pure[player]) for player in (0, 1)]
    assert tremble.expected_values(here, profile) == (2, -2)
    assert tremble.expected_values(there, profile) == tremble.expected_values(there, again) == (1, -1)
    assert tremble.nash_conv(there, profile) == tremble.nash_conv(there, again) == 1


def test_probabilities_of_chance_too_long_to_write_down() -> None:
    builder = TreeBuilder()
    for _ in range(25_000):
        builder.chance(("on", "out"), (F(1, 2), F(1, 2)))
    for _ in range(25_001):
        builder.leaf(0, 0)
    with pytest.raises(TooLargeError, match="bits"):
        SequenceForm.of(builder.finish())


def test_forgetful_players_with_endless_memories() -> None:
    builder = TreeBuilder()
    for k in range(3_000):
        builder.decision(0, k, ("out", "on"))
        builder.decision(0, "out", ("x", "y"))
        builder.leaf(0, 0)
        builder.leaf(0, 0)
    builder.leaf(0, 0)
    with pytest.raises(TooLargeError, match="lacks perfect recall"):
        tremble.classify_recall(builder.finish(), 0)
