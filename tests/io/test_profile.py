"""Strategies from anywhere: lines of Gambit, strategies alone, whole solutions, in every command and function."""

from __future__ import annotations

import json
import random
import warnings
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import tremble
from command import run
from gambit import Gambit, complementary_pivots, payoffs
from tremble.errors import CertificateError, FormatError, GameError, TrembleWarning
from tremble.formats.efg import format_efg
from tremble.formats.profile import read_profile
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.show.html import draw_html
from tremble.show.svg import draw_svg
from tremble.solution.solution import Solution
from tremble.text.records import gambit_text


def quietly(*args: object, given: str | None = None) -> Result:
    return run(*args, "--quiet", stdin=given)


# The second set of player 1 is reached by "r" only; numbers of sets are none of ours.
TREE = """EFG 2 R "numbered otherwise" { "A" "B" } ""
p "" 1 7 "first" { "l" "r" } 0
p "" 2 5 "first" { "x" "y" } 0
p "" 1 3 "after l" { "u" "d" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { 2 -2 }
t "" 3 "" { 0 0 }
p "" 2 2 "second" { "x" "y" "z" } 0
p "" 1 9 "after r" { "u" "d" } 0
t "" 3
t "" 4 "" { 5 -5 }
t "" 3
t "" 1
"""


@pytest.fixture
def efg(tmp_path: Path) -> Path:
    path = tmp_path / "game.efg"
    path.write_text(TREE)
    return path


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return tremble.load("kuhn")


@pytest.fixture(scope="module")
def solution(kuhn: GameTree) -> Solution:
    return tremble.solve(kuhn)


def alone(profile: Any) -> str:
    """The strategies alone, as a file of two fields."""
    rows = [
        [
            {"infoset": k + 1, "actions": [[a, str(p)] for a, p in zip(s.actions[k], s.row(k), strict=True)]}
            for k in range(s.num_infosets)
        ]
        for s in profile
    ]
    return json.dumps({"schema": "tremble/solution@1", "strategies": rows})


# -- lines of Gambit -----------------------------------------------------------------------------------


def renumbered(tree: GameTree, rng: random.Random) -> str:
    """The game as Gambit's text, its information sets numbered at random."""
    numbers = [rng.sample(range(1, 1000), count) for count in tree.num_infosets]
    lines = []
    for line in format_efg(tree).split("\n"):
        if line.startswith('p ""'):
            _, _, player, k, rest = line.split(" ", 4)
            line = f'p "" {player} {numbers[int(player) - 1][int(k) - 1]} {rest}'
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.parametrize("spec", ["kuhn", "leduc:ranks=2,raises=1", "random_tree:seed=4", "random_tree:seed=7"])
def test_gambit_orders_information_sets_as_we_do(spec: str, gambit: Gambit) -> None:
    rng = random.Random(spec)
    text = renumbered(tremble.load(spec), rng)
    tree = tremble.read_efg(text)
    rows: list[list[list[F]]] = [[], []]
    for player, sets in enumerate(tree.actions):
        for actions in sets:
            weights = [rng.randint(0, 5) for _ in actions]
            weights[rng.randrange(len(weights))] += 1
            rows[player].append([F(weight, sum(weights)) for weight in weights])
    stated = tremble.read_profile("NE," + ",".join(str(p) for sets in rows for row in sets for p in row))
    assert tremble.expected_values(tree, stated) == tuple(map(F, gambit.ask(payoffs, text, rows)))


def test_an_equilibrium_of_gambit_in_decimals(gambit: Gambit) -> None:
    tree = tremble.load("kuhn")
    for rational in (True, False):
        numbers = gambit.ask(complementary_pivots, format_efg(tree), rational)
        digits = numbers if rational else [f"{float(p):.6f}" for p in numbers]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrembleWarning)
            gain = tremble.nash_conv(tree, read_profile("NE," + ",".join(digits)))
        assert gain == 0 if rational else 0 <= gain < F(1, 10**4)


def test_decimals_move_within_their_last_digit() -> None:
    tree = tremble.read_efg(TREE)
    line = "NE,1,0,0.5,0.5,0,1,1,0,0.333333,0.333333,0.333333"
    with pytest.warns(
        TrembleWarning, match=r"repaired at 1 information set\(s\), .*player 2, information set 2 \('sec"
    ):
        one, two = read_profile(line).profile(tree)
    assert [one.row(k) for k in range(3)] == [[1, 0], [F(1, 2), F(1, 2)], [0, 1]]
    assert two.row(1) == [F(1, 3)] * 3
    with pytest.warns(TrembleWarning, match="repaired"):  # floats: 1.0 and what is left of rounding
        assert read_profile(line.replace("NE,1,0,", "NE,1.0,-3e-17,").replace("0.333333", "1/3")).profile(tree)
    with pytest.warns(TrembleWarning, match=r"\{ '1.000001' '-0.000001' \} became \{ '1' '0' \}"):
        assert read_profile(line.replace("NE,1,0,", "NE,1.000001,-0.000001,").replace("0.333333", "1/3")).profile(tree)
    short = line.replace("0.333333,0.333333,", "0.333333,0.31,")
    with pytest.raises(CertificateError, match=r"player 2, information set 2 \('second'\): the probabilities sum to"):
        read_profile(short).profile(tree)
    with pytest.warns(TrembleWarning, match="repaired"):
        assert read_profile(short, repair_tolerance="1/40").profile(tree)[1].row(1) == [F(1, 3)] * 3


def test_rows_of_zeros_off_the_path_are_completed_and_marked(efg: Path, tmp_path: Path) -> None:
    tree = tremble.load(efg)
    line = "NE,1,0,1/2,1/2,0,0,1,0,0,0,1"
    with pytest.warns(
        TrembleWarning, match=r"1 row\(s\) of zeros .* information set 3 \('after r', number 9 in the file"
    ):
        one, two = read_profile(line).profile(tree)
    assert one.row(2) == [F(1, 2), F(1, 2)]
    assert one.off_path.tolist() == [False, False, True]
    assert not two.off_path.any()
    path = tmp_path / "line.txt"
    path.write_text(line + "\n")
    result = quietly("respond", efg, path, "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["not_stated"] == [[3], []]
    assert "completed uniformly" in result.stderr
    found = json.loads(quietly("audit", efg, path, "--format", "json").stdout)["blunders"]
    assert {b["stated"] for b in found if (b["player"], b["infoset"]) == (1, 3)} == {False}
    assert "? the file has no strategy at this set" in quietly("audit", efg, path).stdout
    # the same rows in JSON, as a script that goes over a profile of Gambit writes them
    rows = json.loads(alone((one, two)))
    rows["strategies"][0][2]["actions"] = [["u", "0"], ["d", "0"]]
    path.write_text(json.dumps(rows))
    for args in (["respond"], ["audit"], ["compare", path]):
        result = quietly(args[0], efg, path, *args[1:])
        assert result.exit_code == 0, result.stderr
        assert "completed uniformly" in result.stderr
    assert quietly("draw", efg, path, "-o", tmp_path / "a.html").exit_code == 0
    assert (tmp_path / "a.html").read_text().count('<tr class="first off"') == 1


def test_rows_of_zeros_on_the_path_are_wrong(efg: Path, tmp_path: Path) -> None:
    tree = tremble.load(efg)
    said = (
        r"player 1, information set 2 \('after l', number 3 in the file\): all probabilities are 0, but .* "
        "reaches the set"
    )
    with pytest.raises(CertificateError, match=said):
        read_profile("NE,1,0,0,0,0,1,1,0,1,0,0").profile(tree)
    path = tmp_path / "line.txt"
    path.write_text("NE,1/2,1/2,1,0,0,1,1,0,0,0,0")  # of player 2, whom player 1 lets come: its own play comes
    for args in (["respond", efg, path], ["audit", efg, path], ["draw", efg, path, "-o", tmp_path / "a.svg"]):
        result = quietly(*args)
        assert result.exit_code == 1
        assert f"{path}: player 2, information set 2 ('second'): all probabilities are 0" in result.stderr


def test_zeros_of_a_player_who_forgets() -> None:
    tree = tremble.read_efg(
        """EFG 2 R "" { "A" "B" } p "" 1 1 "" { "a" "b" "c" } 0
        p "" 1 2 "forgets" { "x" "y" } 0 t "" 1 "" { 1 -1 } t "" 0
        p "" 1 2 0 t "" 1 t "" 0
        p "" 1 3 "after c" { "x" "y" } 0 t "" 1 t "" 0"""
    )
    assert tremble.classify_recall(tree, 0) != "perfect"
    for line, off_path in (
        ("NE,0,1,0,1,0,0,0", [False, False, True]),
        ("NE,0,0,1,0,0,0,1", [False, True, False]),
    ):
        stated = read_profile(line)
        with pytest.warns(TrembleWarning, match=r"1 row\(s\) of zeros"):
            one, _ = stated.profile(tree)
        assert one.off_path.tolist() == off_path
        assert one.row(off_path.index(True)) == [F(1, 2), F(1, 2)]
    with pytest.raises(CertificateError, match=r"'forgets'.*reaches the set"):
        read_profile("NE,0,1,0,0,0,0,0").profile(tree)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NE,1,0,x", r"<text>:1:8: x is not a number"),
        ("NE,1,,0", r"<text>:1:6: nothing is not a number"),
        ("\nNE,1,0\n\nNE,0,1\n", r"<text>:4:1: expected one line NE,p,p,..., found a second equilibrium"),
        ("NE,1,0\nthe end", r"<text>:2:1: expected one line NE,p,p,..., found more"),
        ("NE,1/0,1", r"<text>:1:4: 1/0 has a zero denominator"),
        ("NF,1\n", r"<text>:1:1: expected a file name, or a text that begins with \{ or NE,, found NF,1"),
    ],
)
def test_bad_lines(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_profile(text)


def test_the_name_of_a_line_may_stand_on_a_line_of_its_own() -> None:
    assert read_profile("NE\n,1/2,0.5\n").line == ("1/2", "0.5")


def test_a_line_of_another_game(kuhn: GameTree) -> None:
    with pytest.raises(CertificateError, match=r"the line has 2 probabilities, but .* have 12 \+ 12"):
        tremble.expected_values(kuhn, read_profile("NE,1,0"))


@pytest.mark.parametrize("spec", ["kuhn", "guess_the_ace", "matching_pennies", "leduc:ranks=2,raises=1"])
def test_our_own_lines_are_read_back(spec: str) -> None:
    tree = tremble.load(spec)
    for concept in ("nash", "quasi-perfect"):
        strategies = tremble.solve(tree, concept).strategies
        again = read_profile(gambit_text(strategies)).profile(tree)
        assert [list(s) for s in again] == [list(s) for s in strategies]
        assert [s.off_path.tolist() for s in again] == [s.marked().off_path.tolist() for s in again]
    long = F(3**9000, 3**9000 + 1)
    pennies = tremble.load("matching_pennies")
    profile = [BehaviorStrategy.from_rows(pennies, player, [[long, 1 - long]]) for player in (0, 1)]
    assert list(read_profile(gambit_text(profile)).profile(pennies)[1]) == [[long, 1 - long]]


# -- every command, every form -------------------------------------------------------------------------


@pytest.mark.parametrize("standard_input", [False, True])
@pytest.mark.parametrize("form", ["line", "alone", "solution"])
def test_every_command_reads_every_form(form: str, standard_input: bool, tmp_path: Path, solution: Solution) -> None:
    text = {
        "line": gambit_text(solution.strategies),
        "alone": alone(solution.strategies),
        "solution": solution.to_text(),
    }[form]
    path, whole = tmp_path / "profile", tmp_path / "whole.json"
    path.write_text(text)
    solution.to_json(whole)
    source, given = ("-", text) if standard_input else (path, None)
    answer = quietly("respond", "kuhn", source, "--format", "json", given=given)
    assert json.loads(answer.stdout)["nash_conv"] == "0"
    assert json.loads(quietly("audit", "kuhn", source, "--format", "json", given=given).stdout)["gains"] == ["0", "0"]
    found = json.loads(quietly("compare", "kuhn", source, whole, "--format", "json", given=given).stdout)
    assert found["differences"] == []
    assert quietly("draw", "kuhn", source, "-o", tmp_path / "k.svg", given=given).exit_code == 0
    assert ("nash, certified" in (tmp_path / "k.svg").read_text()) == (form == "solution")
    result = quietly("verify", "kuhn", source, given=given)
    assert result.exit_code == (0 if form == "solution" else 3)
    if form != "solution":
        assert "strategies alone contain no claim that can be proven; respond, audit, compare and draw" in result.stderr


def test_rows_of_json_are_repaired_on_request(tmp_path: Path, kuhn: GameTree, solution: Solution) -> None:
    path = tmp_path / "rough.json"
    path.write_text(alone(solution.strategies).replace('"1/3"', '"333/1000"'))
    assert quietly("respond", "kuhn", path).exit_code == 1
    assert quietly("respond", "kuhn", path, "--repair").exit_code == 1  # fractions have no last digit
    result = quietly("respond", "kuhn", path, "--repair-tolerance", "0.001", "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert "became { '2/3' '1/3' }" in result.stderr
    assert json.loads(result.stdout)["nash_conv"] == "0"


def test_errors_name_the_file_that_is_of_another_game(tmp_path: Path, solution: Solution) -> None:
    path = tmp_path / "whole.json"
    solution.to_json(path)
    for args in (["compare", "kuhn:cards=4", path, path], ["draw", "kuhn:cards=4", path, "-o", tmp_path / "k.svg"]):
        result = quietly(*args)
        assert result.exit_code == 1
        assert f"{path}: the solution is for another game" in result.stderr


# -- a solution wherever strategies are expected, and the other way round -------------------------------


def test_functions_take_solutions_and_strategies_alike(kuhn: GameTree, solution: Solution, tmp_path: Path) -> None:
    path = tmp_path / "whole.json"
    solution.to_json(path)
    pair = solution.strategies
    for given in (solution, read_profile(path), read_profile(alone(pair)), read_profile(gambit_text(pair))):
        assert tremble.expected_values(kuhn, given) == (F(-1, 18), F(1, 18))
        assert [tremble.best_response(kuhn, given, player)[0] for player in (0, 1)] == [F(-1, 18), F(1, 18)]
        assert tremble.nash_conv(kuhn, given) == tremble.exploitability(kuhn, given) == 0
        assert tremble.audit(kuhn, given).gains == (0, 0)
        assert tremble.compare(kuhn, given, pair).equal == tremble.compare(kuhn, pair, given).equal == (6, 6)
        for draw in (draw_svg, draw_html):
            assert len(draw(kuhn, given)) > len(draw(kuhn))
    assert "strategies, earning \N{MINUS SIGN}1/18" in draw_svg(kuhn, pair)
    assert "nash, certified, value \N{MINUS SIGN}1/18" in draw_svg(kuhn, solution)


def test_beliefs_of_a_solution_are_audited(kuhn: GameTree) -> None:
    found = tremble.solve(kuhn, "sequential")
    assert found.beliefs is not None
    sure = tuple(
        tuple(replace(row, nodes=tuple((path, F(i == 0)) for i, (path, _) in enumerate(row.nodes))) for row in rows)
        for rows in found.beliefs
    )
    assert tremble.audit(kuhn, replace(found, beliefs=sure)).wrong_beliefs
    assert tremble.audit(kuhn, found).wrong_beliefs == ()
    assert tremble.audit(kuhn, read_profile(replace(found, beliefs=sure).to_text())).wrong_beliefs


def test_what_is_no_profile_is_refused(kuhn: GameTree, solution: Solution) -> None:
    other = tremble.load("kuhn:cards=4")
    for call in (
        lambda given: tremble.expected_values(other, given),
        lambda given: tremble.best_response(other, given, 0),
        lambda given: tremble.audit(other, given),
        lambda given: tremble.compare(other, given, given),
        lambda given: draw_svg(other, given),
        lambda given: draw_html(other, given),
    ):
        with pytest.raises(CertificateError, match="the solution is for another game"):
            call(solution)
        with pytest.raises(GameError, match="strategy 1 does not have the information sets and actions"):
            call(solution.strategies)
        with pytest.raises(GameError, match="two strategies, not 1"):
            call(solution.strategies[:1])
        with pytest.raises(GameError, match="a int is no profile: give a pair of strategies; a solution"):
            call(3)


def test_there_is_nothing_to_prove_of_strategies(kuhn: GameTree, solution: Solution) -> None:
    for given in (solution.strategies, read_profile(gambit_text(solution.strategies))):
        with pytest.raises(CertificateError, match="strategies alone contain no claim that can be proven"):
            tremble.verify(kuhn, given)  # type: ignore[arg-type]


def test_openspiel_takes_a_solution() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from tremble.io import to_openspiel_policy

    tree = tremble.load("openspiel:kuhn_poker")
    policy = to_openspiel_policy(tree, tremble.solve(tree))
    assert pyspiel.nash_conv(pyspiel.load_game("kuhn_poker"), policy) == pytest.approx(0, abs=1e-12)


# -- one player forgets --------------------------------------------------------------------------------


def test_respond_where_one_player_forgets(tmp_path: Path) -> None:
    tree = tremble.load("a_loss_counterexample")
    recall = [tremble.classify_recall(tree, player) for player in (0, 1)]
    assert recall[0] != "perfect"
    assert recall[1] == "perfect"
    uniform = [BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    game, path = tmp_path / "loss.efg", tmp_path / "uniform.json"
    tremble.write_efg(tree, game)
    path.write_text(alone(uniform))
    result = quietly("respond", game, path, "--format", "json")
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout)
    values = tremble.expected_values(tree, uniform)
    best = tremble.best_response(tree, uniform, 1)[0]
    assert record["values"] == [str(v) for v in values]
    assert record["best_response_values"] == [None, str(best)]
    assert record["best_response_values_float"] == [None, float(best)]
    assert record["gains"] == [None, str(best - values[1])]
    assert record["nash_conv"] is record["exploitability"] is record["best_responses"][0] is None
    assert len(record["best_responses"][1]) == tree.num_infosets[1]
    assert record["reasons"][0].startswith(f"{game}: player 1 forgets: the nodes of information set")
    assert record["reasons"][1] is None
    table = quietly("respond", game, path)
    assert table.exit_code == 0
    assert "? " in table.stdout
    assert "player 1 forgets" in table.stdout
    rows = quietly("respond", game, path, "--format", "csv").stdout.splitlines()[1:]
    assert {row[0] for row in rows} == {"2"}
