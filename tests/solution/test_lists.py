"""Lists of equilibria: who may stand in one, what of what they state together is proven, believed or refused."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import pytest

import tremble
from check.claims import believed, listed, refused
from command import run
from forgetful import everywhere
from hand_made import OutOrIn, kuhn, kuhn_by_rows, kuhn_equilibrium, profile, solution_of
from tremble import BehaviorStrategy, GameTree, verify
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.recall.certificates import BranchingCertificate, BranchingLeaf
from tremble.results import Equilibria, StatedSolution
from tremble.solution import certificates
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.equilibria import EQUILIBRIA
from tremble.solution.judgements import prove
from tremble.solution.reading import read_stated
from tremble.status import Status


def stated_in(path: str | Path) -> StatedSolution | Equilibria:
    """Return the solution or the list in a file."""
    return read_stated(path, StatedSolution, EQUILIBRIA)


OF_ALL = {"equilibria", "pairs", "maximal_subsets", "components", "unique", "indices", "degenerate"}
"""The fields of a list of all equilibria."""


def problem(game: object, equilibria: Equilibria, start: str) -> None:
    refused(verify(game, equilibria), start)


# -- who may stand in a list ------------------------------------------------------------------------


def test_a_maxmin_strategy_is_no_equilibrium() -> None:
    """Of matching pennies, with whatever the opponent plays, and all that was stated with it."""
    pennies = tremble.load("matching_pennies")
    strategies = everywhere(profile(pennies, [[F(1, 2), F(1, 2)]], [[1, 0]]))
    certificate = BranchingCertificate(
        player=0, epsilon=F(0), lower=F(0), upper=F(0), response=[0], replies=[[0], [1]], splits=[()],
        leaves=[BranchingLeaf([(0, 1), (1, 1)], [0])],
    )  # fmt: skip
    maxmin = replace(
        solution_of(pennies, strategies), concept="maxmin", requested="maxmin", certificate=certificate.plain(),
        bounds=(F(0), F(0)),
    )  # fmt: skip
    assert verify(pennies, maxmin).proven == "maxmin"
    nash = tremble.solve(pennies)
    one = (((0,), (0,)),)
    for members, fields in (
        ((maxmin,), {}),
        ((maxmin,), {"unique": True, "unique_plans": (True, True), "pairs": ((0, 0),), "maximal_subsets": one}),
        ((nash, maxmin), {"unique": False, "unique_plans": (True, False), "pairs": ((0, 0), (0, 1))}),
    ):
        problem(pennies, listed(*members, **fields), f"equilibria[{len(members) - 1}].concept: 'maxmin' is no equil")


def test_members_are_certified() -> None:
    tree = tremble.load("matching_pennies")
    bounded = replace(tremble.solve(tree), status=Status.BOUNDED)
    assert verify(tree, bounded).ok
    problem(tree, listed(bounded), "equilibria[0].status: 'bounded'")
    problem(tree, listed(replace(bounded, status=Status.LIMIT_REACHED)), "equilibria[0]: status: 'limit-reached'")


# -- equal plans ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def off_the_path() -> tuple[GameTree, StatedSolution, StatedSolution]:
    """Player 1 takes what it wants at once; two strategies that differ only where it never comes."""
    builder = tremble.TreeBuilder(title="later")
    builder.decision(0, "now", ("take", "wait"))
    builder.leaf(3, -3)
    builder.decision(1, "other", ("a", "b"))
    for _ in range(2):
        builder.decision(0, "later", ("x", "y"))
        builder.leaf(1, -1)
        builder.leaf(0, 0)
    tree = builder.finish()
    one, two = (
        solution_of(tree, profile(tree, [[1, 0], later], [[F(1, 2), F(1, 2)]]))
        for later in ([1, 0], [F(1, 3), F(2, 3)])
    )
    assert one.strategies[0].off_path.tolist() == [False, True]
    return tree, one, two


def test_the_same_solution_twice(off_the_path: tuple[GameTree, StatedSolution, StatedSolution]) -> None:
    pennies = tremble.load("matching_pennies")
    nash = tremble.solve(pennies)
    for fields in ({"unique": False}, {"unique": True}, {"unique_plans": (False, True)}, {}):
        problem(pennies, listed(nash, nash, **fields), "equilibria[1]: the same equilibrium as equilibria[0]")
    tree, one, two = off_the_path
    assert verify(tree, one).ok
    assert verify(tree, two).ok
    problem(tree, listed(one, two), "equilibria[1]: the same equilibrium")
    problem(tree, listed(one, two, unique=False), "unique: false, but no two")
    problem(tree, listed(one, two, unique=True), "unique: true, but the number of equilibria is 2")
    problem(tree, listed(one, two, unique_plans=(False, True)), "unique_plans[0]: false, but the plans are not")
    problem(tree, listed(one, two, pairs=((0, 0), (1, 0))), "pairs[1]: strategy 2 of player 1 also has another number")


def test_equal_shares_in_other_words() -> None:
    """Rows are compared as numbers, whatever they are over."""
    pennies = tremble.load("matching_pennies")
    nash = tremble.solve(pennies)
    side = nash.strategies[0]
    assert isinstance(side, BehaviorStrategy)
    longer = replace(side, numerator=side.numerator * 3, denominator=side.denominator * 3)
    problem(pennies, listed(nash, replace(nash, strategies=(longer, nash.strategies[1]))), "equilibria[1]: the same")


def test_plans_of_each_player() -> None:
    tree = kuhn()
    one, two = (solution_of(tree, kuhn_equilibrium(tree, alpha)) for alpha in (F(1, 4), F(1, 3)))
    assert believed(verify(tree, listed(one, two, unique=False, unique_plans=(False, True)))) == {
        "equilibria": False, "unique": False, "unique_plans[0]": False, "unique_plans[1]": True,
    }  # fmt: skip
    problem(tree, listed(one, two, unique_plans=(True, False)), "unique_plans[0]: true, but the plans are different")
    problem(tree, listed(one, two, unique_plans=(True, False)), "unique_plans[1]: false, but the plans are not")
    problem(tree, listed(one, two, unique_plans=(True, True)), "unique_plans[0]: true")
    problem(tree, listed(one, two, unique=True), "unique: true, but the number of equilibria is 2")
    problem(tree, listed(one, unique=False), "unique: false, but the number of equilibria is 1")
    assert believed(verify(tree, listed(one, unique=True, unique_plans=(True, True)))) == {
        "equilibria": False, "unique": True, "unique_plans[0]": True, "unique_plans[1]": True,
    }  # fmt: skip


def test_refinements_that_differ_off_the_path() -> None:
    """Two sequential equilibria with the same plans are two, which prove nothing of ``unique``; the same one is one."""
    builder = tremble.TreeBuilder(title="indifferent later")
    builder.decision(0, "now", ("take", "wait"))
    builder.leaf(3, -3)
    builder.decision(0, "later", ("x", "y"))
    builder.leaf(1, -1)
    builder.leaf(1, -1)
    tree = builder.finish()
    one, two = (
        tremble.certify(tree, everywhere(profile(tree, [[1, 0], later], [])), "sequential")
        for later in ([1, 0], [0, 1])
    )
    found = verify(tree, listed(one, two))
    assert found.ok, found.problems
    assert (found.proven, found.concept) == ("sequential", "sequential")
    assert "1 of 2 are different realization plans" in str(found.fields[0].proven)
    problem(tree, listed(one, two, unique=False), "unique: false, but no two")
    problem(tree, listed(one, two, unique=True), "unique: true, but the number")
    problem(tree, listed(one, two, pairs=((0, 0), (1, 0))), "pairs[1]: strategy 2 of player 1 also")
    problem(tree, listed(one, one), "equilibria[1]: the same equilibrium")
    problem(tree, listed(one, tremble.solve(tree)), "equilibria[1]: the same equilibrium")
    # The name of the concept does not make two of one, and a concept without beliefs says nothing about them.
    for concept in ("subgame-perfect", "quasi-perfect", "perfect"):
        again = tremble.certify(tree, one.strategies, concept)
        problem(tree, listed(one, again), "equilibria[1]: the same equilibrium")
        problem(tree, listed(again, two, one), "equilibria[2]: the same equilibrium as equilibria[0]")
    third = tremble.solve(tree, "nash")
    assert verify(tree, listed(third)).proven == "nash"


# -- how equilibria hang together -------------------------------------------------------------------


def test_what_is_not_listed_but_an_equilibrium() -> None:
    """In a game of constant sum equilibria are interchangeable, so that two of four are not all there are."""
    tree = tremble.matrix_game([[0, 0], [0, 0]])
    found = tremble.all_equilibria(tree)
    assert set(believed(verify(tree, found))) == OF_ALL
    first, last = found[0], found[3]
    apart = listed(first, last, pairs=((0, 0), (1, 1)), components=((0,), (1,)))
    problem(tree, apart, "pairs: [1, 2] is an equilibrium, too, and is missing")
    apart = listed(first, last, pairs=((0, 0), (1, 1)), maximal_subsets=(((0,), (0,)), ((1,), (1,))))
    problem(tree, apart, "pairs: [2, 1] is an equilibrium, too, and is missing")
    assert verify(tree, listed(first, last, pairs=((0, 0), (1, 1)))).ok  # which states nothing of the others


def test_components_that_a_mixture_connects() -> None:
    """Three plans of player 1, one of them between the others, and two of player 2."""
    tree = tremble.matrix_game([[1, 0], [1, 0]], [[1, 1], [1, 1]])
    half = solution_of(tree, profile(tree, [[F(1, 2), F(1, 2)]], [[F(1, 2), F(1, 2)]]))
    one, two = (solution_of(tree, profile(tree, [row], [[1, 0]])) for row in ([1, 0], [0, 1]))
    members = listed(one, two, half, pairs=((0, 0), (1, 0), (2, 1)), components=((0, 1), (2,)))
    problem(tree, members, "pairs: [1, 2] is an equilibrium, too, and is missing")


def test_a_maximal_subset_that_is_missing() -> None:
    """All equilibria are in the subsets that are left, but not all of the mixtures."""
    a = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    tree = tremble.matrix_game(a, a)
    found = tremble.all_equilibria(tree)
    subsets = found.maximal_subsets
    assert subsets is not None
    assert len(subsets) > 2
    assert verify(tree, found).ok
    refused = 0
    for k in range(len(subsets)):
        less = replace(found, maximal_subsets=subsets[:k] + subsets[k + 1 :])
        assert not verify(tree, less).ok
        refused += any("a subset is missing; its mixtures" in text for text in verify(tree, less).problems)
    assert refused
    problem(
        tree,
        replace(found, maximal_subsets=(*subsets, subsets[0])),
        f"maximal_subsets[{len(subsets)}]: this subset is st",
    )
    turned = tuple((ones[::-1], twos[::-1]) for ones, twos in subsets[::-1])
    assert verify(tree, replace(found, maximal_subsets=turned)).ok  # in any order


@pytest.mark.parametrize("fields", [("components",), ("maximal_subsets",), ("components", "maximal_subsets")])
def test_an_empty_list_has_no_components(tmp_path: Path, fields: tuple[str, ...]) -> None:
    """Matching pennies have no pure equilibrium; so there is nothing that could be connected."""
    pennies = tremble.load("matching_pennies")
    empty = replace(tremble.all_equilibria(pennies, pure=True), pairs=(), **dict.fromkeys(fields, ()))
    assert set(fields) <= set(believed(verify(pennies, empty)))
    empty.to_json(tmp_path / "empty.json")
    result = run("verify", "matching_pennies", tmp_path / "empty.json")
    assert (result.exit_code, "an empty list of equilibria" in result.stdout) == (0, True), result.stdout
    problem(pennies, replace(empty, components=((),)), "components")
    problem(pennies, replace(empty, components=((0,),)), "components")
    problem(pennies, replace(empty, maximal_subsets=(((), ()),)), "maximal_subsets[0]")
    problem(pennies, replace(empty, maximal_subsets=(((0,), (0,)),)), "maximal_subsets[0]")


@pytest.mark.parametrize("spec", ["kuhn", "rhode_island:raises=1,ranks=2,suits=2"])
def test_an_empty_list_for_rules_is_refused(spec: str) -> None:
    """Only in a tree can the checker find out whether strategies are pure."""
    rules = tremble.load_rules(spec)
    empty = Equilibria(game=GameReference.of(rules), solutions=(), pure=True, complete=True)
    problem(rules, empty, "pure")
    problem(rules, Equilibria(game=GameReference.of(rules), solutions=()), "equilibria: the list is empty")


@pytest.mark.parametrize("seed", range(20))
def test_lists_that_were_thinned_out(seed: int) -> None:
    """Without some equilibria whose plans are still there, sets and components are refused; else they are believed."""
    rng = random.Random(seed)
    a, b = ([[rng.choice((0, 0, 1)) for _ in range(3)] for _ in range(3)] for _ in range(2))
    tree = tremble.matrix_game(a, b)
    found = tremble.all_equilibria(tree)
    assert verify(tree, found).ok
    assert found.pairs is not None
    kept = [k for k in range(len(found)) if rng.random() < 0.6] or [0]
    names = [{n: i for i, n in enumerate(sorted({found.pairs[k][p] for k in kept}))} for p in (0, 1)]
    pairs = tuple((names[0][found.pairs[k][0]], names[1][found.pairs[k][1]]) for k in kept)
    whole = all((i, j) not in found.pairs or found.pairs.index((i, j)) in kept for i in names[0] for j in names[1])
    group = [{k} for k in range(len(pairs))]
    for k, one in enumerate(pairs):
        for n, two in enumerate(pairs[:k]):
            if (one[0] == two[0] or one[1] == two[1]) and group[k] is not group[n]:
                group[k] |= group[n]
                for member in group[k]:
                    group[member] = group[k]
    components = tuple({tuple(sorted(part)) for part in group})
    thin = listed(*(found[k] for k in kept), pairs=pairs, components=components)
    result = verify(tree, thin)
    assert result.ok == whole, result.problems
    assert verify(tree, replace(thin, components=None)).ok


def test_a_solution_that_speaks_of_lists_is_none(tmp_path: Path) -> None:
    """What a file states is what its own schema says, whatever else stands in it."""
    tree = tremble.load("matching_pennies")
    nash = tremble.solve(tree)
    path = tmp_path / "solution.json"
    replace(nash, stats={"schema": "tremble/equilibria@1"}).to_json(path)
    assert isinstance(stated_in(path), StatedSolution)
    assert run("verify", "matching_pennies", path).exit_code == 0
    listed(nash).to_json(path)
    assert isinstance(stated_in(path), Equilibria)
    path.write_text('{"schema": "tremble/equilibria@2"}')
    with pytest.raises(tremble.FormatError, match="expected 'tremble/equilibria@1'"):
        stated_in(path)


# -- games that are not built -----------------------------------------------------------------------


def of_kuhn(rules: UnbuiltGame, alpha: F, *, spare: bool = False) -> StatedSolution:
    one, two = kuhn_by_rows(alpha, spare=spare)
    found = prove(rules, (one, two))
    return StatedSolution(
        game=GameReference.of(rules), concept="nash", requested="nash", method=MethodReference("by hand", {}),
        status=Status.CERTIFIED, values=found.values, bounds=found.bounds, strategies=(one, two),
        certificate=certificates.best_response(found.values, found.best_response_values), stats={},
    )  # fmt: skip


def test_lists_of_strategies_from_rules(tmp_path: Path) -> None:
    rules = tremble.load_rules("kuhn")
    one, two = of_kuhn(rules, F(1, 4)), of_kuhn(rules, F(1, 3))
    true = listed(one, two, unique=False, unique_plans=(False, True))
    assert believed(verify(rules, true)) == {
        "equilibria": False, "unique": False, "unique_plans[0]": False, "unique_plans[1]": True,
    }  # fmt: skip
    assert verify(rules, listed(one, unique=True)).ok
    problem(rules, listed(one, one), "equilibria[1]: the same equilibrium")
    problem(rules, listed(one, two, unique=True), "unique: true")
    problem(rules, listed(one, two, unique_plans=(True, False)), "unique_plans[0]: true, but the plans are different")
    problem(rules, listed(one, two, unique_plans=(False, False)), "unique_plans[1]: false, but the plans are not")
    for name, value in (("pairs", ((0, 0), (1, 0))), ("components", ((0, 1),)), ("maximal_subsets", ())):
        problem(rules, listed(one, two, **{name: value}), f"{name}: cannot be checked")
    same = of_kuhn(rules, F(1, 4), spare=True)  # another text, the same play
    problem(rules, listed(one, same, unique=False), "unique: false, but no two")
    problem(rules, listed(one, same, unique_plans=(False, True)), "unique_plans[0]: false")
    problem(rules, listed(one, same, unique_plans=(True, True)), "unique_plans[0]: true, but equilibria[0] and equil")
    assert verify(rules, listed(one, same)).ok
    other = verify(tremble.load("kuhn"), true)
    assert (other.ok, len(other.problems)) == (False, 1)
    assert other.problems[0].endswith(
        "its strategies belong to a game that is not built as a tree, but this game is a tree"
    )
    true.to_json(tmp_path / "list.json")
    done = run("verify", "kuhn", tmp_path / "list.json", "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)["fields"]["unique"]["believed"]) == (0, None)
    replace(true, unique=True).to_json(tmp_path / "list.json")
    assert run("verify", "kuhn", tmp_path / "list.json").exit_code == 1


def test_plans_that_differ_where_play_never_comes_are_not_called_one() -> None:
    """Player 2's strategies are two plans, but player 1 never lets them show it."""
    rules = UnbuiltGame.of(OutOrIn())
    members = []
    for p in (F(0), F(1)):
        strategies = (
            UnbuiltStrategy(0, DefaultRule("first"), {}),
            UnbuiltStrategy(1, DefaultRule("first"), {"second": (("l", 1 - p), ("r", p))}),
        )
        found = prove(rules, strategies)
        members.append(
            StatedSolution(
                game=GameReference.of(rules), concept="nash", requested="nash", method=MethodReference("by hand", {}),
                status=Status.CERTIFIED, values=found.values, bounds=None, strategies=strategies,
                certificate=certificates.best_response(found.values, found.best_response_values), stats={},
            )
        )  # fmt: skip
    assert verify(rules, listed(*members)).ok
    start = "unique_plans[1]: true, but equilibria[0] and equilibria[1] state other rows of player 2"
    problem(rules, listed(*members, unique_plans=(True, True)), start)
    problem(rules, listed(*members, unique_plans=(False, False)), "unique_plans[0]: false")
    again = verify(rules, listed(*members, unique_plans=(True, True))).problems
    assert len(again) == 1  # of player 1 there is one plan


def test_kinds_are_not_mixed() -> None:
    rules = tremble.load_rules("kuhn")
    nash, unbuilt = tremble.solve(tremble.load("kuhn")), of_kuhn(rules, F(1, 4))
    tree = tremble.load("kuhn")
    for game, mixed, other in ((tree, listed(nash, unbuilt), rules), (rules, listed(unbuilt, nash), tree)):
        problem(game, mixed, "equilibria[1].strategies: belong to another kind of game than those of equilibria[0]")
        problem(other, mixed, "game.digest: ")


# -- what is said -----------------------------------------------------------------------------------


def test_what_is_said(tmp_path: Path) -> None:
    tree = tremble.load("kuhn")
    file = str(tmp_path / "all.json")
    tremble.all_equilibria(tree).to_json(file)
    done = run("verify", "kuhn", file, "--format", "json")
    fields = json.loads(done.stdout)["fields"]
    assert set(fields) == OF_ALL
    assert fields["unique"] == {"proven": "false: two of these have different plans", "believed": None}
    assert fields["maximal_subsets"]["believed"] == "there are no others"
    words = run("verify", "kuhn", file).stdout
    for name, field in fields.items():
        assert (f"✓ {name}: {field['proven']}." in words) == bool(field["proven"])
        assert (f"! {name}: that {field['believed']} is stated, not proven" in words) == bool(field["believed"])
    single = run("verify", "kuhn", file.replace("all", "one"), "--format", "json")
    assert single.exit_code == 3  # there is no such file
    tremble.solve(tree).to_json(tmp_path / "one.json")
    single = run("verify", "kuhn", tmp_path / "one.json", "--format", "json")
    assert json.loads(single.stdout)["fields"] == {}
    text = Path(file).read_text("utf-8").replace('"unique": false', '"unique": true')
    Path(file).write_text(text, "utf-8")
    assert run("verify", "kuhn", file).exit_code == 1
    Path(file).write_text(text.replace('"unique": true', '"unique": 7'), "utf-8")
    assert run("verify", "kuhn", file).exit_code == 3


# -- members by FILE#K -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def all_json(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All three equilibria of the battle of the sexes."""
    path = tmp_path_factory.mktemp("lists") / "all.json"
    game = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    tremble.write_efg(game, path.with_name("game.efg"))
    assert run("solve", path.with_name("game.efg"), "--all", "-o", path).exit_code == 0
    return path


def game_of(all_json: Path) -> Path:
    return all_json.with_name("game.efg")


@pytest.mark.parametrize(
    "command", ["verify", "respond", "certify", "audit", "explain", "play", "draw", "draw against", "compare"]
)
def test_commands_take_a_member_of_a_list(command: str, all_json: Path, tmp_path: Path) -> None:
    """What they say is what they say of the member in a file of its own."""
    members = Equilibria.from_json(all_json)
    for k, member in enumerate(members, 1):
        one = tmp_path / f"one{k}.json"
        member.to_json(one)
        files = {"compare": 2, "draw against": 1}.get(command, 1)
        rest = {
            "play": ("--hands", "1", "--seed", "1", "--format", "json"),
            "draw": ("-o", tmp_path / "p.svg"),
            "draw against": ("--against", f"{all_json}#1", "-o", tmp_path / "p.html"),
        }.get(command, ("--format", "json"))
        outputs = []
        for name in (f"{all_json}#{k}", one):
            moves = {"stdin": "1\n" * 9} if command == "play" else {}
            done = run(command.split()[0], game_of(all_json), *[name] * files, *rest, **moves)
            assert done.exit_code == 0, done.stderr
            outputs.append(done.stdout.replace(str(name), "FILE"))
        assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("0", "there is no equilibrium #0: the file has 3 equilibria (#1 to #3)"),
        ("99", "there is no equilibrium #99: the file has 3 equilibria (#1 to #3)"),
        ("x", "expected the number of an equilibrium after #, not 'x'"),
        ("", "expected the number of an equilibrium after #, not ''"),
        ("-1", "expected the number of an equilibrium after #, not '-1'"),
    ],
)
@pytest.mark.parametrize("command", ["verify", "audit"])
def test_members_that_are_not_there(command: str, number: str, said: str, all_json: Path) -> None:
    done = run(command, game_of(all_json), f"{all_json}#{number}")
    assert (done.exit_code, done.stdout) == (3, "")
    assert f"error: {all_json}: {said}\n" in done.stderr
    with pytest.raises(tremble.FormatError, match="equilibrium"):
        tremble.Solution.from_json(f"{all_json}#{number}")


def test_what_is_no_list_has_no_members(all_json: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.json"
    Equilibria.from_json(all_json)[0].to_json(one)
    line = tmp_path / "line.ne"
    line.write_text("NE,1,0,1,0")
    for file in (one, line):
        done = run("respond", game_of(all_json), f"{file}#1")
        assert done.exit_code == 3
        assert f"this file is not a list of equilibria: omit # and the number in '{file}#1'" in done.stderr
    assert "no such file" in run("respond", game_of(all_json), tmp_path / "missing.json#1").stderr


def test_a_file_of_that_name_wins(all_json: Path, tmp_path: Path) -> None:
    copy = tmp_path / "all.json"
    copy.write_bytes(all_json.read_bytes())
    first, second, _ = Equilibria.from_json(copy)
    second.to_json(tmp_path / "all.json#1")
    read = tremble.Solution.from_json(f"{copy}#1")
    assert read.values == second.values
    assert read.strategies == second.strategies != first.strategies


def test_members_in_python(all_json: Path) -> None:
    game = tremble.load(str(game_of(all_json)))
    members = Equilibria.from_json(all_json)
    for k, member in enumerate(members, 1):
        named = f"{all_json}#{k}"
        assert tremble.Solution.from_json(named).to_text() == member.to_text()
        assert stated_in(named) == member
        assert tremble.read_profile(named).solution == member
        assert tremble.nash_conv(game, Path(named)) == 0
        assert tremble.verify(game, tremble.Solution.from_json(named)).ok


def test_an_output_does_not_cost_the_list(all_json: Path) -> None:
    done = run("certify", game_of(all_json), f"{all_json}#1", "-o", all_json)
    assert done.exit_code == 2
    assert "are the same file" in done.stderr


def test_members_of_a_list_have_the_right_types() -> None:
    game = tremble.matrix_game([[0, -1], [1, -10]], [[0, 1], [-1, -10]])
    found = tremble.all_equilibria(game)
    for change in ({"values": (3.0, 2.0)}, {"stats": 5}, {"concept": 5}, {"beliefs": 5}, {"status": "certified"}):
        (name,) = change
        with pytest.raises(tremble.CertificateError, match=rf"solutions\[1\]: {name}"):
            replace(found, solutions=(found[0], replace(found[1], **change)))
