"""Imperfect-recall abstraction: what is merged, what is refused, what lifting keeps, and certified losses."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction as F
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from tremble import BehaviorStrategy, GameTree
from tremble.recall import Forgetting, InfosetView
from tremble.recall.regrouping import regrouped
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.stated import StatedSolution
from tremble.status import Status


def game(spec: str) -> GameTree:
    tree = tremble.load(spec)
    assert isinstance(tree, GameTree)
    return tree


def random_strategy(tree: GameTree, player: int, rng: random.Random) -> BehaviorStrategy:
    rows = []
    for actions in tree.actions[player]:
        weights = [rng.choice((0, 0, 1, 2, 5)) for _ in actions]
        weights[rng.randrange(len(weights))] += 1
        rows.append([F(w, sum(weights)) for w in weights])
    return BehaviorStrategy.from_rows(tree, player, rows)


def pair(player: int, own: BehaviorStrategy, other: BehaviorStrategy) -> tuple[BehaviorStrategy, BehaviorStrategy]:
    return (own, other) if player == 0 else (other, own)


def random_key(seed: int) -> Callable[[InfosetView], Hashable]:
    """Forgets at random, but neither its actions nor how often it has moved."""
    rng = random.Random(seed)
    return lambda view: (view.actions, len(view.moves), rng.randrange(3))


SMALL = ["kuhn", "kuhn_raise", "leduc:ranks=2,raises=1", "random_tree:depth=6,branching=2,seed=4", "goofspiel:cards=3"]


# -- lifting ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("player", [0, 1])
def test_lifting_keeps_what_a_strategy_guarantees(spec: str, player: int) -> None:
    tree = game(spec)
    rng = random.Random(7)
    for seed in range(4):
        forgetting = tremble.recall.forget(tree, player, key=random_key(seed))
        assert forgetting.information_sets[1] < forgetting.information_sets[0]
        own, other = random_strategy(forgetting.tree, player, rng), random_strategy(tree, 1 - player, rng)
        lifted = forgetting.lift(own)
        assert [lifted.row(k) for k in range(len(lifted))] == [own.row(k) for k in forgetting.set_of.tolist()]
        both, both_lifted = pair(player, own, other), pair(player, lifted, other)
        assert tremble.expected_values(forgetting.tree, both) == tremble.expected_values(tree, both_lifted)
        held, response = tremble.best_response(forgetting.tree, both, 1 - player)
        assert (held, list(response)) == (lambda v, s: (v, list(s)))(
            *tremble.best_response(tree, both_lifted, 1 - player)
        )


def test_lifting_the_other_player_changes_nothing() -> None:
    tree = game("leduc:ranks=2,raises=1")
    forgetting = tremble.recall.forget(tree, 1, last=0)
    mine = random_strategy(forgetting.tree, 0, random.Random(1))
    assert list(forgetting.lift(mine)) == list(mine)


def test_lifting_floats() -> None:
    forgetting = tremble.recall.forget(game("kuhn"), 0, last=0)
    uniform = BehaviorStrategy.uniform(forgetting.tree, 0).as_float()
    assert forgetting.lift(uniform).to_floats().tolist() == [0.5] * 12


def test_strategies_of_other_games_are_not_lifted() -> None:
    tree = game("kuhn")
    forgetting = tremble.recall.forget(tree, 0, last=0)
    for strange in (BehaviorStrategy.uniform(tree, 0), "uniform"):
        with pytest.raises(tremble.GameError, match="does not belong to 'Kuhn poker, player 1 forgets'"):
            forgetting.lift(strange)  # type: ignore[arg-type]


# -- what is merged --------------------------------------------------------------------------------


def partition(forgetting: Forgetting) -> set[tuple[int, ...]]:
    return set(forgetting.groups)


def brute_last(tree: GameTree, player: int, k: int) -> set[tuple[int, ...]]:
    """The rule of ``last``, node by node from the paths."""
    parts: dict[int, list[list[tuple[str, ...]]]] = {}  # set -> of each node, words between own moves
    history: dict[int, list[tuple[int, str]]] = {}  # set -> own moves
    for node in tree.in_preorder.tolist():
        if tree.player[node] != player:
            continue
        steps: list[int] = [node]
        while steps[-1]:
            steps.append(int(tree.parent[steps[-1]]))
        words: list[list[str]] = [[]]
        moves: list[tuple[int, str]] = []
        for above, below in zip(steps[:0:-1], steps[-2::-1], strict=True):
            label = tree.labels(above)[int(tree.action[below])]
            if tree.player[above] == player:
                moves.append((int(tree.infoset[above]), label))
                words.append([])
            else:
                words[-1].append(label)
        infoset = int(tree.infoset[node])
        parts.setdefault(infoset, []).append([tuple(word) for word in words])
        assert history.setdefault(infoset, moves) == moves
    seen: dict[int, Any] = {}
    count: dict[Any, int] = {}
    for infoset in sorted(parts):
        what = (tree.actions[player][infoset], frozenset(words[-1] for words in parts[infoset]))
        nth = (tuple(history[infoset]), what)
        count[nth] = count.get(nth, 0) + 1
        seen[infoset] = (what, count[nth])
    groups: dict[Any, list[int]] = {}
    for infoset in sorted(parts):
        moves = history[infoset]
        past = [(seen[before], label) for before, label in moves[len(moves) - k :]]
        memory = (len(moves), tuple(past), seen[infoset]) if len(moves) > k else infoset
        groups.setdefault(memory, []).append(infoset)
    return set(map(tuple, groups.values()))


@pytest.mark.parametrize("spec", [*SMALL, "leduc", "random_tree:depth=6,branching=3,seed=2", "liars_dice:faces=3"])
def test_the_last_moves_by_brute_force(spec: str) -> None:
    tree = game(spec)
    for player in (0, 1):
        for k in (0, 1, 2):
            assert partition(tremble.recall.forget(tree, player, last=k)) == brute_last(tree, player, k)


def test_more_memory_tells_more_apart() -> None:
    tree = game("leduc")
    sizes = [tremble.recall.forget(tree, 0, last=k).information_sets[1] for k in range(5)]
    assert sizes == [21, 60, 108, 144, 144]
    full = tremble.recall.forget(tree, 0, last=4)
    assert full.tree is tree
    assert full.recall == "perfect"


def test_what_is_seen_at_once_stays_apart() -> None:
    """Two sets after one own move that the labels do not tell apart: the mover still sees which of them it is."""
    builder = tremble.TreeBuilder()
    builder.decision(0, "start", ("a", "b"))
    for first in "ab":
        builder.chance(("same", "other"), (F(1, 2), F(1, 2)))
        for seen in (0, 1):
            builder.decision(1, f"hidden {first}{seen}", ("x",))
            builder.decision(0, f"{first}{seen}", ("l", "r"))
            builder.leaf(seen, -seen)
            builder.leaf(1 - seen, seen - 1)
    tree = builder.finish()
    assert tremble.recall.forget(tree, 0, last=0).tree.infoset_labels[0] == ("start", "a0 | b0", "a1 | b1")
    hidden = replace(tree, chance_tables=(replace(tree.chance_tables[0], labels=("same", "same")),))
    assert tremble.recall.forget(hidden, 0, last=0).tree.infoset_labels[0] == ("start", "a0 | b0", "a1 | b1")


def test_the_key_sees_the_own_moves() -> None:
    views: list[InfosetView] = []
    tremble.recall.forget(game("leduc"), 1, key=lambda view: views.append(view) or view.infoset)
    view = next(view for view in views if view.label == "K:crrc J:crr")
    assert view.moves == (("K:c", "bet"), ("K:crr", "call"), ("K:crrc J:c", "bet"))
    assert view.actions == ("fold", "call")
    assert [view.infoset for view in views] == list(range(144))


def test_a_key_that_forgets_the_first_round() -> None:
    def second_round(view: InfosetView) -> Hashable:
        before, _, now = view.label.partition(" ")
        return (before[0], now, view.actions) if now else view.label

    forgetting = tremble.recall.forget(game("leduc"), 0, key=second_round)
    assert forgetting.information_sets == (144, 36)
    assert forgetting.sequences[1] == forgetting.tree.num_slots[0] + 1
    assert forgetting.recall == "imperfect"
    assert forgetting.tree.num_infosets[1] == 144


def test_the_merged_game_can_be_written(tmp_path: Path) -> None:
    forgetting = tremble.recall.forget(game("kuhn"), 0, last=0)
    tremble.write_efg(forgetting.tree, tmp_path / "merged.efg")
    again = tremble.read_efg(tmp_path / "merged.efg")
    assert again.digest == forgetting.tree.digest != forgetting.original.digest
    assert again.infoset_labels[0] == ("J:", "J:cb | Q:cb | K:cb", "Q:", "K:")


def test_long_labels_are_cut_and_empty_ones_numbered() -> None:
    tree = game("leduc")
    bare = replace(tree, infoset_labels=(("",) * 144, tree.infoset_labels[1]))
    merged = tremble.recall.forget(bare, 0, last=0).tree
    assert merged.infoset_labels[0][:3] == ("", "set 2 | set 53 | set 101", "set 3 | set 6 | set 22 | ... (18 sets)")


# -- what is refused -------------------------------------------------------------------------------


def test_different_actions_are_not_merged() -> None:
    with pytest.raises(tremble.GameError, match=r"\('J:'\) and .* \('J:cb'\) .*'check', 'bet'.*'fold', 'call'"):
        tremble.recall.forget(game("kuhn"), 0, key=lambda view: view.label[0])


def twice() -> GameTree:
    """Player 1 moves twice in a row, and between the moves chance does."""
    builder = tremble.TreeBuilder()
    builder.decision(0, "one", ("a", "b"))
    for first in "ab":
        builder.chance(("u", "v"), (F(1, 2), F(1, 2)))
        for move in "uv":
            builder.decision(0, f"{first}{move}", ("a", "b"))
            builder.leaf(1, -1)
            builder.leaf(0, 0)
    return builder.finish()


def test_absentmindedness_is_refused_with_a_path() -> None:
    tree = twice()
    message = (
        r"^player 1 would be absentminded if its information sets 1, 3, 4 were one: the path a / v visits information "
        r"set 1 \('one'\) and then information set 3 \('av'\), .* same number of own moves before them$"
    )
    with pytest.raises(tremble.GameError, match=message):
        tremble.recall.forget(tree, 0, key=lambda view: view.label in ("one", "av", "bu"))
    assert tremble.recall.forget(tree, 0, key=lambda view: (len(view.moves), view.actions)).groups == (
        (0,),
        (1, 2, 3, 4),
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_merge_is_refused_exactly_if_the_merged_player_is_absentminded(seed: int) -> None:
    tree = game(f"random_tree:depth=6,branching=2,seed={seed}")
    rng = random.Random(seed)
    group = [rng.randrange(tree.num_infosets[0] - 2) for _ in range(tree.num_infosets[0])]
    own = np.flatnonzero(tree.player == 0)
    labels = {k: str(k) for k in group}
    merged = regrouped(tree, 0, np.array(group)[tree.infoset[own]], labels)
    absentminded = tremble.classify_recall(merged, 0) == "absentminded"
    merge = partial(tremble.recall.forget, tree, 0, key=lambda view: group[view.infoset])
    if absentminded:
        with pytest.raises(tremble.GameError, match="would be absentminded"):
            merge()
    else:
        assert merge().tree.digest == merged.digest


def test_functions_of_somebody() -> None:
    tree = game("kuhn")
    with pytest.raises(tremble.GameError, match=r"\('J:'\) of player 1: the function key failed \(ZeroDivisionError"):
        tremble.recall.forget(tree, 0, key=lambda view: 1 / len(view.moves))
    with pytest.raises(tremble.GameError, match=r"key failed \(TypeError: unhashable type: 'list'\)"):
        tremble.recall.forget(tree, 0, key=lambda view: ([],))
    with pytest.raises(tremble.errors.SpecError, match="must be a function of an information set"):
        tremble.recall.forget(tree, 0, key="label")  # type: ignore[arg-type]


def test_arguments() -> None:
    tree = game("kuhn")
    with pytest.raises(tremble.errors.SpecError, match=r"exactly one of key=, last= and file=$"):
        tremble.recall.forget(tree, 0)
    with pytest.raises(tremble.errors.SpecError, match="exactly one"):
        tremble.recall.forget(tree, 0, last=1, file="groups.txt")
    for last in (-1, 1.0, True, "1"):
        with pytest.raises(tremble.errors.SpecError, match="own moves, 0 or more"):
            tremble.recall.forget(tree, 0, last=last)  # type: ignore[arg-type]
    with pytest.raises(tremble.PlayersError):
        tremble.recall.forget(tree, 2, last=0)
    with pytest.raises(tremble.GameError, match="a text is not a game tree"):
        tremble.recall.forget("kuhn", 0, last=0)  # type: ignore[arg-type]
    with pytest.raises(tremble.ImperfectRecallError):
        tremble.recall.forget(game("a_loss_counterexample"), 0, last=0)


def test_a_player_who_never_moves_forgets_nothing() -> None:
    builder = tremble.TreeBuilder()
    builder.decision(0, "only", ("a", "b"))
    builder.leaf(1, -1)
    builder.leaf(0, 0)
    tree = builder.finish()
    assert tremble.recall.forget(tree, 1, last=0).tree is tree


# -- files of groups -------------------------------------------------------------------------------


def test_a_file_of_groups(tmp_path: Path) -> None:
    path = tmp_path / "groups.txt"
    path.write_bytes('\ufeff# cards\r\n\r\n2, "Q:cb" 6 # after a bet\r\n"J:"\t5\r\n 3\r\n'.encode())
    forgetting = tremble.recall.forget(game("kuhn"), 0, file=path)
    assert forgetting.groups == ((0, 4), (1, 3, 5), (2,))
    assert forgetting.rule == f"the groups in {path}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 3\n 2 9\n", "2:4: player 1 has information sets 1 to 6, not 9"),
        ("0", "1:1: player 1 has information sets 1 to 6, not 0"),
        ("7" * 50, "1:1: player 1 has information sets 1 to 6, not 7777777777777777777777777777777777777777..."),
        ('1 "A:"', "1:3: player 1 has no information set 'A:'"),
        ("1 3\n5,\t3", "2:4: information set 3 ('Q:') is named twice, first at 1:3"),
        ("1 1", "1:3: information set 1 ('J:') is named twice, first at 1:1"),
        (
            '1 "J:cb"',
            "1:3: information set 2 ('J:cb') has the actions 'fold', 'call', but information set 1 ('J:'), the first "
            "set of this line, has the actions 'check', 'bet'; only sets with equal actions can be merged",
        ),
        (
            "1 3\nJ: 2",
            "2:1: expected the number of an information set, or its label in double quotes, found J: 2",
        ),
        ('1 "J:', '1:3: expected the number of an information set, or its label in double quotes, found "J:'),
        ("1 -3", "1:3: expected the number of an information set, or its label in double quotes, found -3"),
        (r'"\x"', '1:1: "\\x" is not valid JSON text: Invalid \\escape: line 1 column 2 (char 1)'),
        ("1 3\n\x00", "2:1: a NUL byte; this is not a text file"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "groups.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(tremble.FormatError) as error:
        tremble.recall.forget(game("kuhn"), 0, file=path)
    assert str(error.value) == f"{path}:{message}"


def test_an_absentminded_file_and_a_label_of_several_sets(tmp_path: Path) -> None:
    path = tmp_path / "groups.txt"
    path.write_text("1\n2 4\n", encoding="utf-8")
    tree = twice()
    same = replace(tree, infoset_labels=(("one", "x", "x", "x", "y"), ()))
    assert tremble.recall.forget(same, 0, file=path).tree.infoset_labels[0] == ("one", "x | x", "x", "y")
    path.write_text("3 1\n", encoding="utf-8")
    with pytest.raises(tremble.FormatError, match=r"groups.txt:1:1: player 1 would be absentminded .* a / v visits"):
        tremble.recall.forget(tree, 0, file=path)
    path.write_text('"x"', encoding="utf-8")
    with pytest.raises(
        tremble.FormatError, match=r":1:1: 3 information sets have the label 'x'; use their numbers: 2, 3, 4$"
    ):
        tremble.recall.forget(same, 0, file=path)
    with pytest.raises(tremble.FormatError, match="no such file"):
        tremble.recall.forget(tree, 0, file=tmp_path / "none.txt")


# -- the loss --------------------------------------------------------------------------------------


def claimed(tree: GameTree, own: BehaviorStrategy, bounds: tuple[F, F]) -> tremble.Solution:
    """A solution of the merged game whose bounds are taken on trust."""
    other = BehaviorStrategy.uniform(tree, 1 - own.player)
    strategies = pair(own.player, own, other)
    return tremble.Solution(
        game=GameReference.of(tree), concept="maxmin", requested="maxmin",
        method=MethodReference("by hand", {}), status=Status.BOUNDED,
        values=tremble.expected_values(tree, strategies),  # type: ignore[arg-type]
        bounds=bounds, strategies=strategies, certificate={}, stats={}, verification=None,  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("spec", ["kuhn", "leduc:ranks=2,raises=1", "random_tree:depth=4,branching=2,seed=1"])
def test_the_loss_is_what_best_responses_say(spec: str, player: int) -> None:
    tree = game(spec)
    original = tremble.solve(tree)
    value = original.values[player]
    rng = random.Random(3)
    forgetting = tremble.recall.forget(tree, player, key=random_key(11))
    for _ in range(3):
        own = random_strategy(forgetting.tree, player, rng)
        lifted = forgetting.lift(own)
        both = pair(player, lifted, BehaviorStrategy.uniform(tree, 1 - player))
        guarantee = F(0) - tremble.best_response(tree, both, 1 - player)[0]
        most = guarantee + F(1, 7)
        bounds = (guarantee, most) if player == 0 else (-most, -guarantee)
        loss = forgetting.certify_loss(claimed(forgetting.tree, own, bounds), original)
        assert (loss.player, loss.value, loss.guarantee, loss.most) == (player, (value, value), guarantee, most)
        assert loss.at_most == value - guarantee >= loss.at_least == max(F(0), value - most) >= 0
        assert loss.solution.verification.nash_conv == loss.at_most
        assert list(loss.solution.strategies[player]) == list(lifted)
        assert tremble.verify(tree, loss.solution).ok


def test_payoffs_that_sum_to_another_constant() -> None:
    tree = game("kuhn")
    payoff = tree.payoff.copy()
    payoff[:, 1] += 5
    shifted = replace(tree, payoff=payoff, spec=None)
    forgetting = tremble.recall.forget(shifted, 1, key=lambda view: (view.label[1:], view.actions))
    uniform = BehaviorStrategy.uniform(forgetting.tree, 1)
    loss = forgetting.certify_loss(claimed(forgetting.tree, uniform, (F(0), F(5))), tremble.solve(shifted))
    assert loss.value == (F(91, 18), F(91, 18))
    both = (BehaviorStrategy.uniform(shifted, 0), forgetting.lift(uniform))
    assert loss.guarantee == 5 - tremble.best_response(shifted, both, 0)[0]
    assert (loss.most, loss.at_least) == (5, F(1, 18))


def test_solutions_that_are_not_fit() -> None:
    tree = game("kuhn")
    forgetting = tremble.recall.forget(tree, 0, last=0)
    original = tremble.solve(tree)
    own = BehaviorStrategy.uniform(forgetting.tree, 0)
    solution = claimed(forgetting.tree, own, (F(-2), F(0)))
    with pytest.raises(tremble.GameError, match="does not belong to the game 'Kuhn poker': the digests differ"):
        forgetting.certify_loss(solution, solution)
    with pytest.raises(tremble.GameError, match="does not belong to the game 'Kuhn poker, player 1 forgets'"):
        forgetting.certify_loss(original, original)
    with pytest.raises(tremble.GameError, match="expected a solution"):
        forgetting.certify_loss(solution, own)  # type: ignore[arg-type]
    with pytest.raises(tremble.GameError, match="has no bounds"):
        forgetting.certify_loss(solution, replace(original, bounds=None))
    without = forgetting.certify_loss(replace(solution, bounds=None), original)
    assert (without.most, without.at_least) == (F(-1, 18), 0)


def test_a_solution_from_a_file_is_proven_first() -> None:
    tree = game("kuhn")
    forgetting = tremble.recall.forget(tree, 0, last=1)
    original = tremble.solve(tree)
    stated = StatedSolution.from_text(original.to_text())
    assert forgetting.certify_loss(stated, stated).at_most == 0
    with pytest.raises(tremble.CertificateError, match="the solution of 'Kuhn poker' is not proven: bounds"):
        forgetting.certify_loss(stated, replace(stated, bounds=(F(-1), F(-1))))


def test_games_whose_loss_cannot_be_certified() -> None:
    general = game("random_tree:sum=general,depth=4,branching=2")
    forgetting = tremble.recall.forget(general, 0, last=0)
    solution = tremble.solve(general)
    with pytest.raises(tremble.NotZeroSumError, match="certified for payoffs that sum to a constant"):
        forgetting.certify_loss(solution, solution)


# -- the command -----------------------------------------------------------------------------------

KEYS = {
    *("title", "player", "remembers", "recall", "information_sets", "sequences", "value", "guarantee", "most"),
    *("loss_at_most", "loss_at_least", "guarantee_float", "most_float", "loss_at_most_float", "loss_at_least_float"),
    "digest",
}


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the command asks of the concept maxmin, whose place a fixed strategy with true bounds takes."""
    asked: list[dict[str, Any]] = []
    command = sys.modules[import_module("tremble.recall.command_forget").__name__]

    def solve(tree: GameTree, concept: str = "nash", *, player: int = 0, **options: Any) -> tremble.Solution:
        if concept == "nash":
            return tremble.solve(tree, **options)
        asked.append({"player": player, **options})
        own = BehaviorStrategy.uniform(tree, player)
        both = pair(player, own, BehaviorStrategy.uniform(tree, 1 - player))
        assert tree.constant_sum is not None
        held = F(tree.constant_sum - tremble.best_response(tree, both, 1 - player)[0])
        bounds = (held, F(0)) if player == 0 else (F(-1, 20), -held)
        return claimed(tree, own, bounds)

    monkeypatch.setattr(command, "solve", solve)
    return asked


def test_the_command_certifies_the_loss(solved: list[dict[str, Any]], tmp_path: Path) -> None:
    lifted, merged, proof = tmp_path / "lifted.json", tmp_path / "merged.efg", tmp_path / "proof.json"
    files = ("-o", lifted, "--save", merged, "--proof", proof)
    result = run("forget", "kuhn", "--player", 2, "--last", 0, "--epsilon", 0.01, *files, "--format", "json")
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout)
    assert set(record) == KEYS
    assert (record["player"], record["recall"], record["value"]) == (2, "perfect", ["1/18", "1/18"])
    assert (record["most"], record["loss_at_least"]) == ("1/20", "1/180")
    assert F(record["loss_at_most"]) == F(1, 18) - F(record["guarantee"]) > 0
    assert solved[0]["player"] == 1
    assert solved[0]["epsilon"] == 0.01
    verified = run("verify", "kuhn", lifted, "--format", "json")
    assert verified.exit_code == 0
    assert json.loads(verified.stdout)["nash_conv"] == record["loss_at_most"]
    assert run("respond", "kuhn", lifted).exit_code == 0
    assert tremble.read_efg(merged).digest == record["digest"]
    assert json.loads(proof.read_text("utf-8"))["game"]["digest"] == record["digest"]


@pytest.mark.usefixtures("solved")
def test_the_command_in_words() -> None:
    shown = run("forget", "kuhn", "--player", 1, "--last", 0)
    assert shown.exit_code == 0, shown.stderr
    words = " ".join(shown.stdout.split())
    assert "player 1: what it saw since its last move recall imperfect before forgetting" in words
    assert "information sets 6 4 sequences 13 9 value -1/18" in words
    assert "loss at most" in words
    assert "at least 0 of every strategy of the merged game" in words


def test_the_reference_lists_the_keys() -> None:
    text = (Path(__file__).parents[2] / "docs/reference/cli.md").read_text("utf-8")
    section = text[text.index("## `tremble forget GAME`") :].split("\n## ")[0]
    assert all(f"`{key}`" in section for key in KEYS)


def test_bad_usage(tmp_path: Path) -> None:
    groups = tmp_path / "groups.txt"
    groups.write_text("1 3\n2 9\n", encoding="utf-8")
    for args, code, said in (
        (("kuhn", "--player", 1), 2, "--last K, or --groups FILE"),
        (("kuhn", "--player", 1, "--last", 0, "--groups", groups), 2, "--last K, or --groups FILE"),
        (("kuhn", "--last", 0), 2, "--player"),
        (("kuhn", "--player", 3, "--last", 0), 2, "--player"),
        (("-", "--player", 1, "--groups", "-"), 2, "standard input"),
        (("kuhn", "--player", 1, "--last", 0, "--save", "merged.nfg"), 2, "--save needs .efg or .json"),
        (("kuhn", "--player", 1, "--groups", groups, "-o", groups), 2, "the same file"),
        (("kuhn", "--player", 1, "--groups", groups), 3, "groups.txt:2:3: player 1 has information sets 1 to 6, not 9"),
        (("a_loss_counterexample", "--player", 1, "--last", 0), 4, "player 1 forgets"),
        (("chicken.nfg", "--player", 1, "--last", 0), 3, "no such file"),
        (("random_tree:sum=general,depth=4", "--player", 1, "--last", 0), 4, "sum to a constant"),
    ):
        result = run("forget", *args)
        assert (result.exit_code, said in result.stderr) == (code, True), (args, result.stderr)


@pytest.mark.parametrize(("interrupted", "code"), [(False, 5), (True, 130)])
def test_a_limit_leaves_what_is_known(
    interrupted: bool, code: int, solved: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command = sys.modules["tremble.recall.command_forget"]
    best = command.solve  # type: ignore[attr-defined]
    kept = True

    def stopped(tree: GameTree, concept: str = "nash", **options: Any) -> tremble.Solution:
        found: tremble.Solution = best(tree, concept, **options)
        if concept == "nash":
            return found
        raise tremble.LimitReached("stopped", best=found if kept else None, interrupted=interrupted)

    monkeypatch.setattr(command, "solve", stopped)
    lifted = tmp_path / "lifted.json"
    asked = ("kuhn", "--player", 1, "--last", 0, "--format", "json", "-o", lifted)
    result = run("forget", *asked)
    assert result.exit_code == code
    assert json.loads(result.stdout)["most"] == "0"
    assert lifted.exists()
    lifted.unlink()
    kept = False
    result = run("forget", *asked)
    assert result.exit_code == code
    record = json.loads(result.stdout)
    assert set(record) == KEYS
    assert (record["information_sets"], record["value"], record["loss_at_most"]) == ([6, 4], None, None)
    assert not lifted.exists()


@pytest.mark.usefixtures("solved")
def test_what_cannot_be_written_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(self: object, path: object) -> None:
        raise tremble.FormatError("the file cannot be written: no space", file=str(path))

    monkeypatch.setattr(tremble.Solution, "to_json", full)
    result = run("forget", "kuhn", "--player", 1, "--last", 0, "-o", tmp_path / "lifted.json")
    assert result.exit_code == 3
    assert "no space" in result.stderr
    assert "guarantee" in result.stdout
