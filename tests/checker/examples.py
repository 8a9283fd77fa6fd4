"""Examples that the second checker must accept or refuse.

They are those of the page of the specification, honest files, small changes of honest files, and games.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import chdir, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from warnings import catch_warnings

import tremble
from checker.changed_files import CONCEPTS, mutations
from checker.second import kernel_accepts
from honest_files import FILE as HONEST

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "certificates.md"

Case = tuple[str, str, str, tuple[int, ...]]
"""The ending and the text of a game file, the text of a solution file, and the exit codes that are right."""


@cache
def page() -> tuple[dict[str, str], str]:
    """Return the files of the page, and its code without the sections that the second checker does not support."""
    text = PAGE.read_text("utf-8")
    files = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL))
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return files, "\n".join(part for part in code if "basis.json" not in part and "list_result" not in part)


def run_page(checker: Any) -> None:
    """Run the code of the page with the second checker in place of tremble; an assertion fails if it is wrong."""
    files, code = page()
    head, tail = code[: code.index("\nassert ")], code[code.index("\nassert ") :]
    names: dict[str, Any] = {}
    with TemporaryDirectory() as folder, chdir(folder):
        for name, text in files.items():
            Path(name).write_text(text)
        exec(head, names)  # it defines `files`, `result` and `put`

        def result(name: str, *changes: Any) -> Any:
            stated = dict(names["files"][name])
            for change in changes:
                stated.update(json.loads(files[change]) if isinstance(change, str) else change)
            game = checker.read_game(f"{name}.efg")
            code, message = checker.verdict(lambda: checker.check(game, json.dumps(stated).encode()))
            messages.append(message)
            if code:
                assert code == 1, message
                return "refused"
            words = [re.sub(" in which player [12] makes no mistakes", "", word) for word in message.split(", ")]
            proven = [word for word in words if not word.startswith("not ")]
            disproven = [word.removeprefix("not ") for word in words if word.startswith("not ")]
            return (proven or [None])[0], (disproven or [None])[0]

        messages: list[str] = []
        names["result"] = result
        exec(tail, names)
        one = "one-sided-quasi-perfect in which player {} makes no mistakes"
        assert messages[-1] == f"{one.format(1)}, not {one.format(2)}"  # the last example of the page


@cache
def honest() -> tuple[tuple[str, list[Any]], ...]:
    """Return the honest files of each tree: the text of the game, and the documents."""
    record = json.loads(HONEST.read_text("utf-8"))
    games = {name: game["efg"] for name, game in record["games"].items() if "efg" in game}
    return tuple(
        (text, documents)
        for name, text in games.items()
        if (documents := [each["document"] for each in record["files"] if each["game"] == name])
    )


def honest_cases() -> Iterator[Case]:
    """Yield the honest files. Some are not supported, and all others must be accepted."""
    for game, documents in honest():
        for document in documents:
            kind = document.get("certificate", {}).get("kind")
            supported = document["schema"] == "tremble/solution@1" and document["concept"] != "maxmin"
            yield "efg", game, json.dumps(document), (0 if supported and kind != "basis" else 3,)


LONG = "7" * 4300
NODES = [
    ["c", 1],
    ["p1", 1],
    ["t", "1", "2"],
    ["p2", 1],
    ["t", "0", "1/2"],
    ["t", "3", "-4"],
    ["p1", 1],
    ["t", "0x10", "1"],
    ["p2", 2],
    ["t", "-1/2", "0"],
]
TREE = {
    "schema": "tremble/game@1",
    "title": "",
    "players": ["a", "b"],
    "infosets": [
        [{"label": "", "actions": ["l", "r"]}],
        [{"label": "", "actions": n} for n in (["l", ""], ['"\\\n\u00e9'])],
    ],
    "chance": [{"actions": ["x", "y"], "probabilities": ["1/3", "2/3"]}],
    "nodes": NODES,
}
"""A JSON game."""


def _json_games() -> tuple[list[str], list[str]]:
    def tree(**changes: Any) -> str:
        return json.dumps({**TREE, **changes})

    def nodes(place: int, *new: Any) -> str:
        return tree(nodes=[*NODES[:place], *new, *NODES[place + 1 :]])

    def chance(*probabilities: Any, actions: Any = ("x", "y")) -> str:
        return tree(chance=[{"actions": list(actions), "probabilities": list(probabilities)}])

    sets, short = TREE["infosets"], {key: value for key, value in TREE.items() if key != "title"}
    good = [
        tree(),
        chance("0", "1"),
        nodes(2, ["t", "1/3", LONG[:3000]]),
        nodes(2, ["t", hex(2**13287), str(2**13287 - 1)]),
        nodes(2, ["t", "0x" + "f" * 39_998, "0"]),
        nodes(2, ["t", "-0x" + "f" * 4000 + "/0x1" + "0" * 4000, "0"]),
        "\ufeff" + tree(),
    ]
    bad = [
        tree(schema="tremble/game@2"),
        tree(more=1),
        json.dumps(short),
        tree(players=["a"]),
        tree(title=None),
        tree(chance=[]),
        tree(infosets=sets[:1]),
        tree(infosets=[sets[0], sets[1][:1]]),
        tree(infosets=[sets[0], [*sets[1], sets[0][0]]]),
        tree(infosets=[[{"label": "", "actions": ["l", "l"]}], sets[1]]),
        tree(infosets=[[{"label": "", "actions": []}], sets[1]]),
        tree(infosets=[sets[0], sets[1][::-1]]),
        chance("1/3", "1/3"),
        chance("-1", "2"),
        chance("1/3"),
        chance("1/3", "1/3", "1/3"),
        chance(),
        chance("2/6", "2/3"),
        chance("1", actions="x"),
        tree(nodes=[]),
        tree(nodes=[], infosets=[[], []], chance=[]),
        tree(nodes=NODES[:-1]),
        tree(nodes=[*NODES, ["t", "0", "0"]]),
        nodes(0, ["c", 0]),
        nodes(0, ["c", 2]),
        nodes(0, ["c", True]),
        nodes(0, ["c", "1"]),
        nodes(1, ["p3", 1]),
        nodes(1, ["p1", 2]),
        nodes(3, ["p2", 2]),
        nodes(3, ["p2", 0]),
        nodes(3, ["p2", -1]),
        nodes(2, ["t", "1"]),
        nodes(2, ["t", "1", 2]),
        nodes(2, ["t", "1", "2", "3"]),
        nodes(2, ["t", "2/4", "1"]),
        nodes(2, ["t", "-0", "1"]),
        nodes(2, ["t", "0x" + "f" * 39_999, "1"]),
        nodes(2, "t"),
        nodes(2, 5),
        nodes(2, {}),
        "[]",
        "null",
    ]
    return good, bad


EFG = """EFG 2 R "x" { "a" "b" } "comment"
c "" 1 "" { "" 1/2 "" .25 "a" 25e-2 } 3 "" { 1, 2.5 }
p "" 1 7 "n" { "a" "a" "a_1" "&#97;\\"" } 0
t "" 1 "" { 1 2 }
t "" 1
t "" 2 "" { 1e3, -.5 }
t "" 0
p "" 2 7 { "x" "" } 3
t "" 1
t "" 2
p "" 2 7 { "x" "_1" } 3
t "" 1 t "" 2 what follows is ignored"""
AGAIN = 'EFG 2 R "" { "" "" } c "" 1 { "a" 1/2 "b" 1/2 } 0 t "" 0 c "" 1 {} 0 t "" 0 t "" 0'


def _efg_games() -> tuple[list[str], list[str]]:
    def each(*changes: tuple[str, str]) -> list[str]:
        assert all(EFG.count(old) >= 1 for old, _ in changes)
        return [EFG.replace(old, new, 1) for old, new in changes]

    good = each(
        ("R", "D"),
        (' "comment"', ""),
        ("{ 1 2 }", "{ 1, 2, }"),
        ("{ 1 2 }", "{1,2}"),
        ("1e3", "+1.e+3"),
        ("1e3", "1E03"),
        ("1e3", "1e4300"),
        ("1e3", "1e-4300"),
        ("1e3", LONG),
        ("1e3", f"1/{LONG}"),
        ("1e3", f"{LONG[:2000]}.{LONG[:2300]}"),
        ('2 7 { "x" "_1" }', "2 7"),
        ('2 7 { "x" "_1" }', '2 7 { "x", "" }'),
        ("&#97;", "&#55296;"),
        ("&#97;", "&#1114112;"),
        ("&#97;", "&#1114111;"),
        ("&#97;", "&#57344;"),
        ("&#97;", "&#55295;"),
        ("&#97;", "&#00000097;"),
        ("&#97;", "\\\\"),
        ('"a_1"', '"a_2"'),
        ('"a_1"', '"a"'),
        ("1 7", "1 +7"),
        ("1 7", "1 -7"),
        ("1 7", "1 123456789012345678"),
        ('3 "" {', "3{"),
        ("ignored", '" {'),
        ('"" 2 what', '"" 2what'),
        ('"" 2 what', '"" 2 { 1e3, -.5 } { "what'),
        ('"" 2 what', '"" 2 "name" "what'),
        ("{ 1 2 }", "{ 2/2 4/2 }"),
        ('t "" 1 t', 't "" 1 "" { 2/2, 2.0 } t'),
    )
    bad = each(
        ("EFG", "efg"),
        ("EFG 2", "EFG 1"),
        ("R", "X"),
        ('"b"', ""),
        ('"b"', '"b" "c"'),
        ("1/2", "1/3"),
        ('"a" "a" "a_1" "&#97;\\""', '"a" 1/4 "a" 1/4 "a_1" 1/4 "&#97;\\"" 1/4'),
        ("1/2", "-1/2"),
        ("1/2", ""),
        ("25e-2", "25e-2 1"),
        ("25e-2", "25e-1"),
        ('"a" 25e-2', ""),
        ('2 7 { "x" "_1" }', '2 7 { "x" "y" }'),
        ('2 7 { "x" "_1" }', '2 7 { "x" }'),
        ('2 7 { "x" "_1" }', "2 7 { }"),
        ('2 7 { "x" "_1" }', "2 8"),
        ('2 7 { "x" "_1" }', "2 8 { }"),
        ('2 7 { "x" "" }', '2 7 { "x" 1 "" }'),
        ('2 7 { "x" "" }', '3 7 { "x" "" }'),
        ("1 7", "1 1234567890123456789"),
        ("1 7", "1 7.0"),
        ("1 7", "1 7/1"),
        ("1 7", "1 7e0"),
        ("1 7", "x 7"),
        ("1e3", "1e4301"),
        ("1e3", "1e-4301"),
        ("1e3", "1e99999"),
        ("1e3", LONG + "7"),
        ("1e3", f"1/{LONG}7"),
        ("1e3", f"{LONG[:2000]}.{LONG[:2301]}"),
        ("1e3", "1/0"),
        ("1e3", "0/00"),
        ("1e3", "1.2.3"),
        ("1e3", "1/2/3"),
        ("1e3", "1-2"),
        ("1e3", "x"),
        ("1e3", ""),
        ("{ 1 2 }", ""),
        ("{ 1 2 }", "{ 1 }"),
        ("{ 1 2 }", "{ 1 2 3 }"),
        ("{ 1 2 }", "{ 1 2"),
        ('t "" 1 t', 't "" 1 "" { 1, 3 } t'),
        ('t "" 1 t', 't "" 9 t'),
        ('"" 2 what', '"" 2 { what'),
        ('"" 2 what', '"" 2 { 1e3, -.5'),
        ('"" 2 what', ""),
        ('"" 2 what', '"" 2 "what'),
        ('"" 2 what', '"" 2+'),
        ('"" 2 what', '"" 2e-4'),
        ("ignored", "ignored\0"),
        ('p "" 2', 'p "" 2+'),
        (' t "" 2 what follows is ignored', ""),
        ('t "" 0', 't "" 0 { 1, 0 }'),
        ('p "" 2', "p 2"),
    )
    good += [AGAIN.replace("{}", later) for later in ("", '{ "a" .5, "b" 2/4, }')]
    bad += [AGAIN.replace("{}", later) for later in ("{ }", '{ "a" 1/4 "b" 3/4 }', '{ "b" 1/2 "a" 1/2 }')]
    return good, bad


def games() -> Iterator[tuple[str, str, bool]]:
    """Yield games that must be read (True) or refused (False): the ending and the text of the file."""
    for ending, (good, bad) in (("json", _json_games()), ("efg", _efg_games())):
        yield from ((ending, text, True) for text in good)
        yield from ((ending, text, False) for text in bad)


@cache
def digests() -> tuple[tuple[str, str, str | None], ...]:
    """Return the ending, the text and the digest of each of the games, or None if the file must be refused."""
    found = []
    with TemporaryDirectory() as folder, catch_warnings(action="ignore"):
        for ending, text, good in games():
            path = Path(folder) / f"game.{ending}"
            path.write_text(text, "utf-8")
            digest = None
            with suppress(tremble.TrembleError):
                digest = tremble.load(str(path)).digest
            assert (digest is not None) == good, text[:2000]
            found.append((ending, text, digest))
    return tuple(found)


def run_games(checker: Any, folder: Path) -> None:
    """Let the checker read the games; an assertion fails if it is wrong."""
    for name, right in (("game.nfg", 3), ("missing.efg", 2)):
        assert checker.verdict(lambda name=name: checker.read_game(folder / name))[0] == right
    for ending, text, digest in digests():
        path = folder / f"game.{ending}"
        path.write_text(text, "utf-8")
        code, game = checker.verdict(lambda path=path: checker.read_game(path))
        assert (code, None if code else game.digest) == (int(digest is None), digest), (game, text[:2000])


def text_cases() -> Iterator[Case]:
    """Yield texts of solution files that break the rules J, or almost break them."""
    files, _ = page()
    entry = files["entry.json"]

    def case(old: str, new: str, *codes: int) -> Case:
        assert old in entry
        return "efg", files["entry.efg"], entry.replace(old, new, 1), codes

    stats = '"stats": {}'
    yield case("{", "\ufeff{", 0)
    for inner in (
        '"a": 123456789012345678',
        '"a": -123456789012345678',
        '"a_float": 1.5',
        '"a": [{"b_float": 1e9}]',
        '"a": "\\ud83d\\ude00"',
    ):
        yield case(stats, f'"stats": {{{inner}}}', 0)
    for inner in (
        '"a": 1234567890123456789',
        '"a": -1234567890123456789',
        '"a": 1.5',
        '"a": NaN',
        '"a_float": Infinity',
        '"a": 1, "a": 1',
        '"a": {"b": 1, "b": 2}',
        '"a": "\\ud83d"',
        '"\\ude00": 1',
    ):
        yield case(stats, f'"stats": {{{inner}}}', 1)
    for old, new in (
        (stats, '"stats": []'),
        (stats, '"stats": null'),
        (', "options": {}', ""),
        ('"options": {}', '"options": []'),
        ('"schema": "tremble/solution@1"', '"schema": "tremble/solution@2"'),
        ('"spec": null', '"spec": 1'),
        ('"tremble": "0"', '"tremble": 0'),
        ('"requested": "nash"', '"requested": "none"'),
        ('"title": "entry"', '"title": null'),
        ('"spec": null, ', ""),
        ('"spec": null', '"digest": null, "spec": null'),
    ):
        if old in entry:
            yield case(old, new, 1)
    yield case('"spec": null', '"spec": "entry.efg"', 0)
    yield case("{", "{,", 1, 2)
    yield case("{", "[" * 100_000, 1, 2, 3)
    for value in (
        "0x0",
        "0xf/0x2",
        "-1/0x2",
        "0/1",
        "1/1",
        "00",
        "1/01",
        "0x01",
        "0xF",
        "7" * 4001,
        "1/-2",
        "--1",
        "1/2/3",
        " 0",
        "0 ",
    ):
        yield case('["0", "3"]', f'["{value}", "3"]', 1)
    for value in ("0x3", "3"):
        yield case('["0", "3"]', f'["0", "{value}"]', 0)


BACK = """EFG 2 R "back" { "Ann" "Bob" }
p "" 1 1 { "safe" "coin" } 0
t "" 1 { 1, 1 }
c "" 1 { "h" 1/2 "t" 1/2 } 0
p "" 2 1 { "a" "b" } 0
t "" 2 { 4, 2 }
t "" 3 { 4, 1 }
p "" 2 2 { "c" "d" } 0
t "" 4 { 0, -1 }
t "" 5 { 0, -2 }
"""
"""A game with perfect information and chance."""


HIDDEN = """EFG 2 R "hidden" { "Ann" "Bob" }
p "" 2 1 { "l" "r" } 0
p "" 1 1 { "a" "b" } 0
t "" 1 { 1, 0 }
t "" 0
p "" 1 1 0
t "" 1
t "" 0
"""
"""A game in which Ann does not see Bob's move, and action "a" is better after both."""


COSTS = """EFG 2 R "costs" { "Ann" "Bob" }
p "" 1 1 { "a" "b" } 0
p "" 2 1 { "r" "l" "m" } 0
t "" 1 { 5, -5 }
t "" 0
t "" 2 { 1, -1 }
p "" 2 1 0
t "" 0
t "" 0
t "" 3 { 2, -2 }
"""
"""A matrix game. After "a", Bob's actions cost 5, 0 and 1."""


DICE = """EFG 2 R "dice" { "Ann" "Bob" }
p "" 1 1 { "l" "r" } 0
c "" 1 { "h" 1/2 "t" 1/2 } 0
t "" 1 { 4, -4 }
t "" 1
p "" 2 1 { "x" "y" } 0
c "" 1 0
t "" 2 { 3, -3 }
t "" 2
t "" 0
"""
"""A game in which two nodes of chance are in one set, and Bob's node begins a subgame."""


OUTSIDE = """EFG 2 R "outside" { "Ann" "Bob" }
p "" 1 1 { "out" "in" } 0
t "" 1 { 9, -9 }
p "" 1 2 { "a" "b" } 0
p "" 2 1 { "l" "r" } 0
t "" 0
t "" 2 { 1, -1 }
p "" 2 1 0
t "" 0
t "" 3 { 2, -2 }
"""
"""A game with the matrix game `price` as a subgame."""


NESTED = """EFG 2 R "nested" { "Ann" "Bob" }
p "" 2 1 { "in" "out" } 0
p "" 1 1 { "A" "B" } 0
p "" 2 2 { "x" "y" } 0
t "" 1 { 1, 1 }
t "" 0
t "" 0
t "" 2 { 0, 3/2 }
"""
"""A game in which the payoffs of backward induction are polynomials of degree 2."""


RISK = """EFG 2 R "risk" { "Ann" "Bob" }
p "" 1 1 { "safe" "risk" } 0
t "" 1 { 1, 1 }
p "" 2 1 { "x" "y" } 0
t "" 1
t "" 0
"""
"""A game in which Ann loses if Bob makes a mistake."""


THREE = """EFG 2 R "three" { "Ann" "Bob" }
p "" 1 1 { "a" "b" "c" } 0
t "" 1 { 2, 0 }
t "" 2 { 1, 0 }
t "" 0
"""
"""A game in which only Ann moves."""


TWO_COINS = """EFG 2 R "two coins" { "Ann" "Bob" }
c "" 1 { "h" 1/2 "t" 1/2 } 0
p "" 1 1 { "a" "b" } 0
t "" 1 { 1, 0 }
t "" 0
c "" 2 { "h" 1/2 "t" 1/2 } 0
p "" 1 1 0
t "" 1
t "" 0
p "" 1 1 0
t "" 1
t "" 0
"""
"""A game in which chance has two sets, and Ann has one."""


SIDES = """EFG 2 R "sides" { "Ann" "Bob" }
c "" 1 { "go" 1 "no" 0 } 0
p "" 1 1 { "out" "enter" } 0
p "" 2 1 { "x" "y" "z" } 0
t "" 1 { 1, 1 }
t "" 1
t "" 1
p "" 2 2 { "share" "fight" } 0
t "" 2 { 2, 2 }
t "" 3 { -1, 0 }
p "" 2 2 0
t "" 2
t "" 3
"""
"""A game like `entry`. Bob also moves if Ann stays out, and chance never leads to the last node of his second set."""


FREE = """EFG 2 R "free" { "Ann" "Bob" }
p "" 1 1 { "l" "r" } 0
p "" 2 1 { "a" "b" } 1 { 1, 0 }
t "" 0
t "" 0
p "" 2 2 { "c" "d" } 0
t "" 0
t "" 0
"""
"""A game without a constant sum in which a player has two sets. Bob's payoffs are all 0."""


PURE = {"a": "1", "b": "0"}
FORGETFUL = """EFG 2 R "forgetful" { "Ann" "Bob" }
p "" 1 1 { "l" "r" } 0
p "" 1 2 { "a" "b" } 0
t "" 0
t "" 0
p "" 1 2 0
t "" 0
t "" 0
"""
"""A game in which Ann forgets her first move. All payoffs are 0."""


TWICE = """EFG 2 R "twice" { "Ann" "Bob" }
p "" 1 1 { "l" "r" } 0
t "" 0
p "" 1 2 { "a" "b" } 0
t "" 1 { 1, -1 }
t "" 0
"""
"""A game in which Ann moves twice."""


def case(game: str, code: int, *changes: dict[str, Any]) -> Case:
    """Return the file `entry.json` of the page with changes, for a game."""
    stated = json.loads(page()[0]["entry.json"])
    stated["game"]["digest"] = tremble.read_efg(game).digest
    for change in changes:
        stated.update(change)
    return "efg", game, json.dumps(stated), (code,)


def strategy(*sets: dict[str, str]) -> list[Any]:
    """Return the strategy of a player from the probabilities at each set."""
    return [{"infoset": k, "label": "", "actions": list(map(list, each.items()))} for k, each in enumerate(sets, 1)]


def best_response(*values: str) -> dict[str, Any]:
    """Return a certificate for an equilibrium with these payoffs."""
    return {"kind": "best-response", "nash_conv": "0", "best_response_values": list(values)}


def written_cases() -> Iterator[Case]:
    """Yield solution files that are written by hand."""
    files, _ = page()
    entry = json.loads(files["entry.json"])
    ranked = {"kind": "ranked-plans", "X": [["2", "1", "1"]], "Y": [["2", "1", "1"]]}
    yield case(files["entry.efg"], 1, {"concept": "proper", "certificate": ranked})
    bounded = [json.loads(files[name]) for name in ("price.json", "bounded.json")]
    for digits, code in ((199_997, 0), (199_998, 1)):
        yield case(files["price.efg"], code, *bounded, {"bounds": ["-0x" + "f" * digits, "2"]})
    free = {
        "values": ["1", "0"],
        "strategies": [strategy({"l": "1", "r": "0"}), strategy({"a": "1", "b": "0"}, {"c": "1", "d": "0"})],
        "certificate": best_response("1", "0"),
    }
    yield case(FREE, 0, free)
    shift = [[1, "-1"], [2, "1"]]
    dominated = {"concept": "normal-form-perfect", "kind": "dominated", "player": 1, "deviation": shift}
    yield case(files["price.efg"], 1, bounded[0], {"refutation": dominated})
    mistakes = {"concept": "quasi-perfect", "kind": "mistakes", "player": 1, "blocked": [2], "tight": []}
    back = {"deviation": [[1, "1"], [2, "-1"]], "flow": [], "ratio": []}
    yield case(files["entry.efg"], 1, json.loads(files["shared.json"]), {"refutation": mistakes | back})
    rules = {"default": "0", "rows": []}
    pairs = ([{}, {}], 2 * [["default"]], [[], {}], [[], [5]], [rules, []], [[], rules])
    for strategies in (None, 5, rules, [[]], [rules], 3 * [rules], *pairs):
        yield case(files["entry.efg"], 1, {"strategies": strategies})
    for strategies in ([rules, rules], {"npz": ""}):
        yield case(files["entry.efg"], 3, {"strategies": strategies})
    proper = [json.loads(files[name]) for name in ("dominated.json", "proper.json")]
    yield case(files["price.efg"], 1, bounded[0], *proper, {"refutation": None})
    halves = {"trembles": "any", "X": [["1", "0", "1"], ["0", "1/2", "-1/2"]]}
    refined = json.loads(files["quasi-perfect.json"])
    certificate = {"certificate": refined["certificate"] | halves}
    yield case(files["entry.efg"], 1, json.loads(files["shared.json"]), refined, certificate)
    zeros = 2 * [["0", "0", "0"]]
    for changes in (
        {"X": zeros, "Y": zeros, "denominator": ["0", "0"]},
        {"trembles": "any", "orders": ["any", "any"]},
        {"trembles": "any", "denominator": ["1", "2"]},
        {"trembles": "any", "X": [["1", "0", "1"], ["1", "1", "0"]]},
    ):
        certificate = {"certificate": refined["certificate"] | changes}
        yield case(files["entry.efg"], 1, json.loads(files["shared.json"]), refined, certificate)
    for kind in (5, None, []):
        yield case(files["entry.efg"], 1, {"refutation": {"concept": "nash", "kind": kind}})
        yield case(files["entry.efg"], 1, {"certificate": {**entry["certificate"], "kind": kind}})
    for text in ("[]", "null", "1"):
        yield "efg", files["entry.efg"], text, (1,)
    forgetful = {
        "values": ["0", "0"],
        "bounds": ["0", "0"],
        "strategies": [strategy({"l": "1", "r": "0"}, {"a": "1", "b": "0"}), []],
        "certificate": best_response("0", "0"),
    }
    yield case(FORGETFUL, 1, forgetful)
    stopped = {**forgetful, "status": "limit-reached", "certificate": {}, "bounds": None}
    gain = {"refutation": {"concept": "nash", "kind": "best-response"}}
    yield case(TWICE, 0, stopped, gain)  # M2: the second set is avoided, and has no mark
    stopped["strategies"] = [strategy({"l": "0", "r": "1"}, {"a": "0", "b": "1"}), []]
    for path, code in (([], 1), (["r"], 0), (["l"], 1)):
        refutation = {"concept": "subgame-perfect", "kind": "subgame", "path": path, "player": 1}
        yield case(TWICE, code, stopped, {"refutation": refutation})
    both = {"status": "certified", "values": ["1", "-1"], "bounds": ["1", "1"], "concept": "proper"}
    both["strategies"] = [strategy({"l": "0", "r": "1"}, {"a": "1", "b": "0"}), []]
    covering = [["1", "0", "1", "1", "0"], ["3", "1", "2", "1", "1"]]
    for opposite, code in (([["1"]], 0), ([], 1)):
        yield case(TWICE, code, stopped, both, {"certificate": {**ranked, "X": covering, "Y": opposite}})
    later = TWICE.replace('t "" 0', 't "" 2 { 2, -2 }', 1)
    plans = {"kind": "polynomials", "X": [["4", "2", "2", "1", "1"]], "Y": [["1"]]}
    best = {
        "values": ["2", "-2"],
        "bounds": ["2", "2"],
        "concept": "normal-form-perfect",
        "strategies": [strategy({"l": "1", "r": "0"}, {"a": "0", "b": "1"}), []],
        "certificate": {**plans, "denominator": ["4", "1"], "trembles": "any"},
    }
    yield case(later, 0, stopped, {"status": "certified"}, best)
    undominated = json.loads(files["undominated.json"])
    zero = {"certificate": {**undominated["certificate"], "Y": [["2", "2", "0"]], "trembles": ["any", "none"]}}
    yield case(files["price.efg"], 1, bounded[0], undominated, zero)
    nodes = [[{"infoset": 1, "nodes": [[[], "1"]]}], [{"infoset": 1, "nodes": [[["enter"], "1"]]}]]
    consistent = {"kind": "consistent-trembles", "trembles": None, "orders": None}
    sequential = {"concept": "sequential", "beliefs": nodes, "certificate": consistent}
    yield case(files["entry.efg"], 1, sequential)
    yield case(files["entry.efg"], 0, json.loads(files["shared.json"]), sequential)
    unbelieving = [[{"infoset": 1, "nodes": []}], nodes[1]]
    yield case(files["entry.efg"], 1, json.loads(files["shared.json"]), sequential, {"beliefs": unbelieving})
    up = [strategy({"out": "1", "left": "0", "right": "0"}), strategy({"up": "1", "down": "0"})]
    nodes = [nodes[0], [{"infoset": 1, "nodes": [[["left"], "1"], [["right"], "0"]]}]]
    orders = {"certificate": {**consistent, "orders": [[[1, 1, 2]], [[1, 1]]]}, "beliefs": nodes}
    signal = json.loads(files["signal.json"])
    yield case(files["signal.efg"], 0, signal, sequential, orders, {"strategies": up})
    first = [strategy({"l": "1", "r": "0"}, {"a": "1", "b": "0"}), []]
    for cost, code in (("-1", 1), ("0", 0)):
        refutation = {"concept": "proper", "kind": "dominated", "player": 1, "cost": cost}
        refutation["deviation"] = [[1, "-1"], [2, "1"], [3, "1"]]
        yield case(TWICE, code, stopped, {"strategies": first, "refutation": refutation})
    half = [strategy({"out": "1", "left": "0", "right": "0"}), strategy({"up": "1/2", "down": "1/2"})]
    signal = [json.loads(files[name]) for name in ("signal.json", "any.json")]
    yield case(files["signal.efg"], 1, *signal, {"strategies": half})
    yield case(files["entry.efg"], 3, {"certificate": {"kind": "other"}})
    longer = {**ranked, "Y": [["2", "1", "1", "1", "1"]]}
    yield case(FREE, 1, free, {"concept": "proper", "certificate": longer})
    signal = json.loads(files["signal.json"])
    yield case(
        files["signal.efg"], 1, signal, {"concept": "proper", "certificate": {**ranked, "X": [["3", "1", "1", "1"]]}}
    )
    played = json.loads(files["sequential.json"])
    left, right = ["left"], ["right"]
    for trembles, belief, code in (
        ([[["1", "1", "2"]], [["1", "1"]]], [[left, "1/3"], [right, "2/3"]], 0),
        ([[["1", "1", "2"]], [["1", "1"]]], [[right, "1/3"], [left, "2/3"]], 1),
        (None, [[left, "1/2"], [right, "1/2"]], 1),
    ):
        beliefs = [played["beliefs"][0], [{"infoset": 1, "nodes": belief}]]
        yield case(
            files["signal.efg"],
            code,
            signal,
            played,
            {"beliefs": beliefs, "certificate": {**consistent, "trembles": trembles}},
        )
    one_shot = {"values": ["1", "0"], "strategies": [strategy(PURE), []], "concept": "proper"}
    yield case(TWO_COINS, 0, one_shot, {"certificate": {**ranked, "Y": [["1"]]}})
    one_shot = {"values": ["2", "0"], "strategies": [strategy({"a": "1", "b": "0", "c": "0"}), []], "concept": "proper"}
    for plans, code in (
        ([["3", "1", "1", "1"], ["2", "1", "1", "0"]], 1),
        ([["2", "1", "1", "0"], ["3", "1", "1", "1"]], 0),
    ):
        yield case(THREE, code, one_shot, {"certificate": {**ranked, "X": plans, "Y": [["1"]]}})  # R5
    yield from backward_cases()
    yield from dominated_cases()
    yield from mistakes_cases()


def backward_cases() -> Iterator[Case]:
    """Yield files of the kind `backward-induction`, and others about games in which a player moves twice."""

    def both(game: str, quasi: int, perfect: int, values: list[str], *strategies: Any) -> Iterator[Case]:
        backward = {"values": values, "strategies": strategies}
        backward["certificate"] = {"kind": "backward-induction", "trembles": None}
        for concept, code in (("quasi-perfect", quasi), ("perfect", perfect)):
            bounds = {"bounds": 2 * values[:1]} if values[1] == f"-{values[0]}" else {}
            yield case(game, code, backward, bounds, {"concept": concept})

    yield from both(
        BACK, 0, 0, ["2", "1/2"], strategy({"safe": "0", "coin": "1"}), strategy(PURE, {"c": "1", "d": "0"})
    )
    left, right = {"l": "1", "r": "0"}, {"l": "0", "r": "1"}
    same = TWICE.replace('t "" 0', 't "" 1 { 1, -1 }', 1)
    yield from both(same, 0, 1, ["1", "-1"], strategy(right, PURE), [])  # Ann's own later mistakes
    yield from both(same, 0, 0, ["1", "-1"], strategy(left, PURE), [])
    risky = strategy({"safe": "0", "risk": "1"}), strategy({"x": "1", "y": "0"})
    yield from both(RISK, 1, 1, ["1", "1"], *risky)  # Bob's mistakes
    mixed = strategy({"a": "1/2", "b": "1/2"}, {"c": "1", "d": "0"})
    yield from both(FREE, 1, 1, ["1", "0"], strategy(left), mixed)
    yield from both(HIDDEN, 1, 1, ["1", "0"], strategy(PURE), strategy(left))
    gain = {"strategies": [strategy(left, {"a": "0", "b": "1"}), []], "certificate": best_response("2", "-2")}
    gain |= {"values": ["2", "-2"], "bounds": ["2", "2"], "concept": "subgame-perfect"}
    yield case(TWICE.replace('t "" 0', 't "" 2 { 2, -2 }', 1), 1, gain)
    play = {"strategies": [strategy(left), strategy({"x": "1", "y": "0"})], "values": ["4", "-4"], "bounds": ["4", "4"]}
    for concept, code in (("nash", 0), ("subgame-perfect", 1)):
        yield case(DICE, code, play, {"concept": concept, "certificate": best_response("4", "-4")})
    ann, bob = strategy({"out": "1", "in": "0"}, {"a": "0", "b": "1"}), strategy({"l": "0", "r": "1"})
    play = {"strategies": [ann, bob], "values": ["9", "-9"], "bounds": ["9", "9"]}
    yield case(OUTSIDE, 1, play, {"concept": "subgame-perfect", "certificate": best_response("9", "-9")})
    nested = strategy({"in": "0", "out": "1"}, {"x": "1", "y": "0"})
    yield from both(NESTED, 0, 0, ["0", "3/2"], strategy({"A": "1", "B": "0"}), nested)
    stopped = {"status": "limit-reached", "values": ["0", "0"], "certificate": {}}
    stopped["refutation"] = {"concept": "nash", "kind": "best-response"}
    marked = {"values": ["1", "-1"], "bounds": ["1", "1"], "certificate": best_response("1", "-1")}
    certificate = {"kind": "polynomials", "X": [["1", "1", "0", "0", "0"]], "Y": [["1"]], "denominator": ["1", "1"]}
    one_sided = {"concept": "one-sided-quasi-perfect", "certificate": certificate | {"trembles": ["none", []]}}
    yield case(same, 0, marked, one_sided, {"strategies": [strategy(left, PURE), []]})  # E4
    marks = (
        (TWICE, 0, {}, (False, True)),  # M2
        (TWICE, 1, {}, (True, False)),
        (same, 0, marked, (False, True)),  # M1
        (same, 1, marked, (False, False)),
        (same, 0, marked | {"concept": "subgame-perfect"}, (False, False)),  # M3
        (same, 1, marked | {"concept": "subgame-perfect"}, (False, True)),
    )
    for game, code, change, off_path in marks:
        sets = [entry | {"off_path": mark} for entry, mark in zip(strategy(left, PURE), off_path, strict=True)]
        yield case(game, code, change or stopped, {"strategies": [sets, []]})


def dominated_cases() -> Iterator[Case]:
    """Yield refutations of a strategy that another one dominates if Bob avoids his most expensive action, the first."""
    play = {
        "values": ["0", "0"],
        "bounds": ["0", "0"],
        "strategies": [strategy(PURE), strategy({"r": "0", "l": "1", "m": "0"})],
        "certificate": best_response("0", "0"),
    }
    stated = {"concept": "proper", "kind": "dominated", "player": 1, "deviation": [[1, "-1"], [2, "1"]]}
    for code, change in ((1, {}), (0, {"cost": "1"}), (0, {"cost": "9/2"}), (1, {"cost": "5"}), (1, {"cost": "1/2"})):
        yield case(COSTS, code, play, {"refutation": {**stated, **change}})
    yield case(COSTS.replace("{ 5, -5 }", "{ 1, -1 }"), 1, play, {"refutation": stated})
    # Against "b", Bob's actions cost 0, 0 and 2.
    certificate = {"kind": "ranked-plans", "X": [["2", "1", "1"]], "Y": [["1", "0", "1", "0"], ["2", "0", "1", "1"]]}
    proper = {"concept": "proper", "certificate": certificate}
    proper["strategies"] = [strategy({"a": "0", "b": "1"}), play["strategies"][1]]
    yield case(COSTS, 1, play, proper)  # R3: no plan covers "r"


def mistakes_cases() -> Iterator[Case]:
    """Yield refutations of the kind `mistakes`, and of a kind that does not exist."""
    files, _ = page()
    shared = json.loads(files["shared.json"])
    yield case(files["entry.efg"], 3, {"refutation": {"concept": "nash", "kind": "other"}})
    bounded = [json.loads(files[name]) for name in ("price.json", "bounded.json")]
    threat = json.loads(files["threat.json"])["refutation"]
    for concept in CONCEPTS:
        gain = {"concept": concept, "kind": "best-response"}
        yield case(files["price.efg"], int(concept in ("maxmin", "other")), *bounded, {"refutation": gain})
        possible = concept in ("subgame-perfect", "quasi-perfect", "sequential", "perfect")
        yield case(files["entry.efg"], 1 - possible, {"refutation": {**threat, "concept": concept}})
    base = {"concept": "sequential", "kind": "mistakes", "player": 1, "tight": [], "flow": [], "ratio": []}
    wrong = {**base, "blocked": [1], "deviation": [], "ratio": [[1, "-1"]]}  # F12
    yield case(files["entry.efg"], 1, shared, {"refutation": wrong})
    threat = {
        "values": ["1", "1"],
        "strategies": [
            strategy({"out": "1", "enter": "0"}),
            strategy({"x": "1", "y": "0", "z": "0"}, {"share": "0", "fight": "1"}),
        ],
        "certificate": best_response("1", "1"),
    }
    base |= {"blocked": [2]}
    share, plans = [[4, "1"], [5, "-1"]], {"concept": "quasi-perfect"}
    for code, change in (
        (0, {"deviation": share}),
        (1, {"deviation": [[1, "-1"], [2, "1"], *share]}),  # F11: Ann's other sequence reaches the first set
        (0, {"deviation": [[1, "-1"], [2, "1"], *share], "tight": [2, 4]} | plans),
        (1, {"deviation": [[2, "-1"], [3, "1"], *share], "tight": [3, 4]} | plans),  # F10
        (1, {"deviation": share} | plans),
    ):
        yield case(SIDES, code, threat, {"refutation": {**base, **change}})
    reached = SIDES.replace('"go" 1 "no" 0', '"go" .5 "no" .5').replace('t "" 2\nt "" 3', 't "" 1\nt "" 1')
    yield case(reached, 1, threat, {"refutation": {**base, "deviation": share}})
    stated = json.loads(files["mistakes.json"])["refutation"]
    for name, place in (("flow", 2), ("ratio", 3), ("deviation", 3)):
        yield case(files["entry.efg"], 1, {"refutation": {**stated, name: [*stated[name], [place, "1"]]}})


def other_concepts(folder: Path) -> Iterator[Case]:
    """Yield honest files that claim or refute another concept, with the verdict of the kernel."""
    for game, documents in honest():
        for document in documents:
            changes = [{"concept": "perfect"}] if document.get("concept") == "quasi-perfect" else []
            refutation = document.get("refutation") or {}
            if refutation.get("kind") == "mistakes" and "quasi" in refutation["concept"]:
                changes += [
                    {"refutation": {**refutation, "concept": concept, "tight": tight}}
                    for concept in ("sequential", "perfect")
                    for tight in ([], refutation["tight"])
                ]
            for change in changes:
                text = json.dumps({**document, **change})
                (folder / "solution.json").write_text(text)
                accepts = kernel_accepts(tremble.read_efg(game), folder / "solution.json")
                yield "efg", game, text, (0 if accepts else 1,)


def changed_cases(folder: Path, number: int) -> Iterator[Case]:
    """Yield changed honest files with the verdict of the kernel, several for each file."""
    for game, documents in honest():
        (folder / "game.efg").write_text(game)
        tree = tremble.load(str(folder / "game.efg"))
        singles = [document for document in documents if document["schema"] == "tremble/solution@1"]
        for k, document in enumerate(singles):
            for text in mutations(document, singles, f"{game} {k}", number):
                data = text.encode("utf-8", "surrogatepass")
                (folder / "solution.json").write_bytes(data)
                accepts = kernel_accepts(tree, folder / "solution.json")
                yield "efg", game, text, (0, 3) if accepts else (1, 2, 3)


def failures(checker: Any, cases: Iterator[Case], folder: Path) -> Iterator[str]:
    """Yield a description of each case that the checker judges wrongly."""
    games: dict[str, Any] = {}
    for ending, game, solution, codes in cases:
        if game not in games:
            path = folder / f"case.{ending}"
            path.write_bytes(game.encode("utf-8", "surrogatepass"))
            games[game] = checker.verdict(lambda path=path: checker.read_game(path))
        code, tree = games[game]
        message = tree
        if code == 0:
            data = solution.encode("utf-8", "surrogatepass")
            code, message = checker.verdict(lambda tree=tree, data=data: checker.check(tree, data))
        if code not in codes:
            yield f"exit code {code}, not {codes}: {message}\n{game}\n{solution}"
