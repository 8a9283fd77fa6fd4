"""Branch and bound for maxmin strategies: brute force, limits, and certificates that are spoilt."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction as F
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

import tremble
from forgetful import cells_of, expected, forgetting, guarantee, lines, pure, rows_of
from hand_made import random_game
from processes import started
from tremble import GameTree, Solution, TreeBuilder, verify
from tremble.errors import FormatError, LimitReached, NotProvenError, SpecError
from tremble.recall.maxmin.examination import _without_repeats
from tremble.status import Status
from tremble.text.solutions import solution_view

Floats = NDArray[np.float64]
HARD = "random_imperfect_recall:branching=4,merge=0.5,seed=7"


def own_bounds(tree: GameTree, solution: Solution, player: int) -> tuple[F, F]:
    """On what the player can guarantee itself."""
    assert solution.bounds is not None
    low, high = solution.bounds
    constant = tree.constant_sum
    return (low, high) if player == 0 or constant is None else (constant - high, constant - low)


def solved(tree: GameTree, player: int, **how: Any) -> tuple[F, F]:
    """The bounds of a solution that is certified, and proven again from its file."""
    solution = tremble.solve(tree, "maxmin", player=player, **how)
    assert (solution.status, solution.concept) == (Status.CERTIFIED, "maxmin")
    found = verify(tree, Solution.from_text(solution.to_text()))
    assert (found.ok, found.proven) == (True, "maxmin"), found.problems
    return own_bounds(tree, solution, player)


def solved_by_force(tree: GameTree, player: int, **how: Any) -> tuple[F, F]:
    """The same, with what brute force says: the lower bound is true, and nobody is found who exceeds the upper one."""
    solution = tremble.solve(tree, "maxmin", player=player, **how)
    assert solution.status is Status.CERTIFIED
    assert verify(tree, solution).ok
    low, high = own_bounds(tree, solution, player)
    strategies = rows_of(solution.strategies[0]), rows_of(solution.strategies[1])
    assert guarantee(tree, player, strategies[player]) == low
    assert expected(tree, *strategies) == solution.values
    assert solution.values[player] == low  # the opponent's strategy is a best reply
    assert best_of_many(tree, player) <= float(high) + 1e-9
    return low, high


def best_of_many(tree: GameTree, player: int) -> float:
    """The most that one of many random strategies, better and better ones, guarantees."""
    start, leaves = tree.slot_start[player], lines(tree)
    widths = np.diff(start)
    used = np.zeros((len(leaves), len(widths)), dtype=np.int64) + int(start[-1])  # slots on the way to each leaf
    for row, (_, moves, _) in zip(used, leaves, strict=True):
        for mover, k, action in moves:
            if mover == player:
                row[k] = start[k] + action
    faced = [
        [all(reply[k][a] == 1 for mover, k, a in moves if mover == 1 - player) for _, moves, _ in leaves]
        for reply in pure(tree, 1 - player)
    ]
    payoff = np.array(faced, dtype=np.float64) * [float(chance * earned[player]) for chance, _, earned in leaves]
    draw = np.random.default_rng(0)

    def drawn(many: int, alpha: float) -> Floats:
        return np.concatenate([draw.dirichlet(np.full(n, alpha), many) for n in widths.tolist()], axis=1)

    def values(mixed: Floats) -> Floats:
        plans = np.concatenate((mixed, np.ones((len(mixed), 1))), axis=1)[:, used].prod(axis=2)
        worst: Floats = (plans @ payoff.T).min(axis=1)
        return worst

    if not len(widths):
        return float(payoff.sum(axis=1).min())
    mixed = np.concatenate((drawn(500, 0.5), drawn(500, 0.05)))
    radius = 0.5
    for _ in range(30):
        best = mixed[np.argmax(values(mixed))]
        step = radius * draw.random((100, 1))
        mixed = np.concatenate((best[None], (1 - step) * best + step * drawn(100, 0.5)))
        radius *= 0.8
    return float(values(mixed).max())


# -- games that are known -------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [3, 10, 100])
def test_the_counterexample_to_regret_minimisation(x: int) -> None:
    """Uniform play, which has no regret, guarantees -x/2; the maxmin is -1."""
    tree = tremble.load(f"a_loss_counterexample:x={x}")
    assert solved_by_force(tree, 0) == (-1, -1)
    assert guarantee(tree, 0, [[F(1, 2)] * 2] * 2) == F(-x, 2)
    assert solved_by_force(tree, 1) == (1, 1)
    if x == 10:  # whatever x is, it does the same
        with pytest.raises(NotProvenError) as caught:
            tremble.solve(tree, "maxmin", "cfr")
        low, high = checked_best(tree, caught.value)
        assert low == F(-x, 2)
        assert high >= -1


def test_a_game_without_equilibrium() -> None:
    """Both players' maxmin strategies leave a gap between them."""
    tree = tremble.load("wichardt")
    low, high = solved_by_force(tree, 0)
    assert low == -1
    assert high < F(-999, 1000)
    assert solved_by_force(tree, 1) == (0, 0)


@pytest.mark.parametrize("player", [0, 1])
def test_perfect_recall_is_a_linear_program(player: int) -> None:
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree, "maxmin", player=player)
    assert (solution.method.name, solution.certificate["kind"]) == ("lp", "best-response")
    assert solution.bounds == (F(-1, 18), F(-1, 18))
    assert verify(tree, solution).proven == "maxmin"
    low, high = solved(tree, player, method="branch-and-bound")
    assert low <= (F(-1, 18), F(1, 18))[player] <= high
    assert high - low <= F(4, 1000)


def test_how_close() -> None:
    tree = tremble.load("random_imperfect_recall:depth=4,seed=3")
    apart = tree.payoff[:, 0].max() - tree.payoff[:, 0].min()
    for how in ({"epsilon": F(1, 50)}, {"epsilon_abs": F(int(apart), 50)}, {"gap": F(int(apart), 50)}):
        solution = tremble.solve(tree, "maxmin", **how)
        assert solution.method.options["gap"] == str(F(int(apart), 50))
        assert solution.certificate["epsilon"] == str(F(int(apart), 50))
    assert tremble.solve(tree, "maxmin").certificate["epsilon"] == str(F(int(apart), 1000))
    for wrong in ({"epsilon": 0}, {"epsilon": -1}, {"epsilon": 0.1, "gap": 1}):
        with pytest.raises(SpecError):
            tremble.solve(tree, "maxmin", **wrong)
    with pytest.raises(tremble.errors.PlayersError):
        tremble.solve(tree, "maxmin", player=2)
    with pytest.raises(SpecError, match="are for the concept maxmin"):
        tremble.solve(tremble.load("kuhn"), epsilon=0.1)


def test_what_is_refused() -> None:
    with pytest.raises(tremble.ImperfectRecallError, match=r"player 1 is absentminded.*'intersection'.*twice"):
        tremble.solve(tremble.load("absentminded_driver"), "maxmin")


def with_payoffs_of_the_other(tree: GameTree, player: int, payoff: Callable[[int], int]) -> GameTree:
    """The same game to this player; the other one earns something of its own at each leaf."""
    both = tree.payoff.copy()
    both[:, 1 - player] = [payoff(k) for k in range(len(both))]
    return replace(tree, payoff=both, spec=None)


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(12))
def test_what_the_other_earns_plays_no_part(seed: int) -> None:
    """Perfect recall: exactly the value of the game in which the other loses what the player earns, by other code."""
    tree, draw = random_game(seed, 4, zero_sum=False), random.Random(seed)
    for player in (0, 1):
        changed = with_payoffs_of_the_other(tree, player, lambda _: draw.randint(-9, 9))
        against = with_payoffs_of_the_other(tree, player, lambda k, who=player: -int(tree.payoff[k, who]))  # type: ignore[misc]
        value = tremble.solve(against, method="lemke").values[player]
        for game in (tree, changed):
            solution = tremble.solve(game, "maxmin", player=player)
            assert solution.method.name == "lp"
            assert own_bounds(game, solution, player) == (value, value)
            found = verify(game, Solution.from_text(solution.to_text()))
            assert (found.ok, found.proven, found.values) == (True, "maxmin", solution.values)
            low, high = solved(game, player, method="branch-and-bound")
            assert low <= value <= high
            rows = rows_of(solution.strategies[player])
            few = sum(1 for _ in itertools.islice(pure(game, 1 - player), 65)) < 65
            assert not few or guarantee(game, player, rows) == value


@pytest.mark.parametrize("seed", range(12))
def test_who_forgets_needs_no_constant_sum(seed: int) -> None:
    draw, player = random.Random(seed), seed % 2
    tree = with_payoffs_of_the_other(forgetting(seed), player, lambda _: draw.randint(-9, 9))
    assert tree.constant_sum is None
    low, high = solved_by_force(tree, player)
    assert high - low <= F(1, 1000) * (max(tree.payoff[:, player]) - min(tree.payoff[:, player]))


def test_published_methods_need_no_constant_sum_either() -> None:
    tree = tremble.load("a_loss_counterexample")
    tree = with_payoffs_of_the_other(tree, 0, lambda k: k)
    for method in ("milp", "bnb-digits", "cfr"):
        assert tremble.solve(tree, "maxmin", method, epsilon=1).bounds[0] <= -1  # type: ignore[index]


def test_no_guarantee_is_proven_that_is_false() -> None:
    """Battle of the sexes: uniform play, the bounds of others, the other player, fields that are none."""
    tree = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    true = tremble.solve(tree, "maxmin", player=1)
    assert (true.bounds, true.certificate) == ((F(6, 5), F(6, 5)), {"kind": "guarantee", "player": 2})
    uniform = tuple(tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1))
    for changes, problem in (
        ({"bounds": (F(6, 5), F(3, 2))}, "bounds: the upper bound that the certificate proves"),
        ({"bounds": None}, "bounds: missing"),
        ({"certificate": {"kind": "guarantee", "player": 1}}, "bounds: the upper bound"),
        ({"certificate": {"kind": "guarantee", "player": True}}, "certificate.player: must be 1 or 2, not True"),
        ({"certificate": {"kind": "guarantee"}}, "certificate.player: missing"),
        ({"strategies": uniform, "values": (F(5, 4), F(5, 4))}, "bounds: the lower bound"),
        ({"concept": "nash", "requested": "nash"}, "player 1 can gain"),
    ):
        found = verify(tree, replace(true, **changes))
        assert not found.ok
        assert any(text.startswith(problem) for text in found.problems), found.problems
    wide = replace(true, strategies=uniform, values=(F(5, 4), F(5, 4)), bounds=(F(1), F(3, 2)))
    assert "certificate.epsilon: the gap between the bounds is 1/2" in verify(tree, wide).problems[0]
    assert verify(tree, replace(wide, status=Status.BOUNDED)).proven == "bounds"
    assert "guarantees" in shown(tree, true)


@pytest.mark.parametrize("spec", ["leduc:ranks=3", HARD])
@pytest.mark.parametrize("player", [0, 1])
def test_a_limit_leaves_what_is_guaranteed_so_far(spec: str, player: int) -> None:
    solved(tremble.load("wichardt"), 0)  # once the kernels are loaded
    tree = with_payoffs_of_the_other(tremble.load(spec), player, lambda k: k % 3)
    assert tree.constant_sum is None
    with pytest.raises(LimitReached) as caught:
        tremble.solve(tree, "maxmin", player=player, time_limit=1e-9)
    low, high = checked_best(tree, caught.value, player)
    assert low < high


# -- brute force ------------------------------------------------------------------------------------------


@pytest.mark.sample(16)
@pytest.mark.parametrize("seed", range(40))
def test_small_games(seed: int) -> None:
    """Chance, sets with one action, constant sums, and both players may forget."""
    solved_by_force(forgetting(seed, 4 + seed % 2), seed % 2)


def test_a_player_who_cannot_split_anything() -> None:
    """It forgets nothing, and its opponent does: replies are looked for until there are no more."""
    tree = forgetting(116, 4)
    low, high = solved_by_force(tree, 1)
    assert low == high == F(241, 576)


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", range(25))
def test_opponents_without_a_loss(seed: int) -> None:
    """For both players, fifty in all: as many pure strategies as brute force can bear."""
    merge = ("1.0", "0.5")[seed % 2]
    spec = f"random_imperfect_recall:seed={seed},depth=4,branching=2,merge={merge},merge2={merge},recall2=any"
    tree = tremble.load(f"{spec},observations=1")
    for player in (0, 1):
        solved_by_force(tree, player)


@pytest.mark.sample(14)
@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_different_precision_hold_together(seed: int) -> None:
    """What is pruned within epsilon stays in the upper bound."""
    merge = ("1.0", "0.5")[seed % 2]
    tree = tremble.load(f"random_imperfect_recall:seed={seed},depth=4,branching=3,merge={merge}")
    player = seed // 2 % 2
    rough, fine = (solved(tree, player, epsilon=F(1, part)) for part in (100, 10_000))
    assert fine[1] - fine[0] <= rough[1] - rough[0] or fine[0] == rough[0]
    assert max(rough[0], fine[0]) <= min(rough[1], fine[1])


# -- corners ----------------------------------------------------------------------------------------------


def twice(scale: F | int = 1, shift: F | int = 0, constant: F | int = 0) -> GameTree:
    """Player 1 moves twice, and the second time has forgotten how."""
    payoff = ((3, -1, 2), (-2, 1, 0), (0, 4, -3), (1, -2, 5))
    builder = TreeBuilder(title="twice")
    builder.decision(0, "first", ("a", "b"))
    for row in (payoff[:2], payoff[2:]):
        builder.decision(1, "reply", ("x", "y"))
        for earned in row:
            builder.decision(0, "second", ("c", "d", "e"))
            for u in earned:
                builder.leaf(scale * u + shift, constant - scale * u - shift)
    return builder.finish()


@pytest.mark.sample(7)
@pytest.mark.parametrize("exponent", [-320, -30, -12, 0, 12, 18, 25, 200, 320])
@pytest.mark.parametrize("player", [0, 1])
def test_payoffs_of_all_sizes(exponent: int, player: int) -> None:
    scale = F(10) ** exponent
    low, high = solved(twice(scale), player, method="branch-and-bound")
    true_low, true_high = solved_by_force(twice(), player, method="branch-and-bound")
    assert low == true_low * scale
    assert true_high * scale <= high <= true_high * scale + scale / 10**5


@pytest.mark.parametrize("player", [0, 1])
def test_payoffs_far_from_zero(player: int) -> None:
    bounds = solved_by_force(twice(), player)
    sign = (1, -1)[player]
    for shift in (F(10**6), F(-(10**12)), F(1, 3), F(10**17), F(-(10**40), 3)):
        assert solved(twice(shift=shift), player) == (bounds[0] + sign * shift, bounds[1] + sign * shift)
    constant = F(7, 2)
    assert solved(twice(constant=constant), player) == tuple(b + player * constant for b in bounds)
    assert solved(twice(scale=F(0), shift=F(3, 7)), player) == (sign * F(3, 7), sign * F(3, 7))


@pytest.mark.parametrize("shift", [F(2 * 10**18), F(-(10**30))])
@pytest.mark.parametrize("method", ["branch-and-bound", "milp", "bnb-digits"])
def test_a_game_without_moves_may_pay_a_lot(method: str, shift: F) -> None:
    builder = TreeBuilder()
    builder.leaf(shift, 0)
    assert solved(builder.finish(), 0, method=method) == (shift, shift)


@pytest.mark.parametrize("mover", [0, 1])
def test_one_player_never_moves(mover: int) -> None:
    builder = TreeBuilder()
    builder.decision(mover, "first", ("a", "b"))
    for i in range(2):
        builder.decision(mover, "second", ("c", "d"))
        for j in range(2):
            builder.leaf(int(i == j), -int(i == j))
    tree = builder.finish()
    value = F(1 - mover)
    assert solved_by_force(tree, 0) == (value, value)
    assert solved_by_force(tree, 1) == (-value, -value)


def test_only_chance_and_single_actions() -> None:
    builder = TreeBuilder()
    builder.chance(("l", "r"), (F(1, 3), F(2, 3)))
    for i in range(2):
        builder.decision(0, ("first", i), ("only",))
        builder.decision(0, "second", ("only",))
        builder.leaf(i, -i)
    assert solved(builder.finish(), 0, method="branch-and-bound") == (F(2, 3), F(2, 3))


def deep(levels: int) -> GameTree:
    """Players stop or go on in turn; at the end both guess, and player 1 has forgotten what it guessed first."""
    builder = TreeBuilder(title="deep")
    for level in range(levels):
        builder.decision(level % 2, ("level", level), ("stop", "go"))
        u = (37 * level) % 11 - 5
        builder.leaf(u, -u)
    builder.decision(0, "guess", ("l", "r"))
    for i in range(2):
        builder.decision(1, "reply", ("l", "r"))
        for j in range(2):
            builder.decision(0, "again", ("l", "r"))
            for k in range(2):
                u = 3 * (i == j) - 2 * (j == k) + (i == k)
                builder.leaf(u, -u)
    return builder.finish()


@pytest.mark.parametrize("levels", [100, 1000])
def test_deep_trees(levels: int) -> None:
    tree = deep(levels)
    (low, high), (second_low, second_high) = (solved(tree, player) for player in (0, 1))
    assert low <= high
    assert second_low <= second_high
    assert low <= -second_low  # what one guarantees the other cannot exceed


# -- limits -----------------------------------------------------------------------------------------------


def checked_best(tree: GameTree, stopped: LimitReached | NotProvenError, player: int = 0) -> tuple[F, F]:
    best = stopped.best
    assert isinstance(best, Solution)
    assert (best.status, best.concept, best.requested) == (Status.BOUNDED, "maxmin", "maxmin")
    found = verify(tree, Solution.from_text(best.to_text()))
    assert (found.ok, found.proven) == (True, "bounds"), found.problems
    return own_bounds(tree, best, player)


@pytest.mark.sample(2)
@pytest.mark.parametrize("limit", [1e-9, 0.01, 0.5, 1.0])
def test_a_limit_leaves_proven_bounds(limit: float) -> None:
    solved(tremble.load("wichardt"), 0)  # once the kernels are loaded
    tree = tremble.load(HARD)
    with pytest.raises(LimitReached, match="stopped by the time limit") as caught:
        tremble.solve(tree, "maxmin", time_limit=limit, epsilon=F(1, 10**4))
    low, high = checked_best(tree, caught.value)
    assert low < high


@pytest.mark.parametrize("method", ["branch-and-bound", "milp", "bnb-digits"])
@pytest.mark.parametrize("player", [0, 1])
def test_there_are_bounds_before_a_method_begins(method: str, player: int) -> None:
    solved(tremble.load("wichardt"), 0)
    tree = tremble.load("random_imperfect_recall:depth=4,merge=0.5,merge2=0.5,recall2=a-loss,recall=a-loss")
    with pytest.raises(LimitReached) as caught:
        tremble.solve(tree, "maxmin", method, player=player, time_limit=1e-9)
    low, high = checked_best(tree, caught.value, player)
    assert low <= high


def interrupted_after(steps: int) -> Callable[[dict[str, Any]], None]:
    """Ctrl-C after so many iterations."""

    def report(row: dict[str, Any]) -> None:
        assert {"iteration", "solve_seconds_float", "lower_float", "upper_float"} <= set(row)
        assert row["lower_float"] <= row["upper_float"]
        if row["iteration"] == steps:
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize("player", [0, 1])
def test_it_goes_on_from_a_checkpoint(player: int, tmp_path: Path) -> None:
    spec = "random_imperfect_recall:depth=4,branching=4,merge=0.5,merge2=0.5,seed=12"
    tree, path = tremble.load(spec), tmp_path / "a.checkpoint"
    how: dict[str, Any] = {"player": player, "epsilon": F(1, 10**6), "checkpoint": path}
    last: tuple[F, F] | None = None
    for _ in range(2):
        path_was = path.exists()
        with pytest.raises(LimitReached) as caught:
            tremble.solve(tree, "maxmin", report=interrupted_after(3), **how)
        assert caught.value.interrupted
        bounds = checked_best(tree, caught.value, player)
        assert last is None or (path_was and last[0] <= bounds[0] and bounds[1] <= last[1])
        last = bounds
    assert last is not None
    end = own_bounds(tree, tremble.solve(tree, "maxmin", **how), player)
    assert last[0] <= end[0] <= end[1] <= last[1]
    for game, other in ((tremble.load(spec + "1"), player), (tree, 1 - player)):
        with pytest.raises(FormatError, match="belongs to another game or player"):
            tremble.solve(game, "maxmin", **{**how, "player": other})
    text = path.read_text()
    number = json.loads(text)["strategy"][0]
    for broken in (
        text[:500],
        "{}",
        text.replace(number, (0.1).hex(), 1),
        text.replace('"examined": ', '"examined": 1'),
    ):
        path.write_text(broken)
        with pytest.raises(FormatError, match=r"not a checkpoint|damaged"):
            tremble.solve(tree, "maxmin", **how)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tremble", "solve", HARD, "--concept", "maxmin", *arguments]


def test_the_command_and_ctrl_c(tmp_path: Path) -> None:
    """What there is is written: after a limit with exit code 5, after Ctrl-C with 130."""
    tree = tremble.load(HARD)
    out, log = tmp_path / "out.json", tmp_path / "log"
    ended = subprocess.run(
        command("--time-limit", "2", "-o", str(out), "--jobs", "1"), capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 5, ended.stderr
    best = Solution.from_json(out)
    assert best.requested == "maxmin"
    assert best.status == Status.LIMIT_REACHED or verify(tree, best).proven == "bounds"  # it may take long to begin
    running = started(command("--log", str(log), "-o", str(out), "--force", "--jobs", "1"))
    end = time.monotonic() + 60
    while not (log.exists() and '"iteration"' in log.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "stopped by Ctrl-C" in said
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    last = [row for row in rows if row["event"] == "iteration"][-1]
    found = verify(tree, Solution.from_json(out))
    assert found.proven == "bounds"
    assert found.bounds is not None
    # On a busy machine what is proven may be of an earlier moment, or of a later one than what was logged last.
    low, high = Solution.from_json(out).stats["claimed_float"]
    assert (low, high) == (last["lower_float"], last["upper_float"])
    assert float(found.bounds[0]) <= high + 1e-4
    assert float(found.bounds[1]) >= low - 1e-4


# -- certificates that are spoilt ----------------------------------------------------------------------------


def best_vertex(tree: GameTree, player: int, cell: Any, reply: list[tuple[list[Any], int]]) -> F:
    """The most that a strategy at the vertices of a cell earns against a mixture: no strategy in it earns more."""
    whole = sum(weight for _, weight in reply)
    best = None
    for corner in pure(tree, player):
        strategy = [cell[k][row.index(1)] for k, row in enumerate(corner)]
        pairs = (((strategy, y) if player == 0 else (y, strategy), weight) for y, weight in reply)
        value = sum((weight * expected(tree, *pair)[player] for pair, weight in pairs), F(0)) / whole
        best = value if best is None else max(best, value)
    assert best is not None
    return best


def holds(tree: GameTree, document: dict[str, Any]) -> bool:
    """Whether what a certificate says is true, by brute force."""
    certificate = document["certificate"]
    player = certificate["player"] - 1
    rows = [[F(p) for _, p in row["actions"]] for row in document["strategies"][player]]
    if guarantee(tree, player, rows) < F(certificate["lower"]):
        return False
    widths, opposing = ([len(labels) for labels in tree.actions[i]] for i in (player, 1 - player))
    replies = [
        [[F(a == c) for a in range(n)] for n, c in zip(opposing, reply, strict=True)]
        for reply in certificate["replies"]
    ]
    cells = cells_of(certificate["splits"], widths)
    return len(cells) == len(certificate["leaves"]) and all(
        best_vertex(tree, player, cell, [(replies[r], w) for r, w in leaf["mix"]]) <= F(certificate["upper"])
        for cell, leaf in zip(cells, certificate["leaves"], strict=True)
    )


def spoilt(draw: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """One thing changed, such that it may still be read."""
    document = deepcopy(document)
    certificate = document["certificate"]
    what = draw.choice(("split", "reply", "weight", "choices", "response", "strategy", "lower", "upper", "leaves"))
    leaf = draw.choice(certificate["leaves"])
    if what == "split":
        split = draw.choice(certificate["splits"])
        if split:
            split[3] = draw.randrange(1, 2 ** split[4])
            if draw.random() < 0.5:
                split[1], split[2] = split[2], split[1]
    elif what == "reply":
        reply = draw.choice(certificate["replies"])
        if reply:
            reply[draw.randrange(len(reply))] = draw.randrange(2)
    elif what == "weight":
        draw.choice(leaf["mix"])[1] = draw.choice((1, 7, 10**6))
    elif what == "choices":
        leaf["choices"] = draw.choice(([0], [1, 0, 0], [1, 0, 2, 0, 0], leaf["choices"][:-1]))
    elif what == "response":
        certificate["response"] = draw.choice(([0], [1, 0, 0], [2, 0, 0]))
    elif what == "strategy":
        row = draw.choice(document["strategies"][certificate["player"] - 1])["actions"]
        row[0][1], row[-1][1] = row[-1][1], row[0][1]
    elif what == "leaves":
        draw.shuffle(certificate["leaves"])
    else:
        number = F(certificate[what]) + F(draw.choice((-1, 1)), draw.choice((1, 10**3, 10**9, 10**15)))
        certificate[what] = str(number)
    low, high = F(certificate["lower"]), F(certificate["upper"])
    document["bounds"] = [str(b) for b in ((low, high) if certificate["player"] == 1 else (-high, -low))]
    return document


@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", range(20))
def test_nothing_false_is_proven(seed: int) -> None:
    """Certificates of real searches, with one to three things changed: what is still proven is true."""
    merge = ("1.0", "0.5")[seed % 2]
    spec = f"random_imperfect_recall:seed={seed},depth=4,branching=2,merge={merge},merge2=0.5,recall2=any"
    tree, player, draw = tremble.load(f"{spec},observations=1"), seed // 2 % 2, random.Random(seed)
    document = json.loads(tremble.solve(tree, "maxmin", "branch-and-bound", player=player).to_text())
    assert verify(tree, Solution.from_text(json.dumps(document))).ok
    assert holds(tree, document)
    wrong = 0
    for _ in range(40):
        changed = document
        for _ in range(draw.randint(1, 3)):
            changed = spoilt(draw, changed)
        one, two = ([[F(p) for _, p in row["actions"]] for row in rows] for rows in changed["strategies"])
        changed["values"] = [str(v) for v in expected(tree, one, two)]
        proven = verify(tree, Solution.from_text(json.dumps(changed))).ok
        true = holds(tree, changed)
        assert true or not proven, changed["certificate"]
        wrong += not proven
    assert wrong > 0


# -- what is shown -------------------------------------------------------------------------------------------


def shown(tree: GameTree, solution: Solution) -> str:
    console = Console(width=160, file=StringIO(), color_system=None)
    console.print(solution_view(tree, solution))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("player", [0, 1])
def test_the_table_says_whose_strategy_it_is(player: int) -> None:
    tree = tremble.load("wichardt")
    text = shown(tree, tremble.solve(tree, "maxmin", player=player))
    assert f"Player {player + 1}" in re.search(r"\nplayer +(.*)", text)[1]  # type: ignore[index]
    guaranteed = re.search(r"guarantees +(.*)", text)
    assert guaranteed is not None
    assert guaranteed[1].strip() == ("-1 to player 1", "0 to player 2")[player]
    assert ("No strategy of this player guarantees more" in text) == (player == 1)
    assert ("of this player guarantees more than -" in text) == (player == 0)
    assert "value" not in text  # this game has none


def test_the_table_of_bounds() -> None:
    solved(tremble.load("wichardt"), 0)
    tree = tremble.load(HARD)
    with pytest.raises(LimitReached) as caught:
        tremble.solve(tree, "maxmin", time_limit=1e-9)
    assert isinstance(caught.value.best, Solution)
    text = shown(tree, caught.value.best)
    assert "not proven; the strategy has a proven guarantee (requested: maxmin strategy)" in text
    assert "of this player guarantees more than" in text


def test_a_reply_that_is_found_twice_stands_once_in_a_mixture() -> None:
    replies, mixture = _without_repeats(np.array([5, 2, 5, 9]), np.array([0.25, 0.5, 0.125, 0.0]))
    assert replies.tolist() == [5, 2, 9]
    assert mixture.tolist() == [0.375, 0.5, 0.0]


def forgotten_way(most: F) -> GameTree:
    """Player 2 forgets where it went, and is paid 1 if all go one way; player 1 is paid ``most`` if that is left."""
    builder = TreeBuilder(title="forgotten way")
    builder.decision(1, "A", "lr")
    for first in "lr":
        builder.decision(1, "B", "lr")
        for second in "lr":
            builder.decision(0, "C", "lr")
            for third in "lr":
                same = first == second == third
                builder.leaf(most * same * (third == "l"), int(same))
    return builder.finish()


@pytest.mark.parametrize("most", [F(1), F(10**6), F(1, 10**9), F(0)])
def test_epsilon_is_a_part_of_the_players_own_range(most: F) -> None:
    solution = tremble.solve(forgotten_way(most), "maxmin", player=1)
    low, high = solution.bounds
    assert low == F(1, 4)
    assert high - low <= F(1, 1000)
    assert solution.certificate["epsilon"] == "1/1000"


def test_an_opponent_who_never_moves_leaves_time_to_write() -> None:
    builder = TreeBuilder(title="alone, and forgetful")
    builder.decision(0, "A", "lr")
    for first in "lr":
        builder.decision(0, "B", "lr")
        for second in "lr":
            builder.leaf(int(first == second == "l") + 2 * int(first == second == "r"), 0)
    assert tremble.solve(builder.finish(), "maxmin", player=0, time_limit=60).bounds[1] == 2
