"""Players who forget: own sequences, refinements, witnesses and games, against the definitions."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tremble
from command import run
from gambit import Gambit, catalog, pygambit
from hostile_games import forgetful_game
from known import RANDOM_MERGED
from tremble import BehaviorStrategy, GameTree, TreeBuilder
from tremble.errors import GameError, ImperfectRecallError, PlayersError, TooLargeError
from tremble.game.requirements import require_no_absentmindedness
from tremble.game.sequence_form import refined, remembered
from tremble.games.random_imperfect_recall import RandomImperfectRecall
from tremble.games.random_tree import RandomTree
from tremble.recall.regrouping import regrouped


def old_sets(before: GameTree, after: GameTree, player: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which sets of a tree the sets of its regrouping came from: ``start`` int64[K + 1] and ``old``.

    Set k of ``after`` has nodes of ``old[start[k]:start[k + 1]]`` of ``before``, in their order.
    """
    own = np.flatnonzero(before.player == player)
    count = max(1, before.num_infosets[player])
    pairs = np.unique(after.infoset[own].astype(np.int64) * count + before.infoset[own])
    start = np.searchsorted(pairs, np.arange(after.num_infosets[player] + 1) * count)
    return start.astype(np.int64), pairs % count


def forgetful_trees(count: int = 250) -> list[GameTree]:
    """Random games of all recalls."""
    return [forgetful_game(seed, plies=3 + seed % 4, groups=1 + seed % 5) for seed in range(count)]


TREES = [
    *forgetful_trees(),
    *(tremble.load(spec) for spec in ("kuhn", "wichardt", "absentminded_driver", "a_loss_counterexample")),
    *(
        tremble.load(f"random_imperfect_recall:seed={seed},depth=5,merge={q},merge2={q}")
        for seed in (1, 2)
        for q in (0.5, 1)
    ),
]


def walked(tree: GameTree, player: int, node: int) -> tuple[tuple[int, int], ...]:
    """The own sequence of a node, by walking up: pairs of set and action."""
    moves = []
    while node:
        above = int(tree.parent[node])
        if tree.player[above] == player:
            moves.append((int(tree.infoset[above]), int(tree.action[node])))
        node = above
    return tuple(reversed(moves))


def own_nodes(tree: GameTree, player: int) -> list[int]:
    return [node for node in range(tree.num_nodes) if tree.player[node] == player]


def partition(keys: Iterable[Any]) -> set[frozenset[int]]:
    """The sets of positions with equal keys."""
    groups: dict[Any, list[int]] = {}
    for position, key in enumerate(keys):
        groups.setdefault(key, []).append(position)
    return {frozenset(group) for group in groups.values()}


# -- own sequences -----------------------------------------------------------------------------------


@pytest.mark.parametrize("player", [0, 1])
def test_own_sequences_by_walking_up(player: int) -> None:
    for tree in TREES:
        (own, at_node), start = refined(tree, player), tree.slot_start[player]
        assert own.slot_start.tolist() == start.tolist()
        assert own.set_at(own.parent, own.infoset).tolist() == [*range(own.num_infosets)]
        assert own.num_sequences == len({walked(tree, player, node) for node in range(tree.num_nodes)})
        for node in range(tree.num_nodes):
            moves = walked(tree, player, node)
            sequence = int(at_node[node])
            assert own.last_moves(sequence, tree.num_nodes) == [start[k] + a for k, a in moves]
            assert own.length[sequence] == len(moves)
            if tree.player[node] == player:
                k = own.set_at(at_node[[node]], tree.infoset[[node]])[0]
                assert (own.infoset[k], own.parent[k]) == (tree.infoset[node], sequence)
                assert own.start[k + 1] - own.start[k] == tree.num_children[node]
                for a, child in enumerate(tree.children(node)):
                    assert at_node[child] == own.start[k] + a
                    assert own.set_of[own.start[k] + a] == k
        # parents first: what leads to a set has a smaller number than its actions
        assert own.start[0] == 1
        assert np.all(own.parent < own.start[:-1])


def test_own_sequences_of_a_long_chain() -> None:
    tree = tremble.load("centipede:length=20000")
    assert refined(tree, 1)[0].length.max() == remembered(tree, 1)[0].length.max() == 10_000
    one_set = regrouped(tree, 0, np.zeros(10_000, dtype=np.int64), ["all"])
    assert tremble.recall.perfect_recall_refinement(one_set).num_infosets == (10_000, 10_000)


# -- regrouping --------------------------------------------------------------------------------------


@pytest.mark.parametrize("player", [0, 1])
def test_regrouped_by_what_it_is_is_the_same_game(player: int) -> None:
    for tree in TREES:
        labels = {k + 7: label for k, label in enumerate(tree.infoset_labels[player])}
        same = regrouped(tree, player, tree.infoset[tree.player == player] + 7, labels)
        assert same.digest == tree.digest
        assert same.infoset_labels == tree.infoset_labels
        assert (same.spec, same.origin) == (None, None)
        start, old = old_sets(tree, same, player)
        assert start.tolist() == [*range(tree.num_infosets[player] + 1)]
        assert old.tolist() == start.tolist()[:-1]


def test_merged_sets_are_numbered_in_preorder() -> None:
    tree = tremble.load("kuhn")
    k = tree.infoset[tree.player == 0]
    labels = tree.infoset_labels[0]
    group = [5 if labels[i] in ("J:", "Q:") else 2 if labels[i] == "K:" else 9 + int(i) for i in k.tolist()]
    merged = regrouped(
        tree, 0, group, {5: "not the king", 2: "king", **{9 + i: labels[i] for i in range(6)}}, title="Blurred"
    )
    assert merged.num_infosets == (5, 6)
    assert merged.infoset_labels[0][0] == "not the king"
    assert merged.title == "Blurred"
    assert merged.infoset_labels[1] == tree.infoset_labels[1]
    first = [int(merged.preorder[np.flatnonzero((merged.player == 0) & (merged.infoset == i))].min()) for i in range(5)]
    assert first == sorted(first)
    start, old = old_sets(tree, merged, 0)
    came = [{labels[i] for i in old[start[j] : start[j + 1]].tolist()} for j in range(5)]
    assert came[0] == {"J:", "Q:"}
    assert came[merged.infoset_labels[0].index("king")] == {"K:"}
    with pytest.raises(ValueError, match="read-only"):
        merged.infoset[0] = 1


def test_what_cannot_be_regrouped() -> None:
    tree = tremble.load("kuhn")
    with pytest.raises(
        GameError, match=r"information set 1 \('J:'\) and information set 2 .* cannot be merged.*'check'"
    ):
        regrouped(tree, 0, np.zeros(12, dtype=np.int64), ["all"])
    for wrong in (np.zeros(11, dtype=np.int64), np.zeros(12), [[0] * 12], 0):
        with pytest.raises(GameError, match="12 nodes"):
            regrouped(tree, 0, wrong, ["all"])
    with pytest.raises(PlayersError):
        regrouped(tree, 2, [0] * 12, ["all"])
    driver = tremble.load("absentminded_driver")
    assert regrouped(driver, 1, [], []).digest == driver.digest


# -- the refinement ----------------------------------------------------------------------------------


def test_refinement_by_definition() -> None:
    split = 0
    for tree in TREES:
        refined = tremble.recall.perfect_recall_refinement(tree)
        assert [tremble.classify_recall(refined, player) for player in (0, 1)] == ["perfect", "perfect"]
        assert tremble.recall.perfect_recall_refinement(refined) is refined
        remembered = all(tremble.classify_recall(tree, player) == "perfect" for player in (0, 1))
        assert (refined is tree) == remembered
        split += not remembered
        for player in (0, 1):
            nodes = own_nodes(tree, player)
            expected = partition((int(tree.infoset[node]), walked(tree, player, node)) for node in nodes)
            assert partition(refined.infoset[nodes].tolist()) == expected
            alone = tremble.recall.perfect_recall_refinement(tree, player)
            assert np.array_equal(alone.infoset[nodes], refined.infoset[nodes])
            others = own_nodes(tree, 1 - player)
            assert np.array_equal(alone.infoset[others], tree.infoset[others])
            start, old = old_sets(tree, refined, player)
            assert np.all(np.diff(start) == 1)  # each refined set is part of one
            parts = np.bincount(old, minlength=tree.num_infosets[player])
            labels = refined.infoset_labels[player]
            for k, label in zip(old.tolist(), labels, strict=True):
                was = tree.infoset_labels[player][k]
                assert label == was if parts[k] == 1 else label.startswith(f"{was or f'set {k + 1}'} after ")
            named = [label for label, k in zip(labels, old.tolist(), strict=True) if parts[k] > 1]
            assert len(set(named)) == len(named)
    assert split > 100


def refinements(sets: list[list[int]]) -> Iterable[list[list[int]]]:
    """All ways to split these sets further."""
    for parts in itertools.product(*map(splits, sets)):
        yield [part for some in parts for part in some]


def splits(items: list[int]) -> list[list[list[int]]]:
    if not items:
        return [[]]
    first, found = items[0], []
    for rest in splits(items[1:]):
        found.append([[first], *rest])
        found += [[*rest[:i], [first, *rest[i]], *rest[i + 1 :]] for i in range(len(rest))]
    return found


def test_no_refinement_with_perfect_recall_is_coarser() -> None:
    """Every partition of a player's sets that has perfect recall splits at least what ours does."""
    tried = 0
    for seed in range(1600):
        tree = forgetful_game(seed, plies=4, groups=1)
        nodes = own_nodes(tree, 0)
        if not 2 <= len(nodes) <= 7 or tremble.classify_recall(tree, 0) == "perfect":
            continue
        sets = [[i for i, node in enumerate(nodes) if tree.infoset[node] == k] for k in range(tree.num_infosets[0])]
        ours = partition(tremble.recall.perfect_recall_refinement(tree, 0).infoset[nodes].tolist())
        for parts in refinements(sets):
            group = np.empty(len(nodes), dtype=np.int64)
            for number, part in enumerate(parts):
                group[part] = number
            other = regrouped(tree, 0, group, [""] * len(parts))
            if tremble.classify_recall(other, 0) == "perfect":
                assert all(any(set(part) <= whole for whole in ours) for part in parts)
                tried += 1
    assert tried > 300


# -- witnesses ---------------------------------------------------------------------------------------


def node_at(tree: GameTree, path: tuple[str, ...]) -> int:
    node = 0
    for label in path:
        node = tree.children(node)[tree.labels(node).index(label)]
    return node


def test_witnesses_are_witnesses() -> None:
    seen = dict.fromkeys(("perfect", "a-loss", "imperfect", "absentminded"), 0)
    for tree, player in itertools.product(TREES, (0, 1)):
        witness, recall = tremble.recall.recall_witness(tree, player), tremble.classify_recall(tree, player)
        seen[recall] += 1
        assert (witness is None) == (recall == "perfect")
        if witness is None:
            continue
        assert (witness.player, witness.recall) == (player, recall)
        nodes = [node_at(tree, path) for path in witness.paths]
        assert [int(tree.player[node]) for node in nodes] == [player, player]
        assert [int(tree.infoset[node]) for node in nodes] == [witness.infoset] * 2
        assert tree.set_name(player, witness.infoset) in witness.words
        one, two = (walked(tree, player, node) for node in nodes)
        apart = [(k, a, b) for k, a in one for j, b in two if k == j and a != b]
        if recall == "absentminded":
            assert witness.paths[1][: len(witness.paths[0])] == witness.paths[0] != witness.paths[1]
        elif recall == "a-loss":
            assert witness.earlier is not None
            k, *labels = witness.earlier
            a, b = (tree.actions[player][k].index(label) for label in labels)
            assert (k, a, b) in apart
            assert tree.set_name(player, k) in witness.words
        else:
            assert one != two
            assert not apart
        assert (witness.earlier is None) == (recall != "a-loss")
    assert min(seen.values()) >= 20, seen


def test_absentmindedness_is_refused_by_name() -> None:
    refused = 0
    for tree, player in itertools.product(TREES, (0, 1)):
        if tremble.classify_recall(tree, player) != "absentminded":
            require_no_absentmindedness(tree, player)
            continue
        refused += 1
        with pytest.raises(
            ImperfectRecallError, match=f"player {player + 1} is absentminded: .*information set .* twice"
        ):
            require_no_absentmindedness(tree, player)
    assert refused > 20
    with pytest.raises(ImperfectRecallError, match=r"set 1 \('intersection'\) twice: at the root, and after go on"):
        require_no_absentmindedness(tremble.load("absentminded_driver"), 0)


@pytest.mark.parametrize("sum_is_constant", [True, False])
def test_no_advice_about_an_absentminded_player_leads_to_another_refusal(sum_is_constant: bool) -> None:
    """Who is told that a player forgets is not sent to maxmin where the other is absentminded."""
    builder = TreeBuilder()
    builder.decision(1, "driver", ("on", "out"))
    builder.decision(1, "driver", ("on", "out"))
    for last in ("left", "right"):
        builder.decision(0, f"before {last}", ("left", "right"))
        for _ in range(2):
            builder.decision(0, "forgets", ("left", "right"))
            builder.leaf(1, -1)
            builder.leaf(0, 0 if sum_is_constant else 5)
    builder.leaf(2, -2)
    tree = builder.finish()
    assert [tremble.classify_recall(tree, player) for player in (0, 1)] == ["imperfect", "absentminded"]
    said = "player 2 is absentminded: a path reaches information set 1 .* best responses of an absentminded player"
    for concept in ("maxmin", "nash", "sequential", "perfect"):
        with pytest.raises(ImperfectRecallError) as refused:
            tremble.solve(tree, concept)
        assert "maxmin" not in str(refused.value)
        assert re.search(said if concept == "maxmin" else "player 1 forgets", str(refused.value))
    for ask in (tremble.uniqueness, lambda tree: tremble.solve(tree, method="lp")):
        with pytest.raises(ImperfectRecallError, match="player 1 forgets"):
            ask(tree)


def test_absentmindedness_on_a_long_path(tmp_path: Path) -> None:
    builder = TreeBuilder()
    for k in range(50_000):
        builder.decision(0, k % 49_999, ("on", "out"))
    for _ in range(50_001):
        builder.leaf(0, 0)
    tree = builder.finish()
    witness = tremble.recall.recall_witness(tree, 0)
    assert witness is not None
    assert (witness.infoset, *map(len, witness.paths)) == (0, 0, 49_999)
    assert len(witness.words) < 200
    path = tmp_path / "driver.efg"
    tremble.write_efg(tremble.load("absentminded_driver"), path)
    with pytest.raises(ImperfectRecallError, match=r"driver\.efg: player 1 is absentminded"):
        require_no_absentmindedness(tremble.read_efg(path), 0)


def test_witnesses_of_wrong_input() -> None:
    for wrong in (2, -1, True, "0"):
        with pytest.raises(PlayersError):
            tremble.recall.recall_witness(tremble.load("kuhn"), wrong)  # type: ignore[arg-type]
        with pytest.raises(PlayersError):
            tremble.recall.perfect_recall_refinement(tremble.load("kuhn"), wrong)  # type: ignore[arg-type]


def test_info_tells_the_witness() -> None:
    found = tremble.info(tremble.load("wichardt"))
    assert found["recall"] == ["a-loss", "perfect"]
    assert found["recall_witness"] == [
        {
            "infoset": 2,
            "paths": [["R"], ["L"]],
            "earlier": {"infoset": 1, "actions": ["R", "L"]},
            "words": "at information set 2 ('second') the player forgets which action it played at information set 1 "
            "('first'): 'R' or 'L'",
        },
        None,
    ]
    assert json.loads(json.dumps(found)) == found
    assert tremble.info(tremble.load_rules("leduc:ranks=1000"))["recall_witness"] == [None, None]
    assert tremble.info(tremble.load_rules("wichardt"))["recall_witness"] is None  # not known without building it


def test_info_shows_the_witness() -> None:
    shown = run("info", "random_imperfect_recall:merge=0.5,merge2=1,recall2=any").stdout
    assert re.search(r"^recall +imperfect, a-loss\n +of player 1 +at information set 2", shown, re.MULTILINE)
    assert re.search(r"^ +of player 2 +at information set", shown, re.MULTILINE)
    assert "of player 1" not in run("info", "kuhn").stdout


# -- games -------------------------------------------------------------------------------------------


SPECS = [
    (seed, depth, branching, merge, recall)
    for seed in range(6)
    for depth, branching in ((4, 2), (5, 3), (7, 2))
    for merge in (0.3, 0.5, 1.0)
    for recall in ("any", "a-loss")
]


def test_random_imperfect_recall_is_a_random_tree_with_merged_sets() -> None:
    seen = set()
    for seed, depth, branching, merge, recall in SPECS:
        swapped = "any" if recall == "a-loss" else "a-loss"
        rules = RandomImperfectRecall(seed, depth, branching, merge, recall, 1.3 - merge if merge < 1 else 0.5, swapped)
        tree, plain = tremble.build(rules), tremble.build(RandomTree(seed, depth, branching))
        for name in ("parent", "player", "payoff", "preorder"):
            assert np.array_equal(getattr(tree, name), getattr(plain, name))
        for player, kept in ((0, recall), (1, swapped)):
            start, old = old_sets(plain, tree, player)
            assert len(old) == len(set(old.tolist())) == plain.num_infosets[player]  # merged whole
            for k, label in enumerate(tree.infoset_labels[player]):
                members = [plain.infoset_labels[player][i] for i in old[start[k] : start[k + 1]].tolist()]
                more = f" and {len(members) - 1} more" if len(members) > 1 else ""
                assert label in [member + more for member in members]
            found = tremble.classify_recall(tree, player)
            assert found in (("perfect", "a-loss") if kept == "a-loss" else ("perfect", "a-loss", "imperfect"))
            seen.add((kept, found))
        assert tremble.build(rules).digest == tree.digest
    assert {("a-loss", "a-loss"), ("any", "imperfect")} <= seen


def test_random_imperfect_recall_at_the_ends() -> None:
    for seed in range(3):
        tree = tremble.load(f"random_imperfect_recall:seed={seed},merge=0")
        assert tree.digest == tremble.load(f"random_tree:seed={seed}").digest
        for recall in ("any", "a-loss"):
            rules = RandomImperfectRecall(seed, merge=1, merge2=1, recall=recall, recall2=recall)
            assert tremble.build(rules).num_infosets == (3, 3)  # all that a player does on a level, it does blindly
    iid = tremble.load("random_imperfect_recall:merge=0,observations=3,utilities=iid")
    assert iid.digest == tremble.load("random_tree:observations=3,utilities=iid").digest


@pytest.mark.parametrize("spec", RANDOM_MERGED)
def test_the_merging_never_changes(spec: str) -> None:
    """The procedure is public: the same spec is the same game for ever."""
    tree = tremble.load(spec)
    assert tree.spec == spec
    one, two = (tree.infoset[tree.player == player].tolist() for player in (0, 1))
    assert (one, two, list(tree.infoset_labels[0])) == RANDOM_MERGED[spec]


def test_random_imperfect_recall_in_python() -> None:
    assert RandomImperfectRecall(merge=1).identity() == RandomImperfectRecall(merge=1.0).identity()
    with pytest.raises(tremble.errors.SpecError, match="merge=True"):
        RandomImperfectRecall(merge=True)
    with pytest.raises(TooLargeError, match="random_imperfect_recall"):
        tremble.load("random_imperfect_recall:depth=100")


def test_wichardt_has_no_equilibrium() -> None:
    """Maxmin -1 is below minmax 0: on a grid, and by the formula of the docstring, which the grid confirms."""
    tree = tremble.load("wichardt")
    grid = [F(i, 12) for i in range(13)]
    pure = [BehaviorStrategy.pure(tree, 1, [c]) for c in (0, 1)]
    guarantee = {}
    for p, q in itertools.product(grid, grid):
        one = BehaviorStrategy.from_rows(tree, 0, [[p, 1 - p], [q, 1 - q]])
        guarantee[p, q] = min(tremble.expected_values(tree, (one, two))[0] for two in pure)
        assert guarantee[p, q] == -abs(p + q - 1) - 5 * (p + q - 2 * p * q)
    assert max(guarantee.values()) == -1
    assert {pair for pair, value in guarantee.items() if value == -1} == {(0, 0), (1, 1)}
    own = [BehaviorStrategy.pure(tree, 0, [a, b]) for a in (0, 1) for b in (0, 1)]
    conceded = []
    for t in grid:
        two = BehaviorStrategy.from_rows(tree, 1, [[t, 1 - t]])
        conceded.append(max(tremble.expected_values(tree, (one, two))[0] for one in own))
    assert min(conceded) == 0
    assert conceded.index(0) == 6  # equal probabilities


def test_wichardt_is_a_game_of_gambit(gambit: Gambit) -> None:
    (text,) = [text for text in gambit.ask(catalog) if "Wichardt" in text]
    assert tremble.read_efg(text).digest == tremble.load("wichardt").digest


@pytest.mark.peers
def test_wichardt_is_the_game_of_gambit() -> None:
    theirs = pygambit().catalog.load("journals/geb/wichardt2008")
    assert tremble.build(theirs).digest == tremble.load("wichardt").digest


def test_the_driver_does_best_at_two_thirds() -> None:
    tree = tremble.load("absentminded_driver")
    nobody = BehaviorStrategy.from_rows(tree, 1, [])
    earned = {}
    for i in range(13):
        p = F(i, 12)
        driver = BehaviorStrategy.from_rows(tree, 0, [[1 - p, p]])
        earned[p] = tremble.expected_values(tree, (driver, nobody))[0]
        assert earned[p] == 4 * p - 3 * p * p
    assert max(earned, key=lambda p: earned[p]) == F(2, 3)
    assert earned[F(2, 3)] == F(4, 3)
