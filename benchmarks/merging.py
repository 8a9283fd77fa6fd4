"""Merging: programs with and without what no sum can tell apart, refined, in floats alone, and solved as a whole.

What is timed of each program, in processor seconds, in a process of its own, warm, in alternating runs; no game is
built:

* ``classes`` and ``classes, perfect``: color refinement and the quotient alone, of the program for Nash equilibria
  and of that for extensive-form perfect ones. The note has rows, columns and entries, before and after.
* ``HiGHS`` and ``HiGHS, all apart``: ``run()`` alone on the merged program for Nash equilibria and on the whole one.
* ``CONCEPT`` and ``CONCEPT, all apart``: :func:`tremble.solve` by the method ``lp``, from a loaded tree to the proof,
  as it is by default and with ``merge=False``.

Ratios are of the program that tells all apart to the one that merges: so many times as long it takes.

References
----------
M. Grohe, K. Kersting, M. Mladenov, E. Selman: Dimension reduction via colour refinement, ESA 2014.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import log
from pathlib import Path
from statistics import linear_regression
from typing import TYPE_CHECKING, Any

from benchmarks.contestant import Contestant, Job, Trial, processor_seconds
from benchmarks.nash import float_solver
from benchmarks.race import race, rows_of
from benchmarks.report import Goal, Report, Row, environment, notes
from tremble.run.progress import Progress

if TYPE_CHECKING:
    from tremble.exact.program import Program
    from tremble.game.tree import GameTree

__all__ = ["BESIDE", "GAMES", "beside", "run"]

CONCEPTS = ("nash", "quasi-perfect", "perfect")
_CLASSES = {"nash": "classes", "perfect": "classes, perfect"}  # concept -> refinement of its program

BESIDE = "\n## A line for each game\n"
HOW_TO_READ = """\
Processor seconds. In the last columns: with all told apart / merged = so many times as long. HiGHS is `run()` alone, on
the program for Nash equilibria; the others are whole solutions, from a loaded tree to the proof.
"""

_PATROL = tuple(f"border_patrol:depth={depth}" for depth in (3, 4, 5, 6))
_GOOFSPIEL = tuple(f"goofspiel:cards={cards}" for cards in (2, 3, 4))
_HEX = ("openspiel:hex(board_size=2)", "openspiel:hex(num_cols=3,num_rows=2)", "openspiel:hex(board_size=3)")
_LEDUC = tuple(f"leduc:ranks={ranks}" for ranks in (2, 3, 5, 7, 9, 13))
_NIM = tuple(f"openspiel:nim(pile_sizes={piles})" for piles in ("1;2;3", "2;2;3", "1;3;5"))
_LADDERS = {"border patrol": _PATROL, "goofspiel": _GOOFSPIEL, "hex": _HEX, "leduc": _LEDUC, "nim": _NIM}

_LOADABLE = (
    "blotto", "coordinated_mp", "kuhn_poker", "leduc_poker", "matrix_brps", "matrix_mp", "matrix_rps", "matrix_rpsw",
    "liars_dice", "tic_tac_toe",
)  # fmt: skip
"""Those of OpenSpiel's 100 games that two can play whose default tree has at most 1,500,000 nodes, a constant sum, and
players who forget nothing."""

_BATTLESHIP = "board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots={},allow_repeated_shots=false"
_SMALLER = (
    f"battleship({_BATTLESHIP.format(2)})",
    f"battleship({_BATTLESHIP.format(3)})",
    "blotto(coins=5)",
    "breakthrough(rows=3,columns=2)",
    "breakthrough(rows=4,columns=2)",
    "breakthrough(rows=3,columns=3)",
    "clobber(rows=2,columns=3)",
    "clobber(rows=3,columns=3)",
    "connect_four(rows=3,columns=3,x_in_row=3)",
    "dark_hex(board_size=2)",
    "dots_and_boxes(num_rows=1,num_cols=1)",
    "dots_and_boxes(num_rows=1,num_cols=2)",
    "go(board_size=2)",
    "goofspiel(num_cards=4,imp_info=true,points_order=descending)",
    "havannah(board_size=2)",
    "misere(game=kuhn_poker())",
    "mnk(m=2,n=4,k=3)",
    "oshi_zumo(coins=4,size=1,horizon=6)",
    "oshi_zumo(coins=5,size=1,horizon=6)",
    "pig(winscore=4,diceoutcomes=2,horizon=12)",
    "repeated_game(stage_game=matrix_mp(),num_repetitions=5)",
    "repeated_game(stage_game=matrix_rps(),num_repetitions=3)",
)
"""Games of OpenSpiel that fit with parameters of their own."""

_BUILT_IN = (
    "matching_pennies",
    "safe_or_risky",
    "guess_the_ace",
    "double_oracle_example",
    "dare_or_decline",
    "kuhn",
    "kuhn_raise",
    "jk_four_cards",
    "auction",
    "random_tree",
    "poker:bets=2,raises=2",
    "liars_dice:faces=4",
    "rhode_island:ranks=2,suits=2",
)
_CATALOG = "Gambit's catalog"
"""Stands for those of its games that have two players, a constant sum, and nobody who forgets."""

_OPENSPIEL = tuple(f"openspiel:{spec}" for spec in (*_LOADABLE, *_SMALLER))
GAMES = (*dict.fromkeys((*_BUILT_IN, _CATALOG, *_LEDUC, *_GOOFSPIEL, *_PATROL, *_NIM, *_HEX, *_OPENSPIEL)),)

_MANY = 15  # runs where a few per cent are to be seen
_NOTHING_MERGES = (
    "kuhn",
    "kuhn_raise",
    *_LEDUC[1:],
    "poker:bets=2,raises=2",
    "liars_dice:faces=4",
    "openspiel:liars_dice",
)
_ANSWERS = Path(__file__).parents[1] / "tests" / "gambit_answers.json"  # has the catalog
_MOST_NODES = 5_000_000

_FASTER: Mapping[tuple[str, str], float] = {
    ("border_patrol:depth=6", "HiGHS"): 5.0,
    ("border_patrol:depth=6", "nash"): 1.5,
    ("goofspiel:cards=4", "quasi-perfect"): 1.5,
    ("goofspiel:cards=4", "perfect"): 2.5,
    ("openspiel:dots_and_boxes(num_rows=1,num_cols=2)", "perfect"): 10.0,
}
_SLOWER = 1.03  # times as long as if all is told apart may a game take in which nothing merges
_EXPONENT = 1.2  # of the seconds of refinement in the entries


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    sizes: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="tremble-bench-") as folder:
        for job in _jobs(games, folder, progress):
            sizes[job.game] = sum(job.sequences or ())
            rows += _rows(job, repeat, time_box, progress)
    return Report("merging", tuple(rows), tuple(_goals(rows, sizes)), environment())


def _jobs(games: Sequence[str], folder: str, progress: Progress) -> Iterator[Job]:
    """The games, and those that stand behind the name of the catalog."""
    for game in games:
        progress(f"{game}: building the tree", None)
        if game == _CATALOG:
            yield from _catalog(folder)
        else:
            yield Job.of(game, folder, max_nodes=_MOST_NODES)


def _catalog(folder: str) -> Iterator[Job]:
    """The games of Gambit's catalog that the method takes."""
    from tremble.errors import GameError
    from tremble.solvers.lp import Lp

    (texts,) = json.loads(_ANSWERS.read_text("utf-8"))["answers"]["catalog"].values()
    for number, text in enumerate(texts):
        file = Path(folder, f"{number}.{text[:3].lower()}")
        file.write_text(text, "utf-8")
        try:
            job = Job.of(str(file), folder)
            tree = job.tree()
            Lp().accepts(tree, "nash")
        except GameError:
            continue
        yield replace(job, game=f"Gambit: {tree.title}")


def _rows(job: Job, repeat: int, time_box: float, progress: Progress) -> Iterator[Row]:
    """All programs on a game; those that are compared run in turn, and no others are in memory meanwhile."""
    groups = [[Contestant(_CLASSES[concept], partial(_refining, concept=concept))] for concept in _CLASSES]
    groups.append([Contestant(_named("HiGHS", merge), partial(_floats, merge=merge)) for merge in (True, False)])
    groups += [
        [Contestant(_named(concept, merge), partial(_solving, concept=concept, merge=merge)) for merge in (True, False)]
        for concept in CONCEPTS
    ]
    repeat = max(repeat, _MANY) if job.game in _NOTHING_MERGES else repeat
    for number, group in enumerate(groups):
        rows = rows_of(job.game, race(group, job, repeat=repeat, time_box=time_box, progress=progress))
        if number == 0:
            rows[0] = replace(rows[0], note=notes(f"{job.nodes:,} nodes", rows[0].note))
        yield from rows


def _named(what: str, merge: bool) -> str:
    return what if merge else f"{what}, all apart"


def _in_processor_time(action: Callable[[], Any]) -> tuple[float, Any]:
    began = processor_seconds()
    result = action()
    return processor_seconds() - began, result


def _refining(job: Job, *, concept: str) -> Callable[[], Trial]:
    """Prepare refinement of the program for a concept."""
    from tremble.exact.colours import refined

    program = _program(job.tree(), concept)

    def trial() -> Trial:
        seconds, found = _in_processor_time(lambda: refined(program, lambda: None))
        if found is None:
            return Trial(seconds, None, "done", f"{_size(program)}; nothing merges, or not in time")
        return Trial(seconds, None, "done", f"{_size(program)}; {_size(found.program)}; {found.rounds} rounds")

    return trial


def _program(tree: GameTree, concept: str) -> Program:
    from tremble.game.sequence_form import SequenceForm
    from tremble.solution.trembles import Trembles
    from tremble.solvers.perfect import PerfectProgram
    from tremble.solvers.zero_sum import NashProgram

    nash = NashProgram.of(SequenceForm.of(tree))
    return nash.program if concept == "nash" else PerfectProgram.of(nash, Trembles.uniform(tree)).program


def _size(program: Program) -> str:
    entries = sum(len(matrix.value) for matrix in program.matrices)
    return f"{program.num_rows:,} x {program.num_columns:,}, {entries:,}"


def _floats(job: Job, *, merge: bool) -> Callable[[], Trial]:
    """Prepare HiGHS alone."""
    make, value_of = float_solver(job.tree(), merge=merge)

    def trial() -> Trial:
        solver = make()
        seconds, _ = _in_processor_time(solver.run)
        status = solver.modelStatusToString(solver.getModelStatus())
        return Trial(seconds, value_of(solver), "done" if status == "Optimal" else status)

    return trial


def _solving(job: Job, *, concept: str, merge: bool) -> Callable[[], Trial]:
    """Prepare :func:`tremble.solve` for a loaded tree."""
    import tremble

    tree = job.tree()
    tremble.solve(tremble.load("leduc"), concept, "lp", merge=merge)

    def trial() -> Trial:
        seconds, solution = _in_processor_time(lambda: tremble.solve(tree, concept, "lp", merge=merge))
        return Trial(seconds, float(solution.value), str(solution.status))

    return trial


def _goals(rows: Sequence[Row], sizes: Mapping[str, int]) -> Iterator[Goal]:
    """What the suite is to show, of the games that were played."""
    apart = {(row.task, row.program): row for row in rows}
    for (game, what), least in _FASTER.items():
        row = apart.get((game, _named(what, merge=False)))
        if row is not None:
            bound = row.status.startswith("over")
            yield Goal(f"{game}: {what}, all apart / merged", row.ratio, least, at_least=True, bound=bound)
    for game in _NOTHING_MERGES:
        for concept in CONCEPTS:
            row = apart.get((game, _named(concept, merge=False)))
            if row is not None:
                yield Goal(f"{game}: {concept}, merged / all apart", row.ratio and 1 / row.ratio, _SLOWER)
    for what, games in _LADDERS.items():
        classes = [apart[game, _CLASSES["nash"]] for game in games if game in sizes]
        points = [(sizes[row.task], row.seconds) for row in classes if row.seconds is not None]
        if len(points) > 2:
            slope = linear_regression([log(size) for size, _ in points], [log(seconds) for _, seconds in points]).slope
            yield Goal(f"{what}: exponent of the seconds of refinement in the sequences", slope, _EXPONENT)


def beside(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each game, as Markdown; from the rows of the suite."""
    by_name = {(row["task"], row["program"]): row for row in rows}
    whole = ("HiGHS", *CONCEPTS)
    lines = [f"| game | nodes | rows x columns, entries | merged | refined, s | {' | '.join(whole)} |"]
    lines.append("|" + "---|" * (5 + len(whole)))
    for game in dict.fromkeys(row["task"] for row in rows):
        classes = by_name[game, _CLASSES["nash"]]
        nodes, before, after, *_ = classes["note"].split("; ")
        cells = [f"`{game}`", nodes.removesuffix(" nodes"), before, after, _seconds(classes)]
        cells += [_both(by_name[game, what], by_name[game, _named(what, merge=False)]) for what in whole]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([BESIDE, *lines, "", HOW_TO_READ])


def _both(merged: Mapping[str, Any], apart: Mapping[str, Any]) -> str:
    """Seconds with all told apart, and merged, and the ratio."""
    over = ">" if apart["status"].startswith("over") else ""
    times = "" if apart["ratio"] is None else f" = {over}{apart['ratio']:.3g}"
    return f"{_seconds(apart)} / {_seconds(merged)}{times}"


def _seconds(row: Mapping[str, Any]) -> str:
    over = ">" if row["status"].startswith("over") else ""
    return row["status"] if row["seconds"] is None else f"{over}{row['seconds']:.2g}"
