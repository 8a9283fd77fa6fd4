"""The double oracle on rules that are never built: searches, wrong rules, wrong hints, the published search games."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction as F
from functools import partial
from math import lcm
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from hostile_games import RECIPES, forgetful_game, hostile_game
from rules_of_trees import FORMS, SEARCHED, TABULATED, Held, RulesOfTree, RulesWithBounds, held, on_tree
from tremble import (
    CHANCE,
    TERMINAL,
    BehaviorStrategy,
    GameTree,
    LimitReached,
    NotProvenError,
    Solution,
    TreeBuilder,
    methods,
)
from tremble.errors import GameError, ImperfectRecallError, NotZeroSumError, PlayersError, TrembleError
from tremble.game.rules import DefaultRule, UnbuiltGame
from tremble.games.parameters import parse_spec
from tremble.large.loop import DoubleOracleRun
from tremble.large.oracle import Response
from tremble.large.rules import RulesOracle
from tremble.large.sequences import Plan
from tremble.large.settings import POLICIES, SIZES, Policy, Settings, Sizes
from tremble.run.clock import Clock
from tremble.run.deadline import limited
from tremble.status import Status


def nothing() -> None:
    """No limit."""


# -- searches against each other -------------------------------------------------------------------

# The published search answers plans of restricted games only.
SEARCHES = tuple(form for form in FORMS if not form.startswith("tree") and "published" not in form)


def teach(oracle: RulesOracle, rng: random.Random) -> None:
    """Make most sequences of both players known, and allow some of them."""
    positions, tries = oracle.positions, oracle.tries
    stack = [(0, (0, 0))]
    while stack:
        position, at = stack.pop()
        mover = positions.mover[position]
        children = positions.expand(position)
        if mover not in (0, 1):
            stack.extend((child, at) for child in children)
            continue
        trie = tries[mover]
        if trie.find(at[mover], positions.view[position]) < 0 and rng.random() < 0.15:
            continue
        k = trie.learn(at[mover], positions.view[position], len(children), positions.default[position])
        for a, child in enumerate(children):
            sequence = trie.first[k] + a
            if rng.random() < 0.5:
                trie.allow(sequence)
            stack.append((child, (sequence, at[1]) if mover == 0 else (at[0], sequence)))


def random_plan(oracle: RulesOracle, player: int, rng: random.Random) -> Plan:
    """An exact plan: undecided here and there, and then at all that follows."""
    trie = oracle.tries[player]
    shares = [F(1)] + [F(0)] * (len(trie.allowed) - 1)
    decided = np.zeros(len(trie.parent), dtype=np.bool_)
    for k, parent in enumerate(trie.parent):
        above = trie.owner[parent]
        decided[k] = (above < 0 or decided[above]) and rng.random() < 0.85
        if not decided[k]:
            continue
        weights = [rng.choice((0, 0, 1, rng.randint(1, 9))) for _ in range(trie.count[k])]
        weights[rng.randrange(len(weights))] += not any(weights)
        for a, weight in enumerate(weights):
            shares[trie.first[k] + a] = shares[parent] * F(weight, sum(weights))
    denominator = lcm(*(share.denominator for share in shares))
    integers = np.array([int(share * denominator) for share in shares], dtype=object)
    return Plan(player, integers, denominator, decided)


def played(game: Held, response: Response) -> BehaviorStrategy:
    """A response as a strategy of the tree, the default where it says nothing."""
    trie = game.oracle.tries[response.player]
    weight = np.zeros(len(trie.allowed), dtype=object)
    weight[0] = 1
    weight[response.sequences] = 1
    decided = np.zeros(len(trie.parent), dtype=np.bool_)
    decided[[trie.owner[q] for q in response.sequences.tolist()]] = True
    return on_tree(game.rules, game.oracle.strategy(Plan(response.player, weight, 1, decided)))


def check_searches(tree: GameTree, form: str, seed: int) -> None:
    game = held(tree, form, seed)
    rng = random.Random(f"{tree.title} {form} {seed}")
    teach(game.oracle, rng)
    total = tree.constant_sum
    assert total is not None
    largest = float(np.abs(tree.payoff_float[:, 0]).max())
    for player in (0, 1):
        other = 1 - player
        plan = random_plan(game.oracle, other, rng)
        against = on_tree(game.rules, game.oracle.strategy(plan))
        own = BehaviorStrategy.uniform(tree, player)
        profile = (own, against) if player == 0 else (against, own)
        value = tremble.best_response(tree, profile, player)[0] - (total if player else 0)
        exact = game.oracle.respond_exactly(player, plan)
        assert exact.value == value, (tree.title, form, player)
        assert exact.player == player
        floats = Plan(other, np.array([w / plan.denominator for w in plan.weight]), None, plan.decided)
        found = game.oracle.respond(player, floats)
        assert found.value == pytest.approx(float(value), rel=1e-9, abs=1e-9 * largest)
        # What they play earns what they say, the default being played wherever they need not say anything.
        for response, tolerance in ((exact, 0.0), (found, 1e-9 * largest)):
            strategy = played(game, response)
            profile = (strategy, against) if player == 0 else (against, strategy)
            earned = tremble.expected_values(tree, profile)[player] - (total if player else 0)
            assert abs(float(earned - value)) <= tolerance


@pytest.mark.sample(9)
@pytest.mark.parametrize("family", list(RECIPES))
def test_searches_agree_with_the_tree(family: str) -> None:
    for seed in (0, 1, 2):
        tree = hostile_game(family, seed)
        for form in SEARCHES:
            check_searches(tree, form, seed)


@pytest.mark.slow
@pytest.mark.parametrize("family", list(RECIPES))
def test_searches_agree_with_the_tree_often(family: str) -> None:
    for seed in range(3, 9):
        tree = hostile_game(family, seed)
        for form in SEARCHES:
            check_searches(tree, form, seed)
    for seed in (40, 41):
        tree = hostile_game(family, seed, most=900, least=4, depth=8, early=0.1)
        for form in SEARCHES:
            check_searches(tree, form, seed)


def test_temporary_leaves_with_little_looked_at() -> None:
    """Where looking on is given up, the bounds of the payoffs serve; the end is as exact."""
    for seed, family in enumerate(RECIPES):
        tree = hostile_game(family, seed)
        for form in ("search, keys, bounds", "search, keys, loose bounds"):
            game = held(tree, form, seed, look_ahead=2)
            run = DoubleOracleRun(game.oracle, game.scale, Settings(), Clock(120), lambda step, fraction: None)
            plans, value = run.run()
            assert value == tremble.solve(tree).value
            assert tremble.nash_conv(tree, game.strategies(plans)) == 0


# -- the published search games ------------------------------------------------------------------


def check_border_patrol(spec: str) -> F:
    """Rules and tree against the exact linear program; the value."""
    rules, canonical = parse_spec(spec)
    tree = tremble.load(spec)
    value = tremble.solve(tree, method="lp").value
    for game in (UnbuiltGame.of(rules, spec=canonical), tree):
        solution = tremble.solve(game, method="double-oracle")
        assert (solution.status, solution.value) == (Status.CERTIFIED, value)
        assert tremble.verify(game, solution).ok
        kept = [int(n) for n in solution.stats["restricted_sequences"]]
        assert all(n < 150 for n in kept)  # of hundreds and thousands: that is the point of it
    return value


@pytest.mark.sample(3)
@pytest.mark.parametrize("slow", ["true", "false"])
@pytest.mark.parametrize("graph", [1, 2, 3])
def test_border_patrol(graph: int, slow: str) -> None:
    value = check_border_patrol(f"border_patrol:depth=5,graph={graph},slow={slow}")
    assert graph != 1 or value == F(-1, 3)


@pytest.mark.slow
@pytest.mark.parametrize("slow", ["true", "false"])
@pytest.mark.parametrize("graph", [1, 2, 3])
def test_border_patrol_with_six_turns(graph: int, slow: str) -> None:
    value = check_border_patrol(f"border_patrol:depth=6,graph={graph},slow={slow}")
    assert graph != 1 or value == F(-1, 3)


@pytest.mark.sample(3)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("smoothing", [0.0, 0.8])
def test_border_patrol_by_search(policy: Policy, smoothing: float) -> None:
    """Without a table: positions are looked at where the search comes only, with and without keys."""
    rules = parse_spec("border_patrol:depth=4,p2_zone=10,11,12")[0]
    first = DefaultRule.of(rules)
    value = tremble.solve(tremble.load("border_patrol:depth=4,p2_zone=10,11,12")).value
    for merge in (True, False):
        oracle = RulesOracle(rules, (first, first), nothing, SEARCHED, merge=merge)
        run = DoubleOracleRun(oracle, oracle.scale, Settings(policy, smoothing), Clock(60), lambda step, fraction: None)
        assert run.run()[1] == value


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["phantom_ttt:win_first=true", "phantom_ttt:forced_wins=true"])
def test_phantom_tic_tac_toe(spec: str) -> None:
    rules = parse_spec(spec)[0]
    rule = DefaultRule.of(rules)
    assert rule.rule == "rules"
    oracle = RulesOracle(rules, (rule, rule), nothing)
    run = DoubleOracleRun(oracle, oracle.scale, Settings(), Clock(540), lambda step, fraction: None)
    plans, value = run.run()
    assert value == F(2, 3)
    responses = [oracle.respond_exactly(i, plans[1 - i]).value for i in (0, 1)]
    assert responses == [F(2, 3), F(-2, 3)]


# -- wrong rules -----------------------------------------------------------------------------------


class Changed:
    """Rules with some methods replaced."""

    def __init__(self, spec: str, **changes: Callable[..., Any]) -> None:
        self._rules = parse_spec(spec)[0]
        for name, change in changes.items():
            setattr(self, name, change)

    def __getattr__(self, name: str) -> Any:
        if name == "_rules":
            raise AttributeError(name)
        return getattr(self._rules, name)


KUHN = parse_spec("kuhn")[0]
PATROL = parse_spec("border_patrol:depth=3")[0]


def odd(h: Any) -> int:
    """0 or 1, whatever the history is about; the same in each run."""
    return sum(map(ord, repr(h))) % 2


BROKEN: dict[str, tuple[Changed, type[TrembleError], str]] = {
    "float payoffs": (
        Changed("kuhn", payoff=lambda h: tuple(map(float, KUHN.payoff(h)))),
        GameError,
        "is a float, not an exact number",
    ),
    "three payoffs": (Changed("kuhn", payoff=lambda h: (0, 0, 0)), GameError, "pair|payoffs"),
    "one payoff": (Changed("kuhn", payoff=lambda h: 0), GameError, "pair|payoff"),
    "no payoff": (Changed("kuhn", payoff=lambda h: None), GameError, "pair|payoff"),
    "payoffs in words": (Changed("kuhn", payoff=lambda h: ("one", "-1")), GameError, "one is not a number"),
    "payoff not a number": (
        Changed("kuhn", payoff=lambda h: (float("nan"), 0)),
        GameError,
        "nan is not a finite number",
    ),
    "sums that vary": (Changed("kuhn", payoff=lambda h: (1, odd(h))), NotZeroSumError, "sum"),
    "too few probabilities": (Changed("kuhn", chance=lambda h: (F(1),)), GameError, "distribution"),
    "no probabilities": (Changed("kuhn", chance=lambda h: None), GameError, "sequence"),
    "probabilities that sum to 6/7": (Changed("kuhn", chance=lambda h: (F(1, 7),) * 6), GameError, "distribution"),
    "negative probabilities": (
        Changed("kuhn", chance=lambda h: (F(2), F(-1), 0, 0, 0, 0)),
        GameError,
        "distribution",
    ),
    "float probabilities": (Changed("kuhn", chance=lambda h: (0.5, 0.5, 0.0, 0.0, 0.0, 0.0)), GameError, "exact"),
    "probabilities in words": (
        Changed("kuhn", chance=lambda h: ("a sixth",) * 6),
        GameError,
        "a sixth is not a number",
    ),
    "a third player": (Changed("kuhn", player=lambda h: 2), PlayersError, "index 2"),
    "no player": (Changed("kuhn", player=lambda h: None), PlayersError, "None"),
    "no actions": (Changed("kuhn", actions=lambda h: ()), GameError, "no actions"),
    "unequal numbers of actions": (
        Changed("kuhn", actions=lambda h: KUHN.actions(h)[: 1 + odd(h)] if KUHN.player(h) == 0 else KUHN.actions(h)),
        GameError,
        "numbers of actions",
    ),
    "an information set that is no key": (Changed("kuhn", infoset=lambda h: [h]), GameError, "hashable"),
    "an observation that is no key": (
        Changed("border_patrol:depth=3", observation=lambda h, player: [h]),
        GameError,
        "hashable",
    ),
    "a state that is no key": (Changed("border_patrol:depth=3", state_key=lambda h: [h]), GameError, "hashable"),
    "a default that is too large": (Changed("kuhn", default=lambda h: 2), GameError, "default"),
    "a negative default": (Changed("kuhn", default=lambda h: -1), GameError, "default"),
    "a default in words": (Changed("kuhn", default=lambda h: "check"), GameError, "default"),
    "no default": (Changed("kuhn", default=lambda h: None), GameError, "default"),
    "half a default": (Changed("kuhn", default=lambda h: 0.0), GameError, "default"),
    "one state for everything": (Changed("border_patrol:depth=3", state_key=lambda h: 0), GameError, "state_key"),
    "a state for each mover": (Changed("border_patrol:depth=3", state_key=PATROL.player), GameError, "state_key"),
    "states without time": (Changed("border_patrol:depth=3", state_key=lambda h: h[2]), GameError, "state_key"),
}


def varying(h: Any) -> tuple[int, int]:
    return 1, odd(h)


@pytest.mark.parametrize(
    "rules",
    [
        parse_spec("centipede:length=30")[0],
        parse_spec("mertens")[0],
        Changed("kuhn", payoff=varying),
        Changed("border_patrol:depth=3", payoff=varying),
    ],
)
def test_the_leaf_that_breaks_the_sum_is_named(rules: Any) -> None:
    with pytest.raises(NotZeroSumError) as caught:
        tremble.solve(UnbuiltGame.of(rules), method="double-oracle")
    found = re.search(r"sum to (\S+) at the first leaf .* but to (\S+) at the leaf (.*);", str(caught.value))
    assert found is not None
    assert "build the tree (tremble.build(rules))" in str(caught.value)
    h = rules.root()
    for label in found[3].split(" / "):
        h = rules.child(h, list(rules.actions(h)).index(label))
    assert rules.player(h) == TERMINAL
    assert found[1] != found[2]
    if not hasattr(rules, "state_key"):  # each history is a position of its own
        assert sum(rules.payoff(h)) == int(found[2])


@pytest.mark.parametrize("fault", list(BROKEN))
def test_broken_rules(fault: str) -> None:
    rules, error, message = BROKEN[fault]
    for sizes in (SIZES, TABULATED):
        with pytest.raises(error, match=message):
            limited(30, lambda sizes=sizes: tremble.solve(rules, method=methods.DoubleOracle(sizes=sizes)))


@pytest.mark.parametrize("fault", [name for name in BROKEN if name != "sums that vary"])
def test_broken_rules_by_search(fault: str) -> None:
    """Found on the way; a wrong sum only if it is met."""
    rules, error, message = BROKEN[fault]
    with pytest.raises(error, match=message):
        limited(30, lambda: tremble.solve(rules, method=methods.DoubleOracle(sizes=SEARCHED)))


def outcome(rules: Any, value: F | None, limit: float = 20, sizes: Sizes = SIZES) -> str:
    """What solving rules with something wrong in them ends with; never a wrong certificate or wrong bounds.

    ``value`` is None where there is none, as the rules are no game with perfect recall and constant sum.
    """
    solve = partial(tremble.solve, rules, method=methods.DoubleOracle(sizes=sizes))
    try:
        try:
            solution = limited(
                limit, solve
            )  # a run with a limit of its own makes a process, which takes most of the time
        except LimitReached:
            solution = solve(time_limit=limit)
    except LimitReached as reached:
        best = reached.best
        if best is not None and best.bounds is not None and value is not None:
            assert best.bounds[0] <= value <= best.bounds[1]
        return "LimitReached"
    except NotProvenError as unproven:
        solution = unproven.best
        assert solution.status is not Status.CERTIFIED
    except TrembleError as error:
        return type(error).__name__
    if solution.status is Status.CERTIFIED:
        assert value is not None
        assert solution.value == value
    if solution.bounds is not None and value is not None:
        assert solution.bounds[0] <= value <= solution.bounds[1]
    if solution.status is not Status.LIMIT_REACHED:
        assert tremble.verify(rules, solution).ok
    return str(solution.status)


def test_information_sets_that_forget() -> None:
    """Kuhn poker in which the players forget their card, or know it but not what was bet, as it were."""
    assert outcome(Changed("kuhn", infoset=lambda h: KUHN.infoset(h)[0]), None) != "certified"
    assert outcome(Changed("kuhn", infoset=lambda h: "always the same"), None) != "certified"


class Memory:
    """Player 1 writes a or b, and player 2 guesses; then player 1, if it forgets, does not know what it wrote.

    ``merged`` adds ``state_key`` and ``observation``, by which it remembers.
    """

    def __init__(self, forgets: bool, merged: bool = False, deeper: int = 0) -> None:
        self.forgets, self.deeper, self.looked = forgets, deeper, 0
        if merged:
            self.state_key = lambda h: h
            self.observation = lambda h, player: (len(h), h[2:] if player else "")

    def root(self) -> str:
        return ""

    def player(self, h: str) -> int:
        return TERMINAL if len(h) == 3 + self.deeper else (0, 1, 0, *[1] * self.deeper)[len(h)]

    def actions(self, h: str) -> tuple[str, ...]:
        return ("a", "b")

    def chance(self, h: str) -> tuple[F, ...]:
        raise AssertionError

    def child(self, h: str, i: int) -> str:
        self.looked += 1
        return h + "ab"[i]

    def infoset(self, h: str) -> Any:
        if self.player(h) == 1:
            return ("guess", len(h), h[2:])
        return ("write",) if not h else ("again",) if self.forgets else ("again", h[0])

    def payoff(self, h: str) -> tuple[int, int]:
        won = (h[0] == h[1]) + 2 * (h[2] == "a")
        return won, -won


FORGOTTEN = (
    r"player 1 forgets: it reaches the information set \"\('again',\)\" after 'a' at \"\('write',\)\", "
    r"and after 'b' at \"\('write',\)\"; playing from rules needs perfect recall"
)


@pytest.mark.parametrize("method", ["double-oracle", "published-double-oracle"])
@pytest.mark.parametrize("merged", [False, True])
def test_who_forgets_what_it_did_is_named_with_both_histories(merged: bool, method: str) -> None:
    with pytest.raises(ImperfectRecallError, match=FORGOTTEN):
        tremble.solve(Memory(True, merged), method=method)
    assert tremble.solve(Memory(False, merged), method=method).value == F(5, 2)


def test_forgetting_is_found_before_the_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as a second own history of the set is met, in a game of many more histories."""
    monkeypatch.setattr("tremble.large.solve.DoubleOracleRun", None)
    rules = Memory(True, deeper=15)
    with pytest.raises(ImperfectRecallError, match=FORGOTTEN):
        tremble.solve(rules, method="double-oracle")
    assert rules.looked < 50


def test_what_the_observations_tell_and_the_information_sets_forget() -> None:
    rules = Memory(False, merged=True)
    rules.infoset = lambda h: h if rules.player(h) == 1 else len(h)  # type: ignore[method-assign]
    rules.observation = lambda h, _player: h
    with pytest.raises(ImperfectRecallError, match=r"player 1 (forgets|reaches the information set)"):
        tremble.solve(rules, method="double-oracle")


@pytest.mark.parametrize("spec", ["a_loss_counterexample", "absentminded_driver", "wichardt"])
def test_the_command_says_that_a_player_forgets_and_ends_with_4(spec: str) -> None:
    result = run("solve", spec, "--max-nodes", "3")
    assert result.exit_code == 4
    assert "player 1 forgets: it reaches the information set" in result.stderr


def test_kuhn_poker_with_one_set_per_card() -> None:
    with pytest.raises(ImperfectRecallError, match="player 1 forgets: it reaches the information set 'J' after no own"):
        tremble.solve(Changed("kuhn", infoset=lambda h: KUHN.infoset(h)[0]), method="double-oracle")


def test_games_of_imperfect_recall() -> None:
    """Random games of any recall and sum: refused, or a certificate of something true."""
    seen = set()
    for seed in range(30):
        tree = forgetful_game(seed)
        rules = RulesOfTree(constant_sum(tree))
        perfect = [tremble.classify_recall(rules.tree, player) for player in (0, 1)] == ["perfect"] * 2
        found = outcome(rules, tremble.solve(rules.tree).value) if perfect else refused_or_equilibrium(rules)
        seen.add((perfect, found))
        assert not perfect or found == "certified"
    assert {(True, "certified"), (False, "ImperfectRecallError")} <= seen


def constant_sum(tree: GameTree) -> GameTree:
    builder = TreeBuilder(title=tree.title)
    for node in tree.in_preorder.tolist():
        mover, index = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            u = tree.payoff_at(index)[0]
            builder.leaf(u, 3 - u)
        elif mover == CHANCE:
            builder.chance(tree.chance_tables[index].labels, tree.chance_tables[index].probabilities)
        else:
            builder.decision(mover, index, tree.actions[mover][index])
    return builder.finish()


def refused_or_equilibrium(rules: RulesOfTree) -> str:
    """Where a player forgets, a certificate may only be given if it has nothing to gain by any pure strategy."""
    try:
        solution = limited(20, lambda: tremble.solve(rules, method="double-oracle"))
    except TrembleError as error:
        return type(error).__name__
    if solution.status is Status.CERTIFIED:
        strategies = [on_tree(rules, strategy) for strategy in solution.strategies]
        for player in (0, 1):
            assert best_pure(rules.tree, strategies, player) <= solution.values[player]
    return str(solution.status)


def best_pure(tree: GameTree, strategies: Sequence[BehaviorStrategy], player: int) -> F:
    """What the best of many pure strategies earns: no better response may be found by any means."""
    rng = random.Random(tree.title)
    best = None
    for _ in range(25):
        rows = []
        for labels in tree.actions[player]:
            pick = rng.randrange(len(labels))
            rows.append([int(a == pick) for a in range(len(labels))])
        pure = BehaviorStrategy.from_rows(tree, player, rows)
        profile = (pure, strategies[1]) if player == 0 else (strategies[0], pure)
        earned = tremble.expected_values(tree, profile)[player]
        best = earned if best is None else max(best, earned)
    assert best is not None
    return best


# -- wrong hints: what solvers are told besides the rules of play -----------------------------------


class Misled(RulesWithBounds):
    """A tree's rules whose hints are wrong in some ways."""

    wrong: tuple[str, ...] = ()

    def __init__(self, tree: GameTree, seed: int, wrong: str) -> None:
        super().__init__(tree, seed)
        self.wrong = tuple(wrong.split(", "))
        rng = random.Random(f"{seed} {wrong}")
        some = rng.choice((2, 3, 5, tree.num_nodes // 2 + 1))
        self._random = [rng.randrange(some) for _ in range(tree.num_nodes)]
        self._depth = [0] * tree.num_nodes
        for node in range(1, tree.num_nodes):
            self._depth[node] = self._depth[int(tree.parent[node])] + 1

    def state_key(self, h: int) -> Any:
        if "any state" in self.wrong:
            return self._random[h]
        if "state of mover" in self.wrong:
            return self.player(h), self._random[h]
        if "state of level" in self.wrong:
            return self.player(h), self._depth[h], self._random[h]
        if "state of width" in self.wrong:
            return self.player(h), self._depth[h], len(self.actions(h))
        return super().state_key(h)

    def observation(self, h: int, player: int) -> int:
        if "nothing seen" in self.wrong:
            return 0
        if "all seen" in self.wrong:
            return h
        if "anything seen" in self.wrong:
            return self._random[h]
        return super().observation(h, player)

    def utility_bounds(self) -> tuple[Any, Any]:
        low, high = super().utility_bounds()
        if "narrow bounds" in self.wrong:
            return low + (high - low) / 3, high - (high - low) / 3
        return (high, low) if "swapped bounds" in self.wrong else (low, high)

    def default(self, h: int) -> int:
        return self._random[h] % len(self.actions(h)) if "any default" in self.wrong else super().default(h)


WRONG_HINTS = (
    "any state",
    "state of mover",
    "state of level",
    "state of width",
    "nothing seen",
    "all seen",
    "anything seen",
    "narrow bounds",
    "swapped bounds",
    "any default",
    "any default, narrow bounds",
    "state of width, nothing seen",
    "any state, nothing seen",
    "anything seen, any default",
    "nothing seen, any default, narrow bounds",
)


def misled(seeds: range, limit: float = 20, sizes: Sizes = SIZES) -> dict[str, int]:
    """How often solving ends in which way."""
    counts: dict[str, int] = {}
    for seed in seeds:
        tree = hostile_game(list(RECIPES)[seed % len(RECIPES)], seed)
        value = tremble.solve(tree).value
        for wrong in WRONG_HINTS:
            found = outcome(Misled(tree, seed, wrong), value, limit, sizes)
            counts[found] = counts.get(found, 0) + 1
    return counts


def test_wrong_hints() -> None:
    """No wrong hint ever makes a wrong certificate: they cost errors, or the certificate."""
    counts = misled(range(18), 2)
    assert "LimitReached" not in counts  # keys that lead back to themselves are found, not searched on and on
    assert counts["certified"] > 100
    assert counts["bounded"] > 10
    assert counts["GameError"] > 10
    assert counts["ImperfectRecallError"] > 0


def test_wrong_hints_by_search() -> None:
    """Where positions are too many to look at all, keys that lead back to themselves can go on until time is up."""
    counts = misled(range(18, 36), 0.2, SEARCHED)
    assert counts["certified"] > 100
    assert counts["bounded"] > 10
    assert counts["GameError"] > 10


def test_wrong_hints_with_tables() -> None:
    counts = misled(range(5, 23), sizes=TABULATED)
    assert "LimitReached" not in counts
    assert counts["certified"] > 100
    assert counts["bounded"] > 10
    assert counts["GameError"] > 10
    assert counts["ImperfectRecallError"] > 0


@pytest.mark.slow
def test_many_wrong_hints() -> None:
    misled(range(36, 54), 2)
    misled(range(54, 72), 2, TABULATED)
    misled(range(72, 90), 0.2, SEARCHED)


# -- sizes -----------------------------------------------------------------------------------------


class Endless:
    """Rules of a game that never ends."""

    def root(self) -> int:
        return 0

    def player(self, h: int) -> int:
        return h % 2

    def actions(self, h: int) -> tuple[str, ...]:
        return "a", "b"

    def chance(self, h: int) -> Sequence[F]:
        raise LookupError

    def child(self, h: int, i: int) -> int:
        return h + 1

    def infoset(self, h: int) -> int:
        return h

    def payoff(self, h: int) -> tuple[int, int]:
        return 0, 0


def run_directly(rules: Any, limit: float) -> None:
    """Only the search: no exact bounds at the end."""
    clock = Clock(limit)
    rule = DefaultRule.of(rules)
    oracle = RulesOracle(rules, (rule, rule), clock.check, SEARCHED)
    DoubleOracleRun(oracle, oracle.scale, Settings(), clock, lambda step, fraction: None).run()


def test_limits_are_heard_where_nothing_ends() -> None:
    with pytest.raises(LimitReached, match="time limit"):
        run_directly(Endless(), 0.3)
    with pytest.raises(LimitReached, match="time limit"):
        run_directly(parse_spec("goofspiel:cards=7")[0], 0.3)


@pytest.mark.parametrize("spec", ["kuhn:cards=40", "border_patrol:depth=3"])
@pytest.mark.parametrize("table", [True, False])
def test_the_clock_is_looked_at_before_each_new_history(spec: str, table: bool) -> None:
    """Not once in so many positions: a position can have a million children, and rules can take long for one."""
    made = most = 0

    class Looked(Clock):
        def check(self) -> None:
            nonlocal made
            made = 0

    def child(h: Any, i: int) -> Any:
        nonlocal made, most
        made += 1
        most = max(most, made)
        return rules.child(h, i)

    rules = parse_spec(spec)[0]
    clock, rule = Looked(None), DefaultRule("first")
    oracle = RulesOracle(Changed(spec, child=child), (rule, rule), clock.check, TABULATED if table else SEARCHED)
    assert DoubleOracleRun(oracle, oracle.scale, Settings(), clock, lambda step, fraction: None).run()[1] is not None
    assert most == 1


@pytest.mark.parametrize("kind", ["any state", "state of mover"])
def test_limits_are_heard_where_keys_go_round(kind: str) -> None:
    """Without a table, keys that lead back to themselves are found, or searched until time is up."""
    for seed in range(12):
        tree = hostile_game(("plain", "chance", "constant sum", "unequal depths")[seed % 4], seed)
        with contextlib.suppress(GameError, LimitReached):
            run_directly(Misled(tree, seed, kind), 0.3)


def matrix_game(rows: Sequence[Sequence[F | int]]) -> GameTree:
    builder = TreeBuilder()
    builder.decision(0, "row", [f"r{i}" for i in range(len(rows))])
    for row in rows:
        builder.decision(1, "column", [f"c{j}" for j in range(len(row))])
        for u in row:
            builder.leaf(u, -u)
    return builder.finish()


@pytest.mark.parametrize(
    "rows",
    [
        [[2**53 + 1, 2**53], [2**53, 2**53 + 1]],
        [[10**40, -(10**40)], [-(10**40), 10**40 + 1]],
        [[10**140, -1], [-1, 10**140]],
        [[F(1, 10**400), -F(1, 10**400)], [-F(2, 10**400), F(1, 10**400)]],
        [[10**100, 0], [0, F(1, 10**100)]],
        [[0, 0], [0, 0]],
        [[2**62, 2**62 - 1], [-(2**62), 2**62]],
    ],
)
def test_payoffs_that_floats_cannot_hold(rows: list[list[F | int]]) -> None:
    tree = matrix_game(rows)
    value = tremble.solve(tree, method="lp").value
    for game in (tree, RulesOfTree(tree), RulesWithBounds(tree)):
        solution = tremble.solve(game, method="double-oracle")
        assert (solution.status, solution.value) == (Status.CERTIFIED, value)


@pytest.mark.parametrize("rows", [[[10**400, -1], [-1, 10**400]], [[10**400, 0], [0, F(1, 10**400)]], [[10**308, 1]]])
def test_payoffs_beyond_all_floats(rows: list[list[F | int]]) -> None:
    """Solved, or refused in words."""
    tree = matrix_game(rows)
    value = tremble.solve(tree, method="lp").value
    for game in (tree, RulesOfTree(tree), RulesWithBounds(tree)):
        try:
            solution: Solution = tremble.solve(game, method="double-oracle")
        except GameError as error:
            assert "payoff" in str(error)  # noqa: PT017 (both ends are fine)
        else:
            assert (solution.status, solution.value) == (Status.CERTIFIED, value)


def test_float_bounds_of_payoffs() -> None:
    """Bounds that are no exact numbers are taken for what they are, or refused."""
    rules = Changed("border_patrol:depth=3", utility_bounds=lambda: (-1.0, 1.0))
    assert outcome(rules, F(-1, 3)) in ("certified", "GameError")


def test_float_bounds_of_payoffs_by_search() -> None:
    for bounds in ((-1.0, 1.0), None, (-1, 1, 2), ("a", "b")):
        rules = Changed("border_patrol:depth=3", utility_bounds=lambda bounds=bounds: bounds)
        assert outcome(rules, F(-1, 3), sizes=SEARCHED) in ("certified", "GameError")
