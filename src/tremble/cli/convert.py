"""``tremble convert``: a game as a file of another format."""

from __future__ import annotations

import click

from tremble.cli.console import present
from tremble.cli.inputs import GameArgument
from tremble.cli.options import common, reads_a_game, writes_a_file
from tremble.cli.outputs import Output, by_ending, ending, require_outputs
from tremble.cli.progress import Progress
from tremble.io.formats import FORMATS

__all__ = ["convert"]


@click.command()
@click.argument("game")
@click.argument("file")
@writes_a_file
@reads_a_game
@common("table", "json")
def convert(game: GameArgument, file: str, force: bool, form: str, quiet: bool) -> int:
    """Write GAME to FILE: .efg (Gambit), .nfg (one-shot games) or .json, by its ending.

    \b
    Example: tremble convert openspiel:kuhn_poker kuhn.efg
    JSON: {"file", "nodes", "digest"}
    """  # noqa: D301 (click reads the backspace)
    chosen = by_ending(file, FORMATS, "it")
    require_outputs({"GAME": game.file}, Output(file, file, ending(file)), force=force)
    with Progress(quiet=quiet) as progress:
        tree = game.tree(progress)
        progress.step("writing")
        chosen.write(tree, file)
    present(
        form,
        json=lambda: {"file": file, "nodes": tree.num_nodes, "digest": tree.digest},
        table=lambda: f"{file}: {tree.num_nodes:,} nodes, {tree.digest}\n",
    )
    return 0
