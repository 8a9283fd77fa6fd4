"""Branches of the kernel that no other test reaches: each has its verdict and its reason."""

from __future__ import annotations

import pickle
import random
import runpy
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import exact_bases as exact
import pytest
from claims import claim_of, honest, list_claim_of, strategies_of

import tremble
from hostile_games import hostile_game
from tremble import TreeBuilder, check
from tremble.check.basis.elimination import TOGETHER, Elimination
from tremble.check.best_response import Outcome
from tremble.check.claim import Problems, Wrong
from tremble.check.limits import Limits
from tremble.check.lists import ListClaim, check_list
from tremble.check.verdict import JudgedProfile, conclude, deserved
from tremble.results import certification

KUHN = tremble.load("kuhn")
ENTRY = tremble.load("entry_deterrence")
NOTHING = tremble.matrix_game([[0, 0], [0, 0]])
PENNIES = tremble.matrix_game([[1, -1], [-1, 1]])
SEXES = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])
THREAT = strategies_of(ENTRY, [[1, 0]], [[0, 1]])
NASH = claim_of(tremble.solve(KUHN))


OUTCOME_0 = Outcome((F(0), F(0)))


class Unbuilt:
    """Kuhn poker as a game that the kernel cannot read."""

    digest, spec, title = "rules:kuhn", None, "kuhn"


RULES = replace(NASH, kind="rules", digest=Unbuilt.digest)


def supplied(*outcomes: Outcome) -> dict[str, Any]:
    """Return an `extra` that answers each call with the next outcome."""
    answers = iter(outcomes)
    return {"rules": lambda *_: next(answers), "maxmin": lambda *_: next(answers)}


def kuhn_outcome(*, with_responses: bool) -> Outcome:
    _, found = check.outcome_of(KUHN, NASH)
    return Outcome(found.values, found.best_response_values if with_responses else None, found.constant_sum)


# -- the command ---------------------------------------------------------------------------------------


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs `python -m tremble.check` in this process."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["check", *arguments])
        with pytest.raises(SystemExit) as stop:
            runpy.run_module("tremble.check", run_name="__main__")
        out, err = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, out, err

    return run


def test_the_command_prints_the_verdict(command: Any, tmp_path: Path) -> None:
    def file(name: str, text: str) -> str:
        (tmp_path / name).write_text(text, "utf-8")
        return str(tmp_path / name)

    kuhn = file("kuhn.json", tremble.solve(KUHN).to_text())
    assert command("kuhn", kuhn) == (0, "proven: nash\n", "")
    assert command("kuhn", file("all.json", tremble.all_equilibria(PENNIES).to_text()))[0] == 1
    game = str(tmp_path / "sexes.efg")
    tremble.write_efg(SEXES, game)
    every = tremble.all_equilibria(tremble.load(game))
    code, out, err = command(game, file("every.json", every.to_text()))
    assert (code, err) == (0, "")
    assert out.startswith("proven: nash\n")
    assert "\nnote: " in out
    code, out, err = command("leduc", kuhn)
    assert (code, err) == (1, "")
    assert out.startswith("proven: nothing\nproblem: game.digest: the solution belongs to another game")
    threat = certification(ENTRY, "NE,1,0,0,1", "sequential").solution
    code, out, err = command("entry_deterrence", file("threat.json", threat.to_text()))
    assert (code, err) == (0, "")
    assert out.startswith("proven: nash\ndisproven: sequential\n")


def test_the_command_reports_errors_by_exit_codes(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tremble.game.tree_builder.DEFAULT_MAX_NODES", 1_000)
    kuhn, rules = tmp_path / "kuhn.json", tmp_path / "rules.json"
    kuhn.write_text(tremble.solve(KUHN).to_text(), "utf-8")
    rules.write_text(tremble.solve(tremble.load_rules("kuhn")).to_text(), "utf-8")
    for arguments, code, text in (
        (["kuhn"], 2, "usage: python -m tremble.check GAME SOLUTION\nerror: 1 arguments\n"),
        (["nothing", kuhn], 2, "error: 'nothing' is neither a built-in game nor a file"),
        (["kuhn", tmp_path / "missing.json"], 3, "no such file"),
        (["kuhn", rules], 4, "this solution belongs to a game that is not built as a tree; this command verifies only"),
        (["leduc", kuhn], 4, "more than 1,000; this command verifies only solutions of game trees; use"),
    ):
        found = command(*map(str, arguments))
        assert found[:2] == (code, "")
        assert text in found[2]


def test_an_import_of_the_command_verifies_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_module("tremble.check.__main__", run_name="imported")
    assert capsys.readouterr() == ("", "")
    assert names["main"](["kuhn"]) == 2


def test_the_command_can_be_interrupted(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tremble.solution.reading.read_stated", interrupt)
    assert command("kuhn", "kuhn.json") == (130, "", "interrupted\n")


# -- proofs by a basis -----------------------------------------------------------------------------------


def of_basis(name: str, extra: int | None = None) -> tuple[Any, Any]:
    tree = tremble.load(name)
    return tree, exact.stated(next(exact.stable_bases(exact.Program(tree), random.Random(1))), None, extra)


def test_trembles_of_one_player_only_are_refused() -> None:
    tree, solution = of_basis("matching_pennies")
    assert check.check(tree, claim_of(solution)).proven == "perfect"
    for k, sides in enumerate(([None, [[1, 1]]], [[[1, 1]], None])):
        for name in ("trembles", "orders"):
            numbers = [side and ([["1", "1"]] if name == "trembles" else side) for side in sides]
            changed = exact.tampered(solution, exact.put(numbers, name))
            assert check.check(tree, claim_of(changed)).problems == (
                f"certificate.{name}[{k}]: null; state lists for both players, or null for the whole field",
            )


def test_the_work_of_an_elimination_is_paid_while_it_runs() -> None:
    """A single row may take millions of products, so a limit must end the elimination of a row."""

    class Recorded(Limits):
        def spend(self, where: str, steps: int, times: int = 1) -> None:
            paid.append(times)
            super().spend(where, steps, times)

    paid: list[int] = []
    size, prime = 300, 1_000_003
    eliminated = Elimination(range(size), prime, Recorded(10**12, 10**12), "here")
    for i in range(size - 1):
        assert eliminated.add({j: 1 + i * j % 7 for j in range(i, size)}, i) is None
    before = sum(paid)
    assert eliminated.add({j: 1 + j for j in range(size)}, None) is None
    assert sum(paid) - before > 3 * TOGETHER
    assert max(paid) < 2 * TOGETHER + size


def test_a_point_at_which_the_system_is_singular_proves_no_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    """The determinant vanishes at 0, so no value at 0 shows that a function is 0."""
    tree = hostile_game("plain", 46, most=60)
    solved = tremble.solve(tree, "perfect", "lp", merge=False)
    found = exact.functions(exact.Program(tree), tuple(map(tuple, solved.certificate["basis"])))  # type: ignore[arg-type]
    assert found is not None
    assert (found.determinant[0], found.order) == (0, 1)
    claim = claim_of(exact.stated(found, None, 0))
    assert check.check(tree, claim).proven == "perfect"
    monkeypatch.setattr("tremble.check.basis.zeros.randbelow", lambda _: 0)
    refused = check.check(tree, claim)
    assert (refused.ok, refused.proven) == (False, None)
    assert refused.problems == ("certificate.basis: the system is singular at a random point",)


# -- outcomes without best responses -------------------------------------------------------------------


def test_an_outcome_has_results_of_players_only_for_a_tree() -> None:
    with pytest.raises(TypeError, match="results for each sequence exist only for a tree"):
        kuhn_outcome(with_responses=True)[0]


def test_without_best_responses_nothing_is_proven_or_disproven() -> None:
    missing = "best responses: not computed, so nothing is proven"
    found = check.check(Unbuilt(), RULES, extra=supplied(kuhn_outcome(with_responses=False)))
    assert (found.ok, found.proven) == (False, None)
    assert missing in found.problems
    refuted = replace(RULES, refutation={"concept": "nash", "kind": "best-response"})
    found = check.check(Unbuilt(), refuted, extra=supplied(kuhn_outcome(with_responses=False)))
    assert (found.ok, found.disproven) == (False, None)
    assert "refutation: best responses are not computed, so nothing can be disproven" in found.problems


def test_gains_need_no_tree() -> None:
    gain = Outcome((F(0), F(0)), (F(1, 2), F(0)))
    claim = replace(RULES, values=(F(0), F(0)), bounds=None, certificate={}, stated=frozenset())
    refutation = {"concept": "nash", "kind": "best-response"}
    alone = replace(claim, status="limit-reached", refutation=refutation)
    assert check.check(Unbuilt(), alone, extra=supplied(gain)).disproven == "nash"
    (problem, *_) = check.check(Unbuilt(), claim, extra=supplied(gain)).problems
    assert problem == "player 1 can gain 1/2 by deviating: the strategy earns 0, a best response 1/2"


def test_bounds_may_be_missing_only_if_nothing_else_is_claimed() -> None:
    """Other plays may have another sum, so a certified claim needs no bounds."""
    partly = replace(kuhn_outcome(with_responses=True), every_leaf=False)
    silent = replace(RULES, bounds=None)
    assert check.check(Unbuilt(), silent, extra=supplied(partly)).proven == "nash"
    found = check.check(Unbuilt(), replace(silent, status="bounded"), extra=supplied(partly))
    assert (found.ok, found.proven) == (False, None)
    assert found.problems == ("bounds: missing; the status 'bounded' needs them",)


def test_refutations_by_a_tree_need_a_tree() -> None:
    refutation = {"concept": "quasi-perfect", "kind": "mistakes", "player": 1, "blocked": [2], "tight": [1]}
    claim = replace(RULES, refutation=refutation)
    found = check.check(Unbuilt(), claim, extra=supplied(kuhn_outcome(with_responses=True)))
    assert (found.ok, found.disproven) == (False, None)
    assert found.problems == ("refutation.kind: 'mistakes' needs a tree, but this game is not built as a tree",)


def test_a_guarantee_that_proves_no_bounds() -> None:
    claim = honest(PENNIES, strategies_of(PENNIES, [[1, 1]], [[1, 1]]), "maxmin")
    claim = replace(claim, certificate={"kind": "guarantee", "player": 2})
    found = check.check(PENNIES, claim, extra=supplied(OUTCOME_0))
    assert (found.ok, found.proven) == (False, None)
    assert found.problems == ("certificate: this certificate proves no bounds",)
    one = replace(claim.strategies[0], off_path=[True])
    found = check.check(PENNIES, replace(claim, strategies=(one, claim.strategies[1])), extra=supplied(OUTCOME_0))
    assert len(found.problems) == 1
    proves = replace(OUTCOME_0, bounds=(F(0), F(0)))
    assert check.check(PENNIES, claim, extra=supplied(proves)).proven == "maxmin"
    found = check.check(PENNIES, replace(claim, bounds=None), extra=supplied(proves))
    assert found.problems == ("bounds: missing, although the certificate proves bounds",)


def test_other_games_judge_only_nash() -> None:
    claim = replace(RULES, concept="quasi-perfect", certificate={"kind": "polynomials"})
    found = check.judge(Unbuilt(), claim, extra=supplied(kuhn_outcome(with_responses=True))).verification
    assert found.problems == ("concept: 'quasi-perfect' cannot be checked for this kind of game",)
    assert (found.ok, found.proven) == (False, "nash")


def test_a_solution_of_a_tree_for_another_kind_of_game() -> None:
    (problem,) = check.check(Unbuilt(), NASH).problems
    assert problem.startswith("game.digest: the solution belongs to another game: ")
    assert problem.endswith("; its strategies belong to a tree, but this game is not built as a tree")
    (problem,) = check.check(ENTRY, NASH).problems
    assert problem.endswith("; give the game that the solution names, or solve this one")


# -- judging and joining -------------------------------------------------------------------------------


def test_payoffs_of_strategies_that_do_not_belong_to_the_game() -> None:
    unknown = "best responses: not computed, so nothing is proven"
    found = check.judge_values(Unbuilt(), NASH).verification
    assert (found.values, found.proven) == (None, None)
    assert found.problems == ("strategies: they belong to a tree, but this game is not built as a tree", unknown)
    found = check.judge_values(KUHN, NASH, Limits(-1, -1)).verification
    assert (found.values, found.proven) == (None, None)
    assert "too large to check" in found.problems[0]
    assert found.problems[1:] == (unknown,)


def test_a_joined_profile_whose_payoffs_have_faults() -> None:
    game, right = Unbuilt(), kuhn_outcome(with_responses=True)
    judged = check.judge(game, RULES, extra=supplied(right))
    assert judged.verification.proven == "nash"
    found = check.join(game, judged, judged, extra=supplied(Outcome(None, faults=("a fault",)))).verification
    assert (found.values, found.proven) == (None, None)
    assert found.problems == ("a fault", "best responses: not computed, so nothing is proven")


def test_subgames_need_strategies_of_the_game() -> None:
    claim = honest(ENTRY, THREAT)
    assert [(root > 0, player) for root, player, _ in check.subgames_with_gains(ENTRY, claim)] == [(True, 1)]
    with pytest.raises(Wrong, match="strategies: they do not fit the game"):
        check.subgames_with_gains(KUHN, claim)


def test_a_verdict_without_checks_proves_nothing() -> None:
    for found in (conclude(KUHN, NASH, None, Problems(), None), deserved(NASH, None, Problems(), None)):
        assert (found.ok, found.proven, found.problems) == (False, None, ("the checks have not run",))
    early = Problems(["an error"])
    for found in (conclude(KUHN, NASH, None, early, None), deserved(NASH, None, early, None)):
        assert (found.ok, found.proven, found.problems) == (False, None, ("an error",))


def test_a_verdict_is_short_in_a_message() -> None:
    assert repr(check.check(KUHN, NASH)) == "<Verification: ok True, concept 'nash', proven 'nash', problems ()>"
    long = repr(check.check(ENTRY, NASH))
    assert long.startswith("<Verification: ok False, concept 'nash', proven None, problems (\"game.digest: the")
    assert len(long) < 150


def test_only_issued_profiles_stay_issued() -> None:
    issued = check.judge(KUHN, NASH)
    made = JudgedProfile(issued.strategies, issued.verification, issued.digest)
    assert (issued.issued, made.issued) == (True, False)
    assert pickle.loads(pickle.dumps(issued)).issued
    assert not pickle.loads(pickle.dumps(made)).issued
    (rebuild, (data, _)), (_, (other, signature)) = made.__reduce__(), check.judge(PENNIES, honest(
        PENNIES, strategies_of(PENNIES, [[1, 1]], [[1, 1]]))).__reduce__()  # fmt: skip
    assert not rebuild(data, signature).issued
    assert rebuild(other, signature).issued


# -- proofs of refinements ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trembles", "orders", "text"),
    [
        ("any", [[["1"]], [["1"]]], "certificate.orders: must be missing or null if the trembles are 'any'"),
        ("any", ["any", "any"], "certificate.orders: must be missing or null if the trembles are 'any'"),
        (["any", "any"], ["none", "any"],
         "certificate.orders: if a player's trembles or orders are 'any' or 'none', both must be the same"),
        ([[["1", "1"]], [["1", "1"]]], ["any", [[1, 1]]],
         "certificate.orders: if a player's trembles or orders are 'any' or 'none', both must be the same"),
        (["any", [["1", "1"]]], [[[1, 1]], [[1, 1]]],
         "certificate.orders: if a player's trembles or orders are 'any' or 'none', both must be the same"),
    ],
)  # fmt: skip
def test_trembles_and_orders_agree(trembles: Any, orders: Any, text: str) -> None:
    plan = [["1", "1", "0"], ["0", "-1", "1"]]
    certificate = {"kind": "polynomials", "X": plan, "Y": plan, "denominator": ["1", "1"], "trembles": trembles}
    claim = honest(NOTHING, strategies_of(NOTHING, [[1, 0]], [[1, 0]]), "quasi-perfect", certificate)
    if trembles != "any":
        assert check.check(NOTHING, replace(claim, certificate={**certificate, "trembles": None})).ok
    assert check.check(NOTHING, replace(claim, certificate={**certificate, "trembles": "any"})).ok
    assert check.check(NOTHING, replace(claim, certificate={**certificate, "orders": orders})).problems == (text,)


def test_beliefs_need_numbers_and_paths() -> None:
    certificate = {"kind": "consistent-trembles", "trembles": None, "orders": None}
    beliefs: Any = [[(0, [((), F(1))])], [(0, [(("enter",), F(1))])]]
    strategies = strategies_of(ENTRY, [[0, 1]], [[1, 0]])
    true = honest(ENTRY, strategies, "sequential", certificate, beliefs=beliefs)
    assert check.check(ENTRY, true).proven == "sequential"
    for name in ("trembles", "orders"):
        for player, sides in enumerate((["any", [["1", "1"]]], [[["1", "1"]], None])):
            value = [[[1, 1]] if side == [["1", "1"]] else side for side in sides] if name == "orders" else sides
            found = check.check(ENTRY, replace(true, certificate={**certificate, name: value}))
            assert (found.ok, found.proven) == (False, None)
            assert found.problems == (
                f"certificate.{name}[{player}]: must list numbers for each information set, to compute the beliefs",
            )
    for path, words in (
        (5, "5"),
        ((3,), "(3,)"),
        (("out",), "'out'"),
        (("a" * 61,) * 20, repr(" / ".join(["a" * 60] * 20))),
        (("a",) * 21, repr(" / ".join([*("a" * 20), "..."]))),
    ):
        wrong = replace(true, beliefs=[beliefs[0], [(0, [(path, F(1))])]])
        (problem,) = check.check(ENTRY, wrong).problems
        assert "node 1 of the belief is not 'enter', but " in problem
        assert problem.endswith(words)


def test_sets_are_numbered_by_first_appearance() -> None:
    builder = TreeBuilder()
    builder.decision(0, "first", ("a", "b"))
    builder.leaf(0, 0)
    builder.decision(0, "second", ("c", "d"))
    builder.leaf(0, 0)
    builder.leaf(0, 0)
    tree = builder.finish()

    class Renumbered:
        """The same tree; the later set has the smaller number."""

        infoset = 1 - tree.infoset
        actions = (tree.actions[0][::-1], tree.actions[1])
        infoset_labels = (tree.infoset_labels[0][::-1], tree.infoset_labels[1])

        def __getattr__(self, name: str) -> Any:
            return getattr(tree, name)

    claim = honest(tree, strategies_of(tree, [[1, 0], [1, 0]], []), "subgame-perfect")
    assert check.check(tree, claim).ok
    one = replace(claim.strategies[0], actions=claim.strategies[0].actions[::-1])
    found = check.check(Renumbered(), replace(claim, strategies=(one, claim.strategies[1])))
    assert (found.ok, found.proven) == (False, None)
    assert found.problems == ("player 1: the information sets are not numbered by first appearance",)


# -- lists ---------------------------------------------------------------------------------------------


def problems_of(game: Any, claim: ListClaim) -> tuple[str, ...]:
    found = check_list(game, claim)
    assert found.ok == (not found.problems) == (found.proven is not None)
    return found.problems


def test_an_empty_list_has_no_unique_plans() -> None:
    empty = ListClaim((), SEXES.digest, pure=True)
    assert check_list(SEXES, empty).ok
    assert check_list(SEXES, replace(empty, unique_plans=(True, True))).problems == (
        "unique_plans[0]: true, but there is no equilibrium",
        "unique_plans[1]: true, but there is no equilibrium",
    )


def test_a_list_of_pure_equilibria_is_not_mixed() -> None:
    claim = replace(list_claim_of(tremble.all_equilibria(SEXES, pure=True)), complete=None)
    assert problems_of(SEXES, claim) == ()
    assert "pure: false, but every equilibrium is pure" in problems_of(SEXES, replace(claim, pure=False))


def test_an_unknown_index_needs_its_reason() -> None:
    claim = replace(list_claim_of(tremble.all_equilibria(SEXES)), indices=(1, None, 1))
    assert problems_of(SEXES, replace(claim, indices_unknown="the time limit")) == ()
    assert problems_of(SEXES, claim) == ("indices: some are null, but indices_unknown, which says why, is missing",)


def test_the_search_for_missing_pairs_ends_with_the_list_of_problems() -> None:
    game = tremble.matrix_game([[0] * 6] * 6)
    rows = [[int(i == k) for i in range(6)] for k in range(6)]
    members = tuple(honest(game, strategies_of(game, [row], [row], marked=True)) for row in rows)
    pairs = tuple((k, k) for k in range(6))
    claim = ListClaim(members, game.digest, pairs=pairs, components=tuple((k,) for k in range(6)))
    found = problems_of(game, claim)
    assert found[0] == "pairs: [1, 2] is an equilibrium, too, and is missing"
    assert len(found) == Problems.MOST == 20
    assert all("is an equilibrium, too, and is missing" in problem for problem in found)
