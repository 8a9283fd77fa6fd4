"""Rules of docs/reference/certificates.md that are easy to misread: both checkers answer as the page says."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import tremble
from checker.second import CHECKER, kernel_accepts

ENTRY = """EFG 2 R "entry" { "Ann" "Bob" }
p "" 1 1 "" { "out" "enter" } 0
t "" 1 "" { 0, 3 }
p "" 2 1 "" { "share" "fight" } 0
t "" 2 "" { 2, 2 }
t "" 3 "" { -1, 0 }
"""
# Chance never leads to the right. Ann would gain there by "b", and Bob by "r".
NEVER = """EFG 2 R "never" { "Ann" "Bob" }
c "" 1 "" { "left" 1 "right" 0 } 0
p "" 1 1 "" { "a" "b" } 0
t "" 1 "" { 1, 0 }
t "" 2 "" { 0, 1 }
p "" 1 2 "" { "a" "b" } 0
t "" 3 "" { 0, 5 }
p "" 2 1 "" { "l" "r" } 0
t "" 4 "" { 7, 0 }
t "" 5 "" { 7, 2 }
"""
# Chance may lead to both nodes of Bob's set, but then never to the leaf with the payoff 9.
LEAF = """EFG 2 R "leaf" { "Ann" "Bob" }
p "" 1 1 "" { "x" "y" } 0
p "" 2 1 "" { "l" "r" } 0
t "" 1 "" { 1, 1 }
c "" 1 "" { "h" 1 "t" 0 } 0
t "" 2 "" { 0, 0 }
t "" 3 "" { 0, 9 }
p "" 2 1 0
t "" 2
c "" 1 0
t "" 2
t "" 3
"""
OUT = [{"infoset": 1, "label": "", "actions": [["out", "1"], ["enter", "0"]]}]
ENTER = [{"infoset": 1, "label": "", "actions": [["out", "0"], ["enter", "1"]]}]
FIGHT = [{"infoset": 1, "label": "", "actions": [["share", "0"], ["fight", "1"]]}]
SHARE = [{"infoset": 1, "label": "", "actions": [["share", "1"], ["fight", "0"]]}]
THREAT = {"concept": "sequential", "kind": "subgame", "path": ["enter"], "player": 2}
ONES, ANY = [[["1", "1"]], [["1", "1"]]], [[1, 1]]


def best_response(*values: str) -> dict[str, Any]:
    """Return a certificate for an equilibrium with these payoffs."""
    return {"kind": "best-response", "nash_conv": "0", "best_response_values": list(values)}


def refined(trembles: Any, orders: Any) -> dict[str, Any]:
    """Return fields that prove the quasi-perfect equilibrium of `entry`, with trembles and orders."""
    return {
        "concept": "quasi-perfect",
        "values": ["2", "2"],
        "strategies": [ENTER, SHARE],
        "certificate": {
            "kind": "polynomials",
            "X": [["1", "0", "1"], ["0", "1", "-1"]],
            "Y": [["1", "1", "0"], ["0", "-1", "1"]],
            "denominator": ["1", "1"],
            "trembles": trembles,
            "orders": orders,
        },
    }


def dominated(**changes: Any) -> dict[str, Any]:
    """Return fields that refute a proper equilibrium of `entry`: Bob should share, not fight."""
    changed = {"concept": "proper", "kind": "dominated", "player": 2, "deviation": [[1, "1"], [2, "-1"]], **changes}
    return {"refutation": changed}


def nested(levels: int) -> Any:
    """Return an object that is nested this deep."""
    value: Any = []
    for _ in range(levels - 2):
        value = [value]
    return {"a": value}


def judged(folder: Path, game: str, *changes: dict[str, Any], stats: str = "{}") -> tuple[bool, int]:
    """Return the answer of the kernel, and the exit code of the second checker."""
    (folder / "game.efg").write_text(game)
    tree = tremble.load(folder / "game.efg")
    stated: dict[str, Any] = {
        "schema": "tremble/solution@1",
        "tremble": "0",
        "game": {"spec": None, "title": "", "digest": tree.digest},
        "concept": "nash",
        "requested": "nash",
        "method": {"name": "by hand", "options": {}},
        "status": "certified",
        "values": ["0", "3"],
        "strategies": [OUT, FIGHT],
        "certificate": best_response("0", "3"),
        "stats": "STATS",
    }
    for change in changes:
        stated.update(change)
    text = json.dumps(stated).replace('"STATS"', stats)
    path = folder / "solution.json"
    path.write_text(text)
    mine = CHECKER.read_game(folder / "game.efg")
    return kernel_accepts(tree, path), CHECKER.verdict(lambda: CHECKER.check(mine, text.encode()))[0]


ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("P1", refined(None, None)),
    ("P1", refined(None, [ANY, ANY])),
    ("P1", refined(["any", "any"], ["any", "any"])),
    ("P1", refined(["any", ONES[1]], ["any", ANY])),
    ("P1", refined(["any", ONES[1]], None)),
    ("F8", dominated(cost="1")),
    ("F8", dominated()),
    ("C7", {"refutation": THREAT}),
    ("J5", {"stats": nested(64)}),
]
MALFORMED: tuple[Any, ...] = (
    None,
    1,
    "x",
    {},
    [],
    [OUT],
    [OUT, FIGHT, []],
    [[1], FIGHT],
    [{}, {}],
    [OUT, {}],
    [OUT, None],
    [{"default": "0"}, []],
    3 * [{"default": "0"}],
    [[{"infoset": 1, "label": ""}], FIGHT],
)
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("P1", refined(None, ["any", "any"])),
    ("P1", refined(None, ["any", ANY])),
    ("P1", refined(None, ["none", ANY])),
    ("P1", refined("any", ["any", "any"])),
    ("P1", refined(["any", ONES[1]], [ANY, ANY])),
    ("P1", refined(ONES, ["any", ANY])),
    ("P1", refined(["any", "any"], [None, None])),
    ("J4", refined(ONES, [[[10**18, 1]], ANY])),
    ("F8", dominated(cost="0")),
    ("F8", dominated(cost="-1")),
    ("F8", dominated(deviation=[[1, "-1"], [2, "1"]])),
    ("C5", {"status": "other"}),
    ("C6", {"certificate": {"kind": "polynomials"}}),
    ("C6", {"certificate": {"kind": 1}}),
    ("C6", {"certificate": {"nash_conv": "0", "best_response_values": ["0", "3"]}}),
    ("F1", {"refutation": {**THREAT, "concept": "proper"}}),
    ("F1", {"refutation": {"kind": "mistakes"}}),
    ("F1", {"refutation": {}}),
    ("strategies", {"strategies": [[], []]}),
    ("strategies", {"strategies": [OUT, []]}),
    ("strategies", {"strategies": [OUT, 2 * FIGHT]}),
    *(("strategies", {"strategies": wrong}) for wrong in MALFORMED),
]
# Answers other than "accepted": the second checker may answer "not supported" (exit code 3).
NOT_ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("names", {"concept": "other"}),
    ("names", {"requested": "other"}),
    ("names", {"certificate": {"kind": "other"}}),
    ("names", {"refutation": {**THREAT, "kind": "other"}}),
    ("names", {"refutation": {**THREAT, "concept": "other"}}),
    ("strategies", {"strategies": 2 * [{"default": "0", "rows": []}]}),
    ("strategies", {"strategies": {"npz": ""}}),
]


@pytest.mark.parametrize(("rule", "change"), ACCEPTED)
def test_both_accept(rule: str, change: dict[str, Any], tmp_path: Path) -> None:
    assert judged(tmp_path, ENTRY, change) == (True, 0), rule


@pytest.mark.parametrize(("rule", "change"), REFUSED)
def test_both_refuse(rule: str, change: dict[str, Any], tmp_path: Path) -> None:
    assert judged(tmp_path, ENTRY, change) == (False, 1), rule


@pytest.mark.parametrize(("rule", "change"), NOT_ACCEPTED)
def test_neither_accepts(rule: str, change: dict[str, Any], tmp_path: Path) -> None:
    accepted, code = judged(tmp_path, ENTRY, change)
    assert not accepted, rule
    assert code in (1, 3), rule


@pytest.mark.parametrize(
    ("stats", "code"),
    [
        ('{"a_float": [1.5, [2e3]]}', 0),
        ('{"a_float": {"b_float": [1.5]}}', 0),
        ('{"a": [-999999999999999999]}', 0),
        ('{"a_float": {"b": 1.5}}', 1),
        ('{"a": 1.5}', 1),
        ('{"a_float": [NaN]}', 1),
        ('{"a": [-1000000000000000000]}', 1),
        ('{"a": 1000000000000000000}', 1),
        ('{"a": "\\ud800"}', 1),
    ],
)
def test_numbers_and_texts_of_stats(stats: str, code: int, tmp_path: Path) -> None:
    assert judged(tmp_path, ENTRY, stats=stats) == (not code, code)


@pytest.mark.parametrize("stats", ['{"a": [1.5]}', '{"a_float": 1e999}', json.dumps(nested(65))])
def test_the_second_checker_may_ignore_stats(stats: str, tmp_path: Path) -> None:
    accepted, code = judged(tmp_path, ENTRY, stats=stats)
    assert not accepted
    assert code in (0, 1)


def test_subgames_that_chance_never_reaches_do_not_count(tmp_path: Path) -> None:
    play = {
        "values": ["1", "0"],
        "strategies": [
            [{"infoset": k, "label": "", "actions": [["a", "1"], ["b", "0"]]} for k in (1, 2)],
            [{"infoset": 1, "label": "", "actions": [["l", "1"], ["r", "0"]]}],
        ],
        "certificate": best_response("1", "0"),
        "concept": "subgame-perfect",
    }
    worse = json.loads(
        json.dumps(play).replace(
            '"infoset": 1, "label": "", "actions": [["a", "1"], ["b", "0"]]',
            '"infoset": 1, "label": "", "actions": [["a", "0"], ["b", "1"]]',
        )
    )
    assert judged(tmp_path, NEVER, play) == (True, 0)
    assert judged(tmp_path, NEVER, worse, {"values": ["0", "1"]}) == (False, 1)
    for path, player in ((["right"], 1), (["right", "b"], 2)):
        refutation = {"concept": "subgame-perfect", "kind": "subgame", "path": path, "player": player}
        assert judged(tmp_path, NEVER, play, {"concept": "nash", "refutation": refutation}) == (False, 1)


def test_leaves_that_chance_never_reaches_add_nothing(tmp_path: Path) -> None:
    def file(bob: tuple[str, str], earned: str) -> dict[str, Any]:
        return {
            "concept": "sequential",
            "values": [earned, earned],
            "strategies": [
                [{"infoset": 1, "label": "", "actions": [["x", "1"], ["y", "0"]]}],
                [{"infoset": 1, "label": "", "actions": [["l", bob[0]], ["r", bob[1]]]}],
            ],
            "beliefs": [
                [{"infoset": 1, "nodes": [[[], "1"]]}],
                [{"infoset": 1, "nodes": [[["x"], "1"], [["y"], "0"]]}],
            ],
            "certificate": {"kind": "consistent-trembles", "trembles": None, "orders": None},
        }

    assert judged(tmp_path, LEAF, file(("1", "0"), "1")) == (True, 0)
    assert judged(tmp_path, LEAF, file(("0", "1"), "0")) == (False, 1)


# -- Gambit files: one change of `entry`, or of `never` --------------------------------------------------


def digests(folder: Path, text: str) -> tuple[str | None, str | None]:
    """Return the digests that both readers compute, or None for a file that is refused."""
    path = folder / "game.efg"
    path.write_bytes(text.encode())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tremble.errors.TrembleWarning)
            mine = tremble.load(path).digest
    except tremble.TrembleError:
        mine = None
    code, found = CHECKER.verdict(lambda: CHECKER.read_game(path))
    assert code in (0, 1)
    return mine, None if code else found.digest


LAST = 't "" 3 "" { -1, 0 }\n'
SAME_GAME = [
    ('{ "out" "enter" }', '{ "out", "enter", }'),
    ('"Ann" "Bob" }', '"Ann", "Bob", }\n"a comment"'),
    ("{ 0, 3 }", "{ 0 3, }"),
    ("{ -1, 0 }", "{ -1., +0e3 }"),
    ("} 0\nt", '} 0 "nothing" { 0, 0 }\nt'),
    ("} 0\nt", "} -0t"),
    ('"" 2 1 "" {', '"" 2 +1{'),
    ("EFG 2 R", "EFG2D"),
    ('"out"', '"&#111;ut"'),
    ("{ -1, 0 }\n", '{ -1, 0 } text " after the tree'),
]
OTHER_GAME = [
    ('"out"', r'"out\\"'),
    ('"out"', r'"o\ut"'),
    ('"out"', r'"out\" "'),
    ('"out"', '"o\nut"'),
    ('"out"', '"enter"'),
    ('"out"', '""'),
    ('"out"', '"&#1114112;"'),
    ("{ 0, 3 }", "{ 1e4300, 3 }"),
    (LAST, 't "" 2end'),
    (LAST, 't "" 2 "a" "b'),
    (LAST, 't "" 2 "" { 2, 2 } { x'),
]
NO_GAME = [
    ('{ "out" "enter" }', "{ }"),
    ('{ "out" "enter" }', '{ , "out" "enter" }'),
    ('{ "out" "enter" }', '{ "out",, "enter" }'),
    ('"out"', r'"out\"'),
    ("} 0\nt", '} 0 "" { 0, 1 }\nt'),
    ("} 0\nt", "} 0.\nt"),
    ("} 0\nt", "} 0/1\nt"),
    ("} 0\nt", "} 0e1\nt"),
    ("} 0\nt", f"}} {10**18}\nt"),
    ('"Ann" "Bob"', '"Ann"'),
    ('"Ann" "Bob"', '"Ann" "Bob" "Cem"'),
    ('p "" 1 1', 'p "" 3 1'),
    ('p "" 1 1', 'p "" 12+1'),
    ("{ 0, 3 }", "{ 0+3 }"),
    ("{ 0, 3 }", "{ 1-3 }"),
    ("{ 0, 3 }", "{ 0 }"),
    ("{ 0, 3 }", "{ 0, 3, 3 }"),
    ("{ 0, 3 }", "{ 1/0, 3 }"),
    ("{ 0, 3 }", "{ 1e4301, 3 }"),
    ("{ 0, 3 }", "{ 1e-4301, 3 }"),
    ("{ 0, 3 }", f"{{ {'1' * 4301}, 3 }}"),
    ("\np", "\u00a0\np"),
    ('"out"', '"o\0ut"'),
    ('p "" 1 1', 'p "" 1+1'),
    ('p "" 1 1', 'p "" 1-1'),
    ("} 0\nt", f"}} {'0' * 19}\nt"),
    (LAST, 't "" 2 "'),
    (LAST, 't "" 2 "" {'),
    (LAST, 't "" 2 { 2'),
    (LAST, 't "" 2+'),
    (LAST, 't "" 2-'),
    (LAST, 't "" 2e5'),
    (LAST, 't "" 2 after the tree\0'),
]


@pytest.mark.parametrize(("old", "new"), SAME_GAME)
def test_the_same_gambit_game(old: str, new: str, tmp_path: Path) -> None:
    assert old in ENTRY
    mine, other = digests(tmp_path, ENTRY.replace(old, new, 1))
    assert mine == other == digests(tmp_path, ENTRY)[0]


@pytest.mark.parametrize(("old", "new"), OTHER_GAME)
def test_another_gambit_game(old: str, new: str, tmp_path: Path) -> None:
    mine, other = digests(tmp_path, ENTRY.replace(old, new, 1))
    assert mine == other != digests(tmp_path, ENTRY)[0]
    assert mine is not None


@pytest.mark.parametrize(("old", "new"), NO_GAME)
def test_no_gambit_game(old: str, new: str, tmp_path: Path) -> None:
    assert old in ENTRY
    assert digests(tmp_path, ENTRY.replace(old, new, 1)) == (None, None)


@pytest.mark.parametrize(
    ("later", "same"),
    [
        ('{ "h" 1 "t" 0 } 0', True),
        ('{ "h" 1.0, "t" 0/3, } 0', True),
        ("{ } 0", False),
        ('{ "h" 0 "t" 1 } 0', False),
        ('{ "t" 1 "h" 0 } 0', False),
        ('{ "h" "t" } 0', False),
    ],
)
def test_later_mentions_of_a_chance_set(later: str, same: bool, tmp_path: Path) -> None:
    mine, other = digests(tmp_path, LEAF.replace('c "" 1 0', f'c "" 1 {later}'))
    assert mine == other == (digests(tmp_path, LEAF)[0] if same else None)
