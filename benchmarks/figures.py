"""Figures and the table of where the time goes, of the double oracle, from recorded runs.

    python -m benchmarks.figures                            draw what is recorded
    python -m benchmarks.figures --record                   record all of it anew, then draw
    python -m benchmarks.figures --record poker phantom     only games whose names contain one of these
    python -m benchmarks.figures --record --missing         only what is not recorded yet
    python -m benchmarks.figures --record --program paper   only programs whose names contain this
    python -m benchmarks.figures --record --time-box 60     processor seconds for each run (default: 120)

Runs are logs in results/logs, JSON lines in the form of ``tremble solve --log``; each is made in a process of its own,
one after the other.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks import charts
from benchmarks.contestant import Contestant, Failure, Job, Process
from benchmarks.double_oracle import PROGRAMS, PUBLISHED, PUBLISHED_GAPS, PUBLISHED_SIZES, UNNAMED_GAPS
from benchmarks.programs import Program, killed_after, prepare
from benchmarks.report import environment
from tremble.show import plots

RESULTS = Path(__file__).parent / "results"
LOGS, FIGURES = RESULTS / "logs", RESULTS / "figures"
ENVIRONMENT = LOGS / "environment.json"

KNOWN = {program.name: program for program in PROGRAMS}
ORACLES = ("double oracle", "double oracle, both", "double oracle, alternating", "double oracle, worse")
PAPER = ("as published, both", "as published, alternating", "as published, worse")
FROM_RULES, PAPER_FROM_RULES = (tuple(f"{name}, from rules" for name in names) for names in (ORACLES, PAPER))
HIGHS = ("HiGHS simplex, float", "HiGHS interior point, float")
REGRET = ("CFR+", "DCFR", "CFR")
KNOWN |= {name: KNOWN[name.removesuffix(", from rules")].from_rules() for name in (*FROM_RULES, *PAPER_FROM_RULES)}

R2 = "poker:bets=2,raises=2"
R4 = "poker:bets=2,raises=4"
B3 = "poker:bets=3,each=3,raises=2,types=4"
T5 = "poker:bets=2,each=3,raises=4,types=4"
PHANTOM, FORCED = "phantom_ttt", "phantom_ttt:forced_wins=true"


def _patrol(graph: int, depth: int, *, slow: bool) -> str:
    """The canonical name of a search game."""
    changed = [("depth=6", depth != 7), (f"graph={graph}", graph != 1), ("slow=false", not slow)]
    return ":".join(filter(None, ("border_patrol", ",".join(text for text, given in changed if given))))


SEARCH = {
    _patrol(graph, depth, slow=slow): f"G{graph}\ndepth {depth}\n{'slow' if slow else 'no slow'}"
    for depth in (6, 7)
    for graph in (3, 1, 2)
    for slow in (False, True)
}
POKER = {"leduc": "Leduc", R2: "R2", R4: "R4", B3: "B3", T5: "T5"}
NAMES = {**SEARCH, **POKER, PHANTOM: "phantom\ntic-tac-toe", FORCED: "phantom, wins\nare forced"}
G1 = "border_patrol"

RUNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SEARCH, (*FROM_RULES, *PAPER_FROM_RULES, *HIGHS)),
    **dict.fromkeys(POKER, (*ORACLES, *PAPER, *HIGHS)),
    PHANTOM: ORACLES,
    FORCED: (*ORACLES, *PAPER),
}
for game in (G1, R2, T5):
    RUNS[game] = (*RUNS[game], *REGRET)
"""Game -> programs that are recorded."""

PARTS = {
    "linear_program": "linear program",
    "best_response": "best responses",
    "restricted": "restricted game",
    "exact": "exact end",
    "preparation": "looking at the game",
    "verify": "verification",
}


ABOUT = """
The paper's seconds are of Java and CPLEX's barrier method on an Intel i7 at 2.8 GHz. Ours are processor seconds, to the
checker's proof, its process included; `>` marks runs that were stopped. Sequences are those of the last restricted
game, the empty ones included. An iteration is what it is in the paper: both players answer in one (DO-B), or one of
them does. *As published* is the method `published-double-oracle`; *ours without smoothing* has the same policy, but a
player without a new sequence is followed by the other one within an iteration. Search games and phantom tic-tac-toe are
played from their rules, poker on its tree. Why iterations on G1 and sizes of phantom tic-tac-toe differ is in
`docs/explanation/double-oracle.md`.
""".strip().splitlines()


def log_of(game: str, program: str) -> Path:
    """Where a run is recorded."""
    name = "--".join(re.sub(r"[^a-z0-9+]+", "-", text.lower()).strip("-") for text in (game, program))
    return LOGS / f"{name}.jsonl"


def ending(game: str, program: str) -> dict[str, Any] | None:
    """How a recorded run ended, and the game's sequences; None if it is not recorded."""
    with suppress(FileNotFoundError):
        first, *_, last = (json.loads(line) for line in log_of(game, program).read_text(encoding="utf-8").splitlines())
        return {**last, "sequences": first["sequences"]}
    return None


# -- recording ------------------------------------------------------------------------------------------------------


def record(wanted: Sequence[str], time_box: float, *, missing: bool, program: str = "") -> None:
    """Record runs of the games whose names contain a wanted text, of the programs whose names contain another."""
    LOGS.mkdir(parents=True, exist_ok=True)
    ENVIRONMENT.write_text(json.dumps(environment(), indent=1) + "\n", encoding="utf-8", newline="\n")
    for game, names in RUNS.items():
        if wanted and not any(text in game for text in wanted):
            continue
        names = tuple(name for name in names if program in name)
        programs = [KNOWN[name] for name in names if not (missing and log_of(game, name).exists())]
        with tempfile.TemporaryDirectory(prefix="tremble-figures-") as folder:
            job = Job.of(game, folder, unbuilt=True)
            for rules, group in (
                (True, [p for p in programs if p.rules]),
                (False, [p for p in programs if not p.rules]),
            ):
                if group and not rules:
                    job = Job.of(game, folder)
                for entrant in group:
                    if entrant.can_play(job):
                        _record(job, entrant, time_box)


def _record(job: Job, program: Program, time_box: float) -> None:
    log = log_of(job.game, program.name)
    work = partial(prepare, program=program, time_box=time_box, log=str(log))
    with Process(Contestant(program.name, work), job) as process:
        try:
            process.ready(killed_after(time_box))
            trial = process.run(killed_after(time_box))
            if not (trial.warm or trial.status.startswith("over")):  # the log is of a run that compiles nothing
                trial = process.run(killed_after(time_box))
        except Failure as failure:
            print(f"{job.game}: {program.name}: {failure.status}", file=sys.stderr, flush=True)
            return
    print(
        f"{job.game}: {program.name}: {trial.status}, {trial.seconds:.3g} s, {trial.note}", file=sys.stderr, flush=True
    )


# -- the table ------------------------------------------------------------------------------------------------------


def breakdown() -> list[dict[str, Any]]:
    """One row per recorded run of a double oracle."""
    rows = []
    for game, names in RUNS.items():
        for name in names:
            end = ending(game, name) if name.startswith(("double oracle", "as published")) else None
            if end is None:
                continue
            stats = end["stats"]
            kept, of = stats.get("restricted_sequences"), end["sequences"]
            parts = {part: stats.get(f"{part}_seconds_float", 0.0) for part in PARTS}
            rows.append(
                {
                    "game": game,
                    "program": name,
                    "status": end["status"],
                    "iterations": stats.get("iterations", stats.get("iteration")),
                    "restricted_sequences": kept,
                    "sequences": of,
                    "share_of_sequences_float": None
                    if kept is None or of is None
                    else [n / total for n, total in zip(kept, of, strict=True)],
                    "elapsed_seconds_float": end["elapsed_seconds_float"],
                    "cpu_seconds_float": end["cpu_seconds_float"],
                    "seconds_float": parts,
                    "share_of_time_float": {part: s / (sum(parts.values()) or 1.0) for part, s in parts.items()},
                    "peak_mib_float": end["peak_mib_float"],
                }
            )
    return rows


def _policy(program: str) -> str:
    return program.removeprefix("double oracle").removeprefix(", ") or "default"


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    kept = row["restricted_sequences"] or ("", "")
    shares = row["share_of_sequences_float"] or (None, None)
    yield from (row["game"], _policy(row["program"]), row["status"], f"{row['iterations']}")
    yield from (f"{n:,}" + ("" if s is None else f" ({100 * s:.2g} %)") for n, s in zip(kept, shares, strict=True))
    yield from (f"{row['cpu_seconds_float']:.3g}", f"{row['elapsed_seconds_float']:.3g}")
    for part in PARTS:
        yield f"{row['seconds_float'][part]:.2g} ({100 * row['share_of_time_float'][part]:.0f} %)"
    yield f"{row['peak_mib_float']:,.0f}"


def _markdown(rows: Iterable[Mapping[str, Any]], where: Mapping[str, Any]) -> str:
    head = ("game", "policy", "status", "iterations", "sequences of 1", "sequences of 2", "CPU s", "s", *PARTS.values())
    table = [(*head, "peak MiB"), *(tuple(_cells(row)) for row in rows)]
    width = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(line, width, strict=True)) + " |" for line in table]
    lines.insert(1, "|" + "---|" * len(width))
    versions = ", ".join(f"{name} {version}" for name, version in where["versions"].items())
    about = (
        "Sequences in the last restricted game, and their share of the game's. Seconds are those of the clock on the "
        "wall, but for the column CPU s; shares are of the sum of the parts."
    )
    end = f"Recorded on {where['date']}; {where['cpus']} CPUs, {where['system']} on {where['machine']}; {versions}."
    return "\n".join(["## Where the time of the double oracle goes", "", about, "", *lines, "", end]) + "\n"


def write_table() -> None:
    """Write the table as JSON and as Markdown."""
    rows, where = breakdown(), json.loads(ENVIRONMENT.read_text(encoding="utf-8"))
    text = json.dumps({"environment": where, "rows": rows}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    (RESULTS / "double-oracle-breakdown.json").write_text(text, encoding="utf-8", newline="\n")
    (RESULTS / "double-oracle-breakdown.md").write_text(_markdown(rows, where), encoding="utf-8", newline="\n")
    (RESULTS / "double-oracle-paper.md").write_text(_beside_the_paper(rows, where), encoding="utf-8", newline="\n")


TABLES = {
    "Table 3: search game G1, depth 7, slow moves": G1,
    "Table 4: phantom tic-tac-toe, wins are forced": FORCED,
    "Table 5: poker (T5 here), 4 raises, 2 bets, 4 types, 3 cards each": T5,
    "Section 6.2: poker R4 (the paper states two numbers)": R4,
}
REMARKS = {
    FORCED: (
        "The paper's table is of a random order of actions. Ours is a heuristic one (centre, corners, edges); of one",
        "of its own the paper (section 6.2, Figure 9 right) states 2 hours for DO-SWP and less than 3 for each policy.",
        "",
    )
}
"""Game -> what has to be said before its table is read."""
FIGURE_7 = """
As published here, CPU s (iterations). The paper has these as a picture, and says in words: on G2 with slow moves, at
depth 6 the whole linear program takes almost 100 s and all double oracles less than 3; at depth 7 the linear program
runs out of memory, and DO-SWP, the fastest, takes less than 5.
""".strip().splitlines()
POLICIES = dict(zip(PAPER, ("both (DO-B)", "alternating (DO-SA)", "worse (DO-SWP)"), strict=True))


def _beside_the_paper(rows: Sequence[Mapping[str, Any]], where: Mapping[str, Any]) -> str:
    """The paper's tables with ours beside them, as Markdown."""
    found = {(row["game"], row["program"].removesuffix(", from rules")): row for row in rows}
    lines = ["## The tables of the paper, and the same algorithm here", "", *ABOUT]
    head = "| policy | paper, s | iterations | sequences | as published here, CPU s | iterations | sequences "
    head += "| ours without smoothing, CPU s | iterations | sequences |"
    for title, game in TABLES.items():
        lines += ["", f"### {title}", "", *REMARKS.get(game, ()), head, "|" + "---|" * 10]
        for name, policy in POLICIES.items():
            seconds, sizes = PUBLISHED[name].get(game), PUBLISHED_SIZES[name].get(game)
            cells = [policy, "-" if seconds is None else f"{seconds:,.2f}"]
            cells += ["-", "-"] if sizes is None else [f"{sizes[0]}", f"{sizes[1]:,} + {sizes[2]:,}"]
            for program in (name, name.replace("as published", "double oracle")):
                cells += _measured(found.get((game, program)))
            lines.append(f"| {' | '.join(cells)} |")
        whole = PUBLISHED["HiGHS interior point, float"].get(game)
        least = [end for end in (ending(game, name) for name in HIGHS) if end is not None and end["status"] == "done"]
        ours = min((end["cpu_seconds_float"] for end in least), default=None)
        cells = ["whole linear program", "out of memory" if whole is None else f"{whole:,.2f}", "", ""]
        cells += ["-" if ours is None else f"{ours:.3g} (HiGHS, floats)", "", ""]
        default = _measured(found.get((game, "double oracle")))
        lines.append(f"| {' | '.join([*cells, f'default: {default[0]}', *default[1:]])} |")
    lines += ["", "### Figure 7: search games", "", *FIGURE_7]
    lines += ["", f"| game | {' | '.join(POLICIES.values())} | ours, default |", "|" + "---|" * 5]
    for game in SEARCH:
        runs = [_measured(found.get((game, name))) for name in (*POLICIES, "double oracle")]
        lines.append(f"| `{game}` | {' | '.join(f'{seconds} ({iterations})' for seconds, iterations, _ in runs)} |")
    end = f"Recorded on {where['date']}; {where['cpus']} CPUs, {where['system']} on {where['machine']}."
    return "\n".join([*lines, "", end]) + "\n"


def _measured(row: Mapping[str, Any] | None) -> list[str]:
    """Processor seconds, iterations and sequences of a recorded run."""
    if row is None:
        return ["-", "-", "-"]
    over = "> " if row["status"].startswith("over") else ""
    kept = row["restricted_sequences"]
    sequences = "-" if kept is None else " + ".join(f"{n:,}" for n in kept)
    return [f"{over}{row['cpu_seconds_float']:.3g}", f"{over}{row['iterations']}", sequences]


# -- the figures ----------------------------------------------------------------------------------------------------


def _times(game: str, programs: Mapping[str, str]) -> Iterator[tuple[str, charts.Time]]:
    """Recorded running times, by how the figure calls the programs; of several programs with one name the fastest."""
    found: dict[str, charts.Time] = {}
    for name, label in programs.items():
        end = ending(game, name)
        if end is None or not (end["status"] in ("certified", "done") or end["status"].startswith("over")):
            continue
        time = charts.Time(max(end["cpu_seconds_float"], 1e-3), bound=end["status"].startswith("over"))
        if label not in found or (time.bound, time.seconds) < (found[label].bound, found[label].seconds):
            found[label] = time
    yield from found.items()


def _ladder(games: Mapping[str, str], programs: Mapping[str, str], file: str, title: str) -> None:
    times = {}
    for game, label in games.items():
        row = dict(_times(game, programs))
        published = {
            "published, full LP (CPLEX)": PUBLISHED["HiGHS interior point, float"].get(game),
            "published, double oracle (fastest policy)": min(
                (PUBLISHED[name][game] for name in PAPER if game in PUBLISHED[name]), default=None
            ),
        }
        row |= {name: charts.Time(seconds) for name, seconds in published.items() if row and seconds is not None}
        if row:
            times[label] = row
    if times:
        charts.ladder(times, FIGURES / file, title=title, unit="processor seconds")


def _convergence(game: str, programs: Iterable[str], file: str, title: str) -> None:
    logs = {name.removesuffix(", from rules"): log_of(game, name) for name in programs}
    logs = {name: log for name, log in logs.items() if log.exists()}
    label = "CFR, published (G1?)" if game in UNNAMED_GAPS else "CFR, published"
    points = {label: PUBLISHED_GAPS[game]} if game in PUBLISHED_GAPS else None
    if logs:
        plots.convergence(logs, FIGURES / file, title=title, points=points, cpu=True)


def draw() -> None:
    """Draw all figures."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    full = dict.fromkeys(HIGHS, "full LP in floats (faster HiGHS)")
    rules = dict(zip(FROM_RULES, ORACLES, strict=True))
    _ladder(
        SEARCH,
        rules | {PAPER_FROM_RULES[0]: PAPER[0]} | full,
        "search-ladder.svg",
        "Border patrol: time to the exact value",
    )
    _ladder(
        POKER,
        {name: name for name in (*ORACLES, PAPER[0])} | full,
        "poker-ladder.svg",
        "Poker: time to the exact value",
    )
    _convergence(
        G1,
        (*FROM_RULES, PAPER_FROM_RULES[0], *REGRET),
        "error-border-patrol.svg",
        "Border patrol, graph 1, depth 7, slow moves",
    )
    _convergence(PHANTOM, ORACLES, "error-phantom.svg", "Phantom tic-tac-toe")
    _convergence(R2, (*ORACLES, PAPER[0], *REGRET), "error-poker-r2.svg", "Poker R2")
    _convergence(T5, (*ORACLES, PAPER[0], *REGRET), "error-poker-t5.svg", "Poker T5")
    bars = {}
    for row in breakdown():
        if row["game"] in (G1, PHANTOM, R2, R4, B3, T5):
            name = NAMES[row["game"]].replace("\n", " ").removesuffix(" slow")
            policy = _policy(row["program"].removesuffix(", from rules"))
            seconds = row["cpu_seconds_float"]  # divided as those of the clock on the wall are
            stopped = ", stopped" if row["status"].startswith("over") else ""
            bars[f"{name}: {policy}{stopped}"] = {
                label: seconds * row["share_of_time_float"][part] for part, label in PARTS.items()
            }
    if bars:
        charts.breakdown(
            bars, FIGURES / "breakdown.svg", title="Where the time of the double oracle goes", unit="CPU s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", nargs="*", metavar="TEXT", help="record runs; of games whose names contain a TEXT")
    parser.add_argument("--missing", action="store_true", help="record only what is not recorded yet")
    parser.add_argument("--program", default="", metavar="TEXT", help="record only programs whose names contain TEXT")
    parser.add_argument("--time-box", type=float, default=120.0, metavar="SECONDS", help="processor seconds of a run")
    given = parser.parse_args()
    if find_spec("matplotlib") is None:  # said before an hour of recording, not after it
        parser.error("matplotlib is not installed: pip install '.[bench,plot]'")
    if given.record is not None:
        record(given.record, given.time_box, missing=given.missing, program=given.program)
    write_table()
    draw()


if __name__ == "__main__":
    main()
