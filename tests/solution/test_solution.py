"""The solution file: what is written is read, and what is not of the format is refused with the place."""

from __future__ import annotations

import io
import json
import os
import random
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tremble
from hand_made import chain, kuhn, kuhn_equilibrium, profile, random_game, random_profile, solution_of
from tremble import (
    BehaviorStrategy,
    CertificateError,
    FormatError,
    GameTree,
    Solution,
    TreeBuilder,
    TrembleError,
    Verification,
    verify,
)
from tremble.formats.profile import read_profile
from tremble.game.table import StrategyTable
from tremble.game.table_faults import faults
from tremble.solution.claim import BeliefRow, MethodReference
from tremble.solution.claims import GameReference
from tremble.status import Status
from tremble.text.solutions import explained


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return kuhn()


@pytest.fixture(scope="module")
def solution(tree: GameTree) -> Solution:
    return solution_of(tree, kuhn_equilibrium(tree, F(1, 3)))


@pytest.fixture(scope="module")
def text(solution: Solution) -> str:
    return solution.to_text()


def altered(text: str, change: Any) -> str:
    document = json.loads(text)
    change(document)
    return json.dumps(document)


# -- writing and reading back --------------------------------------------------------------------


def test_the_file_is_the_contract(tree: GameTree, text: str) -> None:
    document = json.loads(text)
    assert list(document) == sorted(document)
    assert document["schema"] == "tremble/solution@1"
    assert document["tremble"] == tremble.__version__
    assert document["game"] == {"spec": None, "title": "Kuhn poker", "digest": tree.digest}
    assert document["concept"] == document["requested"] == "nash"
    assert document["method"] == {
        "name": "by hand",
        "options": {"gap": "1/1000", "time_limit_float": 1.5, "deep": [{"x": None}]},
    }
    assert document["status"] == "certified"
    assert document["values"] == ["-1/18", "1/18"]
    assert document["bounds"] == ["-1/18", "-1/18"]
    assert "beliefs" not in document
    for player in (0, 1):
        rows = document["strategies"][player]
        assert [row["infoset"] for row in rows] == [1, 2, 3, 4, 5, 6]
        assert [row["label"] for row in rows] == list(tree.infoset_labels[player])
        assert [[label for label, _ in row["actions"]] for row in rows] == [list(a) for a in tree.actions[player]]
    assert document["strategies"][0][0] == {"infoset": 1, "label": "J", "actions": [["check", "2/3"], ["bet", "1/3"]]}
    assert [row.get("off_path") for row in document["strategies"][0]].count(True) == 1


def test_round_trip(solution: Solution, text: str) -> None:
    again = Solution.from_text(text)
    assert again.to_text() == text
    for name in ("game", "concept", "requested", "status", "values", "bounds", "beliefs", "version"):
        assert getattr(again, name) == getattr(solution, name)
    for old, new in zip(solution.strategies, again.strategies, strict=True):
        assert list(old) == list(new)
        assert old.actions == new.actions
        assert old.infoset_labels == new.infoset_labels
        assert old.off_path.tolist() == new.off_path.tolist()
        assert new.player == old.player
        assert new.parent is None
        assert new.exact


def test_a_strategy_that_was_read_works(tree: GameTree, text: str) -> None:
    strategies = Solution.from_text(text).strategies
    assert strategies is not Solution.from_text(text).strategies
    assert tremble.nash_conv(tree, strategies) == 0
    assert strategies[0].to_realization_plan(tree).probability(0) == 1


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**9), zero_sum=st.booleans(), limit=st.sampled_from([1, 6, 10**60]))
def test_round_trip_of_random_solutions(seed: int, zero_sum: bool, limit: int) -> None:
    game = random_game(seed, zero_sum=zero_sum)
    first = solution_of(game, random_profile(game, seed, limit), Status.BOUNDED)
    again = Solution.from_text(first.to_text())
    assert again.to_text() == first.to_text()
    assert [list(s) for s in again.strategies] == [list(s) for s in first.strategies]
    assert again.bounds == first.bounds


def test_equal_solutions_are_equal_bytes_apart_from_stats(tree: GameTree, solution: Solution, text: str) -> None:
    other = replace(
        solution_of(kuhn(), kuhn_equilibrium(tree, F(1, 3))),
        certificate=dict(reversed(solution.certificate.items())),
        stats={"seconds_float": 9.5},
    )
    differ = [a for a, b in zip(text.split("\n"), other.to_text().split("\n"), strict=True) if a != b]
    assert len(differ) == 1
    assert differ[0].startswith('"stats"')


def test_long_numbers_round_trip(tree: GameTree, solution: Solution) -> None:
    long = F(3**20_000, 2**30_000)
    share = F(2**20_000, 3**13_000)
    rows = [[share, 1 - share]] + [[1, 0]] * 5
    stated = replace(
        solution,
        values=(long, -long),
        strategies=(BehaviorStrategy.from_rows(tree, 0, rows), solution.strategies[1]),
        stats={"number": long},
    )
    text = stated.to_text()
    assert "0x" in text
    again = Solution.from_text(text)
    assert again.values == (long, -long)
    assert again.strategies[0].row(0) == rows[0]
    assert again.to_text() == text
    assert not verify(tree, again).ok


def test_labels_in_any_script(tmp_path: Path) -> None:
    builder = TreeBuilder(title="größer \u2028 \U0001f0a1", players=("é", "大"))
    builder.decision(0, "x", ('"', "\\", "\n", "\x00", "é", "大"))
    for _ in range(6):
        builder.leaf(0, 0)
    game = builder.finish()
    stated = solution_of(game, profile(game, [[F(1, 6)] * 6], []))
    stated.to_json(tmp_path / "ü.json")
    again = Solution.from_json(tmp_path / "ü.json")
    assert again.to_text() == stated.to_text()
    assert again.game.title == game.title
    assert verify(game, again).ok


def test_beliefs_round_trip(solution: Solution) -> None:
    beliefs = ((BeliefRow(0, ((("JQ",), F(1, 2)), (("JK", "bet"), F(1, 2)))),), ())
    again = Solution.from_text(replace(solution, beliefs=beliefs).to_text())
    assert again.beliefs == beliefs


def test_game_without_players_moves() -> None:
    builder = TreeBuilder()
    builder.leaf(1, 2)
    game = builder.finish()
    trivial = solution_of(game, profile(game, [], []))
    assert json.loads(trivial.to_text())["strategies"] == [[], []]
    assert verify(game, Solution.from_text(trivial.to_text())).ok


def test_the_class(solution: Solution) -> None:
    assert solution.value == solution.values[0] == F(-1, 18)
    assert repr(solution) == "<Solution of 'Kuhn poker': nash, certified, value -1/18 to player 1>"
    with pytest.raises(FrozenInstanceError):
        solution.concept = "perfect"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        solution.strategies = solution.strategies  # type: ignore[misc]
    assert replace(solution, concept="x").strategies == solution.strategies
    assert {str(status) for status in Status} == {"certified", "bounded", "limit-reached"}
    solution = tremble.solve(tremble.load("kuhn"))
    assert all(explained(replace(solution, status=status)).endswith(".") for status in Status)


def test_a_maxmin_strategy_is_shown_with_what_it_guarantees_its_player() -> None:
    said = {}
    for name in ("battle_outside", "a_loss_counterexample", "kuhn"):  # of any sum; forgetful; an equilibrium
        solution = tremble.solve(tremble.load(name), "maxmin", player=1)
        said[name] = repr(solution).partition("certified, ")[2]
        assert repr(Solution.from_text(solution.to_text())) == repr(solution)
    assert said == {
        "battle_outside": "player 2 guarantees 3/4>",
        "a_loss_counterexample": "player 2 guarantees 1>",
        "kuhn": "value -1/18 to player 1>",
    }


def test_float_strategies_are_refused(tree: GameTree, solution: Solution) -> None:
    floats = BehaviorStrategy.uniform(tree, 0).as_float()
    with pytest.raises(CertificateError, match="player 1 has floats"):
        replace(solution, strategies=(floats, solution.strategies[1]))


def test_plain_data(solution: Solution) -> None:
    stats = {
        "n": np.int64(3),
        "x_float": np.float64(0.5),
        "endless_float": float("inf"),
        "list_float": [0.5, 1],
        "exact": F(1, 3),
        "flag": np.bool_(True),
        "status": Status.BOUNDED,
        "pair": (1, None),
    }
    again = Solution.from_text(replace(solution, stats=stats).to_text())
    assert again.stats == {
        "n": 3,
        "x_float": 0.5,
        "endless_float": None,
        "list_float": [0.5, 1],
        "exact": "1/3",
        "flag": True,
        "status": "bounded",
        "pair": [1, None],
    }


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"seconds": 0.5}, r"stats\.seconds is a float"),
        ({"a": [{"b": 0.5}]}, r"stats\.a\[0\]\.b is a float"),
        ({"n": 10**18}, r"stats\.n is an integer of more than 18 digits"),
        ({1: 2}, r"stats has a key that is not text: 1"),
        ({"a": np.zeros(2)}, r"stats\.a is a ndarray"),
    ],
)
def test_what_a_file_cannot_hold_is_a_fault_of_the_method(solution: Solution, value: Any, place: str) -> None:
    with pytest.raises(CertificateError, match=place):
        replace(solution, stats=value).to_text()


# -- files ---------------------------------------------------------------------------------------


def test_files_are_written_whole(tmp_path: Path, solution: Solution, text: str) -> None:
    path = tmp_path / "kuhn.json"
    solution.to_json(path)
    solution.to_json(str(path))
    assert path.read_text("utf-8") == text
    assert Solution.from_json(path).to_text() == text
    assert Solution.from_json(str(path)).to_text() == text
    assert os.listdir(tmp_path) == ["kuhn.json"]


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, solution: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kuhn.json"
    path.write_text("before")
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):

        def fail(*_: Any, error: BaseException = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", fail)
            with pytest.raises((TrembleError, KeyboardInterrupt), match=r"No space left|^$"):
                solution.to_json(path)
        assert path.read_text() == "before"
        assert os.listdir(tmp_path) == ["kuhn.json"]
    with pytest.raises(CertificateError):
        replace(solution, stats={"x": 0.5}).to_json(path)
    assert path.read_text() == "before"


def test_places_that_cannot_be_written(tmp_path: Path, solution: Solution) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for path in ("missing/x.json", "file/x.json", "folder", "x" * 300, "nul\x00.json"):
        with pytest.raises(TrembleError, match="the file cannot be written"):
            solution.to_json(f"{tmp_path}/{path}")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.skipif(sys.platform == "win32", reason="links and devices")
def test_links_and_devices_stay_what_they_are(tmp_path: Path, solution: Solution, text: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    solution.to_json(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text("utf-8") == text
    solution.to_json("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="ascii"))
    assert Solution.from_json("-").to_text() == text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff"), encoding="ascii"))
    with pytest.raises(FormatError, match=r"^<standard input>:1:1: the byte 0xff is not UTF-8"):
        Solution.from_json("-")


def test_a_byte_order_mark_is_no_fault(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert Solution.from_json(path).to_text() == text


# -- what is not of the format -------------------------------------------------------------------


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bytes.json").write_bytes('{\n"title": "é\xff'.encode("latin-1"))
    for path, message in (
        (tmp_path / "missing.json", "no such file"),
        (tmp_path, "this is a directory"),
        (f"{tmp_path}/nul\x00.json", "the file cannot be read: embedded null byte"),
        (f"{tmp_path}/{'x' * 300}", "the file cannot be read: File name too long"),
        (tmp_path / "bytes.json", "the byte 0xe9 is not UTF-8"),
    ):
        for read in (Solution.from_json, lambda path: read_profile(Path(path))):
            with pytest.raises(FormatError) as caught:
                read(path)
            assert caught.value.file == str(path)
            assert caught.value.message.startswith(message)
    assert (caught.value.line, caught.value.column) == (2, 11)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        *((lambda d, key=key: d.pop(key), rf"the field '{key}' is missing") for key in ("tremble", "game", "concept")),
        *((lambda d, key=key: d.pop(key), rf"the field '{key}' is missing") for key in ("requested", "method")),
        *((lambda d, key=key: d.pop(key), rf"the field '{key}' is missing") for key in ("status", "values", "stats")),
        *((lambda d, key=key: d.pop(key), rf"the field '{key}' is missing") for key in ("strategies", "certificate")),
        (lambda d: d.pop("schema"), r"schema: expected 'tremble/solution@1', found no such field"),
        (
            lambda d: d.update(schema="tremble/solution@2"),
            r"schema: expected 'tremble/solution@1', found the text 'trem",
        ),
        (lambda d: d.update(schema=1), r"schema: expected .*, found the number 1"),
        (lambda d: d.update(comment="x"), r"unknown field 'comment'; the fields are schema"),
        (lambda d: d.update(tremble=None), r"tremble: expected text, found null"),
        (lambda d: d.update(game="kuhn"), r"game: expected an object, found the text 'kuhn'"),
        (lambda d: d["game"].pop("digest"), r"game: the field 'digest' is missing"),
        (lambda d: d["game"].update(spec=3), r"game\.spec: expected text, found the number 3"),
        (lambda d: d["game"].update(title=None), r"game\.title: expected text, found null"),
        (lambda d: d["game"].update(digest=[]), r"game\.digest: expected text, found a list"),
        (lambda d: d["game"].update(more=[]), r"game: unknown field 'more'"),
        (lambda d: d.update(status="done"), r"status: expected one of 'certified', 'bounded', 'limit-reached', found"),
        (lambda d: d.update(status=True), r"status: expected text, found true"),
        (lambda d: d["method"].update(options=[]), r"method\.options: expected an object, found a list"),
        (lambda d: d["method"].update(name={}), r"method\.name: expected text, found an object"),
        (lambda d: d["method"]["options"].update(x=[0.5]), r"method\.options\.x\[0\]: only fields whose name ends"),
        (lambda d: d.update(values=["0"]), r"values: expected a list of 2, found 1"),
        (lambda d: d.update(values="00"), r"values: expected a list, found the text '00'"),
        (lambda d: d.update(values=["0", 0]), r"values\[1\]: expected an exact number as text, .* found the number 0"),
        (lambda d: d.update(values=["0", "0.5"]), r"values\[1\]: '0\.5' is not an exact number"),
        (lambda d: d.update(values=["2/4", "0"]), r"values\[0\]: '2/4' is not in lowest terms"),
        (lambda d: d.update(values=["1/0", "0"]), r"values\[0\]: '1/0' is not in lowest terms"),
        (lambda d: d.update(values=["NaN", "0"]), r"values\[0\]: 'NaN' is not an exact number"),
        (lambda d: d.update(values=[float("nan"), "0"]), r"values\[0\]: .* found NaN, which is not a number"),
        (lambda d: d.update(values=["1" * 5000, "0"]), r"values\[0\]: '1111.*' is not an exact number"),
        (lambda d: d.update(bounds=["0", None]), r"bounds\[1\]: expected an exact number as text, .* found null"),
        (lambda d: d.update(bounds=False), r"bounds: expected a list, found false"),
        (lambda d: d.update(certificate=None), r"certificate: expected an object, found null"),
        (lambda d: d["certificate"].update(x=float("inf")), r"certificate\.x: found Infinity, which is not a number"),
        (lambda d: d["certificate"].update(x=10**17 + 0.5), r"certificate\.x: only fields whose name ends in '_float'"),
        (lambda d: d["stats"].update(x=10**30), r"stats\.x: found an integer that is too long"),
        (lambda d: d["stats"].update(x="\ud800"), r"stats\.x: the text contains half of a surrogate pair"),
        (lambda d: d["stats"].update({"\ud800": 1}), r"a field of stats: the text contains half of a surrogate pair"),
        (lambda d: d.update(strategies={}), r"strategies: the field 'npz' is missing"),
        (lambda d: d.update(strategies="none"), r"strategies: expected a list, found the text 'none'"),
        (lambda d: d.update(strategies=[[]]), r"strategies: expected a list of 2, found 1"),
        (lambda d: d.update(strategies=[[], {"default": {}}]), r"strategies\[1\]: expected a list, found an object"),
        (lambda d: d["strategies"][0].insert(3, 5), r"strategies\[0\]\[3\]: expected an object, found the number 5"),
        (lambda d: d["strategies"][1][2].pop("infoset"), r"strategies\[1\]\[2\]: the field 'infoset' is missing"),
        (lambda d: d["strategies"][1][2].pop("label"), r"strategies\[1\]\[2\]: the field 'label' is missing"),
        (lambda d: d["strategies"][1][2].update(note=1), r"strategies\[1\]\[2\]: unknown field 'note'"),
        (lambda d: d["strategies"][1][2].update(infoset="3"), r"strategies\[1\]\[2\]\.infoset: expected an integer"),
        (lambda d: d["strategies"][1][2].update(infoset=True), r"strategies\[1\]\[2\]\.infoset: expected an integer"),
        (lambda d: d["strategies"][1][2].update(infoset=3.0), r"strategies\[1\]\[2\]\.infoset: expected an integer"),
        (lambda d: d["strategies"][1][2].update(label=None), r"strategies\[1\]\[2\]\.label: expected text, found null"),
        (lambda d: d["strategies"][1][2].update(off_path=1), r"strategies\[1\]\[2\]\.off_path: expected true or false"),
        (lambda d: d["strategies"][1][2].update(actions=[]), r"strategies\[1\]\[2\]\.actions: expected at least one"),
        (lambda d: d["strategies"][1][2].update(actions={}), r"strategies\[1\]\[2\]\.actions: expected a list"),
        (
            lambda d: d["strategies"][0][3]["actions"].__setitem__(1, ["call"]),
            r"strategies\[0\]\[3\]\.actions\[1\]: expected \[label, probability\], found a list of 1",
        ),
        (
            lambda d: d["strategies"][0][3]["actions"].__setitem__(1, [1, "0"]),
            r"strategies\[0\]\[3\]\.actions\[1\]\[0\]: expected text, found the number 1",
        ),
        (
            lambda d: d["strategies"][0][3]["actions"].__setitem__(1, ["call", 0.25]),
            r"strategies\[0\]\[3\]\.actions\[1\]\[1\]: expected an exact number as text, .* found the number 0\.25",
        ),
        (
            lambda d: d["strategies"][0][3]["actions"].__setitem__(1, ["call", ["1"]]),
            r"strategies\[0\]\[3\]\.actions\[1\]\[1\]: expected an exact number as text, .* found a list",
        ),
        (lambda d: d.update(beliefs=[[], [{}]]), r"beliefs\[1\]\[0\]: the field 'infoset' is missing"),
        (
            lambda d: d.update(beliefs=[[{"infoset": 1, "nodes": [[["a", 1], "1"]]}], []]),
            r"beliefs\[0\]\[0\]\.nodes\[0\]\[0\]\[1\]: expected text, found the number 1",
        ),
    ],
)
def test_faults_of_form_are_named(text: str, change: Any, place: str) -> None:
    with pytest.raises(FormatError, match=f"^file.json: {place}"):
        Solution.from_text(altered(text, change), file="file.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "f:1:1: not JSON: Expecting value"),
        ("null", "f: expected a solution, which is an object, found null"),
        ("[]", "f: expected a solution, which is an object, found a list"),
        ("NaN", "f: expected a solution, which is an object, found NaN"),
        ("1e999", "f: expected a solution, which is an object, found a number beyond the range of floats"),
        ("9" * 5000, "f: expected a solution, which is an object, found an integer that is too long"),
        ("-" + "9" * 5000, "f: expected a solution, which is an object, found an integer that is too long"),
        ("{}", "f: schema: expected 'tremble/solution@1', found no such field"),
        ('{"a": 1,\n  "a": 2}', "f: expected a solution, which is an object, found an object with two fields 'a'"),
        ('{\n"a" 1}', "f:2:5: not JSON: Expecting ':' delimiter"),
        ('{"a": "\x00"}', "f:1:8: not JSON: Invalid control character"),
        ("[" * 100_000, "f: lists or objects are nested too deeply"),
        ('{"a":' * 100_000, "f: lists or objects are nested too deeply"),
        ("\ufeff{}", "f:1:1: not JSON: "),
    ],
)
def test_texts_that_are_no_solutions(content: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        Solution.from_text(content, file="f")
    assert str(caught.value).startswith(message)


def test_duplicate_fields_and_depth(text: str) -> None:
    twice = text.replace('"title":', '"spec": null, "title":')
    with pytest.raises(FormatError, match="game: expected an object, found an object with two fields 'spec'"):
        Solution.from_text(twice)
    nested: Any = "x"
    for _ in range(70):
        nested = [nested]
    with pytest.raises(FormatError, match="nested more than 64 deep"):
        Solution.from_text(altered(text, lambda d: d["stats"].update(deep=nested)))


# -- well-formed but wrong -----------------------------------------------------------------------


def test_tables_that_are_no_strategies(tree: GameTree, text: str) -> None:
    wrong = Solution.from_text(altered(text, lambda d: d["strategies"][0].pop(2)))
    assert wrong.tables[0].infosets == (0, 1, 3, 4, 5)
    with pytest.raises(CertificateError, match=r"the rows are not numbered 1, 2, 3, \.\.\.; row 3 has number 4"):
        wrong.tables[0].strategy()
    with pytest.raises(CertificateError, match=r"player 1, information set 3 \('Q'\): the row is missing"):
        tremble.nash_conv(tree, wrong.strategies)
    with pytest.raises(CertificateError, match=r"player 1, information set 3 \('Q'\): the row is missing"):
        wrong.tables[0].strategy(tree)
    assert Solution.from_text(wrong.to_text()).to_text() == wrong.to_text()
    assert not verify(tree, wrong).ok
    negative = [["check", "3/2"], ["bet", "-1/2"]]
    wrong = Solution.from_text(altered(text, lambda d: d["strategies"][0][0].update(actions=negative)))
    assert wrong.tables[0].row(0) == (F(3, 2), F(-1, 2))
    with pytest.raises(CertificateError, match=r"player 1, information set 1 \('J'\): .* negative: -1/2"):
        tremble.nash_conv(tree, wrong.strategies)


def test_tables_of_another_game(text: str) -> None:
    game = chain(4)
    one, two = Solution.from_text(text).tables
    found = list(faults(one, game))
    assert "player 1, information set 3 ('Q'): there is no such information set; the player has 2" in found
    assert any(fault.startswith("player 1, information set 1: the actions are 'check', 'bet', but") for fault in found)
    with pytest.raises(CertificateError):
        two.strategy(game)


# -- strategies alone ----------------------------------------------------------------------------


def test_a_file_by_hand(tmp_path: Path, tree: GameTree, text: str) -> None:
    rows = [
        [{"infoset": k + 1, "actions": [[label, "1/2"] for label in labels]} for k, labels in enumerate(sets)]
        for sets in tree.actions
    ]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"schema": "tremble/solution@1", "strategies": rows}))
    one, two = (table.strategy(tree) for table in read_profile(path).tables)
    assert tremble.nash_conv(tree, (one, two)) == F(11, 12)
    path.write_text(text, encoding="utf-8")
    assert [table.row(0) for table in read_profile(path).tables] == [
        table.row(0) for table in Solution.from_text(text).tables
    ]
    for content, message in (
        ('{"schema": "tremble/game@1", "strategies": [[], []]}', "schema: expected"),
        ('{"schema": "tremble/solution@1"}', "the field 'strategies' is missing"),
        ('{"schema": "tremble/solution@1", "strategies": [[], []], "values": [1, 2]}', r"values\[0\]: expected"),
        ('{"schema": "tremble/solution@1", "strategies": [[], []], "strategy": 1}', "unknown field 'strategy'"),
        ('{"schema": "tremble/solution@1", "strategies": [[{"infoset": 1}], []]}', "the field 'actions' is missing"),
    ):
        path.write_text(content)
        with pytest.raises(FormatError, match=message):
            read_profile(path)


def test_references_and_methods(tree: GameTree) -> None:
    assert GameReference.of(tree) == GameReference(None, "Kuhn poker", tree.digest)
    assert MethodReference("lp", {}) == MethodReference("lp", {})
    assert StrategyTable.of(BehaviorStrategy.uniform(tree, 1)).player == 1


# -- a corpus of damaged files -------------------------------------------------------------------

JUNK = [
    *("null", "true", "[]", "{}", "0", "-1", "7", "0.5", "1e400", "NaN", "-Infinity", "9" * 5000, '""', '"0"'),
    *('"1/0"', '"-0"', '"1/-2"', '"0x10"', '"1e9999999"', '"\\ud800"', '"\\u0000"', '"x"', "[[[[]]]]", '{"a":1,"a":2}'),
    *('"' + "9" * 4500 + '"', '"-1/3"', "[null, null]", "[[], []]", '["0", "0"]', "[" * 3000, '"best-response"'),
]
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')


def damaged(text: str, count: int) -> Iterator[str]:
    rng = random.Random(20)
    tokens = [match.span() for match in TOKEN.finditer(text)]
    lines = text.split("\n")
    for _ in range(count):
        damage = text
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            kind = rng.randrange(8)
            if kind == 0:
                start, end = rng.choice(tokens)
                damage = text[:start] + rng.choice(JUNK) + text[end:]
            elif kind == 1:
                start, end = rng.choice(tokens)
                damage = text[:start] + text[end:]
            elif kind == 2:
                (a, b), (c, d) = sorted(rng.sample(tokens, 2))
                damage = text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
            elif kind == 3:
                at = rng.randrange(len(damage) + 1)
                damage = (
                    damage[:at]
                    + rng.choice(['"', "\\", "{", "]", ",", "\x00", "9", "-", "/", "é", "\ud800"])
                    + damage[at:]
                )
            elif kind == 4:
                damage = damage[: rng.randrange(len(damage) + 1)]
            elif kind == 5:
                copy = lines.copy()
                copy.insert(rng.randrange(len(copy)), rng.choice(lines))
                damage = "\n".join(copy)
            elif kind == 6:
                copy = lines.copy()
                copy.pop(rng.randrange(len(copy)))
                damage = "\n".join(copy)
            else:
                at = rng.randrange(len(damage) or 1)
                damage = damage[:at] + rng.choice("0123456789/-x") + damage[at + 1 :]
        yield damage
    # Whole values replaced, so that most of the damage is well-formed JSON.
    for _ in range(count):
        document = json.loads(text)
        for _ in range(rng.choice((1, 1, 2))):
            holder: Any = document
            while True:
                key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
                if not isinstance(holder[key], dict | list) or not holder[key] or rng.random() < 0.15:
                    break
                holder = holder[key]
            action = rng.randrange(4)
            if action == 0:
                holder[key] = rng.choice(
                    [None, [], {}, 0, 3, 0.5, "", "1", "1/2", "-1/2", "x", [[]], {"kind": 0}, True]
                )
            elif action == 1:
                del holder[key]
            elif action == 2 and isinstance(holder, list):
                holder.insert(rng.randrange(len(holder) + 1), holder[key])
            else:
                holder["more" if isinstance(holder, dict) else key] = holder[key]
            if not document:
                break
        yield json.dumps(document)


def test_damaged_files(tree: GameTree, text: str) -> None:
    refusals: list[str] = []
    outcomes = {"problems": 0, "ok": 0}
    for damage in damaged(text, 1500):
        try:
            read = Solution.from_text(damage)
        except FormatError as error:
            refusals.append(str(error))
            continue
        verification = verify(tree, read)
        assert isinstance(verification, Verification)
        assert verification.ok == (not verification.problems)
        assert len(verification.problems) <= 21
        assert all(len(problem) < 1000 for problem in verification.problems)
        json.loads(read.to_text())
        outcomes["ok" if verification.ok else "problems"] += 1
    assert len(refusals) + sum(outcomes.values()) == 3000
    assert min(len(refusals), *outcomes.values()) > 20
    assert max(map(len, refusals)) < 500
    assert all(refusal.encode("utf-8") for refusal in refusals)


def test_damaged_bytes(tmp_path: Path, tree: GameTree, text: str) -> None:
    rng = random.Random(4)
    path = tmp_path / "damaged.json"
    for _ in range(300):
        data = bytearray(text.encode())
        for _ in range(rng.choice((1, 2, 50))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(bytes(data))
        with suppress(FormatError):
            verify(tree, Solution.from_json(path))


def test_functions_refuse_a_solution_with_swapped_strategies() -> None:
    kuhn = tremble.load("kuhn")
    solution = tremble.solve(kuhn)
    one, two = solution.strategies
    for strategies in ((two, one), (two, two), (one, one)):
        swapped = replace(solution, strategies=strategies)
        for function in (tremble.nash_conv, tremble.expected_values, tremble.audit):
            with pytest.raises(CertificateError, match=r"strategies\[[01]\]: this is a strategy of player [12]"):
                function(kuhn, swapped)
        assert "this is a strategy of player" in tremble.verify(kuhn, swapped).problems[0]


def test_fractions_of_numpy_integers_are_not_written() -> None:
    half = F(1, 2)
    half._numerator = np.int64(1)  # type: ignore[attr-defined]
    solution = replace(tremble.solve(tremble.load("kuhn")), stats={"half": half})
    with pytest.raises(CertificateError, match=r"stats\.half is a Fraction that does not consist of Python's integers"):
        solution.to_text()
