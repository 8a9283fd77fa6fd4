"""Write ``docs/games.json``: counts, digests and values of the built-in games, for tests of other implementations.

Two programs compute each number: tremble, and :mod:`benchmarks.generators` with :mod:`benchmarks.second_count`, which
share no code with tremble. If they disagree, or disagree with a published number, nothing is written.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import tremble
from benchmarks.generators import grow
from benchmarks.report import Report, Row
from benchmarks.second_count import best_responses, count, value_in_floats
from tremble.errors import TrembleError
from tremble.run.progress import Progress

__all__ = [
    "FIELDS",
    "GAMES",
    "PATH",
    "PUBLISHED",
    "SCHEMA",
    "SLOW",
    "SOURCES",
    "TOLERANCE",
    "CountError",
    "as_text",
    "by_tremble",
    "entry",
    "run",
]

PATH = Path(__file__).parents[1] / "docs" / "games.json"
SCHEMA = "tremble/known-games@1"
TOLERANCE = 1e-9

_SMALL = (
    "a_loss_counterexample",
    "a_loss_counterexample:x=1",
    "absentminded_driver",
    "auction",
    "auction:copies=1,sum=general,top=2,values=3",
    "auction:copies=1,top=5,values=5",
    "battle_outside",
    "beer_quiche",
    "border_patrol:depth=2",
    "border_patrol:depth=3",
    "border_patrol:depth=3,graph=2",
    "border_patrol:depth=3,graph=3,slow=false",
    "centipede",
    "centipede:length=1",
    "centipede:length=100",
    "dare_or_decline",
    "dark_hex:abrupt=true,size=2",
    "dark_hex:size=2",
    "double_oracle_example",
    "double_oracle_example:ayf=-3",
    "entry_deterrence",
    "goofspiel",
    "goofspiel:cards=2",
    "goofspiel:cards=4,order=increasing",
    "goofspiel:order=increasing",
    "guess_the_ace",
    "guess_the_ace:gift=true",
    "holdem_river:range1=AA,range2=KK",
    "holdem_turn:bets=100,raises=0,range1=AhAd,range2=KK",
    "holdem_turn:bets=50,board=Kh9d7s4c,pot=20,raises=1,range1=AhAd,9h9s,range2=QhJh,8h8d,stack=30",
    "holdem_river:bets=100,raises=1,range1=AhKd,JsTs,range2=QQ,JhTh",
    "jk_four_cards",
    "job_market",
    "kuhn",
    "kuhn:cards=2",
    "kuhn:cards=4",
    "kuhn:cards=13",
    "kuhn:cards=14",
    "kuhn_raise",
    "leduc",
    "leduc:ranks=2,raises=1",
    "leduc:ranks=4,raises=1",
    "leduc:ranks=5",
    "liars_dice:faces=2",
    "liars_dice:faces=3",
    "liars_dice:dice=2,faces=2",
    "matching_pennies",
    "mertens",
    "ordered_trembles",
    "poker",
    "poker:bets=2,each=1,raises=0",
    "poker:bets=2,types=2",
    "random_imperfect_recall",
    "random_imperfect_recall:depth=5,merge=0.5,merge2=0.5,recall=a-loss,seed=1",
    "random_imperfect_recall:branching=2,merge=0.7,recall2=any,seed=2,utilities=iid",
    "random_tree",
    "random_tree:branching=2,depth=8,observations=1,seed=1",
    "random_tree:chance=true,depth=5,seed=2",
    "random_tree:chance=true,seed=3,sum=general,utilities=iid",
    "rhode_island:raises=0,ranks=3,suits=2",
    "rhode_island:raises=1,ranks=2,suits=2",
    "safe_or_risky",
    "selten_horse_two",
    "wichardt",
)

SLOW = (
    "border_patrol:depth=4",
    "border_patrol:depth=5",
    "border_patrol",
    "goofspiel:cards=4",
    "kuhn:cards=50",
    "leduc:ranks=8",
    "leduc:ranks=9",
    "leduc:ranks=13",
    "liars_dice",
    "poker:bets=2,raises=2",
    "poker:bets=2,raises=4",
    "rhode_island:raises=2,ranks=3,suits=2",
    "rhode_island:ranks=2,suits=2",
)
"""The games whose entries have the mark ``slow``: two programs need more than a second for them."""

BY_RESPONSES = frozenset({"poker:bets=2,raises=4"})
"""Games whose linear program takes HiGHS too long. Best responses of the second program confirm their values."""

GAMES = tuple(sorted((*_SMALL, *SLOW)))

_TWICE, _SOLVED, _BOUNDED = "two-programs", "exact-and-floats", "exact-and-responses"
_FARINA, _BOSANSKY, _MILTERSEN, _KUHN = "farina-2018", "bosansky-2014", "miltersen-2006", "kuhn-1950"

SOURCES: dict[str, dict[str, Any]] = {
    _BOSANSKY: {
        "kind": "published",
        "reference": "B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, An exact double-oracle algorithm for "
        "zero-sum extensive-form games with imperfect information, JAIR 51, 2014, section 6",
    },
    _SOLVED: {
        "kind": "computed by two independent programs",
        "programs": [
            "tremble.solve: the exact fraction, which tremble's checker proves",
            "benchmarks/second_count.py: the sequence-form linear program of the second tree, solved by HiGHS (SciPy) "
            "in floats; the difference is at most 1e-9",
        ],
    },
    _BOUNDED: {
        "kind": "computed by two independent programs",
        "programs": [
            "tremble.solve: the exact fraction, which tremble's checker proves",
            "benchmarks/second_count.py: best responses on the second tree to both strategies of tremble, in floats; "
            "their payoffs bound the value from both sides and differ from it by at most 1e-9",
        ],
    },
    _FARINA: {
        "kind": "published",
        "reference": "G. Farina, N. Gatti and T. Sandholm, Practical exact algorithm for trembling-hand equilibrium "
        "refinements in games, NeurIPS 2018, Table 1",
    },
    _KUHN: {
        "kind": "published",
        "reference": "H. W. Kuhn, A simplified two-person poker, in Contributions to the Theory of Games I, 1950",
    },
    _MILTERSEN: {
        "kind": "published",
        "reference": "P. B. Miltersen and T. B. Sørensen, Computing sequential equilibria for two-player games, SODA "
        "2006, section 1.1",
    },
    _TWICE: {
        "kind": "computed by two independent programs",
        "programs": [
            "tremble.load: the tree of the game",
            "benchmarks/generators.py and benchmarks/second_count.py: a tree from the documented rules, without code "
            "of tremble",
        ],
    },
}
"""Key of a source -> its description in the file."""

FIELDS = (
    "nodes",
    "leaves",
    "chance_nodes",
    "player_nodes",
    "information_sets",
    "actions",
    "sequences",
    "depth",
    "perfect_recall",
    "constant_sum",
    "digest",
    "value",
)
"""The numbers of an entry. ``player_nodes`` to ``sequences``, and ``perfect_recall``, are lists with two items."""


def _table_1(chance: int, leaves: int, nodes: tuple[int, int], sets: int, sequences: int) -> tuple[str, dict[str, Any]]:
    """Return a row of Table 1 of Farina et al.; both players have equally many sets and sequences."""
    return _FARINA, {
        "chance_nodes": chance,
        "leaves": leaves,
        "player_nodes": list(nodes),
        "information_sets": [sets, sets],
        "sequences": [sequences, sequences],
    }


PUBLISHED: Mapping[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    # The paper states the sequences of player 2; those of player 1 follow from the percentages in its Table 3.
    "border_patrol": ((_BOSANSKY, {"sequences": [1463, 273099]}),),
    "goofspiel": (_table_1(28, 216, (273, 333), 273, 334),),
    "goofspiel:cards=4": (_table_1(1793, 13824, (17476, 21328), 17476, 21329),),
    "goofspiel:cards=4,order=increasing": (_table_1(0, 576, (737, 916), 737, 917),),
    "goofspiel:order=increasing": (_table_1(0, 36, (46, 57), 46, 58),),
    "kuhn": (_table_1(1, 30, (12, 12), 6, 13), (_KUHN, {"value": "-1/18"})),
    "kuhn_raise": ((_MILTERSEN, {"nodes": 91}),),
    "leduc": (_table_1(46, 1116, (387, 387), 144, 337),),
    "leduc:ranks=2,raises=1": (_table_1(13, 98, (44, 44), 28, 57),),
    "leduc:ranks=5": (_table_1(126, 5500, (1875, 1875), 390, 911),),
    "leduc:ranks=8": (_table_1(321, 22936, (7752, 7752), 984, 2297),),
    "leduc:ranks=9": (_table_1(406, 32724, (11043, 11043), 1242, 2899),),
    "poker:bets=2,raises=4": ((_BOSANSKY, {"sequences": [210937, 210937]}),),
}
"""Spec -> the sources that publish numbers of the game, and these numbers."""


class CountError(TrembleError):
    """Two programs, or a program and a publication, disagree about a number."""


class _Seconds(NamedTuple):
    """The time that both programs needed for an entry."""

    tremble: float
    second: float


def by_tremble(spec: str) -> tuple[dict[str, Any], tuple[list[float], list[float]]]:
    """Return the numbers of an entry as tremble computes them, and the probabilities of an equilibrium by action."""
    game = tremble.load(spec)
    kinds = game.nodes_by_kind
    perfect = [tremble.classify_recall(game, player) == "perfect" for player in (0, 1)]
    value = None
    behavior: tuple[list[float], list[float]] = ([], [])
    if game.constant_sum is not None and all(perfect):
        solution = tremble.solve(game, method="double-oracle" if spec in BY_RESPONSES else "auto")
        if solution.status != "certified":
            raise CountError(f"{spec}: the checker has not proven the value")
        value = str(solution.value)
        for strategy, probabilities in zip(solution.strategies, behavior, strict=True):
            probabilities += strategy.to_floats().tolist()
    numbers = {
        "nodes": game.num_nodes,
        "leaves": game.num_leaves,
        "chance_nodes": kinds["chance"],
        "player_nodes": [kinds["player 1"], kinds["player 2"]],
        "information_sets": list(game.num_infosets),
        "actions": list(game.num_slots),
        "sequences": [1 + slots for slots in game.num_slots],
        "depth": game.depth,
        "perfect_recall": perfect,
        "constant_sum": None if game.constant_sum is None else str(game.constant_sum),
        "digest": game.digest,
        "value": value,
    }
    return numbers, behavior


def entry(spec: str) -> tuple[dict[str, Any], _Seconds]:
    """Compute the entry of a game with both programs, and compare it with published numbers.

    Raises
    ------
    CountError
        Two numbers differ.
    """
    began = time.perf_counter()
    ours, behavior = by_tremble(spec)
    between = time.perf_counter()
    counted = count(grow(spec))
    for name, number in counted.numbers.items():
        if ours[name] != number:
            raise CountError(f"{spec}: {name} is {ours[name]} in tremble, and {number} in the second program")
    if ours["value"] is not None:
        values = best_responses(counted, behavior) if spec in BY_RESPONSES else (value_in_floats(counted),)
        for value in values:
            if abs(float(Fraction(ours["value"])) - value) > TOLERANCE:
                raise CountError(f"{spec}: the value is {ours['value']} in tremble, and {value!r} in floats")
    seconds = _Seconds(between - began, time.perf_counter() - between)
    sources = {name: [_TWICE] for name in FIELDS if name != "value"}
    if ours["value"] is not None:
        sources["value"] = [_BOUNDED if spec in BY_RESPONSES else _SOLVED]
    for source, numbers in PUBLISHED.get(spec, ()):
        for name, number in numbers.items():
            if ours[name] != number:
                raise CountError(f"{spec}: {name} is {ours[name]}, but {number} in {source}")
            sources[name].append(source)
    return {"spec": spec, "slow": spec in SLOW, **ours, "sources": sources}, seconds


def as_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the file: JSON with one line for each field of a game."""
    games = []
    for one in entries:
        lines = [f"   {json.dumps(name)}: {json.dumps(content)}" for name, content in one.items()]
        games.append("  {\n" + ",\n".join(lines) + "\n  }")
    head = {"schema": SCHEMA, "written_by": "python -m benchmarks counts", "sources": SOURCES}
    opening = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
    return f'{opening},\n "games": [\n' + ",\n".join(games) + "\n ]\n}\n"


def run(games: Sequence[str], _repeat: int, _time_box: float, progress: Progress) -> Report:
    """Compute the entries of games. If these are all games, write the file."""
    rows, entries = [], []
    for k, spec in enumerate(games):
        progress(spec, k / len(games))
        found, seconds = entry(spec)
        entries.append(found)
        value = None if found["value"] is None else float(Fraction(found["value"]))
        note = f"{found['nodes']:,} nodes"
        rows.append(Row(spec, "tremble", "done", seconds.tremble, runs=1, value=value, note=note))
        rows.append(Row(spec, "second program", "agrees", seconds.second, runs=1))
    if tuple(games) == GAMES:
        PATH.write_text(as_text(entries), encoding="utf-8", newline="\n")
    return Report("counts", tuple(rows))
