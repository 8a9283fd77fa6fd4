"""Run suites and record what they show: python -m benchmarks.record [SUITE ...] [--time-box SECONDS].

Then the tables of what is recorded here and stated in the literature are written anew, into docs/compared.md,
results/refinements.md, results/merging.md and results/rhode-island.md; ``--table`` does that alone.

On an idle machine with two cores, about: refinements 25 minutes, general-sum 20, nash 5, formats 4, startup 1; the
double oracle an hour; maxmin four. A shorter ``--time-box`` shortens the first, and shows as ``over ... s`` in its
rows.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import benchmarks
import tremble
from benchmarks import general_sum, merging
from benchmarks.__main__ import say
from benchmarks.refinements import GAMES, PUBLISHED, Published
from benchmarks.rhode_island import WHOLE as WHOLE_GAME

PATROL = tuple(
    ":".join(filter(None, ("border_patrol", ",".join(filter(None, (depth, graph, slow))))))
    for depth in ("depth=6", "")
    for graph in ("", "graph=2", "graph=3")
    for slow in ("", "slow=false")
)
POKER = ("leduc", "poker:bets=2,raises=2", "poker:bets=2,raises=4")
LARGE_POKER = ("poker:bets=3,each=3,raises=2,types=4", "poker:bets=2,each=3,raises=4,types=4")
PHANTOM = ("phantom_ttt", "phantom_ttt:win_first=true", "phantom_ttt:forced_wins=true")

WHOLE: dict[str, dict[str, Any]] = {
    "refinements": {
        "games": (*GAMES, "leduc:ranks=9", "goofspiel:cards=4", "leduc:ranks=13"),
        "repeat": 3,
        "time_box": 75.0,  # npp needs most of it on goofspiel
    },
    "nash": {"repeat": 3, "time_box": 45.0},
    "general-sum": {"games": (*general_sum.GAMES, general_sum.LARGEST), "repeat": 3},
    "merging": {"repeat": 3},
    "formats": {"repeat": 3, "time_box": 45.0},
    "abstraction": {"repeat": 3},
    "maxmin": {"repeat": 100},
    "double-oracle": {"games": (*PATROL, *POKER, *LARGE_POKER, *PHANTOM), "repeat": 1, "time_box": 60.0},
}
"""What is recorded beyond, or beside, the defaults of a suite."""

SHORT = {
    "kuhn": "Kuhn",
    "leduc:ranks=2,raises=1": "SL",
    "leduc": "L3",
    **{f"leduc:ranks={n}": f"L{n}" for n in (5, 8, 9, 13)},
    "goofspiel": "G3",
    "goofspiel:cards=4": "G4",
    "goofspiel:order=increasing": r"G\*3",
    "goofspiel:cards=4,order=increasing": r"G\*4",
}
"""Game -> its name in the literature, in Markdown."""

RESULTS = Path(__file__).parent / "results"
COMPARED = Path(__file__).parents[1] / "docs" / "compared.md"
TABLE = re.compile(r"^\| game \| nodes \| Nash, s \|.*\n(?:\|.*\n)*", re.MULTILINE)
REFINED = [concept for concept, algorithms in PUBLISHED.items() if "halving" in algorithms]
BESIDE = "\n## Tables 1 and 2 of the paper, and here\n"
SOLVED = """
## What the paper states, and here

| Rhode Island Hold'em | paper (EC 2006, section 1.3; signal tree: section 4) | here |
|---|---|---|
| game tree, nodes | 3.1 billion, or more | 6,705,372,545, [all of them](../../docs/explanation/abstraction.md) |
| signal tree, nodes | 6,632,705 | the same |
| program without abstraction | 91,224,226 rows and columns | the same |
| dominated strategies left out, without abstraction | 89,471,986 rows, 89,121,538 columns | the same, `--mode full` |
| after abstraction | 1,237,238 rows and columns, 50,428,638 nonzeros | the same, `--mode published`, which loses |
| dominated strategies left out as well | 1,190,443 rows, 1,181,084 columns | the same, `--mode published` |
| after lossless abstraction | - | 5,498,768 rows and columns, 130,629,332 nonzeros |
| dominated actions left out as well | - | 5,393,908 rows, 5,372,936 columns |
| time of the abstraction | less than one second | {lossless:.2g} s lossless, {published:.2g} s published |
| solution | 7 days and 17 hours, barrier method of CPLEX | {near:,.0f} s to 0.1 milli-antes, {nearer:,.0f} s to 0.01 |
| memory of the solver | 25 GB | {memory:.1f} GB |

Rows and columns as in the paper, whose program is that of player 2. The sizes without dominated actions are those of
`tremble shrink rhode_island --dominance`, elimination without abstraction in 94 s of processor time and 0.9 GB. The
paper's solution is of its shrunk program; ours are proven at the level of single cards, on the game as it is dealt.
Its section 1.3 says that the game tree exceeds 3.1 billion nodes; abstract, section 4 and conclusion, that it has them.
"""
EPSILON = re.compile(r"(?<!published: )epsilon (?P<epsilon>[^ ,;]+) after (?P<programs>\d+) programs")
HOW_TO_READ = """\
Left what the paper states, of its authors' machine and GLPK; `here` the same algorithm reimplemented, exact Nash and
proof included, oracle and linear programs together. In the text of section 6 the last number for Kuhn poker is "about
1e-5", in Table 2 it is 1/10, which is what comes out here. A dash: it did not end within the time box.
"""


def table_of_refinements(rows: Sequence[Mapping[str, Any]]) -> str:
    """Ours, the published algorithm here, and what is published of it, as Markdown; from the rows of the suite."""
    halves = "".join(f" {concept}, s | / Nash | halving here, s | 2018, s |" for concept in REFINED)
    lines = [f"| game | nodes | Nash, s |{halves}", "|" + "---|" * (3 + 4 * len(REFINED))]
    by_name = {(row["task"], row["program"]): row for row in rows}
    for game in dict.fromkeys(row["task"] for row in rows):
        nash = by_name[game, "tremble nash"]
        cells = [SHORT[game], nash["note"].split(" nodes")[0], _seconds(nash)]
        for concept in REFINED:
            ours = by_name[game, f"tremble {concept}"]
            cells += [_seconds(ours), "-" if ours["ratio"] is None else f"{ours['ratio']:.3g}"]
            cells += [
                _seconds(by_name[game, f"halving, {concept}"]),
                _stated(PUBLISHED[concept]["halving"].get(game, Published())),
            ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def tables_beside_the_paper(rows: Sequence[Mapping[str, Any]]) -> str:
    """The tables of the 2018 paper, and beside each of its columns ours, as Markdown; from the rows of the suite."""
    by_name = {(row["task"], row["program"]): row for row in rows}
    games = [game for game in dict.fromkeys(row["task"] for row in rows) if game in PUBLISHED["nash"]["simplex"]]
    parts = [BESIDE, "The sizes of Table 1, all of which are those of the games here:\n"]
    parts += ["| game | chance, leaves, player 1, player 2 | information sets | sequences |", "|---|---|---|---|"]
    for game in games:
        facts = tremble.info(tremble.load(game))
        nodes = [facts["nodes"]["chance"], facts["nodes"]["terminal"], *facts["nodes"]["player"]]
        sizes = [", ".join(f"{n:,}" for n in numbers) for numbers in (nodes, facts["information_sets"])]
        parts.append(f"| {SHORT[game]} | {' | '.join(sizes)} | {', '.join(f'{n:,}' for n in facts['sequences'])} |")
    for concept, algorithms in PUBLISHED.items():
        head = ["game"]
        for name in algorithms:
            if name == "halving":
                head += ["its own: linear programs, s", "oracle, s", "halving here, s"]
                head += ["iterations", "here", "last number", "here"]
            elif name == "simplex":
                head += ["simplex, s"]
            else:
                head += [f"{name}, s", "here"]
        parts += [f"\nTable 2, {concept}:\n", f"| {' | '.join([*head, 'tremble, s'])} |"]
        parts.append("|" + "---|" * (len(head) + 1))
        for game in games:
            cells = [SHORT[game]]
            for name, paper in ((name, stated[game]) for name, stated in algorithms.items()):
                row = by_name.get((game, f"{name}, {concept}"))
                if paper.oracle is None or paper.seconds is None or row is None:
                    cells += [_stated(paper), *([] if row is None else [_seconds(row)])]
                    continue
                ours = EPSILON.search(row["note"])
                programs, number = ("-", "-") if ours is None else (ours["programs"], ours["epsilon"])
                cells += [f"{paper.seconds - paper.oracle:,.4g}", f"{paper.oracle:,g}", _seconds(row)]
                cells += [str(paper.programs), programs, paper.epsilon, number]
            parts.append(f"| {' | '.join([*cells, _seconds(by_name[game, f'tremble {concept}'])])} |")
    return "\n".join([*parts, "", HOW_TO_READ])


def rhode_island_beside_the_paper() -> str:
    """What is published of the whole game, and what is recorded here, as Markdown."""
    rows = {
        suite: {
            (row["task"], row["program"]): row for row in json.loads((RESULTS / f"{suite}.json").read_text())["rows"]
        }
        for suite in ("abstraction", "rhode-island")
    }
    solved = [rows["rhode-island"][WHOLE_GAME, f"tremble dcfr, {share} milli-antes"] for share in ("0.1", "0.01")]
    shrunk = {mode: rows["abstraction"][WHOLE_GAME, mode]["seconds"] for mode in ("lossless", "published")}
    near, nearer = (row["seconds"] for row in solved)
    return SOLVED.format(**shrunk, near=near, nearer=nearer, memory=max(row["peak_mib"] for row in solved) / 1024)


def _stated(paper: Published) -> str:
    if paper.over:
        return f"more than {paper.over}"
    return "-" if paper.seconds is None else f"{paper.seconds:,.4g}"


def _seconds(row: Mapping[str, Any]) -> str:
    if row["status"].startswith("over"):
        return f"more than {row['status'].split()[1]}"
    return "-" if row["seconds"] is None else f"{row['seconds']:.2g}"


def _append(suite: str, section: str) -> None:
    """Write a section anew behind what a suite has recorded."""
    path = RESULTS / f"{suite}.md"
    title = section.splitlines()[1]
    recorded = path.read_text(encoding="utf-8").partition(f"\n{title}\n")[0]
    path.write_text(recorded + section, encoding="utf-8", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(benchmarks.SUITES))
    parser.add_argument("--time-box", type=float, help="seconds for a run, instead of what is recorded as a rule")
    parser.add_argument("--table", action="store_true", help="run nothing, write the table only")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for suite in () if options.table else options.suites or benchmarks.SUITES:
        settings = WHOLE.get(suite, {}) | ({} if options.time_box is None else {"time_box": options.time_box})
        report = benchmarks.run(suite, **settings, progress=say)
        (RESULTS / f"{suite}.json").write_text(report.to_json(), encoding="utf-8", newline="\n")
        (RESULTS / f"{suite}.md").write_text(report.to_markdown(), encoding="utf-8", newline="\n")
        print(f"{suite}\n{report.to_table()}\n", flush=True)
    recorded = json.loads((RESULTS / "refinements.json").read_text(encoding="utf-8"))
    _append("refinements", tables_beside_the_paper(recorded["rows"]))
    _append("merging", merging.beside(json.loads((RESULTS / "merging.json").read_text(encoding="utf-8"))["rows"]))
    _append("rhode-island", rhode_island_beside_the_paper())
    table = table_of_refinements(recorded["rows"])
    text = COMPARED.read_text(encoding="utf-8")
    COMPARED.write_text(TABLE.sub(lambda _: table, text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
