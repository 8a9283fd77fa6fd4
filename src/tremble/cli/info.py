"""``tremble info``: sizes and class of a game."""

from __future__ import annotations

import click

from tremble.cli.console import present
from tremble.cli.inputs import GameArgument
from tremble.cli.options import common, reads_a_game
from tremble.cli.progress import Progress
from tremble.judging import info as judging
from tremble.show import terminal

__all__ = ["info"]


@click.command()
@click.argument("game")
@reads_a_game
@common("table", "json")
def info(game: GameArgument, form: str, quiet: bool) -> int:
    """Show sizes and class of GAME: nodes, information sets, sequences, recall, kind of payoffs.

    Of a game of rules beyond --max-nodes, what these can count is shown; the rest is unknown (null).

    \b
    Example: tremble info leduc --format json
    JSON: {"title", "players", "zero_sum", "constant_sum", "nodes": {"chance", "player", "terminal"},
           "information_sets", "sequences", "recall", "recall_witness", "max_depth", "digest"}
    """  # noqa: D301 (click reads the backspace)
    with Progress(quiet=quiet) as progress:
        record = judging.info(game.tree_or_rules(progress))
    present(form, json=lambda: record, table=lambda: terminal.info_view(record))
    return 0
