"""Differential tests: the games, the reducer on artificial faults, a stub method that errs, and the second process."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import tremble
from benchmarks import fuzz
from benchmarks.fuzz import Command, Examiner, Finding, float_value, value_program
from benchmarks.fuzz_games import FAMILIES, Chance, Decision, FuzzGame, Leaf, drawn_game, from_tree, members, to_tree
from benchmarks.fuzz_reducer import changes, reduced, size
from tremble.errors import LimitReached
from tremble.methods import Lp

GAMES = [from_tree(drawn_game(5, number)[1]) for number in range(60)]


def leaf(one: F | int, two: F | int | None = None) -> Leaf:
    return Leaf((F(one), F(-one if two is None else two)))


# -- games ---------------------------------------------------------------------------------------


def test_a_seed_draws_the_same_games_of_every_family() -> None:
    drawn = [drawn_game(3, number) for number in range(24)]
    assert {family for family, _ in drawn} == set(FAMILIES)
    assert [tree.digest for _, tree in drawn] == [drawn_game(3, number)[1].digest for number in range(24)]
    assert len({tree.digest for _, tree in drawn}) > 20


def test_games_are_of_all_kinds() -> None:
    trees = [to_tree(game) for game in GAMES]
    nodes = [node for game in GAMES for node in game.values()]
    payoffs = [abs(u) for node in nodes if isinstance(node, Leaf) for u in node.payoffs]
    assert {tree.constant_sum is None for tree in trees} == {True, False}
    assert any(tree.constant_sum for tree in trees)
    assert any(isinstance(node, Chance) and 0 in node.weights for node in nodes)
    assert max(payoffs) > 10**20
    assert 0 < min(u for u in payoffs if u) < F(1, 10**20)
    assert any(tremble.classify_recall(tree, player) != "perfect" for tree in trees for player in (0, 1))


def test_a_game_and_its_tree() -> None:
    for game in GAMES:
        assert size(from_tree(to_tree(game))) == size(game)
    kuhn = tremble.load("kuhn")
    assert tremble.solve(to_tree(from_tree(kuhn))).value == F(-1, 18)


# -- the reducer ---------------------------------------------------------------------------------


def test_every_change_leads_to_a_game() -> None:
    for game in GAMES[:12]:
        for number, other in enumerate(changes(game)):
            if number % 7 == 0:
                assert to_tree(other).num_nodes == len(other)


def has_impossible_move(game: FuzzGame) -> bool:
    return any(isinstance(node, Chance) and 0 in node.weights for node in game.values())


def has_hidden_move(game: FuzzGame) -> bool:
    """A set of player 2 has two nodes or more, and some play through it pays player 1 more than 3."""
    return any(
        player == 1
        and len(places) > 1
        and any(
            isinstance(node, Leaf) and node.payoffs[0] > 3 and path[: len(place)] == place
            for place in places
            for path, node in game.items()
        )
        for (player, _), places in members(game).items()
    )


def has_tie(game: FuzzGame) -> bool:
    """Two actions at a node of player 1 lead to ends with equal payoffs other than 0."""
    for place, node in game.items():
        if isinstance(node, Decision) and node.player == 0:
            ends = [game[(*place, k)] for k in range(node.width)]
            pays = [end.payoffs for end in ends if isinstance(end, Leaf) and any(end.payoffs)]
            if len(set(pays)) < len(pays):
                return True
    return False


@pytest.mark.parametrize(
    ("shows", "smallest"),
    [
        (has_impossible_move, (3, 2, 0, 1)),  # chance, with the weights 1 and 0, and two ends that pay nothing
        (has_hidden_move, (5, 0, 2, 5)),  # one move of each player, and a payoff of 4 and -4
        (has_tie, (3, 0, 1, 2)),  # two ends that pay 1 to one player, and 0 to the other
    ],
)
def test_the_reducer_finds_the_smallest_game(
    shows: Callable[[FuzzGame], bool], smallest: tuple[int, int, int, int]
) -> None:
    faulty = [game for game in GAMES if shows(game) and len(game) > 10]
    assert len(faulty) >= 3
    for game in faulty[:4]:
        found = reduced(game, shows)
        assert found.minimal
        assert shows(found.game)
        assert size(found.game) <= smallest


def test_the_reducer_stops_at_its_limit() -> None:
    game = next(game for game in GAMES if len(game) > 10)
    found = reduced(game, lambda _: True, seconds=0)
    assert found.game == game
    assert not found.minimal


# -- methods that err ----------------------------------------------------------------------------


class Erring(Lp):
    """Divide by zero if chance has a move that it never makes."""

    name = "lp"

    def run(self, game: Any, concept: str, run: Any) -> Any:
        if has_impossible_move(from_tree(game)):
            raise ZeroDivisionError("an artificial fault")
        return super().run(game, concept, run)


def test_values_that_differ_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS and the methods agree about kuhn, and a wrong value of either is a finding."""
    examiner = Examiner(tmp_path)
    asked = [Command("solve", "nash", "lp"), Command("solve", "quasi-perfect", "lemke")]
    assert examiner.examine(tremble.load("kuhn"), asked) == []
    peers = {name: 1 for name, module in (("z3", fuzz._z3()), ("Gambit", fuzz._gambit())) if module is not None}
    assert dict(examiner.summary.comparisons) == {"file": 2, "kernel": 2, "verdict": 2, "value": 1, "HiGHS": 1} | peers
    monkeypatch.setattr(fuzz, "float_value", lambda program: 0.5)
    assert [finding.kind for finding in examiner.examine(tremble.load("kuhn"), asked)] == ["HiGHS"]


@pytest.mark.parametrize(
    ("method", "busy", "kinds", "counts"),
    [("lp", True, ["time-out"], (0, 0)), ("lp", False, [], (0, 1)), ("cfr", True, [], (1, 0))],
)
def test_a_time_limit_is_a_finding_if_the_call_had_the_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, busy: bool, kinds: list[str], counts: tuple[int, int]
) -> None:
    """Exact methods are called twice. Approximate methods may reach their limit."""
    calls: list[float] = []

    def solve(*_: Any, time_limit: float, **__: Any) -> None:
        calls.append(time_limit)
        end = time.process_time() + 0.03
        while busy and time.process_time() < end:
            pass
        raise LimitReached("stopped by the time limit")

    monkeypatch.setattr(tremble, "solve", solve)
    examiner = Examiner(tmp_path, seconds=0.02)
    found = examiner.examine(tremble.load("matching_pennies"), [Command("solve", "nash", method)])
    assert [finding.kind for finding in found] == kinds
    assert (examiner.summary.unproven, examiner.summary.starved) == counts
    assert len(calls) == (1 if method == "cfr" else 2)


@pytest.mark.parametrize(("code", "kinds"), [(1, {"checker", "changed"}), (0, {"changed"}), (3, set())])
def test_verdicts_of_a_second_checker_that_differ_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, kinds: set[str]
) -> None:
    """A checker that refuses everything differs on the written solution; one that accepts everything, on changes."""
    monkeypatch.setattr(fuzz, "_CHANGED_AGAIN", 10)
    examiner = Examiner(tmp_path, stub(tmp_path, f"return {code}, ''"))
    found = examiner.examine(tremble.load("matching_pennies"), [Command("solve", "nash", "lp")], "changed")
    assert {finding.kind for finding in found} == kinds
    assert examiner.summary.comparisons["changed"] == (0 if code == 3 else 10)


def test_weights_that_move_show_a_rule_that_the_kernel_does_not_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If strategies are not compared with the plans, only files with other valid strategies show it."""
    game = to_tree({(): Decision(1, "set", 2), (0,): leaf(0), (1,): leaf(0)})
    command = Command("solve", "quasi-perfect", "lp")
    for tested in (True, False):
        if not tested:
            monkeypatch.setattr("tremble.check.quasi_perfect.check_limits", lambda *_: None)
        found = Examiner(tmp_path, fuzz.CHECKER).examine(game, [command], "changed")
        assert {finding.kind for finding in found} == (set() if tested else {"changed"})
    solution = tremble.solve(game, "quasi-perfect", "lp")
    document = json.loads(solution.to_text())
    moves = [value for path, _, _, value in fuzz._MUTATIONS.moved_values(document) if path[0] == "strategies"]
    assert len(moves) > 1
    assert all(sum(F(p) for _, p in actions) == 1 for actions in moves)


def stub(folder: Path, verdict: str) -> Path:
    """Write a second checker with this body of the function ``verdict``."""
    file = folder / "checker.py"
    lines = ["read_game = check = print", f"def verdict(_): {verdict}", "if __name__ == '__main__':"]
    file.write_text("\n".join([*lines, "    raise SystemExit(verdict(None)[0])"]), "utf-8")
    return file


def test_the_program_of_the_second_checker_decides(tmp_path: Path) -> None:
    """A verdict that is not expected is asked again from the program; an exception is a verdict of its own."""
    solution, game = tmp_path / "solution.json", tmp_path / "game.efg"
    kuhn = tremble.load("kuhn")
    tremble.write_efg(kuhn, game)
    tremble.solve(kuhn).to_json(solution)
    checker = fuzz.SecondChecker(fuzz.CHECKER)
    assert [checker.verdict(game, solution, expected) for expected in ("accepted", "refused")] == ["accepted"] * 2
    solution.write_text("{}", "utf-8")
    assert [checker.verdict(game, solution, expected) for expected in ("accepted", "refused")] == ["refused"] * 2
    differs = fuzz.SecondChecker(stub(tmp_path, "return (0 if __name__ == '__main__' else 1), ''"))
    assert differs.verdict(game, solution, "accepted") == "accepted"
    assert differs.verdict(game, solution, "refused") == "refused"
    assert fuzz.SecondChecker(stub(tmp_path, "raise KeyError(7)")).verdict(game, solution, "refused") == "KeyError: 7"


def test_values_in_floats() -> None:
    assert float_value(value_program(from_tree(tremble.load("kuhn")), 0)) == pytest.approx(-1 / 18)
    for number in range(12):
        tree = drawn_game(5, number)[1]
        if all(tremble.classify_recall(tree, player) == "perfect" for player in (0, 1)):
            for player in (0, 1):
                bounds = tremble.solve(tree, "maxmin", "lp", player=player).values[player]
                if tree.constant_sum is not None:
                    top = max(abs(float(u)) for n in from_tree(tree).values() if isinstance(n, Leaf) for u in n.payoffs)
                    assert float_value(value_program(from_tree(tree), player)) == pytest.approx(
                        float(bounds), abs=1e-6 * top + 1e-300
                    )


@pytest.mark.peers
def test_exact_values_of_peers(tmp_path: Path) -> None:
    """Solvers and peers agree about games with tiny differences, and a wrong value is a finding of each peer."""
    kuhn = value_program(from_tree(tremble.load("kuhn")), 0)
    value, little = F(-1, 18), F(1, 10**40)
    assert fuzz.position_by_z3(kuhn, value, value) == "within"
    assert fuzz.position_by_z3(kuhn, value + little, F(1)) == "below"
    assert fuzz.position_by_z3(kuhn, F(-1), value - little) == "above"
    examiner, asked = Examiner(tmp_path), [Command("solve", "nash", "lp")]
    trees = [drawn_game(5, number)[1] for number in range(40)]
    for tree in (tree for tree in trees if tree.constant_sum is not None):
        assert examiner.examine(tree, asked) == []
    compared = examiner.summary.comparisons
    assert compared["Gambit"] > 10
    assert compared["z3"] > 10
    assert examiner.summary.unanswered == 0


# -- a run ---------------------------------------------------------------------------------------


def test_all_public_methods_are_examined() -> None:
    asked = set(fuzz.commands())
    assert {command.method for command in asked} == set(tremble.solvers.table.METHODS)
    for name, method in fuzz.METHODS.items():
        assert {c.concept for c in asked if c.method == name and c.action == "solve"} == set(method.concepts())


def test_a_finding_becomes_a_test_case(tmp_path: Path) -> None:
    finding = Finding("exception", (Command("solve", "nash", "lp"),), ("an answer", "KeyError: 1"), "KeyError in lp.py")
    row: dict[str, Any] = {"game": 3, "family": "hostile", "nodes": [20, 3], "tried": 9, "minimal": True}
    fuzz._write(tmp_path, finding, tremble.load("matching_pennies"), 7, row, None)
    name = finding.name
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.efg", f"{name}.json", f"test_{name}.py"}
    assert tremble.load(str(tmp_path / f"{name}.efg")).digest == tremble.load("matching_pennies").digest
    described = json.loads((tmp_path / f"{name}.json").read_text("utf-8"))
    assert described["commands"] == [f"tremble solve {name}.efg --concept nash --method lp"]
    assert (described["expected"], described["found"]) == finding.answers
    test = (tmp_path / f"test_{name}.py").read_text("utf-8")
    replay: dict[str, Any] = {"__file__": str(tmp_path / f"test_{name}.py")}
    exec(compile(test, name, "exec"), replay)
    asked: list[Any] = []
    replay["replayed"] = lambda *args, **_: asked.append(args) or asked[1:]
    replay[f"test_{name}"]()
    assert asked == [(tmp_path / f"{name}.efg", list(finding.commands), "exception")]
    with pytest.raises(AssertionError):  # the second replay finds something
        replay[f"test_{name}"]()


class Here:
    """A worker in this process, with one method that errs."""

    def __init__(self, folder: Path) -> None:
        self.examiner = Examiner(folder, methods={"lp": Erring})
        self.used = 0.0

    def examine(self, game: Any, *more: Any, **options: Any) -> tuple[list[Finding], fuzz.Summary]:
        self.examiner.summary = fuzz.Summary()
        tree = game if isinstance(game, tremble.GameTree) else to_tree(game)
        asked, kind = (*more, None, "")[:2]
        asked = asked or [Command("solve", "nash", "lp"), Command("solve", "perfect", "lp")]
        return self.examiner.examine(tree, asked, kind, **options), self.examiner.summary

    def close(self) -> None:
        pass


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that finds the fault of a method, its summary, its files, and its row in the record."""
    (tmp_path / "work").mkdir()
    faulty = [game for game in GAMES if has_impossible_move(game) and to_tree(game).constant_sum is not None]
    monkeypatch.setattr(fuzz, "RECORD", tmp_path / "fuzz.json")
    monkeypatch.setattr(fuzz, "_Worker", lambda checker, seconds: Here(tmp_path / "work"))
    monkeypatch.setattr(fuzz, "drawn_game", lambda seed, number: ("hostile", to_tree(faulty[0])))
    asked = ["--minutes", "0.001", "--findings", str(tmp_path / "found"), "--record", "--checker", "none.py"]
    other = {"games": 2, "calls": 3, "refused": 1, "unproven": 0, "unanswered": 0, "comparisons": {"kernel": 5}}
    other |= {"seed": 1, "findings": {"crash": 1}, "processor_seconds": 7200.0}
    (tmp_path / "fuzz.json").write_text(json.dumps([other]), "utf-8")
    assert fuzz.main(asked) == 1
    before, *rows = json.loads((tmp_path / "fuzz.json").read_text("utf-8"))
    assert before == other
    assert len(rows) == 1
    assert rows[0]["games"] >= 1
    assert rows[0]["processor_seconds"] > 0
    assert rows[0]["comparisons"]["file"] == 2 * rows[0]["games"]
    assert rows[0]["findings"] == {"exception": 1}  # both concepts fail at the same place
    said = capsys.readouterr()
    assert "x exception: solve nash lp (ZeroDivisionError" in said.out
    assert "no second checker: none.py does not exist" in said.err
    (file,) = (tmp_path / "found").glob("*.efg")
    described = json.loads(file.with_suffix(".json").read_text("utf-8"))
    assert described["found"] == "ZeroDivisionError: an artificial fault"
    assert described["minimal"]
    assert size(from_tree(tremble.load(str(file)))) == (3, 2, 0, 1)
    with pytest.raises(SystemExit):  # the games of this seed are recorded
        fuzz.main(asked)
    assert fuzz.main(["--summary"]) == 0
    summary = capsys.readouterr().out
    assert summary.startswith(f"2 runs; {2 + rows[0]['games']:,} games, ")
    assert summary.endswith("findings: 2; 2.00 processor hours\n")


def test_a_run_is_recorded_while_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.setattr(fuzz, "_SAVED", 0.0)
    monkeypatch.setattr(fuzz, "RECORD", tmp_path / "fuzz.json")
    monkeypatch.setattr(fuzz, "_Worker", lambda checker, seconds: Here(tmp_path / "work"))
    games: list[list[int]] = []
    written = fuzz.record

    def record(*arguments: Any) -> None:
        written(*arguments)
        games.append([row["games"] for row in fuzz._recorded()])
        if len(games) == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(fuzz, "record", record)
    fuzz.main(["--minutes", "10", "--record", "--findings", str(tmp_path / "found"), "--checker", "none.py"])
    assert len(games) == 4
    assert [len(rows) for rows in games] == [1] * 4
    assert games == sorted(games)


def test_processor_time_of_all_processes() -> None:
    """The time of a worker and of the processes it starts is counted while it lives and after its end."""
    run = fuzz._Run(0, 0.0, None, Path("findings"), 5.0, print)
    worker = fuzz._Worker(None, 5.0)
    run.workers.append(worker)
    try:
        worker.examine(tremble.load("matching_pennies"), [Command("solve", "nash", "lp")])
        alive = run.counted().processor_seconds
        assert alive > worker.used > 0.1  # it imported tremble
    finally:
        worker.close()
    assert run.counted().processor_seconds >= alive
    assert worker.examine(tremble.load("matching_pennies")) == ([], fuzz.Summary())


def test_ctrl_c_keeps_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.setattr(fuzz, "_Worker", lambda checker, seconds: Here(tmp_path / "work"))
    said: list[str] = []

    class Thread(threading.Thread):
        def join(self, timeout: float | None = None) -> None:
            super().join(timeout)
            if not said:
                raise KeyboardInterrupt

    monkeypatch.setattr(fuzz.threading, "Thread", Thread)
    total, _ = fuzz.fuzz(60, folder=tmp_path / "found", say=said.append)
    assert said[-1] == "interrupted: what was found stays"
    assert total.games >= 1


def test_a_process_that_dies_is_a_finding() -> None:
    pennies, asked = tremble.load("matching_pennies"), [Command("solve", "nash", "lp")]
    worker = fuzz._Worker(None, 5.0)
    try:
        assert worker.examine(pennies, asked)[0] == []
        worker.process.kill()
        (found,), _ = worker.examine(pennies, asked)
        assert (found.kind, found.answers[1]) == ("crash", "the process ended with exit code -9")
    finally:
        worker.close()
