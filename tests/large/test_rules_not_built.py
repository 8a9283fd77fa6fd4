"""Games that are never built: what the checker finds from their rules alone, their solution files, the commands."""

from __future__ import annotations

import io
import json
import random
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console, RenderableType

import tremble
from check.claims import claim_of, strategy_of
from command import run
from hand_made import chain, random_game
from tremble import (
    BehaviorStrategy,
    CertificateError,
    FormatError,
    GameError,
    GameTree,
    Solution,
    TreeBuilder,
    check,
    load,
    verify,
)
from tremble.errors import ImperfectRecallError, PlayersError, TooLargeError, TrembleError
from tremble.formats.game_json import write_json
from tremble.formats.profile import read_profile
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy, key_text
from tremble.game.table import StrategyTable
from tremble.game.tree_rules import RulesOfTree
from tremble.games.kuhn import Kuhn
from tremble.games.loading import load_any
from tremble.large.adapter import RulesKind
from tremble.large.check import evaluate_rules, outcome_of_rules
from tremble.large.check_nature import Visits
from tremble.numbers import format_fraction, parse_fraction
from tremble.results import StatedSolution
from tremble.show.svg import draw_svg
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.status import Status
from tremble.text.solutions import solution_view
from tremble.text.verifications import verification_view

Row = tuple[tuple[str, F], ...]
Rows = dict[str, Row]


class Walk(RulesOfTree):
    """A tree as rules: a history is a node, an information set its player and number."""

    def infoset(self, h: int) -> Any:
        return self.player(h), int(self.tree.infoset[h])

    def identity(self) -> str:
        return f"walk over {self.tree.digest}"


class WithDefault(Walk):
    """The same, with a default action that differs from set to set."""

    def default(self, h: int) -> int:
        return zlib.crc32(repr(self.infoset(h)).encode()) % len(self.actions(h))


def keys_of(rules: Any, player: int) -> list[str]:
    return [repr((player, k)) for k in range(rules.tree.num_infosets[player])]


def random_row(labels: Sequence[str], rng: random.Random, limit: int) -> Row:
    weights = [rng.choice((0, rng.randint(1, limit))) for _ in labels]
    if not any(weights):
        weights[rng.randrange(len(weights))] = 1
    return tuple((label, F(w, sum(weights))) for label, w in zip(labels, weights, strict=True))


def random_strategies(rules: Any, seed: int, share: float, limit: int = 6) -> tuple[UnbuiltStrategy, UnbuiltStrategy]:
    """Random rows at some information sets."""
    rng = random.Random(seed)
    made = []
    for player in (0, 1):
        rows = {
            key: random_row(labels, rng, limit)
            for key, labels in zip(keys_of(rules, player), rules.tree.actions[player], strict=True)
            if rng.random() < share
        }
        made.append(UnbuiltStrategy(player, DefaultRule.of(rules), rows))
    return made[0], made[1]


def completed(rules: Any, strategy: UnbuiltStrategy) -> BehaviorStrategy:
    """The same strategy of the tree."""
    tree, player = rules.tree, strategy.player
    rows: list[Any] = [None] * tree.num_infosets[player]
    for node in range(tree.num_nodes):
        if tree.player[node] == player:
            rows[int(tree.infoset[node])] = strategy.probabilities(rules, node)
    return BehaviorStrategy.from_rows(tree, player, rows)


def keys_met(rules: Any, strategies: Sequence[UnbuiltStrategy], player: int) -> set[str]:
    """The information sets of a player to which both strategies and chance lead."""
    met = set()
    stack = [rules.root()]
    while stack:
        h = stack.pop()
        mover = rules.player(h)
        if mover == player:
            met.add(key_text(rules, h))
        if mover != TERMINAL:
            shares = rules.chance(h) if mover == CHANCE else strategies[mover].probabilities(rules, h)
            stack.extend(rules.child(h, i) for i, p in enumerate(shares) if p)
    return met


def solution_of(
    game: UnbuiltGame,
    strategies: tuple[UnbuiltStrategy, UnbuiltStrategy],
    status: Status = Status.BOUNDED,
    outcome: check.Outcome | None = None,
) -> Solution:
    """A solution that states the truth about a profile, whatever its status says."""
    found = evaluate_rules(game, strategies) if outcome is None else outcome
    assert found.values is not None
    assert found.best_response_values is not None
    return StatedSolution(
        game=GameReference.of(game),
        concept="nash",
        requested="nash",
        method=MethodReference("by hand", {}),
        status=status,
        values=found.values,
        bounds=found.proven_bounds,
        strategies=strategies,
        certificate={
            "kind": "best-response",
            "nash_conv": format_fraction(found.nash_conv),
            "best_response_values": [format_fraction(most) for most in found.best_response_values],
        },
        stats={"iterations": 3},
    )


def kuhn() -> UnbuiltGame:
    game = tremble.load_rules("kuhn")
    assert isinstance(game, UnbuiltGame)
    return game


def rows_of(strategy: BehaviorStrategy, keep: Callable[[str, Row], bool] = lambda _key, _row: True) -> Rows:
    """The rows of a strategy of a built tree whose labels are the keys."""
    rows = {}
    for k, key in enumerate(strategy.infoset_labels):
        row = tuple(zip(strategy.actions[k], map(F, strategy.row(k)), strict=True))
        if keep(key, row):
            rows[key] = row
    return rows


@pytest.fixture(scope="module")
def equilibrium() -> Solution:
    """Kuhn poker, proven, with rows only where the first action is not played for certain."""
    solved = tremble.solve(tremble.load("kuhn"))
    one, two = (
        UnbuiltStrategy(s.player, DefaultRule("first"), rows_of(s, lambda _, row: row[0][1] != 1))
        for s in solved.strategies
    )
    assert len(one.rows) < 6
    return solution_of(kuhn(), (one, two), Status.CERTIFIED)


def altered(solution: Solution, change: Callable[[Any], Any]) -> Solution:
    document = json.loads(solution.to_text())
    change(document)
    return Solution.from_text(json.dumps(document), file="file.json")


# -- the same numbers as from the tree -----------------------------------------------------------


@pytest.mark.sample(20)
@pytest.mark.parametrize("seed", range(60))
def test_values_are_those_of_the_tree(seed: int) -> None:
    """Chance with zeros, unequal depths, forced moves, odd denominators, constant and general sums, big numbers."""
    tree = random_game(seed, depth=6, zero_sum=seed % 3 > 0, big=seed % 5 == 0)
    rules = (WithDefault if seed % 2 else Walk)(tree)
    for share in (0, 0.4, 1):
        strategies = random_strategies(rules, seed, share, limit=10**12 if seed % 7 == 0 else 6)
        outcome = evaluate_rules(UnbuiltGame.of(rules), strategies)
        full = completed(rules, strategies[0]), completed(rules, strategies[1])
        assert outcome.values == tremble.expected_values(tree, full)
        assert outcome.best_response_values == tuple(tremble.best_response(tree, full, p)[0] for p in (0, 1))
        assert outcome.nash_conv == tremble.nash_conv(tree, full)
        claim = check.Claim("nash", "certified", tuple(strategy_of(StrategyTable.of(s)) for s in full), None, {})
        _, from_tree = check.outcome_of(tree, claim)
        assert outcome.best_response_values == from_tree.best_response_values
        for player, response in enumerate(outcome.details):
            met = [strategies[0], strategies[1]]
            met[player] = response.best
            again = evaluate_rules(UnbuiltGame.of(rules), met)
            assert again.values[player] == outcome.best_response_values[player]
            assert set(response.best.rows) == keys_met(rules, met, player)


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn:cards=5",
        "kuhn_raise",
        "leduc",
        "goofspiel",
        "liars_dice:faces=3",
        "poker",
        "random_tree:chance=true,depth=7,seed=3",
        "random_tree:depth=7,seed=5,sum=general",
    ],
)
def test_built_in_games(spec: str) -> None:
    tree, game = tremble.load(spec), tremble.load_rules(spec)
    rng = random.Random(spec)
    strategies, full = [], []
    for player in (0, 1):
        rows: Rows = {}
        table = []
        for key, labels in zip(tree.infoset_labels[player], tree.actions[player], strict=True):
            row = random_row(labels, rng, 9)
            if rng.random() < 0.5:
                rows[key] = row
            else:
                row = tuple((label, F(int(i == 0))) for i, label in enumerate(labels))
            table.append([p for _, p in row])
        strategies.append(UnbuiltStrategy(player, DefaultRule("first"), rows))
        full.append(BehaviorStrategy.from_rows(tree, player, table))
    outcome = evaluate_rules(game, strategies)
    assert outcome.values == tremble.expected_values(tree, full)
    assert outcome.best_response_values == tuple(tremble.best_response(tree, full, p)[0] for p in (0, 1))
    assert outcome.constant_sum == tree.constant_sum


def test_openspiel() -> None:
    pytest.importorskip("pyspiel")
    game = tremble.load_rules("openspiel:leduc_poker")
    tree = tremble.load("openspiel:leduc_poker")
    profile = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    full = [
        BehaviorStrategy.from_rows(tree, player, [[1] + [0] * (len(labels) - 1) for labels in tree.actions[player]])
        for player in (0, 1)
    ]
    outcome = evaluate_rules(game, profile)
    assert outcome.best_response_values == tuple(tremble.best_response(tree, full, p)[0] for p in (0, 1))
    assert game.digest is not None
    assert game.spec == tree.spec == "openspiel:leduc_poker"
    other = tremble.load_rules("openspiel:leduc_poker(suit_isomorphism=True)")
    assert other.digest not in (None, game.digest)


@pytest.mark.parametrize("player", [0, 1])
def test_phantom_tic_tac_toe_against_its_default(player: int) -> None:
    """Against a pure strategy in a game without chance, a search over the player's own moves is enough."""
    game = tremble.load_rules("phantom_ttt:win_first=true")
    assert isinstance(game, UnbuiltGame)
    rules = game.rules
    profile = [UnbuiltStrategy(p, DefaultRule("rules"), {}) for p in (0, 1)]
    outcome = evaluate_rules(game, profile)
    best: dict[Any, int] = {}
    stack = [rules.root()]
    while stack:
        h = stack[-1]
        mover = rules.player(h)
        key = rules.state_key(h)
        if mover == TERMINAL:
            best[key] = rules.payoff(h)[player]
        elif key not in best:
            moves = range(len(rules.actions(h))) if mover == player else (rules.default(h),)
            children = [rules.child(h, i) for i in moves]
            unknown = [g for g in children if rules.state_key(g) not in best]
            if unknown:
                stack.extend(unknown)
                continue
            best[key] = max(best[rules.state_key(g)] for g in children)
        stack.pop()
    assert outcome.best_response_values[player] == best[rules.state_key(rules.root())]


@pytest.mark.parametrize("length", [5_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_deep_games(length: int) -> None:
    rules = Walk(chain(length))
    half = tuple((label, F(1, 2)) for label in ("stop", "go on"))
    onward = (("stop", F(0)), ("go on", F(1)))
    game = UnbuiltGame.of(rules)
    pass_on = tuple(
        UnbuiltStrategy(p, DefaultRule("first"), {repr((p, k)): onward for k in range(length // 2)}) for p in (0, 1)
    )
    outcome = evaluate_rules(game, pass_on)
    assert outcome.values == outcome.best_response_values == (0, 0)
    mixed = tuple(UnbuiltStrategy(p, DefaultRule("first"), {repr((p, k)): half for k in range(20)}) for p in (0, 1))
    values = evaluate_rules(game, mixed).values
    # stop at once -1, else as the other one who stands at one's place; then player 1 stops
    assert values[0] == -sum(F(1, 2) * F(-1, 2) ** k for k in range(40)) - F(1, 2**40)


def test_only_the_rules_of_play_are_used() -> None:
    """Hints for solvers, and a default that no strategy plays, may be anything."""

    class Liar(Walk):
        def hint(self, *_: object) -> Any:
            raise AssertionError("a hint was looked at")

        observation = state_key = utility_bounds = counts = default = hint

    tree = random_game(3)
    honest, liar = UnbuiltGame.of(Walk(tree)), UnbuiltGame.of(Liar(tree))
    strategies = random_strategies(honest.rules, 1, 0.5)
    assert verify(liar, solution_of(honest, strategies)).ok


def test_payoffs_and_chance_may_come_as_lists() -> None:
    class Lists(Walk):
        def actions(self, h: int) -> Any:
            return list(super().actions(h))

        def chance(self, h: int) -> Any:
            return list(super().chance(h))

        def payoff(self, h: int) -> Any:
            return list(super().payoff(h))

    tree = random_game(8)
    strategies = random_strategies(Walk(tree), 2, 0.5)
    as_lists = evaluate_rules(UnbuiltGame.of(Lists(tree)), strategies)
    as_tuples = evaluate_rules(UnbuiltGame.of(Walk(tree)), strategies)
    assert as_lists.values == as_tuples.values
    assert as_lists.proven_bounds == as_tuples.proven_bounds


# -- players who forget --------------------------------------------------------------------------


def first_actions(rules: Any) -> tuple[UnbuiltStrategy, UnbuiltStrategy]:
    default = DefaultRule("first")
    return UnbuiltStrategy(0, default, {}), UnbuiltStrategy(1, default, {})


def test_forgetting_is_found() -> None:
    game = tremble.load_rules("a_loss_counterexample")
    assert isinstance(game, UnbuiltGame)
    one, two = first_actions(game.rules)
    after_a = key_text(game.rules, game.rules.child(game.rules.root(), 0))
    strategies = one, replace(two, rows={after_a: (("c", F(0)), ("d", F(1)))})  # so that player 1 moves again
    which = r"player 1 forgets: it reaches the information set 'forgotten' after '[ab]' at 'start', and after '[ab]' at"
    with pytest.raises(ImperfectRecallError, match=which):
        evaluate_rules(game, strategies)
    honest = solution_of(kuhn(), first_actions(None))
    stated = replace(honest, game=GameReference.of(game), strategies=strategies)
    for found in (verify(game, stated), tremble.verify(game, stated)):
        assert not found.ok
        assert re.search(which, found.problems[0])
    with pytest.raises(ImperfectRecallError, match=which):
        tremble.strategies.evaluate(game, strategies)


def test_absentminded_players_are_found() -> None:
    builder = TreeBuilder()
    builder.decision(0, "road", ("exit", "go on"))
    builder.leaf(0, 0)
    builder.decision(0, "road", ("exit", "go on"))
    builder.leaf(4, -4)
    builder.leaf(1, -1)
    game = UnbuiltGame.of(Walk(builder.finish()))
    with pytest.raises(ImperfectRecallError):
        evaluate_rules(game, first_actions(game.rules))


def test_what_is_forgotten_where_nobody_comes_does_not_matter() -> None:
    """Player 2 forgets whether it said a or b, but player 1 never lets that game be played: the bounds hold."""
    builder = TreeBuilder()
    builder.decision(0, "way", ("safe", "long"))
    builder.leaf(1, -1)
    builder.decision(1, "word", ("a", "b"))
    for u in (0, 3):
        builder.decision(1, "forgotten", ("c", "d"))
        builder.leaf(u, -u)
        builder.leaf(2 - u, u - 2)
    tree = builder.finish()
    rules = Walk(tree)
    outcome = evaluate_rules(UnbuiltGame.of(rules), first_actions(rules))
    assert outcome.values == (1, -1)
    assert outcome.best_response_values[1] == -1  # player 2 never moves
    long = replace(first_actions(rules)[0], rows={repr((0, 0)): (("safe", F(1, 2)), ("long", F(1, 2)))})
    with pytest.raises(ImperfectRecallError, match="player 2"):
        evaluate_rules(UnbuiltGame.of(rules), (long, first_actions(rules)[1]))


# -- rules that contradict themselves ------------------------------------------------------------


class Small:
    """Player 1 picks one of two leaves after a toss that it does not see; parts can be replaced."""

    def root(self) -> Any:
        return ()

    def player(self, h: Any) -> Any:
        return (CHANCE, 0, TERMINAL)[len(h)]

    def actions(self, h: Any) -> Any:
        return ("heads", "tails") if not h else ("left", "right")

    def chance(self, h: Any) -> Any:
        return (F(1, 2), F(1, 2))

    def child(self, h: Any, i: int) -> Any:
        return (*h, i)

    def infoset(self, h: Any) -> Any:
        return "the set"

    def payoff(self, h: Any) -> Any:
        return (1, -1) if h[0] == h[1] else (0, 0)


@pytest.mark.parametrize(
    ("part", "error", "words"),
    [
        ({"chance": lambda _s, _h: (F(1, 2), F(1, 3))}, GameError, "must sum to 1"),
        ({"chance": lambda _s, _h: (F(3, 2), F(-1, 2))}, GameError, "negative"),
        ({"chance": lambda _s, _h: (0.5, 0.5)}, GameError, "not an exact"),
        ({"chance": lambda _s, _h: (F(1),)}, GameError, "2 chance actions have 1 prob"),
        ({"payoff": lambda _s, _h: (1, -1, 0)}, PlayersError, "payoffs at a leaf, the game has 3 players"),
        ({"payoff": lambda _s, _h: (0.5, -0.5)}, GameError, "float"),
        ({"player": lambda _s, h: (CHANCE, 2, TERMINAL)[len(h)]}, PlayersError, "player index 2"),
        ({"actions": lambda _s, h: ("heads", "tails") if not h else ("left", "right", "on")[: 2 + h[0]]},
         GameError, "at one history and .* at another"),
        ({"actions": lambda _s, h: ("heads", "tails") if not h else ()}, GameError, "distinct strings"),
        ({"actions": lambda _s, h: ("heads", "tails") if not h else ("l", "l")}, GameError, "distinct strings"),
        ({"actions": lambda _s, h: ("heads", "tails") if not h else (1, 2)}, GameError, "distinct strings"),
    ],
)  # fmt: skip
def test_rules_that_contradict_themselves(part: dict[str, Any], error: type[Exception], words: str) -> None:
    rules = type("Odd", (Small,), part)()
    with pytest.raises(error, match=words):
        evaluate_rules(UnbuiltGame.of(rules), first_actions(rules))


def test_a_game_that_is_none() -> None:
    with pytest.raises(GameError, match="neither a game tree nor rules"):
        verify("kuhn", solution_of(kuhn(), first_actions(None)))  # type: ignore[arg-type]


# -- strategies that are none --------------------------------------------------------------------


def with_rows(solution: Solution, player: int, rows: Rows) -> Solution:
    pair = list(solution.strategies)
    pair[player] = replace(pair[player], rows={**pair[player].rows, **rows})
    return replace(solution, strategies=tuple(pair))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            (("check", F(1, 2)), ("bet", F(1, 3))),
            r"player 1, information set 'J:': the probabilities sum to 5/6, not 1",
        ),
        ((("check", F(3, 2)), ("bet", F(-1, 2))), r"the probability of 'bet' is negative: -1/2"),
        ((("bet", F(1)), ("check", F(0))), r"the actions are \['bet', 'check'\], but the game has \['check', 'bet'\]"),
        ((("check", F(1)),), r"the actions are \['check'\]"),
        ((("check", 0.5), ("bet", 0.5)), r"not an exact"),
        ((), r"the row has no actions"),
    ],
)
def test_rows_that_do_not_fit(equilibrium: Solution, row: Any, words: str) -> None:
    wrong = with_rows(equilibrium, 0, {"J:": row})
    found = verify(kuhn(), wrong)
    assert not found.ok
    assert re.search(words, found.problems[0])
    assert found.nash_conv is None
    with pytest.raises(CertificateError, match=words):
        evaluate_rules(kuhn(), wrong.strategies)


def test_rows_are_looked_at_where_only_the_owner_avoids_them() -> None:
    """Player 1 never bets, so nobody meets its answer to a raise but its own best response."""
    game = tremble.load_rules("kuhn_raise")
    assert isinstance(game, UnbuiltGame)
    one, two = first_actions(game.rules)
    raises = {f"{card}:b": (("fold", F(0)), ("call", F(0)), ("raise", F(1))) for card in "QKA"}
    one = replace(one, rows={"A:br": (("call", F(1)), ("fold", F(0)))})
    with pytest.raises(CertificateError, match=r"'A:br': the actions are \['call', 'fold'\]"):
        evaluate_rules(game, (one, replace(two, rows=raises)))
    never_met = replace(one, rows={"no such key": (("call", F(1)), ("fold", F(0)))})
    assert verify(game, solution_of(game, (never_met, two))).ok


def test_strategies_in_the_wrong_place(equilibrium: Solution) -> None:
    one, two = equilibrium.strategies
    found = verify(kuhn(), replace(equilibrium, strategies=(two, one)))
    assert "strategies[0]: this is a strategy of player 2" in found.problems


@pytest.mark.parametrize(
    ("default", "words"),
    [
        (lambda _s, h: h[0], "names different actions at histories of this set"),
        (lambda _s, _h: 2, "returned 2, but must return an index less than 2"),
        (lambda _s, _h: -1, "returned -1"),
        (lambda _s, _h: None, "returned None"),
    ],
)
def test_defaults_that_are_none(default: Any, words: str) -> None:
    """A default that peeks at the toss would earn 1 for certain."""
    rules = type("Peeking", (Small,), {"default": default})()
    game = UnbuiltGame.of(rules)
    strategies = UnbuiltStrategy(0, DefaultRule("rules"), {}), UnbuiltStrategy(1, DefaultRule("first"), {})
    with pytest.raises(CertificateError, match=words):
        evaluate_rules(game, strategies)
    honest = solution_of(UnbuiltGame.of(Small()), first_actions(rules))
    found = verify(game, replace(honest, strategies=strategies, values=(F(1), F(-1)), bounds=(F(1), F(1))))
    assert words in found.problems[0]


class Answer:
    """Player 1 says a, or b and, after a toss that nobody sees, x or y; player 2, who comes last, hears nothing."""

    def root(self) -> Any:
        return ""

    def player(self, h: str) -> int:
        return {"": 0, "b": CHANCE, "bh": 0, "bt": 0}.get(h, 1 if h in ("a", "bhx", "btx") else TERMINAL)

    def actions(self, h: str) -> tuple[str, ...]:
        return ("a", "b") if h == "" else ("h", "t") if h == "b" else ("x", "y")

    def chance(self, h: str) -> tuple[F, ...]:
        return F(1, 2), F(1, 2)

    def child(self, h: str, i: int) -> str:
        return h + self.actions(h)[i]

    def infoset(self, h: str) -> str:
        return {"": "start", "bh": "toss", "bt": "toss"}.get(h, "answer")

    def payoff(self, h: str) -> tuple[int, int]:
        return (len(h), -len(h)) if h.endswith("x") else (0, 0)


def test_all_histories_of_a_set_are_compared() -> None:
    """Also those to which the other player, or only another plan of the same player, would lead."""
    assert evaluate_rules(UnbuiltGame.of(Answer()), first_actions(None)).values == (2, -2)

    def peeking(_self: Any, h: str) -> int:
        return int(h == "btx")

    rules = type("Peeking", (Answer,), {"default": peeking})()
    strategies = UnbuiltStrategy(0, DefaultRule("first"), {}), UnbuiltStrategy(1, DefaultRule("rules"), {})
    with pytest.raises(CertificateError, match="player 2, information set 'answer': default"):
        evaluate_rules(UnbuiltGame.of(rules), strategies)

    for odd, place in (("btx", "player 2, information set 'answer'"), ("bt", "player 1, information set 'toss'")):

        def actions(_self: Any, h: str, odd: str = odd) -> tuple[str, ...]:
            return ("x", "z") if h == odd else Answer().actions(h)

        rules = type("Unlike", (Answer,), {"actions": actions})()
        with pytest.raises(GameError, match=f"{place}: the rules allow"):
            evaluate_rules(UnbuiltGame.of(rules), first_actions(None))


def test_a_default_that_the_rules_do_not_have() -> None:
    strategies = UnbuiltStrategy(0, DefaultRule("rules"), {}), UnbuiltStrategy(1, DefaultRule("first"), {})
    with pytest.raises(CertificateError, match=r"strategies\[0\].default: the rules of this game have no function"):
        evaluate_rules(UnbuiltGame.of(Small()), strategies)
    unknown = replace(strategies[0], default=DefaultRule("last"))
    with pytest.raises(CertificateError, match=r"unknown rule 'last'"):
        evaluate_rules(UnbuiltGame.of(Small()), (unknown, strategies[1]))


# -- verify --------------------------------------------------------------------------------------


def test_a_proven_equilibrium(equilibrium: Solution) -> None:
    found = verify(kuhn(), Solution.from_text(equilibrium.to_text()))
    assert found.problems == ()
    assert found.ok
    assert [note[:7] for note in found.notes] == ["bounds:"]
    assert found.nash_conv == 0
    assert found.values == found.best_response_values == (F(-1, 18), F(1, 18))
    assert found.bounds == (F(-1, 18), F(-1, 18))
    assert verify(kuhn().rules, equilibrium).ok


def test_bounds(equilibrium: Solution) -> None:
    loose = solution_of(kuhn(), first_actions(None))
    assert loose.bounds == (-1, 1)
    assert verify(kuhn(), loose).ok
    assert verify(kuhn(), replace(loose, bounds=(F(-2), F(1)))).ok
    assert "guarantees only -1" in verify(kuhn(), replace(loose, bounds=(F(-1, 2), F(1)))).problems[0]
    assert "can earn 1" in verify(kuhn(), replace(loose, bounds=(F(-1), F(1, 2)))).problems[0]
    assert "missing" in verify(kuhn(), replace(loose, bounds=None)).problems[0]
    certified = verify(kuhn(), replace(loose, status=Status.CERTIFIED))
    assert certified.problems[0] == ("player 1 can gain 1 by deviating: the strategy earns 0, a best response 1")
    assert any("the certified lower bound must equal the value" in p for p in certified.problems)
    limit = verify(kuhn(), replace(equilibrium, status=Status.LIMIT_REACHED))
    assert not limit.ok
    assert limit.nash_conv == 0


def test_other_concepts_and_games(equilibrium: Solution) -> None:
    perfect = verify(kuhn(), replace(equilibrium, concept="perfect"))
    assert perfect.problems == ("concept: if no tree is built, only 'nash' can be checked, not 'perfect'",)
    asked = verify(kuhn(), replace(equilibrium, requested="cooperative"))
    assert asked.problems == ("requested: 'cooperative' is not a concept",)
    other = tremble.load_rules("kuhn:cards=4")
    assert other.digest != kuhn().digest
    assert "game.digest: the solution belongs to another game" in verify(other, equilibrium).problems[0]
    tree = tremble.load("kuhn")
    assert any("not built as a tree, but this game is a tree" in p for p in verify(tree, equilibrium).problems)
    assert any("this game is not built" in p for p in verify(kuhn(), tremble.solve(tree)).problems)


def test_rules_without_identity(equilibrium: Solution) -> None:
    rules = Small()
    solution = solution_of(UnbuiltGame.of(rules), first_actions(rules))
    assert solution.game.digest is None
    found = verify(rules, solution)
    assert found.ok
    assert "is not proven" in found.notes[0]
    named = replace(solution, game=replace(solution.game, digest="rules:0"))
    assert "game.digest" in verify(rules, named).problems[0]
    nameless = replace(equilibrium, game=replace(equilibrium.game, digest=None))
    assert "states no digest" in verify(kuhn(), nameless).problems[0]


def test_general_sum() -> None:
    class Dilemma(Walk):
        pass

    builder = TreeBuilder(title="prisoners")
    builder.decision(0, "one", ("quiet", "talk"))
    for payoffs in (((2, 2), (0, 3)), ((3, 0), (1, 1))):
        builder.decision(1, "two", ("quiet", "talk"))
        for pair in payoffs:
            builder.leaf(*pair)
    rules = Dilemma(builder.finish())
    talk = (("quiet", F(0)), ("talk", F(1)))
    strategies = tuple(UnbuiltStrategy(p, DefaultRule("first"), {repr((p, 0)): talk}) for p in (0, 1))
    solution = solution_of(UnbuiltGame.of(rules), (strategies[0], strategies[1]), Status.CERTIFIED)
    assert solution.bounds is None
    assert verify(rules, solution).ok
    assert "no constant sum" in verify(rules, replace(solution, bounds=(F(1), F(1)))).problems[0]
    quiet = replace(solution, strategies=(replace(strategies[0], rows={}), strategies[1]))
    assert any("player 1 can gain 1" in problem for problem in verify(rules, quiet).problems)


class Matrix:
    """A matrix game as rules."""

    title = "matrix"

    def __init__(self, one: list[list[int]], two: list[list[int]]) -> None:
        self.one, self.two = one, two

    def root(self) -> tuple[int, ...]:
        return ()

    def player(self, h: tuple[int, ...]) -> int:
        return len(h) if len(h) < 2 else TERMINAL

    def actions(self, h: tuple[int, ...]) -> tuple[str, ...]:
        return "C", "D"

    def child(self, h: tuple[int, ...], i: int) -> tuple[int, ...]:
        return (*h, i)

    def infoset(self, h: tuple[int, ...]) -> str:
        return "rc"[len(h)]

    def payoff(self, h: tuple[int, ...]) -> tuple[int, int]:
        return self.one[h[0]][h[1]], self.two[h[0]][h[1]]

    def chance(self, h: tuple[int, ...]) -> tuple[F, ...]:
        raise AssertionError(h)


def shown(view: RenderableType) -> str:
    console = Console(width=200, file=io.StringIO())
    console.print(view)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_sums_that_nobody_looked_at() -> None:
    """Wherever either strategy lets play come, both prisoners together get 10; there is no value."""
    rules = Matrix([[5, 0], [10, 1]], [[5, 10], [0, 1]])
    solution = solution_of(UnbuiltGame.of(rules), first_actions(rules))
    assert solution.bounds == (0, 10)
    found = verify(rules, solution)
    assert found.proven == "bounds"
    words = shown(verification_view(UnbuiltGame.of(rules), solution, found))
    assert "The two strategies prove that the most that player 1 can guarantee is between 0 and 10." in words
    assert "a constant sum of the payoffs is known only" in words
    assert "the value" not in words
    assert "bounded' needs them" in verify(rules, replace(solution, bounds=None)).problems[0]
    assert "guarantees only 0" in verify(rules, replace(solution, bounds=(F(1), F(10)))).problems[0]
    tree = tremble.build(rules)
    assert "no constant sum" in verify(tree, replace(tremble.solve(tree), bounds=(F(1), F(1)))).problems[0]


def test_bounds_of_a_game_whose_sums_nobody_looked_at_may_be_missing() -> None:
    rules = Matrix([[0, 0], [0, 1]], [[0, 0], [0, 1]])
    solution = solution_of(UnbuiltGame.of(rules), first_actions(rules), Status.CERTIFIED)
    for bounds in ((F(0), F(0)), None):
        member = replace(solution, bounds=bounds)
        assert verify(rules, member).proven == "nash"
        assert "equilibrium pays  0 to player 1" in shown(solution_view(UnbuiltGame.of(rules), member))  # type: ignore[arg-type]
    assert not verify(rules, replace(solution, bounds=(F(0), F(1)))).ok


def test_every_number_is_proven(equilibrium: Solution) -> None:
    """Change any number of the file that says something about the game, a little: the file fails or is none."""
    document = json.loads(equilibrium.to_text())
    small = F(1, 10**15)
    places: list[tuple[Any, int | str]] = []

    def collect(value: Any) -> None:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(item, str) and re.fullmatch(r"-?\d+(/\d+)?", item):
                places.append((value, key))
            elif isinstance(item, dict | list):
                collect(item)

    collect({key: document[key] for key in ("values", "bounds", "certificate", "strategies")})
    assert len(places) > 15
    for holder, key in places:
        kept = holder[key]
        holder[key] = format_fraction(parse_fraction(kept) + small)
        assert not verify(kuhn(), Solution.from_text(json.dumps(document))).ok, (holder, key)
        holder[key] = kept
    for player in (0, 1):
        rows = document["strategies"][player]["rows"]
        for k in range(len(rows)):
            row = rows.pop(k)
            assert not verify(kuhn(), Solution.from_text(json.dumps(document))).ok, row
            rows.insert(k, row)
            first, second = row["actions"]
            if first[1] != second[1]:  # exchange the two probabilities
                first[1], second[1] = second[1], first[1]
                assert not verify(kuhn(), Solution.from_text(json.dumps(document))).ok, row
                first[1], second[1] = second[1], first[1]
    assert verify(kuhn(), Solution.from_text(json.dumps(document))).ok


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(30))
def test_no_random_profile_passes_for_more_than_it_is(seed: int) -> None:
    """Whatever the bounds of a random profile, they enclose the true value, and no narrower ones pass."""
    tree = random_game(seed, depth=4)
    rules = Walk(tree)
    game = UnbuiltGame.of(rules)
    strategies = random_strategies(rules, seed, 0.6)
    solution = solution_of(game, strategies)
    assert verify(game, solution).ok
    value = tremble.solve(tree).value
    assert solution.bounds is not None
    low, high = solution.bounds
    assert low <= value <= high
    tiny = F(1, 10**20)
    assert not verify(game, replace(solution, bounds=(low + tiny, high))).ok
    assert not verify(game, replace(solution, bounds=(low, high - tiny))).ok
    certified = verify(game, replace(solution, status=Status.CERTIFIED, bounds=(solution.value, solution.value)))
    assert certified.ok == (low == high)


def test_progress_and_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is called now and then may also end the work."""
    monkeypatch.setattr(Visits, "every", 1)
    monkeypatch.setattr("tremble.large.adapter._SECONDS", 0)
    game = tremble.load_rules("leduc")
    claim = claim_of(solution_of(game, first_actions(None)))
    calls = 0

    def tick() -> None:
        nonlocal calls
        calls += 1

    extra = {"rules": outcome_of_rules}
    assert check.check(game, claim, check.Limits.for_game(0, tick), extra).ok
    assert calls > 200

    def stop(_: str = "") -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check.check(game, claim, check.Limits.for_game(0, stop), extra)
    seen: list[str] = []
    kind = RulesKind(game)
    assert kind.respond(kind.first_profile(), seen.append).values == claim.values
    assert seen[0] == "best responses: 0 seconds"
    with pytest.raises(KeyboardInterrupt):
        kind.respond(kind.first_profile(), stop)


# -- files ---------------------------------------------------------------------------------------


def test_the_file(equilibrium: Solution, tmp_path: Path) -> None:
    text = equilibrium.to_text()
    document = json.loads(text)
    assert document["game"] == {"spec": "kuhn", "title": "Kuhn poker", "digest": kuhn().digest}
    assert document["game"]["digest"].startswith("rules:")
    for player, strategy in enumerate(document["strategies"]):
        assert strategy["default"] == {"rule": "first", "parameters": {}}
        keys = [row["key"] for row in strategy["rows"]]
        assert keys == sorted(equilibrium.strategies[player].rows)
        for row in strategy["rows"]:
            assert [label for label, _ in row["actions"]] in (["check", "bet"], ["fold", "call"])
    again = Solution.from_text(text)
    assert again.to_text() == text
    assert again.unbuilt is not None
    assert [s.rows for s in again.unbuilt] == [s.rows for s in equilibrium.strategies]
    assert again.strategies == again.unbuilt
    with pytest.raises(GameError, match="not built"):
        _ = again.tables
    turned = replace(
        equilibrium,
        strategies=tuple(replace(s, rows=dict(reversed(s.rows.items()))) for s in equilibrium.strategies),
    )
    assert turned.to_text() == text
    path = tmp_path / "kuhn.json"
    equilibrium.to_json(path)
    assert Solution.from_json(path).to_text() == text
    stated = read_profile(path)
    assert stated.unbuilt == equilibrium.strategies
    assert stated.game == equilibrium.game
    for given in (stated, equilibrium):
        with pytest.raises(GameError, match="not built"):
            tremble.nash_conv(tremble.load("kuhn"), given)
    assert tremble.solve(tremble.load("kuhn")).unbuilt is None


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d["strategies"].__setitem__(1, []), r"strategies\[1\]: expected an object, found a list"),
        (lambda d: d["strategies"].__setitem__(0, []), r"strategies\[1\]: expected a list, found an object"),
        (lambda d: d["strategies"].pop(), r"strategies: expected a list of 2, found 1"),
        (lambda d: d["strategies"][0].pop("rows"), r"strategies\[0\]: the field 'rows' is missing"),
        (lambda d: d["strategies"][0].update(player=1), r"strategies\[0\]: unknown field 'player'"),
        (lambda d: d["strategies"][0].update(default="first"), r"strategies\[0\]\.default: expected an object"),
        (lambda d: d["strategies"][0]["default"].pop("parameters"), r"default: the field 'parameters' is missing"),
        (
            lambda d: d["strategies"][0]["default"].update(rule="last"),
            r"default\.rule: expected one of 'first', 'rules'",
        ),
        (lambda d: d["strategies"][0]["default"].update(rule=1), r"default\.rule: expected text, found the number 1"),
        (lambda d: d["strategies"][0]["default"].update(parameters={"a": 1}), r"the rule 'first' has no parameters"),
        (
            lambda d: d["strategies"][0]["default"].update(parameters=[]),
            r"parameters: expected an object, found a list",
        ),
        (lambda d: d["strategies"][0].update(rows={}), r"strategies\[0\]\.rows: expected a list, found an object"),
        (lambda d: d["strategies"][0]["rows"][1].pop("key"), r"rows\[1\]: the field 'key' is missing"),
        (lambda d: d["strategies"][0]["rows"][1].update(key=5), r"rows\[1\]\.key: expected text, found the number 5"),
        (lambda d: d["strategies"][0]["rows"][1].update(off_path=True), r"rows\[1\]: unknown field 'off_path'"),
        (lambda d: d["strategies"][0]["rows"].append(d["strategies"][0]["rows"][0]), r"a second row for the same"),
        (
            lambda d: d["strategies"][0]["rows"][0].update(actions=[]),
            r"rows\[0\]\.actions: expected at least one action",
        ),
        (
            lambda d: d["strategies"][0]["rows"][0].update(actions=[["bet"]]),
            r"actions\[0\]: expected a list of 2, found 1",
        ),
        (lambda d: d["strategies"][0]["rows"][0].update(actions=[[1, "1"]]), r"actions\[0\]\[0\]: expected text"),
        (
            lambda d: d["strategies"][0]["rows"][0].update(actions=[["a", 1]]),
            r"actions\[0\]\[1\]: expected an exact number",
        ),
        (lambda d: d["strategies"][0]["rows"][0].update(actions=[["a", "2/4"]]), r"'2/4' is not in lowest terms"),
    ],
)
def test_faults_of_form_are_named(equilibrium: Solution, change: Any, place: str) -> None:
    with pytest.raises(FormatError, match=f"^file.json: .*{place}"):
        altered(equilibrium, change)


def test_repeated_fields_are_refused(equilibrium: Solution) -> None:
    text = equilibrium.to_text().replace('"rule": "first"', '"rule": "first", "rule": "rules"', 1)
    with pytest.raises(FormatError, match="two fields 'rule'"):
        Solution.from_text(text)


# -- loading -------------------------------------------------------------------------------------


def test_load() -> None:
    large = tremble.load_rules("leduc:ranks=1000")
    assert isinstance(large, UnbuiltGame)
    assert repr(large) == "<UnbuiltGame 'Leduc poker, 1000 ranks, 2 raises a round'>"
    assert large.spec == "leduc:ranks=1000"
    assert isinstance(tremble.load("leduc"), GameTree)
    with pytest.raises(TooLargeError, match=r"1,936 nodes, more than 100; .*tremble\.load_rules"):
        tremble.load("leduc", max_nodes=100)
    with pytest.raises(TooLargeError, match=r"more than 54.*tremble\.load_rules"):
        tremble.load("kuhn", max_nodes=54)
    assert isinstance(load_any("leduc", max_nodes=100), UnbuiltGame)
    assert isinstance(load_any("kuhn", max_nodes=54), UnbuiltGame)
    never = tremble.load_rules("leduc:raises=1,ranks=4")
    assert isinstance(never, UnbuiltGame)
    assert never.spec == "leduc:raises=1,ranks=4"
    assert never.digest == tremble.load_rules("leduc:ranks=4,raises=1").digest
    with pytest.raises(TooLargeError, match="more than 100; raise max_nodes="):
        load("leduc", max_nodes=100)
    with pytest.raises(tremble.errors.SpecError):
        tremble.load_rules("leduc:rank=1")


def test_files_are_always_trees(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.efg"
    tremble.write_efg(tremble.load("kuhn"), path)
    with pytest.raises(GameError, match="to read a tree from a file"):
        tremble.load_rules(path)
    with pytest.raises(TooLargeError):
        tremble.load(path, max_nodes=10)


def test_load_openspiel() -> None:
    pytest.importorskip("pyspiel")
    large = tremble.load_rules("openspiel:phantom_ttt")
    assert isinstance(large, UnbuiltGame)
    assert large.spec == "openspiel:phantom_ttt"
    assert large.digest is not None
    again = tremble.load_rules("openspiel:phantom_ttt(obstype=reveal-nothing)")
    assert again.digest == large.digest
    with pytest.raises(TooLargeError, match="random plays"):
        load("openspiel:phantom_ttt")


# -- commands ------------------------------------------------------------------------------------


@pytest.fixture
def file(equilibrium: Solution, tmp_path: Path) -> Path:
    path = tmp_path / "kuhn.json"
    equilibrium.to_json(path)
    return path


def test_verify_command(file: Path, tmp_path: Path) -> None:
    shown = run("verify", "kuhn", file)
    assert shown.exit_code == 0, shown.output
    assert "OK" in shown.stdout
    assert "information sets and a default elsewhere" in shown.stdout
    assert kuhn().digest in shown.stdout  # type: ignore[operator]
    record = json.loads(run("verify", "kuhn", file, "--format", "json").stdout)
    assert record["ok"]
    assert [note[:7] for note in record["notes"]] == ["bounds:"]
    assert record["values"] == ["-1/18", "1/18"]
    wrong = tmp_path / "wrong.json"
    wrong.write_text(file.read_text().replace('"values": ["-1/18", "1/18"]', '"values": ["-1/19", "1/19"]'))
    failed = run("verify", "kuhn", wrong)
    assert failed.exit_code == 1
    assert "values[0]" in failed.stdout
    other = run("verify", "kuhn:cards=4", file)
    assert other.exit_code == 1
    assert "another game" in other.stdout
    efg = tmp_path / "kuhn.efg"
    assert run("convert", "kuhn", efg).exit_code == 0
    built = run("verify", efg, file)
    assert built.exit_code == 1
    assert "this game is a tree" in built.stdout


def test_a_table_for_rules_that_are_not_built(tmp_path: Path) -> None:
    """The digest of the file says that the game was not built, its rows say otherwise."""
    document = json.loads(tremble.solve(tremble.load("kuhn")).to_text())
    document["game"]["digest"] = kuhn().digest
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(document))
    result = run("verify", "kuhn", path)
    assert result.exit_code == 1
    assert "this game is not built" in result.stdout


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("kuhn", r"tremble.load\('kuhn'\)"),
        (Kuhn, r"Kuhn\(\.\.\.\)"),
        (42, "no method root"),
        (SimpleNamespace(root=lambda: 0), "no method player, actions, child, infoset, payoff"),
    ],
)
def test_what_is_no_game(wrong: Any, words: str) -> None:
    with pytest.raises(GameError, match=words):
        tremble.solve(wrong)


NEEDS_A_TREE: dict[str, Callable[[Any, Solution], Any]] = {
    "best_response": lambda game, s: tremble.best_response(game, s.strategies, 0),
    "expected_values": lambda game, s: tremble.expected_values(game, s.strategies),
    "nash_conv": lambda game, s: tremble.nash_conv(game, s.strategies),
    "classify_recall": lambda game, _: tremble.classify_recall(game, 0),
    "recall_witness": lambda game, _: tremble.recall.recall_witness(game, 0),
    "perfect_recall_refinement": lambda game, _: tremble.recall.perfect_recall_refinement(game),
    "SequenceForm": lambda game, _: tremble.strategies.SequenceForm.of(game),
    "uniform": lambda game, _: tremble.BehaviorStrategy.uniform(game, 0),
    "from_rows": lambda game, _: tremble.BehaviorStrategy.from_rows(game, 0, [[1]]),
    "from_floats": lambda game, _: tremble.BehaviorStrategy.from_floats(game, 0, [1.0]),
    "to_realization_plan": lambda game, s: s.strategies[0].to_realization_plan(game),
    "Trembles": lambda game, _: tremble.strategies.Trembles.uniform(game),
    "write_efg": lambda game, _: tremble.write_efg(game, "never.efg"),
    "write_nfg": lambda game, _: tremble.write_nfg(game, "never.nfg"),
    "write_json": lambda game, _: write_json(game, "never.json"),
    "draw_svg": lambda game, _: draw_svg(game),
    "audit": lambda game, s: tremble.audit(game, s.strategies),
    "compare": lambda game, s: tremble.compare(game, s, s),
}


@pytest.mark.parametrize("use", NEEDS_A_TREE)
@pytest.mark.parametrize(
    "wrong", [tremble.load_rules("leduc:ranks=1000"), Kuhn(), Kuhn, "kuhn", [[1, -1], [-1, 1]]], ids=repr
)
def test_what_needs_a_tree_says_so(use: str, wrong: Any) -> None:
    """A name such as leduc:ranks=1000 is loaded as rules, which meet functions that take trees."""
    solution = tremble.solve(tremble.load("kuhn"))
    with pytest.raises(TrembleError, match=r"not a game tree|not built"):
        NEEDS_A_TREE[use](wrong, solution)


def test_refinements_need_a_tree() -> None:
    with pytest.raises(GameError, match="quasi-perfect needs the tree"):
        tremble.solve(kuhn(), "quasi-perfect")
    with pytest.raises(GameError, match="computes nash"):
        tremble.solve(kuhn(), "quasi-perfect", "double-oracle")
    with pytest.raises(GameError, match="the strategies belong to a game that is not built"):
        tremble.audit(kuhn(), tremble.solve(kuhn()).strategies)  # type: ignore[arg-type]


def test_keys_that_cannot_be_compared() -> None:
    class Lists(Kuhn):
        def infoset(self, h: Any) -> Any:
            return [super().infoset(h)]

    solution = tremble.solve(kuhn(), method="double-oracle")
    with pytest.raises(GameError, match="hashable"):
        verify(Lists(), replace(solution, game=GameReference.of(UnbuiltGame.of(Lists()))))


def test_best_responses_of_trees_say_what_to_use_instead() -> None:
    game = kuhn()
    strategies: Any = tremble.solve(game, method="double-oracle").strategies
    assert tremble.nash_conv(game, strategies) == 0
    with pytest.raises(GameError, match="strategy 1: the strategies belong to a game that is not built"):
        tremble.best_response(tremble.load("kuhn"), strategies, 0)


def test_loading_counts_towards_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def asked(*_arguments: object, time_limit: float, **_options: object) -> None:
        limits.append(time_limit)
        raise tremble.LimitReached("time is up")

    monkeypatch.setattr("tremble.solvers.runner.solve_recording", asked)
    result = run("solve", "leduc", "--time-limit", "0.001")
    assert (result.exit_code, "time is up" in result.stderr) == (5, True)
    assert run("solve", "kuhn", "--time-limit", "1000").exit_code == 5
    assert 0 < limits[0] < 1e-6
    assert 900 < limits[1] < 1000


def test_respond_command(file: Path, tmp_path: Path) -> None:
    record = json.loads(run("respond", "kuhn", file, "--format", "json").stdout)
    assert record["nash_conv"] == "0"
    assert record["values"] == record["best_response_values"] == ["-1/18", "1/18"]
    bare = tmp_path / "first.json"
    plays = {"default": {"rule": "first", "parameters": {}}, "rows": []}
    bare.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": [plays, plays]}))
    record = json.loads(run("respond", "kuhn", bare, "--format", "json").stdout)
    assert record["nash_conv"] == "2"
    assert record["exploitability"] == "1"
    assert record["gains"] == ["1", "1"]
    assert {"key": "J:", "action": "bet"} in record["best_responses"][0]
    rows = run("respond", "kuhn", bare, "--format", "csv").stdout.splitlines()
    assert rows[0] == "player,infoset,label,action,probability,probability_float"
    assert "1,,J:,bet,1,1.0" in rows
    table = run("respond", "kuhn", bare)
    assert table.exit_code == 0
    assert "NashConv" in table.stdout
    assert "J:" in table.stdout
    efg = tmp_path / "kuhn.efg"
    assert run("convert", "kuhn", efg).exit_code == 0
    assert run("respond", efg, bare).exit_code == 4
    warned = run("respond", "kuhn:cards=4", file)
    assert warned.exit_code == 0
    assert "another game" in warned.stderr
    plays["default"]["rule"] = "rules"
    bare.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": [plays, plays]}))
    missing = run("respond", "kuhn", bare)
    assert missing.exit_code == 1
    assert "have no function default(h)" in missing.stderr


@pytest.mark.parametrize("command", [("audit",), ("draw", "-o", "x.svg"), ("compare",)])
def test_commands_that_need_the_tree(
    command: tuple[str, ...], file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = (file, file) if command[0] == "compare" else (file,)
    result = run(command[0], "kuhn", *files, *command[1:])
    assert result.exit_code == 4
    assert result.stderr.startswith(f"error: {file}: the strategies belong to a game that is not built")
    large = run(command[0], "leduc:ranks=1000", *files, *command[1:])
    assert large.exit_code == 4
    assert "Traceback" not in large.output


@pytest.mark.parametrize(
    "args", [("convert", "leduc:ranks=1000", "x.efg"), ("draw", "leduc:ranks=1000", "-o", "x.svg"),
             ("solve", "leduc:ranks=1000", "--method", "lp"), ("solve", "leduc:ranks=1000", "--concept", "perfect"),
             ("solve", "leduc:ranks=1000", "--format", "gambit")],
)  # fmt: skip
def test_trees_that_are_too_large(args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*args)
    assert result.exit_code == 4
    assert "raise --max-nodes to build it" in result.stderr


def test_solve_command(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    result = run("solve", "kuhn", "--max-nodes", 10, "-o", path)
    assert result.exit_code == 0, result.output
    assert "given by its rules, not built" in result.stdout
    assert "elsewhere" in result.stdout
    found = Solution.from_json(path)
    assert found.unbuilt is not None
    assert found.value == F(-1, 18)
    assert run("verify", "kuhn", path).exit_code == 0
    rows = run("solve", "kuhn", "--max-nodes", 10, "--format", "csv").stdout.splitlines()
    assert rows[1].startswith("1,,")


def test_info_of_what_cannot_be_built() -> None:
    record = json.loads(run("info", "leduc:ranks=1000", "--format", "json").stdout)
    assert record["digest"] == tremble.load_rules("leduc:ranks=1000").digest
    assert record["nodes"]["terminal"] > 10**9


# -- keys and rows that need care ------------------------------------------------------------------


class Guessed(Kuhn):
    """Kuhn poker whose information sets have keys of other types than text."""

    def infoset(self, h: Any) -> Any:
        card, _, line = super().infoset(h).partition(":")
        return frozenset({card, *(f"{i}{c}" for i, c in enumerate(line))})


def test_keys_without_an_order_have_one_text() -> None:
    """A frozenset is written in sorted order, so a file means the same in every run."""
    solution = tremble.solve(Guessed(), method="double-oracle")
    assert solution.status == "certified"
    keys = set(solution.strategies[1].rows)
    assert "{'0b', 'J'}" in keys
    assert all(key == "{" + ", ".join(sorted(key[1:-1].split(", "))) + "}" for key in keys)
    assert tremble.verify(Guessed(), solution).ok


def test_keys_without_text_are_refused() -> None:
    class Nameless(Guessed):
        def infoset(self, h: Any) -> Any:
            return _Opaque(super().infoset(h))

    with pytest.raises(tremble.GameError, match="whose text may differ between runs"):
        tremble.solve(Nameless(), method="double-oracle")


class _Opaque:
    def __init__(self, inside: Any) -> None:
        self.inside = inside

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Opaque) and self.inside == other.inside

    def __hash__(self) -> int:
        return hash(self.inside)


def test_rows_that_no_play_leads_to_are_noted() -> None:
    game = tremble.load_rules("kuhn")
    solution = tremble.solve(game)
    one, two = solution.strategies
    typo = replace(one, rows={**one.rows, "J:zzz": (("a", F(1)),)})
    verification = tremble.verify(game, replace(solution, strategies=(typo, two)))
    assert verification.ok
    assert any("1 rows have no effect, because play cannot reach" in note for note in verification.notes)
    assert not any("rows have keys" in note for note in tremble.verify(game, solution).notes)
