"""Command lines: exit codes, the numbers on standard output, the keys of JSON, and the files that are written.

Every line runs in a fresh copy of one folder, which :func:`_prepare` fills. Lines run in this process, but for those
that need a process of their own: with a time limit, with workers, or with a variable of the environment.

Times, sizes in bytes and versions are left out. Lines that are marked ``changes`` use what the redesign removes or
makes smaller; :func:`compare` reports them apart.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.golden.access import Ended, call_command, in_folder, run_process, stable_text

__all__ = ["Line", "as_process", "compare", "filled_folder", "lines", "outcome", "record"]


class Line(NamedTuple):
    """A command line: its words, standard input, whether it runs in its own process, and what is recorded."""

    words: str
    stdin: str | None = None
    process: bool = False
    numbers: bool = True
    """Whether the numbers are the same each time: not after a time limit."""
    changes: bool = False
    """Whether it uses a feature that the redesign removes or makes smaller."""

    @property
    def name(self) -> str:
        if self.stdin is None:
            return self.words
        return f"{self.words} < {hashlib.sha256(self.stdin.encode()).hexdigest()[:6]}"


# -- the folder ----------------------------------------------------------------------------------------

CHICKEN = """EFG 2 R "chicken" { "Ann" "Bob" } ""
p "" 1 1 "a" { "swerve" "straight" } 0
p "" 2 1 "b" { "swerve" "straight" } 0
t "" 1 "" { 0, 0 }
t "" 2 "" { -1, 1 }
p "" 2 1 "b" { "swerve" "straight" } 0
t "" 3 "" { 1, -1 }
t "" 4 "" { -10, -10 }
"""
THIRDS = """EFG 2 R "thirds" { "One" "Two" } ""
c "" 1 "" { "x" 0.333 "y" 0.333 "z" 0.333 } 0
t "" 1 "" { 3, -3 }
p "" 1 1 "one" { "l" "r" } 0
t "" 2 "" { 1, -1 }
t "" 3 "" { 2, -2 }
p "" 2 1 "two" { "l" "r" } 0
t "" 4 "" { 0, 0 }
t "" 5 "" { -1, 1 }
"""
TEXTS = {
    "chicken.efg": CHICKEN,
    "thirds.efg": THIRDS,
    "empty.efg": "",
    "words.efg": "this is no game\n",
    "cut.efg": CHICKEN[: len(CHICKEN) // 2],
    "player7.efg": CHICKEN.replace('p "" 2 1 "b"', 'p "" 7 1 "b"', 1),
    "payoffs.efg": CHICKEN.replace("{ 0, 0 }", "{ 0 }"),
    "labels.efg": CHICKEN.replace('{ "swerve" "straight" } 0\nt "" 3', '{ "swerve" "go" } 0\nt "" 3'),
    "three.efg": CHICKEN.replace('{ "Ann" "Bob" }', '{ "Ann" "Bob" "Cid" }'),
    "alone.efg": 'EFG 2 R "alone" { "Ann" } ""\np "" 1 1 "a" { "l" "r" } 0\nt "" 1 "" { 1 }\nt "" 2 "" { 2 }\n',
    "huge.efg": CHICKEN.replace("-10, -10", "1e99999, 0"),
    "workbook.efg": '<?xml version="1.0"?>\n<gambit:document version="0.1"><game><efgfile></efgfile>',
    "game.txt": CHICKEN,
    "sexes.nfg": 'NFG 1 R "sexes" { "Ann" "Bob" }\n{ 2 2 }\n\n3 2 0 0 0 0 2 3\n',
    "cut.nfg": 'NFG 1 R "sexes" { "Ann" "Bob" }\n{ 2 2 }\n\n3 2 0 0\n',
    "bare.json": json.dumps({
        "strategies": [[{"infoset": 1, "actions": [["swerve", "1/2"], ["straight", "1/2"]]}]] * 2,
    }),
    "uniform.txt": "NE," + ",".join(["1/2"] * 24) + "\n",
    "rounded.txt": "NE," + ",".join(["0.333", "0.667"] * 12) + "\n",
    "short.txt": "NE,1/2,1/2\n",
    "mixed.txt": "NE,1/2,1/2,1/2,1/2\n",
    "pure.txt": "NE,1,0,0,1\n",
    "nine.txt": "NE,9/10,1/10,9/10,1/10\n",
    "float.txt": "NE,0.9,0.1,0.9,0.1\n",
    "over.txt": "NE,1,1,0,1\n",
    "no.json": "{",
    "nan.json": '{"strategies": NaN}',
    "twice.json": '{"strategies": [], "strategies": []}',
    "array.json": "[1, 2]",
    "trembles.json": json.dumps({
        "schema": "tremble/trembles@1",
        "trembles": [[{"infoset": 1, "actions": [["check", "1/10"], ["bet", "2"]]}], []],
    }),
    "orders.json": json.dumps({
        "schema": "tremble/trembles@1",
        "trembles": [[{"infoset": 1, "actions": [["check", "1", 1], ["bet", "2", 3]]}], []],
    }),
    "one_sided.json": json.dumps({"schema": "tremble/trembles@1", "trembles": [[], "none"]}),
    "bad_trembles.json": json.dumps({
        "schema": "tremble/trembles@1",
        "trembles": [[{"infoset": 1, "actions": [["check", "0"], ["bet", "2"]]}], []],
    }),
    "groups.txt": "1 2\n",
    "bad_groups.txt": "1 99\n",
    "prior.json": json.dumps({
        "schema": "tremble/trembles@1",
        "trembles": [[{"infoset": 1, "actions": [["swerve", "3"], ["straight", "1"]]}], []],
    }),
}  # fmt: skip

RULES = "border_patrol:depth=3,slow=false"
ORDERED = "rhode_island:raises=1,ranks=2,suits=2"
SMALL_LEDUC = "leduc:raises=1,ranks=2"

FIRST = (
    *("solve kuhn -o kuhn.json", "solve kuhn --concept quasi-perfect -o qpe.json", "convert kuhn kuhn.efg"),
    *("solve kuhn --concept sequential -o se.json", "solve kuhn --concept perfect -o efpe.json"),
    *(
        "solve kuhn --concept proper -o proper.json",
        "solve kuhn --method cfr+ --iterations 20 -o cfr.json --log cfr.log",
    ),
    *("solve chicken.efg -o chicken.json", "solve chicken.efg --all -o all.json"),
    *("solve chicken.efg --all --concept perfect -o judged.json", "solve sexes.nfg --all -o sexes.json"),
    *("solve a_loss_counterexample --concept maxmin --jobs 1 -o maxmin.json", f"solve {SMALL_LEDUC} -o leduc.json"),
    *("solve entry_deterrence --concept sequential -o entry.json", f"solve {RULES} --max-nodes 100 -o border.json"),
    f"solve {ORDERED} --max-nodes 100 --method lp -o rhode.json",
    *("certify kuhn uniform.txt --concept quasi-perfect -o refuted.json", "convert kuhn kuhn_game.json"),
    "solve kuhn --concept maxmin --method branch-and-bound --jobs 1 -o bnb.json",
)
"""The commands that fill the folder. Their exit codes are recorded too."""


def _damaged(honest: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield names and texts of damaged files of a solution of Kuhn poker."""

    def changed(**fields: Any) -> str:
        return json.dumps({**honest, **fields})

    def row(player: int, index: int, **fields: Any) -> str:
        strategies = json.loads(json.dumps(honest["strategies"]))
        strategies[player][index].update(fields)
        return changed(strategies=strategies)

    one, two = honest["strategies"]
    labels = [label for label, _ in one[0]["actions"]]
    yield "values", changed(values=["0", "0"])
    yield "values_text", changed(values=["x", "0"])
    yield "values_number", changed(values=[0, 0])
    yield "values_short", changed(values=["-1/18"])
    yield "bounds", changed(bounds=["-1", "1"])
    yield "no_bounds", changed(bounds=None)
    yield "digest", changed(game={**honest["game"], "digest": "sha256:" + "0" * 64})
    yield "missing_row", changed(strategies=[one[:-1], two])
    yield "extra_row", changed(strategies=[[*one, one[0]], two])
    yield "one_player", changed(strategies=[one])
    yield "sum", row(0, 0, actions=[[label, "2/3"] for label in labels])
    yield "negative", row(0, 0, actions=[[labels[0], "3/2"], [labels[1], "-1/2"]])
    yield "label", row(0, 0, actions=[["wait", "1/2"], [labels[1], "1/2"]])
    yield "unreduced", row(0, 0, actions=[[labels[0], "2/4"], [labels[1], "2/4"]])
    yield "float", row(0, 0, actions=[[labels[0], 0.5], [labels[1], 0.5]])
    yield "infoset", row(0, 0, infoset=99)
    yield "uniform_row", row(1, 0, actions=[[label, "1/2"] for label, _ in two[0]["actions"]])
    yield "concept", changed(concept="quasi-perfect")
    yield "unknown_concept", changed(concept="correlated")
    yield "status", changed(status="bounded")
    yield "unknown_status", changed(status="sure")
    yield "no_certificate", changed(certificate={})
    yield "kind", changed(certificate={**honest["certificate"], "kind": "basis"})
    yield "schema", changed(schema="tremble/solution@2")
    yield "no_schema", json.dumps({key: value for key, value in honest.items() if key != "schema"})
    yield "further", changed(further=1)
    yield "cut", json.dumps(honest)[:-200]
    yield "exponent", row(0, 0, actions=[[labels[0], "1e999999999"], [labels[1], "0"]])
    yield "digits", row(0, 0, actions=[[labels[0], "9" * 6000], [labels[1], "0"]])
    yield "deep", "[" * 100_000 + "]" * 100_000


def filled_folder(folder: Path) -> Path:
    """Fill a folder with the files that the lines use, and return it."""
    _prepare(folder)
    return folder


def _prepare(folder: Path) -> dict[str, int]:
    """Fill the folder, and return the exit codes of the commands that did it."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    codes = {}
    with in_folder(folder):
        for words in FIRST:
            codes[words] = call_command(shlex.split(words), None).code
    for of in ("kuhn", "qpe"):
        path = folder / f"{of}.json"
        if path.exists():
            for name, text in _damaged(json.loads(path.read_text("utf-8"))):
                (folder / f"{of}_{name}.json").write_text(text, "utf-8")
    return codes


# -- the lines -----------------------------------------------------------------------------------------

COMMANDS = (
    *("audit", "batch", "certify", "compare", "convert", "draw", "explain", "forget", "games", "info", "play"),
    *("plot", "respond", "shrink", "solve", "sweep", "verify"),
)
SPECS = (
    *("matching_pennies", "kuhn", "kuhn:cards=4", "kuhn_raise", "leduc", SMALL_LEDUC, "jk_four_cards", "auction"),
    *("battle_outside", "beer_quiche", "centipede", "dare_or_decline", "double_oracle_example", "entry_deterrence"),
    *("goofspiel", "goofspiel:cards=4,order=increasing", "guess_the_ace:gift=true", "job_market", "liars_dice:faces=3"),
    *("mertens", "ordered_trembles", "poker", "random_tree", "random_tree:chance=true,depth=4,sum=general"),
    *("safe_or_risky", "selten_horse_two", "wichardt", "a_loss_counterexample", "absentminded_driver"),
    *("random_imperfect_recall:depth=4", "border_patrol:depth=3", "rhode_island:raises=1,ranks=2,suits=2"),
)


def lines() -> list[Line]:
    """Return all command lines."""
    found = [*_usage(), *_info(), *_solve(), *_verify(), *_judge(), *_others(), *_leaving()]
    assert len({line.name for line in found}) == len(found)
    return found


def _usage() -> Iterator[Line]:
    for words in ("", "--help", "--version", "frobnicate", "solv kuhn", "kuhn", "chicken.efg", "--nonsense"):
        yield Line(words)
    for command in COMMANDS:
        shrinks = command in ("play", "batch", "sweep")
        yield Line(f"{command} --help", changes=shrinks)
        yield Line(f"{command} --nonsense", changes=shrinks)
    yield from (Line("games"), Line("games --format json"), Line("games --format csv"))
    for command in ("solve", "verify kuhn", "respond", "certify kuhn", "audit", "compare kuhn qpe.json", "draw kuhn",
                    "convert kuhn", "forget kuhn", "explain kuhn", "plot", "info"):  # fmt: skip
        yield Line(command)


def _info() -> Iterator[Line]:
    for spec in SPECS:
        yield Line(f"info {spec} --format json")
    for spec in ("kuhn", "leduc", "battle_outside", "wichardt", "chicken.efg", "sexes.nfg", "kuhn_game.json"):
        yield Line(f"info {spec}")
    for spec in ("chicken.efg", "sexes.nfg", "kuhn.efg", "kuhn_game.json", "thirds.efg", "thirds.efg --repair",
                 "thirds.efg --repair-tolerance 1/100", "leduc --max-nodes 10", "random_tree --max-nodes 10",
                 "border_patrol --max-nodes 1000", "openspiel:kuhn_poker"):  # fmt: skip
        yield Line(f"info {spec} --format json")
    for bad in ("empty.efg", "words.efg", "cut.efg", "player7.efg", "payoffs.efg", "labels.efg", "three.efg",
                "alone.efg", "huge.efg", "workbook.efg", "game.txt", "cut.nfg", "no.json", "array.json", "kuhn.json",
                "missing.efg", ".", "kuhnn", "kuhn:card=3", "kuhn:cards=1", "kuhn:cards=x", "kuhn:cards=3,cards=4",
                "leduc:", "kuhn:cards", "kuhn --max-nodes 0", "kuhn --max-nodes x", "openspiel:nothing_here",
                "border_patrol:p2_zone=99", "phantom_ttt:order=0,1", "-"):  # fmt: skip
        yield Line(f"info {bad}")
    yield Line("info - --format json", CHICKEN)
    yield Line("info -", CHICKEN[:40])


def _solve() -> Iterator[Line]:
    for game in ("kuhn", "chicken.efg", "sexes.nfg", SMALL_LEDUC, "entry_deterrence"):
        for form in ("table", "json", "csv", "gambit"):
            yield Line(f"solve {game} --format {form}")
    for concept in ("nash", "quasi-perfect", "sequential", "perfect", "normal-form-perfect", "proper", "maxmin",
                    "one-sided-quasi-perfect", "ne", "QPE", "efpe", "se", "spe", "pbe", "minmax"):  # fmt: skip
        yield Line(f"solve kuhn --concept {concept} --format json")
        yield Line(f"solve selten_horse_two --concept {concept}")
    for options in (
        *("--method lp", "--method lp --no-merge", "--method lp --lp-solver simplex", "--method lp --seed 5"),
        *("--method lemke", "--method double-oracle", "--method double-oracle --policy worse", "--method do"),
        *("--method double-oracle --smoothing 0", "--method published-double-oracle", "--method cfr --iterations 20"),
        *("--method cfr+ --iterations 20", "--method pcfr+ --iterations 20", "--method dcfr --iterations 20"),
        *("--method cfr+ --gap 1/10", "--concept maxmin --method branch-and-bound --jobs 1", "--method interior-point"),
        *("--concept qpe --method halving", "--concept qpe --method npp", "--concept qpe --method symbolic-simplex"),
        *("--concept maxmin --player 2", "--unique", "--pure", "--pure --most 1", "--all --concept perfect"),
        *("--concept qpe --trembles trembles.json", "--concept perfect --trembles orders.json", "--method lp --gap 1"),
        *("--concept osqpe --trembles one_sided.json", "--concept qpe --trembles bad_trembles.json"),
    ):
        yield Line(f"solve kuhn {options} --format json")
    for options in (
        *("--all", "--all --concept sequential", "--all --concept spe", "--pure", "--pure --concept perfect"),
        *("--symmetric", "--method lemke --prior uniform", "--method lemke --prior random --seed 3"),
        *("--method lemke --prior prior.json", "--concept perfect", "--concept proper", "--unique"),
    ):
        yield Line(f"solve chicken.efg {options} --format json")
    for game in (
        "sexes.nfg --all",
        "battle_outside --all --concept sequential",
        "selten_horse_two --pure --concept spe",
    ):
        for form in ("table", "csv"):
            yield Line(f"solve {game} --format {form}")
    for words in (
        *("a_loss_counterexample", "wichardt", "a_loss_counterexample --concept maxmin --jobs 1 --epsilon 1/100"),
        *("wichardt --concept maxmin --player 2 --jobs 1", "absentminded_driver --concept maxmin"),
        *("a_loss_counterexample --concept maxmin --method milp", "leduc --concept perfect --method npp --all"),
        *("kuhn --max-nodes 10", "kuhn --max-nodes 10 --method lp", f"{RULES} --max-nodes 100", "thirds.efg"),
        *("thirds.efg --repair", "leduc --concept quasi-perfect", "leduc --format csv", "kuhn:cards=13"),
        *(f"{ORDERED} --max-nodes 100 --method dcfr --iterations 10", f"{ORDERED} --max-nodes 100 --method lp"),
        *("battle_outside --method lp", "battle_outside --method cfr", "kuhn --method gradient", "kuhn --concept"),
        *("kuhn --time-limit 0", "kuhn --time-limit nan", "kuhn --gap -1", "kuhn --gap 1e99999", "kuhn --format xml"),
        *("kuhn --seed -1", "kuhn --player 3", "kuhn --epsilon 1/10", "kuhn --policy worse", "kuhn --iterations 5"),
        *(
            "kuhn --all --pure",
            "kuhn --most 3",
            "kuhn --all --method lp",
            "leduc --all",
            "beer_quiche --concept proper",
        ),
        *("kuhn --trembles trembles.json", "kuhn --trembles no.json --concept qpe", "chicken.efg --symmetric --all"),
        *("kuhn --concept qpe --trembles missing.json", "empty.efg", "player7.efg", "three.efg", "missing.efg"),
        *("kuhn -o new.json", "kuhn -o kuhn.json", "kuhn -o chicken.efg", "kuhn -o game.txt --force", "kuhn -o ."),
        *("kuhn -o no/folder/k.json", "kuhn.efg -o kuhn.efg", "kuhn --log new.log", "kuhn -q", "kuhn --debug"),
        *("kuhn --concept qpe -o new.json --format csv", "chicken.efg --all -o list.json --format json"),
        *(
            f"{ORDERED} --max-nodes 100 --method lp -o new.json",
            "kuhn --method cfr --iterations 10 --checkpoint new.npz",
        ),
        *(
            "openspiel:kuhn_poker",
            "openspiel:tic_tac_toe --max-nodes 100 --method lp",
            "kuhn --concept qpe --method cfr",
        ),
        *("kuhn --checkpoint new.npz", "kuhn --log kuhn.json", "kuhn -o new.json --log new.json"),
    ):
        yield Line(f"solve {words}")
    yield Line("solve - --format json", CHICKEN)
    for words in ("leduc --time-limit 1e-9", "leduc --time-limit 1e-9 --gap 1000", "kuhn --time-limit 100",
                  "chicken.efg --all --time-limit 100 --format json"):  # fmt: skip
        yield Line(f"solve {words}", process=True, numbers="1e-9" not in words)
    for words in ("poker:bets=2,raises=4 --time-limit 2 -q", "leduc:ranks=13 --concept perfect --time-limit 2 -q"):
        yield Line(f"solve {words}", process=True, numbers=False)


def _verify() -> Iterator[Line]:
    for game, file in (
        *(("kuhn", name) for name in ("kuhn", "qpe", "se", "efpe", "proper", "cfr", "refuted", "bnb")),
        *(("chicken.efg", name) for name in ("chicken", "all", "judged")),
        *(("sexes.nfg", "sexes"), ("a_loss_counterexample", "maxmin"), (SMALL_LEDUC, "leduc")),
        *(("entry_deterrence", "entry"), (RULES, "border"), (ORDERED, "rhode"), ("kuhn.efg", "kuhn")),
        *(("kuhn:cards=4", "kuhn"), ("chicken.efg", "kuhn"), ("kuhn", "chicken"), ("kuhn_game.json", "qpe")),
    ):
        yield Line(f"verify {game} {file}.json --format json")
    for words in ("kuhn kuhn.json", "kuhn cfr.json", "kuhn refuted.json", "chicken.efg all.json", "kuhn bare.json",
                  "kuhn missing.json", "kuhn no.json", "kuhn nan.json", "kuhn twice.json", "kuhn array.json",
                  "kuhn uniform.txt", "kuhn kuhn.efg", "- -", "kuhnn kuhn.json", "chicken.efg all.json#1",
                  "chicken.efg all.json#99", "kuhn kuhn.json --max-nodes 5", "kuhn kuhn.json -q",
                  "missing.efg kuhn.json"):  # fmt: skip
        yield Line(f"verify {words}")
    blank: dict[str, Any] = {"strategies": [[{"actions": [["a", "1"], ["b", "0"]]}]] * 2, "game": {}, "certificate": {}}
    for name, _ in _damaged(blank):
        yield Line(f"verify kuhn kuhn_{name}.json --format json")
        yield Line(f"verify kuhn qpe_{name}.json")


def _judge() -> Iterator[Line]:
    profiles = ("kuhn.json", "qpe.json", "cfr.json", "uniform.txt", "rounded.txt", "short.txt", "kuhn_sum.json",
                "kuhn_digits.json", "missing.json")  # fmt: skip
    for command in ("respond", "audit", "certify", "explain"):
        for profile in profiles:
            yield Line(f"{command} kuhn {profile} --format json")
        for form in ("table", "csv"):
            yield Line(f"{command} kuhn uniform.txt --format {form}")
        for profile in ("mixed.txt", "pure.txt", "nine.txt", "float.txt", "over.txt", "bare.json", "all.json#2"):
            yield Line(f"{command} chicken.efg {profile} --format json")
        yield Line(f"{command} wichardt uniform.txt")
    for concept in ("spe", "se", "qpe", "efpe", "nfpe", "proper", "osqpe", "maxmin"):
        for profile in ("qpe.json", "uniform.txt"):
            yield Line(f"certify kuhn {profile} --concept {concept}")
        yield Line(f"certify entry_deterrence entry.json --concept {concept} --format json")
    for words in ("kuhn qpe.json -o new.json --format csv", "kuhn rounded.txt --repair", f"{RULES} border.json",
                  "kuhn qpe.json --concept osqpe --trembles one_sided.json", "kuhn qpe.json --format gambit",
                  "kuhn qpe.json --concept qpe --trembles trembles.json"):  # fmt: skip
        yield Line(f"certify {words}")
    for words in (f"respond {RULES} border.json", f"respond {ORDERED} rhode.json", f"audit {ORDERED} rhode.json",
                  "audit beer_quiche uniform.txt", f"respond {SMALL_LEDUC} leduc.json --format csv"):  # fmt: skip
        yield Line(words)
    for words in ("kuhn.json Q:cb", "kuhn.json 3 --player 2", "kuhn.json nothing", "kuhn.json --most 2", "kuhn.json 99",
                  "qpe.json --player 1 --format csv", "se.json Q:cb --format json"):  # fmt: skip
        yield Line(f"explain kuhn {words}")
    for words in ("kuhn.json qpe.json", "qpe.json efpe.json --format csv", "kuhn.json uniform.txt --format json",
                  "qpe.json qpe.json", "kuhn.json chicken.json", "kuhn.json missing.json", "uniform.txt rounded.txt",
                  "cfr.json kuhn.json --format json", "kuhn.json qpe.json -o new.svg",
                  "kuhn.json qpe.json -o new.txt"):  # fmt: skip
        yield Line(f"compare kuhn {words}")
    yield Line("compare chicken.efg all.json#1 all.json#2 --format json")


def _others() -> Iterator[Line]:
    for words in (
        *("kuhn", "kuhn --format json", "kuhn --format csv", "chicken.efg", f"{ORDERED} --format json", f"{ORDERED}"),
        *(f"{ORDERED} --mode published --format csv", f"{ORDERED} --mode threshold --threshold 1/4 --format json"),
        *(f"{ORDERED} --mode full --format json", f"{ORDERED} --loss 0 --format json", f"{ORDERED} --dominance"),
        *(f"{ORDERED} --ladder 1,1/2,0 --format json", "kuhn --mode published", "kuhn --threshold 1/2", "wichardt"),
        *("kuhn --mode sideways", "rhode_island --mode threshold", "leduc --mode lossless --format json"),
        *(
            "leduc --mode merged --format json",
            "jk_four_cards --mode literal --format json",
            "rhode_island --format json",
        ),
    ):
        yield Line(f"shrink {words}")
    for words in (
        *("kuhn new.efg", "kuhn new.nfg", "kuhn new.json --format json", "kuhn new.tex", "chicken.efg new.nfg"),
        *("sexes.nfg new.efg", "sexes.nfg new.tex", "kuhn.efg new.json", "kuhn_game.json new.EFG", "leduc new.nfg"),
        *("kuhn new.txt", "kuhn no/folder/k.efg", "kuhn kuhn.json", "kuhn kuhn.json --force", "kuhn.efg kuhn.efg"),
        *("thirds.efg new.efg", "thirds.efg new.efg --repair", "openspiel:kuhn_poker new.efg", "player7.efg new.nfg"),
        *("labels.efg new.efg --format json", "wichardt new.efg", "kuhn new.efg --max-nodes 5"),
    ):
        yield Line(f"convert {words}")
    for words in (
        *("kuhn -o new.svg", "kuhn -o new.html --format json", "kuhn kuhn.json -o new.svg --format json"),
        *("kuhn qpe.json -o new.tex", "kuhn qpe.json -o new.html --explorer --format json", "kuhn -o new.doc"),
        *("kuhn qpe.json -o new.svg --root Q:cb --depth 1 --format json", "kuhn uniform.txt -o new.svg --audit"),
        *("kuhn kuhn.json --against qpe.json -o new.svg --format json", "kuhn:cards=4 kuhn.json -o new.svg"),
        *("leduc -o new.svg --format json", f"{ORDERED} rhode.json -o new.svg --format json", "kuhn -o kuhn.json"),
        *("kuhn -o new.svg --root nowhere", "kuhn -o new.svg --depth 0", "chicken.efg chicken.json -o new.svg"),
        *("kuhn -o new.svg --theme dark", "kuhn kuhn.json -o new.svg --board Kh", "sexes.nfg -o new.tex"),
    ):
        yield Line(f"draw {words}")
    for words in (
        *(
            "kuhn --player 1 --last 0",
            "kuhn --player 2 --last 0 --format json",
            "kuhn --player 1 --last 1 --format json",
        ),
        *("kuhn --player 1 --groups groups.txt --format json", "kuhn --player 1 --groups bad_groups.txt"),
        *(f"{SMALL_LEDUC} --player 1 --last 0 --format json", "kuhn --player 1", "kuhn --player 3 --last 0"),
        *("kuhn --player 1 --last 0 -o new.json --save new.efg --proof proof.json", "wichardt --player 1 --last 0"),
        *("chicken.efg --player 1 --last 0 --format json", "kuhn --player 1 --last 0 --groups groups.txt"),
    ):
        yield Line(f"forget {words}")
    for words in ("cfr.log -o new.svg --x iterations --format json", "cfr.log -o new.doc", "kuhn.json -o new.svg",
                  "chicken.efg --best-replies -o new.svg --format json", "kuhn --best-replies -o new.svg",
                  "chicken.efg --equilibria -o new.svg --format json", "missing.log -o new.svg"):  # fmt: skip
        yield Line(f"plot {words}")


def _leaving() -> Iterator[Line]:
    """Yield lines that use what the redesign removes or makes smaller."""
    for words in ("chicken.efg --several 5 --format json", "chicken.efg --several 3 --concept perfect --format csv",
                  "sexes.nfg --several 4", "chicken.efg --several 0", "kuhn --several 3 --method lp",
                  "sexes.nfg --several 3 -o new.json --format json",
                  "chicken.efg --several 3 --symmetric"):  # fmt: skip
        yield Line(f"solve {words}", changes=True)
    plays = (("kuhn kuhn.json --hands 3 --seed 1 --seat 1", "1\n1\n1\n1\n1\n1\n1\n1\n"),
             ("kuhn kuhn.json --hands 2 --seed 2 --format json", "2\n1\n2\n1\n2\n1\n"),
             ("kuhn --hands 1 --seed 3 --seat 2 --why", "?\n1\nwhy\n1\n1\n"), ("kuhn kuhn.json --seed 4", "q\n"),
             ("chicken.efg chicken.json --hands 2 --seed 1 --format json", "1\n2\n"),
             (f"{ORDERED} rhode.json --hands 2 --seed 1 --seat 1 --format json", "1\n" * 12),
             ("kuhn chicken.json --hands 1", "1\n"), ("wichardt --hands 1", "1\n"), ("kuhn --hands 0", ""))  # fmt: skip
    for words, stdin in plays:
        yield Line(f"play {words}", stdin, changes=True)
    for words in ("kuhn chicken.efg -o out --jobs 1 --format json", "kuhn missing.efg -o out --jobs 1 --format csv",
                  "kuhn chicken.efg -o out --jobs 1 --concept qpe", "kuhn", "kuhn -o kuhn.json",
                  "wichardt -o out --jobs 1 --format json", "kuhn kuhn -o out --jobs 1 --format json"):  # fmt: skip
        table = "--jobs" in words and "--format" not in words  # which shows seconds without a unit
        yield Line(f"batch {words}", process="--jobs" in words, numbers=not table, changes=True)
    for words in ("kuhn:cards=3..5 --jobs 1 --format json", "kuhn:cards=3..5 --jobs 1 --format csv", "kuhn",
                  "kuhn:cards=3..5 --jobs 1 --concept qpe", "kuhn:cards=5..3", "kuhn:cards=3..4 --set nothing --jobs 1",
                  "double_oracle_example:ayf=-2..2 --jobs 1 --points 3 --format json", "kuhn:card=3..4"):  # fmt: skip
        yield Line(f"sweep {words}", process="--jobs" in words, changes=True)
    for words in ("_TREMBLE_COMPLETE=bash_source", "_TREMBLE_COMPLETE=zsh_source", "_TREMBLE_COMPLETE=fish_source"):
        yield Line(words, process=True, changes=True)


# -- running -------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"(?:\bsha256:[0-9a-f]+|\brules:[0-9a-f]{20,}|-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?:/\d+)?)")
_UNSTABLE = re.compile(r"\d+(?:\.\d+)? ?(?:s|ms|seconds?|minutes?|[kMG]?B|bytes)\b")
_UNSTABLE_KEY = re.compile(r"seconds|bytes|^stats$|^tremble$|^elapsed|^version$|_at$")
_FIELDS = {
    *("schema", "tremble", "game", "concept", "requested", "method", "status", "values", "bounds", "strategies"),
    *(
        "beliefs",
        "certificate",
        "refutation",
        "stats",
        "equilibria",
        "complete",
        "components",
        "degenerate",
        "maximal_subsets",
    ),
    *(
        "pairs",
        "pure",
        "degeneracy",
        "indices",
        "indices_unknown",
        "unique",
        "unique_plans",
        "infoset",
        "label",
        "actions",
        "off_path",
    ),
}
"""Keys of a solution file that are recorded: those in its statistics come and go."""
_LONGEST = 1200  # characters of numbers that are kept of one line


def outcome(line: Line, filled: Path) -> dict[str, Any]:
    """Run a line in a copy of the folder, and return what is recorded."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder, "work")
        shutil.copytree(filled, here, ignore=lambda _, names: [name for name in names if _not_used(name, line)])
        before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
        with in_folder(here):
            ended = _run(line)
        return _described(line, ended, here, before)


def _not_used(file: str, line: Line) -> bool:
    """Return whether this is a damaged file that the line does not name: copying all takes half the time."""
    return file.startswith(("kuhn_", "qpe_")) and file not in line.words


def _run(line: Line) -> Ended:
    words = shlex.split(line.words)
    set_here = [word.partition("=")[::2] for word in words if word.startswith("_")]
    words = [word for word in words if not word.startswith("_")]
    if not line.process:
        return call_command(words, line.stdin)
    os.environ.update(dict(set_here))
    try:
        return run_process(words, line.stdin)
    finally:
        for name, _ in set_here:
            del os.environ[name]


def _described(line: Line, ended: Ended, here: Path, before: dict[Path, bytes]) -> dict[str, Any]:
    found: dict[str, Any] = {"code": ended.code}
    output = ended.output.replace(str(here), "HERE").replace(str(here.parent), "HERE")
    if "Traceback" in ended.complaint and "--debug" not in line.words:
        found["traceback"] = True
    defect = re.search(r"^(?:defect|error: unexpected) \w+", ended.complaint, re.MULTILINE)
    if defect:
        found["defect"] = defect.group()
    if not output and line.numbers:
        found["empty"] = True
    document = _parsed(output)
    if document is not None:
        keys = _keys(document)
        found["keys"] = " ".join(sorted(keys & _FIELDS if "schema" in keys else keys))
        output = json.dumps(_stable(document), sort_keys=True)
    elif line.words and "--format csv" in line.words and output:
        output = _stable_table(output)
        found["header"] = output.splitlines()[0]
    if line.numbers:
        numbers = " ".join(_NUMBER.findall(_UNSTABLE.sub("", output)))
        found["numbers"] = numbers[:_LONGEST]
        if len(numbers) > _LONGEST:
            found["all_numbers"] = hashlib.sha256(numbers.encode()).hexdigest()[:12]
    files = {
        str(path.relative_to(here)): _file_hash(path) if line.numbers else "changed"
        for path in sorted(here.rglob("*"))
        if path.is_file() and before.get(path) != path.read_bytes()
    }
    if files:
        found["files"] = files
    return found


def _parsed(text: str) -> Any:
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _keys(document: Any) -> set[str]:
    if isinstance(document, dict):
        return set(document).union(*map(_keys, document.values()))
    return set().union(*map(_keys, document)) if isinstance(document, list) else set()


def _stable(document: Any) -> Any:
    if isinstance(document, dict):
        return {k: _stable(v) for k, v in document.items() if not _UNSTABLE_KEY.search(k)}
    return [_stable(item) for item in document] if isinstance(document, list) else document


def _stable_table(text: str) -> str:
    """Return a csv table without its columns of times."""
    rows = list(csv.reader(io.StringIO(text)))
    kept = [k for k, name in enumerate(rows[0]) if not _UNSTABLE_KEY.search(name)]
    return "\n".join(",".join(row[k] for k in kept if k < len(row)) for row in rows)


def _file_hash(path: Path) -> str:
    """Return a short hash of a written file, without times; of pictures by others and logs only that there is one."""
    ending = path.suffix.lower()
    if ending in (".log", ".jsonl", ".npz", ".pdf", ".png") or path.stat().st_size == 0:
        return "empty" if path.stat().st_size == 0 else "written"
    text = path.read_text("utf-8", errors="replace")
    if "matplotlib" in text[:2000].lower():
        return "written"
    if text[:1] == "{":
        text = stable_text(text)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


# -- the record ----------------------------------------------------------------------------------------


def record(only: set[str] | None = None) -> dict[str, Any]:
    """Return what all lines do."""
    with tempfile.TemporaryDirectory() as folder:
        filled = Path(folder)
        codes = _prepare(filled)
        done = {line.name: outcome(line, filled) for line in lines() if only is None or line.name in only}
    return {"first": codes, "lines": done}


def compare(recorded: dict[str, Any], only: set[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield each difference: its class, and words that say where it is."""
    with tempfile.TemporaryDirectory() as folder:
        filled = Path(folder)
        for words, code in _prepare(filled).items():
            if recorded["first"].get(words) != code:
                yield "the folder is filled in another way", f"{words}: {recorded['first'].get(words)} -> {code}"
        found = set()
        for line in lines():
            if only is not None and line.name not in only:
                continue
            found.add(line.name)
            if line.name not in recorded["lines"]:
                yield "not recorded", line.name
                continue
            before, now = recorded["lines"][line.name], json.loads(json.dumps(outcome(line, filled)))
            if before != now:
                kind, words = _difference(before, now)
                yield ("expected: " if line.changes else "") + kind, f"tremble {line.name}{words}"
        for name in set(recorded["lines"] if only is None else only & set(recorded["lines"])) - found:
            yield "missing", name


def _difference(before: dict[str, Any], now: dict[str, Any]) -> tuple[str, str]:
    """Return the class of a difference, after the gravest part, and what differs."""
    order = ("code", "traceback", "defect", "empty", "keys", "header", "numbers", "all_numbers", "files")
    parts = [name for name in order if before.get(name) != now.get(name)]
    told = []
    for name in parts:
        if name in ("numbers", "keys"):
            told.append(f"\n    {name}: {_first_changes(before.get(name) or '', now.get(name) or '')}")
        elif name != "all_numbers":
            told.append(f"\n    {name}: {before.get(name)} -> {now.get(name)}")
    names = {"code": "exit code", "all_numbers": "numbers", "empty": "output or none"}
    return f"another {names.get(parts[0], parts[0])}" if parts else "another shape", "".join(told)


def _first_changes(before: str, now: str) -> str:
    """Return the words that only one of two sequences has, with their numbers, shortened."""
    old, new = before.split(), now.split()
    at = next((k for k, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new)))
    shown = " ".join(old[at : at + 12]) or "(end)", " ".join(new[at : at + 12]) or "(end)"
    return f"{len(old)} -> {len(new)} words; from word {at + 1}: {shown[0]} -> {shown[1]}"


def as_process(line: Line, filled: Path) -> dict[str, Any]:
    """Return what is recorded of a line if it runs in a process of its own."""
    return outcome(line._replace(process=True), filled)
