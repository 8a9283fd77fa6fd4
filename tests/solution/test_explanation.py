"""Explanations: reach, beliefs and values against a search through all plays, against Gambit, and their words."""

from __future__ import annotations

import itertools
import json
import pickle
import re
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from gambit import Gambit, assessment
from hand_made import random_game, random_profile
from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameError, GameTree, Solution
from tremble.formats.efg import format_efg
from tremble.game.evaluation import nash_conv
from tremble.game.requirements import parent_sequence
from tremble.solution.assessment import Assessment
from tremble.solution.explanation import Explanation

Profile = tuple[BehaviorStrategy, BehaviorStrategy]
Row = list[list[F]]

# -- by brute force ------------------------------------------------------------------------------


def probability(tree: GameTree, rows: tuple[Row, Row], node: int, a: int) -> F:
    """Of an action at a node."""
    mover, k = int(tree.player[node]), int(tree.infoset[node])
    return tree.chance_tables[k].probabilities[a] if mover == CHANCE else rows[mover][k][a]


def value_of(tree: GameTree, rows: tuple[Row, Row], node: int, player: int) -> F:
    """What a player earns from a node on, by going through all that may follow."""
    if tree.player[node] == TERMINAL:
        return tree.payoff_at(int(tree.infoset[node]))[player]
    children = enumerate(tree.children(node))
    return sum((probability(tree, rows, node, a) * value_of(tree, rows, c, player) for a, c in children), F(0))


def towards(tree: GameTree, rows: tuple[Row, Row], node: int, movers: tuple[int, ...]) -> F:
    """The probability that these movers play towards a node."""
    p = F(1)
    while node:
        above = int(tree.parent[node])
        if int(tree.player[above]) in movers:
            p *= probability(tree, rows, above, int(tree.action[node]))
        node = above
    return p


def nodes_of(tree: GameTree, player: int, k: int) -> list[int]:
    nodes = [n for n in range(tree.num_nodes) if tree.player[n] == player and tree.infoset[n] == k]
    return sorted(nodes, key=lambda n: int(tree.preorder[n]))


def rows_of(profile: Profile) -> tuple[Row, Row]:
    one, two = ([[F(p) for p in row] for row in strategy] for strategy in profile)
    return one, two


def pure_rows(tree: GameTree, player: int) -> list[Row]:
    """All pure strategies, as rows."""
    choices = itertools.product(*(range(len(labels)) for labels in tree.actions[player]))
    sizes = [len(labels) for labels in tree.actions[player]]
    return [[[F(a == c) for a in range(n)] for n, c in zip(sizes, chosen, strict=True)] for chosen in choices]


def check(tree: GameTree, profile: Profile, *, best: bool) -> tuple[int, int]:
    """Every explanation against all plays; how many sets are off the path, and have an open belief."""
    rows, known = rows_of(profile), Assessment(tree, profile)
    off = open_ = 0
    for player in (0, 1):
        pure = pure_rows(tree, player) if best else []
        for k in range(tree.num_infosets[player]):
            why, nodes = known.explained(player, k), nodes_of(tree, player, k)
            assert [node.path for node in why.nodes] == [tree.path(n) for n in nodes]
            full = [towards(tree, rows, n, (0, 1, CHANCE)) for n in nodes]
            others = [towards(tree, rows, n, (1 - player, CHANCE)) for n in nodes]
            assert [node.reach for node in why.nodes] == full
            assert (why.reach, why.other_reach) == (sum(full), sum(others))
            assert why.own_reach == towards(tree, rows, nodes[0], (player,))
            assert why.dealt == any(towards(tree, rows, n, (CHANCE,)) for n in nodes)
            for node, n in zip(why.nodes, nodes, strict=True):
                assert node.values == tuple(value_of(tree, rows, n, i) for i in (0, 1))
            off += not why.reach
            if sum(others):
                belief: list[F] | None = [w / sum(others) for w in others]
            else:
                belief = [F(1)] if len(nodes) == 1 else None
            assert [node.belief for node in why.nodes] == (belief or [None] * len(nodes))
            open_ += belief is None
            for a, action in enumerate(why.actions):
                after = [value_of(tree, rows, tree.children(n)[a], player) for n in nodes]
                if belief is not None:
                    assert action.value == sum(mu * v for mu, v in zip(belief, after, strict=True))
                    assert action.ends is not None
                    assert action.ends + sum(reply.probability or 0 for reply in action.replies) == 1
                else:
                    assert action.value in (None, action.between[0])
                    assert action.ends is None
                assert action.between[0] <= action.between[1]
                if best and sum(others):
                    most = max(
                        sum(
                            w * value_of(tree, (mine, rows[1]) if player == 0 else (rows[0], mine), c, player)
                            for w, n in zip(others, nodes, strict=True)
                            for c in [tree.children(n)[a]]
                        )
                        for mine in pure
                    )
                    assert action.best == most / sum(others)
            measured = [a.best if sum(others) else a.value for a in why.actions]
            known_all = None not in measured
            for a, worth in zip(why.actions, measured, strict=True):
                assert a.loss == (max(m for m in measured if m is not None) - worth if known_all and worth else a.loss)
                assert (a.loss is None) == (not known_all)
            if why.value is not None:
                played = zip(rows[player][k], why.actions, strict=True)
                assert why.value == sum(p * a.value for p, a in played if p and a.value is not None)
            assert str(why)
            assert why._repr_html_()
            assert len(why.to_rows()) == len(why.actions)
    return off, open_


def test_random_games_by_brute_force() -> None:
    off = opened = 0
    for seed in range(220):
        tree = random_game(seed, 3 + seed % 2, zero_sum=seed % 3 > 0)
        if any(parent_sequence(tree, player) is None for player in (0, 1)):
            continue
        plans = max(1, *(len(labels) for sets in tree.actions for labels in sets or [("",)])) ** max(tree.num_infosets)
        counts = check(tree, random_profile(tree, seed), best=plans <= 200)
        off, opened = off + counts[0], opened + counts[1]
    assert off > 50
    assert opened > 10


@pytest.mark.parametrize("seed", range(25))
def test_losses_sum_to_what_can_be_gained(seed: int) -> None:
    """Times both reaches and probabilities, what played actions lose is NashConv."""
    tree = random_game(1000 + seed, 5, zero_sum=seed % 2 == 0)
    profile = random_profile(tree, seed)
    known = Assessment(tree, profile)
    lost = F(0)
    for player in (0, 1):
        for k in range(tree.num_infosets[player]):
            why = known.explained(player, k, replies=False)
            lost += why.reach * sum(a.probability * a.loss for a in why.actions if a.loss is not None)
    assert lost == nash_conv(tree, profile)


def test_in_equilibrium_nothing_that_is_played_on_the_path_loses() -> None:
    for seed in range(12):
        tree = random_game(seed, 4, zero_sum=seed % 2 == 0)
        for why in tremble.solve(tree).explain(most=1000):
            assert not why.mistakes
            assert why.reach > 0


def test_beliefs_off_the_path_are_those_of_the_sequential_equilibrium() -> None:
    stated = 0
    for seed in range(70):
        tree = random_game(seed, 5, zero_sum=seed % 2 == 0)
        solution = tremble.solve(tree, "sequential")
        assert solution.beliefs is not None
        for player, rows in enumerate(solution.beliefs):
            for row in rows:
                why = solution.explain(row.infoset, player=player)
                assert isinstance(why, Explanation)
                if why.dealt:
                    assert solution.beliefs_at(row.infoset, player=player) == dict(row.nodes)
                    assert not why.mistakes
                stated += why.ground == "stated"
    assert stated > 5


# -- Gambit --------------------------------------------------------------------------------------


def reads(seed: int) -> tuple[GameTree, Profile, str, Any]:
    tree = random_game(200 + seed, 4, zero_sum=seed % 2 == 0)
    profile = random_profile(tree, seed)
    return tree, profile, format_efg(tree), [[list(row) for row in strategy] for strategy in profile]


@pytest.mark.parametrize("seed", range(20))
def test_gambit_says_the_same(gambit: Gambit, seed: int) -> None:
    """Beliefs, action values and node values, wherever play comes; node values also elsewhere."""
    tree, profile, text, rows = reads(seed)
    known = Assessment(tree, profile)
    for player, sets in enumerate(gambit.ask(assessment, text, rows)):
        for k, (reach, beliefs, actions, nodes) in enumerate(sets):
            why = known.explained(player, k)
            assert why.reach == F(reach)
            assert sorted(node.values[player] for node in why.nodes) == sorted(map(F, nodes))
            if why.reach:
                listed = [(node.belief, node.values[player]) for node in why.nodes]
                assert sorted(listed) == sorted(zip(map(F, beliefs), map(F, nodes), strict=True))
                assert [a.value for a in why.actions] == list(map(F, actions))


# -- corners -------------------------------------------------------------------------------------


def test_a_player_who_forgets() -> None:
    """What can be said is said: reach, the belief by Bayes' rule, values; no best replies."""
    tree = tremble.load("a_loss_counterexample")
    profile = random_profile(tree, 3)
    rows, known = rows_of(profile), Assessment(tree, profile)
    forgetful = [player for player in (0, 1) if parent_sequence(tree, player) is None]
    assert forgetful
    for player in forgetful:
        for k in range(tree.num_infosets[player]):
            why, nodes = known.explained(player, k), nodes_of(tree, player, k)
            full = [towards(tree, rows, n, (0, 1, CHANCE)) for n in nodes]
            assert why.reach == sum(full)
            assert all(a.best is None for a in why.actions)
            if why.reach and len(nodes) > 1:
                assert [node.belief for node in why.nodes] == [p / sum(full) for p in full]
            assert str(why)


def test_an_absentminded_player() -> None:
    tree = tremble.load("absentminded_driver")
    profile = tuple(BehaviorStrategy.uniform(tree, player) for player in (0, 1))
    why = tremble.explain(tree, profile, 0, player=0)
    assert isinstance(why, Explanation)
    assert why.ground is None
    assert all(node.belief is None for node in why.nodes)
    assert why.reach == F(3, 2)  # visits
    assert "comes here 3/2 times on average" in str(why)


def test_games_that_are_not_built() -> None:
    rules = tremble.load_rules("kuhn")
    solution = tremble.solve(rules)
    for call in (lambda: solution.explain("K:"), lambda: tremble.explain(rules, solution, "K:")):
        with pytest.raises(GameError, match=r"this game is not built: if it is small enough, build it .* tremble.play"):
            call()
    tree = tremble.load("kuhn")
    read = Solution.from_text(tremble.solve(tree).to_text())
    assert tremble.explain(tree, read, "K:cb").player == 0  # type: ignore[union-attr]


def test_strategies_from_anywhere(tmp_path: Path) -> None:
    game = tremble.load("beer_quiche")
    solution = tremble.solve(game, "sequential")
    why = solution.explain("sees quiche")
    solution.to_json(tmp_path / "beer.json")
    for form in (solution, tmp_path / "beer.json", Solution.from_json(tmp_path / "beer.json")):
        assert tremble.explain(game, form, "sees quiche") == why
    pennies = tremble.load("matching_pennies")
    half = [F(1, 2)] * 2
    for forms in ("NE,1/2,1/2,1/2,1/2", (half, half), [{0: {"heads": "1/2", "tails": "1/2"}}] * 2, ([0.5, 0.5], half)):
        assert tremble.explain(pennies, forms, 0, player=1).value == 0


def test_which_set() -> None:
    solution = tremble.solve(tremble.load("kuhn"))
    assert solution.explain("K:cb") == solution.explain(5, player=0)
    for wrong, player, words in [
        ("K:bc", None, "did you mean .*'K:cb'"),
        ("K:b", 0, "player 1 has no information set 'K:b'"),
        (3, None, "3 is the index of an information set: also give player=0"),
        (9, 0, "6 information sets"),
        ("K:cb", 2, "no player with index 2"),
    ]:
        with pytest.raises(GameError, match=words):
            solution.explain(wrong, player=player)  # type: ignore[call-overload]


def test_whose_sets() -> None:
    entry = tremble.load("entry_deterrence")
    solution = tremble.solve(entry, "sequential")
    assert [found.player for found in solution.explain(player=1)] == [1]
    threat = [{"entrant": "out"}, {"incumbent": "fight"}]
    assert [found.player for found in tremble.explain(entry, threat, player=0)] == [0]
    assert str(tremble.explain(entry, threat, player=1)).startswith("Play reaches none of these information sets")
    with pytest.raises(tremble.errors.PlayersError, match="no player with index 'Incumbent'"):
        tremble.explain(entry, threat, player="Incumbent")  # type: ignore[call-overload]


def test_both_players_have_a_set_of_that_name() -> None:
    builder = tremble.TreeBuilder()
    builder.decision(0, "same", ("a", "b"))
    for _ in range(2):
        builder.decision(1, "same", ("c", "d"))
        builder.leaf(1, -1)
        builder.leaf(0, 0)
    solution = tremble.solve(builder.finish())
    with pytest.raises(GameError, match="an information set 'same': choose one by player=0 or player=1"):
        solution.explain("same")
    assert solution.action_values("same", player=1) == {"c": -1, "d": 0}


def test_an_action_that_loses_is_called_a_mistake() -> None:
    kuhn = tremble.load("kuhn")
    uniform = tuple(BehaviorStrategy.uniform(kuhn, player) for player in (0, 1))
    why = tremble.explain(kuhn, uniform, "K:cb")
    assert isinstance(why, Explanation)
    assert [a.action for a in why.mistakes] == ["fold"]
    assert "Playing fold is a mistake: it loses 3 against call." in why.sentences[2]
    assert pickle.loads(pickle.dumps(why)) == why


def test_labels_cannot_do_harm() -> None:
    builder = tremble.TreeBuilder()
    builder.decision(0, "<b>\x1b[2J", ("<i>\x07", "b"))
    builder.leaf(1, -1)
    builder.leaf(0, 0)
    why = tremble.solve(builder.finish()).explain(0, player=0)
    assert isinstance(why, Explanation)
    assert "\x1b" not in str(why)
    assert "\x07" not in str(why)
    assert "<b>" not in why._repr_html_()


FLOATS = [[[0.3, 0.7]] * 6, [[0.1234567, 0.8765433]] * 6]


@pytest.mark.parametrize(
    "profile",
    [
        FLOATS,
        [np.array(rows) for rows in FLOATS],
        [
            tremble.BehaviorStrategy.from_floats(tremble.load("kuhn"), k, np.ravel(rows))
            for k, rows in enumerate(FLOATS)
        ],
        "NE" + ",0.3,0.7" * 6 + ",0.1234567,0.8765433" * 6,
    ],
)
def test_a_profile_of_floats_is_explained_in_decimals(profile: Any) -> None:
    kuhn = tremble.load("kuhn")
    why = tremble.explain(kuhn, profile, "Q:cb")
    html = re.sub("<style>.*?</style>", "", why._repr_html_(), flags=re.DOTALL)
    for text in (str(why), html, str(tremble.explain(kuhn, profile))):
        assert not re.search(r"\d/\d", text)
        assert not re.search(r"\d{10}", text)
    assert "It mixes fold 0.3 and call 0.7." in str(why)
    assert why.actions[0].probability == F(3, 10)  # the numbers stay exact


def test_the_command_explains_decimals_in_decimals(tmp_path: Path) -> None:
    (tmp_path / "line.txt").write_text("NE" + ",0.3,0.7" * 6 + ",0.1234567,0.8765433" * 6 + "\n")
    moves = {"b": ("fold", "call"), "c": ("check", "bet"), ":": ("check", "bet")}
    both = [
        {label: dict(zip(moves[label[-1]], row, strict=True)) for label in labels.split()}
        for labels, row in (("J: Q: K: J:cb Q:cb K:cb", FLOATS[0][0]), ("Q:c Q:b K:c K:b J:c J:b", FLOATS[1][0]))
    ]
    (tmp_path / "labels.json").write_text(json.dumps({"strategies": both}))
    for name in ("line.txt", "labels.json"):
        for asked in (["Q:cb"], []):
            done = run("explain", "kuhn", str(tmp_path / name), *asked)
            assert done.exit_code == 0, done.output
            assert "0.3" in done.stdout
            assert not re.search(r"\d/\d|\d{10}", done.stdout)


def test_long_exact_numbers_are_decimals_in_sentences_and_short_ones_fractions() -> None:
    leduc = tremble.load("leduc")
    said = str(tremble.solve(leduc).explain())
    assert not re.search(r"\d{12}", said)
    assert re.search(r"\d/\d", said)
