"""``tremble batch``: solve and prove many games, on all processors of this machine."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from typing import Any

import click

from tremble.batch.many_games import solve_many
from tremble.batch.results import BatchResult
from tremble.batch.views import batch_line, batch_view
from tremble.cli.command import LOG, Call, command, exact_number, output, time_limit
from tremble.cli.console import NOT_PROVEN, say
from tremble.cli.failures import exit_code
from tremble.cli.outputs import Output
from tremble.cli.solving import CONCEPT, EPSILON, SEED, method_option
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.games.named import is_named
from tremble.run.executors import MOST_PROCESSES
from tremble.text.records import rows_csv

__all__ = ["batch"]


_HELP = f"""Solve every GAME and prove it; -o names the folder for the solutions.

A game that fails or is stopped stops no other. What is done in the folder already is not done again: stop the
command, and give it again to go on. Exit code 0 if all are proven; else that of the others if it is the same for
each of them, and 1 if not.

\b
Examples: tremble batch games/*.efg -o solutions
          tremble batch kuhn leduc:ranks=5 goofspiel -o solutions --concept quasi-perfect --jobs 2
JSON:     a list with a line of results.jsonl for each game, see docs/reference/cli.md
CSV:      {",".join(BatchResult.columns)}
"""


@command("table", "json", "csv", games=True, about=_HELP)
@output("Put the solution of each game, and results.jsonl, into this folder.", required=True)
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_PROCESSES),
    metavar="N",
    help="Work on N games at a time [as many as processors].",
)
@CONCEPT
@method_option()
@time_limit("Stop then; games that are not done are reported.")
@click.option("--game-limit", type=float, metavar="SECONDS", help="Stop a game then, with the best result so far.")
@click.option("--gap", callback=exact_number, metavar="G", help="Accept bounds at most G apart (payoff units).")
@click.option("--player", type=click.IntRange(1, 2), help="For maxmin: whose strategy [1].")
@EPSILON
@SEED
@LOG
def batch(
    call: Call,
    games: tuple[str, ...],
    game_limit: float | None,
    jobs: int | None,
    concept: str,
    method: str,
    gap: Fraction | None,
    player: int | None,
    epsilon: Fraction | None,
    seed: int | None,
) -> int:
    """Solve all games, and show their results."""
    files = {game: game for game in games if not is_named(game)}
    call.require_files(files, Output("--log", call.log, "log", needed=False))
    rows: list[dict[str, Any]] = []  # for JSON and the table; the solutions themselves would take much memory
    cells: list[dict[str, Any]] = []  # for CSV
    codes: set[int] = set()
    with call:
        solving = solve_many(
            games, concept, method, processes=jobs, out=call.output, time_limit=game_limit,
            total_limit=call.deadline.left, gap=gap,
            player=None if player is None else player - 1, epsilon=epsilon, seed=seed, repair=call.repair,
            repair_tolerance=call.repair_tolerance, max_nodes=call.max_nodes or DEFAULT_MAX_NODES,
        )  # fmt: skip
        with closing(solving):
            try:
                for result in solving:
                    rows.append(result.plain())
                    cells += result.to_rows()
                    if result.error is not None:
                        codes.add(exit_code(result.error))
                    call.progress.step(f"{len(rows):,} of {len(games):,} games", len(rows) / len(games))
                    call.progress.log("result", **rows[-1])
                    if not call.quiet:
                        say(f"[{len(rows)}/{len(games)}] {batch_line(rows[-1], result.from_disk)}")
            except KeyboardInterrupt:
                done = f"{len(rows):,} of {len(games):,} games are done, with their solutions in {call.output}"
                say(f"{done}; the same command goes on with the others")
                raise
    for listed in (rows, cells):
        listed.sort(key=lambda row: int(row["index"]))
    call.present(json=lambda: rows, csv=lambda: rows_csv(BatchResult.columns, cells), table=lambda: batch_view(rows))
    return codes.pop() if len(codes) == 1 else NOT_PROVEN if codes else 0
