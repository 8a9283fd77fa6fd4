"""Which mistakes support a profile: against brute force, and each answer against its own definition."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path

import pytest

import tremble
from assessments import Form, maximum, plus
from hand_made import random_game, random_profile
from second_opinions import chance_to, last_sequence, moves
from tremble import TERMINAL, BehaviorStrategy, GameTree, TreeBuilder, verify
from tremble.errors import TooLargeError
from tremble.game.requirements import parent_sequence
from tremble.games.parameters import names
from tremble.judge.certify import certification
from tremble.judge.certify.mistakes import supporting_mistakes
from tremble.run.clock import Clock
from tremble.solution.basis_certificate import MistakesRefutation
from tremble.solution.certification import Verdict
from tremble.solution.trembling_plan import TremblingPlan
from tremble.solvers.method import Run
from tremble.strategies import Trembles

Profile = tuple[BehaviorStrategy, BehaviorStrategy]

TINY = F(1, 2**40)


def shares(profile: Profile, player: int) -> list[F]:
    """Of every sequence: the probability of its last move."""
    return [F(1), *(F(p) for row in profile[player] for p in row)]


def losses(tree: GameTree, profile: Profile, judged: int) -> dict[tuple[int, int], tuple[Form, Form]]:
    """At every set, for every action: what it loses against the strategy, and the reach of the set, as forms in y."""
    err = 1 - judged

    @cache
    def worth(node: int) -> dict[int, F]:
        if tree.player[node] == TERMINAL:
            payoff = F(int(tree.payoff[node_of_leaf[node], judged]), tree.payoff_denominator)
            return {last_sequence(tree, err, node): chance_to(tree, node) * payoff}
        children = range(int(tree.first_child[node]), int(tree.first_child[node] + tree.num_children[node]))
        if tree.player[node] == judged:
            row = profile[judged].row(int(tree.infoset[node]))
            return plus(*((F(p), worth(c)) for p, c in zip(row, children, strict=True)))
        return plus(*((1, worth(c)) for c in children))

    node_of_leaf = {int(leaf): i for i, leaf in enumerate(tree.leaves)}
    found: dict[tuple[int, int], tuple[Form, Form]] = {}
    for k, labels in enumerate(tree.actions[judged]):
        nodes = [n for n in range(tree.num_nodes) if tree.player[n] == judged and tree.infoset[n] == k]
        reach = plus(*((1, {last_sequence(tree, err, n): chance_to(tree, n)}) for n in nodes))
        for a in range(len(labels)):
            terms = [term for n in nodes for term in ((1, worth(n)), (-1, worth(int(tree.first_child[n]) + a)))]
            found[k, a] = plus(*terms), reach
    return found


def supported_at(tree: GameTree, profile: Profile, player: int, sequential: bool, delta: F) -> bool:
    """Whether completely mixed plans as near as that support what the other does: a linear program, exactly."""
    share = shares(profile, player)
    constraints: list[tuple[Form, Form]] = [({"t": F(1)}, {None: F(1)})]
    for _, prior, sequences in moves(tree, player):
        inside = {q: F(1) for q in sequences}
        constraints += [(inside, {prior: F(1)}), ({prior: F(1)}, inside)]
        for q in sequences:
            gap = plus((1, {q: F(1)}), (-share[q], {prior: F(1)}))
            constraints += [(gap, {prior: delta}), (plus((-1, gap)), {prior: delta})]
    constraints += [({"t": F(1)}, {q: F(1)}) for q in range(len(share))]
    most = max((abs(F(int(u), tree.payoff_denominator)) for u in tree.payoff[:, 1 - player]), default=F(0))
    for loss, reach in losses(tree, profile, 1 - player).values():
        constraints.append((plus((-1, loss)), plus((2 * most * delta, reach)) if sequential else {}))
    names = {key: str(key) for left, right in constraints for key in (*left, *right) if key is not None}
    renamed = [tuple({k if k is None else names[k]: v for k, v in f.items()} for f in pair) for pair in constraints]
    return maximum({"t": F(1)}, renamed) > 0  # type: ignore[arg-type]


def require_supports(tree: GameTree, profile: Profile, plan: TremblingPlan, sequential: bool) -> None:
    """The definition, of polynomials: flow, limits, completely mixed, and the other's play is best."""
    columns = [tuple(F(int(c), plan.denominator) for c in column) for column in plan.coefficient.T]
    share, width = shares(profile, plan.player), len(plan.coefficient)
    zero = (F(0),) * width
    assert columns[0] == (F(1), *zero[1:])
    assert all(column > zero for column in columns)
    for _, prior, sequences in moves(tree, plan.player):
        assert tuple(map(sum, zip(*(columns[q] for q in sequences), strict=True))) == columns[prior]
        lowest = next(d for d in range(width) if columns[prior][d])
        assert all(not any(columns[q][:lowest]) for q in sequences)
        assert all(columns[q][lowest] == share[q] * columns[prior][lowest] for q in sequences)

    def value(form: Form) -> tuple[F, ...]:
        return tuple(sum((v * columns[q][d] for q, v in form.items()), F(0)) for d in range(width))

    for (k, a), (loss, reach) in losses(tree, profile, 1 - plan.player).items():
        lost, comes = value(loss), value(reach)
        played = profile[1 - plan.player].row(k)[a] > 0
        if sequential:
            lowest = next((d for d in range(width) if comes[d]), None)
            assert lowest is None or not any(lost[:lowest])
            assert lowest is None or (lost[lowest] == 0 if played else lost[lowest] >= 0)
        else:
            assert lost == zero if played else lost >= zero


def require_refuted(tree: GameTree, profile: Profile, none: MistakesRefutation, sequential: bool) -> None:
    """The identity of the multipliers, sequence by sequence, from the leaves."""
    err, judged = none.player, 1 - none.player
    share, blocked = shares(profile, err), set(none.blocked)
    reached = set()
    for node in range(tree.num_nodes):
        if tree.player[node] == judged and chance_to(tree, node) and last_sequence(tree, err, node) not in blocked:
            reached.add(int(tree.infoset[node]))
    w = none.deviation
    for k, prior, sequences in moves(tree, judged):
        row = profile[judged].row(k)
        for q, p in zip(sequences, row, strict=True):
            if sequential:
                assert k not in reached or q not in w
                assert p or w.get(q, 0) >= 0
            else:
                assert p or (w.get(q, 0) > 0 if q in none.tight else q not in w)
        assert (k in reached and sequential) or sum(w.get(q, 0) for q in sequences) == w.get(prior, 0)
    total = [F(0)] * len(share)
    for i, leaf in enumerate(tree.leaves.tolist()):
        payoff = F(int(tree.payoff[i, judged]), tree.payoff_denominator)
        weight = w.get(last_sequence(tree, judged, leaf), 0)
        total[last_sequence(tree, err, leaf)] += weight * payoff * chance_to(tree, leaf)
    for k, prior, sequences in moves(tree, err):
        total[prior] -= none.flow.get(k, 0)
        for q in sequences:
            total[q] += none.flow.get(k, 0) - none.ratio.get(q, 0)
            total[prior] += share[q] * none.ratio.get(q, 0)
            assert q not in none.ratio or prior in blocked
    assert all(total[q] > 0 if q in blocked else total[q] == 0 for q in range(len(share)))
    assert blocked


def profiles(seed: int) -> Iterator[tuple[GameTree, Profile]]:
    """A random game with profiles of which some are refinements, some nearly, some not at all."""
    rng = random.Random(seed)
    tree = random_game(seed, rng.choice((3, 4, 4, 5)), zero_sum=rng.random() < 0.5)
    if tree.num_nodes > 120:
        return
    yield tree, random_profile(tree, seed)
    weights = Trembles.from_rows(tree, [[[rng.choice((1, 2, 7)) for _ in a] for a in sets] for sets in tree.actions])
    solution = tremble.solve(tree, concept="quasi-perfect", trembles=weights)
    yield tree, solution.profile(tree)
    nash = tremble.solve(tree).profile(tree)
    yield tree, nash
    for base in (nash, solution.profile(tree)):
        changed = []
        for strategy in base:
            rows = [list(map(F, row)) for row in strategy]
            for k, off in enumerate(strategy.marked().off_path.tolist()):
                if off and rng.random() < 0.5:
                    rows[k] = rng.sample(rows[k], len(rows[k]))
            changed.append(BehaviorStrategy.from_rows(tree, strategy.player, rows))
        yield tree, (changed[0], changed[1])


def signalling(seed: int) -> Iterator[tuple[GameTree, Profile]]:
    """A signalling game with pure equilibria: types, signals, replies; after one of these both move again.

    What the second player believes at its last sets is linked to what it believes at its first.
    """
    rng = random.Random(f"signals {seed}")
    builder = TreeBuilder()
    types, again = rng.choice((2, 2, 3)), rng.random() < 0.6
    weights = [rng.randint(1, 3) for _ in range(types)]

    def leaf() -> None:
        builder.leaf(rng.randint(-2, 2), rng.randint(-2, 2))

    builder.chance([f"type {i}" for i in range(types)], [F(w, sum(weights)) for w in weights])
    for i in range(types):
        builder.decision(0, (i,), ("left", "right", "out"))
        for signal in ("left", "right"):
            builder.decision(1, (signal,), ("yes", "no"))
            leaf()
            if again and signal == "left":
                builder.decision(0, (i, signal), ("up", "down"))
                for second in ("up", "down"):
                    builder.decision(1, (signal, second), ("yes", "no"))
                    leaf()
                    leaf()
            else:
                leaf()
        leaf()
    tree = builder.finish()
    found = 0
    for _ in range(300):
        one, two = (BehaviorStrategy.pure(tree, p, [rng.randrange(len(a)) for a in tree.actions[p]]) for p in (0, 1))
        if found < 4 and not tremble.nash_conv(tree, (one, two)):
            found += 1
            yield tree, (one, two)


def agree(cases: Iterable[tuple[GameTree, Profile]]) -> list[bool]:
    """Both verdicts on each profile, proven and checked; which of them were that it is of the concept."""
    found = []
    for tree, profile in cases:
        for concept in ("quasi-perfect", "sequential"):
            sequential = concept == "sequential"
            for player in (0, 1):
                answer = supporting_mistakes(tree, profile, player, sequential, Run(Clock(None)))
                if isinstance(answer, TremblingPlan):
                    require_supports(tree, profile, answer, sequential)
                else:
                    require_refuted(tree, profile, answer, sequential)
            supported = all(supported_at(tree, profile, player, sequential, TINY) for player in (0, 1))
            certified = certification(tree, profile, concept)
            assert certified.verdict is (Verdict.PROVEN if supported else Verdict.DISPROVEN), concept
            verification = verify(tree, certified.solution)
            assert verification.ok, verification.problems
            if supported:
                assert verification.proven == concept
            else:
                assert verification.disproven == concept
                assert certified.reasons
            found.append(supported)
    return found


def test_verdicts_agree_with_brute_force() -> None:
    found = [verdict for seed in (1, 3, 5, 14) for verdict in agree(profiles(seed))]
    assert found.count(True) > 10
    assert found.count(False) > 10
    signals = [verdict for seed in range(4) for verdict in agree(signalling(seed))]
    assert signals.count(True) > 5
    assert signals.count(False) > 5


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, *range(16, 316, 20)])
def test_many_verdicts_agree_with_brute_force(first: int) -> None:
    for family in (profiles, signalling):
        found = [verdict for seed in range(first, first + 20) for verdict in agree(family(seed))]
        assert found.count(True) > 20
        assert found.count(False) > 20


def one_sided(cases: Iterable[tuple[GameTree, Profile]]) -> list[bool]:
    """Verdicts on each profile and each player without mistakes, against the definition; which of them were yes."""
    found = []
    for tree, profile in cases:
        for faultless in (player for player in (0, 1) if tree.num_slots[player]):
            errs = 1 - faultless
            plan = [F(1), *[F(0)] * tree.num_slots[faultless]]
            for _, prior, sequences in moves(tree, faultless):
                for q in sequences:
                    plan[q] = plan[prior] * shares(profile, faultless)[q]
            lost = (loss for loss, _ in losses(tree, profile, errs).values())
            replies = all(sum((v * plan[q] for q, v in loss.items()), F(0)) >= 0 for loss in lost)
            truth = replies and supported_at(tree, profile, errs, False, TINY)
            ones = [[1] * len(actions) for actions in tree.actions[errs]]
            trembles = Trembles.from_rows(tree, [ones, "none"] if faultless else ["none", ones])
            certified = certification(tree, profile, "one-sided-quasi-perfect", trembles=trembles)
            assert certified.verdict is (Verdict.PROVEN if truth else Verdict.DISPROVEN)
            assert certified.subgame_perfect is None
            verification = verify(tree, certified.solution)
            assert verification.ok, verification.problems
            if truth:
                assert (verification.proven, verification.proven_player) == ("one-sided-quasi-perfect", faultless)
            elif tremble.nash_conv(tree, profile) == 0:
                assert verification.disproven == "one-sided-quasi-perfect"
                assert (verification.proven_player, verification.disproven_player) == (None, faultless)
                refutation = dict(certified.solution.refutation or {})
                assert refutation["player"] == errs + 1
                assert (refutation["kind"] == "reply") is not replies
            found.append(truth)
    return found


def test_one_sided_verdicts_agree_with_the_definition() -> None:
    found = [verdict for seed in (1, 3, 5, 14) for verdict in one_sided(profiles(seed))]
    found += [verdict for seed in range(4) for verdict in one_sided(signalling(seed))]
    assert found.count(True) > 15
    assert found.count(False) > 15


@pytest.mark.slow
@pytest.mark.parametrize("first", range(16, 216, 20))
def test_many_one_sided_verdicts_agree_with_the_definition(first: int) -> None:
    for family in (profiles, signalling):
        found = [verdict for seed in range(first, first + 20) for verdict in one_sided(family(seed))]
        assert found.count(True) > 20
        assert found.count(False) > 20


def accepted_again(tree: GameTree) -> None:
    """What solves a game is of its concept by its strategies alone."""
    for concept in ("quasi-perfect", "sequential"):
        found = certification(tree, tremble.solve(tree, concept).profile(tree), concept)
        assert found.verdict is Verdict.PROVEN, found.reasons
        assert verify(tree, found.solution).proven == concept


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "spec",
    ["kuhn", "kuhn_raise", "beer_quiche", "safe_or_risky", "guess_the_ace:gift=true", "entry_deterrence", "goofspiel"],
)
def test_solutions_are_accepted_without_their_certificates(spec: str) -> None:
    accepted_again(tremble.load(spec))


@pytest.mark.slow
def test_solutions_of_games_of_all_kinds_are_accepted_without_their_certificates() -> None:
    """Built-in games that fit, and random ones."""
    trees = []
    for name in names():
        with contextlib.suppress(TooLargeError):
            tree = tremble.load(name)
            if tree.num_nodes < 3000 and all(parent_sequence(tree, player) is not None for player in (0, 1)):
                trees.append(tree)
    assert len(trees) > 15
    for tree in (*trees, *(random_game(seed, 4, zero_sum=bool(seed % 2)) for seed in range(300))):
        accepted_again(tree)


def test_payoffs_of_all_sizes() -> None:
    """Numbers of 25 digits and strategies with long denominators."""
    found = []
    for seed in range(6):
        tree = random_game(seed, 4, zero_sum=bool(seed % 2), big=True)
        cases = [(tree, random_profile(tree, seed, 10**12)), (tree, tremble.solve(tree, "sequential").profile(tree))]
        found += agree(cases)
    assert found.count(True) >= 6


@pytest.mark.parametrize("spec", ["kuhn_raise", "beer_quiche", "guess_the_ace:gift=true"])
def test_given_beliefs_are_decided(spec: str) -> None:
    """Beliefs in a file are proven if mistakes lead to them; else others are, which is said."""
    tree = tremble.load(spec)
    rng = random.Random(spec)
    for _ in range(5):
        rows = [[[rng.choice((1, 2, 7)) for _ in a] for a in sets] for sets in tree.actions]
        solution = tremble.solve(tree, "sequential", trembles=Trembles.from_rows(tree, rows))
        given = replace(solution, certificate={})
        found = certification(tree, given, "sequential")
        assert found.grounds == "mistakes were found that support the profile, and the given beliefs"
        assert found.solution.beliefs == solution.beliefs


def doors(tmp_path: Path, belief: str) -> tuple[GameTree, Path]:
    """Two doors, behind which the other goes left, and nothing but that and what it believes to be the first one."""
    tree = tremble.read_efg(
        'EFG 2 R "doors" { "Ann" "Bob" }\np "" 1 1 "" { "stop" "first" "second" } 0\nt "" 1 "" { 2 0 }\n'
        'p "" 2 1 "" { "left" "right" } 0\nt "" 2 "" { 0 1 }\nt "" 3 "" { 0 0 }\n'
        'p "" 2 1 "" { "left" "right" } 0\nt "" 4 "" { 0 0 }\nt "" 5 "" { 0 1 }\n'
    )
    file = tmp_path / "bare.json"
    nodes = [[["first"], belief], [["second"], str(1 - F(belief))]]
    beliefs = [[{"infoset": 1, "nodes": [[[], "1"]]}], [{"infoset": 1, "nodes": nodes}]]
    does = [[["stop", "1"], ["first", "0"], ["second", "0"]], [["left", "1"], ["right", "0"]]]
    rows = [[{"infoset": 1, "actions": actions}] for actions in does]
    file.write_text(json.dumps({"strategies": rows, "beliefs": beliefs}))
    return tree, file


@pytest.mark.parametrize(("belief", "others"), [("1/10", True), ("9/10", False), ("3/7", True), ("1/2", False)])
def test_beliefs_of_a_file_of_strategies_are_decided(belief: str, others: bool, tmp_path: Path) -> None:
    tree, file = doors(tmp_path, belief)
    for given in (file, tremble.read_profile(file), file.read_text()):
        found = certification(tree, given, "sequential")
        assert found.verdict is Verdict.PROVEN
        assert found.grounds.endswith(", with other beliefs than those given" if others else " the given beliefs")
        assert found.solution.beliefs is not None
        assert (found.solution.beliefs[1][0].nodes[0][1] == F(belief)) is not others
        assert tremble.audit(tree, given).beliefs == tremble.read_profile(file).beliefs
        assert "as the solution states" in str(tremble.explain(tree, given, 0, player=1))


def test_beliefs_that_no_mistakes_lead_to_are_replaced() -> None:
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree, "sequential")
    assert solution.beliefs is not None
    first = solution.beliefs[1][0]  # which play reaches, so that what it believes is known
    swapped = [(path, share) for (path, _), (_, share) in zip(first.nodes, first.nodes[::-1], strict=True)]
    assert tuple(swapped) != first.nodes
    wrong = (solution.beliefs[0], (replace(first, nodes=tuple(swapped)), *solution.beliefs[1][1:]))
    found = certification(tree, replace(solution, certificate={}, beliefs=wrong), "sequential")
    assert found.verdict is Verdict.PROVEN
    assert found.grounds.endswith("with other beliefs than those given")
    assert found.solution.beliefs is not None
    assert found.solution.beliefs[1][0] == first
