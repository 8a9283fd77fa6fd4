"""Write what the commands of tremble answer, to compare two versions: python benchmarks/same_results.py FOLDER.

Hundreds of commands: every one, for all kinds of games, methods and concepts, with refusals, damaged files and limits
that strike. Run it at two commits and compare the folders with ``diff -r``: where nothing was meant to change, they are
equal byte by byte. ``FOLDER/PART`` has a file for each command, with its exit code and what it prints;
``FOLDER/written`` what it writes. Seconds and the version are masked. The files as they were written lie in
``FOLDER.raw``; ``--files OLD.raw`` takes solution files of an earlier version from there instead of making them again,
to show that they can still be read. ``--only TEXT`` runs the commands whose ``PART/COMMAND`` contains a text, and
``--list`` lists them. Two minutes on one core.

Every command runs in a process of its own, forked where tremble is imported already.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import random
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

NAMES = (
    *(
        "audit",
        "certify",
        "compare",
        "convert",
        "draw",
        "forget",
        "games",
        "info",
        "play",
        "respond",
        "shrink",
        "solve",
    ),
    "verify",
)
CONCEPTS = ("nash", "quasi-perfect", "sequential", "perfect", "maxmin")
METHODS = (
    *("lp", "lemke", "double-oracle", "branch-and-bound", "cfr", "cfr+", "pcfr+", "dcfr", "interior-point"),
    *("halving", "symbolic-simplex", "npp", "published-double-oracle", "milp", "bnb-digits"),
)
LONGEST = 300  # seconds that a command may take
UNSTEADY = (
    (re.compile(r'("\w*seconds(?:_float)?": )(?:[-\d.e+]+|\{[^}]*\})'), r"\1null"),
    (re.compile(r'("tremble": )"[^"]*"'), r"\1null"),
    (re.compile(r"\b\d+\.\d+ s\b"), "_ s"),
)
"""What differs from run to run, and what stands for it."""


# -- games ---------------------------------------------------------------------------------------


def random_efg(seed: int, *, general: bool = False, forgetful: bool = False, decimals: bool = False) -> str:
    """Write a random game in Gambit's format: with or without a constant sum, perfect recall, and exact decimals."""
    rng = random.Random(f"{seed} {general} {forgetful} {decimals}")
    lines = [f'EFG 2 R "random {seed}" {{ "one" "two" }}', '""', ""]
    numbers: dict[tuple[int, object], int] = {}
    outcomes = chances = 0

    def grow(left: int, seen: tuple[tuple[object, ...], tuple[object, ...]]) -> None:
        nonlocal outcomes, chances
        if left == 0 or (left < 4 and rng.random() < 0.15):
            outcomes += 1
            first = rng.choice((-3, -2, -1, 0, 1, 2, 3, "1/2", "-5/3"))
            second = rng.randint(-3, 3) if general else str(first)[1:] if str(first)[0] == "-" else f"-{first}"
            lines.append(f't "" {outcomes} "" {{ {first}, {"0" if second == "-0" else second} }}')
            return
        mover = rng.choice((0, 1, 0, 1, -1)) if left < 4 else rng.choice((0, 1))
        if mover < 0:
            chances += 1
            width = rng.choice((2, 3))
            shares = ("0.333", "0.333", "0.333") if decimals and width == 3 else (f"1/{width}",) * width
            listed = " ".join(f'"c{i}" {share}' for i, share in enumerate(shares))
            lines.append(f'c "" {chances} "" {{ {listed} }} 0')
        else:
            known: object = (mover, left, len(seen[mover]) % 2) if forgetful else (mover, seen[mover])
            width = random.Random(f"{seed} {known}").choice((2, 2, 3))
            number = numbers.setdefault((mover, known), 1 + sum(earlier == mover for earlier, _ in numbers))
            listed = " ".join(f'"a{i}"' for i in range(width))
            lines.append(f'p "" {mover + 1} {number} "set {number}" {{ {listed} }} 0')
        shown = [rng.random() < 0.5 for _ in (0, 1)]
        for i in range(width):
            after = tuple((*seen[p], i if p == mover or shown[p] else "?") for p in (0, 1))
            grow(left - 1, after)  # type: ignore[arg-type]

    grow(4, ((), ()))
    return "\n".join(lines) + "\n"


def random_nfg(seed: int, rows: int, columns: int, *, general: bool) -> str:
    """Write a random matrix in Gambit's format."""
    rng = random.Random(f"matrix {seed}")
    pairs = [(a := rng.randint(-4, 4), rng.randint(-4, 4) if general else -a) for _ in range(rows * columns)]
    numbers = " ".join(f"{one} {two}" for one, two in pairs)
    return f'NFG 1 R "matrix {seed}" {{ "one" "two" }} {{ {rows} {columns} }}\n\n{numbers}\n'


LABELS = 'EFG 2 R "odd \x1b[31m labels" {{ "p\x07" "q" }}\n""\n\np "" 1 1 "{0}" {{ "=1" "b,c" }} 0\n'
GAMES: dict[str, str] = {
    **{f"zero{seed}.efg": random_efg(seed) for seed in range(6)},
    **{f"general{seed}.efg": random_efg(seed, general=True) for seed in range(6)},
    **{f"forgetful{seed}.efg": random_efg(seed, forgetful=True) for seed in range(5)},
    "forgetful-general.efg": random_efg(0, general=True, forgetful=True),
    **{f"decimals{seed}.efg": random_efg(seed, decimals=True) for seed in range(2)},
    **{f"matrix{seed}.nfg": random_nfg(seed, 3, 3, general=True) for seed in range(3)},
    "zero.nfg": random_nfg(7, 3, 4, general=False),
    "degenerate.nfg": 'NFG 1 R "degenerate" { "one" "two" } { 2 3 }\n\n1 1 1 1 0 0 0 0 1 1 1 1\n',
    "three.nfg": 'NFG 1 R "three players" { "a" "b" "c" } { 1 1 1 }\n\n1 1 1\n',
    "short.nfg": 'NFG 1 R "short" { "a" "b" } { 2 2 }\n\n1 1 1\n',
    "odd.efg": LABELS.format('say \\"hi\\" \u2603') + 't "" 1 "" { 1 -1 }\nt "" 2 "" { 2 -2 }\n',
    "unfinished.efg": LABELS.format("x") + 't "" 1 "" { 1 -1 }\n',
    "wrong.efg": 'EFG 2 R "wrong" { "a" "b" }\np "" 3 1 "" { "x" } 0\nt "" 1 "" { 1 -1 }\n',
    "empty.efg": "",
    "leaf.efg": 'EFG 2 R "leaf" { "a" "b" }\nt "" 1 "" { 1/7 -1/7 }\n',
    "broken.json": '{"schema": "tremble/game@1", "title": ',
    "future.json": '{"schema": "tremble/game@2", "title": "t"}',
    "unknown.txt": "nothing\n",
    "groups.txt": '# the card is forgotten after check, bet\n2 4\n"J:", "Q:"\n',
    "wrong-groups.txt": "1 99\n",
    "typed.txt": "1\n?\nwhy\n2\n1\nnonsense\n\n1\n2\n1\n1\n2\n2\n1\n1\n\n1\n1\nq\n",
    "words.txt": "check\nbet\ncall\nfold\ncheck\ncheck\nbet\nbet\nfold\ncall\nwhy\ncheck\nquit\n",
    "weights.json": json.dumps(
        {
            "schema": "tremble/trembles@1",
            "trembles": [
                [{"infoset": 1, "actions": [["check", "1"], ["bet", "3"]]}],
                [{"infoset": 2, "actions": [["fold", "1/7"], ["call", "2"]]}],
            ],
        }
    ),
    "wrong-weights.json": json.dumps(
        {"schema": "tremble/trembles@1", "trembles": [[{"infoset": 1, "actions": [["check", "0"]]}], []]}
    ),
    "kuhn.gambit": "NE," + ",".join(["1/2", "1/2"] * 12) + "\n",
    "decimals.gambit": "NE," + ",".join(["0.3333", "0.6667"] * 12) + "\n",
    "short.gambit": "NE,1,0\n",
    "rows.json": json.dumps({"strategies": [[], []], "game": {"spec": "kuhn"}}),
}
"""Files that are there from the start: name -> text."""

SPECS = (
    *("a_loss_counterexample", "absentminded_driver", "auction", "auction:values=3,sum=general", "battle_outside"),
    *("beer_quiche", "border_patrol:depth=3", "centipede", "centipede:length=60", "dare_or_decline"),
    *("double_oracle_example", "entry_deterrence", "goofspiel", "goofspiel:cards=4,order=increasing", "guess_the_ace"),
    *("guess_the_ace:gift=true", "holdem_river", "jk_four_cards", "job_market", "kuhn", "kuhn:cards=6", "kuhn_raise"),
    *("leduc", "leduc:ranks=50", "liars_dice:faces=3", "matching_pennies", "mertens", "ordered_trembles"),
    *("poker", "random_imperfect_recall", "random_tree", "random_tree:chance=true,sum=general"),
    *("rhode_island", "safe_or_risky", "selten_horse_two", "wichardt", "openspiel:kuhn_poker"),
)

RIVER = 'holdem_river:raises=1,bets=100,range1=AA,range2="KK,QQ"'
PHANTOM = "goofspiel:cards=4,order=increasing"


# -- files that commands make --------------------------------------------------------------------

SOLUTIONS: dict[str, str] = {
    "kuhn.json": "solve kuhn",
    "kuhn-dcfr.json": "solve kuhn --method dcfr --gap 1/10",
    "kuhn-qp.json": "solve kuhn --concept quasi-perfect",
    "kuhn-se.json": "solve kuhn --concept sequential",
    "kuhn-pe.json": "solve kuhn --concept perfect",
    "kuhn-weights.json": "solve kuhn --concept perfect --trembles weights.json",
    "kuhn-rules.json": "solve kuhn --max-nodes 10",
    "kuhn-maxmin.json": "solve kuhn --concept maxmin --player 2",
    "ace.json": "solve guess_the_ace",
    "ace-qp.json": "solve guess_the_ace --concept quasi-perfect",
    "dare-pe.json": "solve dare_or_decline --concept perfect",
    "zero0.json": "solve zero0.efg",
    "quiche.json": "solve beer_quiche --concept sequential",
    "quiche-nash.json": "solve beer_quiche",
    "quiche-pe.json": "solve beer_quiche --concept perfect",
    "general1-qp.json": "solve general1.efg --concept quasi-perfect",
    "wichardt.json": "solve wichardt --concept maxmin --jobs 1",
    "forgetful2.json": "solve forgetful2.efg --concept maxmin --jobs 1",
    "goof.json": "solve goofspiel --max-nodes 100",
    "leduc-rules.json": "solve leduc:ranks=2,raises=1 --method double-oracle",
    "jk.json": "solve jk_four_cards",
    "rhode.json": "solve rhode_island:ranks=2,suits=2,raises=1",
    "rhode-dcfr.json": "solve rhode_island:ranks=2,suits=2,raises=1 --method dcfr --gap 2",
    "rhode-ip.json": "solve rhode_island:ranks=2,suits=2,raises=1 --method interior-point --gap 1/100",
    "auction.json": "solve auction:values=3 --method lp",
    "river.json": f"solve {shlex.quote(RIVER)} --method lp",
    "all.json": "solve matrix0.nfg --all",
    "unique.json": "solve kuhn --unique",
    "several.json": "solve beer_quiche --several 4 --concept sequential",
}
"""Name -> the command that writes it."""

OF = {
    "kuhn": "kuhn",
    "ace": "guess_the_ace",
    "dare": "dare_or_decline",
    "zero0": "zero0.efg",
    "quiche": "beer_quiche",
    "general1": "general1.efg",
    "wichardt": "wichardt",
    "forgetful2": "forgetful2.efg",
    "goof": "goofspiel",
    "leduc": "leduc:ranks=2,raises=1",
    "jk": "jk_four_cards",
    "rhode": "rhode_island:ranks=2,suits=2,raises=1",
    "auction": "auction:values=3",
    "river": RIVER,
    "all": "matrix0.nfg",
    "unique": "kuhn",
    "several": "beer_quiche",
}
"""How the name of a solution begins -> its game."""


def game_of(name: str) -> str:
    """The game of a solution, quoted for a command."""
    return shlex.quote(OF[re.split(r"[-.]", name)[0]])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value below its root."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        yield (*path, key)
        yield from places(below, (*path, key))


WRONG: tuple[Any, ...] = (
    *("1/2", "-1", "x", None, 7, [], {}, "0", "1/0", True, "basis", "polynomials", "best-response", "branching"),
)


def damaged(text: str, seed: int) -> str:
    """A solution file with something dropped, changed, doubled or cut off; what, depends on the file and the seed."""
    document = without_statistics(text)
    rng = random.Random(f"{seed}")
    if seed == 0:
        text = json.dumps(document)
        return text[: len(text) // 2]
    everything = sorted(places(document), key=repr)
    inside = [path for path in everything if path[0] == "certificate"]
    path = rng.choice(inside if inside and seed % 2 else everything)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    kind = rng.randrange(4)
    if kind == 0:
        del holder[path[-1]]
    elif kind == 1 and isinstance(holder, list):
        holder.append(holder[path[-1]])
    else:
        holder[path[-1]] = rng.choice(WRONG)
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def nudged(text: str, seed: int) -> str:
    """A solution file in which a number is another one."""
    text = json.dumps(without_statistics(text), sort_keys=True) + "\n"
    rng = random.Random(f"nudged {seed}")
    number = rng.choice(list(re.finditer(r'"(-?\d+(?:/\d+)?)"', text)))
    other = rng.choice([value for value in ("0", "1", "1/2", "2/3", "-1/18", "7") if value != number[1]])
    return text[: number.start(1)] + other + text[number.end(1) :]


def without_statistics(text: str) -> Any:
    """A solution file without what depends on the clock."""
    document = json.loads(text)
    for solution in (document, *document.get("equilibria", ())):
        if "stats" in solution:
            solution["stats"] = {}
    return document


def changed(**fields: Any) -> Callable[[str], str]:
    """How a solution file reads with other fields; None drops one."""

    def change(text: str) -> str:
        document = {**json.loads(text), **fields}
        return json.dumps({key: value for key, value in document.items() if value is not None}, indent=1) + "\n"

    return change


def without_labels(text: str) -> str:
    """A solution file as it may also be written: without labels, statistics, and in another order."""
    document = json.loads(text)
    for rows in document["strategies"]:
        for row in rows:
            row.pop("label", None)
    return json.dumps(dict(sorted(document.items(), reverse=True))) + "\n"


def strategies_alone(text: str) -> str:
    """The strategies of a solution file, and nothing else."""
    return json.dumps({"strategies": json.loads(text)["strategies"]}) + "\n"


OTHER: dict[str, tuple[str, Callable[[str], str]]] = {
    "old-schema0.json": ("kuhn.json", changed(schema="tremble/solution@0")),
    "old-schema2.json": ("kuhn.json", changed(schema="tremble/solution@2")),
    "old-no-schema.json": ("kuhn.json", changed(schema=None)),
    "old-version.json": ("kuhn.json", changed(tremble="0.0.1")),
    "old-no-version.json": ("kuhn.json", changed(tremble=None)),
    "old-no-stats.json": ("kuhn-pe.json", changed(stats=None)),
    "old-no-certificate.json": ("kuhn.json", changed(certificate=None)),
    "old-extra.json": ("kuhn.json", changed(more={"x": 1})),
    "old-no-labels.json": ("kuhn-qp.json", without_labels),
    "old-alone.json": ("kuhn-qp.json", strategies_alone),
    "old-spec.json": ("kuhn.json", changed(game={"title": "Kuhn", "digest": None, "spec": "kuhn"})),
    "old-other-game.json": ("ace.json", changed(game={"title": "x", "digest": "sha256:" + "0" * 64, "spec": None})),
    "old-bounded.json": ("kuhn.json", changed(status="bounded")),
    "old-float.json": ("kuhn.json", changed(status="float")),
    "old-concept.json": ("kuhn.json", changed(concept="perfect")),
    "old-requested.json": ("kuhn.json", changed(requested="proper")),
    "old-equilibria2.json": ("all.json", changed(schema="tremble/equilibria@2")),
    "old-all-nash.json": ("all.json", changed(complete=None)),
}
"""Name -> a solution, and what is made of it."""

DAMAGED = (
    *("kuhn", "kuhn-dcfr", "kuhn-qp", "kuhn-se", "kuhn-pe", "kuhn-rules", "quiche", "quiche-pe", "general1-qp"),
    *("wichardt", "forgetful2", "kuhn-maxmin", "rhode", "rhode-dcfr", "all", "several"),
)
for _name in DAMAGED:
    for _seed in range(7):
        OTHER[f"damaged-{_name}-{_seed}.json"] = (f"{_name}.json", partial(damaged, seed=_seed))
    for _seed in range(4):
        OTHER[f"nudged-{_name}-{_seed}.json"] = (f"{_name}.json", partial(nudged, seed=_seed))


REFUSALS = """\
nonsense
--version --nonsense
solve
solve nonsense
solve kuhnn
solve kuhn:cards=x
solve kuhn:cards=1
solve kuhn:x=1
solve kuhn:cards=3,cards=4
solve kuhn --concept proper
solve kuhn --method magic
solve kuhn --format xml
solve kuhn --gap -1
solve kuhn --gap x
solve kuhn --gap 1e9999999
solve kuhn --policy both
solve kuhn --method lp --policy both
solve kuhn --method double-oracle --policy none
solve kuhn --method double-oracle --smoothing 2
solve kuhn --player 1
solve kuhn --player 3
solve kuhn --epsilon 1
solve kuhn --seed x
solve kuhn --concept maxmin --epsilon 1 --epsilon-abs 1
solve kuhn --jobs 0 --method branch-and-bound
solve kuhn --trembles weights.json
solve kuhn --concept perfect --trembles wrong-weights.json
solve kuhn --concept perfect --trembles missing.json
solve kuhn --concept perfect --trembles unknown.txt
solve kuhn --time-limit -1
solve kuhn --time-limit x
solve kuhn --time-limit nan
solve kuhn --max-nodes 0
solve kuhn -o kuhn.gambit
solve kuhn -o missing/x.json
solve kuhn -o -
solve zero0.efg -o zero0.efg
solve kuhn --log typed.txt
solve kuhn --checkpoint typed.txt
solve kuhn --checkpoint typed.txt --method dcfr
solve kuhn --method lemke
solve beer_quiche --method lp
solve beer_quiche --method cfr
solve beer_quiche --concept maxmin
solve wichardt
solve wichardt --concept perfect
solve beer_quiche --prior nonsense
solve beer_quiche --prior weights.json
solve kuhn --prior random
solve kuhn --method milp --scheme x --concept maxmin
solve missing.efg
solve missing.xyz
solve .
solve openspiel:nonsense
solve openspiel:tic_tac_toe --max-nodes 1000 --concept perfect
solve openspiel:leduc_poker(players=3)
solve leduc:ranks=1000 --concept perfect
solve kuhn --max-nodes 10 --format gambit
solve kuhn --method dcfr --checkpoint - --gap 1
info
info nonsense
info leduc:ranks=1000 --nonsense
verify kuhn
verify kuhn missing.json
verify kuhn weights.json
verify kuhn kuhn.gambit
verify nonsense kuhn.json
verify kuhn kuhn.json --time-limit 0
verify kuhn kuhn.json --max-nodes 10
respond kuhn short.gambit
respond kuhn missing.json
respond guess_the_ace kuhn.gambit
respond kuhn unknown.txt
respond kuhn rows.json
audit kuhn short.gambit
audit kuhn kuhn-rules.json
audit rhode_island:ranks=2,suits=2,raises=1 rhode.json
certify kuhn short.gambit
certify kuhn kuhn.json --concept proper
certify kuhn kuhn.json --concept maxmin
certify kuhn kuhn-rules.json --concept perfect
certify wichardt wichardt.json --concept perfect
compare kuhn kuhn.json
compare kuhn - -
compare kuhn kuhn.json kuhn.gambit -o x.png
compare kuhn kuhn.json ace.json
convert kuhn
convert kuhn kuhn.xyz
convert leduc x.nfg --max-nodes 10
draw kuhn
draw kuhn -o kuhn.png
draw kuhn kuhn.json -o kuhn.json
draw kuhn kuhn.json -o k.svg --line cc
draw leduc --max-nodes 10 -o l.svg
draw leduc -o big.svg --format json
forget wichardt --player 1 --last 0
forget leduc --player 1 --last 0 --max-nodes 10
shrink wichardt
shrink goofspiel
shrink phantom_ttt
play kuhn -
play kuhn unknown.txt
play rhode_island
play kuhn kuhn.json --hands 0
bench-mark
solve guess_the_ace:gift=perhaps
solve holdem_river:board=AAAAA
solve holdem_river:range1=ZZ
solve random_tree:seed=-1
solve phantom_ttt:order=1,2
solve auction:values=31
"""
"""What is refused, one command a line."""

LIMITS = """\
solve kuhn --time-limit 1e-9 -q
solve leduc --concept perfect --time-limit 1e-9 -q
solve goofspiel --method dcfr --time-limit 1e-9 -q
solve beer_quiche --time-limit 1e-9 -q
solve wichardt --concept maxmin --time-limit 1e-9 -q
solve phantom_ttt --time-limit 1e-9 -q
verify kuhn kuhn.json --time-limit 1e-9 -q
audit kuhn kuhn.json --time-limit 1e-9 -q
forget kuhn --player 1 --last 0 --time-limit 1e-9 -q
solve rhode_island:ranks=2,suits=2,raises=1 --time-limit 1e-9 -q
solve kuhn --unique --time-limit 1e-9 -q
shrink rhode_island:ranks=2,suits=2,raises=1 --loss 1 --time-limit 1e-9 -q
info leduc:ranks=1000
solve leduc:ranks=1000 --concept perfect -q
convert leduc:ranks=1000 x.efg
solve zero0.efg --max-nodes 3 -q
info zero0.efg --max-nodes 3
verify leduc kuhn.json --max-nodes 3
solve beer_quiche --several 3 --time-limit 1e-9 -q
"""
"""Limits that strike, at once or by the count of nodes."""


# -- commands ------------------------------------------------------------------------------------


def commands() -> Iterator[tuple[str, str]]:
    """Part and command, as it is typed; ``<`` names what standard input reads."""
    yield from (("help", f"{name} --help") for name in NAMES)
    yield from (("games", f"games --format {form}") for form in ("table", "json"))
    for spec in SPECS:
        yield "games", f"info {spec} --max-nodes 30000 --format json"
    for spec in ("kuhn", "liars_dice", "wichardt", "beer_quiche", "rhode_island", "leduc --max-nodes 10", "leaf.efg"):
        yield "games", f"info {spec} --max-nodes 30000" if "--" not in spec else f"info {spec}"
    yield from _solving()
    yield from _judging()
    yield from _several()
    yield from _abstraction()
    yield from _files()
    yield from _refusals()


def _solving() -> Iterator[tuple[str, str]]:
    for method, concept in product(("auto", *METHODS), CONCEPTS):
        how = " --jobs 1" if method in ("auto", "branch-and-bound") and concept == "maxmin" else ""
        for part, game in (("trees", "kuhn"), ("general", "beer_quiche"), ("forgetful", "wichardt")):
            if part == "trees" or concept in ("nash", "maxmin", "sequential") or method in ("auto", "lemke", "lp"):
                yield part, f"solve {game} --method {method} --concept {concept} -q{how}"
    for game in (
        "goofspiel",
        "guess_the_ace",
        "safe_or_risky",
        "dare_or_decline",
        "zero1.efg",
        "zero2.efg",
        "zero.nfg",
    ):
        yield from (("trees", f"solve {game} --concept {concept} -q --format json") for concept in CONCEPTS[:4])
    for game in ("zero3.efg", "zero4.efg", "zero5.efg", "leaf.efg"):
        for method in ("lp", "dcfr", "double-oracle", "halving --concept perfect", "npp --concept sequential"):
            yield "trees", f"solve {game} --method {method} -q --format csv"
    for concept in CONCEPTS[:4]:
        yield "trees", f"solve leduc:ranks=2,raises=1 --concept {concept} -q --format json"
        yield "trees", f"solve ordered_trembles --concept {concept} -q --format gambit"
        yield "trees", f"solve kuhn --concept {concept} --trembles weights.json -q --format json"
        for game in (
            "entry_deterrence",
            "general0.efg",
            "general1.efg",
            "matrix1.nfg",
            "centipede",
            "selten_horse_two",
        ):
            yield "general", f"solve {game} --concept {concept} -q --format json"
    for seed, game in product((1, 2), ("general2.efg", "matrix2.nfg", "general3.efg")):
        yield "general", f"solve {game} --prior random --seed {seed} -q --format json"
    for game in ("mertens", "job_market", "battle_outside", "general4.efg", "general5.efg"):
        yield "general", f"solve {game} --concept perfect -q"
    for game in ("forgetful0.efg", "forgetful1.efg", "forgetful2.efg", "forgetful3.efg", "a_loss_counterexample"):
        for player in (1, 2):
            yield "forgetful", f"solve {game} --concept maxmin --player {player} --jobs 1 -q --format json"
    for method in ("milp --scheme theorem-1", "bnb-digits --children partition", "cfr --gap 1/5"):
        yield "forgetful", f"solve forgetful2.efg --concept maxmin --method {method} -q --format json"
    yield "forgetful", "solve forgetful4.efg -q"
    yield "forgetful", "solve forgetful-general.efg --concept maxmin --jobs 1 -q"
    yield "forgetful", "solve absentminded_driver --concept maxmin --epsilon-abs 1/10 --jobs 1 -q"
    for game in ("kuhn --max-nodes 10", "goofspiel --max-nodes 10", f"{PHANTOM} --max-nodes 10", "poker:types=2"):
        for policy in ("both", "alternating", "worse"):
            yield "rules", f"solve {game} --method double-oracle --policy {policy} -q --format json"
    for method in METHODS:
        yield "rules", f"solve kuhn --max-nodes 10 --method {method} -q"
    yield from (("rules", f"solve kuhn --max-nodes 10 --concept {concept} -q") for concept in CONCEPTS[1:])
    yield "rules", "solve border_patrol:depth=3 --max-nodes 10 -q"
    yield "rules", "solve liars_dice:faces=2 --max-nodes 10 --smoothing 0 -q"
    yield "rules", "solve phantom_ttt:forced_wins=true --method lp --max-nodes 1000 -q"
    yield "rules", "solve openspiel:kuhn_poker -q --format json"
    yield "rules", "solve openspiel:kuhn_poker --max-nodes 10 -q --format csv"
    ordered = ("rhode_island:ranks=2,suits=2,raises=1", "auction:values=3", "jk_four_cards", shlex.quote(RIVER))
    for game in ordered:
        yield "ordered", f"solve {game} -q"
        for method in ("lp", "cfr", "cfr+", "pcfr+", "dcfr", "interior-point"):
            yield "ordered", f"solve {game} --method {method} --gap 1 -q --format csv"
        for concept in CONCEPTS[1:]:
            yield "ordered", f"solve {game} --concept {concept} --max-nodes 2000 -q"
    for mode in ("full", "published", "threshold:1/10", "literal", "nonsense"):
        yield "ordered", f"solve {ordered[0]} --method dcfr --gap 3 --abstraction {mode} -q"
        yield "ordered", f"solve {ordered[0]} --method lp --abstraction {mode} -q"
    yield "ordered", "solve auction:values=3,sum=general -q"
    yield "ordered", "solve rhode_island:ranks=2,suits=2,raises=1 --max-nodes 20 -q"


def _judging() -> Iterator[tuple[str, str]]:
    for name in SOLUTIONS:
        game = game_of(name)
        yield "verify", f"verify {game} {name} -q"
        yield "verify", f"verify {game} {name} -q --format json"
        yield "respond", f"respond {game} {name} -q"
        yield "respond", f"respond {game} {name} -q --format json"
        yield "audit", f"audit {game} {name} -q"
        yield "certify", f"certify {game} {name} -q"
    for name in ("kuhn.json", "ace.json", "quiche.json", "kuhn.gambit", "wichardt.json", "decimals.gambit"):
        game = "kuhn" if "gambit" in name else game_of(name)
        yield from (("respond", f"respond {game} {name} -q --format {form}") for form in ("csv", "json"))
        yield from (("audit", f"audit {game} {name} -q --format {form}") for form in ("csv", "json"))
    for name, concept in product(("kuhn.json", "kuhn-qp.json", "ace.json", "quiche.json"), CONCEPTS):
        yield "certify", f"certify {game_of(name)} {name} --concept {concept} -q --format json"
    for form in ("table", "csv", "gambit"):
        yield "certify", f"certify kuhn kuhn-pe.json --concept perfect -q --format {form}"
        yield "certify", f"certify beer_quiche quiche-nash.json --concept sequential -q --format {form}"
    yield "certify", "certify kuhn kuhn.gambit -q -o certified.json"
    yield "certify", "certify kuhn kuhn-se.json --concept sequential -q -o certified-se.json"
    yield "certify", "certify kuhn kuhn-weights.json --concept perfect --trembles weights.json -q --format json"
    pairs = (
        ("kuhn.json", "kuhn-pe.json"),
        ("ace.json", "ace-qp.json"),
        ("quiche.json", "quiche-nash.json"),
        ("kuhn-se.json", "kuhn-qp.json"),
        ("kuhn.json", "kuhn-rules.json"),
        ("rhode.json", "rhode-dcfr.json"),
        ("wichardt.json", "wichardt.json"),
    )
    for one, two in pairs:
        game = game_of(one)
        yield from (("compare", f"compare {game} {one} {two} -q --format {form}") for form in ("table", "json", "csv"))
        stem = one.partition(".")[0]
        yield from (("compare", f"compare {game} {one} {two} -q -o compare-{stem}.{end}") for end in ("svg", "html"))
    for name in ("kuhn.json", "ace-qp.json", "quiche.json", "wichardt.json", "rhode.json", "river.json", "goof.json"):
        game, stem = game_of(name), name.partition(".")[0]
        yield from (("draw", f"draw {game} {name} -q -o {stem}.{end}") for end in ("svg", "html"))
        yield "draw", f"draw {game} {name} -q -o {stem}-again.svg --format json"
    yield from (
        ("draw", f"draw {game} -q -o tree-{game}.{end}")
        for game in ("kuhn", "goofspiel", "beer_quiche", "mertens", "leaf.efg")
        for end in ("svg", "html")
    )
    rhode = "draw rhode_island:ranks=2,suits=2,raises=1 rhode.json -q"
    for where in (
        "--line cc",
        "--line cc:b",
        "--board Kc --line cc",
        "--board zz",
        "--line zz",
        "--line cbc --board Qd",
    ):
        yield "draw", f"{rhode} {where} -o spot.svg --force"
        yield "draw", f"{rhode} {where} -o spot.html --force --format json"
    for name in (
        "kuhn.json",
        "kuhn-rules.json",
        "ace-qp.json",
        "rhode.json",
        "quiche.json",
        "goof.json",
        "auction.json",
    ):
        for seed, typed in ((0, "typed.txt"), (1, "words.txt")):
            yield "play", f"play {game_of(name)} {name} --seed {seed} -q < {typed}"
            yield (
                "play",
                f"play {game_of(name)} {name} --seed {seed} --hands 3 --seat 2 --why -q --format json < {typed}",
            )
    yield "play", "play kuhn --seed 5 -q < typed.txt"
    yield "play", "play leduc --seed 5 --max-nodes 100 -q < typed.txt"
    yield "play", "play wichardt wichardt.json --seed 5 -q < typed.txt"


def _several() -> Iterator[tuple[str, str]]:
    for game in ("matrix0.nfg", "matrix1.nfg", "degenerate.nfg", "zero.nfg", "general0.efg", "beer_quiche", "kuhn"):
        yield from (
            ("several", f"solve {game} --all -q --format {form}") for form in ("table", "json", "csv", "gambit")
        )
    for game in ("kuhn", "zero0.efg", "zero1.efg", "zero.nfg", "matching_pennies", "goofspiel", "beer_quiche"):
        yield from (("several", f"solve {game} --unique -q --format {form}") for form in ("table", "json"))
    for game, concept in product(("beer_quiche", "matrix2.nfg", "general1.efg"), CONCEPTS[:4]):
        yield "several", f"solve {game} --several 3 --concept {concept} --seed 3 -q"
    yield "several", "solve beer_quiche --several 3 --method lemke -q --format csv"
    for wrong in (
        "--all --unique",
        "--all --concept perfect",
        "--all --method lp",
        "--unique --gap 1",
        "--several 0",
        "--several 2 --method cfr",
        "--all --seed 1",
        "--several 2 --concept maxmin",
        "--unique --player 1",
    ):
        yield "several", f"solve kuhn {wrong}"
    yield "several", "solve wichardt --all -q"
    yield "several", "solve goofspiel --all --time-limit 1e-9 -q"


def _abstraction() -> Iterator[tuple[str, str]]:
    for options in (
        "--player 1 --last 0",
        "--player 2 --last 0",
        "--player 1 --last 1",
        "--player 1 --groups groups.txt",
        "--player 1",
        "--last 1",
        "--player 1 --last 1 --groups groups.txt",
        "--player 3 --last 1",
        "--player 1 --groups wrong-groups.txt",
        "--player 1 --last 0 --epsilon 0.05",
    ):
        yield "forget", f"forget kuhn {options} -q"
    yield (
        "forget",
        "forget kuhn --player 1 --last 0 -q --format json -o lifted.json --save merged.efg --proof proof.json",
    )
    yield "forget", "forget zero1.efg --player 1 --last 0 -q --format json"
    yield "forget", "forget beer_quiche --player 1 --last 0 -q"
    yield "forget", "forget goofspiel --player 2 --last 0 -q --format json --save merged.json"
    for game in ("rhode_island:ranks=3", "auction", "jk_four_cards", "leduc", "kuhn", shlex.quote(RIVER)):
        for mode in ("lossless", "published", "literal", "full", "threshold --threshold 0.3"):
            yield "shrink", f"shrink {game} --mode {mode} -q --format csv"
    small = "shrink rhode_island:ranks=2,suits=2,raises=1 -q"
    for options in (
        "",
        "--format json",
        "--dominance",
        "--loss 0",
        "--mode published --loss 0 --format json",
        "--mode threshold --threshold 0.5 --loss 2",
        "--ladder inf,0.5,0 --format csv",
        "--ladder 1,0 --loss 1",
        "--mode none",
        "--threshold x",
        "--ladder 1 --threshold 1",
        "--time-limit 1",
        "--plot x.svg",
        "--mode threshold",
        "--ladder 1,0 --dominance",
    ):
        yield "shrink", f"{small} {options}"


def _files() -> Iterator[tuple[str, str]]:
    for game in ("kuhn", "zero0.efg", "beer_quiche", "matrix0.nfg", "wichardt", "decimals0.efg --repair", "odd.efg"):
        stem = re.split(r"[ .]", game)[0]
        yield from (("convert", f"convert {game} {stem}-converted.{end} -q") for end in ("efg", "nfg", "json"))
    for converted in ("kuhn-converted.efg", "kuhn-converted.json", "matrix0-converted.nfg", "odd-converted.json"):
        yield "convert", f"info {converted} --format json"
    yield "convert", "convert matching_pennies pennies.nfg -q --format json"
    yield "convert", "convert kuhn kuhn.txt -q"
    yield "convert", "convert kuhn typed.txt -q"
    yield "convert", "convert kuhn unknown.json -q"
    for name in GAMES:
        if name.partition(".")[2] in ("efg", "nfg", "json") and name not in ("weights.json",):
            yield "files", f"info {name} --format json"
            yield "files", f"solve {name} -q"
    for options in ("--repair", "--repair-tolerance 1/100", "--repair-tolerance -1", "--repair-tolerance x", ""):
        yield "files", f"info decimals0.efg {options} --format json"
        yield "files", f"solve decimals1.efg {options} -q --format csv"
    yield "files", "solve - -q < zero0.efg"
    yield "files", "verify zero0.efg - -q < zero0.json"
    yield "files", "verify - - -q < zero0.json"
    for name in OTHER:
        base = OTHER[name][0]
        part = name.partition("-")[0]
        yield part, f"verify {game_of(base)} {name} -q"
        if part == "old" or "-1" in name or "-3" in name:
            yield part, f"respond {game_of(base)} {name} -q --format json"
            yield part, f"certify {game_of(base)} {name} -q --format json"
    yield from (
        ("old", f"verify guess_the_ace {name} -q") for name in ("kuhn.json", "old-alone.json", "kuhn-rules.json")
    )
    yield from (("old", f"{command} guess_the_ace kuhn.json -q") for command in ("respond", "audit", "certify", "play"))


def _refusals() -> Iterator[tuple[str, str]]:
    yield from (("refusals", line) for line in REFUSALS.splitlines())
    yield from (("limits", line) for line in LIMITS.splitlines())
    # A run that goes on from a checkpoint ends as it would have.
    for name, run in (
        ("oracle", "solve goofspiel --max-nodes 10 --method double-oracle"),
        ("regret", "solve kuhn --method dcfr --gap 1/50"),
        ("ordered", "solve rhode_island:ranks=2,suits=2,raises=1 --method dcfr --gap 2"),
        ("maxmin", "solve wichardt --concept maxmin --jobs 1"),
    ):
        yield "checkpoints", f"{run} --checkpoint {name}.checkpoint -q --format csv"
        yield "checkpoints", f"{run} --checkpoint {name}.checkpoint -q --format csv --log again.log --force"
        yield "checkpoints", f"solve goofspiel:order=increasing --method dcfr --checkpoint {name}.checkpoint -q"


# -- running -------------------------------------------------------------------------------------


def run(line: str, folder: Path) -> str:
    """What a command prints, in a process of its own that works in a folder."""
    arguments, _, given = line.partition(" < ")
    printed = [folder / f".{stream}" for stream in ("stdout", "stderr")]
    child = os.fork()
    if not child:
        _be_the_command(shlex.split(arguments), given or os.devnull, printed, folder)
    deadline = time.monotonic() + LONGEST
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.002)
    code = os.waitstatus_to_exitcode(status)
    out, err = (steady(path.read_text(errors="backslashreplace")) for path in printed)
    for path in printed:
        path.unlink()
    return f"$ tremble {line}\nexit {code}\n{out}{'-- stderr' if err else ''}\n{err}"


def _be_the_command(arguments: list[str], given: str, printed: list[Path], folder: Path) -> None:
    """Run the command line in this process, and leave."""
    code: object = 70
    try:
        os.chdir(folder)
        os.environ.update(COLUMNS="100", TERM="dumb")
        os.dup2(os.open(given, os.O_RDONLY), 0)
        for number, path in enumerate(printed, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        try:
            from tremble.cli import main

            main.main(args=arguments, prog_name="tremble", obj=time.perf_counter())
        except SystemExit as end:
            code = end.code or 0
        except BaseException as error:  # which the command line should have caught
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code if isinstance(code, int) else 1)


def steady(text: str) -> str:
    """A text without what differs from run to run."""
    for pattern, instead in UNSTEADY:
        text = pattern.sub(instead, text)
    return text


def make(name: str, raw: Path, old: Path | None) -> None:
    """Make a file that a command needs, unless it is there."""
    if (raw / name).exists():
        return
    if old is not None and (old / name).exists() and name in (*SOLUTIONS, *OTHER):
        document = old / name
        shutil.copy(document, raw / name)
        if '"npz"' in (text := document.read_text()):
            for arrays in re.findall(r'"npz": "([^"]*)"', text):
                shutil.copy(old / arrays, raw / arrays)
        return
    if name in SOLUTIONS:
        line = f"{SOLUTIONS[name]} -q -o {name}"
        for word in shlex.split(line):
            if word in SOLUTIONS and word != name:
                make(word, raw, old)
        said = run(line, raw)
        if not (raw / name).exists():
            sys.stderr.write(said)
    elif name in OTHER:
        base, change = OTHER[name]
        make(base, raw, old)
        (raw / name).write_text(change((raw / base).read_text()))


def warm_up(folder: Path) -> None:
    """Import all of the command line, and load kernels that every command would load again."""
    import tremble.cli

    for module in pkgutil.iter_modules(tremble.cli.__path__):
        importlib.import_module(f"tremble.cli.{module.name}")
    for line in (
        "solve kuhn --method cfr+ --gap 1 -q",
        "solve kuhn --max-nodes 10 --method double-oracle -q",
        "solve jk_four_cards --method dcfr --gap 1 -q",
        "solve wichardt --concept maxmin --jobs 1 -q",
    ):
        sys.stderr.flush()
        said = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            tremble.cli.main.main(args=line.split(), prog_name="tremble", obj=time.perf_counter())
        except SystemExit:
            sys.stdout.flush()
        finally:
            os.dup2(said, 1)


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", default="", metavar="TEXT", help="commands whose PART/COMMAND contains TEXT")
    parser.add_argument("--files", type=Path, metavar="OLD.raw", help="read the solution files of an earlier run")
    parser.add_argument("--list", action="store_true", help="list the commands and run none")
    parser.add_argument("--slow", type=float, metavar="S", help="name commands that take longer, on standard error")
    options = parser.parse_args()
    chosen = [(part, line) for part, line in dict.fromkeys(commands()) if options.only in f"{part}/{line}"]
    if options.list or options.folder is None:
        print("\n".join(f"{part}/{line}" for part, line in chosen))
        return
    folder = options.folder.absolute()
    raw, old = Path(f"{folder}.raw"), options.files and options.files.absolute()
    for used in (folder, raw):
        if used.exists():
            shutil.rmtree(used)  # of an earlier run
        used.mkdir(parents=True)
    for name, text in GAMES.items():
        (raw / name).write_text(text)
    warm_up(raw)
    for part, line in chosen:
        for word in shlex.split(line):
            make(word, raw, old)
        began = time.perf_counter()
        text = run(line, raw)
        if options.slow is not None and time.perf_counter() - began > options.slow:
            print(f"{time.perf_counter() - began:6.2f} s  {part}/{line}", file=sys.stderr)
        (folder / part).mkdir(exist_ok=True)
        name = re.sub(r"[^\w.:=,+@-]+", "_", line).strip("_")
        (folder / part / f"{name[:180]}.txt").write_text(text)
    (folder / "written").mkdir()
    for path in sorted(raw.iterdir()):
        if path.suffix in (".json", ".svg", ".html", ".efg", ".nfg") and path.name not in GAMES:
            (folder / "written" / path.name).write_text(steady(path.read_text(errors="backslashreplace")))
        elif path.suffix == ".npz":
            shutil.copy(path, folder / "written" / path.name)
    print(f"{len(chosen)} commands", file=sys.stderr)


if __name__ == "__main__":
    main()
