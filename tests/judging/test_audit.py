"""The audit: known blunders, sums, two brute-force oracles on tiny games, formats, limits, profiles from elsewhere."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction as F
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog

import tremble
from command import run
from gambit import Gambit, complementary_pivots
from tremble import BehaviorStrategy, GameTree
from tremble.errors import ImperfectRecallError, SpecError
from tremble.formats.efg import format_efg
from tremble.game.protocol import CHANCE
from tremble.judge.audit import audit, perfect_information
from tremble.judge.audit import player as of_player
from tremble.judge.audit.outlook import Outlook
from tremble.judge.audit.regret import Subgame, best_case
from tremble.run.clock import Clock
from tremble.solution.audit import Audit
from tremble.solution.claim import BeliefRow
from tremble.solvers.method import Run

Profile = tuple[BehaviorStrategy, BehaviorStrategy]
TINY = [
    *(f"random_tree:depth=4,observations=2,seed={seed}" for seed in range(4)),
    *(f"random_tree:depth=5,observations=1,seed={seed},sum=general" for seed in range(3)),
    *(f"random_tree:chance=true,depth=5,observations=2,seed={seed},sum=general,utilities=iid" for seed in range(3)),
]


def profile_of(tree: GameTree, *rows: Sequence[Sequence[F | int]]) -> Profile:
    one, two = (BehaviorStrategy.from_rows(tree, player, row) for player, row in enumerate(rows))
    return one, two


def uniform(tree: GameTree) -> Profile:
    return BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)


def random_profile(tree: GameTree, seed: int) -> Profile:
    """Sparse rows, so that much is off the path."""
    rng = random.Random(seed)

    def row(count: int) -> list[F]:
        weights = [rng.choice((0, 0, 1, 2)) for _ in range(count)]
        weights[rng.randrange(count)] += not any(weights)
        return [F(w, sum(weights)) for w in weights]

    return profile_of(tree, *([row(len(labels)) for labels in sets] for sets in tree.actions))


def facts(found: Audit) -> list[tuple[int, int, str, str | None, str, F]]:
    return [(b.player + 1, b.infoset + 1, b.kind, b.action, b.better, b.loss) for b in found.blunders]


# -- known games ---------------------------------------------------------------------------------


def test_guess_the_ace() -> None:
    tree = tremble.load("guess_the_ace")
    found = tremble.audit(tree, profile_of(tree, [[1, 0]], [[1, 0]]))
    assert found.gains == (0, 0)
    # A guess of yes pays 1000/52, one of no 51000/52; only player 2's own question is open.
    assert facts(found) == [(2, 1, "unsupported", "yes", "no", F(50000, 52))]
    assert not found.blunders[0].on_path
    assert not found.clean
    assert tremble.audit(tree, profile_of(tree, [[1, 0]], [[0, 1]])).clean
    half = tremble.audit(tree, profile_of(tree, [[1, 0]], [[F(1, 4), F(3, 4)]])).blunders[0]
    assert (half.probability, half.amount) == (F(1, 4), F(12500, 52))


def test_guess_the_ace_with_a_gift() -> None:
    tree = tremble.load("guess_the_ace:gift=true")
    give, keep = [1, 0], [0, 1]
    found = tremble.audit(tree, profile_of(tree, [[1, 0], give, give], [[0, 1]]))
    assert sorted(facts(found)) == [(1, 2, "unsupported", "give", "keep", 1000), (1, 3, "regret", "give", "keep", 1000)]
    assert found.gains == (0, 0)
    assert found.off_path == (1000, 0)
    assert tremble.audit(tree, profile_of(tree, [[1, 0], keep, keep], [[0, 1]])).clean


def test_safe_or_risky() -> None:
    tree = tremble.load("safe_or_risky")
    careful, mistake = [1, 0], [0, 1]
    assert tremble.audit(tree, profile_of(tree, [[0, 1], careful], [])).clean  # quasi-perfect, not perfect
    found = tremble.audit(tree, profile_of(tree, [[1, 0], mistake], []))
    assert facts(found) == [(1, 2, "regret", "mistake", "careful", 1)]
    assert not found.blunders[0].on_path
    on_path = tremble.audit(tree, profile_of(tree, [[0, 1], mistake], [])).blunders
    assert [(b.infoset, b.on_path) for b in on_path] == [(1, True)]  # going there is no mistake of its own


@pytest.mark.sample(5)
@pytest.mark.parametrize("spec", ["kuhn", "leduc:raises=1,ranks=2", "double_oracle_example", *TINY])
def test_regrets_on_the_path_sum_to_what_a_best_response_gains(spec: str) -> None:
    tree = tremble.load(spec)
    for profile in (uniform(tree), random_profile(tree, 1), random_profile(tree, 2)):
        found = tremble.audit(tree, profile)
        values = tremble.expected_values(tree, profile)
        assert found.values == values
        for player in (0, 1):
            gain = tremble.best_response(tree, profile, player)[0] - values[player]
            mine = [b for b in found.blunders if b.player == player and b.kind == "regret"]
            assert gain == found.gains[player] == sum(b.own_reach * b.other_reach * b.amount for b in mine)
            assert found.off_path[player] == sum(b.other_reach * b.amount for b in mine if not b.own_reach)


def test_kuhn_is_clean_for_some_equilibria_only() -> None:
    from hand_made import kuhn, kuhn_equilibrium

    tree = kuhn()
    assert tremble.audit(tree, kuhn_equilibrium(tree, F(1, 6))).clean
    assert tremble.audit(tree, kuhn_equilibrium(tree, F(0))).clean


def test_a_mixture_may_be_dominated_though_no_action_is() -> None:
    builder = tremble.TreeBuilder(title="left, right, or two thirds of both")
    builder.decision(0, "", ("left", "right", "safe"))
    for payoffs in ((3, 0), (0, 3), (2, 2)):
        builder.decision(1, "", ("l", "r"))
        for payoff in payoffs:
            builder.leaf(payoff, 0)
    tree = builder.finish()
    found = tremble.audit(tree, profile_of(tree, [[F(1, 2), F(1, 2), 0]], [[1, 0]]))
    assert facts(found) == [(1, 1, "regret", "right", "left", 3)]
    # Against l and r alike neither is a mistake in sight, and the mixture is one.
    stay = tremble.TreeBuilder(title="the same, if player 2 does not stay away")
    stay.decision(1, "come?", ("stay", "come"))
    stay.leaf(0, 0)
    stay.decision(1, "side", ("l", "r"))
    for side in (0, 1):
        stay.decision(0, "", ("left", "right", "safe"))
        for payoffs in ((3, 0), (0, 3), (2, 2)):
            stay.leaf(payoffs[side], 0)
    tree = stay.finish()
    found = tremble.audit(tree, profile_of(tree, [[F(1, 2), F(1, 2), 0]], [[1, 0], [1, 0]]))
    assert facts(found) == [(1, 1, "dominated", None, "safe", F(1, 2))]


def test_floats_are_audited_too() -> None:
    tree = tremble.load("kuhn")
    exact = random_profile(tree, 3)
    close = tremble.audit(tree, [s.as_float() for s in exact])
    assert [b.action for b in close.blunders if b.kind == "regret"] == [
        b.action for b in tremble.audit(tree, exact).blunders if b.kind == "regret"
    ]


def test_refusals() -> None:
    forgetful = tremble.load("a_loss_counterexample")
    with pytest.raises(ImperfectRecallError):
        tremble.audit(forgetful, uniform(forgetful))
    kuhn = tremble.load("kuhn")
    with pytest.raises(tremble.GameError, match="does not have"):
        tremble.audit(kuhn, uniform(tremble.load("matching_pennies")))
    with pytest.raises(SpecError, match="positive"):
        tremble.audit(kuhn, uniform(kuhn), time_limit=0)


def test_what_chance_never_deals_is_skipped() -> None:
    builder = tremble.TreeBuilder(title="a card that is not in the deck")
    builder.chance(("joker", "queen"), [F(0), F(1)])
    for card in ("joker", "queen"):
        builder.decision(0, card, ("good", "bad"))
        builder.leaf(1, -1)
        builder.leaf(0, 0)
    tree = builder.finish()
    found = tremble.audit(tree, profile_of(tree, [[0, 1], [1, 0]], []))
    assert found.clean
    assert found.never_dealt == 1


# -- oracles -------------------------------------------------------------------------------------


MOST = 300


def moves(tree: GameTree, n: int) -> tuple[list[tuple[int, int, int]], float]:
    """The players' moves (mover, set, action) on the path to a node, and chance's probability."""
    path, chance = [], 1.0
    while n:
        above, a = int(tree.parent[n]), int(tree.action[n])
        mover, where = int(tree.player[above]), int(tree.infoset[above])
        if mover == CHANCE:
            chance *= float(tree.chance_tables[where].probabilities[a])
        else:
            path.insert(0, (mover, where, a))
        n = above
    return path, chance


class Normal:
    """Own pure continuations from one set against the rival's pure strategies, by enumeration."""

    def __init__(self, tree: GameTree, player: int, k: int) -> None:
        self.k = k
        self.leaves: list[tuple[list[tuple[int, int]], np.ndarray]] = []
        rivals = tree.actions[1 - player]
        self.small = math.prod(map(len, rivals)) <= MOST
        if not self.small:
            return
        strategies = list(itertools.product(*(range(len(labels)) for labels in rivals)))

        def played(path: list[tuple[int, int, int]]) -> np.ndarray:
            """By each pure strategy of the rival: 1 or 0."""
            return np.array([float(all(y[j] == a for m, j, a in path if m != player)) for y in strategies])

        self.reach = np.zeros(len(strategies))
        for n in np.flatnonzero((tree.player == player) & (tree.infoset == k)).tolist():
            path, chance = moves(tree, n)
            self.reach += chance * played(path)
        own = {k}
        for row, z in enumerate(tree.leaves.tolist()):
            path, chance = moves(tree, z)
            mine = [(j, a) for m, j, a in path if m == player]
            first = next((i for i, (j, _) in enumerate(mine) if j == k), None)
            if first is not None:
                own.update(j for j, _ in mine[first:])
                self.leaves.append((mine[first:], chance * float(tree.payoff_at(row)[player]) * played(path)))
        self.sets = sorted(own)
        choices = [range(len(tree.actions[player][j])) for j in self.sets]
        self.small = math.prod(map(len, choices)) <= MOST
        if self.small:
            self.plans = [dict(zip(self.sets, choice, strict=True)) for choice in itertools.product(*choices)]
            self.pay = np.array([self.earn({j: np.eye(9)[a] for j, a in plan.items()}) for plan in self.plans])

    def earn(self, behavior: Mapping[int, Sequence[float] | np.ndarray]) -> np.ndarray:
        """Against each pure strategy of the rival."""
        total = np.zeros(len(self.reach))
        for mine, against in self.leaves:
            total += np.prod([behavior[j][a] for j, a in mine]) * against
        return total

    def dominated(self, behavior: dict[int, list[float]]) -> float:
        """The greatest gain against uniform play of a mixed continuation that is never worse."""
        x = self.earn(behavior)
        done = linprog(
            -self.pay.mean(axis=1), A_ub=-self.pay.T, b_ub=-x + 1e-9, A_eq=np.ones((1, len(self.pay))), b_eq=[1]
        )
        return float((-done.fun - x.mean()) / self.reach.mean())

    def never_right(self, a: int) -> float:
        """The least, over continuations after the action, of what a mixture gains against every strategy."""
        least = np.inf
        for plan, x in zip(self.plans, self.pay, strict=True):
            if plan[self.k] != a:
                continue
            n = len(self.pay)
            rows = np.column_stack((-self.pay.T, self.reach))
            done = linprog(
                [*[0] * n, -1], A_ub=rows, b_ub=-x, A_eq=[[*[1] * n, 0]], b_eq=[1], bounds=[*[(0, 1)] * n, (None, None)]
            )
            least = min(least, -done.fun)
        return float(least)


@pytest.mark.sample(4)
@pytest.mark.parametrize("spec", TINY)
def test_both_programs_against_enumeration(spec: str) -> None:
    tree = tremble.load(spec)
    rng = random.Random(spec)
    profile = random_profile(tree, 7)
    for player in (0, 1):
        outlook = Outlook.of(tree, player)
        mixed = BehaviorStrategy.uniform(tree, 1 - player).to_realization_plan().weight
        for k in rng.sample(range(len(outlook.side.parent)), min(4, len(outlook.side.parent))):
            oracle = Normal(tree, player, k)
            if not oracle.small:
                continue
            below = Subgame(outlook, k)
            for a, s in enumerate(outlook.side.sequences(k)):
                rows = {j: profile[player].row(j) for j in oracle.sets} | {
                    k: [F(b == a) for b in range(len(outlook.side.sequences(k)))]
                }
                x: dict[int, F] = {}
                for j in below.sets:
                    reach = F(1) if j == k else x.get(outlook.side.parent[j], F(0))
                    x |= {t: reach * p for t, p in zip(outlook.side.sequences(j), rows[j], strict=True) if reach * p}
                amount = below.dominated(*below.worth(x), mixed, Run(Clock(None))).amount
                behavior = {j: [float(p) for p in row] for j, row in rows.items()}
                assert float(amount) == pytest.approx(oracle.dominated(behavior), abs=1e-5)
                least = best_case(below, s, x, Run(Clock(None)))
                assert least is not None
                assert float(least.amount) == pytest.approx(max(0.0, oracle.never_right(a)), abs=1e-5)


@pytest.mark.sample(4)
@pytest.mark.parametrize("spec", TINY)
def test_where_nothing_is_found_nothing_is_dominated(spec: str) -> None:
    tree = tremble.load(spec)
    for seed in range(3):
        profile = random_profile(tree, seed)
        found = tremble.audit(tree, profile)
        for player in (0, 1):
            bad = {b.infoset for b in found.blunders if b.player == player}
            for k in range(tree.num_infosets[player]):
                oracle = Normal(tree, player, k)
                if oracle.small and not bad & set(oracle.sets):
                    behavior = {j: [float(p) for p in profile[player].row(j)] for j in oracle.sets}
                    assert oracle.dominated(behavior) == pytest.approx(0, abs=1e-5)


# -- perfect information ---------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Chain:
    """Players take turns; whoever stops ends the game."""

    payoffs: tuple[tuple[int, int], ...]

    def root(self) -> int:
        return 0

    def player(self, h: int) -> int:
        return tremble.TERMINAL if h < 0 or h == len(self.payoffs) - 1 else h % 2

    def actions(self, h: int) -> tuple[str, str]:
        return "stop", "go"

    def chance(self, h: int) -> list[F]:
        raise AssertionError

    def child(self, h: int, i: int) -> int:
        return h + 1 if i else -(h + 1)

    def infoset(self, h: int) -> int:
        return h

    def payoff(self, h: int) -> tuple[int, int]:
        return self.payoffs[-h - 1 if h < 0 else h]


@dataclasses.dataclass(frozen=True)
class Bush:
    """A random tree without hidden moves."""

    seed: int

    def root(self) -> tuple[int, ...]:
        return ()

    def _draw(self, h: tuple[int, ...]) -> random.Random:
        return random.Random(f"{self.seed} {h}")

    def player(self, h: tuple[int, ...]) -> int:
        if len(h) == 4 or (h and self._draw(h).random() < 0.25):
            return tremble.TERMINAL
        return self._draw(h).choice([0, 1, 0, 1, tremble.CHANCE])

    def actions(self, h: tuple[int, ...]) -> tuple[str, ...]:
        return ("a", "b", "c")[: self._draw(h).choice([2, 2, 3])]

    def chance(self, h: tuple[int, ...]) -> list[F]:
        first = F(self._draw(h).choice([0, 1, 1]), 4)  # which may be zero
        others = len(self.actions(h)) - 1
        return [first, *[(1 - first) / others] * others]

    def child(self, h: tuple[int, ...], i: int) -> tuple[int, ...]:
        return (*h, i)

    def infoset(self, h: tuple[int, ...]) -> tuple[int, ...]:
        return h

    def payoff(self, h: tuple[int, ...]) -> tuple[int, int]:
        rng = self._draw(h)
        return rng.randint(0, 3), rng.randint(0, 3)


def random_chain(moves: int, seed: int, most: int = 3) -> Chain:
    rng = random.Random(seed)
    return Chain(tuple((rng.randint(0, most), rng.randint(0, most)) for _ in range(moves + 1)))


@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", range(40))
def test_passes_and_programs_find_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tremble.build(Bush(seed) if seed % 2 else random_chain(12, seed))
    profile = random_profile(tree, seed)
    monkeypatch.setattr(perfect_information, "_SMALL", 0)
    passes = audit(tree, profile)
    none = SimpleNamespace(nodes={}, continued=lambda _rows: None)
    monkeypatch.setattr(of_player, "PerfectInformation", lambda *_: none)
    programs = audit(tree, profile)
    # Among equally good actions to play instead, they may choose differently.
    one, two = (sorted((*row[:3], row[3] or "", row[5]) for row in facts(found)) for found in (passes, programs))
    assert one == two
    assert (passes.unexamined, passes.undecided) == (programs.unexamined, programs.undecided) == (0, 0)


@pytest.mark.parametrize("moves", [1_000, 4_000])
def test_long_chains_without_surprises(moves: int) -> None:
    """Each of 500 sets had a linear program over everything below it, which did not end in a minute."""
    # A centipede: the pot grows; whoever stops takes the larger part.
    tree = tremble.build(Chain(tuple((i // 2 + 2 * (i % 2 == 0), i // 2 + 2 * (i % 2)) for i in range(moves + 1))))
    stop, go = ([BehaviorStrategy.from_rows(tree, p, [row] * (moves // 2)) for p in (0, 1)] for row in ([1, 0], [0, 1]))
    cooperative = audit(tree, go, time_limit=300)
    assert (cooperative.stopped, cooperative.unexamined) == (None, 0)
    # Both go on to the end: only the last one to move could earn more.
    assert facts(cooperative) == [(2, moves // 2, "regret", "go", "stop", F(1))]
    assert cooperative.gains == (0, 1)
    assert audit(tree, stop, time_limit=300).clean  # the subgame perfect equilibrium
    mixed = audit(tree, uniform(tree), time_limit=300)
    assert (mixed.stopped, mixed.unexamined) == (None, 0)


def later_choice(after: Sequence[Sequence[tuple[int, int]]], other: int) -> GameTree:
    """Player 2 may come, and chooses a side; player 1, unaware of it, takes ``other`` or a draw and a choice there."""
    builder = tremble.TreeBuilder(title="a choice after a draw")
    builder.decision(1, "come?", ("stay", "come"))
    builder.leaf(0, 0)
    builder.decision(1, "side", ("l", "r"))
    for side in (0, 1):
        builder.decision(0, "first", ("draw", "other"))
        builder.chance([f"card {i}" for i in range(len(after))], [F(1, len(after))] * len(after))
        for i, choices in enumerate(after):
            builder.decision(0, f"card {i}", [f"choice {c}" for c in range(len(choices))])
            for payoffs in choices:
                builder.leaf(payoffs[side], 0)
        builder.leaf(other, 0)
    return builder.finish()


STAY = [[1, 0], [F(1, 2), F(1, 2)]]


def test_the_best_continuation_counts() -> None:
    # A draw pays (10, 2) / 2 or (2, 10) / 2 at best: 6 on either side, less on a mixture of both.
    tree = later_choice([[(10, 0), (0, 2)], [(0, 10), (2, 0)]], other=7)
    second = [0, 1]
    found = tremble.audit(tree, profile_of(tree, [[1, 0], second, second], STAY))
    assert facts(found) == [(1, 1, "unsupported", "draw", "other", 1)]
    outlook = Outlook.of(tree, 0)
    below = Subgame(outlook, 0)
    draw = outlook.side.start[0]
    x = {draw: F(1), outlook.side.start[1] + 1: F(1), outlook.side.start[2] + 1: F(1)}
    assert below.least(*below.worth(x), Run(Clock(None))).amount > 1
    cut = best_case(below, draw, x, Run(Clock(None)), most_programs=1)
    assert cut is None
    # With 6 the draw is right if one side is certain, and the choices are right there, too.
    tree = later_choice([[(10, 0), (0, 2)], [(0, 10), (2, 0)]], other=6)
    assert tremble.audit(tree, profile_of(tree, [[1, 0], [1, 0], second], STAY)).blunders[0].kind == "dominated"


def test_mistakes_count_where_they_are_made() -> None:
    tree = later_choice([[(0, 0), (3, 1)]], other=2)
    found = tremble.audit(tree, profile_of(tree, [[1, 0], [1, 0]], STAY))
    assert facts(found) == [(1, 2, "unsupported", "choice 0", "choice 1", 1)]
    assert tremble.audit(tree, profile_of(tree, [[1, 0], [0, 1]], STAY)).clean


# -- general sum ---------------------------------------------------------------------------------


GENERAL = [
    *(f"random_tree:branching=2,depth=4,observations=2,seed={seed},sum=general" for seed in range(6)),
    *(f"random_tree:branching=2,chance=true,depth=5,seed={seed},sum=general,utilities=iid" for seed in range(6)),
]


def way(tree: GameTree, node: int, others: BehaviorStrategy) -> tuple[list[tuple[int, int]], F]:
    """A player's own moves (set, action) to a node, and how likely chance and the other make theirs."""
    own: list[tuple[int, int]] = []
    likely = F(1)
    while node:
        above, a = int(tree.parent[node]), int(tree.action[node])
        mover, k = int(tree.player[above]), int(tree.infoset[above])
        if mover == CHANCE:
            likely *= tree.chance_tables[k].probabilities[a]
        elif mover == others.player:
            likely *= F(others.row(k)[a])
        else:
            own.insert(0, (k, a))
        node = above
    return own, likely


def losses(tree: GameTree, player: int, others: BehaviorStrategy) -> dict[tuple[int, str], F]:
    """What each action loses where chance and the other come, all plans tried, leaf by leaf."""
    sets = tree.actions[player]
    leaves = [
        (own, likely * tree.payoff_at(row)[player])
        for row, leaf in enumerate(tree.leaves.tolist())
        for own, likely in [way(tree, leaf, others)]
    ]
    lost = {}
    for k, labels in enumerate(sets):
        nodes = np.flatnonzero((tree.player == player) & (tree.infoset == k)).tolist()
        reach = sum(way(tree, node, others)[1] for node in nodes)
        if not reach:
            continue
        best: dict[int, F] = {}
        for plan in itertools.product(*(range(len(actions)) for actions in sets)):
            earned = F(0)
            for own, paid in leaves:
                met = [j for j, _ in own]
                if k in met and all(plan[j] == a for j, a in own[met.index(k) :]):
                    earned += paid
            best[plan[k]] = max(earned, best.get(plan[k], earned))
        lost |= {(k, label): (max(best.values()) - best[a]) / reach for a, label in enumerate(labels)}
    return lost


@pytest.mark.sample(5)
@pytest.mark.parametrize("spec", GENERAL)
def test_losses_in_general_sum_games_against_all_plans(spec: str) -> None:
    tree = tremble.load(spec)
    for profile in (uniform(tree), random_profile(tree, 7)):
        found = tremble.audit(tree, profile).blunders
        for player in (0, 1):
            played = {
                (k, label): amount
                for (k, label), amount in losses(tree, player, profile[1 - player]).items()
                if amount and profile[player].probability(k, label)
            }
            assert played == {(b.infoset, b.action): b.loss for b in found if (b.player, b.kind) == (player, "regret")}


@pytest.mark.sample(4)
@pytest.mark.parametrize("spec", [*GENERAL[:3], *GENERAL[6:8], "mertens", "beer_quiche", "kuhn"])
def test_whether_the_other_gains_by_a_blunder_makes_no_difference(spec: str) -> None:
    """The payoffs of one player are changed; what is found of the other stays."""
    tree = tremble.load(spec)
    rng = random.Random(spec)
    for player in (0, 1):
        payoff = tree.payoff.copy()
        payoff[:, 1 - player] = [rng.randint(-9, 9) for _ in range(tree.num_leaves)]
        changed = dataclasses.replace(tree, payoff=payoff)
        for seed in (1, 2):
            before = tremble.audit(tree, random_profile(tree, seed))
            after = tremble.audit(changed, random_profile(changed, seed))
            one, two = ([b for b in found.blunders if b.player == player] for found in (before, after))
            assert one == two
            assert (before.gains[player], before.off_path[player]) == (after.gains[player], after.off_path[player])


# -- refinements ---------------------------------------------------------------------------------

REFINED = [
    "guess_the_ace",
    "guess_the_ace:gift=true",
    "safe_or_risky",
    "kuhn",
    "kuhn_raise",
    "leduc:raises=1,ranks=2",
    "leduc",
    *(f"random_tree:depth=6,observations=2,seed={seed}" for seed in range(4)),
    *(f"random_tree:chance=true,depth=6,observations=2,seed={seed}" for seed in range(4)),
    "goofspiel:order=increasing",
]


@pytest.mark.sample(6)
@pytest.mark.parametrize("spec", REFINED)
def test_nothing_is_found_at_a_quasi_perfect_equilibrium(spec: str) -> None:
    from tremble.solution.concepts import CONCEPTS

    if "quasi-perfect" not in CONCEPTS:
        pytest.skip("not built yet")
    tree = tremble.load(spec)
    found = tremble.audit(tree, tremble.solve(tree, "quasi-perfect").strategies)
    assert found.clean, facts(found)


@pytest.mark.parametrize("spec", ["kuhn", "guess_the_ace:gift=true", TINY[0], TINY[-1].replace("general", "zero")])
def test_beliefs_of_a_sequential_equilibrium_are_right(spec: str) -> None:
    from tremble.solution.concepts import CONCEPTS

    if "sequential" not in CONCEPTS:
        pytest.skip("not built yet")
    tree = tremble.load(spec)
    solution = tremble.solve(tree, "sequential")
    assert solution.beliefs is not None
    assert tremble.audit(tree, solution.strategies, beliefs=solution.beliefs).clean


def test_beliefs_of_a_solution_are_checked_wherever_it_stands(tmp_path: Path) -> None:
    tree = tremble.load("beer_quiche")
    solution = tremble.solve(tree, "sequential")
    assert solution.beliefs is not None
    first, *others = solution.beliefs[1]
    (strong, _), (weak, _) = first.nodes
    row = replace(first, nodes=((strong, F(1, 7)), (weak, F(6, 7))))
    wrong = replace(solution, beliefs=(solution.beliefs[0], (row, *others)))
    wrong.to_json(tmp_path / "wrong.json")
    found = tremble.audit(tree, wrong)
    assert found.wrong_beliefs
    assert tremble.audit(tree, tmp_path / "wrong.json").wrong_beliefs == found.wrong_beliefs


# -- beliefs -------------------------------------------------------------------------------------


def beliefs_of(tree: GameTree, shares: Sequence[F]) -> tuple[tuple[BeliefRow, ...], tuple[BeliefRow, ...]]:
    """Of player 2's first set."""
    nodes = [n for n in range(tree.num_nodes) if tree.player[n] == 1 and tree.infoset[n] == 0]
    return (), (BeliefRow(0, tuple((tree.path(n), p) for n, p in zip(nodes, shares, strict=True))),)


@pytest.mark.parametrize("offer", [F(0), F(1, 2)])
def test_beliefs(offer: F) -> None:
    tree = tremble.load("guess_the_ace")
    profile = profile_of(tree, [[1 - offer, offer]], [[0, 1]])
    assert not audit(tree, profile, beliefs=beliefs_of(tree, [F(1, 52), F(51, 52)])).wrong_beliefs
    (wrong,) = audit(tree, profile, beliefs=beliefs_of(tree, [F(1, 2), F(1, 2)])).wrong_beliefs
    assert (wrong.player, wrong.infoset) == (1, 0)
    assert [(stated, right) for _, stated, right in wrong.nodes] == [(F(1, 2), F(1, 52)), (F(1, 2), F(51, 52))]


def test_beliefs_prefer_fewer_trembles() -> None:
    builder = tremble.TreeBuilder(title="one tremble or two")
    builder.decision(0, "first", ("stop", "a", "b"))
    builder.leaf(1, 0)
    builder.decision(1, "", ("x", "y"))
    builder.leaf(0, 0)
    builder.leaf(0, 1)
    builder.decision(0, "second", ("stop", "on"))
    builder.leaf(0, 0)
    builder.decision(1, "", ("x", "y"))
    builder.leaf(0, 1)
    builder.leaf(0, 0)
    tree = builder.finish()
    paths = [tree.path(n) for n in range(tree.num_nodes) if tree.player[n] == 1]

    def nodes(twice: list[F | int], on: int) -> list[F | None]:
        profile = profile_of(tree, [[1, 0, 0], [1 - on, on]], [[1, 0]])
        row = BeliefRow(0, tuple(zip(paths, map(F, twice), strict=True)))
        return [right for w in audit(tree, profile, beliefs=((), (row,))).wrong_beliefs for _, _, right in w.nodes]

    assert nodes([F(1, 3), F(2, 3)], on=1) == []  # one tremble each: any proportion
    assert nodes([F(1, 3), F(1, 3)], on=1) == [F(1, 2), F(1, 2)]
    assert nodes([0, 0], on=1) == [None, None]
    assert nodes([1, 0], on=0) == []  # b needs one tremble, then on another; a needs another one alone
    assert nodes([0, 1], on=0) == []


# -- the command ---------------------------------------------------------------------------------


def write(path: Path, tree: GameTree, profile: Profile) -> Path:
    rows = [
        [
            {"infoset": k + 1, "actions": [[a, str(p)] for a, p in zip(s.actions[k], s.row(k), strict=True)]}
            for k in range(len(s))
        ]
        for s in profile
    ]
    path.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": rows}))
    return path


@pytest.fixture
def yes(tmp_path: Path) -> Path:
    tree = tremble.load("guess_the_ace")
    return write(tmp_path / "yes.json", tree, profile_of(tree, [[1, 0]], [[1, 0]]))


def test_the_command(yes: Path) -> None:
    record = json.loads(run("audit", "guess_the_ace", yes, "--format", "json").stdout)
    (blunder,) = record["blunders"]
    assert (blunder["player"], blunder["infoset"], blunder["kind"], blunder["amount"]) == (
        2,
        1,
        "unsupported",
        "12500/13",
    )
    assert record["gains"] == ["0", "0"]
    assert record["complete"]
    assert record["information_sets"] == 2
    (row,) = csv.DictReader(io.StringIO(run("audit", "guess_the_ace", yes, "--format", "csv").stdout))
    assert (row["action"], row["better"], row["on_path"]) == ("yes", "no", "False")
    shown = run("audit", "guess_the_ace", yes)
    assert shown.exit_code == 0
    assert "961.5385" in shown.stdout
    assert "off the path" in shown.stdout


def test_the_command_checks_beliefs(tmp_path: Path) -> None:
    solution = json.loads(run("solve", "guess_the_ace", "--format", "json").stdout)
    nodes = [[["ace of spades", "offer"], "1/2"], [["another card", "offer"], "1/2"]]
    solution["beliefs"] = [[], [{"infoset": 1, "nodes": nodes}]]
    path = tmp_path / "beliefs.json"
    path.write_text(json.dumps(solution))
    record = json.loads(run("audit", "guess_the_ace", path, "--format", "json").stdout)
    assert [node["right"] for node in record["beliefs"][0]["nodes"]] == ["1/52", "51/52"]
    rows = list(csv.DictReader(io.StringIO(run("audit", "guess_the_ace", path, "--format", "csv").stdout)))
    assert [row["better"] for row in rows if row["kind"] == "belief"] == ["1/52", "51/52"]
    assert "the belief is wrong" in run("audit", "guess_the_ace", path).stdout


def test_many_blunders_are_cut_short_in_the_table(tmp_path: Path) -> None:
    tree = tremble.load("leduc:raises=1,ranks=2")
    path = write(tmp_path / "uniform.json", tree, uniform(tree))
    shown = run("audit", "leduc:raises=1,ranks=2", path).stdout
    count = len(json.loads(run("audit", "leduc:raises=1,ranks=2", path, "--format", "json").stdout)["blunders"])
    assert f"… {count - 20} more" in shown


def test_limits(tmp_path: Path) -> None:
    tree = tremble.load("leduc")
    path = write(tmp_path / "uniform.json", tree, uniform(tree))
    stopped = run("audit", "leduc", path, "--time-limit", "1e-9", "--format", "json")
    assert stopped.exit_code == 5
    record = json.loads(stopped.stdout)
    assert not record["complete"]
    assert record["unexamined"] > 0
    assert {b["kind"] for b in record["blunders"]} == {"regret"}
    assert run("audit", "leduc", path, "--time-limit", "0").exit_code == 2

    def interrupt(_step: str, fraction: float | None) -> None:
        if fraction is not None:
            raise KeyboardInterrupt

    found = tremble.audit(tree, uniform(tree), progress=interrupt)
    assert found.stopped is not None
    assert found.stopped.interrupted
    assert not found.clean


# -- profiles from elsewhere ---------------------------------------------------------------------


def test_a_profile_of_gambit(gambit: Gambit) -> None:
    tree = tremble.load("guess_the_ace:gift=true")
    numbers = map(F, gambit.ask(complementary_pivots, format_efg(tree), True))
    rows = [[list(islice(numbers, len(actions))) for actions in sets] for sets in tree.actions]
    found = tremble.audit(tree, profile_of(tree, *rows))
    assert found.gains == (0, 0)
    assert all(not b.on_path for b in found.blunders)


def test_a_policy_of_openspiel() -> None:
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import cfr

    tree = tremble.load("openspiel:kuhn_poker")
    import pyspiel

    solver = cfr.CFRSolver(pyspiel.load_game("kuhn_poker"))
    for _ in range(20):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    rows = []
    for labels in tree.infoset_labels:
        table = [policy.action_probability_array[policy.state_lookup[label]].tolist() for label in labels]
        rows.append([p for row in table for p in row])
    profile = [BehaviorStrategy.from_floats(tree, i, np.array(rows[i])) for i in (0, 1)]
    found = tremble.audit(tree, profile)
    assert sum(found.gains) == pytest.approx(tremble.nash_conv(tree, profile))
    assert found.blunders
