"""General-sum games from the textbooks: what each concept allows, by hand in ``known``, here checked in several ways.

Nash by exact best responses, subgame perfection in every subgame, both on a grid of profiles; quasi-perfect and perfect
ones against explicit trembles; what is not sequential, and what is dominated, by the audit. What `tremble.solve`
returns has to be among what is allowed.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import tremble
from command import run
from hand_made import solution_of
from known import ALL, CLASSICS, Classic, Equilibrium, F, Rows
from tremble import BehaviorStrategy, GameTree
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games import parameters as games
from tremble.solution.trembles import Trembles

Profile = tuple[BehaviorStrategy, BehaviorStrategy]

COMPUTED = [concept for concept in ALL if concept != "subgame-perfect"]  # which is not computed as such


def listed(concept: str) -> pytest.MarkDecorator:
    """For all equilibria of a concept that are listed."""
    found = [(spec, e) for spec, classic in CLASSICS.items() for e in classic.equilibria if concept in e.concepts]
    return pytest.mark.parametrize(("spec", "equilibrium"), found, ids=[f"{spec}: {e.name}" for spec, e in found])


def profile(tree: GameTree, one: Rows, two: Rows) -> Profile:
    return BehaviorStrategy.from_rows(tree, 0, one), BehaviorStrategy.from_rows(tree, 1, two)


def stated(tree: GameTree, equilibrium: Equilibrium) -> Profile:
    return profile(tree, equilibrium.one, equilibrium.two)


def below(tree: GameTree, root: int) -> list[int]:
    """A node and all below it, in depth-first preorder."""
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        found.append(node)
        stack += reversed(tree.children(node))
    return found


def subgame_roots(tree: GameTree) -> Iterator[int]:
    """Nodes below which, and only there, lie all nodes of every information set that is met there."""
    for root in range(tree.num_nodes):
        inside = set(below(tree, root))
        sets = {(int(tree.player[n]), int(tree.infoset[n])) for n in inside if tree.player[n] in (0, 1)}
        outside = set(range(tree.num_nodes)) - inside
        if not any((int(tree.player[n]), int(tree.infoset[n])) in sets for n in outside):
            yield root


def subgame(tree: GameTree, root: int) -> tuple[GameTree, tuple[list[int], list[int]]]:
    """The game that begins at a node, and which sets of the whole game its information sets are."""
    builder = tremble.TreeBuilder()
    sets: tuple[list[int], list[int]] = ([], [])
    for node in below(tree, root):
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            builder.leaf(*tree.payoff_at(k))
        elif mover == CHANCE:
            builder.chance(tree.labels(node), tree.chance_tables[k].probabilities)
        else:
            builder.decision(mover, k, tree.labels(node))
            if k not in sets[mover]:
                sets[mover].append(k)
    return builder.finish(), sets


def subgames(tree: GameTree) -> list[tuple[GameTree, tuple[list[int], list[int]]]]:
    return [subgame(tree, root) for root in subgame_roots(tree) if tree.player[root] != TERMINAL]


def in_all(parts: Sequence[tuple[GameTree, tuple[list[int], list[int]]]], played: Profile) -> bool:
    """Whether a profile is an equilibrium in all subgames."""
    return all(
        tremble.nash_conv(game, profile(game, *([s.row(k) for k in sets[s.player]] for s in played))) == 0
        for game, sets in parts
    )


def test_all_classics_are_here() -> None:
    built_in = {name for name in games.names() if games.rules_class(name).__module__.endswith("classics")}
    assert {spec.partition(":")[0] for spec in CLASSICS} == built_in


@pytest.mark.parametrize("spec", CLASSICS)
def test_a_general_sum_game_in_which_nobody_forgets(spec: str) -> None:
    tree = tremble.load(spec)
    assert tree.constant_sum is None
    assert [tremble.classify_recall(tree, player) for player in (0, 1)] == ["perfect", "perfect"]


def test_where_a_subgame_begins() -> None:
    proper = {spec: len(list(subgames(tremble.load(spec)))) - 1 for spec in CLASSICS}
    assert proper == {
        "entry_deterrence": 1, "beer_quiche": 0, "centipede": 9, "centipede:length=4": 3, "centipede:length=3": 2,
        "battle_outside": 1, "selten_horse_two": 0, "mertens": 0, "ordered_trembles": 3, "job_market": 0,
    }  # fmt: skip


@listed("nash")
def test_equilibria_are_what_they_are_said_to_be(spec: str, equilibrium: Equilibrium) -> None:
    tree, classic = tremble.load(spec), CLASSICS[spec]
    played = stated(tree, equilibrium)
    assert tremble.nash_conv(tree, played) == 0
    assert tremble.expected_values(tree, played) == equilibrium.values
    assert in_all(subgames(tree), played) == ("subgame-perfect" in equilibrium.concepts)
    assert {c for c in ALL if classic.allowed[c](*played)} == set(equilibrium.concepts)
    for concept in equilibrium.concepts:
        assert equilibrium.values in classic.values[concept]


@pytest.mark.parametrize("spec", CLASSICS)
def test_every_value_is_attained(spec: str) -> None:
    classic = CLASSICS[spec]
    for concept in ALL:
        assert classic.values[concept] == {e.values for e in classic.equilibria if concept in e.concepts}


@pytest.mark.sample(4)
@pytest.mark.parametrize("spec", [spec for spec in CLASSICS if spec != "centipede"])
def test_nash_and_subgame_perfect_are_exactly_these(spec: str) -> None:
    """On a grid that holds the probabilities at which somebody is indifferent, and others on either side."""
    tree, classic = tremble.load(spec), CLASSICS[spec]
    parts = subgames(tree)
    shares = [F(0), F(1, 4), F(1, 2), F(2, 3), F(3, 4), F(1)]
    rows = [[[p, 1 - p] for p in shares]] * (tree.num_infosets[0] + tree.num_infosets[1])
    for found in itertools.product(*rows):
        played = profile(tree, found[: tree.num_infosets[0]], found[tree.num_infosets[0] :])
        nash = tremble.nash_conv(tree, played) == 0
        assert classic.allowed["nash"](*played) == nash
        assert classic.allowed["subgame-perfect"](*played) == (nash and in_all(parts, played))
        if nash:
            assert tremble.expected_values(tree, played) in classic.values["nash"]


def trembling(equilibrium: Equilibrium, concept: str, e: Fraction) -> tuple[Rows, Rows]:
    """Completely mixed strategies near an equilibrium that are to support it."""
    if concept in equilibrium.trembles:
        return equilibrium.trembles[concept](e)
    one, two = ([[(1 - e) * p + e / len(row) for p in row] for row in rows] for rows in equilibrium[1:3])
    return one, two


def near(rows: Rows, limit: Rows) -> Fraction:
    return max(
        abs(Fraction(p - q)) for row, other in zip(rows, limit, strict=True) for p, q in zip(row, other, strict=True)
    )


SMALL = [F(1, 100), F(1, 10**4), F(1, 10**8)]


@listed("quasi-perfect")
def test_trembles_support_what_is_quasi_perfect(spec: str, equilibrium: Equilibrium) -> None:
    """At every set, own play from there on is best against completely mixed strategies of the other, ever nearer."""
    tree = tremble.load(spec)
    played = stated(tree, equilibrium)
    for e in SMALL:
        rows = trembling(equilibrium, "quasi-perfect", e)
        mixed = profile(tree, *rows)
        assert all(p > 0 for strategy in mixed for row in strategy for p in row)
        assert near([*rows[0], *rows[1]], [*equilibrium.one, *equilibrium.two]) <= 10 * e
        for player, tested in enumerate(((played[0], mixed[1]), (mixed[0], played[1]))):
            lost = [b for b in tremble.audit(tree, tested).blunders if b.player == player and b.kind == "regret"]
            assert not lost


@listed("perfect")
def test_trembles_support_what_is_perfect(spec: str, equilibrium: Equilibrium) -> None:
    """Completely mixed, ever nearer; an action that is played in the limit is best, own mistakes included."""
    tree = tremble.load(spec)
    played = stated(tree, equilibrium)
    for e in SMALL:
        rows = trembling(equilibrium, "perfect", e)
        assert all(p > 0 for side in rows for row in side for p in row)
        assert near([*rows[0], *rows[1]], [*equilibrium.one, *equilibrium.two]) <= 10 * e
        for player, strategy in enumerate(played):
            for k in range(strategy.num_infosets):
                earned = []
                for a in range(len(strategy.row(k))):
                    changed = [list(map(list, side)) for side in rows]
                    changed[player][k] = [Fraction(a == b) for b in range(len(strategy.row(k)))]
                    earned.append(tremble.expected_values(tree, profile(tree, *changed))[player])
                assert all(u == max(earned) for u, p in zip(earned, strategy.row(k), strict=True) if p)


MISSED = "out, but barely"
"""What is wrong at a set only together with the other's plan beyond its own mistake: sets are judged one by one."""


@listed("nash")
def test_the_audit_tells_what_is_excluded(spec: str, equilibrium: Equilibrium) -> None:
    """Not sequential: an action is wrong whatever is believed. Sequential only: something is dominated."""
    tree = tremble.load(spec)
    found = tremble.audit(tree, stated(tree, equilibrium))
    assert found.gains == (0, 0)
    kinds = {blunder.kind for blunder in found.blunders}
    if "quasi-perfect" in equilibrium.concepts or equilibrium.name == MISSED:
        assert found.clean
    elif "sequential" in equilibrium.concepts:
        assert kinds == {"dominated"}
    else:
        assert kinds & {"regret", "unsupported"}


def test_a_long_centipede() -> None:
    tree = tremble.load("centipede:length=10001")
    stop = [BehaviorStrategy.pure(tree, player, [0] * tree.num_infosets[player]) for player in (0, 1)]
    assert tremble.nash_conv(tree, stop) == 0


# -- what the solver returns -----------------------------------------------------------------------


@pytest.mark.sample(16)
@pytest.mark.parametrize("concept", COMPUTED)
@pytest.mark.parametrize("spec", CLASSICS)
def test_what_is_solved_is_allowed(spec: str, concept: str) -> None:
    """Whatever is expected first."""
    tree, classic = tremble.load(spec), CLASSICS[spec]
    solution = tremble.solve(tree, concept)
    check_solution(classic, concept, solution)
    if concept in classic.selected:
        assert classic.selected[concept](*solution.strategies)
    assert tremble.verify(tree, solution).ok
    equal = Trembles.uniform(tree)
    for seed in range(4):
        check_solution(classic, concept, tremble.solve(tree, concept, prior="random", seed=seed))
        if concept in classic.selected:
            steady = tremble.solve(tree, concept, prior="random", seed=seed, trembles=equal)
            assert classic.selected[concept](*steady.strategies)


def check_solution(classic: Classic, concept: str, solution: tremble.Solution) -> None:
    """What every solution with a concept has to hold; `sequential` selects quasi-perfect ones."""
    assert solution.status == "certified"
    assert solution.concept == concept
    assert solution.values in classic.values[concept]
    assert classic.allowed[concept](*solution.strategies)
    if concept == "sequential":
        assert classic.allowed["quasi-perfect"](*solution.strategies)


PRIORS = 40  # drawn at random


def from_priors(spec: str, concept: str) -> Iterator[tuple[tremble.Solution, list[list[list[Fraction]]]]]:
    """What priors drawn at random lead to, and the weights of the trembles, which are those of the prior."""
    tree = tremble.load(spec)
    for seed in range(PRIORS):
        solution = tremble.solve(tree, concept, prior="random", seed=seed)
        check_solution(CLASSICS[spec], concept, solution)
        stated = solution.certificate["trembles"]
        yield solution, [[list(map(Fraction, row)) for row in side] for side in stated]


def share(solution: tremble.Solution, infoset: int, action: str, player: int) -> Fraction:
    return Fraction(solution.strategies[player].probability(infoset, action))


@pytest.mark.parametrize("concept", COMPUTED)
def test_no_prior_makes_an_incumbent_fight(concept: str) -> None:
    """Not even the firm belief that it will. Nash allows the threat; no path leads there."""
    tree = tremble.load("entry_deterrence")
    priors = [Trembles.from_rows(tree, [[[out, 1]], [[1, fight]]]) for out in (1, 10**9) for fight in (1, 10**9)]
    for solution in [
        *(tremble.solve(tree, concept, prior="random", seed=seed) for seed in range(PRIORS)),
        *(tremble.solve(tree, concept, prior=prior) for prior in priors),
    ]:
        assert solution.values == (2, 2)
        assert share(solution, 0, "fight", 1) == 0


@pytest.mark.parametrize("concept", COMPUTED[1:])
@pytest.mark.parametrize("name", ["empty threat", "empty threat, half"])
def test_what_is_wrong_with_an_empty_threat(name: str, concept: str) -> None:
    tree = tremble.load("entry_deterrence")
    threat = stated(tree, next(e for e in CLASSICS["entry_deterrence"].equilibria if e.name == name))
    assert tremble.certify(tree, threat).concept == "nash"
    with pytest.raises(tremble.NotProvenError, match="after 'enter', so it is not subgame perfect") as refused:
        tremble.certify(tree, threat, concept)
    assert refused.value.best is not None
    assert (refused.value.best.concept, str(refused.value.best.status)) == ("nash", "certified")
    (blunder,) = tremble.audit(tree, threat).blunders
    assert (blunder.player, blunder.kind, blunder.action, blunder.better) == (1, "unsupported", "fight", "accommodate")
    assert blunder.loss == 2


@pytest.mark.parametrize("concept", COMPUTED[1:])
def test_breakfast_with_any_weights(concept: str) -> None:
    """All have quiche only if the weak, by mistake, have beer nine times as often as the strong."""
    seen = set()
    for solution, (((beer_weak, quiche_weak), (beer_strong, quiche_strong)), _) in from_priors("beer_quiche", concept):
        if share(solution, 0, "quiche", 0):
            assert beer_weak >= 9 * beer_strong
            seen.add("quiche")
        elif quiche_weak > 9 * quiche_strong:
            assert share(solution, 1, "duel", 1) == 1
            seen.add("a threat")
        else:
            assert share(solution, 1, "duel", 1) == F(1, 2)
            seen.add("half a threat")
    assert len(seen) == 3


QUICHE = [[[10, 90], [1, 99]], [[99, 1], [1, 99]]]
"""All have quiche, and beer is followed by a duel; if somebody has beer by mistake, the weak do ten times as often."""

BEER = [[[90, 10], [99, 1]], [[1, 99], [99, 1]]]
"""The same with the meals exchanged."""


@pytest.mark.parametrize("concept", COMPUTED)
@pytest.mark.parametrize(
    ("name", "rows"), [("quiche", QUICHE), ("beer", BEER), ("beer, half a threat", [[[1, 1]] * 2] * 2)]
)
def test_all_breakfasts(name: str, rows: list[list[list[int]]], concept: str, tmp_path: Path) -> None:
    """In Python and from files, each where a prior expects it; with equal weights of mistakes, the last one only."""
    tree = tremble.load("beer_quiche")
    wanted = next(e for e in CLASSICS["beer_quiche"].equilibria if e.name == name)
    prior = Trembles.from_rows(tree, rows)
    solution = tremble.solve(tree, concept, tremble.methods.Lemke(prior=prior))
    assert [[list(row) for row in strategy] for strategy in solution.strategies] == [wanted.one, wanted.two]
    file, weights = tmp_path / "solution.json", tmp_path / "prior.json"
    tables = [
        [
            {"infoset": k + 1, "actions": [[a, str(w)] for a, w in zip(labels, row, strict=True)]}
            for k, (labels, row) in enumerate(zip(tree.actions[player], rows[player], strict=True))
        ]
        for player in (0, 1)
    ]
    weights.write_text(json.dumps({"schema": "tremble/trembles@1", "trembles": tables}), encoding="utf-8")
    printed("solve", "beer_quiche", "--concept", concept, "--prior", weights, "-o", file)
    assert tremble.Solution.from_json(file).values == wanted.values
    assert json.loads(printed("verify", "beer_quiche", file, "--format", "json"))["proven"] == concept
    if concept != "nash":
        steady = tremble.solve(tree, concept, prior=prior, trembles=Trembles.uniform(tree))
        assert CLASSICS["beer_quiche"].selected[concept](*steady.strategies)


def test_what_is_believed_of_who_has_beer() -> None:
    tree = tremble.load("beer_quiche")
    solution = tremble.solve(tree, "sequential", prior=Trembles.from_rows(tree, QUICHE))
    assert solution.beliefs is not None
    weak = [row.nodes[0][1] for row in solution.beliefs[1]]
    assert weak == [F(10, 19), F(1, 10)]


@pytest.mark.parametrize("concept", COMPUTED[1:])
def test_degrees_with_any_weights(concept: str) -> None:
    """Nobody studies only if of those who do by mistake 2/5 at most are able."""
    seen = set()
    for solution, (((able, _), (other, _)), _) in from_priors("job_market", concept):
        nobody = share(solution, 0, "skip", 0) == 1
        assert not nobody or able / (able + 2 * other) <= F(2, 5)
        seen.add(nobody)
    assert len(seen) == 2


@pytest.mark.parametrize("spec", ["mertens", "ordered_trembles"])
def test_perfect_with_any_weights(spec: str) -> None:
    """What remains of extensive-form perfection does not depend on the weights there."""
    for solution, _ in from_priors(spec, "perfect"):
        assert CLASSICS[spec].selected["perfect"](*solution.strategies)


@pytest.mark.parametrize("concept", COMPUTED)
def test_which_prior_leads_out(concept: str) -> None:
    """In, if player 1 is expected to box; out, if neither is; never to the mixture."""
    tree = tremble.load("battle_outside")
    shares = (5, 65, 74, 76, 95)
    for goes, one, two in itertools.product((1, 99), shares, shares):
        prior = Trembles.from_rows(tree, [[[100 - goes, goes], [one, 100 - one]], [[two, 100 - two]]])
        solution = tremble.solve(tree, concept, prior=prior)
        boxing = share(solution, 0, "boxing", 1)
        assert solution.values == ((3, 1) if boxing == 1 else (2, 2))
        assert boxing in (0, 1)
        if one > 75 or two < 67:
            assert boxing == (one > 75)


# -- as a user would ---------------------------------------------------------------------------------

GENERAL = [
    *CLASSICS,
    *(f"random_tree:depth=3,seed={seed},sum=general" for seed in (1, 2)),
    "random_tree:branching=2,chance=true,depth=5,seed=3,sum=general,utilities=iid",
]


def printed(*args: object) -> str:
    result = run(*args)
    assert result.exit_code == 0, f"{args}: {result.output}"
    return result.stdout


def written(tree: GameTree, path: Path) -> Path:
    """Uniform strategies as somebody might write them by hand."""
    played = [BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    tables = [
        [
            {"infoset": k + 1, "actions": [[a, str(p)] for a, p in zip(strategy.actions[k], row, strict=True)]}
            for k, row in enumerate(strategy)
        ]
        for strategy in played
    ]
    path.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": tables}), encoding="utf-8")
    return path


@pytest.mark.sample(5)
@pytest.mark.parametrize("spec", GENERAL)
def test_every_command_takes_general_sums(spec: str, tmp_path: Path) -> None:
    tree = tremble.load(spec)
    game, fair, line = tmp_path / "game.efg", written(tree, tmp_path / "fair.json"), tmp_path / "pure.ne"
    pure = [BehaviorStrategy.pure(tree, player, [0] * tree.num_infosets[player]) for player in (0, 1)]
    line.write_text(",".join(["NE", *(str(p) for strategy in pure for row in strategy for p in row)]), encoding="utf-8")
    for name in ("game.efg", "game.json"):
        assert json.loads(printed("convert", spec, tmp_path / name, "--format", "json"))["digest"] == tree.digest
    for played in (spec, game):
        told = json.loads(printed("info", played, "--format", "json"))
        assert (told["zero_sum"], told["constant_sum"]) == (False, False)
        for file, profile in ((fair, [BehaviorStrategy.uniform(tree, player) for player in (0, 1)]), (line, pure)):
            responses = json.loads(printed("respond", played, file, "--format", "json"))
            values = tremble.expected_values(tree, profile)
            best = [tremble.best_response(tree, profile, player)[0] for player in (0, 1)]
            assert list(map(Fraction, responses["values"])) == list(values)
            assert list(map(Fraction, responses["best_response_values"])) == best
            assert Fraction(responses["nash_conv"]) == sum(best) - sum(values)
            found = json.loads(printed("audit", played, file, "--format", "json"))
            assert list(map(Fraction, found["values"])) == list(values)
            assert list(map(Fraction, found["gains"])) == [b - v for b, v in zip(best, values, strict=True)]
            for form in ("table", "csv"):
                assert printed("respond", played, file, "--format", form)
                assert printed("audit", played, file, "--format", form)
        compared = json.loads(printed("compare", played, fair, line, "--format", "json"))
        assert compared["exact"]
        for form in ("table", "csv"):
            assert printed("compare", played, fair, line, "--format", form)
    for ending in ("svg", "html"):
        for files, picture in (((), "tree"), ((fair,), "fair"), ((line,), "pure")):
            drawn = tmp_path / f"{picture}.{ending}"
            printed("draw", spec, *files, "-o", drawn)
            assert ", value " not in drawn.read_text("utf-8")
        printed("compare", spec, fair, line, "-o", tmp_path / f"two.{ending}")


def test_a_certified_equilibrium_of_a_general_sum_game_is_a_file(tmp_path: Path) -> None:
    tree = tremble.load("entry_deterrence")
    threat = stated(tree, CLASSICS["entry_deterrence"].equilibria[1])
    file = tmp_path / "threat.json"
    solution_of(tree, (threat[0].marked(), threat[1].marked())).to_json(file)
    told = json.loads(printed("verify", "entry_deterrence", file, "--format", "json"))
    assert (told["ok"], told["proven"], told["bounds"], told["values"]) == (True, "nash", None, ["1", "5"])
    assert "The expected payoffs are 1 to Entrant and 5 to Incumbent" in printed("verify", "entry_deterrence", file)
    text = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(text | {"bounds": ["1", "1"]}), encoding="utf-8")
    result = run("verify", "entry_deterrence", file)
    assert result.exit_code == 1
    assert "no value to bound" in result.stdout
