"""The command ``tremble batch``: solve many games and prove the solutions, on all processors of this computer."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from typing import Any

import click

from tremble.batch.many_games import solve_many
from tremble.batch.results import BatchResult
from tremble.batch.views import batch_line, batch_view
from tremble.cli.command import Call, gap_number
from tremble.cli.console import NOT_PROVEN, say
from tremble.cli.failures import exit_code
from tremble.cli.options import LOG, command, output, time_limit
from tremble.cli.outputs import Output
from tremble.cli.solving import CONCEPT, EPSILON, SEED, method_option
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.games.named import is_named
from tremble.games.parameters import is_built_in, specs
from tremble.run.executors import MOST_PROCESSES
from tremble.text.records import rows_csv

__all__ = ["batch"]


_HELP = f"""Solve every GAME and prove its solution. The solutions are written to the folder of -o.

A built-in GAME may have alternatives: leduc:ranks=3|5 means two games, and holdem_river:board=Kh9d7s4c* all rivers.
Then put it in quotes. If a game fails or is stopped, the command continues with the other games. Games whose solutions
are in the folder are not solved again. To continue a stopped command, run it again. The exit code is 0 if all games are
proven. If all games that are not proven have the same exit code, the command returns this code. Otherwise it returns 1.

\b
Examples: tremble batch games/*.efg -o solutions
          tremble batch kuhn leduc:ranks=5 goofspiel -o solutions --concept quasi-perfect --jobs 2
JSON:     a list with the line of results.jsonl for each game, see docs/reference/cli.md
CSV:      {",".join(BatchResult.columns)}
"""


@command("table", "json", "csv", games=True, about=_HELP)
@output("Write the solution of each game, and results.jsonl, to this folder.", required=True, metavar="FOLDER")
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_PROCESSES),
    metavar="N",
    help="Solve N games at a time [number of processors].",
)
@CONCEPT
@method_option()
@time_limit("Stop after this time, and report the games that are not solved.")
@click.option(
    "--game-limit", type=float, metavar="SECONDS", help="Stop each game after this time, with its best result so far."
)
@click.option(
    "--gap", callback=gap_number, metavar="G", help="Accept bounds with a gap of at most G (see tremble solve)."
)
@click.option("--player", type=click.IntRange(1, 2), help="For maxmin: the player whose strategy is computed [1].")
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
    gap: Fraction | str | None,
    player: int | None,
    epsilon: Fraction | None,
    seed: int | None,
) -> int:
    """Solve all games and show their results."""
    games = tuple(call.locked([spec for text in games for spec in (specs(text) if is_built_in(text) else [text])]))
    files = {game: game for game in games if not is_named(game)}
    call.require_files(files, Output("--log", call.log, "log", needed=False))
    # Rows for JSON and the table. Solutions are not kept in memory, because they may be large.
    rows: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []  # rows for CSV
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
                done = f"{len(rows):,} of {len(games):,} games are done; the solutions are in {call.output}"
                say(f"{done}; to continue with the other games, run the same command again")
                raise
    for listed in (rows, cells):
        listed.sort(key=lambda row: int(row["index"]))
    call.present(json=lambda: rows, csv=lambda: rows_csv(BatchResult.columns, cells), table=lambda: batch_view(rows))
    return codes.pop() if len(codes) == 1 else NOT_PROVEN if codes else 0
